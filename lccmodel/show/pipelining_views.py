"""How degrees, steps of tasks, machines and measured times look, each in a few lines."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lccmodel.show.mapping_views import bars, legend_beside
from lccmodel.show.plain_views import plain_table
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, CYCLE, FAINT, GUIDE, VERMILION

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    """Two bars from end to end, each on an axis of its own: the degree, and what it gains."""
    gain = [float(end) for end in found.gain]
    axes.plot(found.Q, [1, 1], "|-", color=BLUE, ms=16, lw=6, solid_capstyle="butt")
    axes.set(xlabel="best degree Q", xlim=_around(*found.Q), ylim=(-0.6, 1.6))
    axes.locator_params(axis="x", integer=True)
    above = axes.twiny()
    above.plot(gain, [0, 0], "|-", color=VERMILION, ms=16, lw=6, solid_capstyle="butt")
    above.set(xlabel="gain T(1) / T(Q)", xlim=_around(*gain))
    for one, colour in ((axes, BLUE), (above, VERMILION)):
        one.tick_params(axis="x", colors=colour)
        one.xaxis.label.set_color(colour)
    axes.set_yticks([0, 1], ["gain", "Q"])


def _around(low: float, high: float) -> tuple[float, float]:
    """Room on both sides of a stretch, which may be a point."""
    room = max(0.25 * (high - low), 0.02 * abs(high), 0.5 if isinstance(low, int) else 0.02)
    return low - room, high + room


def steps_of_degrees_view(found: Any) -> Table:
    """P(d,Q) up to the first deep degrees."""
    records = [{"Q": Q, "steps": found.total(Q)} for Q in range(1, found.d + 3)]
    return plain_table(f"Steps of d = {found.d}: {found.A} + {found.B} Q from Q = d on", records)


def steps_of_degrees_plot(found: Any, axes: Axes) -> None:
    """The same as a line."""
    degrees = range(1, 2 * found.d + 2)
    axes.plot(degrees, [found.total(Q) for Q in degrees], "o-", color=BLUE, ms=4)
    axes.axvline(found.d, color=GUIDE, lw=0.8)
    beside: dict[str, Any] = {"xytext": (4, 4), "textcoords": "offset points", "fontsize": 8}
    axes.annotate(f"Q = d = {found.d}", (found.d, 0), **beside)
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
        look: dict[str, Any] = {
            "color": CYCLE[k % len(CYCLE)],
            "edgecolor": "white",
            "label": f"{k}: {part.rule}",
        }
        axes.barh([0], [part.length], left=start, **look)
        start += part.length
    axes.set(xlabel="step", yticks=[], ylim=(-0.7, 0.7))
    legend_beside(axes)


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
    """Packets in every iteration of the plan, of a run or of the exchange that made it."""
    found = getattr(found, "run", found)
    counts = [iteration.task[1] for iteration in found.plan.iterations]
    bars(axes, {"packets": counts}, "iteration", "packets that a process exchanges")


# -- machines and measurements ----------------------------------------------------------------


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
    unit = "µs" if found.unit == "us" else found.unit
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel=f"time ({unit})")
