"""Volume times distance as a quadratic assignment: changes, bounds and optima, by definition.

Σ volume · distance, and S · channels · joint + (1 - S) of it (docs/placement.md).
"""

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.placement.objectives import loads_and_share
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
from lccmodel.placement.search.bounds import least_distance
from lccmodel.placement.search.problem import Demand, judged
from lccmodel.placement.search.routes import Routes
from tests.choosing import fast_only, sampled
from tests.placement.search.brute_force import counted_value, demand_on

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
    return *demand_on(network, traffic, "distance"), traffic


def least_by_trying_all(word: str, traffic: Traffic) -> int:
    """The least volume times distance, each distance by the network itself."""
    network = as_network(word)
    nodes = range(network.size)
    away = np.array([[network.distance(x, y) for y in nodes] for x in nodes])
    source, destination = traffic.messages.T
    placed = np.array(list(permutations(nodes, traffic.ranks)))
    return int((away[placed[:, source], placed[:, destination]] @ traffic.volumes).min())


@pytest.mark.parametrize("word", sampled([*NETWORKS, "torus:4x3*2", "mesh:5x4"], 3))
def test_all_changes_are_those_of_the_definition(word):
    """Δ(i, j) is the total with i and j exchanged less the total; G = B E after every step."""
    demand, routes, _ = a_problem(word, 3)
    search = Tabu(demand, Run(np.arange(demand.ranks), 60, 0.0, 5))
    for _ in range(6):
        search.advance(demand, routes, 10)
        t = search._tables
        assert (t.product == t.flow @ t.apart).all()
        assert search._total == (t.flow * t.apart).sum() / 2
        u, w = t.last
        for i, j in combinations(range(len(t.at)), 2):
            order = np.arange(len(t.at))
            order[[i, j]] = j, i
            exchanged = (t.flow * t.apart[np.ix_(order, order)]).sum() / 2
            change = t.change[i, j] - (u[i] - u[j]) * (w[i] - w[j])
            assert i >= search._movers or change == exchanged - search._total
        assert judged(demand, routes, search.best, "").value == search._least


@pytest.mark.parametrize("method", [Tabu, RowAnnealing, DistanceAnnealing, Descent])
def test_slices_do_not_change_a_run(method):
    """One advance of 3000 moves, or many of 170, and each time a journey by pickle."""
    demand, routes, _ = a_problem("torus:5x4", 8, 19)
    run = Run(np.arange(demand.ranks), 3000, 0.3, seed=4)
    whole, sliced = method(demand, run), method(demand, run)
    whole.advance(demand, routes, 3000)
    while not sliced.done:
        sliced.advance(demand, routes, 170)
        sliced = pickle.loads(pickle.dumps(sliced))
    assert whole.done
    assert whole.best.tolist() == sliced.best.tolist()
    assert len(set(whole.best.tolist())) == demand.ranks


@pytest.mark.parametrize(("method", "word", "volume", "heat", "last", "kind"), [
    (DistanceAnnealing, "mesh:5x4", 1, 0.8, 0.1, None),
    (RowAnnealing, "mesh:5x4", 1, 0.5, 0.03, np.float32),
    (RowAnnealing, "torus:4x3*2", 1, 0.5, 0.03, np.float32),
    (RowAnnealing, "mesh:7", 1 << 30, 0.5, 0.03, np.float64),
])  # fmt: skip
def test_totals_are_exact_and_the_temperature_falls_to_a_part(
    method, word, volume, heat, last, kind
):
    """The total that is counted is that of the placement, less that of the start.

    Rows are summed in a type that holds their sums: float32 holds small ones alone.
    """
    demand, routes, _ = a_problem(word, 2)
    demand = replace(demand, volume=demand.volume * volume)
    start = np.arange(demand.ranks)
    search = method(demand, Run(start, 5000, heat, 1))
    search.advance(demand, routes, 5000)
    before = judged(demand, routes, start, "").value
    if kind is None:
        total = judged(demand, routes, search._node_of, "").value
    else:
        assert search._rows.flow.dtype == kind
        total = float((search._rows.flow * search._rows.apart).sum()) / 2
    assert search._now.total == total - before
    assert search._now.minimum == judged(demand, routes, search.best, "").value - before
    first = heat * search._now.typical / 200
    assert search._now.temperature == pytest.approx(last * first, rel=1e-6)
    assert len(set(search.best.tolist())) == demand.ranks


