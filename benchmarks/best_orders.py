"""The best order of address bits for any traffic, against a plain compiled loop over all sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel import Hypercube, catalog
from lccmodel.communication.program import Program
from lccmodel.communication.traffic import Traffic
from lccmodel.kernels.jit import kernel
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.programme import best_order
from lccmodel.placement import optimal_orders

SEED = 11

Ints = npt.NDArray[np.int64]


@kernel
def _every_set(n: int, sources: Ints, destinations: Ints) -> int:
    """h(S) = min over j of max(load(S, j), h(S + j)), every load counted message by message."""
    full = (1 << n) - 1
    h = np.zeros(1 << n, np.int64)
    held = np.zeros(1 << n, np.int64)
    for S in range(full - 1, -1, -1):
        best = np.int64(1) << 62
        for j in range(n):
            if S >> j & 1:
                continue
            held[:] = 0
            for i in range(sources.size):
                change = sources[i] ^ destinations[i]
                if change >> j & 1:
                    held[sources[i] ^ (change & S)] += 1
            best = min(best, max(held.max(), h[S | 1 << j]))
        h[S] = best
    return int(h[0])


def random_program(n: int) -> Callable[[int], Program]:
    def prepare(messages: int) -> Program:
        rng = np.random.default_rng(SEED)
        return Program([Traffic(rng.integers(0, 1 << n, (messages, 2)), None, 1 << n)])

    return prepare


def structured_program(n: int) -> Callable[[int], Program]:
    """Transpose, bit reversal, shifts by 1 and 2^(n/2) both ways, random orders of bits."""

    def prepare(messages: int) -> Program:
        rng, x = np.random.default_rng(SEED), np.arange(1 << n)
        parts = [catalog.matrix_transpose(n).pairs(), catalog.bit_reverse(n).pairs()]
        for shift in (1, -1, 1 << n // 2, -1 << n // 2):
            parts.append(np.stack([x, (x + shift) % x.size], axis=1))
        while len(parts) << n < messages:
            bits = rng.permutation(n)
            y = sum((x >> int(bits[k]) & 1) << k for k in range(n))
            parts.append(np.stack([x, y], axis=1))
        return Program([Traffic(np.concatenate(parts)[:messages], None, 1 << n)])

    return prepare


def busiest(program: Program) -> Any:
    return best_order(program, Hypercube(program.phases[0].traffic.n)).value


def over_all_sets(program: Program) -> int:
    traffic = program.phases[0].traffic
    ends = (np.ascontiguousarray(ends) for ends in (traffic.sources, traffic.destinations))
    return _every_set(traffic.n, *ends)


def order(n: int, messages: int, prepare: Any, **goals: Any) -> Benchmark:
    return Benchmark(
        name=f"best-order-{n}",
        work=f"exact best order, cube:{n}, {messages:,} messages",
        items=messages,
        prepare=prepare,
        ours=busiest,
        **goals,
    )


def random_permutation(nodes: int) -> Program:
    y = np.random.default_rng(SEED).permutation(nodes)
    return Program([Traffic(np.stack([np.arange(nodes), y], axis=1), None, nodes)])


def every_order(program: Program) -> Any:
    """The optimum, for which every set is priced by counting messages; orders could be listed."""
    return optimal_orders(program, Hypercube(program.phases[0].traffic.n)).value


def set_after_set(program: Program) -> int:
    """h(S) of the sets in descending order, each priced by itself (`Counts.loads`)."""
    traffic = program.phases[0].traffic
    n, counts = traffic.n, Counts(traffic.n, traffic.sources, traffic.destinations)
    h = [0] * (1 << n)
    for S in range((1 << n) - 2, -1, -1):
        loads = counts.loads(S).tolist()
        h[S] = min(max(loads[j], h[S | 1 << j]) for j in range(n) if not S >> j & 1)
    return h[0]


PEER: dict[str, Any] = {"peer_name": "a compiled loop over all sets", "peer": over_all_sets}

BENCHMARKS = [
    order(10, 6144, random_program(10), goal_seconds=0.1, goal=5, repeats=5, **PEER),
    order(12, 16384, random_program(12), goal_seconds=1, goal=9, repeats=3, **PEER),
    order(14, 100_000, random_program(14), goal_seconds=20, repeats=3),
    order(16, 1_000_000, structured_program(16), goal_seconds=60, repeats=1),
    *(
        Benchmark(
            name=f"all-orders-{n}",
            work=f"optimal_orders, a random permutation of 2^{n} nodes",
            items=1 << n,
            prepare=random_permutation,
            ours=every_order,
            repeats=repeats,
            **goals,
        )
        for n, repeats, goals in [
            (12, 3, {"peer_name": "one set after another", "peer": set_after_set, "goal": 4}),
            (16, 1, {"goal_seconds": 5}),
        ]
    ),
]
