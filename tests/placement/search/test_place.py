"""`place`: never worse than it says, the least where it says so, bounds below all of it."""

import pickle
import re
import threading
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, permutations
from math import lcm

import numpy as np
import pytest

from lccmodel.communication.catalog import bit_reverse
from lccmodel.communication.grids import ProcessGrid
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.numbers import as_fraction
from lccmodel.kernels import jit
from lccmodel.lattice.programme import OBJECTIVES
from lccmodel.network import parse_network
from lccmodel.placement.contention import contention
from lccmodel.placement.search import place, solve
from lccmodel.placement.search.annealing import Descent, Run
from lccmodel.placement.search.bounds import Arguments, Bound, lower_bound
from lccmodel.placement.search.orders import Renaming, best_order_of_bits
from lccmodel.placement.search.problem import Demand, judged, weights_of
from lccmodel.placement.search.routes import Routes
from lccmodel.placement.search.solve import best_placement
from lccmodel.problem import Problem
from tests.choosing import fast_only, sampled
from tests.placement.search.brute_force import counted_value, demand_on, least_value, random_program

SMALL = (
    "cube:2", "cube:3", "torus:4x2", "mesh:4x2", "mesh:7", "torus:5", "origin:3", "mesh:2x2*2",
    "fattree:2^3,hosts=off", "mesh:2x2,bandwidth=2:3",
)  # fmt: skip


@pytest.mark.parametrize("objective", sampled(OBJECTIVES, 2))
@pytest.mark.parametrize("word", fast_only(SMALL, "mesh:2x2*2", "mesh:2x2,bandwidth=2:3"))
def test_small_networks_equal_brute_force_over_all_placements(word, objective):
    """The exhaustive search, the bound and the proof against every injective placement.

    The busiest channel of all phases at once, and of each; volume times channels.
    """
    places = parse_network(word).size
    for seed in range(4):
        ranks = 2 + seed % 3 if places > 4 else 2 + seed % 2
        program = random_program(seed, ranks, 1 + seed % 3)
        m = place(program, word, objective, "placements", seconds=0.01)
        assert m.optimal
        assert m.lower_bound <= m.after.value == least_value(program, word, objective)
        for use, node_of in ((m.before, np.arange(ranks)), (m.after, m.node_of)):

            def counted(phases: Sequence[Phase], what: str, at: np.ndarray = node_of) -> Fraction:
                return counted_value(Program(phases), word, at, what)

            assert use.value == counted(program.phases, objective)
            assert use.joint == counted(program.phases, "joint")
            assert use.distance == counted(program.phases, "distance")
            assert use.phases == sum(counted([phase], "max-max") for phase in program.phases)
            for member, phase in zip(use.members, program.phases, strict=True):
                alone = [Phase(phase.traffic, 1)]
                assert member.distance == counted(alone, "distance")
                assert max(member.per_dimension) == counted(alone, "joint")


def test_a_scrambled_stencil_is_embedded():
    """A five-point stencil on its own torus meets the bound, however its ranks are numbered."""
    grid = ProcessGrid((8, 8)).program("rings")
    pairs = np.concatenate([phase.traffic.messages for phase in grid])
    whole = np.random.default_rng(3).permutation(64)[pairs]
    pair = set(whole[0].tolist())
    torn = np.array([m for m in whole.tolist() if set(m) != pair])  # no grid without these
    for sent, how in ((whole, "grid"), (torn, "embedding")):
        m = place(sent, "torus:8x8", over="placements", seconds=0)
        assert (m.after.value, m.optimal, m.after.distance) == (1, True, len(sent))
        assert how in m.found


