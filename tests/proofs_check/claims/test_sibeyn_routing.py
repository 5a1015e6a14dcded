"""sibeyn.*: the verdicts, and every kernel against a slow plain version."""

import itertools

import numpy as np
import pytest

import proofs_check
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

VERDICTS = {
    "sibeyn.eq1": ("holds-as-read", 1 + 6 + 168),
    "sibeyn.eq4": ("holds-as-read", 1 + 6 + 168),
    "sibeyn.eq5": ("holds-as-read", 2 + 24 + 1344),
    "sibeyn.lem1": ("holds-as-read", 4 + 16 + 48),
    "sibeyn.lem1.any": ("holds-as-read", 4 + 32 + 768),
    "sibeyn.bcs": ("holds-as-read", 2 + 24 + 1344),
    "sibeyn.ecbcs": ("holds-as-read", 2 + 24 + 1344),
    "sibeyn.onebit": ("holds-as-read", 2 + 24 + 1344),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_a_claim_holds_up_to_three_dimensions(name):
    result = proofs_check.check(name, max_n=3)
    assert (result.verdict, result.cases) == VERDICTS[name]
    assert result.control.rejected


@pytest.mark.slow
@pytest.mark.parametrize("name", VERDICTS)
def test_a_claim_holds_as_far_as_it_is_declared(name):
    assert proofs_check.check(name).verdict == VERDICTS[name][0]


@pytest.mark.parametrize(
    ("max_n", "cases"), [(2, 24), pytest.param(4, 24 + 322560, marks=pytest.mark.slow)]
)
def test_theorem_1_for_every_affine_permutation_of_four_and_sixteen_processors(max_n, cases):
    result = proofs_check.check("sibeyn.thm1", max_n=max_n)
    assert (result.verdict, result.cases) == ("holds", cases)
    assert result.control.rejected


def test_exchanges_commute_where_the_indices_say():
    result = proofs_check.check("sibeyn.commute")
    assert (result.verdict, result.cases) == ("holds-as-read", 252)
    assert result.counterexample.case == {"n": 3, "i": 0, "j": 2, "k": 0}
    assert result.control.rejected
    exactly = proofs_check.check("sibeyn.commute.exactly")
    assert (exactly.verdict, exactly.cases) == ("holds", 252)


@pytest.mark.parametrize(
    ("name", "max_n"),
    [("sibeyn.lem2", 12), ("sibeyn.lem3", 12), ("hou.fig3.cost", 12), ("hou.thm6.cost", 7)],
)
def test_algorithms_cost_what_is_printed(name, max_n):
    """Entries that a run handles, counted; the control asks for a power of n less."""
    result = proofs_check.check(name, max_n=max_n)
    assert (result.verdict, result.control.rejected) == ("holds", True)


def test_a_pass_is_a_row_of_V_and_a_row_of_L():
    """[sibeyn, section 2] VL⁽ⁱ⁾ from the triangular factors of T⁻¹BAB⁻¹."""
    result = proofs_check.check("sibeyn.tul", max_n=3)
    assert (result.verdict, result.cases, result.control.rejected) == ("holds", 175, True)


def test_two_sentences_on_the_earlier_algorithm_differ():
    result = proofs_check.check("sibeyn.earlier")
    assert (result.verdict, result.amended.verdict) == ("fails", "holds")
    assert result.counterexample.details == {"abstract": 6, "section_1_2": 8}


def test_the_printed_W_fails_first_where_a_cycle_is_passed():
    """[sibeyn, (4)] EC(0 1) before a VL(2) with entries in columns 0 and 1."""
    found = proofs_check.check("sibeyn.eq4", max_n=3).counterexample
    assert found.case == {"A": [[0, 1, 0], [1, 0, 0], [1, 0, 1]]}
    assert found.details["product"] != found.details["index_matrix"]


def test_the_algorithm_asks_for_a_row_that_is_not_there():
    found = proofs_check.check("sibeyn.eq1", max_n=1).counterexample
    assert found.case == {"A": [[1]]}
    assert found.details["asks_for"] == "A_(1,0)"


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
