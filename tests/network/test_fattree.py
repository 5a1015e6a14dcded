"""Fat trees: the graph, the routes and the loads, counted on a graph built from the definition.

k-ary n-trees [Petrini and Vanneschi]; shifts are free under D-mod-k [Zahavi and others, 2010].
"""

import pickle
from collections import Counter
from itertools import pairwise, product
from math import prod
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel.errors import InputError, NetworkError, NodeError, SizeLimitError
from lccmodel.network import FatTree, parse_network

TREES = [
    FatTree((2, 2, 2)), FatTree((4, 4)), FatTree((2, 2, 2), routing="s-mod-k"), FatTree((3, 3, 3)),
    FatTree((5,)), FatTree((2,)), FatTree((4, 2, 3), (2, 3)), FatTree((1, 4), (2,)),
    FatTree((2, 4, 2), (4, 1), routing="s-mod-k"), FatTree((2, 2, 1), (2, 2)),
    FatTree((6, 8), (3,)),
]  # fmt: skip


def defined(tree: FatTree) -> nx.DiGraph:
    """XGFT(h; m; w) by its definition: vertices (level, u_1..u_l, x_(l+1)..x_h), joined upwards."""
    m, w = tree.down, (1, *tree.up)
    graph: nx.DiGraph = nx.DiGraph()
    for level in range(tree.levels):
        kept, below = product(*map(range, w[:level])), [*product(*map(range, m[level:]))]
        for low, high, port in product(kept, below, range(w[level])):
            child, parent = (level, low, high), (level + 1, (*low, port), high[1:])
            graph.add_edges_from([(child, parent), (parent, child)])
    return graph


def digits(number: int, bases: tuple[int, ...]) -> list[int]:
    return [number // prod(bases[:k]) % base for k, base in enumerate(bases)]


def climbed(tree: FatTree, x: int, y: int) -> list[Any]:
    """The route: up by the digits of the name in base w until y is below, and down."""
    m, w = tree.down, (1, *tree.up)
    source, goal = tuple(digits(x, m)), tuple(digits(y, m))
    ports = digits(y if tree.routing == "d-mod-k" else x, w)
    path = [(0, (), source)]
    while path[-1][2] != goal[path[-1][0] :]:
        level, low, high = path[-1]
        path.append((level + 1, (*low, ports[level]), high[1:]))
    while path[-1][0]:
        level, low, high = path[-1]
        path.append((level - 1, low[:-1], (goal[level - 1], *high)))
    return path


def number(tree: FatTree, vertex: Any) -> int:
    """The number of a vertex in the library's graph: hosts, then level after level."""
    level, low, high = vertex
    m, w = tree.down, (1, *tree.up)
    bases = (*w[:level], *m[level:])
    index = sum(digit * prod(bases[:k]) for k, digit in enumerate((*low, *high)))
    return index + sum(prod((*w[:j], *m[j:])) for j in range(level))


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: tree.spec)
def test_a_tree_is_the_defined_one_and_is_climbed(tree):
    """Edges, numbers, and for every pair of hosts the route; all loads at once, by channel."""
    assert parse_network(tree.spec) == eval(repr(tree)) == pickle.loads(pickle.dumps(tree)) == tree
    assert ("s-mod-k" in tree.spec) == ("routing" in repr(tree)) == (tree.routing == "s-mod-k")
    expected = nx.relabel_nodes(defined(tree), lambda vertex: number(tree, vertex))
    assert set(tree.graph().edges) == set(expected.edges)
    links = [e for e in tree.graph().edges(data=True) if e[2]["role"] == "channel"]
    assert len(links) == tree.n_channels
    used: Counter[tuple[int, int]] = Counter()
    pairs = list(product(range(tree.size), repeat=2))
    for x, y in pairs:
        path = [number(tree, vertex) for vertex in climbed(tree, x, y)]
        assert tree.path(x, y) == path
        switches, name = path[1:-1], y if tree.routing == "d-mod-k" else x
        assert [tree.next_switch(s, y, name) for s in switches[:-1]] == switches[1:]
        channels = list(pairwise(switches))
        assert tree.channels(x, y) == channels
        assert tree.distance(x, y) == len(channels)
        used.update(channels)
    for x in range(tree.size):
        assert tree.coordinates(x) == tuple(digits(x, tree.down))
        assert tree.node(tree.coordinates(x)) == x
    assert dict(tree.channel_loads(pairs).items()) == dict(used)
    assert tree.diameter == max(tree.distance(x, y) for x, y in pairs)


@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
@pytest.mark.parametrize("times", [1, 255, 256, 257, 512, 70_000, 256 * 514])
def test_counters_of_bytes_carry(times, routing):
    """A message that is sent often, beside one that is not: every link that they climb."""
    tree = FatTree((2, 3, 2), (3, 1), routing=routing)
    pairs = [(0, 11)] * times + [(7, 4), (3, 3)]
    expected: Counter[tuple[int, int]] = Counter()
    for channel in tree.channels(0, 11):
        expected[channel] += times
    expected.update(tree.channels(7, 4))
    loads = tree.channel_loads(pairs)
    assert dict(loads.items()) == dict(expected)
    assert loads == tree.channel_loads(pairs, [1] * len(pairs))  # wide counters from the start


