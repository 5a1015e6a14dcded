"""Closed forms of P(d,Q), derived by sympy from the sums of sections 3.3 and 4.3.

With n = d/c, h = ⌈Q/c⌉, r = (Q-1) mod c and J(h) = λ⟨0,h⟩_1, Theorem 3 reads

    λ⟨i,Q⟩_c = 2^⌊(i+r)/c⌋ J(h),

so that each of the three sums is one over the octaves j or e of the dilation:

    prologue   Σ_{M<Q} λ⟨0,M⟩   = c Σ_{j<h} J(j) + r J(h)
    kernel     Σ_{i<=d-Q} λ⟨i,Q⟩ = J(h) (c Σ_{e<=n-h} 2^e - r)
    epilogue   Σ_{M<Q} λ⟨d-M,M⟩ = c Σ_{j<h} 2^(n-j) J(j) + r 2^(n-h) J(h)

sympy adds them up, once for even h and once for odd, in any c. The remainder r is written as
Q - 1 - c (h - 1), with which the factor c + 3ch + 3r of 2^(n+2) that appendix A.3 prints for
shallow pipelining is the 3Q + 4c - 3 that it prints for deep.

**What a model adds to the load**, E⟨i,M⟩_c = steps - λ, is a table, which becomes a Piecewise in Q
and d. It is 0 from some i on, and for each smaller i it repeats from some M on:

- "lower-bound": E = max(0, M - λ), and λ = 2^e J(h) >= J(h) with h = ⌈M/c⌉ and J = 1, 2, 5, 10,
  ... (Theorem 1) outgrows c h >= M, as does 2^e; so E ends in zeros both ways.
- "paper": the loads of the pieces that section 4.2 cuts a task into add up to the load of the
  task, so E is the sum of what the pieces add; pieces ⟨j,x⟩ with 2^⌊j/c⌋ >= 2c add nothing. M + 2c
  has the same pieces and one more on top, so E repeats with period 2c.
- "schedule": as many steps as the lower bound on meshes of one to five equal axes
  (docs/schedules.md); on more the table is what the schedules take.

`excess_table` looks for where the zeros and the repetition start and checks them on what follows.

`python -m lccmodel.pipelining.cost.derive` writes the forms for c = 1, 2, 3 to `data`.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from itertools import product
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from sympy import And, Eq, Integer, Mod, Mul, Piecewise, Rational, ceiling

from lccmodel.errors import InputError
from lccmodel.ground.files import write_atomically
from lccmodel.pipelining.cost.steps import MODELS, Model, Regime, run_steps
from lccmodel.pipelining.loads import equal_runs, largest_load
from lccmodel.pipelining.paper_rules import paper_length

if TYPE_CHECKING:
    from collections.abc import Callable

_CHECKED_PERIODS = 3
"""Rows of the excess repeat if they are seen to do so for this many of the longest periods, 2c."""


class ExcessTable(NamedTuple):
    """E⟨i,M⟩_c for all i and M, from finitely many values."""

    rows: tuple[tuple[int, ...], ...]
    """E at [i][M], for M below `start` + `period`; 0 for larger i."""
    start: int
    """The M from which the values repeat."""
    period: int

    def at(self, i: int, M: int) -> int:
        """E⟨i,M⟩; 0 for M <= 0, which is not a task.

        >>> excess_table(2, "lower-bound").at(0, 4), excess_table(2, "paper").at(0, 103)
        (2, 2)
        """
        if i >= len(self.rows) or M <= 0:
            return 0
        if M >= self.start:
            M = self.start + (M - self.start) % self.period
        return self.rows[i][M]

    def shallow(self, d: int, Q: int) -> int:
        """The sum of E over the iterations, for Q <= d.

        >>> excess_table(2, "lower-bound").shallow(4, 3)
        3
        """
        ends = sum(self.at(0, M) + self.at(d - M, M) for M in range(1, Q))
        return ends + sum(self.at(i, Q) for i in range(d - Q + 1))

    def deep(self, d: int, Q: int) -> int:
        """The sum of E over the iterations, for Q >= d.

        >>> excess_table(2, "lower-bound").deep(4, 6)
        9
        """
        return self.shallow(d, d) + (Q - d) * self.at(0, d)

    def far(self, Q: int) -> int:
        """The sum of E over the iterations for any d so large that the epilogue adds nothing.

        >>> excess_table(2, "lower-bound").far(4), excess_table(2, "lower-bound").far(100)
        (4, 5)
        """
        return sum(self.at(0, M) for M in range(1, Q)) + sum(
            self.at(i, Q) for i in range(len(self.rows))
        )


@cache
def excess_table(c: int, model: Model) -> ExcessTable:
    """The table of a model on meshes of c axes.

    Raises:
        InputError: the model neither ends in zeros nor repeats where that was looked for.

    >>> excess_table(2, "lower-bound")
    ExcessTable(rows=((0, 0, 1, 1, 2, 0, 1, 0), (0, 0, 0, 1, 0, 0, 0, 0)), start=7, period=1)
    """
    octaves = c.bit_length() + 3  # 2^octaves >= 4c: loads are past the number of messages
    most_i, most_M = c * octaves, 2 * c * (octaves + _CHECKED_PERIODS)
    values = [_row(i, most_M, c, model) for i in range(most_i)]
    while values and not any(values[-1]):
        values.pop()
    if len(values) > most_i - c:
        raise InputError("model", f"has more steps than the load for all i < {most_i}", model)
    for period in (1, c, 2 * c):
        start = max((_repeats_from(row, period) for row in values), default=0)
        if start + _CHECKED_PERIODS * 2 * c <= most_M:
            rows = tuple(tuple(row[: start + period]) for row in values)
            return ExcessTable(rows, start, period)
    raise InputError("model", f"does not repeat for M < {most_M}", model)


def _row(i: int, most_M: int, c: int, model: Model) -> list[int]:
    return [_steps(i, M, c, model) - largest_load(equal_runs(i, M, c)) for M in range(most_M)]


def _steps(i: int, M: int, c: int, model: Model) -> int:
    if model == "paper":
        return paper_length(i, M, c)
    return run_steps(equal_runs(i, M, c), model)


def _repeats_from(row: list[int], period: int) -> int:
    start = len(row) - period
    while start and row[start - 1] == row[start - 1 + period]:
        start -= 1
    return start


d, Q, c_symbol = sympy.symbols("d Q c")
_c, _h, _n, _r, _u = sympy.symbols("c h n r u", integer=True, positive=True)
_j = sympy.Symbol("j", integer=True)
_X, _W = sympy.symbols("X W")  # 2^n and 2^(-h)


class Form(NamedTuple):
    """P = numerator / 18 + excess, in d and Q (and c, if it was left open)."""

    numerator: Any
    excess: Any

    @property
    def steps(self) -> Any:
        """P as one expression, in the shape of appendix A.3."""
        return Mul(Rational(1, 18), self.numerator, evaluate=False) + self.excess


def derived_form(c: int | None, regime: Regime, model: Model = "schedule") -> Form:
    """The closed form for meshes of c axes; any c if c is None, for the load.

    >>> derived_form(1, "deep", "load").numerator
    2**(d + 2)*(3*Q + 1) + Piecewise((-12*Q + 3*d - 4, Eq(Mod(d, 2), 0)), (-6*Q - 3*d - 5, True))
    """
    excess = Integer(0) if model == "load" or c is None else _excess_form(c, regime, model)
    return Form(load_numerator(c, regime), excess)


# -- the load -----------------------------------------------------------------------------


def _J(j: Any) -> Any:
    """λ⟨0,j⟩_1 = (2^(j+1) - 2) / 3 for even j, (2^(j+1) - 1) / 3 for odd j [Theorem 1]."""
    return (2 * Integer(2) ** j - (3 + Integer(-1) ** j) / 2) / 3


def _sum(term: Any, low: Any, high: Any) -> Any:
    return sympy.summation(sympy.expand(term), (_j, low, high))


@cache
def _ends() -> Any:
    """Prologue and epilogue in c, h, n and r."""
    prologue = _c * _sum(_J(_j), 1, _h - 1) + _r * _J(_h)
    # 2^(-j) J(j), written out so that sympy sees three geometric series
    halved = Rational(2, 3) - Rational(1, 2) ** _j / 2 - Rational(-1, 2) ** _j / 6
    epilogue = _c * _sum(halved, 1, _h - 1) + _r * Integer(2) ** -_h * _J(_h)
    return prologue + Integer(2) ** _n * epilogue


@cache
def _kernel() -> Any:
    return _J(_h) * (_c * _sum(Integer(2) ** _j, 0, _n - _h) - _r)


@cache
def load_numerator(c: int | None, regime: Regime) -> Any:
    """18 P(d,Q) of the load, in the shape of appendix A.3.

    >>> load_numerator(None, "deep")
    2**(2 + d/c)*(3*Q + 4*c - 3) + Piecewise((-12*Q - 16*c + 3*d + 12, Eq(Mod(d/c, 2), 0)), \
(-6*Q - 11*c - 3*d + 6, True))
    """
    value = c_symbol if c is None else Integer(c)
    if regime == "shallow":
        height = Q if c == 1 else ceiling(Q / value)
        rest = Q - 1 - value * (height - 1)  # mod c, as a form that stays linear
        back = {_c: value, _h: height, _r: rest}
    else:
        height = d / value
        back = {_c: value, _h: height}
    pieces = _pieces(regime)
    if sympy.expand(pieces[0][0] - pieces[1][0]) != 0:
        raise AssertionError("the terms in 2^(d/c) differ between even and odd h")
    leading = sympy.expand(sympy.expand(pieces[0][0] / 4).subs(back))
    below = [
        sympy.expand(rest).subs(back) + _times_power(falling, d / value - height, back)
        for _, falling, rest in pieces
    ]
    f = Piecewise((below[0], Eq(Mod(height, 2), 0)), (below[1], True))
    return leading * 2 ** (d / value + 2) + f


@cache
def _pieces(regime: Regime) -> list[tuple[Any, Any, Any]]:
    """The sums for even and for odd h, in any c."""
    if regime == "shallow":
        total = _ends() + _kernel()
    else:
        total = (_ends() + (Q - d + 1) * _J(_h)).subs({_r: _c - 1, _n: _h})
    return [_collected(total, parity) for parity in (0, 1)]


def _times_power(factor: Any, exponent: Any, back: dict[Any, Any]) -> Any:
    """factor 2^exponent, with the powers of two in the factor moved to the exponent."""
    content, rest = sympy.expand(factor.subs(back)).primitive()
    twos = sympy.multiplicity(2, content) if content else 0
    return content / 2**twos * (rest * 2 ** (exponent + twos))


def _collected(total: Any, parity: int) -> tuple[Any, Any, Any]:
    """18 times the total for h of a parity: factors of 2^n, of 2^(n-h), and the rest."""
    even = 2 * _u + parity
    exact = sympy.expand(sympy.simplify(18 * total.subs(_h, even)))
    exact = sympy.expand(sympy.powdenest(sympy.expand(exact, power_base=True), force=True))
    deep = not exact.has(_n)
    power = Integer(2) ** (2 * _u)
    exact = sympy.expand(exact.subs(power, (_X if deep else 1 / _W) / 2**parity))
    exact = sympy.expand(exact.subs(Integer(2) ** _n, _X))
    exact = sympy.expand(exact.subs(_u, (_h - parity) / 2))
    if exact.has(_u) or exact.atoms(sympy.Pow) - {1 / _W}:
        raise AssertionError(f"powers are left over: {exact}")
    rising = exact.coeff(_X, 1)
    return rising.coeff(_W, 0), rising.coeff(_W, 1), exact.coeff(_X, 0)


# -- what a model adds --------------------------------------------------------------------


@cache
def _excess_form(c: int, regime: Regime, model: Model) -> Any:
    """The excess over the load, as a Piecewise.

    >>> _excess_form(2, "shallow", "lower-bound")
    Piecewise((Piecewise((1, Eq(d, 4)), (0, True)), Eq(Q, d)), (0, True)) + \
