"""The best pipelining degree, against a formula that is minimised over every Q."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark
from lccmodel.pipelining.cost.formulas import communication_time
from lccmodel.pipelining.cost.steps import Regime
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.grid import optimal_degrees
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Piecewise

MACHINE = Machine("mesh:32x32", alpha=500, tau=1, barrier=100)
MEASURED = Machine(
    "mesh:32x32", cost=Piecewise([(1024, "1.9", "0.0045"), (None, "8.8", "0.0015")]), barrier=1
)
LARGEST_Q = 1 << 16
REGIMES: tuple[Regime, ...] = ("shallow", "deep")
Items = list[int]


def items_of(count: int) -> Items:
    """N from 2^16 to 10^8, evenly on a logarithmic scale, in a fixed random order."""
    values = np.geomspace(LARGEST_Q, 10**8, count).astype(np.int64)
    return [int(N) for N in np.random.default_rng(5).permutation(values)]


def ours(items: Items) -> list[int]:
    return [optimal_degree(MACHINE, N, "schedule").Q for N in items]


@cache
def lambdified() -> Callable[..., Any]:
    """T as a numpy function of Q = 1, 2, ... and N, for our machine.

    Each regime's part for its own Q: the expression for every Q takes forty times as long.
    """
    import sympy

    symbols = sympy.symbols("Q N")
    values = {"d": MACHINE.d, "alpha": MACHINE.alpha, "tau": MACHINE.tau, "b": MACHINE.barrier}
    shallow, deep = (
        sympy.lambdify(symbols, communication_time(MACHINE.c, "schedule", part).subs(values))
        for part in REGIMES
    )
    before = MACHINE.d - 1

    def T(Q: npt.NDArray[np.float64], N: int) -> npt.NDArray[np.float64]:
        return np.concatenate([shallow(Q[:before], N), deep(Q[before:], N)])

    return T


def numpy_argmin(items: Items) -> list[int]:
    """The least value over Q = 1 .. 65,536."""
    T, every = lambdified(), np.arange(1.0, LARGEST_Q + 1)
    return [1 + int(np.argmin(T(every, N))) for N in items]


def numpy_argmin_ready(items: Items) -> list[int]:
    """The same with the steps of every Q worked out beforehand: two numpy operations a point."""
    steps = steps_of_every()
    fixed = steps * float(MACHINE.alpha) + float(MACHINE.barrier) * np.arange(LARGEST_Q)
    each = steps / np.arange(1.0, LARGEST_Q + 1) * float(MACHINE.tau)
    return [1 + int(np.argmin(fixed + each * N)) for N in items]


def ours_measured(items: Items) -> list[int]:
    return [optimal_degree(MEASURED, N).Q for N in items]


def numpy_measured(items: Items) -> list[int]:
    """The least of T(Q), Q = 1 .. 65,536, by the cost of two pieces, steps ready."""
    steps, every = steps_of_every(), np.arange(1.0, LARGEST_Q + 1)
    (end, *short), (_, *long) = [[float(v or 0) for v in piece] for piece in MEASURED.cost.pieces]
    rest = float(MEASURED.barrier) * every
    degrees = []
    for N in items:
        packet = N / every
        cost = np.where(packet <= end, short[0] + short[1] * packet, long[0] + long[1] * packet)
        degrees.append(1 + int(np.argmin(steps * cost + rest)))
    return degrees


@cache
def steps_of_every() -> npt.NDArray[np.float64]:
    from lccmodel.pipelining.cost.steps import step_table

    table = step_table(MACHINE.mesh, "schedule")
    return np.array([table.total(Q) for Q in range(1, LARGEST_Q + 1)], dtype=np.float64)


def grid_of(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """A square grid of about `count` points: N down, α/τ across."""
    side = max(1, int(count**0.5))
    N = np.geomspace(1, 10**7, side).astype(np.int64)
    return N[:, np.newaxis], np.geomspace(1, 10**4, side)[np.newaxis, :]


def ours_on_grid(grid: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]) -> Any:
    N, ratio = grid
    return optimal_degrees(MACHINE, N, alpha=ratio, barrier=0)


def one_by_one(grid: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]) -> Any:
    """`optimal_degree` for every point."""
    N, ratio = grid
    machines = [Machine(MACHINE.mesh, float(alpha), 1) for alpha in ratio[0]]
    return np.array([[optimal_degree(m, int(n)).Q for m in machines] for n in N[:, 0]])


def measured_grid(count: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """A square grid of about `count` points: N down, the barrier across."""
    N, ratio = grid_of(count)
    return N, ratio / 100


def ours_on_measured_grid(grid: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]) -> Any:
    N, barrier = grid
    return optimal_degrees(MEASURED, N, barrier=barrier)


def measured_one_by_one(grid: tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]) -> Any:
    """`optimal_degree` for every point."""
    N, barrier = grid
    machines = [Machine(MEASURED.mesh, cost=MEASURED.cost, barrier=float(b)) for b in barrier[0]]
    return np.array([[optimal_degree(m, int(n)).Q for m in machines] for n in N[:, 0]])


BENCHMARKS = [
    Benchmark(
        name="pipelining.optimal-degree",
        work="best degree of 32x32, one N at a time",
        items=1 << 14,
        prepare=items_of,
        ours=ours,
        peer_name="lambdified T, least of Q <= 65,536",
        peer=numpy_argmin,
        peer_items=32,
        goal=300,
    ),
    Benchmark(
        name="pipelining.optimal-degree-ready",
        work="best degree of 32x32, one N at a time",
        items=1 << 14,
        prepare=items_of,
        ours=ours,
        peer_name="numpy, steps of every Q ready",
        peer=numpy_argmin_ready,
        peer_items=64,
    ),
    Benchmark(
        name="pipelining.degree-grid",
        work="best degrees over a grid of N and α/τ",
        items=1000 * 1000,
        prepare=grid_of,
        ours=ours_on_grid,
        peer_name="optimal_degree for each point",
        peer=one_by_one,
        peer_items=100 * 100,
        goal_seconds=0.1,
    ),
    Benchmark(
        name="pipelining.measured-degree",
        work="best degree of 32x32, cost of two pieces, one N at a time",
        items=1 << 12,
        prepare=items_of,
        ours=ours_measured,
        peer_name="numpy, steps of every Q ready",
        peer=numpy_measured,
        peer_items=64,
        goal_seconds=20e-6 * (1 << 12),
    ),
    Benchmark(
        name="pipelining.measured-grid",
        work="best degrees over a grid of N and barriers, cost of two pieces",
        items=1000 * 1000,
        prepare=measured_grid,
        ours=ours_on_measured_grid,
        peer_name="optimal_degree for each point",
        peer=measured_one_by_one,
        peer_items=100 * 100,
        goal_seconds=1.0,
    ),
]
