"""What a compiled search knows of a network: its channels, their costs, the form of its routes.

On hypercubes, meshes and tori (a hypercube is a mesh of sides 2) a router is a mixed radix
number, and a route corrects one digit after the other, axis 0 first. On fat trees a route climbs
until both ends are below one switch and descends (`network.fattree`). Nothing is stored: kernels
ask `network.routes.write_route`. Nodes that share a router are numbered one after another;
between them no channel is used.

On tables of routes, and on some nodes of any network, every place counts as a router of one node,
as hosts of a fat tree do; `at` says which of them share one, `joins` what channels lead where.

Channels are numbered by axis, direction and router left; elsewhere as `ChannelLoads` does.
Links of a dimension with a bandwidth are busy for load / bandwidth: every load counts `cost`
times, in parts of `scale`. Where bandwidths have no small common unit, costs are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import light_kernel
from lccmodel.network import Network
from lccmodel.network.allocation import some_nodes
from lccmodel.network.kernels import GRID, TABLE
from lccmodel.network.plain import plain_network
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.network.table import RouteTable

ROUNDED_COST = 1 << 24
"""Largest cost where volumes have to be rounded, too."""

_LARGEST_COST = 1 << 36

_NEAR = 64
"""Nearest places of a place that moves go to, where neither axes nor levels say."""

_MOST_LISTED = 256
"""Most routers of which all routes are listed for a search: some MiB."""

MOST_MEASURED = 4096
"""Most listed places of which all distances are kept: 64 MiB."""


class Ways(NamedTuple):
    """`Routes` as the kernels take them; `back` is empty: nobody asks for the way back.

    near: (places, k), the places nearest to each, where neither axes nor levels say; else (0, 0).
    """

    form: Ints
    back: Ints
    ports: int
    routers: int
    axes: Ints
    cost: Ints
    dimension_of: Ints
    dimensions: int
    longest: int
    near: Ints


@dataclass(frozen=True)
class Routes:
    """What the kernels need to know about a network.

    Attributes:
        places: nodes: ranks that the network holds.
        routers: routers, each with `ports` nodes.
        ports: nodes at a router.
        axes: (k, 3): stride, length, and 1 for a ring, of every digit; empty on a fat tree.
        tree: `FatTree.form`, or empty.
        form: what `write_route` reads.
        dimension_of: (numbers,), the dimension, axis or level of each channel.
        dimensions: how many there are, those without channels included.
        real: (numbers,), whether the number is a channel (at the border of a mesh it is not).
        tails, heads: (numbers,), the routers that a channel joins; -1 where it is not real or
            does not join routers with nodes.
        cost: (numbers,), what a unit of volume costs on the channel, in parts of `scale`.
        scale: cost of a link of bandwidth 1.
        error: by how much of itself a cost is rounded at most; 0 where all are exact.
        at: (places,), the router of each place, where places are listed; else empty.
        joins: (2, numbers), the routers that a channel joins, where places are listed.
        levels: sizes of nested groups of places, smallest first, where places are listed.
        where: (places, axes), coordinates of listed places that are some of a grid; else empty.
        most: no route is longer, where places are listed.
        kept: what follows from the rest and takes long.
    """

    places: int
    routers: int
    ports: int
    axes: Ints
    tree: Ints
    form: Ints
    dimension_of: Ints
    dimensions: int
    real: npt.NDArray[np.bool_]
    tails: Ints
    heads: Ints
    cost: Ints
    scale: Fraction
    error: Fraction = Fraction(0)
    at: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    joins: Ints = field(default_factory=lambda: np.zeros((2, 0), np.int64))
    levels: tuple[int, ...] = ()
    where: Ints = field(default_factory=lambda: np.zeros((0, 0), np.int64))
    most: int = 0
    kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, network: Network, largest: int = _LARGEST_COST) -> Routes:
        """The routes of a network.

        Args:
            network: cube, Origin, mesh, torus, fat tree, a table of routes, or some nodes of one.
            largest: costs above are rounded.

        Raises:
            NetworkError: a network whose routes are not known here.

        >>> from lccmodel.network import Mesh
        >>> Routes.of(Mesh((4, 2))).channels
        20
        """
        whole, plain = network.whole_network, plain_network(network)
        if plain.whole_network is not plain:
            if isinstance(whole, RouteTable) and not whole.geometry.is_grid:
                form = whole._kernel_form_for(network.in_whole(np.arange(network.size)))
                return _of_some(_of_table(whole, largest, form), network)
            return _of_some(cls.of(whole, largest), network)
        if plain.geometry.is_grid:
            return _by_digits(whole, largest)
        if plain.geometry.tree:
            return _of_tree(plain)
        assert isinstance(plain, RouteTable)
        return _of_table(plain, largest, plain._kernel_form)

    @classmethod
    def opened(cls, network: Network) -> Routes | None:
        """The same with its rings cut open; None where there are none, or where nodes are listed.

        A mesh of ranks fits in several ways into rings, most of them folded where that gains
        nothing; on lines it has one place.
        """
        if not any(network.geometry.rings):
            return None
        return _by_digits(network.whole_network, _LARGEST_COST, opened=True)

    @property
    def numbers(self) -> int:
        """How many channel numbers there are, real or not."""
        return len(self.real)

    @property
    def listed(self) -> bool:
        """Whether places are listed, each with its router: no axes, no levels of a tree."""
        return len(self.at) > 0

    @cached_property
    def channels(self) -> int:
        """Number of directed channels."""
        return int(np.count_nonzero(self.real))

    @cached_property
    def capacity(self) -> Fraction:
        """What all channels together carry while one of cost 1 carries a unit."""
        costs, counts = np.unique(self.cost[self.real], return_counts=True)
        return sum(
            (Fraction(n, k) for k, n in zip(costs.tolist(), counts.tolist(), strict=True)),
            Fraction(0),
        )

    @cached_property
    def ways(self) -> Ways:
        """What the kernels take."""
        return Ways(
            self.form, np.empty(0, np.int64), self.ports, self.routers, self.axes, self.cost,
            self.dimension_of, self.dimensions, self.longest, self._near,
        )  # fmt: skip

    @cached_property
    def quick_ways(self) -> Ways:
        """The same with every route listed, where routers are few: one look-up a channel."""
        if self.routers > _MOST_LISTED:
            return self.ways
        form = _listed(self.form, self.longest, self.routers, max(1, self.ports), self.numbers)
        return self.ways._replace(form=form)

    @cached_property
    def _near(self) -> Ints:
        if not self.listed or self.places < 2:
            return np.zeros((0, 0), np.int64)
        many = min(self.places - 1, _NEAR)
        if self.places > MOST_MEASURED:  # those that are numbered next
            steps = np.array([d * s for d in range(1, many // 2 + 1) for s in (1, -1)])
            return np.asarray((np.arange(self.places)[:, None] + steps) % self.places, np.int64)
        away = (self.distance + self.distance.T) * np.int64(self.places)
        away += (np.arange(self.places) - np.arange(self.places)[:, None]) % self.places
        np.fill_diagonal(away, np.iinfo(np.int64).max)
        nearest = np.argpartition(away, many - 1, axis=1)[:, :many]
        rows = np.arange(self.places)[:, None]
        return np.ascontiguousarray(nearest[rows, np.argsort(away[rows, nearest], axis=1)])

    @cached_property
    def distance(self) -> npt.NDArray[np.int32]:
        """(routers, routers): the number of channels on every route."""
        table = np.empty((self.routers, self.routers), dtype=np.int32)
        form = self.form
        if not self.listed:
            form = form.copy()
            form[2] = 1
        distances(form, self.longest, table)
        return table

    def distances_from(self, router: int) -> Ints:
        """The number of channels on the route from a router to every other; int64, (routers,)."""
        if self.listed and self.places > MOST_MEASURED:
            return distances_from(self.form, self.longest, self.places, router)
        if len(self.tree) or self.listed:
            return np.asarray(self.distance[router], np.int64)
        node, total = np.arange(self.routers), np.zeros(self.routers, np.int64)
        for stride, length, ring in self.axes.tolist():
            away = np.abs(node // stride % length - router // stride % length)
            total += np.minimum(away, length - away) if ring else away
        return total

    @cached_property
    def unlike(self) -> Ints:
        """One router of every class that turning rings and reflecting lines leaves apart."""
        routers = np.arange(self.routers)
        kept = np.ones(self.routers, np.bool_)
        for stride, length, ring in self.axes.tolist():
            digit = routers // stride % length
            kept &= digit == 0 if ring else 2 * digit <= length - 1
        return routers[kept].astype(np.int64)

    @cached_property
    def centre(self) -> int:
        """A router from which no other is farther, on the whole, than from any: the middle."""
        return sum(stride * (length // 2) for stride, length, _ in self.axes.tolist())

    @cached_property
    def longest(self) -> int:
        """Channels on the longest route."""
        if self.listed:
            return self.most
        if len(self.tree):
            return 2 * (int(self.tree[3]) - 1)
        return sum(n // 2 if ring else n - 1 for _, n, ring in self.axes.tolist())


def _by_digits(network: Network, largest: int, opened: bool = False) -> Routes:
    """The routes of a grid; with its rings cut open, if that is asked for.

    Axes of length 1 are left out, and those that are left keep the numbers of their dimensions.
    """
    shown, geometry = network.geometry, network.geometry.canonical()
    long = [k for k, axis in enumerate(shown.axes) if axis.length > 1]
    rules = [0 if opened else rule for rule in geometry.ring_rules]
    digits = list(zip(geometry.strides, geometry.sides, rules, strict=True))[: len(long)]
    axes = np.array(digits, np.int64).reshape(-1, 3)
    routers, ports = network.routers, geometry.per_router
    form = [GRID, routers, ports, len(axes), *axes[:, 1:].ravel().tolist()]
    node = np.arange(routers)
    heads = [np.empty(0, np.int64)]
    for stride, length, ring in axes.tolist():
        digit = node // stride % length
        for step in (1, -1):
            moved = (digit + step) % length
            real = (moved == digit + step) | (ring > 0)
            heads.append(np.where(real & (length > 1), node + (moved - digit) * stride, -1))
    head = np.concatenate(heads)
    bandwidths = geometry.bandwidths[: len(axes)]
    cost, scale = _costs(bandwidths, largest)
    errors = (abs(k * b / scale - 1) for k, b in zip(cost, bandwidths, strict=True))
    tail = np.where(head >= 0, np.tile(node, 2 * len(axes)), -1).astype(np.int64)
    dimension = np.repeat(np.array(long, np.int64) + shown.first, 2 * routers)
    if network.is_table and not opened:  # as its links state them
        wiring, real = network.wiring, np.flatnonzero(head >= 0)
        mine, theirs = np.lexsort((head[real], tail[real])), np.lexsort((wiring.head, wiring.tail))
        dimension[real[mine]] = wiring.dimension[theirs]
    return Routes(
        places=network.size,
        routers=routers,
        ports=ports,
        axes=axes,
        tree=np.zeros(0, np.int64),
        form=np.array(form, np.int64),
        dimension_of=dimension,
        dimensions=max(1, network.dimensions),
        real=head >= 0,
        tails=tail,
        heads=head.astype(np.int64),
        cost=np.repeat(np.array(cost, np.int64), 2 * routers),
        scale=scale,
        error=max(errors, default=Fraction(0)),
    )


def _costs(bandwidths: tuple[Fraction, ...], largest: int) -> tuple[list[int], Fraction]:
    """Integers k and a scale with 1 / bandwidth = k / scale; rounded if one would be too large.

    >>> _costs((Fraction(3), Fraction(2)), 100), _costs((Fraction(3), Fraction(2)), 2)
    (([2, 3], Fraction(6, 1)), ([1, 2], Fraction(4, 1)))
    """
    scale = Fraction(lcm(*(b.numerator for b in bandwidths)))
    if all(scale / b <= largest for b in bandwidths):
        return [int(scale / b) for b in bandwidths], scale
    scale = largest * min(bandwidths)
    return [max(1, round(scale / b)) for b in bandwidths], scale


def _of_tree(network: Network) -> Routes:
    rows, columns = network.counter_shape
    row = np.repeat(np.arange(rows), columns)
    real = np.zeros(rows * columns, np.bool_)
    real[network.wiring.counter] = True
    nowhere = np.full(rows * columns, -1, np.int64)
    return Routes(
        places=network.size,
        routers=network.size,
        ports=1,
        axes=np.zeros((0, 3), np.int64),
        tree=network._kernel_form,
        form=network._kernel_form,
        dimension_of=(row // 2).astype(np.int64),
        dimensions=max(1, network.dimensions),
        real=real,
        tails=nowhere,
        heads=nowhere,
        cost=np.ones(rows * columns, np.int64),
        scale=Fraction(1),
    )


def _of_table(network: RouteTable, largest: int, form: Ints) -> Routes:
    rows, columns = network.counter_shape
    number = network.counters
    cost, scale = _costs(network.bandwidths, largest)
    errors = (abs(k * b / scale - 1) for k, b in zip(cost, network.bandwidths, strict=True))
    real = np.zeros(rows * columns, np.bool_)
    real[number] = True
    joins = np.full((2, rows * columns), -1, np.int64)
    joins[:, number] = network.joined[network.links].T
    nowhere = np.full(rows * columns, -1, np.int64)
    return Routes(
        places=network.size,
        routers=network.size,
        ports=1,
        axes=np.zeros((0, 3), np.int64),
        tree=np.zeros(0, np.int64),
        form=form,
        dimension_of=np.repeat(np.arange(rows), columns).astype(np.int64),
        dimensions=max(1, network.dimensions),
        real=real,
        tails=nowhere,
        heads=nowhere,
        cost=np.repeat(np.array(cost, np.int64), columns),
        scale=scale,
        error=max(errors, default=Fraction(0)),
        at=network.joined[network.hosts],
        joins=joins,
        levels=network.levels,
        most=network.diameter,
    )


def _of_some(whole: Routes, network: Network) -> Routes:
    """Some places of a network."""
    nodes = network.in_whole(np.arange(network.size))
    nowhere = np.full(whole.numbers, -1, np.int64)
    joins = whole.joins if whole.listed else np.stack([whole.tails, whole.heads])
    at = whole.at[nodes] if whole.listed else nodes // whole.ports
    if len(whole.tree):
        wiring = network.wiring
        joins = np.full((2, whole.numbers), -1, np.int64)
        joins[:, wiring.counter] = wiring.tail, wiring.head
        at = network.at_router(np.arange(network.size))
    return replace(
        whole,
        places=network.size,
        routers=network.size,
        ports=1,
        axes=np.zeros((0, 3), np.int64),
        tree=np.zeros(0, np.int64),
        form=some_nodes(whole.form, nodes),
        tails=nowhere,
        heads=nowhere,
        at=at,
        joins=joins,
        levels=(),
        where=_coordinates(whole, at),
        most=network.whole_network.diameter,
        kept={},
    )


def _coordinates(whole: Routes, at: Ints) -> Ints:
    """Coordinates of routers of a grid; nothing on other networks."""
    axes = [at // stride % length for stride, length, _ in whole.axes.tolist()]
    return np.stack(axes, axis=1) if axes else np.zeros((0, 0), np.int64)


@light_kernel
def _listed(form: Ints, longest: int, routers: int, ports: int, numbers: int) -> Ints:
    """A table of all routes in the form of `write_route`; a link is the number of its channel."""
    room, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    first, table = 10, 10 + numbers
    begins = np.zeros(routers * routers + 1, np.int64)
    for pair in range(routers * routers):
        x, y = pair // routers * ports, pair % routers * ports
        begins[pair + 1] = begins[pair] + write_route(form, x, y, PLUS, room, back)
    listed = table + begins.size
    found = np.zeros(listed + (begins[-1] + 1) // 2, np.int64)
    found[0], found[1], found[2], found[3], found[4] = TABLE, form[1], ports, 1, routers
    found[6], found[8], found[9] = first, first, table
    for c in range(numbers):
        found[first + c] = c
    for pair in range(routers * routers):
        x, y = pair // routers * ports, pair % routers * ports
        found[table + pair] = begins[pair]
        for i in range(write_route(form, x, y, PLUS, room, back)):
            at = begins[pair] + i
            found[listed + (at >> 1)] |= room[i] << (32 * (at & 1))
    found[listed - 1] = begins[-1]
    return found


@light_kernel
def distances(form: Ints, longest: int, found: npt.NDArray[np.int32]) -> None:
    """The length of the route between every two routers; *requires* one port."""
    room, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    for u in range(len(found)):
        for v in range(len(found)):
            found[u, v] = write_route(form, u, v, PLUS, room, back)


@light_kernel
def distances_from(form: Ints, longest: int, places: int, start: int) -> Ints:
    """The lengths of the routes from one place to all."""
    room, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    found = np.empty(places, np.int64)
    for v in range(places):
        found[v] = write_route(form, start, v, PLUS, room, back)
    return found
