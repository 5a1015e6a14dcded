"""Machine code on disk: read when every bit of it is right, written where nobody else may write.

Machine code runs, whatever it says: one wrong bit gives a wrong answer, or the end of the process.
So a file of the cache is one container, verified before any of it is loaded:

    lccmodel kernel 1 \\n | checksum of the rest | key: what was compiled, and for what | code

What does not fit is set aside (`.broken`) and compiled anew. A kernel is kept in the first of three
folders that can be had: below NUMBA_CACHE_DIR, in `__pycache__` beside its source, in the user's
own cache. Each belongs to the user alone: it is made with 0700, and one that has another owner, or
that others may write, is not used. Without any of them kernels are compiled in memory, which is
said once.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from multiprocessing import parent_process
from pathlib import Path

from lccmodel.errors import FileError
from lccmodel.ground.files import write_atomically

used: dict[Path, bool] = {}
"""The files that this process took kernels from, and those that it wrote: False, True."""

_MARK = b"lccmodel kernel 1\n"
_DIGEST = hashlib.sha256().digest_size
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def _folders(source: Path) -> Iterator[Path]:
    """Where the kernels of a source file may be kept, best first."""
    home = source.parent
    own = f"{home.name}-{hashlib.sha256(os.fsencode(home)).hexdigest()[:16]}"
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        yield Path(chosen, own)
    yield home / "__pycache__" / "lccmodel"
    with suppress(RuntimeError):  # a user without a home
        users = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        if users.is_absolute():
            yield users / "lccmodel" / own


def kept(name: str, key: bytes, source: Path) -> tuple[Path, bytes] | None:
    """The file that holds the code of a key, and that code; None where there is none."""
    for folder in _folders(source):
        path = folder / name
        if not _is_ours(folder):
            continue
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            continue
        except OSError:  # no file, or one that is not to be read
            content = b""
        code = _verified(content, key)
        if code is not None:
            used.setdefault(path, False)
            return path, code
        set_aside(path)
        _say(f"compiled code in {folder} is damaged: it is set aside, and compiled anew")
    return None


def keep(name: str, key: bytes, code: bytes, source: Path, kind: str) -> None:
    """Write a container into the first folder that takes it; say once if none does.

    What is left in that folder of an older source is removed.

    Args:
        name: of the file.
        key: what was compiled and for what, as a digest.
        code: the content.
        source: the file that the kernel stands in.
        kind: how the names of all entries of this kernel begin.
    """
    content = _MARK + hashlib.sha256(key + code).digest() + key + code
    reason = "no folder for them"
    for folder in _folders(source):
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(0o700, exist_ok=True)
            if not _is_ours(folder):
                reason = f"{folder}: others may write there, or own it"
                continue
            write_atomically(folder / name, content)
        except OSError as error:
            reason = f"{folder}: {error.strerror or error}"
        except FileError as error:
            reason = f"{folder}: {error.value}"
        else:
            _remove_outdated(folder, kind, source, folder / name)
            used[folder / name] = True
            return
    _say(f"compiled code cannot be kept ({reason}): every start compiles anew")


def set_aside(path: Path) -> None:
    """Out of the way of the next entry, for who wants to look at it."""
    with suppress(OSError):
        path.replace(path.with_suffix(".broken"))


def _verified(content: bytes, key: bytes) -> bytes | None:
    """The code in a container, if its checksum is right and it is for this key."""
    start = len(_MARK) + _DIGEST
    rest = memoryview(content)[start:]
    marked = content[: len(_MARK)] == _MARK
    if not marked or content[len(_MARK) : start] != hashlib.sha256(rest).digest():
        return None
    return bytes(rest[_DIGEST:]) if rest[:_DIGEST] == key else None


def _is_ours(folder: Path) -> bool:
    """Whether a folder is there, belongs to this user and is written by nobody else."""
    try:
        state = folder.stat()
    except OSError:
        return False
    if not stat.S_ISDIR(state.st_mode):
        return False
    if not hasattr(os, "geteuid"):  # no owners there
        return True
    return state.st_uid == os.geteuid() and not state.st_mode & _OTHERS_MAY_WRITE


def _remove_outdated(folder: Path, kind: str, source: Path, made: Path) -> None:
    """Entries of a kernel, and halves of them, that are older than the source as it is now.

    What was made now is not, whatever a clock that was set back says.
    """
    with suppress(OSError):
        changed = source.stat().st_mtime
        if made.stat().st_mtime < changed:
            os.utime(made, (changed, changed))
        for entry in os.scandir(folder):
            if entry.name.lstrip(".").startswith(kind) and entry.stat().st_mtime < changed:
                Path(entry).unlink()


@cache
def _say(text: str) -> None:
    """Once, by the process that a person looks at, not by its workers."""
    if parent_process() is None and sys.stderr is not None:
        with suppress(OSError, ValueError):
            print(f"lccmodel: {text}", file=sys.stderr)
