r"""P(d,Q) and T(d,Q) as sympy expressions, one for every Q, and where they are stationary.

    P(d,Q) = P_shallow(d,Q) for Q < d,  P_deep(d,Q) = A(d) + B(d) Q for Q >= d
    T(d,Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b

The whole expression is what `communication_time` gives; its two parts, which say nothing on the
other side of d, are there by name. The closed forms stand in `data/closed_forms.json`, which
`python -m lccmodel.pipelining.cost.derive` writes, so that asking for one does not derive it again.

**The best shallow degree**, Q < d: one candidate in closed form for every two heights ⌈Q/c⌉.
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
each: at most d / 2c + 1 of them instead of d. The other models add a table to the load (`derive`),
which is constant but for a few small Q and for Q near d: their stretches are cut where P bends.
`linear_stretches` finds them from the counts themselves, whatever the model and the sides.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple, cast

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.cost.optimum import least_convex
from lccmodel.pipelining.cost.steps import Model, Regime, StepTable, checked_model
from lccmodel.symbols import symbols

_REGIMES: tuple[Regime, ...] = ("shallow", "deep")

_MOST_AXES = 8
"""For more, finding where a model differs from the load takes minutes."""

_MOST_AXES_OF_LOADS = 1 << 20


@typed_arguments
def communication_time(
    c: int | None = None, model: Model = "schedule", regime: Regime | None = None
) -> Any:
    """Return T = P(d,Q) (α + N/Q τ) + (d + Q - 1) b as a sympy expression in these symbols.

    The symbols are those of `lccmodel.symbols`; d is a multiple of c, which `subs` does not check:
    `lccmodel.symbolic.formula("time", c=c).at(...)` does. The expression holds for every Q >= 1,
    and `sympy.lambdify` takes arrays of Q.

    Args:
        c: axes of the mesh, of equal sides; None for any c (the symbol c), which is there for the
            model "load".
        model: "load", "lower-bound", "paper" or "schedule"; meshes with one port.
        regime: one part alone, T_shallow ("shallow", for Q <= d) or T_deep ("deep", for Q >= d);
            both agree at Q = d.

    Raises:
        InputError: another regime or model, c < 1, or c left out for a model other than "load".
        SizeLimitError: c > 8 for a model other than "load".

    >>> T = communication_time(2).subs({"d": 4, "N": 60, "alpha": 5, "tau": 1, "b": 2})
    >>> T.subs("Q", 3), T.subs("Q", 6)
    (337, 393)
    >>> communication_time(1, "load", "deep")
    b*(Q + d - 1) + (2**(d + 2)*(3*Q + 1) + \
Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True)))*(N*tau/Q + alpha)/18
    """
    return time_formula(steps_formula(c, model, regime))


def time_formula(P: Any) -> Any:
    """T for P steps, any expression, in its own symbols and those of `communication_time`.

    >>> time_formula(7)
    7*N*tau/Q + 7*alpha + b*(Q + d - 1)
    """
    d, Q, N, alpha, tau, b = symbols("d Q N alpha tau b")
    return P * (alpha + N / Q * tau) + (d + Q - 1) * b


def steps_formula(
    c: int | None = None, model: Model = "schedule", regime: Regime | None = None
) -> Any:
    """P(d,Q) as a sympy expression in d and Q (and c, if it was left out).

    Args:
        c, model, regime: as for `communication_time`.

    Raises:
        InputError, SizeLimitError: as for `communication_time`.

    >>> P = steps_formula(2, "lower-bound")
    >>> [P.subs({"d": 4, "Q": Q}) for Q in (1, 3, 6)]
    [6, 13, 25]
    """
    if regime is not None:
        checked_word("regime", regime, _REGIMES, ", or None for the whole")
    model = checked_model(model)
    if c is None and model != "load":
        rule = 'must be given: only the model "load" has one formula for all c'
        raise InputError("c", rule, c)
    most = _MOST_AXES_OF_LOADS if model == "load" else _MOST_AXES
    if c is not None and checked_integer("c", c, least=1) > most:
        raise SizeLimitError("c", f'must be at most {most} for the model "{model}"', c)
    return _whole(c, model) if regime is None else _form(c, regime, model)


@cache
def _whole(c: int | None, model: Model) -> Any:
    import sympy

    d, Q = symbols("d Q")
    shallow, deep = (_form(c, regime, model) for regime in ("shallow", "deep"))
    if c == 1:  # numpy has no negative powers of integers, and evaluates this part for Q > d too
        shallow = shallow.replace(2 ** (d - Q + 2), 2 ** sympy.Abs(Q - d - 2))
    return sympy.Piecewise((shallow, Q < d), (deep, True))


@cache
def kept_forms() -> dict[tuple[int | None, str, str], tuple[str, str]]:
    """(numerator, excess) of P = numerator / 18 + excess, in d and Q, and in c where it is None."""
    text = files("lccmodel.pipelining").joinpath("data/closed_forms.json").read_text("utf-8")
    return {(c, regime, model): (form, more) for c, regime, model, form, more in json.loads(text)}


@cache
def _form(c: int | None, regime: str, model: Model) -> Any:
    import sympy

    texts = kept_forms().get((c, regime, model))
    if texts is None:
        from lccmodel.pipelining.cost.derive import derived_form

        return derived_form(c, cast("Regime", regime), model).steps
    names = {name: symbols(name) for name in "cdQ"}
    numerator, excess = (sympy.sympify(text, locals=names) for text in texts)
    return sympy.Mul(sympy.Rational(1, 18), numerator, evaluate=False) + excess


@typed_arguments
def stationary_point(c: int | None = None, model: Model = "schedule") -> Any:
    """Return Q* = sqrt(A N τ / (B α + b)): dT/dQ = 0 in the deep regime, P = A(d) + B(d) Q.

    T is convex for Q >= d, so the best deep degree is Q* rounded down or up, or d if Q* < d. For
    shallow T see `shallow_stationary`.

    Args:
        c, model: as for `communication_time`.

    Raises:
        InputError: as for `communication_time`.

    >>> values = {"d": 8, "N": 4096, "alpha": 500, "tau": 1, "b": 0}
    >>> stationary_point(2, "load").subs(values).evalf(4)
    3.840
    """
    import sympy

    Q = symbols("Q")
    P = steps_formula(c, model, "deep")
    return deep_stationary(P.subs(Q, 0), sympy.diff(P, Q))  # its cases are cases of d alone


def deep_stationary(A: Any, B: Any) -> Any:
    """Q* of P = A + B Q, where A and B are numbers or expressions.

    >>> deep_stationary(8, 3)
    2*sqrt(2)*sqrt(N*tau/(3*alpha + b))
    """
    import sympy

    N, alpha, tau, b = symbols("N alpha tau b")
    return sympy.sqrt(A * N * tau / (B * alpha + b))


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

    >>> from lccmodel.pipelining.cost.steps import step_table
    >>> [stretch[:2] for stretch in linear_stretches(step_table("mesh:64x64", "load"))]
    [(1, 4), (5, 8), (9, 11)]
    """
    P, stretches, first = table.shallow, [], 1
    while first < table.d:
        last, rise = first, 0
        if first + 1 < table.d:
            last, rise = first + 1, P[first + 1] - P[first]
            while last + 1 < table.d and P[last + 1] - P[last] == rise:
                last += 1
        stretches.append(ShallowStretch(first, last, P[first] - rise * first, rise))
        first = last + 1
    return tuple(stretches)


