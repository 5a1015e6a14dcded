"""[hou] Theorem 6 and its counts: the programme and its tables against all orders walked."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import proofs_check
from lccmodel.lattice.weights import objective_value
from proofs_check.claim import Examined
from proofs_check.claims import hou_sets
from proofs_check.domain import PAIRS
from proofs_check.walk import contention


def messages(n, index, scatter=False):
    A, b = PAIRS.case(n, index)
    pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    return [(y, x) for x, y in pairs] if scatter else pairs


def walked_values(n, members):
    """order -> (max-max, max-sum, sum-sum), members given by their messages."""
    values = {}
    for order in itertools.permutations(range(n)):
        loads = [contention(pairs, order) for pairs in members]
        values[order] = tuple(
            objective_value(loads, [1] * len(loads), o) for o in hou_sets.OBJECTIVES
        )
    return values


@pytest.mark.slow
def test_the_counterexample_by_hand():
    """For max-sum every R(S), unique here, leads past the optimum 3 of the order (1, 0, 2)."""
    result = proofs_check.check("hou.thm6.restricted", max_n=3)
    details = result.counterexample.details
    values = {order: value[1] for order, value in details["all bits"].items()}
    assert min(values, key=values.get) == "(1, 0, 2)"
    for j in range(3):
        rest = {o: v[1] for o, v in details[f"restricted, without bit {j}"].items()}
        best = min(rest, key=rest.get)
        assert list(rest.values()).count(rest[best]) == 1
        assert values[f"{best[:-1]}, {j})"] > values["(1, 0, 2)"]


@pytest.mark.usefixtures("uncompiled")
def test_a_pair_of_four_bits_that_needs_the_programme():
    """The bit with the least load put next misses the optimum; all 24 orders walked here."""
    index = 140719340484
    assert hou_sets.thm6.check(4, index, index + 1) == Examined(1)
    assert hou_sets.thm6.check(4, index, index + 1, greedy=True) == Examined(1, index)
    members = [messages(4, part) for part in divmod(index, PAIRS.span(4))]
    misses = False
    for scatter in (False, True):
        first = [(y, x) for x, y in members[0]] if scatter else members[0]
        walked = walked_values(4, [first, members[1]])
        for o in range(3):
            order = ()
            while len(order) < 4:  # the load of a bit is that of any order that begins so
                rest = [bit for bit in range(4) if bit not in order]
                loads = {
                    bit: [
                        contention(pairs, (*order, bit, *(r for r in rest if r != bit)))[bit]
                        for pairs in (first, members[1])
                    ]
                    for bit in rest
                }
                order += (min(rest, key=lambda bit: (max, sum, sum)[o](loads[bit])),)
            misses |= walked[order][o] > min(value[o] for value in walked.values())
    assert misses


def test_the_search_space_is_reduced_from_five_dimensions_on():
    assert [hou_sets.searches(n) for n in range(1, 6)] == [1, 4, 12, 32, 80]


@given(st.integers(1, 3), st.booleans(), st.data())
def test_tables_against_messages_walked_one_by_one(n, scatter, data):
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    walked, loads = hou_sets.tabulated(n, np.array([index]), scatter)
    pairs = messages(n, index, scatter)
    for position, order in enumerate(itertools.permutations(range(n))):
        T = contention(pairs, order)
        assert walked[0, position].tolist() == T
        for i, bit in enumerate(order):
            assert loads[0, sum(1 << k for k in order[:i]), bit] == T[bit]


@given(st.integers(1, 4), st.booleans(), st.data())
def test_the_programme_kernel_against_all_orders_walked(n, scatter, data):
    indices = [data.draw(st.integers(0, PAIRS.span(n) - 1)) for _ in range(2)]
    first, second = (
        hou_sets.tabulated(n, np.array([index]), s)[1][0]
        for index, s in zip(indices, (scatter, False), strict=True)
    )
    best = np.empty(1 << n, np.int64)
    found = [hou_sets._programme(n, o, first, second, best) for o in range(3)]
    members = [messages(n, indices[0], scatter), messages(n, indices[1])]
    walked = walked_values(n, members)
    assert found == [min(value[o] for value in walked.values()) for o in range(3)]


@given(st.integers(2, 3), st.booleans(), st.data())
def test_the_restricted_theorem_against_all_orders_walked(n, whole, data):
    indices = [data.draw(st.integers(0, PAIRS.span(n) - 1)) for _ in range(2)]
    pairs = [messages(n, index) for index in indices]
    walked = walked_values(n, pairs)
    misled = False
    for objective in range(3):
        least = min(value[objective] for value in walked.values())
        safe = False
        for j in range(n):
            kept = [k for k in range(n) if k != j]
            values = {}
            for order in itertools.permutations(kept):
                if whole:
                    loads = [contention(p, (*order, j)) for p in pairs]
                    loads = [[T[k] for k in kept] for T in loads]
                else:
                    # the messages with x_j = 0, kept there: the restriction to the other bits
                    halves = [[(x, y & ~(1 << j)) for x, y in p if not x >> j & 1] for p in pairs]
                    loads = [[contention(p, (*order, j))[k] for k in kept] for p in halves]
                name = hou_sets.OBJECTIVES[objective]
                values[order] = objective_value(loads, [1, 1], name)
            best = [o for o, value in values.items() if value == min(values.values())]
            safe |= all(walked[(*o, j)][objective] == least for o in best)
        misled |= not safe
    marked, profiles = hou_sets._misled(n, whole, False)
    assert marked[profiles[indices[0]], profiles[indices[1]]] == misled
