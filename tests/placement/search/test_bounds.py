"""Lower bounds hold for every placement: against brute force, each by itself."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.lattice.programme import OBJECTIVES, Objective
from lccmodel.network import RouteTable, as_network, parse_network
from lccmodel.placement.search import bounds, place
from lccmodel.placement.search.bounds import Bound, _extents, _parts, lower_bound
from lccmodel.placement.search.distance_bounds import least_sums, uniform_cliques
from lccmodel.placement.search.exact import settle
from lccmodel.placement.search.problem import demand_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.spectrum import sums_at_least, sums_at_most
from tests.choosing import sampled, slow
from tests.placement.search.brute_force import least_value, loads_alone

NETWORKS = ("torus:4x3", "mesh:3x4", "torus:6x2", "torus:3x2x2", "mesh:2x2*3", "torus:11",
            "torus:3x2*2,bandwidth=1:2", "cube:3", "origin:3", "mesh:7", "mesh:1x5")  # fmt: skip


@pytest.mark.parametrize("word", NETWORKS)
def test_no_group_is_closer_together_than_the_bound(word: str) -> None:
    """W(g) against every set of g places; exact on one and two axes (`placement.compact`)."""
    network = parse_network(word)
    routes = Routes.of(network)
    n = network.size
    distance = np.array([[network.distance(u, v) for v in range(n)] for u in range(n)])
    bound = least_sums(routes, tuple(range(1, n + 1)))
    for g in range(1, n + 1):
        sets = map(list, combinations(range(n), g))
        least = min(int(distance[np.ix_(chosen, chosen)].sum()) for chosen in sets)
        assert bound[g] <= least, (word, g)
        if routes.ports == 1 and len(routes.axes) <= 2:
            assert bound[g] == least, (word, g)  # near miss: one more would be refuted


def _layers(group: int, largest: int, layers: int) -> Iterator[tuple[int, ...]]:
    """All s_0 >= s_1 >= ... >= 1 that add up to a group."""
    if not group:
        yield ()
    elif layers:
        for s in range(min(group, largest), 0, -1):
            yield from ((s, *rest) for rest in _layers(group - s, s, layers - 1))


def _stated(ports: int, lengths: list[tuple[int, bool]], group: int) -> int:
    """The bound on W(group) as `placement.compact` states it, axis by axis, in fractions."""
    near, cross, capacity = [0], {}, ports
    nearest = [0] * ports
    for axis, (length, ring) in enumerate(lengths):
        places = [(k + 1) // 2 if k % 2 else -(k // 2) for k in range(length)]
        away = [[abs(x - y) for y in places] for x in places]
        if ring:
            away = [[min(d, length - d) for d in row] for row in away]
        nearest = sorted(d + from_place for d in away[0] for from_place in nearest)
        near = [sum(nearest[:a]) for a in range(len(nearest) + 1)]

        def least(
            g: int, away: Any = away, cross: Any = cross, near: Any = near, most: int = capacity
        ) -> int:
            sums = (
                sum(
                    s * t * away[k][j] + cross.get((s, t), 0)
                    for k, s in enumerate(layers)
                    for j, t in enumerate(layers)
                )
                for layers in _layers(g, most, len(away))
            )
            return max(min(sums), g * near[g])

        if axis + 1 == len(lengths):
            return least(group)
        one = ports == 1 and axis == 0
        alone = {a: least(a) for a in range(1, min(capacity * length, group) + 1)}
        cross = {
            (a, b): sum(sum(row[:b]) for row in away[:a]) if one else alone[a] if a == b
            else max(math.ceil((b * Fraction(alone[a], a) + a * Fraction(alone[b], b)) / 2),
                     a * near[b], b * near[a])
            for a in alone for b in alone
        }  # fmt: skip
        capacity *= length
    return 0


@pytest.mark.parametrize("word", [
    "torus:3x2x2", "mesh:2x2*3", "mesh:3x3x3", "torus:4x3x2", "origin:4", "torus:2x3*2",
    "mesh:2x2x2x2", "torus:5x4", "mesh:9", "mesh:2x8", "torus:9x2", "mesh:8x3",
])  # fmt: skip
def test_the_bound_is_the_one_that_is_stated(word: str) -> None:
    """Three facts about layers, for every size of a group, without giving up any layers early."""
    network = parse_network(word)
    routes = Routes.of(network)
    lengths = sorted((int(n), bool(ring)) for _, n, ring in routes.axes.tolist())
    sizes = tuple(range(1, min(network.size, 14) + 1))
    assert least_sums(routes, sizes) == {g: _stated(routes.ports, lengths, g) for g in sizes}


def test_groups_cover_what_is_sent_once() -> None:
    """Random volumes: pairs of one volume fall into groups, each pair into one."""
    rng = np.random.default_rng(11)
    for ranks in (2, 5, 9):
        for _ in range(10):
            pairs = [(u, v) for u in range(ranks) for v in range(ranks) if u != v]
            volumes = rng.integers(0, 3, len(pairs))
            sent = [(*pair, int(v)) for pair, v in zip(pairs, volumes, strict=True) if v]
            columns = np.array(sent, np.int64).reshape(-1, 3).T
            both: Counter[frozenset[int]] = Counter()
            for u, v, volume in sent:
                both[frozenset((u, v))] += volume
            for each in set(both.values()):
                groups = [g for g in uniform_cliques(*columns, ranks) if g[1] == each]
                covered = sum(number * size * (size - 1) // 2 for size, _, number in groups)
                assert covered == list(both.values()).count(each)
                assert len({size for size, _, _ in groups}) == len(groups)


def _beginnings(group: int, largest: int, layers: int) -> int:
    """How many beginnings s_0 >= s_1 >= ... of at most so many layers can still hold a group."""
    sizes = [s for s in range(1, min(group, largest) + 1) if s * layers >= group]
    more = (s for s in sizes if s < group and layers > 1)
    return len(sizes) + sum(_beginnings(group - s, s, layers - 1) for s in more)


@pytest.mark.parametrize(("sides", "pattern", "word"), sampled([
    ((4, 2), "all-to-all", "torus:4x2"), ((8,), "rings", "torus:4x2"),
    ((2, 2, 2), "rings", "mesh:4x2"), ((4, 2), "rings", "mesh:2x4"),
    ((2, 4), "all-to-all", "torus:8"), ((3, 2), "all-to-all", "torus:7"),
    ((4, 2), "rings", "cube:3"), ((6,), "all-to-all", "torus:3x2,bandwidth=1:2"),
    ((2, 4), "all-to-all", "mesh:2x2*2"),
], 3))  # fmt: skip
def test_bounds_of_grids_hold_for_every_placement(
    sides: tuple[int, ...], pattern: str, word: str
) -> None:
    """All placements, every channel walked by the network itself."""
    program = ProcessGrid(sides).program(pattern)
    network = parse_network(word)
    routes = Routes.of(network)
    demand = demand_of(program, "joint", None, routes)
    bound = lower_bound(demand, routes).value * demand.unit
    assert 0 < bound <= least_value(program, word, "joint")


def test_groups_are_found_in_what_is_sent() -> None:
    """The rows and columns of a process grid, by their volumes; rings fall into pairs."""
    program = ProcessGrid((4, 3)).program("all-to-all", (2, 5))
    demand = demand_of(program, "joint", None, Routes.of(parse_network("torus:4x3")))
    ends = demand.source, demand.destination, demand.volume, demand.ranks
    assert sorted(uniform_cliques(*ends)) == [(3, 10, 4), (4, 4, 3)]
    one_way = np.array([0, 1, 2]), np.array([1, 2, 0]), np.array([7, 7, 7]), 3
    assert uniform_cliques(*one_way) == [(3, 7, 1)]
    assert uniform_cliques(*(np.zeros(0, np.int64),) * 3, 3) == []


@pytest.mark.parametrize("sides", [(8, 2), slow(((2, 8),)), slow(((16,),))])
def test_groups_bound_all_to_all_better_than_nearest_places(sides: tuple[int, ...]) -> None:
    program = ProcessGrid(sides).program("all-to-all")
    routes = Routes.of(parse_network("torus:4x4"))
    demand = demand_of(program, "joint", None, routes)
    groups = uniform_cliques(demand.source, demand.destination, demand.volume, 16)
    sums = least_sums(routes, tuple(size for size, _, _ in groups))
    together = sum(sums[size] * each * number // 2 for size, each, number in groups)
    assert together >= bounds.least_distance(demand, routes)
    m = place(program, "torus:4x4", "joint", "placements", seconds=0.03)
    assert m.after.distance >= together


@pytest.mark.slow
def test_rings_that_fill_every_channel_but_fit_nowhere() -> None:
    """4 x 16 ranks in rings do not fit on 8 x 8: load 1 would need one channel for each message."""
    for sides in ((16, 4), (4, 16)):
        m = place(
            ProcessGrid(sides).program("rings"), "torus:8x8", "joint", "placements", seconds=0
        )
        assert m.lower_bound == 2
        assert "exhaustive search" in m.bound
    fits = place(
        ProcessGrid((8, 8)).program("rings"), "torus:8x8", "joint", "placements", seconds=0
    )
    assert (fits.lower_bound, fits.after.value) == (1, 1)  # the control: it does fit


@pytest.mark.parametrize("seed", range(6))
def test_every_cut_carries_what_the_spectral_gap_says(seed: int) -> None:
    """Volume between k of n ranks and the others >= gap k (n - k) / n, for all 2^n sets."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    pairs = rng.integers(0, n, (4 * n, 2))
    if seed == 0:  # all-to-all: every cut carries exactly that, and a larger gap would not hold
        pairs = np.argwhere(~np.eye(n, dtype=bool))
    traffic = Traffic(pairs, rng.integers(1, 9, len(pairs)) if seed else None, n)
    routes = Routes.of(parse_network("torus:4x4"))
    demand = demand_of(Program.of(traffic), "joint", None, routes).merged
    sums, most = sums_at_least(demand), sums_at_most(demand)
    assert len(sums) == len(most) == n + 1
    assert all(low <= high for low, high in zip(sums, most, strict=True))
    assert sums[1] == most[1] == 0
    least = [after - before for before, after in pairwise(sums)]
    gap, slack = least[1], []
    for chosen in range(1, (1 << n) - 1):
        inside = np.array([chosen >> k & 1 for k in range(n)], bool)
        k = int(inside.sum())
        cut = int(demand.volume[inside[demand.source] != inside[demand.destination]].sum())
        slack.append(cut - gap * k * (n - k) / n)
    assert min(slack) >= 0
    assert seed or max(slack) < 1e-3
    parts = []  # of all ways to cut the ranks into parts of at most two or three
    for h in (2, 3):
        for labels in product(range(n), repeat=n) if n <= 5 else ():
            sizes = sorted(Counter(labels).values(), reverse=True)
            if sizes[0] <= h:
                where = np.array(labels)
                cut = int(demand.volume[where[demand.source] != where[demand.destination]].sum())
                parts.append(cut - sum(m * e for m, e in zip(sizes, least, strict=False)) / 2)
    assert min(parts, default=0) >= 0


