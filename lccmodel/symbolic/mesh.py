"""Contention of families on meshes and tori of sides 2^a, 2^b, ..., axis 0 corrected first.

Axis 0 has the bits 0..a-1 of a node, axis 1 the b bits above, and so on. While an axis is
corrected, the bits of y below it and those of x above it are the same along its line. So its load
is that of one line, on which some bits of the start and of the end are constants:

    M1    the top t bits of the field are constants at the end, the w below are permuted among
          themselves: (2^t - 1) 2^w on a mesh; 2^(t-1) on a torus if w = 0
    M2    the last axis has the load of the first axis of the inverse, the axes exchanged: the
          messages run back on the same channels
    M3    the top bit of the field stays and is complemented: 2^(a-1)
    M4    y_k = x_(k-1), y_0 a constant: 2^(a-2) for a >= 2
    M5    y_k = x_(k+t), the top t constants: (2^t - 1) 2^(a-t)
    M6    Gray code: 2^(a-1) if the top bit is added to a constant, 2^(a-2) if it stays
    M10   the top L >= 2 bits are reversed among themselves: 2^(a-2), whatever the bits below do
    M11   the same, complemented: 2^(a-2) + 2^(a-L) for L >= 3
    M12   the low d bits and the top d change places, between them w >= 1 constants, h = d + w:
          2^(a-2) + 2^(h-1) - 2^(d-1)

The first axis has the load of the first of two axes, the last one that of the second. On an axis
between, 2^F messages are on a line, F the source bits below its end that no row below it reads:

    M1    the top t bits are constants at one end of the messages only: 2^F - 2^(F-t)
    M3    2^(F-1)
    M7    the top t bits of start and end are independent: 2^(F-2); constants: 2^F
    M8    y_k = x_(k-1): 2^(F-2); M9   y_k = x_(k+1): 2^(F-1) for two bits or more

Bits above that stay split a line into equal parts, so the field then ends below them. On a torus

    T1    a field whose top bit stays has the load of a mesh: half of a ring is a line whose ends
          are less than half a ring apart
    T2    every bit of the field stays and is complemented: 2^(a-2), and 1 for a = 1, since x and
          2^a - 1 - x are joined through the middle or through the end, whichever is nearer

Where no rule applies, some words have a form that fits all counts up to n = 12; `derived` is then
False.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError, NetworkError, checked_integer
from lccmodel.symbolic.affine import Affine, Facts
from lccmodel.symbolic.cases import Case, Leaf, by_cases, expression_of, grouped
from lccmodel.symbolic.contention_formula import Checked, conditions_of, relations_of
from lccmodel.symbolic.counting import walked_mesh
from lccmodel.symbolic.exponents import NotProved, same
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.pieces import Piece, domain_text, in_order

if TYPE_CHECKING:
    from lccmodel.placement.contention import Contention

_MOST_BITS = 12


@dataclass(frozen=True)
class _Load:
    """(2^t - 1) 2^w, and the rule that proves it; some have an expression instead."""

    rule: str
    t: Affine
    w: Affine
    form: Any = None
    is_power: bool = False
    """2^t instead."""

    @property
    def expression(self) -> Any:
        if self.form is not None:
            return self.form
        t, w = expression_of(self.t), expression_of(self.w)
        return 2**t if self.is_power else (2**t - 1) * 2**w


@dataclass(frozen=True)
class MeshContentionFormula:
    """The contention of a family on a mesh or torus of sides 2^a, 2^b, ...

    Attributes:
        family: the communication.
        network: "mesh" or "torus".
        widths: the bits of the axes.
        rules: the rules that prove the loads; "fit" for a form that fits all counts.

    >>> from lccmodel.symbolic import contention
    >>> T = contention("perfect-shuffle", "mesh:2^a x 2^b")
    >>> T.loads, T.rules, T.derived
    ((Piecewise((2**a - 1, a <= 1), (2**(a - 2), True)), 2**(-a + n - 1)), \
('M1', 'M2', 'M4', 'M5'), True)
    """

    family: Family
    network: str
    widths: tuple[Affine, ...]
    _axes: tuple[tuple[Leaf[_Load], ...], ...]

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules of all cases."""
        rules = {rule for axis in self._axes for leaf in axis for rule in leaf.result.rule.split()}
        return tuple(sorted({*rules, "M2"}))

    @property
    def derived(self) -> bool:
        """Whether rules prove every load; otherwise some only fit the counts."""
        return "fit" not in self.rules

    @property
    def domain(self) -> str:
        """The parameters for which it holds, as a text."""
        return domain_text(self._where)

    @property
    def where(self) -> Any:
        """The parameters for which it holds, as a sympy condition."""
        return relations_of(self._where)

    @property
    def _where(self) -> Facts:
        return (*self.family.where, *(width - 1 for width in self.widths))

    @cached_property
    def loads(self) -> tuple[Any, ...]:
        """The largest load of a channel of each axis."""
        return tuple(self._expression(axis) for axis in self._axes)

    def _expression(self, axis: Sequence[Leaf[_Load]]) -> Any:
        import sympy

        main, *others = grouped(list(axis), _agree)
        pairs = []
        for k, (load, covered) in enumerate(others):
            rest = [leaf for _, leaves in (main, *others[k + 1 :]) for leaf in leaves]
            pairs.append((load.expression, conditions_of(covered, rest, self._where)))
        return sympy.Piecewise(*pairs, (main[0].expression, True))

    @property
    def degree(self) -> Any:
        """The contention degree, the larger load."""
        import sympy

        return sympy.Max(*self.loads)

    @property
    def total(self) -> Any:
        """The sum of the loads."""
        import sympy

        return sympy.Add(*self.loads)

    def loads_at(self, **values: int) -> tuple[int, ...]:
        """The load of each axis for values of the parameters.

        Raises:
            InputError: unknown or missing names, or values outside the domain.
        """
        import sympy

        extra = {v for width in self.widths for v in width.variables}
        extra -= set(self.family.parameters)
        own = {name: value for name, value in values.items() if name not in extra}
        numbers = self.family.checked_values(own)
        for name in extra:
            if name not in values:
                raise InputError(name, "must be given: the bits of an axis", None)
            numbers[name] = checked_integer(name, values[name])
        for width in self.widths:
            if width.value(numbers) < 1:
                raise InputError("network", f"must have sides of at least 2: {width} >= 1", values)
        known = {sympy.Symbol(name): value for name, value in numbers.items()}
        return tuple(int(load.subs(known)) for load in self.loads)

    def at(self, **values: int) -> Contention:
        """The contention for values of the parameters, as `lccmodel.contention` returns it.

        The formula gives the loads; messages times links is the sum over the messages.

        Raises:
            InputError: unknown or missing names, or values outside the domain.
        """
        from lccmodel.placement.contention import Contention
        from lccmodel.problem import Problem

        loads = self.loads_at(**values)
        own = {name: values[name] for name in self.family.parameters}
        member = self.family.at(**own)
        sides = "x".join(str(1 << width.value(values)) for width in self.widths)
        problem = Problem.read(member, f"{self.network}:{sides}")
        used = problem.network.channel_loads(problem.program.phases[0].traffic)
        return Contention(loads, "formula", problem, "ascending", used.total)

    def checked(self, n: int = 8) -> Checked:
        """Walk every message of every member of at most n address bits, for all sides.

        Raises:
            InputError: n is not an integer in 1..12.
        """
        limit = checked_integer("n", n, least=1)
        if limit > _MOST_BITS:
            raise InputError("n", f"must be at most {_MOST_BITS}", n)
        differing, walked = [], 0
        for values in self.family.members(limit, len(self.widths)):
            member = self.family.at(**values)
            for point, widths in self._sides(values, member.n):
                walked += 1
                if self.network == "mesh":
                    counts: Sequence[Any] = walked_mesh(member, widths)
                else:
                    from lccmodel.placement.contention import contention

                    sides = "torus:" + "x".join(str(1 << width) for width in widths)
                    counts = contention(member, sides, method="walk").per_dimension
                if tuple(counts) != self.loads_at(**point):
                    differing.append(point)
        return Checked(walked, walked, 0, tuple(differing))

    def _sides(
        self, values: dict[str, int], n: int
    ) -> Iterator[tuple[dict[str, int], tuple[int, ...]]]:
        """Values of all parameters and the widths for them, for all sides of at least 2."""
        used = {v for width in self.widths for v in width.variables}
        extra = sorted(used - set(self.family.parameters))
        for chosen in product(range(1, n), repeat=len(extra)):
            point = {**values, **dict(zip(extra, chosen, strict=True))}
            widths = tuple(width.value(point) for width in self.widths)
            if min(widths) >= 1:
                yield point, widths

    def __repr__(self) -> str:
        shape = " x ".join(f"2^({width})" for width in self.widths)
        return f"<contention of {self.family.name} on {self.network}:{shape}: {self.loads}>"


