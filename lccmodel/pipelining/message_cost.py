"""What a message of L items costs: α + L τ [calmant (1)], or straight pieces as measured.

A cost is a list of straight pieces: a message of L items takes α_k + L τ_k while
u_(k-1) < L <= u_k. Protocols change at the u_k (eager, rendezvous), a table of times is straight
between its sizes, and LogGP is one piece and a floor:

    α + L τ     one piece: `Linear`, the cost of the paper
    LogGP       o + (L - 1) G + latency + o, at least g between two messages of a node

Times are kept as exact fractions, so that comparing two degrees is never a matter of rounding.
"""

from __future__ import annotations

import math
import numbers
import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments

_LONG_EXPONENT = re.compile(r"e[+-]?[0_]*[1-9](_?\d){3,}\s*$", re.IGNORECASE)


def exact(argument: str, value: Any) -> Fraction:
    """A number of at least 0 as a fraction; a float or a string is read as it is written.

    So 0.1 is one tenth, not the binary number nearest to it; use `Fraction(0.1)` for that one.

    Raises:
        InputError: not a number, NaN, infinite, negative, or an exponent of 1000 or more.

    >>> exact("tau", 0.1), exact("tau", "1/3"), exact("tau", 7)
    (Fraction(1, 10), Fraction(1, 3), Fraction(7, 1))
    """
    if isinstance(value, bool):
        raise InputError(argument, "must be a number", value)
    if isinstance(value, (str, Decimal)) and _LONG_EXPONENT.search(str(value)):
        raise InputError(argument, "must have a decimal exponent of three digits at most", value)
    try:
        number = _fraction(value)
    except (TypeError, ValueError, OverflowError, ArithmeticError):
        raise InputError(argument, "must be a finite number", value) from None
    if number < 0:
        raise InputError(argument, "must not be negative", value)
    return number


def _fraction(value: Any) -> Fraction:
    if isinstance(value, numbers.Rational):  # of Python's whole numbers, not numpy's: they overflow
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, (str, Decimal)):
        return Fraction(value)
    if isinstance(value, numbers.Real):
        if not math.isfinite(value):
            raise ValueError
        return Fraction(str(value))
    raise TypeError


class Piece(NamedTuple):
    """Messages of at most `up_to` items (None: any number) take alpha + items tau."""

    up_to: Fraction | None
    alpha: Fraction
    tau: Fraction


