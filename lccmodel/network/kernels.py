"""Kernels that count the messages on every channel.

Under dimension-ordered routing a message from x to y, when dimension (or axis) k is corrected
next, stands where the part of the address corrected before k is y's and the rest x's, so
dimensions do not depend on each other. One dimension is done for all messages before the next one
starts: its counters then stay in cache. Everything is unsigned, because a signed index costs a
test for negative values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arrays import Words
from lccmodel._jit import inlined_kernel, kernel, light_kernel
from lccmodel.network.ties import goes_plus, longest_way

Counters = npt.NDArray[Any]
"""One-dimensional, uint32 or uint64."""

_U, _U64 = np.uint32, np.uint64

plus_kernel = inlined_kernel(goes_plus)
longest_plus = inlined_kernel(longest_way)
"""`ties.goes_plus` and `ties.longest_way` for kernels."""

_BLOCK = 1024
"""Messages that are worked out before they are counted."""

CUBE, GRID, FAT_TREE, TABLE = 0, 1, 2, 3
"""The first integer of `Network.form`."""


@kernel
def by_region(
    routers: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64],
    end: int,
    shift: int,
    regions: int,
) -> tuple[Words, Words, npt.NDArray[np.int64]]:
    """Sources, destinations and weights, sorted by what a shift leaves of one end.

    While the low dimensions are corrected, a message stays near the end from which its high ones
    are, so that the counters of neighbours in this order are in cache: random messages on cube:20
    take two thirds of the time.

    Args:
        routers: of shape (m, 2).
        weights: one for each, or no entries.
        end, shift, regions: 0 for sources, 1 for destinations; so many values are left.
    """
    m, begin = len(routers), np.zeros(regions + 1, np.uint64)
    sources, destinations = np.empty(m, np.uint32), np.empty(m, np.uint32)
    sorted_weights = np.empty(len(weights), np.int64)
    places, is_sorted, last = _U64(shift), True, np.uint64(0)
    for k in range(m):
        region = routers[k, end] >> places
        begin[region + _U64(1)] += _U64(1)
        is_sorted = is_sorted and region >= last
        last = region
    if is_sorted:
        for k in range(m):
            sources[k], destinations[k] = routers[k, 0], routers[k, 1]
        return sources, destinations, weights
    for region in range(regions):
        begin[region + 1] += begin[region]
    for k in range(m):
        region = routers[k, end] >> places
        place = begin[region]
        begin[region] += _U64(1)
        sources[place], destinations[place] = routers[k, 0], routers[k, 1]
        if len(weights):
            sorted_weights[place] = weights[k]
    return sources, destinations, sorted_weights


@light_kernel
def bit_loads(sources: Words, destinations: Words, bit: int, done: int, counters: Counters) -> None:
    """Add to counters[p] the number of messages that correct `bit` from node p."""
    waiting = np.empty(sources.size + 1, np.uint32)
    mask, shift = _U(done), _U(bit)
    moving = np.uint64(0)
    for m in range(sources.size):  # collecting without a branch: which bits differ is random
        change = sources[m] ^ destinations[m]
        waiting[moving] = sources[m] ^ (change & mask)
        moving += np.uint64(change >> shift & _U(1))
    for i in range(moving):
        counters[waiting[i]] += _U(1)


@light_kernel
def weighted_bit_loads(
    sources: Words,
    destinations: Words,
    weights: npt.NDArray[np.int64],
    bit: int,
    done: int,
    counters: Counters,
) -> None:
    """Like `bit_loads`; message m counts weights[m]."""
    mask, shift = _U(done), _U(bit)
    for m in range(sources.size):
        change = sources[m] ^ destinations[m]
        if change >> shift & _U(1):
            counters[sources[m] ^ (change & mask)] += np.uint64(weights[m])


@light_kernel
def axis_loads(
    sources: Words,
    destinations: Words,
    weights: npt.NDArray[np.int64],
    stride: int,
    length: int,
    descending: bool,
    ring: bool,
    counters: npt.NDArray[Any],
) -> None:
    """Count the channels of an axis of `length` nodes that are `stride` apart.

    `counters` has two rows, for the + and the - direction. A message takes a run of consecutive
    channels. Its weight is added where the run begins and taken off where the run ends, and a
    running sum along the axis turns these differences into loads, in O(1) for a message however
    far it goes. Lines are closed for that: a run that reaches the end of its line is added to what
    the line starts with. `weights` has one entry if all messages weigh the same. On a ring a
    message goes the shorter way, in the + direction when both are equally long.

    Coordinates are quotients by the same two numbers for all messages: a product with the
    reciprocal in double precision, which is exact for (x + 1/2) / s while x < 2^32. A block of
    messages is worked out without a branch or a counter, so that the compiler does several at
    once, and counted then: that takes half the time.
    """
    per_step, per_side = 1.0 / stride, 1.0 / length
    longest = longest_plus(length) if ring else length
    around = length if ring else 2 * length  # on a line whatever goes back is "too long" for +
    flat, size = counters.reshape(-1), counters.shape[1]
    lines = size // length
    starts = np.zeros(1 + 2 * lines, counters.dtype)  # entry 0 is of runs that reach no end
    first, behind, over = np.empty((3, _BLOCK), np.uint64)
    above, below = (destinations, sources) if descending else (sources, destinations)
    turned = 1 if descending else 0
    for block in range(0, sources.size, _BLOCK):
        count = min(_BLOCK, sources.size - block)
        for i in range(count):
            x, y = np.int64(above[block + i]), np.int64(below[block + i])
            x_above, y_above = np.int64((x + 0.5) * per_step), np.int64((y + 0.5) * per_step)
            x_line = np.int64((x_above + 0.5) * per_side)
            y_line = np.int64((y_above + 0.5) * per_side)
            c, d = x_above - x_line * length, y_above - y_line * length
            line = x_line * stride + y - y_above * stride
            run = (d - c) * (1 - 2 * turned)
            c, d = c + turned * (d - c), d + turned * (c - d)
            row = 1 if run + (around if run < 0 else 0) > longest else 0
            # + takes tails c, c + 1, ...; - takes c, c - 1, ..., from below d + 1, d + 2, ...
            begin = c + row * (d + 1 - c)
            end = d + row * (c + 1 - d)
            begin -= length if begin == length else 0
            end -= length if end == length else 0
            corner = row * size + line + x_line * (length - 1) * stride
            first[i] = corner + begin * stride
            behind[i] = corner + end * stride
            over[i] = 1 + row * lines + line if end < begin else 0
        if weights.size > 1:
            for i in range(count):
                weight = np.uint64(weights[block + i])
                flat[first[i]] += weight
                flat[behind[i]] -= weight
                starts[over[i]] += weight
        else:
            weight = np.uint64(weights[0])
            for i in range(count):
                flat[first[i]] += weight
                flat[behind[i]] -= weight
                starts[over[i]] += weight
    for k in range(2 * lines):
        row, line = k // lines, k % lines
        flat[row * size + line // stride * stride * length + line % stride] += starts[k + 1]
    for direction in range(2):
        _running_sums(counters[direction], stride, length)


@kernel
def _running_sums(counters: Counters, stride: int, length: int) -> None:
    """Add up along an axis; the order of the loops keeps neighbours in memory together."""
    for block in range(0, counters.size, length * stride):
        if stride == 1:
            total = counters[block]
            for i in range(block + 1, block + length):
                total += counters[i]
                counters[i] = total
        else:
            for i in range(block + stride, block + length * stride):
                counters[i] += counters[i - stride]
