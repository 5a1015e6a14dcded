"""Complete exchange by several methods: speed-up over the CC-cube against the size of a block.

    draw_exchange(machine)        one mesh and one ratio α/τ
    speedup_table(machine)        the same numbers
    methods_table()               every method with its cost, where the cost comes from, and why

The paper's figures are lost, so these are drawn from the costs of `lccmodel.pipelining.methods`.
A line says where its cost comes from: solid for printed and derived, dashed for reconstructed,
dotted for bounds, which nothing can be above. No method without a schedule counts as one: CALMANT
by link load alone, or by the lower bounds of its tasks, is thin.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError
from lccmodel.ground.numbers import as_number
from lccmodel.pipelining.bounds import exchange_bounds
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.methods import (
    LEFT_OUT,
    METHODS,
    exchange_time,
    exchange_times,
    methods_for,
)
from lccmodel.show.numbers import Cell, cell_text
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.style import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    GRID,
    ORANGE,
    PURPLE,
    SKY,
    VERMILION,
    axes_on,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BLOCKS: tuple[int, ...] = tuple(1 << k for k in range(15))
"""Sizes of blocks in items: 1, 2, 4, ..., 16384."""

PLOTTED: tuple[str, ...] = (
    "calmant-load",
    "calmant-lower-bound",
    "calmant-paper",
    "calmant-schedule",
    "quadrant",
    "direct",
    "hybrid",
    "quadrant-overlapped",
    "levels",
)
"""What a figure shows: binary exchange is the baseline, and store and forward is never faster."""

_COLOURS = {
    "calmant-load": ORANGE,
    "calmant-lower-bound": VERMILION,
    "calmant-paper": PURPLE,
    "calmant-schedule": VERMILION,
    "binary": GREY,
    "quadrant": SKY,
    "direct": BLUE,
    "hybrid": GREEN,
    "quadrant-overlapped": SKY,
    "levels": BLACK,
    "store-and-forward": GREY,
}
_MARKERS = {
    "calmant-paper": "v",
    "calmant-schedule": "o",
    "quadrant": "s",
    "quadrant-overlapped": "s",
    "direct": "^",
    "hybrid": "D",
    "levels": "x",
}


def speedups(
    machine: Machine, blocks: Sequence[int] = BLOCKS, methods: Sequence[str] = PLOTTED
) -> dict[str, tuple[Fraction, ...]]:
    """Time of the baseline over the time of each method, exactly, for each size of block.

    Args:
        machine: a mesh with one port and no barrier.
        blocks: values of B, items in a block.
        methods: keys of `METHODS`.

    Raises:
        InputError: as for `exchange_time`, or no block.

    >>> speedups(Machine("4x4", 10, 1), [1], ["direct"])
    {'direct': (Fraction(27, 44),)}
    """
    if not len(blocks):
        raise InputError("blocks", "must be at least one size", blocks)
    base = [exchange_time("baseline", machine, B) for B in blocks]
    times = exchange_times(machine, blocks, methods)
    return {
        name: tuple(b / t for b, t in zip(base, row, strict=True)) for name, row in times.items()
    }


# -- tables -------------------------------------------------------------------------------


def speedup_table(
    machine: Machine, blocks: Sequence[int] = BLOCKS, methods: Sequence[str] | None = None
) -> Table:
    """Speed-ups over the baseline: a row for each method and bound, a column for each B.

    Args:
        machine, blocks: as for `speedups`.
        methods: keys of `METHODS`; all if left out.

    Raises:
        InputError: as for `speedups`, or a size twice.

    >>> table = speedup_table(Machine("16x16", 500, 1), [16, 1024], ["quadrant", "direct"])
    >>> [(row[0], *(round(float(value), 2) for value in row[2:])) for row in table.rows][:2]
    [('quadrant', 1.11, 1.33), ('direct', 0.14, 2.53)]
    """
    names = methods_for(machine) if methods is None else tuple(methods)
    columns: list[Column] = ["method", "provenance"]
    heads = [Quantity(f"B{B}", f"B = {B}", ".2f", latex=f"$B={B}$") for B in blocks]
    rows: list[list[Any]] = [
        [name, "bound" if METHODS[name].is_bound else METHODS[name].provenance, *values]
        for name, values in speedups(machine, blocks, names).items()
    ]
    rows += [[label, "bound", *values] for label, values in _bound_speedups(machine, blocks)]
    shape = "x".join(map(str, machine.shape))
    facts: list[Fact] = [
        ("mesh", shape),
        (named("alpha", "α"), machine.alpha),
        (named("tau", "τ"), machine.tau),
    ]
    note = 'A row called "bound" is what no schedule of its kind exceeds.'
    title = f"Complete exchange, speed-up over the CC-cube, {shape}"
    return Table(title, [*columns, *heads], rows, facts, [note])


def methods_table() -> Table:
    """Every method: name, where its cost comes from, the cost, and why; then those left out.

    >>> methods_table().records()[0]["formula"]
    'c (n - 1) (α + 2^(d-1) B τ)'
    """
    columns: list[Column] = [
        "method",
        "provenance",
        named("formula", "time T", math=_formula_as_latex),
        named("reason", "why"),
    ]
    rows = [[m.name, m.provenance, m.formula, m.reason] for m in METHODS.values()]
    rows += [[name, "left out", "", why] for name, why in LEFT_OUT.items()]
    note = (
        "n = 2^(d/c) nodes on each of c axes, blocks of B items, α + L τ for L items, one port. On "
        "sides that differ the sum of n_a - 1 stands for c (n - 1), 2^d n with the longest side n "
        "for n^(c+1); methods that cut all axes at once are for equal sides."
    )
    return Table("Complete exchange: methods and their costs", columns, rows, legend=[note])


def _formula_as_latex(cell: Cell) -> str:
    formulas = (m.latex for m in METHODS.values() if m.formula == cell)
    latex = next(formulas, "")
    return f"${latex}$" if latex else ""


def _bound_speedups(
    machine: Machine, blocks: Sequence[int]
) -> list[tuple[str, tuple[Fraction, ...]]]:
    pairs = [(exchange_time("baseline", machine, B), exchange_bounds(machine, B)) for B in blocks]
    return [
        ("bound for every method", tuple(time / bound.universal for time, bound in pairs)),
        ("bound for methods in rounds", tuple(time / bound.lockstep for time, bound in pairs)),
    ]


# -- figures ------------------------------------------------------------------------------


def draw_exchange(
    machine: Machine,
    blocks: Sequence[int] = BLOCKS,
    methods: Sequence[str] = PLOTTED,
    *,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Figure:
    """Draw speed-ups over the baseline against B on a logarithmic axis, with the bounds.

    Args:
        machine, blocks, methods: as for `speedups`.
        ax: where to draw; a new figure if left out.
        title: mesh and α/τ if left out.
        legend: whether to explain the lines.

    Raises:
        InputError: as for `speedups`.

    >>> figure = draw_exchange(Machine("16x16", 500, 1), [1, 16, 256])
    >>> figure.axes[0].get_title()
    '16×16, α/τ = 500'
    """
    from lccmodel.show import network_artists as marks

    curves = _curves(machine, blocks, methods)
    axes = axes_on(ax, (7.2, 6.4), "compressed")
    for values, style in curves:
        axes.plot(blocks, [float(value) for value in values], **style)
    axes.set_xscale("log", base=2)
    # Bounds may leave the frame, methods may not: 2c is the limit of direct exchange.
    highest = max(float(max(values)) for values, style in curves if "gid" in style)
    axes.set_ylim(0, 1.08 * max(highest, 2 * machine.c))
    axes.set_xlim(min(blocks), max(blocks))
    axes.grid(visible=True, color=GRID, linewidth=0.6)
    axes.set_title(_title(machine) if title is None else title, fontsize=10)
    figure = marks.figure_of(axes)
    if legend:
        axes.set(xlabel="block size B, items", ylabel="speed-up over the CC-cube")
        handles, labels = axes.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=8)
    return figure


def _title(machine: Machine) -> str:
    mesh = "×".join(map(str, machine.shape))
    if not isinstance(machine.cost, Linear):
        return f"{mesh}, cost of {machine.cost}"
    if not machine.tau:
        return f"{mesh}, τ = 0"
    return f"{mesh}, α/τ = {cell_text(as_number(machine.alpha / machine.tau))}"


def _curves(
    machine: Machine, blocks: Sequence[int], methods: Sequence[str]
) -> list[tuple[tuple[Fraction, ...], dict[str, Any]]]:
    """Speed-ups, and how their line looks."""
    curves: list[tuple[tuple[Fraction, ...], dict[str, Any]]] = []
    for name, values in speedups(machine, blocks, methods).items():
        method = METHODS[name]
        style = {
            "label": f"{method.title} ({'bound' if method.is_bound else method.provenance})",
            "color": _COLOURS.get(name, GREY),
            "linestyle": "--" if method.provenance == "reconstructed" else "-",
            "linewidth": 0.8 if method.is_bound else 1.5,
            "marker": _MARKERS.get(name, ""),
            "markersize": 3.5,
            "gid": name,
        }
        curves.append((values, style))
    for k, (label, values) in enumerate(_bound_speedups(machine, blocks)):
        style = {"color": "#555555", "linestyle": (":", "-.")[k], "linewidth": 1.2}
        curves.append((values, {"label": label, **style}))
    return curves
