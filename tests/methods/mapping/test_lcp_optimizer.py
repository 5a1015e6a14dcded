"""LCP_Optimizer of Fig. 3 against Theorem 4 and against a transcription with swapped rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix
from lccmodel.errors import CommunicationError
from lccmodel.methods.mapping import lcp_iterations, lcp_optimizer
from tests.walking import messages, walked_loads


def swapping_optimizer(
    A: GF2Matrix,
) -> tuple[tuple[int, ...], GF2Matrix, list[int], list[list[int]]]:
    """Fig. 3 on arrays, with its RowSwap and ColSwap: the order, D, R and V at the end."""
    n = A.n_columns
    D = A.to_numpy().astype(int)
    V, R, Q = D.copy(), [0] * n, np.eye(n, dtype=int)
    for i in range(n - 1):
        j = next(j for j in range(n) if V[j, i] and not R[j])
        if j > i + 1:
            swap = list(range(n))
            swap[i + 1], swap[j] = j, i + 1
            D, V = D[swap][:, swap], V[swap][:, swap]
            R, Q = [R[k] for k in swap], Q[swap]
            j = i + 1
        for k in range(n):
            if k != j and V[k, i]:
                V[k] ^= V[j]
        R[j] = 1
    return tuple(int(k) for k in Q.argmax(axis=1)), GF2Matrix(D), R, V.tolist()


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
        order, D, R, V = swapping_optimizer(A)
        trace = lcp_iterations(LCC(A))
        last = trace[-1]
        assert last.order == lcp_optimizer(LCC(A)) == order
        assert LCC(A).reordered(order).A == D
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
