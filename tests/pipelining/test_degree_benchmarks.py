"""The peers of the degree benchmarks find the same degrees."""

import numpy as np
import pytest

from benchmarks import pipelining_degree


@pytest.mark.parametrize("benchmark", pipelining_degree.BENCHMARKS, ids=lambda b: b.name)
def test_ours_and_peer_agree(benchmark):
    ready = benchmark.prepare(36)
    assert np.array_equal(benchmark.ours(ready), benchmark.peer(benchmark.peer_prepare(ready)))
