"""Tables of routes: equal to the forms by arithmetic, walked on the graph, refused when wrong."""

import pickle
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError, NetworkError, NodeError, SizeLimitError
from lccmodel.network import Allocation, Mesh, Network, RouteTable, Torus, graphs, parse_network
from lccmodel.network.graphs import MAX_ENTRIES, cabling_of
from lccmodel.network.topologies import ARRANGEMENTS, dragonfly
from lccmodel.placement.search.routes import _of_table
from lccmodel.routing.dependency import deadlock_free

FAST = [
    "cube:4", "origin:4", "mesh:4x3", "mesh:3x2*2", "torus:4x5", "torus:6x2x3", "torus:4x4,wrap=0",
    "mesh:3x4,bandwidth=2:3", "cube:2*4",
]  # fmt: skip
TREES = ["fattree:2^3", "fattree:4^2", "fattree:3x2x2/2x2", "fattree:4x4x2/2x3", "fattree:2^4"]


def _as_table(network: Network, routing: str) -> RouteTable:
    """The graph of a network, with its bandwidths, and routes by a rule."""
    graph = network.graph()
    for _, _, data in graph.edges(data=True):
        if data.get("role") != "port":
            axis = data.get("axis", data.get("dimension"))
            data["bandwidth"] = network.bandwidths[axis]
    return RouteTable.from_graph(graph, routing)


@pytest.mark.parametrize("word", FAST + TREES)
def test_a_table_equals_the_fast_form(word):
    """Dimension order is the first of the shortest ways; D-mod-k spreads by the destination."""
    network = parse_network(word)
    table = _as_table(network, "shortest" if word in TREES else "shortest-first")
    nodes = range(network.size)
    assert (table.size, table.routers, table.n_channels, table.diameter) == (
        network.size, network.routers, network.n_channels, network.diameter,
    )  # fmt: skip
    assert all(table.path(x, y) == network.path(x, y) for x in nodes for y in nodes)
    messages, weights = np.random.default_rng(0).integers(0, network.size, (200, 2)), np.arange(200)
    loads, others = (one.channel_loads(messages, weights) for one in (network, table))
    assert dict(loads.items()) == dict(others.items())
    assert loads.degree == others.degree
    on = [one.messages_on(loads.busiest()[0], messages).tolist() for one in (network, table)]
    assert on[0] == on[1]


@st.composite
def wired(draw: st.DrawFn) -> nx.MultiGraph:
    """A connected graph of routers, several cables between some, nodes at the last and some."""
    routers = draw(st.integers(1, 7))
    graph = nx.MultiGraph()
    for r in range(routers):
        graph.add_node(r, hosts=draw(st.integers(0 if r + 1 < routers else 2, 3)))
        for _ in range(draw(st.integers(1, 2)) if r else 0):
            graph.add_edge(r, draw(st.integers(0, r - 1)), bandwidth=draw(st.integers(1, 3)))
    for _ in range(draw(st.integers(0, 4)) if routers > 1 else 0):
        u, v = draw(st.permutations(range(routers)))[:2]
        graph.add_edge(u, v)
    return graph


@given(wired(), st.sampled_from(["shortest", "shortest-first", "updown"]))
def test_routes_are_walked_on_the_graph(graph, routing):
    """Every route exists; lengths are networkx's; loads are those of the walk."""
    table = RouteTable.from_graph(graph, routing)
    at = [v for v, many in graph.nodes(data="hosts") for _ in range(many)]
    length = dict(nx.all_pairs_shortest_path_length(graph))
    base, walked = table.first_router, Counter[Any]()
    for x in range(table.size):
        for y in range(table.size):
            channels = [ch[:2] for ch in table.channels(x, y)]
            stops = [at[x], *(v - base for _, v in channels)]
            assert stops[-1] == at[y]
            assert all(graph.has_edge(u, v) for u, v in pairwise(stops))
            assert [u - base for u, _ in channels] == stops[:-1]
            assert len(channels) >= length[at[x]][at[y]]
            if routing != "updown":
                assert len(channels) == length[at[x]][at[y]]
            walked.update(table.channels(x, y))
    everyone = [(x, y) for x in range(table.size) for y in range(table.size)]
    loads = table.channel_loads(everyone)
    for channel, count in walked.items():
        row, _ = table.counter(*channel)
        assert loads.of(*channel) == Fraction(count) / table.bandwidths[row]
    assert sum(int(c) for c in loads.counts.ravel()) == sum(walked.values())
    assert pickle.loads(pickle.dumps(table)) == table


