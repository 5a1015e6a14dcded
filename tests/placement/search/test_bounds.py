"""Lower bounds hold for every placement: against brute force, each by itself."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.lattice.programme import OBJECTIVES, Objective
from lccmodel.network import RouteTable, parse_network
from lccmodel.placement.search import bounds, place
from lccmodel.placement.search.bounds import Bound, lower_bound
from lccmodel.placement.search.distance_bounds import least_sums, uniform_cliques
from lccmodel.placement.search.exact import settle
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least, sums_at_most
from tests.choosing import sampled
from tests.placement.search.brute_force import demand_on, least_value, loads_alone


@pytest.mark.parametrize(("word", "loose"), [
    *((word, 0) for word in (
        "torus:4x3", "mesh:3x4", "torus:6x2", "torus:11", "mesh:7", "mesh:1x5", "mesh:2x8",
        "torus:3x2x2", "mesh:2x2x3", "mesh:2x2*3", "torus:3x2*2,bandwidth=1:2", "torus:2x3*2",
        "cube:3", "origin:3", "origin:1",
    )),
    ("origin:4", 3), ("mesh:2x2x2x2", 5),
])  # fmt: skip
def test_no_group_is_closer_together_than_the_bound(word, loose):
    """W(g) against every set of g places; one more would be refuted for all but `loose` sizes."""
    network = parse_network(word)
    n = network.size
    distance = np.array([[network.distance(u, v) for v in range(n)] for u in range(n)])
    bound = least_sums(Routes.of(network), tuple(range(1, n + 1)))
    least = {
        g: min(int(distance[np.ix_(places, places)].sum()) for places in combinations(range(n), g))
        for g in range(1, n + 1)
    }
    assert all(bound[g] <= least[g] for g in least)
    assert sum(bound[g] < least[g] for g in least) == loose


def test_groups_are_found_in_what_is_sent():
    """The rows and columns of a process grid, by their volumes; rings fall into pairs."""
    demand, _ = demand_on("torus:4x3", ProcessGrid((4, 3)).program("all-to-all", (2, 5)))
    ends = demand.source, demand.destination, demand.volume, demand.ranks
    assert sorted(uniform_cliques(*ends)) == [(3, 10, 4), (4, 4, 3)]
    one_way = np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([7, 7, 7]), 3
    assert uniform_cliques(*one_way) == [(3, 7, 1)]
    assert uniform_cliques(*(np.zeros(0, np.int64),) * 3, 3) == []


@pytest.mark.slow
def test_rings_that_fill_every_channel_but_fit_nowhere():
    """4 x 16 ranks in rings do not fit on 8 x 8: load 1 would need one channel for each message."""
    for sides, least in (((16, 4), 2), ((4, 16), 2), ((8, 8), 1)):  # the last: it does fit
        rings = ProcessGrid(sides).program("rings")
        m = place(rings, "torus:8x8", "joint", "placements", seconds=0)
        assert m.lower_bound == least
        assert ("exhaustive search" in m.bound) == (least == 2)
    assert m.after.value == 1


@pytest.mark.parametrize("seed", range(6))
def test_every_cut_carries_what_the_spectral_gap_says(seed):
    """Volume between k of n ranks and the others >= gap k (n - k) / n, for all 2^n sets.

    Seed 0 is all-to-all: every cut carries exactly that, and a larger gap would not hold.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    pairs = rng.integers(0, n, (4 * n, 2)) if seed else np.argwhere(~np.eye(n, dtype=bool))
    traffic = Traffic(pairs, rng.integers(1, 9, len(pairs)) if seed else None, n)
    demand = demand_on("torus:4x4", traffic)[0].merged
    sums, most = sums_at_least(demand), sums_at_most(demand)
    assert len(sums) == len(most) == n + 1
    assert all(low <= high for low, high in zip(sums, most, strict=True))
    assert sums[1] == most[1] == 0
    least = [after - before for before, after in pairwise(sums)]

    def cut(part: np.ndarray) -> int:
        return int(demand.volume[part[demand.source] != part[demand.destination]].sum())

    slack = []
    for inside in map(np.array, product((False, True), repeat=n)):
        k = int(inside.sum())
        slack.append(cut(inside) - least[1] * k * (n - k) / n)
    assert min(slack) >= 0
    assert seed or max(slack) < 1e-3
    for part in map(np.array, product(range(n), repeat=n) if n <= 5 else ()):
        sizes = sorted(Counter(part.tolist()).values(), reverse=True)
        assert cut(part) >= sum(m * e for m, e in zip(sizes, least, strict=False)) / 2 or (
            sizes[0] > 3
        )


