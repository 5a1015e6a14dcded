r"""InfiniBand fabrics: the output of `ibnetdiscover` and `iblinkinfo`, and forwarding tables.

    Switch  8 "S-0000000000200004"          # "leaf3" base port 0 lid 7 lmc 0        ibnetdiscover
    [1]     "H-000000000010000c"[1](10000d)         # "node07 mlx5_0" lid 12 4xSDR
    [7]     "S-0000000000200000"[3]         # "spine1" lid 2 4xSDR s=25 w=4 v=4      (-f: s, w, v)

    Switch: 0x00000000000000f1 lfA:                                                  iblinkinfo
       1    2[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>   5    1[  ] "moth2 mlx5_0" ( )

The description of a channel adapter is `HOST ADAPTER`: its first word is the host, and adapters of
one host with different descriptions are ports of this host, as are the ports of an adapter. If
descriptions are repeated (`localhost mlx5_0`), every adapter is a host named with its GUID.
Adapters inside switches ("Aggregation Node") and routers between subnets are left out. Links carry
multiples of the slowest one, by width and data rate per lane.

Tables are read as `dump_fts` (`dump_lfts.sh`, `ibroute`) and OpenSM (`opensm-lfts.dump`,
`opensm.fdbs`, with it ibdiagnet's `.fdbs`) write them: for every switch and local identifier (LID)
the port that a packet leaves by. A port is reached by its base LID.

[ibnetdiscover] linux-rdma/rdma-core, infiniband-diags: ibnetdiscover.c, iblinkinfo.c.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction

from lccmodel.errors import FileError
from lccmodel.reading.description import (
    Cable,
    HostPorts,
    NetworkDescription,
    check_description,
    on_smallest,
    port_notes,
)
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.text import Text

_DATA_RATES = {
    "SDR": Fraction(2), "DDR": Fraction(4), "QDR": Fraction(8), "FDR10": Fraction(10),
    "FDR": Fraction(150, 11), "EDR": Fraction(25), "HDR": Fraction(50), "NDR": Fraction(100),
    "XDR": Fraction(200),
}  # fmt: skip
"""Gbit/s of data that a lane carries, without its coding."""

_SIGNALS = {
    Fraction("2.5"): "SDR", Fraction(5): "DDR", Fraction(10): "QDR", Fraction("10.3125"): "FDR10",
    Fraction("14.0625"): "FDR", Fraction("25.78125"): "EDR", Fraction("53.125"): "HDR",
    Fraction("106.25"): "NDR", Fraction("212.5"): "XDR",
}  # fmt: skip
"""The rate per lane for the Gbit/s with coding that iblinkinfo prints."""

_VERTEX = re.compile(
    r'^(Switch|Ca|Rt)\s+(\d{1,5})\s+"([SHR])-([0-9a-fA-F]{1,16})"(?:\s*#\s*"(.*)")?'
)
_END = r"(?:\[ext \d+\])?(?:\(([0-9a-fA-F]+)\))?"
_LINK = re.compile(
    rf'^\[(\d{{1,5}})\]{_END}\s*"([SHR])-([0-9a-fA-F]{{1,16}})"\[(\d{{1,5}})\]{_END}(?:\s*#(.*))?$'
)
_RATE = re.compile(r"\s(\d{1,2})x([A-Z]{3}(?:10)?)(?=\s|$)")
_OWN_LID = re.compile(r"^\s*lid (\d{1,5}) lmc \d+")
_LID_THERE = re.compile(r'"\s*lid (\d{1,5})\b')

_INSIDE = "Aggregation Node"

End = tuple[str, int]
"""A switch or an adapter, by GUID or name, and a port."""


@dataclass
class _Fabric:
    """What was read: names by GUID, cables by switch and port, ports of adapters with their LID."""

    switches: dict[str, str] = field(default_factory=dict)
    adapters: dict[str, str] = field(default_factory=dict)
    cables: dict[End, tuple[End, Fraction | None]] = field(default_factory=dict)
    ports: dict[End, str] = field(default_factory=dict)
    lids: dict[End, int] = field(default_factory=dict)


def is_ibnetdiscover(text: Text) -> bool:
    """Return whether a line opens a switch or an adapter as ibnetdiscover writes it."""
    return any(_VERTEX.match(line) for line in text.head.splitlines())


def read_ibnetdiscover(text: Text) -> Found:
    """Return the network of a fabric.

    Raises:
        FileError: a line that is neither, or a cable with one end.
    """
    fabric, kind, here = _Fabric(), "", ""
    for number, line in enumerate(text.lines, 1):
        vertex = _VERTEX.match(line)
        if vertex:
            kind, here = vertex[3], _guid(vertex[4])
            name = (vertex[5] or here).partition('" ')[0]
            known = fabric.switches if kind == "S" else fabric.adapters
            known[here] = name
        elif line.startswith("["):
            link = _LINK.match(line.strip())
            if not link or not here:
                rule = 'must be a link such as [1] "S-0a"[2]'
                raise FileError(text.path, number, rule, line.strip())
            _add(text, number, fabric, (kind, here), link)
    for end, (far, _) in fabric.cables.items():
        if fabric.cables.get(far, (None,))[0] != end:
            raise FileError(
                text.path, 0, "every cable must have both ends", f"S-{end[0]}[{end[1]}]"
            )
    return Found("network", "ibnetdiscover", *_described(text, fabric), str(text.path))


def _add(
    text: Text, number: int, fabric: _Fabric, at: tuple[str, str], link: re.Match[str]
) -> None:
    """Add one line of a switch or an adapter."""
    kind, here = at
    port, other, there, far = int(link[1]), link[3], _guid(link[4]), int(link[5])
    comment = link[7] or ""
    if kind == "S" and other == "S":
        rate = _RATE.search(comment, max(0, comment.rfind('"')))
        if rate and (rate[2] not in _DATA_RATES or not int(rate[1])):
            rule = "must have a width and speed such as 4xEDR"
            raise FileError(text.path, number, rule, rate[0].strip())
        width = int(rate[1]) * _DATA_RATES[rate[2]] if rate else None
        if (here, port) in fabric.cables:
            raise FileError(text.path, number, "a port must have one cable", f"[{port}]")
        fabric.cables[here, port] = (there, far), width
    elif {kind, other} == {"S", "H"}:
        end, switch = ((here, port), there) if kind == "H" else ((there, far), here)
        fabric.ports.setdefault(end, switch)
        lid = (_OWN_LID if kind == "H" else _LID_THERE).search(comment)
        if lid:
            fabric.lids[end] = int(lid[1])
        if kind == "S" and there not in fabric.adapters:
            fabric.adapters[there] = comment.partition('"')[2].partition('"')[0] or there


def _guid(text: str) -> str:
    return text.lower().lstrip("0") or "0"


def _described(text: Text, fabric: _Fabric) -> tuple[NetworkDescription, tuple[str, ...]]:
    """Return the network of what was read, and notes."""
    place = {guid: k for k, guid in enumerate(fabric.switches)}
    both: dict[frozenset[End], tuple[End, End, Fraction | None]] = {}
    for end, (far, width) in fabric.cables.items():
        if far[0] not in place or end[0] not in place:
            continue
        known = both.get(frozenset((end, far)))
        widths = [w for w in (width, known[2] if known else None) if w is not None]
        both[frozenset((end, far))] = (
            *(known[:2] if known else (end, far)),
            min(widths, default=None),
        )
    cables = list(both.values())
    widths, _, missing = on_smallest(width for *_, width in cables)
    ends = [end for end, switch in fabric.ports.items()
            if _INSIDE not in fabric.adapters.get(end[0], "") and switch in place]  # fmt: skip
    hosts: dict[str, list[End]] = {}
    names = _host_names({end[0]: fabric.adapters.get(end[0], end[0]) for end in ends})
    for end in ends:
        hosts.setdefault(names[end[0]], []).append(end)
    if not hosts:
        raise FileError(text.path, 0, "must have channel adapters at switches", "none")
    notes = port_notes({name: len(own) for name, own in hosts.items()})
    if repeated := [name for name in hosts if " " in name]:
        model = "descriptions of adapters are repeated, so that every such adapter is a host"
        notes.append(f"{model}: {repeated[0]}")
    if missing and missing < len(cables):
        notes.append(f"{missing} of {len(cables)} links have no speed: they get the smallest")
    network = NetworkDescription(
        tuple(
            HostPorts(
                name,
                tuple(place[fabric.ports[end]] for end in own),
                addresses=tuple(fabric.lids.get(end, -1) for end in own),
            )
            for name, own in hosts.items()
        ),
        tuple(fabric.switches.values()),
        tuple(
            Cable(place[u[0]], place[v[0]], width, ports=(u[1], v[1]))
            for (u, v, _), width in zip(cables, widths, strict=True)
        ),
        guids=tuple(fabric.switches),
    )
    return check_description(text.path, network), tuple(notes)


def _host_names(descriptions: dict[str, str]) -> dict[str, str]:
    """Return the host of every adapter.

    >>> _host_names({"1": "a mlx5_0", "2": "a mlx5_1", "3": "b mlx5_0"})
    {'1': 'a', '2': 'a', '3': 'b'}
    >>> _host_names({"1": "localhost mlx5_0", "2": "localhost mlx5_0"})
    {'1': 'localhost mlx5_0 1', '2': 'localhost mlx5_0 2'}
    """
    many = Counter(descriptions.values())
    first = {guid: (text.split() or [guid])[0] for guid, text in descriptions.items()}
    repeated = {first[guid] for guid, text in descriptions.items() if many[text] > 1}
    names: dict[str, str] = {}
    for guid, text in descriptions.items():
        if first[guid] not in repeated:
            names[guid] = first[guid]
        else:
            names[guid] = text if many[text] == 1 else f"{text} {guid}"
    return names


# -- iblinkinfo -----------------------------------------------------------------------------------

_OPENER = re.compile(
    r"^(CA|Switch|Router|RT)(?:: |(?=  ?0x))(?: ?0x([0-9a-fA-F]{1,16}) )?(.*?):?\s*$"
)
_BLOCK = re.compile(
    r"^\s*(?:0x(?P<own>[0-9a-fA-F]+)\s+)?(?P<lid>\d+)?\s+(?P<port>\d+)\[.*?\]\s*==\((?P<state>[^)]*)\)==>"
    r'\s*(?:0x(?P<far>[0-9a-fA-F]+)\s+)?(?P<there>\d+)?\s*(?P<at>\d+)?\[.*?\]\s*"(?P<name>.*)"'
)
_LINE = re.compile(
    r'^0x(?P<own>[0-9a-fA-F]+)\s+"(?P<here>\s*.*?)"\s+(?P<lid>\d+)\s+(?P<port>\d+)\[.*?\]\s*'
    r"==\((?P<state>[^)]*)\)==>\s*(?:0x(?P<far>[0-9a-fA-F]+))?\s*(?P<there>\d+)?\s*(?P<at>\d+)?"
    r'\[.*?\]\s*"(?P<name>.*)"'
)
_STATE = re.compile(r"(\d{1,2})X\s+([0-9]{1,4}(?:\.[0-9]{1,6})?)\s*Gbps")


def is_iblinkinfo(text: Text) -> bool:
    """Return whether lines of ports stand below a switch or an adapter, or with both GUIDs."""
    lines = text.head.splitlines()
    ports = [line for line in lines if "==(" in line and ")==>" in line]
    return bool(ports) and any(_OPENER.match(line) or _LINE.match(line) for line in lines)


def read_iblinkinfo(text: Text) -> Found:
    """Return the network of a fabric; a cable is in the file from one end at least.

    Switches and adapters are told apart by their heads, and what has none, as behind `-S`, is a
    host. The far end of a line is found by its LID, or by its description if that has no LID.

    Raises:
        FileError: a line of a port that is not understood, a speed that is none.
    """
    fabric = _Fabric()
    here, is_new = "", False
    number_of: dict[str, str] = {}  # by LID
    lines: list[tuple[int, str, re.Match[str]]] = []
    for number, line in enumerate(text.lines, 1):
        if "==(" not in line:
            opener = _OPENER.match(line)
            if opener:
                kind = opener[1]
                here = _guid(opener[2]) if opener[2] else f"{kind} {opener[3]}"
                (fabric.switches if kind == "Switch" else fabric.adapters)[here] = opener[3].strip()
                is_new = kind != "Switch"
            continue
        match = _LINE.match(line) or _BLOCK.match(line)
        if match is None:
            raise FileError(
                text.path, number, "must be a port as iblinkinfo prints it", line.strip()
            )
        own = here
        if match.re is _LINE:
            own = _guid(match["own"])
            fabric.adapters.setdefault(own, match["here"].strip())
        elif not here:
            raise FileError(text.path, number, "must follow a line Switch: or CA:", line.strip())
        elif is_new and match["own"]:  # an adapter is known by the GUID of its first port
            own = _guid(match["own"])
            fabric.adapters[own] = fabric.adapters.pop(here)
            here, is_new = own, False
        if match["lid"]:
            number_of[match["lid"]] = own
        lines.append((number, own, match))
    if any(match.re is _LINE for *_, match in lines):
        _tell_switches(fabric, lines)
    for number, own, match in lines:
        if "Down" in match["state"] or not match["at"] or not match["there"]:
            continue
        there = number_of.get(match["there"]) or (_guid(match["far"]) if match["far"] else "")
        if not there:
            there = number_of[match["there"]] = f"LID {match['there']}"
        if there not in fabric.switches:
            fabric.adapters.setdefault(there, match["name"].partition('"')[0].strip())
        _join(text, number, fabric, (own, int(match["port"])), (there, int(match["at"])), match)
    return Found("network", "iblinkinfo", *_described(text, fabric), str(text.path))


def _tell_switches(fabric: _Fabric, lines: list[tuple[int, str, re.Match[str]]]) -> None:
    """Move from adapters to switches whatever has one LID at several ports: `-l` has no heads."""
    ports: dict[tuple[str, str], set[str]] = {}
    for _, own, match in lines:
        ports.setdefault((own, match["lid"] or ""), set()).add(match["port"])
    for guid in {guid for (guid, lid), own in ports.items() if lid and len(own) > 1}:
        fabric.switches[guid] = fabric.adapters.pop(guid, guid)


def _join(
    text: Text, number: int, fabric: _Fabric, end: End, far: End, match: re.Match[str]
) -> None:
    """Add a cable, from either end."""
    sides = [side[0] in fabric.switches for side in (end, far)]
    if all(sides):
        state = _STATE.search(match["state"])
        width: Fraction | None = None
        if state:
            rate = _SIGNALS.get(Fraction(state[2]))
            if rate is None:
                rule = "must have a speed per lane such as 25.78125 Gbps"
                raise FileError(text.path, number, rule, state[0])
            width = int(state[1]) * _DATA_RATES[rate]
        fabric.cables.setdefault(end, (far, width))
    elif any(sides):
        adapter, switch = (far, end) if sides[0] else (end, far)
        fabric.ports.setdefault(adapter, switch[0])
        if sides[0]:
            fabric.lids.setdefault(adapter, int(match["there"]))


# -- forwarding tables ----------------------------------------------------------------------------

_TABLE_OF = re.compile(r"(?:Unicast lids .*\bguid|ucast_routes: Switch) +0x([0-9a-fA-F]{1,16})\b")
_ENTRY = re.compile(r"^0x([0-9a-fA-F]{1,4}) *:? *(\d{1,3})\b")


def read_forwarding(text: Text, guids: tuple[str, ...]) -> dict[tuple[int, int], int]:
    """Return the port by which a switch sends to a LID, by the place of the switch and the LID.

    Args:
        text: forwarding tables.
        guids: of the switches of the fabric.

    Raises:
        FileError: no tables, or one of another fabric's switch.
    """
    place = {guid: k for k, guid in enumerate(guids)}
    ports: dict[tuple[int, int], int] = {}
    switch, tables = -1, 0
    for number, line in enumerate(text.lines, 1):
        head = _TABLE_OF.search(line)
        if head:
            guid = _guid(head[1])
            if guid not in place:
                rule = "must be of a switch that ibnetdiscover printed"
                raise FileError(text.path, number, rule, f"0x{guid}")
            switch, tables = place[guid], tables + 1
            continue
        entry = _ENTRY.match(line.strip())
        if entry is not None and switch >= 0:
            ports[switch, int(entry[1], 16)] = int(entry[2])
    if not tables:
        rule = "must contain forwarding tables, as dump_fts prints them"
        raise FileError(text.path, 0, rule, "none")
    return ports


FORMATS = (
    Format(
        name="ibnetdiscover",
        kind="network",
        tier=SIGNATURE,
        recognises=is_ibnetdiscover,
        read=read_ibnetdiscover,
        tool="ibnetdiscover of infiniband-diags 1.5 and later (rdma-core), also with -f",
        command="--network graph:{path}",
        lacks="routes: add tables=FILE from dump_fts",
    ),
    Format(
        name="iblinkinfo",
        kind="network",
        tier=SIGNATURE,
        recognises=is_iblinkinfo,
        read=read_iblinkinfo,
        tool="iblinkinfo of infiniband-diags 1.5 and later (rdma-core), also with -l",
        command="--network graph:{path}",
        lacks="routes",
    ),
)
