"""An SMT solver proves exponents and degrees for every n: catalogue, slopes of 2, sums, axes.

The solver knows the pieces of a family and the count of R1, #{m < i : t(m) > i}, written as
lengths of intervals. It knows neither the elimination of `affine` nor the rules of `exponents`:
for integers without bound it finds no row where the derived exponent is another one, none above the
derived maximum, and no parameters for which the maximum is not attained.
"""

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
I_ROW, ROW = z3.Ints("i row")


def term(form: Affine) -> Any:
    """A form as an expression of the solver."""
    return form.constant + sum(c * z3.Int(v) for v, c in form.terms)


def least(values: list[Any]) -> Any:
    smallest = values[0]
    for value in values[1:]:
        smallest = z3.If(value < smallest, value, smallest)
    return smallest


def length(begin: Any, end: Any) -> Any:
    return z3.If(end > begin, end - begin, 0)


def behind(family: Family) -> Any:
    """#{m < row : t(m) > row} by combs or pieces; sums #{m < row - 1 : t(m) > row} (R3).

    For a scatter #{m > row : t(m) < row, or no row reads m}.
    """
    total = z3.IntVal(0)
    if family.is_scatter:  # all m > row, less those read by a row >= row
        total = length(ROW + 1, term(family.n))
        for piece in family.pieces:
            assert piece.slope in (0, 1)  # t(m) = m - offset >= row
            if piece.slope:
                low, high, offset = map(term, (piece.source_low, piece.source_high, piece.offset))
                total = total - length(-least([-low, -(ROW + 1), -(ROW + offset)]), high)
        return total
    before = ROW - 1 if family.sums_from_0 else ROW
    for piece in () if family.combs else family.pieces:
        low, high, offset = map(term, (piece.source_low, piece.source_high, piece.offset))
        if piece.slope > 0:
            total = total + length(-least([-low, -(ROW + offset + 1)]), least([high, before]))
        else:
            total = total + length(low, least([high, before, offset - ROW]))
    for comb in family.combs:
        start, source = term(comb.row), term(comb.source)
        # row + ρ j > i, and source + σ j < i; the solver's division rounds down
        begin, end = (ROW - start) / comb.row_step + 1, term(comb.count)
        if comb.source_step > 0:
            end = least([end, (ROW - source + comb.source_step - 1) / comb.source_step])
        else:
            begin = -least([-begin, -((source - ROW) / -comb.source_step + 1)])
        total = total + length(-least([0, -begin]), end)
    return total


def becomes(family: Family, m: Any, row: Any, plain: bool = False) -> Any:
    """Source bit m becomes bit `row`: t(m) = row; `plain`: without a complement."""
    reads = []
    for comb in family.combs:
        j = z3.FreshInt("j")
        places = (
            row == term(comb.row) + comb.row_step * j,
            m == term(comb.source) + comb.source_step * j,
        )
        reads.append(z3.Exists([j], z3.And(j >= 0, j < term(comb.count), *places)))
    for piece in () if family.combs else family.pieces:
        if piece.slope and not (plain and piece.complement):
            inside = (row >= term(piece.low), row < term(piece.high))
            reads.append(z3.And(*inside, m == piece.slope * row + term(piece.offset)))
    return z3.Or(*reads)


def still(family: Family, row: Any) -> Any:
    """y_row = x_row; of sums only row 0, if it is x_0."""
    fixed = becomes(family, row, row, plain=True)
    return z3.And(fixed, row == 0) if family.sums_from_0 else fixed


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


def facts_of(leaf: Leaf[Any], segments: tuple[Segment, ...] = ()) -> list[Any]:
    """The facts of a case, and those of the quotients in it."""
    facts = [term(fact) >= 0 for fact in leaf.facts]
    forms = [form for s in segments for form in (s.low, s.high, *s.forms)]
    for name in {v for form in (*leaf.facts, *forms) for v in form.variables}:
        quotient = divided(name)
        if quotient is not None:
            base, divisor = quotient
            rest = term(base) - divisor * z3.Int(name)
            facts += [rest >= 0, rest < divisor]
    return facts


def maximum(leaf: Leaf[Derived]) -> Any:
    return -least([-least([term(form) for form in forms]) for forms in leaf.result.maxima])


