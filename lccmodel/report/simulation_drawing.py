"""Figures of simulated loads: latency against throughput [hou, Figs. 5 to 7], and heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lccmodel.report.simulation_tables import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lccmodel.wormhole.simulation import Result

__all__ = ["draw_carried", "draw_runs"]

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222")
_MARKS = "osD^vPX"
_LEAST_LATENCY = 1.0


def draw_runs(runs: Sequence[Run], *, title: str | None = None) -> Figure:
    """Draw latency against throughput, a curve for every communication.

    Sustained loads are joined, with the 95 % confidence intervals of both; the first load that is
    not sustained is an arrow at the throughput that it reached.

    Args:
        runs: at least one.
        title: network and routing function if left out.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole import simulate
    >>> result = simulate(bit_reverse(4), Hypercube(4), load=0.2, cycles=2000)
    >>> draw_runs([Run("bit-reverse", (), result)]).axes[0].get_title()
    'cube:4, e-cube, 20 flits'
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axes = figure.add_subplot()
    names = list(dict.fromkeys(run.communication for run in runs))
    highest, widest = _LEAST_LATENCY, 0.0
    for k, name in enumerate(names):
        mine = [run for run in runs if run.communication == name]
        results = sorted((run.result for run in mine), key=lambda result: result.load)
        held = [result for result in results if not result.saturated and result.generated]
        colour, mark = _COLOURS[k % len(_COLOURS)], _MARKS[k % len(_MARKS)]
        label = f"{name}, mapped" if mine[0].order else name
        axes.errorbar(
            [result.throughput for result in held],
            [result.latency for result in held],
            yerr=[_half(result.interval) for result in held],
            xerr=[_half(result.throughput_interval) for result in held],
            color=colour,
            marker=mark,
            markersize=4,
            linewidth=1.2,
            capsize=2,
            elinewidth=0.8,
            label=label,
        )
        highest = max([highest, *(result.latency for result in held)])
        widest = max([widest, *(result.throughput for result in held)])
        over = next((result for result in results if result.saturated), None)
        if over is not None:
            widest = max(widest, over.throughput)
            axes.annotate(
                "",
                (over.throughput, 1.0),
                (over.throughput, 0.86),
                xycoords=("data", "axes fraction"),
                textcoords=("data", "axes fraction"),
                arrowprops={"arrowstyle": "->", "color": colour, "linestyle": "--"},
            )
    first = runs[0].result
    axes.set(ylim=(0, 1.15 * highest), xlim=(0, 1.06 * widest or 1))
    axes.set(xlabel="throughput, flits per cycle and sender", ylabel="latency, cycles")
    words = f"{first.network.spec}, {first.routing}, {first.flits} flits"
    axes.set_title(words if title is None else title, fontsize=11)
    axes.grid(color="#dddddd", linewidth=0.6)
    axes.legend(frameon=False, loc="upper left", fontsize=9)
    return figure


def _half(interval: tuple[float, float]) -> float:
    """Half the width of an interval; 0 where too little was measured."""
    low, high = interval
    width = (high - low) / 2
    return width if width == width else 0.0


def draw_carried(results: Sequence[Result], titles: Sequence[str]) -> Figure:
    """Draw how many messages every channel carried: heat maps one above the other, on one scale.

    Args:
        results: one or more, on one network.
        titles: one for each.
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

    from lccmodel.report import marks
    from lccmodel.report.drawing import draw_loads
    from lccmodel.report.heatmap import heat_size

    network = results[0].network
    carried = [result.channel_loads for result in results]
    scale = max(1, *(loads.degree for loads in carried))
    width, height = heat_size(network)
    figure = Figure(figsize=(width, height * len(carried)), layout="constrained")
    panels = [figure.add_subplot(len(carried), 1, k) for k in range(1, len(carried) + 1)]
    for axes, loads, title in zip(panels, carried, titles, strict=True):
        draw_loads(loads, ax=axes, title=title, largest=scale, colorbar=False)
    colours = ScalarMappable(marks.norm(scale), marks.colours())
    figure.colorbar(colours, ax=panels, label="messages on a channel")
    return figure