def mesh_contention(family: Family, network: str) -> MeshContentionFormula:
    """Derive the loads of both axes; see the module.

    Raises:
        CommunicationError: no rule proves a load, and no form is known that fits.
        NetworkError: not a mesh or torus of two sides that are powers of two.
    """
    if family.vector is not None:
        rule = "must be a number on a mesh: no rule covers an open vector there"
        raise NotProved(family.vector, rule, family.name)
    if family.combs:
        raise NotProved("family", "no rule covers interleaved bits on a mesh", family.name)
    kind, widths = _widths(network, family)
    where = (*family.where, *(width - 1 for width in widths))
    names = (*dict.fromkeys([*(v for w in widths for v in w.variables), *family.parameters]),)
    axes = []
    for axis in range(len(widths)):

        def load(case: Case, axis: int = axis) -> _Load:
            below, above = _sum(widths[:axis]), _sum(widths[axis + 1 :])
            if axis == 0:
                pair = (widths[0], above)
            elif axis == len(widths) - 1:
                pair = (below, widths[axis])
            else:
                return _middle_load(family, below, widths[axis], kind == "torus", case)
            return _axis_load(family, pair, min(axis, 1), kind == "torus", case)

        axes.append(tuple(by_cases(where, names, load)))
    return MeshContentionFormula(family, kind, widths, tuple(axes))