def test_annealing_by_rows_tries_every_pair_once_a_round():
    """In slices of one proposal a cold run ends where no exchange of two places is a gain."""
    demand, routes, _ = a_problem("mesh:3x2", 4)
    search = RowAnnealing(demand, Run(np.arange(demand.ranks), 400, 0.0, 1))
    while not search.done:
        search.advance(demand, routes, 1)
    least = judged(demand, routes, search.best, "").value
    whole = [*search.best.tolist(), *set(range(6)) - set(search.best.tolist())]
    for i, j in combinations(range(6), 2):
        other = np.array(whole)
        other[[i, j]] = other[[j, i]]
        assert judged(demand, routes, other[: demand.ranks], "").value >= least


@pytest.mark.parametrize("word", sampled(NETWORKS, 3))
@pytest.mark.parametrize("seed", fast_only(range(5), 3))
def test_bounds_hold_and_the_search_finds_the_least(word, seed):
    """Of all placements: none is below a bound, branch and bound and `place` reach the least."""
    demand, routes, traffic = a_problem(word, seed, 5 if as_network(word).size > 7 else 0)
    total = least_by_trying_all(word, traffic)
    m = place(traffic, word, "distance", seconds=0.01)
    assert (m.after.value, m.optimal) == (total, True)
    assert m.lower_bound <= total
    least = total // (int(traffic.volumes.sum()) // int(demand.volume.sum()))
    flow, apart = matrices(demand, routes)
    bounds = [bound for bound, _ in distance_bounds(demand, routes)]
    assert max(*bounds, assignment_bound(flow, apart), projection_bound(flow, apart)) <= least
    answer = least_total(flow, apart, np.arange(routes.places))
    assert (answer.total, answer.complete) == (least, True)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_an_assignment_is_the_least_and_its_potentials_prove_it(n):
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
def test_automorphisms_of_distances(word, count):
    """Known orders: 2^n n! for a cube; a torus of 4 x 4 is a cube of 4 dimensions."""
    network = as_network(word)
    at = np.arange(network.size) // network.per_node
    apart = Routes.of(network).distance.astype(np.int64)[np.ix_(at, at)]
    images = automorphisms(apart)
    assert len(np.unique(images, axis=0)) == len(images) == count
    for image in images:
        assert (apart[np.ix_(image, image)] == apart).all()


def test_a_child_keeps_what_both_have():
    rng = np.random.default_rng(0)
    for changed in [[1, 4, 7]] * 50 + [[]]:
        first = rng.permutation(12)[:9]
        second = first.copy()
        second[changed] = second[changed[1:] + changed[:1]]
        child = child_of(first, second, 12, rng)
        assert len(set(child.tolist())) == 9
        assert (child == first)[first == second].all()


@pytest.mark.parametrize(("objective", "word", "method"), [
    ("distance", "mesh:8x8", Tabu), ("distance", "mesh:13x5", RowAnnealing),
    ("distance", "mesh:16x16", RowAnnealing), ("distance", "mesh:16x17", DistanceAnnealing),
    ("distance", "mesh:100x100", Descent), ("joint", "mesh:4x4", Descent),
    ("max-max", "mesh:4x4", Descent), ("mixture:1/2", "mesh:4x4", Descent),
])  # fmt: skip
def test_who_searches(objective, word, method):
    """`Tabu` for volume times distance on few places, annealing on more, else `Descent`."""
    ring = [(x, (x + 1) % 8) for x in range(8)]
    assert searched_by(*demand_on(word, ring, objective)) is method


