"""A network of a new kind, in one file as docs/add_a_network.md has it: every question works on it.

The walk below is independent of the library: it follows the rule of the routes node by node.
"""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.collectives import choose
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import NetworkError
from lccmodel.network import (
    Network,
    RouteTable,
    add_network_word,
    as_network,
    parse_network,
    plain_network,
)
from lccmodel.pipelining import Linear
from lccmodel.show.drawing import draw_loads
from lccmodel.wormhole import simulate


class Chords(RouteTable):
    """A ring of n nodes, each also linked with the nodes that are `jump` further on and back."""

    __slots__ = ()
    kind = "chords"

    def __init__(self, n: int, jump: int) -> None:
        node = np.arange(n)
        steps = [1, -1, jump, -jump]
        links = [(x, (x + step) % n) for step in steps for x in range(n)]
        ahead = (node[None, :] - node[:, None]) % n
        left = np.where(ahead > n // 2, ahead - n, ahead)
        kind = np.where(abs(left) > jump // 2, np.where(left > 0, 2, 3), np.where(left > 0, 0, 1))
        table = np.where(left == 0, -1, kind * n + node[:, None])
        kinds = [0] * 2 * n + [1] * 2 * n
        super().__init__(links, table, dimension=kinds, word=f"chords:{n},{jump}")


class Clique(Network):
    """Every two nodes have a channel each way: a class without compiled kernels."""

    __slots__ = ("size",)
    kind = "clique"
    size: int
    dimensions = 1
    diameter = 1

    def __init__(self, size: int) -> None:
        object.__setattr__(self, "size", size)

    argument = property(lambda self: self.size)
    spec = property(lambda self: f"clique:{self.size}")
    n_channels = property(lambda self: self.size * (self.size - 1))
    counter_shape = property(lambda self: (self.size - 1, self.size))

    def coordinates(self, node: int) -> tuple[int, ...]:
        return (node,)

    def node(self, coordinates: Any) -> int:
        return int(coordinates[0])

    def neighbours(self, node: int) -> list[int]:
        return [other for other in range(self.size) if other != node]

    def distance(self, x: int, y: int) -> int:
        return int(x != y)

    def _hops(self, x: int, y: int, descending: bool) -> Any:
        return iter([y] if x != y else [])

    def _graph_edges(self) -> Any:
        return ((u, v, {}) for u in range(self.size) for v in self.neighbours(u))

    def row_dimension(self, row: int) -> int:
        return 0

    def counter(self, u: int, v: int) -> tuple[int, int]:
        if u == v:
            raise NetworkError("channel", "must be a channel", (u, v))
        return (v - u) % self.size - 1, u

    def channel(self, row: int, column: int) -> tuple[int, int]:
        return column, (column + row + 1) % self.size

    def _count(
        self, dimension: int, x: Any, y: Any, weights: Any, descending: bool, counts: Any
    ) -> None:
        for k, (u, v) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            if u != v:
                counts[self.counter(u, v)] += 1 if weights is None else weights[k]

    def _uses(self, row: int, column: int, x: Any, y: Any, descending: bool) -> Any:
        return (x != y) & (x == column) & ((y - x) % self.size == row + 1)


def walk(n: int, jump: int, x: int, y: int) -> list[int]:
    way = [x]
    while way[-1] != y:
        left = (y - way[-1] + n // 2 - 1) % n - n // 2 + 1
        step = jump if abs(left) > jump // 2 else 1
        way.append((way[-1] + (step if left > 0 else -step)) % n)
    return way


@pytest.fixture(params=["chords", "clique"])
def network(request: pytest.FixtureRequest) -> Network:
    return Chords(16, 4) if request.param == "chords" else Clique(16)


def walked(network: Network, pairs: Any) -> Counter[tuple[int, int]]:
    loads: Counter[tuple[int, int]] = Counter()
    for x, y in pairs:
        path = walk(16, 4, x, y) if network.kind == "chords" else [x, y] if x != y else [x]
        loads.update(pairwise(path))
    return loads


REVERSE = lcc.catalog.bit_reverse(4)


def test_its_loads_are_those_of_a_walk(network: Network) -> None:
    loads = network.channel_loads(REVERSE)
    counted = walked(network, REVERSE.pairs().tolist())
    assert dict(loads.items()) == dict(counted)
    assert lcc.contention(REVERSE, network).degree == max(counted.values())
    assert len(network.messages_on(loads.busiest()[0], REVERSE)) == loads.degree
    assert draw_loads(loads).axes
    plt.close("all")


def test_its_plain_network_is_a_table_with_its_routes(network: Network) -> None:
    plain = plain_network(network)
    assert isinstance(plain, RouteTable)
    assert [plain.path(0, y) for y in range(16)] == [network.path(0, y) for y in range(16)]
    assert not network.geometry.is_grid
    assert len(network.wiring) == network.n_channels


def test_placements_orders_and_maps(network: Network) -> None:
    for over in ("placements", "orders", "linear"):
        m = lcc.place(REVERSE, network, over=over, moves=500)  # type: ignore[call-overload]
        pairs = [(int(m.node_of[x]), int(m.node_of[y])) for x, y in REVERSE.pairs().tolist()]
        assert m.after.value == max(walked(network, pairs).values())
        assert m.lower_bound <= m.after.value <= m.before.value


def test_some_of_its_nodes(network: Network) -> None:
    job = as_network(network, [1, 5, 6, 15])
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    there = [(1, 5), (5, 6), (6, 15), (15, 1)]
    assert lcc.contention(ring, job).distance == sum(walked(network, there).values())
    m = lcc.place(ring, job, over="placements", moves=200)
    assert m.after.value >= m.lower_bound


def test_collectives_and_bounds(network: Network) -> None:
    for collective in ("allreduce", "alltoall", "broadcast"):
        ranking = choose(collective, Linear(3, "1/500"), 2**12, network)  # type: ignore[arg-type]
        bound = collective_bound(CollectiveProblem(collective, network, np.arange(16)))  # type: ignore[arg-type]
        assert ranking.algorithm
        assert bound.data > 0
        assert bound.start_ups == 4


def test_simulation(network: Network) -> None:
    run = simulate(REVERSE, network, load=0.02, cycles=3000)
    assert (run.routing, run.saturated) == ("table", False)
    assert run.latency >= 20


def test_its_word_is_read_everywhere() -> None:
    add_network_word("chords_of", lambda text: Chords(*map(int, text[10:].split(","))))
    network = parse_network("chords_of:16,4")
    assert network == Chords(16, 4)
    assert lcc.contention("bit-reverse", "chords_of:16,4,nodes=0-15").degree == 2
    assert pickle.loads(pickle.dumps(network)) == network
    for taken in ("chords_of", "cube", "dragonfly", "Upper", "a:b", ""):
        with pytest.raises(NetworkError, match="must be a new name in lower case"):
            add_network_word(taken, lambda text: network)
