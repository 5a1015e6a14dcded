"""Traffic: what is sent, message by message; a program is a sequence of phases of traffic.

A message is (source, destination, volume). Any number may leave or reach a rank, ranks need not
be a power of two, and nothing is counted that is not sent. A linear-complement communication
y = Ax + b is the special case that a matrix describes: a traffic that is one - every rank sends,
all volumes are equal - knows its `LCC`, so that ranks of submatrices can answer for it.

    Traffic([[0, 1], [1, 0], [1, 2]])                three messages of volume 1 among 3 ranks
    Traffic([[0, 1], [1, 2]], [4096, 512], 48)       two messages among 48 ranks
    Program([Phase(rows, 10, "rows"), Phase(columns, 1, "columns")])

Volumes are exact: integers stay integers, and a decimal such as 0.1 means 1/10 wherever the
volumes have a common unit that fits 64 bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.communication.describing import described, described_by_matrix, one_of
from lccmodel.communication.lcc import LCC, NodeArray
from lccmodel.communication.named import NamedCommunication
from lccmodel.errors import (
    CommunicationError,
    InputError,
    NodeError,
    SizeLimitError,
    checked_integer,
)
from lccmodel.views import Viewed

__all__ = ["Phase", "Program", "Traffic"]

Volumes = npt.NDArray[np.int64] | npt.NDArray[np.float64]

MAX_RANKS = 1 << 63
"""A rank is an int64."""

MAX_UNITS = 1 << 61
"""Volumes are counted exactly while they add up to less, in their common unit."""

_UNKNOWN = object()


@typed_arguments
class Traffic(Viewed, view="traffic"):
    """Messages with volumes among ranks 0..ranks - 1.

    Args:
        messages: integers of shape (m, 2): source and destination of every message. The same
            pair may stand there several times; a message to oneself is allowed and uses no
            channel.
        volumes: m finite non-negative numbers, what each message carries; 1 if left out.
        ranks: how many ranks there are, at least 1; one more than the largest named if left out.

    Attributes: `messages` (int64, shape (m, 2)), `volumes` (shape (m,); int64 if all are
    integers, else float64), both read-only; `ranks`.

    Raises:
        CommunicationError: messages or volumes of another shape or type; a volume that is
            negative, infinite or not a number.
        NodeError: a rank is negative, or not below `ranks`.

    >>> t = Traffic([[0, 1], [1, 2], [0, 1]], [10, 2.5, 0])
    >>> t, t.ranks, t.total, t.sources.tolist()
    (<Traffic of 3 messages among 3 ranks, volume 12.5>, 3, Fraction(25, 2), [0, 1, 0])
    """

    __slots__ = ("_lcc", "_messages", "_volumes", "ranks")

    ranks: int
    """Number of ranks."""

    _messages: NodeArray | None
    _volumes: Volumes | None
    _lcc: Any

    def __init__(self, messages: Any, volumes: Any = None, ranks: int | None = None) -> None:
        pairs = _pairs(messages)
        carried = np.ones(len(pairs), np.int64) if volumes is None else _volumes(volumes, pairs)
        self._set(pairs, carried, _rank_count(pairs, ranks), _UNKNOWN)

    def _set(
        self, messages: NodeArray | None, volumes: Volumes | None, ranks: int, lcc: Any
    ) -> None:
        for array in (messages, volumes):
            if array is not None:
                array.flags.writeable = False
        values = (("_messages", messages), ("_volumes", volumes), ("ranks", ranks), ("_lcc", lcc))
        for key, value in values:
            object.__setattr__(self, key, value)

    # -- other ways in ----------------------------------------------------------------------

    @classmethod
    def of(cls, anything: Any, ranks: int | None = None) -> Traffic:
        """The traffic that something describes.

        Args:
            anything: a `Traffic`; an `LCC`; pairs (source, destination) or triples (source,
                destination, volume), as arrays or lists; an array of destinations, one a rank; a
                square matrix of volumes, dense (at least 3 by 3) or `scipy.sparse`; a pandas
                data frame with columns source and destination, perhaps volume; a networkx graph,
                whose edges may carry `volume` or `weight`; a function of the rank that gives
                a destination, several, or None (state `ranks`).
            ranks: number of ranks, if the description leaves it open; else it must not be less.

        Raises:
            CommunicationError, NodeError: it is none of these, or breaks a rule of `Traffic`.

        >>> Traffic.of([(0, 1), (1, 0)]), Traffic.of(lambda rank: (rank + 1) % 48, 48)
        (<Traffic of 2 messages among 2 ranks>, <Traffic of 48 messages among 48 ranks>)
        >>> Traffic.of(LCC([[0, 1], [1, 0]])).lcc
        LCC([[0, 1], [1, 0]])
        """
        anything = one_of(anything)
        if isinstance(anything, LCC):
            anything = cls.of_lcc(anything)
        if isinstance(anything, Traffic):
            if ranks in (None, anything.ranks):
                return anything
            return cls(anything.messages, anything.volumes, ranks)
        return cls(*described(anything, ranks))

    @classmethod
    def of_lcc(cls, communication: LCC) -> Traffic:
        """The 2^n messages of a linear-complement communication, of volume 1.

        They are listed when they are asked for; ranks of A answer for any n.
        """
        self = object.__new__(cls)
        self._set(None, None, communication.size, communication)
        return self

    @classmethod
    def of_matrix(cls, matrix: Any) -> Traffic:
        """The traffic of a square matrix of volumes, dense or `scipy.sparse`: [s, d] != 0 is sent.

        Raises:
            CommunicationError: not square, or an entry that is no volume.

        >>> Traffic.of_matrix([[0, 5], [0.5, 0]]).volumes.tolist()
        [5.0, 0.5]
        """
        return cls(*described_by_matrix(matrix))

    # -- facts ------------------------------------------------------------------------------

    @property
    def messages(self) -> NodeArray:
        """Source and destination of every message: int64 of shape (m, 2), read-only.

        Raises:
            SizeLimitError: a communication with n > 28, which is not listed.
        """
        if self._messages is None:
            pairs = self._lcc.pairs()
            pairs.flags.writeable = False
            object.__setattr__(self, "_messages", pairs)
        assert self._messages is not None
        return self._messages

    @property
    def volumes(self) -> Volumes:
        """What every message carries, shape (m,), read-only: int64, or float64 with fractions."""
        if self._volumes is None:
            ones = np.ones(len(self.messages), np.int64)
            ones.flags.writeable = False
            object.__setattr__(self, "_volumes", ones)
        assert self._volumes is not None
        return self._volumes

    @property
    def sources(self) -> NodeArray:
        """The source of every message, int64 of shape (m,)."""
        return self.messages[:, 0]

    @property
    def destinations(self) -> NodeArray:
        """The destination of every message, int64 of shape (m,)."""
        return self.messages[:, 1]

    def __len__(self) -> int:
        return self.ranks if self._messages is None else len(self._messages)

    @property
    def exact(self) -> tuple[npt.NDArray[np.int64], Fraction]:
        """The volumes as integers of a unit: volumes = integers * unit.

        A float means its shortest decimal. The unit is the largest common one, so that equal
        volumes become ones.

        Raises:
            CommunicationError: the volumes have no common unit in which they add up to less than
                2^61, as measured times with many digits may; round them.

        >>> integers, unit = Traffic([[0, 1], [1, 0]], [0.5, 0.75]).exact
        >>> integers.tolist(), unit
        ([2, 3], Fraction(1, 4))
        """
        found = self._in_units()
        if found is None:
            rule = "must have a common unit in which they add up to less than 2^61; round them"
            raise CommunicationError("volumes", rule, self.volumes)
        return found

    @property
    def counted(self) -> tuple[npt.NDArray[np.int64], Fraction]:
        """As `exact`; volumes without a common unit are rounded to 2^-58 of the largest sum.

        For counting loads, where that is more than floating-point numbers would keep; what is to
        be proved asks for `exact`.
        """
        found = self._in_units()
        if found is not None:
            return found
        top = float(self.volumes.max()) * len(self)
        unit = Fraction(2) ** (math.frexp(top)[1] - 58)
        integers = [int(_fraction(volume) / unit + Fraction(1, 2)) for volume in self._floats()]
        return np.array(integers, np.int64), unit

    def _floats(self) -> list[float]:
        return [float(volume) for volume in self.volumes.tolist()]

    def _in_units(self) -> tuple[npt.NDArray[np.int64], Fraction] | None:
        """Integers and their unit, or None if there is no such unit."""
        distinct, places = np.unique(self.volumes, return_inverse=True)
        values = [_fraction(volume) for volume in distinct.tolist()]
        unit = _common_unit(values)
        integers = [int(value / unit) for value in values]
        counts = np.bincount(places.ravel(), minlength=len(values)).tolist()
        if sum(k * many for k, many in zip(integers, counts, strict=True)) >= MAX_UNITS:
            return None
        return np.array(integers, np.int64)[places.ravel()], unit

    @property
    def total(self) -> int | Fraction:
        """The sum of all volumes."""
        if self._volumes is None:
            return self.ranks  # a communication sends 2^n messages
        if self._volumes.dtype.kind == "i":
            return int(self._volumes.sum(dtype=np.int64))
        total = sum((_fraction(volume) for volume in self._volumes.tolist()), Fraction(0))
        return int(total) if total.denominator == 1 else total

    @property
    def uniform(self) -> bool:
        """Whether all messages carry the same; true of no messages at all."""
        volumes = self._volumes
        return volumes is None or not volumes.size or bool((volumes == volumes[0]).all())

    @property
    def uniform_volume(self) -> int | Fraction:
        """What every message carries, exactly, if all carry the same.

        Raises:
            CommunicationError: they do not.
        """
        if self._volumes is None or not self._volumes.size:
            return 1
        if not self.uniform:
            raise CommunicationError("volumes", "must be equal", self._volumes)
        volume = _fraction(self._volumes[0].item())
        return int(volume) if volume.denominator == 1 else volume

    @property
    def n(self) -> int:
        """Address bits that name every rank: the least n >= 1 with 2^n >= ranks."""
        return max(1, (self.ranks - 1).bit_length())

    @property
    def lcc(self) -> LCC | None:
        """The linear-complement communication that this is, message for message; else None.

        All volumes are equal, and exactly the messages (x, y) of y = Ax + b (or x = Ay + b) are
        there once. Those of a rank to itself, which use no channel, may be missing for ranks that
        do nothing else; the highest of these need not be among the ranks.

        >>> Traffic([[1, 2], [2, 1]], ranks=4).lcc
        LCC([[0, 1], [1, 0]])
        >>> print(Traffic([[1, 2], [2, 1]], [1, 2], ranks=4).lcc)
        None
        """
        if self._lcc is _UNKNOWN:
            object.__setattr__(self, "_lcc", self._recognised())
        found: LCC | None = self._lcc
        return found

    def _recognised(self) -> LCC | None:
        from lccmodel.communication.addresses import AddressPairs
        from lccmodel.communication.recognition import analyse

        size = 1 << self.n
        if not self.uniform or not 0 < len(self) <= size or not self.volumes[0]:
            return None
        given = AddressPairs.of(self.messages, self.n).with_idle_staying()
        both = np.stack([given.sources, given.destinations], axis=1)
        if len(given) != size or len(np.unique(both, axis=0)) != size:
            return None
        return analyse(given).communication

    @property
    def idle(self) -> NodeArray:
        """The ranks that neither send to another rank nor receive from one, ascending."""
        moving = self.messages[self._moving]
        busy = np.unique(moving)
        return np.setdiff1d(np.arange(self.ranks), busy, assume_unique=True)

    # -- other traffic ----------------------------------------------------------------------

    def placed(self, node_of: Any, nodes: int | None = None) -> Traffic:
        """The same messages between the nodes that hold the ranks.

        Args:
            node_of: the node of every rank, integers of shape (ranks,).
            nodes: number of nodes; one more than the largest that is used if left out.

        Raises:
            CommunicationError: not one integer a rank.
            NodeError: a node outside 0..nodes - 1.

        >>> Traffic([[0, 1]]).placed([3, 2]).messages.tolist()
        [[3, 2]]
        """
        where = _integers("node_of", node_of, "must be one node a rank")
        if where.shape != (self.ranks,):
            rule = f"must be one node for each of the {self.ranks} ranks"
            raise CommunicationError("node_of", rule, where.shape)
        twin = object.__new__(Traffic)
        count = _rank_count(where.reshape(-1, 1), nodes, "node")
        twin._set(where[self.messages], self.volumes.copy(), count, _UNKNOWN)
        return twin

    def scaled(self, factor: Any) -> Traffic:
        """The same messages with all volumes times an exact positive factor."""
        value = _fraction(factor)
        volumes = [_fraction(volume) * value for volume in self.volumes.tolist()]
        whole = all(volume.denominator == 1 for volume in volumes)
        carried = np.array(volumes, np.int64 if whole else np.float64)
        return Traffic(self.messages, carried, self.ranks)

    def merged(self) -> Traffic:
        """One message for every pair of different ranks, with the volumes added up; no others.

        >>> Traffic([[0, 1], [1, 1], [0, 1]], [2, 5, 3]).merged().volumes.tolist()
        [5]
        """
        moving = self._moving
        pairs, places = np.unique(self.messages[moving], axis=0, return_inverse=True)
        if self.volumes.dtype.kind == "i":
            volumes: Volumes = np.zeros(len(pairs), np.int64)
            np.add.at(volumes, places.ravel(), self.volumes[moving])
        else:
            volumes = np.bincount(places.ravel(), self.volumes[moving], len(pairs))
        return Traffic(pairs, volumes, self.ranks)

    @property
    def largest_volume(self) -> float:
        """The most that any two different ranks exchange in one direction, repetitions added up.

        1 if no message leaves its rank. It bounds what one path carries, and is what every path
        carries when all volumes are equal.

        >>> Traffic([(0, 1), (0, 1), (1, 0)]).largest_volume
        2.0
        """
        return float(self.merged().volumes.max(initial=0)) if self._moving.any() else 1.0

    @property
    def _moving(self) -> npt.NDArray[np.bool_]:
        moving: npt.NDArray[np.bool_] = self.sources != self.destinations
        return moving

    # -- being a value ------------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Traffic is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Traffic is frozen: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Traffic):
            return NotImplemented
        return (
            self.ranks == other.ranks
            and np.array_equal(self.messages, other.messages)
            and np.array_equal(self.volumes, other.volumes)
        )

    def __hash__(self) -> int:
        return hash((self.ranks, self.total))

    def __reduce__(self) -> tuple[object, ...]:
        if self._messages is None:
            return Traffic.of_lcc, (self._lcc,)
        return Traffic, (self.messages, self.volumes, self.ranks)

    def __repr__(self) -> str:
        if self._messages is None:
            return f"<Traffic of {self._lcc!r}>"
        many = f"{len(self)} message{'' if len(self) == 1 else 's'}"
        among = f"{self.ranks} rank{'' if self.ranks == 1 else 's'}"
        volume = "" if self.total == len(self) else f", volume {float(self.total):g}"
        return f"<Traffic of {many} among {among}{volume}>"


@typed_arguments
class Phase:
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
        if not isinstance(name, str):
            raise InputError("name", "must be a text", name)
        for key, value in (("traffic", Traffic.of(traffic)), ("weight", weight), ("name", name)):
            object.__setattr__(self, key, value)

    @property
    def lcc(self) -> LCC | None:
        """The linear-complement communication that the phase is, or None; see `Traffic.lcc`."""
        return self.traffic.lcc

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Phase is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Phase is frozen: cannot delete {name}")

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
class Program(Sequence[Phase], Viewed, view="program"):
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
            anything: a `Program`, a `Phase`, what `read_communications` gives, a sequence of
                phases, traffics or `LCC`s, or anything `Traffic.of` takes.
            ranks: as for `Traffic.of`.

        Raises:
            CommunicationError, NodeError: it is none of these.

        >>> Program.of([LCC([[0, 1], [1, 0]], name="transpose")])[0].name
        'transpose'
        """
        if isinstance(anything, Program):
            return anything if ranks is None else cls(anything.phases, ranks, anything.network)
        if not isinstance(anything, (list, tuple)) or not isinstance((*anything, 0)[0], _MEMBERS):
            return cls([_phase(anything, ranks)])
        for member in anything:
            if not isinstance(member, _MEMBERS):
                rule = "must all be phases, traffics or communications"
                raise CommunicationError("program", rule, member)
        network = next((m.network for m in anything if isinstance(m, NamedCommunication)), "")
        return cls([_phase(member) for member in anything], ranks, network)

    def __getitem__(self, index: Any) -> Any:
        return self.phases[index]

    def __len__(self) -> int:
        return len(self.phases)

    def __iter__(self) -> Iterator[Phase]:
        return iter(self.phases)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Program is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Program is frozen: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Program):
            return NotImplemented
        return (self.phases, self.ranks) == (other.phases, other.ranks)

    def __hash__(self) -> int:
        return hash((self.phases, self.ranks))

    def __reduce__(self) -> tuple[object, ...]:
        return Program, (self.phases, self.ranks, self.network, self.notes)

    def __repr__(self) -> str:
        return f"Program({list(self.phases)!r}, ranks={self.ranks})"


