"""Reading a certificate: numbers and matrices over GF(2), each refused where it is none.

A row of a matrix is an int whose bit j is column j; its text has digit j at place j.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Rows = list[int]


class Refused(Exception):  # noqa: N818  # a verdict, not an error
    """The certificate does not prove what it states; the text says where."""


def need(ok: bool, why: str) -> None:
    """Refuse the certificate unless something holds."""
    if not ok:
        raise Refused(why)


def read_whole(value: Any, least: int = 0, most: int | None = None) -> int:
    """A whole number in a range."""
    need(type(value) is int and value >= least, f"{value!r} must be a whole number >= {least}")
    need(most is None or value <= most, f"{value!r} must be at most {most}")
    number: int = value
    return number


def read_number(value: Any) -> Fraction:
    """A number that is not negative: an integer, or a text such as "3/2"."""
    need(type(value) is int or isinstance(value, str), f"{value!r} must be a number")
    number = Fraction(value)
    need(number >= 0, f"{value!r} must not be negative")
    return number


# -- Matrices over GF(2): a row is an int whose bit j is column j ----------------------------------


def read_bits(text: Any, n: int) -> int:
    """A text of n digits, bit 0 first."""
    need(isinstance(text, str) and len(text) == n and not set(text) - {"0", "1"}, "not bits")
    return sum(1 << j for j, digit in enumerate(text) if digit == "1")


def read_matrix(texts: Any, n_rows: int, n_columns: int) -> Rows:
    """A matrix of texts."""
    need(isinstance(texts, list) and len(texts) == n_rows, f"a matrix must have {n_rows} rows")
    return [read_bits(text, n_columns) for text in texts]


def product_of(left: Rows, right: Rows) -> Rows:
    """The product, right applied first."""
    return [row_sum(right, row) for row in left]


def row_sum(rows: Rows, chosen: int) -> int:
    """The sum of the rows whose bits are set in `chosen`."""
    total = 0
    for k, row in enumerate(rows):
        total ^= row if chosen >> k & 1 else 0
    return total


def parity(row: int, x: int) -> int:
    """Row times column, over GF(2)."""
    return (row & x).bit_count() & 1


def image_of(rows: Rows, x: int) -> int:
    """The matrix times a column x."""
    return sum(parity(row, x) << i for i, row in enumerate(rows))


def columns_of(rows: Rows, columns: Sequence[int]) -> Rows:
    """The columns that are named, in their order."""
    return [sum((row >> c & 1) << k for k, c in enumerate(columns)) for row in rows]


def unit_rows(n: int) -> Rows:
    """The rows of the identity."""
    return [1 << i for i in range(n)]


def rank_of(rows: Rows) -> int:
    """By elimination."""
    basis: list[int] = []
    for row in rows:
        for kept in basis:
            row = min(row, row ^ kept)
        basis += [row] * (row > 0)
    return len(basis)
