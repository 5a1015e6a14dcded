"""Cases: a derivation is repeated for every way in which its open comparisons can turn out.

A derivation compares affine forms of the parameters (`Case.decide`) and halves them (`Case.half`).
A comparison that the facts leave open, or an unknown parity, stops it; it is then repeated in both
cases, with one more fact in each. So every result is for facts under which no question was open.
Afterwards cases with one result are put together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from lccmodel.errors import SizeLimitError
from lccmodel.symbolic.affine import Affine, Facts, eliminated, implied, impossible

Result = TypeVar("Result")

_MOST_CASES = 100


class _Open(Exception):  # noqa: N818 - a question, no error
    def __init__(self, *choices: Facts) -> None:
        self.choices = choices


@dataclass(frozen=True)
class Case:
    """Facts about the parameters, under which a derivation runs.

    `ranking` orders the parameters: the form that is halved begins with the last one.
    """

    facts: Facts
    ranking: tuple[str, ...]

    def decide(self, form: Affine) -> bool:
        """Whether form >= 0; an open question splits the case."""
        if implied(self.facts, form):
            return True
        if implied(self.facts, -form - 1):
            return False
        raise _Open((form,), (-form - 1,))

    def holds(self, form: Affine) -> bool:
        """Whether form >= 0 in the whole case."""
        return implied(self.facts, form)

    def equal(self, left: Affine, right: Affine) -> bool:
        """Whether two forms are equal; an open question splits the case."""
        return self.decide(left - right) and self.decide(right - left)

    def half(self, form: Affine) -> tuple[Affine, int]:
        """⌊form / 2⌋ and the remainder; an unknown parity splits the case."""
        odd = [v for v, c in form.terms if c % 2]
        if not odd:
            halves = Affine({v: c // 2 for v, c in form.terms}, form.constant // 2)
            return halves, form.constant % 2
        odd.sort(key=lambda v: (self.ranking.index(v) if v in self.ranking else -1, v))
        signed = [Affine({v: 1 if v == first else -1 for v in odd}) for first in odd[::-1]]
        base = next((part for part in signed if implied(self.facts, part)), signed[0])
        name = half_name(base)
        h = Affine.variable(name)
        for parity in (0, 1):
            rest = base - h * 2 - parity
            if implied(self.facts, rest) and implied(self.facts, -rest):
                even = form - base
                halves = Affine({v: c // 2 for v, c in even.terms})
                total = even.constant + parity
                return halves + h + total // 2, total % 2
        raise _Open(*((base - h * 2 - parity, h * 2 + parity - base) for parity in (0, 1)))


_HALVED: dict[str, Affine] = {}
"""The form whose half a variable stands for."""


def half_name(form: Affine) -> str:
    """The name of the variable that stands for ⌊form / 2⌋.

    >>> half_name(Affine.variable("n"))
    'floor(n/2)'
    """
    name = f"floor({form}/2)" if len(form.terms) == 1 else f"floor(({form})/2)"
    _HALVED[name] = form
    return name


def halved(name: str) -> Affine | None:
    """The form of which a variable is half, rounded down; None for any other variable."""
    return _HALVED.get(name)


def value_of(form: Affine, values: Mapping[str, int]) -> int:
    """The value of a form that may contain halves.

    >>> h = Affine.variable(half_name(Affine.variable("n")))
    >>> value_of(h - 1, {"n": 7})
    2
    """
    total = form.constant
    for v, c in form.terms:
        base = _HALVED.get(v)
        total += c * (values[v] if base is None else base.value(values) // 2)
    return total


def expression_of(form: Affine) -> Any:
    """The form as a sympy expression, with halves written as floors."""
    import sympy

    total = sympy.Integer(form.constant)
    for v, c in form.terms:
        base = _HALVED.get(v)
        total += c * (sympy.Symbol(v) if base is None else sympy.floor(base.expression / 2))
    return total


@dataclass(frozen=True)
class Leaf(Generic[Result]):
    """A result and the facts under which it holds."""

    facts: Facts
    result: Result


def by_cases(
    facts: Facts, ranking: tuple[str, ...], derive: Callable[[Case], Result]
) -> list[Leaf[Result]]:
    """The results of a derivation and their facts; a case without integer points is left out.

    Raises:
        SizeLimitError: more than 100 questions.
    """
    found: list[Leaf[Result]] = []
    pending, left = [facts], _MOST_CASES
    while pending:
        left -= 1
        if left < 0:
            rule = f"the derivation takes more than {_MOST_CASES} case distinctions; narrow `where`"
            raise SizeLimitError("family", rule, str(facts))
        known = pending.pop()
        try:
            found.append(Leaf(known, derive(Case(known, ranking))))
        except _Open as question:
            parts = [(*known, *more) for more in question.choices]
            pending += [part for part in parts if not impossible(part)][::-1]
    return found


def grouped(
    results: list[Leaf[Result]], agree: Callable[[Result, Result, Facts], bool]
) -> list[tuple[Result, list[Leaf[Result]]]]:
    """Results and the leaves that each one covers, the one that covers most first.

    `agree(p, q, facts)` says whether p is right where q was derived, under these facts.
    """
    groups, rest = [], list(results)
    while rest:
        covers = [[q for q in rest if q is p or agree(p.result, q.result, q.facts)] for p in rest]
        place = max(range(len(rest)), key=lambda k: len(covers[k]))
        groups.append((rest[place].result, covers[place]))
        rest = [leaf for leaf in rest if not any(leaf is other for other in covers[place])]
    return groups


def conditions(leaf: Leaf[Any], where: Facts) -> tuple[Facts, list[tuple[Affine, int]]]:
    """Facts of a leaf without halves that `where` leaves open, and the parities that it needs."""
    halves = {v for fact in leaf.facts for v in fact.variables if halved(v) is not None}
    plain = eliminated(leaf.facts, halves)
    needed = [fact for fact in dict.fromkeys(plain) if not implied(where, fact)]
    for fact in tuple(needed):
        rest = [other for other in needed if other != fact]
        if implied((*where, *rest), fact):
            needed = rest
    parities = []
    for name in sorted(halves):
        base, half = halved(name), Affine.variable(name)
        assert base is not None
        parity = 0 if implied(leaf.facts, half * 2 - base) else 1
        other = base - half * 2 - (1 - parity)
        if not impossible((*where, *needed, other, -other)):
            parities.append((base, parity))
    return tuple(needed), parities
