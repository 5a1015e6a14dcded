"""Message times measured on real MPI: a ping-pong of two processes, an exchange with neighbours.

    ping-pong    rank 0 sends L bytes to rank 1 and back; half the time is one message, one way
    exchange     every rank sends L bytes to the next and receives from the one before, in a ring

Each size is measured in several rounds of many messages after a warm-up; a round gives one time,
so that what disturbs the machine spoils a round and not the median. As a program,
`python -m lccmodel.mpi.pingpong KIND MOST SECONDS`, it prints lines `size,time_us`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from lccmodel.calibration.measurements import Measurements
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.words import PINGPONGS as PINGPONGS
from lccmodel.ground.words import checked_word
from lccmodel.mpi.launch import MPIError, start

_ROUNDS, _LARGEST = 7, 1 << 26


def measure(
    kind: str = "ping-pong",
    *,
    most: int = 1 << 20,
    ranks: int = 2,
    seconds: float = 10.0,
    timeout: float = 60.0,
    launcher: str | None = None,
) -> Measurements:
    """Measure message times with mpirun on this machine.

    Args:
        kind: "ping-pong" (two processes) or "exchange" (a ring of `ranks`).
        most: bytes of the largest message; sizes are 8, 16, ... and those halfway between.
        ranks: processes of an exchange.
        seconds: about how long to measure.
        timeout: seconds after which every process is stopped.
        launcher: path of mpirun; the one that `lccmodel.mpi` finds if left out.

    Raises:
        InputError: an argument out of range.
        MPIError: there is no MPI, or the run failed or took too long.
    """
    checked_word("kind", kind, PINGPONGS)
    if not 64 <= checked_integer("most", most) <= _LARGEST:
        raise InputError("most", f"must be in 64..{_LARGEST} bytes", most)
    if kind == "exchange" and not 2 <= checked_integer("ranks", ranks) <= 1024:
        raise InputError("ranks", "must be in 2..1024", ranks)
    if not 0.1 <= seconds <= 600:
        raise InputError("seconds", "must be in 0.1..600", seconds)
    count = 2 if kind == "ping-pong" else ranks
    arguments = ["-m", "lccmodel.mpi.pingpong", kind, str(most), str(seconds)]
    text = start(count, arguments, timeout=timeout, launcher=launcher)
    rows = [line.split(",") for line in text.splitlines() if line.count(",") == 1]
    rows = [row for row in rows if row[0].isdigit()]
    if not rows:
        raise MPIError(f"the {kind} printed no times")
    sizes, times = [int(size) for size, _ in rows], [float(time) for _, time in rows]
    return Measurements(np.array(sizes), np.array(times), f"{kind}, {count} processes")


def sizes_up_to(most: int) -> list[int]:
    """8, 12, 16, 24, 32, ... bytes.

    >>> sizes_up_to(40)
    [8, 12, 16, 24, 32]
    """
    powers = [1 << k for k in range(3, most.bit_length())]
    return [size for power in powers for size in (power, power * 3 // 2) if size <= most]


def node(kind: str, most: int, seconds: float, comm: Any) -> Iterator[tuple[int, float]]:
    """Measure as one of the processes; yields (size, microseconds) on every rank alike."""
    sizes = sizes_up_to(most)
    share = seconds / len(sizes) / _ROUNDS
    buffers = np.zeros(most, dtype=np.uint8), np.zeros(most, dtype=np.uint8)
    once = _ping_pong if kind == "ping-pong" else _exchange
    for size in sizes:
        out, back = (buffer[:size] for buffer in buffers)
        messages = _how_many(lambda n, a=out, b=back: once(comm, a, b, n), share, comm)
        for _ in range(_ROUNDS):
            elapsed = once(comm, out, back, messages)
            yield size, comm.allreduce(elapsed) / comm.Get_size() / messages * 1e6


def _how_many(run: Any, share: float, comm: Any) -> int:
    """Messages of one round, from a trial that also warms up; the same on every rank."""
    trial = max(comm.allgather(run(4)))
    return int(max(2, min(20_000, 4 * share / max(trial, 1e-7))))


def _ping_pong(comm: Any, out: Any, back: Any, messages: int) -> float:
    """Seconds of so many messages, one way."""
    rank = comm.Get_rank()
    comm.Barrier()
    started = time.perf_counter()
    for _ in range(messages):
        if rank == 0:
            comm.Send(out, 1)
            comm.Recv(back, 1)
        else:
            comm.Recv(back, 0)
            comm.Send(out, 0)
    return (time.perf_counter() - started) / 2


def _exchange(comm: Any, out: Any, back: Any, messages: int) -> float:
    """Seconds of so many messages to the next rank and from the one before."""
    rank, size = comm.Get_rank(), comm.Get_size()
    comm.Barrier()
    started = time.perf_counter()
    for _ in range(messages):
        comm.Sendrecv(out, (rank + 1) % size, recvbuf=back, source=(rank - 1) % size)
    return time.perf_counter() - started


def _main(kind: str, most: str, seconds: str) -> None:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    for size, microseconds in node(kind, int(most), float(seconds), comm):
        if comm.Get_rank() == 0:
            print(f"{size},{microseconds:.6f}", flush=True)


if __name__ == "__main__":
    _main(*sys.argv[1:])
