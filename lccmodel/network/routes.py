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

from lccmodel._arrays import Ints
from lccmodel._jit import inlined_kernel, kernel, lowest_bit
from lccmodel.network.kernels import CUBE, GRID, plus_kernel


@inlined_kernel
def next_run(form: Ints, here: int, goal: int, tie: int) -> tuple[int, int, int, int, int]:
    """The run of channels that a message on a grid takes next; *requires* here != goal.

    Returns: (row of counters, coordinate, channels, stride, length) along the first axis in which
        the routers differ; the row says the direction, + even and - odd.
    """
    stride = 1
    for axis in range(form[3]):
        length = form[4 + 2 * axis]
        if length & (length - 1):
            c, d = here % length, goal % length
            here, goal = here // length, goal // length
        else:  # a shift costs a twentieth of a division
            c, d, bits = here & (length - 1), goal & (length - 1), lowest_bit(np.uint64(length))
            here, goal = here >> bits, goal >> bits
        if c != d:
            plus = d > c
            ahead = d - c if plus else d - c + length
            if form[5 + 2 * axis]:
                plus = plus_kernel(ahead, length, c, d, tie)
            run = ahead if plus else length - ahead
            return 2 * axis + (0 if plus else 1), c, run, stride, length
        stride *= length
    return -1, 0, 0, 1, 1


@inlined_kernel
def next_place(here: int, c: int, row: int, stride: int, length: int) -> tuple[int, int]:
    """Router and coordinate one channel on, in the direction of the row; round at the end."""
    if row & 1:
        if c == 0:
            return here + (length - 1) * stride, length - 1
        return here - stride, c - 1
    if c == length - 1:
        return here - c * stride, 0
    return here + stride, c + 1


@kernel
def write_route(form: Ints, x: int, y: int, tie: int, out: Ints, back: Ints) -> int:
    """List the channels of a message from node x to y; how many there are.

    One function for all networks: a helper that is inlined counts references to its arrays, and
    one that is called costs as much as a short route.

    Args:
        form: `Network.form`.
        tie: number of the tie rule for half a ring.
        out: receives the channels, as row * columns + column of `ChannelLoads.counts`; *requires*
            room for the longest route.
        back: receives for each the channel of the same link in the other direction; as long as
            `out`, or without entries if nobody asks.
    """
    kind, columns, shared = form[0], form[1], form[2]
    if shared > 1:
        x, y = x // shared, y // shared
    if x == y:
        return 0
    here, hops = x, 0
    if kind == CUBE:
        while here != y:
            bit = lowest_bit(np.uint64(here ^ y))
            row = (bit + form[4]) * columns
            out[hops] = row + here
            here ^= 1 << bit
            if back.size:
                back[hops] = row + here
            hops += 1
        return hops

    if kind == GRID:  # x and y lose the digits that are done
        stride = 1
        for axis in range(form[3]):
            length = form[4 + 2 * axis]
            if length & (length - 1):
                c, d = x % length, y % length
                x, y = x // length, y // length
            else:
                c, d, bits = x & (length - 1), y & (length - 1), lowest_bit(np.uint64(length))
                x, y = x >> bits, y >> bits
            if c != d:
                plus = d > c
                if form[5 + 2 * axis]:
                    plus = plus_kernel(d - c if plus else d - c + length, length, c, d, tie)
                row, first = 2 * axis + (0 if plus else 1), hops
                line = here - c * stride
                if plus:
                    while c != d:
                        out[hops] = row * columns + line + c * stride
                        hops += 1
                        c = c + 1 if c + 1 < length else 0
                else:
                    while c != d:
                        out[hops] = row * columns + line + c * stride
                        hops += 1
                        c = c - 1 if c > 0 else length - 1
                here = line + d * stride
                if back.size:  # the other channel of a link leaves the router that is next
                    other = ((row ^ 1) - row) * columns
                    for k in range(first, hops - 1):
                        back[k] = out[k + 1] + other
                    back[hops - 1] = (row ^ 1) * columns + here
            if x == y:
                return hops
            stride *= length

    # a fat tree: up from the front, down from the end; then both are joined
    names, room = x if form[4] else y, out.size
    for level in range(1, form[3]):
        hosts, switches = form[3 + 2 * level], form[4 + 2 * level]
        above, beside = x // hosts, y // hosts
        if above == beside:
            break
        base, low = (2 * level - 2) * columns, names % switches
        up, down = base + above * switches + low, base + beside * switches + low
        hops += 1
        out[hops - 1], out[room - hops] = up, down + columns
        if back.size:
            back[hops - 1], back[room - hops] = up + columns, down
    for j in range(hops):
        out[hops + j] = out[room - hops + j]
        if back.size:
            back[hops + j] = back[room - hops + j]
    return 2 * hops
