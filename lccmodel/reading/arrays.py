"""Files of arrays: numpy, `scipy.sparse`, MATLAB and Matrix Market.

A `.npy` file, or a `.npz` file of one array, holds rows of numbers (`communication.rows` decides
what they are) or one destination a rank; another `.npz` file is a sparse matrix as scipy writes it.
In a Matrix Market file entry (i, j), counted from one, is the volume that rank i - 1 sends to rank
j - 1; errors name its line.
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

from lccmodel.communication.conversion import EACH_WAY, described_by_array
from lccmodel.communication.program import as_file_error
from lccmodel.communication.rows import described_by_matrix
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError, Reason
from lccmodel.reading.entries import found_traffic, traffic_entry
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.numbers import (
    check_counts,
    known_first,
    matrix_origin,
    rule_in_file,
    stated_shape,
    symmetry_note,
)
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

_MEANT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?(nan|inf|infinity)", re.IGNORECASE)
_NUMBERS = b"0123456789+-. \t\r\n" + bytes(range(65, 91)) + bytes(range(97, 123))
"""Characters of numbers; `nan` and `inf` are refused later, as volumes."""
_PATTERN = "the entries have no values (pattern): every volume is 1"
_HDF5 = b"\x89HDF\r\n"
_MATLAB = b"MATLAB 5.0 MAT-file"


def _is_npy(text: Text) -> bool:
    return text.raw.startswith(b"\x93NUMPY")


def _is_npz(text: Text) -> bool:
    return text.raw.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def _is_matrix_market(text: Text) -> bool:
    return text.raw[:14].lower() == b"%%matrixmarket"


def _is_matlab(text: Text) -> bool:
    return text.raw.startswith((_MATLAB, _HDF5))


def read_npy(text: Text) -> Found:
    """Return the messages of a numpy file.

    Raises:
        FileError: another shape or type, or not a numpy file.
    """
    try:
        array = np.load(io.BytesIO(text.raw), allow_pickle=False)
    except Exception as error:  # numpy raises many kinds for a malformed header
        rule = "must be a numpy array file without objects"
        raise FileError(text.path, 0, rule, Reason(error)) from None
    if not isinstance(array, np.ndarray):
        rule = "must contain one numpy array; the name of a file with several ends in .npz"
        raise FileError(text.path, 0, rule, type(array).__name__)
    return _of_array(text, array, "npy")


def _of_array(text: Text, array: npt.NDArray[Any], form: str) -> Found:
    check_counts(text)
    try:
        described = described_by_array(array, None, stated_shape(), known_first())
    except InputError as error:
        raise FileError(text.path, 0, rule_in_file(error), error.value) from error
    matrix = array.ndim == 2 and described.ranks is not None
    origin = f"{len(array)} {'destinations' if array.ndim == 1 else 'pairs'}"
    origin = matrix_origin(described) if matrix else origin
    n = stated().n
    if described.ranks is None and n is not None:
        described = described.among(max(1 << n, int(np.max(described.messages)) + 1))
    notes = [*described.notes, *(symmetry_note(array) if matrix else ())]
    return found_traffic(text, form, (traffic_entry(text, described, origin),), notes)


def read_npz(text: Text) -> Found:
    """Return the messages of a `scipy.sparse` matrix (extra `[sparse]`), or of one numpy array.

    Raises:
        FileError: not such a file, not square, or scipy is not installed.
    """
    try:
        with np.load(io.BytesIO(text.raw), allow_pickle=False) as arrays:
            names = list(arrays)
            if "format" not in names and len(names) == 1:
                return _of_array(text, arrays[names[0]], "npz")
    except FileError:
        raise
    except Exception as error:  # numpy raises many kinds for a malformed file
        raise _no_matrix(text.path, error) from error

    def load() -> Any:
        from scipy.sparse import load_npz

        return load_npz(io.BytesIO(text.raw))

    return _of_matrix(text, load, "npz")


def read_matlab(text: Text) -> Found:
    """Return the messages of the one matrix in a MATLAB 5 file; needs the extra `[sparse]`.

    Raises:
        FileError: several matrices, or a file of MATLAB 7.3, which is HDF5.
    """
    if text.raw.startswith(_HDF5):
        rule = "must be a MATLAB file of version 5 to 7 (save -v7), or text (save -ascii)"
        raise FileError(text.path, 0, rule, "HDF5")

    def load() -> Any:
        from scipy.io import loadmat

        file: Any = io.BytesIO(text.raw)
        named = loadmat(file)
        matrices = [value for name, value in named.items() if not name.startswith("__")]
        if len(matrices) != 1:
            raise ValueError(f"{len(matrices)} variables; save one")
        return matrices[0]

    return _of_matrix(text, load, "matlab")


def _of_matrix(text: Text, load: Callable[[], Any], form: str) -> Found:
    """Return the traffic of a matrix that `load` reads with scipy.

    Raises:
        FileError: it cannot be read, is not square, or scipy is not installed.
    """
    try:
        matrix = load()
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
    except ImportError as error:
        rule = "needs scipy; install the extra lccmodel[sparse]"
        raise FileError(text.path, 0, rule, text.path.suffix) from error
    except Exception as error:  # scipy raises many kinds for a malformed file
        raise _no_matrix(text.path, error) from error
    if form == "matlab" and not hasattr(matrix, "tocoo"):
        return _of_array(text, np.asarray(matrix), form)
    try:
        described = described_by_matrix(matrix)
    except InputError as error:
        raise as_file_error(error, text.path, 0) from error
    entry = traffic_entry(text, described, matrix_origin(described))
    return found_traffic(text, form, (entry,))


def _no_matrix(path: Path, error: Exception) -> FileError:
    rule = "must contain a sparse matrix as written by scipy"
    return FileError(path, 0, rule, Reason(f"{type(error).__name__}: {error}"))


# -- Matrix Market -----------------------------------------------------------------------------


def read_matrix_market(text: Text) -> Found:
    """Return the traffic of a Matrix Market file of volumes; needs the extra `[sparse]`.

    Raises:
        FileError: not such a file, not square, or scipy is not installed.
    """
    check_counts(text)
    # scipy ends the process at a NUL, and reads over whatever else stands behind a number.
    numbers = re.sub(rb"(?m)^%.*$", b"", text.raw)
    if strange := numbers.translate(None, _NUMBERS):
        line = numbers.count(b"\n", 0, numbers.index(strange[:1])) + 1
        value = strange[:1].decode("latin-1")
        rule = "a line of a Matrix Market file must be numbers"
        raise FileError(text.path, line, rule, value)

    def load() -> Any:
        from scipy.io import mmread

        banner = b"%%MatrixMarket"  # scipy knows this spelling alone
        return mmread(io.BytesIO(banner + text.raw[len(banner) :]))

    content = _Lines.of(text.raw)
    for line, cells in ((content.sizes, content.size), *content.rows):
        if not all(map(_MEANT.fullmatch, cells)):  # scipy reads 3-0 as 3 and then as -0
            rule = "a line of a Matrix Market file must be numbers"
            raise FileError(text.path, line, rule, " ".join(cells))
    try:
        matrix = _of_matrix(text, load, "matrix-market")
    except FileError as error:
        raise content.placed(text.path, error) from error
    entry = matrix.value[0]
    assert isinstance(entry.content, Traffic)
    lines = content.lines_of(entry.content.messages)
    notes = [_PATTERN] * ("pattern" in content.heading)
    notes += [EACH_WAY] * ("symmetric" in content.heading)
    if stated().shape == "counts":
        notes.append("volumes are numbers of messages, as stated, not bytes")
    placed = replace(entry, line=content.sizes, lines=lines)
    return replace(matrix, value=(placed,), notes=(*matrix.notes, *notes))


@dataclass(frozen=True)
class _Lines:
    """The lines of a file: its heading, the sizes and the line where they stand, all below it."""

    heading: list[str]
    sizes: int
    size: list[str]
    rows: list[tuple[int, list[str]]]

    @staticmethod
    def of(content: bytes) -> _Lines:
        lines = content.decode("latin-1").split("\n")
        rows = [
            (line, text.split())
            for line, text in enumerate(lines, start=1)
            if text.strip() and not text.startswith("%")
        ]
        sizes, size = rows[0] if rows else (0, [])
        return _Lines(lines[0].lower().split(), sizes, size, rows[1:])

    def placed(self, path: Path, error: FileError) -> FileError:
        """The error with the line that breaks its rule, as far as that can be told."""
        match = re.search(r"Line (\d+): (.*)'?$", str(error.value))
        if match is not None:  # scipy names a line, in words of its own
            line = int(match[1])
            cells = next((cells for at, cells in self.rows if at == line), [match[2]])
            reason = match[2][:1].lower() + match[2][1:].rstrip(".")
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
        lines = [at.get((s, d), self.sizes) for s, d in messages.tolist()]
        return np.array(lines, dtype=np.int64)

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


_OPTIONS = ("first_rank", "shape")
_LACKS = "Units; whether a row is a sender, which is assumed."
FORMATS = (
    Format("npy", "traffic", SIGNATURE, _is_npy, read_npy, "numpy 1, 2: save",
           lacks=_LACKS, options=_OPTIONS),
    Format("npz", "traffic", SIGNATURE, _is_npz, read_npz,
           "numpy 1, 2: savez; scipy.sparse: save_npz",
           lacks=_LACKS, options=_OPTIONS),
    Format("matlab", "traffic", SIGNATURE, _is_matlab, read_matlab, "MATLAB 5 to 7: save",
           lacks=_LACKS, options=_OPTIONS),
    Format("matrix-market", "traffic", SIGNATURE, _is_matrix_market, read_matrix_market,
           "Matrix Market 1.0 (scipy.io.mmwrite)", lacks=_LACKS, options=("shape",)),
)  # fmt: skip
