"""Tables as values: one `Table`, five ways to write it.

    format      for whom                    how a cell is written
    table       a terminal                  as text; as wide as asked for
    markdown    a README, an issue          as text
    latex       a paper                     as text or mathematics, booktabs rules
    csv         a spreadsheet, pandas       plain; one header line
    json        a program                   list of records with stable keys

Numbers stay exact: an integer is written with all its digits, and a `Fraction` as a decimal where
it has a finite one (3/10 is 0.3), else as "1/3" - in JSON a number in the first case, a string in
the second. A sequence of numbers is a JSON list, and "1 2 4" elsewhere.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from lccmodel.errors import InputError

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Audience",
    "Cell",
    "Column",
    "Format",
    "Table",
    "cell_text",
    "format_of",
    "grouped",
    "render",
    "write_tables",
]

Format = Literal["table", "markdown", "latex", "csv", "json"]
Audience = Literal["all", "people", "data"]
Cell = str | bool | int | float | Fraction | tuple[Any, ...] | None
"""A tuple holds numbers, strings or tuples of them."""

FORMATS: tuple[Format, ...] = ("table", "markdown", "latex", "csv", "json")

SUFFIXES: dict[str, Format] = {
    ".txt": "table",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
}
"""The format that the name of a file asks for."""


def cell_text(cell: Cell) -> str:
    """A cell as text.

    >>> [cell_text(cell) for cell in (True, 12, Fraction(3, 10), Fraction(1, 3), (1, 2, 4))]
    ['yes', '12', '0.3', '1/3', '1 2 4']
    >>> cell_text(((0, 1), (1, 0)))
    '0 1; 1 0'
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Fraction):
        decimal = finite_decimal(cell)
        return str(cell) if decimal is None else repr(decimal)
    if isinstance(cell, tuple):
        nested = any(isinstance(part, tuple) for part in cell)
        return ("; " if nested else " ").join(map(cell_text, cell))
    return str(cell)


def grouped(cell: Cell) -> str:
    """A large count as text, digits in groups of three.

    >>> grouped(1234567)
    '1,234,567'
    """
    return f"{cell:,}" if isinstance(cell, int) else cell_text(cell)


