"""Routing per message: every message draws its way when it is generated.

A way is one leg or two. Each leg follows a plain routing function on virtual channels of its own, a
*class*, so that messages on one leg wait for messages on the same leg or on a later one. If every
leg's function is free of deadlock, so are all together.

    valiant    to a router drawn among all, then to the destination [Valiant and Brebner]
    romm       as valiant, to a router drawn among those on shortest paths [Nesson and Johnsson]
    xy-yx      one leg: axis 0 first or axis 0 last, each with probability 1/2
    ascent     one leg on a fat tree: up to a switch drawn among the lowest with the destination
               below, then down; the ways share all virtual channels

Two legs with routing functions of b virtual channels need 2b channels, so do the two orders of
xy-yx.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import checked_integer
from lccmodel.ground.arguments import guard_methods, typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.network.ring_direction import goes_plus
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import (
    MOST_CHANNELS,
    Provenance,
    RoutingError,
    RoutingFunction,
    widened,
)

RouteChoice = Literal["any router", "router between", "order", "ascent"]
"""What a message draws: the router where its first leg ends, or the one leg that it takes."""

_MOST_BETWEEN = 1 << 24


@typed_arguments
@dataclass(frozen=True)
class MessageRouting:
    """A routing function that draws the way of every message.

    Args:
        name, about: how tables and figures call it, and one line on what it does.
        legs: the routing functions of the two legs, or of the two orders.
        choice: what a message draws.
        virtual_channels: of every link, a multiple of those of both legs; these if left out.

    Raises:
        RoutingError: not two legs, or another number of virtual channels.

    >>> from lccmodel.network import Torus
    >>> from lccmodel.routing import find_routing
    >>> find_routing("valiant", Torus((8, 8))).virtual_channels  # a dateline for each leg
    4
    """

    name: str
    about: str
    legs: tuple[RoutingFunction, ...]
    choice: RouteChoice
    virtual_channels: int = 0
    provenance: Provenance = "published"

    def __post_init__(self) -> None:
        if len(self.legs) != 2:
            raise RoutingError("legs", "must be two routing functions", self.legs)
        least = self.least_channels
        many = checked_integer("virtual_channels", self.virtual_channels or least)
        if not 1 <= many <= MOST_CHANNELS or many % least:
            rule = f"{self.name} needs a multiple of {least} virtual channels"
            raise RoutingError("virtual_channels", rule, many)
        object.__setattr__(self, "virtual_channels", many)

    @property
    def tag(self) -> Any:
        """That of the legs, if they have one."""
        return self.legs[0].tag  # type: ignore[attr-defined]  # most have none

    @property
    def least_channels(self) -> int:
        """Virtual channels that are needed: those of both legs."""
        return sum(leg.virtual_channels for leg in self.legs)

    def widened(self, virtual_channels: int) -> MessageRouting:
        """Return the same with another number of virtual channels.

        Raises:
            RoutingError: no multiple of those that the legs need.
        """
        same = (self.name, self.about, self.legs, self.choice)
        return MessageRouting(*same, virtual_channels, self.provenance)

    @cached_property
    def shares(self) -> tuple[int, ...]:
        """The virtual channels of each leg; those of the first leg are the first of a link."""
        times = self.virtual_channels // self.least_channels
        return tuple(leg.virtual_channels * times for leg in self.legs)

    @cached_property
    def wide_legs(self) -> tuple[RoutingFunction, ...]:
        """Each leg on all virtual channels of its class."""
        return tuple(widened(leg, k) for leg, k in zip(self.legs, self.shares, strict=True))

    def check(self, fabric: Fabric) -> None:
        """Check as both legs do; routers between are those of a grid."""
        for number, leg in enumerate(self.wide_legs):
            leg.check(self.leg_fabric(fabric, number))
        if self.choice == "router between" and not fabric.geometry.is_grid:
            rule = f"{self.name} is for hypercubes, meshes and tori"
            raise RoutingError("routing", rule, fabric.network.spec)

    def leg_fabric(self, fabric: Fabric, leg: int) -> Fabric:
        """Return the network with the virtual channels of a leg alone."""
        return Fabric(fabric.network, self.shares[leg])

    def channels_of_leg(self, leg: int, channel: Ints) -> Ints:
        """Return channels of the leg's fabric as channels of the whole; -1 stays."""
        share, begin = self.shares[leg], sum(self.shares[:leg])
        whole = channel // share * self.virtual_channels + begin + channel % share
        return np.where(channel < 0, channel, whole)

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
        """Return the channels of a leg.

        Args:
            fabric, at, arrived: as for every routing function.
            to: the router where the leg ends plus R times the number of the leg, R routers.
        """
        rest, end = divmod(to, fabric.routers)
        name, leg = divmod(rest, len(self.legs))
        begin, share = sum(self.shares[:leg]), self.shares[leg]
        link, virtual = divmod(arrived, self.virtual_channels)
        same = arrived >= 0 and begin <= virtual < begin + share
        before = link * share + virtual - begin if same else -1
        single = self.leg_fabric(fabric, leg)
        offered = self.wide_legs[leg].outputs(single, at, end + fabric.routers * name, before)
        return [int(c) for c in self.channels_of_leg(leg, np.array(offered, np.int64))]


