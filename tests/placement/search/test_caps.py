"""Budgets and caps of placements: at the limit, one below it, one above."""

from concurrent.futures import Executor, Future
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any
from unittest.mock import Mock

import networkx as nx
import numpy as np
import pytest

from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.kernels import jit
from lccmodel.kernels.jit import Clock
from lccmodel.lattice.programme import OBJECTIVES
from lccmodel.network import RouteTable, parse_network
from lccmodel.placement.search import (
    annealing,
    bounds,
    exact,
    orders,
    place,
    problem,
    solve,
    spectrum,
)
from lccmodel.placement.search import search_budget as effort
from lccmodel.placement.search.problem import Demand, demand_of, judged
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.search_budget import Effort, Offer, Search
from tests.placement.search.brute_force import demand_on, random_program

MOST = 1 << 60

# -- volumes as integers ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "objective",
    [*OBJECTIVES, "distance", "mixture:1/3", "mixture:9/10", "mixture:1/999"],
)
@pytest.mark.parametrize(
    ("word", "largest"),
    [
        ("mesh:2", 9), ("mesh:5", 9), ("torus:4x3", 9), ("mesh:3x2,bandwidth=2:3", 9),
        ("mesh:3x2,bandwidth=5/2:7/3", 2), ("torus:3*2,bandwidth=9/2", 99), ("origin:1", 9),
        ("mesh:2,bandwidth=1000", 1 << 36), ("fattree:2x3x2/2x1", 9), ("dragonfly:2,3,1", 9),
    ],
)  # fmt: skip
def test_sums_are_exact_as_long_as_they_fit(word, largest, objective):
    """All volumes over the longest route and the dearest link stay below 2^60; of a mixture, too,

    S channels (volume x dearest cost) + (1 - S) scale (volume x longest), over all denominators.
    """
    network = parse_network(word)
    known = Routes.of(network, largest)
    nodes = range(network.size)
    longest = max(1, *(network.distance(x, y) for x in nodes for y in nodes))
    dearest = max(known.cost.tolist(), default=1)
    most = MOST // (longest * dearest)
    if objective not in OBJECTIVES:
        part = Fraction(objective.partition(":")[2] or 0)
        whole = part.denominator * known.scale.denominator
        times = part * network.n_channels * dearest + (1 - part) * known.scale * longest
        most = min(most, int(MOST / (times * whole)))
    for volume, exactly in ((most - 1, True), (most, False)):
        sent = Traffic([(0, 1), (1, 0)], [volume - 1, 1])
        demand = demand_of(Program.of(sent), objective, None, known)
        assert (demand.rounded is None) == exactly
        assert 0 <= demand.value(demand.loads(np.arange(2), known), known) <= MOST


@pytest.mark.parametrize("messages", [1, 2, 7])
@pytest.mark.parametrize("total", [999, 1000, 1001, 10**9, Fraction(1, 7), Fraction(1, 1000)])
def test_a_rounded_unit_is_the_least_power_of_ten_that_leaves_room(total, messages):
    """total < room x unit, and not of the next smaller unit; a room below 1000 is none."""
    pairs = [(k, k + 1) for k in range(messages)]
    program = Program.of(Traffic(pairs, np.array([Fraction(total) / messages] * messages, object)))
    for room in (1000, 1001, 2000, 10_000, 9999):
        _, unit = problem._rounded(program, [Fraction(1)], room + messages)
        assert room * unit / 10 <= total < room * unit
        assert unit in {Fraction(10) ** k for k in range(-9, 10)}
    with pytest.raises(CommunicationError, match="must be fewer messages"):
        problem._rounded(program, [Fraction(1)], 999 + messages)


# -- what is known of a network -----------------------------------------------------------------


def test_where_there_is_no_link_no_bandwidth_is_rounded():
    """One switch alone, as a table and as an Origin: no channels, no error, nothing to pay."""
    graph = nx.Graph()
    graph.add_node(0, hosts=3)
    odd = Traffic([(0, 1), (1, 0)], [2**0.5 + 1e-9, 3e-18])  # volumes that have no common unit
    for network in (RouteTable.from_graph(graph), parse_network("origin:1")):
        known = Routes.of(network)
        assert (known.error, known.channels, known.longest) == (0, 0, 0)
        for sent, rounded in (([(0, 1)], 0), (odd, 1)):
            m = place(sent, network, over="placements", moves=0)
            assert (m.after.value, m.after.distance, m.lower_bound) == (0, 0, 0)
            assert len(m.rounding) == rounded


def test_what_is_good_enough_is_settled_without_a_look():
    """A start at the bound, and a program that sends nothing; one above it is searched."""
    demand, known = demand_on("mesh:4", [(0, 1), (1, 2), (2, 3), (3, 0)])
    start = np.arange(4)
    value = demand.value(demand.loads(start, known), known)
    for enough, visited in ((value, False), (value + 1, False), (value - 1, True)):
        found = exact.settle(demand, known, start, enough)
        assert (found.value, found.complete, found.visited > 0) == (value, True, visited)
    silent, _ = demand_on("mesh:4", Traffic([], ranks=4))
    assert exact.settle(silent, known, start, -1) == exact.Settled(start, 0, True, 0)


