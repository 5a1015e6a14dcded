"""Findings and errata: pages about the papers that are written from the claims and their verdicts.

What a page says of a claim - the print, the reading, what is true instead - stands with the claim;
its verdict and counterexample are those that ship with the package, or of a report of a run. So a
page cannot say another thing than the checker does. What no claim says (misprints, remarks) stands
in `proofs_check/notes`.

On every page "Published:" precedes the words of the paper, "Statement:" and "Interpretation:" ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lccmodel.errors import InputError
from proofs_check.claim import Claim
from proofs_check.display import cases_text, tried_text
from proofs_check.kept import Record, Records, kept_records, read_records
from proofs_check.registry import all_claims, get_claim
from proofs_check.result import (
    AS_READ,
    FAILS,
    HOLDS,
    UNDECIDED,
    counterexample_lines,
    counterexample_text,
)
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

This page counts the verdicts on the statements of the five papers and lists the false statements. \
Each paper has a page with an entry per claim that does not simply hold. {_COPY}
"""

_ENTRIES = """## How to read an entry

| part | content |
| --- | --- |
| Published | the words of the paper |
| Statement | the statement that was checked |
| Smallest counterexample, Numbers | the first case in which it is false, and its numbers; \
matrices row by row, bit 0 first |
| True instead, Domain | a corrected statement and the cases on which it was checked |
| Interpretation | how an ambiguous sentence was read, and then is true |
| The published statement fails | the smallest case in which it is false as published |
| Needed to decide, Tried | what the text does not determine, and the result of each completion |

`proofs-check show ID` prints the record of a claim, with the counterexample of each completion. \
`proofs-check run ID` checks the claim again.
"""
"""How the entries of the pages are read; the summary explains it once."""

_BACK = "The [summary](findings.md#how-to-read-an-entry) explains the parts of an entry."
_REPEATED = ("**Published.** ", "**Numbers.** ", "**Interpretation.** ", "**Needed to decide.** ")
"""Parts that are equal for some claims of a page."""

OWN_PAGE = "own"
"""The page of this project's own questions."""

_IN_ONE_LINE = {
    "hou.sec6.adaptive": "One partially adaptive routing, Min, is faster than e-cube in Table 1.",
    "hou.lem3.2": "Some Q gives T = 0 if all displacements x + y lie in {0, v} for one v.",
    "hou.cor4.proof": "If B is nonsingular, Theorem 5 does not apply and the bound is 1.",
    "boppana.eq3": "LC'_k excludes two triangular blocks, not only two diagonal blocks.",
    "calmant.closed.mesh.shallow": "The closed form of T_shallow is the link load alone.",
    "calmant.closed.mesh.deep": "The closed form of T_deep is the link load alone.",
    "calmant.prop3": "The schedule is free of conflicts if and only if ⌈LB/2⌉ ≥ c.",
    "calmant.r": "The extra step needs M mod 2c > max(c, λ⟨i, M mod 2c⟩_c) and an odd M.",
    "edelman.subcube": "The image is a translate of a subspace, and only sometimes a subcube.",
    "edelman.circulant": "No permutation matrix is irreducible for n ≥ 2.",
    "sibeyn.earlier": "The abstract and section 1.2 give numbers of steps that differ by 2.",
    "sibeyn.ex3": "The printed row `selected` of i = 2 is that of i = 1.",
    "sibeyn.ex4.tt": "TT needs 4√N - 4 steps by any algorithm, so its routing is optimal.",
    "sibeyn.numbering": "The snake-like numbering scheme differs by an affine permutation, too.",
    "lattice.edelman.converse": "One message per channel does not imply occupancy 1.",
    "lattice.hl.first": "HL's order is the first only of those that are free for every b.",
    "lattice.joint": "The objective max-sum bounds the load of the busiest channel from above.",
    "lattice.lcp.hl": "LCP_Optimizer and Algorithm HL differ in how the bit found takes its place.",
    "lattice.sibeyn.orders": "The decomposition gives only some of the contention-free orders.",
    "swing.limit": "The deficiency exceeds 1.19, 1.03, 1.008 and is below 6/5, 28/27, 120/119.",
}
"""What is true instead of every false statement, for the summary; its page has all of it."""


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
    records = {**kept_records(), **({} if report is None else read_records(report))}
    return {claim.id: records[claim.id] for claim in all_claims() if claim.id in records}


# -- findings -------------------------------------------------------------------------------


