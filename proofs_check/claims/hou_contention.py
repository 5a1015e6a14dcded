"""Channel contention of one communication: [hou], section 4, Theorems 1 and 3."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel.communication import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Flags
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Reading, Sample, Sizes
from proofs_check.domain import PAIRS, Nonsingular
from proofs_check.orbits import least_by_mapping
from proofs_check.walk import contention, route


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
    evidence="T counted on walked paths for every pair; its minimum over all Q taken over the "
    "orbit of the pair under GL(n,2)",
    control=Control("T = 0 whenever A = I, for every b", any_vector=True),
    reading=Reading(
        "T_i > 0 for all i, as the sentence before the theorem assumes; it is enough that some "
        "message moves: only for A = I, b = 0 is T = 0",
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
