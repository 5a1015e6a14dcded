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
from lccmodel.show.records import FORMATS
from lccmodel.show.simulation_tables import curve_table
from lccmodel.wormhole.curves import curve
from lccmodel.wormhole.fft_program import parallel_fft
from lccmodel.wormhole.published import TABLE_1, Hardware


@pytest.fixture(scope="module")
def times():
    return times_table(seeds=(0, 1)).records()


def test_deterministic_columns_of_table_1_equal_the_print(times):
    for part in ("computation", "neighbours", "e-cube", "map"):
        rows = [row for row in times if row["part"] == part]
        assert len(rows) == 4
        assert all(row["equal"] is True and row["time"] == row["printed"] for row in rows)
        assert all(row["cycles"] == row["cycles_printed"] for row in rows)


def test_adaptive_columns_name_their_tie_rule_and_reconstructed_ones_equal_the_print(times):
    for row in times:
        if row["part"] in ADAPTIVE:
            assert row["tie"]
            assert row["equal"] == (row["cycles"] == row["cycles_printed"])
        if row["part"] in ("chiu", "min", "mixab3", "mixbb3"):  # `hou.tab1.min` knows this rule
            assert row["equal"] is True
    assert {row["points"] for row in times} == {row.points for row in TABLE_1}


def test_table_2_equals_the_print():
    rows = fft_speedup_table().records()
    assert len(rows) == 32
    assert all(row["equal"] is True for row in rows)
    exact = next(row for row in rows if row["part"] == "execution, original")
    assert Fraction(str(exact["exact"])) == parallel_fft(256).execution


def test_sizes_and_networks_without_print_stand_alone():
    own = times_table([32, 128], Hypercube(5), seeds=(0,))
    assert "[hou" not in own.title
    assert not {"printed", "equal"} & {column.key for column in own.columns}
    rows = own.records()
    assert {row["part"] for row in rows} == {
        "computation",
        "neighbours",
        "e-cube",
        "map",
        *ADAPTIVE,
    }
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
    assert [(row["points"], row["line"]) for row in both] == [
        (256, "printed"),
        (256, "simulated"),
        (1 << 16, "simulated"),
    ]


def test_ties_are_listed_with_the_range_of_the_random_ones():
    rows = adaptive_table([256], seeds=range(3)).records()
    assert [row["part"] for row in rows] == list(ADAPTIVE)
    for row in rows:
        assert row["random_least"] <= row["random_most"]
    lowest = {row["part"]: row["lowest-input"] for row in rows}
    assert (lowest["min"], lowest["pcube"]) == (148, 293)
    assert {row["part"] for row in rows if row["oldest"] == row["cycles_printed"]} == {
        "chiu",
        "min",
        "mixab3",
        "mixbb3",
    }
    with pytest.raises(InputError, match="seeds"):
        adaptive_table([256], seeds=())


def test_barriers_and_none():
    rows = {row["part"]: row for row in barrier_table([4096]).records()}
    assert rows["e-cube"]["reversal_barrier"] == 2069
    assert rows["e-cube"]["neighbours_free"] > rows["e-cube"]["neighbours_barrier"] == 8 * 259
    assert rows["e-cube"]["overlap"] > 0
    assert rows["map"]["neighbours_free"] == rows["map"]["neighbours_barrier"]


def test_curves_in_all_formats():
    found = curve(build("bit-reverse", 4), Hypercube(4), loads=(0.1, 0.9), cycles=2_000)
    table = curve_table([found])
    for form in FORMATS:
        assert table.render(form)
    rows = json.loads(table.render("json"))
    rows = rows["rows"] if isinstance(rows, dict) else rows
    assert [row["load"] for row in rows] == [0.1, 0.9]
    assert rows[1]["saturated"] is True
    assert rows[1]["latency"] is None
    with pytest.raises(InputError, match="curves"):
        curve_table([])


def test_bad_points():
    with pytest.raises(InputError, match="points"):
        times_table([100])
    with pytest.raises(InputError, match="points"):
        fft_speedup_table("256")
    with pytest.raises(InputError, match="network"):
        times_table([16], Torus((4, 4)))
