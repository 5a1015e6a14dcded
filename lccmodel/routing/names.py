"""The routing functions by name.

The name "dimension-order" (or "e-cube") fits every network; the others are for the networks
that `lccmodel simulate --help` lists.
"""

from __future__ import annotations

from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import word_rule
from lccmodel.network import Network, as_network
from lccmodel.routing.adaptive import Adaptive
from lccmodel.routing.cubes import (
    RECONSTRUCTED,
    DescendingECube,
    ECube,
    FullyAdaptive,
    MinimumRestriction,
    PCube,
)
from lccmodel.routing.function import RoutingError, RoutingFunction
from lccmodel.routing.grids import (
    ByTable,
    DescendingOrder,
    DimensionOrder,
    DModK,
    MinimalMesh,
    NegativeFirst,
    RingClasses,
    SModK,
    TorusDescendingOrder,
    TorusDimensionOrder,
    UnsafeTorus,
    table_of,
)
from lccmodel.routing.per_message import MessageRouting

_CUBE: tuple[RoutingFunction, ...] = (
    ECube(),
    DescendingECube(),
    PCube(),
    MinimumRestriction(),
    FullyAdaptive(),
    *RECONSTRUCTED,
)
_MESH: tuple[RoutingFunction, ...] = (
    DimensionOrder(),
    DescendingOrder(),
    NegativeFirst(),
    MinimalMesh(),
)
_TORUS: tuple[RoutingFunction, ...] = (
    TorusDimensionOrder(),
    TorusDescendingOrder(),
    UnsafeTorus(),
    RingClasses(),
)
_TREE: tuple[RoutingFunction, ...] = (DModK(), SModK())
_ALIASES = {
    "ecube": "e-cube",
    "pcube": "p-cube",
    "min": "minimum-restriction",
    "li": "minimum-restriction",
}
_GRID_NAMES = {
    "negative-first": "p-cube",
    "dimension-order-one-channel": "e-cube",
    "dimension-order-descending": "e-cube-descending",
}
"""The names of grids, on those whose sides are all 2."""


@typed_arguments
def routings(network: Network | str) -> tuple[RoutingFunction, ...]:
    """Return the routing functions that fit a network, the deterministic default first.

    Raises:
        NetworkError: not a network.

    >>> [routing.name for routing in routings("cube:3")][:3]
    ['e-cube', 'e-cube-descending', 'p-cube']
    """
    network = as_network(network).whole_network
    geometry, tree = network.geometry, network.geometry.tree
    plain: tuple[RoutingFunction, ...] = ()
    per_message: tuple[RoutingFunction, ...] = ()
    if tree:
        plain = tuple(function for function in _TREE if function.name == tree.routing)
    elif geometry.is_grid:
        plain = _CUBE if geometry.is_cube else _TORUS if any(geometry.rings) else _MESH
        orders = plain[0], plain[1]
        romm = "to a router drawn between, then on: two legs in order of the axes"
        xy_yx = "axis 0 first or axis 0 last, drawn for every message"
        per_message = (
            Adaptive(plain[0]),
            MessageRouting("romm", romm, (plain[0], plain[0]), "router between"),
            MessageRouting("xy-yx", xy_yx, orders, "order"),
        )
    if not tree and (table := table_of(network)) is not None:
        plain = (*plain, ByTable(table.size if table.is_listed else 0))
    valiant = "to a router drawn among all, then on [Valiant and Brebner]"
    last = MessageRouting("valiant", valiant, (plain[0], plain[0]), "any router")
    return (*plain, *per_message, last)


@typed_arguments
def find_routing(routing: str | RoutingFunction, network: Network | str) -> RoutingFunction:
    """Return the routing function of that name for a network; a function is passed on.

    Raises:
        RoutingError: an unknown name; the nearest is suggested.

    >>> find_routing("dimension-order", "cube:3").name
    'e-cube'
    """
    network = as_network(network)
    if not isinstance(routing, str):
        if not isinstance(routing, RoutingFunction):
            raise RoutingError("routing", "must be a name or a routing function", routing)
        return routing
    known = {function.name: function for function in routings(network)}
    word = routing.strip().lower().replace("_", "-")
    word = _ALIASES.get(word, word)
    if network.whole_network.geometry.is_cube:
        word = _GRID_NAMES.get(word, word)
    if word in ("e-cube", "dimension-order"):
        word = next(iter(known))
    if word not in known:
        raise RoutingError("routing", word_rule(word, known, f" on {network.spec}"), routing)
    return known[word]
