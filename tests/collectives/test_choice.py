"""The choice of an algorithm: bounds below all, crossovers that are roots."""

from fractions import Fraction
from itertools import combinations, product
from math import ceil

import numpy as np
import pytest

from lccmodel import collectives
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.ranking import RankingCache, _falls
from lccmodel.collectives.times import Prices
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear, Piecewise
from tests.choosing import fast_only, sampled

F = Fraction
COST = Linear(5, "1/1000")


NETWORKS = ("torus:8", "torus:4x4", "mesh:4x4", "cube:3", "mesh:9", "torus:3x3", "torus:4*2",
            "fattree:2^3", "mesh:2")  # fmt: skip
LEVELS = ("mesh:2*2", "rails:2,2", "torus:2x2*2/2", "torus:4*2,nodes=0-4")
SITES = [*product(NETWORKS, [None]), *product(LEVELS, (F(0), F(1, 3)))]
FAST = ("mesh:2", None), ("torus:3x3", None), ("mesh:2*2", F(1, 3))


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(("network", "item"), fast_only(SITES, *FAST))
def test_no_algorithm_is_below_the_bound(network, ports, item):
    """Every one of every collective; with an `item` inside nodes, where α is next to nothing."""
    few = F(1, 1000)
    prices = (
        Prices(COST, F(3)) if item is None else Prices(Linear(few, 1), inside=Linear(few, item))
    )
    for collective in collectives.COLLECTIVES:
        for option in collectives.choose(collective, prices, 1, network, ports=ports).options:
            made = option.collective
            assert made.busiest >= made.bound.data, option.name
            assert made.start_ups >= made.bound.start_ups, option.name
            for m in (0, 100, 10**7) if item is None else (720,):
                best = made.best_segments(prices, m)
                assert best.time >= made.lower_bound(prices, m), (collective, option.name)


CABLES = {
    "two cables": ["a b", "a b", "b c 1/2", "c a 3", "c d 2", "c d 1/3", "d e"],
    "a star": ["a e 2", "b e 1/2", "c e", "d e 5", "a e"],
    "leaves": ["routers: L R", *(f"{h} L" for h in "abc"), *(f"{h} R" for h in "de"),
               "L R 1/4", "L R 1/4", "L R 1/3"],
}  # fmt: skip


@pytest.mark.parametrize("name", CABLES)
@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("ranks", ["abcde", "dba", "ec"])
def test_a_bound_is_the_largest_of_ports_sums_and_all_cuts(name, ports, ranks, tmp_path):
    """Counted on the list of links: every cable is one way out of a set, a rank, a neighbour."""
    file = tmp_path / "links.txt"
    file.write_text("\n".join(CABLES[name]))
    network, shared = as_network(f"graph:{file}"), name == "leaves"
    node_of, p = np.array([network.names.index(rank) for rank in ranks]), len(ranks)
    job = as_network(f"graph:{file}", node_of.tolist())
    words = [line.split() for line in CABLES[name][shared:]]
    ends = [(u, v, F(width[0] if width else 1)) for u, v, *width in words]
    ends += [(v, u, width) for u, v, width in ends]
    places = sorted({u for u, _, _ in ends})
    leaving = {rank: [w for u, _, w in ends if u == rank] for rank in ranks}
    cuts = []
    for size in range(1, len(places)):
        for some in map(set, combinations(places, size)):
            if 0 < (inside := len(some & {*ranks})) < p:
                far = inside if ranks[1] not in some else 0  # the root is on the other side
                wide = sum(w for u, v, w in ends if u in some and v not in some)
                cuts.append((inside, far, wide))
    alone = ports == "one" or shared
    sends = {rank: F(1) if alone else sum(leaving[rank], F(0)) for rank in ranks}
    fan = 1 if alone else max(map(len, leaving.values()))
    for collective in collectives.COLLECTIVES:
        whole = collective in ("allreduce", "broadcast", "reduce")
        one_root = collective in ("scatter", "gather")
        limits = {"port": (1 if whole else F(p - 1, p)) / min(sends.values())}
        if collective in ("broadcast", "reduce"):
            limits["port"] = max(limits["port"], 1 / sends[ranks[1]])
        if one_root:
            limits["port"] = max(F(p - 1, p) / sends[ranks[1]], F(1, p) / min(sends.values()))
        if collective == "allreduce":
            limits["sums"] = 2 * (p - 1) / sum(sends.values())
        if collective == "alltoall" and not shared:
            limits["cut"] = max(F(k * (p - k), p) / wide for k, _, wide in cuts)
        elif one_root:
            limits["cut"] = max(F(far, p) / wide for _, far, wide in cuts)
        elif collective != "alltoall":
            limits["cut"] = max((1 if whole else F(max(k, p - k), p)) / wide for k, _, wide in cuts)
        if collective == "barrier":
            limits = {"port": F(0)}
        bound = collective_bound(CollectiveProblem(collective, network, node_of, ports, root=1))
        assert (bound.data, bound.data) == (max(limits.values()), limits[bound.by]), collective
        assert (fan + 1) ** bound.start_ups >= p > (fan + 1) ** (bound.start_ups - 1)
        assert bound == collective_bound(CollectiveProblem(collective, job, ports=ports, root=1))


