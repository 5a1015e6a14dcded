"""Networks of BookSim 2: each compared with a second model, written from BookSim's wiring alone.

The second models number ports and channels as BookSim does and walk from port to port. Ours have to
agree for all pairs of nodes on hops, on virtual channels, and on the latency of a message alone.
"""

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lccmodel.errors import FileError
from lccmodel.routing import Adaptive, deadlock_free
from lccmodel.wormhole.booksim import BookSim, read_booksim
from lccmodel.wormhole.traffic import messages_of
from tests.choosing import sampled

Hop = tuple[int, int]
"""A router, and the cycles of the link that led there."""

ANYNET = """router 0 node 0 node 1 router 1 3 router 2
router 1 node 2 router 0 3 router 3 2
router 2 node 3 router 3 5 router 0
router 3 node 4 node 5 router 1 2 router 2 5
router 4 node 6 router 3 router 0 7
"""
"""From 2 to 3 takes 5 cycles and back 5, from 4 to 0 takes 7 and back 1."""

FLATFLY = "topology = flatfly; routing_function = ran_min;"
TOPOLOGIES = {
    "fat tree": "topology = fattree; k = 3; n = 3; routing_function = nca;",
    "one switch": "topology = fattree; k = 4; n = 1; routing_function = nca;",
    "flatfly": f"{FLATFLY} k = 4; n = 2; c = 4; x = 4; y = 4; xr = 2; yr = 2;",
    "flatfly of one axis": f"{FLATFLY} k = 4; n = 1; c = 1; x = 2; y = 2;",
    "flatfly of three axes": f"{FLATFLY} k = 4; n = 3; x = 8; y = 8; use_noc_latency = 0;",
    "dragonfly": "topology = dragonflynew; k = 2; n = 1; routing_function = min;",
    "smallest dragonfly": "topology = dragonflynew; k = 1; n = 1; routing_function = min;",
    "anynet": "topology = anynet; network_file = net.txt; routing_function = min;",
}


def read(folder: Path, text: str, **options: Any) -> BookSim:
    (folder / "net.txt").write_text(ANYNET)
    file = folder / "x.cfg"
    file.write_text(
        "num_vcs = 2; input_speedup = 2; routing_delay = 0; wait_for_tail_credit = 1;\n" + text
    )
    return read_booksim(file, **options)


# -- second models ----------------------------------------------------------------------


def fat_tree(k: int, n: int, up: Callable[[], int]) -> Callable[[int, int], list[Hop]]:
    """Walk by ports: router (level, position), level 0 at the top; ports below k lead down.

    A neighbourhood of level l is the k^(n-1-l) routers above the same nodes. Down port p of a
    router leads to branch p of its neighbourhood, and there to the router that is alike in place.
    """

    def walk(source: int, goal: int) -> list[Hop]:
        level, position = n - 1, source // k
        hops = [(level * k ** (n - 1) + position, 0)]
        while goal // k ** (n - level) != position // k ** (n - 1 - level):
            wide, port = k ** (n - 1 - level), up()  # parents: k of them, `wide` places apart
            hood = position // (wide * k)
            position = hood * wide * k + position % wide + port * wide
            level -= 1
            hops.append((level * k ** (n - 1) + position, 1))
        while level < n - 1:
            narrow = k ** (n - 2 - level)
            branch = goal // k ** (n - 1 - level)
            position = branch * narrow + position % narrow
            level += 1
            hops.append((level * k ** (n - 1) + position, 1))
        assert position == goal // k
        return hops

    return walk


