"""How a result shows itself: text, Markdown, LaTeX, and HTML in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from lccmodel.views import Viewed
from proofs_check.theorems import MACHINE_CHECKED, theorems_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lccmodel.show.records import Table

__all__ = ["MEANING", "RichDisplay", "cases_text", "seconds_text"]

MEANING = {
    "holds": "true as printed",
    "holds-as-read": "true under the reading stated",
    "fails": "false as printed",
    "control-not-rejected": "no verdict: the negative control was not rejected",
    "error": "no verdict",
}


class RichDisplay(Viewed):
    """The views of `Result`: its card, which Jupyter shows, and a row for every n.

    >>> from proofs_check import check
    >>> found = check("hou.thm1", max_n=2)
    >>> found.records()[0]["n"], found.to_dict()["verdict"], found.plot().get_xlabel()
    (1, 'holds', 'n')
    """

    def as_table(self) -> Table:
        """The cases of every n, under the verdict."""
        from lccmodel.show.quantities import Column, Fact, Quantity
        from lccmodel.show.records import Table

        result: Any = self
        shown = None if result.counterexample is None else result.counterexample.text
        which = {True: "sample", False: "all"}
        rows: list[tuple[Any, ...]] = [
            (stage.n, stage.cases, which[stage.is_sample]) for stage in result.stages
        ]
        columns: list[Column] = ["n", Quantity("cases", "cases"), Quantity("mode", "which")]
        facts: list[Fact] = [
            (Quantity("claim", "claim"), result.claim.id),
            ("verdict", result.verdict),
            (Quantity("counterexample", "counterexample"), shown),
        ]
        return Table(result.claim.says, columns, rows or [(None, 0, None)], facts)

    def plot(self, ax: Axes | None = None) -> Axes:
        """The cases of every n as bars; a vermilion one where the claim fails."""
        from lccmodel.show.style import BLUE, VERMILION
        from lccmodel.show.views import new_axes

        result: Any = self
        axes = new_axes(6.4, 3.6) if ax is None else ax
        fails = None if result.counterexample is None else result.counterexample.n
        for stage in result.stages:
            colour = VERMILION if stage.n == fails else BLUE
            axes.bar([stage.n], [max(stage.cases, 1)], color=colour)
        title = f"{result.claim.id}: {result.verdict}"
        axes.set(yscale="log", xlabel="n", ylabel="cases", title=title)
        axes.locator_params(axis="x", integer=True)
        return axes

    def _lines(self) -> list[tuple[str, str]]:
        result: Any = self
        claim = result.claim
        record = result.record()
        lines = [
            ("statement", claim.says),
            ("verdict", f"{result.verdict} ({MEANING[result.verdict]})"),
            ("domain", record["domain"]["text"]),
            *((MACHINE_CHECKED, name) for name in theorems_of(claim.id)),
            ("cases", cases_text(result.cases)),
            ("evidence", claim.evidence),
        ]
        if result.covers is not None:
            lines.append(("covers", result.covers))
        if claim.reading is not None:
            lines.insert(1, ("reading", claim.reading.text))
        if result.counterexample is not None:
            label = "smallest counterexample"
            if result.verdict == "holds-as-read":
                label = "counterexample to the print"
            lines.append((label, result.counterexample.text))
        if result.amended is not None:
            amended = result.amended
            lines.append((amended.claim.id, f"{amended.verdict}: {amended.claim.says}"))
        refuted = result.control.counterexample
        shown = result.control.falls + ("" if refuted is None else f": {refuted.text}")
        lines.append(("negative control", f"{result.control.text}: {shown}"))
        if result.unsettled is not None:
            lines.append(("problem", result.unsettled))
        lines.append(("time", seconds_text(result.seconds)))
        return lines

    def _heading(self) -> str:
        result: Any = self
        claim = result.claim
        return f"{claim.id} [{claim.source.paper}, {claim.source.place}]"

    def __str__(self) -> str:
        lines = self._lines()
        width = max(len(label) for label, _ in lines)
        return "\n".join([self._heading(), *(f"  {a:<{width}}  {b}" for a, b in lines)])

    def _repr_latex_(self) -> str | None:
        result: Any = self
        claim = result.claim
        return f"$\\displaystyle {claim.latex}$" if claim.latex else None

    def _repr_markdown_(self) -> str:
        body = "\n".join(f"- **{label}**: {text}" for label, text in self._lines())
        formula = self._repr_latex_()
        return f"**{self._heading()}**\n\n" + (f"{formula}\n\n" if formula else "") + body

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left;vertical-align:top'>{html.escape(label)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for label, text in self._lines()
        )
        formula = self._repr_latex_()
        shown = f"<p>{html.escape(formula)}</p>" if formula else ""
        heading = html.escape(self._heading())
        return f"<div><p><strong>{heading}</strong></p>{shown}<table>{rows}</table></div>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        bundle = {
            "text/plain": str(self),
            "text/markdown": self._repr_markdown_(),
            "text/html": self._repr_html_(),
        }
        formula = self._repr_latex_()
        return {**bundle, "text/latex": formula} if formula else bundle


def cases_text(count: int) -> str:
    """A number of cases with thousands apart.

    >>> cases_text(1048576)
    '1 048 576'
    """
    return f"{count:,}".replace(",", " ")


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
