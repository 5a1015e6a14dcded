"""What the report shows of [calmant]: loads, schedules, degrees, closed forms, complete exchange.

Nothing here is copied from the print. Figures 4 to 7 are drawn from schedules that are built and
replayed, figures 9 and 10 (lost in print) from costs whose source is named; the tables compare
what is printed with what is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.errors import InputError
from lccmodel.movement import Conflict
from lccmodel.network import Mesh
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable
from lccmodel.pipelining.cost.steps import MODELS
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.methods import METHODS
from lccmodel.pipelining.schedules import Schedule, ScheduleRule, schedule
from lccmodel.pipelining.task import Task
from lccmodel.show.exchange_methods import (
    BLOCKS,
    PLOTTED,
    draw_exchange,
    methods_table,
    speedup_table,
    speedups,
)
from lccmodel.show.quantities import Column, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS: tuple[int, ...] = (100, 500, 1000, 5000)
"""The ratios α/τ of [calmant 5.2]."""

FIGURES: dict[int, tuple[str, ...]] = {9: ("16x16", "32x32", "64x64"), 10: ("8x8x8", "16x16x16")}
"""Meshes in place of those in [calmant, Figs. 9 and 10]; of these the text names 16x16x16."""

_MESHES = (*FIGURES[9], *FIGURES[10])
_ITEMS = (1 << 10, 1 << 14, 1 << 18)
_LARGEST = {1: 8, 2: 10, 3: 12}
"""c -> d of the mesh on which the paper's rules are replayed."""


# -- tables -------------------------------------------------------------------------------


def group_table() -> Table:
    """[calmant, Fig. 7]: the steps of each group of nodes in ⟨3,4⟩ on 16 × 16 nodes.

    Read off the schedules, by the paper's rule and by this project's.

    >>> group_table().rows[4]
    (2, 0, (4, 5), (2, 3), (6, 7), (4, 5))
    """
    columns: list[Column] = [
        Quantity("group_0", "group, axis 0"),
        Quantity("group_1", "group, axis 1"),
        Quantity("paper_axis_0", "axis 0, paper"),
        Quantity("paper_axis_1", "axis 1, paper"),
        Quantity("own_axis_0", "axis 0, here"),
        Quantity("own_axis_1", "axis 1, here"),
    ]
    task = Task(3, 4, "mesh:16x16")
    rules = [_group_steps(schedule(task, rule)) for rule in ("paper", "optimal")]
    rows = [[*group, *rules[0][group], *rules[1][group]] for group in sorted(rules[0])]
    notes = [
        (
            "The steps in which the nodes of a group communicate along each axis. A group is the "
            "coordinate modulo 4 on axis 0 (dimensions 4 and 6), modulo 2 on axis 1 (3 and 5)."
        )
    ]
    return Table("Steps of ⟨3,4⟩ on 16×16, by groups (Fig. 7)", columns, rows, legend=notes)


def _group_steps(made: Schedule) -> dict[tuple[int, int], tuple[tuple[int, ...], ...]]:
    """(group on axis 0, group on axis 1) -> the steps along axis 0, and along axis 1."""
    task = made.task
    x, y = task.embedding.coordinates
    along = [
        [q for q, k in enumerate(task.dimensions) if task.axis(k) == axis] for axis in range(2)
    ]
    groups: dict[tuple[int, int], tuple[tuple[int, ...], ...]] = {}
    for g0 in range(4):
        for g1 in range(2):
            members = np.flatnonzero((x % 4 == g0) & (y % 2 == g1))
            steps = [np.unique(made.steps[rows][:, members]) for rows in along]
            groups[g0, g1] = tuple(tuple(ends.tolist()) for ends in steps)
    return groups


def rules_table() -> Table:
    """The tasks whose printed schedule conflicts or is above the bound, against this project's.

    >>> [row[1:6] for row in rules_table().rows if row[0] == 2][:2]
    [(0, 3, 3, 4, 'no conflict'), (0, 7, 10, 12, 'no conflict')]
    """
    columns: list[Column] = [
        "c",
        "i",
        "M",
        "lower_bound",
        Quantity("paper_steps", "steps, paper"),
        Quantity("paper_replay", "its replay"),
        Quantity("own_steps", "steps, here"),
        Quantity("own_replay", "its replay"),
    ]
    rows, total = [], 0
    for task in _tasks():
        total += 1
        printed = schedule(task, "paper-figure")
        verdict = _verdict(printed)
        if printed.length == task.lower_bound and verdict == "no conflict":
            continue
        own = schedule(task)
        head = [task.c, task.i, task.M, task.lower_bound]
        rows.append([*head, printed.length, verdict, own.length, _verdict(own)])
    meshes = ", ".join(f"2^{d} nodes for c = {c}" for c, d in _LARGEST.items())
    notes = [
        (
            f"{len(rows)} of {total} tasks, on {meshes}; the others are free of conflicts and "
            "take the lower bound by both rules."
        ),
        (
            "The rule for one dimension on a line is read as in Fig. 5; as printed it takes twice "
            "the steps."
        ),
    ]
    return Table("The printed schedules, replayed", columns, rows, legend=notes)


