"""Rank of A_(R,C) while rows R and columns C join one by one.

A walk through the correction lattice asks for rank A_(S∪{j},S) at every step, and S grows by one
bit a step. Keeping *all* rows reduced against the pivots found so far makes each question one
word operation - does row j still have an entry in the columns of S? - and each step one pass over
the rows. The compiled subset programme keeps the same state.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["GrowingRank"]


class GrowingRank:
    """Rank of the submatrix of the rows and columns added so far; starts empty, with rank 0.

    Args:
        rows: the packed rows of A.

    Invariant: every row is reduced against the pivot rows, so a row that was not added extends
    the row space exactly if it has an entry in an added column.

    >>> growing = GrowingRank([0b10, 0b01])          # y_0 = x_1, y_1 = x_0
    >>> growing.add_column(0)
    >>> growing.extends(1), growing.extends(0)
    (True, False)
    >>> growing.add_row(1); growing.rank
    1
    """

    __slots__ = ("_columns", "_free_rows", "_rows", "rank")

    def __init__(self, rows: Sequence[int]) -> None:
        self._rows = list(rows)
        self._columns = 0
        self._free_rows: list[int] = []  # added, but without a pivot yet
        self.rank = 0

    def extends(self, i: int) -> bool:
        """Whether adding row i would raise the rank, for a row i not added yet."""
        return self._rows[i] & self._columns != 0

    def add_row(self, i: int) -> None:
        """Add row i."""
        entries = self._rows[i] & self._columns
        if entries:
            self._pivot(i, entries & -entries)
        else:
            self._free_rows.append(i)

    def add_column(self, j: int) -> None:
        """Add column j."""
        bit = 1 << j
        self._columns |= bit
        for i in self._free_rows:
            if self._rows[i] & bit:
                self._free_rows.remove(i)
                self._pivot(i, bit)
                return

    def _pivot(self, i: int, bit: int) -> None:
        rows, pivot = self._rows, self._rows[i]
        self._rows = [row ^ pivot if row & bit else row for row in rows]
        self._rows[i] = pivot
        self.rank += 1
