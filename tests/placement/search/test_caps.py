"""Budgets and caps of placements: at the limit, one below it, one above."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, Future
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import inf
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.kernels import jit
from lccmodel.kernels.jit import Clock
from lccmodel.network import RouteTable, parse_network
from lccmodel.placement.search import (
    annealing,
    bounds,
    embedding,
    exact,
    layouts,
    orders,
    place,
    problem,
    routes,
    solve,
    spectrum,
)
from lccmodel.placement.search import initial_placements as starts
from lccmodel.placement.search import search_budget as effort
from lccmodel.placement.search.distance_bounds import least_sums
from lccmodel.placement.search.problem import Demand, demand_of, judged, notes_of, weights_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.search_budget import Effort, Offer, Search
from lccmodel.problem import Problem

MOST = 1 << 60


def routes_of(word: str, largest: int = 1 << 36) -> Routes:
    return Routes.of(parse_network(word), largest)


def demand_on(word: str, pairs: Any, objective: str = "joint") -> tuple[Demand, Routes]:
    known = routes_of(word)
    return demand_of(Program.of(pairs), objective, None, known), known


# -- volumes as integers ------------------------------------------------------------------------


@pytest.mark.parametrize("share", ["distance", "mixture:1/3", "mixture:9/10", "mixture:1/999"])
@pytest.mark.parametrize(
    ("word", "largest"),
    [
        ("mesh:2", 9), ("mesh:5", 9), ("torus:4x3", 9), ("mesh:3x2,bandwidth=2:3", 9),
        ("mesh:3x2,bandwidth=5/2:7/3", 2), ("torus:3*2,bandwidth=9/2", 99), ("origin:1", 9),
        ("mesh:2,bandwidth=1000", 1 << 36), ("fattree:2x3x2/2x1", 9), ("dragonfly:2,3,1", 9),
    ],
)  # fmt: skip
def test_sums_of_a_mixture_are_exact_as_long_as_they_fit(
    word: str, largest: int, share: str
) -> None:
    """All volumes over the longest route, on the busiest channel too, as a mixture multiplies them.

    S channels (volume x dearest cost) + (1 - S) scale (volume x longest), over all denominators.
    """
    known, part = routes_of(word, largest), Fraction(share.partition(":")[2] or 0)
    network = parse_network(word)
    lengths = [network.distance(x, y) for x in range(network.size) for y in range(network.size)]
    longest, dearest = max(1, *lengths), max(known.cost.tolist(), default=1)
    whole = part.denominator * known.scale.denominator
    times = (part * network.n_channels * dearest + (1 - part) * known.scale * longest) * whole
    most = min(MOST // (longest * dearest), int(MOST / times))
    for volume, exactly in ((most - 1, True), (most, False)):
        sent = Traffic([(0, 1), (1, 0)], [volume - 1, 1])
        found = demand_of(Program.of(sent), share, None, known)
        assert (found.rounded is None) == exactly
        loads = found.loads(np.arange(2), known)
        assert 0 <= found.value(loads, known) <= MOST


@pytest.mark.parametrize("messages", [1, 2, 7])
def test_a_rounded_unit_is_the_least_power_of_ten_that_leaves_room(messages: int) -> None:
    """total < room x unit, and not of the next smaller unit; a room below 1000 is none."""
    pairs = [(k, k + 1) for k in range(messages)]
    for total in (Fraction(999), Fraction(1000), Fraction(1001), Fraction(10**9), Fraction(1, 7),
                  Fraction(10_000), Fraction(1, 1000), Fraction(20_000)):  # fmt: skip
        volumes = np.array([total / messages] * messages, object)
        program = Program.of(Traffic(pairs, volumes))
        for room in (1000, 1001, 2000, 10_000, 9999):
            _, unit = problem._rounded(program, [Fraction(1)], room + messages)
            assert total < room * unit
            assert total >= room * unit / 10
            power = unit if unit >= 1 else 1 / unit
            assert power.denominator == 1
            assert str(power.numerator) == "1" + "0" * (len(str(power.numerator)) - 1)
        with pytest.raises(CommunicationError, match="must be fewer messages"):
            problem._rounded(program, [Fraction(1)], 999 + messages)


def test_rounded_volumes_are_the_nearest_multiples_of_the_weighted_unit() -> None:
    """Volume times weight, in units of a power of ten, is off by half a unit at most."""
    phases = [
        Phase(Traffic([(0, 1), (1, 2)], [2**0.5, 1.0]), Fraction(1, 3)),
        Phase(Traffic([(2, 0)], [3**0.5]), Fraction(5)),
    ]
    program = Program(phases)
    parts, unit = problem._rounded(program, [Fraction(1, 3), Fraction(5)], 5000)
    for phase, (messages, volumes) in zip(phases, parts, strict=True):
        assert messages.tolist() == phase.traffic.messages.tolist()
        for volume, whole in zip(phase.traffic.volumes.tolist(), volumes.tolist(), strict=True):
            assert abs(Fraction(volume) * Fraction(phase.weight) - whole * unit) <= unit / 2


def test_notes_say_what_was_rounded_and_by_how_much() -> None:
    """A unit of one or more in digits, a smaller one as a decimal; bandwidths by their error."""
    demand, known = demand_on("mesh:3x2", [(0, 1)])

    def notes(rounded: Fraction | None, error: Fraction = Fraction(0)) -> list[str]:
        said = notes_of(replace(demand, rounded=rounded), replace(known, error=error))
        assert all(one.endswith("; values, bounds and proofs are of what is rounded")
                   for one in said)  # fmt: skip
        return [one.split("; ")[0] for one in said]

    what = "volumes times weights are rounded to multiples of"
    assert notes(None) == []
    assert notes(Fraction(1)) == [f"{what} 1"]
    assert notes(Fraction(1000)) == [f"{what} 1,000"]
    assert notes(Fraction(1, 1000)) == [f"{what} 0.001"]
    width = "bandwidths are rounded by at most 3e-08 of each"
    assert notes(None, Fraction(3, 10**8)) == [width]
    assert notes(Fraction(1), Fraction(3, 10**8)) == [f"{what} 1", width]


# -- what is known of a network -----------------------------------------------------------------


def test_where_there_is_no_link_no_bandwidth_is_rounded() -> None:
    """One switch alone, as a table and as an Origin: no channels, no error, nothing to pay."""
    graph = nx.Graph()
    graph.add_node(0, hosts=3)
    for network in (RouteTable.from_graph(graph), parse_network("origin:1")):
        known = Routes.of(network)
        assert (known.error, known.channels, known.longest) == (0, 0, 0)
        m = place([(0, 1)], network, over="placements", moves=0)
        assert (m.after.value, m.after.distance, m.rounding) == (0, 0, ())


def test_places_of_one_router_have_no_distance() -> None:
    """W(g) = 0 where no axis is left: all g places are at one router."""
    assert least_sums(routes_of("origin:1"), (1, 2)) == {1: 0, 2: 0}


@pytest.mark.parametrize("word", ["mesh:3x4,nodes=0-8", "dragonfly:2,2,1", "mesh:3,nodes=0:2"])
def test_of_very_many_listed_places_the_next_numbers_count_as_near(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One to either side, two, and so on, as many as would be kept of the nearest."""
    few = routes_of(word)
    assert few.ways.near.shape == (few.places, few.places - 1)
    monkeypatch.setattr(routes, "_NEAR", 4)
    assert routes_of(word).ways.near.tolist() == few.ways.near[:, :4].tolist()
    monkeypatch.setattr(routes, "MOST_MEASURED", few.places)
    assert routes_of(word).ways.near.tolist() == few.ways.near[:, :4].tolist()
    monkeypatch.setattr(routes, "MOST_MEASURED", few.places - 1)
    many, n = routes_of(word), few.places
    steps = (1, -1, 2, -2)[: (n - 1) // 2 * 2]
    assert many.ways.near.tolist() == [[(x + d) % n for d in steps] for x in range(n)]
    for x in range(n):
        assert many.distances_from(x).tolist() == few.distance[x].tolist()
    assert "distance" not in many.__dict__


@pytest.mark.parametrize("word", ["mesh:4x3*2", "torus:5x3", "fattree:2x3x2/2x1", "cube:3"])
def test_lengths_on_grids_and_trees_follow_however_large_they_are(
    word: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Digit by digit, or from the tree; only of listed places are they counted route by route."""
    known = routes_of(word)
    monkeypatch.setattr(routes, "MOST_MEASURED", 3)
    for router in range(known.routers):
        found = known.distances_from(router)
        assert (found.dtype, found.tolist()) == (np.int64, known.distance[router].tolist())


@pytest.mark.parametrize("objective", ["joint", "max-max", "max-sum", "sum-sum", "distance"])
def test_where_nothing_is_sent_over_channels_the_bound_is_nothing(objective: str) -> None:
    """No channels, and no messages: of all phases or of one."""
    alone, known = demand_on("origin:1", [(0, 1)], objective)
    assert bounds.lower_bound(alone, known).value == 0
    two = Program.of([Traffic([(0, 0)], ranks=4), Traffic([], ranks=4)])
    line = routes_of("mesh:4")
    silent = demand_of(two, objective, None, line)
    for bound in (bounds.lower_bound(silent, line), bounds.quick_bound(silent, line)):
        assert (bound.value, "nothing is sent" in bound.reason) == (0, True)


def test_what_is_good_enough_is_settled_without_a_look() -> None:
    """A start at the bound, and a program that sends nothing; one above it is searched."""
    demand, known = demand_on("mesh:4", [(0, 1), (1, 2), (2, 3), (3, 0)])
    start = np.arange(4)
    value = demand.value(demand.loads(start, known), known)
    for enough, visited in ((value, False), (value + 1, False), (value - 1, True)):
        found = exact.settle(demand, known, start, enough)
        assert (found.value, found.complete, found.visited > 0) == (value, True, visited)
    silent, _ = demand_on("mesh:4", Traffic([], ranks=4))
    assert exact.settle(silent, known, start, -1) == exact.Settled(start, 0, True, 0)


@pytest.mark.parametrize(
    ("word", "opened"),
    [
        ("torus:4x3", True), ("torus:2x3", True), ("torus:2x2", False), ("mesh:4x3", False),
        ("torus:3*2", True), ("torus:2*2", False), ("cube:3", False), ("fattree:2x3", False),
        ("torus:4x3,nodes=0-5", False),
    ],
)  # fmt: skip
def test_rings_of_three_or_more_are_cut_open(word: str, opened: bool) -> None:
    """The same channels but those that close a ring, on a line all distances."""
    known, found = routes_of(word), Routes.opened(parse_network(word))
    assert (found is not None) == opened
    if found is not None:
        assert found.axes[:, :2].tolist() == known.axes[:, :2].tolist()
        assert found.axes[:, 2].tolist() == [0] * len(known.axes)
        line = routes_of(word.replace("torus", "mesh"))
        assert found.distance.tolist() == line.distance.tolist()
        assert (found.places, found.ports) == (known.places, known.ports)


def test_costs_are_exact_up_to_the_largest_that_is_allowed() -> None:
    """1 / bandwidth = cost / scale; one less than the largest cost rounds them, and says it."""
    word = "mesh:3x2,bandwidth=6:35"
    for largest, exactly in ((35, True), (34, False)):
        known = routes_of(word, largest)
        assert (known.error == 0) == exactly
        assert int(known.cost.max()) == largest
    assert [k / known.scale for k in (35, 6)] != [Fraction(1, 6), Fraction(1, 35)]


# -- what a search goes through -----------------------------------------------------------------


def searching(seconds: float, offers: list[Offer], seed: int = 0) -> Search:
    """A search on a torus, its numbers of moves a second round."""
    rng = np.random.default_rng(3)
    sent = Traffic(rng.integers(0, 14, (40, 2)), rng.integers(1, 9, 40), 14)
    demand, known = demand_on("torus:4x4", sent)
    effort_ = Effort(seconds, seed, None, lambda text: None, Clock(600.0))
    natural = judged(demand, known, np.arange(14), "natural")
    return Search(demand, known, natural, effort_, offers)


def test_an_offer_costs_a_tenth_and_the_rest_when_something_comes() -> None:
    """However many placements it has; and none is made once one is good enough."""
    rng, made = np.random.default_rng(1), []

    def several(many: int) -> Iterator[tuple[str, np.ndarray]]:
        for k in range(many):
            made.append(k)
            yield f"no. {k}", rng.permutation(14)

    for many, spent in ((0, 0.02), (1, 0.2), (3, 0.2)):
        search = searching(1.0, [Offer(0.2, partial(several, many))])
        search.take_offers(0)
        assert search._offered == pytest.approx(spent)
        assert len(search._pool) == 1 + many
        assert search._pool == sorted(search._pool, key=lambda one: (one.value, one.distance))
        assert search.best is search._pool[0]
    made.clear()
    search = searching(1.0, [Offer(0.2, lambda: several(3)), Offer(0.1, lambda: several(1))])
    search.best = replace(search.best, value=10**9)
    search.take_offers(10**8)
    assert made == [0]
    assert len(search._waiting) == 1


def test_an_offer_that_is_always_taken_does_not_wait_for_its_turn() -> None:
    """Half a second of offers comes first; up to a second if stated; dearer ones wait."""
    taken: list[float] = []

    def offer(seconds: float, always: bool = False) -> Offer:
        def make() -> list[tuple[str, np.ndarray]]:
            taken.append(seconds)
            return []

        return Offer(seconds, make, always)

    search = searching(1.0, [offer(0.51), offer(0.9, True), offer(3.0, True), offer(1.0, True)])
    search.take_offers(0)
    assert taken == [0.9, 1.0]
    taken.clear()
    search = searching(1.0, [offer(0.51), offer(0.5)])
    search.take_offers(0)
    assert taken == [0.5]


def test_the_pool_is_the_eight_best_that_differ() -> None:
    search, rng = searching(1.0, []), np.random.default_rng(5)
    seen = {tuple(search.best.node_of.tolist()): search.best}
    for k in range(30):
        node_of = rng.permutation(16)[:14]
        for _ in range(2):
            search._keep(search.look_at(node_of, f"no. {k}"))
        seen[tuple(node_of.tolist())] = judged(search.demand, search.routes, node_of, "")
    price = sorted((one.value, one.distance) for one in seen.values())
    assert [(one.value, one.distance) for one in search._pool] == price[:8]


@pytest.mark.parametrize(
    ("stated", "offered", "searched", "left"),
    [(2.0, 0.25, 0.0, 1.75), (2.0, 1.5, 0.0, 1.0), (2.0, 1.0, 0.75, 0.25), (2.0, 0.0, 2.0, 0.0)],
)
def test_runs_have_half_of_the_time_or_what_offers_leave(
    stated: float, offered: float, searched: float, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """max(stated / 2, stated - offered) - searched, in moves; stages are numbered from 0."""
    asked: list[tuple[int, int, int]] = []

    def stage(self: Search, number: int, moves: int, enough: int) -> None:
        asked.append((number, moves, enough))
        self._searched += 0.125

    monkeypatch.setattr(Search, "_stage", stage)
    search = searching(stated, [])
    search._offered, search._searched, search._rate = offered, searched, 64.0
    search.improve(3)
    moves = [int(64 * (left - k / 8)) for k in range(int(left * 8))]
    assert asked == [(k, one, 3) for k, one in enumerate(moves) if one]
    asked.clear()
    search = searching(0.0, [])
    search._rate = 1.0
    search.effort = replace(search.effort, seconds=1.0)
    search.improve(search.best.value - 1)
    assert [one[:2] for one in asked] == [(0, 1)]
    asked.clear()
    search.improve(search.best.value)
    assert asked == []


def test_a_stage_is_two_runs_each_stage_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the best and from another of the pool in turn, seeds 1009 s + 2 stage + k, cut at left.

    A run of the first stage has rate / 200 moves, or a move a rank where that is more.
    """
    made: list[annealing.Run] = []

    class Idle(annealing.Descent):
        def __init__(self, demand: Demand, run: annealing.Run) -> None:
            made.append(run)
            super().__init__(demand, run)

        def advance(self, *_: Any) -> None:
            self._idle = True

    monkeypatch.setattr(effort, "searched_by", lambda *_: Idle)
    monkeypatch.setattr(effort, "moves_a_second", lambda *_: 1e5)
    rng = np.random.default_rng(2)
    for rate, each in ((10_000.0, 50), (200.0, 14)):
        search = searching(1.0, [], seed=3)
        for k in range(3):
            search._keep(search.look_at(rng.permutation(16)[:14], f"no. {k}"))
        search._rate = rate
        pool = [one.node_of.tolist() for one in search._pool]
        spent = 0.0
        for stage in range(5):
            for left in (10**6, 3 * each << stage >> 1, each << stage):
                made.clear()
                search._stage(stage, left, 5)
                spent += min(left, 2 * each << stage) / rate
                assert search._searched == pytest.approx(spent)
                starts_at = [run.start.tolist() for run in made]
                assert starts_at == [pool[0], pool[1 + stage % 3]]
                assert [run.moves for run in made] == [each << stage] * 2
                assert [run.seed for run in made] == [3027 + 2 * stage, 3028 + 2 * stage]
                assert [run.heat for run in made] == [0.1, 0.3]
                assert [run.enough for run in made] == [5, 5]
                assert [run.upto for run in made] == [left, max(0, left - (each << stage))]
    lone = searching(1.0, [])
    lone._stage(0, 10, 0)
    assert made[-1].start.tolist() == made[-2].start.tolist() == lone.best.node_of.tolist()


class Workers(Executor):
    """Takes runs, and answers when it is told to."""

    def __init__(self) -> None:
        self.taken: list[tuple[Future[Any], Any, int]] = []
        self.cancelled = 0

    def submit(self, work: Any, *given: Any) -> Any:
        future: Any = Future()
        future.cancel = lambda: setattr(self, "cancelled", self.cancelled + 1)
        self.taken.append((future, given[0], given[3]))
        return future


@pytest.mark.parametrize(
    ("answers", "waits"),
    [((), 13), ((0,), 3), ((1,), 4), ((5,), 8), ((11,), 13), ((12,), 13), ((1, 2), 4)],
)
def test_workers_that_never_answered_are_waited_for_two_minutes_and_others_not_at_all(
    answers: tuple[int, ...], waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten seconds each time: the clock of 0.5 + 10 s stands until the first answer, or 120.5 s."""
    now, asked, workers = [100.0], list[float](), Workers()

    def wait(waiting: Any, most: float, when: str) -> Any:
        assert when == "FIRST_COMPLETED"
        asked.append(most)
        now[0] += 10
        if len(asked) - 1 not in answers:
            return set(), set(waiting)
        future = next(iter(waiting))
        future.set_result(next(run for one, run, _ in workers.taken if one is future))
        return {future}, set(waiting) - {future}

    monkeypatch.setattr(effort, "wait", wait)
    monkeypatch.setattr(jit, "monotonic", lambda: now[0])
    monkeypatch.setattr(jit._compiling, "seconds", 0.0)
    search = searching(0.5, [])
    search.effort = replace(search.effort, clock=Clock(10.5), executor=workers)
    search._rate = 64.0
    plans = [annealing.Run(np.arange(14), 9, 0.1, k) for k in (1, 2)]
    runs = [annealing.Descent(search.demand, plan) for plan in plans]
    with pytest.raises(jit.OutOfTimeError):
        list(search._finished(runs))
    assert len(asked) == waits
    assert asked == [1.0] * (waits - 1) + [0.5]
    again = sum(a < waits for a in answers)
    assert [moves for *_, moves in workers.taken] == [12] * (2 + again)
    assert workers.cancelled == 2


def test_a_clock_that_never_cuts_stands_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs are handed out in their order when they are done, whichever is done first."""
    workers = Workers()

    def wait(waiting: Any, *_: Any) -> Any:
        future = list(waiting)[-1]
        run = next(run for one, run, _ in workers.taken if one is future)
        future.set_result(effort.advanced(run, search.demand, search.routes, 5))
        return {future}, set(waiting) - {future}

    monkeypatch.setattr(effort, "wait", wait)
    search = searching(1.0, [])
    search.effort = replace(search.effort, clock=Clock(inf), executor=workers)
    plans = [annealing.Run(np.arange(14), moves, 0.1, 3) for moves in (9, 0, 12)]
    runs = [annealing.Descent(search.demand, plan) for plan in plans]
    assert list(search._finished(runs)) == [0, 1, 2]
    assert all(run.done for run in runs)
    assert search.effort.clock.end == inf
    assert len(workers.taken) == 2 + 3
    for run, plan in zip(runs, plans, strict=True):
        here = annealing.Descent(search.demand, plan)
        here.advance(search.demand, search.routes, 99)
        assert run.best.tolist() == here.best.tolist()


@pytest.mark.parametrize(("rate", "moves"), [(640.0, 64), (15.0, 1), (1.0, 1), (29.9, 2)])
def test_a_run_looks_at_the_clock_ten_times_a_second(
    rate: float, moves: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here; where it is sent to and fro, five times. At least a move is made between."""
    made: list[int] = []

    class Counted(annealing.Descent):
        def advance(self, demand: Demand, known: Routes, many: int) -> None:
            made.append(many)
            self._idle = len(made) > 2

    checked: list[int] = []
    monkeypatch.setattr(Clock, "check", lambda self: checked.append(len(made)))
    search = searching(1.0, [])
    search._rate = rate
    run = Counted(search.demand, annealing.Run(np.arange(14), 9, 0.1, 1))
    assert list(search._finished([run])) == [0]
    assert made == [moves] * 3
    assert checked == [1, 2, 3]
    workers = Workers()
    monkeypatch.setattr(effort, "wait", lambda waiting, *_: (set(), waiting))
    monkeypatch.setattr(Clock, "check", lambda self: 1 / (len(workers.taken) == 0))
    search.effort = replace(search.effort, executor=workers)
    with pytest.raises(ZeroDivisionError):
        list(search._finished([annealing.Descent(search.demand, run_plan()) for _ in range(2)]))
    assert [many for *_, many in workers.taken] == [max(1, int(0.2 * rate))] * 2


def run_plan() -> annealing.Run:
    return annealing.Run(np.arange(14), 9, 0.1, 1)


def test_a_stage_that_is_cut_leaves_the_best_of_all_its_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of the one in progress and of those before; and a run that is good enough is the last."""
    seen: list[str] = []
    goals = [np.arange(2, 16), np.arange(1, 15)[::-1]]

    class Given(annealing.Descent):
        def __init__(self, demand: Demand, run: annealing.Run) -> None:
            super().__init__(demand, run)
            self._state = self._state._replace(best=goals[run.seed % 2])

        def advance(self, *_: Any) -> None:
            seen.append("advanced")
            self._idle = True

    monkeypatch.setattr(effort, "searched_by", lambda *_: Given)
    monkeypatch.setattr(effort, "moves_a_second", lambda *_: 1e5)
    for cut in (KeyboardInterrupt, jit.OutOfTimeError):
        search = searching(1.0, [])
        values = [judged(search.demand, search.routes, one, "").value for one in goals]
        search.best = replace(search.best, value=max(values) + 1)

        def stop(self: Any, cut: Any = cut) -> None:
            raise cut

        monkeypatch.setattr(Clock, "check", stop)
        with pytest.raises(cut):
            search._stage(0, 100, 0)
        assert search.best.value == min(values)
        assert search._searched == 0
    monkeypatch.setattr(Clock, "check", lambda self: None)
    for enough, runs in ((values[0], 1), (values[0] - 1, 2)):
        seen.clear()
        lines: list[str] = []
        search = searching(1.0, [])
        search.effort = replace(search.effort, progress=lines.append)
        search.best = replace(search.best, value=10**6)
        goals[1] = goals[0]
        search._stage(0, 100, enough)
        assert len(seen) == len(lines) == runs
        unit = search.demand.unit
        value = f"{values[0] * unit}, best {values[0] * unit}"
        assert set(lines) == {f"search from natural: {value}, 1 s left"}


def test_no_offer_is_made_once_the_best_is_good_enough() -> None:
    """At just what is enough already."""
    made: list[int] = []
    search = searching(1.0, [Offer(0.1, lambda: made.append(1) or [])])
    search.take_offers(search.best.value)
    assert made == []
    search.improve(search.best.value)
    assert made == []
    search.take_offers(search.best.value - 1)
    assert made == [1]


# -- what it starts from ------------------------------------------------------------------------


def starting(word: str, pairs: Any, coordinates: Any = None, seed: int = 0) -> starts.Starts:
    program, network = Program.of(pairs), parse_network(word)
    known = Routes.of(network)
    demand = demand_of(program, "joint", None, known)
    weights = weights_of(program, None)
    return starts.Starts(program, network, demand, known, weights, coordinates, seed)


RING = [(x, (x + 1) % 16) for x in range(16)]


def test_layouts_and_curves_share_the_looks_by_their_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Half for folds, half for curves; of two grids or three sets of points, an equal share."""
    asked: list[str] = []
    square: Any = np.stack(np.divmod(np.arange(16), 4), axis=1).astype(float)
    loose: Any = np.random.default_rng(2).random((16, 2))

    def endless(kind: str) -> Any:
        def make(*_: Any) -> Iterator[tuple[str, np.ndarray]]:
            while True:
                asked.append(kind)
                yield kind, np.arange(16)

        return make

    monkeypatch.setattr(starts, "laid_in_folds", endless("fold"))
    monkeypatch.setattr(starts, "along_curves", endless("curve"))
    for where, folds, curves in ((None, 12, 12), (square, 2 * 6, 3 * 4), (loose, 12, 2 * 6)):
        asked.clear()
        known = starting("torus:4x4", RING, where)
        assert len(list(known._layouts(24))) == len(asked)
        assert (asked.count("fold"), asked.count("curve")) == (folds, curves)


@pytest.mark.parametrize(
    ("look", "layouts_"), [(1e-9, 100), (0.002, 100), (0.01, 20), (0.2 / 13.5, 13), (0.1, 12)]
)
def test_as_many_layouts_as_a_fifth_of_a_second_has_looks(
    look: float, layouts_: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But twelve at least and a hundred at most; the offer costs that, and 2 us a message."""
    monkeypatch.setattr(starts, "look_seconds", lambda *_: look)
    known = starting("torus:4x4", RING)
    asked: list[int] = []
    monkeypatch.setattr(known, "_layouts", asked.append)
    for offer in known.offers():
        if offer.always and offer.seconds == pytest.approx(2e-6 * 16 + layouts_ * look):
            offer.make()
    assert asked == [layouts_]


@pytest.mark.parametrize(
    ("programme", "blocks", "look", "renamed", "codes"),
    [(0.15, 30.0, 1e-5, [(0.15, 0.15125)], 8),
     (0.15, 30.0, 1e-4, [(0.15, 0.15 + 0.0125), (0.6, 0.15 + 0.0125)], 8),
     (0.16, 30.1, 1e-3, [(0.15, 0.25), (0.6, 0.16 + 0.125)], 0),
     (0.6, 1.0, 1e-2, [(0.15, 0.3), (0.6, 0.6 + 0.6)], 8),
     (0.61, 1.0, 1e-2, [(0.15, 0.3), (0.6, 1.2), (0.61, 0.61)], 8)],
)  # fmt: skip
def test_orders_are_offered_for_what_the_programme_takes(
    programme: float, blocks: float, look: float, renamed: list[tuple[float, float]], codes: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """At once, later, and in full where that takes longer; blocks in Gray code up to 30 s.

    A descent over the 4 bits (5 with that of 16) takes 125 looks, if the time has as many; without
    a programme there are two. The second offer is left out if the first has all 3000 tries.
    """
    monkeypatch.setattr(effort, "look_seconds", lambda *_: look)
    monkeypatch.setattr(
        starts, "programme_seconds", lambda *_, gray=False: blocks if gray else programme
    )
    known = starting("torus:4x4", RING)
    asked: list[Any] = []
    monkeypatch.setattr(known, "_renamed", lambda seconds, tries: asked.append((seconds, tries)))
    monkeypatch.setattr(known, "_coded", lambda k: asked.append(k))
    found: list[tuple[Any, float]] = []
    for offer in known.offers():
        before = len(asked)
        if getattr(offer.make, "func", None) in (known._renamed, known._coded):
            offer.make()
        found += [(one, offer.seconds) for one in asked[before:]]
    tries = [effort.tries_within(seconds, known.demand, known.routes) for seconds in (0.15, 0.6)]
    expected: list[Any] = [
        ((seconds, [*tries, 0][k]), pytest.approx(cost))
        for k, (seconds, cost) in enumerate(renamed)
    ]
    assert [one for one in found if isinstance(one[0], tuple)] == sorted(
        expected, key=lambda one: renamed[expected.index(one)][1]
    )
    assert [one[0] for one in found if isinstance(one[0], int)] == list(range(codes))


def test_scotch_has_another_odd_seed_every_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight for each seed of the search, and none twice; on rings that are cut open, the first."""
    asked: list[tuple[int, bool]] = []

    def none(demand: Any, known: Any, seeds: Any) -> list[Any]:
        asked.extend((seed, bool(known.axes[0, 2])) for seed in seeds)
        return []

    monkeypatch.setattr(starts, "scotch_placements", none)
    for seed in range(3):
        known = starting("torus:5x3", RING[:14], seed=seed)
        for k in range(8):
            assert list(known._scotch(k)) == []
        assert list(known._scotch_opened()) == []
    closed = [seed for seed, ring in asked if ring]
    assert closed == list(range(1, 48, 2))
    assert [seed for seed, ring in asked if not ring] == [1, 17, 33]


def test_every_offer_of_scotch_is_another_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first before anything is searched."""
    calls: list[list[int]] = []
    monkeypatch.setattr(starts, "scotch_placements", lambda *given: calls.append(given[2]) or [])
    known = starting("mesh:5x3", RING[:14], seed=2)
    for offer in known.offers():
        list(offer.make())
        assert offer.always or calls[0][:1] == [33]
    assert [seed for seeds in calls for seed in seeds] == list(range(33, 49, 2))
    assert len(calls) == 1  # a process takes longer to start than to map with all of them


def test_scotch_maps_one_seed_at_a_time_where_that_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """More than a tenth of a nominal second each: nothing is mapped that may not be looked at."""
    calls: list[list[int]] = []
    monkeypatch.setattr(starts, "scotch_placements", lambda *given: calls.append(given[2]) or [])
    monkeypatch.setattr(starts, "scotch_seconds", lambda demand: 0.06)
    known = starting("mesh:5x3", RING[:14])
    for k in range(8):
        assert list(known._scotch(k)) == []
    assert calls == [[seed] for seed in range(1, 17, 2)]


@pytest.mark.parametrize(
    ("word", "many"), [("cube:1", 1), ("cube:2", 1), ("mesh:3", 0), ("mesh:3,nodes=1", 0)]
)
def test_orders_are_offered_on_two_places_or_a_larger_power_of_two(word: str, many: int) -> None:
    known = starting(word, Traffic([(0, 0)], ranks=1))
    offers = [one for one in known.offers() if getattr(one.make, "func", None) == known._renamed]
    assert len(offers) == many


def test_an_order_is_asked_for_what_it_may_cost_and_a_linear_map_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Down to a value of 0; a map that is the same order is not said twice."""
    asked: list[Any] = []
    found: list[Any] = []

    def order(*given: Any) -> Any:
        asked.append((given[5], given[6](0.25), given[6](0.2500001)))
        return orders.Renaming(np.arange(16), "an order", "", (0, 1, 2, 3))

    def linear(*given: Any) -> Any:
        asked.append(given[5:])
        return orders.Renaming(np.arange(16)[::-1], "a map", "", found.pop())

    monkeypatch.setattr(starts, "best_order_of_bits", order)
    monkeypatch.setattr(starts, "best_linear_map", linear)
    known = starting("torus:4x4", RING)
    for order_, names in (((0, 1, 2, 3), ["an order"]), (None, ["an order", "a map"])):
        asked.clear()
        found.append(order_)
        assert [name for name, _ in known._renamed(0.25, 77)] == names
        assert asked == [(77, True, False), (0, 77)]
    monkeypatch.setattr(starts, "best_order_of_bits", lambda *_: None)
    assert list(known._renamed(0.25, 77)) == []


def test_gray_codes_are_of_the_grid_that_was_stated_or_else_of_that_of_the_messages() -> None:
    """As many as the grid has choices of axes."""
    square = np.stack(np.divmod(np.arange(16), 2), axis=1).astype(float)
    for where, many in ((None, 2), (square, 2)):
        known = starting("torus:4x4", RING, where)
        assert len(known._grids) == 1 + (where is not None)
        found = [len(list(known._coded(k))) for k in range(4)]
        assert found == [1] * many + [0] * (4 - many)
    stated = starting("torus:4x4", RING, square)
    assert stated._grids[0].sides == (8, 2)


def test_all_messages_are_embedded_or_else_the_heaviest_that_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Level 0 asks for all of them, level 1 for less and less, until something is found."""
    parts = [np.array([[0, 1]]), np.array([[2, 3]]), np.array([[4, 5]]), np.array([[6, 7]])]
    asked: list[int] = []

    def found(demand: Demand, known: Routes) -> Any:
        asked.append(int(demand.source[0]) // 2)
        fits = asked[-1] >= least
        return embedding.FoundEmbedding(np.arange(16) if fits else None, not fits)

    monkeypatch.setattr(starts, "heavy_parts", lambda *_: iter(parts))
    monkeypatch.setattr(starts, "embedding", found)
    known = starting("torus:4x4", RING)
    for least, levels in (
        (0, ([0], [1])),
        (1, ([0], [1])),
        (2, ([0], [1, 2])),
        (9, ([0], [1, 2, 3])),
    ):
        for level, expected in enumerate(levels):
            asked.clear()
            names = [name for name, _ in known._embedded(level)]
            assert asked == expected
            assert len(names) == (expected[-1] >= least)
            assert all(("heavy" in name) == (level > 0) for name in names)


# -- the door -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "most"), [(0.0, 100_000), (0.5, 200_000), (2.5, 600_000)])
def test_an_exhaustive_search_gets_200_000_partial_placements_a_second(
    seconds: float, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And 100,000 more: the same limit gives the same answer everywhere."""
    limits = []

    def settled(demand: Demand, known: Routes, start: Any, enough: int, limit: int, *_: Any) -> Any:
        limits.append(limit)
        return exact.Settled(start, 9, False, limit)

    monkeypatch.setattr(solve, "settle", settled)
    monkeypatch.setattr(Search, "improve", lambda *_: None)
    star = Traffic([(x, y) for x in range(5) for y in range(5) if x != y], range(1, 21))
    assert not place(star, "mesh:7", "joint", "placements", seconds=seconds).optimal
    assert limits == [most, most]  # before the search, and after


@pytest.mark.slow
def test_only_networks_of_sixteen_places_are_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to eight before a search, up to sixteen after it."""
    calls: list[int] = []

    def settled(demand: Demand, known: Routes, start: Any, *_: Any) -> Any:
        calls.append(known.places)
        return exact.Settled(start, 9, False, 1)

    monkeypatch.setattr(solve, "settle", settled)
    monkeypatch.setattr(Search, "improve", lambda *_: None)
    star = Traffic([(x, y) for x in range(5) for y in range(5) if x != y], range(1, 21))
    for size, times in ((8, 2), (9, 1), (16, 1), (17, 0)):
        calls.clear()
        place(star, f"mesh:{size}", "joint", "placements", seconds=0)
        assert calls == [size] * times


def test_a_network_of_2_to_the_18_nodes_is_the_largest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solve, "MAX_NODES", 16)
    assert place([(0, 1)], "torus:4x4", over="placements", moves=0).after.value == 1
    with pytest.raises(SizeLimitError, match="must have at most 16 nodes"):
        place([(0, 1)], "torus:17", over="placements", moves=0)


@pytest.mark.parametrize("over", ["x", "order", 3])
def test_an_error_says_over_what_may_be_placed(over: Any) -> None:
    """Before it looks at how long to search."""
    for seconds in (0, -1):
        with pytest.raises(InputError, match="over: must be one of orders, linear, placements; "):
            place([(0, 1)], "mesh:2", over=over, seconds=seconds)


def test_all_placements_are_alike_where_every_two_ranks_exchange_the_same() -> None:
    """In every phase, with no place free; one message more, or one less, and they are not."""
    every = [(x, y) for x in range(4) for y in range(4) if x != y]
    for volumes, ranks, size, alike in (
        ([2] * 12, 4, 4, True), ([2] * 12, 4, 5, False), ([2] * 11 + [3], 4, 4, False),
        ([2] * 11 + [0], 4, 4, False),
    ):  # fmt: skip
        for phases in (1, 2):
            members = [Phase(Traffic(every, volumes, ranks))] * (phases - 1)
            members.append(Phase(Traffic(every, [7] * 12, ranks)))
            program = Program([Phase(Traffic(every, volumes, ranks)), *members])
            known = routes_of(f"mesh:{size}")
            found = demand_of(program, "max-sum", None, known)
            assert solve._is_alike(found, known) == alike


@pytest.mark.parametrize(("left", "waited"), [(30.0, 15.0), (0.0, 0.0), (-5.0, 0.0), (inf, None)])
def test_an_eigenvalue_is_waited_for_half_of_what_is_left(
    left: float, waited: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a thread that nobody waits for at the end; the bound without it comes first."""
    asked: list[Any] = []

    class Threads:
        def __init__(self, target: Any, daemon: bool) -> None:
            asked.append(daemon)
            self.run = target

        def start(self) -> None:
            asked.append("start")
            if left > 0:
                self.run()

        def join(self, seconds: float | None) -> None:
            asked.append(seconds)

    def bound(*_: Any, spectral: bool = True) -> bounds.Bound:
        asked.append(spectral)
        return bounds.Bound(2 + spectral, "")

    monkeypatch.setattr(solve, "Thread", Threads)
    monkeypatch.setattr(solve, "lower_bound", bound)
    monkeypatch.setattr(jit, "monotonic", lambda: 100.0)
    monkeypatch.setattr(jit._compiling, "seconds", 0.0)
    solver = a_solver(Clock(left))
    assert solver.full_bound.value == (3 if left > 0 else 2)
    assert solver.bound.value == 2
    assert asked == [False, True, "start", *([True] if left > 0 else []), waited]


def a_solver(clock: Clock, word: str = "torus:4x4") -> Any:
    program, network = Program.of(RING), parse_network(word)
    known = Routes.of(network)
    demand = demand_of(program, "joint", None, known)
    natural = judged(demand, known, np.arange(16), "natural numbering")
    effort_ = Effort(0.0, 0, None, lambda text: None, clock)
    return solve._Solver(
        program, network, demand, known, effort_, natural, None, (), None, Fraction(0)
    )


def test_no_better_bound_is_asked_for_where_the_first_is_met(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By natural numbering, or by something that is offered: the largest message decides."""
    monkeypatch.setattr(solve, "lower_bound", None)
    for sent in ([(0, 1), (2, 3)], [(0, 3), (1, 2), (3, 0)]):
        m = place(sent, "mesh:4", "joint", "placements")
        assert (m.after.value, m.lower_bound, m.optimal) == (1, 1, True)
        assert m.bound == "the largest message crosses a channel whole"


def test_of_equals_the_numbers_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """An order that gains neither value nor distance is the natural one; one that gains is not."""
    every = Traffic([(x, y) for x in range(8) for y in range(8) if x != y])
    other = orders.Renaming(np.array([0, 2, 1, 3, 4, 6, 5, 7]), "an order", "", (1, 0, 2))
    monkeypatch.setattr(solve, "best_order_of_bits", lambda *_: other)
    m = place(every, "cube:3", "joint", "orders")
    assert (m.order, m.found, m.node_of.tolist()) == ((0, 1, 2), "natural numbering", [*range(8)])
    m = place(Traffic([(0, 2)], ranks=8), "mesh:8", "joint", "orders")
    assert (m.order, m.found) == ((1, 0, 2), "an order")


def test_a_process_grid_that_is_asked_for_alone_has_its_coordinates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not where others are asked for, too; what is stated comes first."""
    grid = Problem.read("grid:4x2", "torus:4x2")
    assert solve._told(grid, None).tolist() == [[x, y] for x in range(4) for y in range(2)]
    assert solve._told(grid, "mine") == "mine"
    for words in (["grid:4x2", "grid:8"], ["bit-reverse"]):
        assert solve._told(Problem.read(words, "cube:3"), None) is None


def test_volumes_that_are_rounded_need_no_channels() -> None:
    """Two ranks of one router, with volumes that have no common unit."""
    odd = Traffic([(0, 1), (1, 0)], [2**0.5 + 1e-9, 3e-18])
    m = place(odd, "origin:1", over="placements", moves=0)
    assert (m.after.value, m.lower_bound) == (0, 0)
    assert len(m.rounding) == 1


# -- exchanges of bits, embeddings, curves, eigenvalues -----------------------------------------


def test_an_order_is_bettered_as_long_as_it_has_any_load() -> None:
    """One message from 0 to 5 on 4 x 4: load 1 from the start, two channels, at last one."""
    program, network = Program.of(Traffic([(0, 5)], ranks=16)), parse_network("torus:4x4")
    known = Routes.of(network)
    demand = demand_of(program, "joint", None, known)
    found = orders._counted(program, network, demand, known, 100, lambda seconds: False)
    assert network.distance(int(found.node_of[0]), int(found.node_of[5])) == 1


def test_a_descent_takes_the_first_move_that_helps() -> None:
    """From its answer on; it ends at once at what is enough, when none helps, or out of tries."""
    prices = {(0,): 9, (1,): 9, (2,): 5, (3,): 7, (4,): 4, (5,): 2, (6,): 1, (7,): 0}
    moves = {(0,): (1, 3, 2), (3,): (0, 4, 5), (4,): (3, 6, 5), (6,): (4, 7), (7,): (0, 1, 2)}
    way = [(0,), (0,), (3,), (3,), (4,), (4,), (6,), (6,), (7,), (7,), (7,), (7,), (7,)]
    for enough, last, most in ((0, 8, 8), (1, 6, 6), (4, 4, 4), (9, 0, 0), (-1, 8, 11)):
        for tries in range(len(way) + 3):
            asked: list[tuple[int, ...]] = []

            def price(one: tuple[int, ...], asked: Any = asked) -> tuple[int, float]:
                asked.append(one)
                return prices[one], 0.0

            found = orders._descended(
                (0,), price, lambda at: ((one,) for one in moves[at]), enough, tries
            )
            assert found == way[min(tries, last)]
            assert len(asked) == 1 + min(tries, most)


def test_of_two_equal_values_the_smaller_sum_of_fourth_powers_helps() -> None:
    """A search over placements goes by it, too."""
    demand, known = demand_on("mesh:5", Traffic([(0, 1), (2, 3)], [3, 2], 5))
    assert orders._price(np.array([0, 1, 2, 3, 4]), demand, known) == (3, 3**4 + 2**4)
    assert orders._price(np.array([0, 2, 3, 4, 1]), demand, known) == (3, 2 * 3**4 + 2**4)


def test_all_phases_at_once_are_one_row() -> None:
    phases = [[(0, 1), (1, 2)], [(2, 0)]]
    known = routes_of("mesh:3")
    for objective, rows in (("joint", 1), ("distance", 1), ("max-max", 2), ("sum-sum", 2)):
        found = demand_of(Program.of([Traffic(one) for one in phases]), objective, None, known)
        assert found.rows == rows
        assert found.loads(np.arange(3), known).shape == (rows, known.numbers)
        assert found.row.tolist() == ([0, 0, 0] if rows == 1 else [0, 0, 1])
        for k in range(rows):
            one = found.row_of(k)
            assert one.loads(np.arange(3), known).tolist() == [
                found.loads(np.arange(3), known)[k].tolist()
            ]


def test_networks_of_so_many_routers_are_searched_for_an_embedding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demand, known = demand_on("mesh:3x2", [(0, 3), (3, 4)])
    for most, searched in ((6, True), (5, False)):
        monkeypatch.setattr(embedding, "_MAX_ROUTERS", most)
        found = embedding.embedding(demand, known)
        assert ((found.node_of is not None), found.refused) == (searched, False)


def test_near_is_who_is_at_most_one_channel_away_there_and_back() -> None:
    """Routes of a table may differ: one channel there and two back is not near."""
    away = np.array([[0, 1, 1, 2], [1, 0, 2, 1], [2, 2, 0, 0], [1, 1, 0, 0]])
    known: Any = SimpleNamespace(tree=(), listed=True, distance=away, ports=1, routers=4)
    near = [(x, y) for x in range(4) for y in range(4) if x != y
            and away[x, y] <= 1 and away[y, x] <= 1]  # fmt: skip
    assert [tuple(one) for one in np.argwhere(embedding._near(known)).tolist()] == near


def test_silent_ranks_take_places_of_their_own() -> None:
    """Branch and bound places who sends; four others go to what is left, in their order."""
    demand, known = demand_on("mesh:7", Traffic([(0, 3), (3, 6)], [5, 4], 7))
    found = exact.settle(demand, known, np.array([0, 1, 2, 6, 4, 5, 3]))
    assert (found.value, found.complete) == (5, True)
    assert sorted(found.node_of.tolist()) == list(range(7))
    silent = found.node_of[[1, 2, 4, 5]].tolist()
    assert silent == sorted(silent)


@pytest.mark.parametrize(
    ("word", "most"),
    [("mesh:5", 2), ("torus:3x3", 4), ("mesh:4*3", 8), ("mesh:4*2", 5), ("cube:3", 3)],
)
def test_a_rank_has_as_many_partners_as_there_are_places_around_one(word: str, most: int) -> None:
    """Next to the best router and, where it has more places, at it: that many fit, no more."""
    for partners, refused in ((most, False), (most + 1, True)):
        demand, known = demand_on(word, [(0, k) for k in range(1, partners + 1)])
        found = embedding.embedding(demand, known)
        assert (found.node_of is None, found.refused) == (refused, refused)


@pytest.mark.parametrize("widest", [1, 2, 3, 700, 1022, 1023, 1024, 1025])
def test_whole_coordinates_are_kept_below_2_to_the_10(widest: int) -> None:
    """And scaled to 0..1023 from there on; halves always are."""
    points = np.arange(widest + 1).reshape(-1, 1)
    kept = points.tolist() if widest < 1024 else (points / widest * 1023).astype(int).tolist()
    assert layouts._whole(points + 7).tolist() == kept
    halves = np.concatenate([points, [[0.5]]])
    assert layouts._whole(halves).tolist() == (halves / widest * 1023).astype(int).tolist()


def test_eigenvalues_are_computed_of_so_many_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    """From two to the most; a space of fewer steps says less, and never too little."""
    rng = np.random.default_rng(4)
    demand, _ = demand_on("mesh:9", Traffic(rng.integers(0, 9, (30, 2)), ranks=9))
    whole = spectrum.sums_at_most(demand)
    for steps in (1, 2, 5):
        monkeypatch.setattr(spectrum, "_STEPS", steps)
        most = spectrum.sums_at_most(demand)
        assert all(a >= b - 1e-6 for a, b in zip(most, whole, strict=True))
        assert most[2] > whole[2] or steps == 5
    for ranks, known in ((9, True), (8, False)):
        monkeypatch.setattr(spectrum, "_MOST_RANKS", ranks)
        assert (bool(spectrum.sums_at_least(demand)), bool(spectrum.sums_at_most(demand))) == (
            known, known,
        )  # fmt: skip


def test_groups_are_looked_for_among_so_many_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three ranks that exchange all-to-all on a line need 2 x 4 channels, nearest places say 6."""
    every = [(x, y) for x in range(3) for y in range(3) if x != y]
    demand, known = demand_on("mesh:5", every)
    for most, totals in ((6, [6, 8]), (5, [6])):
        monkeypatch.setattr(bounds, "_MAX_GROUPED", most)
        assert [total for total, _, _ in bounds._distances(demand, known, False)] == totals


def test_of_very_many_listed_places_no_least_distance_is_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    demand, known = demand_on("mesh:3x3,nodes=0-6", [(0, 3), (3, 4), (2, 5)])
    for most, least in ((7, 3), (6, 0)):
        monkeypatch.setattr(bounds, "MOST_MEASURED", most)
        assert bounds.least_distance(demand, known) == least
