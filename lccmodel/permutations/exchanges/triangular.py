"""Triangular factors with named pivoting [edelman, Corollaries 3.1, 3.2, 3.6, 3.7].

    A = L U           exchanges in the order 0..n-1 exist                  Corollary 3.1
    Pᵀ A P = L U      exchanges in the order of P exist                    Corollary 3.2
    A = P L U         exchanges 0..n-1, then a permutation of dimensions   Corollary 3.6
    A = U1 P U2       every nonsingular A, with exactly one P; PᵀA = L U   Corollary 3.7

L is lower and U upper triangular, both nonsingular, so with a diagonal of ones. P is written as an
order: row k of PᵀA is row order[k] of A, that is, the pivot row of column k. Which row to take is
what the pivoting names:

    "none"     row k itself
    "first"    the first row left with a 1 in column k
    "keep"     row k itself if it has a 1 there, else the first
    "last"     the last such row; this P is the one of A = U1 P U2

By hand, for A with the rows (0 1), (1 1): "first" takes row 1, P exchanges the rows and PᵀA = L U
with L = (1 0; 0 1), U = (1 1; 0 1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from lccmodel.communication.destinations import checked_order
from lccmodel.communication.lcc import LCC
from lccmodel.errors import NotFactorable, SingularMatrixError
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Viewed
from lccmodel.ground.words import checked_word
from lccmodel.permutations.exchanges.bits import Exchange, elementary_factorizations
from lccmodel.permutations.exchanges.conditional import (
    ExchangeFactors,
    exchange_factors,
)
from lccmodel.permutations.exchanges.orders import as_transformation, exchange_orders

Pivoting = Literal["none", "first", "keep", "last"]


@dataclass(frozen=True)
class TriangularFactors(Viewed, view="factors"):
    """A = P L U R with unit triangular L, U and permutation matrices P, R.

    R is the identity (LU, PLU) or Pᵀ (symmetric pivoting). `order` gives P: P[order[k], k] = 1.

    >>> from lccmodel.permutations.exchanges import plu_factors
    >>> plu_factors([[0, 1], [1, 0]]).order
    (1, 0)
    """

    order: tuple[int, ...]
    L: GF2Matrix
    U: GF2Matrix
    symmetric: bool = False

    @property
    def P(self) -> GF2Matrix:
        """The permutation matrix: the row order[k] of A is the pivot row of column k."""
        return GF2Matrix.from_order(self.order).T

    def product(self) -> GF2Matrix:
        """P L U, or P L U Pᵀ with symmetric pivoting."""
        product = self.P @ self.L @ self.U
        return product @ self.P.T if self.symmetric else product


@dataclass(frozen=True)
class Bruhat(Viewed, view="factors"):
    """A = U1 P U2 with unit upper triangular U1, U2; P is the only one for A.

    `order` gives P as in `TriangularFactors`: P[order[k], k] = 1.

    >>> from lccmodel.permutations.exchanges import bruhat_factors
    >>> bruhat_factors([[0, 1], [1, 1]]).order
    (1, 0)
    """

    U1: GF2Matrix
    order: tuple[int, ...]
    U2: GF2Matrix

    @property
    def P(self) -> GF2Matrix:
        """The permutation matrix in the middle."""
        return GF2Matrix.from_order(self.order).T

    def product(self) -> GF2Matrix:
        """U1 P U2."""
        return self.U1 @ self.P @ self.U2


@dataclass(frozen=True)
class ExchangesThenPermutation(Viewed, view="factors"):
    """y = Ax + b as conditional exchanges, then a permutation of the dimensions.

    `exchanges` perform z = PᵀAx + Pᵀb in the order 0..n-1, `permutation` is y = Pz.

    >>> from lccmodel.permutations.exchanges import exchanges_then_permutation
    >>> factors = exchanges_then_permutation([[0, 1], [1, 0]])
    >>> factors.permutation
    LCC([[0, 1], [1, 0]])
    """

    exchanges: ExchangeFactors
    permutation: LCC

    def product(self) -> GF2Matrix:
        """P times the product of the exchanges."""
        return self.permutation.A @ self.exchanges.product()


@typed_arguments
def exchanges_and_pairs(A: MatrixLike | LCC) -> tuple[ExchangeFactors, tuple[Exchange, ...]]:
    """Conditional exchanges, then elementary bit exchanges, as few as P takes; in order of action.

    Raises:
        SingularMatrixError: A is singular.

    Source: [edelman, Corollary 3.6 and section 5].

    >>> exchanges_and_pairs(LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]]))[1]
    ((0, 1), (0, 2))
    """
    both = exchanges_then_permutation(A)
    return both.exchanges, next(iter(elementary_factorizations(both.permutation)))


@typed_arguments
def plu_factors(A: MatrixLike | LCC, pivoting: Pivoting = "first") -> TriangularFactors:
    """Return a = P L U by Gaussian elimination that chooses the pivot row by name.

    Args:
        A: an LCC, or an n by n matrix, nonsingular.
        pivoting: "none", "first", "keep" or "last", as in the table of the module.

    Raises:
        SingularMatrixError: no row is left for a column.
        NotFactorable: with pivoting "none", row k has no 1 in column k.
        InputError: an unknown pivoting.

    Source: [edelman, Corollary 3.6].

    >>> plu_factors([[0, 1], [1, 1]]).order, plu_factors([[1, 1], [1, 0]], "last").order
    ((1, 0), (1, 0))
    """
    checked_word("pivoting", pivoting, get_args(Pivoting))
    matrix = as_transformation(A).A
    if pivoting == "none":
        order = tuple(range(matrix.n_rows))
        return TriangularFactors(order, *_unpivoted(matrix, order))
    order = _pivot_rows(matrix, pivoting)
    return TriangularFactors(order, *_unpivoted(matrix.submatrix(order, range(len(order))), order))


@typed_arguments
def reordered_lu_factors(
    A: MatrixLike | LCC, order: Sequence[int] | None = None
) -> TriangularFactors:
    """PᵀAP = L U: rows and columns in one order, as for exchanges in that order.

    Args:
        A: an LCC, or an n by n matrix.
        order: the order of the dimensions; the first of `exchange_orders(A)` if left out.

    Raises:
        NotFactorable: a leading principal submatrix in this order is singular, or no order works.

    Source: [edelman, Corollary 3.2].

    >>> reordered_lu_factors([[0, 1], [1, 1]]).order
    (1, 0)
    """
    matrix = as_transformation(A).A
    if order is None:
        order = next(iter(exchange_orders(matrix)), range(matrix.n_rows))
    order = checked_order(order, matrix.n_rows)
    return TriangularFactors(
        order, *_unpivoted(matrix.submatrix(order, order), order, matrix), True
    )


@typed_arguments
def bruhat_factors(A: MatrixLike | LCC) -> Bruhat:
    """Return a = U1 P U2 with upper triangular U1 and U2, which every nonsingular A has with one P.

    The pivot of a column is its last 1 in a row that is left; rows above it and columns to its
    right are cleared, so both factors are upper triangular. Corollary 3.7 asks for this form, and
    its P is the one that `exchanges_then_permutation(A, pivoting="last")` leaves to the end.

    Raises:
        SingularMatrixError: A is singular.

    >>> factors = bruhat_factors([[1, 1], [1, 0]])
    >>> factors.order, factors.U1, factors.U2
    ((1, 0), GF2Matrix([[1, 1], [0, 1]]), GF2Matrix([[1, 0], [0, 1]]))
    """
    matrix = as_transformation(A).A
    n = matrix.n_rows
    rows, left, order = list(matrix.rows), [1 << i for i in range(n)], list[int]()
    for column in range(n):
        pivot = _pivot(rows, order, column, "last")
        for i in range(pivot):
            if i not in order and rows[i] >> column & 1:
                rows[i] ^= rows[pivot]
                left[i] ^= left[pivot]
        order.append(pivot)
    # left A = rows; row order[k] of `rows` starts at column k, so Pᵀ rows is upper triangular
    U1 = GF2Matrix.from_rows(left, n).inverse()
    return Bruhat(U1, tuple(order), GF2Matrix.from_rows((rows[i] for i in order), n))


@typed_arguments
def exchanges_then_permutation(
    A: MatrixLike | LCC, pivoting: Pivoting = "keep"
) -> ExchangesThenPermutation:
    """Any y = Ax + b with nonsingular A: exchanges in the order 0..n-1, then dimensions permuted.

    Args:
        A: an LCC, or an n by n matrix, nonsingular.
        pivoting: as for `plu_factors`; the P of "none" is the identity.

    Raises:
        SingularMatrixError: A is singular.
        NotFactorable: with pivoting "none", if there are no exchanges.

    Source: [edelman, Corollary 3.6].

    >>> both = exchanges_then_permutation([[0, 1], [1, 0]])
    >>> both.exchanges.product(), both.permutation.A
    (GF2Matrix([[1, 0], [0, 1]]), GF2Matrix([[0, 1], [1, 0]]))
    """
    communication = as_transformation(A)
    factors = plu_factors(communication, pivoting)
    unpermuted = LCC(factors.L @ factors.U, factors.P.T.apply(int(communication.b)))
    return ExchangesThenPermutation(exchange_factors(unpermuted), LCC(factors.P))


# -- elimination ------------------------------------------------------------------------------


def _unpivoted(
    A: GF2Matrix, order: tuple[int, ...], whole: GF2Matrix | None = None
) -> tuple[GF2Matrix, GF2Matrix]:
    """L and U of A; errors name the dimensions by `order` and show `whole`."""
    n = A.n_rows
    rows, lower = list(A.rows), [1 << i for i in range(n)]
    for k in range(n):
        if not rows[k] >> k & 1:
            minor = order[: k + 1]
            rule = f"the principal submatrix of dimensions {minor} is singular, so there is no LU"
            if A.is_nonsingular:
                rule += "; plu_factors(A) exchanges rows and works"
            raise NotFactorable("A", rule, (whole or A).tolist(), order, minor)
        for i in range(k + 1, n):
            if rows[i] >> k & 1:
                rows[i] ^= rows[k]
                lower[i] |= 1 << k
    return GF2Matrix.from_rows(lower, n), GF2Matrix.from_rows(rows, n)


def _pivot_rows(A: GF2Matrix, pivoting: Pivoting) -> tuple[int, ...]:
    rows, order = list(A.rows), list[int]()
    for column in range(A.n_columns):
        pivot = _pivot(rows, order, column, pivoting)
        order.append(pivot)
        for i in range(len(rows)):
            if i not in order and rows[i] >> column & 1:
                rows[i] ^= rows[pivot]
    return tuple(order)


def _pivot(rows: Sequence[int], used: Sequence[int], column: int, pivoting: Pivoting) -> int:
    candidates = [i for i, row in enumerate(rows) if row >> column & 1 and i not in used]
    if not candidates:
        raise SingularMatrixError("A", "must be nonsingular", list(rows))
    if pivoting == "keep" and column in candidates:
        return column
    return candidates[-1 if pivoting == "last" else 0]
