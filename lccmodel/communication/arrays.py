"""Arrays and matrices of messages: files of numpy and of scipy.sparse.

A `.npy` file, or a `.npz` file of one array, holds pairs, a destination a rank, or a square matrix
whose entry [s, d] is what s sends to d; another `.npz` file is a sparse matrix as scipy writes it.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from lccmodel.communication.addresses import AddressPairs, collect
from lccmodel.communication.entries import Entry, as_file_error, sent_between
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError


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
    return FileError(path, 0, rule, f"{type(error).__name__}: {error}")


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
