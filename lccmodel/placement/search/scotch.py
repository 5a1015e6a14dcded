"""Scotch's static mapping as a start of the search and as a peer, where `pyscotch` is installed.

Scotch [Pellegrini] minimises volume times distance; it knows no routes and no busiest channel.
Its graph has one edge for every pair of ranks, with what goes either way; its architecture is
the hypercube, mesh or torus of the routers, or the tree whose leaves are the hosts, its links the
dearer the fewer there are for the hosts below; of listed places a decomposition in halves (`deco`)
with all their distances. Where it puts more ranks on a router than fit, the
last ones go to the nearest free places.

Scotch runs in a process of its own (`scotch_process.py`): it takes its threads from the
environment, prints, and is not made for several threads of one process. There it has one thread
and seeds of its own, so that the same seed gives the same mapping, whatever else runs.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.placement.search import scotch_process
from lccmodel.placement.search.clusters import by_two
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes

_MOST_DECOMPOSED = 2048
"""Most listed places whose distances Scotch is given."""

_LARGEST_WEIGHT = 1 << 24
"""Edge weights are scaled below this: Scotch adds them up in 32 bits."""


def scotch_placement(demand: Demand, routes: Routes, seed: int = 0) -> Ints | None:
    """A place for every rank; None without `pyscotch` or for a network it has no word for."""
    return next(iter(scotch_placements(demand, routes, [seed])), None)


def scotch_placements(demand: Demand, routes: Routes, seeds: Sequence[int]) -> list[Ints]:
    """A place for every rank for each seed, by one process.

    The list is empty without messages, without `pyscotch`, for a network that Scotch has no word
    for, and if Scotch or its process fails.
    """
    if not len(demand.source) or demand.ranks < 2 or not sys.executable:
        return []
    architecture = _architecture(routes)
    if architecture is None or find_spec("pyscotch") is None:
        return []
    first, others, weights = _graph(demand)
    problem = {
        "path": sys.path,
        "architecture": architecture,
        "first": first,
        "others": others,
        "weights": weights,
        "seeds": [int(seed) for seed in seeds],
    }
    command = [sys.executable, "-I", scotch_process.__file__]
    try:
        run = subprocess.run(command, input=pickle.dumps(problem), capture_output=True, check=False)
    except OSError:  # no more processes, or no memory for one
        return []
    if run.returncode or len(run.stdout) != 8 * demand.ranks * len(seeds):
        return []
    rows = np.frombuffer(run.stdout, "<i8").astype(np.int64).reshape(len(seeds), demand.ranks)
    return [_fitted(row, routes) for row in rows]


def _architecture(routes: Routes) -> tuple[Any, ...] | None:
    """A method of `pyscotch.Architecture` and its arguments."""
    if routes.listed:
        return _decomposed(routes) if 1 < routes.places <= _MOST_DECOMPOSED else None
    if len(routes.tree):
        sizes, links = _levels(routes)
        return "tree_leaf", len(sizes), sizes, links
    lengths = [int(n) for n in routes.axes[:, 1] if n > 1]
    rings = {bool(ring) for _, n, ring in routes.axes.tolist() if n > 2}
    if not lengths:
        return None
    if set(lengths) == {2}:
        return "hypercube", len(lengths)
    if len(lengths) > 3 or len(rings) > 1:
        return None
    lengths += [1] * (2 - len(lengths))
    kind = "torus" if True in rings else "mesh"
    return f"{kind}{len(lengths)}d", *lengths


def _decomposed(routes: Routes) -> tuple[str, str]:
    """Listed places, cut in halves down to single ones, as Scotch reads them from a file."""
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
    return "load", "\n".join(lines) + "\n"


def _levels(routes: Routes) -> tuple[Ints, Ints]:
    """Of a fat tree, from the root: branches at a switch, and what a link below it costs.

    A link costs the hosts below it, so many for each of the links that they share.
    """
    levels = int(routes.tree[3])
    hosts = [1, *(int(routes.tree[3 + 2 * level]) for level in range(1, levels)), routes.routers]
    links = [1, *(int(routes.tree[4 + 2 * level]) for level in range(1, levels))]
    pairs = [
        (above // below, max(1, below // up))
        for below, above, up in zip(hosts[:-1], hosts[1:], links, strict=True)
        if above > below
    ]
    sizes, costs = np.array(pairs[::-1], np.int64).reshape(-1, 2).T
    return np.ascontiguousarray(sizes), np.ascontiguousarray(costs)


def _graph(demand: Demand) -> tuple[Ints, Ints, Ints]:
    """Where each rank's edges begin, their other ends and weights: one edge for each pair."""
    low = np.minimum(demand.source, demand.destination)
    high = np.maximum(demand.source, demand.destination)
    keys, place = np.unique(low * demand.ranks + high, return_inverse=True)
    weight = np.bincount(place, demand.volume, len(keys))
    scaled = np.ceil(weight * min(1.0, _LARGEST_WEIGHT / weight.sum())).astype(np.int64)
    low, high = keys // demand.ranks, keys % demand.ranks
    ends, others = np.concatenate([low, high]), np.concatenate([high, low])
    order = np.lexsort((others, ends))
    first = np.searchsorted(ends[order], np.arange(demand.ranks + 1))
    return first, others[order], np.concatenate([scaled, scaled])[order]


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
