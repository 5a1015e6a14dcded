"""Records, and the `Table` that shows them: one value, every way to write it.

    format      for whom                    what it shows
    table       a terminal                  columns, facts, legend and notes; as wide as asked for
    markdown    a README, an issue          the same
    latex       a paper                     the same, see `latex`
    csv         a spreadsheet, pandas       the records, facts first; one header line
    json        a program                   the records, with stable keys

A record maps keys of `quantities` to values. Numbers stay exact: an integer is written with all
its digits, and a `Fraction` as a decimal where it has a finite one (3/10 is 0.3), else as "1/3" -
in JSON a number in the first case, a string in the second. A sequence of numbers is a JSON list,
and "1 2 4" elsewhere.

The records of an answer end with `read_as`, how its input was read, and `notes`, a list of
sentences on which its numbers rest: an ignored column, a rounded volume, messages not sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError, printable
from lccmodel.ground.words import FORMATS as FORMATS
from lccmodel.ground.words import Format as Format
from lccmodel.ground.words import word_rule
from lccmodel.show import writers
from lccmodel.show.numbers import Cell, plain
from lccmodel.show.quantities import QUANTITIES, Column, Fact, Quantity, named, quantity

if TYPE_CHECKING:
    import pandas as pd

Record = Mapping[str, Any]
"""Values by the keys of their quantities."""
Facts = Mapping[str, Any] | Sequence[Fact]
"""What holds for every record: by key, or in pairs where a quantity has a heading of its own."""

SUFFIXES: dict[str, Format] = {
    ".txt": "table",
    ".md": "markdown",
    ".markdown": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".json": "json",
}
"""The format that the name of a file asks for."""


_STATED = ("catalog", "equations", "grid")
"""How `read_as` begins for words, which mean one thing: people need not read how they were read."""

ASSUMED = "Assumed "
"""How a note begins that people read above the title, before they read a result."""

MAX_SHOWN = 200
"""Most rows of a table that a notebook shows."""


@dataclass(frozen=True, slots=True, repr=False)
class Table:
    """Records under a title, the columns that people see, facts, a legend and notes.

    Args:
        title: one line.
        columns: at least one: keys of the dictionary, or quantities of one's own; all distinct.
        rows: records with the same keys, or sequences of cells in the order of the columns. What a
            record has beyond the columns is data: it is in CSV and JSON alone.
        facts: people see them once, above the rows; in CSV and JSON every record carries them, so
            that files can be put together. A fact without a value is data alone.
        legend: sentences below the table that explain its headings; people alone see them.
        keys: the keys of rows given as sequences; those of the columns if left out.
        notes: sentences on which the numbers rest; they are in every record.
        read_as: how the input was read, "" if it was given as a value; None if the table is no
            answer, and then its records have `notes` only where there are some.

    Raises:
        InputError: an unknown key, one used twice, a row without a cell, a value that is not plain
            or not finite.

    >>> table = Table("Sizes", ["n", "communication"], [{"n": 8, "communication": "bit-reverse"}])
    >>> table.records()
    [{'n': 8, 'communication': 'bit-reverse'}]
    >>> print(table.render("csv"), end="")
    n,communication
    8,bit-reverse
    """

    title: str
    columns: tuple[Quantity, ...]
    rows: tuple[tuple[Cell, ...], ...]
    facts: tuple[tuple[Quantity, Cell], ...]
    legend: tuple[str, ...]
    keys: tuple[str, ...]
    notes: tuple[str, ...]
    read_as: str | None

    def __init__(
        self,
        title: str,
        columns: Sequence[Column],
        rows: Iterable[Record | Sequence[Any]],
        facts: Facts = (),
        legend: Sequence[str] = (),
        keys: Sequence[str] = (),
        *,
        notes: Sequence[str] = (),
        read_as: str | None = None,
    ) -> None:
        heads = tuple(map(quantity, columns))
        listed = list(rows)
        names = tuple(keys) or _keys(heads, listed)
        pairs = facts.items() if isinstance(facts, Mapping) else facts
        known = tuple((quantity(key), plain(value)) for key, value in pairs)
        every = [*names, *(fact.key for fact, _ in known)]
        if not heads or len(set(every)) != len(every):
            raise InputError("columns", "must be at least one, with distinct keys", every)
        values: dict[str, Any] = {
            "title": printable(title),
            "columns": heads,
            "rows": tuple(_row(names, row) for row in listed),
            "facts": known,
            "legend": tuple(map(printable, dict.fromkeys(legend))),
            "keys": names,
            "notes": tuple(map(printable, dict.fromkeys(notes))),
            "read_as": None if read_as is None else printable(read_as),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<Table {self.title!r}: {len(self.rows)} rows, {len(self.columns)} columns>"

    def __str__(self) -> str:
        return self.render().rstrip("\n")

    def records(self) -> list[dict[str, Cell]]:
        """One dictionary a row, facts first, with the exact values; `notes` at its end."""
        shared, rows = self._data()
        notes = self._notes()
        return [shared | row | notes for row in rows]

    def to_dict(self) -> dict[str, Any]:
        """The facts, and under `rows` a dictionary for each row; values that JSON can hold."""
        shared, rows = self._data()
        document: dict[str, Any] = writers.json_value({**shared, **self._notes(), "rows": rows})
        return document

    def to_dataframe(self) -> pd.DataFrame:
        """The records as a data frame of pandas, which has to be installed.

        Raises:
            InputError: pandas is missing.
        """
        try:
            import pandas as pd
        except ImportError:
            rule = "needs pandas: pip install 'lccmodel[pandas]'"
            raise InputError("to_dataframe", rule, "not installed") from None
        return pd.DataFrame.from_records(self.records())

    def sheet(self) -> writers.Sheet:
        """What people see."""
        places = [self.keys.index(column.key) for column in self.columns]
        rows = tuple(tuple(row[k] for k in places) for row in self.rows)
        shown = [pair for pair in self.facts if pair[0].audience != "data" and pair[1] is not None]
        parts = (self.read_as or "").split("; ")
        recognised = "; ".join(part for part in parts if not part.startswith(_STATED))
        read_as = [f"Read as {recognised}."] if recognised else []
        assumed = [note for note in self.notes if note.startswith(ASSUMED)]
        resting = tuple(note for note in self.notes if note not in assumed)
        sentences = (*self.legend, *read_as, *resting)
        lead = " ".join(assumed)
        return writers.Sheet(self.title, self.columns, rows, tuple(shown), sentences, lead, resting)

    def render(self, form: Format = "table", *, width: int = 100) -> str:
        """The table as text that ends in a newline.

        Args:
            form: one of `FORMATS`.
            width: characters to a line, for "table" only.

        Raises:
            InputError: an unknown format.
        """
        if form == "table":
            return writers.as_text(self.sheet(), width)
        if form == "markdown":
            return writers.as_markdown(self.sheet())
        if form == "latex":
            return writers.as_latex(self.sheet())
        if form == "json":
            return writers.as_json(self.records())
        if form == "csv":
            facts = [fact.key for fact, _ in self.facts if fact.audience != "people"]
            return writers.as_csv([*facts, *self._data_keys(), *self._notes()], self.records())
        raise InputError("format", word_rule(form, FORMATS), form)

    def write(self, path: str | Path, form: Format | None = None) -> None:
        """Write the table to a file, which is replaced atomically.

        Args:
            path: the file; its folder has to exist.
            form: one of `FORMATS`; by the suffix of the file if left out.

        Raises:
            InputError: an unknown format or suffix.
        """
        write_tables(path, [self], form)

    def _data(self) -> tuple[dict[str, Cell], list[dict[str, Cell]]]:
        """What is data of the facts, and of every row."""
        shared = {fact.key: cell for fact, cell in self.facts if fact.audience != "people"}
        kept = self._data_keys()
        rows = (zip(self.keys, row, strict=True) for row in self.rows)
        return shared, [{key: cell for key, cell in row if key in kept} for row in rows]

    def _notes(self) -> dict[str, Cell]:
        """How the input was read and what the numbers rest on, for every record."""
        if self.read_as is None:
            return {"notes": self.notes} if self.notes else {}
        return {"read_as": self.read_as, "notes": self.notes}

    def _data_keys(self) -> list[str]:
        """The keys of the rows that records have."""
        meant = {**QUANTITIES, **{column.key: column for column in self.columns}}
        return [k for k in self.keys if k not in meant or meant[k].audience != "people"]

    def _repr_html_(self) -> str:
        sheet, count = self.sheet(), len(self.rows)
        if count > MAX_SHOWN:
            note = f"{MAX_SHOWN:,} of {count:,} rows; records() and to_dataframe() have all."
            sheet = sheet._replace(rows=sheet.rows[:MAX_SHOWN], notes=(*sheet.notes, note))
        return writers.as_html(sheet)


def _keys(columns: tuple[Quantity, ...], rows: Sequence[Any]) -> tuple[str, ...]:
    if rows and isinstance(rows[0], Mapping):
        return tuple(rows[0])
    return tuple(column.key for column in columns)


def _row(keys: tuple[str, ...], row: Record | Sequence[Any]) -> tuple[Cell, ...]:
    if isinstance(row, Mapping):
        if set(row) != set(keys):
            raise InputError("rows", f"must have the keys {', '.join(keys)}", list(row))
        return tuple(plain(row[key]) for key in keys)
    if len(row) != len(keys):
        raise InputError("rows", f"must have {len(keys)} cells each", row)
    return tuple(map(plain, row))


def keyed_table(
    title: str,
    records: Iterable[Record],
    facts: Facts = (),
    heads: Mapping[str, Any] = MappingProxyType({}),
    legend: Sequence[str] = (),
    hidden: Sequence[str] = (),
    *,
    keys: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Table:
    """A table whose columns are the keys of its records in their order.

    Args:
        title, facts, legend, notes: as for `Table`.
        records: with the same keys.
        heads: what a key of a record or fact is called here, or its quantity; of the others the
            dictionary says it, or the key itself.
        hidden: keys of records that are data alone.
        keys: those of the records, if there may be none.

    >>> keyed_table("Sizes", [{"n": 8, "half": 4}], heads={"n": "bits"}).columns[0].heading
    'bits'
    """

    def column(key: Column) -> Column:
        if isinstance(key, Quantity):
            return key
        head = heads.get(key, "")
        if isinstance(head, Quantity):
            return head
        if key not in QUANTITIES:
            return Quantity(key, head)
        return named(key, head) if head else key

    rows = list(records)
    columns = [column(key) for key in (rows[0] if rows else keys) if key not in hidden]
    pairs = facts.items() if isinstance(facts, Mapping) else facts
    known = [(column(key), value) for key, value in pairs]
    return Table(title, columns, rows, known, legend, notes=notes)


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


def write_tables(
    path: str | Path, tables: Sequence[Table], form: Format | None = None, *, label: str = ""
) -> None:
    """Write tables one after the other into a file, which is replaced atomically.

    Args:
        path: the file.
        tables: one for CSV and JSON.
        form: by default as the suffix says.
        label: as for `render_all`.

    Raises:
        InputError: an unknown format or suffix, or several tables as CSV or JSON.
    """
    from lccmodel.ground.files import write_atomically

    chosen = form if form is not None else format_of(path)
    if len(tables) != 1 and chosen in ("csv", "json"):
        raise InputError("tables", f"a {chosen} file holds one table", len(tables))
    write_atomically(path, render_all(tables, chosen, label=label))


def render_all(tables: Sequence[Table], form: Format, *, width: int = 100, label: str = "") -> str:
    """Several tables as one text; all labels of LaTeX differ, or are those of the author.

    >>> table = Table("Sizes", ["n"], [{"n": 8}])
    >>> r"\\label{mine}" in render_all([table], "latex", label="mine")
    True
    """
    text = "\n".join(table.render(form, width=width) for table in tables)
    if form == "latex" and label:
        from lccmodel.show.latex import with_label

        return with_label(text, label)
    if form == "latex" and len(tables) > 1:
        from lccmodel.show.latex import distinct_labels

        return distinct_labels(text)
    return text
