"""What the time of a search goes to: offers of placements and runs of moves, in one sequence.

The sequence follows from the problem and the seed alone; the stated time says where it ends. So
the same time gives the same answer with one worker or many, and more time is never worse: it goes
on where less would have stopped. Quick offers come first; dear ones when so much has been searched
that they take less than half of all time. Between come stages of two runs, from the best
placement so far and from another, each stage twice as long as the one before. Time is nominal: what
a core is taken for, by counts of the problem (the last section here), never measured.

Between two slices of a run the search sees an interrupt (Ctrl-C), and the clock on a machine that
is much too slow for its plan: then it ends at once with the best placement so far, of runs in
progress, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, wait
from copy import deepcopy
from dataclasses import dataclass
from math import comb, factorial, inf

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import Clock, OutOfTimeError
from lccmodel.network import Network
from lccmodel.placement.search.annealing import Descent, Run
from lccmodel.placement.search.assignment import (
    DistanceAnnealing,
    RowAnnealing,
    Tabu,
    child_of,
    searched_by,
    shifted,
)
from lccmodel.placement.search.problem import Candidate, Demand, judged
from lccmodel.placement.search.routes import Routes

GRACE = 10.0
"""Seconds by which a search may exceed the stated time before the clock cuts it."""

_SLICE = 0.1
_SLICE_ELSEWHERE = 0.2
"""Nominal seconds between two looks at the clock, here and where a run is sent to and fro."""

_SILENCE = 120.0
"""Seconds after which workers that never answered are waited for no longer."""

_AT_ONCE = 0.5
_LATER = 0.6
"""Nominal seconds of offers before the first run; later, their part of the time of all runs."""

_ALWAYS = 1.0
"""Nominal seconds up to which an offer is made before anything is searched, whatever the time."""

_NOTHING = 0.1
"""What is spent on an offer that has nothing to offer, such as a grid where there is none."""

_FIRST_RUN = 0.005
"""Nominal seconds of each run of the first stage; at least a move a rank."""

_HEATS = (0.1, 0.3)
"""Temperatures of a stage's runs: one from the best placement, one from another."""

_POOL = 8
"""Placements that runs start from, the best of all."""

_COOLING_HEATS, _ROW_HEATS = (0.08, 0.8), (0.1, 0.3)
"""The same for `DistanceAnnealing` and `RowAnnealing`: the second forgets where it starts."""

_FAMILY = 20
"""Placements that `Tabu` has children of."""

_TABU_STEPS = 30
"""Steps of a `Tabu` run, a place."""


def _price(candidate: Candidate) -> tuple[int, int]:
    return candidate.value, candidate.distance


@dataclass(frozen=True)
class Offer:
    """Placements that may be a start of the search.

    Attributes:
        seconds: nominal, what making them is taken for.
        make: gives them by and by, each with a name, or what is to be said of how it was found.
        always: whether it is taken before anything is searched, if it takes a second at most.
    """

    seconds: float
    make: Callable[[], Iterable[tuple[str, Ints]]]
    always: bool = False


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


def _is_due(offer: Offer, room: float) -> bool:
    """Whether an offer is made before anything is searched, or has its share of the time."""
    return offer.seconds <= room or (offer.always and offer.seconds <= _ALWAYS)


