"""Routing functions of hypercubes, plain and bristled: e-cube and partially adaptive ones.

A hop along dimension i is positive when it sets the address bit (0 to 1), negative when it clears
it. All functions are minimal: they offer dimensions in which the address still differs, the
lowest first, and none that leaves the message without a permitted way on.

    e-cube                   the lowest dimension only
    p-cube                   negative hops in any order, then positive ones [Glass and Ni]
    minimum-restriction      a turn from a dimension to a lower one only into a positive hop [Li]
    fully-adaptive           every dimension: no turn is forbidden, so messages can deadlock

**Rules by the turns that they forbid.** A turn is a hop along one dimension after a hop along
another. Of two dimensions there are eight: the second hop goes up to the higher dimension or down
to the lower one, and each hop sets its bit (+) or clears it (-). `+d-` is a hop that sets a bit,
then one that clears a bit of a lower dimension. In a square of the cube the eight turns make two
rings of four,

    +u+ +d- -u- -d+        +d+ +u- -d- -u+

and unless one of each is forbidden, four messages can wait for each other there. So a rule forbids
two turns at least, one of each ring (the turn model of Glass and Ni). A rule may forbid other turns
between two dimensions below `split`, between one below and one above, and between two above.

    p-cube                   +u- +d- everywhere
    minimum-restriction      +d- -d- everywhere
    e-cube                   +d- -d- -d+ +d+ everywhere

A hop is offered when the turn into it is permitted and permitted turns lead on to the destination.

The routing functions of Chiu, Min, MIXab3 and MIXbb3 are cited in [hou, section 6] and not defined
there. `RECONSTRUCTED` holds rules that give their columns of [hou, Table 1] at all four sizes when
the message of the lower node goes first (tie rule "oldest"). They show that such rules exist, not
that these are the ones that were meant: others fit as well (docs/hou_section6.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from lccmodel.errors import NodeError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import guard_methods, typed_arguments
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError


@dataclass(frozen=True)
class CubeRouting(ABC):
    """A minimal routing function that thinks in dimensions 0, 1, ... of the router address."""

    virtual_channels: ClassVar[int] = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """A public method names the argument that is wrong."""
        super().__init_subclass__(**kwargs)
        guard_methods(cls)

    @property
    @abstractmethod
    def name(self) -> str:
        """How tables and figures call it."""

    @property
    @abstractmethod
    def about(self) -> str:
        """One line on what it does and where it comes from."""

    @property
    def provenance(self) -> Provenance:
        """Defined in a publication."""
        return "published"

    def check(self, fabric: Fabric) -> None:
        """Hypercubes only."""
        if not fabric.geometry.is_cube:
            rule = f"{self.name} is for hypercubes; on meshes and tori use dimension-order"
            raise RoutingError("routing", rule, fabric.network.spec)

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channels of the dimensions that are allowed, the lowest first."""
        last = -1 if arrived < 0 else _dimension(fabric, arrived)
        return [fabric.channel(at, at ^ 1 << k) for k in self.dimensions(at, to, last)]

    @abstractmethod
    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The dimensions allowed at router `at`, reached along dimension `last` (-1: injected)."""


guard_methods(CubeRouting)


def _dimension(fabric: Fabric, channel: int) -> int:
    u, v, _ = fabric.ends(channel)
    return (u ^ v).bit_length() - 1


def bits(word: int) -> list[int]:
    """The positions of the ones, ascending."""
    return [k for k in range(word.bit_length()) if word >> k & 1]


class ECube(CubeRouting):
    """Dimensions in ascending order [hou, section 2.3].

    >>> ECube().dimensions(0b000, 0b110, -1)
    [1]
    """

    name = "e-cube"
    about = "the lowest dimension in which the address differs [hou, section 2.3]"

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The lowest one that differs."""
        return bits(at ^ to)[:1]


class DescendingECube(CubeRouting):
    """Dimensions in descending order."""

    name = "e-cube-descending"
    about = "the highest dimension in which the address differs"

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The highest one that differs."""
        return bits(at ^ to)[-1:]


class PCube(CubeRouting):
    """First all negative hops in any order, then all positive ones (Glass and Ni, the turn model).

    >>> PCube().dimensions(0b011, 0b110, -1), PCube().dimensions(0b010, 0b110, 0)
    ([0], [2])
    """

    name = "p-cube"
    about = (
        "negative hops (1 to 0) in any order, then positive ones: the turn model of Glass and Ni"
    )

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The dimensions to clear, or when there is none the dimensions to set."""
        return bits(at & ~to) or bits(to & ~at)


class MinimumRestriction(CubeRouting):
    """Li's rule: a turn into a lower dimension must be a positive hop; all other turns are allowed.

    A hop is offered only when the rest can be completed. What is left after a hop along k can be
    completed in ascending order when no negative hop lies below k; otherwise the message has to
    turn down into a positive hop below all negative ones, and ascend from there.

    >>> MinimumRestriction().dimensions(0b001, 0b110, -1)  # 1 would cut off the negative hop 0
    [0]
    >>> MinimumRestriction().dimensions(0b010, 0b101, -1)
    [0, 1, 2]
    """

    name = "minimum-restriction"
    about = "no turn from a dimension into a negative hop of a lower one: the rule of Li"

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """The dimensions that may follow `last` and leave a way on."""
        positive, negative = to & ~at, at & ~to
        allowed = positive | negative >> last + 1 << last + 1
        return [k for k in bits(allowed) if _completable(positive, negative, k)]


