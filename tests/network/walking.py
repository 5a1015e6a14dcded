"""The independent route: walk the explicit graph with networkx, one channel at a time.

A message takes an edge of the dimension (or axis) that is corrected now whenever that edge
brings it nearer to its goal, by networkx's own shortest-path lengths; the + direction is tried
first. Nothing here uses the library's arithmetic on node numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

Edge = tuple[int, int]


def dimension_of(data: dict[str, Any]) -> int:
    return int(data["axis"] if "axis" in data else data["dimension"])


class Walker:
    """Dimension-ordered walks on an explicit graph."""

    def __init__(self, graph: nx.DiGraph[int], dimensions: int, descending: bool = False) -> None:
        self.graph = graph
        self.order: Sequence[int] = range(dimensions)
        if descending:
            self.order = range(dimensions)[::-1]
        self.reverse = graph.reverse(copy=False)
        self.distances: dict[int, dict[int, int]] = {}

    def distance_to(self, goal: int) -> dict[int, int]:
        if goal not in self.distances:
            lengths = nx.single_source_shortest_path_length(self.reverse, goal)
            self.distances[goal] = dict(lengths)
        return self.distances[goal]

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
        at_router = self.graph.nodes[here].get("role") == "router"
        assert left[here] == (1 if at_router else 0)
        return channels

    def _nearer(self, here: int, dimension: int, left: dict[int, int]) -> int | None:
        found = [
            (-data.get("sign", 1), head)
            for head, data in self.graph.adj[here].items()
            if data.get("role") != "port"
            and dimension_of(data) == dimension
            and left[head] < left[here]
        ]
        return min(found)[1] if found else None
