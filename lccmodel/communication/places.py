"""Where the entries and keys of a TOML or JSON file stand, for error messages.

The standard parsers keep no line numbers, so the text is searched again, only when there is a
fault to report. A line that cannot be found is 0.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from functools import cached_property


class Places(ABC):
    """Lines of a document; subclasses say where its entries begin and what a key looks like."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_single = False

    def single(self) -> None:
        """The whole document is one entry."""
        self.is_single = True

    @cached_property
    @abstractmethod
    def starts(self) -> list[int]:
        """Offsets of the entries in the text."""

    @abstractmethod
    def key_pattern(self, key: str) -> str:
        """A regular expression for a key."""

    def line(self, index: int | None, *keys: str) -> int:
        """The line of the first of the keys that is found in an entry, or of the entry itself.

        `index` None means above all entries.
        """
        start, stop = self._range(index)
        for key in keys:
            match = re.compile(self.key_pattern(key), re.MULTILINE).search(self.text, start, stop)
            if match:
                return self._line_at(match.end())
        known = self.is_single or (index is not None and index < len(self.starts))
        return self._line_at(start) if known else 0

    def text_line(self, index: int, key: str) -> int:
        """The line where a text of several lines begins, 0 if that cannot be told."""
        return 0

    def _line_at(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def _range(self, index: int | None) -> tuple[int, int]:
        if index is None or self.is_single or index >= len(self.starts):
            return 0, len(self.text)
        ends = [*self.starts[1:], len(self.text)]
        return self.starts[index], ends[index]


class TomlPlaces(Places):
    """Entries begin with `[[communication]]`, keys stand before `=` on a line of their own."""

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the headers."""
        header = re.compile(r"^[ \t]*\[\[[ \t]*[\"']?communication[\"']?[ \t]*\]\]", re.MULTILINE)
        return [match.start() for match in header.finditer(self.text)]

    def key_pattern(self, key: str) -> str:
        """A key at the start of a line, the header of a table, or a key in an inline table."""
        name = rf"[\"']?{re.escape(key)}[\"']?"
        return rf"^[ \t]*{name}[ \t]*=|^[ \t]*\[+[^\]\n]*\b{name}[ \t]*\]|[{{,][ \t]*{name}[ \t]*="

    def text_line(self, index: int, key: str) -> int:
        """The line after one that ends in triple quotes; 0 for a text on one line or in a list."""
        start, stop = self._range(index)
        plain = rf"^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*=[ \t]*(?:\"\"\"|''')(\r?\n)?"
        match = re.compile(plain, re.MULTILINE).search(self.text, start, stop)
        return self._line_at(match.end()) if match else 0


class JsonPlaces(Places):
    """Entries are the elements of the list under "communication", or of the whole document."""

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the elements of the list."""
        opening = re.match(r"\s*\[", self.text) or re.search(r'"communication"\s*:\s*\[', self.text)
        if not opening:
            return []
        decoder, offset = json.JSONDecoder(), opening.end()
        starts: list[int] = []
        while True:
            offset += len(self.text[offset:]) - len(self.text[offset:].lstrip(" \t\r\n,"))
            if self.text[offset : offset + 1] in ("", "]"):
                return starts
            starts.append(offset)
            offset = decoder.raw_decode(self.text, offset)[1]

    def key_pattern(self, key: str) -> str:
        """A key in double quotes."""
        return rf'"{re.escape(key)}"\s*:'
