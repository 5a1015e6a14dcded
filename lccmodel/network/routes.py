"""The channels of a message's route, for kernels that look at every one of them.

A replay has to know each channel, the one in the other direction, and stop in between.
`write_route` lists them, with a tie rule for half a ring. It reads a network from a few integers,
`Network.form`: kind, columns of counters, nodes at a router; then

    cube        dimensions, row of bit 0
    grid        axes; then for each its length, and 0 if it is a line, 1 + the tie rule of a ring
    fat tree    levels, 1 if routed by source; then for level l = 1, 2, ...: M_l and W_(l+1),
                hosts below a switch of level l and switches of level l + 1 that can be reached
    table       1 if every route is listed, else 0 for a table of next channels; nodes; then where
                in the form stand: routers of the nodes, counters of the links, heads of the links,
                counters of the links back, the table (`network.table`)

Where the third integer is below 0, only some nodes of a network are there (`network.allocation`):
at its negative stand what they are in the network's own numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel, light_kernel, lowest_bit
from lccmodel.network.kernels import CUBE, GRID, TABLE, plus_kernel
from lccmodel.network.ring_direction import PLUS


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
                plus = plus_kernel(ahead, length, c, d, max(tie, form[5 + 2 * axis] - 1))
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


@light_kernel
def write_route(form: Ints, x: int, y: int, tie: int, out: Ints, back: Ints) -> int:
    """List the channels of a message from node x to y; how many there are.

    One function for all networks: a helper that is inlined counts references to its arrays, and
    one that is called costs as much as a short route.

    Args:
        form: `Network.form`.
        tie: number of the tie rule for half a ring; PLUS leaves it to the network.
        out: receives the channels, as row * columns + column of `ChannelLoads.counts`; *requires*
            room for the longest route.
        back: receives for each the channel of the same link in the other direction; as long as
            `out`, or without entries if nobody asks.
    """
    kind, columns, shared = form[0], form[1], form[2]
    if shared > 1:
        x, y = x // shared, y // shared
    elif shared < 0:
        x, y = form[x - shared], form[y - shared]
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
                    rule = max(tie, form[5 + 2 * axis] - 1)
                    plus = plus_kernel(d - c if plus else d - c + length, length, c, d, rule)
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

    if kind == TABLE:
        nodes, counter, heads, reverse, table = form[4], form[6], form[7], form[8], form[9]
        if form[3]:
            pair = table + x * nodes + y
            begin, listed = form[pair], table + nodes * nodes + 1
            hops = int(form[pair + 1] - begin)
            for i in range(hops):
                at = begin + i
                link = form[listed + (at >> 1)] >> (32 * (at & 1)) & 0xFFFFFFFF
                out[i] = form[counter + link]
                if back.size:
                    back[i] = form[reverse + link]
            return hops
        here, goal = form[form[5] + x], form[form[5] + y]
        while here != goal:
            at = here * nodes + y
            link = form[table + (at >> 1)] >> (32 * (at & 1)) & 0xFFFFFFFF
            out[hops] = form[counter + link]
            if back.size:
                back[hops] = form[reverse + link]
            hops += 1
            here = form[heads + link]
        return hops

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


@light_kernel
def count_routes(
    form: Ints, longest: int, pairs: Ints, weights: Ints, counts: npt.NDArray[Any]
) -> None:
    """Add what messages weigh to the counters of their routes.

    Args:
        form: `Network.form`.
        longest: channels of the longest route.
        pairs: (m, 2), nodes.
        weights: (m,), or (1,) if all weigh the same.
        counts: unsigned, by `row * columns + column`.
    """
    out, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    for m in range(len(pairs)):
        weight = np.uint64(weights[m if len(weights) > 1 else 0])
        for i in range(write_route(form, pairs[m, 0], pairs[m, 1], PLUS, out, back)):
            counts[out[i]] += weight


@light_kernel
def crosses(form: Ints, longest: int, pairs: Ints, channel: int) -> npt.NDArray[np.bool_]:
    """Whether each message takes a channel, by its counter."""
    out, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    crossing = np.zeros(len(pairs), np.bool_)
    for m in range(len(pairs)):
        for i in range(write_route(form, pairs[m, 0], pairs[m, 1], PLUS, out, back)):
            crossing[m] = crossing[m] or out[i] == channel
    return crossing


@kernel
def longest_route(form: Ints, room: int, nodes: int) -> int:
    """Channels of the longest route between two of so many nodes; `room` is no less."""
    out, back = np.empty(room + 1, np.int64), np.empty(0, np.int64)
    longest = 0
    for x in range(nodes):
        for y in range(nodes):
            longest = max(longest, write_route(form, x, y, PLUS, out, back))
    return longest
