"""Into how many segments to cut the data of a plan: the Q of least time, exactly, and why.

Q >= L, the steps of the plan: every further segment adds one step with everything under way, so
T = A + B Q + C / Q while all messages stay on one piece of the cost: the best Q is an end of that
stretch or next to sqrt(C / B). Q < L: what is under way with Q + 1 segments holds what is with Q in
the same step and in the one before, so start-ups, and data times Q, grow by their greatest step at
least. And no rank has less than Q times its start-ups of one segment, no channel or port less than
its total. From a Q that was counted this bounds all larger ones; the Q nearest to the bound is
counted next, until no bound is below the best.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, isqrt
from typing import NamedTuple

from lccmodel.collectives.loads import PlanLoads, StepCost
from lccmodel.collectives.times import MOST_SEGMENTS, Prices, Timer, Totals, WholeLine
from lccmodel.pipelining.message_cost import Linear


class BestSegments(NamedTuple):
    """The best number of segments Q, its time, and why no other is better."""

    segments: int
    time: Fraction
    tried: int
    evidence: str


def best_segments(loads: PlanLoads, prices: Prices, m: Fraction) -> BestSegments:
    """The number of segments 1..2^20 of the least time; the smallest of equals.

    >>> from lccmodel import collectives
    >>> from lccmodel.collectives.times import prices_of
    >>> chain = collectives.broadcast("chain", "mesh:16").loads()
    >>> best = best_segments(chain, prices_of(Linear(100, 1)), Fraction(10_000))
    >>> best[:3]
    (37, Fraction(698700, 37), 5)
    >>> print(best.evidence)
    T(37) is the least of 5 that were counted; of 2..14 all others have a bound above it, and from \
