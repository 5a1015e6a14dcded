"""Partitioned permutations: membership, counting, and random ones against listing all.

[boppana, Definitions 3 and 4, formula (3)].
"""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError
from lccmodel.permutations.partitioned import (
    PartitionTree,
    count_partitioned,
    count_undivided,
    list_partitioned,
    partition_tree,
    random_partitioned,
    unpacked,
)
from lccmodel.permutations.partitioned.tree import is_block_diagonal, is_divided
from proofs_check.claims.library_values import is_partitioned
from tests.bridges import check_bridge
from tests.matrices import all_nonsingular


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_linear_and_undivided_permutations_are_counted_by_formula(k):
    """|LIN_k| and |LC'_k| of (3), in both readings, against trying every matrix."""
    every = list(all_nonsingular(k))
    whole = [A for A in every if not any(is_divided(A, j) for j in range(1, k))]
    printed = [A for A in every if not any(is_block_diagonal(A, j) for j in range(1, k))]
    assert count_undivided(k) == len(whole) << k
    assert count_undivided(k, "diagonal") == len(printed) << k


@pytest.mark.parametrize("n", [1, 2, 3])
def test_what_divides_is_seen_on_every_node(n):
    """Top bits of Ax that depend on top bits of x alone; beside it low bits on low bits alone."""
    for A in all_nonsingular(n):
        image = [A.apply(x) for x in range(1 << n)]
        least = True
        for k in range(1, n + 1):
            low = n - k
            tops = {(x >> low, y >> low) for x, y in enumerate(image)}
            lows = {(x & (1 << low) - 1, y & (1 << low) - 1) for x, y in enumerate(image)}
            assert is_divided(A, k) is (len(tops) == 1 << k)
            assert is_block_diagonal(A, k) is (len(tops) == 1 << k and len(lows) == 1 << low)
            least &= k == n or len(tops) > 1 << k
        alone = PartitionTree(LCC(A))
        assert alone.is_least is least
        beside = PartitionTree(LCC([[1]]))
        for _ in range(n - 1):
            beside = PartitionTree(LCC([[1]]), (beside, beside))
        for pair in ((alone, beside), (beside, alone), (alone, alone)):
            tree = PartitionTree(LCC([[1]], [1]), pair)
            assert tree.is_least is least
            assert tree.depth == 1 + max(part.depth for part in pair)


@pytest.mark.parametrize("n", [1, 2, 3, pytest.param(4, marks=pytest.mark.slow)])
def test_both_definitions_list_as_many_as_formula_3_counts(n):
    """[boppana, Definitions 3 and 4, (3)]."""
    listed = list_partitioned(n, 3)
    assert len(set(listed.tolist())) == len(listed) == count_partitioned(n)
    assert np.array_equal(listed, list_partitioned(n, 4))
    if n < 4:
        assert (np.sort(unpacked(listed, n), axis=1) == np.arange(1 << n)).all()


def test_block_diagonal_exclusions_count_more_permutations_than_there_are():
    """(3) with LC' as printed: 28 of the 4! = 24 permutations of four nodes."""
    assert count_partitioned(2, "diagonal") == 28 > math.factorial(4) == count_partitioned(2)
    assert count_partitioned(3, "diagonal") == 2728


@pytest.mark.parametrize("most", [600, pytest.param(40320, marks=pytest.mark.slow)])
def test_permutations_of_eight_nodes_are_decided_by_definition_4(most):
    check_bridge("partition_tree", 3, most)


@given(st.integers(1, 7), st.integers(0, 10**6))
def test_a_random_tree_is_found_again_from_its_destinations(n, seed):
    tree = random_partitioned(n, seed)
    assert tree.n == n
    assert sorted(tree.destinations) == list(range(1 << n))
    assert partition_tree(tree.destinations) == tree
    assert is_partitioned(tree.destinations.tolist())
    assert len(str(tree).splitlines()) == sum(1 for _ in tree.parts())


def test_a_tree_is_written_part_by_part():
    """Its bits and its equation; the stars are the bits that are still to come."""
    assert str(partition_tree([0, 2, 3, 1, 4, 5, 7, 6])).splitlines() == [
        "*** bit 2: y = x",
        "  0** bits 0..1: y = [[0, 1], [1, 1]] x",
        "  1** bit 1: y = x",
        "    10* bit 0: y = x",
        "    11* bit 0: y = x + [1]",
    ]
    assert str(partition_tree([1, 0])) == "* bit 0: y = x + [1]"


@pytest.mark.slow
def test_random_permutations_are_spread_evenly():
    """12 000 draws of PLC_2: chi-squared with 23 degrees of freedom stays below 60 (p < 1e-4)."""
    draws = Counter(tuple(random_partitioned(2, seed).destinations) for seed in range(12_000))
    assert len(draws) == 24
    assert sum((count - 500) ** 2 / 500 for count in draws.values()) < 60
    kinds = Counter(random_partitioned(3, seed).k for seed in range(6_000))
    expected = {1: 6000 * 1152 / 2432, 2: 6000 * 256 / 2432, 3: 6000 * 1024 / 2432}
    assert sum((kinds[k] - e) ** 2 / e for k, e in expected.items()) < 20


ONE, TWO = PartitionTree(LCC([[1]])), PartitionTree(LCC([[1, 0], [0, 1]]))


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: partition_tree([0]), CommunicationError, "two nodes"),
        (lambda: partition_tree(LCC([[0, 0], [0, 1]])), CommunicationError, "a permutation"),
        (lambda: count_partitioned(-1), InputError, "n: "),
        (lambda: count_undivided(2, "square"), InputError, "square"),
        (lambda: random_partitioned(0, 1), InputError, "n: "),
        (lambda: random_partitioned(3, 0.5), InputError, "seed"),
        (lambda: PartitionTree(LCC([[0]])), CommunicationError, "permutation"),
        (lambda: PartitionTree(LCC([[1]]), (ONE,)), InputError, "inner"),
        (lambda: PartitionTree(LCC([[1]]), (ONE, TWO)), InputError, "same number of bits"),
        (lambda: list_partitioned(0), InputError, "n: must be at least 1; got 0"),
        (lambda: list_partitioned(2, 5), InputError, "definition: must be 3 or 4; got 5"),
        (lambda: unpacked(np.array([4]), 1), InputError, "permutations: must be uint64"),
        (lambda: unpacked(list_partitioned(1)[None], 1), InputError, "permutations: must be uint"),
    ],
)
def test_bad_input_is_named(call, error, said):
    with pytest.raises(error, match=said):
        call()


def test_every_subcube_must_be_partitioned_too():
    """Exchanging 3 and 4 in one half of 16 nodes: the division itself is fine, a half is not."""
    half = [0, 1, 2, 4, 3, 5, 6, 7]
    for destinations in ([*range(8), *(8 + y for y in half)], [*half, *range(8, 16)]):
        assert partition_tree(destinations) is None
        assert not is_partitioned(destinations)
