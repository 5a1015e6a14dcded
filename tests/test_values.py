"""Values that say when they are equal: made twice they are, with one part changed they are not."""

import ast
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lccmodel
from lccmodel import LCC, GF2Matrix, Program, Traffic
from lccmodel.communication.patterns import Spread
from lccmodel.communication.program import Phase
from lccmodel.movement import Movement
from lccmodel.network import ChannelLoads, Mesh, parse_network
from lccmodel.network.table import RouteTable
from lccmodel.permutations.partitioned import BenesNetwork
from lccmodel.pipelining import Schedule, Task
from lccmodel.placement import optimal_reordering
from lccmodel.symbolic.affine import Affine

PAIR = Traffic([(0, 1), (1, 0)], [2, 3])


def _moved(steps: list[int], last: int = 0, word: str = "cube:1", ties: Any = "plus") -> Movement:
    return Movement.of_schedule(word, [(0, 1), (1, last)], steps, ties)


def _table(**changed: Any) -> RouteTable:
    links, routes = [(0, 1), (1, 0), (1, 2), (2, 1)], [[-1, 0, 0], [1, -1, 2], [3, 3, -1]]
    return RouteTable(links, routes, **changed)


def _loads(unit: int = 1, count: int = 3, word: str = "cube:1") -> ChannelLoads:
    network = parse_network(word)
    counts = np.zeros(network.counter_shape, int)
    counts[0, 0] = count
    return ChannelLoads(network, counts, unit)


MADE: dict[str, list[Callable[[], Any]]] = {
    "Affine": [
        lambda: Affine({"n": 1}, 2), lambda: Affine({"n": 1}, 3), lambda: Affine({"r": 1}, 2),
        lambda: Affine({"n": 2}, 2),
    ],
    "GF2Matrix": [
        lambda: GF2Matrix([[1, 0], [0, 1]]), lambda: GF2Matrix([[1, 0], [1, 1]]),
        lambda: GF2Matrix([[1, 0, 0], [0, 1, 0]]),
    ],
    "LCC": [
        lambda: LCC([[0, 1], [1, 0]]), lambda: LCC([[1, 0], [0, 1]]),
        lambda: LCC([[0, 1], [1, 0]], 1), lambda: LCC([[0, 1], [0, 0]]),
    ],
    "Spread": [
        lambda: Spread("uniform", 8), lambda: Spread("uniform", 9),
        lambda: Spread("uniform", 8, node=1), lambda: Spread("uniform", 8, node=1, extra=2),
        lambda: Spread("hotspot", 8),
    ],
    "Traffic": [
        lambda: Traffic([(0, 1)], [2], 4), lambda: Traffic([(0, 2)], [2], 4),
        lambda: Traffic([(0, 1)], [3], 4), lambda: Traffic([(0, 1)], [2], 5),
    ],
    "Phase": [
        lambda: Phase(PAIR, 2, "a"), lambda: Phase(PAIR, 3, "a"), lambda: Phase(PAIR, 2, "b"),
        lambda: Phase(Traffic([(0, 1), (1, 0)]), 2, "a"),
    ],
    "Program": [
        lambda: Program([PAIR]), lambda: Program([PAIR, PAIR]), lambda: Program([PAIR], ranks=3),
    ],
    "Network": [
        lambda: parse_network("mesh:4x2"), lambda: parse_network("mesh:2x4"),
        lambda: parse_network("torus:4x2"), lambda: parse_network("cube:3"),
    ],
    "RouteTable": [
        _table, lambda: _table(bandwidth=[1, 1, 2, 2]), lambda: _table(dimension=[0, 0, 1, 1]),
        lambda: _table(names="abc"), lambda: _table(word="b"),
        lambda: Mesh((3,)),
    ],
    "ChannelLoads": [
        _loads, lambda: _loads(2), lambda: _loads(count=2), lambda: _loads(word="mesh:2"),
    ],
    "Jumps": [
        lambda: _moved([0, 1]), lambda: _moved([1, 0]), lambda: _moved([0, 1], 1),
        lambda: _moved([0, 1], word="mesh:2"),
        lambda: _moved([0, 1], ties="split"),
    ],
    "Schedule": [
        lambda: Schedule(Task(0, 1, "mesh:2"), [[0, 1]]),
        lambda: Schedule(Task(0, 1, "mesh:2"), [[1, 0]]),
        lambda: Schedule(Task(0, 1, "mesh:2", "all"), [[0, 1]]),
        lambda: Schedule(Task(0, 1, "mesh:2"), [[0, 1]], "paper"),
        lambda: Schedule(Task(0, 1, "mesh:2"), [[0, 1]], ties=("plus",)),
    ],
    "BenesNetwork": [
        lambda: BenesNetwork([[0] * 4, [1] * 4]), lambda: BenesNetwork([[1] * 4, [0] * 4]),
        lambda: BenesNetwork([[0] * 2]),
    ],
    "Placement": [
        lambda: optimal_reordering(LCC([[0, 1], [1, 0]]), "cube:2"),
        lambda: optimal_reordering(LCC([[1, 1], [1, 0]]), "cube:2"),
        lambda: optimal_reordering(LCC([[0, 1], [1, 0]]), "origin:2"),
    ],
}  # fmt: skip
"""For each class one value, and others that differ from it in one part."""


def test_every_class_with_an_equality_of_its_own_is_here():
    folder = Path(lccmodel.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    trees = [ast.parse(source) for source in sources if "def __eq__" in source]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    own = {c.name for c in classes for d in c.body if getattr(d, "name", "") == "__eq__"}
    assert own == set(MADE)


@pytest.mark.parametrize("name", MADE)
def test_equal_values_are_those_whose_parts_are_all_equal(name):
    first, *others = MADE[name]
    value = first()
    assert value == first()
    assert hash(value) == hash(first())
    assert value == pickle.loads(pickle.dumps(value))
    for other in others:
        assert value != other()
        assert other() != value
    for thing in (None, 1, "1", object(), (value,)):
        assert value != thing
        answer = value.__eq__(thing)
        assert answer is NotImplemented or not answer
