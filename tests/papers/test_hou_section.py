"""[hou, section 6] in the report: the shape of the print, the numbers against other routes."""

import csv
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import isinf
from unittest.mock import patch

import pytest

from lccmodel.communication.catalog import build
from lccmodel.errors import InputError
from lccmodel.network import Hypercube, Torus
from lccmodel.papers import fft_layout, hou_section
from lccmodel.papers.fft_layout import as_table_1, as_table_2
from lccmodel.papers.fft_tables import (
    ADAPTIVE,
    adaptive_table,
    barrier_table,
    fft_speedup_table,
    times_table,
)
from lccmodel.papers.hou_section import (
    SECTION,
    Runs,
    cycles_in_print,
    section,
    speedup_in_print,
    sustained_table,
    times_in_print,
)
from lccmodel.papers.reproduction import MadeSection, make_section
from lccmodel.show.records import Table
from lccmodel.show.simulation_tables import curve_table
from lccmodel.wormhole.curves import FIGURES, curve
from lccmodel.wormhole.published import TABLE_1, TABLE_2, Hardware, half_up
from lccmodel.wormhole.simulation import simulate
from tests.walking import walked_degree

RUNS = Runs(points=(256, 1024), ties=3, cycles=300, seed=2, heat_cycles=200)
LONG = replace(RUNS, cycles=1500, heat_cycles=800)
CUBE = Hypercube(8)


@cache
def made_of(runs: Runs) -> MadeSection:
    return make_section(section(runs))


@pytest.fixture(scope="module")
def made() -> MadeSection:
    """Its figures are made and not drawn."""
    drawn = {"png": b"a picture", "pdf": b"a page"}
    with patch("lccmodel.papers.reproduction.figure_bytes", lambda _: drawn):
        return make_section(section(RUNS))


