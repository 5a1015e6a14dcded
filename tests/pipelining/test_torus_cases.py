"""Solved tasks on a torus: replayed, and solved again."""

from __future__ import annotations

import pytest

from lccmodel.errors import InputError
from lccmodel.pipelining.replays import Replay, replay
from lccmodel.pipelining.task import Task
from lccmodel.pipelining.torus_cases import find, solved_length, solved_steps


def test_solved_tasks_take_their_bound() -> None:
    """⟨0,8⟩_2 on a 16 x 16 torus in 9 steps, one port."""
    task = Task(0, 8, 2, 8, "torus")
    steps = solved_steps(0, 8, 2, 8)
    result = replay(task, steps)
    assert isinstance(result, Replay), str(result)
    assert (result.steps, result.is_optimal, result.max_load) == (9, True, 9)
    assert not replay(task, steps, "plus").ok  # the directions are part of the schedule
    assert solved_length(0, 8, 2, 8) == 9
    assert solved_length(0, 8, 2, 10) is None
    with pytest.raises(InputError, match="must be a solved task"):
        solved_steps(0, 8, 2, 10)


def test_the_search_finds_schedules_and_proves_that_there_are_none() -> None:
    pytest.importorskip("ortools")
    task = Task(0, 4, 2, 4, "torus")
    found = find(task, task.lower_bound)
    assert found is not None
    assert replay(task, found).ok
    assert find(task, task.lower_bound - 1) is None
    with pytest.raises(InputError, match="task"):
        find(Task(0, 4, 2, 4), 4)


@pytest.mark.slow
def test_the_solved_task_again() -> None:
    pytest.importorskip("ortools")
    task = Task(0, 8, 2, 8, "torus")
    found = find(task, 9, seconds=300)
    assert found is not None
    assert replay(task, found).ok
