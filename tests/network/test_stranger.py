"""Networks of a new kind, as docs/add_a_network.md has them: every question works on them.

The walk below is independent of the library: it follows the rule of the routes node by node.
"""

import pickle
from collections import Counter
from doctest import DocTestParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import lccmodel as lcc
from lccmodel.collectives import choose
from lccmodel.collectives.bounds import collective_bound
from lccmodel.collectives.problem import CollectiveProblem
from lccmodel.errors import NetworkError
from lccmodel.network import Network, RouteTable, add_network_word, as_network, parse_network
from lccmodel.network.plain import plain_network
from lccmodel.pipelining import Linear
from lccmodel.show.drawing import draw_loads
from lccmodel.wormhole import simulate

PAGE: dict[str, Any] = {"__name__": __name__}
for example in DocTestParser().get_examples(
    (Path(__file__).parents[2] / "docs" / "add_a_network.md").read_text()
):
    if example.source.startswith(("import ", "from ", "class ")):
        exec(example.source, PAGE)
Chords, Clique = PAGE["Chords"], PAGE["Clique"]
"""A subclass of RouteTable, and a class without compiled kernels."""

REVERSE = lcc.catalog.bit_reverse(4)


def walk(n: int, jump: int, x: int, y: int) -> list[int]:
    way = [x]
    while way[-1] != y:
        left = (y - way[-1] + n // 2 - 1) % n - n // 2 + 1
        step = jump if abs(left) > jump // 2 else 1
        way.append((way[-1] + (step if left > 0 else -step)) % n)
    return way


@pytest.fixture(params=[Chords(16, 4), Clique(16)], ids=["chords", "clique"])
def network(request: pytest.FixtureRequest) -> Network:
    return request.param


def walked(network: Network, pairs: Any) -> Counter[tuple[int, int]]:
    loads: Counter[tuple[int, int]] = Counter()
    for x, y in pairs:
        path = walk(16, 4, x, y) if network.kind == "chords" else [x, y] if x != y else [x]
        loads.update(pairwise(path))
    return loads


def test_its_loads_are_those_of_a_walk(network):
    loads = network.channel_loads(REVERSE)
    counted = walked(network, REVERSE.pairs().tolist())
    assert dict(loads.items()) == dict(counted)
    assert lcc.contention(REVERSE, network).degree == max(counted.values())
    assert len(network.messages_on(loads.busiest()[0], REVERSE)) == loads.degree
    assert draw_loads(loads).axes
    plt.close("all")


def test_its_plain_network_is_a_table_with_its_routes(network):
    plain = plain_network(network)
    assert isinstance(plain, RouteTable)
    assert [plain.path(0, y) for y in range(16)] == [network.path(0, y) for y in range(16)]
    assert not network.geometry.is_grid
    assert len(network.wiring) == network.n_channels


def test_placements_orders_maps_and_jobs(network):
    for over in ("placements", "orders", "linear"):
        m = lcc.place(REVERSE, network, over=over, moves=500)
        pairs = [(int(m.node_of[x]), int(m.node_of[y])) for x, y in REVERSE.pairs().tolist()]
        assert m.after.value == max(walked(network, pairs).values())
        assert m.lower_bound <= m.after.value <= m.before.value
    job, ring = as_network(network, [1, 5, 6, 15]), [(0, 1), (1, 2), (2, 3), (3, 0)]
    there = [(1, 5), (5, 6), (6, 15), (15, 1)]
    assert lcc.contention(ring, job).distance == sum(walked(network, there).values())
    m = lcc.place(ring, job, over="placements", moves=200)
    assert m.after.value >= m.lower_bound


def test_collectives_and_simulations(network):
    for collective in ("allreduce", "alltoall", "broadcast"):
        ranking = choose(collective, Linear(3, "1/500"), 2**12, network)
        bound = collective_bound(CollectiveProblem(collective, network, np.arange(16)))
        assert ranking.algorithm
        assert bound.data > 0
        assert bound.start_ups == 4
    run = simulate(REVERSE, network, load=0.02, cycles=3000)
    assert (run.routing, run.saturated) == ("table", False)
    assert run.latency >= 20


def test_its_word_is_read_everywhere():
    add_network_word("chords_of", lambda text: Chords(*map(int, text[10:].split(","))))
    network = parse_network("chords_of:16,4")
    assert network == Chords(16, 4)
    assert lcc.contention("bit-reverse", "chords_of:16,4,nodes=0-15").degree == 2
    assert pickle.loads(pickle.dumps(network)) == network
    for taken in ("chords_of", "cube", "dragonfly", "Upper", "a:b", ""):
        with pytest.raises(NetworkError, match="must be a new name in lower case"):
            add_network_word(taken, lambda text: network)
