"""Slots for several ranks in every node: "slurm:FILE*16", "fattree:4^3*4", "torus:8x8*4".

Slot s of node x is node x P + s of the new network. Messages between slots of one node use no
channel, and those between nodes take the route of the nodes: a switch forwards to a host, whatever
its slot.

    mesh:2*4    0 1 2 3 at router 0, 4 5 6 7 at router 1
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lccmodel.errors import NetworkError, checked_integer
from lccmodel.ground.arrays import Ints
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.concentrated import Concentrated
from lccmodel.network.fattree import FatTree
from lccmodel.network.graphs import Cabling, check_entries
from lccmodel.network.hypercube import Hypercube
from lccmodel.network.mesh import Mesh
from lccmodel.network.table import RouteTable, wired


def with_slots(network: Network, slots: int, word: str | None = None) -> Network:
    """Return a network whose nodes have slots.

    Args:
        network: of the nodes.
        slots: of each, at least 1.
        word: the network as one word; that of `network` with *P if left out.

    Raises:
        NetworkError: an Origin, which has two nodes at a router; a fat tree routed by source.
        SizeLimitError: a table of more than 2^28 entries.

    >>> from lccmodel.network import FatTree
    >>> tree = with_slots(FatTree((2, 2)), 3)
    >>> tree.spec, tree.size, tree.distance(0, 2), tree.distance(0, 11)
    ('fattree:2^2*3', 12, 0, 2)
    """
    slots = checked_integer("slots", slots, NetworkError, least=1)
    if (whole := network.whole_network) is not network:
        own = network.in_whole(np.arange(network.size))
        nodes = (own[:, None] * slots + np.arange(slots)).ravel()
        names = [name for name in network.names for _ in range(slots)]
        return Allocation(with_slots(whole, slots, word), nodes, names or None)
    if isinstance(network, (Hypercube, Mesh)):
        return Concentrated(network, slots)
    if isinstance(network, Concentrated):
        return Concentrated(network.network, network.per_node * slots)
    if isinstance(network, FatTree):
        network = _tree_table(network)
    if not isinstance(network, RouteTable):
        raise NetworkError("network", "must have no slots of its own to take *P", network.spec)
    if word is None:
        head, comma, options = network.spec.partition(",")
        word = f"{head}*{slots}{comma}{options}" if not comma.strip() else f"{network.spec}*{slots}"
    return repeated(network, slots, word)


def repeated(network: RouteTable, slots: int, word: str) -> RouteTable:
    """Return a table in which every node stands `slots` times, one after another."""
    many, routes = network.size, network._arguments[1]
    check_entries(slots * many * (slots * many if network.is_listed else network.routers))
    if network.is_listed:
        first, flat = routes
        lengths = np.diff(first).reshape(many, many)
        begin = first[:-1].reshape(many, many)
        copies = np.repeat(np.repeat(lengths, slots, axis=0), slots, axis=1).ravel()
        starts = np.repeat(np.repeat(begin, slots, axis=0), slots, axis=1).ravel()
        ends = np.concatenate([[0], np.cumsum(copies)]).astype(np.int64)
        place = np.arange(ends[-1]) - np.repeat(ends[:-1] - starts, copies)
        routes = ends, np.asarray(flat)[place].astype(np.int64)
    else:
        routes = np.repeat(routes, slots, axis=1)
    names = [name for name in network.names for _ in range(slots)]
    ports = [own for own in network.ports for _ in range(slots)]
    port_widths = [own for own in network.port_bandwidths for _ in range(slots)]
    links, _, hosts, widths, kinds, *_ = network._arguments
    return RouteTable(
        links, routes, np.repeat(hosts, slots), widths, kinds, names or None, word,
        (slots, *(slots * level for level in network.levels)), ports, network._apart is not None,
        network.notes, network.router_names, port_widths,
    )  # fmt: skip


def _tree_table(tree: FatTree) -> RouteTable:
    """Return a fat tree, routed by destination, as a table of next channels."""
    if tree.routing != "d-mod-k":
        raise NetworkError("network", "must be routed by destination to take *P", tree.spec)
    hosts, levels = tree.size, tree.levels
    check_entries(tree.routers * hosts)
    y = np.arange(hosts)
    links: list[Ints] = [np.empty((0, 2), np.int64)]
    kinds: list[int] = []
    table = np.full((tree.routers, hosts), -1, np.int64)
    above_first = [0] * (levels + 1)  # of every level: its first link upwards, then downwards
    count = 0
    for level in range(1, levels):
        columns = tree._columns(level)
        ends = [tree.channel(2 * level - 2, column) for column in range(columns)]
        up = np.array(ends, np.int64) - tree.size
        links += [up, up[:, ::-1]]
        kinds += [level - 1] * (2 * columns)
        above_first[level] = count
        count += 2 * columns
    for level in range(1, levels + 1):
        reach = tree._reach(level)
        index = np.arange(tree._switches(level))
        group, low = (index // reach)[:, None], (index % reach)[:, None]
        below = group == y // tree._hosts(level)
        row = np.full((len(index), hosts), -1, np.int64)
        if level < levels:
            wide = tree._reach(level + 1)
            column = low + reach * (y // reach % (wide // reach)) + wide * group
            row = np.where(below, row, above_first[level] + column)
        if level > 1:
            child = tree._reach(level) * (y // tree._hosts(level - 1)) + low
            down = above_first[level - 1] + tree._columns(level - 1) + child
            row = np.where(below, down, row)
        start = tree._switch(level, 0) - tree.size
        table[start : start + len(index)] = row
    cabling = Cabling(
        links=np.concatenate(links),
        hosts=y // tree.down[0],
        routers=tree.routers,
        bandwidth=[1] * count,
        dimension=kinds,
    )
    nested: list[Any] = np.cumprod(tree.down).tolist()
    return wired(cabling, table, tree.spec, tuple(nested))
