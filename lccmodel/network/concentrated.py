"""Several nodes to a router, on any direct network: "torus:8x8*4".

Node x sits at router x // k, which is node x // k of the network below; messages between nodes of
one router use no channel. In the correction lattice the low bits that pick a node at its router
are internal, as bit 0 is on the bristled hypercube. In the graph, router r is the integer
`size` + r:

    0 --port--> router 0 --axis 0--> router 1 --port--> 7          mesh:2*4, from node 0 to node 7
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_integers
from lccmodel.network.base import MAX_DIMENSION, Channel, Network
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.mesh import Mesh

__all__ = ["Concentrated"]


@typed_arguments
class Concentrated(Network):
    """A network with several nodes (places for ranks) at every router.

    Args:
        network: a `Hypercube`, `Mesh` or `Torus`, whose nodes become routers.
        per_node: how many nodes each of them holds, at least 1.

    Raises:
        NetworkError: another network, or `per_node` below 1.
        SizeLimitError: more than 2^64 nodes.

    >>> four = Concentrated(Mesh((2,)), per_node=4)
    >>> four.spec, four.size, four.path(0, 7), four.channels(0, 7), four.distance(0, 3)
    ('mesh:2*4', 8, [0, 8, 9, 7], [(8, 9)], 0)
    """

    __slots__ = ("_per_node", "network")

    kind = "concentrated"
    network: Network
    """The network of the routers."""
    _per_node: int

    def __init__(self, network: Network, per_node: int) -> None:
        if not isinstance(network, (Hypercube, Mesh)):
            rule = "must be a Hypercube, Mesh or Torus, to hold several nodes at each of its own"
            raise NetworkError("network", rule, network)
        try:
            count = operator.index(per_node)
        except TypeError:
            raise NetworkError("per_node", "must be an integer, at least 1", per_node) from None
        if count < 1:
            raise NetworkError("per_node", "must be at least 1", count)
        if network.size * count > 1 << MAX_DIMENSION:
            rule = f"there may be at most 2^{MAX_DIMENSION} nodes"
            raise SizeLimitError("per_node", rule, count)
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "_per_node", count)

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
    def argument(self) -> tuple[Network, int]:
        """The network of the routers, and nodes a router."""
        return self.network, self._per_node

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.argument

    def __repr__(self) -> str:
        return f"Concentrated({self.network!r}, {self._per_node})"

    @property
    def spec(self) -> str:
        """Such as "torus:8x8*4"."""
        word, comma, options = self.network.spec.partition(",")
        return f"{word}*{self._per_node}{comma}{options}"

    @property
    def dimensions(self) -> int:
        """Number of dimensions or axes of the network of routers."""
        return self.network.dimensions

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
        """Those of the network of routers."""
        return self.network.bandwidths

    # -- nodes ----------------------------------------------------------------------------

    def router(self, node: int) -> int:
        """The router of a node, as numbered in the graph.

        Raises:
            NodeError: not a node.
        """
        return self.size + self._node(node) // self._per_node

    def coordinates(self, node: int) -> tuple[int, ...]:
        """The place at its router, and then the coordinates of the router.

        Raises:
            NodeError: not a node.
        """
        router, place = divmod(self._node(node), self._per_node)
        return place, *self.network.coordinates(router)

    def node(self, coordinates: Any) -> int:
        """The node with the given place and coordinates.

        Raises:
            NodeError: none has them.
        """
        place, *rest = checked_integers("coordinates", coordinates, NodeError) or (-1,)
        if not 0 <= place < self._per_node:
            rule = f"must be a place at a router, 0..{self._per_node - 1}"
            raise NodeError("coordinates[0]", rule, place)
        return self.network.node(rest) * self._per_node + place

    def neighbours(self, node: int) -> list[int]:
        """The router of a node; or the nodes of a router, then its neighbour routers.

        Raises:
            NodeError: neither a node nor a router.
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

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """The directed channels between routers on `path(x, y)`; ports are left out.

        Raises:
            NodeError: x or y is not a node.
        """
        return list(pairwise(self.path(x, y, descending=descending)[1:-1]))

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
        for x in range(self.size):
            yield x, self.router(x), {"role": "port"}
            yield self.router(x), x, {"role": "port"}
        for u, v, data in self.network._graph_edges():
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
        """That of the network of routers."""
        return self.network.counter_shape

    def row_dimension(self, row: int) -> int:
        """The dimension or axis of a row of counters."""
        return self.network.row_dimension(row)

    def counter(self, u: int, v: int) -> tuple[int, int]:
        """The counter of the channel from router u to router v, as numbered in the graph.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        u, v = self._ends((u, v))
        if min(u, v) < self.size:
            raise self._no_channel((u, v))
        try:
            return self.network.counter(u - self.size, v - self.size)
        except NetworkError:
            raise self._no_channel((u, v)) from None

    def channel(self, row: int, column: int) -> Channel:
        """The channel that a counter belongs to.

        Raises:
            NetworkError: none, at the border of a mesh.
        """
        u, v = self.network.channel(row, column)
        return self.size + u, self.size + v

    def _count(
        self,
        dimension: int,
        sources: npt.NDArray[np.uint32],
        destinations: npt.NDArray[np.uint32],
        weights: npt.NDArray[np.int64] | None,
        descending: bool,
        counts: npt.NDArray[Any],
    ) -> None:
        self.network._count(dimension, sources, destinations, weights, descending, counts)

    def _uses(
        self,
        row: int,
        column: int,
        x: npt.NDArray[np.uint64],
        y: npt.NDArray[np.uint64],
        descending: bool,
    ) -> npt.NDArray[np.bool_]:
        shared = np.uint64(self._per_node)
        return self.network._uses(row, column, x // shared, y // shared, descending)
