"""The kernels of a search as plain Python: they stay inside their arrays, and say the same.

Compiled code reads and writes beyond the end of an array without a word.
"""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel.kernels import jit
from lccmodel.placement.search import (
    annealing,
    assignment,
    assignment_bounds,
    bisection,
    distance_bounds,
    embedding,
    exact,
    problem,
    routes,
)
from tests.choosing import sampled
from tests.placement.search.pieces import CASES, facts

KERNELS = (
    annealing, assignment, assignment_bounds, bisection, distance_bounds, embedding, exact, problem,
    routes,
)  # fmt: skip
SMALL = "torus:6", "mesh:3x2", "torus:3*2", "fattree:2x3/2", "mesh:3x3,nodes=0-6", "mesh:2x2"


@pytest.mark.parametrize("case", sampled([
    case for case in CASES
    if case.split(" | ")[0] in ("cuts", "descents", "bounds", "exact", "embedding", "parts")
    and case.split(" | ")[1] in SMALL
], 3))  # fmt: skip
def test_as_python_it_answers_the_same(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machine code and Python give the same, on small networks of every kind."""
    compiled = facts(case)
    for module in KERNELS:
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    with np.errstate(over="ignore"), jit.in_python():
        distance_bounds._least_sum.cache_clear()
        assert facts(case) == compiled
        distance_bounds._least_sum.cache_clear()
