"""Linear mappings for the Origin 2000: [hou], section 7.2, Lemmas 4, 5 and 7.

Where rank A >= n-1 reordering is not enough, and Q may be any nonsingular matrix. The lemmas ask
that all leading minors B_(L_i,L_i), i = 1..n-1, of B = QAQ⁻¹ without row 0 have full rank; the
least over all Q is taken over the orbit of A. The proofs are in `hou_origin_linear_proofs`.
n is the bold n of the print, the number of address bits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Sizes
from proofs_check.claims.hou_origin_steps import read_log, row_zero, start
from proofs_check.claims.hou_origin_tables import OfRank, least_together, together
from proofs_check.constructions import next_choice
from proofs_check.domain import AllMatrices, Nonsingular, Singular
from proofs_check.driver import Case, compiled_claim

CORANK_1 = OfRank("A", lambda n: (n - 1,), "rank A = n-1")
NONSINGULAR = OfRank("A", lambda n: (n,), "rank A = n, A ≠ I", without_identity=True)
_FULL = "i - rank B_(L_i,L_i) = 0 for 1 ≤ i ≤ n-1, where B is QAQ⁻¹ without row 0"
_FULL_LATEX = (
    r"i - \operatorname{rank} B_{L_i,L_i} = 0,\ 1 \le i \le n-1,\quad "
    r"B = [QAQ^{-1}]_{L_n-\{0\},\,L_n}"
)


# -- Lemma 4 ------------------------------------------------------------------------------


@compiled_claim(
    "hou.lem4",
    place="Section 7.2, Lemma 4",
    says="for singular A some nonsingular Q has [QAQ⁻¹]_(0) = 0: exchange any row that depends on "
    "the others with row 0, and subtract from it those it is the sum of",
    latex=r"\operatorname{rank} A < n \implies \exists Q:\ [QAQ^{-1}]_{(0)} = 0",
    over=Singular("A").described("all singular A, each with every choice of the proof"),
    evidence="the construction run with every choice, row by row and column by column",
    control=Control("with the exchange alone", combine=False),
    sizes=Sizes(limit=5),
)
def lem4(case: Case, combine: bool = True) -> bool:
    """[hou, Lemma 4]: every choice leads to a row 0 that is zero."""
    state, taken, offered = case.work[0], case.work[1], case.work[2]
    taken[:] = 0
    while True:
        start(case, state)
        steps = row_zero(case.n, state, combine, taken, offered, case.images[0], case.images[1])
        if steps < 0 or state[0] != 0:
            return False
        if not next_choice(steps, taken, offered):
            return True


@lem4.explain
def _row_zero_run(A: GF2Matrix, *, combine: bool = True) -> Mapping[str, Any]:
    n = A.n_columns
    state, taken, offered = np.zeros((3, n + 2), np.int64)
    log, work = np.zeros((2, 1 << n + 1), np.int64)
    state[:n] = A.rows
    row_zero(n, state, combine, taken, offered, log, work)
    return steps_shown(A, log)


def steps_shown(A: GF2Matrix, log: Ints) -> dict[str, Any]:
    """What the logged steps make of A, by plain matrix products."""
    Q, words = read_log(A.n_columns, log.tolist())
    return {"steps": words, "Q": Q, "QAQ⁻¹": A.conjugate(Q), **_exponents(A.conjugate(Q))}


def _exponents(D: GF2Matrix) -> dict[str, Any]:
    blocks = (D.submatrix(range(1, i + 1), range(i)) for i in range(1, D.n_rows))
    return {"i - rank": [i - block.rank for i, block in enumerate(blocks, start=1)]}


# -- Lemmas 5 and 7 -----------------------------------------------------------------------


_ORBIT = (
    "for every matrix the v counted whose messages x and x + v share a channel; the minimum over "
    "all Q taken over the orbit of A under GL(n,2)"
)


@census_claim(
    "hou.lem5",
    place="Section 7.2, Lemma 5",
    says=f"if rank A = n-1, some nonsingular Q has {_FULL}",
    latex=rf"\operatorname{{rank}} A = n-1 \implies \exists Q:\ {_FULL_LATEX}",
    over=CORANK_1.described("all A with rank A = n-1, each with all nonsingular Q"),
    evidence=_ORBIT,
    control=Control("with Q = I", any_Q=False),
    sizes=Sizes(limit=5),
)
def lem5(census: Census, *, any_Q: bool = True) -> Flags:
    least = least_together(census.n) if any_Q else together(census.n)
    return np.asarray(least[census.index] == 1)


@census_claim(
    "hou.lem7",
    place="Section 7.2, Lemma 7",
    says=f"if rank A = n and A ≠ I, some nonsingular Q has {_FULL}",
    latex=rf"\operatorname{{rank}} A = n,\ A \ne I \implies \exists Q:\ {_FULL_LATEX}",
    over=NONSINGULAR.described("all nonsingular A ≠ I, each with all nonsingular Q"),
    evidence=_ORBIT,
    control=Control("with Q = I", any_Q=False),
    sizes=Sizes(least=2, limit=5),
)
def lem7(census: Census, *, any_Q: bool = True) -> Flags:
    least = least_together(census.n) if any_Q else together(census.n)
    return np.asarray(least[census.index] == 1)


@lem5.explain
@lem7.explain
def _first_mapping(A: GF2Matrix, *, any_Q: bool = True) -> Mapping[str, Any]:
    """The first Q with full ranks, if there is one."""
    n = A.n_columns
    if any_Q:
        for _, (Q,) in Nonsingular().cases(n, 0, AllMatrices().span(n)):
            found = _exponents(A.conjugate(Q))
            if not any(found["i - rank"]):
                return {"Q": Q, "QAQ⁻¹": A.conjugate(Q), **found}
    return _exponents(A)
