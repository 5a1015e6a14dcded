"""What is said of a verdict, from its record: lines of a card, numbers, times.

Everything that is said of a verdict is said by `card_lines`, from its record: on the card in a
notebook, below the table of a run, by `proofs-check show`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proofs_check.statement import Source
from proofs_check.theorems import MACHINE_CHECKED, theorems_of

MEANING = {
    "holds": "true as printed",
    "holds-as-read": "true under the reading stated",
    "fails": "false as printed",
    "undecided": "the text does not determine what to check",
    "control-not-rejected": "no verdict: the negative control was not rejected",
    "error": "no verdict",
}


def heading(record: Mapping[str, Any]) -> str:
    """The id of a record with the paper and the place in it."""
    return f"{record['id']} [{record['paper']}, {record['place']}]"


def card_lines(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What a record says, each part under its name."""
    verdict, shown, amended = record["verdict"], record["counterexample"], record["amended"]
    lines = [("statement", record["statement"])]
    if record.get("printed"):
        lines.append(("printed", f"“{record['printed']}”"))
    if record["reading"] is not None:
        lines.append(("reading", record["reading"]))
    is_own = Source(record["paper"], record["place"]).is_own
    meaning = MEANING[verdict]
    if is_own:  # nobody has printed it
        meaning = meaning.replace("as printed", "as stated")
    lines.append(("verdict", f"{verdict} ({meaning})"))
    if record.get("undecided"):
        lines.append(("would decide it", record["undecided"]["missing"]))
        tried = enumerate(record["undecided"]["tried"], start=1)
        lines += [(f"tried {k}", tried_text(each)) for k, each in tried]
    lines.append(("domain", record["domain"]["text"]))
    lines += [(MACHINE_CHECKED, name) for name in theorems_of(record["id"])]
    lines.append(("cases", cases_text(record["cases"])))
    if record["domain"].get("covers"):
        lines.append(("covers", record["domain"]["covers"]))
    if shown is not None:
        printed = verdict == "holds-as-read"
        label = "the printed statement fails" if printed else "smallest counterexample"
        lines.append((label, shown["text"]))
    if amended is not None:
        lines.append((amended["id"], f"{amended['verdict']}: {amended['statement']}"))
    lines.append(("evidence", record["evidence"]))
    refuted = record["control"]["counterexample"]
    falls = record["control"]["falls"] + ("" if refuted is None else f": {refuted['text']}")
    lines.append(("negative control", f"{record['control']['text']}: {falls}"))
    if record["problem"] is not None:
        lines.append(("problem", record["problem"]))
    if "kept" in record:
        lines.append(("verdict from", record["kept"]))
    elif "seconds" in record:
        lines.append(("time", seconds_text(record["seconds"])))
    return lines


def tried_text(tried: Mapping[str, Any], shown: str | None = None) -> str:
    """One way to complete the text, and what came out; `shown` for its counterexample."""
    counterexample = tried["counterexample"]
    if counterexample is None:
        cases = tried["cases"]
        return f"{tried['text']}: holds, {cases_text(cases)} case{'s' if cases > 1 else ''}"
    return f"{tried['text']}: fails, {shown or counterexample['text']}"


def card_text(record: Mapping[str, Any]) -> str:
    """A record as a card of plain text."""
    lines = card_lines(record)
    width = max(len(label) for label, _ in lines)
    return "\n".join([heading(record), *(f"  {a:<{width}}  {b}" for a, b in lines)])


def cases_text(count: int) -> str:
    """A number of cases with thousands apart.

    >>> cases_text(1048576)
    '1,048,576'
    """
    return f"{count:,}"


def seconds_text(seconds: float) -> str:
    """A duration in words short enough for a table.

    >>> [seconds_text(s) for s in (0.01234, 12.3, 200, 7300, 2e6)]
    ['0.01 s', '12.3 s', '3.3 min', '2.0 h', '23.1 days']
    """
    if seconds < 1:
        return f"{seconds:.2f} s"
    if seconds < 100:
        return f"{seconds:.1f} s"
    if seconds < 6000:
        return f"{seconds / 60:.1f} min"
    if seconds < 100 * 3600:
        return f"{seconds / 3600:.1f} h"
    return f"{seconds / 86400:.1f} days"
