"""LCP_Optimizer of Fig. 3 against the checker's figure with swapped rows; the bridge walks it."""

from __future__ import annotations

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError
from lccmodel.kernels.jit import in_python
from lccmodel.placement.mapping import lcp_iterations, lcp_optimizer
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_states


def test_the_trace_is_that_of_the_swapping_program() -> None:
    """The same order, D and V as Fig. 3 with its row and column swaps; R marks rows of pivots."""
    rng = np.random.default_rng(8)
    swapped = 0
    for _ in range(200):
        n = int(rng.integers(2, 9))
        A = GF2Matrix(rng.integers(0, 2, (n, n)))
        if A.rank < n:
            continue
        with in_python():
            Ds, Vs, Q = lcp_optimizer_states(A)
        trace = lcp_iterations(LCC(A))
        last, V = trace[-1], Vs[-1].tolist()
        assert last.order == lcp_optimizer(LCC(A)) == Q.as_order()
        assert LCC(A).reordered(last.order).A == Ds[-1]
        assert GF2Matrix.from_rows(last.V, n).tolist() == V
        assert last.marked == tuple(k for k in range(n) if any(V[k][: n - 1]))
        assert [step.i for step in trace] == list(range(n - 1))
        now = list(range(n))
        for step in trace:  # the swaps that are named, and no others, make the orders
            if step.swapped is not None:
                first, second = step.swapped
                now[first], now[second] = now[second], now[first]
            assert tuple(now) == step.order
        swapped += sum(step.swapped is not None for step in trace)
    assert swapped > 20


def test_contention_free_permutations_keep_their_order() -> None:
    for n in (1, 4, 64):
        assert lcp_optimizer(LCC(GF2Matrix.identity(n))) == tuple(range(n))
    assert lcp_iterations(LCC([[1]], [1])) == ()


def test_a_gather_is_refused() -> None:
    with pytest.raises(CommunicationError, match="optimal_reordering takes every kind"):
        lcp_optimizer(LCC([[0, 1], [0, 0]]))
