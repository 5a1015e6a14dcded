"""The channels of a message's route, for kernels that look at every one of them.

A replay has to know each channel, the one in the other direction, and stop in between.
`write_route` lists them, with a tie rule for half a ring. It reads a network from a few integers,
`Network.form`: kind, columns of counters, nodes at a router; then

    cube        dimensions, row of bit 0
    grid        axes; then for each its length and whether it is a ring
    fat tree    levels, 1 if routed by source; then for level l = 1, 2, ...: M_l and W_(l+1),
                hosts below a switch of level l and switches of level l + 1 that can be reached
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._jit import inlined_kernel, lowest_bit
from lccmodel.network.kernels import CUBE, FAT_TREE, GRID, ring_run

__all__ = ["advanced", "next_run", "write_route"]

Ints = npt.NDArray[np.int64]


@inlined_kernel
def next_run(form: Ints, here: int, goal: int, tie: int) -> tuple[int, int, int, int, int]:
    """The run of channels that a message on a grid takes next; *requires* here != goal.

    Returns: (row of counters, coordinate, channels, stride, length) along the first axis in which
        the routers differ; the row says the direction, + even and - odd.
    """
    stride = 1
    for axis in range(form[3]):
        length, ring = form[4 + 2 * axis], form[5 + 2 * axis]
        if length & (length - 1):
            c, d = here % length, goal % length
            here, goal = here // length, goal // length
        else:  # a shift costs a twentieth of a division
            c, d, bits = here & (length - 1), goal & (length - 1), lowest_bit(np.uint64(length))
            here, goal = here >> bits, goal >> bits
        if c != d:
            run = d - c
            if ring:
                run = ring_run(c, d, length, True, tie)
            return 2 * axis + (run < 0), c, abs(run), stride, length
        stride *= length
    return -1, 0, 0, 1, 1


@inlined_kernel
def advanced(here: int, c: int, row: int, stride: int, length: int) -> tuple[int, int]:
    """Router and coordinate one channel on, in the direction of the row; round at the end."""
    if row & 1:
        if c == 0:
            return here + (length - 1) * stride, length - 1
        return here - stride, c - 1
    if c == length - 1:
        return here - c * stride, 0
    return here + stride, c + 1


@inlined_kernel
def write_route(form: Ints, x: int, y: int, tie: int, out: Ints, back: Ints) -> int:
    """List the channels of a message from node x to y; how many there are.

    Args:
        form: `Network.form`.
        tie: number of the tie rule for half a ring.
        out: receives the channels, as row * columns + column of `ChannelLoads.counts`.
        back: receives for each the channel of the same link in the other direction.
    """
    kind, columns, shared = form[0], form[1], form[2]
    hops = 0
    if kind == CUBE:
        here, goal = x // shared, y // shared
        while here != goal:
            bit = lowest_bit(np.uint64(here ^ goal))
            out[hops] = (bit + form[4]) * columns + here
            here ^= 1 << bit
            back[hops] = (bit + form[4]) * columns + here
            hops += 1
    elif kind == GRID:
        here, goal = x // shared, y // shared
        while here != goal:
            row, c, run, stride, length = next_run(form, here, goal, tie)
            forth, opposite = row * columns, (row ^ 1) * columns
            for _ in range(run):
                out[hops] = forth + here
                here, c = advanced(here, c, row, stride, length)
                back[hops] = opposite + here
                hops += 1
    elif kind == FAT_TREE:
        hops = _write_fat_tree(form, columns, x // shared, y // shared, out, back)
    return hops


@inlined_kernel
def _write_fat_tree(form: Ints, columns: int, x: int, y: int, out: Ints, back: Ints) -> int:
    """Up to the first switch above both, and down."""
    names = x if form[4] else y
    top = 1
    while top < form[3] and x // form[3 + 2 * top] != y // form[3 + 2 * top]:
        top += 1
    for level in range(1, top):
        hosts, switches = form[3 + 2 * level], form[4 + 2 * level]
        row, low = (2 * level - 2) * columns, names % switches
        up, down = x // hosts * switches + low, y // hosts * switches + low
        out[level - 1], back[level - 1] = row + up, row + columns + up
        last = 2 * top - 2 - level
        out[last], back[last] = row + columns + down, row + down
    return 2 * (top - 1)
