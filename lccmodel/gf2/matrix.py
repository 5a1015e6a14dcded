"""Matrices over GF(2) as frozen values.

Row i of a matrix gives y_i. Packed, row i is an int whose bit j is the entry a_(i,j); a packed
vector has x_i as its bit i. `XY` is written as in the papers: Y acts first.

    y = A x            A = [[0, 1],      x = (x_0, x_1), packed x_0 + 2 x_1
                            [1, 1]]      y_0 = x_1, y_1 = x_0 + x_1
                                         x = 0b10  ->  y = 0b11
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
import numpy.typing as npt

from lccmodel.errors import (
    MatrixError,
    SingularMatrixError,
    SizeLimitError,
    checked_integer,
    checked_integers,
)
from lccmodel.gf2 import elimination
from lccmodel.gf2.vector import GF2Vector, binary_array, latex_matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.frozen import Frozen

if TYPE_CHECKING:
    import sympy

MAX_DIMENSION = 64
"""Largest number of rows and columns: a row must fit one machine word."""

MatrixLike = Any
"""What `GF2Matrix` accepts: a matrix, nested sequences of 0/1, a numpy, sympy or galois array."""


@typed_arguments
class GF2Matrix(Frozen):
    """A frozen matrix over GF(2), at most 64 by 64.

    Args:
        entries: nested sequences or a two-dimensional array of 0 and 1; row i gives y_i.

    Raises:
        MatrixError: an entry is not 0 or 1, or the rows differ in length.
        SizeLimitError: more than 64 rows or columns.

    >>> A = GF2Matrix([[0, 1], [1, 1]])
    >>> A.rank, A[1, 0], A[1]
    (2, 1, GF2Vector([1, 1]))
    >>> A @ A.inverse() == GF2Matrix.identity(2)
    True
    """

    __slots__ = ("n_columns", "rows")

    # without this, A @ array and A + array would be numpy's, over the integers
    __array_ufunc__ = None

    rows: tuple[int, ...]
    n_columns: int

    def __init__(self, entries: MatrixLike) -> None:
        if isinstance(entries, GF2Matrix):
            rows, n_columns = entries.rows, entries.n_columns
        else:
            bits = binary_array(entries, "matrix", 2)
            n_columns = bits.shape[1]
            _check_size(*bits.shape)
            rows = tuple(sum(int(bit) << j for j, bit in enumerate(row) if bit) for row in bits)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "n_columns", n_columns)

    # -- making ---------------------------------------------------------------------------

    @classmethod
    def from_rows(cls, rows: Iterable[SupportsIndex], n_columns: int) -> GF2Matrix:
        """Make a matrix from packed rows: bit j of row i is a_(i,j).

        >>> GF2Matrix.from_rows([0b10, 0b11], 2)
        GF2Matrix([[0, 1], [1, 1]])
        """
        packed = checked_integers("rows", rows, MatrixError)
        n_columns = checked_integer("n_columns", n_columns, MatrixError)
        _check_size(len(packed), n_columns)
        for row in packed:
            if row < 0 or row >> n_columns:
                raise MatrixError("rows", f"must be ints from 0 to 2^{n_columns} - 1", row)
        return cls._trusted(packed, n_columns)

    @classmethod
    def _trusted(cls, rows: tuple[int, ...], n_columns: int) -> GF2Matrix:
        self = object.__new__(cls)
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "n_columns", n_columns)
        return self

    @classmethod
    def identity(cls, n: int) -> GF2Matrix:
        """Return the n by n identity matrix."""
        n = checked_integer("n", n, MatrixError)
        _check_size(n, n)
        return cls._trusted(tuple(1 << i for i in range(n)), n)

    @classmethod
    def zeros(cls, n_rows: int, n_columns: int | None = None) -> GF2Matrix:
        """Return the zero matrix, square unless `n_columns` is given."""
        height = checked_integer("n_rows", n_rows, MatrixError)
        width = (
            height if n_columns is None else checked_integer("n_columns", n_columns, MatrixError)
        )
        _check_size(height, width)
        return cls._trusted((0,) * height, width)

    @classmethod
    def from_order(cls, order: Sequence[int]) -> GF2Matrix:
        """Return the matrix Q of a reordering: order[k] is the old bit that becomes bit k.

        Raises:
            MatrixError: `order` is not a permutation of 0..n-1.

        >>> GF2Matrix.from_order([2, 0, 1])     # Q[k, order[k]] = 1
        GF2Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
        """
        bits = checked_integers("order", order, MatrixError)
        if sorted(bits) != list(range(len(bits))):
            raise MatrixError("order", f"must be a permutation of 0..{len(bits) - 1}", list(bits))
        _check_size(len(bits), len(bits))
        return cls._trusted(tuple(1 << bit for bit in bits), len(bits))

    # -- looking --------------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        return len(self.rows), self.n_columns

    @property
    def columns(self) -> tuple[int, ...]:
        """The packed columns: bit i of column j is a_(i,j)."""
        return self.T.rows

    @overload
    def __getitem__(self, index: int) -> GF2Vector: ...
    @overload
    def __getitem__(self, index: tuple[int, int]) -> int: ...
    def __getitem__(self, index: int | tuple[int, int]) -> GF2Vector | int:
        if isinstance(index, tuple):
            i, j = index
            return self.rows[i] >> range(self.n_columns)[j] & 1
        return GF2Vector.from_int(self.rows[index], self.n_columns)

    def __iter__(self) -> Iterator[GF2Vector]:
        return (GF2Vector.from_int(row, self.n_columns) for row in self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def as_order(self) -> tuple[int, ...] | None:
        """Return the order of which this is the permutation matrix, or None if it is not one.

        >>> GF2Matrix([[0, 1], [1, 0]]).as_order()
        (1, 0)
        """
        n = self.n_columns
        if self.n_rows != n or sorted(self.rows) != [1 << i for i in range(n)]:
            return None
        return tuple(row.bit_length() - 1 for row in self.rows)

    # -- algebra --------------------------------------------------------------------------

    @property
    def T(self) -> GF2Matrix:
        """The transpose."""
        columns = [0] * self.n_columns
        for i, row in enumerate(self.rows):
            while row:
                lowest = row & -row
                columns[lowest.bit_length() - 1] |= 1 << i
                row ^= lowest
        return self._trusted(tuple(columns), self.n_rows)

    def __matmul__(self, other: GF2Matrix) -> GF2Matrix:
        if not isinstance(other, GF2Matrix):
            return NotImplemented
        if self.n_columns != other.n_rows:
            raise MatrixError("matrix", f"must have {self.n_columns} rows", other.shape)
        return self._trusted(
            tuple(_row_combination(row, other.rows) for row in self.rows), other.n_columns
        )

    def __add__(self, other: GF2Matrix) -> GF2Matrix:
        if not isinstance(other, GF2Matrix):
            return NotImplemented
        if self.shape != other.shape:
            raise MatrixError("matrix", f"must have the shape {self.shape}", other.shape)
        rows = tuple(a ^ b for a, b in zip(self.rows, other.rows, strict=True))
        return self._trusted(rows, self.n_columns)

    def apply(self, x: int) -> int:
        """Return a x for a packed vector x.

        Raises:
            MatrixError: x is not in 0..2^columns - 1.

        >>> GF2Matrix([[0, 1], [1, 1]]).apply(0b10)
        3
        """
        word = _packed("x", x, self.n_columns)
        return sum(((row & word).bit_count() & 1) << i for i, row in enumerate(self.rows))

    @property
    def rank(self) -> int:
        """The rank over GF(2)."""
        return elimination.rank(self.rows)

    @property
    def is_square(self) -> bool:
        """Whether there are as many rows as columns."""
        return self.n_rows == self.n_columns

    @property
    def is_nonsingular(self) -> bool:
        """Whether the matrix is square and has an inverse."""
        return self.is_square and self.rank == self.n_columns

    def inverse(self) -> GF2Matrix:
        """Return the inverse.

        Raises:
            SingularMatrixError: the matrix is not square or has none.
        """
        rows = elimination.inverse(self.rows) if self.is_square else None
        if rows is None:
            raise SingularMatrixError("matrix", "must be square and nonsingular", self.tolist())
        return self._trusted(tuple(rows), self.n_columns)

    def solve(self, target: int) -> int | None:
        """Return one packed x with A x = target, or None; `kernel()` gives the other solutions.

        Raises:
            MatrixError: target is not in 0..2^rows - 1.

        >>> GF2Matrix([[1, 1], [1, 1]]).solve(0b11)
        1
        """
        return elimination.solve(self.rows, self.n_columns, _packed("target", target, self.n_rows))

    def kernel(self) -> tuple[int, ...]:
        """Return a basis of {x : A x = 0} as packed vectors.

        >>> GF2Matrix([[1, 1], [1, 1]]).kernel()
        (3,)
        """
        return tuple(elimination.null_space(self.rows, self.n_columns))

    def submatrix(self, rows: Iterable[int], columns: Iterable[int]) -> GF2Matrix:
        """Return A_(R,C), the named rows and columns in their order [hou, Definition 5].

        Raises:
            MatrixError: the matrix has no such row or column.

        >>> GF2Matrix([[1, 0, 1], [0, 1, 1], [1, 1, 0]]).submatrix([0, 2], [1, 2])
        GF2Matrix([[0, 1], [1, 0]])
        """
        kept = _places("columns", columns, self.n_columns)
        picked = [self.rows[i] for i in _places("rows", rows, self.n_rows)]
        packed = tuple(sum((row >> j & 1) << k for k, j in enumerate(kept)) for row in picked)
        return self._trusted(packed, len(kept))

    def conjugate(self, Q: GF2Matrix) -> GF2Matrix:
        """Return Q A Q⁻¹, the map after the nodes are renamed x' = Qx [hou, Theorem 2].

        Raises:
            SingularMatrixError: Q has no inverse.
            MatrixError: Q is no `GF2Matrix`, or the sizes differ.
        """
        if not isinstance(Q, GF2Matrix):
            raise MatrixError("Q", "must be a GF2Matrix", Q)
        return Q @ self @ Q.inverse()

    # -- conversion -----------------------------------------------------------------------

    def to_numpy(self) -> npt.NDArray[np.uint8]:
        """Return the entries as an array of shape (rows, columns), dtype uint8."""
        return np.array(self.tolist(), dtype=np.uint8).reshape(self.shape)

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray[Any]:
        return self.to_numpy() if dtype is None else self.to_numpy().astype(dtype)

    def to_sympy(self) -> sympy.ImmutableMatrix:
        """Return the entries as an immutable sympy matrix of the integers 0 and 1."""
        import sympy  # heavy, and only formulas need it

        return sympy.ImmutableMatrix(*self.shape, lambda i, j: self[int(i), int(j)])

    def to_galois(self) -> Any:
        """Return the entries as a `galois.GF(2)` array; needs the extra `[galois]`."""
        import galois

        return galois.GF(2)(self.to_numpy())

    def tolist(self) -> list[list[int]]:
        """Return the entries as nested lists."""
        return [[row >> j & 1 for j in range(self.n_columns)] for row in self.rows]

    # -- being a value --------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        if isinstance(other, np.ndarray):  # as between arrays: entry by entry
            return self.to_numpy() == other
        if not isinstance(other, GF2Matrix):
            return NotImplemented
        return self.n_columns == other.n_columns and self.rows == other.rows

    def __hash__(self) -> int:
        return hash((self.rows, self.n_columns))

    def __reduce__(self) -> tuple[object, ...]:
        return GF2Matrix._trusted, (self.rows, self.n_columns)

    def __repr__(self) -> str:
        if not self.rows and self.n_columns:
            return f"GF2Matrix.zeros(0, {self.n_columns})"
        return f"GF2Matrix({self.tolist()})"

    def __str__(self) -> str:
        return "\n".join(" ".join("1" if bit else "." for bit in row) for row in self.tolist())

    def latex(self) -> str:
        """Return the matrix as a LaTeX `bmatrix`."""
        return latex_matrix(self.tolist())

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def _packed(name: str, vector: int, n: int) -> int:
    word = checked_integer(name, vector, MatrixError)
    if word >> n:  # negative numbers too
        raise MatrixError(name, f"must be a packed vector, 0..2^{n} - 1", word)
    return word


def _places(name: str, places: Iterable[int], size: int) -> tuple[int, ...]:
    kept = checked_integers(name, places, MatrixError)
    for place in kept:
        if not 0 <= place < size:
            raise MatrixError(name, f"must be in 0..{size - 1}", place)
    return kept


def _row_combination(selection: int, rows: Sequence[int]) -> int:
    total = 0
    while selection:
        lowest = selection & -selection
        total ^= rows[lowest.bit_length() - 1]
        selection ^= lowest
    return total


def _check_size(n_rows: int, n_columns: int) -> None:
    if max(n_rows, n_columns) > MAX_DIMENSION:
        rule = f"at most {MAX_DIMENSION} rows and columns, so that a row fits one machine word"
        raise SizeLimitError("matrix", rule, (n_rows, n_columns))
    if min(n_rows, n_columns) < 0:
        raise MatrixError("matrix", "a size cannot be negative", (n_rows, n_columns))
