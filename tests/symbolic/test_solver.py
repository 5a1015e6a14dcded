"""An SMT solver proves exponents and degrees of the catalogue for every n.

The solver knows the pieces of a family and the count of R1, #{m < i : t(m) > i}, written as
lengths of intervals. It knows neither the elimination of `affine` nor the rules of `exponents`:
for integers without bound it finds no row where the derived exponent is another one, none above the
derived maximum, and no parameters for which the maximum is not attained.
"""

from __future__ import annotations

from typing import Any

import pytest

from lccmodel.symbolic import FAMILIES, ContentionFormula, Family, contention
from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.cases import Leaf, divided
from lccmodel.symbolic.exponents import Derived, Segment
from tests.choosing import sampled

z3 = pytest.importorskip("z3")
WORDS = [w for w in FAMILIES if w not in ("translation", "gray-code", "inverse-gray-code")]
I_ROW = z3.Int("i")


def term(form: Affine) -> Any:
    """A form as an expression of the solver."""
    return form.constant + sum(c * z3.Int(v) for v, c in form.terms)


def least(values: list[Any]) -> Any:
    smallest = values[0]
    for value in values[1:]:
        smallest = z3.If(value < smallest, value, smallest)
    return smallest


def counted(family: Family) -> Any:
    """#{m < i : t(m) > i}, piece by piece; for a scatter #{m > i : t(m) < i or m is not read}."""
    total = z3.IntVal(0)
    if family.is_scatter:  # all m > i, less those read by a row >= i
        total = z3.If(term(family.n) - I_ROW - 1 > 0, term(family.n) - I_ROW - 1, 0)
    for piece in family.pieces:
        if not piece.slope:
            continue
        low, high, offset = (term(f) for f in (piece.source_low, piece.source_high, piece.offset))
        if family.is_scatter:
            assert piece.slope == 1  # t(m) = m - offset >= i
            begin, end = -least([-low, -(I_ROW + 1), -(I_ROW + offset)]), high
            total = total - z3.If(end > begin, end - begin, 0)
            continue
        if piece.slope > 0:
            begin, end = -least([-low, -(I_ROW + offset + 1)]), least([high, I_ROW])
        else:
            begin, end = low, least([high, I_ROW, offset - I_ROW])
        total = total + z3.If(end > begin, end - begin, 0)
    return total


def stays(family: Family) -> Any:
    """y_i = x_i, from the piece of row i."""
    return z3.And(
        *(
            z3.Implies(
                z3.And(term(piece.low) <= I_ROW, term(piece.high) > I_ROW),
                z3.And(
                    bool(piece.slope) and not piece.complement,
                    piece.slope * I_ROW + term(piece.offset) == I_ROW,
                ),
            )
            for piece in family.pieces
        )
    )


def inside(segment: Segment) -> Any:
    holes = [2 * I_ROW != term(hole) for hole in segment.holes]
    return z3.And(term(segment.low) <= I_ROW, term(segment.high) >= I_ROW, *holes)


def exponent(segment: Segment) -> Any:
    return least([term(form) for form in segment.forms])


def refuted(*facts: Any) -> bool:
    """Whether no integers satisfy the facts."""
    solver = z3.Solver()
    solver.set("timeout", 20_000)
    solver.add(*facts)
    return bool(solver.check() == z3.unsat)


def facts_of(leaf: Leaf[Derived], family: Family) -> list[Any]:
    facts = [term(fact) >= 0 for fact in leaf.facts]
    names = {v for fact in leaf.facts for v in fact.variables}
    for s in leaf.result.segments:
        names |= {v for form in (s.low, s.high, *s.forms) for v in form.variables}
    for name in names:
        quotient = divided(name)
        if quotient is not None:
            base, divisor = quotient
            rest = term(base) - divisor * z3.Int(name)
            facts += [rest >= 0, rest < divisor]
    return [*facts, 0 <= I_ROW, term(family.n) > I_ROW]


def maximum(leaf: Leaf[Derived]) -> Any:
    return -least([-least([term(f) for f in forms]) for forms in leaf.result.maxima])


def derived(word: str, network: str = "cube") -> ContentionFormula:
    T = contention(word, network)
    assert isinstance(T, ContentionFormula)
    return T


@pytest.mark.parametrize("word", sampled(WORDS, 4))
def test_exponents_are_counts_for_every_n(word: str) -> None:
    T = derived(word)
    for leaf in T.cases:
        facts = facts_of(leaf, T.family)
        for segment in leaf.result.segments:
            here = [*facts, inside(segment)]
            assert refuted(*here, exponent(segment) != counted(T.family))
            assert refuted(*here, stays(T.family))
        others = [z3.Not(inside(segment)) for segment in leaf.result.segments]
        assert refuted(*facts, *others, z3.Not(stays(T.family)))


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", sampled(WORDS, 4))
def test_degrees_are_maxima_for_every_n(word: str, network: str) -> None:
    T = derived(word, network)
    for leaf in T.cases:
        segments = leaf.result.segments
        if not leaf.result.maxima:
            nowhere = [refuted(*facts_of(leaf, T.family), inside(s)) for s in segments]
            assert all(nowhere)
            continue
        facts, top = facts_of(leaf, T.family), maximum(leaf)
        for segment in segments:
            assert refuted(*facts, inside(segment), exponent(segment) > top)
        smaller = z3.And(*(z3.Implies(inside(s), exponent(s) < top) for s in segments))
        assert refuted(*facts[:-2], z3.ForAll([I_ROW], smaller))


def test_an_exponent_one_too_large_is_noticed() -> None:
    """The negative control: e_i + 1, i <= for i <, and a maximum of one more."""
    T = derived("matrix-transpose:r")
    (leaf,) = T.cases
    (segment,) = leaf.result.segments
    facts = [*facts_of(leaf, T.family), inside(segment)]
    assert not refuted(*facts, exponent(segment) + 1 != counted(T.family))
    assert not refuted(
        *facts, exponent(segment) != z3.substitute(counted(T.family), (I_ROW, I_ROW + 1))
    )
    smaller = z3.Implies(inside(segment), exponent(segment) < maximum(leaf) + 1)
    assert not refuted(*facts[:-3], z3.ForAll([I_ROW], smaller))
