"""The throughput that can be sustained: the highest load whose latency settles, by bisection."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, checked_integer
from lccmodel.network import Network
from lccmodel.routing import RoutingFunction
from lccmodel.views import Viewed
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.statistics import Interval, bisect_load, student
from lccmodel.wormhole.timing import TieRule

if TYPE_CHECKING:
    from lccmodel.methods.placed import Placement
from lccmodel.wormhole.curves import LccOrPairs, workers_of


class _SustainedFields(NamedTuple):
    throughput: float
    interval: Interval
    brackets: tuple[tuple[float, float], ...]
    cycles: int
    runs: int


class Sustained(_SustainedFields, Viewed, view="sustained"):
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
    >>> found = sustained_throughput(
    ...     catalog.bit_reverse(2), Hypercube(2), flits=4, cycles=2000, seeds=[1], tolerance=0.2
    ... )
    >>> 0 < found.throughput <= 1, found.runs
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
    >>> found = sustained_throughput(build("bit-reverse", 4), Hypercube(4), cycles=20000,
    ...     seeds=(1, 2), tolerance=0.02)
    >>> abs(found.throughput - highest_load(2, 20)) < 0.03  # the degree is 2; a short run
    True
    """
    listed = [checked_integer("seeds", seed) for seed in seeds]
    if not listed:
        raise InputError("seeds", "must be at least one", seeds)
    if not 0 < tolerance <= 0.5:
        raise InputError("tolerance", "must be in (0, 0.5]", tolerance)
    simulation = Simulation.of(communication, network, routing, mapping, tie)

    def bisect(seed: int) -> tuple[float, float, float, int]:
        throughputs: list[float] = []  # of the loads that were sustained, ascending
        runs = 0

        def sustained(load: float) -> bool:
            nonlocal runs
            result = simulation.run(load, flits, cycles, seed, cycles // 2)
            runs += 1
            if not result.saturated:
                throughputs.append(result.throughput)
            return not result.saturated

        low, high = bisect_load(sustained, tolerance)
        return low, high, throughputs[-1] if throughputs else 0.0, runs

    with ThreadPoolExecutor(workers_of(workers)) as pool:
        found = list(pool.map(bisect, listed))
    throughputs = np.array([throughput for _, _, throughput, _ in found])
    brackets = tuple((low, high) for low, high, _, _ in found)
    mean, half = float(throughputs.mean()), float("nan")
    if len(found) > 1:
        spread = float(throughputs.std(ddof=1)) / len(found) ** 0.5
        half = tolerance / 2 + student(len(found) - 1) * spread
    interval = Interval(mean - half, mean + half)
    return Sustained(mean, interval, brackets, cycles, sum(runs for *_, runs in found))
