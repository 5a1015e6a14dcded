"""Tasks: their messages, loads counted in two ways, and the bounds of [calmant, Theorem 4].

λ⟨i,M⟩_c and LB⟨i,M⟩_c [calmant, Theorems 1 and 3]; the printed forms are claims of `calmant`.
"""

import dataclasses
from itertools import product

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import Hypercube
from lccmodel.pipelining.loads import LevelRun, cut, largest_load, levels_in_order, line_load
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import lower_bound, max_load, runs_of, task_of

TASKS = [
    (i, M, c, d)
    for c, largest in ((1, 7), (2, 8), (3, 9), (4, 8))
    for d in range(c, largest + 1, c)
    for i in range(d + 1)
    for M in range(d - i + 1)
]


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "d"), [(1, 1), (1, 5), (2, 6), (3, 6), (3, 3), (4, 8)])
def test_link_loads_against_routing_on_every_line(c, d, topology):
    """The loads of one line are the loads of all lines of its axis, in both directions."""
    side = 1 << d // c
    for i in range(d):
        for M in range(1, d - i + 1):
            task = task_of(i, M, c, d, topology)
            routed = task.mesh.channel_loads(task.messages()).counts
            counted = task.link_loads("plus")
            for axis, sign in product(range(c), (0, 1)):
                by_coordinate = routed[2 * axis + sign].reshape((side,) * c)
                lines = np.moveaxis(by_coordinate, c - 1 - axis, -1).reshape(-1, side)
                assert (lines == counted[axis][sign]).all(), task


@pytest.mark.parametrize("ties", ["split", "plus", "line"])
@pytest.mark.parametrize("topology", ["mesh", "torus"])
def test_counted_maximum_is_the_closed_form(topology, ties):
    for c, d in ((1, 1), (1, 2), (1, 7), (2, 2), (2, 8), (3, 9), (4, 12), (1, 12), (2, 20)):
        for i in range(0, d, max(1, d // 6)):
            for M in range(d - i + 1):
                task = task_of(i, M, c, d, topology)
                counted = max(loads.max() for loads in task.link_loads(ties))
                assert counted == max_load(i, M, c, d, topology, ties), task
                if topology == "mesh":
                    assert counted == max_load(i, M, c)
                    assert c > 1 or counted == line_load(i, M) >= M


@pytest.mark.parametrize("side_bits", [2, 3])
def test_no_directions_beat_split_ties(side_bits):
    """All 2^s ways of sending half a ring of s nodes: the least maximum is that of "split"."""
    side = 1 << side_bits
    for i in range(side_bits):
        M = side_bits - i
        rest = task_of(i, M - 1, 1, side_bits, "torus").link_loads()[0]
        maxima = []
        for ways in product((False, True), repeat=side):
            loads = rest.copy()
            for (start, forward), hop in product(enumerate(ways), range(side // 2)):
                tail = (start + hop) % side if forward else (start - hop) % side
                loads[0 if forward else 1, tail] += 1
            maxima.append(loads.max())
        assert min(maxima) == max_load(i, M, 1, side_bits, "torus")


def test_bounds_of_both_kinds_of_ports():
    """A node with all ports sends no more than the load: one message per axis and step."""
    for i, M, c, d in TASKS:
        one_port = lower_bound(i, M, c, d)
        assert lower_bound(i, M, c, d, ports="all") == max_load(i, M, c, d)
        assert one_port == max(max_load(i, M, c, d), M)
        assert lower_bound(i, M, c, d, "torus") <= one_port
        for topology in ("mesh", "torus"):
            runs = runs_of(i, M, c, d, topology)
            assert max(run.length for run in runs) <= max_load(i, M, c, d, topology)
    assert lower_bound(0, 8, 2, 8, "torus") == 9
    assert lower_bound(0, 200, 2) == ((1 << 101) - 2) // 3
    assert largest_load(()) == largest_load((LevelRun(0, 0),)) == max_load(3, 0, 2) == 0


def test_cuts_of_runs():
    """Two parts of a task have its dimensions between them, each once, the lower ones below."""
    for i, M, c, d in TASKS:
        runs = runs_of(i, M, c, d, "torus")
        for low in range(M + 1):
            below, above = cut(runs, low)
            assert levels_in_order(below) + levels_in_order(above) == levels_in_order(runs)
            assert not low or low == M or not any(run.wraps for run in below) or c > 1


def test_a_task_is_a_frozen_value_with_messages():
    task = task_of(np.int64(0), 4, c=2, d=4)
    assert task == task_of(0, 4, 2, 4)
    assert hash(task) == hash(task_of(0, 4, 2, 4))
    assert type(task.i) is int
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.i = 1
    assert [task.axis(k) for k in task.dimensions] == [0, 1, 0, 1]
    assert (task.max_load, task.lower_bound) == (2, 4)
    assert task_of(0, 4, 2, 4, ports="all").lower_bound == 2
    pairs = task_of(1, 2, 2, 4).messages().reshape(2, 16, 2)
    assert pairs[:, 0].tolist() == [[0, 4], [0, 2]]
    assert {abs(int(u) - int(v)) for u, v in pairs[0]} == {4}
    assert task_of(2, 0, 2, 4).messages().shape == (0, 2)
    large = task_of(0, 2, 2, 40).link_loads()
    assert [loads.shape for loads in large] == [(2, 1 << 20)] * 2


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: Task(0, 4, "mesh:4x6"), "mesh"),
        (lambda: Task(0, 4, None), "mesh"),
        (lambda: Task(0, 4, Hypercube(4)), "mesh"),
        (lambda: Task(1, 4, "mesh:4x4"), "i, M"),
        (lambda: Task(-1, 4, "mesh:4x4"), "i"),
        (lambda: Task(0, -1, "mesh:4x4"), "M"),
        (lambda: Task(0, 1.5, "mesh:4x4"), "M"),
        (lambda: Task(0, 1, "mesh:4x4", 2), "ports"),
        (lambda: Task(0, 1, "mesh:4x4", []), "ports"),
        (lambda: task_of(1, 2, 2, 4).axis(3), "dimension"),
        (lambda: task_of(1, 2, 2, 4).link_loads("up"), "ties"),
        (lambda: lower_bound(-1, 1, 1), "i"),
        (lambda: lower_bound(0, -1, 1), "M"),
        (lambda: lower_bound(0, 1, 0), "c"),
        (lambda: lower_bound(0.5, 1, 1), "i"),
        (lambda: lower_bound(0, "2", 1), "M"),
        (lambda: lower_bound(3, 4, 2, 6), "i, M"),
        (lambda: lower_bound(1, 2**63, 8), "M"),
        (lambda: lower_bound(0, 1, 10**40), "c"),
        (lambda: line_load(2, 10**40), "M"),  # a load of 10^40 bits
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_messages_that_nobody_can_write_out_are_refused():
    with pytest.raises(SizeLimitError):
        task_of(0, 2, 2, 40).messages()
