"""The subset programme and LCP_Optimizer [hou, Theorem 6 and Fig. 3]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from operator import add
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark
from lccmodel import LCC, GF2Matrix, Hypercube, catalog
from lccmodel.gf2 import elimination
from lccmodel.placement import lcp_optimizer, optimal_reordering

SEED = 20000

Members = tuple[LCC, ...]


def three_communications(n: int) -> Callable[[int], Members]:
    """Matrix transpose, bit reversal and reverse-flip: the set of [hou, section 6.1]."""

    def prepare(_: int) -> Members:
        return (catalog.matrix_transpose(n), catalog.bit_reverse(n), catalog.reverse_flip(n))

    return prepare


def least_degree(members: Members) -> Any:
    """The whole call: the best order, in which no member does better without another's loss."""
    return optimal_reordering(members, Hypercube(members[0].n)).value_after


def least_sum(members: Members) -> Any:
    """The whole call for the sum of all loads, for which all sets are priced."""
    return optimal_reordering(members, Hypercube(members[0].n), "sum-sum").value_after


def python_degree(members: Members) -> int:
    """The least degree by `python_programme`."""
    return 1 << python_programme(members, lambda exponents, _: max(exponents), max)


def python_sum(members: Members) -> int:
    """The least sum by `python_programme`."""

    def total(exponents: Iterable[int], times: Iterable[int]) -> int:
        return sum(k << e for e, k in zip(exponents, times, strict=True))

    return python_programme(members, total, add)


def python_programme(
    members: Members,
    together: Callable[[Iterable[int], Iterable[int]], int],
    along: Callable[[int, int], int],
) -> int:
    """The programme on Python ints: subsets by size, every rank computed once and kept.

    `together` makes the cost of a step of the exponents of the loads and how many members have
    each; `along` joins the costs of a path.
    """
    n = members[0].n
    matrices = Counter(c.A.rows for c in members)
    times = tuple(matrices.values())

    @cache
    def exponent(rows: tuple[int, ...], S: int, j: int) -> int:
        kept = [rows[i] & S for i in range(n) if (S | 1 << j) >> i & 1]
        return S.bit_count() - elimination.rank(kept)

    least = [n << n] * (1 << n)  # more than any path
    least[0] = 0
    for S in range(1 << n):  # every subset of S is a smaller integer
        for j in range(n):
            if not S >> j & 1:
                cost = together((exponent(rows, S, j) for rows in matrices), times)
                after = S | 1 << j
                least[after] = min(least[after], along(least[S], cost))
    return least[-1]


def random_permutation(n: int) -> Callable[[int], LCC]:
    def prepare(_: int) -> LCC:
        rng = np.random.default_rng(SEED)
        while True:
            A = GF2Matrix(rng.integers(0, 2, (n, n)))
            if A.is_nonsingular:
                return LCC(A)

    return prepare


def programme(n: int, **goals: Any) -> Benchmark:
    return Benchmark(
        name=f"subset-{n}",
        work=f"optimal_reordering, 3 communications, n = {n}, searches (S, j)",
        items=n << n >> 1,
        prepare=three_communications(n),
        ours=least_degree,
        **goals,
    )


def sums(n: int, **goals: Any) -> Benchmark:
    return replace(
        programme(n, **goals),
        name=f"subset-{n}-sum",
        work=f"the same for sum-sum, all sets priced, n = {n}",
        ours=least_sum,
    )


BENCHMARKS = [
    programme(
        16,
        peer_name="Python, memoised ranks",
        peer=python_degree,
        goal=400,
        goal_seconds=0.02,
        repeats=3,
    ),
    programme(20, goal_seconds=0.5, repeats=5),
    programme(24, goal_seconds=6, repeats=3),
    sums(
        16,
        peer_name="Python, memoised ranks",
        peer=python_sum,
        goal=400,
        goal_seconds=0.02,
        repeats=3,
    ),
    sums(20, goal_seconds=0.5, repeats=5),
    sums(24, goal_seconds=6, repeats=3),
    sums(26, repeats=1),
    Benchmark(
        name="lcp-optimizer-64",
        work="LCP_Optimizer, a dense permutation, n = 64",
        items=1,
        prepare=random_permutation(64),
        ours=lcp_optimizer,
        goal_seconds=0.001,
    ),
]
