"""Reports: records as a table, JSON, Markdown, LaTeX or HTML.

A record is the JSON form of a result (`schema/report-2.schema.json`). Its canonical form leaves
out `seconds`, the only entry that two runs of the same code may differ in.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.display import card_lines, card_text, cases_text, heading, seconds_text
from proofs_check.kept import Record, kept_records
from proofs_check.theorems import MACHINE_CHECKED, theorems_of

if TYPE_CHECKING:
    from proofs_check.claim import Claim
    from proofs_check.ledger import Ledger
    from proofs_check.runner import Options

Rows = Sequence[Sequence[str]]

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; color: #222 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
         border-bottom: 1px solid #ddd }
th { border-bottom: 2px solid #444 }
td.number { text-align: right; white-space: nowrap }
.holds { color: #1a6b2f } .holds-as-read { color: #7a5a00 } .fails { color: #a01818 }
.undecided { color: #555 }
.control-not-rejected, .error { background: #a01818; color: #fff }
dt { font-weight: 600; margin-top: .8rem } dd { margin: 0 0 0 1.5rem }
"""


def schema() -> dict[str, Any]:
    """The JSON schema of a report: a list of records.

    >>> schema()["items"]["properties"]["verdict"]["enum"][:4]
    ['holds', 'holds-as-read', 'fails', 'undecided']
    """
    path = Path(__file__).parent / "schema" / "report-2.schema.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def current_records(
    claims: Iterable[Claim], ledger: Ledger | None
) -> tuple[list[Record], list[str]]:
    """(records, ids whose records in the ledger are from other code), in claim order.

    Those of the present code that the ledger holds; for other claims those that ship with the
    package. Where a claim was settled more than once the record that reached the largest n counts.
    """
    settled: dict[str, list[dict[str, Any]]] = {}
    for record in [] if ledger is None else ledger.records():
        settled.setdefault(record["id"], []).append(record)
    shipped = kept_records()
    records: list[Record] = []
    outdated = []
    for claim in claims:
        own = settled.get(claim.id, [])
        current = [record for record in own if record["version"] == claim.version]
        if current:
            records.append(current[-1])
        elif claim.id in shipped:
            records.append(shipped[claim.id])
        if own and not current:
            outdated.append(claim.id)
    return records, outdated


def render(records: Sequence[Record], form: str, times: bool = True) -> str:
    """Records in one of the formats; `times=False` is the canonical form."""
    if form == "json":
        kept = [r if times else {k: v for k, v in r.items() if k != "seconds"} for r in records]
        shown = [{**r, "theorems": list(theorems_of(r["id"]))} for r in kept]
        return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"
    if form == "latex":  # what a paper would print: the sentences, and what became of them
        rows = [[r["id"], r["statement"], _verdict(r), _row(r)[3]] for r in records]
        return _latex("Claims and their verdicts", rows)
    some_kept = any("kept" in record for record in records)
    headers = ["claim", "place", "verdict", "domain", "cases"]
    headers += ["verdict from"] if some_kept else ["time"] if times else []
    last = some_kept or times
    rows = [[*_row(r), *([_settled(r, times)] if last else [])] for r in records]
    if form == "table":
        return _terminal_table(headers, rows, "claims") + _notes(records)
    if form == "markdown":
        return _tabulated(headers, rows) + "\n" + _markdown_notes(records)
    return _page(headers, rows, _html_notes(records))


def _verdict(record: Record) -> str:
    return f"{record['verdict']}{' in part' if record['domain'].get('covers') else ''}"


def _row(record: Record) -> list[str]:
    verdict = _verdict(record)
    if record["amended"] is not None:
        verdict += f" (amended: {record['amended']['verdict']})"
    domain = _with_theorems(record["domain"]["text"], record["id"])
    place = f"{record['paper']}, {record['place']}"
    return [record["id"], place, verdict, domain, cases_text(record["cases"])]


def _settled(record: Record, times: bool) -> str:
    """Where a record is from: the package, or a run here that took so long."""
    if "kept" in record:
        return str(record["kept"])
    return seconds_text(record["seconds"]) if times else "here"


def render_cards(records: Sequence[Record], form: str) -> str:
    """Records one by one, each with all that it says."""
    if form == "json":
        return render(records, form)
    if form == "table":
        return "\n\n".join(map(card_text, records)) + "\n"
    parts = []
    for record in records:
        body = "\n".join(f"- **{label}**: {text}" for label, text in card_lines(record))
        parts.append(f"**{heading(record)}**\n\n{body}\n")
    return "\n".join(parts)


