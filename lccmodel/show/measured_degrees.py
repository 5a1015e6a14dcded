"""Measured T(Q) beside predicted T(Q): one table, one figure, and what the model leaves out.

Two predictions, since a single machine is not a mesh:

    on the mesh      P(d,Q) (α + N/Q τ) + (d + Q - 1) b: messages wait for links that others use
    without links    d Q (α + N/Q τ): a process sends its packets one after another, and no more

Without links nothing is gained by packets: what they save on a mesh is time on links.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

from lccmodel.errors import InputError
from lccmodel.pipelining.degree import OptimalDegree, time
from lccmodel.show.pipelining_tables import cost_facts
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.style import BLUE, INK, VERMILION, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    if unit not in _UNITS:
        rule = f"must be one of {', '.join(_UNITS)}, so that measured times can stand beside"
        raise InputError("unit", rule, unit)
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
    columns: list[Column] = [
        "Q",
        Quantity("measured", f"measured ({unit})", form="~"),
        Quantity("least", "least", form="~"),
        Quantity("most", "most", form="~"),
        Quantity("predicted", "predicted, mesh", form="~"),
        Quantity("without_links", "without links", form="~"),
        Quantity("ratio", "measured/mesh", form="~"),
    ]
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
    return Table("Measured beside predicted", columns, records, facts, left_out(measured))


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
    spans = [
        [
            m - float(measured.microseconds[Q][0]) * scale
            for Q, m in zip(degrees, medians, strict=True)
        ],
        [
            float(measured.microseconds[Q][-1]) * scale - m
            for Q, m in zip(degrees, medians, strict=True)
        ],
    ]
    name = f"measured, {measured.ranks} processes on {measured.cores} cores"
    axes.errorbar(degrees, medians, spans, fmt="o", color=VERMILION, ms=5, capsize=2, label=name)
    axes.axvline(best.Q, color=BLUE, lw=0.8, ls=":")
    axes.axvline(_fastest(measured), color=VERMILION, lw=0.8, ls=":")
    axes.set(
        xscale="log", yscale="log", xlabel="packets Q", ylabel=f"communication time T ({unit})"
    )
    axes.xaxis.set_major_locator(FixedLocator(degrees))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:.0f}"))
    axes.xaxis.set_minor_locator(NullLocator())
    machine = best.machine
    title = f"{machine.mesh.spec}, {machine.cost}, N = {best.N}"
    words = f"predicted best Q = {best.Q}, measured best Q = {_fastest(measured)}"
    axes.set_title(f"{title}\n{words}", fontsize=10)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    note = "Shared memory has no links: what packets save on a mesh cannot be saved here."
    figure.supxlabel(note, fontsize=8, color=INK)
    return figure
