"""Drawings of schedules: the messages of one step on the mesh, or of several.

    draw_step(schedule, step)      every message of a step as an arrow, coloured by its dimension
    draw_steps(schedule, steps)    several of them, on one legend

An arrow leaves its node, runs in the lane to the right of its direction and turns into the node
where it ends; a node that it only passes is not touched. Two messages of one step never share a
lane piece when the schedule is free of conflicts, so what overlaps in a drawing is a conflict.
Figures are made without pyplot, so nothing global changes and nothing has to be closed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.pipelining.replays import TaskMessage
from lccmodel.pipelining.schedules import Schedule
from lccmodel.pipelining.task import Task
from lccmodel.show import marks
from lccmodel.show.dimension_marks import (
    arrow_handles,
    legend_below,
    look,
    task_words,
)
from lccmodel.show.mesh_plane import MeshPlane, plane_of
from lccmodel.show.node_positions import NodePositions, PlanePoint
from lccmodel.show.style import INK, REST, axes_on, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_IDLE = "#dddddd"
_LANE, _TURN, _RADIUS = 0.27, 0.26, 0.17
_MARGIN = 0.62
_MAX_PANELS = 64
_DARKEST = 0.72  # of the groups of nodes, where white is 1


def draw_step(
    schedule: Schedule,
    step: int,
    *,
    plane: Mapping[int, int] | None = None,
    groups: Sequence[int] | None = None,
    ax: Axes | None = None,
    title: str | None = None,
    legend: bool = True,
) -> Figure:
    """Draw the messages of one step.

    On a torus a message that wraps around leaves the drawing on one side and comes in on the
    other.

    Args:
        schedule: of any task, with at most 256 nodes in a plane.
        step: 0..length - 1.
        plane: on three axes or more the coordinates of all axes but two, such as {2: 0}; only
            messages in that plane are drawn.
        groups: a number for every node of the mesh; nodes of one group get one shade, from white
            for the smallest number to grey.
        ax: where to draw; a new figure if left out.
        title: the step and its number of messages if left out.
        legend: whether to explain the colours.

    Raises:
        InputError: no such step or plane, or not one group for each node.
        NetworkError: three or more axes, and no plane.
        SizeLimitError: more than 256 nodes.

    >>> from lccmodel.pipelining.schedules import schedule
    >>> figure = draw_step(schedule(Task(1, 2, "mesh:16")), 0)
    >>> [axes.get_title() for axes in figure.axes]
    ['step 0: 8 messages']
    """
    part = plane_of(schedule.task, plane)
    shades = _shades(groups, schedule.task)
    if not 0 <= checked_integer("step", step) < schedule.length:
        raise InputError("step", f"must be in 0..{schedule.length - 1}", step)
    axes = axes_on(ax, _size(schedule.task, part), "compressed")
    everywhere = schedule.messages(step)
    messages = [message for message in everywhere if part.shows(message)]
    _draw_grid(axes, part, schedule.task)
    for message in messages:
        _draw_message(axes, part, schedule, message)
    busy = {end for m in everywhere for end in (m.source, m.destination)}
    _draw_nodes(axes, part.placement, busy, shades)
    inside = f", {len(messages)} in this plane" if part.words else ""
    words = f"step {step}: {len(everywhere)} messages{inside}" if title is None else title
    axes.set_title(words, fontsize=9, y=1.0)
    if legend and messages:
        handles = arrow_handles(sorted({message.dimension for message in messages}))
        axes.legend(
            handles=handles,
            loc="upper center",
            bbox_to_anchor=(0.5, 0.0),
            ncols=min(4, len(handles)),
            **marks.legend_style(None),
        )
    return marks.figure_of(axes)


def draw_steps(
    schedule: Schedule,
    steps: Iterable[int] | None = None,
    *,
    plane: Mapping[int, int] | None = None,
    groups: Sequence[int] | None = None,
) -> Figure:
    """Draw several steps on one figure: below each other for a line, in rows for a plane.

    Args:
        schedule: as for `draw_step`.
        steps: which; all of them if left out.
        plane, groups: as for `draw_step`.

    Raises:
        InputError: no such step or plane, no step at all, or not one group for each node.
        NetworkError: three or more axes, and no plane.
        SizeLimitError: more than 256 nodes, or more than 64 steps.

    >>> from lccmodel.pipelining.schedules import schedule
    >>> len(draw_steps(schedule(Task(1, 2, "mesh:8"))).axes)
    4
    """
    part = plane_of(schedule.task, plane)
    listed = list(range(schedule.length)) if steps is None else list(steps)
    if not listed:
        raise InputError("steps", "must be at least one step", listed)
    if len(listed) > _MAX_PANELS:
        raise SizeLimitError("steps", f"at most {_MAX_PANELS} fit a figure", len(listed))
    width, height = _size(schedule.task, part)
    columns = 1 if schedule.task.c == 1 else min(len(listed), max(1, int(17 // width)), 4)
    rows = -(-len(listed) // columns)
    figure = new_figure(width * columns, (height - 0.4) * rows + 0.7, "compressed")
    for panel, step in enumerate(listed, start=1):
        axes = figure.add_subplot(rows, columns, panel)
        draw_step(schedule, step, plane=plane, groups=groups, ax=axes, legend=False)
    task = schedule.task
    where = f"; {part.words}" if part.words else ""
    figure.suptitle(f"{task_words(task)}: {schedule.length} steps{where}", fontsize=11)
    legend_below(figure, arrow_handles(k for k in task.dimensions if task.axis(k) in part.axes))
    return figure


# -- messages -----------------------------------------------------------------------------


def _draw_message(axes: Axes, part: MeshPlane, schedule: Schedule, message: TaskMessage) -> None:
    from matplotlib.patches import FancyArrowPatch, PathPatch
    from matplotlib.path import Path

    for points in _runs(part, schedule, message):
        colour, style = look(message.dimension)
        gid = f"message-{message.source}-{message.destination}"
        codes = [Path.MOVETO, Path.CURVE3, Path.CURVE3, Path.LINETO]
        body = PathPatch(Path(points[:4], codes), fill=False, edgecolor=colour, linewidth=1.6)
        body.set(linestyle=style, zorder=2, gid=gid, clip_on=True)
        marks.put(axes, body)
        end = FancyArrowPatch(
            path=Path(points[3:], [Path.MOVETO, Path.CURVE3, Path.CURVE3]),
            arrowstyle="-|>,head_length=0.32,head_width=0.16",
            mutation_scale=11,
            linewidth=1.6,
            color=colour,
            zorder=2,
            clip_on=True,
        )
        marks.put(axes, end)


def _runs(part: MeshPlane, schedule: Schedule, message: TaskMessage) -> list[list[PlanePoint]]:
    """The points of an arrow: out of the source, along the lane, into the destination.

    A message that wraps around is drawn twice, a turn apart; the drawing cuts both.
    """
    task = schedule.task
    source, goal = (part.placement.positions[v] for v in (message.source, message.destination))
    k = message.dimension
    forward, run = task.directions(k, schedule.ties[k - task.i])
    along = task.axis(k)
    coordinate = task.mesh.coordinates(message.source)[along]
    sign = 1 if forward[coordinate] else -1
    unit = (float(sign), 0.0) if along == part.axes[0] else (0.0, float(sign))
    end = (source[0] + unit[0] * run, source[1] + unit[1] * run)
    runs = [_lane(source, end, unit)]
    if end != goal:
        back = (goal[0] - unit[0] * run, goal[1] - unit[1] * run)
        runs.append(_lane(back, goal, unit))
    return runs


def _lane(start: PlanePoint, end: PlanePoint, unit: PlanePoint) -> list[PlanePoint]:
    (ux, uy), (vx, vy), (dx, dy) = start, end, unit
    ox, oy = dy * _LANE, -dx * _LANE
    rim = 0.72 * _RADIUS  # the corner of a node towards its lane
    corner_out = (ux + rim * (dx + dy), uy + rim * (dy - dx))
    corner_in = (vx - rim * (dx - dy), vy - rim * (dy + dx))
    on = (ux + dx * _TURN + ox, uy + dy * _TURN + oy)
    off = (vx - dx * _TURN + ox, vy - dy * _TURN + oy)
    before = (ux + 0.6 * dx * _TURN + ox, uy + 0.6 * dy * _TURN + oy)
    after = (vx - 0.6 * dx * _TURN + ox, vy - 0.6 * dy * _TURN + oy)
    return [corner_out, before, on, off, after, corner_in]


def _draw_grid(axes: Axes, part: MeshPlane, task: Task) -> None:
    from matplotlib.collections import LineCollection

    placement, at = part.placement, part.placement.positions
    segments = [[at[u], at[v]] for u, v in placement.links]
    for u, v in placement.wraps:
        for here, there in ((at[u], at[v]), (at[v], at[u])):
            away = [0.5 * ((a > b) - (a < b)) for a, b in zip(here, there, strict=True)]
            segments.append([here, (here[0] + away[0], here[1] + away[1])])
    axes.add_collection(LineCollection(segments, colors=_IDLE, linewidths=1.2, zorder=1))
    wide, *others = (task.mesh.shape[axis] for axis in part.axes)
    high = others[0] - 1 if others else 0
    axes.set(xlim=(-_MARGIN, wide - 1 + _MARGIN), ylim=(-_MARGIN, high + _MARGIN), aspect="equal")
    axes.set_axis_off()


def _draw_nodes(
    axes: Axes, placement: NodePositions, busy: set[int], shades: Mapping[int, str]
) -> None:
    """Circles; those of nodes that neither send nor receive are pale."""
    from matplotlib.patches import Circle

    for node, at in placement.positions.items():
        ink = INK if node in busy else REST
        fill = shades.get(node, "white")
        circle = Circle(at, _RADIUS, facecolor=fill, edgecolor=ink, linewidth=0.8, zorder=3)
        circle.set_gid(f"node-{node}")
        marks.put(axes, circle)
        size = 7.0 if len(placement.labels[node]) < 3 else 5.0
        label = axes.text(*at, placement.labels[node], fontsize=size, color=ink, zorder=4)
        label.set(ha="center", va="center_baseline")


def _shades(groups: Sequence[int] | None, task: Task) -> dict[int, str]:
    """The grey of every node, as matplotlib writes greys."""
    if groups is None:
        return {}
    if len(groups) != task.mesh.size:
        raise InputError("groups", f"must be {task.mesh.size}, one for each node", len(groups))
    numbers = sorted(set(groups))
    darker = (1 - _DARKEST) / max(1, len(numbers) - 1)
    greys = {number: f"{1 - darker * place:.3f}" for place, number in enumerate(numbers)}
    return {node: greys[number] for node, number in enumerate(groups)}


# -- sizes --------------------------------------------------------------------------------


def _size(task: Task, part: MeshPlane) -> tuple[float, float]:
    """Inches for one step."""
    side, *others = (task.mesh.shape[axis] for axis in part.axes)
    unit = 0.62 if side <= 8 else 0.5 if side <= 16 else max(0.2, 14.0 / side)
    high = others[0] if others else 0.9
    return max(2.6, unit * (side + 0.6)), unit * high + 0.85
