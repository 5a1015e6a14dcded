"""Routing per message: ways drawn and walked by hand, what they load on average, and escapes.

Valiant's and ROMM's messages pass a router that they draw; xy-yx draws an order of the axes; the
adaptive function takes shortest paths above an escape [Duato].
"""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.network import Network, as_network
from lccmodel.routing import (
    Adaptive,
    Fabric,
    MessageRouting,
    RoutingError,
    RoutingTable,
    UserRouting,
    deadlock_free,
    dependency_graph,
    extended_dependency_graph,
    find_routing,
    routing_table,
    routings,
    widened,
)
from lccmodel.routing.grids import UnsafeTorus
from lccmodel.wormhole import trace
from lccmodel.wormhole.simulation import Simulation, simulate
from tests.choosing import sampled

GRIDS = ("cube:3", "origin:3", "mesh:4x3", "mesh:3x2*2", "torus:5", "torus:4x3", "torus:4x2x3")
DRAWN = ("valiant", "romm", "xy-yx")


def everything(network: Network) -> list[tuple[int, int]]:
    return [(x, y) for x in range(network.size) for y in range(network.size)]


def table_of(word: str, name: str, pairs: Any = None, many: int | None = None) -> RoutingTable:
    network = as_network(word)
    function = widened(find_routing(name, network), many)
    fabric = Fabric(network, function.virtual_channels)
    return routing_table(function, fabric, pairs or everything(network))


def along_axes(network: Network, x: int, y: int, last_first: bool = False) -> list[int]:
    """The routers from router x to y, axis by axis; half of a ring in the + direction."""
    axes = list(network.geometry.axes)
    stride = [1]
    for axis in axes[:-1]:
        stride.append(stride[-1] * axis.length)
    path = [x]
    for k in reversed(range(len(axes))) if last_first else range(len(axes)):
        length, place = axes[k].length, x // stride[k] % axes[k].length
        away = y // stride[k] % length - place
        if axes[k].ring and not -length < 2 * away <= length:
            away -= length if away > 0 else -length
        elif axes[k].ring and 2 * away == -length:
            away = length // 2
        for step in range(1, abs(away) + 1):
            there = (place + (step if away > 0 else -step)) % length
            path.append(x + (there - place) * stride[k])
        x = path[-1]
    return path


def walked(table: RoutingTable, start: int, then: int = -1) -> list[int]:
    """The channels of a message, the first option of each."""
    state, path = start, []
    while (options := table.options(state)) or then >= 0:
        if options:
            channel, state = options[0]
            path.append(channel)
        if not table.options(state) and then >= 0:
            state, then = then, -1
    return path


