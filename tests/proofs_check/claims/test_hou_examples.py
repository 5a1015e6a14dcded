"""[hou] Examples 1, 3, 5 and 6, the channel of section 2.3, M-G and the ideal speed-up."""

import numpy as np
import pytest

import proofs_check
from proofs_check.claims import hou_images, hou_set_examples
from proofs_check.claims.hou_printed import TRANSPOSE_MATRIX, destination, image
from proofs_check.walk import contention

VERDICTS = {
    "hou.ex1": ("holds", 256),
    "hou.ex3": ("holds", 8),
    "hou.sec2.channel": ("holds-as-read", 3),
    "hou.ex5.reflect-diagonal": ("holds", 256),
    "hou.ex5.reflect-antidiagonal": ("holds", 256),
    "hou.ex5.rotate90-clockwise": ("holds-as-read", 256),
    "hou.ex5.rotate90-counterclockwise": ("holds-as-read", 256),
    "hou.ex5.reflect-vertical": ("holds", 256),
    "hou.ex5.reflect-horizontal": ("holds", 256),
    "hou.ex5.rotate180": ("holds", 256),
    "hou.ex5.scale2": ("holds-as-read", 256),
    "hou.ex5.fft": ("holds", 256),
    "hou.ex5.fft-rows": ("holds", 256),
    "hou.ex5.fft-columns": ("holds", 256),
    "hou.ex6": ("holds-as-read", 6),
    "hou.ex6.optimal": ("holds", 40320),
    "hou.sec6.mg": ("undecided", 40320),
}


@pytest.mark.parametrize("name", VERDICTS)
def test_verdict(name):
    result = proofs_check.check(name)
    assert (result.verdict, result.cases) == VERDICTS[name]
    assert result.control.rejected


def test_reverse_flip_does_not_use_the_channel_of_bit_reverse():
    found = proofs_check.check("hou.sec2.channel").counterexample
    assert found.case == {"communication": "reverse-flip"}
    assert (found.details["on_the_channel"], found.details["busiest"]) == (0, 8)


@pytest.mark.usefixtures("uncompiled")
def test_the_speed_up_of_odd_dimensions():
    """Degree 2^(⌊n/2⌋-1), which the print has with n/2; one dimension has nothing to speed up."""
    result = proofs_check.check("hou.sec6.speedup")
    assert result.verdict == "holds-as-read"
    assert result.counterexample.case == {"n": 1}
    assert (result.cases, result.control.rejected) == (12, True)
    degrees = [
        max(contention([(x, int(f"{x:0{n}b}"[::-1], 2)) for x in range(2**n)], range(n)))
        for n in range(1, 8)
    ]
    assert degrees == [0, 1, 1, 2, 2, 4, 4]


def test_the_printed_rotations_turn_the_other_way_when_py_counts_upwards():
    found = proofs_check.check("hou.ex5.rotate90-clockwise").counterexample
    assert found.details == {"goes_to": [0, 15], "printed_sends_to": [15, 0]}
    for x in range(256):
        other = hou_images.moved("rotate90-counterclockwise", "up")[x]
        assert image(TRANSPOSE_MATRIX, "11110000", x) == other


def test_counted_loads_against_messages_walked_in_an_order():
    orders = [(3, 4, 0, 7, 2, 5, 1, 6), (0, 1, 2, 3, 4, 5, 6, 7), (7, 0, 5, 2, 1, 6, 3, 4)]
    for name in hou_set_examples.THREE:
        pairs = [(x, destination(name, x)) for x in range(256)]
        table = hou_set_examples.loads(name)
        for order in orders:
            walked = contention(pairs, order)
            looked_up = [table[sum(1 << k for k in order[:i]), bit] for i, bit in enumerate(order)]
            assert looked_up == [walked[bit] for bit in order]


def test_which_orders_are_optimal_for_the_three_communications():
    """Max-max leaves a choice of degrees; max-sum and sum-sum have the same 128 orders."""
    degrees = hou_set_examples.degrees(hou_set_examples.THREE)
    best = {}
    for objective in ("max-max", "max-sum", "sum-sum"):
        value = hou_set_examples.values(hou_set_examples.THREE, objective)
        best[objective] = np.flatnonzero(value == value.min())
    found, counts = np.unique(degrees[best["max-max"]], axis=0, return_counts=True)
    assert found.tolist() == [[1, 2, 2], [2, 1, 1], [2, 2, 2]]
    assert counts.tolist() == [128, 128, 2048]
    assert best["max-sum"].tolist() == best["sum-sum"].tolist()
    assert np.unique(degrees[best["sum-sum"]], axis=0).tolist() == [[2, 1, 1]]
    assert len(best["sum-sum"]) == 128
