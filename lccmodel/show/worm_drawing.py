"""Worms drawn cycle by cycle: a chart of channels and cycles, coloured by message.

A cell is the buffer of a channel at the end of a cycle, and its number the flit that it holds: 0
is the header, with a frame. While the header waits for its next channel nothing of the worm
moves, and its cells are hatched.
"""

from __future__ import annotations

import math
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.network import ChannelLoads
from lccmodel.show import network_artists as marks
from lccmodel.show.node_positions import is_readable, node_positions
from lccmodel.show.records import Table, keyed_table
from lccmodel.show.style import GRID, INK, axes_on, new_figure
from lccmodel.wormhole.tracing import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's palette, made lighter, so that numbers are legible on it.
_COLOURS = ("#8fc1e3", "#f2a673", "#84d0b8", "#e3b8d0", "#f3dc80", "#bfe3f5", "#c9c9c9", "#c8b6e2")
_SHADES = (1.0, 0.76, 1.5)
"""The palette, then darker, then lighter: so many messages have a colour each."""
_NAMED = len(_COLOURS) * len(_SHADES)
_LINE = GRID
_MOST_CELLS = 12_000
_MOST_NUMBERS = 1_500
_NETWORK, _HIGHEST = 4.6, 6.2
"""Inches of the network beside a chart, and of the height of both: a screen shows them at once."""
_LEAST_ROW = 7.0
"""Points of a row that has room for its name."""


def draw_worms(trace: Trace, *, ax: Axes | None = None, title: str | None = None) -> Figure:
    """Draw a trace: channels upwards, cycles to the right.

    Channels are in the order in which a header first enters them.

    Args:
        trace: of at most 12,000 channels times cycles.
        ax: where to draw; a new figure if left out.
        title: what is traced if left out.

    Raises:
        SizeLimitError: a larger trace.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole.tracing import trace
    >>> figure = draw_worms(trace([(1, 3), (0, 3)], Hypercube(2), flits=3))
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['in 0', 'in 1', '0->1', '1->3', 'out 3']
    """
    cells = trace.cycles * len(trace.channels)
    if cells > _MOST_CELLS:
        rule = f"at most {_MOST_CELLS} channels times cycles are drawn"
        raise SizeLimitError("trace", rule, cells)
    blocked = _blocked(trace)
    row = {channel: k for k, channel in enumerate(_by_entry(trace))}
    axes = axes_on(ax, size_of(trace))
    box = axes.get_window_extent()
    points = 72 / marks.figure_of(axes).dpi
    row_height = box.height * points / max(1, len(trace.channels))
    size = min(8.0, 0.55 * box.width * points / trace.cycles, 0.8 * row_height)
    for column, channel in enumerate(trace.channels):
        for cycle in range(1, trace.cycles + 1):
            m = int(trace.holder[cycle - 1, column])
            if m >= 0:
                flit = int(trace.flit[cycle - 1, column])
                numbered = cells <= _MOST_NUMBERS
                waits = cycle in blocked[m]
                _draw_cell(axes, (cycle, row[channel]), m, flit, waits, size if numbered else 0)
    _label(axes, trace, list(row), row_height)
    name = f"{trace.routing} on {trace.network.spec}" if title is None else title
    axes.set_title(name, fontsize=10)
    return marks.figure_of(axes)


