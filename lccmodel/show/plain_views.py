"""How circuits, conflicts, curves of worms and orbits look, each in a few lines.

A view that is not worth a module of its own: a table whose columns are the keys of its records,
and bars, lines or squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.mapping_views import bars
from lccmodel.show.quantities import QUANTITIES, Column, Quantity
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, VERMILION, digit_colour, node_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _column(key: str) -> Column:
    return key if key in QUANTITIES else Quantity(key, key.replace("_", " "))


def plain_table(title: str, records: Iterable[Mapping[str, Any]], **facts: Any) -> Table:
    """A table whose columns are the keys of its records, at least one."""
    rows = list(records)
    return Table(
        title, [_column(key) for key in rows[0]], rows, [(_column(k), v) for k, v in facts.items()]
    )


def squares(axes: Axes, cells: Any, across: str, up: str, **how: Any) -> None:
    """A square for every cell, with its number where they are few."""
    shown = np.asarray(cells)
    most = max(1.0, 1.4 * float(shown.max(initial=0)))
    image: Any = axes.imshow(shown, cmap="Blues", vmin=0, vmax=most, **how)
    if shown.size <= 400:
        for (row, column), cell in np.ndenumerate(shown):
            ink = digit_colour(image.cmap(image.norm(float(cell))))
            axes.text(column, row, f"{cell:g}", ha="center", va="center", fontsize=8, color=ink)
    axes.set(xlabel=across, ylabel=up)
    axes.locator_params(integer=True)


# -- movement ---------------------------------------------------------------------------------


def conflict_view(found: Any) -> Table:
    """The two messages that cannot both move."""
    records = [
        {"message": each.number, "source": each.source, "destination": each.destination}
        for each in (found.first, found.second)
    ]
    place = str(found.place)
    return plain_table(
        "Conflict", records, kind=found.kind, at_step=found.step, place=place, verdict=str(found)
    )


def conflict_plot(found: Any, axes: Axes) -> None:
    """The conflict in words, and the ways of both messages as arrows."""
    for height, (each, colour) in enumerate(((found.first, BLUE), (found.second, VERMILION))):
        arrow = {"arrowstyle": "-|>", "color": colour, "lw": 2}
        start, end = (0.1, height), (0.9, height)
        axes.annotate(str(each.source), end, start, va="center", arrowprops=arrow)
        axes.text(0.92, height, str(each.destination), va="center")
    axes.set(xlim=(0, 1), ylim=(-0.6, 1.6), title=str(found))
    axes.title.set(fontsize=9, wrap=True)
    axes.set_axis_off()


def circuits_view(found: Any) -> Table:
    """The channels of every circuit."""
    records = [
        {"message": k, "channels": " ".join(f"{u}->{v}" for u, v in channels)}
        for k, channels in enumerate(found.channels)
    ]
    words = "disjoint" if found.disjoint else f"conflict: {found.conflict}"
    return plain_table("Circuits", records, verdict=words)


def circuits_plot(found: Any, axes: Axes) -> None:
    """How many circuits every channel has."""
    from lccmodel.show.drawing import draw_channels

    draw_channels(found.movement.channel_use, ax=axes)


def mesh_run_view(found: Any) -> Table:
    """Unit steps of every routing step."""
    records = [{"step": k, "unit_steps": each} for k, each in enumerate(found.unit_steps)]
    most = {"sent": found.most_sent, "received": found.most_received, "held": found.most_held}
    return plain_table(
        f"Unit steps on {found.network.spec}", records, ports=found.ports, total=found.total, **most
    )


def mesh_run_plot(found: Any, axes: Axes) -> None:
    """The same as bars."""
    bars(axes, {"unit steps": found.unit_steps}, "step", "unit steps")


# -- wormhole and others ----------------------------------------------------------------------


def pattern_view(found: Any) -> Table:
    """Who sends to whom."""
    records = [
        {"source": source, "destination": destination}
        for source, destination in found.pairs.tolist()
    ]
    return plain_table(found.name or "Pattern", records, senders=found.senders)


def pattern_plot(found: Any, axes: Axes) -> None:
    """The same as dots."""
    sources, destinations = found.pairs.T
    last = int(found.pairs.max(initial=0))
    axes.plot(destinations, sources, "s", color=BLUE, ms=3)
    axes.set(xlabel="to node", ylabel="from node", aspect="equal")
    axes.set(xticks=node_ticks(last + 1), yticks=node_ticks(last + 1))
    axes.set(xlim=(-0.5, last + 0.5), ylim=(last + 0.5, -0.5))


def sustained_view(found: Any) -> Table:
    """The bracket that every seed ended with."""
    records = [
        {"seed": k, "sustained": low, "saturated": high}
        for k, (low, high) in enumerate(found.brackets)
    ]
    return plain_table(
        "Sustained throughput", records, throughput=found.throughput, cycles=found.cycles
    )


def sustained_plot(found: Any, axes: Axes) -> None:
    """The brackets."""
    for k, (low, high) in enumerate(found.brackets):
        axes.plot([low, high], [k, k], "|-", color=BLUE, ms=10)
    axes.axvline(found.throughput, color=VERMILION, lw=1, label=f"estimate {found.throughput:.3g}")
    axes.legend(frameon=False, fontsize=9)
    axes.set(xlabel="load: sustained on the left, saturated on the right", ylabel="seed")
    axes.set_yticks(node_ticks(len(found.brackets)))
    axes.margins(y=0.3)


def fft_view(found: Any) -> Table:
    """The times of the parts of an FFT."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    records = [{"part": name, "time": getattr(found, name)} for name in names]
    return plain_table(f"FFT of {found.points} points on {found.network.spec}", records)


def fft_plot(found: Any, axes: Axes) -> None:
    """The same as bars."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    times = [float(getattr(found, name)) for name in names]
    axes.barh([name.replace("_", " ") for name in names], times, color=BLUE)
    axes.set(xlabel="time (µs)")


def orbits_view(found: Any) -> Table:
    """The orbits and their sizes."""
    records = [
        {"representative": int(one), "size": int(size)}
        for one, size in zip(found.representatives, found.sizes, strict=True)
    ]
    return plain_table(f"Orbits of {found.n}×{found.n} matrices", records, n=found.n)


def orbits_plot(found: Any, axes: Axes) -> None:
    """How many orbits have which size."""
    sizes, counts = np.unique(found.sizes, return_counts=True)
    axes.bar([str(size) for size in sizes], counts, color=BLUE)
    axes.set(xlabel="matrices in an orbit", ylabel="orbits")
    axes.locator_params(axis="y", integer=True)


def routing_states_view(found: Any) -> Table:
    """How many states have how many options."""
    options, counts = np.unique(np.diff(found.first), return_counts=True)
    records = [
        {"options": int(k), "states": int(count)} for k, count in zip(options, counts, strict=True)
    ]
    title = f"{found.routing.name} on {found.fabric.network.spec}"
    return plain_table(title, records, all_states=found.states)


def routing_states_plot(found: Any, axes: Axes) -> None:
    """The same as bars."""
    options, counts = np.unique(np.diff(found.first), return_counts=True)
    axes.bar([str(k) for k in options], counts, color=BLUE)
    axes.set(xlabel="channels that a header may take next", ylabel="states")
