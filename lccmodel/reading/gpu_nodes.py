r"""The inside of a node with GPUs: NCCL's topology and graph files, and `nvidia-smi topo -m`.

    <system version="1"> <cpu> <pci> <gpu dev="0" sm="90"> <nvlink target= count="18" tclass=>
    <graphs version="1"> <graph id="0" pattern="4"> <channel> <gpu dev="0" rank="0"/>

NCCL's own figures turn the topology into bandwidths in GB/s: a link of PCI carries its width times
the rate of a lane divided by 80, NVLink count times a figure of the generation, a NIC its Mbit/s
divided by 8000. All links to NVSwitches lead to one switch, `nvs`. GPUs are the hosts; no message
passes through one.

`nvidia-smi topo -m` prints classes of connections (PIX, PXB, PHB, NODE, SYS, NV#) and no
bandwidths. GPUs that all reach each other by NVLink share one switch; otherwise there is a tree of
the classes, in which every link is 1, and NV# is a link of # times that.

[nccl] NVIDIA/nccl, src/graph/topo.h, topo.cc, xml.cc and search.cc.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType

from lccmodel.errors import FileError, Reason
from lccmodel.reading.description import (
    Cable,
    HostPorts,
    NetworkDescription,
    check_description,
)
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.graph_formats import refuse_doctype
from lccmodel.reading.text import Text

_LANES = {"2.5": 15, "5": 30, "8": 60, "16": 120, "32": 240, "64": 480}
"""For GT/s of a lane of PCI, 80 times its GB/s, by NCCL's table of generations."""

_NVLINK = ((100, "40.1"), (90, "20.6"), (87, "20"), (86, "12"), (70, "20"), (60, "18"))
"""GB/s of an NVLink, by the lowest compute capability that has it."""

_SWITCH_CLASS, _CPU_CLASS = "0x068000", "0x068001"
_SOCKETS = {"intel": Fraction(10), "amd": Fraction(16), "arm": Fraction(6), "p9": Fraction(32)}


@dataclass
class _Node:
    """Parts of a node and their links, while the file is read."""

    parts: dict[str, None] = field(default_factory=dict)
    links: list[tuple[str, str, Fraction]] = field(default_factory=list)
    gpus: dict[str, str] = field(default_factory=dict)
    """The name of every GPU by its bus address."""
    nics: dict[str, None] = field(default_factory=dict)
    rates: dict[str, Fraction] = field(default_factory=dict)


def _root(text: Text, name: str) -> ET.Element:
    refuse_doctype(text)
    try:
        root = ET.fromstring(text.content)
    except (ET.ParseError, RecursionError, ValueError) as error:
        line = getattr(error, "position", (0, 0))[0]
        raise FileError(text.path, line, "must be well-formed XML", Reason(error)) from None
    if root.tag != name:
        raise FileError(text.path, 0, f"must have the root element {name}", root.tag)
    return root


def is_topology(text: Text) -> bool:
    """Return whether the root element is NCCL's system."""
    return bool(re.search(r"<system\s+version=", text.head[:4096]))


def is_graph(text: Text) -> bool:
    """Return whether the root element is NCCL's graphs."""
    return bool(re.search(r"<graphs\s+version=", text.head[:4096]))


def read_nccl_topology(text: Text) -> Found:
    """Return the inside of a node from NCCL_TOPO_DUMP_FILE or NCCL_TOPO_FILE.

    Raises:
        FileError: not such a file, a GPU without a number, or CPUs of several machines.
    """
    root = _root(text, "system")
    cpus = root.findall("cpu")
    if len({cpu.get("host_hash", "") for cpu in cpus}) > 1:
        raise FileError(text.path, 0, "must be of one node", "several host_hash")
    node = _Node()
    for cpu in cpus:
        name = f"cpu{cpu.get('numaid', '0')}"
        node.parts[name] = None
        _walk(text, cpu, name, node)
    for socket, other in combinations([part for part in node.parts if part.startswith("cpu")], 2):
        node.links.append((socket, other, _between_sockets(cpus)))
    for gpu in root.iter("gpu"):
        _add_nvlinks(text, gpu, node)
    if not node.gpus:
        raise FileError(text.path, 0, "must have a GPU, at least", "none")
    notes = ["Bandwidths are in GB/s, by NCCL's figures"]
    return Found(
        "network", "nccl-topo-xml", _description(text, node, notes), tuple(notes), str(text.path)
    )


