"""Findings and errata: pages about the papers that are written from the claims and their verdicts.

What a page says of a claim - the print, the reading, what is true instead - stands with the claim;
its verdict and counterexample come from a report of a run. So a page cannot say another thing than
the checker does. What no claim says (misprints, remarks) stands in `proofs_check/notes`.

The verdicts of the last full run are kept in `data/verdicts.json`; `digest` makes them from a
report, and a slow test makes them again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lccmodel.errors import FileError, InputError
from proofs_check.claim import Claim
from proofs_check.registry import all_claims, get_claim
from proofs_check.statement import PAPERS

__all__ = [
    "Verdicts",
    "digest",
    "errata",
    "findings_page",
    "kept_verdicts",
    "read_verdicts",
    "verdicts_of",
]

Verdicts = Mapping[str, Mapping[str, Any]]
"""By claim: `verdict`, `counterexample` (in one line, or None), `domain`, `cases`, `control`."""

_HERE = Path(__file__).parent
KEPT = _HERE / "data" / "verdicts.json"
FAILS, AS_READ, HOLDS = "fails", "holds-as-read", "holds"
OWN = ("lattice", "library")
"""Claims that are this project's own and nobody's print."""

_LONGEST = 260
_BRIEF = 120

_INTRODUCTION = """# Findings about the papers

*Written by `proofs-check findings` from the claims and their verdicts; a test compares.*

Where the print cannot be meant, or is false in a corner, what is true instead, and the smallest \
case that shows it. Every line is a claim of `proofs-check`; `proofs-check run ID` shows the \
counterexample and settles the amended statement on the same domain. Matrices are written row by \
row, bit 0 first. *Domain* is what the amended statement has been checked on. \
`proofs-check errata PAPER` writes a page for the authors.
"""


def digest(records: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What pages need of a report, by claim."""
    return {
        record["id"]: {
            "verdict": record["verdict"],
            "counterexample": _shortened(record["counterexample"]),
            "domain": record["domain"]["text"],
            "cases": record["cases"],
            "control": record["control"]["falls"],
        }
        for record in records
    }


def _shortened(counterexample: Mapping[str, Any] | None) -> str | None:
    """The case, and as many of the numbers that it shows as fit in a few lines."""
    if counterexample is None:
        return None
    text = str(counterexample["text"])
    if len(text) <= _LONGEST:
        return text
    case, _, numbers = text.partition("; ")
    kept = case if len(case) <= _LONGEST else case[: _LONGEST - 4] + " ..."
    for number in numbers.split(", "):
        if len(kept) + len(number) + 2 > _LONGEST or number.count("[") != number.count("]"):
            break
        kept += ("; " if kept == case else ", ") + number
    return kept


def kept_verdicts() -> Verdicts:
    """The verdicts of the last full run."""
    return read_verdicts(KEPT)


def verdicts_of(report: Path | None) -> Verdicts:
    """The verdicts of the last full run, with those of a report in place of older ones.

    Claims that no longer exist are left out; the order is that of the claims.

    Raises:
        FileError: the report cannot be read, or is not one.
    """
    found = dict(kept_verdicts())
    if report is not None:
        found.update(read_verdicts(report))
    return {claim.id: found[claim.id] for claim in all_claims() if claim.id in found}


def read_verdicts(path: Path) -> Verdicts:
    """Verdicts from a file: a digest, or a report of `proofs-check run --format json`.

    Raises:
        FileError: it cannot be read, or is neither.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return digest(content) if isinstance(content, list) else dict(content)
    except (OSError, ValueError, KeyError, TypeError) as error:
        rule = f"must be a report of `proofs-check run --format json` ({error})"
        raise FileError(path, 0, rule, str(path)) from None


# -- findings -------------------------------------------------------------------------------


def findings_page(verdicts: Verdicts) -> str:
    """docs/findings.md."""
    parts = [_INTRODUCTION]
    for paper, title in PAPERS.items():
        if paper == "library":
            continue
        own = paper in OWN
        parts.append(f"## {'The lattice' if own else title.partition(':')[0]}\n")
        note = _note(paper)
        if own:
            parts.append(note)
        parts += _corrections_table(paper, verdicts, own)
        parts += _readings(paper, verdicts)
        if not own:
            parts.append(f"### Remarks\n\n{note}" if note and "###" not in note[:4] else note)
            parts.append(_confirmed(paper, verdicts))
    parts.append("## Dates\n")
    parts.append(_note("dates"))
    return "\n".join(part for part in parts if part).rstrip() + "\n"


def _note(paper: str) -> str:
    path = _HERE / "notes" / f"{paper}.md"
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _claims(paper: str, verdicts: Verdicts, verdict: str) -> list[Claim]:
    """The claims of a paper with a verdict, without the amended ones."""
    return [
        claim
        for claim in all_claims()
        if claim.source.paper == paper
        and not claim.id.endswith(".amended")
        and verdicts.get(claim.id, {}).get("verdict") == verdict
    ]


def _corrections_table(paper: str, verdicts: Verdicts, own: bool) -> list[str]:
    failing = _claims(paper, verdicts, FAILS)
    if not failing:
        return []
    headings = ("claim", "asked" if own else "printed", "smallest counterexample", "true instead")
    rows = [f"| {' | '.join((*headings, 'domain'))} |", "| --- | --- | --- | --- | --- |"]
    for claim in failing:
        amended = None if claim.amended is None else get_claim(claim.amended)
        cells = (
            f"`{claim.id}`" if own else f"`{claim.id}`, {claim.source.place}",
            claim.says,
            verdicts[claim.id]["counterexample"] or "",
            "" if amended is None else amended.says,
            "" if amended is None else verdicts[amended.id]["domain"],
        )
        rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return ["\n".join(rows) + "\n"]


def _readings(paper: str, verdicts: Verdicts) -> list[str]:
    read = _claims(paper, verdicts, AS_READ)
    if not read:
        return []
    lines = ["### True as read\n"]
    for claim in read:
        assert claim.reading is not None
        shown = verdicts[claim.id]["counterexample"]
        print_fails = f" The print itself: {shown}." if shown else ""
        lines.append(
            f"- `{claim.id}`, {claim.source.place}: {claim.says}. *Read:* "
            f"{claim.reading.text}.{print_fails}"
        )
    return ["\n".join(lines) + "\n"]


def _as_printed(paper: str, verdicts: Verdicts) -> list[Claim]:
    """The claims that hold, without this project's own questions beside a section."""
    held = _claims(paper, verdicts, HOLDS)
    return [claim for claim in held if not claim.source.place.startswith("beside ")]


