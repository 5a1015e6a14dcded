"""Affine forms over the integers, and inequalities that hold for all their integer points.

    form            c_0 + c_1 x_1 + ... with integer c; a fact is a form that is >= 0
    implied(F, f)   whether f >= 0 at every integer point of F: F and -f - 1 >= 0 have none

A system without integer points is recognised by Fourier-Motzkin elimination: a variable is removed
by adding multiples of every lower and every upper bound. Constants are rounded down after division
by the common divisor of the coefficients, which keeps every integer point. So "none" is a proof;
where the elimination does not say "none" the answer counts as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import gcd
from typing import Any

_MOST_FACTS = 4000
"""More combined inequalities than this count as unknown, which is sound."""


class Affine:
    """An affine form with integer coefficients in variables that are named by texts.

    >>> n, r = Affine.variable("n"), Affine.variable("r")
    >>> n - r - 1
    n - r - 1
    >>> (n - r - 1).value({"n": 8, "r": 3})
    4
    """

    __slots__ = ("_hash", "constant", "terms")

    terms: tuple[tuple[str, int], ...]
    constant: int

    def __init__(self, terms: Mapping[str, int] | None = None, constant: int = 0) -> None:
        self.terms = tuple(sorted((v, c) for v, c in (terms or {}).items() if c))
        self.constant = constant
        self._hash = hash((self.terms, constant))

    @classmethod
    def variable(cls, name: str) -> Affine:
        """The form that is a variable."""
        return cls({name: 1})

    def coefficient(self, name: str) -> int:
        """The coefficient of a variable."""
        return dict(self.terms).get(name, 0)

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables that occur."""
        return tuple(v for v, _ in self.terms)

    def __add__(self, other: Affine | int) -> Affine:
        if isinstance(other, int):
            return Affine(dict(self.terms), self.constant + other)
        total = dict(self.terms)
        for v, c in other.terms:
            total[v] = total.get(v, 0) + c
        return Affine(total, self.constant + other.constant)

    def __neg__(self) -> Affine:
        return self * -1

    def __sub__(self, other: Affine | int) -> Affine:
        return self + (-other)

    def __mul__(self, factor: int) -> Affine:
        return Affine({v: c * factor for v, c in self.terms}, self.constant * factor)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Affine):
            return NotImplemented
        return self.terms == other.terms and self.constant == other.constant

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return str(self.expression)

    def replaced(self, name: str, form: Affine) -> Affine:
        """The form with another form in place of a variable."""
        rest = {v: c for v, c in self.terms if v != name}
        return Affine(rest, self.constant) + form * self.coefficient(name)

    def value(self, values: Mapping[str, int]) -> int:
        """The value for values of all variables."""
        return self.constant + sum(c * values[v] for v, c in self.terms)

    @property
    def expression(self) -> Any:
        """The form as a sympy expression in plain symbols."""
        import sympy

        return sympy.Add(self.constant, *(c * sympy.Symbol(v) for v, c in self.terms))


Facts = tuple[Affine, ...]


def implied(facts: Iterable[Affine], form: Affine) -> bool:
    """Whether a form is >= 0 at every integer point that satisfies the facts; False if unknown.

    >>> n, r = Affine.variable("n"), Affine.variable("r")
    >>> implied((r - 1, n - r - 1), n - 2), implied((r - 1, n - r - 1), n - 3)
    (True, False)
    """
    return impossible((*facts, -form - 1))


def impossible(facts: Iterable[Affine]) -> bool:
    """Whether no integer point satisfies all facts; False if unknown.

    >>> n = Affine.variable("n")
    >>> impossible((n * 2 - 3, n * -2 + 3))
    True
    """
    return _impossible(frozenset(facts))


def _tightened(form: Affine) -> Affine:
    divisor = gcd(*(c for _, c in form.terms))
    if divisor == 1:
        return form
    return Affine({v: c // divisor for v, c in form.terms}, form.constant // divisor)


@lru_cache(maxsize=1 << 16)
def _impossible(facts: frozenset[Affine]) -> bool:
    system: dict[tuple[tuple[str, int], ...], int] = {}
    pending = list(facts)
    while True:
        for form in pending:
            if not form.terms:
                if form.constant < 0:
                    return True
                continue
            tight = _tightened(form)
            known = system.get(tight.terms)
            system[tight.terms] = tight.constant if known is None else min(known, tight.constant)
        equality = None
        for terms, constant in system.items():
            opposite = system.get(tuple((v, -c) for v, c in terms))
            if opposite is None:
                continue
            if constant + opposite < 0:
                return True
            if constant + opposite == 0 and any(abs(c) == 1 for _, c in terms):
                equality = Affine(dict(terms), constant)
        forms = [Affine(dict(terms), constant) for terms, constant in system.items()]
        if equality is not None:
            name, sign = next((v, c) for v, c in equality.terms if abs(c) == 1)
            solved = (equality - Affine({name: sign})) * -sign
            pending = [form.replaced(name, solved) for form in forms]
        else:
            chosen = _next_variable(forms)
            if chosen is None:
                return False
            pending = _without(forms, chosen)
            if len(pending) > _MOST_FACTS:
                return False
        system = {}


def _next_variable(forms: list[Affine]) -> str | None:
    counts: dict[str, list[int]] = {}
    for form in forms:
        for v, c in form.terms:
            counts.setdefault(v, [0, 0])[c > 0] += 1
    return min(counts, key=lambda v: (counts[v][0] * counts[v][1], v), default=None)


def _without(forms: list[Affine], name: str) -> list[Affine]:
    """The inequalities that remain when a variable is eliminated."""
    lower = [form for form in forms if form.coefficient(name) > 0]
    upper = [form for form in forms if form.coefficient(name) < 0]
    rest = [form for form in forms if not form.coefficient(name)]
    for low in lower:
        for high in upper:
            rest.append(low * -high.coefficient(name) + high * low.coefficient(name))
    return rest


def eliminated(facts: Facts, names: Iterable[str]) -> Facts:
    """Facts that follow without some variables; an equality with coefficient 1 is solved for.

    >>> n, h = Affine.variable("n"), Affine.variable("h")
    >>> eliminated((n - h * 2 - 1, h * 2 - n + 1, -h, n - 1), ["h"])
    (n - 1, 1 - n)
    """
    forms = list(facts)
    for name in names:
        rest = _without(forms, name)
        forms = list(dict.fromkeys(_tightened(form) for form in rest if form.terms))
    return tuple(forms)


def minimum_of(forms: Iterable[Affine], facts: Facts) -> tuple[Affine, ...]:
    """The forms without those that are nowhere the only minimum.

    >>> n, r = Affine.variable("n"), Affine.variable("r")
    >>> minimum_of([r, n, n + 1], (r - 1, n - r - 1))
    (r,)
    """
    kept = sorted(dict.fromkeys(forms), key=lambda form: (len(form.terms), form.terms))
    for form in kept[::-1]:
        others = [other for other in kept if other != form]
        if others and impossible((*facts, *(other - form - 1 for other in others))):
            kept = others
    return tuple(kept)


def not_above(smaller: Iterable[Affine], larger: Iterable[Affine], facts: Facts) -> bool:
    """Whether the minimum of the first forms is at most the minimum of the second ones."""
    smaller = tuple(smaller)
    return all(impossible((*facts, *(s - form - 1 for s in smaller))) for form in larger)
