"""The exact integer optimum of T(Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b over 1 <= Q <= N.

T is not unimodal in Q: below d the step counts follow parity and residues. So the two regimes are
treated apart, in integers, with α, τ and b as whole ticks.

Deep, Q >= d: P = A + B Q with A >= 0, and up to a constant T is Q (Bα + b) + A N τ / Q, which is
convex. T(Q) <= T(Q+1) means Q (Q+1) >= K = A N τ / (Bα + b), so the smallest such Q is the best,
and (2Q + 1)² > 4⌈K⌉ gives it by one integer square root.

Shallow, Q < d: each Q is a line in N, with slope τ P/Q. As P never falls with Q, a line that is
not less steep than the line of a smaller Q is never below it; the others have falling slopes, and
their lower envelope is a list of values of N at which the best Q moves on.

By the same argument the best Q never falls when N grows, so one value of N separates the regimes.
Ties go to the smallest Q throughout.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from lccmodel.pipelining.cost.steps import StepTable


class Stretch(NamedTuple):
    """Deep degrees first..last on which T with N/Q items is convex: packets lie in one piece."""

    first: int
    last: int
    piece: int


class Optimum:
    """The best degree for any N, for one table of step counts and times in ticks.

    Packets have N/Q items, a fraction if need be.
    """

    __slots__ = (
        "B_cost",
        "_from",
        "_shallow",
        "a",
        "b",
        "d",
        "deep_from",
        "gain",
        "in_order",
        "table",
        "tau",
        "unit",
    )

    def __init__(self, table: StepTable, alpha: int, tau: int, barrier: int, unit: int = 1) -> None:
        self._state(table, alpha, tau, barrier)
        self.unit = unit
        self.in_order = table.increasing
        self._from, self._shallow = self._envelope()
        self.deep_from = self._first_deep()

    def _state(self, table: StepTable, alpha: int, tau: int, barrier: int) -> None:
        """All that `candidates` and `least` need."""
        self.table = table
        self.a, self.tau, self.b = alpha, tau, barrier
        self.d = table.d
        self.gain = table.A * tau
        self.B_cost = table.B * alpha + barrier

    def degree(self, N: int) -> int:
        """The smallest best Q in 1..N."""
        deep_from = self.deep_from
        if deep_from is not None and N >= deep_from:
            return self.deep(N)
        if N < self.d or not self.in_order:
            return self.least(N, self.candidates(N))
        return self._shallow[bisect_right(self._from, N) - 1]

    @property
    def last_change(self) -> int:
        """The N from which on the best shallow degree stays the same."""
        return self._from[-1] if self._from else 1

    def deep(self, N: int) -> int:
        """The smallest best Q in d..N, for N >= d."""
        if not self.B_cost:
            return N if self.gain else self.d
        K = -(-self.gain * N // self.B_cost)
        Q = (isqrt(4 * K) + 1) >> 1
        if Q < self.d:
            return self.d
        return Q if Q < N else N  # min and max would take a sixth of the whole call

    def candidates(self, N: int) -> Iterable[int]:
        """All of the shallow degrees, and the best deep one."""
        yield from range(1, min(self.d, N + 1))
        if self.d <= N:
            yield self.deep(N)

    def least(self, N: int, degrees: Iterable[int]) -> int:
        """The degree of the least time, the first of equals."""
        best, best_ticks = 0, 0
        for Q in degrees:
            ticks = self.scaled(N, Q)
            if not best or ticks * best < best_ticks * Q:
                best, best_ticks = Q, ticks
        return best

    def scaled(self, N: int, Q: int) -> int:
        """Q times the time in ticks, a whole number."""
        steps = self.table.total(Q)
        return steps * (Q * self.a + N * self.tau) + Q * (self.d + Q - 1) * self.b

    def on_line(self, N: int, Q: int, piece: int = 0) -> int:
        """Q times the time in ticks, with N/Q items."""
        return self.scaled(N, Q)

    def time(self, N: int, Q: int) -> Fraction:
        """T(Q), of `unit` ticks to one."""
        return Fraction(self.scaled(N, Q), Q * self.unit)

    def stretches(self, N: int) -> list[Stretch]:
        """d..N, on which T is convex."""
        return [Stretch(self.d, N, 0)] if self.d <= N else []

    def _envelope(self) -> tuple[list[int], list[int]]:
        """(values of N, the best shallow Q from each on), for N >= d - 1."""
        starts: list[int] = []
        best: list[int] = []
        for Q in range(1, self.d):
            start = self._start(Q, starts, best)
            if start is not None:
                starts.append(start)
                best.append(Q)
        return starts, best

    def _start(self, Q: int, starts: list[int], best: list[int]) -> int | None:
        """The first N for which Q is the best so far; drops what Q leaves no N for."""
        while best:
            start = self._overtakes(best[-1], Q)
            if start is None or start > starts[-1]:
                return start
            starts.pop()
            best.pop()
        return 1

    def _overtakes(self, smaller: int, Q: int) -> int | None:
        """The first N at which Q is better than a smaller degree; None if never."""
        P, R = self.table.shallow[smaller], self.table.shallow[Q]
        less_steep = (P * Q - R * smaller) * self.tau
        if less_steep <= 0:
            return None
        dearer = (R - P) * self.a + (Q - smaller) * self.b
        return dearer * smaller * Q // less_steep + 1

    def _first_deep(self) -> int | None:
        """The first N >= d from which on a deep degree is better than all shallow ones."""
        if self.d == 1:
            return 1
        table = self.table
        flatter = all(P > Q * table.B for Q, P in enumerate(table.shallow[1:], start=1))
        if not (self.in_order and flatter and self.tau):
            return None
        low, high = self.d - 1, self.d
        while not self._deep_is_better(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            if self._deep_is_better(middle):
                high = middle
            else:
                low = middle
        return high

    def _deep_is_better(self, N: int) -> bool:
        shallow = self._shallow[bisect_right(self._from, N) - 1]
        deep = self.deep(N)
        return self.scaled(N, deep) * shallow < self.scaled(N, shallow) * deep


def exact_degree(table: StepTable, N: int, alpha: int, tau: int, barrier: int) -> int:
    """The best degree of one point, by comparing its candidates; times in ticks.

    >>> from lccmodel.pipelining.cost.steps import step_table
    >>> exact_degree(step_table("mesh:16x16", "load"), 4096, 500, 1, 0)
    4
    """
    solver = Optimum.__new__(Optimum)
    solver._state(table, alpha, tau, barrier)
    return solver.least(N, solver.candidates(N))


def least_convex(falling: int, rising: int, first: int, last: int) -> int:
    """The best Q in first..last of falling / Q + Q rising, the smallest of equals."""
    if rising <= 0:
        return last if falling or rising else first
    K = -(-falling // rising)
    return min(max((isqrt(4 * K) + 1) >> 1, first), last)
