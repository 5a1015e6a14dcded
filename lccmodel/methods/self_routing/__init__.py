"""Algorithm HL: self-routing in hypercubes and meshes [boppana].

self_route(c)                     every step of one permutation, as a `Trace`
route_all(permutations)           how the routing of many ends
simulate_hops(trace, "one")       unit steps on a mesh or torus
simulate_walk(walk, mesh, "one")  the same for a walk of any method
circuits(trace)                   whether the paths can be held at the same time
"""

from lccmodel.methods.self_routing.circuits import Circuits, Conflict, circuits
from lccmodel.methods.self_routing.counts import (
    RoutedCount,
    all_permutations,
    count_routed,
    linear_complement_permutations,
    route_all,
    routed_counts,
)
from lccmodel.methods.self_routing.mesh import (
    PORTS,
    MeshRun,
    all_port_steps,
    one_port_steps,
    simulate_hops,
    simulate_walk,
)
from lccmodel.methods.self_routing.readings import ENDINGS, MODES, READINGS, Rules
from lccmodel.methods.self_routing.route import MAX_TRACED, self_route
from lccmodel.methods.self_routing.trace import Failure, TableRow, Trace

__all__ = [
    "ENDINGS",
    "MAX_TRACED",
    "MODES",
    "PORTS",
    "READINGS",
    "Circuits",
    "Conflict",
    "Failure",
    "MeshRun",
    "RoutedCount",
    "Rules",
    "TableRow",
    "Trace",
    "all_permutations",
    "all_port_steps",
    "circuits",
    "count_routed",
    "linear_complement_permutations",
    "one_port_steps",
    "route_all",
    "routed_counts",
    "self_route",
    "simulate_hops",
    "simulate_walk",
]
