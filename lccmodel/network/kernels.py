"""Kernels that count the messages on every channel.

Under dimension-ordered routing a message from x to y, when dimension (or axis) k is corrected
next, stands where the bits corrected before k are y's and the others x's:

    p = x xor (d and done),   d = x xor y,   done = mask of the bits corrected before k

so dimensions do not depend on each other. One dimension is done for all messages before the
next one starts: its counters then stay in cache. Everything is unsigned, because a signed index
costs a test for negative values.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel

__all__ = ["axis_loads", "bit_loads", "split", "weighted_bit_loads"]

Words = npt.NDArray[np.uint32]
Counters = npt.NDArray[Any]
"""One-dimensional, uint32 or uint64."""

_U = np.uint32


@kernel
def split(pairs: npt.NDArray[np.uint64], port_bits: int, sources: Words, changes: Words) -> None:
    """Cut messages into their source routers, and source xor destination."""
    shift = np.uint64(port_bits)
    for m in range(pairs.shape[0]):
        sources[m] = pairs[m, 0] >> shift
        changes[m] = (pairs[m, 0] ^ pairs[m, 1]) >> shift


@kernel
def bit_loads(sources: Words, changes: Words, bit: int, done: int, counters: Counters) -> None:
    """Add to counters[p] the number of messages that correct `bit` from node p."""
    waiting = np.empty(sources.size + 1, np.uint32)
    mask, shift = _U(done), _U(bit)
    moving = np.uint64(0)
    for m in range(sources.size):  # collecting without a branch: which bits differ is random
        waiting[moving] = sources[m] ^ (changes[m] & mask)
        moving += np.uint64(changes[m] >> shift & _U(1))
    for i in range(moving):
        counters[waiting[i]] += _U(1)


@kernel
def weighted_bit_loads(
    sources: Words,
    changes: Words,
    weights: npt.NDArray[np.int64],
    bit: int,
    done: int,
    counters: Counters,
) -> None:
    """Like `bit_loads`; message m counts weights[m]."""
    mask, shift = _U(done), _U(bit)
    for m in range(sources.size):
        if changes[m] >> shift & _U(1):
            counters[sources[m] ^ (changes[m] & mask)] += np.uint64(weights[m])


@kernel
def axis_loads(
    sources: Words,
    changes: Words,
    weights: npt.NDArray[np.int64],
    shift: int,
    length: int,
    done: int,
    ring: bool,
    counters: npt.NDArray[Any],
) -> None:
    """Count the channels of an axis of `length` nodes whose coordinate starts at bit `shift`.

    `counters` has two rows, for the + and the - direction. A message takes a run of consecutive
    channels. Its weight is added where the run begins and taken off where the run ends; a
    running sum along the axis turns these differences into loads, in O(1) for a message however
    far it goes. `weights` has one entry if all messages weigh the same. On a ring a message goes
    the shorter way, in the + direction when both are equally long.
    """
    mask, start, side, last = _U(done), _U(shift), _U(length), _U(length - 1)
    one = _U(1)
    for m in range(sources.size):
        here = sources[m] ^ (changes[m] & mask)
        c = here >> start & last
        d = (here ^ changes[m]) >> start & last
        if c == d:
            continue
        weight = np.uint64(weights[m] if weights.size > 1 else weights[0])
        line = here ^ (c << start)
        forward = _U(d - c) & last
        minus = forward > side >> one if ring else d < c
        # + takes tails c, c + 1, ...; - takes c, c - 1, ..., which from below is d + 1, d + 2, ...
        row = np.uint64(minus)
        begin = _U(d + one) & last if minus else c
        end = begin + (side - forward if minus else forward)
        counters[row, line + (begin << start)] += weight
        if end > side:  # the run goes on at the other end of the line
            counters[row, line] += weight
            end -= side
        if end < side:
            counters[row, line + (end << start)] -= weight
    for direction in range(2):
        _running_sums(counters[direction], shift, length)


@kernel
def _running_sums(counters: Counters, shift: int, length: int) -> None:
    """Add up along an axis; the order of the loops keeps neighbours in memory together."""
    stride = 1 << shift
    for block in range(0, counters.size, length * stride):
        if stride == 1:
            total = counters[block]
            for i in range(block + 1, block + length):
                total += counters[i]
                counters[i] = total
        else:
            for i in range(block + stride, block + length * stride):
                counters[i] += counters[i - stride]
