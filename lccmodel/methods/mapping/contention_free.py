"""Contention-free reorderings of a bristled hypercube, where the rank leaves room for one.

For rank A >= n - 1 the paper has no algorithm: a reordering may reach degree 1, or 2 may be the
least [hou, Example 8]. With router bit z and T the bits not yet placed (z among them), degree 1
asks for rank A_(T-z, T-j) = |T| - 1 at every step, which is load(T - z - j, j) <= 1 with z
internal: the rule `Downward`, from the last dimension to the first. The search with a memory of
dead ends settles the question - at once for a permutation of bits, where few j can come last.
"""

from __future__ import annotations

from lccmodel.communication.lcc import LCC
from lccmodel.lattice.path import BudgetError, Paths
from lccmodel.lattice.ranks import Downward, Ranks

__all__ = ["contention_free_order"]

STATES_TRIED = 4096
"""Sets remembered before the search gives up, over all router bits."""


def contention_free_order(communication: LCC) -> tuple[tuple[int, ...] | None, bool]:
    """An order of all bits, router bit first, with degree at most 1 on a bristled hypercube.

    Returns: the order, or None; and whether that answer is final (False if the search gave up).

    >>> contention_free_order(LCC([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
    ((0, 2, 1), True)
    >>> contention_free_order(LCC([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 1, 1]))
    (None, True)
    """
    gather = LCC(communication.A, communication.b)  # a scatter walks its path from the other end
    moving = [bit for bit in range(gather.n) if communication.moves(bit)]
    still = [bit for bit in range(gather.n) if bit not in moving]
    states = STATES_TRIED
    for router_bit in range(gather.n):
        paths = Paths(Downward(Ranks(gather, (router_bit,), whatever_b=True), load=1), states)
        try:
            placed = paths.first(sum(1 << bit for bit in moving if bit != router_bit))
        except BudgetError:
            return None, False
        if placed is not None:
            rest = [bit for bit in still if bit != router_bit]
            order = (*placed[::-1], *rest)  # bits that do not move may stand anywhere
            return (router_bit, *(order[::-1] if communication.kind == "scatter" else order)), True
        states -= paths.remembered
    return None, True
