"""An SMT solver proves exponents and degrees for every n: catalogue, slopes of 2, sums, axes.

The solver knows the pieces of a family and the count of R1, #{m < i : t(m) > i}, written as
lengths of intervals. It knows neither the elimination of `affine` nor the rules of `exponents`:
for integers without bound it finds no row where the derived exponent is another one, none above the
derived maximum, and no parameters for which the maximum is not attained.
"""

from __future__ import annotations

from typing import Any

import pytest
import sympy

from lccmodel.symbolic import FAMILIES, ContentionFormula, Family, contention
from lccmodel.symbolic import family as catalogued
from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.cases import Leaf, divided
from lccmodel.symbolic.exponents import Derived, Segment
from lccmodel.symbolic.mesh import MeshContentionFormula
from tests.choosing import fast_only, sampled

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


def degrees_are_maxima(T: ContentionFormula) -> None:
    """No exponent is above the maximum, and for no parameters all are below it."""
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


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", sampled(WORDS, 4))
def test_degrees_are_maxima_for_every_n(word: str, network: str) -> None:
    degrees_are_maxima(derived(word, network))


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


# -- slopes of 2, sums, origins ------------------------------------------------------------------

ROW = z3.Int("row")
OTHERS = {
    "z-order": ("Piecewise((k/2, Eq(Mod(k, 2), 0)), (h + (k - 1)/2, True))", "2*h", "h >= 1"),
    "z-order undone": ("Piecewise((2*k, k < h), (2*k - 2*h + 1, True))", "2*h", "h >= 1"),
    "riffle, upper half reversed": (
        "Piecewise((k/2, Eq(Mod(k, 2), 0)), (2*h - 1 - (k - 1)/2, True))",
        "2*h",
        "h >= 1",
    ),
    "prefix sums, reversed": ("n - 1 - k", "n", "n >= 1"),
    "prefix sums, shifted": ("Mod(k - r, n)", "n", ("r >= 1", "r < n")),
}


def other(name: str) -> Family:
    order, n, where = OTHERS[name]
    if name.startswith("prefix"):
        return Family.of_runs(0, order, n=n, where=where)
    return Family.of(order, n=n, where=where)


def becomes(family: Family, m: Any, row: Any) -> Any:
    """Source bit m becomes bit `row`: t(m) = row."""
    if family.combs:
        j = z3.FreshInt("j")
        reads = [
            z3.Exists(
                [j],
                z3.And(
                    j >= 0,
                    j < term(comb.count),
                    row == term(comb.row) + comb.row_step * j,
                    m == term(comb.source) + comb.source_step * j,
                ),
            )
            for comb in family.combs
        ]
        return z3.Or(*reads)
    reads = [
        z3.And(
            row >= term(piece.low),
            row < term(piece.high),
            m == piece.slope * row + term(piece.offset),
        )
        for piece in family.pieces
    ]
    return z3.Or(*reads)


def length(begin: Any, end: Any) -> Any:
    return z3.If(end > begin, end - begin, 0)


def behind(family: Family, row: Any) -> Any:
    """#{m < row : t(m) > row} by combs, or by pieces; for sums #{m < row - 1 : t(m) > row} (R3)."""
    if not family.combs:
        total = z3.IntVal(0)
        before = row - 1 if family.sums_from_0 else row
        for piece in family.pieces:
            low, high, offset = (
                term(f) for f in (piece.source_low, piece.source_high, piece.offset)
            )
            if piece.slope > 0:
                total = total + length(-least([-low, -(row + offset + 1)]), least([high, before]))
            else:
                total = total + length(low, least([high, before, offset - row]))
        return total
    total = z3.IntVal(0)
    for comb in family.combs:
        start, source = term(comb.row), term(comb.source)
        begin, end = [z3.IntVal(0)], [term(comb.count)]
        # row + ρ j > i, and source + σ j < i; the solver's division rounds down
        begin.append((row - start) / comb.row_step + 1)
        if comb.source_step > 0:
            end.append((row - source + comb.source_step - 1) / comb.source_step)
        else:
            begin.append((source - row) / -comb.source_step + 1)
        total = total + length(-least([-b for b in begin]), least(end))
    return total


def at_row(segment: Segment) -> Any:
    """The place i of the segment is this row."""
    return ROW == segment.step * I_ROW + segment.first


def still(family: Family) -> Any:
    """y_row = x_row; of sums only row 0, if it is x_0."""
    fixed = becomes(family, ROW, ROW)
    return z3.And(fixed, ROW == 0) if family.sums_from_0 else fixed


