"""Latency against throughput, and what can be sustained [hou, section 6.1, Figs 5 to 7].

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
from typing import TYPE_CHECKING, NamedTuple

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, checked_integer
from lccmodel.network import Network
from lccmodel.routing import RoutingFunction
from lccmodel.views import Viewed
from lccmodel.wormhole.simulation import Simulation, SimulationResult
from lccmodel.wormhole.statistics import Interval
from lccmodel.wormhole.timing import TieRule

if TYPE_CHECKING:
    from lccmodel.methods.placed import Placement

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
class Curve(Viewed, view="curve"):
    """A communication at ascending loads, up to the first that cannot be sustained.

    Attributes:
        label: what figures call it.
        communication, network, routing: what was simulated.
        order: the reordering, None without one.
        flits, cycles, seed, tie: as for `simulate`.
        points: one for every load that was simulated; only the last may be saturated.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.wormhole import curve
    >>> found = curve(catalog.bit_reverse(2), Hypercube(2), "e-cube", [0.1], 4, 400, 1)
    >>> [point.load for point in found.points]
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
    """No higher load can be sustained with one path for every message: F / ((F + 1) k).

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
    return Point(
        result.load,
        result.throughput,
        result.throughput_interval,
        result.latency,
        result.interval,
        result.waiting,
        result.saturated,
        bool(result.deadlock),
        result.settled,
    )


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
    >>> found = curve(build("bit-reverse", 4), Hypercube(4), loads=(0.2, 0.4, 0.6), cycles=4000)
    >>> [(point.load, point.saturated) for point in found.points]
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
