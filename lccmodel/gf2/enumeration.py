"""Every matrix of a size, every nonsingular one, every order.

A check over "all matrices" is worth as much as the enumeration behind it, so each enumerator
knows how many values it owes, by a formula that does not enumerate, and raises `CountError` when
it does not get there:

    2^(rows columns)                                   matrices
    prod_(i<r) (2^rows - 2^i)(2^columns - 2^i) / (2^r - 2^i)   matrices of rank r
    |GL(n, 2)| = prod_(i<n) (2^n - 2^i)                nonsingular matrices
    n!                                                 orders

The index of an n by n matrix packs its rows: bits n i .. n i + n - 1 are row i.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, MatrixError, SizeLimitError, checked_array
from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix

__all__ = [
    "CountError",
    "all_matrices",
    "all_nonsingular",
    "all_orders",
    "all_permutation_matrices",
    "check_dimension",
    "general_linear_order",
    "index_of",
    "matrix_at",
    "nonsingular_indices",
    "pack",
    "rank_count",
    "unpack",
]

T = TypeVar("T")
Indices = npt.NDArray[np.int64]

_MAX_COUNTED = 4096
_MAX_INDEXED = 7  # 2^49 indices fit int64, 2^64 would not


class CountError(RuntimeError):
    """An enumeration did not produce as many values as there are: a bug, not bad input."""


# -- how many -----------------------------------------------------------------------------------


@typed_arguments
def rank_count(n_rows: int, n_columns: int, rank: int) -> int:
    """Number of matrices over GF(2) of this shape and rank, exact.

    A matrix of rank r is a product of an n_rows by r matrix of independent columns and an r by
    n_columns matrix of independent rows, in |GL(r, 2)| ways.

    Raises:
        InputError: a negative size or rank.
        SizeLimitError: a size above 4096: the count has as many digits as the matrix has entries.

    >>> [rank_count(3, 3, r) for r in range(5)]
    [1, 49, 294, 168, 0]
    """
    for name, value in (("n_rows", n_rows), ("n_columns", n_columns), ("rank", rank)):
        _check_counted(name, value)
    if rank > min(n_rows, n_columns):
        return 0
    left, right = _independent(n_rows, rank), _independent(n_columns, rank)
    return left * right // _independent(rank, rank)


@typed_arguments
def general_linear_order(n: int) -> int:
    """|GL(n, 2)|, the number of nonsingular n by n matrices over GF(2).

    Raises:
        InputError: n is negative.
        SizeLimitError: n > 4096.

    >>> [general_linear_order(n) for n in range(1, 6)]
    [1, 6, 168, 20160, 9999360]
    """
    _check_counted("n", n)
    return _independent(n, n)


def _check_counted(name: str, size: int) -> None:
    if size < 0:
        raise InputError(name, "must not be negative", size)
    if size > _MAX_COUNTED:
        raise SizeLimitError(name, f"at most {_MAX_COUNTED}, for the length of the count", size)


def _independent(n: int, count: int) -> int:
    """Number of sequences of `count` independent vectors of n bits."""
    return math.prod((1 << n) - (1 << i) for i in range(count))


# -- index and matrix ---------------------------------------------------------------------------


def index_of(matrix: GF2Matrix) -> int:
    """The index of a square matrix, at any n.

    Raises:
        MatrixError: not square.

    >>> bin(index_of(GF2Matrix([[0, 1], [1, 1]])))
    '0b1110'
    """
    if not matrix.is_square:
        raise MatrixError("matrix", "must be square", matrix.shape)
    n = matrix.n_columns
    return sum(row << (n * i) for i, row in enumerate(matrix.rows))


def matrix_at(index: int, n: int) -> GF2Matrix:
    """The n by n matrix with this index, 1 <= n <= 64.

    Raises:
        InputError: the index is not in 0..2^(n²) - 1, or n < 1.
        SizeLimitError: n > 64.

    >>> matrix_at(0b1110, 2)
    GF2Matrix([[0, 1], [1, 1]])
    """
    check_dimension(n, MAX_DIMENSION, "a row must fit one machine word")
    if index < 0 or index >> (n * n):
        raise InputError("index", f"must be in 0..2^{n * n} - 1", index)
    mask = (1 << n) - 1
    return GF2Matrix.from_rows(((index >> (n * i)) & mask for i in range(n)), n)


def pack(rows: npt.ArrayLike) -> Indices:
    """The indices of many n by n matrices, n <= 7.

    Args:
        rows: packed rows, integer array of shape (..., n).

    Returns: int64 array of shape (...).

    Raises:
        MatrixError: rows that are not integers in 0..2^n - 1.
        SizeLimitError: n > 7.

    >>> pack([[0b10, 0b11], [0b01, 0b10]])
    array([14,  9])
    """
    rule = "must be an integer array of shape (..., n)"
    array = checked_array("rows", rows, rule, MatrixError)
    if not array.ndim:
        raise MatrixError("rows", rule, rows)
    n = array.shape[-1]
    check_dimension(n, _MAX_INDEXED, "an index must fit int64")
    if array.size and (array.min() < 0 or array.max() >= 1 << n):
        raise MatrixError("rows", f"must be in 0..{(1 << n) - 1}", rows)
    shifts = np.arange(0, n * n, n, dtype=np.int64)
    packed: Indices = (array << shifts).sum(axis=-1)
    return packed


def unpack(indices: npt.ArrayLike, n: int) -> npt.NDArray[np.uint8]:
    """The packed rows of the n by n matrices with these indices, n <= 7.

    Args:
        indices: integer array of shape (...).

    Returns: uint8 array of shape (..., n).

    Raises:
        InputError: an index is not in 0..2^(n²) - 1, or n < 1.
        SizeLimitError: n > 7.

    >>> unpack([14, 9], 2)
    array([[2, 3],
           [1, 2]], dtype=uint8)
    """
    check_dimension(n, _MAX_INDEXED, "an index must fit int64")
    rule = f"must be integers in 0..2^{n * n} - 1"
    array = checked_array("indices", indices, rule)
    if array.size and (array.min() < 0 or array.max() >= 1 << (n * n)):
        raise InputError("indices", rule, indices)
    shifts = np.arange(0, n * n, n, dtype=np.int64)
    rows = (array[..., np.newaxis] >> shifts) & ((1 << n) - 1)
    return rows.astype(np.uint8)


# -- enumerators --------------------------------------------------------------------------------


@typed_arguments
def all_matrices(n: int, start: int = 0, stop: int | None = None) -> Iterator[GF2Matrix]:
    """The n by n matrices in the order of their indices, one at a time.

    Raises:
        InputError: n < 1, or not 0 <= start <= stop <= 2^(n²).
        SizeLimitError: n > 7.

    >>> [int(A[0, 0]) for A in all_matrices(1)]
    [0, 1]
    """
    check_dimension(n, _MAX_INDEXED, "2^(n²) matrices cannot be visited beyond")
    end = 1 << (n * n) if stop is None else stop
    if not 0 <= start <= end <= 1 << (n * n):
        raise InputError("start, stop", f"0 <= start <= stop <= 2^{n * n}", (start, end))
    return _counted((matrix_at(index, n) for index in range(start, end)), end - start)


def nonsingular_indices(n: int) -> Indices:
    """Indices of all nonsingular n by n matrices, ascending; n <= 5.

    Returns: int64 array of shape (|GL(n, 2)|,); 9999360 of them for n = 5.

    Raises:
        InputError: n < 1.
        SizeLimitError: n > 5 (2 * 10^10 matrices for n = 6).

    >>> nonsingular_indices(2)
    array([ 6,  7,  9, 11, 13, 14])
    """
    from lccmodel.gf2 import batch  # compiles kernels

    check_dimension(n, 5, "for n = 6 there are 2 * 10^10 of them")
    step = 1 << 22
    size = 1 << (n * n)
    parts = [
        np.flatnonzero(batch.ranks_of_all(n, base, min(size, base + step)) == n) + base
        for base in range(0, size, step)
    ]
    found: Indices = np.concatenate(parts)
    _check_count(len(found), general_linear_order(n))
    return found


@typed_arguments
def all_nonsingular(n: int) -> Iterator[GF2Matrix]:
    """All nonsingular n by n matrices, one at a time, n <= 5: each row outside the span so far.

    Not in the order of the indices; independent of the batch kernels.

    >>> sum(1 for _ in all_nonsingular(3))
    168
    """
    check_dimension(n, 5, "for n = 6 there are 2 * 10^10 of them")
    made = (GF2Matrix.from_rows(rows, n) for rows in _independent_rows(n, (), frozenset({0})))
    return _counted(made, general_linear_order(n))


def _independent_rows(
    n: int, rows: tuple[int, ...], span: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    if len(rows) == n:
        yield rows
        return
    for row in range(1 << n):
        if row not in span:
            yield from _independent_rows(n, (*rows, row), span | {row ^ old for old in span})


@typed_arguments
def all_orders(n: int) -> Iterator[tuple[int, ...]]:
    """All n! orders of 0..n-1, in lexicographic order.

    >>> list(all_orders(2))
    [(0, 1), (1, 0)]
    """
    check_dimension(n, MAX_DIMENSION, "a row must fit one machine word")
    return _counted(itertools.permutations(range(n)), math.factorial(n))


def all_permutation_matrices(n: int) -> Iterator[GF2Matrix]:
    """The matrix Q of every order of 0..n-1: Q[k, order[k]] = 1."""
    return map(GF2Matrix.from_order, all_orders(n))


# -- keeping count ------------------------------------------------------------------------------


def _counted(values: Iterable[T], owed: int) -> Iterator[T]:
    seen = 0
    for value in values:
        seen += 1
        yield value
    _check_count(seen, owed)


def _check_count(seen: int, owed: int) -> None:
    if seen != owed:
        raise CountError(f"an enumeration produced {seen} values where there are {owed}")


def check_dimension(n: int, limit: int, reason: str) -> None:
    """Refuse an n that is not in 1..limit, with the reason of the limit."""
    if n < 1:
        raise InputError("n", "must be at least 1", n)
    if n > limit:
        raise SizeLimitError("n", f"at most {limit}: {reason}", n)
