"""The routing functions by name.

The name "dimension-order" (or "e-cube") fits every network; the others are for the networks
that `lccmodel simulate --help` lists.
"""

from __future__ import annotations

from difflib import get_close_matches

from lccmodel.ground.arguments import typed_arguments
from lccmodel.network import Network, as_network
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
    DimensionOrder,
    DModK,
    MinimalMesh,
    NegativeFirst,
    RingClasses,
    SModK,
    TorusDimensionOrder,
    UnsafeTorus,
    table_of,
)

_CUBE: tuple[RoutingFunction, ...] = (
    ECube(),
    DescendingECube(),
    PCube(),
    MinimumRestriction(),
    FullyAdaptive(),
    *RECONSTRUCTED,
)
_MESH: tuple[RoutingFunction, ...] = (DimensionOrder(), NegativeFirst(), MinimalMesh())
_TORUS: tuple[RoutingFunction, ...] = (TorusDimensionOrder(), UnsafeTorus(), RingClasses())
_TREE: tuple[RoutingFunction, ...] = (DModK(), SModK())
_ALIASES = {
    "ecube": "e-cube",
    "pcube": "p-cube",
    "min": "minimum-restriction",
    "li": "minimum-restriction",
}
_GRID_NAMES = {"negative-first": "p-cube", "dimension-order-one-channel": "e-cube"}
"""The names of grids, on those whose sides are all 2."""


@typed_arguments
def routings(network: Network | str) -> tuple[RoutingFunction, ...]:
    """The routing functions that fit a network, the deterministic default first.

    Raises:
        NetworkError: not a network.

    >>> [routing.name for routing in routings("cube:3")][:3]
    ['e-cube', 'e-cube-descending', 'p-cube']
    """
    network = as_network(network).whole_network
    geometry, tree = network.geometry, network.geometry.tree
    if tree:
        return tuple(function for function in _TREE if function.name == tree.routing)
    on_grid = _CUBE if geometry.is_cube else _TORUS if any(geometry.rings) else _MESH
    grid = on_grid if geometry.is_grid else ()
    table = table_of(network)
    return grid if table is None else (*grid, ByTable(table.size if table.is_listed else 0))


@typed_arguments
def find_routing(routing: str | RoutingFunction, network: Network | str) -> RoutingFunction:
    """The routing function of that name for a network; a function is passed on.

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
        near = get_close_matches(word, known, 1)
        rule = f"must be one of {', '.join(known)} on {network.spec}"
        raise RoutingError(
            "routing", rule + (f"; did you mean {near[0]!r}?" if near else ""), routing
        )
    return known[word]
