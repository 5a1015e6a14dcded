"""The time of a plan, exactly, and into how many segments to cut the data.

A step takes a start-up for each message that waits, what the busiest channel or port carries, and
where it is asked for a latency for every channel of the longest route and the work of adding:

    t = start_ups α + carried m τ + hops λ + reduced m γ

with the cost α + L τ of `calibrate`, or any other of straight pieces: then the first message has
the cost of all that the step carries, and each that waits that of an empty one.

In Q segments (`Plan.segmented`) as many steps as the plan has, and Q - 1 more, take

    T(m, Q) = sum of t over the steps, with what is under way counted, and m / Q in place of m.

Q >= L, the steps of the plan: every further segment adds one step with everything under way, so
T = A + B Q + C / Q while all messages stay on one piece of the cost: the best Q is an end of that
stretch or next to sqrt(C / B). Q < L: what is under way with Q + 1 segments holds what is with Q in
the same step and in the one before, so start-ups, and data times Q, grow by their greatest step at
least, and no channel or port carries less than its total. From a Q that was counted this bounds all
larger ones; the Q nearest to the bound is counted next, until no bound is below the best.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import isqrt
from typing import Any, NamedTuple

from lccmodel.collectives.loads import PlanLoads, StepCost
from lccmodel.errors import InputError
from lccmodel.pipelining.message_cost import Cost, Linear, Piecewise, exact

MOST_SEGMENTS = 1 << 20
"""Most segments that are asked for."""


@dataclass(frozen=True)
class Prices:
    """What messages cost: α + L τ or pieces, λ for every channel of a route, γ for added data."""

    cost: Cost
    hop: Fraction = Fraction(0)
    add: Fraction = Fraction(0)


def prices_of(machine: Any, hop: Any = 0, add: Any = 0) -> Prices:
    """The prices of a machine: a `Machine`, a machine file, or a cost alone.

    Raises:
        InputError: none of them, or a negative price.

    >>> prices_of(Linear(5, 1), hop="1/2").hop
    Fraction(1, 2)
    """
    if isinstance(machine, Prices):
        return machine
    cost = getattr(machine, "cost", machine)
    if not isinstance(cost, (Linear, Piecewise)):
        rule = "must be a Machine, a machine file, or a cost such as Linear(alpha, tau)"
        raise InputError("machine", rule, machine)
    return Prices(cost, exact("hop", hop), exact("add", add))


class BestSegments(NamedTuple):
    """The best number of segments Q, its time, and why no other is better."""

    segments: int
    time: Fraction
    tried: int
    evidence: str


class Line(NamedTuple):
    """A time that is start + m slope."""

    start: Fraction
    slope: Fraction

    def at(self, m: Fraction) -> Fraction:
        """The time for m."""
        return self.start + m * self.slope


def time_of(loads: PlanLoads, prices: Prices, m: Fraction, segments: int = 1) -> Fraction:
    """The time of a plan with so many items in a vector, in so many segments.

    Raises:
        InputError: segments of a plan whose segments are not counted, or not in 1..2^20.
    """
    if not 1 <= segments <= MOST_SEGMENTS:
        raise InputError("segments", f"must be in 1..{MOST_SEGMENTS}", segments)
    if segments > 1 and not loads.segmentable:
        raise InputError("segments", f"must be 1 for {loads.plan!r}", segments)
    part = loads.grain * m / segments
    if isinstance(prices.cost, Linear):
        starts, carried, hops, reduced = _totals(loads, segments)
        cost = prices.cost
        data = carried * cost.tau + reduced * prices.add
        return starts * cost.alpha + data * part + hops * prices.hop
    return sum(
        (_step(cost, prices, part) * times for cost, times in loads.costs(segments).items()),
        start=Fraction(0),
    )


def line_of(loads: PlanLoads, prices: Prices, segments: int) -> Line:
    """T(m) for a cost α + L τ."""
    start = time_of(loads, prices, Fraction(0), segments)
    return Line(start, time_of(loads, prices, Fraction(1), segments) - start)


def _step(cost: StepCost, prices: Prices, part: Fraction) -> Fraction:
    if not cost.start_ups:
        return Fraction(0)
    first = prices.cost.time(cost.carried * part)
    waiting = (cost.start_ups - 1) * prices.cost.time(0)
    return first + waiting + cost.hops * prices.hop + cost.reduced * part * prices.add


def _totals(loads: PlanLoads, segments: int) -> tuple[int, int, int, int]:
    """Start-ups, data, hops and sums of all steps together."""
    kept: dict[int, tuple[int, int, int, int]] = loads.__dict__.setdefault("_totals", {})
    if segments not in kept:
        steps = loads.plan.steps
        if segments > max(1, steps):
            most, full = _totals(loads, steps), loads.full
            more = segments - steps
            found = tuple(a + more * b for a, b in zip(most, full, strict=True))
        else:
            counted = [(*cost, times) for cost, times in loads.costs(segments).items()]
            found = tuple(sum(each[k] * each[4] for each in counted) for k in range(4))
        kept[segments] = (found[0], found[1], found[2], found[3])
    return kept[segments]


# -- the best number of segments ------------------------------------------------------------


def best_segments(loads: PlanLoads, prices: Prices, m: Fraction) -> BestSegments:
    """The number of segments 1..2^20 of the least time; the smallest of equals.

    >>> from lccmodel import collectives
    >>> chain = collectives.broadcast("chain", "mesh:16").loads()
    >>> best_segments(chain, prices_of(Linear(100, 1)), Fraction(10_000))[:2]
    (37, Fraction(698700, 37))
    """
    whole, steps = time_of(loads, prices, m), loads.plan.steps
    if not loads.segmentable or steps < 2:
        return BestSegments(1, whole, 1, "segments of this plan would not overlap")
    if isinstance(prices.cost, Linear) and _collides(loads):
        return BestSegments(1, whole, 1, "all steps use the busiest port and channel")
    best, tried = (whole, 1), 1
    for Q in _deep(loads, prices, m):
        best, tried = min(best, (time_of(loads, prices, m, Q), Q)), tried + 1
    spans = [(Fraction(0), 1, steps)] if steps > 2 else []
    while spans:
        _, low, high = heapq.heappop(spans)
        bound, Q = _least(loads, prices, m, low, high)
        if bound > best[0] or (bound == best[0] and low >= best[1]):
            continue
        best, tried = min(best, (time_of(loads, prices, m, Q), Q)), tried + 1
        for ends in ((low, Q), (Q, high)):
            if ends[1] - ends[0] > 1:
                heapq.heappush(spans, (_least(loads, prices, m, *ends)[0], *ends))
    said = (
        f"T({best[1]}) is the least of {tried} that were counted; of 2..{steps - 1} all others "
        f"have a bound above it, and from {steps} on T = A + B Q + C / Q"
    )
    return BestSegments(best[1], best[0], tried, said)


def _collides(loads: PlanLoads) -> bool:
    """Whether no segments can pay: what is busiest in a step is so in all, so T(Q) >= T(1)."""
    starts, carried, _, reduced = _totals(loads, 1)
    full = loads.full
    return full.start_ups >= starts and full.carried >= carried and full.reduced >= reduced


def _least(
    loads: PlanLoads, prices: Prices, m: Fraction, low: int, high: int
) -> tuple[Fraction, int]:
    """No time in Q segments, low < Q < high, is below this; and the Q that comes nearest."""
    counted, peak, full = _totals(loads, low), _peaks(loads, low), loads.full
    start, data, hops, sums = (a - low * b for a, b in zip(counted, peak, strict=True))
    part = loads.grain * m
    cost = prices.cost
    found = [(Fraction(0), (low + high) // 2)]
    for line in (cost,) if isinstance(cost, Linear) else cost.supports:
        # start-ups a + b Q and data (c + d Q) / Q: B Q + C / Q + rest
        B = peak.start_ups * line.alpha + peak.hops * prices.hop
        C = part * (data * line.tau + sums * prices.add)
        rest = start * line.alpha + hops * prices.hop
        free = part * (peak.carried * line.tau + peak.reduced * prices.add)
        Q = _lowest(B, C, low + 1, high - 1)
        smooth = rest + free + B * Q + C / Q
        filled = rest + B * (low + 1) + part * full.carried * line.tau
        found.append((max(smooth, filled), Q))
    return max(found)


def _lowest(B: Fraction, C: Fraction, first: int, last: int) -> int:
    """The whole Q in first..last where B Q + C / Q is least; B >= 0."""
    if C <= 0 or not B:
        return first if C <= 0 else last
    ratio = C / B
    root = isqrt(ratio.numerator // ratio.denominator)
    near = {min(max(Q, first), last) for Q in (root, root + 1)}
    return min(near, key=lambda Q: (B * Q + C / Q, Q))


def _peaks(loads: PlanLoads, segments: int) -> StepCost:
    """The most of everything that one step takes in so many segments."""
    kept: dict[int, StepCost] = loads.__dict__.setdefault("_peaks", {})
    if segments not in kept:
        kept[segments] = StepCost(*map(max, zip(*loads.costs(segments), strict=True)))
    return kept[segments]


def _deep(loads: PlanLoads, prices: Prices, m: Fraction) -> Iterator[int]:
    """The candidates with as many segments as steps: ends of stretches, and near the middle."""
    steps = loads.plan.steps
    first = max(2, steps)
    if first > MOST_SEGMENTS:
        return
    ends = {first, MOST_SEGMENTS}
    if isinstance(prices.cost, Piecewise):
        data = {cost.carried for cost in loads.costs(steps)} - {0}
        for piece in prices.cost.pieces[:-1]:
            for carried in data:
                turn = math.floor(carried * loads.grain * m / (piece.up_to or 1))
                ends |= {Q for Q in (turn, turn + 1) if first <= Q <= MOST_SEGMENTS}
    cuts = sorted(ends)
    yield from cuts
    for low, high in pairwise(cuts):
        if high - low > 2:
            yield from _middle(loads, prices, m, low, high)


def _middle(loads: PlanLoads, prices: Prices, m: Fraction, low: int, high: int) -> Iterator[int]:
    """Next to where A + B Q + C / Q is least, from three values of it inside the stretch."""
    x, y, z = low + 1, (low + high) // 2, high - 1
    if x == y or y == z:
        yield from range(low + 1, high)
        return
    t = {Q: time_of(loads, prices, m, Q) for Q in (x, y, z)}
    first = (t[y] - t[x]) / (y - x)  # B - C / (x y)
    second = (t[z] - t[y]) / (z - y)
    C = (second - first) / (Fraction(1, x * y) - Fraction(1, y * z))
    B = first + C / (x * y)
    if B > 0 and C > 0:
        ratio = C / B
        root = isqrt(ratio.numerator // ratio.denominator)
        yield from (Q for Q in (root, root + 1) if low < Q < high)
    yield from (x, z)
