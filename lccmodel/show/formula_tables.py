"""Tables of formulas: the time of a pipelined CC-cube, derived, and the printed forms compared.

    formula_table(mesh, model)        P(d,Q), T and Q* as formulas, for one machine
    derived_table()                   P(d,Q) in closed form, derived, for lines and meshes
    formula_latex(left, value)        any formula as LaTeX that fits a page

The formulas of `derived_table` have the shape of [calmant, appendix A.3].

A long formula becomes lines of an `align*`. Its terms are set one after another, and a line ends
where the next would not fit by an estimate of its width. What cannot be broken is named and defined
below: every case distinction, as f_1, f_2, ..., and any sum within a term that is too wide. Values
that share a condition on one variable are listed, d ∈ {2, 6}; ⌈Q/c⌉ is called h; and what is longer
than a page goes on on the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy
from sympy import Add, Eq, Mul, Or, Piecewise, Rational, ceiling

from lccmodel.network import Mesh
from lccmodel.pipelining.cost.formulas import (
    deep_stationary,
    stationary_point,
    steps_formula,
    time_formula,
)
from lccmodel.pipelining.cost.steps import Model, Regime, step_table
from lccmodel.pipelining.embedding import as_mesh
from lccmodel.pipelining.loads import PortName
from lccmodel.show.numbers import cell_text, starred_latex
from lccmodel.show.quantities import Column, Fact, named
from lccmodel.show.records import Table


def formula_table(mesh: Mesh | str, model: Model = "schedule", ports: PortName = "one") -> Table:
    """P(d,Q), T and Q* as formulas: on meshes of equal sides for every d, and for this one.

    They are written as sympy prints them; to read one again, give `sympy.sympify` the names d, Q,
    N, alpha, tau and b as `locals`, since N is a function there.

    Args:
        mesh, ports: the machine, without its times.
        model: whose steps are counted.

    Raises:
        InputError: a value out of range, or a model that the machine does not have.

    >>> table = formula_table("32x32", "lower-bound")
    >>> [row["formula"] for row in table.records()][1:3]
    ['21*Q + 38', 'sqrt(38)*sqrt(N*tau/(21*alpha + b))']
    """
    mesh = as_mesh(mesh)
    d, c, table = mesh.n, len(mesh.shape), step_table(mesh, model, ports)
    whole = time_formula(sympy.Symbol("P"))
    own, Q = "this network", sympy.Symbol("Q")
    rows: list[tuple[str, str, Any]] = [
        ("T(d,Q)", "any d and Q", whole),
        (f"P({d},Q)", f"Q ≥ {d}, {own}", table.A + table.B * Q),
        ("Q*", own, deep_stationary(table.A, table.B)),
    ]
    if not any(mesh.geometry.rings) and len(set(mesh.shape)) == 1:
        counted, of = "load" if ports == "all" else model, f"any d = {c}, {2 * c}, {3 * c}, ..."
        rows += [
            ("P(d,Q)", f"Q ≤ d, {of}", steps_formula(c, counted, "shallow")),
            ("P(d,Q)", f"Q ≥ d, {of}", steps_formula(c, counted, "deep")),
            ("Q*", of, stationary_point(c, counted)),
        ]
    as_latex = {
        str(value): formula_latex(starred_latex(name)[1:-1], value) for name, _, value in rows
    }
    columns: list[Column] = [
        named("quantity", "what", math=starred_latex),
        "where",
        named("formula", "formula", math=lambda cell: as_latex[cell_text(cell)]),
    ]
    records = [
        {"quantity": name, "where": where, "formula": str(value), "latex": sympy.latex(value)}
        for name, where, value in rows
    ]
    shallow = tuple(table.shallow[1:])
    facts: list[Fact] = [
        ("network", mesh.spec),
        ("ports", ports),
        ("model", model),
        (named("shallow_steps", f"P({d},Q), Q = 1..{d - 1}"), shallow if shallow else None),
    ]
    notes = [
        (
            "d: dimensions of the CC-cube; Q: packets; N: items; alpha: start-up; tau: time per "
            "item; b: barrier."
        ),
        "Q* is where T of the deep regime is stationary; the best Q need not be next to it.",
    ]
    return Table("The time of a pipelined CC-cube", columns, records, facts, notes)


def derived_table(
    axes: Sequence[int] = (1, 2, 3), models: Sequence[Model] = ("load", "schedule")
) -> Table:
    """P(d,Q) in closed form, as derived by summation: any c for "load", then each c.

    Args:
        axes: values of c.
        models: whose steps are counted.

    Raises:
        InputError: a value out of range.

    >>> [row["c"] for row in derived_table([1], ["schedule"]).records()]
    ['any', 'any', '1', '1']
    """
    cases: list[tuple[int | None, Model]] = [(None, "load")]
    cases += [(c, model) for c in axes for model in models]
    records, latex = [], {}
    regimes: tuple[tuple[Regime, str], ...] = (("shallow", "Q ≤ d"), ("deep", "Q ≥ d"))
    for c, model in cases:
        for regime, where in regimes:
            form = steps_formula(c, model, regime)
            latex[str(form)] = formula_latex("P(d,Q)", form)
            record = {"c": "any" if c is None else str(c), "model": model, "where": where}
            records.append(record | {"formula": str(form), "latex": sympy.latex(form)})
    formula = named("formula", "P(d,Q)", math=lambda cell: latex[str(cell)])
    columns = ("c", "model", "where", formula)
    legend = ["d is a multiple of c. Derived from the sums of sections 3.3 and 4.3."]
    return Table("Steps P(d,Q) in closed form, derived", columns, records, legend=legend)


# -- formulas as LaTeX --------------------------------------------------------------------------


_OPENING = r"{\allowdisplaybreaks"
"""How the LaTeX of a formula of several lines starts."""

_MOST_CASES = 10
"""Cases in one pair of lines; the rest have a name."""

LINE = 44
"""Characters of a formula as sympy writes it that fit a line of a column, beside its number."""


def formula_latex(left: str, value: Any) -> str:
    """A formula as LaTeX: within a line if it fits in one, else an `align*` of several.

    Args:
        left: what it is, as LaTeX.
        value: a sympy expression.

    >>> x = sympy.Symbol("x")
    >>> formula_latex("y", 2 * x + 1)
    '$2 x + 1$'
    """
    if len(str(value)) <= LINE and not value.has(Piecewise):
        return f"${sympy.latex(value)}$"
    return display(left, value)


def display(left: str, value: Any) -> str:
    r"""The lines of `left` = `value` and of what is named in it, as an `align*`.

    >>> x = sympy.Symbol("x")
    >>> print(display("y", x + Piecewise((1, Eq(x, 2) | Eq(x, 5)), (0, True))))
    {\allowdisplaybreaks
    \begin{align*}
    y &= x + f_{1} \\
    f_{1} &= \begin{cases} 1 & x \in \{2, 5\} \\ 0 & \text{otherwise} \end{cases}
    \end{align*}}
    """
    names, heights = _Names(), sorted(value.atoms(ceiling), key=str)
    lines: list[str] = []
    if len(heights) == 1:
        value = _replaced(value, heights, names, sympy.Symbol("h"))
    lines += _lines(left, value, names)
    if len(heights) == 1:
        lines.append(rf"h &= {sympy.latex(heights[0])}")
    done = 0
    while done < len(names.defined):
        name, meant = names.defined[done]
        lines += _lines(sympy.latex(name), meant, names)
        done += 1
    return _OPENING + "\n\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}}"


class _Names:
    """The names that were given so far, in their order."""

    def __init__(self) -> None:
        self.defined: list[tuple[Any, Any]] = []

    def name(self, meant: Any) -> Any:
        for symbol, known in self.defined:
            if known == meant:
                return symbol
        symbol = sympy.Symbol(f"f_{len(self.defined) + 1}")
        self.defined.append((symbol, meant))
        return symbol


def _lines(left: str, value: Any, names: _Names) -> Iterator[str]:
    if isinstance(value, Piecewise):
        yield f"{left} &= {_cases(value, names)}"
        return
    line, width = f"{left} &= ", len(left)
    for number, (text, size) in enumerate(_terms(value, names)):
        negative = text.startswith("-")
        sign = " - " if negative else " + " if number else ""
        if number and width + size > LINE:
            yield line
            line, width = r"&\quad ", 2
        line += (sign.lstrip() if line.endswith("quad ") else sign) + text.lstrip("- ")
        width += size + 3
    yield line


def _terms(value: Any, names: _Names) -> Iterator[tuple[str, int]]:
    """The terms of a sum with their widths; what is too wide in them has a name."""
    for term in value.as_ordered_terms() if isinstance(value, Add) else [value]:
        short = _shortened(term, names)
        yield _latex_of(short), len(str(short))


def _latex_of(term: Any) -> str:
    """A term; a rational factor that sympy keeps apart stands before the rest."""
    factors: tuple[Any, ...] = term.args if isinstance(term, Mul) else ()
    if len(factors) == 2 and isinstance(factors[0], Rational) and isinstance(factors[1], Add):
        return rf"{sympy.latex(factors[0])} \left({sympy.latex(factors[1])}\right)"
    return str(sympy.latex(term))


def _shortened(term: Any, names: _Names) -> Any:
    """The term with names for its case distinctions, and for sums until it fits a line."""
    term = _replaced(term, _outermost(term, Piecewise), names)
    while len(str(term)) > LINE - 8:
        sums = [part for part in _outermost(term, Add) if part != term]
        sums = sums or [part for top in term.args for part in _outermost(top, Add)]
        if not sums:
            return term
        term = _replaced(term, [max(sums, key=lambda part: (len(str(part)), str(part)))], names)
    return term


def _outermost(term: Any, kind: type) -> list[Any]:
    if isinstance(term, kind):
        return [term]
    return [inner for part in term.args for inner in _outermost(part, kind)]


def _replaced(term: Any, parts: list[Any], names: _Names, known: Any = None) -> Any:
    """The term with names for its parts; products are not multiplied out."""
    if term in parts:
        return names.name(term) if known is None else known
    if not term.args or not any(part in sympy.preorder_traversal(term) for part in parts):
        return term
    arguments = [_replaced(part, parts, names, known) for part in term.args]
    return term.func(*arguments, evaluate=False) if term.is_Mul else term.func(*arguments)


def _cases(value: Any, names: _Names) -> str:
    rows, pairs = [], value.args
    if len(pairs) > _MOST_CASES + 2:
        rest = names.name(Piecewise(*pairs[_MOST_CASES:]))
        pairs = (*pairs[:_MOST_CASES], (rest, sympy.true))
    for case, condition in pairs:
        condition_text = _condition(condition)
        short = _shortened(case, names)
        if len(str(short)) + _shown(condition) > LINE:
            short = names.name(case)
        rows.append(rf"{sympy.latex(short)} & {condition_text}")
    return r"\begin{cases} " + r" \\ ".join(rows) + r" \end{cases}"


def _condition(condition: Any) -> str:
    if condition in (True, sympy.true):
        return r"\text{otherwise}"
    if isinstance(condition, sympy.And):
        return r",\ ".join(_condition(part) for part in condition.args)
    if isinstance(condition, Or):
        parts = condition.args
        if all(isinstance(part, Eq) for part in parts) and len({part.lhs for part in parts}) == 1:
            values = ", ".join(map(sympy.latex, sorted(part.rhs for part in parts)))
            return rf"{sympy.latex(parts[0].lhs)} \in \{{{values}\}}"
        return r"\text{ or }".join(map(_condition, parts))
    if isinstance(condition, Eq) and condition.rhs == 0 and isinstance(condition.lhs, sympy.Mod):
        what, by = condition.lhs.args
        if by == 2:
            return rf"{sympy.latex(what)} \text{{ even}}"
    return str(sympy.latex(condition))


def _shown(condition: Any) -> int:
    """About how many characters a condition takes."""
    if isinstance(condition, Or):
        return 8 + sum(len(str(part.rhs)) + 2 for part in condition.args if isinstance(part, Eq))
    return len(str(condition))
