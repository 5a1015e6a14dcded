"""Formulas of families against every message walked, for every small n and all parameters.

`checked` compares loads and occupancies with messages walked over explicit channels
(`symbolic.counting`), which in turn are compared with the routes of the library here. The
catalogue on cubes and origins is in `test_catalogue`.
"""

import contextlib
import itertools
import random

import pytest

import lccmodel as lcc
from lccmodel.errors import InputError
from lccmodel.symbolic import Family, contention, family, symbols
from lccmodel.symbolic.affine import Affine
from lccmodel.symbolic.counting import walked_cube, walked_mesh
from lccmodel.symbolic.pieces import Piece
from tests.choosing import sampled

k = symbols("k")


# -- the walks and the count ----------------------------------------------------------------------


@pytest.mark.parametrize("word", ["bit-reverse", "shift:k", "gray-code", "scale2"])
def test_the_walks_are_those_of_the_routes_of_the_library(word):
    for point in family(word).members(4, 2):
        member = family(word).at(**point)
        networks = [(walked_cube(member, kind == "origin"), kind) for kind in ("cube", "origin")]
        for loads, kind in networks:
            counted = lcc.contention(member, f"{kind}:{member.n}", method="walk")
            assert loads == counted.per_dimension
        for first in range(1, member.n):
            for kind in ("mesh", "torus"):
                sides = f"{kind}:{1 << first}x{1 << member.n - first}"
                loads = walked_mesh(member, (first, member.n - first), kind == "torus")
                counted = lcc.contention(member, sides, method="walk")
                assert loads == counted.per_dimension


@pytest.mark.parametrize(
    ("module", "walk", "word", "network", "differing"),
    [
        ("contention_formula", "walked_cube", "bit-reverse", "cube:n", 4),
        ("mesh", "walked_mesh", "perfect-shuffle", "mesh:2^a x 2^b", 6),
    ],
)
def test_a_load_one_too_large_is_found(module, walk, word, network, differing, monkeypatch):
    """The negative control of `checked`."""
    count = walked_cube if walk == "walked_cube" else walked_mesh

    def larger(*arguments: object) -> tuple[int, ...]:
        return tuple(load + 1 for load in count(*arguments))

    monkeypatch.setattr(f"lccmodel.symbolic.{module}.{walk}", larger)
    checked = contention(word, network).checked(4)
    assert len(checked.differing) == checked.walked == differing


@pytest.mark.parametrize("bits", [14, pytest.param(24, marks=pytest.mark.slow)])
@pytest.mark.parametrize("word", ["bit-reverse", "reverse-flip"])
def test_larger_members_equal_ranks(word, bits):
    checked = contention(word, "cube:n").checked(bits)
    assert checked.all_equal
    assert checked.by_ranks == bits - 12


def test_the_inverse_has_the_loads_of_r10():
    """T_i(A^-1) = T_i(A) 2^([s(i) < i] - [t(i) < i]) for all bit orders of five bits."""
    for order in itertools.permutations(range(5)):
        there = lcc.catalog.bit_permute_complement(order)
        loads, back = walked_cube(there), walked_cube(there.inverse())
        for bit in range(5):
            assert back[bit] * 2 ** (order.index(bit) < bit) == loads[bit] * 2 ** (order[bit] < bit)


# -- families of one's own on cubes and origins ---------------------------------------------------

