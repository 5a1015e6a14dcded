"""Any network, by a table of its routes.

Routers 0..R-1 are joined by links; node x is at router `hosts[x]`, and several nodes, or none, may
be at a router. Links carry as much either way. Routes are given in one of two ways:

    next channels   entry (r, y): the link that a message bound for node y takes at router r
    lists           for every pair (x, y) of nodes the links of its route, one after another

The first is what switches hold (a forwarding table by destination), n R numbers of 32 bits; the
second takes routes of any kind, such as those that depend on the source. By hand, three routers in
a ring with a node each, links 0: 0->1, 1: 1->0, 2: 1->2, 3: 2->1, 4: 2->0, 5: 0->2:

    to node    0   1   2
    router 0   -   0   5
    router 1   1   -   2       from 1 to 0 over link 1
    router 2   4   3   -

Counters of loads have a row for every dimension and bandwidth of links, and a column for every
link of it. A second cable between the same two routers is a channel of its own, (u, v, 1).

Everything that a network has stands in `form`, where compiled kernels read it:

    TABLE, columns, 1 or where the nodes of a job stand, 1 if listed, nodes, where stand: routers
    of nodes, counters, heads, counters of the way back, the table; then these. The numbers of
    links in the table are packed, two in a word, the first in its low half
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, NodeError, checked_array, checked_index, checked_integers
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Flags, Ints, LongWords, Weights, read_only
from lccmodel.ground.numbers import number_text
from lccmodel.network.base import Network
from lccmodel.network.geometry import Geometry
from lccmodel.network.graphs import (
    Cabling,
    cabling_of,
    check_entries,
    in_order_of_axes,
    routes_by_function,
    routes_for,
    unread_attributes,
)
from lccmodel.network.grid_tables import grid_of
from lccmodel.network.loads import Cables, Channel
from lccmodel.network.wiring import NodePorts

_HEAD = 10


@typed_arguments
class RouteTable(Network):
    """A network whose routes are written out.

    Args:
        links: (L, 2), routers u and v of every directed link; each also goes back.
        routes: integers of shape (routers, nodes), the link to take at a router to a node (-1
            where no message comes by, as at its own router); or a sequence with the links of the
            route from x to y at x * nodes + y.
        hosts: (nodes,), the router of every node; a node at every router, in order, if left out.
        bandwidth: what every link carries at a time, positive; 1 if left out.
        dimension: of every link, 0, 1, ...: what kind it is, such as local or global; 0.
        names: of the nodes, such as host names; their numbers if left out. A name that is
            repeated, one after another, is a host with several slots.
        word: the network as one word; "table:R" if left out.
        levels: sizes of nested groups of nodes that are numbered one after another, smallest
            first, if there are such; a search may start from them.
        ports: for every node the routers of all its ports, that of `hosts` first, if some nodes
            have several; routes are lists then, and begin and end at any of them.
        partial: whether nodes may be without a route to each other, as in the parts of a forest;
            a job that has two such nodes is refused.
        notes: sentences on which results rest.
        router_names: of the routers, such as those of switches; their numbers if left out.
        port_bandwidths: for every node what each of its ports carries at a time, in the order of
            `ports`; 1 each if left out.

    Raises:
        NetworkError: a link that goes one way only, carries another amount back, or none; routes
            that take a link from elsewhere, go round in a loop, or do not arrive.
        SizeLimitError: a table of more than 2^28 entries.

    >>> ring = RouteTable([(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)],
    ...                   [[-1, 0, 5], [1, -1, 2], [4, 3, -1]])
    >>> ring.path(1, 0), ring.channel_loads([(1, 0), (2, 0), (1, 2)]).degree
    ([1, 0], 1)
    """

    __slots__ = (
        "_apart",
        "_cable",
        "_column",
        "_form",
        "_geometry",
        "_index",
        "_row",
        "bandwidths",
        "diameter",
        "hosts",
        "kinds",
        "levels",
        "links",
        "names",
        "notes",
        "port_bandwidths",
        "ports",
        "router_names",
        "routers",
        "spec",
    )

    kind = "table"
    links: Ints
    """(L, 2), routers u and v of every link."""
    hosts: Ints
    """(nodes,), the router of every node."""
    names: tuple[str, ...]
    """Names of the nodes, or nothing where they have numbers alone."""
    levels: tuple[int, ...]
    """Sizes of nested groups of nodes, smallest first, or nothing."""
    ports: tuple[tuple[int, ...], ...]
    """The routers of all ports of every node, or nothing if each has one port."""
    port_bandwidths: tuple[tuple[Fraction, ...], ...]
    """What all ports of every node carry at a time, or nothing if it is not stated."""
    notes: tuple[str, ...]
    """Sentences on which results rest, such as how a file was read."""
    routers: int
    """Number of routers, with nodes or without."""
    bandwidths: tuple[Fraction, ...]
    """What the links of each row of counters carry at a time."""
    kinds: tuple[int, ...]
    """The dimension that was stated for the links of each row of counters."""
    diameter: int
    """Channels of the longest route."""
    spec: str
    """The word that it was made with, such as "graph:cluster.graphml"."""
    router_names: tuple[str, ...]
    """Names of the routers, or nothing."""
    _apart: tuple[int, int] | None
    _cable: Ints
    _column: Ints
    _form: Ints
    _geometry: Geometry | None
    _index: dict[tuple[int, int, int], int]
    _row: Ints

    def __init__(
        self,
        links: Any,
        routes: Any,
        hosts: Any = None,
        bandwidth: Any = None,
        dimension: Any = None,
        names: Sequence[str] | None = None,
        word: str | None = None,
        levels: Sequence[int] = (),
        ports: Sequence[Sequence[int]] = (),
        partial: bool = False,
        notes: Sequence[str] = (),
        router_names: Sequence[str] = (),
        port_bandwidths: Sequence[Sequence[Any]] = (),
    ) -> None:
        ends = checked_array("links", links)
        if ends.size % 2 or (ends.size and ends.shape != (ends.size // 2, 2)):
            raise NetworkError("links", "must be pairs of routers, of shape (L, 2)", ends.shape)
        ends = ends.reshape(-1, 2).copy()  # the caller's own stays writable
        at = (
            checked_array(
                "hosts", np.arange(1 + int(ends.max(initial=0))) if hosts is None else hosts
            )
            .ravel()
            .copy()
        )
        if not len(at):
            raise NetworkError("hosts", "must have a node, at least", hosts)
        far = [max(own, default=0) for own in ports]
        routers = 1 + max(int(at.max()), int(ends.max(initial=0)), *far)
        if min(int(at.min()), int(ends.min(initial=0))) < 0:
            raise NetworkError("links", "must be of routers 0, 1, ...", ends.tolist())
        widths, kinds = _per_link(bandwidth, dimension, len(ends))
        rows, row = np.unique(_codes(kinds, widths), axis=0, return_inverse=True)
        row = row.reshape(-1).astype(np.int64)
        column = _within(row)
        columns = int(column.max(initial=0)) + 1
        cable = _within(ends[:, 0] * routers + ends[:, 1])
        keep = {
            "links": ends,
            "hosts": at,
            "names": checked_names(names, len(at)),
            "levels": tuple(levels),
            "_row": row,
            "_column": column,
            "_cable": cable,
            "routers": routers,
            "_index": {},
            "_geometry": None,
            "bandwidths": tuple(widths[int(np.flatnonzero(row == r)[0])] for r in range(len(rows)))
            or (Fraction(1),),
            "kinds": tuple(int(kind) for kind in rows[:, 0]) or (0,),
            "spec": word or f"table:{routers}",
            "notes": tuple(notes),
            "router_names": tuple(router_names),
        }  # fmt: skip
        own = _checked_ports(ports, at, routers)
        keep |= {"ports": own, "port_bandwidths": _checked_widths(port_bandwidths, own, len(at))}
        for name, value in keep.items():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, name, value)
        self._index.update(
            ((u, v, k), link) for link, ((u, v), k) in
            enumerate(zip(ends.tolist(), cable.tolist(), strict=True))
        )  # fmt: skip
        back = self._links_back()
        table, listed = _table(routes, routers, len(at), len(ends))
        counter = row * columns + column
        starts = np.cumsum([_HEAD, len(at), len(ends), len(ends), len(ends)])
        head = [_TABLE, columns, 1, int(listed), len(at), *starts.tolist()]
        parts = (head, at, counter, ends[:, 1], counter[back], table)
        form = np.concatenate(parts).astype(np.int64)
        object.__setattr__(self, "_form", form)
        longest, apart = self._checked(partial)
        object.__setattr__(self, "diameter", longest)
        object.__setattr__(self, "_apart", apart)

    @classmethod
    def from_graph(
        cls, graph: Any, routing: Any = "shortest", word: str | None = None
    ) -> RouteTable:
        """Return the network of a networkx graph, with routes by a rule or a function.

        Args:
            graph: `Graph`, `DiGraph` or one with several edges between two vertices (cables). A
                vertex is a node, unless attributes say otherwise: `role` is "node" or "router",
                or `hosts` is how many nodes a router has. Edges may have a `bandwidth`, and a
                `dimension` (or `axis`), for which loads are told apart.
            routing: "shortest", "shortest-first" or "updown" (see `network.graphs`); or a function
                of the graph and two vertices that gives the vertices of the route.
            word: the network as one word; "table:R" if left out.

        Raises:
            NetworkError: not a graph, one that is not connected, a link that goes one way only,
                a bandwidth that is not positive, or routes that the graph does not have.
            SizeLimitError: routers times nodes exceed 2^28.

        >>> import networkx as nx
        >>> ring = RouteTable.from_graph(nx.cycle_graph(5))
        >>> ring.path(0, 3), ring.diameter, ring.n_channels
        ([0, 4, 3], 2, 10)
        """
        cabling = cabling_of(graph)
        if routing == "shortest-first":
            cabling = in_order_of_axes(cabling)
        is_function = callable(routing)
        routes = (
            routes_by_function(graph, cabling, routing)
            if is_function
            else routes_for(cabling, routing)
        )
        return wired(cabling, routes, word, notes=unread_attributes(graph))

    # -- checks ---------------------------------------------------------------------------

    def _links_back(self) -> Ints:
        """The other direction of every link."""
        back = np.empty(len(self.links), np.int64)
        for (u, v, k), link in self._index.items():
            other = self._index.get((v, u, k))
            if u == v or other is None or self._row[other] != self._row[link]:
                rule = "must go both ways and carry as much either way, between two routers"
                raise NetworkError("links", rule, (u, v))
            back[link] = other
        return back

    def _checked(self, partial: bool) -> tuple[int, tuple[int, int] | None]:
        """The length of the longest route, and a router and a node without one, if there are.

        Raises:
            NetworkError: routes go round, take a link that is not there, or do not arrive.
        """
        from lccmodel.network.kernels import APART, check_lists, check_next

        fault = np.zeros(4, np.int64)
        fault[0] = -1
        links = np.ascontiguousarray(self.links)
        if self.is_listed:
            own = self.ports or tuple((router,) for router in self.hosts.tolist())
            first = np.cumsum([0, *map(len, own)]).astype(np.int64)
            flat = np.array([router for at in own for router in at], np.int64)
            form = self._form
            longest = check_lists(form, links, self.routers, partial, first, flat, fault)
        else:
            longest = check_next(self._form, links, self.routers, partial, fault)
        if longest < 0:
            rule = _FAULTS[int(fault[0])]
            where = f"from {self._told(int(fault[1]))} to node {self.name(int(fault[2]))}"
            raise NetworkError("routes", f"{rule}, {where}", int(fault[3]))
        apart = (int(fault[1]), int(fault[2])) if fault[0] == APART else None
        return int(longest), apart

    @property
    def _kernel_form(self) -> Ints:
        """The integers that kernels read; see the module.

        Raises:
            NetworkError: some nodes have no route to each other: a job has to be on one part.
        """
        if self._apart is not None:
            router, y = self._apart
            raise self._no_route(int(np.flatnonzero(self.hosts == router)[0]), y)
        return self._form

    def _kernel_form_for(self, nodes: Ints) -> Ints:
        """The same for a job on some nodes.

        Raises:
            NetworkError: two of them have no route to each other.
        """
        if self._apart is not None:
            for x in nodes.tolist():
                for y in nodes.tolist():
                    self.route(x, y)
        return self._form

    def _check_routes(self, pairs: Ints) -> None:
        """Refuse messages between nodes that have no route to each other."""
        for x, y in np.unique(pairs, axis=0).tolist() if self._apart is not None else ():
            self.route(x, y)

    def _no_route(self, x: int, y: int) -> NetworkError:
        rule = (
            f"{self.name(x)} and {self.name(y)} have no common switch: name the nodes of one part"
        )
        return NetworkError("nodes", rule, self.spec)

    def _told(self, router: int) -> str:
        here = np.flatnonzero(self.hosts == router)
        return f"router {router}" + (f" (that of node {self.name(int(here[0]))})" if len(here) else
                                     "")  # fmt: skip

    # -- size and shape -------------------------------------------------------------------

    @property
    def size(self) -> int:
        """Number of nodes."""
        return len(self.hosts)

    @property
    def first_router(self) -> int:
        """0 where node x is router x, else `size`."""
        direct = self.routers == self.size and bool((self.hosts == np.arange(self.size)).all())
        return 0 if direct else self.size

    @property
    def geometry(self) -> Geometry:
        """Axes where the routes are those of a grid, else the groups that were stated."""
        if self._geometry is None:
            grid = grid_of(self) or Geometry(groups=self.levels, word="dimension")
            object.__setattr__(self, "_geometry", grid)
            return grid
        return self._geometry

    def _cables(self) -> Cables:
        return self.links[:, 0], self.links[:, 1], self.counters, self._cable

    @property
    def is_listed(self) -> bool:
        """Whether every route is listed; else there is a next channel for every destination."""
        return bool(self._form[3])

    @property
    def argument(self) -> str:
        """The word."""
        return self.spec

    @property
    def dimensions(self) -> int:
        """Kinds of links: those of another dimension or bandwidth are another kind."""
        return len(self.bandwidths)

    @property
    def n_channels(self) -> int:
        """Number of directed links."""
        return len(self.links)

    # -- nodes ----------------------------------------------------------------------------

    def name(self, node: int) -> str:
        """Return the name of a node, or its number.

        Raises:
            NodeError: not a node.
        """
        return self.names[self._node(node)] if self.names else str(self._node(node))

    def vertex_name(self, vertex: int) -> str:
        """Return the name of a router, or its number in `graph()`."""
        router = vertex - self.first_router
        return self.router_names[router] if self.router_names else str(vertex)

    @property
    def has_several_ports(self) -> bool:
        """Whether a node has ports at several routers."""
        return bool(self.ports)

    def _at_router(self, nodes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(self.hosts[nodes])

    def _node_ports(self) -> NodePorts:
        routers = self.ports or self.hosts[:, None].tolist()
        width: Fraction = getattr(self, "_stated_hosts", None) or Fraction(1)
        stated = [[width] * len(own) for own in routers] if width != 1 else []
        return NodePorts.of(routers, self.port_bandwidths or stated)

    def coordinates(self, node: int) -> tuple[int, ...]:
        """Return the router of a node, and its place there.

        Raises:
            NodeError: not a node.
        """
        node = self._node(node)
        router = int(self.hosts[node])
        return router, int(np.count_nonzero(self.hosts[:node] == router))

    def node(self, coordinates: Any) -> int:
        """Return the node at a router and place.

        Raises:
            NodeError: there is none.
        """
        numbers = checked_integers("coordinates", coordinates, NodeError)
        here = np.flatnonzero(self.hosts == (numbers[0] if len(numbers) == 2 else -1))
        if not (len(here) and 0 <= numbers[1] < len(here)):
            raise NodeError("coordinates", "must be a router and a place there", coordinates)
        return int(here[numbers[1]])

    def neighbours(self, node: int) -> list[int]:
        """Return what links or ports lead to, of a node or of a router as in `graph()`.

        Raises:
            NodeError: neither.
        """
        base = self.first_router
        number = self._vertex(node, base + self.routers - 1, "node or router")
        if number < base:
            return [base + router for router in self._ports(number)]
        own = [x for x in range(self.size) if number - base in self._ports(x)] if base else []
        beside = self.links[self.links[:, 0] == number - base, 1].tolist()
        return [*own, *dict.fromkeys(base + v for v in beside)]

    # -- paths ----------------------------------------------------------------------------

    def _ports(self, node: int) -> tuple[int, ...]:
        return self.ports[node] if self.ports else (int(self.hosts[node]),)

    @property
    def joined(self) -> Ints:
        """(routers,): one number for all routers that nodes with several ports join.

        A cut of the network never separates routers of one number, since such a node has a port
        on either side.
        """
        number = np.arange(self.routers)
        for ports in self.ports:
            for router in ports[1:]:
                number[number == number[router]] = number[ports[0]]
        return number

    def route(self, x: int, y: int) -> list[int]:
        """Return the links of the route from node x to node y, by their numbers in `links`.

        Raises:
            NodeError: x or y is not a node.
            NetworkError: no route leads from x to y.
        """
        x, y = self._node(x, "x"), self._node(y, "y")
        if x == y:
            return []
        if self.is_listed:
            pair = int(self._form[9]) + x * self.size + y
            begin, end = self._form[pair : pair + 2].tolist()
            listed = int(self._form[9]) + self.size**2 + 1
            if begin == end and not {*self._ports(x)} & {*self._ports(y)}:
                raise self._no_route(x, y)
            return [self._packed(listed, i) for i in range(begin, end)]
        here, goal, links = int(self.hosts[x]), int(self.hosts[y]), []
        while here != goal:
            link = self._packed(int(self._form[9]), here * self.size + y)
            if link == _NO_LINK:
                raise self._no_route(x, y)
            links.append(link)
            here = int(self.links[link, 1])
        return links

    def next_link(self, router: int, y: int) -> int:
        """Return the link that a message bound for node y takes at a router; not for listed routes.

        Raises:
            InputError: no such router or node; NetworkError: routes are listed.
        """
        router, y = checked_index("router", router, self.routers), self._node(y, "y")
        if self.is_listed:
            raise NetworkError("network", "must have a table, not lists of routes", self.spec)
        return self._packed(int(self._form[9]), router * self.size + y)

    def _packed(self, start: int, index: int) -> int:
        return int(self._form[start + (index >> 1)] >> 32 * (index & 1) & 0xFFFFFFFF)

    def distance(self, x: int, y: int) -> int:
        """Return the number of links of the route from x to y.

        Raises:
            NodeError: x or y is not a node.
        """
        return len(self.route(x, y))

    def channels(self, x: int, y: int, *, descending: bool = False) -> list[Channel]:
        """Return the links of the route from x to y, as channels.

        Raises:
            NodeError: x or y is not a node.
            NetworkError: `descending`, which says nothing here.
        """
        self.one_way(descending)
        return [self._channel(link) for link in self.route(x, y)]

    def _hops(self, x: int, y: int, descending: bool) -> Iterator[int]:
        self.one_way(descending)
        if x == y:
            return
        base, route = self.first_router, self.route(x, y)
        if base:
            common = [router for router in self._ports(x) if router in self._ports(y)]
            yield base + int(self.links[route[0], 0] if route else common[0])
        for link in route:
            yield base + int(self.links[link, 1])
        if base:
            yield y

    def one_way(self, descending: bool) -> None:
        """Refuse an order of dimensions.

        Raises:
            NetworkError: it is descending.
        """
        if descending:
            rule = f"there is no order of dimensions on {self.spec}: its routes are in a table"
            raise NetworkError("routing", rule, "descending")

    def _graph_nodes(self) -> Iterator[tuple[int, dict[str, Any]]]:
        base = self.first_router
        for x in range(self.size):
            name = {"name": self.names[x]} if self.names else {}
            yield x, {"role": "node", **name} if base else name
        if base:
            yield from ((base + r, {"role": "router"}) for r in range(self.routers))

    def _graph_edges(self) -> Iterator[tuple[int, int, dict[str, Any]]]:
        base = self.first_router
        for x in range(self.size if base else 0):
            for router in self._ports(x):
                yield x, base + router, {"role": "port"}
                yield base + router, x, {"role": "port"}
        role = {"role": "channel"} if base else {}
        for link, (u, v) in enumerate(self.links.tolist()):
            width = self.bandwidths[self._row[link]]
            kind = self.kinds[self._row[link]]
            yield base + u, base + v, {**role, "dimension": kind, "bandwidth": width}

    # -- loads ----------------------------------------------------------------------------

    @property
    def counter_shape(self) -> tuple[int, int]:
        """A row for every kind of links, a column for every link of it."""
        return len(self.bandwidths), int(self._form[1])

    @property
    def counters(self) -> Ints:
        """(L,), row * columns + column of every link."""
        return read_only(self._row * int(self._form[1]) + self._column)

    @property
    def cables(self) -> Ints:
        """(L,), 0, or k for the k-th further link between the same two routers."""
        return self._cable

    def row_dimension(self, row: int) -> int:
        """Return the row."""
        return row

    def row_name(self, row: int) -> str:
        """Return the stated dimension of its links, and their bandwidth unless it is 1."""
        width = self.bandwidths[row]
        return f"{self.kinds[row]}" + (f", ×{number_text(width)}" if width != 1 else "")

    @property
    def column_name(self) -> str:
        """Links of a row are numbered in their order."""
        return "link, by the router that it leaves"

    def _channel(self, link: int) -> Channel:
        base, cable = self.first_router, int(self._cable[link])
        u, v = (self.links[link] + base).tolist()
        return (u, v, cable) if cable else (u, v)  # type: ignore[return-value]  # of two numbers

    def channel(self, row: int, column: int) -> Channel:
        """Return the channel of a counter: (u, v), or (u, v, k) for the k-th further cable.

        Raises:
            NetworkError: none does.
        """
        places = np.flatnonzero((self._row == row) & (self._column == column))
        if not len(places):
            raise self._no_channel(f"row {row}, column {column}")
        return self._channel(int(places[0]))

    def counter(self, u: int, v: int, cable: int = 0) -> tuple[int, int]:
        """Return row and column of the channel from router u to v, as numbered in the graph.

        Raises:
            NetworkError: no channel leads from u to v.
        """
        base = self.first_router
        u, v = self._ends((u, v))
        link = self._index.get((u - base, v - base, cable))
        if link is None:
            raise self._no_channel((u, v))
        return int(self._row[link]), int(self._column[link])

    def _ends(self, channel: Any) -> Any:
        try:
            return tuple(operator.index(part) for part in channel)
        except TypeError:
            raise self._no_channel(channel) from None

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array
    ) -> None:
        self.one_way(descending)
        from lccmodel.network.routes import count_routes

        weight = np.ones(1, np.int64) if weights is None else weights
        if len(pairs):
            ends = np.ascontiguousarray(pairs).astype(np.int64)
            self._check_routes(ends)
            count_routes(self._form, self.diameter, ends, weight, counts.reshape(-1))

    def _uses(self, row: int, column: int, x: LongWords, y: LongWords, descending: bool) -> Flags:
        self.one_way(descending)
        from lccmodel.network.routes import crosses

        pairs = np.stack([x, y], axis=1).astype(np.int64)
        self._check_routes(pairs)
        return crosses(self._form, self.diameter, pairs, row * int(self._form[1]) + column)

    # -- being a value --------------------------------------------------------------------

    def _made_from(self) -> tuple[Callable[..., Network], tuple[Any, ...]]:
        return RouteTable, self._arguments  # equal to it, also of a subclass

    @property
    def is_table(self) -> bool:
        """Whether links and routes are stated one by one: always."""
        return True

    @property
    def has_stated_ports(self) -> bool:
        """Whether the network, or a file of it, states the bandwidths of its nodes' ports."""
        return bool(self.port_bandwidths) or self.spec.startswith("graph:")

    def _with_hosts(self, stated: Fraction | None) -> Self:
        made = super()._with_hosts(stated)
        plain = self.spec.removesuffix(self._hosts_option)
        return made._replaced(spec=plain + made._hosts_option)

    @property
    def _arguments(self) -> tuple[Any, ...]:
        widths = [self.bandwidths[row] for row in self._row.tolist()]
        kinds = [self.kinds[row] for row in self._row.tolist()]
        if self.is_listed:
            begin, end = int(self._form[9]), int(self._form[9]) + self.size**2 + 1
            first = self._form[begin:end]
            packed = self._form[end:].astype("<i8").view("<i4")
            routes: Any = first, packed[: first[-1]]
        else:
            packed = self._form[int(self._form[9]) :].astype("<i8").view("<i4")
            routes = packed[: self.routers * self.size].reshape(self.routers, -1)
        return (
            self.links, routes, self.hosts, widths, kinds, self.names or None,
            self.spec.removesuffix(self._hosts_option),
            self.levels, self.ports, self._apart is not None, self.notes, self.router_names,
            self.port_bandwidths,
        )  # fmt: skip

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RouteTable):
            return NotImplemented if not isinstance(other, Network) else False
        mine, theirs = (
            (table.bandwidths, table.kinds, table.names, table.spec, table.ports,
             table.port_bandwidths)
            for table in (self, other)
        )  # fmt: skip
        return mine == theirs and np.array_equal(self._form, other._form)

    def __hash__(self) -> int:
        return hash((self.spec, self.size, self.routers, len(self.links), self.diameter))

    def __repr__(self) -> str:
        shape = f"{self.size} nodes, {self.routers} routers, {len(self.links)} links"
        return f"<{type(self).__name__} {self.spec}: {shape}>"