@pytest.mark.parametrize(
    ("network", "root", "hops"),
    [("mesh:5", 2, 2), ("mesh:5", 1, 3), ("mesh:3x3", 4, 2), ("mesh:9,nodes=1:4:6", 1, 3)],
)
def test_hops_of_a_tree_are_those_from_its_root(network, root, hops):
    for name in ("broadcast", "reduce"):
        problem = CollectiveProblem(name, as_network(network), ports="all", root=root)
        assert collective_bound(problem).hops == hops


def test_hops_are_those_of_the_shortest_way(tmp_path):
    """Up and down a tree to a neighbour takes two links, but a rank may pass data on by one."""
    file = tmp_path / "ring.txt"
    file.write_text("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n")
    where = as_network(f"graph:{file},routing=updown")
    assert where.diameter > 3
    assert collective_bound(CollectiveProblem("allreduce", where, np.arange(6), "all")).hops == 3


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize(
    "network", fast_only(["mesh:4x4", "torus:4x4", "fattree:2^4"], "torus:4x4")
)
def test_the_bound_of_a_job_is_that_of_its_nodes_in_the_whole(network, ports):
    """Links and distances are those of the whole network, on routes of the job or not."""
    for nodes in ([9, 1, 11], [8, 3, 4, 1, 9, 2, 5, 13]):
        whole, job = as_network(network), as_network(network, nodes)
        for kind in collectives.COLLECTIVES:
            on_job = CollectiveProblem(kind, job, ports=ports)
            on_whole = CollectiveProblem(kind, whole, nodes, ports)
            assert collective_bound(on_job) == collective_bound(on_whole)


@pytest.mark.parametrize("collective", ["broadcast", "reduce"])
def test_the_plans_of_a_choice_have_the_root_that_is_stated(collective):
    for root in (0, 2, 4):
        ranking = collectives.choose(collective, COST, 1000, "mesh:5", root=root, hop=7)
        for option in ranking.options:
            alone = collectives.collective_of(collective, option.name, "mesh:5", root=root)
            assert option.collective.plan.root == root, option.name
            assert option.time == alone.best_segments(COST, 1000, hop=7).time, option.name


PIECES = (
    Piecewise([(64, 2, "1/20"), (None, 6, "1/100")]),
    Piecewise([(40, 2, "1/20"), (128, 9, "1/50"), (None, 30, "1/100")]),
    Piecewise([(30, 2, 0), (None, Fraction(1, 2), "1/20")]),
    Piecewise([(30, 9, 1), (None, 20, "1/3")]),  # a longer message may cost less
    Linear(2, "1/10"),
)


