"""Routing that a network states itself: by its table of routes, or by the digits of a fat tree.

What the way follows from is more than the router a header is bound for; `tag` gives it, and `to`
holds both (see `routing_table`):

    a table of routes    the destination; where every route is listed, the source, too
    a fat tree           a name, the destination's or the source's, for the way up: hosts of one
                         leaf switch are reached by different ways
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lccmodel.network import FatTree, RouteTable
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError


@dataclass(frozen=True)
class ByTable:
    """The routes of the network itself.

    Attributes:
        nodes: how many there are, where every route is listed; else 0.

    >>> from lccmodel.network import RouteTable
    >>> import networkx as nx
    >>> fabric = Fabric(RouteTable.from_graph(nx.path_graph(3)))
    >>> ByTable().outputs(fabric, 1, 2 + 3 * 2, -1)
    [2]
    """

    nodes: int = 0

    name: ClassVar[str] = "table"
    about: ClassVar[str] = "the routes of the network's own table"
    virtual_channels: ClassVar[int] = 1
    provenance: ClassVar[Provenance] = "user"

    def check(self, fabric: Fabric) -> None:
        """Networks whose routes are a table."""
        if not isinstance(fabric.wires, RouteTable):
            rule = "is for networks with a table of routes, such as dragonfly:2,4,2 or graph:FILE"
            raise RoutingError("routing", f"{self.name} {rule}", fabric.network.spec)

    def tag(self, x: int, y: int) -> int:
        """What the route follows from: the destination, or both nodes as one number."""
        return x * self.nodes + y

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel of the route."""
        table = fabric.wires
        assert isinstance(table, RouteTable)
        y = to // fabric.routers
        if self.nodes:
            x, y = divmod(y, self.nodes)
            link = next(one for one in table.route(x, y) if int(table.links[one, 0]) == at)
        else:
            link = table.next_link(at, y)
        number = int(np.searchsorted(fabric.counter, table.counters[link]))
        return [number * fabric.virtual_channels]


@dataclass(frozen=True)
class _TreeRouting:
    name: ClassVar[str]
    about: ClassVar[str]
    virtual_channels: ClassVar[int] = 1
    provenance: ClassVar[Provenance] = "published"
    by_source: ClassVar[bool]

    def check(self, fabric: Fabric) -> None:
        """Fat trees that are routed by this name."""
        network = fabric.wires
        if not isinstance(network, FatTree) or network.routing != self.name:
            rule = f"{self.name} is for fat trees that state it, as fattree:4^3,routing={self.name}"
            raise RoutingError("routing", rule, network.spec)

    def tag(self, x: int, y: int) -> int:
        """The name that the message from host x to host y is routed by."""
        return x if self.by_source else y

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel to the next switch of the path."""
        tree = fabric.wires
        assert isinstance(tree, FatTree)
        name, leaf = divmod(to, fabric.routers)
        following = tree.next_switch(at + tree.size, leaf * tree.per_node, name) - tree.size
        return [fabric.channel(at, following)]


class DModK(_TreeRouting):
    """Up by the digits of the destination; the way down is then the only one."""

    name = "d-mod-k"
    about = "up by the digits of the destination, then down"
    by_source = False


class SModK(_TreeRouting):
    """Up by the digits of the source; the way down is then the only one."""

    name = "s-mod-k"
    about = "up by the digits of the source, then down"
    by_source = True
