"""How bounds, tables of steps, circuits and measurements look, each in a few lines.

A view that is not worth a module of its own: a table whose columns are the keys of its records,
and bars, lines or squares.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from lccmodel.show.mapping_views import bars
from lccmodel.show.quantities import QUANTITIES, Column, Quantity
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, FAINT, GUIDE, INK, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plain_table", "squares"]


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
    axes.imshow(
        shown, cmap="Blues", vmin=0, vmax=max(1.0, 1.4 * float(shown.max(initial=0))), **how
    )
    if shown.size <= 400:
        for (row, column), cell in np.ndenumerate(shown):
            axes.text(column, row, f"{cell:g}", ha="center", va="center", fontsize=8, color=INK)
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


# -- pipelining -------------------------------------------------------------------------------


def sensitivity_view(found: Any) -> Table:
    """The range of every quantity in which the degree stays the best."""
    machine = found.machine
    values = {"α": machine.alpha, "τ": machine.tau, "b": machine.barrier, "N": None}
    ranges = {"α": found.alpha, "τ": found.tau, "b": found.barrier, "N": found.N}
    records = [
        {"quantity": name, "value": value, "least": low, "most": None if high == math.inf else high}
        for (name, value), (low, high) in zip(values.items(), ranges.values(), strict=True)
    ]
    return plain_table(f"Where Q = {found.Q} stays the best", records, Q=found.Q)


def sensitivity_plot(found: Any, axes: Axes) -> None:
    """The ranges on one logarithmic axis; an arrow where one goes on for ever."""
    ranges = {"α": found.alpha, "τ": found.tau, "b": found.barrier, "N": found.N}
    ends = [float(end) for pair in ranges.values() for end in pair if 0 < end < math.inf]
    least, most = min(ends, default=0.1) / 10, max(ends, default=10.0) * 10
    for height, (low, high) in enumerate(ranges.values()):
        left, right = max(float(low), least), min(float(high), most)
        axes.plot([left, right], [height, height], lw=6, color=BLUE, solid_capstyle="butt")
        if high == math.inf:
            axes.plot([right], [height], ">", color=BLUE, ms=10)
    axes.set_yticks(range(len(ranges)), list(ranges))
    axes.set(xscale="log", xlabel=f"where Q = {found.Q} stays the best", ylim=(-0.6, 3.6))


def interval_view(found: Any) -> Table:
    """The ends of the best degree and of its gain."""
    ends = zip(("least", "most"), found.Q, found.gain, strict=True)
    records = [{"end": end, "Q": Q, "gain": gain} for end, Q, gain in ends]
    return plain_table("Best degree over costs", records, share=found.share, costs=found.costs)


def interval_plot(found: Any, axes: Axes) -> None:
    """Both as a line from end to end."""
    axes.plot(found.Q, [float(gain) for gain in found.gain], "o-", color=BLUE)
    axes.set(xlabel="best degree Q, least and most", ylabel="gain, least and most")
    axes.locator_params(axis="x", integer=True)


def steps_of_degrees_view(found: Any) -> Table:
    """P(d,Q) up to the first deep degrees."""
    records = [{"Q": Q, "steps": found.total(Q)} for Q in range(1, found.d + 3)]
    return plain_table(f"Steps of d = {found.d}: {found.A} + {found.B} Q from Q = d on", records)


def steps_of_degrees_plot(found: Any, axes: Axes) -> None:
    """The same as a line."""
    degrees = range(1, 2 * found.d + 2)
    axes.plot(degrees, [found.total(Q) for Q in degrees], "o-", color=BLUE, ms=4)
    axes.axvline(found.d, color=GUIDE, lw=0.8)
    axes.set(xlabel="packets Q", ylabel="steps", ylim=(0, None))


def bounds_view(found: Any) -> Table:
    """Every lower bound of the time of a complete exchange."""
    names = ("startups", "ports", "bisection", "lockstep")
    records = [{"bound": name, "time": getattr(found, name)} for name in names]
    return plain_table("Lower bounds", records, rounds=found.rounds)


def bounds_plot(found: Any, axes: Axes) -> None:
    """The same as bars."""
    names = ("startups", "ports", "bisection", "lockstep")
    axes.barh(names, [float(getattr(found, name)) for name in names], color=BLUE)
    axes.set(xlabel="time, at least")


def composition_view(found: Any) -> Table:
    """The parts of a schedule, or itself."""
    records = [
        {"part": k, "rule": part.rule, "steps": part.length}
        for k, part in enumerate(found.parts or (found,))
    ]
    return plain_table("How a schedule is made", records, length=found.length, words=found.words())


def composition_plot(found: Any, axes: Axes) -> None:
    """The parts one after the other."""
    start = 0
    for k, part in enumerate(found.parts or (found,)):
        axes.barh([0], [part.length], left=start, label=f"{k}: {part.rule}", edgecolor="white")
        start += part.length
    axes.set(xlabel="step", yticks=[], ylim=(-1, 1.4))
    axes.legend(frameon=False, fontsize=9, ncols=3, loc="upper center")


def run_view(found: Any) -> Table:
    """How far ahead every iteration reads, and the limit i - k - 1 of a pipelined algorithm."""
    records = [
        {"i": i, "through": k, "reach": reach, "allowed": i - k - 1}
        for (i, k), reach in sorted(found.reach.items())
    ] or [{"i": 0, "through": 0, "reach": 0, "allowed": 0}]
    return plain_table(
        "Reads of a pipelined run", records, Q=found.plan.Q, violations=len(found.violations)
    )


def run_plot(found: Any, axes: Axes) -> None:
    """Packets in every iteration of the plan."""
    counts = [iteration.task[1] for iteration in found.plan.iterations]
    bars(axes, {"packets": counts}, "iteration", "packets that a process exchanges")


def exchange_run_view(found: Any) -> Table:
    """Phase by phase."""
    from lccmodel.show.exchange_tables import run_table as table

    return table(found)


# -- machines and measurements ----------------------------------------------------------------


def fit_view(found: Any) -> Table:
    """α and τ, their intervals and the segments."""
    from lccmodel.show.calibration import calibration_table

    return calibration_table(found)


def fit_plot(found: Any, axes: Axes) -> None:
    """Measured times, and the line by segments."""
    from lccmodel.show.calibration import draw_times

    draw_times(found, axes)


def measurements_view(found: Any) -> Table:
    """The median of every size."""
    records = [
        {"bytes": int(size), "time": float(time)}
        for size, time in zip(found.distinct, found.medians, strict=True)
    ]
    return plain_table("Medians of what was measured", records, kind=found.kind)


def measurements_plot(found: Any, axes: Axes) -> None:
    """Every time, and the medians."""
    axes.plot(found.sizes, found.times, ".", color=GUIDE, ms=4, label="measured")
    axes.plot(found.distinct, found.medians, "o", color=BLUE, ms=4, label="median of a size")
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel="time of a message")
    axes.legend(frameon=False, fontsize=9)


def machine_file_view(found: Any) -> Table:
    """The time of messages of some sizes."""
    records = [{"bytes": 1 << k, "time": float(found.cost.time(1 << k))} for k in range(0, 21, 2)]
    return plain_table("Cost of a message", records, name=found.name or None, unit=found.unit)


def machine_file_plot(found: Any, axes: Axes) -> None:
    """The same as a line, with what the measurements allow as well."""
    sizes = [1 << k for k in range(21)]
    for other in found.others[:50]:
        axes.plot(sizes, [float(other.time(size)) for size in sizes], color=FAINT, lw=0.8)
    axes.plot(sizes, [float(found.cost.time(size)) for size in sizes], color=BLUE)
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel=f"time ({found.unit})")


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
    axes.plot(destinations, sources, "s", color=BLUE, ms=3)
    axes.set(xlabel="to node", ylabel="from node")
    axes.invert_yaxis()


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
    axes.axvline(found.throughput, color=VERMILION, lw=1)
    axes.set(xlabel="load: sustained on the left, saturated on the right", ylabel="seed")


def fft_view(found: Any) -> Table:
    """The times of the parts of an FFT."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    records = [{"part": name, "time": getattr(found, name)} for name in names]
    return plain_table(f"FFT of {found.points} points on {found.network.spec}", records)


def fft_plot(found: Any, axes: Axes) -> None:
    """The same as bars."""
    names = ("computation", "bit_reverse", "neighbour", "execution")
    axes.barh([name.replace("_", " ") for name in names], [float(getattr(found, k)) for k in names])
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
