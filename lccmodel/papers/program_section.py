"""What a report says about one program: its tables, its figures, its permutations by every method.

<program>-<network>/tables.md, .tex      before, after, lower bound, proof, orders, loads
                    routing.csv, .json   every routing method for every permutation, as data
                    <name>.png, .pdf     channel loads before and after, walks of all methods
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lccmodel.communication.program import relabelled
from lccmodel.methods.comparison import Comparison, compare, with_reordering
from lccmodel.methods.placement.questions import Solution
from lccmodel.papers.gallery import Chapter
from lccmodel.papers.parts import Parts, digest
from lccmodel.papers.reproduction import Tell
from lccmodel.show.figures import Drawing, drawings
from lccmodel.show.records import Format, render
from lccmodel.show.routing_tables import comparison_table
from lccmodel.show.style import FIGURE_FORMATS, figure_bytes
from lccmodel.show.summary import main_tables, program_tables
from lccmodel.show.writers import escape_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_ROUTED = 10
"""Largest n for which a report routes the permutations by every method."""

DATA: tuple[Format, ...] = ("csv", "json")

WALKS = "routing_methods"
"""Name of the figure; with an underscore, which names of communications do not keep."""


def routed_members(solution: Solution, step: Tell) -> tuple[Comparison, ...]:
    """Every permutation of a program by every routing method, on a cube and the squarest mesh."""
    if not solution.ranked:
        return ()
    members = [(phase.lcc, phase.name) for phase in solution.problem.program]
    chosen = [
        relabelled(c, name)
        for c, name in members
        if c is not None and c.kind == "permutation" and c.n <= _MAX_ROUTED
    ]
    if chosen:
        step(f"{solution.title}: routing methods")
    return tuple(with_reordering(compare(c)) for c in chosen)


def _worth_drawing(routed: Sequence[Comparison]) -> Comparison | None:
    """The permutation with which e-cube routing has the most contention, if it has any."""
    worst = max(routed, key=lambda one: one["e-cube"].rounds, default=None)
    return None if worst is None or worst["e-cube"].contention_free else worst


class Drawer:
    """Makes the files of figures; those that are as they were are taken from an earlier report."""

    def __init__(self, step: Tell, parts: Parts) -> None:
        self._step = step
        self._parts = parts

    def __call__(self, drawing: Drawing, path: str) -> Mapping[str, bytes]:
        """The figure in every format, by path."""
        loads = (drawing.before, drawing.after)
        told = [each.counts.tobytes() + str(each.counts.shape).encode() for each in loads]
        key = digest("loads", drawing.before.network.spec, *drawing.titles, *told)
        return self._made(path, key, drawing.draw)

    def walks(self, comparison: Comparison, path: str) -> Mapping[str, bytes]:
        """The walks of all routing methods in every format, by path."""
        from lccmodel.show.comparison_drawing import draw_comparison

        key = digest("walks", comparison.name or "", comparison.destinations.tobytes())
        return self._made(path, key, lambda: draw_comparison(comparison))

    def _made(self, path: str, key: str, draw: Callable[[], Figure]) -> Mapping[str, bytes]:
        known = self._parts.kept(path, key)
        if known is not None:
            return known
        self._step(f"figure {path}")
        files = {f"{path}.{kind}": content for kind, content in figure_bytes(draw()).items()}
        self._parts.note(path, key, files)
        return files


@dataclass(frozen=True)
class ProgramSection:
    """What the report says about one program: its folder, captions of figures, files."""

    solution: Solution
    folder: str
    captions: Mapping[str, str]
    files: Mapping[str, bytes]

    @classmethod
    def of(
        cls, solution: Solution, folder: str, draw: Drawer, routed: Sequence[Comparison]
    ) -> ProgramSection:
        """Work out all tables and figures, and write them as files in memory."""
        captions: dict[str, str] = {}
        files: dict[str, bytes] = {}
        for drawing in drawings(solution):
            captions[drawing.name] = drawing.caption
            files |= draw(drawing, f"{folder}/{drawing.name}")
        tables = program_tables(solution)
        pictures = [_picture(name, text) for name, text in captions.items()]
        page = [render(table, "markdown") for table in tables]
        page += ["## Channel loads\n", *pictures] if pictures else []
        if routed:
            methods = comparison_table(routed, f"{solution.title}: routing methods")
            tables = (*tables, methods)
            page.append(render(methods, "markdown"))
            files |= {f"{folder}/routing.{form}": render(methods, form).encode() for form in DATA}
        worst = _worth_drawing(routed)
        if worst is not None:
            name, text = WALKS, f"{worst.name}, by every routing method"
            captions[name] = text
            files |= draw.walks(worst, f"{folder}/{name}")
            page.append(_picture(name, text))
        files[f"{folder}/tables.md"] = "\n".join(page).encode()
        files[f"{folder}/tables.tex"] = "\n".join(render(t, "latex") for t in tables).encode()
        return cls(solution, folder, captions, files)

    def chapter(self) -> Chapter:
        """What the page for a browser shows of this program."""
        wanted = ("tables.md", "tables.tex", "routing.csv", "routing.json")
        paths = [f"{self.folder}/{name}" for name in wanted]
        links = {name: path for name, path in zip(wanted, paths, strict=True) if path in self.files}
        figures = {f"{self.folder}/{name}": text for name, text in self.captions.items()}
        return Chapter(self.solution.title, "", links, main_tables(self.solution), figures)

    def index(self) -> str:
        """The lines of the index about this program."""
        solution = self.solution
        count = len(solution.problem.program)
        noun = "communication" if count == 1 else "communications"
        tables = f"[Markdown]({self.folder}/tables.md) and [LaTeX]({self.folder}/tables.tex)"
        data = [
            f"[{kind.upper()}]({name})"
            for kind in ("csv", "json")
            if (name := f"{self.folder}/routing.{kind}") in self.files
        ]
        routing = f"; routing methods as {', '.join(data)}" if data else ""
        lines = [
            f"## {escape_markdown(solution.title)}\n",
            f"{count} {noun} of `{solution.path}`: tables as {tables}{routing}.\n",
        ]
        for name, text in self.captions.items():
            links = ", ".join(f"[{k.upper()}]({self.folder}/{name}.{k})" for k in FIGURE_FORMATS)
            lines.append(f"- {escape_markdown(text)}: {links}")
        return "\n".join(lines) + "\n"


def _picture(name: str, text: str) -> str:
    return f"![{text}]({name}.png)\n\n{text}.\n"
