"""A program: phases of traffic, one after another, among the same ranks.

A phase is what is sent at one time, how often that happens, and what it is called.

    Program([Phase(rows, 10, "rows"), Phase(columns, 1, "columns")])
    Program.of([LCC([[0, 1], [1, 0]], name="transpose")])      from whatever describes traffic
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.conversion import AddressPairs, Idle
from lccmodel.communication.destinations import Permutation, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.communication.recognition import Recognition, analyse, recognise
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import (
    CommunicationError,
    FileError,
    InputError,
    NotLinearComplement,
    checked_integer,
    checked_name,
)
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.frozen import Frozen
from lccmodel.ground.numbers import exact_sum, in_unit
from lccmodel.ground.numbers import in_common_unit as common_unit_of
from lccmodel.ground.views import Viewed
from lccmodel.ground.words import checked_word


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
    def read_as(self) -> str:
        """The form in which it was described, such as "64 pairs" or "catalog: bit-reverse"."""
        return self.origin

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


@typed_arguments
def chosen_phase(names: Sequence[str], name: str | None, argument: str, what: str) -> int:
    """Return the place of the one communication that is followed or routed.

    Args:
        names: of all communications, in their order.
        name: of one of them; None if there is only one.
        argument: which argument chooses one.
        what: what holds them.

    Raises:
        InputError: there are several and none is named, none has the name, or several have it.

    >>> chosen_phase(["rows", "columns"], "columns", "name", "fft.toml")
    1
    >>> chosen_phase(["a", "b"], None, "name", "fft.toml")
    Traceback (most recent call last):
    ...
    lccmodel.errors.InputError: name: is required, since fft.toml holds 2: a, b; got None
    """
    if name is None:
        if len(names) > 1:
            rule = f"is required, since {what} holds {len(names)}: {', '.join(names)}"
            raise InputError(argument, rule, None)
        return 0
    checked_word(argument, name, names)
    if (twins := list(names).count(name)) > 1:
        raise InputError(argument, f"must be the name of one, and {twins} have it", name)
    return list(names).index(name)


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

    @property
    def called(self) -> str:
        """The name of the phase, or of its y = Ax + b; "" if neither has one."""
        return self.name or (self.lcc.name if self.lcc is not None else "")

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
        notes: what a reader has to know, such as columns of a table that were ignored; the notes
            of its traffics are among them.

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
        listed = tuple(p if isinstance(p, Phase) else Phase(p) for p in phases)
        if not listed:
            raise CommunicationError("phases", "must be at least one", listed)
        largest = max(phase.traffic.ranks for phase in listed)
        count = largest if ranks is None else checked_integer("ranks", ranks, CommunicationError)
        if count < largest:
            raise CommunicationError("ranks", f"must be at least {largest}, for all phases", count)
        values = (
            ("phases", listed),
            ("ranks", count),
            ("network", network),
            (
                "notes",
                tuple(dict.fromkeys((*notes, *(n for p in listed for n in p.traffic.notes)))),
            ),
        )
        for key, value in values:
            object.__setattr__(self, key, value)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the phases; "phase 0", "phase 1" and so on for those without one.

        >>> Program([Phase([(0, 1)], name="there"), [(1, 0)]]).names
        ('there', 'phase 1')
        """
        return tuple(phase.called or f"phase {k}" for k, phase in enumerate(self.phases))

    @classmethod
    def of(cls, anything: Any, ranks: int | None = None) -> Program:
        """Return the program that something describes.

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
            if ranks is None:
                return anything
            return cls(anything.phases, ranks, anything.network, anything.notes)
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
        """Return the same with volumes that have a common unit: rounded where they have none.

        Then they are the nearest multiples of a power of ten of which 10^14 are more than all
        volumes together, and `notes` says so.

        >>> odd = Program.of(Traffic([(0, 1), (1, 0)], [0.1234567890123456, 1e6]))
        >>> rounded = odd.in_common_unit()
        >>> rounded.notes, rounded[0].traffic.volumes.tolist()
        (('volumes are rounded to multiples of 1e-07',), [0.1234568, 1000000.0])
        """
        volumes = [phase.traffic.carried for phase in self.phases]
        every: Any = np.concatenate(volumes)
        if common_unit_of(every) is not None:
            return self
        total = sum((exact_sum(carried) for carried in volumes), Fraction(0))
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
