"""The search for neighbours: its order of ranks, its counted steps, its places, by their rules."""

from itertools import permutations

import numpy as np
import pytest

from lccmodel.network import parse_network
from lccmodel.placement.search.embedding import _places, embedding
from lccmodel.placement.search.routes import Routes
from tests.placement.search.brute_force import demand_on, random_program


@pytest.mark.parametrize(
    "word", ["mesh:2x3", "torus:5", "mesh:2*3", "origin:3", "fattree:2x2x2", "mesh:3x3,nodes=0-5"]
)
def test_an_embedding_is_found_or_refused_as_all_placements_say(word):
    """Every message at most one channel away, both ways."""
    network = parse_network(word)
    n = network.size
    placements = np.array([*permutations(range(n), min(n, 5))])
    close = np.array([[network.distance(u, v) <= 1 for v in range(n)] for u in range(n)])
    close &= close.T
    for seed in range(16):
        program = random_program(seed, min(n, 5), 1, 3 + seed % 4)
        demand, routes = demand_on(network, program)
        source, destination = demand.source, demand.destination
        if not len(source):
            continue
        fits = close[placements[:, source], placements[:, destination]].all(axis=1).any()
        found = embedding(demand, routes)
        assert (found.node_of is not None, found.refused) == (fits, not fits)
        if fits:
            at = found.node_of
            assert len({*at.tolist()}) == demand.ranks
            assert 0 <= at.min() <= at.max() < n
            assert close[at[source], at[destination]].all()


def test_the_limit_of_steps_is_the_number_of_places_looked_at():
    """A path of three ranks on a path of routers 0 - 1 - 2, by hand.

    Rank 1 has two partners. At router 0 there is room for one only; at 1 both find theirs, at 0
    and at 2. So five places are looked at: 0 and 1 for rank 1; 0 for rank 0; 0, taken, and 2.
    """
    demand, routes = demand_on("mesh:3", [(0, 1), (1, 2)])
    for steps in range(5):
        found = embedding(demand, routes, steps)
        assert (found.node_of, found.refused) == (None, False)
    assert embedding(demand, routes, 5).node_of.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("word", "most"), [("torus:5x5", 4), ("torus:5*3", 2 * 3 + 2), ("mesh:4*2", 5), ("cube:3", 3)]
)
def test_a_rank_with_more_partners_than_a_place_has_neighbours_is_refused_unsearched(word, most):
    """A star of k leaves: 4 on a torus; 2 and the other places of the router on a ring of 3."""
    for leaves in (most, most + 1):
        star = [(0, k) for k in range(1, leaves + 1)]
        assert embedding(*demand_on(word, star), steps=0).refused == (leaves > most)


@pytest.mark.parametrize(("word", "pairs", "found"), [
    ("torus:4", [(0, 0)], False), ("mesh:64x64", [(0, 1)], True), ("mesh:64x65", [(0, 1)], False),
])  # fmt: skip
def test_nothing_sent_and_too_many_routers_are_left_alone(word, pairs, found):
    answer = embedding(*demand_on(word, pairs))
    assert (answer.node_of is not None, answer.refused) == (found, False)


def test_ranks_of_a_router_take_its_places_in_turn():
    routes = Routes.of(parse_network("torus:3*3"))
    assert _places(np.array([2, 0, 2, 1, 0, 2]), routes).tolist() == [6, 0, 7, 3, 1, 8]
