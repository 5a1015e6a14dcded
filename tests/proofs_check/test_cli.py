"""The command line: what it prints, where, and the exit codes."""

import io
import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.progress import Progress

import lccmodel
from lccmodel.kernels import notice
from proofs_check import cli, progress, report
from proofs_check.progress import Bar


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch, registered_fake_claims):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def call(monkeypatch, capsys):
    def run_main(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["proofs-check", *arguments])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capsys.readouterr()
        return exit_.value.code, out, err

    return run_main


@pytest.mark.parametrize("form", ["table", "json", "markdown", "latex", "html"])
def test_claims_are_listed_in_every_format(call, form):
    code, out, err = call("list", "hou.thm1", "--format", form)
    assert (code, err) == (0, "")
    assert "thm1" in out


def test_patterns_choose_claims(call):
    code, out, _ = call("list", "hou.lem3.2*", "hou.lem3.1", "--format", "json")
    assert code == 0
    assert [claim["id"] for claim in json.loads(out)] == [
        "hou.lem3.1",
        "hou.lem3.2",
        "hou.lem3.2.amended",
    ]


def test_a_run_prints_its_verdicts_and_the_report_shows_them_again(call):
    code, out, err = call("run", "hou.thm1", "edelman.subcube", "--max-n", "2", "--format", "json")
    assert code == 0
    assert err == (
        "proofs-check: results are stored in .proofs-check/ledger.sqlite; --resume continues from "
        "them, --ledger names another file\n"
    )
    records = json.loads(out)
    assert [r["verdict"] for r in records] == ["holds", "fails", "holds"]
    again = call("report", "hou.thm1", "edelman.subcube*", "--format", "json")
    assert again == (0, out, "")


@pytest.mark.parametrize("form", ["json", "table", "markdown", "latex", "html"])
def test_reports_name_the_counterexample_or_at_least_the_verdict(call, form):
    call("run", "fake.false")
    code, out, _ = call("report", "fake.false*", "--format", form)
    assert code == 0
    assert "fails" in out
    if form != "latex":
        assert "x = 63" in out or '"x": 63' in out


def test_json_reports_keep_to_the_schema(call, monkeypatch):
    # a grammar of addresses that jsonschema would build in a second, and our schema has none
    monkeypatch.setitem(sys.modules, "rfc3987_syntax", None)
    import jsonschema

    validator = jsonschema.Draft202012Validator(report.schema())
    validator.check_schema(report.schema())
    _, out, _ = call("run", "fake.[a-r]*", "fake.weak", "--format", "json")
    records = json.loads(out)
    validator.validate(records)
    verdicts = report.schema()["items"]["properties"]["verdict"]["enum"]
    assert {record["verdict"] for record in records} == set(verdicts)
    _, out, _ = call("run", "edelman.subcube", "--max-n", "2", "--format", "json", "--no-times")
    validator.validate(json.loads(out))
    assert "seconds" not in json.loads(out)[0]


def test_claims_that_are_not_settled_give_exit_code_1(call):
    code, _, err = call("run", "fake.weak")
    assert code == 1
    assert err.startswith("proofs-check: fake.weak: the control was not rejected: x ≥ -1\n")
    assert call("report", "fake.weak")[0] == 1


def test_no_claim_is_lost_silently(call):
    call("run", "fake.true")
    code, _, err = call("report", "fake.true", "fake.weak")
    assert code == 0
    assert err == "proofs-check: 1 of 2 claims are not decided; `proofs-check run` checks them\n"


def test_verdicts_are_there_before_anything_is_run(call):
    """`report`, `list` and `show` in a fresh folder: those that ship, marked as kept."""
    mark = f"stored, of version {lccmodel.__version__}"
    code, out, err = call("report", "hou.thm1", "hou.lem3.2*", "--format", "json")
    records = json.loads(out)
    assert (code, [r["verdict"] for r in records]) == (0, ["holds", "fails", "holds"])
    assert {r["kept"] for r in records} == {mark}
    assert err == "proofs-check: 3 of 3 verdicts are stored; `proofs-check run` checks again\n"
    assert mark in call("report", "hou.thm1")[1]
    listed = json.loads(call("list", "hou.thm1", "--format", "json")[1])
    assert (listed[0]["verdict"], listed[0]["kept"]) == ("holds", mark)
    _, card, _ = call("show", "hou.lem3.2")
    assert card.startswith("hou.lem3.2 [hou, Section 7.2, Lemma 3, item 2]\n")
    for part in ("statement", "smallest counterexample  n = 2:", "negative control", mark):
        assert part in card
    assert not list(Path().iterdir())


