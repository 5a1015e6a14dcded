"""What every rank sent to every other, added up while a trace is read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from lccmodel.communication.addresses import AddressPairs
from lccmodel.communication.entries import Entry, as_file_error, sent_between
from lccmodel.errors import FileError, InputError

_MOST_RANKS = 1 << 24
"""More than any machine runs: a larger number in a trace is a slip."""

_MOST_BYTES = 1 << 62


class Sums:
    """Bytes by source and destination, each with the line that named the pair first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ranks = 1
        self._sent: dict[tuple[int, int], int] = {}
        self._lines: dict[tuple[int, int], int] = {}

    def __contains__(self, pair: tuple[int, int]) -> bool:
        return pair in self._sent

    def hold(self, line: int, ranks: int) -> None:
        """So many ranks there are, whether they send or not.

        Raises:
            FileError: more than any machine runs.
        """
        if ranks > _MOST_RANKS:
            raise FileError(self.path, line, f"ranks must be below {_MOST_RANKS:,}", ranks - 1)
        self.ranks = max(self.ranks, ranks)

    def add(self, line: int, source: int, destination: int, volume: int) -> None:
        """Some more bytes from a rank to another.

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

    def entry(
        self, name: str, origin: str, n: int | None = None, notes: Sequence[str] = ()
    ) -> tuple[Entry, ...]:
        """The one communication of the trace.

        Raises:
            FileError: nobody sent anything, or more ranks than n bits name.
        """
        if not self._sent:
            raise FileError(self.path, 0, "must record messages between ranks", "none")
        bits = max(1, (self.ranks - 1).bit_length()) if n is None else n
        if (self.ranks - 1) >> bits:
            rule = f"a rank must be in 0..{(1 << bits) - 1} for n = {bits}"
            raise FileError(self.path, 0, rule, self.ranks - 1)
        pairs = np.array(list(self._sent), dtype=np.uint64)
        lines = np.array(list(self._lines.values()), dtype=np.int64)
        volumes = np.array(list(self._sent.values()), dtype=np.int64)
        try:
            sent = sent_between(AddressPairs.of(pairs, bits), volumes, self.ranks)
        except InputError as error:
            raise as_file_error(error, self.path, int(lines[0])) from error
        weight, where, first = sent.largest_volume, str(self.path), int(lines[0])
        return (
            Entry(name, sent, weight, origin, where, first, lines, notes=tuple(notes), bits=bits),
        )
