"""Drawings of link loads: messages per link along every axis of a task, dimension by dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network.ties import TieName
from lccmodel.pipelining.loads import check_choice, largest_load
from lccmodel.pipelining.task import Task
from lccmodel.show.dimension_marks import (
    bar_handles,
    hatch,
    legend_below,
    look,
    task_words,
)
from lccmodel.show.style import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MAX_LINKS = 512


def draw_link_loads(task: Task, ties: TieName = "split") -> Figure:
    """Draw how many messages use every link along each axis, one layer for each dimension.

    Above the line: links in the + direction; below it: in the - direction. The dashed line is
    the maximum load of the task by its closed form.

    Args:
        task: with axes of at most 512 nodes.
        ties: which way messages go half a ring of a torus.

    Raises:
        InputError: the task is empty, or other ties.
        SizeLimitError: a longer axis.

    >>> figure = draw_link_loads(Task(3, 4, "mesh:16x16"))
    >>> [axes.get_title() for axes in figure.axes]
    ['axis 0', 'axis 1']
    """
    side = max(task.mesh.shape)
    if not task.M:
        raise InputError("task", "must exchange at least one message", task)
    if side > _MAX_LINKS:
        raise SizeLimitError("task", f"axes are drawn up to {_MAX_LINKS} nodes", side)
    figure = new_figure(max(4.0, min(9.0, 0.2 * side)) + 1.0, 1.9 * task.c + 0.9, "compressed")
    check_choice("ties", ties)
    most = largest_load(task.runs, ties)
    panels: Any = figure.subplots(task.c, 1, sharex=True, squeeze=False)
    for axis, axes in enumerate(panels[:, 0]):
        _draw_axis_loads(axes, task, axis, ties)
        for level in (most, -most):
            axes.axhline(level, color=INK, linewidth=0.9, linestyle=(0, (5, 3)), zorder=3)
        axes.set_title(f"axis {axis}", fontsize=9)
        axes.set_ylabel("messages", fontsize=9)
        axes.set_ylim(-1.15 * most, 1.15 * most)
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
    panels[-1, 0].set_xlabel("coordinate", fontsize=9)
    figure.suptitle(f"{task_words(task)}: maximum load {most}", fontsize=11)
    legend_below(figure, bar_handles(task.dimensions))
    return figure


def _draw_axis_loads(axes: Axes, task: Task, axis: int, ties: TieName) -> None:
    """Stacked bars: a link from x to x + 1 stands at x + 1/2."""
    side = task.mesh.shape[axis]
    x = np.arange(side)
    base = np.zeros((2, side), dtype=np.int64)
    for k in task.dimensions:
        if task.axis(k) != axis:
            continue
        loads = task.part(k, 1).link_loads(ties)[axis]
        for direction, at in ((0, x + 0.5), (1, x - 0.5)):
            sign = 1 - 2 * direction
            bars = axes.bar(
                at,
                sign * loads[direction],
                width=0.84,
                bottom=sign * base[direction],
                color=look(k)[0],
                hatch=hatch(k),
                edgecolor="white",
                linewidth=0.3,
            )
            for bar in bars:
                bar.set_gid(f"load-{k}")
        base += loads
    axes.axhline(0, color="white", linewidth=2.6, zorder=2.5)  # seen on black bars too
    axes.axhline(0, color=INK, linewidth=0.8, zorder=2.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
    axes.set_xlim(-1, side)
