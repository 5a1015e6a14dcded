"""Latency against throughput, and what can be sustained [hou, section 6.1, Figs 5 to 7].

A curve is a communication at ascending loads; a figure has those of the orders that it compares;
the highest load whose latency settles is found by bisection.

A channel serves a message of F flits in F + 1 cycles [timing]. When every processor sends at load L
and k messages of the communication share a channel, that channel is busy for k L (F + 1) / F of the
time, so with one path for every message

    L <= F / ((F + 1) k),        k: the degree of contention, or 1 for the injection channels.

How close a communication comes depends on more than k; the simulation says how close.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from os import cpu_count
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lccmodel.communication.catalog import build
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.views import Answer
from lccmodel.network import Hypercube, Network
from lccmodel.routing import RoutingFunction
from lccmodel.routing.cubes import RECONSTRUCTED
from lccmodel.wormhole.simulation import Simulation, SimulationResult
from lccmodel.wormhole.statistics import Interval, bisect_load, student
from lccmodel.wormhole.timing import TieRule

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement


LccOrPairs = LCC | Sequence[Sequence[int]]

LOADS = tuple(
    round(k / 100, 2) for k in (*range(1, 15), *range(16, 31, 2), *range(35, 86, 5), 90, 93, 95)
)
"""Loads for curves from small to the largest that any sender can sustain."""


class Point(NamedTuple):
    """A load and what came of it; see `SimulationResult` for the fields."""

    load: float
    throughput: float
    throughput_interval: Interval
    latency: float
    interval: Interval
    waiting: float
    saturated: bool
    deadlocked: bool
    settled: bool = True


@dataclass(frozen=True)
class Curve(Answer, view="curve"):
    """A communication at ascending loads, up to the first that cannot be sustained.

    Attributes:
        label: what figures call it.
        communication, network, routing: what was simulated.
        order: the reordering, None without one.
        flits, cycles, seed, tie: as for `simulate`.
        points: one for every load that was simulated; only the last may be saturated.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.wormhole import curve
    >>> latency_curve = curve(catalog.bit_reverse(2), Hypercube(2), "e-cube", [0.1], 4, 400, 1)
    >>> [point.load for point in latency_curve.points]
    [0.1]
    """

    label: str
    communication: str
    network: Network
    routing: str
    order: tuple[int, ...] | None
    flits: int
    cycles: int
    seed: int
    tie: TieRule
    points: tuple[Point, ...]

    @property
    def sustained(self) -> tuple[Point, ...]:
        """The points whose load can be sustained."""
        return tuple(point for point in self.points if not point.saturated)

    @property
    def highest(self) -> float:
        """The highest throughput that was sustained at one of the loads; 0 if none was."""
        return max((point.throughput for point in self.sustained), default=0.0)

    @property
    def overload(self) -> Point | None:
        """The first load that could not be sustained, and the throughput there; None if none."""
        return self.points[-1] if self.points and self.points[-1].saturated else None


@typed_arguments
def highest_load(degree: int, flits: int) -> Fraction:
    """Return F / ((F + 1) k): one path a message sustains no higher load.

    Args:
        degree: messages on the busiest channel.
        flits: length of a message.

    Raises:
        InputError: flits < 1.

    >>> highest_load(8, 20), highest_load(1, 20), highest_load(2, 20)
    (Fraction(5, 42), Fraction(20, 21), Fraction(10, 21))
    """
    flits = checked_integer("flits", flits, least=1)
    return Fraction(flits, (flits + 1) * max(1, checked_integer("degree", degree)))


def _point(result: SimulationResult) -> Point:
    same = {name: getattr(result, name) for name in Point._fields if name != "deadlocked"}
    return Point(**same, deadlocked=bool(result.deadlock))


def workers_of(workers: int | None) -> int:
    """The number of threads: as asked, or one for each processor."""
    if workers is None:
        return cpu_count() or 1
    return checked_integer("workers", workers, least=1)


def ascending(loads: Iterable[float]) -> list[float]:
    """The loads, each once; each a number in (0, 1]."""
    try:
        listed = [float(load) for load in loads]
    except (TypeError, ValueError):
        raise InputError("loads", "must be numbers in (0, 1]", loads) from None
    if not listed or not all(0 < load <= 1 for load in listed):
        raise InputError("loads", "must be numbers in (0, 1], at least one", listed)
    return sorted(set(listed))


@typed_arguments
def curve(
    communication: LccOrPairs,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    loads: Iterable[float] = LOADS,
    flits: int = 20,
    cycles: int = 100_000,
    seed: int = 1,
    mapping: Placement | Sequence[int] | None = None,
    *,
    tie: TieRule = "lowest-input",
    label: str = "",
    workers: int | None = None,
) -> Curve:
    """Simulate a communication at ascending loads, until one cannot be sustained.

    Args:
        communication, network, routing, flits, cycles, seed, mapping, tie: as for `simulate`.
        loads: any order; numbers in (0, 1].
        label: what figures call the curve; the routing function if left out.
        workers: threads; as many as there are cores if left out. The result does not depend on
            them.

    Raises:
        InputError: loads outside (0, 1], and whatever `simulate` raises.

    >>> from lccmodel.communication.catalog import build
    >>> from lccmodel.network import Hypercube
    >>> loads = (0.2, 0.4, 0.6)
    >>> latency_curve = curve(build("bit-reverse", 4), Hypercube(4), loads=loads, cycles=4000)
    >>> [(point.load, point.saturated) for point in latency_curve.points]
    [(0.2, False), (0.4, False), (0.6, True)]
    """
    asked = ascending(loads)
    simulation = Simulation.of(communication, network, routing, mapping, tie)
    points: list[Point] = []
    threads, rest = workers_of(workers), iter(asked)
    with ThreadPoolExecutor(threads) as pool:
        while chunk := list(islice(rest, threads)):
            run = [pool.submit(simulation.run, load, flits, cycles, seed) for load in chunk]
            points += [_point(future.result()) for future in run]
            if any(point.saturated for point in points):
                break
    last = next((k for k, point in enumerate(points) if point.saturated), len(points))
    return Curve(
        label or simulation.table.routing.name,
        simulation.sent.name,
        simulation.table.fabric.network,
        simulation.table.routing.name,
        _order(mapping),
        flits,
        cycles,
        seed,
        tie,
        tuple(points[: last + 1]),
    )


def _order(mapping: Placement | Sequence[int] | None) -> tuple[int, ...] | None:
    if mapping is None:
        return None
    return mapping.order if hasattr(mapping, "order") else tuple(mapping)


class _SustainedFields(NamedTuple):
    throughput: float
    interval: Interval
    brackets: tuple[tuple[float, float], ...]
    cycles: int
    runs: int


class Sustained(_SustainedFields, Answer, view="sustained"):
    """The highest throughput that can be sustained, in flits per cycle and sender.

    Attributes:
        throughput: its mean over the seeds.
        interval: 95 % confidence interval from the seeds, widened by half the tolerance; nan for
            a single seed.
        brackets: for every seed the highest load that was sustained and the lowest that was not.
        cycles: length of every simulation; the first half warms up.
        runs: how many simulations it took.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.wormhole import sustained_throughput
    >>> throughput = sustained_throughput(
    ...     catalog.bit_reverse(2), Hypercube(2), flits=4, cycles=2000, seeds=[1], tolerance=0.2
    ... )
    >>> 0 < throughput.throughput <= 1, throughput.runs
    (True, 3)
    """

    __slots__ = ()

    def __str__(self) -> str:
        return f"{self.throughput:.4f} {self.interval}"


@typed_arguments
def sustained_throughput(
    communication: LccOrPairs,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    flits: int = 20,
    cycles: int = 200_000,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    mapping: Placement | Sequence[int] | None = None,
    *,
    tolerance: float = 0.002,
    tie: TieRule = "lowest-input",
    workers: int | None = None,
) -> Sustained:
    """Bisect the load between sustained and saturated, with several seeds.

    Args:
        communication, network, routing, flits, mapping, tie: as for `simulate`.
        cycles: length of a simulation. Half of it warms up: close to saturation the queues take
            long to reach their lengths.
        seeds: one bisection each.
        tolerance: the width at which a bisection ends, in (0, 0.5].
        workers: threads, one for every seed; the result does not depend on them.

    Raises:
        InputError: no seeds, another tolerance, and whatever `simulate` raises.

    >>> from lccmodel.communication.catalog import build
    >>> from lccmodel.network import Hypercube
    >>> from lccmodel.wormhole.curves import highest_load
    >>> throughput = sustained_throughput(build("bit-reverse", 4), Hypercube(4), cycles=20000,
    ...     seeds=(1, 2), tolerance=0.02)
    >>> abs(throughput.throughput - highest_load(2, 20)) < 0.03  # the degree is 2; a short run
    True
    """
    listed = [checked_integer("seeds", seed) for seed in seeds]
    if not listed:
        raise InputError("seeds", "must be at least one", seeds)
    if not 0 < tolerance <= 0.5:
        raise InputError("tolerance", "must be in (0, 0.5]", tolerance)
    simulation = Simulation.of(communication, network, routing, mapping, tie)

    def bisect(seed: int) -> tuple[tuple[float, float], float, int]:
        runs: list[tuple[bool, float]] = []  # whether it was sustained, and its throughput

        def sustained(load: float) -> bool:
            result = simulation.run(load, flits, cycles, seed, cycles // 2)
            runs.append((not result.saturated, result.throughput))
            return not result.saturated

        bracket = bisect_load(sustained, tolerance)
        kept = [throughput for held, throughput in runs if held]  # of ascending loads
        return bracket, kept[-1] if kept else 0.0, len(runs)

    with ThreadPoolExecutor(workers_of(workers)) as pool:
        brackets, throughputs, runs = zip(*pool.map(bisect, listed), strict=True)
    mean, half = float(np.mean(throughputs)), float("nan")
    if len(listed) > 1:
        spread = float(np.std(throughputs, ddof=1)) / len(listed) ** 0.5
        half = tolerance / 2 + student(len(listed) - 1) * spread
    return Sustained(mean, Interval(mean - half, mean + half), brackets, cycles, sum(runs))


FIGURES = {5: "matrix-transpose", 6: "bit-reverse", 7: "reverse-flip"}
"""The communication of each of [hou, Figs 5 to 7]."""


OTHER_ORDER = (0, 7, 4, 3, 1, 6, 5, 2)
"""For n = 8, as good as M-G for all three communications by degree and by dimension.