def _completable(positive: int, negative: int, last: int) -> bool:
    """Whether the hops left after one along `last` have a permitted order."""
    lowest = negative & -negative
    return not lowest or lowest >> last > 0 or positive & lowest - 1 > 0


class FullyAdaptive(CubeRouting):
    """Every shortest path: not free of deadlock with one channel each way.

    >>> FullyAdaptive().dimensions(0b010, 0b101, 1)
    [0, 1, 2]
    """

    name = "fully-adaptive"
    about = "every dimension in which the address differs; messages can deadlock"

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """All that differ."""
        return bits(at ^ to)


Turns = tuple[str, ...]

RINGS: tuple[Turns, Turns] = (("+u+", "+d-", "-u-", "-d+"), ("+d+", "+u-", "-d-", "-u+"))
"""The turns of the two ways round a square of two dimensions."""

_ALL = frozenset(turn for ring in RINGS for turn in ring)


@typed_arguments
@dataclass(frozen=True)
class TurnRouting(CubeRouting):
    """A minimal routing function that forbids turns.

    Args:
        within: turns forbidden between two dimensions below `split`, as words such as "+d-".
        across: those between a dimension below `split` and one from it on.
        above: those between two dimensions from `split` on.
        split: the first dimension of the upper ones.
        name, about, provenance: how tables and figures call it, and where it comes from.

    Raises:
        RoutingError: not a turn, or a split below 0.

    >>> pcube = TurnRouting(*(("+u-", "+d-"),) * 3)
    >>> pcube.dimensions(0b011, 0b110, -1), pcube.dimensions(0b010, 0b110, 0)
    ([0], [2])
    """

    within: Turns
    across: Turns
    above: Turns
    split: int = 3
    name: str = "turns"
    about: str = "a rule that forbids turns"
    provenance: Provenance = "user"
    _permitted: tuple[frozenset[str], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if checked_integer("split", self.split) < 0:
            raise RoutingError("split", "must not be negative", self.split)
        kept = []
        for place in ("within", "across", "above"):
            turns = getattr(self, place)
            wrong = [turn for turn in turns if not isinstance(turn, str) or turn not in _ALL]
            if wrong or isinstance(turns, str):
                rule = f"must be a tuple of turns, each one of {' '.join(sorted(_ALL))}"
                raise RoutingError(place, rule, turns)
            kept.append(_ALL - frozenset(turns))
        object.__setattr__(self, "_permitted", tuple(kept))

    def permits(self, last: int, rose: bool, following: int, rises: bool) -> bool:
        """Return whether a hop along `last`, setting the bit if `rose`, may be followed by another.

        >>> TurnRouting(("+d-", "-d-"), (), ()).permits(1, True, 0, False)
        False
        """
        word = "-+"[rose] + "du"[following > last] + "-+"[rises]
        return word in self._permitted[(last >= self.split) + (following >= self.split)]

    def dimensions(self, at: int, to: int, last: int) -> list[int]:
        """Return the dimensions that may follow `last` and leave a way on.

        Raises:
            NodeError: a router below 0.
            SizeLimitError: more than 18 dimensions to go.
        """
        for argument, router in (("at", at), ("to", to)):
            checked_integer(argument, router, NodeError, least=0)
        if (at ^ to).bit_count() > _MOST_HOPS:
            rule = f"at most {_MOST_HOPS} dimensions to go: what is left is looked up for each set"
            raise SizeLimitError("to", rule, to)
        rose = last >= 0 and at >> last & 1 == 1
        return _offered(self, to & ~at, at & ~to, last, rose)


_MOST_HOPS = 18


@lru_cache(maxsize=1 << _MOST_HOPS)
def _offered(rule: TurnRouting, sets: int, clears: int, last: int, rose: bool) -> list[int]:
    """The dimensions offered to a header that still has to set and to clear these bits."""
    offered = []
    for k in bits(sets | clears):
        rises, rest = sets >> k & 1 == 1, ~(1 << k)
        if last < 0 or rule.permits(last, rose, k, rises):
            done = sets & rest, clears & rest
            if done == (0, 0) or _offered(rule, *done, k, rises):
                offered.append(k)
    return offered


def _reconstructed(name: str, column: str, within: Turns, across: Turns) -> TurnRouting:
    about = f"a rule that gives column {column} of [hou, Table 1] under ties to the oldest"
    return TurnRouting(within, across, ("+u-", "+d-"), 3, name, about, "reconstructed")


RECONSTRUCTED: tuple[TurnRouting, ...] = (
    _reconstructed("chiu", "chiu", ("-u-", "-u+"), ("-u-", "-u+")),
    _reconstructed("mixab3", "mixab3", ("+u-", "+u+"), ("-u-", "+u-")),
    _reconstructed("mixbb3", "mixbb3", ("-u+", "+u+"), ("-u-", "+u-")),
    _reconstructed("min-turns", "min", ("+d-", "+d+"), ("-u-", "+u-")),
)
"""A rule for each column of [hou, Table 1] whose routing the paper only cites.

Above dimension 2 all four forbid what p-cube forbids; the last three differ below dimension 3 only.
"""