PART = ("r >= 1", "r < n")
TWO_PARTS = "Piecewise((r - 1 - k, k < r), (k, True))"
RIFFLED = "(k/2, And(Eq(Mod(k, 2), 0), k < 2*r)), (r + (k - 1)/2, And(Eq(Mod(k, 2), 1), k < 2*r))"
HIGH_RIFFLED = (
    "(2*h - 2*r + k/2, And(Eq(Mod(k, 2), 0), k < 2*r)), "
    "(2*h - r + (k - 1)/2, And(Eq(Mod(k, 2), 1), k < 2*r))"
)
ANY = "n >= 2"
ORDERS = {  # order, where, rows that are complemented, lower and upper triangle
    "two blocks, each reversed": (
        "Piecewise((n - r + k, k < r), (n - 1 - k, True))",
        PART,
        False,
        None,
        None,
    ),
    "row 0 complemented": ("n - 1 - k", ANY, "k < 1", None, None),
    # R2: a triangle next to a permutation
    "reversal after a Gray code": ("n - 1 - k", ANY, False, None, "Eq(j, k + 1)"),
    "lower triangle": ("Mod(k - 1, n)", ANY, False, "j < k", None),
    "both triangles": ("k", ANY, False, "Eq(j, k - 1)", "j >= k + 1"),
    # a row that is e_i and complemented moves all messages, and no other row half of them
    "complemented Gray code": ("k", ANY, True, None, "Eq(j, k + 1)"),
    "part of a Gray code": ("k", PART, "k < r", None, "And(Eq(j, k + 1), k >= r)"),
    "reversed, complemented": ("n - 1 - k", ANY, True, None, "Eq(j, k + 1)"),
    "reversed, lower": ("n - 1 - k", ANY, "k < 1", "And(Eq(j, k - 1), j >= 1)", None),
    "shifted, complemented": ("Mod(k - 1, n)", ANY, True, None, "And(Eq(j, k + 1), k >= 1)"),
}
NOT_ON_ORIGINS = ("lower triangle", "both triangles")
RUNS = {  # R3, first and last bit: different first bits, or first bit 0
    "suffix sums": ("k", "n - 1", "n >= 1"),
    "suffix sums, reversed": ("n - 1 - k", "n - 1", "n >= 1"),
    "single bits, reversed": ("n - 1 - k", "n - 1 - k", "n >= 1"),
    "prefix sums": (0, "k", "n >= 1"),
    "prefix sums, reversed": (0, "n - 1 - k", "n >= 1"),
    "prefix sums, shifted": (0, "Mod(k - r, n)", PART),
    "prefix sums of two parts": (0, TWO_PARTS, ("r >= 1", "r <= n")),
    "windows": ("k", "Piecewise((k + r, k < n - r), (n - 1, True))", PART),
    "suffix sums, shifted": ("Mod(k - r, n)", "n - 1", PART),
    "runs that end with their part": (
        TWO_PARTS,
        "Piecewise((r - 1, k < r), (n - 1, True))",
        PART,
    ),
}
INTERLEAVED = {  # R1 with slopes of 2 and 1/2: one field's bits between those of another
    "z-order": ("Piecewise((k/2, Eq(Mod(k, 2), 0)), (h + (k - 1)/2, True))", "2*h", "h >= 1"),
    "z-order undone": ("Piecewise((2*k, k < h), (2*k - 2*h + 1, True))", "2*h", "h >= 1"),
    "odd n": ("Piecewise((2*k, k < h + 1), (2*k - 2*h - 1, True))", "2*h + 1", "h >= 1"),
    "a riffle with the upper half reversed": (
        "Piecewise((k/2, Eq(Mod(k, 2), 0)), (2*h - 1 - (k - 1)/2, True))",
        "2*h",
        "h >= 1",
    ),
    "interleaved below, reversed above": (
        f"Piecewise({RIFFLED}, (2*h + 2*r - 1 - k, True))",
        "2*h",
        ("r >= 1", "h >= r + 1"),
    ),
    "fields of two sizes": (f"Piecewise({RIFFLED}, (k, True))", "2*h", ("r >= 1", "h >= r")),
    # R6 for p i + a and b - q i, R6b along rows: exponents of slope 2 meet and are summed
    "z-order of the high bits": (
        f"Piecewise({HIGH_RIFFLED}, (k - 2*r, True))",
        "2*h",
        ("r >= 1", "h >= r + 1"),
    ),
    "the same, the low bits reversed": (
        f"Piecewise({HIGH_RIFFLED}, (2*h - 1 - k, True))",
        "2*h",
        ("r >= 1", "h >= r + 1"),
    ),
}
STEEP = ("z-order of the high bits", "the same, the low bits reversed")
FAST = ["z-order", "odd n", "fields of two sizes"]