def flatfly(k: int, n: int, side: int, xr: int, noc: bool) -> Callable[[int, int], list[Hop]]:
    """Digit by digit, the lowest first; nodes are counted in rows of side * xr."""

    def router(node: int) -> int:
        row, column = divmod(node, side * xr)
        return row // xr * side + column // xr

    def walk(source: int, goal: int) -> list[Hop]:
        at, to = router(source), router(goal)
        hops = [(at, 0)]
        for axis in range(n):
            place, wanted = at // k**axis % k, to // k**axis % k
            if place != wanted:
                new = at + (wanted - place) * k**axis
                apart = abs(at % side - new % side) + abs(at // side - new // side)
                hops.append((new, xr * apart if noc else 1))
                at = new
        return hops

    return walk


def dragonfly(p: int) -> Callable[[int, int], list[Hop]]:
    """By the numbers of output and input channels, 3p - 1 of every router."""
    a, ports, groups = 2 * p, 3 * p - 1, 2 * p * p + 1
    into: dict[int, int] = {}  # the router that has a channel as input
    for router in range(a * groups):
        group, place = divmod(router, a)
        for other in range(a):
            if other != place:  # port of `other` that leads here: others below it come first
                into[ports * (group * a + other) + place - (place > other)] = router
        for k in range(p):
            far = place * p + k  # this group's port; the far group's number follows
            far_group = far if far < group else far + 1
            back = group if group < far_group else group - 1
            into[ports * (far_group * a + back // p) + (2 * p - 1) + back % p] = router
    assert sorted(into) == list(range(ports * a * groups))

    def walk(source: int, goal: int) -> list[Hop]:
        at, hops = source // p, [(source // p, 0)]
        while at != goal // p:
            group, there = at // a, goal // (p * a)
            if group == there:
                gate = goal // p
            else:
                port = there if there < group else there - 1
                gate = group * a + port // p
            if gate == at:
                channel = ports * at + (2 * p - 1) + port % p
            else:
                channel = ports * at + gate % a - (gate % a > at % a)
            at = into[channel]
            hops.append((at, 100 if channel % ports >= 2 * p - 1 else 10))
        return hops

    return walk


def anynet(lines: str) -> Callable[[int, int], list[Hop]]:
    """The first step of Dijkstra's tree of every router on the way; a list of all routers."""
    cost: dict[Hop, int] = {}
    home: dict[int, int] = {}
    for line in lines.splitlines():
        words = line.split()
        at, rest = int(words[1]), words[2:]
        for k, word in enumerate(rest):
            if word in ("node", "router"):
                stated = rest[k + 2 : k + 3]
                late = int(stated[0]) if stated and stated[0].isdigit() else 1
                if word == "node":
                    home[int(rest[k + 1])] = at
                else:
                    cost[at, int(rest[k + 1])] = late
                    cost.setdefault((int(rest[k + 1]), at), 1)
    routers = range(1 + max(u for u, _ in cost))

    def next_router(start: int, goal: int) -> int:
        distance = [0 if r == start else 10**9 for r in routers]
        before, left = [-1 for _ in routers], list(routers)
        while left:
            near = min(left, key=lambda r: distance[r])  # the first of equals
            left.remove(near)
            for v in routers:
                if (near, v) in cost and distance[near] + cost[near, v] < distance[v]:
                    distance[v], before[v] = distance[near] + cost[near, v], near
        while before[goal] != start:
            goal = before[goal]
        return goal

    def walk(source: int, goal: int) -> list[Hop]:
        at, hops = home[source], [(home[source], 0)]
        while at != home[goal]:
            following = next_router(at, home[goal])
            hops.append((following, cost[at, following]))
            at = following
        return hops

    return walk


def _ups(k: int) -> Callable[[], int]:
    draw = np.random.default_rng(4)
    return lambda: int(draw.integers(k))


SECOND: dict[str, Callable[[int, int], list[Hop]]] = {
    "fat tree": fat_tree(3, 3, _ups(3)),
    "one switch": fat_tree(4, 1, _ups(4)),
    "flatfly": flatfly(4, 2, 4, 2, True),
    "flatfly of one axis": flatfly(4, 1, 2, 1, True),
    "flatfly of three axes": flatfly(4, 3, 8, 1, False),
    "dragonfly": dragonfly(2),
    "smallest dragonfly": dragonfly(1),
    "anynet": anynet(ANYNET),
}


@pytest.mark.parametrize("name", sampled(TOPOLOGIES, 2))
def test_hops_latency_and_routers_of_all_pairs(name, tmp_path):
    """A packet of F flits alone: 3H + 6 + F - 1 cycles and the latencies of its H links.

    On flatfly, dragonfly and anynet both number routers alike. No routing can deadlock, but
    shortest paths of any network may close a ring.
    """
    made = read(tmp_path, TOPOLOGIES[name])
    size, flits = made.network.size, 3
    pairs = np.array(list(product(range(size), repeat=2)))[:: 13 if size > 64 else 1]
    walks = [SECOND[name](x, y) for x, y in pairs.tolist()]
    assert made._hops[pairs[:, 0], pairs[:, 1]].tolist() == [len(walk) for walk in walks]
    simulation = made.simulation
    number = {pair: k for k, pair in enumerate(map(tuple, simulation.sent.pairs.tolist()))}
    which = np.array([number[tuple(pair)] for pair in pairs.tolist()])
    begun = 1000 * np.arange(len(pairs))
    sent = messages_of(simulation.table, simulation.sent, begun, which, flits)
    latency = simulation.execute(sent).delivered - begun
    expected = [
        3 * (len(walk) - 1) + 6 + flits - 1 + sum(cycles for _, cycles in walk) for walk in walks
    ]
    assert latency.tolist() == expected
    if size <= 64 and name != "anynet":
        routing = simulation.table.routing
        assert not isinstance(routing, Adaptive)
        assert deadlock_free(routing, made.network)
    if name in ("flatfly", "dragonfly", "anynet"):
        for (x, y), walk in list(zip(pairs.tolist(), walks, strict=True))[::7]:
            path = [v - size for v in made.network.path(x, y)[1:-1]]
            assert path == ([router for router, _ in walk] if x != y else [])


def test_virtual_channels_of_a_dragonfly(tmp_path):
    """Channel 0 up to the global link, 1 on it and after it; links of other channels are unused."""
    made = read(tmp_path, TOPOLOGIES["dragonfly"] + "num_vcs = 3; input_speedup = 3;")
    table, fabric = made.simulation.table, made.simulation.table.fabric
    assert (fabric.virtual_channels, made.simulation.timing.ends) == (2, 3)
    pairs = made.simulation.sent.pairs.tolist()
    for k in range(0, len(pairs), 11):
        state, passed = int(table.start[k]), 0
        while options := table.options(state):
            ((channel, state),) = options
            u, v, virtual = fabric.ends(channel)
            passed |= u // 4 != v // 4
            assert virtual == passed


def test_ways_up_are_drawn_evenly(tmp_path):
    """Of 9 switches above both nodes, each is drawn by a ninth; near pairs have one way."""
    made = read(tmp_path, TOPOLOGIES["fat tree"])
    ways = made.simulation.table.ways
    assert ways is not None
    assert ways.first.shape == (9, 27 * 27)
    assert [len(set(ways.first[:, y].tolist())) for y in (1, 3, 26)] == [1, 3, 9]
    start, then = ways.drawn(np.full(9000, 26), np.random.default_rng(1))
    assert np.abs(np.unique(start, return_counts=True)[1] - 1000).max() < 130
    assert (then == -1).all()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("topology = fattree; routing_function = anca;", "routing_function is not modelled; with"),
        ("topology = fattree; routing_function = dor;", "must be one for fattree: nca, anca"),
        ("topology = fattree; k = 2; n = 13; routing_function = nca;", "k and n must make 2 to"),
        ("topology = fattree; c = 2; routing_function = nca;", "c is not modelled; with"),
        (f"{FLATFLY} k = 4;", "flatfly needs x = y, xr = yr"),
        (TOPOLOGIES["flatfly"] + "routing_function = ugal;", "(--closest) ran_min is taken"),
        (TOPOLOGIES["flatfly"] + "routing_function = valiant;", "(--closest) ran_min is taken"),
        (TOPOLOGIES["flatfly"] + "c = 3;", "flatfly needs x = y, xr = yr, x y = k^n and xr yr = c"),
        (
            f"{FLATFLY} k = 2; c = 9; x = 2; y = 2; xr = 3; yr = 3; traffic = tornado(4,2);",
            "tornado needs (k xr)^n = 36 nodes",
        ),
        (
            f"{FLATFLY} k = 2; c = 16; x = 2; y = 2; xr = 4; yr = 4;",
            "1 cycles are taken for the wires of all nodes, which differ",
        ),
        (TOPOLOGIES["dragonfly"] + "n = 2;", "n must be 1 for dragonflynew"),
        (TOPOLOGIES["dragonfly"] + "num_vcs = 1;", "num_vcs must be at least 2 for min on a"),
        (TOPOLOGIES["dragonfly"] + "routing_function = ugal;", "(--closest) min is taken"),
        ("topology = cmesh; routing_function = dor;", "this one is not modelled"),
        ("topology = anynet; routing_function = min;", "network_file is required with anynet"),
        (TOPOLOGIES["anynet"] + "network_file = none;", "none: cannot read the file"),
        (TOPOLOGIES["anynet"] + "network_file = x.cfg;", "must be lines such as"),
    ],
)
def test_one_line_for_what_is_not_modelled(text, reason, tmp_path):
    with pytest.raises(FileError) as caught:
        read(tmp_path, text)
    assert reason in str(caught.value)
    assert str(caught.value).startswith("x.cfg:2: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("router 0 node 0\nrouter 1 node 0 router 0", ":2: a node must be at one router"),
        ("router 0 node 0 node 2", "must have nodes and routers 0, 1, ... without a gap"),
        ("router 0 node 0\nrouter 1 node 1", "must join all routers"),
        ("router 0 node 0 router 0", ":1: must not link a router with itself"),
        ("router 0 node 0 node 1 router 1 0", ":1: a link must take at least one cycle"),
        ("router 0 node 0 router 2\nrouter 2 node 1", "without a gap"),
    ],
)
def test_bad_network_files(lines, reason, tmp_path):
    (tmp_path / "bad.txt").write_text(lines)
    with pytest.raises(FileError) as caught:
        read(tmp_path, "topology = anynet; network_file = bad.txt; routing_function = min;")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wires_of_nodes_take_their_latency(tmp_path):
    """Both wires of a node with a latency of 4: six more cycles alone."""
    (tmp_path / "two.txt").write_text("router 0 node 0 4 router 1\nrouter 1 node 1 4")
    made = read(tmp_path, "topology = anynet; network_file = two.txt; routing_function = min;")
    assert made.simulation.timing.pace[-3:-1] == (4, 5)
    sent = messages_of(made.simulation.table, made.simulation.sent, np.zeros(1, np.int64),
                       np.array([1]), 1)  # fmt: skip
    assert made.simulation.execute(sent).delivered.tolist() == [4 + 6 + 2 * 3]
