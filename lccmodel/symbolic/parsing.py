"""Families from sympy: s(k) as an affine expression, a Piecewise of such, or Mod(affine, n)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, TypeAlias

from lccmodel.errors import InputError
from lccmodel.symbolic.affine import Affine, Facts, implied, impossible
from lccmodel.symbolic.cases import Case, by_cases
from lccmodel.symbolic.interleaving import Comb
from lccmodel.symbolic.pieces import Entries, Piece, in_order

Interval: TypeAlias = tuple[Affine, Affine]
"""Rows low..high-1."""


class Parts(NamedTuple):
    """What makes a family: its size, pieces, facts and triangles."""

    n: Affine
    pieces: tuple[Piece, ...]
    where: Facts
    lower: Entries | None
    upper: Entries | None
    combs: tuple[Comb, ...] = ()


def parts_of(
    order: Any, k: Any, n: Any, where: Any, complement: Any, lower: Any, upper: Any
) -> Parts:
    """Read s(k) and what goes with it; arguments and errors as for `Family.of`."""
    row = _symbol("k", k)
    size = affine("n", n)
    facts = facts_of("where", where)
    if size.constant == 0 and len(size.terms) == 1:
        facts = (*facts, size - 1)
    facts = tuple(dict.fromkeys(facts))
    if impossible(facts):
        raise InputError("where", "must allow some parameters", str(where))
    rows = _Rows(row, size, facts)
    pieces: tuple[Piece, ...] = ()
    combs = combs_of(order, row, size, facts, complement)
    if combs and not (lower is None and upper is None):
        raise InputError("order", "must have slope 1 or -1 next to triangles", str(order))
    if not combs:
        pieces = rows.complemented(rows.pieces("order", order), complement)
    used = {v for p in pieces for form in (p.low, p.high, p.offset) for v in form.variables}
    used |= {v for comb in combs for form in comb.forms for v in form.variables}
    ranged = {v for fact in facts for v in fact.variables}
    for parameter in sorted((used | set(size.variables)) - ranged):
        rule = f"must give a range of the parameter {parameter}, as in 1 <= {parameter}"
        raise InputError("where", rule, str(where))
    triangles = {
        side: None if entries is None else Entries((facts_of(side, entries, row),))
        for side, entries in (("lower", lower), ("upper", upper))
    }
    return Parts(size, pieces, facts, triangles["lower"], triangles["upper"], combs)


def run_ends(last: Any, row: str, pieces: tuple[Piece, ...], n: Affine, facts: Facts) -> Entries:
    """The entries of U for rows that are runs from s(k) to last(k): row s(k) of U ends at last(k).

    Raises:
        InputError: runs that are empty or exceed n for some k.
    """
    rows = _Rows(row, n, facts)
    cases = []
    for value, low, high in rows.parts("last", last):
        end = affine("last", value, row)
        for piece in pieces:
            k = (rows.k - piece.offset) * piece.slope  # the row that begins at this bit
            of_bit = end.replaced("k", k)
            inside = (k - low, high - k - 1, k - piece.low, piece.high - k - 1)
            known = (*facts, *inside)
            if not (implied(known, of_bit - rows.k) and implied(known, n - 1 - of_bit)):
                rule = f"must be at least the first bit and below {n} for all k"
                raise InputError("last", rule, str(last))
            cases.append((*inside, of_bit - Affine.variable("j")))
    return Entries(tuple(cases))


def combs_of(order: Any, row: str, n: Affine, facts: Facts, complement: Any) -> tuple[Comb, ...]:
    """The combs of s(k) if it has slopes of 2 or conditions on the parity of k, else nothing.

    Raises:
        InputError: parities next to bounds or a number of bits that need not be even, or other
            slopes than ±1, ±2 and, for every second k, ±1/2.
    """
    import sympy

    expression = _sympified("order", order)
    if not isinstance(expression, sympy.Expr):
        raise InputError("order", "must be the number of a bit, not a condition", order)
    k = sympy.Symbol(row)
    branches: list[tuple[Any, Any]] = [(expression, sympy.true)]
    if isinstance(expression, sympy.Piecewise):
        branches = [(value, where) for value, where in expression.args]
    moduli = {m for _, where in branches for m in where.atoms(sympy.Mod)}
    if moduli - {sympy.Mod(k, 2)}:
        rule = f"must have conditions on Mod({row}, 2) and affine ones only"
        raise InputError("order", rule, str(min(moduli - {sympy.Mod(k, 2)}, key=str)))
    by_parity = bool(moduli)
    slopes = [value.diff(k) for value, _ in branches if not isinstance(value, sympy.Mod)]
    if not by_parity and not {2, -2} & set(slopes):
        return ()
    if not isinstance(complement, bool):
        rule = "must be True or False for all rows of a permutation with slope 2"
        raise InputError("complement", rule, str(complement))
    if not by_parity:
        pieces = _Rows(row, n, facts, steep=True).pieces("order", expression)
        return tuple(
            Comb(p.low, 1, p.low * p.slope + p.offset, p.slope, p.high - p.low, complement)
            for p in pieces
        )
    p = sympy.Symbol("k")
    combs = []
    for residue in (0, 1):
        even = {k: 2 * p + residue}
        cases = []
        for value, where in branches:
            parts = where.args if isinstance(where, sympy.And) else (where,)
            parity = {sympy.Mod(k, 2): sympy.Integer(residue)}
            kept = [part.subs(parity).subs(even) for part in parts]
            if sympy.false not in kept:
                cases.append((value.subs(even), [c for c in kept if c != sympy.true]))
        combs += _class_combs(cases, residue, n, facts, complement)
    return tuple(combs)


def _class_combs(
    cases: list[tuple[Any, list[Any]]], residue: int, n: Affine, facts: Facts, complement: bool
) -> list[Comb]:
    """The combs of the rows 2 k + residue."""
    import sympy

    def halved(form: Affine) -> Affine:
        if any(c % 2 for _, c in form.terms):
            rule = "must have bounds such as k < 2*r next to Mod(k, 2)"
            raise InputError("order", rule, str(form))
        return Affine({v: c // 2 for v, c in form.terms}, form.constant // 2)

    if any(c % 2 for _, c in n.terms):
        raise InputError("n", "must be even or odd, such as 2*h, next to Mod(k, 2)", str(n))
    rows = _Rows("k", halved(n - residue + 1), facts, steep=True)
    pairs = []
    for value, conditions in cases:
        bounds = []
        for condition in conditions:
            for fact in facts_of("order", condition, "k"):
                c = fact.coefficient("k")
                rest = halved(fact - rows.k * c) if abs(c) == 2 else fact - rows.k * c
                bounds.append((rows.k * (c // 2) if abs(c) == 2 else rows.k * c) + rest)
        relations = [bound.expression >= 0 for bound in bounds]
        pairs.append((value, sympy.And(*relations)))
    pieces = rows.pieces("order", sympy.Piecewise(*pairs))
    return [
        Comb(
            p.low * 2 + residue,
            2,
            p.low * p.slope + p.offset,
            p.slope,
            p.high - p.low,
            complement,
        )
        for p in pieces
    ]


class _Rows:
    """The rows 0..n-1 of a family that is being read."""

    def __init__(self, row: str, n: Affine, facts: Facts, steep: bool = False) -> None:
        self.row, self.n, self.facts, self.steep = row, n, facts, steep
        self.k = Affine.variable("k")

    def pieces(self, argument: str, order: Any) -> tuple[Piece, ...]:
        """The pieces of s(k)."""
        parts = self.parts(argument, order)
        return tuple(piece for part in parts for piece in self._simple(argument, *part))

    def parts(self, argument: str, order: Any) -> list[tuple[Any, Affine, Affine]]:
        """The values of a Piecewise, or the only one, and the rows low..high-1 that have them."""
        import sympy

        order = _sympified(argument, order)
        if not isinstance(order, sympy.Piecewise):
            return [(order, Affine(), self.n)]
        parts: list[tuple[Any, Affine, Affine]] = []
        for value, where in order.args:
            taken = [(low, high) for _, low, high in parts]
            if where == True:  # noqa: E712 - sympy's true
                intervals = self._gaps(taken)
            else:
                intervals = [self._interval(argument, where)]
            parts += [(value, *self._beside(argument, pair, taken, where)) for pair in intervals]
        return parts

    def _beside(
        self,
        argument: str,
        pair: tuple[Affine, Affine],
        taken: list[tuple[Affine, Affine]],
        where: Any,
    ) -> tuple[Affine, Affine]:
        """What earlier conditions leave of an interval: sympy takes the first that holds.

        sympy shortens k >= r to nothing after k < r, so intervals that begin in earlier ones are
        cut; others that overlap are refused.
        """
        low, high = pair
        for other_low, other_high in taken:
            filled = (high - low - 1, other_high - other_low - 1)
            if impossible((*self.facts, *filled, high - other_low - 1, other_high - low - 1)):
                continue
            if not (implied(self.facts, low - other_low) and implied(self.facts, other_high - low)):
                rule = f"must not have overlapping conditions: {where} overlaps"
                raise InputError(argument, rule, f"{other_low} <= k < {other_high}")
            low = other_high
        return low, high

    def _simple(self, argument: str, value: Any, low: Affine, high: Affine) -> tuple[Piece, ...]:
        import sympy

        if isinstance(value, sympy.Mod):
            form, modulus = value.args
            if affine(argument, modulus) != self.n:
                raise InputError(argument, "Mod must be modulo n", str(value))
            base = affine(argument, form, self.row)
            slope = self._slope(argument, base, value)
            offset = base - self.k * slope
            return tuple(
                piece
                for turns in (-1, 0, 1)
                for piece in [self._turned(low, high, slope, offset + self.n * turns)]
                if not impossible((*self.facts, piece.high - piece.low - 1))
            )
        form = affine(argument, value, self.row)
        slope = self._slope(argument, form, value)
        return (Piece(low, high, slope, form - self.k * slope),)

    def _turned(self, low: Affine, high: Affine, slope: int, offset: Affine) -> Piece:
        """The rows whose value slope k + offset is in 0..n-1."""
        first, last = (-offset, self.n - offset) if slope > 0 else (offset - self.n + 1, offset + 1)
        start = first if implied(self.facts, first - low) else low
        end = last if implied(self.facts, high - last) else high
        return Piece(start, end, slope, offset)

    def _slope(self, argument: str, form: Affine, value: Any) -> int:
        slope = form.coefficient("k")
        if slope in (1, -1) or (slope in (2, -2) and self.steep):
            return slope
        if slope in (2, -2):
            raise InputError(argument, "must have slope 1 or -1 in k inside Mod", str(value))
        raise InputError(argument, f"must have slope ±1 or ±2 in k, not {slope}", str(value))

    def _interval(self, argument: str, where: Any) -> tuple[Affine, Affine]:
        low, high = Affine(), self.n
        for fact in facts_of(argument, where, self.row):
            c = fact.coefficient("k")
            if abs(c) != 1:
                rule = "must have conditions of the form k >= ... or k < ..."
                raise InputError(argument, rule, str(where))
            bound = -(fact - self.k * c) * c
            if c > 0:
                low = bound if implied(self.facts, bound - low) else low
            elif implied(self.facts, high - bound - 1):
                high = bound + 1
        return low, high

    def _gaps(self, taken: list[tuple[Affine, Affine]]) -> list[tuple[Affine, Affine]]:
        """What the intervals leave of 0..n-1, if their sequence is the same for all parameters."""

        def gaps(case: Case) -> list[tuple[Affine, Affine]]:
            ends, end = [], Affine()
            for low, high in in_order(taken, case):
                ends.append((end, low))
                end = high
            return [*ends, (end, self.n)]

        leaves = by_cases(self.facts, (), gaps)
        if any(leaf.result != leaves[0].result for leaf in leaves):
            rule = "must name the last piece by its conditions, since their sequence varies"
            raise InputError("order", rule, "True")
        return [
            (low, high)
            for low, high in leaves[0].result
            if not impossible((*self.facts, high - low - 1))
        ]

    def complemented(self, pieces: tuple[Piece, ...], where: Any) -> tuple[Piece, ...]:
        """The pieces cut where complements begin and end."""
        if isinstance(where, bool):
            return tuple(Piece(p.low, p.high, p.slope, p.offset, where) for p in pieces)
        import sympy

        where = _sympified("complement", where)
        cut = list(pieces)
        for part in where.args if isinstance(where, sympy.Or) else (where,):
            low, high = self._interval("complement", part)
            cut = [piece for p in cut for piece in self._marked(p, low, high)]
        return tuple(cut)

    def _marked(self, p: Piece, low: Affine, high: Affine) -> list[Piece]:
        """A piece in up to three parts, the one in low..high-1 complemented."""
        known = self.facts
        start = low if implied(known, low - p.low) else p.low
        end = high if implied(known, p.high - high) else p.high
        if not (implied(known, start - low) and implied(known, high - end)):
            rule = f"must begin and end inside one piece for all parameters, as {p.low}..{p.high}"
            raise InputError("complement", rule, f"{low} <= k < {high}")
        parts = ((p.low, start, False), (start, end, True), (end, p.high, False))
        return [
            Piece(a, b, p.slope, p.offset, p.complement ^ marked)
            for a, b, marked in parts
            if not impossible((*known, b - a - 1))
        ]


def _symbol(argument: str, value: Any) -> str:
    import sympy

    expression = _sympified(argument, value)
    if not isinstance(expression, sympy.Symbol):
        raise InputError(argument, "must be a symbol", str(value))
    return str(expression.name)


_TEXT = re.compile(r"[A-Za-z0-9_+\-*/(),<>=&|~ ]*")
_CALLS = {"Piecewise", "Mod", "And", "Or", "Not", "Eq", "Ge", "Gt", "Le", "Lt"}


def _sympified(argument: str, value: Any) -> Any:
    import sympy

    rule = "must be a sympy expression or its text, of names and integers"
    if isinstance(value, str):
        # sympy evaluates texts as Python, so only arithmetic, conditions and these calls get there.
        calls = set(re.findall(r"(\w+)\s*\(", value)) - {"and", "or", "not"}
        if not _TEXT.fullmatch(value) or "__" in value or len(value) > 500 or calls - _CALLS:
            raise InputError(argument, rule, value)
        words = set(re.findall(r"[A-Za-z_]\w*", value)) - _CALLS - {"True", "False"}
        names = {word: sympy.Symbol(word) for word in words}
        try:
            value = sympy.sympify(value, locals=names)
        except Exception as error:  # whatever the parser of another package raises
            raise InputError(argument, rule, value) from error
    if isinstance(value, bool):
        return sympy.true if value else sympy.false
    try:
        expression = sympy.sympify(value, strict=True)
    except (sympy.SympifyError, TypeError, AttributeError) as error:
        raise InputError(argument, rule, value) from error
    if not isinstance(expression, (sympy.Expr, sympy.logic.boolalg.Boolean)):
        raise InputError(argument, rule, value)
    return expression


def affine(argument: str, value: Any, row: str = "") -> Affine:
    """An expression as an affine form with integer coefficients; `row` becomes the variable k.

    Raises:
        InputError: not such a form.

    >>> affine("n", "n - 2*r + 1")
    n - 2*r + 1
    """
    import sympy

    read = _sympified(argument, value)
    if not isinstance(read, sympy.Expr):
        raise InputError(argument, "must be affine with integer coefficients", str(value))
    expression = sympy.expand(read)
    terms: dict[str, int] = {}
    constant = 0
    rule = "must be affine with integer coefficients"
    for factor, coefficient in expression.as_coefficients_dict().items():
        if not coefficient.is_Integer:
            raise InputError(argument, rule, str(value))
        if factor == 1:
            constant = int(coefficient)
        elif isinstance(factor, sympy.Symbol):
            name = "k" if factor.name == row else factor.name
            terms[name] = terms.get(name, 0) + int(coefficient)
        else:
            raise InputError(argument, rule, str(value))
    return Affine(terms, constant)


def facts_of(argument: str, where: Any, row: str = "") -> Facts:
    """Conditions as forms that are >= 0: relations, `And` of relations, texts, or several.

    Raises:
        InputError: what is no condition between affine forms.

    >>> facts_of("where", "1 <= r"), facts_of("where", ("r < n", "n >= 2"))
    ((r - 1,), (n - r - 1, n - 2))
    """
    import sympy

    if isinstance(where, (list, tuple)):
        return tuple(fact for part in where for fact in facts_of(argument, part, row))
    expression = _sympified(argument, where)
    if isinstance(expression, sympy.And):
        return tuple(fact for part in expression.args for fact in facts_of(argument, part, row))
    if expression == sympy.true:
        return ()
    if not isinstance(expression, sympy.core.relational.Relational):
        raise InputError(argument, "must be a condition such as 1 <= r", str(where))
    left = affine(argument, expression.lhs, row)
    right = affine(argument, expression.rhs, row)
    if isinstance(expression, sympy.Eq):
        return (left - right, right - left)
    facts = {
        sympy.GreaterThan: left - right,
        sympy.StrictGreaterThan: left - right - 1,
        sympy.LessThan: right - left,
        sympy.StrictLessThan: right - left - 1,
    }
    for kind, fact in facts.items():
        if isinstance(expression, kind):
            return (fact,)
    raise InputError(argument, "must be one of <, <=, >, >=, Eq", str(where))
