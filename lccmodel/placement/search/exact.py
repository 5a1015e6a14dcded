"""The best of all placements on a small network, by branch and bound.

Ranks are placed one after another, those that exchange most with the placed ones first. A
partial placement is given up when its own loads reach the best value known, when a rank's open
messages no longer fit through the channels of its router below that value, or when all routes,
with at least one channel for every open message, need more than all channels can hold.
The first rank is only tried on routers that no symmetry of the routes maps onto each other:
rings are turned, lines are reflected (rings are not: half way round, routes prefer one side). Where
ties are split, a ring is turned by even steps, and c goes to 1 - c: that reaches every router, too.

Of placements that are alike because ranks may change places, only one of each kind is tried. An
automorphism g of the traffic renames ranks so that every pair exchanges what it did; then the
placement p(g(r)) has the loads of p. Of all these, the one with the least routers of the ranks
b_0, b_1, ... , compared one after another, has for every k

    p(b_k) <= p(c)    for all c = g(b_k), where g leaves b_0 .. b_(k-1) alone,

so a search need look at no other [J.-F. Puget, "Symmetry breaking revisited", CP 2002]. Of these
only the last k of each c is needed: the others follow. Rank b_0 is left out here: where it stands
is narrowed by the symmetries of the routes, and both at once would leave too little.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import kernel
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import write_route
from lccmodel.placement.search.problem import Aim, Demand, Edges, value_of
from lccmodel.placement.search.routes import Routes, Ways

_SLICE = 50_000
"""Partial placements between two looks at the clock: some hundredths of a second."""

_ROOM = 1 << 62

_LARGEST_PARTS = 1 << 20
"""Largest denominator of the capacity: a rest below it times the capacity stays an integer."""


@dataclass(frozen=True)
class Settled:
    """The certificate of a search.

    Attributes:
        node_of: the best placement found, or the one that the search started from.
        value: its objective, in units.
        complete: whether every other placement was visited or refused by a bound.
        visited: partial placements looked at.
    """

    node_of: Ints
    value: int
    complete: bool
    visited: int


def settle(
    demand: Demand,
    routes: Routes,
    start: Ints,
    enough: int = 0,
    limit: int = 5_000_000,
    between: Callable[[Ints], None] = lambda best: None,
) -> Settled:
    """Search all placements for one better than `start`.

    Args:
        demand, routes: the problem.
        start: (ranks,), a placement.
        enough: a value that is known to be a lower bound; a placement that reaches it ends the
            search.
        limit: most partial placements; the same limit gives the same answer everywhere.
        between: called with the best placement between two slices of the search; may raise.
    """
    value = demand.value(demand.loads(start, routes), routes)
    if value <= enough or not len(demand.source):
        return Settled(start, value, True, 0)
    order = _order(demand)
    best = start.astype(np.int64).copy()
    partial = _nothing_placed(demand, routes, len(order))
    tree = Tree(
        order, not_below(demand, order), routes.unlike, demand.aim, enough,
        *_rounded_up(routes.capacity), *_channels_at(routes),
    )  # fmt: skip
    partial.counts[1] = value
    while not partial.counts[3] and partial.counts[2] < limit:
        upto = min(limit, int(partial.counts[2]) + _SLICE)
        _branch(partial, best, tree, demand.edges, routes.ways, upto)
        between(best)
    _, value, visited, complete = partial.counts.tolist()
    return Settled(best, value, bool(complete), visited)


class Tree(NamedTuple):
    """What stays the same all through a search.

    order: ranks as they are placed; below: see `symmetry.not_below`; roots: routers for the first;
    `enough`: see `settle`; capacity / parts: what all channels carry, or a little more; lists of
    the channels that leave and enter each router.
    """

    order: Ints
    below: Ints
    roots: Ints
    aim: Aim
    enough: int
    capacity: int
    parts: int
    out_starts: Ints
    out_list: Ints
    in_starts: Ints
    in_list: Ints


class Partial(NamedTuple):
    """A partial placement and where its search stands; all of it changed in place.

    node_of: (ranks,), -1 if not placed; used: ranks at a router; loads: (rows, channel numbers);
    sums: (rows,), volume times distance; opened: (rows,), volume not yet routed; tried: the next
    router of the k-th rank; counts: k, best value, partial placements visited, 1 if complete.
    """

    node_of: Ints
    used: Ints
    loads: Ints
    sums: Ints
    opened: Ints
    tried: Ints
    counts: Ints


def _nothing_placed(demand: Demand, routes: Routes, depth: int) -> Partial:
    return Partial(
        np.full(demand.ranks, -1, np.int64),
        np.zeros(routes.routers, np.int64),
        np.zeros((demand.rows, routes.numbers), np.int64),
        np.zeros(demand.rows, np.int64),
        np.bincount(demand.row, demand.volume, demand.rows).astype(np.int64),
        np.zeros(depth, np.int64),
        np.zeros(4, np.int64),
    )


def _order(demand: Demand) -> Ints:
    """Ranks that send anything; next the one that exchanges most with those before."""
    W = np.zeros((demand.ranks, demand.ranks), np.int64)
    np.add.at(W, (demand.source, demand.destination), demand.volume)
    W += W.T
    total = W.sum(axis=1)
    order: list[int] = []
    left = set(np.flatnonzero(total).tolist())
    with_placed = np.zeros(demand.ranks, np.int64)
    while left:
        r = max(left, key=lambda rank: (with_placed[rank], total[rank], -rank))
        order.append(r)
        left.remove(r)
        with_placed += W[r]
    return np.array(order, np.int64)


def _rounded_up(capacity: Fraction) -> tuple[int, int]:
    """Numerator and denominator of a fraction that is not less, small enough for products."""
    if capacity.denominator <= _LARGEST_PARTS:
        return capacity.numerator, capacity.denominator
    return ceil(capacity * _LARGEST_PARTS), _LARGEST_PARTS


def _channels_at(routes: Routes) -> tuple[Ints, Ints, Ints, Ints]:
    """The channels that leave and that enter every router; empty for other networks."""
    lists = []
    for ends in (routes.tails, routes.heads):
        known = bool((ends[routes.real] >= 0).all()) and routes.ports == 1
        order = np.argsort(ends, kind="stable")
        order = order[ends[order] >= 0] if known else order[:0]
        lists += [np.searchsorted(ends[order], np.arange(routes.routers + 1)), order]
    return lists[0], lists[1], lists[2], lists[3]


@kernel
def _branch(partial: Partial, best: Ints, tree: Tree, edges: Edges, ways: Ways, upto: int) -> None:
    """Depth first, until so many partial placements are visited. Changes `partial` and `best`."""
    node_of, used, loads, _, _, tried, counts = partial
    order, ports, routers = tree.order, ways.ports, ways.routers
    room = np.empty(ways.longest + 1, np.int64)
    k, best_value, visited = counts[0], counts[1], counts[2]
    complete = True
    while k >= 0:
        r = order[k]
        if node_of[r] >= 0:
            _shift(r, -1, partial, edges, ways, room)
            used[node_of[r] // ports] -= 1
            node_of[r] = -1
        if visited >= upto:
            complete = False
            break
        choices = tree.roots.size if k == 0 else routers
        if tried[k] == choices:
            k -= 1
            continue
        if tree.below[k] >= 0:
            tried[k] = max(tried[k], node_of[order[tree.below[k]]] // ports)
        at = tree.roots[tried[k]] if k == 0 else tried[k]
        tried[k] += 1
        if used[at] == ports:
            continue
        visited += 1
        node_of[r] = at * ports + used[at]
        used[at] += 1
        _shift(r, 1, partial, edges, ways, room)
        value = value_of(loads, ways, tree.aim)
        if value >= best_value:
            continue
        if k + 1 == order.size:
            best_value = value
            _complete(best, node_of, ports, routers)
            if best_value <= tree.enough:
                break
            continue
        direct = ports == 1 and ways.axes.shape[0] > 0 and tree.aim.hops == 0
        if direct and _is_hopeless(k, best_value, partial, tree, edges, ways):
            continue
        k += 1
        tried[k] = 0
    counts[0], counts[1], counts[2], counts[3] = k, best_value, visited, complete


@kernel
def _shift(r: int, sign: int, partial: Partial, edges: Edges, ways: Ways, room: Ints) -> None:
    """Add (or take off) the messages between rank r and ranks that are placed."""
    node_of, cost = partial.node_of, ways.cost
    for i in range(edges.first[r], edges.first[r + 1]):
        m = edges.touching[i]
        x, y = node_of[edges.source[m]], node_of[edges.destination[m]]
        if x < 0 or y < 0:
            continue
        p, signed = edges.row[m], sign * edges.volume[m]
        hops = write_route(ways.form, x, y, PLUS, room, ways.back)
        for h in range(hops):
            partial.loads[p, room[h]] += signed * cost[room[h]]
        partial.sums[p] += signed * hops
        partial.opened[p] -= signed


@kernel
def _is_hopeless(
    k: int, best_value: int, partial: Partial, tree: Tree, edges: Edges, ways: Ways
) -> bool:
    """Whether every channel would have to carry `best_value` or more, in all or at one router."""
    node_of, loads = partial.node_of, partial.loads
    rows = loads.shape[0]
    cap = best_value - 1
    whole, rest = cap // tree.parts, cap % tree.parts
    room = np.iinfo(np.int64).max
    if whole < _ROOM // tree.capacity:
        room = whole * tree.capacity + rest * tree.capacity // tree.parts
    for p in range(rows):
        if partial.sums[p] + partial.opened[p] > room:
            return True
    if tree.out_list.size == 0 or tree.in_list.size == 0:
        return False
    leaving = np.empty(rows, np.int64)
    entering = np.empty(rows, np.int64)
    for j in range(k + 1):
        r = tree.order[j]
        leaving[:] = 0
        entering[:] = 0
        for i in range(edges.first[r], edges.first[r + 1]):
            m = edges.touching[i]
            if edges.source[m] == r and node_of[edges.destination[m]] < 0:
                leaving[edges.row[m]] += edges.volume[m]
            elif edges.destination[m] == r and node_of[edges.source[m]] < 0:
                entering[edges.row[m]] += edges.volume[m]
        at = node_of[r]
        for p in range(rows):
            starts, channels = tree.out_starts, tree.out_list
            if _is_too_much(leaving[p], cap, p, starts[at], starts[at + 1], channels, loads, ways):
                return True
            starts, channels = tree.in_starts, tree.in_list
            if _is_too_much(entering[p], cap, p, starts[at], starts[at + 1], channels, loads, ways):
                return True
    return False


@kernel
def _is_too_much(
    volume: int, cap: int, p: int, begin: int, end: int, channels: Ints, loads: Ints,
    ways: Ways,
) -> bool:  # fmt: skip
    """Whether a volume does not fit through some channels below the cap."""
    if volume <= 0:
        return False
    for i in range(begin, end):
        c = channels[i]
        volume -= (cap - loads[p, c]) // ways.cost[c]
    return volume > 0


@kernel
def _complete(best: Ints, node_of: Ints, ports: int, routers: int) -> None:
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


# -- what is alike ---------------------------------------------------------------------------------

_MOST_STEPS = 20_000
"""Images tried for one automorphism; where it is not found by then, more placements are tried."""


def not_below(demand: Demand, order: Ints) -> Ints:
    """For every place k of an order of ranks the place whose router rank order[k] may not go below.

    Args:
        demand: what ranks send.
        order: all ranks that send or receive anything.

    Returns: places (len(order),), each below its own; -1 where nothing is asked.

    >>> from lccmodel.communication import Program
    >>> from lccmodel.placement.search.problem import demand_of
    >>> from lccmodel.placement.search.routes import Routes
    >>> from lccmodel.network import parse_network
    >>> star = Program.of([(0, 1), (0, 2), (0, 3)])
    >>> demand = demand_of(star, "joint", None, Routes.of(parse_network("cube:2")))
    >>> not_below(demand, np.arange(4)).tolist()
    [-1, -1, 1, 2]
    """
    sent = np.zeros((demand.rows, demand.ranks, demand.ranks), np.int64)
    np.add.at(sent, (demand.row, demand.source, demand.destination), demand.volume)
    sent = sent[:, order][:, :, order]
    below = np.full(len(order), -1, np.int64)
    for k in range(1, len(order)):
        orbit = {k}
        for c in range(k + 1, len(order)):
            if c not in orbit:
                image = _automorphism(sent, k, c)
                if image is not None:
                    orbit = _closed(orbit, image)
        below[sorted(orbit - {k})] = k
    return below


def _closed(orbit: set[int], image: Ints) -> set[int]:
    """The orbit with all that an automorphism, again and again, makes of its members."""
    closed = set(orbit)
    for member in orbit:
        at = int(image[member])
        while at not in closed:
            closed.add(at)
            at = int(image[at])
    return closed


def _automorphism(sent: Ints, k: int, c: int) -> Ints | None:
    """Images of all places, those before k being left alone and k going to c; None if none."""
    size = sent.shape[1]
    image = np.arange(size)
    tried = np.zeros(size, np.int64)
    image[k] = c
    if not _fits(sent, image, k):
        return None
    at, steps = k + 1, 0
    tried[at:] = k
    while k < at < size:
        steps += 1
        if steps > _MOST_STEPS:
            return None
        candidate = int(tried[at])
        if candidate == size:
            tried[at] = k
            at -= 1
            continue
        tried[at] += 1
        image[at] = candidate
        if candidate not in image[k:at] and _fits(sent, image, at):
            at += 1
    return image if at == size else None


def _fits(sent: Ints, image: Ints, at: int) -> bool:
    """Whether place `at` and all before it exchange what their images do."""
    before, moved = slice(0, at + 1), image[: at + 1]
    to = image[at]
    return bool(
        (sent[:, at, before] == sent[:, to, moved]).all()
        and (sent[:, before, at] == sent[:, moved, to]).all()
    )
