"""The marks of a drawing: the scale of loads, channels as arrows, nodes and routers.

Everything that stands for a node or channel carries a group id, `node-5`, `channel-1-3` or
`load-1-3`, which an SVG keeps, so that a figure can be edited or animated afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from lccmodel.network import ChannelLoads, Network
from lccmodel.network.loads import Channel
from lccmodel.show.node_positions import NodePositions, PlanePoint, free_spot
from lccmodel.show.numbers import written
from lccmodel.show.style import (
    BLACK,
    BLUE,
    FAINT,
    GREEN,
    INK,
    LEAST_INSIDE,
    PURPLE,
    SKY,
    VERMILION,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

# Okabe and Ito's palette, and a line style each, so that grey print tells them apart as well.
_DIMENSION_COLOURS = (BLUE, VERMILION, GREEN, PURPLE, SKY, BLACK)
_DIMENSION_STYLES = ("-", "--", "-.", ":", (0, (6, 1, 1, 1, 1, 1)), (0, (1, 1)))
_IDLE, _ROUTER = FAINT, "#f2f2f2"
_MARKED, _MARKED_FILL = VERMILION, "#fde0cc"
_FILLED = 0.775
"""Part of its place that matplotlib gives new axes, before a layout lets them fill it."""
_MOST_LEGEND_LOADS = 6


# -- the scale of loads -------------------------------------------------------------------


def colours() -> Any:
    """Orange to dark blue: the part of plasma that is legible on white, darker for more."""
    import matplotlib as mpl
    from matplotlib.colors import LinearSegmentedColormap

    shades = mpl.colormaps["plasma_r"](np.linspace(0.22, 1.0, 64))
    return LinearSegmentedColormap.from_list("loads", shades)


class LoadScale(NamedTuple):
    """The loads at the light and at the dark end of a logarithmic scale.

    Logarithmic, since loads are mostly powers of two; from the least load that occurs, since
    volumes may all be large.

    >>> from lccmodel.network import Hypercube
    >>> cube = Hypercube(2)
    >>> LoadScale.of(cube.channel_loads([(0, 1, 500), (0, 3, 700)]))
    LoadScale(least=700, most=1200)
    """

    least: float
    most: float

    @classmethod
    def of(cls, *several: ChannelLoads) -> LoadScale:
        """The scale on which all of these can be drawn; 1 to 2 if nothing is sent."""
        present = [load for loads in several for load in loads.histogram() if load]
        return cls(min(present, default=1), max(present, default=2))

    @property
    def top(self) -> float:
        """The dark end: loads that are all alike are light."""
        return max(2 * self.least, self.most)

    def norm(self) -> Any:
        """For matplotlib's colours."""
        from matplotlib.colors import LogNorm

        return LogNorm(vmin=float(self.least), vmax=float(self.top))

    def width(self, load: float) -> float:
        """Points of a line that carries a load."""
        ratio = math.log2(max(1.0, float(load / self.least)))
        return 1.1 + 2.0 * ratio / math.log2(self.top / self.least)

    def ticks(self) -> list[float]:
        """Powers of two of a colour bar, the ends where no power is near; at most nine."""
        first, last = math.ceil(math.log2(self.least)), math.floor(math.log2(self.top))
        powers = [2.0**k for k in range(first, last + 1)]
        ticks = powers[:: max(1, -(-len(powers) // 8))]
        for end, near in ((self.least, ticks[:1]), (self.top, ticks[-1:])):
            span = math.log2(self.top / self.least)
            if near and abs(math.log2(end / near[0])) < span / 12:
                ticks.remove(near[0])
            ticks.append(float(end))
        return sorted(ticks)


def load_text(load: float | Fraction) -> str:
    """A load as it is written beside its channel.

    >>> load_text(240_000), load_text(3.0), load_text(Fraction(1, 3))
    ('240,000', '3', '0.33333')
    """
    return written(int(load) if load == int(load) else load, "~")


def _legend_loads(several: Iterable[ChannelLoads]) -> list[int]:
    """The loads that a legend explains: all that occur, or a few from the least to the largest."""
    present = sorted({load for loads in several for load in loads.histogram() if load})
    if len(present) <= _MOST_LEGEND_LOADS:
        return present
    picks = np.linspace(0, len(present) - 1, _MOST_LEGEND_LOADS).round().astype(int)
    return [present[i] for i in picks]


def load_handles(several: Sequence[ChannelLoads], scale: LoadScale) -> list[Line2D]:
    """The entries of a legend for the loads that occur."""
    from matplotlib.lines import Line2D

    shade, level = colours(), scale.norm()
    used = [
        Line2D([], [], color=shade(level(float(load))), lw=scale.width(load), label=load_text(load))
        for load in _legend_loads(several)
    ]
    return [Line2D([], [], color=_IDLE, lw=0.9, label="idle"), *used]


def legend_style(title: str | None) -> dict[str, Any]:
    """How legends look."""
    return {
        "title": title,
        "frameon": False,
        "fontsize": 9,
        "title_fontsize": 9,
        "handlelength": 2.0,
        "columnspacing": 1.2,
    }


# -- channels -----------------------------------------------------------------------------


def draw_idle_links(axes: Axes, placement: NodePositions) -> None:
    """A pale line for every link, one for both directions."""
    from matplotlib.collections import LineCollection

    links = (*placement.links, *placement.wraps)
    segments = [run for link in links for run in _runs(placement, link, 0.0)]
    axes.add_collection(LineCollection(segments, colors=_IDLE, linewidths=0.9, zorder=1))


def draw_links_by_dimension(axes: Axes, network: Network, placement: NodePositions) -> list[Line2D]:
    """Links with the colour and style of their dimension or axis; the entries of a legend."""
    from matplotlib.collections import LineCollection
    from matplotlib.lines import Line2D

    segments: dict[int, list[tuple[PlanePoint, PlanePoint]]] = {}
    for link in (*placement.links, *placement.wraps):
        dimension = network.row_dimension(network.counter(*link)[0])
        segments.setdefault(dimension, []).extend(_runs(placement, link, 0.0))
    word = network.geometry.word
    handles = []
    for dimension in sorted(segments):
        style: Any = {
            "color": _DIMENSION_COLOURS[dimension % len(_DIMENSION_COLOURS)],
            "linestyle": _DIMENSION_STYLES[dimension % len(_DIMENSION_STYLES)],
            "linewidth": 1.3,
        }
        axes.add_collection(LineCollection(segments[dimension], zorder=1, **style))
        handles.append(Line2D([], [], label=f"{word} {dimension}", **style))
    return handles


def draw_loaded_channels(
    axes: Axes, placement: NodePositions, loads: ChannelLoads, scale: LoadScale, label_from: int
) -> None:
    """An arrow for every channel that is used, the busiest on top."""
    shade, level = colours(), scale.norm()
    side, used = 0.38 * placement.radius, sorted(loads.items(), key=lambda item: item[1])
    ends = [(u, v, _runs(placement, (u, v), side)) for (u, v), _ in used]
    ends += [(u, v, _runs(placement, (u, v), 0.0)) for u, v in placement.links]
    lines = [(u, v, run) for u, v, runs in ends for run in runs]
    links = np.array([(min(u, v), max(u, v)) for u, v, _ in lines]).reshape(-1, 2)
    segments = np.array([run for *_, run in lines]).reshape(-1, 2, 2)
    room = 0.09 / placement.unit, 0.17 / placement.unit
    taken: list[PlanePoint] = []
    for (u, v), load in reversed(used):  # the busiest choose first
        if load >= label_from:
            runs = _runs(placement, (u, v), side)
            spots = (0.75,) if len(runs) > 1 else _ALONG
            others = segments[(links != (min(u, v), max(u, v))).any(axis=1)]
            spot = free_spot(runs[0], others, taken, room, spots)
            taken.append(spot)
            _write(axes, spot, load_text(load), f"load-{u}-{v}")
    for channel, load in used:
        colour, width = shade(level(float(load))), scale.width(load)
        draw_channel(axes, placement, channel, colour, width, side=side)


_ALONG = (0.36, 0.43, 0.3, 0.5, 0.57, 0.24, 0.64, 0.7)
"""Parts of a channel at which its load may be: nearer to its tail, away from its head."""


def draw_channel(
    axes: Axes,
    placement: NodePositions,
    channel: Channel,
    colour: Any = _MARKED,
    width: float = 2.2,
    text: str = "",
    side: float = 0.0,
) -> None:
    """An arrow from u to v, moved to its right by `side`; two stubs if the channel wraps."""
    from matplotlib.patches import FancyArrowPatch

    u, v = channel
    runs = _runs(placement, channel, side)
    for start, end in runs:
        arrow = FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>,head_length=0.35,head_width=0.16",
            mutation_scale=9 + 2 * width,
            linewidth=width,
            color=colour,
            shrinkA=0,
            shrinkB=0,
            joinstyle="miter",
            zorder=2,
        )
        arrow.set_gid(f"channel-{u}-{v}")
        put(axes, arrow)
    if text:
        (x0, y0), (x1, y1) = runs[0]
        at = 0.36 if len(runs) == 1 else 0.75
        _write(axes, (x0 + at * (x1 - x0), y0 + at * (y1 - y0)), text, f"load-{u}-{v}")


def _write(axes: Axes, at: PlanePoint, text: str, gid: str) -> None:
    from matplotlib.patheffects import withStroke

    label = axes.text(*at, text, fontsize=8, ha="center", va="center", zorder=4, color=INK)
    label.set_fontweight("bold")
    label.set_path_effects([withStroke(linewidth=2.6, foreground="white")])
    label.set_gid(gid)


def _runs(
    placement: NodePositions, channel: Channel, side: float
) -> list[tuple[PlanePoint, PlanePoint]]:
    """The lines of a channel: one, or two stubs when it wraps around a torus."""
    u, v = (placement.positions[node] for node in channel)
    if channel not in placement.wraps and channel[::-1] not in placement.wraps:
        return [_lane(placement, u, v, side)]
    reach = 0.62
    ax, ay = (reach * float(np.sign(a - b)) for a, b in zip(u, v, strict=True))
    leaving = _lane(placement, u, (u[0] + ax, u[1] + ay), side)
    coming = _lane(placement, (v[0] - ax, v[1] - ay), v, side)
    return [leaving, coming]


def _lane(
    placement: NodePositions, start: PlanePoint, end: PlanePoint, side: float
) -> tuple[PlanePoint, PlanePoint]:
    """From rim to rim, moved to the right of the direction of travel by `side`."""
    (ux, uy), (vx, vy) = start, end
    length = math.hypot(vx - ux, vy - uy)
    dx, dy = (vx - ux) / length, (vy - uy) / length
    ox, oy = dy * side, -dx * side
    out, back = _rim(placement, (dx, dy), (ox, oy)), _rim(placement, (-dx, -dy), (ox, oy))
    return (ux + dx * out + ox, uy + dy * out + oy), (vx - dx * back + ox, vy - dy * back + oy)


def _rim(placement: NodePositions, direction: PlanePoint, offset: PlanePoint) -> float:
    """How far a line that starts at `offset` from the centre stays inside a node or router."""
    if placement.box is None:
        return math.sqrt(placement.radius**2 - math.hypot(*offset) ** 2)
    return min(
        (half - o * math.copysign(1.0, d)) / abs(d)
        for half, o, d in zip(placement.box, offset, direction, strict=True)
        if abs(d) > 1e-9
    )


# -- nodes --------------------------------------------------------------------------------


def _inches_per_unit(axes: Axes, placement: NodePositions) -> float:
    """As planned, or less on axes that are smaller; a layout lets them fill their place."""
    box, dpi = axes.get_window_extent(), figure_of(axes).dpi
    xs, ys = zip(*placement.positions.values(), strict=True)
    sides = ((box.width, xs), (box.height, ys))
    rooms: list[float] = [
        side / dpi / _FILLED / (max(at) - min(at) + 2 * placement.radius) for side, at in sides
    ]
    return min(placement.unit, *rooms)


def _points(place: float, letters: int) -> float:
    """Of a font whose so many letters fit a place, in points."""
    return place / (0.62 * max(2, letters) + 0.6)


def draw_nodes(axes: Axes, placement: NodePositions, ends: tuple[int, ...] = ()) -> None:
    """Every node with its label; the nodes in `ends` stand out.

    Nodes at a router are the two halves of its box. Labels that are wider than their nodes would
    hide what is around them, and are left out.
    """
    half = placement.radius if placement.box is None else placement.box[0]
    place = 72 * _inches_per_unit(axes, placement) * 2 * half
    longest = max(map(len, placement.labels.values()), default=0)
    for node in placement.labels:
        marked = node in ends
        style: Any = {
            "facecolor": _MARKED_FILL if marked else "white" if placement.box is None else _ROUTER,
            "edgecolor": _MARKED if marked else INK,
            "linewidth": 1.8 if marked else 0.9,
            "zorder": 3.5 if marked else 3,
        }
        patch = _node_patch(placement, node, style)
        patch.set_gid(f"node-{node}")
        put(axes, patch)
        text = placement.labels[node]
        if _points(place, longest) < LEAST_INSIDE:
            continue
        size = min(9.0, _points(place, len(text)))
        label = axes.text(*placement.positions[node], text, fontsize=size, color=INK)
        label.set(ha="center", va="center_baseline", zorder=5, gid=f"label-{node}")


def _node_patch(placement: NodePositions, node: int, style: dict[str, Any]) -> Any:
    from matplotlib.patches import Circle, Rectangle

    x, y = placement.positions[node]
    if placement.box is None:
        return Circle((x, y), placement.radius, **style)
    wide, high = placement.box
    return Rectangle((x - wide, y - high / 2), 2 * wide, high, **style)


def put(axes: Axes, patch: Patch) -> None:
    """Add a patch; `add_patch` would also work out where it ends, but our limits are stated."""
    axes.add_artist(patch)


def figure_of(axes: Axes) -> Figure:
    """The figure that axes, or the axes of a subfigure, belong to."""
    figure: Any = axes.figure  # `get_figure(root=True)` came with matplotlib 3.10
    while figure is not figure.figure:
        figure = figure.figure
    return cast("Figure", figure)
