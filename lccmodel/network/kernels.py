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
    """Add to counters[p] the messages that correct `bit` from node p."""
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
    plus: Counters,
    minus: Counters,
) -> None:
    """Count the channels of an axis of `length` nodes whose coordinate starts at bit `shift`.

    A message takes a run of consecutive channels. Its weight is added where the run begins and
    taken off where the run ends; a running sum along the axis turns these differences into
    loads, in O(1) for a message however far it goes. `weights` has one entry if all messages
    weigh the same. On a ring a message goes the shorter way, in the + direction when both are
    equally long.
    """
    mask, start, side, last = _U(done), _U(shift), _U(length), _U(length - 1)
    for m in range(sources.size):
        here = sources[m] ^ (changes[m] & mask)
        c = here >> start & last
        d = (here ^ changes[m]) >> start & last
        if c == d:
            continue
        weight = np.uint64(weights[m] if weights.size > 1 else weights[0])
        line = here ^ (c << start)
        forward = _U(d - c) & last
        if (forward <= side >> _U(1)) if ring else (c < d):  # tails c, c + 1, ...
            _add_run(plus, line, start, side, c, forward, weight)
        else:  # tails c, c - 1, ..., so from d + 1 upwards
            _add_run(minus, line, start, side, _U(d + _U(1)) & last, _U(side - forward), weight)
    _running_sums(plus, shift, length)
    _running_sums(minus, shift, length)


@kernel
def _add_run(
    counters: Counters,
    line: np.uint32,
    shift: np.uint32,
    side: np.uint32,
    begin: np.uint32,
    run: np.uint32,
    weight: np.uint64,
) -> None:
    """Mark the beginning and the end of a run of channels, which may wrap around."""
    end = begin + run
    counters[line + (begin << shift)] += weight
    if end > side:
        counters[line] += weight
        end -= side
    if end < side:
        counters[line + (end << shift)] -= weight


@kernel
def _running_sums(counters: Counters, shift: int, length: int) -> None:
    stride = 1 << shift
    for block in range(0, counters.size, length * stride):
        for i in range(block + stride, block + length * stride):
            counters[i] += counters[i - stride]
