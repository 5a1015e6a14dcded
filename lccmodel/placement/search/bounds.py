"""Lower bounds that hold for every placement of ranks, and which argument gives them.

    message    two ranks that do not fit on one router send over some channel whole
    ports      whatever router a rank is at, its messages share the channels there; of the
               c j + 1 largest, some j + 1 share one of c channels
    boxes      a box of routers (one router: its ports) holds a known number of ranks; what they
               send out shares the channels that leave the box. The least that so many ranks can
               send out is bounded by their largest partners, and by the second eigenvalue of the
               Laplacian of what is sent [Fiedler]
    parts      the network falls into parts that hold so many ranks each (boxes of routers, the
               hosts below a switch): what leaves parts of at most h ranks has a least total, by
               the smallest eigenvalues [Donath and Hoffman], and shares all channels between them
    distances  the partners of a rank are at best on the nearest places, so volume times distance
               has a least total, which all channels share
    assignment the total is at least that of a linear assignment problem, and at least what the
               eigenvalues of volumes and distances say (`placement.assignment_bounds`)
    cuts       where places fall into groups of groups (the hosts below switches), each level adds
               its step times the volume between its groups, which has a least value by a linear
               program or by eigenvalues (`placement.partition_bounds`)
    groups     where what is sent falls into groups that exchange all-to-all, so many places have
               a least sum of distances (`placement.compact`), which all channels share
    embedding  if all messages over one channel each would fill all channels exactly, but no such
               placement exists (an exhaustive search), one message takes a second channel

No number with a rounding error enters a bound: volumes are integers, capacities are fractions, and
eigenvalues are rounded down by more than they can be wrong by, to fractions.

Bounds are for one row of loads; loads are multiples of the greatest common divisor of the volumes.
With phases of weights w_p: "joint" is bounded by all phases at once, "max-max" by its worst
phase, "max-sum" by both (it is at least "joint"), "sum-sum" by the sum over the phases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, prod
from typing import Literal

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.ground.numbers import number_text
from lccmodel.placement.search.assignment_bounds import distance_bounds
from lccmodel.placement.search.clusters import clusters
from lccmodel.placement.search.distance_bounds import least_sums, uniform_cliques
from lccmodel.placement.search.embedding import embedding
from lccmodel.placement.search.partition_bounds import nested_cuts
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import MOST_MEASURED, Routes
from lccmodel.placement.search.spectrum import sums_at_least, sums_at_most

Arguments = Literal["counting", "eigenvalues", "programs"]
"""What a bound may take: each includes those before it."""

_MAX_BOXES = 4096

_FAR = 1 << 30

_MAX_GROUPED = 1 << 18
"""Most messages that are looked at for groups."""


@dataclass(frozen=True)
class Bound:
    """A value, in units of the demand, that no placement can go below, and why."""

    value: int
    reason: str


def quick_bound(demand: Demand, routes: Routes) -> Bound:
    """What the largest message of all phases says: some placement may be known to meet it."""
    if not len(demand.volume):
        return Bound(0, "nothing is sent")
    if not routes.channels:
        return Bound(0, "there are no channels")
    if demand.aim.hops:
        return _of_mixture(demand, _message_bound(demand.merged, routes), routes, "counting")
    return _message_bound(demand, routes)


def lower_bound(demand: Demand, routes: Routes, *, arguments: Arguments = "programs") -> Bound:
    """The best of the bounds, for the objective of the demand.

    Args:
        demand, routes: the problem.
        arguments: "counting" takes milliseconds; "eigenvalues" are computed as well, where they
            may say more, in a second for 1500 ranks, and much more where other programs want the
            processors, too; "programs" are linear programs as well, a second for 64 ranks.
    """
    if demand.aim.hops:
        peak = _of_row(demand.merged, routes, arguments) if demand.aim.peak else Bound(0, "")
        return _of_mixture(demand, peak, routes, arguments)
    if demand.objective == "joint" or demand.rows == 1:
        return _of_row(demand.merged, routes, arguments)
    rows = [_of_row(demand.row_of(p), routes, arguments) for p in range(demand.rows)]
    if demand.objective == "sum-sum":
        total = sum(bound.value for bound in rows)
        return Bound(total, f"every phase by itself: {_reasons(rows)}")
    worst = max(rows, key=lambda bound: bound.value)
    if demand.objective == "max-sum":
        together = _of_row(demand.merged, routes, arguments)
        if together.value >= worst.value:
            return Bound(together.value, f"all phases at once: {together.reason}")
    return Bound(worst.value, f"one phase: {worst.reason}")


def _of_mixture(demand: Demand, peak: Bound, routes: Routes, arguments: Arguments) -> Bound:
    """Busiest channel and volume times distance, each at its least."""
    if not len(demand.volume) or not routes.channels:
        return Bound(0, "nothing is sent" if not len(demand.volume) else "there are no channels")
    totals = _distances(demand.merged, routes, arguments)
    crossed, _, reason = max(totals, key=lambda bound: bound[0])
    value = demand.aim.peak * peak.value + demand.aim.hops * crossed
    return Bound(value, f"{reason}; {peak.reason}" if demand.aim.peak else reason)


def _reasons(rows: list[Bound]) -> str:
    return "; ".join(dict.fromkeys(bound.reason for bound in rows))


def _of_row(demand: Demand, routes: Routes, arguments: Arguments) -> Bound:
    if not len(demand.volume):
        return Bound(0, "nothing is sent")
    if not routes.channels:
        return Bound(0, "there are no channels")
    divisor = int(np.gcd.reduce(demand.volume))
    best = max(_message_bound(demand, routes), _ports(demand, routes), key=lambda b: b.value)
    distances = _distances(demand, routes, arguments)
    best = _best_of((*_boxes(demand, routes), *distances), best, divisor)
    if arguments != "counting":
        best = _spectral(best, divisor, demand, routes)
    return _without_embedding(best, demand, routes)


def _best_of(bounds: Iterable[tuple[int, Fraction, str]], best: Bound, divisor: int) -> Bound:
    """The best of (volume, capacity that it shares, reason), and of another bound."""
    for value, capacity, reason in bounds:
        multiple = ceil(Fraction(value) / capacity / divisor) * divisor
        if multiple > best.value:
            best = Bound(multiple, reason)
    return best


def _without_embedding(best: Bound, demand: Demand, routes: Routes) -> Bound:
    """The bound, one step higher where only an embedding could meet it and there is none.

    With one channel for every message, that is the sum of the volumes; otherwise the smallest
    takes one channel more, at least.
    """
    if routes.ports > 1 or len(routes.tree) or routes.listed:
        return best
    volume, room = int(demand.volume.sum()), best.value * routes.capacity
    if not volume <= room < volume + int(demand.volume.min()):
        return best
    if not embedding(demand, routes).refused:
        return best
    divisor = int(np.gcd.reduce(demand.volume))
    reason = (
        f"{best.value * demand.unit} would need every message on one channel, all "
        f"{routes.channels:,} full; no placement has neighbours everywhere (exhaustive search)"
    )
    return Bound(best.value + divisor, reason)


def _message_bound(demand: Demand, routes: Routes) -> Bound:
    """Two ranks that send most, unless they may share a router."""
    if routes.ports > 1:
        return Bound(0, "messages between ranks of one router use no channel")
    cheapest = int(routes.cost[routes.real].min())
    if len(routes.tree) or (routes.listed and len(np.unique(routes.at)) < routes.places):
        return Bound(0, "hosts of one switch use no channel")
    return Bound(int(demand.volume.max()) * cheapest, "the largest message crosses a channel whole")


def _ports(demand: Demand, routes: Routes) -> Bound:
    """The rank for which the channels at its router are least enough, whole messages counted.

    Of the c j + 1 largest messages of a rank, c channels carry some j + 1 together.
    """
    if len(routes.tree):
        return Bound(0, "hosts have ports of their own")
    width, shared, channels = _widest(routes), routes.ports, 0
    if routes.listed:
        shared = int(np.bincount(routes.at).max())
        channels = int(_leaving(routes)[np.unique(routes.at)].max())
    else:
        channels = int(np.bincount(routes.tails[routes.real]).max())
    cheapest = int(routes.cost[routes.real].min())
    divisor = int(np.gcd.reduce(demand.volume))
    best = 0
    for rank in (demand.source, demand.destination):
        order = np.lexsort((-demand.volume, rank))
        first = np.flatnonzero(np.diff(rank[order], prepend=-1))
        last = np.append(first[1:], len(order))
        first = np.minimum(first + shared - 1, last)  # the largest may be at one router
        running = np.concatenate([[0], np.cumsum(demand.volume[order])])
        most = int((running[last] - running[first]).max())
        best = max(best, ceil(Fraction(most) / width / divisor) * divisor)
        for j in range(1, int((last - first - 1).max()) // channels + 1):
            enough = first + j * channels < last
            end = first[enough] + j * channels + 1
            whole = running[end] - running[end - j - 1]
            best = max(best, int(whole.max()) * cheapest)
    return Bound(best, f"the {channels} ports of a node, for the rank that sends or receives most")


def _leaving(routes: Routes) -> Ints:
    """How many channels leave every router, where places are listed: each has some."""
    return np.bincount(routes.joins[0, routes.real])


def _widest(routes: Routes) -> Fraction:
    """The capacity of the channels that leave the router which has most."""
    if routes.listed:
        return max((capacity for _, capacity, level in clusters(routes) if not level))
    costs = np.unique(routes.cost[routes.real])
    tails = [routes.tails[routes.real & (routes.cost == cost)] for cost in costs]
    counts = np.stack([np.bincount(t, minlength=routes.routers) for t in tails])
    kinds = np.unique(counts, axis=1).T.tolist()
    return max(_sum(Fraction(n, k) for n, k in zip(kind, costs.tolist(), strict=True))
               for kind in kinds)  # fmt: skip


def _sum(parts: Iterable[Fraction]) -> Fraction:
    return sum(parts, Fraction(0))


# -- boxes ----------------------------------------------------------------------------------


def _boxes(demand: Demand, routes: Routes) -> Iterator[tuple[int, Fraction, str]]:
    """(volume that leaves, capacity that it shares, reason)."""
    matrix = _Partners(demand)
    for counts, capacity, name in _filled(demand, routes):
        sent = min(matrix.least_sent(k) for k in counts)
        received = min(matrix.least_received(k) for k in counts)
        yield max(sent, received), capacity, name


def _spectral(best: Bound, divisor: int, demand: Demand, routes: Routes) -> Bound:
    """A bound, or a better one by the eigenvalues of the Laplacian."""
    most = [Fraction(value) for value in sums_at_most(demand)]
    if _best_of(_by_spectrum(most, demand, routes), best, divisor) == best:
        return best  # even the largest eigenvalues that are possible say no more
    return _best_of(_by_spectrum(sums_at_least(demand), demand, routes), best, divisor)


def _by_spectrum(
    sums: list[Fraction], demand: Demand, routes: Routes
) -> Iterator[tuple[int, Fraction, str]]:
    """k of n ranks are cut by gap k (n - k) / n; parts of m_1 >= m_2 >= ... by half of sum m λ.

    Entry k of `sums` is that of the k least eigenvalues; the second is the gap.
    """
    n = demand.ranks
    if not sums:
        return
    for counts, capacity, name in _filled(demand, routes):
        pairs = min(k * (n - k) for k in (counts[0], counts[-1]))  # concave between
        yield ceil(sums[2] * pairs / n), 2 * capacity, f"{name}, by the spectrum"
    for places, capacity, name in _parts(routes):
        whole, rest = divmod(n, places)  # fewest parts: the least that they can be left by
        least = (places - rest) * sums[whole] + (rest * sums[whole + 1] if rest else 0)
        yield ceil(least / 2), capacity, f"{name}, by the spectrum"


def _filled(demand: Demand, routes: Routes) -> Iterator[tuple[range, Fraction, str]]:
    """(how many ranks are inside a box, its capacity, its name), for boxes that are never empty."""
    for routers, capacity, name in _cuts(routes):
        inside = routers * routes.ports
        least = max(0, demand.ranks - (routes.places - inside))
        most = min(inside, demand.ranks)
        if capacity and least:
            yield range(least, most + 1), capacity, f"{name} with {capacity} channels each way"


def _cuts(routes: Routes) -> Iterator[tuple[int, Fraction, str]]:
    """(routers inside, capacity that leaves, name) of boxes that few channels leave."""
    if routes.listed:
        for inside, capacity in dict.fromkeys((many, width) for many, width, _ in clusters(routes)):
            yield inside, capacity, f"a part of {inside} places"
        return
    if not len(routes.axes):
        yield from _subtrees(routes)
        return
    lengths = routes.axes[:, 1].tolist()
    rings = routes.axes[:, 2].tolist()
    costs = routes.cost[:: 2 * routes.routers].tolist()
    sides = [_extents(length) for length in lengths]
    if len(set(zip(lengths, rings, costs, strict=True))) == 1:  # alike axes: sorted extents suffice
        chosen: Iterator[tuple[int, ...]] = (
            e for e in product(*sides) if list(e) == sorted(e, reverse=True)
        )
    else:
        chosen = product(*sides)
    if prod(map(len, sides)) > _MAX_BOXES:  # halves and subcubes only
        chosen = ((*lengths[:k], *[1] * (len(lengths) - k)) for k in range(len(lengths)))
    seen = set()
    for extents in chosen:
        inside = prod(extents)
        capacity = Fraction(0)
        for extent, length, ring, cost in zip(extents, lengths, rings, costs, strict=True):
            if extent < length:
                capacity += Fraction(inside // extent * (2 if ring else 1), cost)
        if capacity and (inside, capacity) not in seen:
            seen.add((inside, capacity))
            word = "a node's ports" if inside == 1 else f"a box of {'x'.join(map(str, extents))}"
            yield inside, capacity, word


def _parts(routes: Routes) -> Iterator[tuple[int, Fraction, str]]:
    """(places of a part, capacity between the parts, name) where the network falls into equals."""
    if routes.listed:
        yield from _equal_parts(routes)
        return
    if not len(routes.axes):
        for hosts, links, name in _subtrees(routes):
            yield hosts, links * (routes.routers // hosts), f"what leaves {name}"
        return
    lengths, rings = routes.axes[:, 1].tolist(), routes.axes[:, 2].tolist()
    costs = routes.cost[:: 2 * routes.routers].tolist()
    divisors = [[e for e in _extents(n) if n % e == 0] for n in lengths]
    if prod(map(len, divisors)) > _MAX_BOXES:
        divisors = [sorted({1, n}) for n in lengths]
    for extents in product(*divisors):
        capacity = Fraction(0)
        for extent, length, ring, cost in zip(extents, lengths, rings, costs, strict=True):
            borders = length // extent - (0 if ring and extent < length else 1)
            capacity += Fraction(2 * borders * (routes.routers // length), cost)
        if capacity:
            name = f"boxes of {'x'.join(map(str, extents))} with {capacity} channels between them"
            yield prod(extents) * routes.ports, capacity, name


def _equal_parts(routes: Routes) -> Iterator[tuple[int, Fraction, str]]:
    """(most places of a part, capacity that leaves all parts together, name), for every level."""
    levels: dict[int, list[tuple[int, Fraction]]] = {}
    for inside, capacity, level in clusters(routes):
        levels.setdefault(level, []).append((inside, capacity))
    for parts in levels.values():
        most = max(inside for inside, _ in parts)
        if sum(inside for inside, _ in parts) == routes.places and len(parts) > 1:
            name = f"what leaves parts of at most {most} places"
            yield most, _sum(capacity for _, capacity in parts), name


def _extents(length: int) -> list[int]:
    halves = {length, length // 2, (length + 1) // 2, 1}
    if length <= 16:
        halves |= set(range(1, length + 1))
    return sorted(extent for extent in halves if extent)


def _subtrees(routes: Routes) -> Iterator[tuple[int, Fraction, str]]:
    """The hosts below a switch of a level, and the links from there to the next level."""
    for level in range(1, int(routes.tree[3])):
        hosts, links = int(routes.tree[3 + 2 * level]), int(routes.tree[4 + 2 * level])
        if hosts < routes.routers:
            yield hosts, Fraction(links), f"the {hosts} hosts below a switch of level {level}"


class _Partners:
    """What ranks send to their largest partners, sorted once."""

    def __init__(self, demand: Demand) -> None:
        self._sent = _sorted_by_rank(demand.source, demand.volume, demand.ranks)
        self._received = _sorted_by_rank(demand.destination, demand.volume, demand.ranks)

    def least_sent(self, k: int) -> int:
        """At least so much leaves any k ranks."""
        return _least_outside(self._sent, k)

    def least_received(self, k: int) -> int:
        """At least so much enters any k ranks."""
        return _least_outside(self._received, k)


def _sorted_by_rank(rank: Ints, volume: Ints, ranks: int) -> tuple[Ints, ...]:
    """Volumes by rank, largest first: starts, running sums from each start, totals."""
    order = np.lexsort((-volume, rank))
    starts = np.zeros(ranks + 1, np.int64)
    np.cumsum(np.bincount(rank, minlength=ranks), out=starts[1:])
    running = np.concatenate([[0], np.cumsum(volume[order])]).astype(np.int64)
    return starts, running


def _least_outside(table: tuple[Ints, ...], k: int) -> int:
    """The k ranks that lose least when each keeps its k - 1 largest partners inside."""
    starts, running = table
    kept = np.minimum(starts[:-1] + k - 1, starts[1:])
    outside = running[starts[1:]] - running[kept]
    if k >= len(outside):
        return 0
    return int(np.partition(outside, k - 1)[:k].sum()) if k else 0


# -- distances ------------------------------------------------------------------------------


def least_distance(demand: Demand, routes: Routes) -> int:
    """No placement has a smaller total of volume times distance."""
    if not len(demand.volume):
        return 0
    if routes.listed and routes.places > MOST_MEASURED:
        return 0
    nearest = _nearest(routes)
    sent = _matched(demand.source, demand.volume, nearest)
    received = _matched(demand.destination, demand.volume, nearest)
    # Both directions of a pair are equally far, so a rank's partners can be taken together.
    low = np.minimum(demand.source, demand.destination)
    high = np.maximum(demand.source, demand.destination)
    keys, place = np.unique(low * demand.ranks + high, return_inverse=True)
    volume = np.zeros(len(keys), np.int64)
    np.add.at(volume, place, demand.volume)
    ends = np.concatenate([keys // demand.ranks, keys % demand.ranks])
    paired = -(-_matched(ends, np.concatenate([volume, volume]), nearest) // 2)
    return max(sent, received, paired)


def _nearest(routes: Routes) -> Ints:
    """Entry k: no place has its k-th nearest other place nearer than this."""
    if routes.listed:
        away = np.minimum(routes.distance, routes.distance.T)
        return np.asarray(np.sort(away, axis=1)[:, 1:].min(axis=0, initial=_FAR), np.int64)
    inside = np.zeros(routes.ports - 1, np.int64)
    # Lines, rings and trees are alike or widest around their middle: balls are largest there.
    others = np.sort(routes.distances_from(routes.centre))[1:]
    return np.concatenate([inside, np.repeat(others, routes.ports)]).astype(np.int64)


def _matched(rank: Ints, volume: Ints, nearest: Ints) -> int:
    """The sum over ranks of their volumes, largest first, times the nearest distances."""
    order = np.lexsort((-volume, rank))
    sorted_ranks = rank[order]
    first = np.searchsorted(sorted_ranks, sorted_ranks)
    return int((volume[order] * nearest[np.arange(len(order)) - first]).sum())


def _distances(
    demand: Demand, routes: Routes, arguments: Arguments
) -> Iterator[tuple[int, Fraction, str]]:
    """(least volume times distance, or cut, capacity that it shares, reason) by every argument."""

    def shared(total: int, argument: str) -> tuple[int, Fraction, str]:
        least = f"is at least {_volume(total, demand, routes)} on {routes.channels:,} channels"
        return total, routes.capacity, f"volume times distance {least} ({argument})"

    yield shared(least_distance(demand, routes), "partners are at best on the nearest places")
    if arguments != "counting":
        yield from (shared(*bound) for bound in distance_bounds(demand, routes))
        cuts = nested_cuts(demand, routes, programs=arguments == "programs")
        reasons = ", ".join(dict.fromkeys(cut.reason for cut in cuts))
        yield shared(sum(cut.division.step * cut.volume for cut in cuts), reasons)
        for hosts, links, name in _subtrees(routes) if len(routes.tree) else ():
            for cut in cuts:
                if cut.division.size == hosts:
                    capacity = links * (routes.routers // hosts)
                    yield cut.volume, capacity, f"what leaves {name} ({cut.reason})"
    if len(routes.tree) or routes.listed or len(demand.source) > _MAX_GROUPED:
        return
    groups = uniform_cliques(demand.source, demand.destination, demand.volume, demand.ranks)
    sums = least_sums(routes, tuple({size for size, _, _ in groups}))
    # a pair is two of the ordered pairs of the sum; the volume is what both directions carry
    together = sum(-(-sums[size] * each * number // 2) for size, each, number in groups)
    largest = max((size for size, _, _ in groups), default=0)
    yield shared(together, f"all-to-all groups of up to {largest} ranks")


def _volume(total: int, demand: Demand, routes: Routes) -> str:
    return number_text(Fraction(total) * demand.unit * routes.scale)
