"""The ways to write a table: a terminal, Markdown, HTML and LaTeX for people; CSV and JSON as data.

What people read is a `Sheet`: headings and cells with their quantities. What programs read are
records, dictionaries from keys to exact values.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from html import escape as escape_html
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from lccmodel.show.latex import (
    TexColumn,
    breakable,
    columns_left_out,
    escape_latex,
    label,
    latex_table,
    math_width,
    numbered_formula,
    stacked_latex,
)
from lccmodel.show.numbers import Cell, cell_text, finite_decimal
from lccmodel.show.quantities import Quantity

if TYPE_CHECKING:
    from rich.console import RenderableType


class Sheet(NamedTuple):
    """What people see of a table: title, columns, rows of cells, facts above and notes below.

    `lead` is above the title: an assumption without which the result would be misread. `resting`:
    those of the notes on which the numbers rest.
    """

    title: str
    columns: tuple[Quantity, ...]
    rows: tuple[tuple[Cell, ...], ...]
    facts: tuple[tuple[Quantity, Cell], ...]
    notes: tuple[str, ...]
    lead: str = ""
    resting: tuple[str, ...] = ()

    def texts(self, escape: Callable[[str], str] = str) -> list[list[str]]:
        """The cells as people read them, row by row."""
        return [
            [escape(column.text(cell)) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def right(self) -> list[bool]:
        """For every column whether it holds numbers, which are lined up on the right."""
        return [_numeric([row[k] for row in self.rows]) for k in range(len(self.columns))]


_DIGITS = re.compile(r"[+-]?(0|[1-9][\d,]*)(\.\d+)?")


def _numeric(cells: Sequence[Cell]) -> bool:
    known = [cell for cell in cells if cell is not None and cell != ""]
    return bool(known) and all(
        not isinstance(cell, (bool, tuple))
        and (not isinstance(cell, str) or _DIGITS.fullmatch(cell) is not None)
        for cell in known
    )


# -- terminal -------------------------------------------------------------------------------


def as_text(sheet: Sheet, width: int = 100) -> str:
    """For a terminal without colours; lines are not longer than `width`."""
    from rich.console import Console

    target = io.StringIO()
    console = Console(file=target, width=width, no_color=True, force_terminal=False)
    console.print(as_rich(sheet, width))
    lines = [line.rstrip() for line in target.getvalue().rstrip().splitlines()]
    return "\n".join(lines) + "\n"


def as_rich(sheet: Sheet, width: int = 100) -> RenderableType:
    """What a `rich.console.Console` of this width prints."""
    from rich import box
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table as Grid
    from rich.text import Text

    texts = sheet.texts()
    body = Grid(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold", padding=(0, 1, 0, 0))
    kept = _kept_whole(sheet, texts, width)
    for column, keep, room, right in zip(
        sheet.columns, kept, _rooms(sheet, texts, width, kept), sheet.right(), strict=True
    ):
        side: Literal["left", "right"] = "right" if right else "left"
        head = Text(column.heading)
        body.add_column(head, justify=side, overflow="fold", no_wrap=keep, width=room)
    for row in texts:
        body.add_row(*map(Text, row))
    parts: list[RenderableType] = [Text(sheet.lead)] if sheet.lead else []
    parts.append(Text(sheet.title, style="bold"))
    if sheet.facts:
        grid = Grid.grid(padding=(0, 2))
        for column, cell in sheet.facts:
            grid.add_row(Text(column.heading, style="dim"), Text(column.text(cell)))
        parts.append(Padding(grid, (0, 0, 0, 2)))
    parts.append(Padding(body, (0, 0, 0, 1)))
    parts += [Padding(Text(note), (0, 0, 0, 2)) for note in sheet.notes]
    return Group(*parts)


_SHORT_WORD, _SHORT_NUMBERS = 12, 31


def _kept_whole(sheet: Sheet, texts: list[list[str]], width: int) -> list[bool]:
    """Which columns are not broken over lines: short words and numbers, while that fits."""
    keep, room = [], width - 1
    for k, column in enumerate(sheet.columns):
        head = max(map(len, column.heading.split("\n")))
        longest = max((len(row[k]) for row in texts), default=0)
        words = any(isinstance(row[k], str) for row in sheet.rows)
        keep.append(longest <= (_SHORT_WORD if words else _SHORT_NUMBERS))
        room -= 2 + max(head, longest if keep[-1] else _SHORT_WORD)
    return keep if room >= 0 else [False] * len(keep)


def _rooms(
    sheet: Sheet, texts: list[list[str]], width: int, kept: list[bool]
) -> list[int] | list[None]:
    """The widths of columns in which no word is broken; the widest give way. None: all fit."""
    columns = [[c.heading, *(row[k] for row in texts)] for k, c in enumerate(sheet.columns)]
    rooms = [max(len(line) for text in column for line in text.split("\n")) for column in columns]
    least = [
        room if keep else min(room, max(map(len, " ".join(column).split()), default=0))
        for column, room, keep in zip(columns, rooms, kept, strict=True)
    ]
    free = width - 1 - 2 * len(rooms)
    if sum(rooms) <= free or sum(least) > free:
        return [None] * len(rooms)
    while sum(rooms) > free:
        widest = max((k for k in range(len(rooms)) if rooms[k] > least[k]), key=rooms.__getitem__)
        rooms[widest] -= 1
    return list(rooms)


# -- Markdown and HTML ----------------------------------------------------------------------


def as_markdown(sheet: Sheet) -> str:
    """A heading, the facts as a list, a pipe table, the notes."""
    headings = [escape_markdown(column.heading) for column in sheet.columns]
    body = pipe_table(headings, sheet.texts(escape_markdown), sheet.right())
    facts = [
        f"- {escape_markdown(column.heading)}: {escape_markdown(column.text(cell))}"
        for column, cell in sheet.facts
    ]
    notes = "\n".join(escape_markdown(note) for note in sheet.notes)
    heading = f"## {escape_markdown(sheet.title)}"
    blocks = [escape_markdown(sheet.lead), heading, "\n".join(facts), body, notes]
    return "\n\n".join(filter(None, blocks)) + "\n"


def pipe_table(
    headings: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[bool]
) -> str:
    """Texts, escaped already, as a pipe table of Markdown without a newline at its end.

    >>> print(pipe_table(["n", "verdict"], [["3", "holds"]], [True, False]))
    |   n | verdict   |
    |----:|:----------|
    |   3 | holds     |
    """
    from tabulate import tabulate

    align = ["right" if side else "left" for side in right] if rows else None
    return tabulate(rows, headings, "pipe", colalign=align, disable_numparse=True)


def escape_markdown(text: str) -> str:
    r"""Text as Markdown that shows it, within one table cell.

    >>> escape_markdown("a|b [c]")
    'a\\|b \\[c\\]'
    """
    escaped = re.sub(r"([\\`*_\[\]<>|~#])", r"\\\1", text)
    return escaped.replace("\n", "<br>")


def as_html(sheet: Sheet) -> str:
    """For a notebook or a page."""

    sides = [' style="text-align:right"' if right else "" for right in sheet.right()]

    def cells(tag: str, texts: Iterable[str]) -> str:
        return "".join(
            f"<{tag}{side}>{text}</{tag}>" for side, text in zip(sides, texts, strict=True)
        )

    facts = "; ".join(f"{column.heading}: {column.text(cell)}" for column, cell in sheet.facts)
    lead = f"{_html(sheet.lead)}<br>" if sheet.lead else ""
    caption = f"{lead}<b>{_html(sheet.title)}</b>" + (f"<br>{_html(facts)}" if facts else "")
    head = cells("th", (_html(column.heading) for column in sheet.columns))
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in sheet.texts(_html))
    notes = "".join(f"<p>{_html(note)}</p>" for note in sheet.notes)
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>{notes}"


def _html(text: str) -> str:
    return escape_html(text).replace("\n", "<br>")


# -- LaTeX ----------------------------------------------------------------------------------


def as_latex(sheet: Sheet) -> str:
    """Floats with booktabs rules that fit a column of a two-column paper; see `latex`.

    A formula of several lines, or one that is wide, stands below the table under a number of the
    document, to which its cell refers.
    """
    asked = _asked(sheet)
    name = _label(sheet, asked)
    columns, displays = _latex_columns(sheet, name)
    facts = sorted(
        (pair for pair in sheet.facts if pair[0].key not in ASKED), key=lambda pair: pair[0].aside
    )
    table = latex_table(
        f"{sheet.title}: {asked}" if asked else sheet.title,
        columns,
        name,
        [*filter(None, (sheet.lead, *sheet.resting))],
        [
            *(_fact(fact, cell) for fact, cell in facts),
            *(
                (note, escape_latex(breakable(note)))
                for note in sheet.notes
                if note not in sheet.resting
            ),
        ],
    )
    return "\n".join([table.rstrip("\n"), *displays]) + "\n"


def _fact(fact: Quantity, cell: Cell) -> tuple[str, str]:
    """A fact as a sentence, as text and as LaTeX."""
    text = fact.text(cell)
    shown = fact.math(cell) if fact.math is not None else _latex_lines(breakable(text))
    return f"{fact.heading}: {text}.", f"{fact.latex or escape_latex(fact.heading)}: {shown}."


def left_out_of_latex(sheet: Sheet) -> list[str]:
    """The columns that the LaTeX of a table leaves out, as they do not fit."""
    return columns_left_out(_latex_columns(sheet, "")[0])


def _latex_columns(sheet: Sheet, name: str) -> tuple[list[TexColumn], list[str]]:
    """The columns as LaTeX, and the formulas that stand below them."""
    displays: list[str] = []
    columns = []
    for k, (quantity, is_right) in enumerate(zip(sheet.columns, sheet.right(), strict=True)):
        texts = [breakable(quantity.text(row[k])) for row in sheet.rows]
        longest = max((len(line) for text in texts for line in text.split("\n")), default=0)
        head = _broken(quantity.heading, longest)
        cells, ems = [], 0.0
        for number, row in enumerate(sheet.rows):
            if quantity.math is None or row[k] is None:
                cells.append(_latex_lines(texts[number]))
                continue
            cell = quantity.math(row[k])
            if cell.startswith("$") or _DISPLAY in cell:
                if _DISPLAY in cell or math_width(cell) > _WIDEST_FORMULA:
                    symbol = _SYMBOL.search(quantity.heading)
                    left = symbol[0] if symbol else ""
                    displays.append(numbered_formula(cell, f"eq:{name}-{len(displays) + 1}", left))
                    cell = rf"\eqref{{eq:{name}-{len(displays)}}}"
                    texts[number] = "(10)"
                ems = max(ems, 2.0 if "eqref" in cell else math_width(cell))
            cells.append(cell)
        heads = quantity.latex or stacked_latex(
            [escape_latex(line) for line in head.split("\n")], "r" if is_right else "l", "b"
        )
        columns.append(
            TexColumn(
                heads,
                cells,
                [head, *texts],
                is_right,
                quantity.aside,
                quantity.heading.replace("\n", " ").strip() or quantity.key.replace("_", " "),
                ems,
            )
        )
    return columns, displays


_SYMBOL = re.compile(r"\b[A-Z](?:\([\w,]+\))?$")
"""The symbol at the end of a heading such as "time T"."""

_WIDEST_FORMULA = 15.0
"""Ems of a formula that may be within a table."""

_NAMED = ("network", "collective", "task", "model", "machine")
ASKED = (*_NAMED, "alpha", "tau", "barrier", "N", "objective", "ports")
"""Facts of a caption: what was asked, by its value alone or as "α = 500"."""

_USUAL = {"ports": "one", "barrier": 0}
"""Values that a caption need not mention."""

_MOST_NAMED = 2
"""Communications that a caption names."""


def _asked(sheet: Sheet) -> str:
    """The question, as a caption names it: communications, network and numbers.

    Results say which model or objective they are of; the rest of the facts is below the table.
    """
    parts = []
    if sheet.columns[0].key == "communication" and len(sheet.rows) <= _MOST_NAMED:
        names = dict.fromkeys(cell_text(row[0]) for row in sheet.rows)
        parts = [name for name in names if name and name not in sheet.title]
    for fact, cell in sheet.facts:
        if fact.key not in ASKED or _USUAL.get(fact.key) == cell:
            continue
        text = cell_text(cell) if fact.key == "objective" else fact.text(cell)
        if fact.key in (*_NAMED, "objective"):
            parts += [] if text in sheet.title.split() else [text]
        else:
            parts.append(f"{fact.heading.partition(',')[0]} = {text}")
    return ", ".join(parts)


def _label(sheet: Sheet, asked: str) -> str:
    """A label of the title and the network, and of a checksum by which questions differ."""
    keys = [cell_text(row[0]) for row in sheet.rows]
    facts = [f"{fact.key}={cell_text(cell)}" for fact, cell in sheet.facts]
    heads = [column.key for column in sheet.columns]
    whole = "\n".join([sheet.title, asked, *heads, *keys, *facts, *sheet.notes, sheet.lead])
    networks = [cell_text(cell) for fact, cell in sheet.facts if fact.key == "network"]
    words = "-".join([*label(sheet.title).split("-")[:4], *map(label, networks)])
    return f"{words[:40].strip('-')}-{sha256(whole.encode()).hexdigest()[:6]}"


def _broken(heading: str, width: int) -> str:
    """A heading in lines about as long as the cells below it, so that it makes no column wide."""
    if "\n" in heading:
        return heading
    return "\n".join(wrap(heading, max(width, _LEAST_HEAD), break_long_words=False)) or " "


_LEAST_HEAD = 8
_DISPLAY = r"{\allowdisplaybreaks"  # see `formula_tables._OPENING`, which would load sympy


def _latex_lines(text: str) -> str:
    return stacked_latex([escape_latex(line) for line in text.split("\n")])


# -- data -----------------------------------------------------------------------------------


def as_csv(keys: Sequence[str], records: Iterable[Mapping[str, Cell]]) -> str:
    """Header and rows, RFC 4180 quoting, lines ended by a newline.

    A text that a spreadsheet would run (`=1+1`, `@sum`) has an apostrophe before it.
    """
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(keys)
    writer.writerows([_csv_cell(record[key]) for key in keys] for record in records)
    return target.getvalue()


_RUN = re.compile(r"[=@+\-\t\r]")
"""How a cell begins that a spreadsheet takes for a formula, unless it is a number."""


def _csv_cell(cell: Cell) -> str:
    if isinstance(cell, bool):
        return str(cell).lower()
    text = cell_text(cell)
    first = cell
    while isinstance(first, tuple) and first:
        first = first[0]
    is_sign = text in ("+", "-")  # a direction, which no spreadsheet runs
    is_run = isinstance(first, str) and _RUN.match(text) and not _DIGITS.fullmatch(text)
    return f"'{text}" if is_run and not is_sign else text


def as_json(records: Sequence[Mapping[str, Cell]]) -> str:
    """A list of records, one to a line."""
    lines = [json.dumps(json_value(dict(record)), ensure_ascii=False) for record in records]
    return "[\n" + ",\n".join(f"  {line}" for line in lines) + "\n]\n" if lines else "[]\n"


def json_value(value: Any) -> Any:
    """A value as JSON holds it: exact decimals as numbers, other ratios as text."""
    if isinstance(value, dict):
        return {key: json_value(cell) for key, cell in value.items()}
    if isinstance(value, (tuple, list)):
        return [json_value(part) for part in value]
    if isinstance(value, Fraction):
        decimal = finite_decimal(value)
        return str(value) if decimal is None else decimal
    return value
