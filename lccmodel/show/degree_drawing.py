"""The communication time T against the pipelining degree Q, predicted and measured.

One curve for each model: a point for every Q below d, where T jumps with the parity of ⌈Q/c⌉, and
a convex line from d on. The disc is the best whole Q; the cross is the stationary point Q* of the
deep regime, which is where one would round without looking at the shallow degrees.

Beside measured times stand two predictions, since a single machine is not a mesh:

    on the mesh      P(d,Q) (α + N/Q τ) + (d + Q - 1) b: messages wait for links that others use
    without links    d Q (α + N/Q τ): a process sends its packets one after another, and no more

Without links nothing is gained by packets: what they save on a mesh is time on links.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError
from lccmodel.ground.words import checked_word
from lccmodel.pipelining.cost.steps import Model
from lccmodel.pipelining.degree import OptimalDegree, optimal_degree, time
from lccmodel.pipelining.grid import times
from lccmodel.pipelining.machine import Machine
from lccmodel.show.network_artists import figure_of
from lccmodel.show.numbers import with_unit
from lccmodel.show.pipelining_tables import available_models, cost_facts
from lccmodel.show.quantities import Fact, Quantity, named
from lccmodel.show.records import Table, keyed_table
from lccmodel.show.style import (
    BLACK,
    BLUE,
    GUIDE,
    INK,
    SKY,
    VERMILION,
    axes_on,
    new_figure,
    plain_logarithms,
)

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
    axes.set_ylabel(with_unit("communication time T", unit))
    shape = "×".join(map(str, machine.shape))
    kind = machine.mesh.kind + (", all ports" if machine.ports == "all" else "")
    values = f"{machine.cost}, N = {N:,}"
    barrier = f", b = {float(machine.barrier):g}" if machine.barrier else ""
    axes.set_title(f"{shape} {kind}, {values}{barrier}", fontsize=10)
    axes.plot([], [], "o", color=INK, mfc="white", mew=1.8, label="best of all Q in 1..N")
    if any(str(line.get_gid()).startswith("stationary-") for line in axes.lines):
        axes.plot([], [], "x", color=INK, mew=1.8, label="Q*, where the deep formula is stationary")
    below: Any = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14)}
    axes.legend(**below, frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)


# -- measured beside predicted ------------------------------------------------------------------


_UNITS = {
    "ns": Fraction(1000),
    "us": Fraction(1),
    "µs": Fraction(1),
    "ms": Fraction(1, 1000),
    "s": Fraction(1, 10**6),
}


class Times(Protocol):
    """What was measured; see `lccmodel.mpi.degrees.MeasuredTimes`."""

    @property
    def ranks(self) -> int:
        """Processes."""

    @property
    def cores(self) -> int:
        """Cores that they share."""

    @property
    def microseconds(self) -> Any:
        """For every Q the times of the rounds, ascending."""

    def median(self, Q: int) -> float:
        """The median time of a Q."""


def microseconds_in(unit: str) -> Fraction:
    """How many units a microsecond is.

    Raises:
        InputError: the unit is not one of time.

    >>> microseconds_in("ms")
    Fraction(1, 1000)
    """
    checked_word("unit", unit, _UNITS, ", so that measured times can stand beside")
    return _UNITS[unit]


def shown_degrees(best: OptimalDegree, asked: Sequence[int] = ()) -> list[int]:
    """Degrees worth measuring: 1, the best and its neighbours, d, powers of two; twelve in all.

    >>> from lccmodel.pipelining import Machine, optimal_degree
    >>> shown_degrees(optimal_degree(Machine("4x4", 100, 1), 4096))
    [1, 2, 3, 4, 8, 16]
    """
    N, Q, d = best.N, best.Q, best.machine.d
    near = {1, 2, Q - 1, Q, Q + 1, d, *asked}
    powers = [1 << k for k in range(2, 20) if 1 << k <= max(4 * Q, 4 * d)]
    spare = max(0, 12 - len(near))
    return sorted(q for q in near | set(powers[:spare]) if 1 <= q <= N)


def without_links(best: OptimalDegree, Q: int) -> Fraction:
    """d Q (α + N/Q τ): the packets of a process one after another."""
    return best.machine.d * Q * best.machine.cost.time(Fraction(best.N, Q))


def measured_table(best: OptimalDegree, measured: Times, unit: str) -> Table:
    """Measured and predicted times of every degree that was measured.

    Args:
        best: the predicted best degree, of the machine whose times `unit` names.
        measured: by `lccmodel.mpi.degrees.measure_degrees`.
        unit: of the machine's times: ns, us, ms or s.

    Raises:
        InputError: another unit.
    """
    scale = float(microseconds_in(unit))
    records = []
    for Q, rounds in measured.microseconds.items():
        median, predicted = measured.median(Q) * scale, float(_predicted(best, Q))
        records.append(
            {
                "Q": Q,
                "measured": median,
                "least": float(rounds[0]) * scale,
                "most": float(rounds[-1]) * scale,
                "predicted": predicted,
                "without_links": float(without_links(best, Q)),
                "ratio": median / predicted if predicted else None,
            }
        )
    words = {"measured": with_unit("measured", unit), "least": "least", "most": "most"}
    words |= {"predicted": "predicted, mesh", "without_links": "without links"}
    words |= {"ratio": "measured/mesh"}
    heads = {key: Quantity(key, word, form="~") for key, word in words.items()}
    machine = best.machine
    facts: list[Fact] = [
        ("network", machine.mesh.spec),
        ("unit", unit),
        *cost_facts(machine),
        ("barrier", machine.barrier),
        ("N", best.N),
        (Quantity("processes", "processes on cores"), f"{measured.ranks} on {measured.cores}"),
        (named("best_Q", "predicted best Q"), best.Q),
        (Quantity("measured_Q", "measured best Q"), _fastest(measured)),
        (Quantity("agreement", "do they agree?"), verdict(best, measured)),
    ]
    title = "Measured beside predicted"
    return keyed_table(title, records, facts, heads, left_out(measured))


def _predicted(best: OptimalDegree, Q: int) -> Fraction:
    return time(best.machine, best.N, Q, best.model)


def _fastest(measured: Times) -> int:
    fastest: int = min(measured.microseconds, key=lambda Q: (measured.median(Q), Q))
    return fastest


def verdict(best: OptimalDegree, measured: Times) -> str:
    """Whether the measured times bear the prediction out, in a sentence."""
    fastest = _fastest(measured)
    here = measured.median(best.Q) / measured.median(fastest) - 1
    whole = measured.median(1) / measured.median(best.Q)
    gain = f"Q = {best.Q} gains {whole:.3g} over Q = 1, predicted {float(best.gain):.3g}"
    if fastest == best.Q:
        return f"on the best Q; {gain}"
    spread = measured.microseconds[best.Q][0] <= measured.microseconds[fastest][-1]
    if spread and here < 0.05:
        return f"as far as the spread of the rounds tells; {gain}"
    return f"NO: Q = {best.Q} takes {100 * here:.0f} % longer than Q = {fastest}; {gain}"


def left_out(measured: Times) -> list[str]:
    """What the model has and this machine has not, and the other way round."""
    ranks, cores = measured.ranks, measured.cores
    return [
        (
            "predicted, mesh: messages wait for links that others use. The processes here share "
            "memory: there are no links, and nothing to gain by using more of them at once."
        ),
        (
            "without links: d Q packets of a process one after another, which is what remains of "
            "the model here; more packets then only cost start-ups."
        ),
        (
            f"{ranks} processes share {cores} cores, which neither prediction knows: "
            + ("they take turns, and so do their copies." if ranks > cores else "each has its own.")
        ),
        "measured: the median of the rounds; a round is as long as its slowest process.",
    ]


def draw_measured(best: OptimalDegree, measured: Times, unit: str) -> Figure:
    """Measured times with their spread, and both predictions, against Q.

    Args:
        best, measured, unit: as for `measured_table`.
    """
    from matplotlib.ticker import FixedLocator, NullLocator, StrMethodFormatter

    scale = float(microseconds_in(unit))
    degrees = list(measured.microseconds)
    figure = new_figure(7.2, 5.4)
    axes = figure.add_subplot()
    every = range(1, degrees[-1] + 1) if degrees[-1] <= 256 else degrees
    curves = (
        ("predicted, mesh", [float(_predicted(best, Q)) for Q in every], BLUE, "-"),
        ("predicted, without links", [float(without_links(best, Q)) for Q in every], INK, "--"),
    )
    for label, curve, colour, style in curves:
        axes.plot(list(every), curve, style, color=colour, lw=1.3, label=label)
    medians = [measured.median(Q) * scale for Q in degrees]
    ends = [
        [float(rounds[k]) * scale for rounds in measured.microseconds.values()] for k in (0, -1)
    ]
    spans = [[abs(m - end) for m, end in zip(medians, interval, strict=True)] for interval in ends]
    name = f"measured, {measured.ranks} processes on {measured.cores} cores"
    axes.errorbar(degrees, medians, spans, fmt="o", color=VERMILION, ms=5, capsize=2, label=name)
    axes.axvline(best.Q, color=BLUE, lw=0.8, ls=":")
    axes.axvline(_fastest(measured), color=VERMILION, lw=0.8, ls=":")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="packets Q",
        ylabel=with_unit("communication time T", unit),
    )
    plain_logarithms(axes.yaxis)
    axes.xaxis.set_major_locator(FixedLocator(degrees))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    machine = best.machine
    title = f"{machine.mesh.spec}, {machine.cost}, N = {best.N:,}"
    words = f"predicted best Q = {best.Q}, measured best Q = {_fastest(measured)}"
    axes.set_title(f"{title}\n{words}", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    note = "Processes with shared memory have no links, so packets save no time."
    figure.supxlabel(note, fontsize=8, color=INK)
    return figure
