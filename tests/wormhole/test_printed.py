"""The times that [hou, section 6.2] prints hide integers."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from lccmodel.errors import InputError
from lccmodel.wormhole.published import (
    NAMES,
    NCUBE2,
    TABLE_1,
    Hardware,
    half_up,
    hidden_cycles,
)


def test_every_printed_message_time_hides_one_whole_number_of_cycles():
    hidden = {name: [hidden_cycles(row.bit_reverse[name]) for row in TABLE_1] for name in NAMES}
    assert hidden["e-cube"] == [149, 533, 2069, 8213]
    assert hidden["map"] == [26, 74, 266, 1034]
    flits = [16 * 4**d + 1 for d in range(4)]
    lines = {"e-cube": (8, 5), "chiu": (11, 0), "min": (8, 4), "mixab3": (9, 3), "mixbb3": (9, 4)}
    for name, (slope, rest) in lines.items():
        assert hidden[name] == [slope * (F + 1) + rest for F in flits]
    assert hidden["pcube"] == [13 * 18 + 4, *(14 * (F + 1) + 5 for F in flits[1:])]


def test_rounding_is_decimal_and_half_up():
    exact = {
        "0.05": "0.1",
        "0.15": "0.2",
        "0.25": "0.3",
        "26": "26.0",
        f"{10**40}.05": f"{10**40}.1",
    }
    assert {x: str(half_up(Fraction(x))) for x in exact} == exact
    assert str(half_up(Fraction("2.675"), 2)) == "2.68"


def test_a_float_means_the_decimal_that_it_prints_as():
    assert Hardware("mine", 164, 0.57, 5.12, 4.47) == Hardware(
        "mine", NCUBE2.latency, NCUBE2.per_byte, NCUBE2.butterfly, NCUBE2.half_butterfly
    )


def test_whole_cycles_are_rounded_up():
    assert [NCUBE2.cycles(Fraction(time)) for time in ("0", "0.57", "0.58")] == [0, 1, 2]


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("latency", -1),
        ("per_byte", 0),
        ("butterfly", "fast"),
        ("half_butterfly", float("nan")),
        ("point_bytes", 0),
    ],
)
def test_bad_hardware(argument, value):
    fit = {"latency": 1, "per_byte": 1, "butterfly": 1, "half_butterfly": 1, "point_bytes": 1}
    with pytest.raises(InputError, match=argument):
        Hardware("mine", **fit | {argument: value})


def test_the_cycles_behind_a_time_are_found_for_every_message() -> None:
    """The time of each number of cycles leads back to it; a time below the latency to none."""
    for cycles in range(300):
        assert hidden_cycles(half_up(NCUBE2.message(cycles))) == cycles
    below = [half_up(NCUBE2.latency - k * NCUBE2.per_byte) for k in range(1, 6)]
    for time in (Decimal("248.8"), Decimal("248.7"), *below):
        with pytest.raises(InputError, match="one whole number of cycles"):
            hidden_cycles(time)
