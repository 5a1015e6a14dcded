"""Meshes and tori of any power-of-two shape, with dimension-ordered (XY, XYZ, ...) routing.

Axis 0 is the least significant part of a node number: with side lengths s_0, s_1, s_2, ...

    node = x_0 + s_0 x_1 + s_0 s_1 x_2 + ...

so that axis a is a field of address bits, and routing corrects one field after the other, axis 0
first. A torus message goes the shorter way round; when both are equally long (half the side
length) it goes in the + direction.

A torus axis of length 2 has one channel each way between its two nodes, as in a mesh: the
direct link and the one that wraps around would join the same two nodes, and a directed graph
holds one edge from u to v. An axis of length 1 has no channels.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_integers
from lccmodel.network.base import MAX_DIMENSION, Channel, Network

__all__ = ["Mesh", "Torus"]


class Mesh(Network):
    """A mesh: nodes on a grid, joined both ways to the next node along each axis.

    Args:
        shape: the side lengths, axis 0 first; powers of two, with 2 to 2^64 nodes altogether.
            Explicit graphs go up to 2^22 channels, exact loads up to 2^29 counters (two for
            every node and axis).

    Raises:
        NetworkError: no sequence of integers, a length that is not a power of two, or one node.
        SizeLimitError: more than 2^64 nodes.

    >>> mesh = Mesh((4, 2))
    >>> mesh.path(0, 7), mesh.path(0, 7, descending=True)
    ([0, 1, 2, 3, 7], [0, 4, 5, 6, 7])
    >>> mesh.coordinates(7), mesh.graph().edges[7, 3]
    ((3, 1), {'axis': 1, 'sign': -1})
    """

    __slots__ = ("shape",)

    kind = "mesh"
    shape: tuple[int, ...]
    """Side lengths, axis 0 first."""

    def __init__(self, shape: Any) -> None:
        object.__setattr__(self, "shape", _checked_shape(shape))
        object.__setattr__(self, "n", sum(length.bit_length() - 1 for length in self.shape))

    @property
    def argument(self) -> tuple[int, ...]:
        """The shape."""
        return self.shape

    @property
    def spec(self) -> str:
        """Such as "mesh:16x16"."""
        return f"{self.kind}:{'x'.join(map(str, self.shape))}"

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def n_channels(self) -> int:
        """Number of directed channels."""
        return sum(self.size // s * self._channels_on_line(s) for s in self.shape)

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes."""
        return sum(self._line_diameter(s) for s in self.shape)

    def _is_ring(self, length: int) -> bool:
        """Whether an axis of this length wraps around."""
        return False

    def _channels_on_line(self, length: int) -> int:
        return 2 * length if self._is_ring(length) else 2 * (length - 1)

    def _line_diameter(self, length: int) -> int:
        return length // 2 if self._is_ring(length) else length - 1

    def _shift(self, axis: int) -> int:
        """The address bit where the coordinate of an axis starts."""
        return sum(s.bit_length() - 1 for s in self.shape[:axis])

    def _run(self, c: int, d: int, length: int) -> tuple[int, int]:
        """How many channels, and in which direction, from coordinate c to d on an axis."""
        if self._is_ring(length):
            forward = (d - c) % length
            return (forward, 1) if 2 * forward <= length else (length - forward, -1)
        return (d - c, 1) if c <= d else (c - d, -1)

    # -- nodes ----------------------------------------------------------------------------

    def coordinates(self, node: int) -> tuple[int, ...]:
        """The coordinates (x_0, x_1, ...) of a node, one for each axis.

        Raises:
            NodeError: not a node.
        """
        node = self._node(node)
        result = []
        for length in self.shape:
            node, x = divmod(node, length)
            result.append(x)
        return tuple(result)

    def node(self, coordinates: Any) -> int:
        """The node with coordinates (x_0, x_1, ...).

        Raises:
            NodeError: not one integer in 0..s_a - 1 for each axis a.

        >>> Mesh((4, 2)).node((3, 1))
        7
        """
        given = checked_integers("coordinates", coordinates, NodeError)
        if len(given) != len(self.shape):
            rule = f"must be {len(self.shape)}, one for each axis of {self.spec}"
            raise NodeError("coordinates", rule, given)
        node = 0
        for axis, (x, length) in reversed(list(enumerate(zip(given, self.shape, strict=True)))):
            if not 0 <= x < length:
                rule = f"must be an integer in 0..{length - 1} on axis {axis} of {self.spec}"
                raise NodeError(f"coordinates[{axis}]", rule, x)
            node = node * length + x
        return node

    def neighbours(self, node: int) -> list[int]:
        """The neighbours of a node: axis 0 in the + direction, in the - direction, axis 1, ...

        Raises:
            NodeError: not a node.

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
                if self._is_ring(length):
                    moved %= length
                if 0 <= moved < length:
                    yield node + (moved - x) * stride, axis, sign
            stride *= length

    # -- paths ----------------------------------------------------------------------------

    def distance(self, x: int, y: int) -> int:
        """The number of channels on the path from x to y.

        Raises:
            NodeError: x or y is not a node.
        """
        ends = zip(
            self.coordinates(self._node(x, "x")),
            self.coordinates(self._node(y, "y")),
            self.shape,
            strict=True,
        )
        return sum(self._run(c, d, length)[0] for c, d, length in ends)

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        here, goal = list(self.coordinates(x)), self.coordinates(y)
        for axis in self._order(descending):
            length = self.shape[axis]
            run, sign = self._run(here[axis], goal[axis], length)
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
        """(2 axes, 2^n): rows 2a and 2a + 1 hold axis a in the + and - direction, by the tail."""
        return 2 * len(self.shape), self.size

    def row_dimension(self, row: int) -> int:
        """The axis of a row of counters."""
        return row // 2

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """(2 axis, or 2 axis + 1 for the - direction; u) for the channel from u to v.

        Raises:
            NetworkError: no channel leads from u to v.

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
        """The channel of axis row // 2 that leaves node `column`.

        Raises:
            NetworkError: there is none, at the border of a mesh.
        """
        for neighbour, axis, sign in self._links(column):
            if (axis, sign) == (row // 2, -1 if row % 2 else 1):
                return column, neighbour
        raise self._no_channel(f"row {row}, node {column}")

    def _done(self, axis: int, descending: bool) -> int:
        """The address bits of the axes that are corrected before this one."""
        below = (1 << self._shift(axis)) - 1
        above = self.size - (1 << self._shift(axis + 1))
        return above if descending else below

    def _count(
        self,
        dimension: int,
        sources: npt.NDArray[np.uint32],
        changes: npt.NDArray[np.uint32],
        weights: npt.NDArray[np.int64] | None,
        descending: bool,
        counts: npt.NDArray[Any],
    ) -> None:
        from lccmodel.network.kernels import axis_loads

        length = self.shape[dimension]
        axis_loads(
            sources,
            changes,
            np.ones(1, dtype=np.int64) if weights is None else weights,
            self._shift(dimension),
            length,
            self._done(dimension, descending),
            self._is_ring(length),
            counts[2 * dimension : 2 * dimension + 2],
        )

    def _uses(
        self,
        row: int,
        column: int,
        x: npt.NDArray[np.uint64],
        y: npt.NDArray[np.uint64],
        descending: bool,
    ) -> npt.NDArray[np.bool_]:
        axis, backward = divmod(row, 2)
        length, shift = self.shape[axis], self._shift(axis)
        last = length - 1
        here = x ^ ((x ^ y) & self._done(axis, descending))
        c, d, tail = here >> shift & last, y >> shift & last, np.uint64(column >> shift & last)
        forward = (d - c) & last  # unsigned differences wrap around as the ring does
        goes_forward = forward <= length // 2 if self._is_ring(length) else c <= d
        if backward:
            passed = ~goes_forward & ((c - tail) & last < (c - d) & last)
        else:
            passed = goes_forward & ((tail - c) & last < forward)
        rest = np.uint64(self.size - 1 ^ last << shift)
        same_line: npt.NDArray[np.bool_] = here & rest == np.uint64(column) & rest
        return same_line & passed


class Torus(Mesh):
    """A torus: a mesh whose axes wrap around.

    A message goes the shorter way round, and in the + direction when both ways are equally
    long. An axis of length 2 has one channel each way, as in a mesh.

    Args:
        shape: as for `Mesh`.

    Raises:
        NetworkError: no sequence of integers, a length that is not a power of two, or one node.
        SizeLimitError: more than 2^64 nodes.

    >>> ring = Torus((8,))
    >>> ring.path(0, 5), ring.path(0, 4), ring.distance(6, 1)
    ([0, 7, 6, 5], [0, 1, 2, 3, 4], 3)
    """

    __slots__ = ()

    kind = "torus"

    def _is_ring(self, length: int) -> bool:
        return length > 2


def _checked_shape(shape: Any) -> tuple[int, ...]:
    rule = "must be a sequence of side lengths that are powers of two"
    if isinstance(shape, str):
        raise NetworkError("shape", rule, shape)
    try:
        lengths = tuple(operator.index(length) for length in shape)
    except TypeError:
        raise NetworkError("shape", rule, shape) from None
    for axis, length in enumerate(lengths):
        if length < 1 or length & length - 1:
            raise NetworkError(f"shape[{axis}]", "must be a power of two", length)
    nodes = math.prod(lengths)
    if nodes < 2:
        raise NetworkError("shape", "must have at least two nodes", lengths)
    if nodes > 1 << MAX_DIMENSION:
        rule = f"must have at most 2^{MAX_DIMENSION} nodes: a node number fits one machine word"
        raise SizeLimitError("shape", rule, lengths)
    return lengths