@pytest.mark.parametrize(
    ("collective", "network", "only"),
    [
        ("allreduce", "torus:4", ("ring", "recursive-doubling", "swing", "bine", "chain-tree")),
        ("broadcast", "mesh:5", ("binomial", "chain", "scatter-ring")),
    ],
)
@pytest.mark.parametrize("cost", sampled(PIECES, 3), ids=range(len(PIECES)))
def test_the_best_of_every_whole_size_is_the_one_of_its_stretch(collective, network, only, cost):
    best = collectives.envelope(collective, cost, 1, 260, network, only=only)
    cache = RankingCache(best.problem)
    names = [cache.at(Fraction(m)).algorithm for m in range(1, 261)]
    turns = [m for m in range(2, 261) if names[m - 1] != names[m - 2]]
    for turn, root in zip(turns, best.crossovers, strict=True):
        assert turn in (ceil(root), root + 1)
        times = sorted(option.time for option in best.at(root).options)
        assert times[0] == times[1] or not isinstance(cost, Linear)  # where two lines meet
    assert list(best.algorithms) == [names[0], *(names[m - 1] for m in turns)]


STAYS = [
    *((network, Linear(10, "1/3"), ("binomial", "chain"), 4000)
      for network in ("mesh:5", "torus:16", "cube:4")),
    *(("mesh:5", Linear(a, F(k, 2)), ("binomial", "chain", "binary"), 600)
      for a, k in ((3, 1), (17, 3), (40, 2))),
    *(("mesh:6", cost, ("binomial", "chain"), 330) for cost in PIECES),
]  # fmt: skip


@pytest.mark.parametrize(("network", "cost", "only", "most"), sampled(STAYS, 3))
def test_the_fastest_stays_where_every_size_between_says_so(network, cost, only, most):
    """A tree, and a chain that overtakes it in many segments and in no few; size by size."""
    best = collectives.envelope("broadcast", cost, 1, most, network, only=only, hop=most % 7 % 2)
    cache = RankingCache(best.problem)
    sizes = sorted({int(m) for m in np.geomspace(1, most, 60)})
    names = [cache.at(F(m)).algorithm for m in sizes]
    stays = [
        (start, stop)
        for start, stop in combinations(range(len(sizes)), 2)
        if cache.stays(F(sizes[start]), F(sizes[stop]))
    ]
    assert all(len(set(names[start : stop + 1])) == 1 for start, stop in stays)
    if isinstance(cost, Linear):
        assert len(set(names)) >= 2 or network == "cube:4"
        assert len(stays) > len(sizes)


def test_a_barrier_has_no_sizes():
    cost = Piecewise([(F(64), F(2), F(1, 100)), (None, F(3), F(1, 300))])
    best = collectives.envelope("barrier", cost, 0, 3000, "mesh:7")
    assert best.algorithms == ("dissemination",)
    assert best.at(3000).time == best.at(0).time == 2 * 3


def test_choose_knows_the_network_of_a_machine_and_the_names_it_is_given():
    best = collectives.choose(
        "allreduce", Machine("torus:4x4", alpha=5, tau="1/1000", ports="all"), 10**6
    )
    assert (best.collective.network.spec, best.collective.ports) == ("torus:4x4", "all")
    again = collectives.choose("allreduce", COST, 10**6, "torus:4x4", ports="all")
    assert (best.algorithm, best.time) == (again.algorithm, again.time)
    star = collectives.own("star", "broadcast", lambda r, s, p: [(s + 1, [0])] if r == 0 else [],
                           lambda p: p - 1, lambda p: 1)  # fmt: skip
    more = collectives.choose("broadcast", COST, 9, "mesh:4", also=[star])
    assert "star" in [option.name for option in more.options]
    few = collectives.choose("broadcast", COST, 9, "mesh:4", only=["chain"])
    assert [option.name for option in few.options] == ["chain"]


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: collectives.choose("allreduce", COST, 1), "network: is required"),
        (lambda: collectives.choose("allreduce", COST, -1, "mesh:4"), "m: must not be negative"),
        (lambda: collectives.choose("sum", COST, 1, "mesh:4"), "collective: must be one of"),
        (lambda: collectives.choose("allreduce", 5, 1, "mesh:4"), "machine: must be a Machine"),
        (lambda: collectives.envelope("allreduce", COST, 9, 1, "mesh:4"), "must not exceed"),
        (lambda: collectives.choose("allreduce", COST, 1, "mesh:6", only=["bine"]), "power of two"),
    ],
)
def test_bad_input_is_refused(call, rule):
    with pytest.raises(InputError, match=rule):
        call()


