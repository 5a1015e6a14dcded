"""Figures of wormhole simulations: latency against throughput, and what every channel carries.

draw_curves(curves, printed)       [hou, Figs 5 to 7]; lines mark what the paper's text states
draw_channel_use(before, after)    flits per cycle on every channel, dimension by node
draw_fft(several)                  parts of the parallel FFT as stacked bars [hou, 6.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, NetworkError
from lccmodel.routing.cubes import RECONSTRUCTED
from lccmodel.show import network_artists as marks
from lccmodel.show.heatmap import labelled_rows
from lccmodel.show.style import (
    BLACK,
    BLUE,
    GREEN,
    ORANGE,
    PURPLE,
    REST,
    SKY,
    VERMILION,
    axes_on,
    new_figure,
)
from lccmodel.wormhole.curves import FIGURES, Curve
from lccmodel.wormhole.simulation import SimulationResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from lccmodel.wormhole.fft_program import FFTTimes

# Okabe and Ito's palette, with a line style and a marker each for grey print.
_COLOURS = (BLACK, VERMILION, GREEN, BLUE, PURPLE, ORANGE, SKY)
_STYLES: tuple[Any, ...] = ("-", "--", "-.", "-", "--", ":", (0, (6, 1, 1, 1)))
_MARKERS = ("o", "s", "^", "D", "v", "x", "+", "P", "*", "p")
_PLACES: dict[str, int] = {
    label: place
    for place, label in enumerate(
        (
            *("e-cube", "p-cube", "min", "M-S", "M-G", "M-G (2)"),
            *(f"{rule.name} (reconstructed)" for rule in RECONSTRUCTED),
        )
    )
}
"""Label -> colour and marker, so that a method of [hou] looks alike in Figs 5 to 7."""

_EXPLAINED = {"M-G (2)": "M-G (2), as good by degree, exchanged bits cross"}
"""Labels that a legend explains."""

_MOST_COLUMNS = 1024
_TALL = 34
"""Points between drawing and title, for the three lines of what the paper states."""


class Statement(NamedTuple):
    """A throughput that the paper states: where it is marked, and how."""

    throughput: float
    text: str


STATED: dict[int, tuple[Statement, ...]] = {
    5: (
        Statement(0.125, "e-cube\nbelow 0.125\n[hou]"),
        Statement(0.3, "M-G\nabout 0.3\n[hou]"),
        Statement(0.5, "M-G in\ntheory 0.5\n[hou]"),
        Statement(1.0, "M-S in\ntheory 1\n[hou]"),
    ),
    6: (Statement(0.125, "e-cube\nbelow 0.125\n[hou]"), Statement(1.0, "in\ntheory 1\n[hou]")),
    7: (Statement(0.125, "e-cube\nbelow 0.125\n[hou]"), Statement(1.0, "in\ntheory 1\n[hou]")),
}
"""What the text of [hou, section 6.1] says about the curves of each figure."""


def draw_curves(
    curves: Sequence[Curve],
    printed: Sequence[Statement] | int = (),
    *,
    ax: Axes | None = None,
    title: str | None = None,
) -> Figure:
    """Draw latency against throughput, with the 95 % intervals of both.

    A curve ends with an arrow at the throughput of the first load that it could not sustain,
    where the latency grows without bound; if it sustained none, the arrow is all there is. Curves
    of reconstructed routing functions are dotted, with hollow marks.

    Args:
        curves: at least one.
        printed: throughputs to mark, or the number of a figure of [hou] for those of its text.
        ax: where to draw; a new figure if left out.
        title: the communication and the network if left out.

    Raises:
        InputError: no curves, or another figure.

    >>> from lccmodel.communication.catalog import build
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole.curves import curve
    >>> c = curve(build("bit-reverse", 4), Hypercube(4), loads=[0.1, 0.2], cycles=2000)
    >>> [axes.get_title() for axes in draw_curves([c]).axes]
    ['bit-reverse on cube:4, messages of 20 flits']
    """
    if not curves:
        raise InputError("curves", "must be at least one", curves)
    axes = axes_on(ax, (7.4, 4.3 + 0.11 * len(curves)))
    places = _places(curves)
    for k, curve in zip(places, curves, strict=True):
        _draw_curve(axes, curve, k)
    tops = [p.latency for curve in curves for p in curve.sustained if isfinite(p.latency)]
    axes.set_yscale("log")
    top = 1.6 * max(tops, default=100.0)
    axes.set_ylim(0.8 * min(tops, default=10.0), top)
    stated = _stated(printed)
    ends = [point.throughput for curve in curves for point in curve.points]
    right = max([*ends, *(statement.throughput for statement in stated)])
    axes.set_xlim(0, 1.04 * right or 1.0)
    for k, curve in zip(places, curves, strict=True):
        _draw_overload(axes, curve, k, top)
    for statement in stated:
        _mark(axes, statement)
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("throughput (flits per cycle and sender)")
    axes.set_ylabel("average latency (cycles)")
    first = curves[0]
    name = f"{first.communication} on {first.network.spec}, messages of {first.flits} flits"
    axes.set_title(name if title is None else title, fontsize=10, pad=_TALL if stated else None)
    axes.spines[["top", "right"]].set_visible(False)
    figure, style = marks.figure_of(axes), marks.legend_style(None)
    columns = len(curves) if len(curves) < 3 else 2  # three long names are wider than a page
    if ax is None:  # a figure of its own gives the legend the room that it needs
        entries = axes.get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=columns, **style)
    else:
        below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.2)}
        axes.legend(**below, ncols=columns, **style)
    return figure


def _stated(printed: Sequence[Statement] | int) -> Sequence[Statement]:
    if not isinstance(printed, int):
        return printed
    if printed not in FIGURES:
        raise InputError("printed", "must be 5, 6 or 7, or throughputs to mark", printed)
    return STATED[printed]


def _places(curves: Sequence[Curve]) -> list[int]:
    """Which colour and marker each curve has: by its label in Figs 5 to 7, else by its place."""
    labels = [curve.label for curve in curves]
    is_known = all(label in _PLACES for label in labels) and len(set(labels)) == len(labels)
    return [_PLACES[label] for label in labels] if is_known else list(range(len(labels)))


def _look(k: int) -> dict[str, Any]:
    return {"color": _COLOURS[k % len(_COLOURS)], "linestyle": _STYLES[k % len(_STYLES)]}


def _draw_curve(axes: Axes, curve: Curve, k: int) -> None:
    points = [point for point in curve.sustained if isfinite(point.latency)]
    x, y = [point.throughput for point in points], [point.latency for point in points]
    reached = f"{curve.highest:.3f} sustained" if curve.sustained else "no load sustained"
    label = f"{_EXPLAINED.get(curve.label, curve.label)}: {reached}"
    style: dict[str, Any] = {"marker": _MARKERS[k % len(_MARKERS)], "ms": 3.5, "lw": 1.4}
    style |= _look(k)
    if curve.label.endswith("(reconstructed)"):
        style |= {"linestyle": ":", "lw": 1.0, "markerfacecolor": "none"}
    (line,) = axes.plot(x, y, label=label, zorder=3, **style)
    line.set_gid(f"curve-{curve.label}")
    low, high = (np.array([getattr(p.interval, end) for p in points]) for end in ("low", "high"))
    if len(points) and np.isfinite(low).all():
        colour = _COLOURS[k % len(_COLOURS)]
        axes.fill_between(x, low, high, color=colour, alpha=0.15, linewidth=0)


def _draw_overload(axes: Axes, curve: Curve, k: int, top: float) -> None:
    """An arrow from the last sustained point, or from the axis, up and out of the drawing."""
    if curve.overload is None:
        return
    x, y = curve.overload.throughput, axes.get_ylim()[0]
    start = (x, y)
    if curve.sustained and isfinite(curve.sustained[-1].latency):
        start = (curve.sustained[-1].throughput, curve.sustained[-1].latency)
    arrow = axes.annotate(
        "",
        xy=(max(x, start[0]), top),
        xytext=start,
        arrowprops={"arrowstyle": "->", "linewidth": 1.1, **_look(k)},
        zorder=2,
    )
    arrow.set_gid(f"overload-{curve.label}")


def _mark(axes: Axes, statement: Statement) -> None:
    line = axes.axvline(statement.throughput, color=REST, linewidth=0.9, linestyle=(0, (5, 3)))
    line.set(zorder=1, gid=f"stated-{statement.throughput:g}")
    place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
    above: Any = {"ha": "center", "va": "bottom", "fontsize": 7, "color": REST}
    axes.annotate(statement.text, (statement.throughput, 1.0), (0, 2), **above, **place)


# -- what the channels carry -------------------------------------------------------------


def draw_channel_use(
    before: SimulationResult,
    after: SimulationResult,
    *,
    titles: tuple[str, str] = ("before", "after"),
) -> Figure:
    """Draw the flits per cycle on every channel in two simulations, on one colour scale.

    A row for every dimension (or axis and direction), a column for every router; beyond 1024
    routers a column shows the busiest of several. The largest value of a row is on its right.
    Idle channels are white.

    Args:
        before, after: two simulations of one network, such as without and with a mapping.
        titles: what the two are called.

    Raises:
        NetworkError: simulations of two networks.

    >>> from lccmodel.communication.catalog import build
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole.simulation import simulate
    >>> c, cube = build("bit-reverse", 4), Hypercube(4)
    >>> results = [simulate(c, cube, cycles=2000, mapping=m) for m in (None, (0, 3, 1, 2))]
    >>> len(draw_channel_use(*results).axes) > 2
    True
    """
    network = before.fabric.network
    if after.fabric.network != network:
        rule = f"must be a simulation of {network.spec}, as the first"
        raise NetworkError("after", rule, after.fabric.network.spec)
    names = [
        network.row_name(row)
        for row in sorted(set((before.fabric.counter // network.counter_shape[1]).tolist()))
    ]
    uses = [_by_dimension(result) for result in (before, after)]
    largest = max(float(use.max(initial=0.0)) for use in uses) or 1.0
    figure = new_figure(8.2, 2 * (1.1 + 0.27 * len(uses[0])))
    panels = [figure.add_subplot(2, 1, k) for k in (1, 2)]
    for axes, use, result, name in zip(panels, uses, (before, after), titles, strict=True):
        image = _draw_use(axes, use, largest, names)
        state = "saturated" if result.saturated else f"latency {result.latency:.0f} cycles"
        text = f"{name}: load {result.load:g}, throughput {result.throughput:.3f}, {state}"
        axes.set_title(text, fontsize=9.5)
    panels[1].set_xlabel("router that the channel leaves")
    figure.colorbar(image, ax=panels, label="flits per cycle", pad=0.02)
    figure.suptitle(network.spec, fontsize=11)
    return figure


def _by_dimension(result: SimulationResult) -> npt.NDArray[np.float64]:
    """Flits per cycle, by row of `ChannelLoads.counts` and router; rows without channels go."""
    links = result.fabric.links
    number = result.fabric.channel_loads(np.arange(1, links + 1)).counts
    use = np.concatenate([[0.0], result.channel_use])[number]
    return use[number.any(axis=1)]


def _draw_use(
    axes: Axes, use: npt.NDArray[np.float64], largest: float, names: Sequence[str]
) -> Any:
    columns = use.shape[1]
    together = -(-columns // _MOST_COLUMNS)
    shown = use[:, : columns - columns % together].reshape(len(use), -1, together).max(axis=2)
    largest_of = [f"{value:.3f}" for value in use.max(axis=1).tolist()]
    image, _ = labelled_rows(
        axes, shown, columns, names, largest_of, "{:.2f}".format, vmin=0, vmax=largest
    )
    axes.set_ylabel("dimension" if names[0].isdecimal() else "")
    return image


# -- the parallel FFT --------------------------------------------------------------------------


_PARTS = (("computation", BLUE), ("neighbour", GREEN), ("bit_reverse", VERMILION))


def draw_fft(several: Sequence[FFTTimes]) -> Figure:
    """Draw what every part takes, in the share of the longest run of the same size.

    Args:
        several: runs on one network, each size without a mapping and with one.

    >>> from lccmodel.wormhole import parallel_fft
    >>> figure = draw_fft([parallel_fft(64, "cube:4"), parallel_fft(64, "cube:4", mapping=None)])
    >>> [label.get_text() for label in figure.axes[0].get_xticklabels()]
    ['64', '64']
    """

    figure = new_figure(max(4.5, 0.8 * len(several) + 2.5), 4.0)
    axes = figure.add_subplot()
    longest = {
        run.points: max(float(each.execution) for each in several if each.points == run.points)
        for run in several
    }
    for x, run in enumerate(several):
        below = 0.0
        for name, colour in _PARTS:
            share = 100 * float(getattr(run, name)) / longest[run.points]
            axes.bar([x], [share], bottom=[below], color=colour, width=0.7)
            below += share
    for name, colour in _PARTS:
        axes.bar([0], [0], color=colour, label=name.replace("_", " "))
    labels = [f"{run.points}" + (", mapped" if run.mapped else "") for run in several]
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(several)), labels, **(turned if len(several) > 4 else {}))
    axes.set(xlabel="points", ylabel="% of the time\nwithout a mapping", ylim=(0, 100))
    axes.set_title(f"Parallel FFT on {several[0].network.spec}", fontsize=11)
    figure.legend(frameon=False, fontsize=9, ncols=3, loc="outside lower center")
    axes.spines[["top", "right"]].set_visible(False)
    return figure
