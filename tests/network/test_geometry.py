"""Geometry: which networks are one network in other words."""

import networkx as nx
import numpy as np
import pytest

from lccmodel.network import Allocation, RouteTable, as_network
from lccmodel.network.geometry import Axis, Geometry
from lccmodel.network.plain import plain_network

TWINS = (
    ("origin:5", "cube:4*2"), ("torus:4x4", "torus:4x4,nodes=0-15"), ("cube:4", "mesh:2x2x2x2"),
    ("cube:4", "torus:2x2x2x2"), ("cube:4", "hyperx:2x2x2x2"), ("mesh:4x4", "mesh:4x1x4"),
    ("torus:3x3*2", "hyperx:3x3*2"), ("mesh:4x2", "mesh:4x2,bandwidth=1:1"),
    ("torus:4x2", "torus:4x2,wrap=0"), ("cube:4,nodes=1-3", "hyperx:2x2x2x2,nodes=1-3"),
)  # fmt: skip


@pytest.mark.parametrize("words", TWINS)
def test_two_descriptions_of_one_network_have_one_plain_network(words: tuple[str, str]) -> None:
    first, second = map(as_network, words)
    assert plain_network(first) == plain_network(second)
    assert first.geometry.canonical() == second.geometry.canonical()
    assert hash(first.geometry.canonical()) == hash(second.geometry.canonical())


@pytest.mark.parametrize(
    "word",
    ["cube:3", "origin:4", "mesh:4x3", "mesh:4x1x3", "torus:4x3*2", "torus:5x3,bandwidth=2:1"],
)
def test_a_table_of_the_routes_of_a_grid_is_that_grid(word: str) -> None:
    grid = as_network(word)
    table = RouteTable.from_graph(grid.graph(), lambda graph, x, y: grid.path(x, y))
    if grid.bandwidths and set(grid.bandwidths) != {1}:  # graphs of grids have no bandwidths
        assert table.geometry.sides == grid.geometry.sides
    else:
        assert plain_network(table) == plain_network(grid)


def test_a_table_with_another_route_or_link_is_no_grid() -> None:
    mesh = as_network("mesh:2x2")
    graphs = [nx.MultiGraph(mesh.graph().to_undirected()) for _ in range(3)]
    graphs[0].add_edge(0, 1, axis=0)
    graphs[1].edges[0, 1, 0]["bandwidth"] = 2
    graphs[2].remove_edge(0, 1)
    assert not any(RouteTable.from_graph(graph).geometry.is_grid for graph in graphs)
    table = RouteTable.from_graph(
        mesh.graph(), lambda _, x, y: mesh.path(x, y, descending=(x, y) == (0, 3))
    )
    assert not table.geometry.is_grid
    assert plain_network(table) is table


def test_nodes_in_another_order_or_fewer_are_not_the_whole() -> None:
    mesh = as_network("mesh:4x4")
    for nodes in ([*range(15)], [1, 0, *range(2, 16)]):
        job = Allocation(mesh, nodes)
        assert plain_network(job) is job
        assert job.geometry == Geometry()
        assert job.whole_network is mesh
        assert job.in_whole(np.array([0, 1])).tolist() == nodes[:2]


def test_canonical_geometry_by_hand() -> None:
    line = Geometry((Axis(4), Axis(1), Axis(2, ring=True)), word="dimension", first=1)
    assert line.canonical() == Geometry((Axis(4), Axis(2)))
    assert (line.sides, line.strides, line.rings) == ((4, 1, 2), (1, 4, 4), (False,) * 3)
    assert not line.is_cube
    assert Geometry().is_grid is False
    assert Geometry().is_cube is False
