"""The tables that answer questions: their numbers against the paper, and against walks."""

from itertools import pairwise
from typing import Any

import pytest

from lccmodel import Hypercube, Mesh, catalog
from lccmodel.communication.program import Entry
from lccmodel.communication.traffic import Traffic
from lccmodel.network import BristledHypercube
from lccmodel.placement import optimal_linear_mapping, optimal_reordering
from lccmodel.placement.contention import busiest_channels
from lccmodel.placement.search.solve import best_placement
from lccmodel.problem import Problem
from lccmodel.show.communication_tables import catalog_table, entry_table, recognition_table
from lccmodel.show.placement_tables import channels_table
from lccmodel.show.records import Table
from tests.walking import messages, walked_loads


def busiest(problem: Problem, routing: Any = "ascending") -> Table:
    return channels_table(busiest_channels(problem, routing))


@pytest.mark.parametrize("routing", ["ascending", "descending"])
def test_busiest_channels_against_walked_messages(routing):
    c = catalog.build("bit-reverse", 5)
    table = busiest(Problem.read(["bit-reverse"], Hypercube(5)), routing)
    order = range(5) if routing == "ascending" else range(4, -1, -1)
    walked = dict(zip(order, walked_loads(messages(c), list(order)), strict=True))
    records = {record["dimension"]: record for record in table.records()}
    assert {d: r["load"] for d, r in records.items()} == {d: w for d, w in walked.items() if w}
    for record in records.values():
        sent = record["messages"]
        assert isinstance(sent, tuple)
        assert len(sent) == record["load"]
        for x, y in sent:
            path = Hypercube(5).path(x, y, descending=routing == "descending")
            assert record["channel"] in list(pairwise(path))


def test_channels_of_a_mesh_count_both_directions():
    """Axis 0 of a 4 x 4 mesh under bit reversal; loads from `channel_loads`."""
    mesh = Mesh((4, 4))
    loads = mesh.channel_loads(catalog.build("bit-reverse", 4))
    records = busiest(Problem.read(["bit-reverse"], mesh)).records()
    assert [record["load"] for record in records] == list(loads.per_dimension)
    for record in records:
        rows = [row for row in range(4) if mesh.row_dimension(row) == record["axis"]]
        assert record["channels"] == int((loads.counts[rows] == record["load"]).sum())


def test_nothing_moves_no_channel_is_busy():
    assert busiest(Problem.read(["identity"], Hypercube(3))).records() == []


def test_mapping_of_example_4_and_6():
    """[hou, Examples 4 and 6]: 8 to 1 alone; 8, 8 to 2, 1 together."""
    (record,) = optimal_reordering(catalog.build("matrix-transpose", 8), Hypercube(8)).records()
    values = [record[key] for key in ("degree_before", "degree_after", "lower_bound", "optimal")]
    assert (values, record["order"]) == ([8, 1, 1, True], (0, 4, 2, 6, 1, 5, 3, 7))
    problem = Problem.read(["matrix-transpose", "bit-reverse"], "cube:8")
    both = best_placement(problem, count=True).as_table()
    assert [record["degree_after"] for record in both.records()] == [2, 1]
    assert "2,304" in both.render()
    assert "weight" not in both.render()


def test_a_linear_mapping_is_shown_by_its_equations():
    """[hou, Example 9]: no order, so y = Qx is written out."""
    m = optimal_linear_mapping(catalog.build("reverse-flip", 5), BristledHypercube(5))
    table = m.as_table()
    record = table.records()[0]
    assert (record["order"], record["degree_after"]) == (None, 1)
    assert record["Q"] == tuple(map(tuple, m.Q.tolist()))
    assert "y0 = " in table.render()
    assert "$y_{0} = " in table.render("latex")


def test_weights_are_shown_where_they_differ_from_one():
    members = [catalog.build(name, 4) for name in ("matrix-transpose", "bit-reverse")]
    table = optimal_reordering(members, Hypercube(4), "max-max", [2, 0.5]).as_table()
    assert [record["weight"] for record in table.records()] == [2, pytest.approx(0.5)]
    assert "weight" in table.render()


def test_the_catalogue_lists_every_entry_and_an_entry_its_equations():
    assert [r["name"] for r in catalog_table().records()] == [e.name for e in catalog.entries()]
    table = entry_table(catalog.entry("reverse-flip"), catalog.build("reverse-flip", 3))
    assert [(r["equation"], r["row"], r["constant"]) for r in table.records()] == [
        ("y0 = x2 + 1", (0, 0, 1), 1),
        ("y1 = x1 + 1", (0, 1, 0), 1),
        ("y2 = x0 + 1", (1, 0, 0), 1),
    ]
    parameters = entry_table(catalog.entry("shift"), None).records()
    assert [(r["parameter"], r["required"]) for r in parameters] == [("k", True)]


def test_recognition_of_the_three_verdicts():
    ring = [(x, (x + 1) % 8) for x in range(8)]
    entries = [
        Entry("trace", Traffic(pairs), 1.0, "", "", 0)
        for pairs in ([(0, 1), (1, 0), (2, 3)], ring, [(0, 3)])
    ]
    verdicts = [entry.recognition("unknown") for entry in entries]
    found, refused, open_ = recognition_table(entries, verdicts).records()
    assert (found["verdict"], found["A"]) == ("linear-complement", ((1, 0), (0, 1)))
    assert found["b"] == (1, 0)
    assert (found["messages"], found["missing_sources"]) == (3, 1)
    assert (refused["verdict"], refused["A"]) == ("not-linear-complement", None)
    assert "but 3->4 is sent" in str(refused["explanation"])
    assert (open_["verdict"], open_["free_bits"]) == ("underdetermined", 4)
