"""The message engine, against the flit engine and a simulation in plain Python.

BookSim 2, which models more of a router (8-flit buffers), runs the same traffic at about 3,200 and
1,900 cycles per second at loads 0.05 and 0.1 on a machine of this kind; it is not run here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.harness import Benchmark
from lccmodel.communication.catalog import matrix_transpose
from lccmodel.network import Hypercube
from lccmodel.wormhole.flit_engine import run_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import Messages, empty_outcome, wiring
from lccmodel.wormhole.simulation import Simulation
from lccmodel.wormhole.traffic import arrivals, messages_of

SEED, FLITS = 1, 20
SIMULATION = Simulation.of(matrix_transpose(8), Hypercube(8))
WIRED = wiring(SIMULATION.table)


def traffic(load: float) -> Callable[[int], tuple[Messages, int]]:
    def prepare(cycles: int) -> tuple[Messages, int]:
        ready, pairs = arrivals(SIMULATION.sent, load, FLITS, cycles, SEED)
        return messages_of(SIMULATION.table, SIMULATION.sent, ready, pairs, FLITS), cycles

    return prepare


def delivered_by(run: Callable[..., int]) -> Callable[[tuple[Messages, int]], Any]:
    def work(ready: tuple[Messages, int]) -> Any:
        messages, cycles = ready
        outcome = empty_outcome(len(messages.source), WIRED)
        run(WIRED, messages, outcome, cycles)
        return np.sort(outcome.delivered)

    return work


BENCHMARKS = [
    Benchmark(
        name=f"wormhole-{load:g}",
        work=f"cycles of 20-flit messages, transpose on cube:8, e-cube, load {load:g}",
        items=100_000,
        prepare=traffic(load),
        ours=delivered_by(run_messages),
        peer_name="flit by flit",
        peer=delivered_by(run_flits),
        peer_items=5_000,
        goal=20,
        goal_seconds=100_000 / 1.5e6,
    )
    for load in (0.05, 0.1)
]
