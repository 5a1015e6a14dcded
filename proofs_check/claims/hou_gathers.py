"""Reordering singular communications: [hou], Theorem 5, its proof, and Corollary 2.

The bound of Theorem 5 is 2^(n-1-rank A) messages on a channel, half the number of v with Av = 0.
Corollary 2 asks whether an order within it is best, for gathers (x sends to Ax + b) and for
scatters (Ay + b sends to y). Section 2.2 has a scatter "implemented by simply reversing the
direction of message transmission of gather": sent back along the same channels, in descending order
of dimensions, which is the same as the reversed order of bits with ascending routing. Section 2.3
has e-cube alone, which ascends; with it the orders of Theorem 5 do not serve a scatter.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Control, Reading, Sizes, Stated
from proofs_check.constructions import chosen, depends, next_choice, rank_of_part, swap
from proofs_check.domain import AllVectors, Singular
from proofs_check.driver import MEETINGS, Case, compiled_claim
from proofs_check.orbits import least_by_mapping
from proofs_check.orders import (
    all_orders,
    exponents,
    most_meeting,
    order_exists,
    reordered,
)
from proofs_check.stations import messages
from proofs_check.walk import contention, route, walked_contention

BOUNDED = "i - rank [QAQ⁻¹]_(L_(i+1),L_i) ≤ n - 1 - rank A for 0 ≤ i ≤ n-1"
BOUNDED_LATEX = (
    r"i - \operatorname{rank}[QAQ^{-1}]_{L_{i+1},L_i} \le n-1-\operatorname{rank} A,"
    r"\quad 0 \le i \le n-1"
)


@compiled_claim(
    "hou.thm5",
    place="Section 4, Theorem 5",
    says=f"for singular A some permutation matrix Q has {BOUNDED}",
    latex=rf"\operatorname{{rank}} A < n \implies \exists Q:\ {BOUNDED_LATEX}",
    over=Singular("A"),
    evidence="the messages that meet on a channel counted for every subset of corrected bits, and "
    "all orders tried; the bound is half the number of v with Av = 0",
    control=Control("the bound n - 2 - rank A", halvings=1),
    sizes=Sizes(limit=5),
    counted=MEETINGS,
)
def thm5(case: Case, halvings: int = 0) -> bool:
    return order_exists(case.n, case.meeting, case.found >> (1 + halvings))


@thm5.explain
def _exponents_of_every_order(A: GF2Matrix, *, halvings: int = 0) -> Mapping[str, Any]:
    n = A.n_columns
    shown = {order: exponents(A, order) for order in itertools.permutations(range(n))}
    return {"bound": n - 1 - halvings - A.rank, "i - rank for every order": shown}


# -- the proof of Theorem 5 ---------------------------------------------------------------

OUT_OF_RANGE, STUCK = -1, -2


@kernel
def _construct(
    n: int,
    rows: Ints,
    partner: int,
    move_last: bool,
    taken: Ints,
    offered: Ints,
    order: Ints,
    work: Ints,
) -> int:
    """The proof's induction from n-1 down; the number of choices made, or what went wrong."""
    for i in range(n):
        order[i] = i
    everything = (1 << n) - 1
    candidates = 0
    for j in range(n):
        if depends(rows, order, n, everything, j, work):
            candidates |= 1 << j
    j = chosen(candidates, 0, taken, offered)
    if j < 0:
        return STUCK
    steps = 1
    if move_last:
        swap(order, j, n - 1)
    bound = n - 1 - rank_of_part(rows, order, n, everything >> 1, work)
    for k in range(n - 1, 0, -1):
        before = (1 << (k - 1)) - 1
        if k - 1 - rank_of_part(rows, order, k, before, work) <= bound:
            continue
        candidates = 0
        for j in range(k - 1):
            if depends(rows, order, k, (1 << k) - 1, j, work):
                candidates |= 1 << j
        j = chosen(candidates, steps, taken, offered)
        if j < 0:
            return STUCK
        steps += 1
        if k + partner >= n:
            return OUT_OF_RANGE
        swap(order, j, k + partner)
    return steps


@compiled_claim(
    "hou.thm5.proof",
    place="Section 4, proof of Theorem 5",
    says="a dependent column j is moved to the end. Then k runs from n-1 down to 1. Where "
    "(k-1) - rank [QBQ⁻¹]_(L_k,L_(k-1)) exceeds the bound, row and column k+1 are exchanged with "
    "those of any column j ≤ k-2 that depends on the others of [QBQ⁻¹]_(L_k,L_k). "
    f"This gives {BOUNDED}",
    latex=r"\tilde Q = (j\ \ k+1),\quad k = n-1, \dots, 1",
    over=Singular("A").described("all singular A, each with every choice of the columns j"),
    evidence="the construction run with every choice; messages that meet counted in its order",
    control=Control("row and column k-2, one further than meant", partner=-2),
    reading=Reading(
        "row and column k-1 are exchanged, not k+1. Column k-1 is the one that the next "
        "display removes, and k = n-1 has no k+1",
        partner=-1,
    ),
    sizes=Sizes(limit=5),
    counted=MEETINGS,
)
def thm5_proof(case: Case, partner: int = 1, move_last: bool = True) -> bool:
    n, order, taken, offered = case.n, case.work[0, : case.n], case.work[1], case.work[2]
    taken[:] = 0
    while True:
        steps = _construct(n, case.rows, partner, move_last, taken, offered, order, case.work[3])
        if steps < 0 or 2 * most_meeting(order, case.meeting) > case.found:
            return False
        if not next_choice(steps, taken, offered):
            return True