@given(wired())
def test_up_down_routes_wait_in_no_circle(graph):
    """Up*/down*: the channels can be put in an order that every route follows."""
    if len(graph) > 1:
        assert deadlock_free("table", RouteTable.from_graph(graph, "updown"))


def test_shortest_routes_round_a_ring_wait_in_a_circle():
    assert not deadlock_free("table", RouteTable.from_graph(nx.cycle_graph(5)))


def test_every_cable_is_counted_by_itself():
    """Two cables between switches, four nodes at each: D-mod-k puts half on either."""
    graph = nx.MultiGraph([("a", "b"), ("a", "b")])
    nx.set_node_attributes(graph, 4, "hosts")
    table = RouteTable.from_graph(graph)
    loads = table.channel_loads([(x, y) for x in range(4) for y in range(4, 8)])
    assert dict(loads.items()) == {(8, 9): 8, (8, 9, 1): 8}
    assert len(table.messages_on((8, 9, 1), [(0, 4), (0, 5), (1, 5)])) == 2
    assert [table.name(x) for x in (0, 1, 7)] == ["a.0", "a.1", "b.3"]


def test_a_function_of_the_source_is_listed_and_one_of_the_destination_a_table():
    ring = nx.cycle_graph(4)

    def by_source(graph: Any, x: Any, y: Any) -> Sequence[Any]:
        assert x != y, "no function is asked for the route of a node to itself"
        step = 1 if x % 2 == 0 else -1
        return [(x + step * k) % 4 for k in range((step * (y - x)) % 4 + 1)]

    def always_up(graph: Any, x: Any, y: Any) -> Sequence[Any]:
        return [(x + k) % 4 for k in range((y - x) % 4 + 1)]

    table, other = (RouteTable.from_graph(ring, f) for f in (by_source, always_up))
    assert (table.is_listed, other.is_listed) == (True, False)
    everyone = list(product(range(4), repeat=2))
    for x, y in everyone:
        assert table.path(x, y) == (by_source(ring, x, y) if x != y else [x])
        assert other.path(x, y) == always_up(ring, x, y)
    walked = Counter(ch for x, y in everyone for ch in table.channels(x, y))
    assert dict(table.channel_loads(everyone).items()) == walked
    assert pickle.loads(pickle.dumps(table)) == table != other


RING = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)]
PAIR, THERE = [(0, 1), (1, 0)], [[-1, 0], [1, -1]]


