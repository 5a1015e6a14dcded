"""One order for several communications: [hou], section 5, Theorem 6 and the count of searches.

The programme takes for every set S of bits the best of the orders (R(S - i), i), i in S.
"""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np

from lccmodel._jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.claims.hou_set_tables import (
    MAX_MAX,
    MAX_SUM,
    TABULATED,
    TWO,
    all_tabulated,
    objective_value,
    profiles,
    tabulate,
    values_of_every_order,
)
from proofs_check.domain import EveryN
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders


@kernel
def _extended(objective: int, value: int, first: int, second: int) -> int:
    """The objective after one more bit with these loads."""
    if objective == MAX_MAX:
        return max(value, first, second)
    if objective == MAX_SUM:
        return max(value, first + second)
    return value + first + second


@kernel
def _programme(n: int, objective: int, first: Ints, second: Ints, best: Ints) -> int:
    """The value of R(L_n): the best of (R(S - i), i) for every S, subsets before supersets."""
    best[0] = 0
    for S in range(1, 1 << n):
        best[S] = -1
        for i in range(n):
            if S >> i & 1:
                rest = S & ~(1 << i)
                value = _extended(objective, best[rest], first[rest, i], second[rest, i])
                if best[S] < 0 or value < best[S]:
                    best[S] = value
    return int(best[(1 << n) - 1])


@kernel
def _greedy(n: int, objective: int, first: Ints, second: Ints) -> int:
    """The value when the bit with the least loads comes next, ties to the lower bit."""
    S = value = 0
    for _ in range(n):
        chosen, least = -1, 0
        for i in range(n):
            step = _extended(objective, 0, first[S, i], second[S, i])
            if not S >> i & 1 and (chosen < 0 or step < least):
                chosen, least = i, step
        value = _extended(objective, value, first[S, chosen], second[S, chosen])
        S |= 1 << chosen
    return value


@kernel
def _misses(n: int, greedy: bool, walked: tuple[Ints, Ints], loads: tuple[Ints, Ints]) -> bool:
    """Whether the programme misses the least value over all walked orders, for any objective."""
    best = np.empty(1 << n, np.int64)
    for objective in range(3):
        least = -1
        for o in range(len(walked[0])):
            value = objective_value(objective, walked[0][o], walked[1][o])
            if least < 0 or value < least:
                least = value
        if greedy:
            found = _greedy(n, objective, loads[0], loads[1])
        else:
            found = _programme(n, objective, loads[0], loads[1], best)
        if found != least:
            return True
    return False


@kernel
def _mark_missed(n: int, greedy: bool, walked: Ints, loads: Ints, marked: Flags) -> None:
    for p in range(marked.shape[0]):
        for q in range(marked.shape[1]):
            marked[p, q] = _misses(n, greedy, (walked[p], walked[q]), (loads[p], loads[q]))


@lru_cache(maxsize=8)
def _missed(n: int, greedy: bool) -> tuple[Flags, Ints, Ints]:
    """For all pairs of profiles whether the programme misses; profiles of gathers and scatters."""
    both = [all_tabulated(n, scatter) for scatter in (False, True)]
    walked, loads = (np.concatenate(tables) for tables in zip(*both, strict=True))
    representatives, numbers = profiles(walked, loads)
    marked = np.zeros((len(representatives),) * 2, dtype=bool)
    _mark_missed(n, greedy, walked[representatives], loads[representatives], marked)
    gathers, scatters = np.split(numbers, 2)
    return marked, gathers, scatters


_PROGRAMME = (
    "the best of (R(S - i), i), i in S, taken for all S, ends with the optimum over all n! orders "
    "of two communications, for max-max, max-sum and sum-sum"
)


def _tables(n: int, *, greedy: bool) -> tuple[Ints, Flags, Ints, Ints]:
    """All orders; what is missed by two profiles, and profiles, as far as all are tabulated."""
    if n <= TABULATED:
        return all_orders(n), *_missed(n, greedy)
    return all_orders(n), np.zeros((0, 0), np.bool_), np.zeros(0, np.int64), np.zeros(0, np.int64)


@compiled_claim(
    "hou.thm6",
    place="Section 5, Theorem 6",
    says=_PROGRAMME,
    latex=r"R(L_n) = \min_{i} (R(L_n - \{i\}), i)",
    over=TWO.described("all pairs (A1, b1), (A2, b2); the first as a scatter too"),
    evidence="all messages walked in every order; the programme written out, on counted loads",
    control=Control("the bit with the least load put next, without a programme", greedy=True),
    sizes=Sizes(most=3, limit=3),
    samples={4: 1000, 5: 300},
    tables=_tables,
)
def thm6(
    case: Case, orders: Ints, marked: Flags, gathers: Ints, scatters: Ints, greedy: bool = False
) -> bool:
    """[hou, Theorem 6]: looked up in a table of profiles up to n = 3, walked beyond."""
    n = case.n
    if len(marked):
        second = gathers[case.b]
        return not (marked[gathers[case.code], second] or marked[scatters[case.code], second])
    walked = np.empty((3, len(orders), n), np.int64)
    loads = np.empty((3, 1 << n, n), np.int64)
    tabulate(n, case.code, False, orders, walked[0], loads[0])
    tabulate(n, case.code, True, orders, walked[1], loads[1])
    tabulate(n, case.b, False, orders, walked[2], loads[2])
    for first in range(2):
        if _misses(n, greedy, (walked[first], walked[2]), (loads[first], loads[2])):
            return False
    return True


thm6.explain(values_of_every_order)


# -- how many searches ------------------------------------------------------------------------

UP_TO_12 = EveryN("the programme for n bits", dimensions=range(1, 13))


def searches(n: int) -> int:
    """How many orders (R(S - i), i) the programme compares, counted one by one.

    >>> searches(4)         # Fig. 4
    32
    """
    return sum(len(S) for k in range(n + 1) for S in itertools.combinations(range(n), k))


@claim(
    "hou.thm6.searches",
    place="Section 5, after Theorem 6",
    says="the number of searches is Σ k C(n,k) = Σ n C(n-1,k-1) = n 2^(n-1)",
    latex=r"\sum_{k=1}^n k \binom nk = \sum_{k=1}^n n \binom{n-1}{k-1} = n 2^{n-1}",
    over=UP_TO_12,
    evidence="the pairs (S, i) of the programme counted one by one",
    control=Control("n 2^(n-1) - 1", less=1),
)
def thm6_searches(n: int, *, less: int = 0) -> Finding:
    counted = searches(n)
    sums = [
        sum(k * math.comb(n, k) for k in range(1, n + 1)),
        sum(n * math.comb(n - 1, k - 1) for k in range(1, n + 1)),
        n * 2 ** (n - 1) - less,
    ]
    return Finding(sums == [counted] * 3, counted=counted, stated=sums)


@claim(
    "hou.thm6.reduced",
    place="Section 5, after Theorem 6",
    says="the search space is reduced from n! to n 2^(n-1)",
    latex=r"n 2^{n-1} < n!",
    over=UP_TO_12,
    evidence="both counted; the orders as products of 1..n",
    control=Control("just when n ≥ 6", least_n=6),
    reading=Reading(
        "for a large hypercube computer, of which the section speaks: it is reduced just when "
        "n ≥ 5, as n = 1, 2, 3, 4 have 1, 4, 12, 32 searches for 1, 2, 6, 24 orders",
        least_n=5,
    ),
)
def thm6_reduced(n: int, *, least_n: int = 1) -> Finding:
    orders, counted = math.prod(range(1, n + 1)), searches(n)
    return Finding((counted < orders) == (n >= least_n), orders=orders, searches=counted)
