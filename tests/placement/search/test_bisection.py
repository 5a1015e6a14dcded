"""Cuts in halves: how networks fall apart, and what cuts make of chains and lists."""

from itertools import product

import networkx as nx
import numpy as np
import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.kernels.jit import in_python
from lccmodel.network import RouteTable, parse_network
from lccmodel.placement.search import bisection
from lccmodel.placement.search.bisection import by_cuts
from lccmodel.placement.search.clusters import by_two
from lccmodel.placement.search.routes import Routes
from tests.placement.search.brute_force import demand_on

# -- how a network falls apart --------------------------------------------------------------


def test_listed_places_are_cut_by_what_is_near():
    """Two ends of a line that lost its middle, listed in turn: each end is a half."""
    routes = Routes.of(parse_network("mesh:9,nodes=0:6:1:7:2:8"))
    halves = bisection._halves(routes)
    parts = [halves.routers[halves.begin[h] : halves.end[h]] for h in halves.first[0] + [0, 1]]
    assert sorted(sorted(part.tolist()) for part in parts) == [[0, 2, 4], [1, 3, 5]]


# -- cuts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ring", [0, 8])
def test_who_is_elsewhere_draws_to_the_nearer_half(ring):
    """By the lengths of the ways round, if it is a ring."""
    with in_python():
        for at, here, other in product(range(8), repeat=3):
            line = abs(at - here), abs(at - other)
            ways = [min((at - v) % 8, (v - at) % 8) for v in (here, other)] if ring else line
            assert bisection._farther(at, here, other, ring) == ways[0] - ways[1]


@pytest.mark.parametrize(("word", "least"), [
    ("mesh:16", 15), ("torus:16", 15), ("mesh:4*4", 3), ("mesh:4x4", 15), ("torus:2x4", 7),
    ("mesh:16x2", 31), ("mesh:2x2x2", 7), ("mesh:5", 4), ("mesh:3x2*2", 6), ("fattree:3x4", 3 * 2),
    ("fattree:4^2", 3 * 2), ("fattree:2^4", 4 * 2 + 2 * 4 + 6),
    ("fattree:2x3x2/2x1", 4 * 2 + 4),
])  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_a_scrambled_chain_is_unrolled(word, least, seed):
    """Every two neighbours as near as can be, where a chain fills all places."""
    places = parse_network(word).size
    chain = np.random.default_rng(seed).permutation(places)
    demand, routes = demand_on(word, np.stack([chain[:-1], chain[1:]], axis=1))
    placement = by_cuts(demand, routes)
    assert sorted(placement.tolist()) == list(range(places))
    at = placement[chain] // routes.ports
    assert routes.distance[at[:-1], at[1:]].sum() == least


@pytest.mark.parametrize("ranks", [1, 5, 11, 12])
def test_halves_hold_their_part_of_the_ranks(ranks):
    """As many as their places are of all, rounded down, as far as the other half holds the rest."""
    ring = [(x, (x + 1) % ranks) for x in range(ranks)]
    demand, routes = demand_on("mesh:3x2*2", Traffic(ring, ranks=ranks))
    placement = by_cuts(demand, routes)
    router_of, halves = placement // routes.ports, bisection._halves(routes)
    expected = {0: ranks}
    for k, one in enumerate(halves.first.tolist()):
        inside = halves.routers[halves.begin[k] : halves.end[k]]
        assert np.isin(router_of, inside).sum() == expected[k]
        if one >= 0:
            rooms = [2 * int(halves.end[h] - halves.begin[h]) for h in (one, one + 1)]
            count = expected[k] * rooms[0] // sum(rooms)
            count = min(rooms[0], max(count, expected[k] - rooms[1]))
            expected |= {one: count, one + 1: expected[k] - count}
    ports = [sorted((placement[router_of == r] % 2).tolist()) for r in range(routes.routers)]
    assert all(used == list(range(len(used))) for used in ports)


@pytest.mark.parametrize("seed", range(24))
def test_listed_places_are_halved_between_routers_if_that_is_nearly_the_middle(seed):
    """By how much farther they are from the farthest of the first than from the farthest of that.

    Those of one router side by side; cut where a router ends if that is off by an eighth at most.
    """
    rng = np.random.default_rng(seed)
    graph = nx.random_labeled_tree(5, seed=seed)
    for router, hosts in enumerate(rng.integers(1, 1 + (4, 9, 14)[seed % 3], 5)):
        graph.nodes[router]["hosts"] = int(hosts)
    routes = Routes.of(RouteTable.from_graph(graph, "shortest"))
    away = routes.distance.tolist()
    for k in range(7):
        places = rng.permutation(routes.places)[: int(rng.integers(1, routes.places + 1))]
        places = places if k else np.flatnonzero(routes.at == routes.at[0])
        order, half = by_two(routes, places)
        given = places.tolist()
        if len(given) <= 2:
            assert (order.tolist(), half) == (given, len(given) // 2)
            continue
        one = max(given, key=lambda p: away[given[0]][p])
        other = max(given, key=lambda p: away[one][p])
        lean = {p: away[one][p] - away[other][p] for p in given}
        expected = sorted(given, key=lambda p: (lean[p], routes.at[p]))
        assert order.tolist() == expected
        at = [int(routes.at[p]) for p in expected]
        ends = [k for k in range(1, len(at)) if at[k] != at[k - 1]]
        middle = len(given) // 2
        near = min(ends, key=lambda k: abs(k - middle), default=middle)
        assert half == (near if abs(near - middle) <= max(1, len(given) // 8) else middle)