# -- checks -----------------------------------------------------------------------------------


def _pairs(messages: Any) -> NodeArray:
    rule = "must be integers of shape (m, 2): source and destination"
    pairs = _integers("messages", messages, rule)
    if pairs.size == 0:
        return np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise CommunicationError("messages", rule, pairs.shape)
    return pairs


def _integers(argument: str, values: Any, rule: str) -> NodeArray:
    """A new contiguous int64 array of the same integers."""
    try:
        array = np.asarray(values)
    except (ValueError, OverflowError):  # ragged
        raise CommunicationError(argument, rule, values) from None
    if not array.size:
        return np.zeros(array.shape, np.int64)
    if array.dtype.kind not in "iu":
        raise CommunicationError(argument, rule, values)
    if array.dtype.kind == "u" and int(array.max()) >= MAX_RANKS:
        raise SizeLimitError(argument, "a rank must be below 2^63", int(array.max()))
    return np.array(array, np.int64, order="C")


def _rank_count(pairs: NodeArray, ranks: int | None, what: str = "rank") -> int:
    """The number of ranks, once every rank of the messages is known to be among them."""
    count = None if ranks is None else checked_integer(f"{what}s", ranks, CommunicationError)
    if count is not None and count < 1:
        raise CommunicationError(f"{what}s", "must be at least 1", count)
    if not len(pairs):
        return 1 if count is None else count
    least, largest = int(pairs.min()), int(pairs.max())
    if least < 0:
        row = int((pairs < 0).any(axis=1).argmax())
        raise NodeError(what, f"must not be negative (message {row})", least)
    if count is not None and largest >= count:
        row = int((pairs >= count).any(axis=1).argmax())
        rule = f"must be in 0..{count - 1} (message {row})"
        if largest == count and least == 1:
            rule = (
                f"must be in 0..{count - 1}; {what}s 1..{largest} look numbered from one: "
                "subtract 1 from each"
            )
        raise NodeError(what, rule, int(pairs[row].max()))
    return largest + 1 if count is None else count


