"""What a search knows of a network's routes, against the lengths of all routes."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.methods.placement.exact import settle
from lccmodel.methods.placement.problem import demand_of
from lccmodel.methods.placement.routes import Routes
from lccmodel.network import parse_network

NETWORKS = (
    "torus:5x4",
    "mesh:4x3*2",
    "torus:3x2x2",
    "cube:3",
    "fattree:2x3/2",
    "mesh:3x4,nodes=0-8",
)


@pytest.mark.parametrize("word", NETWORKS)
def test_lengths_from_a_router_and_the_middle(word: str) -> None:
    network = parse_network(word)
    routes = Routes.of(network)
    lengths = np.array(
        [
            [network.distance(u * routes.ports, v * routes.ports) for v in range(routes.routers)]
            for u in range(routes.routers)
        ]
    )
    assert (routes.distance == lengths).all()
    for router in range(routes.routers):
        assert routes.distances_from(router).tolist() == lengths[router].tolist()
    if len(routes.axes):
        assert lengths[routes.centre].sum() == lengths.sum(axis=1).min()
        digits = product(*(range(1 if ring else -(-n // 2)) for _, n, ring in routes.axes[::-1]))
        strides = routes.axes[::-1, 0]
        assert routes.unlike.tolist() == sorted(int(np.dot(d, strides)) for d in digits)


def test_near_places_of_a_list_are_the_nearest_there_and_back() -> None:
    """Of equally near ones that which is numbered next, onwards and round."""
    routes = Routes.of(parse_network("mesh:3x4,nodes=0-8"))
    n = routes.places
    both = routes.distance + routes.distance.T
    for place in range(n):
        others = sorted(set(range(n)) - {place}, key=lambda v: (both[place, v], (v - place) % n))
        near = routes.ways.near[place].tolist()
        assert near == others[: len(near)]


def test_a_search_that_was_cut_is_not_complete() -> None:
    """At the limit nothing is proved; the same search to its end is, after as many as it says."""
    routes = Routes.of(parse_network("torus:3x2"))
    pairs = np.random.default_rng(2).integers(0, 6, (9, 2))
    demand = demand_of(Program.of(pairs), "joint", None, routes)
    whole = settle(demand, routes, np.arange(demand.ranks))
    assert whole.complete
    for limit in (1, whole.visited // 2, whole.visited - 1):
        cut = settle(demand, routes, np.arange(demand.ranks), limit=limit)
        assert (cut.complete, cut.visited) == (False, limit)
        assert cut.value >= whole.value
    slices: list[int] = []
    settle(demand, routes, np.arange(demand.ranks), between=lambda best: slices.append(len(best)))
    assert slices == [demand.ranks]
