"""A picture of a placement has the figures of its table: one objective, one value."""

import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from lccmodel import contention, place
from lccmodel.placement import optimal_reordering
from lccmodel.placement.placement_result import Placement
from lccmodel.show.phase_loads import by_dimension, placed_loads
from lccmodel.show.summary import draw_placed
from tests.choosing import sampled
from tests.cli.calling import run

BOTH = ["bit-reverse", "matrix-transpose"]
OBJECTIVES = ("max-max", "max-sum", "sum-sum", "joint", "distance", "mixture:1/2")


def placements(objective: str, weights: Any = None) -> list[Placement]:
    over = ["placements"] if objective in OBJECTIVES[3:] else ["orders", "placements"]
    return [place(BOTH, "cube:4", objective, word, weights=weights, moves=50) for word in over]


@pytest.mark.parametrize(("objective", "weights"), sampled(product(OBJECTIVES, [None, (3, 1)]), 5))
def test_titles_and_bars_have_the_objective_and_the_values_of_the_table(objective, weights):
    """The tallest bar is the value of max-max, max-sum and joint; the sum of all that of sum-sum.

    0.4: `map bit-reverse matrix-transpose` said 4 → 2 in the table, 8 → 3 in the picture.
    """
    for p in placements(objective, weights):
        record = p.records()[0]
        titles = [axes.get_title() for axes in draw_placed(p).axes[:2]]
        before, after = (f"{v:,}" for v in (record["value_before"], record["value_after"]))
        assert titles == [f"before: {objective} {before}", f"after: {objective} {after}"]
        assert f"{objective} {before} → {after}" in p.plot().get_title()
        if objective in OBJECTIVES[:4]:
            total = sum if objective == "sum-sum" else max
            bars = by_dimension(p)
            assert (total(bars["before"]), total(bars["after"])) == (p.before.value, p.after.value)


def test_what_is_drawn_of_several_phases_is_counted_channel_by_channel():
    """The largest of any phase for max-max, the sum for joint, by paths counted one by one."""
    for objective, join in (("max-max", np.maximum), ("joint", np.add)):
        for p in placements(objective, (3, 1)):
            loads = [
                p.network.channel_loads(f.traffic, node_of=p.node_of).counts for f in p.program
            ]
            before, after = placed_loads(p)
            assert (after.counts == join(3 * loads[0], loads[1])).all()
            assert (before.degree, after.degree) == (p.before.value, p.after.value)


def test_a_communication_alone_has_its_degree_in_table_and_picture():
    axes = draw_placed(optimal_reordering("bit-reverse", "cube:6")).axes
    assert [axes[k].get_title() for k in (0, 1)] == ["before: degree 4", "after: degree 1"]


def test_the_picture_of_contention_has_the_degree_of_its_table(tmp_path, monkeypatch):
    """0.4 drew all communications added up, unsaid: degree 8 above a table of 4 and 4."""
    seen: list[str] = []
    from lccmodel.cli.options import Output

    monkeypatch.setattr(
        Output, "draw", lambda self, figure: seen.append(figure.axes[0].get_title())
    )
    assert run("contention", *BOTH, "-N", "cube:6", "--plot", tmp_path / "p.png").exit_code == 0
    assert contention(BOTH, "cube:6").degree == 4
    assert re.fullmatch(r"cube:6, maximum load 4: the largest load of any phase", seen[0])
