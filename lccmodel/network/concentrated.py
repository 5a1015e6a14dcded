"""Several nodes to a router, on any direct network: "torus:8x8*4".

Node x sits at router x // k, which is node x // k of the network below; messages between nodes of
one router use no channel. In the correction lattice the low bits that pick a node at its router
are internal, as bit 0 is on the bristled hypercube. In the graph, router r is the integer
`size` + r:

    0 --port--> router 0 --axis 0--> router 1 --port--> 7          mesh:2*4, from node 0 to node 7
"""

from __future__ import annotations

import operator
from typing import Any

from lccmodel._arguments import typed_arguments
from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_integers
from lccmodel.network.base import MAX_DIMENSION, Network
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.mesh import Mesh
from lccmodel.network.shared_routers import SharedRouters


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
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "_per_node", count)

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
