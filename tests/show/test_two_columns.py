"""Ten tables and six figures of commands in a two-column paper of IEEE, compiled as they come.

What a journal refuses is looked for in the log and in the PDF: boxes that stick out, a label
twice, fonts of Type 3. The commands are typed here as an author would type them.
"""

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import pytest
from matplotlib.figure import Figure

from lccmodel.show.latex import COLUMN, PREAMBLE, text_width
from lccmodel.show.records import Table
from tests.cli.calling import run
from tests.show.compiling_latex import faults, needs_ieee

EXAMPLES = Path(__file__).parents[2] / "examples"

TABLES = f"""
contention matrix-transpose --network cube:8
contention bit-reverse --network cube:8
contention {EXAMPLES}/trace.csv --network torus:8x8
map matrix-transpose bit-reverse --network cube:8
pipeline --network mesh:8x8 --alpha 500 --tau 1 --items 4096
pipeline --network mesh:32x32 --alpha 500 --tau 1 --items 4096
pipeline --network mesh:16x16x16 --alpha 500 --tau 1 --items 65536 --model all
pipeline --network mesh:32x32 --formula
exchange --network mesh:16x16 --alpha 500 --tau 1 --block 64
exchange --formula
fft --network cube:4 --points 64 --latency 10
route matrix-transpose --network mesh:4x4
collective allreduce --network torus:8x8x8 --alpha 5 --tau 0.001 --unit µs
collective allreduce --formula
schedule --task 0,7 --network mesh:16x16
formula bit-reverse --network cube:n
"""
FIGURES = """
contention bit-reverse --network cube:4
contention bit-reverse --network torus:8x8
pipeline --network mesh:32x32 --alpha 500 --tau 1 --items 4096
exchange --network mesh:16x16 --alpha 500 --tau 1 --block 64
route matrix-transpose --network cube:4
schedule --task 0,4 --network mesh:4x4
"""


def typed(lines: str) -> list[list[str]]:
    return [shlex.split(line) for line in lines.strip().splitlines()]


def made_tables(lines: str = TABLES) -> list[str]:
    results = [run(*words, "-f", "latex") for words in typed(lines)]
    assert [result.exit_code for result in results] == [0] * len(results)
    return [result.stdout for result in results]


def made_figures(folder: Path) -> list[str]:
    """A float for the picture of each command, at the width of a column."""
    floats = []
    for number, words in enumerate(typed(FIGURES)):
        name = f"figure{number}.pdf"
        result = run(*words, "--plot", folder / name, "--size", "column")
        assert result.exit_code == 0, result.output
        floats.append(
            "\\begin{figure}[tbp]\n"
            f"\\centering\\includegraphics{{{name}}}\n"
            f"\\caption{{{words[0]}.}}\\label{{fig:{number}}}\n\\end{{figure}}\n"
        )
    return floats


def refused(bodies: Sequence[str], folder: Path) -> list[str]:
    """What a journal would refuse of the bodies in a two-column document."""
    packages = [r"\usepackage{graphicx}", *PREAMBLE, r"\pdfobjcompresslevel=0 \pdfcompresslevel=0"]
    wrong = faults(bodies, folder, packages, r"\documentclass[journal]{IEEEtran}")
    return wrong + ["Type 3 font"] * (b"/Type3" in (folder / "paper.pdf").read_bytes())


@pytest.mark.slow
@needs_ieee
def test_tables_and_figures_as_typed_go_into_a_two_column_paper(tmp_path):
    tables, figures = made_tables(), made_figures(tmp_path)
    assert len(tables) >= 10
    assert len(figures) >= 6
    assert refused([*tables, *figures], tmp_path) == []


