"""Cases of plans, times, choices and bounds, each compared with a second route.

Every plan is replayed and its messages are walked, the times of all numbers of segments near by are
counted, and all are compared with the bounds. `checked(case)` returns how many were.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np

from lccmodel import collectives
from lccmodel.collectives import times
from lccmodel.collectives.algorithms import Site
from lccmodel.collectives.bounds import CollectiveBound, collective_bound, hops_between
from lccmodel.collectives.catalogue import ALGORITHMS
from lccmodel.collectives.decision_files import RulesFile, SizeRule, rules_file
from lccmodel.collectives.libraries import words_of
from lccmodel.collectives.mpich_tables import MpichTable
from lccmodel.collectives.ranking import RankingCache
from lccmodel.collectives.rings import hamiltonian_cycles
from lccmodel.collectives.steps import ROOTED
from lccmodel.errors import InputError
from lccmodel.network import as_network
from lccmodel.pipelining.message_cost import Linear, Piecewise
from tests.collectives.test_loads import walked

NETWORKS = ("cube:3", "torus:6", "mesh:3x2", "torus:4x2", "torus:4*2", "fattree:2x3/2")
COSTS = {
    "dear": Linear(1000, 1),
    "cheap": Linear(1, "3/7"),
    "pieces": Piecewise([(64, 5, 1), (1024, 40, "1/2"), (None, 300, "1/3")]),
    "free": Linear(0, 1),
    "tiny": Linear("1/100000", "1/9000"),
    "falls": Piecewise([(30, 50, 1), (100, 20, "1/2"), (None, 100, "1/9")]),
    "steep": Piecewise([(7, 0, 0), (20, Fraction(-7), 1), (None, Fraction(-27), 2)]),
    "nothing": Linear(3, 0),
    "even": Linear(3, 2),
    "one": Piecewise([(5, 0, 1), (None, 0, 1)]),
    "step": Piecewise([(9, 0, 1), (None, 1, 1)]),
}
SEGMENTS = [
    f"{kind} {name} {network} {ports} | {cost} {m} {hop} {add}"
    for k, (kind, name, network) in enumerate(
        (kind, name, network)
        for kind, name, network in (
            ("broadcast", "chain", "mesh:9"), ("broadcast", "binomial", "cube:3"),
            ("reduce", "binomial", "torus:6"), ("allreduce", "chain-tree", "torus:5"),
            ("allreduce", "double-tree", "cube:4"), ("allreduce", "ring", "torus:6"),
            ("allreduce", "recursive-doubling", "mesh:8"),
            ("broadcast", "scatter-ring", "mesh:3x3"),
            ("allgather", "bruck", "mesh:3x2"), ("alltoall", "exchange", "torus:4x4"),
            ("alltoall", "pairwise", "fattree:2^3"),
            ("broadcast", "chain", "mesh:2"), ("barrier", "dissemination", "torus:7"),
            ("broadcast", "circulant", "torus:7"), ("reduce", "circulant", "mesh:3x2"),
        )
    )
    for cost, m, hop, add in (
        ("dear", 10_000, 0, 0), ("cheap", 10_000, 2, 1), ("pieces", 50_000, 0, "1/5"),
        ("pieces", 70, 1, 0), ("free", 12, 3, 0), ("dear", 0, 0, 0),
        ("tiny", 100, 0, 0), ("tiny", 7, "1/100000", "1/12345"),
    )
    for ports in [("one", "all")[(k + int(m)) % 2]]
]  # fmt: skip
TIES = (
    "broadcast chain mesh:7 one | even 12 1 0", "broadcast binomial mesh:8 one | one 16 0 0",
    "broadcast split-binary torus:9 all | step 8 1 0", "broadcast chain mesh:7 all | even 12 1 0",
    "broadcast binomial mesh:4 one | pieces 900 0 0", "reduce binomial mesh:5 all | pieces 70 0 1",
)  # fmt: skip
"""Numbers of segments that are as fast as others, or bounds that are met."""
BOUNDS_OF_TIMES = [
    f"{kind} {name} {network} {ports} | {cost} {m} {hop} {add}"
    for k, (kind, name, network) in enumerate(
        (
            ("broadcast", "chain", "mesh:5"), ("broadcast", "binomial", "mesh:2"),
            ("broadcast", "binary", "torus:7"), ("reduce", "chain", "torus:4*2"),
            ("allreduce", "chain-tree", "mesh:4"), ("allreduce", "ring", "torus:3"),
            ("allreduce", "double-tree", "mesh:6"), ("broadcast", "split-binary", "torus:6"),
            ("broadcast", "scatter-ring", "mesh:4,bandwidth=2/3"),
            ("allgather", "bruck", "mesh:5"),
            ("broadcast", "chain", "mesh:2"), ("alltoall", "linear", "torus:4"),
            ("allreduce", "hierarchical", "torus:3*2"), ("broadcast", "chain", "fattree:2x3/2"),
            ("broadcast", "circulant", "mesh:5"), ("reduce", "circulant", "fattree:2x3/2"),
        )
    )
    for cost, m, hop, add in (
        ("pieces", 900, 0, 0), ("cheap", "77/3", 2, "1/7"), ("falls", 400, 0, 1),
        ("free", 5, 0, 0), ("steep", 60, 1, 0), ("nothing", 40, 0, 2),
    )
    for ports in [("one", "all")[(k + len(cost)) % 2]]
]  # fmt: skip
CHOICES = [
    f"{kind} {network} {ports} {cost}"
    for k, kind in enumerate(collectives.COLLECTIVES)
    for network, ports, cost in (
        ("torus:4x2", "one", "cheap"), ("mesh:6", "all", "dear"), ("cube:3", "one", "pieces"),
        ("torus:3*2", "all", "cheap"), ("fattree:2^3", "one", "dear"), ("mesh:2", "one", "cheap"),
    )
    if cost != "pieces" or kind in ("broadcast", "alltoall")
]  # fmt: skip
BOUNDED = (
    "cube:3", "mesh:7", "mesh:3x3", "torus:5", "torus:4x3", "torus:2x3*2", "origin:3", "torus:9x9",
    "mesh:4x2,bandwidth=3:1", "fattree:2x3/2", "dragonfly:1,2,1", "hyperx:3x2", "mesh:5x14",
    "torus:4x4,nodes=0-9", "cube:7", "mesh:2",
)  # fmt: skip
FRONTS = ("mesh:3", "torus:4", "mesh:2x2", "cube:2", "torus:3", "mesh:2")
SITES = [
    (p, sides, wraps, ports)
    for p, sides in ((1, (1,)), (2, (2,)), (3, (3,)), (5, (5,)), (6, (2, 3)), (8, (2, 2, 2)),
                     (8, (2, 4)), (9, (3, 3)), (10, (10,)), (12, (4, 3)))
    for wraps, ports in ((True, "one"), (False, "all"), (True, "all"))
    if len(sides) > 1 or wraps
]  # fmt: skip
LIBRARIES = ("ompi", "ompi6", "mpich", "nccl")
_COLLECTIVES = (
    "allreduce",
    "allgather",
    "alltoall",
    "barrier",
    "bcast",
    "reduce",
    "reduce_scatter",
)
_OWN = MpichTable({f"collective={name}": {"algorithm=MPIR_Own": {}} for name in _COLLECTIVES})


def _loads(kind: str, name: str) -> int:
    told: list[Any] = []
    for network in NETWORKS:
        where = as_network(network)
        for shift, ports in enumerate(("all", "one")):
            if not ALGORITHMS[kind, name].covers(Site.on(where, ports=ports)):
                continue
            node_of = (np.arange(where.size) + shift) % where.size
            root = where.size - 1 if kind in ("broadcast", "reduce") and shift else 0
            made = collectives.collective_of(
                kind, name, network, ports=ports, node_of=node_of, root=root
            )
            assert made.replay().ok
            loads, bound = made.loads(), made.bound
            if network[0] in "cmt" and "*" not in network and shift:
                assert list(loads.per_step) == walked(loads)
            assert made.busiest == sum(loads.per_step) >= bound.data
            assert made.start_ups >= bound.start_ups
            told.append((made.steps, made.start_ups, made.busiest, loads.per_step_costs))
            told.append((loads.full, sorted(loads.costs(2).items()), loads.segmentable))
    return len(told)


def _segments(which: str, asked: str) -> int:
    kind, name, network, ports = which.split()
    cost, m, hop, add = asked.split()
    made = collectives.collective_of(kind, name, network, ports=ports)
    prices = {"hop": hop, "add": add}
    best = made.best_segments(COSTS[cost], int(m), **prices)
    assert best.time >= made.lower_bound(COSTS[cost], int(m), **prices)
    most = 40 if made.loads().segmentable else 1
    near = [best.segments + d for d in (-2, -1, 1, 2)] + [2 * best.segments, 3 * best.segments]
    for Q in {*range(1, most), *(Q for Q in near if most > 1 and 1 <= Q <= 1 << 20), 1}:
        time = made.time(COSTS[cost], int(m), Q, **prices)
        assert time > best.time or (time == best.time and Q >= best.segments)
    assert best.time == made.time(COSTS[cost], int(m), best.segments, **prices)
    return best.tried


def _bounds_of_times(which: str, asked: str) -> int:
    """Bounds over numbers of segments and sizes, against every number and size by itself."""
    kind, name, network, ports = which.split()
    cost, m, hop, add = asked.split()
    made = collectives.collective_of(kind, name, network, ports=ports)
    loads, size, told = made.loads(), Fraction(m), list[Any]()
    prices = times.prices_of(COSTS[cost], hop, add)
    best = made.best_segments(prices, size)
    told.append(best[:3])
    if not loads.segmentable:
        return len(told)
    at = {Q: times.time_of(loads, prices, size, Q) for Q in range(1, 41)}
    assert best.time == min([best.time, *at.values()])
    timer = times.Timer(loads, prices, size)
    paced = loads.plan.paced is not None  # then `least_of_more` alone is a bound
    spans = ((1, 3), (1, 9), (2, 5), (3, 17), (5, 41), (1, 41), (16, 40))
    for low, high in () if paced else spans:
        bound, Q = times._least(timer, low, high)
        assert low < Q < high
        assert bound <= min(at[q] for q in range(low + 1, high))
        told.append((bound, Q))
    for few in (1, 4, 12):
        told.append(times.least_of_more(loads, prices, size, few))
        assert told[-1] <= min(at[q] for q in range(few + 1, 41))
    rises = not any(c.alpha + u * c.tau < b.alpha + u * b.tau
                    for b, c in pairwise(prices.cost.pieces) for u in [b.up_to])  # fmt: skip
    for most in (1, 40, 3000) if rises else ():
        slope = times.least_slope(loads, prices, Fraction(most))
        for Q in (1, 2, 7, 40):
            ends = [times.time_of(loads, prices, Fraction(x), Q) for x in (0, most // 3, most)]
            assert all(
                z - y >= slope * (b - a)
                for (a, b), (y, z) in zip(
                    pairwise((0, most // 3, most)), pairwise(ends), strict=True
                )
            )
        told.append(slope)
    for Q, low, high in ((1, 1, 300), (3, 10, 500), (30, 0, 900)):
        turns = sorted({*times.turns_of(loads, prices, Q, Fraction(low), Fraction(high))})
        assert all(low < turn < high for turn in turns)
        for a, b in pairwise([Fraction(low), *turns, Fraction(high)]):
            ends = [times.time_of(loads, prices, x, Q) for x in (a, Fraction(int(a + b) // 2), b)]
            whole = Fraction(int(a + b) // 2)
            if a < whole < b:
                assert (ends[1] - ends[0]) * (b - whole) == (ends[2] - ends[1]) * (whole - a)
        told.append(turns)
    told.append(times.line_of(loads, prices, 2))
    return len(told)


def _planned(kind: str, name: str) -> int:
    """Every message of a plan on rows, grids and cubes, once the plan has been replayed."""
    told: list[Any] = []
    for p, sides, wraps, ports in SITES:
        site = Site(p, sides, wraps, 2 if p % 2 == 0 < p - 2 else 1, ports, p // 3)
        if ALGORITHMS[kind, name].covers(site):
            plan = ALGORITHMS[kind, name].on(site)
            assert plan.replay().ok
            told.append((plan.root, plan.blocks, [tuple(row) for row in plan.transfers()]))
    return len(told)


def _chosen(kind: str, network: str, ports: str, cost: str) -> int:
    found = collectives.envelope(kind, COSTS[cost], 1, 100_000, network, ports=ports, hop=1)
    for m in (1, 17, 1000, 99_999, *found.crossovers):
        ranking = collectives.choose(kind, COSTS[cost], m, network, ports=ports, hop=1)
        times = [option.time for option in ranking.options]
        assert times == sorted(times)
        assert ranking.time == min(
            option.collective.best_segments(COSTS[cost], m, hop=1).time
            for option in ranking.options
        )
        assert found.at(m).time == ranking.time
        names = [option.name for option in ranking.options]
        assert ranking.algorithm == names[0]
    middle = [(a + b) / 2 for a, b in pairwise(found.ends)]
    for m, name in zip(middle, found.algorithms, strict=True):
        chosen = found.at(m)
        assert any(o.name == name and o.time == chosen.time for o in chosen.options)
    return len(found.algorithms)


def _bounded(word: str) -> int:
    network, told = as_network(word), list[CollectiveBound]()
    draw = np.random.default_rng(network.size)
    inside = nx.DiGraph(network.graph()) if network.size < 30 else None
    for ranks in sorted({network.size, (network.size + 1) // 2, 1}):
        node_of = draw.permutation(network.size)[:ranks]
        for kind in collectives.COLLECTIVES:
            rooted = kind in ROOTED
            for ports in ("one", "all"):
                root = int(draw.integers(ranks)) if rooted else 0
                bound = collective_bound(kind, network, node_of, ports, root)
                told.append(bound)
                if inside is None or ports == "all" or ranks > 8:
                    continue
                starts = [node_of[root]] if rooted else node_of
                far = max(
                    sum(
                        inside.edges[edge].get("role") != "port"
                        for edge in nx.utils.pairwise(nx.shortest_path(inside, int(x), int(y)))
                    )
                    for x in starts for y in node_of
                )  # fmt: skip
                assert bound.hops == far
        if ranks > 1:
            rows = list(hops_between(network, node_of[:3].tolist(), node_of.tolist()))
            assert all(row[k] == 0 for k, row in enumerate(rows))
    return len(told)


def _front(word: str) -> int:
    told = []
    for kind in ("broadcast", "reduce", "allgather", "reduce-scatter", "alltoall", "allreduce"):
        found = collectives.front(kind, word, most_chunks=3)
        for corner in found.corners:
            assert corner.plan.replay().ok
            assert corner.data == Fraction(corner.rounds, corner.chunks)
        data = [corner.data for corner in found.corners]
        assert data == sorted(data, reverse=True)
        told.append((kind, [(c.steps, c.rounds, c.chunks) for c in found.corners], found.complete))
    return len(told)


def _rules(library: str) -> int:
    told = []
    for kind in collectives.COLLECTIVES[:6]:
        for network, costs in (("torus:4x2", ("cheap", "dear")), ("torus:3*2", ("cheap",))):
            for cost in costs:
                try:
                    found = rules_file(library, kind, COSTS[cost], 1, 200_000, network)
                except InputError as error:
                    told.append(str(error))
                    continue
                ends = [(rule.first, rule.last) for rule in found.rules]
                assert all(a[1] + 1 == b[0] for a, b in pairwise(ends))
                told.append(found)
    return len(told)


def _texts(library: str) -> int:
    """Files of stated rules: every algorithm of a library, cut and whole, of few ranks and none."""
    told = []
    for kind in collectives.COLLECTIVES:
        try:
            names = list(words_of(library, kind))
        except InputError as error:
            told.append(str(error))
            continue
        for ranks, nodes in ((1, 1), (2, 2), (8, 2)):
            for first, many in ((0, 1), (1, len(names)), (64, len(names)), (5, 0)):
                rules = tuple(
                    SizeRule(first + 100 * k, first + 100 * k + 99, name, 10 * (k % 2))
                    for k, name in enumerate(names[:many])
                )
                base = _OWN if library == "mpich" else None
                text = RulesFile(library, kind, ranks, nodes, rules, (), base).text
                called = [words_of(library, kind)[name] for name in names[:many]]
                if library == "nccl":
                    assert [row.split(",")[3] for row in text.splitlines()[1:]] == called
                elif library == "ompi6":
                    (entry,) = json.loads(text)["collectives"].values()
                    assert [str(rule["alg"]) for rule in entry[0]["rules"]] == called
                elif library == "mpich":
                    assert all(f"MPIR_{name}" in text for name in called)
                told.append(text)
    return len(told)


def _stays(network: str) -> int:
    """Where the best is known to stay so it does; sizes and costs are small, so that many tie."""
    told = ""
    for seed in range(7):
        draw = np.random.default_rng(seed + len(network))
        kind = ("allgather", "allreduce", "broadcast", "alltoall")[seed % 4]
        a, up_to, rise, low, more = draw.integers([0, 2, 0, 1, 4], [9, 9, 6, 12, 14]).tolist()
        cost = Linear(a + 1, Fraction(1, 1 + rise))
        if seed % 3 == 0:
            cost = Piecewise([(up_to, a, "1/2"), (None, a + rise, "1/2")])
        asked = RankingCache(collectives.envelope(kind, cost, low, low + more, network).problem)
        stays = asked.stays(Fraction(low), Fraction(low + more))
        names = {asked.at(Fraction(m)).algorithm for m in range(low, low + more + 1)}
        assert not stays or len(names) == 1
        told += "y" if stays else "n"
    return len(told)


def _asked_of(seed: int, *, trees: bool) -> tuple[RankingCache, int, int]:
    """A question by chance and a range of sizes; of trees a chain overtakes in many segments."""
    draw = np.random.default_rng(seed)
    if trees:
        network = ("mesh:5", "mesh:6", "torus:7", "mesh:4", "mesh:3")[int(draw.integers(5))]
        kind = ("broadcast", "reduce", "allreduce")[int(draw.integers(3))]
        a, low, more = (int(draw.integers(*ends)) for ends in ((1, 40), (20, 600), (2, 200)))
        cost = Linear(a, Fraction(int(draw.integers(1, 4)), int(draw.integers(1, 4))))
        names = ("binomial", "chain", "binary")
        if kind == "allreduce":
            names = ("binomial-tree", "chain-tree", "double-tree")
        only = tuple(draw.permutation(names)[: int(draw.integers(2, 4))].tolist())
        asked = collectives.envelope(
            kind, cost, low, low, network, only=only, hop=int(draw.integers(2))
        )
        return RankingCache(asked.problem), low, low + more
    network = ("torus:4", "mesh:4", "cube:2", "mesh:3", "mesh:5", "torus:3", "mesh:2x2", "cube:3")[
        seed % 8
    ]
    kinds = ("allgather", "allreduce", "broadcast", "alltoall", "reduce", "barrier")
    kind = kinds[int(draw.integers(6))]
    a, end, rise, low, more = draw.integers([0, 2, 0, 1, 1], [30, 60, 6, 300, 300]).tolist()
    slope, style = Fraction(1, 1 + rise), int(draw.integers(4))
    cost = (
        Piecewise([(end, a, "1/2"), (None, a + rise, "1/2")]),
        Piecewise([(end, a, slope), (None, a + end * slope - end, 1)]),
        Piecewise([(end, a + end, "1/2"), (None, a, "1/2")]),
        Linear(a + 1, slope),
    )[style]
    if draw.integers(3) == 0:
        low, more = low * 30, int(draw.integers(1, 30))
    prices = {"hop": int(draw.integers(2)), "add": int(draw.integers(2))}
    rooted = kind in ("broadcast", "reduce") and draw.integers(2)
    only = ("binomial", "chain") if rooted else ()
    whole = ("chain",) if draw.integers(4) == 0 else ()
    asked = collectives.envelope(kind, cost, low, low, network, only=only, **prices)
    return RankingCache(asked.problem, (), whole), low, low + more


def _fastest(words: str) -> int:
    """Whether the best is known to stay, and at every size of the range which it is."""
    trees, seeds = words.split(":")
    told = ""
    for seed in map(int, seeds.split(",")):
        asked, low, high = _asked_of(seed, trees=trees == "trees")
        stays = asked.stays(Fraction(low), Fraction(high))
        sizes = {*range(low, high + 1, max(1, (high - low) // 40)), high}
        best = {asked.at(Fraction(m)).algorithm for m in sizes}
        falls = any(a.alpha + (a.up_to or 0) * a.tau > b.alpha + (a.up_to or 0) * b.tau
                    for a, b in pairwise(asked.prices.cost.pieces))  # fmt: skip
        assert falls or not stays or len(best) == 1
        told += "y" if stays else "n"
    return len(told)


def _cycles(word: str) -> int:
    """Cycles through all nodes, that share no link: which ones no theorem says."""
    sides = tuple(map(int, word.split("x")))
    found = hamiltonian_cycles(sides)
    torus = as_network(f"torus:{word}")
    links = [frozenset(map(int, link)) for c in found for link in pairwise([*c, c[0]])]
    assert len(set(links)) == len(links) == torus.size * len(sides)
    assert all(torus.distance(*link) == 1 for link in links)
    assert all(sorted(c.tolist()) == list(range(torus.size)) for c in found)
    return len(found)


KINDS: dict[str, tuple[Iterable[str], Any]] = {
    "loads": ([f"{kind} {name}" for kind, name in ALGORITHMS], _loads),
    "plan": ([f"{kind} {name}" for kind, name in ALGORITHMS], _planned),
    "segments": (SEGMENTS, _segments),
    "times": ((*BOUNDS_OF_TIMES, *TIES), _bounds_of_times),
    "choice": (CHOICES, _chosen),
    "bound": (BOUNDED, _bounded),
    "front": (FRONTS, _front),
    "rules": (LIBRARIES, _rules),
    "text": (LIBRARIES, _texts),
    "cycles": (("3x3", "4x6", "7x3", "9x5", "3x4x5", "3x3x3", "5x3x5", "4x3x3x3"), _cycles),
    "stays": (("torus:4", "mesh:4", "cube:2", "mesh:3"), _stays),
    "fastest": (("any:42,31,3,6,277,22,310,59,0,331", "trees:4,26,0,34,47,1169"), _fastest),
}
CASES = tuple(f"{kind} | {case}" for kind, (cases, _) in KINDS.items() for case in cases)


def checked(case: str) -> int:
    """Return how many answers of a case agree with their second route."""
    kind, *words = case.split(" | ")
    answer = KINDS[kind][1]
    return int(answer(*(words if len(words) > 1 else words[0].split())) or 0)
