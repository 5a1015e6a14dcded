"""Sibeyn's algorithm, greedy walks and products of exchanges as the prover ran them.

Here the lines of [sibeyn, section 2] are run on arrays with whole products of matrices, and the
walks send every message of every b (`formal/walks_executable.v`).
"""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from tests.choosing import sampled
from tests.proofs_check.formal import Rows, digits, matrices, proved, sent, words
from tests.proofs_check.test_formal_orders import _load


def _exchange(n: int, i: int, j: int) -> np.ndarray:
    X = np.eye(n, dtype=int)
    X[[i, j]] = X[[j, i]]
    return X


def _sibeyn(n: int, rows: Rows, which: int, *, sabotage: bool = False) -> list[int]:
    """B as an order, E, the V; nothing if no j fits. `sabotage`: step a leaves the V alone."""
    A, B, E, V = np.array(rows), np.eye(n, dtype=int), [], []
    for i in range(n):
        if not A[i, i] and not (i + 1 < n and A[i + 1, i]):
            found = [j for j in range(i + 2, n) if A[j, i]]
            if not found:
                return []
            X = _exchange(n, i + 1, found[which % len(found)])
            A, B = X @ A @ X, X @ B
            V = V if sabotage else [X @ v @ X for v in V]
        E.append(int(not A[i, i]))
        if E[-1]:
            A = _exchange(n, i, i + 1) @ A
        V.append(np.eye(n, dtype=int))
        V[-1][i] = A[i]
        A = A @ V[-1] % 2
    return [*B.argmax(1).tolist(), *E, *(int(v) for X in V for v in X.flat)]


def _walked(n: int, rows: Rows, *, swap: bool) -> Iterator[int]:
    """Always the first bit of the arrangement that is free for every b, by its messages."""
    sets = [sent(rows, b) for b in words(n)]
    done: tuple[int, ...] = ()
    left = list(range(n))
    for _ in range(n):
        free = [max(_load(messages, done, j) for messages in sets) <= 1 for j in left]
        if True not in free:
            return
        at = free.index(True)
        yield left[at]
        done = (*done, left[at])
        if swap:
            left[at] = left[0]
            left.pop(0)
        else:
            left.pop(at)


def _line(n: int, rows: Rows, *, sabotage: bool = False) -> str:
    numbers = [*_sibeyn(n, rows, 0, sabotage=sabotage), *_sibeyn(n, rows, 1, sabotage=sabotage)]
    numbers += [*_walked(n, rows, swap=True), *_walked(n, rows, swap=False)]
    return digits(numbers) or "-"


def _products(n: int, *, longer: bool = False) -> str:
    """The shuffle, and which lists of n - 1 pairs move bit k to k + 1, one exchange at a time."""
    shuffle = [*range(1, n), 0]
    pairs = list(itertools.product(range(n), repeat=2))
    if n == 4:
        pairs = [(i, j) for i, j in pairs if i < j]
    found = []
    for chosen in itertools.product(pairs, repeat=n - 1):
        held = list(range(n))
        for i, j in chosen:
            held[i], held[j] = held[j], held[i]
        ends = [held.index(k) for k in range(n)]
        found.append(ends == shuffle and (longer or all(i < j for i, j in chosen)))
    return digits([*shuffle, *found])


def _lines(n: int, **sabotage: bool) -> list[str]:
    every = matrices(n)[: 60 * 1061 : 1061] if n == 4 else matrices(n)
    return [*(_line(n, rows, **sabotage) for rows in every), _products(n)]


@pytest.mark.parametrize("n", sampled([1, 2, 3, 4], 2))
def test_sibeyns_algorithm_and_the_walks_are_as_run_here(n):
    assert proved("walked", n) == _lines(n)


def test_shuffles_have_as_many_factorizations_as_counted():
    """n^(n-2), and pairs that do not ascend are others."""
    for n in (1, 2, 3, 4):
        assert proved("walked", n)[-1][n:].count("1") == n ** max(0, n - 2)
    assert proved("walked", 3)[-1] != _products(3, longer=True)


def test_an_algorithm_that_forgets_the_factors_would_be_noticed():
    assert proved("walked", 4)[:-1] != _lines(4, sabotage=True)[:-1]
