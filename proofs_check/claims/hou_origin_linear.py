"""Linear mappings for the Origin 2000: [hou], section 7.2, Lemmas 4, 5 and 7, and their proofs.

Where rank A >= n-1 reordering is not enough, and Q may be any nonsingular matrix. The lemmas ask
that all leading minors B_(L_i,L_i), i = 1..n-1, of B = QAQ⁻¹ without row 0 have full rank; the
least over all Q is taken over the orbit of A. n is the bold n of the print, the number of address
bits.

The proofs of Lemmas 5 and 7 are run with their indices as printed and as repaired. Both make row 0
of QAQ⁻¹ harmless, (0, ..., 0) or (0, ..., 0, 1), and then repair the leading minors of the rest
from the last one down: where one lacks rank, a row j is added to another and the other column to
column j. The print says row and column k; the column that is independent is k-1, and Example 9
uses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Reading, Sizes, Stated
from proofs_check.claims.hou_origin_steps import (
    OfRank,
    count_together,
    exchange,
    leading_minors,
    least_together,
    read_log,
    row_zero,
    start,
    straight_out,
    together,
)
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


def _reached(census: Census, *, any_Q: bool = True) -> Flags:
    least = least_together(census.n) if any_Q else together(census.n)
    return np.asarray(least[census.index] == 1)


STATED = Stated(evidence=_ORBIT, control=Control("with Q = I", any_Q=False))

lem5 = census_claim(
    "hou.lem5",
    place="Section 7.2, Lemma 5",
    says=f"if rank A = n-1, some nonsingular Q has {_FULL}",
    latex=rf"\operatorname{{rank}} A = n-1 \implies \exists Q:\ {_FULL_LATEX}",
    over=CORANK_1.described("all A with rank A = n-1, each with all nonsingular Q"),
    sizes=Sizes(limit=5),
)(_reached)

lem7 = census_claim(
    "hou.lem7",
    place="Section 7.2, Lemma 7",
    says=f"if rank A = n and A ≠ I, some nonsingular Q has {_FULL}",
    latex=rf"\operatorname{{rank}} A = n,\ A \ne I \implies \exists Q:\ {_FULL_LATEX}",
    over=NONSINGULAR.described("all nonsingular A ≠ I, each with all nonsingular Q"),
    sizes=Sizes(least=2, limit=5),
)(_reached)


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


# -- the proofs of Lemmas 5 and 7, with their indices as printed and as repaired ---------------


_INDUCTION = (
    "Where the block B_(L_(n-1),L_(n-1)) lacks rank, row j is added to row n-1 for any column j "
    "that depends on the others in B. Then k runs from n-1 down to 2. Where rank "
    "B_(L_(k-1),L_(k-1)) ≠ k-1, row j is added to row k and column k to column j for "
    "any column j ≠ k that depends on the others in B_(L_(k-1),L_k)"
)
_STEP_LATEX = r"Q_2 = I + e_{{{k}}} e_j^t,\quad k = n-1, \dots, 2"


@compiled_claim(
    "hou.lem5.proof",
    place="Section 7.2, proof of Lemma 5",
    says="if rank A = n-1, row 0 is made 0 (Lemma 4). "
    + _INDUCTION
    + ". Finally row 0 is 0 and all B_(L_i,L_i) have full rank",
    latex=_STEP_LATEX.format(k="k"),
    over=CORANK_1.described("all A with rank A = n-1, each with every choice of the proof"),
    evidence="the construction run with every choice, row by row and column by column; the v "
    "counted whose messages x and x + v share a channel",
    control=Control("row and column k-2, one further than meant", partner=-2),
    reading=Reading(
        "row and column k-1 are meant, not k, three times. B_(L_(k-1),L_k) has no column k, "
        "and Example 9 has the Q that k-1 gives",
        partner=-1,
    ),
    sizes=Sizes(limit=5),
)
def lem5_proof(case: Case, partner: int = 0, keep: bool = False) -> bool:
    return _all_full(case, -1, -1, partner, keep)


@compiled_claim(
    "hou.lem7.proof",
    place="Section 7.2, proof of Lemma 7",
    says="if rank A = n and A ≠ I, an entry 1 off the diagonal is permuted to (0, n-1). Row 0 is "
    "made (0, ..., 0, 1) by adding rows j to row n-1. The rest follows the proof of Lemma 5. "
    "Finally row 0 is (0, ..., 0, 1) and all B_(L_i,L_i) have full rank",
    latex=_STEP_LATEX.format(k="k"),
    over=NONSINGULAR.described("all nonsingular A ≠ I, each with every choice of the proof"),
    evidence="the construction run with every choice, row by row and column by column; the v "
    "counted whose messages x and x + v share a channel",
    control=Control("row and column k-2, one further than meant", partner=-2),
    reading=Reading(
        "row and column k-1, not k, as in the proof of Lemma 5",
        partner=-1,
    ),
    sizes=Sizes(least=2, limit=5),
)
def lem7_proof(case: Case, partner: int = 0, keep: bool = False) -> bool:
    n = case.n
    entries = 0  # what Q_1 may bring to (0, n-1)
    for i in range(n):
        for j in range(n):
            if i != j and case.rows[i] >> j & 1:
                entries += 1
                if not _all_full(case, i, j, partner, keep):
                    return False
    return entries > 0


@kernel
def _begin(
    n: int, state: Ints, i: int, j: int, taken: Ints, offered: Ints, log: Ints, work: Ints
) -> int:
    """Row 0 made harmless: by Lemma 4 (i < 0), or with the entry (i, j) taken to (0, n-1)."""
    if i < 0:
        return row_zero(n, state, True, taken, offered, log, work)
    log[0] = 0
    exchange(n, state, 0, i, log)
    exchange(n, state, n - 1, i if j == 0 else j, log)
    straight_out(n, state, log)
    return 0


@kernel
def _all_full(case: Case, i: int, j: int, partner: int, keep: bool) -> bool:
    """Lemma 5 (i < 0), or Lemma 7 with the entry (i, j), with every choice."""
    n, state, taken, offered = case.n, case.work[0], case.work[1], case.work[2]
    log, work, images = case.images[0], case.images[1], case.images[2]
    row_0 = 0 if i < 0 else 1 << (n - 1)
    taken[:] = 0
    while True:
        start(case, state)
        steps = _begin(n, state, i, j, taken, offered, log, work)
        if steps >= 0 and not keep:
            steps = leading_minors(n, state, partner, steps, taken, offered, log, work)
        if steps < 0 or state[0] != row_0:
            return False
        if count_together(n, state, images, case.work[3, :n]) != 1:
            return False
        if not next_choice(steps, taken, offered):
            return True


@lem5_proof.explain
def _run_5(A: GF2Matrix, *, partner: int = 0, keep: bool = False) -> Mapping[str, Any]:
    """The first run that fails, or the last of all."""
    return _runs(A, -1, -1, partner, keep)[0]


@lem7_proof.explain
def _run_7(A: GF2Matrix, *, partner: int = 0, keep: bool = False) -> Mapping[str, Any]:
    """The same, over the entries off the diagonal."""
    n = A.n_columns
    shown: dict[str, Any] = {}
    for i, j in ((i, j) for i in range(n) for j in range(n) if i != j and A[i, j]):
        shown, failed = _runs(A, i, j, partner, keep)
        if failed:
            break
    return shown


def _runs(A: GF2Matrix, i: int, j: int, partner: int, keep: bool) -> tuple[dict[str, Any], bool]:
    """(the first run that fails, True), or (the last, False), over all choices."""
    n = A.n_columns
    taken, offered = np.zeros((2, n + 2), np.int64)
    log, work = np.zeros((2, 4 << n), np.int64)
    row_0 = 0 if i < 0 else 1 << (n - 1)
    while True:
        state = np.array([*A.rows, 0, 0], np.int64)
        steps = _begin(n, state, i, j, taken, offered, log, work)
        if not keep:
            steps = leading_minors(n, state, partner, steps, taken, offered, log, work)
        shown = steps_shown(A, log)
        failed = steps < 0 or state[0] != row_0 or any(shown["i - rank"])
        if failed or not next_choice(steps, taken, offered):
            return ({**shown, "stuck": True} if steps < 0 else shown), failed
