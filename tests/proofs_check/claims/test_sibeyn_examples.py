"""sibeyn.ex*, sibeyn.numbering, sibeyn.average: counts of their own.

[sibeyn, Examples 1 to 4 and section 4].
"""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from proofs_check.census import Census
from proofs_check.claims.sibeyn_average import mean_needed, needed_steps, sampled_needed
from proofs_check.claims.sibeyn_examples import least_unit_shifts
from proofs_check.claims.sibeyn_grid import places_of
from proofs_check.claims.sibeyn_mesh import affine_form, numbers
from proofs_check.domain import AllMatrices, Nonsingular
from tests.matrices import all_nonsingular


@pytest.mark.parametrize("n", [2, 4])
def test_the_snake_is_found_among_all_affine_maps(n):
    """Every (C, d) tried: exactly one fits the snake, none the spiral of sixteen."""
    codes, matrices = zip(*Nonsingular().cases(n, 0, 1 << n * n), strict=True)
    images = Census(n, 0, 1 << n * n, AllMatrices()).images[list(codes)]
    for name in ("snake-like", "row-major", "spiral"):
        wanted = numbers(name, n)
        fitting = [
            (*matrices[k], d)
            for d in range(1 << n)
            for k in np.flatnonzero((images ^ d == wanted).all(axis=1))
        ]
        assert fitting == ([] if (name, n) == ("spiral", 4) else [affine_form(wanted)])


@pytest.mark.slow
def test_the_mean_of_four_processors_by_hand_and_of_sixteen_by_all_permutations():
    for n in (2, 4):
        total = count = 0
        x = np.arange(1 << n)
        rows, columns = np.empty((2, 1 << n), np.int64)
        rows[places_of(n)], columns[places_of(n)] = np.indices(places_of(n).shape)
        for A in all_nonsingular(n):
            images = np.bitwise_xor.reduce(
                [(x >> j & 1) * column for j, column in enumerate(A.columns)], axis=0
            )
            goals = images[None, :] ^ x[:, None]  # one row for every b
            for coordinate in (rows, columns):
                ways = coordinate[goals] - coordinate[None, :]
                total += int((ways.max(axis=1) - ways.min(axis=1)).sum())
            count += 1 << n
        assert mean_needed(n) == Fraction(total, count)


@pytest.mark.slow
def test_random_permutations_have_about_the_exact_mean():
    assert abs(sampled_needed(8) - mean_needed(8)) < 0.2


def test_distances_are_a_bound_for_every_schedule_of_four_processors():
    tight = 0
    for images in itertools.permutations(range(4)):
        found = np.array(images)
        assert needed_steps(found) <= least_unit_shifts(found)
        tight += needed_steps(found) == least_unit_shifts(found)
    assert tight >= 22
