"""Reports: records as a table, JSON, Markdown, LaTeX or HTML.

A record is the JSON form of a result (`schema/report-1.schema.json`). Its canonical form leaves
out `seconds`, the only entry that two runs of the same code may differ in.
"""

from __future__ import annotations

import html
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs_check.display import cases_text, seconds_text
from proofs_check.theorems import MACHINE_CHECKED, theorems_of

if TYPE_CHECKING:
    from proofs_check.claim import Claim
    from proofs_check.ledger import Ledger
    from proofs_check.runner import Options

__all__ = ["current_records", "render", "render_claims", "render_plan", "schema", "write"]

Record = Mapping[str, Any]
Rows = Sequence[Sequence[str]]

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; color: #222 }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem;
         border-bottom: 1px solid #ddd }
th { border-bottom: 2px solid #444 }
td.number { text-align: right; white-space: nowrap }
.holds { color: #1a6b2f } .holds-as-read { color: #7a5a00 } .fails { color: #a01818 }
.control-not-rejected, .error { background: #a01818; color: #fff }
dt { font-weight: 600; margin-top: .8rem } dd { margin: 0 0 0 1.5rem }
"""


def schema() -> dict[str, Any]:
    """The JSON schema of a report: a list of records.

    >>> schema()["items"]["properties"]["verdict"]["enum"][:3]
    ['holds', 'holds-as-read', 'fails']
    """
    path = Path(__file__).parent / "schema" / "report-1.schema.json"
    loaded: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return loaded


def current_records(
    claims: Iterable[Claim], ledger: Ledger
) -> tuple[list[dict[str, Any]], list[str]]:
    """(records of the present code, ids whose records are from other code), in claim order.

    Where a claim was settled more than once the record that reached the largest n counts.
    """
    kept = ledger.records()
    records, outdated = [], []
    for claim in claims:
        own = [record for record in kept if record["id"] == claim.id]
        current = [record for record in own if record["version"] == claim.version]
        if current:
            records.append(current[-1])
        elif own:
            outdated.append(claim.id)
    return records, outdated


def render(records: Sequence[Record], form: str, times: bool = True) -> str:
    """Records in one of the formats; `times=False` is the canonical form."""
    if form == "json":
        kept = [r if times else {k: v for k, v in r.items() if k != "seconds"} for r in records]
        shown = [{**r, "theorems": list(theorems_of(r["id"]))} for r in kept]
        return json.dumps(shown, ensure_ascii=False, indent=2) + "\n"
    headers = ["claim", "place", "verdict", "domain", "cases", *(["time"] if times else [])]
    rows = [_row(record, times) for record in records]
    if form == "table":
        return _terminal_table(headers, rows, "claims") + _notes(records)
    if form == "markdown":
        return _tabulated(headers, rows) + "\n" + _markdown_notes(records)
    if form == "latex":
        return _latex("Claims and their verdicts", headers, rows)
    return _page(headers, rows, _html_notes(records))


def _row(record: Record, times: bool) -> list[str]:
    verdict = record["verdict"]
    if record["domain"].get("covers"):
        verdict += " in part"
    if record["amended"] is not None:
        verdict += f" (amended: {record['amended']['verdict']})"
    cells = [record["id"], f"{record['paper']}, {record['place']}", verdict]
    cells += [_with_theorems(record["domain"]["text"], record["id"]), cases_text(record["cases"])]
    return cells + ([seconds_text(record["seconds"])] if times else [])


def render_claims(claims: Iterable[Claim], form: str) -> str:
    """The list of claims in one of the formats."""
    if form == "json":
        listed = [
            {
                "id": claim.id,
                "paper": claim.source.paper,
                "place": claim.source.place,
                "statement": claim.says,
                "latex": claim.latex,
                "domain": _domain_text(claim),
                "theorems": list(theorems_of(claim.id)),
            }
            for claim in claims
        ]
        return json.dumps(listed, ensure_ascii=False, indent=2) + "\n"
    headers = ["claim", "paper", "place", "statement", "domain"]
    rows = [
        [c.id, c.source.paper, c.source.place, c.says, _with_theorems(_domain_text(c), c.id)]
        for c in claims
    ]
    if form == "table":
        return _terminal_table(headers, rows, "claims")
    if form == "html":
        return _page(headers, rows, "")
    if form == "latex":
        return _latex("Claims", headers, rows)
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
    from proofs_check.estimate import seconds_per_index
    from proofs_check.runner import SHARD_SECONDS, plan

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


def _notes(records: Sequence[Record]) -> str:
    """Counterexamples, readings and problems, one paragraph for each claim that has any."""
    paragraphs = []
    for record in records:
        lines = [f"  {label}: {text}" for label, text in _remarks(record)]
        if lines:
            paragraphs.append("\n".join([f"{record['id']}: {record['statement']}", *lines]))
    return "".join(f"\n{paragraph}\n" for paragraph in paragraphs)


def _remarks(record: Record) -> list[tuple[str, str]]:
    remarks = []
    if record["domain"].get("covers"):
        remarks.append(("covers", record["domain"]["covers"]))
    if record["reading"] is not None:
        remarks.append(("reading", record["reading"]))
    if record["counterexample"] is not None:
        printed = record["verdict"] == "holds-as-read"
        label = "counterexample to the print" if printed else "smallest counterexample"
        remarks.append((label, record["counterexample"]["text"]))
    if record["amended"] is not None:
        remarks.append(("amended", f"{record['amended']['id']}: {record['amended']['verdict']}"))
    if record["problem"] is not None:
        remarks.append(("problem", record["problem"]))
    return remarks


def _markdown_notes(records: Sequence[Record]) -> str:
    parts = []
    for record in records:
        lines = [f"- {label}: {text}" for label, text in _remarks(record)]
        if lines:
            body = "\n".join(lines)
            parts.append(f"\n**{record['id']}**: {record['statement']}\n\n{body}\n")
    return "".join(parts)


def _html_notes(records: Sequence[Record]) -> str:
    parts = []
    for record in records:
        lines = [
            f"<dd>{html.escape(label)}: {html.escape(text)}</dd>"
            for label, text in _remarks(record)
        ]
        if lines:
            title = f"{html.escape(record['id'])}: {html.escape(record['statement'])}"
            parts.append(f"<dt>{title}</dt>{''.join(lines)}")
    return f"<dl>{''.join(parts)}</dl>" if parts else ""


def _tabulated(headers: Sequence[str], rows: Rows) -> str:
    """As Markdown."""
    from lccmodel.show.writers import pipe_table

    rows = [[cell.replace("|", r"\|") for cell in row] for row in rows]
    return pipe_table(headers, rows, [h in ("cases", "time") for h in headers]) + "\n"


def _latex(title: str, headers: Sequence[str], rows: Rows) -> str:
    """As the library writes all its tables: floats that fit the line of a plain article."""
    from lccmodel.show.quantities import Quantity
    from lccmodel.show.records import Table

    columns = [Quantity(f"c{k}", head) for k, head in enumerate(headers)]
    return Table(title, columns, rows).render("latex")


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
    from lccmodel.files import write_atomically

    write_atomically(output, text)
