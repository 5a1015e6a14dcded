"""Tables of routings: every cell against the positions, tags and registers that it is read from."""

import json
from collections.abc import Callable

import pytest

from lccmodel import LCC, Hypercube, Mesh, Torus, catalog, contention
from lccmodel.errors import SizeLimitError
from lccmodel.movement import UNIT_PORTS
from lccmodel.permutations.comparison import compare, with_reordering
from lccmodel.permutations.routing_methods import (
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.routing_result import RoutedPermutation
from lccmodel.permutations.self_routing import SelfRouting
from lccmodel.permutations.simd_mesh import MeshPlan
from lccmodel.show.routing_tables import (
    comparison_table,
    comparison_tables,
    registers_tables,
    steps_table,
    tags_of,
    tags_table,
)

ASTRAY = [0, 1, 2, 4, 3, 7, 5, 6]
EXAMPLE_3 = LCC([[0, 0, 1], [1, 0, 0], [0, 1, 0]])
MESH = Mesh((4, 2))


# Made by the tests: what is made here is made in every process that collects them.
MADE: dict[str, Callable[[], RoutedPermutation]] = {
    "e-cube": lambda: by_dimension_order(catalog.bit_reverse(3), MESH),
    "HL on a mesh": lambda: by_self_routing(EXAMPLE_3, MESH),
    "MIMD": lambda: by_self_routing(ASTRAY, None, "mimd"),
    "not delivered": lambda: by_self_routing(ASTRAY),
    "exchanges": lambda: by_conditional_exchanges(catalog.build("gray-code", 3), Torus((8,))),
    "SIMD mesh": lambda: by_simd_mesh(EXAMPLE_3, MESH, "shuffled-row-major"),
    "two nodes": lambda: by_simd_mesh(LCC([[1]], [1]), Mesh((2,)), skip=True),
}


@pytest.fixture(params=MADE)
def routing(request: pytest.FixtureRequest) -> RoutedPermutation:
    return MADE[request.param]()


def test_steps_add_up_to_the_counts_of_the_routing(routing):
    table = steps_table(routing, "p", tags=True)
    rows = table.records()
    assert routing.movement is not None
    assert len(rows) == routing.steps + 1
    assert sum(row["moved"] for row in rows) == routing.hops
    assert sum(row["load"] for row in rows) == routing.rounds
    assert max(row["occupancy"] for row in rows) == routing.buffers
    assert rows[0]["delivered"] == routing.delivered
    assert table.title == f"p by {routing.title}"
    for row in rows:
        tags = row["tags"]
        assert isinstance(tags, tuple)
        assert sorted(tag for node in tags for tag in node) == list(range(1 << routing.n))
        assert max(map(len, tags)) == row["occupancy"]
        assert sum(map(bool, tags)) == row["nodes"]
    if routing.delivered:
        assert rows[-1]["tags"] == tuple((node,) for node in range(1 << routing.n))
    if routing.on_mesh is not None and routing.price is None:
        for ports in UNIT_PORTS:
            run = routing.on_mesh.in_unit_steps(ports)
            key = f"unit_steps_{ports.replace('-', '_')}"
            assert sum(row[key] for row in rows) == run.total
    if routing.price is not None:
        assert sum(row["registers"] or 0 for row in rows) == routing.price


def test_tags_table_shows_what_boppana_fig_2_shows():
    """Step 1 of [boppana, Fig. 2]: pairs of tags that differ in one vector."""
    routing = by_self_routing(LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0]))
    trace = routing.made
    assert isinstance(trace, SelfRouting)
    table = tags_table(routing)
    for u, (name, *cells) in enumerate(table.rows):
        assert name == f"{u:03b}"
        held = [[f"{tag:03b}" for tag in tags[u] if tag >= 0] for tags in trace.tags]
        assert [list(cell) for cell in cells] == held
    assert "–" in table.render()


def test_registers_in_chunks_of_eight_processors():
    plan = by_simd_mesh(catalog.bit_reverse(4), Mesh((4, 4))).made
    assert isinstance(plan, MeshPlan)
    tables = registers_tables(plan)
    assert [table.title.split()[-1] for table in tables] == ["0..7", "8..15"]
    for k, line in enumerate(plan.table()):
        assert tuple(cell for table in tables for cell in table.rows[k][1:-1]) == line.values
    assert len(registers_tables(by_simd_mesh(EXAMPLE_3, MESH).made)) == 1


def test_too_many_nodes_to_list():
    routing = by_simd_mesh(catalog.bit_reverse(7))
    with pytest.raises(SizeLimitError, match="up to n = 6"):
        tags_of(routing)
    with pytest.raises(SizeLimitError, match="up to n = 6"):
        registers_tables(routing.made)
    assert len(steps_table(routing).rows) == 8


@pytest.mark.parametrize(
    "c", [catalog.matrix_transpose(6), catalog.build("reverse-flip", 5)], ids=str
)
def test_the_reordering_of_hou_is_a_row(c):
    compared = with_reordering(compare(c))
    assert list(compared)[:3] == ["e-cube", "reordering", "hl"]
    added = compared["reordering"]
    assert added.delivered
    assert added.order is not None
    assert added.movement is not None
    assert added.on_mesh is not None
    renamed = c.reordered(added.order)
    assert added.movement.loads == contention(renamed, Hypercube(c.n), "walk").per_dimension
    moved = by_dimension_order(renamed, compared.mesh).on_mesh
    assert moved is not None
    assert added.on_mesh.channel_use == moved.channel_use


def test_what_is_not_affine_is_not_reordered():
    found = compare(ASTRAY)
    assert with_reordering(found) is found
    text = "".join(table.render() for table in comparison_tables(found))
    assert "not y = Ax + b" in text
    assert "differs by node" in text
    assert "HL: in step 2 processor 0 chooses bit 1, but 5 chooses 2." in text


def test_records_hold_what_people_see_and_more():
    both = [with_reordering(compare(catalog.matrix_transpose(4))), compare(ASTRAY, Hypercube(3))]
    rows = json.loads(comparison_table(both).render("json"))
    pairs = [(comparison, routing) for comparison in both for routing in comparison.values()]
    for row, (comparison, routing) in zip(rows, pairs, strict=True):
        assert (row["n"], row["method"]) == (comparison.n, routing.method)
        assert row["mesh"] == (comparison.mesh.spec if comparison.mesh else None)
        if routing.movement is None:
            assert row["occupancy"] is row["rounds"] is row["delivered"] is None
            assert row["reason"] == routing.reason
            continue
        assert row["occupancy"] == list(routing.movement.occupancies)
        for key in ("rounds", "busiest", "hops"):
            assert row[key] == getattr(routing, key)
        assert row["registers"] == (routing.price if comparison.mesh else None)
        assert row["contention_free"] == (max(row["load"]) <= 1)
        if comparison.mesh is not None:
            loads = comparison.mesh.channel_loads(catalog.matrix_transpose(4))
            assert (row["xy_busiest"], row["xy_hops"]) == (loads.degree, loads.counts.sum())
