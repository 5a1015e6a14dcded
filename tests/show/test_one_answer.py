"""A picture and the records of Python state what the command states."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lccmodel import Traffic, catalog, explore
from lccmodel.pipelining import Machine, sensitivity
from lccmodel.show.mapping_views import _draw_messages
from lccmodel.show.style import new_figure
from lccmodel.wormhole import pattern
from tests.cli.calling import records


def test_sensitivity_has_the_records_of_its_command() -> None:
    """0.4 had the keys quantity, value, least, most in Python; the command has now, low, high."""
    asked = ("--alpha", "5", "--tau", "1", "--items", "64", "--sensitivity")
    typed = records("pipeline", "--network", "mesh:8x8", *asked)
    answer = sensitivity(Machine("mesh:8x8", 5, 1), 64).as_table().records()
    for row, wanted in zip(typed, answer, strict=True):
        assert row["quantity"] == wanted["quantity"]
        for key in ("now", "low", "high"):
            assert (row[key] is None) == (wanted[key] is None)
            assert row[key] is None or Fraction(row[key]) == pytest.approx(wanted[key])
    about = {"read_as", "notes"}  # of an answer in Python; the command has them if a file was read
    assert [list(row) for row in typed] == [
        [key for key in row if key not in about] for row in answer
    ]


def test_a_range_from_0_ends_in_an_arrow() -> None:
    """0.4 drew a range that starts at 0 with an end, at 0.06 for one machine."""
    found = sensitivity(Machine("mesh:8x8", 5, 1), 64)
    ranges = (found.alpha, found.tau, found.barrier, found.N)
    axes = found.plot()
    arrows = [line for line in axes.lines if line.get_marker() == "<"]
    assert len(arrows) == sum(low == 0 for low, _ in ranges) > 0
    assert [text.get_text() for text in axes.texts] == ["0"] * len(arrows)


def test_sources_are_rows_in_the_picture_of_a_recognised_file() -> None:
    """0.4 drew the destinations upwards; the picture of traffic has the sources there."""
    axes = new_figure(3, 3).add_subplot()
    _draw_messages(Traffic([(0, 3), (1, 3)], ranks=4), axes)
    assert np.array_equal(axes.lines[0].get_xydata(), [[3, 0], [3, 1]])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("to node", "from node")
    assert axes.yaxis_inverted()


def test_a_pattern_is_drawn_to_the_last_node_of_its_network() -> None:
    """0.4 ended at 14.5: node 15 sends to itself, so it has no dot."""
    axes = pattern(catalog.bit_reverse(4), "cube:4").plot()
    assert axes.get_xlim() == (-0.5, 15.5)
    assert axes.get_ylim() == (15.5, -0.5)


def test_an_exploration_hides_the_picture_below_an_error() -> None:
    """0.4 left the picture of the last good values, under the heading of the first network."""
    pytest.importorskip("ipywidgets", reason="the notebook extra")
    shown = explore(Machine("mesh:8x8", 5, 1), N=64)
    assert "mesh:8x8" not in shown.title
    _, row, words, image = shown.widget().children
    parts = {part.description: part for part in row.children if hasattr(part, "description")}
    axes, bits = parts["axes c"], parts["dimensions d"]
    assert image.layout.display is None
    axes.value, bits.value = 3, 2
    assert "must be at least" in words.value
    assert image.layout.display == "none"
    bits.value = 6
    assert image.layout.display is None
