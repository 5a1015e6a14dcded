"""Contention on the Origin 2000: [hou], section 7, Lemma 1, Theorem 7, Lemma 3, Example 7.

The print has two letters n: a bold one for the number of address bits, and a plain n = bold n - 1
for the hypercube of routers. Here n is the bold one throughout. A without row and column 0 is the
communication on the routers, the rest of column 0 is alpha: the messages of the nodes with
x_0 = 1 go to A'x + alpha + b' on the same channels.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel.communication import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import inlined_kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Amended, Control, Finding, Sample, Sizes, Stated, claim
from proofs_check.claims.hou_origin_steps import OfRank, rank_below, sole_displacement
from proofs_check.domain import PAIRS, AllVectors, Listed, Nonsingular
from proofs_check.driver import Case, compiled_claim
from proofs_check.orbits import MINIMUM, least_by_mapping
from proofs_check.orders import ecube_paths
from proofs_check.packed import rank_within
from proofs_check.walk import set_destination_planes, walk, walked_contention

STATED = Stated(over=PAIRS, sizes=Sizes(limit=6))


# -- Theorem 7 ----------------------------------------------------------------------------


@census_claim(
    "hou.thm7",
    place="Section 7.2, Theorem 7",
    says="on the Origin 2000 T_i(A, b) = 0 if x_i = y_i for all x, else 2^(i - rank B_(L_i,L_i)), "
    "1 ≤ i ≤ n-1, where B is A without row 0",
    latex=r"T_i(A,b) = \begin{cases} 0 & x_i = y_i \\ 2^{\,i-\operatorname{rank} B_{L_i,L_i}} "
    r"& \text{otherwise} \end{cases},\quad B = A_{L_n-\{0\},\,L_n},\quad 1 \le i \le n-1",
    evidence="all messages of both nodes of every router walked along their e-cube paths, the "
    "messages on every channel between routers counted",
    control=Control("the rank of B_(L_(i+1),L_i), one row more", rows_more=1),
    samples={5: Sample(256, 1024), 6: Sample(256, 1024)},
)
def thm7(census: Census, *, rows_more: int = 0) -> Flags:
    n = census.n
    below = [(1 << i) - 1 for i in range(n)]
    beside = [(1 << min(i + 1 + rows_more, n)) - 2 for i in range(n)]  # rows 1..i, without row 0
    stated = 1 << np.arange(n) - census.rank(beside, below)
    right = census.loads(blind=1) == np.where(census.still, 0, stated)
    return np.asarray(right[:, 1:].all(axis=1))


@thm7.explain
def _walked_and_stated(A: GF2Matrix, b: GF2Vector, *, rows_more: int = 0) -> Mapping[str, Any]:
    n = len(b)
    stated = []
    for i in range(1, n):
        still = A.rows[i] == 1 << i and not b[i]
        rank = A.submatrix(range(1, min(i + 1 + rows_more, n)), range(i)).rank
        stated.append(0 if still else 2 ** (i - rank))
    return {"T": _router_contention(A, b), "stated": stated, "paths": ecube_paths(A, int(b))}


def _router_contention(A: GF2Matrix, b: GF2Vector) -> list[int]:
    """T_1, ..., T_(n-1)."""
    return walked_contention(A, int(b), blind=1)[1:]


# -- Lemma 1 and the parts of the proof of Theorem 7 -----------------------------------------


@inlined_kernel
def _walk_half(case: Case, b: int, T: Ints) -> None:
    """T of the communication (A', b) on the routers; work[0] and plane 0 are of the routers."""
    n, planes = case.n - 1, case.planes
    set_destination_planes(n, case.work[0], b, planes[0], planes[1])
    walk(n, case.order[:n], 0, planes[0], planes[1], planes[2], case.sets, T)


@inlined_kernel
def _walk_all(case: Case) -> int:
    """Fill work[1] with T on the Origin, work[2] and work[3] with both halves; returns α."""
    planes, alpha = case.planes, 0
    set_destination_planes(case.n, case.rows, case.b, case.nodes, planes[1])
    walk(case.n, case.order, 1, case.nodes, planes[1], planes[2], case.sets, case.work[1])
    routers = (np.uint64(1) << np.uint64(1 << (case.n - 1))) - np.uint64(1)
    for i in range(case.n - 1):
        alpha |= (case.rows[i + 1] & 1) << i
        case.work[0, i] = case.rows[i + 1] >> 1
        planes[0, i] = case.nodes[i] & routers
    _walk_half(case, case.b >> 1, case.work[2])
    _walk_half(case, case.b >> 1 ^ alpha, case.work[3])
    return alpha


_SUB = "A' = A_(L_n-{0},L_n-{0}), α = A_(L_n-{0},{0}), b' = b_(L_n-{0})"


@compiled_claim(
    "hou.lem1",
    place="Section 7.2, Lemma 1",
    says=f"on the Origin 2000 T_(i+1)(A, b) ≤ T_i(A', b') + T_i(A', α + b') for 0 ≤ i ≤ n-2, "
    f"where {_SUB}",
    latex=r"T_{i+1}(A,b) \le T_i(A',b') + T_i(A',\alpha+b'),\quad 0 \le i \le n-2",
    evidence="the Origin and, for both sub-communications, the hypercube of its routers walked, "
    "the messages on every channel counted",
    control=Control("the second term left out", spoiled=True),
    samples={5: Sample(256, 1024), 6: Sample(256, 1024)},
)
def lem1(case: Case, spoiled: bool = False) -> bool:
    _walk_all(case)
    T, first, second = case.work[1], case.work[2], case.work[3]
    for i in range(case.n - 1):  # noqa: SIM110 - numba has no generators
        if T[i + 1] > first[i] + (0 if spoiled else second[i]):
            return False
    return True


@compiled_claim(
    "hou.thm7.proof",
    place="Section 7.2, proof of Theorem 7, items 1-3",
    says=f"with {_SUB}: 1. T_(i+1) = 0 if A' has the unit row i and b'_i = α_i = 0; else 2. "
    "T_(i+1) = max(T_i(A', b'), T_i(A', α + b')) = 2^(i - rank A'_(L_(i+1),L_i)) if the rank of "
    "B_(L_(i+1),L_(i+1)) is greater than that of A'_(L_(i+1),L_i); 3. otherwise T_(i+1) is their "
    "sum, 2^(i - rank A'_(L_(i+1),L_i) + 1)",
    latex=r"T_{i+1}(A,b) = \max\{T_i(A',b'), T_i(A',\alpha+b')\} \text{ or their sum}",
    evidence="the Origin and, for both sub-communications, the hypercube of its routers walked",
    control=Control("maximum and sum exchanged", spoiled=True),
    reading="items 2 and 3 are meant where item 1 does not apply",
)
def thm7_proof(case: Case, spoiled: bool = False) -> bool:
    moves = case.b >> 1 | _walk_all(case)
    inner, T, first, second = case.work[0], case.work[1], case.work[2], case.work[3]
    for i in range(case.n - 1):
        columns = (1 << i) - 1
        rank = rank_within(inner, (2 << i) - 1, columns, case.work[4])
        whole = rank_below(case.rows, i + 1, columns << 1 | 1, case.work[4])
        if inner[i] == 1 << i and not moves >> i & 1:
            stated, found = 0, first[i] + second[i]
        elif (whole > rank) != spoiled:
            stated, found = 1 << (i - rank), max(first[i], second[i])
        else:
            stated, found = 2 << (i - rank), first[i] + second[i]
        if found != stated or T[i + 1] != stated:
            return False
    return True


@lem1.explain
@thm7_proof.explain
def _both_halves(A: GF2Matrix, b: GF2Vector, *, spoiled: bool = False) -> Mapping[str, Any]:
    n = len(b)
    shown: dict[str, Any] = {"T": _router_contention(A, b)}
    if n > 1:
        inner = A.submatrix(range(1, n), range(1, n))
        alpha = A.columns[0] >> 1
        shown["T(A', b')"] = walked_contention(inner, int(b) >> 1)
        shown["T(A', α + b')"] = walked_contention(inner, int(b) >> 1 ^ alpha)
    return {**shown, "paths": ecube_paths(A, int(b))}


# -- Lemma 3 ------------------------------------------------------------------------------


@census_claim(
    "hou.lem3.1",
    place="Section 7.2, Lemma 3, item 1",
    says="on the Origin 2000 T(QAQ⁻¹, Qb) ≥ 2^(n-1-rank A) for every nonsingular Q, if "
    "rank A ≤ n-2",
    latex=r"\operatorname{rank} A \le n-2 \implies "
    r"T(QAQ^{-1}, Qb) \ge 2^{\,n-1-\operatorname{rank} A}",
    over=(OfRank("A", lambda n: range(n - 1), "rank A ≤ n-2") * AllVectors("b")).described(
        "all A with rank A ≤ n-2, all b, each with all nonsingular Q"
    ),
    evidence=MINIMUM,
    control=Control("the bound doubled", doublings=1),
    sizes=Sizes(least=2, limit=4),
)
def lem3_1(census: Census, *, doublings: int = 0) -> Flags:
    least = least_by_mapping(census.n, blind=1)[census.index].astype(np.int64)
    return np.asarray(least << census.ranks >= 1 << (census.n - 1 + doublings))


@census_claim(
    "hou.lem3.2",
    place="Section 7.2, Lemma 3, item 2",
    says="on the Origin 2000 T(QAQ⁻¹, Qb) ≥ 1 for every nonsingular Q, if rank A > n-2. Here "
    "T_i(A, b) > 0 for 1 ≤ i ≤ n-1, as the text before Example 7 assumes",
    printed="T(QAQ⁻¹, Qb) ≥ 1 for rank(A) > n-2",
    latex=r"\operatorname{rank} A > n-2 \implies T(QAQ^{-1}, Qb) \ge 1",
    over=(OfRank("A", lambda n: range(n - 1, n + 1), "rank A > n-2") * AllVectors("b")).described(
        "all A with rank A > n-2, all b, each with all nonsingular Q (n = 1 has no channel)"
    ),
    evidence=MINIMUM,
    control=Control("the bound 2", doublings=1),
    amended=Amended(
        "for rank A > n-2, T(QAQ⁻¹, Qb) ≥ 1 for every nonsingular Q, unless all displacements x + "
        "y lie in {0, v} for one v. In that case some Q has T = 0: no message leaves its router if "
        "Qv = e_0",
        latex=r"\min_Q T(QAQ^{-1}, Qb) = 0 \iff \exists v\ \forall x:\ x + y \in \{0, v\}",
        control=Control("unless no message moves (v = 0)", still_only=True),
        except_line=True,
    ),
    sizes=Sizes(least=2, limit=4),
)
def lem3_2(
    census: Census, *, doublings: int = 0, except_line: bool = False, still_only: bool = False
) -> Flags:
    least = least_by_mapping(census.n, blind=1)[census.index]
    passed = least >= 1 << doublings
    if not except_line:
        return np.asarray(passed | (census.loads(blind=1)[:, 1:] == 0).any(axis=1))
    sole = sole_displacement(census.n)[census.index]
    return np.where(sole == 0 if still_only else sole >= 0, least == 0, passed)


@lem3_1.explain
@lem3_2.explain
def _mapping_with_least(A: GF2Matrix, b: GF2Vector, **_: object) -> Mapping[str, Any]:
    """The first Q of least T, with T and the paths after it."""
    n = len(b)
    best: dict[str, Any] = {}
    for _index, (Q,) in Nonsingular().cases(n, 0, 1 << n * n):
        mapped, moved = A.conjugate(Q), Q.apply(int(b))
        T = walked_contention(mapped, moved, blind=1)[1:]
        if not best or max(T, default=0) < best["T(QAQ⁻¹, Qb)"]:
            paths = ecube_paths(mapped, moved)
            best = {"Q": Q, "T(QAQ⁻¹, Qb)": max(T, default=0), "T_i": T, "paths": paths}
    displacements = sorted({x ^ y for x, y in LCC(A, b).pairs()})
    bound = str(Fraction(2 ** (n - 1), 2**A.rank))
    return {"displacements": displacements, "2^(n-1-rank A)": bound, **best}


# -- Example 7 ----------------------------------------------------------------------------

REVERSE_FLIP = LCC(GF2Matrix.from_order((4, 3, 2, 1, 0)), GF2Vector([1, 1, 1, 1, 1]))
"""y_i = x_(4-i) + 1: Examples 7 and 9."""


@claim(
    "hou.ex7",
    place="Section 7.2, Example 7",
    says="reverse-flip on an Origin of 32 nodes has T_1 = 2^(1-0) = 2, T_2 = 2^(2-0) = 4, "
    "T_3 = 2^(3-2) = 2 and T_4 = 2^(4-4) = 1",
    latex=r"T_1 = 2^{1-0},\ T_2 = 2^{2-0},\ T_3 = 2^{3-2},\ T_4 = 2^{4-4}",
    over=Listed(
        5,
        [(1, 0, 2), (2, 0, 4), (3, 2, 2), (4, 4, 1)],
        names="i, rank, T_i",
        text="the four printed values",
        size=4,
    ),
    evidence="all 32 messages walked; the rank from the number of sums of rows of B_(L_i,L_i)",
    control=Control("the values for dimensions one lower", lower=1),
    sizes=Sizes(),
)
def ex7(i: int, rank: int, T_i: int, *, lower: int = 0) -> Finding:
    block = REVERSE_FLIP.A.submatrix(range(1, i + 1), range(i))
    span = {0}
    for row in block.rows:
        span |= {word ^ row for word in span}
    T = walked_contention(REVERSE_FLIP.A, int(REVERSE_FLIP.b), blind=1)[i - lower]
    agree = T == T_i == 2 ** (i - rank) and len(span) == 2**rank
    return Finding(agree, T=T, rank=len(span).bit_length() - 1)
