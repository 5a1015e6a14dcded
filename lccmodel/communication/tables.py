"""Tables and arrays of messages: CSV and whitespace tables, numpy and scipy files.

    source, destination, volume, communication      # a header, optional for two or three columns
    0, 1, 4096, row-exchange
    1, 0, 4096, row-exchange

The columns of a table without header are source, destination and, if there is a third, volume;
four or more columns of numbers are a square matrix, entry [s, d] being what s sends to d. With a
header columns may stand in any order, `communication` splits the table into several
communications, and columns of other names are ignored. Text after `#` is a comment. The first
line decides what separates the columns: commas, semicolons, tabs or spaces.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication.addresses import AddressPairs, collect
from lccmodel.communication.entries import Entry, as_file_error, sent_between
from lccmodel.communication.headings import COLUMNS, meaning_of
from lccmodel.communication.naming import suggestion
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError

__all__ = ["read_array", "read_matrix_market", "read_sparse", "read_table"]

_NODE = re.compile(r"[0-9]{1,20}")
_NUMBER = re.compile(r"[-+.0-9]|nan\b|inf", re.IGNORECASE)
_ALIASES = [alias for aliases in COLUMNS.values() for alias in aliases]
_LEAST_ONE_BASED = 4


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
    remedy = "the ranks 1..{} look numbered from one: subtract 1 from each"
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


class _Table:
    """The lines of a text table, split into columns as its first line says."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.text = path, text
        self.notes: tuple[str, ...] = ()
        self.is_matrix = False

    def rows(self) -> Iterator[tuple[int, dict[str, str]]]:
        columns: list[str] | None = None
        separator: str | None = None
        for line, content in enumerate(self.text.split("\n"), start=1):
            content = content.split("#")[0].strip()
            if not content:
                continue
            if columns is None:
                separator = next((mark for mark in ",;\t" if mark in content), None)
            cells = [cell.strip().strip('"') for cell in content.split(separator)]
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
        rule = f"a matrix must be square; the rows have {len(first)} numbers, and there are"
        raise FileError(path, line, rule, f"{len(rows)} rows")
    values = np.array([[_volume(path, at, cell) for cell in row.values()] for at, row in rows])
    entry = _of_matrix(path, values, n)
    assert isinstance(entry.content, Traffic)
    at = np.array([line for line, _ in rows], dtype=np.int64)
    return replace(entry, line=line, lines=at[entry.content.sources])


def _node(path: Path, line: int, cell: str) -> int:
    if not _NODE.fullmatch(cell) or int(cell) >> 64:
        raise FileError(path, line, "a node must be an integer from 0 to 2^64 - 1", cell)
    return int(cell)


def _volume(path: Path, line: int, cell: str) -> float:
    try:
        volume = float(cell)
    except ValueError:
        volume = -1.0
    if not 0 <= volume < float("inf"):
        raise FileError(path, line, "a volume must be a finite number, not negative", cell)
    return volume


# -- binary files --------------------------------------------------------------------------------