@pytest.mark.slow
@needs_ieee
def test_what_a_journal_refuses_is_seen(tmp_path):
    """The controls: a line too long for a column, a label twice, and letters of Type 3."""
    (table,) = made_tables("contention bit-reverse --network cube:4")
    wide = table.replace("bit-reverse &", "bit-reverse" * 9 + " &")
    assert wide != table
    assert any("Overfull" in fault for fault in refused([wide], tmp_path))
    assert any("multiply" in fault for fault in refused([table, table], tmp_path))
    figure = Figure()
    figure.text(0.5, 0.5, "letters")
    with matplotlib.rc_context({"pdf.fonttype": 3}):
        figure.savefig(tmp_path / "bad.pdf")
    body = r"\includegraphics[width=3in]{bad.pdf}"
    assert refused([body], tmp_path) == ["Type 3 font"]


def test_labels_are_never_the_same_twice_and_captions_name_the_question():
    asked = (
        "contention bit-reverse -N cube:4\ncontention matrix-transpose -N cube:4\n"
        "contention bit-reverse -N cube:4 --routing descending\ncontention bit-reverse -N cube:5"
    )
    text = "".join(made_tables(asked))
    assert len(set(re.findall(r"\\label\{([^}]*)\}", text))) == text.count(r"\label{") == 4
    assert r"\caption{Channel contention: bit-reverse, cube:4.}" in text
    assert r"\caption{Channel contention: matrix-transpose, cube:4.}" in text
    assert "".join(made_tables(asked)) == text


def test_no_table_is_scaled_turned_or_longer_below_than_above():
    for text in made_tables("\n".join(TABLES.strip().splitlines()[:8])):
        assert not re.search("resizebox|sidewaystable|scalebox", text)
        rows = len(re.findall(r"\\\\$", text.split(r"\toprule")[1].split(r"\bottomrule")[0], re.M))
        notes = re.findall(r"\\raggedright (.*)", text)
        lines = sum(map(text_width, notes)) / COLUMN
        assert lines <= max(3, rows + 2), text


def test_columns_that_do_not_fit_are_named_and_can_be_chosen():
    asked = ("contention", "matrix-transpose", "-N", "cube:8", "-f", "latex")
    result = run(*asked)
    assert "% Left out for width: kind; --columns chooses columns.\n" in result.stdout
    assert "columns that do not fit: kind (--columns selects)" in result.stderr
    chosen = run(*asked, "--columns", "communication,kind,rank,loads,degree,sum,distance")
    assert "permutation &" in chosen.stdout
    assert r"\begin{table*}" in chosen.stdout


def test_a_column_of_one_value_is_named_below_and_one_without_values_is_dropped():
    rows = [[k, "the same in all rows", None, "long words " * 9, "w" * 20] for k in range(3)]
    text = Table("T", ["n", "kind", "rank", "explanation", "title"], rows).render("latex")
    assert "the same in all rows &" not in text
    assert "kind: the same in all rows." in text
    assert "Left out for width: kind, rank" in text


def test_formulas_carry_labels_of_the_document():
    """No "(1)" of our own, which would clash with the author's numbers."""
    (text,) = made_tables("pipeline --network mesh:8x8 --formula")
    referred = re.findall(r"\\eqref\{([^}]*)\}", text)
    assert referred
    assert sorted(referred) == sorted(re.findall(r"\\label\{(eq:[^}]*)\}", text))
    assert not re.search(r"& *\(\d\)", text)


def test_sources_are_citations_and_options_keep_two_hyphens():
    text = run("map", "bit-reverse", "matrix-transpose", "-N", "cube:4", "-f", "latex").stdout
    assert r"\cite[Theorem~6]{hou}" in text
    assert "[hou" not in text.replace(r"\cite[", "")
    table = Table("Of --network [hou, 3]", ["n"], [[1]], notes=["--now is -- none"])
    assert r"\caption{Of -{}-network \cite[3]{hou}.}" in table.render("latex")
    assert "-{}-now is -{}- none" in table.render("latex")


def test_a_table_of_own_parameters_does_not_bear_the_number_of_a_printed_one():
    for name in ("times", "speedup", "adaptive"):
        own = run("fft", "-N", "cube:3", "--points", "8", "--table", name, "-f", "latex").stdout
        assert "Table" not in own.split(r"\end{tabular}")[0]
        assert r"printed" not in own.split(r"\bottomrule")[0]
