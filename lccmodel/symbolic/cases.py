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
        odd.sort(key=lambda v: (self.ranking.index(v) if v in self.ranking else -1, v))
        signed = [Affine({v: 1 if v == first else -1 for v in odd}) for first in odd[::-1]]
        base = next((part for part in signed if implied(self.facts, part)), None)
        return self.divided(form, 2, base if base is not None else next(iter(signed), None))

    def divided(self, form: Affine, divisor: int, base: Affine | None = None) -> tuple[Affine, int]:
        """⌊form / divisor⌋ and the remainder; an unknown one splits the case.

        `base` is congruent to the part of the form with variables.
        """
        if base is None:
            base = Affine({v: c % divisor for v, c in form.terms})
        whole = form - base
        quotient = Affine({v: c // divisor for v, c in whole.terms})
        if not base.terms:
            return quotient + whole.constant // divisor, whole.constant % divisor
        part = Affine.variable(part_name(base, divisor))
        for remainder in range(divisor):
            rest = base - part * divisor - remainder
            if implied(self.facts, rest) and implied(self.facts, -rest):
                total = whole.constant + remainder
                return quotient + part + total // divisor, total % divisor
        rests = [base - part * divisor - remainder for remainder in range(divisor)]
        raise _Open(*((rest, -rest) for rest in rests))


_PARTS: dict[str, tuple[Affine, int]] = {}
"""The form and the divisor that a variable stands for."""


def part_name(form: Affine, divisor: int = 2) -> str:
    """The name of the variable that stands for ⌊form / divisor⌋.

    >>> part_name(Affine.variable("n")), part_name(Affine.variable("n") + 1, 3)
    ('floor(n/2)', 'floor((n + 1)/3)')
    """
    text = (
        str(form) if form == Affine(dict(form.terms[:1])) and form.terms[0][1] == 1 else f"({form})"
    )
    name = f"floor({text}/{divisor})"
    _PARTS[name] = (form, divisor)
    return name


def divided(name: str) -> tuple[Affine, int] | None:
    """The form and the divisor of a variable that is their quotient; None for any other one."""
    return _PARTS.get(name)


def value_of(form: Affine, values: Mapping[str, int]) -> int:
    """The value of a form that may contain quotients.

    >>> h = Affine.variable(part_name(Affine.variable("n")))
    >>> value_of(h - 1, {"n": 7})
    2
    """
    total = form.constant
    for v, c in form.terms:
        part = _PARTS.get(v)
        total += c * (values[v] if part is None else value_of(part[0], values) // part[1])
    return total


def expression_of(form: Affine) -> Any:
    """The form as a sympy expression, with quotients written as floors."""
    import sympy

    total = sympy.Integer(form.constant)
    for v, c in form.terms:
        part = _PARTS.get(v)
        if part is None:
            total += c * sympy.Symbol(v)
        else:
            total += c * sympy.floor(expression_of(part[0]) / part[1])
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
    leaves: list[Leaf[Result]] = []
    pending, left = [facts], _MOST_CASES
    while pending:
        left -= 1
        if left < 0:
            rule = f"the derivation takes more than {_MOST_CASES} case distinctions; narrow `where`"
            raise SizeLimitError("family", rule, str(facts))
        known = pending.pop()
        try:
            leaves.append(Leaf(known, derive(Case(known, ranking))))
        except _Open as question:
            parts = [(*known, *more) for more in question.choices]
            pending += [part for part in parts if not impossible(part)][::-1]
    return leaves


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


def conditions(leaf: Leaf[Any], where: Facts) -> tuple[Facts, list[tuple[Affine, int, int]]]:
    """Facts of a leaf without quotients that `where` leaves open, and the remainders it needs.

    A remainder is a form, its divisor and the remainder.
    """
    quotients = {v for fact in leaf.facts for v in fact.variables if divided(v) is not None}
    plain = eliminated(leaf.facts, quotients)
    needed = [fact for fact in dict.fromkeys(plain) if not implied(where, fact)]
    for fact in tuple(needed):
        rest = [other for other in needed if other != fact]
        if implied((*where, *rest), fact):
            needed = rest
    remainders = []
    for name in sorted(quotients):
        base, divisor = _PARTS[name]
        over = base - Affine.variable(name) * divisor
        value = next(k for k in range(divisor) if implied(leaf.facts, Affine(constant=k) - over))
        others = (over - other for other in range(divisor) if other != value)
        if not all(impossible((*where, *needed, other, -other)) for other in others):
            remainders.append((base, divisor, value))
    return tuple(needed), remainders
