"""HyperX, twisted tori and slim flies: the numbers of their papers, and brute force."""

from itertools import permutations, product
from math import prod

import networkx as nx
import numpy as np
import pytest

from lccmodel.network import RouteTable, Torus, parse_network
from lccmodel.network.topologies import dragonfly, hyperx, slim_fly, twisted_torus
from tests.choosing import fast_only, sampled, slow


def _graph(network: RouteTable) -> nx.Graph:
    assert len({(u, v) for u, v in network.links.tolist()}) == len(network.links)
    return nx.Graph(network.links.tolist())


def _bisection(network: RouteTable) -> int:
    """The fewest links (cables) between two halves of the routers: every half is tried."""
    routers = network.routers
    sets = np.arange(1 << routers - 1)  # the last router is outside
    sets = sets[sum(sets >> r & 1 for r in range(routers)) == routers // 2]
    cut = sum((sets >> u ^ sets >> v) & 1 for u, v in network.links.tolist() if u < v)
    return int(np.min(cut))


def _average(network: RouteTable) -> float:
    """Distance from router 0 to the others, itself among them."""
    return sum(nx.single_source_shortest_path_length(_graph(network), 0).values()) / network.routers


@pytest.mark.parametrize("shape", [(4,), (4, 4), (3, 2), (2, 2, 2, 2), (2, 4, 2), (5, 3, 4)])
def test_a_hyperx_has_the_numbers_of_its_paper(shape):
    """[ahn] P = prod S_k, sum of S_k - 1 links each, diameter L; routed by axis."""
    net = hyperx(shape, 2)
    assert (net.routers, net.size) == (prod(shape), 2 * prod(shape))
    assert net.n_channels == prod(shape) * sum(side - 1 for side in shape)
    assert net.diameter == len(shape) == nx.diameter(_graph(net))
    assert net.kinds == tuple(range(len(shape)))
    for x in range(0, net.size, 2):
        for y in range(0, net.size, 2):
            axes = [net.counter(*channel)[0] for channel in net.channels(x, y)]
            differ = [
                axis for axis, side in enumerate(shape)
                if x // 2 // prod(shape[:axis]) % side != y // 2 // prod(shape[:axis]) % side
            ]  # fmt: skip
            assert axes == differ


@pytest.mark.parametrize(("network", "links"), [
    *[(hyperx(shape), min(prod(shape) * side // 4 for side in shape))
      for shape in ((4,), (4, 2), (4, 4), (2, 2, 2))],
    *[(twisted_torus(shape), links) for shape, links in (((2, 4), 8), ((3, 6), 12),
                                                         ((2, 2, 4), 16))],
    *[(RouteTable.from_graph(Torus(shape).graph()), links // 2) for shape, links in (
        ((2, 4), 8), ((3, 6), 12), ((2, 2, 4), 16))],
    (dragonfly(1, 2, 1), 2),
])  # fmt: skip
def test_bisections_are_those_of_all_halves(network, links):
    """[ahn] P S / 4 links leave half of the shortest even axis of a HyperX; [camara] k x 2k has
    twice those of the torus. The smallest dragonfly is a hexagon.
    """
    assert _bisection(network) == links


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_twisted_tori_are_nearer_than_tori(k):
    """[camara] k x 2k: diameter k, torus k + k/2; three axes: 3k/2, tori 2k and 5k/2 (k even)."""
    flat = twisted_torus((k, 2 * k))
    assert flat.diameter == k
    assert flat.n_channels == 4 * flat.routers
    for shape, farther in (((k, k, 2 * k), 2 * k), ((k, 2 * k, 2 * k), 5 * k // 2)):
        if k < 6 or len(set(shape[:2])) == 1:
            net = twisted_torus(shape)
            assert net.n_channels == 6 * net.routers
            assert net.diameter == 3 * k // 2
            assert k % 2 or Torus(shape).diameter == farther


@pytest.mark.parametrize("shape", [(3, 6), (6, 3), (4, 8), (2, 2, 4), (2, 4, 2), (3, 3, 6),
                                   (2, 4, 4)])  # fmt: skip
def test_all_links_of_a_twisted_torus_are_alike(shape):
    """[camara] Symmetric: all routers see the same distances, all axes carry the same all-to-all.

    A torus of the same sides carries twice as much on its long axes; here routes are shorter.
    """
    net, everyone = twisted_torus(shape), np.argwhere(~np.eye(prod(shape), dtype=bool))
    lengths = nx.all_pairs_shortest_path_length(_graph(net))
    assert len({tuple(sorted(away.values())) for _, away in lengths}) == 1
    edges = nx.edge_betweenness_centrality(_graph(net), normalized=False)
    assert max(edges.values()) == pytest.approx(min(edges.values()))
    loads, plain = net.channel_loads(everyone), Torus(shape).channel_loads(everyone)
    assert loads.degree <= plain.degree
    assert loads.total < plain.total


@pytest.mark.parametrize(("shape", "part"), [((12, 24), 2 / 3), ((8, 8, 16), 7 / 8),
                                             slow(((8, 16, 16), 35 / 32))])  # fmt: skip
def test_the_average_distances_of_crystals(shape, part):
    """[camara] About 2k/3 on k x 2k; [crystals] 7k/8 on k x k x 2k, 35k/32 on k x 2k x 2k."""
    assert _average(twisted_torus(shape)) == pytest.approx(part * min(shape), rel=0.01)


@pytest.mark.parametrize(("q", "links"), sampled([
    (3, 5), (4, 6), (5, 7), (7, 11), (8, 12), (9, 13), (11, 17), (13, 19), (16, 24), (19, 29),
], 2))  # fmt: skip
def test_a_slim_fly_has_the_numbers_of_its_paper(q, links):
    """[besta] 2 q^2 routers, (3q - d)/2 links each, diameter 2."""
    net = slim_fly(q, 1)
    if q < 8:
        assert slim_fly(q).size == parse_network(f"slimfly:{q}").size == 2 * q * q * -(-links // 2)
    assert net.routers == 2 * q * q
    assert set(np.bincount(net.links[:, 0]).tolist()) == {links}
    assert net.diameter == 2
    if q == 19:  # [besta] 722 routers, 29 + 15 ports, 10,830 endpoints
        assert parse_network("slimfly:19*1").routers * ((links + 1) // 2) == 10_830


def test_small_ones_are_graphs_of_networkx():
    assert nx.is_isomorphic(_graph(slim_fly(5, 1)), nx.hoffman_singleton_graph())
    assert nx.is_isomorphic(_graph(dragonfly(1, 2, 1)), nx.cycle_graph(6))


@pytest.mark.parametrize("word", [
    "hyperx:4x3*2,bandwidth=1:2", "hyperx:3", "twisted:4x8", "twisted:4x2x2*3", "slimfly:4",
    "slimfly:5*2", "dragonfly:2,4,2,routing=valiant,arrangement=circulant,seed=3",
])  # fmt: skip
def test_words_are_read_back(word):
    assert parse_network(word).spec == word
    assert parse_network(word.upper()) == parse_network(word)


@pytest.mark.parametrize("q", fast_only([5, 13], 5))
def test_slim_flies_of_a_prime_are_lines_and_points(q):
    """Routers (0, x, y) and (1, m, c) are joined where y = m x + c; in a column, by squares."""
    net = slim_fly(q, 1)
    graph, routers = net.graph(), range(net.first_router, net.first_router + net.routers)
    name = dict(zip(routers, product((0, 1), range(q), range(q)), strict=True))
    squares = {x * x % q for x in range(1, q)}
    for u, v in permutations(routers, 2):
        (side, a, b), (other, c, d) = name[u], name[v]
        if side == other:
            joined = a == c and ((b - d) % q in squares) == (side == 0)
        else:
            x, y, m, k = (a, b, c, d) if side == 0 else (c, d, a, b)
            joined = y == (m * x + k) % q
        assert graph.has_edge(u, v) == joined
