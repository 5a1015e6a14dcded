r"""Bytes as text: gzip by its first bytes, UTF-8 or UTF-16 by their marks, line ends, labels off.

b"\x1f\x8b..."          unpacked, up to a limit
b"\xef\xbb\xbf..."      UTF-8 with a mark, the same as without
b"\xff\xfe...", b"\xfe\xff..."      UTF-16, as spreadsheets write it
b"a\r\nb\rc\n"          lines a, b, c
b"[1,0]<stdout>: a\n"   the line a of rank 0, see `labels`
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lccmodel.errors import FileError, Reason
from lccmodel.ground.files import content_of
from lccmodel.reading.labels import Label, without_labels

_HEAD = 1 << 16
"""Characters that recognition looks at first."""

_SAMPLE = 1 << 18
"""Bytes of a large file that decide on its shape."""

_XML_ENCODING = re.compile(rb"<\?xml[^>]*encoding=[\"'](iso-8859-1|windows-1252)", re.IGNORECASE)
"""Encodings that the first line of XML may state; IPM writes the first."""

_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True)
class Text:
    r"""The content of a file.

    Attributes:
        path: for names and errors; "stdin" for standard input, "" for a typed text.
        raw: its bytes, unpacked.

    >>> text = Text(Path("a.txt"), b"\xef\xbb\xbfn1\r\nn2\r\n")
    >>> text.content, text.lines, text.labels
    ('n1\nn2\n', ['n1', 'n2'], ())
    """

    path: Path
    raw: bytes

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Text:
        """Return the content of a file; "-" is standard input.

        Raises:
            FileError: it cannot be read, is too large, or is a broken gzip file.
            InputError: `path` is not a path.
        """
        place, _, content = content_of(path)
        return cls(place, content)

    @classmethod
    def typed(cls, text: str, where: str = "") -> Text:
        """Return a text that was typed or generated."""
        return cls(Path(where), text.encode("utf-8", "surrogatepass"))

    @cached_property
    def is_binary(self) -> bool:
        """Whether the bytes are no text: there is a NUL, and no mark of UTF-16."""
        return not self.raw.startswith(_UTF16) and b"\0" in self.raw[:_HEAD]

    @cached_property
    def _decoded(self) -> tuple[str, tuple[Label | None, ...]]:
        if self.is_binary:
            return "", ()
        encoding = "utf-16" if self.raw.startswith(_UTF16) else "utf-8-sig"
        if stated := _XML_ENCODING.match(self.raw[:200]):
            encoding = stated[1].decode()
        try:
            text = self.raw.decode(encoding)
        except UnicodeDecodeError as error:
            line = error.object[: error.start].count(b"\n") + 1
            rule = "must be text in UTF-8, or UTF-16 with its mark"
            raise FileError(self.path, line, rule, Reason(error.reason)) from None
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        return without_labels(text)

    @property
    def content(self) -> str:
        """The text without labels, with \\n at line ends; "" of a binary file.

        Line k is line k of the file, so that errors can name it.

        Raises:
            FileError: the encoding is unknown, with the line.
        """
        return self._decoded[0]

    @property
    def labels(self) -> tuple[Label | None, ...]:
        """The label of every line, None for a line without one; () if no line has one."""
        return self._decoded[1]

    @cached_property
    def head(self) -> str:
        """The first lines of the content, 64 Ki characters at most."""
        begin = self.content[:_HEAD]
        return begin if len(begin) < _HEAD else begin[: begin.rfind("\n") + 1] or begin

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the content, without line ends."""
        lines = self.content.split("\n")
        return lines[:-1] if lines[-1] == "" else lines

    def filled(self) -> Iterator[tuple[int, str]]:
        """Yield the number and the stripped text of every line that is not blank."""
        for number, line in enumerate(self.lines, start=1):
            if stripped := line.strip():
                yield number, stripped

    @cached_property
    def sample(self) -> Text:
        """The first 256 KiB of a large file, as a text of their own; else the text itself."""
        if len(self.raw) <= _SAMPLE or self.is_binary or self.raw.startswith(_UTF16):
            return self
        end = self.raw.rfind(b"\n", 0, _SAMPLE) + 1
        if not end:  # one long line, as JSON may be
            return self
        begin = Text(self.path, self.raw[:end])
        begin.__dict__["whole"] = self
        return begin

    @cached_property
    def whole(self) -> Text:
        """The text of which this is the `sample`, or the text itself."""
        return self

    @property
    def name(self) -> str:
        """The name of the file, without ".gz"."""
        return self.path.name.removesuffix(".gz")

    @property
    def stem(self) -> str:
        """The name without its last suffix, for the name of a communication."""
        return Path(self.name).stem

    @cached_property
    def beside(self) -> tuple[Path, ...]:
        """The other files of its folder, sorted; () for standard input and typed text."""
        folder = self.path.parent
        if not self.path.is_file():
            return ()
        return tuple(sorted(p for p in folder.iterdir() if p.is_file() and p != self.path))
