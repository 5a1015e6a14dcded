"""The plainest network of a geometry: two descriptions of one network lead to the same.

    torus:2x1x2              cube:2          rings of two are lines, sides of 1 are dropped
    cube:3*2, origin:4       origin:4
    mesh:4x4,nodes=0-15      mesh:4x4        a job of all nodes in order
    hyperx:2x2               cube:2          a table whose links and routes are those of a grid
    a class of your own      its routes, listed in a table

Node numbers are the same in both, and so is the channel after every router of every route. The
plain network may count its channels in other rows: a mesh has a row for each direction, a cube one
for both.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lccmodel.ground.arguments import typed_arguments
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.concentrated import BristledHypercube, Concentrated
from lccmodel.network.fattree import FatTree
from lccmodel.network.geometry import Geometry
from lccmodel.network.graphs import Cabling
from lccmodel.network.hypercube import cube_of
from lccmodel.network.listed import listed_routes
from lccmodel.network.mesh import Mesh, Torus
from lccmodel.network.table import RouteTable, wired


@typed_arguments
def plain_network(network: Network) -> Network:
    """Return the plainest network with the same nodes and routes, or the network itself.

    Raises:
        SizeLimitError: another network than the library's has more than 2^20 pairs of nodes.

    >>> from lccmodel.network import as_network
    >>> [plain_network(as_network(word)) for word in ("torus:2x1x2", "mesh:4x1x4,nodes=0-15")]
    [Hypercube(2), Mesh((4, 4))]
    """
    if (stated := getattr(network.whole_network, "_stated_hosts", None)) is not None:
        plain = plain_network(network._with_hosts(None))._with_hosts(stated)
        return network if plain == network else plain
    whole = network.whole_network
    if whole is not network:
        plain = plain_network(whole)
        nodes = network.in_whole(np.arange(network.size))
        if network.size == whole.size and bool((np.diff(nodes) == 1).all()):
            return plain
        return network if plain is whole else Allocation(plain, nodes, network.names or None)
    geometry = network.geometry
    if not (geometry.is_grid or geometry.tree):
        return network if network.is_table else table_of_routes(network)
    plain = network_of(geometry.canonical())
    return network if plain == network else plain


def network_of(geometry: Geometry) -> Network:
    """Return the network of a geometry with axes or a tree.

    >>> from lccmodel.network.geometry import Axis
    >>> network_of(Geometry((Axis(2), Axis(2)), per_router=4))
    Concentrated(Hypercube(2), 4)
    """
    if tree := geometry.tree:
        return FatTree(tree.down, tree.up, tree.routing)
    sides, widths, per = geometry.sides, geometry.bandwidths, geometry.per_router
    grid: Network
    if geometry.is_cube:
        dimensions = sum(side > 1 for side in sides)
        if per == 2:
            return BristledHypercube(dimensions + 1)
        grid = cube_of(1 << dimensions)
    elif any(geometry.rings):
        around = [ring or side < 3 for ring, side in zip(geometry.rings, sides, strict=True)]
        grid = Torus(sides, widths, around, geometry.ties)
    else:
        grid = Mesh(sides, widths)
    return Concentrated(grid, per) if per > 1 else grid


@lru_cache(8)
def table_of_routes(network: Network) -> RouteTable:
    """Any network as a table: its channels, and the routes that it walks.

    Raises:
        SizeLimitError, NetworkError: see `network.listed`.
    """
    wiring = network.wiring
    cabling = Cabling(
        links=np.stack([wiring.tail, wiring.head], axis=1),
        hosts=network.at_router(np.arange(network.size)),
        routers=network.routers,
        bandwidth=wiring.bandwidth.tolist(),
        dimension=wiring.dimension.tolist(),
        names=tuple(network.names) or None,
    )
    return wired(cabling, listed_routes(network), network.spec)
