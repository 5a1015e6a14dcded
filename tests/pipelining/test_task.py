"""Tasks: their messages, and loads counted in two ways.

λ⟨i,M⟩_c of [calmant, Theorems 1 and 3].
"""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import Hypercube
from lccmodel.pipelining.task import Task
from tests.pipelining.equal import max_load, task_of


@pytest.mark.parametrize("topology", ["mesh", "torus"])
@pytest.mark.parametrize(("c", "d"), [(1, 1), (1, 5), (2, 6), (3, 6), (3, 3), (4, 8)])
def test_link_loads_against_routing_on_every_line(c: int, d: int, topology: Any) -> None:
    """The loads of one line are the loads of all lines of its axis, in both directions."""
    side = 1 << d // c
    for i in range(d):
        for M in range(1, d - i + 1):
            task = task_of(i, M, c, d, topology)
            routed = task.mesh.channel_loads(task.messages()).counts
            counted = task.link_loads("plus")
            for axis, sign in product(range(c), (0, 1)):
                by_coordinate = routed[2 * axis + sign].reshape((side,) * c)
                lines = np.moveaxis(by_coordinate, c - 1 - axis, -1).reshape(-1, side)
                assert (lines == counted[axis][sign]).all(), task


@pytest.mark.parametrize("ties", ["split", "plus", "line"])
@pytest.mark.parametrize("topology", ["mesh", "torus"])
def test_counted_maximum_is_the_closed_form(topology: Any, ties: Any) -> None:
    for c, d in ((1, 1), (1, 2), (1, 7), (2, 2), (2, 8), (3, 9), (4, 12), (1, 12), (2, 20)):
        for i in range(0, d, max(1, d // 6)):
            for M in range(d - i + 1):
                task = task_of(i, M, c, d, topology)
                assert max(one.max() for one in task.link_loads(ties)) == max_load(
                    i, M, c, d, topology, ties
                ), task


def test_loads_are_the_same_both_ways_on_a_mesh() -> None:
    """[calmant, section 2.5]: and no message leaves the mesh at its border."""
    for i, M in ((0, 6), (2, 3), (5, 1)):
        loads = task_of(i, M, 2, 6).link_loads()
        for up, down in loads:
            assert (up[:-1] == down[1:]).all()
            assert not up[-1]
            assert not down[0]


def test_lemma_4() -> None:
    """The load of the link from m to m + 1 for ⟨k,1⟩_1, as printed."""
    for k in range(6):
        loads = task_of(k, 1, 1, 6).link_loads()[0][0]
        for m in range(63):
            low = m % (1 << k)
            expected = low + 1 if m % (2 << k) < 1 << k else (1 << k) - low - 1
            assert loads[m] == expected


def test_messages_of_a_task() -> None:
    task = task_of(1, 2, 2, 4)
    pairs = task.messages().reshape(2, 16, 2)
    assert pairs[:, 0].tolist() == [[0, 4], [0, 2]]
    assert {abs(int(u) - int(v)) for u, v in pairs[0]} == {4}
    assert len(task.messages()) == 32
    assert task_of(2, 0, 2, 4).messages().shape == (0, 2)


def test_a_task_is_a_frozen_value() -> None:
    task = task_of(np.int64(0), 4, c=2, d=4)
    assert task == task_of(0, 4, 2, 4)
    assert hash(task) == hash(task_of(0, 4, 2, 4))
    assert type(task.i) is int
    with pytest.raises(dataclasses.FrozenInstanceError):
        task.i = 1
    assert task.dimensions == range(4)
    assert [task.axis(k) for k in task.dimensions] == [0, 1, 0, 1]
    assert (task.max_load, task.lower_bound) == (2, 4)
    assert task_of(0, 4, 2, 4, ports="all").lower_bound == 2


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 4, "mesh:4x6"), "mesh"),
        ((0, 4, None), "mesh"),
        ((0, 4, Hypercube(4)), "mesh"),
        ((1, 4, "mesh:4x4"), "i, M"),
        ((-1, 4, "mesh:4x4"), "i"),
        ((0, -1, "mesh:4x4"), "M"),
        ((0, 1.5, "mesh:4x4"), "M"),
        ((0, 1, "mesh:4x4", 2), "ports"),
        ((0, 1, "mesh:4x4", []), "ports"),
    ],
)
def test_bad_input_is_named(arguments: tuple[Any, ...], named: str) -> None:
    with pytest.raises(InputError) as caught:
        Task(*arguments)
    assert caught.value.argument == named


def test_a_dimension_outside_the_task() -> None:
    with pytest.raises(InputError, match="dimension"):
        task_of(1, 2, 2, 4).axis(3)
    with pytest.raises(InputError, match="ties"):
        task_of(1, 2, 2, 4).link_loads("up")
    with pytest.raises(SizeLimitError):
        task_of(0, 2, 2, 40).messages()
    assert [one.shape for one in task_of(0, 2, 2, 40).link_loads()] == [(2, 1 << 20)] * 2
