"""[hou] Examples 1, 3, 5 and 6, the channel of section 2.3, M-G and the ideal speed-up."""

import numpy as np

from proofs_check.claims import hou_examples, hou_images
from proofs_check.claims.hou_images import TRANSPOSE_MATRIX, destination, image
from proofs_check.walk import contention


def test_the_speed_up_of_odd_dimensions():
    """Degree 2^(⌊n/2⌋-1), which the print has with n/2; one dimension has nothing to speed up."""
    degrees = [
        max(contention([(x, int(f"{x:0{n}b}"[::-1], 2)) for x in range(2**n)], range(n)))
        for n in range(1, 8)
    ]
    assert degrees == [0, 1, 1, 2, 2, 4, 4]


def test_the_printed_rotations_turn_the_other_way_when_py_counts_upwards():
    for x in range(256):
        other = hou_images.moved("rotate90-counterclockwise", "up")[x]
        assert image(TRANSPOSE_MATRIX, "11110000", x) == other


def test_counted_loads_against_messages_walked_in_an_order():
    orders = [(3, 4, 0, 7, 2, 5, 1, 6), (0, 1, 2, 3, 4, 5, 6, 7), (7, 0, 5, 2, 1, 6, 3, 4)]
    for name in hou_examples.THREE:
        pairs = [(x, destination(name, x)) for x in range(256)]
        table = hou_examples.loads(name)
        for order in orders:
            walked = contention(pairs, order)
            looked_up = [table[sum(1 << k for k in order[:i]), bit] for i, bit in enumerate(order)]
            assert looked_up == [walked[bit] for bit in order]


def test_which_orders_are_optimal_for_the_three_communications():
    """Max-max leaves a choice of degrees; max-sum and sum-sum have the same 128 orders."""
    degrees = hou_examples.degrees(hou_examples.THREE)
    best = {}
    for objective in ("max-max", "max-sum", "sum-sum"):
        value = hou_examples.values(hou_examples.THREE, objective)
        best[objective] = np.flatnonzero(value == value.min())
    found, counts = np.unique(degrees[best["max-max"]], axis=0, return_counts=True)
    assert found.tolist() == [[1, 2, 2], [2, 1, 1], [2, 2, 2]]
    assert counts.tolist() == [128, 128, 2048]
    assert best["max-sum"].tolist() == best["sum-sum"].tolist()
    assert np.unique(degrees[best["sum-sum"]], axis=0).tolist() == [[2, 1, 1]]
    assert len(best["sum-sum"]) == 128
