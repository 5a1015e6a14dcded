"""Routing functions against their definitions, and deadlock freedom against explicit graphs.

Where channels depend on each other in no cycle nothing waits for ever (Dally and Seitz).
"""

import pickle
from itertools import pairwise, permutations
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError, NetworkError, NodeError, SizeLimitError
from lccmodel.network import (
    BristledHypercube,
    Concentrated,
    FatTree,
    Hypercube,
    Mesh,
    Network,
    RouteTable,
    Torus,
)
from lccmodel.routing import (
    Fabric,
    ManyChannels,
    RoutingError,
    RoutingTable,
    UserRouting,
    deadlock_free,
    find_routing,
    routing_table,
    routings,
)
from lccmodel.routing import table as table_module
from lccmodel.routing.cubes import FullyAdaptive, MinimumRestriction, PCube
from tests.strategies import networks

NETWORKS = [
    Hypercube(1),
    Hypercube(4),
    BristledHypercube(1),
    BristledHypercube(4),
    Mesh((4, 4)),
    Mesh((2, 1, 8)),
    Torus((8,)),
    Torus((4, 2, 4)),
    Torus((5, 3), wrap=(True, False)),
    Concentrated(Mesh((3, 2)), 3),
    FatTree((2, 2, 2)),
    FatTree((3, 2, 2), (2, 3)),
]
TREES = [FatTree((2, 2, 2)), FatTree((3, 4), (2,)), FatTree((2, 2, 2), routing="s-mod-k")]


def everything(network: Network) -> list[tuple[int, int]]:
    return [(x, y) for x in range(network.size) for y in range(network.size)]


def test_listed_routes_are_followed_link_by_link():
    """On a ring of 5, even nodes send upwards and odd ones downwards: the source decides."""

    def way(graph: Any, x: Any, y: Any) -> list[Any]:
        step = 1 if x % 2 == 0 else -1
        return [(x + step * k) % 5 for k in range(step * (y - x) % 5 + 1)]

    ring = RouteTable.from_graph(nx.cycle_graph(5), way)
    fabric, routing = Fabric(ring, 2), find_routing("table", ring)
    assert ring.is_listed
    for x, y in everything(ring):
        at, arrived, gone = x, -1, [x]
        while at != y:
            to = y + fabric.routers * routing.tag(x, y)
            (arrived,) = routing.outputs(fabric, at, to, arrived)
            tail, at, _ = fabric.ends(arrived)
            assert tail == gone[-1]
            gone.append(at)
        assert gone == way(None, x, y)


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.spec)
def test_links_are_the_edges_of_the_graph(network):
    fabric, graph = Fabric(network, 2), network.graph()
    shift = network.first_router
    edges = {
        (u - shift, v - shift): data
        for u, v, data in graph.edges(data=True)
        if data.get("role") != "port"
    }
    assert len(edges) == fabric.links == fabric.channels // 2
    for link, (u, v) in enumerate(zip(fabric.tail, fabric.head, strict=True)):
        data = edges[u, v]
        assert fabric.dimension[link] == data.get("dimension", data.get("axis"))
        assert fabric.sign[link] == data.get("sign", 1 if v > u else -1)
        assert fabric.ends(fabric.channel(int(u), int(v), 1)) == (u, v, 1)
        assert v in fabric.neighbours(int(u))


@given(st.one_of(networks(max_n=6), st.sampled_from(TREES)))
def test_dimension_order_takes_the_path_of_the_network(network):
    routing = find_routing("e-cube", network)
    fabric = Fabric(network, routing.virtual_channels)
    size = network.size
    pairs = [(x, y) for x in range(size) for y in (size - 1 - x, (x + 3) % size)]
    table = routing_table(routing, fabric, pairs)
    shift = network.first_router
    for (x, y), state in zip(pairs, table.start.tolist(), strict=True):
        taken = []
        while table.options(state):
            ((channel, state),) = table.options(state)
            u, v, _ = fabric.ends(channel)
            taken.append((u + shift, v + shift))
        assert taken == network.channels(x, y)


def permitted(x: int, y: int, routing: str) -> set[tuple[int, ...]]:
    """The orders of dimensions that the turn rule allows, from its definition."""
    differing = [k for k in range(4) if (x ^ y) >> k & 1]
    negative = {k for k in differing if x >> k & 1}
    orders = set(permutations(differing))
    if routing == "p-cube":
        return {
            o
            for o in orders
            if not any(a not in negative and b in negative for a, b in pairwise(o))
        }
    return {o for o in orders if not any(b < a and b in negative for a, b in pairwise(o))}