@pytest.mark.parametrize(("links", "routes", "more", "told"), [
    ([(0, 1)], [[-1, 0], [0, -1]], {}, "must go both ways"),
    (PAIR, [[-1, 0], [0, -1]], {}, "must take links that leave"),
    (RING, [[-1, 0, 0], [1, -1, 1], [4, 3, -1]], {}, "must not go round in a loop"),
    (RING, [[-1, 0, -1], [1, -1, 2], [4, 3, -1]], {}, "must lead to every node"),
    (RING, [[-1, 0, 9], [1, -1, 2], [4, 3, -1]], {}, "must be numbers of links"),
    (RING, [[-1, 0, -2], [1, -1, 2], [4, 3, -1]], {}, "must be numbers of links, 0..5; got -2"),
    (RING, [[-1, 0], [1, -1]], {}, "must be of shape"),
    ([0, 1, 1, 0], THERE, {}, "must be pairs of routers"),
    ([0, 1, 1], THERE, {}, "must be pairs of routers"),
    ([[[0, 1], [1, 0]]], THERE, {}, "must be pairs of routers"),
    (PAIR, THERE, {"hosts": []}, "must have a node"),
    (PAIR, THERE, {"dimension": [1]}, "must be 2 integers"),
    (PAIR, (np.array([0, 0, 1, 2, 9]), np.array([0, 1])), {}, "must begin at ascending places"),
    (PAIR, (np.array([0, 0, 1, 2, 2]), np.array([0, 7])), {}, "must be numbers of links"),
    (PAIR, (np.array([0, 0, 1, 2, 2]), np.array([1, 0])), {}, "must take links that leave"),
    (PAIR, THERE, {"bandwidth": [1, -1]}, "must be 2 positive"),
    (PAIR, THERE, {"bandwidth": [1, 2]}, "as much either way"),
    (PAIR, THERE, {"bandwidth": [1]}, "must be 2 positive"),
    (PAIR, [[], [], [1], []], {}, "must end at the router"),
    (PAIR, [[], [1], [0], []], {}, "must take links that leave"),
    (PAIR, [[], [0], [1, 0], []], {}, "must not go round in a loop"),
    (PAIR, THERE, {"names": ["a"]}, "must be 2 names"),
    (PAIR, THERE, {"hosts": [0, -1]}, "must be of routers"),
    ([(0, 0)], [[-1]], {}, "must go both ways"),
])  # fmt: skip
def test_a_wrong_table_is_refused(links, routes, more, told):
    with pytest.raises(InputError, match=told):
        RouteTable(links, routes, **more)


@pytest.mark.parametrize(("route", "told"), [
    ([5], "must end at the router of the node, from router 0 (that of node 1) to node 2; got 2"),
    ([5, 4], "must not go round in a loop, from router 2 (that of node 0) to node 2; got 4"),
    ([1], "must take links that leave the router, from router 0 (that of node 1) to node 2; got 1"),
    ([5, 0], "that leave the router, from router 2 (that of node 0) to node 2; got 0"),
])  # fmt: skip
def test_where_a_listed_route_is_wrong_is_said(route, told):
    """Node x is at router x - 1 mod 3; one of six routes is spoiled, the others are straight."""
    routes = [[], [4], [3], [5], [], [0], [2], [1], []]
    assert RouteTable(RING, routes, hosts=[2, 0, 1]).distance(1, 2) == 1
    routes[5] = route
    with pytest.raises(NetworkError, match=re.escape(told)):
        RouteTable(RING, routes, hosts=[2, 0, 1])


def _wrong(path: Any, nodes: int = 2, told: str = "must give the vertices") -> tuple[Any, ...]:
    return nx.path_graph(nodes), path, told


@pytest.mark.parametrize(("graph", "routing", "told"), [
    (nx.Graph([(0, 1), (2, 3)]), "shortest", "is the graph connected"),
    (nx.DiGraph([(0, 1)]), "shortest", "must go both ways"),
    (nx.Graph([(0, 0), (0, 1)]), "shortest", "link a vertex with itself"),
    (nx.Graph([(0, 1, {"bandwidth": -2})]), "shortest", "positive finite"),
    (nx.Graph([(0, 1, {"bandwidth": "fast"})]), "shortest", "positive finite"),
    (nx.Graph([(0, 1)]), "quickest", "must be one of shortest"),
    (nx.Graph(), "shortest", "must have nodes"),
    (7, "shortest", "must be a networkx graph"),
    (nx.Graph([("x", "y")]), lambda g, x, y: x + y, "must give the vertices"),
    _wrong(lambda g, x, y: [x, y], 3, "along edges"),
    _wrong(lambda g, x, y: [x, y, x, y], 2, "without a loop"),
    _wrong(lambda g, x, y: [x], 3),
    _wrong(lambda g, x, y: "xy"),
    _wrong(lambda g, x, y: None),
    _wrong(lambda g, x, y: iter([x, y])),
    _wrong(lambda g, x, y: []),
    _wrong(lambda g, x, y: [*range(x, y + 1), 1], 3),
    _wrong(lambda g, x, y: [x, "a", "b", "c", y]),
])  # fmt: skip
def test_a_wrong_graph_or_routing_is_refused(graph, routing, told):
    with pytest.raises(NetworkError, match=told):
        RouteTable.from_graph(graph, routing)


