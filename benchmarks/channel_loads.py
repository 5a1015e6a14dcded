"""Exact channel loads, against walking a ready networkx graph and against numpy's bincount."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel.network import ChannelLoads, FatTree, Hypercube, Mesh, Network, Torus

SEED = 20

Messages = npt.NDArray[np.int64]
Ready = tuple[Network, Messages]


# -- messages -----------------------------------------------------------------------------------


def random_messages(network: Network, items: int) -> Ready:
    """Sources and destinations at random: the worst case for caches and branches."""
    return network, np.random.default_rng(SEED).integers(0, network.size, (items, 2))


def bit_reversal(network: Network, items: int) -> Ready:
    """The destination is the source with its bits in reverse order."""
    x = np.arange(network.size)
    y = sum((x >> i & 1) << network.n - 1 - i for i in range(network.n))
    return network, np.stack([x, y], axis=1)[:items]


def transpose(network: Network, items: int) -> Ready:
    """Both halves of the bits are exchanged."""
    x, half = np.arange(network.size), network.n // 2
    return network, np.stack([x, x >> half | x % (1 << half) << half], axis=1)[:items]


def ours(ready: Ready) -> ChannelLoads:
    network, messages = ready
    return network.channel_loads(messages)


# -- peers --------------------------------------------------------------------------------------


def ready_graph(ready: Ready) -> Any:
    """The graph with a counter on every edge, and the messages as lists."""
    network, messages = ready
    graph = network.graph()
    nx.set_edge_attributes(graph, 0, "load")
    return network, graph, messages.tolist()


def walk_cube(ready: Any) -> Any:
    """One edge after the other, in ascending dimension; the counters add up over the repeats."""
    network, graph, messages = ready
    adjacency, bits = graph.adj, [1 << i for i in range(network.n)]
    for x, y in messages:
        for bit in bits:
            if (x ^ y) & bit:
                following = x ^ bit
                adjacency[x][following]["load"] += 1
                x = following
    return graph


def ready_paths(ready: Ready) -> Any:
    """As `ready_graph`, with the channels of every path."""
    network, graph, messages = ready_graph(ready)
    return network, graph, [network.channels(x, y) for x, y in messages]


def walk_paths(ready: Any) -> Any:
    """The same with every path ready: only the counting is left."""
    _, graph, paths = ready
    adjacency = graph.adj
    for path in paths:
        for u, v in path:
            adjacency[u][v]["load"] += 1
    return graph


def same_as_graph(loads: ChannelLoads, graph: Any) -> bool:
    walked = {(u, v): load for u, v, load in graph.edges(data="load") if load}
    return dict(loads.items()) == walked


def bincount(ready: Ready) -> npt.NDArray[np.int64]:
    """Dimension after dimension: who moves, from where, counted by bincount."""
    network, messages = ready
    n, size = network.n, network.size
    x, changes = messages[:, 0], messages[:, 0] ^ messages[:, 1]
    counts = np.empty((n, size), dtype=np.int64)
    for k in range(n):
        at = x ^ (changes & (1 << k) - 1)
        counts[k] = np.bincount(at[changes >> k & 1 == 1], minlength=size)
    return counts


def numpy_differences(ready: Ready) -> npt.NDArray[np.int64]:
    """Axis after axis on a mesh: begin and end of each run by bincount, then a cumulative sum."""
    network, messages = ready
    assert isinstance(network, Mesh)
    x, y = messages[:, 0], messages[:, 1]
    counts = np.zeros(network.counter_shape, dtype=np.int64)
    stride = 1
    for axis, length in enumerate(network.shape):
        at = (y % stride) + x // stride * stride
        c, d = x // stride % length, y // stride % length
        line = at - c * stride
        forward = (d - c) % length
        plus = forward <= length // 2 if network.is_ring(axis) else c < d
        for row, begin, end, moves in (
            (2 * axis, c, d, plus & (c != d)),
            (2 * axis + 1, (d + 1) % length, (c + 1) % length, ~plus & (c != d)),
        ):
            starts = np.bincount((line + begin * stride)[moves], minlength=network.size)
            ends = np.bincount((line + end * stride)[moves], minlength=network.size)
            around = np.bincount(line[moves & (end < begin)], minlength=network.size)
            changes = (starts - ends + around).reshape(-1, length, stride)
            counts[row] = np.cumsum(changes, axis=1).ravel()
        stride *= length
    return counts


def numpy_levels(ready: Ready) -> npt.NDArray[np.int64]:
    """Level after level on a k-ary n-tree: up and down links by bincount."""
    network, messages = ready
    assert isinstance(network, FatTree)
    x, y = messages[:, 0], messages[:, 1]
    names = y if network.routing == "d-mod-k" else x
    counts = np.zeros(network.counter_shape, dtype=np.int64)
    hosts, columns = 1, network.counter_shape[1]
    for level, arity in enumerate(network.down[:-1]):
        hosts *= arity  # as many switches of the next level can be reached
        moves = x // hosts != y // hosts
        for row, ends in ((2 * level, x), (2 * level + 1, y)):
            at = ends // hosts * hosts + names % hosts
            counts[row] = np.bincount(at[moves], minlength=columns)
    return counts


def same_counts(loads: ChannelLoads, counts: npt.NDArray[np.int64]) -> bool:
    return bool(np.array_equal(loads.counts, counts))


# -- the benchmarks -----------------------------------------------------------------------------


def _against_graph(network: Network, items: int, goal: float) -> Benchmark:
    return Benchmark(
        name=f"loads-{network.spec}-walk",
        work=f"loads of {network.spec}, random messages",
        items=items,
        prepare=partial(random_messages, network),
        ours=ours,
        peer_name="walk on a networkx graph",
        peer=walk_cube if isinstance(network, Hypercube) else walk_paths,
        peer_prepare=ready_graph if isinstance(network, Hypercube) else ready_paths,
        goal=goal,
        same=same_as_graph,
        repeats=3,
    )


def _against_numpy(
    network: Network,
    words: str,
    messages: Callable[[Network, int], Ready],
    goal: float | None = None,
    items: int = 1 << 20,
) -> Benchmark:
    peers = {Mesh: ("numpy bincount and cumsum", numpy_differences),
             FatTree: ("numpy bincount", numpy_levels)}  # fmt: skip
    peers_of_kind = (peer for kind, peer in peers.items() if isinstance(network, kind))
    peer_name, peer = next(peers_of_kind, ("numpy bincount", bincount))
    return Benchmark(
        name=f"loads-{network.spec}-{words.replace(' ', '-')}",
        work=f"loads of {network.spec}, {words}",
        items=items,
        prepare=partial(messages, network),
        ours=ours,
        peer_name=peer_name,
        peer=peer,
        goal=goal,
        goal_seconds=0.1,
        same=same_counts,
    )


BENCHMARKS = (
    _against_graph(Hypercube(16), 1 << 16, goal=200),
    _against_graph(Torus((64, 64)), 1 << 14, goal=200),
    _against_graph(FatTree((8, 8, 8, 8)), 1 << 14, goal=200),
    _against_numpy(Hypercube(20), "random", random_messages, goal=5),
    _against_numpy(Hypercube(20), "bit reversal", bit_reversal),
    _against_numpy(Hypercube(20), "transpose", transpose),
    _against_numpy(Mesh((1024, 1024)), "random", random_messages, goal=5),
    _against_numpy(Torus((1024, 1024)), "random", random_messages, goal=5),
    _against_numpy(Torus((100, 100, 100)), "random", random_messages, goal=5),
    _against_numpy(FatTree((32, 32, 32, 32)), "random", random_messages, goal=5),
    _against_numpy(FatTree((32,) * 4, routing="s-mod-k"), "random", random_messages, goal=5),
    _against_numpy(FatTree((16,) * 5), "random", random_messages, goal=5),
    _against_numpy(FatTree((2,) * 20), "random", random_messages, goal=5),
    _against_numpy(FatTree((100, 100, 100)), "random", random_messages, goal=5),
)