def _walk(text: Text, element: ET.Element, above: str, node: _Node) -> None:
    """Add what is below a CPU or a PCI bridge."""
    for child in element:
        if child.tag == "pci":
            width = _pci(text, child)
            gpu, nic = child.find("gpu"), child.find("nic")
            if gpu is not None:
                part = _gpu_name(text, gpu)
                node.gpus[child.get("busid", part).lower()] = part
            elif nic is not None:
                nets = nic.findall("net")
                part = nets[0].get("name", "") if nets else ""
                part = part or f"nic {child.get('busid', '')}"
                for net in nets:
                    name = net.get("name", part)
                    node.nics[name] = None
                    node.rates[name] = Fraction(_count(text, net, "speed"), 8000)
            else:
                part = child.get("busid", f"pci {len(node.parts)}")
            node.rates["pci"] = min(width, node.rates.get("pci", width))
            node.parts[part] = None
            node.links.append((part, above, width))
            if gpu is None and nic is None:
                _walk(text, child, part, node)
        elif child.tag == "nic":
            for net in child.findall("net"):
                name = net.get("name", f"nic{len(node.nics)}")
                node.nics[name], node.parts[name] = None, None
                node.rates[name] = Fraction(_count(text, net, "speed"), 8000)
                node.links.append((name, above, node.rates[name] or Fraction(1)))


def _pci(text: Text, pci: ET.Element) -> Fraction:
    """Return the GB/s of the link of a device upwards."""
    speed = pci.get("link_speed", "").split(" ")[0].removesuffix(".0")
    lanes = _count(text, pci, "link_width") or 16
    return Fraction(_LANES.get(speed, 60) * lanes, 80)


def _count(text: Text, element: ET.Element, key: str) -> int:
    stated = element.get(key, "0")
    if not (stated.isascii() and stated.isdecimal()) or len(stated) > 12:
        raise FileError(text.path, 0, f"{key} must be a number", stated)
    return int(stated)


def _gpu_name(text: Text, gpu: ET.Element) -> str:
    return f"gpu{_count(text, gpu, 'dev')}"


def _between_sockets(cpus: list[ET.Element]) -> Fraction:
    """Return the GB/s between two sockets, by vendor and model."""
    cpu = cpus[0]
    if cpu.get("arch") == "ppc64":
        return _SOCKETS["p9"]
    if cpu.get("arch") == "arm64":
        return _SOCKETS["arm"]
    if cpu.get("vendor") == "AuthenticAMD":
        return _SOCKETS["amd"]
    model = int(cpu.get("modelid", "0")) if cpu.get("modelid", "").isdecimal() else 0
    # 85: Skylake and Cascade Lake, 10 GT/s; 143: Sapphire Rapids, with more and faster links
    return Fraction(22) if model >= 143 else _SOCKETS["intel"] if model >= 85 else Fraction(6)


def _add_nvlinks(text: Text, gpu: ET.Element, node: _Node) -> None:
    part, sm = _gpu_name(text, gpu), _count(text, gpu, "sm")
    each = next((Fraction(rate) for least, rate in _NVLINK if sm >= least), Fraction(0))
    widths: dict[str, Fraction] = {}
    for link in gpu.findall("nvlink"):
        width = _count(text, link, "count") * each
        target, kind = link.get("target", "").lower(), link.get("tclass", "")
        if kind == _SWITCH_CLASS:
            other = "nvs"
        elif kind == _CPU_CLASS:
            other = next(iter(node.parts))
        elif target in node.gpus:
            other = node.gpus[target]
        else:
            continue  # to what is not in the file
        widths[other] = widths.get(other, Fraction(0)) + width
    for other, width in widths.items():
        if width and (other == "nvs" or not other.startswith("gpu") or part < other):
            node.parts[other] = None
            node.links.append((part, other, width))
            node.rates[f"{part},{other}"] = width


