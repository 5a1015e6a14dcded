"""Algorithm HL: self-routing in hypercubes and meshes [boppana].

self_route(c)                     every step of one permutation, as a `SelfRouting`
route_all(permutations)           how the routing of many ends
routed.on_mesh("one")             unit steps on a mesh or torus
network_of(routed)                the network of switches that it uses
circuits(routed)                  whether the paths can be held at the same time
"""

from lccmodel.methods.self_routing.counts import (
    RoutedCount,
    all_permutations,
    count_routed,
    linear_complement_permutations,
    route_all,
    routed_counts,
)
from lccmodel.methods.self_routing.networks import Circuits, circuits, network_of
from lccmodel.methods.self_routing.readings import ENDINGS, MODES, READINGS, Rules
from lccmodel.methods.self_routing.route import (
    MAX_TRACED,
    Failure,
    RoutingRow,
    SelfRouting,
    self_route,
)

__all__ = [
    "ENDINGS",
    "MAX_TRACED",
    "MODES",
    "READINGS",
    "Circuits",
    "Failure",
    "RoutedCount",
    "RoutingRow",
    "Rules",
    "SelfRouting",
    "all_permutations",
    "circuits",
    "count_routed",
    "linear_complement_permutations",
    "network_of",
    "route_all",
    "routed_counts",
    "self_route",
]
