"""The closed formulas of appendix A.3 as printed, against the sums of the models.

P(d,Q) is printed as (... + f(d,Q)) / 18, with f in two cases. `compare_with_print` evaluates each
case on its domain and says which model it is: the line formulas are all models at once; the mesh
formulas are the link load alone and leave out the one port of Theorem 4 and the r of section 4.3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Literal, NamedTuple

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.published import calmant_deep, calmant_shallow
from lccmodel.ground.words import checked_word
from lccmodel.network import Mesh
from lccmodel.pipelining.cost.steps import (
    MODELS,
    Model,
    Regime,
    iterations,
    printed_length,
    total_steps,
)

Parity = Literal["even", "odd"]

_DEFAULT_D = {1: 14, 2: 12, 3: 12}


def _printed_case(d: int, Q: int, c: int, regime: Regime) -> Parity:
    """Which case of f holds: the parity of ⌈Q/c⌉ (shallow) or of d/c (deep).

    >>> _printed_case(8, 5, 2, "shallow"), _printed_case(8, 9, 2, "deep")
    ('odd', 'even')
    """
    height = -(-Q // c) if regime == "shallow" else d // c
    return "odd" if height % 2 else "even"


@typed_arguments
def printed_total(d: int, Q: int, c: int, regime: Regime) -> Fraction:
    """Return P(d,Q) by appendix A.3: "on a line" for c = 1, else "on a c-dimensional mesh".

    Raises:
        InputError: d not a multiple of c, Q < 1, or Q on the wrong side of d for the regime.

    >>> printed_total(4, 3, 2, "shallow"), printed_total(4, 3, 1, "shallow")
    (Fraction(10, 1), Fraction(34, 1))
    """
    d, c, Q = (checked_integer(name, value) for name, value in (("d", d), ("c", c), ("Q", Q)))
    if c < 1 or d < 1 or d % c:
        raise InputError("d, c", "must be at least 1, and d a multiple of c", (d, c))
    checked_word("regime", regime, ("shallow", "deep"))
    if Q < 1 or (Q > d if regime == "shallow" else Q < d):
        raise InputError("Q", f"must be {'in 1..' if regime == 'shallow' else 'at least '}{d}", Q)
    even = _printed_case(d, Q, c, regime) == "even"
    formula = calmant_shallow if regime == "shallow" else calmant_deep
    return Fraction(formula(d, Q, c, even), 18)


class PrintedCase(NamedTuple):
    """One printed case against the sums of one model."""

    c: int
    regime: Regime
    case: Parity
    """Parity of ⌈Q/c⌉ (shallow) or d/c (deep)."""
    model: Model | Literal["printed r"]
    """A model, or the sums of Σ LB + r with r as section 4.3 prints it."""
    agree: int
    of: int
    first: tuple[int, int, Fraction, int] | None
    """The smallest (d, Q) that differs, with the printed P and the sum; None if all agree."""

    def __str__(self) -> str:
        head = f"c = {self.c}, {self.regime}, {self.case}, {self.model}: "
        if self.first is None:
            return head + f"all {self.of} agree"
        d, Q, printed, total = self.first
        least = f"d = {d}, Q = {Q}: printed {printed}, sum {total}"
        return head + f"{self.agree} of {self.of} agree; smallest other {least}"


_MOST = 512


@typed_arguments
def compare_with_print(
    c: int, max_d: int | None = None, max_Q: int = 39
) -> tuple[PrintedCase, ...]:
    """Return every case of the printed formulas against the sums of every model.

    Args:
        c: axes.
        max_d: largest d; 14 for a line, 12 for a mesh if left out.
        max_Q: largest Q.

    Raises:
        InputError: c, max_d or max_Q less than 1.
        SizeLimitError: one of them above 512.

    >>> for line in compare_with_print(2, max_d=8):
    ...     if line.regime == "deep" and line.model in ("load", "lower-bound"):
    ...         print(line)
    c = 2, deep, even, load: all 68 agree
    c = 2, deep, even, lower-bound: 0 of 68 agree; smallest other d = 4, Q = 4: printed 12, sum 17
    c = 2, deep, odd, load: all 72 agree
    c = 2, deep, odd, lower-bound: 0 of 72 agree; smallest other d = 2, Q = 2: printed 3, sum 4
    """
    for argument, value in (("c", c), ("max_d", max_d), ("max_Q", max_Q)):
        if value is not None and checked_integer(argument, value, least=1) > _MOST:
            raise SizeLimitError(argument, f"at most {_MOST}: every case is compared", value)
    last = max_d if max_d is not None else _DEFAULT_D.get(c, 4 * c)
    rows = []
    regimes: tuple[Regime, ...] = ("shallow", "deep")
    parities: tuple[Parity, ...] = ("even", "odd")
    for regime in regimes:
        domain = [
            (d, Q)
            for d in range(c, last + 1, c)
            for Q in range(1, max_Q + 1)
            if (Q <= d if regime == "shallow" else Q >= d)
        ]
        for case in parities:
            points = [(d, Q) for d, Q in domain if _printed_case(d, Q, c, regime) == case]
            rows += [_compared(c, regime, case, model, points) for model in _COLUMNS]
    return tuple(rows)


_COLUMNS: tuple[Model | Literal["printed r"], ...] = (*MODELS, "printed r")


def _compared(
    c: int,
    regime: Regime,
    case: Parity,
    model: Model | Literal["printed r"],
    points: list[tuple[int, int]],
) -> PrintedCase:
    agree, first = 0, None
    for d, Q in points:
        printed = printed_total(d, Q, c, regime)
        total = (
            _with_printed_r(d, Q, c) if model == "printed r" else total_steps(_mesh(d, c), Q, model)
        )
        if printed == total:
            agree += 1
        elif first is None:
            first = (d, Q, printed, total)
    return PrintedCase(c, regime, case, model, agree, len(points), first)


def _mesh(d: int, c: int) -> Mesh:
    return Mesh((1 << d // c,) * c)


@cache
def _with_printed_r(d: int, Q: int, c: int) -> int:
    return sum(printed_length(i, M, c) for i, M in iterations(d, Q))
