"""Networks where several nodes share a router: what `Concentrated` and the Origin have in common.

Node x is at router x div k of a direct network, which carries everything between routers; in the
graph, router r is the integer `size` + r. The low address bits that pick a node at its router are
internal to it. Where they are counted as dimensions of their own, as on the Origin, those
dimensions have no channel, and the dimensions of the routers' network come after them.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Array, Flags, LongWords, Weights, Words
from lccmodel.errors import NetworkError, NodeError
from lccmodel.network.base import Network
from lccmodel.network.loads import Channel


class SharedRouters(Network):
    """A network whose routers hold several nodes each."""

    __slots__ = ("_per_node", "network")

    network: Network
    """The network of the routers."""
    _per_node: int

    _internal: ClassVar[int] = 0
    """Dimensions inside the routers, before those of `network`."""

    @property
    def size(self) -> int:
        """Number of nodes: `per_node` for every router."""
        return self.network.size * self._per_node

    @property
    def per_node(self) -> int:
        """How many nodes share a router."""
        return self._per_node

    @property
    def first_router(self) -> int:
        """The number of router 0 in the graph: `size`."""
        return self.size

    @property
    def dimensions(self) -> int:
        """Dimensions or axes: those inside the routers, and those of the network of routers."""
        return self._internal + self.network.dimensions

    @property
    def n_channels(self) -> int:
        """Number of directed channels between routers."""
        return self.network.n_channels

    @property
    def diameter(self) -> int:
        """Largest distance between two routers."""
        return self.network.diameter

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """Those of the network of routers; 1 inside a router."""
        return (Fraction(1),) * self._internal + self.network.bandwidths

    # -- nodes ----------------------------------------------------------------------------

    def router(self, node: int) -> int:
        """The router of a node, as numbered in the graph.

        Raises:
            NodeError: not a node.
        """
        return self.size + self._node(node) // self._per_node

    def neighbours(self, node: int) -> list[int]:
        """The router of a node; or the nodes of a router, then its neighbour routers.

        Raises:
            NodeError: neither a node nor a router.

        >>> from lccmodel.network import BristledHypercube
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
        own = range(router * self._per_node, (router + 1) * self._per_node)
        return [*own, *(self.size + other for other in self.network.neighbours(router))]

    # -- paths ----------------------------------------------------------------------------

    def distance(self, x: int, y: int) -> int:
        """The number of channels between the routers of x and y; 0 at the same router.

        Raises:
            NodeError: x or y is not a node.
        """
        ends = (self._node(x, "x") // self._per_node, self._node(y, "y") // self._per_node)
        return self.network.distance(*ends)

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        if x == y:
            return
        source, goal = x // self._per_node, y // self._per_node
        yield self.size + source
        for router in self.network._hops(source, goal, descending):
            yield self.size + router
        yield y

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for x in range(self.size):
            yield x, {"role": "node"}
        for router, data in self.network._graph_nodes():
            yield self.size + router, {**data, "role": "router"}

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        port = {"dimension": 0, "role": "port"} if self._internal else {"role": "port"}
        for x in range(self.size):
            yield x, self.router(x), dict(port)
            yield self.router(x), x, dict(port)
        for u, v, data in self.network._graph_edges():
            if self._internal:
                data = {**data, "dimension": data["dimension"] + self._internal}
            yield self.size + u, self.size + v, {**data, "role": "channel"}

    # -- loads ----------------------------------------------------------------------------

    @property
    def form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`."""
        form = self.network.form
        form[2] = self._per_node
        return form

    @property
    def counter_shape(self) -> tuple[int, int]:
        """That of the network of routers, after a row of zeros for a dimension inside them."""
        rows, columns = self.network.counter_shape
        return self._internal + rows, columns

    def row_dimension(self, row: int) -> int:
        """The dimension or axis of a row of counters."""
        if row < self._internal:
            return row
        return self._internal + self.network.row_dimension(row - self._internal)

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """The counter of the channel from router u to router v, as numbered in the graph.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        u, v = self._ends((u, v))
        if min(u, v) < self.size:
            raise self._no_channel((u, v))
        try:
            row, column = self.network.counter(u - self.size, v - self.size)
        except NetworkError:
            raise self._no_channel((u, v)) from None
        return self._internal + row, column

    def channel(self, row: int, column: int) -> Channel:
        """The channel that a counter belongs to.

        Raises:
            NetworkError: none, at the border of a mesh or inside a router.
        """
        if row < self._internal:
            raise self._no_channel(f"dimension {row}")
        u, v = self.network.channel(row - self._internal, column)
        return self.size + u, self.size + v

    def _count(
        self, dimension: int, x: Words, y: Words, weights: Weights, descending: bool, counts: Array
    ) -> None:
        if dimension >= self._internal:
            of, rows = dimension - self._internal, counts[self._internal :]
            self.network._count(of, x, y, weights, descending, rows)

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        k, of = np.uint64(self._per_node), row - self._internal
        return self.network._uses(of, column, x // k, y // k, descending)
