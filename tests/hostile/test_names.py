"""Names and titles with what terminals, spreadsheets and pages obey: shown, never sent on.

Escape sequences, NUL, lone surrogates, changes of direction and leading `= + - @` come from files
and from Python, and get into tables of every format, pictures, pages and generated programs.
"""

import ast
import csv
import io
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import lccmodel as lcc
from lccmodel.communication import Phase
from lccmodel.errors import printable
from lccmodel.placement import optimal_reordering
from lccmodel.show.records import FORMATS, Table
from tests.cli import calling

BAD = 'a\x1b[31m"""\0\\\ud800\u202eb\r\n\x9b2J'
NAMES = st.text(st.characters(), max_size=12) | st.sampled_from(
    [BAD, '"""', "\\", "'''", "{n}", "%s", '"', "\\N{DASH}", "=1+1", "@x", "#\n0 = 1"]
)


OBEYED = {*"\u200e\u200f\u061c", *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A)))}


def is_harmless(text: str, kept: str = "\n") -> bool:
    """No control character, no lone surrogate, no change of direction."""
    return not any(
        (unicodedata.category(c) in ("Cc", "Cs") or c in OBEYED) and c not in kept for c in text
    )


@given(NAMES)
@example(BAD)
def test_what_is_printable_is_harmless(text):
    assert is_harmless(printable(text), "\n\t")
    assert printable(printable(text)) == printable(text)


@pytest.mark.parametrize("form", FORMATS)
def test_a_table_shows_what_others_obey(form):
    table = Table(BAD, ["communication"], [[BAD]], {"network": BAD}, [BAD])
    text = table.render(form)
    assert is_harmless(text)
    text.encode()


@pytest.mark.parametrize(
    "start", ["=1+1", "+1+1", "-1+1", "@sum(a1)", "\t=1", "=cmd|' /C calc'!A0"]
)
def test_a_spreadsheet_runs_no_cell(start):
    """An apostrophe before it, as is usual; numbers stay numbers, and JSON what it is."""
    table = Table("t", ["communication", "degree"], [[start, -1]])
    (_, row) = csv.reader(io.StringIO(table.render("csv")))
    assert row == [f"'{start}", "-1"]
    assert json.loads(table.render("json")) == [{"communication": start, "degree": -1}]


@given(NAMES)
@example(BAD)
@example("#\n0 = 1")
def test_a_generated_program_is_python(name):
    """Whatever the name: `spmd()` wrote programs that Python did not parse."""
    c = lcc.LCC([[0, 1], [1, 0]], name=name)
    for text in (
        optimal_reordering(c, "cube:2").spmd(),
        lcc.place(lcc.Program([Phase(lcc.Traffic([[0, 1]]), 1, name)]), "cube:2", seconds=0).spmd(),
    ):
        ast.parse(text)
        assert is_harmless(text)


@pytest.fixture
def hostile_file(folder: Path) -> Path:
    content = {"n": 2, "communication": [{"name": BAD, "pairs": [[0, 1], [1, 0]]}]}
    (folder / "names.json").write_text(json.dumps(content))
    (folder / "right.eq").write_text("y0 = x1\ny1 = x0\n")
    return folder


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("command", ["contention", "map", "trace"])
def test_commands_show_names(command, form, hostile_file):
    """A lone surrogate in a name of a JSON file was a UnicodeEncodeError."""
    result = calling.run(command, "names.json", "-N", "cube:2", "-f", form)
    assert result.exit_code == 0, result.output
    assert is_harmless(result.stdout)


def test_one_name_does_not_sink_a_report(hostile_file):
    right = {"n": 2, "communication": [{"name": BAD, "destinations": [1, 0, 3, 2]}]}
    (hostile_file / "more.json").write_text(json.dumps(right))
    result = calling.run("report", ".", "--output", "out")
    assert result.exit_code == ("left out: " in result.stderr)
    assert is_harmless(result.output)
    written = [p for p in Path("out").rglob("*") if p.suffix in (".md", ".csv", ".json", ".html")]
    assert len(written) > 3
    for path in written:
        assert is_harmless(path.read_text(encoding="utf-8"), "\n\t\r"), path


def test_a_path_with_an_escape_sequence_is_shown():
    message = calling.refused(calling.run("contention", "\x1b[31m.csv"))
    assert is_harmless(message)
    assert "\\x1b[31m.csv" in message
