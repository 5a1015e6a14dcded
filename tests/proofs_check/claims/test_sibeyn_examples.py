"""sibeyn.ex*, sibeyn.numbering, sibeyn.average: the verdicts, and counts of their own.

[sibeyn, Examples 1 to 4 and section 4].
"""

import itertools
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest

import proofs_check
from lccmodel._jit import in_python
from proofs_check.census import Census
from proofs_check.claims.sibeyn_average import mean_needed, needed_steps, sampled_needed
from proofs_check.claims.sibeyn_examples import least_unit_shifts
from proofs_check.claims.sibeyn_grid import places_of
from proofs_check.claims.sibeyn_numbering import affine_form, numbers
from proofs_check.domain import AllMatrices, Nonsingular
from tests.matrices import all_nonsingular

COMPILED = {"sibeyn.average"}  # it would take longer in Python


@pytest.mark.parametrize(
    ("name", "verdict", "cases"),
    [
        ("sibeyn.ex1", "holds", 512),
        ("sibeyn.ex2", "holds", 64),
        ("sibeyn.ex4.cc", "holds", 4),
        ("sibeyn.ex4.other", "holds", 3),
        ("sibeyn.numbering.formula", "holds", 1 * 4 + 24 * 24),
        ("sibeyn.average", "holds", 6),
    ],
)
def test_it_holds(name, verdict, cases):
    with nullcontext() if name in COMPILED else in_python():
        result = proofs_check.check(name, max_n=2 if name.endswith("formula") else None)
    assert (result.verdict, result.cases) == (verdict, cases)
    assert result.control.rejected


@pytest.mark.usefixtures("uncompiled")
def test_one_row_of_example_3_is_that_of_the_pass_before():
    result = proofs_check.check("sibeyn.ex3")
    assert result.verdict == "fails"
    assert result.counterexample.case == {"row": "selected i = 2", "printed": "F F T T T T F F"}
    assert result.counterexample.details["run"] == "F T F T T F T F"
    assert (result.amended.verdict, result.amended.cases) == ("holds", 19)


@pytest.mark.usefixtures("uncompiled")
def test_transposing_needs_as_many_steps_as_complementing():
    """2√N - 4 is less than the distance of two opposite corners, on every mesh."""
    result = proofs_check.check("sibeyn.ex4.tt")
    found = result.counterexample
    assert (result.verdict, found.case) == ("fails", {"n": 2})
    assert (found.details["at_least"], found.details["printed"]) == (4, 0)
    assert (result.amended.verdict, result.amended.cases) == ("holds", 4)
    assert result.amended.control.rejected


def test_snake_like_numbering_is_affine():
    result = proofs_check.check("sibeyn.numbering")
    assert (result.verdict, result.counterexample.case) == ("fails", {"n": 2})
    assert (result.amended.verdict, result.amended.cases) == ("holds", 4)
    assert result.amended.control.counterexample.case == {"n": 8}


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


def test_random_permutations_have_about_the_exact_mean():
    assert abs(sampled_needed(8) - mean_needed(8)) < 0.2


def test_distances_are_a_bound_for_every_schedule_of_four_processors():
    tight = 0
    for images in itertools.permutations(range(4)):
        found = np.array(images)
        assert needed_steps(found) <= least_unit_shifts(found)
        tight += needed_steps(found) == least_unit_shifts(found)
    assert tight >= 22
