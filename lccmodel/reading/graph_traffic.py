"""Graphs as traffic: GML, GraphML and node-link JSON, as networkx, igraph, Gephi and d3 write them.

Nodes are ranks: numbers are themselves, and names have ranks by the number in them or by their
order. The volume is the attribute of the edges that would be chosen from a table; an undirected
edge is sent each way. The same files can be networks: the role decides.
"""

from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np

from lccmodel.communication.describing import described_by_graph
from lccmodel.errors import FileError, InputError, Reason
from lccmodel.reading.entries import found_traffic, traffic_entry
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.graph_formats import is_gml, is_graphml, is_node_link, refuse_doctype
from lccmodel.reading.options import stated
from lccmodel.reading.text import Text


def _found(text: Text, form: str, graph: Any) -> Found:
    """Return the messages of a graph of networkx.

    Raises:
        FileError: it has none, or breaks a rule.
    """
    try:
        described = described_by_graph(graph, stated().first_rank, stated().volume)
    except InputError as error:
        raise FileError(text.path, 0, error.rule, error.value) from error
    if not len(described.messages):
        raise FileError(text.path, 0, "must have edges, the messages", graph.number_of_nodes())
    many = f"{graph.number_of_edges()} edges of a graph"
    return found_traffic(text, form, (traffic_entry(text, described, many),), described.notes)


def read_gml_traffic(text: Text) -> Found:
    """Return the messages of a GML file.

    Raises:
        FileError: networkx cannot read it.
    """
    import networkx as nx

    try:
        graph = nx.parse_gml(text.content.split("\n"), label="id")
    except Exception as error:  # networkx raises many kinds for a malformed file
        line = re.search(r"\((\d+),", str(error))
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise FileError(
            text.path, int(line[1]) if line else 0, "must be GML", Reason(reason)
        ) from None
    labels = {node: str(data.get("label", node)) for node, data in graph.nodes(data=True)}
    if len(set(labels.values())) == len(labels):
        graph = nx.relabel_nodes(graph, labels)
    return _found(text, "gml", graph)


def read_graphml_traffic(text: Text) -> Found:
    """Return the messages of a GraphML file.

    Raises:
        FileError: it has a DOCTYPE, or networkx cannot read it.
    """
    import networkx as nx

    refuse_doctype(text)
    try:
        graph = nx.read_graphml(io.BytesIO(text.content.encode()))
    except Exception as error:  # networkx raises many kinds for a malformed file
        line = getattr(error, "position", (0, 0))[0]
        raise FileError(text.path, line, "must be GraphML", Reason(error)) from None
    return _found(text, "graphml", graph)


def read_node_link_traffic(text: Text) -> Found:
    """Return the messages of node-link JSON; ends are names, or places in the list of nodes.

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
    links = document.get("links", document.get("edges"))
    nodes = document.get("nodes")
    if not all(isinstance(part, list) for part in (nodes, links)):
        raise FileError(text.path, 0, "must have lists of nodes and links", document)
    names = [node.get("id", node.get("name", k)) if isinstance(node, dict) else node
             for k, node in enumerate(nodes)]  # fmt: skip
    graph: Any = nx.MultiDiGraph() if document.get("directed") else nx.MultiGraph()
    try:
        known = set(names)
        graph.add_nodes_from(names)
        for link in links:
            data = {k: v for k, v in link.items() if k not in ("source", "target", "key", "id")}
            graph.add_edge(*(_end(names, known, link[end]) for end in ("source", "target")), **data)
    except (TypeError, KeyError, AttributeError, IndexError) as error:
        rule = "a link must have source and target, nodes of the list"
        raise FileError(text.path, 0, rule, Reason(f"{type(error).__name__}: {error}")) from None
    return _found(text, "node-link-json", graph)


def _end(names: list[Any], known: set[Any], end: Any) -> Any:
    """Return the name of an end: a name, a node itself (d3), or a place in the list."""
    if isinstance(end, dict):
        end = end.get("id", end.get("name"))
    if end in known:
        return end
    if isinstance(end, (int, np.integer)) and 0 <= end < len(names):
        return names[end]
    raise KeyError(end)


_OPTIONS = ("first_rank", "volume")
FORMATS = (
    Format("gml", "traffic", SIGNATURE, is_gml, read_gml_traffic, "GML (networkx, igraph, Gephi)",
           options=_OPTIONS),
    Format("graphml", "traffic", SIGNATURE, is_graphml, read_graphml_traffic,
           "GraphML (networkx, igraph, Gephi)",
           options=_OPTIONS),
    Format("node-link-json", "traffic", SIGNATURE, is_node_link, read_node_link_traffic,
           "node-link JSON (networkx, d3)",
           options=_OPTIONS),
)  # fmt: skip
