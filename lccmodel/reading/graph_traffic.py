"""Graphs as traffic: GML, GraphML and node-link JSON, as networkx, igraph, Gephi and d3 write them.

Nodes are ranks: numbers are themselves, and names have ranks by the number in them or by their
order. The volume is the attribute of the edges that would be chosen from a table; an undirected
edge is sent each way. The same files can be networks: the role decides.
"""

from __future__ import annotations

from typing import Any

from lccmodel.communication.conversion import described_by_graph
from lccmodel.errors import FileError, InputError
from lccmodel.reading.entries import found_traffic, traffic_entry
from lccmodel.reading.found import SIGNATURE, Format, Found
from lccmodel.reading.graph_formats import (
    gml_graph,
    graphml_graph,
    is_gml,
    is_graphml,
    is_node_link,
    node_link_graph,
)
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
    """Return the messages of a GML file; nodes have the names of their labels if these differ."""
    import networkx as nx

    graph = gml_graph(text)
    labels = {node: str(data.get("label", node)) for node, data in graph.nodes(data=True)}
    if len(set(labels.values())) == len(labels):
        graph = nx.relabel_nodes(graph, labels)
    return _found(text, "gml", graph)


def read_graphml_traffic(text: Text) -> Found:
    """Return the messages of a GraphML file."""
    return _found(text, "graphml", graphml_graph(text))


def read_node_link_traffic(text: Text) -> Found:
    """Return the messages of node-link JSON."""
    return _found(text, "node-link-json", node_link_graph(text))


_LACKS = "Units; the direction of messages in an undirected graph."
_OPTIONS = ("first_rank", "volume")
FORMATS = (
    Format("gml", "traffic", SIGNATURE, is_gml, read_gml_traffic, "GML (networkx, igraph, Gephi)",
           lacks=_LACKS, options=_OPTIONS),
    Format("graphml", "traffic", SIGNATURE, is_graphml, read_graphml_traffic,
           "GraphML 1.0 (networkx, igraph, Gephi)",
           lacks=_LACKS, options=_OPTIONS),
    Format("node-link-json", "traffic", SIGNATURE, is_node_link, read_node_link_traffic,
           "node-link and adjacency JSON (networkx 2, 3; d3; Cytoscape.js)",
           lacks=_LACKS, options=_OPTIONS),
)  # fmt: skip