@pytest.mark.parametrize("word", ["torus:4x4", "cube:4"])
def test_orders_are_the_best_of_all_that_the_network_counts(word):
    """All 4! orders; where the programme takes too long, no exchange of two bits improves it."""
    program, network = random_program(11, 16, 2, 60), parse_network(word)
    demand, routes = demand_on(network, program)

    def placed(order: Sequence[int]) -> np.ndarray:
        return sum((np.arange(16) >> old & 1) << k for k, old in enumerate(order))

    def descent(tries: int) -> Renaming:
        weights = weights_of(program, None)
        return best_order_of_bits(program, network, demand, routes, weights, tries, lambda _: False)

    value = {
        order: counted_value(program, word, placed(order), "joint")
        for order in permutations(range(4))
    }
    m = place(program, word, "joint", "orders")
    assert (m.after.value, m.optimal) == (min(value.values()), True)
    assert m.after.value == value[m.order]
    best = descent(1000)
    assert best.node_of.tolist() == placed(best.order).tolist()
    assert (best.how, best.proof) == ("an order of bits", "")
    for i, j in combinations(range(4), 2):
        other = list(best.order)
        other[i], other[j] = other[j], other[i]
        assert value[tuple(other)] >= value[best.order]
    assert value[best.order] < value[0, 1, 2, 3]
    assert descent(0).order == (0, 1, 2, 3)


@pytest.mark.parametrize(("ended_by", "stopped"), [
    ("an interrupt", "interrupted"), ("the clock", "cut by the clock"),
])  # fmt: skip
def test_a_search_that_is_ended_leaves_the_best_so_far(ended_by, stopped, monkeypatch):
    """The clock cuts a search ten seconds after the stated time: here, at once."""

    def stop(line: str) -> None:
        if ended_by == "an interrupt":
            raise KeyboardInterrupt

    monkeypatch.setattr(solve, "GRACE", -600.0 if ended_by == "the clock" else 600.0)
    seconds = 600 if ended_by == "the clock" else 0.1
    m = place(
        random_program(5, 60, 1, 300), "torus:8x8", over="placements", seconds=seconds,
        progress=stop,
    )  # fmt: skip
    assert (m.stopped, m.optimal) == (stopped, False)
    assert f"best found before the search was {stopped}" in m.verdict
    assert m.after.value <= m.before.value


def test_compiling_is_not_counted_by_the_clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(jit, "monotonic", lambda: now[0])
    monkeypatch.setattr(jit._compiling, "seconds", 0.0)
    clock = jit.Clock(5.0)
    now[0], jit._compiling.seconds = 160.0, 58.0
    assert clock.left == 3.0
    now[0] = 164.0
    with pytest.raises(jit.OutOfTimeError):
        clock.check()


@pytest.mark.slow
def test_more_time_is_never_worse_and_takes_the_same_way():
    """What a shorter search looks at, a longer one does, too."""
    rng = np.random.default_rng(5)
    program = Program.of(Traffic(rng.integers(0, 60, (200, 2)), rng.integers(1, 50, 200), 60))
    for word in ("torus:8x8", "fattree:4^3,hosts=off"):
        told: list[list[str]] = []
        values = []
        for moves in (0, 2000, 5000, 7000, 20_000, 50_000):
            told.append([])
            m = place(program, word, "joint", "placements", moves=moves, progress=told[-1].append)
            values.append(m.after.value)
        assert values == sorted(values, reverse=True)
        assert values[-1] < values[0]
        for shorter, longer in pairwise(told):
            whole = max(0, len(shorter) - 2)  # the last stage may be cut
            assert longer[:whole] == shorter[:whole]


def test_the_answer_follows_from_seed_and_moves_alone(monkeypatch):
    """No clock: however slow the machine seems, the answer is the same, and is not cut."""
    program = random_program(9, 60, 2, 200)
    search = partial(place, program, "torus:8x8", over="placements")
    first = search(seed=3, moves=1_000)
    hours = iter(range(10**9))
    for clock in ("monotonic", "thread_time"):
        monkeypatch.setattr(jit, clock, lambda: 3600.0 * next(hours))
    again = search(seed=3, moves=1_000)
    assert first == again
    assert (first.found, again.stopped) == (again.found, "")
    assert search(seed=3, seconds=0.1).stopped
    assert search(seed=4, moves=1_000).node_of.tolist() != first.node_of.tolist()