guard_methods(MessageRouting)


@typed_arguments
@dataclass(frozen=True)
class RandomAscent:
    """On a fat tree: up to a switch that is drawn for every message, then down.

    A message turns at the lowest level that has its destination below. Each parent on the way up is
    drawn with equal probability, as in BookSim 2's nca. Up before down closes no ring of channels.

    Args:
        virtual_channels: of every link; a message may take any.

    >>> from lccmodel.network import FatTree
    >>> from lccmodel.routing import Fabric
    >>> fabric = Fabric(FatTree((2, 2)))
    >>> [fabric.name(RandomAscent().outputs(fabric, 0, 1 + 4 * name, -1)[0]) for name in (0, 1)]
    ['0->2', '0->3']
    """

    virtual_channels: int = 1

    name: ClassVar[str] = "random-ascent"
    about: ClassVar[str] = "up to a switch drawn for every message, then down"
    provenance: ClassVar[Provenance] = "published"

    def __post_init__(self) -> None:
        many = checked_integer("virtual_channels", self.virtual_channels)
        if not 1 <= many <= MOST_CHANNELS:
            rule = f"{self.name} needs 1..{MOST_CHANNELS} virtual channels"
            raise RoutingError("virtual_channels", rule, many)

    @property
    def least_channels(self) -> int:
        """Virtual channels that are needed."""
        return 1

    def widened(self, virtual_channels: int) -> RandomAscent:
        """Return the same with another number of virtual channels.

        Raises:
            RoutingError: a number outside 1..4096.
        """
        return RandomAscent(virtual_channels)

    def check(self, fabric: Fabric) -> None:
        """Fat trees."""
        if fabric.geometry.tree is None:
            rule = f"{self.name} is for fat trees"
            raise RoutingError("routing", rule, fabric.network.whole_network.spec)

    def ascents(self, fabric: Fabric, at: int, to: int) -> int:
        """Return how many ways lead up from switch `at` of level 1 to the turn towards `to`."""
        tree: Any = fabric.network.whole_network
        turn = tree.distance(at * tree.per_node, to * tree.per_node) // 2
        return prod(tree.up[:turn])

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
        """Return all virtual channels to the next switch.

        Args:
            fabric, at, arrived: as for every routing function.
            to: the switch of the destination plus R times the number of the ascent, R routers.
        """
        tree: Any = fabric.network.whole_network
        ascent, leaf = divmod(to, fabric.routers)
        following = tree.next_switch(at + tree.size, leaf * tree.per_node, ascent) - tree.size
        return [fabric.channel(at, following, k) for k in range(self.virtual_channels)]


guard_methods(RandomAscent)


