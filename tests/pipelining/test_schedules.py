"""Schedules by name: what they reach, on meshes and tori of any sides, with one port and with all.

Lengths are the bounds of [calmant, Theorem 4], the busiest link or M, where [calmant, Property 3]
has conflicts or a step more; every schedule is replayed.
"""

import dataclasses
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining import Machine, exchange_time, optimal_degree, step_table
from lccmodel.pipelining.base_schedules import axis_groups
from lccmodel.pipelining.compositions import composed, splitting
from lccmodel.pipelining.loads import levels_in_order
from lccmodel.pipelining.paper_rules import paper_steps
from lccmodel.pipelining.replays import Replay, replay
from lccmodel.pipelining.schedules import Schedule, schedule
from lccmodel.pipelining.task import Task
from tests.choosing import sampled, slow
from tests.pipelining.equal import (
    axis_coordinates,
    best_parts,
    lower_bound,
    runs_of,
    subtask_steps,
    subtask_ties,
    task_of,
)


def windows(c: int, largest: int) -> list[tuple[int, int, int]]:
    """i, M and d of all tasks on c equal axes of at most 2^largest nodes together."""
    return [
        (i, M, d) for d in range(c, largest + 1, c) for i in range(d) for M in range(1, d - i + 1)
    ]


def tasks(kind: str, c: int, d: int) -> Iterator[Task]:
    """All tasks on all meshes of c axes and 2^d nodes."""
    for sides in product(range(1, d + 1), repeat=c):
        if sum(sides) == d:
            word = f"{kind}:{'x'.join(str(1 << n) for n in sides)}"
            yield from (Task(i, M, word) for i in range(d) for M in range(1, d - i + 1))


def takes_the_bound(made: Schedule) -> Replay:
    replayed = made.replay()
    assert isinstance(replayed, Replay), str(replayed)
    assert replayed.is_optimal, made
    assert made.length == replayed.steps == made.task.lower_bound
    return replayed


@pytest.mark.parametrize("ports", ["one", "all"])
@pytest.mark.parametrize("kind", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "d"), [(1, 8), (2, 8), (3, 6), (3, 7)])
def test_every_task_on_all_sides_takes_the_bound(kind, c, d, ports):
    """With all ports every axis is a line of its own, so λ steps are enough."""
    for task in tasks(kind, c, d):
        replayed = takes_the_bound(schedule(Task(task.i, task.M, task.mesh, ports)))
        assert ports == "one" or replayed.steps == replayed.max_load


@pytest.mark.parametrize(
    ("c", "largest", "kind", "ports"),
    [
        *((c, most, "torus", "one") for c, most in ((1, 9), (2, 10), (3, 9), (4, 8))),
        *((c, most, kind, "all") for c, most in ((3, 9), (4, 8)) for kind in ("mesh", "torus")),
        slow((2, 14, "torus", "one")),
    ],
)
def test_every_task_on_equal_sides_takes_the_bound(c, largest, kind, ports):
    """A mesh with one port is replayed by the checker, in `test_whole_tasks`."""
    for i, M, d in windows(c, largest):
        takes_the_bound(schedule(task_of(i, M, c, d, kind, ports)))


@pytest.mark.parametrize(
    ("i", "M", "word"),
    [
        (0, 6, "torus:8x8,wrap=0"),  # some axes wrap around
        (0, 9, "mesh:2x4x4x16"),  # took 11 steps, and in another order of the axes 14
        (0, 8, "mesh:4x4x4x2x2"),
        (0, 9, "torus:2x16x16"),
        (3, 9, "torus:16x16x16"),  # settled by turns
        slow((0, 14, "torus:32x32x32")),
        slow((0, 14, "mesh:128x128")),
        slow((3, 11, "mesh:128x128")),
        slow((0, 20, "mesh:32x32x32x32")),
        slow((1, 19, "mesh:32x32x32x32")),
    ],
)
def test_larger_tasks_take_the_bound(i, M, word):
    takes_the_bound(schedule(Task(i, M, word)))


ABOVE = [
    *[("mesh", c, 9) for c in (1, 2)],
    ("torus", 2, 13),
    *map(slow, [("mesh", c, 10) for c in (3, 4, 5)]),
    *map(slow, [("torus", 3, 11), ("torus", 4, 9)]),
]