def render_claims(claims: Iterable[Claim], form: str) -> str:
    """The list of claims in one of the formats, with the verdicts that ship with the package."""
    claims, kept = list(claims), kept_records()
    verdicts = [kept[claim.id]["verdict"] if claim.id in kept else None for claim in claims]
    if form == "json":
        listed = [
            {
                "id": claim.id,
                "paper": claim.source.paper,
                "place": claim.source.place,
                "statement": claim.says,
                "latex": claim.latex,
                "domain": _domain_text(claim),
                "verdict": verdict,
                "kept": None if verdict is None else kept[claim.id]["kept"],
                "theorems": list(theorems_of(claim.id)),
            }
            for claim, verdict in zip(claims, verdicts, strict=True)
        ]
        return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"
    headers = ["claim", "paper", "place", "statement", "domain", "stored verdict"]
    rows = [
        [
            *(c.id, c.source.paper, c.source.place, c.says),
            _with_theorems(_domain_text(c), c.id),
            verdict or "",
        ]
        for c, verdict in zip(claims, verdicts, strict=True)
    ]
    if form == "table":
        return _terminal_table(headers, rows, "claims")
    if form == "html":
        return _page(headers, rows, "")
    if form == "latex":
        return _latex("Claims", [[row[0], row[3], row[5], row[4]] for row in rows])
    return _tabulated(headers, rows)


def _domain_text(claim: Claim) -> str:
    dimensions = claim.dimensions()
    last = f"n ≤ {dimensions[-1]}" if len(dimensions) > 1 else f"n = {dimensions[0]}"
    return f"{claim.domain.text}; {last}"


def _with_theorems(domain: str, claim_id: str) -> str:
    """The domain that was counted, and beside it the theorems that hold for every n."""
    names = theorems_of(claim_id)
    return f"{domain}; {MACHINE_CHECKED}: {', '.join(names)}" if names else domain


