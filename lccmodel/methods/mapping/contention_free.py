"""Contention-free reorderings of a bristled hypercube, where the rank leaves room for one.

For rank A >= n - 1 the paper has no algorithm: a reordering may reach degree 1, or 2 may be the
least [hou, Example 8]. With router bit z and T the bits not yet placed (z among them), degree 1
asks for rank A_(T-z, T-j) = |T| - 1 at every step: A_(T-z, T) has full row rank, hence a kernel
of one vector, and j != z lies in its support. So the choices at T are read off one vector, and a
depth-first search from the last dimension down with a memory of dead ends settles the question -
at once for a permutation of bits, whose kernels have few entries.
"""

from __future__ import annotations

from lccmodel.communication.lcc import LCC
from lccmodel.gf2 import elimination

__all__ = ["STATES_TRIED", "contention_free_order"]

STATES_TRIED = 4096
"""Dead ends remembered before the search gives up."""


def contention_free_order(
    communication: LCC, states: int = STATES_TRIED
) -> tuple[tuple[int, ...] | None, bool]:
    """An order of all bits, router bit first, with degree at most 1 on a bristled hypercube.

    Returns: the order, or None; and whether that answer is final (False if the search gave up).

    >>> contention_free_order(LCC([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    ((0, 2, 1), True)
    >>> contention_free_order(LCC([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]))
    (None, True)
    """
    n = communication.n
    moving = [bit for bit in range(n) if communication.moves(bit)]
    still = [bit for bit in range(n) if bit not in moving]
    search = _Search(communication.A.rows, n, states)
    for router_bit in range(n):
        left = frozenset((*moving, router_bit))
        placed = search.place(left, router_bit)
        if placed is not None:
            rest = [bit for bit in still if bit != router_bit]
            gather = (*placed, *rest)  # bits that do not move may stand anywhere
            order = gather[::-1] if communication.kind == "scatter" else gather
            return (router_bit, *order), True
    return None, search.states_left > 0


class _Search:
    """Depth-first search with dead ends remembered by (bits left, router bit)."""

    def __init__(self, rows: tuple[int, ...], n: int, states: int) -> None:
        self.rows, self.n, self.states_left = rows, n, states
        self.dead: set[tuple[frozenset[int], int]] = set()

    def place(self, left: frozenset[int], router_bit: int) -> tuple[int, ...] | None:
        if left == {router_bit}:
            return ()
        if (left, router_bit) in self.dead or self.states_left <= 0:
            return None
        for bit in self._choices(left, router_bit):
            before = self.place(left - {bit}, router_bit)
            if before is not None:
                return (*before, bit)
        self.dead.add((left, router_bit))
        self.states_left -= 1
        return None

    def _choices(self, left: frozenset[int], router_bit: int) -> list[int]:
        columns = sorted(left)
        mask = sum(1 << bit for bit in columns)
        rows = [self.rows[bit] & mask for bit in columns if bit != router_bit]
        vectors = [v for v in elimination.kernel(rows, self.n) if v & mask]
        if len(vectors) != 1:
            return []
        return [b for b in reversed(columns) if vectors[0] >> b & 1 and b != router_bit]
