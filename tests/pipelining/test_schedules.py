"""Schedules by name: what they reach, on meshes and tori, with one port and with all.

Lengths are the bounds of [calmant, Theorem 4]: the busiest link, or M.
"""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.movement import Conflict
from lccmodel.pipelining.paper_rules import paper_steps
from lccmodel.pipelining.replays import Replay
from lccmodel.pipelining.schedules import Schedule, schedule
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import best_parts, lower_bound, task_of


def _tasks(c: int, largest: int) -> list[tuple[int, int, int]]:
    return [
        (i, M, d) for d in range(c, largest + 1, c) for i in range(d) for M in range(1, d - i + 1)
    ]


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "largest"), [(1, 8), (2, 8), (3, 9), (4, 8)])
def test_all_ports_reach_the_load(c: int, largest: int, topology: Any) -> None:
    """Every axis is a line of its own, so λ steps are enough, for every task."""
    for i, M, d in _tasks(c, largest):
        result = schedule(task_of(i, M, c, d, topology, "all")).replay()
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal
        assert result.steps == result.max_load


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "largest"), [(1, 9), (2, 8), (3, 9)])
def test_subtasks_in_sequence(c: int, largest: int, topology: Any) -> None:
    """As long as the sum of the parts' bounds, and free of conflicts."""
    for i, M, d in _tasks(c, largest):
        s = schedule(task_of(i, M, c, d, topology), "subtasks")
        result = s.replay()
        assert isinstance(result, Replay), str(result)
        parts = best_parts(i, M, c, d, topology)
        assert result.steps == sum(lower_bound(*part, c, d, topology) for part in parts)
        assert result.is_optimal or M > 2 * c


def test_what_subtasks_in_sequence_miss() -> None:
    """Beyond the bound, with at most 9 dimensions and 3 axes."""
    missed = {
        (i, M, c, s.length, s.task.lower_bound)
        for c, largest in ((1, 9), (2, 8), (3, 9))
        for i, M, d in _tasks(c, largest)
        if not (s := schedule(task_of(i, M, c, d), "subtasks")).is_optimal
    }
    assert missed == {(0, 7, 2, 11, 10), (1, 7, 2, 11, 10), (0, 8, 2, 12, 10)}


@pytest.mark.parametrize(("c", "largest"), [(1, 9), (2, 8), (3, 9)])
def test_optimal_schedules_are_optimal(c: int, largest: int) -> None:
    """One port, mesh: the lower bound for every task up to three axes."""
    for i, M, d in _tasks(c, largest):
        result = schedule(task_of(i, M, c, d)).replay()
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal, (i, M, c, d)


@pytest.mark.parametrize(("c", "largest"), [(1, 9), (2, 10), (3, 9), (4, 8)])
def test_optimal_schedules_of_a_torus(c: int, largest: int) -> None:
    """One port, torus: the lower bound for every task."""
    for i, M, d in _tasks(c, largest):
        result = schedule(task_of(i, M, c, d, "torus")).replay()
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal, (i, M, d)


@pytest.mark.slow
def test_nothing_is_missed_on_larger_tori() -> None:
    """Every task with c = 2, d <= 16 and with c = 3, d <= 15 takes as many steps as its bound."""
    for c, largest in ((2, 16), (3, 15)):
        for i, M, d in _tasks(c, largest):
            assert schedule(task_of(i, M, c, d, "torus")).is_optimal, (i, M, c, d)


@pytest.mark.parametrize(("i", "M", "side"), [(3, 9, 16), (0, 14, 32)])
def test_tasks_settled_by_turns(i: int, M: int, side: int) -> None:
    """Words that stay the same when axes change places and steps move on: at the bound."""
    found = schedule(Task(i, M, f"torus:{side}x{side}x{side}"))
    replayed = found.replay()
    assert replayed.ok
    assert found.length == found.task.lower_bound == replayed.steps


@pytest.mark.slow
def test_optimal_schedules_on_a_large_mesh() -> None:
    for i, M, c, d in ((0, 14, 2, 14), (3, 11, 2, 14), (0, 15, 3, 15), (0, 12, 1, 12)):
        result = schedule(task_of(i, M, c, d)).replay()
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal


