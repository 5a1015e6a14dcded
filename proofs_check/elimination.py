"""Ranks over GF(2) by elimination on packed rows: the checker's own, one loop for all claims.

A basis is a list of words with distinct highest bits. A word joins it by losing, one by one, the
highest bits that the words before it hold; what is left of it, if anything, is the next word. The
rank is the number of words that are left.

    rows    011  110  101        011 joins, 110 joins, 101 ^ 110 ^ 011 = 000 does not: rank 2
"""

from __future__ import annotations

from collections.abc import Iterable

from lccmodel._jit import borrowed, inlined_kernel, kernel
from proofs_check.arrays import Ints


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
