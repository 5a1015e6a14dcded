"""Routing functions of all networks but cubes: meshes, tori, fat trees, tables of routes.

On a torus a ring of channels closes a cycle of waiting messages, so every link has two virtual
channels [Dally and Seitz]: a message that still has to pass the wrap-around link of its ring uses
channel 0, one that does not uses channel 1. Channel 0 is never used past the wrap-around link,
channel 1 never on it, so neither closes the ring.

Where a network states its routing itself, the way follows from more than the router a header is
bound for; `tag` gives it, and `to` holds both (see `routing_table`):

    a table of routes    the destination; where every route is listed, the source, too
    a fat tree           a name, the destination's or the source's, for the way up: hosts of one
                         leaf switch are reached by different ways
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from lccmodel.network import Network, RouteTable
from lccmodel.network.plain import plain_network
from lccmodel.network.ring_direction import PLUS, SPLIT, goes_plus
from lccmodel.routing.fabric import Fabric
from lccmodel.routing.function import Provenance, RoutingError


@dataclass(frozen=True)
class _Published:
    name: ClassVar[str]
    about: ClassVar[str]
    virtual_channels: ClassVar[int] = 1
    provenance: ClassVar[Provenance] = "published"


class _GridRouting(_Published):
    on_torus: ClassVar[bool] = False

    def check(self, fabric: Fabric) -> None:
        """Meshes, or tori."""
        geometry = fabric.geometry
        if not geometry.is_grid or any(geometry.rings) != self.on_torus:
            rule = f"{self.name} is for {'tori' if self.on_torus else 'meshes'}"
            raise RoutingError("routing", rule, fabric.network.whole_network.spec)


def _moves(fabric: Fabric, at: int, to: int, tie: int = PLUS) -> Iterator[tuple[int, int, bool]]:
    """For every axis that is not done: (sign, next router, whether the way wraps around)."""
    stride, grid = 1, fabric.geometry
    for length, rule in zip(grid.sides, grid.ring_rules, strict=True):
        here, goal = at // stride % length, to // stride % length
        if here != goal:
            ahead, own = (goal - here) % length, max(tie, rule - 1)
            plus = goes_plus(ahead, length, here, goal, own) if rule else goal > here
            sign = 1 if plus else -1
            wraps = sign * (goal - here) < 0
            yield sign, at + ((here + sign) % length - here) * stride, wraps
        stride *= length


class DimensionOrder(_GridRouting):
    """One axis after the other, axis 0 first, on a mesh.

    >>> from lccmodel.network import Mesh
    >>> fabric = Fabric(Mesh((4, 4)))
    >>> [fabric.name(c) for c in DimensionOrder().outputs(fabric, 0, 15, -1)]
    ['0->1']
    """

    name = "dimension-order"
    about = "one axis after the other, axis 0 first"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done."""
        _, following, _ = next(_moves(fabric, at, to))
        return [fabric.channel(at, following)]


class DescendingOrder(_GridRouting):
    """One axis after the other, the last axis first, on a mesh."""

    name = "dimension-order-descending"
    about = "one axis after the other, the last axis first"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the highest axis that is not done."""
        *_, (_, following, _) = _moves(fabric, at, to)
        return [fabric.channel(at, following)]


class NegativeFirst(_GridRouting):
    """On a mesh: moves in the - directions in any order, then the + directions (turn model).

    >>> from lccmodel.network import Mesh
    >>> fabric = Fabric(Mesh((4, 4)))
    >>> [fabric.name(c) for c in NegativeFirst().outputs(fabric, 5, 2, -1)]
    ['5->1']
    """

    name = "negative-first"
    about = "- directions in any order, then + directions: the turn model of Glass and Ni"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channels in - directions, or when there is none those in + directions."""
        moves = list(_moves(fabric, at, to))
        first = [move for move in moves if move[0] < 0] or moves
        return [fabric.channel(at, following) for _, following, _ in first]


class MinimalMesh(_GridRouting):
    """On a mesh: every shortest path; messages can deadlock."""

    name = "fully-adaptive"
    about = "every shortest path; messages can deadlock"

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channels along every axis that is not done."""
        return [fabric.channel(at, following) for _, following, _ in _moves(fabric, at, to)]


class TorusDimensionOrder(_GridRouting):
    """On a torus: one axis after the other, the shorter way round, with two virtual channels.

    >>> from lccmodel.network import Torus
    >>> fabric = Fabric(Torus((8,)), virtual_channels=2)
    >>> [fabric.name(c) for c in TorusDimensionOrder().outputs(fabric, 6, 1, -1)]
    ['6->7:0']
    """

    name = "dimension-order"
    about = "one axis after the other; virtual channel 0 before the wrap-around link [Dally, Seitz]"
    virtual_channels = 2
    on_torus = True

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done."""
        _, following, wraps = next(_moves(fabric, at, to))
        return [fabric.channel(at, following, 0 if wraps else 1)]


