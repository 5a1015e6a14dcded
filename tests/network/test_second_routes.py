"""Routes, loads and counters of networks of every kind agree with the explicit graph.

Every route is walked on the graph, loads are counted route by route, and the numbering of channels
is a bijection. How channels are numbered no equation says: small networks have printed tables.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from lccmodel import Traffic
from lccmodel.errors import NetworkError
from lccmodel.network import parse_network
from lccmodel.network.ring_direction import PLUS
from lccmodel.network.routes import longest_route, write_route
from tests.choosing import sampled

CASES = (
    "cube:1", "cube:4", "cube:3*3", "cube:4,nodes=1-3:8:12-14", "origin:1", "origin:4",
    "mesh:2", "mesh:7", "mesh:3x1x4", "mesh:4x3,bandwidth=3:1/2", "mesh:3x2*3",
    "mesh:5x3,nodes=1-9",
    "torus:2", "torus:5", "torus:6x4", "torus:4x3,wrap=0", "torus:4x2*2,bandwidth=2:3",
    "torus:8,nodes=0:2:4-7", "torus:3x3x3", "torus:4x4,wrap=1,bandwidth=1:5",
    "torus:6x4,ties=split", "torus:4x4*2,ties=split,nodes=1-9",
    "fattree:2", "fattree:2^4", "fattree:3x2x2/2x1", "fattree:4x2x3/1x2,routing=s-mod-k",
    "fattree:2x3x2/2x3", "fattree:3^2,nodes=0:2-6:8",
    "dragonfly:1,2,1", "dragonfly:2,4,2", "dragonfly:1,4,1,arrangement=circulant",
    "dragonfly:2,2,2,arrangement=relative", "dragonfly:1,4,1,routing=valiant,seed=3",
    "dragonfly:2,2,1,routing=valiant", "hyperx:4x3", "hyperx:2x3x2*2", "hyperx:5,bandwidth=2",
    "hyperx:3x3,bandwidth=1:3", "twisted:2x4", "twisted:6x3", "twisted:2x4x2*2", "twisted:3x3x6",
    "slimfly:3", "slimfly:4*1", "slimfly:5*1", "slimfly:8*1", "mesh:2*4/2", "torus:3x2*4/2/2",
    "fattree:2x2/1*4/4", "dragonfly:1,2,1*3/1", "mesh:3x2*1/1", "cube:2*2/2",
    "torus:3*3/3,nodes=0:4-8",
)  # fmt: skip


@pytest.mark.parametrize("word", sampled(CASES, 3))
def test_a_network_agrees_with_its_graph(word: str) -> None:
    network = parse_network(word)
    graph, size = network.graph(), network.size
    assert parse_network(network.spec) == network
    rows, columns = network.counter_shape
    links, places = Counter[tuple[int, ...]](), {}
    for row in range(rows):
        for column in range(columns):
            with suppress(NetworkError):
                channel = network.channel(row, column)
                links[channel] += 1
                places[row, column] = channel
                assert network.counter(*channel) == (row, column)
    assert len(places) == network.n_channels
    assert max(links.values(), default=1) == 1
    between = [edge for edge in graph.edges if graph.edges[edge].get("role") != "port"]
    assert {channel[:2] for channel in links} == set(between)
    step = max(1, size // 24)
    draw = np.random.default_rng(size)
    ways = {}
    for x in range(0, size, step):
        assert network.node(network.coordinates(x)) == x
        assert {*network.neighbours(x)} == {*graph[network.whole(x)]}
        for y in range(size):
            ways[x, y] = route = network.channels(x, y)
            path = network.path(x, y)
            assert (path[0], path[-1]) == (network.whole(x), network.whole(y))
            assert all(graph.has_edge(u, v) for u, v in pairwise(path))
            assert [c[:2] for c in route] == [
                (u, v) for u, v in pairwise(path)
                if graph.edges[u, v].get("role") != "port"
            ]  # fmt: skip
            assert network.distance(x, y) == len(route) <= network.diameter
            out, back = np.empty((2, network.diameter + 1), np.int64)
            hops = write_route(network.form, x, y, PLUS, out, back)
            assert [places[divmod(int(k), columns)] for k in out[:hops]] == route
            assert [places[divmod(int(k), columns)][:2] for k in back[:hops]] == [
                channel[1::-1] for channel in route
            ]
    if step == 1:
        assert network.diameter == max(map(len, ways.values()))
        assert longest_route(network.form, network.diameter, size) == network.diameter
    pairs = [list(ways)[k] for k in draw.integers(0, len(ways), 70)]
    volumes = draw.integers(1, 99, len(pairs))
    loads = network.channel_loads(pairs, volumes)
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
    busiest = loads.busiest()[:3]
    for channel in busiest:
        used = [k for k, pair in enumerate(pairs) if channel in ways[pair]]
        on = network.messages_on(channel, pairs)
        assert sorted(np.asarray(on).tolist()) == used or np.asarray(on).ndim > 1
    assert loads.n_used == len(counted)
    node_of = draw.permutation(size)
    moved = network.channel_loads(Traffic(pairs, volumes, size), node_of=node_of)
    assert moved == network.channel_loads(node_of[np.array(pairs)], volumes)


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
def test_the_channels_of_small_networks_are_numbered_as_printed(word: str) -> None:
    network = parse_network(word)
    for row, names in enumerate(NUMBERED[word]):
        for column in range(network.counter_shape[1]):
            name = names[column] if column < len(names) else ""
            if name:
                assert network.channel(row, column)[:2] == tuple(map(int, name.split("-")))
            else:
                with pytest.raises(NetworkError):
                    network.channel(row, column)
