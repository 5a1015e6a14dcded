"""Reordering gathers and scatters, and the bristled hypercube [hou, Theorems 5 and 8].

Both theorems are one greedy walk down the correction lattice. Let T hold the bits that are not
placed yet, the internal bits I among them (they are never placed), and write

    nullity(T) = |T| - rank A_(T-I, T).

Placing j last among T costs 2^(|T| - 1 - rank A_(T-I, T-j)). If column j depends on the other
columns of A_(T-I, T), the exponent is nullity(T) - 1, and since losing row j lowers the rank by
one at most, nullity(T-j) <= nullity(T). Such a column exists whenever nullity(T) > |I|, and where
it does not, any j costs 2^|I| and leaves nullity(T-j) <= |I| + 1. Hence every exponent is

    hypercube (I = {}):    at most max(n - 1 - rank A, 0)
    bristled  (I = {z}):   at most max(n - 1 - rank A, 1), if row z depends on the other rows

which on a hypercube is the lower bound of Theorem 3 for every matrix, and on a bristled one that
of Lemma 3 for rank A <= n - 2. The print of both proofs has wrong indices; see docs/findings.md.

A dependent column is a bit that is cheap to place last, so the walk is: always the cheapest step
down (`Ranks.last_loads`), the greatest bit of equals.

A scatter walks the same path from its other end: its order is the gather's, reversed.

For rank A >= n - 1 a bristled reordering may be free of contention, or 2 may be the least degree
[hou, Example 8]; the paper has no algorithm. With router bit z and T the bits not yet placed (z
among them), degree 1 asks for rank A_(T-z, T-j) = |T| - 1 at every step, which is
load(T - z - j, j) <= 1 with z internal: the rule `Downward`, from the last dimension to the first.
The search with a memory of dead ends settles the question - at once for a permutation of bits,
where few j can come last.
"""

from __future__ import annotations

from lccmodel.communication.lcc import LCC
from lccmodel.gf2 import elimination
from lccmodel.lattice.path import BudgetError, Paths
from lccmodel.lattice.ranks import Downward, Ranks


def hypercube_order(communication: LCC) -> tuple[int, ...]:
    """An order of least contention on a hypercube, for any kind [hou, Theorem 5].

    >>> hypercube_order(LCC([[0, 1], [0, 0]]))
    (1, 0)
    """
    return _directed(communication, _place_last(communication, ()))


def bristled_order(communication: LCC, router_bit: int) -> tuple[int, ...]:
    """An order for the bristled hypercube that puts `router_bit` inside the router.

    Returns: the order of all n bits; its first entry is `router_bit`.

    >>> bristled_order(LCC([[0, 0, 0], [0, 1, 0], [0, 0, 1]]), 0)
    (0, 1, 2)
    """
    placed = _place_last(communication, (router_bit,))
    return (router_bit, *_directed(communication, placed))


def router_bits(communication: LCC) -> tuple[int, ...]:
    """Bits worth putting inside the router: dependent rows of A first [hou, Lemma 2].

    All bits are returned, those whose row is a combination of the other rows in front.

    >>> router_bits(LCC([[1, 0, 0], [0, 1, 0], [0, 0, 0]]))
    (2, 0, 1)
    """
    n = communication.n
    dependent = elimination.dependent_columns(communication.A.T.rows, n)
    return tuple(sorted(range(n), key=lambda bit: (not dependent >> bit & 1, bit)))


def _place_last(communication: LCC, internal: tuple[int, ...]) -> tuple[int, ...]:
    """Choose the last bit, then the last but one, ...: the cheapest, the greatest of equals."""
    ranks = Ranks(LCC(communication.A), internal, whatever_b=True)
    left, placed = ranks.all, []
    while left:
        loads = ranks.last_loads(ranks.at(left))
        bit = min(loads, key=lambda j: (loads[j], -j))
        left ^= 1 << bit
        placed.append(bit)
    return tuple(placed[::-1])


def _directed(communication: LCC, gather_order: tuple[int, ...]) -> tuple[int, ...]:
    return gather_order[::-1] if communication.kind == "scatter" else gather_order


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