def draw_worms_at(trace: Trace, cycle: int) -> Figure:
    """Draw one cycle: the chart with the cycle, and beside it what worms hold on the network.

    Channels of one link stand on each other. A network that cannot be read is left out.

    Args:
        trace: as for `draw_worms`.
        cycle: 1..cycles.

    Raises:
        InputError: no such cycle.
        SizeLimitError: as for `draw_worms`.

    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole.tracing import trace
    >>> figure = draw_worms_at(trace([(1, 3), (0, 3)], Hypercube(2), flits=3), 3)
    >>> [axes.get_title() for axes in figure.axes]
    ['e-cube on cube:2', 'cycle 3']
    """
    if not 1 <= checked_integer("cycle", cycle) <= trace.cycles:
        raise InputError("cycle", f"must be in 1..{trace.cycles}", cycle)
    readable = is_readable(trace.network)
    width, height = size_of(trace)
    widths = (width, _NETWORK) if readable else (width,)
    figure = new_figure(sum(widths), min(_HIGHEST, max(height, 3.6)))
    axes = figure.subplots(1, len(widths), width_ratios=widths, squeeze=False)[0]
    draw_worms(trace, ax=axes[0])
    axes[0].axvspan(cycle - 0.5, cycle + 0.5, facecolor="none", edgecolor=INK, lw=1.6, zorder=6)
    if readable:
        _draw_held(axes[1], trace, cycle)
        axes[1].set_title(f"cycle {cycle}", fontsize=10, y=1.0)
    return figure


def _draw_held(axes: Axes, trace: Trace, cycle: int) -> None:
    """The links whose buffers hold a flit, in the colour of the message."""
    from lccmodel.show.drawing import draw_network

    idle = ChannelLoads(trace.network, np.zeros(trace.network.counter_shape, dtype=np.int64))
    draw_network(trace.network, idle, ax=axes, title="", legend=False)
    where = node_positions(trace.network)
    for name, m in zip(trace.names, trace.holder[cycle - 1].tolist(), strict=True):
        u, arrow, v = name.partition(":")[0].partition("->")  # else a port of a node
        if m >= 0 and arrow:
            colour = _colour(m)
            marks.draw_channel(axes, where, (int(u), int(v)), colour, 3.2, side=0.3 * where.radius)


def _colour(m: int) -> str:
    """The colour of message m: its own among the first 24."""
    from matplotlib.colors import to_hex, to_rgb

    shade = _SHADES[m // len(_COLOURS) % len(_SHADES)]
    red, green, blue = (
        part * shade if shade <= 1 else 1 - (1 - part) * (2 - shade)
        for part in to_rgb(_COLOURS[m % len(_COLOURS)])
    )
    return to_hex((red, green, blue))


def _by_entry(trace: Trace) -> list[int]:
    """Channels by the cycle of the first header, then by kind and number."""
    first: dict[int, int] = {}
    for worm in trace.worms:
        for channel, cycle in zip(worm.path, worm.entered, strict=True):
            first[channel] = min(cycle, first.get(channel, cycle))
    place = {channel: k for k, channel in enumerate(trace.channels)}
    return sorted(trace.channels, key=lambda channel: (first[channel], place[channel]))


def _blocked(trace: Trace) -> list[frozenset[int]]:
    """For every message: the cycles in which it waits, to the end if it never arrives."""
    blocked = []
    for worm in trace.worms:
        stuck = range(worm.entered[-1] + 1, trace.cycles + 1) if worm.entered else range(0)
        blocked.append(
            frozenset(worm.blocked) | (frozenset(stuck) if not worm.delivered else set())
        )
    return blocked


def _draw_cell(
    axes: Axes, at: tuple[int, int], m: int, flit: int, waits: bool, size: float
) -> None:
    from matplotlib.patches import Rectangle

    x, y = at
    box, colour = ((x - 0.5, y - 0.42), 1, 0.84), _colour(m)
    # the colour of the hatching is that of the edge, so the frame of a header is a patch of its own
    cell = Rectangle(*box, facecolor=colour, edgecolor="white", linewidth=0.4, zorder=2)
    cell.set(hatch="////" if waits else None, gid=f"worm-{m}-{flit}-{x}")
    marks.put(axes, cell)
    if flit == 0:
        marks.put(axes, Rectangle(*box, fill=False, edgecolor=INK, linewidth=1.1, zorder=3))
    if size >= 3:
        weight = "bold" if flit == 0 else "normal"
        axes.text(x, y, str(flit), ha="center", va="center_baseline", fontsize=size, weight=weight)
        axes.texts[-1].set(color=INK, zorder=4, gid=f"label-{m}-{flit}-{x}")


def _label(axes: Axes, trace: Trace, channels: list[int], row_height: float) -> None:
    from matplotlib.patches import Patch
    from matplotlib.ticker import MaxNLocator

    names = dict(zip(trace.channels, trace.names, strict=True))
    every = max(1, math.ceil(_LEAST_ROW / max(1.0, row_height)))
    size = min(8.0, 0.85 * every * row_height)
    named = channels[::every]
    axes.set_yticks(
        range(0, len(channels), every), [names[channel] for channel in named], fontsize=size
    )
    axes.set(xlim=(0.5, trace.cycles + 0.5), ylim=(-0.6, len(channels) - 0.4))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=12, min_n_ticks=1))
    axes.set_xlabel("cycle")
    axes.hlines(
        [k + 0.5 for k in range(len(channels) - 1)], 0.5, trace.cycles + 0.5, color=_LINE, lw=0.6
    )
    axes.spines[["top", "right"]].set_visible(False)
    handles = [
        Patch(facecolor=_colour(m), label=f"{worm.source} to {worm.destination}")
        for m, worm in enumerate(trace.worms)
    ]
    if len(handles) > _NAMED:  # a name under a colour that others share would be wrong
        shared = f"{len(handles)} messages in {_NAMED} colours"
        handles = [Patch(facecolor="none", edgecolor="none", label=shared)]
    handles.append(Patch(facecolor="white", edgecolor=INK, label="header"))
    handles.append(Patch(facecolor="#c9c9c9", edgecolor="white", hatch="////", label="waits"))
    below: Any = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0)}
    axes.legend(handles=handles, **below, **marks.legend_style(None))


