r"""Cells of a text table: what separates them, which lines are comments, and how numbers look.

The first line decides whether commas, semicolons, tabs or blanks separate the columns. A separator
may end the lines. Text after `#` is a comment, and so is a line that begins with `%`.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import FileError
from lccmodel.kernels.notice import say
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

CellRow = tuple[int, list[str]]
"""The number of a line and its cells."""

_RANK = re.compile(r"([0-9]{1,20})(\.0*)?")
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eEdD][-+]?[0-9]+)?")
_NO_NUMBER = re.compile(r"[-+]?(nan|na|inf|infinity)", re.IGNORECASE)
_INTEGER = re.compile(r"[-+]?[0-9]+")
_COMMA = re.compile(r"[0-9]+,[0-9]+")
_EXACT = 1 << 53
_LONG = 40
_LONGEST = 1 << 22
"""A longer line is one cell: its parts would take 40 times its size, and no row has so many."""


def split_lines(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Yield (number, content, cells) of the lines of a table; the first one has the separator.

    >>> list(split_lines("source; time  # a comment\\n\\n0; 7"))
    [(1, 'source; time', ['source', 'time']), (3, '0; 7', ['0', '7'])]
    """
    split: Callable[[str], list[str]] | None = None
    start, number = 0, 0
    while start <= len(text):
        end = text.find("\n", start)
        content = text[start : end if end >= 0 else len(text)]
        start, number = (end + 1 if end >= 0 else len(text) + 1), number + 1
        if "#" in content:
            content = content.split("#")[0]
        bare = content.strip()
        if not bare or bare[0] == "%":
            continue
        if split is None:
            split = _splitter(content)
        yield number, bare, split(content)


def separator_of(line: str) -> str | None:
    """Return what separates the columns of a line; None for blanks."""
    marks = ",;\t".replace(stated().decimal, "")
    return next((mark for mark in marks if mark in line), None)


def _splitter(first: str) -> Callable[[str], list[str]]:
    mark = separator_of(first.strip())

    def plain(line: str) -> list[str]:
        if len(line) > _LONGEST:
            return [line.strip()]
        if '"' in line:
            cells = [cell for cell in quoted_cells(line.strip(), mark or " ") if mark or cell]
            return cells or [line.strip()]  # a quote alone is text, and no number
        if mark == "\t" and mark not in line:  # a table that is typed: tabs here, blanks there
            return line.split()
        return [cell.strip() for cell in line.strip("\n\r " if mark == "\t" else None).split(mark)]

    return plain


def quoted_cells(line: str, mark: str) -> list[str]:
    """Return the stripped cells of a line with quotes; the line if a cell is too long for any."""
    try:
        cells = next(csv.reader([line], delimiter=mark, skipinitialspace=True))
    except csv.Error:
        return [line]
    return [cell.strip() for cell in cells]


def is_number(cell: str) -> bool:
    """Return whether a cell is a number, with the decimal mark that is stated."""
    if stated().decimal == ",":
        cell = cell.replace(".", "x").replace(",", ".")
    return _NUMBER.fullmatch(cell) is not None


def is_numeral(cell: str) -> bool:
    """Return whether a cell is a number or means one, as nan and NA do."""
    return is_number(cell) or _NO_NUMBER.fullmatch(cell) is not None


def rank_in(text: Text, line: int, cell: str) -> int:
    """Return the rank that a cell names, counted from 0.

    Raises:
        FileError: not an integer below 2^63, or below the first rank that is stated.
    """
    match = _RANK.fullmatch(cell)
    if match is None and _NUMBER.fullmatch(cell) and len(cell) < _LONG:  # 1.000e+00 of numpy
        value = float(cell.replace("D", "e").replace("d", "e"))
        if value.is_integer() and 0 <= value < _EXACT:
            match = _RANK.fullmatch(str(int(value)))
    if match is None or int(match[1]) >> 63:
        rule = "a node must be an integer from 0 to 2^63 - 1"
        if ";" in cell or _COMMA.fullmatch(cell):
            rule += "; state the decimal comma where volumes have one (--decimal ,)"
        raise FileError(text.path, line, rule, cell)
    first = stated().first_rank or 0
    if int(match[1]) < first:
        raise FileError(text.path, line, f"ranks count from {first} here", cell)
    return int(match[1]) - first


def volume_in(text: Text, line: int, cell: str) -> int | float:
    """Return the volume that a cell says, an integer if it is written as one.

    Raises:
        FileError: not a finite number, or a negative one.
    """
    comma = stated().decimal == ","
    plain = cell.replace(".", "x").replace(",", ".") if comma else cell
    volume: int | float = -1
    if _INTEGER.fullmatch(plain) and len(plain) < 300:
        volume = int(plain)
    elif _NUMBER.fullmatch(plain):
        volume = float(plain.replace("D", "e").replace("d", "e"))  # Fortran's double precision
    if not 0 <= volume < float("inf"):
        rule = "a volume must be a finite number, not negative"
        if comma:
            rule += ", with a decimal comma"
        elif _COMMA.fullmatch(cell):
            rule += "; state the decimal comma where volumes have one (--decimal ,)"
        raise FileError(text.path, line, rule, cell)
    return volume


