"""Contention of families on meshes and tori of sides 2^a, 2^b, ..., axis 0 corrected first.

Axis 0 has the bits 0..a-1 of a node, axis 1 the b bits above, and so on. While an axis is
corrected, the bits of y below it and those of x above it are the same along its line. So its load
is that of one line, on which some bits of the start and of the end are constants:

    M1    the top t bits of the field are constants at the end, the w below read bits of the field,
          complemented only those that are among the w: (2^t - 1) 2^w
    M2    the last axis has the load of the first axis of the inverse, the axes exchanged: the
          messages run back on the same channels
    M3    the top bit of the field stays and is complemented: 2^(a-1)
    M4    the top d bits read the low d, the low e read the top e, the w = a - d - e bits between
          are constants: 2^(a-2) + 2^(a-d-1) - 2^(e - [e >= d]); 2^(a-2) if w = 0 and d, e >= 1
    M6    Gray code or its inverse: 2^(a-1) if the top bit is added to a constant, else 2^(a-2)
    M10   the top L >= 2 bits are reversed among themselves: 2^(a-2), whatever the bits below do
    M11   the same, complemented: 2^(a-2) + 2^(a-L) for L >= 3

The first axis has the load of the first of two axes, the last one that of the second. On an axis
between, 2^F messages are on a line, F the source bits below its end that no row below it reads:

    M1    the top t bits are constants at one end of the messages only: 2^F - 2^(F-t)
    M3    2^(F-1)
    M12   the low d and top d bits change places, w constants at the end below l at the start
          between them: 2^(F-2) + 2^(F-d-1) - 2^(F-d-1-max(w, l))
    M13   w constants at the end below l at the start, or the other way: 2^F - 2^(F-max(w, l))
    M14   scale2 on axes as long as its fields: 2^a on axis 0, 2^(b-1) on axis 1, on tori, too
    M7    the top t bits of start and end are independent: 2^(F-2); constants: 2^F
    M8    y_k = x_(k-1): 2^(F-2); M9   y_k = x_(k+1): 2^(F-1) for two bits or more

Bits above that stay split a line into equal parts, so the field then ends below them. On a torus

    T1    a field whose top bit stays has the load of a mesh: half of a ring is a line whose ends
          are less than half a ring apart
    T2    every bit of the field stays, the top one and another one are complemented: 2^(a-2)
    T3    the top t bits are constants and the w below are permuted among themselves, which leaves
          f of their 2^w values as they are: 2^(a-1) - (2^w - f) / 2; the top bit is complemented
          and those below stay or are constants: 2^(a-1)
    T4    y_k = x_(k+t), the top t constants: 2^(a-1)
    T5    y_k = x_(k-1), y_0 a constant: 2^(a-2) for a >= 2

Where no rule applies, some fields have a form that fits all counts up to n = 12; `derived` is then
False. These are questions of ours: the top L >= 2 bits of a ring reversed among themselves, with
any permutation below; shifts whose top d bits read the low d and low e <= d the top e; and Gray
codes below a constant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError, NetworkError, checked_integer
from lccmodel.symbolic.affine import Affine, Facts, impossible
from lccmodel.symbolic.cases import Case, Leaf, by_cases, expression_of, grouped
from lccmodel.symbolic.contention_formula import Checked, conditions_of, relations_of
from lccmodel.symbolic.counting import walked_mesh
from lccmodel.symbolic.exponents import NotProved, same
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.interleaved_axes import exchanged, interleaved_load
from lccmodel.symbolic.pieces import Piece, domain_text, in_order
from lccmodel.symbolic.translation import highest_one_of

if TYPE_CHECKING:
    from lccmodel.placement.contention import Contention

_MOST_BITS = 12
_GRAY = ("gray-code", "inverse-gray-code")


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
('M1', 'M2', 'M4'), True)
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
        vector, domain = self.family.vector, domain_text(self._where)
        return domain if vector is None else f"{domain} and {vector} < 2**{self.family.n}"

    @property
    def where(self) -> Any:
        """The parameters for which it holds, as a sympy condition."""
        import sympy

        relations = relations_of(self._where)
        if self.family.vector is None:
            return relations
        size = 2**self.family.n.expression
        return sympy.And(relations, sympy.Symbol(self.family.vector) < size)

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
        """Return the load of each axis for values of the parameters.

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
        """Return the contention for values of the parameters, as `lccmodel.contention` returns it.

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
            for point, widths in _all_sides(self.family, self.widths, values, member.n):
                walked += 1
                counts = walked_mesh(member, widths, self.network == "torus")
                if counts != self.loads_at(**point):
                    differing.append(point)
        return Checked(walked, walked, 0, tuple(differing))

    def __repr__(self) -> str:
        shape = " x ".join(f"2^({width})" for width in self.widths)
        return f"<contention of {self.family.name} on {self.network}:{shape}: {self.loads}>"


def _all_sides(
    family: Family, widths: Sequence[Affine], values: dict[str, int], n: int
) -> Iterator[tuple[dict[str, int], tuple[int, ...]]]:
    """Values of all parameters and the bits of the axes, for all sides of at least 2."""
    used = {v for width in widths for v in width.variables}
    extra = sorted(used - set(family.parameters))
    for chosen in product(range(1, n), repeat=len(extra)):
        point = {**values, **dict(zip(extra, chosen, strict=True))}
        sides = tuple(width.value(point) for width in widths)
        if min(sides) >= 1:
            yield point, sides


def mesh_contention(family: Family, network: str) -> MeshContentionFormula:
    """Derive the loads of both axes; see the module.

    Raises:
        CommunicationError: no rule proves a load, and no form is known that fits.
        NetworkError: not a mesh or torus of two sides that are powers of two.
    """
    kind, widths = axis_widths(network, family)
    where = (*family.where, *(width - 1 for width in widths))
    names = (*dict.fromkeys([*(v for w in widths for v in w.variables), *family.parameters]),)
    axes: list[tuple[Leaf[_Load], ...]] = []
    for axis in range(len(widths)):
        if family.vector is not None:
            turned = _open_load(family.vector, _sum(widths[:axis]), widths[axis], kind)
            axes.append((Leaf(where, turned),))
            continue

        def load(case: Case, axis: int = axis) -> _Load:
            below, above = _sum(widths[:axis]), _sum(widths[axis + 1 :])
            if axis == 0:
                pair = (widths[0], above)
            elif axis == len(widths) - 1:
                pair = (below, widths[axis])
            else:
                return _middle_load(family, below, widths[axis], kind == "torus", case)
            return _axis_load(family, pair, min(axis, 1), kind == "torus", case)

        try:
            axes.append(tuple(by_cases(where, names, load)))
        except NotProved as error:
            sides = "x".join(f"2^({width})" for width in widths)
            rule = (
                f"no rule proves this family on {kind}:{sides}; counted for small n: "
                f"{_counted_loads(family, kind, widths)}"
            )
            raise NotProved("family", rule, family.name) from error
    return MeshContentionFormula(family, kind, widths, tuple(axes))


def _open_load(vector: str, low: Affine, width: Affine, kind: str) -> _Load:
    """M3, T2 and T3 for y = x + b with an open b: the top bit of b on the axis decides."""
    import sympy

    w = expression_of(width)
    bits = sympy.Mod(sympy.floor(sympy.Symbol(vector) / 2 ** expression_of(low)), 2**w)
    pairs = [(0, sympy.Eq(bits, 0))]
    if kind == "torus":
        pairs.append((2 ** (w - 2), bits > 2 ** (w - 1)))
    form = sympy.Piecewise(*pairs, (2 ** highest_one_of(bits), True))
    return _Load("M3" if kind == "mesh" else "T1 T2 T3", Affine(), Affine(), form=form)


def _sum(widths: Sequence[Affine]) -> Affine:
    return sum(widths, Affine())


def axis_widths(network: str, family: Family) -> tuple[str, tuple[Affine, ...]]:
    """ "mesh" or "torus" and the bits of its axes, if they are the address bits of the family.

    Raises:
        NetworkError: another network, a side below 2, or other address bits.
    """
    from lccmodel.symbolic.parsing import affine

    kind, _, rest = network.partition(":")
    if "," in rest:
        rule = "must have nothing after a comma: formulas are for links alike and ties that go +"
        raise NetworkError("network", rule, network)
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
    if impossible((*family.where, *(width - 1 for width in (*others, last)))):
        raise NetworkError("network", "must have sides of at least 2 for some parameters", network)
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
    if family.combs:
        return _refused(family) if torus else _interleaved_load(family, widths, axis, case)
    if not family.is_permutation:
        return _other_load(family, widths, axis, torus, case)
    pieces = [p for p in family.pieces if case.decide(p.high - p.low - 1)]
    if axis:
        pieces = _exchanged([p.inverse for p in pieces], widths, case)
    rows = _clipped(pieces, width, case)
    if torus and rows and _stays(rows[-1], case) and not rows[-1].complement:
        on_line = _axis_load(family, widths, axis, False, case)
        return replace(on_line, rule=f"T1 {on_line.rule}")
    rows, top = _without_fixed_top(rows, width, case)
    if not rows:
        return _Load("M1", zero, zero)
    last = rows[-1]
    if torus:
        return _ring_load(rows, width, case) or _refused(family)
    if _stays(last, case) and last.complement:
        return _Load("M3", top - 1, zero, is_power=True)
    outside = top
    below = list(rows)
    while below and case.decide(below[-1].source_low - width):
        outside = below[-1].low
        below = below[:-1]
    if outside is not top and all(
        case.decide(outside - p.source_high)
        or (not p.complement and case.decide(width - p.source_high))
        for p in below
    ):
        return _Load("M1", top - outside, outside)
    if last.slope < 0 and case.equal(last.offset, last.low + last.high - 1):
        turned = _reversal_load(last, top, top - last.high + last.low, rows[:-1], width, case)
    else:
        turned = _shifted_load(rows, top, width, case)
    return turned or _refused(family)


def _interleaved_load(
    family: Family, widths: tuple[Affine, Affine], axis: int, case: Case
) -> _Load:
    combs = exchanged(family.combs, widths, case) if axis else family.combs
    load = interleaved_load(combs, widths[axis], case)
    if load is None:
        return _refused(family)
    if isinstance(load, tuple):
        return _Load("M1", *load)
    return _Load("fit", Affine(), Affine(), form=load)


def _shifted_load(rows: Sequence[Piece], top: Affine, width: Affine, case: Case) -> _Load | None:
    """M4 for the rows below the bits that stay; None if it does not apply."""
    read = _ends_of_shift(rows, top, width, case)
    if read is None:
        return None
    d, e = read
    if not same(d + e, top, case.facts):
        half = Affine(constant=int(case.decide(e - d)))
        A, D, E = (expression_of(form) for form in (top, d, e - half))
        form = 2 ** (A - 2) + 2 ** (A - D - 1) - 2**E
        if form != 2 ** (A - 2):
            return _Load("M4", Affine(), Affine(), form=form)
    return _Load("M4", top - 2, Affine(), is_power=True)


def _ends_of_shift(
    rows: Sequence[Piece], top: Affine, width: Affine, case: Case
) -> tuple[Affine, Affine] | None:
    """d and e if the top d bits read the low d, the low e the top e, and the others constants."""
    zero = Affine()
    *below, last = rows
    e = zero
    if below and not case.decide(below[0].source_low - width):
        first, *below = below
        e = first.high - first.low
        begins = case.equal(first.low, zero) and case.equal(first.source_low, top - e)
        if first.complement or first.slope < 0 or not begins:
            return None
    if last.complement or last.slope < 0 or not case.equal(last.source_low, zero):
        return None
    constant = all(case.decide(p.source_low - width) for p in below)
    return (last.high - last.low, e) if constant else None


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
    if family.combs:
        return _refused(family)
    if not family.is_permutation:
        if not family.name.startswith(_GRAY):
            return _refused(family)
        return _gray_load(width, torus, case)  # the bits above are constants
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
    rows, top = _without_fixed_top(rows, high, case)
    if not rows:
        return _Load("M1", zero, zero)
    free = free - (high - top)
    if torus:
        turned = _turned_ring(rows, free, case)
        if turned is not None:
            return turned
    elif _stays(rows[-1], case):
        return _Load("M3", free - 1, zero, is_power=True)

    def is_outside(piece: Piece) -> tuple[bool, bool]:
        return case.decide(low - piece.source_high), case.decide(piece.source_low - high)

    last = rows[-1]
    if not torus and last.slope < 0 and case.equal(last.offset, last.low + last.high - 1):
        length, rest = last.high - last.low, rows[:-1]
        if not last.complement or case.decide(length - 3):
            turned = _reversal_load(last, free, free - length, (), high, case)
            if turned is not None:
                return turned
        elif all(is_outside(p) == (False, True) for p in rest) and _is_free(
            pieces, (low, last.low), low, case
        ):
            return _Load("M11", top - low - 1, free - (top - low))
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
                    return _Load("T3", free - 1, zero, is_power=True)
            elif not torus:
                return _Load("M7", free if side[1] else free - 2, zero, is_power=True)
    if not torus:
        crossed = _crossed_load(pieces, rows, (low, top, high), free, case)
        if crossed is not None:
            return crossed
    if not torus and same(top, high, case.facts):
        one = Affine(constant=1)
        fixed = [p for p in below if case.decide(p.source_low - low) and p in read]
        if _all_shifted(rows, -one, case) and not fixed:
            return _Load("M8", free - 2, zero, is_power=True)
        single = len(fixed) == 1 and case.equal(fixed[0].source_high - fixed[0].source_low, one)
        if _all_shifted(rows, one, case) and single and case.equal(fixed[0].source_low, low):
            return _Load("M9", free - 1, zero, is_power=True)
    return _refused(family)


def _crossed_load(
    pieces: Sequence[Piece],
    rows: Sequence[Piece],
    field: tuple[Affine, Affine, Affine],
    free: Affine,
    case: Case,
) -> _Load | None:
    """M12 and M13 on the field low..top-1 of an axis that ends at high; None if neither applies."""
    low, top, high = field
    first, last = rows[0], rows[-1]
    d, between, start = Affine(), list(rows), low
    if not (case.decide(low - last.source_high) or case.decide(last.source_low - high)):
        d = last.high - last.low
        exchanged = (
            len(rows) > 1
            and not (first.complement or last.complement or first.slope < 0 or last.slope < 0)
            and case.equal(first.low, low)
            and case.equal(first.high, low + d)
            and case.equal(first.source_low, last.low)
            and case.equal(last.source_low, low)
        )
        if not exchanged:
            return None
        between, start = between[1:-1], low + d
    # The lower of them end at constants and begin at free bits, the upper ones the other way.
    edge = start
    while between and case.decide(between[0].source_low - high):
        edge = between[0].high
        between = between[1:]
    end = top - d
    if not all(case.decide(low - p.source_high) for p in between):
        return None
    if not (
        _is_free(pieces, (start, edge), low, case)
        and _is_free(pieces, (edge, end), low, case, False)
    ):
        return None
    w, length = edge - start, end - edge
    larger = w if case.decide(w - length) else length
    N, D, W = (expression_of(form) for form in (free, d, larger))
    if not same(d, Affine(), case.facts):
        form = 2 ** (N - 2) + 2 ** (N - D - 1) - 2 ** (N - D - 1 - W)
        return _Load("M12", Affine(), Affine(), form=form)
    return _Load("M13", larger, free - larger)


def _is_free(
    pieces: Sequence[Piece],
    bits: tuple[Affine, Affine],
    low: Affine,
    case: Case,
    above: bool = True,
) -> bool:
    """Whether rows above these bits of an axis read them all; or, with `above` False, below it."""
    start, end = bits
    if not case.decide(end - start - 1):
        return True
    readers = [p.inverse for p in pieces]
    for edge in bits:
        readers = _cut(readers, edge, case)
    inside = [p for p in readers if case.decide(p.low - start) and case.decide(end - p.high)]
    return all(
        case.decide(p.source_low - end) if above else case.decide(low - p.source_high)
        for p in inside
    )


def _turned_ring(rows: Sequence[Piece], free: Affine, case: Case) -> _Load | None:
    """T2 and T3 if every bit stays and the top one is complemented, with 2^free messages."""
    if not all(_stays(row, case) for row in rows):
        return None
    top = rows[-1]
    single = case.equal(top.high - top.low, Affine(constant=1))
    if single and not any(row.complement for row in rows[:-1]):
        return _Load("T3", free - 1, Affine(), is_power=True)
    return _Load("T2", free - 2, Affine(), is_power=True)


def _all_shifted(rows: Sequence[Piece], distance: Affine, case: Case) -> bool:
    """Whether y_k = x_(k + distance) in all rows."""
    return all(
        row.slope > 0 and not row.complement and case.equal(row.offset, distance) for row in rows
    )


def _without_fixed_top(rows: list[Piece], top: Affine, case: Case) -> tuple[list[Piece], Affine]:
    """The rows below those at the top that copy their own bits, and where these begin."""
    while rows and _stays(rows[-1], case) and not rows[-1].complement:
        *rows, fixed = rows
        top = fixed.low
    return rows, top


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


def _other_load(
    family: Family, widths: tuple[Affine, Affine], axis: int, torus: bool, case: Case
) -> _Load:
    """Gray codes and their inverses by M6, and doubled images by M14."""
    zero, width = Affine(), widths[axis]
    if family.name.startswith("scale2") and case.equal(widths[0], family.pieces[1].high):
        return _Load("M14", width - axis, zero, is_power=True)
    if not family.name.startswith(_GRAY):
        return _refused(family)
    wide = case.decide(width - 2)
    if axis:  # T1: the top bit stays, so a torus has the load of the mesh
        return _Load("M6", width - 2, zero, is_power=True) if wide else _Load("M6", zero, zero)
    return _gray_load(width, torus, case)


def _gray_load(width: Affine, torus: bool, case: Case) -> _Load:
    """M6 with a constant above the axis; on a torus a fit for two bits or more."""
    if not torus:
        return _Load("M6", width - 1, Affine(), is_power=True)
    if not case.decide(width - 2):
        return _Load("T3", Affine(), Affine(), is_power=True)
    return _Load("fit", Affine(), Affine(), form=2 ** (expression_of(width) - 2) + 1)


def _ring_load(rows: Sequence[Piece], width: Affine, case: Case) -> _Load | None:
    """The load of an axis of a torus whose top bit moves; None if no rule and no fit applies."""
    zero = Affine()
    last, below, outside = rows[-1], list(rows), width
    turned = _turned_ring(rows, width, case)
    if turned is not None:
        return turned
    if _stays(last, case):
        single = case.equal(last.high - last.low, Affine(constant=1))
        constant = all(case.decide(row.source_low - width) for row in rows[:-1])
        return _Load("T3", width - 1, zero, is_power=True) if single and constant else None
    while below and case.decide(below[-1].source_low - width):
        outside = below[-1].low
        below = below[:-1]
    if outside is not width:
        if all(case.decide(outside - p.source_high) for p in below):
            return _ring_of_constants(below, width, outside, case)
        shifted = _all_shifted(below, width - outside, case)
        return _Load("T4", width - 1, zero, is_power=True) if shifted else None
    if last.slope < 0 and case.equal(last.offset, last.low + last.high - 1):
        return _reversed_ring(last, width, case)
    return _shifted_ring(rows, width, case)


def _ring_of_constants(
    below: Sequence[Piece], width: Affine, free: Affine, case: Case
) -> _Load | None:
    """T3: half of the nodes, without those whose `free` low bits become a larger number."""
    import sympy

    if all(_stays(piece, case) and not piece.complement for piece in below):
        return _Load("T3", width - 1, Affine(), is_power=True)
    points: Any = 1  # numbers of `free` bits that stay as they are
    for piece in below:
        length = expression_of(piece.high - piece.low)
        if piece.slope < 0 and case.equal(piece.offset, piece.low + piece.high - 1):
            points *= 2 ** sympy.ceiling(length / 2)
            if piece.complement and case.half(piece.high - piece.low)[1]:
                points = sympy.Integer(0)
        elif _stays(piece, case):
            points *= 0 if piece.complement else 2**length
        else:
            return None
    F, W = expression_of(free), expression_of(width)
    return _Load("T3", Affine(), Affine(), form=2 ** (W - 1) - (2**F - points) / 2)


def _reversed_ring(last: Piece, width: Affine, case: Case) -> _Load:
    """The top L >= 2 bits are reversed: the same for all permutations of the bits below."""
    L = last.high - last.low
    half, odd = case.half(L)
    W = expression_of(width)
    rest = expression_of(width - L) if odd and last.complement else W - 2 - expression_of(half)
    return _Load("fit", Affine(), Affine(), form=2 ** (W - 3) + 2**rest)


def _shifted_ring(rows: Sequence[Piece], width: Affine, case: Case) -> _Load | None:
    """The top d bits read the low d, the low e <= d the top e, constants between them."""
    import sympy

    read = _ends_of_shift(rows, width, width, case)
    if read is None or len(rows) < 2 + (read[1] != Affine()):
        return None
    d, e = read
    constants = width - d - e
    if e == Affine() and case.equal(constants, Affine(constant=1)):
        return _Load("T5", width - 2, Affine(), is_power=True)
    if case.decide(e - d - 1):
        return None
    W, D = expression_of(width), expression_of(d)
    if case.equal(d, e):
        return _Load("fit", Affine(), Affine(), form=2 ** (W - 3) + 2 ** (W - D - 2))
    form = 2 ** (W - D - 2) * sympy.ceiling(2 ** (W - 1) / (2 ** (W - D) - 1))
    return _Load("fit", Affine(), Affine(), form=form)


def _refused(family: Family) -> _Load:
    raise NotProved("family", "no rule proves a load", family.name)


def _counted_loads(family: Family, kind: str, widths: Sequence[Affine]) -> str:
    """The loads of the members of at most 5 bits, or of the shortest, walked, as a text."""
    texts = []
    for values in family.members(max(5, len(widths) + 1), len(widths)):
        member = family.at(**values)
        for point, sides in _all_sides(family, widths, values, member.n):
            loads = walked_mesh(member, sides, kind == "torus")
            texts.append(f"{', '.join(f'{k} = {v}' for k, v in point.items())}: {loads}")
    return "; ".join(texts[-6:])
