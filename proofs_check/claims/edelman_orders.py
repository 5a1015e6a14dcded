"""Conditional exchanges in other orders: [edelman], Corollaries 3.2 to 3.5."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.edelman_kernels import (
    eliminates,
    exchange_walk,
    leading_minors,
    products,
    triangular_products,
)
from proofs_check.domain import AllMatrices, AllOrders, Enumerated, matrix_code
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders
from proofs_check.packed import pack_rows, renamed

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
    says="for a reordering π of 1..n: A is a product of exchanges across π(1), ..., π(n), π(1) "
    "first ⇔ the submatrices of rows and columns π(1), ..., π(k) are nonsingular ⇔ PᵀAP = LU, "
    "with the columns of P being e_π(1), ..., e_π(n)",
    latex=r"A = E^{(\pi(n))} \cdots E^{(\pi(1))} \iff P^T A P = LU",
    over=AllMatrices("A") * AllOrders("order"),
    evidence="all products of exchanges in every order and all LU multiplied out; minors by the "
    "definition of a determinant",
    control=Control("P and Pᵀ exchanged", inverse=True),
    reading="our copy has but the letters of the formula with P; this P makes it true",
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
    reading="'cycle matrix diagonal entries equal 0' is read as a matrix, a cycle or not",
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
