"""Meshes and tori whose sides differ: what is at the bound, and what is not (docs/embedding.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest

from lccmodel.pipelining import Machine, exchange_time, optimal_degree, schedule, step_table
from lccmodel.pipelining.compositions import composed, splitting
from lccmodel.pipelining.loads import levels_in_order
from lccmodel.pipelining.replays import Replay
from lccmodel.pipelining.task import Task
from tests.choosing import slow


def tasks(kind: str, c: int, d: int) -> Iterator[Task]:
    for sides in product(range(1, d + 1), repeat=c):
        if sum(sides) == d:
            word = f"{kind}:{'x'.join(str(1 << n) for n in sides)}"
            yield from (Task(i, M, word) for i in range(d) for M in range(1, d - i + 1))


def above(kind: str, c: int, most: int) -> set[tuple[tuple[int, ...], ...]]:
    """The runs, whatever the order of the axes, of tasks that stay above the bound."""
    return {
        tuple(sorted(tuple(run) for run in task.runs if run.length))
        for d in range(c, most + 1)
        for task in tasks(kind, c, d)
        if composed(task.runs).length > task.lower_bound
    }


@pytest.mark.parametrize(
    ("kind", "c", "most"),
    [
        case if k in (0, 1, 5) else slow(case)
        for k, case in enumerate(
            [
                *[("mesh", c, 9) for c in (1, 2, 3, 4, 5)],
                *[("torus", 2, 13), ("torus", 3, 10), ("torus", 4, 9)],
                *[pytest.param("mesh", c, 10, marks=pytest.mark.slow) for c in (3, 4, 5)],
                pytest.param("torus", 3, 11, marks=pytest.mark.slow),
            ]
        )
    ],
)
def test_what_is_above_the_bound(kind: str, c: int, most: int) -> None:
    """Nothing: docs/embedding.md says so of sides that differ."""
    assert above(kind, c, most) == set()


@pytest.mark.parametrize(
    "word", ["mesh:2x4x4x16", "mesh:2x2x8x16", "torus:4x8x16", "torus:2x16x16", "mesh:4x4x4x2x2"]
)
def test_every_order_of_the_axes_takes_the_bound(word: str) -> None:
    """mesh:4x4x16x2 took 14 steps, mesh:2x4x4x16 took 11, and the bound is 10."""
    kind, sides = word.split(":")
    for order in set(permutations(sides.split("x"))):
        task = Task.whole(f"{kind}:{'x'.join(order)}")
        found = schedule(task).replay()
        assert isinstance(found, Replay), str(found)
        assert found.is_optimal


@pytest.mark.parametrize(
    ("kind", "sides"), [("mesh", "2x2x2x2x16x2"), ("mesh", "4x2x16x2x2x2"), ("torus", "2x2x8x2x16")]
)
def test_the_length_does_not_depend_on_the_order_of_the_axes(kind: str, sides: str) -> None:
    """Also where it is above the bound."""
    tasks_of = [
        Task.whole(f"{kind}:{'x'.join(order)}") for order in set(permutations(sides.split("x")))
    ]
    assert len({composed(task.runs).length for task in tasks_of}) == 1
    found = schedule(tasks_of[-1])
    assert found.replay().ok
    assert found.length == composed(tasks_of[0].runs).length


def test_cuts_that_are_no_windows_are_named_by_their_dimensions() -> None:
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


@pytest.mark.parametrize(("kind", "c", "d"), [("mesh", 2, 8), ("mesh", 3, 7), ("torus", 2, 8)])
@pytest.mark.parametrize("ports", ["one", "all"])
def test_schedules_are_replayed(kind: str, c: int, d: int, ports: str) -> None:
    for task in tasks(kind, c, d):
        asked = Task(task.i, task.M, task.mesh, ports)
        result = schedule(asked).replay()
        assert isinstance(result, Replay), str(result)
        assert result.is_optimal
        assert result.max_load <= asked.max_load or ports == "one"


def test_only_some_axes_wrap_around() -> None:
    """A torus with a line among its axes: its runs wrap where its rings end."""
    task = Task.whole("torus:8x8,wrap=0")
    assert [run.wraps for run in task.runs] == [True, False]
    assert schedule(task).replay().ok


def test_the_order_of_the_axes_does_not_matter_for_steps() -> None:
    for word in ("2x8", "8x2", "2x4x8", "8x4x2"):
        table = step_table(word, "lower-bound")
        assert table.total(1) == sum((1 << n) - 1 for n in (1, 3, 2)[: word.count("x") + 1])
    assert step_table("2x4x8", "load").B == step_table("8x2x4", "load").B


def test_the_baseline_of_an_exchange_is_the_sum_of_dilations() -> None:
    """[calmant 2.3] with the dilations of the mesh, whatever its sides."""
    machine = Machine("4x8x16", 100, 1)
    dilations = Task.whole("4x8x16").embedding.dilations
    assert exchange_time("baseline", machine, 3) == sum(dilations) * (100 + 256 * 3)
    best = optimal_degree(machine, 256 * 3)
    assert best.evidence.holds()
    assert exchange_time("calmant-schedule", machine, 3) == best.time


def test_steps_repeat_on_longer_axes() -> None:
    small, large = schedule(Task(0, 5, "2x4x4")), schedule(Task(0, 5, "2x4x8"))
    assert np.array_equal(small.steps, large.steps[:, :32])
