"""Rank formulas of fat trees against messages counted on the tree.

An upward link carries what its switch holds, 2^(|S| - rank A_(S,S)), less what has turned.

`lattice.fattree.load`: the occupancy of a switch less the messages that have turned.
"""

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.lattice.fat_tree import fat_tree_loads
from lccmodel.network import FatTree
from lccmodel.placement.contention import contention
from tests.bridges import check_bridge


def counted(c: LCC, tree: FatTree) -> tuple[tuple[int, int], ...]:
    """(up, down) of every level, message by message."""
    most = tree.channel_loads(c).counts.max(axis=1, initial=0).tolist()
    return tuple(zip(most[::2], most[1::2], strict=True))


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_formula_counts_messages_of_binary_trees(n):
    check_bridge("fat_tree_formula", n, 100)


DOWN = [(2,), (2, 2), (4,), (4, 1), (1, 4), (2, 2, 2), (2, 4), (4, 2), (2,) * 5, (8, 2, 4)]


@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
@pytest.mark.parametrize("down", DOWN)
def test_random_communications(down, routing):
    tree = FatTree(down, routing=routing)
    rng = np.random.default_rng(len(down))
    n = tree.n
    lows = [sum(m.bit_length() - 1 for m in down[:k]) for k in range(1, len(down))]
    for density in (0.1, 0.3, 0.5):
        for maker in (LCC, LCC.scatter):
            for near_identity in (False, True):
                A = (rng.random((n, n)) < density).astype(int)
                A = A ^ np.eye(n, dtype=int) if near_identity else A
                c = maker(A, rng.integers(0, 2, n))
                assert fat_tree_loads(c, lows, routing) == counted(c, tree), c
                walk = contention(c, tree, "walk")
                assert contention(c, tree) == walk
                assert contention(c, tree).distance == walk.distance


IDENTITY = LCC(GF2Matrix.identity(2))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: fat_tree_loads([[0, 1]], (1,)), CommunicationError, "must be an LCC"),
        (lambda: fat_tree_loads(FatTree((2, 2)), (1,)), CommunicationError, "must be an LCC"),
        (lambda: fat_tree_loads(IDENTITY, (3,)), InputError, "levels"),
        (lambda: fat_tree_loads(IDENTITY, (1,), "up"), InputError, "routing"),
        (lambda: contention(IDENTITY, FatTree((2, 2)), routing="descending"), NetworkError,
         "no order of dimensions"),
        (lambda: contention(IDENTITY, FatTree((3, 3)), "formula"), NetworkError, "rank formula"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