@thm5_proof.explain
def _first_run(A: GF2Matrix, *, partner: int = 1, move_last: bool = True) -> Mapping[str, Any]:
    """The construction in plain steps, taking the least j each time."""
    order, exchanged, problem = constructed_downwards(A, partner, move_last)
    shown: dict[str, Any] = {"exchanged": exchanged, "order": order}
    if problem:
        return {**shown, "problem": problem}
    n = A.n_columns
    loads = walked_contention(A, (1 << n) - 1, order)
    T = [loads[bit] for bit in order]
    return {**shown, "T, every bit changing": T, "bound": 2 ** (n - 1 - A.rank)}


def constructed_downwards(
    A: GF2Matrix, partner: int = -1, move_last: bool = True
) -> tuple[list[int], list[tuple[int, int]], str]:
    """The order that the proof of Theorem 5 reaches with the least j, its exchanges, what broke."""
    n = A.n_columns
    order = list(range(n))
    j = next(j for j in range(n) if _is_combination(A, j))
    if move_last:
        order[j], order[n - 1] = order[n - 1], order[j]
    exchanged = [(j, n - 1)]
    bound = n - 1 - A.submatrix(order, order[: n - 1]).rank
    for k in range(n - 1, 0, -1):
        D = A.submatrix(order, order)
        if k - 1 - D.submatrix(range(k), range(k - 1)).rank <= bound:
            continue
        block = D.submatrix(range(k), range(k))
        j = next((j for j in range(k - 1) if _is_combination(block, j)), -1)
        if j < 0:
            return order, exchanged, f"k = {k}: no column j ≤ {k - 2} depends on the others"
        if k + partner >= n:
            return order, exchanged, f"k = {k}, j = {j}: there is no row {k + partner}"
        order[j], order[k + partner] = order[k + partner], order[j]
        exchanged.append((j, k + partner))
    return order, exchanged, ""


def _is_combination(A: GF2Matrix, j: int) -> bool:
    """Whether column j is a linear combination of the other columns."""
    others = [c for c in range(A.n_columns) if c != j]
    return A.submatrix(range(A.n_rows), others).rank == A.rank


# -- Corollary 2: is an order within the bound best? -------------------------------------------


SCATTER_READ = (
    "“simply reversing the direction of message transmission of gather” (section 2.2): the "
    "messages return along the channels of the gather, the highest dimension first. By e-cube "
    "a scatter needs the reverse of the order"
)


def _is_least(
    case: Case,
    orders: Ints,
    degrees: Degrees,
    least: Degrees,
    within_bound: bool = True,
    reverse: int = 0,
) -> bool:
    """Whether every order of Theorem 5 (or its reverse) has the least degree of the pair."""
    n, used = case.n, case.work[0, : case.n]
    for order in orders:
        if within_bound and 2 * most_meeting(order, case.meeting) > case.found:
            continue
        for i in range(n):
            used[i] = order[n - 1 - i] if reverse else order[i]
        if degrees[reordered(n, case.number, used)] != least[case.number]:
            return False
    return True


def _tables(scatter: bool) -> Callable[..., tuple[Ints, Degrees, Degrees]]:
    """All orders, T of every pair, and the least over all nonsingular Q."""
    return lambda n, **_: (
        all_orders(n),
        walked_degrees(n, scatter=scatter),
        least_by_mapping(n, scatter=scatter),
    )


STATED = Stated(
    place="Section 4, Corollary 2",
    over=(Singular("A") * AllVectors("b")).described(
        "all singular A, all b, each with every order of Theorem 5, against all nonsingular Q"
    ),
    control=Control("with every reordering", within_bound=False),
    sizes=Sizes(limit=4),
)

cor2_gather = compiled_claim(
    "hou.cor2.gather",
    says="a gather has its minimum T over all reorderings (over all nonsingular Q too) with every "
    f"reordering of Theorem 5. That is, {BOUNDED}",
    latex=rf"{BOUNDED_LATEX} \implies T(QAQ^{{-1}}, Qb) = \min_{{Q'}} T(Q'AQ'^{{-1}}, Q'b)",
    evidence="T counted on walked paths for every pair and order; its minimum over all Q taken "
    "over the orbit of the pair under GL(n,2)",
    counted=MEETINGS,
    tables=_tables(scatter=False),
)(_is_least)

cor2_scatter = compiled_claim(
    "hou.cor2.scatter",
    says="a scatter, Ay + b sending to y by e-cube, has its minimum T over all reorderings (over "
    f"all nonsingular Q too) with every reordering of Theorem 5. That is, {BOUNDED}",
    printed="For any LCG or LCS, the new communication with the reordering mapping in Theorem 5 "
    "has minimum channel contention.",
    latex=rf"{BOUNDED_LATEX} \implies T_s(QAQ^{{-1}}, Qb) = \min_{{Q'}} T_s(Q'AQ'^{{-1}}, Q'b)",
    evidence="T counted on walked paths for every scatter and order; its minimum over all Q taken "
    "over the orbit of the pair under GL(n,2)",
    reading=Reading(SCATTER_READ, reverse=1),
    counted=MEETINGS,
    tables=_tables(scatter=True),
)(_is_least)


def _degrees(A: GF2Matrix, b: GF2Vector, *, scatter: bool, **_: int) -> Mapping[str, Any]:
    """T of every order, and which orders are within the bound of Theorem 5."""
    n, bound = A.n_columns, A.n_columns - 1 - A.rank
    pairs = messages(A, int(b), scatter)
    orders = list(itertools.permutations(range(n)))
    return {
        "T of every order": {o: max(contention(pairs, o), default=0) for o in orders},
        "orders of Theorem 5": [o for o in orders if max(exponents(A, o)) <= bound],
        "paths": [route(x, y, range(n)) for x, y in pairs],
    }


cor2_gather.explain(partial(_degrees, scatter=False))
cor2_scatter.explain(partial(_degrees, scatter=True))
