"""Routes, loads and counters of networks of every kind agree with the explicit graph.

Every route is walked on the graph, loads are counted route by route, and the numbering of channels
is a bijection. How channels are numbered no equation says: small networks have printed tables.
"""

import re
from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from lccmodel import Traffic
from lccmodel.errors import NetworkError, NodeError
from lccmodel.network import Allocation, Network, parse_network
from lccmodel.network.plain import plain_network
from lccmodel.network.ring_direction import LINE, PLUS, SPLIT
from lccmodel.network.routes import longest_route, next_place, next_run, write_route
from tests.choosing import sampled
from tests.network.walking import Walker

CASES = (
    "cube:1", "cube:4", "cube:3*3", "cube:4,nodes=1-3:8:12-14", "origin:1", "origin:4",
    "mesh:2", "mesh:7", "mesh:3x1x4", "mesh:4x3,bandwidth=3:1/2", "mesh:3x2*3",
    "mesh:5x3,nodes=1-9", "mesh:4*1",
    "torus:2", "torus:5", "torus:6x4", "torus:4x3,wrap=0", "torus:4x2*2,bandwidth=2:3",
    "torus:8,nodes=0:2:4-7", "torus:3x3x3", "torus:4x4,wrap=1,bandwidth=1:5", "torus:16",
    "torus:6x4,bandwidth=2:1,ties=split", "torus:4x4*2,ties=split,nodes=1-9", "torus:1x4",
    "torus:2x4x2",
    "fattree:2", "fattree:2^4", "fattree:3x2x2/2x1", "fattree:4x2x3/1x2,routing=s-mod-k",
    "fattree:2x3x2/2x3", "fattree:3^2,nodes=0:2-6:8",
    "dragonfly:1,2,1", "dragonfly:2,4,2", "dragonfly:1,4,1,arrangement=circulant",
    "dragonfly:2,2,2,arrangement=relative", "dragonfly:1,4,1,routing=valiant,seed=3",
    "dragonfly:2,2,1,routing=valiant", "hyperx:4x3", "hyperx:2x3x2*2", "hyperx:5,bandwidth=2",
    "hyperx:3x3,bandwidth=1:3", "twisted:2x4", "twisted:6x3", "twisted:2x4x2*2", "twisted:3x3x6",
    "slimfly:3", "slimfly:4*1", "slimfly:5*1", "slimfly:8*1", "mesh:2*4/2", "torus:3x2*4/2/2",
    "fattree:2x2/1*4/4", "dragonfly:1,2,1*3/1", "mesh:3x2*1/1", "cube:2*2/2", "cube:3*8/2/2",
    "torus:3*3/3,nodes=0:4-8", "rails:2,3",
)  # fmt: skip


def check_counters(network: Network) -> dict[tuple[int, int], tuple[int, ...]]:
    """Every channel of the graph has one counter, in a row of its dimension or axis."""
    graph, (rows, columns) = network.graph(), network.counter_shape
    places = {}
    for row in range(rows):
        for column in range(columns):
            with suppress(NetworkError):
                channel = network.channel(row, column)
                places[row, column] = channel
                assert network.counter(*channel) == (row, column)
                data = graph.edges[channel[:2]]
                axis = data.get("axis", data.get("dimension"))
                assert axis is None or axis == network.row_dimension(row)
    assert len(places) == len({*places.values()}) == network.n_channels
    for nowhere in ((-1, 0), (rows, 0), (0, -1), (0, columns)):
        with pytest.raises(NetworkError):
            network.channel(*nowhere)
    wiring, base = network.wiring, network.first_router
    assert [divmod(counter, columns) for counter in wiring.counter.tolist()] == sorted(places)
    for k, (row, column) in enumerate(sorted(places)):
        dimension = network.row_dimension(row)
        assert (wiring.tail[k] + base, wiring.head[k] + base) == places[row, column][:2]
        assert (wiring.row[k], wiring.dimension[k]) == (row, dimension)
        assert wiring.bandwidth[k] == network.bandwidths[dimension]
    ports = {edge for edge in graph.edges if graph.edges[edge].get("role") == "port"}
    assert {channel[:2] for channel in places.values()} == {*graph.edges} - ports
    for port in ports:
        with pytest.raises(NetworkError, match=r"channel: must be a channel \(u, v\)"):
            network.counter(*port)
    return places


Ways = dict[tuple[int, int], list[tuple[int, ...]]]


