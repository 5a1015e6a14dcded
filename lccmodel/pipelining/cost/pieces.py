"""The exact best degree when a message costs straight pieces, `lccmodel.pipelining.machine`.

A packet of N/Q items lies in piece k for N/u_k <= Q < N/u_(k-1), an interval of Q on which
T(Q) = P(Q) (α_k + N/Q τ_k) + (d + Q - 1) b is the paper's. Shallow degrees are compared one by
one; deep ones, P = A + B Q, give a convex T on each interval, whose best Q is the whole number
nearest to where T stops falling, moved into the interval. So one candidate for each piece is
enough, and the comparison is in whole numbers throughout.

With **whole items**, at most L = ⌈N/Q⌉ to a packet, the pieces end at whole sizes ⌊u_k⌋, and T is
no longer convex: up to a constant a deep pipeline takes

    F(Q, L) = (A + B Q) (α + L τ) + Q b,        A, B >= 0,

over the lattice points with Q L >= N. No point but a corner of the lower convex hull of the points
(Q, ⌈N/Q⌉) is needed:

- F does not fall when Q or L grows, so a point above the hull is no better than the one below it
  on an edge;
- along an edge Q grows and L falls, so Q L is concave there, and with it F: on an edge F is least
  at an end, and if a point between the ends is as good, so is the end with the smaller Q.

There are about N^(1/3) corners in all, against √N lengths of packets; and those whose time with
N/Q items, which F is never below, exceeds the best time found are not looked at. About N^(1/6) are
left: 10^5 for N = 10^30.

The corner after P = (x, y) is the lattice point P + (a, -b) with the largest b/a. The region
Q L >= N is convex and holds P; so, of two directions (a, b) with determinant 1 of which one,
L, leads to a point of it and the steeper one, R, does not, all between them are p L + q R, and if
L + R leads to none, nothing between it and R does, by convexity: the tree of Stern and Brocot.
Each run of equal steps is the root of a quadratic.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import isqrt

from lccmodel.errors import SizeLimitError
from lccmodel.pipelining.cost.optimum import Stretch, least_convex
from lccmodel.pipelining.cost.steps import StepTable
from lccmodel.pipelining.message_cost import Piece

_MOST_CORNERS = 1 << 22


def corners(
    N: int,
    first: int,
    last: int,
    guess: int,
    even: Callable[[int], int],
    whole: Callable[[int], int],
) -> list[int]:
    """The degrees first..last that can be the best with whole items, ascending.

    Args:
        guess: of first..last, where the time with N/Q items is least.
        even, whole: Q times the time in ticks with N/Q and with ⌈N/Q⌉ items; the first is convex
            and never the larger.

    Raises:
        SizeLimitError: more than 2^22 degrees.
    """
    length = -(-N // guess)
    start = max(first, -(-N // length))
    best = min(whole(start) // start, whole(guess) // guess)

    def inside(degrees: Iterator[int]) -> Iterator[int]:
        """Up to the first whose time with N/Q items is above the best time found."""
        nonlocal best
        for count, Q in enumerate(degrees):
            if count > _MOST_CORNERS:
                rule = f"more than {_MOST_CORNERS} numbers of packets would be compared"
                raise SizeLimitError("N", rule, N)
            yield Q
            best = min(best, whole(Q) // Q)
            if even(Q) > best * Q:
                return

    right = list(inside(x for x, _ in _walk(N, start, length, last - start, length - 1)))
    left = list(inside(y for _, y in _walk(N, length, start, N, start - first)))
    return [*reversed(left), start, *right]


def _walk(N: int, x: int, y: int, right: int, down: int) -> Iterator[tuple[int, int]]:
    """The corners after (x, y), y = ⌈N/x⌉, at most so far to the right and down."""
    while right > 0 and down > 0:
        a, b = _steepest(N, x, y, right, down)
        if not b:
            return
        times = min(_last(N, x, y, a, b), right // a, down // b)
        x, y = x + times * a, y - times * b
        right, down = right - times * a, down - times * b
        yield x, y


def _steepest(N: int, x: int, y: int, right: int, down: int) -> tuple[int, int]:
    """The direction (a, b), a <= right and b <= down, of the largest b/a to a point (x+a, y-b)."""
    la, lb = 1, min(down, y + -N // (x + 1))
    ra, rb = 0, 1
    while True:
        k = _first(N, x + ra, y - rb, la, lb)
        if k is None or ra + k * la > right or rb + k * lb > down:
            return la, lb
        ra, rb = ra + (k - 1) * la, rb + (k - 1) * lb
        la, lb = ra + la, rb + lb
        j = min(_last(N, x + la, y - lb, ra, rb), (down - lb) // rb)
        if ra:
            j = min(j, (right - la) // ra)
        la, lb = la + j * ra, lb + j * rb


def _first(N: int, x: int, y: int, a: int, b: int) -> int | None:
    """The least k >= 1 with (x + k a) (y - k b) >= N, which does not hold for k = 0."""
    short = N - x * y
    if not b:
        return -(-short // (a * y)) if y > 0 else None
    m, square = a * y - b * x, a * b
    if m <= 0 or (inner := m * m - 4 * square * short) < 0:
        return None
    k = -((isqrt(inner) - m) // (2 * square))  # the smaller root: 2 k a b - m is whole
    return k if (x + k * a) * (y - k * b) >= N else None


def _last(N: int, x: int, y: int, a: int, b: int) -> int:
    """The largest k >= 0 with (x + k a) (y - k b) >= N, which holds for k = 0."""
    spare = x * y - N
    if not a:
        return spare // (b * x)
    m, square = a * y - b * x, a * b
    return (m + isqrt(m * m + 4 * square * spare)) // (2 * square)


def is_empty_below(N: int, Q: int, other: int) -> bool:
    """Whether no point between two degrees lies below the line through (Q, ⌈N/Q⌉) and the other.

    Only the nearest parallel line of lattice points is looked at: with a point further below, a
    triangle of lattice points stands on the edge, more than one line high; by Pick's theorem it
    holds another one, which is nearer, and all of it is in the convex region.
    """
    y, lower = -(-N // Q), -(-N // other)
    a, b = other - Q, y - lower
    if b <= 0:
        return b == 0 and other == Q + 1
    g, u, v = _euclid(a, b)
    a, b = a // g, b // g
    x0, y0 = Q + u, y - v  # one line below the edge: a v - b u = 1
    low, high = -((x0 - Q - 1) // a), (other - 1 - x0) // a  # Q < x0 + k a < other
    return not _some(N, x0, y0, a, b, low, high)


def _some(N: int, x: int, y: int, a: int, b: int, low: int, high: int) -> bool:
    """Whether (x + k a) (y - k b) >= N for some k of low..high: a parabola of k."""
    if low > high:
        return False
    top = (a * y - b * x) // (2 * a * b)
    near = {min(max(k, low), high) for k in (top, top + 1)}
    return any((x + k * a) * (y - k * b) >= N for k in near)


def _euclid(a: int, b: int) -> tuple[int, int, int]:
    """(g, u, v) with a v - b u = g, the greatest common divisor of a and b."""
    u, v, p, q = 0, 1, -1, 0  # a v - b u and a q - b p as Euclid goes on
    while b:
        f, (a, b) = a // b, (b, a % b)
        u, v, p, q = p, q, u - f * p, v - f * q
    return a, u, v


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
        self.ends = [(0, 1), *(p.up_to.as_integer_ratio() for p in pieces if p.up_to is not None)]
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
        pieces = []
        first, k = self.d, len(self.lines) - 1
        while first <= N:
            while N * self.ends[k][1] <= first * self.ends[k][0]:
                k -= 1
            n, m = self.ends[k]
            last = min(N, (N * m - 1) // n if n else N)
            pieces.append(Stretch(first, last, k))
            first = last + 1
        return pieces

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