def test_a_gap_that_says_no_more_is_not_computed(monkeypatch):
    """The upper estimate decides; where it leaves room, the bound is by the eigenvalue."""
    calls = []
    monkeypatch.setattr(bounds, "sums_at_least", lambda d: calls.append(d) or sums_at_least(d))
    rng, x = np.random.default_rng(3), np.arange(64)
    ring = np.stack([x, (x + 1) % 64], 1)
    random = np.concatenate([np.stack([x, rng.permutation(64)], 1) for _ in range(8)])
    for pairs, computed in ((ring, 0), (random, 1)):
        demand, routes = demand_on("mesh:16x4", pairs)
        whole = lower_bound(demand, routes)
        counted = lower_bound(demand, routes, arguments="counting")
        assert len(calls) == computed
        assert (whole.value > counted.value) == bool(computed)
        assert whole.reason.endswith("by the spectrum") == bool(computed)


WIDTHS = st.one_of(
    st.integers(1, 4), st.integers(2490, 2510), st.decimals(1, 30, places=3).map(str)
)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Program, str, Objective]:
    """Phases of ranks, often fewer than places, on a small network with any bandwidths."""
    word = draw(st.sampled_from(["mesh:2x2", "mesh:3x2", "torus:3x2", "torus:4x1", "mesh:4x1",
                                 "mesh:2x2*2", "mesh:3*2", "mesh:2x3", "torus:5", "mesh:5",
                                 "fattree:2^2", "fattree:3x2/2", "cube:2", "origin:2",
                                 ]))  # fmt: skip
    kind, _, sides = word.partition(":")
    if kind in ("mesh", "torus"):
        widths = draw(st.tuples(*[WIDTHS for _ in sides.split("*")[0].split("x")]))
        word += f",bandwidth={':'.join(map(str, widths))}"
    if draw(st.booleans()):  # the nodes of a job
        size = parse_network(word).size
        nodes = draw(st.permutations(range(size)))[: draw(st.integers(2, size))]
        word += f",nodes={':'.join(map(str, nodes))}"
    ranks = draw(st.integers(2, min(6, parse_network(word).size)))
    phases = []
    for _ in range(draw(st.integers(1, 3))):
        pairs = list(permutations(range(ranks), 2))
        if draw(st.booleans()):  # else all to all
            pairs = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=12))
        volume = st.one_of(st.just(1), st.integers(1, 9), st.integers(2490, 2510))
        volumes = draw(st.one_of(volume.map(lambda v: [v]), st.tuples(*[volume] * len(pairs))))
        volumes = [*volumes] * (len(pairs) // len(volumes))
        phases.append(Phase(Traffic(pairs, volumes, ranks), draw(st.integers(1, 3))))
    return Program(phases), word, draw(st.sampled_from(OBJECTIVES))


FEW_WIDTHS = st.sampled_from([1, 2, 3, 2500, 2501, "12.345"])
"""So few that every cost of a link is exact."""


@st.composite
def tables(draw: st.DrawFn) -> RouteTable:
    """Routers in any graph, nodes at some, cables of several bandwidths; two to six nodes."""
    graph, routers, left = nx.MultiGraph(), draw(st.integers(2, 5)), 6
    for r in range(routers):
        graph.add_node(r, hosts=draw(st.integers(0 if r else 1, max(1 - r, min(2, left - 1)))))
        left -= graph.nodes[r]["hosts"]
        if r:
            graph.add_edge(r, draw(st.integers(0, r - 1)), bandwidth=draw(FEW_WIDTHS))
    graph.nodes[routers - 1]["hosts"] = max(1, graph.nodes[routers - 1]["hosts"])
    for _ in range(draw(st.integers(0, 3))):
        u, v = draw(st.permutations(range(routers)))[:2]
        graph.add_edge(u, v, bandwidth=draw(FEW_WIDTHS))
    return RouteTable.from_graph(graph, draw(st.sampled_from(["shortest", "updown"])))


@given(tables(), problems())
def test_no_bound_of_a_table_is_above_the_best_of_all_placements(network, problem):
    """As above, where routes are listed: routers without nodes, several cables, bandwidths."""
    program, _, objective = problem
    if program.ranks <= network.size:
        test_no_bound_is_above_the_best_of_all_placements.hypothesis.inner_test(
            (program, network, objective)
        )


def _all_to_all(ranks: int) -> Program:
    return Program.of(list(permutations(range(ranks), 2)))


NEAR_2_48 = (1 << 41) + np.random.default_rng(8).integers(0, 3, 12)
HUGE = Program.of(Traffic(list(permutations(range(4), 2)), NEAR_2_48, 4))
"""What all channels can hold was compared in floating point."""


@given(problems())
@example((Program.of(Traffic([(0, 1), (0, 2)], [2500, 2501], 4)),
          "mesh:2x2,bandwidth=2500:2501", "joint"))  # fmt: skip
@example((_all_to_all(6), "mesh:4x2", "joint"))
@example((HUGE, "mesh:2x2,bandwidth=3:7", "joint"))
@example((HUGE, "torus:5,bandwidth=997", "joint"))
@example((HUGE, "mesh:3x2,bandwidth=101:103", "joint"))
def test_no_bound_is_above_the_best_of_all_placements(problem):
    """Random bandwidths, phases and free places, all objectives; branch and bound agrees, too."""
    program, word, objective = problem
    demand, routes = demand_on(word, program, objective)
    bound = lower_bound(demand, routes)
    least = least_value(program, word, objective)
    assert bound.value * demand.unit <= least, bound
    settled = settle(demand, routes, np.arange(program.ranks), bound.value)
    assert settled.complete
    assert settled.value * demand.unit == least


@pytest.mark.parametrize("word", sampled([
    "mesh:3*4", "mesh:4x2", "mesh:4x3", "torus:6*2", "torus:3*3", "torus:4x3", "fattree:4x3/1",
    "fattree:2^3", "cube:3", "origin:3", "mesh:2x3,bandwidth=2:3",
], 3))  # fmt: skip
def test_no_bound_of_all_to_all_is_above_the_best_choice_of_places(word):
    """All ranks are alike: every set of places, so that many may stay free.

    On mesh:3*4 nine ranks are best three at a router (18); a full router would send 20.
    """
    network = parse_network(word)
    size, alone = network.size, loads_alone(word)
    sets = np.arange(1 << size)[:, None] >> np.arange(size) & 1
    loads = np.tensordot(sets, alone.reshape(size, size, -1), 1)
    loads = (loads * sets[:, :, None]).sum(axis=1).reshape(-1, *alone.shape[2:]).max(axis=2)
    widths = [network.bandwidths[network.row_dimension(row)] for row in range(alone.shape[2])]
    for n in range(2, size + 1):
        least = min(
            max(load / width for load, width in zip(rows, widths, strict=True))
            for rows in loads[sets.sum(axis=1) == n].tolist()
        )
        demand, routes = demand_on(word, _all_to_all(n))
        assert lower_bound(demand, routes).value * demand.unit <= least
        assert (word, n) != ("mesh:3*4", 9) or least == 18


def test_parts_of_a_tree_bound_what_leaves_its_switches():
    """A grid of 8 x 8 ranks, 4 hosts a switch: eigenvalues say more than sets do."""
    demand, routes = demand_on("fattree:4^3", ProcessGrid((8, 8)).program("stencil", (100, 99)))
    by_sets, by_spectrum, by_programs = (
        lower_bound(demand, routes, arguments=arguments)
        for arguments in ("counting", "eigenvalues", "programs")
    )
    assert by_sets.value < by_spectrum.value < by_programs.value
    assert by_programs.value <= 200  # blocks of 2 x 2: two sides of two channels each, four links
    assert "eigenvalues" in by_spectrum.reason
    assert "a linear program" in by_programs.reason


@pytest.mark.parametrize(("word", "channels", "shared"), [("torus:4x4", 4, 1), ("torus:9*2", 2, 2)])
def test_messages_of_a_rank_share_the_ports_of_its_node(word, channels, shared):
    """Of the c j + 1 largest some j + 1 share one of c channels; a rank beside it needs none."""
    for seed in range(40):
        rng = np.random.default_rng(seed)
        volumes = rng.integers(1, 9, rng.integers(2, 15))
        pairs = np.array([(0, k + 1) for k in range(len(volumes))])[:, :: 1 if seed % 2 else -1]
        demand, routes = demand_on(word, Traffic(pairs, volumes))
        sent = sorted(volumes.tolist(), reverse=True)[shared - 1 :]
        divisor = math.gcd(*volumes.tolist())
        best = math.ceil(Fraction(sum(sent), channels) / divisor) * divisor
        for j in range(1, len(sent)):
            if channels * j < len(sent):
                best = max(best, sum(sent[channels * j - j : channels * j + 1]))
        assert bounds._ports(demand, routes).value * Fraction(demand.unit) == best


@pytest.mark.parametrize(("volumes", "refuted"), [
    ((2, 7, 7), 1), ((2, 6, 7), 1), ((2, 6, 6), 0), ((2, 7, 8), 0), ((4, 4, 8), 4), ((2, 2, 2), 0),
])  # fmt: skip
def test_without_an_embedding_the_smallest_message_takes_a_channel_more(volumes, refuted):
    """A triangle on 2 x 2: eight channels of 2 must hold all, and less than the smallest is over.

    Then the next multiple of all volumes is the bound.
    """
    demand, routes = demand_on("mesh:2x2", Traffic([(0, 1), (1, 2), (2, 0)], volumes))
    whole = replace(demand, volume=np.array(volumes), unit=Fraction(1))
    bound = bounds._without_embedding(Bound(2, "before"), whole, routes)
    assert bound.value == 2 + refuted
    assert (bound.reason == "before") == (not refuted)