def _description(text: Text, node: _Node, notes: list[str]) -> NetworkDescription:
    place = {part: k for k, part in enumerate(node.parts)}
    gpus = sorted(node.gpus.values(), key=lambda name: int(name[3:]))
    near: dict[str, str] = {}
    if node.nics:
        distances = {nic: _away(node, nic) for nic in node.nics if nic in place}
        for k, gpu in enumerate(gpus):
            least = min(far.get(gpu, len(place)) for far in distances.values())
            nearest = [nic for nic, far in distances.items() if far.get(gpu, len(place)) == least]
            near[gpu] = nearest[k % len(nearest)]
    network = NetworkDescription(
        tuple(HostPorts(gpu, (place[gpu],)) for gpu in gpus),
        tuple(place),
        tuple(Cable(place[u], place[v], width) for u, v, width in node.links),
        ends=tuple(place[gpu] for gpu in gpus),
        near=MappingProxyType(near),
        rates=MappingProxyType(dict(node.rates)),
    )
    return check_description(text.path, network)


def _away(node: _Node, start: str) -> dict[str, int]:
    """Return the links of PCI from a part to every other; NVLink leads to no NIC."""
    beside: dict[str, list[str]] = {}
    for u, v, _ in node.links:
        if "nvs" not in (u, v) and not (u.startswith("gpu") and v.startswith("gpu")):
            beside.setdefault(u, []).append(v)
            beside.setdefault(v, []).append(u)
    away, waiting = {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for there in beside.get(here, ()):
            if there not in away:
                away[there] = away[here] + 1
                waiting.append(there)
    return away


# -- NCCL's graphs --------------------------------------------------------------------------------


def read_nccl_graph(text: Text) -> Found:
    """Return the rings of GPUs of NCCL_GRAPH_DUMP_FILE; trees and other patterns are left out.

    Raises:
        FileError: not such a file, or one without a ring.
    """
    rings: list[tuple[int, ...]] = []
    others = 0
    for graph in _root(text, "graphs").findall("graph"):
        if graph.get("pattern") != "4":
            others += 1
            continue
        for channel in graph.findall("channel"):
            ranks = tuple(
                _count(text, gpu, "rank" if gpu.get("rank") else "dev")
                for gpu in channel.findall("gpu")
            )
            if len(set(ranks)) < len(ranks):
                raise FileError(text.path, 0, "a ring must have each GPU once", ranks)
            rings.append(ranks)
    if not rings:
        raise FileError(text.path, 0, "must have a ring: a graph of pattern 4", f"{others} others")
    notes = ["An order in a node: ranks are of this node alone"]
    if others:
        notes.append(f"{others} graphs that are no rings are left out")
    return Found("order", "nccl-graph-xml", tuple(rings), tuple(notes), str(text.path))


# -- nvidia-smi topo -m ---------------------------------------------------------------------------

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_HEADER = re.compile(
    r"^\s*GPU0(\s+(GPU|NIC|mlx|bnxt|rdma|hfi|qed|eth|ib)\S*)*(\s|$)", re.IGNORECASE
)
_CLASSES = ("PIX", "PXB", "PHB", "NODE", "SYS")
_FORMER = {"SOC": "SYS", "CPU": "PHB"}


def _bare(text: Text) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.lines, 1):
        yield number, _ESCAPE.sub("", line).rstrip()


def is_smi(text: Text) -> bool:
    """Return whether there are a header GPU0 ... and a row GPU0 X."""
    head = _ESCAPE.sub("", text.head)
    return bool(re.search(r"(?m)^[ \t]*GPU0\b", head) and re.search(r"(?m)^GPU0\s+X(\s|$)", head))


def read_smi(text: Text) -> Found:
    """Return the GPUs of a node, their classes of connection and their nearest adapters.

    Raises:
        FileError: a row that does not fit the header, an unknown class.
    """
    columns: list[str] = []
    levels: dict[tuple[str, str], str] = {}
    called: dict[str, str] = {}
    for number, line in _bare(text):
        words = line.split()
        if not columns:
            if _HEADER.match(line):
                heads = re.split(r"\s{2,}|\t", line.strip())
                known = [h for head in heads for h in ([head] if " " in head else head.split())]
                columns = []
                for head in known:
                    if " " in head or head in ("CPU", "NUMA"):
                        break
                    columns.append(head)
            continue
        alias = re.match(r"\s*(NIC\d+):\s*(\S+)", line)
        if alias:
            called[alias[1]] = alias[2]
        elif words and words[0] in columns:
            row = words[1 : 1 + len(columns)]
            if len(row) < len(columns) or row[columns.index(words[0])] != "X":
                rule = f"must have {len(columns)} classes, and X for itself"
                raise FileError(text.path, number, rule, line.strip())
            for column, level in zip(columns, row, strict=True):
                level = _FORMER.get(level, level)
                if column != words[0] and not (level in _CLASSES or re.fullmatch(r"NV\d+", level)):
                    raise FileError(text.path, number, "must be NV#, PIX, PXB, PHB or SYS", level)
                levels[words[0], column] = level
    gpus = [name for name in columns if name.startswith("GPU")]
    if not gpus or any((gpu, gpu) not in levels for gpu in gpus):
        raise FileError(text.path, 0, "must have a row for every GPU", ", ".join(gpus) or "none")
    nics = [name for name in columns if not name.startswith("GPU")]
    near = {}
    for k, gpu in enumerate(gpus) if nics else ():
        order = {
            nic: _CLASSES.index(levels[gpu, nic]) for nic in nics if levels[gpu, nic] in _CLASSES
        }
        nearest = [nic for nic in order if order[nic] == min(order.values())]
        if nearest:
            nic = nearest[k % len(nearest)]
            near[gpu] = called.get(nic, nic)
    pairs = {pair: level for pair, level in levels.items() if pair[0] != pair[1]}
    network = _of_classes(gpus, pairs, near)
    notes = ("The file states levels, not bandwidths: every link is 1, and NV# is #",)
    checked = check_description(text.path, network)
    return Found("network", "nvidia-smi-topo", checked, notes, str(text.path))


