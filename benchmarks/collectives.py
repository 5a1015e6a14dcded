"""Plans of collectives: loads of all steps, and data that is moved, against walks and numpy."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel import Torus, collectives
from lccmodel.collectives import Collective, PlanLoads
from lccmodel.movement import Movement
from lccmodel.pipelining import Linear

Data = tuple[collectives.Plan, npt.NDArray[np.float64]]


def swing(ranks: int) -> Collective:
    """Swing with all ports on a torus of three axes."""
    side = round(ranks ** (1 / 3))
    return collectives.allreduce("swing", Torus((side, side, side)), ports="all")


def counted(found: Collective) -> list[Fraction]:
    """Nothing that was counted before is known."""
    return list(PlanLoads(found.plan, found.network, found.node_of, found.ports).per_step)


def walked(found: Collective) -> list[Fraction]:
    """Every message walked channel by channel."""
    loads = []
    for _, _, stage in found.plan.timed():
        use: Counter[tuple[int, int]] = Counter()
        for send in stage.sends:
            pairs = np.stack([send.source, send.destination], axis=1)
            moved = Movement.of_schedule(found.network, pairs, [0] * len(pairs), "split")
            for message in range(len(pairs)):
                path = moved.path(message)
                for link in pairwise(path):
                    use[link] += send.size
        loads.append(max(use.values()) * found.plan.unit)
    return loads


def vectors(items: int) -> Data:
    """64 ranks with so many numbers together."""
    plan = collectives.plan("allreduce", "rabenseifner", 64)
    each = items // 64
    return plan, np.random.default_rng(1).integers(0, 99, (64, each)).astype(float)


def moved(ready: Data) -> npt.NDArray[Any]:
    """The plan with real data: log p times through memory, there and back."""
    return collectives.run_plan(*ready)


def summed(ready: Data) -> npt.NDArray[Any]:
    """numpy's sum, and a copy for every rank."""
    _, data = ready
    return np.repeat(data.sum(axis=0)[None], len(data), axis=0)


def square(blocks: int) -> Collective:
    """Swing with one port on a torus of two axes; p ranks send 2 p (p - 1) blocks."""
    side = round((blocks / 2) ** 0.25)
    return collectives.allreduce("swing", Torus((side, side)))


def replayed(found: Collective) -> bool:
    """The loads of all steps, the bound, and every block moved with the ranks that it sums up."""
    counted(found)
    return bool(found.replay().ok and found.busiest >= found.bound.data)


def indexed(found: Collective) -> bool:
    """Numbers in place of sums of ranks, moved by numpy's indexing."""
    plan = found.plan
    data = np.random.default_rng(1).integers(0, 99, (plan.ranks, plan.blocks))
    wanted = data.sum(axis=0)
    for _, time, stage in plan.timed():
        for send in stage.sends:
            blocks = send.blocks(time, np.arange(len(send.source)))
            came = data[send.source[:, None], blocks]
            there = send.destination[:, None], blocks
            data[there] = data[there] + came if send.add else came
    return bool((data == wanted).all())


def asked(ranks: int) -> str:
    """A torus whose plans have been counted."""
    side = round(ranks ** (1 / 3))
    network = f"torus:{side}x{side}x{side}"
    chosen(network)
    return network


def chosen(network: str) -> list[str]:
    """The fastest of all algorithms for 20 sizes."""
    cost = Linear(5, "1/1000")
    sizes = [1 << k for k in range(10, 30)]
    return [collectives.choose("allreduce", cost, m, network).algorithm for m in sizes]


BENCHMARKS = [
    Benchmark(
        name="collective-loads",
        work="loads of all 24 steps of Swing, all ports, on a torus of three axes",
        items=4096,
        prepare=swing,
        ours=counted,
        peer_name="every message walked",
        peer=walked,
        peer_prepare=lambda _: swing(64),
        peer_items=64,
        same=lambda ours, peer: ours == peer,
        goal=20,
        goal_seconds=1.0,
        repeats=3,
    ),
    Benchmark(
        name="collective-replay-16384",
        work="loads, bound and replay of Swing's allreduce of 16,384 ranks, block by block",
        items=2 * 16384 * 16383,
        prepare=square,
        ours=replayed,
        peer_name="numpy indexing, numbers in place of sums of ranks",
        peer=indexed,
        peer_prepare=lambda _: square(2 * 1024 * 1023),
        peer_items=2 * 1024 * 1023,
        goal_seconds=60.0,
        repeats=1,
    ),
    Benchmark(
        name="collective-data",
        work="allreduce by halving and doubling with real data, 64 ranks",
        items=1 << 22,
        prepare=vectors,
        ours=moved,
        peer_name="numpy sum and copies",
        peer=summed,
        repeats=3,
    ),
    Benchmark(
        name="collective-choice",
        work="the fastest of all allreduces for 20 sizes, torus:8x8x8, asked before",
        items=512,
        prepare=asked,
        ours=chosen,
        goal_seconds=1.0,
        repeats=3,
    ),
]