def findings_page(records: Records, subject: str | None = None) -> str:
    """Return the summary, or the page of a paper or of this project's own questions.

    Args:
        records: as of `records_with`.
        subject: a key of `PAPERS` that is a paper, or "own"; the summary by default.

    Raises:
        InputError: no such subject.

    >>> findings_page(kept_records(), "sibeyn").splitlines()[0]
    '# Findings: Sibeyn'
    """
    if subject is None:
        return _joined([_INTRODUCTION, _summary(records), *_false(records), _ENTRIES])
    if subject == OWN_PAGE:
        return _own_page(records)
    if subject not in PAPERS or subject in OWN:
        raise InputError("paper", f"must be one of {', '.join(subjects())}", subject)
    authors, _, title = PAPERS[subject].partition(": ")
    about = f"The paper is *{title}*. {_BACK}"
    parts = [f"# Findings: {authors}\n", f"{about}\n"]
    parts += _corrections(subject, records)
    parts += _readings(subject, records)
    parts += _open(subject, records)
    note = _note(subject)
    if note:
        parts.append(f"## Remarks\n\n{note}")
    parts.append(_confirmed(subject, records))
    return _said_once(_joined(parts))


def subjects() -> list[str]:
    """The pages next to the summary: every paper, then this project's own questions."""
    return [*(key for key in PAPERS if key not in OWN), OWN_PAGE]


def findings_pages(records: Records) -> dict[str, str]:
    """Return every page by its file name: `findings.md` and one file per subject."""
    pages = {f"findings_{name}.md": findings_page(records, name) for name in subjects()}
    return {"findings.md": findings_page(records), **pages}


def _own_page(records: Records) -> str:
    about = f"These claims of this project relate the papers or concern collectives. {_BACK}"
    parts = ["# Findings: questions of this project\n", f"{about}\n"]
    for subject in OWN:
        if subject == "library":
            continue
        parts.append(f"## {_HEADINGS[subject]}\n")
        parts.append(_note(subject))
        entries = (*_failing(subject, records), *_read_entries(subject, records))
        parts += [entry.replace("\n#", "\n##") for entry in entries]
    return _joined([*parts, "## Dates\n", _note("dates")])


def _said_once(page: str) -> str:
    """A page on which a quotation or an explanation of two claims stands at the first alone.

    >>> entry = "### `{}`\\n\\n**Interpretation.** py counts downwards.\\n"
    >>> _said_once(entry.format("a.x") + entry.format("a.y")).splitlines()[-1]
    '**Interpretation.** As for [`a.x`](#ax).'
    """
    first: dict[str, str] = {}
    heading, lines = "", []
    for line in page.splitlines():
        if line.startswith("### `"):
            heading = line[5:-1]
        if line.startswith(_REPEATED) and first.setdefault(line, heading) != heading:
            name, other = line.partition(".** ")[0], first[line]
            line = f"{name}.** As for [`{other}`](#{_anchor(other)})."
        lines.append(line)
    return "\n".join(lines) + "\n"


def _joined(parts: Iterable[str]) -> str:
    return "\n".join(part for part in parts if part).rstrip() + "\n"


def _name(paper: str) -> str:
    """What the summary calls a paper, or a subject of this project."""
    title = PAPERS[paper].partition(":")[0]
    return f"{_HEADINGS.get(paper, title)}{' (this project)' if paper in OWN else ''}"


def _page(paper: str) -> str:
    return f"findings_{OWN_PAGE if paper in OWN else paper}.md"


def _link(claim: Claim) -> str:
    """The id of a claim, as a link to its entry; headings lose dots and slashes in anchors."""
    return f"[`{claim.id}`]({_page(claim.source.paper)}#{_anchor(claim.id)})"


def _anchor(id: str) -> str:
    return re.sub(r"[^\w-]", "", id.lower())


def _summary(records: Records) -> str:
    """Return the verdicts on every paper's published statements, and on this project's own."""
    lines = [
        "## Verdicts\n",
        "| source | holds | holds as read | fails | undecided |",
        "| --- | --- | --- | --- | --- |",
    ]
    for paper in PAPERS:
        choose = _claims if paper in OWN else _printed
        counts = [
            str(len(choose(paper, records, verdict)))
            for verdict in (HOLDS, AS_READ, FAILS, UNDECIDED)
        ]
        name = _name(paper) if paper == "library" else f"[{_name(paper)}]({_page(paper)})"
        lines.append(f"| {name} | {' | '.join(counts)} |")
    meaning = (
        "A statement *holds as read* if it is true under an interpretation that its entry names. "
        "It is *undecided* if the text does not determine it. `proofs-check errata PAPER` writes "
        "a note for the authors of a paper.\n"
    )
    return "\n".join([*lines, "", meaning])


def _false(records: Records) -> list[str]:
    """Return the false statements, each with one line."""
    opening = "Each line states what is true instead and links to the counterexample.\n"
    parts = ["## False statements\n", opening]
    for paper in PAPERS:
        failing = _claims(paper, records, FAILS)
        if failing:
            lines = [f"- {_link(c)}, {c.source.place}. {_IN_ONE_LINE[c.id]}" for c in failing]
            own = [f"- {_link(c)}. {_IN_ONE_LINE[c.id]}" for c in failing]
            parts.append(f"**{_name(paper)}**\n")
            parts.append("\n".join(own if paper in OWN else lines) + "\n")
    return parts


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
    counterexample = record["counterexample"]
    if counterexample is None:
        return ""
    return counterexample_text(
        counterexample["n"], counterexample["case"], counterexample["details"], _DRAWN
    )


