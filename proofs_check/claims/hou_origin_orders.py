"""Reorderings on the Origin 2000: [hou], section 7.2, Corollaries 3-5, Lemma 2, Theorem 8, Ex. 8.

Which bit becomes bit 0 matters as much as the order of the others: it decides which nodes share a
router. n is the bold n of the print, the number of address bits. Messages are routed by e-cube in
ascending order of dimensions, those of a scatter (Ay + b sends to y) too.

The proof of Theorem 8 exchanges rows and columns from i = n-1 down, each time taking "a column j
that is a linear combination of the others"; it is run with every choice of j. That of Corollary 4
takes a row that the others make superfluous to position 0 and leaves the rest to Theorem 5.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lccmodel.communication import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Amended, Control, Finding, Reading, Sizes, claim
from proofs_check.claims.hou_gathers import SCATTER_READ
from proofs_check.claims.hou_origin_steps import (
    OfRank,
    count_together,
    dependent_rows,
    read_log,
    reordered_proof,
    start,
    vanishing_sums,
)
from proofs_check.claims.hou_reordering import without
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS, AllVectors, Enumerated, Singular
from proofs_check.driver import Case, compiled_claim
from proofs_check.orbits import least_by_mapping
from proofs_check.orders import all_orders, best_reordered, ecube_paths, reordered
from proofs_check.packed import rank_within, renamed, unpack_rows
from proofs_check.stations import in_places, messages
from proofs_check.walk import contention, route, walked_contention

# -- Lemma 2 and Theorem 8 ----------------------------------------------------------------


@compiled_claim(
    "hou.lem2",
    place="Section 7.2, Lemma 2",
    says="for singular A some permutation matrix Q has rank [QAQ⁻¹]_(L_n-{0},L_n) = rank A",
    latex=r"\operatorname{rank} A < n \implies \exists Q:\ "
    r"\operatorname{rank}[QAQ^{-1}]_{L_n-\{0\},\,L_n} = \operatorname{rank} A",
    over=Singular("A"),
    evidence="every row tried as row 0; ranks from the number of sums of rows that vanish",
    control=Control("with Q = I", exchange=False),
    sizes=Sizes(limit=5),
)
def lem2(case: Case, exchange: bool = True) -> bool:
    sums = case.images[0]
    zeros = vanishing_sums(case.n, case.rows, sums)
    for j in range(case.n if exchange else 1):
        without = 0
        for c in range(1 << case.n):
            without += sums[c] == 0 and not c >> j & 1
        if 2 * without == zeros:
            return True
    return False


@lem2.explain
def _ranks_without_a_row(A: GF2Matrix, **_: object) -> Mapping[str, Any]:
    n = A.n_columns
    others = [[r for r in range(n) if r != i] for i in range(n)]
    return {"rank A": A.rank, "rank without row i": [A.submatrix(o, range(n)).rank for o in others]}


LOW_RANK = OfRank("A", lambda n: range(n - 1), "rank A ≤ n-2")


@compiled_claim(
    "hou.thm8",
    place="Section 7.2, Theorem 8",
    says="if rank A ≤ n-2, some permutation matrix Q has i - rank B_(L_i,L_i) ≤ n-1 - rank A for "
    "1 ≤ i ≤ n-1, where B is QAQ⁻¹ without row 0",
    latex=r"\operatorname{rank} A \le n-2 \implies \exists Q:\ i-\operatorname{rank} B_{L_i,L_i} "
    r"\le n-1-\operatorname{rank} A,\quad B = [QAQ^{-1}]_{L_n-\{0\},\,L_n}",
    over=LOW_RANK,
    evidence="all orders tried; the v counted whose messages x and x + v share a channel",
    control=Control("the bound n - 2 - rank A", halvings=1),
    sizes=Sizes(least=2, limit=5),
    tables=lambda n, **_: (all_orders(n),),
)
def thm8(case: Case, orders: Ints, halvings: int = 0) -> bool:
    n, moved, counts, images = case.n, case.work[0], case.work[1, : case.n], case.images[0]
    zeros = vanishing_sums(n, case.rows, images)
    for order in orders:
        renamed(n, case.rows, order, moved)
        if 2 * count_together(n, moved, images, counts) <= zeros >> halvings:
            return True
    return False


@thm8.explain
def _exponents_of_every_order(A: GF2Matrix, *, halvings: int = 0) -> Mapping[str, Any]:
    n = A.n_columns
    shown = {}
    for order in itertools.permutations(range(n)):
        D = A.submatrix(order, order)
        shown[order] = [i - D.submatrix(range(1, i + 1), range(i)).rank for i in range(1, n)]
    return {"bound": n - 1 - halvings - A.rank, "i - rank for every order": shown}


# -- Corollaries 3, 4 and 5 ------------------------------------------------------------------


def _that_leave_bit_0(n: int) -> Ints:
    orders = all_orders(n)
    return np.ascontiguousarray(orders[orders[:, 0] == 0])


_WALKED = "all messages walked for every pair and every order, the messages on channels counted"


@compiled_claim(
    "hou.cor3",
    place="Section 7.2, Corollary 3",
    says="for nonsingular A some permutation matrix Q has T_i(QAQ⁻¹, Qb) ≤ 2 on the Origin 2000, "
    "1 ≤ i ≤ n-1",
    latex=r"\operatorname{rank} A = n \implies \exists Q:\ T_i(QAQ^{-1}, Qb) \le 2",
    over=PERMUTATIONS,
    evidence=_WALKED,
    control=Control("the bound 1", bound=1),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (all_orders(n), walked_degrees(n, blind=1)),
)
def cor3(case: Case, orders: Ints, degrees: Degrees, bound: int = 2) -> bool:
    return best_reordered(case.n, case.number, orders, degrees, bound) <= bound


@compiled_claim(
    "hou.cor4",
    place="Section 7.2, Corollary 4",
    says="for singular A some permutation matrix Q has T_i(QAQ⁻¹, Qb) ≤ 2^(n - rank A) on the "
    "Origin 2000, 1 ≤ i ≤ n-1, for the gather (x sends to Ax + b), and some for the scatter "
    "(Ay + b sends to y)",
    latex=r"\operatorname{rank} A < n \implies \exists Q:\ "
    r"T_i(QAQ^{-1}, Qb) \le 2^{\,n-\operatorname{rank} A}",
    over=Singular("A") * AllVectors("b"),
    evidence=_WALKED,
    control=Control("the bound halved", halvings=1),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (
        all_orders(n),
        walked_degrees(n, blind=1),
        walked_degrees(n, scatter=True, blind=1),
    ),
)
def cor4(case: Case, orders: Ints, gather: Degrees, scatter: Degrees, halvings: int = 0) -> bool:
    n, index = case.n, case.number
    if case.is_new:  # the same for every b
        case.work[0, 0] = vanishing_sums(n, case.rows, case.images[0])
    bound = int(case.work[0, 0]) >> halvings
    return (
        best_reordered(n, index, orders, gather, bound) <= bound
        and best_reordered(n, index, orders, scatter, bound) <= bound
    )


@compiled_claim(
    "hou.cor5",
    place="Section 7.2, Corollary 5",
    says="if rank A ≤ n-2, some reordering has the least contention on the Origin 2000 of all "
    "linear mappings",
    latex=r"\operatorname{rank} A \le n-2 \implies \exists P \text{ permutation}:\ "
    r"T(PAP^{-1}, Pb) = \min_Q T(QAQ^{-1}, Qb)",
    over=(LOW_RANK * AllVectors("b")).described(
        "all A with rank A ≤ n-2, all b, each with all orders and all nonsingular Q"
    ),
    evidence=_WALKED + "; the minimum over all Q taken over the orbit of the pair under GL(n,2)",
    control=Control("among the reorderings that leave bit 0 in its place", choose_bit_0=False),
    sizes=Sizes(least=2, limit=4),
    tables=lambda n, choose_bit_0: (
        all_orders(n) if choose_bit_0 else _that_leave_bit_0(n),
        walked_degrees(n, blind=1),
        least_by_mapping(n, blind=1),
    ),
)
def cor5(
    case: Case, orders: Ints, degrees: Degrees, least: Degrees, choose_bit_0: bool = True
) -> bool:
    bound = int(least[case.number])
    return best_reordered(case.n, case.number, orders, degrees, bound) <= bound


@cor3.explain
@cor4.explain
@cor5.explain
def _degrees_of_every_order(A: GF2Matrix, b: GF2Vector, **_: object) -> Mapping[str, Any]:
    orders = list(itertools.permutations(range(len(b))))
    return {
        "rank A": A.rank,
        "T of every order": {o: reordered_degree(A, b, o) for o in orders},
        "T of every order, scatter": {o: scatter_degree(A, b, o) for o in orders},
        "paths": ecube_paths(A, int(b)),
    }


def reordered_degree(A: GF2Matrix, b: GF2Vector, order: Sequence[int]) -> int:
    """T(QAQ⁻¹, Qb), walked in the order of Q; the first bit of the order picks the node."""
    return max(walked_contention(A, int(b), order, blind=1 << order[0]))


def scatter_degree(A: GF2Matrix, b: GF2Vector, order: Sequence[int]) -> int:
    """The same when Ay + b sends to y: routers are renamed by the order, messages walked."""
    pairs = in_places(messages(A, int(b), scatter=True), order[1:])
    return max(contention(pairs, range(len(b) - 1)), default=0)


# -- Example 8 ----------------------------------------------------------------------------

_ONES = GF2Vector([1, 1, 1, 1, 1])
EXAMPLE_8 = (
    LCC(GF2Matrix.from_rows((0, 2, 4, 8, 16), 5), _ONES),
    LCC(GF2Matrix.identity(5), _ONES),
)
"""Both communications of Example 8: y_0 = 1 or x_0 + 1, and y_i = x_i + 1 for i = 1..4."""


@claim(
    "hou.ex8",
    place="Section 7.2, Example 8",
    says="A = diag(0,1,1,1,1) and A = I, both with b = (1,1,1,1,1), have T_1 = 2^(1-0), "
    "T_2 = 2^(2-1), T_3 = 2^(3-2), T_4 = 2^(4-3), all 2, and no reordering gives a degree "
    "below 2",
    latex=r"T_1 = 2^{1-0},\ T_2 = 2^{2-1},\ T_3 = 2^{3-2},\ T_4 = 2^{4-3},\quad "
    r"\min_{Q} T(QAQ^{-1}, Qb) = 2",
    over=Enumerated(
        lambda n: itertools.product((1, 2), itertools.permutations(range(n))),
        size=lambda n: 2 * math.factorial(n),
        names="communication, order",
        text="both communications with all 5! orders",
        dimensions=(5,),
    ),
    evidence="all 32 messages walked in every order, the messages on every channel counted",
    control=Control("no reordering gives a degree below 3", least=3),
)
def ex8(communication: int, order: Sequence[int], *, least: int = 2) -> Finding:
    chosen = EXAMPLE_8[communication - 1]
    loads = walked_contention(chosen.A, int(chosen.b), order, blind=1 << order[0])
    T = [loads[bit] for bit in order[1:]]
    ok = max(T) >= least
    if list(order) == sorted(order):
        ranks_ = [chosen.A.submatrix(range(1, i + 1), range(i)).rank for i in range(1, 5)]
        ok = ok and T == [2, 2, 2, 2] and ranks_ == [0, 1, 2, 3]
    return Finding(ok, T=T)


# -- the proof of Theorem 8 --------------------------------------------------------------------


# -- the proof of Theorem 8 ---------------------------------------------------------------


@compiled_claim(
    "hou.thm8.proof",
    place="Section 7.2, proof of Theorem 8",
    says="if rank A ≤ n-2: any row that depends on the others is exchanged with row 0, with its "
    "column; any column j ≠ 0 of B = the rest that depends on the others goes to n-1; then, for "
    "k = n-1 down to 2, where k-1 - rank B_(L_(k-1),L_(k-1)) > n-1 - rank A, rows and columns "
    "j and k-1 are exchanged for any j ≠ 0 that depends on the others in B_(L_(k-1),L_k). Then "
    "i - rank B_(L_i,L_i) ≤ n-1 - rank A for 1 ≤ i ≤ n-1",
    latex=r"P_2 = (j\ \ k-1),\quad k = n-1, \dots, 2",
    over=LOW_RANK.described("all A with rank A ≤ n-2, each with every choice of the j"),
    evidence="the construction run with every choice; the v counted whose messages x and x + v "
    "share a channel",
    control=Control("rows and columns j and k are exchanged", partner=0),
    sizes=Sizes(least=2, limit=5),
)
def thm8_proof(case: Case, partner: int = -1) -> bool:
    n, state, taken, offered = case.n, case.work[0], case.work[1], case.work[2]
    log, images, work = case.images[0], case.images[1], case.images[2]
    zeros = vanishing_sums(n, case.rows, work)
    taken[:] = 0
    while True:
        start(case, state)
        steps = reordered_proof(n, state, partner, taken, offered, log, work)
        if steps < 0 or 2 * count_together(n, state, images, case.work[3, :n]) > zeros:
            return False
        if not next_choice(steps, taken, offered):
            return True


@thm8_proof.explain
def _first_run(A: GF2Matrix, *, partner: int = -1) -> Mapping[str, Any]:
    """The exchanges with the least j each time, and the contention when every bit changes."""
    n = A.n_columns
    state, taken, offered = np.zeros((3, n + 1), np.int64)
    log, work = np.zeros((2, 1 << n + 1), np.int64)
    state[:n] = A.rows
    steps = reordered_proof(n, state, partner, taken, offered, log, work)
    words = read_log(n, log.tolist())[1]
    D = GF2Matrix.from_rows(state[:n].tolist(), n)
    T = walked_contention(D, (1 << n) - 1, blind=1)[1:]
    shown = {"steps": words, "QAQ⁻¹": D, "T, every bit changing": T}
    if steps < 0:
        shown["stuck"] = True
    return {**shown, "bound": 2 ** (n - 1 - A.rank)}


# -- the proof of Corollary 4 ----------------------------------------------------------------


@kernel
def _inner_rank(n: int, pair: int, work: Ints) -> int:
    rows, everything = np.empty(n, np.int64), (1 << n) - 1
    unpack_rows(pair >> n, n, rows)
    return rank_within(rows, everything, everything, work)


def _one_for_each_bit_0(n: int) -> Ints:
    """The orders of n bits that are ascending from their second bit on."""
    orders = all_orders(n)
    ascending = np.sort(orders[:, 1:], axis=1) == orders[:, 1:]
    return np.ascontiguousarray(orders[ascending.all(axis=1)])


@compiled_claim(
    "hou.cor4.proof",
    place="Section 7.2, proof of Corollary 4",
    printed="From Theorem 5, there exists a matrix Q such that T_(i-1)(QBQ⁻¹, Qb) ≤ "
    "2^((n-1)-rank(B)) and T_(i-1)(QBQ⁻¹, Q(α+b)) ≤ 2^((n-1)-rank(B))",
    says="for singular A, any row that depends on the others is moved to row 0. Then some "
    "permutation of the other bits gives both sub-communications of the routers, (B, b) and (B, α "
    "+ b), at most 2^(n-2 - rank B) messages on a channel (by Theorem 5)",
    latex=r"T_{i-1}(QBQ^{-1}, Qb),\ T_{i-1}(QBQ^{-1}, Q(\alpha+b)) \le "
    r"2^{\,(n-2)-\operatorname{rank} B}",
    over=Singular("A") * AllVectors("b"),
    evidence="both walked on the hypercube of routers in every order",
    control=Control(
        "for every row moved to row 0 and the order of the other bits left", search=False
    ),
    amended=Amended(
        "the same with the bound max(1, 2^(n-2 - rank B)). Where B is nonsingular Theorem 5 does "
        "not apply, and Theorem 4 gives 1",
        latex=r"T_{i-1}(QBQ^{-1}, Qb),\ T_{i-1}(QBQ^{-1}, Q(\alpha+b)) \le "
        r"\max\{1, 2^{\,(n-2)-\operatorname{rank} B}\}",
        control=Control("Theorem 5's bound 1/2 where B is nonsingular", exempt=False),
        exempt=True,
    ),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (_one_for_each_bit_0(n), all_orders(n - 1), walked_degrees(n - 1)),
)
def cor4_proof(
    case: Case,
    orders: Ints,
    inner: Ints,
    degrees: Degrees,
    exempt: bool = False,
    search: bool = True,
) -> bool:
    n, sums = case.n, case.images[0]
    superfluous = dependent_rows(n, case.rows, sums)
    for order in orders if n > 1 else orders[:0]:  # n = 1 has no channel
        if not superfluous >> order[0] & 1:
            continue
        moved = reordered(n, case.number, order)
        pair, other = without(n, moved, 0)
        bound_twice = 1 << (n - 1 - _inner_rank(n - 1, pair, sums))  # 2 · 2^((n-2) - rank B)
        if exempt:
            bound_twice = max(bound_twice, 2)
        found = False
        for part in inner if search else inner[:1]:
            first = degrees[reordered(n - 1, pair, part)]
            second = degrees[reordered(n - 1, other, part)]
            found = found or 2 * max(first, second) <= bound_twice
        if not found:
            return False
    return True


@cor4_proof.explain
def _sub_communications(A: GF2Matrix, b: GF2Vector, **_: object) -> Mapping[str, Any]:
    """B, and what the e-cube walks of both halves give, for every row that is superfluous."""
    n, shown = len(b), {}
    for j in range(n):
        others = [i for i in range(n) if i != j]
        if A.submatrix(others, range(n)).rank < A.rank:
            continue
        B = A.submatrix(others, others)
        low = sum(b[i] << k for k, i in enumerate(others))
        high = low ^ sum(A[i, j] << k for k, i in enumerate(others))
        exponent = n - 2 - B.rank
        shown[f"row {j} to row 0"] = {
            "B": B,
            "bound": f"2^{exponent}",
            "T(B, b)": walked_contention(B, low),
            "T(B, α + b)": walked_contention(B, high),
        }
    return shown


_OF_THE_PROOF = (
    "of the proof (any row 0 that depends on the others; the others as in Theorem 5, or as in "
    "Theorem 4 where B is nonsingular)"
)


@compiled_claim(
    "hou.cor4.scatter",
    place="Section 7.2, proof of Corollary 4",
    says=(
        "for singular A the scatter, Ay + b sending to y by e-cube, has T_i ≤ 2^(n - rank A) "
        "on the Origin 2000 with every reordering of the proof. Row 0 is any row that "
        "depends on the others. The other rows are as in Theorem 5, or as in Theorem 4 if B "
        "is nonsingular"
    ),
    latex=r"T_i(QAQ^{-1}, Qb) \le 2^{\,n-\operatorname{rank} A} \text{ for the scatter}",
    over=(Singular("A") * AllVectors("b")).described(
        "all singular A, all b, each with every order of the proof"
    ),
    evidence="the messages of the scatter walked for every pair and order, in ascending order of "
    "dimensions",
    control=Control("with every reordering", every=True),
    reading=Reading(SCATTER_READ, back=True),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (
        all_orders(n),
        walked_degrees(n - 1),
        walked_degrees(n, scatter=True, blind=1),
    ),
)
def cor4_scatter(
    case: Case, orders: Ints, inner: Degrees, all_: Degrees, back: bool = False, every: bool = False
) -> bool:
    n, used, sums = case.n, case.work[0, : case.n], case.images[0]
    superfluous = dependent_rows(n, case.rows, sums)
    bound = vanishing_sums(n, case.rows, sums)
    ones = (1 << (n - 1)) - 1
    for order in orders if n > 1 else orders[:0]:
        moved = reordered(n, case.number, order)
        pair = without(n, moved, 0)[0] | ones  # with b = 1...1 all bits change
        rank = _inner_rank(n - 1, pair, sums)
        keeps = 2 * inner[pair] <= max(1 << (n - 1 - rank), 2)
        if not every and not (keeps and superfluous >> order[0] & 1):
            continue
        for k in range(n):
            used[k] = order[n - k] if back and k else order[k]
        if all_[reordered(n, case.number, used)] > bound:
            return False
    return True


@cor4_scatter.explain
def _scatter_degrees(A: GF2Matrix, b: GF2Vector, **_: object) -> Mapping[str, Any]:
    n = len(b)
    orders = list(itertools.permutations(range(n)))
    paths = [route(A.apply(y) ^ int(b), y, range(n)) for y in range(1 << n)]
    return {
        "bound": 2 ** (n - A.rank),
        "T as a gather": {o: reordered_degree(A, b, o) for o in orders},
        "T as a scatter": {o: scatter_degree(A, b, o) for o in orders},
        "paths": paths,
    }
