"""InfiniBand fabrics: what `ibnetdiscover` prints, and the forwarding tables of the switches.

    Switch  8 "S-0000000000200004"          # "leaf3" base port 0 lid 7 lmc 0
    [1]     "H-000000000010000c"[1](10000d)         # "node07 mlx5_0" lid 12 4xSDR
    [7]     "S-0000000000200000"[3]         # "spine1" lid 2 4xSDR

A node is a port of a channel adapter (Ca) that a cable joins with a switch; adapters inside
switches ("Aggregation Node") and routers between subnets are left out. It is called by the first
word of its description where that tells all nodes apart. Every cable between two switches is a
channel each way. Links carry so many times what the slowest of them does, by lanes and data rate.

Tables are read as `dump_fts` (`dump_lfts.sh`, `ibroute`) and OpenSM (`opensm-lfts.dump`,
`opensm.fdbs`, with it ibdiagnet's `.fdbs`) write them: for every switch and local identifier (LID)
the port that a packet leaves by. A node is reached by its base LID.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.errors import FileError, InputError
from lccmodel.network.graphs import Cabling, check_entries, routes_by_rule
from lccmodel.network.table import RouteTable, wired

_DATA_RATES = {
    "SDR": Fraction(2), "DDR": Fraction(4), "QDR": Fraction(8), "FDR10": Fraction(10),
    "FDR": Fraction(150, 11), "EDR": Fraction(25), "HDR": Fraction(50), "NDR": Fraction(100),
    "XDR": Fraction(200),
}  # fmt: skip
"""Gbit/s of data that a lane carries, without its coding."""

_VERTEX = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d{1,5})\s+"([SHR])-([0-9a-fA-F]{1,16})"(?:\s*#\s*"(.*)")?'
)
_END = r"(?:\[ext \d+\])?(?:\(([0-9a-fA-F]+)\))?"
_LINK = re.compile(
    rf'^\[(\d{{1,5}})\]{_END}\s*"([SHR])-([0-9a-fA-F]{{1,16}})"\[(\d{{1,5}})\]{_END}(?:\s*#(.*))?$'
)
_RATE = re.compile(r"\b(\d{1,2})x([A-Z]{3}(?:10)?)\s*$")
_OWN_LID = re.compile(r"^\s*lid (\d{1,5}) lmc \d+")
_LID_THERE = re.compile(r'"\s*lid (\d{1,5})\b')

_TABLE_OF = re.compile(r"(?:Unicast lids .*\bguid|ucast_routes: Switch) +0x([0-9a-fA-F]{1,16})\b")
_ENTRY = re.compile(r"^0x([0-9a-fA-F]{1,4}) *:? *(\d{1,3})\b")

_INSIDE = "Aggregation Node"


def is_fabric(content: str) -> bool:
    """Whether a text looks like what `ibnetdiscover` prints."""
    return any(_VERTEX.match(line) for line in content.splitlines())


@dataclass
class _Port:
    """A port of a channel adapter, at a switch."""

    switch: str
    lid: int = -1


@dataclass
class _Fabric:
    """What a file says: switches by GUID, ports of adapters, cables by switch and port."""

    switches: dict[str, str] = field(default_factory=dict)
    described: dict[str, str] = field(default_factory=dict)
    ports: dict[tuple[str, int], _Port] = field(default_factory=dict)
    cables: dict[tuple[str, int], tuple[str, int, Fraction]] = field(default_factory=dict)


def read_fabric(
    path: str, content: str, tables: tuple[str, str] | None, routing: str, word: str
) -> RouteTable:
    """The network of a fabric.

    Args:
        path, content: of what `ibnetdiscover` printed.
        tables: path and content of the forwarding tables, or None.
        routing: a rule, where there are no tables.
        word: the network as one word.

    Raises:
        FileError: a line that is neither, a cable with one end, a table of an unknown switch, or
            tables with a loop or without a way.
    """
    fabric = _read(path, content)
    cabling, leaves = _cabling(path, fabric)
    if tables is None:
        return wired(cabling, routes_by_rule(cabling, routing), word)
    routes = _routes(*tables, fabric, cabling, leaves)
    try:
        return wired(cabling, routes, word)
    except InputError as error:
        raise FileError(tables[0], 0, f"{error.argument} {error.rule}", error.value) from None


def _read(path: str, content: str) -> _Fabric:
    fabric, kind, here = _Fabric(), "", ""
    for number, line in enumerate(content.splitlines(), 1):
        vertex = _VERTEX.match(line)
        if vertex:
            kind, here = vertex[3], _guid(vertex[4])
            name = (vertex[5] or here).partition('" ')[0]
            if kind == "S":
                fabric.switches[here] = name
            fabric.described[here] = name
            continue
        if not line.startswith("["):
            continue
        link = _LINK.match(line.strip())
        if not link or not here:
            raise FileError(path, number, 'must be a link such as [1] "S-0a"[2]', line)
        _add(path, number, fabric, (kind, here), link)
    if not fabric.ports:
        raise FileError(path, 0, "must have channel adapters at switches", "none")
    return fabric


def _add(
    path: str, number: int, fabric: _Fabric, end: tuple[str, str], link: re.Match[str]
) -> None:
    """One line of a switch or an adapter."""
    kind, here = end
    port, other, there, far, told = int(link[1]), link[3], _guid(link[4]), int(link[5]), link[7]
    told = told or ""
    if kind == "S" and other == "S":
        rate = _RATE.search(told)
        if rate and (rate[2] not in _DATA_RATES or not int(rate[1])):
            raise FileError(path, number, "must have a width and speed such as 4xEDR", rate[0])
        width = int(rate[1]) * _DATA_RATES[rate[2]] if rate else Fraction(0)
        if (here, port) in fabric.cables:
            raise FileError(path, number, "a port must have one cable", f"[{port}]")
        fabric.cables[here, port] = there, far, width
    elif kind == "H" and other == "S":
        lid = _OWN_LID.match(told)
        _port(fabric, here, port, there, lid)
    elif kind == "S" and other == "H":
        _port(fabric, there, far, here, _LID_THERE.search(told))


def _port(fabric: _Fabric, adapter: str, port: int, switch: str, lid: re.Match[str] | None) -> None:
    known = fabric.ports.setdefault((adapter, port), _Port(switch))
    if lid is not None:
        known.lid = int(lid[1])


def _guid(text: str) -> str:
    return text.lower().lstrip("0") or "0"


def _cabling(path: str, fabric: _Fabric) -> tuple[Cabling, dict[tuple[int, int], int]]:
    """Routers, links and nodes; and the link that leaves a switch, by router and port."""
    number = {guid: k for k, guid in enumerate(fabric.switches)}
    slowest = min((w for _, _, w in fabric.cables.values() if w), default=Fraction(1))
    links: list[tuple[int, int]] = []
    widths: list[Fraction] = []
    leaves: dict[tuple[int, int], int] = {}
    for (here, port), (there, far, width) in fabric.cables.items():
        back = fabric.cables.get((there, far))
        if back is None or back[:2] != (here, port):
            raise FileError(path, 0, "every cable must have both ends", f"S-{here}[{port}]")
        if (number[here], port) in leaves:
            continue
        leaves[number[here], port] = len(links)
        leaves[number[there], far] = len(links) + 1
        links += [(number[here], number[there]), (number[there], number[here])]
        slower = min((w for w in (width, back[2]) if w), default=slowest)
        widths += [slower / slowest] * 2
    nodes = [
        (end, one) for end, one in fabric.ports.items()
        if _INSIDE not in fabric.described.get(end[0], "") and one.switch in number
    ]  # fmt: skip
    cabling = Cabling(
        links=np.array(links, np.int64).reshape(-1, 2),
        hosts=np.array([number[one.switch] for _, one in nodes], np.int64),
        routers=len(number),
        bandwidth=widths,
        names=tuple(_names([(fabric.described.get(end[0], end[0]), end) for end, _ in nodes])),
        vertices=tuple(fabric.switches.values()),
        nodes=tuple(one.lid for _, one in nodes),
    )
    return cabling, leaves


def _names(described: list[tuple[str, tuple[str, int]]]) -> Iterator[str]:
    """First words of descriptions if they differ, else descriptions; else with GUID and port."""
    words = [(text.split() or [end[0]])[0] for text, end in described]
    if len(set(words)) == len(words):
        yield from words
        return
    many = Counter(text for text, _ in described)
    for text, (guid, port) in described:
        yield text if many[text] == 1 else f"{text} {guid}/{port}"


def _routes(
    path: str,
    content: str,
    fabric: _Fabric,
    cabling: Cabling,
    leaves: dict[tuple[int, int], int],
) -> Ints:
    """The next link at every switch to every node, from its forwarding table."""
    check_entries(cabling.routers * len(cabling.hosts))
    number = {guid: k for k, guid in enumerate(fabric.switches)}
    node_of = {lid: y for y, lid in enumerate(cabling.nodes)}
    routes = np.full((cabling.routers, len(cabling.hosts)), -1, np.int64)
    router, read = -1, 0
    for line_number, line in enumerate(content.splitlines(), 1):
        begun = _TABLE_OF.search(line)
        if begun:
            guid = _guid(begun[1])
            if guid not in number:
                rule = "must be of a switch that ibnetdiscover printed"
                raise FileError(path, line_number, rule, f"0x{guid}")
            router, read = number[guid], read + 1
            continue
        entry = _ENTRY.match(line.strip())
        if entry is None or router < 0:
            continue
        y = node_of.get(int(entry[1], 16))
        if y is not None and int(cabling.hosts[y]) != router:
            routes[router, y] = leaves.get((router, int(entry[2])), -1)
    if not read:
        raise FileError(path, 0, "must hold forwarding tables, as dump_fts prints them", "none")
    return routes
