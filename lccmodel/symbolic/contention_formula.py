"""The contention of a family for every n: loads, degree, sum, distance as formulas.

    T = contention("matrix-transpose:r", "cube:n")
    T.load, T.degree, T.total            2^min(i, r-1, n-r, n-1-i), 2^min(r-1, n-r), ...
    T.at(n=8, r=4)                       the `Contention` of today for these values
    T.checked(12)                        every member counted: messages walked, or matrix ranks

The rules are those of `exponents`; a network word has the number of address bits after the colon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from lccmodel.errors import CommunicationError, InputError, NetworkError, checked_integer
from lccmodel.symbolic.affine import Affine, Facts, impossible
from lccmodel.symbolic.cases import (
    Leaf,
    by_cases,
    conditions,
    expression_of,
    grouped,
    value_of,
)
from lccmodel.symbolic.counting import walked_cube, walked_occupancy
from lccmodel.symbolic.exponents import (
    Derived,
    Forms,
    Segment,
    occupancies,
    same,
    same_maxima,
    same_segments,
    same_sums,
)
from lccmodel.symbolic.families import Family
from lccmodel.symbolic.pieces import domain_text, needed_facts

if TYPE_CHECKING:
    from lccmodel.communication.lcc import LCC
    from lccmodel.placement.contention import Contention

_MOST_WALKED = 12
"""Address bits up to which every message is walked; above, matrix ranks are counted."""

RULES = {
    "R1": "e_i is the number of m < i with t(m) > i, since this rank counts the other m < i",
    "R2": "A = L P U with unit triangles has the exponents of P",
    "R3": "runs of ones are edges of a graph; the rank is vertices less components",
    "R4": "the loads of a block sum are those of its parts",
    "R5": "on an origin T_i is 2^[s(0) < i] times that of the cube for i >= 1, and T_0 = 0",
    "R6": "the maximum of a minimum of affine forms is a minimum over pairs of them",
    "R6b": "2^e = 1 + sum of 2^(v-1) for v = 1..e, added up level by level",
    "R7": "the natural order is free of contention if t(m) <= m + 1, as along the cycles",
    "R8": "best degree on an origin with C cycles and F complemented fixed bits: "
    "0 if C = 0 and F <= 1, 1 if C = 1 and F = 0, else 2",
    "R9": "a scatter has the counts of its gather from the other end",
    "R10": "T_i of the inverse is T_i 2^([s(i) < i] - [t(i) < i])",
    "R11": "a scatter with u bits that no row reads has degree 2^(u-1) or more in "
    "every order: messages from one node differ in these bits when the first bit moves",
    "M1": "an axis whose top t bits are from outside, the w below from it, has load (2^t - 1) 2^w",
    "M2": "the last axis has the load of the first axis of the inverse, the axes exchanged",
    "M3": "an axis whose top bit stays and is complemented has load 2^(a-1)",
    "M4": "an axis whose top d bits read the low d, its low e the top e, with w = a - d - e bits "
    "from outside between, has load 2^(a-2) + 2^(a-d-1) - 2^(e - [e >= d]); 2^(a-2) if w = 0",
    "M6": "a Gray code or its inverse has load 2^(a-1), or 2^(a-2) if its top bit stays",
    "M7": "an axis between others whose top bits are independent at both ends has load 2^(F-2)",
    "M8": "an axis between others with y_k = x_(k-1) has load 2^(F-2)",
    "M9": "an axis between others with y_k = x_(k+1) has load 2^(F-1)",
    "M10": "an axis whose top bits are reversed among themselves has load 2^(a-2)",
    "M11": "the same with L >= 3 complemented bits has load 2^(a-2) + 2^(a-L)",
    "M12": "an axis between others whose low d and top d bits change places, around w constants at "
    "the end below l at the start: 2^(F-2) + 2^(F-d-1) - 2^(F-d-1-max(w, l))",
    "M13": "an axis between others with w constants at the end below l at the start, or the other "
    "way: 2^F - 2^(F-max(w, l))",
    "M14": "scale2 on axes as long as its fields has load 2^a on axis 0, 2^(b-1) on axis 1",
    "T1": "an axis of a torus whose top bit stays has the load of a mesh",
    "T2": "an axis of a torus whose bits stay, top and another one complemented, has load 2^(a-2)",
    "T3": "an axis of a torus whose top bits are from outside, the w below permuted with f values "
    "that stay, has load 2^(a-1) - (2^w - f)/2; 2^(a-1) if only its top bit is complemented",
    "T4": "an axis of a torus with y_k = x_(k+t), the top t bits from outside, has load 2^(a-1)",
    "T5": "an axis of a torus with y_k = x_(k-1), y_0 from outside, has load 2^(a-2), a >= 2",
    "P1": "uniform traffic has every pair of coordinates N/k times on an axis of k of N nodes: "
    "k^2/4 pairs meet in the middle of a mesh, k(k + 2)/8 on a ring, ties +",
    "P2": "neighbor and tornado have one message of every coordinate on a line; s of them pass a "
    "channel, s = 1 and k/2 - 1",
    "P3": "on an origin the nodes are one ring, whose steps change bit i by carry or borrow; "
    "uniform traffic has twice the loads of a cube",
    "fit": "no proof: a form that fits all counts up to n = 12",
}
"""The rules by name; docs/symbolic_rules.md has their proofs."""


class Checked(NamedTuple):
    """Members of a family that were counted: `walked` message by message, `by_ranks` by ranks.

    >>> from lccmodel.symbolic import contention
    >>> contention("perfect-shuffle").checked(5).all_equal
    True
    """

    members: int
    walked: int
    by_ranks: int
    differing: tuple[dict[str, int], ...]

    @property
    def all_equal(self) -> bool:
        """Whether every count equals its formula."""
        return not self.differing


@dataclass(frozen=True)
class ContentionFormula:
    """The contention of a family on a hypercube or an origin, for all parameters.

    Attributes:
        family: the communication.
        network: "cube" or "origin", of as many address bits as the family.
        cases: what was derived for each case of the parameters.
        rules: the rules that prove it, keys of `RULES`.
        derived: True: the rules prove every formula.

    >>> from lccmodel.symbolic import contention
    >>> T = contention("matrix-transpose:r", "cube:n")
    >>> T.load, T.degree
    (2**Min(i, n - r, r - 1, -i + n - 1), 2**Min(n - r, r - 1))
    >>> T.at(n=8, r=4).per_dimension, T.domain, T.rules
    ((1, 2, 4, 8, 8, 4, 2, 1), 'r >= 1 and r < n', ('R1', 'R6', 'R6b'))
    """

    family: Family
    network: str
    cases: tuple[Leaf[Derived], ...]
    rules: tuple[str, ...]
    derived: bool = True

    @property
    def where(self) -> Any:
        """The parameters for which it holds, as a sympy condition."""
        return relations_of(self.family.where)

    @property
    def domain(self) -> str:
        """The parameters for which it holds, as a text."""
        return domain_text(self.family.where)

    @cached_property
    def load(self) -> Any:
        """T_i, in i and the parameters."""
        return self._piecewise(
            lambda p, q, facts: same_segments(p.segments, q.segments, facts),
            lambda d: _loads_expression(d.segments, self.family.n),
        )

    @cached_property
    def degree(self) -> Any:
        """The contention degree, the largest T_i."""
        import sympy

        def expression(d: Derived) -> Any:
            if not d.maxima:
                return sympy.Integer(0)
            return 2 ** sympy.Max(*(_minimum(forms) for forms in d.maxima))

        return self._piecewise(lambda p, q, f: same_maxima(p.maxima, q.maxima, f), expression)

    @cached_property
    def total(self) -> Any:
        """The sum of all T_i."""
        import sympy

        def expression(d: Derived) -> Any:
            total = expression_of(d.rest)
            for power in d.powers:
                top = _minimum(power.maximum)
                total += (expression_of(power.a) + power.b * (top - 1)) * 2**top
            return total / sympy.Integer(d.divisor)

        return self._piecewise(same_sums, expression)

    @cached_property
    def distance(self) -> Any:
        """Messages times links: half of them for a row that changes, all for a complement."""

        def expression(d: Derived) -> Any:
            n = self.family.n.expression
            moving, flipped = expression_of(d.moving), expression_of(d.flipped)
            return moving * 2 ** (n - 1) + flipped * 2**n

        return self._piecewise(
            lambda p, q, f: same(p.moving, q.moving, f) and same(p.flipped, q.flipped, f),
            expression,
        )

    @cached_property
    def occupancy(self) -> Any:
        """Messages in every occupied node before step i, on the hypercube.

        Raises:
            CommunicationError: a scatter, whose nodes are not all occupied alike.
        """
        if self.family.is_scatter:
            raise CommunicationError("occupancy", "must be of a gather", self.family.name)
        return self._piecewise(
            same_segments,
            lambda segments: _loads_expression(segments, self.family.n, covers=True),
            self._occupancies,
        )

    @cached_property
    def _occupancies(self) -> list[Leaf[tuple[Segment, ...]]]:
        family = self.family
        return by_cases(family.where, family.parameters, lambda case: occupancies(family, case))

    def _piecewise(
        self,
        agree: Callable[[Any, Any, Facts], bool],
        expression: Callable[[Any], Any],
        results: Sequence[Leaf[Any]] | None = None,
    ) -> Any:
        """One expression for all cases; the exceptions first."""
        import sympy

        groups = grouped(list(self.cases if results is None else results), agree)
        main, *others = groups
        others.sort(key=lambda group: len(group[1]))
        pairs = []
        for k, (result, covered) in enumerate(others):
            rest = [leaf for _, leaves in (main, *others[k + 1 :]) for leaf in leaves]
            pairs.append((expression(result), conditions_of(covered, rest, self.family.where)))
        if not pairs:
            return expression(main[0])
        return sympy.Piecewise(*pairs, (expression(main[0]), True))

    # -- values ------------------------------------------------------------------------------

    def loads_at(self, **values: int) -> tuple[int, ...]:
        """Return T_0, T_1, ... for values of the parameters.

        Raises:
            InputError: unknown or missing names, or values outside `where`.

        >>> from lccmodel.symbolic import contention
        >>> contention("bit-reverse", "origin:n").loads_at(n=6)
        (0, 2, 4, 4, 2, 1)
        """
        numbers = self.family.checked_values(values)
        loads = [0] * self.family.n.value(numbers)
        for i, e in _exponents(self._case(self.cases, numbers).segments, numbers):
            loads[i] = 1 << e
        return tuple(loads)

    def at(self, **values: int) -> Contention:
        """Return the contention for values of the parameters, as `lccmodel.contention` returns it.

        Raises:
            InputError: unknown or missing names, or values outside `where`.

        >>> from lccmodel.symbolic import contention
        >>> contention("bit-reverse", "cube:n").at(n=4).degree
        2
        """
        from lccmodel.placement.contention import Contention
        from lccmodel.problem import Problem

        numbers = self.family.checked_values(values)
        loads = self.loads_at(**values)
        problem = Problem.read(self.family.at(**values), f"{self.network}:{len(loads)}")
        return Contention(loads, "formula", problem, "ascending", self._distance_at(numbers))

    def _distance_at(self, numbers: dict[str, int]) -> int:
        derived: Derived = self._case(self.cases, numbers)
        n = self.family.n.value(numbers)
        changed = value_of(derived.moving, numbers) << n
        return changed // 2 + (value_of(derived.flipped, numbers) << n)

    def _occupancy_at(self, numbers: dict[str, int]) -> tuple[int, ...]:
        segments = self._case(self._occupancies, numbers)
        return tuple(1 << e for _, e in _exponents(segments, numbers))

    def checked(self, n: int = _MOST_WALKED) -> Checked:
        """Count every member of at most n address bits, and compare loads and occupancies.

        Messages are walked up to n = 12; above, matrix ranks are eliminated (n <= 64).

        Raises:
            InputError: n is not an integer in 1..64.

        >>> from lccmodel.symbolic import contention
        >>> contention("matrix-transpose:r", "cube:n").checked(7)
        Checked(members=21, walked=21, by_ranks=0, differing=())
        """
        limit = checked_integer("n", n, least=1)
        if limit > 64:
            raise InputError("n", "must be at most 64", n)
        differing, walked, ranked = [], 0, 0
        for values in self.family.members(limit):
            member = self.family.at(**values)
            if member.n <= _MOST_WALKED:
                walked += 1
                counts = walked_cube(member, self.network == "origin")
                gather = self.network == "cube" and not self.family.is_scatter
                held = walked_occupancy(member) if gather else None
            else:
                ranked += 1
                counts, held = _ranked(member, self.network == "origin")
            numbers = self.family.checked_values(values)
            equal = counts == self.loads_at(**values)
            if equal and held is not None:
                equal = held == self._occupancy_at(numbers)
            if not equal:
                differing.append(values)
        return Checked(walked + ranked, walked, ranked, tuple(differing))

    def _case(self, results: Sequence[Leaf[Any]], numbers: dict[str, int]) -> Any:
        for leaf in results:
            if all(value_of(fact, numbers) >= 0 for fact in leaf.facts):
                return leaf.result
        raise InputError("values", f"must satisfy {self.domain}", numbers)

    # -- views -------------------------------------------------------------------------------

    @property
    def latex(self) -> str:
        """T_i as LaTeX."""
        import sympy

        text: str = sympy.latex(self.load)
        return text

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle T_i = {self.latex}$"

    def __repr__(self) -> str:
        where = f"{self.network}:{self.family.n}"
        return f"<contention of {self.family.name} on {where}: T_i = {self.load}>"


def network_kind(network: str, family: Family) -> str:
    """ "cube" or "origin", if the network has the address bits of the family.

    Raises:
        NetworkError: another network.
    """
    from lccmodel.symbolic.parsing import affine

    kind, _, bits = network.partition(":")
    if kind not in ("cube", "origin"):
        rule = 'no rule covers this network; must be "cube:n", "origin:n" or "mesh:2^a x 2^b"'
        raise NetworkError("network", rule, network)
    if bits and affine("network", bits) != family.n:
        rule = f"must have the {family.n} address bits of {family.name}"
        raise NetworkError("network", rule, network)
    return kind


def _ranked(member: LCC, internal: bool) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """Loads and occupancies from ranks of submatrices."""
    from lccmodel.lattice.ranks import Ranks

    ranks = Ranks(member, (0,) if internal else ())
    loads = ((0,) if internal else ()) + ranks.loads(ranks.bits)
    if internal or member.kind == "scatter":
        return loads, None
    return loads, tuple(ranks.occupancy((1 << i) - 1) for i in range(member.n))


def _exponents(segments: tuple[Segment, ...], numbers: dict[str, int]) -> list[tuple[int, int]]:
    """The rows that move and their exponents."""
    exponents = []
    for s in segments:
        holes = [value_of(hole, numbers) for hole in s.holes]
        for p in range(value_of(s.low, numbers), value_of(s.high, numbers) + 1):
            if 2 * p not in holes:
                values = {**numbers, "i": p}
                e = min(value_of(form, values) for form in s.forms)
                exponents.append((s.step * p + s.first, e))
    return sorted(exponents)


# -- sympy ---------------------------------------------------------------------------------------


def relations_of(facts: Facts) -> Any:
    """The facts that the others do not imply, as a sympy condition."""
    import sympy

    return sympy.And(*(_relation(fact) for fact in needed_facts(facts)))


def _relation(fact: Affine) -> Any:
    """A fact as a sympy relation."""
    import sympy

    terms = [(v, c) for v, c in fact.terms]
    positive = sympy.Add(*(c * sympy.Symbol(v) for v, c in terms if c > 0))
    negative = sympy.Add(*(-c * sympy.Symbol(v) for v, c in terms if c < 0))
    if positive and negative and fact.constant == -1:
        return positive > negative
    if not negative:
        return positive >= -fact.constant
    return positive + fact.constant >= negative


def _minimum(forms: Forms) -> Any:
    import sympy

    return sympy.Min(*(expression_of(form) for form in forms))


def _loads_expression(segments: tuple[Segment, ...], n: Affine, covers: bool = False) -> Any:
    """Powers of two on segments, 0 elsewhere; or segments that cover all rows."""
    import sympy

    i = sympy.Symbol("i")
    pairs: list[tuple[Any, Any]] = []
    for s in segments:
        for hole in s.holes:
            pairs.append((sympy.Integer(0), sympy.Eq(2 * i, expression_of(hole))))
    whole = len(segments) == 1 and segments[0].step == 1
    if whole and (segments[0].low, segments[0].high) == (Affine(), n - 1):
        pairs.append((2 ** _minimum(segments[0].forms), sympy.true))
        return sympy.Piecewise(*pairs)
    for s in segments:
        low, high = (s.step * expression_of(end) + s.first for end in (s.low, s.high))
        inside = sympy.Eq(i, low) if s.low == s.high else sympy.And(i >= low, i <= high)
        power = 2 ** _minimum(s.forms)
        if s.step > 1:
            power = power.subs(i, (i - s.first) / sympy.Integer(s.step))
            inside = sympy.And(sympy.Eq(sympy.Mod(i, s.step), s.first), inside)
        pairs.append((power, inside))
    if covers:
        return sympy.Piecewise(*pairs[:-1], (pairs[-1][0], sympy.true))
    return sympy.Piecewise(*pairs, (sympy.Integer(0), sympy.true))


def conditions_of(covered: list[Leaf[Any]], rest: list[Leaf[Any]], where: Facts) -> Any:
    """A condition that holds in the covered cases and in none of the rest."""
    import sympy

    needs = [conditions(leaf, where) for leaf in covered]
    for fact in dict.fromkeys(fact for facts, _ in needs for fact in facts):
        inside = all(impossible((*leaf.facts, -fact - 1)) for leaf in covered)
        if inside and all(impossible((*leaf.facts, fact)) for leaf in rest):
            return _small(fact)
    remainders = [_by_form(needed) for _, needed in needs]
    for (base, divisor), value in remainders[0].items():
        inside = all(needed.get((base, divisor)) == value for needed in remainders)
        if inside and all(
            _by_form(conditions(leaf, where)[1]).get((base, divisor), value) != value
            for leaf in rest
        ):
            return sympy.Eq(sympy.Mod(expression_of(base), divisor), value)
    parts = []
    for facts, needed in needs:
        relations = [_small(fact) for fact in facts if -fact not in facts]
        for fact in facts:
            if -fact in facts and fact.terms[0][1] > 0:  # an equality
                first = Affine(dict(fact.terms[:1]))
                relations.append(sympy.Eq(first.expression, (first - fact).expression))
        relations += [
            sympy.Eq(sympy.Mod(expression_of(base), divisor), value)
            for base, divisor, value in needed
        ]
        parts.append(sympy.And(*relations))
    return sympy.Or(*parts)


def _by_form(remainders: list[tuple[Affine, int, int]]) -> dict[tuple[Affine, int], int]:
    return {(base, divisor): value for base, divisor, value in remainders}


def _small(fact: Affine) -> Any:
    """A fact as a relation; n <= 1 rather than 1 >= n."""
    import sympy

    positive = {v: c for v, c in fact.terms if c > 0}
    if positive:
        return _relation(fact)
    negative = sympy.Add(*(-c * sympy.Symbol(v) for v, c in fact.terms))
    return negative <= fact.constant
