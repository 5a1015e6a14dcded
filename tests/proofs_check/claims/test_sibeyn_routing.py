"""[sibeyn, section 3]: unit shifts and one-bit operations against slow plain versions."""

import itertools

import numpy as np
import pytest

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claims.sibeyn_grid import (
    IDLE,
    TRIVIAL_VL,
    UNDELIVERED,
    complement,
    places_of,
    unit_shift,
)
from proofs_check.claims.sibeyn_mesh import _least_steps, routed_steps
from tests.matrices import all_nonsingular

pytestmark = pytest.mark.usefixtures("uncompiled")


def test_a_trivial_VL_is_no_reason_to_skip():
    """CC moves every datum although all VL are the identity."""
    identity = GF2Matrix.identity(2)
    assert routed_steps(identity, 3, IDLE) == (4, 0)
    assert routed_steps(identity, 3, TRIVIAL_VL) == (0, UNDELIVERED)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_unit_shifts_make_a_bit_complement(n):
    places = places_of(n)
    for bit in range(n):
        new, transit = places.copy(), np.full_like(places, -1)
        assert complement(bit, new, transit, places) == (2 << bit // 2, 0)
        assert np.array_equal(new, places ^ 1 << bit)


def test_a_unit_shift_is_that_of_numpy_and_reports_what_falls_off():
    for vertical, sign in itertools.product((False, True), (1, -1)):
        grid = np.arange(8).reshape(2, 4)
        moved = grid.copy()
        assert unit_shift(moved, vertical, sign) == (4 if vertical else 2)
        axis = 0 if vertical else 1
        expected = np.roll(grid, sign, axis)
        edge = 0 if sign > 0 else -1
        np.moveaxis(expected, axis, 0)[edge] = -1
        assert np.array_equal(moved, expected)


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


def test_no_schedule_of_one_bit_operations_on_four_processors_is_cheaper():
    """sibeyn.onebit: all states, all sets of data, each direction on its own."""
    for A in all_nonsingular(2):
        for b in range(4):
            images = [A.apply(x) ^ b for x in range(4)]
            assert _cheapest_schedule(images) == _least_steps(2, np.array(images))
