"""T(d,Q) as sympy expressions, for each regime and model, and where it is stationary.

The closed forms stand in `closed_forms`, which `python -m lccmodel.pipelining.cost.generate`
writes from the derivation, so that asking for one does not derive it again.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from lccmodel.errors import InputError, checked_integer
from lccmodel.pipelining.cost.steps import Model, checked_model
from lccmodel.pipelining.cost.sums import Regime

__all__ = [
    "communication_time",
    "deep_stationary",
    "stationary_point",
    "steps_formula",
    "time_formula",
]

_REGIMES = ("shallow", "deep")


def communication_time(
    c: int | None = None, regime: Regime = "shallow", model: Model = "schedule"
) -> Any:
    """T = P(d,Q) (α + N/Q τ) + (d + Q - 1) b as a sympy expression in d, Q, N, alpha, tau, b.

    The symbols are those of `sympy.symbols("d Q N alpha tau b")`. The expression holds for integers
    d, a multiple of c, and Q with Q <= d (shallow) or Q >= d (deep); both agree at Q = d.

    Args:
        c: axes of the mesh; None for any c (the symbol c), which is there for the model "load".
        regime: "shallow" or "deep".
        model: "load", "lower-bound", "paper" or "schedule"; meshes with one port.

    Raises:
        InputError: another regime or model, c < 1, or c left out for a model other than "load".

    >>> communication_time(1, "deep", "load")
    b*(Q + d - 1) + (2**(d + 2)*(3*Q + 1) + \
Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True)))*(N*tau/Q + alpha)/18
    """
    return time_formula(steps_formula(c, regime, model))


def time_formula(P: Any) -> Any:
    """T for P steps, any expression, in its own symbols and those of `communication_time`.

    >>> time_formula(7)
    7*N*tau/Q + 7*alpha + b*(Q + d - 1)
    """
    import sympy

    d, Q, N, alpha, tau, b = sympy.symbols("d Q N alpha tau b")
    return P * (alpha + N / Q * tau) + (d + Q - 1) * b


def steps_formula(
    c: int | None = None, regime: Regime = "shallow", model: Model = "schedule"
) -> Any:
    """P(d,Q) as a sympy expression in d and Q (and c, if it was left out).

    Raises:
        InputError: as for `communication_time`.

    >>> steps_formula(2, "deep", "lower-bound").subs({"d": 4, "Q": 6})
    25
    """
    if regime not in _REGIMES:
        raise InputError("regime", 'must be "shallow" or "deep"', regime)
    model = checked_model(model)
    if c is None:
        if model != "load":
            rule = 'must be given: only the model "load" has one formula for all c'
            raise InputError("c", rule, c)
    elif checked_integer("c", c) < 1:
        raise InputError("c", "must be at least 1", c)
    return _form(c, regime, model)


@cache
def _form(c: int | None, regime: Regime, model: Model) -> Any:
    import sympy

    from lccmodel.pipelining.cost.closed_forms import FORMS

    texts = FORMS.get((c, regime, model))
    if texts is None:
        from lccmodel.pipelining.cost.derive import derived_form

        return derived_form(c, regime, model).steps
    names = {name: sympy.Symbol(name) for name in "cdQ"}
    numerator, excess = (sympy.sympify(text, locals=names) for text in texts)
    return sympy.Mul(sympy.Rational(1, 18), numerator, evaluate=False) + excess


def stationary_point(c: int | None = None, model: Model = "schedule") -> Any:
    """Q* = sqrt(A N τ / (B α + b)), where dT/dQ = 0 in the deep regime, P = A(d) + B(d) Q.

    T is convex for Q >= d, so the best deep degree is Q* rounded down or up, or d if Q* < d. For
    shallow T there is no such form: it depends on ⌈Q/c⌉ and its parity; its degrees are compared.

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
    P = steps_formula(c, "deep", model)
    return deep_stationary(P.subs(Q, 0), sympy.diff(P, Q))  # its cases are cases of d alone


def deep_stationary(A: Any, B: Any) -> Any:
    """Q* of P = A + B Q, where A and B are numbers or expressions.

    >>> deep_stationary(8, 3)
    2*sqrt(2)*sqrt(N*tau/(3*alpha + b))
    """
    import sympy

    N, alpha, tau, b = sympy.symbols("N alpha tau b")
    return sympy.sqrt(A * N * tau / (B * alpha + b))