def test_a_gap_that_says_no_more_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The upper estimate decides; where it leaves room, the bound is by the eigenvalue."""
    routes = Routes.of(parse_network("mesh:16x4"))
    calls = []
    monkeypatch.setattr(bounds, "sums_at_least", lambda d: calls.append(d) or sums_at_least(d))
    ring = Traffic([(x, (x + 1) % 64) for x in range(64)])
    demand = demand_of(Program.of(ring), "joint", None, routes)
    assert lower_bound(demand, routes) == lower_bound(demand, routes, arguments="counting")
    assert not calls
    rng = np.random.default_rng(3)
    pairs = np.concatenate([np.stack([np.arange(64), rng.permutation(64)], 1) for _ in range(8)])
    demand = demand_of(Program.of(Traffic(pairs)), "joint", None, routes)
    with_gap, without = (
        lower_bound(demand, routes),
        lower_bound(demand, routes, arguments="counting"),
    )
    assert len(calls) == 1
    assert with_gap.value > without.value
    assert with_gap.reason.endswith("by the spectrum")


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
def test_no_bound_of_a_table_is_above_the_best_of_all_placements(
    network: RouteTable, problem: tuple[Program, str, Objective]
) -> None:
    """As above, where routes are listed: routers without nodes, several cables, bandwidths."""
    program, _, objective = problem
    if program.ranks <= network.size:
        test_no_bound_is_above_the_best_of_all_placements.hypothesis.inner_test(
            (program, network, objective)
        )


def _all_to_all(ranks: int) -> Program:
    return Program.of(list(permutations(range(ranks), 2)))


@given(problems())
@example((Program.of(Traffic([(0, 1), (0, 2)], [2500, 2501], 4)),
          "mesh:2x2,bandwidth=2500:2501", "joint"))  # fmt: skip
@example((_all_to_all(6), "mesh:4x2", "joint"))
def test_no_bound_is_above_the_best_of_all_placements(
    problem: tuple[Program, str | RouteTable, Objective],
) -> None:
    """Random bandwidths, phases and free places, all objectives; branch and bound agrees, too."""
    program, word, objective = problem
    routes = Routes.of(as_network(word))
    demand = demand_of(program, objective, None, routes)
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
def test_no_bound_of_all_to_all_is_above_the_best_choice_of_places(word: str) -> None:
    """All ranks are alike: every set of places, so that many may stay free.

    On mesh:3*4 nine ranks are best three at a router (18); a full router would send 20.
    """
    network, routes = parse_network(word), Routes.of(parse_network(word))
    sets = np.arange(1 << network.size)[:, None] >> np.arange(network.size) & 1
    alone = loads_alone(word)
    loads = np.tensordot(sets, alone.reshape(network.size, network.size, -1), 1)
    loads = (loads * sets[:, :, None]).sum(axis=1).reshape(-1, *alone.shape[2:])
    widths = [network.bandwidths[network.row_dimension(row)] for row in range(alone.shape[2])]
    for n in range(2, network.size + 1):
        most = loads[sets.sum(axis=1) == n].max(axis=2).tolist()
        least = min(max(load / width for load, width in zip(one, widths, strict=True))
                    for one in most)  # fmt: skip
        demand = demand_of(_all_to_all(n), "joint", None, routes)
        assert lower_bound(demand, routes).value * demand.unit <= least
        assert (word, n) != ("mesh:3*4", 9) or least == 18


def test_branch_and_bound_with_huge_volumes_is_exact() -> None:
    """Volumes near 2^48: what all channels can hold was compared in floating point."""
    rng = np.random.default_rng(8)
    volumes = (1 << 41) + rng.integers(0, 3, 12)
    program = Program.of(Traffic(list(permutations(range(4), 2)), volumes, 4))
    for word in ("mesh:2x2,bandwidth=3:7", "torus:5,bandwidth=997", "mesh:3x2,bandwidth=101:103"):
        routes = Routes.of(parse_network(word))
        demand = demand_of(program, "joint", None, routes)
        settled = settle(demand, routes, np.arange(4))
        assert settled.value * demand.unit == least_value(program, word, "joint")


def test_parts_of_a_tree_bound_what_leaves_its_switches() -> None:
    """A grid of 8 x 8 ranks, 4 hosts a switch: eigenvalues say more than sets do."""
    program = ProcessGrid((8, 8)).program("stencil", (100, 99))
    routes = Routes.of(parse_network("fattree:4^3"))
    demand = demand_of(program, "joint", None, routes)
    by_sets, by_spectrum, by_programs = (
        lower_bound(demand, routes, arguments=arguments)
        for arguments in ("counting", "eigenvalues", "programs")
    )
    assert by_sets.value < by_spectrum.value < by_programs.value
    assert by_programs.value <= 200  # blocks of 2 x 2: two sides of two channels each, four links
    assert "eigenvalues" in by_spectrum.reason
    assert "a linear program" in by_programs.reason


@pytest.mark.parametrize(
    "word", ["dragonfly:2,3,1", "dragonfly:2,2,1", "hyperx:4x2*2", "slimfly:5"]
)
def test_what_leaves_all_routers_is_every_link_once(word: str) -> None:
    """The finest parts are routers; what leaves them together is what all links carry."""
    routes = Routes.of(parse_network(word))
    most, capacity, name = next(iter(bounds._equal_parts(routes)))
    links = sum(Fraction(routes.scale) / int(cost) for cost in routes.cost[routes.real])
    assert (most, capacity) == (max(Counter(routes.at.tolist()).values()), links)
    assert str(most) in name


@pytest.mark.parametrize(("word", "channels", "shared"), [("torus:4x4", 4, 1), ("torus:9*2", 2, 2)])
def test_messages_of_a_rank_share_the_ports_of_its_node(
    word: str, channels: int, shared: int
) -> None:
    """Of the c j + 1 largest some j + 1 share one of c channels; a rank beside it needs none."""
    routes = Routes.of(parse_network(word))
    for seed in range(40):
        rng = np.random.default_rng(seed)
        volumes = rng.integers(1, 9, rng.integers(2, 15))
        pairs = np.array([(0, k + 1) for k in range(len(volumes))])[:, :: 1 if seed % 2 else -1]
        demand = demand_of(Program.of(Traffic(pairs, volumes)), "joint", None, routes)
        unit = Fraction(demand.unit)
        sent = sorted(volumes.tolist(), reverse=True)[shared - 1 :]
        divisor = math.gcd(*volumes.tolist())
        best = math.ceil(Fraction(sum(sent), channels) / divisor) * divisor
        for j in range(1, len(sent)):
            if channels * j < len(sent):
                best = max(best, sum(sent[channels * j - j : channels * j + 1]))
        assert bounds._ports(demand, routes).value * unit == best


@pytest.mark.parametrize("length", [1, 2, 3, 7, 16, 17, 18, 40, 41])
def test_extents_of_boxes(length: int) -> None:
    """Every one up to 16; then one, both halves and all."""
    few = {1, length // 2, length - length // 2, length} - {0}
    assert _extents(length) == (sorted(few) if length > 16 else list(range(1, length + 1)))


@pytest.mark.parametrize("most", [4096, 3])
@pytest.mark.parametrize(
    "word", ["mesh:4x6", "torus:4x3", "torus:2x2x4", "mesh:5", "mesh:4x2*3,bandwidth=2:3", "cube:3"]
)
def test_between_equal_boxes_lie_all_channels_that_join_two_of_them(
    word: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every way to cut sides into equal parts, or (of very many) only whole ones and single nodes.

    The capacity is counted channel by channel, from the routers that each joins.
    """
    monkeypatch.setattr("lccmodel.placement.search.bounds._MAX_BOXES", most)
    routes = Routes.of(parse_network(word))
    strides, lengths = routes.axes[:, 0], routes.axes[:, 1].tolist()
    sides = [[e for e in range(1, n + 1) if n % e == 0] for n in lengths]
    if math.prod(map(len, sides)) > most:
        sides = [[1, n] for n in lengths]
    expected = set()
    for extents in product(*sides):
        ends = [
            at[routes.real][:, None] // strides % lengths for at in (routes.tails, routes.heads)
        ]
        apart = (ends[0] // extents != ends[1] // extents).any(axis=1)
        capacity = sum((Fraction(1, int(k)) for k in routes.cost[routes.real][apart]), Fraction(0))
        if capacity:
            expected.add((math.prod(extents) * routes.ports, capacity, "x".join(map(str, extents))))
    found = {(inside, each, name.split()[2]) for inside, each, name in _parts(routes)}
    assert found == expected


@pytest.mark.parametrize(
    ("volumes", "refuted"),
    [
        ((2, 7, 7), 1),
        ((2, 6, 7), 1),
        ((2, 6, 6), 0),
        ((2, 7, 8), 0),
        ((4, 4, 8), 4),
        ((2, 2, 2), 0),
    ],
)
def test_without_an_embedding_the_smallest_message_takes_a_channel_more(
    volumes: tuple[int, ...], refuted: int
) -> None:
    """A triangle on 2 x 2: eight channels of 2 must hold all, and less than the smallest is over.

    Then the next multiple of all volumes is the bound.
    """
    routes = Routes.of(parse_network("mesh:2x2"))
    triangle = Program.of(Traffic([(0, 1), (1, 2), (2, 0)], volumes))
    demand = demand_of(triangle, "joint", None, routes)
    whole = replace(demand, volume=np.array(volumes), unit=Fraction(1))
    found = bounds._without_embedding(Bound(2, "before"), whole, routes)
    assert found.value == 2 + refuted
    assert (found.reason == "before") == (not refuted)
