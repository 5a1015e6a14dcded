"""Arithmetic on node numbers against the explicit graph and networkx.

Dimension order, the lowest axis first (e-cube on a cube); on a ring the shorter way.
"""

from __future__ import annotations

import pickle
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError, NetworkError, NodeError, SizeLimitError
from lccmodel.ground.words import NETWORK_ALIASES, NETWORKS
from lccmodel.network import (
    Allocation,
    BristledHypercube,
    Concentrated,
    FatTree,
    Hypercube,
    Mesh,
    Network,
    Torus,
    as_network,
    parse_network,
    spec,
)
from lccmodel.network.spec import cube_or_mesh
from tests.choosing import sampled
from tests.network.walking import Walker
from tests.strategies import networks

SMALL: list[Network] = [
    *(Hypercube(n) for n in (1, 2, 3, 4)),
    *(BristledHypercube(n) for n in (1, 2, 3, 4)),
    *(kind(shape) for kind in (Mesh, Torus) for shape in ((2,), (8,), (4, 4), (2, 4, 2), (1, 4))),
    Torus((16,)),
    Torus((4, 8)),
    Mesh((2, 1, 8)),
    Mesh((6, 3)),
    Torus((6, 5)),
    Torus((3, 1, 5)),
    Torus((6, 4), wrap=(False, True)),
    Concentrated(Torus((3, 4)), 3),
    Concentrated(Hypercube(2), 4),
    Concentrated(Mesh((4,)), 1),
]
every = pytest.mark.parametrize("network", sampled(SMALL, 2), ids=lambda network: network.spec)


@every
def test_channels_of_the_graph_are_counted(network: Network) -> None:
    graph = network.graph()
    channels = [e for e in graph.edges(data=True) if e[2].get("role") != "port"]
    assert len(channels) == network.n_channels
    assert nx.is_strongly_connected(graph)
    assert all(graph.has_edge(v, u) for u, v in graph.edges)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_hypercube_graph_is_that_of_networkx(n: int) -> None:
    """n 2^n directed channels, between the nodes that nx.hypercube_graph joins."""
    graph = Hypercube(n).graph()
    expected = nx.relabel_nodes(
        nx.hypercube_graph(n), lambda bits: sum(bit << i for i, bit in enumerate(bits))
    )
    assert {frozenset(e) for e in graph.edges} == {frozenset(e) for e in expected.edges}
    assert graph.number_of_edges() == n * 2**n
    for u, v, data in graph.edges(data=True):
        assert u ^ v == 1 << data["dimension"]


