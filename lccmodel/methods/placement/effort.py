"""Restarts of the search: a fixed plan of runs, here or on other processes, in short slices.

The plan follows from the starts, the seed and the stated time alone, and results are taken in the
plan's order, so that one worker or many give the same answer. Between two slices the search sees
an interrupt (Ctrl-C), and the clock on a machine that is much too slow for its plan: then it ends
at once with the best placement so far, of runs in progress, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from copy import deepcopy
from dataclasses import dataclass
from time import monotonic

from lccmodel._arrays import Ints
from lccmodel._jit import compile_seconds
from lccmodel.methods.placement.annealing import Descent, Run, moves_within
from lccmodel.methods.placement.problem import Demand
from lccmodel.methods.placement.routes import Routes

__all__ = ["GRACE", "Budget", "Candidate", "Clock", "Effort", "OutOfTimeError", "Search", "judged"]


GRACE = 10.0
"""Seconds by which a search may exceed the stated time before the clock cuts it."""

_SLICE = 0.1
_SLICE_ELSEWHERE = 0.2
"""Nominal seconds between two looks at the clock, here and where a run is sent to and fro."""

_SILENCE = 120.0
"""Seconds after which workers that never answered are waited for no longer."""

_BEFORE = 0.4
_BEFORE_LEAST = 0.5
"""Part of the stated time that starts of the search may take, but at least so many seconds."""

_HEATS = (0.02, 0.15, 0.5)
_AGAIN = (0.03, 0.1)
"""Temperatures of the first runs, and of those that start from the best of them."""


class OutOfTimeError(Exception):
    """The stated time is over, and the grace."""


@dataclass(frozen=True)
class Candidate:
    """A placement, its value in units, its total of volume times distance, its history."""

    value: int
    distance: int
    node_of: Ints
    found: str


class Clock:
    """The time since it was made, less what kernels were compiled in.

    Attributes:
        end: seconds after which it cuts.
    """

    def __init__(self, end: float) -> None:
        self._began = monotonic() - compile_seconds()
        self.end = end

    @property
    def left(self) -> float:
        """Seconds until the clock cuts."""
        return self._began + compile_seconds() + self.end - monotonic()

    def check(self) -> None:
        """Raises: OutOfTimeError: the clock cuts."""
        if self.left <= 0:
            raise OutOfTimeError


class Budget:
    """Nominal seconds for what comes before the search and is taken off its time.

    >>> budget = Budget(10)
    >>> budget.affords(3), budget.affords(3), budget.left
    (True, False, 7.0)
    """

    def __init__(self, seconds: float) -> None:
        self._seconds, self._spent = seconds, 0.0
        self._most = max(_BEFORE_LEAST, _BEFORE * seconds)

    def affords(self, cost: float) -> bool:
        """Whether there is so much left; then it is spent."""
        fits = self._spent + cost <= self._most
        self._spent += cost if fits else 0.0
        return fits

    def share(self, part: float) -> float:
        """A part of what is left, which is spent."""
        cost = part * (self._most - self._spent)
        self._spent += cost
        return cost

    @property
    def left(self) -> float:
        """Nominal seconds for the search; at least half of what was stated."""
        return max(self._seconds / 2, self._seconds - self._spent)


@dataclass(frozen=True)
class Effort:
    """How much to search.

    Attributes: `seconds`, of one core, nominal; `seed`; `executor`, where runs go (here if None);
    `progress`, called with a line about every run; `clock`, which cuts a search that takes longer.
    """

    seconds: float
    seed: int
    executor: Executor | None
    progress: Callable[[str], None]
    clock: Clock


class Search:
    """A search in progress: the best placement so far, whatever stops it.

    Attributes:
        best: the best candidate that was looked at; never worse than the first.
    """

    def __init__(self, demand: Demand, routes: Routes, first: Candidate, effort: Effort) -> None:
        self.demand, self.routes, self.effort = demand, routes, effort
        self.best = first

    def look_at(self, node_of: Ints, found: str) -> Candidate:
        """Judge a placement; keep it if it is better, or as good with less distance."""
        candidate = judged(self.demand, self.routes, node_of, found)
        self.best = min(self.best, candidate, key=lambda one: (one.value, one.distance))
        return candidate

    def improve(self, starts: Sequence[Candidate], enough: int, seconds: float) -> None:
        """Search from all starts, and again from the best.

        Args:
            starts: at least one.
            enough: a placement of this value ends the search: nothing is better.
            seconds: nominal.

        Raises:
            OutOfTimeError: the clock cut it.
        """
        total = moves_within(seconds, self.demand, self.routes) if seconds > 0 else 0
        share = max(1, total * 6 // 10 // (len(starts) * len(_HEATS)))
        if not total or not len(self.demand.source):
            return
        self._stage([(s, heat, share) for s in starts for heat in _HEATS], enough, 0)
        if self.best.value > enough:
            again = max(1, total // 5)
            self._stage([(self.best, heat, again) for heat in _AGAIN], enough, 1)

    def _stage(
        self, plans: Sequence[tuple[Candidate, float, int]], enough: int, stage: int
    ) -> None:
        """Runs in the order of the plan, until one is good enough."""
        runs = [
            Run(start.node_of, moves, heat, self.effort.seed * 1009 + 31 * stage + k, enough)
            for k, (start, heat, moves) in enumerate(plans)
        ]
        descents = [Descent(self.demand, one) for one in runs]
        names = [f"search from {s.found.removeprefix('search from ')}" for s, _, _ in plans]
        try:
            for k in self._finished(descents):
                found = self.look_at(descents[k].best, names[k])
                self.effort.progress(f"{found.found}: {found.value * self.demand.unit}")
                if self.best.value <= enough:
                    break
        except (KeyboardInterrupt, OutOfTimeError):
            for descent, name in zip(descents, names, strict=True):
                self.look_at(descent.best, name)
            raise

    def _finished(self, descents: list[Descent]) -> Iterator[int]:
        """Advance the runs; yields which is done, in their order. Replaces entries of the list."""
        if self.effort.executor is not None:
            yield from self._finished_elsewhere(descents, self.effort.executor)
            return
        moves = moves_within(_SLICE, self.demand, self.routes)
        for k, descent in enumerate(descents):
            while not descent.done:
                descent.advance(self.demand, self.routes, moves)
                self.effort.clock.check()
            yield k

    def _finished_elsewhere(self, descents: list[Descent], executor: Executor) -> Iterator[int]:
        moves = moves_within(_SLICE_ELSEWHERE, self.demand, self.routes)
        clock = self.effort.clock
        last, silent = clock.left, True

        def sent(k: int) -> Future[Descent]:
            return executor.submit(advanced, descents[k], self.demand, self.routes, moves)

        waiting = {sent(k): k for k, one in enumerate(descents) if not one.done}
        try:
            for k, _ in enumerate(descents):
                while not descents[k].done:
                    self.effort.clock.check()
                    done, _ = wait(waiting, min(1.0, self.effort.clock.left), "FIRST_COMPLETED")
                    if silent:  # workers start and compile before their first answer
                        clock.end += last - clock.left
                        silent = not done and clock.end < self.effort.seconds + _SILENCE
                    for one in done:
                        which = waiting.pop(one)
                        descents[which] = one.result()
                        if not descents[which].done:
                            waiting[sent(which)] = which
                yield k
        finally:
            for one in waiting:
                one.cancel()


def advanced(descent: Descent, demand: Demand, routes: Routes, moves: int) -> Descent:
    """A run, so many moves later: what another process or thread does, on a copy."""
    later = deepcopy(descent)
    later.advance(demand, routes, moves)
    return later


def judged(demand: Demand, routes: Routes, node_of: Ints, found: str) -> Candidate:
    """A placement with its value and its total distance."""
    loads = demand.loads(node_of, routes)
    return Candidate(demand.value(loads, routes), int(loads.sum()), node_of, found)