def exponents_are(T: ContentionFormula, more: int = 0) -> bool:
    """Whether no row of a segment has another exponent than the count, or stays."""
    family = T.family
    doubled = 0
    if T.network == "origin":  # R5
        m = z3.FreshInt("m")
        first = z3.Exists([m], z3.And(becomes(family, m, z3.IntVal(0)), m < ROW))
        doubled = z3.If(first, 1, 0)
    for leaf in T.cases:
        facts = [*facts_of(leaf, family)[:-2], ROW >= 0, term(family.n) > ROW]
        for segment in leaf.result.segments:
            here = [*facts, inside(segment), at_row(segment)]
            if not refuted(*here, exponent(segment) + more != behind(family, ROW) + doubled):
                return False
            if not refuted(*here, still(family)):
                return False
        covered = [
            z3.Not(z3.Exists([I_ROW], z3.And(inside(s), at_row(s)))) for s in leaf.result.segments
        ]
        moves = [ROW >= 1] if T.network == "origin" else []
        if not refuted(*facts, *covered, *moves, z3.Not(still(family))):
            return False
    return True


@pytest.mark.parametrize("name", fast_only(OTHERS, "prefix sums, reversed"))
def test_slopes_of_two_and_sums_are_counts_for_every_n(name: str) -> None:
    """R1 with every second row or source bit, and R3; an exponent one larger is noticed."""
    own = other(name)
    T = contention(own, f"cube:{own.n}")
    assert isinstance(T, ContentionFormula)
    degrees_are_maxima(T)
    assert exponents_are(T)
    assert not exponents_are(T, more=1)


@pytest.mark.parametrize("word", sampled([w for w in WORDS if w not in ("scale2", "identity")], 6))
def test_exponents_on_an_origin_are_counts_for_every_n(word: str) -> None:
    """R5: one more above s(0), and no load in row 0."""
    T = derived(word, "origin")
    if all(not piece.complement for piece in T.family.pieces):
        assert exponents_are(T)
        assert not exponents_are(T, more=1)


# -- orders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("twin", [False, True])
def test_orders_follow_the_permutation_for_every_n(twin: bool) -> None:
    """R7: t'(m) <= m + 1 for π(2j) = j, π(2j+1) = n-1-j; its twin, the inverse, is not free."""
    n, m, p, q = z3.Ints("n m p q")

    def place(bit: Any, of: Any) -> Any:
        """π(bit) = of."""
        even, odd = of == bit / 2, of == n - 1 - bit / 2
        return z3.If(bit % 2 == 0, even, odd)

    def moved(old: Any, new: Any) -> Any:
        return place(old, new) if not twin else place(new, old)

    facts = [n >= 2, m >= 0, m < n, q >= 0, q < n, p >= 0, p < n]
    # bit m of the new numbers is p of the old ones, which becomes n - 1 - p, bit q of the new ones
    facts += [moved(m, p), moved(q, n - 1 - p)]
    assert refuted(*facts, q > m + 1) != twin


# -- meshes and tori -----------------------------------------------------------------------------

LESS = {  # 2^F messages are on a line; the load of a rule has the exponent F less these
    "M3": (1,),
    "M7": (0, 2),
    "M8": (2,),
    "M9": (1,),
    "M10": (2,),
    "T2": (2, 1),  # 1 on rings of two nodes
    "T4": (1,),
    "T5": (2,),
}
GRIDS = [
    ("bit-reverse", "mesh:2^a x 2^b"),
    ("perfect-shuffle", "mesh:2^a x 2^b x 2^c"),
    ("unshuffle", "mesh:2^a x 2^b x 2^c"),
    ("vector-reversal", "torus:2^a x 2^b x 2^c"),
    ("bit-reverse", "mesh:2^a x 2^b x 2^c"),
    ("vector-reversal", "mesh:2^a x 2^b x 2^c"),
    ("perfect-shuffle", "torus:2^a x 2^b"),
    ("unshuffle", "torus:2^a x 2^b"),
    ("reflect-horizontal", "torus:2^a x 2^b"),
    ("exchange:k", "mesh:2^a x 2^b x 2^c"),
    ("fft-rows:r", "mesh:2^a x 2^b"),
    ("reverse-flip", "mesh:2^a x 2^b"),
    ("square transposition", "mesh:2^a x 2^b"),
    ("square transposition", "mesh:2^a x 2^b x 2^c"),
]


