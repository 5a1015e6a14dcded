"""Ranks of many small matrices over GF(2), and of all their leading submatrices, at once.

The contention of y = Ax + b is read off the ranks of leading submatrices of A: A_(L_(i+1), L_i)
on a hypercube [hou, Theorem 1], and rows 1..i with columns 0..i-1 where bit 0 picks one of two
nodes at a router [hou, Theorem 7]. Checking a statement for every matrix of a size needs these
ranks by the million.

Matrices come in three forms, all with bit j of row i being a_(i,j):

    packed rows    (m, n_rows) of an unsigned dtype   element [k, i] is row i of matrix k
    bits           (m, n_rows, n_columns) of 0 and 1  also a list of `GF2Matrix` of one shape
    indices        every matrix of a range            functions named *_of_all

The index of an n by n matrix packs its rows: bits n i .. n i + n - 1 are row i.

**The kernels.** A corner of a matrix is the part in its first p rows and first q columns,
A_(L_p, L_q). Rows are taken one after another. A row that is not zero when its turn comes is a
pivot row, its pivot is its *first* nonzero column, and it is added to every later row that has a
one there. The pivot rows then span the rows so far, and their pivots differ, so that

    rank A_(L_p, L_q) = number of pivots in columns 0..q-1 after p rows:

one elimination answers for all corners. For a by-hand case take the rows 110, 110, 011 (column 0
first): pivots 0, none, 1, so A_(L_2, L_2) has rank 1 and A_(L_3, L_2) rank 2.

A row is one word, of as many bits as it needs, and row i of `_BLOCK` matrices lies side by side,
so that a step is one pass over two short arrays, without branches, which the compiler turns into
vector instructions: at 512 bits, 64 matrices of up to 8 columns, or 8 of up to 64, at a time.
Slicing by bits, 64 matrices to a word with one word to an entry, needs as many operations to
eliminate, but has to transpose the matrices first.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, MatrixError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import bit_count, kernel

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[Any]
"""Unsigned words of any one width."""

_BLOCK = 512
"""Matrices that are treated together; their rows stay in the first-level cache."""


_ONE = np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def _reorder_columns(work: Words, size: int, column_order: Ints) -> None:
    """Bit j of every row becomes what was bit column_order[j]; other bits are dropped."""
    kind = work.dtype.type
    old = np.empty(size, dtype=work.dtype)
    for i in range(len(work)):
        for t in range(size):
            old[t] = work[i, t]
            work[i, t] = kind(0)
        for j in range(len(column_order)):
            source, target = np.uint64(column_order[j]), np.uint64(j)
            for t in range(size):
                work[i, t] |= kind(((old[t] >> source) & _ONE) << target)


@kernel
def _eliminate(
    work: Words, size: int, heights: Ints, widths: Ints, out: Bytes, position: int
) -> None:
    """Ranks of the corners, sorted by height, of the matrices in work[:, :size]; uses them up."""
    zero = work.dtype.type(0)
    pivots = np.zeros(size, dtype=work.dtype)
    lowest = np.empty(size, dtype=work.dtype)
    done = 0
    for k in range(len(heights)):
        while done < heights[k]:
            row = work[done]
            for t in range(size):
                lowest[t] = row[t] & -row[t]
                pivots[t] |= lowest[t]
            for i in range(done + 1, len(work)):
                later = work[i]
                for t in range(size):
                    later[t] ^= row[t] if (later[t] & lowest[t]) != zero else zero
            done += 1
        inside = _ALL >> np.uint64(64 - widths[k]) if widths[k] else np.uint64(0)
        ranks = out[k, position : position + size]
        for t in range(size):
            ranks[t] = bit_count(np.uint64(pivots[t]) & inside)


@kernel
def _corners_of_packed(
    rows: Words,
    row_order: Ints,
    column_order: Ints,
    heights: Ints,
    widths: Ints,
    out: Bytes,
) -> None:
    """Ranks of corners of packed matrices.

    Args:
        rows: packed rows, shape (m, n_rows), of any unsigned dtype.
        row_order, column_order: the rows and columns to keep, in this order.
        heights, widths: the corners, sorted by height.
        out: shape (corners, m).
    """
    moved = False
    for j in range(len(column_order)):
        moved = moved or column_order[j] != j
    work = np.empty((len(row_order), _BLOCK), dtype=rows.dtype)
    for base in range(0, len(rows), _BLOCK):
        size = min(_BLOCK, len(rows) - base)
        block = rows[base : base + size]  # an index that cannot be negative runs in vectors
        for i in range(len(row_order)):
            column = block[:, row_order[i]]
            for t in range(size):
                work[i, t] = column[t]
        if moved:
            _reorder_columns(work, size, column_order)
        _eliminate(work, size, heights, widths, out, base)


@kernel
def _corners_of_range(
    n: int,
    start: int,
    row_order: Ints,
    column_order: Ints,
    heights: Ints,
    widths: Ints,
    out: Bytes,
) -> None:
    """Ranks of corners of the n by n matrices with the indices start, start + 1, ...; n <= 7.

    Bits n i .. n i + n - 1 of an index are row i; `out` has shape (corners, indices).
    """
    moved = False
    for j in range(len(column_order)):
        moved = moved or column_order[j] != j
    mask = (1 << n) - 1
    work = np.empty((len(row_order), _BLOCK), dtype=np.uint8)
    for base in range(0, out.shape[1], _BLOCK):
        size = min(_BLOCK, out.shape[1] - base)
        first = start + base
        for i in range(len(row_order)):
            shift = n * row_order[i]
            for t in range(size):
                work[i, t] = ((first + t) >> shift) & mask
        if moved:
            _reorder_columns(work, size, column_order)
        _eliminate(work, size, heights, widths, out, base)


@kernel
def _pack_bits(bits: Bytes, rows: Words) -> np.uint64:
    """Pack bits of shape (m, n_rows, n_columns) into rows (m, n_rows); returns the `or` of all.

    The rows are right if that is 0 or 1.
    """
    seen = np.uint64(0)
    for matrix in range(bits.shape[0]):
        for i in range(bits.shape[1]):
            row = bits[matrix, i]
            word = np.uint64(0)
            for j in range(len(row)):
                entry = np.uint64(row[j])
                seen |= entry
                word |= entry << np.uint64(j)
            rows[matrix, i] = word
    return seen


@kernel
def _profile_histogram(ranks: Bytes, strides: Ints, counts: Ints) -> None:
    """Count the columns of `ranks`, shape (k, m): counts[sum of ranks[i] strides[i]] += 1."""
    for matrix in range(ranks.shape[1]):
        profile = 0
        for i in range(ranks.shape[0]):
            profile += np.int64(ranks[i, matrix]) * strides[i]
        counts[profile] += 1


RankArray = npt.NDArray[np.uint8]
Order = Sequence[int]
SwapPlan = tuple[Ints, Ints, Ints, Ints]

_MAX_INDEXED_DIMENSION = 7
"""Largest n whose matrices are indexed: 2^49 indices fit int64, 2^64 would not."""

MAX_RESULT_BYTES = 1 << 32
"""Most ranks that one call returns (4 GiB); ask for a larger range in parts."""

_HISTOGRAM_STEP = 1 << 16  # ranks that stay in the second-level cache


@typed_arguments
def ranks(matrices: npt.ArrayLike | Sequence[Any]) -> RankArray:
    """Return the ranks over GF(2) of many matrices of one shape, at most 64 by 64.

    Args:
        matrices: packed rows (m, n_rows) of a non-negative integer dtype, or bits
            (m, n_rows, n_columns), or a sequence of `GF2Matrix`.

    Returns: uint8 array of shape (m,).

    Raises:
        MatrixError: another shape, or entries that are not 0 or 1 (bits), or negative rows.
        SizeLimitError: more than 64 rows or columns.

    >>> ranks(np.array([[0b01, 0b10], [0b11, 0b11]], dtype=np.uint8))
    array([2, 1], dtype=uint8)
    >>> ranks([[[1, 0, 1], [1, 0, 1]]])
    array([1], dtype=uint8)
    """
    rows, columns = _packed(matrices)
    n_rows = rows.shape[1]
    return _corners(rows, range(n_rows), range(columns), [(n_rows, columns)]).reshape(-1)


@typed_arguments
def leading_ranks(matrices: npt.ArrayLike | Sequence[Any], order: Order | None = None) -> RankArray:
    """Return the ranks of A_(L_(i+1), L_i), i = 0..n-1, of many matrices [hou, Theorem 1].

    Args:
        matrices: as for `ranks`, square.
        order: a reordering; the ranks are those of QAQ⁻¹, whose entry (k, l) is
            a_(order[k], order[l]).

    Returns: uint8 array of shape (m, n); entry [k, i] belongs to dimension i. Every column is
        contiguous in memory (Fortran order).

    Raises:
        MatrixError, SizeLimitError: as for `ranks`; not square; `order` is not a permutation.

    >>> leading_ranks([[[0, 1], [1, 0]], [[1, 0], [0, 1]]])
    array([[0, 1],
           [0, 1]], dtype=uint8)
    """
    rows, n = _square(matrices)
    kept = _order(order, n)
    return _corners(rows, kept, kept, _leading(n)).T


# -- every matrix of a size -------------------------------------------------------------------


@typed_arguments
def ranks_of_all(n: int, start: int = 0, stop: int | None = None) -> RankArray:
    """Return the ranks of the matrices with indices start..stop-1 (by default, of all).

    Args:
        n: 1..7.
        start, stop: a range within 0..2^(n²).

    Returns: uint8 array of shape (stop - start,).

    Raises:
        SizeLimitError: n > 7, or more than 2^32 ranks at once.
        InputError: n < 1, or the range is not within 0..2^(n²).

    >>> np.bincount(ranks_of_all(3))        # matrices of rank 0, 1, 2, 3
    array([  1,  49, 294, 168])
    """
    return _corners_of_all(n, start, stop, range(n), range(n), [(n, n)]).reshape(-1)


@typed_arguments
def leading_ranks_of_all(
    n: int, start: int = 0, stop: int | None = None, order: Order | None = None
) -> RankArray:
    """Return `leading_ranks` of the matrices with indices start..stop-1, without making them.

    Args and errors: as for `ranks_of_all`, and `order` as for `leading_ranks`.

    Returns: uint8 array of shape (stop - start, n) with contiguous columns.

    >>> leading_ranks_of_all(2, 0b0110, 0b1000).tolist()     # a_01 = a_10 = 1; then a_00 too
    [[0, 1], [0, 1]]
    """
    kept = _order(order, n)
    return _corners_of_all(n, start, stop, kept, kept, _leading(n)).T


@typed_arguments
def leading_rank_histogram(
    n: int, start: int = 0, stop: int | None = None, order: Order | None = None
) -> npt.NDArray[np.int64]:
    """Count the matrices of an index range by leading ranks; needs no memory for them.

    Args and errors: as for `leading_ranks_of_all`, without the limit on the range.

    Returns: int64 array of shape (1, 2, ..., n); entry [r_0, ..., r_(n-1)] counts the matrices
        with rank A_(L_(i+1), L_i) = r_i for all i.

    >>> leading_rank_histogram(2)           # a column of two bits is zero for 4 of 16 matrices
    array([[ 4, 12]])
    """
    kept = _order(order, n)
    low, high = _index_range(n, start, stop)
    shape = tuple(range(1, n + 1))
    strides = np.array([np.prod(shape[i + 1 :], dtype=np.int64) for i in range(n)], dtype=np.int64)
    counts = np.zeros(int(np.prod(shape)), dtype=np.int64)
    for base in range(low, high, _HISTOGRAM_STEP):
        end = min(high, base + _HISTOGRAM_STEP)
        corners = _corners_of_all(n, base, end, kept, kept, _leading(n))
        _profile_histogram(corners, strides, counts)
    return counts.reshape(shape)


# -- corners ----------------------------------------------------------------------------------


def _leading(n: int) -> list[tuple[int, int]]:
    return [(i + 1, i) for i in range(n)]


def _plan(
    row_order: Sequence[int], column_order: Sequence[int], corners: Sequence[tuple[int, int]]
) -> SwapPlan:
    """Kernel arguments: only the rows and columns that some corner reaches are kept."""
    heights = np.array([p for p, _ in corners], dtype=np.int64)
    widths = np.array([q for _, q in corners], dtype=np.int64)
    height, width = (int(sizes.max(initial=0)) for sizes in (heights, widths))
    kept_rows = np.array(list(row_order)[:height], dtype=np.int64)
    kept_columns = np.array(list(column_order)[:width], dtype=np.int64)
    return kept_rows, kept_columns, heights, widths


def _corners(
    rows: npt.NDArray[Any],
    row_order: Sequence[int],
    column_order: Sequence[int],
    corners: Sequence[tuple[int, int]],
) -> RankArray:
    """Ranks of the corners (p, q) of the reordered matrices, shape (corners, m)."""
    out = np.empty((len(corners), len(rows)), dtype=np.uint8)
    plan = _plan(row_order, column_order, corners)
    _corners_of_packed(np.ascontiguousarray(rows), *plan, out)
    return out


def _corners_of_all(
    n: int,
    start: int,
    stop: int | None,
    row_order: Sequence[int],
    column_order: Sequence[int],
    corners: Sequence[tuple[int, int]],
) -> RankArray:
    low, high = _index_range(n, start, stop)
    if (high - low) * len(corners) > MAX_RESULT_BYTES:
        rule = f"at most {MAX_RESULT_BYTES} ranks at once (4 GiB); ask for the range in parts"
        raise SizeLimitError("stop", rule, stop)
    out = np.empty((len(corners), high - low), dtype=np.uint8)
    _corners_of_range(int(n), low, *_plan(row_order, column_order, corners), out)
    return out


# -- reading the arguments --------------------------------------------------------------------


def _index_range(n: int, start: int, stop: int | None) -> tuple[int, int]:
    if n < 1:
        raise InputError("n", "must be at least 1", n)
    if n > _MAX_INDEXED_DIMENSION:
        rule = f"at most {_MAX_INDEXED_DIMENSION}, so that the 2^(n²) matrix indices fit int64"
        raise SizeLimitError("n", rule, n)
    size = 1 << (n * n)
    end = size if stop is None else stop
    if not 0 <= start <= end <= size:
        raise InputError("start, stop", f"must satisfy 0 <= start <= stop <= {size}", (start, end))
    return operator.index(start), end


def _order(order: Order | None, n: int) -> tuple[int, ...]:
    if n > MAX_DIMENSION:
        raise SizeLimitError("n", f"at most {MAX_DIMENSION}: a row must fit one machine word", n)
    try:
        bits = tuple(range(n)) if order is None else tuple(operator.index(bit) for bit in order)
    except TypeError:
        raise MatrixError("order", "must contain integers", order) from None
    if sorted(bits) != list(range(n)):
        raise MatrixError("order", f"must be a permutation of 0..{n - 1}", order)
    return bits


def _square(matrices: npt.ArrayLike | Sequence[Any]) -> tuple[npt.NDArray[Any], int]:
    """Packed rows of n by n matrices, and n."""
    array = _array(matrices)
    rows, columns = _packed(array)
    n = rows.shape[1]
    if array.ndim == 3 and array.shape[2] != n:
        raise MatrixError("matrices", "must be square", array.shape)
    if n < 1:
        raise MatrixError("matrices", "must have at least one row (n >= 1)", array.shape)
    if columns > n:
        raise MatrixError("matrices", f"rows of {n} by {n} matrices are below 2^{n}", array.max())
    return rows, n


def _packed(matrices: npt.ArrayLike | Sequence[Any]) -> tuple[npt.NDArray[Any], int]:
    """Packed rows of an unsigned dtype, and a number of columns that holds them."""
    array = _array(matrices)
    if array.ndim == 3:
        return _packed_bits(array), array.shape[2]
    if array.shape[1] > MAX_DIMENSION:
        raise SizeLimitError("matrices", f"at most {MAX_DIMENSION} rows", array.shape)
    return array, int(array.max(initial=0)).bit_length()


def _array(matrices: npt.ArrayLike | Sequence[Any]) -> npt.NDArray[Any]:
    """The argument as an array of unsigned integers with two or three axes."""
    rule = "must be packed rows (m, n) or bits (m, n, n), as non-negative integers"
    try:
        array = np.asarray(matrices)
    except (ValueError, TypeError):
        raise MatrixError("matrices", rule, matrices) from None
    if array.ndim not in (2, 3) or (array.dtype.kind not in "biu" and array.size):
        raise MatrixError("matrices", rule, matrices)
    if array.dtype.kind == "u":
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "i" and array.size and array.min() < 0:
        raise MatrixError("matrices", rule, int(array.min()))
    return array.astype(f"=u{array.dtype.itemsize}" if array.dtype.kind == "i" else np.uint8)


def _packed_bits(bits: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if max(bits.shape[1:]) > MAX_DIMENSION:
        raise SizeLimitError("matrices", f"at most {MAX_DIMENSION} rows and columns", bits.shape)
    wide = bits.dtype.itemsize > 1  # such entries could look like bits once they are bytes
    if wide and bits.size and bits.max() > 1:
        raise MatrixError("matrices", "entries must be 0 or 1", int(bits.max()))
    width = next(size for size in (1, 2, 4, 8) if 8 * size >= bits.shape[2])
    rows = np.empty(bits.shape[:2], dtype=f"=u{width}")
    if _pack_bits(np.ascontiguousarray(bits, dtype=np.uint8), rows) > 1:
        raise MatrixError("matrices", "entries must be 0 or 1", int(bits.max()))
    return rows
