"""The image library of [hou, Example 5] on a picture that is spread over 2^n processes.

A 2^h by 2^w picture is an array of rows; pixel (px, py) is `picture[py, px]`. In the paper there
is one pixel on a processor. Here every processor of a grid has a tile, the highest bits of px and
py being the processor, and sends it as the paper's processor sends its pixel:

    operation                                    between processors        what is sent
    reflect-..., rotate...                       the same operation        the tile
    scale2, the quarter at (0, 0) enlarged       the same scatter          a quarter of the tile
    shrink2, the whole picture into the quarter  the scatter reversed      sums of 2 x 2 pixels
    fft, fft-rows, fft-columns (the reordering)  the same bit reversal     all pixels
      block-cyclic instead of tiles

`shrink2` is the gather that `scale2` read backwards is: four pixels are added up in one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from lccmodel.communication import images
from lccmodel.communication.images import YAxis
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import block_cyclic, grid, processor_grid, side_bits
from lccmodel.mpi.redistribution import redistribution_job

_TURNING: dict[str, Callable[[int, int, YAxis], LCC]] = {
    "reflect-diagonal": lambda n, w, _: images.reflect_diagonal(n, w),
    "reflect-antidiagonal": lambda n, w, _: images.reflect_antidiagonal(n, w),
    "rotate90-clockwise": lambda n, w, y: images.rotate90_clockwise(n, w, y),
    "rotate90-counterclockwise": lambda n, w, y: images.rotate90_counterclockwise(n, w, y),
}
_KEEPING: dict[str, Callable[[int, int], LCC]] = {
    "reflect-vertical": images.reflect_vertical,
    "reflect-horizontal": images.reflect_horizontal,
    "rotate180": lambda n, _: images.rotate180(n),
    "scale2": images.scale2,
    "shrink2": lambda n, w: images.scale2(n, w).reversed(),
}
_CYCLIC: dict[str, Callable[[int, int], LCC]] = {
    "fft": lambda n, _: images.fft(n),
    "fft-rows": images.fft_rows,
    "fft-columns": images.fft_columns,
}

OPERATIONS: tuple[str, ...] = (*_TURNING, *_KEEPING, *_CYCLIC)
"""The names that `image_operation` knows."""


@typed_arguments
def image_operation(
    operation: str,
    picture: Any,
    n: int,
    *,
    columns: int | None = None,
    y_axis: YAxis = "down",
) -> Job:
    """Return an operation on a picture that lies on 2^n processes.

    Args:
        operation: one of `OPERATIONS`.
        picture: shape (2^h, 2^w) or (2^h, 2^w, channels), any numbers. `shrink2` adds pixels, so
            give it a type that holds four times the values.
        n: 2^n processes, in a grid of 2^columns by 2^(n-columns).
        columns: n/2, rounded down, if left out. It does not matter to "fft", which takes the
            pixels as one long row.
        y_axis: whether row 0 is the top ("down", as pictures are stored) or the bottom ("up", as
            in the paper); only the two right-angle rotations depend on it.

    Returns: a job whose result is the picture of the same type; its one phase is the operation.

    Raises:
        InputError: an unknown operation, sides that are no powers of two, or too short for the
            grid of processors (for "fft...": not of the form 2^(k+2d) over 2^k processors).

    >>> job = image_operation("rotate180", np.arange(64).reshape(8, 8), n=2)
    >>> job.communications["rotate180"].pairs().tolist()
    [[0, 3], [1, 2], [2, 1], [3, 0]]
    """
    data = np.ascontiguousarray(checked_shape("picture", picture))
    if data.dtype.kind not in "uifc":
        raise InputError("picture", "must be an array of numbers", str(data.dtype))
    height, width = side_bits(data)
    bits = height + width
    over_x, over_y = processor_grid(n, columns)
    elements = elements_of(operation, height, width, y_axis)
    turned = operation in _TURNING
    if operation == "fft":
        before = after = block_cyclic(1 << bits, n)
    elif operation in _CYCLIC:
        before = after = grid(width, height, over_x, over_y, cyclic=True)
    else:
        before = grid(width, height, over_x, over_y)
        after = grid(height, width, over_y, over_x) if turned else before
    return redistribution_job(operation, data, elements, before, after, turned=turned)


def elements_of(operation: str, height: int, width: int, y_axis: YAxis = "down") -> LCC:
    """What the pixels of a 2^height by 2^width picture do; `y_axis` as for `image_operation`.

    Raises:
        InputError: an unknown operation, or a picture without a quarter for the two scalings.

    >>> elements_of("rotate180", 2, 3).destination(0)
    31
    """
    bits = height + width
    if operation in _TURNING:
        return _TURNING[operation](bits, width, y_axis)
    plain = {**_KEEPING, **_CYCLIC}
    checked_word("operation", operation, OPERATIONS)
    return plain[operation](bits, width)


def library(n: int, columns: int | None = None) -> dict[str, LCC]:
    """What 2^n processors send for every operation of the paper, to find one mapping for all.

    Args:
        n: 2^n processors, in a grid of 2^columns by 2^(n-columns).
        columns: n/2, rounded down, if left out.

    Returns: a communication for every name of `OPERATIONS` except "shrink2", which is not the
        paper's; without "scale2" where the grid has a single row or column.

    >>> len(library(4)), len(library(1))
    (11, 10)
    """
    over_x, over_y = processor_grid(n, columns)
    operations = {name: make(n, over_x, "down") for name, make in _TURNING.items()}
    for name, plain in (*_KEEPING.items(), *_CYCLIC.items()):
        if name == "shrink2" or (name == "scale2" and not (over_x and over_y)):
            continue
        operations[name] = plain(n, over_x)
    return operations