class Search:
    """A search in progress: the best placement so far, whatever stops it.

    Attributes:
        best: the best candidate that was looked at; never worse than the first.
    """

    Method = Descent | Tabu | RowAnnealing | DistanceAnnealing

    def __init__(
        self,
        demand: Demand,
        routes: Routes,
        first: Candidate,
        effort: Effort,
        offers: Sequence[Offer] = (),
    ) -> None:
        self.demand, self.routes, self.effort = demand, routes, effort
        self.best, self._pool = first, [first]
        self._waiting, self._offered, self._searched = list(offers), 0.0, 0.0
        self._stages = 0
        self._rate, self._method = moves_a_second(demand, routes), searched_by(demand, routes)

    def look_at(self, node_of: Ints, found: str) -> Candidate:
        """Judge a placement; keep it if it is better, or as good with less distance."""
        candidate = judged(self.demand, self.routes, node_of, found)
        self.best = min(self.best, candidate, key=_price)
        return candidate

    def take_offers(self, enough: int) -> None:
        """Look at what is offered, as far as it is due, until something is good enough.

        Raises:
            OutOfTimeError: the clock cut it.
        """
        while self.best.value > enough and self._waiting:
            room = max(_AT_ONCE, _LATER * self._searched) - self._offered
            waiting = self._waiting
            due = next((offer for offer in waiting if _is_due(offer, room)), None)
            if due is None:
                return
            waiting.remove(due)
            self._offered += due.seconds * _NOTHING
            for k, (how, node_of) in enumerate(due.make()):
                self._offered += 0 if k else due.seconds * (1 - _NOTHING)
                self._keep(self.look_at(node_of, how))
                self.effort.clock.check()
                if self.best.value <= enough:
                    return

    def improve(self, enough: int, stages: float = inf) -> None:
        """Stages of runs with what is offered between them, to the end of the time.

        Args:
            enough: a placement of this value ends the search: nothing is better.
            stages: after so many in all it may be called again.

        Raises:
            OutOfTimeError: the clock cut it.
        """
        while self._stages < stages:
            self.take_offers(enough)
            moves = int(self._left(self._searched) * self._rate)
            if moves < 1 or self.best.value <= enough:
                return
            self._stage(self._stages, moves, enough)
            self._stages += 1

    def _keep(self, candidate: Candidate) -> None:
        """Put a placement among those to start from, if it is one of the best of them."""
        if not any(np.array_equal(candidate.node_of, other.node_of) for other in self._pool):
            most = _FAMILY if self._method is Tabu else _POOL
            self._pool = sorted([*self._pool, candidate], key=_price)[:most]

    def _stage(self, stage: int, left: int, enough: int) -> None:
        """Runs in the order of the plan, until one is good enough or no moves are left."""
        each, starts = self._family(stage) if self._method is Tabu else self._pair(stage)
        runs = []
        for k, (start, heat, _) in enumerate(starts):
            seed = self.effort.seed * 1009 + len(starts) * stage + k
            runs.append(Run(start, each, heat, seed, enough, max(0, left - k * each)))
        descents: list[Search.Method] = [self._method(self.demand, run) for run in runs]
        names = [name for _, _, name in starts]
        try:
            for k in self._finished(descents):
                candidate = self.look_at(descents[k].best, names[k])
                self._keep(candidate)
                spent = self._searched + min(left, (k + 1) * each) / self._rate
                self.effort.progress(
                    f"{candidate.found}: {candidate.value * self.demand.unit}, best "
                    f"{self.best.value * self.demand.unit}, {self._left(spent):.0f} s left"
                )
                if self.best.value <= enough:
                    break
        except (KeyboardInterrupt, OutOfTimeError):
            for descent, name in zip(descents, names, strict=True):
                self.look_at(descent.best, name)
            raise
        self._searched += min(left, len(runs) * each) / self._rate

    def _left(self, spent: float) -> float:
        """The nominal seconds that are left to search."""
        stated = self.effort.seconds
        return max(0.0, max(stated / 2, stated - self._offered) - spent)

    def _pair(self, stage: int) -> tuple[int, list[tuple[Ints, float, str]]]:
        """Moves of a run, and its starts with their heats: the best placement and another."""
        each = max(self.demand.ranks, int(_FIRST_RUN * self._rate)) << stage
        others = self._pool[1:] or self._pool
        chosen = (self.best, others[stage % len(others)])
        heats = {DistanceAnnealing: _COOLING_HEATS, RowAnnealing: _ROW_HEATS}.get(
            self._method, _HEATS
        )
        return each, [
            (start.node_of, heat, f"search from {start.found.removeprefix('search from ')}")
            for start, heat in zip(chosen, heats, strict=True)
        ]

    def _family(self, stage: int) -> tuple[int, list[tuple[Ints, float, str]]]:
        """Steps of a `Tabu` run, and its starts: first one of the pool and any, then their kin."""
        places = self.routes.places
        each = places * _TABU_STEPS
        random = np.random.default_rng((self.effort.seed, stage))
        starts = []
        for k in range(2):
            if stage < _FAMILY // 2:
                offered = self._pool[stage % len(self._pool)]
                start = random.permutation(places)[: self.demand.ranks]
                name = "tabu search from a random placement"
                if not k and stage < len(self._pool):
                    start = offered.node_of
                    name = f"tabu search from {offered.found.removeprefix('tabu search from ')}"
            else:
                first, second = random.choice(len(self._pool), 2, replace=len(self._pool) < 2)
                parents = self._pool[first].node_of, self._pool[second].node_of
                start = child_of(*parents, places, random)
                name = "tabu search from a child of two placements"
                if k:
                    start = shifted(parents[0], places, random)
                    name = "tabu search from a placement with some ranks exchanged"
            starts.append((start, 0.0, name))
        return each, starts

    def _finished(self, descents: list[Search.Method]) -> Iterator[int]:
        """Advance the runs; yields which is done, in their order. Replaces entries of the list."""
        if self.effort.executor is not None:
            yield from self._finished_elsewhere(descents, self.effort.executor)
            return
        moves = max(1, int(_SLICE * self._rate))
        for k, descent in enumerate(descents):
            while not descent.done:
                descent.advance(self.demand, self.routes, moves)
                self.effort.clock.check()
            yield k

    def _finished_elsewhere(
        self, descents: list[Search.Method], executor: Executor
    ) -> Iterator[int]:
        moves = max(1, int(_SLICE_ELSEWHERE * self._rate))
        clock = self.effort.clock
        last, silent = clock.left, True

        def advanced_here(k: int) -> Search.Method:
            return advanced(descents[k], self.demand, self.routes, moves)

        def sent(k: int) -> Future[Search.Method]:
            try:
                return executor.submit(advanced, descents[k], self.demand, self.routes, moves)
            except Exception as error:
                if not _is_of_a_lost_worker(error):
                    raise
                done: Future[Search.Method] = Future()
                done.set_result(advanced_here(k))
                return done

        waiting = {sent(k): k for k, run in enumerate(descents) if not run.done}

        def arrived(patience: float) -> list[int]:
            """Enter results; no reference is left, or a cluster would keep and recompute them."""
            done, _ = wait(waiting, patience, "FIRST_COMPLETED")
            entered = []
            for future in done:
                which = waiting.pop(future)
                error = future.exception()
                if error is None:
                    descents[which] = future.result()
                elif _is_of_a_lost_worker(error):  # the same moves, whoever makes them
                    descents[which] = advanced_here(which)
                else:
                    raise error
                entered.append(which)
            return entered

        try:
            for k, _ in enumerate(descents):
                while not descents[k].done:
                    clock.check()
                    entered = arrived(min(1.0, clock.left))
                    if (
                        silent and clock.end < inf
                    ):  # workers start and compile before their first answer
                        clock.end += last - clock.left
                        silent = not entered and clock.end < self.effort.seconds + _SILENCE
                    for which in entered:
                        if not descents[which].done:
                            waiting[sent(which)] = which
                yield k
        finally:
            for run in waiting:
                run.cancel()


