"""What the printed rules do when they are replayed; the smallest failures are findings."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.movement import Conflict
from lccmodel.pipelining.paper_rules import paper_extra_step, paper_length, paper_parts, paper_steps
from lccmodel.pipelining.replays import Replay, replay
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import lower_bound, max_load, task_of

FIGURE = True
PRINTED = False
LARGEST = {1: 7, 2: 8, 3: 9}


@cache
def _replays(as_drawn: bool) -> dict[tuple[int, int, int, int], Replay | Conflict]:
    """Every task on every mesh of at most 2^LARGEST[c] nodes."""
    return {
        (c, d, i, M): replay(task_of(i, M, c, d), paper_steps(task_of(i, M, c, d), as_drawn))
        for c, largest in LARGEST.items()
        for d in range(c, largest + 1, c)
        for M in range(1, d + 1)
        for i in range(d - M + 1)
    }


def _conflicts(as_drawn: bool) -> set[tuple[int, int, int]]:
    """(c, i, M) of the tasks that conflict."""
    return {(c, i, M) for (c, _, i, M), r in _replays(as_drawn).items() if not r.ok}


def _longer(as_drawn: bool) -> set[tuple[int, int, int, int, int]]:
    """(c, i, M, steps, bound) of the tasks that take more steps than the bound."""
    return {
        (c, i, M, r.steps, r.task.lower_bound)
        for (c, _, i, M), r in _replays(as_drawn).items()
        if isinstance(r, Replay) and not r.is_optimal
    }


def test_decomposition_of_lines_and_meshes() -> None:
    """[calmant, sections 3.2 and 4.2]."""
    assert paper_parts(0, 10, 2) == [(0, 2), (2, 4), (6, 4)]
    assert paper_parts(0, 6, 1) == [(0, 2), (2, 2), (4, 2)]
    assert paper_parts(4, 0, 2) == []
    for i, M, c in product(range(4), range(20), range(1, 5)):
        parts = paper_parts(i, M, c)
        assert [k for at, x in parts for k in range(at, at + x)] == list(range(i, i + M))


def test_the_extra_step_is_that_of_section_4_3() -> None:
    """1 if M mod 2c > λ⟨i, M mod 2c⟩_c and M even, or, by Property 3, M odd and M mod 2c > c."""
    found = {0: 0, 1: 0}
    for i, M, c in product(range(8), range(26), range(1, 5)):
        rest = M % (2 * c)
        exceeds = rest > max_load(i, rest, c)
        assert paper_extra_step(i, M, c) == int(exceeds and M % 2 == 0)
        odd = int(exceeds and M % 2 == 1 and rest > c)
        assert paper_extra_step(i, M, c, "odd") == odd
        found[paper_extra_step(i, M, c)] += 1
    assert min(found.values()) > 50


def _printed_step(k: int, m: list[int], i: int, x: int, c: int) -> int:
    """s of dimension k, i <= k < i + x <= i + 2c, in a node of coordinates m, as it is printed."""
    bound = lower_bound(i, x, c)
    if c == 1 and x == 1:
        return m[0] % 2 ** (i + 1)
    if x <= c:
        return (sum(m[j % c] % 2 ** (j // c) for j in range(i, i + x)) + k) % bound
    short = (
        k if k < i + x - c else k - c
    )  # the shorter dimension of the axis, below 0 if it is alone
    groups = sum(m[j % c] % 2 ** max(j // c, 0) for j in range(i + x - 2 * c, i + x - c))
    s = 2 * ((groups + (short if c > 1 else 0)) % -(-bound // 2))
    digits = [0, *(m[k % c] >> level & 1 for level in range(i + x))]
    lower, upper = digits[short // c + 1], digits[short // c + 2]
    return s + (lower != upper) if k != short else s + (lower == upper)


@pytest.mark.parametrize(("c", "d"), [(1, 5), (2, 6), (3, 6), (4, 4)])
def test_every_step_is_the_printed_one(c: int, d: int) -> None:
    """[calmant, sections 3.2.1, 4.2.1 to 4.2.3]: ⟨i,x⟩_c, x <= 2c, node by node and bit by bit."""
    for x in range(1, min(2 * c, d) + 1):
        for i in range(d - x + 1):
            task = task_of(i, x, c, d)
            nodes = task.embedding.coordinates.T.tolist()
            expected = [[_printed_step(k, m, i, x, c) for m in nodes] for k in range(i, i + x)]
            assert paper_steps(task).tolist() == expected, (i, x)


def test_line_with_one_dimension_takes_twice_the_bound_as_printed() -> None:
    """⟨i,1⟩_1 by m mod 2^(i+1): 2^(i+1) steps, though P⟨i,1⟩_1 = 2^i is claimed; first ⟨0,1⟩_1."""
    for i in range(7):
        result = replay(task_of(i, 1, 1, 7), paper_steps(task_of(i, 1, 1, 7)))
        assert isinstance(result, Replay)
        assert result.steps == 2 << i == 2 * lower_bound(i, 1, 1)
    assert (1, 0, 1, 2, 1) in _longer(PRINTED)
    assert {M % 2 for c, _, M, *_ in _longer(PRINTED) if c == 1} == {1}


def test_lines_are_optimal_when_the_figure_is_followed() -> None:
    """[calmant, Lemma 1]: with 2^i groups for ⟨i,1⟩_1, every ⟨i,M⟩_1 takes its bound."""
    assert not {task for task in _conflicts(FIGURE) | _longer(FIGURE) if task[0] == 1}


def test_conflicts_of_the_printed_rules() -> None:
    """Property 3 fails for ⟨i,c+1⟩_c, c = 3: three axes, but LB/2 = 2 pairs of steps."""
    conflicts = _conflicts(PRINTED)
    assert conflicts == {(3, i, 4) for i in range(6)}
    first = replay(task_of(0, 4, 3, 6), paper_steps(task_of(0, 4, 3, 6)))
    assert isinstance(first, Conflict)
    assert (first.kind, first.step, first.place) == ("receive", 0, 4)
    assert replay(task_of(6, 4, 3, 12), paper_steps(task_of(6, 4, 3, 12))).ok  # λ = 8: room again


@pytest.mark.parametrize("c", [2, 3, 4, 5])
def test_when_property_3_fails(c: int) -> None:
    """For c < x < 2c the rule conflicts exactly when ⌈LB/2⌉ < c: the c axes need c pairs."""
    for d in range(2 * c, 13, c):
        for x in range(c + 1, 2 * c):
            for i in range(d - x + 1):
                fits = -(-lower_bound(i, x, c) // 2) >= c
                assert replay(task_of(i, x, c, d), paper_steps(task_of(i, x, c, d))).ok is fits


def test_tasks_beyond_the_bound() -> None:
    """Property 3: one step more for odd LB; Lemma 2: whole tasks."""
    longer = {task for task in _longer(PRINTED) if task[0] > 1}
    assert min(longer) == (2, 0, 3, 4, 3)
    subtasks = {(c, i, M) for c, i, M, *_ in longer if M <= 2 * c}
    assert subtasks == {
        (c, i, M)
        for c, largest in ((2, 8), (3, 9))
        for M in range(c + 1, 2 * c)
        for i in range(largest - M + 1)
        if lower_bound(i, M, c) % 2
    }
    assert {task for task in longer if task[2] > 2 * task[0]} == {
        (2, 0, 7, 12, 10),
        (2, 1, 7, 12, 10),
        (2, 0, 8, 12, 10),
    }


@pytest.mark.parametrize("c", [1, 2, 3, 4, 5])
def test_properties_1_and_2(c: int) -> None:
    """x <= c and x = 2c: free of conflicts, and exactly the bound."""
    for d in (c, 2 * c, 3 * c) if c < 5 else (c, 2 * c):
        for x in (*range(1, c + 1), 2 * c):
            for i in range(d - x + 1):
                result = replay(task_of(i, x, c, d), paper_steps(task_of(i, x, c, d), FIGURE))
                assert isinstance(result, Replay), str(result)
                assert result.is_optimal


def test_lemma_2_as_printed() -> None:
    """The limits hold for c <= 3, and are reached; "0 otherwise" fails at c = 4."""
    gap = {
        (i, M, c): sum(lower_bound(*part, c) for part in paper_parts(i, M, c))
        - lower_bound(i, M, c)
        for i, M, c in product(range(12), range(1, 40), range(1, 5))
    }
    assert {(M, i) for (i, M, c), g in gap.items() if c == 1 and g} == set()
    for c, least, last, most in ((2, 7, 1, 2), (3, 9, 4, 4)):
        beyond = {(i, M): g for (i, M, c_), g in gap.items() if c_ == c and g}
        assert min(M for _, M in beyond) == least
        assert max(i for i, _ in beyond) == last
        assert max(beyond.values()) == most
    assert gap[4, 13, 4] == 1
    assert min(M for (_, M, c), g in gap.items() if c == 4 and g) == 13


def test_r_of_section_4_3() -> None:
    """r as printed ("M is even") is not P - LB; with M odd and M mod 2c > c it is."""
    for i, M, c in product(range(8), range(1, 20), range(1, 5)):
        parts = paper_parts(i, M, c)
        extra = sum(paper_length(*part, c) - lower_bound(*part, c) for part in parts)
        assert extra == paper_extra_step(i, M, c, "odd")
    assert paper_extra_step(0, 3, 2) == 0  # ⟨0,3⟩_2 takes 4 steps, its bound is 3
    assert paper_length(0, 3, 2) - lower_bound(0, 3, 2) == 1
    assert paper_extra_step(0, 2, 2) == 1  # ⟨0,2⟩_2 takes its bound of 2


def test_the_bound_is_odd_only_beyond_the_load() -> None:
    """[calmant, section 4.2.3]: for c < x < 2c, λ is even."""
    for c, i in product(range(2, 7), range(12)):
        for x in range(c + 1, 2 * c):
            assert max_load(i, x, c) % 2 == 0


def test_table_of_figure_7() -> None:
    """⟨3,4⟩_2, group 2 on axis 0 and 0 on axis 1: axis 1 from step 2, axis 0 from step 4."""
    steps = paper_steps(task_of(3, 4, 2, 8))
    n = 0b00000100  # m_0 = 2 (its bits are n_0, n_2, n_4, n_6), m_1 = 0
    assert sorted(steps[[0, 2], n]) == [2, 3]
    assert sorted(steps[[1, 3], n]) == [4, 5]


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: paper_steps(Task(0, 3, "mesh:4x8")), "task"),
        (lambda: paper_steps(Task(0, 3, "torus:4x4")), "task"),
        (lambda: paper_steps(Task(0, 3, "mesh:4x4", "all")), "task"),
        (lambda: paper_length(0, 5, 0), "c"),
        (lambda: paper_extra_step(0, 3, 2, "even"), "parity"),
        (lambda: paper_parts(-1, 3, 2), "i"),
    ],
)
def test_bad_input_is_named(call: Any, named: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.argument == named


def test_the_empty_task() -> None:
    assert paper_steps(task_of(1, 0, 2, 4)).shape == (0, 16)
    assert np.issubdtype(paper_steps(task_of(1, 0, 2, 4)).dtype, np.int64)
