"""The one search: all paths by brute force, cheapest paths, budgets, the greedy walk.

The search of [hou, Theorem 6], bottleneck and least sum, over the lattice of subsets.
"""

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, catalog
from lccmodel.lattice.path import BudgetError, Cheapest, Paths, Step, arranged, cheapest
from lccmodel.lattice.ranks import Bounded, Downward, Ranks
from tests.walking import all_lccs, messages, walked_loads, walked_occupancies


def random_lccs(n: int, count: int, seed: int) -> Iterator[LCC]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        A = GF2Matrix((rng.random((n, n)) < rng.choice([0.3, 0.5])).astype(int))
        yield LCC(A, rng.integers(0, 2, n))


@pytest.mark.parametrize(("load", "held"), [(1, None), (None, 1), (2, 2), (1, 2), (0, None)])
def test_bounded_paths_are_the_orders_that_stay_within_bounds(load, held):
    """load(S, j) and occupancy(S + j) of messages that are walked, along every order."""
    for c in [*all_lccs(2), *random_lccs(3, 12, 1), *random_lccs(4, 6, 2)]:
        if c.kind == "scatter":
            continue
        expected = []
        for order in permutations(range(c.n)):
            sent = messages(c)
            few = load is None or max(walked_loads(sent, order)) <= load
            if few and (held is None or max(walked_occupancies(sent, order)) <= held):
                expected.append(order)
        rule = Bounded(Ranks(c), load, held)
        paths, start = Paths(rule), rule.ranks.start
        assert list(paths.every(start)) == expected
        assert paths.number(start) == len(expected)
        assert paths.first(start) == (expected[0] if expected else None)
        assert [paths.nth(start, k) for k in range(len(expected))] == expected
        assert paths.exists(start) == bool(expected)


