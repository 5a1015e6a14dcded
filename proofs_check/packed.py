"""Matrices over GF(2) as packed rows: their index, product, images, renaming, and ranks.

Bit j of rows[i] is the entry a_ij. For n = 2 and A = [[0, 1], [1, 0]]:

    rows = 10, 01      code 10 01 = 9, its index in `AllMatrices`      A·01 = 10

Ranks are taken by the checker's own elimination, one loop for all claims. A basis is a list of
words with distinct highest bits. A word joins it by losing, one by one, the highest bits that the
words before it hold; what is left of it, if anything, is the next word.

    rows    011  110  101        011 joins, 110 joins, 101 ^ 110 ^ 011 = 000 does not: rank 2
"""

from __future__ import annotations

from collections.abc import Iterable

from lccmodel.kernels.jit import bit_count, borrowed, inlined_kernel, kernel
from proofs_check.arrays import Ints


@kernel
def unpack_rows(code: int, n: int, rows: Ints) -> None:
    """Write the packed rows of the matrix with an index of `AllMatrices` into `rows`."""
    for i in range(n):
        rows[i] = code >> (n * (n - 1 - i)) & ((1 << n) - 1)


@kernel
def pack_rows(n: int, rows: Ints) -> int:
    """The index of a matrix in `AllMatrices`."""
    code = 0
    for i in range(n):
        code = code << n | rows[i]
    return code


@kernel
def apply(n: int, X: Ints, x: int) -> int:
    """X x."""
    y = 0
    for i in range(n):
        y |= (bit_count(X[i] & x) & 1) << i
    return y


@kernel
def multiply(n: int, X: Ints, Y: Ints, product: Ints) -> None:
    """XY into `product`, which is none of the two."""
    for i in range(n):
        row = 0
        for j in range(n):
            if X[i] >> j & 1:
                row ^= Y[j]
        product[i] = row


@kernel
def renamed(n: int, rows: Ints, bits: Ints, index_rows: Ints) -> None:
    """BAB⁻¹, where old bit bits[i] becomes bit i: entry (i, j) is a_(bits[i], bits[j])."""
    for i in range(n):
        row = 0
        for j in range(n):
            row |= (rows[bits[i]] >> bits[j] & 1) << j
        index_rows[i] = row


@kernel
def exchange_both(height: int, X: Ints, i: int, j: int) -> None:
    """Rows i and j and columns i and j exchanged, in place; b may be a row behind those of A."""
    X[i], X[j] = X[j], X[i]
    for k in range(height):
        if (X[k] >> i ^ X[k] >> j) & 1:
            X[k] ^= 1 << i | 1 << j


# -- ranks -----------------------------------------------------------------------------------------


@inlined_kernel
def joined(word: int, basis: Ints, rank: int) -> int:
    """The rank after a word is offered to the first `rank` words of a basis.

    Counting references to the basis would take longer than this: a loop passes a `borrowed` one.
    """
    for t in range(rank):
        word = min(word, word ^ basis[t])
    if word:
        basis[rank] = word
        rank += 1
    return rank


@kernel
def rank_within(rows: Ints, row_mask: int, column_mask: int, basis: Ints) -> int:
    """Rank of A_(R, C), with R and C as masks; `basis` is scratch of length n."""
    rows, basis = borrowed(rows), borrowed(basis)
    rank = 0
    for r in range(len(rows)):
        if row_mask >> r & 1:
            rank = joined(rows[r] & column_mask, basis, rank)
    return rank


def rank_of(words: Iterable[int]) -> int:
    """The rank of a few words, as Python integers.

    >>> rank_of([0b011, 0b110, 0b101])
    2
    """
    basis: list[int] = []
    for word in words:
        for held in basis:
            word = min(word, word ^ held)
        if word:
            basis.append(word)
    return len(basis)
