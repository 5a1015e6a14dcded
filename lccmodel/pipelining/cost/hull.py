"""Which degrees can be the best when packets hold whole items: corners of a convex hull.

With Q packets of at most L = ⌈N/Q⌉ items a deep pipeline takes, up to a constant,

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

from collections.abc import Callable, Iterator
from math import isqrt

from lccmodel.errors import SizeLimitError

MOST_CORNERS = 1 << 22


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
            if count > MOST_CORNERS:
                rule = f"more than {MOST_CORNERS} numbers of packets would be compared"
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
