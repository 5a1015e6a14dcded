"""The kernels of a search as plain Python: they stay inside their arrays, and say the same.

Compiled code reads and writes beyond the end of an array without a word.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from lccmodel import _jit
from lccmodel.methods.placement import (
    annealing,
    bisection,
    compact,
    embedding,
    exact,
    problem,
    routes,
)
from tests.methods.placement.held import CASES, HELD, facts

KNOWN = json.loads(HELD.read_text())
SMALL = "torus:6", "mesh:3x2", "torus:3*2", "fattree:2x3/2", "mesh:3x3,nodes=0-6", "mesh:2x2"


@pytest.mark.parametrize("case", [
    case for case in CASES
    if case.split(" | ")[0] in ("cuts", "descents", "bounds", "exact", "embedding", "parts")
    and case.split(" | ")[1] in SMALL
])  # fmt: skip
def test_as_python_it_answers_the_same(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is held of the machine code, of small networks of every kind."""
    for module in (annealing, bisection, compact, embedding, exact, problem, routes):
        for name, value in list(vars(module).items()):
            if hasattr(value, "py_func"):
                monkeypatch.setattr(module, name, value.py_func)
    with np.errstate(over="ignore"), _jit.in_python():
        compact._least_sum.cache_clear()
        assert facts(case) == KNOWN[case]
        compact._least_sum.cache_clear()