@pytest.mark.parametrize(("kind", "c", "most"), ABOVE)
def test_no_length_is_above_the_bound(kind, c, most):
    """docs/embedding.md says so of sides that differ; by lengths alone."""
    for d in range(c, most + 1):
        for task in tasks(kind, c, d):
            assert composed(task.runs).length == task.lower_bound, task


@pytest.mark.slow
def test_no_length_is_above_the_bound_on_larger_tori():
    for c, largest in ((2, 16), (3, 15)):
        for i, M, d in windows(c, largest):
            assert schedule(task_of(i, M, c, d, "torus")).is_optimal, (i, M, c, d)


@pytest.mark.parametrize(
    ("kind", "sides"), [("mesh", "2x2x2x2x16x2"), ("mesh", "4x2x16x2x2x2"), ("torus", "2x2x8x2x16")]
)
def test_the_length_does_not_depend_on_the_order_of_the_axes(kind, sides):
    """Also where it is above the bound."""
    orders = set(permutations(sides.split("x")))
    all_axes = [Task.whole(f"{kind}:{'x'.join(order)}") for order in orders]
    (length,) = {composed(task.runs).length for task in all_axes}
    made = schedule(all_axes[-1])
    assert made.replay().ok
    assert made.length == length


def test_cuts_that_are_no_windows_are_named_by_their_dimensions():
    """The parts hold every dimension once; none of them is ⟨i,M⟩ of another."""
    whole = next(
        made
        for sides in product(range(1, 5), repeat=6)
        if sum(sides) == 11
        for made in [splitting(Task.whole("mesh:" + "x".join(str(1 << n) for n in sides)))]
        if "{" in made.words()
    )
    parts = [place for part in whole.parts for place in levels_in_order(part.runs)]
    assert sorted(parts) == levels_in_order(whole.runs)
    assert parts != levels_in_order(whole.runs)


# -- subtasks -------------------------------------------------------------------------------------

MISSED = {2: {(0, 7): (11, 10), (1, 7): (11, 10), (0, 8): (12, 10)}}
"""Tasks on meshes of two axes for which subtasks in sequence miss the bound, up to d = 8."""


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "largest"), [(1, 9), (2, 8), (3, 9)])
def test_subtasks_in_sequence(c, largest, topology):
    """As long as the sum of the parts' bounds, and free of conflicts."""
    missed = {}
    for i, M, d in windows(c, largest):
        made = schedule(task_of(i, M, c, d, topology), "subtasks")
        replayed = made.replay()
        assert isinstance(replayed, Replay), str(replayed)
        parts = best_parts(i, M, c, d, topology)
        assert replayed.steps == sum(lower_bound(*part, c, d, topology) for part in parts)
        if not replayed.is_optimal:
            assert M > 2 * c
            missed[i, M] = (replayed.steps, made.task.lower_bound)
    assert topology == "torus" or missed == MISSED.get(c, {})


def test_best_parts_is_a_least_sum():
    """Against all ways of cutting a task into parts of at most 2c dimensions."""

    def least(i: int, M: int, c: int) -> int:
        if not M:
            return 0
        return min(
            lower_bound(i, x, c) + least(i + x, M - x, c) for x in range(1, min(M, 2 * c) + 1)
        )

    for c, i, M in product((1, 2, 3), range(3), range(10)):
        parts = best_parts(i, M, c)
        assert [k for at, x in parts for k in range(at, at + x)] == list(range(i, i + M))
        assert sum(lower_bound(*part, c) for part in parts) == least(i, M, c)


SUBTASKS = [(1, 10), (2, 10), (3, 9), (4, 12), (5, 10), (6, 12)]
LARGER = [(1, 12), (2, 14), (3, 15), (4, 16), (7, 14)]


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "largest"), [*sampled(SUBTASKS, 2), *map(slow, LARGER)])
def test_every_subtask_takes_the_lower_bound(c, largest, topology):
    """[calmant, Theorem 4] is met: all i and 1 <= x <= 2c on every mesh of at most 2^largest."""
    for i, x, d in windows(c, largest):
        if x <= 2 * c:
            task, steps = task_of(i, x, c, d, topology), subtask_steps(i, x, c, d, topology)
            replayed = replay(task, steps, subtask_ties(i, x, c, d))
            assert isinstance(replayed, Replay), str(replayed)
            assert replayed.steps == int(steps.max()) + 1 == task.lower_bound
            assert replayed.delivered == x << d