@typed_arguments
@dataclass(frozen=True)
class Linear:
    """The cost of a message of L items: α + L τ [calmant (1)].

    Args:
        alpha: start-up time of a message, at least 0.
        tau: time per item, at least 0; alpha and tau are not both 0.

    Raises:
        InputError: a time out of range or of another type.

    >>> Linear(500, "1/2").time(8)
    Fraction(504, 1)
    """

    alpha: Fraction
    tau: Fraction

    def __init__(self, alpha: Any, tau: Any) -> None:
        times = {"alpha": exact("alpha", alpha), "tau": exact("tau", tau)}
        if not any(times.values()):
            raise InputError("alpha, tau", "cannot both be 0: no message would cost", (alpha, tau))
        for name, value in times.items():
            object.__setattr__(self, name, value)

    def time(self, items: Fraction | int) -> Fraction:
        """Return the time of a message."""
        return self.alpha + items * self.tau

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The one piece."""
        return (Piece(None, self.alpha, self.tau),)

    @property
    def supports(self) -> tuple[Linear, ...]:
        """Costs α + L τ that no message is below; see `Piecewise.supports`."""
        return (self,)

    def scaled(self, items: Any) -> Linear:
        """Return the cost with `items` old items as one new item: bytes per item, for instance."""
        return Linear(self.alpha, self.tau * _factor(items))

    def __str__(self) -> str:
        return f"α = {float(self.alpha):g}, τ = {float(self.tau):g}"


@typed_arguments
@dataclass(frozen=True, repr=False)
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
        rule = "must be a list of (up_to, alpha, tau), with None as the last up_to alone"
        listed = list(pieces)
        if not all(isinstance(piece, Sequence) and len(piece) == 3 for piece in listed):
            raise InputError("pieces", rule, listed)
        made = tuple(_checked_piece(*piece) for piece in listed)
        ends = [piece.up_to for piece in made]
        if not made or ends[-1] is not None or None in ends[:-1]:
            raise InputError("pieces", rule, [tuple(map(str, piece)) for piece in made])
        starts = [Fraction(0), *(end for end in ends if end is not None)]
        if any(low >= high for low, high in pairwise(starts)):
            raise InputError("pieces", "sizes must rise from above 0", [str(end) for end in ends])
        for low, piece in zip(starts, made, strict=True):
            if piece.alpha + low * piece.tau < 0:
                raise InputError("pieces", "no message may cost less than nothing", str(piece))
        object.__setattr__(self, "pieces", made)

    @classmethod
    def loggp(cls, L: Any, o: Any, g: Any, G: Any) -> Piecewise:
        """Return the cost of LogGP: latency L, overhead o, gap g of messages, gap G per item.

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
        """Return straight lines between measured sizes; the first and the last line go on.

        Raises:
            InputError: fewer than two sizes, sizes that do not rise, or times that fall.

        >>> Piecewise.table([1, 9, 17], [10, 14, 22]).time(13)
        Fraction(18, 1)
        """
        if len(sizes) != len(times):
            raise InputError("times", f"must be {len(sizes)}, one for every size", len(times))
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
        """Return the time of a message."""
        ends = [piece.up_to for piece in self.pieces if piece.up_to is not None]
        piece = self.pieces[bisect_left(ends, items)]
        return piece.alpha + items * piece.tau

    def scaled(self, items: Any) -> Piecewise:
        """Return the cost with `items` old items as one new item: bytes per item, for instance."""
        factor = _factor(items)
        return Piecewise(
            (None if p.up_to is None else p.up_to / factor, p.alpha, p.tau * factor)
            for p in self.pieces
        )

    @property
    def supports(self) -> tuple[Linear, ...]:
        """Costs α + L τ, with α, τ >= 0, that no message is below: edges of the lower hull.

        What is proved for α + L τ from below holds for each of them, and so for the largest. There
        are none if some message costs next to nothing.

        >>> [str(line) for line in Piecewise.loggp(L=5, o=2, g=12, G=1).supports]
        ['α = 12, τ = 0', 'α = 8, τ = 1']
        """
        hull, last = self._hull(), self.pieces[-1].tau
        edges = [((t - u) / (s - r), r, u) for (r, u), (s, t) in pairwise(hull)]
        edges.append((last, *hull[-1]))
        lines = [(least - size * tau, tau) for tau, size, least in edges]
        lines.append((min(time for _, time in hull), Fraction(0)))
        if any(alpha < 0 for alpha, _ in lines):  # then a line through 0 touches the hull
            lines.append((Fraction(0), min(time / size for size, time in hull if size)))
        kept = dict.fromkeys(line for line in lines if min(line) >= 0 and any(line))
        return tuple(Linear(alpha, tau) for alpha, tau in kept)

    def _hull(self) -> list[tuple[Fraction, Fraction]]:
        """The corners (size, time) of the largest convex function below the cost."""
        points = [(Fraction(0), self.pieces[0].alpha)]
        for here, after in pairwise(self.pieces):
            assert here.up_to is not None
            ends = (piece.alpha + here.up_to * piece.tau for piece in (here, after))
            points.append((here.up_to, min(ends)))
        hull: list[tuple[Fraction, Fraction]] = []
        for size, time in points:
            while len(hull) > 1 and _slope(*hull[-2:]) >= _slope(hull[-1], (size, time)):
                hull.pop()
            hull.append((size, time))
        while len(hull) > 1 and _slope(*hull[-2:]) >= self.pieces[-1].tau:
            hull.pop()
        return hull

    def __repr__(self) -> str:
        rows = (f"({piece.up_to}, {piece.alpha}, {piece.tau})" for piece in self.pieces)
        return f"Piecewise([{', '.join(rows)}])"

    def __str__(self) -> str:
        return f"{len(self.pieces)} straight pieces"


Cost: TypeAlias = Linear | Piecewise


def _slope(first: tuple[Fraction, Fraction], other: tuple[Fraction, Fraction]) -> Fraction:
    return (other[1] - first[1]) / (other[0] - first[0])


def _factor(items: Any) -> Fraction:
    factor = exact("items", items)
    if not factor:
        raise InputError("items", "must be more than 0", items)
    return factor


def _checked_piece(up_to: Any, alpha: Any, tau: Any) -> Piece:
    start = alpha if isinstance(alpha, Fraction) else exact("alpha", alpha)
    return Piece(None if up_to is None else exact("up_to", up_to), start, exact("tau", tau))