def _of_classes(
    gpus: list[str], levels: dict[tuple[str, str], str], near: dict[str, str]
) -> NetworkDescription:
    """Return a switch for each group of GPUs that are as near, up to the whole node."""
    switches, cables = [*gpus], list[Cable]()
    pairs = list(combinations(range(len(gpus)), 2))
    nvlinks = {
        (i, j): int(levels[gpus[i], gpus[j]][2:])
        for i, j in pairs
        if levels[gpus[i], gpus[j]].startswith("NV")
    }
    if nvlinks and len(nvlinks) == len(pairs) and len(set(nvlinks.values())) == 1:
        width = Fraction(next(iter(nvlinks.values())))
        switches.append("nvs")
        cables = [Cable(k, len(gpus), width) for k in range(len(gpus))]
    else:
        cables = [Cable(i, j, Fraction(width)) for (i, j), width in nvlinks.items()]
        group = list(range(len(gpus)))  # the highest switch so far above every GPU
        for level in _CLASSES:
            close = [(i, j) for i, j in pairs if levels[gpus[i], gpus[j]] == level]
            merged = _merged(len(gpus), group, close if level != "SYS" else pairs)
            for members in merged:
                if len(members) > 1:
                    switches.append(f"{level} {len(switches) - len(gpus)}")
                    top = len(switches) - 1
                    cables += [Cable(member, top) for member in members]
                    group = [top if part in members else part for part in group]
    return NetworkDescription(
        tuple(HostPorts(gpu, (k,)) for k, gpu in enumerate(gpus)),
        tuple(switches),
        tuple(cables),
        ends=tuple(range(len(gpus))),
        near=MappingProxyType(near),
        levels=MappingProxyType(levels),
    )


def _merged(many: int, group: list[int], close: list[tuple[int, int]]) -> list[list[int]]:
    """Return the groups that pairs join, in the order of their first members."""
    joined = {part: {part} for part in group}
    for i, j in close:
        first, other = joined[group[i]], joined[group[j]]
        if first is not other:
            first |= other
            for part in other:
                joined[part] = first
    return [sorted(parts) for parts in {id(p): p for p in joined.values()}.values()]


FORMATS = (
    Format(
        name="nccl-topo-xml",
        kind="network",
        tier=SIGNATURE,
        recognises=is_topology,
        read=read_nccl_topology,
        tool="NCCL 2: NCCL_TOPO_DUMP_FILE, NCCL_TOPO_FILE",
        command="--network rails:NODES,GPUS,node={path}",
        lacks="the network between nodes",
    ),
    Format(
        name="nccl-graph-xml",
        kind="order",
        tier=SIGNATURE,
        recognises=is_graph,
        read=read_nccl_graph,
        tool="NCCL 2: NCCL_GRAPH_DUMP_FILE",
        lacks="traffic: it is an order of the GPUs of a node",
    ),
    Format(
        name="nvidia-smi-topo",
        kind="network",
        tier=SIGNATURE,
        recognises=is_smi,
        read=read_smi,
        tool="nvidia-smi topo -m",
        command="--network graph:{path}",
        lacks="bandwidths: it prints classes of connections",
    ),
)
