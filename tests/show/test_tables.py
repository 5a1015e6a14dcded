"""Tables: every format says the same, reads back, and escapes what it must."""

import csv
import io
import json
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lccmodel.errors import InputError
from lccmodel.show.latex import escape_latex, label
from lccmodel.show.numbers import cell_text, grouped, written
from lccmodel.show.quantities import QUANTITIES, Quantity, named, quantity
from lccmodel.show.records import FORMATS, Table, format_of, write_tables
from lccmodel.show.writers import as_html, as_rich, escape_markdown

SPECIAL = "50% of a_b & {x} #1 ~ ^ \\ $ | < > [hou] *s* `t`"


@pytest.fixture
def table() -> Table:
    said = Quantity("said", "in words", audience="people")
    columns = ("communication", "loads", "degree", said)
    cells = [
        ["matrix-transpose", (1, 2, 2, 1), 2, [[0, 1], [1, 0]], "two"],
        [SPECIAL, np.array([3, 1]).tolist(), np.int64(3), None, "line one\nline two"],
    ]
    keys = ("communication", "loads", "degree", "A", "said")
    records = [dict(zip(keys, row, strict=True)) for row in cells]
    facts = {"network": "cube:4", "lower_bound": Fraction(8, 3)}
    return Table("A title with a_b", columns, records, facts, ["A note, 100%."])


def test_records_json_and_csv_hold_exact_values_and_facts(table):
    first, second = table.records()
    assert first == {
        "network": "cube:4",
        "lower_bound": Fraction(8, 3),
        "communication": "matrix-transpose",
        "loads": (1, 2, 2, 1),
        "degree": 2,
        "A": ((0, 1), (1, 0)),
    }
    assert type(second["degree"]) is int
    assert second["A"] is None
    data = json.loads(table.render("json"))
    assert [list(record) for record in data] == [list(first)] * 2
    assert [data[0][key] for key in ("loads", "lower_bound", "A")] == [
        [1, 2, 2, 1],
        "8/3",
        [[0, 1], [1, 0]],
    ]
    assert (data[1]["communication"], data[1]["A"]) == (SPECIAL, None)
    header, *rows = csv.reader(io.StringIO(table.render("csv")))
    assert header == list(first)
    assert rows[0] == ["cube:4", "8/3", "matrix-transpose", "1 2 2 1", "2", "0 1; 1 0"]
    assert (rows[1][2], rows[1][5]) == (SPECIAL, "")


def test_csv_is_read_by_pandas_and_by_spreadsheets():
    """Booleans are words; 0.4 wrote the direction '+ with an apostrophe, as if a formula."""
    columns = [Quantity("optimal"), Quantity("direction")]
    table = Table("t", columns, [[True, "+"], [False, "-"], [True, "+1+1"], [True, "=1"]])
    assert table.render("csv") == "optimal,direction\ntrue,+\nfalse,-\ntrue,'+1+1\ntrue,'=1\n"


def _cells(line: str) -> list[str]:
    return re.split(r"(?<!\\)\|", line)


def test_markdown_rows_have_as_many_cells_as_the_header(table):
    lines = [line for line in table.render("markdown").splitlines() if line.startswith("|")]
    assert len(lines) == 4
    assert {len(_cells(line)) for line in lines} == {4 + 2}
    assert "line one<br>line two" in lines[3]
    assert r"a\_b" in lines[3]
    assert r"\|" in lines[3]


