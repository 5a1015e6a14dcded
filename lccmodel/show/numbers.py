"""One way to write a value: exactly, or for people by a short form such as "," or ".2f".

    ""       exactly as it is: 12, 0.3, 1/3, yes, "1 2 4"
    ","      counts with digits in groups of three, one or a tuple of them
    ".2f"    so many decimals; "±.2f" with the sign before it
    "~"      measured and computed values: all digits up to 10^12 if whole, else about five
    "%"      a share in per cent; "+%" how much more than the best, nothing for the best itself

Numbers stay exact until they are written: integers are Python's, ratios are `Fraction`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

from lccmodel.errors import InputError, printable
from lccmodel.ground.numbers import as_fraction, as_number, number_text
from lccmodel.placement.notes import runs_text
from lccmodel.show.latex import escape_latex, stacked_latex

Cell = str | bool | int | float | Fraction | tuple[Any, ...] | None
"""A tuple holds numbers, strings or tuples of them."""

CellForm = str | Callable[[Cell], str]
"""One of the forms above, or a function of its own where a cell is not a number."""

_LARGE = 10**12
_LONG_TEXT = 12


def cell_text(cell: Cell) -> str:
    """A cell exactly, as text.

    >>> [cell_text(cell) for cell in (True, 12, Fraction(3, 10), Fraction(1, 3), (1, 2, 4))]
    ['yes', '12', '0.3', '1/3', '1 2 4']
    >>> cell_text(((0, 1), (1, 0))), cell_text(("a column is ignored", "b too"))
    ('0 1; 1 0', 'a column is ignored; b too')
    """
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, Fraction):
        decimal = finite_decimal(cell)
        return str(cell) if decimal is None else repr(decimal)
    if isinstance(cell, tuple):
        nested = any(isinstance(p, tuple) or (isinstance(p, str) and " " in p) for p in cell)
        return ("; " if nested else " ").join(map(cell_text, cell))
    return str(cell)


def grouped(cell: Cell) -> str:
    """A large count as text, digits in groups of three.

    >>> grouped(1234567)
    '1,234,567'
    """
    return written(cell, ",")


def written(cell: Cell, form: CellForm = "") -> str:
    """A cell for people.

    Args:
        cell: the value; words, sequences, truth values and None are written as they are.
        form: see the head of this module.

    >>> written(240_000, ","), written((1024, 0), ",")
    ('240,000', '1,024 0')
    >>> written(Fraction(1000, 3), "~"), written(0.25, ".3f"), written(0.02, "±.1f")
    ('333.33', '0.250', '± 0.0')
    >>> written(10**400, "~"), written(Fraction(10**400, 7), ".3g")
    ('1e+400', '1.43e+399')
    >>> written(Fraction(1, 8), "%"), written(Fraction(1, 8), "+%"), written(0, "+%")
    ('12.5 %', '+12.50 %', '')
    """
    if callable(form):
        return form(cell)
    if form == "," and isinstance(cell, tuple):
        return " ".join(written(part, ",") for part in cell)
    if not form or isinstance(cell, bool) or not isinstance(cell, (int, float, Fraction)):
        return cell_text(cell)
    if form == ",":
        return number_text(cell) if isinstance(cell, int) or _is_long(cell) else cell_text(cell)
    if form == "~":
        return _rounded(cell)
    if form in ("%", "+%"):
        return _per_cent(100 * _real(cell), more=form == "+%")
    sign, digits = ("± ", form[1:]) if form.startswith("±") else ("", form)
    return f"{sign}{_real(cell):{digits}}"


def _is_long(cell: Cell) -> bool:
    """Whether a fraction is one to read as a decimal, about."""
    return isinstance(cell, Fraction) and len(cell_text(cell)) > _LONG_TEXT


def _real(cell: int | float | Fraction) -> Any:
    """A number that formats take: a float, or a Decimal beyond the largest float."""
    try:
        return float(cell)
    except OverflowError:
        exact = Fraction(cell)
        return (Decimal(exact.numerator) / Decimal(exact.denominator)).normalize()


def _rounded(cell: int | float | Fraction) -> str:
    if isinstance(cell, int) and abs(cell) < _LARGE:
        return f"{cell:,}"
    value = _real(cell)
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    return f"{value:,.2f}" if abs(value) >= 100 else f"{value:.5g}"


def _per_cent(share: Any, *, more: bool) -> str:
    if not more:
        return f"{share:.1f} %"
    if not share:
        return ""
    return f"+{share:.2f} %" if share >= 0.005 else "< 0.01 %"


def finite_decimal(value: Fraction) -> float | None:
    """The float that prints as exactly this value, if there is one.

    >>> finite_decimal(Fraction(3, 10)), finite_decimal(Fraction(1, 3))
    (0.3, None)
    """
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if as_fraction(number) == value else None


def plain(cell: Any) -> Cell:
    """The cell as a plain Python value: no numpy scalars, no lists, no whole fractions.

    Texts are printable: whatever a terminal or a page would obey is shown.

    Raises:
        InputError: a float that is not finite, or a value of another type.
    """
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, str):
        return printable(cell)
    if isinstance(cell, Fraction):
        return as_number(cell)
    if isinstance(cell, float):
        if not math.isfinite(cell):
            raise InputError("cell", "must be a finite number", cell)
        return float(cell)
    if isinstance(cell, (tuple, list)):
        return tuple(plain(part) for part in cell)
    try:
        return operator.index(cell)
    except TypeError:
        rule = "must be a string, a number, None or a sequence of them"
        raise InputError("cell", rule, cell) from None


# -- texts and LaTeX of cells of one kind ------------------------------------------------------


_SYMBOL = re.compile(r"([xy])(\d+)")


def equations_latex(cell: Cell) -> str:
    r"""Equations as mathematics, one a line.

    >>> equations_latex("y0 = x12 + 1")
    '$y_{0} = x_{12} + 1$'
    """
    lines = [_SYMBOL.sub(r"\1_{\2}", escape_latex(line)) for line in cell_text(cell).split("\n")]
    return stacked_latex([f"${line}$" for line in lines])


def found_latex(cell: Cell) -> str:
    """Equations, or the sentence that says why there are none."""
    text = cell_text(cell)
    return equations_latex(cell) if text.startswith(("x0 =", "y0 =")) else escape_latex(text)


_OBJECTIVES = {
    "max-max": "max-max (the busiest channel, the communications one at a time)",
    "max-sum": "max-sum (the busiest dimension, the communications at the same time)",
    "sum-sum": "sum-sum (the busiest channels of all dimensions, added up)",
}


def objective_text(cell: Cell) -> str:
    """An objective with what it means.

    >>> objective_text("sum-sum")
    'sum-sum (the busiest channels of all dimensions, added up)'
    """
    return _OBJECTIVES.get(str(cell), cell_text(cell))


def proof_text(cell: Cell) -> str:
    """What proves an optimum, or that nothing does."""
    return f"yes: {cell}" if cell else "not proved"


_VERDICTS = {"linear-complement": "yes", "not-linear-complement": "no", "underdetermined": "open"}


def verdict_text(cell: Cell) -> str:
    """The verdict of recognition in a word."""
    return _VERDICTS.get(str(cell), cell_text(cell))


def unit_text(cell: Cell) -> str:
    """A unit for people: microseconds have one name, whatever files call them.

    >>> unit_text("us"), unit_text("ms")
    ('µs', 'ms')
    """
    return "µs" if cell in ("us", "usec") else cell_text(cell)


def with_unit(word: str, unit: str) -> str:
    """A heading with its unit, if that is known.

    >>> with_unit("time T", "us"), with_unit("time T", "")
    ('time T (µs)', 'time T')
    """
    return f"{word} ({unit_text(unit)})" if unit else word


_SHOWN_MESSAGES = 6


def joined(between: str, none: str = "") -> Callable[[Cell], str]:
    """A form that writes the parts of a tuple with something between them.

    Args:
        between: what.
        none: what stands for no parts, or no tuple.

    >>> joined(", ")((2, 3)), joined(" -> ", "none")(None)
    ('2, 3', 'none')
    """

    def text(cell: Cell) -> str:
        if isinstance(cell, tuple) and cell:
            return between.join(map(str, cell))
        return cell_text(cell) or none

    return text


arrow_text = joined("→")
"""A channel or a message: from → to."""


def arrow_latex(cell: Cell) -> str:
    """The same as mathematics."""
    return f"${arrow_text(cell)}$".replace("→", r" \to ")


def arrows_text(
    cell: Cell, arrow: Callable[[Cell], str] = arrow_text, between: str = " ", dots: str = "…"
) -> str:
    """The first messages of several, and how many there are."""
    if not isinstance(cell, tuple):
        return cell_text(cell)
    more = f"{between.rstrip()} {dots} {len(cell)} in all" if len(cell) > _SHOWN_MESSAGES else ""
    return between.join(map(arrow, cell[:_SHOWN_MESSAGES])) + more


def arrows_latex(cell: Cell) -> str:
    """The same as mathematics."""
    return arrows_text(cell, arrow_latex, ", ", r"\ldots{}")


_MOST_SPEC = 60
"""Longest list of nodes that is shown whole."""


def spec_text(spec: Any) -> str:
    """The word of a network, the nodes of a job counted where their list is long.

    >>> spec_text("torus:4x4,nodes=0-2:5"), spec_text("torus:32x32,nodes=" + "1:" * 40 + "99")
    ('torus:4x4,nodes=0-2:5', 'torus:32x32,nodes=1:1:1:1:1:1:... (41 entries)')
    """
    word, stated, nodes = str(spec).rpartition(",nodes=")
    if not stated or len(nodes) <= _MOST_SPEC:
        return str(spec)
    listed = nodes.split(":")
    return f"{word}{stated}{':'.join(listed[:6])}:... ({len(listed)} entries)"


def ranges_text(cell: Cell) -> str:
    """Ascending numbers, runs of at least three drawn together.

    >>> ranges_text((0, 1, 2, 3, 6, 8, 9))
    '0-3 6 8 9'
    """
    return runs_text(cell) if isinstance(cell, tuple) else cell_text(cell)


def starred_latex(cell: Cell) -> str:
    """A symbol that may carry a star, as mathematics."""
    return f"${cell_text(cell).replace('*', '^*')}$"


_PROOFS = {
    "meets the lower bound": "bound",
    "is free of contention": "free",
    "a full search": "search",
    "the subset programme": "search",
}


def proof_word(cell: Cell) -> str:
    """What proves an optimum, in one word.

    >>> proof_word("a full search through all orders"), proof_word(None)
    ('search', 'none')
    """
    words = [word for start, word in _PROOFS.items() if str(cell or "").startswith(start)]
    return words[0] if words else "none"
