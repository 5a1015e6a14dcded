"""Networks from files: SOURCE[*P[/G...]][,key=value...] after "graph:" or "slurm:".

    graph:links.txt                           a line per link: two names, a bandwidth
    graph:cluster.graphml,routing=updown      GraphML, GML, node-link JSON, BookSim's anynet
    graph:fabric.txt,tables=lft.txt           ibnetdiscover, and the tables of its switches
    slurm:topology.conf*16                    Slurm's topology, 16 slots in every node
    slurm:topology.yaml,topology=NAME         one of several topologies
    graph:topo.xml                            the inside of a node, from NCCL or nvidia-smi

The longest existing path is the SOURCE, so a path may contain * and commas. What the file is
follows from its content (`lccmodel.reading`), and both words read all of them. Options:

    routing=    shortest, shortest-first or updown (`network.graphs`); a tree of switches is routed
                up and down, and takes none
    tables=     forwarding tables of an InfiniBand fabric
    rail=       nearest, slot or spread: the port of a message, of hosts with several
    hosts=P     the same as *P
    bandwidth=  of all links, if the file states none, such as those between groups
    inside=     bandwidths of the links inside nodes, with *P/G
    nodes=      the nodes of a job

Hosts that no route joins are in parts; a job is on one part.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from lccmodel.errors import FileError, InputError, NetworkError
from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import as_fraction
from lccmodel.ground.words import checked_word
from lccmodel.network.allocation import Allocation
from lccmodel.network.base import Network
from lccmodel.network.graphs import (
    RAILS,
    Cabling,
    routes_by_rule,
    routes_over_ports,
)
from lccmodel.network.node_hierarchy import slots_in_groups, with_inside
from lccmodel.network.slots import repeated, with_slots
from lccmodel.network.table import wired
from lccmodel.reading import recognise
from lccmodel.reading.description import Cable, HostPorts, NetworkDescription
from lccmodel.reading.fabric import read_forwarding
from lccmodel.reading.found import Found
from lccmodel.reading.slurm_topology import is_yaml, read_yaml
from lccmodel.reading.text import Text

_TAIL = re.compile(r"(?:\*(?P<slots>[0-9/]+))?(?P<options>(?:,[a-z]+=.*)?)", re.DOTALL)
_KEYS = ("routing", "tables", "hosts", "topology", "rail", "bandwidth", "inside", "nodes")
_MOST_SLOTS = 1 << 20


def longest_path(text: str) -> tuple[str, str]:
    """Return the longest existing file that a text begins with, and the rest of the text.

    >>> longest_path("/dev/null*16,rail=slot")
    ('/dev/null', '*16,rail=slot')
    """
    ends = [k for k, character in enumerate(text) if character in "*,"]
    for end in (len(text), *reversed(ends)):
        try:
            if text[:end] and Path(text[:end]).exists() and not Path(text[:end]).is_dir():
                return text[:end], text[end:]
        except (OSError, ValueError):  # a name that no file can have
            continue
    end = ends[0] if ends else len(text)
    return text[:end], text[end:]


def read_network(word: str, parse: Callable[[str], Network]) -> tuple[Network, str]:
    """Return the network of a word that begins with "graph:" or "slurm:", and its `nodes=`.

    Args:
        word: the word.
        parse: makes a network of the word of a regular one.

    Raises:
        NetworkError: an unknown option.
        FileError: a file that cannot be read, or that holds no network.
    """
    path, tail = longest_path(word.partition(":")[2])
    if not path:
        raise NetworkError("network", f"must name a file after {word.partition(':')[0]}:", word)
    match = _TAIL.fullmatch(tail)
    if match is None:
        rule = "after a file, *P or *P/G may stand, and key=value after commas"
        raise NetworkError("network", rule, word)
    options = _stated(match["options"], word)
    slots, *groups = _counts(match["slots"] or options.pop("hosts", "1"), word)
    whole = word.removesuffix(f",nodes={options['nodes']}") if "nodes" in options else word
    try:
        network = _network(Text.at(path), options, slots if not groups else 1, whole, parse)
    except FileError:
        raise
    except InputError as error:
        rule = error.rule if error.argument == "graph" else f"{error.argument} {error.rule}"
        raise FileError(path, 0, rule, error.value) from None
    if groups:
        widths = options["inside"].split(":") if "inside" in options else []
        counts = slots_in_groups(slots, groups, word)
        network = with_inside(network, counts, widths, whole)
    elif "inside" in options:
        raise NetworkError("network", "inside=... requires *P/G", word)
    return network, options.get("nodes", "")


def _stated(options: str, word: str) -> dict[str, str]:
    """Return options by name; a value lasts up to the next known key, so it may have commas."""
    keys = "|".join(_KEYS)
    parts = re.split(rf",({keys})=", options)
    stated: dict[str, str] = {}
    if parts[0]:
        raise NetworkError("network", f"has options {', '.join(_KEYS)}", word)
    for key, value in zip(parts[1::2], parts[2::2], strict=True):
        if key in stated:
            raise NetworkError("network", f"{key}=... may be given once", word)
        stated[key] = value
    if "routing" in stated and "tables" in stated:
        raise NetworkError("network", "routing=... and tables=... exclude each other", word)
    return stated


def _counts(text: str, word: str) -> list[int]:
    counts = text.split("/")
    if not all(c.isascii() and c.isdecimal() and 0 < int(c) <= _MOST_SLOTS for c in counts):
        raise NetworkError("network", f"hosts must be a number of nodes, not {text!r}", word)
    return list(map(int, counts))


def _network(
    text: Text,
    options: dict[str, str],
    slots: int,
    word: str,
    parse: Callable[[str], Network],
) -> Network:
    description = description_of(text, options.get("topology"))
    network = _with_bandwidth(text, description.value, options.get("bandwidth"))
    routing, rail = options.get("routing", "shortest").lower(), options.get("rail", RAILS[0])
    if network.word:
        if {"routing", "tables", "rail"} & options.keys():
            rule = f"is {network.word}, which takes no routing, tables or rail"
            raise FileError(text.path, 0, rule, word)
        return _regular(network, parse(network.word), slots)
    if any(cable.rises for cable in network.cables):
        if "routing" in options:
            raise FileError(text.path, 0, "is a tree, routed up and down", options["routing"])
        routing = "updown"
    known = numbered(network)
    cabling = known.cabling
    if "tables" in options:
        table = _forwarding(text, Text.at(options["tables"]), network, known)
    else:
        at = np.array([router for own in cabling.ports for router in own], np.int64)
        table = routes_by_rule(replace(cabling, hosts=at), routing)
    checked_word("rail", rail, RAILS, kind=NetworkError)
    partial = "tables" not in options  # the switches of a fabric know the way to every port
    try:
        if any(len(own) > 1 for own in cabling.ports):
            routes = routes_over_ports(cabling, table, rail, slots)
            host_ports = cabling if slots == 1 else _with_slots(cabling, slots)
            return wired(host_ports, routes, word, (), description.notes, partial)
        made = wired(replace(cabling, ports=()), table, word, (), description.notes, partial)
    except InputError as error:
        if partial:
            raise
        rule = f"{error.argument} {error.rule}"
        raise FileError(options["tables"], 0, rule, error.value) from None
    return made if slots == 1 else repeated(made, slots, word)


def _with_bandwidth(
    text: Text, network: NetworkDescription, bandwidth: str | None
) -> NetworkDescription:
    """Return a description whose links, all of which are 1, have a stated bandwidth."""
    if bandwidth is None:
        return network
    try:
        width = as_fraction(bandwidth)
    except (ValueError, TypeError, ZeroDivisionError):
        width = Fraction(0)
    if width <= 0:
        raise NetworkError("bandwidth", "must be a positive number", bandwidth)
    if any(cable.bandwidth != 1 for cable in network.cables):
        rule = "has bandwidths of its own, so that bandwidth= cannot apply"
        raise FileError(text.path, 0, rule, bandwidth)
    cables = tuple(replace(cable, bandwidth=width) for cable in network.cables)
    return replace(network, cables=cables)


def description_of(text: Text, topology: str | None = None) -> Found:
    """Return the network that a file describes, as a neutral description.

    Args:
        text: the content of the file.
        topology: one of several in a topology.yaml.

    Raises:
        FileError: another kind of file.
    """
    if topology is None:
        return recognise.read(text, "network")
    if not is_yaml(text):
        rule = "topology=... requires a topology.yaml"
        raise FileError(text.path, 0, rule, topology)
    return read_yaml(text, topology)


def _regular(network: NetworkDescription, whole: Network, slots: int) -> Network:
    """Return a regular network whose nodes have names."""
    nodes = [host.ports[0] for host in network.hosts]
    named = Allocation(whole, nodes, [host.name for host in network.hosts])
    return named if slots == 1 else with_slots(named, slots)


@dataclass(frozen=True)
class Numbered:
    """A description in numbers.

    Attributes:
        cabling: routers, links and hosts.
        router: for every switch that has hosts or cables, by its place, its router.
        cables: of every link.
    """

    cabling: Cabling
    router: dict[int, int]
    cables: tuple[Cable, ...]


def numbered(network: NetworkDescription) -> Numbered:
    """Return routers, links and hosts as numbers; switches without hosts and cables are left out.

    The links of a router are in the order in which its cables are listed, several cables to one
    router one after another.
    """
    used = {end for cable in network.cables for end in (cable.u, cable.v)}
    used |= {port for host in network.hosts for port in host.ports}
    router = {switch: k for k, switch in enumerate(sorted(used))}
    beside: list[dict[int, list[tuple[Cable, bool]]]] = [{} for _ in router]
    for cable in network.cables:
        u, v = router[cable.u], router[cable.v]
        beside[u].setdefault(v, []).append((cable, True))
        beside[v].setdefault(u, []).append((cable, False))
    ends, links = list[tuple[int, int]](), list[tuple[Cable, bool]]()
    for switch, u in router.items():
        others = beside[u]
        first = [router[v] for v in network.beside[switch]] if network.beside else [*others]
        for v, own in ((v, others[v]) for v in first):
            ends += [(u, v)] * len(own)
            links += own
    kinds = [cable.kind for cable, _ in links]
    names = [host.name for host in network.hosts]
    ports = [tuple(dict.fromkeys(router[port] for port in host.ports)) for host in network.hosts]
    widths = [_of_each(host, router) for host in network.hosts]
    upward = [int(cable.rises and forth) for cable, forth in links]
    cabling = Cabling(
        links=np.array(ends, np.int64).reshape(-1, 2),
        hosts=np.array([own[0] for own in ports], np.int64),
        routers=len(router),
        bandwidth=[cable.bandwidth for cable, _ in links],
        dimension=[k or 0 for k in kinds] if kinds and None not in kinds else None,
        names=None if names == [str(k) for k in range(len(names))] else tuple(names),
        ports=tuple(ports),
        ends=tuple(router[end] for end in network.ends if end in router),
        rises=np.array(upward, np.int64) if any(c.rises for c in network.cables) else None,
        router_names=tuple(network.switches[switch] for switch in router),
        port_widths=tuple(widths) if any(host.widths for host in network.hosts) else (),
    )
    return Numbered(cabling, router, tuple(cable for cable, _ in links))


def _of_each(host: HostPorts, router: dict[int, int]) -> tuple[Fraction, ...]:
    """What a host's cables to each of its routers carry together."""
    width: dict[int, Fraction] = {}
    for k, port in enumerate(host.ports):
        own = host.widths[k] if host.widths else Fraction(1)
        width[router[port]] = width.get(router[port], Fraction(0)) + own
    return tuple(width.values())


