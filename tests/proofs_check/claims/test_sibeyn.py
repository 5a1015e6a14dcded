"""[sibeyn, Examples 1 to 4, sections 2 to 4]: against slow plain programs."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.simd_mesh import decompose
from lccmodel.placement.contention_free_orders import correction_orders
from proofs_check.census import Census
from proofs_check.claims.lattice_sibeyn import _orders_of
from proofs_check.claims.sibeyn_average import mean_needed, needed_steps, sampled_needed
from proofs_check.claims.sibeyn_examples import least_unit_shifts
from proofs_check.claims.sibeyn_grid import (
    IDLE,
    TRIVIAL_VL,
    UNDELIVERED,
    complement,
    places_of,
    unit_shift,
)
from proofs_check.claims.sibeyn_mesh import _least_steps, affine_form, numbers, routed_steps
from proofs_check.domain import AllMatrices, Nonsingular
from proofs_check.orders import all_orders
from tests.matrices import all_nonsingular

uncompiled = pytest.mark.usefixtures("uncompiled")


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


@uncompiled
@pytest.mark.parametrize("n", [1, 2, 3])
def test_both_sets_against_the_library(n):
    """Orders by growing ranks; passes by decomposing every renaming, the least j selected."""
    orders = all_orders(n)
    for A in all_nonsingular(n):
        walked, ours = np.zeros((2, len(orders)), np.uint8)
        _orders_of(n, np.array(A.rows), orders, False, walked, ours)
        free = correction_orders(LCC(A), whatever_b=True)
        assert [tuple(o) for o in orders[walked == 1].tolist()] == list(free)
        passes = {
            tuple(bits[k] for k in decompose(LCC(A).reordered(bits)).order)
            for bits in itertools.permutations(range(n))
        }
        assert {tuple(o) for o in orders[ours == 1].tolist()} == passes


@uncompiled
def test_a_trivial_VL_is_no_reason_to_skip():
    """CC moves every datum although all VL are the identity."""
    identity = GF2Matrix.identity(2)
    assert routed_steps(identity, 3, IDLE) == (4, 0)
    assert routed_steps(identity, 3, TRIVIAL_VL) == (0, UNDELIVERED)


@uncompiled
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_unit_shifts_make_a_bit_complement(n):
    places = places_of(n)
    for bit in range(n):
        new, transit = places.copy(), np.full_like(places, -1)
        assert complement(bit, new, transit, places) == (2 << bit // 2, 0)
        assert np.array_equal(new, places ^ 1 << bit)


@uncompiled
@pytest.mark.parametrize(("vertical", "sign"), list(itertools.product((False, True), (1, -1))))
def test_a_unit_shift_is_that_of_numpy_and_reports_what_falls_off(vertical, sign):
    grid = np.arange(8).reshape(2, 4)
    expected = np.roll(grid, sign, 0 if vertical else 1)
    np.moveaxis(expected, 0 if vertical else 1, 0)[0 if sign > 0 else -1] = -1
    assert unit_shift(grid, vertical, sign) == (4 if vertical else 2)
    assert np.array_equal(grid, expected)


def _cheapest_schedule(images):
    """Least steps by selective bit complements of any data, one direction at half the price."""
    n = len(images).bit_length() - 1
    start, goal = tuple(range(len(images))), tuple(images)
    prices, queue = {start: 0}, [start]
    while queue:
        queue.sort(key=prices.__getitem__)
        state = queue.pop(0)
        if state == goal:
            return prices[state]
        for bit, value in itertools.product(range(n), (0, 1)):
            movable = [d for d, x in enumerate(state) if x >> bit & 1 == value]
            for chosen in itertools.product((0, 1), repeat=len(movable)):
                after = list(state)
                for datum, moves in zip(movable, chosen, strict=True):
                    after[datum] ^= moves << bit
                price = prices[state] + (1 << bit // 2)
                if price < prices.get(tuple(after), 1 << 30):
                    prices[tuple(after)] = price
                    queue.append(tuple(after))
    return None


@uncompiled
def test_no_schedule_of_one_bit_operations_on_four_processors_is_cheaper():
    """sibeyn.onebit: all states, all sets of data, each direction on its own."""
    for A in all_nonsingular(2):
        for b in range(4):
            images = [A.apply(x) ^ b for x in range(4)]
            assert _cheapest_schedule(images) == _least_steps(2, np.array(images))