def _sum(widths: Sequence[Affine]) -> Affine:
    return sum(widths, Affine())


def _widths(network: str, family: Family) -> tuple[str, tuple[Affine, ...]]:
    from lccmodel.symbolic.parsing import affine

    kind, _, rest = network.partition(":")
    sides = [side.strip() for side in rest.split("x")]
    if kind not in ("mesh", "torus") or len(sides) < 2:
        rule = 'must be "mesh:2^a x 2^b", "torus:2^a x 2^b" or one of more sides'
        raise NetworkError("network", rule, network)
    widths = []
    for side in sides:
        if not side.startswith("2^"):
            raise NetworkError("network", "must have sides such as 2^a", network)
        widths.append(affine("network", side[2:].strip("()")))
    *others, last = widths
    if len(last.terms) == 1 and last.constant == 0 and last.terms[0][1] == 1:
        name = last.variables[0]
        if name not in family.parameters and all(name not in w.variables for w in others):
            last = family.n - _sum(others)  # b of "2^a x 2^b" is n - a
    if _sum(others) + last != family.n:
        rule = f"must have the {family.n} address bits of {family.name}"
        raise NetworkError("network", rule, network)
    return kind, (*others, last)


def _agree(p: _Load, q: _Load, facts: Facts) -> bool:
    if p.form is not None or q.form is not None:
        return bool(p.form == q.form)
    if p.is_power == q.is_power:
        return same(p.t, q.t, facts) and (p.is_power or same(p.w, q.w, facts))
    power, spread = (p, q) if p.is_power else (q, p)  # 2^w where t = 1
    one = Affine(constant=1)
    return same(spread.t, one, facts) and same(power.t, spread.w, facts)


# -- one axis ------------------------------------------------------------------------------------


