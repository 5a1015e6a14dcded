"""Graphs of cubes and grids by definition; networks as values, their words and what is refused.

Routes and numbers are those of the graph (test_second_routes).
"""

import pickle
from collections.abc import Callable
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from lccmodel.errors import InputError, NetworkError, NodeError, SizeLimitError
from lccmodel.ground.words import NETWORK_ALIASES, NETWORKS
from lccmodel.network import (
    Allocation,
    BristledHypercube,
    Concentrated,
    FatTree,
    Hypercube,
    Mesh,
    RouteTable,
    Torus,
    as_network,
    parse_network,
    spec,
)
from lccmodel.network.geometry import Axis, Geometry
from lccmodel.network.plain import plain_network
from lccmodel.network.spec import cube_or_mesh
from tests.strategies import networks


@pytest.mark.parametrize("n", [2, 3, 5])
def test_hypercube_graph_is_that_of_networkx(n):
    """n 2^n directed channels, between the nodes that nx.hypercube_graph joins."""
    graph = Hypercube(n).graph()
    assert Hypercube(n).node((1, *[0] * (n - 1))) == 1
    expected = nx.relabel_nodes(
        nx.hypercube_graph(n), lambda bits: sum(bit << i for i, bit in enumerate(bits))
    )
    assert {frozenset(e) for e in graph.edges} == {frozenset(e) for e in expected.edges}
    assert graph.number_of_edges() == n * 2**n
    for u, v, data in graph.edges(data=True):
        assert u ^ v == 1 << data["dimension"]


