"""Findings and errata: pages about the papers that are written from the claims and their verdicts.

What a page says of a claim - the print, the reading, what is true instead - stands with the claim;
its verdict and counterexample are those that ship with the package, or of a report of a run. So a
page cannot say another thing than the checker does. What no claim says (misprints, remarks) stands
in `proofs_check/notes`.

On every page "Published:" precedes the words of the paper, "Statement:" and "Interpretation:" ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lccmodel.errors import InputError
from proofs_check.claim import Claim
from proofs_check.display import tried_text
from proofs_check.kept import Record, Records, kept_records, read_records
from proofs_check.registry import all_claims, get_claim
from proofs_check.result import AS_READ, FAILS, HOLDS, UNDECIDED, counterexample_text
from proofs_check.statement import OWN, PAPERS

_HERE = Path(__file__).parent
_DRAWN = ("paths",)
"""What a counterexample shows that is drawn, not read."""

_COPY = (
    "We worked from text copies of the papers that lack figures, displayed formulas and some "
    "signs. An error listed here may therefore be an error of the copy, not of the paper."
)

_INTRODUCTION = f"""# Findings about the papers

*Written by `proofs-check findings` from the claims and their verdicts; a test compares.*

This page lists errors and ambiguities in the five papers. For each false statement it gives the \
smallest counterexample and a corrected statement. For each ambiguous statement it gives the \
interpretation used. A last list contains statements that the text does not determine. {_COPY}

Every entry is a claim of `proofs-check`. `proofs-check show ID` prints its record, and \
`proofs-check run ID` checks it again. The words of a paper are in quotation marks after \
*Published*. *Statement* is what was checked, *Interpretation* how it was read, and *domain* \
the cases on which the corrected statement was checked. Matrices are written row by row, bit 0 \
first. `proofs-check errata PAPER` writes pages for the authors.
"""


_HEADINGS = {
    "lattice": "The lattice",
    "collectives": "Collectives",
    "swing": "Swing",
    "symbolic": "Formulas in n",
    "library": "Results of the library",
}
"""Of what is this project's own."""


def records_with(report: Path | None) -> Records:
    """The records that ship, with those of a report in place of older ones.

    Claims that no longer exist are left out; the order is that of the claims.

    Raises:
        FileError: the report cannot be read, or is not one.
    """
    found = {**kept_records(), **({} if report is None else read_records(report))}
    return {claim.id: found[claim.id] for claim in all_claims() if claim.id in found}


# -- findings -------------------------------------------------------------------------------


def findings_page(records: Records) -> str:
    """docs/findings.md."""
    parts = [_INTRODUCTION, _summary(records)]
    for paper, title in PAPERS.items():
        if paper == "library":
            continue
        own = paper in OWN
        parts.append(f"## {_HEADINGS.get(paper, title.partition(':')[0])}\n")
        note = _note(paper)
        if own:
            parts.append(note)
        parts += _corrections_table(paper, records, own)
        parts += _readings(paper, records)
        parts += _open(paper, records)
        if not own:
            parts.append(f"### Remarks\n\n{note}" if note and "###" not in note[:4] else note)
            parts.append(_confirmed(paper, records))
    parts.append("## Dates\n")
    parts.append(_note("dates"))
    return "\n".join(part for part in parts if part).rstrip() + "\n"


