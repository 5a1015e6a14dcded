"""Least contention on the Origin 2000: [hou], section 7.2, Lemma 6, Corollaries 6, 7, Example 9.

The mapping of the paper is put together from Theorem 8 (rank A <= n-2), Lemma 5 (rank n-1),
Lemma 6 (A = I) and Lemma 7, with the indices of the proofs repaired. What it reaches is walked and
compared with the least of all nonsingular Q. n is the bold n of the print.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.communication import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.hou_origin import REVERSE_FLIP
from proofs_check.claims.hou_origin_steps import (
    OfRank,
    leading_minors,
    linear_image,
    read_log,
    sole_displacement,
    start,
)
from proofs_check.domain import PAIRS, AllVectors, Listed, matrix_code
from proofs_check.driver import Case, compiled_claim
from proofs_check.orbits import MINIMUM, least_by_mapping
from proofs_check.orders import all_orders, best_reordered, ecube_paths
from proofs_check.packed import pack_rows, rank_within
from proofs_check.walk import walked_contention

# -- Lemma 6 ------------------------------------------------------------------------------


@claim(
    "hou.lem6",
    place="Section 7.2, Lemma 6",
    says="if A = I, some nonsingular Q has [Qx]_i = [Qy]_i for 1 ≤ i ≤ n-1: Q = P_2 P_1 with any "
    "permutation matrix P_1 that has [P_1 b]_0 = 1 and P_2 subtracting [P_1 b]_i times row 0 from "
    "row i (Q = I if b = 0)",
    latex=r"A = I \implies \exists Q:\ [Qx]_i = [Qy]_i,\ 1 \le i \le n-1",
    over=AllVectors("b").described("all b, each with every permutation matrix P_1 of the proof"),
    evidence="Q applied to every x and to x + b",
    control=Control("Q = P_1", subtract=False),
    sizes=Sizes(most=5),
)
def lem6(b: GF2Vector, *, subtract: bool = True) -> Finding:
    n = len(b)
    if not int(b):
        return Finding(True, Q=GF2Matrix.identity(n))
    Q = GF2Matrix.identity(n)
    for order in itertools.permutations(range(n)):
        if not b[order[0]]:
            continue
        P_1 = GF2Matrix.from_order(order)
        moved = P_1.apply(int(b))
        units = [1 << i | (moved >> i & 1 if i and subtract else 0) for i in range(n)]
        Q = GF2Matrix.from_rows(units, n) @ P_1
        changed = {Q.apply(x) ^ Q.apply(x ^ int(b)) for x in range(1 << n)}
        if Q.rank < n or any(word >> 1 for word in changed):
            return Finding(False, Q=Q, changed=changed)
    return Finding(True, Q=Q)


# -- Corollaries 6 and 7 ----------------------------------------------------------------------


@compiled_claim(
    "hou.cor6",
    place="Section 7.2, Corollary 6",
    says="if rank A ≥ n-1, some linear mapping leaves no channel contention on the Origin 2000 "
    "(T(QAQ⁻¹, Qb) ≤ 1)",
    latex=r"\operatorname{rank} A \ge n-1 \implies \exists Q:\ T(QAQ^{-1}, Qb) \le 1",
    over=(OfRank("A", lambda n: range(n - 1, n + 1), "rank A ≥ n-1") * AllVectors("b")).described(
        "all A with rank A ≥ n-1, all b, each with all nonsingular Q"
    ),
    evidence=MINIMUM,
    control=Control("some reordering", linear=False),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (all_orders(n), walked_degrees(n, blind=1), least_by_mapping(n, blind=1)),
)
def cor6(case: Case, orders: Ints, degrees: Degrees, least: Degrees, linear: bool = True) -> bool:
    if linear:
        return bool(least[case.number] <= 1)
    return best_reordered(case.n, case.number, orders, degrees, 1) <= 1


@compiled_claim(
    "hou.cor7",
    place="Section 7.2, Corollary 7",
    says="for every communication some linear mapping has the least contention on the Origin 2000",
    printed="For any LCC on Origin 2000, there exists a linear mapping such that the new "
    "communication has minimum channel contention.",
    latex=r"T(QAQ^{-1}, Qb) = \min_{Q'} T(Q'AQ'^{-1}, Q'b)",
    over=PAIRS.described("all matrices A, all vectors b, each with all nonsingular Q'"),
    evidence=MINIMUM + "; the mapping is that of the proofs of Theorem 8, Lemma 5 or Lemma 7, with "
    "their indices repaired, unless all displacements x + y lie in {0, v} for one v (A = I, "
    "projections and transvections A = I + v wᵗ, b in {0, v}): there that of Lemma 6 with v for b",
    control=Control("v only where A is nonsingular, not for projections", regular_only=True),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (
        walked_degrees(n, blind=1),
        least_by_mapping(n, blind=1),
        sole_displacement(n),
    ),
)
def cor7(
    case: Case, degrees: Degrees, least: Degrees, lines: Degrees, regular_only: bool = False
) -> bool:
    """T after the mapping of the lemmas, walked, is the least; no construction gets stuck."""
    n, state, everything = case.n, case.work[0], (1 << case.n) - 1
    if case.is_new:
        case.work[1, 0] = rank_within(case.rows, everything, everything, case.work[2])
    rank = case.work[1, 0]
    line = 0
    if rank == n or not regular_only:
        line = max(line, int(lines[case.number]))
    start(case, state)
    taken, offered = case.work[3], case.work[4]
    if not linear_image(n, state, rank, line, taken, offered, case.images[0], case.images[1]):
        return False
    image = pack_rows(n, state) << n | state[n]
    return bool(degrees[image] == least[case.number])


@cor7.explain
def _mapped(A: GF2Matrix, b: GF2Vector, **_: bool) -> Mapping[str, Any]:
    """Q of the lemmas and the contention after it; the displacements before."""
    n = len(b)
    state, taken, offered = np.zeros((3, n + 2), np.int64)
    log, work = np.zeros((2, 4 << n), np.int64)
    state[:n], state[n] = A.rows, int(b)
    line = max(int(sole_displacement(n)[_index(A, b)]), 0)
    linear_image(n, state, A.rank, line, taken, offered, log, work)
    Q, words = read_log(n, log.tolist())
    mapped, moved = A.conjugate(Q), Q.apply(int(b))
    least = int(least_by_mapping(n, blind=1)[_index(A, b)])
    return {
        "displacements": {int(x ^ y) for x, y in LCC(A, b).pairs()},
        "least T": least,
        "steps": words,
        "Q": Q,
        "T": walked_contention(mapped, moved, blind=1)[1:],
        "paths": ecube_paths(mapped, moved),
    }


def _index(A: GF2Matrix, b: GF2Vector) -> int:
    return matrix_code(A) << len(b) | int(b)


@cor6.explain
def _least_and_reordered(A: GF2Matrix, b: GF2Vector, **_: object) -> Mapping[str, Any]:
    n, index = len(b), _index(A, b)
    reorderings = best_reordered(n, index, all_orders(n), walked_degrees(n, blind=1), 0)
    return {
        "least T, linear mappings": int(least_by_mapping(n, blind=1)[index]),
        "least T, reorderings": reorderings,
        "paths": ecube_paths(A, int(b)),
    }


# -- Example 9 ----------------------------------------------------------------------------

_Q = ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, -1, 1, 0, 0), (-1, 0, 0, 1, 0), (0, 0, 0, 0, 1))
_Q_INVERSE = ((1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 1, 1, 0, 0), (1, 0, 0, 1, 0), (0, 0, 0, 0, 1))
_MAPPED = ((0, 0, 0, 0, 1), (1, 0, 0, 1, 0), (-1, 1, 1, -1, 0), (0, 1, 0, 0, -1), (1, 0, 0, 0, 0))
_VECTOR = (1, 1, 0, 0, 1)
_RANKS = (1, 2, 3, 4)
_T = (1, 1, 1, 1)


def _entries() -> list[tuple[str, int, int, int]]:
    """(what, row, column, printed value) of everything that Example 9 prints as a result."""
    printed = []
    for what, matrix in (("Q", _Q), ("Q⁻¹", _Q_INVERSE), ("QAQ⁻¹", _MAPPED)):
        printed += [(what, i, j, matrix[i][j]) for i in range(5) for j in range(5)]
    printed += [("Qb", i, 0, value) for i, value in enumerate(_VECTOR)]
    printed += [("rank", i, i, value) for i, value in enumerate(_RANKS, start=1)]
    return printed + [("T", i, 0, value) for i, value in enumerate(_T, start=1)]


def _by_lemma_7(partner: int) -> GF2Matrix:
    """Q of Lemma 7 for reverse-flip; row 0 is (0, 0, 0, 0, 1) from the start, so only step (3)."""
    state, taken, offered = np.zeros((3, 7), np.int64)
    log, work = np.zeros((2, 128), np.int64)
    state[:5] = REVERSE_FLIP.A.rows
    leading_minors(5, state, partner, 0, taken, offered, log, work)
    return read_log(5, log.tolist())[0]


@claim(
    "hou.ex9",
    place="Section 7.2, Example 9",
    says=(
        "for reverse-flip on an Origin of 32 nodes the published Q is that of Lemma 7. Every "
        "published entry of Q⁻¹, QAQ⁻¹, Qb and T_i = 2^(i-i) = 1 is right"
    ),
    latex=r"Q,\ Q^{-1},\ QAQ^{-1},\ Qb,\ T_i = 2^{i-i} = 1",
    over=Listed(
        5,
        _entries(),
        names="what, row, column, printed",
        text="every printed entry",
        size=3 * 25 + 5 + 4 + 4,
    ),
    evidence="Q from the proof of Lemma 7 with its indices repaired; the rest computed from the "
    "printed Q, T_i by walking all 32 messages",
    control=Control("Q is that of Lemma 7 with the indices as printed", partner=0),
    reading="Lemma 7 is meant where the text says Theorem 7",
)
def ex9(what: str, row: int, column: int, printed: int, *, partner: int = -1) -> Finding:
    Q = GF2Matrix([[entry % 2 for entry in line] for line in _Q])
    mapped, moved = Q @ REVERSE_FLIP.A @ Q.inverse(), Q.apply(int(REVERSE_FLIP.b))
    if what == "T":
        value = walked_contention(mapped, moved, blind=1)[row]
    elif what == "rank":
        value = mapped.submatrix(range(1, row + 1), range(column)).rank
    elif what == "Qb":
        value = moved >> row & 1
    else:
        matrix = {"Q": _by_lemma_7(partner), "Q⁻¹": Q.inverse(), "QAQ⁻¹": mapped}[what]
        value = int(matrix[row, column])
    is_bit = what not in ("T", "rank")
    return Finding(value == (printed % 2 if is_bit else printed), computed=value)
