"""What the report shows of [hou, section 6]: Tables 1 and 2, Figs 5 to 7, and channels in use.

Everything is simulated when the section is made. Tables 1 and 2 have the shape of the print, a
simulated line under every printed one; of the figures only the text is left, so the curves are
drawn with what it states about them.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from os import cpu_count
from typing import TYPE_CHECKING, Any

from lccmodel.communication.lcc import LCC
from lccmodel.network import Hypercube
from lccmodel.papers.fft_layout import as_table_1, as_table_2, cycles_as_table_1
from lccmodel.papers.fft_tables import (
    POINTS,
    adaptive_table,
    barrier_table,
    fft_speedup_table,
    times_table,
)
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable
from lccmodel.placement.contention import contention
from lccmodel.routing.cubes import RECONSTRUCTED
from lccmodel.show.quantities import Column, Fact, Quantity, named
from lccmodel.show.records import Table
from lccmodel.show.simulation_tables import curve_table
from lccmodel.wormhole.curves import FIGURES, Curve, FigureCurve, candidates, curve, highest_load
from lccmodel.wormhole.simulation import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CUBE = Hypercube(8)
TIES = 100
"""Seeds of random ties that are tried."""

FLITS = 20
"""Length of the messages of Figs 5 to 7."""

_ALIKE = {
    5: "; M-G (2) is another order with the degrees of M-G, whose exchanged bits cross",
    **dict.fromkeys((6, 7), "; M-S and M-G are both free of contention and coincide"),
}

_EACH = (0.02, 0.04, 0.055, *(k / 200 for k in range(13, 29)), *(k / 50 for k in range(8, 20)))
_LOADS: dict[int | None, tuple[float, ...]] = {
    1: (0.1, 0.3, 0.5, 0.7, 0.82, 0.88, 0.92, 0.94),
    2: (0.05, 0.1, 0.15, 0.2, *(k / 100 for k in range(24, 50, 2))),
}
"""Degree of contention -> the loads that are simulated: dense where the limit is expected."""


@dataclass(frozen=True, slots=True)
class Runs:
    """How much is simulated.

    Attributes:
        points: sizes of the FFT.
        ties: seeds of random ties that are tried for the adaptive columns of Table 1.
        cycles: length of every run of Figs 5 to 7, the first tenth of which warms up.
        seed: of their arrivals.
        load, heat_cycles: of the runs whose channels are drawn.
    """

    points: tuple[int, ...] = POINTS
    ties: int = TIES
    cycles: int = 100_000
    seed: int = 1
    load: float = 0.08
    heat_cycles: int = 50_000


# -- Tables 1 and 2 ------------------------------------------------------------------------


@cache
def times_parts(points: tuple[int, ...] = POINTS, ties: int = TIES) -> Table:
    """`times_table` with this many seeds of random ties."""
    return times_table(points, seeds=range(ties))


@cache
def speedup_parts(points: tuple[int, ...] = POINTS) -> Table:
    """`fft_speedup_table`."""
    return fft_speedup_table(points)


def times_in_print(points: tuple[int, ...] = POINTS, ties: int = TIES) -> Table:
    """[hou, Table 1] as printed, and under each line as simulated; see `as_table_1`."""
    return as_table_1(times_parts(points, ties))


def cycles_in_print(points: tuple[int, ...] = POINTS, ties: int = TIES) -> Table:
    """The whole numbers of cycles behind [hou, Table 1]; see `cycles_as_table_1`."""
    return cycles_as_table_1(times_parts(points, ties))


def speedup_in_print(points: tuple[int, ...] = POINTS) -> Table:
    """[hou, Table 2] as printed, and under each line as simulated.

    >>> speedup_in_print((256,)).rows[1]
    (256, 'simulated', '35.8', '1398.6', '248.9', '178.8', '1.39', '1683.3', '1613.2', '1.04')
    """
    return as_table_2(speedup_parts(points))


# -- Figs 5 to 7 --------------------------------------------------------------------------


def _chosen(number: int) -> tuple[LCC, list[FigureCurve]]:
    """The curves of a figure; of two M-G only one where they are alike, free of contention."""
    communication, all_of_them = candidates(number)
    kept: list[FigureCurve] = []
    for drawn in all_of_them:
        if drawn.label != "M-G (2)" or _degree(communication, drawn.routing, drawn.mapping) != 1:
            kept.append(drawn)
    return communication, kept


def _degree(communication: LCC, routing: str, order: Any) -> int | None:
    """Messages on the busiest channel; only where every message has one path."""
    if routing != "e-cube":
        return None
    order = getattr(order, "order", order)
    placed = communication if order is None else communication.reordered(order)
    return int(contention(placed, CUBE).degree)


@cache
def _curves(number: int, runs: Runs) -> tuple[Curve, ...]:
    """The simulated curves of [hou, Fig. 5, 6 or 7]."""
    communication, chosen = _chosen(number)

    def one(candidate: FigureCurve) -> Curve:
        label, routing, mapping, tie = candidate
        loads = _LOADS.get(_degree(communication, routing, mapping), _EACH)
        settings = (loads, FLITS, runs.cycles, runs.seed, mapping)
        own: Any = {"label": label, "workers": 1} | ({"tie": tie} if tie else {})
        return curve(communication, CUBE, routing, *settings, **own)

    # A thread for each curve, and not for each load: no load above the limit is run in vain.
    with ThreadPoolExecutor(cpu_count()) as pool:
        return tuple(pool.map(one, chosen))


def _points(number: int, runs: Runs) -> Table:
    return curve_table(_curves(number, runs), f"Every simulated load of Fig. {number}")


def _figure_of_paper(number: int, runs: Runs) -> Figure:
    """[hou, Fig. 5, 6 or 7]: latency against throughput.

    Raises:
        InputError: another figure.
    """
    from lccmodel.show.wormhole_drawing import draw_curves

    title = f"Fig. {number}: {FIGURES.get(number)} on {CUBE.spec}, messages of {FLITS} flits"
    return draw_curves(_curves(number, runs), number, title=title)


_STATED: dict[tuple[int, str], str] = {
    (5, "M-G"): "about 0.3, in theory 0.5",
    (5, "M-G (2)"): "about 0.3, in theory 0.5",
    (6, "p-cube"): "performs worst",
    (7, "p-cube"): "performs well",
}
_STATED_OF_ALL = {
    "e-cube": "less than 0.125",
    **dict.fromkeys(
        ("min", *(f"{rule.name} (reconstructed)" for rule in RECONSTRUCTED)),
        "30 % to 100 % over e-cube",
    ),
    "M-S": "can approach 1",
    "M-G": "can approach 1",
}


def sustained_table(runs: Runs) -> Table:
    """What every curve of [hou, Figs 5 to 7] sustains, beside its bound and the text."""
    rows = []
    for number in FIGURES:
        curves = _curves(number, runs)
        plain = next(drawn for drawn in curves if drawn.label == "e-cube").highest
        communication, _ = _chosen(number)
        for drawn in curves:
            degree = _degree(communication, drawn.routing, drawn.order)
            stated = _STATED.get((number, drawn.label), _STATED_OF_ALL.get(drawn.label, ""))
            gain = None if not plain or drawn.label == "e-cube" else drawn.highest / plain
            about = [number, FIGURES[number], drawn.label, drawn.order]
            bound = None if degree is None else float(highest_load(degree, FLITS))
            rows.append([*about, degree, bound, *_limit(drawn), gain, stated])
    columns: list[Column] = [
        Quantity("figure"),
        "communication",
        Quantity("curve"),
        "order",
        "degree",
        Quantity("bound", form=".3f"),
        named("throughput", "sustained", form=".3f", none=""),
        named("throughput_low", "from", form=".3f", none=""),
        named("throughput_high", "to", form=".3f", none=""),
        named("latency", "latency", form=".0f", none=""),
        Quantity("load_not_sustained", "not sustained", ".3f"),
        Quantity("ratio", "to e-cube", ".2f"),
        Quantity("stated", "text of the paper"),
    ]
    cycles = named("cycles", "cycles", form=",")
    facts: list[Fact] = [
        ("network", CUBE.spec),
        ("flits", FLITS),
        (cycles, runs.cycles),
        ("seed", runs.seed),
    ]
    notes = [
        (
            "sustained: throughput at the highest load at which the messages at their sources do "
            "not become more and more; from, to: its 95 % interval; not sustained: the next load, "
            "at which they do in a run of this length. Close to its limit a queue takes long to "
            "settle: docs/hou_section6.md has the limits of longer runs, with intervals over "
            "several seeds."
        ),
        (
            "bound: F / ((F + 1) k) for messages of F flits and degree of contention k, where "
            "every message has one path. Throughput in flits per cycle and sender, latency in "
            "cycles."
        ),
        (
            "reconstructed: the routing is only cited in [hou]; its place is taken by a rule that "
            "gives its column of Table 1 under ties to the oldest (docs/hou_section6.md)."
        ),
        (
            "M-S: the best order for this communication; M-G: the best for all three together; "
            "M-G (2): another order with the same loads in every dimension, whose exchanged bits "
            "cross."
        ),
    ]
    title = "Sustained throughput in Figs. 5 to 7"
    return Table(title, columns, rows, facts, notes)


def _limit(drawn: Curve) -> list[float | None]:
    """The throughput that is sustained, its interval, the latency, the load that is not."""
    if not drawn.sustained:
        return [None, None, None, None, drawn.points[-1].load]
    best = max(drawn.sustained, key=lambda point: point.throughput)
    over = None if drawn.overload is None else drawn.overload.load
    return [best.throughput, *best.throughput_interval, best.latency, over]


# -- what the channels carry --------------------------------------------------------------


def _channels(number: int, runs: Runs) -> Figure:
    """Flits per cycle on every channel, with e-cube as it is and after M-S."""
    from lccmodel.show.wormhole_drawing import draw_channel_use

    communication, chosen = candidates(number)
    mapping = next(drawn.mapping for drawn in chosen if drawn.label == "M-S")
    before, after = (
        Simulation.of(communication, CUBE, "e-cube", order).run(
            runs.load, FLITS, runs.heat_cycles, runs.seed
        )
        for order in (None, mapping)
    )
    order = " ".join(map(str, mapping.order))
    names = (f"{FIGURES[number]} as it is", f"M-S, order {order}")
    return draw_channel_use(before, after, titles=names)


# -- the section --------------------------------------------------------------------------


def section(runs: Runs) -> PaperSection:
    """The section with as much simulated as `runs` says."""
    about = (
        "The parallel FFT of Tables 1 and 2 and the curves of Figs. 5 to 7, simulated with "
        "wormhole switching on the 8-dimensional hypercube; printed values stand beside them. "
        f"Figures: messages of {FLITS} flits, {runs.cycles:,} cycles at every load, seed "
        f"{runs.seed}, ties to the lowest input (reconstructed: to the oldest); Table 1: every tie "
        f"rule, random ties with {runs.ties} seeds."
    )
    points = [
        PaperTable(f"fig{number}-points", partial(_points, number, runs), data_only=True)
        for number in FIGURES
    ]
    tables = (
        PaperTable("table-1", partial(times_in_print, runs.points, runs.ties)),
        PaperTable("table-1-cycles", partial(cycles_in_print, runs.points, runs.ties)),
        PaperTable("table-1-ties", partial(adaptive_table, runs.points, seeds=range(runs.ties))),
        PaperTable("table-1-parts", partial(times_parts, runs.points, runs.ties), data_only=True),
        PaperTable("table-2", partial(speedup_in_print, runs.points)),
        PaperTable("table-2-parts", partial(speedup_parts, runs.points), data_only=True),
        PaperTable("barriers", partial(barrier_table, runs.points)),
        *points,
        PaperTable("sustained", partial(sustained_table, runs)),
    )
    curves = [
        PaperFigure(
            f"fig{number}-{name}",
            f"Fig. {number}: {name}, latency against throughput. Grey lines mark what the text of "
            f"the paper states{_ALIKE.get(number, '')}. min is the rule that reference 14 is known "
            "for, min-turns the one behind column min of Table 1",
            partial(_figure_of_paper, number, runs),
        )
        for number, name in FIGURES.items()
    ]
    channels = [
        PaperFigure(
            f"channels-{name}",
            f"{name}: flits per cycle on every channel at load {runs.load:g}, before and after "
            "the mapping",
            partial(_channels, number, runs),
        )
        for number, name in FIGURES.items()
    ]
    return PaperSection("hou", about, tables, (*curves, *channels))


SECTION = section(Runs())
