"""The parallel FFT on 2^n processes [hou, Section 6.2], in one and in two dimensions.

m = 2^(n+2d) points lie block-cyclically: address bits d, ..., n+d-1 are the processor. The FFT is
Cooley and Tukey's with decimation in time:

    bit reversal          the bits of the address in reverse order. Processor bits are exchanged
                          with processor bits, so every processor sends all its points to one
                          other: the bit reversal of n bits
    stage i = 1..lg m     butterflies of points whose addresses differ in bit i-1, with the
                          twiddle factor W^k, W = exp(-2 pi j / 2^i), k the address bits below

The first d and the last d stages find both points on the processor; each of the n between is an
exchange with a neighbour, of all points, after which either side computes its half of the
butterfly. The result lies as the points do.

The stages are written for any layout: the block-cyclic one is what makes the bit reversal one
message from each processor. The paper writes W = exp(+2 pi j / m) and d >= 1; `sign=+1` gives that
transform, and d = 0 is needed for the first line of its Table 1 (2^8 points on 2^8 processors).
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import bit_reverse_part, exchange
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import (
    Layout,
    block_cyclic,
    grid,
    processor_communication,
    processor_grid,
    side_bits,
)
from lccmodel.mpi.redistribution import redistribute
from lccmodel.mpi.virtual import VirtualComm

_BIT_REVERSAL = "bit reversal"


@typed_arguments
def distributed_fft(points: Any, n: int, *, sign: int = -1) -> Job:
    """Return the discrete Fourier transform of 2^(n+2d) points on 2^n processes [hou, Section 6.2].

    Args:
        points: real or complex, shape (2^(n+2d),), d >= 0.
        n: 2^n processes, n >= 1.
        sign: of the exponent: -1 is numpy.fft.fft, +1 the paper's transform, which is
            m numpy.fft.ifft.

    Returns: a job whose result is complex128 of shape (2^(n+2d),); its phases are "bit reversal"
        and "neighbour 0", ..., "neighbour n-1".

    Raises:
        InputError: another number of points, n < 1, no numbers, or another sign.

    >>> job = distributed_fft(np.arange(64), n=2)
    >>> [(phase, c.pairs()[1].tolist()) for phase, c in job.communications.items()]
    [('bit reversal', [1, 2]), ('neighbour 0', [1, 0]), ('neighbour 1', [1, 3])]
    """
    data = _complex(points)
    if data.ndim != 1:
        raise InputError("points", "must be one-dimensional", data.shape)
    layout = block_cyclic(len(data), n)
    program = partial(fft_along, layout=layout, low=0, high=layout.bits, sign=_checked(sign))
    communications = _communications(layout, 0, layout.bits, "")
    return Job(f"FFT of {len(data)} points", data, layout, program, communications)


@typed_arguments
def distributed_fft2(picture: Any, n: int, *, columns: int | None = None, sign: int = -1) -> Job:
    """Compute the transform along every row, then along every column [hou, Example 5(5)].

    Args:
        picture: real or complex, shape (2^h, 2^w).
        n: 2^n processes, in a grid of 2^columns by 2^(n-columns).
        columns: n/2, rounded down, if left out. Both w - columns and h - (n - columns) must be
            even, except for an axis that is not spread.
        sign: as for `distributed_fft`.

    Returns: a job whose result is complex128 of the picture's shape, numpy.fft.fft2 of it.

    Raises:
        InputError: sides that are no such powers of two, no numbers, or another sign.

    >>> import numpy as np
    >>> job = distributed_fft2(np.ones((8, 8)), 2)
    >>> job.name, list(job.communications)
    ('2-D FFT of 8 x 8 points', ['rows: bit reversal', 'rows: neighbour 0', 'columns: bit \
reversal', 'columns: neighbour 1'])
    """
    data = _complex(picture)
    height, width = side_bits(data)
    over_x, over_y = processor_grid(n, columns)
    layout = grid(width, height, over_x, over_y, cyclic=True)
    bits = width + height
    program = partial(_fft2_program, layout=layout, width=width, sign=_checked(sign))
    communications: dict[str, LCC] = {}
    for name, low, high in (("rows: ", 0, width), ("columns: ", width, bits)):
        communications |= _communications(layout, low, high, name)
    label = f"2-D FFT of {1 << height} x {1 << width} points"
    return Job(label, data.reshape(-1), layout, program, communications, shape=data.shape)


def fft_along(
    comm: VirtualComm, local: Array, layout: Layout, low: int, high: int, sign: int, name: str = ""
) -> Array:
    """Transform along an axis whose coordinate is address bits low, ..., high-1.

    Args:
        comm: virtual processor v has the points of processor v of the layout.
        local: this process's points, complex128 of shape (2^(bits-n),).
        layout: any; it decides what is sent.
        low, high: 0 <= low <= high <= bits; nothing is done for an empty axis.
        sign: of the exponent.
        name: put before the names of phases.

    Returns: this process's part of the transform, in the same layout.
    """
    if low == high:
        return local
    with comm.phase(name + _BIT_REVERSAL):
        local = redistribute(comm, local, bit_reverse_part(layout.bits, low, high), layout)
    me = comm.v_get_pid()
    below = layout.address(me) >> low
    for bit in range(low, high):
        stage = bit - low
        k = below & ((1 << stage) - 1)
        twiddle = np.exp(sign * 2j * np.pi / (2 << stage) * k)
        if bit in layout.processor_bits:
            dimension = layout.processor_bits.index(bit)
            with comm.phase(f"{name}neighbour {dimension}"):
                other = comm.exchange(me ^ 1 << dimension, local)
            upper = me >> dimension & 1
            local = other - twiddle * local if upper else local + twiddle * other
        else:
            local = _local_stage(local, layout.local_bits.index(bit), twiddle)
    return local


def _local_stage(local: Array, place_bit: int, twiddle: Array) -> Array:
    """Butterflies of points whose places differ in one bit; both have the same twiddle factor."""
    pairs = local.reshape(-1, 2, 1 << place_bit)
    turned = pairs[:, 1] * twiddle.reshape(pairs.shape)[:, 1]
    return np.stack([pairs[:, 0] + turned, pairs[:, 0] - turned], axis=1).reshape(-1)


def _fft2_program(comm: VirtualComm, local: Array, layout: Layout, width: int, sign: int) -> Array:
    local = fft_along(comm, local, layout, 0, width, sign, "rows: ")
    return fft_along(comm, local, layout, width, layout.bits, sign, "columns: ")


def _communications(layout: Layout, low: int, high: int, name: str) -> dict[str, LCC]:
    """What processors send in the phases of `fft_along`."""
    if low == high:
        return {}
    phase = name + _BIT_REVERSAL
    moved = bit_reverse_part(layout.bits, low, high)
    communications = {phase: processor_communication(moved, layout, name=phase)}
    for bit in range(low, high):
        if bit in layout.processor_bits:
            dimension = layout.processor_bits.index(bit)
            communications[f"{name}neighbour {dimension}"] = exchange(layout.n, dimension)
    return communications


def _complex(values: Any) -> Array:
    try:
        return np.ascontiguousarray(values, dtype=np.complex128)
    except (TypeError, ValueError):
        raise InputError("points", "must be an array of numbers", values) from None


def _checked(sign: int) -> int:
    if sign not in (-1, 1):
        raise InputError("sign", "must be -1 or +1", sign)
    return sign
