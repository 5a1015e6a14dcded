"""Meshes and tori of any sides and number of axes, with dimension-ordered (XY, XYZ, ...) routing.

Axis 0 is the least significant part of a node number: with side lengths s_0, s_1, s_2, ...

    node = x_0 + s_0 x_1 + s_0 s_1 x_2 + ...

and routing corrects one coordinate after the other, axis 0 first. Where the sides are powers of
two, axis a is a field of address bits. A torus message goes the shorter way round; when both are
equally long (half the side length) it goes in the + direction, unless the torus states another
rule (`network.ring_direction`). `Mesh.run` is where that is said.

A torus axis of length 2 has one channel each way between its two nodes, as in a mesh: the
direct link and the one that wraps around would join the same two nodes, and a directed graph
holds one edge from u to v. An axis of length 1 has no channels.

Links may be faster along one axis than another: a load is then what a channel carries over its
bandwidth. Counting does not change, nor do paths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, checked_index
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, LongWords, Weights, Words
from lccmodel.network.base import Network
from lccmodel.network.geometry import Geometry, grid_geometry
from lccmodel.network.grid_shape import (
    Bandwidths,
    Sides,
    checked_bandwidth,
    checked_sides,
    digits_of,
    node_of_digits,
    plain_numbers,
)
from lccmodel.network.loads import Cables, Channel
from lccmodel.network.ring_direction import NetworkTies, goes_plus
from lccmodel.network.wiring import cables_of_axes

_WORD = (1 << 64) - 1


@typed_arguments
class Mesh(Network):
    """A mesh: nodes on a grid, joined both ways to the next node along each axis.

    Args:
        shape: the side lengths, axis 0 first, with 2 to 2^64 nodes altogether. Explicit graphs
            go up to 2^22 channels, exact loads up to 2^29 counters (two for every node and axis).
        bandwidth: what the links of each axis carry at a time, positive numbers; 1 if left out.

    Raises:
        NetworkError: not a sequence of integers, a length below 1, one node, or no bandwidth for
            every axis.
        SizeLimitError: more than 2^64 nodes.

    >>> mesh = Mesh((4, 2))
    >>> mesh.path(0, 7), mesh.path(0, 7, descending=True)
    ([0, 1, 2, 3, 7], [0, 4, 5, 6, 7])
    >>> mesh.coordinates(7), mesh.graph().edges[7, 3]
    ((3, 1), {'axis': 1, 'sign': -1})
    >>> Mesh((8, 6)).size, Mesh((4, 2), bandwidth=(2, 1)).channel_loads([[0, 7]]).per_dimension
    (48, (Fraction(1, 2), 1))
    """

    __slots__ = ("bandwidth", "shape")

    kind = "mesh"
    shape: tuple[int, ...]
    """Side lengths, axis 0 first."""
    bandwidth: tuple[Fraction, ...]
    """What the links of each axis carry at a time."""

    def __init__(self, shape: Sides, bandwidth: Bandwidths = None) -> None:
        object.__setattr__(self, "shape", checked_sides(shape))
        object.__setattr__(self, "bandwidth", checked_bandwidth(bandwidth, len(self.shape)))

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(self.shape)

    @property
    def argument(self) -> tuple[int, ...]:
        """The shape."""
        return self.shape

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.shape, self.bandwidth

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """What the links of each axis carry at a time."""
        return self.bandwidth

    @property
    def spec(self) -> str:
        """Such as "mesh:16x16", or "mesh:16x16,bandwidth=2:1" if the axes differ."""
        return (
            f"{self.kind}:{'x'.join(map(str, self.shape))}" + self._options() + self._hosts_option
        )

    def _options(self) -> str:
        if set(self.bandwidth) == {Fraction(1)}:
            return ""
        return f",bandwidth={':'.join(map(str, self.bandwidth))}"

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def n_channels(self) -> int:
        """Number of directed channels."""
        lines = enumerate(self.shape)
        return sum(self.size // s * 2 * (s if self.is_ring(a) else s - 1) for a, s in lines)

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes."""
        return sum(s // 2 if self.is_ring(a) else s - 1 for a, s in enumerate(self.shape))

    @property
    def geometry(self) -> Geometry:
        """An axis a side."""
        rings = tuple(map(self.is_ring, range(len(self.shape))))
        return grid_geometry(self.shape, rings, self.bandwidth, ties=self.ties)

    @property
    def ties(self) -> NetworkTies:
        """Which way messages go half-way round a ring; "plus" unless stated (tori)."""
        return "plus"

    def _cables(self) -> Cables:
        return cables_of_axes(self.geometry, self.size, 0, 2)

    def is_ring(self, axis: int) -> bool:
        """Return whether an axis wraps around."""
        return False

    def stride(self, axis: int) -> int:
        """Return the difference of the numbers of two neighbours along an axis."""
        return math.prod(self.shape[:axis])

    def run(self, axis: int, c: int, d: int) -> tuple[int, int]:
        """Return how many channels, and in which direction, from coordinate c to d on an axis.

        Round a ring the shorter way. When both are equally long it is the + direction, or with
        `ties="split"` the - direction from odd coordinates (`network.ring_direction`).

        >>> from lccmodel.network import Torus
        >>> Mesh((8,)).run(0, 6, 1), Torus((8,)).run(0, 6, 1), Torus((8,)).run(0, 6, 2)
        ((5, -1), (3, 1), (4, 1))
        """
        if self.is_ring(axis):
            length = self.shape[axis]
            forward, tie = (d - c) % length, self.geometry.ring_rules[axis] - 1
            plus = goes_plus(forward, length, c, d, tie)
            return (forward, 1) if plus else (length - forward, -1)
        return (d - c, 1) if c <= d else (c - d, -1)

    def _shown(self) -> str:
        plain = set(self.bandwidth) == {Fraction(1)}
        options = "" if plain else f", bandwidth={plain_numbers(self.bandwidth)!r}"
        return f"{type(self).__name__}({self.shape!r}{options})"

    # -- nodes ----------------------------------------------------------------------------

    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the coordinates (x_0, x_1, ...) of a node, one for each axis.

        Raises:
            NodeError: not a node.
        """
        return digits_of(self._node(node), self.shape)

    def node(self, coordinates: Any) -> int:
        """Return the node with coordinates (x_0, x_1, ...).

        Raises:
            NodeError: not one integer in 0..s_a - 1 for each axis a.

        >>> Mesh((4, 2)).node((3, 1))
        7
        """
        return node_of_digits(coordinates, self.shape, "axis", self.spec)

    def neighbours(self, node: int) -> list[int]:
        """Return the neighbours of a node: on axis 0 in + direction, in - direction, axis 1, ...

        Raises:
            NodeError: not a node.

        >>> from lccmodel.network import Torus
        >>> Mesh((4, 2)).neighbours(0), Torus((4, 2)).neighbours(0)
        ([1, 4], [1, 3, 4])
        """
        return [v for v, _, _ in self._links(self._node(node))]

    def _links(self, node: int) -> Iterator[tuple[int, int, int]]:
        """(neighbour, axis, sign) for every channel that leaves a node."""
        stride = 1
        for axis, length in enumerate(self.shape):
            x = node // stride % length
            for sign in (1, -1):
                moved = x + sign
                if self.is_ring(axis):
                    moved %= length
                if 0 <= moved < length:
                    yield node + (moved - x) * stride, axis, sign
            stride *= length

    # -- paths ----------------------------------------------------------------------------

    def distance(self, x: int, y: int) -> int:
        """Return the number of channels on the path from x to y.

        Raises:
            NodeError: x or y is not a node.
        """
        ends = zip(
            self.coordinates(self._node(x, "x")),
            self.coordinates(self._node(y, "y")),
            strict=True,
        )
        return sum(self.run(axis, c, d)[0] for axis, (c, d) in enumerate(ends))

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        here, goal = list(self.coordinates(x)), self.coordinates(y)
        for axis in self._order(descending):
            length = self.shape[axis]
            run, sign = self.run(axis, here[axis], goal[axis])
            for _ in range(run):
                here[axis] = (here[axis] + sign) % length
                yield self.node(here)

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((x, {"coordinates": self.coordinates(x)}) for x in range(self.size))

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for u in range(self.size):
            for v, axis, sign in self._links(u):
                yield u, v, {"axis": axis, "sign": sign}

    # -- loads ----------------------------------------------------------------------------

    @property
    def counter_shape(self) -> tuple[int, int]:
        """(2 axes, nodes): rows 2a and 2a + 1 hold axis a in the + and - direction, by the tail."""
        return 2 * len(self.shape), self.size

    def row_dimension(self, row: int) -> int:
        """Return the axis of a row of counters."""
        return row // 2

    def row_name(self, row: int) -> str:
        """Return the axis and direction of a row."""
        return f"axis {row // 2} {'+−'[row % 2]}"

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """Return (2 axis, or 2 axis + 1 in - direction; u) for the channel from u to v.

        Raises:
            NetworkError: no channel leads from u to v.

        >>> from lccmodel.network import Torus
        >>> Mesh((4, 2)).counter(7, 3), Torus((4, 2)).counter(3, 0)
        ((3, 7), (0, 3))
        """
        u, v = self._ends((u, v))
        if 0 <= u < self.size:
            for neighbour, axis, sign in self._links(u):
                if neighbour == v:
                    return 2 * axis + (sign < 0), u
        raise self._no_channel((u, v))

    def channel(self, row: int, column: int) -> Channel:
        """Return the channel of axis row // 2 that leaves node `column`.

        Raises:
            NetworkError: there is none, at the border of a mesh.
        """
        column = checked_index("column", column, self.size, NetworkError)
        for neighbour, axis, sign in self._links(column):
            if (axis, sign) == (row // 2, -1 if row % 2 else 1):
                return column, neighbour
        raise self._no_channel(f"row {row}, node {column}")

    @property
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`."""
        from lccmodel.network.kernels import GRID

        axes = list(zip(self.shape, self.geometry.ring_rules, strict=True))
        flat = [number for pair in axes for number in pair]
        return np.array([GRID, self.size, 1, len(axes), *flat], np.int64)

    def _count(
        self, dimension: int, x: Words, y: Words, weights: Weights, descending: bool, counts: Array
    ) -> None:
        from lccmodel.network.kernels import axis_loads

        axis_loads(
            x,
            y,
            np.ones(1, dtype=np.int64) if weights is None else weights,
            self.stride(dimension),
            self.shape[dimension],
            descending,
            self.geometry.ring_rules[dimension],
            counts[2 * dimension : 2 * dimension + 2],
        )

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        axis, backward = divmod(row, 2)
        length, stride = self.shape[axis], self.stride(axis)
        block = stride * length
        below, above = (x, y) if descending else (y, x)
        tail = np.full_like(x, column)
        same_line = (_rest(below, stride) == _rest(tail, stride)) & (
            above - _rest(above, block) == tail - _rest(tail, block)
        )
        c, d, t = (_rest(nodes, block) // np.uint64(stride) for nodes in (x, y, tail))

        def ahead(start: Any, end: Any) -> Any:
            """How far in the + direction; unsigned differences wrap around at 2^64."""
            return end - start + np.where(end < start, np.uint64(length & _WORD), np.uint64(0))

        forward = ahead(c, d)
        rule = self.geometry.ring_rules[axis]
        goes_forward = goes_plus(forward, length, c, d, rule - 1) if rule else c <= d
        if backward:
            passed = ~goes_forward & (ahead(t, c) < ahead(d, c))
        else:
            passed = goes_forward & (ahead(c, t) < forward)
        used: npt.NDArray[np.bool_] = same_line & passed
        return used


def _rest(nodes: npt.NDArray[np.uint64], divisor: int) -> npt.NDArray[np.uint64]:
    """Nodes modulo a divisor of up to 2^64."""
    return nodes if divisor > _WORD else nodes % np.uint64(divisor)


@typed_arguments
class Torus(Mesh):
    """A torus: a mesh whose axes wrap around.

    A message goes the shorter way round. An axis of length 2 has one channel each way, as in a
    mesh.

    Args:
        shape, bandwidth: as for `Mesh`.
        wrap: for each axis, whether it wraps around; all do if left out.
        ties: the direction of messages half-way round a ring, where both ways are equally long:
            "plus", always +, or "split", + from even coordinates and - from odd ones.

    Raises:
        NetworkError: as for `Mesh`; or not a truth value for every axis; or another rule.
        SizeLimitError: more than 2^64 nodes.

    >>> ring = Torus((8,))
    >>> ring.path(0, 5), ring.path(0, 4), ring.distance(6, 1)
    ([0, 7, 6, 5], [0, 1, 2, 3, 4], 3)
    >>> Torus((8, 8), wrap=(True, False)).distance(0, 63), Torus((6, 6)).distance(0, 35)
    (8, 2)
    >>> [Torus((4,), ties=ties).path(1, 3) for ties in ("plus", "split")]
    [[1, 2, 3], [1, 0, 3]]
    """

    __slots__ = ("ties", "wrap")

    kind = "torus"
    wrap: tuple[bool, ...]
    """For each axis, whether it wraps around."""
    ties: NetworkTies
    """Which way messages go half-way round a ring."""

    def __init__(
        self,
        shape: Sides,
        bandwidth: Bandwidths = None,
        wrap: Sequence[bool] | None = None,
        ties: NetworkTies = "plus",
    ) -> None:
        super().__init__(shape, bandwidth)
        object.__setattr__(self, "wrap", _checked_wrap(wrap, len(self.shape)))
        if ties not in get_args(NetworkTies):
            raise NetworkError("ties", f"must be {' or '.join(get_args(NetworkTies))}", ties)
        object.__setattr__(self, "ties", ties)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.shape, self.bandwidth, self.wrap, self.ties

    def _options(self) -> str:
        around = [str(axis) for axis, wraps in enumerate(self.wrap) if wraps]
        wrap = "" if all(self.wrap) else f",wrap={':'.join(around)}"
        return super()._options() + wrap + ("" if self.ties == "plus" else f",ties={self.ties}")

    def is_ring(self, axis: int) -> bool:
        """Return whether an axis wraps around: all that are longer than 2, unless stated otherwise.

        Raises:
            NetworkError: no such axis.
        """
        axis = checked_index("axis", axis, len(self.shape), NetworkError)
        return self.shape[axis] > 2 and self.wrap[axis]

    def _shown(self) -> str:
        options = super()._shown()
        options = options if all(self.wrap) else f"{options[:-1]}, wrap={self.wrap!r})"
        return options if self.ties == "plus" else f"{options[:-1]}, ties={self.ties!r})"


def _checked_wrap(wrap: Any, axes: int) -> tuple[bool, ...]:
    if wrap is None:
        return (True,) * axes
    rule = f"must be {axes} of True and False, one an axis"
    try:
        listed = tuple(wrap)
    except TypeError:
        raise NetworkError("wrap", rule, wrap) from None
    if len(listed) != axes or any(not isinstance(w, (bool, np.bool_)) for w in listed):
        raise NetworkError("wrap", rule, wrap)
    return tuple(bool(w) for w in listed)
