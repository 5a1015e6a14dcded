"""The readings that the paper leaves open, against a plain simulation, and how much they route.

[boppana, section 3.3.1]: HL in M-SIMD and MIMD mode.
"""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.errors import CommunicationError, InputError, SizeLimitError
from lccmodel.permutations.partitioned import (
    count_partitioned,
    list_partitioned,
    partition_tree,
    random_partitioned,
    unpacked,
)
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
def test_every_reading_against_a_plain_simulation(data: st.DataObject, n: int) -> None:
    permutation = data.draw(st.permutations(range(1 << n)))
    for rules in every_rule(n):
        end, rows = simulate(permutation, **rules)
        trace = self_route(permutation, **rules)
        reason = "delivered" if trace.failure is None else trace.failure.reason
        assert reason == end, rules
        assert trace.movement.positions.tolist() == rows, rules


def test_many_at_once_end_as_each_one() -> None:
    rng = np.random.default_rng(20000)
    sample = np.array([rng.permutation(8) for _ in range(60)])
    for rules in every_rule(3):
        ends = route_all(sample, **rules)
        for permutation, end in zip(sample, ends, strict=True):
            failure = self_route(permutation, **rules).failure
            assert ENDINGS[end] == ("delivered" if failure is None else failure.reason)


@pytest.mark.parametrize(
    ("mode", "reading", "rules", "routed"),
    [
        ("mimd", "differ", {}, 40320),
        ("mimd", "tag", {"steps": 4}, 40320),
        ("mimd", "differ", {"third": "refused"}, 36672),
        ("mimd", "differ", {"receive": "one"}, 5842),
        ("mimd", "tag", {}, 34560),
        ("simd", "agree", {}, 23424),
        ("m-simd", "agree", {}, 24960),
        ("m-simd", "pairs", {}, 40320),
    ],
)
def test_the_claim_on_three_dimensions(mode: str, reading: str, rules: dict, routed: int) -> None:
    """[boppana, section 4]: MIMD routes all 8! on Q_3; with which reading it does.

    It needs room for a third tag and several receptions in a step; SIMD and M-SIMD in which all
    processors have to agree do not route all, and M-SIMD in which pairs decide does.
    """
    assert count_routed(all_permutations(3), mode, reading=reading, **rules) == routed


@pytest.mark.slow
def test_counts_are_those_of_both_variants() -> None:
    """Renaming bit i to n-1-i turns one variant into the other."""
    lsb, msb = routed_counts(3), routed_counts(3, "msb")
    assert [row.routed for row in lsb] == [row.routed for row in msb]
    assert len(lsb) == 3 + 3 + 4 * 8
    assert all(row.total == 40320 and row.steps in (3, 4) for row in lsb)
    assert all(row.routed == row.total for row in routed_counts(1))


@pytest.mark.parametrize(
    ("n", "size", "by_differ"),
    [(3, 1344, 1344), pytest.param(4, 322_560, 320_528, marks=pytest.mark.slow)],
)
def test_every_linear_complement_permutation(n: int, size: int, by_differ: int) -> None:
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


def lemma_6(n: int, k: int, rng: np.random.Generator) -> np.ndarray:
    """Partitions, named by the k high bits, permuted linearly, and each one inside as well."""
    low = n - k
    inside, between = all_linear(low), all_linear(k)
    chosen = inside[rng.integers(len(inside), size=1 << k)]
    x = np.arange(1 << n)
    high = between[rng.integers(len(between))][x >> low]
    return high << low | chosen[x >> low, x & (1 << low) - 1]


@pytest.mark.parametrize(("n", "k"), [(3, 1), (3, 2), (4, 1), (4, 2), (4, 3), (5, 1), (6, 2)])
def test_lemma_6_with_its_partition(n: int, k: int) -> None:
    """With the subcubes that the lemma names; those of the corrected bits alone do not do."""
    rng = np.random.default_rng(20000)
    sample = np.array([lemma_6(n, k, rng) for _ in range(300)])
    named = tuple(range(n - k, n))
    for reading in READINGS["m-simd"]:
        assert count_routed(sample, "m-simd", reading=reading, partition=named) == 300
    if n >= 4 and k == 1:
        assert count_routed(sample, "m-simd") < 300


@pytest.mark.parametrize("every", [16, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", ["lsb", "msb"])
@pytest.mark.parametrize("reading", READINGS["m-simd"])
def test_lemma_7_with_the_tree_of_the_permutation(variant: str, reading: str, every: int) -> None:
    """[boppana, Lemma 7]: all of PLC_3 or one in 16, random ones of PLC_4 and PLC_6, in n steps."""
    everyone = unpacked(list_partitioned(3), 3)
    assert len(everyone) == count_partitioned(3)
    trees = [partition_tree(p) for p in everyone[::every]]
    trees += [random_partitioned(n, seed) for n in (4, 6) for seed in range(60 // every)]
    for tree in trees:
        trace = self_route(tree.destinations, "m-simd", variant, reading=reading, partition=tree)
        assert trace.delivered, tree
        assert trace.steps == tree.n
        assert max(trace.movement.loads) <= 1
    assert not all(self_route(t.destinations, "m-simd").delivered for t in trees)  # without trees


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(0, 10**6), st.data())
def test_a_tree_against_a_plain_simulation(n: int, seed: int, data: st.DataObject) -> None:
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


def test_a_partition_is_named() -> None:
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
        (lambda: all_permutations(4), SizeLimitError, "at most 3"),
        (lambda: linear_complement_permutations(5), SizeLimitError, "319,979,520"),
        (lambda: routed_counts(2, "first"), InputError, "variant"),
        (lambda: routed_counts(2, modes=["x"]), InputError, "mode"),
        (lambda: self_route(range(4), "m-simd", partition=TREE), InputError, "tree of 2 bits"),
        (lambda: self_route(range(8), partition=TREE), InputError, "requires mode"),
        (lambda: self_route(range(8), "m-simd", partition=None), InputError, "or a PartitionTree"),
        (lambda: self_route(range(8), "m-simd", partition=5), InputError, "sequence of integers"),
    ],
)
def test_bad_input(call, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()


def test_no_permutation_at_all() -> None:
    assert route_all(np.empty((0, 4), dtype=int)).shape == (0,)
    assert all_permutations(0).tolist() == [[0]]


@pytest.mark.parametrize("word", ["mode", "variant", "reading", "third", "receive"])
def test_each_option_takes_the_words_of_its_list_alone(word: str) -> None:
    options = {"mode": "mimd", word: "another"}
    with pytest.raises(InputError) as caught:
        Rules(**options)
    assert caught.value.argument == word
