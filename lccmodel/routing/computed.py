"""Routes that are computed hop by hop, where a table of them is too large.

A header's way follows from the router where it is and the router it is bound for. Their numbers
make one, its state: `router * routers + destination`. On cubes, meshes and tori a compiled function
finds the next channels from it, as the routing functions do that have one route for each pair:
e-cube and dimension order, with several virtual channels, too. `ComputedRoutes` has what it reads
as one array of integers:

    kind, columns of counters, routers, virtual channels of a link, those of a class, first row,
    axes (or dimensions), then for every axis its length and rule (`Geometry.ring_rules`),
    then the link of every counter, then the router at the head of every link
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lccmodel.errors import NodeError
from lccmodel.ground.arrays import Floats, Ints
from lccmodel.kernels.jit import inlined_kernel, light_kernel, lowest_bit
from lccmodel.network.kernels import CUBE, plus_kernel
from lccmodel.routing.cubes import ECube
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import ManyChannels, RoutingFunction
from lccmodel.routing.grids import DimensionOrder, TorusDimensionOrder, UnsafeTorus

ON_ROUTES = (ECube, DimensionOrder, TorusDimensionOrder, UnsafeTorus)
"""Routing functions with the network's own route for every pair of nodes."""

_KIND, _COLUMNS, ROUTERS, _MANY, CLASS, _ROW, _AXES, _HEAD = range(8)


def is_computed(routing: RoutingFunction, fabric: Fabric) -> bool:
    """Return whether routes of a function on a network can be computed hop by hop.

    >>> from lccmodel.network import as_network
    >>> from lccmodel.routing import find_routing
    >>> [is_computed(find_routing("dimension-order", net), Fabric(net, 2))
    ...  for net in map(as_network, ("torus:4x4", "torus:4x4*2,nodes=0-3"))]
    [True, True]
    """
    function = routing.function if isinstance(routing, ManyChannels) else routing
    network = fabric.network.whole_network
    return type(function) in ON_ROUTES and network.geometry.is_grid and not network.is_table


