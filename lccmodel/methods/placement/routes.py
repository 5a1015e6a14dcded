"""Routes as arithmetic that a compiled search can call: from two places to the channels between.

A place is where one rank runs. Several places may share a router, so place p is at router
p // ports. On hypercubes, meshes and tori (a hypercube is a mesh of sides 2) a router is a mixed
radix number and a route corrects one digit after the other, axis 0 first: the channels follow
from the digits, and nothing is stored. On any other network the channels of all routes are
listed once. Channel numbers are this module's own: 2 axis + direction, then the router left.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from lccmodel.errors import SizeLimitError
from lccmodel.network import BristledHypercube, Concentrated, Hypercube, Mesh, Network

__all__ = ["MAX_LISTED_ROUTES", "Routes", "distances", "route"]

Integers = npt.NDArray[np.int64]

MAX_LISTED_ROUTES = 1 << 24
"""Most channels in the lists of all routes, for networks without digits: 128 MB."""


@dataclass(frozen=True)
class Routes:
    """What the kernels need to know about a network.

    Attributes:
        places: ranks that the network holds.
        routers: routers, each with `ports` places.
        ports: places at a router.
        axes: (k, 4): stride, length, 1 for a ring, and the bit where the digit starts (-1 unless
            stride and length are powers of two), of every digit; empty if routes are listed.
        starts, listed: the channels of the route from router u to v are
            `listed[starts[u * routers + v] : starts[u * routers + v + 1]]`; empty with digits.
        dimension_of: (channels,), the dimension or axis of each channel.
        real: (channels,), whether the number is a channel (at the border of a mesh it is not).
        tails, heads: (channels,), the routers that a channel joins; -1 where it is not real or
            does not join two routers with places.
    """

    places: int
    routers: int
    ports: int
    axes: Integers
    starts: Integers
    listed: Integers
    dimension_of: Integers
    real: npt.NDArray[np.bool_]
    tails: Integers
    heads: Integers

    @classmethod
    def of(cls, network: Network) -> Routes:
        """The routes of a network.

        Raises:
            SizeLimitError: routes have to be listed, and there are too many channels in them.

        >>> from lccmodel.network import Mesh
        >>> Routes.of(Mesh((4, 2))).channels
        20
        """
        shape = _digits(network)
        if shape is None:
            return _listed(network)
        lengths, rings, ports = shape
        return _by_digits(lengths, rings, ports)

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

    @property
    def arguments(self) -> tuple[Integers, Integers, Integers, Integers]:
        """What `route` takes after the two places."""
        return np.array([self.ports, self.routers]), self.axes, self.starts, self.listed

    @cached_property
    def distance(self) -> npt.NDArray[np.int32]:
        """(routers, routers): the number of channels on every route."""
        found = np.empty((self.routers, self.routers), dtype=np.int32)
        distances(1, self.routers, self.axes, self.starts, self.listed, found)
        return found

    @cached_property
    def longest(self) -> int:
        """Channels on the longest route."""
        if len(self.axes):
            return sum(int(n) // 2 if ring else int(n) - 1 for _, n, ring, _ in self.axes.tolist())
        return int(np.diff(self.starts).max(initial=0))


def _digits(network: Network) -> tuple[list[int], list[bool], int] | None:
    """Side lengths, which of them are rings, and places at a router."""
    if isinstance(network, BristledHypercube):
        return [2] * (network.n - 1), [False] * (network.n - 1), 2
    if isinstance(network, Hypercube):
        return [2] * network.n, [False] * network.n, 1
    if isinstance(network, Mesh):
        rings = [network.is_ring(axis) for axis in range(network.dimensions)]
        return list(network.shape), rings, 1
    if isinstance(network, Concentrated):
        lengths, rings, _ = _digits(network.network) or ([], [], 1)
        return lengths, rings, network.per_node
    return None


def _by_digits(lengths: list[int], rings: list[bool], ports: int) -> Routes:
    strides = np.cumprod([1, *lengths])
    routers = int(strides[-1])
    axes = np.array(
        [
            [s, n, ring, _start(s, n)]
            for s, n, ring in zip(strides.tolist(), lengths, rings, strict=False)
        ],
        np.int64,
    ).reshape(-1, 4)
    node = np.arange(routers)
    heads = []
    for stride, length, ring, _ in axes.tolist():
        digit = node // stride % length
        for step in (1, -1):
            moved = (digit + step) % length
            real = np.full(routers, ring == 1) | (moved == digit + step)
            heads.append(np.where(real & (length > 1), node + (moved - digit) * stride, -1))
    head = np.concatenate(heads) if heads else np.empty(0, np.int64)
    real = head >= 0
    return Routes(
        places=routers * ports,
        routers=routers,
        ports=ports,
        axes=axes,
        starts=np.zeros(0, np.int64),
        listed=np.zeros(0, np.int64),
        dimension_of=np.repeat(np.arange(len(axes)), 2 * routers).astype(np.int64),
        real=real,
        tails=np.where(real, np.tile(node, 2 * len(axes)), -1).astype(np.int64),
        heads=head.astype(np.int64),
    )


def _start(stride: int, length: int) -> int:
    """The bit where a digit starts, or -1."""
    return stride.bit_length() - 1 if not stride & stride - 1 and not length & length - 1 else -1


def _listed(network: Network) -> Routes:
    """Every route, channel by channel."""
    numbers: dict[tuple[int, int], int] = {}
    dimension: list[int] = []
    starts, listed = [0], []
    for u in range(network.size):
        for v in range(network.size):
            for channel in network.channels(u, v):
                if channel not in numbers:
                    numbers[channel] = len(numbers)
                    dimension.append(network.row_dimension(network.counter(*channel)[0]))
                listed.append(numbers[channel])
            starts.append(len(listed))
        if len(listed) > MAX_LISTED_ROUTES:
            rule = f"the routes together have at most {MAX_LISTED_ROUTES} channels, for memory"
            raise SizeLimitError(network.spec, rule, f"{network.size} nodes")
    places = [(u, v) if max(u, v) < network.size else (-1, -1) for u, v in numbers]
    ends = np.array(places, np.int64).reshape(-1, 2)
    return Routes(
        places=network.size,
        routers=network.size,
        ports=1,
        axes=np.zeros((0, 4), np.int64),
        starts=np.array(starts, np.int64),
        listed=np.array(listed, np.int64),
        dimension_of=np.array(dimension, np.int64),
        real=np.ones(len(numbers), np.bool_),
        tails=ends[:, 0].copy(),
        heads=ends[:, 1].copy(),
    )


@kernel
def route(
    x: int,
    y: int,
    size: Integers,
    axes: Integers,
    starts: Integers,
    listed: Integers,
    found: Integers,
) -> int:
    """Write the channels from place x to place y to `found`; returns how many there are.

    `size` is (ports, routers); see `Routes.arguments`.
    """
    ports, routers = size[0], size[1]
    u, v = (x, y) if ports == 1 else (x // ports, y // ports)
    if u == v:
        return 0
    k = 0
    if axes.shape[0] == 0:
        pair = u * routers + v
        for i in range(starts[pair], starts[pair + 1]):
            found[k] = listed[i]
            k += 1
        return k
    here = u
    for a in range(axes.shape[0]):
        stride, length, start = axes[a, 0], axes[a, 1], axes[a, 3]
        if start >= 0:
            c, d = here >> start & (length - 1), v >> start & (length - 1)
        else:
            c, d = here // stride % length, v // stride % length
        if c == d:
            continue
        forward = d - c if d > c else d - c + length
        minus = 2 * forward > length if axes[a, 2] else d < c
        line = here - c * stride
        if minus:
            base = (2 * a + 1) * routers + line
            while c != d:
                found[k] = base + c * stride
                k += 1
                c = c - 1 if c > 0 else length - 1
        else:
            base = 2 * a * routers + line
            while c != d:
                found[k] = base + c * stride
                k += 1
                c = c + 1 if c + 1 < length else 0
        here = line + d * stride
    return k


@kernel
def distances(
    ports: int,
    routers: int,
    axes: Integers,
    starts: Integers,
    listed: Integers,
    found: npt.NDArray[np.int32],
) -> None:
    """The length of the route between every two routers."""
    for u in range(routers):
        for v in range(routers):
            if axes.shape[0] == 0:
                pair = u * routers + v
                found[u, v] = starts[pair + 1] - starts[pair]
                continue
            total = 0
            for a in range(axes.shape[0]):
                stride, length = axes[a, 0], axes[a, 1]
                away = abs(u // stride % length - v // stride % length)
                if axes[a, 2] and length - away < away:
                    away = length - away
                total += away
            found[u, v] = total
