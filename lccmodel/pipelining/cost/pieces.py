"""The exact best degree when a message costs straight pieces, `lccmodel.pipelining.message_cost`.

A packet of N/Q items lies in piece k for N/u_k <= Q < N/u_(k-1), an interval of Q on which
T(Q) = P(Q) (α_k + N/Q τ_k) + (d + Q - 1) b is the paper's. Shallow degrees are compared one by
one; deep ones, P = A + B Q, give a convex T on each interval, whose best Q is the whole number
nearest to where T stops falling, moved into the interval. So one candidate for each piece is
enough, and the comparison is in whole numbers throughout.

With whole items, ⌈N/Q⌉ to a packet, the pieces end at whole sizes ⌊u_k⌋, and T is no longer convex.
Of the deep degrees only corners of a hull can be the best, and of these only those whose convex
time is at most the best time found (`hull`). α + L τ is one piece.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate

from lccmodel.pipelining.cost.hull import corners
from lccmodel.pipelining.cost.optimum import Stretch, least_convex
from lccmodel.pipelining.cost.sums import StepTable
from lccmodel.pipelining.message_cost import Piece


class PiecewiseOptimum:
    """The best degree for any N, for one table of step counts, one cost and one barrier.

    Packets have N/Q items, a fraction if need be.
    """

    __slots__ = ("b", "d", "ends", "floors", "lines", "table", "unit")

    def __init__(self, table: StepTable, pieces: Sequence[Piece], barrier: Fraction) -> None:
        self.table, self.d = table, table.d
        times = [barrier, *(t for piece in pieces for t in (piece.alpha, piece.tau))]
        self.unit = math.lcm(*(time.denominator for time in times))
        self.b = int(barrier * self.unit)
        self.lines = [(int(p.alpha * self.unit), int(p.tau * self.unit)) for p in pieces]
        # an end n/m stands as (n, m): N/Q <= n/m is N m <= Q n, in whole numbers
        self.ends = [(0, 1), *(_parts(p.up_to) for p in pieces if p.up_to is not None)]
        # no message of a piece, or of one before it, costs less than its floor
        starts = (a + n * t // m for (a, t), (n, m) in zip(self.lines, self.ends, strict=True))
        self.floors = list(accumulate(starts, min)) if table.B >= 0 else [0] * len(self.lines)

    def degree(self, N: int) -> int:
        """The smallest best Q in 1..N."""
        shallow, b, d, A, B = self.table.shallow, self.b, self.d, self.table.A, self.table.B
        best, least = 0, 0
        ends, lines = self.ends, self.lines
        k = len(lines) - 1
        (n, m), (alpha, tau) = ends[k], lines[k]
        for Q in range(1, min(d, N + 1)):  # packets shrink, so pieces only go down
            while N * m <= Q * n:
                k -= 1
                (n, m), (alpha, tau) = ends[k], lines[k]
            ticks = shallow[Q] * (Q * alpha + N * tau) + Q * (d + Q - 1) * b
            if not best or ticks * best < least * Q:
                best, least = Q, ticks
        first = d
        while first <= N:
            while N * m <= first * n:
                k -= 1
                (n, m), (alpha, tau) = ends[k], lines[k]
            if best and (A + B * first) * self.floors[k] * best >= least:
                return best  # more packets take more steps, and none costs less
            last = min(N, (N * m - 1) // n) if n else N
            Q = least_convex(A * tau * N, B * alpha + b, first, last)
            ticks = (A + B * Q) * (Q * alpha + N * tau) + Q * (d + Q - 1) * b
            if not best or ticks * best < least * Q:
                best, least = Q, ticks
            first = last + 1
        return best

    def candidates(self, N: int) -> Iterator[int]:
        """All of the shallow degrees, and the best deep one of each piece."""
        yield from range(1, min(self.d, N + 1))
        for stretch in self.stretches(N):
            yield self.deep(N, stretch)

    def stretches(self, N: int) -> list[Stretch]:
        """The intervals of deep Q whose packets lie in one piece, ascending; they cover d..N."""
        found = []
        first, k = self.d, len(self.lines) - 1
        while first <= N:
            while N * self.ends[k][1] <= first * self.ends[k][0]:
                k -= 1
            n, m = self.ends[k]
            last = min(N, (N * m - 1) // n if n else N)
            found.append(Stretch(first, last, k))
            first = last + 1
        return found

    def deep(self, N: int, stretch: Stretch) -> int:
        """The smallest Q of the stretch for which the line of its piece is least."""
        alpha, tau = self.lines[stretch.piece]
        falling, rising = self.table.A * tau * N, self.table.B * alpha + self.b
        return least_convex(falling, rising, stretch.first, stretch.last)

    def scaled(self, N: int, Q: int) -> int:
        """Q times the time in ticks, a whole number."""
        k = len(self.lines) - 1
        while N * self.ends[k][1] <= Q * self.ends[k][0]:
            k -= 1
        return self.on_line(N, Q, k)

    def on_line(self, N: int, Q: int, piece: int) -> int:
        """Q times the time in ticks, with N/Q items and the line of a piece."""
        alpha, tau = self.lines[piece]
        return self.table.total(Q) * (Q * alpha + N * tau) + Q * (self.d + Q - 1) * self.b

    def time(self, N: int, Q: int) -> Fraction:
        """T(Q)."""
        return Fraction(self.scaled(N, Q), Q * self.unit)


class WholePieces(PiecewiseOptimum):
    """The same with the largest packet, of ⌈N/Q⌉ items, as the length of a step."""

    __slots__ = ()

    def __init__(self, table: StepTable, pieces: Sequence[Piece], barrier: Fraction) -> None:
        super().__init__(table, pieces, barrier)
        whole = [(n // m, 1) for n, m in self.ends]
        kept = [k for k, (n, _) in enumerate(whole) if k + 1 == len(whole) or whole[k + 1][0] > n]
        self.ends = [whole[k] for k in kept]
        self.lines = [self.lines[k] for k in kept]

    def degree(self, N: int) -> int:
        """The smallest best Q in 1..N."""
        best, least = 0, 0
        for Q in self.candidates(N):
            ticks = self.scaled(N, Q)
            if not best or ticks * best < least * Q:
                best, least = Q, ticks
        return best

    def candidates(self, N: int) -> Iterator[int]:
        """All of the shallow degrees, and the deep ones of each piece that can be the best."""
        yield from range(1, min(self.d, N + 1))
        if self.table.B < 0:  # no model's: then more packets may take less time
            yield from range(self.d, N + 1)
            return
        for stretch in self.stretches(N):
            even, whole = partial(self._even, N, stretch.piece), partial(self.scaled, N)
            first, last, _ = stretch
            yield from corners(N, first, last, self.deep(N, stretch), even, whole)

    def _even(self, N: int, piece: int, Q: int) -> int:
        return self.on_line(N, Q, piece)

    def scaled(self, N: int, Q: int) -> int:
        """Q times the time in ticks."""
        length = -(-N // Q)
        k = len(self.lines) - 1
        while length <= self.ends[k][0]:
            k -= 1
        alpha, tau = self.lines[k]
        return Q * (self.table.total(Q) * (alpha + length * tau) + (self.d + Q - 1) * self.b)


def _parts(end: Fraction) -> tuple[int, int]:
    return end.numerator, end.denominator
