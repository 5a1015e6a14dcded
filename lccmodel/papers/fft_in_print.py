"""Tables 1 and 2 of [hou] in the shape of the print: a simulated line under every printed one.

The same values with a row for every part are in `wormhole_tables`; this module only sets them
side by side, and counts how many agree.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from lccmodel.network import Hypercube
from lccmodel.papers.fft_tables import ADAPTIVE, POINTS, fft_speedup_table, times_table
from lccmodel.routing.cubes import RECONSTRUCTED
from lccmodel.show.numbers import Cell
from lccmodel.show.quantities import Quantity, named
from lccmodel.show.records import Table
from lccmodel.wormhole.printed import NAMES

Sizes = tuple[int, ...]
TIES = 100
"""Seeds of random ties that are tried."""

_FACTS = {"network": Hypercube(8).spec}
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


_HEAD = (named("points", "points", form=_power), Quantity("line", " "))


@cache
def times_parts(points: Sizes = POINTS, ties: int = TIES) -> Table:
    """`times_table` with this many seeds of random ties."""
    return times_table(points, seeds=range(ties))


@cache
def speedup_parts(points: Sizes = POINTS) -> Table:
    """`fft_speedup_table`."""
    return fft_speedup_table(points)


def times_in_print(points: Sizes = POINTS, ties: int = TIES) -> Table:
    """[hou, Table 1] as printed, and under each line as simulated.

    Args:
        points: sizes that the paper has.
        ties: seeds of random ties that are tried for the adaptive columns.

    Raises:
        InputError: as `parallel_fft`.
    """
    made = times_parts(points, ties)
    rebuilt = [rule.name for rule in RECONSTRUCTED if rule.name in NAMES]
    rows = _lines(made, _COLUMNS_1, {"printed": "printed", "simulated": "time"})
    columns = [*_HEAD, *(Quantity(name, name) for name in _COLUMNS_1)]
    notes = [
        "Microseconds. The columns from e-cube on are times of the bit reversal. "
        + _agreement(made),
        "e-cube and map come out the same under every tie rule. " + _ties_said(made),
        f"Reconstructed, as [hou] only cites them: {', '.join(rebuilt)}; other rules fit as well.",
    ]
    return Table("The parallel FFT, printed and simulated (Table 1)", columns, rows, _FACTS, notes)


def cycles_in_print(points: Sizes = POINTS, ties: int = TIES) -> Table:
    """The whole numbers of cycles behind [hou, Table 1]; arguments as for `times_in_print`."""
    parts = _COLUMNS_1[1:]
    made = times_parts(points, ties)
    rows = _lines(made, parts, {"printed": "cycles_printed", "simulated": "cycles"})
    columns = [*_HEAD, *(Quantity(name, name) for name in parts)]
    note = (
        "printed: the only whole number of cycles that gives the printed time, at 164 µs for a "
        "message and 0.57 µs for a cycle; neighbours adds up its eight exchanges."
    )
    return Table("Cycles behind the times of Table 1", columns, rows, _FACTS, [note])


def speedup_in_print(points: Sizes = POINTS) -> Table:
    """[hou, Table 2] as printed, and under each line as simulated.

    >>> speedup_in_print((256,)).rows[1]
    (256, 'simulated', '35.8', '1398.6', '248.9', '178.8', '1.39', '1683.3', '1613.2', '1.04')
    """
    made = speedup_parts(points)
    rows = _lines(made, _COLUMNS_2, {"printed": "printed", "simulated": "time"})
    keys = {part: part.replace(", ", "_").replace(" ", "_") for part in _COLUMNS_2}
    heads = [Quantity(keys[part], name) for part, name in _COLUMNS_2.items()]
    note = f"Microseconds and ratios; mapped: after the optimal reordering. {_agreement(made)}"
    return Table(
        "What the mapping gains, printed and simulated (Table 2)",
        [*_HEAD, *heads],
        rows,
        _FACTS,
        [note],
    )


def _lines(made: Table, parts: Iterable[str], lines: dict[str, str]) -> list[list[Any]]:
    """For every size a row for each of `lines`, name -> key, with a cell for every part."""
    found = {(row["points"], row["part"]): row for row in made.records()}
    columns = tuple(parts)
    return [
        [size, name, *(found[size, part][key] for part in columns)]
        for size in dict.fromkeys(size for size, _ in found)
        for name, key in lines.items()
    ]


def _agreement(made: Table) -> str:
    """How many simulated values equal the print, and which do not."""
    compared = [row for row in made.records() if row["equal"] is not None]
    wrong = [row for row in compared if not row["equal"]]
    said = f"{len(compared) - len(wrong)} of {len(compared)} simulated values equal the print"
    off = []
    for part in dict.fromkeys(row["part"] for row in wrong):
        sizes = ", ".join(_power(row["points"]) for row in wrong if row["part"] == part)
        off.append(f"{part} at {sizes}")
    return f"{said} to the last digit" + (f"; not {'; '.join(off)}." if off else ".")


def _ties_said(made: Table) -> str:
    """The tie rules behind the adaptive columns."""
    said = []
    for part in ADAPTIVE:
        rules = {row["points"]: row["tie"] for row in made.records() if row["part"] == part}
        if len(set(rules.values())) == 1:
            said.append(f"{part}: {next(iter(rules.values()))}")
        else:
            each = "; ".join(f"{rule} at {_power(size)}" for size, rule in rules.items())
            said.append(f"{part}: {each}")
    return f"The tie rule that comes nearest to the print is shown. {'. '.join(said)}."