Both orders turn the matrix transpose into exchanges of bits within 0..3 and within 4..7: M-G of
0 with 3 and 1 with 2, one inside the other; this one of 0 with 2 and 1 with 3, which cross.
"""


class FigureCurve(NamedTuple):
    """One curve of a figure: what is simulated, and a rule for ties if it needs one of its own."""

    label: str
    routing: str
    mapping: Any
    tie: TieRule | None = None


def candidates(figure: Literal[5, 6, 7] | int, n: int = 8) -> tuple[LCC, tuple[FigureCurve, ...]]:
    """The communication of a figure and its curves: routing functions, M-S and M-G.

    M-S is the optimal reordering for this communication, M-G the one for all three. For n = 8
    "M-G (2)" is another order that is as good by degree: `OTHER_ORDER`. Routing functions that the
    paper only cites are reconstructed under ties to the oldest, and their labels say so
    (`routing.cubes`).

    Raises:
        InputError: another figure.
    """
    from lccmodel.placement.mapping.solve import optimal_reordering

    if figure not in FIGURES:
        raise InputError("figure", "must be 5, 6 or 7", figure)
    three = [build(name, n) for name in FIGURES.values()]
    communication, cube = three[list(FIGURES).index(figure)], Hypercube(n)
    chosen = (
        FigureCurve("e-cube", "e-cube", None),
        FigureCurve("p-cube", "p-cube", None),
        FigureCurve("min", "minimum-restriction", None),
        FigureCurve("M-S", "e-cube", optimal_reordering(communication, cube)),
        FigureCurve("M-G", "e-cube", optimal_reordering(three, cube)),
    )
    other = (FigureCurve("M-G (2)", "e-cube", OTHER_ORDER),) if n == 8 else ()
    rebuilt = (
        FigureCurve(f"{rule.name} (reconstructed)", rule.name, None, "oldest")
        for rule in RECONSTRUCTED
    )
    return communication, (*chosen, *other, *rebuilt)


@typed_arguments
def figure_curves(
    figure: Literal[5, 6, 7] | int,
    loads: Iterable[float] = LOADS,
    cycles: int = 100_000,
    seed: int = 1,
    *,
    n: int = 8,
    flits: int = 20,
    tie: TieRule = "lowest-input",
    workers: int | None = None,
) -> tuple[Curve, ...]:
    """Return the curves of [hou, Fig 5, 6 or 7]: those of `candidates`.

    Args:
        figure: 5 matrix transpose, 6 bit reversal, 7 reverse flip.
        loads, cycles, seed, flits, tie, workers: as for `curve`.
        n: dimension of the hypercube.

    Raises:
        InputError: another figure, and whatever `curve` raises.

    >>> [found.label for found in figure_curves(6, loads=[0.05], cycles=1000, n=4)][:6]
    ['e-cube', 'p-cube', 'min', 'M-S', 'M-G', 'chiu (reconstructed)']
    """
    asked = ascending(loads)
    communication, chosen = candidates(figure, n)

    def one(candidate: FigureCurve) -> Curve:
        settings: Any = {"tie": candidate.tie or tie, "label": candidate.label, "workers": 1}
        fixed = (asked, flits, cycles, seed, candidate.mapping)
        return curve(communication, Hypercube(n), candidate.routing, *fixed, **settings)

    with ThreadPoolExecutor(workers_of(workers)) as pool:
        return tuple(pool.map(one, chosen))
