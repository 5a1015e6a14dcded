"""Tables of the parallel FFT in the layout of [hou, Tables 1 and 2]: a line for every size.

The tables of `fft_tables` have a row for every part of every size. Here the parts are columns. If
the paper has a size, its line is above the simulated one. Other parameters have simulated lines
only, and nothing refers to the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lccmodel.papers.fft_tables import ADAPTIVE, RULES_SAID
from lccmodel.show.numbers import Cell
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table
from lccmodel.wormhole.published import NAMES

_COLUMNS_1 = ("computation", "neighbours", *NAMES)
_COLUMNS_2 = {
    "computation": "computation",
    "neighbours": "neighbours",
    "bit reversal, original": "bit reversal",
    "bit reversal, mapping": "mapped",
    "bit reversal, speedup": "speedup",
    "execution, original": "execution",
    "execution, mapping": "mapped",
    "execution, speedup": "speedup",
}


def _power(cell: Cell) -> str:
    """Points as a power of two.

    >>> _power(1024)
    '2^10'
    """
    return f"2^{cell.bit_length() - 1}" if isinstance(cell, int) else ""


_POINTS, _LINE = named("points", "points", form=_power), Quantity("line", " ")


def as_table_1(made: Table) -> Table:
    """`times_table` in the layout of [hou, Table 1].

    Args:
        made: from `times_table`.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.papers.fft_tables import times_table
    >>> own = as_table_1(times_table([64], Hypercube(4), seeds=[1]))
    >>> [column.heading for column in own.columns][:4]
    ['points', 'computation', 'neighbours', 'e-cube']
    """
    parts = {row["part"] for row in made.records()}
    heads: dict[str, Column] = {name: Quantity(name, name) for name in _COLUMNS_1 if name in parts}
    notes = ["Microseconds. The columns from e-cube on are times of the bit reversal."]
    lines, title = {"simulated": "time"}, "The parallel FFT by routing function"
    if _is_compared(made):
        lines = {"printed": "printed"} | lines
        title = "The parallel FFT, printed and simulated (Table 1)"
        notes = [
            f"{notes[0]} {_agreement(made)}",
            "e-cube and map come out the same under every tie rule. " + _ties_said(made),
        ]
    elif parts & set(ADAPTIVE):
        notes.append(_ties_said(made))
    notes += [note for note in made.legend if note in RULES_SAID]
    return _laid_out(made, title, heads, lines, notes)


def cycles_as_table_1(made: Table) -> Table:
    """The whole numbers of cycles behind [hou, Table 1]; made by `times_table` for its sizes."""
    heads: dict[str, Column] = {name: Quantity(name, name) for name in _COLUMNS_1[1:]}
    note = (
        "printed: the only whole number of cycles that gives the printed time, at 164 µs for a "
        "message and 0.57 µs for a cycle; neighbours adds up its eight exchanges."
    )
    lines = {"printed": "cycles_printed", "simulated": "cycles"}
    return _laid_out(made, "Cycles behind the times of Table 1", heads, lines, [note])


def as_table_2(made: Table) -> Table:
    """`fft_speedup_table` in the layout of [hou, Table 2].

    Args:
        made: from `fft_speedup_table`.
    """
    heads: dict[str, Column] = {
        part: Quantity(part.replace(", ", "_").replace(" ", "_"), name)
        for part, name in _COLUMNS_2.items()
    }
    note = "Microseconds and ratios; mapped: after the optimal reordering."
    if not _is_compared(made):
        title = "Speedup of the parallel FFT by the mapping"
        return _laid_out(made, title, heads, {"simulated": "time"}, [note])
    title = "What the mapping gains, printed and simulated (Table 2)"
    lines = {"printed": "printed", "simulated": "time"}
    return _laid_out(made, title, heads, lines, [f"{note} {_agreement(made)}"])


def _laid_out(
    made: Table,
    title: str,
    heads: Mapping[str, Column],
    lines: Mapping[str, str],
    notes: Iterable[str],
) -> Table:
    """For every size a row for each of `lines`, name -> key, with a cell for every part.

    Lines without a value are left out; the names of lines are a column if there are several.
    """
    by_part = {(row["points"], row["part"]): row for row in made.records()}
    rows: list[list[Any]] = []
    for size in dict.fromkeys(size for size, _ in by_part):
        for name, key in lines.items():
            cells = [by_part[size, part][key] for part in heads]
            if any(cell is not None for cell in cells):
                rows.append([size, *([name] if len(lines) > 1 else []), *cells])
    columns = [_POINTS, *([_LINE] if len(lines) > 1 else []), *heads.values()]
    return Table(
        title, columns, rows, made.facts[:1] if _is_compared(made) else made.facts, list(notes)
    )


def _is_compared(made: Table) -> bool:
    """Whether the paper has any of the values."""
    return any(row["equal"] is not None for row in made.records())


def _agreement(made: Table) -> str:
    """How many simulated values equal the print, and which do not."""
    compared = [row for row in made.records() if row["equal"] is not None]
    wrong = [row for row in compared if not row["equal"]]
    agreement = f"{len(compared) - len(wrong)} of {len(compared)} simulated values equal the print"
    off = []
    for part in dict.fromkeys(row["part"] for row in wrong):
        sizes = ", ".join(_power(row["points"]) for row in wrong if row["part"] == part)
        off.append(f"{part} at {sizes}")
    return f"{agreement} to the last digit" + (f"; not {'; '.join(off)}." if off else ".")


def _ties_said(made: Table) -> str:
    """The tie rules behind the adaptive columns."""
    clauses = []
    for part in ADAPTIVE:
        rules = {row["points"]: row["tie"] for row in made.records() if row["part"] == part}
        if len(set(rules.values())) == 1:
            clauses.append(f"{part}: {next(iter(rules.values()))}")
        else:
            each = "; ".join(f"{rule} at {_power(size)}" for size, rule in rules.items())
            clauses.append(f"{part}: {each}")
    rule = (
        "The tie rule that comes nearest to the print is shown"
        if _is_compared(made)
        else "Ties of headers that arrive together"
    )
    return f"{rule}. {'. '.join(clauses)}."