def _volumes(volumes: Any, pairs: NodeArray) -> Volumes:
    try:
        array = np.asarray(volumes)
        if array.dtype.kind not in "iuf":
            if array.dtype.kind != "O" or any(isinstance(v, (str, bool)) for v in array.flat):
                raise TypeError
            array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CommunicationError("volumes", "must be numbers", volumes) from None
    if array.shape != (len(pairs),):
        raise CommunicationError("volumes", f"must be {len(pairs)} numbers", array.shape)
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row = int(bad.argmax())
        rule = f"must be finite and not negative (message {row})"
        raise CommunicationError("volumes", rule, array[row].item())
    if array.dtype.kind == "f" and not (array < MAX_UNITS).all():
        return array.astype(np.float64)
    integers = array.astype(np.int64)
    if not (integers == array).all():
        return array.astype(np.float64)
    if int(integers.max(initial=0)) * max(1, len(integers)) >= MAX_UNITS:
        total = sum(integers.tolist())
        if total >= MAX_UNITS:
            raise CommunicationError("volumes", "must add up to less than 2^61", total)
    return integers


def _fraction(value: Any) -> Fraction:
    """A number as a fraction; a float means its shortest decimal."""
    return Fraction(repr(value) if isinstance(value, float) else value)


def _common_unit(values: Sequence[Fraction]) -> Fraction:
    """The largest fraction of which all values are integer multiples; 1 if all are 0."""
    top = math.gcd(*(value.numerator for value in values))
    bottom = math.lcm(*(value.denominator for value in values))
    return Fraction(top, bottom) if top else Fraction(1)


_MEMBERS = (LCC, Traffic, Phase, NamedCommunication)


def _phase(member: Any, ranks: int | None = None) -> Phase:
    if isinstance(member, Phase):
        return member
    if isinstance(member, NamedCommunication):
        weight = int(member.weight) if member.weight.is_integer() else member.weight
        return Phase(member.communication, weight, member.name)
    name = member.name if isinstance(member, LCC) else ""
    return Phase(Traffic.of(member, ranks), 1, name)