def test_moves_on_trees_leave_the_switch_of_a_partner():
    """A grid of 16 x 16 ranks, scrambled, without Scotch or grids to start from.

    Moves to a partner's own host, or to any, end with 17, 13 and 15.
    """
    grid = ProcessGrid((16, 16)).program("stencil")
    pairs = np.concatenate([phase.traffic.messages for phase in grid])
    scrambled = np.random.default_rng(1).permutation(256)[pairs]
    demand, routes = demand_on("fattree:8x8x4/2x2", scrambled)
    values = []
    for seed in range(3):
        run = Descent(demand, Run(np.arange(256), 60_000, 0.1, seed))
        run.advance(demand, routes, 60_000)
        values.append(judged(demand, routes, run.best, "").value)
    assert sum(values) <= 38


def test_a_linear_map_is_not_searched_where_an_order_reaches_the_bound():
    m = place([(0, 1), (1, 0)], "torus:4x2", over="linear")
    assert (m.after.value, m.lower_bound, m.optimal) == (1, 1, True)
    assert m.order == (0, 1, 2)
    assert m.after.degree == max(m.after.per_dimension) == 1
    assert m.rank_at.tolist() == [0, 1, -1, -1, -1, -1, -1, -1]
    again = pickle.loads(pickle.dumps(m))
    assert (again, hash(again)) == (m, hash(m))
    assert m != "a placement"


def test_a_function_of_the_rank_and_a_network_without_address_bits():
    """Every node is asked for its destination; without 2^n nodes placements are looked at."""
    m = place(lambda x: (x + 1) % 20, "mesh:5x4", seconds=0.01)
    assert (m.over, m.program.ranks, m.after.value, m.optimal) == ("placements", 20, 1, True)
    assert place(lambda x: x ^ 3, "torus:4x4", seconds=0.01).over == "placements"
    assert place(lambda x: x ^ 3, "cube:4").over == "orders"
    assert place([(0, 1, 150), (1, 0, 1)], "cube:1").over == "orders"


@pytest.mark.parametrize(("network", "options", "error", "words"), [
    ("cube:3", {"program": [(0, 8)]}, NetworkError, "at least 9 nodes"),
    ("cube:3", {"objective": "least"}, InputError, "objective"),
    ("cube:3", {"over": "all"}, InputError, "over"),
    ("cube:3", {"weights": [1, 2]}, InputError, "weights"),
    ("cube:3", {"starts": [[0, 0]]}, InputError, "starts"),
    *(
        ("cube:3", {"seconds": s}, InputError, "seconds: must be a number from 0 to 1,000,000")
        for s in (1_000_001, -1, float("nan"))
    ),
    ("cube:40", {}, SizeLimitError, "nodes; optimal_reordering takes larger cubes"),
    ("mesh:3x3", {"over": "linear"}, NetworkError, "linear maps need a network with 2"),
    ("cube:2", {"coordinates": [[0, 0]]}, InputError, "must be finite numbers of shape"),
    ("cube:2", {"coordinates": [[0], [float("nan")]]}, InputError, "coordinates"),
    ("cube:2", {"coordinates": "near"}, InputError, "coordinates"),
    ("cube:1", {"objective": "distance", "over": "orders"}, InputError, "over: must be placements"),
])  # fmt: skip
def test_refusals(network, options, error, words):
    with pytest.raises(error, match=words):
        place(**{"program": [(0, 1)], "network": network, **options})


def test_a_demand_adds_duplicates_keeps_fractions_and_leaves_out_what_carries_nothing():
    sent = Traffic([[0, 1], [0, 1], [1, 1], [1, 2]], [0.5, 0.25, 9, 0], 3)
    demand, _ = demand_on("cube:2", Program([Phase(sent, 2)]), "max-max")
    assert [int(v) * demand.unit for v in demand.volume] == [1.5]
    assert (demand.source.tolist(), demand.destination.tolist()) == ([0], [1])


