"""What a search knows of a network's routes, against the lengths of all routes."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import parse_network
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.placement.search import routes as routes_module
from lccmodel.placement.search.exact import settle
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least

NETWORKS = (
    "torus:5x4",
    "mesh:4x3*2",
    "torus:3x2x2",
    "cube:3",
    "fattree:2x3/2",
    "mesh:3x4,nodes=0-8",
)


@pytest.mark.parametrize("word", NETWORKS)
def test_lengths_from_a_router_and_the_middle(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where so many routers are not measured route by route."""
    network = parse_network(word)
    routes = Routes.of(network)
    lengths = np.array(
        [
            [network.distance(u * routes.ports, v * routes.ports) for v in range(routes.routers)]
            for u in range(routes.routers)
        ]
    )
    assert (routes.distance == lengths).all()
    for most in (routes_module.MOST_MEASURED, 3):
        monkeypatch.setattr(routes_module, "MOST_MEASURED", most)
        for router in range(routes.routers):
            away = routes.distances_from(router)
            assert (away.dtype, away.tolist()) == (np.int64, lengths[router].tolist())
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


@pytest.mark.parametrize(
    "word",
    ["dragonfly:2,2,1", "mesh:3x4*2,nodes=0-8:20", "fattree:2x3x2/2x1,nodes=1-9", "hyperx:4x2",
     "dragonfly:2,3,1,nodes=0-7"],
)  # fmt: skip
def test_listed_channels_join_the_routers_of_a_route(word: str) -> None:
    """From the router of the one place to that of the other, each where the last one ended."""
    network = parse_network(word)
    routes = Routes.of(network)
    room, none = np.empty(routes.longest + 1, np.int64), np.empty(0, np.int64)
    longest = 0
    for x, y in product(range(routes.places), repeat=2):
        hops = write_route(routes.form, x, y, PLUS, room, none)
        assert hops == network.distance(x, y)
        ends = routes.joins[:, room[:hops]]
        assert [routes.at[x], *ends[1]] == [*ends[0], routes.at[y]]
        assert routes.real[room[:hops]].all()
        longest = max(longest, hops)
    assert routes.longest >= longest
    assert set(routes.joins[:, ~routes.real].ravel().tolist()) <= {-1}
    assert set(routes.tails.tolist()) == set(routes.heads.tolist()) == {-1}
    assert routes.ports == 1
    assert routes.routers == routes.places == network.size


def test_two_ranks_have_one_eigenvalue() -> None:
    """The Laplacian of one pair of volume w has the eigenvalues 0 and 2 w."""
    routes = Routes.of(parse_network("mesh:2"))
    demand = demand_of(Program.of(Traffic([(0, 1), (1, 0)], [7, 5])), "joint", None, routes)
    assert [float(s) for s in sums_at_least(demand)] == pytest.approx([0, 0, 2 * 12])


def test_what_carries_nothing_is_left_out() -> None:
    """Messages of no volume, and those of a rank to itself."""
    sent = np.array([[0, 1], [1, 2], [2, 2]]), np.array([0, 3, 4])
    found = Demand.of(3, [sent], Fraction(1), "max-max")
    assert (found.source.tolist(), found.destination.tolist()) == ([1], [2])
