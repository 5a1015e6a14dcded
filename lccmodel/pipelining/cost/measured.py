"""The cost of a message as it was measured, and the exact best degree for it.

A measured cost is a list of straight pieces: a message of L items takes α_k + L τ_k while
u_(k-1) < L <= u_k. Protocols change at the u_k (eager, rendezvous), a table of times is straight
between its sizes, and LogGP is one piece and a floor:

    LogGP       o + (L - 1) G + latency + o, at least g between two messages of a node
    α + L τ     one piece

A packet of N/Q items lies in piece k for N/u_k <= Q < N/u_(k-1), an interval of Q on which
T(Q) = P(Q) (α_k + N/Q τ_k) + (d + Q - 1) b is the paper's. Shallow degrees are compared one by
one; deep ones, P = A + B Q, give a convex T on each interval, whose best Q is the whole number
nearest to where T stops falling, moved into the interval. So one candidate for each piece is
enough, and the comparison is in whole numbers throughout.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, pairwise
from math import isqrt
from typing import Any, NamedTuple

from lccmodel.errors import InputError, checked_integer
from lccmodel.network import Mesh
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.cost.sums import StepTable, step_table
from lccmodel.pipelining.embedding import as_mesh
from lccmodel.pipelining.loads import Ports
from lccmodel.pipelining.machine import Linear, exact

__all__ = ["MeasuredDegree", "Piece", "Piecewise", "PiecewiseOptimum", "measured_degree"]


class Piece(NamedTuple):
    """Messages of at most `up_to` items (None: any number) take alpha + items tau."""

    up_to: Fraction | None
    alpha: Fraction
    tau: Fraction


@dataclass(frozen=True)
class Piecewise:
    """A cost of straight pieces, smallest messages first.

    Args:
        pieces: (up_to, alpha, tau); up_to rises, and is None for the last piece alone. tau is at
            least 0; alpha may be negative where a piece is steep, as long as no message costs less
            than nothing.

    Raises:
        InputError: no pieces, sizes that do not rise, a last piece that ends, or a negative time.

    >>> cost = Piecewise([(8, 2, 1), (None, 10, "1/2")])
    >>> cost.time(8), cost.time(9)
    (Fraction(10, 1), Fraction(29, 2))
    """

    pieces: tuple[Piece, ...]

    def __init__(self, pieces: Iterable[Any]) -> None:
        made = tuple(_checked_piece(*piece) for piece in pieces)
        ends = [piece.up_to for piece in made]
        if not made or ends[-1] is not None or None in ends[:-1]:
            rule = "must be a list of (up_to, alpha, tau), with None as the last up_to alone"
            raise InputError("pieces", rule, [tuple(map(str, piece)) for piece in made])
        starts = [Fraction(0), *(end for end in ends if end is not None)]
        if any(low >= high for low, high in pairwise(starts)):
            raise InputError("pieces", "sizes must rise from above 0", [str(end) for end in ends])
        for low, piece in zip(starts, made, strict=True):
            if piece.alpha + low * piece.tau < 0:
                raise InputError("pieces", "no message may cost less than nothing", str(piece))
        object.__setattr__(self, "pieces", made)

    @classmethod
    def linear(cls, cost: Linear) -> Piecewise:
        """One piece: α + L τ."""
        return cls([(None, cost.alpha, cost.tau)])

    @classmethod
    def loggp(cls, L: Any, o: Any, g: Any, G: Any) -> Piecewise:
        """LogGP: latency L, overhead o, gap g between messages, gap G per item.

        A step of the exchange ends when its message has arrived, and not before the node may
        send again: max(o + (items - 1) G + L + o, g).

        >>> cost = Piecewise.loggp(L=5, o=2, g=12, G=1)
        >>> [int(cost.time(items)) for items in (1, 4, 5, 100)]
        [12, 12, 13, 108]
        """
        latency, overhead, gap, per = (
            exact(n, v) for n, v in zip("LogG", (L, o, g, G), strict=True)
        )
        alpha = latency + 2 * overhead - per
        if gap <= alpha + per:  # even a message of one item takes as long
            return cls([(None, alpha, per)])
        if not per:
            return cls([(None, gap, 0)])
        return cls([((gap - alpha) / per, gap, 0), (None, alpha, per)])

    @classmethod
    def table(cls, sizes: Sequence[Any], times: Sequence[Any]) -> Piecewise:
        """Straight lines between measured sizes; the first and the last line go on.

        Raises:
            InputError: fewer than two sizes, sizes that do not rise, or times that fall.

        >>> Piecewise.table([1, 9, 17], [10, 14, 22]).time(13)
        Fraction(18, 1)
        """
        points = [(exact("sizes", s), exact("times", t)) for s, t in zip(sizes, times, strict=True)]
        if len(points) < 2:
            raise InputError("sizes", "must name at least two sizes", len(points))
        pieces: list[tuple[Fraction | None, Fraction, Fraction]] = []
        for (s, t), (other, later) in pairwise(points):
            if other <= s or later < t:
                rule = "must rise, and times must not fall"
                raise InputError("sizes", rule, (str(other), str(later)))
            tau = (later - t) / (other - s)
            pieces.append((other, t - tau * s, tau))
        first, last = pieces[0], pieces[-1]
        if first[1] < 0:  # the first line would cost less than nothing at 0 items
            pieces.insert(0, (points[0][0], Fraction(0), points[0][1] / points[0][0]))
        pieces[-1] = (None, last[1], last[2])
        return cls(pieces)

    def time(self, items: Fraction | int) -> Fraction:
        """The time of a message."""
        piece = self.pieces[self.piece_of(Fraction(items))]
        return piece.alpha + items * piece.tau

    def piece_of(self, items: Fraction) -> int:
        """The number of the piece that holds a message of so many items."""
        ends = [piece.up_to for piece in self.pieces if piece.up_to is not None]
        return bisect_left(ends, items)

    def scaled(self, items: Any) -> Piecewise:
        """The same cost with `items` old items as one new item: bytes per item, for instance."""
        factor = exact("items", items)
        if not factor:
            raise InputError("items", "must be more than 0", items)
        return Piecewise(
            (None if p.up_to is None else p.up_to / factor, p.alpha, p.tau * factor)
            for p in self.pieces
        )


def _checked_piece(up_to: Any, alpha: Any, tau: Any) -> Piece:
    start = alpha if isinstance(alpha, Fraction) else exact("alpha", alpha)
    return Piece(None if up_to is None else exact("up_to", up_to), start, exact("tau", tau))


class PiecewiseOptimum:
    """The best degree for any N, for one table of step counts, one cost and one barrier."""

    __slots__ = ("b", "cost", "d", "pieces", "table", "unit")

    def __init__(self, table: StepTable, cost: Piecewise, barrier: Fraction) -> None:
        self.table, self.cost, self.d = table, cost, table.d
        times = [barrier, *(t for piece in cost.pieces for t in (piece.alpha, piece.tau))]
        self.unit = math.lcm(*(time.denominator for time in times))
        self.b = int(barrier * self.unit)
        # up_to is kept as (numerator, denominator): N/Q <= n/m is N m <= Q n, in whole numbers
        self.pieces = [
            (
                None if up_to is None else (up_to.numerator, up_to.denominator),
                int(alpha * self.unit),
                int(tau * self.unit),
            )
            for up_to, alpha, tau in cost.pieces
        ]

    def times(self, N: int) -> dict[int, Fraction]:
        """T of every candidate: all shallow degrees, and the best deep one of each piece."""
        found = {Q: Fraction(t, Q * self.unit) for Q, t in chain(self._shallow(N), self._deep(N))}
        return dict(sorted(found.items()))

    def degree(self, N: int) -> int:
        """The smallest best Q in 1..N."""
        best, least = 0, 0
        for Q, ticks in chain(self._shallow(N), self._deep(N)):
            here, there = ticks * best, least * Q
            if not best or here < there or (here == there and Q < best):
                best, least = Q, ticks
        return best

    def _shallow(self, N: int) -> Iterator[tuple[int, int]]:
        """Every shallow degree with Q times its time; packets shrink, so pieces only go down."""
        shallow, b, d = self.table.shallow, self.b, self.d
        left = len(self.pieces) - 1
        (n, m), (_, alpha, tau) = self._end_below(left), self.pieces[left]
        for Q in range(1, min(d, N + 1)):
            while N * m <= Q * n:
                left -= 1
                (n, m), (_, alpha, tau) = self._end_below(left), self.pieces[left]
            yield Q, shallow[Q] * (Q * alpha + N * tau) + Q * (d + Q - 1) * b

    def _end_below(self, piece: int) -> tuple[int, int]:
        """Where the piece before this one ends; nothing lies below the first."""
        end = self.pieces[piece - 1][0] if piece else None
        return end or (0, 1)

    def _deep(self, N: int) -> Iterator[tuple[int, int]]:
        """The best deep degree of every piece with Q times its time."""
        A, B, b, d = self.table.A, self.table.B, self.b, self.d
        last = N  # the largest Q whose packets lie in this piece
        for end, alpha, tau in self.pieces:
            first = d if end is None else max(d, -(-N * end[1] // end[0]))
            if first <= last:
                Q = self._convex(A * tau * N, B * alpha + b, first, last)
                yield Q, (A + B * Q) * (Q * alpha + N * tau) + Q * (d + Q - 1) * b
                last = first - 1

    @staticmethod
    def _convex(falling: int, rising: int, first: int, last: int) -> int:
        """The best Q in first..last of falling / Q + Q rising, the smallest of equals."""
        if rising <= 0:
            return last if falling or rising else first
        K = -(-falling // rising)
        return min(max((isqrt(4 * K) + 1) >> 1, first), last)


class MeasuredDegree(NamedTuple):
    """The best degree under a measured cost, and the times of all candidates."""

    mesh: Mesh
    N: int
    Q: int
    time: Fraction
    gain: Fraction
    """T(1) / T(Q)."""
    times: dict[int, Fraction]
    """T of every candidate: all shallow degrees and one deep degree for each piece."""
    proof: str

    def __repr__(self) -> str:
        return f"MeasuredDegree(Q={self.Q}, N={self.N}, gain={float(self.gain):.4g})"


def measured_degree(
    mesh: Mesh | str,
    cost: Piecewise | Linear,
    N: int,
    *,
    barrier: Any = 0,
    model: Model = "schedule",
    ports: Ports = "one",
) -> MeasuredDegree:
    """The number of packets 1 <= Q <= N of the least time under a measured cost, exactly.

    Args:
        mesh: a mesh or torus of power-of-two sides, or its word.
        cost: of a message of so many items.
        N: items that a process exchanges in each dimension, at least 1.
        barrier: time of the barrier after an iteration.
        model, ports: as for `optimal_degree`.

    Raises:
        InputError: a value out of range or of another type.

    >>> measured_degree("16x16", Linear(500, 1), 4096).Q    # as optimal_degree says
    4
    >>> eager = Piecewise([(512, 100, 1), (None, 900, 1)])   # short messages start quickly
    >>> measured_degree("16x16", eager, 4096).Q
    10
    """
    if isinstance(cost, Linear):
        cost = Piecewise.linear(cost)
    if not isinstance(cost, Piecewise):
        raise InputError("cost", "must be a Piecewise or a Linear cost", cost)
    N = checked_integer("N", N)
    if N < 1:
        raise InputError("N", "must be at least 1: a message of no items is not sent", N)
    network = as_mesh(mesh)
    wait = exact("barrier", barrier)
    solver = PiecewiseOptimum(step_table(network, model, ports), cost, wait)
    Q = solver.degree(N)
    times = solver.times(N)
    best, whole = times[Q], solver.table.total(1) * cost.time(N) + solver.d * wait
    gain = whole / best if best else Fraction(1)
    pieces = f" and one deep degree for each of {len(cost.pieces)} pieces, on which T is convex"
    proof = f"exact: {min(solver.d - 1, N)} shallow degrees compared one by one{pieces}"
    return MeasuredDegree(network, N, Q, best, gain, times, proof)