def rows(files: Mapping[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(files[f"hou/{name}.csv"].decode().splitlines()))


def test_printed_lines_are_the_print_and_simulated_ones_the_machine():
    """164 µs and 0.57 µs a cycle; 8 (F + 2), 8 (F + 1) + 5 and F + 9 cycles, F = 16 · 4^d + 1."""
    table = times_in_print(ties=1).records()
    cycles = {(r["points"], r["line"]): r for r in cycles_in_print(ties=1).records()}
    printed, simulated = table[::2], table[1::2]
    for d, (row, machine, source) in enumerate(zip(printed, simulated, TABLE_1, strict=True)):
        assert (row["line"], machine["line"]) == ("printed", "simulated")
        assert row["points"] == machine["points"] == source.points
        shown = {"computation": source.computation, "neighbours": source.neighbour}
        for part, value in {**source.bit_reverse, **shown}.items():
            assert row[part] == str(value)
        held, F = 4**d, 16 * 4**d + 1
        counted = {"e-cube": 8 * (F + 1) + 5, "map": F + 9, "min": 8 * (F + 1) + 4}
        for part, count in counted.items():
            assert cycles[source.points, "simulated"][part] == count
            assert machine[part] == str(half_up(164 + count * Fraction("0.57")))
        assert cycles[source.points, "printed"]["min"] == counted["min"]
        butterflies = d * held * Fraction("5.12") + 8 * held * Fraction("4.47")
        assert machine["computation"] == str(half_up(butterflies))
        assert machine["neighbours"] == str(half_up(8 * (164 + (F + 2) * Fraction("0.57"))))
        for part in ("chiu", "mixab3", "mixbb3"):  # reconstructed, under some rule for ties
            assert machine[part] == row[part]


def test_table_2_equals_the_print_everywhere():
    table = speedup_in_print()
    for k, source in enumerate(TABLE_2):
        printed, simulated = table.rows[2 * k], table.rows[2 * k + 1]
        assert printed == (source.points, "printed", *map(str, source[1:]))
        assert simulated[2:] == printed[2:]
    assert "32 of 32 simulated values equal the print to the last digit." in table.legend[0]


def test_what_differs_is_named():
    """With three seeds p-cube misses both sizes; 8 · 2 other values agree."""
    table = times_in_print(RUNS.points, RUNS.ties)
    assert "16 of 18 simulated values" in table.legend[0]
    assert "not pcube at 2^8, 2^10." in table.legend[0]
    assert "min: lowest-input." in table.legend[1]
    assert re.search(r"pcube: .* at 2\^8; .* at 2\^10\.", table.legend[1])


def test_a_wrong_value_is_not_counted_as_equal():
    columns = ("points", "part", "equal")
    right = [[256, "map", True], [256, "chiu", None]]
    assert fft_layout._agreement(Table("", columns, right)) == (
        "1 of 1 simulated values equal the print to the last digit."
    )
    wrong = Table("", columns, [*right, [1024, "map", False]])
    assert fft_layout._agreement(wrong).endswith("the last digit; not map at 2^10.")


@pytest.mark.slow
@pytest.mark.parametrize("number", FIGURES)
def test_points_are_those_of_single_simulations(number):
    points = rows(made_of(LONG).files, f"fig{number}-points")
    labels = list(dict.fromkeys(row["label"] for row in points))
    assert labels[:5] == ["e-cube", "p-cube", "min", "M-S", "M-G"]
    assert ("M-G (2)" in labels) == (number == 5)
    for label in labels:
        row = next(row for row in points if row["label"] == label)
        order = [int(bit) for bit in row["order"].split()] or None
        assert (order is None) == (not label.startswith("M-"))
        where = (build(FIGURES[number], 8), CUBE, row["routing"], float(row["load"]))
        tie = "oldest" if "reconstructed" in label else "lowest-input"
        result = simulate(*where, 20, LONG.cycles, LONG.seed, order, tie=tie)
        assert float(row["throughput"]) == result.throughput
        assert isinf(result.latency) or float(row["latency"]) == result.latency
        assert row["saturated"] == str(result.saturated).lower()


@pytest.mark.slow
def test_the_table_of_limits_repeats_the_points(made):
    for row in sustained_table(RUNS).records():
        points = rows(made.files, f"fig{row['figure']}-points")
        found = [point for point in points if point["label"] == row["curve"]]
        best = max(float(p["throughput"]) for p in found if p["saturated"] == "false")
        assert row["throughput"] == best
        assert row["throughput_low"] <= best <= row["throughput_high"]
        over = next((float(p["load"]) for p in found if p["saturated"] == "true"), None)
        assert row["load_not_sustained"] == over


@pytest.mark.slow
def test_bounds_come_from_messages_that_are_walked():
    """F / ((F + 1) k) with k messages on the busiest channel; adaptive routing has none."""
    found = {(r["figure"], r["curve"]): r for r in sustained_table(RUNS).records()}
    for (number, label), row in found.items():
        if label != "e-cube" and not label.startswith("M-"):
            assert row["degree"] is None
            assert row["bound"] is None
            continue
        degree = walked_degree(build(FIGURES[number], 8), row["order"] or range(8))
        assert row["degree"] == degree
        assert row["bound"] == pytest.approx(20 / (21 * degree))
    degrees = [found[5, label]["degree"] for label in ("e-cube", "M-S", "M-G", "M-G (2)")]
    assert degrees == [8, 1, 2, 2]


def test_curves_free_of_contention_coincide(made):
    """No message waits for another, so M-S and M-G differ in no latency; the captions say so."""
    for number in (6, 7):
        points = rows(made.files, f"fig{number}-points")
        kept = ("load", "throughput", "latency", "saturated")
        curves: dict[str, list[list[str]]] = {}
        for row in points:
            curves.setdefault(row["label"], []).append([row[key] for key in kept])
        assert curves["M-S"] == curves["M-G"]
    captions = ["both free of contention and coincide" in f.caption for f in SECTION.figures[:3]]
    assert captions == [False, True, True]


def test_the_section_is_complete_and_says_what_was_simulated(made):
    parts = section(RUNS)
    assert len(made.files) == 4 + len(parts.tables) + 2 * len(parts.figures)
    page = made.files["hou/README.md"].decode()
    for name in made.files:
        if name != "hou/README.md":
            assert f"({name.removeprefix('hou/')})" in page
    assert "300 cycles at every load, seed 2" in page
    assert "every tie rule, random ties with 3 seeds" in page
    assert made.files["hou/tables.tex"].decode().isascii()


def test_channels_are_drawn_before_and_after_the_mapping():
    figure = hou_section._channels(6, RUNS)
    titles = [axes.get_title() for axes in figure.axes[:2]]
    assert titles[0].startswith("bit-reverse as it is: load 0.08")
    order = tuple(map(int, titles[1].split("order ")[1].split(":")[0].split()))
    assert walked_degree(build("bit-reverse", 8), order) == 1
    assert walked_degree(build("bit-reverse", 8), range(8)) == 8


@pytest.mark.slow
def test_the_real_section_tells_what_the_documentation_tells():
    """The full lengths: 35 of 36 values; limits below the bounds; p-cube worst, then best."""
    full = make_section(SECTION).files
    assert "35 of 36 simulated values equal the print" in full["hou/tables.md"].decode()
    found = {(int(r["figure"]), r["curve"]): r for r in rows(full, "sustained")}
    for row in found.values():
        if row["bound"]:
            assert float(row["throughput"]) < float(row["bound"])
    highest = {key: float(row["throughput"]) for key, row in found.items()}
    assert all(highest[number, "e-cube"] < 0.125 for number in FIGURES)
    three = ("e-cube", "p-cube", "min")
    assert min(three, key=lambda label: highest[6, label]) == "p-cube"
    assert max(three, key=lambda label: highest[7, label]) == "p-cube"
    assert highest[5, "M-G"] > 0.39 > 0.3 > highest[5, "M-G (2)"]
    assert all(highest[number, "M-S"] > 0.89 for number in FIGURES)


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


def test_parameters_of_ones_own_have_the_layout_of_the_print():
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