15 on T = A + B Q + C / Q
    """
    timer, steps = Timer(loads, prices, m), loads.plan.steps
    whole = timer.at(1)
    if not loads.segmentable or steps < 2:
        return BestSegments(1, whole, 1, "segments of this plan would not overlap")
    if isinstance(prices.cost, Linear) and _collides(loads):
        return BestSegments(1, whole, 1, "all steps use the busiest port and channel")
    best, tried = (whole, 1), 1
    first = max(2, steps)
    deep = _least(timer, first - 1, MOST_SEGMENTS + 1)[0] <= whole
    for ends in _deep(timer, first) if deep else ():
        if _least(timer, *ends)[0] <= best[0]:
            for Q in _middle(timer, *ends):
                best, tried = min(best, (timer.at(Q), Q)), tried + 1
    spans = [(*_least(timer, 1, steps), 1, steps)] if steps > 2 else []
    while spans:
        bound, Q, low, high = heapq.heappop(spans)
        if bound > best[0] or (bound == best[0] and low >= best[1]):
            continue
        best, tried = min(best, (timer.at(Q), Q)), tried + 1
        for ends in ((low, Q), (Q, high)):
            if ends[1] - ends[0] > 1:
                heapq.heappush(spans, (*_least(timer, *ends), *ends))
    said = (
        f"T({best[1]}) is the least of {tried} that were counted; of 2..{steps - 1} all others "
        f"have a bound above it, and from {steps} on T = A + B Q + C / Q"
    )
    return BestSegments(best[1], best[0], tried, said)


# -- over a range of sizes ------------------------------------------------------------------


def least_of_more(loads: PlanLoads, prices: Prices, m: Fraction, few: int) -> Fraction:
    """No time in more than a few segments is below this."""
    return _least(Timer(loads, prices, m), few, MOST_SEGMENTS + 1)[0]


def least_slope(loads: PlanLoads, prices: Prices, most: Fraction) -> Fraction:
    """T grows by at least so much for every item, up to so many, however many segments there are.

    *Requires* a cost of which no longer message costs less.
    """
    largest = max((step.carried for step in loads.costs(1)), default=0) * loads.grain * most
    pieces, starts = prices.cost.pieces, [Fraction(0)]
    starts += [piece.up_to for piece in pieces if piece.up_to is not None]
    met = [each.tau for each, start in zip(pieces, starts, strict=True) if start <= largest]
    return min(met) * loads.grain * loads.full.carried


def turns_of(
    loads: PlanLoads, prices: Prices, segments: int, low: Fraction, high: Fraction
) -> Iterator[Fraction]:
    """Whole sizes between which T(m) in so many segments is straight, low and high not among them.

    They are two for every step and piece of the cost: the last size at which the step is on the
    piece, and the next.
    """
    steps = loads.plan.steps
    data = {cost.carried for cost in loads.costs(min(segments, max(1, steps)))}
    data |= {loads.full.carried} if segments > steps else set()
    for piece in prices.cost.pieces[:-1] if loads.grain else ():  # a barrier has no data
        for carried in data - {0}:
            last = floor((piece.up_to or 0) * segments / (carried * loads.grain))
            yield from (Fraction(m) for m in (last, last + 1) if low < m < high)


# -- bounds ---------------------------------------------------------------------------------


def _collides(loads: PlanLoads) -> bool:
    """Whether no segments can pay: what is busiest in a step is so in all, so T(Q) >= T(1)."""
    one, full = Totals.of(loads, 1).all, loads.full
    return all(full[k] >= one[k] for k in (0, 1, 3))


def _least(timer: Timer, low: int, high: int) -> tuple[Fraction, int]:
    """No time in Q segments, low < Q < high, is below this; and the Q that comes nearest."""
    loads, prices = timer.loads, timer.prices
    base = min(low, max(1, loads.plan.steps))
    peak, full = _peaks(loads, base), loads.full
    start, data, hops, sums = (
        a - base * b for a, b in zip(Totals.of(loads, base).all, peak, strict=True)
    )
    hop, add = int(prices.hop * prices.unit), int(prices.add * prices.unit)
    part, whole = timer.data.numerator, timer.data.denominator
    found = [(Fraction(0), (low + high) // 2)]
    for line, wait in _lines(timer, low, high):
        # start-ups a + b Q, of which one a step is no wait, and data (c + d Q) / Q
        first = line.alpha - wait
        B = peak.start_ups * wait + first + peak.hops * hop
        C = (data * line.tau + sums * add) * part
        rest = start * wait + first * (loads.plan.steps - 1) + hops * hop
        free = (peak.carried * line.tau + peak.reduced * add) * part
        Q = _lowest(B * whole, C, low + 1, high - 1)
        smooth = Fraction((rest + B * Q) * Q * whole + free * Q + C, Q * whole)
        # what all segments make the busiest rank start, and the busiest channel carry
        more = max(0, (full.start_ups - peak.start_ups) * (low + 1) - start)
        filled = rest + B * (low + 1) + more * wait
        found.append((max(smooth, filled + Fraction(full.carried * line.tau * part, whole)), Q))
    bound, Q = max(found)
    return bound / prices.unit, Q


def _lines(timer: Timer, low: int, high: int) -> Iterator[tuple[WholeLine, int]]:
    """Costs that no step in low < Q < high segments is below, and of a message that waits.

    Where all steps are on one piece of the cost that is one of them.
    """
    for line in timer.prices.supports:
        yield line, line.alpha
    least = _smallest(timer.loads)
    if least is None:
        return
    before: Fraction | None = Fraction(-1)
    for piece, turn in zip(timer.prices.pieces, timer.turns, strict=True):
        above = before is not None and before * (high - 1) < least
        if above and (turn is None or timer.loads.full.carried <= turn * (low + 1)):
            if piece.alpha >= 0:
                yield piece, min(piece.alpha, timer.empty)
            return
        before = turn


def _smallest(loads: PlanLoads) -> int | None:
    """The least that a step carries; None if one carries nothing."""
    kept: dict[str, int | None] = loads.__dict__.setdefault("_smallest", {})
    if "least" not in kept:
        steps = loads.per_step_costs
        busy = all(step.start_ups for step in steps)
        kept["least"] = min(step.carried for step in steps) if busy and steps else None
    return kept["least"]


def _lowest(B: int, C: int, first: int, last: int) -> int:
    """The whole Q in first..last where B Q + C / Q is least; B >= 0."""
    if C <= 0 or not B:
        return first if C <= 0 else last
    root = isqrt(C // B)
    near = {min(max(Q, first), last) for Q in (root, root + 1)}
    return min(near, key=lambda Q: (B * Q + Fraction(C, Q), Q))


def _peaks(loads: PlanLoads, segments: int) -> StepCost:
    """The most of everything that one step takes in so many segments."""
    kept: dict[int, StepCost] = loads.__dict__.setdefault("_peaks", {})
    if segments not in kept:
        kept[segments] = StepCost(*map(max, zip(*loads.costs(segments), strict=True)))
    return kept[segments]


def _deep(timer: Timer, first: int) -> Iterator[tuple[int, int]]:
    """low < Q < high from the first Q that is no fewer than steps, on one piece of the cost."""
    starts = {first, MOST_SEGMENTS + 1}
    data = {cost.carried for cost in timer.loads.costs(timer.loads.plan.steps)} - {0}
    for turn in timer.turns:
        if turn is not None:
            starts |= {ceil(carried / turn) for carried in data}
    kept = sorted(Q for Q in starts if first <= Q <= MOST_SEGMENTS + 1)
    yield from ((low - 1, high) for low, high in pairwise(kept))


def _middle(timer: Timer, low: int, high: int) -> Iterator[int]:
    """The ends, and next to where A + B Q + C / Q is least, from three values of it."""
    x, y, z = low + 1, (low + high) // 2, high - 1
    if x >= y or y >= z:
        yield from range(low + 1, high)
        return
    t = {Q: timer.at(Q) for Q in (x, y, z)}
    first = (t[y] - t[x]) / (y - x)  # B - C / (x y)
    second = (t[z] - t[y]) / (z - y)
    C = (second - first) / (Fraction(1, x * y) - Fraction(1, y * z))
    B = first + C / (x * y)
    if B > 0 and C > 0:
        root = isqrt(int(C / B))
        yield from (Q for Q in (root, root + 1) if low < Q < high)
    yield from (x, z)
