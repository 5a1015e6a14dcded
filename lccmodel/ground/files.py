"""Bytes of files: those that are read, up to a limit, and those that are written, all or none.

What is read is plain or gzip, a file or standard input. What is written goes to a new file in the
same directory, is flushed to the disk, and takes the place of the old file in one step, so that a
reader, an error, or an interrupt never sees half of it.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import secrets
import stat
import sys
import zlib
from pathlib import Path

from lccmodel.errors import FileError, InputError, Reason


def read_at_most(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file; one that is longer, or endless (`/dev/zero`), is refused.

    Raises:
        FileError: it has more than `most` bytes.
        OSError, ValueError: it cannot be opened, or no file can have such a name.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     read_at_most(file.name, 0)
    b''
    """
    with Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise FileError(path, 0, f"must have at most {most} bytes", "more")
    return content


def file_text(path: str | os.PathLike[str], most: int) -> str:
    """The text of a file.

    Raises:
        FileError: it cannot be read, has more than `most` bytes, or is no UTF-8.
    """
    try:
        return read_at_most(Path(path), most).decode("utf-8-sig")
    except FileError:
        raise
    except OSError as error:
        raise FileError(path, 0, "cannot read the file", Reason(error.strerror or error)) from None
    except ValueError as error:
        raise FileError(path, 0, "must be a text in UTF-8", Reason(error)) from None


STDIN = "-"

MAX_UNPACKED = 1 << 30
"""Bytes that a gzip file, a pipe or a device may hold: each can promise more than memory has."""

_GZIP = b"\x1f\x8b"


def content_of(path: str | os.PathLike[str]) -> tuple[Path, str, bytes]:
    """The place, its suffix without ".gz", none of standard input, and its bytes without gzip.

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
            raise FileError("stdin", 0, "must be open to be read", Reason(reason)) from None
        if len(content) > MAX_UNPACKED:
            raise FileError("stdin", 0, f"must have at most {MAX_UNPACKED} bytes", "more")
        return Path("stdin"), "", _unpacked(Path("stdin"), content)
    try:
        content = read_at_most(place, max(MAX_UNPACKED, place.stat().st_size))
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(place, 0, "cannot read the file", Reason(reason)) from None
    name = place
    if place.suffix.lower() == ".gz":
        if not content.startswith(_GZIP):
            raise FileError(place, 0, "must be a gzip file, as its name says", content[:2])
        name = place.with_suffix("")
    return place, name.suffix.lower(), _unpacked(place, content)


def _unpacked(place: Path, content: bytes) -> bytes:
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.open(io.BytesIO(content)) as file:
            unpacked = file.read(MAX_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(place, 0, "must be a whole gzip file", Reason(error)) from None
    if len(unpacked) > MAX_UNPACKED:
        rule = f"must be at most {MAX_UNPACKED >> 20} MiB when it is unpacked"
        raise FileError(place, 0, rule, f"{len(content)} bytes that hold more")
    return unpacked


def text_of(path: Path, content: bytes) -> str:
    """Bytes as text.

    Raises:
        FileError: not UTF-8, with the line.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise FileError(path, line, "must be text in UTF-8", Reason(error.reason)) from None


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Replace a file by `content`, or leave everything as it was.

    Args:
        path: the file; its directory exists. A symbolic link is followed, an existing file keeps
            its permissions, and something that is not a regular file (`/dev/stdout`, a pipe) is
            simply written to.
        content: bytes, or text that is written as UTF-8 with its line ends unchanged.

    Returns: the path.

    Raises:
        FileError: the file cannot be written; the value says why.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> write_atomically(Path(folder.name, "ranks.txt"), "0 1 2\\n").read_text()
    '0 1 2\\n'
    >>> folder.cleanup()
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    try:
        mode = Path(path).stat().st_mode if Path(path).exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            Path(path).write_bytes(data)  # under the name given: `/dev/stdout` may have no other
        else:
            _replace(Path(os.path.realpath(path)), data, mode)
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, 0, "must be a file that can be written", Reason(reason)) from error
    return Path(path)


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}")
    # created like any new file, so that the umask decides who may read it
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:  # an interrupt too must leave nothing behind
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _flush_directory(target.parent)


def _flush_directory(directory: Path) -> None:
    """Make the new name survive a power cut, where the system can."""
    with contextlib.suppress(OSError, AttributeError):
        descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
