"""The time of a plan, exactly: start-ups, what the busiest channel or port carries, hops and sums.

A step takes a start-up for each message that waits, what the busiest channel or port carries, and
where it is asked for a latency for every channel of the longest route and the work of adding:

    t = start_ups α + carried m τ + hops λ + reduced m γ

with the cost α + L τ of `calibrate`, or any other of straight pieces: then the first message has
the cost of all that the step carries, and each that waits that of an empty one.

In Q segments (`Plan.segmented`) as many steps as the plan has, and Q - 1 more, take

    T(m, Q) = sum of t over the steps, with what is under way counted, and m / Q in place of m.

Steps on one piece of the cost are taken together: sorted by what they carry, they are a stretch.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import lcm
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
            busy = [each for each in loads.costs(segments).items() if any(each[0])]
            busy.sort(key=lambda each: each[0].carried)
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
        deep = max(0, segments - max(1, self.loads.plan.steps))  # steps with all under way
        kept = Totals.of(self.loads, segments - deep)
        full = self.loads.full if deep else StepCost(0, 0, 0, 0)
        prices, done = self.prices, 0
        fixed = (kept.waiting + deep * (full.start_ups - any(full))) * self.empty
        fixed += (kept.hops + deep * full.hops) * int(prices.hop * prices.unit)
        data = (kept.reduced + deep * full.reduced) * int(prices.add * prices.unit)
        for piece, turn in zip(prices.pieces, self.turns, strict=True):
            end = len(kept.carried)
            if turn is not None:
                most = turn.numerator * segments // turn.denominator
                end = bisect_right(kept.carried, most)
            fixed += (kept.steps[end] - kept.steps[done]) * piece.alpha
            data += (kept.data[end] - kept.data[done]) * piece.tau
            if any(full) and (turn is None or full.carried <= most):
                fixed, data = fixed + deep * piece.alpha, data + deep * full.carried * piece.tau
                full = StepCost(0, 0, 0, 0)
            done = end
        part, whole = self.data.numerator, self.data.denominator
        return Fraction(fixed * whole * segments + data * part, whole * segments * prices.unit)
