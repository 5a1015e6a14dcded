"""Restarts of the search: a fixed plan of runs, here or on other processes.

The plan follows from the starts, the seed and the time alone, and results are taken in the
plan's order, so that one worker or many give the same answer. An interrupt (Ctrl-C) ends the
search and leaves the best run so far.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel.methods.placement.annealing import Run, moves_within, run
from lccmodel.methods.placement.problem import Demand
from lccmodel.methods.placement.routes import Routes

__all__ = ["Candidate", "Effort", "improved"]

Integers = npt.NDArray[np.int64]

_HEATS = (0.02, 0.15, 0.5)
_AGAIN = (0.03, 0.1)
"""Temperatures of the first runs, and of those that start from the best of them."""


@dataclass(frozen=True)
class Candidate:
    """A placement, its value in units, its total of volume times distance, its history."""

    value: int
    distance: int
    node_of: Integers
    found: str


@dataclass(frozen=True)
class Effort:
    """How much to search.

    Attributes: `seconds`, of one core, nominal; `seed`; `executor`, where runs go (here if None);
    `progress`, called with a line about every run.
    """

    seconds: float = 10.0
    seed: int = 0
    executor: Executor | None = None
    progress: Callable[[str], None] = lambda text: None


def improved(
    demand: Demand, routes: Routes, starts: Sequence[Candidate], enough: int, effort: Effort
) -> tuple[Candidate, bool]:
    """The best placement of the starts and of the runs from them; whether it was interrupted.

    Args:
        demand, routes: the problem.
        starts: at least one.
        enough: a placement of this value ends the search: nothing is better.
        effort: how much.
    """
    best = min(starts, key=_rank)
    total = moves_within(effort.seconds, demand, routes)
    shares = len(starts) * len(_HEATS)
    first = [
        (start, heat, max(1, total * 6 // 10 // shares)) for start in starts for heat in _HEATS
    ]
    try:
        for stage in range(2):
            if best.value <= enough:
                break
            again = [(best, heat, max(1, total // 5)) for heat in _AGAIN]
            plans = first if stage == 0 else again
            for found in _results(demand, routes, plans, effort, stage):
                best = min(best, found, key=_rank)
                effort.progress(f"{found.found}: {found.value * demand.unit}")
                if best.value <= enough:
                    break
    except KeyboardInterrupt:
        return best, True
    return best, False


def _rank(candidate: Candidate) -> tuple[int, int]:
    return candidate.value, candidate.distance


def _results(
    demand: Demand,
    routes: Routes,
    plans: Sequence[tuple[Candidate, float, int]],
    effort: Effort,
    stage: int,
) -> Iterator[Candidate]:
    """The runs' results in the order of the plan, however they are executed."""
    runs = [
        Run(start.node_of, moves, heat, effort.seed * 1009 + 31 * stage + k)
        for k, (start, heat, moves) in enumerate(plans)
    ]
    if effort.executor is None:
        found: Iterator[Integers] = (run(demand, routes, one) for one in runs)
        yield from _judged(demand, routes, found, plans)
        return
    waiting = [effort.executor.submit(run, demand, routes, one) for one in runs]
    try:
        yield from _judged(demand, routes, (one.result() for one in waiting), plans)
    finally:
        for one in waiting:
            one.cancel()


def _judged(
    demand: Demand,
    routes: Routes,
    found: Iterator[Integers],
    plans: Sequence[tuple[Candidate, float, int]],
) -> Iterator[Candidate]:
    for node_of, (start, _, _) in zip(found, plans, strict=False):
        origin = start.found.removeprefix("search from ")
        yield judged(demand, routes, node_of, f"search from {origin}")


def judged(demand: Demand, routes: Routes, node_of: Integers, found: str) -> Candidate:
    """A placement with its value and its total distance."""
    loads = demand.loads(node_of, routes)
    return Candidate(demand.value(loads, routes), int(loads.sum()), node_of, found)
