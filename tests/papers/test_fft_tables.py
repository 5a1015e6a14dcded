"""The tables of wormhole simulations hold what was simulated, beside what [hou] prints."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from lccmodel.communication.catalog import build
from lccmodel.errors import InputError
from lccmodel.network import Hypercube, Torus
from lccmodel.papers.fft_layout import as_table_1, as_table_2
from lccmodel.papers.fft_tables import (
    ADAPTIVE,
    adaptive_table,
    barrier_table,
    fft_speedup_table,
    times_table,
)
from lccmodel.show.simulation_tables import curve_table
from lccmodel.wormhole.curves import curve
from lccmodel.wormhole.published import Hardware


def test_sizes_and_networks_without_print_stand_alone():
    own = times_table([32, 128], Hypercube(5), seeds=(0,))
    assert "[hou" not in own.title
    assert not {"printed", "equal"} & {column.key for column in own.columns}
    rows = own.records()
    parts = {"computation", "neighbours", "e-cube", "map", *ADAPTIVE}
    assert {row["part"] for row in rows} == parts
    assert all(row["printed"] is None and row["equal"] is None for row in rows)
    assert next(r for r in rows if r["part"] == "min")["tie"] == "lowest-input"
    larger = fft_speedup_table([1 << 16]).records()
    assert all(row["printed"] is None for row in larger)


def test_parameters_of_ones_own_have_the_layout_of_the_print() -> None:
    """A line for every size; the same numbers as in the table by parts, and no printed lines."""
    hardware = Hardware("own", Fraction(10), Fraction(1, 10), Fraction(1), Fraction(1, 2))
    parts = times_table([16, 64], Hypercube(4), hardware, seeds=(0,))
    table = as_table_1(parts)
    heads = [column.heading for column in table.columns]
    assert heads[:3] == ["points", "computation", "neighbours"]
    assert heads[-1] == "map"
    assert "print" not in table.title + heads[1]
    for row in parts.records():
        line = next(line for line in table.records() if line["points"] == row["points"])
        assert line[row["part"]] == row["time"]
    gains = fft_speedup_table([16, 64], Hypercube(4), hardware)
    assert [row[1:] for row in as_table_2(gains).rows] == [
        tuple(row["time"] for row in gains.records() if row["points"] == size) for size in (16, 64)
    ]
    both = as_table_2(fft_speedup_table([256, 1 << 16])).records()
    lines = [(row["points"], row["line"]) for row in both]
    assert lines == [(256, "printed"), (256, "simulated"), (1 << 16, "simulated")]


def test_ties_are_listed_with_the_range_of_the_random_ones():
    rows = adaptive_table([256], seeds=range(3)).records()
    assert [row["part"] for row in rows] == list(ADAPTIVE)
    for row in rows:
        assert row["random_least"] <= row["random_most"]
    lowest = {row["part"]: row["lowest-input"] for row in rows}
    assert (lowest["min"], lowest["pcube"]) == (148, 293)
    oldest = {row["part"] for row in rows if row["oldest"] == row["cycles_printed"]}
    assert oldest == {"chiu", "min", "mixab3", "mixbb3"}


def test_barriers_and_none():
    rows = {row["part"]: row for row in barrier_table([4096]).records()}
    assert rows["e-cube"]["reversal_barrier"] == 2069
    assert rows["e-cube"]["neighbours_free"] > rows["e-cube"]["neighbours_barrier"] == 8 * 259
    assert rows["e-cube"]["overlap"] > 0
    assert rows["map"]["neighbours_free"] == rows["map"]["neighbours_barrier"]


def test_a_saturated_point_has_no_latency():
    found = curve(build("bit-reverse", 4), Hypercube(4), loads=(0.1, 0.9), cycles=2_000)
    table = curve_table([found])
    rows = json.loads(table.render("json"))
    assert [row["load"] for row in rows] == [0.1, 0.9]
    assert rows[1]["saturated"] is True
    assert rows[1]["latency"] is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: times_table([100]), "points"),
        (lambda: fft_speedup_table("256"), "points"),
        (lambda: times_table([16], Torus((4, 4))), "network"),
        (lambda: adaptive_table([256], seeds=()), "seeds"),
        (lambda: curve_table([]), "curves"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
