r"""The best shallow degree, Q < d: one candidate in closed form for every two heights ⌈Q/c⌉.

Appendix A.3 prints P(d,Q) in two cases, by the parity of the height ⌈Q/c⌉. With the *even* height
g = 2 ⌈Q / 2c⌉ the derived load has one case: for an odd height h the printed form is that of
h + 1 = g, term by term (X = 2^(d/c + 2)):

    18 P = (3Q + 4c - 3) X + (3cg - 4c + 3 - 3Q) X/2^g - 9cg

So P is a line A + B Q as long as g stays the same, for 2c degrees in a row:

    18 A = (4c - 3) X + (3cg - 4c + 3) X/2^g - 9cg,      18 B = 3X (1 - 2^-g)

On such a stretch T = const + Q (B α + b) + A N τ / Q. Let K = A N τ / (B α + b).

**If A > 0** T is convex there: T(Q) <= T(Q+1) means Q (Q+1) >= K, so the best of the stretch is the
smallest such Q, or its last degree if there is none: Q* = √K rounded, or an end of the stretch.
**If A <= 0** no term falls with Q, since P never does and so B >= 0: the best is the first.

Every degree lies on some stretch, so the best shallow degree is among these candidates, one for
each: at most d / 2c + 1 of them instead of d. The other models add a table to the load (`excess`),
which is constant but for a few small Q and for Q near d: their stretches are cut where P bends.
`linear_stretches` finds them from the counts themselves, whatever the model and the sides.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from lccmodel.errors import checked_integer
from lccmodel.pipelining.cost.derive import load_numerator
from lccmodel.pipelining.cost.optimum import least_convex
from lccmodel.pipelining.cost.sums import StepTable


class ShallowStretch(NamedTuple):
    """Degrees first..last on which P = A + B Q."""

    first: int
    last: int
    A: int
    B: int

    def best(self, N: int, alpha: int, tau: int, barrier: int) -> int:
        """The smallest best degree of the stretch that N allows, N >= first; times in ticks.

        >>> ShallowStretch(3, 30, 10, 2).best(100, 5, 1, 0)
        10
        """
        if self.A <= 0:
            return self.first
        gain, cost = self.A * N * tau, self.B * alpha + barrier
        return least_convex(gain, cost, self.first, min(self.last, N))


def linear_stretches(table: StepTable) -> tuple[ShallowStretch, ...]:
    """The degrees 1..d-1, cut where P bends.

    >>> from lccmodel.pipelining.cost.sums import step_table
    >>> [stretch[:2] for stretch in linear_stretches(step_table("mesh:64x64", "load"))]
    [(1, 4), (5, 8), (9, 11)]
    """
    P, found, first = table.shallow, [], 1
    while first < table.d:
        last, rise = first, 0
        if first + 1 < table.d:
            last, rise = first + 1, P[first + 1] - P[first]
            while last + 1 < table.d and P[last + 1] - P[last] == rise:
                last += 1
        found.append(ShallowStretch(first, last, P[first] - rise * first, rise))
        first = last + 1
    return tuple(found)


def shallow_candidates(
    table: StepTable, N: int, alpha: int, tau: int, barrier: int
) -> tuple[int, ...]:
    """One degree for each stretch, the best of all shallow ones among them; times in ticks.

    >>> from lccmodel.pipelining.cost.sums import step_table
    >>> shallow_candidates(step_table("mesh:64x64", "load"), 3000, 30, 1, 0)
    (4, 8, 11)
    """
    usable = (stretch for stretch in linear_stretches(table) if stretch.first <= N)
    return tuple(stretch.best(N, alpha, tau, barrier) for stretch in usable)


def shallow_stationary(c: int | None = None) -> Any:
    """Q* of the stretch of even height g, by the link load, as a sympy expression.

    In d, g, N, alpha, tau and b, and in c if it is left out. The candidate of the stretch is Q*
    rounded down or up and kept in c (g - 2) + 1 .. c g.

    Raises:
        InputError: c < 1 or not an integer.

    >>> values = {"d": 12, "g": 2, "N": 3000, "alpha": 30, "tau": 1, "b": 0}
    >>> shallow_stationary(2).subs(values).evalf(4)
    17.14
    """
    import sympy

    if c is not None:
        checked_integer("c", c, least=1)
    N, alpha, tau, b = sympy.symbols("N alpha tau b")
    A, B = (sympy.factor(part) for part in _stretch_line(c))
    return sympy.sqrt(A * N * tau / (B * alpha + 18 * b))


def _stretch_line(c: int | None = None) -> tuple[Any, Any]:
    """18 A and 18 B of the stretch of even height g, read off the derived numerator.

    >>> _stretch_line(2)[1]
    12*2**(d/2) - 12*2**(d/2)/2**g
    """
    import sympy

    axes, Q = sympy.Symbol("c") if c is None else sympy.Integer(c), sympy.Symbol("Q")
    numerator = load_numerator(None, "shallow")
    (cases,) = numerator.atoms(sympy.Piecewise)
    even = numerator - cases + cases.args[0][0]
    even = even.subs(sympy.ceiling(Q / sympy.Symbol("c")), sympy.Symbol("g"))
    steps = sympy.expand(even.subs(sympy.Symbol("c"), axes))
    return steps.subs(Q, 0), sympy.diff(steps, Q)