@pytest.mark.parametrize(("many", "nodes"), [
    (0, 1), (1, 2), (3, 4), ("2", 3), (-1, None), (MAX_ENTRIES + 1, None), ("many", None),
    (None, None),
])  # fmt: skip
def test_hosts_of_a_router_are_0_to_the_largest_table(many, nodes):
    graph = nx.path_graph(2)
    graph.nodes[0]["hosts"], graph.nodes[1]["hosts"] = many, 1
    if nodes:
        assert RouteTable.from_graph(graph).size == nodes
    else:
        with pytest.raises(NetworkError, match="hosts of 0 must be a number of nodes"):
            RouteTable.from_graph(graph)


def test_a_table_is_given_in_any_form():
    """Rows in a list, a tuple or an array; lists of routes; where routes begin, and all links."""
    forms = [
        THERE, tuple(THERE), np.array(THERE), tuple(map(np.array, THERE)), [[], [0], [1], []],
        (np.array([0, 0, 1, 2, 2]), np.array([0, 1])),
    ]  # fmt: skip
    tables = [RouteTable(PAIR, routes) for routes in forms]
    assert [table.is_listed for table in tables] == [False] * 4 + [True] * 2
    assert {tuple(table.path(0, 1)) + tuple(table.path(1, 0)) for table in tables} == {(0, 1, 1, 0)}
    assert tables[0] == tables[3]
    assert tables[4] == tables[5]


def test_nodes_of_one_router_need_no_link():
    """No links at all: one router, whose nodes are 0 apart and have a place there each."""
    alone = RouteTable([], [[-1, -1]], hosts=[0, 0])
    assert (alone.routers, alone.size, alone.n_channels, alone.diameter) == (1, 2, 0, 0)
    assert (alone.bandwidths, alone.kinds, alone.spec) == ((1,), (0,), "table:1")
    assert [alone.coordinates(x) for x in (0, 1)] == [(0, 0), (0, 1)]
    assert alone.path(0, 1) == [0, 2, 1]
    assert RouteTable([], [[], [], [], []], hosts=[0, 0]).diameter == 0
    for nowhere in ((0, 2), (0, -1), (1, 0), (0,), (0, 0, 0), (0, 5)):
        with pytest.raises(NodeError, match="must be a router and a place there"):
            alone.node(nowhere)


def test_a_path_may_begin_and_end_at_nodes_that_hang_at_routers():
    """Two vertices that are no routers at most, one at either end."""
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, {0: "node", 1: "router", 2: "router", 3: "node"}, "role")
    for path in ([0, 1, 2, 3], [1, 2], [0, 1, 2], [1, 2, 3]):
        table = RouteTable.from_graph(graph, lambda _, x, y, p=path: p[:: 1 if x < y else -1])
        assert (table.distance(0, 1), table.distance(1, 0)) == (1, 1)
    for path in ([0, 0, 1, 2, 3], [0, 1, 2, 3, 3], [0, 1, 2, 0, 3]):
        with pytest.raises(NetworkError, match="must give the vertices from 0 to 3"):
            RouteTable.from_graph(graph, lambda _, x, y, p=path: p)


def test_what_no_message_comes_by_needs_no_route():
    """Router 2 has no nodes, and no route leads through it."""
    links = [*PAIR, (0, 2), (2, 0)]
    assert RouteTable(links, [*THERE, [-1, -1]], hosts=[0, 1]).path(0, 1) == [0, 2, 3, 1]


