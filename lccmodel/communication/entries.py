"""What a file says about one communication, and the communication it turns out to be."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.messages import Idle, Messages
from lccmodel.communication.recognition import recognise
from lccmodel.errors import FileError, InputError, NotLinearComplement

__all__ = ["Entry", "NamedCommunication", "as_file_error", "checked_weight", "named"]


@dataclass(frozen=True, slots=True)
class NamedCommunication:
    """A communication of a program.

    Attributes: `name`, unique in its file; `communication` (`LCC`, labelled with the name);
    `weight`, a positive number, how often it is called or how much each message carries;
    `origin`, how it was described, e.g. "catalog: bit-reverse" or "64 pairs"; `path` and `line`,
    where ("" and 0 if not in a file); `network`, the word for the network that the file names,
    such as "origin:5", and `network_line`, where ("" and 0 if it names none).
    """

    name: str
    communication: LCC
    weight: float = 1.0
    origin: str = ""
    path: str = ""
    line: int = 0
    network: str = ""
    network_line: int = 0

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.communication.n

    @property
    def ranks(self) -> int:
        """Number of ranks, 2^n."""
        return self.communication.size

    @property
    def starts_at_one(self) -> bool:
        """Whether rank 0 does nothing: never so for all messages of a matrix."""
        return False


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One communication as described: an `LCC`, or messages that have yet to be recognised.

    Attributes: as for `NamedCommunication`, with `content` in place of the communication;
    `lines`, the line of every message of a table, or None; `calls`, how often it runs where that
    is stated apart from volumes, else 1; `notes`, what a reader has to know.
    """

    name: str
    content: LCC | Messages
    weight: float
    origin: str
    path: str
    line: int
    lines: npt.NDArray[np.int64] | None = field(default=None, repr=False)
    network: str = ""
    network_line: int = 0
    calls: float = 1.0
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """Number of address bits."""
        return self.content.n

    @property
    def ranks(self) -> int:
        """Number of ranks."""
        return self.content.size if isinstance(self.content, LCC) else self.content.among

    @property
    def starts_at_one(self) -> bool:
        """Whether rank 0 neither sends nor receives: ranks may be numbered from one."""
        if isinstance(self.content, LCC) or not len(self.content):
            return False
        return bool(min(self.content.sources.min(), self.content.destinations.min()) == 1)

    def recognised(self, idle: Idle = "unknown") -> NamedCommunication:
        """The communication, recognised if need be.

        Raises:
            FileError: the messages are not linear-complement or do not determine A and b; the
                error's `__cause__` holds the witness or the recognition.
        """
        c = self.content
        if isinstance(c, Messages):
            try:
                c = recognise(c, idle=idle)
            except InputError as error:
                rule = f"the messages of {self.name!r} {error.rule}"
                raise FileError(self.path, self._line_of(error), rule, error.value) from error
        labelled = named(c, self.name)
        return NamedCommunication(
            self.name,
            labelled,
            self.weight,
            self.origin,
            self.path,
            self.line,
            self.network,
            self.network_line,
        )

    def _line_of(self, error: InputError) -> int:
        """The line of the message that breaks linearity, where it is known."""
        witness = error.witness if isinstance(error, NotLinearComplement) else None
        pair = getattr(witness, "pair", None)
        if self.lines is None or pair is None or not isinstance(self.content, Messages):
            return self.line
        source, destination = (np.uint64(node) for node in pair)
        content = self.content
        hits = (content.sources == source) & (content.destinations == destination)
        return int(self.lines[hits.argmax()])


def named(communication: LCC, name: str) -> LCC:
    """The same communication with another label."""
    maker = LCC.scatter if communication.kind == "scatter" else LCC
    return maker(communication.A, communication.b, name=name)


def checked_weight(value: object) -> float:
    """A positive finite number as a float.

    Raises:
        InputError: anything else.
    """
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 < value < math.inf:  # type: ignore[operator]
        raise InputError("weight", "must be a positive number", value)
    return float(value)  # type: ignore[arg-type]


def as_file_error(error: InputError, path: object, line: int, part: str = "") -> FileError:
    """A fault in an argument as a fault in a file."""
    if isinstance(error, FileError):
        return FileError(path, line, f"{part}{error.rule}", error.value)
    return FileError(path, line, f"{part}{error.argument}: {error.rule}", error.value)
