"""The proofs on reorderings of the Origin 2000: [hou], section 7.2, Theorem 8 and Corollary 4.

The proof of Theorem 8 exchanges rows and columns from i = n-1 down, each time taking "a column j
that is a linear combination of the others"; it is run with every choice of j. That of Corollary 4
takes a row that the others make superfluous to position 0 and leaves the rest to Theorem 5.
n is the bold n of the print, the number of address bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Amended, Control, Reading, Sizes
from proofs_check.claims.hou_least_gather import SCATTER_READ
from proofs_check.claims.hou_origin_orders import LOW_RANK, reordered_degree, scatter_degree
from proofs_check.claims.hou_origin_steps import dependent_rows, read_log, reordered_proof, start
from proofs_check.claims.hou_origin_tables import count_together, vanishing_sums
from proofs_check.claims.hou_reordering import without
from proofs_check.constructions import next_choice
from proofs_check.domain import AllVectors, Singular
from proofs_check.driver import Case, compiled_claim
from proofs_check.elimination import rank_within
from proofs_check.orders import all_orders, reordered
from proofs_check.packed import unpack_rows
from proofs_check.walk import route, walked_contention

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
    """[hou, proof of Theorem 8]: every choice keeps the bound."""
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
    says="for singular A, with any row that depends on the others moved to row 0, some "
    "permutation of the other bits gives both sub-communications of the routers, (B, b) and "
    "(B, α + b), at most 2^(n-2 - rank B) messages on a channel (by Theorem 5)",
    latex=r"T_{i-1}(QBQ^{-1}, Qb),\ T_{i-1}(QBQ^{-1}, Q(\alpha+b)) \le "
    r"2^{\,(n-2)-\operatorname{rank} B}",
    over=Singular("A") * AllVectors("b"),
    evidence="both walked on the hypercube of routers in every order",
    control=Control(
        "for every row moved to row 0 and the order of the other bits left", search=False
    ),
    amended=Amended(
        "the same with the bound max(1, 2^(n-2 - rank B)): where B is nonsingular Theorem 5 does "
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
    """[hou, proof of Corollary 4]: the step "from Theorem 5"."""
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
    says="for singular A the scatter, Ay + b sending to y by e-cube, has T_i ≤ 2^(n - rank A) on "
    f"the Origin 2000 with every reordering {_OF_THE_PROOF}",
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
    """[hou, proof of Corollary 4]: scatters in the orders of the proof."""
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