def _entry(claim: Claim, parts: Iterable[tuple[str, str]]) -> str:
    """A claim as a section: its id, its place, and what is known, each part under its name."""
    place = "" if claim.source.paper in OWN else f"*{claim.source.place}*\n\n"
    printed = [("Published", f"“{claim.printed}”")] if claim.printed else []
    named = [*printed, ("Statement", _sentence(claim.says)), *parts]
    paragraphs = "\n\n".join(f"**{name}.** {_capital(text)}" for name, text in named if text)
    return f"### `{claim.id}`\n\n{place}{paragraphs}\n".replace(" \n", "\n")


_SHORT_WORDS = ["a", "an", "as", "at", "by", "if", "in", "is", "it", "no", "of", "on", "or", "to"]


def _capital(text: str) -> str:
    """A text with a capital, unless it begins with a symbol such as n, py or T.

    >>> _capital("if n is even"), _capital("py counts downwards")
    ('If n is even', 'py counts downwards')
    """
    word = text.partition(" ")[0].rstrip(",:")
    is_word = word.isalpha() and (len(word) > 2 or word in _SHORT_WORDS)
    return f"{text[0].upper()}{text[1:]}" if is_word else text


def _block(record: Record) -> str:
    """The counterexample of a record, one number a line; empty if it has none."""
    counterexample = record["counterexample"]
    if counterexample is None:
        return ""
    lines = counterexample_lines(
        counterexample["n"], counterexample["case"], counterexample["details"], _DRAWN
    )
    return "\n".join(["", "", "```text", *lines, "```"])


def _numbers(claim: Claim) -> str:
    """What the numbers of a counterexample are, if their names do not say it."""
    parts = _NAMES_OF_NUMBERS.get(claim.id, "").split("; ")
    return " ".join(f"{part[0].upper() + part[1:]}." for part in parts if part)


def _failing(paper: str, records: Records) -> list[str]:
    entries = []
    for claim in _claims(paper, records, FAILS):
        parts = [
            ("Smallest counterexample", _block(records[claim.id])),
            ("Numbers", _numbers(claim)),
        ]
        if claim.amended is not None:
            amended = get_claim(claim.amended)
            parts.append(("True instead", _sentence(amended.says)))
            parts.append(("Domain", f"{records[amended.id]['domain']['text']}."))
        entries.append(_entry(claim, parts))
    return entries


def _read_entries(paper: str, records: Records) -> list[str]:
    entries = []
    for claim in _claims(paper, records, AS_READ):
        assert claim.reading is not None
        parts = [
            ("Interpretation", _sentence(claim.reading.text)),
            ("The published statement fails", _block(records[claim.id])),
        ]
        entries.append(_entry(claim, parts))
    return entries


def _corrections(paper: str, records: Records) -> list[str]:
    entries = _failing(paper, records)
    return ["## False statements\n", *entries] if entries else []


def _readings(paper: str, records: Records) -> list[str]:
    entries = _read_entries(paper, records)
    return ["## True as read\n", *entries] if entries else []


def _open(paper: str, records: Records) -> list[str]:
    undecided = _claims(paper, records, UNDECIDED)
    if not undecided:
        return []
    entries = []
    for claim in undecided:
        record = records[claim.id]
        missing = _sentence(record["undecided"]["missing"])
        entries.append(_entry(claim, [("Needed to decide", missing), ("Tried", _results(record))]))
    return ["## Not decided by the text\n", *entries]


def _results(record: Record) -> str:
    """A list of what was tried and whether it holds."""
    lines = []
    for tried in record["undecided"]["tried"]:
        count = tried["cases"]
        holds = f"*holds*, {cases_text(count)} case{'s' if count > 1 else ''}"
        verdict = "*fails*" if tried["counterexample"] else holds
        lines.append(f"- {verdict}: {tried['text']}")
    return "\n".join(["", "", *lines])


def _tried(record: Record) -> list[str]:
    """What was tried, and what came out of each."""
    return [tried_text(each, _shown(each)) for each in record["undecided"]["tried"]]


def _confirmed(paper: str, records: Records) -> str:
    """Return a table of what holds, by its sections."""
    lines = ["## True as published\n", "| section | claims |", "| --- | --- |"]
    sections: dict[str, list[str]] = {}
    for claim in _printed(paper, records, HOLDS):
        section = claim.source.place.partition(",")[0]
        sections.setdefault(section, []).append(f"`{claim.id}`")
    ordered = sorted(sections.items(), key=lambda item: _in_order(item[0]))
    lines += [f"| {section} | {', '.join(ids)} |" for section, ids in ordered]
    return "\n".join(lines) + "\n"


def _in_order(place: str) -> tuple[bool, list[int], str]:
    """Order sections by their numbers, appendices last."""
    return place.startswith("Appendix"), [int(k) for k in re.findall(r"\d+", place)], place


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
    "these with the published r, rules these with the steps that the schedules take"
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
