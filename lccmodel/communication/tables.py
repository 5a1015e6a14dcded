"""Tables of messages: CSV and whitespace tables.

    source, destination, volume, communication      # a header, optional for two or three columns
    0, 1, 4096, row-exchange
    1, 0, 4096, row-exchange

The columns of a table without header are source, destination and, if there is a third, volume;
four or more columns of numbers are a square matrix, entry [s, d] being what s sends to d. With a
header columns may stand in any order, `communication` splits the table into several
communications, and columns of other names are ignored. Text after `#` is a comment. The first
line decides what separates the columns: commas, semicolons, tabs or spaces. Within
`tables_written` a number may have a decimal comma, and ranks may count from one.

A table of coordinates says where ranks work in the program's own space, with a row for each:

    rank, x, y, z          # a header, optional; without the column rank, rows are ranks 0, 1, ...
    0, 0.0, 0.5, 1.0
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lccmodel.communication.arrays import matrix_entry
from lccmodel.communication.describing import COLUMNS, AddressPairs, meaning_of
from lccmodel.communication.naming import suggestion
from lccmodel.communication.program import Entry, as_file_error, sent_between
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError
from lccmodel.files import content_of, text_of

_NODE = re.compile(r"[0-9]{1,20}")
_NUMBER = re.compile(r"[-+.0-9]|nan\b|inf", re.IGNORECASE)
_COMMA = re.compile(r"[0-9]+,[0-9]+")
_ALIASES = [alias for aliases in COLUMNS.values() for alias in aliases]
_LEAST_ONE_BASED = 4

_decimal = ContextVar("decimal", default=".")
_first_rank = ContextVar("first rank", default=0)


@contextmanager
def tables_written(decimal: str = ".", first_rank: int = 0) -> Iterator[None]:
    """Within it tables are read as they are written elsewhere.

    Args:
        decimal: "." or ",", which then does not separate columns.
        first_rank: what the first rank is called, 0 or 1.

    Raises:
        InputError: another mark or rank.
    """
    if decimal not in (".", ","):
        raise InputError("decimal", 'must be "." or ","', decimal)
    if first_rank not in (0, 1):
        raise InputError("first_rank", "must be 0 or 1", first_rank)
    tokens = _decimal.set(decimal), _first_rank.set(first_rank)
    try:
        yield
    finally:
        _decimal.reset(tokens[0])
        _first_rank.reset(tokens[1])


def read_table(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The communications of a text table, in the order of their first messages.

    Args:
        path: the file, for names and error messages.
        text: its content.
        n: number of address bits; the smallest that fits all nodes of the table if left out.

    Raises:
        FileError: with the line of the fault.
    """
    table = _Table(path, text)
    rows = table.rows()
    groups: dict[str, _Group] = {}
    for line, row in rows:
        if table.is_matrix:
            return (_matrix_table(path, [(line, row), *rows], n),)
        name = row.get("communication", path.stem)
        if not name:
            raise FileError(path, line, "a row must name its communication", row)
        group = groups.setdefault(name, _Group())
        group.add(path, line, row)
    if not groups:
        raise FileError(path, 0, "holds no messages", text)
    largest, line = max(group.largest() for group in groups.values())
    bits = max(1, largest.bit_length()) if n is None else n
    nodes = {node for group in groups.values() for pair in group.pairs for node in pair}
    remedy = "the ranks 1..{} look numbered from one: subtract 1 from each, or state --first-rank 1"
    if largest >> bits:
        rule = f"a node must be in 0..{(1 << bits) - 1} for n = {bits}"
        if largest == 1 << bits and 0 not in nodes:
            rule += "; " + remedy.format(largest)
        raise FileError(path, line, rule, largest)
    if n is None and _looks_one_based(nodes, largest):
        rule = f"ranks count from 0; {remedy.format(largest)} (or state n)"
        raise FileError(path, line, rule, largest)
    ranks = largest + 1
    return tuple(
        group.entry(path, name, bits, ranks, table.notes) for name, group in groups.items()
    )


