"""Small networks settled: branch and bound over all placements.

Ranks are placed one after another, those that exchange most with the placed ones first. A
partial placement is given up when its own loads reach the best value known, when a rank's open
messages no longer fit through the channels of its router below that value, or when all routes,
with at least one channel for every open message, need more than all channels can hold.
The first rank is only tried on routers that no symmetry of the routes maps onto each other:
rings are turned, lines are reflected (rings are not: half way round, routes prefer one side).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from lccmodel.methods.placement.problem import Demand, objective_of, peaks
from lccmodel.methods.placement.routes import Routes, route

__all__ = ["Settled", "settle"]

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Settled:
    """The certificate of a search.

    Attributes:
        node_of: the best placement found, or the one that the search started from.
        value: its objective, in units.
        complete: whether every other placement was visited or refused by a bound.
        visited: partial placements looked at.
    """

    node_of: Integers
    value: int
    complete: bool
    visited: int


def settle(
    demand: Demand, routes: Routes, start: Integers, enough: int = 0, limit: int = 5_000_000
) -> Settled:
    """Search all placements for one better than `start`.

    Args:
        demand, routes: the problem.
        start: (ranks,), a placement.
        enough: a value that is known to be a lower bound; a placement that reaches it ends the
            search.
        limit: most partial placements; the same limit gives the same answer everywhere.
    """
    value = demand.value(demand.loads(start, routes), routes)
    if value <= enough or not len(demand.source):
        return Settled(start, value, True, 0)
    order = _order(demand)
    best = start.astype(np.int64).copy()
    out_starts, out_list, in_starts, in_list = _channels_at(routes)
    value, visited, complete = _branch(
        order,
        _first_routers(routes),
        best,
        value,
        enough,
        limit,
        *demand.messages,
        *demand.incidence,
        *routes.arguments,
        routes.cost,
        routes.longest,
        routes.dimension_of,
        routes.dimensions,
        float(routes.capacity),
        demand.rows,
        routes.numbers,
        demand.code,
        out_starts,
        out_list,
        in_starts,
        in_list,
    )
    return Settled(best, int(value), bool(complete), int(visited))


def _order(demand: Demand) -> Integers:
    """Ranks that send anything; next the one that exchanges most with those before."""
    W = np.zeros((demand.ranks, demand.ranks), np.int64)
    np.add.at(W, (demand.source, demand.destination), demand.volume)
    W += W.T
    total = W.sum(axis=1)
    order: list[int] = []
    left = set(np.flatnonzero(total).tolist())
    with_placed = np.zeros(demand.ranks, np.int64)
    while left:
        r = max(left, key=lambda one: (with_placed[one], total[one], -one))
        order.append(r)
        left.remove(r)
        with_placed += W[r]
    return np.array(order, np.int64)


def _first_routers(routes: Routes) -> Integers:
    """One router of every class that turning rings and reflecting lines leaves apart."""
    routers = np.arange(routes.routers)
    kept = np.ones(routes.routers, np.bool_)
    for stride, length, ring, _ in routes.axes.tolist():
        digit = routers // stride % length
        kept &= digit == 0 if ring else 2 * digit <= length - 1
    return routers[kept].astype(np.int64)


def _channels_at(routes: Routes) -> tuple[Integers, Integers, Integers, Integers]:
    """The channels that leave and that enter every router; empty for other networks."""
    lists = []
    for ends in (routes.tails, routes.heads):
        known = bool((ends[routes.real] >= 0).all()) and routes.ports == 1
        order = np.argsort(ends, kind="stable")
        order = order[ends[order] >= 0] if known else order[:0]
        lists += [np.searchsorted(ends[order], np.arange(routes.routers + 1)), order]
    return lists[0], lists[1], lists[2], lists[3]


@kernel
def _branch(
    order: Integers,
    roots: Integers,
    best: Integers,
    best_value: int,
    enough: int,
    limit: int,
    source: Integers,
    destination: Integers,
    row: Integers,
    volume: Integers,
    first: Integers,
    touching: Integers,
    size: Integers,
    axes: Integers,
    tree: Integers,
    cost: Integers,
    longest: int,
    dimension_of: Integers,
    dimensions: int,
    capacity: float,
    rows: int,
    numbers: int,
    code: int,
    out_starts: Integers,
    out_list: Integers,
    in_starts: Integers,
    in_list: Integers,
) -> tuple[int, int, bool]:
    """Depth first; `tried[k]` is the next router of the k-th rank. Changes `best`."""
    ranks, depth = best.size, order.size
    ports, routers = size[0], size[1]
    node_of = np.full(ranks, -1, np.int64)
    used = np.zeros(routers, np.int64)
    loads = np.zeros((rows, numbers), np.int64)
    sums = np.zeros(rows, np.int64)
    opened = np.zeros(rows, np.int64)
    for m in range(source.size):
        opened[row[m]] += volume[m]
    tried = np.zeros(depth + 1, np.int64)
    room = np.empty(longest + 1, np.int64)
    visited = 0
    k = 0
    while k >= 0:
        r = order[k]
        if node_of[r] >= 0:
            _shift(r, -1, node_of, source, destination, row, volume, first, touching,
                   size, axes, tree, cost, room, loads, sums, opened)  # fmt: skip
            used[node_of[r] // ports] -= 1
            node_of[r] = -1
        choices = roots.size if k == 0 else routers
        if tried[k] == choices:
            k -= 1
            continue
        at = roots[tried[k]] if k == 0 else tried[k]
        tried[k] += 1
        if used[at] == ports:
            continue
        visited += 1
        if visited > limit:
            return best_value, visited, False
        node_of[r] = at * ports + used[at]
        used[at] += 1
        _shift(r, 1, node_of, source, destination, row, volume, first, touching,
                   size, axes, tree, cost, room, loads, sums, opened)  # fmt: skip
        value = objective_of(peaks(loads, dimension_of, dimensions), code)
        if value >= best_value:
            continue
        if k + 1 == depth:
            best_value = value
            _complete(best, node_of, ports, routers)
            if best_value <= enough:
                return best_value, visited, True
            continue
        if ports == 1 and not tree.size and _is_hopeless(
            k, order, best_value, node_of, source, destination, row, volume, first, touching,
            rows, capacity, cost, loads, sums, opened, out_starts, out_list, in_starts, in_list,
        ):  # fmt: skip
            continue
        k += 1
        tried[k] = 0
    return best_value, visited, True


@kernel
def _shift(
    r: int,
    sign: int,
    node_of: Integers,
    source: Integers,
    destination: Integers,
    row: Integers,
    volume: Integers,
    first: Integers,
    touching: Integers,
    size: Integers,
    axes: Integers,
    tree: Integers,
    cost: Integers,
    room: Integers,
    loads: Integers,
    sums: Integers,
    opened: Integers,
) -> None:
    """Add (or take off) the messages between rank r and ranks that are placed."""
    for i in range(first[r], first[r + 1]):
        m = touching[i]
        x, y = node_of[source[m]], node_of[destination[m]]
        if x < 0 or y < 0:
            continue
        p, signed = row[m], sign * volume[m]
        hops = route(x, y, size, axes, tree, room)
        for h in range(hops):
            loads[p, room[h]] += signed * cost[room[h]]
        sums[p] += signed * hops
        opened[p] -= signed


@kernel
def _is_hopeless(
    k: int,
    order: Integers,
    best_value: int,
    node_of: Integers,
    source: Integers,
    destination: Integers,
    row: Integers,
    volume: Integers,
    first: Integers,
    touching: Integers,
    rows: int,
    capacity: float,
    cost: Integers,
    loads: Integers,
    sums: Integers,
    opened: Integers,
    out_starts: Integers,
    out_list: Integers,
    in_starts: Integers,
    in_list: Integers,
) -> bool:
    """Whether every channel would have to carry `best_value` or more, in all or at one router."""
    cap = best_value - 1
    for p in range(rows):
        if sums[p] + opened[p] > cap * capacity + 0.5:
            return True
    if out_list.size == 0 or in_list.size == 0:
        return False
    leaving = np.empty(rows, np.int64)
    entering = np.empty(rows, np.int64)
    for j in range(k + 1):
        r = order[j]
        leaving[:] = 0
        entering[:] = 0
        for i in range(first[r], first[r + 1]):
            m = touching[i]
            if source[m] == r and node_of[destination[m]] < 0:
                leaving[row[m]] += volume[m]
            elif destination[m] == r and node_of[source[m]] < 0:
                entering[row[m]] += volume[m]
        at = node_of[r]
        for p in range(rows):
            if leaving[p]:
                for i in range(out_starts[at], out_starts[at + 1]):
                    c = out_list[i]
                    leaving[p] -= (cap - loads[p, c]) // cost[c]
                if leaving[p] > 0:
                    return True
            if entering[p]:
                for i in range(in_starts[at], in_starts[at + 1]):
                    c = in_list[i]
                    entering[p] -= (cap - loads[p, c]) // cost[c]
                if entering[p] > 0:
                    return True
    return False


@kernel
def _complete(best: Integers, node_of: Integers, ports: int, routers: int) -> None:
    """Copy a placement; ranks that send nothing take the places that are left."""
    taken = np.zeros(routers * ports, np.bool_)
    for r in range(best.size):
        best[r] = node_of[r]
        if node_of[r] >= 0:
            taken[node_of[r]] = True
    place = 0
    for r in range(best.size):
        if best[r] < 0:
            while taken[place]:
                place += 1
            best[r] = place
            taken[place] = True
