"""Formulas in n as tables: of one family, of one formula of the papers, and the lists of both."""

from __future__ import annotations

from typing import Any

import sympy

from lccmodel.errors import CommunicationError
from lccmodel.show.formula_tables import formula_latex
from lccmodel.show.quantities import Quantity, named
from lccmodel.show.records import Table
from lccmodel.symbolic import (
    FAMILIES,
    ContentionFormula,
    Family,
    Formula,
    MeshContentionFormula,
    PatternFormula,
    all_formulas,
    contention,
    family,
    optimal_reordering,
)
from lccmodel.symbolic.contention_formula import RULES

_LEFT = {
    "load": "T_i",
    "degree": r"\max T_i",
    "sum": r"\sum T_i",
    "distance": "D",
    "occupancy": "O_i",
    "best degree": r"\min \max T_i",
}


def contention_formula_table(
    T: ContentionFormula | MeshContentionFormula | PatternFormula, counted: int | None = None
) -> Table:
    """Every formula of one family, its domain, the rules and what was counted.

    Args:
        T: what was derived.
        counted: count all members of at most this many address bits, too.

    >>> table = contention_formula_table(contention("perfect-shuffle"))
    >>> [(row["quantity"], row["formula"]) for row in table.records()][:3]
    [('load', '1'), ('degree', '1'), ('sum', 'n')]
    """
    pairs: list[tuple[str, Any]]
    if isinstance(T, PatternFormula):
        name, network, axes = T.name, T.shape, len(T.widths)
        pairs = list(
            zip([f"load of axis {k}" for k in range(axes)] or ["load"], T.loads, strict=True)
        )
        pairs += [("degree", T.degree), ("sum", T.total), ("distance", T.distance)]
    elif isinstance(T, MeshContentionFormula):
        name = T.family.name
        pairs = [(f"load of axis {axis}", load) for axis, load in enumerate(T.loads)]
        pairs += [("degree", T.degree), ("sum", T.total)]
        network = f"{T.network}:" + " x ".join(f"2^({width})" for width in T.widths)
    else:
        name = T.family.name
        pairs = [("load", T.load), ("degree", T.degree), ("sum", T.total), ("distance", T.distance)]
        network = f"{T.network}:{T.family.n}"
        if T.network == "cube" and not T.family.is_scatter:
            pairs.append(("occupancy", T.occupancy))
        best = best_degree(T.family, T.network)
        pairs += [] if best is None else [("best degree", best)]
    notes = [f"{rule}: {RULES[rule]}" for rule in T.rules]
    if not T.derived:
        notes.insert(0, "not proved: a form that fits all counts up to n = 12")
    if counted is not None:
        checked = T.checked(counted)
        verdict = "all equal" if checked.all_equal else f"differing: {checked.differing[:3]}"
        how = f"{checked.walked} walked, {checked.by_ranks} by matrix ranks"
        notes.append(f"counted for n <= {counted}: {checked.members} members, {how}; {verdict}")
    facts = [
        ("communication", name),
        ("network", network),
        ("where", T.domain),
        (named("rules", "proved by" if T.derived else "by"), " ".join(T.rules)),
        (Quantity("derived", "proved", audience="data"), T.derived),
    ]
    return _formulas("Contention for every n", pairs, facts, notes)


def best_degree(chosen: Family, network: str) -> Any:
    """The smallest degree of any bit order; None if no rule gives it."""
    try:
        return optimal_reordering(chosen, f"{network}:{chosen.n}").after.degree
    except CommunicationError:
        return None


def formula_table_of(formula: Formula) -> Table:
    """One formula of the papers, its symbols, domain and source.

    >>> from lccmodel.symbolic import formula
    >>> formula_table_of(formula("cycle-factorizations")).records()[0]["formula"]
    'n**(n - 2)'
    """
    facts = [
        (Quantity("name", "name"), formula.name),
        ("meaning", formula.meaning),
        ("where", formula.where),
        ("source", formula.source),
        (Quantity("derived", "proved", audience="data"), formula.derived),
    ]
    notes = [] if formula.derived else ["not proved for all values: see the source"]
    return _formulas("A formula of the papers", [("value", formula.expression)], facts, notes)


def _formulas(title: str, pairs: list[tuple[str, Any]], facts: Any, notes: list[str]) -> Table:
    as_latex = {str(value): formula_latex(_LEFT.get(name, "F"), value) for name, value in pairs}
    records = [
        {"quantity": name, "formula": str(value), "latex": sympy.latex(value)}
        for name, value in pairs
    ]
    formula = named("formula", "formula", math=lambda cell: as_latex[str(cell)])
    columns = (Quantity("quantity", "quantity"), formula)
    return Table(title, columns, records, facts, notes)


def formulas_table() -> Table:
    """The names that `lccmodel formula` takes: formulas of the papers, then families.

    >>> formulas_table().records()[0]["name"]
    'distance'
    """
    rows = [
        {"name": f.name, "meaning": f.meaning, "where": f.where, "source": f.source}
        for f in all_formulas()
    ]
    for word in FAMILIES:
        chosen = family(word)
        T = contention(chosen)
        domain = f"{T.domain}"
        rows.append(
            {
                "name": chosen.name,
                "meaning": "contention of a family of the catalogue",
                "where": domain,
                "source": " ".join(T.rules),
            }
        )
    columns = (Quantity("name", "name"), "meaning", "where", "source")
    return Table("Formulas", columns, rows)


def families_table(network: str = "cube") -> Table:
    """The closed forms of all families on one network: load, degree, sum, best degree.

    Raises:
        NetworkError: not "cube" or "origin".

    >>> families_table().records()[1]["degree"]
    'Piecewise((0, n <= 1), (2**(floor(n/2) - 1), True))'
    """
    rows = []
    latex = {}
    for word in FAMILIES:
        chosen = family(word)
        try:
            T = contention(chosen, network)
        except CommunicationError:
            continue
        assert isinstance(T, ContentionFormula)
        best = best_degree(chosen, network)
        cells = {"load": T.load, "degree": T.degree, "total": T.total, "best": best}
        latex.update({str(value): f"${sympy.latex(value)}$" for value in cells.values()})
        row = {key: "open" if value is None else str(value) for key, value in cells.items()}
        rows.append({"name": chosen.name, "where": T.domain} | row)
    latex["open"] = "open"

    def column(key: str, heading: str) -> Quantity:
        return Quantity(key, heading, math=lambda cell: latex[str(cell)])

    columns = (
        Quantity("name", "family"),
        "where",
        column("load", "T_i"),
        column("degree", "contention degree"),
        column("total", "sum of T_i"),
        column("best", "best degree"),
    )
    return Table(f"Closed forms on {network}:n", columns, rows)


def families_page(network: str) -> str:
    """Return the closed forms as a Markdown table; equal families share a row.

    >>> families_page("cube").splitlines()[3].startswith("| `bit-reverse`, `fft` | n >= 1 |")
    True
    """
    names: dict[tuple[str, ...], list[str]] = {}
    for row in families_table(network).records():
        forms = [f"`{row[key]}`" for key in ("load", "degree", "total", "best")]
        names.setdefault((str(row["where"]), *forms), []).append(f"`{row['name']}`")
    lines = ["| family | domain | T_i | degree | sum of T_i | best degree |"]
    lines.append("| --- | --- | --- | --- | --- | --- |")
    for cells, families in names.items():
        line = " | ".join(cell.replace("|", "\\|") for cell in (", ".join(families), *cells))
        lines.append(f"| {line} |".replace("`open`", "open"))
    return "\n".join(lines) + "\n"