def own_family(name: str) -> Family:
    if name in RUNS:
        first, last, where = RUNS[name]
        return Family.of_runs(first, last, where=where)
    if name in ORDERS:
        order, where, complement, lower, upper = ORDERS[name]
        return Family.of(order, where=where, complement=complement, lower=lower, upper=upper)
    order, bits, where = INTERLEAVED[name]
    return Family.of(order, n=bits, where=where, name=name)


def every_formula_is_right(
    own: Family, bits: int, evaluated: int, networks: tuple[str, ...] = ("cube", "origin")
) -> None:
    """Loads of all members walked; sympy's values are those of `at`, and of the library."""
    for network in networks:
        T = contention(own, f"{network}:{own.n}")
        assert T.checked(bits).all_equal
        for point in [*own.members(bits)][-evaluated:]:
            loads = T.loads_at(**point)
            assert (T.degree.subs(point), T.total.subs(point)) == (max(loads), sum(loads)), point
            if len(loads) > 8:
                continue
            assert tuple(T.load.subs({**point, "i": row}) for row in range(len(loads))) == loads
            counted = lcc.contention(own.at(**point), f"{network}:{len(loads)}")
            assert T.at(**point) == counted
            assert T.at(**point).distance == counted.distance == T.distance.subs(point)


@pytest.mark.parametrize("name", [*ORDERS, *sampled(RUNS, 3), *FAST])
def test_families_of_ones_own_equal_their_messages_walked(name):
    networks = ("cube",) if name in NOT_ON_ORIGINS else ("cube", "origin")
    every_formula_is_right(own_family(name), 5, 1, networks)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RUNS, *INTERLEAVED])
def test_every_member_of_twelve_bits_equals_its_messages_walked(name):
    own = own_family(name)
    every_formula_is_right(own, 12, 200)
    if name in INTERLEAVED and name not in STEEP:
        every_formula_is_right(own.inverse(), 12, 200)


def test_block_sums_and_inverses():
    both = family("bit-reverse", n="r") + family("vector-reversal", n="n - r")
    T = contention(both)
    assert "R4" in T.rules
    assert T.checked(7).all_equal
    inverse = contention(family("unshuffle").inverse())
    assert inverse.total == contention("perfect-shuffle").total
    rows = Family.of_runs(0, "n - 1 - k").at(n=3).A.rows
    assert [bin(row) for row in rows] == ["0b111", "0b11", "0b1"]


# -- meshes and tori ------------------------------------------------------------------------------

SQUARE = "matrix-transpose:r of 2*r bits"
ON_GRIDS = {  # meshes of two axes, meshes of more, tori; a torus: whether it is proved
    "bit-reverse": (True, True, False),
    "reverse-flip": (True, True, False),
    "bit-reverse-part": (True, False, False),
    "fft-rows:a": (True, False, False),
    "fft-columns:k": (True, False, None),
    "perfect-shuffle": (True, True, True),
    "unshuffle": (True, True, True),
    "butterfly": (True, True, True),
    "exchange:k": (True, True, True),
    "gray-code": (True, True, False),
    "inverse-gray-code": (True, True, False),
    "vector-reversal": (True, True, True),
    "matrix-transpose:r": (True, False, None),
    "reflect-vertical:k": (False, False, True),
    "reflect-horizontal": (False, True, True),
    "reflect-diagonal": (True, False, False),
    "scale2": (True, False, True),
    "translation:5": (True, True, True),
    "identity": (False, True, None),
    SQUARE: (True, True, False),
}
"""The rules are M1 to M14 on meshes and T1 to T5 on tori; other loads of tori are fits."""

