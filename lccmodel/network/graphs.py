"""Tables of routes from graphs: which link to take, by a stated rule.

    shortest         fewest links. Of c equally good ones a message to node y takes number
                     (y div s) mod c, in the order of the graph, where s is the number of ways up to
                     a router as far from the nodes as this one: on fat trees D-mod-k
    shortest-first   fewest links; of equally good ones the first in the order of the graph: on
                     meshes, tori and cubes, in whose graphs axis 0 is first, dimension order
    updown           up*/down*: some links up, towards a root, then some down; never up again, so
                     that no messages wait for each other in a circle. Ties as in "shortest". A
                     router that has a way down goes down. The root is the router that is least far
                     from all others; up is to the nearer, of equals to the lower number
    a function       f(graph, x, y) gives the vertices of the route

Vertices are nodes and routers at once, unless the graph says what they are: by an attribute `role`
("node", else a router) or `hosts`, how many nodes are at a router. A node with one link to a router
has a port there, which is not counted; a node with more links is a router itself, too.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.errors import NetworkError, SizeLimitError

MAX_ENTRIES = 1 << 28
"""Most entries of a table: 1 GiB of 32-bit numbers."""

ROUTINGS = ("shortest", "shortest-first", "updown")

PathFunction = Callable[[Any, Hashable, Hashable], Sequence[Hashable]]


@dataclass(frozen=True)
class Cabling:
    """Routers, links and nodes as numbers.

    Attributes:
        links: (L, 2), routers; each goes both ways, links of a router in the order of the graph.
        hosts: (nodes,), the router of every node.
        routers: how many.
        bandwidth: of every link.
        dimension: of every link, or None.
        names: of the nodes, or None where they are numbers 0, 1, ... in order.
        vertices: of the routers, in the graph.
        nodes: of the nodes, in the graph.
    """

    links: Ints
    hosts: Ints
    routers: int
    bandwidth: list[Any]
    dimension: list[int] | None = None
    names: tuple[str, ...] | None = None
    vertices: tuple[Hashable, ...] = ()
    nodes: tuple[Hashable, ...] = ()


def routes_by_rule(cabling: Cabling, routing: str = "shortest") -> Ints:
    """The next link at every router to every node, by one of the rules; (routers, nodes).

    Raises:
        NetworkError: an unknown rule.
        SizeLimitError: a table of more than 2^28 entries.
    """
    if not isinstance(routing, str) or routing not in ROUTINGS:
        raise NetworkError("routing", f"must be one of {', '.join(ROUTINGS)}", routing)
    from lccmodel.network.kernels import shortest_next

    check_entries(cabling.routers * len(cabling.hosts))
    order = np.argsort(cabling.links[:, 0], kind="stable").astype(np.int64)
    first = np.searchsorted(cabling.links[order, 0], np.arange(cabling.routers + 1))
    first = first.astype(np.int64)
    up = _upwards(cabling, first, order) if routing == "updown" else np.zeros(0, np.int64)
    stride = np.zeros(cabling.routers, np.int64)
    if routing != "shortest-first":
        stride = _strides(cabling, first, order)
    table = np.empty((cabling.routers, len(cabling.hosts)), np.int64)
    links = np.ascontiguousarray(cabling.links)
    shortest_next(first, order, links, up, cabling.hosts, stride, table)
    return table


def check_entries(entries: int) -> None:
    """Refuse a table that is too large, before it is made.

    Raises:
        SizeLimitError: it has more than 2^28 entries.
    """
    if entries > MAX_ENTRIES:
        raise SizeLimitError("network", f"a table has at most {MAX_ENTRIES} entries", entries)


# -- reading a graph --------------------------------------------------------------------------


def cabling_of(graph: Any) -> Cabling:
    """Nodes, routers and links of a networkx graph.

    Raises:
        NetworkError: no nodes; a link that goes one way, or is one of a router with itself.
    """
    if not all(hasattr(graph, part) for part in ("nodes", "edges", "is_directed")):
        raise NetworkError("graph", "must be a networkx graph", graph)
    roles = dict(graph.nodes(data=True))
    counts = {v: _count(v, data["hosts"]) for v, data in roles.items() if "hosts" in data}
    stated = [v for v, data in roles.items() if str(data.get("role", "")) == "node"]
    told = bool(counts or any("role" in data for data in roles.values()))
    alone = set(roles) if not told else set(stated)
    ports = {v: _router_of(graph, v, alone) for v in stated}
    routers = [v for v in roles if ports.get(v) is None]
    number = {v: k for k, v in enumerate(routers)}
    hosts: list[int] = []
    names: list[str] = []
    nodes: list[Hashable] = []
    for v in roles:
        if v in alone:
            at, many = ports.get(v), 1
            hosts.append(number[v if at is None else at])
        else:
            many = counts.get(v, 0)
            hosts += [number[v]] * many
        label = str(roles[v].get("name", v))
        names += [label] if many == 1 else [f"{label}.{k}" for k in range(many)]
        nodes += [v] * many
    if not hosts:
        raise NetworkError("graph", "must have nodes: vertices of role 'node', or hosts", graph)
    links, bandwidth, dimension = _links(graph, number)
    plain = names == [str(k) for k in range(len(names))]
    return Cabling(
        links=links,
        hosts=np.array(hosts, np.int64),
        routers=len(routers),
        bandwidth=bandwidth,
        dimension=dimension,
        names=None if plain else tuple(names),
        vertices=tuple(routers),
        nodes=tuple(nodes),
    )


def _count(vertex: Hashable, hosts: Any) -> int:
    try:
        many = int(hosts)
    except (TypeError, ValueError):
        many = -1
    if many < 0 or many > MAX_ENTRIES:
        raise NetworkError("graph", f"hosts of {vertex!r} must be a number of nodes", hosts)
    return many


def _router_of(graph: Any, vertex: Hashable, nodes: set[Hashable]) -> Hashable | None:
    """The router where a node has its only port; None where it is a router itself."""
    beside = {*graph.neighbors(vertex)} - {vertex}
    several = graph.is_multigraph() and any(graph.number_of_edges(vertex, v) > 1 for v in beside)
    other = next(iter(beside), None)
    return other if len(beside) == 1 and other not in nodes and not several else None


def _links(graph: Any, number: dict[Hashable, int]) -> tuple[Ints, list[Any], list[int] | None]:
    """Links both ways, their bandwidths, and their dimensions if the graph states any."""
    ends: list[tuple[int, int]] = []
    bandwidth: list[Any] = []
    kinds: list[Any] = []
    for u in number:  # by router, in the order in which its links were made
        for _, v, data in graph.edges(u, data=True):
            if v == u:
                raise NetworkError("graph", "must not link a vertex with itself", u)
            if v in number:
                ends.append((number[u], number[v]))
                bandwidth.append(data.get("bandwidth", 1))
                kinds.append(data.get("dimension", data.get("axis")))
    known = kinds if kinds and all(isinstance(k, (int, np.integer)) for k in kinds) else None
    return np.array(ends, np.int64).reshape(-1, 2), bandwidth, known


# -- rules --------------------------------------------------------------------------------------


def _levels(cabling: Cabling, first: Ints, order: Ints, roots: Ints) -> Ints:
    """Links from the nearest of some routers; -1 where none is reached."""
    far = np.full(cabling.routers, -1, np.int64)
    far[roots] = 0
    now, d = np.unique(roots), 0
    while len(now):
        beside = [cabling.links[order[first[r] : first[r + 1]], 1] for r in now.tolist()]
        new = np.unique(np.concatenate(beside)) if beside else now[:0]
        now, d = new[far[new] < 0], d + 1
        far[now] = d
    return far


def _strides(cabling: Cabling, first: Ints, order: Ints) -> Ints:
    """The number of ways up from a node to a router of each level, where all are alike."""
    level = _levels(cabling, first, order, cabling.hosts)
    u, v = cabling.links.T
    ways = np.bincount(u[level[v] == level[u] + 1], minlength=cabling.routers)
    most = [int(ways[level == k].max(initial=1)) for k in range(int(level.max()) + 1)]
    stride = np.minimum(np.cumprod([1, *most[:-1]], dtype=np.float64), 2.0**40)
    found: Ints = np.maximum(1, stride.astype(np.int64)[np.maximum(level, 0)])
    return found


def _upwards(cabling: Cabling, first: Ints, order: Ints) -> Ints:
    """1 for every link towards the root."""
    lone = [np.array([r], np.int64) for r in range(cabling.routers)]
    total = [int(_levels(cabling, first, order, r).sum()) for r in lone]
    level = _levels(cabling, first, order, lone[int(np.argmin(total))])
    u, v = cabling.links.T
    higher = (level[v] < level[u]) | ((level[v] == level[u]) & (v < u))
    return np.asarray(higher, np.int64)


def routes_by_function(graph: Any, cabling: Cabling, routing: PathFunction) -> Any:
    """The routes that a function gives: a table where they follow from destinations, else lists."""
    number = {v: k for k, v in enumerate(cabling.vertices)}
    link: dict[tuple[int, int], int] = {}
    for k, (u, v) in enumerate(cabling.links.tolist()):
        link.setdefault((u, v), k)
    nodes = len(cabling.hosts)
    check_entries(nodes * nodes)
    lists: list[list[int]] = []
    table = np.full((cabling.routers, nodes), -1, np.int64)
    by_destination = True
    for x in range(nodes):
        for y in range(nodes):
            route = _given(graph, cabling, routing, x, y, number, link) if x != y else []
            lists.append(route)
            for one in route:
                u = int(cabling.links[one, 0])
                by_destination &= table[u, y] in (-1, one)
                table[u, y] = one
    return table if by_destination else lists


def _given(
    graph: Any,
    cabling: Cabling,
    routing: PathFunction,
    x: int,
    y: int,
    number: dict[Hashable, int],
    link: dict[tuple[int, int], int],
) -> list[int]:
    """The links of the route that a function gives for two nodes."""
    ends = cabling.nodes[x], cabling.nodes[y]
    path = routing(graph, *ends)
    rule = f"must give the vertices from {ends[0]!r} to {ends[1]!r}"
    if isinstance(path, str) or not isinstance(path, Sequence) or not len(path):
        raise NetworkError("routing", rule, path)
    routers = [number[v] for v in path if v in number]
    at = int(cabling.hosts[x]), int(cabling.hosts[y])
    if not routers or (routers[0], routers[-1]) != at or len(path) - len(routers) > 2:
        raise NetworkError("routing", rule, list(path))
    if len(set(routers)) < len(routers):
        raise NetworkError("routing", f"{rule} without a loop", list(path))
    found = [link.get(step) for step in pairwise(routers)]
    if None in found:
        raise NetworkError("routing", f"{rule} along edges of the graph", list(path))
    return [one for one in found if one is not None]
