"""The nodes that a job gets of a network: "torus:8x8x8,nodes=3-17:44".

A job has nodes 0..k-1, which are nodes of the whole network in some order. Routes are those of the
whole network, through other jobs' nodes too, and its channels keep their names:

    mesh:4x4,nodes=0:3:12        0 . . 1      node 1 of the job is node 3 of the mesh; a message
                                 . . . .      from 0 to 1 crosses the channels 0->1, 1->2, 2->3
                                 . . . .
                                 2 . . .
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, checked_array, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, Ints, LongWords, Weights
from lccmodel.network.base import Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.loads import Channel
from lccmodel.network.table import checked_names

MAX_PAIRED = 4096
"""Most nodes of which every two routes are measured; else the diameter is that of the network."""


@typed_arguments
class Allocation(Network):
    """Some nodes of a network.

    Args:
        network: the whole network.
        nodes: different nodes of it; node i of this network is `nodes[i]` of that.
        names: what they are called, such as names of hosts; as in the network if left out.

    Raises:
        NetworkError: not a network, or an allocation itself.
        NodeError: a node that the network does not have, or one twice.

    >>> from lccmodel.network import Mesh
    >>> job = Allocation(Mesh((4, 4)), [0, 3, 12])
    >>> job.size, job.path(0, 1), job.spec
    (3, [0, 1, 2, 3], 'mesh:4x4,nodes=0:3:12')
    >>> job.channel_loads([(0, 1), (2, 1)]).total
    9
    """

    __slots__ = ("_form", "_longest", "names", "network", "nodes")

    kind = "allocation"
    network: Network
    """The whole network."""
    nodes: Ints
    """(k,), its nodes."""
    names: tuple[str, ...]
    """Names of the nodes, or nothing where they are numbers alone."""
    _form: Ints | None
    _longest: int | None

    def __init__(
        self, network: Network, nodes: Sequence[int] | Ints, names: Sequence[str] | None = None
    ) -> None:
        if not isinstance(network, Network) or network.whole_network is not network:
            raise NetworkError("network", "must be a whole network", network)
        numbers = np.array(checked_integers("nodes", nodes, NodeError), dtype=object)
        if not len(numbers):
            raise NodeError("nodes", "must be at least one node", nodes)
        outside = [number for number in numbers.tolist() if not 0 <= number < network.size]
        if outside:
            rule = f"must be nodes of {network.spec}, 0..{network.size - 1}"
            raise NodeError("nodes", rule, outside[0])
        values, first = np.unique(numbers.astype(np.uint64), return_index=True)
        if len(values) < len(numbers):
            twice = next(k for k in range(len(numbers)) if k not in set(first.tolist()))
            raise NodeError("nodes", "must be different nodes", numbers[twice])
        if network.size > 1 << 62:
            raise NetworkError("network", "must have at most 2^62 nodes here", network.spec)
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "nodes", numbers.astype(np.int64))
        self.nodes.flags.writeable = False
        object.__setattr__(self, "_longest", None)
        object.__setattr__(self, "_form", None)
        called = tuple(network.names)
        if names is not None:
            called = checked_names(names, len(numbers), in_runs=False)
        elif called:
            called = tuple(called[node] for node in self.nodes.tolist())
        object.__setattr__(self, "names", called)

    @property
    def size(self) -> int:
        """Number of nodes of the job."""
        return len(self.nodes)

    @property
    def argument(self) -> tuple[Network, tuple[int, ...]]:
        """The whole network, and the nodes."""
        return self.network, tuple(self.nodes.tolist())

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return *self.argument, self.names or None

    def __repr__(self) -> str:
        return f"Allocation({self.network!r}, {ranges_of(self.nodes.tolist(), ',')!r})"

    @property
    def spec(self) -> str:
        """Such as "torus:8x8x8,nodes=3-17:44"."""
        return f"{self.network.spec},nodes={ranges_of(self.nodes.tolist())}"

    @property
    def geometry(self) -> Geometry:
        """That of the whole network, if the job has all of its nodes, in order; else nothing."""
        whole = self.size == self.network.size and bool((np.diff(self.nodes) == 1).all())
        return self.network.geometry if whole else Geometry(word=self.network.geometry.word)

    @property
    def host_bandwidth(self) -> Fraction | None:
        """Return that of the whole network."""
        return self.network.host_bandwidth

    def _with_hosts(self, stated: Fraction | None) -> Allocation:
        return Allocation(self.network._with_hosts(stated), self.nodes, self.names or None)

    @property
    def whole_network(self) -> Network:
        """The network that the nodes are part of."""
        return self.network

    def in_whole(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers in the whole network of an array of nodes."""
        array = checked_array("nodes", nodes)
        if array.size and not 0 <= int(array.min()) <= int(array.max()) < self.size:
            raise NodeError("nodes", f"must be nodes of {self.spec}, 0..{self.size - 1}", array)
        return np.asarray(self.nodes[array])

    def vertex_name(self, vertex: int) -> str:
        """Return that of the whole network."""
        return self.network.vertex_name(vertex)

    @property
    def has_several_ports(self) -> bool:
        """Whether a node of the whole network has ports at several routers."""
        return self.network.has_several_ports

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        """Those of the whole network."""
        return tuple(self.network.notes)

    @property
    def routers(self) -> int:
        """Routers of the whole network."""
        return self.network.routers

    @property
    def first_router(self) -> int:
        """As in the graph of the whole network."""
        return self.network.first_router

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """Those of the whole network."""
        return self.network.bandwidths

    @property
    def dimensions(self) -> int:
        """Those of the whole network."""
        return self.network.dimensions

    @property
    def n_channels(self) -> int:
        """Channels of the whole network."""
        return self.network.n_channels

    @property
    def diameter(self) -> int:
        """Largest distance between two nodes of the job; of 4096 or more, of the network."""
        if self._longest is None:
            from lccmodel.network.routes import longest_route

            longest = self.network.diameter
            if self.size <= MAX_PAIRED:
                longest = longest_route(self._kernel_form, longest, self.size)
            object.__setattr__(self, "_longest", longest)
            return longest
        return self._longest

    # -- nodes ----------------------------------------------------------------------------

    def name(self, node: int) -> str:
        """Return the name of a node, or its number in the whole network.

        Raises:
            NodeError: not a node.
        """
        return self.names[self._node(node)] if self.names else str(self.whole(node))

    def whole(self, node: int, argument: str = "node") -> int:
        """Return the number of a node in the whole network.

        Raises:
            NodeError: not a node.
        """
        return int(self.nodes[self._node(node, argument)])

    def _at_router(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return self.network._at_router(self.nodes[nodes])

    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the coordinates that it has in the whole network.

        Raises:
            NodeError: not a node.
        """
        return self.network.coordinates(self.whole(node))

    def node(self, coordinates: Any) -> int:
        """Return the node with these coordinates.

        Raises:
            NodeError: the job has none.
        """
        places = np.flatnonzero(self.nodes == self.network.node(coordinates))
        if not len(places):
            raise NodeError("coordinates", "must be those of a node of the job", coordinates)
        return int(places[0])

    def neighbours(self, node: int) -> list[int]:
        """Return what the whole network's graph links with a node of the job, in its numbers.

        Raises:
            NodeError: not a node.
        """
        return self.network.neighbours(self.whole(node))

    # -- paths ----------------------------------------------------------------------------

    def path(self, x: int, y: int, *, descending: bool = False) -> list[int]:
        """Return the nodes of `graph()` from node x of the job to y, as the network numbers them.

        Raises:
            NodeError, SizeLimitError: as for any network.
        """
        ends = self.whole(x, "x"), self.whole(y, "y")
        return self.network.path(*ends, descending=descending)

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """Return the directed channels from node x of the job to y.

        Raises:
            NodeError, SizeLimitError: as for any network.
        """
        ends = self.whole(x, "x"), self.whole(y, "y")
        return self.network.channels(*ends, descending=descending)

    def distance(self, x: int, y: int) -> int:
        """Return the number of channels on the path from x to y.

        Raises:
            NodeError: x or y is not a node.
        """
        return self.network.distance(self.whole(x, "x"), self.whole(y, "y"))

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        return self.network._hops(self.whole(x), self.whole(y), descending)

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return self.network._graph_nodes()

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        return self.network._graph_edges()

    # -- loads ----------------------------------------------------------------------------

    @property
    def _kernel_form(self) -> Ints:
        """See `network.routes`."""
        if self._form is None:
            form = self.network._kernel_form_for(self.nodes)
            own_form = some_nodes(form, self.nodes)
            object.__setattr__(self, "_form", own_form)
            return own_form
        return self._form

    @property
    def counter_shape(self) -> tuple[int, int]:
        """Return that of the whole network."""
        return self.network.counter_shape

    def row_dimension(self, row: int) -> int:
        """Return that of the whole network."""
        return self.network.row_dimension(row)

    def row_name(self, row: int) -> str:
        """Return that of the whole network."""
        return self.network.row_name(row)

    @property
    def column_name(self) -> str:
        """Return that of the whole network."""
        return self.network.column_name

    def counter(self, u: int, v: int, *cable: int) -> tuple[int, int]:
        """Return the counter of a channel of the whole network.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        return self.network.counter(u, v, *cable)

    def channel(self, row: int, column: int) -> Channel:
        """Return the channel of the whole network that a counter belongs to.

        Raises:
            NetworkError: none does.
        """
        return self.network.channel(row, column)

    def _ends(self, channel: Any) -> Channel:
        return self.network._ends(channel)

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array
    ) -> None:
        whole = self.nodes.astype(np.uint64)[pairs.astype(np.int64)]
        self.network._count_all(whole, weights, descending, counts)

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        whole = self.nodes.astype(np.uint64)
        ends = whole[x.astype(np.int64)], whole[y.astype(np.int64)]
        return self.network._uses(row, column, *ends, descending)


def some_nodes(form: Ints, nodes: Ints) -> Ints:
    """A form for some nodes: what they are in the numbers that its routes go by."""
    shared = max(1, int(form[2]))
    extended = np.concatenate([form, nodes // shared]).astype(np.int64)
    extended[2] = -len(form)
    return extended


def ranges_of(numbers: Sequence[int], separator: str = ":") -> str:
    """Numbers in their order, runs of three or more as ranges.

    >>> ranges_of([3, 4, 5, 6, 44, 2, 1])
    '3-6:44:2:1'
    """
    parts: list[str] = []
    k = 0
    while k < len(numbers):
        end = k
        while end + 1 < len(numbers) and numbers[end + 1] == numbers[end] + 1:
            end += 1
        if end - k >= 2:
            parts.append(f"{numbers[k]}-{numbers[end]}")
        else:
            parts += [str(number) for number in numbers[k : end + 1]]
        k = end + 1
    return separator.join(parts)
