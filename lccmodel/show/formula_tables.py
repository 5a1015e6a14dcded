"""Tables of formulas: the time of a pipelined CC-cube, derived, and the printed forms compared.

    formula_table(mesh, model)        P(d,Q), T and Q* as formulas, for one machine
    derived_table()                   P(d,Q) in closed form, derived, for lines and meshes

The formulas of `derived_table` have the shape of [calmant, appendix A.3].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lccmodel.network import Mesh, Torus
from lccmodel.pipelining.cost.steps import Model, Regime, StepTable, step_table
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
    import sympy

    from lccmodel.pipelining.cost.formulas import time_formula
    from lccmodel.show.formula_latex import formula_latex

    mesh = as_mesh(mesh)
    d, c, table = mesh.n, len(mesh.shape), step_table(mesh, model, ports)
    whole = time_formula(sympy.Symbol("P"))
    rows: list[tuple[str, str, Any]] = [("T(d,Q)", "any d and Q", whole)]
    rows += _own_formulas(d, table)
    if not isinstance(mesh, Torus) and len(set(mesh.shape)) == 1:
        rows += _general_formulas(c, "load" if ports == "all" else model)
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


def _general_formulas(c: int, model: Model) -> list[tuple[str, str, Any]]:
    from lccmodel.pipelining.cost.formulas import stationary_point, steps_formula

    of = f"any d = {c}, {2 * c}, {3 * c}, ..."
    return [
        ("P(d,Q)", f"Q ≤ d, {of}", steps_formula(c, model, "shallow")),
        ("P(d,Q)", f"Q ≥ d, {of}", steps_formula(c, model, "deep")),
        ("Q*", of, stationary_point(c, model)),
    ]


def _own_formulas(d: int, table: StepTable) -> list[tuple[str, str, Any]]:
    import sympy

    from lccmodel.pipelining.cost.formulas import deep_stationary

    return [
        (f"P({d},Q)", f"Q ≥ {d}, this network", table.A + table.B * sympy.Symbol("Q")),
        ("Q*", "this network", deep_stationary(table.A, table.B)),
    ]


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
    import sympy

    from lccmodel.pipelining.cost.formulas import steps_formula
    from lccmodel.show.formula_latex import formula_latex

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
    notes = ["d is a multiple of c. Derived from the sums of sections 3.3 and 4.3."]
    return Table("Steps P(d,Q) in closed form, derived", columns, records, notes=notes)
