"""Volume times distance as a quadratic assignment: changes, bounds and optima, by definition."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.network import as_network
from lccmodel.placement.search import place
from lccmodel.placement.search.annealing import Descent, Run
from lccmodel.placement.search.assignment import (
    DistanceAnnealing,
    RowAnnealing,
    Tabu,
    child_of,
    grown,
    searched_by,
)
from lccmodel.placement.search.assignment_bounds import (
    assigned,
    assignment_bound,
    automorphisms,
    distance_bounds,
    least_total,
    matrices,
    projection_bound,
)
from lccmodel.placement.search.problem import Demand, demand_of, judged
from lccmodel.placement.search.routes import Routes
from tests.choosing import fast_only, sampled

NETWORKS = (
    "mesh:3x2", "torus:5", "cube:3", "mesh:2x2*2", "fattree:2x3/2", "mesh:7", "origin:3",
    "dragonfly:1,2,1", "torus:3x2", "mesh:4x2,nodes=0-2:4-6",
)  # fmt: skip


def a_problem(word: str, seed: int, ranks: int = 0) -> tuple[Demand, Routes, Traffic]:
    """Random messages among the ranks that fit, or some fewer, for "distance"."""
    rng = np.random.default_rng(seed)
    network = as_network(word)
    n = ranks or max(2, network.size - int(rng.integers(0, 3)))
    pairs = [(x, y) for x in range(n) for y in range(n) if x != y and rng.random() < 0.5] or [
        (0, 1)
    ]
    traffic = Traffic(pairs, rng.integers(1, 9, len(pairs)) * int(rng.integers(1, 4)), n)
    routes = Routes.of(network)
    return demand_of(Program.of(traffic), "distance", None, routes), routes, traffic


def least_by_trying_all(word: str, traffic: Traffic) -> int:
    """The least volume times distance, each distance by the network itself."""
    network = as_network(word)
    away = np.array(
        [[network.distance(x, y) for y in range(network.size)] for x in range(network.size)]
    )
    source, destination = traffic.messages.T
    placed = np.array(list(permutations(range(network.size), traffic.ranks)))
    return int((away[placed[:, source], placed[:, destination]] @ traffic.volumes).min())


@pytest.mark.parametrize("word", sampled([*NETWORKS, "torus:4x3*2", "mesh:5x4"], 3))
def test_all_changes_are_those_of_the_definition(word: str) -> None:
    """Δ(i, j) is the total with i and j exchanged less the total; G = B E after every step."""
    demand, routes, _ = a_problem(word, 3)
    search = Tabu(demand, Run(np.arange(demand.ranks), 60, 0.0, 5))
    for _ in range(6):
        search.advance(demand, routes, 10)
        t = search._tables
        assert t is not None
        assert (t.product == t.flow @ t.apart).all()
        assert search._total == (t.flow * t.apart).sum() / 2
        u, w = t.last
        for i in range(search._movers):
            for j in range(i + 1, len(t.at)):
                order = np.arange(len(t.at))
                order[[i, j]] = j, i
                exchanged = (t.flow * t.apart[np.ix_(order, order)]).sum() / 2
                change = t.change[i, j] - (u[i] - u[j]) * (w[i] - w[j])
                assert change == exchanged - search._total
        assert judged(demand, routes, search.best, "").value == search._least


@pytest.mark.parametrize("method", [Tabu, RowAnnealing, DistanceAnnealing])
def test_slices_do_not_change_a_run(method: type[Tabu | RowAnnealing | DistanceAnnealing]) -> None:
    """One advance of 200 moves, or many of 7, end at the same placement."""
    demand, routes, _ = a_problem("torus:4x4", 8)
    run = Run(np.arange(demand.ranks), 200, 0.8, 11)
    whole, sliced = method(demand, run), method(demand, run)
    whole.advance(demand, routes, 200)
    while not sliced.done:
        sliced.advance(demand, routes, 7)
    assert whole.best.tolist() == sliced.best.tolist()


def test_a_temperature_falls_to_a_tenth_and_totals_are_exact() -> None:
    """The total that is counted is that of the placement, less that of the start."""
    demand, routes, _ = a_problem("mesh:5x4", 2)
    start = np.arange(demand.ranks)
    search = DistanceAnnealing(demand, Run(start, 5000, 0.8, 1))
    search.advance(demand, routes, 5000)
    before = judged(demand, routes, start, "").value
    assert search._now.total == judged(demand, routes, search._node_of, "").value - before
    assert search._now.minimum == judged(demand, routes, search.best, "").value - before
    first = 0.8 * search._now.typical / 200
    assert search._now.temperature == pytest.approx(first / 10, rel=1e-6)


@pytest.mark.parametrize(
    ("word", "volume"), [("mesh:5x4", 1), ("torus:4x3*2", 1), ("mesh:7", 1 << 30)]
)
def test_sums_of_rows_are_exact_in_the_type_that_is_chosen(word: str, volume: int) -> None:
    """Totals after annealing by rows are those of the placement; float32 holds small sums alone."""
    demand, routes, _ = a_problem(word, 2)
    demand = replace(demand, volume=demand.volume * volume)
    start = np.arange(demand.ranks)
    search = RowAnnealing(demand, Run(start, 3000, 0.5, 1))
    search.advance(demand, routes, 3000)
    rows = search._rows
    assert rows is not None
    assert rows.flow.dtype == (np.float32 if volume == 1 else np.float64)
    before = judged(demand, routes, start, "").value
    assert search._now.total == float((rows.flow * rows.apart).sum()) / 2 - before
    assert search._now.minimum == judged(demand, routes, search.best, "").value - before
    first = 0.5 * search._now.typical / 200
    assert search._now.temperature == pytest.approx(0.03 * first, rel=1e-6)
    assert len(set(search.best.tolist())) == demand.ranks


def test_annealing_by_rows_tries_every_pair_once_a_round() -> None:
    """In slices of one proposal a cold run ends where no exchange of two places is a gain."""
    demand, routes, _ = a_problem("mesh:3x2", 4)
    search = RowAnnealing(demand, Run(np.arange(demand.ranks), 400, 0.0, 1))
    while not search.done:
        search.advance(demand, routes, 1)
    least = judged(demand, routes, search.best, "").value
    whole = [*search.best.tolist(), *set(range(6)) - set(search.best.tolist())]
    for i in range(6):
        for j in range(i):
            other = list(whole)
            other[i], other[j] = other[j], other[i]
            assert judged(demand, routes, np.array(other[: demand.ranks]), "").value >= least


@pytest.mark.parametrize("word", sampled(NETWORKS, 3))
@pytest.mark.parametrize("seed", fast_only(range(5), 3))
def test_bounds_hold_and_the_search_finds_the_least(word: str, seed: int) -> None:
    """Of all placements: none is below a bound, branch and bound and `place` reach the least."""
    demand, routes, traffic = a_problem(word, seed)
    if as_network(word).size > 7:
        demand, routes, traffic = a_problem(word, seed, 5)
    least = least_by_trying_all(word, traffic)
    unit = int(traffic.volumes.sum()) // int(demand.volume.sum())
    m = place(traffic, word, "distance", seconds=0.01)
    assert (m.after.value, m.optimal) == (least, True)
    assert m.lower_bound <= least
    least //= unit
    for total, _ in distance_bounds(demand, routes):
        assert total <= least
    known = matrices(demand, routes)
    assert known is not None
    flow, apart = known
    assert assignment_bound(flow, apart) <= least
    assert projection_bound(flow, apart) <= least
    start = np.arange(routes.places)
    answer = least_total(flow, apart, start)
    assert (answer.total, answer.complete) == (least, True)


def test_a_bound_of_distances_that_are_one_too_large_is_refused() -> None:
    """The control: every two places one channel farther apart, and the bound is above the least."""
    for seed in range(10):
        demand, routes, traffic = a_problem("mesh:3x2", seed)
        known = matrices(demand, routes)
        assert known is not None
        flow, apart = known
        unit = int(traffic.volumes.sum()) // int(demand.volume.sum())
        farther = apart + 1 - np.eye(6, dtype=np.int64)
        assert assignment_bound(flow, farther) * unit > least_by_trying_all("mesh:3x2", traffic)


def test_no_bound_is_rounded_above_a_total_that_is_reached() -> None:
    """Two meshes of 16 that are alike: the bound is the total itself, never one more."""
    ranks = as_network("mesh:4x4")
    pairs = [(x, y) for x in range(16) for y in ranks.neighbours(x)]
    m = place(Traffic(pairs, [5] * len(pairs), 16), "mesh:4x4", "distance")
    assert m.after.value == m.lower_bound == 5 * len(pairs)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_an_assignment_is_the_least_and_its_potentials_prove_it(n: int) -> None:
    """u[i] + v[j] <= cost[i, j], and the sum of all u and v is that of the assignment."""
    rng = np.random.default_rng(n)
    for _ in range(20):
        cost = rng.integers(-9, 40, (n, n))
        total, column, u, v = assigned(cost)
        assert sorted(column) == list(range(n))
        assert total == cost[np.arange(n), column].sum() == u.sum() + v.sum()
        assert (u[:, None] + v <= cost).all()
        assert total == min(cost[np.arange(n), list(p)].sum() for p in permutations(range(n)))


@pytest.mark.parametrize(
    ("word", "count"),
    sampled([("mesh:3", 2), ("mesh:3x2", 4), ("mesh:3x3", 8), ("torus:5", 10), ("cube:3", 48),
     ("torus:4x4", 384), ("cube:4", 384), ("mesh:2*2", 8), ("mesh:2x2*2", 128)], 3),
)  # fmt: skip
def test_automorphisms_of_distances(word: str, count: int) -> None:
    """Known orders: 2^n n! for a cube; a torus of 4 x 4 is a cube of 4 dimensions."""
    network = as_network(word)
    at = np.arange(network.size) // network.per_node
    apart = Routes.of(network).distance.astype(np.int64)[np.ix_(at, at)]
    images = automorphisms(apart)
    assert len(np.unique(images, axis=0)) == len(images) == count
    for image in images:
        assert (apart[np.ix_(image, image)] == apart).all()


def test_a_child_keeps_what_both_have() -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        first = rng.permutation(12)[:9]
        second = first.copy()
        second[[1, 4, 7]] = second[[4, 7, 1]]
        child = child_of(first, second, 12, rng)
        assert len(set(child.tolist())) == 9
        same = first == second
        assert (child[same] == first[same]).all()
    assert child_of(first, first, 12, rng).tolist() == first.tolist()


def test_who_searches() -> None:
    """`Tabu` for volume times distance on few places, annealing on more, else `Descent`."""
    ring = Program.of([(x, (x + 1) % 8) for x in range(8)])

    def method(objective: str, word: str) -> object:
        routes = Routes.of(as_network(word))
        return searched_by(demand_of(ring, objective, None, routes), routes)

    assert method("distance", "mesh:8x8") is Tabu
    assert method("distance", "mesh:13x5") is method("distance", "mesh:16x16") is RowAnnealing
    assert method("distance", "mesh:16x17") is DistanceAnnealing
    assert method("distance", "mesh:100x100") is Descent
    assert {method(o, "mesh:4x4") for o in ("joint", "max-max", "mixture:1/2")} == {Descent}


def test_places_that_stay_empty_and_ranks_that_send_nothing() -> None:
    """Three pairs far apart on a mesh of 5 x 5: each pair on neighbours, whatever is idle."""
    traffic = Traffic([(0, 17), (3, 9), (12, 5)], [7, 5, 3], 20)
    m = place(traffic, "mesh:5x5", "distance", seconds=0.01)
    assert (m.after.value, m.optimal) == (15, True)
    alone = place(Traffic([(0, 1)], [4], 2), "mesh:2", "distance")
    assert (alone.after.value, alone.optimal) == (4, True)


def test_volumes_beyond_exact_floats_are_placed_and_counted_exactly() -> None:
    """10^17 a message: flows are rounded in the search, values and proofs are of what is sent."""
    traffic = Traffic([(0, 2), (1, 3), (2, 1)], [10**17 + 1, 10**17, 1], 4)
    m = place(traffic, "mesh:4", "distance", seconds=0.01)
    assert m.after.value == 2 * 10**17 + 2
    assert Descent is not Tabu


def test_growth_by_hand() -> None:
    """Ranks 1 and 3 exchange most, then 3 and 0, then 0 and 2: a line in the order 1, 3, 0, 2.

    Rank 3 exchanges 9 + 5 and takes the middle 1 of mesh:4 (of two equal ones the lower). Rank 1
    goes to 0, next to it; rank 0 to 2; rank 2, which exchanges with 0 alone, to 3.
    """
    traffic = Traffic([(1, 3), (0, 3), (2, 0)], [9, 5, 2], 4)
    routes = Routes.of(as_network("mesh:4"))
    demand = demand_of(Program.of(traffic), "distance", None, routes)
    assert grown(demand, routes).tolist() == [2, 0, 3, 1]


@pytest.mark.parametrize("word", [*NETWORKS, "torus:4x4*2", "fattree:3^3"])
def test_growth_places_every_rank_once(word: str) -> None:
    demand, routes, _ = a_problem(word, 4)
    placement = grown(demand, routes)
    assert len(set(placement.tolist())) == demand.ranks
    assert 0 <= placement.min() <= placement.max() < routes.places
