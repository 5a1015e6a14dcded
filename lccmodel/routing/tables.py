"""Routing by the table of a network whose routes are written out (`network.table`).

The way depends on the node a message is bound for, where every route is listed on its source, too:
`tag` is that, beside the router (see `routing_table`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lccmodel.network import RouteTable
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