def legs_of(network: Network, name: str, x: int, y: int) -> list[tuple[list[int], list[int]]]:
    """All ways from router x to y: the routers of the first leg and of the second one."""
    if name == "xy-yx":
        return [(along_axes(network, x, y), [y]), ([x], along_axes(network, x, y, True))]
    legs = [(along_axes(network, x, w), along_axes(network, w, y)) for w in range(network.routers)]
    shortest = len(along_axes(network, x, y)) + 1
    return [way for way in legs if name == "valiant" or sum(map(len, way)) == shortest]


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("word", sampled(GRIDS, 2))
def test_messages_walk_two_legs_on_channels_of_their_own(word, name):
    """Every way drawn is one along axes by way of the router drawn; each leg in its class."""
    network = as_network(word)
    table = table_of(word, name)
    assert table.ways is not None
    pairs, draw = everything(network), np.random.default_rng(len(word))
    which = np.repeat(np.arange(len(pairs)), 4)
    half = table.fabric.virtual_channels // 2
    turns = set()
    for number, start, then in zip(which, *table.ways.drawn(which, draw), strict=True):
        x, y = (int(network.at_router(node)) for node in pairs[number])
        ends = [table.fabric.ends(channel) for channel in walked(table, int(start), int(then))]
        routers = [x, *(v for _, v, _ in ends)]
        assert [u for u, _, _ in ends] == routers[:-1]
        classes = [virtual // half for *_, virtual in ends]
        assert classes == sorted(classes)
        turn = classes.count(0)
        assert (routers[: turn + 1], routers[turn:]) in legs_of(network, name, x, y)
        turns.add(turn > 0 if name == "xy-yx" else routers[turn])
    assert len(turns) >= 2


def test_where_valiant_and_romm_send_messages():
    """From 0 to 5 of mesh:4x3: to all 12 routers alike, or to the 4 between; a leg may be empty."""
    for name, expected in (("valiant", range(12)), ("romm", (0, 1, 4, 5))):
        table = table_of("mesh:4x3", name, [(0, 5)])
        assert table.ways is not None
        which = np.zeros(6000, np.int64)
        start, then = table.ways.drawn(which, np.random.default_rng(3))
        first = np.where(then < 0, -1, table.destination[start])
        counts = Counter(first.tolist())
        empty = counts.pop(-1) / 6000  # by way of the source or of the destination
        share = 1 / len(expected)
        assert empty == pytest.approx(2 * share, abs=0.03)
        assert set(counts) == set(expected) - {0, 5}
        assert all(count / 6000 == pytest.approx(share, abs=0.03) for count in counts.values())


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("word", ["cube:3", "mesh:4x3", "torus:3x5"])  # rings without ties
def test_the_use_of_a_load_is_that_of_all_ways(word, name):
    """`Simulation.use` of one path for every message, here on average over its ways."""
    size = as_network(word).size
    pairs = [(x, (3 * x + 1) % size) for x in range(size) if (3 * x + 1 - x) % size]
    made = Simulation.of(pairs, word, name)
    fabric = made.table.fabric
    expected = Counter[Any]()  # messages on every link, all ways of all pairs by their chances
    for x, y in pairs:
        ways = legs_of(as_network(word), name, x, y)
        for first, second in ways:
            for hop in pairwise(first + second[1:]):
                expected[hop] += Fraction(1, len(ways))
    channels, exits, wires = made._shares
    assert exits.sum() == pytest.approx(len(pairs))
    for link in range(fabric.links):
        hop = (int(fabric.tail[link]), int(fabric.head[link]))
        assert wires[link] == pytest.approx(float(expected[hop]))
    assert channels.sum() == pytest.approx(float(sum(expected.values())))


@pytest.mark.parametrize("name", DRAWN)
def test_both_engines_and_the_trace_agree(name):
    """The same ways are drawn for one seed; a trace shows others for another one."""
    pairs = [(x, 15 - x) for x in range(16)]
    made = {"load": 0.3, "flits": 5, "cycles": 400}
    runs = [simulate(pairs, "mesh:4x4", name, **made, engine=e) for e in ("message", "flit")]
    assert np.array_equal(runs[0].delivered, runs[1].delivered)
    assert runs[0].routing == name
    paths = [
        tuple(worm.path for worm in trace(pairs, "mesh:4x4", name, seed=s).worms) for s in (1, 1, 2)
    ]
    assert paths[0] == paths[1] != paths[2]


def test_a_class_for_each_leg_is_what_frees_valiant_of_deadlock():
    """Negative control: on one class the second leg closes a ring with the first."""
    table = table_of("mesh:3x3", "valiant")
    assert not cycles(dependency_graph(table))
    arrived = np.where(table.arrived < 0, -1, table.arrived // 2 * 2)
    one_class = replace(table, channel=table.channel // 2 * 2, arrived=arrived)
    assert cycles(dependency_graph(one_class))


def cycles(graph: Any) -> bool:
    return not nx.is_directed_acyclic_graph(nx.DiGraph(graph.edges))


def test_dependencies_between_legs_are_those_of_all_ways():
    """On mesh:3x2: every pair of channels in a row, of every way of every message."""
    network, table = as_network("mesh:3x2"), table_of("mesh:3x2", "valiant")
    ends, expected = table.fabric.ends, set()
    for x, y in everything(network):
        for legs in legs_of(network, "valiant", x, y):
            hops = [(*hop, leg) for leg in range(2) for hop in pairwise(legs[leg])]
            expected |= set(pairwise(table.fabric.channel(*hop) for hop in hops))
    found = set(dependency_graph(table).edges)
    assert expected <= found
    # a first leg that ends where the message is bound for, or begins, is followed by no second one
    assert all(ends(c)[1] == ends(d)[0] for c, d in found - expected)
    assert len(found - expected) <= 4


@pytest.mark.parametrize("word", [*GRIDS, "torus:8x2"])
@pytest.mark.parametrize("stays", [False, True])
def test_adaptive_is_every_shortest_path_above_its_escape(word, stays):
    """Every neighbour nearer to the destination is offered, then one channel of dimension order."""
    network = as_network(word)
    known = find_routing("adaptive", network)
    assert isinstance(known, Adaptive)
    function = Adaptive(known.escape, known.virtual_channels + 1, stays)
    fabric, least = Fabric(network, function.virtual_channels), known.escape_channels
    hop = {(u, v) for u, v, _ in map(fabric.ends, range(fabric.channels))}
    far = {
        (x, y): len(along_axes(network, x, y)) for x, y in product(range(network.routers), repeat=2)
    }
    for at, to in product(range(network.routers), repeat=2):
        if at == to:
            continue
        *adaptive, last = function.outputs(fabric, at, to, -1)
        nearer = {v for u, v in hop if u == at and far[v, to] < far[at, to]}
        taken = Counter(fabric.ends(channel)[1:] for channel in adaptive)
        assert taken == Counter({(v, k): 1 for v in nearer for k in (least, least + 1)})
        u, v, virtual = fabric.ends(last)
        assert (u, v) == tuple(along_axes(network, at, to)[:2])
        assert virtual < least
    verdict = deadlock_free(function, network)
    assert verdict
    assert verdict.escape in (0, least)
    assert "free of deadlock" in str(verdict)


def test_what_no_escape_frees_of_deadlock():
    """Negative controls: an escape with a ring; no escape; an escape that is not always offered."""
    ring = as_network("torus:6x3")
    verdict = deadlock_free(Adaptive(UnsafeTorus()), ring)
    assert not verdict
    assert verdict.cycle
    assert all(name.endswith(":0") for name in verdict.cycle)
    assert not deadlock_free("fully-adaptive", "mesh:3x3")
    table = table_of("mesh:3x3", "adaptive")
    assert not cycles(extended_dependency_graph(table, 1))
    assert cycles(dependency_graph(table))
    late = UserRouting(
        "late", lambda f, at, to, _: [f.channel(at, at + (1 if to > at else -1), 1)], 2
    )
    line = routing_table(late, Fabric(as_network("mesh:4"), 2), [(0, 3)])
    with pytest.raises(RoutingError, match="must offer a channel of the escape at router 0"):
        extended_dependency_graph(line, 1)


def test_the_extended_graph_is_that_of_the_definition():
    """An escape channel, any adaptive ones, an escape channel: every message followed by itself."""
    table = table_of("mesh:3x3", "adaptive")
    expected = set()
    for state in range(table.states):
        arrived = int(table.arrived[state])
        if arrived >= 0 and arrived % 2 == 0:
            walks = [state]
            for at in walks:
                for channel, following in table.options(at):
                    if channel % 2 == 0:
                        expected.add((arrived, channel))
                    else:
                        walks.append(following)
    graph, found = extended_dependency_graph(table, 1), set()
    for channel in (vertex for vertex in graph if vertex >= 0):
        after = list(graph.successors(channel))
        for vertex in after:
            if vertex >= 0:
                found.add((channel, vertex))
            else:
                after.extend(graph.successors(vertex))
    assert found == expected
    first, last = table.fabric.channel(0, 1), table.fabric.channel(4, 5)
    assert (first, last) in found  # 0->1, then 1->4 on an adaptive channel, then 4->5


@pytest.mark.parametrize("word", ["fattree:2^3", "dragonfly:1,2,1", "torus:4x4", "cube:4"])
def test_valiant_is_for_every_network(word):
    network = as_network(word)
    assert "valiant" in {routing.name for routing in routings(network)}
    pairs = [(x, (x + network.size // 2) % network.size) for x in range(network.size)]
    run = simulate(pairs, word, "valiant", load=0.05, flits=4, cycles=500, depth=4, link_latency=1)
    assert (run.delivered < run.delivered.max() + 1).all()
    assert not run.deadlock


MESH, TREE = as_network("mesh:3x3"), as_network("fattree:2^3")


def romm_on_a_tree() -> RoutingTable:
    leg = find_routing("d-mod-k", TREE)
    romm = MessageRouting("romm", "", (leg, leg), "router between")
    return routing_table(romm, Fabric(TREE, 2), [(0, 1)])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: widened(find_routing("valiant", MESH), 3), RoutingError,
         "valiant needs a multiple of 2 virtual channels; got 3"),
        (lambda: widened(find_routing("adaptive", MESH), 1), RoutingError,
         r"adaptive needs 2\.\.4096 virtual channels"),
        (lambda: MessageRouting("one", "", (find_routing("e-cube", MESH),), "order"), RoutingError,
         "legs: must be two routing functions"),
        (romm_on_a_tree, RoutingError, "romm is for hypercubes, meshes and tori"),
        (lambda: find_routing("adaptive", TREE), RoutingError, 'must be "d-mod-k" or "valiant" on'),
        (lambda: simulate([(0, 5)], MESH, "valiant", depth=0), InputError, "depth"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()
