"""Theorem 6 of [hou] with the contention of the communications restricted to a set of bits."""

from __future__ import annotations

import itertools
import math
from functools import lru_cache

import numpy as np

from lccmodel._jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Reading, Sizes
from proofs_check.claims.hou_reordering import without
from proofs_check.claims.hou_set_tables import (
    TWO,
    all_tabulated,
    objective_value,
    profiles,
    values_of_every_order,
)
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders


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
        "optimal is meant in the loads that S has in the whole communications, as the printed "
        "objective, ranks alone, has it; in T of the communications restricted to S, T_i would be "
        "0 also where a bit outside of S decides whether y_i = x_i",
        whole=True,
    ),
    sizes=Sizes(most=3, limit=3),
    tables=_misled,
)
def restricted(
    case: Case, marked: Flags, numbers: Ints, whole: bool = False, in_front: bool = False
) -> bool:
    """[hou, Theorem 6] with restricted communications."""
    return not marked[numbers[case.code], numbers[case.b]]


restricted.explain(values_of_every_order)
