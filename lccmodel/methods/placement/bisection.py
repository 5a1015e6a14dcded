"""A placement by cuts: ranks in two halves that exchange little, for the two halves of a network.

A box of routers is cut across its longest axis, the hosts below a switch into two groups of lower
switches, listed places into those near one and those near another that is far from it, and so on
down to one router. Its ranks are cut to go with it: in the order in which they
are reached from one that is far out, then by exchanges of two ranks that lessen what is cut, as
far as none is moved twice [Kernighan and Lin; Fiduccia and Mattheyses]. What ranks elsewhere have
to do with either half counts, too, by which is nearer. So ranks that exchange much are near each
other, and those of one router share one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.methods.placement.clusters import by_two
from lccmodel.methods.placement.problem import Demand
from lccmodel.methods.placement.routes import Routes

_PASSES = 3
_STEPS = 400
"""Most exchanges of a pass; passes for one cut."""

_SECONDS = 8e-9
"""Nominal seconds for a rank, a cut and an exchange."""


class Halves(NamedTuple):
    """How a network falls into halves, the whole first, every part before its halves.

    begin, end: (parts,), routers in the order that `routers` lists; first: (parts,), the number of
    the first half, the other follows; -1 for a router alone. axis: (parts,), that is cut, -1 on
    trees. centre: (parts, axes), of the part; length: (axes,), of rings, else 0.
    """

    routers: Ints
    begin: Ints
    end: Ints
    first: Ints
    axis: Ints
    centre: npt.NDArray[np.float64]
    length: Ints


def bisection_seconds(demand: Demand, routes: Routes) -> float:
    """What it is taken for, in seconds of a core of 2020."""
    cuts = max(1, routes.routers.bit_length())
    return _SECONDS * cuts * (demand.ranks * min(100, demand.ranks) + 20 * len(demand.source))


def by_cuts(demand: Demand, routes: Routes) -> Ints:
    """A place for every rank.

    >>> from lccmodel.communication import Program
    >>> from lccmodel.methods.placement.problem import demand_of
    >>> from lccmodel.network import Mesh
    >>> routes = Routes.of(Mesh((2, 2)))
    >>> pairs = demand_of(Program.of([(0, 3), (1, 2)]), "joint", None, routes)
    >>> routes.distance[tuple(by_cuts(pairs, routes)[[0, 3]])]
    np.int32(1)
    """
    ends = np.concatenate([demand.source, demand.destination])
    others = np.concatenate([demand.destination, demand.source])
    order = np.argsort(ends, kind="stable")
    first = np.searchsorted(ends[order], np.arange(demand.ranks + 1)).astype(np.int64)
    volumes = np.concatenate([demand.volume, demand.volume])[order]
    router_of = np.zeros(demand.ranks, np.int64)
    halves = _halves(routes)
    _cut(first, others[order], volumes, halves, routes.ports, _PASSES, _STEPS, router_of)
    places = np.empty_like(router_of)
    inside = np.argsort(router_of, kind="stable")
    found = router_of[inside]
    places[inside] = found * routes.ports + np.arange(len(found)) - np.searchsorted(found, found)
    return places


def _halves(routes: Routes) -> Halves:
    """Boxes cut across their longest axis; on trees, the groups below a switch."""
    strides, lengths, rings = (routes.axes[:, k] for k in range(3))
    tree = _groups(routes)
    boxes = [(np.zeros(len(lengths), np.int64), lengths.copy())]
    spans, first, axis = [(0, routes.routers)], [-1], [-1]
    routers = np.arange(routes.routers)
    k = 0
    while k < len(spans):
        begin, end = spans[k]
        if end - begin > 1:
            first[k] = len(spans)
            low, size = boxes[k]
            if routes.listed:
                routers[begin:end], near = by_two(routes, routers[begin:end])
                middle, parts = begin + near, [(low, size), (low, size)]
            elif len(tree):
                unit = int(tree[tree < end - begin].max())
                middle = begin + (end - begin) // unit // 2 * unit if end - begin > unit else begin
                parts = [(low, size), (low, size)]
            else:
                axis[k] = a = int(size.argmax())
                parts = [(low, size.copy()), (low.copy(), size.copy())]
                half = (int(size[a]) + 1) // 2
                parts[0][1][a], parts[1][1][a] = half, size[a] - half
                parts[1][0][a] += half
                inside = routers[begin:end]
                far = inside // strides[a] % lengths[a] >= low[a] + half
                routers[begin:end] = np.concatenate([inside[~far], inside[far]])
                middle = begin + int((~far).sum())
            boxes += parts
            spans += [(begin, middle), (middle, end)]
            first += [-1, -1]
            axis += [-1, -1]
        k += 1
    centre = np.array([low + (size - 1) / 2 for low, size in boxes]).reshape(len(boxes), -1)
    begins, ends = np.array(spans, np.int64).T
    return Halves(
        routers.astype(np.int64), np.ascontiguousarray(begins), np.ascontiguousarray(ends),
        np.array(first, np.int64), np.array(axis, np.int64), centre,
        np.where(rings == 1, lengths, 0).astype(np.int64),
    )  # fmt: skip


def _groups(routes: Routes) -> Ints:
    """Hosts below a switch of every level of a fat tree, 1 first; nothing for other networks."""
    if not len(routes.tree):
        return np.zeros(0, np.int64)
    return np.array([1, *routes.tree[5 : 3 + 2 * int(routes.tree[3]) : 2]], np.int64)


@kernel
def _cut(
    first: Ints, partners: Ints, volumes: Ints, halves: Halves, ports: int, passes: int,
    steps: int, router_of: Ints,
) -> None:  # fmt: skip
    """All cuts, the largest first; `router_of` receives the router of every rank."""
    ranks, parts = router_of.size, halves.begin.size
    order = np.arange(ranks)
    part = np.zeros(ranks, np.int64)
    start, stop = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
    stop[0] = ranks
    queue, seen = np.empty(ranks, np.int64), np.full(ranks, -1, np.int64)
    gain, locked = np.zeros(ranks), np.full(ranks, -1, np.int64)
    undo = np.empty((2, steps), np.int64)
    marks = 0
    for node in range(parts):
        low, high = start[node], stop[node]
        if halves.first[node] < 0:
            for i in range(low, high):
                router_of[order[i]] = halves.routers[halves.begin[node]]
            continue
        one = halves.first[node]
        other = one + 1
        rooms = (halves.end[one] - halves.begin[one]) * ports
        others = (halves.end[other] - halves.begin[other]) * ports
        count = (high - low) * rooms // (rooms + others)
        count = min(rooms, max(count, high - low - others))
        # -- the order in which ranks are reached from one far out
        for turn in range(2):
            marks += 1
            head, tail = 0, 0
            root = order[low] if turn == 0 or low == high else queue[max(0, high - low - 1)]
            following = low
            while tail < high - low:
                if head == tail:
                    while turn == 0 and following < high and seen[order[following]] == marks:
                        following += 1
                    if tail == 0:
                        new = root
                    else:
                        while seen[order[following]] == marks:
                            following += 1
                        new = order[following]
                    seen[new] = marks
                    queue[tail] = new
                    tail += 1
                r = queue[head]
                head += 1
                for i in range(first[r], first[r + 1]):
                    p = partners[i]
                    if part[p] == node and seen[p] != marks:
                        seen[p] = marks
                        queue[tail] = p
                        tail += 1
        for i in range(high - low):
            order[low + i] = queue[i]
            part[queue[i]] = one if i < count else other
        # -- exchanges; the gain of a rank is what would be cut no more if it moved
        axis = halves.axis[node]
        for _ in range(passes):
            marks += 1
            for i in range(low, high):
                r = order[i]
                gain[r] = 0.0
                for j in range(first[r], first[r + 1]):
                    p, volume = partners[j], float(volumes[j])
                    if part[p] == part[r]:
                        gain[r] -= volume
                    elif part[p] == one or part[p] == other:
                        gain[r] += volume
                    elif axis >= 0:
                        at, span = halves.centre[part[p], axis], halves.length[axis]
                        near = abs(at - halves.centre[one, axis])
                        far = abs(at - halves.centre[other, axis])
                        if span:
                            near, far = min(near, span - near), min(far, span - far)
                        if near != far:
                            closer = one if near < far else other
                            gain[r] += volume if closer != part[r] else -volume
            total, best, kept, made = 0.0, 0.0, 0, 0
            while made < steps and made < min(count, high - low - count) and made - kept < 50:
                a, b = -1, -1
                for i in range(low, high):
                    r = order[i]
                    if locked[r] != marks:
                        if part[r] == one:
                            a = r if a < 0 or gain[r] > gain[a] else a
                        else:
                            b = r if b < 0 or gain[r] > gain[b] else b
                between = 0.0
                for turn in range(2):
                    r = a if turn == 0 else b
                    for j in range(first[r], first[r + 1]):
                        p = partners[j]
                        if turn == 0 and p == b:
                            between += volumes[j]
                        if p != a and p != b and (part[p] == one or part[p] == other):
                            same = part[p] == part[r]
                            gain[p] += 2.0 * volumes[j] if same else -2.0 * volumes[j]
                total += gain[a] + gain[b] - 2 * between
                part[a], part[b] = other, one
                locked[a], locked[b] = marks, marks
                undo[0, made], undo[1, made] = a, b
                made += 1
                if total > best + 1e-9:
                    best, kept = total, made
            for k in range(kept, made):
                part[undo[0, k]], part[undo[1, k]] = one, other
            if kept == 0:
                break
        # -- the ranks of either half in one piece
        head, tail = low, 0
        for i in range(low, high):
            if part[order[i]] == one:
                order[head] = order[i]
                head += 1
            else:
                queue[tail] = order[i]
                tail += 1
        for i in range(tail):
            order[head + i] = queue[i]
        start[one], stop[one], start[other], stop[other] = low, head, head, high