@pytest.mark.parametrize("routing", [PCube(), MinimumRestriction()], ids=lambda r: r.name)
def test_adaptive_cubes_offer_exactly_the_orders_their_rule_permits(routing):
    fabric = Fabric(Hypercube(4))
    for x, y in everything(Hypercube(4)):
        found, walks = set(), [(x, -1, ())]
        for at, last, order in walks:
            if at == y:
                found.add(order)
            else:
                arrived = -1 if last < 0 else fabric.channel(at ^ 1 << last, at)
                for channel in routing.outputs(fabric, at, y, arrived):
                    k = int(fabric.dimension[channel])
                    walks.append((at ^ 1 << k, k, (*order, k)))
        assert found == permitted(x, y, routing.name)
        assert found


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.spec)
def test_all_but_the_unsafe_are_free_of_deadlock(network):
    for routing in routings(network):
        verdict = deadlock_free(routing, network)
        unsafe = routing.name in ("fully-adaptive", "dimension-order-one-channel")
        assert bool(verdict) == (not unsafe or network.size == 2), str(verdict)
        assert verdict or len(verdict.cycle) >= 4
        assert "deadlock" in str(verdict)


@pytest.mark.parametrize(
    ("routing", "network"),
    [("e-cube", Hypercube(4)), ("p-cube", Hypercube(4)), ("dimension-order", Torus((8, 4)))],
)
def test_every_message_ascends_the_order_of_channels(routing, network):
    order = deadlock_free(routing, network).order
    function = find_routing(routing, network)
    table = routing_table(function, Fabric(network, function.virtual_channels), everything(network))
    for state, arrived in enumerate(table.arrived.tolist()):
        assert all(arrived < 0 or order[arrived] < order[c] for c, _ in table.options(state))


def test_a_cycle_is_one_of_dependencies_that_messages_make():
    verdict = deadlock_free(FullyAdaptive(), Hypercube(3))
    assert not verdict
    assert not verdict.certain  # other ways out
    cycle = " -> ".join(verdict.cycle)
    assert str(verdict) == f"fully-adaptive on cube:3: may deadlock, cycle {cycle}"
    ends = [tuple(map(int, name.split("->"))) for name in verdict.cycle]
    assert all(a[1] == b[0] and a[0] != b[1] for a, b in pairwise([*ends, ends[0]]))
    assert not deadlock_free(FullyAdaptive(), Hypercube(2)).certain  # two ways out are enough
    ring = deadlock_free("dimension-order-one-channel", Torus((8,)))
    assert ring.certain
    assert len(ring.cycle) == 8
    assert "can deadlock" in str(ring)


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.spec)
def test_dependencies_of_fat_trees_against_the_paths_of_all_hosts(tree):
    """A route there depends on the hosts, not on their switches alone."""
    used, edges = set(), set()
    for x, y in everything(tree):
        path = [(u, v) for u, v in tree.channels(x, y) if min(u, v) >= tree.size]
        used |= set(path)
        edges |= set(pairwise(path))
    verdict = deadlock_free(tree.routing, tree)
    assert (verdict.channels, verdict.dependencies) == (len(used), len(edges))
    assert [k >= 0 for k in verdict.order].count(True) == len(used)


def test_a_smaller_set_of_messages_may_be_safe():
    """A channel that waits for no other is numbered too."""
    assert deadlock_free("fully-adaptive", Hypercube(2), [(0, 3), (1, 2)])
    verdict = deadlock_free("e-cube", Hypercube(2), [(0, 1), (3, 2)])
    assert (verdict.channels, verdict.dependencies) == (2, 0)
    assert sorted(verdict.order)[-3:] == [-1, 0, 1]
    none = deadlock_free("e-cube", Hypercube(2), [])
    assert (bool(none), none.channels, set(none.order)) == (True, 0, {-1})


def offering(*channels: object) -> UserRouting:
    return UserRouting("mine", lambda fabric, at, to, arrived: channels)


def circling(fabric: Fabric, at: int, to: int, arrived: int) -> list[int]:
    return [fabric.channel(at, at ^ 1)]


