"""The load of one axis of a mesh for bits that interleave, as in Z-order.

On the line of an axis some rows read bits of the axis, the others are constants. Rule M1 needs all
constants above the rows that read. For four other arrangements there are forms that fit all counts
for an axis of at most 12 bits (`fit`), which are questions of ours:

    rows a-1, a-3, ... read a-1, a-2, ...   ⌊2^a / 3⌋
    rows a-1, a-2, ... read a-1, a-3, ...   2^(a-3) + 2^(⌊a/2⌋-1) - 1 for a >= 3, 1 for a = 2
    rows 0, 2, ... read 0, 1, ...           a even: (2^(a+1) - 2) / 3
                                            a odd: ⌊(5·2^(a-2) - 2^⌊a/2⌋) / 3⌋
    rows 1, 3, ... read 0, 1, ...           a odd: (2^(a+1) - 1) / 3
                                            a even: ⌊(5·2^(a-2) - 2^(a/2-1)) / 3⌋

The first two hold for a + 1 in place of a if row a-1 is a constant, or bit a-1 is not read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.cases import Case, expression_of
from lccmodel.symbolic.interleaving import Comb, places_of

_ZERO, _ONE = Affine(), Affine(constant=1)


def exchanged(combs: Sequence[Comb], widths: tuple[Affine, Affine], case: Case) -> list[Comb]:
    """The combs of the inverse with the bits of axis 1 first (M2)."""
    a, b = widths
    moved = []
    for comb in _cut([comb.inverse for comb in combs], a, case):
        rows = b if case.decide(a - 1 - comb.row) else -a
        sources = b if case.decide(a - 1 - comb.source) else -a
        moved.append(replace(comb, row=comb.row + rows, source=comb.source + sources))
    return moved


def interleaved_load(
    combs: Sequence[Comb], width: Affine, case: Case
) -> tuple[Affine, Affine] | Any | None:
    """t and w of rule M1, the expression of a form that fits, or None.

    `combs` have the bits of the axis first; rows that read a bit of `width` or above are constants.
    """
    rows = [comb for comb in _cut(combs, width, case) if case.decide(width - 1 - comb.row)]
    inside = [comb for comb in rows if case.decide(width - 1 - comb.source)]
    constant = [comb for comb in rows if comb not in inside]
    if any(comb.complement for comb in inside):
        return None
    if not inside:
        return width, _ZERO
    if case.equal(width, _ONE):  # the only bit stays
        return _ZERO, _ZERO
    if all(comb.row_step == 1 for comb in inside):
        edge = min_of([comb.row for comb in constant], case) if constant else width
        if constant and all(case.decide(edge - comb.row - comb.count) for comb in inside):
            return width - edge, edge
    return _fitted(inside[0], width, case) if len(inside) == 1 else None


def min_of(forms: Sequence[Affine], case: Case) -> Affine:
    """The smallest of some forms."""
    smallest = forms[0]
    for form in forms[1:]:
        smallest = smallest if case.decide(form - smallest) else form
    return smallest


def _fitted(comb: Comb, width: Affine, case: Case) -> Any | None:
    """The form that fits an axis with one comb that reads bits of it."""
    last = comb.count - 1
    top_row, top = comb.row + last * comb.row_step, comb.source + last * comb.source_step
    steps = (comb.row_step, comb.source_step)
    rows_above, bits_above = width - 1 - top_row, width - 1 - top
    if steps == (2, 1) and case.equal(bits_above, _ZERO):
        fits = case.decide(-rows_above + 1) and case.decide(-comb.row + 1)
        return _third(2 ** expression_of(width + rows_above)) if fits else None
    if steps == (1, 2) and case.equal(rows_above, _ZERO):
        fits = case.decide(-bits_above + 1) and case.decide(-comb.source + 1)
        return _gathered(width + bits_above, case) if fits else None
    if steps == (2, 1) and case.equal(comb.source, _ZERO) and case.decide(-comb.row + 1):
        first = int(case.equal(comb.row, _ONE))
        if case.equal(comb.count, places_of(width, first, case)):
            return _spread(width, first, case)
    return None


def _third(number: Any) -> Any:
    import sympy

    return sympy.floor(number / sympy.Integer(3))


def _gathered(length: Affine, case: Case) -> Any:
    import sympy

    if not case.decide(length - 3):
        return sympy.Integer(int(case.decide(length - 2)))
    half = expression_of(case.half(length)[0])
    return 2 ** (expression_of(length) - 3) + 2 ** (half - 1) - 1


def _spread(width: Affine, first: int, case: Case) -> Any:
    half, odd = case.half(width)
    a = expression_of(width)
    if odd == first:
        return (2 ** (a + 1) - 2 + first) / 3
    return _third(5 * 2 ** (a - 2) - 2 ** expression_of(half - first))


def _cut(combs: Sequence[Comb], place: Affine, case: Case) -> list[Comb]:
    """Combs cut where rows or sources pass a place; empty ones are left out."""
    done: list[Comb] = []
    pending = [comb for comb in combs if case.decide(comb.count - 1)]
    while pending:
        comb = pending.pop()
        for start, step in ((comb.row, comb.row_step), (comb.source, comb.source_step)):
            ahead = (place - start) if step > 0 else (start - place + 1)
            j = ahead if abs(step) == 1 else case.half(ahead + 1)[0]
            if case.decide(j - 1) and case.decide(comb.count - j - 1):
                row = comb.row + j * comb.row_step
                source = comb.source + j * comb.source_step
                pending.append(replace(comb, count=j))
                pending.append(replace(comb, row=row, source=source, count=comb.count - j))
                break
        else:
            done.append(comb)
    return done
