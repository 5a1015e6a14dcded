"""Is an order within the bound of Theorem 5 best? [hou], Corollary 2.

For gathers (x sends to Ax + b) and for scatters (Ay + b sends to y). Section 2.2 has a scatter
"implemented by simply reversing the direction of message transmission of gather": sent back along
the same channels, in descending order of dimensions, which is the same as the reversed order of
bits with ascending routing. Section 2.3 has e-cube alone, which ascends; with it the orders of
Theorem 5 do not serve a scatter.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from typing import Any

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Control, Reading, Sizes
from proofs_check.claims.hou_gathers import BOUNDED, BOUNDED_LATEX
from proofs_check.domain import AllVectors, Singular
from proofs_check.driver import MEETINGS, Case, compiled_claim
from proofs_check.orbits import least_by_mapping
from proofs_check.orders import (
    all_orders,
    degrees_of_orders,
    ecube_paths,
    exponents,
    most_meeting,
    reordered,
)
from proofs_check.walk import contention, route

SCATTER_READ = (
    "“simply reversing the direction of message transmission of gather” (section 2.2): the "
    "messages go back along the channels of the gather, the highest dimension first. By e-cube, "
    "the lowest first, a scatter needs the reverse of the order"
)


@kernel
def _is_least(
    case: Case, orders: Ints, degrees: Degrees, least: Degrees, within_bound: bool, reverse: int
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


_EACH_WITH = "all singular A, all b, each with every order of Theorem 5, against all nonsingular Q"


@compiled_claim(
    "hou.cor2.gather",
    place="Section 4, Corollary 2",
    says=f"a gather has its least T over all reorderings (over all nonsingular Q too) with every "
    f"reordering of Theorem 5, i.e. {BOUNDED}",
    latex=rf"{BOUNDED_LATEX} \implies T(QAQ^{{-1}}, Qb) = \min_{{Q'}} T(Q'AQ'^{{-1}}, Q'b)",
    over=(Singular("A") * AllVectors("b")).described(_EACH_WITH),
    evidence="T counted on walked paths for every pair and order; its minimum over all Q taken "
    "over the orbit of the pair under GL(n,2)",
    control=Control("with every reordering", within_bound=False),
    sizes=Sizes(limit=4),
    counted=MEETINGS,
    tables=_tables(scatter=False),
)
def cor2_gather(
    case: Case, orders: Ints, degrees: Degrees, least: Degrees, within_bound: bool = True
) -> bool:
    return _is_least(case, orders, degrees, least, within_bound, 0)


@compiled_claim(
    "hou.cor2.scatter",
    place="Section 4, Corollary 2",
    says="a scatter, Ay + b sending to y by e-cube, has its least T over all reorderings (over "
    f"all nonsingular Q too) with every reordering of Theorem 5, i.e. {BOUNDED}",
    printed="For any LCG or LCS, the new communication with the reordering mapping in Theorem 5 "
    "has minimum channel contention.",
    latex=rf"{BOUNDED_LATEX} \implies T_s(QAQ^{{-1}}, Qb) = \min_{{Q'}} T_s(Q'AQ'^{{-1}}, Q'b)",
    over=(Singular("A") * AllVectors("b")).described(_EACH_WITH),
    evidence="T counted on walked paths for every scatter and order; its minimum over all Q taken "
    "over the orbit of the pair under GL(n,2)",
    control=Control("with every reordering", within_bound=False),
    reading=Reading(SCATTER_READ, reverse=1),
    sizes=Sizes(limit=4),
    counted=MEETINGS,
    tables=_tables(scatter=True),
)
def cor2_scatter(
    case: Case,
    orders: Ints,
    degrees: Degrees,
    least: Degrees,
    within_bound: bool = True,
    reverse: int = 0,
) -> bool:
    return _is_least(case, orders, degrees, least, within_bound, reverse)


@cor2_gather.explain
def _gather_degrees(A: GF2Matrix, b: GF2Vector, **_: bool) -> Mapping[str, Any]:
    """T of every order, and which orders are within the bound of Theorem 5."""
    return {
        "T of every order": degrees_of_orders(A, int(b)),
        "orders of Theorem 5": _orders_of_theorem_5(A),
        "paths": ecube_paths(A, int(b)),
    }


@cor2_scatter.explain
def _scatter_degrees(A: GF2Matrix, b: GF2Vector, **_: int) -> Mapping[str, Any]:
    n = len(b)
    pairs = [(A.apply(y) ^ int(b), y) for y in range(1 << n)]
    orders = itertools.permutations(range(n))
    return {
        "T of every order": {o: max(contention(pairs, o)) for o in orders},
        "orders of Theorem 5": _orders_of_theorem_5(A),
        "paths": [route(x, y, range(n)) for x, y in pairs],
    }


def _orders_of_theorem_5(A: GF2Matrix) -> list[tuple[int, ...]]:
    n, bound = A.n_columns, A.n_columns - 1 - A.rank
    return [o for o in itertools.permutations(range(n)) if max(exponents(A, o)) <= bound]