def _with_slots(cabling: Cabling, slots: int) -> Cabling:
    names = cabling.names or tuple(map(str, range(len(cabling.hosts))))
    return replace(
        cabling,
        hosts=np.repeat(cabling.hosts, slots),
        names=tuple(name for name in names for _ in range(slots)),
        ports=tuple(own for own in cabling.ports for _ in range(slots)),
        port_widths=tuple(own for own in cabling.port_widths for _ in range(slots)),
    )


def _forwarding(text: Text, tables: Text, network: NetworkDescription, known: Numbered) -> Ints:
    """Return the next link at every router to every port, from forwarding tables."""
    if not network.guids:
        rule = "must be what ibnetdiscover prints, to go with tables"
        raise FileError(text.path, 0, rule, str(text.path))
    leaves: dict[tuple[int, int], int] = {}
    for link, (cable, u) in enumerate(
        zip(known.cables, known.cabling.links[:, 0].tolist(), strict=True)
    ):
        ports = cable.ports or (-1, -1)
        leaves[u, ports[known.router[cable.u] != u]] = link
    goals: list[tuple[int, int]] = []  # the router and LID of every port
    for host, routers in zip(network.hosts, known.cabling.ports, strict=True):
        lids = [(known.router[s], lid) for s, lid in zip(host.ports, host.addresses, strict=True)]
        goals += [next(end for end in lids if end[0] == router) for router in routers]
    column = {lid: k for k, (_, lid) in enumerate(goals)}
    table = np.full((known.cabling.routers, len(goals)), -1, np.int64)
    for (switch, lid), port in read_forwarding(tables, network.guids).items():
        here, k = known.router.get(switch), column.get(lid)
        if here is not None and k is not None and here != goals[k][0]:
            table[here, k] = leaves.get((here, port), -1)
    return table
