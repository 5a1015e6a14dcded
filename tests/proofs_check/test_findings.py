"""The pages of findings and the errata are written from the claims and the kept verdicts."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from lccmodel.errors import InputError
from proofs_check import Options, findings, run
from proofs_check.cli import cli
from proofs_check.findings import records_with
from proofs_check.kept import kept_records, read_records, writing
from proofs_check.registry import all_claims, get_claim
from proofs_check.report import render
from proofs_check.result import counterexample_text

ROOT = Path(__file__).parents[2]
PAPERS = ("hou", "boppana", "calmant", "edelman", "sibeyn")


@pytest.fixture(scope="module")
def pages():
    return findings.findings_pages(records_with(None))


def test_the_pages_are_those_that_the_claims_give(pages):
    """`proofs-check findings --output docs` makes them again."""
    stored = {path.name for path in (ROOT / "docs").glob("findings*.md")}
    assert stored == set(pages)
    for name, page in pages.items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == page, name


def test_the_command_writes_one_page_or_all(tmp_path, pages):
    runner = CliRunner()
    assert runner.invoke(cli, ["findings"]).output == pages["findings.md"]
    page = tmp_path / "page.md"
    runner.invoke(cli, ["findings", "hou", "--output", str(page)], catch_exceptions=False)
    assert page.read_text(encoding="utf-8") == pages["findings_hou.md"]
    folder = tmp_path / "pages"
    folder.mkdir()
    runner.invoke(cli, ["findings", "--output", str(folder)], catch_exceptions=False)
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()} == pages


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [(["lattice"], "must be one of hou, boppana"), (["hou", "--output", "."], "must be a file")],
)
def test_a_page_that_does_not_exist_and_a_folder_for_one_page_are_refused(arguments, rule):
    refused = CliRunner().invoke(cli, ["findings", *arguments])
    assert isinstance(refused.exception, InputError)
    assert rule in str(refused.exception)


def test_every_false_statement_is_a_line_of_the_summary_that_links_to_its_entry(pages):
    links = re.findall(r"- \[`([^`]+)`\]\(([^#]+)#([^)]+)\)(.*)", pages["findings.md"])
    failing = [id_ for id_, kept in records_with(None).items() if kept["verdict"] == "fails"]
    assert sorted(id_ for id_, *_ in links) == sorted(failing)
    for id_, page, anchor, line in links:
        headings = re.findall(r"^#+ (.*)$", pages[page], flags=re.MULTILINE)
        anchors = [re.sub(r"[^\w -]", "", h.lower()).replace(" ", "-") for h in headings]
        assert anchors.count(anchor) == 1, (id_, anchor)
        assert len(line.split()) <= 35, line


def test_no_claim_has_two_entries(pages):
    ids = re.findall(r"^### `([^`]+)`$", "".join(pages.values()), flags=re.MULTILINE)
    assert len(ids) == len(set(ids))


def test_the_summary_counts_the_verdicts_of_every_paper(pages):
    """Counted here from the records alone; corrected statements are not counted."""
    verdicts = ("holds", "holds-as-read", "fails", "undecided")
    counted = Counter(
        (get_claim(id_).source.paper, kept["verdict"])
        for id_, kept in records_with(None).items()
        if not id_.endswith(".amended")
        and (get_claim(id_).source.paper not in PAPERS or not get_claim(id_).is_own)
    )
    table = (
        pages["findings.md"]
        .partition("| source | holds |")[2]
        .partition("\n\n")[0]
        .splitlines()[2:]
    )
    shown = sorted(tuple(map(int, row.split("|")[2:6])) for row in table)
    papers = {paper for paper, _ in counted}
    assert shown == sorted(tuple(counted[paper, v] for v in verdicts) for paper in papers)


def test_every_claim_that_does_not_simply_hold_is_an_entry_with_what_is_known(pages):
    for id_, kept in records_with(None).items():
        claim = get_claim(id_)
        paper = claim.source.paper if claim.source.paper in PAPERS else "own"
        page = pages[f"findings_{paper}.md"]
        if kept["verdict"] == "holds":
            continue
        (entry,) = re.findall(rf"^### `{re.escape(id_)}`\n.*?(?=^##|\Z)", page, re.M | re.S)
        assert claim.says[1:] in entry
        if kept["verdict"] == "fails":
            assert get_claim(claim.amended).says[1:] in entry
        elif kept["verdict"] == "holds-as-read":
            assert _has(page, entry, claim.reading.text[1:])
        else:
            assert _has(page, entry, claim.undecided.missing[1:])
            assert all(tried["text"] in entry for tried in kept["undecided"]["tried"])


def _has(page: str, entry: str, text: str) -> bool:
    """Whether an entry has a text, or names an entry of the page that has it."""
    others = re.findall(r"As for \[`([^`]+)`\]", entry)
    return text in entry or any(
        text in page.partition(f"### `{other}`\n")[2].partition("\n### ")[0] for other in others
    )


def test_remarks_name_claims_that_exist():
    for path in (ROOT / "proofs_check" / "notes").glob("*.md"):
        for name in re.findall(r"`([a-z]+\.[a-z0-9./-]+)`", path.read_text(encoding="utf-8")):
            if name.partition(".")[0] in (*PAPERS, "lattice"):
                assert get_claim(name)


@pytest.mark.slow
def test_the_kept_verdicts_are_those_of_every_claim():
    """A claim that was added or renamed has its verdict kept."""
    assert set(kept_records()) == {claim.id for claim in all_claims()}


@pytest.mark.slow
@pytest.mark.parametrize("paper", PAPERS)
def test_the_kept_verdicts_are_made_again(paper):
    """Verdict and counterexample of every quick claim; `run --all` makes the others."""
    kept = kept_records()
    quick = [c for c in all_claims() if c.source.paper == paper and c.id in kept][:40]
    quick = [c for c in quick if sum(map(c.domain.size, c.dimensions())) < 5000]
    for result in run(quick, Options()):
        (again,) = json.loads(writing([result.record()]))
        known = {k: v for k, v in kept[result.claim.id].items() if k != "kept"}
        assert again == known


@pytest.mark.parametrize("paper", PAPERS)
def test_an_erratum_names_every_correction_once(paper):
    page = findings.errata(paper, "markdown", records_with(None))
    failing = [
        get_claim(id_)
        for id_, kept in records_with(None).items()
        if kept["verdict"] == "fails" and get_claim(id_).source.paper == paper
    ]
    failing = [claim for claim in failing if not claim.is_own]
    assert page.count(" Suggested: ") == len(failing)
    assert "wrong" not in page.split("##")[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_an_erratum_can_be_read_without_the_checker(paper):
    """No ids of claims; nothing is cut in the middle; whose words stand where."""
    records = records_with(None)
    page = findings.errata(paper, "markdown", records)
    assert not re.search(rf"\b({'|'.join(PAPERS)}|lattice)\.[a-z]", page)
    for bracket in ("[]", "{}", "“”"):
        for paragraph in page.split("\n"):
            assert paragraph.count(bracket[0]) == paragraph.count(bracket[1]), paragraph
    for claim in all_claims():
        if claim.source.paper == paper and claim.printed and claim.id in records:
            known = claim.is_own or records[claim.id]["verdict"] == "holds"
            assert known or f"Published: “{claim.printed}” Statement: " in page
    assert page.count("Published: ") == page.count("Published: “")


def test_what_is_ours_is_not_counted_as_printed():
    """Amended statements and questions beside the text are left out of an erratum's counts."""
    for paper in PAPERS:
        counted = Counter(
            each["verdict"]
            for id_, each in records_with(None).items()
            if get_claim(id_).source.paper == paper and not get_claim(id_).is_own
        )
        opening = findings.errata(paper, "markdown", records_with(None)).splitlines()[2]
        assert f"checking {sum(counted.values())} statements" in opening
        assert f"{counted['holds']} hold as published" in opening


