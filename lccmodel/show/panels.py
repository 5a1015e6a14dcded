"""Data that move over nodes, drawn step by step: one panel for the start and one for every step.

    draw_panels(positions, panels)    any movement, such as the passes on a mesh

A box is a node: its address on top, below it the tags that stand there. Boxes without tags are
pale, those with more than one are shaded. An arrow is a tag that moved in the step of its panel,
so its head lies at the node that shows the tag now.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lccmodel.errors import InputError
from lccmodel.network.loads import Channel
from lccmodel.show import network_artists as marks
from lccmodel.show.node_positions import PlanePoint
from lccmodel.show.style import GREY, INK, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
_PALE, _LINK, _MOVE = "#b0b0b0", "#d0d0d0", VERMILION
_SHADED, _PLAIN, _EMPTY = "#dbe9f6", "white", "#f6f6f6"
_FONT, _SMALL = 8.5, 7.0
_INCHES_PER_CHARACTER, _INCHES_PER_LINE = 0.078, 0.155


@dataclass(frozen=True)
class Panel:
    """What one panel shows.

    Args:
        title: a line above it.
        tags: the lines to write in each node; nodes left out are empty.
        arrows: pairs (from, to) of what moved.
    """

    title: str
    tags: Mapping[int, Sequence[str]]
    arrows: Sequence[Channel] = ()


@dataclass(frozen=True)
class _Layout:
    """Places in inches, and half the width and height of a box."""

    positions: Mapping[int, PlanePoint]
    names: Mapping[int, str]
    links: Sequence[Channel]
    half: PlanePoint

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        xs, ys = zip(*self.positions.values(), strict=True)
        wide, high = self.half[0] + 0.12, self.half[1] + 0.12
        return min(xs) - wide, max(xs) + wide, min(ys) - high, max(ys) + high


def draw_panels(
    positions: Mapping[int, PlanePoint],
    panels: Sequence[Panel],
    *,
    names: Mapping[int, str] | None = None,
    links: Iterable[Channel] = (),
    unit: float = 1.0,
    columns: int | None = None,
    title: str = "",
) -> Figure:
    """Draw what stands in every node, panel by panel.

    Args:
        positions: where each node stands.
        panels: what to show, in reading order.
        names: what to write on top of each node's box; its number if left out.
        links: pairs of nodes that a thin line joins.
        unit: inches per unit of `positions`; more where boxes need it.
        columns: panels in a row; chosen by their shape if left out.
        title: a line above all panels.

    Raises:
        InputError: no node, no panel, `columns` below 1, or a panel or link with a node that has
            no position.

    >>> start = Panel("start", {0: ["a"], 1: ["b"]})
    >>> end = Panel("exchanged", {0: ["b"], 1: ["a"]}, [(0, 1), (1, 0)])
    >>> len(draw_panels({0: (0, 0), 1: (1, 0)}, [start, end]).axes)
    2
    """

    links = tuple(links)
    _check_panels(positions, panels, links)
    written = {u: str(u) for u in positions} if names is None else names
    layout = _lay_out(positions, panels, written, links, unit)
    left, right, bottom, top = layout.bounds
    width, height = right - left, top - bottom
    count = _columns(len(panels), width / height) if columns is None else columns
    if count < 1:
        raise InputError("columns", "must be at least 1", columns)
    rows = -(-len(panels) // count)
    count = min(count, len(panels))
    size = (max(3.2, count * (width + 0.25)), rows * (height + 0.45) + (0.35 if title else 0.0))
    figure = new_figure(*size)
    for k, panel in enumerate(panels):
        _draw_panel(figure.add_subplot(rows, count, k + 1), layout, panel)
    if title:
        figure.suptitle(title, fontsize=11)
    return figure


# -- what a trace shows -------------------------------------------------------------------------


def _check_panels(
    positions: Mapping[int, PlanePoint], panels: Sequence[Panel], links: tuple[Channel, ...]
) -> None:
    if not positions or not panels:
        raise InputError("panels", "must show at least one panel with at least one node", panels)
    for panel in panels:
        for u in (*panel.tags, *(end for arrow in panel.arrows for end in arrow)):
            if u not in positions:
                raise InputError("panels", f"{panel.title!r} has a node without position", u)
    for end in (end for link in links for end in link):
        if end not in positions:
            raise InputError("links", "must join nodes that have positions", end)


def _lay_out(
    positions: Mapping[int, PlanePoint],
    panels: Sequence[Panel],
    names: Mapping[int, str],
    links: tuple[Channel, ...],
    unit: float,
) -> _Layout:
    """Boxes that hold the longest texts of all panels, and room between them for arrows."""
    lines = [line for panel in panels for texts in panel.tags.values() for line in texts]
    longest = max(map(len, [*lines, *names.values()]), default=1)
    most = max((len(texts) for panel in panels for texts in panel.tags.values()), default=1)
    half = (
        _INCHES_PER_CHARACTER * longest / 2 + 0.06,
        _INCHES_PER_LINE * (most + 1) / 2 + 0.03,
    )
    scale = max(unit, _least_unit(positions, half))
    places = {u: (x * scale, y * scale) for u, (x, y) in positions.items()}
    return _Layout(places, names, links, half)


def _least_unit(positions: Mapping[int, PlanePoint], half: PlanePoint) -> float:
    """The least scale at which no two boxes come closer than half a box (or an arrow)."""
    least = 0.0
    points = list(positions.values())
    for k, (x, y) in enumerate(points):
        for x2, y2 in points[:k]:
            needed = [
                (2 * h + 0.22) / abs(d)
                for h, d in zip(half, (x - x2, y - y2), strict=True)
                if abs(d) > 1e-9
            ]
            least = max(least, min(needed, default=0.0))
    return least


def _columns(panels: int, aspect: float) -> int:
    """So many that the figure has the proportions of a page laid down and few empty places."""

    def cost(columns: int) -> float:
        rows = -(-panels // columns)
        empty = rows * columns - panels
        return abs(math.log(columns * aspect / rows / 1.6)) + empty / panels

    return min(range(1, panels + 1), key=cost)


def _draw_panel(axes: Axes, layout: _Layout, panel: Panel) -> None:
    from matplotlib.collections import LineCollection

    segments = [[layout.positions[u], layout.positions[v]] for u, v in layout.links]
    axes.add_collection(LineCollection(segments, colors=_LINK, linewidths=0.9, zorder=1))
    boxes = {u: _draw_box(axes, layout, u, panel.tags.get(u, ())) for u in layout.positions}
    nearest = _shortest(layout.positions)
    for u, v in panel.arrows:
        if u != v:
            _draw_arrow(axes, layout, boxes, (u, v), nearest)
    left, right, bottom, top = layout.bounds
    axes.set(xlim=(left, right), ylim=(bottom, top), aspect="equal")
    axes.set_axis_off()
    axes.set_title(panel.title, fontsize=9.5, y=1.0)


def _draw_box(axes: Axes, layout: _Layout, node: int, tags: Sequence[str]) -> Any:
    from matplotlib.patches import FancyBboxPatch

    (x, y), (wide, high) = layout.positions[node], layout.half
    box = FancyBboxPatch(
        (x - wide + 0.03, y - high + 0.03),
        2 * wide - 0.06,
        2 * high - 0.06,
        boxstyle="round,pad=0.03",
        facecolor=_EMPTY if not tags else _SHADED if len(tags) > 1 else _PLAIN,
        edgecolor=INK if tags else _PALE,
        linewidth=0.9,
        zorder=3,
    )
    box.set_gid(f"node-{node}")
    marks.put(axes, box)
    line = y + high - _INCHES_PER_LINE / 2 - 0.015
    style: dict[str, Any] = {"ha": "center", "va": "center_baseline", "zorder": 5}
    name = axes.text(x, line, layout.names[node], fontsize=_SMALL, color=GREY, **style)
    name.set_gid(f"label-{node}")
    for text in tags:
        line -= _INCHES_PER_LINE
        label = axes.text(x, line, text, fontsize=_FONT, color=INK, **style)
        label.set_gid(f"tag-{node}")
    return box


def _shortest(positions: Mapping[int, PlanePoint]) -> float:
    """The least distance of two nodes."""
    points = list(positions.values())
    return min(
        (math.dist(p, q) for k, p in enumerate(points) for q in points[:k]), default=math.inf
    )


def _draw_arrow(
    axes: Axes, layout: _Layout, boxes: Mapping[int, Any], arrow: Channel, nearest: float
) -> None:
    """Bowed to one side, so that two opposite arrows keep apart; more if nodes lie between."""
    from matplotlib.patches import FancyArrowPatch

    u, v = arrow
    start, end = layout.positions[u], layout.positions[v]
    length = math.dist(start, end)
    passes = any(
        w not in arrow and _lies_between(layout.positions[w], start, end, nearest)
        for w in layout.positions
    )
    across = layout.half[abs(end[0] - start[0]) >= abs(end[1] - start[1])]
    bow = 2 * (across + 0.09) / length if passes else 0.11  # an arc's height is bow * length / 2
    patch = FancyArrowPatch(
        start,
        end,
        patchA=boxes[u],
        patchB=boxes[v],
        shrinkA=0.5,
        shrinkB=0.5,
        arrowstyle="-|>,head_length=0.4,head_width=0.17",
        connectionstyle=f"arc3,rad={bow:.3f}",
        mutation_scale=11,
        linewidth=1.4,
        color=_MOVE,
        zorder=2.5,  # texts stay legible where an arrow has to cross a box
    )
    patch.set_gid(f"arrow-{u}-{v}")
    marks.put(axes, patch)


def _lies_between(point: PlanePoint, start: PlanePoint, end: PlanePoint, nearest: float) -> bool:
    """Whether a node stands on the straight line from start to end, or nearly."""
    (x, y), (ax, ay), (bx, by) = point, start, end
    dx, dy = bx - ax, by - ay
    along = ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy)
    off = abs((x - ax) * dy - (y - ay) * dx) / math.hypot(dx, dy)
    return 0 < along < 1 and off < 0.2 * nearest
