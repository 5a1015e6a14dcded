"""lattice.count: the closed forms against slow counts.

The numbers of communications without contention, f(n) and its like in `lattice_count`.
"""

import itertools

import pytest

import proofs_check
from proofs_check.claims import lattice_count
from proofs_check.claims.lattice_count import free_for_vector, free_matrices, free_pairs
from proofs_check.domain import AllMatrices
from proofs_check.stations import messages
from proofs_check.walk import contention


@pytest.mark.slow
def test_the_number_of_free_matrices_of_five_dimensions():
    """2^25 (3/4)^4, by walking all of them."""
    free, nonsingular, singular = lattice_count._count_free(5, lattice_count._vectors(5))
    assert (free, nonsingular, singular) == (10616832, 5308416, 5308416)


def test_the_control_tells_readings_apart():
    """With b_1 = 0 the bit y_1 = x_1 asks for nothing: 14 matrices instead of 12."""
    found = proofs_check.check("lattice.count.vector", max_n=2).control.counterexample
    assert found.case == {"b": [1, 0]}
    assert (found.details["counted"], found.details["stated"]) == (14, 12)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_kernels_count_what_walking_single_messages_counts(n):
    """free_matrices, free_for_vector and free_pairs against route and channel_loads."""
    free = dict.fromkeys(range(1 << n), 0)
    whatever_b = 0
    for (A,) in (case for _, case in AllMatrices().cases(n, 0, 1 << n * n)):
        good = [b for b in free if max(contention(messages(A, b), range(n))) <= 1]
        for b in good:
            free[b] += 1
        whatever_b += len(good) == 1 << n
    assert whatever_b == free_matrices(n) == free[(1 << n) - 1]
    assert free == {b: free_for_vector(n, b) for b in free}
    assert free_pairs(n) == sum(free.values())


def test_pairs_are_the_sum_over_all_vectors():
    """lattice.count.pairs and lattice.count.vector, two sums of their own."""
    for n in range(1, 9):
        assert free_pairs(n) == sum(free_for_vector(n, b) for b in range(1 << n))


def test_the_bits_that_stay_count_by_their_place():
    """n = 3: b = 0 at the end of the order helps more than in the middle, at the start never."""
    found = {tuple(z): free_for_vector(3, 7 ^ sum(1 << i for i in z)) for z in _sets(3)}
    assert found[()] == found[0,] == free_matrices(3)
    assert found[0,] < found[1,] < found[2,]


def _sets(n):
    return itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(n + 1))