def _summary(records: Records) -> str:
    """Return the verdicts on every paper's published statements, and on this project's own."""
    lines = [
        "## Summary\n",
        "| source | holds | holds as read | fails | undecided | false statements |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for paper, title in PAPERS.items():
        own = paper in OWN
        claims = [
            [claim for claim in _claims(paper, records, verdict) if own or not claim.is_own]
            for verdict in (HOLDS, AS_READ, FAILS, UNDECIDED)
        ]
        false = ", ".join(f"`{claim.id}`" for claim in claims[2])
        name = f"{_HEADINGS.get(paper, title.partition(':')[0])}{' (this project)' if own else ''}"
        lines.append(f"| {name} | {' | '.join(str(len(some)) for some in claims)} | {false} |")
    return "\n".join(lines) + "\n"


def _note(paper: str) -> str:
    path = _HERE / "notes" / f"{paper}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _claims(paper: str, records: Records, verdict: str) -> list[Claim]:
    """The claims of a paper with a verdict, without the amended ones."""
    return [
        claim
        for claim in all_claims()
        if claim.source.paper == paper
        and not claim.id.endswith(".amended")
        and claim.id in records
        and records[claim.id]["verdict"] == verdict
    ]


def _printed(paper: str, records: Records, verdict: str) -> list[Claim]:
    """Those that are in the print, without this project's own questions beside it."""
    return [claim for claim in _claims(paper, records, verdict) if not claim.is_own]


def _sentence(text: str) -> str:
    """With a full stop, if it ends in none."""
    return text if text[-1] in ".?!" else f"{text}."


def _said(claim: Claim) -> str:
    """The print, if its words are known, and what is checked of it."""
    printed = f"Published: “{claim.printed}” " if claim.printed else ""
    return f"{printed}Statement: {_sentence(claim.says)}"


def _shown(record: Mapping[str, Any]) -> str:
    """The counterexample of a record, without what is drawn; empty if it has none."""
    found = record["counterexample"]
    if found is None:
        return ""
    return counterexample_text(found["n"], found["case"], found["details"], _DRAWN)


def _corrections_table(paper: str, records: Records, own: bool) -> list[str]:
    failing = _claims(paper, records, FAILS)
    if not failing:
        return []
    headings = ("claim", "asked" if own else "statement", "smallest counterexample", "true instead")
    rows = [f"| {' | '.join((*headings, 'domain'))} |", "| --- | --- | --- | --- | --- |"]
    for claim in failing:
        amended = None if claim.amended is None else get_claim(claim.amended)
        cells = (
            f"`{claim.id}`" if own else f"`{claim.id}`, {claim.source.place}",
            claim.says if own else _said(claim),
            _shown(records[claim.id]),
            "" if amended is None else amended.says,
            "" if amended is None else records[amended.id]["domain"]["text"],
        )
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return ["\n".join(rows) + "\n"]


def _readings(paper: str, records: Records) -> list[str]:
    read = _claims(paper, records, AS_READ)
    if not read:
        return []
    lines = ["### True as read\n"]
    for claim in read:
        assert claim.reading is not None
        shown = _shown(records[claim.id])
        print_fails = f" The published statement fails: {shown}." if shown else ""
        lines.append(
            f"- `{claim.id}`, {claim.source.place}. {_said(claim)} *Interpretation:* "
            f"{_sentence(claim.reading.text)}{print_fails}"
        )
    return ["\n".join(lines) + "\n"]


def _open(paper: str, records: Records) -> list[str]:
    undecided = _claims(paper, records, UNDECIDED)
    if not undecided:
        return []
    lines = ["### Not decided by the text\n"]
    for claim in undecided:
        tried = "".join(f"\n  - {_sentence(each)}" for each in _tried(records[claim.id]))
        lines.append(
            f"- `{claim.id}`, {claim.source.place}. {_said(claim)} *Needed to decide:* "
            f"{_sentence(records[claim.id]['undecided']['missing'])} *Tried:*{tried}"
        )
    return ["\n".join(lines) + "\n"]


def _tried(record: Record) -> list[str]:
    """What was tried, and what came out of each."""
    return [tried_text(each, _shown(each)) for each in record["undecided"]["tried"]]


def _confirmed(paper: str, records: Records) -> str:
    places = dict.fromkeys(claim.source.place for claim in _printed(paper, records, HOLDS))
    return f"### True as published\n\n{'; '.join(places)}.\n"


# -- errata ---------------------------------------------------------------------------------


def errata(paper: str, form: str, records: Records) -> str:
    """Some pages for the authors of a paper, as Markdown or as a LaTeX article.

    Args:
        paper: a key of `PAPERS` that is a paper.
        form: "markdown" or "latex".
        records: as of `kept_records`.

    Raises:
        InputError: no such paper.

    >>> page = errata("sibeyn", "markdown", kept_records())
    >>> page.splitlines()[0]
    '# Notes on a reading of Sibeyn'
    """
    papers = [key for key in PAPERS if key not in OWN]
    if paper not in papers:
        raise InputError("paper", f"must be one of {', '.join(papers)}", paper)
    authors, _, title = PAPERS[paper].partition(": ")
    blocks = list(_blocks(paper, title, records))
    writer = _markdown if form == "markdown" else _latex
    return writer(f"Notes on a reading of {authors}", blocks)


Block = tuple[str, Sequence[tuple[str, str]]]
"""A heading with its paragraphs, each (label, text)."""


def _blocks(paper: str, title: str, records: Records) -> Iterable[Block]:
    verdicts = (HOLDS, AS_READ, FAILS, UNDECIDED)
    held, read, failing, undecided = (_printed(paper, records, verdict) for verdict in verdicts)
    count = len(held) + len(read) + len(failing) + len(undecided)
    left_open = f" {len(undecided)} the text, as we have it, does not decide." if undecided else ""
    opening = (
        f"These notes come from checking {count} statements of “{title}” by machine, each against "
        "an independent count on all small cases or on the cases named. "
        f"{len(held)} hold as published and {len(read)} under the interpretation given below. For "
        f"{len(failing)} we suggest another wording, which holds on the whole domain that is "
        f"named.{left_open} We read a text copy that lacks figures, displayed formulas and "
        "signs, so an error named here may be an error of the copy. We may have misread a "
        "sentence, and would be glad to be corrected. “Published” precedes the words of the paper, "
        "“Statement” and “Interpretation” ours. A matrix is written row by row with bit 0 first."
    )
    yield "", [("", opening)]
    if failing:
        yield "Suggested corrections", [_correction(claim, records) for claim in failing]
    if read:
        yield "How some sentences were read", [_read(claim) for claim in read]
    if undecided:
        yield "What the text leaves open", [_left_open(claim, records) for claim in undecided]
    yield "Confirmed as published", [("", _confirmed_places(held, (*failing, *read, *undecided)))]


def _confirmed_places(held: Sequence[Claim], others: Sequence[Claim]) -> str:
    """The places of what holds; its statements, too, where the notes name the place above."""
    named = {claim.source.place for claim in others}
    shown = []
    for place in dict.fromkeys(claim.source.place for claim in held):
        statements = "; ".join(claim.says for claim in held if claim.source.place == place)
        shown.append(f"{place} ({statements})" if place in named else place)
    return "; ".join(shown) + "."


_SUMS = (
    "printed is the closed formula; load sums link loads, bound the bounds of the subtasks, stated "
    "these with r as printed, rules these with the steps that the schedules take"
)
_NAMES_OF_NUMBERS = dict.fromkeys(
    ("calmant.closed.mesh.shallow", "calmant.closed.mesh.deep"), _SUMS
)
"""What the numbers of a smallest case are, where their names do not say it to an author."""


def _correction(claim: Claim, records: Records) -> tuple[str, str]:
    text = _said(claim)
    shown = _shown(records[claim.id])
    if shown:
        names = _NAMES_OF_NUMBERS.get(claim.id)
        text += f" Smallest case where it differs: {shown}" + (f" ({names})." if names else ".")
    if claim.amended is not None:
        amended = get_claim(claim.amended)
        domain = records[amended.id]["domain"]["text"]
        text += f" Suggested: {_sentence(amended.says)} Checked: {domain}."
    return claim.source.place, text


def _read(claim: Claim) -> tuple[str, str]:
    assert claim.reading is not None
    return claim.source.place, f"{_said(claim)} Interpretation: {_sentence(claim.reading.text)}"


def _left_open(claim: Claim, records: Records) -> tuple[str, str]:
    record = records[claim.id]
    missing = _sentence(record["undecided"]["missing"])
    tried = " ".join(f"({k}) {_sentence(each)}" for k, each in enumerate(_tried(record), start=1))
    return claim.source.place, f"{_said(claim)} Needed to decide: {missing} Tried: {tried}"


def _markdown(title: str, blocks: Sequence[Block]) -> str:
    lines = [f"# {title}", ""]
    for heading, paragraphs in blocks:
        lines += [f"## {heading}", ""] if heading else []
        for label, text in paragraphs:
            lines += [f"**{label}.** {text}" if label else text, ""]
    return "\n".join(lines)


def _latex(title: str, blocks: Sequence[Block]) -> str:
    from proofs_check.report import latex_text

    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{amsmath,amssymb}",
        r"\usepackage[margin=20mm]{geometry}",
        r"\setlength{\parindent}{0pt}\setlength{\parskip}{2pt}\sloppy",
        r"\begin{document}\footnotesize",
        rf"\section*{{{latex_text(title)}}}",
    ]
    for heading, paragraphs in blocks:
        lines += [rf"\subsection*{{{latex_text(heading)}}}"] if heading else []
        for label, text in paragraphs:
            name = rf"\textbf{{{latex_text(label)}.}} " if label else ""
            lines += [name + latex_text(text), ""]
    return "\n".join([*lines, r"\end{document}", ""])
