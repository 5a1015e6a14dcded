"""One order for several communications: [hou], section 5, Theorem 6 and the count of searches.

The program takes for every set S of bits the best of the orders (R(S - i), i), i in S. Members r
have loads T_i; the objectives are max_r max_i T_i (max-max), max_i sum_r T_i (max-sum) and
sum_i sum_r T_i (sum-sum). The load of bit j behind the bits S is counted by putting every message
where it stands when S is corrected; the n! orders are walked one by one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.claims.hou_reordering import without
from proofs_check.domain import AllMatrices, AllVectors, EveryN
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders
from proofs_check.packed import unpack_rows
from proofs_check.walk import busiest, contention, set_destination_planes, set_source_planes, walk

Tables = tuple[Ints, Ints]

MAX_MAX, MAX_SUM, SUM_SUM = range(3)
OBJECTIVES = ("max-max", "max-sum", "sum-sum")
TABULATED = 3
"""Up to this n the loads of all communications are tabulated once."""

TWO = (AllMatrices("A1") * AllVectors("b1")) * (AllMatrices("A2") * AllVectors("b2"))
"""Two communications: of a compiled claim `case.code` is the index of the first, `case.b` that of
the second."""


@kernel
def tabulate(n: int, index: int, scatter: bool, orders: Ints, walked: Ints, loads: Ints) -> None:
    """walked[o, j]: T of dimension j in order o; loads[S, j]: of bit j behind the bits S."""
    rows = np.empty(n, np.int64)
    nodes, images, present = np.empty((3, n), np.uint64)
    sets = np.empty(1 << n, np.uint64)
    set_source_planes(n, nodes)
    unpack_rows(index >> n, n, rows)
    set_destination_planes(n, rows, index & ((1 << n) - 1), nodes, images)
    start, end = (images, nodes) if scatter else (nodes, images)
    for o in range(len(orders)):
        walk(n, orders[o], 0, start, end, present, sets, walked[o])
    for S in range(1 << n):
        for k in range(n):
            present[k] = end[k] if S >> k & 1 else start[k]
        for j in range(n):
            loads[S, j] = busiest(n, present, start[j] ^ end[j], 0, sets)


def tabulated(n: int, indices: Ints, scatter: bool) -> Tables:
    """The walked T of every order and the loads of every (S, j), for communications by index."""
    walked = np.zeros((len(indices), math.factorial(n), n), np.int64)
    loads = np.zeros((len(indices), 1 << n, n), np.int64)
    for c, index in enumerate(indices):
        tabulate(n, int(index), scatter, all_orders(n), walked[c], loads[c])
    return walked, loads


@lru_cache(maxsize=8)
def all_tabulated(n: int, scatter: bool) -> Tables:
    """`tabulated` for the communications of all indices, n <= 3."""
    return tabulated(n, np.arange(1 << n * n + n), scatter)


@kernel
def objective_value(objective: int, first: Ints, second: Ints) -> int:
    """The objective of two members with loads T_i."""
    value = 0
    for i in range(len(first)):
        if objective == MAX_MAX:
            value = max(value, first[i], second[i])
        elif objective == MAX_SUM:
            value = max(value, first[i] + second[i])
        else:
            value += first[i] + second[i]
    return value


def profiles(*tables: Ints) -> tuple[Ints, Ints]:
    """The first row of every distinct row of the tables, and the profile number of each row.

    What is asked of a communication depends on its rows of the tables only, so that two with the
    same profile need not be tried twice.
    """
    flat = np.concatenate([table.reshape(len(table), -1) for table in tables], axis=1)
    _, representatives, numbers = np.unique(flat, axis=0, return_index=True, return_inverse=True)
    return representatives, numbers.reshape(-1)


def values_of_every_order(
    A1: GF2Matrix, b1: GF2Vector, A2: GF2Matrix, b2: GF2Vector, **_: bool
) -> Mapping[str, Any]:
    """The three objectives of every order, and those of the restrictions to all bits but one."""
    n = len(b1)
    shown: dict[str, Any] = {"all bits": _objectives(((A1, int(b1)), (A2, int(b2))), range(n))}
    for j in range(n):
        kept = [k for k in range(n) if k != j]
        parts = [
            (A.submatrix(kept, kept), sum(b[k] << p for p, k in enumerate(kept)))
            for A, b in ((A1, b1), (A2, b2))
        ]
        shown[f"restricted, without bit {j}"] = _objectives(tuple(parts), kept)
    return shown


def _objectives(
    members: tuple[tuple[GF2Matrix, int], ...], names: Any
) -> dict[tuple[int, ...], list[int]]:
    """order -> [max-max, max-sum, sum-sum], every message walked."""
    n = len(names)
    pairs = [[(x, A.apply(x) ^ b) for x in range(1 << n)] for A, b in members]
    values = {}
    for order in itertools.permutations(range(n)):
        loads = [contention(messages, order) for messages in pairs]
        sums = [sum(column) for column in zip(*loads, strict=True)]
        values[tuple(names[k] for k in order)] = [
            max(map(max, loads), default=0) if n else 0,
            max(sums, default=0),
            sum(sums),
        ]
    return values


# -- Theorem 6 ---------------------------------------------------------------------------------


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
    """Whether the program misses the least value over all walked orders, for any objective."""
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
    """For all pairs of profiles whether the program misses; profiles of gathers and scatters."""
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
    evidence="all messages walked in every order; the program written out, on counted loads",
    control=Control("the bit with the least load put next, without a program", greedy=True),
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

UP_TO_12 = EveryN("the program for n bits", dimensions=range(1, 13))


def searches(n: int) -> int:
    """How many orders (R(S - i), i) the program compares, counted one by one.

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
    evidence="the pairs (S, i) of the program counted one by one",
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
        "n ≥ 5, as the section speaks of a large hypercube. For n = 1, 2, 3, 4 there are 1, "
        "4, 12, 32 searches for 1, 2, 6, 24 orders",
        least_n=5,
    ),
)
def thm6_reduced(n: int, *, least_n: int = 1) -> Finding:
    orders, counted = math.prod(range(1, n + 1)), searches(n)
    return Finding((counted < orders) == (n >= least_n), orders=orders, searches=counted)


