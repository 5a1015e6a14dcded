"""Kernels that find the ranks of the corners of many matrices over GF(2) at once.

A corner of a matrix is the part in its first p rows and first q columns, A_(L_p, L_q). Rows are
taken one after another; each is reduced by those before it and, if anything is left, becomes a
pivot row whose pivot is its *first* nonzero column. The pivot rows then span the rows so far,
and their pivots differ, so that

    rank A_(L_p, L_q) = number of pivots in columns 0..q-1 after p rows:

one elimination answers for all corners. For a by-hand case take the rows 110, 110, 011 (column 0
first): pivots 0, none, 1, so A_(L_2, L_2) has rank 1 and A_(L_3, L_2) rank 2.

Small matrices are *bit-sliced*: a machine word holds one entry of 64 matrices, so every step is
done for 64 matrices by one instruction and needs no branch: where column c of a row is set
(`lead`), the row either becomes the pivot row of c or has that row added. `LANES` words are
treated side by side, which the compiler turns into vector instructions. From about 40 columns on
the working set outgrows the fast memory, and one matrix at a time with a word to a row wins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import bit_count, kernel

__all__ = ["BLOCK", "listed_corners", "profile_histogram", "sliced_corners", "word_corners"]

Words = npt.NDArray[np.uint64]
Bytes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.int64]

LANES = 8
BLOCK = 64 * LANES
"""Matrices that are treated together: matrix 64 l + t of a block is bit t of lane l."""

_COUNTER_BITS = 7  # a rank is at most 64
_U = np.uint64
_ONE = np.uint64(1)
_EVERY_BYTE = np.uint64(0x0101010101010101)
_OWN_BIT = np.uint64(0x8040201008040201)  # byte i keeps bit i
_ROUND_UP = np.uint64(0x7F7F7F7F7F7F7F7F)
_ALTERNATING = np.array(  # bit t of entry k is bit k of t
    [
        0xAAAAAAAAAAAAAAAA,
        0xCCCCCCCCCCCCCCCC,
        0xF0F0F0F0F0F0F0F0,
        0xFF00FF00FF00FF00,
        0xFFFF0000FFFF0000,
        0xFFFFFFFF00000000,
    ],
    dtype=np.uint64,
)


@kernel
def _transpose(words: Words, width: int) -> None:
    """Transpose the bits of words[0..width-1] in every lane, in place; width is 32 or 64.

    With width 32 the two halves of the words are transposed by themselves.
    """
    size = width // 2
    mask = _U(0xFFFFFFFF) if width == 64 else _U(0x0000FFFF0000FFFF)
    while size:
        shift = _U(size)
        for base in range(0, width, 2 * size):
            for t in range(base, base + size):
                for lane in range(LANES):
                    low, high = words[t, lane], words[t + size, lane]
                    swap = ((low >> shift) ^ high) & mask
                    words[t + size, lane] = high ^ swap
                    words[t, lane] = low ^ (swap << shift)
        size //= 2
        mask ^= mask << _U(max(size, 1))


@kernel
def _gather(
    rows: npt.NDArray[Any], base: int, first: int, last: int, columns: int, words: Words
) -> None:
    """Concatenate rows first..last-1 of every matrix of a full block into one word, and slice."""
    width = 32 if (last - first) * columns <= 32 else 64
    words[:] = _U(0)
    c = _U(columns)
    for lane in range(LANES):
        for half in range(64 // width):  # with width 32, matrix 32 + t uses the upper half
            matrix = base + 64 * lane + width * half
            i = first
            while i + 4 <= last:  # four rows to a pass: twice as fast as one
                shift = _U(columns * (i - first) + 32 * half)
                for t in range(width):
                    k = matrix + t
                    pair = _U(rows[k, i]) | _U(rows[k, i + 1]) << c
                    next_pair = _U(rows[k, i + 2]) | _U(rows[k, i + 3]) << c
                    words[t, lane] |= (pair | next_pair << (c + c)) << shift
                i += 4
            while i < last:
                shift = _U(columns * (i - first) + 32 * half)
                for t in range(width):
                    words[t, lane] |= _U(rows[matrix + t, i]) << shift
                i += 1
    _transpose(words, width)


@kernel
def _slice_indices(base: int, n: int, row_order: Indices, column_order: Indices, A: Words) -> None:
    """Entries of the matrices with indices base..base+BLOCK-1; base is a multiple of BLOCK."""
    for i in range(len(row_order)):
        for j in range(len(column_order)):
            bit = n * row_order[i] + column_order[j]
            for lane in range(LANES):
                if bit < 6:
                    A[i, j, lane] = _ALTERNATING[bit]
                else:
                    number = (base >> 6) + lane
                    A[i, j, lane] = ~_U(0) if (number >> (bit - 6)) & 1 else _U(0)


@kernel
def _slice_rows(
    rows: npt.NDArray[Any],
    base: int,
    columns: int,
    row_order: Indices,
    column_order: Indices,
    words: Words,
    A: Words,
) -> None:
    """Entries of the matrices base..base+BLOCK-1 of `rows`, by as few transpositions as fit."""
    n_rows = rows.shape[1]
    per_word = 64 // columns
    for k in range((n_rows + per_word - 1) // per_word):
        first = k * per_word
        last = min(n_rows, first + per_word)
        _gather(rows, base, first, last, columns, words)
        for i in range(len(row_order)):
            if first <= row_order[i] < last:
                for j in range(len(column_order)):
                    bit = (row_order[i] - first) * columns + column_order[j]
                    for lane in range(LANES):
                        A[i, j, lane] = words[bit, lane]


@kernel
def _insert(row: Words, basis: Words, has: Words, columns: int) -> None:
    """Reduce a row by the pivot rows; what is left becomes one. The row is used up."""
    new = np.empty(LANES, dtype=np.uint64)
    for c in range(columns):
        for lane in range(LANES):
            lead, known = row[c, lane], has[c, lane]
            new[lane] = lead & ~known
            has[c, lane] = known | lead
        for j in range(c + 1, columns):
            for lane in range(LANES):
                entry = row[j, lane]
                pivot = basis[c, j, lane] | (entry & new[lane])
                basis[c, j, lane] = pivot
                # a new pivot row meets itself here and vanishes
                row[j, lane] = entry ^ (pivot & row[c, lane])


@kernel
def _count(has: Words, start: int, stop: int, bits: int, counter: Words) -> None:
    """Add has[start..stop-1] to the sliced numbers of `counter`, least significant bit first."""
    for c in range(start, stop):
        for lane in range(LANES):
            carry = has[c, lane]
            for bit in range(bits):
                old = counter[bit, lane]
                counter[bit, lane] = old ^ carry
                carry &= old


@kernel
def _unslice(counter: Words, bits: int, out: Words) -> None:
    """Write the numbers of `counter` as BLOCK bytes, eight of them to a word of `out`."""
    for lane in range(LANES):
        for k in range(8):
            shift = _U(8 * k)
            packed = _U(0)
            for bit in range(bits):
                spread = (((counter[bit, lane] >> shift) & _U(255)) * _EVERY_BYTE) & _OWN_BIT
                packed |= (((spread + _ROUND_UP) >> _U(7)) & _EVERY_BYTE) << _U(bit)
            out[8 * lane + k] = packed


@kernel
def _corners_of_block(
    A: Words,
    basis: Words,
    has: Words,
    counter: Words,
    heights: Indices,
    widths: Indices,
    out: Words,
) -> None:
    """Ranks of the corners of one block; corners sorted by height, then width. A is used up."""
    columns = A.shape[1]
    basis[:] = _U(0)
    has[:] = _U(0)
    done = 0
    counted = 0
    bits = 1
    while (1 << bits) <= min(A.shape[0], columns):
        bits += 1
    for k in range(len(heights)):
        if k == 0 or heights[k] != heights[k - 1]:
            while done < heights[k]:
                _insert(A[done], basis, has, columns)
                done += 1
            counter[:] = _U(0)
            counted = 0
        _count(has, counted, widths[k], bits, counter)
        counted = widths[k]
        _unslice(counter, bits, out[k])


@kernel
def sliced_corners(
    rows: npt.NDArray[Any],
    columns: int,
    row_order: Indices,
    column_order: Indices,
    heights: Indices,
    widths: Indices,
    out: Words,
    position: int,
) -> None:
    """Ranks of corners of packed matrices, 64 to a word.

    Args:
        rows: packed rows, shape (m, n_rows), any unsigned dtype; all below 2^columns.
        columns: 1..64.
        row_order, column_order: the rows and columns to keep, in this order.
        heights, widths: the corners, sorted by height, then width.
        out: shape (corners, words), eight ranks to a word; words hold whole blocks.
        position: the place of the first matrix in `out`, a multiple of BLOCK.
    """
    kept = len(column_order)
    words = np.empty((64, LANES), dtype=np.uint64)
    A = np.empty((len(row_order), kept, LANES), dtype=np.uint64)
    basis = np.empty((kept, kept, LANES), dtype=np.uint64)
    has = np.empty((kept, LANES), dtype=np.uint64)
    counter = np.empty((_COUNTER_BITS, LANES), dtype=np.uint64)
    m = rows.shape[0]
    tail = np.zeros((BLOCK, rows.shape[1]), dtype=rows.dtype)
    tail[: m % BLOCK] = rows[m - m % BLOCK :]
    for base in range(0, m, BLOCK):
        if base + BLOCK <= m:
            _slice_rows(rows, base, columns, row_order, column_order, words, A)
        else:
            _slice_rows(tail, 0, columns, row_order, column_order, words, A)
        place = (position + base) // 8
        block = out[:, place : place + BLOCK // 8]
        _corners_of_block(A, basis, has, counter, heights, widths, block)


@kernel
def listed_corners(
    n: int,
    start: int,
    row_order: Indices,
    column_order: Indices,
    heights: Indices,
    widths: Indices,
    out: Words,
) -> None:
    """Ranks of corners of the n by n matrices with the indices start, start + 1, ...

    `start` is a multiple of BLOCK; `out` is as for `sliced_corners` and says how many.
    """
    kept = len(column_order)
    A = np.empty((len(row_order), kept, LANES), dtype=np.uint64)
    basis = np.empty((kept, kept, LANES), dtype=np.uint64)
    has = np.empty((kept, LANES), dtype=np.uint64)
    counter = np.empty((_COUNTER_BITS, LANES), dtype=np.uint64)
    for place in range(0, out.shape[1], BLOCK // 8):
        _slice_indices(start + 8 * place, n, row_order, column_order, A)
        block = out[:, place : place + BLOCK // 8]
        _corners_of_block(A, basis, has, counter, heights, widths, block)


@kernel
def profile_histogram(ranks: Bytes, strides: Indices, counts: Indices) -> None:
    """Count the columns of `ranks`, shape (k, m): counts[sum of ranks[i] strides[i]] += 1."""
    for matrix in range(ranks.shape[1]):
        profile = 0
        for i in range(ranks.shape[0]):
            profile += np.int64(ranks[i, matrix]) * strides[i]
        counts[profile] += 1


@kernel
def word_corners(
    rows: npt.NDArray[Any],
    row_order: Indices,
    column_order: Indices,
    heights: Indices,
    widths: Indices,
    out: Bytes,
    position: int,
) -> None:
    """Like `sliced_corners`, one matrix at a time; `out` holds bytes, shape (corners, matrices).

    A row that has its pivot is taken out of the rows below it at once, so that the loop over
    these is the same for all of them and runs in vector instructions.
    """
    n_rows, kept = len(row_order), len(column_order)
    moved = False
    for j in range(kept):
        moved = moved or column_order[j] != j
    work = np.empty(n_rows, dtype=np.uint64)
    for matrix in range(rows.shape[0]):
        for i in range(n_rows):
            word = _U(rows[matrix, row_order[i]])
            if moved:
                old, word = word, _U(0)
                for j in range(kept):
                    word |= ((old >> _U(column_order[j])) & _ONE) << _U(j)
            work[i] = word
        pivots = _U(0)
        done = 0
        for k in range(len(heights)):
            while done < heights[k]:
                row = work[done]
                lowest = row & (~row + _ONE)
                pivots |= lowest
                for i in range(done + 1, n_rows):
                    work[i] ^= row if (work[i] & lowest) != _U(0) else _U(0)
                done += 1
            width = widths[k]
            inside = ~_U(0) if width == 64 else (_ONE << _U(width)) - _ONE
            out[k, position + matrix] = bit_count(pivots & inside)
