"""Trees of switches as Slurm's topology.conf has them: "slurm:FILE".

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

from lccmodel.errors import FileError, InputError
from lccmodel.network.hosts import listed_hosts
from lccmodel.network.table import RouteTable

if TYPE_CHECKING:
    import networkx as nx

_PAIR = re.compile(r"(\w+)\s*=\s*(\S+)")


def read_topology(path: str, content: str, word: str) -> RouteTable:
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