SLOW = {"bit-reverse-part", "fft-columns:k"}
TWO, THREE, FOUR = "2^a x 2^b", "2^a x 2^b x 2^c", "2^a x 2^b x 2^d x 2^c"
ON_RINGS = ("vector-reversal", "reflect-horizontal", "gray-code", "exchange:k", "butterfly")
GRIDS = [
    *((word, f"mesh:{TWO}") for word, (two, _, _) in ON_GRIDS.items() if two),
    *((word, f"mesh:{THREE}") for word, (_, more, _) in ON_GRIDS.items() if more),
    *((word, f"torus:{TWO}") for word, (_, _, ring) in ON_GRIDS.items() if ring is not None),
    *((word, f"torus:{THREE}") for word in ON_RINGS),
]
LARGE = [*GRIDS, *((word, f"mesh:{FOUR}") for word, (_, more, _) in ON_GRIDS.items() if more)]


def on_grid(word: str, network: str, bits: int) -> int:
    """The members that were counted and equal their messages walked."""
    own = family("matrix-transpose:r", n="2*r") if word == SQUARE else word
    T = contention(own, network)
    is_proved = network.startswith("mesh") or ON_GRIDS[word][2]
    assert T.derived == is_proved
    assert ("fit" in T.rules) == (not is_proved)
    for values in T.family.members(min(bits - 3, 4), 2) if network.endswith(TWO) else ():
        n = T.family.n.value(values)
        for at in ({**values, "a": a} for a in range(1, n) if values.get("a", a) == a):
            loads = T.loads_at(**at)
            assert (T.degree.subs(at), T.total.subs(at)) == (max(loads), sum(loads)), at
    checked = T.checked(bits)
    assert checked.all_equal
    return checked.walked


@pytest.mark.parametrize(("word", "network"), [grid for grid in GRIDS if grid[0] not in SLOW])
def test_grids_of_all_sides_equal_their_messages_walked(word, network):
    assert on_grid(word, network, 5 if network.endswith(THREE) else 6) >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("word", "network"), LARGE)
def test_grids_of_twelve_bits_equal_their_messages_walked(word, network):
    """A fit is not proved, so these counts are what is known of it."""
    on_grid(word, network, 9 if word in SLOW else 12)


def test_a_cyclic_exchange_of_three_equal_axes():
    """The middle axis joins every start with every end, or 2^a messages in one line."""
    for k_bits, loads in (("a", [1, 4, 256]), ("2*a", [2, 4, 32])):
        T = contention(family(f"shift:{k_bits}", n="3*a"), "mesh:2^a x 2^a x 2^a")
        assert [T.loads[1].subs({"a": bits}) for bits in (1, 2, 5)] == loads
        assert T.checked(6).all_equal
        assert "M7" in T.rules


@pytest.mark.parametrize("network", ["mesh:2^a x 2^b", "torus:2^a x 2^b"])
def test_a_translation_with_an_open_vector(network):
    """The top bit of b on an axis decides; on a ring also whether it is the only one."""
    T = contention("translation", network)
    assert T.checked(4).all_equal
    assert T.domain.endswith("vector < 2**n")
    assert T.loads_at(n=40, a=20, vector=1 << 19) == (1 << 19, 0)


def test_a_mesh_for_given_sides():
    found = contention("bit-reverse", "mesh:2^a x 2^b").at(n=5, a=3)
    counted = lcc.contention("bit-reverse", "mesh:8x4")
    assert found == counted
    assert found.distance == counted.distance


