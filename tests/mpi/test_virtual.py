"""Fig. 1 of [hou]: the calls with virtual numbers, on threads; and threads that go wrong."""

import threading

import numpy as np
import pytest

from lccmodel import catalog
from lccmodel.errors import InputError, NodeError
from lccmodel.mpi import SentMessage, VirtualComm, execute, local
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout
from lccmodel.mpi.local import ThreadComm, World
from tests.mpi.going_wrong import fails

REVERSE = [0, 4, 2, 6, 1, 5, 3, 7]


def loop(comm, r_local):
    """b[i] = r[reverse(i)], word for word the program of Fig. 1(d)."""
    i = comm.v_get_pid()
    b_local = np.empty_like(r_local)
    comm.v_send(REVERSE[i], r_local)
    comm.v_receive(REVERSE[i], b_local)
    return b_local


@pytest.mark.parametrize("to_physical", [None, [0, 2, 1, 3, 4, 6, 5, 7], [3, 1, 4, 0, 5, 7, 2, 6]])
def test_the_loop_of_figure_1(to_physical):
    """b = r reversed, and messages from f(x) to f(reverse(x)): Fig. 1(c) and (d) are the same."""
    r = np.random.default_rng(0).standard_normal(8)
    task = Job("loop", r, Layout(3, (0, 1, 2)), loop).mapped(to_physical)
    outcome = local.run([task])[0]
    assert np.array_equal(outcome.values, r[REVERSE])
    f = range(8) if to_physical is None else to_physical
    expected = sorted((f[x], f[int(y)]) for x, y in catalog.bit_reverse(3).pairs())
    assert [(m.source, m.destination) for m in outcome.sent] == expected
    assert outcome.received == outcome.sent


def test_numbers_of_processors():
    world = World(4, timeout=1)
    comm = VirtualComm(ThreadComm(world, 2), [1, 2, 3, 0])
    assert comm.v_get_pid() == 1
    assert comm.to_virtual == [3, 0, 1, 2]
    comm.v_send(1, np.arange(3))  # to itself
    assert comm.v_receive(1, np.empty(3, dtype=int)).tolist() == [0, 1, 2]
    assert comm.sent == comm.received == [SentMessage("", 2, 2, 24)]
    for v in (-1, 4):
        with pytest.raises(NodeError, match="virtual processor"):
            comm.v_send(v, np.zeros(1))
        with pytest.raises(NodeError, match="virtual processor"):
            comm.v_receive(v, np.zeros(1))
    with pytest.raises(InputError, match="contiguous"):
        comm.v_receive(1, np.zeros((4, 4)).T[::2])


def test_what_was_sent_may_be_changed_at_once():
    comm = VirtualComm(ThreadComm(World(1, timeout=1), 0))
    data = np.array([1.0])
    comm.v_send(0, data)
    data[0] = 2
    assert comm.v_receive(0, np.empty(1)) == 1


def test_phases_nest_and_add_up():
    comm = VirtualComm(ThreadComm(World(1, timeout=1), 0))
    with comm.phase("outer"):
        comm.exchange(0, np.zeros(1))
        with comm.phase("inner"):
            comm.exchange(0, np.zeros(2))
        comm.exchange(0, np.zeros(3))
    with comm.phase("inner"):
        pass
    assert [(m.phase, m.size) for m in comm.sent] == [("outer", 8), ("inner", 16), ("outer", 24)]
    assert set(comm.seconds) == {"outer", "inner"}
    assert comm.seconds["outer"] > 0


def test_bad_input():
    communicator = ThreadComm(World(4, timeout=1), 0)
    for places in ([0, 1], [0, 1, 2, 2], [0.0, 1.0, 2.0, 3.0]):
        with pytest.raises(InputError, match="to_physical"):
            VirtualComm(communicator, places)
    task = Job("loop", np.zeros(8), Layout(3, (0, 1, 2)), loop)
    with pytest.raises(InputError, match="8 processes"):
        execute(task, communicator)
    outcome = local.run([task])[0]
    with pytest.raises(InputError, match="phase"):
        outcome.pairs("no such phase")


# -- threads that go wrong ----------------------------------------------------------------------


def waits(comm, values):
    return comm.v_receive(0, values) if comm.v_get_pid() else values


def sends_too_much(comm, values):
    comm.v_send(comm.v_get_pid(), np.zeros(3))
    return comm.v_receive(comm.v_get_pid(), values)


@pytest.mark.parametrize(
    ("program", "error"),
    [(waits, TimeoutError), (fails, ZeroDivisionError), (sends_too_much, BufferError)],
)
def test_a_program_that_goes_wrong_ends(program, error):
    before = threading.active_count()
    task = Job("wrong", np.zeros(4), Layout(2, (0, 1)), program)
    with pytest.raises(error):
        local.run([task], timeout=0.3)
    assert threading.active_count() == before
