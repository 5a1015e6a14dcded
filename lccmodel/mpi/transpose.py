"""Transposition of a distributed matrix [hou, Example 3].

A 2^r by 2^c matrix is cut into tiles, one for each processor of a grid of 2^(n-a) by 2^a. Every
processor transposes its tile and sends it where the tile belongs in the 2^c by 2^r transpose,
which lies on a grid of 2^a by 2^(n-a). Between processors this is the matrix transpose of n bits.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Array
from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import matrix_transpose
from lccmodel.errors import checked_shape
from lccmodel.mpi.fft import processor_grid, side_bits
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout, grid, processor_communication
from lccmodel.mpi.redistribution import redistribute
from lccmodel.mpi.virtual import VirtualComm


@typed_arguments
def transposition(matrix: Any, n: int, *, columns: int | None = None) -> Job:
    """Transpose a matrix on 2^n processes.

    Args:
        matrix: shape (2^r, 2^c, ...); an element may be an array, which stays as it is.
        n: 2^n processes, in a grid of 2^columns by 2^(n-columns).
        columns: n/2, rounded down, if left out.

    Returns: a job whose result is the transpose, shape (2^c, 2^r, ...), of the same type; its
        one phase is "transpose".

    Raises:
        InputError: sides that are no powers of two, or shorter than the grid of processors.

    >>> job = transposition(np.arange(16).reshape(4, 4), n=2)
    >>> job.communications["transpose"].pairs().tolist()
    [[0, 0], [1, 2], [2, 1], [3, 3]]
    """
    data = np.ascontiguousarray(checked_shape("matrix", matrix))
    height, width = side_bits(data)
    over_x, over_y = processor_grid(n, columns)
    before = grid(width, height, over_x, over_y)
    after = grid(height, width, over_y, over_x)
    elements = matrix_transpose(width + height, width)
    return redistribution_job("transpose", data, elements, before, after, turned=True)


def redistribution_job(
    phase: str, data: Array, elements: LCC, before: Layout, after: Layout, *, turned: bool
) -> Job:
    """A job of one communication of the elements of an array.

    Args:
        phase: what it does; names the job and its phase.
        data: shape (2^h, 2^w, ...).
        elements: what the elements do.
        before, after: layouts of the elements.
        turned: whether the result is 2^w by 2^h.
    """
    height, width = data.shape[:2]
    rest = data.shape[2:]
    sides = (width, height) if turned else (height, width)
    return Job(
        f"{phase} of {height} x {width} elements",
        data.reshape(height * width, *rest),
        before,
        partial(_move_program, phase=phase, elements=elements, before=before, after=after),
        {phase: processor_communication(elements, before, after, name=phase)},
        after,
        (*sides, *rest),
    )


def _move_program(
    comm: VirtualComm, local: Array, phase: str, elements: LCC, before: Layout, after: Layout
) -> Array:
    with comm.phase(phase):
        return redistribute(comm, local, elements, before, after)
