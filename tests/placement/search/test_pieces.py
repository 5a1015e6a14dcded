"""Every piece of the search: valid placements, values counted message by message, sound bounds.

Compiled code reads and writes beyond the end of an array without a word, so that the kernels also
run as plain Python.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys

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
IN_PYTHON = [
    case for case in CASES
    if case.split(" | ")[0] in ("cuts", "descents", "bounds", "exact", "embedding")
    and case.split(" | ")[1] in (
        "torus:6", "mesh:3x2", "torus:3*2", "fattree:2x3/2", "mesh:3x3,nodes=0-6", "mesh:2x2"
    )
]  # fmt: skip


@pytest.mark.parametrize("case", sampled([case for case in CASES if case not in IN_PYTHON], 6))
def test_each_answer_is_verified(case: str) -> None:
    """Ranks are on different nodes, values are those of a count by the network, bounds hold."""
    assert facts(case)


@pytest.mark.parametrize("case", sampled(IN_PYTHON, 3))
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


@pytest.mark.slow
def test_a_seed_gives_the_same_answers_in_another_process() -> None:
    """Hashes of texts differ between processes; no answer depends on them."""
    repeated = [case for case in CASES if case.split(" | ")[1] in ("mesh:6x7", "fattree:4^2")][:12]
    code = (
        "import json; from tests.placement.search.pieces import facts\n"
        f"print(json.dumps([facts(case) for case in {repeated!r}]))"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": "7"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(elsewhere.stdout) == [facts(case) for case in repeated]