class TorusDescendingOrder(_GridRouting):
    """On a torus: as dimension order, the last axis first."""

    name = "dimension-order-descending"
    about = "one axis after the other, the last axis first; virtual channels as dimension-order"
    virtual_channels = 2
    on_torus = True

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the highest axis that is not done."""
        *_, (_, following, wraps) = _moves(fabric, at, to)
        return [fabric.channel(at, following, 0 if wraps else 1)]


class RingClasses(_GridRouting):
    """On a torus: as dimension order, but a message keeps its virtual channel all round a ring.

    Ways that wrap around in the + direction use channel 1, those that do not channel 0; in the
    - direction it is the other way about, as in BookSim 2's dim_order. Half a ring is gone in the
    + direction from even coordinates and in the - direction from odd ones, where BookSim draws
    lots. Ways that wrap around end before the middle of the ring, so neither channel closes it.

    >>> from lccmodel.network import Torus
    >>> fabric = Fabric(Torus((8,)), virtual_channels=2)
    >>> [fabric.name(RingClasses().outputs(fabric, *ends, -1)[0]) for ends in ((6, 1), (3, 7))]
    ['6->7:1', '3->2:0']
    """

    name = "ring-classes"
    about = "one axis after the other; a virtual channel for ways that wrap around; ties split"
    virtual_channels = 2
    on_torus = True

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel along the lowest axis that is not done; on a ring as it was begun."""
        _, following, wraps = next(_moves(fabric, at, to, SPLIT))
        if arrived >= 0:
            virtual = arrived % fabric.virtual_channels
            axis = fabric.dimension[fabric.channel(at, following) // fabric.virtual_channels]
            if fabric.dimension[arrived // fabric.virtual_channels] == axis:
                return [fabric.channel(at, following, virtual)]
        plus = next(_moves(fabric, at, to, SPLIT))[0] > 0
        return [fabric.channel(at, following, int(wraps == plus))]


class UnsafeTorus(DimensionOrder):
    """On a torus with one channel a link: rings of waiting messages deadlock."""

    name = "dimension-order-one-channel"
    about = "one axis after the other with one channel a link; messages can deadlock"
    on_torus = True


@dataclass(frozen=True)
class ByTable(_Published):
    """The routes of the network itself.

    Attributes:
        nodes: how many there are, where every route is listed; else 0.

    >>> from lccmodel.network import RouteTable
    >>> import networkx as nx
    >>> fabric = Fabric(RouteTable.from_graph(nx.path_graph(3)))
    >>> [fabric.name(c) for c in ByTable().outputs(fabric, 1, 2 + 3 * 2, -1)]
    ['1->2']
    """

    nodes: int = 0

    name: ClassVar[str] = "table"
    about: ClassVar[str] = "the routes of the network's own table"
    provenance: ClassVar[Provenance] = "user"

    def check(self, fabric: Fabric) -> None:
        """Networks whose routes are a table."""
        if table_of(fabric.network.whole_network) is None:
            rule = "is for networks with a table of routes, such as dragonfly:2,4,2 or graph:FILE"
            raise RoutingError("routing", f"{self.name} {rule}", fabric.network.spec)

    def tag(self, x: int, y: int) -> int:
        """What the route follows from: the destination, or both nodes as one number."""
        return x * self.nodes + y

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel of the route."""
        table = table_of(fabric.network.whole_network)
        assert table is not None
        y = to // fabric.routers
        if self.nodes:
            x, y = divmod(y, self.nodes)
            link = next(number for number in table.route(x, y) if int(table.links[number, 0]) == at)
        else:
            link = table.next_link(at, y)
        u, v = table.links[link].tolist()
        return [fabric.channel(u, v, cable=int(table.cables[link]))]


def table_of(network: Network) -> RouteTable | None:
    """A whole network as a table of its routes, if it is nothing plainer or was made as one."""
    table = network if isinstance(network, RouteTable) else plain_network(network)
    return table if isinstance(table, RouteTable) else None


class _TreeRouting(_Published):
    by_source: ClassVar[bool]

    def check(self, fabric: Fabric) -> None:
        """Fat trees that are routed by this name."""
        tree = fabric.geometry.tree
        if tree is None or tree.routing != self.name:
            rule = f"{self.name} is for fat trees that state it, as fattree:4^3,routing={self.name}"
            raise RoutingError("routing", rule, fabric.network.whole_network.spec)

    def tag(self, x: int, y: int) -> int:
        """The name that the message from host x to host y is routed by."""
        return x if self.by_source else y

    def outputs(self, fabric: Fabric, at: int, to: int, arrived: int) -> Sequence[int]:
        """The channel to the next switch of the path."""
        tree: Any = fabric.network.whole_network
        name, leaf = divmod(to, fabric.routers)
        following = tree.next_switch(at + tree.size, leaf * tree.per_node, name) - tree.size
        return [fabric.channel(at, following)]


class DModK(_TreeRouting):
    """Up by the digits of the destination; the way down is then the only one."""

    name = "d-mod-k"
    about = "up by the digits of the destination, then down"
    by_source = False


class SModK(_TreeRouting):
    """Up by the digits of the source; the way down is then the only one."""

    name = "s-mod-k"
    about = "up by the digits of the source, then down"
    by_source = True
