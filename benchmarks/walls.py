"""How the processor time and memory of a search grow with messages: a table for docs/benchmarks.md.

    python -m benchmarks.walls [BITS ...]

Each size is one `lccmodel map` in a process of its own, with 2^n ranks on a torus of 2^n nodes,
about 7.6 random messages per rank with volumes 1 to 999 from a CSV, and `--seconds 5`. Goal: 10^6
messages on 2^17 nodes in 30 s of processor time, and linear growth in messages.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import numpy as np

_MESSAGES_PER_RANK = 10**6 / 2**17


def measured(bits: int) -> tuple[int, str, float, float]:
    """Return (messages, network, processor seconds, MiB) of one search."""
    rng = np.random.default_rng(1)
    count = round(_MESSAGES_PER_RANK * 2**bits)
    sides = "x".join(str(1 << (bits + k) // 3) for k in (2, 1, 0))
    rows = np.column_stack([rng.integers(0, 1 << bits, (count, 2)), rng.integers(1, 1000, count)])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "messages.csv")
        np.savetxt(file, rows, "%d", ",", header="source,destination,volume", comments="")
        command = [sys.executable, "-m", "lccmodel", "map", str(file), "-N", f"torus:{sides}",
                   "--seconds", "5", "-o", str(Path(folder, "answer.json"))]  # fmt: skip
        child = os.spawnv(os.P_NOWAIT, sys.executable, command)
        _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"lccmodel map failed for 2^{bits} nodes")
    return count, f"torus:{sides}", usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main(arguments: list[str]) -> None:
    """Print the table."""
    print("| messages | network | processor seconds | µs per message | MiB |")
    print("| --- | --- | --- | --- | --- |")
    for bits in map(int, arguments or ["14", "15", "16", "17"]):
        count, network, seconds, memory = measured(bits)
        each = 1e6 * seconds / count
        print(f"| {count:,} | {network} | {seconds:.1f} | {each:.0f} | {memory:.0f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