def read_array(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """A `.npy` file: pairs, shape (m, 2); destinations, shape (r,); or a matrix, shape (r, r).

    Raises:
        FileError: another shape or type, or not a numpy file.
    """
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # numpy raises many kinds for a malformed header
        raise FileError(path, 0, "must be a numpy array file without objects", str(error)) from None
    if not isinstance(array, np.ndarray):
        rule = "must be a numpy array file; arrays of several names end in .npz"
        raise FileError(path, 0, rule, type(array).__name__)
    return (_of_array(path, array, n),)


def _of_array(path: Path, array: Any, n: int | None) -> Entry:
    square = array.ndim == 2 and array.shape[0] == array.shape[1] >= 3
    if square:
        return _of_matrix(path, array, n)
    if not (array.ndim == 1 or array.shape[1:] == (2,)):
        rule = "must hold pairs, shape (m, 2), one destination a rank, or a square matrix"
        raise FileError(path, 0, rule, array.shape)
    ranks = 0
    try:
        if array.ndim == 1 and array.size and array.size & array.size - 1 and n is None:
            ranks = array.size
            array = np.stack([np.arange(ranks), array.astype(np.int64)], axis=1)
            kind = "destinations"
        else:
            kind = "destinations" if array.ndim == 1 else "pairs"
            ranks = 1 if array.ndim == 2 and n is None else 0
        pairs = collect(array, n)
        sent = sent_between(pairs, None, ranks)
    except InputError as error:
        raise as_file_error(error, path, 0) from error
    return _whole(path, sent, f"{len(sent)} {kind}", pairs.n)


def read_sparse(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """A `.npz` file: a `scipy.sparse` matrix (needs the extra `[sparse]`), or one numpy array.

    Entry [s, d] of a matrix is the volume that s sends to d.

    Raises:
        FileError: not such a file, not square, or scipy is not installed.
    """
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            names = list(arrays)
            if "format" not in names and len(names) == 1:
                return (_of_array(path, arrays[names[0]], n),)
    except FileError:
        raise
    except Exception as error:  # numpy raises many kinds for a malformed file
        raise _no_matrix(path, error) from error

    def load() -> Any:
        from scipy.sparse import load_npz

        return load_npz(io.BytesIO(content))

    return (_sparse(path, load, n),)


_NUMBERS = b"0123456789+-. \t\r\n" + bytes(range(65, 91)) + bytes(range(97, 123))
"""What numbers are written with: `nan` and `inf` are refused later, as volumes."""


def read_matrix_market(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """A Matrix Market `.mtx` file of volumes; needs the extra `[sparse]`.

    Raises:
        FileError: not such a file, not square, or scipy is not installed.
    """
    # scipy ends the process at a NUL, and reads over whatever else stands behind a number.
    numbers = re.sub(rb"(?m)^%.*$", b"", content)
    if strange := numbers.translate(None, _NUMBERS):
        line = numbers.count(b"\n", 0, numbers.index(strange[:1])) + 1
        value = strange[:1].decode("latin-1")
        raise FileError(path, line, "a line of a Matrix Market file must be numbers", value)

    def load() -> Any:
        from scipy.io import mmread

        return mmread(io.BytesIO(content))

    try:
        entry = _sparse(path, load, n)
    except FileError as error:
        line = _market_line(content, error.rule)
        raise FileError(path, line, error.rule, error.value) if line else error from error
    return (replace(entry, line=_market_line(content, "square")),)


def _market_line(content: bytes, rule: str) -> int:
    """The line of a Matrix Market file that breaks a rule: its sizes or a volume; 0 if unknown."""
    rows = [
        (line, text.split())
        for line, text in enumerate(content.decode("latin-1").split("\n"), start=1)
        if text.strip() and not text.startswith("%")
    ]
    if "square" in rule:
        return rows[0][0] if rows else 0
    if "finite" in rule:
        for line, cells in rows[1:]:
            with suppress(ValueError):
                if not 0 <= float(cells[-1]) < float("inf"):
                    return line
    return 0


def _sparse(path: Path, load: Callable[[], Any], n: int | None) -> Entry:
    try:
        matrix = load()
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except ImportError as error:
        rule = "needs scipy; install the extra lccmodel[sparse]"
        raise FileError(path, 0, rule, path.suffix) from error
    except Exception as error:  # scipy raises many kinds for a malformed file
        raise _no_matrix(path, error) from error
    return _of_matrix(path, matrix, n)


def _no_matrix(path: Path, error: Exception) -> FileError:
    rule = "must hold a sparse matrix as written by scipy"
    return FileError(path, 0, rule, f"{type(error).__name__}: {error}")


def _of_matrix(path: Path, matrix: Any, n: int | None) -> Entry:
    try:
        traffic = Traffic.of_matrix(matrix)
        pairs = AddressPairs.of(traffic.messages, traffic.n if n is None else n)
        sent = sent_between(pairs, traffic.volumes, traffic.ranks)
    except InputError as error:
        raise as_file_error(error, path, 0) from error
    return _whole(path, sent, f"communication matrix, {len(sent)} entries", pairs.n)


def _whole(path: Path, sent: Traffic, origin: str, bits: int) -> Entry:
    return Entry(path.stem, sent, sent.largest_volume or 1.0, origin, str(path), 0, bits=bits)
