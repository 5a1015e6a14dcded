"""The links of a fat tree, counted for all levels in one look at the messages.

A message is named by one of its ends, z: its destination (D-mod-k) or its source (S-mod-k). On
the side of that end - down for D-mod-k, up for S-mod-k - its link between levels l and l + 1 is

    z mod W_(l+1) + W_(l+1) (z div M_l)                             `network.fattree`

and depends on z alone. So these links need only a histogram: how many messages of name z turn at
level 2, 3, ..., added up from the highest level down. On the other side the link mixes both ends,
z mod W_(l+1) + W_(l+1) (x div M_l), and every message is counted at every level that it passes.

Where messages count 1 each, counters are bytes: a quarter of the memory, so that a level stays in
the cache. One that wraps round to 0 carries 256 to the true counters, which happens rarely.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints, Words
from lccmodel.kernels.jit import inlined_kernel, light_kernel, lowest_bit

Counters = npt.NDArray[Any]

_BLOCK = 1024
"""Messages (or hosts) that are worked out before they are counted."""

_ONE = np.ones(1, np.int64)


def count_tree(
    table: Ints,
    hosts: int,
    by_source: bool,
    pairs: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64] | None,
    counts: Counters,
) -> None:
    """Add the messages to `counts`, unsigned and of the shape `FatTree.counter_shape`.

    *Requires* hosts times levels of links below 2^32: places in the histogram fit a word.

    Args:
        table: (levels of links, 2): M_l and W_(l+1) for l = 1, 2, ...
        hosts: how many there are.
        by_source: messages are routed by their sources.
        pairs, weights: source and destination of each message; what it counts, or None for 1.
    """
    if not len(table) or not len(pairs):
        return
    side = int(by_source)  # of the links that mix both ends: 0 up, 1 down
    rows = counts.reshape(len(table), 2, -1)
    pairs = np.ascontiguousarray(pairs).view()
    pairs.flags.writeable = False  # one type for the kernel, whoever calls
    if weights is None:
        mixed = np.zeros((len(table), 1, rows.shape[2]), np.uint8)
        turning = np.zeros((len(table), hosts), np.uint8)
        over = np.empty(len(pairs) // 256 + 1, np.uint32)
        times = _pass(pairs, _ONE, table, side, mixed, turning, rows, over)
        _widen(mixed, rows, side)
        carried = np.zeros(turning.shape if times else (len(table), 0), counts.dtype)
        np.add.at(carried.reshape(-1), over[:times], 256)
        _settle(table, turning, carried, rows, side)
    else:
        turning = np.zeros((len(table), hosts), counts.dtype)
        _pass(pairs, weights, table, side, rows, turning, rows, np.empty(0, np.uint32))
        _settle(table, turning, turning[:, :0], rows, side)


@inlined_kernel
def _wraps(counters: Counters, place: int, move: int) -> bool:
    """Add to a counter; whether it is of one byte and has wrapped."""
    sum_here = np.uint64(counters[place]) + np.uint64(move)
    counters[place] = sum_here
    return bool(sum_here == np.uint64(256) and counters.itemsize == 1)


@inlined_kernel
def _count(
    places: Words, moves: Counters, count: int, counters: Counters, carried: Counters
) -> None:
    """Add moves[i] at places[i]; a counter that wraps carries 256."""
    for i in range(count):
        if _wraps(counters, places[i], moves[i]):
            carried[places[i]] += np.uint64(256)


@inlined_kernel
def _count_and_list(
    places: Words, moves: Counters, count: int, counters: Counters, over: Words, times: int
) -> int:
    """Add moves[i] at places[i]; the place of a counter that wraps is listed. How many are."""
    for i in range(count):
        if _wraps(counters, places[i], moves[i]):
            over[times] = places[i]
            times += 1
    return times


@inlined_kernel
def _weighed(moves: Counters, weights: Ints, block: int, count: int) -> None:
    """Messages that move count what they weigh; `weights` has one entry if all weigh the same."""
    if weights.size > 1:
        for i in range(count):
            moves[i] *= np.uint64(weights[block + i])
    elif weights[0] != 1:
        for i in range(count):
            moves[i] *= np.uint64(weights[0])


@light_kernel
def _pass(
    pairs: npt.NDArray[np.uint64],
    weights: Ints,
    table: Ints,
    side: int,
    mixed: Counters,
    turning: Counters,
    carried_mixed: Counters,
    over: Words,
) -> int:
    """Count mixed links level by level, and messages by name and the level where they turn.

    Row l - 1 of `table` is M_l, W_(l+1); of `turning`, what turns at level l + 1. `mixed` has a
    row for every level and perhaps side. Blocks are worked out without a branch, so that the
    compiler does several messages at once; as a function of its own, that loop took half as long
    again. Quotients are shifts, or products with the reciprocal in double precision, which are
    exact for (x + 1/2) / s while x < 2^32. A counter of `turning` that wraps is listed in `over`
    each time; returns how often that was.
    """
    levels, hosts = turning.shape
    flat = turning.reshape(-1)
    own = side if mixed.shape[1] > 1 else 0
    ends, names, places, passed = np.empty((4, _BLOCK), np.uint32)
    moves = np.empty(_BLOCK, turning.dtype)
    times = 0
    for block in range(0, pairs.shape[0], _BLOCK):
        count = min(_BLOCK, pairs.shape[0] - block)
        part = pairs[block : block + count]
        for i in range(count):
            ends[i], names[i] = part[i, 0], part[i, 1]
            passed[i] = 0
        if side:
            ends, names = names, ends
        for level in range(levels):
            below, reach = table[level, 0], table[level, 1]
            if below & (below - 1) == 0 and reach & (reach - 1) == 0:
                shift, mask = np.uint32(lowest_bit(np.uint64(below))), np.uint32(reach - 1)
                width = np.uint32(lowest_bit(np.uint64(reach)))
                for i in range(count):
                    x = ends[i] >> shift
                    places[i] = x << width | names[i] & mask
                    moving = np.uint32(1) if x != names[i] >> shift else np.uint32(0)
                    passed[i] += moving
                    moves[i] = moving
            else:
                per_below, per_reach = 1.0 / below, 1.0 / reach
                for i in range(count):
                    above, name = np.int64((np.int64(ends[i]) + 0.5) * per_below), names[i]
                    middle = np.int64(name) + 0.5
                    places[i] = above * reach + (name - np.int64(middle * per_reach) * reach)
                    moving = np.uint32(1) if above != np.int64(middle * per_below) else np.uint32(0)
                    passed[i] += moving
                    moves[i] = moving
            _weighed(moves, weights, block, count)
            _count(places, moves, count, mixed[level, own], carried_mixed[level, side])
        for i in range(count):
            moving = np.uint32(1) if passed[i] > 0 else np.uint32(0)
            places[i] = (passed[i] - moving) * np.uint32(hosts) + names[i]
            moves[i] = moving
        _weighed(moves, weights, block, count)
        times = _count_and_list(places, moves, count, flat, over, times)
        if side:
            ends, names = names, ends
    return times


@light_kernel
def _widen(mixed: Counters, counts: Counters, side: int) -> None:
    """Add bytes to the true counters."""
    for level in range(mixed.shape[0]):
        row, narrow = counts[level, side], mixed[level, 0]
        for i in range(row.size):
            row[i] += narrow[i]


@light_kernel
def _settle(table: Ints, turning: Counters, carried: Counters, counts: Counters, side: int) -> None:
    """From messages by name and turn to links: whoever turns higher passes the lower ones too.

    `carried` is as large as `turning`, or empty if no counter wrapped.
    """
    levels, hosts = turning.shape
    passing = np.empty(_BLOCK, counts.dtype)
    for block in range(0, hosts, _BLOCK):
        count = min(_BLOCK, hosts - block)
        passing[:] = 0
        for level in range(levels - 1, -1, -1):
            here = turning[level, block : block + count]  # slices: no test for negative indices
            for i in range(count):
                passing[i] += here[i]
            if carried.size:
                over = carried[level, block : block + count]
                for i in range(count):
                    passing[i] += over[i]
            row, below, reach = counts[level, 1 - side], table[level, 0], table[level, 1]
            if below == reach:  # the link of z is number z
                part = row[block : block + count]
                for i in range(count):
                    part[i] = passing[i]
            else:
                for i in range(count):
                    z = block + i
                    row[z // below * reach + z % reach] += passing[i]
