"""The time of a plan, exactly: start-ups, what the busiest channel or port carries, hops and sums.

A step takes a start-up for each message that waits, what the busiest channel or port carries, and
where it is asked for a latency for every channel of the longest route and the work of adding:

    t = start_ups α + carried m τ + hops λ + reduced m γ

with the cost α + L τ of `calibrate`, or any other of straight pieces: then the first message has
the cost of all that the step carries, and each that waits that of an empty one.

In Q segments (`Plan.segmented`) as many steps as the plan has, and Q - 1 more, take

    T(m, Q) = sum of t over the steps, with what is under way counted, and m / Q in place of m.

Where segments start `Plan.lag` steps apart, a segment adds so many steps, and "a step" below stands
for these together.

Steps on one piece of the cost are taken together: sorted by what they carry, they are a stretch.

Into how many segments to cut the data: the Q of least time, exactly, and why. Q >= L, the steps of
the plan: every further segment adds one step with everything under way, so T = A + B Q + C / Q
while all messages stay on one piece of the cost: the best Q is an end of that stretch or next to
sqrt(C / B). Q < L: what is under way with Q + 1 segments holds what is with Q in the same step and
in the one before, so start-ups, and data times Q, grow by their greatest step at least. And no rank
has less than Q times its start-ups of one segment, no channel or port less than its total. From a Q
that was counted this bounds all larger ones; the Q nearest to the bound is counted next, until no
bound is below the best.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate, pairwise
from math import ceil, floor, isqrt, lcm
from typing import Any, NamedTuple

from lccmodel.collectives.loads import PlanLoads, StepCost
from lccmodel.errors import InputError
from lccmodel.pipelining.message_cost import Cost, Linear, Piecewise, exact

MOST_SEGMENTS = 1 << 20
"""Most segments that are asked for."""


class WholeLine(NamedTuple):
    """A piece of a cost in whole numbers: where it ends, α and τ, times `Prices.unit`."""

    up_to: Fraction | None
    alpha: int
    tau: int


@dataclass(frozen=True)
class Prices:
    """What messages cost: α + L τ or pieces, λ for every channel of a route, γ for added data.

    `inside` is the cost of a message between two ranks of one node, if it is another.
    """

    cost: Cost
    hop: Fraction = Fraction(0)
    add: Fraction = Fraction(0)
    inside: Linear | None = None

    @cached_property
    def weights(self) -> tuple[Fraction, Fraction]:
        """What a start-up and an item inside a node count, if one between nodes counts 1."""
        if self.inside is None or not isinstance(self.cost, Linear):
            return Fraction(1), Fraction(1)
        pairs = ((self.inside.alpha, self.cost.alpha), (self.inside.tau, self.cost.tau))
        start, item = (here / there if there else Fraction(1) for here, there in pairs)
        return start, item

    @cached_property
    def unit(self) -> int:
        """All prices times this are whole numbers."""
        lines = [(piece.alpha, piece.tau) for piece in self.cost.pieces]
        lines += [(line.alpha, line.tau) for line in self.cost.supports]
        prices = [self.hop, self.add, *(price for line in lines for price in line)]
        return lcm(*(price.denominator for price in prices))

    @cached_property
    def pieces(self) -> tuple[WholeLine, ...]:
        """The pieces of the cost."""
        return tuple(
            WholeLine(up_to, int(alpha * self.unit), int(tau * self.unit))
            for up_to, alpha, tau in self.cost.pieces
        )

    @cached_property
    def supports(self) -> tuple[WholeLine, ...]:
        """Lines that no message is below."""
        return tuple(
            WholeLine(None, int(line.alpha * self.unit), int(line.tau * self.unit))
            for line in self.cost.supports
        )


def prices_of(machine: Any, hop: Any = 0, add: Any = 0, inside: Any = None) -> Prices:
    """The prices of a machine: a `Machine`, a machine file, or a cost alone.

    Raises:
        InputError: none of them, a negative price, or a cost inside nodes beside one of pieces.

    >>> prices_of(Linear(5, 1), hop="1/2").hop
    Fraction(1, 2)
    """
    if isinstance(machine, Prices):
        return machine
    cost = getattr(machine, "cost", machine)
    if not isinstance(cost, (Linear, Piecewise)):
        rule = "must be a Machine, a machine file, or a cost such as Linear(alpha, tau)"
        raise InputError("machine", rule, machine)
    here = getattr(machine, "inside", None) if inside is None else inside
    if here is not None:
        if not isinstance(here, Linear) or not isinstance(cost, Linear):
            raise InputError("inside", "must be α + L τ, and the cost between nodes, too", here)
        for name in ("alpha", "tau"):
            if getattr(here, name) and not getattr(cost, name):
                raise InputError("inside", f"must have no {name} where there is none between", here)
    return Prices(cost, exact("hop", hop), exact("add", add), here)


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
    return Timer(loads, prices, m).at(segments)


def line_of(loads: PlanLoads, prices: Prices, segments: int) -> Line:
    """T(m) for a cost α + L τ."""
    start = time_of(loads, prices, Fraction(0), segments)
    return Line(start, time_of(loads, prices, Fraction(1), segments) - start)


class Totals(NamedTuple):
    """All steps of a plan in so many segments, by what they carry.

    Attributes:
        carried: data of the steps with messages, in rising order.
        steps, data: how many steps there are and what they carry, up to each of these.
        waiting: start-ups but one a step.
        hops, reduced: of all steps together.
    """

    carried: list[int]
    steps: list[int]
    data: list[int]
    waiting: int
    hops: int
    reduced: int

    @classmethod
    def of(cls, loads: PlanLoads, segments: int) -> Totals:
        """Counted once for every number of segments."""
        kept: dict[int, Totals] = loads.__dict__.setdefault("_totals", {})
        if segments not in kept:
            busy = [cost for cost in loads.costs(segments).items() if any(cost[0])]
            busy.sort(key=lambda cost: cost[0].carried)
            kept[segments] = cls(
                [cost.carried for cost, _ in busy],
                [0, *accumulate(times for _, times in busy)],
                [0, *accumulate(cost.carried * times for cost, times in busy)],
                sum((cost.start_ups - 1) * times for cost, times in busy),
                sum(cost.hops * times for cost, times in busy),
                sum(cost.reduced * times for cost, times in busy),
            )
        return kept[segments]

    @property
    def all(self) -> StepCost:
        """Start-ups, data, hops and sums of all steps together."""
        return StepCost(self.waiting + self.steps[-1], self.data[-1], self.hops, self.reduced)


class Timer:
    """T(m, Q) of a plan for one m, in whole numbers until the last division."""

    def __init__(self, loads: PlanLoads, prices: Prices, m: Fraction) -> None:
        self.loads, self.prices, self.m = loads, prices, m
        self.data = loads.grain * m
        self.empty = prices.pieces[0].alpha
        """What a message of nothing costs."""
        self.turns = [
            piece.up_to / self.data if self.data and piece.up_to is not None else None
            for piece in prices.pieces
        ]
        """A step in Q segments that carries more than Q times this is on a later piece."""

    def at(self, segments: int) -> Fraction:
        """The time in so many segments."""
        base, deep = self.loads.split(segments)  # and segments with all under way
        kept = Totals.of(self.loads, base)
        fulls = [full for full in self.loads.fulls if any(full)] if deep else []
        prices, done = self.prices, 0
        waiting = kept.waiting + deep * sum(full.start_ups - 1 for full in fulls)
        hops = kept.hops + deep * sum(full.hops for full in fulls)
        reduced = kept.reduced + deep * sum(full.reduced for full in fulls)
        fixed = waiting * self.empty + hops * int(prices.hop * prices.unit)
        data = reduced * int(prices.add * prices.unit)
        for piece, turn in zip(prices.pieces, self.turns, strict=True):
            end = len(kept.carried)
            if turn is not None:
                most = turn.numerator * segments // turn.denominator
                end = bisect_right(kept.carried, most)
            fixed += (kept.steps[end] - kept.steps[done]) * piece.alpha
            data += (kept.data[end] - kept.data[done]) * piece.tau
            here = [full for full in fulls if turn is None or full.carried <= most]
            fulls = [full for full in fulls if turn is not None and full.carried > most]
            fixed += deep * len(here) * piece.alpha
            data += deep * sum(full.carried for full in here) * piece.tau
            done = end
        part, whole = self.data.numerator, self.data.denominator
        return Fraction(fixed * whole * segments + data * part, whole * segments * prices.unit)


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
    timer, steps = Timer(loads, prices, m), loads.depth
    whole = timer.at(1)
    if loads.plan.paced is not None:
        return _best_paced(timer, 0)
    line = isinstance(prices.cost, Linear)  # of pieces two short messages may cost less than one
    if not loads.segmentable or steps < (2 if line else 1):
        return BestSegments(1, whole, 1, "segments of this plan would not overlap")
    if line and _collides(loads):
        return BestSegments(1, whole, 1, "all steps use the busiest port and channel")
    best, tried = (whole, 1), 1
    first = max(2, steps)
    deep = _least(timer, first - 1, MOST_SEGMENTS + 1)[0] <= whole
    for ends in _deep(timer, first) if deep else ():
        if _least(timer, *ends)[0] <= best[0]:
            for Q in _middle(timer, ends[0] + 1, ends[1] - 1):
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
    few = f"of 2..{steps - 1} all others have a bound above it, and " if steps > 2 else ""
    note = (
        f"T({best[1]}) is the least of {tried} that were counted; {few}"
        f"from {steps} on T = A + B Q + C / Q"
    )
    return BestSegments(best[1], best[0], tried, note)


def _best_paced(timer: Timer, few: int) -> BestSegments:
    """The best number of segments above `few` of a plan with one for each; see `Paced`.

    For n modulo a turn, and all steps on one piece of the cost, T = A + B n + C / n.
    """
    paced = timer.loads.plan.paced
    assert paced is not None
    turn, tried = paced.turn, set[int]()
    for residue in paced.residues:
        base = 2 + (residue - 2) % turn
        starts = {max(base, few + 1), MOST_SEGMENTS + 1}
        data = {*Totals.of(timer.loads, base).carried, *(f.carried for f in timer.loads.fulls)}
        starts |= {ceil(c / t) for c in data - {0} for t in timer.turns if t is not None}
        kept = sorted(n for n in starts if max(base, few + 1) <= n <= MOST_SEGMENTS + 1)
        for low, high in pairwise(kept):  # n = base + k turn, low <= n < high
            first, last = -((base - low) // turn), (high - 1 - base) // turn
            if first <= last:
                tried |= set(_middle(timer, base + first * turn, base + last * turn, turn))
    tried |= {1} if few < 1 else set()
    best = min(((timer.at(n), n) for n in tried), default=(timer.at(few + 1), few + 1))
    only = "" if len(paced.residues) == turn else f" of 1 modulo {turn}"
    note = (
        f"T({best[1]}) is the least of {len(tried)} that were counted; from 2 on "
        f"T = A + B Q + C / Q for the Q{only} that are equal modulo {turn}"
    )
    return BestSegments(best[1], best[0], len(tried), note)


# -- over a range of sizes ------------------------------------------------------------------


def least_of_more(loads: PlanLoads, prices: Prices, m: Fraction, few: int) -> Fraction:
    """No time in more than a few segments is below this."""
    if loads.plan.paced is not None:
        below = (replace(prices, cost=line) for line in prices.cost.supports)
        times = (_best_paced(Timer(loads, line, m), few).time for line in below)
        return max(times, default=Fraction(0))  # a cost that begins at 0 may have no line below it
    return _least(Timer(loads, prices, m), few, MOST_SEGMENTS + 1)[0]


def least_slope(loads: PlanLoads, prices: Prices, most: Fraction) -> Fraction:
    """T grows by at least so much for every item, up to so many, however many segments there are.

    *Requires* a cost of which no longer message costs less.
    """
    largest = max((step.carried for step in loads.costs(1)), default=0) * loads.grain * most
    pieces, starts = prices.cost.pieces, [Fraction(0)]
    starts += [piece.up_to for piece in pieces if piece.up_to is not None]
    met = [piece.tau for piece, start in zip(pieces, starts, strict=True) if start <= largest]
    # of a paced plan every round has a message, and there are as many rounds as segments
    least = loads.full.carried if loads.plan.paced is None else 1
    return min(met) * loads.grain * least


def turns_of(
    loads: PlanLoads, prices: Prices, segments: int, low: Fraction, high: Fraction
) -> Iterator[Fraction]:
    """Whole sizes between which T(m) in so many segments is straight, low and high not among them.

    They are two for every step and piece of the cost: the last size at which the step is on the
    piece, and the next.
    """
    base, deep = loads.split(segments)
    data = {cost.carried for cost in loads.costs(base)}
    data |= {full.carried for full in loads.fulls} if deep else set()
    for piece in prices.cost.pieces[:-1] if loads.grain else ():  # a barrier has no data
        for carried in data - {0}:
            last = floor((piece.up_to or 0) * segments / (carried * loads.grain))
            yield from (Fraction(m) for m in (last, last + 1) if low < m < high)


# -- bounds ---------------------------------------------------------------------------------


def _collides(loads: PlanLoads) -> bool:
    """Whether no segments can pay: what is busiest in a step is so in all, so T(Q) >= T(1)."""
    single, full = Totals.of(loads, 1).all, loads.full
    return all(full[k] >= single[k] for k in (0, 1, 3))


def _least(timer: Timer, low: int, high: int) -> tuple[Fraction, int]:
    """No time in Q segments, low < Q < high, is below this; and the Q that comes nearest.

    *Requires* a plan whose segments follow one another, none that is paced.
    """
    loads, prices = timer.loads, timer.prices
    base, lag = min(low, max(1, loads.depth)), loads.plan.lag
    peak, full = _peaks(loads, base), loads.full
    start, data, hops, sums = (
        a - base * b for a, b in zip(Totals.of(loads, base).all, peak, strict=True)
    )
    hop, add = int(prices.hop * prices.unit), int(prices.add * prices.unit)
    part, whole = timer.data.numerator, timer.data.denominator
    bounds = [(Fraction(0), (low + high) // 2)]
    for line, wait in _lines(timer, low, high):
        # start-ups a + b Q, of which one a step is no wait, and data (c + d Q) / Q
        first = line.alpha - wait
        B = peak.start_ups * wait + first * lag + peak.hops * hop
        C = (data * line.tau + sums * add) * part
        rest = start * wait + first * (loads.plan.steps - lag) + hops * hop
        free = (peak.carried * line.tau + peak.reduced * add) * part
        Q = _lowest(B * whole, C, low + 1, high - 1)
        smooth = Fraction((rest + B * Q) * Q * whole + free * Q + C, Q * whole)
        # what all segments make the busiest rank start, and the busiest channel carry
        more = max(0, (full.start_ups - peak.start_ups) * (low + 1) - start)
        filled = rest + B * (low + 1) + more * wait
        bounds.append((max(smooth, filled + Fraction(full.carried * line.tau * part, whole)), Q))
    bound, Q = max(bounds)
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
        most = max(full.carried for full in timer.loads.fulls)
        if above and (turn is None or most <= turn * (low + 1)):
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
        peaks = [map(max, zip(*part.costs(segments), strict=True)) for part in loads.by_turn]
        kept[segments] = StepCost(*map(sum, zip(*peaks, strict=True)))
    return kept[segments]


def _deep(timer: Timer, first: int) -> Iterator[tuple[int, int]]:
    """low < Q < high from the first Q that is no fewer than steps, on one piece of the cost."""
    starts = {first, MOST_SEGMENTS + 1}
    data = {cost.carried for cost in timer.loads.costs(timer.loads.depth)} - {0}
    for turn in timer.turns:
        if turn is not None:
            starts |= {ceil(carried / turn) for carried in data}
    kept = sorted(Q for Q in starts if first <= Q <= MOST_SEGMENTS + 1)
    yield from ((low - 1, high) for low, high in pairwise(kept))


def _middle(timer: Timer, low: int, high: int, stride: int = 1) -> Iterator[int]:
    """The ends of low, low + stride, ..., high, and the Q next to where T is least.

    *Requires* T = A + B Q + C / Q there, which three values of it say.
    """
    x, y, z = low, low + (high - low) // stride // 2 * stride, high
    if x == y:
        yield from range(low, high + 1, stride)
        return
    t = {Q: timer.at(Q) for Q in (x, y, z)}
    first = (t[y] - t[x]) / (y - x)  # B - C / (x y)
    second = (t[z] - t[y]) / (z - y)
    C = (second - first) / (Fraction(1, x * y) - Fraction(1, y * z))
    B = first + C / (x * y)
    if B > 0 and C > 0:
        near = low + (isqrt(int(C / B)) - low) // stride * stride
        yield from (Q for Q in (near, near + stride) if low < Q < high)
    yield from (x, z)
