"""Entries of a program from what files say: bytes added up by pairs, or messages as described."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.program import Entry, as_file_error
from lccmodel.communication.rows import Described
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError
from lccmodel.reading.found import Found
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text

_MOST_RANKS = 1 << 24
"""More than any machine runs: a larger number in a trace is a slip."""

_MOST_BYTES = 1 << 62


def traffic_entry(
    text: Text,
    described: Described,
    origin: str,
    *,
    name: str = "",
    line: int = 0,
    lines: npt.NDArray[np.int64] | None = None,
) -> Entry:
    """Return the entry of messages; `stated().n`, if it is given, are its address bits.

    Args:
        text: the file.
        described: its messages; their notes belong to the `Found`.
        origin: the form in which they were described.
        name: of the communication; the stem of the file by default.
        line: where they begin.
        lines: the line of every message.

    Raises:
        FileError: they break a rule of `Traffic`, or n bits do not name every rank.
    """
    at = line if lines is None or not len(lines) else int(lines[0])
    try:
        sent = Traffic(*described[:3])
    except InputError as error:
        raise as_file_error(error, text.path, at) from error
    bits = sent.n if stated().n is None else stated().n
    assert bits is not None
    if (sent.ranks - 1) >> bits:
        rule, place = f"a node must be in 0..{(1 << bits) - 1} for n = {bits}", line
        if len(sent) and lines is not None and int(sent.messages.max()) == sent.ranks - 1:
            place = int(lines[int(sent.messages.max(axis=1).argmax())])
        if sent.ranks - 1 == 1 << bits and len(sent) and int(sent.messages.min()) == 1:
            rule += (
                f"; the ranks 1..{sent.ranks - 1} look numbered from one: subtract 1 from each, or "
                "state --first-rank 1"
            )
        raise FileError(text.path, place, rule, sent.ranks - 1)
    weight, where = sent.largest_volume or 1.0, str(text.path)
    return Entry(name or text.stem, sent, weight, origin, where, at, lines, bits=bits)


def found_traffic(
    text: Text, form: str, entries: Sequence[Entry], notes: Sequence[str] = (), *others: Found
) -> Found:
    """Return what a file holds, its first kind being traffic."""
    return Found("traffic", form, tuple(entries), tuple(notes), str(text.path), others)


_SHOWN = 6
"""Ranks that a note lists."""


def missing_note(missing: Sequence[int], ranks: int, what: str) -> str:
    """Return the note that the parts of ranks are missing from a dump or a profile.

    >>> missing_note([1, 3], 4, "dump")[:51]
    '2 of 4 ranks are missing from the dump (1, 3): the '
    """
    listed = ", ".join(map(str, missing[:_SHOWN])) + (", ..." if len(missing) > _SHOWN else "")
    missed = f"{len(missing)} of {ranks} ranks are missing from the {what} ({listed})"
    return f"{missed}: the messages that they sent are not known"


class Sums:
    """Bytes by source and destination, each with the line that named the pair first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ranks = 1
        self._sent: dict[tuple[int, int], int] = {}
        self._lines: dict[tuple[int, int], int] = {}

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return pair in self._sent

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs that sent something, in the order of the file."""
        return list(self._sent)

    def hold(self, line: int, ranks: int) -> None:
        """Count so many ranks, whether they send or not.

        Raises:
            FileError: more than any machine runs.
        """
        if ranks > _MOST_RANKS:
            raise FileError(self.path, line, f"ranks must be below {_MOST_RANKS:,}", ranks - 1)
        self.ranks = max(self.ranks, ranks)

    def add(self, line: int, source: int, destination: int, volume: Any) -> None:
        """Add bytes from a rank to another.

        Raises:
            FileError: ranks or bytes that are none.
        """
        self.hold(line, max(source, destination) + 1)
        pair = (source, destination)
        total = self._sent.get(pair, 0) + volume
        if total > _MOST_BYTES:
            raise FileError(self.path, line, "bytes must add up to less than 2^62", volume)
        if volume:
            self._sent[pair] = total
            self._lines.setdefault(pair, line)

    def entry(self, text: Text, origin: str, name: str = "") -> Entry:
        """Return the one communication of the trace.

        Raises:
            FileError: nobody sent anything, or more ranks than n bits name.
        """
        if not self._sent:
            raise FileError(self.path, 0, "must record messages between ranks", "none")
        lines = np.array(list(self._lines.values()), dtype=np.int64)
        described = Described(list(self._sent), list(self._sent.values()), self.ranks)
        return traffic_entry(text, described, origin, name=name, line=int(lines[0]), lines=lines)
