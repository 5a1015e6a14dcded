"""A communication of a program with its name, its weight, and where it was found."""

from __future__ import annotations

from dataclasses import dataclass

from lccmodel.communication.lcc import LCC

__all__ = ["NamedCommunication", "relabelled"]


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


def relabelled(communication: LCC, name: str) -> LCC:
    """The same communication with another label."""
    maker = LCC.scatter if communication.kind == "scatter" else LCC
    return maker(communication.A, communication.b, name=name)