def stays_plain(family: Family, row: Any) -> Any:
    """y_row = x_row, from the piece of the row."""
    return z3.Or(
        *(
            z3.And(
                row >= term(piece.low),
                row < term(piece.high),
                piece.slope * row + term(piece.offset) == row,
            )
            for piece in family.pieces
            if not piece.complement
        )
    )


def free_bits(family: Family, low: Affine, high: Affine, top: Any) -> Any:
    """F: the source bits below the end of the axis that no row below the axis reads, up to top."""
    read = z3.IntVal(0)
    for piece in family.pieces:
        begin, end = term(piece.low), least([term(piece.high), term(low)])
        offset, limit = term(piece.offset), term(high)
        if piece.slope > 0:  # sources k + offset below `high`
            end = least([end, limit - offset])
        else:
            begin = -least([-begin, -(offset - limit + 1)])
        read = read + length(begin, end)
    return top - read


def positive_powers(form: Any) -> list[Any]:
    """The exponents of the powers of two that a sum adds."""
    exponents = []
    for part in sympy.Add.make_args(form):
        if isinstance(part, sympy.Pow) and part.base == 2:
            terms = part.exp.as_coefficients_dict().items()
            exponents.append(
                sum(int(c) * (z3.Int(str(v)) if v.is_Symbol else int(v)) for v, c in terms)
            )
    return exponents


def grid_exponents(word: str, network: str, more: int = 0) -> tuple[set[str], bool]:
    """The rules that were compared, and whether all of their exponents are F less a constant."""
    square = word == "square transposition"
    T = contention(catalogued("matrix-transpose:r", n="2*r") if square else word, network)
    assert isinstance(T, MeshContentionFormula)
    family, top, row = T.family, z3.Int("top"), z3.FreshInt("row")
    compared, equal = set(), True
    low = Affine()
    for axis, width in zip(T._axes, T.widths, strict=True):
        high = low + width
        for leaf in axis:
            *_, rule = leaf.result.rule.split()
            facts = [term(fact) >= 0 for fact in leaf.facts]
            for name in {v for fact in leaf.facts for v in fact.variables}:
                quotient = divided(name)
                if quotient is not None:
                    rest = term(quotient[0]) - quotient[1] * z3.Int(name)
                    facts += [rest >= 0, rest < quotient[1]]
            above = z3.And(row >= top, row < term(high))
            facts += [term(low) <= top, top <= term(high)]
            facts += [z3.ForAll([row], z3.Implies(above, stays_plain(family, row)))]
            facts += [z3.Implies(top > term(low), z3.Not(stays_plain(family, top - 1)))]
            F = free_bits(family, low, high, top) + more
            load = leaf.result
            if rule in LESS and load.is_power:
                compared.add(rule)
                equal &= any(refuted(*facts, term(load.t) != F - less) for less in LESS[rule])
            elif rule in ("M4", "M11", "M12") and load.form is not None:
                compared.add(rule)  # a quarter of the messages, and a smaller rest
                powers = positive_powers(load.form)
                equal &= any(refuted(*facts, exponent != F - 2) for exponent in powers)
            elif rule == "M1" and load.form is None and not load.is_power:
                compared.add(rule)  # (2^t - 1) 2^w = 2^F - 2^w, or nothing moves and t = 0
                whole = z3.Or(term(load.t) + term(load.w) == F, top == term(low))
                equal &= refuted(*facts, z3.Not(whole))
        low = high
    return compared, equal


@pytest.mark.parametrize(("word", "network"), fast_only(GRIDS, GRIDS[3], GRIDS[6]))
def test_loads_of_axes_have_the_bits_of_a_line_for_every_n(word: str, network: str) -> None:
    """M1, M3, M4, M7 to M12, T2, T4, T5: 2^F messages on a line, and the exponent of each rule."""
    compared, equal = grid_exponents(word, network)
    assert compared
    assert equal
    assert grid_exponents(word, network, more=1) == (compared, False)


@pytest.mark.slow
def test_which_rules_of_axes_were_compared() -> None:
    rules = set().union(*(grid_exponents(word, network)[0] for word, network in GRIDS))
    assert rules >= {"M1", "M3", "M4", *(f"M{k}" for k in range(7, 13)), "T2", "T4", "T5"}


def test_a_quarter_of_independent_ends_for_every_size() -> None:
    """M7: of N messages with independent ends v (N - v) / N pass place v, N/4 at most."""
    N, v = z3.Ints("N v")
    assert refuted(N >= 1, 0 <= v, v <= N, 4 * v * (N - v) > N * N)
    assert not refuted(N >= 1, 0 <= v, v <= N, 4 * v * (N - v) >= N * N)