# -- contention restricted to a set of bits ----------------------------------------------------


@kernel
def _is_misled(
    objective: int, first: tuple[Ints, Ints], second: tuple[Ints, Ints], behind: Ints, used: Ints
) -> bool:
    """Whether for every last bit j some optimal order of the others, with j behind, is not best.

    A member is (T of every order, T of every order of the others [j, o]); `behind` and `used` say
    where the order with j behind, and the order that is asserted to be best, stand in the first.
    """
    least = objective_value(objective, first[0][0], second[0][0])
    for o in range(len(first[0])):
        least = min(least, objective_value(objective, first[0][o], second[0][o]))
    n, count = behind.shape
    for j in range(n):
        fewest, safe = -1, False
        for o in range(count):
            at = used[j, o]
            value = objective_value(objective, first[1][j, o], second[1][j, o])
            best = objective_value(objective, first[0][at], second[0][at]) == least
            if fewest < 0 or value < fewest:
                fewest, safe = value, best
            elif value == fewest:
                safe = safe and best
        if safe:
            return False
    return True


@kernel
def _mark_misled(walked: Ints, rests: Ints, behind: Ints, used: Ints, marked: Flags) -> None:
    for p in range(marked.shape[0]):
        for q in range(marked.shape[1]):
            first, second = (walked[p], rests[p]), (walked[q], rests[q])
            for objective in range(3):
                if _is_misled(objective, first, second, behind, used):
                    marked[p, q] = True


def _positions(n: int, in_front: bool) -> Ints:
    """Where in `all_orders(n)` an order of the bits without j, with j behind, stands: [j, o]."""
    known = {tuple(order): position for position, order in enumerate(all_orders(n).tolist())}
    positions = np.zeros((n, math.factorial(n - 1)), np.int64)
    for j, (o, rest) in itertools.product(range(n), enumerate(all_orders(n - 1).tolist())):
        lifted = [bit + (bit >= j) for bit in rest]
        positions[j, o] = known[(j, *lifted) if in_front else (*lifted, j)]
    return positions


def _loads_of_others(n: int, whole: bool) -> Ints:
    """T of the bits without j, for every communication, j and order of them: [c, j, o, bit].

    `whole` counts them in the communication itself, with bit j corrected last; else they are those
    of the communication restricted to the other bits.
    """
    walked, _ = all_tabulated(n, False)
    if whole:
        behind = _positions(n, False)
        kept = [[k for k in range(n) if k != j] for j in range(n)]
        return np.stack([walked[:, behind[j]][:, :, kept[j]] for j in range(n)], axis=1)
    shorter, _ = all_tabulated(n - 1, False)
    parts = np.array([[without(n, c, j)[0] for j in range(n)] for c in range(len(walked))])
    return np.asarray(shorter[parts])


@lru_cache(maxsize=8)
def _misled(n: int, whole: bool, in_front: bool) -> tuple[Flags, Ints]:
    """For all pairs of profiles whether the theorem fails; the profile of every communication."""
    walked, _ = all_tabulated(n, False)
    rests = _loads_of_others(n, whole)
    representatives, numbers = profiles(walked, rests)
    marked = np.zeros((len(representatives),) * 2, dtype=bool)
    _mark_misled(
        walked[representatives],
        np.ascontiguousarray(rests[representatives]),
        _positions(n, False),
        _positions(n, in_front),
        marked,
    )
    return marked, numbers


@compiled_claim(
    "hou.thm6.restricted",
    place="Section 5, Theorem 6",
    says="with R(S) any optimal order of S for the [A_r]_(S,S): for some j in L_n the order "
    "(R(L_n - j), j) is optimal for two communications, for max-max, max-sum and sum-sum",
    latex=r"R(S) \text{ optimal for } [A_r]_{S,S} \implies \exists j:\ (R(L_n - \{j\}), j) "
    r"\text{ optimal}",
    over=TWO.described("all pairs (A1, b1), (A2, b2), each with every choice of R"),
    evidence="all messages walked in every order of all bits and of all but one",
    control=Control("(j, R(L_n - j)), the bit in front", in_front=True),
    reading=Reading(
        "optimal is meant in the loads that S has in the whole communications, as in the "
        "published rank formula. For the communications restricted to S, T_i would also be 0 "
        "where a bit outside of S decides whether y_i = x_i",
        whole=True,
    ),
    sizes=Sizes(most=3, limit=3),
    tables=_misled,
)
def restricted(
    case: Case, marked: Flags, numbers: Ints, whole: bool = False, in_front: bool = False
) -> bool:
    return not marked[numbers[case.code], numbers[case.b]]


restricted.explain(values_of_every_order)
