"""Every algorithm: its published rule, in a few lines that say who is whose partner.

    allgather            a rule of `exchanges` or `rings`
    reduce-scatter       the same backwards, with sums
    allreduce            one and then the other; or the whole vector in every step; or trees
    broadcast, reduce    trees of `trees` and `packing`; a scatter and an allgather; `circulant`
    scatter, gather      down a tree, and up
    where nodes have several ranks, one of each between nodes and one inside: `two_levels`

Where a rule is for p = 2^n, the first ranks are folded: of each pair below 2 (p - 2^n) the even one
gives its vector to the odd one before, and gets the result after [thakur].

Sources: `SOURCES` has what the words in brackets stand for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from lccmodel.collectives import circulant, exchanges, rings, trees
from lccmodel.collectives.algorithms import Algorithm, Site
from lccmodel.collectives.packing import packed_trees
from lccmodel.collectives.plans import Plan, beside
from lccmodel.collectives.steps import CollectiveName, Send, Stage, fixed
from lccmodel.collectives.two_levels import further_on, lifted, nested
from lccmodel.errors import checked_integer
from lccmodel.ground.arrays import Ints

SOURCES: Mapping[str, str] = MappingProxyType(
    {
        "aubert": "Aubert, Schneider: Décomposition de la somme cartésienne d'un cycle et de "
        "l'union de deux cycles hamiltoniens, Discrete Mathematics 38, 1982",
        "bine": "De Sensi et al.: Bine Trees, SC 2025, arXiv 2508.17311",
        "bruck": "Bruck et al.: Efficient algorithms for all-to-all communications, 1997",
        "calmant": "the pipelined complete exchange; see docs/complete_exchange.md",
        "chan": "Chan et al.: Collective communication: theory, practice, experience, 2007",
        "chen": "Chen et al.: Performance evaluation of allgather algorithms, 2005",
        "forestcoll": "Zhao et al.: ForestColl: throughput-optimal collectives, arXiv 2402.06787",
        "hensgen": "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988",
        "ho": "Johnsson, Ho: Optimum broadcasting and personalized communication, 1989",
        "jain": "Jain, Sabharwal: Optimal bucket algorithms for large MPI collectives, 2010",
        "johnsson": "Johnsson, Ho: Optimal all-to-all personalized communication on cubes, 1987",
        "nash": "Nash-Williams: Edge-disjoint spanning trees of finite graphs, 1961",
        "patarasuk": "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms, 2009",
        "pjesivac": "Pjesivac-Grbovic et al.: Performance analysis of MPI collectives, 2007",
        "sanders": "Sanders, Speck, Traeff: Two-tree algorithms for full bandwidth, 2009",
        "sccl": "Cai et al.: Synthesizing optimal collective algorithms, arXiv 2008.08708",
        "swing": "De Sensi et al.: Swing, NSDI 2024, arXiv 2401.09356",
        "thakur": "Thakur, Rabenseifner, Gropp: Optimization of collectives in MPICH, 2005",
        "traeff": "Traeff: Optimal broadcast schedules in logarithmic time, arXiv 2407.18004",
        "trivance": "Juerss, Addanki, Schmid: Trivance, 2026, arXiv 2602.17254",
    }
)
"""What a source in brackets stands for."""

_Rule = tuple[str, Callable[[Site], bool]]


def _power(number: int, base: int) -> bool:
    while number > 1 and number % base == 0:
        number //= base
    return number == 1


_ANY: _Rule = ("any p", lambda site: True)
_TWO: _Rule = ("p a power of two", lambda site: _power(site.ranks, 2))
_EVEN: _Rule = (
    "an even p of at most 4096",
    lambda site: site.ranks % 2 == 0 and site.ranks <= 4096,
)
_THREE_RANKS: _Rule = ("at least 3 ranks", lambda site: site.ranks > 2)
_EVEN_SIDES: _Rule = ("even sides", lambda site: all(s % 2 == 0 or s == 1 for s in site.sides))
_TWO_SIDES: _Rule = (
    "sides that are powers of two",
    lambda site: all(_power(side, 2) for side in site.sides),
)
_THREE_SIDES: _Rule = (
    "sides that are powers of three",
    lambda site: all(_power(side, 3) for side in site.sides),
)
_AXES: _Rule = (
    "several axes",
    lambda site: sum(side > 1 for side in site.sides) > 1,
)
_SHORT: _Rule = ("at most 4096 ranks", lambda site: site.ranks <= 4096)
_FEW: _Rule = ("at most 1024 ranks", lambda site: site.ranks <= 1024)
_CUBE: _Rule = (
    "a cube with all ports",
    lambda site: site.ports == "all" and set(site.sides) == {2} and site.per_node == 1,
)
_WIRED: _Rule = (
    "ranks joined by channels of their own, all ports",
    lambda site: site.ports == "all" and bool(site.wires),
)
_SHARED: _Rule = ("several ranks to a node", lambda site: 1 < site.per_node < site.ranks)


# -- allgathers -----------------------------------------------------------------------------


def _ring(site: Site, *, back: bool = False) -> Plan:
    """Round a Hamiltonian cycle, or round all that share no link, both ways, with all ports."""
    several = len(site.sides) > 1
    hamiltonian: list[Ints] = []
    if several:
        every = site.ports == "all"
        hamiltonian = rings.hamiltonian_cycles(site.sides, wraps=site.wraps, several=every)
    if site.ports == "one":
        return rings.around(site.ranks, hamiltonian[0] if hamiltonian else None, back=back)
    cycles: list[Ints | None] = [*hamiltonian] or [None]
    ways = [(cycle, way) for cycle in cycles for way in (back, not back)]
    return beside([rings.around(site.ranks, cycle, back=way) for cycle, way in ways])


def _ring_sums(site: Site) -> Plan:
    """The reduce-scatter round the ring: sums travel the way that copies go after."""
    return _ring(site, back=True).backwards("reduce-scatter", add=True)


def _ring_both(site: Site) -> Plan:
    return _ring_sums(site).then(_ring(site), "allreduce")


def _buckets(site: Site) -> Plan:
    if site.ports == "one":
        return rings.buckets(site.sides)
    ways = [(axis, back) for axis in range(len(site.sides)) for back in (False, True)]
    return beside([rings.buckets(site.sides, axis, back=back) for axis, back in ways])


def _levels(site: Site, base: int) -> list[int]:
    """_Steps along each axis: the logarithm of its side, rounded up."""
    return [next(k for k in range(64) if base**k >= side) for side in site.sides]


_Steps = list[tuple[Ints, ...]]


def _swing_parts(site: Site) -> list[_Steps]:
    """_Steps of every part of the data: with all ports each axis is the first, and mirrored."""
    axes, levels = range(len(site.sides)), _levels(site, 2)
    parts = [(a, m) for a in axes for m in (False, True)] if site.ports == "all" else [(0, False)]

    def partners(axis: int, step: int, mirrored: bool) -> Ints:
        moved = exchanges.swing_partners(site.sides[axis], step, mirrored=mirrored)
        return exchanges.along_axis(site.sides, axis, moved)

    return [
        [(partners(axis, step, m),) for axis, step in exchanges.axes_in_turn(levels, first)]
        for first, m in parts
    ]


def _three_parts(site: Site) -> list[_Steps]:
    """_Steps of every part of the data for Trivance; both directions are used in each."""
    levels = _levels(site, 3)

    def partners(axis: int, step: int) -> tuple[Ints, ...]:
        ways = exchanges.three_ways(site.sides[axis], step)
        return tuple(exchanges.along_axis(site.sides, axis, moved) for moved in ways)

    return [
        [partners(axis, step) for axis, step in exchanges.axes_in_turn(levels, first)]
        for first in range(len(site.sides) if site.ports == "all" else 1)
    ]


def _far_first(parts: Callable[[Site], list[_Steps]]) -> Callable[[Site], Plan]:
    """The allgather whose last and largest messages go to near ranks."""
    return lambda site: beside(
        [exchanges.gathered(site.ranks, steps[::-1]) for steps in parts(site)]
    )


def _whole(parts: Callable[[Site], list[_Steps]]) -> Callable[[Site], Plan]:
    return lambda site: beside([exchanges.exchange_all(site.ranks, s) for s in parts(site)])


def _line(parts: Callable[[Site], list[_Steps]]) -> Callable[[Site], list[_Steps]]:
    """The same steps of the ranks by their numbers alone."""
    return lambda site: parts(replace(site, sides=(site.ranks,), ports="one"))


def _bits(ranks: int) -> _Steps:
    return [exchanges.bit_partners(ranks, bit) for bit in range(ranks.bit_length() - 1)]


def _doubling(site: Site) -> Plan:
    return exchanges.gathered(site.ranks, _bits(site.ranks))


def _doubling_far_first(site: Site) -> Plan:
    return exchanges.gathered(site.ranks, _bits(site.ranks)[::-1])


def _bruck(site: Site) -> Plan:
    r = np.arange(site.ranks)
    steps = [((r + (1 << k)) % site.ranks,) for k in range((site.ranks - 1).bit_length())]
    return exchanges.gathered(site.ranks, steps)


# -- from an allgather to the others --------------------------------------------------------


def _reduced(gather: Callable[[Site], Plan]) -> Callable[[Site], Plan]:
    """The reduce-scatter that is an allgather backwards."""
    return lambda site: gather(site).backwards("reduce-scatter", add=True)


def _both(gather: Callable[[Site], Plan]) -> Callable[[Site], Plan]:
    """The allreduce: an allgather backwards, and then forwards."""
    return lambda site: _reduced(gather)(site).then(gather(site), "allreduce")


def _halving_and_doubling(site: Site) -> Plan:
    """Halving and doubling; on axes of 2^k ranks the bits with the least loads are first.

    The order of bits is free, and what a channel carries for a bit does not depend on the bits
    before: so they go with the largest messages, and no order is better.
    """
    if not all(_power(side, 2) for side in site.sides):
        return folded(site.ranks, lambda p: _both(_doubling_far_first)(Site(p, (p,))))
    loads: list[tuple[int, int]] = []  # half go each way round a ring for its last bit
    for level in _levels(site, 2):
        halved = site.wraps and level > 1
        axis = [1 << bit - (halved and bit == level - 1) for bit in range(level)]
        loads += [(load, len(loads) + bit) for bit, load in enumerate(axis)]
    steps = [exchanges.bit_partners(site.ranks, bit) for _, bit in sorted(loads)]
    return _both(lambda _: exchanges.gathered(site.ranks, steps[::-1]))(site)


def with_radix(radix: int) -> Algorithm:
    """Bruck's alltoall by digits of any radix.

    Raises:
        InputError: a radix below 2.
    """
    checked_integer("radix", radix, least=2)
    name = "bruck" if radix == 2 else f"bruck-{radix}"
    return Algorithm(
        name, "alltoall", "[bruck]", lambda site: exchanges.by_digits(site.ranks, radix)
    )


def _pairwise_sums(site: Site) -> Plan:
    """In step t every rank sends to the one t on its block."""
    r = np.arange(site.ranks)
    targets = [(r + t) % site.ranks for t in range(1, site.ranks)]
    stages = [Stage((Send(r.copy(), to, 1, fixed(to[:, None]), True),)) for to in targets]
    return Plan("reduce-scatter", site.ranks, site.ranks, stages)


# -- plans of some ranks inside plans of all --------------------------------------------------


def folded(ranks: int, build: Callable[[int], Plan], *, odd: bool = True) -> Plan:
    """An allreduce of any p ranks from one of 2^n; of a pair the odd rank goes on, or the even one.

    >>> from lccmodel import collectives
    >>> [collectives.plan("allreduce", "recursive-doubling", p).steps for p in (7, 8, 9)]
    [4, 3, 5]
    """
    power = 1 << (ranks.bit_length() - 1)
    inner, rest = build(power), ranks - power
    if not rest:
        return inner
    on = 2 * np.arange(rest) + odd
    off = on ^ 1
    kept = np.concatenate([on, np.arange(2 * rest, ranks)])
    middle = lifted(inner, ranks, kept[None], further_on(np.zeros(1, np.int64)), inner.blocks)
    whole = fixed(np.broadcast_to(np.arange(inner.blocks), (rest, inner.blocks)))
    before = Send(off, on, inner.blocks, whole, True)
    after = Send(on, off, inner.blocks, whole)
    return replace(middle, stages=[Stage((before,)), *middle.stages, Stage((after,))])


# -- trees ----------------------------------------------------------------------------------


def _chain(ranks: int) -> Ints:
    return np.maximum(np.arange(ranks) - 1, 0)


def _binary(ranks: int) -> Ints:
    return np.maximum(np.arange(ranks) - 1, 0) // 2


_TREES: dict[str, tuple[Callable[[int], Ints], str, _Rule]] = {
    "binomial": (trees.binomial_parents, "[thakur]", _ANY),
    "chain": (_chain, "[pjesivac]", _SHORT),
    "binary": (_binary, "[pjesivac]", _ANY),
    "bine": (trees.bine_parents, "[bine]", _TWO),
}


def _many_down(forest: Callable[[Site], list[Ints]]) -> Callable[[Site], Plan]:
    """The broadcast of a share of the vector down each of several trees."""
    return lambda site: beside([trees.down(tree, at_once=True) for tree in forest(site)])


def _many_up(forest: Callable[[Site], list[Ints]]) -> Callable[[Site], Plan]:
    return lambda site: _many_down(forest)(site).backwards("reduce", add=True)


def _disjoint(site: Site) -> list[Ints]:
    """Of a cube; ranks by their difference to the root."""
    n = site.ranks.bit_length() - 1
    return [trees.disjoint_parents(n, tree) for tree in range(n)]


def _packed(site: Site) -> list[Ints]:
    return packed_trees(site.ranks, site.wires, 0)


def _packed_sums(site: Site) -> Plan:
    """Up each tree and down again, from a rank in the middle, so that the trees are low."""
    forest = packed_trees(site.ranks, site.wires, _centre(site), both=True)
    plans = [trees.down(tree, at_once=True) for tree in forest]
    both = [p.backwards("reduce", add=True).then(p, "allreduce") for p in plans]
    return replace(beside(both), root=0)


def _centre(site: Site) -> int:
    """The rank whose farthest rank is nearest; the first of equals."""
    import networkx as nx

    joined = nx.DiGraph([(u, v) for u, v, _ in site.wires])
    away = {u: max(nx.single_source_shortest_path_length(joined, u).values()) for u in joined}
    return min(sorted(away), key=away.__getitem__)


def _paths(site: Site) -> list[Ints]:
    """Paths through all ranks from rank 0 by steps to neighbours, that share no channel."""
    several = sum(side > 1 for side in site.sides) > 1
    cycles: list[Ints] = []
    if several:
        every = site.ports == "all"
        cycles = rings.hamiltonian_cycles(site.sides, wraps=site.wraps, several=every)
    if not cycles:
        line = np.arange(site.ranks) if not several else rings.snake(site.sides)
        if site.ports == "one" or not (site.wraps and not several):
            return [trees.path_parents(line)]
        cycles = [line]
    from_root = [np.roll(c, -int(np.flatnonzero(c == 0)[0])) for c in cycles]
    ways = [(c, np.r_[c[:1], c[:0:-1]]) for c in from_root]
    if site.ports == "one":
        return [trees.path_parents(ways[0][0])]
    return [trees.path_parents(path) for pair in ways for path in pair]


def _halves(gather: Callable[[Site], Plan]) -> Callable[[Site], Plan]:
    """The reduction: a reduce-scatter and a gather up the binomial tree."""

    def build(site: Site) -> Plan:
        back = trees.scatter(trees.binomial_parents(site.ranks)).backwards("gather", add=False)
        sums = _reduced(gather)(replace(site, ports="one", root=0))
        return replace(sums.then(back, "reduce"), root=0)

    return build


def _direct(site: Site) -> Plan:
    return exchanges.direct(site.ranks)


def _direct_down(site: Site) -> Plan:
    """The root sends every rank its share, and each sends it to all others."""
    return trees.scatter(_star(site.ranks), at_once=True).then(_direct(site), "broadcast")


def _direct_up(site: Site) -> Plan:
    home = trees.scatter(_star(site.ranks), at_once=True).backwards("gather", add=False)
    return _reduced(_direct)(site).then(home, "reduce")


def _star(ranks: int) -> Ints:
    return np.zeros(ranks, np.int64)


def _axes(site: Site) -> Plan:
    if site.ports == "one":
        return exchanges.along_axes(site.sides)
    ways = [(axis, back) for axis in range(len(site.sides)) for back in (False, True)]
    return beside([exchanges.along_axes(site.sides, axis, back=back) for axis, back in ways])


def _down(parents: Callable[[int], Ints]) -> Callable[[Site], Plan]:
    return lambda site: trees.down(parents(site.ranks), at_once=site.ports == "all")


def _up(parents: Callable[[int], Ints]) -> Callable[[Site], Plan]:
    return lambda site: trees.up(parents(site.ranks), at_once=site.ports == "all")


def _up_and_down(parents: Callable[[int], Ints]) -> Callable[[Site], Plan]:
    return lambda site: _up(parents)(site).then(_down(parents)(site), "allreduce")


def _scattered(gather: Callable[[Site], Plan]) -> Callable[[Site], Plan]:
    """The broadcast of van de Geijn: a scatter down the binomial tree, and an allgather."""

    def build(site: Site) -> Plan:
        spread = trees.scatter(trees.binomial_parents(site.ranks))
        return spread.then(gather(replace(site, ports="one", root=0)), "broadcast")

    return build


def _scatter(parents: Callable[[int], Ints]) -> Callable[[Site], Plan]:
    return lambda site: trees.scatter(parents(site.ranks), at_once=site.ports == "all")


def _gather(parents: Callable[[int], Ints]) -> Callable[[Site], Plan]:
    return lambda site: _scatter(parents)(site).backwards("gather", add=False)


def _sums_gathered(site: Site) -> Plan:
    """A reduce-scatter by halving, and a gather up the binomial tree."""
    return _halves(_doubling_far_first)(site)


# -- all of them ----------------------------------------------------------------------------


def _algorithms() -> list[Algorithm]:
    def each(
        name: str,
        collective: CollectiveName,
        source: str,
        rule: _Rule,
        build: Callable[[Site], Plan],
    ) -> Algorithm:
        return Algorithm(name, collective, source, build, *rule)

    gathers: list[tuple[str, str, _Rule, Callable[[Site], Plan]]] = [
        ("bucket", "[jain], [chan]", _ANY, _buckets),
        ("swing", "[swing]", _EVEN_SIDES, _far_first(_swing_parts)),
        ("bine", "[bine]", _TWO, _far_first(_line(_swing_parts))),
        ("trivance-bandwidth", "[trivance]", _ANY, _far_first(_three_parts)),
    ]
    algorithms: list[Algorithm] = []
    for name, source, rule, gather in gathers:
        algorithms += [
            each(name, "allreduce", source, rule, _both(gather)),
            each(name, "reduce-scatter", source, rule, _reduced(gather)),
            each(name, "allgather", source, rule, gather),
        ]
    for name, (parents, source, rule) in _TREES.items():
        algorithms += [
            each(name, "broadcast", source, rule, _down(parents)),
            each(name, "reduce", source, rule, _up(parents)),
            each(f"{name}-tree", "allreduce", source, rule, _up_and_down(parents)),
        ]
    algorithms += [with_radix(radix) for radix in (2, 4, 8, 16, 32)]
    for name, source, rule, forest in (
        ("edge-disjoint-trees", "[ho]", _CUBE, _disjoint),
        ("packed-trees", "[nash]", _WIRED, _packed),
        ("cycles", "[aubert]", _SHORT, _paths),
    ):
        algorithms += [
            each(name, "broadcast", source, rule, _many_down(forest)),
            each(name, "reduce", source, rule, _many_up(forest)),
        ]
    for name, (parents, source, rule) in _TREES.items():
        if name in ("binomial", "chain"):
            algorithms += [
                each(name, "scatter", source, rule, _scatter(parents)),
                each(name, "gather", source, rule, _gather(parents)),
            ]
    return [
        each("ring", "allreduce", "[patarasuk]", _ANY, _ring_both),
        each("ring", "reduce-scatter", "[patarasuk]", _ANY, _ring_sums),
        each("ring", "allgather", "[patarasuk]", _ANY, _ring),
        *algorithms,
        each("rabenseifner", "allreduce", "[thakur]", _ANY, _halving_and_doubling),
        each(
            "recursive-doubling",
            *("allreduce", "[thakur]", _ANY),
            lambda site: folded(site.ranks, lambda p: exchanges.exchange_all(p, _bits(p))),
        ),
        each("swing-latency", "allreduce", "[swing]", _TWO_SIDES, _whole(_swing_parts)),
        each("bine-latency", "allreduce", "[bine]", _TWO, _whole(_line(_swing_parts))),
        each("trivance", "allreduce", "[trivance]", _THREE_SIDES, _whole(_three_parts)),
        each("double-tree", "allreduce", "[sanders]", _ANY, lambda s: trees.two_trees(s.ranks)),
        each("packed-trees", "allreduce", "[nash]", _WIRED, _packed_sums),
        each("direct", "allreduce", "[chan]", _FEW, _both(_direct)),
        each("direct", "reduce-scatter", "[chan]", _FEW, _reduced(_direct)),
        each("direct", "allgather", "[chan]", _FEW, _direct),
        each("direct", "broadcast", "[chan]", _FEW, _direct_down),
        each("direct", "reduce", "[chan]", _FEW, _direct_up),
        each("direct", "scatter", "[chan]", _ANY, _scatter(_star)),
        each("direct", "gather", "[chan]", _ANY, _gather(_star)),
        each("circulant", "broadcast", "[traeff]", _ANY, lambda s: circulant.rounds(s.ranks)),
        each(
            "circulant",
            *("reduce", "[traeff]", _ANY),
            lambda site: circulant.rounds(site.ranks).backwards("reduce", add=True),
        ),
        each("ring-gather", "reduce", "[chan]", _ANY, _halves(_ring)),
        each("recursive-halving", "reduce-scatter", "[thakur]", _TWO, _reduced(_doubling)),
        each("pairwise", "reduce-scatter", "[thakur]", _SHORT, _pairwise_sums),
        each("recursive-doubling", "allgather", "[thakur]", _TWO, _doubling),
        each("bruck", "allgather", "[bruck]", _ANY, _bruck),
        each(
            "neighbour-exchange", "allgather", "[chen]", _EVEN, lambda s: rings.neighbours(s.ranks)
        ),
        each(
            "split-binary",
            *("broadcast", "[pjesivac]", _THREE_RANKS),
            lambda site: trees.split_binary(site.ranks),
        ),
        each(
            "split-binary",
            *("reduce", "[pjesivac]", _THREE_RANKS),
            lambda site: trees.split_binary(site.ranks).backwards("reduce", add=True),
        ),
        each("scatter-allgather", "broadcast", "[thakur]", _TWO, _scattered(_doubling)),
        each("scatter-ring", "broadcast", "[thakur]", _ANY, _scattered(_ring)),
        each("rabenseifner", "reduce", "[thakur]", _TWO, _sums_gathered),
        each("linear", "alltoall", "[thakur]", _FEW, lambda site: exchanges.linear(site.ranks)),
        each("axes", "alltoall", "[johnsson]", _AXES, _axes),
        each("pairwise", "alltoall", "[thakur]", _SHORT, lambda s: exchanges.pairwise(s.ranks)),
        each("exchange", "alltoall", "[calmant]", _TWO, lambda site: exchanges.by_bits(site.ranks)),
        each(
            "dissemination",
            *("barrier", "[hensgen]", _ANY),
            lambda site: exchanges.dissemination(site.ranks),
        ),
    ]


# -- in two levels ----------------------------------------------------------------------------

_INSIDE: Mapping[CollectiveName, str] = MappingProxyType(
    {"alltoall": "pairwise", "scatter": "binomial", "gather": "binomial"}
)
"""What is done inside nodes where a name does not say; else a ring."""


def _turns(kind: CollectiveName) -> Algorithm:
    """Circulant rounds in turns of ceil(log_2 p) blocks, which a larger plan is cut by."""
    base = ALGORITHMS[kind, "circulant"]
    if kind == "broadcast":
        return replace(base, build=lambda site: circulant.turns(site.ranks))
    up = lambda site: circulant.turns(site.ranks).backwards(kind, add=True)  # noqa: E731
    return replace(base, build=up)


def in_nodes(between: Algorithm, inside: Algorithm | None = None) -> Algorithm:
    """The algorithm in two levels, between nodes and inside them; see `two_levels`.

    Args:
        between: of any collective but a barrier.
        inside: an allgather; with an alltoall an alltoall, with a scatter or gather a scatter.

    >>> swing = in_nodes(ALGORITHMS["allreduce", "swing"])
    >>> swing.name, swing.on(Site(8, (2, 4), per_node=2)).replay().ok
    ('hierarchical-swing', True)
    """
    collective = between.collective
    kind = _inner(collective)
    known = _INSIDE.get(collective, "ring")
    within = ALGORITHMS[kind, known] if inside is None else inside
    outer = {"reduce-scatter": "allgather", "gather": "scatter"}.get(collective)
    over = between if outer is None else ALGORITHMS[outer, between.name]  # type: ignore[index]  # checked there
    over = _turns(collective) if over.name == "circulant" else over

    def sites(site: Site) -> tuple[Site, Site]:
        nodes = site.ranks // site.per_node
        sides = site.sides[1:] or (nodes,)
        ports = site.ports
        return Site(site.per_node, (site.per_node,)), Site(nodes, sides, site.wraps, 1, ports)

    def build(site: Site) -> Plan:
        inner, outer_site = sites(site)
        return nested(collective, within.on(inner), over.on(outer_site))

    def covers(site: Site) -> bool:
        if not _SHARED[1](site):
            return False
        inner, outer_site = sites(site)
        return within.covers(inner) and over.covers(outer_site)

    name = f"hierarchical-{between.name}" + ("" if inside is None else f"-{inside.name}")
    needs = f"{_SHARED[0]}; between nodes {over.needs}, inside {within.needs}"
    return Algorithm(name, collective, between.source, build, needs, covers)


def _inner(collective: CollectiveName) -> CollectiveName:
    """The collective inside nodes."""
    if collective == "alltoall":
        return "alltoall"
    return "scatter" if collective in ("scatter", "gather") else "allgather"


def two_level(collective: CollectiveName, name: str) -> Algorithm | None:
    """The algorithm of a name such as hierarchical-swing or hierarchical-swing-direct, if any.

    >>> two_level("allgather", "hierarchical-swing-direct").on(Site(8, (2, 4), per_node=2)).steps
    3
    """
    words = ("hierarchical-ring" if name == "hierarchical" else name).split("-")
    if words[0] != "hierarchical" or collective == "barrier":
        return None
    for cut in range(2, len(words) + 1):
        between = _named(collective, "-".join(words[1:cut]))
        inside = _named(_inner(collective), "-".join(words[cut:]))
        if between is not None and (inside is not None or cut == len(words)):
            return in_nodes(between, inside)
    return None


def _named(collective: CollectiveName, name: str) -> Algorithm | None:
    """An algorithm in one level, Bruck's of any radix too."""
    radix = re.fullmatch(r"bruck-(\d{1,6})", name)
    if collective == "alltoall" and radix is not None and int(radix[1]) > 1:
        return with_radix(int(radix[1]))
    return ALGORITHMS.get((collective, name))


ALGORITHMS: Mapping[tuple[CollectiveName, str], Algorithm] = MappingProxyType(
    {(entry.collective, entry.name): entry for entry in _algorithms()}
)
"""Every algorithm in one level by collective and name."""

NESTED: tuple[Algorithm, ...] = tuple(
    in_nodes(between)
    for (collective, _), between in ALGORITHMS.items()
    if collective != "barrier"
    and (collective != "reduce-scatter" or ("allgather", between.name) in ALGORITHMS)
)
"""Every algorithm between nodes, with the one inside that `in_nodes` takes."""
