"""Networks from files: "graph:FILE", with a rule of routing or the tables of the switches.

    graph:cluster.graphml                     GraphML, as networkx and others write it
    graph:links.txt,routing=updown            a line for every link: two names, a bandwidth
    graph:fabric.txt,tables=lft.txt           what `ibnetdiscover` prints of an InfiniBand fabric,
                                              and the tables of its switches (`network.infiniband`)
    graph:links.txt,hosts=4                   four nodes at every router

In GraphML vertices may have a `role` ("node" or "router"), a `name`, or `hosts`; edges a
`bandwidth`. In a list of links

    routers: leaf[1-4] spine1 spine2          says what is no node; left out, all vertices are nodes
    node01 leaf1                              one link, both ways
    leaf1 spine1 4                            of four times the bandwidth; twice is two cables

Trees of switches as Slurm's topology.conf has them: "slurm:FILE".

    SwitchName=s0 Nodes=dev[0-5]
    SwitchName=s1 Nodes=dev[6-11] LinkSpeed=4
    SwitchName=s2 Switches=s[0-1]

Nodes are in the order of the file; every route goes up to the lowest common switch, and down.
LinkSpeed is what the link from that switch to the one above it carries, 1 if it is not said. Slurm
knows one link where a machine may have many: state what all of them together carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from lccmodel.errors import FileError, InputError, NetworkError, Reason
from lccmodel.files import file_text
from lccmodel.network.table import RouteTable
from lccmodel.reading.hostlist import listed_hosts

if TYPE_CHECKING:
    import networkx as nx


LARGEST = 1 << 28
"""Most bytes of a file that describes a network."""

_MOST_HOSTS = 1 << 20
_OPTION = re.compile(r"^(.*),(routing|tables|hosts)=([^,]*)$", re.DOTALL)


def read_network(text: str) -> RouteTable:
    """The network of a word that begins with "graph:" or "slurm:".

    Raises:
        NetworkError: an unknown option.
        FileError: a file that cannot be read, or that is no network.
    """
    kind, _, rest = text.partition(":")
    if kind.lower() == "slurm":
        return _topology(rest, file_text(rest, LARGEST), text)
    options: dict[str, str] = {}
    while (match := _OPTION.match(rest)) is not None:
        rest, key, value = match.groups()
        if key in options:
            raise NetworkError("network", f"{key}=... may stand once", text)
        options[key] = value
    if not rest:
        raise NetworkError("network", "must name a file after graph:", text)
    if "routing" in options and "tables" in options:
        raise NetworkError("network", "routing=... and tables=... exclude each other", text)
    content = file_text(rest, LARGEST)
    try:
        return _network(rest, content, options, text)
    except FileError:
        raise
    except InputError as error:
        rule = error.rule if error.argument == "graph" else f"{error.argument} {error.rule}"
        raise FileError(rest, 0, rule, error.value) from None


def _network(path: str, content: str, options: dict[str, str], word: str) -> RouteTable:
    from lccmodel.network import infiniband

    if infiniband.is_fabric(content):
        tables = options.get("tables")
        told = None if tables is None else (tables, file_text(tables, LARGEST))
        return infiniband.read_fabric(path, content, told, _routing(options), word)
    if "tables" in options:
        raise FileError(path, 0, "must be what ibnetdiscover prints, to go with tables", path)
    graph = _graphml(path, content) if _is_xml(path, content) else _links(path, content)
    if "hosts" in options:
        count = options["hosts"]
        if not (count.isascii() and count.isdecimal() and 0 < int(count) <= _MOST_HOSTS):
            raise NetworkError("network", f"hosts must be a number of nodes, not {count!r}", word)
        for vertex in graph:
            graph.nodes[vertex]["hosts"] = int(count)
    return RouteTable.from_graph(graph, _routing(options), word)


def _routing(options: dict[str, str]) -> str:
    return options.get("routing", "shortest").lower()


def _is_xml(path: str, content: str) -> bool:
    return path.lower().endswith((".graphml", ".xml")) or content.lstrip()[:1] == "<"


def _graphml(path: str, content: str) -> nx.Graph[Any]:
    import networkx as nx

    try:
        return nx.parse_graphml(content)
    except Exception as error:  # whatever the parser stumbles over
        raise FileError(path, 0, "must be GraphML", Reason(error)) from None


def _links(path: str, content: str) -> nx.Graph[Any]:
    """A graph from a list of links."""
    import networkx as nx

    graph: nx.MultiGraph[Any] = nx.MultiGraph()
    routers: set[str] = set()
    for number, line in enumerate(content.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if words[0].lower() == "routers:":
            for word in words[1:]:
                try:
                    routers.update(listed_hosts(word, "must be names such as leaf[1-4]"))
                except InputError as error:
                    raise FileError(path, number, error.rule, word) from None
            continue
        if not 2 <= len(words) <= 3:
            rule = "must be a link: two names, and a bandwidth if it is not 1"
            raise FileError(path, number, rule, line.strip())
        width = words[2] if len(words) == 3 else "1"
        if not re.fullmatch(r"[0-9]{1,30}(\.[0-9]{1,30})?(/[0-9]{1,30})?", width) or not (
            width.strip("0./")
        ):
            raise FileError(path, number, "a bandwidth must be a positive number", width)
        graph.add_edge(words[0], words[1], bandwidth=width)
    if not graph:
        raise FileError(path, 0, "must have a link on a line, at least", "")
    unknown = sorted(routers - set(graph))
    if unknown:
        raise FileError(path, 0, "routers must have links", unknown[0])
    for vertex in graph if routers else ():
        graph.nodes[vertex]["role"] = "router" if vertex in routers else "node"
    return graph


_PAIR = re.compile(r"(\w+)\s*=\s*(\S+)")


def _topology(path: str, content: str, word: str) -> RouteTable:
    """The network of a topology.conf.

    Raises:
        FileError: a line that is no switch, a switch without a line, a node or switch below two.
    """
    import networkx as nx

    graph: nx.Graph[Any] = nx.Graph()
    above: dict[str, tuple[str, int]] = {}
    speed: dict[str, str] = {}
    for number, stated in _lines(path, content):
        switch = stated["switchname"]
        if switch in speed:
            raise FileError(path, number, "a switch must have one line", switch)
        speed[switch] = stated.get("linkspeed", "1")
        if not re.fullmatch(r"[0-9]{0,29}[1-9][0-9]{0,29}", speed[switch]):
            raise FileError(path, number, "LinkSpeed must be a positive integer", speed[switch])
        graph.add_node(switch, role="router")
        for key, role in (("nodes", "node"), ("switches", "router")):
            for name in _names(path, number, stated.get(key)):
                if name in above or (role == "node" and name in graph):
                    raise FileError(path, number, f"must be below one switch: {name}", switch)
                above[name] = switch, number
                graph.add_node(name, role=role)
    for name, (switch, number) in above.items():
        is_switch = graph.nodes[name]["role"] == "router"
        if is_switch and name not in speed:
            raise FileError(path, number, "a switch must have a line of its own", name)
        graph.add_edge(name, switch, bandwidth=speed[name] if is_switch else 1)
    if not above:
        raise FileError(path, 0, "must have a line SwitchName=... with Nodes=...", "none")
    try:
        return RouteTable.from_graph(graph, "shortest", word)
    except InputError as error:
        raise FileError(path, 0, error.rule, error.value) from None


def _lines(path: str, content: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Lines of switches with their numbers; a backslash joins two."""
    whole, first = "", 0
    for number, line in enumerate(content.splitlines(), 1):
        first = first if whole else number
        whole += line.partition("#")[0].strip()
        if whole.endswith("\\"):
            whole = whole[:-1] + " "
            continue
        if whole:
            stated = {key.lower(): value for key, value in _PAIR.findall(whole)}
            if "switchname" not in stated:
                raise FileError(path, first, "must be a line SwitchName=...", line.strip())
            yield first, stated
        whole = ""


def _names(path: str, number: int, text: str | None) -> list[str]:
    if text is None:
        return []
    try:
        return listed_hosts(text, "must be names such as node[01-04,07]")
    except InputError as error:
        raise FileError(path, number, error.rule, error.value) from None
