"""The readings that the paper leaves open, against a plain simulation, and how much they route.

[boppana, section 3.3.1]: HL in M-SIMD and MIMD mode.
"""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import CommunicationError, InputError
from lccmodel.permutations.partitioned import random_partitioned
from lccmodel.permutations.self_routing import (
    ENDINGS,
    MODES,
    READINGS,
    all_permutations,
    count_routed,
    linear_complement_permutations,
    route_all,
    routed_counts,
    self_route,
)
from lccmodel.permutations.self_routing.readings import Rules
from tests.permutations.self_routing.oracle import simulate


def every_rule(n: int) -> list[dict]:
    """All modes, variants and readings, with what can be chosen besides."""
    rules = []
    for mode, variant in product(MODES, ("lsb", "msb")):
        for reading in READINGS[mode]:
            base = {"mode": mode, "variant": variant, "reading": reading}
            if mode == "mimd":
                rules += [
                    {**base, "third": third, "receive": receive, "steps": steps}
                    for third in ("kept", "refused")
                    for receive in ("any", "one")
                    for steps in (n, n + 2)
                ]
            else:
                rules += [base, {**base, "steps": n}]
                if mode == "m-simd":
                    rules.append({**base, "partition": (n - 1,)})
    return rules


@settings(max_examples=40)
@given(st.data(), st.integers(1, 4))
def test_every_reading_against_a_plain_simulation(data, n):
    permutation = data.draw(st.permutations(range(1 << n)))
    for rules in every_rule(n):
        end, rows = simulate(permutation, **rules)
        trace = self_route(permutation, **rules)
        reason = "delivered" if trace.failure is None else trace.failure.reason
        assert reason == end, rules
        assert trace.movement.positions.tolist() == rows, rules


def test_many_at_once_end_as_each_one():
    rng = np.random.default_rng(20000)
    sample = np.array([rng.permutation(8) for _ in range(60)])
    for rules in every_rule(3):
        ends = route_all(sample, **rules)
        for permutation, end in zip(sample, ends, strict=True):
            failure = self_route(permutation, **rules).failure
            assert ENDINGS[end] == ("delivered" if failure is None else failure.reason)


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_counts_are_those_of_both_variants(n):
    """Renaming bit i to n-1-i turns one variant into the other.

    [boppana, section 4]: MIMD routes all 8! on Q_3 with room for a third tag and several
    receptions in a step; M-SIMD does in which pairs decide.
    """
    lsb, msb = routed_counts(n), routed_counts(n, "msb")
    assert [row.routed for row in lsb] == [row.routed for row in msb]
    assert len(lsb) == 3 + 3 + 4 * 8
    assert all(row.total == math.factorial(1 << n) and row.steps in (n, n + 1) for row in lsb)
    routed = {40320, 36672, 5842, 34560, 23424, 24960} if n == 3 else {math.factorial(1 << n)}
    assert routed <= {row.routed for row in lsb}


@pytest.mark.parametrize(
    ("n", "size", "by_differ"),
    [(3, 1344, 1344), pytest.param(4, 322_560, 320_528, marks=pytest.mark.slow)],
)
def test_every_linear_complement_permutation(n, size, by_differ):
    """By the local rule [boppana, Theorem 1]; what MIMD readings make of them."""
    everything = all_linear(n)
    assert len({row.tobytes() for row in everything}) == len(everything) == size
    for variant in ("lsb", "msb"):
        assert count_routed(everything, variant=variant) == size
    assert count_routed(everything, "m-simd", reading="states") == size
    assert count_routed(everything, "mimd", reading="tag") == size
    assert count_routed(everything, "mimd", reading="differ") == by_differ
    assert count_routed(everything, "mimd", reading="differ", steps=n + 1) == size


all_linear = cache(linear_complement_permutations)


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(0, 10**6), st.data())
def test_a_tree_against_a_plain_simulation(n, seed, data):
    """Any permutation with any tree, its own or not."""
    tree = random_partitioned(n, seed)
    permutation = data.draw(
        st.one_of(st.permutations(range(1 << n)), st.just(tree.destinations.tolist()))
    )
    for reading, variant in product(READINGS["m-simd"], ("lsb", "msb")):
        end, rows = simulate(permutation, "m-simd", variant, reading, tree=tree)
        trace = self_route(permutation, "m-simd", variant, reading=reading, partition=tree)
        assert ("delivered" if trace.failure is None else trace.failure.reason) == end
        assert trace.movement.positions.tolist() == rows
        ends = route_all([permutation], "m-simd", variant=variant, reading=reading, partition=tree)
        assert ENDINGS[ends[0]] == end


TREE = random_partitioned(3, seed=1)


def test_a_partition_is_named():
    assert "partition tree of depth" in repr(self_route(range(8), "m-simd", partition=TREE))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: route_all([[0, 0]]), CommunicationError, "row 0"),
        (lambda: route_all([[0, 1], [1, 2]]), CommunicationError, "row 1"),
        (lambda: route_all([0, 1]), CommunicationError, "shape"),
        (lambda: route_all([[0, 1, 2]]), CommunicationError, "shape"),
        (lambda: route_all([[0.0, 1.0]]), CommunicationError, "integers"),
        (lambda: route_all([[0, 1], [0]]), CommunicationError, "shape"),
        (lambda: routed_counts(2, "first"), InputError, "variant"),
        (lambda: routed_counts(2, modes=["x"]), InputError, "mode"),
        (lambda: self_route(range(4), "m-simd", partition=TREE), InputError, "tree of 2 bits"),
        (lambda: self_route(range(8), partition=TREE), InputError, "requires mode"),
        (lambda: self_route(range(8), "m-simd", partition=None), InputError, "or a PartitionTree"),
        (lambda: self_route(range(8), "m-simd", partition=5), InputError, "sequence of integers"),
    ],
)
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_no_permutation_at_all():
    assert route_all(np.empty((0, 4), dtype=int)).shape == (0,)
    assert all_permutations(0).tolist() == [[0]]


@pytest.mark.parametrize("word", ["mode", "variant", "reading", "third", "receive"])
def test_each_option_takes_the_words_of_its_list_alone(word):
    options = {"mode": "mimd", word: "another"}
    with pytest.raises(InputError) as caught:
        Rules(**options)
    assert caught.value.argument == word