def wired(
    cabling: Cabling,
    routes: Any,
    word: str | None = None,
    levels: Sequence[int] = (),
    notes: Sequence[str] = (),
    partial: bool = False,
) -> RouteTable:
    """The network of routers, links and nodes with these routes."""
    return RouteTable(
        cabling.links, routes, cabling.hosts, cabling.bandwidth, cabling.dimension, cabling.names,
        word, levels, cabling.ports, partial, notes,
        cabling.router_names, cabling.port_widths,
    )  # fmt: skip


_NO_LINK = 0xFFFFFFFF
"""-1 as 32 bits without a sign."""

_TABLE = 3
"""`kernels.TABLE`, which is there only where kernels are."""

_FAULTS = (
    "must take links that leave the router",
    "must not go round in a loop",
    "must lead to every node (is the graph connected?)",
    "must end at the router of the node",
)


def _per_link(bandwidth: Any, dimension: Any, many: int) -> tuple[list[Fraction], list[int]]:
    """Bandwidth and dimension of every link.

    Raises:
        NetworkError: not a positive finite number, or not an integer, for each.
    """
    from lccmodel.ground.numbers import as_fraction

    rule = f"must be {many} positive finite numbers, one a link"
    try:
        seen: dict[Any, Fraction] = {}
        widths = [Fraction(1)] * many if bandwidth is None else [
            seen[number] if number in seen else seen.setdefault(number, as_fraction(number))
            for number in bandwidth
        ]  # fmt: skip
    except (TypeError, ValueError, ZeroDivisionError):
        raise NetworkError("bandwidth", rule, bandwidth) from None
    if len(widths) != many:
        raise NetworkError("bandwidth", rule, len(widths))
    if min(widths, default=Fraction(1)) <= 0:
        raise NetworkError("bandwidth", rule, str(min(widths)))
    kinds = [0] * many if dimension is None else list(checked_integers("dimension", dimension))
    if len(kinds) != many:
        raise NetworkError("dimension", f"must be {many} integers, one a link", len(kinds))
    return widths, kinds


