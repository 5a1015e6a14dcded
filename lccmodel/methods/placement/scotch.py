"""Scotch's static mapping as a start of the search and as a peer, where `pyscotch` is installed.

Scotch [Pellegrini] minimises volume times distance; it knows no routes and no busiest channel.
Its graph has one edge for every pair of ranks, with what goes either way; its architecture is
the hypercube, mesh or torus of the routers. Where it puts more ranks on a router than fit, the
last ones go to the nearest free places.
"""

from __future__ import annotations

from contextlib import redirect_stderr
from io import StringIO
from typing import Any

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.methods.placement.problem import Demand
from lccmodel.methods.placement.routes import Routes

__all__ = ["scotch_placement"]


_LARGEST_WEIGHT = 1 << 24
"""Edge weights are scaled below this: Scotch adds them up in 32 bits."""


def scotch_placement(demand: Demand, routes: Routes) -> Ints | None:
    """A place for every rank; None without `pyscotch` or for a network it has no word for."""
    if not len(demand.source) or demand.ranks < 2:
        return None
    try:
        with redirect_stderr(StringIO()):  # it announces itself
            import pyscotch

            architecture = _architecture(routes)
            if architecture is None:
                return None
            pyscotch.random_reset()
            router_of = _graph(demand).map(architecture)
    except ImportError:
        return None
    return _fitted(np.asarray(router_of, np.int64), routes)


def _architecture(routes: Routes) -> Any:
    from pyscotch import Architecture

    lengths = [int(n) for n in routes.axes[:, 1] if n > 1]
    rings = {bool(ring) for _, n, ring in routes.axes.tolist() if n > 2}
    found = Architecture()
    if not lengths:
        return None
    if set(lengths) == {2}:
        found.hypercube(len(lengths))
        return found
    if len(lengths) > 3 or len(rings) > 1:
        return None
    lengths += [1] * (2 - len(lengths))
    kind = "torus" if True in rings else "mesh"
    getattr(found, f"{kind}{len(lengths)}d")(*lengths)
    return found


def _graph(demand: Demand) -> Any:
    from pyscotch import Graph

    low = np.minimum(demand.source, demand.destination)
    high = np.maximum(demand.source, demand.destination)
    keys, place = np.unique(low * demand.ranks + high, return_inverse=True)
    weight = np.bincount(place, demand.volume, len(keys))
    scaled = np.ceil(weight * min(1.0, _LARGEST_WEIGHT / weight.sum())).astype(np.int64)
    edges = np.stack([keys // demand.ranks, keys % demand.ranks], axis=1)
    return Graph.from_edges(
        [(int(u), int(v)) for u, v in edges],
        num_vertices=demand.ranks,
        edge_weights=scaled.tolist(),
    )


def _fitted(router_of: Ints, routes: Routes) -> Ints:
    """Places at the routers; ranks that do not fit go to the nearest router with room."""
    free = np.full(routes.routers, routes.ports, np.int64)
    places = np.full(len(router_of), -1, np.int64)
    late = []
    for rank, router in enumerate(router_of.tolist()):
        if free[router]:
            free[router] -= 1
            places[rank] = router * routes.ports + free[router]
        else:
            late.append(rank)
    for rank in late:
        distance = np.where(
            free > 0, routes.distances_from(int(router_of[rank])), np.iinfo(np.int32).max
        )
        router = int(distance.argmin())
        free[router] -= 1
        places[rank] = router * routes.ports + free[router]
    return places
