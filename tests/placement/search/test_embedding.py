"""The search for neighbours: its order of ranks, its counted steps, its places, by their rules."""

from __future__ import annotations

from itertools import pairwise, permutations

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import Network, parse_network
from lccmodel.placement.search.embedding import (
    _lists,
    _near,
    _places,
    embedding,
)
from lccmodel.placement.search.problem import Demand, demand_of
from lccmodel.placement.search.routes import Routes


def _demand(pairs: list[tuple[int, int]], network: Network) -> tuple[Demand, Routes]:
    routes = Routes.of(network)
    return demand_of(Program.of(Traffic(np.array(pairs))), "joint", None, routes), routes


def _random_pairs(seed: int, ranks: int, messages: int) -> list[tuple[int, int]]:
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, ranks, (messages, 2))
    return [(int(x), int(y)) for x, y in pairs if x != y] or [(0, 1)]


def demand_pairs(demand: Demand) -> list[tuple[int, int]]:
    return list(zip(demand.source.tolist(), demand.destination.tolist(), strict=True))


@pytest.mark.parametrize(
    "word", ["mesh:2x3", "torus:5", "mesh:2*3", "origin:3", "fattree:2x2x2", "mesh:3x3,nodes=0-5"]
)
def test_what_is_near_and_what_is_found(word: str) -> None:
    """Near: at most one channel both ways. Found or refused: against all placements."""
    network = parse_network(word)
    routes = Routes.of(network)
    n, ports = network.size, routes.ports
    close = np.array([[network.distance(u, v) <= 1 for v in range(n)] for u in range(n)])
    near = _near(routes)
    for u, v in permutations(range(n), 2):
        if u // ports != v // ports:
            assert near[u // ports, v // ports] == (close[u, v] and close[v, u])
    assert set(near.diagonal().tolist()) == {ports > 1}
    starts, near_list = _lists(near)
    rows = [near_list[a:b].tolist() for a, b in pairwise(starts)]
    assert rows == [np.flatnonzero(row).tolist() for row in near]
    for seed in range(16):
        pairs = _random_pairs(seed, min(n, 5), 3 + seed % 4)
        demand, _ = _demand(pairs, network)
        fits = any(
            all(close[one[x], one[y]] and close[one[y], one[x]] for x, y in demand_pairs(demand))
            for one in permutations(range(n), demand.ranks)
        )
        found = embedding(demand, routes)
        assert (found.node_of is not None, found.refused) == (fits, not fits)
        if found.node_of is not None:
            at = found.node_of.tolist()
            assert len({*at}) == demand.ranks
            assert set(at) <= set(range(n))
            assert all(close[at[x], at[y]] for x, y in demand_pairs(demand))


def test_the_limit_of_steps_is_the_number_of_places_looked_at() -> None:
    """A path of three ranks on a path of routers 0 - 1 - 2, by hand.

    Rank 1 has two partners. At router 0 there is room for one only; at 1 both find theirs, at 0
    and at 2. So five places are looked at: 0 and 1 for rank 1; 0 for rank 0; 0, taken, and 2.
    """
    demand, routes = _demand([(0, 1), (1, 2)], parse_network("mesh:3"))
    looked_at = 5 if len(routes.unlike) == 3 else 4 + int(routes.unlike.tolist().index(1))
    for steps in range(looked_at):
        found = embedding(demand, routes, steps)
        assert (found.node_of, found.refused) == (None, False)
    assert embedding(demand, routes, looked_at).node_of.tolist() == [0, 1, 2]  # type: ignore[union-attr]


def test_a_rank_with_more_partners_than_a_place_has_neighbours_is_refused_unsearched() -> None:
    """A star of k leaves: 4 on a torus; 2 and the other places of the router on a ring of 3."""
    for word, most in (("torus:5x5", 4), ("torus:5*3", 2 * 3 + 2), ("mesh:4*2", 5), ("cube:3", 3)):
        for leaves in (most, most + 1):
            star = [(0, k) for k in range(1, leaves + 1)]
            found = embedding(*_demand(star, parse_network(word)), steps=0)
            assert found.refused == (leaves > most)


def test_nothing_sent_and_too_many_routers_are_left_alone() -> None:
    demand, routes = _demand([(0, 0)], parse_network("torus:4"))
    assert embedding(demand, routes) == embedding(demand, routes, 0)
    assert (embedding(demand, routes).node_of, embedding(demand, routes).refused) == (None, False)
    for sides, found in (((64, 64), True), ((64, 65), False)):
        demand, routes = _demand([(0, 1)], parse_network(f"mesh:{sides[0]}x{sides[1]}"))
        assert (embedding(demand, routes).node_of is not None) == found


def test_ranks_of_a_router_take_its_places_in_turn() -> None:
    routes = Routes.of(parse_network("torus:3*3"))
    assert _places(np.array([2, 0, 2, 1, 0, 2]), routes).tolist() == [6, 0, 7, 3, 1, 8]
