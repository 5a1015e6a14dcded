"""The networks of BookSim 2 beyond grids: how it numbers, wires and routes them.

    fattree        k-ary n-tree: n levels of k^(n-1) switches; node x is at leaf x div k. nca goes
                   up to the lowest level with the destination below, to a parent drawn at every
                   switch, then down; links of 1 cycle
    flatfly        flattened butterfly: routers on a grid k x ... x k, every two of a line linked,
                   with c = xr * yr nodes each. Nodes are numbered row by row over a plane of
                   x xr columns and y yr rows, routers over its x columns. ran_min goes along axis 0
                   first. With use_noc_latency a link takes as many cycles as nodes lie between
    dragonflynew   k nodes and k global links at each of 2k routers of a group, 2k^2 + 1 groups; the
                   absolute arrangement [network.topologies]. min goes local, global, local, on
                   virtual channel 0 up to the global link and on channel 1 from it on; local links
                   take 10 cycles, global ones 100
    anynet         routers, nodes and links of a file; a latency is that of the stated direction
                   alone, 1 otherwise. min is Dijkstra's shortest path by latency from every router:
                   of the routers at the least distance the one of the lowest number is visited
                   first, and a later way of equal length changes nothing

By hand, for a flatfly of k = 2, n = 2, x = y = 2, xr = 2, yr = 1: nodes 0, 1 are at router 0, nodes
2, 3 at router 1, 4, 5 at router 2; a link of axis 0 takes 2 cycles, one of axis 1 takes 1.

Read in BookSim 2, commit 28f4329.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from lccmodel.errors import FileError
from lccmodel.ground.arrays import Ints
from lccmodel.network import FatTree, Network, RouteTable
from lccmodel.network.topologies import dragonfly
from lccmodel.reading.graph_formats import anynet_lines, is_anynet
from lccmodel.reading.text import Text
from lccmodel.routing import Fabric, RoutingFunction, UserRouting
from lccmodel.routing.grids import ByTable
from lccmodel.routing.per_message import RandomAscent

LOCAL, GLOBAL = 10, 100
"""Cycles of the links of a dragonfly."""


class WiredNetwork(NamedTuple):
    """A network of BookSim 2.

    Attributes: `network`; `routing`, BookSim's minimal one; `latencies`, cycles of links by their
    routers (u, v); `ends`, cycles of the wires of every node, in order, 1 each if empty;
    `latency`, cycles of all other links.
    """

    network: Network
    routing: RoutingFunction
    latencies: Mapping[tuple[int, int], int]
    ends: tuple[int, ...] = ()
    latency: int = 1

    def delays(self, fabric: Fabric) -> Ints:
        """Return the cycles of every link beyond 1, int64 by link of the fabric."""
        ends = zip(fabric.tail.tolist(), fabric.head.tolist(), strict=True)
        return np.array([self.latencies.get(link, self.latency) - 1 for link in ends], np.int64)


def fat_tree(k: int, n: int) -> WiredNetwork:
    """Return the fat tree of k^n nodes.

    >>> fat_tree(4, 2).network
    FatTree((4, 4))
    """
    return WiredNetwork(FatTree((k,) * n), RandomAscent(), {})


def flattened_butterfly(k: int, n: int, columns: int, xr: int, yr: int, noc: bool) -> WiredNetwork:
    """Return the flattened butterfly of k^n routers with xr * yr nodes each.

    Args:
        columns: routers in a row of the plane, BookSim's x.
        xr, yr: nodes of a router along a row and along a column.
        noc: whether links and wires of nodes have the latency of their length.

    >>> small = flattened_butterfly(2, 2, 2, 2, 1, True)
    >>> small.network.hosts.tolist(), small.latencies[0, 1], small.latencies[0, 2]
    ([0, 0, 1, 1, 2, 2, 3, 3], 2, 1)
    """
    routers = k**n
    place = np.arange(routers)
    digits = place[:, None] // k ** np.arange(n) % k
    links = [
        (u, u + (other - int(digits[u, axis])) * k**axis)
        for axis in range(n) for u in range(routers) for other in range(k)
        if other != digits[u, axis]
    ]  # fmt: skip
    number = {link: j for j, link in enumerate(links)}
    nodes = np.arange(routers * xr * yr)
    row, column = np.divmod(nodes, columns * xr)
    hosts = row // yr * columns + column // xr
    following = np.full((routers, len(nodes)), -1, np.int64)
    for u in range(routers):
        for y, goal in enumerate(hosts.tolist()):
            if u != goal:
                axis = int(np.flatnonzero(digits[u] != digits[goal])[0])
                step = int(digits[goal, axis] - digits[u, axis]) * k**axis
                following[u, y] = number[u, u + step]
    kinds = [axis for axis in range(n) for _ in range(routers * (k - 1))]
    word = f"flatfly:{'x'.join([str(k)] * n)}*{xr * yr}"
    table = RouteTable(links, following, hosts, dimension=kinds, word=word)
    length = {
        (u, v): xr * abs(u % columns - v % columns) + yr * abs(u // columns - v // columns)
        for u, v in links
    }
    near = [1 + max(0, _beside(b, xr) - 1) + max(0, _beside(a, yr) - 1)
            for a, b in zip((row % yr).tolist(), (column % xr).tolist(), strict=True)]  # fmt: skip
    if not noc:
        return WiredNetwork(table, ByTable(), {})
    return WiredNetwork(table, ByTable(), length, tuple(near))


def _beside(place: int, side: int) -> int:
    """How far a node is from the middle of its side, in BookSim's steps, which leave out 0.

    >>> [_beside(place, 4) for place in range(4)], [_beside(place, 3) for place in range(3)]
    ([2, 1, 1, 2], [1, 0, 1])
    """
    step = place - side // 2
    return abs(step + (side % 2 == 0 and step >= 0))


def dragonfly_new(p: int) -> WiredNetwork:
    """Return the dragonfly of 2p^2 + 1 groups, with two virtual channels a link.

    >>> small = dragonfly_new(2)
    >>> small.network.spec, small.routing.virtual_channels
    ('dragonfly:2,4,2', 2)
    """
    network = dragonfly(p, 2 * p, p)
    group = 2 * p

    def minimal(fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
        link = network.next_link(at, to * p)
        u, v = network.links[link].tolist()
        far = u // group != v // group or (arrived >= 0 and arrived % fabric.virtual_channels)
        return [fabric.channel(u, v, int(bool(far)))]

    about = "local, global, local; virtual channel 1 from the global link on, as BookSim 2"
    routing = UserRouting("dragonfly-min", minimal, 2, "published", about)
    latencies = {
        (u, v): GLOBAL if u // group != v // group else LOCAL for u, v in network.links.tolist()
    }
    return WiredNetwork(network, routing, latencies)


def anynet(text: Text) -> WiredNetwork:
    """Return the network of BookSim's file, with its routes.

    Raises:
        FileError: not such a file, a node at two routers, a gap in the numbers, a link of a router
            with itself, or routers that no path joins.
    """
    if not is_anynet(text):
        raise FileError(text.path, 1, 'must be lines such as "router 0 node 0 router 1 5"', "")
    at: dict[int, int] = {}
    wires: dict[int, int] = {}
    latencies: dict[tuple[int, int], int] = {}
    for line, here, linked in anynet_lines(text):
        for kind, other, latency in linked:
            if latency == 0:
                raise FileError(text.path, line, "a link must take at least one cycle", latency)
            if kind == "node":
                if at.setdefault(other, here) != here:
                    raise FileError(text.path, line, "a node must be at one router", other)
                wires[other] = latency or 1
            elif other == here:
                raise FileError(text.path, line, "must not link a router with itself", other)
            else:
                latencies[here, other] = latency or 1
                latencies.setdefault((other, here), 1)
    routers = 1 + max([*at.values(), *(u for u, _ in latencies)], default=-1)
    named = {*at.values(), *(u for u, _ in latencies)}
    if not at or sorted(at) != list(range(len(at))) or named != set(range(routers)):
        rule = "must have nodes and routers 0, 1, ... without a gap"
        raise FileError(text.path, 0, rule, f"{len(at)} nodes, {len(named)} routers")
    links = sorted(latencies)
    number = {link: k for k, link in enumerate(links)}
    hosts = [at[node] for node in range(len(at))]
    following = np.full((routers, len(hosts)), -1, np.int64)
    for start in range(routers):
        first = _first_steps(start, routers, latencies)
        for y, goal in enumerate(hosts):
            if goal == start:
                continue
            if first[goal] < 0:
                raise FileError(text.path, 0, "must join all routers", f"{start} and {goal}")
            following[start, y] = number[start, first[goal]]
    word = f"anynet:{text.path.name}"
    ends = tuple(wires[node] for node in range(len(at)))
    table = RouteTable(links, following, hosts, word=word)
    return WiredNetwork(table, ByTable(), latencies, ends)


def _first_steps(start: int, routers: int, latencies: Mapping[tuple[int, int], int]) -> list[int]:
    """The neighbour on the shortest path to every router, -1 where none leads, by Dijkstra.

    >>> _first_steps(0, 4, {(0, 1): 1, (0, 2): 1, (1, 3): 1, (2, 3): 1})
    [-1, 1, 2, 1]
    """
    beyond: list[list[tuple[int, int]]] = [[] for _ in range(routers)]
    for (u, v), latency in sorted(latencies.items()):
        beyond[u].append((v, latency))
    far: dict[int, int] = {start: 0}
    first, open_routers = [-1] * routers, set(range(routers))
    while reached := [router for router in open_routers if router in far]:
        at = min(reached, key=lambda router: (far[router], router))
        open_routers.remove(at)
        for v, latency in beyond[at]:
            if far[at] + latency < far.get(v, far[at] + latency + 1):
                far[v] = far[at] + latency
                first[v] = v if at == start else first[at]
    return first