def _codes(kinds: list[int], widths: list[Fraction]) -> Ints:
    """Dimension, and place of the bandwidth among all, of every link; (L, 2)."""
    order = {width: k for k, width in enumerate(sorted(set(widths)))}
    return np.array([(k, order[w]) for k, w in zip(kinds, widths, strict=True)], np.int64).reshape(
        -1, 2
    )


def _within(group: Ints) -> Ints:
    """How many equal entries stand before each.

    >>> _within(np.array([5, 7, 5, 5, 7])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group[order])
    positions = np.empty(len(group), np.int64)
    positions[order] = np.arange(len(group)) - first
    return positions


def checked_names(names: Sequence[str] | None, nodes: int, in_runs: bool = True) -> tuple[str, ...]:
    """Names of nodes, none where they are None; nodes of one name are slots of one host.

    Args:
        names: of the nodes.
        nodes: how many.
        in_runs: whether the slots of a host have to be one after another.

    Raises:
        NetworkError: another number of names, or a name that is repeated after another one.
    """
    if names is None:
        return ()
    texts = tuple(map(str, names))
    hosts = [name for name, _ in groupby(texts)]
    if len(texts) != nodes or (in_runs and len(set(hosts)) < len(hosts)):
        rule = f"must be {nodes} names, one a node; slots of a host are one after another"
        raise NetworkError("names", rule, names)
    return texts


def _checked_ports(
    ports: Sequence[Sequence[int]], at: Ints, routers: int
) -> tuple[tuple[int, ...], ...]:
    """The ports of every node; none where each has one.

    Raises:
        NetworkError: not one entry a node, of different routers with that of `hosts` first.
    """
    if not len(ports):
        return ()
    known = tuple(tuple(checked_integers("ports", own, NetworkError)) for own in ports)
    fits = len(known) == len(at) and all(
        own[:1] == (router,) and len(set(own)) == len(own) and 0 <= min(own) <= max(own) < routers
        for own, router in zip(known, at.tolist(), strict=True)
    )
    if not fits:
        rule = f"must be {len(at)} lists of different routers, that of `hosts` first"
        raise NetworkError("ports", rule, ports)
    return known if any(len(own) > 1 for own in known) else ()


def _checked_widths(
    widths: Sequence[Sequence[Any]], ports: Sequence[Sequence[int]], nodes: int
) -> tuple[tuple[Fraction, ...], ...]:
    """The bandwidths of the ports of every node.

    Raises:
        NetworkError: not one positive finite number a port.
    """
    if not len(widths):
        return ()
    counts = [len(own) for own in ports] or [1] * nodes
    if [len(own) for own in widths] != counts:
        rule = "must be a bandwidth for every port of every node"
        raise NetworkError("port_bandwidths", rule, widths)
    try:
        flat, _ = _per_link([width for own in widths for width in own], None, sum(counts))
    except NetworkError as error:
        rule = "must be positive finite numbers, one a port"
        raise NetworkError("port_bandwidths", rule, error.value) from None
    each = iter(flat)
    return tuple(tuple(next(each) for _ in range(count)) for count in counts)


def _table(routes: Any, routers: int, nodes: int, links: int) -> tuple[Ints, bool]:
    """The table as it stands in the form, and whether it lists routes.

    Raises:
        NetworkError: neither a table nor lists; SizeLimitError: a larger one.
    """
    if isinstance(routes, tuple) and [np.shape(part) for part in routes[:1]] == [(nodes**2 + 1,)]:
        first, flat = (checked_array("routes", part) for part in routes)  # begins, and all links
        if first[0] or first[-1] != len(flat) or bool((np.diff(first) < 0).any()):
            raise NetworkError("routes", "must begin at ascending places of the list", first)
        check_entries(max(len(flat), 2 * len(first)))
        _check_numbers(flat, links)
        return np.concatenate([first, _pack(flat)]), True
    known = isinstance(routes, (list, tuple)) and len(routes) == nodes * nodes
    if known and not np.size(routes[0]):  # the route from a node to itself
        first = np.cumsum([0, *map(len, routes)])
        flat = np.array([link for route in routes for link in route], np.int64)
        return _table((first, flat), routers, nodes, links)
    table = checked_array("routes", routes)
    if table.shape != (routers, nodes):
        rule = f"must be of shape ({routers}, {nodes}), routers and nodes, or {nodes}² lists"
        raise NetworkError("routes", rule, table.shape)
    check_entries(table.size)
    _check_numbers(table, links)
    return _pack(table.ravel()), False


def _check_numbers(numbers: Ints, links: int) -> None:
    if numbers.size and not -1 <= int(numbers.min()) <= int(numbers.max()) < links:
        wrong = numbers[(numbers < -1) | (numbers >= links)]
        raise NetworkError("routes", f"must be numbers of links, 0..{links - 1}", int(wrong[0]))


def _pack(numbers: Ints) -> Ints:
    """Numbers below 2^32, two in a word; -1 as 2^32 - 1."""
    even = np.zeros(len(numbers) + len(numbers) % 2, "<i4")
    even[: len(numbers)] = numbers
    return even.view("<i8").astype(np.int64)
