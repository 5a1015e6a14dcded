"""Kernels that count the messages on every channel.

Under dimension-ordered routing a message from x to y, when dimension (or axis) k is corrected
next, stands where the part of the address corrected before k is y's and the rest x's, so
dimensions do not depend on each other. One dimension is done for all messages before the next one
starts: its counters then stay in cache. Everything is unsigned, because a signed index costs a
test for negative values.

`add_route` is the same, one message at a time, on any network: for a search that moves ranks
about and keeps the loads up to date. It reads the network from a few integers (`Network.form`)
and writes to the flat counters of `ChannelLoads.counts`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import inlined_kernel, kernel
from lccmodel.network.ties import PLUS, goes_plus, longest_way

__all__ = [
    "CUBE",
    "FAT_TREE",
    "GRID",
    "add_route",
    "add_routes",
    "axis_loads",
    "bit_loads",
    "plus_kernel",
    "ring_run",
    "split",
    "weighted_bit_loads",
]

Words = npt.NDArray[np.uint32]
Counters = npt.NDArray[Any]
"""One-dimensional, uint32 or uint64."""

_U = np.uint32

plus_kernel = inlined_kernel(goes_plus)
longest_plus = inlined_kernel(longest_way)
"""`ties.goes_plus` and `ties.longest_way` for kernels."""

CUBE, GRID, FAT_TREE = 0, 1, 2
"""The first integer of `Network.form`."""


@kernel
def split(
    pairs: npt.NDArray[np.uint64], per_node: int, sources: Words, destinations: Words
) -> None:
    """The routers of the sources and destinations of messages."""
    shared = np.uint64(per_node)
    for m in range(pairs.shape[0]):
        sources[m] = pairs[m, 0] // shared
        destinations[m] = pairs[m, 1] // shared


@kernel
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


@kernel
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


@kernel
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
    channels. Its weight is added where the run begins and taken off where the run ends; a
    running sum along the axis turns these differences into loads, in O(1) for a message however
    far it goes. `weights` has one entry if all messages weigh the same. On a ring a message goes
    the shorter way, in the + direction when both are equally long.

    Coordinates are quotients by the same two numbers for all messages: a product with the
    reciprocal in double precision, which is exact for (x + 1/2) / s while x < 2^32.
    """
    step, side, block = _U(stride), _U(length), _U(stride * length)
    per_step, per_side = 1.0 / stride, 1.0 / length
    one, longest = _U(1), _U(longest_plus(length))
    for m in range(sources.size):
        x, y = sources[m], destinations[m]
        x_above = _U(np.int64((np.float64(x) + 0.5) * per_step))
        y_above = _U(np.int64((np.float64(y) + 0.5) * per_step))
        x_line = _U(np.int64((np.float64(x_above) + 0.5) * per_side))
        y_line = _U(np.int64((np.float64(y_above) + 0.5) * per_side))
        c, d = x_above - x_line * side, y_above - y_line * side
        if c == d:
            continue
        weight = np.uint64(weights[m] if weights.size > 1 else weights[0])
        if descending:
            line = (x - x_above * step) + y_line * block
        else:
            line = (y - y_above * step) + x_line * block
        forward = d - c if d > c else d + side - c
        minus = forward > longest if ring else d < c
        # + takes tails c, c + 1, ...; - takes c, c - 1, ..., which from below is d + 1, d + 2, ...
        row = np.uint64(minus)
        begin = c
        if minus:
            begin = d + one
            if begin == side:
                begin = _U(0)
        end = begin + (side - forward if minus else forward)
        counters[row, line + begin * step] += weight
        if end > side:  # the run goes on at the other end of the line
            counters[row, line] += weight
            end -= side
        if end < side:
            counters[row, line + end * step] -= weight
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


# -- one message at a time, on any network -------------------------------------------------


@inlined_kernel
def ring_run(c: int, d: int, length: int, ring: bool, tie: int) -> int:
    """How far from coordinate c to d, negative in the - direction; `tie` for half a ring."""
    if not ring:
        return d - c
    forward = (d - c) % length
    return forward if plus_kernel(forward, length, c, d, tie) else forward - length


@kernel
def add_route(
    form: npt.NDArray[np.int64], x: int, y: int, volume: Any, counters: npt.NDArray[Any]
) -> int:
    """Add `volume` to every channel on the path of a message, and return how many there are.

    Args:
        form: `Network.form`.
        x, y: source and destination, below the network's size.
        volume: of the type of the counters; negative to take a message away.
        counters: flat, row * columns + column for the rows and columns of `ChannelLoads.counts`.
    """
    kind, columns, shared = form[0], form[1], form[2]
    x //= shared
    y //= shared
    if kind == CUBE:
        return _add_cube(form, columns, x, y, volume, counters)
    if kind == GRID:
        return _add_grid(form, columns, x, y, volume, counters)
    return _add_fat_tree(form, columns, x, y, volume, counters)


@kernel
def _add_cube(
    form: npt.NDArray[np.int64], columns: int, x: int, y: int, volume: Any, counters: Any
) -> int:
    """form: dimensions, row of bit 0."""
    hops = 0
    for bit in range(form[3]):
        if (x ^ y) >> bit & 1:
            counters[(bit + form[4]) * columns + x] += volume
            x ^= 1 << bit
            hops += 1
    return hops


@kernel
def _add_grid(
    form: npt.NDArray[np.int64], columns: int, x: int, y: int, volume: Any, counters: Any
) -> int:
    """form: axes; then for each its length and whether it is a ring."""
    hops = 0
    stride = 1
    for axis in range(form[3]):
        length, ring = form[4 + 2 * axis], form[5 + 2 * axis]
        c, d = x // stride % length, y // stride % length
        run = ring_run(c, d, length, ring != 0, PLUS)
        sign = 1 if run > 0 else -1
        row = (2 * axis + (run < 0)) * columns + x - c * stride
        hops += abs(run)
        for _ in range(abs(run)):
            counters[row + c * stride] += volume
            c += sign
            if c == length:
                c = 0
            elif c < 0:
                c = length - 1
        x += (d - x // stride % length) * stride
        stride *= length
    return hops


@kernel
def _add_fat_tree(
    form: npt.NDArray[np.int64], columns: int, x: int, y: int, volume: Any, counters: Any
) -> int:
    """form: levels, 1 if routed by source; then for level l = 1, 2, ...: M_l and W_(l+1).

    M_l hosts are below a switch of level l; W_(l+1) switches of level l + 1 can be reached.
    """
    names = x if form[4] else y
    hops = 0
    for level in range(1, form[3]):
        hosts, switches = form[3 + 2 * level], form[4 + 2 * level]
        if x // hosts == y // hosts:
            break
        low = names % switches
        row = (2 * level - 2) * columns
        counters[row + x // hosts * switches + low] += volume
        counters[row + columns + y // hosts * switches + low] += volume
        hops += 2
    return hops


@kernel
def add_routes(
    form: npt.NDArray[np.int64],
    pairs: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64],
    counters: npt.NDArray[Any],
) -> None:
    """`add_route` for many messages; `weights` has one entry if all weigh the same."""
    for m in range(pairs.shape[0]):
        weight = weights[m] if weights.size > 1 else weights[0]
        add_route(form, int(pairs[m, 0]), int(pairs[m, 1]), weight, counters)
