"""Output files that are either complete or not there, and files that are read up to a limit.

The content goes to a new file in the same directory, is flushed to the disk, and takes the place
of the old file in one step, so that a reader, an error, or an interrupt never sees half of it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from pathlib import Path

from lccmodel.errors import FileError


def read_at_most(path: str | os.PathLike[str], most: int) -> bytes:
    """The bytes of a file; one that is longer, or endless (`/dev/zero`, a pipe), is refused.

    Raises:
        FileError: it has more than `most` bytes, or is a pipe that nobody writes to.
        OSError, ValueError: it cannot be opened, or no file can have such a name.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     read_at_most(file.name, 0)
    b''
    """
    begun, descriptor = _opened(path)
    with os.fdopen(descriptor, "rb") as file:
        content = begun + file.read(most + 1)
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
    except OSError as error:
        raise FileError(path, 0, "must be a file that can be read", error.strerror) from None
    except ValueError as error:
        raise FileError(path, 0, "must be a text in UTF-8", str(error)) from None


PATIENCE = 5.0
"""Seconds that a named pipe may stay without a writer, or without a reader."""

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _opened(path: str | os.PathLike[str]) -> tuple[bytes, int]:
    """A descriptor to read from, and what was read from it.

    To open a named pipe waits for a writer, for ever if none comes; so it is opened at once.
    """
    descriptor = os.open(path, _READ)
    try:
        is_pipe = stat.S_ISFIFO(os.fstat(descriptor).st_mode)
        begun = _first_byte(path, descriptor) if is_pipe else b""
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
    except BaseException:
        os.close(descriptor)
        raise
    return begun, descriptor


def _first_byte(path: str | os.PathLike[str], descriptor: int) -> bytes:
    """Wait until a named pipe has a writer; the first byte, if that writes at once."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            first = os.read(descriptor, 1)
        except BlockingIOError:  # a writer is there, and thinks
            return b""
        if first:
            return first
        if time.monotonic() > until:
            raise FileError(path, 0, f"must be written to within {PATIENCE:g} s", "a silent pipe")
        time.sleep(0.01)


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Replace a file by `content`, or leave everything as it was.

    Args:
        path: the file; its directory exists. A symbolic link is followed, an existing file keeps
            its permissions, and something that is not a regular file (`/dev/stdout`, a pipe) is
            simply written to.
        content: bytes, or text that is written as UTF-8 with its line ends unchanged.

    Returns: the path.

    Raises:
        FileError: the file cannot be written, or is a pipe that nobody reads; the value says why.

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
            _write_through(path, data)  # under the name given: `/dev/stdout` may have no other
        else:
            _replace(Path(os.path.realpath(path)), data, mode)
    except FileError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a null character in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, 0, "must be a file that can be written", reason) from error
    return Path(path)


def _write_through(path: str | os.PathLike[str], data: bytes) -> None:
    """Write to a device or a pipe; one without a reader would wait for ever to be opened."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
            break
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            if time.monotonic() > until:
                rule = f"must be read from within {PATIENCE:g} s"
                raise FileError(path, 0, rule, "a pipe without a reader") from None
            time.sleep(0.01)
    with os.fdopen(descriptor, "wb") as file:
        if hasattr(os, "set_blocking"):
            os.set_blocking(descriptor, True)
        file.write(data)


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