def _is_of_a_lost_worker(error: BaseException) -> bool:
    """Whether a process died under its task, or a cluster gave the task up or has gone."""
    is_of_cluster = type(error).__module__.partition(".")[0] == "distributed"
    return is_of_cluster or isinstance(error, BrokenExecutor)


def advanced(descent: Search.Method, demand: Demand, routes: Routes, moves: int) -> Search.Method:
    """A run, so many moves later: what another process or thread does, on a copy."""
    later = deepcopy(descent)
    later.advance(demand, routes, moves)
    return later


# -- what work is taken for, in seconds of one core -----------------------------------------------

_MOVE: dict[type[Search.Method], tuple[float, float]] = {
    Descent: (1.1e-7, 3.7e-8),
    Tabu: (1e-6, 1e-9),  # with its share of making a run, which is short
    RowAnnealing: (1e-8, 5.5e-10),
    DistanceAnnealing: (1.5e-7, 3e-8),
}
"""Seconds of a move: a fixed part, and that of a unit of work (`moves_a_second`)."""
# An EPYC core of 2026 took 0.6 to 1.4 times as long in eight of ten of 300 cases of 6 to 512 ranks.

_UPDATES_A_SECOND = 4e8
_LOOK = 1.5e-5
"""Channel updates when the messages of a placement are counted, and what that takes at least."""

