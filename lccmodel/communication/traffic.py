"""Traffic: what is sent, message by message.

A message is (source, destination, volume). Any number may leave or reach a rank, ranks need not
be a power of two, and nothing is counted that is not sent. A linear-complement communication
y = Ax + b is the special case that a matrix describes: a traffic that is one - every rank sends,
all volumes are equal - knows its `LCC`, so that ranks of submatrices can answer for it.

    Traffic([[0, 1], [1, 0], [1, 2]])                three messages of volume 1 among 3 ranks
    Traffic([[0, 1], [1, 2]], [4096, 512], 48)       two messages among 48 ranks

Volumes are exact wherever they have a common unit that fits 64 bits (`volumes`). A rank is an
int64 in 0..ranks - 1; whoever counts from one is told so.
"""

from __future__ import annotations

from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.conversion import described, one_of
from lccmodel.communication.lcc import LCC, NodeArray
from lccmodel.communication.rows import Described, described_by_matrix
from lccmodel.errors import CommunicationError, NodeError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.frozen import Frozen
from lccmodel.ground.numbers import (
    Volumes,
    checked_volumes,
    exact_sum,
    fractions_of,
    in_common_unit,
    in_rounded_unit,
    scaled,
)
from lccmodel.ground.views import Viewed

MAX_RANKS = 1 << 63
"""A rank is an int64."""


def checked_pairs(messages: Any) -> NodeArray:
    """Source and destination of every message, a new int64 array of shape (m, 2).

    Raises:
        CommunicationError: of another shape or type.
        SizeLimitError: a rank of 2^63 or more.
    """
    rule = "must be integers of shape (m, 2): source and destination"
    pairs = checked_ranks("messages", messages, rule)
    if pairs.size == 0:
        return np.empty((0, 2), np.int64)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise CommunicationError("messages", rule, pairs.shape)
    return pairs


def checked_ranks(argument: str, values: Any, rule: str) -> NodeArray:
    """A new contiguous int64 array of the same integers.

    Raises:
        CommunicationError: not integers; the error names the argument and states the rule.
        SizeLimitError: an integer of 2^63 or more.
    """
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


def rank_count(pairs: NodeArray, ranks: int | None, what: str = "rank") -> int:
    """The number of ranks, once every rank of the messages is known to be among them.

    Raises:
        CommunicationError: the number stated is not an integer of at least 1.
        NodeError: a rank is negative, or not below the number stated.

    >>> rank_count(checked_pairs([(0, 1), (5, 2)]), None)
    6
    """
    count = None
    if ranks is not None:
        count = checked_integer(f"{what}s", ranks, CommunicationError, least=1)
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


_UNKNOWN = object()