def check_plain(network: Network, ways: Ways) -> None:
    """The plain network has the same nodes, routes and links."""
    plain = plain_network(network)
    assert (plain.size, plain.routers) == (network.size, network.routers)
    assert plain_network(plain) == plain
    shift = network.first_router - plain.first_router
    for pair, route in ways.items():
        assert [c[:2] for c in route] == [
            (u + shift, v + shift) for u, v, *_ in plain.channels(*pair)
        ]
    links = [
        sorted(zip(wiring.tail.tolist(), wiring.head.tolist(), wiring.bandwidth, strict=True))
        for wiring in (network.wiring, plain.wiring)
    ]
    assert links[0] == links[1]


@pytest.mark.parametrize("word", sampled(CASES, 2))
def test_a_network_agrees_with_its_graph(word):
    """Networks with an order of dimensions are walked dimension by dimension, either way."""
    network = parse_network(word)
    graph, size = network.graph(), network.size
    is_ordered = re.match("(cube|origin|mesh|torus)(?!.*[*][0-9]+/)", word)
    assert parse_network(network.spec) == network
    places, columns = check_counters(network), network.counter_shape[1]
    for vertex in graph if not isinstance(network, Allocation) else ():
        nearby = network.neighbours(vertex)
        assert (len(nearby), {*nearby}) == (len({*nearby}), {*graph.successors(vertex)})
    if size.bit_count() == 1:
        assert 1 << network.n == size
    else:
        with pytest.raises(NetworkError, match=f"must have 2.n nodes here; .* has {size}"):
            _ = network.n
    step, draw = max(1, size // 24), np.random.default_rng(size)
    for descending in (False, True) if is_ordered else (False,):
        walker = Walker(graph, network.dimensions, descending)
        ways: Ways = {}
        for x in range(0, size, step):
            assert network.node(network.coordinates(x)) == x
            assert {*network.neighbours(x)} == {*graph[network.whole(x)]}
            for y in range(size):
                ways[x, y] = route = network.channels(x, y, descending=descending)
                ends = network.whole(x), network.whole(y)
                path = network.path(x, y, descending=descending)
                assert (path[0], path[-1]) == ends
                assert all(graph.has_edge(u, v) for u, v in pairwise(path))
                assert [c[:2] for c in route] == [
                    edge for edge in pairwise(path) if graph.edges[edge].get("role") != "port"
                ]
                assert network.distance(x, y) == len(route) <= network.diameter
                if is_ordered and "ties" not in word:  # those are walked in test_ties
                    assert route == walker.walk(*ends)
                    assert len(path) - 1 == walker.distance_to(ends[1])[ends[0]]
                if not descending:
                    out, back, alone = np.empty((3, network.diameter + 1), np.int64)
                    hops = write_route(network.form, x, y, PLUS, out, back)
                    assert [places[divmod(int(k), columns)] for k in out[:hops]] == route
                    assert [places[divmod(int(k), columns)][:2] for k in back[:hops]] == [
                        channel[1::-1] for channel in route
                    ]
                    assert write_route(network.form, x, y, PLUS, alone, back[:0]) == hops
                    assert alone[:hops].tolist() == out[:hops].tolist()
        if not descending:
            check_plain(network, ways)
        if step == 1:
            assert network.diameter == max(map(len, ways.values()))
            assert longest_route(network.form, network.diameter, size) == network.diameter
        pairs = [list(ways)[k] for k in draw.integers(0, len(ways), 70)]
        volumes = draw.integers(1, 99, len(pairs))
        loads = network.channel_loads(pairs, volumes, descending=descending)
        counted = Counter[tuple[int, ...]]()
        for pair, volume in zip(pairs, volumes.tolist(), strict=True):
            for channel in ways[pair]:
                counted[channel] += volume
        per = [Fraction(0)] * network.dimensions
        for (row, column), channel in places.items():
            assert loads.counts[row, column] == counted[channel]
            load = Fraction(counted[channel]) / network.bandwidths[network.row_dimension(row)]
            assert loads.of(*channel) == load
            per[network.row_dimension(row)] = max(per[network.row_dimension(row)], load)
        assert list(loads.per_dimension) == per
        assert loads.degree == max(per, default=0)
        assert loads.total == sum(counted.values())
        assert loads.n_used == len(+counted)
        assert {*loads.busiest()} == {c for c in counted if loads.of(*c) == loads.degree}
        for channel in loads.busiest()[:3]:
            on = network.messages_on(channel, pairs, descending=descending)
            assert on.tolist() == [k for k, pair in enumerate(pairs) if channel in ways[pair]]
        node_of = draw.permutation(size)
        traffic = Traffic(pairs, volumes, size)
        assert network.channel_loads(traffic, node_of=node_of) == network.channel_loads(
            node_of[np.array(pairs)], volumes
        )
        nowhere = network.channel_loads([(x, x) for x in range(size)], descending=descending)
        assert nowhere.per_dimension == (0,) * network.dimensions
        assert (nowhere.degree, nowhere.total, nowhere.busiest()) == (0, 0, [])


NODES_REFUSED = ("cube:3", "origin:3", "mesh:4x2*3", "torus:6x5", "fattree:4x2", "slimfly:3*1")


@pytest.mark.parametrize("word", NODES_REFUSED)
@pytest.mark.parametrize("bad", [-1, None, 0.0, "0", 1 << 20])
def test_nodes_outside_are_refused(word, bad):
    network = parse_network(word)
    for call in (network.coordinates, network.neighbours):
        with pytest.raises(NodeError):
            call(bad)
    for vertex in (len(network.graph()), 1.5):
        with pytest.raises(NodeError):
            network.neighbours(vertex)
    for route in (network.path, network.distance, network.channels):
        for end, ends in (("x", (bad, 0)), ("y", (0, bad)), ("x", (network.size, 0))):
            with pytest.raises(NodeError, match=f"^{end}: must be"):
                route(*ends)
    good = network.coordinates(0)
    largest = np.max([network.coordinates(x) for x in range(network.size)], axis=0).tolist()
    for axis, most in enumerate(largest):
        with pytest.raises(NodeError, match="coordinates"):
            network.node((*good[:axis], most + 1, *good[axis + 1 :]))
    for coordinates in ((*good, 0), (2**20, *good[1:]), (-1, *good[1:]), (0.5, *good[1:])):
        with pytest.raises(NodeError, match="coordinates"):
            network.node(coordinates)


@pytest.mark.parametrize("word", ["mesh:3x1x2", "torus:4x3", "torus:5x2,wrap=0"])
@pytest.mark.parametrize("tie", [PLUS, SPLIT, LINE])
def test_run_after_run_is_the_route(word, tie):
    """Channel by channel from router to router, the rows and columns that `write_route` lists."""
    network = parse_network(word)
    channels, columns = np.empty(network.diameter, np.int64), network.counter_shape[1]
    for here in range(network.size):
        for goal in range(network.size):
            hops = write_route(network.form, here, goal, tie, channels, np.empty(0, np.int64))
            at, stepped = here, []
            while at != goal:
                row, c, run, stride, length = next_run(network.form, at, goal, tie)
                for _ in range(run):
                    stepped.append(row * columns + at)
                    assert c == at // stride % length
                    before, (at, c) = at, next_place(at, c, row, stride, length)
                    assert network.channel(row, before) == (before, at)
            assert stepped == channels[:hops].tolist()


NUMBERED = {
    "cube:2": [["0-1", "1-0", "2-3", "3-2"], ["0-2", "1-3", "2-0", "3-1"]],
    "origin:3": [[], ["8-9", "9-8", "10-11", "11-10"], ["8-10", "9-11", "10-8", "11-9"]],
    "mesh:3x2": [
        ["0-1", "1-2", "", "3-4", "4-5"], ["", "1-0", "2-1", "", "4-3", "5-4"],
        ["0-3", "1-4", "2-5"], ["", "", "", "3-0", "4-1", "5-2"],
    ],
    "torus:4": [["0-1", "1-2", "2-3", "3-0"], ["0-3", "1-0", "2-1", "3-2"]],
    "mesh:2x2*2": [["8-9", "", "10-11"], ["", "9-8", "", "11-10"], ["8-10", "9-11"],
                   ["", "", "10-8", "11-9"]],
    "fattree:2^2": [["4-6", "4-7", "5-6", "5-7"], ["6-4", "7-4", "6-5", "7-5"]],
    "hyperx:3": [["0-1", "0-2", "1-0", "1-2", "2-0", "2-1"]],
    "mesh:2*2/1": [["4-5", "5-4"],
                   ["6-4", "7-4", "8-5", "9-5", "4-6", "4-7", "5-8", "5-9"]],
}  # fmt: skip
"""The channel of every counter, row by row: on axes by direction, on trees by level.

Loads in files and pictures are read by these numbers, so they stay the same between versions.
"""


@pytest.mark.parametrize("word", NUMBERED)
def test_the_channels_of_small_networks_are_numbered_as_printed(word):
    network = parse_network(word)
    for row, names in enumerate(NUMBERED[word]):
        for column in range(network.counter_shape[1]):
            name = names[column] if column < len(names) else ""
            if name:
                assert network.channel(row, column)[:2] == tuple(map(int, name.split("-")))
            else:
                with pytest.raises(NetworkError):
                    network.channel(row, column)