@pytest.mark.parametrize("ended_by", ["the clock", "an interrupt"])
def test_nobody_waits_for_a_slow_eigenvalue(monkeypatch, ended_by):
    """The bound by the spectrum is left when the time is over, and at once by Ctrl-C."""
    done, asked, answered = threading.Event(), [], []
    program = Traffic(np.random.default_rng(3).integers(0, 18, (72, 2)), None, 18)

    def slow(demand: Demand, routes: Routes, *, arguments: Arguments = "programs") -> Bound:
        if arguments != "counting":
            asked.append(demand)
            done.wait(60)
            answered.append(demand)
        return lower_bound(demand, routes, arguments="counting")

    class Impatient(threading.Thread):
        """Who waits for it is interrupted, as by Ctrl-C (no signal: it could meet the runner)."""

        def join(self, timeout: float | None = None) -> None:
            raise KeyboardInterrupt

    if ended_by == "an interrupt":
        monkeypatch.setattr(solve, "Thread", Impatient)
    monkeypatch.setattr(solve, "lower_bound", slow)
    monkeypatch.setattr(solve, "GRACE", 0.1)
    try:
        m = place(program, "mesh:6x3", over="placements", seconds=0.05)
        assert asked
        assert not answered  # nobody waited for it
    finally:
        done.set()
    assert (m.stopped == "interrupted") == (ended_by == "an interrupt")


@pytest.mark.parametrize("number", fast_only(range(8), 0, 3))
def test_volumes_as_they_are_measured(number):
    """Floats of many digits, byte counts of 10^13, bandwidths without a unit: taken, and said.

    Values are within the stated rounding of exact sums in fractions; where a unit is small, exact.
    """
    rng = np.random.default_rng(4)
    pairs = [(int(x), int(y)) for x, y in rng.integers(0, 16, (60, 2)) if x != y]
    measured = rng.random(len(pairs)) * 1e6 + 1e-7 * rng.random(len(pairs))
    cases = (
        (measured, "torus:4x4", True),
        (measured, "torus:4x4,bandwidth=12.3456789012:23.4567890123", True),
        (np.round(measured, 3), "torus:4x4", False),
        (rng.integers(10**13, 2 * 10**13, len(pairs)), "torus:4x4", False),
        (rng.integers(10**13, 2 * 10**13, len(pairs)), "fattree:4^2,hosts=off", False),
        (rng.integers(1, 2 * 10**13, len(pairs)), "mesh:4x4,bandwidth=12.345:23.456", True),
        (measured * 1e200, "mesh:4x4", True),
        (measured * 1e-200, "mesh:4x4", True),
    )
    volumes, word, rounded = cases[number]
    network = parse_network(word)
    program = Program([Phase(Traffic(pairs, volumes, 16), Fraction(1, 3))])
    m = place(program, network, "joint", "placements", seconds=0.01)
    assert bool(m.rounding) == rounded
    assert all("rounded" in note for note in m.rounding)
    unit = r"multiples of (10{0,2}(,000)*|1e-\d+|0\.0*1);"
    assert not rounded or re.search(unit, m.rounding[0])
    loads: dict[tuple[int, int], Fraction] = {}
    for (x, y), volume in zip(pairs, volumes.tolist(), strict=True):
        for channel in network.channels(*m.node_of[[x, y]].tolist()):
            width = network.bandwidths[network.row_dimension(network.counter(*channel)[0])]
            loads[channel] = loads.get(channel, Fraction(0)) + as_fraction(volume) / 3 / width
    true = max(loads.values())
    assert abs(m.after.value - true) <= (true / 10**6 if rounded else 0)
    assert m.lower_bound <= m.after.value <= m.before.value


@pytest.mark.parametrize("objective", ["max-max", "max-sum", "sum-sum"])
@pytest.mark.parametrize(("words", "network", "weights"), [
    ("bit-reverse", "cube:4", None), ("reverse-flip", "origin:5", [3]),
    (["matrix-transpose", "bit-reverse"], "origin:4", [2, 0.5]),
])  # fmt: skip
def test_ranks_and_counts_give_the_same_value_and_bound(
    words, network, weights, objective, monkeypatch
):
    """`place` over orders, by matrix ranks and by counts: the bound of ranks [hou, Theorem 3]."""
    ranks = place(words, network, objective, weights=weights)
    with monkeypatch.context() as patch:
        patch.setattr(solve, "is_linear_complement", lambda problem: False)
        found = place(words, network, objective, "orders", weights=weights, seconds=0.01)
    assert (found.after.value, found.lower_bound) == (ranks.after.value, ranks.lower_bound)
    assert (found.over, found.optimal) == (ranks.over, ranks.optimal)


