"""Closed forms of loads and bounds, held against messages counted on explicit networks.

[calmant, Theorems 1, 3 and 4]: λ⟨i,M⟩_c and LB⟨i,M⟩_c.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.pipelining.loads import LevelRun, cut, largest_load, levels_in_order, line_load
from tests.pipelining.equal import axis_run, lower_bound, max_load, runs_of, task_of


def theorem_3(i: int, M: int, c: int) -> int:
    """The maximum load of a mesh as printed [calmant, Theorem 3]; it names the busiest axis."""
    return line_load((i + (M - 1) % c) // c, -(-M // c))


TASKS = [
    (i, M, c, d)
    for c, largest in ((1, 7), (2, 8), (3, 9), (4, 8))
    for d in range(c, largest + 1, c)
    for i in range(d + 1)
    for M in range(d - i + 1)
]


@pytest.mark.parametrize(("c", "largest"), [(1, 7), (2, 8), (3, 9), (4, 8)])
def test_maximum_load_on_the_explicit_mesh(c: int, largest: int) -> None:
    """[calmant, Theorems 1 and 3] against every message routed on the mesh."""
    for i, M, _, d in (task for task in TASKS if task[2] == c and task[3] <= largest):
        task = task_of(i, M, c, d)
        counted = task.mesh.channel_loads(task.messages()).degree if M else 0
        assert max_load(i, M, c) == max_load(i, M, c, d) == counted, task
        if c == 1:
            assert line_load(i, M) == counted
        if M:
            assert theorem_3(i, M, c) == counted


def test_maximum_load_on_the_explicit_torus() -> None:
    """With ties="plus" the load is that of `Torus` routing."""
    for i, M, c, d in TASKS:
        task = task_of(i, M, c, d, "torus")
        if M:
            counted = task.mesh.channel_loads(task.messages()).degree
            assert max_load(i, M, c, d, "torus", "plus") == counted, task


def test_no_axis_and_no_dimension_carry_nothing() -> None:
    assert largest_load(()) == largest_load((LevelRun(0, 0),)) == max_load(3, 0, 2) == 0


def test_theorem_1_recursion() -> None:
    """[calmant, Lemma 1]: two dimensions at a time, from above, add up."""
    for i, M in product(range(8), range(20)):
        parts = [(i, 1)] * (M % 2) + [(k, 2) for k in range(i + M % 2, i + M, 2)]
        assert line_load(i, M) == sum(line_load(*part) for part in parts)
        assert line_load(i, M) >= M  # so that one port costs nothing on a line


@pytest.mark.parametrize("side_bits", [2, 3])
def test_no_directions_beat_split_ties(side_bits: int) -> None:
    """All 2^s ways of sending half a ring of s nodes: the least maximum is that of "split"."""
    side = 1 << side_bits
    x = np.arange(side)
    for i in range(side_bits):
        M = side_bits - i
        rest = task_of(i, M - 1, 1, side_bits, "torus").link_loads()[0]
        best = 1 << 30
        for ways in product((False, True), repeat=side):
            loads = rest.copy()
            for start, forward in zip(x, ways, strict=True):
                for hop in range(side // 2):
                    tail = (start + hop) % side if forward else (start - hop) % side
                    loads[0 if forward else 1, tail] += 1
            best = min(best, int(loads.max()))
        assert best == max_load(i, M, 1, side_bits, "torus")


def test_ties_on_a_torus() -> None:
    """Splitting halves the longest dimension, "plus" loads it one way, "line" is the mesh."""
    assert [max_load(3, 1, 1, 4, "torus", ties) for ties in ("split", "plus", "line")] == [4, 8, 8]
    assert [max_load(2, 2, 1, 4, "torus", ties) for ties in ("split", "plus", "line")] == [8, 12, 8]
    assert max_load(0, 1, 1, 1, "torus") == 1  # two nodes: a line
    assert max_load(0, 3, 1, 4, "torus") == max_load(0, 3, 1)  # nothing goes half a ring


def test_bounds_of_both_kinds_of_ports() -> None:
    assert lower_bound(0, 5, 3) == 5
    assert lower_bound(0, 5, 3, ports="all") == 2
    assert lower_bound(0, 7, 2) == lower_bound(1, 7, 2) == 10
    assert lower_bound(0, 8, 2, 8, "torus") == 9
    for i, M, c, d in TASKS:
        one, everything = (lower_bound(i, M, c, d, ports=ports) for ports in ("one", "all"))
        assert one == max(everything, M)
        assert lower_bound(i, M, c, d, "torus") <= one


def test_a_node_with_all_ports_sends_no_more_than_the_load() -> None:
    """One message per axis and step would be no stronger bound than λ."""
    for topology, (i, M, c, d) in product(("mesh", "torus"), TASKS):
        most = max((axis_run(i, M, c, axis)[1] for axis in range(c)), default=0)
        assert most <= max_load(i, M, c, d, topology)


def test_empty_and_large_tasks() -> None:
    assert max_load(5, 0, 3) == lower_bound(5, 0, 3) == 0
    assert lower_bound(0, 200, 2) == ((1 << 101) - 2) // 3


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((-1, 1, 1), "i"),
        ((0, -1, 1), "M"),
        ((0, 1, 0), "c"),
        ((0.5, 1, 1), "i"),
        ((0, "2", 1), "M"),
        ((3, 4, 2, 6), "i, M"),
        ((1, 2**63, 8), "M"),
        ((0, 1, 10**40), "c"),
    ],
)
def test_bad_input_is_named(arguments: tuple[Any, ...], named: str) -> None:
    with pytest.raises(InputError) as caught:
        lower_bound(*arguments)
    assert caught.value.argument == named


def test_numbers_that_nobody_can_write_out_are_refused_at_once() -> None:
    """A load of ⟨2,10^40⟩_1 would have 10^40 bits."""
    with pytest.raises(SizeLimitError, match="M"):
        line_load(2, 10**40)


def test_cuts_of_runs() -> None:
    """Two parts of a task have its dimensions between them, each once, the lower ones below."""
    for i, M, c, d in TASKS:
        runs = runs_of(i, M, c, d, "torus")
        for low in range(M + 1):
            below, above = cut(runs, low)
            assert levels_in_order(below) + levels_in_order(above) == levels_in_order(runs)
            assert not low or low == M or not any(run.wraps for run in below) or c > 1