@pytest.mark.parametrize(
    ("routing", "message"),
    [
        (offering(), "must return a channel at router 0, bound for 3"),
        (UserRouting("mine", lambda *given: None), "list of channels at router 0.*got None"),
        (UserRouting("mine", lambda *given: 1), "list of channels at router 0"),
        (UserRouting("mine", lambda *given: [0], virtual_channels=0), "virtual_channels: must be"),
        (offering(8), r"channels 0\.\.7 at router 0"),
        (offering("0->1"), r"channels 0\.\.7"),
        (offering(1), "leave the router at router 0.*got '1->0'"),
        (UserRouting("mine", circling), "round in circles"),
        ("e-cub", "did you mean 'e-cube'"),
        ("d-mod-k", "must be one of"),
        (7, "a name or a routing function"),
    ],
)
def test_bad_routing_functions(routing, message):
    with pytest.raises(InputError, match=message) as caught:
        deadlock_free(routing, Hypercube(2), [(0, 3)])
    assert isinstance(caught.value, RoutingError) or "virtual" in message


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: UserRouting("mine", [0, 1]), RoutingError, "function: must be callable"),
        (lambda: deadlock_free(PCube(), Mesh((4, 4))), RoutingError, "is for hypercubes"),
        (lambda: deadlock_free(find_routing("dimension-order", Torus((4,))), Mesh((4, 4))),
         RoutingError, "is for tori"),
        (lambda: routing_table(find_routing("e-cube", Torus((4,))), Fabric(Torus((4,))), [(0, 1)]),
         RoutingError, "needs 2 virtual channels"),
        (lambda: deadlock_free("e-cube", Hypercube(2), [(0, 4)]), NodeError, r"cube:2, 0\.\.3"),
        (lambda: Fabric("cube:3"), NetworkError, "must be a Hypercube"),
        (lambda: Fabric(Hypercube(2)).channel(0, 3), NetworkError, "must be a channel"),
        *((lambda many=many: ManyChannels(find_routing("dimension-order", Torus((5,))), many),
           InputError, "virtual_channels") for many in (0, 1, 3, 4097, 4098, -2)),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def ways(table: RoutingTable, message: int) -> list[tuple[int, ...]]:
    """Where a header stands, came from and is bound for, and its channels, first choice each."""
    state, found = int(table.start[message]), list[tuple[int, ...]]()
    while True:
        where = (table.router[state], table.arrived[state], table.destination[state])
        options = table.options(state)
        found.append((*map(int, where), *(channel for channel, _ in options)))
        if not options:
            return found
        state = options[0][1]


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.spec)
def test_tables_written_along_routes_are_those_of_the_functions(network):
    """E-cube and dimension order for all pairs, asked state by state and written path by path."""
    nodes = range(network.size)
    pairs = [(x, y) for x in nodes for y in nodes]
    for named in routings(network):
        if named.name in ("e-cube", "dimension-order", "dimension-order-one-channel"):
            assert pickle.loads(pickle.dumps(named)) == named
            mine = UserRouting("mine", named.outputs, named.virtual_channels)
            fabric = Fabric(network, named.virtual_channels)
            written, asked = (routing_table(r, fabric, pairs) for r in (named, mine))
            assert written.states == asked.states
            assert len(written.channel) == len(asked.channel)
            for m in range(len(pairs)):
                assert ways(written, m) == ways(asked, m)


@pytest.mark.parametrize("many", [2, 4, 6, 4096])
def test_more_virtual_channels_are_shared_among_the_classes(many):
    """Class v of a function with two has the channels v many / 2 to (v + 1) many / 2 - 1."""
    torus = Torus((5,))
    function = find_routing("dimension-order", torus)
    more, few, wide = ManyChannels(function, many), Fabric(torus, 2), Fabric(torus, many)
    for at, to in permutations(range(5), 2):
        (offered,) = function.outputs(few, at, to, -1)
        link, virtual = divmod(offered, 2)
        share = many // 2
        expected = [link * many + virtual * share + k for k in range(share)]
        assert more.outputs(wide, at, to, -1) == expected
    assert (more.name, more.about, more.provenance) == (
        function.name, function.about, function.provenance,
    )  # fmt: skip
    more.check(wide)


def test_states_are_counted_up_to_a_limit(monkeypatch):
    """From 0 to 3 on a square e-cube has 3 states; on routes of the network, or by asking."""
    for channels in (1, 2):
        asked = find_routing("e-cube", Hypercube(2)), Fabric(Hypercube(2), channels), [(0, 3)]
        monkeypatch.setattr(table_module, "MAX_STATES", 3)
        assert len(routing_table(*asked).router) == 3
        monkeypatch.setattr(table_module, "MAX_STATES", 2)
        with pytest.raises(SizeLimitError, match="at most 2 states"):
            routing_table(*asked)