def _confirmed(paper: str, verdicts: Verdicts) -> str:
    places = list(dict.fromkeys(claim.source.place for claim in _as_printed(paper, verdicts)))
    return f"### What holds as printed\n\n{'; '.join(places)}.\n"


# -- errata ---------------------------------------------------------------------------------


def errata(paper: str, form: str, verdicts: Verdicts) -> str:
    """A page or two for the authors of a paper, as Markdown or as a LaTeX article.

    Args:
        paper: a key of `PAPERS` that is a paper.
        form: "markdown" or "latex".
        verdicts: as of `kept_verdicts`.

    Raises:
        InputError: no such paper.

    >>> page = errata("sibeyn", "markdown", kept_verdicts())
    >>> page.splitlines()[0]
    '# Notes on a reading of Sibeyn'
    """
    papers = [key for key in PAPERS if key not in OWN]
    if paper not in papers:
        raise InputError("paper", f"must be one of {', '.join(papers)}", paper)
    authors, _, title = PAPERS[paper].partition(": ")
    blocks = list(_blocks(paper, title, verdicts))
    writer = _markdown if form == "markdown" else _latex
    return writer(f"Notes on a reading of {authors}", blocks)


Block = tuple[str, Sequence[tuple[str, str]]]
"""A heading with its paragraphs, each (label, text)."""


def _blocks(paper: str, title: str, verdicts: Verdicts) -> Iterable[Block]:
    failing, read = (_claims(paper, verdicts, verdict) for verdict in (FAILS, AS_READ))
    held = _as_printed(paper, verdicts)
    count = len(failing) + len(read) + len(held)
    opening = (
        f"These notes come from checking {count} statements of “{title}” by machine, each against "
        "an independent count on all small cases or on the cases named. "
        f"{len(held)} hold as printed, {len(read)} under the reading given below, and for "
        f"{len(failing)} we suggest the wording below, which holds on the whole domain that is "
        "named. Most of the latter concern corner cases, indices and numbers. We may have misread "
        "a sentence, and would be glad to be told. A matrix is written row by row with bit 0 first."
    )
    yield "", [("", opening)]
    if failing:
        yield "Suggested corrections", [_correction(claim, verdicts) for claim in failing]
    if read:
        yield (
            "How some sentences were read",
            [
                (claim.source.place, f"{claim.says}. We read: {_reading_text(claim)}.")
                for claim in read
            ],
        )
    places = list(dict.fromkeys(claim.source.place for claim in held))
    yield "Confirmed as printed", [("", "; ".join(places) + ".")]


def _reading_text(claim: Claim) -> str:
    return "" if claim.reading is None else claim.reading.text


def _correction(claim: Claim, verdicts: Verdicts) -> tuple[str, str]:
    text = f"Printed: {claim.says}."
    shown = verdicts[claim.id]["counterexample"]
    if shown:
        text += f" Smallest case where it differs: {_brief(shown)}."
    if claim.amended is not None:
        amended = get_claim(claim.amended)
        text += f" Suggested: {amended.says}. Checked: {verdicts[amended.id]['domain']}."
    return claim.source.place, text


def _brief(counterexample: str) -> str:
    """The case, and the numbers that fit beside it."""
    case, _, numbers = counterexample.partition("; ")
    kept = case
    for number in numbers.split(", "):
        if len(kept) + len(number) > _BRIEF or number.count("[") != number.count("]"):
            break
        kept += ("; " if kept == case else ", ") + number
    return kept


def _markdown(title: str, blocks: Sequence[Block]) -> str:
    lines = [f"# {title}", ""]
    for heading, paragraphs in blocks:
        lines += [f"## {heading}", ""] if heading else []
        for label, text in paragraphs:
            lines += [f"**{label}.** {text}" if label else text, ""]
    return "\n".join(lines)


def _latex(title: str, blocks: Sequence[Block]) -> str:
    from lccmodel.show.latex import escape_latex

    lines = [
        r"\documentclass[a4paper]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{amsmath,amssymb}",
        r"\usepackage[margin=20mm]{geometry}",
        r"\setlength{\parindent}{0pt}\setlength{\parskip}{2pt}\sloppy",
        r"\begin{document}\footnotesize",
        rf"\section*{{{escape_latex(title)}}}",
    ]
    for heading, paragraphs in blocks:
        lines += [rf"\subsection*{{{escape_latex(heading)}}}"] if heading else []
        for label, text in paragraphs:
            name = rf"\textbf{{{escape_latex(label)}.}} " if label else ""
            lines += [name + escape_latex(text), ""]
    return "\n".join([*lines, r"\end{document}", ""])