def shallow_candidates(
    table: StepTable, N: int, alpha: int, tau: int, barrier: int
) -> tuple[int, ...]:
    """One degree for each stretch, the best of all shallow ones among them; times in ticks.

    >>> from lccmodel.pipelining.cost.steps import step_table
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
    N, alpha, tau, b = symbols("N alpha tau b")
    A, B = (sympy.factor(part) for part in _stretch_line(c))
    return sympy.sqrt(A * N * tau / (B * alpha + 18 * b))


def _stretch_line(c: int | None = None) -> tuple[Any, Any]:
    """18 A and 18 B of the stretch of even height g, read off the derived numerator.

    >>> _stretch_line(2)[1]
    12*2**(d/2) - 12*2**(d/2)/2**g
    """
    import sympy

    from lccmodel.pipelining.cost.derive import load_numerator

    axes, Q = symbols("c") if c is None else sympy.Integer(c), symbols("Q")
    numerator = load_numerator(None, "shallow")
    (cases,) = numerator.atoms(sympy.Piecewise)
    even = numerator - cases + cases.args[0][0]
    even = even.subs(sympy.ceiling(Q / symbols("c")), symbols("g"))
    steps = sympy.expand(even.subs(symbols("c"), axes))
    return steps.subs(Q, 0), sympy.diff(steps, Q)
