"""Layouts, and moving elements between them, against moving them one by one."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel import LCC
from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.gf2 import random_matrix
from lccmodel.mpi import local
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout, block_cyclic, grid, processor_communication
from lccmodel.mpi.redistribution import redistribute


@st.composite
def movements(draw):
    """A communication of elements, two layouts of them on as many processors, and a mapping."""
    bits = draw(st.integers(1, 6))
    n = draw(st.integers(1, min(bits, 3)))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    A = random_matrix(bits, rng, rank=draw(st.integers(0, bits)))
    b = int(rng.integers(1 << bits))
    c = LCC.scatter(A, b) if draw(st.booleans()) else LCC(A, b)
    before, after = (Layout(bits, tuple(map(int, rng.permutation(bits)[:n]))) for _ in range(2))
    return c, before, after, rng.permutation(1 << n)


def one_by_one(communication, values):
    result = np.zeros_like(values)
    for x, y in communication.pairs().tolist():
        result[y] += values[x]
    return result


def task_of(communication, before, after, values):
    program = partial(redistribute, communication=communication, before=before, after=after)
    return Job("move", values, before, program, result_layout=after)


@given(movements())
@settings(max_examples=150, deadline=None)
def test_elements_move_as_the_communication_says(movement):
    """Permutation, gather and scatter, any layouts, any mapping: value y is that of its sources."""
    c, before, after, mapping = movement
    values = np.random.default_rng(0).integers(0, 1000, (1 << c.n, 2))
    outcome = local.run([task_of(c, before, after, values).mapped(mapping)])[0]
    assert np.array_equal(outcome.values, one_by_one(c, values))
    # a pair of processors exchanges one message, just if some element moves between them
    pairs = {
        (int(mapping[before.processor_of(x)]), int(mapping[after.processor_of(y)]))
        for x, y in c.pairs()
    }
    assert outcome.sent == outcome.received
    assert [(m.source, m.destination) for m in outcome.sent] == sorted(pairs)


@given(movements())
@settings(max_examples=150, deadline=None)
def test_the_communication_of_processors(movement):
    """It is that of the elements with the places left out, or there is none."""
    c, before, after, _ = movement
    pairs = {(int(before.processor_of(x)), int(after.processor_of(y))) for x, y in c.pairs()}
    partners = [{y for x, y in pairs if x == p} for p in range(1 << before.n)]
    if c.kind == "scatter":
        partners = [{x for x, y in pairs if y == p} for p in range(1 << before.n)]
    if max(map(len, partners)) > 1:
        with pytest.raises(CommunicationError, match="one processor"):
            processor_communication(c, before, after)
    else:
        communication = processor_communication(c, before, after)
        assert sorted(map(tuple, communication.pairs().tolist())) == sorted(pairs)


@pytest.mark.parametrize(("n", "d"), [(2, 0), (2, 1), (1, 2), (3, 1)])
def test_block_cyclic_is_blocks_dealt_out_in_turn(n, d):
    """Section 6.2: blocks of 2^d points, 2^d of them on each of 2^n processors."""
    pieces = block_cyclic(1 << n + 2 * d, n).distribute(np.arange(1 << n + 2 * d))
    for p, piece in enumerate(pieces):
        blocks = range(p, 1 << n + d, 1 << n)
        assert len(blocks) == 1 << d
        expected = [(block << d) + k for block in blocks for k in range(1 << d)]
        assert piece.tolist() == expected


def test_grids():
    """Tiles of a picture: processor py 2^a + px has rows and columns of one block."""
    picture = np.arange(32).reshape(4, 8)
    tiles = grid(3, 2, 1, 1).distribute(picture.reshape(-1))
    assert tiles[1].reshape(2, 4).tolist() == picture[:2, 4:].tolist()
    assert tiles[2].reshape(2, 4).tolist() == picture[2:, :4].tolist()
    dealt = grid(3, 2, 1, 0, cyclic=True).distribute(picture.reshape(-1))
    assert dealt[1].reshape(4, 4).tolist() == picture[:, [2, 3, 6, 7]].tolist()


def test_bad_input():
    layout = Layout(2, (0,))
    wrong = [((0, (0,)), InputError), ((29, (0,)), SizeLimitError)]
    wrong += [((3, bits), InputError) for bits in ((), (1, 1), (3,), (-1,), ("x",))]
    for arguments, error in wrong:
        with pytest.raises(error):
            Layout(*arguments)
    for arguments in ((3, 3, 4, 0), (3, 3, 0, 4), (3, 3, -1, 1)):
        with pytest.raises(InputError, match=r"width|height"):
            grid(*arguments)
    with pytest.raises(InputError, match="width"):
        grid(4, 3, 1, 1, cyclic=True)
    with pytest.raises(InputError, match="values"):
        Layout(3, (0,)).distribute(np.zeros(4))
    with pytest.raises(InputError, match="data"):
        task_of(LCC([[1]]), Layout(1, (0,)), None, np.zeros(3))
    for c, after in ((LCC([[1]]), layout), (LCC([[1, 0], [0, 1]]), Layout(2, (0, 1)))):
        with pytest.raises(CommunicationError, match="bits"):
            local.run([task_of(c, layout, after, np.zeros(4))])


@pytest.mark.parametrize("c", [LCC([[0, 1], [1, 0]], [1, 0]), LCC.scatter([[0, 0], [0, 1]])])
def test_every_message_is_sent_when_it_returns(c):
    """Requests are waited for, not only at the end of the job: MPI reads what is sent till then."""
    layout, values, left = Layout(2, (1,)), np.array([3, 4, 5, 6]), []

    def program(comm, own):
        moved = redistribute(comm, own, c, layout)
        left.append(list(comm._started))
        return moved

    (outcome,) = local.run([Job("move", values, layout, program)])
    assert outcome.values.tolist() == one_by_one(c, values).tolist()
    assert left == [[], []]