def test_bristled_graph_has_two_nodes_to_a_router():
    graph = BristledHypercube(4).graph()
    roles = dict(graph.nodes(data="role"))
    assert roles == dict.fromkeys(range(16), "node") | dict.fromkeys(range(16, 24), "router")
    assert graph.number_of_edges() == 2 * 16 + 3 * 8
    for x in range(16):
        assert dict(graph.adj[x]) == {16 + x // 2: {"dimension": 0, "role": "port"}}
    for u, v, data in graph.edges(data=True):
        assert data["role"] == "port" or (u - 16) ^ (v - 16) == 1 << data["dimension"] - 1


@pytest.mark.parametrize("shape", [(8, 1), (1, 2), (4, 8), (2, 4, 1, 4)])
@pytest.mark.parametrize("periodic", [False, True])
def test_grid_graph_is_that_of_networkx(shape, periodic):
    """Axis 0 is the least significant part of a node number; lengths of 2 do not double links."""
    network = Torus(shape) if periodic else Mesh(shape)
    expected = nx.grid_graph(list(shape), periodic=periodic)
    graph = network.graph()
    named = {graph.nodes[x]["coordinates"]: x for x in graph}
    for x, place in enumerate(product(*map(range, shape[::-1]))):
        assert network.coordinates(x) == place[::-1]
    edges = {frozenset((named[u[::-1]], named[v[::-1]])) for u, v in expected.edges}
    edges = {e for e in edges if len(e) == 2}  # networkx closes an axis of length 1 on itself
    assert {frozenset(e) for e in graph.edges} == edges
    for u, v, data in graph.edges(data=True):
        step = [b - a for a, b in zip(network.coordinates(u), network.coordinates(v), strict=True)]
        length = shape[data["axis"]]
        assert step.pop(data["axis"]) in (data["sign"], -data["sign"] * (length - 1))
        assert not any(step)


def test_arithmetic_holds_up_to_64_bits():
    top = 2**64 - 1
    assert Hypercube(64).distance(0, top) == 64
    assert len(Hypercube(64).path(0, top)) == 65
    assert BristledHypercube(64).channels(0, 2)[0] == (2**64, 2**64 + 1)
    assert Mesh((2**32, 2**32)).distance(0, top) == 2 * (2**32 - 1)
    assert Torus((2**32, 2**32)).distance(0, top) == 2
    assert Torus((2**64,)).path(0, top) == [0, top]
    for network, most in ((Hypercube(62), 4), (Hypercube(64), 1), (Mesh((2**63,)), 2)):
        assert Concentrated(network, most).size == 1 << 64
        with pytest.raises(SizeLimitError, match=r"at most 2\^64"):
            Concentrated(network, most + 1)
    assert Allocation(Hypercube(62), [0, 2**62 - 1]).whole(1) == 2**62 - 1


# -- values and words -------------------------------------------------------------------------


@given(networks(64))
def test_spec_repr_and_pickle_give_the_network_back(network):
    kinds = (Hypercube, BristledHypercube, Mesh, Torus, Concentrated, FatTree)
    names = {kind.__name__: kind for kind in kinds}
    assert parse_network(network.spec) == network
    assert eval(repr(network), names) == network
    hosted = network.with_hosts("1/2")
    assert eval(repr(hosted), names) == hosted
    below = network.network if isinstance(network, Concentrated) else network
    assert ("bandwidth" in repr(network)) == (set(getattr(below, "bandwidth", [1])) != {1})
    assert ("wrap" in repr(network)) == (isinstance(below, Torus) and not all(below.wrap))
    assert pickle.loads(pickle.dumps(network)) == network
    assert len({network, parse_network(network.spec.upper())}) == 1


def test_networks_are_frozen_values_by_kind_and_shape():
    with pytest.raises(AttributeError, match="Hypercube is frozen"):
        Hypercube(3).size = 4
    with pytest.raises(AttributeError, match="Mesh is frozen"):
        del Mesh((4,)).shape
    values = [
        Mesh((4, 4)), Torus((4, 4)), Torus((4, 4), wrap=(True, False)), Mesh((2, 8)), Mesh((8, 2)),
        Hypercube(4), BristledHypercube(4), Concentrated(Hypercube(3), 2), 4,
    ]  # fmt: skip
    assert len({*values}) == len(values)
    assert Mesh([4, np.int64(2)]) == Mesh((4, 2))


@pytest.mark.parametrize("number", [np.float64, np.float32, np.int32, float])
def test_a_bandwidth_may_be_a_number_of_numpy(number):
    """numpy's floats print with their type, and mean their shortest decimal all the same."""
    assert Mesh((4, 2), bandwidth=(number(2), 1)) == Mesh((4, 2), bandwidth=(2, 1))
    if number(0.5):
        assert Mesh((4, 2), bandwidth=(number(0.1), 1)) == Mesh((4, 2), bandwidth=("1/10", 1))


def test_every_word_of_the_registry_is_read():
    """Each example has the kind that the registry states, or is refused for its file alone."""
    assert {*NETWORKS} <= {*spec._CLASSES, *spec._TABLES, "graph", "slurm"}
    for kind, word in NETWORKS.items():
        assert word.example.partition(":")[0] == word.usage.partition(":")[0] == kind
        if word.example.endswith(":FILE"):
            with pytest.raises(InputError, match="FILE"):
                parse_network(word.example)
        else:
            assert parse_network(word.example).size > 1
    for alias, kind in NETWORK_ALIASES.items():
        assert parse_network(f"{alias}:3") == parse_network(f"{kind}:3")
    assert parse_network(" Hypercube:8 ") == Hypercube(8)


# -- one network in other words ---------------------------------------------------------------


TWINS = (
    ("origin:5", "cube:4*2"), ("torus:4x4", "torus:4x4,nodes=0-15"), ("cube:4", "mesh:2x2x2x2"),
    ("cube:4", "torus:2x2x2x2"), ("cube:4", "hyperx:2x2x2x2"), ("mesh:4x4", "mesh:4x1x4"),
    ("torus:3x3*2", "hyperx:3x3*2"), ("mesh:4x2", "mesh:4x2,bandwidth=1:1"),
    ("torus:4x2", "torus:4x2,wrap=0"), ("cube:4,nodes=1-3", "hyperx:2x2x2x2,nodes=1-3"),
    ("torus:5x3", "torus:5x3,ties=split"), ("cube:2", "torus:2x2,ties=split"),
    ("mesh:4x2", "torus:4x2,wrap=1,ties=split"),
)  # fmt: skip


@pytest.mark.parametrize("words", TWINS)
def test_two_descriptions_of_one_network_have_one_plain_network(words):
    twins = [as_network(word) for word in words]
    assert len({plain_network(twin) for twin in twins}) == 1
    assert len({twin.geometry.canonical() for twin in twins}) == 1


@pytest.mark.parametrize(
    "word",
    ["cube:3", "origin:4", "mesh:4x3", "mesh:4x1x3", "torus:4x3*2", "torus:5x3,bandwidth=2:1"],
)
def test_a_table_of_the_routes_of_a_grid_is_that_grid(word):
    grid = as_network(word)
    table = RouteTable.from_graph(grid.graph(), lambda graph, x, y: grid.path(x, y))
    if grid.bandwidths and set(grid.bandwidths) != {1}:  # graphs of grids have no bandwidths
        assert table.geometry.sides == grid.geometry.sides
    else:
        assert plain_network(table) == plain_network(grid)


def test_a_table_with_another_route_or_link_is_no_grid():
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


def test_nodes_in_another_order_or_fewer_are_not_the_whole():
    mesh = as_network("mesh:4x4")
    for nodes in ([*range(15)], [1, 0, *range(2, 16)]):
        job = Allocation(mesh, nodes)
        assert plain_network(job) is job
        assert job.geometry == Geometry()
        assert job.whole_network is mesh
        assert job.in_whole(np.array([0, 1])).tolist() == nodes[:2]


def test_canonical_geometry_by_hand():
    line = Geometry((Axis(4), Axis(1), Axis(2, ring=True)), word="dimension", first=1)
    assert line.canonical() == Geometry((Axis(4), Axis(2)))
    assert (line.sides, line.strides, line.rings) == ((4, 1, 2), (1, 4, 4), (False,) * 3)
    assert not line.is_cube
    assert Geometry().is_grid is False
    assert Geometry().is_cube is False


# -- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("cube", "must be cube:N, origin:N, mesh:AxB, torus:AxB or fattree:.*; got 'cube'"),
        ("", "must be cube:N, origin:N"),
        ("tors:4x4", "did you mean 'torus'"),
        ("cube:", "N must be a positive integer, not ''; got 'cube:'"),
        ("cube:-3", "N must be a positive integer, not '-3'"),
        ("cube:0", "cube:0, n: must be at least 1; got 0"),
        ("mesh:4x", "side length must be a positive integer, not ''"),
        ("mesh:4x0", r"mesh:4x0, shape\[1\]: must be at least 1; got 0"),
        ("mesh:4x6.5", "side length must be a positive integer, not '6.5'"),
        ("torus:٤", "side length must be a positive integer"),
        ("torus:8x8*", "nodes a router must be a positive integer, not ''"),
        ("torus:8x8*0", r"torus:8x8\*0, per_node: must be at least 1; got 0"),
        ("origin:4*2", r"origin:4\*2, network: must be a Hypercube, Mesh or Torus"),
        ("fattree:4^3*0", "must be at least 1"),
        ("torus:8x8,wrap=2", r"the axes of wrap must be in 0\.\.1"),
        ("torus:8x8,bandwidth=1", "bandwidth: must be 2 positive finite numbers"),
        ("torus:8x8,bandwidth=1:0", "bandwidth: must be 2 positive finite numbers"),
        ("torus:8x8,bandwidth=1:1/0", "bandwidth: must be 2 positive finite numbers"),
        ("mesh:8x8,wrap=0", "after a comma, bandwidth=... may be given once"),
        ("cube:3,wrap=0", "takes nothing after a comma"),
        ("fattree:4^3,routing=up", 'routing: must be "d-mod-k" or "s-mod-k"'),
        ("fattree:4^99", "at most 64 levels"),
        ("fattree:1^65", "at most 64 levels"),
        ("fattree:4^0", "down: must be 0 integers|must be"),
        ("fattree:2x2x2/2", "up: must be 2 integers"),
        ("mesh:1x1", r"mesh:1x1, shape: must have at least two nodes; got \(1, 1\)"),
        ("cube:65", "machine word"),
        ("origin:65", "machine word"),
        (f"mesh:{2**33}x{2**32}", "machine word"),
    ],
)
def test_misspelt_networks_are_explained(text, message):
    with pytest.raises((NetworkError, SizeLimitError), match=message) as caught:
        parse_network(text)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, SizeLimitError) == (message == "machine word")


