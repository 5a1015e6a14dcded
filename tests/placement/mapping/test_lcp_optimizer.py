"""LCP_Optimizer of Fig. 3 against Theorem 4 and against a transcription with swapped rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError
from lccmodel.placement.mapping import lcp_iterations, lcp_optimizer
from tests.proofs_check.claims.test_hou_lcp_optimizer import plain_lcp_optimizer
from tests.walking import messages, walked_loads


@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_permutation_is_freed_of_contention(n: int) -> None:
    """Theorem 4 and Corollary 1: at most one message on any channel, by walking."""
    for rows in product(range(2**n), repeat=n):
        A = GF2Matrix.from_rows(rows, n)
        if A.rank < n:
            continue
        c = LCC(A, 1)
        assert max(walked_loads(messages(c), lcp_optimizer(c))) <= 1


def test_the_trace_is_that_of_the_swapping_program() -> None:
    """The same order, V and R as Fig. 3 with its row and column swaps."""
    rng = np.random.default_rng(8)
    swapped = 0
    for _ in range(200):
        n = int(rng.integers(2, 9))
        A = GF2Matrix(rng.integers(0, 2, (n, n)))
        if A.rank < n:
            continue
        begun, Q, R = plain_lcp_optimizer(A)
        order, (D, V) = GF2Matrix(Q).as_order(), begun[-1]
        trace = lcp_iterations(LCC(A))
        last = trace[-1]
        assert last.order == lcp_optimizer(LCC(A)) == order
        assert LCC(A).reordered(order).A.tolist() == D
        assert last.marked == tuple(k for k in range(n) if R[k])
        assert GF2Matrix.from_rows(last.V, n).tolist() == V
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


def test_one_bit_has_nothing_to_settle() -> None:
    assert lcp_iterations(LCC([[1]], [1])) == ()


def test_a_gather_is_refused() -> None:
    with pytest.raises(CommunicationError, match="optimal_reordering takes every kind"):
        lcp_optimizer(LCC([[0, 1], [0, 0]]))
