"""Exchanges in other orders, or before a permutation: [edelman], Corollaries 3.2 to 3.7."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.edelman_exchanges import (
    eliminates,
    exchange_walk,
    leading_minors,
    products,
    triangular_products,
    ways,
)
from proofs_check.domain import AllMatrices, AllOrders, Enumerated, Nonsingular, matrix_code
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders
from proofs_check.packed import multiply, pack_rows, renamed

STATED = Stated(
    evidence="all messages walked in every order; elimination run in every order",
    sizes=Sizes(limit=4),
)


# -- Corollary 3.2 ----------------------------------------------------------------------------


def _orders_and_products(n: int, inverse: bool) -> tuple[Ints, Flags, Flags]:
    """All orders (or their inverses), and which matrices are products, or PᵀAP = LU."""
    orders = all_orders(n)
    taken = np.argsort(orders, axis=1) if inverse else orders
    return taken, products(n), triangular_products(n)


@compiled_claim(
    "edelman.cor3.2",
    place="Section 3, Corollary 3.2",
    says="for a reordering π of 1..n three conditions are equivalent. (1) A is a product of "
    "exchanges across π(1), ..., π(n), π(1) first. (2) The submatrices of rows and columns π(1), "
    "..., π(k) are nonsingular. (3) PᵀAP = LU, with the columns of P being e_π(1), ..., e_π(n)",
    latex=r"A = E^{(\pi(n))} \cdots E^{(\pi(1))} \iff P^T A P = LU",
    over=AllMatrices("A") * AllOrders("order"),
    evidence="all products of exchanges in every order and all LU multiplied out; minors by the "
    "definition of a determinant",
    control=Control("P and Pᵀ exchanged", inverse=True),
    reading="our copy has only the letters of the formula with P; this P makes it true",
    tables=_orders_and_products,
)
def cor32(case: Case, taken: Ints, found: Flags, triangular: Flags, inverse: bool = False) -> bool:
    """A matrix with an order, whose number is `case.b`."""
    n, rows, order = case.n, case.rows, taken[case.b]
    renamed(n, rows, order, case.work[0])
    is_product = found[case.b, case.code]
    minors = leading_minors(n, rows, order, case.images[0])
    return bool(minors == is_product and triangular[pack_rows(n, case.work[0])] == is_product)


# -- Corollary 3.3 ----------------------------------------------------------------------------


@kernel
def first_order(n: int, rows: Ints, orders: Ints, exchanged: bool) -> int:
    """The first order that has conditional exchanges, or has none, messages walked; -1 if no such.

    -2 if walking and elimination disagree.
    """
    work = np.empty(n, np.int64)
    at, sends = np.empty((2, 1 << n), np.int64)
    for t in range(len(orders)):
        walked = exchange_walk(n, rows, orders[t], at, sends)
        if walked != eliminates(n, rows, orders[t], work):
            return -2
        if walked == exchanged:
            return t
    return -1


def _triangular(n: int) -> Iterator[GF2Matrix]:
    below = [(i, j) for i in range(n) for j in range(i)]
    made = set()
    for entries in itertools.product((0, 1), repeat=len(below)):
        rows = [1 << i for i in range(n)]
        for (i, j), entry in zip(below, entries, strict=True):
            rows[i] |= entry << j
        made.add(tuple(rows))
        made.add(GF2Matrix.from_rows(rows, n).T.rows)
    return (GF2Matrix.from_rows(rows, n) for rows in sorted(made))


TRIANGULAR = Enumerated(
    _triangular,
    size=lambda n: (2 << n * (n - 1) // 2) - 1,
    names="A",
    text="all nonsingular upper and lower triangular matrices A, each with all orders",
)


@claim(
    "edelman.cor3.3",
    place="Section 3, Corollary 3.3",
    says="for a nonsingular upper or lower triangular matrix conditional exchanges exist in "
    "every order of the dimensions",
    latex=r"A \text{ triangular} \implies A = E^{(\pi(n))} \cdots E^{(\pi(1))} "
    r"\text{ for every } \pi",
    over=TRIANGULAR,
    control=Control("for A Aᵀ in place of A", squared=True),
    sizes=Sizes(most=5),
)
def cor33(A: GF2Matrix, *, squared: bool = False) -> Finding:
    """Every principal minor is a product of ones of the diagonal."""
    matrix = A @ A.T if squared else A
    orders = all_orders(A.n_columns)
    blocked = first_order(A.n_columns, np.array(matrix.rows), orders, exchanged=False)
    order = orders[blocked].tolist() if blocked >= 0 else None
    return Finding(blocked == -1, matrix=matrix, order=order)


def _made_triangular(A: GF2Matrix) -> bool:
    """Whether some order of rows and columns makes A upper triangular with a diagonal of ones."""
    n = A.n_columns
    return all(row >> i & 1 for i, row in enumerate(A.rows)) and any(
        all(not any(A[t[i], t[j]] for j in range(i)) for i in range(n))
        for t in itertools.permutations(range(n))
    )


def _has_no_cycle(A: GF2Matrix, less_than: int) -> bool:
    """Whether the diagonal is of ones and the other entries form no cycle of fewer steps."""
    n = A.n_columns
    links = np.array([[int(i != j and A[i, j]) for j in range(n)] for i in range(n)])
    powers = [np.linalg.matrix_power(links, k) for k in range(2, less_than)]
    return all(A[i, i] for i in range(n)) and not any(np.trace(power) for power in powers)


@claim(
    "edelman.cor3.3.converse",
    place="beside section 3, Corollary 3.3; its converse",
    says="conditional exchanges exist in every order exactly if some order of rows and columns "
    "makes A upper triangular and nonsingular, that is, if its entries off the diagonal form no "
    "directed cycle and the diagonal is of ones",
    latex=r"A = E^{(\pi(n))} \cdots E^{(\pi(1))} \text{ for every } \pi \iff P^t A P "
    r"\text{ upper triangular for some } P",
    over=AllMatrices("A"),
    evidence="all products of exchanges in every order multiplied out",
    control=Control("they form no directed cycle of less than four", less_than=4),
)
def converse(A: GF2Matrix, *, less_than: int = 0) -> Finding:
    """A shortest cycle of entries has the principal minor 1 + 1 = 0."""
    exchanged = products(A.n_columns)[:, matrix_code(A)]
    expected = _has_no_cycle(A, less_than) if less_than else _made_triangular(A)
    return Finding(bool(exchanged.all()) == expected, orders_that_work=int(exchanged.sum()))


# -- Corollaries 3.4 and 3.5 ------------------------------------------------------------------


def _hollow(n: int) -> Iterator[GF2Matrix]:
    others = [range(0, 1 << n) for _ in range(n)]
    for rows in itertools.product(*others):
        if not any(row >> i & 1 for i, row in enumerate(rows)):
            yield GF2Matrix.from_rows(rows, n)


HOLLOW = Enumerated(
    _hollow,
    size=lambda n: 1 << n * (n - 1),
    names="A",
    text="all matrices A with a diagonal of zeros, each with all orders",
)


@claim(
    "edelman.cor3.4",
    place="Section 3, Corollary 3.4",
    says="a matrix whose diagonal entries are all 0, such as that of a cycle, is not a product of "
    "conditional exchanges in any order",
    latex=r"a_{11} = \dots = a_{nn} = 0 \implies A \ne E^{(\pi(n))} \cdots E^{(\pi(1))}",
    over=HOLLOW,
    evidence="all products of exchanges in every order multiplied out",
    control=Control("the first diagonal entry 1", first=1),
    reading=(
        "'cycle matrix diagonal entries equal 0' is read as a matrix with that diagonal, "
        "a cycle or not"
    ),
)
def cor34(A: GF2Matrix, *, first: int = 0) -> Finding:
    """The first exchange of any order needs a diagonal entry 1."""
    exchanged = products(A.n_columns)[:, matrix_code(A) | first << A.n_columns * (A.n_rows - 1)]
    return Finding(not exchanged.any(), orders_that_work=int(exchanged.sum()))


@claim(
    "edelman.cor3.5",
    place="Section 3, Corollary 3.5",
    says="a permutation matrix is not a product of conditional exchanges in any order",
    latex=r"P \ne E^{(\pi(n))} \cdots E^{(\pi(1))}",
    over=AllOrders("P").described("all permutation matrices, each with all orders"),
    control=Control("with the entry (1, 1) made 1", first=1),
    reading=Reading("a permutation matrix other than the identity", except_identity=True),
    sizes=Sizes(most=6, limit=7),
)
def cor35(P: tuple[int, ...], *, except_identity: bool = False, first: int = 0) -> Finding:
    """Leaving a cycle begun, the principal submatrix has a row of zeros."""
    n = len(P)
    if except_identity and P == tuple(range(n)):
        return Finding(True)
    rows = np.array([1 << bit for bit in P])
    rows[0] |= first
    order = first_order(n, rows, all_orders(n), exchanged=True)
    return Finding(order == -1, order=all_orders(n)[order].tolist() if order >= 0 else None)


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


TRIPLES = Enumerated(
    lambda n: itertools.product(unit_upper(n), itertools.permutations(range(n))),
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
    says=(
        "let A = U1 P U2 with nonsingular upper triangular U1 and U2. Then A' = PᵀA has "
        "nonsingular leading principal submatrices, and is done by conditional exchanges in "
        "the standard order"
    ),
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
