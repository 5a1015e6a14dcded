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

from lccmodel.ground.arrays import Floats, Ints
from lccmodel.kernels.jit import inlined_kernel, light_kernel
from lccmodel.placement.search.clusters import by_two
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes

_PASSES = 3
_STEPS = 400
"""Most exchanges of a pass; passes for one cut."""


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
    centre: Floats
    length: Ints


class RankVolumes(NamedTuple):
    """Rank r exchanges volumes[i] with partners[i], i from first[r] to first[r + 1] - 1."""

    first: Ints
    partners: Ints
    volumes: Ints


class Parted(NamedTuple):
    """The ranks, those of a part in one piece of `order`; the part of each, and room to work in.

    seen, locked: the mark with which a rank was reached, or exchanged; gain: what would be cut no
    more if it moved to the other half.
    """

    order: Ints
    part: Ints
    queue: Ints
    seen: Ints
    locked: Ints
    gain: Floats


def by_cuts(demand: Demand, routes: Routes) -> Ints:
    """A place for every rank.

    >>> from lccmodel.communication import Program
    >>> from lccmodel.placement.search.problem import demand_of
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
    sent = RankVolumes(first, others[order], volumes)
    halves, ranks = _halves(routes), demand.ranks
    router_of = np.zeros(ranks, np.int64)
    parted = Parted(
        np.arange(ranks), np.zeros(ranks, np.int64), np.empty(ranks, np.int64),
        np.full(ranks, -1, np.int64), np.full(ranks, -1, np.int64), np.zeros(ranks),
    )  # fmt: skip
    spans = np.zeros((2, halves.begin.size), np.int64)
    _cut(sent, halves, routes.ports, _PASSES, _STEPS, parted, spans, router_of)
    places = np.empty_like(router_of)
    inside = np.argsort(router_of, kind="stable")
    routers = router_of[inside]
    places[inside] = (
        routers * routes.ports + np.arange(len(routers)) - np.searchsorted(routers, routers)
    )
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
                middle = begin + (end - begin) // unit // 2 * unit
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


@light_kernel
def _cut(
    sent: RankVolumes,
    halves: Halves,
    ports: int,
    passes: int,
    steps: int,
    now: Parted,
    spans: Ints,
    router_of: Ints,
) -> None:
    """All cuts, the largest first; `router_of` receives the router of every rank.

    spans: (2, parts), room for where the ranks of every part begin and end in `order`. The caller
    makes the arrays, as numpy's constructors take half a second to compile.
    """
    order, part, queue = now.order, now.part, now.queue
    spans[1, 0] = router_of.size
    mark = 0
    for node in range(halves.begin.size):
        low, high, first = spans[0, node], spans[1, node], halves.first[node]
        if first < 0:
            for i in range(low, high):
                router_of[order[i]] = halves.routers[halves.begin[node]]
            continue
        other = first + 1
        rooms = (halves.end[first] - halves.begin[first]) * ports
        others = (halves.end[other] - halves.begin[other]) * ports
        count = (high - low) * rooms // (rooms + others)
        count = min(rooms, max(count, high - low - others))
        for turn in range(min(2, high - low)):  # the second time from who is reached last
            mark += 1
            _reach(sent, now, low, high, queue[high - low - 1] if turn else order[low], mark)
        for i in range(high - low):
            order[low + i] = queue[i]
            part[queue[i]] = first if i < count else other
        most = min(steps, count, high - low - count)
        for _ in range(passes if most else 0):
            mark += 1
            _count_gains(sent, now, halves, node, low, high)
            if not _exchange(sent, now, first, low, high, most, mark):
                break
        spans[0, first], spans[1, other] = low, high
        middle = _gather(now, first, low, high)
        spans[1, first], spans[0, other] = middle, middle


@inlined_kernel
def _reach(sent: RankVolumes, now: Parted, low: int, high: int, root: int, mark: int) -> None:
    """The ranks of a part in the order in which they are reached from one, in `queue`."""
    order, part, queue, seen, _, _ = now
    first, partners, _ = sent
    node = part[root]
    head, tail, following = 0, 0, low
    while tail < high - low:
        if head == tail:  # nobody else is reached: on from the next
            new = root
            while seen[new] == mark:
                new = order[following]
                following += 1
            seen[new] = mark
            queue[tail] = new
            tail += 1
        r = queue[head]
        head += 1
        for i in range(first[r], first[r + 1]):
            p = partners[i]
            if part[p] == node and seen[p] != mark:
                seen[p] = mark
                queue[tail] = p
                tail += 1


@inlined_kernel
def _farther(at: float, here: float, other: float, ring: int) -> float:
    """By how much `at` is farther from one place than from another, on a ring or (0) a line."""
    near, far = abs(at - here), abs(at - other)
    if ring:
        near, far = min(near, ring - near), min(far, ring - far)
    return near - far


@inlined_kernel
def _count_gains(
    sent: RankVolumes, now: Parted, halves: Halves, node: int, low: int, high: int
) -> None:
    """What would be cut no more if a rank moved; who is elsewhere draws to the nearer half."""
    order, part, _, _, _, gains = now
    first, partners, volumes = sent
    axis, lower, centre = halves.axis[node], halves.first[node], halves.centre
    for i in range(low, high):
        r = order[i]
        gain = 0.0
        for j in range(first[r], first[r + 1]):
            there, volume = part[partners[j]], float(volumes[j])
            if there == part[r]:
                gain -= volume
            elif there == lower or there == lower + 1:
                gain += volume
            elif axis >= 0:
                at, ring = centre[there, axis], halves.length[axis]
                farther = _farther(at, centre[lower, axis], centre[lower + 1, axis], ring)
                if farther != 0.0:
                    closer = lower if farther < 0.0 else lower + 1
                    gain += volume if closer != part[r] else -volume
        gains[r] = gain


@inlined_kernel
def _exchange(
    sent: RankVolumes, now: Parted, lower: int, low: int, high: int, most: int, mark: int
) -> int:
    """Exchange two ranks again and again, none twice, up to the least cut; how many times."""
    order, part, _, _, locked, gain = now
    first, partners, volumes = sent
    other = lower + 1
    undo = np.empty((2, most), np.int64)
    total, best, kept, made = 0.0, 0.0, 0, 0
    while made < most and made - kept < 50:
        a, b = -1, -1
        for i in range(low, high):
            r = order[i]
            if locked[r] != mark:
                if part[r] == lower:
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
                if p != a and p != b and (part[p] == lower or part[p] == other):
                    same = part[p] == part[r]
                    gain[p] += 2.0 * volumes[j] if same else -2.0 * volumes[j]
        total += gain[a] + gain[b] - 2 * between
        part[a], part[b] = other, lower
        locked[a], locked[b] = mark, mark
        undo[0, made], undo[1, made] = a, b
        made += 1
        if total > best:
            best, kept = total, made
    for k in range(kept, made):
        part[undo[0, k]], part[undo[1, k]] = lower, other
    return kept


@inlined_kernel
def _gather(now: Parted, first: int, low: int, high: int) -> int:
    """The ranks of either half in one piece, in their order; where the second begins."""
    order, part, queue = now.order, now.part, now.queue
    head, tail = low, 0
    for i in range(low, high):
        r = order[i]
        if part[r] == first:
            order[head] = r
            head += 1
        else:
            queue[tail] = r
            tail += 1
    for i in range(tail):  # by a loop: see "kernels" in CONTRIBUTING.md
        order[head + i] = queue[i]
    return head