def finite_decimal(value: Fraction) -> float | None:
    """The float that prints as exactly this value, if there is one.

    >>> finite_decimal(Fraction(3, 10)), finite_decimal(Fraction(1, 3))
    (0.3, None)
    """
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if Fraction(repr(number)) == value else None


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, or the name of a fact about all of it.

    Attributes:
        key: its name in JSON and CSV; a word that stays the same between versions.
        heading: its name for people.
        right: whether numbers are lined up on the right.
        text: how people read a cell.
        latex_heading, latex: heading and cell as LaTeX; the escaped text if left out.
        audience: "people" leaves the column out of CSV and JSON, "data" out of the others.
    """

    key: str
    heading: str
    right: bool = False
    text: Callable[[Cell], str] = cell_text
    latex_heading: str = ""
    latex: Callable[[Cell], str] | None = None
    audience: Audience = "all"

    def is_for(self, audience: Audience) -> bool:
        """Whether the column is shown to "people", or to programs ("data")."""
        return self.audience in ("all", audience)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: title, columns, rows, facts that hold for every row, and notes for people.

    Args:
        title: one line.
        columns: at least one; keys are distinct, those of the facts included.
        rows: sequences of cells, one a column; kept as tuples of plain Python values.
        facts: pairs of a `Column` and a cell. People see them once, above the rows; in CSV and
            JSON every record carries them, so that files can be put together.
        notes: sentences below the table.

    Raises:
        InputError: a row of another length, a key used twice, a float that is not finite.

    >>> size = Column("n", "n", right=True)
    >>> table = Table("Sizes", [size, Column("name", "name")], [[8, "bit-reverse"]])
    >>> table.records()
    [{'n': 8, 'name': 'bit-reverse'}]
    >>> print(table.render("csv"), end="")
    n,name
    8,bit-reverse
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    facts: tuple[tuple[Column, Cell], ...] = ()
    notes: tuple[str, ...] = ()

    def __init__(
        self,
        title: str,
        columns: Sequence[Column],
        rows: Sequence[Sequence[Any]],
        facts: Sequence[tuple[Column, Any]] = (),
        notes: Sequence[str] = (),
    ) -> None:
        heads = tuple(columns)
        keys = [column.key for column in (*heads, *(column for column, _ in facts))]
        if not heads or len(set(keys)) != len(keys):
            raise InputError("columns", "must be at least one, with distinct keys", keys)
        for row in rows:
            if len(row) != len(heads):
                raise InputError("rows", f"must have {len(heads)} cells each", row)
        values: dict[str, Any] = {
            "title": title,
            "columns": heads,
            "rows": tuple(tuple(_plain(cell) for cell in row) for row in rows),
            "facts": tuple((column, _plain(cell)) for column, cell in facts),
            "notes": tuple(notes),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def records(self) -> list[dict[str, Cell]]:
        """One dictionary a row, facts first, with the exact values."""
        shared = {column.key: cell for column, cell in self.facts if column.is_for("data")}
        return [
            shared
            | {
                column.key: cell
                for column, cell in zip(self.columns, row, strict=True)
                if column.is_for("data")
            }
            for row in self.rows
        ]

    def render(self, form: Format = "table") -> str:
        """The table as text that ends in a newline; see `render`."""
        return render(self, form)

    def write(self, path: str | Path, form: Format | None = None) -> None:
        """Write the table to a file, which is replaced atomically.

        Args:
            path: the file; its folder has to exist.
            form: one of `FORMATS`; by the suffix of the file if left out.

        Raises:
            InputError: an unknown format or suffix.
        """
        write_tables(path, [self], form)

    def _repr_html_(self) -> str:
        from lccmodel.show.formats import as_html

        return as_html(self)


def render(table: Table, form: Format = "table", *, width: int = 100) -> str:
    """A table as text that ends in a newline.

    Args:
        table: the table.
        form: one of `FORMATS`.
        width: characters to a line, for "table" only.

    Raises:
        InputError: an unknown format.
    """
    from lccmodel.show import formats

    if form not in FORMATS:
        raise InputError("format", f"must be one of {', '.join(FORMATS)}", form)
    if form == "table":
        return formats.as_text(table, width)
    writers: dict[str, Callable[[Table], str]] = {
        "markdown": formats.as_markdown,
        "latex": formats.as_latex,
        "csv": formats.as_csv,
        "json": formats.as_json,
    }
    return writers[form](table)


def format_of(path: str | Path) -> Format:
    """The format that the suffix of a file asks for.

    Raises:
        InputError: the suffix is not in `SUFFIXES`.

    >>> format_of("out/loads.tex")
    'latex'
    """
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        rule = f"must end in {', '.join(SUFFIXES)}, unless the format is stated"
        raise InputError("output file", rule, str(path))
    return SUFFIXES[suffix]


def write_tables(path: str | Path, tables: Sequence[Table], form: Format | None = None) -> None:
    """Write tables one after the other into a file, which is replaced atomically.

    Raises:
        InputError: an unknown format or suffix, or several tables as CSV or JSON.
    """
    from lccmodel.files import write_atomically

    chosen = form if form is not None else format_of(path)
    if len(tables) != 1 and chosen in ("csv", "json"):
        raise InputError("tables", f"a {chosen} file holds one table", len(tables))
    write_atomically(path, "\n".join(render(table, chosen) for table in tables))


def _plain(cell: Any) -> Cell:
    """The cell as a plain Python value: no numpy scalars, no lists, no whole fractions."""
    if cell is None or isinstance(cell, (str, bool)):
        return cell
    if isinstance(cell, Fraction):
        return int(cell) if cell.denominator == 1 else cell
    if isinstance(cell, float):
        if not math.isfinite(cell):
            raise InputError("cell", "must be a finite number", cell)
        return float(cell)
    if isinstance(cell, (tuple, list)):
        return tuple(_plain(part) for part in cell)
    try:
        return operator.index(cell)
    except TypeError:
        rule = "must be a string, a number, None or a sequence of them"
        raise InputError("cell", rule, cell) from None