def _width(trace: Trace) -> float:
    return max(3.5, min(14.0, 0.3 * trace.cycles))


def size_of(trace: Trace) -> tuple[float, float]:
    """Inches of a figure in which every row can be read, while it fits a page."""
    return _width(trace) + 2.0, 1.1 + max(0.9, min(14.0, 0.26 * len(trace.channels)))


# -- tables -----------------------------------------------------------------------------------


def worms_table(trace: Trace) -> Table:
    """A row for every message: its path, and the cycle in which its header enters each channel."""
    names = dict(zip(trace.channels, trace.names, strict=True))
    blocked = _blocked(trace)
    records = [
        {
            "message": m,
            "source": worm.source,
            "destination": worm.destination,
            "ready": worm.ready,
            "queued": worm.queued,
            "blocked": len(blocked[m]),
            "delivered": worm.delivered,
            "path": ", ".join(
                f"{names[c]} {t}" for c, t in zip(worm.path, worm.entered, strict=True)
            ),
        }
        for m, worm in enumerate(trace.worms)
    ]
    heads = {"source": "from", "path": "channels, and the cycle in which the header enters"}
    legend = ["queued, blocked: cycles that the header waits at its source, and in routers."]
    notes = []
    if trace.stuck:
        notes.append(f"{len(trace.stuck)} of {len(trace.worms)} messages never arrive.")
    return keyed_table("Messages, one by one", records, _facts(trace), heads, legend, notes=notes)


def occupancy_table(trace: Trace) -> Table:
    """A row for every channel and every stay: which message, from when to when.

    The header enters in the first cycle of a stay; in the last the buffer holds a flit for the
    last time.
    """
    rows = []
    for column, name in enumerate(trace.names):
        for m, first, last in _stays(trace.holder[:, column].tolist()):
            rows.append([name, m, first, last])
    columns = ("channel", "message", "first", "last")
    return Table("Who holds which channel", columns, rows, _facts(trace))


def _stays(holders: list[int]) -> list[tuple[int, int, int]]:
    """(message, first cycle, last cycle) of every run of one message."""
    runs = groupby(enumerate(holders, start=1), key=itemgetter(1))
    stays = [(m, [cycle for cycle, _ in run]) for m, run in runs if m >= 0]
    return [(m, cycles[0], cycles[-1]) for m, cycles in stays]


def _facts(trace: Trace) -> dict[str, Any]:
    return {
        "network": trace.network.spec,
        "routing": trace.routing,
        "flits": max(worm.flits for worm in trace.worms),
        "tie": trace.tie,
    }
