"""Tables of routes from graphs: which link to take, by a stated rule.

    shortest         fewest links. Of c equally good ones a message to node y takes number
                     (y div s) mod c, in the order of the graph, where s is the number of ways up to
                     a router as far from the nodes as this one: on fat trees D-mod-k
    shortest-first   fewest links; of equally good ones the first in the order of the graph: on
                     meshes, tori and cubes, in whose graphs axis 0 is first, dimension order. If
                     vertices are tuples and every link changes one coordinate, as in networkx's
                     grid_graph and hypercube_graph, the last coordinate is axis 0
    updown           up*/down*: some links up, towards a root, then some down; never up again, so
                     that no messages wait for each other in a circle. Ties as in "shortest". A
                     router that has a way down goes down. The root is the router that is least far
                     from all others; up is to the nearer, of equals to the lower number
    a function       f(graph, x, y) gives the vertices of the route

Vertices are nodes and routers at once, unless the graph says what they are: by an attribute `role`
("node", else a router) or `hosts`, how many nodes are at a router. A node that is linked with
routers alone has ports there, which are not counted, and no message passes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from lccmodel.errors import NetworkError, SizeLimitError
from lccmodel.ground.arrays import Ints
from lccmodel.ground.words import checked_word

MAX_ENTRIES = 1 << 28
"""Most entries of a table: 1 GiB of 32-bit numbers."""

ROUTINGS = ("shortest", "shortest-first", "updown")

PathFunction = Callable[[Any, Hashable, Hashable], Sequence[Hashable]]


@dataclass(frozen=True)
class Cabling:
    """Routers, links and nodes as numbers.

    Attributes:
        links: (L, 2), routers; each goes both ways, links of a router in the order of the graph.
        hosts: (nodes,), the router of every node; of its first port, if it has several.
        routers: how many.
        bandwidth: of every link.
        dimension: of every link, or None.
        names: of the nodes, or None where they are numbers 0, 1, ... in order.
        vertices: of the routers, in the graph.
        nodes: of the nodes, in the graph.
        ports: for every node the routers of its ports, all different; () if each has one port.
        ends: routers that stand for hosts, which messages never pass through.
        router_names: of the routers, to be shown, or ().
        port_widths: for every node the bandwidths of its ports; () if not stated.
        rises: (L,), 1 for a link upwards in a tree and 0 for the way back; None if not stated.
    """

    links: Ints
    hosts: Ints
    routers: int
    bandwidth: list[Any]
    dimension: list[int] | None = None
    names: tuple[str, ...] | None = None
    vertices: tuple[Hashable, ...] = ()
    nodes: tuple[Hashable, ...] = ()
    ports: tuple[tuple[int, ...], ...] = ()
    ends: tuple[int, ...] = ()
    rises: Ints | None = None
    router_names: tuple[str, ...] = ()
    port_widths: tuple[tuple[Any, ...], ...] = ()

    def ports_of(self, node: int) -> tuple[int, ...]:
        """The routers where a node has a port."""
        return self.ports[node] if self.ports else (int(self.hosts[node]),)


def routes_by_rule(cabling: Cabling, routing: str = "shortest") -> Ints:
    """The next link at every router to every node, by one of the rules; (routers, nodes).

    Raises:
        NetworkError: an unknown rule.
        SizeLimitError: a table of more than 2^28 entries.
    """
    checked_word("routing", routing, ROUTINGS, kind=NetworkError)
    from lccmodel.network.kernels import shortest_next

    check_entries(cabling.routers * len(cabling.hosts))
    order = np.argsort(cabling.links[:, 0], kind="stable").astype(np.int64)
    first = np.searchsorted(cabling.links[order, 0], np.arange(cabling.routers + 1))
    first = first.astype(np.int64)
    up = np.zeros(0, np.int64)
    if routing == "updown":
        up = _upwards(cabling, first, order) if cabling.rises is None else cabling.rises
    ends = np.zeros(cabling.routers, np.bool_)
    ends[list(cabling.ends)] = True
    stride = np.zeros(cabling.routers, np.int64)
    if routing != "shortest-first":
        stride = _strides(cabling, first, order)
    table = np.empty((cabling.routers, len(cabling.hosts)), np.int64)
    links = np.ascontiguousarray(cabling.links)
    shortest_next(first, order, links, up, ends, cabling.hosts, stride, table)
    return table


def in_order_of_axes(cabling: Cabling) -> Cabling:
    """Return a cabling whose links are in the order of the axes, if its vertices are coordinates.

    Links that have a `dimension` stay as they are.

    >>> in_order_of_axes(Cabling(np.array([(0, 1), (1, 0)]), np.arange(2), 2, [1, 1])).dimension
    """
    places = cabling.vertices
    sizes = {len(v) if isinstance(v, tuple) else 0 for v in places}
    if cabling.dimension is not None or len(sizes) != 1 or min(sizes) < 2:
        return cabling
    if not all(isinstance(x, int) for v in places if isinstance(v, tuple) for x in v):
        return cabling
    points = np.array(places, np.int64)
    changed = points[cabling.links[:, 0]] != points[cabling.links[:, 1]]
    if not (changed.sum(axis=1) == 1).all():
        return cabling
    axis = points.shape[1] - 1 - changed.argmax(axis=1)
    order = np.argsort(axis, kind="stable")
    return replace(
        cabling,
        links=np.ascontiguousarray(cabling.links[order]),
        bandwidth=[cabling.bandwidth[k] for k in order.tolist()],
        dimension=axis[order].tolist(),
        rises=None if cabling.rises is None else cabling.rises[order],
    )


# -- several ports --------------------------------------------------------------------------------

RAILS = ("nearest", "slot", "spread")
"""Rules for the port of a message; see `routes_over_ports`."""


def routes_for(cabling: Cabling, routing: str = "shortest") -> Any:
    """Return the routes by a rule: a table, or lists where nodes have several ports."""
    if not cabling.ports:
        return routes_by_rule(cabling, routing)
    at = np.array([router for ports in cabling.ports for router in ports], np.int64)
    return routes_over_ports(cabling, routes_by_rule(replace(cabling, hosts=at), routing))


def routes_over_ports(
    cabling: Cabling, table: Ints, rail: str = "nearest", slots: int = 1
) -> tuple[Ints, Ints]:
    """Return the routes of nodes with several ports, as lists.

    A message takes the port of its rule at the source, and at the destination the port that is
    nearest from there. Of c equally good choices it takes number k mod c.

        nearest   of all pairs of ports one with the fewest links, and of these one whose narrower
                  port is widest; k is the slot of the source
        slot      port s mod c of the source for its slot s; k is the destination
        spread    port y mod c of the source for destination y; k is the source

    Args:
        cabling: with ports; a node is a host.
        table: (routers, all ports of all hosts in order), the next link, -1 where none leads.
        rail: one of `RAILS`.
        slots: of every host; slot s of host x becomes node x * slots + s.

    Returns: where each of nodes² + 1 lists begins, and all links.

    Raises:
        NetworkError: another rule; SizeLimitError: more than 2^28 entries.
    """
    checked_word("rail", rail, RAILS, kind=NetworkError)
    hosts, most = len(cabling.ports), max(map(len, cabling.ports))
    check_entries(2 * (hosts * slots) ** 2)
    check_entries(hosts * hosts * most * most)
    port = np.full((hosts, most), -1, np.int64)  # the place among all ports; -1: none
    at = np.zeros((hosts, most), np.int64)
    filled = 0
    for host, own in enumerate(cabling.ports):
        port[host, : len(own)] = np.arange(filled, filled + len(own))
        at[host, : len(own)] = own
        filled += len(own)
    goal = np.array([router for own in cabling.ports for router in own], np.int64)
    far = _distances(cabling, table, goal)
    # (source, destination, port there, port here): links between them
    apart = far[at[:, None, None, :], np.maximum(port, 0)[None, :, :, None]]
    missing = (port < 0)[:, None, None, :] | (port < 0)[None, :, :, None] | (apart < 0)
    apart = np.where(missing, _FAR, apart)
    many = np.array([len(own) for own in cabling.ports])
    x, y = np.arange(hosts)[:, None], np.arange(hosts)[None, :]
    wide = _narrower(cabling, most) if rail == "nearest" and cabling.port_widths else None
    routes: list[Ints] = []
    for slot in range(slots):
        price = apart
        if rail == "slot":
            here = np.broadcast_to((slot % many)[:, None], (hosts, hosts))
        elif rail == "spread":
            here = y % many[:, None]
        if rail != "nearest":
            wrong = np.arange(most)[None, None, None, :] != here[:, :, None, None]
            price = np.where(wrong, _FAR, apart)
        flat = price.reshape(hosts, hosts, most * most)
        good = (flat == flat.min(axis=2, keepdims=True)) & (flat < _FAR)
        if wide is not None:
            good &= wide == np.where(good, wide, -1).max(axis=2, keepdims=True)
        turn = {"nearest": np.full((hosts, hosts), slot), "slot": y + 0 * x, "spread": x + 0 * y}
        wanted = turn[rail] % np.maximum(1, good.sum(axis=2))
        chosen = (good & (good.cumsum(axis=2) == wanted[:, :, None] + 1)).argmax(axis=2)
        start = np.where(x == y, 0, at[x, chosen % most])
        target = np.where((x == y) | ~good.any(axis=2), -1, port[y, chosen // most])
        routes.append(_walked(cabling, table, goal, start, target))
    counts, links = [np.zeros(1, np.int64)], [np.empty(0, np.int64)]
    for host in range(hosts):
        for route in routes:  # of every slot; all slots of a destination are alike
            steps = np.repeat(route[host], slots, axis=0)
            counts.append((steps >= 0).sum(axis=1))
            links.append(steps[steps >= 0])
    return np.cumsum(np.concatenate(counts)), np.concatenate(links)


_FAR = 1 << 40
"""Longer than any route, and than the sum of two."""


def _narrower(cabling: Cabling, most: int) -> Ints:
    """The place, among all bandwidths, of the narrower port of two: (source, destination, ports).

    Ports of the destination change slowest, as in `routes_over_ports`.
    """
    order = {
        width: k for k, width in enumerate(sorted({w for own in cabling.port_widths for w in own}))
    }
    place = np.zeros((len(cabling.port_widths), most), np.int64)
    for host, own in enumerate(cabling.port_widths):
        place[host, : len(own)] = [order[width] for width in own]
    both = np.minimum(place[:, None, None, :], place[None, :, :, None])
    return both.reshape(len(place), len(place), -1)


def _distances(cabling: Cabling, table: Ints, goal: Ints) -> Ints:
    """Return the links from every router to every port; -1 where no route leads."""
    here = np.broadcast_to(np.arange(cabling.routers)[:, None], table.shape).copy()
    far = np.zeros(table.shape, np.int64)
    column = np.broadcast_to(np.arange(table.shape[1]), table.shape)
    moving = here != goal[None, :]
    for _ in range(cabling.routers + 1):
        if not moving.any():
            return far
        link = table[here[moving], column[moving]]
        lost = link < 0
        step = cabling.links[np.maximum(link, 0), 1] if len(cabling.links) else link
        here[moving] = np.where(lost, goal[column[moving]], step)
        far[moving] = np.where(lost, -1 - cabling.routers * 2, far[moving] + 1)
        moving = here != goal[None, :]
    raise NetworkError("routes", "must not go round in a loop", "a loop")


def _walked(cabling: Cabling, table: Ints, goal: Ints, start: Ints, target: Ints) -> Ints:
    """Return the links from routers to ports, step by step, for arrays of both; -1 at the end.

    A port of -1 has none.
    """
    here = start.copy()
    port = np.maximum(target, 0)
    moving = (target >= 0) & (here != goal[port])
    steps = []
    while moving.any():
        link = np.where(moving, table[here, port], -1)
        steps.append(link)
        here = np.where(moving, cabling.links[link, 1], here)
        moving = (link >= 0) & (here != goal[port])
    return np.stack(steps, axis=-1) if steps else np.empty((*start.shape, 0), np.int64)


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
    is_stated = bool(counts or any("role" in data for data in roles.values()))
    alone = set(roles) if not is_stated else set(stated)
    beside = {v: _routers_of(graph, v, alone) for v in stated}
    stated_widths = any(
        "bandwidth" in data for v in stated if beside[v] for *_, data in graph.edges(v, data=True)
    )
    routers = [v for v in roles if not beside.get(v)]
    number = {v: k for k, v in enumerate(routers)}
    hosts: list[int] = []
    names: list[str] = []
    nodes: list[Hashable] = []
    ports: list[tuple[int, ...]] = []
    widths: list[tuple[Any, ...]] = []
    for v in roles:
        many = 1 if v in alone else counts.get(v, 0)
        at = tuple(number[u] for u in beside.get(v) or (v,))
        hosts += [at[0]] * many
        ports += [at] * many
        widths += [tuple(_to(graph, v, u) if u != v else 1 for u in beside.get(v) or (v,))] * many
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
        ports=tuple(ports) if any(len(at) > 1 for at in ports) else (),
        ends=tuple(number[v] for v in stated if v in number and len(stated) < len(roles)),
        port_widths=tuple(widths) if stated_widths else (),
    )


_READ = frozenset({"bandwidth", "dimension", "axis", "sign"})
"""Attributes of edges that are read, or follow from others."""


def unread_attributes(graph: Any) -> tuple[str, ...]:
    """Return a note that names the numbers of edges that are not read, such as `weight`."""
    unread = {
        str(key)
        for *_, data in graph.edges(data=True)
        for key, value in data.items()
        if key not in _READ and isinstance(value, (int, float)) and not isinstance(value, bool)
    }
    if not unread:
        return ()
    names = ", ".join(sorted(unread))
    return (f"Attributes of links that are not read: {names}; bandwidths are `bandwidth`",)


def _count(vertex: Hashable, hosts: Any) -> int:
    try:
        many = int(hosts)
    except (TypeError, ValueError):
        many = -1
    if many < 0 or many > MAX_ENTRIES:
        raise NetworkError("graph", f"hosts of {vertex!r} must be a number of nodes", hosts)
    return many


def _to(graph: Any, node: Hashable, router: Hashable) -> Any:
    """What all edges from a node to a router carry."""
    widths = [d.get("bandwidth", 1) for _, v, d in graph.edges(node, data=True) if v == router]
    return sum(widths[1:], start=widths[0])


def _routers_of(graph: Any, vertex: Hashable, nodes: set[Hashable]) -> tuple[Hashable, ...]:
    """The routers where a node has its ports; none where it is linked with another node."""
    beside = [v for v in dict.fromkeys(graph.neighbors(vertex)) if v != vertex]
    return () if nodes & set(beside) else tuple(beside)


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
    strides: Ints = np.maximum(1, stride.astype(np.int64)[np.maximum(level, 0)])
    return strides


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
            for taken in route:
                u = int(cabling.links[taken, 0])
                by_destination &= table[u, y] in (-1, taken)
                table[u, y] = taken
    return table if by_destination and not cabling.ports else lists


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
    starts, goals = cabling.ports_of(x), cabling.ports_of(y)
    there = bool(routers) and routers[0] in starts and routers[-1] in goals
    if not there or len(path) - len(routers) > 2:
        raise NetworkError("routing", rule, list(path))
    if len(set(routers)) < len(routers):
        raise NetworkError("routing", f"{rule} without a loop", list(path))
    links = [link.get(step) for step in pairwise(routers)]
    if None in links:
        raise NetworkError("routing", f"{rule} along edges of the graph", list(path))
    return [taken for taken in links if taken is not None]