def _tasks() -> Iterator[Task]:
    for c, d in _LARGEST.items():
        for i in range(d):
            for M in range(1, d - i + 1):
                yield Task(i, M, Mesh((1 << d // c,) * c))


def _verdict(made: Schedule) -> str:
    replayed = made.replay()
    return f"conflict in step {replayed.step}" if isinstance(replayed, Conflict) else "no conflict"


def best_degrees_table() -> Table:
    """The best Q and the gain over Q = 1 for every mesh, α/τ and N, in every model."""
    columns: list[Column] = ["mesh", "ratio", named("N", "N")]
    for model in MODELS:
        columns.append(Quantity(f"Q_{model}", f"Q, {model}", ","))
        columns.append(Quantity(f"gain_{model}", "gain", ".2f"))
    rows = []
    for mesh in _MESHES:
        for ratio in RATIOS:
            machine = Machine(mesh, ratio, 1)
            for N in _ITEMS:
                degrees = [optimal_degree(machine, N, model) for model in MODELS]
                pairs = [(best.Q, float(best.gain)) for best in degrees]
                rows.append([mesh, ratio, N, *(cell for pair in pairs for cell in pair)])
    notes = [
        "One port, no barrier. The gain is that of the model; load promises more than can be done."
    ]
    return Table("Best pipelining degrees", columns, rows, legend=notes)


def exchange_data() -> Table:
    """Every point of figures 9 and 10: mesh, α/τ, B, method, speed-up over the CC-cube."""
    columns: list[Column] = [
        Quantity("figure"),
        "mesh",
        "ratio",
        "B",
        "method",
        "provenance",
        Quantity("is_bound", "bound"),
        "speedup",
    ]
    rows: list[list[Any]] = []
    for number, meshes in FIGURES.items():
        for mesh in meshes:
            for ratio in RATIOS:
                machine = Machine(mesh, ratio, 1)
                for name, values in speedups(machine).items():
                    method = METHODS[name]
                    source = [name, method.provenance, method.is_bound]
                    for B, value in zip(BLOCKS, values, strict=True):
                        rows.append([number, mesh, ratio, B, *source, float(value)])
    return Table("Complete exchange: the points of figures 9 and 10", columns, rows)


def _derived_table() -> Table:
    from lccmodel.show.formula_tables import derived_table  # which loads sympy

    return derived_table()


def _speedups_3d() -> Table:
    return speedup_table(Machine("16x16x16", 500, 1), (1, 16, 64, 256, 1024, 4096))


def printed_table(axes: Sequence[int] = (1, 2, 3)) -> Table:
    """Appendix A.3 as printed against the sums of every model, case by case.

    Args:
        axes: values of c.

    Raises:
        InputError: no c, or one below 1.

    >>> [row["agree"] for row in printed_table([2]).records() if row["model"] == "load"]
    [18, 24, 96, 102]
    """
    from lccmodel.pipelining.cost.published import compare_with_print

    if not axes:
        raise InputError("axes", "must be at least one number of axes", axes)
    columns: list[Column] = [
        "c",
        "regime",
        "case",
        named("model", "sums of"),
        "agree",
        "of",
        "d",
        "Q",
    ]
    columns += [named("printed", "printed P"), "sum"]
    rows = []
    for c in axes:
        for comparison in compare_with_print(c):
            height = "⌈Q/c⌉" if comparison.regime == "shallow" else "d/c"
            case = f"{height} {comparison.case}"
            first = comparison.first or (None, None, None, None)
            rows.append(
                [
                    c,
                    comparison.regime,
                    case,
                    comparison.model,
                    comparison.agree,
                    comparison.of,
                    *first,
                ]
            )
    notes = [
        (
            "d, Q and both values of P: the smallest case that differs. printed r: lower bounds "
            "and the r of section 4.3 as printed."
        ),
        (
            "On a line all models agree. On meshes the printed formulas count link loads alone, "
            "which one port cannot follow."
        ),
    ]
    return Table("Closed forms of appendix A.3 against sums", columns, rows, legend=notes)


# -- figures ------------------------------------------------------------------------------


def draw_exchange_grid(
    number: int = 9,
    ratios: Sequence[int] = RATIOS,
    blocks: Sequence[int] = BLOCKS,
    methods: Sequence[str] = PLOTTED,
) -> Figure:
    """Draw what [calmant, Fig. 9 or 10] shows: a row for each mesh, a column for each α/τ.

    Args:
        number: 9 for the meshes of two axes, 10 for those of three.
        ratios: values of α/τ.
        blocks, methods: as for `speedups`.

    Raises:
        InputError: another number, or as for `speedups`.

    >>> figure = draw_exchange_grid(10, ratios=[500], blocks=[1, 64])
    >>> [axes.get_title() for axes in figure.axes]
    ['8×8×8, α/τ = 500', '16×16×16, α/τ = 500']
    """
    if number not in FIGURES:
        raise InputError("number", f"must be one of {', '.join(map(str, FIGURES))}", number)
    meshes = FIGURES[number]
    size = (max(6.0, 3.2 * len(ratios)), 2.7 * len(meshes) + 1.5)
    figure = new_figure(*size)
    grid = figure.subplots(len(meshes), len(ratios), squeeze=False, sharey="row", sharex=True)
    for row, mesh in zip(grid, meshes, strict=True):
        for axes, ratio in zip(row, ratios, strict=True):
            machine = Machine(mesh, ratio, 1)
            draw_exchange(machine, blocks, methods, ax=axes, legend=False)
    for axes in grid[-1]:
        axes.set_xlabel("block size B, items", fontsize=9)
    figure.supylabel("speed-up over the CC-cube", fontsize=10)
    handles, labels = grid[0][0].get_legend_handles_labels()
    columns = min(3, len(ratios) + 1)
    figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=8)
    return figure


def _loads() -> Figure:
    from lccmodel.show.schedule_drawing import draw_link_loads

    return draw_link_loads(Task(3, 4, "mesh:16x16"))


def _steps(
    i: int, M: int, mesh: str, steps: Sequence[int] | None = None, rule: ScheduleRule = "optimal"
) -> Figure:
    from lccmodel.show.schedule_drawing import draw_steps

    return draw_steps(schedule(Task(i, M, mesh), rule), steps)


def _degrees(mesh: str, alpha: int, N: int) -> Figure:
    from lccmodel.show.degree_drawing import draw_degrees

    return draw_degrees(Machine(mesh, alpha, 1), N, unit="τ")


SECTION = PaperSection(
    "calmant",
    "Loads and schedules of hypercube messages on meshes, the pipelining degree, and complete "
    "exchange; the printed rules and closed forms against replays and sums.",
    (
        PaperTable("printed-closed-forms", printed_table),
        PaperTable("derived-closed-forms", _derived_table),
        PaperTable("printed-schedules", rules_table),
        PaperTable("groups", group_table),
        PaperTable("best-degrees", best_degrees_table),
        PaperTable("methods", methods_table),
        PaperTable("speed-ups", _speedups_3d),
        PaperTable("exchange-points", exchange_data, data_only=True),
    ),
    (
        PaperFigure(
            "fig4-line",
            "Fig. 4: the schedule of ⟨1,2⟩ on a line of 16 nodes, step by step",
            lambda: _steps(1, 2, "mesh:16", None, "paper-figure"),
        ),
        PaperFigure(
            "fig5-line",
            "Fig. 5: the schedule of ⟨2,1⟩ on a line of 16 nodes",
            lambda: _steps(2, 1, "mesh:16", None, "paper-figure"),
        ),
        PaperFigure(
            "fig6-loads",
            "For Fig. 6: messages on the links of each axis in ⟨3,4⟩ on 16×16",
            _loads,
        ),
        PaperFigure(
            "fig7-step",
            "For Fig. 7: the first step of ⟨3,4⟩ on 16×16, by this project's rule",
            lambda: _steps(3, 4, "16x16", (0,)),
        ),
        PaperFigure(
            "task-4x4",
            "All dimensions of 4×4 at once: ⟨0,4⟩ in 4 steps, the lower bound",
            lambda: _steps(0, 4, "4x4"),
        ),
        PaperFigure(
            "task-16x16",
            "Two of the 10 steps of ⟨0,7⟩ on 16×16, which splits into no less than 11",
            lambda: _steps(0, 7, "16x16", (0, 5)),
        ),
        PaperFigure(
            "degree-32x32",
            "Time against packets on 32×32: the best degree is shallow",
            lambda: _degrees("32x32", 500, 4096),
        ),
        PaperFigure(
            "degree-64x64",
            "Time against packets on 64×64: two valleys, the deep one is lower",
            lambda: _degrees("64x64", 30, 3000),
        ),
        PaperFigure(
            "degree-16x16x16",
            "Time against packets on 16×16×16: link load alone promises too much",
            lambda: _degrees("16x16x16", 500, 65536),
        ),
        PaperFigure(
            "fig9-exchange",
            "In place of Fig. 9: complete exchange on 2-D meshes, speed-up over the CC-cube",
            lambda: draw_exchange_grid(9),
        ),
        PaperFigure(
            "fig10-exchange",
            "In place of Fig. 10: complete exchange on 3-D meshes, speed-up over the CC-cube",
            lambda: draw_exchange_grid(10),
        ),
    ),
)
