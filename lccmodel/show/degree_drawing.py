"""The communication time T against the pipelining degree Q, with the best Q and Q* marked.

One curve for each model: a point for every Q below d, where T jumps with the parity of ⌈Q/c⌉, and
a convex line from d on. The disc is the best whole Q; the cross is the stationary point Q* of the
deep regime, which is where one would round without looking at the shallow degrees.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.degree import OptimalDegree, optimal_degree
from lccmodel.pipelining.grid import times
from lccmodel.pipelining.machine import Machine
from lccmodel.show.pipelining_tables import available_models
from lccmodel.show.style import BLACK, BLUE, GUIDE, INK, SKY, VERMILION, axes_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLES: dict[Model, tuple[str, Any]] = {
    "load": (SKY, ":"),
    "lower-bound": (BLUE, "--"),
    "paper": (VERMILION, "-."),
    "schedule": (BLACK, "-"),
}
_WIDTHS = {"load": 1.6, "lower-bound": 3.0, "paper": 1.6, "schedule": 1.2}
_DENSE = 64


def draw_degrees(
    machine: Machine,
    N: int,
    models: Sequence[Model] | None = None,
    *,
    unit: str = "",
    ax: Axes | None = None,
) -> Figure:
    """Draw T(Q) of one or several models, from Q = 1 to well past the best.

    Args:
        machine: where the CC-cube runs.
        N: items that are exchanged in each dimension.
        models: whose steps are counted; all that the machine has if left out.
        unit: the unit of its times, for the axis.
        ax: where to draw; a new figure if left out.

    Raises:
        InputError: not a model, or one that the machine does not have; N less than 1.

    >>> figure = draw_degrees(Machine("16x16", alpha=500, tau=1), 4096, unit="µs")
    >>> figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()
    ('packets Q', 'communication time T (µs)')
    """
    chosen = list(available_models(machine) if models is None else models)
    if not chosen:
        raise InputError("models", "must name at least one model", models)
    results = [optimal_degree(machine, N, model) for model in chosen]
    axes = axes_on(ax, (7.2, 4.8))
    degrees = _degrees(machine, N, max(result.Q for result in results))
    for result in results:
        _draw_model(axes, result, degrees)
    if 1 < machine.d <= degrees[-1]:
        axes.axvline(machine.d, color=GUIDE, linewidth=0.8, zorder=0)
        place: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
        note = f"Q = d = {machine.d}"
        axes.annotate(note, (machine.d, 0.98), (3, 0), va="top", fontsize=8, color=INK, **place)
    _label(axes, machine, N, unit, degrees)
    from lccmodel.show.marks import figure_of

    return figure_of(axes)


def _degrees(machine: Machine, N: int, best: int) -> npt.NDArray[np.int64]:
    """Every Q while they are few, then evenly on a logarithmic axis."""
    last = min(N, max(8 * best, 3 * machine.d, 8))
    dense = np.arange(1, min(last, max(_DENSE, machine.d)) + 1)
    sparse = np.geomspace(dense[-1], last, 256).round().astype(np.int64)
    return np.unique(np.concatenate([dense, sparse]))


def _draw_model(axes: Axes, result: OptimalDegree, degrees: npt.NDArray[np.int64]) -> None:
    machine, N, model = result.machine, result.N, result.model
    colour, style = _STYLES[model]
    label = f"{model}: best Q = {result.Q}, gain {float(result.gain):.3g}"
    curve = times(machine, N, degrees, model=model)
    axes.plot(degrees, curve, style, color=colour, lw=_WIDTHS[model], label=label)
    jumps = degrees < machine.d
    axes.plot(degrees[jumps], curve[jumps], ".", color=colour, ms=5)
    (best,) = axes.plot(
        [result.Q], [float(result.time)], "o", color=colour, ms=9, mfc="white", mew=1.8, zorder=4
    )
    best.set_gid(f"best-{model}")
    stationary = result.stationary_value
    if degrees[0] <= stationary <= degrees[-1]:
        height = np.interp(stationary, degrees, curve)
        (cross,) = axes.plot([stationary], [height], "x", color=colour, ms=8, mew=1.8, zorder=5)
        cross.set_gid(f"stationary-{model}")


def _label(axes: Axes, machine: Machine, N: int, unit: str, degrees: npt.NDArray[np.int64]) -> None:
    from matplotlib.ticker import FixedLocator, LogLocator, NullLocator, StrMethodFormatter

    axes.set_xscale("log")
    bases = range(1, 10) if degrees[-1] <= 10 else (1, 2, 5)
    ticks = [base * 10**k for k in range(20) for base in bases if base * 10**k <= degrees[-1]]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_yscale("log")  # the optimum is flat: from 0 up it would be lost under its markers
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 5, 7)))
    axes.yaxis.set_major_formatter(StrMethodFormatter("{x:,.6g}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("packets Q")
    axes.set_ylabel("communication time T" + (f" ({unit})" if unit else ""))
    shape = "×".join(map(str, machine.shape))
    kind = machine.mesh.kind + (", all ports" if machine.ports == "all" else "")
    values = f"{machine.cost}, N = {N}"
    barrier = f", b = {float(machine.barrier):g}" if machine.barrier else ""
    axes.set_title(f"{shape} {kind}, {values}{barrier}", fontsize=10)
    axes.plot([], [], "o", color=INK, mfc="white", mew=1.8, label="best of all Q in 1..N")
    if any(str(line.get_gid()).startswith("stationary-") for line in axes.lines):
        axes.plot([], [], "x", color=INK, mew=1.8, label="Q*, where the deep formula is stationary")
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
    axes.legend(**below, frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
