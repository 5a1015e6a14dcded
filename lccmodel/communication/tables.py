"""Tables and arrays of messages: CSV and whitespace tables, numpy and scipy files.

    source, destination, volume, communication      # a header, optional for two or three columns
    0, 1, 4096, row-exchange
    1, 0, 4096, row-exchange

The columns of a table without header are source, destination and, if there is a third, volume.
With a header they may stand in any order, and `communication` splits the table into several
communications. Text after `#` is a comment. The first line decides what separates the columns:
commas, semicolons, tabs or spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication.entries import Entry, as_file_error
from lccmodel.communication.messages import Messages, collect, from_matrix
from lccmodel.communication.naming import suggestion
from lccmodel.errors import FileError, InputError

__all__ = ["read_array", "read_sparse", "read_table"]

_COLUMNS = {
    "source": ("source", "src", "from"),
    "destination": ("destination", "dest", "dst", "to"),
    "volume": ("volume", "bytes", "size"),
    "communication": ("communication", "phase", "name"),
}
_MEANING = {alias: column for column, aliases in _COLUMNS.items() for alias in aliases}
_NODE = re.compile(r"[0-9]{1,20}")


def read_table(path: Path, text: str, n: int | None = None) -> tuple[Entry, ...]:
    """The communications of a text table, in the order of their first messages.

    Args:
        path: the file, for names and error messages.
        text: its content.
        n: number of address bits; the smallest that fits all nodes of the table if left out.

    Raises:
        FileError: with the line of the fault.
    """
    groups: dict[str, _Group] = {}
    for line, row in _rows(path, text):
        name = row.get("communication", path.stem)
        if not name:
            raise FileError(path, line, "a row must name its communication", row)
        group = groups.setdefault(name, _Group())
        group.add(path, line, row)
    if not groups:
        raise FileError(path, 0, "holds no messages", text)
    largest, line = max(group.largest() for group in groups.values())
    bits = max(1, largest.bit_length()) if n is None else n
    if largest >> bits:
        rule = f"a node must be in 0..{(1 << bits) - 1} for n = {bits}"
        raise FileError(path, line, rule, largest)
    return tuple(group.entry(path, name, bits) for name, group in groups.items())


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

    def entry(self, path: Path, name: str, n: int) -> Entry:
        messages = Messages.of_pairs(np.array(self.pairs, dtype=np.uint64), n, self.volumes)
        lines = np.array(self.lines, dtype=np.int64)
        origin = f"{len(messages)} {'pair' if len(messages) == 1 else 'pairs'}"
        weight = messages.largest_volume
        return Entry(name, messages, weight or 1.0, origin, str(path), int(lines[0]), lines)


def _rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    columns: list[str] | None = None
    separator: str | None = None
    for line, content in enumerate(text.split("\n"), start=1):
        content = content.split("#")[0].strip()
        if not content:
            continue
        if columns is None:
            separator = next((mark for mark in ",;\t" if mark in content), None)
        cells = [cell.strip() for cell in content.split(separator)]
        if columns is None:
            columns, is_header = _header(path, line, cells)
            if is_header:
                continue
        if len(cells) != len(columns):
            rule = f"must have {len(columns)} columns: {', '.join(columns)}"
            raise FileError(path, line, rule, content)
        yield line, dict(zip(columns, cells, strict=True))


def _header(path: Path, line: int, cells: list[str]) -> tuple[list[str], bool]:
    """Names of the columns, and whether this line states them."""
    if _NODE.fullmatch(cells[0]) or re.match(r"[-+.0-9]", cells[0]):
        if not 2 <= len(cells) <= 3:
            rule = "without a header, a row holds source, destination and perhaps volume"
            raise FileError(path, line, rule, ", ".join(cells))
        return ["source", "destination", "volume"][: len(cells)], False
    columns = []
    for cell in cells:
        name = _MEANING.get(cell.lower())
        if name is None:
            hint = suggestion(cell.lower(), _MEANING) or f"columns are {', '.join(_COLUMNS)}"
            raise FileError(path, line, f"unknown column; {hint}", cell)
        if name in columns:
            raise FileError(path, line, f"the column {name} stands twice", ", ".join(cells))
        columns.append(name)
    for needed in ("source", "destination"):
        if needed not in columns:
            raise FileError(path, line, f"there is no column {needed}", ", ".join(cells))
    return columns, True


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


def read_array(path: Path, n: int | None = None) -> tuple[Entry, ...]:
    """A `.npy` file: pairs, shape (m, 2), or destinations of nodes 0..2^n - 1, shape (2^n,).

    Raises:
        FileError: another shape or type, or not a numpy file.
    """
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise FileError(path, 0, "must be a numpy array file without objects", str(error)) from None
    if not isinstance(array, np.ndarray) or not (array.ndim == 1 or array.shape[1:] == (2,)):
        rule = "must hold pairs, shape (m, 2), or one destination for each of 2^n nodes"
        raise FileError(path, 0, rule, getattr(array, "shape", type(array).__name__))
    try:
        messages = collect(array, n)
    except InputError as error:
        raise as_file_error(error, path, 0) from error
    kind = "destinations" if array.ndim == 1 else "pairs"
    return (_whole(path, messages, f"{len(messages)} {kind}"),)


def read_sparse(path: Path, n: int | None = None) -> tuple[Entry, ...]:
    """A communication matrix: a scipy `.npz` file or a Matrix Market `.mtx` file.

    Entry [s, d] is the volume that s sends to d. Needs the extra `[sparse]`.

    Raises:
        FileError: not such a file, not of the shape (2^n, 2^n), or scipy is not installed.
    """
    try:
        matrix = _sparse_matrix(path)
    except ImportError as error:
        rule = "needs scipy; install the extra lccmodel[sparse]"
        raise FileError(path, 0, rule, path.suffix) from error
    except Exception as error:  # scipy raises many kinds for a malformed file
        rule = "must hold a sparse matrix as written by scipy"
        raise FileError(path, 0, rule, f"{type(error).__name__}: {error}") from error
    try:
        messages = collect(from_matrix(matrix), n)
    except InputError as error:
        raise as_file_error(error, path, 0) from error
    return (_whole(path, messages, f"communication matrix, {len(messages)} entries"),)


def _sparse_matrix(path: Path) -> Any:
    if path.suffix.lower() == ".mtx":
        from scipy.io import mmread

        return mmread(path)
    from scipy.sparse import load_npz

    return load_npz(path)


def _whole(path: Path, messages: Messages, origin: str) -> Entry:
    return Entry(path.stem, messages, messages.largest_volume or 1.0, origin, str(path), 0)
