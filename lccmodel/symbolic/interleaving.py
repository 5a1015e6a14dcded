"""Families that interleave bits: rows or sources in steps of two, as in Z-order.

    y_(row + ρ j) = x_(source + σ j) + c    for 0 <= j < count,    ρ in {1, 2}, σ in {1, 2, -1, -2}

Rows i = 2 p + ε are derived for ε = 0 and 1 apart. In each class the ends of j in R1 are affine in
p, where halves of parameters are decided by their parity: m < i means j < ⌈(i - source) / σ⌉ and
t(m) > i means j >= ⌈(i + 1 - row) / ρ⌉. So exponents are minima of affine forms in p, and the
rules R1, R5, R6 and R6b hold as for slope 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from lccmodel.errors import InputError
from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.cases import Case
from lccmodel.symbolic.pieces import Piece, in_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Interval: TypeAlias = tuple[Affine, Affine]
"""The places p of a class: low..high-1."""


@dataclass(frozen=True)
class Comb:
    """`count` rows row, row + row_step, ... that read source, source + source_step, ..."""

    row: Affine
    row_step: int
    source: Affine
    source_step: int
    count: Affine
    complement: bool = False

    @classmethod
    def of(cls, piece: Piece) -> Comb:
        """The comb of a piece of slope 1 or -1."""
        source = piece.low * piece.slope + piece.offset
        count = piece.high - piece.low
        return cls(piece.low, 1, source, piece.slope, count, piece.complement)

    @property
    def forms(self) -> tuple[Affine, ...]:
        """Every form in it."""
        return (self.row, self.source, self.count)

    @property
    def inverse(self) -> Comb:
        """The rows that the sources become."""
        row, step, source, back = self.source, self.source_step, self.row, self.row_step
        if step < 0:  # from the other end
            last = self.count - 1
            row, source = row + last * step, source + last * back
            step, back = -step, -back
        return Comb(row, step, source, back, self.count, self.complement)

    def shifted(self, distance: Affine) -> Comb:
        """The comb with rows and sources moved up."""
        row, source = self.row + distance, self.source + distance
        return Comb(row, self.row_step, source, self.source_step, self.count, self.complement)

    def pairs(self, values: Mapping[str, int]) -> Iterator[tuple[int, int]]:
        """Rows and their sources for values of the parameters."""
        row, source = self.row.value(values), self.source.value(values)
        for j in range(self.count.value(values)):
            yield row + self.row_step * j, source + self.source_step * j


def places_of(end: Affine, residue: int, case: Case) -> Affine:
    """The number of rows below `end` that are 2 p + residue."""
    return case.half(end - residue + 1)[0]


def class_of(start: Affine, step: int, count: Affine, residue: int, case: Case) -> Interval | None:
    """The places p of a class that start, start + step, ... takes; None if it takes none."""
    if abs(step) == 2:
        half, parity = case.half(start if step > 0 else start - (count - 1) * 2)
        return (half, half + count) if parity == residue else None
    low, high = (start, start + count) if step > 0 else (start - count + 1, start + 1)
    return places_of(low, residue, case), places_of(high, residue, case)


def check_permutation(combs: Sequence[Comb], n: Affine, name: str, case: Case) -> None:
    """Rows and sources are 0..n-1, each once.

    Raises:
        InputError: this is not proved in this case.
    """
    for what in ("rows", "source bits"):
        for residue in (0, 1):
            taken = []
            for comb in combs:
                start, step = (
                    (comb.row, comb.row_step) if what == "rows" else (comb.source, comb.source_step)
                )
                if case.decide(comb.count - 1):
                    taken.append(class_of(start, step, comb.count, residue, case))
            end = Affine()
            parity = ("even", "odd")[residue]
            rule = (
                f"must be a permutation of 0..{n - 1}: its {parity} {what} are not each taken once"
            )
            for low, high in in_order([pair for pair in taken if pair is not None], case):
                if not case.equal(low, end):
                    raise InputError("order", rule, name)
                end = high
            if not case.equal(end, places_of(n, residue, case)):
                raise InputError("order", rule, name)


def fixed_rows(comb: Comb, case: Case) -> tuple[list[Interval], bool]:
    """The j of a comb whose rows are their own sources, as intervals; whether it is all of them."""
    change = comb.row_step - comb.source_step
    distance = comb.source - comb.row
    if not change:
        everything = case.equal(distance, Affine())
        return ([(Affine(), comb.count)] if everything else []), everything
    j, remainder = case.divided(distance * (1 if change > 0 else -1), abs(change))
    if remainder:
        return [], False
    inside = case.decide(j) and case.decide(comb.count - j - 1)
    return ([(j, j + 1)] if inside else []), False


def terms(comb: Comb, residue: int, place: Affine, strict: bool, case: Case) -> tuple[Affine, ...]:
    """Forms in the place p whose minimum, if positive, counts the m < i with t(m) > i.

    With `strict` False, t(m) >= i.
    """
    row = place * 2 + residue
    above = row + 1 if strict else row  # t(m) >= above
    starts, ends = [Affine()], [comb.count]
    if comb.row_step == 1:
        starts.append(above - comb.row)
    else:
        constant = above - comb.row - place * 2
        starts.append(place + case.half(constant + 1)[0])
    if comb.source_step == 1:
        ends.append(row - comb.source)
    elif comb.source_step == 2:
        constant = row - comb.source - place * 2
        ends.append(place + case.half(constant + 1)[0])
    elif comb.source_step == -1:
        starts.append(comb.source - row + 1)
    else:
        starts.append(case.half(comb.source - residue)[0] - place + 1)
    return tuple(end - start for end in ends for start in starts)


def moving_places(combs: Iterable[Comb], residue: int, case: Case) -> list[tuple[Interval, bool]]:
    """Runs of places of a class whose rows move; whether only a complement makes them so."""
    runs: list[tuple[Interval, bool]] = []
    for comb in combs:
        if not case.decide(comb.count - 1):
            continue
        taken = class_of(comb.row, comb.row_step, comb.count, residue, case)
        if taken is None:
            continue
        fixed, everything = fixed_rows(comb, case)
        if everything:
            if comb.complement:
                runs.append((taken, True))
            continue
        low, high = taken
        for j, _ in fixed:
            half, parity = case.half(comb.row + j * comb.row_step)
            if parity != residue:
                continue
            runs.append(((low, half), False))
            if comb.complement:
                runs.append(((half, half + 1), True))
            low = half + 1
        runs.append(((low, high), False))
    return [(pair, flag) for pair, flag in runs if case.decide(pair[1] - pair[0] - 1)]
