"""The parallel FFT of [hou, Section 6.2] on 2 to 16 MPI processes, with and without a mapping.

    python examples/mpi/fft.py [--threads]

For each number of processes one start of mpirun transforms 2^n, 2^(n+2), 2^(n+4) and 2^(n+6)
points, in the given order of processors and in the one that is optimal for all communications of
the program, and compares with numpy. The times are those of processes that share one machine: they
say nothing about a hypercube.
"""

from __future__ import annotations

import sys

import numpy as np

from lccmodel import Hypercube
from lccmodel.mpi import distributed_fft, launch, local
from lccmodel.placement import optimal_reordering


def main(arguments):
    """Run and print a line for every transform; returns 1 if one is wrong."""
    run = local.run if "--threads" in arguments else launch.run
    rng = np.random.default_rng(1999)
    worst = 0.0
    print("ranks  points  order          busiest channel  difference from numpy.fft.fft")
    for n in (1, 2, 3, 4):
        cube = Hypercube(n)
        tasks = []
        for d in range(4):
            points = rng.standard_normal(1 << n + 2 * d) + 1j * rng.standard_normal(1 << n + 2 * d)
            task = distributed_fft(points, n)
            mapping = optimal_reordering(list(task.communications.values()), cube)
            tasks += [(task, None), (task.mapped(mapping), mapping.order)]
        outcomes = run([task for task, _ in tasks])
        for (task, order), outcome in zip(tasks, outcomes, strict=True):
            expected = np.fft.fft(task.data)
            difference = np.abs(outcome.values - expected).max() / np.abs(expected).max()
            busiest = max(cube.channel_loads(outcome.pairs(p)).degree for p in outcome.phases)
            shown = "-" if order is None else " ".join(map(str, order))
            print(f"{task.ranks:5}  {len(task.data):6}  {shown:13}  {busiest:15}  {difference:.1g}")
            worst = max(worst, difference)
    return 0 if worst < 1e-13 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