def _looks_one_based(nodes: set[int], largest: int) -> bool:
    """Whether the nodes are 1, 2, ..., 2^k, none missing: as many as there should be, but for 0."""
    power = largest >= _LEAST_ONE_BASED and largest & largest - 1 == 0
    return power and 0 not in nodes and len(nodes) == largest


class _Group:
    """The rows of one communication."""

    def __init__(self) -> None:
        self.pairs: list[tuple[int, int]] = []
        self.volumes: list[float] = []
        self.lines: list[int] = []

    def add(self, path: Path, line: int, row: dict[str, str]) -> None:
        source, destination = (_node(path, line, row[end]) for end in ("source", "destination"))
        self.pairs.append((source, destination))
        self.volumes.append(_volume(path, line, row["volume"]) if "volume" in row else 1.0)
        self.lines.append(line)

    def largest(self) -> tuple[int, int]:
        """The largest node, and the line where it stands."""
        return max((max(pair), line) for pair, line in zip(self.pairs, self.lines, strict=True))

    def entry(self, path: Path, name: str, n: int, ranks: int, notes: tuple[str, ...]) -> Entry:
        pairs = AddressPairs.of(np.array(self.pairs, dtype=np.uint64), n)
        lines = np.array(self.lines, dtype=np.int64)
        first, many = int(lines[0]), len(pairs)
        try:
            sent = sent_between(pairs, self.volumes, ranks)
        except InputError as error:
            raise as_file_error(error, path, first) from error
        origin = f"{many} {'pair' if many == 1 else 'pairs'}"
        weight = sent.largest_volume or 1.0
        return Entry(name, sent, weight, origin, str(path), first, lines, notes=notes, bits=n)