def _axis_load(
    family: Family, widths: tuple[Affine, Affine], axis: int, torus: bool, case: Case
) -> _Load:
    zero = Affine()
    width = widths[axis]
    if not family.is_permutation:
        return _other_load(family, width, axis, torus, case)
    pieces = [p for p in family.pieces if case.decide(p.high - p.low - 1)]
    if axis:
        pieces = _exchanged([p.inverse for p in pieces], widths, case)
    rows = _clipped(pieces, width, case)
    if torus and rows and _stays(rows[-1], case) and not rows[-1].complement:
        on_line = _axis_load(family, widths, axis, False, case)
        return replace(on_line, rule=f"T1 {on_line.rule}")
    top = width
    while rows and _stays(rows[-1], case) and not rows[-1].complement:
        top = rows[-1].low
        rows = rows[:-1]
    if not rows:
        return _Load("M1", zero, zero)
    last = rows[-1]
    if torus and _is_turned(rows, zero, width, case):
        return _Load("T2", _quarter(width, width, case), zero, is_power=True)
    if not torus and _stays(last, case) and last.complement:
        return _Load("M3", top - 1, zero, is_power=True)
    outside = top
    below = list(rows)
    while below and case.decide(below[-1].source_low - width):
        outside = below[-1].low
        below = below[:-1]
    if outside is not top and all(case.decide(outside - p.source_high) for p in below):
        if not torus:
            return _Load("M1", top - outside, outside)
        if same(top, width, case.facts) and same(outside, zero, case.facts):
            return _Load("M1", width - 1, zero, is_power=True)
        return _fitted(family, widths, axis, torus, case)
    if torus:
        return _fitted(family, widths, axis, torus, case)
    if outside is not top and _all_shifted(below, top - outside, case):
        return _Load("M5", top - outside, outside)
    turned = _reversed_load(rows, top, width, case)
    if turned is not None:
        return turned
    if same(top, width, case.facts):
        one = Affine(constant=1)
        first, *rest = rows
        shuffled = rest and case.equal(first.high, one) and _all_shifted(rest, -one, case)
        if shuffled and case.decide(first.source_low - width):
            return _Load("M4", width - 2, zero, is_power=True)
    return _fitted(family, widths, axis, torus, case)


def _reversed_load(rows: Sequence[Piece], top: Affine, width: Affine, case: Case) -> _Load | None:
    """M10, M11 and M12 for the rows below the bits that stay; None if none of them applies."""
    first, last = rows[0], rows[-1]
    L = last.high - last.low
    if last.slope < 0 and case.equal(last.offset, last.low + last.high - 1):
        return _reversal_load(last, top, top - L, rows[:-1], width, case)
    low, middle = last.low, rows[1:-1]
    if (
        middle
        and not (first.complement or last.complement or first.slope < 0 or last.slope < 0)
        and case.equal(first.low, Affine())
        and case.equal(first.high, L)
        and case.equal(first.source_low, low)
        and case.equal(last.source_low, Affine())
        and all(case.decide(p.source_low - width) for p in middle)
    ):
        a, h, d = (expression_of(form) for form in (top, low, L))
        form = 2 ** (a - 2) + 2 ** (h - 1) - 2 ** (d - 1)
        return _Load("M12", Affine(), Affine(), form=form)
    return None


def _reversal_load(
    last: Piece, free: Affine, rest: Affine, below: Sequence[Piece], width: Affine, case: Case
) -> _Load | None:
    """M10 and M11: 2^free messages, 2^rest of them for each value of the reversed bits."""
    L = last.high - last.low
    if not last.complement:
        return _Load("M10", free - 2, Affine(), is_power=True)
    if case.decide(L - 3):
        form = 2 ** expression_of(free - 2) + 2 ** expression_of(rest)
        return _Load("M11", Affine(), Affine(), form=form)
    if all(case.decide(p.source_low - width) for p in below):
        return _Load("M11", free - 1, Affine())
    return None


