"""Algorithm HL by the local rule, against the same simulation in plain Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel import LCC
from lccmodel.gf2.enumeration import random_nonsingular
from lccmodel.network import Mesh
from lccmodel.permutations.self_routing import (
    linear_complement_permutations,
    route_all,
    self_route,
)

SEED = 20000


def random_permutation(n: int) -> Callable[[int], LCC]:
    def prepare(_: int) -> LCC:
        rng = np.random.default_rng(SEED)
        return LCC(random_nonsingular(n, rng), int(rng.integers(1 << n)))

    return prepare


def all_of_16_nodes(items: int) -> npt.NDArray[np.int64]:
    """The first `items` of the linear-complement permutations, in a random order."""
    everything = linear_complement_permutations(4)
    return np.random.default_rng(SEED).permutation(everything)[:items]


# -- ours -----------------------------------------------------------------------------------------


def traced(c: LCC) -> npt.NDArray[np.int64]:
    """Every step with what it left in every processor; the hosts of all messages."""
    trace = self_route(c)
    assert trace.delivered
    assert trace.tags.shape[0] == len(trace.states) == c.n + 1
    return trace.movement.positions


def which_delivered(permutations: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    delivered: npt.NDArray[np.bool_] = route_all(permutations) == 0
    return delivered


def hops(c: LCC) -> int:
    return self_route(c, network=Mesh((1 << c.n // 2, 1 << c.n // 2))).on_mesh("one").total


# -- the peer -------------------------------------------------------------------------------------


def python_hl(destinations: list[int]) -> list[list[int]] | None:
    """HL on lists of tags: the hosts of all messages after every step; None if it gets stuck."""
    size = len(destinations)
    n = size.bit_length() - 1
    hosts, used, rows = list(range(size)), 0, [list(range(size))]
    for _ in range(n):
        tags: list[list[int]] = [[] for _ in range(size)]
        for host, tag in zip(hosts, destinations, strict=True):
            tags[host].append(tag)
        free = ~used & size - 1
        wanted = {free & -free if len(t) == 1 else (d := t[0] ^ t[1]) & -d for t in tags if t}
        if len(wanted) != 1:
            return None
        mask = wanted.pop()
        hosts = [u ^ ((u ^ tag) & mask) for u, tag in zip(hosts, destinations, strict=True)]
        used |= mask
        rows.append(hosts)
    return rows


def python_trace(destinations: list[int]) -> Any:
    return np.array(python_hl(destinations))


def python_delivered(permutations: list[list[int]]) -> list[bool]:
    return [
        (rows := python_hl(permutation)) is not None and rows[-1] == permutation
        for permutation in permutations
    ]


BENCHMARKS = [
    Benchmark(
        name="self-route-16",
        work="HL on cube:16, every step recorded, messages",
        items=1 << 16,
        prepare=random_permutation(16),
        ours=traced,
        peer_name="Python, lists of tags",
        peer=python_trace,
        peer_prepare=lambda c: c.images().tolist(),
        goal=3,
        goal_seconds=1.0,
        repeats=3,
    ),
    Benchmark(
        name="self-route-all-4",
        work="HL on all linear-complement permutations, n = 4",
        items=322_560,
        prepare=all_of_16_nodes,
        ours=which_delivered,
        peer_name="Python, lists of tags",
        peer=python_delivered,
        peer_prepare=lambda permutations: permutations.tolist(),
        peer_items=4096,
        goal=10,
        goal_seconds=60,
        repeats=3,
    ),
    Benchmark(
        name="self-route-mesh",
        work="HL on mesh:256x256, hop by hop, one port, messages",
        items=1 << 16,
        prepare=random_permutation(16),
        ours=hops,
        goal_seconds=5,
        repeats=3,
    ),
]
