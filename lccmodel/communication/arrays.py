"""Arrays and matrices of messages: files of numpy, scipy.sparse and Matrix Market.

A `.npy` file, or a `.npz` file of one array, holds pairs, a destination a rank, or a square matrix
whose entry [s, d] is what s sends to d; another `.npz` file is a sparse matrix as scipy writes it.
In a Matrix Market file entry (i, j), counted from one, is what rank i - 1 sends to rank j - 1; what
is wrong there is told with its line.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.describing import AddressPairs, collect
from lccmodel.communication.program import Entry, as_file_error, sent_between
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError, Reason

_MEANT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
_NUMBERS = b"0123456789+-. \t\r\n" + bytes(range(65, 91)) + bytes(range(97, 123))
"""What numbers are written with: `nan` and `inf` are refused later, as volumes."""


def read_array(path: Path, content: bytes, n: int | None = None) -> tuple[Entry, ...]:
    """A `.npy` file: pairs, shape (m, 2); destinations, shape (r,); or a matrix, shape (r, r).

    Raises:
        FileError: another shape or type, or not a numpy file.
    """
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception as error:  # numpy raises many kinds for a malformed header
        raise FileError(
            path, 0, "must be a numpy array file without objects", Reason(error)
        ) from None
    if not isinstance(array, np.ndarray):
        rule = "must hold one numpy array; the name of a file with several ends in .npz"
        raise FileError(path, 0, rule, type(array).__name__)
    return (_of_array(path, array, n),)


def _of_array(path: Path, array: Any, n: int | None) -> Entry:
    square = array.ndim == 2 and array.shape[0] == array.shape[1] >= 3
    if square:
        return matrix_entry(path, array, n)
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

    return (sparse_entry(path, load, n),)


def sparse_entry(path: Path, load: Callable[[], Any], n: int | None) -> Entry:
    """The entry of a matrix that `load` reads with scipy.

    Raises:
        FileError: it cannot be read, is not square, or scipy is not installed.
    """
    try:
        matrix = load()
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except ImportError as error:
        rule = "needs scipy; install the extra lccmodel[sparse]"
        raise FileError(path, 0, rule, path.suffix) from error
    except Exception as error:  # scipy raises many kinds for a malformed file
        raise _no_matrix(path, error) from error
    return matrix_entry(path, matrix, n)


def _no_matrix(path: Path, error: Exception) -> FileError:
    rule = "must hold a sparse matrix as written by scipy"
    return FileError(path, 0, rule, Reason(f"{type(error).__name__}: {error}"))


def matrix_entry(path: Path, matrix: Any, n: int | None) -> Entry:
    """The entry of a matrix, dense or sparse: [s, d] is what s sends to d.

    Raises:
        FileError: it is not square, or an entry is not a volume.
    """
    try:
        traffic = Traffic.of_matrix(matrix)
        pairs = AddressPairs.of(traffic.messages, traffic.n if n is None else n)
        sent = sent_between(pairs, traffic.volumes, traffic.ranks)
    except InputError as error:
        raise as_file_error(error, path, 0) from error
    return _whole(path, sent, f"communication matrix, {len(sent)} entries", pairs.n)


def _whole(path: Path, sent: Traffic, origin: str, bits: int) -> Entry:
    return Entry(path.stem, sent, sent.largest_volume or 1.0, origin, str(path), 0, bits=bits)


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

    text = _Text.of(content)
    for line, cells in ((text.sizes, text.size), *text.rows):
        if not all(map(_MEANT.fullmatch, cells)):  # scipy reads 3-0 as 3 and then as -0
            rule = "a line of a Matrix Market file must be numbers"
            raise FileError(path, line, rule, " ".join(cells))
    try:
        entry = sparse_entry(path, load, n)
    except FileError as error:
        raise text.placed(path, error) from error
    assert isinstance(entry.content, Traffic)
    return (replace(entry, line=text.sizes, lines=text.lines_of(entry.content.messages)),)


@dataclass(frozen=True)
class _Text:
    """The lines of a file: its heading, the sizes and the line where they stand, all below it."""

    heading: list[str]
    sizes: int
    size: list[str]
    rows: list[tuple[int, list[str]]]

    @staticmethod
    def of(content: bytes) -> _Text:
        lines = content.decode("latin-1").split("\n")
        rows = [
            (line, text.split())
            for line, text in enumerate(lines, start=1)
            if text.strip() and not text.startswith("%")
        ]
        sizes, size = rows[0] if rows else (0, [])
        return _Text(lines[0].lower().split(), sizes, size, rows[1:])

    def placed(self, path: Path, error: FileError) -> FileError:
        """The error with the line that breaks its rule, as far as that can be told."""
        told = re.search(r"Line (\d+): (.*)'?$", str(error.value))
        if told is not None:  # scipy names a line, in words of its own
            line = int(told[1])
            cells = next((cells for at, cells in self.rows if at == line), [told[2]])
            reason = told[2][:1].lower() + told[2][1:].rstrip(".")
            rule = f"must be an entry of the matrix ({reason})"
            return FileError(path, line, rule, " ".join(cells))
        line = self.sizes if "square" in error.rule else 0
        if "complex" in self.heading:
            return FileError(path, 1, "the entries of a matrix must be real numbers", "complex")
        if "finite" in error.rule:
            is_wrong = _is_positive if "skew-symmetric" in self.heading else _is_no_volume
            line = next((at for at, cells in self.rows if is_wrong(cells[-1])), 0)
        return FileError(path, line, error.rule, error.value)

    def lines_of(self, messages: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The line of every message; of the sizes where an entry stands nowhere by itself."""
        at: dict[tuple[int, int], int] = {}
        for (line, _), (i, j) in zip(self.rows, self._entries(), strict=False):
            at.setdefault((i, j), line)
            if "general" not in self.heading:
                at.setdefault((j, i), line)
        found = [at.get((s, d), self.sizes) for s, d in messages.tolist()]
        return np.array(found, dtype=np.int64)

    def _entries(self) -> Iterator[tuple[int, int]]:
        """The entries in the order of the file, counted from zero."""
        if "array" not in self.heading:
            return ((int(cells[0]) - 1, int(cells[1]) - 1) for _, cells in self.rows)
        # column by column; where one half says all, from the diagonal (of zeros if skew) downwards
        n, half = int(self.size[0]), "general" not in self.heading
        skew = int("skew-symmetric" in self.heading)
        return ((i, j) for j in range(n) for i in range(j + skew if half else 0, n))


def _is_positive(cell: str) -> bool:
    """Whether the other half of a skew-symmetric matrix has the entry negative."""
    with suppress(ValueError):
        return float(cell) > 0
    return False


def _is_no_volume(cell: str) -> bool:
    with suppress(ValueError):
        return not 0 <= float(cell) < float("inf")
    return False
