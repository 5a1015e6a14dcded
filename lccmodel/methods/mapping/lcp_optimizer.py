"""LCP_Optimizer: contention-free reordering of any permutation [hou, Theorem 4 and Fig. 3].

For a nonsingular A there is an order of the address bits with

    rank [QAQ⁻¹]_(L_(i+1), L_i) = i    for 0 <= i <= n-1,

so every channel carries at most one message. The algorithm walks up the correction lattice: with
the bits order[0..i] corrected, it looks for a row that is independent in their columns, and puts
that bit next. V is A with its rows reduced against the pivots found so far and R marks the pivot
rows; rows and columns are not swapped, as in the print, but looked up through `order`.
"""

from __future__ import annotations

from dataclasses import dataclass

from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.errors import CommunicationError

__all__ = ["Iteration", "lcp_optimizer", "lcp_optimizer_trace"]


@dataclass(frozen=True, slots=True)
class Iteration:
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


def lcp_optimizer(communication: LCC) -> tuple[int, ...]:
    """An order under which the permutation is contention-free on a hypercube, in O(n³) bit steps.

    Raises:
        CommunicationError: the communication is no permutation (A is singular).

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> lcp_optimizer(matrix_transpose(8))      # [hou, Example 4]
    (0, 4, 2, 6, 1, 5, 3, 7)
    """
    V = _rows_of_a_permutation(communication)
    order = list(range(communication.n))
    marked = [False] * communication.n
    for i in range(communication.n - 1):
        _advance(i, V, order, marked)
    return tuple(order)


def lcp_optimizer_trace(communication: LCC) -> tuple[Iteration, ...]:
    """Every pass of LCP_Optimizer, to be compared with Fig. 3 line by line.

    Raises:
        CommunicationError: the communication is no permutation.

    >>> [(step.pivot, step.swapped) for step in lcp_optimizer_trace(LCC([[0, 1], [1, 0]]))]
    [(1, None)]
    """
    V = _rows_of_a_permutation(communication)
    order = list(range(communication.n))
    marked = [False] * communication.n
    trace = []
    for i in range(communication.n - 1):
        pivot, swapped = _advance(i, V, order, marked)
        rows = tuple(_permuted(V[bit], order) for bit in order)
        marks = tuple(k for k, bit in enumerate(order) if marked[bit])
        trace.append(Iteration(i, pivot, swapped, tuple(order), rows, marks))
    return tuple(trace)


def _advance(
    i: int, V: list[int], order: list[int], marked: list[bool]
) -> tuple[int, tuple[int, int] | None]:
    """Settle dimension i+1: find the pivot, move it in, clear its column."""
    column = 1 << order[i]
    pivot = next(j for j, bit in enumerate(order) if V[bit] & column and not marked[bit])
    swapped = None
    if pivot > i + 1:
        order[i + 1], order[pivot] = order[pivot], order[i + 1]
        swapped, pivot = (i + 1, pivot), i + 1
    bit = order[pivot]
    row = V[bit]
    V[:] = [other ^ row if other & column else other for other in V]
    V[bit] = row
    marked[bit] = True
    return pivot, swapped


def _rows_of_a_permutation(communication: LCC) -> list[int]:
    require_lcc(communication)
    if communication.kind != "permutation":
        rule = "LCP_Optimizer needs a permutation; optimal_reordering takes every kind"
        raise CommunicationError("communication", rule, communication)
    return list(communication.A.rows)


def _permuted(row: int, order: list[int]) -> int:
    return sum((row >> bit & 1) << k for k, bit in enumerate(order))