def formula(word: str, network: str = "cube") -> ContentionFormula:
    T = contention(other(word) if word in OTHERS else word, network)
    assert isinstance(T, ContentionFormula)
    return T


def degrees_are_maxima(T: ContentionFormula, more: int = 0) -> bool:
    """No exponent is above the maximum, and for no parameters all are below it."""
    for leaf in T.cases:
        segments = leaf.result.segments
        facts = facts_of(leaf, segments)
        row = [0 <= I_ROW, term(T.family.n) > I_ROW]
        if not leaf.result.maxima:
            if not all(refuted(*facts, *row, inside(s)) for s in segments):
                return False
            continue
        top = maximum(leaf) + more
        smaller = z3.And(*(z3.Implies(inside(s), exponent(s) < top) for s in segments))
        above = [refuted(*facts, *row, inside(s), exponent(s) > top) for s in segments]
        if not all(above) or not refuted(*facts, z3.ForAll([I_ROW], smaller)):
            return False
    return True


def exponents_are(T: ContentionFormula, more: int = 0) -> bool:
    """Whether no row of a segment has another exponent than the count, or stays."""
    family = T.family
    count = behind(family) - more
    if T.network == "origin":  # R5
        m = z3.FreshInt("m")
        first = z3.Exists([m], z3.And(becomes(family, m, z3.IntVal(0)), m < ROW))
        count = count + z3.If(first, 1, 0)
    for leaf in T.cases:
        segments = leaf.result.segments
        facts = [*facts_of(leaf, segments), ROW >= 0, term(family.n) > ROW]
        rows = [z3.And(inside(s), ROW == s.step * I_ROW + s.first) for s in segments]
        for segment, row in zip(segments, rows, strict=True):
            if not refuted(*facts, row, exponent(segment) != count):
                return False
            if not refuted(*facts, row, still(family, ROW)):
                return False
        covered = [z3.Not(z3.Exists([I_ROW], row)) for row in rows]
        moves = [ROW >= 1] if T.network == "origin" else []
        if not refuted(*facts, *covered, *moves, z3.Not(still(family, ROW))):
            return False
    return True


OTHERS = {  # slopes of 2 and 1/2, and sums from bit 0: order, n, where
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


@pytest.mark.parametrize("network", ["cube", "origin"])
@pytest.mark.parametrize("word", [*sampled(WORDS, 4), *fast_only(OTHERS, "prefix sums, reversed")])
def test_exponents_and_degrees_for_every_n(word, network):
    """R1, R3, R5, R6, R9; an exponent or a degree one larger is noticed."""
    T = formula(word, network)
    assert degrees_are_maxima(T)
    if any(leaf.result.maxima for leaf in T.cases):
        assert not degrees_are_maxima(T, more=1)
    if network == "cube" or word not in (*OTHERS, "scale2"):
        assert exponents_are(T)
        if any(leaf.result.segments for leaf in T.cases):
            assert not exponents_are(T, more=1)


# -- orders --------------------------------------------------------------------------------------


@pytest.mark.parametrize("twin", [False, True])
def test_orders_follow_the_permutation_for_every_n(twin):
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
            facts = facts_of(leaf)
            above = z3.And(row >= top, row < term(high))
            facts += [term(low) <= top, top <= term(high)]
            facts += [z3.ForAll([row], z3.Implies(above, still(family, row)))]
            facts += [z3.Implies(top > term(low), z3.Not(still(family, top - 1)))]
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
def test_loads_of_axes_have_the_bits_of_a_line_for_every_n(word, network):
    """M1, M3, M4, M7 to M12, T2, T4, T5: 2^F messages on a line, and the exponent of each rule."""
    compared, equal = grid_exponents(word, network)
    assert compared
    assert equal
    assert grid_exponents(word, network, more=1) == (compared, False)


@pytest.mark.slow
def test_which_rules_of_axes_were_compared():
    rules = set().union(*(grid_exponents(word, network)[0] for word, network in GRIDS))
    assert rules >= {"M1", "M3", "M4", *(f"M{k}" for k in range(7, 13)), "T2", "T4", "T5"}