def test_without_the_weight_of_two_the_rule_of_subtasks_fails():
    """Control: axes with two dimensions."""
    c, d, i, x = 2, 8, 4, 4
    steps, coordinates = subtask_steps(i, x, c, d), axis_coordinates(d, c)
    groups = sum(a.group(coordinates[a.axis]) for a in axis_groups(runs_of(i, x, c, d)))
    assert replay(task_of(i, x, c, d), steps).ok
    assert not replay(task_of(i, x, c, d), (steps - groups) % lower_bound(i, x, c)).ok


# -- the value ------------------------------------------------------------------------------------


def test_paper_schedules_are_the_printed_steps():
    task, single = task_of(2, 4, 3, 6), task_of(2, 1, 1, 4)
    assert (schedule(task, "paper").steps == paper_steps(task)).all()
    assert (schedule(single, "paper-figure").steps == paper_steps(single, as_drawn=True)).all()
    assert schedule(single, "paper").length == 2 * schedule(single, "paper-figure").length
    assert not schedule(task, "paper").replay().ok


def test_a_schedule_is_a_frozen_value():
    made = schedule(task_of(0, 4, 2, 4))
    assert made == schedule(task_of(0, 4, 2, 4))
    assert hash(made) == hash(schedule(task_of(0, 4, 2, 4)))
    assert made != schedule(task_of(0, 4, 2, 4), "subtasks")  # another rule
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.rule = "mine"
    with pytest.raises(ValueError, match="read-only"):
        made.steps[0, 0] = 9
    assert repr(made) == "Schedule(⟨0,4⟩ on mesh:4x4: 4 steps, the lower bound; rule optimal)"
    sent = [message for step in range(made.length) for message in made.messages(step)]
    assert len(set(sent)) == len(sent) == len(made.task.messages())
    assert made.messages(made.length) == []
    assert Schedule(task_of(0, 1, 1, 2), np.zeros((1, 4), dtype=np.uint8)).replay().ok


def test_degenerate_tasks():
    for rule in ("optimal", "subtasks", "paper"):
        empty = schedule(task_of(0, 0, 2, 2), rule)
        assert (empty.length, empty.is_optimal, empty.replay().ok) == (0, True, True)
    cube = schedule(task_of(0, 3, 3, 3))  # two nodes on each axis: a hypercube, one port
    assert (cube.length, cube.replay().ok) == (3, True)
    assert schedule(task_of(0, 3, 3, 3, "torus", "all")).length == 1


def test_steps_and_times_of_sides_that_differ():
    """[calmant 2.3]: the baseline is the sum of the dilations, whatever the order of the axes."""
    for word in ("2x8", "8x2", "2x4x8", "8x4x2"):
        table = step_table(word, "lower-bound")
        assert table.total(1) == sum((1 << n) - 1 for n in (1, 3, 2)[: word.count("x") + 1])
    assert step_table("2x4x8", "load").B == step_table("8x2x4", "load").B
    machine = Machine("4x8x16", 100, 1)
    dilations = Task.whole("4x8x16").embedding.dilations
    assert exchange_time("baseline", machine, 3) == sum(dilations) * (100 + 256 * 3)
    assert exchange_time("calmant-schedule", machine, 3) == optimal_degree(machine, 256 * 3).time


LINE = task_of(0, 1, 1, 2)


@pytest.mark.parametrize(
    ("call", "argument"),
    [
        (lambda: schedule(3), "task"),
        (lambda: schedule(LINE, "best"), "rule"),
        (lambda: schedule("mesh:4x6"), "mesh"),
        (lambda: schedule(Task(0, 1, "mesh:2x4"), "paper"), "task"),
        (lambda: schedule(task_of(0, 1, 1, 2, "torus"), "paper"), "task"),
        (lambda: schedule(task_of(0, 1, 1, 1, "mesh", "all"), "paper"), "task"),
        (lambda: splitting("mesh:4x4"), "task"),
        (lambda: Schedule(LINE, [[0, 0]]), "steps"),
        (lambda: Schedule(LINE, [[0, 0, 0, -1]]), "steps"),
        (lambda: Schedule(LINE, np.zeros((1, 4), dtype=int), ties=("split", "split")), "ties"),
    ],
)
def test_bad_input_is_named(call, argument):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == argument


def test_size_limit():
    with pytest.raises(SizeLimitError):
        schedule(task_of(0, 1, 1, 30))
