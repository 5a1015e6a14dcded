"""Whole tasks [calmant, Theorem 4]: replayed by the checker, their lengths are the bound."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

from lccmodel.movement import Movement
from lccmodel.network import Torus
from lccmodel.pipelining.base_schedules import LETTERS, BaseSchedule, base_schedules
from lccmodel.pipelining.compositions import composed
from lccmodel.pipelining.loads import LevelRun, equal_runs, least_steps, levels_in_order, line_load
from proofs_check.claims.calmant_mesh import line_bound, replayed
from tests.choosing import sampled, slow
from tests.pipelining.equal import lower_bound, max_load, optimal_steps, schedule_length
from tests.pipelining.words import check_words, words_of


def check(i: int, M: int, c: int, d: int) -> None:
    steps = optimal_steps(i, M, c, d)
    assert steps.shape == (M, 1 << d)
    assert steps.dtype == np.int64
    if M:
        assert steps.min() == 0
        least = line_bound(i, M, c)[1]
        assert steps.max() + 1 == schedule_length(i, M, c) == least
        assert replayed(steps, i, d, c) == (least, None), (i, M, c, d)


@pytest.mark.parametrize(
    ("c", "d"),
    [
        *((1, 1), (1, 7), (2, 2), (2, 8), (3, 3), (3, 6), (3, 9)),
        *map(slow, ((1, 12), (2, 12), (3, 12))),
    ],
)
def test_every_task_of_a_mesh_takes_the_lower_bound(c, d):
    for i in range(d):
        for M in range(d - i + 1):
            check(i, M, c, d)


@pytest.mark.parametrize(
    ("i", "M", "c", "d"),
    [
        *((2, 10, 2, 12), (3, 9, 2, 12), (4, 8, 2, 12), (1, 12, 3, 15)),
        *((0, 12, 4, 12), (1, 11, 4, 12), (0, 10, 5, 10)),
    ],
)
def test_composed_tasks_and_more_than_three_axes(i, M, c, d):
    check(i, M, c, d)


# -- solved schedules -----------------------------------------------------------------------------


def sent(base: BaseSchedule, steps: int | None = None) -> Movement:
    """The messages on the smallest network that holds the runs, a ring for a run that wraps.

    `steps`: all of them are folded into so many.
    """
    sides = [1 << run.end for run in base.runs]
    node = np.arange(math.prod(sides))
    places = np.array([node // math.prod(sides[:axis]) % s for axis, s in enumerate(sides)])
    pairs = [
        np.stack([node, node + ((m ^ 1 << level) - m) * math.prod(sides[:axis])], axis=1)
        for level, axis in levels_in_order(base.runs)
        for m in [places[axis]]
    ]
    network = Torus(sides, wrap=[run.wraps for run in base.runs])
    when = base.steps(base.runs, places).ravel()
    return Movement.of_schedule(
        network, np.concatenate(pairs), when % (steps or base.length), "split"
    )


BY_SIZE = [(sum(run.end for run in base.runs), base) for base in base_schedules()]


@pytest.mark.parametrize(
    "base",
    [
        pytest.param(base, id=words_of(base), marks=[pytest.mark.slow] if size > 12 else [])
        for size, base in BY_SIZE
        if size <= 16
    ],
)
def test_solved_schedules_are_free_of_conflicts(base):
    movement = sent(base)
    assert movement.steps == base.length
    assert movement.replay("one").ok
    assert not sent(base, base.length - 1).replay("one").ok  # control: one step fewer


@pytest.mark.parametrize("base", sampled(base_schedules(), 3), ids=words_of)
def test_words_of_solved_schedules_take_the_lower_bound(base):
    """The two conditions of docs/schedules.md on the words, for all nodes of every mesh."""
    assert base.length == least_steps(base.runs)
    check_words(base)


@pytest.mark.parametrize(("c", "level"), [(2, 1), (3, 2), (5, 2), (5, 3), (7, 2), (9, 3)])
def test_one_pair_of_levels_is_a_colouring_of_a_bipartite_graph(c, level):
    """König: axes against classes of h, letter (a + g) mod max(c, 2^l); docs/schedule_proofs.md."""
    many = max(c, 1 << level)
    letters = np.full((c, many), ".")
    for a, g in itertools.product(range(c), range(1 << level)):
        letters[a, (a + g) % many] = LETTERS[g]
    words = tuple(("".join(row),) for row in letters)
    base = BaseSchedule(equal_runs(c * level, 2 * c, c), (1,) * c, (1,) * c, 2, words)
    assert base.length == max(2 * c, 2 << level)
    check_words(base)
    wrong = replace(base, words=(base.words[1], *base.words[1:]))
    with pytest.raises(AssertionError):
        check_words(wrong)


def test_a_subtask_above_a_cut_is_not_cut_again():
    """One of two lines of the same level goes with what is above it."""
    runs = tuple(LevelRun(*run) for run in ((0, 1), (0, 1, True), (0, 3), (3, 1, True)))
    words = "⟨0,6⟩ wrapped 6 (⟨2,1⟩ subtask 1 + {0, 1, 3, 4, 5} subtask 5)"
    assert composed(runs).words() == words


def test_a_solved_schedule_fits_tasks_whose_levels_it_has():
    base = base_schedules()[0]  # ⟨0,8⟩ on two axes
    assert base.axes_for((LevelRun(1, 3), LevelRun(0, 0), LevelRun(0, 2))) == (0, 2)
    assert base.axes_for((LevelRun(1, 4),)) is None
    assert base.axes_for((LevelRun(0, 1),) * 3) is None
    assert base.axes_for((LevelRun(0, 4, True),)) is None  # a ring has another way round


# -- lengths far beyond replay --------------------------------------------------------------------


@pytest.mark.parametrize("every", [3, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("c", [1, 2, 3])
def test_schedule_length_is_the_bound_far_beyond_replay(c, every):
    """LB⟨i,M⟩_c = max(λ, M), λ with Python integers [calmant, Theorems 1, 3, 4]."""
    for i in range(0, 20, every):
        for M in range(1 + i % every, 45, every):
            load = line_load((i + (M - 1) % c) // c, -(-M // c))
            assert schedule_length(i, M, c) == max(load, M)
            assert load == max_load(i, M, c)
    M = 3000 // every
    assert schedule_length(0, M, 1) == line_load(0, M)


def test_length_of_a_composition_adds_up():
    for c, i, M in itertools.product(range(1, 6), range(8), range(30)):
        whole = composed(equal_runs(i, M, c))
        assert whole.runs == equal_runs(i, M, c)
        assert whole.length >= max(max_load(i, M, c), M)
        if whole.rule == "concatenated":
            assert whole.length == sum(part.length for part in whole.parts)
            inside = [place for part in whole.parts for place in levels_in_order(part.runs)]
            assert inside == levels_in_order(whole.runs)


IRREDUCIBLE = {
    2: {(0, 7): 10, (0, 8): 10, (1, 7): 10, (0, 10): 21},
    3: {(0, 10): 10, (1, 9): 10, (1, 10): 10, (2, 9): 10, (2, 10): 10, (3, 9): 10}
    | {(1, 12): 20, (2, 11): 20, (2, 12): 20, (3, 11): 20, (3, 12): 20, (4, 11): 20}
    | {(0, 14): 21, (0, 15): 21, (1, 14): 21, (0, 17): 42, (0, 18): 42, (1, 17): 42},
}


@pytest.mark.parametrize("c", [2, 3])
def test_the_list_of_irreducible_tasks_is_complete(c):
    """docs/schedule_proofs.md: no split at the bound, by lower bounds alone; finite by loads."""
    found = {
        (i, M): lower_bound(i, M, c)
        for i in range(25)
        for M in range(2 * c + 1, 70)
        if all(
            lower_bound(i, a, c) + lower_bound(i + a, M - a, c) > lower_bound(i, M, c)
            for a in range(1, M)
        )
    }
    assert found == IRREDUCIBLE[c]
    assert {
        (i, M)
        for i in range(25)
        for M in range(60)
        if composed(equal_runs(i, M, c)).rule == "solved"
    } == set(found)


@pytest.mark.parametrize("c", [4, 5])
def test_every_task_on_four_and_five_axes_takes_the_lower_bound(c):
    """docs/schedule_proofs.md: finitely many tasks do not split into parts bound by their loads."""
    for i in range(45):
        for M in range(1, 75 - i):
            rest, top = M - 2 * c, 1 << (i + M - 1) // c
            splits = rest > 0 and max_load(i, rest, c) >= rest and top >= 2 * c
            if not splits:
                assert M <= 2 * c or (i < 12 and i + M < 36), (i, M)  # far inside of what is tried
                assert schedule_length(i, M, c) == lower_bound(i, M, c), (i, M)
