"""The message engine, against the flit engine: rigid worms, and worms on wires that are shared.

`python -m benchmarks.wormhole_tables beside` compares the flit engine with BookSim 2.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark
from lccmodel.communication.catalog import matrix_transpose
from lccmodel.network import Hypercube, Torus
from lccmodel.wormhole.flit_engine import run_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import Messages, Wiring, empty_outcome, wiring
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.traffic import arrivals, messages_of

SEED, FLITS = 1, 20
Ready = tuple[Wiring, Messages, int]


@cache
def transpose() -> Simulation:
    """On the 8-cube."""
    return Simulation.of(matrix_transpose(8), Hypercube(8))


@cache
def permutation(side: int) -> Simulation:
    """A random one, on a torus of three equal sides; two virtual channels share every wire."""
    network = Torus((side,) * 3)
    drawn = np.random.default_rng(SEED).permutation(network.size)
    return Simulation.of(list(enumerate(drawn.tolist())), network)


def traffic(made: Callable[[], Simulation], load: float, cycles: int) -> Ready:
    simulation = made()
    ready, pairs = arrivals(simulation.sent, load, FLITS, cycles, SEED)
    messages = messages_of(simulation.table, simulation.sent, ready, pairs, FLITS)
    return wiring(simulation.table), messages, cycles


def delivered_by(run: Callable[..., int]) -> Callable[[Ready], Any]:
    def work(ready: Ready) -> Any:
        wired, messages, cycles = ready
        outcome = empty_outcome(len(messages.source), wired)
        run(wired, messages, outcome, cycles)
        return np.sort(outcome.delivered)

    return work


BENCHMARKS = [
    Benchmark(
        name=f"wormhole-{load:g}",
        work=f"cycles of 20-flit messages, transpose on cube:8, e-cube, load {load:g}",
        items=100_000,
        prepare=partial(traffic, transpose, load),
        ours=delivered_by(run_messages),
        peer_name="flit by flit",
        peer=delivered_by(run_flits),
        peer_items=5_000,
        goal=10,
        goal_seconds=100_000 / 1.5e6,
    )
    for load in (0.05, 0.1)
]

BENCHMARKS += [
    Benchmark(
        name=f"wormhole-torus-{side}-{load:g}",
        work=f"cycles of 20-flit messages, a random permutation on {side}³ nodes, load {load:g}",
        items=cycles,
        prepare=partial(traffic, partial(permutation, side), load),
        ours=delivered_by(run_messages),
        peer_name="flit by flit",
        peer=delivered_by(run_flits),
        peer_items=cycles // 20,
        goal=5,
        repeats=3,
    )
    for side, load, cycles in ((16, 0.05, 8_000), (32, 0.005, 8_000), (32, 0.05, 2_000))
]
