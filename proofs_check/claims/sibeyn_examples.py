"""The examples of [sibeyn] as printed; printed matrices have the most significant bit first."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Finding, claim
from proofs_check.claims.sibeyn_average import needed_steps
from proofs_check.claims.sibeyn_decomposition import make_c
from proofs_check.claims.sibeyn_grid import believed, complement, grid_shape, places_of
from proofs_check.claims.sibeyn_mesh import routed_steps
from proofs_check.domain import AllVectors, Enumerated, EveryN, Listed


def printed(rows: str, stars: tuple[int, ...] = ()) -> GF2Matrix:
    """A matrix as the paper prints it: row n-1 and column n-1 first, `*` replaced in turn.

    >>> printed("1** 010 001", (1, 0)).rows
    (1, 2, 6)
    """
    values = iter(stars)
    top_down = [
        [next(values) if entry == "*" else int(entry) for entry in row] for row in rows.split()
    ]
    return GF2Matrix([row[::-1] for row in top_down[::-1]])


_U2, _L1, _L0 = "1** 010 001", "100 *1* 001", "100 010 **1"
_STARS = Enumerated(
    lambda n: (stars for stars in product((0, 1), repeat=6)),
    size=lambda n: 64,
    names="s1, s2, s3, s4, s5, s6",
    text="every value of the stars",
    dimensions=(3,),
)

# -- Example 1 ----------------------------------------------------------------------------------


@claim(
    "sibeyn.ex1",
    place="Section 2, Example 1",
    says="the five expressions are equal for every value of the stars, with c_2, c_1, c_0 as the "
    "algorithm calculates them",
    latex=r"\bar y = \begin{pmatrix} b_2 \\ b_1 \\ b_0 \end{pmatrix} + U P L_1 L_0 \bar x",
    over=_STARS * AllVectors("b"),
    evidence="all five evaluated for every x",
    control=Control("b_1 and b_0 not exchanged in the third", exchanged=False),
)
def ex1(*case: Any, exchanged: bool = True) -> Finding:
    *stars, b = case
    U2, P = printed(_U2, tuple(stars[:2])), printed("100 001 010")
    L1, L0 = printed(_L1, tuple(stars[2:4])), printed(_L0, tuple(stars[4:]))
    b0, b1, _ = b
    W = np.array([L0.rows, L1.rows, U2.rows])
    c, clean = make_c(3, int(b), W, 1, np.array([0]), np.array([1]), True)
    c0, c1, c2 = (c & 1 << i for i in range(3))
    middle = b0 << 1 | b1 if exchanged else b1 << 1 | b0
    lines = set()
    for x in range(8):
        inner = L1.apply(L0.apply(x))
        lines.add(
            (
                int(b) ^ U2.apply(P.apply(inner)),
                U2.apply((c2 | b1 << 1 | b0) ^ P.apply(inner)),
                c2 ^ U2.apply(P.apply(middle ^ inner)),
                c2 ^ U2.apply(P.apply(L1.apply((c1 | b1) ^ L0.apply(x)))),
                c2 ^ U2.apply(P.apply(c1 ^ L1.apply(c0 ^ L0.apply(x)))),
            )
        )
    wrong = [values for values in sorted(lines) if len(set(values)) > 1]
    return Finding(clean and not wrong, c=[c0, c1 >> 1, c2 >> 2], differ=wrong)


# -- Example 2 ----------------------------------------------------------------------------------


@claim(
    "sibeyn.ex2",
    place="Section 3, Example 2",
    says="in EC⁽⁰²⁾ W⁽²⁾ W⁽¹⁾ W⁽⁰⁾ the final x_1 is determined by W⁽⁰⁾, x_2 by W⁽¹⁾, x_0 by W⁽²⁾: "
    "x_(i+1) = W⁽ⁱ⁾_i y⁽ⁱ⁻¹⁾, with k for l + 1",
    latex=r"x^{(2)}_{i+1} = \overline{W}^{(i)}_{i,-} \cdot \bar y^{(i-1)}",
    over=_STARS,
    evidence="the four printed matrices applied to every x",
    control=Control("x_i for x_(i+1)", moved=0),
)
def ex2(*stars: int, moved: int = 1) -> Finding:
    EC = printed("010 001 100")
    W = [printed(_L0, stars[:2]), printed(_L1, stars[2:4]), printed(_U2, stars[4:])]
    wrong = []
    for x in range(8):
        y, bits = x, []
        for i in range(3):
            bits.append((W[i].rows[i] & y).bit_count() & 1)
            y = W[i].apply(y)
        final = EC.apply(y)
        if any(final >> (i + moved) % 3 & 1 != bits[i] for i in range(3)):
            wrong.append(x)
    return Finding(not wrong, differs_for=wrong)


# -- Example 3 ----------------------------------------------------------------------------------

TABLE = (
    ("olddata initial situation", "000 001 010 011 100 101 110 111"),
    ("newdata initial situation", "- - - - - - - -"),
    ("y i = 0", "000 001 010 011 100 101 110 111"),
    ("selected i = 0", "F T T F F T T F"),
    ("olddata i = 0 exchange", "000 - - 011 100 - - 111"),
    ("newdata i = 0 exchange", "- 001 010 - - 101 110 -"),
    ("newdata routing of bc_1", "010 - - 001 110 - - 101"),
    ("y i = 1", "000 000 011 011 100 100 111 111"),
    ("selected i = 1", "F F T T T T F F"),
    ("olddata i = 1 exchange", "000 - - 001 110 - - 111"),
    ("newdata i = 1 exchange", "010 - - 011 100 - - 101"),
    ("newdata routing of bc_2", "100 - - 101 010 - - 011"),
    ("y i = 2", "000 000 001 001 110 110 111 111"),
    ("selected i = 2", "F F T T T T F F"),
    ("olddata i = 2 exchange", "000 - - 101 010 - - 111"),
    ("newdata i = 2 exchange", "100 - - 001 110 - - 011"),
    ("newdata routing of bc_0", "- 100 001 - - 110 011 -"),
    ("olddata if test", "000 100 001 101 010 110 011 111"),
    ("newdata if test", "- - - - - - - -"),
)
SELECTED_IN_LAST_PASS = "F T F T T F T F"


def run_example_3() -> list[tuple[str, str]]:
    """The table, from ECBCsRoute(0, 2, I, I, I, 0) by unit shifts."""
    places = places_of(3)
    old, new, transit = places.copy(), np.full_like(places, -1), np.full_like(places, -1)

    def shown(grid: Ints) -> str:
        flat = np.empty(8, np.int64)
        flat[places] = grid
        return " ".join(f"{d:03b}" if d >= 0 else "-" for d in flat.tolist())

    rows = [
        (f"{name} initial situation", shown(g)) for name, g in (("olddata", old), ("newdata", new))
    ]
    for i in range(3):
        bit = (i + 1) % 3
        y = np.vectorize(lambda x, i=i: believed(x, 0, i))(places)
        selected = (places >> bit & 1) != (y >> i & 1)
        flags = np.empty(8, bool)
        flags[places] = selected
        rows.append((f"y i = {i}", shown(y)))
        rows.append((f"selected i = {i}", " ".join("FT"[int(flag)] for flag in flags)))
        old, new = np.where(selected, new, old), np.where(selected, old, new)
        rows += [
            (f"olddata i = {i} exchange", shown(old)),
            (f"newdata i = {i} exchange", shown(new)),
        ]
        complement(bit, new, transit, places)
        rows.append((f"newdata routing of bc_{bit}", shown(new)))
    old, new = np.where(old < 0, new, old), np.where(old < 0, old, new)
    return [*rows, ("olddata if test", shown(old)), ("newdata if test", shown(new))]


@claim(
    "sibeyn.ex3",
    place="Section 3, Example 3",
    says="the published table of the registers while EC⁽⁰²⁾ is routed is right",
    latex=r"(EC^{(0\,2)}, \bar 0)",
    over=Listed(
        3, TABLE, names="row, printed", text="every row of the table, eight entries each", size=19
    ),
    evidence="ECBCsRoute run on an explicit mesh by unit shifts",
    control=Control("the processors in reverse", backwards=True),
    amended=Amended(
        "the table is right except the row `selected` of i = 2, which repeats that of i = 1. "
        "It is F T F T T F T F. The processors in which the two differ hold no data",
        control=Control("that row is F T F T T F T T", instead="F T F T T F T T"),
        corrected=True,
    ),
)
def ex3(
    row: str, printed: str, *, corrected: bool = False, backwards: bool = False, instead: str = ""
) -> Finding:
    run = dict(run_example_3())[row]
    right = instead or SELECTED_IN_LAST_PASS
    expected = right if corrected and row == "selected i = 2" else printed
    if backwards:
        expected = " ".join(expected.split()[::-1])
    return Finding(run == expected, run=run)


# -- Example 4 ----------------------------------------------------------------------------------

_SQUARES = EveryN("the square meshes of 2^n processors, n = 2, 4, 6, 8", dimensions=(2, 4, 6, 8))
_DISTANCES = (
    "what some datum has to go right, left, down and up; for n = 2 all schedules of unit shifts; "
    "the routing by unit shifts"
)


def least_unit_shifts(images: Ints) -> int:
    """The least number of steps by any schedule, of all; four processors.

    A step moves any set of data to the next processor in one direction; a processor may hold any
    number. Sets of states are searched breadth first.
    """
    n = len(images).bit_length() - 1
    places = places_of(n)
    rows, columns = grid_shape(n)
    at = {int(places[r, c]): (r, c) for r in range(rows) for c in range(columns)}
    ways: list[dict[int, int]] = []
    for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0)):
        moved = {x: (r + dr, c + dc) for x, (r, c) in at.items()}
        ways.append(
            {x: int(places[p]) for x, p in moved.items() if min(p) >= 0 and p in at.values()}
        )
    goal, reached = tuple(images.tolist()), {tuple(range(len(images)))}
    front, steps = reached, 0
    while goal not in reached:
        front = {state for old in front for way in ways for state in _moved(old, way)} - reached
        reached = reached | front
        steps += 1
    return steps


def _moved(state: tuple[int, ...], way: dict[int, int]) -> Iterator[tuple[int, ...]]:
    yield from product(*((x, way[x]) if x in way else (x,) for x in state))


def _least(images: Ints) -> int:
    """A lower bound for every routing; the least number itself for four processors."""
    needed = needed_steps(images)
    return max(needed, least_unit_shifts(images)) if len(images) == 4 else needed


def _alternating(n: int, first: int) -> int:
    """The number (first, 1 - first, ..., 1 - first), most significant bit first."""
    return sum(1 << i for i in range(n) if (i & 1) == first)


@claim(
    "sibeyn.ex4.tt",
    place="Section 4, Example 4",
    printed="TT can be routed in 2·√N - 4 rss with the algorithm of Nassimi & Sahni [5]. Thus our "
    "algorithm does not route TT optimally.",
    says="TT = Ex⁽⁰¹⁾ Ex⁽²³⁾ ... sends (0,1,...,0,1) to (1,0,...,1,0) and back. By bit complements "
    "it takes 4√N - 4 steps, but it can be routed in 2√N - 4 steps: the routing is not optimal",
    latex=r"2 \sqrt N - 4 < 4 \sqrt N - 4",
    over=_SQUARES,
    evidence=_DISTANCES,
    control=Control("4√N - 3 steps are needed", more=1, optimal=True),
    amended=Amended(
        "TT is the transposition of the mesh and needs 4√N - 4 steps by any algorithm, "
        "because it sends two opposite corners to each other. The routing of TT is optimal",
        latex=r"4 \sqrt N - 4",
        control=Control("one step more is needed on the mesh of 256", late=8),
        optimal=True,
    ),
)
def ex4_tt(n: int, *, optimal: bool = False, more: int = 0, late: int = 0) -> Finding:
    TT = GF2Matrix.from_order([i ^ 1 for i in range(n)])
    images = np.array([TT.apply(x) for x in range(1 << n)])
    low, high = _alternating(n, 0), _alternating(n, 1)
    side = 2 ** (n // 2)
    by_bits, wrong = routed_steps(TT, 0)
    least = _least(images)
    as_printed = images[low] == high and images[high] == low and not wrong
    needed = 4 * side - 4 + more + (n == late)
    bound = least == needed if optimal else least <= 2 * side - 4
    return Finding(
        as_printed and by_bits == 4 * side - 4 and bound,
        by_bit_complements=by_bits,
        at_least=least,
        printed=2 * side - 4,
        distance_of_the_corners=2 * side - 2,
    )


@claim(
    "sibeyn.ex4.cc",
    place="Section 4, Example 4",
    says="CC = (I, (1,...,1)) exchanges (0,...,0) and (1,...,1) and can never be routed with less "
    "than 4√N - 4 steps: the routing is optimal",
    latex=r"4 \sqrt N - 4",
    over=_SQUARES,
    evidence=_DISTANCES,
    control=Control("4√N - 3 steps are needed", more=1),
)
def ex4_cc(n: int, *, more: int = 0) -> Finding:
    images = np.arange(1 << n)[::-1].copy()
    side = 2 ** (n // 2)
    by_bits, wrong = routed_steps(GF2Matrix.identity(n), (1 << n) - 1)
    least = _least(images)
    return Finding(
        not wrong and by_bits == 4 * side - 4 and least == 4 * side - 4 + more,
        by_bit_complements=by_bits,
        at_least=least,
    )


@claim(
    "sibeyn.ex4.other",
    place="beside section 4, Example 4",
    says="sometimes the routing is not optimal even with skipping: Ex⁽⁰²⁾ Ex⁽¹³⁾ takes 12 steps by "
    "one-bit operations, and 4 by one shift right, left, down and up",
    latex=r"Ex^{(0\,2)} Ex^{(1\,3)}",
    over=EveryN("the square meshes of 2^n processors, n = 4, 6, 8", dimensions=(4, 6, 8)),
    evidence="data moved by unit shifts; the routing with skipping by unit shifts",
    control=Control("with three shifts", shifts=3),
)
def ex4_other(n: int, *, shifts: int = 4) -> Finding:
    """A permutation that shows what Example 4 means to show."""
    A = GF2Matrix.from_order([2, 3, 0, 1, *range(4, n)])
    images = np.array([A.apply(x) for x in range(1 << n)])
    places = places_of(n)
    rows, columns = np.empty((2, 1 << n), np.int64)
    rows[places], columns[places] = np.indices(places.shape)
    r, c = rows.copy(), columns.copy()
    for step in range(shifts):
        now, goal = (c, columns) if step < 2 else (r, rows)
        sign = -1 if step & 1 else 1
        now += sign * (np.sign(goal[images] - now) == sign)
    arrived = bool((places[r, c] == images).all())
    by_bits, wrong = routed_steps(A, 0, 2)
    return Finding(arrived and by_bits == 12 and not wrong, arrived=arrived, by_one_bit=by_bits)
