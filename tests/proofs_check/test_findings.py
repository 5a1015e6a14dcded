"""The pages of findings and the errata are written from the claims and the kept verdicts."""

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
from proofs_check.kept import kept_records, read_records
from proofs_check.registry import all_claims, get_claim
from proofs_check.report import render
from proofs_check.result import counterexample_text

ROOT = Path(__file__).parents[2]
PAPERS = ("hou", "boppana", "calmant", "edelman", "sibeyn")


KEPT = records_with(None)


def of_paper(paper: str) -> dict[str, str]:
    """The verdicts on what a paper states; amended statements and our questions are not its own."""
    claims = {id_: get_claim(id_) for id_ in KEPT}
    return {
        id_: KEPT[id_]["verdict"]
        for id_, claim in claims.items()
        if claim.source.paper == paper and not claim.is_own
    }


@pytest.fixture(scope="module")
def pages():
    return findings.findings_pages(KEPT)


def test_the_kept_verdicts_are_those_of_every_claim():
    assert set(kept_records()) == {claim.id for claim in all_claims()}


def test_the_pages_are_those_that_the_claims_give(pages):
    """`proofs-check findings --output docs` makes them again."""
    stored = (ROOT / "docs").glob("findings*.md")
    assert {path.name: path.read_text(encoding="utf-8") for path in stored} == pages


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
    ("call", "rule"),
    [
        (lambda _: findings.errata("lattice", "markdown", {}), "must be one of hou"),
        (lambda file: read_records(file), "must be a report"),
        (lambda _: cli(["findings", "lattice"], standalone_mode=False), "one of hou, boppana"),
        (lambda _: cli(["findings", "hou", "--output", "."], standalone_mode=False), "be a file"),
    ],
)
def test_pages_and_reports_that_do_not_exist_are_refused(call, rule, tmp_path):
    report = tmp_path / "report.json"
    report.write_text(json.dumps([{"verdict": "holds"}]))
    with pytest.raises(InputError, match=rule):
        call(report)


def test_every_false_statement_is_a_line_of_the_summary_that_links_to_its_entry(pages):
    links = re.findall(r"- \[`([^`]+)`\]\(([^#]+)#([^)]+)\)(.*)", pages["findings.md"])
    failing = [id_ for id_, kept in KEPT.items() if kept["verdict"] == "fails"]
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
    counted = Counter()
    for id_, kept in KEPT.items():
        paper, is_own = get_claim(id_).source.paper, get_claim(id_).is_own
        if not id_.endswith(".amended") and not (is_own and paper in PAPERS):
            counted[paper, kept["verdict"]] += 1
    table = pages["findings.md"].partition("| source | holds |")[2].partition("\n\n")[0]
    shown = sorted(tuple(map(int, row.split("|")[2:6])) for row in table.splitlines()[2:])
    papers = {paper for paper, _ in counted}
    assert shown == sorted(tuple(counted[paper, v] for v in verdicts) for paper in papers)


def test_every_claim_that_does_not_simply_hold_is_an_entry_with_what_is_known(pages):
    for id_, kept in KEPT.items():
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


@pytest.mark.parametrize("paper", PAPERS)
def test_an_erratum_names_every_correction_once_and_counts_what_is_printed(paper):
    page = findings.errata(paper, "markdown", KEPT)
    counted = Counter(of_paper(paper).values())
    assert page.count(" Suggested: ") == counted["fails"]
    assert "wrong" not in page.split("##")[0]
    opening = page.splitlines()[2]
    assert f"checking {sum(counted.values())} statements" in opening
    assert f"{counted['holds']} hold as published" in opening


@pytest.mark.parametrize("paper", PAPERS)
def test_an_erratum_can_be_read_without_the_checker(paper):
    """No ids of claims; nothing is cut in the middle; whose words stand where."""
    page = findings.errata(paper, "markdown", KEPT)
    assert not re.search(rf"\b({'|'.join(PAPERS)}|lattice)\.[a-z]", page)
    for bracket in ("[]", "{}", "“”"):
        for paragraph in page.split("\n"):
            assert paragraph.count(bracket[0]) == paragraph.count(bracket[1]), paragraph
    for claim in all_claims():
        if claim.source.paper == paper and claim.printed and claim.id in KEPT:
            known = claim.is_own or KEPT[claim.id]["verdict"] == "holds"
            assert known or f"Published: “{claim.printed}” Statement: " in page
    assert page.count("Published: ") == page.count("Published: “")


@pytest.mark.parametrize("paper", PAPERS)
def test_the_latex_erratum_is_plain_ascii(paper):
    """Whatever the typesetter, its letters are there."""
    assert findings.errata(paper, "latex", KEPT).isascii()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex here")
@pytest.mark.parametrize("paper", PAPERS)
def test_the_latex_erratum_compiles(paper, tmp_path):
    (tmp_path / "erratum.tex").write_text(findings.errata(paper, "latex", KEPT))
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "erratum.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in done.stdout


def test_numbers_of_a_counterexample_are_shown_whole_or_not_at_all():
    """What is too long is left out where it stands; what comes after it is not."""
    found = counterexample_text(2, {"A": [[1, 0]]}, {"T": 1, "loads": [1] * 100, "bound": "1, 2"})
    assert found == "n = 2: A = [[1, 0]]; T = 1, bound = 1, 2"


def test_a_report_takes_the_place_of_kept_verdicts(tmp_path):
    """Those of its claims alone, as JSON that a run writes; the others stay as they were."""
    (result,) = run([get_claim("hou.thm1")], Options(max_n=1))
    path = tmp_path / "report.json"
    path.write_text(render([result.record()], "json"))
    replaced = records_with(path)
    assert replaced["hou.thm1"]["cases"] == result.cases != KEPT["hou.thm1"]["cases"]
    assert replaced == KEPT | {"hou.thm1": replaced["hou.thm1"]}
