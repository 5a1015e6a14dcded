"""How far a machine, or the number of items, may be off before another degree is better.

**Ranges** (`sensitivity`). T(Q) is linear in each of α, τ and b, so Q stays optimal on an interval
of each: the end is where the line of Q meets the lower envelope of all others, found by Newton's
method in fractions. The best Q never falls when N grows (see `cost.optimum`), so the N with the
same best Q are an interval too, found by bisection.

**Intervals** (`degree_interval`). What is known of a measured cost are other costs that the
measurements allow as well: the ends of its intervals, or fits to the measurements drawn again.
Their best degrees and gains are intervals of Q and of T(1) / T(Q). For α + L τ two costs are
enough. With ρ = α/τ and β = b/τ, T(Q)/τ = P(Q) (ρ + N/Q) + (d + Q - 1) β. P(Q) and d + Q - 1 grow
with Q, so the best Q never rises with ρ or β. For each Q > 1 the gain

    (P(1) (ρ + N) + d β) / (P(Q) (ρ + N/Q) + (d + Q - 1) β)

falls with ρ when P(1) (d + Q - 1) <= d P(Q), which holds for every table of steps (no iteration
takes fewer steps than its dimensions do on average), and falls with β where it is at least 1. So
least and largest ρ and β bound both, and are attained.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.pipelining.cost.optimum import Optimum, exact_degree
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.degree import optimal_degree, optimum_of
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Cost

Range: TypeAlias = "tuple[Fraction, Fraction | float]"


class _SensitivityFields(NamedTuple):
    Q: int
    alpha: Range
    tau: Range
    barrier: Range
    N: tuple[int, int | float]
    """All N for which `optimal_degree` gives this Q."""
    machine: Machine
    items: int
    """The number of items N from which the ranges were computed."""
    model: Model


class Sensitivity(_SensitivityFields, Answer, view="sensitivity"):
    """Closed ranges in which Q stays a best degree when one quantity changes; inf if for ever."""

    __slots__ = ()

    @property
    def ratio(self) -> Range:
        """The range of α/τ when α changes; (0, inf) if τ = 0."""
        if not self.machine.tau:
            return Fraction(0), math.inf
        low, high = self.alpha
        return low / self.machine.tau, high if high == math.inf else high / self.machine.tau


@typed_arguments
def sensitivity(machine: Machine, N: int, model: Model = "schedule") -> Sensitivity:
    """Return the ranges of α, τ, b and N in which the best degree stays the best, exactly.

    Packets have N/Q items. One quantity changes at a time.

    Args:
        machine, N, model: as for `optimal_degree`; the cost is α + L τ.

    Raises:
        InputError: as for `optimal_degree`, or a cost of several pieces.

    >>> effects = sensitivity(Machine("16x16", alpha=500, tau=1), 4096, "load")
    >>> effects.Q, effects.N, [float(end) for end in effects.ratio]
    (4, (2182, 17600), [116.36363636363636, 938.6666666666666])
    """
    best = optimal_degree(machine, N, model)
    solver = optimum_of(machine, model)
    if not isinstance(solver, Optimum):
        rule = "must be α + L τ: the ranges are those of one α and one τ"
        raise InputError("machine.cost", rule, machine.cost)
    ticks = machine.in_ticks
    alpha, tau, b = (_range(solver, best.N, best.Q, place, ticks[3]) for place in range(3))
    return Sensitivity(
        best.Q, alpha, tau, b, _items(solver, best.N, best.Q), machine, best.N, model
    )


class _DegreeIntervalFields(NamedTuple):
    Q: tuple[int, int]
    gain: tuple[Fraction, Fraction]
    share: float
    """Of the costs, how many lie within: 1 is all of them."""
    costs: int


class DegreeInterval(_DegreeIntervalFields, Answer, view="degree-interval"):
    """Between which the best degree and its gain lie for the costs that were compared."""

    __slots__ = ()

    def __str__(self) -> str:
        low, high = self.Q
        return f"{low}" if low == high else f"{low} to {high}"


@typed_arguments
def degree_interval(
    machine: Machine,
    N: int,
    costs: Sequence[Cost],
    *,
    share: float = 1.0,
    model: Model = "schedule",
) -> DegreeInterval:
    """Return the intervals of the best degree and its gain, over costs a machine may have.

    Args:
        machine, N, model: as for `optimal_degree`; the cost of the machine counts too.
        costs: of a message of so many items.
        share: of the costs, from 0 to 1, that lie within each interval; the same number is left
            out at both ends.

    Raises:
        InputError: as for `optimal_degree`, or a share out of range.

    >>> from lccmodel.pipelining import Linear
    >>> machine = Machine("16x16", alpha=500, tau=1)
    >>> degrees = degree_interval(machine, 4096, [Linear(100, 1), Linear(1000, 1)])
    >>> degrees.Q, [round(float(gain), 3) for gain in degrees.gain]
    ((3, 10), [1.319, 2.008])
    >>> print(degrees, "or", degree_interval(machine, 4096, []))
    3 to 10 or 4
    """
    if not 0 <= share <= 1:
        raise InputError("share", "must be in 0..1", share)
    every = [machine.cost, *costs]
    best = [
        optimal_degree(
            Machine(machine.mesh, cost=cost, barrier=machine.barrier, ports=machine.ports), N, model
        )
        for cost in every
    ]
    # (1 - 0.9) / 2 * 20 is 0.9999999999999998 in floats, and one degree is to be left out
    out = int((1 - share) / 2 * len(every) + 1e-9)
    degrees, gains = sorted(optimum.Q for optimum in best), sorted(optimum.gain for optimum in best)
    last = len(every) - 1 - out
    return DegreeInterval(
        (degrees[out], degrees[last]), (gains[out], gains[last]), share, len(every)
    )


def _range(solver: Optimum, N: int, Q: int, place: int, unit: int) -> Range:
    lines = _Lines(solver, N, place)
    value = (solver.a, solver.tau, solver.b)[place]
    low, high = lines.newton(Q, Fraction(0)) if value else Fraction(0), lines.high(Q)
    return low / unit, high if high == math.inf else high / unit


class _Lines:
    """T(Q) = u(Q) + v(Q) θ, in ticks, where θ is α, τ or b."""

    def __init__(self, solver: Optimum, N: int, place: int) -> None:
        self.solver, self.N, self.place = solver, N, place
        self.unit = [int(k == place) for k in range(3)]
        self.rest = [solver.a, solver.tau, solver.b]
        self.rest[place] = 0

    def line(self, Q: int) -> tuple[Fraction, Fraction]:
        """(u, v)."""
        steps, iterations = self.solver.table.total(Q), self.solver.d + Q - 1
        u, v = (
            steps * (alpha + Fraction(self.N, Q) * tau) + iterations * b
            for alpha, tau, b in (self.rest, self.unit)
        )
        return u, v

    def best(self, ticks: Sequence[int]) -> int:
        """The best degree for these α, τ and b."""
        return exact_degree(self.solver.table, self.N, *ticks)

    def crossing(self, Q: int, other: int) -> Fraction:
        (u, v), (other_u, other_v) = self.line(Q), self.line(other)
        return (other_u - u) / (v - other_v)

    def high(self, Q: int) -> Fraction | float:
        other = self.best(self.unit)  # of the least slope: best for large θ
        if self.line(other)[1] == self.line(Q)[1]:
            return math.inf
        return self.newton(Q, self.crossing(Q, other))

    def newton(self, Q: int, theta: Fraction) -> Fraction:
        """From a value beyond the end, to the end of the range of Q."""
        while True:
            ticks = [time * theta.denominator for time in self.rest]
            ticks[self.place] = theta.numerator
            other = self.best(ticks)
            (u, v), (other_u, other_v) = self.line(Q), self.line(other)
            if other_u + other_v * theta >= u + v * theta:
                return theta
            theta = self.crossing(Q, other)


def _items(solver: Optimum, N: int, Q: int) -> tuple[int, int | float]:
    """The least and the largest N with the best degree Q."""
    low, high = 0, N
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if solver.degree(middle) == Q else (middle, high)
    first = high
    if _is_last(solver, Q):
        return first, math.inf
    low, high = N, 2 * N
    while solver.degree(high) == Q:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if solver.degree(middle) == Q else (low, middle)
    return first, low


def _is_last(solver: Optimum, Q: int) -> bool:
    """Whether no N has a larger best degree."""
    if solver.deep_from is None:
        return solver.degree(max(solver.d, solver.last_change)) == Q
    return solver.gain == 0 and solver.d == Q