@pytest.mark.parametrize("shape", [((8, 8, 8), None), ((10, 6, 9), (7, 5)), ((16, 16), (3,))])
@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
def test_many_messages_are_counted_by_the_formula_of_a_link(shape, routing):
    """z mod W + W (x div M_l), by numpy, for more messages than one block holds."""
    down, up = shape
    tree = FatTree(down, up, routing)
    random = np.random.default_rng(5)
    x, y = random.integers(0, tree.size, (2, 5000))
    volumes = random.integers(0, 1 << 35, 5000)
    for weights in (None, volumes):
        counts = np.zeros(tree.counter_shape, np.int64)
        for level in range(1, tree.levels):
            hosts, reach = np.prod(tree.down[:level]), np.prod(tree.up[:level])
            passing = x // hosts != y // hosts
            names = (y if routing == "d-mod-k" else x) % reach
            for row, ends in ((2 * level - 2, x), (2 * level - 1, y)):
                places = (names + reach * (ends // hosts))[passing]
                np.add.at(counts[row], places, 1 if weights is None else weights[passing])
        loads = tree.channel_loads(np.stack([x, y], axis=1), weights)
        assert np.array_equal(loads.counts, counts)


@pytest.mark.parametrize("word", ["fattree:4^3", "fattree:3^3", "fattree:2^5"])
def test_shifts_are_free_under_d_mod_k(word):
    """y = x + s mod N for every s: load 1 at most on every channel [Zahavi et al., 2010]."""
    by_destination, by_source = parse_network(word), parse_network(f"{word},routing=s-mod-k")
    x = np.arange(by_destination.size)
    for s in x.tolist():
        pairs = np.stack([x, (x + s) % len(x)], axis=1)
        assert by_destination.channel_loads(pairs).degree <= 1
        assert by_source.channel_loads(pairs[:, ::-1]).degree <= 1


def test_a_tree_may_have_2_to_the_64_hosts():
    large = FatTree((1 << 32, 1 << 32), (1 << 63,))
    assert (large.size, large.levels, large.distance(0, (1 << 64) - 1)) == (1 << 64, 2, 2)
    assert large.node((3, 5)) == 3 + (5 << 32)


SMALL, WIDE = FatTree((4, 2)), FatTree((1 << 20, 1 << 10), (1,))  # few links, 2^30 hosts


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: FatTree(()), InputError, "down"),
        (lambda: FatTree((1,)), InputError, "at least two hosts"),
        (lambda: FatTree((2, 0)), InputError, "down: must be integers, at least 1"),
        (lambda: FatTree("22"), InputError, "down: must be integers, at least 1"),
        (lambda: FatTree((2, 2.5)), InputError, "down: must be a sequence of integers"),
        (lambda: FatTree((2, 2), (2, 2)), InputError, "up: must be 1 integers"),
        (lambda: FatTree((2, 2), (0,)), InputError, "up: must be integers, at least 1"),
        (lambda: FatTree((2, 2), None, "random"), InputError, 'must be "d-mod-k" or "s-mod-k"'),
        (lambda: FatTree((1 << 40, 1 << 40)), SizeLimitError, "at most 2\\^64 hosts"),
        (lambda: FatTree(((1 << 64) + 1,)), SizeLimitError, "2\\^64"),
        (lambda: FatTree((1 << 32, 1 << 32, 1), (1, (1 << 64) + 1)), SizeLimitError, "2\\^64"),
        (lambda: WIDE.channel_loads([(0, 1)]), SizeLimitError, "hosts times levels of links"),
        (lambda: SMALL.node((1,)), NodeError, "must be 2, one for each level of fattree:4x2"),
        (lambda: SMALL.node((1, 2, 3)), NodeError, "must be 2, one"),
        (lambda: SMALL.node((-1, 0)), NodeError, r"\[0\]: must be an integer in 0..3 on level 0"),
        (lambda: SMALL.node((4, 0)), NodeError, r"\[0\]: must be"),
        (lambda: SMALL.node((0, 2)), NodeError, r"coordinates\[1\]: must be an integer in 0..1"),
        (lambda: FatTree((2, 2)).neighbours(8), NodeError, r"host or switch of fattree:2\^2, 0..7"),
        (lambda: SMALL.neighbours(1.5), NodeError, r"must be an integer; got 1\.5"),
        (lambda: SMALL.channel_loads([(0, 3)], descending=True), NetworkError, "routed by d-mod-k"),
        (lambda: SMALL.path(0, 3, descending=True), NetworkError, "routed by d-mod-k or s-mod-k"),
    ],
)
def test_bad_trees_nodes_and_orders_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_bad_channels_are_refused():
    tree = FatTree((2, 2))
    for channel in ((0, 4), (4, 0), (4, 5), (6, 7), (4, 8), (4, 99)):
        with pytest.raises(NetworkError, match="must be a channel"):
            tree.counter(*channel)
    for row, column in ((0, 9), (0, 4), (0, -1), (-1, 0), (2, 0)):
        with pytest.raises(NetworkError, match=f"row {row}, column {column}"):
            tree.channel(row, column)


@pytest.mark.parametrize("routing", ["d-mod-k", "s-mod-k"])
def test_hosts_beyond_double_precision_are_told_apart(routing):
    """Two pairs that differ in the last of 62 bits take their own channels below the top."""
    tree, far = FatTree((2,) * 62, routing=routing), (1 << 61) + (1 << 54)
    ends = [(0, far), (0, far + 1)] if routing == "d-mod-k" else [(far, 0), (far + 1, 0)]
    for k, (x, y) in enumerate(ends):
        channels = tree.channels(x, y)
        for channel in (channels[1], channels[60], channels[-1]):
            on = {j for j, pair in enumerate(ends) if channel in tree.channels(*pair)}
            assert set(tree.messages_on(channel, ends).tolist()) == on
            assert k in on
    assert tree.messages_on(tree.channels(*ends[0])[60], ends).tolist() == [0]
