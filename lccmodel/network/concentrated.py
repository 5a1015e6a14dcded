"""Several nodes to a router, on any direct network: "torus:8x8*4"; the Origin [hou, section 7].

Node x sits at router x // k, which is node x // k of the network below, and that carries everything
between routers; messages between nodes of one router use no channel. In the correction lattice the
low address bits that pick a node at its router are internal. In the graph, router r is the integer
`size` + r:

    0 --port--> router 0 --axis 0--> router 1 --port--> 7          mesh:2*4, from node 0 to node 7

On the Origin 2000, the bristled hypercube with k = 2, bit 0 is counted as a dimension of its own,
which has no channel: the routers are joined as a hypercube of n - 1 dimensions, numbered 1..n-1.

    0 --port--> router 00 --dimension 1--> router 01 --dimension 2--> router 11 --port--> 7
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, LongWords, Weights, Words
from lccmodel.network.base import MAX_DIMENSION, Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.hypercube import BitAddressed, Hypercube, checked_dimension, cube_of
from lccmodel.network.loads import Cables, Channel
from lccmodel.network.mesh import Mesh


class SharedRouters(Network):
    """A network whose routers hold several nodes each."""

    __slots__ = ("network", "per_node")

    network: Network
    """The network of the routers."""
    per_node: int
    """How many nodes share a router."""

    _internal: ClassVar[int] = 0
    """Dimensions inside the routers, before those of `network`."""

    @property
    def size(self) -> int:
        """Number of nodes: `per_node` for every router."""
        return self.network.size * self.per_node

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

    @property
    def geometry(self) -> Geometry:
        """That of the network of routers, with several nodes at each."""
        below = self.network.geometry
        return replace(below, per_router=self.per_node, first=self._internal)

    def _cables(self) -> Cables:
        tail, head, counter, cable = self.network._cables()
        return tail, head, counter + self._internal * self.counter_shape[1], cable

    # -- nodes ----------------------------------------------------------------------------

    def router(self, node: int) -> int:
        """The router of a node, as numbered in the graph.

        Raises:
            NodeError: not a node.
        """
        return self.size + self._node(node) // self.per_node

    def neighbours(self, node: int) -> list[int]:
        """The router of a node; or the nodes of a router, then its neighbour routers.

        Raises:
            NodeError: neither a node nor a router.

        >>> from lccmodel.network import BristledHypercube
        >>> BristledHypercube(3).neighbours(0), BristledHypercube(3).neighbours(8)
        ([8], [0, 1, 9, 10])
        """
        number = self._vertex(node, self.size + self.routers - 1, "node or router")
        if number < self.size:
            return [self.router(number)]
        router = number - self.size
        own = range(router * self.per_node, (router + 1) * self.per_node)
        return [*own, *(self.size + other for other in self.network.neighbours(router))]

    # -- paths ----------------------------------------------------------------------------

    def distance(self, x: int, y: int) -> int:
        """The number of channels between the routers of x and y; 0 at the same router.

        Raises:
            NodeError: x or y is not a node.
        """
        ends = (self._node(x, "x") // self.per_node, self._node(y, "y") // self.per_node)
        return self.network.distance(*ends)

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        if x == y:
            return
        source, goal = x // self.per_node, y // self.per_node
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
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`."""
        form = self.network._kernel_form
        form[2] = self.per_node
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

    def row_name(self, row: int) -> str:
        """As in the network of routers; a dimension is shown with its number here."""
        if row < self._internal or self._internal:
            return str(self.row_dimension(row))
        return self.network.row_name(row)

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
        k, of = np.uint64(self.per_node), row - self._internal
        return self.network._uses(of, column, x // k, y // k, descending)


@typed_arguments
class Concentrated(SharedRouters):
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

    __slots__ = ()

    kind = "concentrated"

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
        stated = getattr(network, "_stated_hosts", None)
        object.__setattr__(self, "network", network._with_hosts(None))
        object.__setattr__(self, "per_node", count)
        if stated is not None:  # hosts are nodes, not routers
            object.__setattr__(self, "_stated_hosts", stated)

    @property
    def argument(self) -> tuple[Network, int]:
        """The network of the routers, and nodes a router."""
        return self.network, self.per_node

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.argument

    def _shown(self) -> str:
        return f"Concentrated({self.network!r}, {self.per_node})"

    @property
    def spec(self) -> str:
        """Such as "torus:8x8*4"."""
        word, comma, options = self.network.spec.partition(",")
        return f"{word}*{self.per_node}{comma}{options}{self._hosts_option}"

    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the place at its router, and then the coordinates of the router.

        Raises:
            NodeError: not a node.
        """
        router, place = divmod(self._node(node), self.per_node)
        return place, *self.network.coordinates(router)

    def node(self, coordinates: Any) -> int:
        """Return the node with the given place and coordinates.

        Raises:
            NodeError: none has them.
        """
        place, *rest = checked_integers("coordinates", coordinates, NodeError) or (-1,)
        if not 0 <= place < self.per_node:
            rule = f"must be a place at a router, 0..{self.per_node - 1}"
            raise NodeError("coordinates[0]", rule, place)
        return self.network.node(rest) * self.per_node + place


@typed_arguments
class BristledHypercube(BitAddressed, SharedRouters):
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

    __slots__ = ()

    kind = "origin"
    _internal = 1

    def __init__(self, n: int) -> None:
        object.__setattr__(self, "network", cube_of(1 << checked_dimension(n) - 1))
        object.__setattr__(self, "per_node", 2)

    @property
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        """See `network.routes`: dimension i of the routers has the counters of row i + 1."""
        form = super()._kernel_form
        form[4] = self._internal
        return form
