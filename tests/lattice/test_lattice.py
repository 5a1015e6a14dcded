"""The lattice's two ranks against messages placed and counted one by one.

occupancy(S) = 2^(|S| - rank A_(S,S)), load(S, j) = 2^(|S| - rank A_(S+j,S)).
"""

from itertools import permutations

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import InputError
from lccmodel.lattice import CorrectionLattice
from lccmodel.lattice.ranks import Ranks
from proofs_check.packed import rank_of
from tests.bridges import check_bridge


@pytest.mark.parametrize("n", [1, 2, 3])
def test_both_ranks_are_counts(n):
    """Every message walked, for every S and j, with and without bit 0 in the routers."""
    check_bridge("lattice", n, 100)


def test_a_scatter_walks_its_gather_from_the_other_end():
    A = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    gather, scatter = CorrectionLattice(LCC(A)), CorrectionLattice(LCC.scatter(A))
    for order in permutations(range(3)):
        assert scatter.loads(order) == gather.loads(order[::-1])[::-1]


def test_a_walk_lists_its_steps():
    steps = CorrectionLattice(LCC([[0, 1], [1, 0]])).walk((0, 1))
    assert [(s.corrected, s.bit, s.occupancy, s.load) for s in steps] == [
        ((), 0, 1, 1),
        ((0,), 1, 2, 1),
    ]


@pytest.mark.parametrize("internal", [(), (2, 5)])
def test_loads_of_twenty_bits_are_ranks_of_corners(internal):
    """2^(|S∪I| - rank A_(S+j, S∪I)) along random paths, where walking is too long [hou]."""
    rng = np.random.default_rng(20)
    inside = sum(1 << bit for bit in internal)
    for density in np.linspace(0.05, 0.6, 24):
        A = (rng.random((20, 20)) < density).astype(int)
        c = LCC(A, rng.integers(0, 2, 20))
        order = [j for j in rng.permutation(20).tolist() if j not in internal]
        S, expected = 0, []
        for j in order:
            columns = S | inside
            corner = [c.A.rows[i] & columns for i in range(20) if (S | 1 << j) >> i & 1]
            load = 1 << columns.bit_count() - rank_of(corner)
            expected.append(load if c.moves(j) else 0)
            S |= 1 << j
        assert Ranks(c, internal).loads(order) == tuple(expected)


def test_the_order_of_sixty_four_bits():
    n = 64
    reverse = LCC(GF2Matrix.from_order(range(n - 1, -1, -1)))
    loads = CorrectionLattice(reverse).loads(range(n))
    assert max(loads) == 2**31
    assert loads[:32] == tuple(2**i for i in range(32))


LATTICE = CorrectionLattice(LCC(GF2Matrix.identity(3)))
INSIDE = CorrectionLattice(LCC(GF2Matrix.identity(3)), (0,))


@pytest.mark.parametrize(
    ("call", "argument", "words"),
    [
        (lambda: LATTICE.load([0], 0), "corrected", ""),
        (lambda: LATTICE.load([0], 3), "corrected", ""),
        (lambda: LATTICE.occupancy([1, 1]), "corrected", ""),
        (lambda: LATTICE.loads([0, 1]), "order", ""),
        (lambda: LATTICE.walk([0, 1, 1]), "order", ""),
        (lambda: INSIDE.load([0], 1), "corrected", "never corrected on a channel"),
        (lambda: CorrectionLattice(LCC([[1]]), (3,)), "internal", "distinct bits"),
    ],
)
def test_bad_subsets_and_orders_are_named(call, argument, words):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument
    assert words in str(caught.value)


def test_a_position_has_the_destination_in_corrected_bits_and_the_source_elsewhere():
    """p_S(x), bit by bit: every S, source and destination of three bits, as ints and as arrays."""
    nodes = np.arange(8)
    x, y = np.repeat(nodes, 8), np.tile(nodes, 8)
    for S in range(8):
        corrected = [k for k in range(3) if S >> k & 1]
        expected = [
            sum(((b if S >> k & 1 else a) >> k & 1) << k for k in range(3))
            for a, b in zip(x.tolist(), y.tolist(), strict=True)
        ]
        assert LATTICE.position(corrected, x, y).tolist() == expected
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        assert [LATTICE.position(corrected, a, b) for a, b in pairs] == expected
    assert type(LATTICE.position((), np.uint8(2), 300)) is int  # one address is a number of Python
