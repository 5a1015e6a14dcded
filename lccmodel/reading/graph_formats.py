"""Networks as graphs: lists of links, GraphML, GML, node-link JSON, and BookSim's anynet.

    routers: leaf[1-4] spine1           a list of links; this line says which names are no hosts
    node01 leaf1                        a link, both ways
    leaf1 spine1 4                      of four times the bandwidth; twice is two cables

Without `routers:`, or attributes that say what a vertex is (`role`, `hosts`), every vertex is a
host and a switch. If every link is listed in both directions, each is one cable.

The bandwidth of a link is read from the first of `BANDWIDTHS` that the file has, and from no other
attribute; numeric attributes that are not read are named in a note. `bandwidth` is taken as it
stands. Of others (`LinkSpeedRaw` of the Topology Zoo is in bit/s) the smallest is 1.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, cast

from lccmodel.errors import FileError, InputError, Reason
from lccmodel.ground.numbers import as_fraction
from lccmodel.ground.words import word_rule
from lccmodel.reading.description import (
    Cable,
    HostPorts,
    NetworkDescription,
    check_description,
    on_smallest,
    port_notes,
)
from lccmodel.reading.found import LOOSE, SIGNATURE, STRICT, Format, Found
from lccmodel.reading.hostlist import listed_hosts
from lccmodel.reading.text import Text

if TYPE_CHECKING:
    import networkx as nx

BANDWIDTHS = (
    "bandwidth", "capacity", "linkspeedraw", "linkspeed", "link_speed", "speed", "bw", "weight",
)  # fmt: skip
"""Names of bandwidths, in lower case, in the order in which they are looked for."""

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_MOST_HOSTS = 1 << 28


@dataclass
class _Graph:
    """Vertices and links while a file is read."""

    vertices: dict[str, int | None] = field(default_factory=dict)
    """Slots by name: 0 of a switch, None where the file does not say."""
    links: list[tuple[str, str, Fraction | None]] = field(default_factory=list)
    kinds: list[int | None] = field(default_factory=list)
    is_directed: bool = False
    beside: dict[str, list[str]] = field(default_factory=dict)
    """The neighbours of every vertex in the order of its links, if these are listed both ways."""
    notes: list[str] = field(default_factory=list)


def _described(text: Text, form: str, graph: _Graph, unit: str = "") -> Found:
    """Return the network of a graph.

    Args:
        text, form: of the file.
        graph: its vertices and links.
        unit: the attribute whose smallest value is 1; "" if bandwidths are taken as they stand.
    """
    pairs = _cables(text, graph)
    stated = [width for *_, width, _ in pairs]
    if unit:
        widths, smallest, missing = on_smallest(stated)
        if set(stated) - {None}:
            graph.notes.append(f"Bandwidth from {unit}: 1 is {_plain(smallest)}")
        if 0 < missing < len(stated):
            graph.notes.append(f"{missing} of {len(stated)} links have no {unit}: they get 1")
    else:
        widths = [Fraction(1) if width is None else width for width in stated]
    roles = any(slots is not None for slots in graph.vertices.values())
    ends: dict[str, list[str]] = {name: [] for name in graph.vertices}
    own: dict[str, list[Fraction]] = {name: [] for name in graph.vertices}
    for (u, v, *_), width in zip(pairs, widths, strict=True):
        ends[u].append(v)
        ends[v].append(u)
        own[u].append(width)
        own[v].append(width)
    hosts = {name: (0 if roles else 1) if slots is None else slots
             for name, slots in graph.vertices.items()}  # fmt: skip
    # a host that is linked with switches alone has ports there; one beside a host is a vertex
    edge = {name for name, slots in hosts.items()
            if roles and slots and ends[name] and all(not hosts[end] for end in ends[name])
            and graph.vertices[name] == _HOST_ONLY}  # fmt: skip
    switches = [name for name in graph.vertices if name not in edge]
    place = {name: k for k, name in enumerate(switches)}
    cables = tuple(
        Cable(place[u], place[v], width, kind=kind)
        for (u, v, _, kind), width in zip(pairs, widths, strict=True)
        if u in place and v in place
    )
    stated_ports = any(width is not None for u, v, width, _ in pairs if u in edge or v in edge)
    described: list[HostPorts] = []
    for name, slots in hosts.items():
        if not slots:
            continue
        ports = tuple(place[end] for end in ends[name]) if name in edge else (place[name],)
        port_widths = tuple(own[name]) if name in edge and stated_ports else ()
        described.append(HostPorts(name, ports, max(1, slots), widths=port_widths))
    graph.notes += port_notes({host.name: len(host.ports) for host in described})
    beside = tuple(k for name, k in place.items() if graph.vertices[name] == _HOST_ONLY)
    order = tuple(
        tuple(place[other] for other in graph.beside.get(name, ()) if other in place)
        for name in switches
    )
    network = NetworkDescription(
        tuple(described),
        tuple(switches),
        cables,
        ends=beside,
        beside=order if graph.beside else (),
    )
    if not described:
        rule = "must have nodes: vertices of role 'node', or hosts"
        raise FileError(text.path, 0, rule, f"{len(graph.vertices)} vertices")
    return Found(
        "network", form, check_description(text.path, network), tuple(graph.notes), str(text.path)
    )


_HOST_ONLY = -1
"""Slots of a vertex that is a host and no switch, if it is linked with switches alone: one."""


def _plain(number: Fraction) -> str:
    return str(number) if number.denominator > 10**6 else f"{float(number):g}"


def _cables(text: Text, graph: _Graph) -> list[tuple[str, str, Fraction | None, int | None]]:
    """Return every cable once.

    Raises:
        FileError: a link of a vertex with itself; some links in both directions and others in
            one; another bandwidth in each direction.
    """
    there: dict[tuple[str, str], list[tuple[Fraction | None, int | None]]] = {}
    for (u, v, width), kind in zip(graph.links, graph.kinds, strict=True):
        if u == v:
            raise FileError(text.path, 0, "must not link a vertex with itself", u)
        there.setdefault((u, v), []).append((width, kind))
    both = [pair for pair in there if pair[::-1] in there]
    if not both:
        if graph.is_directed and there:
            graph.notes.append("Directed links are taken as cables, which carry both ways")
        return [(u, v, *link) for (u, v), links in there.items() for link in links]
    single = next((pair for pair in there if pair[::-1] not in there), None)
    if single:
        rule = (
            f"must list all links in both directions or none: {both[0][0]} {both[0][1]} is in both"
        )
        raise FileError(text.path, 0, rule, " ".join(single))
    for (u, v), links in there.items():
        if sorted(map(str, links)) != sorted(map(str, there[v, u])):
            rule = "must carry as much in both directions"
            raise FileError(text.path, 0, rule, f"{u} {v}")
        graph.beside.setdefault(u, []).append(v)
    number = {vertex: k for k, vertex in enumerate(graph.beside)}
    once = [(pair, links) for pair, links in there.items() if number[pair[0]] < number[pair[1]]]
    cables = [(u, v, *link) for (u, v), links in once for link in links]
    graph.notes.append("Links are listed both ways: each is one cable")
    return cables


# -- lists of links -------------------------------------------------------------------------------

_NUMBER = re.compile(r"[0-9]{1,30}(?:\.[0-9]{1,30})?(?:[eE][+-]?[0-9]{1,3})?(?:/[0-9]{1,30})?")
_ENDS = (
    ("source", "src", "from", "node1", "switch1", "start"),
    ("target", "destination", "dst", "dest", "to", "node2", "switch2", "end"),
)
"""Headings of the two ends of a link."""


def is_edge_list(text: Text) -> bool:
    """Return whether the first line is a link, two names and perhaps a bandwidth, or routers."""
    for line in text.head.splitlines():
        words = _words(line)
        if words and words[0].lower() == "routers:":
            return True
        if words:
            is_link = len(words) == 2 or (len(words) == 3 and _WIDTH.match(words[2]))
            return all(map(_END.fullmatch, words[:2])) and (bool(is_link) or _is_heading(words))
    return False


_END = re.compile(r"[^=<>{}\[\]()\"'\t]*[^=<>{}\[\]()\"'\t:,;]")
"""The name of a vertex: no assignment, no bracket, and no label with a colon behind it."""
_WIDTH = re.compile(r"[-+.\d{]|(?:nan|inf)\b", re.IGNORECASE)


def _words(line: str) -> list[str]:
    line = line.partition("#")[0].strip()
    if "{" in line:
        begin, _, attributes = line.partition("{")
        return [*begin.split(), "{" + attributes] if attributes.strip(" }") else begin.split()
    if "," in line and not line.lower().startswith("routers:"):
        return [word.strip().strip('"') for word in line.split(",")]
    if ";" in line:
        return [word.strip().strip('"') for word in line.split(";")]
    return line.split()


def read_edge_list(text: Text) -> Found:
    """Return the network of a list of links.

    Raises:
        FileError: a line that is no link, a bandwidth that is none, routers without links.
    """
    graph, routers = _Graph(), set[str]()
    heads: list[str] | None = None
    width: int | None = 2
    for number, line in enumerate(text.lines, 1):
        words = _words(line)
        if not words:
            continue
        if words[0].lower() == "routers:":
            routers.update(_routers(text, number, line))
            continue
        if heads is None:
            heads = words if _is_heading(words) else []
            width = _width_column(text, number, heads, graph.notes) if heads else width
            if heads:
                continue
        is_row = len(words) == len(heads) if heads else 2 <= len(words) <= 3
        if not (is_row and all(map(_END.fullmatch, words[:2]))):
            rule = "must be a link: two names, and a bandwidth if it is not 1"
            raise FileError(text.path, number, rule, line.strip())
        stated = words[width] if width is not None and len(words) > width else None
        graph.links.append((words[0], words[1], _width(text, number, stated)))
        graph.kinds.append(None)
        graph.vertices.setdefault(words[0])
        graph.vertices.setdefault(words[1])
    if not graph.links:
        raise FileError(text.path, 0, "must have a link on a line, at least", "")
    unknown = sorted(routers - set(graph.vertices))
    if unknown:
        raise FileError(text.path, 0, "routers must have links", unknown[0])
    for name in graph.vertices if routers else ():
        graph.vertices[name] = 0 if name in routers else _HOST_ONLY
    if len(set(graph.vertices)) - len(routers) < 1:
        raise FileError(text.path, 0, "must have nodes, which are no routers", "none")
    unit = heads[width] if heads and width is not None else ""
    unit = "" if unit.lower() == "bandwidth" else unit
    return _described(text, "edge-list-network", graph, unit)


def _is_heading(words: list[str]) -> bool:
    """Whether a line is headings of links; one of bytes is of messages."""
    ends = len(words) > 1 and words[0].lower() in _ENDS[0] and words[1].lower() in _ENDS[1]
    return ends and (len(words) == 2 or any(map(_IS_WIDTH.search, words[2:])))


_IS_WIDTH = re.compile(r"bandwidth|capacity|speed|bw|weight|rate|width|[gm]bp?s", re.IGNORECASE)


def _width_column(text: Text, number: int, heads: list[str], notes: list[str]) -> int | None:
    """Return the column of the bandwidths, and note the others.

    Raises:
        FileError: several columns, and none with the name of a bandwidth.
    """
    names = [head.lower() for head in heads]
    known = [names.index(name) for name in BANDWIDTHS if name in names]
    known = known or [k for k, name in enumerate(names) if k > 1 and _IS_WIDTH.search(name)]
    if len(known) > 1 and names[known[0]] not in BANDWIDTHS:
        rule = f"one of several columns must be called {', '.join(BANDWIDTHS)}"
        raise FileError(text.path, number, rule, ", ".join(heads[2:]))
    width = known[0] if known else None
    if others := [head for k, head in enumerate(heads) if k > 1 and k != width]:
        notes.append(f"Columns that are not read: {', '.join(others)}")
    return width


def _routers(text: Text, number: int, line: str) -> Iterable[str]:
    for word in line.partition("#")[0].split(":", 1)[1].split():
        try:
            yield from listed_hosts(word, "must be names such as leaf[1-4]")
        except InputError as error:
            raise FileError(text.path, number, error.rule, word) from None


def _width(text: Text, number: int, stated: str | None) -> Fraction | None:
    if stated is None:
        return None
    if stated.startswith("{"):
        match = re.search(r"['\"](\w+)['\"]\s*:\s*([^,}\s]+)", stated)
        if match is None or match[1].lower() not in BANDWIDTHS:
            rule = word_rule(match and match[1], BANDWIDTHS)
            raise FileError(text.path, number, f"an attribute {rule}", stated)
        stated = match[2]
    if not _NUMBER.fullmatch(stated) or not stated.strip("0./eE+-"):
        raise FileError(text.path, number, "a bandwidth must be a positive number", stated)
    try:
        width = as_fraction(stated)
    except (ValueError, TypeError, ZeroDivisionError):
        width = Fraction(0)
    if width <= 0:
        raise FileError(text.path, number, "a bandwidth must be a positive number", stated)
    return width


# -- GraphML, GML, node-link ----------------------------------------------------------------------


def is_graphml(text: Text) -> bool:
    """Return whether the root element is graphml."""
    return bool(re.search(r"<(?:\w+:)?graphml[\s>/]|<graphml$", text.head[:4096]))


def is_gml(text: Text) -> bool:
    """Return whether there is a word graph before a bracket, and node or edge blocks."""
    bare = re.sub(r"(?m)^[^\S\n]*(#.*|Creator.*|Version.*|comment.*)$", "", text.head)
    return bool(re.match(r"\s*(?:directed\s+[01]\s+)?graph\s*\[", bare))


def is_node_link(text: Text) -> bool:
    """Return whether a JSON object has nodes, and links or edges."""
    head = text.head.lstrip()
    return (
        head.startswith("{")
        and '"nodes"' in text.content
        and any(f'"{key}"' in text.content for key in ("links", "edges", "adjacency"))
    )


def refuse_doctype(text: Text) -> None:
    """Refuse XML with a document type, whose entities may grow without bound.

    Raises:
        FileError: there is a DOCTYPE.
    """
    if "<!DOCTYPE" in text.content or "<!ENTITY" in text.content:
        raise FileError(text.path, 0, "must be XML without a DOCTYPE", "<!DOCTYPE")


def graphml_graph(text: Text) -> nx.Graph[Any]:
    """Return the graph of a GraphML file.

    Raises:
        FileError: it has a DOCTYPE, or networkx cannot read it.
    """
    import networkx as nx

    refuse_doctype(text)
    try:
        graph: nx.Graph[Any] = nx.read_graphml(io.BytesIO(text.content.encode()))
    except Exception as error:  # networkx raises many kinds for a malformed file
        line = getattr(error, "position", (0, 0))[0]
        raise FileError(text.path, line, "must be GraphML", Reason(error)) from None
    return graph


def gml_graph(text: Text) -> nx.Graph[Any]:
    """Return the graph of a GML file, whose vertices are the identifiers of its nodes.

    Raises:
        FileError: networkx cannot read it.
    """
    import networkx as nx

    try:
        graph: nx.Graph[Any] = nx.parse_gml(text.content.split("\n"), label="id")
    except Exception as error:  # networkx raises many kinds for a malformed file
        line = re.search(r"\((\d+),", str(error))
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(
            text.path, int(line[1]) if line else 0, "must be GML", Reason(reason)
        ) from None
    return graph


def node_link_graph(text: Text) -> nx.Graph[Any]:
    """Return the graph of node-link or adjacency JSON, as networkx, d3 and Cytoscape.js write it.

    Ends are names, or places in the list of nodes.

    Raises:
        FileError: with the line of the fault.
    """
    import networkx as nx

    try:
        document = json.loads(text.content)
    except ValueError as error:
        line, reason = getattr(error, "lineno", 0), getattr(error, "msg", str(error))
        raise FileError(text.path, line, "must be JSON", Reason(reason)) from None
    except RecursionError:
        raise FileError(text.path, 0, "must be JSON nested less deeply", "") from None
    part = document.get("elements", document)  # Cytoscape.js
    nodes, links = _listed_nodes(part, "nodes"), _listed_nodes(part, "links", "edges")
    if "adjacency" in document and nodes is not None and isinstance(document["adjacency"], list):
        ends = zip(nodes, document["adjacency"], strict=False)
        links = [{**link, "source": node.get("id"), "target": link.get("id")}
                 for node, beside in ends for link in beside]  # fmt: skip
    if nodes is None or links is None:
        raise FileError(text.path, 0, "must have lists of nodes and links", document)
    names = [node.get("id", node.get("name", k)) for k, node in enumerate(nodes)]
    graph: Any = nx.MultiDiGraph() if document.get("directed") else nx.MultiGraph()
    once = "adjacency" in document and not document.get("directed")  # each edge is there twice
    try:
        known = set(names)
        for name, node in zip(names, nodes, strict=True):
            graph.add_node(name, **{str(key): value for key, value in node.items()})
        for link in links:
            u, v = (_end(names, known, link[end]) for end in ("source", "target"))
            data = {k: v for k, v in link.items() if k not in ("source", "target", "key", "id")}
            if not (once and graph.has_edge(u, v)):
                graph.add_edge(u, v, **data)
    except (TypeError, KeyError, AttributeError, IndexError) as error:
        rule = "a link must have source and target, nodes of the list"
        raise FileError(text.path, 0, rule, Reason(f"{type(error).__name__}: {error}")) from None
    return cast("nx.Graph[Any]", graph)


def _listed_nodes(part: Any, *keys: str) -> list[dict[str, Any]] | None:
    """Return a list of objects under one of the keys; None if there is none."""
    listed = next((part[key] for key in keys if key in part), None) if part else None
    if not isinstance(listed, list):
        return None
    objects = [entry if isinstance(entry, dict) else {"id": entry} for entry in listed]
    return [entry["data"] if isinstance(entry.get("data"), dict) else entry for entry in objects]


def _end(names: list[Any], known: set[Any], end: Any) -> Any:
    """Return the name of an end: a name, a node itself (d3), or a place in the list."""
    if isinstance(end, dict):
        end = end.get("id", end.get("name"))
    if end in known:
        return end
    if isinstance(end, int) and 0 <= end < len(names):
        return names[end]
    raise KeyError(end)


def read_graphml(text: Text) -> Found:
    """Return the network of a GraphML file; a bandwidth that is none is a `FileError`."""
    return _of_networkx(text, "graphml", graphml_graph(text))


def read_gml(text: Text) -> Found:
    """Return the network of a GML file; as for `read_graphml`."""
    return _of_networkx(text, "gml", gml_graph(text))


def read_node_link(text: Text) -> Found:
    """Return the network of networkx's or d3's JSON; as for `read_graphml`."""
    return _of_networkx(text, "node-link-json", node_link_graph(text))


def _of_networkx(text: Text, form: str, parsed: nx.Graph[Any]) -> Found:
    graph = _Graph(is_directed=parsed.is_directed())
    data = dict(parsed.nodes(data=True))
    names = _names(data)
    for vertex, attributes in data.items():
        role, hosts = str(attributes.get("role", "")).lower(), attributes.get("hosts")
        slots: int | None = None
        if hosts is not None:
            slots = _slots(text, vertex, hosts)
        elif role:
            slots = _HOST_ONLY if role in ("node", "host") else 0
        graph.vertices[names[vertex]] = slots
    edges = list(parsed.edges(data=True))
    keys: dict[str, str] = {}
    for *_, attributes in edges:
        for key in attributes:
            keys.setdefault(str(key).lower(), str(key))
    chosen = next((keys[name] for name in BANDWIDTHS if name in keys), "")
    for u, v, attributes in edges:
        width = _stated_width(text, attributes, chosen, keys, (u, v))
        graph.links.append((names[u], names[v], width))
        kind = attributes.get("dimension", attributes.get("axis"))
        graph.kinds.append(kind if isinstance(kind, int) else None)
    read = {chosen.lower(), "dimension", "axis", "id", "key", "role", "source", "target"}
    numeric = sorted(
        key for name, key in keys.items() if name not in read and _is_numeric(edges, key)
    )
    if numeric:
        graph.notes.append(f"Attributes of links that are not read: {', '.join(numeric)}")
    return _described(text, form, graph, "" if chosen.lower() in ("", "bandwidth") else chosen)


def _names(data: dict[Any, dict[str, Any]]) -> dict[Any, str]:
    """Return the names of vertices: their `name` or `label` if these differ, else the vertices."""
    for key in ("name", "label"):
        names = {vertex: str(attributes.get(key, vertex)) for vertex, attributes in data.items()}
        stated = any(key in attributes for attributes in data.values())
        if stated and len(set(names.values())) == len(names) and all(names.values()):
            return names
    return {vertex: str(vertex) for vertex in data}


def _slots(text: Text, vertex: Any, hosts: Any) -> int:
    try:
        slots = int(hosts)
    except (TypeError, ValueError):
        slots = -1
    if not 0 <= slots <= _MOST_HOSTS:
        raise FileError(text.path, 0, f"hosts of {vertex!r} must be a number of nodes", hosts)
    return slots


def _stated_width(
    text: Text, attributes: dict[str, Any], key: str, keys: dict[str, str], ends: Any
) -> Fraction | None:
    """Return the bandwidth of a link, with the unit that the Topology Zoo states beside it."""
    value = attributes.get(key)
    if not key or value is None or str(value).strip() == "":
        return None
    scale = 1
    if key.lower() in ("linkspeed", "link_speed"):
        scale = _UNITS.get(str(attributes.get(keys.get("linkspeedunits", ""), ""))[:1].upper(), 1)
    try:
        width = as_fraction(value if not isinstance(value, str) else value.strip()) * scale
    except (TypeError, ValueError, ZeroDivisionError):
        width = Fraction(0)
    if width <= 0:
        rule = f"{key} of the link {ends[0]} {ends[1]} must be a positive number"
        raise FileError(text.path, 0, rule, value)
    return width


def _is_numeric(edges: list[Any], key: str) -> bool:
    values = [attributes[key] for *_, attributes in edges if key in attributes]
    return any(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)


# -- BookSim --------------------------------------------------------------------------------------

_ANYNET = re.compile(r"\s*router\s+\d+(\s+\d+)?(\s+(router|node)\s+\d+(\s+\d+)?)*\s*")


def is_anynet(text: Text) -> bool:
    """Return whether every line is one of BookSim's anynet."""
    lines = [line for _, line in text.filled()]
    return bool(lines) and all(_ANYNET.fullmatch(line) for line in lines)


