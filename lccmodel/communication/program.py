"""A program: phases of traffic, one after another, among the same ranks.

A phase is what is sent at one time, how often that happens, and what it is called.

    Program([Phase(rows, 10, "rows"), Phase(columns, 1, "columns")])
    Program.of([LCC([[0, 1], [1, 0]], name="transpose")])      from whatever describes traffic
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._frozen import Frozen
from lccmodel.communication.entries import Entry
from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic
from lccmodel.communication.volumes import exact_sum, in_unit
from lccmodel.communication.volumes import in_common_unit as common_unit_of
from lccmodel.errors import CommunicationError, InputError, checked_integer, checked_name
from lccmodel.views import Viewed


@typed_arguments
class Phase(Frozen):
    """Traffic that is sent at one time, how often, and what it is called.

    Args:
        traffic: a `Traffic`, or anything `Traffic.of` takes.
        weight: a positive finite number: how often the phase runs.
        name: a label.

    Raises:
        InputError: the weight is not a positive finite number, or the name is not a text.
        CommunicationError, NodeError: see `Traffic.of`.

    >>> Phase([(0, 1), (1, 0)], 10, "swap")
    Phase(<Traffic of 2 messages among 2 ranks>, 10, 'swap')
    """

    __slots__ = ("name", "traffic", "weight")

    traffic: Traffic
    weight: int | float | Fraction
    name: str

    def __init__(self, traffic: Any, weight: int | float | Fraction = 1, name: str = "") -> None:
        if isinstance(weight, np.generic):
            weight = weight.item()
        known = isinstance(weight, (int, float, Fraction)) and not isinstance(weight, bool)
        if not known or not 0 < weight < math.inf:
            raise InputError("weight", "must be a positive finite number", weight)
        name = checked_name("name", name)
        for key, value in (("traffic", Traffic.of(traffic)), ("weight", weight), ("name", name)):
            object.__setattr__(self, key, value)

    @property
    def lcc(self) -> LCC | None:
        """The linear-complement communication that the phase is, or None; see `Traffic.lcc`."""
        return self.traffic.lcc

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Phase):
            return NotImplemented
        ours = (self.weight, self.name, self.traffic)
        return ours == (other.weight, other.name, other.traffic)

    def __hash__(self) -> int:
        return hash((self.weight, self.name, self.traffic))

    def __reduce__(self) -> tuple[object, ...]:
        return Phase, (self.traffic, self.weight, self.name)

    def __repr__(self) -> str:
        return f"Phase({self.traffic!r}, {self.weight!r}, {self.name!r})"


@typed_arguments
class Program(Frozen, Sequence[Phase], Viewed, view="program"):
    """What a program sends: phases, one after another, among the same ranks.

    Args:
        phases: `Phase`, or anything `Phase` takes; at least one.
        ranks: number of ranks; that of the largest phase if left out.
        network: the word for the network where it runs, such as "torus:8x6", if it is known.
        notes: what a reader has to know, such as columns of a table that were ignored.

    Attributes: `phases`, `ranks`, `network`, `notes`.

    Raises:
        CommunicationError: no phases, or a phase among more ranks than stated.

    >>> Program.of([(0, 1), (1, 0)]).phases
    (Phase(<Traffic of 2 messages among 2 ranks>, 1, ''),)
    """

    __slots__ = ("network", "notes", "phases", "ranks")

    phases: tuple[Phase, ...]
    ranks: int
    network: str
    notes: tuple[str, ...]

    def __init__(
        self,
        phases: Iterable[Any],
        ranks: int | None = None,
        network: str = "",
        notes: Iterable[str] = (),
    ) -> None:
        given = tuple(p if isinstance(p, Phase) else Phase(p) for p in phases)
        if not given:
            raise CommunicationError("phases", "must be at least one", given)
        largest = max(phase.traffic.ranks for phase in given)
        count = largest if ranks is None else checked_integer("ranks", ranks, CommunicationError)
        if count < largest:
            raise CommunicationError("ranks", f"must be at least {largest}, for all phases", count)
        values = (
            ("phases", given),
            ("ranks", count),
            ("network", network),
            ("notes", tuple(notes)),
        )
        for key, value in values:
            object.__setattr__(self, key, value)

    @classmethod
    def of(cls, anything: Any, ranks: int | None = None) -> Program:
        """The program that something describes.

        Args:
            anything: a `Program`, a `Phase`, a sequence of phases, traffics, `LCC`s or what
                `read_communications` gives, or anything `Traffic.of` takes.
            ranks: as for `Traffic.of`.

        Raises:
            CommunicationError, NodeError: it is not one of these.

        >>> Program.of([LCC([[0, 1], [1, 0]], name="transpose")])[0].name
        'transpose'
        """
        if isinstance(anything, Program):
            return anything if ranks is None else cls(anything.phases, ranks, anything.network)
        if not isinstance(anything, (list, tuple)) or not isinstance((*anything, 0)[0], _MEMBERS):
            return cls((_phase(anything, ranks),))
        for member in anything:
            if not isinstance(member, _MEMBERS):
                rule = "must all be phases, traffics or communications"
                raise CommunicationError("program", rule, member)
        entries = [member for member in anything if isinstance(member, Entry)]
        network = next((entry.network for entry in entries if entry.network), "")
        notes = dict.fromkeys(note for entry in entries for note in entry.notes)
        return cls([_phase(member) for member in anything], ranks, network, notes)

    def __getitem__(self, index: Any) -> Any:
        return self.phases[index]

    def __len__(self) -> int:
        return len(self.phases)

    def __iter__(self) -> Iterator[Phase]:
        return iter(self.phases)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        return (self.phases, self.ranks) == (other.phases, other.ranks)

    def __hash__(self) -> int:
        return hash((self.phases, self.ranks))

    def in_common_unit(self) -> Program:
        """The same with volumes that have a common unit: rounded where they have none.

        Then they are the nearest multiples of a power of ten of which 10^14 are more than all
        volumes together, and `notes` says so.

        >>> odd = Program.of(Traffic([(0, 1), (1, 0)], [0.1234567890123456, 1e6]))
        >>> rounded = odd.in_common_unit()
        >>> rounded.notes, rounded[0].traffic.volumes.tolist()
        (('volumes are rounded to multiples of 1e-07',), [0.1234568, 1000000.0])
        """
        volumes = [phase.traffic.volumes for phase in self.phases]
        every: Any = np.concatenate(volumes)
        if common_unit_of(every) is not None:
            return self
        total = sum((exact_sum(one) for one in volumes), Fraction(0))
        unit = Fraction(1)
        while total >= _MOST_ROUNDED * unit:
            unit *= 10
        while total * 10 < _MOST_ROUNDED * unit:
            unit /= 10
        phases = []
        for phase, measured in zip(self.phases, volumes, strict=True):
            rounded = [float(k * unit) for k in in_unit(measured, unit).tolist()]
            traffic = Traffic(phase.traffic.messages, rounded, self.ranks)
            phases.append(Phase(traffic, phase.weight, phase.name))
        note = f"volumes are rounded to multiples of {float(unit):g}"
        return Program(phases, self.ranks, self.network, (*self.notes, note))

    def __reduce__(self) -> tuple[object, ...]:
        return Program, (self.phases, self.ranks, self.network, self.notes)

    def __repr__(self) -> str:
        return f"Program({list(self.phases)!r}, ranks={self.ranks})"


_MOST_ROUNDED = 10**14
"""Units that rounded volumes add up to, less: sums over all bits stay below 2^61."""

_MEMBERS = (LCC, Traffic, Phase, Entry)


def _phase(member: Any, ranks: int | None = None) -> Phase:
    if isinstance(member, Phase):
        return member
    if isinstance(member, Entry):
        weight = int(member.calls) if member.calls.is_integer() else member.calls
        return Phase(member.content, weight, member.name)
    name = member.name if isinstance(member, LCC) else ""
    return Phase(Traffic.of(member, ranks), 1, name)
