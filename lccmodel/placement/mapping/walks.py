"""Orders by greedy walks: LCP_Optimizer upwards, gathers, scatters and the bristled cube downwards.

**Contention-free reordering of any permutation** [hou, Theorem 4 and Fig. 3]. For a nonsingular A
there is an order of the address bits with

    rank [QAQ⁻¹]_(L_(i+1), L_i) = i    for 0 <= i <= n-1,

so every channel carries at most one message. The algorithm walks up the correction lattice: with
the bits order[0..i] corrected, it looks for a row that is independent in their columns, and puts
that bit next. That is the greedy walk `lattice.path.arranged` under load <= 1, where the bit that
is found changes places with the one that stands there; Algorithm HL [boppana] is the same walk
where it moves in front of those between (`hl_order`), and they first differ for n = 4:

    y = (x_3, x_2, x_1, x_0)     after bit 0 only bit 3 is allowed     swap    0 3 2 1
                                                                       rotate  0 3 1 2

V of the print is A with its rows reduced against the pivots found so far, and R marks the pivot
rows: the state of `lattice.ranks`, whose rows and columns are not swapped but looked up through
`order`.

**Reordering gathers and scatters, and the bristled hypercube** [hou, Theorems 5 and 8].
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
of Lemma 3 for rank A <= n - 2. The print of both proofs has wrong indices: docs/findings_hou.md.

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

from dataclasses import dataclass

from lccmodel.communication.lcc import LCC
from lccmodel.gf2 import elimination
from lccmodel.ground.arguments import typed_arguments
from lccmodel.lattice.path import BudgetError, Paths, arranged
from lccmodel.lattice.ranks import Downward, Ranks, State
from lccmodel.placement.contention_free_orders import contention_free_walk, ranks_of_a_permutation

_ADVICE = "LCP_Optimizer needs a permutation; optimal_reordering takes every kind"


@dataclass(frozen=True, slots=True)
class LcpIteration:
    """One pass of the loop of Fig. 3, lines 5-17.

    Attributes:
        i: the loop variable: dimensions up to i are settled before the pass, i+1 after it.
        pivot: the position j of the independent row that was found.
        swapped: the positions (i+1, j) whose bits were exchanged, or None.
        order: the order after the pass.
        V: the packed rows of V after the pass, in the new order of rows and columns.
        marked: the positions marked in R after the pass.
    """

    i: int
    pivot: int
    swapped: tuple[int, int] | None
    order: tuple[int, ...]
    V: tuple[int, ...]
    marked: tuple[int, ...]


@typed_arguments
def lcp_optimizer(communication: LCC) -> tuple[int, ...]:
    """Return an order that frees a permutation of contention on a hypercube; O(n³) bit steps.

    Raises:
        CommunicationError: the communication is not a permutation (A is singular).

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> lcp_optimizer(matrix_transpose(8))      # [hou, Example 4]
    (0, 4, 2, 6, 1, 5, 3, 7)
    """
    return contention_free_walk(ranks_of_a_permutation(communication, _ADVICE), swap=True)


@typed_arguments
def lcp_iterations(communication: LCC) -> tuple[LcpIteration, ...]:
    """Return every pass of LCP_Optimizer, to be compared with Fig. 3 line by line.

    Raises:
        CommunicationError: the communication is not a permutation.

    >>> [(step.pivot, step.swapped) for step in lcp_iterations(LCC([[0, 1], [1, 0]]))]
    [(1, None)]
    """
    ranks = ranks_of_a_permutation(communication, _ADVICE)

    def allows(state: State, j: int) -> bool:
        return ranks.next_load(state, j) <= 1

    walk = arranged(ranks.bits, ranks.start, allows, ranks.grow, swap=True)
    steps = [(place, order, state) for _, place, order, state in walk]
    trace = []
    for i, (_, _, after) in enumerate(steps[:-1]):
        place, order, _ = steps[i + 1]
        state = after
        if after.unpaired:  # the next bit is the one whose row takes the last free column
            state = ranks.with_row(after, order[i + 1])
            pivot = i + 1
        else:  # column order[i] was taken by a row that waited, or by its own
            before = steps[i - 1][2] if i else ranks.start
            took = ranks.with_row(before, order[i]).unpaired
            pivot = next(k for k in range(i + 1) if took >> order[k] & 1)
        rows = tuple(_permuted(state.rows[bit], order) for bit in order)
        done = range(i + 2) if after.unpaired else range(i + 1)
        marks = tuple(k for k in done if not state.unpaired >> order[k] & 1)
        swapped = (i + 1, place) if place > i + 1 else None
        trace.append(LcpIteration(i, pivot, swapped, order, rows, marks))
    return tuple(trace)


def _permuted(row: int, order: tuple[int, ...]) -> int:
    return sum((row >> bit & 1) << k for k, bit in enumerate(order))


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
