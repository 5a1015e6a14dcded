"""The parts of a report that need not be made again: those whose key and files are as they were.

A part is a figure or the section of a paper. Its key is a hash of all that it is made from: this
package's own files, and what the part is told. A report keeps the keys of its parts, and a hash of
every file of theirs, in `.parts.json` of its folder; a file that somebody has changed is made anew.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import lccmodel

MANIFEST = ".parts.json"


def digest(*told: bytes | str) -> str:
    """A hash of what a part is made from, the package among it.

    >>> digest("a", "bc") != digest("ab", "c"), digest("a") == digest("a")
    (True, True)
    """
    found = hashlib.sha256(_package().encode())
    for each in told:
        content = each.encode() if isinstance(each, str) else each
        found.update(len(content).to_bytes(8, "big") + content)
    return found.hexdigest()


@cache
def _package() -> str:
    """A hash of this package: another version, or a changed line, makes every part anew."""
    root = Path(lccmodel.__file__).parent
    found = hashlib.sha256(lccmodel.__version__.encode())
    for file in sorted(root.rglob("*")):
        if file.is_file() and file.suffix != ".pyc" and "__pycache__" not in file.parts:
            found.update(str(file.relative_to(root)).encode() + file.read_bytes())
    return found.hexdigest()


class Parts:
    """The parts of a report: looked up by name and key, and noted when they are made.

    Args:
        folder: of a report that was written before; None makes every part anew.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._known = _read(folder)
        self._noted: dict[str, Any] = {}

    def kept(self, name: str, key: str) -> dict[str, bytes] | None:
        """The files of a part by their path, if they are those that this key made."""
        known = self._known.get(name)
        if self._folder is None or not isinstance(known, dict) or known.get("key") != key:
            return None
        files: dict[str, bytes] = {}
        try:
            for path, mark in known["files"].items():
                files[path] = (self._folder / path).read_bytes()
                if hashlib.sha256(files[path]).hexdigest() != mark:
                    return None
        except (OSError, AttributeError, KeyError, TypeError):
            return None
        self.note(name, key, files)
        return files

    def note(self, name: str, key: str, files: Mapping[str, bytes]) -> None:
        """A part as it is now."""
        marks = {path: hashlib.sha256(content).hexdigest() for path, content in files.items()}
        self._noted[name] = {"key": key, "files": marks}

    def manifest(self) -> bytes:
        """What `.parts.json` holds."""
        return (json.dumps(self._noted, indent=1, sort_keys=True) + "\n").encode()


def _read(folder: Path | None) -> dict[str, Any]:
    """What was noted; nothing if there is no such file, or another one."""
    if folder is None:
        return {}
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
