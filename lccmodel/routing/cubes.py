"""Routing functions of hypercubes, plain and bristled: e-cube and partially adaptive ones.

A hop along dimension i is positive when it sets the address bit (0 to 1), negative when it clears
it. All functions are minimal: they offer dimensions in which the address still differs, the
lowest first, and none that leaves the message without a permitted way on.

    e-cube                   the lowest dimension only
    p-cube                   negative hops in any order, then positive ones [Glass and Ni]
    minimum-restriction      a turn from a dimension to a lower one only into a positive hop [Li]
    fully-adaptive           every dimension: no turn is forbidden, so messages can deadlock
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from lccmodel._arguments import guard_methods
from lccmodel.network import BristledHypercube, Hypercube
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
        if not isinstance(fabric.wires, (Hypercube, BristledHypercube)):
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
