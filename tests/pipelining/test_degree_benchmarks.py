"""The peers of the degree benchmarks find the same degrees."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from benchmarks import pipelining_degree


@pytest.mark.parametrize("benchmark", pipelining_degree.BENCHMARKS, ids=lambda b: b.name)
def test_ours_and_peer_agree(benchmark):
    ready = benchmark.prepare(36)
    assert np.array_equal(benchmark.ours(ready), benchmark.peer(benchmark.peer_prepare(ready)))


def test_a_degree_is_found_without_sympy_numba_or_matplotlib():
    """Only formulas, grids and figures pay for them."""
    code = (
        "import sys\n"
        "from lccmodel.pipelining.degree import optimal_degree\n"
        "from lccmodel.pipelining.machine import Machine\n"
        "assert optimal_degree(Machine('32x32', 500, 1), 4096).Q == 4\n"
        "print([name for name in ('sympy', 'numba', 'matplotlib') if name in sys.modules])\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
