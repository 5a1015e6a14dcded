"""Routing on the explicit mesh: [sibeyn], Lemma 1, section 3, Theorem 1, and numbering schemes.

Data are moved by unit shifts only (`sibeyn_grid`). Every affine permutation is decomposed with
every selection of j, W as read in `sibeyn.eq4`. A numbering is covered if it is Cs + d for all
processors s. C and d can be nothing but what the processors 0, 1, 2, 4, ... say, so the rest
decides.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.sibeyn_decomposition import (
    cycle_bounds,
    factor,
    make_c,
    make_W,
    parts_of,
    renamed_vector,
)
from proofs_check.claims.sibeyn_grid import (
    ALWAYS,
    BAD_BCS,
    BAD_ECBCS,
    EMPTY,
    IDLE,
    LOST,
    TRIVIAL_VL,
    UNDELIVERED,
    Decomposed,
    Rule,
    complement,
    grid_shape,
    places_of,
    run_mesh,
)
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS, AllVectors, Domain, Enumerated, EveryN, Nonsingular
from proofs_check.driver import Case, compiled_claim, tags_of

# -- Lemma 1: a selective complement of one bit ------------------------------------------------


@kernel
def _selective(n: int, bit: int, selection: Ints, places: Ints) -> int:
    """Unit shifts of BCRoute for one selection; -1 if a datum is lost or stands wrong."""
    rows, columns = grid_shape(n)
    olddata = np.full((rows, columns), EMPTY, np.int64)
    newdata, transit = olddata.copy(), olddata.copy()
    for r in range(rows):
        for c in range(columns):
            register = newdata if selection[places[r, c]] else olddata
            register[r, c] = places[r, c]
    steps, lost = complement(bit, newdata, transit, places)
    wrong = lost
    for r in range(rows):
        for c in range(columns):
            x = places[r, c]
            sender = x ^ 1 << bit
            wrong += olddata[r, c] != (EMPTY if selection[x] else x)
            wrong += newdata[r, c] != (sender if selection[sender] else EMPTY)
    return -1 if wrong else steps


def _affine_selections(n: int) -> Iterator[tuple[int, int, int, int]]:
    for i in range(n):
        for u in range(1 << n):
            for v in (0, 1):
                yield n, i, u, v


_LEMMA = (
    "a third register holds a datum on its way, while newdata of the other half is still waiting"
)


@claim(
    "sibeyn.lem1",
    place="Section 1.3, Lemma 1",
    says="a selective complement of bit i can be routed with 2·2^⌊i/2⌋ steps",
    latex=r"2 \cdot 2^{\lfloor i/2 \rfloor}",
    over=Enumerated(
        _affine_selections,
        size=lambda n: n << n + 1,
        names="n, i, u, v",
        text="all bits i, all affine selections: the x with u·x = v",
    ),
    evidence="registers of an explicit mesh, moved by unit shifts in one direction at a time",
    control=Control("half as many steps", share=2),
    reading=_LEMMA,
    sizes=Sizes(most=6),
)
def lem1(n: int, i: int, u: int, v: int, *, share: int = 1) -> Finding:
    selected = (np.bitwise_count(np.arange(1 << n) & u).astype(np.int64) & 1) == v
    steps = _selective(n, i, selected.astype(np.int64), places_of(n))
    return Finding(steps * share == 2 << i // 2, steps=steps)


class _Selections(Domain):
    """All bits i, all sets of processors; a set is a packed int whose bit x is processor x."""

    names = ("i", "selected")
    text = "all bits i, all sets of selected processors"

    def span(self, n: int) -> int:
        return n << (1 << n)

    def case(self, n: int, index: int) -> tuple[int, int]:
        return divmod(index, 1 << (1 << n))


@compiled_claim(
    "sibeyn.lem1.any",
    place="Section 1.3, Lemma 1",
    says="a selective complement of bit i, of any set of processors, can be routed with "
    "2·2^⌊i/2⌋ steps",
    latex=r"2 \cdot 2^{\lfloor i/2 \rfloor}",
    over=_Selections(),
    evidence="registers of an explicit mesh, moved by unit shifts in one direction at a time",
    control=Control("half as many steps", share=2),
    reading=_LEMMA,
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (places_of(n),),
)
def lem1_any(case: Case, places: Ints, share: int = 1) -> bool:
    size = 1 << case.n
    bit, selection = case.number >> size, case.images[0, :size]
    for x in range(size):
        selection[x] = case.number >> x & 1
    return bool(_selective(case.n, bit, selection, places) * share == 2 << (bit >> 1))


# -- numbering schemes, section 4 --------------------------------------------------------------


def numbers(name: str, n: int) -> Ints:
    """The number of every processor, in the order of the shuffled row-major numbers.

    >>> numbers("snake-like", 2).tolist(), numbers("spiral", 2).tolist()
    ([0, 1, 3, 2], [0, 1, 3, 2])
    """
    rows, columns = grid_shape(n)
    grid = np.arange(rows * columns).reshape(rows, columns)
    if name == "snake-like":
        grid[1::2] = grid[1::2, ::-1]
    elif name == "every fourth row backwards":
        grid[1::4] = grid[1::4, ::-1]
    elif name == "spiral":
        grid = _spiral(rows, columns)
    by_place = np.empty(1 << n, np.int64)
    by_place[places_of(n)] = grid
    return by_place


def _spiral(rows: int, columns: int) -> Ints:
    """From the corner around the border and inwards."""
    left = np.arange(rows * columns).reshape(rows, columns)
    order: list[int] = []
    while left.size:
        order += left[0].tolist()
        left = left[1:].T[::-1]
    spiral = np.empty(rows * columns, np.int64)
    spiral[order] = np.arange(rows * columns)
    return spiral.reshape(rows, columns)


def affine_form(by_place: Ints) -> tuple[GF2Matrix, int] | None:
    """(C, d) with number = C s + d for every s, or None.

    >>> affine_form(np.array([0, 1, 3, 2]))
    (GF2Matrix([[1, 1], [0, 1]]), 0)
    """
    n = len(by_place).bit_length() - 1
    d = int(by_place[0])
    columns = [int(by_place[1 << j]) ^ d for j in range(n)]
    C = GF2Matrix.from_rows(columns, n).T
    fits = all(C.apply(s) ^ d == by_place[s] for s in range(1 << n))
    return (C, d) if fits and C.is_nonsingular else None


@claim(
    "sibeyn.numbering",
    place="Section 4",
    printed="The row-major numbering-scheme is among them, the snake-like numbering-scheme, "
    "however, is not.",
    says="among the numbering schemes that differ from shuffled row-major by an affine permutation "
    "(C, d) are row-major ones, but not the snake-like one",
    latex=r"\bar x' = C \bar x + \bar d",
    over=EveryN("the square meshes of 2^n processors, n = 2, 4, 6, 8", dimensions=(2, 4, 6, 8)),
    evidence="the grid of numbers written out; C and d read off n + 1 processors, tried on all",
    control=Control(
        "the spiral numbering is among them", among=("row-major", "snake-like", "spiral"), others=()
    ),
    amended=Amended(
        "row-major and snake-like numbering are both among them: reading every second row "
        "backwards adds the last bit of the row to every bit of the column",
        control=Control(
            "reading every fourth row backwards gives one too",
            among=("row-major", "snake-like", "every fourth row backwards"),
        ),
        among=("row-major", "snake-like"),
        others=(),
    ),
)
def numbering(
    n: int, *, among: tuple[str, ...] = ("row-major",), others: tuple[str, ...] = ("snake-like",)
) -> Finding:
    forms = {name: affine_form(numbers(name, n)) for name in (*among, *others)}
    stated = all(forms[name] for name in among) and not any(forms[name] for name in others)
    return Finding(stated, **{f"C of {name}": form and form[0] for name, form in forms.items()})


@claim(
    "sibeyn.numbering.formula",
    place="Section 4",
    says="routing (A', b') with respect to the numbers Cx + d is routing A = C⁻¹A'C, "
    "b = C⁻¹(A'd + b' - d) with respect to the shuffled row-major numbers x",
    latex=r"A = C^{-1} A' C,\ \bar b = C^{-1}(A' \bar d + \bar b' - \bar d)",
    over=(Nonsingular("C") * AllVectors("d") * Nonsingular("A'") * AllVectors("b'")).described(
        "all (C, d), all (A', b')"
    ),
    evidence="every processor followed: its number, the number of its destination, that processor",
    control=Control("b without the term A'd", shifted=False),
    sizes=Sizes(most=2, limit=4),
    samples={3: 3000, 4: 1000},
)
def formula(
    C: GF2Matrix, d: GF2Vector, A: GF2Matrix, b: GF2Vector, *, shifted: bool = True
) -> Finding:
    n = C.n_columns
    inverse = C.inverse()
    moved = A.apply(int(d)) if shifted else 0
    routed = inverse @ A @ C
    vector = inverse.apply(moved ^ int(b) ^ int(d))
    number = [C.apply(x) ^ int(d) for x in range(1 << n)]
    wrong = [
        x for x in range(1 << n) if number[routed.apply(x) ^ vector] != A.apply(number[x]) ^ int(b)
    ]
    return Finding(not wrong, wrong_at=wrong)


# -- the routing procedures --------------------------------------------------------------------


PAIRS = PERMUTATIONS.described("all affine permutations (A, b), each with all selections of j")
SQUARE = copy.copy(PAIRS)
SQUARE.dimensions = (2, 4)
_EVIDENCE = (
    "registers of an explicit mesh, moved by unit shifts; every datum followed by itself; W as "
    "read in sibeyn.eq4"
)

STATED = Stated(over=PAIRS, evidence=_EVIDENCE, sizes=Sizes(limit=5))


# -- the routing procedures ---------------------------------------------------------------------


@kernel
def _least_steps(n: int, images: Ints) -> int:
    """The least price of a set T of one-bit operations by which every message can arrive."""
    least = 1 << 40
    for T in range(1 << n):
        arrives = True
        for x in range(1 << n):
            if (x ^ images[x]) & ~T:
                arrives = False
        price = 0
        for i in range(n):
            price += (T >> i & 1) * (2 << (i >> 1))
        if arrives:
            least = min(least, price)
    return least


@kernel
def _decomposed(n: int, rows: Ints, b: int, taken: Ints, offered: Ints) -> tuple[int, Decomposed]:
    """The choices of j made (-1: stuck), and the parts with W as read."""
    bits, exchanged, first, last = np.zeros((4, n), np.int64)
    VL, W = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    choices = factor(n, rows.copy(), taken, offered, bits, exchanged, VL, n - 1, False, True)
    count = cycle_bounds(n, exchanged, first, last)
    make_W(n, VL, count, first, last, False, True, W)
    c, _ = make_c(n, renamed_vector(n, b, bits), W, count, first, last, True)
    return choices, Decomposed(bits, W, VL, c, count, first, last)


@kernel
def _indices(n: int, bits: Ints) -> Ints:
    """The index Bx of every number x."""
    indices = np.empty(1 << n, np.int64)
    for x in range(1 << n):
        indices[x] = renamed_vector(n, x, bits)
    return indices


def _is_routed(
    case: Case,
    places: Ints,
    asked: int,
    price: int,
    shifts_y: bool = True,
    swaps_back: bool = True,
    skipping: int = ALWAYS,
    fewer: int = 0,
) -> bool:
    """Whether a pair is routed without the mistakes `asked` about, in `price` steps less `fewer`.

    `price` -1 asks for no number of steps, -2 for the least of one-bit operations.
    """
    n, taken, offered, images = case.n, case.work[0], case.work[1], tags_of(case)
    wanted = _least_steps(n, images) if price == -2 else price - fewer
    rule = Rule(shifts_y, swaps_back, skipping)
    taken[:] = 0
    while True:
        choices, made = _decomposed(n, case.rows, case.b, taken, offered)
        if choices < 0:
            return False
        steps, wrong = run_mesh(made, _indices(n, made.bits), images, places, rule)
        if wrong & asked or (wanted >= 0 and steps != wanted):
            return False
        if not next_choice(choices, taken, offered):
            return True


def _asking(asked: int, price: int) -> Callable[..., tuple[Ints, int, int]]:
    """The tables of a claim that asks about these mistakes."""
    return lambda n, **_: (places_of(n), asked, price)


bcs = compiled_claim(
    "sibeyn.bcs",
    place="Section 3, BCsRoute",
    says=(
        "a pass of BCsRoute outside of cycles exchanges data pairwise: selected_x = "
        "selected_(bc_i(x)). After step 4 every processor holds exactly one datum, in "
        "olddata, at x⁽ⁱ⁾ = c_i + W⁽ⁱ⁾ x⁽ⁱ⁻¹⁾"
    ),
    latex=r"\bar x^{(i)} = \bar c_i + W^{(i)} \bar x^{(i-1)}",
    tables=_asking(LOST | BAD_BCS, -1),
    control=Control("without step 4", swaps_back=False),
    reading=(
        "the last argument of BCsRoute is c̄, as in ECBCsRoute, not x̄; bc_i(x) in the "
        "displayed relation is its bit i"
    ),
    samples={5: 1000},
)(_is_routed)


ecbcs = compiled_claim(
    "sibeyn.ecbcs",
    place="Section 3, ECBCsRoute",
    says=(
        "in a pass of ECBCsRoute exactly one of two data leaves a processor, the one whose "
        "ȳ_d asks for it. No processor holds more than two. At the end each holds exactly "
        "one, in olddata, at x⁽ˡ⁾ = EC(c_l + W⁽ˡ⁾ ... (c_k + W⁽ᵏ⁾ x⁽ᵏ⁻¹⁾))"
    ),
    latex=r"\bar x^{(l)} = EC^{(k\,l)}(\bar c_l + W^{(l)} \cdots (\bar c_k + W^{(k)} "
    r"\bar x^{(k-1)}))",
    tables=_asking(LOST | BAD_ECBCS, -1),
    control=Control("the index x in place of ȳ", shifts_y=False),
    reading=(
        "for i = k the published vector ȳ has n + 1 entries, x_k twice; it is x, as in "
        "Example 3. The `od` before the last line is one too many"
    ),
    samples={5: 1000},
)(_is_routed)


thm1 = compiled_claim(
    "sibeyn.thm1",
    place="Section 3, Theorem 1",
    says="every affine permutation is routed with 4√N - 4 steps",
    latex=r"4 \sqrt N - 4",
    over=SQUARE,
    tables=lambda n, **_: (
        *(places_of(n), LOST | BAD_BCS | BAD_ECBCS | UNDELIVERED, 4 * 2 ** (n // 2) - 4),
    ),
    control=Control("one step fewer", fewer=1),
    sizes=Sizes(),
)(_is_routed)


onebit = compiled_claim(
    "sibeyn.onebit",
    place="Section 4",
    says="when pass i is skipped if VL⁽ⁱ⁾ = 0, no algorithm that uses only one-bit operations "
    "needs fewer steps",
    latex=r"\sum_{i \text{ moves}} 2 \cdot 2^{\lfloor i/2 \rfloor}",
    evidence=f"{_EVIDENCE}; all sets of bits that may be complemented, with the least price of "
    "those by which every message can arrive",
    tables=_asking(LOST | UNDELIVERED, -2),
    control=Control("pass i is skipped if VL⁽ⁱ⁾ = I", skipping=TRIVIAL_VL),
    reading=Reading(
        "pass i is skipped if it selects no processor: W⁽ⁱ⁾ = I, c_i = 0 and i is in no "
        "cycle. VL⁽ⁱ⁾ = 0 is impossible, as VL⁽ⁱ⁾ is invertible",
        skipping=IDLE,
    ),
    samples={5: 1000},
)(_is_routed)


@bcs.explain
@ecbcs.explain
@thm1.explain
@onebit.explain
def _show(A: GF2Matrix, b: GF2Vector, **parameters: Any) -> Mapping[str, Any]:
    """The parts with the least j selected, the steps taken and needed, and where the data end."""
    n = A.n_columns
    shown = parts_of(A)
    steps, wrong = routed_steps(A, int(b), parameters.get("skipping", ALWAYS))
    images = np.array([A.apply(x) ^ int(b) for x in range(1 << n)])
    return {
        **shown,
        "steps": steps,
        "least_of_one_bit_operations": _least_steps(n, images),
        "delivered": not wrong & UNDELIVERED,
    }


def routed_steps(A: GF2Matrix, b: int, skipping: int = ALWAYS) -> tuple[int, int]:
    """(unit shifts, mistakes) of the routing with the least j selected."""
    n = A.n_columns
    _, made = _decomposed(n, np.array(A.rows), b, *np.zeros((2, n + 1), np.int64))
    images = np.array([A.apply(x) ^ b for x in range(1 << n)])
    rule = Rule(True, True, skipping)
    steps, wrong = run_mesh(made, _indices(n, made.bits), images, places_of(n), rule)
    return int(steps), int(wrong)


# -- routing with respect to indices --------------------------------------------------------------

_RENAMINGS = Enumerated(
    lambda n: ((order,) for order in permutations(range(n))),
    size=factorial,
    names="B",
    text="all permutation matrices B, bit i of the index being bit B[i] of the number; square "
    "meshes of 2^n processors",
    dimensions=(2, 4, 6),
)


@claim(
    "sibeyn.indices",
    place="Section 2, before equation (3)",
    says="with a permutation matrix B routing with respect to the indices Bx is as easy as with "
    "respect to the numbers x: complementing bit i of the indices is bc_j, with j such that "
    "B⁻¹ē_i = ē_j, and all bits take 4√N - 4 steps",
    printed="routing with respect to the indices is just as easy as routing with respect to the "
    "numbers (instead of calling bc_i one should call bc_j, with j such that B⁻¹·ē_i = ē_j)",
    latex=r"B^{-1}(Bx + \bar e_i) = x + \bar e_j",
    over=_RENAMINGS,
    evidence="the processor of every index listed; the way to its partner counted on the mesh, "
    "there and back",
    control=Control("j such that Bē_i = ē_j", inverse=False),
)
def indices(order: tuple[int, ...], *, inverse: bool = True) -> Finding:
    """[sibeyn, section 2] every bit of the number is complemented once, in another sequence."""
    n = len(order)
    numbers = range(1 << n)
    index = [sum((x >> bit & 1) << i for i, bit in enumerate(order)) for x in numbers]
    number = {x_index: x for x, x_index in enumerate(index)}
    partners = [[number[index[x] ^ 1 << i] for x in numbers] for i in range(n)]
    called = [order[i] if inverse else order.index(i) for i in range(n)]
    renamed = all(partners[i] == [x ^ 1 << called[i] for x in numbers] for i in range(n))
    steps = sum(2 * max(map(_hops, numbers, partners[i])) for i in range(n))
    return Finding(renamed and steps == 4 * (1 << n // 2) - 4, bc=called, steps=steps)


def _hops(x: int, y: int) -> int:
    """Rows and columns between two shuffled row-major numbers."""
    ways = [0, 0]
    for bit in range(max(x, y).bit_length()):
        ways[bit & 1] += ((y >> bit & 1) - (x >> bit & 1)) << (bit >> 1)
    return sum(map(abs, ways))
