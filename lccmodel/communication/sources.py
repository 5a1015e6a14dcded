"""The bytes that a file name or `-` stands for: plain or gzip, a file or standard input.

What comes from standard input has no name, so its first bytes say what it is: numpy, zip, Matrix
Market, gzip, a trace, JSON, TOML, equations, else a table.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import sys
import zlib
from pathlib import Path

from lccmodel.communication.equations import looks_like_equations
from lccmodel.errors import FileError, InputError
from lccmodel.files import read_at_most

STDIN = "-"

MAX_UNPACKED = 1 << 30
"""Bytes that a gzip file, a pipe or a device may hold: each can promise more than memory has."""

_GZIP = b"\x1f\x8b"
_BEGINNINGS = (
    (b"\x93NUMPY", ".npy"),
    (b"PK\x03\x04", ".npz"),
    (b"%%MatrixMarket", ".mtx"),
    (b"# POINT TO POINT", ".prof"),
    (b"@ mpiP", ".mpip"),
    (b"#Paraver ", ".prv"),
    (b"<?xml", ".xml"),
)


def content_of(path: str | os.PathLike[str]) -> tuple[Path, str, bytes]:
    """The place, what it holds as a suffix such as ".csv", and its bytes without gzip.

    Raises:
        FileError: it cannot be read, or is not what its suffix .gz says.
        InputError: `path` is not a path.
    """
    try:
        place = Path(path)
    except TypeError:
        raise InputError("path", "must be the path of a file", path) from None
    if str(path) == STDIN:
        try:
            content = sys.stdin.buffer.read(MAX_UNPACKED + 1)
        except (OSError, AttributeError) as error:  # AttributeError: there is none
            reason = getattr(error, "strerror", None) or "closed"
            raise FileError("stdin", 0, "must be open to be read", reason) from None
        if len(content) > MAX_UNPACKED:
            raise FileError("stdin", 0, f"must have at most {MAX_UNPACKED} bytes", "more")
        content = _unpacked(Path("stdin"), content)
        return Path("stdin"), _guessed(content), content
    try:
        content = read_at_most(place, max(MAX_UNPACKED, place.stat().st_size))
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(place, 0, "must be a file that can be read", reason) from None
    name = place
    if place.suffix.lower() == ".gz":
        if not content.startswith(_GZIP):
            raise FileError(place, 0, "must be a gzip file, as its name says", content[:2])
        content, name = _unpacked(place, content), place.with_suffix("")
    return place, name.suffix.lower(), content


def _unpacked(place: Path, content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(place, 0, "must be a whole gzip file", str(error)) from None
    if len(unpacked) > MAX_UNPACKED:
        rule = f"must hold at most {MAX_UNPACKED >> 20} MiB when it is unpacked"
        raise FileError(place, 0, rule, f"{len(content)} bytes that hold more")
    return unpacked


def _guessed(content: bytes) -> str:
    for beginning, suffix in _BEGINNINGS:
        if content.startswith(beginning):
            return suffix
    text = content.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if re.match(r"\{|\[\s*[\[{\]]*\s*[\"\d\]{]", text) and not re.match(r"\[\[\s*[A-Za-z]", text):
        return ".json"
    if looks_like_equations(text):
        return ".eq"
    return ".toml" if re.search(r"^[ \t]*(\[|[A-Za-z_]+[ \t]*=)", text, re.MULTILINE) else ".csv"


def text_of(path: Path, content: bytes) -> str:
    """Bytes as text.

    Raises:
        FileError: not UTF-8, with the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(path, line, "must be text in UTF-8", error.reason) from None