@pytest.mark.parametrize("h", [3, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_inverse", [False, True])
@pytest.mark.parametrize(
    ("name", "network", "is_proved"),
    [
        ("z-order", "mesh:2^h x 2^h", False),
        ("z-order undone", "mesh:2^h x 2^h", True),
        ("odd n", "mesh:2^(h+1) x 2^h", True),
    ],
)
def test_interleaved_bits_on_square_meshes(name, network, is_proved, is_inverse, h):
    """M1 proves axis 0 where the constants are above; forms that fit up to 9 bits elsewhere."""
    own = own_family(name).inverse() if is_inverse else own_family(name)
    T = contention(own, network)
    assert not T.derived
    assert all("fit" not in leaf.result.rule for leaf in T._axes[0]) == (is_proved != is_inverse)
    for bits in range(1, h + 1):
        member = own.at(h=bits)
        assert walked_mesh(member, (member.n - bits, bits)) == T.loads_at(h=bits)


def blocks_in_any_arrangement(rng: random.Random, ends: list[Affine]) -> tuple[Piece, ...]:
    """Blocks that end at these bits: reordered, some of them reversed and complemented."""
    bounds = list(zip([Affine(), *ends[:-1]], ends, strict=True))
    rng.shuffle(bounds)
    start, pieces = Affine(), []
    for first, last in bounds:
        length, flip = last - first, rng.random() < 0.3
        if rng.random() < 0.35:
            pieces.append(Piece(start, start + length, -1, start + last - 1, flip))
        else:
            pieces.append(Piece(start, start + length, 1, first - start, flip))
        start = start + length
    return tuple(pieces)


def arranged(seed: int, kinds: list[str], bits: int) -> bool:
    """Whether the loads of two or three blocks on a network are right or refused by name."""
    rng = random.Random(seed)
    p, q, size = (Affine.variable(name) for name in ("p", "q", "n"))
    one = Affine(constant=1)
    ends, where = rng.choice(
        [
            ([p, size], (p - 1, size - p - 1)),
            ([one, size], (size - 2,)),
            ([one, p, size], (p - 2, size - p - 1)),
            ([p, q, size], (p - 1, q - p - 1, size - q - 1)),
            *([([p, q, size], (p, q - p, size - q, size - 1))] if "cube" in kinds else []),
        ]
    )
    own = Family("blocks", size, blocks_in_any_arrangement(rng, ends), where)
    with contextlib.suppress(InputError):  # no rule, too many cases, or slopes of 2 that meet
        return contention(own, rng.choice(kinds)).checked(bits).all_equal
    return True


NETWORKS = [f"{kind}:{sides}" for kind in ("mesh", "torus") for sides in (TWO, THREE)]


@pytest.mark.parametrize("kinds", [["cube", "origin"], NETWORKS], ids=["cubes", "grids"])
@pytest.mark.parametrize(
    ("seeds", "bits"), [(range(4), 5), pytest.param(range(4, 90), 6, marks=pytest.mark.slow)]
)
def test_blocks_in_any_arrangement_are_right_or_refused(kinds, seeds, bits):
    assert all(arranged(seed, kinds, bits) for seed in seeds)


# -- refusals -------------------------------------------------------------------------------------

SPREAD = "Piecewise((2*k, k < h), (2*k + 1 - 2*h, True))"
BAD = [
    (lambda: Family.of("k + 1"), "must be a permutation of 0..n - 1: the source bits 1..n"),
    (lambda: Family.of("3*k"), "must have slope ±1 or ±2 in k, not 3"),
    (lambda: Family.of("2*k"), "even source bits are not each taken once"),
    (lambda: Family.of("Mod(2*k, n)"), "must have slope 1 or -1 in k inside Mod"),
    (
        lambda: Family.of("Piecewise((k/2, Eq(Mod(k, 2), 0)), (k, True))"),
        "n: must be even or odd, such as 2*h, next to Mod(k, 2)",
    ),
    (
        lambda: Family.of("Piecewise((k/3, Eq(Mod(k, 3), 0)), (k, True))"),
        "must have conditions on Mod(k, 2) and affine ones only",
    ),
    (
        lambda: Family.of(SPREAD, n="2*h", where="h>=1") + family("gray-code"),
        "must be bit permutations",
    ),
    (lambda: Family.of_runs("k", "k + 1"), "last: must be at least the first bit and below n"),
    (
        lambda: Family.of_runs(SPREAD, "2*h - 1", n="2*h", where="h >= 1"),
        "first: must be 0 or have slope 1 or -1 in k",
    ),
    (lambda: Family.of_runs(0, "k + 1"), "must be a permutation of 0..n - 1"),
    (
        lambda: contention(Family.of("n - 1 - k", lower="Eq(j, k - 1)"), "origin:n"),
        "on an origin L must leave bit 0 alone, with no entry in column 0",
    ),
    (
        lambda: contention(own_family("z-order"), "mesh:2^a x 2^b"),
        "no rule proves this family on",
    ),
    (lambda: Family.of("n - r - k"), "must give a range of the parameter r"),
    (lambda: Family.of(k**2, k, n=symbols("n")), "must be affine with integer coefficients"),
    (
        lambda: Family.of("Piecewise((k, k >= r), (k + 1, k < n))", where=PART),
        "must not have overlapping conditions",
    ),
    (lambda: Family.of("n - 1 -", k), "must be a sympy expression or its text"),
    (lambda: Family.of(k, "k + 1"), "k: must be a symbol"),
    (lambda: Family.of(k, k, where=("n >= 2", "n <= 1")), "where: must allow some parameters"),
    (  # its list of members up to n would leave some out
        lambda: list(Family.of(k, where=("r >= 0", "n >= 1")).members(3)),
        "must keep r within -n..n",
    ),
    (lambda: family("translation:n"), "translation: must be a number or the name of one"),
    (lambda: family("translation:-1"), "translation: must be at least 0"),
    (lambda: contention("translation").at(n=3, vector=8), "must satisfy vector < 2**n; got 8"),
    (lambda: family("translation") + family("identity"), "without an open vector to be added"),
    (lambda: family("bit-revers"), "did you mean 'bit-reverse'"),
    (lambda: family("bit-permute-complement:1-0"), "has no family"),
    (lambda: family("bit-reverse:2"), "bit-reverse has no parameters"),
    (lambda: contention("bit-reverse", "fattree:4^n"), "no rule covers this network"),
    (lambda: contention("bit-reverse", "cube:m"), "must have the n address bits of bit-reverse"),
    (lambda: contention("rotate90-clockwise", "mesh:2^a x 2^b"), "no rule proves this family on"),
    (lambda: contention("shift:k", "torus:2^a x 2^b"), "n = 5, k = 4, a = 4: (8, 1)"),
    (lambda: contention("bit-reverse", "mesh:4 x 2^b"), "must have sides such as 2^a"),
    (lambda: contention("bit-reverse").at(n=2.5), "n: must be an integer; got 2.5"),
    (lambda: contention("bit-reverse").at(), "n: must be given"),
    (lambda: contention("bit-reverse").at(n=3, r=1), "bit-reverse: has the parameters n; got 'r'"),
    (lambda: contention("shift:k").at(n=3, k=3), "k: must satisfy k < n; got 3"),
    (lambda: Family.of(True), "must be the number of a bit, not a condition"),
    (lambda: family("shift:k=n"), "family: must satisfy k >= 1 and k < n"),
    (lambda: contention("shift:k").checked(0), "n: must be at least 1"),
    (lambda: contention("scale2").occupancy, "must be of a gather"),  # nodes differ
    (lambda: family("gray-code").inverse(), "must be a bit permutation to be inverted"),
    (lambda: family("scale2").order_at(n=4, a=2), "must be a permutation to have a bit order"),
]


@pytest.mark.parametrize(("call", "rule"), BAD, ids=[rule[:40] for _, rule in BAD])
def test_what_is_no_family_is_refused(call, rule):
    with pytest.raises(InputError) as error:
        call()
    assert rule in str(error.value)


def test_members_have_at_least_one_bit_whatever_is_asked():
    """A least number of bits far below 1 was counted up from, for ever."""
    shifts = family("shift:k")
    assert [*shifts.members(3, -(1 << 70))] == [*shifts.members(3)] != []


@pytest.mark.parametrize(
    "text", ["__import__('os')", "open(k)", "k.args", "lambda: 1", "exec(k)", "1/0", "k" * 501]
)
def test_a_text_is_never_run(text):
    """sympy evaluates texts as Python; only arithmetic and conditions are passed on."""
    for call in (
        lambda: Family.of(text),
        lambda: family(f"shift:{text}"),
        lambda: family("fft", text),
    ):
        with pytest.raises(InputError):
            call()
