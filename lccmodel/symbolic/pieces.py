"""Pieces of a bit permutation, entries of a triangle, and facts as texts.

    y_k = x_(s(k)) + c_k,    s(k) = ±k + o  for low <= k < high

Bounds and offsets are affine in the parameters of a family.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from lccmodel.symbolic.affine import Affine, Facts, implied
from lccmodel.symbolic.cases import Case


@dataclass(frozen=True)
class Piece:
    """Rows low..high-1: y_k = x_(slope k + offset), complemented or not; slope 0: y_k = 0."""

    low: Affine
    high: Affine
    slope: int
    offset: Affine
    complement: bool = False

    @property
    def source_low(self) -> Affine:
        """The first source bit; of zero rows there is none."""
        if not self.slope:
            return Affine()
        return self.low + self.offset if self.slope > 0 else self.offset - self.high + 1

    @property
    def source_high(self) -> Affine:
        """The bit after the last source bit."""
        if not self.slope:
            return Affine()
        return self.high + self.offset if self.slope > 0 else self.offset - self.low + 1

    def shifted(self, distance: Affine) -> Piece:
        """The piece with rows and sources moved up."""
        offset = self.offset if self.slope > 0 else self.offset + distance * 2
        return Piece(self.low + distance, self.high + distance, self.slope, offset, self.complement)

    @property
    def inverse(self) -> Piece:
        """x_m = y_t(m) for the sources of the piece."""
        offset = -self.offset if self.slope > 0 else self.offset
        return Piece(self.source_low, self.source_high, self.slope, offset, self.complement)


@dataclass(frozen=True)
class Entries:
    """Entries (k, j) of a unit triangle that are 1, next to its diagonal.

    An entry is 1 if in one of `cases` all forms in k and j are >= 0.
    """

    cases: tuple[Facts, ...]

    def rows(self, n: Affine, upper: bool) -> tuple[Facts, ...] | None:
        """For each case, bounds on k of the rows with such an entry; None if not decided."""
        k, j = Affine.variable("k"), Affine.variable("j")
        sides = (j - k - 1, n - j - 1, k) if upper else (k - j - 1, j, n - k - 1)
        bounds = []
        for facts in self.cases:
            forms = (*facts, *sides)
            low = [form for form in forms if form.coefficient("j") > 0]
            high = [form for form in forms if form.coefficient("j") < 0]
            if any(abs(form.coefficient("j")) > 1 for form in forms):
                return None
            rest = [form for form in forms if not form.coefficient("j")]
            bounds.append((*rest, *(a + b for a in low for b in high)))
        return tuple(bounds)

    def has(self, k: int, j: int, values: Mapping[str, int]) -> bool:
        """Whether the entry (k, j) is 1."""
        known = {**values, "k": k, "j": j}
        return any(all(form.value(known) >= 0 for form in facts) for facts in self.cases)

    def leaves_bit_0(self, where: Facts) -> bool:
        """Whether no entry of a lower triangle is in column 0."""
        k, j = Affine.variable("k"), Affine.variable("j")
        return all(implied((*where, *facts, k - j - 1, j), j - 1) for facts in self.cases)


def in_order(bounds: Sequence[tuple[Affine, Affine]], case: Case) -> list[tuple[Affine, Affine]]:
    """The intervals low..high-1 that are not empty, in ascending order."""
    filled = [pair for pair in bounds if case.decide(pair[1] - pair[0] - 1)]
    ordered: list[tuple[Affine, Affine]] = []
    for pair in filled:
        place = len(ordered)
        while place and case.decide(ordered[place - 1][0] - pair[0] - 1):
            place -= 1
        ordered.insert(place, pair)
    return ordered


def condition(fact: Affine) -> str:
    """The text of a fact, such as "r < n" for n - r - 1 >= 0.

    >>> n, r = Affine.variable("n"), Affine.variable("r")
    >>> condition(n - r - 1), condition(r - 2), condition(n - r)
    ('r < n', 'r >= 2', 'r <= n')
    """
    positive = Affine({v: c for v, c in fact.terms if c > 0})
    negative = Affine({v: -c for v, c in fact.terms if c < 0})
    if not negative.terms:
        return f"{positive} >= {-fact.constant}"
    if not positive.terms:
        return f"{negative} <= {fact.constant}"
    if fact.constant == -1:
        return f"{negative} < {positive}"
    return f"{negative} <= {positive + fact.constant}"


def domain_text(facts: Facts) -> str:
    """The text of all facts that the others do not imply.

    >>> n, r = Affine.variable("n"), Affine.variable("r")
    >>> domain_text((n - 1, r - 1, n - r - 1))
    'r >= 1 and r < n'
    """
    return " and ".join(condition(fact) for fact in needed_facts(facts))


def needed_facts(facts: Facts) -> Facts:
    """The facts that the others do not imply."""
    needed = list(dict.fromkeys(facts))
    for fact in tuple(needed):
        rest = [other for other in needed if other != fact]
        if implied(rest, fact):
            needed = rest
    return tuple(needed)