AnynetLine = tuple[int, int, list[tuple[str, int, "int | None"]]]
"""A line, its router, and for everything linked with it ("router" or "node", number, latency)."""


def anynet_lines(text: Text) -> Iterator[AnynetLine]:
    """Yield what every line of an anynet states; a latency is that of the stated direction."""
    for number, line in text.filled():
        words = re.findall(r"(router|node)\s+(\d+)(?:\s+(\d+))?", line)
        linked = [(kind, int(name), int(late) if late else None) for kind, name, late in words[1:]]
        yield number, int(words[0][1]), linked


def read_anynet(text: Text) -> Found:
    """Return the network of BookSim's anynet: node N and router R are named N and R.

    Raises:
        FileError: a node at two routers, or nodes that are not 0, 1, ...
    """
    routers: dict[int, None] = {}
    at: dict[int, int] = {}
    links: dict[tuple[int, int], None] = {}
    has_latency = False
    for number, here, linked in anynet_lines(text):
        routers.setdefault(here)
        for kind, other, latency in linked:
            has_latency |= latency is not None
            if kind == "node":
                if at.setdefault(other, here) != here:
                    raise FileError(text.path, number, "a node must be at one router", other)
            elif other == here:
                raise FileError(text.path, number, "must not link a router with itself", other)
            else:
                routers.setdefault(other)
                links.setdefault((min(here, other), max(here, other)))
    if sorted(at) != list(range(len(at))):
        rule = "must have nodes 0, 1, ... without a gap"
        raise FileError(text.path, 0, rule, f"{len(at)} nodes, up to {max(at, default=0)}")
    place = {router: k for k, router in enumerate(sorted(routers))}
    network = NetworkDescription(
        tuple(HostPorts(str(node), (place[at[node]],)) for node in sorted(at)),
        tuple(map(str, place)),
        tuple(Cable(place[u], place[v]) for u, v in links),
    )
    notes = ("Latencies are not bandwidths: they are left out",) if has_latency else ()
    checked = check_description(text.path, network)
    return Found("network", "booksim-anynet", checked, notes, str(text.path))