@pytest.mark.parametrize("paper", PAPERS)
def test_the_latex_erratum_is_plain_ascii(paper):
    """Whatever the typesetter, its letters are there."""
    assert findings.errata(paper, "latex", records_with(None)).isascii()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
@pytest.mark.parametrize("paper", PAPERS)
def test_the_latex_erratum_compiles(paper, tmp_path):
    (tmp_path / "erratum.tex").write_text(findings.errata(paper, "latex", records_with(None)))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "erratum.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout


def test_a_paper_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="must be one of hou"):
        findings.errata("lattice", "markdown", {})


def test_a_file_that_is_not_a_report_is_refused(tmp_path):
    from lccmodel.errors import FileError

    path = tmp_path / "report.json"
    path.write_text(json.dumps([{"verdict": "holds"}]))
    with pytest.raises(FileError, match="must be a report"):
        read_records(path)


def test_numbers_of_a_counterexample_are_shown_whole_or_not_at_all():
    """What is too long is left out where it stands; what comes after it is not."""
    found = counterexample_text(2, {"A": [[1, 0]]}, {"T": 1, "loads": [1] * 100, "bound": "1, 2"})
    assert found == "n = 2: A = [[1, 0]]; T = 1, bound = 1, 2"


def test_what_is_kept_of_a_record_is_what_it_shows():
    """Numbers that are too long to be shown, and times, are not kept; texts stay as they are."""
    (result,) = run([get_claim("edelman.subcube")], Options(max_n=2))[:1]
    (kept,) = json.loads(writing([result.record()]))
    shown = kept["counterexample"]
    assert "seconds" not in kept
    assert shown["text"] == result.counterexample.text
    assert counterexample_text(shown["n"], shown["case"], shown["details"]) == shown["text"]


def test_a_report_takes_the_place_of_kept_verdicts(tmp_path):
    """Those of its claims alone, as JSON that a run writes; the others stay as they were."""
    (result,) = run([get_claim("hou.thm1")], Options(max_n=1))
    path = tmp_path / "report.json"
    path.write_text(render([result.record()], "json"))
    found, kept = records_with(path), records_with(None)
    assert found["hou.thm1"]["cases"] == result.cases != kept["hou.thm1"]["cases"]
    assert {id_: each for id_, each in found.items() if id_ != "hou.thm1"} == {
        id_: each for id_, each in kept.items() if id_ != "hou.thm1"
    }


def test_what_holds_in_a_place_that_the_notes_name_is_stated() -> None:
    """Appendix A.3 has corrections and closed forms that hold: the last paragraph says which."""
    page = findings.errata("calmant", "markdown", records_with(None))
    confirmed = page.splitlines()[-1]
    assert "Appendix A.3 (T_shallow on a line is the sum of section 3.3;" in confirmed
    assert "Section 3.1, Theorem 1;" in confirmed
    assert "rules = 9 (printed is the closed formula; load sums link loads" in page