@pytest.mark.parametrize(
    "cost", [Linear(7, 3), Linear(0, 2), Piecewise([(64, 5, 2), (None, 60, 1)])]
)
def test_the_time_of_a_bound_is_the_dearest_line_below_the_cost(cost):
    """Every line α + L τ that no message is below, for the start-ups and the data of the bound."""
    made = collectives.allreduce("rabenseifner", "mesh:8")
    least, lines = made.bound, [(line.alpha, line.tau) for line in cost.supports]
    for alpha, tau in lines:
        assert all(cost.time(L) >= alpha + L * tau for L in (0, 1, 64, 65, 1000, 10**6))
    for m in (0, 1, 100, 5000):
        dearest = max(least.start_ups * alpha + least.data * m * tau for alpha, tau in lines)
        assert made.lower_bound(cost, m) == dearest
        assert made.lower_bound(cost, m, hop=2) == dearest + 2 * least.hops


def test_a_cost_falls_where_a_longer_message_costs_less():
    """Just above the end of a piece, for 300 costs of whole numbers."""
    draw, seen = np.random.default_rng(4), set()
    for _ in range(300):
        ends = np.cumsum(draw.integers(1, 6, int(draw.integers(0, 3)))).tolist()
        lines = draw.integers(0, 9, (len(ends) + 1, 2)).tolist()
        cost = Piecewise([(end, *line) for end, line in zip([*ends, None], lines, strict=True)])
        rises = [cost.time(end + F(1, 10**6)) - cost.time(end) for end in ends]
        assert _falls(cost) == any(rise < -F(1, 2) for rise in rises), cost
        seen.add(_falls(cost))
    assert seen == {True, False}


def test_a_cost_without_a_line_below_it_has_paced_plans_too():
    """Free up to 7 items, then steeper: no line through 0 is below; it ended in a traceback."""
    steep = Piecewise([(7, 0, 0), (20, Fraction(-7), 1), (None, Fraction(-27), 2)])
    for kind in ("broadcast", "reduce"):
        best = collectives.envelope(kind, steep, 1, 30, "mesh:4", only=("binomial", "circulant"))
        names = [best.at(m).algorithm for m in range(1, 31)]
        ends = [int(end) for end in best.ends]
        assert [names[end - 1] for end in ends[:-1]] == list(best.algorithms)


def test_old_names_of_an_envelope_warn():
    best = collectives.envelope("barrier", COST, 1, 1, "mesh:2")
    for old, new in (("question", "problem"), ("asked", "cache")):
        with pytest.warns(DeprecationWarning, match=f"{old}: use {new}"):
            assert getattr(best, old) is getattr(best, new)


@pytest.mark.parametrize("network", ["mesh:2", "torus:4", "cube:3"])
def test_twins_take_the_same_time_in_any_number_of_segments(network):
    twins = []
    for kind in ("allreduce", "broadcast", "allgather"):
        cache = RankingCache(collectives.envelope(kind, COST, 1, 1, network).problem)
        options = collectives.choose(kind, COST, 1, network).options
        for one, other in combinations([option.collective for option in options], 2):
            cut = one.loads().segmentable and other.loads().segmentable
            agree = all(
                one.time(COST, m, Q) == other.time(COST, m, Q)
                for m in (0, 1000, 10**6)
                for Q in (range(1, 9) if cut else (1,))
            )
            twins.append(cache.are_twins(one.loads(), other.loads()))
            assert agree or not twins[-1], (one.name, other.name)
    assert {*twins} == {True, False}