def test_bristled_graph_has_two_nodes_to_a_router() -> None:
    graph = BristledHypercube(4).graph()
    assert [x for x, role in graph.nodes(data="role") if role == "node"] == list(range(16))
    assert [r for r, role in graph.nodes(data="role") if role == "router"] == list(range(16, 24))
    assert graph.number_of_edges() == 2 * 16 + 3 * 8
    for x in range(16):
        assert dict(graph.adj[x]) == {16 + x // 2: {"dimension": 0, "role": "port"}}
    dimensions = {
        (u, v): d["dimension"] for u, v, d in graph.edges(data=True) if d["role"] == "channel"
    }
    assert all((u - 16) ^ (v - 16) == 1 << i - 1 for (u, v), i in dimensions.items())


@pytest.mark.parametrize("shape", [(8, 1), (4, 8), (2, 4, 1, 4)])
@pytest.mark.parametrize("periodic", [False, True])
def test_grid_graph_is_that_of_networkx(shape: tuple[int, ...], periodic: bool) -> None:
    """Axis 0 is the least significant part of a node number; lengths of 2 do not double links."""
    network = Torus(shape) if periodic else Mesh(shape)
    expected = nx.grid_graph(list(shape), periodic=periodic)
    graph = network.graph()
    named = {graph.nodes[x]["coordinates"]: x for x in graph}
    edges = {frozenset((named[u[::-1]], named[v[::-1]])) for u, v in expected.edges}
    edges = {e for e in edges if len(e) == 2}  # networkx closes an axis of length 1 on itself
    assert {frozenset(e) for e in graph.edges} == edges
    for u, v, data in graph.edges(data=True):
        step = [b - a for a, b in zip(network.coordinates(u), network.coordinates(v), strict=True)]
        length = shape[data["axis"]]
        assert step.pop(data["axis"]) in (data["sign"], -data["sign"] * (length - 1))
        assert not any(step)


def test_torus_axes_of_length_one_and_two_are_those_of_a_mesh() -> None:
    assert Torus((1, 2)).graph().adj == Mesh((1, 2)).graph().adj
    assert Torus((1, 2)).graph().edges[1, 0] == {"axis": 1, "sign": -1}
    assert Torus((2, 2)).n_channels == Mesh((2, 2)).n_channels == 8


@every
@pytest.mark.parametrize("descending", [False, True])
def test_paths_are_those_walked_on_the_graph(network: Network, descending: bool) -> None:
    """Every pair of nodes: dimension order, shortest length, and only edges of the graph."""
    walker = Walker(network.graph(), network.dimensions, descending)
    ports = 2 if network.first_router else 0
    for x, y in product(range(network.size), repeat=2):
        channels = network.channels(x, y, descending=descending)
        assert channels == walker.walk(x, y)
        assert len(channels) == network.distance(x, y)
        path = network.path(x, y, descending=descending)
        assert (path[0], path[-1]) == (x, y)
        assert nx.is_path(walker.graph, path)
        assert len(path) - 1 == walker.distance_to(y)[x] == len(channels) + ports * (x != y)


@every
def test_counters_and_channels_are_one_to_one(network: Network) -> None:
    """Every channel has its own counter, in a row of its own dimension or axis."""
    rows, columns = network.counter_shape
    seen = set()
    for u, v, data in network.graph().edges(data=True):
        if data.get("role") == "port":
            with pytest.raises(NetworkError, match=r"channel: must be a channel \(u, v\) of"):
                network.counter(u, v)
            continue
        row, column = network.counter(u, v)
        assert 0 <= row < rows
        assert 0 <= column < columns
        assert network.channel(row, column) == (u, v)
        assert network.row_dimension(row) == data.get("axis", data.get("dimension"))
        seen.add((row, column))
    assert len(seen) == network.n_channels


@given(networks(), st.data())
def test_coordinates_and_nodes_are_inverse(network: Network, data: st.DataObject) -> None:
    x = data.draw(st.integers(0, network.size - 1))
    assert network.node(network.coordinates(x)) == x


def test_node_numbers_have_axis_0_lowest() -> None:
    """node = x_0 + s_0 x_1 + s_0 s_1 x_2."""
    mesh = Mesh((4, 2, 8))
    for x0, x1, x2 in product(range(4), range(2), range(8)):
        assert mesh.node((x0, x1, x2)) == x0 + 4 * x1 + 8 * x2
        assert mesh.coordinates(x0 + 4 * x1 + 8 * x2) == (x0, x1, x2)
    assert Hypercube(3).node((1, 1, 0)) == 3


def test_torus_goes_the_shorter_way_and_plus_at_half() -> None:
    """Both ways are equally long at half the length: + from every node, in both senses."""
    ring = Torus((8,))
    for x in range(8):
        assert ring.path(x, (x + 4) % 8) == [(x + k) % 8 for k in range(5)]
        assert ring.path(x, (x + 5) % 8) == [(x - k) % 8 for k in range(4)]
    plane = Torus((4, 4))
    assert plane.path(0, 10) == [0, 1, 2, 6, 10]
    assert plane.path(0, 10, descending=True) == [0, 4, 8, 9, 10]


def test_arithmetic_holds_up_to_64_bits() -> None:
    top = 2**64 - 1
    assert Hypercube(64).distance(0, top) == 64
    assert len(Hypercube(64).path(0, top)) == 65
    assert BristledHypercube(64).channels(0, 2)[0] == (2**64, 2**64 + 1)
    assert Mesh((2**32, 2**32)).distance(0, top) == 2 * (2**32 - 1)
    assert Torus((2**32, 2**32)).distance(0, top) == 2
    assert Torus((2**64,)).path(0, top) == [0, top]


# -- values -------------------------------------------------------------------------------


@given(networks(64))
def test_spec_repr_and_pickle_give_the_network_back(network: Network) -> None:
    kinds = (Hypercube, BristledHypercube, Mesh, Torus, Concentrated, FatTree)
    names = {kind.__name__: kind for kind in kinds}
    assert parse_network(network.spec) == network
    assert eval(repr(network), names) == network
    below = network.network if isinstance(network, Concentrated) else network
    assert ("bandwidth" in repr(network)) == (set(getattr(below, "bandwidth", [1])) != {1})
    assert ("wrap" in repr(network)) == (isinstance(below, Torus) and not all(below.wrap))
    assert pickle.loads(pickle.dumps(network)) == network
    assert len({network, parse_network(network.spec.upper())}) == 1


def test_networks_of_another_kind_or_shape_differ() -> None:
    assert len({*SMALL}) == len(SMALL)
    assert Mesh((4, 4)) != Torus((4, 4))
    assert Mesh((2, 8)) != Mesh((8, 2))
    assert Hypercube(4) != 4
    assert Mesh([4, np.int64(2)]) == Mesh((4, 2))


def test_networks_are_frozen() -> None:
    with pytest.raises(AttributeError, match="Hypercube is frozen"):
        Hypercube(3).size = 4
    with pytest.raises(AttributeError, match="Mesh is frozen"):
        del Mesh((4,)).shape


def test_specs_as_the_command_line_writes_them() -> None:
    assert parse_network("cube:8") == parse_network(" hypercube:8 ") == Hypercube(8)
    assert parse_network("origin:5") == parse_network("bristled:5") == BristledHypercube(5)
    assert parse_network("mesh:16x16") == Mesh((16, 16))
    assert parse_network("Torus:8x8x8") == Torus((8, 8, 8))


# -- bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "cube",
            "network: must be cube:N, origin:N, mesh:AxB, torus:AxB or fattree:.*; got 'cube'",
        ),
        ("ring:8", "network: must be cube:N, origin:N"),
        ("cube:", "network: N must be a positive integer, not ''; got 'cube:'"),
        ("cube:-3", "network: N must be a positive integer, not '-3'"),
        ("cube:0", "network cube:0, n: must be at least 1; got 0"),
        ("mesh:4x", "network: side length must be a positive integer, not ''"),
        ("mesh:4x0", r"network mesh:4x0, shape\[1\]: must be at least 1; got 0"),
        ("mesh:4x6.5", "network: side length must be a positive integer, not '6.5'"),
        ("torus:8x8*", "network: nodes a router must be a positive integer, not ''"),
        ("torus:8x8*0", r"network torus:8x8\*0, per_node: must be at least 1; got 0"),
        ("origin:4*2", r"network origin:4\*2, network: must be a Hypercube, Mesh or Torus"),
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
        ("mesh:1x1", r"network mesh:1x1, shape: must have at least two nodes; got \(1, 1\)"),
        ("mesh:0", r"shape\[0\]: must be at least 1; got 0"),
        ("torus:٤", "network: side length must be a positive integer"),
    ],
)
def test_misspelt_networks_are_explained(text: str, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        parse_network(text)


@pytest.mark.parametrize("text", ["cube:65", "origin:65", f"mesh:{2**33}x{2**32}"])
def test_networks_beyond_a_machine_word_are_refused(text: str) -> None:
    with pytest.raises(SizeLimitError, match="machine word"):
        parse_network(text)


@pytest.mark.parametrize("n", [0, -1, 2.5, "3", None])
@pytest.mark.parametrize("kind", [Hypercube, BristledHypercube])
def test_bad_dimensions_are_refused(kind: type[Network], n: object) -> None:
    with pytest.raises(NetworkError, match="n: must be"):
        kind(n)


@pytest.mark.parametrize("shape", [(), 16, "4x4", (4, 0), (4, -4), (2.0,), (1,), None])
@pytest.mark.parametrize("kind", [Mesh, Torus])
def test_bad_shapes_are_refused(kind: type[Mesh], shape: object) -> None:
    with pytest.raises(NetworkError, match="shape"):
        kind(shape)


@pytest.mark.parametrize("wrap", [5, True, (True,), (True, 1), ("yes", "no"), (True, None)])
def test_bad_wraps_are_refused(wrap: object) -> None:
    with pytest.raises(NetworkError, match="wrap: must be 2 of True and False"):
        Torus((4, 4), wrap=wrap)


@every
@pytest.mark.parametrize("bad", [-1, 1 << 20, 0.0, "0", None])
def test_nodes_outside_are_refused(network: Network, bad: object) -> None:
    for call in (network.coordinates, network.neighbours):
        with pytest.raises(NodeError):
            call(bad)
    for route in (network.path, network.distance, network.channels):
        with pytest.raises(NodeError, match=r"^x: must be"):
            route(bad, 0)
        with pytest.raises(NodeError, match=r"^y: must be"):
            route(0, bad)
    with pytest.raises(NetworkError):
        network.channel_loads([[0, 0]]).of(0, 0)


@every
def test_bad_coordinates_are_refused(network: Network) -> None:
    good = network.coordinates(0)
    for bad in ((*good, 0), (2**20, *good[1:]), (-1, *good[1:]), (0.5, *good[1:])):
        with pytest.raises(NodeError, match="coordinates"):
            network.node(bad)


def test_a_router_is_no_node_of_a_path() -> None:
    with pytest.raises(NodeError, match=r"x: must be a node of origin:3, 0\.\.7; got 8"):
        BristledHypercube(3).path(8, 0)
    with pytest.raises(NodeError, match=r"node or router of origin:3, 0\.\.11; got 12"):
        BristledHypercube(3).neighbours(12)
    with pytest.raises(NetworkError, match="dimension 0"):
        BristledHypercube(3).channel(0, 0)


@pytest.mark.parametrize("network", [Hypercube(18), BristledHypercube(19), Mesh((2**11, 2**11))])
def test_graphs_too_large_for_memory_are_refused(network: Network) -> None:
    with pytest.raises(SizeLimitError, match="explicit graph has at most 4194304 channels"):
        network.graph()


def test_paths_too_long_to_list_are_refused() -> None:
    with pytest.raises(SizeLimitError, match="distance"):
        Mesh((2**40,)).path(0, 2**39)


def test_every_refusal_is_a_value_error() -> None:
    assert issubclass(InputError, ValueError)
    with pytest.raises(ValueError, match="cube:N"):
        parse_network("")


def test_no_coordinate_is_as_large_as_its_axis() -> None:
    """0..s_a - 1 on axis a, of a mesh as of the digits of a fat tree."""
    for network in (Mesh((4, 2)), Torus((4, 2)), FatTree((4, 2))):
        assert network.node((3, 1)) == 7
        for place, bad in [(0, (4, 0)), (1, (0, 2)), (0, (-1, 0)), (1, (3, -1))]:
            with pytest.raises(NodeError) as caught:
                network.node(bad)
            assert caught.value.argument == f"coordinates[{place}]"


def test_what_is_no_network_is_refused() -> None:
    """A word or a network; a cube, mesh or torus of 2^n nodes; nodes that there are."""
    with pytest.raises(NetworkError, match="must be a name such as"):
        parse_network(8)
    with pytest.raises(NetworkError, match="must be a network such as"):
        as_network(8)
    for network, n in ((FatTree((2, 2)), 2), (BristledHypercube(2), 2), (Mesh((3,)), 2)):
        with pytest.raises(NetworkError, match=r"must (be a Hypercube|have 2\^2 nodes)"):
            cube_or_mesh(network, n)
    for bad in ([-1, 0], [0, 4], [-1, 4]):
        with pytest.raises(NodeError, match=r"must be nodes of cube:2, 0\.\.3"):
            Hypercube(2).at_router(np.array(bad))
    assert Hypercube(2).at_router(np.array([0, 3])).tolist() == [0, 3]
    for network, most in ((Hypercube(62), 4), (Hypercube(64), 1), (Mesh((2**63,)), 2)):
        assert Concentrated(network, most).size == 1 << 64
        with pytest.raises(SizeLimitError, match=r"at most 2\^64"):
            Concentrated(network, most + 1)
    assert Allocation(Hypercube(62), [0, 2**62 - 1]).whole(1) == 2**62 - 1
    with pytest.raises(NetworkError, match=r"at most 2\^62"):
        Allocation(Mesh((2**62 + 1,)), [0])


@every
def test_counters_that_there_are_not_have_no_channel(network: Network) -> None:
    """One beyond the first and the last row and column."""
    rows, columns = network.counter_shape
    for nowhere in ((-1, 0), (rows, 0), (0, -1), (0, columns)):
        with pytest.raises(NetworkError):
            network.channel(*nowhere)


@every
def test_address_bits_are_those_of_a_power_of_two(network: Network) -> None:
    """2^n nodes have n; others have none."""
    if network.size.bit_count() == 1:
        assert 1 << network.n == network.size
    else:
        with pytest.raises(NetworkError, match=f"must have 2.n nodes here; .* has {network.size}"):
            _ = network.n


def test_every_word_of_the_registry_is_read() -> None:
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
    with pytest.raises(NetworkError, match="did you mean 'torus'"):
        parse_network("tors:4x4")
