"""The strict reader of certificates: numbers, words, lists and matrices over GF(2).

Every entry of a certificate passes one of these functions, which refuse all but one spelling. An
integer is a JSON integer. A fraction is a text p/q in ASCII digits. Neither has a sign, a space, a
point or an exponent, and each of p and q has at most `MAX_DIGITS` digits. A truth value is true or
false. Limits on sizes keep the time and memory of a check within those of an honest certificate.

A row of a matrix is an int whose bit j is column j; its text has digit j at place j.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

Rows = list[int]

MAX_BYTES = 1 << 26
"""The largest size of a certificate's file."""

MAX_DIGITS = 400
"""The most digits of an integer: an exact decimal of any double has fewer behind its point."""

_LARGEST = 10**MAX_DIGITS

_MAX_DEPTH = 16
"""The deepest nesting of lists and objects; certificates need 7."""

_NUMBER = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}(?:/[0-9]{{1,{MAX_DIGITS}}})?")


class Refused(Exception):  # noqa: N818  # a verdict, not an error
    """The certificate does not prove what it states; the text says where."""


def need(ok: bool, why: str) -> None:
    """Refuse the certificate unless something holds."""
    if not ok:
        raise Refused(why)


def certificate_from(text: str) -> dict[str, Any]:
    """Read the JSON text of a certificate.

    Raises:
        Refused: an object has a key twice, or a number is no integer of at most `MAX_DIGITS`
            digits.
        ValueError: the text is no JSON object.

    >>> certificate_from('{"kind": "linear", "kind": "degree"}')
    Traceback (most recent call last):
    ...
    lccmodel.certificates.parser.Refused: the key "kind" is given twice in one object
    """
    read = json.loads(
        text,
        object_pairs_hook=_without_twins,
        parse_int=_integer,
        parse_float=_no_float,
        parse_constant=_no_float,
    )
    if not isinstance(read, dict):
        raise ValueError("a certificate is a JSON object")
    return read


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        twin = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise Refused(f"the key {quoted(twin)} is given twice in one object")
    return entries


def _integer(digits: str) -> int:
    need(len(digits) <= MAX_DIGITS + 1, f"an integer has more than {MAX_DIGITS} digits")
    return int(digits)


def _no_float(text: str) -> float:
    raise Refused(f'{quoted(text)} must be an integer, or a fraction as a text such as "3/2"')


def quoted(value: Any) -> str:
    """Show an entry as JSON writes it, cut to the length of a line.

    >>> quoted("cube:٢"), quoted([[[1]]])
    ('"cube:\\\\u0662"', 'a list')
    """
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and abs(value) >= _LARGEST:
        return f"an integer of more than {MAX_DIGITS} digits"
    try:
        text = json.dumps(value if not isinstance(value, str) else value[:60])
    except TypeError:
        text = type(value).__name__
    return text if len(text) <= 60 else text[:59] + "…"


def check_types(value: Any, depth: int = 0) -> None:
    """Refuse a certificate with an entry that JSON integers, texts and lists cannot hold."""
    if type(value) in (str, bool, type(None)):
        return
    if type(value) is int:
        need(abs(value) < _LARGEST, f"an integer has more than {MAX_DIGITS} digits")
        return
    need(type(value) in (list, dict), f"{quoted(value)} must be an integer, a text or a list")
    need(depth < _MAX_DEPTH, f"lists are nested more than {_MAX_DEPTH} deep")
    if type(value) is dict:
        need(all(type(key) is str for key in value), "every key must be a text")
    for inner in value.values() if type(value) is dict else value:
        check_types(inner, depth + 1)


def read_whole(value: Any, least: int = 0, most: int | None = None) -> int:
    """An integer in a range."""
    ok = type(value) is int and least <= value < _LARGEST
    need(ok, f"{quoted(value)} must be a whole number >= {least}")
    need(most is None or value <= most, f"{quoted(value)} must be at most {most}")
    number: int = value
    return number


def read_number(value: Any) -> Fraction:
    """A number that is not negative: an integer, or a text such as "3/2".

    >>> read_number("3/2")
    Fraction(3, 2)
    >>> read_number("1e9")
    Traceback (most recent call last):
    ...
    lccmodel.certificates.parser.Refused: "1e9" must be an integer >= 0, or a text such as "3/2"
    """
    if type(value) is int and 0 <= value < _LARGEST:
        return Fraction(value)
    ok = isinstance(value, str) and _NUMBER.fullmatch(value) is not None
    need(ok, f'{quoted(value)} must be an integer >= 0, or a text such as "3/2"')
    over, _, below = value.partition("/")
    need(not below or int(below) > 0, f"{quoted(value)} divides by 0")
    return Fraction(int(over), int(below or 1))


def read_flag(value: Any) -> bool:
    """true or false."""
    need(type(value) is bool, f"{quoted(value)} must be true or false")
    flag: bool = value
    return flag


def read_name(value: Any, names: Iterable[str]) -> str:
    """One of some names."""
    known = list(names)
    need(isinstance(value, str) and value in known, f"{quoted(value)} must be {' or '.join(known)}")
    name: str = value
    return name


def read_list(value: Any, length: int | None = None, what: str = "a list") -> list[Any]:
    """A list, of a length where one is given."""
    need(isinstance(value, list), f"{what} must be a list")
    need(length is None or len(value) == length, f"{what} must have {length} entries")
    entries: list[Any] = value
    return entries


def read_part(value: Any, what: str) -> Mapping[str, Any]:
    """An object with keys."""
    need(isinstance(value, dict), f"{what} must be an object")
    part: Mapping[str, Any] = value
    return part


def read_order(value: Any, n: int) -> list[int]:
    """0..n - 1 in some order."""
    order = [read_whole(k, 0, n - 1) for k in read_list(value, n, "the order")]
    need(len(set(order)) == n, f"the order must contain 0..{n - 1}, each once")
    return order


def common_denominator(numbers: Iterable[Fraction]) -> int:
    """The least common denominator; sums of numbers without a short one are refused."""
    below = 1
    for number in numbers:
        below = lcm(below, number.denominator)
        need(below < _LARGEST, f"the common denominator has more than {MAX_DIGITS} digits")
    return below


# -- Matrices over GF(2): a row is an int whose bit j is column j ----------------------------------


def read_bits(text: Any, n: int) -> int:
    """A text of n digits, bit 0 first."""
    need(isinstance(text, str) and len(text) == n and not set(text) - {"0", "1"}, "not bits")
    return sum(1 << j for j, digit in enumerate(text) if digit == "1")


def read_matrix(texts: Any, n_rows: int, n_columns: int) -> Rows:
    """A matrix of texts."""
    rows = read_list(texts, n_rows, "a matrix")
    return [read_bits(text, n_columns) for text in rows]


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
