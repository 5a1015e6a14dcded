"""Drawings of tasks and their schedules: messages of a step on the mesh, of several, link loads.

    draw_step(schedule, step)      every message of a step as an arrow, coloured by its dimension
    draw_steps(schedule, steps)    several of them, on one legend
    draw_link_loads(task)          messages per link along every axis, dimension by dimension

An arrow leaves its node, runs in the lane to the right of its direction and turns into the node
where it ends; a node that it only passes is not touched. Two messages of one step never share a
lane piece when the schedule is free of conflicts, so what overlaps in a drawing is a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.network.ring_direction import TieName
from lccmodel.pipelining.loads import check_choice, largest_load
from lccmodel.pipelining.replays import TaskMessage
from lccmodel.pipelining.schedules import Schedule
from lccmodel.pipelining.task import Task
from lccmodel.show import network_artists as marks
from lccmodel.show.node_positions import MeshPlane, NodePositions, PlanePoint, plane_of
from lccmodel.show.style import (
    BLACK,
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PURPLE,
    REST,
    SKY,
    VERMILION,
    axes_on,
    new_figure,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
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


# -- messages ------------------------------------------------------------------------


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
        label.set(ha="center", va="center_baseline", gid=f"label-{node}")


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


# -- sizes ---------------------------------------------------------------------------


def _size(task: Task, part: MeshPlane) -> tuple[float, float]:
    """Inches for one step."""
    side, *others = (task.mesh.shape[axis] for axis in part.axes)
    unit = 0.62 if side <= 8 else 0.5 if side <= 16 else max(0.2, 14.0 / side)
    high = others[0] if others else 0.9
    return max(2.6, unit * (side + 0.6)), unit * high + 0.85


# -- link loads --------------------------------------------------------------------------------


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


# -- how dimensions look, and words and legends for them ---------------------------------------


# Okabe and Ito's palette; line styles and hatches take over when it is used up.
_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, ORANGE, BLACK)
_STYLES = ("-", (0, (4, 1.2)), (0, (1.2, 1)))
_HATCHES = ("", "///", "...")


def look(dimension: int) -> tuple[str, Any]:
    """Colour and line style.

    >>> look(0), look(7)
    (('#0072B2', '-'), ('#0072B2', (0, (4, 1.2))))
    """
    turn, colour = divmod(dimension, len(_COLOURS))
    return _COLOURS[colour], _STYLES[turn % len(_STYLES)]


def hatch(dimension: int) -> str:
    """The hatch of a bar, which tells apart what has one colour."""
    return _HATCHES[dimension // len(_COLOURS) % len(_HATCHES)]


def arrow_handles(dimensions: Iterable[int]) -> list[Artist]:
    """What a legend shows of messages."""
    from matplotlib.lines import Line2D

    looks = ((k, *look(k)) for k in dimensions)
    return [
        Line2D([], [], color=colour, linestyle=style, lw=1.8, label=_word(k))
        for k, colour, style in looks
    ]


def bar_handles(dimensions: Iterable[int]) -> list[Artist]:
    """What a legend shows of loads."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=look(k)[0], hatch=hatch(k), edgecolor="white", label=_word(k))
        for k in dimensions
    ]


def legend_below(figure: Figure, handles: Sequence[Artist]) -> None:
    """One legend for all panels, as wide as the figure."""
    columns = max(1, min(len(handles), int(figure.get_figwidth() / 1.4)))
    style = marks.legend_style(None)
    figure.legend(handles=handles, loc="outside lower center", ncols=columns, **style)


def task_words(task: Task) -> str:
    """The task and its network, for titles.

    >>> task_words(Task(3, 4, "mesh:16x16")), task_words(Task(0, 1, "torus:8"))
    ('⟨3,4⟩ with c = 2 on a 16×16 mesh', '⟨0,1⟩ with c = 1 on a torus of 8 nodes')
    """
    shape = "×".join(map(str, task.mesh.shape))
    kind = task.mesh.kind
    where = f"{shape} {kind}" if task.c > 1 else f"{kind} of {shape} nodes"
    return f"⟨{task.i},{task.M}⟩ with c = {task.c} on a {where}"


def _word(dimension: int) -> str:
    return f"dimension {dimension}"