FORMATS = (
    Format(
        name="graphml",
        kind="network",
        tier=SIGNATURE,
        recognises=is_graphml,
        read=read_graphml,
        tool="GraphML: networkx, the Topology Zoo",
        command="--network graph:{path}",
        lacks="routes",
    ),
    Format(
        name="gml",
        kind="network",
        tier=SIGNATURE,
        recognises=is_gml,
        read=read_gml,
        tool="GML: networkx, the Topology Zoo",
        command="--network graph:{path}",
        lacks="routes",
    ),
    Format(
        name="node-link-json",
        kind="network",
        tier=SIGNATURE,
        recognises=is_node_link,
        read=read_node_link,
        tool="node-link JSON: networkx, d3",
        command="--network graph:{path}",
        lacks="routes",
    ),
    Format(
        name="booksim-anynet",
        kind="network",
        tier=STRICT,
        recognises=is_anynet,
        read=read_anynet,
        tool="BookSim 2: anynet",
        command="--network graph:{path}",
        lacks="bandwidths: its numbers are latencies",
    ),
    Format(
        name="edge-list-network",
        kind="network",
        tier=LOOSE,
        recognises=is_edge_list,
        read=read_edge_list,
        tool="a list of links",
        command="--network graph:{path}",
        lacks="routes",
    ),
)