def test_a_table_has_no_order_of_dimensions():
    """It is no other network of its size, and is asked for nothing in descending order."""
    table = RouteTable(RING, [[-1, 0, 5], [1, -1, 2], [4, 3, -1]])
    assert not any(table == other for other in (Torus((3,)), "table:3", RouteTable(PAIR, THERE)))
    for method, arguments in (
        (table.channel_loads, ([(0, 1)],)), (table.messages_on, ((0, 1), [(0, 1)])),
        (table.path, (0, 1)), (table.channels, (0, 1)),
    ):  # fmt: skip
        with pytest.raises(NetworkError, match="no order of dimensions on table:3"):
            method(*arguments, descending=True)


# -- some nodes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [*FAST, *TREES, "dragonfly:1,2,1"])
def test_a_job_has_the_routes_of_the_whole_network(word):
    whole = parse_network(word)
    nodes = np.random.default_rng(1).permutation(whole.size)[: whole.size // 2 + 1]
    job = Allocation(whole, nodes)
    assert parse_network(job.spec) == job == pickle.loads(pickle.dumps(job))
    assert [job.whole(k) for k in range(job.size)] == nodes.tolist()
    pairs = list(product(range(job.size), repeat=2))
    routes = [whole.channels(int(nodes[x]), int(nodes[y])) for x, y in pairs]
    assert [job.channels(x, y) for x, y in pairs] == routes
    assert job.diameter == max(map(len, routes))
    counts = job.channel_loads(pairs).counts
    assert np.array_equal(counts, whole.channel_loads(pairs, node_of=nodes).counts)


@pytest.mark.parametrize("nodes", ["", "5-3", "0-99999999", "a", "2:2", "16"])
def test_nodes_that_a_network_lacks_are_refused(nodes):
    with pytest.raises(InputError, match=r"mesh:4x4|must be different"):
        parse_network(f"mesh:4x4,nodes={nodes}")
    with pytest.raises(NetworkError, match="whole network"):
        Allocation(Allocation(Mesh((4, 4)), [1]), [0])


# -- dragonflies --------------------------------------------------------------------------------


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
@pytest.mark.parametrize("shape", [(2, 4, 2), (1, 2, 1), (1, 3, 2), (3, 2, 3)])
def test_a_dragonfly_has_the_numbers_of_its_paper(shape, arrangement):
    """[kim, Section 3.1] N = a p (a h + 1), every two groups joined once, diameter 3."""
    p, a, h = shape
    net = dragonfly(*shape, "minimal", arrangement)
    groups = a * h + 1
    assert net.size == a * p * groups
    assert net.routers == a * groups
    assert net.n_channels == net.routers * (a - 1 + h)  # k = p + a - 1 + h ports of a router
    graph = nx.DiGraph(net.links.tolist())
    assert nx.diameter(graph) == net.diameter <= 3
    between = [(u // a, v // a) for u, v in graph.edges if u // a != v // a]
    assert sorted(between) == [(g, k) for g in range(groups) for k in range(groups) if g != k]
    for x in range(0, net.size, p):
        for y in range(0, net.size, p):
            kinds = [net.kinds[net.counter(*ch)[0]] for ch in net.channels(x, y)]
            assert kinds.count(1) == (x // (p * a) != y // (p * a))  # one global link
            assert "".join(map(str, kinds)) in ("", "0", "1", "01", "10", "010")


def test_the_global_links_of_a_dragonfly_are_arranged_as_stated():
    """[hastings] Port k of group 0: absolute and relative to k + 1; circulant to 1, -1, 2, -2."""
    ends = {}
    for arrangement in ARRANGEMENTS:
        net = dragonfly(2, 4, 2, "minimal", arrangement)
        far = [(u, v // 4) for u, v in net.links.tolist() if u // 4 == 2 and v // 4 != 2]
        assert [u - 8 for u, _ in far] == [0, 0, 1, 1, 2, 2, 3, 3]
        ends[arrangement] = [g for _, g in far]
    assert ends == {
        "absolute": [0, 1, 3, 4, 5, 6, 7, 8],
        "relative": [3, 4, 5, 6, 7, 8, 0, 1],
        "circulant": [3, 1, 4, 0, 5, 8, 6, 7],
    }


def test_routes_of_valiant_cross_a_third_group():
    """[kim, Section 4.1] Two global links, through a group that neither end is in."""
    net = dragonfly(1, 4, 2, "valiant")
    through = Counter[int]()
    for x in range(net.size):
        for y in range(net.size):
            stops = [v // 4 for v in net.path(x, y)]
            groups = [g for g, after in pairwise([*stops, -1]) if g != after]
            assert len(groups) == (1 if x // 4 == y // 4 else 3)
            through.update(groups[1:-1])
    assert len(through) == 9
    assert max(through.values()) < 1.5 * min(through.values())
    assert net == dragonfly(1, 4, 2, "valiant") != dragonfly(1, 4, 2, "valiant", seed=1)


# -- numbers and sizes --------------------------------------------------------------------------


def test_nodes_named_by_their_numbers_have_no_names():
    """So a table of the graph 0, 1, 2 equals one that was given without names."""
    for names, kept in (((0, 1, 2), None), ("abc", ("a", "b", "c")), ((1, 0, 2), ("1", "0", "2"))):
        graph = nx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from(pairwise(names))
        assert cabling_of(graph).names == kept


@pytest.mark.parametrize("largest", [2, 5, 100])
def test_bandwidths_of_a_table_are_rounded_by_as_much_as_is_said(largest):
    """Each link costs 1 / bandwidth in parts of the scale; the error is that of the worst."""
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 3), (1, 2, 2), (2, 3, 7)], weight="bandwidth")
    table = RouteTable.from_graph(graph, "shortest")
    routes = _of_table(table, largest, table.form)
    widths = [table.bandwidths[table.row_dimension(row)] for row in range(table.counter_shape[0])]
    each = len(routes.cost) // len(widths)
    costs = enumerate(routes.cost.tolist())
    assert routes.error == max(abs(c * widths[k // each] / routes.scale - 1) for k, c in costs)
    assert (routes.error == 0) == (largest == 100)


def test_large_tables_are_refused_before_they_are_packed(monkeypatch):
    """Two routers: a table of 4 entries, and lists of 5 places and 2 links, counted twice."""
    links, listed = [(0, 1), (1, 0)], [[], [0], [1], []]
    for routes, entries in (([[-1, 0], [1, -1]], 4), (listed, 10)):
        monkeypatch.setattr(graphs, "MAX_ENTRIES", entries)
        assert RouteTable(links, routes).size == 2
        monkeypatch.setattr(graphs, "MAX_ENTRIES", entries - 1)
        with pytest.raises(SizeLimitError, match=f"at most {entries - 1} entries"):
            RouteTable(links, routes)


@pytest.mark.parametrize("sides", [(2, 2, 2, 2), (3, 4), (4, 3, 2)])
def test_graphs_of_coordinates_are_routed_axis_by_axis(sides):
    """0.4 loaded bit reversal on networkx's cube with (3,) where Hypercube(4) has (1, 2, 2, 1)."""
    table = RouteTable.from_graph(nx.grid_graph(sides[::-1]), "shortest-first")
    mesh = Mesh(sides[::-1])
    for x, y in product(range(mesh.size), repeat=2):
        assert table.channels(x, y) == mesh.channels(x, y)
    cube = RouteTable.from_graph(nx.hypercube_graph(4), "shortest-first")
    pairs = [(x, int(f"{x:04b}"[::-1], 2)) for x in range(16)]
    assert cube.channel_loads(pairs).per_dimension == (1, 2, 2, 1)
