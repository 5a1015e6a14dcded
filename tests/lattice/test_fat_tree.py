"""Rank formulas of fat trees against messages counted on the tree.

An upward link carries what its switch holds, 2^(|S| - rank A_(S,S)), less what has turned.

`lattice.fattree.load`: the occupancy of a switch less the messages that have turned.
"""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.lattice.fat_tree import fat_tree_loads
from lccmodel.network import FatTree
from lccmodel.placement.contention import contention
from tests.walking import all_lccs


def counted(c: LCC, tree: FatTree) -> tuple[tuple[int, int], ...]:
    """(up, down) of every level, message by message."""
    most = tree.channel_loads(c).counts.max(axis=1, initial=0).tolist()
    return tuple(zip(most[::2], most[1::2], strict=True))


@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
@pytest.mark.parametrize("down", [(2,), (2, 2), (4,), (4, 1), (1, 4)])
def test_every_communication_of_two_bits(down: tuple[int, ...], routing: str) -> None:
    """All (A, b), all kinds, n <= 2: upward and downward loads, and volume times distance."""
    tree = FatTree(down, routing=routing)
    lows = [sum(m.bit_length() - 1 for m in down[:k]) for k in range(1, len(down))]
    for c in all_lccs(tree.n):
        assert fat_tree_loads(c, lows, routing) == counted(c, tree), c
        assert contention(c, tree, "formula") == contention(c, tree, "walk")
        assert contention(c, tree, "formula").distance == contention(c, tree, "walk").distance


@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
@pytest.mark.parametrize("down", [(2, 2, 2), (2, 4), (4, 2), (2,) * 5, (4, 4, 4), (8, 2, 4)])
def test_random_communications(down: tuple[int, ...], routing: str) -> None:
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


def test_the_exchange_of_two_bits_is_free_because_a_message_turns() -> None:
    """Occupancy 2 at the switch, one of the two is at home there: load 1."""
    exchange = LCC([[0, 1], [1, 0]])
    assert fat_tree_loads(exchange, (1,)) == ((1, 1),)
    shifted = LCC([[0, 1], [1, 0]], [0, 1])
    assert fat_tree_loads(shifted, (1,)) == counted(shifted, FatTree((2, 2)))


def test_bad_input() -> None:
    with pytest.raises(CommunicationError):
        fat_tree_loads([[0, 1]], (1,))
    with pytest.raises(InputError, match="levels"):
        fat_tree_loads(LCC(GF2Matrix.identity(2)), (3,))
    with pytest.raises(InputError, match="routing"):
        fat_tree_loads(LCC(GF2Matrix.identity(2)), (1,), "up")
    with pytest.raises(NetworkError, match="no order of dimensions"):
        contention(LCC(GF2Matrix.identity(2)), FatTree((2, 2)), routing="descending")
    with pytest.raises(NetworkError, match="rank formula"):
        contention(LCC(GF2Matrix.identity(2)), FatTree((3, 3)), "formula")


def test_loads_of_what_is_no_communication_are_refused() -> None:
    with pytest.raises(CommunicationError, match="must be an LCC"):
        fat_tree_loads(FatTree((2, 2)), (1,))
