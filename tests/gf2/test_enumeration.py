"""Enumerators reach their known sizes by two routes; random matrices are uniform.

|GL(n,2)| = (2^n - 1)(2^n - 2)...(2^n - 2^(n-1)), and the number of matrices of every rank.
"""

import math

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.gf2 import enumeration, orbits
from tests.bridges import check_bridge
from tests.choosing import fast_only, sampled
from tests.matrices import all_nonsingular, index_of, rank_count

# -- counts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 5, 16, 64])
def test_nonsingular_matrices_are_those_of_full_rank(n):
    assert enumeration.general_linear_order(n) == rank_count(n, n, n)


def test_general_linear_order_of_known_groups():
    """|GL(2,2)| = 6, |GL(3,2)| = 168, |GL(4,2)| = 20160 (the order of A_8)."""
    sizes = [enumeration.general_linear_order(n) for n in range(6)]
    assert sizes == [1, 1, 6, 168, 20160, 9999360]
    assert sizes[4] == math.factorial(8) // 2


# -- enumerators --------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_nonsingular_matrices_by_two_routes(n):
    """By batch ranks, and by growing independent rows."""
    indices = enumeration.nonsingular_indices(n).tolist()
    assert indices == sorted(index_of(A) for A in all_nonsingular(n))


def test_nonsingular_indices_of_5_by_5():
    indices = enumeration.nonsingular_indices(5)
    assert len(indices) == 9999360
    assert np.all(np.diff(indices) > 0)


def test_a_short_enumeration_is_noticed(monkeypatch):
    """The negative control: an enumerator that owes more than it yields must fail."""
    monkeypatch.setattr(enumeration, "general_linear_order", lambda n: 169)
    with pytest.raises(enumeration.CountError, match="168 values where there are 169"):
        enumeration.nonsingular_indices(3)


# -- index and rows -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_unpacked_arrays(n):
    """Bits n i .. n i + n - 1 are row i; 0 is the zero matrix, and the last has ones alone."""
    indices = np.random.default_rng(n).integers(0, 2 ** (n * n), size=(4, 6))
    indices[0, :2] = 0, (1 << n * n) - 1
    rows = enumeration.unpack(indices, n)
    assert rows.shape == (4, 6, n)
    assert np.array_equal(rows.astype(object) @ [1 << n * i for i in range(n)], indices)
    assert enumeration.unpack(np.zeros((0,), dtype=np.int64), n).shape == (0, n)


# -- orbits -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", fast_only([1, 2, 3], 1, 2))
def test_orbits_by_the_whole_group(n):
    """QA = BQ for every Q and A: the least index of every orbit, and its size."""
    check_bridge("orbits", n)


@pytest.mark.slow
def test_orbits_of_5_by_5():
    assert len(orbits.reordering_orbits(5)) == 291968
    assert len(orbits.linear_orbits(5)) == 74


def test_orbit_counts_at_larger_n():
    """Directed graphs with loops on 6 and 7 unlabelled nodes; classes as a power series."""
    assert orbits.reordering_orbit_count(6) == 96928992
    assert orbits.reordering_orbit_count(7) == 112282908928
    series = [1] + [0] * 12
    for k in range(1, 13):  # multiply by 1 / (1 - 2 t^k)
        for power in range(k, 13):
            series[power] += 2 * series[power - k]
    assert [orbits.linear_orbit_count(n) for n in range(13)] == series


def test_a_wrong_number_of_orbits_is_noticed(monkeypatch):
    for wrong in (9, 11):
        monkeypatch.setattr(orbits, "reordering_orbit_count", lambda n, wrong=wrong: wrong)
        with pytest.raises(enumeration.CountError):
            orbits.reordering_orbits(2)


# -- random -------------------------------------------------------------------------------------


def chi_square(counts: np.ndarray) -> float:
    expected = counts.sum() / len(counts)
    return float(((counts - expected) ** 2 / expected).sum())


@pytest.mark.parametrize(
    ("draw", "size"),
    sampled(
        [
            (lambda rng: enumeration.random_matrix(2, rng), 16),
            (lambda rng: enumeration.random_matrix(2, rng, rank=0), 1),
            (lambda rng: enumeration.random_matrix(3, rng, rank=1), 49),
            (lambda rng: enumeration.random_matrix(3, rng, rank=2), 294),
            (lambda rng: enumeration.random_nonsingular(3, rng), 168),
            (lambda rng: enumeration.random_matrix(2, rng, rank=2), 6),
        ],
        2,
    ),
)
def test_random_matrices_are_uniform(draw, size):
    """Pearson's statistic stays within five standard deviations of its mean (fixed seed)."""
    rng = np.random.default_rng(20)
    draws = [index_of(draw(rng)) for _ in range(20 * size)]
    values, counts = np.unique(draws, return_counts=True)
    assert len(values) == size
    freedom = size - 1
    assert abs(chi_square(counts) - freedom) <= 5 * math.sqrt(2 * freedom)


@pytest.mark.parametrize("n", [1, 8, 9, 33, 64])
def test_random_at_every_width(n):
    rng = np.random.default_rng(n)
    rows = enumeration.random_matrices(50, n, rng)
    assert rows.shape == (50, n)
    assert int(rows.max()).bit_length() <= n
    assert int(np.bitwise_or.reduce(rows, axis=None)) == (1 << n) - 1
    assert enumeration.random_nonsingular(n, rng).is_nonsingular
    assert enumeration.random_matrix(n, rng, rank=n // 2).rank == n // 2
    assert enumeration.random_matrices(2, n, rng, n_rows=3).shape == (2, 3)
    twin = enumeration.random_matrix(n, np.random.default_rng(7))
    assert enumeration.random_matrix(n, np.random.default_rng(7)) == twin


# -- bad input ----------------------------------------------------------------------------------


RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: enumeration.general_linear_order(-1), InputError),
        (lambda: enumeration.unpack([16], 2), InputError),
        (lambda: enumeration.unpack([-1], 2), InputError),
        (lambda: enumeration.unpack([0.5], 2), InputError),
        (lambda: enumeration.nonsingular_indices(0), InputError),
        (lambda: enumeration.random_matrix(0, RNG), InputError),
        (lambda: enumeration.random_matrix(3, RNG, rank=4), InputError),
        (lambda: orbits.reordering_orbits(0), InputError),
        (lambda: orbits.linear_orbits(0), InputError),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
