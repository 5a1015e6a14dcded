"""What a search knows of a network's routes, against the routes of the network itself."""

from itertools import product

import numpy as np
import pytest

from lccmodel.communication.traffic import Traffic
from lccmodel.network import parse_network
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.placement.search import routes as routes_module
from lccmodel.placement.search.exact import settle
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least
from tests.placement.search.brute_force import demand_on


@pytest.mark.parametrize("word", [
    "cube:4", "mesh:4x2", "mesh:4x4", "mesh:7", "torus:5", "torus:6x5", "origin:4", "mesh:2x2*2",
    "torus:2x2x4", "torus:3x3*3", "torus:3x2,bandwidth=2:3", "mesh:5x3,bandwidth=1:4",
    "fattree:2^3", "fattree:4^2", "fattree:3x2x2/2x1,routing=s-mod-k", "dragonfly:2,2,1",
    "mesh:3x4*2,nodes=0-8:20", "fattree:2x3x2/2x1,nodes=1-9", "hyperx:4x2",
    "dragonfly:2,3,1,nodes=0-7",
])  # fmt: skip
def test_routes_are_those_of_the_network(word):
    """Every route, channel by channel; of listed places each joins where the last one ended."""
    network = parse_network(word)
    routes = Routes.of(network)
    room, none = np.empty(routes.longest + 1, np.int64), np.empty(0, np.int64)
    names: dict[int, tuple[int, int]] = {}
    for x, y in product(range(network.size), repeat=2):
        hops = write_route(routes.form, x, y, PLUS, room, none)
        walked = network.channels(x, y)
        assert hops == len(walked) == routes.distance[x // routes.ports, y // routes.ports]
        for number, channel in zip(room[:hops].tolist(), walked, strict=True):
            assert names.setdefault(number, channel) == channel
        if routes.listed:
            ends = routes.joins[:, room[:hops]]
            assert [routes.at[x], *ends[1]] == [*ends[0], routes.at[y]]
    assert len(set(names.values())) == len(names)
    assert set(names) <= set(np.flatnonzero(routes.real).tolist())
    if routes.listed:
        assert set(routes.joins[:, ~routes.real].ravel().tolist()) <= {-1}
        assert set(routes.tails.tolist()) == set(routes.heads.tolist()) == {-1}
        assert (routes.ports, routes.routers, routes.places) == (1, network.size, network.size)
    else:
        assert routes.channels == network.n_channels


@pytest.mark.parametrize("word", [
    "torus:5x4", "mesh:4x3*2", "torus:3x2x2", "cube:3", "fattree:2x3/2", "mesh:3x4,nodes=0-8",
])  # fmt: skip
def test_lengths_from_a_router_and_the_middle(word, monkeypatch):
    """Also where so many routers are not measured route by route."""
    network = parse_network(word)
    routes = Routes.of(network)
    nodes = range(0, network.size, routes.ports)
    lengths = np.array([[network.distance(u, v) for v in nodes] for u in nodes])
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


def test_near_places_of_a_list_are_the_nearest_there_and_back():
    """Of equally near ones that which is numbered next, onwards and round."""
    routes = Routes.of(parse_network("mesh:3x4,nodes=0-8"))
    n = routes.places
    both = routes.distance + routes.distance.T
    for place in range(n):
        others = sorted(set(range(n)) - {place}, key=lambda v: (both[place, v], (v - place) % n))
        near = routes.ways.near[place].tolist()
        assert near == others[: len(near)]


def test_a_search_that_was_cut_is_not_complete():
    """At the limit nothing is proved; the same search to its end is, after as many as it says."""
    pairs = np.random.default_rng(2).integers(0, 6, (9, 2))
    demand, routes = demand_on("torus:3x2", pairs)
    slices: list[int] = []
    whole = settle(
        demand, routes, np.arange(demand.ranks), between=lambda best: slices.append(len(best))
    )
    assert whole.complete
    assert slices == [demand.ranks]
    for limit in (1, whole.visited // 2, whole.visited - 1):
        cut = settle(demand, routes, np.arange(demand.ranks), limit=limit)
        assert (cut.complete, cut.visited) == (False, limit)
        assert cut.value >= whole.value


def test_two_ranks_have_one_eigenvalue():
    """The Laplacian of one pair of volume w has the eigenvalues 0 and 2 w."""
    demand, _ = demand_on("mesh:2", Traffic([(0, 1), (1, 0)], [7, 5]))
    assert [float(s) for s in sums_at_least(demand)] == pytest.approx([0, 0, 2 * 12])