@pytest.mark.parametrize("word", [
    "mesh:4x4,ties=split", "cube:4,ties=split", "fattree:4x4,ties=split", "torus:4x4,ties=line",
    "torus:4x4,ties=", "torus:4x4,ties=split,ties=split", "dragonfly:2,4,2,ties=split",
    "dragonfly:2,4", "dragonfly:0,1,1", "dragonfly:2,4,2,routing=ugal", "dragonfly:",
    "dragonfly:1,3,1,arrangement=circulant", "dragonfly:2,4,2,x=1", "dragonfly:9,99,99",
    "dragonfly:a,b,c", "hyperx:", "hyperx:4x0", "hyperx:4x4*0", "hyperx:4x4,bandwidth=1",
    "hyperx:4x4,routing=x", "hyperx:9999x9999", "twisted:4x4", "twisted:4x9", "twisted:1x2",
    "twisted:2x4x4x4", "twisted:4", "twisted:4x8,wrap=0", "slimfly:6", "slimfly:2", "slimfly:67",
    "slimfly:x", "slimfly:10", "slimfly:5*0", "slimfly:0", "slimfly:-5", "slimfly:15",
    "torus:4x4*4/3", "torus:4x4*4/0", "torus:4x4*/2", "torus:4x4*4/2,inside=1",
    "torus:4x4*4/2,inside=1:-2", "torus:4x4*4/2,inside=1:2,inside=1:2", "torus:4x4*4/2/2/2",
    "mesh:2*4/x", "rails:4", "rails:4,2,bandwidth=1", "rails:0,2", "rails:9999999,9999999",
    "levels:none.toml",
])  # fmt: skip
def test_shapes_and_options_that_there_are_not_are_refused_in_one_line(word):
    with pytest.raises(InputError) as caught:
        parse_network(word)
    assert "\n" not in str(caught.value)


REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    *[
        (lambda kind=kind, n=n: kind(n), NetworkError, "n: must be")
        for kind in (Hypercube, BristledHypercube)
        for n in (0, -1, 2.5, "3", None)
    ],
    *[
        (lambda kind=kind, shape=shape: kind(shape), NetworkError, "shape")
        for kind in (Mesh, Torus)
        for shape in ((), 16, "4x4", (4, 0), (4, -4), (2.0,), (1,), None)
    ],
    *[
        (lambda wrap=wrap: Torus((4, 4), wrap=wrap), NetworkError, "wrap: must be 2 of True and")
        for wrap in (5, True, (True,), (True, 1), ("yes", "no"), (True, None))
    ],
    (lambda: BristledHypercube(3).path(8, 0), NodeError, r"x: must be .* origin:3, 0\.\.7; got 8"),
    (lambda: BristledHypercube(3).neighbours(12), NodeError, r"router of origin:3, 0\.\.11; got"),
    (lambda: BristledHypercube(3).channel(0, 0), NetworkError, "dimension 0"),
    (lambda: Hypercube(18).graph(), SizeLimitError, "explicit graph has at most 4194304 channels"),
    (lambda: BristledHypercube(19).graph(), SizeLimitError, "at most 4194304 channels"),
    (lambda: Mesh((2**11, 2**11)).graph(), SizeLimitError, "at most 4194304 channels"),
    (lambda: Mesh((2**40,)).path(0, 2**39), SizeLimitError, "distance"),
    (lambda: Allocation(Mesh((2**62 + 1,)), [0]), NetworkError, r"at most 2\^62"),
    (lambda: parse_network(8), NetworkError, "must be a name such as"),
    (lambda: as_network(8), NetworkError, "must be a network such as"),
    (lambda: cube_or_mesh(FatTree((2, 2)), 2), NetworkError, "must be a Hypercube"),
    (lambda: cube_or_mesh(BristledHypercube(2), 2), NetworkError, "must be a Hypercube"),
    (lambda: cube_or_mesh(Mesh((3,)), 2), NetworkError, r"must have 2\^2 nodes"),
    *[
        (lambda bad=bad: Hypercube(2).at_router(np.array(bad)), NodeError, r"cube:2, 0\.\.3")
        for bad in ([-1, 0], [0, 4], [-1, 4])
    ],
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_bad_arguments_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