Piecewise((0, Eq(Q, 1)), (1, Eq(Q, 2)), (3, Eq(Q, 3)), (4, Eq(Q, 4) | Eq(Q, 5)), (5, True))
    """
    table = excess_table(c, model)
    if not table.rows:
        return Integer(0)
    if regime == "shallow":
        return _piecewise(table.far, Q, 1, table) + _near_d(table, c)
    at_d = _piecewise(lambda k: table.shallow(k, k), d, c, table)
    return at_d + (Q - d) * _piecewise(lambda k: table.at(0, k), d, c, table)


def _piecewise(f: Callable[[int], int], x: Any, step: int, table: ExcessTable) -> Any:
    """f(step), f(2 step), ...: values one by one, then a line in x for each residue."""
    period = lcm(table.period, step)
    horizon = table.start + len(table.rows) + 2 * period
    values = {k: f(k) for k in range(step, horizon + 2 * period + 1, step)}
    slope = values[max(values)] - values[max(values) - period]
    start = max(values) - period
    while start > step and values[start - step + period] - values[start - step] == slope:
        start -= step
    small = _grouped({k: Integer(v) for k, v in values.items() if k < start}, x)
    lines = {
        k: Rational(slope, period) * x + values[k] - Rational(slope, period) * k
        for k in range(start, start + period, step)
    }
    if len(set(lines.values())) == 1:
        return Piecewise(*small, (lines[start], True))
    residues: dict[Any, list[int]] = {}
    for k, line in lines.items():
        residues.setdefault(line, []).append(k % period)
    tails = [
        (line, sympy.Or(*(Eq(Mod(x, period), k) for k in sorted(ks))))
        for line, ks in residues.items()
    ]
    tails[-1] = (tails[-1][0], True)
    return Piecewise(*small, *tails)


def _grouped(values: dict[int, Any], x: Any) -> list[tuple[Any, Any]]:
    groups: dict[Any, list[int]] = {}
    for k, value in values.items():
        groups.setdefault(value, []).append(k)
    return [(value, sympy.Or(*(Eq(x, k) for k in ks))) for value, ks in groups.items()]


def _near_d(table: ExcessTable, c: int) -> Any:
    """What Q close to d changes: the first tasks of the epilogue still start at small i."""
    period = lcm(table.period, c)
    horizon = table.start + len(table.rows) + period
    total = Integer(0)
    for u in range(len(table.rows)):
        ds = range(c, horizon + period + 1, c)
        change = {k: table.shallow(k, k - u) - table.far(k - u) for k in ds if k > u}
        tail = {k: v for k, v in change.items() if k > horizon}
        start = max(change) - period
        while start in change and change[start] == change[start + period]:
            start -= c
        start += c
        # conditions on d inside, the one on Q outside: numpy can follow that for arrays of Q
        pieces = [(Integer(v), Eq(d, k)) for k, v in change.items() if v and k < start]
        pieces += [
            (Integer(v), And(Eq(Mod(d, period), k % period), d >= start))
            for k, v in tail.items()
            if v
        ]
        if pieces:
            near = Piecewise(*pieces, (0, True))
            total += Piecewise((near, Eq(Q, d - u)), (0, True))
    return total


# -- the forms that are kept ------------------------------------------------------------------


def forms_to_keep() -> str:
    """The text of `data/closed_forms.json`: any c for the load, c = 1, 2, 3 for every model."""
    keys = [(None, "load"), *product((1, 2, 3), MODELS)]
    rows = [
        [c, regime, model, *map(str, derived_form(c, regime, model))]
        for c, model in keys
        for regime in ("shallow", "deep")
    ]
    return json.dumps(rows, indent=0) + "\n"


if __name__ == "__main__":
    text = files("lccmodel.pipelining").joinpath("data/closed_forms.json")
    write_atomically(Path(str(text)), forms_to_keep())
