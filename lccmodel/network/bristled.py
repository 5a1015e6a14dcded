"""The bristled hypercube of the Origin 2000: two nodes to a router [hou, section 7].

Node x sits at router x >> 1. Bit 0 picks the node at the router; bits 1..n-1 are the address of
the router, and the routers are joined as a hypercube of n - 1 dimensions, numbered 1..n-1. In
the graph, router r is the integer 2^n + r. For n = 3, from node 000 to node 111:

    0 --port--> router 00 --dimension 1--> router 01 --dimension 2--> router 11 --port--> 7
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.errors import NodeError
from lccmodel.network.base import Channel, Network, checked_dimension
from lccmodel.network.hypercube import bits_to_node, done_mask, node_to_bits

__all__ = ["BristledHypercube"]


@typed_arguments
class BristledHypercube(Network):
    """The bristled hypercube of 2^n nodes and 2^(n-1) routers.

    Args:
        n: number of address bits, 1 <= n <= 64. Explicit graphs go up to n = 18, exact loads
            up to n = 25.

    Raises:
        NetworkError: n is not an integer, or below 1.
        SizeLimitError: n > 64.

    >>> origin = BristledHypercube(3)
    >>> origin.path(0, 7), origin.channels(0, 7), origin.distance(0, 7)
    ([0, 8, 9, 11, 7], [(8, 9), (9, 11)], 2)
    >>> origin.graph().edges[9, 11]
    {'dimension': 2, 'role': 'channel'}
    """

    __slots__ = ("_bits",)

    _bits: int

    kind = "origin"

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "_bits", checked_dimension(n))

    @property
    def size(self) -> int:
        """Number of nodes, 2^n."""
        return 1 << self._bits

    @property
    def argument(self) -> int:
        """n."""
        return self._bits

    @property
    def spec(self) -> str:
        """Such as "origin:5"."""
        return f"{self.kind}:{self.n}"

    @property
    def dimensions(self) -> int:
        """Number of dimensions, n; dimension 0 lies inside the routers and has no channel."""
        return self.n

    @property
    def per_node(self) -> int:
        """Nodes at a router: 2."""
        return 2

    @property
    def first_router(self) -> int:
        """The number of router 0 in the graph: 2^n."""
        return self.size

    @property
    def n_channels(self) -> int:
        """Number of directed channels between routers, (n - 1) 2^(n-1)."""
        return (self.n - 1) * self.routers

    @property
    def diameter(self) -> int:
        """Largest distance between the routers of two nodes, n - 1."""
        return self.n - 1

    def router(self, node: int) -> int:
        """The router of a node, as numbered in the graph: 2^n + (node >> 1).

        Raises:
            NodeError: not a node.
        """
        return self.size + (self._node(node) >> 1)

    def coordinates(self, node: int) -> tuple[int, ...]:
        """The bits (x_0, ..., x_(n-1)) of a node; x_0 picks the node at the router.

        Raises:
            NodeError: not a node.
        """
        return node_to_bits(self._node(node), self.n)

    def node(self, coordinates: Any) -> int:
        """The node with bits (x_0, ..., x_(n-1)).

        Raises:
            NodeError: not n bits.
        """
        return bits_to_node(coordinates, self.n)

    def neighbours(self, node: int) -> list[int]:
        """The router of a node; or the two nodes of a router, then its neighbour routers.

        Raises:
            NodeError: neither a node nor a router.

        >>> BristledHypercube(3).neighbours(0), BristledHypercube(3).neighbours(8)
        ([8], [0, 1, 9, 10])
        """
        try:
            number = operator.index(node)
        except TypeError:
            raise NodeError("node", "must be an integer", node) from None
        if 0 <= number < self.size:
            return [self.router(number)]
        router = number - self.size
        if not 0 <= router < self.routers:
            last = self.size + self.routers - 1
            rule = f"must be a node or router of {self.spec}, 0..{last}"
            raise NodeError("node", rule, number)
        others = [self.size + (router ^ 1 << i) for i in range(self.n - 1)]
        return [2 * router, 2 * router + 1, *others]

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """The directed channels between routers on `path(x, y)`; ports are left out.

        Raises:
            NodeError: x or y is not a node.
        """
        routers = self.path(x, y, descending=descending)[1:-1]
        return list(pairwise(routers))

    def distance(self, x: int, y: int) -> int:
        """The number of channels between the routers of x and y; 0 at the same router.

        Raises:
            NodeError: x or y is not a node.
        """
        return ((self._node(x, "x") ^ self._node(y, "y")) >> 1).bit_count()

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        if x == y:
            return
        router = self.size + (x >> 1)
        yield router
        for i in self._order(descending):
            if i and (x ^ y) >> i & 1:
                router ^= 1 << i - 1
                yield router
        yield y

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for x in range(self.size):
            yield x, {"role": "node"}
        for router in range(self.routers):
            yield self.size + router, {"role": "router"}

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        for x in range(self.size):
            yield x, self.size + (x >> 1), {"dimension": 0, "role": "port"}
            yield self.size + (x >> 1), x, {"dimension": 0, "role": "port"}
        for router in range(self.routers):
            for i in range(1, self.n):
                other = self.size + (router ^ 1 << i - 1)
                yield self.size + router, other, {"dimension": i, "role": "channel"}

    # -- loads ----------------------------------------------------------------------------

    @property
    def form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`: dimension i of the routers has the counters of row i + 1."""
        from lccmodel.network.kernels import CUBE

        return np.array([CUBE, self.routers, 2, self.n - 1, 1])

    @property
    def counter_shape(self) -> tuple[int, int]:
        """(n, 2^(n-1)): row i holds dimension i, by the router r = 0..2^(n-1) - 1 that is left.

        Row 0 is zero: dimension 0 has no channels.
        """
        return self.n, self.routers

    def row_dimension(self, row: int) -> int:
        """The dimension of a row of counters: the row itself."""
        return row

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """(dimension, router) for the channel from u to v, routers as numbered in the graph.

        Raises:
            NetworkError: u and v are not routers that differ in one bit.

        >>> BristledHypercube(3).counter(9, 11)
        (2, 1)
        """
        u, v = self._ends((u, v))
        tail, head = u - self.size, v - self.size
        inside = 0 <= tail < self.routers and 0 <= head < self.routers
        if not (inside and (tail ^ head).bit_count() == 1):
            raise self._no_channel((u, v))
        return (tail ^ head).bit_length(), tail

    def channel(self, row: int, column: int) -> Channel:
        """The channel of dimension `row` that leaves router `column`.

        Raises:
            NetworkError: row 0, which has no channels.
        """
        if row == 0:
            raise self._no_channel("dimension 0")
        return self.size + column, self.size + (column ^ 1 << row - 1)

    def _count(
        self,
        dimension: int,
        sources: npt.NDArray[np.uint32],
        destinations: npt.NDArray[np.uint32],
        weights: npt.NDArray[np.int64] | None,
        descending: bool,
        counts: npt.NDArray[Any],
    ) -> None:
        from lccmodel.network.kernels import bit_loads, weighted_bit_loads

        if dimension == 0:
            return
        row = counts[dimension]
        bit, done = dimension - 1, done_mask(dimension - 1, self.n - 1, descending)
        if weights is None:
            bit_loads(sources, destinations, bit, done, row)
        else:
            weighted_bit_loads(sources, destinations, weights, bit, done, row)

    def _uses(
        self,
        row: int,
        column: int,
        x: npt.NDArray[np.uint64],
        y: npt.NDArray[np.uint64],
        descending: bool,
    ) -> npt.NDArray[np.bool_]:
        done = done_mask(row - 1, self.n - 1, descending)
        routers, changes = x >> 1, (x ^ y) >> 1
        used: npt.NDArray[np.bool_] = routers ^ (changes & done) == column
        used &= changes >> (row - 1) & 1 == 1
        return used