def _middle_load(family: Family, low: Affine, width: Affine, torus: bool, case: Case) -> _Load:
    """The load of an axis that has other axes on both sides, by counts of the bits on its line."""
    zero, high = Affine(), low + width
    if not family.is_permutation:
        if torus or not family.name.startswith("gray-code"):
            return _refused(family, torus)
        return _Load("M6", width - 1, zero, is_power=True)  # the bit above is a constant
    pieces = [p for p in family.pieces if case.decide(p.high - p.low - 1)]
    for edge in (low, high):
        pieces = _cut(pieces, edge, case)
    below = [p for p in pieces if case.decide(low - p.high)]
    read = [p for p in below if case.decide(high - p.source_high)]
    free = high - _sum([p.high - p.low for p in read])
    rows = [p for p in pieces if p not in below and case.decide(high - p.high)]
    by_rows = {(p.low, p.high): p for p in rows}
    rows = [by_rows[pair] for pair in in_order(list(by_rows), case)]
    if torus and _stays(rows[-1], case) and not rows[-1].complement:
        on_line = _middle_load(family, low, width, False, case)
        return replace(on_line, rule=f"T1 {on_line.rule}")
    top = high
    while rows and _stays(rows[-1], case) and not rows[-1].complement:
        top = rows[-1].low
        rows = rows[:-1]
    if not rows:
        return _Load("M1", zero, zero)
    free = free - (high - top)
    if torus and _is_turned(rows, low, high, case):
        return _Load("T2", _quarter(free, width, case), zero, is_power=True)
    if _stays(rows[-1], case) and rows[-1].complement:
        return _refused(family, torus) if torus else _Load("M3", free - 1, zero, is_power=True)

    def is_outside(piece: Piece) -> tuple[bool, bool]:
        return case.decide(low - piece.source_high), case.decide(piece.source_low - high)

    last = rows[-1]
    if not torus and last.slope < 0 and case.equal(last.offset, last.low + last.high - 1):
        length = last.high - last.low
        if not last.complement or case.decide(length - 3):
            turned = _reversal_load(last, free, free - length, (), high, case)
            if turned is not None:
                return turned
    side, start = is_outside(rows[-1]), top
    rest = list(rows)
    while rest and any(side) and is_outside(rest[-1]) == side:
        start = rest[-1].low
        rest = rest[:-1]
    inside = all(not any(is_outside(p)) and case.decide(start - p.source_high) for p in rest)
    if any(side) and inside:
        readers = _cut(_cut([p.inverse for p in pieces], start, case), top, case)
        readers = [p for p in readers if case.decide(p.low - start) and case.decide(top - p.high)]
        constant = [case.decide(low - p.source_high) for p in readers]
        whole = same(start, low, case.facts) and same(top, high, case.facts)
        if all(constant) or not any(constant):
            if all(constant) != side[1]:  # a constant at one end only
                if not torus:
                    return _Load("M1", top - start, free - (top - start))
                if whole:
                    return _Load("M1", free - 1, zero, is_power=True)
            elif not torus:
                return _Load("M7", free if side[1] else free - 2, zero, is_power=True)
    if not torus and same(top, high, case.facts):
        one = Affine(constant=1)
        fixed = [p for p in below if case.decide(p.source_low - low) and p in read]
        if _all_shifted(rows, -one, case) and not fixed:
            return _Load("M8", free - 2, zero, is_power=True)
        single = len(fixed) == 1 and case.equal(fixed[0].source_high - fixed[0].source_low, one)
        if _all_shifted(rows, one, case) and single and case.equal(fixed[0].source_low, low):
            return _Load("M9", free - 1, zero, is_power=True)
    return _refused(family, torus)


def _is_turned(rows: Sequence[Piece], low: Affine, high: Affine, case: Case) -> bool:
    """Whether every bit of a field stays and is complemented."""
    ends = zip([low, *(row.high for row in rows)], [*(row.low for row in rows), high], strict=True)
    turned = all(_stays(row, case) and row.complement for row in rows)
    return turned and all(case.equal(end, start) for end, start in ends)


def _quarter(free: Affine, width: Affine, case: Case) -> Affine:
    """A quarter of 2^free messages; on a ring of two nodes half of them."""
    return free - (2 if case.decide(width - 2) else 1)


def _all_shifted(rows: Sequence[Piece], distance: Affine, case: Case) -> bool:
    """Whether y_k = x_(k + distance) in all rows."""
    return all(row.slope > 0 and case.equal(row.offset, distance) for row in rows)


def _stays(piece: Piece, case: Case) -> bool:
    if piece.slope > 0:
        return case.equal(piece.offset, Affine())
    return case.equal(piece.high - piece.low, Affine(constant=1)) and case.equal(
        piece.offset, piece.low * 2
    )


