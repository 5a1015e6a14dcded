"""The five formats of a table; see `tables`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from html import escape as escape_html
from typing import TYPE_CHECKING, Any, Literal

from lccmodel.show.tables import Audience, Cell, Column, Table, cell_text, finite_decimal

if TYPE_CHECKING:
    from rich.console import RenderableType

__all__ = [
    "as_csv",
    "as_html",
    "as_json",
    "as_latex",
    "as_markdown",
    "as_rich",
    "as_text",
    "escape_latex",
    "escape_markdown",
    "label",
    "stacked_latex",
]


def _for(audience: Audience, table: Table) -> tuple[list[Column], list[list[Cell]]]:
    """The columns that an audience sees, and their cells by row."""
    seen = [i for i, column in enumerate(table.columns) if column.is_for(audience)]
    return [table.columns[i] for i in seen], [[row[i] for i in seen] for row in table.rows]


def _facts(table: Table) -> list[tuple[Column, Cell]]:
    """The facts that people see; one without a value says nothing."""
    seen = [(column, cell) for column, cell in table.facts if column.is_for("people")]
    return [(column, cell) for column, cell in seen if cell is not None]


# -- terminal -------------------------------------------------------------------------------


def as_text(table: Table, width: int = 100) -> str:
    """For a terminal without colours; lines are not longer than `width`."""
    from rich.console import Console

    target = io.StringIO()
    console = Console(file=target, width=width, no_color=True, force_terminal=False)
    console.print(as_rich(table, width))
    lines = [line.rstrip() for line in target.getvalue().rstrip().splitlines()]
    return "\n".join(lines) + "\n"


def as_rich(table: Table, width: int = 100) -> RenderableType:
    """What a `rich.console.Console` of this width prints."""
    from rich import box
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    columns, rows = _for("people", table)
    texts = _texts(columns, rows, str)
    body = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    for column, keep in zip(columns, _kept_whole(columns, rows, texts, width), strict=True):
        side: Literal["left", "right"] = "right" if column.right else "left"
        body.add_column(Text(column.heading), justify=side, overflow="fold", no_wrap=keep)
    for row in texts:
        body.add_row(*map(Text, row))
    parts: list[RenderableType] = [Text(table.title, style="bold")]
    facts = _facts(table)
    if facts:
        grid = Grid.grid(padding=(0, 2))
        for column, cell in facts:
            grid.add_row(Text(column.heading, style="dim"), Text(column.text(cell)))
        parts.append(Padding(grid, (0, 0, 0, 2)))
    parts.append(Padding(body, (0, 0, 0, 1)))
    parts += [Padding(Text(note), (0, 0, 0, 2)) for note in table.notes]
    return Group(*parts)


_SHORT_WORD, _SHORT_NUMBERS = 12, 31


def _kept_whole(
    columns: Sequence[Column], rows: Sequence[Sequence[Cell]], texts: list[list[str]], width: int
) -> list[bool]:
    """Which columns are not broken over lines: short words and numbers, while that fits."""
    keep, room = [], width - 1
    for k, column in enumerate(columns):
        head = max(map(len, column.heading.split("\n")))
        longest = max((len(row[k]) for row in texts), default=0)
        words = any(isinstance(row[k], str) for row in rows)
        keep.append(longest <= (_SHORT_WORD if words else _SHORT_NUMBERS))
        room -= 2 + max(head, longest if keep[-1] else _SHORT_WORD)
    return keep if room >= 0 else [False] * len(keep)


# -- Markdown and HTML ----------------------------------------------------------------------


def as_markdown(table: Table) -> str:
    """A heading, the facts as a list, a pipe table, the notes."""
    from tabulate import tabulate

    columns, rows = _for("people", table)
    body = tabulate(
        _texts(columns, rows, escape_markdown),
        [escape_markdown(column.heading) for column in columns],
        "pipe",
        colalign=_alignment(columns) if rows else None,
        disable_numparse=True,
    )
    facts = [
        f"- {escape_markdown(column.heading)}: {escape_markdown(column.text(cell))}"
        for column, cell in _facts(table)
    ]
    notes = "\n".join(escape_markdown(note) for note in table.notes)
    blocks = [f"## {escape_markdown(table.title)}", "\n".join(facts), body, notes]
    return "\n\n".join(filter(None, blocks)) + "\n"


def escape_markdown(text: str) -> str:
    r"""Text as Markdown that shows it, within one table cell.

    >>> escape_markdown("a|b [c]")
    'a\\|b \\[c\\]'
    """
    escaped = re.sub(r"([\\`*_\[\]<>|~#])", r"\\\1", text)
    return escaped.replace("\n", "<br>")


def as_html(table: Table) -> str:
    """For a notebook."""
    columns, rows = _for("people", table)

    def cells(tag: str, texts: Iterable[str]) -> str:
        return "".join(f"<{tag}>{text}</{tag}>" for text in texts)

    facts = "; ".join(f"{column.heading}: {column.text(cell)}" for column, cell in _facts(table))
    caption = f"<b>{_html(table.title)}</b>" + (f"<br>{_html(facts)}" if facts else "")
    head = cells("th", (_html(column.heading) for column in columns))
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in _texts(columns, rows, _html))
    notes = "".join(f"<p>{_html(note)}</p>" for note in table.notes)
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>{notes}"


def _html(text: str) -> str:
    return escape_html(text).replace("\n", "<br>")


def _texts(
    columns: Sequence[Column], rows: Iterable[Sequence[Cell]], escape: Callable[[str], str]
) -> list[list[str]]:
    return [
        [escape(column.text(cell)) for column, cell in zip(columns, row, strict=True)]
        for row in rows
    ]


def _alignment(columns: Iterable[Column]) -> list[str]:
    return ["right" if column.right else "left" for column in columns]


# -- LaTeX ----------------------------------------------------------------------------------

_LATEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "→": r"$\rightarrow$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "×": r"$\times$",
    "°": r"$^{\circ}$",
    "–": "--",
    "…": r"\ldots{}",
    "ᵀ": r"$^{\top}$",
    "⁻¹": r"$^{-1}$",
    "²": r"$^{2}$",
    "⁺": r"$^{+}$",
    "α": r"$\alpha$",
    "λ": r"$\lambda$",
    "τ": r"$\tau$",
    "µ": r"$\mu$",
    "∞": r"$\infty$",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "⌈": r"$\lceil$",
    "⌉": r"$\rceil$",
    "⌊": r"$\lfloor$",
    "⌋": r"$\rfloor$",
    "·": r"$\cdot$",
} | {letter: f"\\{letter}" for letter in "&%$#_{}"}
_LATEX_SPECIAL = re.compile("|".join(map(re.escape, _LATEX)))


def escape_latex(text: str) -> str:
    r"""Text as LaTeX that prints it.

    >>> escape_latex("50% of T_0 & \\x")
    '50\\% of T\\_0 \\& \\textbackslash{}x'
    """
    return _LATEX_SPECIAL.sub(lambda found: _LATEX[found.group()], text)


def as_latex(table: Table) -> str:
    """A `table` float with booktabs rules; needs `\\usepackage{booktabs}`."""
    from tabulate import DataRow, Line, TableFormat, tabulate

    columns, rows = _for("people", table)
    alignment = "".join("r" if column.right else "l" for column in columns)
    cells = DataRow("", " & ", r" \\")
    rules = [Line(rf"\{rule}", "", "", "") for rule in ("toprule", "midrule", "bottomrule")]
    style = TableFormat(rules[0], rules[1], None, rules[2], cells, cells, 0, None)
    body = tabulate(
        [[_latex_cell(c, cell) for c, cell in zip(columns, row, strict=True)] for row in rows],
        [column.latex_heading or _latex_lines(column.heading) for column in columns],
        style,
        disable_numparse=True,
    )
    facts = [
        f"{escape_latex(column.heading)}: {_latex_cell(column, cell)}"
        for column, cell in _facts(table)
    ]
    caption = f"{escape_latex(table.title)}." + (f" {'; '.join(facts)}." if facts else "")
    note = escape_latex(" ".join(table.notes))
    notes = [rf"\par\smallskip {note}"] if note else []
    lines = [
        "% \\usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{caption}}}",
        rf"\label{{tab:{label(table.title)}}}",
        rf"\begin{{tabular}}{{{alignment}}}",
        body,
        r"\end{tabular}",
        *notes,
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_cell(column: Column, cell: Cell) -> str:
    if column.latex is not None:
        return column.latex(cell)
    return _latex_lines(column.text(cell))


def _latex_lines(text: str) -> str:
    return stacked_latex([escape_latex(line) for line in text.split("\n")])


def stacked_latex(lines: Sequence[str]) -> str:
    """Lines of LaTeX one above the other, within one cell."""
    if len(lines) == 1:
        return lines[0]
    stacked = r" \\ ".join(lines)
    return rf"\begin{{tabular}}[t]{{@{{}}l@{{}}}}{stacked}\end{{tabular}}"


def label(title: str) -> str:
    """A title as a word for labels and file names.

    >>> label("Example 5: images, 16×16")
    'example-5-images-16-16'
    """
    return "-".join(re.findall(r"[a-z0-9]+", title.lower())) or "table"


# -- data -----------------------------------------------------------------------------------


def as_csv(table: Table) -> str:
    """Header and rows, RFC 4180 quoting, lines ended by a newline."""
    facts = [(column, cell) for column, cell in table.facts if column.is_for("data")]
    columns, rows = _for("data", table)
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow([column.key for column in (*(column for column, _ in facts), *columns)])
    shared = [_csv_cell(cell) for _, cell in facts]
    writer.writerows([*shared, *map(_csv_cell, row)] for row in rows)
    return target.getvalue()


def _csv_cell(cell: Cell) -> str:
    return str(cell).lower() if isinstance(cell, bool) else cell_text(cell)


def as_json(table: Table) -> str:
    """A list of records, one to a line."""
    lines = [json.dumps(_json_value(record), ensure_ascii=False) for record in table.records()]
    return "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n" if lines else "[]\n"


def _json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_value(cell) for key, cell in value.items()}
    if isinstance(value, tuple):
        return [_json_value(part) for part in value]
    if isinstance(value, Fraction):
        decimal = finite_decimal(value)
        return str(value) if decimal is None else decimal
    return value
