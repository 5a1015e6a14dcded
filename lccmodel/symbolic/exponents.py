"""Exponents of the loads T_i = 2^e_i, their maximum and their sum, in one case of the parameters.

Correcting bits in ascending order, the load of a bit permutation with t = s^-1 has the exponent

    R1    e_i = #{m < i : t(m) > i},       T_i = 0 where y_i = x_i;
          #{m < i : t(m) >= i} for the messages in every occupied node before step i

since the first i columns of the rows 0..i have rank #{m < i : t(m) <= i}. On a piece of slope ±1
these m are an interval, so the count is max(0, min(upper ends) - max(lower ends)): a minimum of
affine forms in i. A sum of such minima is one again, as long as none is cut off at 0; where that
is open the rows are cut. R2: triangles do not change e_i (`family`). R5: on a bristled hypercube
T_i = 2^[s(0) < i] times that of the cube for i >= 1, and T_0 = 0; for a scatter 2^[t(0) < i], and
always if no row reads bit 0, as only a row i.. that reads y_0 still fixes it.

    R3    rows x_0 + ... + x_(s(k)) have e_i = #{m < i - 1 : t(m) > i}: two prefixes that end at
          bit i-1 or above are the same in the first i columns, and shorter ones are independent.
          On a bristled hypercube they count twice where s(0) + 1 < i, since row 0 is not known

    R9    for a scatter, e_i = #{m > i : t(m) < i, or no row reads m}: the messages of a channel
          agree in y_0..y_i and in the rows i.. of A y

    R6    max over i of min(forms) is min(flat forms, rising forms at the last row, falling forms
          at the first, ⌊(a + b) / 2⌋ for i + a and b - i): intervals of integers meet if any two
          do. For p i + a and b - q i let u be ⌊(b - a) / (p + q)⌋ and r the remainder: p u + a if
          r < q, else b - q (u + 1)
    R6b   Σ 2^e_i = #rows + Σ over v = 1..max of 2^(v-1) #{i : e_i >= v}, where the number of rows
          is affine in v. Exponents of slope 2 or more are summed along the rows on which one form
          is the smallest: (2^s 2^f(last) - 2^f(first)) / (2^s - 1) for a form f of slope s
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from lccmodel.errors import CommunicationError
from lccmodel.symbolic.affine import Affine, Facts, implied, impossible, minimum_of, not_above
from lccmodel.symbolic.cases import Case
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.interleaving import moving_places, places_of, terms
from lccmodel.symbolic.pieces import Piece, in_order

Forms = tuple[Affine, ...]
I_ROW = Affine.variable("i")
_V, _MAX = Affine.variable("v (level)"), Affine.variable("M (maximum)")


class NotProved(CommunicationError):  # noqa: N818 - the name says the finding
    """No rule proves a formula for this family."""


@dataclass(frozen=True)
class Segment:
    """Rows low..high with e_i = min(forms), except those with 2 i = hole, whose load is 0.

    With `step` 2 the rows are 2 p + `first` for the places p = low..high, and forms are in p.
    """

    low: Affine
    high: Affine
    forms: Forms
    holes: Forms = ()
    step: int = 1
    first: int = 0

    def facts(self) -> Facts:
        """i is a row of the segment."""
        return (I_ROW - self.low, self.high - I_ROW)


@dataclass(frozen=True)
class Power:
    """(a + b (M - 1)) 2^M with M = min(maximum)."""

    maximum: Forms
    a: Affine
    b: int = 0


@dataclass(frozen=True)
class Derived:
    """What one case gives.

    The loads; the exponent of the largest, a maximum of minima; the sum of the loads, `rest` and
    powers over `divisor`; the rows that the matrix changes and those that are only complemented.
    """

    segments: tuple[Segment, ...]
    maxima: tuple[Forms, ...]
    rest: Affine
    powers: tuple[Power, ...]
    moving: Affine
    flipped: Affine
    divisor: int = 1

    def scaled(self, divisor: int) -> Derived:
        """The same with a multiple of its divisor."""
        factor = divisor // self.divisor
        powers = tuple(Power(p.maximum, p.a * factor, p.b * factor) for p in self.powers)
        return replace(self, rest=self.rest * factor, powers=powers, divisor=divisor)


@dataclass(frozen=True)
class _Run:
    """Consecutive rows low..high-1 that move."""

    low: Affine
    high: Affine
    holes: Forms


def derive(family: Family, case: Case, internal: bool) -> Derived:
    """The loads of a family in one case; `internal` if bit 0 is inside the routers."""
    if family.combs:
        segments, moving, flipped = _interleaved(family, case, internal)
        return _derived(segments, moving, flipped, case)
    rows = _rows_that_move(family, case)
    moving, flipped = _changed(rows, internal, case)
    counted = _counted(family, case, strict=True)
    runs = _joined([run for run, _ in rows], case)
    segments = [s for run in runs for s in _segments(run, counted, case)]
    if internal:
        segments = _bristled(segments, _doubled_above(family, case), Affine(constant=1), case)
    return _derived(segments, moving, flipped, case)


def _changed(
    rows: Iterable[tuple[_Run, bool]], internal: bool, case: Case
) -> tuple[Affine, Affine]:
    """The rows that the matrix changes, and those that only a complement changes."""
    moving = flipped = Affine()
    for run, is_flipped in rows:
        linked = run
        if internal and case.decide(-run.low):  # row 0 needs no link
            linked = _Run(Affine(constant=1), run.high, run.holes)
        length = linked.high - linked.low
        if is_flipped:
            flipped = flipped + length
        elif any(same(run.low + run.high - 1, hole, case.facts) for hole in run.holes):
            inside = run.high - run.low - length
            inside = inside if case.decide(run.high - run.low - 2) else Affine()
            moving = moving + case.half(run.high - run.low)[0] * 2 - inside
        else:
            moving = moving + length - len(_holes_inside(linked, case))
    return moving, flipped


def changed_rows(family: Family, case: Case) -> tuple[Affine, Affine]:
    """The rows that the matrix changes, and those that only a complement changes."""
    if not family.combs:
        return _changed(_rows_that_move(family, case), False, case)
    moving = flipped = Affine()
    for residue in (0, 1):
        for (low, high), is_flipped in moving_places(family.combs, residue, case):
            if is_flipped:
                flipped = flipped + high - low
            else:
                moving = moving + high - low
    return moving, flipped


def _derived(segments: list[Segment], moving: Affine, flipped: Affine, case: Case) -> Derived:
    """The largest of the loads and their sum, by R6 and R6b."""
    rest = Affine()
    powers: list[Power] = []
    maxima: list[Forms] = []
    parts = [part for segment in segments for part in _without_holes(segment, case)]
    steepest = {abs(form.coefficient("i")) for part in parts for form in part.forms}
    divisor = math.lcm(*((1 << slope) - 1 for slope in steepest if slope > 1))
    for part in parts:
        maximum = _maximum(part, case)
        maxima.append(maximum)
        if any(abs(form.coefficient("i")) > 1 for form in part.forms):
            powers += _along_rows(part, divisor, case)
            continue
        rest = rest + (part.high - part.low + 1) * divisor
        for power in _layers(part, maximum, case):
            powers.append(Power(power.maximum, power.a * divisor, power.b * divisor))
            rest = rest - (power.a - power.b) * divisor
    powers, rest = _gathered(powers, rest, case)
    largest = _largest(maxima, case.facts)
    return Derived(tuple(segments), largest, rest, tuple(powers), moving, flipped, divisor)


def occupancies(family: Family, case: Case) -> tuple[Segment, ...]:
    """Exponents of the messages in every occupied node before step i, for all i = 0..n-1."""
    if family.combs:
        all_segments = []
        for residue in (0, 1):
            run = _Run(Affine(), places_of(family.n, residue, case), ())
            counted = _counted_in_class(family, residue, case, strict=False)
            all_segments += _in_class(_segments(run, counted, case), residue)
        return tuple(all_segments)
    run = _Run(Affine(), family.n, ())
    return tuple(_segments(run, _counted(family, case, strict=False), case))


def _interleaved(
    family: Family, case: Case, internal: bool
) -> tuple[list[Segment], Affine, Affine]:
    """Segments of both classes of rows, and the rows that the matrix changes or a complement."""
    interleaved: list[Segment] = []
    moving = flipped = Affine()
    for residue in (0, 1):
        runs = []
        for (low, high), is_flipped in moving_places(family.combs, residue, case):
            runs.append(_Run(low, high, ()))
            length = high - low
            if internal and not residue and case.decide(-low):
                length = length - 1  # row 0 needs no link
            moving, flipped = (
                (moving, flipped + length) if is_flipped else (moving + length, flipped)
            )
        by_low = {(run.low, run.high): run for run in runs}
        joined = _joined([by_low[pair] for pair in in_order(list(by_low), case)], case)
        counted = _counted_in_class(family, residue, case, strict=True)
        segments = [s for run in joined for s in _segments(run, counted, case)]
        if internal:
            source = next(c.source for c in family.combs if case.equal(c.row, Affine()))
            last = places_of(source + 1, residue, case) - 1
            segments = _bristled(segments, last, Affine(constant=1 - residue), case)
        interleaved += _in_class(segments, residue)
    return interleaved, moving, flipped


def _in_class(segments: Iterable[Segment], residue: int) -> list[Segment]:
    return [replace(s, step=2, first=residue) for s in segments]


# -- which rows move -----------------------------------------------------------------------------


def _rows_that_move(family: Family, case: Case) -> list[tuple[_Run, bool]]:
    """Runs of rows with y_i != x_i, in ascending order; whether only complements make them so."""
    if family.sums_from_0:  # row 0 alone may be one bit, and bit 0 itself
        first = _ordered(family.pieces, case)[0]
        stays = case.equal(first.low * first.slope + first.offset, Affine())
        begin = Affine(constant=int(stays))
        return [(_Run(begin, family.n, ()), False)] if case.decide(family.n - begin - 1) else []
    if family.lower is None and family.upper is None:
        runs = []
        for piece in _ordered(family.pieces, case):
            fixed = piece.slope > 0 and case.equal(piece.offset, Affine())
            if fixed and not piece.complement:
                continue
            holes = (piece.offset,) if _may_stay(piece, case) else ()
            if piece.slope < 0 and piece.complement:
                runs += _flipped_middle(piece, case)
            else:
                runs.append((_Run(piece.low, piece.high, holes), fixed))
        return runs
    return _rows_of_triangles(family, case)


def _may_stay(piece: Piece, case: Case) -> bool:
    """Whether a row with 2 i = offset is one of this reversed piece, for one parity at least."""
    if piece.slope >= 0 or piece.complement:
        return False
    if same(piece.offset, piece.low + piece.high - 1, case.facts):
        return True  # it is the middle
    return bool(_holes_inside(_Run(piece.low, piece.high, (piece.offset,)), case))


def _flipped_middle(piece: Piece, case: Case) -> list[tuple[_Run, bool]]:
    """A reversed and complemented piece; its middle row, if it has one, is only complemented."""
    middle, odd = case.half(piece.offset)
    inside = not odd and case.decide(middle - piece.low) and case.decide(piece.high - middle - 1)
    if not inside:
        return [(_Run(piece.low, piece.high, ()), False)]
    runs = [
        (_Run(piece.low, middle, ()), False),
        (_Run(middle, middle + 1, ()), True),
        (_Run(middle + 1, piece.high, ()), False),
    ]
    return [(run, flipped) for run, flipped in runs if case.decide(run.high - run.low - 1)]


def _rows_of_triangles(family: Family, case: Case) -> list[tuple[_Run, bool]]:
    """Rows that are not e_i of P U or L P, or of L U, and those that are but complemented.

    Row i of P U is row s(i) of U, which begins at s(i): it is e_i only if s(i) = i and row i of U
    has no other entry. Row i of L P is a sum of different unit vectors, e_s(i) among them. Row i of
    L U is e_i only if e_i U^-1, upper, is the row of L, lower.
    """
    identity = all(p.slope > 0 and p.offset == Affine() for p in family.pieces)
    if not identity and family.lower is not None and family.upper is not None:
        rule = "rows that stay are not decided for a permutation between two triangles"
        raise NotProved("family", rule, family.name)
    runs: list[tuple[Affine, Affine]] = []
    for entries, upper in ((family.lower, False), (family.upper, True)):
        if entries is not None:
            cases = entries.rows(family.n, upper)
            if cases is None:
                rule = "entries must have slope 1 or -1 in j"
                raise NotProved("family", rule, family.name)
            runs += [run for bounds in cases for run in _rows_of_entries(bounds, family, case)]
    permuted = replace(family, lower=None, upper=None)
    flipped: list[tuple[Affine, Affine]] = []
    for run, is_flipped in _rows_that_move(permuted, case):
        rest = run.low
        if is_flipped:
            flipped.append((run.low, run.high))
            continue
        for middle in sorted_forms(_holes_inside(run, case), case):
            if not any(case.decide(middle - a) and case.decide(b - middle - 1) for a, b in runs):
                runs.append((rest, middle))
                rest = middle + 1
        runs.append((rest, run.high))
    joined: list[_Run] = []
    for low, high in in_order(runs, case):
        if joined and case.decide(joined[-1].high - low):
            top = high if case.decide(high - joined[-1].high) else joined[-1].high
            joined[-1] = _Run(joined[-1].low, top, ())
        else:
            joined.append(_Run(low, high, ()))
    rest_of = [gap for pair in flipped for gap in _gaps_in(pair, joined, case)]
    by_rows = {(run.low, run.high): (run, False) for run in joined}
    by_rows |= {pair: (_Run(*pair, ()), True) for pair in rest_of}
    return [by_rows[pair] for pair in in_order(list(by_rows), case)]


def _gaps_in(
    pair: tuple[Affine, Affine], runs: Iterable[_Run], case: Case
) -> list[tuple[Affine, Affine]]:
    """What ascending runs leave of the rows low..high-1."""
    low, high = pair
    gaps = []
    for run in runs:
        if case.decide(low - run.high) or case.decide(run.low - high):
            continue
        if case.decide(run.low - low - 1):
            gaps.append((low, run.low))
        low = run.high
    return [*gaps, (low, high)] if case.decide(high - low - 1) else gaps


def _rows_of_entries(bounds: Forms, family: Family, case: Case) -> list[tuple[Affine, Affine]]:
    """The rows k of a triangle with an entry next to the diagonal, as an interval."""
    low, high = Affine(), family.n
    for fact in bounds:
        c = fact.coefficient("k")
        if not c:
            if not case.decide(fact):
                return []
            continue
        if abs(c) != 1:
            raise NotProved("family", "entries must have slope 1 or -1 in k", family.name)
        bound = -(fact - Affine.variable("k") * c) * c
        if c > 0:
            low = bound if case.decide(bound - low) else low
        else:
            high = bound + 1 if case.decide(high - bound - 1) else high
    return [(low, high)]


def sorted_forms(forms: Iterable[Affine], case: Case) -> list[Affine]:
    """Different forms in ascending order."""
    return [low for low, _ in in_order([(form, form + 1) for form in forms], case)]


def _ordered(pieces: Sequence[Piece], case: Case) -> list[Piece]:
    bounds = in_order([(p.low, p.high) for p in pieces], case)
    by_rows = {(p.low, p.high): p for p in pieces}
    return [by_rows[pair] for pair in bounds]


def _joined(runs: Iterable[_Run], case: Case) -> list[_Run]:
    """Runs that follow one another as one."""
    joined: list[_Run] = []
    for run in runs:
        if joined and case.equal(joined[-1].high, run.low):
            last = joined[-1]
            joined[-1] = _Run(last.low, run.high, (*last.holes, *run.holes))
        else:
            joined.append(run)
    return joined


def _holes_inside(run: _Run, case: Case) -> list[Affine]:
    """The rows of a run that stay: middles of reversed pieces."""
    inside = []
    for hole in run.holes:
        middle, odd = case.half(hole)
        if not odd and case.decide(middle - run.low) and case.decide(run.high - middle - 1):
            inside.append(middle)
    return inside


# -- R1: exponents as minima of affine forms -----------------------------------------------------


def _terms(piece: Piece, strict: bool, family: Family) -> Forms:
    """Forms in i whose minimum, if positive, counts the m < i of a piece with t(m) > i.

    With `strict` False, t(m) >= i; for a scatter the m > i with t(m) < i; for sums from 0 the
    m < i - 1.
    """
    if family.is_scatter:
        starts, ends = [piece.source_low, I_ROW + 1], [piece.source_high]
        if piece.slope > 0:
            ends.append(I_ROW + piece.offset)
        else:
            starts.append(piece.offset - I_ROW + 1)
        return tuple(end - start for end in ends for start in starts)
    more = 1 if strict else 0
    low, high = piece.source_low, piece.source_high
    end = I_ROW - 1 if family.sums_from_0 else I_ROW
    if piece.slope > 0:  # t(m) = m - offset
        first = I_ROW + piece.offset + more
        return (high - low, high - first, end - low, end - first)
    last = piece.offset - I_ROW - more + 1
    return (high - low, end - low, last - low)


def _counted(family: Family, case: Case, *, strict: bool) -> list[Forms]:
    """For each piece, forms whose minimum counts its m (see `_terms`)."""
    counted = [
        _terms(piece, strict, family)
        for piece in family.pieces
        if piece.slope and case.decide(piece.high - piece.low - 1)
    ]
    if family.is_scatter:  # bits that no row reads, above i
        counted += [(high - low, high - I_ROW - 1) for low, high in _unread(family, case)]
    return counted


def _counted_in_class(family: Family, residue: int, case: Case, *, strict: bool) -> list[Forms]:
    combs = [comb for comb in family.combs if case.decide(comb.count - 1)]
    return [terms(comb, residue, I_ROW, strict, case) for comb in combs]


def _segments(
    run: _Run, counted: list[Forms], case: Case, known: frozenset[Affine] = frozenset()
) -> list[Segment]:
    """The exponents of a run, cut where a piece begins or ends to count.

    The known forms are >= 0 on the whole run.
    """
    region = (*case.facts, I_ROW - run.low, run.high - 1 - I_ROW)
    if impossible(region):
        return []
    if not case.decide(run.high - run.low - 1):
        return []
    total: Forms = (Affine(),)
    for forms in counted:
        if any(implied(region, -form) for form in forms):
            continue
        for form in forms:
            if form in known or implied(region, form):
                continue
            slope = form.coefficient("i")
            if not slope:
                if not case.decide(form):
                    break  # it never counts
                continue
            return _cut(run, form, slope, counted, case, known)
        else:
            needed = minimum_of(forms, region)
            total = minimum_of((a + b for a in total for b in needed), region)
    return [Segment(run.low, run.high - 1, total, run.holes)]


def _cut(
    run: _Run,
    form: Affine,
    slope: int,
    counted: list[Forms],
    case: Case,
    known: frozenset[Affine],
) -> list[Segment]:
    """The run in two: where a form is >= 0 and where it is not."""
    constant = form - I_ROW * slope
    if abs(slope) == 1:
        edge = -constant if slope > 0 else constant + 1
    else:
        assert abs(slope) == 2
        edge = case.half(-constant + 1)[0] if slope > 0 else case.half(constant)[0] + 1
    before = case.decide(edge - run.high)
    if before or case.decide(run.low - edge):  # one sign on the whole run
        if before == (slope > 0):
            rest = [forms for forms in counted if form not in forms]  # its piece never counts
            return _segments(run, rest, case, known)
        return _segments(run, counted, case, known | {form})
    parts = (_Run(run.low, edge, run.holes), _Run(edge, run.high, run.holes))
    return [s for part in parts for s in _segments(part, counted, case, known)]


def _unread(family: Family, case: Case) -> list[tuple[Affine, Affine]]:
    """The intervals of bits that no row reads."""
    gaps, end = [], Affine()
    read = [(p.source_low, p.source_high) for p in family.pieces if p.slope]
    for low, high in [*in_order(read, case), (family.n, family.n)]:
        if case.decide(low - end - 1):
            gaps.append((end, low))
        end = high
    return gaps


def _doubled_above(family: Family, case: Case) -> Affine:
    """The bit above which R5 doubles: s(0), or for a scatter t(0), -1 if no row reads bit 0."""
    if family.is_scatter:
        for piece in family.pieces:
            if not piece.slope or not case.decide(piece.high - piece.low - 1):
                continue
            if case.decide(-piece.source_low) and case.decide(piece.source_high - 1):
                return -piece.offset if piece.slope > 0 else piece.offset
        return Affine(constant=-1)
    if family.lower is not None and not family.lower.leaves_bit_0(family.where):
        rule = "on an origin L must leave bit 0 alone, with no entry in column 0"
        raise NotProved("family", rule, family.name)
    first = _ordered(family.pieces, case)[0]
    source = first.offset + first.low * first.slope
    return source + 1 if family.sums_from_0 else source


def _bristled(segments: list[Segment], source: Affine, begin: Affine, case: Case) -> list[Segment]:
    """R5: rows above s(0) count twice; the row below `begin`, row 0, is inside the routers."""
    bristled = []
    for s in segments:
        first = begin if case.decide(begin - 1 - s.low) else s.low
        for low, high, more in (
            (first, source if case.decide(s.high - source - 1) else s.high, 0),
            (source + 1 if case.decide(source - first) else first, s.high, 1),
        ):
            inside = case.decide(source - low) if not more else case.decide(low - source - 1)
            if case.decide(high - low) and inside:
                forms = tuple(form + more for form in s.forms)
                region = (*case.facts, I_ROW - low, high - I_ROW)
                bristled.append(Segment(low, high, minimum_of(forms, region), s.holes))
    return bristled


# -- R6: the largest, R6b: the sum ---------------------------------------------------------------


def _without_holes(segment: Segment, case: Case) -> list[Segment]:
    """The segment cut at the rows that stay."""
    run = _Run(segment.low, segment.high + 1, segment.holes)
    parts, low = [], segment.low
    middles = _holes_inside(run, case)
    for middle in sorted_forms(middles, case):
        parts.append((low, middle - 1))
        low = middle + 1
    parts.append((low, segment.high))
    whole = []
    for first, last in parts:
        if case.decide(last - first):
            region = (*case.facts, I_ROW - first, last - I_ROW)
            whole.append(Segment(first, last, minimum_of(segment.forms, region)))
    return whole


def _maximum(segment: Segment, case: Case) -> Forms:
    """Forms whose minimum is the largest exponent of a segment (R6)."""
    rising = [form for form in segment.forms if form.coefficient("i") > 0]
    falling = [form for form in segment.forms if form.coefficient("i") < 0]
    bounds = [form for form in segment.forms if not form.coefficient("i")]
    bounds += [form.replaced("i", segment.high) for form in rising]
    bounds += [form.replaced("i", segment.low) for form in falling]
    below = tuple(form - _MAX for form in minimum_of(bounds, case.facts))
    for up in rising:
        for down in falling:
            p, q = up.coefficient("i"), -down.coefficient("i")
            if p > 1 or q > 1:
                if not impossible((*case.facts, *below, *_between(up, down, p, q))):
                    bounds.append(_meeting(up, down, case))
                continue
            both = up + down
            if not impossible((*case.facts, *below, _MAX * 2 - both - 1)):
                bounds.append(case.half(both)[0])
    needed = minimum_of(bounds, case.facts)
    number = next((form for form in needed if not form.terms), None)
    if number is not None:  # small n apart, so that the rest has a number
        smaller = tuple(form for form in needed if not case.decide(form - number))
        return smaller or (number,)
    return needed


def _meeting(up: Affine, down: Affine, case: Case) -> Affine:
    """The largest min(p i + a, b - q i) over all integers i."""
    p, q = up.coefficient("i"), -down.coefficient("i")
    a, b = up - I_ROW * p, down + I_ROW * q
    place, remainder = case.divided(b - a, p + q)
    return a + place * p if remainder < q else b - (place + 1) * q


def _between(up: Affine, down: Affine, p: int, q: int) -> Facts:
    """v is too large for both p i + a and b - q i: q (v - a) > p (b - v) - p q rounds up."""
    a, b = up - I_ROW * p, down + I_ROW * q
    return ((_MAX - a) * q - (b - _MAX) * p + (p - 1) * q + (q - 1) * p - 1,)


def _largest(maxima: list[Forms], facts: Facts) -> tuple[Forms, ...]:
    """The maxima without those that another one is never below."""
    kept = list(dict.fromkeys(maxima))
    for forms in kept[::-1]:
        if any(other != forms and not_above(forms, other, facts) for other in kept):
            kept.remove(forms)
    return tuple(kept)


def _along_rows(segment: Segment, divisor: int, case: Case) -> list[Power]:
    """`divisor` times Σ 2^e_i, cut into rows on which one form is the smallest."""
    if not case.decide(segment.high - segment.low):
        return []
    region = (*case.facts, *segment.facts())
    forms = minimum_of(segment.forms, region)
    if len(forms) == 1:
        (form,) = forms
        slope = form.coefficient("i")
        first, last = form.replaced("i", segment.low), form.replaced("i", segment.high)
        if not slope:
            return [Power(forms, (segment.high - segment.low + 1) * divisor)]
        if slope < 0:
            first, last = last, first
        part = divisor // ((1 << abs(slope)) - 1)
        larger, smaller = part << abs(slope), -part
        return [
            Power((last,), Affine(constant=larger)),
            Power((first,), Affine(constant=smaller)),
        ]
    low, high = sorted(forms[:2], key=lambda form: -form.coefficient("i"))
    steeper = (low - high).coefficient("i")
    if not steeper:  # of equal slope: one of them is never needed
        lower = low if case.decide(high - low) else high
        kept = (lower, *(form for form in forms if form not in (low, high)))
        return _along_rows(replace(segment, forms=kept), divisor, case)
    # low <= high up to this row, since low rises more
    edge, _ = case.divided(high - low + I_ROW * steeper, steeper)
    if case.decide(edge - segment.high):
        return _along_rows(_without(segment, high), divisor, case)
    if case.decide(segment.low - edge - 1):
        return _along_rows(_without(segment, low), divisor, case)
    below = replace(_without(segment, high), high=edge)
    above = replace(_without(segment, low), low=edge + 1)
    return _along_rows(below, divisor, case) + _along_rows(above, divisor, case)


def _without(segment: Segment, form: Affine) -> Segment:
    return replace(segment, forms=tuple(other for other in segment.forms if other != form))


def _layers(segment: Segment, maximum: Forms, case: Case) -> list[Power]:
    """Σ over v = 1..M of 2^(v-1) (a + b v) = (a + b (M - 1)) 2^M - a + b, the last part left out.

    a + b v is the number of rows with e_i >= v.
    """
    lowest, highest = [segment.low], [segment.high]
    for form in segment.forms:
        slope = form.coefficient("i")
        if slope > 0:
            lowest.append(_V - (form - I_ROW))
        elif slope < 0:
            highest.append(form + I_ROW - _V)
    forms = maximum
    for attempt in range(2):
        if attempt:  # one form in each case, so that levels can be compared with it
            top = maximum[0]
            for form in maximum[1:]:
                top = form if case.decide(top - form) else top
            forms = (top,)
        region = (*case.facts, _V - 1, _MAX - _V, *(form - _MAX for form in forms))
        low = [-form for form in minimum_of((-form for form in lowest), region)]
        high = minimum_of(highest, region)
        if len(low) == len(high) == 1:
            count = high[0] - low[0] + 1
            b = count.coefficient(_V.variables[0])
            return [Power(forms, count - _V * b, b)]
    return _cut_levels(lowest, highest, forms[0], case)


def _cut_levels(
    lowest: list[Affine], highest: list[Affine], top: Affine, case: Case
) -> list[Power]:
    """The same with levels cut where another bound becomes the nearest."""
    edges = [Affine(), top]
    for forms in (lowest, highest):
        for position, f in enumerate(forms):
            for g in forms[:position]:
                difference = f - g
                c = difference.coefficient(_V.variables[0])
                if abs(c) == 1:
                    edges.append(-(difference - _V * c) * c)
                elif c:
                    edges.append(case.half(-(difference - _V * c) * (c // abs(c)))[0])
    ordered: list[Affine] = []
    for edge in dict.fromkeys(edges):
        if not (case.decide(edge) and case.decide(top - edge)):
            continue
        place = len(ordered)
        while place and case.decide(ordered[place - 1] - edge - 1):
            place -= 1
        if not (place and case.equal(ordered[place - 1], edge)):
            ordered.insert(place, edge)
    powers: list[Power] = []
    for start, end in pairwise(ordered):
        region = (*case.facts, _V - start - 1, end - _V)
        low = [-form for form in minimum_of((-form for form in lowest), region)]
        high = minimum_of(highest, region)
        if len(low) != 1 or len(high) != 1:
            raise NotProved("family", "the layers of its exponents are not affine", "sum")
        count = high[0] - low[0] + 1
        b = count.coefficient(_V.variables[0])
        a = count - _V * b
        powers += [Power((end,), a, b), Power((start,), -a, -b)]
    return powers


def _gathered(powers: list[Power], rest: Affine, case: Case) -> tuple[list[Power], Affine]:
    """Powers with one maximum as one, and those of numbers added to the rest."""
    gathered: list[Power] = []
    for power in powers:
        for place, other in enumerate(gathered):
            if same_minimum(power.maximum, other.maximum, case.facts):
                gathered[place] = Power(other.maximum, other.a + power.a, other.b + power.b)
                break
        else:
            gathered.append(power)
    kept = []
    for power in gathered:
        if len(power.maximum) > 1:
            kept.append(power)
            continue
        (top,) = power.maximum
        factor = _number(power.a + (top - 1) * power.b, case.facts)
        exponent = _number(top, case.facts)
        if not exponent.terms:
            rest = rest + factor * (1 << exponent.constant)
            continue
        while not factor.terms and factor.constant and factor.constant % 2 == 0:
            factor, exponent = Affine(constant=factor.constant // 2), exponent + 1
        if factor != Affine():
            kept.append(Power((exponent,), factor))
    return kept, _number(rest, case.facts)


def _number(form: Affine, facts: Facts) -> Affine:
    """The form, as a number if the facts leave it no other value."""
    for fact in facts:
        if -fact in facts:  # an equality
            for v, c in fact.terms:
                if abs(c) == 1 and form.coefficient(v):
                    solved = form.replaced(v, -(fact - Affine({v: c})) * c)
                    if not solved.terms:
                        return solved
    return form


# -- whether what one case gives is right in another ---------------------------------------------


def same(left: Affine, right: Affine, facts: Facts) -> bool:
    """Whether two forms are equal under the facts."""
    return left == right or (implied(facts, left - right) and implied(facts, right - left))


def same_minimum(left: Forms, right: Forms, facts: Facts) -> bool:
    """Whether two minima are equal under the facts."""
    return left == right or (not_above(left, right, facts) and not_above(right, left, facts))


def same_segments(left: tuple[Segment, ...], right: tuple[Segment, ...], facts: Facts) -> bool:
    """Whether two lists of segments give the same exponents."""
    left = tuple(s for s in left if not impossible((*facts, s.high - s.low)))
    if len(left) != len(right):
        return False
    for p, q in zip(left, right, strict=True):
        if not (same(p.low, q.low, facts) and same(p.high, q.high, facts)):
            return False
        if set(p.holes) != set(q.holes) or (p.step, p.first) != (q.step, q.first):
            return False
        if not same_minimum(p.forms, q.forms, (*facts, *q.facts())):
            return False
    return True


def same_maxima(left: tuple[Forms, ...], right: tuple[Forms, ...], facts: Facts) -> bool:
    """Whether two maxima of minima are equal under the facts."""
    if not (left and right):
        return left == right

    def covered(some: tuple[Forms, ...], others: tuple[Forms, ...]) -> bool:
        return all(any(not_above(s, o, facts) for o in others) for s in some)

    return covered(left, right) and covered(right, left)


def same_sums(left: Derived, right: Derived, facts: Facts) -> bool:
    """Whether two sums of loads are equal under the facts."""
    divisor = math.lcm(left.divisor, right.divisor)
    left, right = left.scaled(divisor), right.scaled(divisor)
    (rest, powers), (other_rest, others) = (_reduced(side, facts) for side in (left, right))
    for power in powers:
        for other in others:
            if (
                power.b == other.b
                and same(power.a, other.a, facts)
                and same_minimum(power.maximum, other.maximum, facts)
            ):
                others.remove(other)
                break
        else:
            break
    else:
        if not others and same(rest, other_rest, facts):
            return True
    number = _value(left, facts)
    return number is not None and number == _value(right, facts)


def _reduced(sums: Derived, facts: Facts) -> tuple[Affine, list[Power]]:
    """A sum whose powers with a maximum that the facts fix are added to the rest."""
    rest, powers = sums.rest, []
    for power in sums.powers:
        for top in range(4):
            if same_minimum(power.maximum, (Affine(constant=top),), facts):
                rest = rest + (power.a + power.b * (top - 1)) * (1 << top)
                break
        else:
            powers.append(power)
    return rest, powers


def _value(sums: Derived, facts: Facts) -> int | None:
    """A sum of loads as a number, if the facts leave every form of it one small value."""
    total = _fixed(sums.rest, facts)
    for power in sums.powers:
        tops = [_fixed(form, facts) for form in power.maximum]
        a = _fixed(power.a, facts)
        if total is None or a is None or None in tops:
            return None
        top = min(value for value in tops if value is not None)
        if top < 0:
            return None
        total += (a + power.b * (top - 1)) * (1 << top)
    return total


def _fixed(form: Affine, facts: Facts) -> int | None:
    values = range(-8, 33)
    return next((c for c in values if same(form, Affine(constant=c), facts)), None)
