"""Channel contention of one communication: [hou], section 4, Theorems 1, 3 and 4, Corollary 1.

The sentences after Theorems 1 and 7 say that it is "determined only by the ranks of sub-matrices of
the binary matrix A". The theorems themselves ask for one thing more: whether any message changes
the bit, which b decides.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel.communication import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Degrees, Flags, Ints
from proofs_check.census import Census, census_claim, walked_degrees
from proofs_check.claim import Control, Reading, Sample, Sizes
from proofs_check.constructions import chosen, next_choice, rank_of_part, swap
from proofs_check.domain import PAIRS, PERMUTATIONS, Nonsingular
from proofs_check.driver import MEETINGS, Case, compiled_claim
from proofs_check.orbits import MINIMUM, least_by_mapping
from proofs_check.orders import (
    all_orders,
    best_reordered,
    count_meetings,
    degrees_of_orders,
    ecube_paths,
    most_meeting,
    order_exists,
)
from proofs_check.walk import contention, route, walked_contention


@census_claim(
    "hou.thm1",
    place="Section 4, Theorem 1",
    says="T_i(A, b) = 0 if y_i = x_i for all x, else 2^(i - rank A_(L_(i+1),L_i)), under e-cube",
    latex=r"T_i(A,b) = \begin{cases} 0 & y_i = x_i \\ "
    r"2^{\,i-\operatorname{rank} A_{L_{i+1},L_i}} & \text{otherwise} \end{cases}",
    over=PAIRS,
    evidence="all messages walked along their e-cube paths, the messages on every channel counted",
    control=Control("the rank of A_(L_i,L_i), one row less", rows_less=1),
    sizes=Sizes(limit=6),
    samples={5: Sample(256, 1024), 6: Sample(256, 1024)},
)
def thm1(census: Census, *, rows_less: int = 0) -> Flags:
    below = [(1 << i) - 1 for i in range(census.n)]
    above = [(1 << i + 1 - rows_less) - 1 for i in range(census.n)]
    stated = 1 << np.arange(census.n) - census.rank(above, below)
    return np.asarray((census.loads() == np.where(census.still, 0, stated)).all(axis=1))


@thm1.explain
def _walked_and_stated(A: GF2Matrix, b: GF2Vector, *, rows_less: int = 0) -> Mapping[str, Any]:
    n = len(b)
    stated = []
    for i in range(n):
        still = A.rows[i] == 1 << i and not b[i]
        rank = A.submatrix(range(i + 1 - rows_less), range(i)).rank
        stated.append(0 if still else 2 ** (i - rank))
    pairs = LCC(A, b).pairs()
    paths = [route(int(x), int(y), range(n)) for x, y in pairs]
    return {"T": contention(pairs, range(n)), "stated": stated, "paths": paths}


@census_claim(
    "hou.thm3",
    place="Section 4, Theorem 3",
    says="T(QAQ⁻¹, Qb) ≥ 2^(n-1-rank A) for every nonsingular Q",
    latex=r"T(QAQ^{-1}, Qb) \ge 2^{\,n-1-\operatorname{rank} A}",
    over=PAIRS.described("all matrices A, all vectors b, each with all nonsingular Q"),
    evidence=MINIMUM,
    control=Control("T = 0 whenever A = I, for every b", any_vector=True),
    reading=Reading(
        "T_i > 0 for all i, as the sentence before the theorem assumes. It is enough that "
        "some message moves, that is, unless A = I and b = 0",
        except_still=True,
    ),
    sizes=Sizes(limit=4),
)
def thm3(census: Census, *, except_still: bool = False, any_vector: bool = False) -> Flags:
    least = least_by_mapping(census.n)[census.index].astype(np.int64)
    passed = least << 1 + census.ranks >= 1 << census.n  # doubled, as the bound may be 1/2
    if except_still:
        passed |= census.still.all(axis=1) & (least == 0)
    if any_vector:
        passed &= ~census.is_identity | (least == 0)
    return np.asarray(passed)


@thm3.explain
def _mapping_with_less(A: GF2Matrix, b: GF2Vector, **_other: bool) -> Mapping[str, Any]:
    n = len(b)
    bound = Fraction(2 ** (n - 1), 2**A.rank)
    for _, (Q,) in Nonsingular().cases(n, 0, 1 << n * n):
        pairs = [(Q.apply(int(x)), Q.apply(int(y))) for x, y in LCC(A, b).pairs()]
        paths = [route(x, y, range(n)) for x, y in pairs]
        T = max(contention(pairs, range(n)))
        if T < bound:
            return {"Q": Q, "T": T, "bound": bound, "paths": paths}
    return {"bound": bound}


# -- what the degree depends on ----------------------------------------------------------------


_WORDS = (
    "the degree of channel contention is determined only by the ranks of sub-matrices of the "
    "binary matrix A"
)


def _from_ranks(census: Census, blind: int) -> Ints:
    """max 2^(i - rank) over the bits from `blind` on."""
    n = census.n
    low = [(1 << i) - 1 for i in range(n)]
    high = [((1 << i + 1) - 1) & ~blind for i in range(n)]
    loads = 1 << np.arange(n) - census.rank(high, low)
    return np.asarray(loads[:, blind:].max(axis=1, initial=0))


def _declare(number: int, place: str, blind: int) -> None:
    where = "on the Origin 2000 " if blind else ""

    def check(census: Census, *, all_change: bool = False, less: int = 0) -> Flags:
        degrees = walked_degrees(census.n, blind=blind)
        if not all_change:
            return np.asarray(degrees[census.index] == degrees[census.index - census.b] - less)
        excluded = census.still[:, blind:].any(axis=1)
        return np.asarray(excluded | (degrees[census.index] == _from_ranks(census, blind) - less))

    claim = census_claim(
        f"hou.thm{number}.ranks",
        place=place,
        says=f"{where}T(A, b) is determined only by the ranks of sub-matrices of A: it is that of "
        "(A, 0) for every b",
        printed=_WORDS,
        latex=r"T(A, b) = T(A, 0)",
        over=PAIRS,
        evidence="messages walked and counted for every pair",
        control=Control("it is one less", less=1),
        reading=Reading(
            f"T_i > 0 for all i{' > 0' if blind else ''}, as the section assumes. Then T(A, b) is "
            "the largest 2^(i - rank)",
            all_change=True,
        ),
        sizes=Sizes(limit=4),
    )(check)
    claim.explain(_shown(blind))


def _shown(blind: int) -> Callable[..., Mapping[str, Any]]:
    def shown(A: GF2Matrix, b: GF2Vector, **_: Any) -> Mapping[str, Any]:
        loads = [walked_contention(A, word, blind=blind)[blind:] for word in (int(b), 0)]
        return {
            "T(A, b)": max(loads[0], default=0),
            "T(A, 0)": max(loads[1], default=0),
            "paths": ecube_paths(A, int(b)),
        }

    return shown


_declare(1, "Section 4, after Theorem 1", 0)
_declare(7, "Section 7.2, after Theorem 7", 1)


# -- Theorem 4 ---------------------------------------------------------------------------------


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
    return best_reordered(case.n, case.number, orders, degrees, bound) <= bound


@cor1.explain
def _degree_of_every_order(A: GF2Matrix, b: GF2Vector, *, bound: int = 1) -> Mapping[str, Any]:
    return {"T of every order": degrees_of_orders(A, int(b)), "paths": ecube_paths(A, int(b))}
