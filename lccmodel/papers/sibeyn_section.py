"""What the report shows of [sibeyn]: Examples 1 to 4, the registers, costs and numbering schemes.

Example 3 is run on the explicit mesh by unit shifts and compared with its printed table line by
line. Of Examples 1 and 2 the stars, which stand for any value, are ones here.
"""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.gf2.enumeration import random_nonsingular
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.network import Mesh
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable, compared_table
from lccmodel.permutations.simd_mesh import MeshPlan, Numbering, decompose, simd_mesh_route
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.routing_tables import registers_tables
from lccmodel.show.style import GUIDE, INK, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SIZES = (2, 4, 6, 8)
"""Bits of the square meshes."""

_SAMPLES, _SEED = 1000, 1
"""Random affine permutations of the mean of distances, and their seed."""

# Matrices of the print have row n - 1 on top and column n - 1 first; these have bit 0 first.
_CYCLE = GF2Matrix([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
_EXCHANGE = GF2Matrix([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
_ONES = (
    GF2Matrix([[1, 1, 1], [0, 1, 0], [0, 0, 1]]),
    GF2Matrix([[1, 0, 0], [1, 1, 1], [0, 0, 1]]),
    GF2Matrix([[1, 0, 0], [0, 1, 0], [1, 1, 1]]),
)
"""W⁽⁰⁾, W⁽¹⁾ and W⁽²⁾ of Examples 1 and 2, every star a one."""

PRINTED_REGISTERS: tuple[tuple[str, str, str], ...] = (
    ("olddata", "d000 d001 d010 d011 d100 d101 d110 d111", "initial situation"),
    ("newdata", "∅ ∅ ∅ ∅ ∅ ∅ ∅ ∅", ""),
    ("y", "000 001 010 011 100 101 110 111", "i = 0"),
    ("selected", "F T T F F T T F", ""),
    ("olddata", "d000 ∅ ∅ d011 d100 ∅ ∅ d111", "exchange"),
    ("newdata", "∅ d001 d010 ∅ ∅ d101 d110 ∅", ""),
    ("newdata", "d010 ∅ ∅ d001 d110 ∅ ∅ d101", "routing of bc_1"),
    ("y", "000 000 011 011 100 100 111 111", "i = 1"),
    ("selected", "F F T T T T F F", ""),
    ("olddata", "d000 ∅ ∅ d001 d110 ∅ ∅ d111", "exchange"),
    ("newdata", "d010 ∅ ∅ d011 d100 ∅ ∅ d101", ""),
    ("newdata", "d100 ∅ ∅ d101 d010 ∅ ∅ d011", "routing of bc_2"),
    ("y", "000 000 001 001 110 110 111 111", "i = 2"),
    ("selected", "F F T T T T F F", ""),
    ("olddata", "d000 ∅ ∅ d101 d010 ∅ ∅ d111", "exchange"),
    ("newdata", "d100 ∅ ∅ d001 d110 ∅ ∅ d011", ""),
    ("newdata", "∅ d100 d001 ∅ ∅ d110 d011 ∅", "routing of bc_0"),
    ("olddata", "d000 d100 d001 d101 d010 d110 d011 d111", "if test"),
    ("newdata", "∅ ∅ ∅ ∅ ∅ ∅ ∅ ∅", ""),
)
"""[sibeyn, Example 3]: the register, what the eight processors have in it, what has happened."""


# -- examples -------------------------------------------------------------------------------------


def _example_3() -> MeshPlan:
    return simd_mesh_route(LCC(_CYCLE))


def example_1_table() -> Table:
    """[sibeyn, Example 1]: the vectors c for every b, and whether the last line is y = Ax + b.

    >>> all(row["equal"] for row in example_1_table().records())
    True
    """
    columns: list[Column] = [
        Quantity("b", "b_2 b_1 b_0"),
        Quantity("c", "c_2 c_1 c_0"),
        Quantity("inserted", "b as it changes"),
        named("equal", "the last line gives Ax + b"),
    ]
    A = _ONES[2] @ _EXCHANGE @ _ONES[1] @ _ONES[0]
    rows = []
    for b in range(8):
        c, changes = _inserted(b)
        images = [A.apply(x) ^ b for x in range(8)]
        last = [
            (c & 4)
            ^ _ONES[2].apply(_EXCHANGE.apply((c & 2) ^ _ONES[1].apply((c & 1) ^ _ONES[0].apply(x))))
            for x in range(8)
        ]
        rows.append([f"{b:03b}", f"{c:03b}", " → ".join(changes), images == last])
    notes = [
        (
            "Every star is a one. b is brought into the permutation from the left, as in the "
            "example: W⁽²⁾, c_2; the exchange; W⁽¹⁾, c_1; W⁽⁰⁾, c_0."
        )
    ]
    return Table("Example 1: b brought into the permutation", columns, rows, legend=notes)


def _inserted(b: int) -> tuple[int, list[str]]:
    """c, and b after every step of the algorithm of section 2 for Example 1."""
    c, changes = 0, [f"{b:03b}"]
    for j in (2, 1, 0):
        if j == 1:  # the exchange of bits 0 and 1 ends with bit 1
            b = _EXCHANGE.apply(b)
        b = _ONES[j].apply(b)
        c |= b & 1 << j
        b &= ~(1 << j)
        changes.append(f"{b:03b}")
    return c, changes


def example_2_table() -> Table:
    """[sibeyn, Example 2]: which operation determines which bit.

    >>> [row["equal"] for row in example_2_table().records()]
    [True, True, True]
    """
    rows: list[tuple[str, str, Any, Any]] = []
    moved = list(range(8))
    final = [(_CYCLE @ _ONES[2] @ _ONES[1] @ _ONES[0]).apply(x) for x in range(8)]
    for i, printed in enumerate((1, 2, 0)):
        moved = [_ONES[i].apply(y) for y in moved]
        same = [
            bit
            for bit in range(3)
            if all(y >> i & 1 == end >> bit & 1 for y, end in zip(moved, final, strict=True))
        ]
        rows.append((f"W^({i})", "final bit that it determines", (printed,), tuple(same)))
    notes = ["Every star is a one. W^(i) determines the bits that bit i after it agrees with."]
    return compared_table("Example 2: a cycle of length 3", "operation", rows, notes)


def registers_compared() -> Table:
    """[sibeyn, Example 3]: every line of the printed table, and of a run.

    >>> [k for k, row in enumerate(registers_compared().records()) if not row["equal"]]
    [13]
    """
    rows: list[tuple[str, str, Any, Any]] = []
    note = ""
    for (register, values, happened), line in zip(
        PRINTED_REGISTERS, _example_3().table(), strict=True
    ):
        assert line.register == register
        note = happened or note
        rows.append((note, register, values, " ".join(line.values)))
    notes = [
        "Processors 000 to 111. d and a number is the data set of that processor.",
        (
            "One line differs: for i = 2 the paper repeats the line selected of i = 1. The "
            "processors concerned hold no data in that pass."
        ),
    ]
    return compared_table("Example 3: registers, printed and run", "after", rows, notes)


def example_4_table() -> Table:
    """[sibeyn, Example 4]: steps of the routing, and the steps that distances require.

    >>> example_4_table().records()[0]["communication"]
    'TT, Ex(01) Ex(23) ...'
    """
    columns: list[Column] = [
        Quantity("communication", "permutation"),
        "n",
        Quantity("printed", "printed"),
        Quantity("steps", "the routing"),
        Quantity("skipped", "idle passes skipped"),
        Quantity("distance", "required by distances"),
        Quantity("verdict", "the routing is"),
    ]
    rows = []
    for n in _SIZES:
        side = isqrt(1 << n)
        pairs = [bit ^ 1 for bit in range(n)]
        fours = [bit ^ 2 for bit in range(n)] if n == 4 else None
        for name, c, printed in (
            ("TT, Ex(01) Ex(23) ...", LCC(GF2Matrix.from_order(pairs)), f"{2 * side - 4}"),
            ("CC, all bits complemented", _complement(n), f"{4 * side - 4}"),
            ("Ex(02) Ex(13)", None if fours is None else LCC(GF2Matrix.from_order(fours)), ""),
        ):
            if c is None:
                continue
            plan, skipping = simd_mesh_route(c), simd_mesh_route(c, skip=True)
            needed = _needed(c, plan.numbering)
            verdict = "optimal" if skipping.steps == needed else "not optimal"
            rows.append([name, n, printed, plan.steps, skipping.steps, needed, verdict])
    rows.sort(key=lambda row: (row[0] != "TT, Ex(01) Ex(23) ...", str(row[0]), row[1]))
    notes = [
        (
            "printed: the steps that the paper states for the best routing. For TT it takes "
            "2√N − 4 from [5]; but TT is the transposition of the mesh, and sends two opposite "
            "corners to each other, which takes 4√N − 4 steps by any algorithm."
        ),
        "Ex(02) Ex(13) shows what TT was to show: on 4×4, 4 single shifts are enough.",
        "optimal: the steps are those that distances require.",
    ]
    return Table("Example 4: is the routing optimal?", columns, rows, legend=notes)


def _complement(n: int) -> LCC:
    return LCC(GF2Matrix.from_order(range(n)), [1] * n)


def _needed(c: LCC, numbering: Numbering) -> int:
    """Steps right, left, down and up that some datum needs, added up."""
    grid = numbering.grid
    places = np.array(np.unravel_index(np.argsort(grid, axis=None), grid.shape))
    ways = places[:, c.destination(np.arange(c.size))] - places
    return int((ways.max(axis=1).clip(0) - ways.min(axis=1).clip(None, 0)).sum())


# -- costs ----------------------------------------------------------------------------------------


def costs_table() -> Table:
    """[sibeyn, Theorem 1 and section 1.2]: printed numbers of steps, and counted unit shifts.

    >>> costs_table().rows[1][:4]
    (4, 16, 12, 12)
    """
    columns: list[Column] = [
        "n",
        Quantity("N", "processors"),
        named("printed", "4√N − 4"),
        Quantity("counted", "counted unit shifts"),
        Quantity("earlier", "[9]: 6√N − 6"),
        Quantity("earlier_too", "or 6√N − 4"),
        Quantity("average", "4√N − 16"),
        Quantity("mean", "mean required by distances", ".2f"),
    ]
    drawn = np.random.default_rng(_SEED)
    rows = []
    for n in _SIZES:
        side = isqrt(1 << n)
        plans = [
            simd_mesh_route(LCC(random_nonsingular(n, drawn), drawn.integers(0, 2, n).tolist()))
            for _ in range(_SAMPLES)
        ]
        assert plans[0].delivered
        counted = sum(done.steps for done in plans[0].passes)
        mean = sum(_needed(plan.communication, plan.numbering) for plan in plans) / len(plans)
        limits = [6 * side - 6, 6 * side - 4, 4 * side - 16]
        rows.append([n, 1 << n, 4 * side - 4, counted, *limits, mean])
    notes = [
        f"Random affine permutations, {_SAMPLES:,} for each n, seed {_SEED}; the first one is run.",
        (
            "The abstract states 6√N − 6 steps at most for the earlier algorithm [9], section 1.2 "
            "states 6√N − 4. More than 4√N − 16 steps on average, as section 4 states, follows "
            "from distances alone."
        ),
    ]
    return Table("Routing steps (Theorem 1)", columns, rows, legend=notes)


def complements_table(n: int = 6) -> Table:
    """[sibeyn, Lemma 1]: the steps of a complement of each bit.

    >>> [row["equal"] for row in complements_table(4).records()]
    [True, True, True, True]
    """
    plan = simd_mesh_route(_complement(n))
    rows: list[tuple[str, str, Any, Any]] = []
    for done in plan.passes:
        shifts = ", ".join(f"{way} {count}" for way, count in done.shifts)
        rows.append((f"bc_{done.bit}", shifts, 2 << done.bit // 2, done.steps))
    notes = [f"Unit shifts on {plan.mesh.spec}; the paper: 2·2^⌊i/2⌋ steps for bit i."]
    return compared_table("A complement of one bit (Lemma 1)", "operation", rows, notes)


def operations_table() -> Table:
    """[sibeyn, section 2]: the decomposition of a permutation, operation by operation."""
    A = GF2Matrix([[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 1]])
    made = decompose(LCC(A, [1, 0, 0, 1]))
    assert made.bits == (0, 1, 2, 3), "B = I"
    columns: list[Column] = [
        Quantity("i", "pass i"),
        Quantity("cycle", "cycle (k, l)"),
        Quantity("bit", "bit that it corrects"),
        Quantity("VL", "row i of VL"),
        Quantity("W", "row i of W"),
        Quantity("c", "c_i"),
    ]
    rows = [
        [o.i, o.cycle, o.bit, f"{made.VL_rows[o.i]:04b}", f"{o.row:04b}", o.c]
        for o in made.operations
    ]
    notes = [
        f"A, bit 0 first: {A.tolist()}, b = [1, 0, 0, 1]; B = I. Rows have bit 3 first.",
        "W differs from VL behind a cycle: W = P VL P⁻¹, P the product of the cycles before it.",
    ]
    return Table("A decomposition, (1) to (5)", columns, rows, legend=notes)


def numberings_table() -> Table:
    """[sibeyn, section 4]: numbering schemes as affine maps of shuffled row-major numbers.

    >>> [row[2] for row in numberings_table().rows]
    ['', 'yes', 'no']
    """
    columns: list[Column] = [
        "numbering",
        Quantity("C", "bits of Cx + d, x shuffled row-major"),
        Quantity("printed", "affine, says the paper"),
        Quantity("counted", "affine"),
    ]
    mesh = Mesh((4, 4))
    rows = []
    for name, printed in (("shuffled-row-major", ""), ("row-major", "yes"), ("snake-like", "no")):
        scheme = Numbering.named(name, mesh)
        bits = [
            " + ".join(f"x{j}" for j, entry in enumerate(row) if entry) for row in scheme.C.tolist()
        ]
        shown = "; ".join(f"{i}: {bit}" for i, bit in enumerate(bits))
        rows.append([name, shown, printed, "yes" if _is_affine(scheme) else "no"])
    notes = [
        (
            "4×4 processors. Snake-like: a column is read backwards in odd rows, which adds the "
            "last bit of the row to every bit of the column; that is linear over GF(2)."
        )
    ]
    return Table("Numbering schemes (section 4)", columns, rows, legend=notes)


def _is_affine(scheme: Numbering) -> bool:
    """Whether the numbers that the grid has follow from those of 0, 1, 2, 4, ..."""
    plain = Numbering.named("shuffled-row-major", scheme.mesh).grid.ravel()
    numbers = dict(zip(plain.tolist(), scheme.grid.ravel().tolist(), strict=True))
    return all(
        numbers[x] ^ numbers[x & x - 1] == numbers[x & -x] ^ numbers[0]
        for x in range(1, len(numbers))
    )


# -- figures --------------------------------------------------------------------------------------


def _registers() -> Figure:
    from lccmodel.permutations.routing_methods import by_simd_mesh
    from lccmodel.show.routing_drawing import draw_routed

    return draw_routed(by_simd_mesh(LCC(_CYCLE), numbering="shuffled-row-major"), "Example 3")


def _transposition() -> Figure:
    from lccmodel.permutations.routing_methods import by_simd_mesh
    from lccmodel.show.routing_drawing import draw_routed

    transposed = LCC(GF2Matrix.from_order([1, 0, 3, 2]))
    return draw_routed(by_simd_mesh(transposed, numbering="shuffled-row-major"), "TT of Example 4")


def _numberings() -> Figure:
    names = ("shuffled-row-major", "row-major", "snake-like")
    figure = new_figure(7.5, 2.9)
    for k, name in enumerate(names):
        grid = Numbering.named(name, Mesh((4, 4))).grid
        axes = figure.add_subplot(1, 3, k + 1)
        places = {int(number): (x, y) for (y, x), number in np.ndenumerate(grid)}
        ways = np.array([places[number] for number in range(grid.size)])
        axes.plot(*ways.T, color=GUIDE, lw=1.2, zorder=1)
        axes.plot(*ways.T, "o", color="white", ms=17, zorder=2)
        for number, (x, y) in places.items():
            axes.text(x, y, str(number), ha="center", va="center", color=INK, fontsize=10)
        axes.set(xlim=(-0.5, 3.5), ylim=(3.5, -0.5), aspect="equal")
        axes.set_title(name, fontsize=10)
        axes.set_axis_off()
    return figure


SECTION = PaperSection(
    "sibeyn",
    "Affine permutations on a SIMD mesh: the examples worked step by step, the registers of "
    "Example 3 beside the printed table, numbers of routing steps counted by unit shifts, and "
    "numbering schemes.",
    (
        PaperTable("example-1", example_1_table),
        PaperTable("example-2", example_2_table),
        PaperTable("example-3", registers_compared),
        PaperTable("example-3-registers", lambda: registers_tables(_example_3(), "Example 3")[0]),
        PaperTable("example-4", example_4_table),
        PaperTable("complements", complements_table),
        PaperTable("decomposition", operations_table),
        PaperTable("steps", costs_table),
        PaperTable("numberings", numberings_table),
    ),
    (
        PaperFigure(
            "example-3-data",
            "Example 3: the data in every processor after each pass; d is olddata, e is newdata",
            _registers,
        ),
        PaperFigure(
            "example-4-transposition",
            "Example 4: TT is the transposition of the mesh, here of 4×4 processors",
            _transposition,
        ),
        PaperFigure(
            "numbering-schemes",
            "Section 4: three numbering schemes; a line joins numbers in their order",
            _numberings,
        ),
    ),
)
