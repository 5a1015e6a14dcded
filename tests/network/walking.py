"""The independent route: walk the explicit graph with networkx, one channel at a time.

A message takes an edge of the dimension (or axis) that is corrected now whenever that edge
brings it nearer to its goal, by networkx's own shortest-path lengths; the + direction is tried
first. Nothing here uses the library's arithmetic on node numbers.
"""

from functools import cache

import networkx as nx

Edge = tuple[int, int]


class Walker:
    """Dimension-ordered walks on an explicit graph."""

    def __init__(self, graph: nx.DiGraph, dimensions: int, descending: bool = False) -> None:
        self.graph = graph
        self.order = range(dimensions)[:: -1 if descending else 1]
        self.distance_to = cache(lambda goal: dict(nx.shortest_path_length(graph, target=goal)))

    def walk(self, source: int, goal: int) -> list[Edge]:
        """The channels between routers that the message takes."""
        left = self.distance_to(goal)
        here, channels = source, []
        if self.graph.nodes[source].get("role") == "node" and source != goal:
            (here,) = self.graph.successors(source)
        for dimension in self.order:
            while (head := self._nearer(here, dimension, left)) is not None:
                channels.append((here, head))
                here = head
        assert left[here] == (self.graph.nodes[here].get("role") == "router")
        return channels

    def _nearer(self, here: int, dimension: int, left: dict[int, int]) -> int | None:
        nearer = [
            (-data.get("sign", 1), head)
            for head, data in self.graph.adj[here].items()
            if data.get("role") != "port"
            and data.get("axis", data.get("dimension")) == dimension
            and left[head] < left[here]
        ]
        return min(nearer)[1] if nearer else None