def render_plan(claims: Iterable[Claim], options: Options, ledger: Ledger) -> str:
    """What a run would do: cases, measured time of one index, estimated time, for every claim."""
    from proofs_check.runner import SHARD_SECONDS, plan, seconds_per_index

    headers = ["claim", "n", "cases", "shards", "cases in a shard", "time of a shard", "in all"]
    rows = []
    for job in plan(claims, options, ledger):
        claim = job.claim
        for stage in job.tracks["printed"].plan:
            per_index = seconds_per_index(claim, stage.n, ledger)
            size = options.shard_size or max(1, int(SHARD_SECONDS / max(per_index, 1e-12)))
            size = min(size, stage.length)
            rows.append(
                [
                    claim.id,
                    f"{stage.n}{' (sampled)' if stage.is_sample else ''}",
                    cases_text(stage.cases),
                    cases_text(-(-stage.length // size)),
                    cases_text(size),
                    seconds_text(per_index * size),
                    seconds_text(per_index * stage.length / options.workers),
                ]
            )
    return _terminal_table(headers, rows, f"run on {options.workers} cores")


# -- formats --------------------------------------------------------------------------------


def _terminal_table(headers: Sequence[str], rows: Rows, what: str) -> str:
    """A table for people; as wide as the terminal, or as it needs in a pipe."""
    import io
    import shutil
    import sys

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 160
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=False)
    for header in headers:
        right = header in ("cases", "time", "shards")
        whole = header in ("claim", "cases", "time")
        table.add_column(header, justify="right" if right else "left", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    written = io.StringIO()
    Console(file=written, width=max(width, 80)).print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().splitlines()).strip("\n") + "\n"


_ABOVE = ("statement", "domain", "verdict", "cases", "time", "settled", MACHINE_CHECKED)


def _remarks(record: Record) -> list[tuple[str, str]]:
    """What a card says and the table above does not: reading, counterexample, control, problem."""
    return [(label, text) for label, text in card_lines(record) if label not in _ABOVE]


def _notes(records: Sequence[Record]) -> str:
    """The statement of every claim, how it was read, and where its control fell."""
    paragraphs = []
    for record in records:
        lines = [f"  {label}: {text}" for label, text in _remarks(record)]
        paragraphs.append("\n".join([f"{record['id']}: {record['statement']}", *lines]))
    return "".join(f"\n{paragraph}\n" for paragraph in paragraphs)


def _markdown_notes(records: Sequence[Record]) -> str:
    parts = []
    for record in records:
        body = "\n".join(f"- {label}: {text}" for label, text in _remarks(record))
        parts.append(f"\n**{record['id']}**: {record['statement']}\n\n{body}\n")
    return "".join(parts)


def _html_notes(records: Sequence[Record]) -> str:
    parts = []
    for record in records:
        lines = "".join(
            f"<dd>{html.escape(label)}: {html.escape(text)}</dd>"
            for label, text in _remarks(record)
        )
        title = f"{html.escape(record['id'])}: {html.escape(record['statement'])}"
        parts.append(f"<dt>{title}</dt>{lines}")
    return f"<dl>{''.join(parts)}</dl>" if parts else ""


def _tabulated(headers: Sequence[str], rows: Rows) -> str:
    """As Markdown."""
    from lccmodel.show.writers import pipe_table

    rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return pipe_table(headers, rows, [h in ("cases", "time") for h in headers]) + "\n"


def _latex(title: str, rows: Rows) -> str:
    """Claim, statement, verdict and domain, in floats that fit a column or the line."""
    from lccmodel.show.latex import TexColumn, breakable, latex_table

    headers = ("claim", "statement", "verdict", "domain")
    columns = []
    for k, head in enumerate(headers):
        texts = [breakable(row[k]) for row in rows]
        columns.append(TexColumn(head, [latex_text(text) for text in texts], [head, *texts]))
    return latex_table(title, columns)


_RAISED = re.compile(r"([_^])(?:([(⌊])|([A-Za-z0-9]+))")
_NAME = re.compile(r"\b([a-z]{3,}(?:_\w+)+)")
_HIGH = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁱʲᵏˡᵐⁿᵃᵇᶜˢᵗ", "0123456789+-()ijklmnabcst", strict=True))
_LOW = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋ᵢⱼₖₙ", "0123456789+-ijkn", strict=True))
_RAISES, _LOWERS = "".join(_HIGH), "".join(_LOW)
_SMALL = re.compile(f"[{_RAISES}](?:[{_RAISES} ]*[{_RAISES}])?|[{_LOWERS}]+")


def latex_text(text: str) -> str:
    r"""A sentence as LaTeX: what stands low or high in it, and signs of comparison, as formulas.

    >>> latex_text("T_i <= 2^(n-1) for W⁽ⁱ⁾")
    'T\\ensuremath{_{i}} \\ensuremath{\\leq} 2\\ensuremath{^{n-1}} for W\\ensuremath{^{(i)}}'
    >>> latex_text("by hou_lemma_3")
    'by hou\\_lemma\\_3'
    """
    from lccmodel.show.latex import escape_latex

    if len(pieces := _NAME.split(text)) > 1:  # every second one is a name
        return "".join(
            escape_latex(piece) if k % 2 else latex_text(piece) for k, piece in enumerate(pieces)
        )
    text = _SMALL.sub(_spelled, text.replace("<=", "≤").replace(">=", "≥"))
    parts, at = [], 0
    while match := _RAISED.search(text, at):
        parts.append(escape_latex(text[at : match.start()]))
        place, opened, word = match.groups()
        end = match.end() if word else _closing(text, match.end(), opened)
        inner = word or text[match.end() : end - 1]
        if opened == "⌊":
            inner = f"⌊{inner}⌋"
        parts.append(rf"\ensuremath{{{place}{{{latex_text(inner)}}}}}")
        at = end
    return "".join(parts) + escape_latex(text[at:])


def _spelled(match: re.Match[str]) -> str:
    """Small letters, high or low, as `^(...)` or `_(...)`."""
    small = match.group()
    letters = _HIGH if small[0] in _HIGH else _LOW
    return f"{'^' if letters is _HIGH else '_'}({''.join(letters.get(c, c) for c in small)})"


def _closing(text: str, start: int, opened: str) -> int:
    """Where the bracket that was opened before `start` has been closed."""
    closes = {"(": ")", "⌊": "⌋"}[opened]
    depth, at = 1, start
    while depth and at < len(text):
        depth += {opened: 1, closes: -1}.get(text[at], 0)
        at += 1
    return at if not depth else len(text) + 1


def _page(headers: Sequence[str], rows: Rows, notes: str) -> str:
    head = "".join(f"<th>{html.escape(header)}</th>" for header in headers)
    body = "".join(
        "<tr>" + "".join(_cell(h, cell) for h, cell in zip(headers, row, strict=True)) + "</tr>\n"
        for row in rows
    )
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>Claims</title>"
        f"<style>{_STYLE}</style></head>\n<body><h1>Claims</h1>\n"
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table>\n{notes}</body></html>\n"
    )


def _cell(header: str, cell: str) -> str:
    kind = "number" if header in ("cases", "time") else ""
    if header == "verdict":
        kind = cell.partition(" ")[0]
    return (
        f"<td class='{kind}'>{html.escape(cell)}</td>" if kind else f"<td>{html.escape(cell)}</td>"
    )


def write(text: str, output: Path | None) -> None:
    """Print a text, or replace a file with it in one step."""
    if output is None:
        import click

        click.echo(text, nl=False)
        return
    from lccmodel.ground.files import write_atomically

    write_atomically(output, text)
