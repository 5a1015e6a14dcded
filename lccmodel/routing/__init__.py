"""Routing functions: which channels a header may take next, and whether messages can deadlock."""

from lccmodel.routing.cubes import TurnRouting
from lccmodel.routing.dependency import DeadlockVerdict, deadlock_free, dependency_graph
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import ManyChannels, RoutingError, RoutingFunction, UserRouting
from lccmodel.routing.names import find_routing, routings
from lccmodel.routing.table import RoutingTable, routing_table

__all__ = [
    "DeadlockVerdict",
    "Fabric",
    "ManyChannels",
    "RoutingError",
    "RoutingFunction",
    "RoutingTable",
    "TurnRouting",
    "UserRouting",
    "deadlock_free",
    "dependency_graph",
    "find_routing",
    "routing_table",
    "routings",
]