def test_a_run_here_takes_the_place_of_what_is_kept(call):
    """The record of this ledger is not marked; the others still are."""
    call("run", "edelman.subcube", "--max-n", "2")
    _, out, err = call("report", "edelman.subcube", "hou.thm1", "--format", "json")
    assert ["kept" in record for record in json.loads(out)] == [True, False]
    assert "1 of 2 verdicts are stored" in err


def test_a_run_says_what_was_checked_and_where_the_control_fell(call):
    """Statement, reading and control stand below the verdict, also of a claim that holds."""
    _, out, _ = call("run", "hou.thm1", "--max-n", "2")
    assert "hou.thm1: " in out
    assert "negative control: " in out
    assert "rejected at n = 2, index " in out
    assert "reading: x ≤ 99 is meant" in call("run", "fake.read")[1]


@pytest.mark.parametrize("form", ["json", "table", "markdown", "latex", "html"])
def test_what_the_text_does_not_decide_neither_holds_nor_fails(call, form):
    """Exit code 0; every format says what would decide it and what came out of each way tried."""
    code, out, _ = call("run", "fake.open", "--format", form)
    assert code == 0
    assert "undecided" in out
    if form != "latex":
        assert "the limit of [7]" in out
    if form == "json":
        (record,) = json.loads(out)
        assert record["counterexample"] is None
        found = [
            (each["text"], each["cases"], each["counterexample"] and each["counterexample"]["text"])
            for each in record["undecided"]["tried"]
        ]
        shown = [None, "n = 100: x = 60", "n = 50: x = 0"]
        assert found == list(zip(("100", "60", "0"), (150, 111, 1), shown, strict=True))
        assert record["control"]["counterexample"]["case"] == {"x": 98}


def test_a_claim_is_found_by_what_the_papers_call_it(call):
    """A kind and a number; with the key of a paper, its own alone."""
    ids = [c["id"] for c in json.loads(call("list", "theorem3", "--format", "json")[1])]
    assert {"hou.thm3", "calmant.thm3"} <= set(ids)
    found = json.loads(call("list", "hou.Lemma3", "--format", "json")[1])
    assert [c["id"] for c in found] == ["hou.lem3.1", "hou.lem3.2", "hou.lem3.2.amended"]


def test_the_latex_table_carries_the_statements_and_stands_upright(call):
    """Signs of comparison and indices are formulas; few rows are not turned on their side."""
    _, out, _ = call("report", "calmant.thm3", "calmant.lem4", "--format", "latex")
    assert "sideways" not in out
    assert r"M\ensuremath{\rangle}\ensuremath{_{c}}" in out
    theorems = r"calmant\\_(theorem|lemma)\\_\d(\\_[a-z]+)*"  # names of Coq keep their underscores
    assert r"\_" not in re.sub(theorems, "", out)
    assert r"\ensuremath{<}=" not in call("report", "calmant.*", "--format", "latex")[1]


