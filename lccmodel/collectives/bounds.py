"""What no algorithm can beat: start-ups, hops, and data, for a collective on a network.

    start-ups   with k ports a value reaches at most (k + 1)^t ranks in t start-ups, so at least
                log_(k+1) p of them, for every collective                     [bruck]
    hops        as many as the two ranks farthest apart, or from the root, by the shortest way
    port        what a rank must send or receive, over its ports
    sums        an allreduce needs 2 (p - 1) vectors sent, by all ports together  [patarasuk]
    cut         what must leave a set S of nodes, over the bandwidth that leaves it
    node sums   2 (N - 1) vectors must leave N nodes, by all their links together

An item between two ranks of one node may count less (`item` < 1). Channels that such messages use
then count as wider by 1 / item, all others as they are: so every level of links has its own ports.

Data of a collective that must leave S, |S| of p ranks in it, as fractions of the vector:

    allreduce           1             the sum of S must get out
    broadcast, reduce   1             if the root is on the side that matters
    allgather           |S| / p       the blocks of S
    scatter, gather     |S| / p       of the S without the root
    reduce-scatter      1 - |S| / p   a part of the sum of every block outside
    alltoall            |S| (p - |S|) / p

The best S is a minimum cut [forestcoll]: λ flows from every rank, and one rank stays outside;
if less gets through than the ranks send, S is what is left behind, and λ becomes that of S, until
nothing is. So it is found on any network of up to 64 nodes, with its routers. On meshes, tori and
cubes it is a box, of which all are tried. For an alltoall, where the best S is hard to find, all
sets are tried with up to 12 nodes, else the boxes. The bound is always a bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.collectives.algorithms import has_own_links, slots_of, uses_all_ports
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.collectives.steps import ROOTED, CollectiveName
from lccmodel.ground.arrays import Ints
from lccmodel.network import Network
from lccmodel.network.geometry import Geometry

if TYPE_CHECKING:
    import networkx as nx

_ALL_SETS = 12
"""Most nodes up to which every set of them is a cut that is tried."""
_ALL_PAIRS = 256
"""Most ranks of which every two are measured."""
_FLOWS, _BOXES = 64, 16
"""Most ranks and nodes up to which minimum cuts are found, and where boxes are known to be best."""


@dataclass(frozen=True)
class CollectiveBound:
    """Start-ups, hops and data that no algorithm is below, and why.

    Attributes:
        start_ups: start-ups one after another.
        hops: channels that some data must cross one after another.
        data: on the busiest channel or port over all steps; a fraction of the vector.
        by: what gives the bound on data: "port", "sums", "cut" or "node sums".
        cut: of a cut, which ranks are on one side, and the bandwidth that leaves them, in words.
    """

    start_ups: int
    hops: int
    data: Fraction
    by: str
    cut: str = field(default="", repr=False, compare=False)


def rounds(ranks: int, ports: int) -> int:
    """The least t with (ports + 1)^t >= ranks.

    >>> rounds(8, 1), rounds(9, 2), rounds(1, 1)
    (3, 2, 0)
    """
    reached, needed = 1, 0
    while reached < ranks:
        reached, needed = reached * (ports + 1), needed + 1
    return needed


def collective_bound(problem: CollectiveProblem, item: Fraction = Fraction(1)) -> CollectiveBound:
    """Return the bound of a collective on a network, for ranks on some of its nodes.

    Args:
        problem: the collective, and where.
        item: what an item between ranks of one node counts, 1 between nodes; at most 1.

    >>> from lccmodel import Torus
    >>> collective_bound(CollectiveProblem("allreduce", Torus((8, 8)), ports="all"))
    CollectiveBound(start_ups=3, hops=8, data=Fraction(63, 128), by='sums')
    >>> collective_bound(CollectiveProblem("allgather", Torus((8, 8)))).cut
    ''
    """
    collective, p, size = problem.collective, problem.ranks, problem.network.size
    problem = problem.in_whole()  # links and distances are those of the whole network
    network = problem.network
    one_port = not uses_all_ports(network, problem.ports)
    most = 1 if one_port else max(_degrees(problem), default=1)
    hops = _farthest(problem)
    if p == 1 or collective == "barrier":
        return CollectiveBound(rounds(p, most), hops, Fraction(0), "port")
    widths = _Widths(problem, item)
    per_rank = _ports_of_ranks(widths) if one_port else _leaving(widths)
    least, total, at_root = min(per_rank), sum(per_rank, Fraction(0)), per_rank[problem.root]
    whole = collective in ("allreduce", "broadcast", "reduce")
    needed = Fraction(1) if whole else Fraction(p - 1, p)  # what a rank must send or receive
    bounds = [(needed / least, "port", "")]
    from_one = collective in ("scatter", "gather")
    if from_one:
        bounds = [(needed / at_root, "port", ""), (1 / (p * least), "port", "")]
    if collective == "allreduce":
        bounds.append((Fraction(2 * (p - 1)) / total, "sums", ""))
    boxed = p == network.size and network.geometry.is_grid and has_own_links(network)
    if collective != "alltoall" and size <= (_BOXES if boxed else _FLOWS):
        data, inside, width = flow_bound(problem, widths)
        bounds.append((data, "cut", _cut_text(inside, width, p)))
    elif not network.first_router:
        cuts = (
            (_leaves(collective, p, k) / width, width, text)
            for k, width, text in _cuts(problem)
            if width
        )  # all but the whole
        best = max(cuts, key=lambda triple: triple[0], default=None)
        if best is not None:
            bounds.append((best[0] * widths.item, "cut", best[2]()))
    data, by, cut = max(bounds, key=lambda triple: triple[0])
    return CollectiveBound(rounds(p, most), hops, data, by, cut)


def _cut_text(inside: Sequence[int], width: Fraction, p: int) -> str:
    """Ranks on one side, and what leaves them; the smaller side, by ranges.

    >>> _cut_text([0, 1, 2, 5], Fraction(3), 16)
    'ranks 0-2, 5 of 16, which a bandwidth of 3 leaves'
    """
    runs: list[list[int]] = []
    for rank in sorted(inside):
        if runs and rank == runs[-1][1] + 1:
            runs[-1][1] = rank
        else:
            runs.append([rank, rank])
    words = [f"{low}-{high}" if high > low else str(low) for low, high in runs]
    listed = ", ".join(words[:8]) + (" ..." if len(words) > 8 else "")
    return f"ranks {listed} of {p}, which a bandwidth of {width} leaves"


class _Widths:
    """The bandwidth of every channel for data, where an item inside a node counts less."""

    def __init__(self, problem: CollectiveProblem, item: Fraction = Fraction(1)) -> None:
        """Of ranks on a whole network, not on a job."""
        self.problem, network = problem, problem.network
        self.item = min(item, Fraction(1)) or Fraction(1, 1 << 40)
        self.inner: set[tuple[int, int]] | None = None
        """Channels that messages inside nodes use; None: any may be one of them."""
        if self.item == 1:
            self.inner = set()
        elif problem.ranks <= _FLOWS:
            self.inner = set()
            for host in np.unique(problem.hosts).tolist():
                own = problem.nodes[problem.hosts == host].tolist()
                for x in own:
                    for y in own:
                        links = network.channels(x, y) if x != y else ()
                        self.inner |= {(link[0], link[1]) for link in links}

    def links(self) -> Iterator[tuple[int, int, Fraction]]:
        """The ends of every channel and its bandwidth."""
        for u, v, width in links_of(self.problem.network):
            wider = self.inner is None or (u, v) in self.inner
            yield u, v, width / self.item if wider else width


def between_nodes(problem: CollectiveProblem) -> tuple[int, Fraction]:
    """Start-ups, and data on the busiest channel, of messages between nodes of several ranks.

    Of an allreduce 2 (N - 1) vectors must leave N nodes, by all their links together.

    In a start-up all k ranks of a node that has a value may send to another node, so k + 1 nodes
    have it for one before. What leaves a box of routers goes over its channels; elsewhere, on up to
    64 ranks, what leaves a node crosses the minimum cut between the node and all others.

    >>> from lccmodel.network import as_network
    >>> between_nodes(CollectiveProblem("allreduce", as_network("torus:4x4*4")))
    (2, Fraction(15, 32))
    >>> between_nodes(CollectiveProblem("allreduce", as_network("rails:4,8")))
    (1, Fraction(3, 16))
    """
    collective, p, hosts = problem.collective, problem.ranks, problem.hosts
    slots = slots_of(problem.network)
    start_ups = rounds(len(np.unique(hosts)), slots)
    if collective == "barrier":
        return start_ups, Fraction(0)
    full = p == problem.network.size and problem.network.geometry.is_grid
    problem = problem.in_whole()
    network = problem.network
    if full:
        cuts = _cuts(problem)
        data = [_leaves(collective, p, inside) / width for inside, width, _ in cuts if width]
        every = sum((width for *_, width in links_of(network)), Fraction(0))
        if collective == "allreduce" and every:
            data.append(Fraction(2 * (p // slots - 1)) / every)
        return start_ups, max(data, default=Fraction(0))
    if p > _FLOWS or network.size > _FLOWS or network.geometry.is_grid:
        return start_ups, Fraction(0)
    graph, data, nodes = _graph_of(_Widths(problem)), [], problem.nodes
    widths = list[Fraction]()
    for host, many in zip(*np.unique(hosts, return_counts=True), strict=True):
        if many < p:
            width = _cut_off(graph, nodes[hosts == host].tolist(), nodes[hosts != host])
            widths.append(width)
            data.append(_leaves(collective, p, int(many)) / width)
    if collective == "allreduce" and widths:
        data.append(Fraction(2 * (len(widths) - 1)) / sum(widths))
    return start_ups, max(data, default=Fraction(0))


def _cut_off(graph: nx.DiGraph[Any], inside: Sequence[int], outside: Ints) -> Fraction:
    """The least bandwidth of a cut that has these ranks on one side and those on the other."""
    both = graph.copy()
    for rank in inside:
        both.add_edge("inside", rank)
    for rank in outside.tolist():
        both.add_edge(rank, "outside")
    return _least_cut(both, "inside", "outside")[0]


def ports_between(problem: CollectiveProblem, item: Fraction) -> Fraction:
    """Data at the busiest of the ports of a node, if an item inside a node counts `item` <= 1.

    The k ranks of a node receive k times what a rank must, and so much of it as is not in the node
    comes from other nodes. So at least that part counts 1 and the rest counts `item`, shared by k
    ports. Of a reduction or a reduce-scatter the same is sent. Of an allreduce, 2 (N - 1) of the
    2 (p - 1) vectors that are sent by all go between the N nodes.

    >>> from lccmodel.network import as_network
    >>> ports_between(CollectiveProblem("alltoall", as_network("fattree:8x48")), Fraction(0))
    Fraction(47, 48)
    """
    collective, p = problem.collective, problem.ranks
    _, counts = np.unique(problem.hosts, return_counts=True)
    if p == 1 or collective == "barrier" or len(counts) == 1:
        return Fraction(0)
    if collective in ("scatter", "gather"):
        out = min(Fraction(p - int(k), p) / int(k) for k in counts)
        return max(out, item * Fraction(p - 1, p))
    whole = collective in ("allreduce", "broadcast", "reduce")
    split = collective == "alltoall"
    needed = Fraction(1) if whole else Fraction(p - 1, p)
    bounds: list[Fraction] = []
    for k in counts.tolist():
        # what a node must receive (of a reduction or reduce-scatter: send), and all of its ranks
        between = Fraction(1) if whole else Fraction(p - k, p) * (k if split else 1)
        ranks = k - (collective in ("broadcast", "reduce"))  # the root does the other
        bounds.append((between + max(Fraction(0), ranks * needed - between) * item) / k)
        bounds.append(_leaves(collective, p, k) / k)
    if collective == "allreduce":
        nodes = len(counts)
        bounds.append((2 * (nodes - 1) + 2 * (p - nodes) * item) / Fraction(p))
    return max(bounds)


def _leaves(collective: CollectiveName, p: int, inside: int) -> Fraction:
    """The least that must cross a cut, in one direction or the other."""
    if collective in ("allreduce", "broadcast", "reduce"):
        return Fraction(1)
    if collective == "alltoall":
        return Fraction(inside * (p - inside), p)
    if collective in ("scatter", "gather"):  # on which side the root is does not matter
        return Fraction(min(inside, p - inside), p)
    return Fraction(max(inside, p - inside), p)


def _degrees(problem: CollectiveProblem) -> list[int]:
    network, nodes = problem.network, problem.nodes
    if network.has_several_ports:
        counts: list[int] = np.diff(network.node_ports.first)[nodes].tolist()
        return counts
    if not has_own_links(network):
        return [1] * len(nodes)
    at = network.at_router(nodes)
    degrees: list[int] = np.bincount(network.wiring.tail, minlength=network.routers)[at].tolist()
    return degrees


def _ports_of_ranks(widths: _Widths) -> list[Fraction]:
    """What the one port of every rank carries: the widest, where a node has several."""
    if not widths.problem.network.node_ports.is_stated:
        return [1 / widths.item] * widths.problem.ranks
    return [max(ports) / widths.item for ports in _stated_ports(widths.problem)]


def _stated_ports(problem: CollectiveProblem) -> Iterator[npt.NDArray[Any]]:
    """The bandwidths of the ports of every rank."""
    ports, nodes = problem.network.node_ports, problem.nodes
    for low, high in zip(ports.first[nodes].tolist(), ports.first[nodes + 1].tolist(), strict=True):
        yield ports.bandwidth[low:high]


def _leaving(widths: _Widths) -> list[Fraction]:
    """The bandwidth that leaves every rank."""
    network = widths.problem.network
    if network.has_several_ports:
        return [sum(ports, Fraction(0)) / widths.item for ports in _stated_ports(widths.problem)]
    joined, leaving = network.joined, [Fraction(0)] * network.routers
    base = network.first_router
    for u, v, width in widths.links():
        if joined[u - base] != joined[v - base]:
            leaving[joined[u - base]] += width
    at = joined[network.at_router(widths.problem.nodes)].tolist()
    return [leaving[router] for router in at]


def _farthest(problem: CollectiveProblem) -> int:
    """The largest distance of two ranks, or from the root; of many ranks, from the first."""
    network, nodes = problem.network, problem.nodes.tolist()
    root = problem.root if problem.collective in ROOTED else None
    if root is None and len(nodes) == network.size and _shortest(network):
        return network.diameter
    every = root is None and len(nodes) <= _ALL_PAIRS
    sources = nodes if every else [nodes[root or 0]]
    return max(map(max, hops_between(network, sources, nodes)))


def _shortest(network: Network) -> bool:
    """Whether routes are shortest ways."""
    geometry = network.whole_network.geometry
    return geometry.is_grid or geometry.tree is not None


def hops_between(
    network: Network, sources: Sequence[int], nodes: Sequence[int]
) -> Iterator[list[int]]:
    """The least channels that data must cross from every source to every node.

    The routes of a table may be longer, but ranks may pass data on by shorter ones.

    >>> from lccmodel.network import parse_network
    >>> list(hops_between(parse_network("dragonfly:1,2,1"), [0], range(6)))
    [[0, 1, 1, 2, 2, 3]]
    """
    if _shortest(network):
        yield from ([network.distance(x, y) for y in nodes] for x in sources)
        return
    import networkx as nx

    network_nodes, network = network.in_whole(np.arange(network.size)), network.whole_network
    joined, wires = network.joined, network.wiring
    links: nx.DiGraph[Any] = nx.DiGraph(
        list(zip(joined[wires.tail].tolist(), joined[wires.head].tolist(), strict=True))
    )
    at = joined[network.at_router(network_nodes)].tolist()
    links.add_nodes_from(at)
    for x in sources:
        away = nx.single_source_shortest_path_length(links, at[x])
        yield [away[at[y]] for y in nodes]


# -- cuts -----------------------------------------------------------------------------------


_Cut = tuple[int, Fraction, Callable[[], str]]
"""Ranks in S, bandwidth that leaves S, and S in words."""


def _cuts(problem: CollectiveProblem) -> Iterator[_Cut]:
    """Return the sets that are tried.

    Networks are the same in both directions, so what leaves S also enters it.
    """
    network, geometry = problem.network, problem.network.geometry
    if network.routers <= _ALL_SETS:
        yield from _every_set(network, problem.nodes)
    elif problem.ranks == network.size and geometry.is_grid:
        yield from _boxes(geometry)


def links_of(network: Network) -> Iterator[tuple[int, int, Fraction]]:
    """The ends of every channel, several where there are several cables, and its bandwidth."""
    wires, base = network.wiring, network.first_router
    ends = (wires.tail + base).tolist(), (wires.head + base).tolist()
    yield from zip(*ends, wires.bandwidth, strict=True)


def _every_set(network: Network, node_of: Ints) -> Iterator[_Cut]:
    edges, base = list(links_of(network)), network.first_router
    sets = np.arange(1, (1 << network.routers) - 1)
    at = network.at_router(node_of).tolist()
    ranks = sum((sets >> router & 1 for router in at), np.zeros_like(sets))
    scale = int(np.lcm.reduce([width.denominator for _, _, width in edges] or [1]))
    width = np.zeros_like(sets)
    for u, v, capacity in edges:
        width += (sets >> (u - base) & 1 & ~(sets >> (v - base))) * int(capacity * scale)
    for inside in range(1, len(node_of)):
        chosen = np.flatnonzero(ranks == inside)
        if chosen.size:
            best = int(chosen[np.argmin(width[chosen])])
            leaves = Fraction(int(width[best]), scale)
            mine = [rank for rank, router in enumerate(at) if int(sets[best]) >> router & 1]
            yield inside, leaves, partial(_cut_text, mine, leaves, len(node_of))


def _boxes(grid: Geometry) -> Iterator[_Cut]:
    """The boxes in a corner, in ranks: on a grid nothing of their sides leaves less.

    Of a cube all boxes of one size are alike.
    """
    if grid.is_cube:
        n = len(grid.canonical().axes)
        for k in range(n):
            width = Fraction((n - k) << k)
            words = f"a subcube of {k} of {n} dimensions, {width} leave"
            yield grid.per_router << k, width, partial(str, words)
        return
    scale = int(np.lcm.reduce([axis.bandwidth.denominator for axis in grid.axes] or [1]))
    boxes = np.indices(grid.sides, np.int64).reshape(len(grid.sides), -1) + 1
    inside = np.prod(boxes, axis=0)
    width = np.zeros_like(inside)
    for parts, axis, ring in zip(boxes, grid.axes, grid.rings, strict=True):
        faces = np.where(parts == axis.length, 0, 2 if ring else 1)
        width += int(axis.bandwidth * scale) * faces * (inside // parts)
    for k in _least_wide(inside, width, prod(grid.sides)):
        leaves = Fraction(int(width[k]), scale)
        text = partial(_box_text, boxes[:, k].tolist(), grid.sides, leaves)
        yield int(inside[k]) * grid.per_router, leaves, text


def _least_wide(inside: Ints, width: Ints, most: int) -> list[int]:
    """Return the sets of which one may need the most of its bandwidth, for any collective.

    What must leave a set rises or falls with its ranks up to half of them, and beyond: so within
    a half those stay that have less bandwidth than all smaller sets, or than all larger ones.

    >>> _least_wide(np.array([1, 2, 3, 4]), np.array([2, 3, 2, 0]), 4)
    [0, 1, 2, 3]
    """
    chosen: list[int] = []
    for half in (2 * inside <= most, 2 * inside > most):
        places = np.flatnonzero(half)
        order = places[np.lexsort((width[places], inside[places]))]
        order = order[np.unique(inside[order], return_index=True)[1]]
        for way in (order, order[::-1]):
            before = np.minimum.accumulate(width[way])
            below = np.r_[True, width[way][1:] < before[:-1]] if len(way) else np.zeros(0, bool)
            chosen += way[below].tolist()
    return sorted(set(chosen))


def _box_text(box: Sequence[int], sides: Sequence[int], width: Fraction) -> str:
    corner, shape = ("x".join(map(str, lengths)) for lengths in (box, sides))
    return f"a box {corner} of {shape}, {width} leave"


# -- minimum cuts ---------------------------------------------------------------------------


def flow_bound(
    problem: CollectiveProblem, widths: _Widths | None = None
) -> tuple[Fraction, list[int], Fraction]:
    """Return the most of what must leave a set over what its channels carry, of every set.

    Args:
        problem: on a whole network; not an alltoall or a barrier.
        widths: of the channels; their bandwidths if left out.

    Returns: that as a fraction of the vector, the ranks of the set, and what its channels carry.

    >>> from lccmodel.network import Mesh, Torus
    >>> [flow_bound(CollectiveProblem("allgather", net))[0] for net in (Mesh((6,)), Torus((4, 4)))]
    [Fraction(5, 6), Fraction(15, 64)]
    """
    ranks = problem.nodes.tolist()
    graph = _graph_of(widths or _Widths(problem))
    number = {node: rank for rank, node in enumerate(ranks)}
    if problem.collective in ("allreduce", "broadcast", "reduce"):
        first, *others = ranks
        width, inside = min(
            (_least_cut(graph, first, rank) for rank in others), key=lambda pair: pair[0]
        )
        return 1 / width, [number[node] for node in inside if node in number], width
    root = ranks[problem.root]
    need, inside, width = _widest(
        graph, ranks, [root] if problem.collective in ("scatter", "gather") else ranks
    )
    return need / len(ranks), [number[node] for node in inside if node in number], width


def _graph_of(widths: _Widths) -> nx.DiGraph[Any]:
    """The network with its routers; capacity is the bandwidth of all cables, and of ports.

    A node that has no rank passes nothing on.

    With all ports, a rank with links of its own is limited by these alone.
    """
    import networkx as nx

    network = widths.problem.network
    graph: nx.DiGraph[Any] = nx.DiGraph()
    free = widths.problem.ports == "all" and has_own_links(network)
    more = sum((width for *_, width in widths.links()), start=Fraction(0)) if free else Fraction(0)
    own, base = network.node_ports, network.first_router
    nodes = np.repeat(np.arange(network.size), np.diff(own.first)).tolist()
    width_of = {
        (node, router + base): width / widths.item + more
        for node, router, width in zip(nodes, own.router.tolist(), own.bandwidth, strict=True)
    }
    ranks = {*widths.problem.nodes.tolist()}
    for u, v, data in network.graph().edges(data=True):
        if data.get("role") != "port":
            graph.add_edge(u, v, capacity=Fraction(0))
        elif min(u, v) in ranks:
            graph.add_edge(u, v, capacity=width_of[min(u, v), max(u, v)])
    for u, v, width in widths.links():
        graph.edges[u, v]["capacity"] += width
    return graph


def _least_cut(graph: nx.DiGraph[Any], source: Any, sink: Any) -> tuple[Fraction, set[Any]]:
    import networkx as nx

    value, (inside, _) = nx.minimum_cut(graph, source, sink)
    return Fraction(value), inside


def _widest(
    graph: nx.DiGraph[Any], ranks: Sequence[int], outside: Sequence[int]
) -> tuple[Fraction, set[Any], Fraction]:
    """The most ranks of a set over the bandwidth that leaves it; one of `outside` is not in it.

    Returns: that, the set, and the bandwidth.
    """
    import networkx as nx

    source, p, best = "ranks", len(ranks), Fraction(0)
    chosen: tuple[set[Any], Fraction] = set(), Fraction(0)
    for rank in outside:
        while True:
            for sender in ranks:  # what a rank sends, if the answer is to be `best`
                graph.add_edge(source, sender, capacity=1 / best if best else Fraction(10**9))
            value, inside = _least_cut(graph, source, rank)
            if best and value >= p / best:
                break
            inside.discard(source)
            leaving = nx.edge_boundary(graph, inside, data="capacity")
            wide = sum((width for *_, width in leaving), start=Fraction(0))
            held = sum(sender in inside for sender in ranks)
            if not wide or held / wide <= best:
                break
            best, chosen = held / wide, (inside, wide)
    return best, *chosen
