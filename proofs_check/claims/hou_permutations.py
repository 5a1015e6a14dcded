"""Reordering permutations so that no channel is shared: [hou], Theorem 4 and Corollary 1."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Control, Sizes
from proofs_check.constructions import chosen, next_choice, rank_of_part, swap
from proofs_check.domain import PERMUTATIONS, Nonsingular
from proofs_check.driver import MEETINGS, Case, compiled_claim
from proofs_check.orders import (
    all_orders,
    best_reordered,
    count_meetings,
    degrees_of_orders,
    ecube_paths,
    most_meeting,
    order_exists,
)
from proofs_check.walk import walked_contention

_ORDERED = "rank [QAQ⁻¹]_(L_(i+1),L_i) = i for 0 ≤ i ≤ n-1"
_ORDERED_LATEX = r"\operatorname{rank}[QAQ^{-1}]_{L_{i+1},L_i} = i,\quad 0 \le i \le n-1"


@compiled_claim(
    "hou.thm4",
    place="Section 4, Theorem 4",
    says=f"for nonsingular A some permutation matrix Q has {_ORDERED}",
    latex=rf"\exists Q:\ {_ORDERED_LATEX}",
    over=Nonsingular("A"),
    evidence="rank i says that no two messages meet on a channel when every bit changes; the "
    "messages that meet are counted for every subset of corrected bits, and all orders tried",
    control=Control("rank [QAQ⁻¹]_(L_i,L_i) = i, one row less", rows_less=1),
    sizes=Sizes(limit=5),
    counted=MEETINGS,
)
def thm4(case: Case, rows_less: int = 0) -> bool:
    """[hou, Theorem 4]: some order never has two messages meet."""
    if rows_less:
        count_meetings(case.n, case.rows, rows_less, case.images[0], case.meeting)
    return order_exists(case.n, case.meeting, 1)


@thm4.explain
def _ranks_of_every_order(A: GF2Matrix, *, rows_less: int = 0) -> Mapping[str, Any]:
    n = A.n_columns
    ranks = {}
    for order in itertools.permutations(range(n)):
        D = A.submatrix(order, order)
        ranks[order] = [D.submatrix(range(i + 1 - rows_less), range(i)).rank for i in range(n)]
    return {"ranks for every order": ranks, "paths": ecube_paths(A, (1 << n) - 1)}


# -- the proof of Theorem 4 ---------------------------------------------------------------


@kernel
def _construct(
    n: int, rows: Ints, target: int, taken: Ints, offered: Ints, order: Ints, work: Ints
) -> int:
    """The induction of the proof; returns the number of choices made, -1 if it gets stuck."""
    for i in range(n):
        order[i] = i
    steps = 0
    for k in range(n - 1):
        columns = (1 << (k + 1)) - 1
        if rank_of_part(rows, order, k + 2, columns, work) == k + 1:
            continue
        candidates = 0  # rows j >= k+1 that are independent of rows 0..k in [L_n, L_(k+1)]
        for j in range(k + 1, n):
            swap(order, k + 1, j)
            above = rank_of_part(rows, order, k + 1, columns, work)
            # Columns are those before the exchange: none of them is exchanged.
            if rank_of_part(rows, order, k + 2, columns, work) > above:
                candidates |= 1 << j
            swap(order, k + 1, j)
        j = chosen(candidates, steps, taken, offered)
        if j < 0:
            return -1
        steps += 1
        swap(order, k + target, j)
    return steps


@compiled_claim(
    "hou.thm4.proof",
    place="Section 4, proof of Theorem 4",
    says="exchanging row and column k+1 with those of any row j ≥ k+1 independent of rows 0..k in "
    f"columns 0..k, for k = 0..n-2 where the rank falls short, leads to {_ORDERED}",
    latex=r"\tilde Q = (j\ \ k+1),\quad k = 0, \dots, n-2",
    over=Nonsingular("A").described("all nonsingular A, each with every choice of the rows j"),
    evidence="the construction run with every choice; messages that meet counted in its order",
    control=Control("row and column k are exchanged", target=0),
    sizes=Sizes(limit=5),
    counted=MEETINGS,
)
def thm4_proof(case: Case, target: int = 1) -> bool:
    """[hou, proof of Theorem 4]: every choice leads to such an order."""
    n, order, taken, offered = case.n, case.work[0, : case.n], case.work[1], case.work[2]
    taken[:] = 0
    while True:
        steps = _construct(n, case.rows, target, taken, offered, order, case.work[3])
        if steps < 0 or most_meeting(order, case.meeting) > 1:
            return False
        if not next_choice(steps, taken, offered):
            return True


@thm4_proof.explain
def _first_run(A: GF2Matrix, *, target: int = 1) -> Mapping[str, Any]:
    """The construction in plain steps, taking the least j each time."""
    order, exchanged = constructed_upwards(A, target)
    return {"order": order, "exchanged": exchanged, "T, every bit changing": _all_change(A, order)}


def constructed_upwards(A: GF2Matrix, target: int = 1) -> tuple[list[int], list[tuple[int, int]]]:
    """The order that the proof of Theorem 4 reaches with the least j, and its exchanges."""
    n = A.n_columns
    order = list(range(n))
    exchanged = []
    for k in range(n - 1):
        D = A.submatrix(order, order)
        if D.submatrix(range(k + 2), range(k + 1)).rank == k + 1:
            continue
        above = [*range(k + 1)]
        rank = D.submatrix(above, range(k + 1)).rank
        j = next(j for j in range(k + 1, n) if D.submatrix([*above, j], above).rank > rank)
        order[k + target], order[j] = order[j], order[k + target]
        exchanged.append((j, k + target))
    return order, exchanged


def _all_change(A: GF2Matrix, order: list[int]) -> list[int]:
    """T_i of the reordered matrix with b = (1, ..., 1), where every bit changes."""
    loads = walked_contention(A, (1 << A.n_columns) - 1, order)
    return [loads[bit] for bit in order]


# -- Corollary 1 ----------------------------------------------------------------------------


@compiled_claim(
    "hou.cor1",
    place="Section 4, Corollary 1",
    says="any permutation communication can be reordered so that no channel carries two messages",
    latex=r"\forall (A, b),\ A \text{ nonsingular } \exists Q:\ T(QAQ^{-1}, Qb) \le 1",
    over=PERMUTATIONS,
    evidence="all messages of every reordering walked, the messages on every channel counted",
    control=Control("so that no channel carries a message", bound=0),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (all_orders(n), walked_degrees(n)),
)
def cor1(case: Case, orders: Ints, degrees: Degrees, bound: int = 1) -> bool:
    """[hou, Corollary 1]: some reordering has T ≤ 1."""
    return best_reordered(case.n, case.number, orders, degrees, bound) <= bound


@cor1.explain
def _degree_of_every_order(A: GF2Matrix, b: GF2Vector, *, bound: int = 1) -> Mapping[str, Any]:
    return {"T of every order": degrees_of_orders(A, int(b)), "paths": ecube_paths(A, int(b))}
