"""What all networks share: node numbers, dimension-ordered paths, explicit graphs, channel loads.

Routing corrects one dimension (on a mesh: one axis) after the other, in ascending order, or in
descending order when that is asked for [hou, section 2]. A path, and so the load of a channel,
is therefore arithmetic on node numbers. `graph()` gives the same network edge by edge, as an
independent route to every number and for any algorithm of networkx.

Only the channels between routers are counted; the ports between nodes and routers are not.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, SizeLimitError, checked_array
from lccmodel.ground.arrays import Array, Flags, Ints, LongWords, Weights, Words, read_only
from lccmodel.ground.frozen import Frozen
from lccmodel.ground.numbers import Number, as_fraction
from lccmodel.network.geometry import Geometry
from lccmodel.network.listed import listed_form
from lccmodel.network.loads import Cables, Channel, ChannelLoads, count_by_dimension, count_loads
from lccmodel.network.messages import Sent, read_sent
from lccmodel.network.wiring import NodePorts, Wiring, cables_by_counter, wiring_of

if TYPE_CHECKING:
    import networkx as nx

MAX_DIMENSION = 64
"""Largest n: a node number has to fit one machine word."""

MAX_COUNTERS = 1 << 29
"""Most counters that `channel_loads` keeps: 4 GiB of int64. For a hypercube that is n = 24."""

_MAX_GRAPH_CHANNELS = 1 << 22
"""Most channels of an explicit graph: networkx takes 1 to 2 GB for them. Hypercube: n = 17."""

MAX_LISTED_PATH = 1 << 24
"""Longest path that is listed node by node; only meshes with huge axes have longer ones."""


class Network(Frozen, ABC):
    """A network of nodes 0..size - 1 whose routing is fixed.

    Networks are frozen values: equal when they are of the same kind and shape, and hashable.
    """

    __slots__ = ("_stated_hosts",)

    _stated_hosts: Fraction | None
    """The stated bandwidth of a host's port, 0 if ports are not counted; None or unset: default."""

    kind: ClassVar[str]
    """The word that opens `spec`."""

    names: Sequence[str] = ()
    """Names of the nodes, where the network was read with such; else empty. Nodes of one name are
    slots of one host."""

    notes: Sequence[str] = ()
    """Sentences on which every result rests, such as how the file of the network was read."""

    # -- size and shape -------------------------------------------------------------------

    @property
    @abstractmethod
    def size(self) -> int:
        """Number of nodes: places for ranks."""

    @property
    def n(self) -> int:
        """Number of address bits of a network of 2^n nodes.

        Raises:
            NetworkError: the number of nodes is not a power of two.
        """
        if self.size & self.size - 1:
            rule = f"must have 2^n nodes here; {self.spec} has {self.size}"
            raise NetworkError("network", rule, self.spec)
        return self.size.bit_length() - 1

    @property
    def geometry(self) -> Geometry:
        """The shape of the network: axes, levels of a tree, groups; see `network.geometry`.

        >>> from lccmodel.network import as_network
        >>> as_network("mesh:4x8").geometry.sides
        (4, 8)
        """
        return Geometry(word="dimension")

    @property
    def whole_network(self) -> Network:
        """The network itself; of a job, the network that its nodes are part of."""
        return self

    def in_whole(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the numbers in `whole_network` of an array of nodes."""
        return nodes

    @property
    def wiring(self) -> Wiring:
        """The channels of the whole network as arrays; see `network.wiring`.

        Raises:
            SizeLimitError: more counters than loads are counted for.
        """
        self._check_counters()
        return wiring_of(self.whole_network)

    @property
    def node_ports(self) -> NodePorts:
        """The ports of all nodes of the whole network; one at the router of each, of bandwidth 1.

        A table may state several ports of a node, and other bandwidths.
        """
        stated = getattr(self.whole_network, "_stated_hosts", 0)
        if stated and len(set(self.names)) < len(self.names):
            rule = "must be left out here: several nodes are slots of one host, and share its port"
            raise NetworkError("hosts", rule, self.spec)
        return _node_ports_of(self.whole_network)

    def _node_ports(self) -> NodePorts:
        first, width = np.arange(self.size + 1), getattr(self, "_stated_hosts", 0) or Fraction(1)
        widths, stated = np.full(self.size, width, object), width != 1
        routers = read_only(self.at_router(first[:-1]))
        return NodePorts(read_only(first), routers, read_only(widths), stated)

    # -- ports of hosts -------------------------------------------------------------------

    @property
    def host_bandwidth(self) -> Fraction | None:
        """What the port of a host carries at a time, if placements count it; else None.

        As stated by `hosts=BANDWIDTH` or `with_hosts`. Otherwise it is 1 on fat trees, as that of a
        link, and None on other networks. Nodes with one name are one host.

        >>> from lccmodel.network import as_network
        >>> words = ("torus:4x4", "torus:4x4,hosts=2", "fattree:4^2", "fattree:4^2,hosts=off")
        >>> [as_network(word).host_bandwidth for word in words]
        [None, Fraction(2, 1), Fraction(1, 1), None]
        """
        stated = getattr(self, "_stated_hosts", None)
        if stated is None:
            return Fraction(1) if self.whole_network.geometry.tree is not None else None
        return stated or None

    def with_hosts(self, bandwidth: Number | None) -> Self:
        """Return the same network with another bandwidth of the hosts' ports.

        Args:
            bandwidth: a positive number; 0 if placements do not count ports; None for the default.

        Raises:
            NetworkError: not such a number, or ports that the network states itself.

        >>> from lccmodel.network import Torus
        >>> Torus((4, 4)).with_hosts(2).spec, Torus((4, 4)).with_hosts(2).host_bandwidth
        ('torus:4x4,hosts=2', Fraction(2, 1))
        """
        stated = None if bandwidth is None else _checked_hosts(bandwidth)
        if stated and self.whole_network.has_stated_ports:
            rule = "must be left out: the file of the network states the bandwidths of its ports"
            raise NetworkError("hosts", rule, bandwidth)
        return self._with_hosts(stated)

    def _with_hosts(self, stated: Fraction | None) -> Self:
        return self._replaced(_stated_hosts=stated)

    @property
    def is_table(self) -> bool:
        """Whether links and routes are stated one by one, not by a geometry with a rule."""
        return False

    @property
    def has_stated_ports(self) -> bool:
        """Whether the network states the bandwidths of its nodes' ports itself."""
        return False

    @property
    def _hosts_option(self) -> str:
        """The ports of hosts as an option of `spec`."""
        stated = getattr(self, "_stated_hosts", None)
        return "" if stated is None else f",hosts={stated or 'off'}"

    @property
    def _hosts_call(self) -> str:
        """The ports of hosts as `repr` shows them."""
        stated = getattr(self, "_stated_hosts", None)
        if stated is None:
            return ""
        return f".with_hosts({int(stated) if stated.denominator == 1 else repr(str(stated))})"

    def _cables(self) -> Cables:
        """Tail, head, counter and number of the cable of every channel, in any order."""
        return cables_by_counter(self, self.first_router)

    @property
    def per_node(self) -> int:
        """How many nodes share a router, one after another: node x is at router x // per_node."""
        return 1

    @property
    def internal_bits(self) -> int:
        """How many low address bits are internal, inside a router: k where 2^k nodes share one."""
        return (self.per_node - 1).bit_length()

    @property
    def routers(self) -> int:
        """Number of routers."""
        return self.size // self.per_node

    def at_router(self, nodes: int | npt.NDArray[Any]) -> Any:
        """Return the router 0, 1, ... of a node, or of an array of nodes.

        Raises:
            InputError: not integers, or not nodes.
        """
        if isinstance(nodes, int):
            return int(self._at_router(np.array([self._node(nodes)]))[0])
        array = checked_array("nodes", nodes)
        if array.size and not 0 <= int(array.min()) <= int(array.max()) < self.size:
            raise NodeError("nodes", f"must be nodes of {self.spec}, 0..{self.size - 1}", array)
        return self._at_router(array)

    def _at_router(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return nodes // self.per_node

    def vertex_name(self, vertex: int) -> str:
        """Return the name of a node or router of `graph()` in tables, or its number."""
        return str(vertex)

    @property
    def has_several_ports(self) -> bool:
        """Whether a node has ports at several routers, as a host with several adapters."""
        return False

    @property
    def joined(self) -> Ints:
        """(routers,): one number for all routers that nodes with several ports join."""
        return np.arange(self.routers)

    @property
    def host_slots(self) -> tuple[tuple[str, int], ...]:
        """Every host with its slots, in the order of the nodes; nothing if there are no names.

        >>> from lccmodel.network import Allocation, Mesh
        >>> Allocation(Mesh((2,)), [1, 0], ["n2", "n1"]).host_slots
        (('n2', 1), ('n1', 1))
        """
        slots: dict[str, int] = {}
        for name in self.names:
            slots[name] = slots.get(name, 0) + 1
        return tuple(slots.items())

    def whole(self, node: int, argument: str = "node") -> int:
        """Return the number that routes go by, of a node: another only for some nodes of a network.

        Raises:
            NodeError: not a node.
        """
        return self._node(node, argument)

    def name(self, node: int) -> str:
        """Return the name of a node, or its number if the network was read without names.

        Raises:
            NodeError: not a node.
        """
        return str(self._node(node))

    @property
    def first_router(self) -> int:
        """The number of router 0 in `graph()`: 0 where nodes and routers are one, else `size`."""
        return 0

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """What the links of each dimension or axis carry at a time; 1 unless stated."""
        return (Fraction(1),) * self.dimensions

    @property
    @abstractmethod
    def argument(self) -> Any:
        """What the network is made from: n, or the shape."""

    @property
    @abstractmethod
    def spec(self) -> str:
        """The network as one word, such as "cube:8"; `parse_network` reads it back."""

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """Number of dimensions (hypercubes), axes (mesh, torus) or levels of links (fat tree)."""

    @property
    @abstractmethod
    def n_channels(self) -> int:
        """Number of directed channels between routers."""

    @property
    @abstractmethod
    def diameter(self) -> int:
        """Largest distance between two nodes."""

    # -- nodes ----------------------------------------------------------------------------

    @abstractmethod
    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the coordinates of a node, dimension or axis 0 first."""

    @abstractmethod
    def node(self, coordinates: Any) -> int:
        """Return the node with the given coordinates; the inverse of `coordinates`."""

    @abstractmethod
    def neighbours(self, node: int) -> list[int]:
        """Return the nodes that an edge of `graph()` leads to, by ascending dimension or axis."""

    # -- paths ----------------------------------------------------------------------------

    def path(self, x: int, y: int, *, descending: bool = False) -> list[int]:
        """Return the nodes of `graph()` that a message from x to y visits, both ends included.

        Args:
            x, y: nodes, 0..size - 1.
            descending: correct the highest dimension (or axis) first instead of the lowest.

        Raises:
            NodeError: x or y is not a node.
            SizeLimitError: the path has more than 2^24 channels (mesh or torus only).
        """
        x, y = self._node(x, "x"), self._node(y, "y")
        length = self.distance(x, y)
        if length > MAX_LISTED_PATH:
            rule = f"a path is listed up to {MAX_LISTED_PATH} channels, to fit memory"
            raise SizeLimitError("distance", rule, length)
        return [x, *self._hops(x, y, descending)]

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """Return the directed channels of `path(x, y)`, in the order in which a message takes them.

        Ports between nodes and routers are left out.

        Raises:
            NodeError, SizeLimitError: as for `path`.
        """
        path = self.path(x, y, descending=descending)
        return list(pairwise(path[1:-1] if self.first_router else path))

    @abstractmethod
    def distance(self, x: int, y: int) -> int:
        """Return the number of channels between routers on the path from x to y."""

    @abstractmethod
    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        """The nodes of the path after x."""

    def _order(self, descending: bool) -> range:
        return range(self.dimensions)[::-1] if descending else range(self.dimensions)

    # -- explicit graph -------------------------------------------------------------------

    def graph(self) -> nx.DiGraph[int]:
        """Return the network as a directed graph with integer nodes.

        Every channel is an edge, with the attribute `dimension` on hypercubes, and `axis` and
        `sign` (+1, -1) on meshes and tori.

        Raises:
            SizeLimitError: more than 2^22 channels, which fill 1 to 2 GB.
        """
        import networkx as nx

        if self.n_channels > _MAX_GRAPH_CHANNELS:
            rule = f"an explicit graph has at most {_MAX_GRAPH_CHANNELS} channels (1 to 2 GB)"
            raise SizeLimitError(self.spec, rule, self.n_channels)
        graph: nx.DiGraph[int] = nx.DiGraph(name=self.spec)
        graph.add_nodes_from(self._graph_nodes())
        graph.add_edges_from(self._graph_edges())
        return graph

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        return ((node, {}) for node in range(self.size))

    @abstractmethod
    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]: ...

    # -- loads ----------------------------------------------------------------------------

    @property
    @abstractmethod
    def counter_shape(self) -> tuple[int, int]:
        """Rows and columns of `ChannelLoads.counts`."""

    @abstractmethod
    def row_dimension(self, row: int) -> int:
        """Return the dimension or axis of the channels that a row of counters holds."""

    def row_name(self, row: int) -> str:
        """Return the name of a row of counters in pictures, such as "axis 0 +" or "level 1 up".

        >>> from lccmodel.network import as_network
        >>> [as_network(word).row_name(1) for word in ("mesh:4x4", "fattree:2^3", "cube:3")]
        ['axis 0 −', 'level 0 down', '1']
        """
        return str(self.row_dimension(row))

    @property
    def column_name(self) -> str:
        """What a column of counters stands for in pictures."""
        return f"{'router' if self.first_router else 'node'} that the channel leaves"

    @abstractmethod
    def counter(self, u: int, v: int) -> tuple[int, int]:
        """Return row and column of the counter of the channel from u to v.

        Raises:
            NetworkError: no channel leads from u to v.
        """

    @abstractmethod
    def channel(self, row: int, column: int) -> Channel:
        """Return the channel that a counter belongs to; the inverse of `counter`.

        Raises:
            NetworkError: the counter belongs to no channel (at the border of a mesh).
        """

    @property
    def form(self) -> npt.NDArray[np.int64]:
        """The network as integers, as `network.routes` reads it; read-only.

        Raises:
            SizeLimitError: a class of your own with more than 2^20 pairs of nodes.
            NetworkError: channels that go one way only; nodes without a route to each other.
        """
        return read_only(self._kernel_form.copy())

    @property
    def _kernel_form(self) -> npt.NDArray[np.int64]:
        # not read-only: kernels would be compiled a second time for that type
        return listed_form(self)

    def _kernel_form_for(self, nodes: Ints) -> Ints:
        """The same for a job on some nodes, which routes between them have to join."""
        return self._kernel_form

    def channel_loads(
        self,
        traffic: Any,
        weights: Any = None,
        *,
        node_of: Any = None,
        descending: bool = False,
    ) -> ChannelLoads:
        """Return the exact load of every channel when all messages are sent.

        Args:
            traffic: a `Traffic`, whose volumes are counted; an `LCC`; an integer array of shape
                (m, 2), source and destination in each row; or anything else that describes one
                phase (`Traffic.of`). A message to its own node loads nothing; there may be fewer
                ranks than nodes.
            weights: m non-negative integers, what each message of an array adds to its channels;
                1 if left out.
            node_of: the node of every rank, integers; rank x is at node x if left out.
            descending: correct the highest dimension (or axis) first.

        Raises:
            CommunicationError: messages of another shape or type, or unfit weights.
            NetworkError: more ranks than nodes.
            NodeError: a source or destination outside the network.
            SizeLimitError: more than 2^29 counters (hypercube: n > 24), which fill 4 GiB.

        >>> from lccmodel.network import Hypercube
        >>> Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]]).per_dimension
        (1, 2)
        """
        self._check_counters()
        sent = self.sent(traffic, weights, node_of)
        return count_loads(self, sent.pairs, sent.weights, descending, sent.unit)

    def sent(self, traffic: Any, weights: Any = None, node_of: Any = None) -> Sent:
        """Return the messages of a traffic between nodes of this network; arguments as above.

        Returns: `pairs` (uint64, shape (m, 2)), integer `weights` or None, and their `unit`.
        """
        return read_sent(traffic, weights, node_of, self.size, self.spec, self.diameter)

    def _check_counters(self) -> None:
        rows, columns = self.counter_shape
        if rows * columns > MAX_COUNTERS:
            rule = f"exact loads take at most {MAX_COUNTERS} counters (4 GiB of int64)"
            raise SizeLimitError(self.spec, rule, rows * columns)

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array
    ) -> None:
        """Count all messages in `counts`, unsigned and zero before.

        Here one dimension after another, by `_count`, which is what most networks define.
        """
        count_by_dimension(self, pairs, weights, descending, counts)

    def _count(
        self, dimension: int, x: Words, y: Words, weights: Weights, descending: bool, counts: Array
    ) -> None:
        """Fill the rows of one dimension or axis of `counts`, which are zero before.

        Sources and destinations are routers. Called for several dimensions at the same time.
        """
        raise NotImplementedError("a network defines `_count` or `_count_all`")

    def messages_on(
        self, channel: Channel, messages: Any, *, node_of: Any = None, descending: bool = False
    ) -> npt.NDArray[np.int64]:
        """Return the messages that use a channel: rows of `messages`, ascending, int64.

        Raises:
            NetworkError: no such channel, or more ranks than nodes.
            CommunicationError: messages of another shape or type.
            NodeError: a source or destination outside the network.

        >>> from lccmodel.network import Hypercube
        >>> Hypercube(2).messages_on((1, 3), [[0, 3], [1, 3], [1, 2]]).tolist()
        [0, 1]
        """
        row, column = self.counter(*self._ends(channel))
        pairs = self.sent(messages, None, node_of).pairs
        used = self._uses(row, column, pairs[:, 0], pairs[:, 1], descending)
        return np.flatnonzero(used).astype(np.int64)

    @abstractmethod
    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        """Whether the message from x to y takes the channel, for arrays x and y."""

    # -- checks ---------------------------------------------------------------------------

    def _node(self, node: Any, argument: str = "node") -> int:
        return self._vertex(node, self.size - 1, "node", argument)

    def _vertex(self, node: Any, last: int, what: str, argument: str = "node") -> int:
        """The number 0..last of what `graph()` has."""
        try:
            number = operator.index(node)
        except TypeError:
            raise NodeError(argument, "must be an integer", node) from None
        if not 0 <= number <= last:
            raise NodeError(argument, f"must be a {what} of {self.spec}, 0..{last}", number)
        return number

    def _ends(self, channel: Any) -> Channel:
        try:
            u, v = channel
            return operator.index(u), operator.index(v)
        except (TypeError, ValueError):
            raise self._no_channel(channel) from None

    def _no_channel(self, value: object) -> NetworkError:
        return NetworkError("channel", f"must be a channel (u, v) of {self.spec}", value)

    # -- being a value --------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Network):
            return NotImplemented
        mine, theirs = (getattr(network, "_stated_hosts", None) for network in (self, other))
        return type(self) is type(other) and self._arguments == other._arguments and mine == theirs

    def __hash__(self) -> int:
        return hash((type(self), self._arguments, getattr(self, "_stated_hosts", None)))

    def __repr__(self) -> str:
        return f"{self._shown()}{self._hosts_call}"

    def _shown(self) -> str:
        return f"{type(self).__name__}({self.argument!r})"

    def __reduce__(self) -> tuple[object, ...]:
        made, arguments = self._made_from()
        if (stated := getattr(self, "_stated_hosts", None)) is None:
            return made, arguments
        return _with_hosts, (made, arguments, stated)

    def _made_from(self) -> tuple[Callable[..., Network], tuple[Any, ...]]:
        """What makes an equal network but for the ports of its hosts, and its arguments."""
        return type(self), self._arguments

    @property
    def _arguments(self) -> tuple[Any, ...]:
        """All arguments of the constructor."""
        return (self.argument,)


def _with_hosts(
    made: Callable[..., Network], arguments: tuple[Any, ...], stated: Fraction
) -> Network:
    return made(*arguments)._with_hosts(stated)


def _checked_hosts(bandwidth: Any) -> Fraction:
    """The bandwidth of a port, or 0.

    Raises:
        NetworkError: not a number of at least 0.
    """
    try:
        stated = as_fraction(bandwidth)
    except (TypeError, ValueError, ZeroDivisionError):
        stated = Fraction(-1)
    if isinstance(bandwidth, bool) or stated < 0:
        rule = "must be a positive number, the bandwidth of a host's port, or off (0)"
        raise NetworkError("hosts", rule, bandwidth)
    return stated


@lru_cache(8)
def _node_ports_of(network: Network) -> NodePorts:
    return network._node_ports()