@dataclass(frozen=True, eq=False)
class ComputedRoutes:
    """What `RoutingTable` says, without a table.

    Attributes:
        fabric, routing: the network, and a function of which `is_computed` holds.

    >>> from lccmodel.network import Hypercube
    >>> routes = ComputedRoutes(Fabric(Hypercube(2)), ECube())
    >>> routes.start_of(np.array([[0, 3]])).tolist(), routes.options(3)
    ([3], [(0, 7)])
    """

    fabric: Fabric
    routing: RoutingFunction

    ways = None
    """No message draws its way."""

    def start_of(self, pairs: Ints) -> Ints:
        """The state in which the messages between nodes start, int64 of shape (pairs,).

        Raises:
            NodeError: a node outside the network.
        """
        size = self.fabric.network.size
        if len(pairs) and not 0 <= int(pairs.min()) <= int(pairs.max()) < size:
            raise NodeError("pairs", f"must be nodes 0..{size - 1}", int(pairs.max()))
        ends = self.fabric.router(pairs)
        return np.asarray(ends[:, 0] * self.fabric.routers + ends[:, 1], np.int64)

    def options(self, state: int) -> list[tuple[int, int]]:
        """(channel, following state) of every option of a state, as the routing function says."""
        at, to = divmod(state, self.fabric.routers)
        if at == to:
            return []
        ways = []
        for channel in self.routing.outputs(self.fabric, at, to, -1):
            head = self.fabric.ends(channel)[1]
            ways.append((channel, head * self.fabric.routers + to))
        return ways

    def all_to_all(self, share: float) -> Floats:
        """The share on every channel if every node sends `share` of a message to every node.

        Lines of an axis are alike: of the routes between two coordinates, each line has as many as
        there are routers on the other axes. float64 of shape (channels,).
        """
        fabric, grid, form = self.fabric, self.fabric.geometry, self.form
        loads = np.zeros(fabric.channels)
        routers, many = fabric.routers, fabric.virtual_channels
        ends = zip(fabric.tail.tolist(), fabric.head.tolist(), strict=True)
        number = {pair: link for link, pair in enumerate(ends)}
        for side, stride in zip(grid.sides, grid.strides, strict=True):
            if side == 1:
                continue
            here, goal = np.divmod(np.arange(side * side), side)
            weight = share * grid.per_router**2 * (routers // side)
            line = np.zeros(fabric.channels)
            starts = here * stride * routers + goal * stride
            add_routes(form, starts, np.full(len(starts), weight), line)
            used = np.flatnonzero(line)
            tail = fabric.tail[used // many]
            step = fabric.head[used // many] - tail
            others = np.flatnonzero(np.arange(routers) // stride % side == 0)
            for channel, first, by in zip(used.tolist(), tail.tolist(), step.tolist(), strict=True):
                for at in (others + first).tolist():
                    loads[number[at, at + by] * many + channel % many] += line[channel]
        return loads

    @property
    def longest(self) -> int:
        """Links on the longest route."""
        return self.fabric.network.whole_network.diameter

    @property
    def form(self) -> Ints:
        """The integers that `next_channel` reads."""
        fabric, network = self.fabric, self.fabric.network.whole_network
        own: Any = network._kernel_form
        rows, columns = network.counter_shape
        link = np.full(rows * columns, -1, np.int64)
        link[fabric.counter] = np.arange(fabric.links)
        function = self.routing.function if isinstance(self.routing, ManyChannels) else self.routing
        cube = int(own[0]) == CUBE
        axes = [] if cube else own[4:].tolist()
        many = fabric.virtual_channels
        head = [
            int(own[0]), columns, fabric.routers, many, many // function.virtual_channels,
            int(own[4]) if cube else 0, int(own[3]),
        ]  # fmt: skip
        return np.concatenate([np.array([*head, *axes], np.int64), link, fabric.head])


@light_kernel
def add_routes(form: Ints, starts: Ints, shares: Floats, channels: Floats) -> None:
    """Add the share of every message to the first channel of each class on its route."""
    for k in range(len(starts)):
        channel, state = next_channel(form, 0, starts[k])
        while channel >= 0:
            channels[channel] += shares[k]
            channel, state = next_channel(form, 0, state)


@light_kernel
def route_lengths(form: Ints, starts: Ints) -> Ints:
    """The number of links on the routes that begin in these states."""
    lengths = np.zeros(len(starts), np.int64)
    for k in range(len(starts)):
        channel, state = next_channel(form, 0, starts[k])
        while channel >= 0:
            lengths[k] += 1
            channel, state = next_channel(form, 0, state)
    return lengths


@inlined_kernel
def next_channel(form: Ints, begin: int, state: int) -> tuple[int, int]:
    """The first of the channels that a header may take, and the state after it; -1 at the end.

    The others, one for each channel of its class, follow it in number.

    Args:
        form: holds `ComputedRoutes.form` from `begin` on.
    """
    routers, many, share = form[begin + ROUTERS], form[begin + _MANY], form[begin + CLASS]
    here, goal = state // routers, state % routers
    if here == goal:
        return -1, state
    columns, axes = form[begin + _COLUMNS], form[begin + _AXES]
    counters, rows, counter, wraps = begin + _HEAD, 0, 0, False
    if form[begin + _KIND] == CUBE:
        rows = axes + form[begin + _ROW]
        counter = (lowest_bit(np.uint64(here ^ goal)) + form[begin + _ROW]) * columns + here
    else:
        counters += 2 * axes
        rows = 2 * axes
        x, y, axis, length = here, goal, 0, form[begin + _HEAD]
        while x % length == y % length:
            x, y, axis = x // length, y // length, axis + 1
            length = form[begin + _HEAD + 2 * axis]
        c, d, rule = x % length, y % length, form[begin + _HEAD + 2 * axis + 1]
        plus = d > c
        if rule:
            ahead = d - c if plus else d - c + length
            plus = plus_kernel(ahead, length, c, d, rule - 1)
        wraps = (d < c) if plus else (d > c)
        counter = (2 * axis + (0 if plus else 1)) * columns + here
    link = form[counters + counter]
    head = form[counters + rows * columns + link]
    ahead = 0 if wraps else many - share
    return link * many + ahead, head * routers + goal
