"""What was read of one communication, with its place, and the `LCC` that it turns out to be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.addresses import AddressPairs, Idle
from lccmodel.communication.destinations import Permutation, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.communication.recognition import Recognition, analyse, recognise
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import FileError, InputError, NotLinearComplement, checked_name


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One communication as it was read: from a file, a word, equations.

    Attributes:
        name: unique in its file.
        content: an `LCC`, or messages that have yet to be recognised.
        weight: a positive number, how often it is called or how much each message carries.
        origin: how it was described, e.g. "catalog: bit-reverse" or "64 pairs".
        path, line: where; "" and 0 if not in a file.
        lines: the line of every message of a table, or None.
        network, network_line: the word for the network that the file names, such as "origin:5",
            and where; "" and 0 if it names none.
        calls: how often it runs, where that is stated apart from volumes, else 1.
        notes: what a reader has to know.
        bits: number of address bits where it is not that of the ranks, else 0.
        grid: the sides of the process grid of which it is a phase, else ().
    """

    name: str
    content: LCC | Traffic
    weight: float = 1.0
    origin: str = ""
    path: str = ""
    line: int = 0
    lines: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    network: str = ""
    network_line: int = 0
    calls: float = 1.0
    notes: tuple[str, ...] = ()
    bits: int = 0
    grid: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", checked_name("name", self.name))

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.bits or self.content.n

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.content.size if isinstance(self.content, LCC) else self.content.ranks

    @property
    def starts_at_one(self) -> bool:
        """Whether rank 0 neither sends nor receives: ranks may be numbered from one."""
        if isinstance(self.content, LCC) or not len(self.content):
            return False
        return bool(self.content.messages.min() == 1)

    def first_beyond(self, size: int) -> tuple[int, int] | None:
        """The first rank in a message that is not below `size`, and its line; None without one."""
        if isinstance(self.content, LCC):
            return None
        outside = (self.content.messages >= size).any(axis=1)
        if not outside.any():
            return None
        row = int(outside.argmax())
        line = self.line if self.lines is None else int(self.lines[row])
        return int(self.content.messages[row].max()), line

    @property
    def addresses(self) -> AddressPairs | None:
        """The pairs of addresses that are to be recognised; None of an `LCC`."""
        if isinstance(self.content, LCC):
            return None
        return AddressPairs.of(self.content.messages, self.n)

    @property
    def communication(self) -> LCC:
        """The communication, recognised if need be.

        Raises:
            FileError: as `recognised`.
        """
        return self.content if isinstance(self.content, LCC) else self.recognised().communication

    def recognition(self, idle: Idle = "unknown") -> Recognition:
        """What the messages say; a name or equations say it themselves."""
        if isinstance(self.content, LCC):
            c = self.content
            return Recognition("linear-complement", c.n, c, c.kind, 0, 0, 0)
        return analyse(self.addresses, idle=idle)

    def recognised(self, idle: Idle = "unknown") -> Entry:
        """The same with the communication that the messages are, labelled with the name.

        Raises:
            FileError: the messages are not linear-complement or do not determine A and b; the
                error's `__cause__` holds the witness or the recognition.
        """
        c = self.content
        if isinstance(c, Traffic):
            try:
                c = recognise(self.addresses, idle=idle)
            except InputError as error:
                rule = f"the messages of {self.name!r} {error.rule}"
                raise FileError(self.path, self._line_of(error), rule, error.value) from error
        labelled = relabelled(c, self.name)
        return replace(self, content=labelled, lines=None, calls=self.weight, bits=0)

    def permutation(self, idle: Idle = "unknown") -> Permutation:
        """The permutation of all nodes that the messages are, y = Ax + b or not.

        Messages that do not say it for every node are recognised first.

        Raises:
            CommunicationError: not a permutation.
            FileError: as `recognised`.
        """
        messages = self.addresses
        if messages is not None:
            if idle == "stay":
                messages = messages.with_idle_staying()
            if len(messages) == 1 << messages.n and messages.missing_sources == 0:
                destinations = np.empty(len(messages), dtype=np.int64)
                destinations[messages.sources] = messages.destinations
                return destinations_of(destinations)
        c = self.content if isinstance(self.content, LCC) else self.recognised(idle).communication
        destinations_of(c)
        return c

    def _line_of(self, error: InputError) -> int:
        """The line of the message that breaks linearity, where it is known."""
        witness = error.witness if isinstance(error, NotLinearComplement) else None
        pair = getattr(witness, "pair", None)
        if self.lines is None or pair is None or not isinstance(self.content, Traffic):
            return self.line
        hits = (self.content.messages == pair).all(axis=1)
        return int(self.lines[hits.argmax()])


def relabelled(communication: LCC, name: str) -> LCC:
    """The same communication with another label."""
    maker = LCC.scatter if communication.kind == "scatter" else LCC
    return maker(communication.A, communication.b, name=name)


def sent_between(pairs: AddressPairs, volumes: Any = None, ranks: int = 0) -> Traffic:
    """The traffic between addresses: among so many ranks, or more if they are named; or all 2^n.

    Raises:
        CommunicationError, SizeLimitError: see `Traffic`.
    """
    both = np.stack([pairs.sources, pairs.destinations], axis=1)
    named = 1 + int(both.max(initial=0))
    return Traffic(both, volumes, min(max(ranks, named), 1 << pairs.n) if ranks else 1 << pairs.n)


def checked_weight(value: object) -> float:
    """A positive finite number as a float.

    Raises:
        InputError: anything else.
    """
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < math.inf:
        return float(value)
    raise InputError("weight", "must be a positive number", value)


def as_file_error(error: InputError, path: object, line: int) -> FileError:
    """A fault in an argument as a fault in a file."""
    if isinstance(error, FileError):
        return FileError(path, line, error.rule, error.value)
    return FileError(path, line, f"{error.argument}: {error.rule}", error.value)
