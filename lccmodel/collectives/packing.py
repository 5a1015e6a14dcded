"""Spanning trees that share the channels of a network evenly.

Data in N equal parts go down N trees from one root, or up them as sums. So the load of a channel is
the number of trees that use it, over N and over its bandwidth:

    broadcast, reduce    a tree uses the channel from the parent to the child, or back
    allreduce            up and then down: a tree uses both channels of its links

The best trees are a fractional packing: for an allreduce no load is below (|P| - 1) over the links
between the parts of P, for any partition P of the ranks [nash]; on mesh:8x8 that is 63/112, and 32
trees meet it. Trees are grown one after another as Prim does, by the load that the others leave,
and grown again beside all others; links of equal load are taken by chance, with a fixed seed. Of
several N the one with the least maximum load is taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from random import Random

import numpy as np

from lccmodel.ground.arrays import Ints

Wire = tuple[int, int, Fraction]
"""A channel from rank to rank, and its bandwidth."""

_COUNTS = (1, 2, 3, 4, 6, 8, 12, 16, 32)
"""Numbers of trees that are tried."""
_PASSES = 8
"""How often each tree is grown again, at most."""


class _Packing:
    """Trees from one root, and how much they use every channel, in whole numbers."""

    def __init__(self, ranks: int, wires: Sequence[Wire], root: int, *, both: bool) -> None:
        self.root, self.both, self.chance = root, both, Random(20250617)
        scale = lcm(*(width.numerator for _, _, width in wires))
        self.price = {(u, v): int(scale / width) for u, v, width in wires}
        self.used = dict.fromkeys(self.price, 0)
        self.beside: list[list[int]] = [[] for _ in range(ranks)]
        for u, v in self.price:
            self.beside[u].append(v)
        self.trees: list[list[int]] = []

    @property
    def load(self) -> Fraction:
        """The maximum load, in units of one tree of all data."""
        return Fraction(max(self.used.values(), default=0), len(self.trees))

    def add(self) -> None:
        """Grow one more tree."""
        self.trees.append(self._grown())
        self._count(self.trees[-1], 1)

    def again(self, number: int) -> None:
        """Grow a tree again beside all others."""
        self._count(self.trees[number], -1)
        self.trees[number] = self._grown()
        self._count(self.trees[number], 1)

    def _count(self, tree: Sequence[int], sign: int) -> None:
        for child, parent in enumerate(tree):
            if child != self.root:
                for link in ((parent, child), (child, parent))[: 1 + self.both]:
                    self.used[link] += sign * self.price[link]

    def _grown(self) -> list[int]:
        parents = [-1] * len(self.beside)
        parents[self.root] = self.root
        waiting: list[tuple[int, float, int, int]] = []

        def reach(rank: int) -> None:
            for other in self.beside[rank]:
                if parents[other] < 0:
                    load = self.used[rank, other] + self.price[rank, other]
                    heapq.heappush(waiting, (load, self.chance.random(), rank, other))

        reach(self.root)
        while waiting:
            *_, rank, other = heapq.heappop(waiting)
            if parents[other] < 0:
                parents[other] = rank
                reach(other)
        return parents


def packed_trees(
    ranks: int, wires: Sequence[Wire], root: int = 0, *, both: bool = False
) -> list[Ints]:
    """The parents of every rank in each of N trees; int64 (p,) each.

    Args:
        ranks: p, joined by the wires.
        wires: the channels between ranks.
        root: of all trees.
        both: whether a tree uses both channels of its links, as for an allreduce.

    >>> ring = [(k, (k + way) % 4, Fraction(1)) for k in range(4) for way in (1, -1)]
    >>> sorted(tree.tolist() for tree in packed_trees(4, ring))
    [[0, 0, 1, 2], [0, 2, 3, 0]]
    """
    packing = _Packing(ranks, wires, root, both=both)
    best: tuple[Fraction, list[list[int]]] | None = None
    for number in _COUNTS:
        while len(packing.trees) < number:
            packing.add()
        for _ in range(_PASSES):
            if best is None or packing.load < best[0]:
                best = packing.load, list(packing.trees)
            for tree in range(number):
                packing.again(tree)
        if best is None or packing.load < best[0]:
            best = packing.load, list(packing.trees)
    assert best is not None  # one tree there is
    return [np.array(tree, np.int64) for tree in best[1]]
