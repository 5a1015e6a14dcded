"""Even splits over minimal paths against all paths listed; the bound against the best of a grid.

A message with k shortest paths puts 1/k of its volume on each.
"""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.traffic import Traffic
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.network import parse_network
from lccmodel.placement import multipath as splits
from lccmodel.placement import split_loads
from lccmodel.placement.multipath import _Wires
from tests.cli import calling

NETWORKS = ("mesh:3x3", "torus:4x3", "torus:2x3", "cube:3", "fattree:2x2x2/2x1",
            "dragonfly:1,2,1", "torus:3x3*2", "origin:4", "mesh:3x2,bandwidth=2:3",
            "mesh:3x3,nodes=0:8:4")  # fmt: skip


def listed(word: str, sent: list[tuple[int, int, int]], split: str) -> Counter[tuple[int, int]]:
    """Shares of every channel, from networkx's list of all shortest paths."""
    network = parse_network(word)
    graph, base = network.graph(), network.first_router
    routers = graph.subgraph([v for v in graph if v >= base])
    loads: Counter[tuple[int, int]] = Counter()
    for s, d, volume in sent:
        x, y = (network.neighbours(v)[0] if base else network.path(v, v)[0] for v in (s, d))
        if x == y:
            continue
        paths = [list(pairwise(p)) for p in nx.all_shortest_paths(routers, x, y)]
        for path in paths:
            share = Fraction(1, len(paths))
            if split == "hops":  # the product of the shares at every router on the way
                share = Fraction(1)
                for u, _ in path:
                    share /= len({p[k][1] for p in paths for k, c in enumerate(p) if c[0] == u})
            for channel in path:
                loads[channel] += share * volume
    return loads


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(1, 9)), max_size=4),
    st.sampled_from(NETWORKS), st.sampled_from(["paths", "hops"]), st.randoms(),
)  # fmt: skip
def test_shares_are_those_of_all_paths(sent, word, split, random):
    network = parse_network(word)
    far = random.sample(range(network.size), 3)
    sent = [(far[s], far[d], v) for s, d, v in sent]
    traffic = Traffic([m[:2] for m in sent] or np.zeros((0, 2), int), [m[2] for m in sent],
                      network.size)  # fmt: skip
    answer = split_loads(traffic, network, split)
    width = dict(zip(_Wires(network).ends, _Wires(network).width, strict=True))
    loads = dict(zip(answer.channels, answer.loads, strict=True))
    assert answer.exact
    assert {c: load for c, load in loads.items() if load} == {
        c: load / width[c] for c, load in listed(word, sent, split).items()
    }
    assert answer.least <= min(answer.degree, answer.one_route)


@pytest.mark.parametrize(("sent", "word", "numbers"), [
    ([(0, 2)] * 3 + [(2, 0)], "torus:4", (3, Fraction(3, 2), Fraction(3, 2))),
    ([(0, 3), (1, 3)], "mesh:2x2", (2, Fraction(3, 2), 1)),
])  # fmt: skip
def test_the_bound_by_hand(sent, word, numbers):
    """Of one route, of the split, and the least of any split.

    3 and 1 over a ring of four, opposite ends: 2 on each way for both, at best. With 0->3 and 1->3
    on 2 x 2, 2 units enter node 3 over two channels; 0->3 goes round by 2.
    """
    answer = split_loads(sent, word)
    assert (answer.one_route, answer.degree, answer.least) == numbers


@pytest.mark.slow
def test_many_messages_are_counted_as_floats_and_bounded():
    pairs = [(x, 101 * x % 512) for x in range(512)]
    found = split_loads(pairs, "torus:8x8x8")
    assert not found.exact
    away = sum(parse_network("torus:8x8x8").distance(x, y) for x, y in pairs)
    assert sum(found.loads) == pytest.approx(away)  # every path has as many channels
    assert found.least <= min(found.degree, found.one_route)


def test_the_command(tmp_path):
    words = ["contention", "matrix-transpose", "-N", "mesh:4x4", "--split", "hops"]
    front = ["map", "grid:4x4", "-N", "torus:4x4", "--front", "--seconds", "0.2"]
    for command, told, many, refused in (
        (words, "every next channel the same (ECMP)", 1, ["--channels"]),
        (front, "mixture", 3, ["--objective", "joint"]),
    ):
        result = calling.run(*command, "--plot", str(tmp_path / "a.png"))
        assert result.exit_code == 0, result.output
        assert result.output.count(told) == many
        wrong = calling.run(*command, *refused)
        assert (wrong.exit_code, wrong.output.count("\n")) == (2, 1)


def test_wrong_arguments_and_limits(monkeypatch):
    """A torus of 5 x 3 has four directions of 15 channels; a number more would be refused."""
    with pytest.raises(InputError, match='split: must be "paths" or "hops"'):
        split_loads([(0, 1)], "mesh:2", "all")
    monkeypatch.setattr(splits, "_MOST_COUNTED", 1 << 9)
    with pytest.raises(SizeLimitError, match="must be smaller"):
        split_loads(lambda x: x ^ 1, "cube:4")  # 64 channels, 16 routers
    monkeypatch.setattr(splits, "_MOST_COUNTED", 60)
    assert len(_Wires(parse_network("torus:5x3")).ends) == 60
    monkeypatch.setattr(splits, "_MOST_COUNTED", 59)
    with pytest.raises(SizeLimitError, match="fewer channels"):
        _Wires(parse_network("torus:5x3"))


@pytest.mark.parametrize("split", ["paths", "hops"])
def test_ranks_may_be_placed(split):
    """Rank r on node 8 - r: the loads of the messages between those nodes."""
    sent, node_of = [(0, 5), (1, 7), (4, 4), (3, 8)], np.arange(9)[::-1]
    placed = split_loads(sent, "mesh:3x3", split, node_of)
    same = split_loads([(8 - s, 8 - d) for s, d in sent], "mesh:3x3", split)
    assert (placed.channels, placed.loads, placed.least) == (same.channels, same.loads, same.least)
    assert placed.loads != split_loads(sent, "mesh:3x3", split).loads
