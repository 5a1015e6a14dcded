"""Nodes with an inside: sockets, GPUs, NICs as levels of links; and rail-optimised clusters.

A rank runs in a slot. Slots hang below groups (sockets), groups below their node, nodes stand in
the network; every link has a bandwidth, and a message climbs to the first place that both ends are
below. By hand, `mesh:2*4/2`, two nodes of four slots in two groups:

    slots     0   1   2   3      4   5   6   7        0 to 1    2 links, in one group
               \\ /     \\ /        \\ /     \\ /         0 to 2    4 links, over the node
    groups      .       .          .       .          0 to 4    5 links, one of the network
                  \\   /             \\   /
    nodes           o ------------- o

In a rail-optimised cluster `rails:N,K` the i-th NIC of every node is on switch i. GPU i has NIC i;
a message to GPU j of another node goes to GPU j of its own node first, inside, and then over rail
j [NCCL's PXN], so that it never crosses between switches.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from lccmodel.errors import FileError, InputError, NetworkError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.files import file_text
from lccmodel.ground.numbers import as_fraction
from lccmodel.network.base import Network
from lccmodel.network.graphs import Cabling, check_entries
from lccmodel.network.table import RouteTable, wired

_MOST_WALKED = 1 << 20
"""Most pairs of nodes whose paths are walked, where next channels are not known by arithmetic."""

_MOST_LEVELS, _LARGEST = 8, 1 << 28


def slots_in_groups(slots: int, groups: Sequence[int], text: str) -> list[int]:
    """Return how many parts every level has, outermost first, of slots in groups of groups.

    Raises:
        NetworkError: groups that do not divide the slots.

    >>> slots_in_groups(8, [2, 2], "torus:4*8/2/2")
    [2, 2, 2]
    """
    left, counts = slots, []
    for group in groups:
        if not group or left % group:
            raise NetworkError("network", f"{group} groups must divide the {left} slots", text)
        left //= group
        counts += [group] if group > 1 else []
    return counts + ([left] if left > 1 or not counts else [])


@typed_arguments
def with_inside(
    network: Any, counts: Sequence[int], bandwidths: Sequence[Any] = (), word: str | None = None
) -> RouteTable:
    """A network whose nodes have slots, in groups of groups.

    Args:
        network: of the nodes, whose routes follow from where a message is and where it goes.
        counts: how many there are in each, outermost first: (2, 4) are two sockets in a node and
            four slots in a socket.
        bandwidths: of the links upwards, for every level; 1 if left out.
        word: the network as one word.

    Returns: slot s of node x is node x * slots + s. Links of the network keep their dimensions,
    ports of its nodes (fat trees) are one more, and every level is one more.

    Raises:
        NetworkError: another network, or counts or bandwidths that are none.
        SizeLimitError: tables of more than 2^28 entries.

    >>> from lccmodel.network import Mesh
    >>> small = with_inside(Mesh((2,)), (2, 2), (10, 20))
    >>> small.size, small.distance(0, 1), small.distance(0, 2), small.distance(0, 4)
    (8, 2, 4, 5)
    >>> small.channel_loads([(0, 4), (1, 4)]).degree
    2
    """
    if not isinstance(network, Network):
        raise NetworkError("network", "must be a network", network)
    sizes = [checked_integer("counts", typed, least=1) for typed in counts]
    if not 1 <= len(sizes) <= _MOST_LEVELS:
        raise NetworkError("counts", f"must be 1 to {_MOST_LEVELS} numbers", counts)
    widths = list(bandwidths) or [1] * len(sizes)
    if len(widths) != len(sizes):
        raise NetworkError("inside", f"must be {len(sizes)} bandwidths, one a level", bandwidths)
    slots, base = network.size * prod(sizes), network.first_router
    vertices = base + network.routers
    below = [network.size * prod(sizes[: k + 1]) for k in range(len(sizes))]
    check_entries((vertices + sum(below)) * slots)
    ends, width, kind, following = _wires(network, vertices)
    goal = np.arange(slots)
    links, bandwidth, dimension = [ends], [*width], [*kind]
    table = [following[:, goal // prod(sizes)]]
    first, start = len(ends), np.arange(network.size)
    offset, own = vertices, np.arange(vertices)
    for level, (many, count) in enumerate(zip(below, sizes, strict=True)):
        here = np.arange(many) + offset
        up = np.stack([here, np.repeat(start, count)], axis=1)
        links += [up, up[:, ::-1]]
        bandwidth += [widths[level]] * (2 * many)
        dimension += [1 + max(kind, default=-1) + level] * (2 * many)
        # whoever is above the goal sends down, all others of this level up
        above = goal // (slots // (many // count))
        down = first + many + goal // (slots // many)
        row = start[above] if level else above
        place = row - own[0] if level else row
        table[-1][place, goal] = down
        climbing = np.broadcast_to(first + np.arange(many)[:, None], (many, slots)).copy()
        if level + 1 == len(sizes):
            climbing[goal, goal] = -1
        table.append(climbing)
        first, start, offset, own = first + 2 * many, here, offset + many, here
    cabling = Cabling(
        links=np.concatenate(links),
        hosts=start,
        routers=offset,
        bandwidth=bandwidth,
        dimension=dimension,
        names=tuple(name for name in network.names for _ in range(prod(sizes))) or None,
    )
    nested = tuple(prod(sizes[k:]) for k in reversed(range(len(sizes))))
    return wired(cabling, np.concatenate(table), word, nested, network.notes)


def _wires(network: Network, vertices: int) -> tuple[Ints, list[Any], list[int], Ints]:
    """Links of a network, ports too, with bandwidth and dimension; the next link to every node."""
    base, wiring = network.first_router, network.wiring
    order = np.argsort(wiring.tail, kind="stable")  # router by router, as in the graph
    ends = np.stack([wiring.tail + base, wiring.head + base, wiring.cable], axis=1)[order].tolist()
    edges: list[tuple[int, ...]] = [tuple(end) if end[2] else tuple(end[:2]) for end in ends]
    width, kind = wiring.bandwidth[order].tolist(), wiring.dimension[order].tolist()
    if base:
        at = network.at_router(np.arange(network.size)) + base
        if network.has_several_ports:
            rule = "must have nodes with one port each; state the ports of slots in the file itself"
            raise NetworkError("network", rule, network.spec)
        up = list(enumerate(at.tolist()))
        down = sorted((router, node) for node, router in up)
        edges += up + down
        ports = network.node_ports.bandwidth.tolist()
        width += [ports[node] for node, _ in up] + [ports[node] for _, node in down]
        kind += [network.dimensions] * 2 * len(up)
    number = {edge: k for k, edge in enumerate(edges)}
    following = np.full((vertices, network.size), -1, np.int64)
    if network.geometry.is_grid and not base:
        nodes = np.arange(network.size)
        after = network.geometry.next_router(nodes[:, None], nodes[None, :])
        known = np.argwhere(after >= 0)
        far = after[after >= 0]
        code = np.array([u * vertices + v for u, v, *_ in edges], np.int64)
        order = np.argsort(code)
        place = np.searchsorted(code[order], known[:, 0] * vertices + far)
        following[after >= 0] = order[place]
        return np.array(edges, np.int64), width, kind, following
    if network.size**2 > _MOST_WALKED:
        rule = "must have at most 1,024 nodes here, or be a cube, mesh or torus"
        raise NetworkError("network", rule, network.spec)
    for x in range(network.size):
        for y in range(network.size):
            route: list[tuple[int, ...]] = list(network.channels(x, y))
            if base and x != y:
                first, *_, last = pairwise(network.path(x, y))
                route = [first, *route, last]
            for edge in route:
                link, u = number[edge], edge[0]
                if following[u, y] not in (-1, link):
                    rule = "must route by where a message goes alone, such as d-mod-k or minimal"
                    raise NetworkError("network", rule, network.spec)
                following[u, y] = link
    return np.array([edge[:2] for edge in edges], np.int64), width, kind, following


@typed_arguments
def rails(nodes: int, nics: int, inside: Any = 1, outside: Any = 1) -> RouteTable:
    """A rail-optimised cluster: the i-th NIC of every node is on switch i.

    Args:
        nodes: how many.
        nics: GPUs, each with a NIC, of a node; as many switches.
        inside: bandwidth of a GPU's link to its node's switch.
        outside: bandwidth of a NIC.

    Returns: GPU i of node x is node x * nics + i. Dimension 0 are links inside nodes, 1 NICs.

    Raises:
        InputError: numbers below 1; NetworkError: a bandwidth that is not positive.

    >>> small = rails(4, 2)
    >>> small.size, small.distance(0, 2), small.distance(0, 1), small.distance(0, 3)
    (8, 2, 2, 4)
    """
    n, k = checked_integer("nodes", nodes, least=1), checked_integer("nics", nics, least=1)
    gpus, routers = n * k, n * k + n + k
    check_entries(routers * gpus)
    gpu = np.arange(gpus)
    node, rail = gpus + gpu // k, gpus + n + gpu % k
    links = np.concatenate([np.stack(pair, 1) for pair in
                            ((gpu, node), (node, gpu), (gpu, rail), (rail, gpu))])  # fmt: skip
    table = np.full((routers, gpus), -1, np.int64)
    x, y = gpu[:, None], gpu[None, :]
    table[:gpus] = np.where((x % k == y % k) & (x != y), 2 * gpus + x, x)  # over the rail, or in
    table[gpu, gpu] = -1
    at = np.arange(n)[:, None]
    table[gpus : gpus + n] = gpus + at * k + y % k  # to the GPU that has the rail, or to the goal
    table[rail, gpu] = 3 * gpus + gpu
    cabling = Cabling(
        links=links,
        hosts=gpu,
        routers=routers,
        bandwidth=[inside] * (2 * gpus) + [outside] * (2 * gpus),
        dimension=[0] * (2 * gpus) + [1] * (2 * gpus),
    )
    plain = str(inside) == str(outside) == "1"
    word = f"rails:{n},{k}" + ("" if plain else f",bandwidth={inside}:{outside}")
    return wired(cabling, table, word, (k, gpus))


def rails_of_nodes(
    nodes: int, nics: int, path: str, widths: Sequence[Any], word: str
) -> RouteTable:
    """Return a rail-optimised cluster of nodes that NCCL's topology file describes.

    Args:
        nodes, nics: as for `rails`; the file has to have as many GPUs and NICs in a node.
        path: of the file; or of the output of `nvidia-smi topo -m`, which has no bandwidths.
        widths: inside and outside, if they are stated; else NVLink's and the NIC's, in GB/s.
        word: the network as one word.

    Raises:
        FileError: another number of GPUs, no NVLink to a switch, or different NICs.

    Returns: the cluster; a note says what the file states.
    """
    from lccmodel.reading import recognise

    read = recognise.read(path, "network")
    node = read.value
    if len(node.hosts) != nics or not node.near:
        rule = f"must describe a node with {nics} GPUs and NICs"
        raise FileError(
            path, 0, rule, f"{len(node.hosts)} GPUs, {len(set(node.near.values()))} NICs"
        )
    own = [node.near[host.name] for host in node.hosts]
    if len(set(own)) < nics:
        rule = f"must have a NIC for each of the {nics} GPUs, to be on {nics} rails"
        raise FileError(path, 0, rule, f"{len(set(own))} NICs")
    if not widths:
        inside = {node.rates.get(f"{host.name},nvs") for host in node.hosts}
        outside = {node.rates.get(nic) for nic in own}
        if len(inside) > 1 or len(outside) > 1 or not all((*inside, *outside)):
            rule = "must have the same NVLink and NIC for every GPU; or state bandwidth=IN:OUT"
            raise FileError(path, 0, rule, sorted(map(str, inside | outside)))
        widths = *inside, *outside
    made = rails(nodes, nics, *widths)
    order = ", ".join(f"{host.name} {nic}" for host, nic in zip(node.hosts, own, strict=True))
    note = f"Rails in the order of the GPUs: {order}"
    return made._replaced(spec=word, notes=(*read.notes, note))


def read_levels(path: str, word: str, named: Callable[[str], Network]) -> RouteTable:
    """A network, which `named` makes of its word, and what is inside its nodes, from a table.

        network = "torus:8x8"
        [[level]]                          # outermost first
        name = "socket"
        count = 2
        bandwidth = 50

    Raises:
        FileError: no such table.
    """
    text = file_text(path, _LARGEST)
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        reason = str(error).splitlines()[0]
        raise FileError(path, 0, "must be a TOML file", reason) from None
    levels = document.get("level")
    if not isinstance(document.get("network"), str) or not isinstance(levels, list) or not levels:
        rule = 'must have network = "torus:8x8" and tables [[level]]'
        raise FileError(path, 0, rule, sorted(document))
    if document["network"].strip().lower().startswith("levels:"):
        rule = "network must have no file of levels; write all levels in one file"
        raise FileError(path, 0, rule, document["network"])
    for level in levels:
        if not isinstance(level, dict) or not {"count"} <= level.keys() <= {
            "name",
            "count",
            "bandwidth",
        }:
            raise FileError(path, 0, "a level has name, count and bandwidth", level)
    widths = [_width_of(path, level.get("bandwidth", 1)) for level in levels]
    counts = [level["count"] for level in levels]
    if True in [isinstance(count, bool) for count in counts]:
        raise FileError(path, 0, "count of a level must be an integer", counts)
    try:
        return with_inside(named(document["network"]), counts, widths, word)
    except InputError as error:
        raise FileError(path, 0, f"{error.argument}: {error.rule}", error.value) from None


def _width_of(path: str, bandwidth: Any) -> Fraction:
    """The bandwidth of a level."""
    try:
        width = Fraction(0) if isinstance(bandwidth, bool) else as_fraction(bandwidth)
    except (TypeError, ValueError, ZeroDivisionError):
        width = Fraction(0)
    if width <= 0:
        raise FileError(path, 0, "bandwidth of a level must be a positive number", bandwidth)
    return width