class Halves:
    """Two sets of three bits, each emptied on its own; which bit may leave which set is drawn."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.allowed = rng.random((2, 8, 3)) < 0.6

    def length(self, state: tuple[int, int]) -> int:
        return state[0].bit_count() + state[1].bit_count()

    def steps(self, state: tuple[int, int]) -> Iterator[Step[int, tuple[int, int]]]:
        for half, held in enumerate(state):
            for j in range(3):
                if held >> j & 1 and self.allowed[half, held, j]:
                    left = held ^ 1 << j
                    after = (left, state[1]) if half == 0 else (state[0], left)
                    yield Step(3 * half + j, 1, after)

    def parts(self, state: tuple[int, int]) -> tuple[tuple[int, int], ...]:
        return (state[0], 0), (0, state[1])

    def key(self, part: tuple[int, int]) -> tuple[int, int]:
        return part

    def walks(self, state: tuple[int, int]) -> Iterator[tuple[int, ...]]:
        """All paths to the end, looked for without a memory."""
        if not self.length(state):
            yield ()
        for step in self.steps(state):
            for rest in self.walks(step.state):
                yield (step.corrects, *rest)


@pytest.mark.parametrize("seed", range(4))
def test_paths_of_independent_parts_are_all_interleavings(seed):
    """Existence, number, the first and the k-th of every state, the end and dead ends too."""
    rule, dead = Halves(np.random.default_rng(seed)), 0
    paths: Paths[tuple[int, int]] = Paths(rule)
    for state in product(range(8), repeat=2):
        walks = list(rule.walks(state))
        assert list(paths.every(state)) == walks
        assert paths.number(state) == len(walks)
        assert paths.exists(state) == bool(walks)
        assert paths.first(state) == next(iter(walks), None)
        assert [paths.nth(state, k) for k in range(len(walks))] == walks
        dead += not walks
    assert 0 < dead < 60


@pytest.mark.parametrize("seed", range(4))
def test_a_state_is_remembered_once(seed):
    """A memory of as many states as there are to know is enough; of one less, it is not."""
    rule = Halves(np.random.default_rng(seed))
    free: Paths[tuple[int, int]] = Paths(rule)
    everything = list(free.every((7, 7)))
    assert free.remembered > 1
    assert list(Paths(rule, free.remembered).every((7, 7))) == everything
    with pytest.raises(BudgetError):
        list(Paths(rule, free.remembered - 1).every((7, 7)))
    number = Paths(rule)
    assert number.number((7, 7)) == len(everything)
    with pytest.raises(BudgetError):
        Paths(rule, len(number._numbers) - 1).number((7, 7))


@pytest.mark.parametrize(("load", "internal"), [(1, ()), (2, ()), (2, (0,)), (4, (1, 3))])
def test_downward_paths_are_upward_paths_reversed(load, internal):
    """load(T - j, j), read off the state of T, is that of the state of T - j."""
    for c in random_lccs(5, 10, 5):
        up, down = Bounded(Ranks(c, internal), load), Downward(Ranks(c, internal), load)
        there = {path[::-1] for path in Paths(down).every(down.ranks.all)}
        assert there == set(Paths(up).every(up.ranks.start))


@pytest.mark.parametrize("along", ["max", "sum"])
def test_the_cheapest_path_is_the_least_of_all_orders(along):
    """Loads of messages that are walked, along all n! orders."""
    total = max if along == "max" else sum
    for c in [*random_lccs(4, 15, 6)]:
        ranks = Ranks(c)

        def steps(S: int, ranks: Ranks = ranks) -> Iterator[Step[int, int]]:
            for j in ranks.bits:
                if not S >> j & 1:
                    yield Step(j, ranks.load(S, j), S | 1 << j)

        values = {o: total(walked_loads(messages(c), o)) for o in permutations(range(4))}
        found = cheapest([0], steps, lambda S: 4 - S.bit_count(), along)
        assert found is not None
        assert found.price == min(values.values()) == values[found.path]
        assert found.priced <= 15
        least = found.price
        below = cheapest([0], steps, lambda S: 4 - S.bit_count(), along, below=least)
        assert below is None


def test_the_empty_path_is_free():
    found: Cheapest[int] | None = cheapest(["end"], lambda _: (), lambda _: 0, "max")
    assert found == (0, (), 0)


def test_a_search_without_budget_left_does_not_say_that_there_is_no_path():
    rule = Bounded(Ranks(catalog.bit_reverse(8)), load=1)
    assert Paths(rule).first(rule.ranks.start) is not None
    with pytest.raises(BudgetError):
        Paths(rule, budget=3).first(rule.ranks.start)


def test_the_greedy_walk_by_hand():
    """Bit 3 is chosen after bit 0 of a reversal of four bits; swapping leaves 1 behind 2."""

    def allows(done: tuple[int, ...], j: int) -> bool:
        return len(done) != 1 or j == 3

    def grow(done: tuple[int, ...], j: int) -> tuple[int, ...]:
        return (*done, j)

    nothing: tuple[int, ...] = ()
    *_, last = arranged(range(4), nothing, allows, grow, swap=True)
    assert last[2] == last[3] == (0, 3, 2, 1)
    *_, last = arranged(range(4), nothing, allows, grow, swap=False)
    assert last[2] == last[3] == (0, 3, 1, 2)
    with pytest.raises(ValueError, match="no step"):
        list(arranged(range(2), nothing, lambda done, j: False, grow, swap=True))


def test_of_equal_paths_the_one_that_was_entered_last_is_taken():
    """So that of many best orders the same one comes out: straight on to an end, by hand."""
    fork = {"a": [Step("x", 1, "b"), Step("y", 1, "c"), Step("z", 2, "d")]}
    found = cheapest(["a"], lambda s: fork.get(s, ()), lambda s: int(s == "a"), "sum")
    assert found == Cheapest(1, ("y",), 1)
    found = cheapest(["b", "c"], lambda s: [Step(s, 0, "end")], lambda s: int(s != "end"), "max")
    assert found == Cheapest(0, ("c",), 1)
