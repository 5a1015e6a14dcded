"""Scotch's static mapping as a start of the search and as a peer, where `pyscotch` is installed.

Scotch [Pellegrini] minimises volume times distance; it knows no routes and no busiest channel.
Its graph has one edge for every pair of ranks, with what goes either way; its architecture is
the hypercube, mesh or torus of the routers, or the tree whose leaves are the hosts, its links the
dearer the fewer there are for the hosts below; of listed places a decomposition in halves (`deco`)
with all their distances. Where it puts more ranks on a router than fit, the
last ones go to the nearest free places.

It runs in one thread, with a seed of its own: the same seed gives the same mapping.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.methods.placement.clusters import by_two
from lccmodel.methods.placement.problem import Demand
from lccmodel.methods.placement.routes import Routes

_THREADS = "SCOTCH_PTHREAD_NUMBER"

_DETERMINISTIC = 0
"""Scotch's number of the option that no answer may depend on threads."""

_MOST_DECOMPOSED = 2048
"""Most listed places whose distances Scotch is given."""

_LARGEST_WEIGHT = 1 << 24
"""Edge weights are scaled below this: Scotch adds them up in 32 bits."""


def scotch_placement(demand: Demand, routes: Routes, seed: int = 0) -> Ints | None:
    """A place for every rank; None without `pyscotch` or for a network it has no word for."""
    if not len(demand.source) or demand.ranks < 2:
        return None
    try:
        with redirect_stderr(StringIO()), _one_thread():  # it announces itself
            from pyscotch import Context

            architecture = _architecture(routes)
            if architecture is None:
                return None
            graph = _graph(demand)
            with Context() as context:
                context.option_set(_DETERMINISTIC, 1)
                context.random_seed(seed)
                context.random_reset()
                with context.bind_graph(graph) as bound:
                    router_of = bound.map(architecture)
    except ImportError:
        return None
    return _fitted(np.asarray(router_of, np.int64), routes)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Scotch reads the number of its threads from the environment."""
    before = os.environ.get(_THREADS)
    os.environ[_THREADS] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_THREADS]
        else:
            os.environ[_THREADS] = before


def _architecture(routes: Routes) -> Any:
    from pyscotch import Architecture

    if routes.listed:
        return _decomposed(routes) if 1 < routes.places <= _MOST_DECOMPOSED else None
    if len(routes.tree):
        tree = Architecture()
        sizes, links = _levels(routes)
        tree.tree_leaf(len(sizes), sizes, links)
        return tree
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


def _decomposed(routes: Routes) -> Any:
    """Listed places, cut in halves down to single ones, as Scotch reads them from a file."""
    from pyscotch import Architecture

    number = np.ones(routes.places, np.int64)
    parts = [np.arange(routes.places)]
    while parts:
        part = parts.pop()
        if len(part) > 1:
            order, many = by_two(routes, part)
            for half, one in enumerate((order[:many], order[many:])):
                number[one] = 2 * number[one] + half
                parts.append(one)
    away = np.maximum(routes.distance + routes.distance.T, 1)
    lines = [f"deco\t0\n{routes.places}\t{number.max()}"]
    lines += [f"{place}\t1\t{one}" for place, one in enumerate(number.tolist())]
    lines += [" ".join(map(str, away[place, :place].tolist())) for place in range(1, len(away))]
    with TemporaryDirectory() as folder:
        file = Path(folder, "network.tgt")
        file.write_text("\n".join(lines) + "\n")
        found = Architecture()
        found.load(file)
    return found


def _levels(routes: Routes) -> tuple[Ints, Ints]:
    """Of a fat tree, from the root: branches at a switch, and what a link below it costs.

    A link costs the hosts below it, so many for each of the links that they share.
    """
    levels = int(routes.tree[3])
    hosts = [1, *(int(routes.tree[3 + 2 * level]) for level in range(1, levels)), routes.routers]
    links = [1, *(int(routes.tree[4 + 2 * level]) for level in range(1, levels))]
    found = [
        (above // below, max(1, below // up))
        for below, above, up in zip(hosts[:-1], hosts[1:], links, strict=True)
        if above > below
    ]
    sizes, costs = np.array(found[::-1], np.int64).reshape(-1, 2).T
    return np.ascontiguousarray(sizes), np.ascontiguousarray(costs)


def _graph(demand: Demand) -> Any:
    """One edge a pair of ranks, from arrays: a list of edges takes longer than the mapping."""
    from pyscotch import Graph

    low = np.minimum(demand.source, demand.destination)
    high = np.maximum(demand.source, demand.destination)
    keys, place = np.unique(low * demand.ranks + high, return_inverse=True)
    weight = np.bincount(place, demand.volume, len(keys))
    scaled = np.ceil(weight * min(1.0, _LARGEST_WEIGHT / weight.sum())).astype(np.int64)
    low, high = keys // demand.ranks, keys % demand.ranks
    ends, others = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((others, ends))
    first = np.searchsorted(ends[order], np.arange(demand.ranks + 1))
    graph = Graph()
    graph.build(first, others[order], edlotab=np.concatenate([scaled, scaled])[order])
    return graph


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