def test_best_parts_is_a_least_sum() -> None:
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


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_rule_delivers_or_says_why_not(data: Any) -> None:
    c = data.draw(st.integers(1, 4))
    d = c * data.draw(st.integers(1, 8 // c))
    i = data.draw(st.integers(0, d - 1))
    M = data.draw(st.integers(0, d - i))
    for rule in ("optimal", "subtasks", "paper"):
        s = schedule(task_of(i, M, c, d), rule)
        result = s.replay()
        assert s.steps.shape == (M, 1 << d)
        if isinstance(result, Conflict):
            assert rule == "paper"
            steps = s.steps
            ends = (result.first.number, result.second.number)
            assert [steps.ravel()[number] for number in ends] == [result.step] * 2
        else:
            assert result.steps == s.length >= s.task.lower_bound


def test_paper_schedules_are_the_printed_steps() -> None:
    task, single = task_of(2, 4, 3, 6), task_of(2, 1, 1, 4)
    assert (schedule(task, "paper").steps == paper_steps(task)).all()
    assert (schedule(single, "paper-figure").steps == paper_steps(single, as_drawn=True)).all()
    assert schedule(single, "paper").length == 2 * schedule(single, "paper-figure").length
    assert not schedule(task, "paper").replay().ok


def test_a_schedule_is_a_frozen_value() -> None:
    s = schedule(task_of(0, 4, 2, 4))
    assert s == schedule(task_of(0, 4, 2, 4))
    assert hash(s) == hash(schedule(task_of(0, 4, 2, 4)))
    assert s != schedule(task_of(0, 4, 2, 4), "subtasks")  # another rule
    with pytest.raises(dataclasses.FrozenInstanceError):
        s.rule = "mine"
    with pytest.raises(ValueError, match="read-only"):
        s.steps[0, 0] = 9
    assert repr(s) == "Schedule(⟨0,4⟩ on mesh:4x4: 4 steps, the lower bound; rule optimal)"


def test_messages_of_a_step_cover_the_task() -> None:
    s = schedule(task_of(1, 3, 2, 4), "subtasks")
    sent = [m for step in range(s.length) for m in s.messages(step)]
    assert len(set(sent)) == len(sent) == len(s.task.messages())
    assert s.messages(s.length) == []


def test_a_schedule_of_ones_own() -> None:
    task = task_of(0, 1, 1, 2)
    assert Schedule(task, np.zeros((1, 4), dtype=np.uint8)).replay().ok
    for steps in ([[0, 0]], [[0, 0, 0, -1]]):
        with pytest.raises(InputError, match="steps"):
            Schedule(task, steps)
    with pytest.raises(InputError, match="ties"):
        Schedule(task, np.zeros((1, 4), dtype=int), ties=("split", "split"))


def test_degenerate_tasks() -> None:
    for rule in ("optimal", "subtasks", "paper"):
        empty = schedule(task_of(0, 0, 2, 2), rule)
        assert empty.length == 0
        assert empty.is_optimal
        assert empty.replay().ok
    cube = schedule(task_of(0, 3, 3, 3))  # two nodes on each axis: a hypercube, one port
    assert (cube.length, cube.replay().ok) == (3, True)
    assert schedule(task_of(0, 3, 3, 3, "torus", "all")).length == 1


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((3,), "task"),
        ((task_of(0, 1, 1, 1), "best"), "rule"),
        (("mesh:4x6",), "mesh"),
        ((Task(0, 1, "mesh:2x4"), "paper"), "task"),
        ((task_of(0, 1, 1, 2, "torus"), "paper"), "task"),
        ((task_of(0, 1, 1, 1, "mesh", "all"), "paper"), "task"),
    ],
)
def test_bad_input_is_named(arguments: tuple[Any, ...], named: str) -> None:
    with pytest.raises(InputError) as caught:
        schedule(*arguments)
    assert caught.value.argument == named


def test_size_limit() -> None:
    with pytest.raises(SizeLimitError):
        schedule(task_of(0, 1, 1, 30))
