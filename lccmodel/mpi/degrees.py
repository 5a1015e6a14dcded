"""T(Q) measured on real MPI: the exchanges of a pipelined CC-cube, without what it computes.

2^d processes go through the d + Q - 1 iterations of a plan [calmant 2.4]; in each they start to
send one packet through every dimension that has one, wait until all have come, and go on. Each Q
is timed once in every round, so that what disturbs the machine does not fall on one degree; a
round is as long as its slowest process says. As a program,
`python -m lccmodel.mpi.degrees BYTES ROUNDS SECONDS BARRIER Q ...`, it prints lines
`Q,microseconds`; BARRIER is 0 or 1.

On one machine with shared memory the model does not hold: no link is shared, since there are none;
processes make the copies themselves, and those that outnumber the cores take turns.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, checked_integer, checked_integers
from lccmodel.mpi.launch import MPIError, start
from lccmodel.pipelining.execution import PacketPlan

_MOST_RANKS, _MOST_BYTES, _MOST_DEGREES, _ROUNDS = 64, 1 << 28, 64, 9


class MeasuredTimes(NamedTuple):
    """The communication times that were measured.

    Attributes:
        ranks: processes, 2^d.
        cores: of this machine, that the processes may use.
        size: bytes that a process exchanges in each dimension.
        microseconds: for every Q the time of each round, ascending.
    """

    ranks: int
    cores: int
    size: int
    microseconds: dict[int, npt.NDArray[np.float64]]

    def median(self, Q: int) -> float:
        """The median of the rounds, in microseconds."""
        return float(np.median(self.microseconds[Q]))


def measure_degrees(
    d: int,
    size: int,
    degrees: Sequence[int],
    *,
    barrier: bool = False,
    seconds: float = 10.0,
    timeout: float = 120.0,
    launcher: str | None = None,
) -> MeasuredTimes:
    """Measure the exchanges of a CC-cube of 2^d processes with mpirun on this machine.

    Args:
        d: 1..6; more processes than cores take turns.
        size: bytes that a process exchanges in each dimension.
        degrees: values of Q, each in 1..size, at most 64 of them.
        barrier: whether all processes wait for each other after every iteration.
        seconds: about how long to measure, 0.1..600.
        timeout: seconds after which every process is stopped.
        launcher: path of mpirun; the one that `lccmodel.mpi` finds if left out.

    Raises:
        InputError: an argument out of range.
        MPIError: there is no MPI, or the run failed or took too long.
    """
    ranks = 1 << checked_integer("d", d) if 0 <= checked_integer("d", d) < 32 else 0
    if not 2 <= ranks <= _MOST_RANKS:
        rule = f"must be 1..{_MOST_RANKS.bit_length() - 1}: 2^d processes of one machine"
        raise InputError("d", rule, d)
    if not 1 <= checked_integer("size", size) <= _MOST_BYTES // (2 * ranks * d):
        most = _MOST_BYTES // (2 * ranks * d)
        raise InputError("size", f"must be 1..{most} bytes on {ranks} processes", size)
    chosen = sorted(set(checked_integers("degrees", degrees)))
    if not 1 <= len(chosen) <= _MOST_DEGREES or not 1 <= chosen[0] <= chosen[-1] <= size:
        rule = f"must be 1..{_MOST_DEGREES} numbers in 1..{size}: a packet has at least a byte"
        raise InputError("degrees", rule, degrees)
    if not 0.1 <= seconds <= 600:
        raise InputError("seconds", "must be in 0.1..600", seconds)
    words = [str(size), str(_ROUNDS), str(seconds), str(int(barrier)), *map(str, chosen)]
    text = start(ranks, ["-m", "lccmodel.mpi.degrees", *words], timeout=timeout, launcher=launcher)
    printed: dict[int, list[float]] = {Q: [] for Q in chosen}
    for line in text.splitlines():
        Q, _, value = line.partition(",")
        if Q.isdecimal() and int(Q) in printed:
            printed[int(Q)].append(float(value))
    if not all(printed.values()):
        raise MPIError("the processes printed no times")
    times = {Q: np.sort(np.array(values)) for Q, values in printed.items()}
    return MeasuredTimes(ranks, len(os.sched_getaffinity(0)), size, times)


def node(
    comm: Any, size: int, rounds: int, seconds: float, barrier: bool, degrees: Sequence[int]
) -> Iterator[tuple[int, float]]:
    """Measure as one of the processes; yields (Q, microseconds) on every rank alike."""
    d = comm.Get_size().bit_length() - 1
    out = np.zeros((d, size), dtype=np.uint8)
    back = np.zeros((d, size), dtype=np.uint8)
    plans = [PacketPlan(d, Q, size) for Q in degrees]
    trial = [max(comm.allgather(_once(comm, plan, out, back, barrier, 1))) for plan in plans]
    share = seconds / len(plans) / rounds
    repeats = [max(1, min(1000, int(share / max(duration, 1e-7)))) for duration in trial]
    for _ in range(rounds):
        for plan, count in zip(plans, repeats, strict=True):
            elapsed = max(comm.allgather(_once(comm, plan, out, back, barrier, count)))
            yield plan.Q, elapsed / count * 1e6


def _once(comm: Any, plan: PacketPlan, out: Any, back: Any, barrier: bool, repeats: int) -> float:
    """Seconds of so many runs of all iterations."""
    rank, packets = comm.Get_rank(), plan.packets
    moves = [
        [(rank ^ 1 << j, j, packets[p].start, packets[p].stop) for j, p in iteration.packets]
        for iteration in plan.iterations
    ]
    comm.Barrier()
    started = time.perf_counter()
    for _ in range(repeats):
        for iteration in moves:
            waiting = [comm.Irecv(back[j, low:high], q, j) for q, j, low, high in iteration]
            waiting += [comm.Isend(out[j, low:high], q, j) for q, j, low, high in iteration]
            for request in waiting:
                request.Wait()
            if barrier:
                comm.Barrier()
    return time.perf_counter() - started


def _main(size: str, rounds: str, seconds: str, barrier: str, *degrees: str) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    chosen = [int(Q) for Q in degrees]
    settings = int(size), int(rounds), float(seconds), barrier == "1"
    for Q, microseconds in node(comm, *settings, chosen):
        if comm.Get_rank() == 0:
            print(f"{Q},{microseconds:.6f}", flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
