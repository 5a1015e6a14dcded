r"""Rows of numbers, as pandas, numpy, R, Open MPI's profile2mat, EZTrace and people write them.

    0 4 0 \n 0 0 0 \n 5 0 0          a matrix, or messages: the table in `communication.rows`
    3 \n 0 4 0 \n 0 0 0 \n 5 0 0     the number of ranks may stand first
    ,r0,r1 \n r0,0,4 \n r1,5,0       labels at both sides, or at one
    [[0 4 0] \n [0 0 0] \n [5 0 0]]  numpy's print, JSON
         [,1] [,2] \n [1,] 0 4 ...   R's print

A matrix that is symmetric may hold half the sum of both directions in both cells, as Open MPI's
scripts write it; a note says so. Files whose name says that they hold numbers of messages are
refused unless "counts" is stated.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.columns import meaning_of, ranks_of_names
from lccmodel.communication.conversion import described_by_array
from lccmodel.communication.program import Entry, as_file_error
from lccmodel.communication.rows import Described, Shape, described_by_rows, shape_of
from lccmodel.errors import FileError, InputError
from lccmodel.reading.cells import (
    CellRow,
    is_number,
    is_numeral,
    quick_numbers,
    rank_in,
    split_lines,
    volume_in,
)
from lccmodel.reading.entries import found_traffic, traffic_entry
from lccmodel.reading.found import LOOSE, STRICT, Format, Found
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

_COUNTS = re.compile(r"(^|_)(msg|avg)(_|$)|message_number", re.IGNORECASE)
_SYMMETRIC = (
    "the matrix is symmetric: each value is sent each way; Open MPI's profile2mat and "
    "aggregate_profile write half the sum of both directions in both cells, and then the "
    "direction is not in this file"
)
_BRACKETS = re.compile(r"(?:(?:np\.)?array\(\s*|matrix\(\s*)?\[\s*\[[-+\d\s.]")
_LIKE_NUMBER = re.compile(r"[-+.]?[0-9][-+0-9.,;e]*|nan|na|inf(inity)?", re.IGNORECASE)
_EXACT = 1 << 53
_DESTINATIONS = re.compile(r"\[[\d\s,]+\]\s*")
_INNER = re.compile(r"\[([^\[\]]*)\]")
_R_HEADER = re.compile(r"\s*(\[,\d+\]\s*)+")


# -- recognition -------------------------------------------------------------------------------


def first_rows(text: Text, most: int = 3) -> list[list[str]]:
    """Return the cells of the first rows."""
    rows: list[list[str]] = []
    for _, _, cells in split_lines(text.head):
        rows.append(cells)
        if len(rows) == most:
            break
    return rows


def _is_rows(text: Text) -> bool:
    """Whether the first rows are numbers, perhaps below and behind labels."""
    rows = first_rows(text)
    if not rows or _R_HEADER.fullmatch(text.head.lstrip().partition("\n")[0]):
        return bool(rows)
    plain = [[cell for cell in row if cell] for row in rows]
    if all(map(_LIKE_NUMBER.fullmatch, rows[0])):
        return True
    if any(meaning_of(cell) in ("source", "destination") for cell in rows[0]):
        return False
    behind = all(row and all(map(_LIKE_NUMBER.fullmatch, row[1:])) for row in plain[1:])
    is_filled = any(len(row) > 1 for row in plain[1:])
    return behind and is_filled and len(plain[0]) > 1


def _is_bracketed(text: Text) -> bool:
    head = text.head.lstrip()
    return bool(_BRACKETS.match(head) or _DESTINATIONS.fullmatch(text.content.strip()))


# -- reading -----------------------------------------------------------------------------------


def read_rows(text: Text) -> Found:
    """Return the messages of rows of numbers.

    Raises:
        FileError: with the line of the fault.
    """
    check_counts(text)
    quick = quick_numbers(text)
    if quick is not None:
        table, lines = quick
        whole = bool((table == np.floor(table)).all())
        return _found(text, table.astype(np.int64) if whole else table, lines)
    if _R_HEADER.fullmatch(text.head.lstrip("\n").partition("\n")[0]):
        return _labelled(text, *_of_r(text))
    lines_of = [(number, cells) for number, _, cells in split_lines(text.content)]
    if not lines_of:
        raise FileError(text.path, 0, "holds no messages", text.content)
    rows = _without_ends(lines_of)
    _refuse_blocks(text, rows)
    rows, left_out = _without_totals(rows)
    names = _labels(text, rows)
    if names is not None:
        traffic = _labelled(text, *names)
        return replace(traffic, notes=(*traffic.notes, *left_out))
    rows = _without_count(rows)
    width = len(rows[0][1])
    for line, cells in rows:
        if len(cells) != width:
            raise FileError(text.path, line, f"must have {width} columns", ", ".join(cells))
    rows, index = _without_index(rows)
    numbers, lines = _values(text, rows)
    traffic = _found(text, numbers, lines)
    return replace(traffic, notes=(*traffic.notes, *index))


def read_bracketed(text: Text) -> Found:
    """Return the messages of an array as numpy, Python or JSON prints it.

    Raises:
        FileError: with the line of the fault; an array that numpy has shortened.
    """
    check_counts(text)
    content = text.content
    if "..." in content:
        rule = "must be the whole array; numpy has shortened it (numpy.savetxt writes all of it)"
        raise FileError(text.path, content[: content.index("...")].count("\n") + 1, rule, "...")
    rows: list[CellRow] = []
    for match in _INNER.finditer(content):
        line = content.count("\n", 0, match.start()) + 1
        rows.append((line, [cell for cell in re.split(r"[\s,;]+", match[1].strip()) if cell]))
    if not rows or len({len(cells) for _, cells in rows}) != 1:
        raise FileError(text.path, 0, "rows of an array must have one length", len(rows))
    if len(rows) == 1 and _DESTINATIONS.fullmatch(content.strip()):
        line, cells = rows[0]
        ends = np.array([rank_in(text, line, cell) for cell in cells], np.int64)
        entry = traffic_entry(
            text, described_by_array(ends), f"{len(ends)} destinations", line=line
        )
        return found_traffic(text, "matrix-text", (entry,))
    return _found(text, *_values(text, rows))


def check_counts(text: Text) -> None:
    """Refuse numbers of messages, or averages, by the name of the file, unless they are stated.

    Raises:
        FileError: the name says so, and "counts" is not stated.
    """
    if _COUNTS.search(text.stem) and stated().shape is None:
        rule = "must contain volumes; its name says numbers of messages or averages (--as counts)"
        raise FileError(text.path, 0, rule, text.name)


def _values(text: Text, rows: Sequence[CellRow]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """Return the numbers of all rows and their lines; every cell is checked."""
    width = len(rows[0][1])
    places = 2 if _is_narrow(text, rows) else 0
    numbers = [
        [
            _rank_as_written(text, line, cell) if k < places else volume_in(text, line, cell)
            for k, cell in enumerate(cells)
        ]
        for line, cells in rows
    ]
    lines = np.array([line for line, _ in rows], np.int64)
    array = np.array(numbers)
    if array.dtype.kind == "f" and places and array[:, :2].max() >= _EXACT:
        array = np.array(numbers, dtype=object)  # a float does not hold these ranks
    elif array.dtype.kind not in "iuf":  # volumes beyond 64 bits, as floats
        array = array.astype(np.float64)
    return array.reshape(len(rows), width), lines


def _rank_as_written(text: Text, line: int, cell: str) -> int:
    """Return the rank that a cell names as it is written, from 0 or 1."""
    return rank_in(text, line, cell) + (stated().first_rank or 0)


def _is_narrow(text: Text, rows: Sequence[CellRow]) -> bool:
    """Whether rows of two or three cells are messages, so that ends are checked as ranks."""
    width = len(rows[0][1])
    if width not in (2, 3) or stated().shape == "matrix":
        return False
    if len(rows) != width:
        return True
    try:
        floats = np.array([[volume_in(text, line, cell) for cell in c] for line, c in rows])
        return shape_of(floats.astype(np.float64), stated_shape()) == "messages"
    except FileError:  # reported by the column in which it stands
        return True
    except InputError:
        return False


def stated_shape() -> Shape | None:
    """Return what the caller states that rows of numbers are."""
    shape = stated().shape
    return "matrix" if shape in ("matrix", "counts") else "messages" if shape else None


def known_first() -> int | None:
    """Return what the first rank is called; 0 if the number of address bits is stated."""
    options = stated()
    return 0 if options.n is not None and options.first_rank is None else options.first_rank


def rule_in_file(error: InputError) -> str:
    """Return the rule of an error on rows of numbers, with the remedies for files alone."""
    rule = error.rule.split("; Traffic.of")[0]
    return rule + ")" * (rule.count("(") - rule.count(")"))


def _found(text: Text, numbers: npt.NDArray[Any], lines: npt.NDArray[np.int64]) -> Found:
    """Return the messages of rows of numbers, with the line of every message."""
    try:
        described = described_by_rows(numbers, stated_shape(), first_rank=known_first())
    except InputError as error:
        line = int(lines[0]) if "square" in error.rule else 0
        if "look numbered from one" in error.rule:
            line = int(lines[int(numbers[:, :2].max(axis=1).argmax())])
        raise FileError(text.path, line, rule_in_file(error), error.value) from error
    rows = len(numbers)
    if described.ranks is None:
        many = "pair" if rows == 1 else "pairs"
        entry = traffic_entry(text, described, f"{rows} {many}", lines=lines)
    else:
        sources = np.asarray(described.messages)[:, 0]
        entry = traffic_entry(text, described, matrix_origin(described), line=int(lines[0]),
                         lines=lines[sources])  # fmt: skip
    return _matrix_found(text, entry, numbers, described.notes)


def matrix_origin(described: Described) -> str:
    """Return how a matrix was described."""
    return f"communication matrix, {len(described.messages)} entries"


def _matrix_found(
    text: Text, entry: Entry, numbers: npt.NDArray[Any], notes: Sequence[str]
) -> Found:
    """Return the traffic of a matrix, with notes on symmetry and counts."""
    all_notes = list(notes)
    if entry.origin.startswith("communication matrix"):
        all_notes += symmetry_note(numbers)
    if stated().shape == "counts":
        all_notes.append("volumes are numbers of messages, as stated, not bytes")
    return found_traffic(text, "matrix-text", (entry,), all_notes)


def symmetry_note(matrix: npt.NDArray[Any]) -> list[str]:
    """Return a note if a matrix is symmetric and not diagonal."""
    symmetric = np.array_equal(matrix, matrix.T)
    return [_SYMMETRIC] if symmetric and (matrix != np.diag(np.diag(matrix))).any() else []


# -- what stands around the numbers ---------------------------------------------------------------


def _without_ends(rows: list[CellRow]) -> list[CellRow]:
    """Return the rows without the empty cell behind a separator that ends every line."""
    body = rows[1:] or rows
    head = rows[0][1]
    if head[-1] != "" and not is_numeral(head[0]) and len(head) == len(body[0][1]):
        return rows  # the last name has a column of empty cells
    while all(len(cells) > 1 and cells[-1] == "" for _, cells in body):
        width = len(body[0][1])
        rows = [(n, c[:-1] if len(c) >= width and c[-1] == "" else c) for n, c in rows]
        body = rows[1:] or rows
    return rows


_TOTALS = ("total", "sum", "all", "totals", "grand total")


def _without_totals(rows: list[CellRow]) -> tuple[list[CellRow], list[str]]:
    """Return the rows without a last row and a last column of sums, and a note on them."""
    is_total = [len(rows) > 2 and rows[0][1][-1].lower() in _TOTALS]
    is_total.append(len(rows) > 2 and rows[-1][1][0].lower() in _TOTALS)
    if is_total[0]:
        width = len(rows[1][1])
        rows = [rows[0], *[(n, c[:-1] if len(c) == width else c) for n, c in rows[1:]]]
        rows[0] = (rows[0][0], rows[0][1][:-1])
    rows = rows[:-1] if is_total[1] else rows
    return rows, ["the sums of rows and columns are left out"] * any(is_total)


def _refuse_blocks(text: Text, rows: list[CellRow]) -> None:
    """Refuse several square matrices with blank lines between them.

    Raises:
        FileError: there are several, at the first line of the second.
    """
    starts = [k for k in range(1, len(rows)) if rows[k][0] > rows[k - 1][0] + 1]
    sides = {end - start for start, end in zip([0, *starts], [*starts, len(rows)], strict=True)}
    if starts and len(sides) == 1 and {len(cells) for _, cells in rows} == sides and 1 not in sides:
        rule = "must contain one matrix; blank lines part several: a file for each"
        raise FileError(text.path, rows[starts[0]][0], rule, f"{len(starts) + 1} matrices")


def _without_count(rows: list[CellRow]) -> list[CellRow]:
    """Return the rows without the number of ranks on the first line."""
    first, ranks = rows[0][1], len(rows) - 1
    if ranks and len(first) <= 2 and len(rows[1][1]) == ranks != len(first):
        return rows[1:] if set(first) == {str(ranks)} else rows
    return rows


def _without_index(rows: list[CellRow]) -> tuple[list[CellRow], list[str]]:
    """Return the rows of a matrix without a first column 0, 1, ..., and a note on it."""
    k = len(rows)
    if k < 3 or len(rows[0][1]) != k + 1:
        return rows, []
    if [cells[0] for _, cells in rows] != [str(i) for i in range(k)]:
        return rows, []
    return [(line, cells[1:]) for line, cells in rows], ["the first column is an index"]


def _labels(text: Text, rows: list[CellRow]) -> tuple[list[CellRow], list[str], list[str]] | None:
    """Return the rows, their names and the names of the columns; None without labels."""
    head, body = rows[0][1], rows[1:]
    k = len(body)
    if len(rows) < 2:
        return None
    if all(len(cells) == k + 1 for _, cells in body):
        corner = len(head) == k + 1 and not is_number(head[0])
        if corner or (len(head) == k and k > 1):
            inner = [(line, cells[1:]) for line, cells in body]
            return inner, [cells[0] for _, cells in body], head[-k:]
    if all(len(cells) == k for _, cells in body) and not any(map(is_number, head)):
        return body, list(head), list(head)
    if all(len(c) == len(rows) + 1 and not is_number(c[0]) for _, c in rows):
        names = [cells[0] for _, cells in rows]
        if all(map(is_numeral, head[1:])):
            return [(line, cells[1:]) for line, cells in rows], names, names
    if not all(map(is_numeral, head)) and not is_numeral(head[0]):
        rule = f"a matrix must be square, with {len(head)} names for {k} rows"
        raise FileError(text.path, rows[0][0], rule, ", ".join(head))
    return None


def _of_r(text: Text) -> tuple[list[CellRow], list[str], list[str]]:
    """Return the rows and names of a matrix as R prints it, block of columns by block."""
    rows: dict[str, CellRow] = {}
    for number, line in text.filled():
        if _R_HEADER.fullmatch(line):
            continue
        name, *cells = line.split()
        at, known = rows.get(name, (number, []))
        rows[name] = (at, known + cells)
    names = list(rows)
    return list(rows.values()), names, names


def _labelled(text: Text, rows: list[CellRow], names: list[str], heads: list[str]) -> Found:
    """Return the traffic of a matrix with names; columns are put in the order of the rows."""
    k = len(names)
    for line, cells in rows:
        if len(cells) != k:
            rule = f"a matrix must be square: {k} numbers behind the name"
            raise FileError(text.path, line, rule, ", ".join(cells))
    for line, name in zip((line for line, _ in rows), names, strict=True):
        if names.count(name) > 1:
            raise FileError(text.path, line, "the names of a matrix must differ", name)
    empty = any("" in cells for _, cells in rows)
    rows = [(line, [cell or "0" for cell in cells]) for line, cells in rows]
    ranks, note = ranks_of_names(names)
    columns = _column_ranks(text, rows[0][0] - 1, names, heads, ranks)
    plain = np.array([[volume_in(text, n, cell) for cell in cells] for n, cells in rows])
    if plain.dtype.kind not in "iuf":
        plain = plain.astype(np.float64)
    matrix = np.zeros_like(plain)
    matrix[np.ix_(ranks, columns)] = plain
    at = np.zeros(k, np.int64)
    at[ranks] = [line for line, _ in rows]
    try:
        described: Described = described_by_rows(matrix, "matrix")
    except InputError as error:
        raise as_file_error(error, text.path, 0) from error
    sources = np.asarray(described.messages)[:, 0]
    entry = traffic_entry(
        text, described, matrix_origin(described), line=rows[0][0], lines=at[sources]
    )
    notes = [*described.notes, *[note] * bool(note), *["empty cells are 0"] * empty]
    return _matrix_found(text, entry, matrix, notes)


def _column_ranks(
    text: Text, line: int, names: list[str], heads: list[str], ranks: list[int]
) -> list[int]:
    """Return the rank of every column: that of the row of its name, or of its number.

    Raises:
        FileError: columns have other names than rows.
    """
    if set(heads) == set(names):
        rank_of_name = dict(zip(names, ranks, strict=True))
        return [rank_of_name[head] for head in heads]
    of_heads, _ = ranks_of_names(heads)
    digits = [re.search(r"\d+", head) for head in heads]
    if all(digits) and of_heads == ranks:
        return ranks
    rule = "the columns of a matrix must have the names of its rows"
    raise FileError(text.path, max(line, 0), rule, ", ".join(heads))


_TOOL = "rows of numbers (pandas, numpy, R, MATLAB; EZTrace, Open MPI's profile2mat)"
_LACKS = "Whether numbers are bytes. Open MPI's scripts merge both directions."
_OPTIONS = ("decimal", "first_rank", "shape")
FORMATS = (
    Format("matrix-text", "traffic", STRICT, _is_bracketed, read_bracketed,
           "arrays as numpy, Python and JSON print them", lacks=_LACKS, options=_OPTIONS),
    Format("matrix-text", "traffic", LOOSE, _is_rows, read_rows, _TOOL, lacks=_LACKS,
           options=_OPTIONS),
)  # fmt: skip
