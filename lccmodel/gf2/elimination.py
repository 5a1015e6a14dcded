"""Gaussian elimination over GF(2) on rows packed into Python integers.

A row is an int whose bit j is the entry of column j, so adding two rows is one `^` at any
width. These are the reference algorithms: short, exact, for one matrix at a time.
`lccmodel.gf2.batch` ranks millions at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def rank(rows: Iterable[int]) -> int:
    """Rank of the matrix with these packed rows.

    >>> rank([0b011, 0b110, 0b101])
    2
    """
    basis: list[int] = []
    for row in rows:
        reduced = row
        for pivot in basis:
            reduced = min(reduced, reduced ^ pivot)
        if reduced:
            basis.append(reduced)
    return len(basis)


def reduced_rows(rows: Sequence[int], n_columns: int) -> tuple[list[int], list[int]]:
    """Reduced row echelon form: the nonzero rows, and the pivot column of each.

    >>> reduced_rows([0b111, 0b101], 3)
    ([5, 2], [0, 1])
    """
    work = list(rows)
    pivots: list[int] = []
    for column in range(n_columns):
        depth = len(pivots)
        pivot = next((i for i in range(depth, len(work)) if work[i] >> column & 1), None)
        if pivot is None:
            continue
        work[depth], work[pivot] = work[pivot], work[depth]
        for i in range(len(work)):
            if i != depth and work[i] >> column & 1:
                work[i] ^= work[depth]
        pivots.append(column)
    return work[: len(pivots)], pivots


def null_space(rows: Sequence[int], n_columns: int) -> list[int]:
    """A basis of {x : Ax = 0}, one packed vector for every free column, in ascending order.

    >>> null_space([0b011, 0b110], 3)
    [7]
    """
    echelon, pivots = reduced_rows(rows, n_columns)
    basis = []
    for free in sorted(set(range(n_columns)) - set(pivots)):
        vector = 1 << free
        for row, pivot in zip(echelon, pivots, strict=True):
            vector |= (row >> free & 1) << pivot
        basis.append(vector)
    return basis


def dependent_columns(rows: Sequence[int], n_columns: int) -> int:
    """The columns that are combinations of the others, as an int with bit j set for column j.

    They are the support of the kernel: removing one of them leaves the rank as it is.

    >>> bin(dependent_columns([0b0011, 0b0100], 4))
    '0b1011'
    """
    support = 0
    for vector in null_space(rows, n_columns):
        support |= vector
    return support


def solve(rows: Sequence[int], n_columns: int, target: int) -> int | None:
    """One x with Ax = target (bit i of `target` belongs to row i), or None if there is none.

    >>> solve([0b01, 0b11], 2, 0b10)
    2
    """
    augmented = [row | (target >> i & 1) << n_columns for i, row in enumerate(rows)]
    echelon, pivots = reduced_rows(augmented, n_columns + 1)
    if pivots and pivots[-1] == n_columns:
        return None
    return sum((row >> n_columns & 1) << p for row, p in zip(echelon, pivots, strict=True))


def inverse(rows: Sequence[int]) -> list[int] | None:
    """The packed rows of the inverse of a square matrix, or None if it is singular.

    >>> inverse([0b11, 0b10])
    [3, 2]
    """
    n = len(rows)
    augmented = [row | 1 << (n + i) for i, row in enumerate(rows)]
    echelon, pivots = reduced_rows(augmented, n)
    if len(pivots) < n:
        return None
    return [row >> n for row in echelon]