@pytest.mark.parametrize(("traffic", "word", "value"), [
    (Traffic([(0, 17), (3, 9), (12, 5)], [7, 5, 3], 20), "mesh:5x5", 15),
    (Traffic([(0, 1)], [4], 2), "mesh:2", 4),
    (Traffic([(0, 2), (1, 3), (2, 1)], [10**17 + 1, 10**17, 1], 4), "mesh:4", 2 * 10**17 + 2),
])  # fmt: skip
def test_pairs_are_placed_on_neighbours_whatever_is_idle_or_huge(traffic, word, value):
    """Ranks and places that stay idle; flows of 10^17 are rounded in the search, not in values."""
    m = place(traffic, word, "distance", seconds=0.01)
    assert m.after.value == value
    assert m.optimal or value > 10**17


def test_growth_by_hand():
    """Ranks 1 and 3 exchange most, then 3 and 0, then 0 and 2: a line in the order 1, 3, 0, 2.

    Rank 3 exchanges 9 + 5 and takes the middle 1 of mesh:4 (of two equal ones the lower). Rank 1
    goes to 0, next to it; rank 0 to 2; rank 2, which exchanges with 0 alone, to 3.
    """
    demand, routes = demand_on("mesh:4", Traffic([(1, 3), (0, 3), (2, 0)], [9, 5, 2], 4))
    assert grown(demand, routes).tolist() == [2, 0, 3, 1]


# -- distance, and its mixtures with the busiest channel ------------------------------------------

FEW_PLACES = ("mesh:5", "torus:3x2", "mesh:2x2,bandwidth=2:3", "cube:2", "torus:3*2",
              "fattree:2x2/1", "mesh:3x3,nodes=0:2:4:7")  # fmt: skip
SENT = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 9)), min_size=1, max_size=6
)


@settings(max_examples=8, deadline=None)
@given(SENT, st.sampled_from(FEW_PLACES), st.sampled_from([0, Fraction(1, 3), Fraction(9, 10)]))
def test_the_answer_is_the_least_of_all_placements(sent, word, share):
    """value = share x channels x joint + (1 - share) x distance, with a bound that holds."""
    network = as_network(word)
    traffic = Traffic([m[:2] for m in sent], [m[2] for m in sent], 4)
    m = place(traffic, network, f"mixture:{share}" if share else "distance", seconds=0.01)

    def counted(node_of: np.ndarray, objective: str) -> Fraction:
        return counted_value(m.program, network, node_of, objective)

    values = [
        share * network.n_channels * counted(node_of, "joint")
        + (1 - share) * counted(node_of, "distance")
        for node_of in map(np.array, permutations(range(network.size), 4))
    ]
    assert m.lower_bound <= min(values) == m.after.value
    assert m.before.value == values[0]
    assert m.after.joint == counted(m.node_of, "joint")
    assert m.after.distance == counted(m.node_of, "distance")


@pytest.mark.parametrize(
    "word", ["mixture", "mixture:", "mixture:0", "mixture:1", "mixture:x", "mixture:1/0",
             "mixture:nan", "mixture:1e-9", "hops", "mixture:0.5:1"]
)  # fmt: skip
def test_wrong_objectives(word):
    with pytest.raises(InputError, match="objective: must be one of max-max"):
        loads_and_share(word)


STAR = [(0, k) for k in range(1, 5)]
BACK = [(k, 0) for k in range(1, 5)]


@pytest.mark.parametrize(("pairs", "word", "least"), [
    (STAR, "mesh:5", 6), (BACK, "mesh:5", 6), (STAR + BACK, "mesh:5", 10), ([(0, 1)], "mesh:5", 1),
    ([(0, 0)], "mesh:5", 0), ([(k, (k + step) % 6) for k in range(6) for step in (1, 2)],
                              "torus:6", 18),
])  # fmt: skip
def test_the_bound_is_the_largest_of_what_is_sent_received_and_paired(pairs, word, least):
    """A star of four on a line: 1 + 1 + 2 + 2. The next two on a ring: 6 (1 + 1 + 2 + 2) / 2."""
    assert least_distance(*demand_on(word, pairs, "distance")) == least