@typed_arguments
class Traffic(Frozen, Viewed, view="traffic"):
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

    __slots__ = ("_fractions", "_lcc", "_messages", "_volumes", "notes", "ranks")

    ranks: int
    """Number of ranks."""

    notes: tuple[str, ...]
    """How a description was interpreted, see `of`; () of messages that were given as such."""

    _messages: NodeArray | None
    _volumes: Volumes | None
    _fractions: npt.NDArray[np.object_] | None
    _lcc: Any

    def __init__(self, messages: Any, volumes: Any = None, ranks: int | None = None) -> None:
        pairs = checked_pairs(messages)
        floats = checked_volumes(volumes, len(pairs))
        fractions = fractions_of(volumes, floats)
        self._set(pairs, floats, rank_count(pairs, ranks), _UNKNOWN, fractions)

    def _set(
        self,
        messages: NodeArray | None,
        volumes: Volumes | None,
        ranks: int,
        lcc: Any,
        fractions: npt.NDArray[np.object_] | None = None,
    ) -> None:
        for array in (messages, volumes, fractions):
            if array is not None:
                array.flags.writeable = False
        values = (
            ("_messages", messages),
            ("_volumes", volumes),
            ("_fractions", fractions),
            ("ranks", ranks),
            ("notes", ()),
            ("_lcc", lcc),
        )
        for key, value in values:
            object.__setattr__(self, key, value)

    # -- other ways in ----------------------------------------------------------------------

    @classmethod
    def of(cls, anything: Any, ranks: int | None = None) -> Traffic:
        """Return the traffic that something describes.

        Args:
            anything: a `Traffic`; an `LCC`; pairs (source, destination) or triples (source,
                destination, volume), as arrays or lists; an array of destinations, one a rank; a
                square matrix of volumes, dense or `scipy.sparse`; a pandas data frame with columns
                source and destination, perhaps volume, under any name of
                `communication.columns`; a networkx graph, whose edges may carry a volume; a
                dictionary {(source, destination): volume}, {source: destinations} or {source:
                {destination: volume}}, or a pandas series like it; an xarray array like a numpy
                array; a function of the rank that gives a destination, several, or None (state
                `ranks`). `communication.rows` decides whether rows of numbers are a matrix.
            ranks: number of ranks, if the description leaves it open; else it must not be less.

        Returns: the traffic; its `notes` say what was chosen where there was a choice.

        Raises:
            CommunicationError, NodeError: it is not one of these, or breaks a rule of `Traffic`.

        >>> Traffic.of([(0, 1), (1, 0)]), Traffic.of(lambda rank: (rank + 1) % 48, 48)
        (<Traffic of 2 messages among 2 ranks>, <Traffic of 48 messages among 48 ranks>)
        >>> Traffic.of({(0, 1): 3, (1, 0): 2}).volumes.tolist()
        [3, 2]
        >>> Traffic.of(LCC([[0, 1], [1, 0]])).lcc
        LCC([[0, 1], [1, 0]])
        """
        if not isinstance(anything, (LCC, Traffic)):
            anything = one_of(anything)
        if isinstance(anything, LCC):
            anything = cls.of_lcc(anything)
        if not isinstance(anything, Traffic):
            return cls._of_described(described(anything, ranks))
        if ranks in (None, anything.ranks):
            return anything
        return cls(anything.messages, anything.carried, ranks)._noted(anything.notes)

    @classmethod
    def _of_described(cls, messages: Described) -> Traffic:
        """Return the traffic of a description, with its notes."""
        return cls(messages.messages, messages.volumes, messages.ranks)._noted(messages.notes)

    def _noted(self, notes: tuple[str, ...]) -> Traffic:
        object.__setattr__(self, "notes", notes)
        return self

    @classmethod
    def of_lcc(cls, communication: LCC) -> Traffic:
        """Return the 2^n messages of a linear-complement communication, of volume 1.

        They are listed when they are asked for; ranks of A answer for any n.
        """
        self = object.__new__(cls)
        self._set(None, None, communication.size, communication)
        return self

    @classmethod
    def of_matrix(cls, matrix: Any) -> Traffic:
        """Return the traffic of a matrix of volumes, dense or `scipy.sparse`: [s, d] != 0 is sent.

        Raises:
            CommunicationError: not square, or an entry that is not a volume.

        >>> Traffic.of_matrix([[0, 5], [0.5, 0]]).volumes.tolist()
        [5.0, 0.5]
        """
        return cls._of_described(described_by_matrix(matrix))

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
    def carried(self) -> npt.NDArray[Any]:
        """The volumes exactly, shape (m,): `volumes`, or Fractions that no float equals.

        >>> Traffic([[0, 1]], [Fraction(1, 3)]).carried.tolist()
        [Fraction(1, 3)]
        """
        return self.volumes if self._fractions is None else self._fractions

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
        volumes = in_common_unit(self.carried)
        if volumes is None:
            rule = "must have a common unit in which they add up to less than 2^61; round them"
            raise CommunicationError("volumes", rule, self.volumes)
        return volumes

    @property
    def counted(self) -> tuple[npt.NDArray[np.int64], Fraction]:
        """As `exact`; volumes without a common unit are rounded to 2^-58 of the largest sum.

        For counting loads, where that is more than floating-point numbers would keep; what is to
        be proved asks for `exact`.
        """
        volumes = in_common_unit(self.carried)
        return in_rounded_unit(self.carried) if volumes is None else volumes

    @property
    def total(self) -> int | Fraction:
        """The sum of all volumes."""
        if self._volumes is None:
            return self.ranks  # a communication sends 2^n messages
        return exact_sum(self.carried)

    @property
    def uniform(self) -> bool:
        """Whether all messages carry the same; true of no messages at all."""
        volumes = self._volumes if self._fractions is None else self._fractions
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
        return exact_sum(self.carried[:1])

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
            from lccmodel.communication.recognition import message_for_message

            alike = self.uniform and len(self) > 0 and self.volumes[0] > 0
            known = message_for_message(self.messages, self.n) if alike else None
            object.__setattr__(self, "_lcc", known)
        communication: LCC | None = self._lcc
        return communication

    @property
    def idle(self) -> NodeArray:
        """The ranks that neither send to another rank nor receive from one, ascending."""
        moving = self.messages[self._moving]
        busy = np.unique(moving)
        return np.setdiff1d(np.arange(self.ranks), busy, assume_unique=True)

    # -- other traffic ----------------------------------------------------------------------

    def placed(self, node_of: Any, nodes: int | None = None) -> Traffic:
        """Return the same messages between the nodes that hold the ranks.

        Args:
            node_of: the node of every rank, integers of shape (ranks,).
            nodes: number of nodes; one more than the largest that is used if left out.

        Raises:
            CommunicationError: not one integer a rank.
            NodeError: a node outside 0..nodes - 1.

        >>> Traffic([[0, 1]]).placed([3, 2]).messages.tolist()
        [[3, 2]]
        """
        where = checked_ranks("node_of", node_of, "must be one node a rank")
        if where.shape != (self.ranks,):
            rule = f"must be one node for each of the {self.ranks} ranks"
            raise CommunicationError("node_of", rule, where.shape)
        twin = object.__new__(Traffic)
        count = rank_count(where.reshape(-1, 1), nodes, "node")
        twin._set(where[self.messages], self.volumes, count, _UNKNOWN, self._fractions)
        return twin._noted(self.notes)

    def scaled(self, factor: Any) -> Traffic:
        """Return the same messages with all volumes times an exact positive factor.

        Raises:
            CommunicationError: the factor is no positive finite number.

        >>> (2 * Traffic([[0, 1]], [3])).volumes.tolist()
        [6]
        """
        known = isinstance(factor, (Rational, float, np.number)) and not isinstance(factor, bool)
        if not known or not 0 < factor < np.inf:
            raise CommunicationError("factor", "must be a positive finite number", factor)
        products = scaled(self.carried, factor)
        return Traffic(self.messages, products, self.ranks)._noted(self.notes)

    def __mul__(self, factor: Any) -> Traffic:
        return (
            self.scaled(factor)
            if isinstance(factor, Rational | float | np.floating)
            else NotImplemented
        )

    __rmul__ = __mul__

    def __add__(self, other: object) -> Traffic:
        """The messages of both, those of the left first, among the ranks of the larger one.

        >>> Traffic([[0, 1]]) + Traffic([[1, 2]], [5])
        <Traffic of 2 messages among 3 ranks, volume 6>
        """
        if not isinstance(other, Traffic):
            return NotImplemented
        messages = np.concatenate([self.messages, other.messages])
        volumes = np.concatenate([self.carried, other.carried])
        notes = tuple(dict.fromkeys((*self.notes, *other.notes)))
        return Traffic(messages, volumes, max(self.ranks, other.ranks))._noted(notes)

    def __getitem__(self, chosen: Any) -> Traffic:
        """Some of the messages, among the same ranks.

        Args:
            chosen: a slice, a message's place, or an array of places or of truth values.

        Raises:
            CommunicationError: a place where no message is, or not one truth value a message.

        >>> t = Traffic([[0, 1], [1, 2], [2, 0]], [5, 1, 7])
        >>> t[1:].messages.tolist(), t[t.volumes > 2].volumes.tolist()
        ([[1, 2], [2, 0]], [5, 7])
        """
        try:
            places = np.atleast_1d(np.arange(len(self))[chosen])
        except (IndexError, TypeError, ValueError):
            places = None
        if places is None or places.ndim != 1:
            rule = f"must be a slice, places in 0..{len(self) - 1}, or one truth value a message"
            raise CommunicationError("chosen", rule, chosen)
        return Traffic(self.messages[places], self.carried[places], self.ranks)._noted(self.notes)

    __iter__ = None  # messages are rows of `messages`

    def merged(self) -> Traffic:
        """Return one message for each pair of different ranks, with the volumes added up.

        >>> Traffic([[0, 1], [1, 1], [0, 1]], [2, 5, 3]).merged().volumes.tolist()
        [5]
        """
        moving = self._moving
        messages = self.messages[moving]
        if self.ranks < 1 << 31:  # sorting one key is ten times as fast as sorting rows
            keys, places = np.unique(messages[:, 0] << 31 | messages[:, 1], return_inverse=True)
            pairs = np.stack([keys >> 31, keys & (1 << 31) - 1], axis=1)
        else:
            pairs, places = np.unique(messages, axis=0, return_inverse=True)
        volumes = added_up(self.carried[moving], places.ravel(), len(pairs))
        return Traffic(pairs, volumes, self.ranks)._noted(self.notes)

    @property
    def largest_volume(self) -> int | float:
        """The most that any two different ranks exchange in one direction, repetitions added up.

        1 if no message leaves its rank. It bounds what one path carries, and is what every path
        carries when all volumes are equal.

        >>> Traffic([(0, 1), (0, 1), (1, 0)]).largest_volume
        2
        """
        return self.merged().volumes.max(initial=0).item() if self._moving.any() else 1

    @property
    def _moving(self) -> npt.NDArray[np.bool_]:
        moving: npt.NDArray[np.bool_] = self.sources != self.destinations
        return moving

    # -- being a value ------------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Traffic):
            return NotImplemented
        return (
            self.ranks == other.ranks
            and np.array_equal(self.messages, other.messages)
            and np.array_equal(self.carried, other.carried)
        )

    def __hash__(self) -> int:
        return hash((self.ranks, self.total))

    def __reduce__(self) -> tuple[object, ...]:
        if self._messages is None:
            return Traffic.of_lcc, (self._lcc,)
        return _restored, (self.messages, self.carried, self.ranks, self.notes)

    def __repr__(self) -> str:
        if self._messages is None:
            return f"<Traffic of {self._lcc!r}>"
        many = f"{len(self)} message{'' if len(self) == 1 else 's'}"
        among = f"{self.ranks} rank{'' if self.ranks == 1 else 's'}"
        volume = "" if self.total == len(self) else f", volume {float(self.total):g}"
        return f"<Traffic of {many} among {among}{volume}>"


def _restored(messages: Any, volumes: Any, ranks: int, notes: tuple[str, ...]) -> Traffic:
    """Return a traffic from its pickled parts."""
    return Traffic(messages, volumes, ranks)._noted(notes)


def added_up(
    volumes: npt.NDArray[Any], places: npt.NDArray[np.intp], count: int
) -> npt.NDArray[Any]:
    """The sum of the volumes at each of `count` places, integers if the volumes are.

    >>> added_up(np.array([2, 5, 3]), np.array([0, 1, 0]), 2)
    array([5, 5])
    """
    if volumes.dtype.kind == "f":
        return np.bincount(places, volumes, count)
    sums = np.zeros(count, volumes.dtype)
    np.add.at(sums, places, volumes)
    return sums