_COUNTS_A_SECOND = 1e9
"""Messages times sets times orders of a block, in the subset programme."""

_TRY = 2.0
"""The work of counting a message's channels, in updates."""

MOST_TRIES = 3000
"""Most renamings whose messages are counted in one descent."""


def moves_a_second(demand: Demand, routes: Routes) -> float:
    """How many proposals of a run, from the work of one: distances, rows, or messages' channels."""
    method = searched_by(demand, routes)
    work = {Tabu: float(routes.places**2), RowAnnealing: demand.ranks}
    # tables that no cache holds: 4,096 ranks take twice as long, and as many routers 6 times
    per_rank = 2 * len(demand.source) / demand.ranks * (1 + demand.ranks / 4000)
    if method is Descent:
        work[Descent] = per_rank * (1 + float(routes.distances_from(routes.centre).mean()))
    elif method is DistanceAnnealing:
        work[DistanceAnnealing] = per_rank * (1 + routes.routers / 1000)
    fixed, unit = _MOVE[method]
    return 1 / (fixed + unit * work[method])


def packing_seconds(places: int) -> float:
    """A `Tabu` search on some of the places, of 100 steps for each."""
    fixed, unit = _MOVE[Tabu]
    return 100 * places * (fixed + unit * places**2)


def look_seconds(demand: Demand, routes: Routes) -> float:
    """Counting the messages of one placement."""
    typical = float(routes.distances_from(routes.centre).mean()) + len(routes.axes)
    work = _TRY * len(demand.source) * typical + routes.numbers + demand.ranks
    return _LOOK + work / _UPDATES_A_SECOND


def tries_within(seconds: float, demand: Demand, routes: Routes) -> int:
    """Renamings whose messages can be counted in so many seconds; at most 3000."""
    return min(MOST_TRIES, int(seconds / look_seconds(demand, routes)))


def renaming_seconds(tries: int, demand: Demand, routes: Routes) -> float:
    """A descent over bits of at most so many renamings; with n bits most end within n^3."""
    return min(tries, routes.places.bit_length() ** 3) * look_seconds(demand, routes)


def programme_seconds(messages: int, network: Network, routes: Routes, gray: bool = False) -> float:
    """Return the seconds of the subset programme, if all its steps are priced.

    A set of bits is corrected axis by axis, after the bits inside of a router are chosen; an axis
    of k bits has k! orders of them. Of axes of one bit, all steps after a set are one count.
    """
    n, inside = network.n, routes.ports.bit_length() - 1
    widths = [] if len(routes.tree) else [
        length.bit_length() - 1 for length in routes.axes[:, 1].tolist()
    ]  # fmt: skip
    counts, corrected = 0, 0
    for width in widths:
        left = n - inside - corrected
        sets = comb(n - inside, corrected)
        counts += sets * (2 if width == 1 else comb(left, width) * (1 + factorial(width)))
        corrected += width
    counts = comb(n, inside) * counts * (1 + gray) if counts else 1 << network.n
    return messages * counts / _COUNTS_A_SECOND


def bisection_seconds(demand: Demand, routes: Routes) -> float:
    """A placement by cuts: ranks, cuts and exchanges."""
    cuts = routes.routers.bit_length()
    return 1.2e-8 * cuts * (demand.ranks * min(100, demand.ranks) + 20 * len(demand.source))


def growth_seconds(demand: Demand, routes: Routes) -> float:
    """A placement by growth: ranks one by one, each with its messages on all routers."""
    ranks, places = demand.ranks, routes.places
    return ranks * (1.5e-5 + 3e-8 * max(ranks, places)) + 3e-9 * len(demand.source) * routes.routers


def scotch_seconds(demand: Demand) -> float:
    """A mapping by Scotch: edges and ranks; less by half than it may take."""
    return 4e-6 * (len(demand.source) + demand.ranks)


def embedding_seconds(demand: Demand, routes: Routes) -> float:
    """Most searches for an embedding: most end soon."""
    return 4e-9 * (demand.ranks**2 + routes.routers**2) + 4e-8 * len(demand.source)
