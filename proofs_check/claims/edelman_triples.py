"""Exchanges followed by a dimension permutation: [edelman], Corollaries 3.6 and 3.7."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.edelman_kernels import ways
from proofs_check.domain import Enumerated, Nonsingular, matrix_code
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders
from proofs_check.packed import multiply, pack_rows

STATED = Stated(over=Nonsingular("A"), sizes=Sizes(limit=4))


# -- Corollary 3.6 ----------------------------------------------------------------------------


@kernel
def _rows_taken(n: int, rows: Ints, order: Ints) -> int:
    """The index of the matrix whose row k is row order[k]: PᵀA, where P e_k = e_order[k]."""
    code = 0
    for k in range(n):
        code = code << n | rows[order[k]]
    return code


def _shifts(n: int) -> Ints:
    return np.array([[(k + s) % n for k in range(n)] for s in range(n)])


@compiled_claim(
    "edelman.cor3.6",
    place="Section 3, Corollary 3.6",
    says="every nonsingular A is done by a pipelined sequence of conditional exchanges across "
    "1, ..., n, followed by a dimension permutation: A = P E⁽ⁿ⁾ ... E⁽¹⁾",
    latex=r"A = P\,E^{(n)} \cdots E^{(1)}",
    evidence="all products of exchanges multiplied out, every P tried",
    control=Control("P one of the shuffles of all dimensions", shuffles=True),
    tables=lambda n, shuffles: (
        _shifts(n) if shuffles else all_orders(n),
        ways(n, tuple(range(n))),
    ),
)
def cor36(case: Case, orders: Ints, exchanged: Ints, shuffles: bool = False) -> bool:
    """Some P serves."""
    served = 0
    for order in orders:
        served += exchanged[_rows_taken(case.n, case.rows, order)] > 0
    return served > 0


@kernel
def _pivots(n: int, rows: Ints, order: Ints, work: Ints) -> bool:
    """Whether Gaussian elimination can take row order[k] as the pivot row of column k."""
    for k in range(n):
        work[k] = rows[order[k]]
    for k in range(n):
        if not work[k] >> k & 1:
            return False
        for i in range(k + 1, n):
            if work[i] >> k & 1:
                work[i] ^= work[k]
    return True


@compiled_claim(
    "edelman.cor3.6.proof",
    place="Section 3, proof of Corollary 3.6",
    says="Gaussian elimination with partial pivoting gives A = PLU, whatever pivot rows are taken, "
    "and PᵀA is a product of exchanges across 1, ..., n",
    latex=r"P^T A = LU = E^{(n)} \cdots E^{(1)}",
    over=Nonsingular("A").described("all nonsingular A, with all choices of pivot rows"),
    evidence="elimination run for every sequence of pivot rows; all products multiplied out",
    control=Control("P in place of Pᵀ", inverse=True),
    tables=lambda n, inverse: (
        all_orders(n),
        np.argsort(all_orders(n), axis=1) if inverse else all_orders(n),
        ways(n, tuple(range(n))),
    ),
)
def cor36_proof(
    case: Case, orders: Ints, placed: Ints, exchanged: Ints, inverse: bool = False
) -> bool:
    """Every way through the elimination."""
    done = 0
    for t in range(len(orders)):
        if _pivots(case.n, case.rows, orders[t], case.work[0]):
            done += 1
            if not exchanged[_rows_taken(case.n, case.rows, placed[t])]:
                return False
    return done > 0


# -- Corollary 3.7 ----------------------------------------------------------------------------


def unit_upper(n: int) -> Iterator[GF2Matrix]:
    """Every nonsingular upper triangular matrix, by packed rows."""
    for rows in itertools.product(*(range(1 << i, 1 << n, 2 << i) for i in range(n))):
        yield GF2Matrix.from_rows(rows, n)


@lru_cache(maxsize=8)
def _upper_rows(n: int) -> Ints:
    rows = np.array([U.rows for U in unit_upper(n)])
    rows.flags.writeable = False
    return rows


def _triples(n: int) -> Iterator[tuple[GF2Matrix, tuple[int, ...]]]:
    return itertools.product(unit_upper(n), itertools.permutations(range(n)))


TRIPLES = Enumerated(
    _triples,
    size=lambda n: len(all_orders(n)) << n * (n - 1) // 2,
    names="U1, P",
    text="all nonsingular upper triangular U1, all P, each with all such U2",
)


@kernel
def _first_unexchanged(
    n: int, upper: Ints, order: Ints, right: Ints, exchanged: Ints, from_right: bool
) -> int:
    """The first U2 for which PᵀA (or APᵀ) with A = U1 P U2 is no product of exchanges, or -1."""
    P, A, half = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n):
        P[order[k]] = 1 << k
    multiply(n, upper, P, half)
    transposed = np.empty(n, np.int64)
    for k in range(n):
        transposed[k] = 1 << order[k]
    for t in range(len(right)):
        multiply(n, half, right[t], A)
        out = np.empty(n, np.int64)
        if from_right:
            multiply(n, A, transposed, out)
        else:
            multiply(n, transposed, A, out)
        if not exchanged[pack_rows(n, out)]:
            return t
    return -1


@claim(
    "edelman.cor3.7",
    place="Section 3, Corollary 3.7",
    says="if A = U1 P U2 with nonsingular upper triangular U1 and U2, then A' = PᵀA has "
    "nonsingular leading principal submatrices, so A' is done by conditional exchanges in the "
    "standard order",
    latex=r"A = U_1 P U_2 \implies P^T A = E^{(n)} \cdots E^{(1)}",
    over=TRIPLES,
    evidence="all products of exchanges multiplied out",
    control=Control("A' = APᵀ", from_right=True),
    reading="U1 and U2 are nonsingular, and A' is PᵀA, as the proof has it",
)
def cor37(U1: GF2Matrix, P: tuple[int, ...], *, from_right: bool = False) -> Finding:
    """Leading minors of (PᵀU1P) U2 are products of principal minors of U1 and of U2."""
    n = U1.n_columns
    exchanged = ways(n, tuple(range(n)))
    right = _upper_rows(n)
    failing = _first_unexchanged(n, np.array(U1.rows), np.array(P), right, exchanged, from_right)
    U2 = GF2Matrix.from_rows(right[failing].tolist(), n) if failing >= 0 else None
    return Finding(failing < 0, U2=U2)


@kernel
def _mark_triples(n: int, upper: Ints, right: Ints, order: Ints, found: Flags) -> None:
    P, half, A = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n):
        P[order[k]] = 1 << k
    for s in range(len(upper)):
        multiply(n, upper[s], P, half)
        for t in range(len(right)):
            multiply(n, half, right[t], A)
            found[pack_rows(n, A)] = True


@lru_cache(maxsize=8)
def _permutations_between(n: int, alone: bool) -> Ints:
    """For every matrix, the number of P with A = U1 P U2 (or U1 P)."""
    count = np.zeros(1 << n * n, dtype=np.int64)
    upper = _upper_rows(n)
    right = np.array([[1 << i for i in range(n)]]) if alone else upper
    for order in all_orders(n):
        found = np.zeros(1 << n * n, dtype=np.bool_)
        _mark_triples(n, upper, right, order, found)
        count += found
    return count


@census_claim(
    "edelman.cor3.7.all",
    place="beside section 3, Corollary 3.7: its hypothesis",
    says="every nonsingular A has the form U1 P U2, with exactly one P",
    latex=r"GL(n,2) = \bigsqcup_P U P U",
    evidence="all products U1 P U2 multiplied out, marked for every P",
    control=Control("U1 P, without U2", alone=True),
)
def every(census: Census, *, alone: bool = False) -> Flags:
    """The Bruhat decomposition: the hypothesis of the corollary is none."""
    return np.asarray(_permutations_between(census.n, alone)[census.code] == 1)


@every.explain
def _count_of(A: GF2Matrix, *, alone: bool = False) -> Mapping[str, Any]:
    return {"permutations P": int(_permutations_between(A.n_columns, alone)[matrix_code(A)])}