@pytest.mark.parametrize(("word", "opened"), [
    ("torus:4x3", True), ("torus:2x3", True), ("torus:2x2", False), ("mesh:4x3", False),
    ("torus:3*2", True), ("torus:2*2", False), ("cube:3", False), ("fattree:2x3", False),
    ("torus:4x3,nodes=0-5", False),
])  # fmt: skip
def test_rings_of_three_or_more_are_cut_open(word, opened):
    """The same channels but those that close a ring, on a line all distances."""
    line = Routes.opened(parse_network(word))
    assert (line is not None) == opened
    if opened:
        mesh = Routes.of(parse_network(word.replace("torus", "mesh")))
        assert line.axes.tolist() == mesh.axes.tolist()
        assert line.distance.tolist() == mesh.distance.tolist()
        assert (line.places, line.ports) == (mesh.places, mesh.ports)


# -- what a search goes through -----------------------------------------------------------------


def searching(offers: list[Offer], **options: Any) -> Search:
    """A search on a torus of one second, or as the options of its effort are."""
    demand, known = demand_on("torus:4x4", random_program(3, 14, 1, 40))
    natural = judged(demand, known, np.arange(14), "natural")
    plain = Effort(1.0, 0, None, lambda text: None, Clock(600.0))
    return Search(demand, known, natural, replace(plain, **options), offers)


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
    answers, waits, monkeypatch
):
    """Ten seconds each time: the clock of 0.5 + 10 s stands until the first answer, or 120.5 s."""
    now, asked, workers = [100.0], list[float](), Workers()

    def wait(waiting: Any, most: float, when: str) -> Any:
        assert when == "FIRST_COMPLETED"
        asked.append(most)
        now[0] += 10
        if len(asked) - 1 not in answers:
            return set(), set(waiting)
        future = next(iter(waiting))
        future.set_result(next(run for taken, run, _ in workers.taken if taken is future))
        return {future}, set(waiting) - {future}

    monkeypatch.setattr(effort, "wait", wait)
    monkeypatch.setattr(jit, "monotonic", lambda: now[0])
    monkeypatch.setattr(jit._compiling, "seconds", 0.0)
    search = searching([], seconds=0.5, clock=Clock(10.5), executor=workers)
    search._rate = 64.0
    plans = [annealing.Run(np.arange(14), 9, 0.1, k) for k in (1, 2)]
    with pytest.raises(jit.OutOfTimeError):
        list(search._finished([annealing.Descent(search.demand, plan) for plan in plans]))
    assert asked == [1.0] * (waits - 1) + [0.5]
    again = sum(a < waits for a in answers)
    assert [moves for *_, moves in workers.taken] == [12] * (2 + again)
    assert workers.cancelled == 2


@pytest.mark.parametrize("cut", [KeyboardInterrupt, jit.OutOfTimeError])
def test_a_stage_that_is_cut_leaves_the_best_of_all_its_runs(cut, monkeypatch):
    """Of the one in progress and of those before: each reaches its goal with the first move."""
    goals = [np.arange(2, 16), np.arange(1, 15)[::-1]]

    class AtOnce(annealing.Descent):
        def __init__(self, demand: Demand, run: annealing.Run) -> None:
            super().__init__(demand, run)
            self._state = self._state._replace(best=goals[run.seed % 2])

        def advance(self, *_: Any) -> None:
            self._idle = True

    def stop(clock: Clock) -> None:
        raise cut

    monkeypatch.setattr(effort, "searched_by", lambda *_: AtOnce)
    monkeypatch.setattr(effort, "moves_a_second", lambda *_: 1e5)
    monkeypatch.setattr(Clock, "check", stop)
    search = searching([])
    values = [judged(search.demand, search.routes, goal, "").value for goal in goals]
    search.best = replace(search.best, value=max(values) + 1)
    with pytest.raises(cut):
        search._stage(0, 100, 0)
    assert (search.best.value, search._searched) == (min(values), 0)


def test_nothing_is_offered_or_searched_once_the_best_is_good_enough():
    """At just what is enough already, and after the run that reaches it."""
    made: list[int] = []
    lines: list[str] = []
    search = searching([Offer(0.1, lambda: made.append(1) or [])], progress=lines.append)
    search.take_offers(search.best.value)
    search.improve(search.best.value)
    assert (made, lines) == ([], [])
    enough = search.best.value - 1
    search.take_offers(enough)
    assert made == [1]
    search.improve(enough)
    bests = [Fraction(line.split("best ")[1].split(",")[0]) for line in lines]
    reached = [best <= enough * search.demand.unit for best in bests]
    assert reached == [False] * (len(lines) - 1) + [True]