def quick_numbers(
    text: Text, skip: int = 0, columns: Sequence[int] | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]] | None:
    """Return all numbers of a large table and the line of every row, compiled; None if it cannot.

    What it cannot read, or would round, is left to the readers that name the line of a fault.

    Args:
        text: the file.
        skip: rows to leave out at the beginning.
        columns: the columns to read; all by default.
    """
    content = text.content
    if len(content) < _LARGE or stated().decimal != ".":
        return None
    first = next(split_lines(text.head), None)
    if first is None:
        return None
    plain = not any(mark in content for mark in ("#", "%", "\n\n", "\n \n"))
    many = content.count("\n") + (not content.endswith("\n"))
    numbers = np.arange(1, many + 1) if plain else np.fromiter(_filled(content), np.int64)
    numbers = numbers[skip:]
    mark = separator_of(first[1])
    table: Any = _of_blocks(text, numbers, skip, columns) if plain else None
    try:
        if table is None:
            table = np.loadtxt(
                _lines_of(content), comments=None if plain else ["#", "%"], delimiter=mark,
                skiprows=skip and int(numbers[0]) - 1, usecols=columns, ndmin=2,
            )  # fmt: skip
    except (ValueError, IndexError, OverflowError):
        return None
    exact = table.size and len(table) == len(numbers) and bool((table < _EXACT).all())
    return (table, numbers) if exact and bool((table >= 0).all()) else None


_BLOCK = 1 << 23
"""Characters that are read at once."""
_SEPARATORS = np.zeros(256, np.bool_)
_SEPARATORS[list(b" \t,;\n")] = True


def _of_blocks(
    text: Text, numbers: npt.NDArray[np.int64], skip: int, columns: Sequence[int] | None = None
) -> npt.NDArray[np.float64] | None:
    """Return the numbers of a table that has as many in every line, block by block; else None.

    The numbers of a block are read as one list. Each line must begin as many words as the first, so
    that none is missing or has two readings.
    """
    content = text.content
    begin = 0
    for _ in range(skip):
        begin = content.find("\n", begin) + 1
    if not len(numbers) or (skip and not begin) or not content.isascii():
        return None
    first = content[begin : begin + _LINE].partition("\n")[0]
    width = len(re.split(r"[ \t]*[,;][ \t]*|[ \t]+", first.strip(" \t")))
    places = list(range(width)) if columns is None else list(columns)
    table = np.empty((len(numbers), len(places)))
    filled = 0
    try:
        while begin < len(content):
            say(f"reading {text.name}: {100 * begin // len(content)} %")
            end = content.rfind("\n", begin, begin + _BLOCK) + 1 or len(content)
            end = len(content) if begin + _BLOCK >= len(content) else end
            rows = _rows_of_block(content[begin:end], width)
            if rows is None or filled + len(rows) > len(table):
                return None
            table[filled : filled + len(rows)] = rows[:, places]
            filled, begin = filled + len(rows), end
    finally:
        say("")
    return table if filled == len(table) else None


_LINE = 1 << 12


def _rows_of_block(block: str, width: int) -> npt.NDArray[np.float64] | None:
    """Return the rows of whole lines, or None if a line has another number of words."""
    block = block if block.endswith("\n") else block + "\n"
    letters = np.frombuffer(block.encode(), np.uint8)
    apart = _SEPARATORS[letters]
    ends = np.flatnonzero(letters == ord("\n"))
    begins = np.flatnonzero(~apart[1:] & apart[:-1]) + 1  # of words, but for the first
    words = np.searchsorted(begins, ends) + (not apart[0])
    if (np.diff(words, prepend=0) != width).any():
        return None
    mark = "," if "," in block else ";"
    if mark in block:  # a cell is empty, if a line has more marks than words between them
        marks = np.searchsorted(np.flatnonzero(letters == ord(mark)), ends)
        if (np.diff(marks, prepend=0) != width - 1).any() or (mark == "," and ";" in block):
            return None
        block = block.replace(mark, " ")
    with _FILTERS, warnings.catch_warnings():  # filters belong to all threads
        warnings.simplefilter("error", DeprecationWarning)  # what numpy says of a word
        try:
            values = np.fromstring(block, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    return values.reshape(-1, width) if values.size == len(ends) * width else None


_FILTERS = Lock()
"""Taken while the filters of warnings differ: two threads would put back each other's."""

_LARGE = 1 << 20
"""Characters from which a table is read by compiled code."""


def _lines_of(content: str) -> Iterator[str]:
    start = 0
    while (end := content.find("\n", start)) >= 0:
        yield content[start:end]
        start = end + 1
    if start < len(content):
        yield content[start:]


def _filled(content: str) -> Iterator[int]:
    """Yield the numbers of the lines that hold a row."""
    for number, line in enumerate(_lines_of(content), start=1):
        bare = line.split("#")[0].strip() if "#" in line else line.strip()
        if bare and bare[0] != "%":
            yield number
