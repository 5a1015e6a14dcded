"""The result of reading a file, and the description of a file format.

A `Found` is frozen. Its notes travel with the problem into every result and every output format.
A file may hold several kinds: a profile of IPM has the traffic and the host of every rank. The
first kind is the result itself, and the further ones are in `others`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lccmodel.reading.text import Text

SIGNATURE, STRICT, LOOSE = 3, 2, 1
"""Tiers of recognition: a line that no other tool writes; a whole file of one strict grammar; a
shape such as rows of numbers."""

KINDS = MappingProxyType(
    {
        "traffic": "messages of a program",
        "network": "a network",
        "hosts": "a list of hosts",
        "placement": "the host of every rank",
        "times": "measured times of messages",
        "order": "an order of ranks",
        "cores": "the core or device of every rank",
    }
)
"""For every kind, its name in sentences."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that a file holds.

    Attributes:
        kind: one of `KINDS`.
        format: the name of the `Format`, such as "openmpi-monitoring".
        value: frozen. Traffic: entries of a program, in a tuple. Network: a neutral description.
            Hosts: ((name, slots), ...). Placement: the host of every rank. Times: runs of
            benchmarks. Order: rings of ranks. Cores: a number, or None, for every rank.
        notes: sentences on which the result rests.
        where: the path, with the line if that is useful; "" for a value.
        others: further kinds in the same file.

    >>> Found("hosts", "openmpi-hostfile", (("n1", 2),), (), "hosts.txt").of("placement") is None
    True
    """

    kind: str
    format: str
    value: Any
    notes: tuple[str, ...] = ()
    where: str = ""
    others: tuple[Found, ...] = ()

    def of(self, role: str) -> Found | None:
        """Return the part of this kind, or None."""
        return next((part for part in (self, *self.others) if part.kind == role), None)


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file.

    Attributes:
        name: a word, such as "openmpi-monitoring". Two formats share a name if one file serves
            two roles, as a GraphML file can be traffic and network.
        kind: the first kind that it holds, one of `KINDS`.
        tier: `SIGNATURE`, `STRICT` or `LOOSE`.
        recognises: whether a text is of this format; reads no more than it needs.
        read: the `Found` of a text. Errors are `FileError`, with the line.
        tool: the program that writes it and its versions, for tables and errors.
        command: how such a file is given to a command, with `{path}`, such as
            "--network graph:{path}"; "" if it needs no option.
        lacks: what the tool does not record, a sentence for the table of formats.
        also: further kinds that the file may hold.
        options: names of the `Options` that its reader takes.
    """

    name: str
    kind: str
    tier: int
    recognises: Callable[[Text], bool]
    read: Callable[[Text], Found]
    tool: str
    command: str = ""
    lacks: str = ""
    also: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