class DrawnRoutes(NamedTuple):
    """The ways that the messages of a routing table may draw.

    Attributes:
        choice: what is drawn.
        row, column: int64 of shape (pairs,), of every pair: its source's row of `first` and its
            destination's column of `then`.
        first: int64, the state in which the first leg begins; of shape (sources, routers drawn).
            Of one leg: the states in which it may begin, of shape (ways, pairs).
        then: int64, the state in which the second leg begins, of shape (routers drawn,
            destinations); empty of one leg.
        here, there: int64 of shape (pairs,), the place of the router of the source and of the
            destination among the routers drawn.
        router: int64, the routers drawn; these three are empty of an ascent.
        sides, rings: of the grid, for routers between; `rings` are `Geometry.ring_rules`.
    """

    choice: RouteChoice
    row: Ints
    column: Ints
    first: Ints
    then: Ints
    here: Ints
    there: Ints
    router: Ints
    sides: tuple[int, ...] = ()
    rings: tuple[int, ...] = ()

    @property
    def legs(self) -> int:
        """The legs of a way."""
        return 1 if self.choice in ("order", "ascent") else 2

    def drawn(self, pairs: Ints, generator: np.random.Generator) -> tuple[Ints, Ints]:
        """(state in which each message starts, the state in which its second leg begins or -1).

        A leg that would end where it begins is left out.

        Args:
            pairs: int64, the pair of every message.
            generator: what ways are drawn from.
        """
        if self.legs == 1:
            ways = len(self.first)
            way = ways - 1 - (generator.random(len(pairs)) * ways).astype(np.int64)
            return self.first[way, pairs], np.full(len(pairs), -1, np.int64)
        row, column = self.row[pairs], self.column[pairs]
        here, there = self.here[pairs], self.there[pairs]
        if self.choice == "any router":
            between = generator.integers(0, len(self.router), len(pairs))
        else:
            between = self._between(here, there, generator)
        start, then = self.first[row, between], self.then[between, column]
        start = np.where(between == here, then, start)
        return start, np.where((between == here) | (between == there), -1, then)

    def _between(self, here: Ints, there: Ints, generator: np.random.Generator) -> Ints:
        """A router on a shortest path for every message: along every axis one at random."""
        stride = 1
        between = np.zeros(len(here), np.int64)
        x, y = self.router[here], self.router[there]
        for length, ring in zip(self.sides, self.rings, strict=True):
            place, far, sign = _legs_along(x, y, stride, length, ring)
            step = generator.integers(0, far + 1)
            between += (place + sign * step) % length * stride
            stride *= length
        return between  # on a grid the routers drawn are all, in order

    def expected(self, share: npt.NDArray[np.float64], states: int) -> npt.NDArray[np.float64]:
        """How many legs begin in every state, on average; empty if that is too much to list.

        Args:
            share: float64 of shape (pairs,): messages of every pair.
            states: of the routing table.
        """
        begun = np.zeros(states)
        if self.legs == 1:
            np.add.at(begun, self.first, np.broadcast_to(share / len(self.first), self.first.shape))
            return begun
        if self.choice == "any router":
            mean = 1 / len(self.router)
            out = np.bincount(self.row, share, len(self.first)) * mean
            into = np.bincount(self.column, share, self.then.shape[1]) * mean
            np.add.at(begun, self.first, np.broadcast_to(out[:, None], self.first.shape))
            np.add.at(begun, self.then, np.broadcast_to(into[None, :], self.then.shape))
            return begun
        boxes, at, weight = self._boxes()
        if len(boxes) == 0:
            return np.zeros(0)
        np.add.at(begun, self.first[self.row[boxes], at], share[boxes] * weight)
        np.add.at(begun, self.then[at, self.column[boxes]], share[boxes] * weight)
        return begun

    def _boxes(self) -> tuple[Ints, Ints, npt.NDArray[np.float64]]:
        """(pair, router, probability) of every router between the nodes of every pair."""
        x, y = self.router[self.here], self.router[self.there]
        pair, at, weight = np.arange(len(x)), np.zeros(len(x), np.int64), np.ones(len(x))
        stride = 1
        for length, ring in zip(self.sides, self.rings, strict=True):
            place, far, sign = _legs_along(x, y, stride, length, ring)
            many = far[pair] + 1
            if many.sum() > _MOST_BETWEEN:
                return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
            ends = np.cumsum(many)
            step = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - many, many)
            weight = np.repeat(weight / many, many)
            pair, at = np.repeat(pair, many), np.repeat(at, many)
            at = at + (place[pair] + sign[pair] * step) % length * stride
            stride *= length
        return pair, at, weight


def _legs_along(x: Ints, y: Ints, stride: int, length: int, ring: int) -> tuple[Ints, Ints, Ints]:
    """(coordinate of x, channels to that of y, direction) along an axis, as the legs go."""
    place, goal = x // stride % length, y // stride % length
    if not ring:
        return place, np.abs(goal - place), np.sign(goal - place)
    ahead = (goal - place) % length
    plus = goes_plus(ahead, length, place, goal, ring - 1)
    return place, np.where(plus, ahead, length - ahead), np.where(plus, 1, -1)


def legs_of(
    routing: MessageRouting, fabric: Fabric, pairs: Ints
) -> tuple[list[Ints], dict[str, Any]]:
    """The (source, destination) nodes of both legs, and all of `DrawnRoutes` but the states.

    Args:
        pairs: int64 of shape (pairs, 2).
    """
    ends = fabric.router(pairs)
    router, node = np.unique(fabric.router(np.arange(fabric.network.size)), return_index=True)
    here, there = np.searchsorted(router, ends[:, 0]), np.searchsorted(router, ends[:, 1])
    sources, row = np.unique(pairs[:, 0], return_inverse=True)
    goals, column = np.unique(pairs[:, 1], return_inverse=True)
    known = {"row": row, "column": column, "here": here, "there": there, "router": router}
    if routing.choice == "order":
        return [pairs, pairs], known
    if routing.choice == "router between":
        known |= {"sides": fabric.geometry.sides, "rings": fabric.geometry.ring_rules}
    out = np.stack(np.broadcast_arrays(sources[:, None], node[None, :]), axis=-1).reshape(-1, 2)
    into = np.stack(np.broadcast_arrays(node[:, None], goals[None, :]), axis=-1).reshape(-1, 2)
    return [out, into], known


def ways_of(routing: MessageRouting, starts: list[Ints], known: dict[str, Any]) -> DrawnRoutes:
    """The ways by the states in which the legs of `legs_of` begin."""
    first, then = starts
    if routing.choice == "order":
        return DrawnRoutes(routing.choice, first=np.stack(starts), then=then[:0], **known)
    routers = len(known["router"])
    first, then = first.reshape(-1, routers), then.reshape(routers, -1)
    return DrawnRoutes(routing.choice, first=first, then=then, **known)
