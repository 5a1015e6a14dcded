"""Communications written as equations, one bit of the address at a time.

    y0 = x1 + x2 + 1        # bit 0 of the destination, modulo 2
    y1 = x0
    y2 = 0

Equations stand on lines of their own or are separated by `;`. A sum may be written with `+`, `^`
or `⊕`; a term is 0, 1, or a bit with an optional coefficient 0 or 1 (`1*x3`, `0 x3`); a term that
stands twice cancels. `x0 = y1 + 1` in place of `y0 = x1 + 1` makes a scatter [hou, Definition 4].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from lccmodel.communication.conversion import checked_n
from lccmodel.communication.lcc import LCC
from lccmodel.errors import FileError
from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix
from lccmodel.ground.arguments import typed_arguments

_SYMBOL = r"([xyXY])\s*(?:_?\s*([0-9]{1,9})|_\{\s*([0-9]{1,9})\s*\}|\[\s*([0-9]{1,9})\s*\])"
_LEFT = re.compile(rf"\s*{_SYMBOL}\s*")
_TERM = re.compile(rf"\s*(?:([01])(?:\s*\*\s*|\s+|(?=[xyXY])))?{_SYMBOL}\s*|\s*([01])\s*")
_PLUS = re.compile(r"[+^⊕]")


class _Equation(NamedTuple):
    line: int
    text: str
    letter: str  # of the left-hand side
    bit: int
    highest: int  # bit that the right-hand side names, -1 if none
    row: int  # packed coefficients
    constant: int


@typed_arguments
def parse_equations(
    text: str, n: int | None = None, *, name: str = "", path: object = "equations", line: int = 1
) -> LCC:
    """Read a communication from equations.

    Args:
        text: the equations; every y_i, i = 0..n-1, (for a scatter: every x_i) is defined once.
        n: number of address bits; the number of equations if left out.
        name: a label.
        path, line: where the text comes from, for error messages.

    Raises:
        FileError: with the line of the fault.

    >>> parse_equations("y0 = x1 + 1; y1 = x0 + x1")
    LCC([[0, 1], [1, 1]], [1, 0])
    >>> parse_equations("x0 = y1; x1 = 0").pairs().tolist()
    [[0, 0], [0, 1], [1, 2], [1, 3]]
    >>> parse_equations("y0 = x1")
    Traceback (most recent call last):
    ...
    lccmodel.errors.FileError: equations:1: x1 is not among the bits 0..0, with 1 equation and so \
n = 1; got 'y0 = x1'
    """
    bits = None if n is None else checked_n(n)
    equations: dict[int, _Equation] = {}
    last = line
    for equation in _read(text, path, line):
        last = equation.line
        first = next(iter(equations.values()), equation)
        if equation.letter != first.letter:
            rule = f"{equation.letter} and {first.letter} (line {first.line}) are both defined"
            raise FileError(path, equation.line, rule, equation.text)
        if equation.bit in equations:
            where = equations[equation.bit].line
            rule = f"{equation.letter}{equation.bit} is defined already, in line {where}"
            raise FileError(path, equation.line, rule, equation.text)
        equations[equation.bit] = equation
    if not equations:
        raise FileError(path, last, "must contain at least one equation such as y0 = x1 + 1", text)
    return _communication(equations, bits, name, path, last)


def looks_like_equations(text: str) -> bool:
    """Whether the text starts as an equation does, `y0 =` or `x0 =`.

    >>> looks_like_equations("y0 = x1"), looks_like_equations("butterfly:k=2")
    (True, False)
    """
    return re.match(rf"\s*{_SYMBOL}\s*=", text) is not None


def format_equations(communication: LCC) -> str:
    """The equations of a communication, one a line; `parse_equations` reads them back.

    >>> print(format_equations(LCC([[0, 1], [0, 0]], [1, 0])))
    y0 = x1 + 1
    y1 = 0
    """
    left, right = ("x", "y") if communication.kind == "scatter" else ("y", "x")
    lines = []
    for i, (row, constant) in enumerate(zip(communication.A, communication.b, strict=True)):
        terms = [f"{right}{j}" for j, entry in enumerate(row) if entry]
        terms += ["1"] if constant else []
        lines.append(f"{left}{i} = {' + '.join(terms) or '0'}")
    return "\n".join(lines)


def _communication(
    equations: dict[int, _Equation], n: int | None, name: str, path: object, last: int
) -> LCC:
    count = len(equations)
    bits = count if n is None else n
    plural = "equation" if count == 1 else "equations"
    counted = f"with {count} {plural} and so n = {count}" if n is None else f"n = {n}"
    for equation in equations.values():
        letter, bit = equation.letter, equation.bit
        if bit < bits:
            letter, bit = ("x" if letter == "y" else "y"), equation.highest
        if bit >= bits:
            rule = f"{letter}{bit} is not among the bits 0..{bits - 1}, {counted}"
            raise FileError(path, equation.line, rule, equation.text)
    letter = next(iter(equations.values())).letter
    missing = [f"{letter}{i}" for i in range(bits) if i not in equations]
    if missing:
        raise FileError(path, last, f"every bit must be defined, {counted}", missing)
    rows = [equations[i].row for i in range(bits)]
    b = sum(equations[i].constant << i for i in range(bits))
    maker = LCC.scatter if letter == "x" else LCC
    return maker(GF2Matrix.from_rows(rows, bits), b, name=name)


def _read(text: str, path: object, start: int) -> Iterator[_Equation]:
    for number, line in enumerate(text.split("\n"), start):
        for part in line.split("#")[0].split(";"):
            if part.strip():
                yield _equation(part.strip(), path, number)


def _equation(text: str, path: object, line: int) -> _Equation:
    def fail(rule: str, value: object = text) -> FileError:
        return FileError(path, line, rule, value)

    left, equals, right = text.partition("=")
    if not equals or "=" in right:
        raise fail("must be one equation such as y0 = x1 + 1")
    match = _LEFT.fullmatch(left)
    if not match:
        raise fail("left of = must stand one bit, y0, y1, ... (x0, x1, ... for a scatter)", left)
    letter, index = _symbol(match.groups())
    if index >= MAX_DIMENSION:
        raise fail(f"bits are numbered 0..{MAX_DIMENSION - 1}", f"{letter}{index}")
    row = constant = 0
    highest = -1
    for part in _PLUS.split(right):
        term = _TERM.fullmatch(part)
        if not term:
            raise fail(
                "a term must be 0, 1 or a bit such as x2, joined by +", part.strip() or right
            )
        coefficient, *symbol, number = term.groups()
        if number is not None:
            constant ^= int(number)
            continue
        other, bit = _symbol(symbol)
        if other == letter:
            rule = f"right of = must stand bits of {'x' if letter == 'y' else 'y'}"
            raise fail(rule, f"{other}{bit}")
        if bit >= MAX_DIMENSION:
            raise fail(f"bits are numbered 0..{MAX_DIMENSION - 1}", f"{other}{bit}")
        highest = max(highest, bit)
        row ^= 0 if coefficient == "0" else 1 << bit
    return _Equation(line, text, letter, index, highest, row, constant)


def _symbol(groups: tuple[str | None, ...] | list[str | None]) -> tuple[str, int]:
    letter, *numbers = groups
    assert letter is not None
    return letter.lower(), int(next(number for number in numbers if number is not None))