@pytest.mark.parametrize("largest", [1 << 36, 60, 7])
@pytest.mark.parametrize("word", [
    "mesh:4x2,bandwidth=97:101", "hyperx:3x2,bandwidth=31:7", "torus:3x3x2,bandwidth=5:2:9",
])  # fmt: skip
def test_a_cost_is_off_by_at_most_the_error_that_is_stated(word, largest):
    """Cost k in parts of a scale s is for 1 / bandwidth b: the error is the worst k b / s - 1.

    Exact where the least common multiple of the bandwidths allows it, whatever the network.
    """
    network = parse_network(word)
    routes = Routes.of(network, largest)
    pairs = zip(routes.dimension_of[routes.real], routes.cost[routes.real], strict=True)
    off = {(int(k), int(cost)) for k, cost in pairs}
    errors = [abs(cost * network.bandwidths[k] / routes.scale - 1) for k, cost in off]
    assert len(off) == len(network.bandwidths)
    assert routes.error == max(errors)
    whole = lcm(*(width.numerator for width in network.bandwidths))
    assert (routes.error == 0) == (max(whole / width for width in network.bandwidths) <= largest)
    assert max(cost for _, cost in off) <= largest


def test_costs_are_rounded_further_where_volumes_are_rounded_too():
    """Volumes without a common unit leave less room: costs above 2^24 are rounded, and it is said.

    Whole volumes leave room for all costs up to 2^36.
    """
    word = "mesh:3x2,bandwidth=20000003:30000001"
    sent = [(0, 1), (0, 5), (4, 2)]
    odd = [1 / 3 + 1e-9, 2**0.5, 1e-18]
    for volumes, network, rounded in (
        ([3, 1, 2], word, []), (odd, word, ["volumes", "bandwidths"]),
        (odd, "mesh:3x2,bandwidth=2:3", ["volumes"]),
    ):  # fmt: skip
        m = place(Traffic(sent, volumes, 6), network, over="placements", moves=0)
        assert [note.split()[0] for note in m.rounding] == rounded


def test_orders_are_counted_where_matrix_ranks_answer_alone():
    reverse = bit_reverse(4)
    walked = [
        contention(reverse.reordered(GF2Matrix.from_order(order)), "cube:4", "walk").degree
        for order in permutations(range(4))
    ]
    assert place("bit-reverse", "cube:4", count=True).optimal_orders == walked.count(1) == 8
    for objective, over, word in (
        ("max-max", "linear", "cube:4"), ("joint", "orders", "cube:4"),
        ("max-max", "placements", "cube:4"), ("max-max", "placements", "mesh:4x4"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=f"got '{objective} over {over} on {word}'"):
            place("bit-reverse", word, objective, over, count=True)


def test_a_linear_map_of_one_phase_may_have_a_weight():
    alone = place("bit-reverse", "cube:4", over="linear")
    twice = place("bit-reverse", "cube:4", over="linear", weights=[2])
    assert alone.optimal
    assert twice.after.value == 2 * alone.after.value
    two = place(["bit-reverse", "matrix-transpose"], "cube:4", over="linear", weights=[1, 2])
    assert two.weights == (1, 2)


def test_one_door_on_a_cube_that_is_too_large_to_search():
    """0.4: `map bit-reverse -N cube:20` said 512 -> 1, `place` raised SizeLimitError."""
    m = place("bit-reverse", "cube:20")
    assert (m.before.value, m.after.value, m.optimal) == (512, 1, True)
    assert best_placement(Problem.read("bit-reverse", "cube:20")) == m


def test_a_placement_that_costs_distance_says_so():
    """Two stars on a ring: freeing the busiest channel takes longer routes, and a note says it."""
    rng = np.random.default_rng(5)
    pairs = np.stack([np.repeat(np.arange(64), 4), rng.integers(0, 64, 256)], axis=1)
    least = place(pairs, "torus:8x8", "distance", moves=200)
    program = Traffic(least.node_of[pairs], ranks=64)
    m = place(program, "torus:8x8", "joint", moves=5_000)
    risen = m.after.distance > m.before.distance
    assert risen == any("volume times distance rises" in note for note in m.notes)
    assert risen
    assert not any("rises" in note for note in least.notes)