def split_lines(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """(number, content, cells) of the lines of a table; the first one decides what separates them.

    >>> list(split_lines("source; time  # a comment\\n\\n0; 7"))
    [(1, 'source; time', ['source', 'time']), (3, '0; 7', ['0', '7'])]
    """
    first, separator = True, None
    for line, content in enumerate(text.split("\n"), start=1):
        content = content.split("#")[0].strip()
        if not content:
            continue
        if first:
            marks = ",;\t".replace(_decimal.get(), "")
            first, separator = False, next((mark for mark in marks if mark in content), None)
        yield line, content, [cell.strip().strip('"') for cell in content.split(separator)]


class _Table:
    """The lines of a text table, split into columns as its first line says."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.notes: tuple[str, ...] = ()
        self.is_matrix = False

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        columns: list[str] | None = None
        for line, content, cells in split_lines(self.text):
            if columns is None:
                columns, is_header = self._header(line, cells)
                if is_header:
                    continue
            if len(cells) != len(columns):
                known = [column for column in columns if column]
                rule = f"must have {len(columns)} columns" + (
                    "" if self.is_matrix else f": {', '.join(known)}"
                )
                raise FileError(self.path, line, rule, content)
            pairs = zip(columns, cells, strict=True)
            yield line, {column: cell for column, cell in pairs if column}

    def _header(self, line: int, cells: list[str]) -> tuple[list[str], bool]:
        """Names of the columns, "" if ignored, and whether this line states them."""
        path = self.path
        if _NODE.fullmatch(cells[0]) or _NUMBER.match(cells[0]):
            if len(cells) >= 4:
                self.is_matrix = True
                return [str(column) for column in range(len(cells))], False
            if len(cells) < 2:
                rule = "without a header, a row holds source, destination and perhaps volume"
                raise FileError(path, line, rule, ", ".join(cells))
            return ["source", "destination", "volume"][: len(cells)], False
        columns, ignored = [], []
        for cell in cells:
            name = meaning_of(cell)
            if name is None:
                ignored.append(cell)
            elif name in columns:
                raise FileError(path, line, f"the column {name} stands twice", ", ".join(cells))
            columns.append(name or "")
        for needed in ("source", "destination"):
            if needed not in columns:
                hints = [suggestion(cell.lower(), _ALIASES) for cell in ignored]
                hint = next((hint for hint in hints if hint), "")
                rule = f"there is no column {needed}" + (f"; {hint}" if hint else "")
                raise FileError(path, line, rule, ", ".join(cells))
        if ignored:
            many = "columns" if len(ignored) > 1 else "column"
            self.notes = (f"{path}: ignored the {many} {', '.join(ignored)}",)
        return columns, True


def _matrix_table(path: Path, rows: list[tuple[int, dict[str, str]]], n: int | None) -> Entry:
    """A matrix of volumes, written out row by row."""
    line, first = rows[0]
    if len(rows) != len(first):
        rule = f"a matrix must be square; its rows have {len(first)} numbers"
        raise FileError(path, line, rule, f"{len(rows)} rows")
    values = np.array([[_volume(path, at, cell) for cell in row.values()] for at, row in rows])
    entry = matrix_entry(path, values, n)
    assert isinstance(entry.content, Traffic)
    at = np.array([line for line, _ in rows], dtype=np.int64)
    return replace(entry, line=line, lines=at[entry.content.sources])


def _node(path: Path, line: int, cell: str) -> int:
    if not _NODE.fullmatch(cell) or int(cell) >> 64:
        rule = "a node must be an integer from 0 to 2^64 - 1"
        if ";" in cell:
            rule += "; state the decimal comma where volumes have one (--decimal ,)"
        raise FileError(path, line, rule, cell)
    first = _first_rank.get()
    if int(cell) < first:
        raise FileError(path, line, f"ranks count from {first} here", cell)
    return int(cell) - first


def _volume(path: Path, line: int, cell: str) -> float:
    comma = _decimal.get() == ","
    try:
        volume = float(cell.replace(".", "x").replace(",", ".") if comma else cell)
    except ValueError:
        volume = -1.0
    if not 0 <= volume < float("inf"):
        rule = "a volume must be a finite number, not negative"
        if comma:
            rule += ", with a decimal comma"
        elif _COMMA.fullmatch(cell):
            rule += "; state the decimal comma where volumes have one (--decimal ,)"
        raise FileError(path, line, rule, cell)
    return volume


def read_coordinates(path: str | os.PathLike[str]) -> npt.NDArray[np.float64]:
    """The coordinates in a file, shape (ranks, axes).

    Args:
        path: a text file, perhaps gzip; "-" is standard input.

    Raises:
        FileError: it cannot be read, a row has other columns or no finite numbers, or ranks are
            not 0, 1, ... once each; with the line.

    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "where.csv"
    >>> _ = file.write_text("rank,x,y\\n1,0.5,2\\n0,0,1\\n")
    >>> read_coordinates(file).tolist()
    [[0.0, 1.0], [0.5, 2.0]]
    """
    place, _, content = content_of(path)
    rows: list[list[float]] = []
    lines: list[int] = []
    numbered: int | None = None
    width = 0
    for line, text in enumerate(text_of(place, content).split("\n"), start=1):
        cells = [cell.strip('"') for cell in re.split(r"[,;\s]+", text.split("#")[0].strip())]
        if cells == [""]:
            continue
        if not width:
            width = len(cells)
            if not _is_number(cells[0]):
                names = [cell.lower() for cell in cells]
                numbered = names.index("rank") if "rank" in names else None
                continue
        if len(cells) != width or not all(map(_is_number, cells)):
            raise FileError(place, line, f"must be {width} finite numbers", text.strip())
        rows.append([float(cell) for cell in cells])
        lines.append(line)
    if not rows or width - (numbered is not None) < 1:
        raise FileError(place, 0, "must hold a row of coordinates for every rank", len(rows))
    found = np.array(rows)
    if numbered is None:
        return found
    ranks = found[:, numbered]
    seen: set[float] = set()
    for line, rank in zip(lines, ranks.tolist(), strict=True):
        if rank in seen or not (rank.is_integer() and 0 <= rank < len(rows)):
            rule = f"ranks must be 0 to {len(rows) - 1}, each once"
            raise FileError(place, line, rule, f"{rank:g}")
        seen.add(rank)
    return np.delete(found, numbered, axis=1)[np.argsort(ranks)]


def _is_number(cell: str) -> bool:
    try:
        return bool(np.isfinite(float(cell)))
    except ValueError:
        return False
