"""P(d,Q) and T(d,Q) as sympy expressions, one for every Q, and where they are stationary.

    P(d,Q) = P_shallow(d,Q) for Q < d,  P_deep(d,Q) = A(d) + B(d) Q for Q >= d
    T(d,Q) = P(d,Q) (α + N/Q τ) + (d + Q - 1) b

The whole expression is what `communication_time` gives; its two parts, which say nothing on the
other side of d, are there by name. The closed forms stand in `closed_forms`, which
`python -m lccmodel.pipelining.cost.generate` writes from the derivation, so that asking for one
does not derive it again.
"""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.pipelining.cost.steps import Model, checked_model
from lccmodel.pipelining.cost.sums import Regime

_REGIMES: tuple[Regime, ...] = ("shallow", "deep")

_MOST_AXES = 8
"""For more, finding where a model differs from the load takes minutes."""

_MOST_AXES_OF_LOADS = 1 << 20


@typed_arguments
def communication_time(
    c: int | None = None, model: Model = "schedule", regime: Regime | None = None
) -> Any:
    """T = P(d,Q) (α + N/Q τ) + (d + Q - 1) b as a sympy expression in d, Q, N, alpha, tau, b.

    The symbols are those of `sympy.symbols("d Q N alpha tau b")`; d is a multiple of c. The
    expression holds for every Q >= 1, and `sympy.lambdify` takes arrays of Q.

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
    import sympy

    d, Q, N, alpha, tau, b = sympy.symbols("d Q N alpha tau b")
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
    if regime not in (None, *_REGIMES):
        raise InputError("regime", 'must be "shallow" or "deep", or None for the whole', regime)
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

    d, Q = sympy.symbols("d Q")
    shallow, deep = (_form(c, regime, model) for regime in ("shallow", "deep"))
    if c == 1:  # numpy has no negative powers of integers, and evaluates this part for Q > d too
        shallow = shallow.replace(2 ** (d - Q + 2), 2 ** sympy.Abs(Q - d - 2))
    return sympy.Piecewise((shallow, Q < d), (deep, True))


@cache
def _form(c: int | None, regime: str, model: Model) -> Any:
    import sympy

    from lccmodel.pipelining.cost.closed_forms import FORMS

    texts = FORMS.get((c, regime, model))
    if texts is None:
        from lccmodel.pipelining.cost.derive import derived_form

        return derived_form(c, cast("Regime", regime), model).steps
    names = {name: sympy.Symbol(name) for name in "cdQ"}
    numerator, excess = (sympy.sympify(text, locals=names) for text in texts)
    return sympy.Mul(sympy.Rational(1, 18), numerator, evaluate=False) + excess


@typed_arguments
def stationary_point(c: int | None = None, model: Model = "schedule") -> Any:
    """Q* = sqrt(A N τ / (B α + b)), where dT/dQ = 0 in the deep regime, P = A(d) + B(d) Q.

    T is convex for Q >= d, so the best deep degree is Q* rounded down or up, or d if Q* < d. For
    shallow T see `shallow.shallow_stationary`.

    Args:
        c, model: as for `communication_time`.

    Raises:
        InputError: as for `communication_time`.

    >>> values = {"d": 8, "N": 4096, "alpha": 500, "tau": 1, "b": 0}
    >>> stationary_point(2, "load").subs(values).evalf(4)
    3.840
    """
    import sympy

    Q = sympy.Symbol("Q")
    P = steps_formula(c, model, "deep")
    return deep_stationary(P.subs(Q, 0), sympy.diff(P, Q))  # its cases are cases of d alone


def deep_stationary(A: Any, B: Any) -> Any:
    """Q* of P = A + B Q, where A and B are numbers or expressions.

    >>> deep_stationary(8, 3)
    2*sqrt(2)*sqrt(N*tau/(3*alpha + b))
    """
    import sympy

    N, alpha, tau, b = sympy.symbols("N alpha tau b")
    return sympy.sqrt(A * N * tau / (B * alpha + b))