def _clipped(pieces: Sequence[Piece], width: Affine, case: Case) -> list[Piece]:
    """The rows below the width, in ascending order, each with sources on one side of it."""
    parts = []
    for piece in _cut(pieces, width, case):
        if case.decide(width - piece.high):
            parts.append(piece)
    by_rows = {(p.low, p.high): p for p in parts}
    return [by_rows[pair] for pair in in_order(list(by_rows), case)]


def _cut(pieces: Sequence[Piece], place: Affine, case: Case) -> list[Piece]:
    """Pieces cut where rows or sources pass a place."""
    done: list[Piece] = []
    pending = list(pieces)
    while pending:
        piece = pending.pop()
        source = place - piece.offset if piece.slope > 0 else piece.offset - place + 1
        for edge in (place, source):
            if case.decide(edge - piece.low - 1) and case.decide(piece.high - edge - 1):
                low = Piece(piece.low, edge, piece.slope, piece.offset, piece.complement)
                high = Piece(edge, piece.high, piece.slope, piece.offset, piece.complement)
                pending += [low, high]
                break
        else:
            done.append(piece)
    return done


def _exchanged(pieces: Sequence[Piece], widths: tuple[Affine, Affine], case: Case) -> list[Piece]:
    """The pieces with the bits of axis 1 first."""
    a, b = widths
    moved = []
    for piece in _cut(pieces, a, case):
        rows = b if case.decide(a - piece.high) else -a
        sources = b if case.decide(a - piece.source_high) else -a
        change = sources - rows if piece.slope > 0 else sources + rows
        moved.append(
            Piece(
                piece.low + rows,
                piece.high + rows,
                piece.slope,
                piece.offset + change,
                piece.complement,
            )
        )
    return moved


def _other_load(family: Family, width: Affine, axis: int, torus: bool, case: Case) -> _Load:
    """The Gray code by M6."""
    if not family.name.startswith("gray-code"):
        return _refused(family, torus)
    zero = Affine()
    wide = case.decide(width - 2)
    if axis:  # T1: the top bit stays, so a torus has the load of the mesh
        return _Load("M6", width - 2, zero, is_power=True) if wide else _Load("M6", zero, zero)
    if not torus:
        return _Load("M6", width - 1, zero, is_power=True)
    if not wide:
        return _Load("M1", Affine(constant=1), zero)
    return _Load("fit", zero, zero, form=2 ** (expression_of(width) - 2) + 1)


def _fitted(
    family: Family, widths: tuple[Affine, Affine], axis: int, torus: bool, case: Case
) -> _Load:
    """A form that fits all counts up to n = 12."""
    import sympy

    if not torus:
        return _refused(family)
    name = family.name.partition(":")[0]
    a, b = widths
    A, B = (expression_of(width) for width in widths)
    zero = Affine()

    def fit(value: Any) -> _Load:
        return _Load("fit", zero, zero, form=value)

    half = sympy.Rational(1, 2)
    if name in ("bit-reverse", "fft"):
        if axis == 0 and case.decide(a - b - 2):
            return fit(2 ** (A - 3) + 2 ** (A - sympy.floor((A - B) * half) - 2))
        if axis == 1 and case.decide(b - a - 1):
            return fit(2 ** (B - 1) - 2 ** (B - A - 1) + 2 ** sympy.floor((B - A - 1) * half))
    wide, narrow, W = (a, b, A) if axis == 0 else (b, a, B)
    if name == "matrix-transpose" and case.decide(wide - narrow - 1):
        H = expression_of(family.pieces[0].high)
        if same(family.pieces[0].high * 2, family.n, case.facts):
            return fit(2 ** (W - 3) + 2 ** (H - 2))
    return _refused(family, torus)


def _refused(family: Family, torus: bool = False) -> _Load:
    texts = []
    for values in family.members(5, 2):
        member = family.at(**values)
        for first in range(1, member.n):
            loads = walked_mesh(member, (first, member.n - first))
            point = ", ".join(f"{k} = {v}" for k, v in {**values, "a": first}.items())
            texts.append(f"{point}: {loads}")
    rule = (
        f"no rule proves this family on this {'torus' if torus else 'mesh'}; on meshes of two "
        f"sides counted for n <= 5: {'; '.join(texts[-6:])}"
    )
    raise NotProved("family", rule, family.name)
