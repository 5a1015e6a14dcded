"""The command line: what it prints, where, and the exit codes."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.progress import Progress

import lccmodel
from lccmodel.kernels import notice
from proofs_check import claim as declared
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


FORMATS = pytest.mark.parametrize("form", ["json", "table", "markdown", "latex", "html"])


@FORMATS
def test_claims_are_listed_in_every_format(call, form):
    code, out, err = call("list", "hou.thm1", "--format", form)
    assert (code, err) == (0, "")
    assert "thm1" in out


@pytest.mark.parametrize(
    ("patterns", "ids"),
    [
        (["hou.lem3.2*", "hou.lem3.1"], ["hou.lem3.1", "hou.lem3.2", "hou.lem3.2.amended"]),
        (["hou.Lemma3"], ["hou.lem3.1", "hou.lem3.2", "hou.lem3.2.amended"]),
        (["hou.theorem3", "hou.cor1"], ["hou.thm3", "hou.cor1"]),
    ],
)
def test_claims_are_chosen_by_patterns_and_by_what_the_papers_call_them(call, patterns, ids):
    code, out, _ = call("list", *patterns, "--format", "json")
    assert (code, [claim["id"] for claim in json.loads(out)]) == (0, ids)


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


@FORMATS
def test_reports_name_the_counterexample_and_what_is_missing(call, form):
    """What the text does not decide neither holds nor fails, and is no reason for exit code 1."""
    call("run", "fake.false", "fake.open")
    code, out, _ = call("report", "fake.false*", "fake.open", "--format", form)
    assert code == 0
    assert "fails" in out
    assert "undecided" in out
    if form != "latex":
        assert "x = 63" in out or '"x": 63' in out
        assert "the limit of [7]" in out


def test_an_undecided_claim_has_what_came_out_of_each_way_tried(call):
    (record,) = json.loads(call("run", "fake.open", "--format", "json")[1])
    assert record["counterexample"] is None
    tried = [
        (way["text"], way["cases"], way["counterexample"] and way["counterexample"]["text"])
        for way in record["undecided"]["tried"]
    ]
    assert tried == [("100", 150, None), ("60", 111, "n = 100: x = 60"), ("0", 1, "n = 50: x = 0")]
    assert record["control"]["counterexample"]["case"] == {"x": 98}


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


def test_no_claim_is_lost_silently_and_changed_code_is_named(call, monkeypatch):
    call("run", "fake.true")
    code, _, err = call("report", "fake.true", "fake.weak")
    assert code == 0
    assert err == "proofs-check: 1 of 2 claims are not decided; `proofs-check run` checks them\n"
    changed = replace(declared.registered["fake.true"], parameters={"limit": 60})
    monkeypatch.setitem(declared.registered, "fake.true", changed)
    assert "code has changed since: fake.true" in call("report", "fake.true")[2]


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


def test_a_run_here_takes_the_place_of_what_is_kept_with_the_largest_n(call):
    """The record of this ledger is not marked; the others still are."""
    for n in ("3", "1"):
        call("run", "hou.thm1", "--max-n", n)
    _, out, err = call("report", "edelman.subcube", "hou.thm1", "--format", "json")
    records = {record["id"]: record for record in json.loads(out)}
    assert ["kept" in records[name] for name in ("edelman.subcube", "hou.thm1")] == [True, False]
    assert records["hou.thm1"]["cases"] == 4 + 64 + 4096
    assert "1 of 2 verdicts are stored" in err


def test_a_run_says_what_was_checked_and_where_the_control_fell(call):
    """Statement, reading and control stand below the verdict, also of a claim that holds."""
    _, out, _ = call("run", "hou.thm1", "--max-n", "2")
    assert "hou.thm1: " in out
    assert "negative control: " in out
    assert "rejected at n = 2, index " in out
    assert "reading: x ≤ 99 is meant" in call("run", "fake.read")[1]


def test_the_latex_table_carries_the_statements_and_stands_upright(call):
    """Signs of comparison and indices are formulas; few rows are not turned on their side."""
    _, out, _ = call("report", "calmant.thm3", "calmant.lem4", "--format", "latex")
    assert "sideways" not in out
    assert r"M\ensuremath{\rangle}\ensuremath{_{c}}" in out
    theorems = r"calmant\\_(theorem|lemma)\\_\d(\\_[a-z]+)*"  # names of Coq keep their underscores
    assert r"\_" not in re.sub(theorems, "", out)
    assert r"\ensuremath{<}=" not in call("report", "calmant.*", "--format", "latex")[1]


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
        (("run", "hou.thm1", "--shard-size", "0"), "shard-size: must be at least 1; got 0"),
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
    _, _, err = call("run", "hou.thm1", "--scheduler", "tcp://127.0.0.1:9")
    assert "no Dask scheduler answers (OSError); got 'tcp://127.0.0.1:9'\n" in err


def test_what_is_not_a_ledger_is_set_aside_with_one_line(call, tmp_path):
    (tmp_path / "old.sqlite").write_text("something else")
    code, _, err = call("run", "fake.true", "--ledger", "old.sqlite")
    assert code == 0
    assert err.startswith("proofs-check: old.sqlite is not a ledger (it is not an SQLite file, or")
    assert "set aside as old.sql" in err
    assert err.count("\n") == 2


def test_a_dry_run_says_how_much_there_is_to_do(call):
    code, out, _ = call("run", "fake.true", "--dry-run")
    assert (code, "100" in out) == (0, True)
    assert "not decided" in call("report", "fake.true")[2]


def test_the_suffix_of_the_output_chooses_the_format(call, tmp_path):
    """0.4 wrote a table into x.json."""
    written = tmp_path / "x.json"
    for chosen, alone in (((), ("--format", "json")), (("--format", "table"), ())):
        assert call("list", "hou.*", "--output", "x.json", *chosen) == (0, "", "")
        assert written.read_text(encoding="utf-8") == call("list", "hou.*", *alone)[1]
    code, _, complaint = call("list", "--output", "x.csv")
    assert (code, (tmp_path / "x.csv").exists()) == (2, False)
    assert "--output must end in .txt, .json, .md, .markdown, .tex, .html" in complaint
    assert call("run", "fake.true", "--output", "x.html")[:2] == (0, "")
    assert (tmp_path / "x.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


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
    runs = []
    for name, done in (("a.one", (3, 10)), ("a.two", (10, 10))):
        tracks = [SimpleNamespace(indices=indices) for indices in (done, (1, 5))]
        claim = SimpleNamespace(id=name)
        runs.append(SimpleNamespace(claim=claim, result=None, tracks=dict(enumerate(tracks))))
    claims, cases = shown.tasks
    bar.update(runs)
    assert (claims.completed, claims.total, claims.fields["detail"]) == (0, 2, "a.one")
    assert (cases.completed, cases.total, cases.fields["detail"]) == (4, 15, "4 of 15")
    runs[0].result = SimpleNamespace(covers=None, seconds=2.0, verdict="holds")
    bar.update(runs)  # too soon after the last time
    assert claims.completed == 0
    monkeypatch.setattr(progress, "_REFRESH_SECONDS", 0)
    bar.update(runs)
    assert (claims.completed, claims.fields["detail"], cases.completed) == (1, "a.two", 11)
    runs[1].result = runs[0].result
    bar.update(runs)
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