def test_a_network_of_2_to_the_18_nodes_is_the_largest(monkeypatch):
    monkeypatch.setattr(solve, "MAX_NODES", 16)
    assert place([(0, 1)], "torus:4x4", over="placements", moves=0).after.value == 1
    with pytest.raises(SizeLimitError, match="must have at most 16 nodes"):
        place([(0, 1)], "torus:17", over="placements", moves=0)


@pytest.mark.parametrize("phases", [1, 2])
@pytest.mark.parametrize(("last", "nodes", "alike"), [(2, 4, True), (2, 5, False), (3, 4, False),
                                                      (0, 4, False)])  # fmt: skip
def test_all_placements_are_alike_where_every_two_ranks_exchange_the_same(
    last, nodes, alike, phases
):
    """In every phase, with no place free; one message more, or one less, and they are not."""
    every = [*permutations(range(4), 2)]
    sent = [Traffic(every, [2] * 11 + [last], 4)] * phases + [Traffic(every, [7] * 12, 4)]
    demand, known = demand_on(f"mesh:{nodes}", sent, "max-sum")
    assert solve._is_alike(demand, known) == alike


@pytest.mark.parametrize("sent", [[(0, 1), (2, 3)], [(0, 3), (1, 2), (3, 0)]])
def test_no_better_bound_is_asked_for_where_the_first_is_met(sent, monkeypatch):
    """By natural numbering, or by something that is offered: the largest message decides."""
    monkeypatch.setattr(solve, "lower_bound", None)
    m = place(sent, "mesh:4", "joint", "placements")
    assert (m.after.value, m.lower_bound, m.optimal) == (1, 1, True)
    assert m.bound == "the largest message crosses a channel whole"


def test_of_equals_the_numbers_stay_as_they_are(monkeypatch):
    """An order that gains neither value nor distance is the natural one; one that gains is not."""
    every = Traffic([*permutations(range(8), 2)])
    other = orders.Renaming(np.array([0, 2, 1, 3, 4, 6, 5, 7]), "an order", "", (1, 0, 2))
    monkeypatch.setattr(solve, "best_order_of_bits", lambda *_: other)
    m = place(every, "cube:3", "joint", "orders")
    assert (m.order, m.found, m.node_of.tolist()) == ((0, 1, 2), "natural numbering", [*range(8)])
    m = place(Traffic([(0, 2)], ranks=8), "mesh:8", "joint", "orders")
    assert (m.order, m.found) == ((1, 0, 2), "an order")


def test_a_process_grid_that_is_asked_for_alone_has_its_coordinates(monkeypatch):
    """Not where others are asked for, too; what is stated comes first."""
    starts = Mock(wraps=solve.Starts)
    monkeypatch.setattr(solve, "Starts", starts)
    cells = [[float(x), float(y)] for x in range(4) for y in range(2)]
    for words, stated, used in (
        ("grid:4x2", None, cells), ("grid:4x2", cells[::-1], cells[::-1]),
        (["grid:4x2", "grid:8"], None, None), ("bit-reverse", None, None),
    ):  # fmt: skip
        place(words, "mesh:8", over="placements", coordinates=stated, moves=0)
        where = starts.call_args.args[5]
        assert (None if where is None else where.tolist()) == used


def test_an_order_is_bettered_as_long_as_it_has_any_load():
    """One message from 0 to 5 on 4 x 4: load 1 from the start, two channels, at last one."""
    program, network = Program.of(Traffic([(0, 5)], ranks=16)), parse_network("torus:4x4")
    demand, known = demand_on(network, program)
    found = orders._counted(program, network, demand, known, 100, lambda seconds: False)
    assert network.distance(int(found.node_of[0]), int(found.node_of[5])) == 1


def test_silent_ranks_take_places_of_their_own():
    """Branch and bound places who sends; four others go to what is left, in their order."""
    demand, known = demand_on("mesh:7", Traffic([(0, 3), (3, 6)], [5, 4], 7))
    found = exact.settle(demand, known, np.array([0, 1, 2, 6, 4, 5, 3]))
    assert (found.value, found.complete) == (5, True)
    assert sorted(found.node_of.tolist()) == list(range(7))
    silent = found.node_of[[1, 2, 4, 5]].tolist()
    assert silent == sorted(silent)


def test_eigenvalues_are_computed_of_so_many_ranks(monkeypatch):
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
        assert bool(spectrum.sums_at_least(demand)) == bool(spectrum.sums_at_most(demand)) == known


def test_of_very_many_listed_places_no_least_distance_is_known(monkeypatch):
    demand, known = demand_on("mesh:3x3,nodes=0-6", [(0, 3), (3, 4), (2, 5)])
    for most, least in ((7, 3), (6, 0)):
        monkeypatch.setattr(bounds, "MOST_MEASURED", most)
        assert bounds.least_distance(demand, known) == least
