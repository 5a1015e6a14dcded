"""LaTeX: what is declared compiles in a plain article, and nothing is wider than the line.

`test_two_columns` compiles what commands print in a paper of two columns.
"""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
import sympy

from lccmodel.papers.report import make_report
from lccmodel.pipelining.cost.formulas import communication_time, stationary_point, steps_formula
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.show.formula_tables import display
from lccmodel.show.latex import MAX_LINES, PREAMBLE, TexColumn, latex_table
from lccmodel.show.quantities import QUANTITIES, Quantity
from lccmodel.show.records import Table
from proofs_check import all_claims
from proofs_check.report import render_claims
from tests.show.compiling_latex import faults, needs_latex

EXAMPLES = Path(__file__).parents[2] / "examples"


@needs_latex
def test_awkward_tables_compile_and_fit_the_line(tmp_path):
    """Every printable sign, names that nobody expects, no row, one column, very many of both."""
    signs = " ".join(map(chr, range(33, 127))) + " αλτµ≤≥×°–…ᵀ²⁺¹∞⟨⟩⌈⌉⌊⌋·±∅≠→世"
    wide = Table("Wide", [Quantity(f"k{k}") for k in range(40)], [list(range(40))] * 3)
    tables = [
        Table(
            signs, [Quantity("a", signs)], [[signs], ["\\end{tabular}"]], {"name": signs}, [signs]
        ),
        Table("Nothing", ["n"], []),
        wide,
        Table("Long", ["n", "communication"], [[k, "word " * (k % 40)] for k in range(200)]),
        Table("Ratios", ["n"], [[Fraction(1, 3)], [None]]),
        Table("Everything", list(QUANTITIES), []),
    ]
    assert faults([table.render("latex") for table in tables], tmp_path) == []


@needs_latex
def test_what_does_not_fit_is_noticed(tmp_path):
    """The controls: a table with a cell wider than was estimated, and one with a cell too many."""
    wide = Table("Wide", ["n", "communication"], [[1, "word " * 40]]).render("latex")
    bare = re.sub(r">\{\\raggedright\\arraybackslash\}p\{\d+pt\}", "l", wide)
    assert bare != wide
    assert any("Overfull" in fault for fault in faults([bare], tmp_path))
    plain = Table("t", ["n"], [[1]]).render("latex")
    broken = plain.replace(r"\midrule", r"\midrule & & &")
    assert any(fault.startswith("!") for fault in faults([broken], tmp_path))


@needs_latex
@pytest.mark.parametrize(
    ("axes", "models"),
    [
        ((2,), ("load", "schedule")),
        pytest.param((1, 2, 3, 4), MODELS, marks=pytest.mark.slow),
    ],
)
def test_every_formula_fits_lines_and_pages(tmp_path, axes, models):
    """P, T and Q* of every model in full size; the control is T as sympy writes it, in one line."""
    bodies = [display("P(d,Q)", steps_formula(None, "load", r)) for r in ("shallow", "deep")]
    for c, model in product(axes, models):
        bodies += [display("P(d,Q)", steps_formula(c, model, r)) for r in ("shallow", "deep", None)]
        bodies.append(display("T(d,Q)", communication_time(c, model)))
        bodies.append(display("Q^*", stationary_point(c, model)))
    assert not any("resizebox" in body for body in bodies)
    assert faults(bodies, tmp_path) == []
    bare = rf"\[{sympy.latex(communication_time(2))}\]"
    assert any("Overfull" in fault for fault in faults([bare], tmp_path))


def test_a_long_table_goes_on_in_further_floats_and_loses_no_row():
    rows = [[str(k)] for k in range(3 * MAX_LINES + 1)]
    cells = [row[0] for row in rows]
    text = latex_table("Long", [TexColumn("head", cells, ["head", *cells], is_right=True)])
    assert text.count(r"\begin{table}") == 4
    assert text.count("(continued)") == 3
    assert re.findall(r"^(\d+) \\\\$", text, re.MULTILINE) == [row[0] for row in rows]
    assert len(set(re.findall(r"\\label\{(.*)\}", text))) == 4


@pytest.mark.slow
@needs_latex
def test_every_table_of_the_whole_report_and_of_all_claims_compiles(tmp_path):
    """Each `tables.tex` of `report examples --papers all`, with the preamble that it declares.

    A caption is a sentence: no "Table 4: Table 2", no list of facts, no remark on packages.
    """
    files = make_report([EXAMPLES], papers=["all"], jobs=2).files
    written = {name: text.decode() for name, text in files.items() if name.endswith(".tex")}
    assert {"hou/tables.tex", "calmant/tables.tex", "trace-cube-6/tables.tex"} <= set(written)
    written["claims"] = render_claims(all_claims(), "latex")
    for name, body in written.items():
        declared = {line[2:] for line in body.splitlines() if line.startswith(r"% \usepackage")}
        assert declared <= set(PREAMBLE), name
        assert faults([body], tmp_path, sorted(declared)) == [], name
        captions = re.findall(r"\\caption\{(.*)\}", body)
        assert captions, name
        assert [text for text in captions if re.match("Table|.*;|.*amsmath", text)] == []
