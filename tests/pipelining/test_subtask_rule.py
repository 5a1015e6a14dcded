"""The project's rule: no conflict and exactly the lower bound for every subtask, replayed.

P⟨i,M⟩_c = LB⟨i,M⟩_c, where [calmant, Property 3] has conflicts or a step more.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lccmodel.pipelining.base_schedules import axis_groups
from lccmodel.pipelining.replays import Replay, replay
from tests.choosing import sampled
from tests.pipelining.equal import (
    axis_coordinates,
    lower_bound,
    runs_of,
    subtask_steps,
    subtask_ties,
    task_of,
)


def _subtasks(c: int, largest: int) -> list[tuple[int, int, int]]:
    return [
        (i, x, d)
        for d in range(c, largest + 1, c)
        for i in range(d)
        for x in range(1, min(2 * c, d - i) + 1)
    ]


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(
    ("c", "largest"), sampled([(1, 10), (2, 10), (3, 9), (4, 12), (5, 10), (6, 12)], 2)
)
def test_every_subtask_takes_the_lower_bound(c: int, largest: int, topology: Any) -> None:
    """[calmant, Theorem 4] is met: all i and 1 <= x <= 2c on every mesh of at most 2^largest."""
    for i, x, d in _subtasks(c, largest):
        task = task_of(i, x, c, d, topology)
        steps = subtask_steps(i, x, c, d, topology)
        result = replay(task, steps, subtask_ties(i, x, c, d))
        assert isinstance(result, Replay), str(result)
        assert result.steps == int(steps.max()) + 1 == task.lower_bound
        assert result.delivered == x << d


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "d"), [(1, 4), (2, 6), (3, 6), (4, 8)])
def test_every_step_is_the_one_of_the_rule(c: int, d: int, topology: Any) -> None:
    """(W(m) + o_a + e) mod LB of the module, node by node; axes by their lowest dimension."""
    for i, x, size in _subtasks(c, d):
        if size != d:
            continue
        levels = {a: [k // c for k in range(i, i + x) if k % c == a] for a in range(c)}
        axes = sorted((own[0], a) for a, own in levels.items() if own)
        bound = lower_bound(i, x, c, d, topology)
        expected = np.empty((x, 1 << d), dtype=np.int64)
        for node, m in enumerate(axis_coordinates(d, c).T.tolist()):
            split = {
                a: topology == "torus" and len(levels[a]) == 1 and 2 << f == 1 << d // c
                for f, a in axes
            }
            groups = {a: (m[a] >> split[a]) % (1 << f >> split[a]) for f, a in axes}
            W, place = sum(len(levels[a]) * g for a, g in groups.items()), 0
            for f, a in axes:
                equal = (m[a] >> f ^ m[a] >> f + 1) & 1 == 0
                for short, level in enumerate(levels[a]):
                    e = int(equal == (short == 0)) if len(levels[a]) == 2 else 0
                    expected[level * c + a - i, node] = (W + place + e) % bound
                place += len(levels[a])
        assert np.array_equal(subtask_steps(i, x, c, d, topology), expected), (i, x)


@pytest.mark.slow
@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "largest"), [(1, 12), (2, 14), (3, 15), (4, 16), (7, 14)])
def test_larger_meshes(c: int, largest: int, topology: Any) -> None:
    for i, x, d in _subtasks(c, largest):
        result = replay(
            task_of(i, x, c, d, topology),
            subtask_steps(i, x, c, d, topology),
            subtask_ties(i, x, c, d),
        )
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal


def test_a_node_takes_part_in_every_dimension_once() -> None:
    """The sends of a node fall into x different steps; so do its receives."""
    for c, d in ((2, 8), (3, 9)):
        for i, x, _ in (s for s in _subtasks(c, d) if s[2] == d):
            steps = np.sort(subtask_steps(i, x, c, d), axis=0)
            assert (np.diff(steps, axis=0) > 0).all()


def test_places_fill_the_steps_when_the_port_is_the_limit() -> None:
    """⟨0,x⟩_c has x steps, and every node sends in all of them."""
    for c in (2, 3, 4):
        for x in range(2, 2 * c + 1):
            assert lower_bound(0, x, c) == x
            steps = subtask_steps(0, x, c, 2 * c)
            assert (np.sort(steps, axis=0) == np.arange(x)[:, None]).all()


def test_shift_control() -> None:
    """Without the weight of two for axes with two dimensions, the rule fails."""
    c, d, i, x = 2, 8, 4, 4
    steps = subtask_steps(i, x, c, d)
    coordinates = axis_coordinates(d, c)
    groups = sum(a.group(coordinates[a.axis]) for a in axis_groups(runs_of(i, x, c, d)))
    assert replay(task_of(i, x, c, d), steps).ok
    assert not replay(task_of(i, x, c, d), (steps - groups) % lower_bound(i, x, c)).ok


def test_the_smallest_mesh_that_holds_a_subtask_serves_all() -> None:
    """Steps depend on the low bits of coordinates only: a larger mesh repeats them."""
    small, large = subtask_steps(1, 4, 2, 6), subtask_steps(1, 4, 2, 10)
    assert (large == np.tile(small, 16)).all()
