"""LCP_Optimizer: contention-free reordering of any permutation [hou, Theorem 4 and Fig. 3].

For a nonsingular A there is an order of the address bits with

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
"""

from __future__ import annotations

from dataclasses import dataclass

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import LCC
from lccmodel.lattice.path import arranged
from lccmodel.lattice.ranks import State
from lccmodel.methods.orders import contention_free_walk, ranks_of_a_permutation

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
    """An order under which the permutation is contention-free on a hypercube, in O(n³) bit steps.

    Raises:
        CommunicationError: the communication is not a permutation (A is singular).

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> lcp_optimizer(matrix_transpose(8))      # [hou, Example 4]
    (0, 4, 2, 6, 1, 5, 3, 7)
    """
    return contention_free_walk(ranks_of_a_permutation(communication, _ADVICE), swap=True)


@typed_arguments
def lcp_iterations(communication: LCC) -> tuple[LcpIteration, ...]:
    """Every pass of LCP_Optimizer, to be compared with Fig. 3 line by line.

    Raises:
        CommunicationError: the communication is not a permutation.

    >>> [(step.pivot, step.swapped) for step in lcp_iterations(LCC([[0, 1], [1, 0]]))]
    [(1, None)]
    """
    ranks = ranks_of_a_permutation(communication, _ADVICE)

    def allows(state: State, j: int) -> bool:
        return ranks.next_load(state, j) <= 1

    walk = arranged(ranks.bits, ranks.start, allows, ranks.grow, swap=True)
    steps = [(found, order, state) for _, found, order, state in walk]
    trace = []
    for i, (_, _, after) in enumerate(steps[:-1]):
        found, order, _ = steps[i + 1]
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
        swapped = (i + 1, found) if found > i + 1 else None
        trace.append(LcpIteration(i, pivot, swapped, order, rows, marks))
    return tuple(trace)


def _permuted(row: int, order: tuple[int, ...]) -> int:
    return sum((row >> bit & 1) << k for k, bit in enumerate(order))