def test_latex_escapes_text_and_keeps_mathematics(table):
    text = table.render("latex")
    assert r"\toprule" in text
    assert r"\bottomrule" in text
    assert "$T_i$" in text
    assert r"A title with a\_b" in text
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    assert r"50\% of a\_b \& \{x\} \#1 \textasciitilde{} \textasciicircum{}" in body
    assert r"\textbackslash{} \$ \textbar{} \ensuremath{<} \ensuremath{>}" in body
    assert body.count(r"\begin{tabular}") == body.count(r"\end{tabular}") == 1
    rows = [line for line in body.strip().splitlines() if line.endswith(r"\\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {3}


@given(st.text(alphabet=st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs"))))
@example("0^0 1^^2 x^2 ^3")
def test_escaped_latex_has_no_active_character(text):
    power = r"ensuremath\{\d+\^\{\d+\}"  # of numbers, 2^10
    known = rf"\\(text[a-z]+|ensuremath\{{[<>]|{power}|[&%$#_{{}}])(\{{?\}})?"
    bare = re.sub(known, "", escape_latex(text))
    assert not set(bare) & set('&%$#_{}~^\\<>|"')


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc")) | st.just("\n")))
def test_escaped_markdown_stays_in_one_cell(text):
    escaped = escape_markdown(text)
    assert "\n" not in escaped
    assert len(_cells(escaped.replace("\\\\", ""))) == 1


def test_terminal_text_fits_its_width_and_shows_every_cell(table):
    for width in (60, 100):
        text = table.render("table", width=width)
        assert max(map(len, text.splitlines())) <= width
        for word in ("matrix-transpose", "1 2 2 1", "line two", "8/3", "A note, 100%."):
            assert word in text
    assert "[hou]" in text
    assert str(table) + "\n" == table.render()


@pytest.mark.parametrize(
    ("row", "width", "words"),
    [
        (("name", tuple(2**i for i in range(64)), 2**63), 80, [str(2**i) for i in range(40)]),
        (
            *(("first sizes, then some", "scatter-allgather", "recursive-doubling"), 56),
            ["communication", "scatter-allgather", "recursive-doubling"],
        ),
    ],
)
def test_long_sequences_are_broken_and_no_word_is_cut(row, width, words):
    """Names of algorithms were cut in two, beside a column that could give way."""
    columns = [Quantity(name) for name in ("sizes", "algorithm", "communication")]
    text = Table("t", columns, [row]).render(width=width)
    assert max(map(len, text.splitlines())) <= width
    assert [word for word in words if word not in re.sub(r"\s+", " ", text)] == []


def test_rich_text_is_not_read_as_markup():
    from rich.console import Console

    console = Console(width=80, record=True, file=io.StringIO())
    table = Table("[bold]t[/bold]", [Quantity("a", "[red]")], [["[/nonsense]"]])
    console.print(as_rich(table.sheet()))
    assert "[bold]t[/bold]" in (text := console.export_text())
    assert "[/nonsense]" in text


def test_html_is_escaped_and_numbers_stand_on_the_right(table):
    html = as_html(table.sheet())
    assert "&lt; &gt;" in html
    assert html.count("<tr>") == 3
    assert table._repr_html_() == html
    html = as_html(Table("t", [Quantity("a"), Quantity("b")], [["x", 7], ["y", 10]]).sheet())
    assert '<td>x</td><td style="text-align:right">7</td>' in html


def test_an_empty_table_is_fine_in_every_format():
    empty = Table("Nothing", [Quantity("a"), Quantity("b")], [])
    assert empty.render("json") == "[]\n"
    assert empty.render("csv") == "a,b\n"
    for form in FORMATS:
        assert empty.render(form).endswith("\n")


def test_values_as_text():
    """Beside what the doctests show."""
    assert [cell_text(value) for value in (None, False, 0.1, ("a", 1))] == ["", "no", "0.1", "a 1"]
    assert [grouped(value) for value in (999, Fraction(1, 2), None)] == ["999", "0.5", ""]
    assert [written(value, ",") for value in (1234568, "word", True)] == [
        "1,234,568",
        "word",
        "yes",
    ]
    assert label("Rotate 90°, counter-clockwise") == "rotate-90-counter-clockwise"
    assert label("°") == "table"


@given(st.fractions())
def test_fractions_are_written_exactly(value):
    """What JSON and CSV hold is the value itself, as a number or as "p/q"."""
    table = Table("t", [Quantity("v")], [[value]])
    written = json.loads(table.render("json"))[0]["v"]
    exact = Fraction(written) if isinstance(written, str) else Fraction(repr(written))
    assert exact == value
    assert Fraction(table.render("csv").splitlines()[1]) == value


@pytest.mark.parametrize(
    "make",
    [
        lambda: Table("t", [], []),
        lambda: Table("t", [Quantity("a"), Quantity("a", "b")], []),
        lambda: Table("t", [Quantity("a")], [], [(Quantity("a"), 1)]),
        lambda: Table("t", [Quantity("a")], [[1, 2]]),
        lambda: Table("t", [Quantity("a")], [[float("nan")]]),
        lambda: Table("t", [Quantity("a")], [[{1}]]),
        lambda: Table("t", [Quantity("a")], []).render("pdf"),
        lambda: format_of("table.pdf"),
    ],
)
def test_bad_tables_are_refused(make):
    with pytest.raises(InputError):
        make()


def test_written_as_the_suffix_says_and_nothing_when_something_is_wrong(tmp_path, table):
    for name, form in (("t.txt", "table"), ("t.md", "markdown"), ("T.TEX", "latex")):
        table.write(tmp_path / name)
        assert (tmp_path / name).read_text() == table.render(form)
        (tmp_path / name).unlink()
    for name, tables in (("t.pdf", [table]), ("t.csv", [table] * 2), ("missing/t.csv", [table])):
        with pytest.raises(InputError):
            write_tables(tmp_path / name, tables)
    assert list(tmp_path.iterdir()) == []
    write_tables(tmp_path / "t.md", [table, table])
    assert (tmp_path / "t.md").read_text().count("## A title") == 2


def test_every_quantity_has_one_key_and_says_what_it_is():
    """One dictionary: its keys are those of its quantities, all words that a record can carry."""
    for key, entry in QUANTITIES.items():
        assert entry.key == key
        assert entry.heading
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key)
    with pytest.raises(InputError, match="dictionary"):
        quantity("no-such-quantity")
    bound = named("lower_bound", "bound")
    assert (bound.key, bound.heading, bound.text(4096)) == ("lower_bound", "bound", "4,096")
    assert quantity("lower_bound").heading == "lower bound"


def test_the_people_see_columns_and_programs_see_records():
    """What a record has beyond the columns is in CSV and JSON alone."""
    table = Table("t", ["n"], [{"n": 3, "rank": 2}])
    assert "rank" not in table.render("markdown")
    assert table.render("csv") == "n,rank\n3,2\n"
    assert table.to_dataframe()["rank"].tolist() == [2]
    with pytest.raises(InputError, match="keys"):
        Table("t", ["n"], [{"n": 3, "rank": 2}, {"n": 4}])
