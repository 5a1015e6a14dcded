"""Can messages deadlock? The channel dependency graph of a routing function [Dally and Seitz].

Its vertices are the channels; an edge leads from c to d when some message may hold c and ask for
d next. If the graph has no cycle, no set of messages can wait for each other in a ring: the
channels can be numbered so that every message takes them in ascending order. For a routing
function with one choice the converse holds too. With several choices a cycle is a warning: each
message of the ring may have another way out, and a finer argument is needed.

Where a routing function has an *escape*, the first virtual channels of every link
(`escape_channels`), the finer argument is Duato's: every header may always take a channel of the
escape, and the *extended* dependency graph of the escape has no cycle. In that graph an edge leads
from an escape channel c to an escape channel d when some message may hold c and ask for d next, or
after adaptive channels only. The graph here keeps the states in between as vertices, which changes
no cycle, since no header goes round in circles on adaptive channels.

Where messages draw their ways (`per_message`), the last channel of a first leg is followed by the
first channels of the second legs that begin there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lccmodel.errors import SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Answer
from lccmodel.network import Network, as_network
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import RoutingError, RoutingFunction
from lccmodel.routing.names import find_routing
from lccmodel.routing.table import RoutingTable, routing_table

if TYPE_CHECKING:
    import networkx as nx

MAX_PAIRS = 1 << 20


@dataclass(frozen=True)
class DeadlockVerdict(Answer, view="deadlock"):
    """Whether a routing function is free of deadlock: true, or false with a cycle of channels.

    Attributes:
        routing, network: what was checked.
        cycle: channels by name, each waiting for the next and the last for the first; empty when
            the dependency graph has no cycle, which proves freedom of deadlock.
        certain: whether a cycle proves that messages can deadlock; it does for a function that
            never returns a choice.
        channels, dependencies: size of the dependency graph.
        order: a numbering of the channels (position of every channel, by its number in the
            fabric; -1 if it is not used) that every message ascends; empty when there is a cycle.
        escape: virtual channels of the escape by which it is decided, the first of every link; 0
            if all channels are followed. `order` then numbers the channels of the escape.

    >>> from lccmodel.network import Hypercube
    >>> bool(deadlock_free("e-cube", Hypercube(3)))
    True
    >>> deadlock_free("fully-adaptive", Hypercube(2)).cycle
    ('0->1', '1->3', '3->2', '2->0')
    """

    routing: str
    network: Network
    cycle: tuple[str, ...]
    certain: bool
    channels: int
    dependencies: int
    order: tuple[int, ...]
    escape: int = 0

    def __bool__(self) -> bool:
        return not self.cycle

    def __str__(self) -> str:
        where = f"{self.routing} on {self.network.spec}"
        if self:
            by = " of the escape" if self.escape else ""
            return (
                f"{where}: free of deadlock, {self.dependencies} dependencies{by} without a cycle"
            )
        verdict = "can deadlock" if self.certain else "may deadlock"
        return f"{where}: {verdict}, cycle {' -> '.join(self.cycle)}"


@typed_arguments
def dependency_graph(table: RoutingTable) -> nx.DiGraph[int]:
    """Return the channel dependency graph of a routing table; vertices are channels.

    >>> from lccmodel.network import Hypercube
    >>> cube = Hypercube(2)
    >>> table = routing_table(find_routing("e-cube", cube), Fabric(cube), [(0, 3), (3, 0)])
    >>> sorted(dependency_graph(table).edges)
    [(0, 5), (3, 6)]
    """
    import networkx as nx

    holder = np.repeat(table.arrived, np.diff(table.first))
    held = holder >= 0
    edges = np.stack([holder[held], table.channel[held]], axis=1)
    if table.ways is not None and table.ways.legs > 1:
        edges = np.concatenate([edges, _between_legs(table)])
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(np.unique(table.channel).tolist())
    graph.add_edges_from(map(tuple, np.unique(edges, axis=0).tolist()))
    return graph


def _between_legs(table: RoutingTable) -> Ints:
    """From the last channel of a first leg to the first channel of a second one."""
    assert table.ways is not None
    begins = np.unique(table.ways.then)
    rows = []
    for router in range(table.fabric.routers):
        here = np.zeros(table.states, bool)
        here[begins] = table.router[begins] == router
        into = table.arrived[_ends_first_leg(table) & (table.router == router)]
        out = table.channel[np.repeat(here, np.diff(table.first))]
        ends = np.broadcast_arrays(np.unique(into)[:, None], np.unique(out)[None, :])
        rows.append(np.stack(ends, axis=-1).reshape(-1, 2))
    return np.concatenate(rows)


def _ends_first_leg(table: RoutingTable) -> npt.NDArray[np.bool_]:
    """Whether a header in a state has come to the end of its first leg, on a channel."""
    assert table.ways is not None
    second = np.zeros(table.states, bool)
    second[int(table.ways.then.min(initial=table.states)) :] = True
    ends: npt.NDArray[np.bool_] = table.first[1:] == table.first[:-1]
    return ends & ~second & (table.arrived >= 0)


@typed_arguments
def extended_dependency_graph(table: RoutingTable, escape: int) -> nx.DiGraph[int]:
    """Return the extended dependency graph of an escape [Duato], with states on adaptive channels.

    Its vertices are the channels of the escape and, below 0, -1 - s for a state s whose header is
    not on the escape.

    Args:
        table: of the routing function.
        escape: virtual channels of the escape, the first of every link.

    Raises:
        RoutingError: a header may take no channel of the escape.

    >>> from lccmodel.network import Mesh
    >>> mesh = Mesh((2, 2))
    >>> adaptive = find_routing("adaptive", mesh)
    >>> table = routing_table(adaptive, Fabric(mesh, 2), [(0, 3)])
    >>> graph = extended_dependency_graph(table, 1)
    >>> sorted(edge for edge in graph.edges if min(edge) >= 0)  # 0->1 on the escape, then 1->3
    [(0, 10)]
    """
    import networkx as nx

    many = table.fabric.virtual_channels
    state = np.repeat(np.arange(table.states), np.diff(table.first))
    escapes = table.channel % many < escape
    can = np.zeros(table.states, bool)
    can[state[escapes]] = True
    if (lost := np.flatnonzero(~can & (table.first[1:] > table.first[:-1]))).size:
        where = f"at router {table.router[lost[0]]}, bound for {table.destination[lost[0]]}"
        rule = f"{table.routing.name} must offer a channel of the escape {where}"
        raise RoutingError("routing", rule, escape)
    on_escape = (table.arrived >= 0) & (table.arrived % many < escape)
    vertex = np.where(on_escape, table.arrived, -1 - np.arange(table.states))
    edges = np.stack([vertex[state], vertex[table.following]], axis=1)
    graph: nx.DiGraph[int] = nx.DiGraph()
    graph.add_nodes_from(np.unique(table.channel[escapes]).tolist())
    graph.add_edges_from(map(tuple, np.unique(edges, axis=0).tolist()))
    return graph


@typed_arguments
def deadlock_free(
    routing: str | RoutingFunction,
    network: Network | str,
    pairs: Iterable[tuple[int, int]] | None = None,
) -> DeadlockVerdict:
    """Prove that messages cannot deadlock, or find the cycle of channels.

    Args:
        routing: a name of `routing.names`, or a routing function.
        network: hypercube, bristled hypercube, mesh or torus.
        pairs: the (source, destination) nodes between which messages are sent; all pairs if left
            out.

    Raises:
        RoutingError: an unknown or unfit function, or one that returns a wrong channel.
        SizeLimitError: more than 2^20 pairs of routers.

    >>> from lccmodel.network import Torus
    >>> str(deadlock_free("dimension-order", Torus((4, 4))))
    'dimension-order on torus:4x4: free of deadlock, 104 dependencies without a cycle'
    """
    network = as_network(network)
    import networkx as nx

    function = find_routing(routing, network)
    fabric = Fabric(network, function.virtual_channels)
    if pairs is None:
        pairs = _all_pairs(fabric, by_router=not hasattr(function, "tag"))
    table = routing_table(function, fabric, pairs)
    graph, escape = dependency_graph(table), 0
    if getattr(function, "escape_channels", 0) and not nx.is_directed_acyclic_graph(graph):
        escape = function.escape_channels  # type: ignore[attr-defined]  # as just looked up
        graph = extended_dependency_graph(table, escape)
    channels = [vertex for vertex in graph if vertex >= 0]
    cycle: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    try:
        position = np.full(fabric.channels, -1, dtype=np.int64)
        ascending = nx.lexicographical_topological_sort(graph)
        for number, channel in enumerate(vertex for vertex in ascending if vertex >= 0):
            position[channel] = number
        order = tuple(position.tolist())
    except nx.NetworkXUnfeasible:
        cycle = tuple(fabric.name(c) for c in _shortest_cycle(graph) if c >= 0)
    return DeadlockVerdict(
        function.name,
        network,
        cycle,
        bool((np.diff(table.first) <= 1).all()),
        len(channels),
        graph.number_of_edges(),
        order,
        escape,
    )


def _all_pairs(fabric: Fabric, by_router: bool) -> list[tuple[int, int]]:
    """Pairs of nodes, one node a router where a route depends on routers alone."""
    nodes = range(0, fabric.network.size, fabric.network.per_node if by_router else 1)
    if len(nodes) ** 2 > MAX_PAIRS:
        rule = f"all pairs of routers are tried, so at most {MAX_PAIRS}; state the pairs to try"
        raise SizeLimitError(fabric.network.spec, rule, len(nodes) ** 2)
    return [(x, y) for x in nodes for y in nodes if x != y]


def _shortest_cycle(graph: nx.DiGraph[int]) -> list[int]:
    """A shortest cycle; the least channel first."""
    import networkx as nx

    tangle = next(part for part in nx.strongly_connected_components(graph) if len(part) > 1)
    best: list[int] = []
    inside = graph.subgraph(tangle)
    for start in sorted(tangle)[:64]:
        lengths = nx.single_source_shortest_path(inside, start)
        rounds = [lengths[last] for last in inside.predecessors(start)]
        shortest = min(rounds, key=len)
        if not best or len(shortest) < len(best):
            best = shortest
    assert all(graph.has_edge(c, d) for c, d in pairwise([*best, best[0]]))
    return best
