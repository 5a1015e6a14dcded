"""Matrices over GF(2) of a size, for tests: by index, all nonsingular ones, of a rank."""

import math
from collections.abc import Iterator

from lccmodel.gf2 import GF2Matrix


def index_of(A: GF2Matrix) -> int:
    """Bits n i .. n i + n - 1 are row i."""
    return sum(row << (A.n_columns * i) for i, row in enumerate(A.rows))


def all_nonsingular(n: int) -> Iterator[GF2Matrix]:
    """Each row outside the span so far: no elimination. Not in the order of the indices."""
    return (GF2Matrix.from_rows(rows, n) for rows in _independent_rows(n, (), frozenset({0})))


def _independent_rows(
    n: int, rows: tuple[int, ...], span: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    if len(rows) == n:
        yield rows
        return
    for row in range(1 << n):
        if row not in span:
            yield from _independent_rows(n, (*rows, row), span | {row ^ old for old in span})


def rank_count(n_rows: int, n_columns: int, rank: int) -> int:
    """Matrices of this shape and rank.

    One of rank r is a product of an n_rows by r matrix of independent columns and an r by
    n_columns matrix of independent rows, in |GL(r, 2)| ways.
    """
    left, right, both = (_independent(n, rank) for n in (n_rows, n_columns, rank))
    return left * right // both if rank <= min(n_rows, n_columns) else 0


def _independent(n: int, count: int) -> int:
    """Sequences of `count` independent vectors of n bits."""
    return math.prod((1 << n) - (1 << i) for i in range(count))
