"""Kernels that find the ranks of the corners of many matrices over GF(2) at once.

A corner of a matrix is the part in its first p rows and first q columns, A_(L_p, L_q). Rows are
taken one after another. A row that is not zero when its turn comes is a pivot row, its pivot is
its *first* nonzero column, and it is added to every later row that has a one there. The pivot
rows then span the rows so far, and their pivots differ, so that

    rank A_(L_p, L_q) = number of pivots in columns 0..q-1 after p rows:

one elimination answers for all corners. For a by-hand case take the rows 110, 110, 011 (column 0
first): pivots 0, none, 1, so A_(L_2, L_2) has rank 1 and A_(L_3, L_2) rank 2.

A row is one word, of as many bits as it needs, and row i of `BLOCK` matrices lies side by side,
so that a step is one pass over two short arrays, without branches, which the compiler turns into
vector instructions: at 512 bits, 64 matrices of up to 8 columns, or 8 of up to 64, at a time.
Slicing by bits, 64 matrices to a word with one word to an entry, needs as many operations to
eliminate, but has to transpose the matrices first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._jit import bit_count, kernel

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[Any]
"""Unsigned words of any one width."""

BLOCK = 512
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
def corners_of_packed(
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
    work = np.empty((len(row_order), BLOCK), dtype=rows.dtype)
    for base in range(0, len(rows), BLOCK):
        size = min(BLOCK, len(rows) - base)
        block = rows[base : base + size]  # an index that cannot be negative runs in vectors
        for i in range(len(row_order)):
            column = block[:, row_order[i]]
            for t in range(size):
                work[i, t] = column[t]
        if moved:
            _reorder_columns(work, size, column_order)
        _eliminate(work, size, heights, widths, out, base)


@kernel
def corners_of_range(
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
    work = np.empty((len(row_order), BLOCK), dtype=np.uint8)
    for base in range(0, out.shape[1], BLOCK):
        size = min(BLOCK, out.shape[1] - base)
        first = start + base
        for i in range(len(row_order)):
            shift = n * row_order[i]
            for t in range(size):
                work[i, t] = ((first + t) >> shift) & mask
        if moved:
            _reorder_columns(work, size, column_order)
        _eliminate(work, size, heights, widths, out, base)


@kernel
def pack_bits(bits: Bytes, rows: Words) -> np.uint64:
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
def profile_histogram(ranks: Bytes, strides: Ints, counts: Ints) -> None:
    """Count the columns of `ranks`, shape (k, m): counts[sum of ranks[i] strides[i]] += 1."""
    for matrix in range(ranks.shape[1]):
        profile = 0
        for i in range(ranks.shape[0]):
            profile += np.int64(ranks[i, matrix]) * strides[i]
        counts[profile] += 1