def test_the_largest_n_reached_is_reported(call):
    call("run", "hou.thm1", "--max-n", "3")
    call("run", "hou.thm1", "--max-n", "1")
    _, out, _ = call("report", "hou.thm1", "--format", "json")
    assert json.loads(out)[0]["cases"] == 4 + 64 + 4096


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("run", "hou.thm11"), "did you mean hou.thm1?"),
        (("run", "nothing.*"), "matches no id"),
        (("run",), "--all"),
        (("run", "hou.thm1", "--all"), "--all"),
        (("run", "hou.thm1", "--max-n", "0"), "max-n: must be at least 1; got 0"),
        (("run", "hou.thm1", "--max-n", "six"), "'six' is not a valid integer"),
        (("run", "hou.thm1", "--workers", "0"), "workers"),
        (("run", "hou.thm1", "--scheduler", "nowhere"), "no Dask scheduler answers"),
        (("run", "hou.thm1", "--ledger", "/dev/null/ledger"), "can be opened"),
        (("show",), "Missing argument"),
        (("show", "hou.thm11"), "did you mean hou.thm1?"),
        (("report", "--format", "word"), "'word' is not one of"),
        (("--claims", "no_such_module", "list"), "no such module"),
        (("walk",), "No such command"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(call, arguments, text):
    code, out, err = call(*arguments)
    assert (code, out) == (2, "")
    assert text in err
    assert err.startswith("proofs-check: ")
    assert err.count("\n") == 1


def test_a_scheduler_that_does_not_answer_is_one_line(call, monkeypatch):
    monkeypatch.setattr("proofs_check.executor._ANSWER_SECONDS", 0.5)
    code, _, err = call("run", "hou.thm1", "--scheduler", "tcp://127.0.0.1:9")
    assert code == 2
    assert (
        err
        == "proofs-check: scheduler: no Dask scheduler answers (OSError); got 'tcp://127.0.0.1:9'\n"
    )


def test_what_is_not_a_ledger_is_set_aside_with_one_line(call, tmp_path):
    (tmp_path / "old.sqlite").write_text("something else")
    code, _, err = call("run", "fake.true", "--ledger", "old.sqlite")
    assert code == 0
    assert err.startswith("proofs-check: old.sqlite is not a ledger (it is not an SQLite file, or")
    assert "set aside as old.sql" in err
    assert err.count("\n") == 2


def test_a_dry_run_says_how_much_there_is_to_do(call):
    code, out, _ = call("run", "fake.true", "--dry-run")
    assert code == 0
    assert "100" in out
    assert call("report", "fake.true")[1].strip().splitlines()[1:] != ["holds"]


def test_the_output_goes_to_a_file(call, tmp_path):
    code, out, _ = call("run", "fake.true", "--format", "html", "--output", "report.html")
    assert (code, out) == (0, "")
    assert (tmp_path / "report.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_an_interrupt_is_one_line_and_exit_code_130(call, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("proofs_check.runner.run", interrupted)
    code, _, err = call("run", "fake.true")
    assert code == 130
    assert err.strip().count("\n") == 0
    assert "interrupted" in err


def test_verdicts_come_as_they_are_settled(call):
    """With several claims each verdict is a line on standard error before the table is there."""
    code, out, err = call("run", "hou.thm1", "edelman.subcube", "--max-n", "2")
    lines = err.splitlines()
    assert code == 0
    assert lines[0].startswith("hou.thm1: holds for n = 1..2 only, of n = 1..4 (")
    assert any(line.startswith("edelman.subcube: fails") for line in lines)
    assert "holds in part" in out


def test_a_bar_shows_the_first_claim_that_is_not_settled(monkeypatch):
    """Claims settled of all, and the indices of its variants together; verdicts above it, once."""
    console = Console(file=io.StringIO(), width=80)
    shown = Progress(console=console, auto_refresh=False)
    bar = Bar(shown, 2, tell=True)
    settled = SimpleNamespace(covers=None, seconds=2.0, verdict="holds")
    first, second = (
        SimpleNamespace(
            claim=SimpleNamespace(id=name),
            result=None,
            tracks={
                "printed": SimpleNamespace(indices=done),
                "control": SimpleNamespace(indices=(1, 5)),
            },
        )
        for name, done in (("a.one", (3, 10)), ("a.two", (10, 10)))
    )
    claims, cases = shown.tasks
    bar.update([first, second])
    assert (claims.completed, claims.total, claims.fields["detail"]) == (0, 2, "a.one")
    assert (cases.completed, cases.total, cases.fields["detail"]) == (4, 15, "4 of 15")
    first.result = settled
    bar.update([first, second])  # too soon after the last time
    assert claims.completed == 0
    monkeypatch.setattr(progress, "_REFRESH_SECONDS", 0)
    bar.update([first, second])
    assert (claims.completed, claims.fields["detail"], cases.completed) == (1, "a.two", 11)
    second.result = settled
    bar.update([first, second])
    assert (claims.completed, claims.fields["detail"], cases.completed) == (2, "", 11)
    lines = [line for line in console.file.getvalue().splitlines() if line.startswith("a.")]
    assert [line.partition(" (")[0] for line in lines] == ["a.one: holds", "a.two: holds"]


def test_a_bar_is_shown_on_a_terminal_only(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    with progress.watching(2, tell=False) as nothing:
        assert nothing is None
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    with progress.watching(2, tell=True) as bar:
        assert isinstance(bar, Bar)
        notice.say("compiling, once: walk (1 of 2)")
        assert bar._progress.tasks[1].fields["detail"] == "compiling, once: walk (1 of 2)"
    assert notice.tell(None) is None


@pytest.mark.slow
def test_the_suffix_of_the_output_chooses_the_format(call, tmp_path):
    """0.4 wrote a table into x.json."""
    assert call("list", "--output", "x.json")[0] == 0
    assert (tmp_path / "x.json").read_text() == call("list", "--format", "json")[1]
    assert call("list", "--output", "x.json", "--format", "table")[0] == 0
    assert (tmp_path / "x.json").read_text() == call("list")[1]
    code, _, complaint = call("list", "--output", "x.csv")
    assert (code, (tmp_path / "x.csv").exists()) == (2, False)
    assert "--output must end in .txt, .json, .md, .markdown, .tex, .html" in complaint
