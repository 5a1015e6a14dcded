"""What was fitted to measured message times: a table of sizes, and a drawing with the residuals."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lccmodel.calibration.fitting import Fit
from lccmodel.show.numbers import Cell
from lccmodel.show.quantities import Fact, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, INK, ORANGE, REST, new_figure, plain_logarithms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_DOUBT = Quantity("doubt", "no fit")

_POINTS = 64
"""Of a line that is a curve on logarithmic axes."""


def with_doubt(table: Table, doubt: str) -> Table:
    """An answer from a machine file whose times are no fit to what was measured says why.

    >>> asked = Table("Times", ["time"], [[5]])
    >>> with_doubt(asked, "times fall as sizes grow").records()
    [{'doubt': 'times fall as sizes grow', 'time': 5}]
    >>> with_doubt(asked, "") is asked
    True
    """
    if not doubt:
        return table
    return replace(table, facts=(*table.facts, (_DOUBT, doubt)))


def calibration_table(fitted: Fit) -> Table:
    """α and τ with their intervals, the segments, and every size measured and fitted.

    >>> from lccmodel.calibration import Measurements, fit
    >>> times = Measurements([8, 64, 512, 4096], [1.008, 1.064, 1.512, 5.096])
    >>> calibration_table(fit(times)).records()[0]["size"]
    8
    """
    measured = fitted.measurements
    left = bool(measured.left_out)
    percent = f"{100 * fitted.confidence:g} %"
    facts: list[Fact] = [
        (Quantity("source", "measurements"), repr(measured).strip("<>")),
        *([(Quantity("left_out", "left out"), "; ".join(measured.left_out))] * left),
        *([(_DOUBT, fitted.doubt)] * bool(fitted.doubt)),
        (named("alpha", f"α, {_meaning(fitted)} (µs)", form=".4g"), fitted.alpha),
        (Quantity("alpha_interval", f"   {percent} between"), _between(fitted.alpha_interval)),
        (named("tau", "τ, per byte (µs)", form=".4g"), fitted.tau),
        (Quantity("tau_interval", f"   {percent} between"), _between(fitted.tau_interval)),
        (
            Quantity("ratio_interval", f"α/τ (bytes), {percent} between"),
            _between(fitted.ratio_interval),
        ),
    ]
    if fitted.tau:
        facts.append((Quantity("bandwidth", "bandwidth (MB/s)", form=".4g"), 1 / fitted.tau))
    if len(fitted.segments) > 1:
        for k, segment in enumerate(fitted.segments, start=1):
            end = "and above" if segment.up_to is None else f"to {segment.up_to:,} bytes"
            start = "0" if segment.above < 0 else f"{segment.above:,}"
            line = f"α = {segment.alpha:.4g}, τ = {segment.tau:.4g}; from {start} {end}"
            facts.append((Quantity(f"segment_{k}", f"segment {k}"), line))
    columns = (
        Quantity("size", "bytes", form=","),
        Quantity("measured", "measured (µs)", form=".3f"),
        Quantity("fitted", "fitted (µs)", form=".3f"),
        Quantity("difference", "measured - fitted", form=_signed_percent),
    )
    sizes = map(float, measured.distinct)
    rows = [
        (int(size), float(time), fitted.time(size), float(rest))
        for size, time, rest in zip(sizes, measured.medians, fitted.residuals, strict=True)
    ]
    legend = [
        (
            "measured: the median of each size; fitted: by the segment of the size. The line has "
            "the least sum of relative differences, so that a few disturbed sizes do not move it."
        ),
        f"intervals: {percent} of the fits to the measurements drawn again.",
    ]
    notes = []
    if not measured.start_up:
        notes.append(
            "Rates of a window of messages give the gap between two of them: α is no start-up, and "
            "no machine file is written. osu_latency or a ping-pong measures it."
        )
    if fitted.doubt:
        notes.append(
            "no fit: no straight line, nor a few of them, says these times; measure again, with "
            "nothing else running, before a decision rests on it."
        )
    return Table("Calibration", columns, rows, facts, legend, notes=notes)


def _meaning(fitted: Fit) -> str:
    """What α is: without messages on their own there is no start-up."""
    return "start-up" if fitted.measurements.start_up else "gap between messages"


def _signed_percent(cell: Cell) -> str:
    return f"{100 * float(cell):+.1f} %" if isinstance(cell, float) else ""


def _between(ends: tuple[float, float]) -> str:
    return " and ".join("∞" if math.isinf(end) else f"{end:.4g}" for end in ends)


def draw_calibration(fitted: Fit) -> Figure:
    """Measured times and the fitted lines, with the relative residuals below."""

    figure = new_figure(7.0, 5.0)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    draw_times(fitted, above)
    above.set_xlabel("")
    below.axhline(0, color=REST, lw=0.8)
    below.plot(fitted.measurements.distinct, 100 * fitted.residuals, "o", color=INK, ms=3)
    below.set(xlabel="bytes", ylabel="residual (%)")
    return figure


def draw_times(fitted: Fit, axes: Axes) -> None:
    """Measured times and the fitted lines, on logarithmic axes."""
    measured = fitted.measurements
    sizes = measured.distinct
    axes.plot(measured.sizes, measured.times, ".", color=REST, ms=4, label="measured")
    axes.plot(sizes, measured.medians, "o", color=INK, ms=4, label="median of a size")
    many = len(fitted.segments) > 1
    if many:
        every = np.geomspace(sizes[0], sizes[-1], _POINTS)
        single_line = fitted.alpha + fitted.tau * every
        axes.plot(every, single_line, "--", color=ORANGE, lw=1, label="one line for all sizes")
    for k, segment in enumerate(fitted.segments):
        inside = (sizes > segment.above) & (sizes <= (segment.up_to or math.inf))
        # α + τ L is a curve on logarithmic axes, so the measured sizes alone are too few
        ends = np.geomspace(sizes[inside].min(), sizes[inside].max(), _POINTS)
        name = "α + L τ, by segment" if many else "α + L τ"
        axes.plot(
            ends,
            segment.alpha + segment.tau * ends,
            color=BLUE,
            lw=1.4,
            label=name if k == 0 else None,
        )
    axes.set(xscale="log", yscale="log", xlabel="bytes", ylabel="time of a message (µs)")
    plain_logarithms(axes.xaxis, axes.yaxis)
    axes.set_title(f"α = {fitted.alpha:.4g} µs, τ = {fitted.tau:.4g} µs per byte", fontsize=10)
    axes.legend(frameon=False, fontsize=8)
