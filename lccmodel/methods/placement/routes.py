"""What a compiled search knows of a network: its channels, their costs, the form of its routes.

On hypercubes, meshes and tori (a hypercube is a mesh of sides 2) a router is a mixed radix
number, and a route corrects one digit after the other, axis 0 first. On fat trees a route climbs
until both ends are below one switch and descends (`network.fattree`). Nothing is stored: kernels
ask `network.routes.write_route`. Nodes that share a router are numbered one after another;
between them no channel is used.

Channels are numbered by axis, direction and router left; on fat trees as `ChannelLoads` does.
Links of a dimension with a bandwidth are busy for load / bandwidth: every load counts `cost`
times, in parts of `scale`. Where bandwidths have no small common unit, costs are rounded.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.errors import NetworkError
from lccmodel.network import Concentrated, FatTree, Hypercube, Mesh, Network
from lccmodel.network.bristled import BristledHypercube
from lccmodel.network.kernels import GRID
from lccmodel.network.routes import write_route
from lccmodel.network.ties import PLUS

ROUNDED_COST = 1 << 24
"""Largest cost where volumes have to be rounded, too."""

_LARGEST_COST = 1 << 36


class Ways(NamedTuple):
    """`Routes` as the kernels take them; `back` is empty: nobody asks for the way back."""

    form: Ints
    back: Ints
    ports: int
    routers: int
    axes: Ints
    cost: Ints
    dimension_of: Ints
    dimensions: int
    longest: int


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
        real: (numbers,), whether the number is a channel (at the border of a mesh it is not).
        tails, heads: (numbers,), the routers that a channel joins; -1 where it is not real or
            does not join routers with nodes.
        cost: (numbers,), what a unit of volume costs on the channel, in parts of `scale`.
        scale: cost of a link of bandwidth 1.
        error: by how much of itself a cost is rounded at most; 0 where all are exact.
    """

    places: int
    routers: int
    ports: int
    axes: Ints
    tree: Ints
    form: Ints
    dimension_of: Ints
    real: npt.NDArray[np.bool_]
    tails: Ints
    heads: Ints
    cost: Ints
    scale: Fraction
    error: Fraction = Fraction(0)

    @classmethod
    def of(cls, network: Network, largest: int = _LARGEST_COST) -> Routes:
        """The routes of a network.

        Args:
            network: cube, Origin, mesh, torus or fat tree.
            largest: costs above are rounded.

        Raises:
            NetworkError: a network whose routes are not known here.

        >>> from lccmodel.network import Mesh
        >>> Routes.of(Mesh((4, 2))).channels
        20
        """
        if isinstance(network, FatTree):
            return _of_tree(network)
        lengths, rings = _digits(network)
        return _by_digits(lengths, rings, network, largest)

    @property
    def numbers(self) -> int:
        """How many channel numbers there are, real or not."""
        return len(self.real)

    @property
    def dimensions(self) -> int:
        """Number of dimensions, axes or levels."""
        return int(self.dimension_of.max(initial=0)) + 1

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
            self.dimension_of, self.dimensions, self.longest,
        )  # fmt: skip

    @cached_property
    def distance(self) -> npt.NDArray[np.int32]:
        """(routers, routers): the number of channels on every route."""
        found = np.empty((self.routers, self.routers), dtype=np.int32)
        form = self.form.copy()
        form[2] = 1
        distances(self.ways._replace(form=form), found)
        return found

    def distances_from(self, router: int) -> Ints:
        """The number of channels on the route from a router to every other; int64, (routers,)."""
        if len(self.tree):
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
        if len(self.tree):
            return 2 * (int(self.tree[3]) - 1)
        return sum(n // 2 if ring else n - 1 for _, n, ring in self.axes.tolist())


def _digits(network: Network) -> tuple[list[int], list[bool]]:
    """Side lengths, and which of them are rings."""
    if isinstance(network, (Hypercube, BristledHypercube)):
        bits = network.n - network.port_bits
        return [2] * bits, [False] * bits
    if isinstance(network, Mesh):
        return list(network.shape), [network.is_ring(a) for a in range(network.dimensions)]
    if isinstance(network, Concentrated):
        return _digits(network.network)
    rule = "must be a cube, an Origin, a mesh, a torus or a fat tree"
    raise NetworkError("network", rule, network)


def _by_digits(lengths: list[int], rings: list[bool], network: Network, largest: int) -> Routes:
    strides = np.cumprod([1, *lengths]).tolist()
    routers = strides[-1]
    digits = zip(strides, lengths, rings, strict=False)
    axes = np.array(list(digits), np.int64).reshape(-1, 3)
    form = [GRID, routers, network.per_node, len(axes), *axes[:, 1:].ravel().tolist()]
    node = np.arange(routers)
    heads = [np.empty(0, np.int64)]
    for stride, length, ring in axes.tolist():
        digit = node // stride % length
        for step in (1, -1):
            moved = (digit + step) % length
            real = (moved == digit + step) | (ring == 1)
            heads.append(np.where(real & (length > 1), node + (moved - digit) * stride, -1))
    head = np.concatenate(heads)
    bandwidths = network.bandwidths[-len(axes) :] if len(axes) else ()
    cost, scale = _costs(bandwidths, largest)
    errors = (abs(k * b / scale - 1) for k, b in zip(cost, bandwidths, strict=True))
    return Routes(
        places=routers * network.per_node,
        routers=routers,
        ports=network.per_node,
        axes=axes,
        tree=np.zeros(0, np.int64),
        form=np.array(form, np.int64),
        dimension_of=np.repeat(np.arange(len(axes)), 2 * routers).astype(np.int64),
        real=head >= 0,
        tails=np.where(head >= 0, np.tile(node, 2 * len(axes)), -1).astype(np.int64),
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


def _of_tree(network: FatTree) -> Routes:
    rows, columns = network.counter_shape
    row, column = np.divmod(np.arange(rows * columns), columns)
    real = np.array(
        [_is_channel(network, r, c) for r, c in zip(row.tolist(), column.tolist(), strict=True)],
        np.bool_,
    )
    nowhere = np.full(rows * columns, -1, np.int64)
    return Routes(
        places=network.size,
        routers=network.size,
        ports=1,
        axes=np.zeros((0, 3), np.int64),
        tree=network.form,
        form=network.form,
        dimension_of=(row // 2).astype(np.int64),
        real=real,
        tails=nowhere,
        heads=nowhere,
        cost=np.ones(rows * columns, np.int64),
        scale=Fraction(1),
    )


def _is_channel(network: FatTree, row: int, column: int) -> bool:
    try:
        network.channel(row, column)
    except NetworkError:
        return False
    return True


@kernel
def distances(ways: Ways, found: npt.NDArray[np.int32]) -> None:
    """The length of the route between every two routers; *requires* one port."""
    room = np.empty(ways.longest + 1, np.int64)
    for u in range(ways.routers):
        for v in range(ways.routers):
            found[u, v] = write_route(ways.form, u, v, PLUS, room, ways.back)
