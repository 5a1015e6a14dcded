"""Run a 2-D FFT on 64 simulated processes and record every message that it sends.

    python examples/tools/record_fft.py > examples/trace.csv

The processes form an 8 x 8 grid; process 8 py + px holds an 8 x 8 block of a 64 x 64 image. A
one-dimensional FFT over 8 processes exchanges whole blocks across one bit of the process number
at a time (decimation in frequency), finishes inside the block, and puts the blocks in order by
reversing the three process bits, so that process p holds the frequencies p, p + 8, p + 16, ...
This is done along the rows, then along the columns; at last the blocks are transposed. The result
is compared with numpy's FFT, so the trace is that of a program that works.
"""

from __future__ import annotations

import sys

import numpy as np

GRID_BITS = 3
GRID = 1 << GRID_BITS
BLOCK = 8
SIZE = GRID * BLOCK


class Processes:
    """Blocks of data, one on each process, and a record of the messages between them."""

    def __init__(self, image):
        self.blocks = {
            GRID * py + px: image[
                BLOCK * py : BLOCK * (py + 1), BLOCK * px : BLOCK * (px + 1)
            ].astype(complex)
            for py in range(GRID)
            for px in range(GRID)
        }
        self.trace = []

    def send(self, phase, partner):
        """Every process sends its block to partner(process); the blocks received."""
        mailbox = {}
        for process, block in self.blocks.items():
            self.trace.append((process, partner(process), block.nbytes, phase))
            mailbox[partner(process)] = block.copy()
        return mailbox


def fft_along(processes, name, low, axis):
    """A one-dimensional FFT across process bits low .. low+2 and the axis of the blocks."""
    for stage in reversed(range(GRID_BITS)):
        received = processes.send(f"{name}-exchange-{stage}", lambda p, s=stage: p ^ 1 << low + s)
        half = BLOCK << stage  # butterflies of points this far apart
        for process, other in received.items():
            place = (process >> low) % GRID
            points = BLOCK * (place % (1 << stage)) + np.arange(BLOCK)
            twiddle = np.exp(-1j * np.pi * points / half)
            shape = (1, BLOCK) if axis == 1 else (BLOCK, 1)
            own = processes.blocks[process]
            upper = place >> stage & 1
            mixed = (other - own) * twiddle.reshape(shape) if upper else own + other
            processes.blocks[process] = mixed
    for process in processes.blocks:
        processes.blocks[process] = np.fft.fft(processes.blocks[process], axis=axis)
    mask = (GRID - 1) << low
    processes.blocks = processes.send(
        f"{name}-reorder", lambda p: p & ~mask | reverse(p >> low & GRID - 1) << low
    )


def reverse(place):
    """The three bits of a place in reverse order."""
    return sum((place >> i & 1) << GRID_BITS - 1 - i for i in range(GRID_BITS))


def run(seed=1999):
    """The trace of one FFT of a random image; an AssertionError if the result is wrong."""
    image = np.random.default_rng(seed).random((SIZE, SIZE))
    processes = Processes(image)
    fft_along(processes, "row", 0, axis=1)
    fft_along(processes, "column", GRID_BITS, axis=0)
    transposed = processes.send("transpose", lambda p: p % GRID * GRID + p // GRID)
    expected = np.fft.fft2(image)
    for process, block in transposed.items():
        row, column = process % GRID, process // GRID  # where the block stood before
        assert np.allclose(block, expected[row::GRID, column::GRID])
    return processes.trace


def main():
    """Print the trace as a table."""
    print("# 2-D FFT of a 64 x 64 image on 64 processes, recorded by tools/record_fft.py")
    print("source,destination,volume,communication")
    for record in run():
        print(",".join(map(str, record)))


if __name__ == "__main__":
    sys.exit(main())
