"""The hypercube: node x has the address bits x_0 .. x_(n-1), and a channel for each of them.

e-cube routing corrects bit 0 first [hou, section 2]. On the way from x = 000 to y = 101:

    000 --dimension 0--> 001 --dimension 2--> 101
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_index, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, LongWords, Weights, Words
from lccmodel.network.base import MAX_DIMENSION, Network
from lccmodel.network.geometry import Geometry, cube_geometry
from lccmodel.network.loads import Cables, Channel
from lccmodel.network.wiring import cables_of_axes


class BitAddressed(Network):
    """A network of 2^n nodes whose coordinates are the bits of their numbers."""

    __slots__ = ()

    @property
    def argument(self) -> int:
        """n."""
        return self.n

    @property
    def spec(self) -> str:
        """Such as "cube:8" or "origin:5"."""
        return f"{self.kind}:{self.n}{self._hosts_option}"

    def coordinates(self, node: int) -> tuple[int, ...]:
        """The bits (x_0, ..., x_(n-1)) of a node.

        Raises:
            NodeError: not a node.

        >>> Hypercube(3).coordinates(6)
        (0, 1, 1)
        """
        x = self._node(node)
        return tuple(x >> i & 1 for i in range(self.n))

    def node(self, coordinates: Any) -> int:
        """The node with bits (x_0, ..., x_(n-1)).

        Raises:
            NodeError: not n bits.
        """
        bits = checked_integers("coordinates", coordinates, NodeError)
        if len(bits) != self.n or any(bit not in (0, 1) for bit in bits):
            raise NodeError("coordinates", f"must be {self.n} bits", bits)
        return sum(bit << i for i, bit in enumerate(bits))


@typed_arguments
class Hypercube(BitAddressed):
    """The hypercube of 2^n nodes; nodes are joined both ways when they differ in one bit.

    Args:
        n: number of dimensions, 1 <= n <= 64. Explicit graphs go up to n = 17, exact loads up
            to n = 24.

    Raises:
        NetworkError: n is not an integer, or below 1.
        SizeLimitError: n > 64.

    >>> cube = Hypercube(3)
    >>> cube.path(0b000, 0b101), cube.path(0b000, 0b101, descending=True)
    ([0, 1, 5], [0, 4, 5])
    >>> cube.graph().edges[1, 5]
    {'dimension': 2}
    """

    __slots__ = ("_bits",)

    _bits: int

    kind = "cube"

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "_bits", checked_dimension(n))

    @property
    def size(self) -> int:
        """Number of nodes, 2^n."""
        return 1 << self._bits

    @property
    def dimensions(self) -> int:
        """Number of dimensions, n."""
        return self.n

    @property
    def n_channels(self) -> int:
        """Number of directed channels, n 2^n."""
        return self.n << self.n

    @property
    def diameter(self) -> int:
        """Largest distance, n."""
        return self.n

    @property
    def geometry(self) -> Geometry:
        """n axes of length 2; a single node is one axis of length 1."""
        return cube_geometry(self._bits)

    def _cables(self) -> Cables:
        return cables_of_axes(self.geometry, self.size, 0, 1)

    def neighbours(self, node: int) -> list[int]:
        """Return the n neighbours of a node, across dimension 0, 1, ..., n - 1.

        Raises:
            NodeError: not a node.
        """
        node = self._node(node)
        return [node ^ 1 << i for i in range(self.n)]

    def distance(self, x: int, y: int) -> int:
        """Return the number of bits in which x and y differ.

        Raises:
            NodeError: x or y is not a node.
        """
        return (self._node(x, "x") ^ self._node(y, "y")).bit_count()

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        for i in self._order(descending):
            if (x ^ y) >> i & 1:
                x ^= 1 << i
                yield x

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for x in range(self.size):
            for i in range(self.n):
                yield x, x ^ 1 << i, {"dimension": i}

    # -- loads ----------------------------------------------------------------------------

    @property
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`."""
        from lccmodel.network.kernels import CUBE

        return np.array([CUBE, self.size, 1, self.n, 0])

    @property
    def counter_shape(self) -> tuple[int, int]:
        """(n, 2^n): row i holds the channels of dimension i, by the node they leave."""
        return self.n, self.size

    def row_dimension(self, row: int) -> int:
        """Return the dimension of a row of counters: the row itself."""
        return row

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """Return (dimension, u) for the channel from u to v.

        Raises:
            NetworkError: u and v are not nodes that differ in one bit.

        >>> Hypercube(3).counter(1, 5)
        (2, 1)
        """
        u, v = self._ends((u, v))
        if not (0 <= u < self.size and 0 <= v < self.size and (u ^ v).bit_count() == 1):
            raise self._no_channel((u, v))
        return (u ^ v).bit_length() - 1, u

    def _made_from(self) -> tuple[Callable[..., Network], tuple[Any, ...]]:
        return cube_of, (self.size,)

    def channel(self, row: int, column: int) -> Channel:
        """Return the channel of dimension `row` that leaves node `column`.

        Raises:
            NetworkError: no such dimension or node.

        >>> Hypercube(2).channel(1, 0)
        (0, 2)
        """
        row = checked_index("row", row, self._bits, NetworkError)
        column = checked_index("column", column, 1 << self._bits, NetworkError)
        return column, column ^ 1 << row

    def _count(
        self, dimension: int, x: Words, y: Words, weights: Weights, descending: bool, counts: Array
    ) -> None:
        from lccmodel.network.kernels import bit_loads, weighted_bit_loads

        done = _done_mask(dimension, self.n, descending)
        if weights is None:
            bit_loads(x, y, dimension, done, counts[dimension])
        else:
            weighted_bit_loads(x, y, weights, dimension, done, counts[dimension])

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        done = _done_mask(row, self.n, descending)
        changes = x ^ y
        used: npt.NDArray[np.bool_] = (x ^ (changes & done) == column) & (changes >> row & 1 == 1)
        return used


def cube_of(nodes: int) -> Hypercube:
    """The hypercube of 2^n nodes for n >= 0: a single node is a hypercube without channels.

    >>> cube_of(8), cube_of(1).n_channels
    (Hypercube(3), 0)
    """
    if nodes > 1:
        return Hypercube(nodes.bit_length() - 1)
    alone = object.__new__(Hypercube)
    object.__setattr__(alone, "_bits", 0)
    return alone


def _done_mask(bit: int, n: int, descending: bool) -> int:
    """The bits that are corrected before `bit`: those below it, or above it when descending.

    >>> bin(_done_mask(2, 5, descending=False)), bin(_done_mask(2, 5, descending=True))
    ('0b11', '0b11000')
    """
    return (1 << n) - (2 << bit) if descending else (1 << bit) - 1


def checked_dimension(n: Any) -> int:
    """n as an int.

    Raises:
        NetworkError: n is not an integer, or below 1.
        SizeLimitError: n > 64.
    """
    try:
        number = operator.index(n)
    except TypeError:
        raise NetworkError("n", "must be an integer, at least 1", n) from None
    if number < 1:
        raise NetworkError("n", "must be at least 1", number)
    if number > MAX_DIMENSION:
        rule = f"must be at most {MAX_DIMENSION}: a node number has to fit one machine word"
        raise SizeLimitError("n", rule, number)
    return number
