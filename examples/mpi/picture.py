"""The image library of [hou, Example 5] on a photograph, on 16 MPI processes of this machine.

    python examples/mpi/picture.py [FOLDER] [--threads]

The photograph is the portrait of Rear Admiral Grace Hopper that matplotlib brings as sample data;
it was taken by James S. Davis for the United States Navy and is in the public domain. Every
operation is run with the one mapping that is best for the whole library, compared with numpy pixel
by pixel, and written to FOLDER as a PNG file if a folder is named.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.cbook import get_sample_data
from matplotlib.image import imread, imsave

from lccmodel import Hypercube
from lccmodel.mpi import distributed_fft2, image_operation, launch, local
from lccmodel.mpi.images import library
from lccmodel.placement import optimal_reordering

N = 4
SIDE = 256

EXPECTED = {
    "reflect-diagonal": lambda p: p.swapaxes(0, 1),
    "reflect-antidiagonal": lambda p: np.rot90(p, 2).swapaxes(0, 1),
    "rotate90-clockwise": lambda p: np.rot90(p, -1),
    "rotate90-counterclockwise": np.rot90,
    "rotate180": lambda p: np.rot90(p, 2),
    "reflect-vertical": np.fliplr,
    "reflect-horizontal": np.flipud,
    "scale2": lambda p: p[: SIDE // 2, : SIDE // 2].repeat(2, axis=0).repeat(2, axis=1),
}


def photograph():
    """The middle of the photograph, SIDE by SIDE pixels of three colours."""
    with get_sample_data("grace_hopper.jpg") as file:
        whole = np.array(imread(file, format="jpg"))
    top, left = 20, (whole.shape[1] - SIDE) // 2
    return whole[top : top + SIDE, left : left + SIDE]


def main(arguments):
    """Run everything in one start of mpirun; returns 1 if a pixel is wrong."""
    run = local.run if "--threads" in arguments else launch.run
    folders = [Path(argument) for argument in arguments if argument != "--threads"]
    picture = photograph()
    operations = library(N)
    mapping = optimal_reordering(list(operations.values()), Hypercube(N))
    degrees = {
        name: f"{old.degree} -> {new.degree}"
        for name, old, new in zip(operations, mapping.before, mapping.after, strict=True)
    }
    print(f"{SIDE} x {SIDE} pixels on {1 << N} processes, order {mapping.order}")
    tasks = [image_operation(name, picture, N) for name in EXPECTED]
    tasks.append(distributed_fft2(picture.mean(axis=2), N))
    *outcomes, spectrum = run([task.mapped(mapping) for task in tasks])
    wrong = 0
    for (name, expected), outcome in zip(EXPECTED.items(), outcomes, strict=True):
        pixels = int((outcome.values != expected(picture)).any(axis=2).sum())
        count = len(outcome.sent)
        print(f"{name:26} {count:3} messages, degree {degrees[name]}, {pixels} wrong pixels")
        wrong += pixels
        for folder in folders:
            folder.mkdir(parents=True, exist_ok=True)
            imsave(folder / f"{name}.png", np.ascontiguousarray(outcome.values))
    transform = np.fft.fft2(picture.mean(axis=2))
    difference = np.abs(spectrum.values - transform).max() / np.abs(transform).max()
    print(f"{'2-D FFT':26} {len(spectrum.sent):3} messages, difference {difference:.1g}")
    return 1 if wrong or difference > 1e-12 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
