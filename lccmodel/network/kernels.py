"""Kernels that count the messages on every channel, that check a table of routes and make one.

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

from lccmodel.ground.arrays import Ints, Words
from lccmodel.kernels.jit import inlined_kernel, kernel, light_kernel
from lccmodel.network.ring_direction import goes_plus, longest_way

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
    rule: int,
    counters: npt.NDArray[Any],
) -> None:
    """Count the channels of an axis of `length` nodes that are `stride` apart.

    `counters` has two rows, for the + and the - direction. A message takes a run of consecutive
    channels. Its weight is added where the run begins and taken off where the run ends, and a
    running sum along the axis turns these differences into loads, in O(1) for a message however
    far it goes. Lines are closed for that: a run that reaches the end of its line is added to what
    the line starts with. `weights` has one entry if all messages weigh the same. `rule` is 0 on a
    line, 1 on a ring whose ties go +, 2 where they are split (`Geometry.ring_rules`).

    Coordinates are quotients by the same two numbers for all messages: a product with the
    reciprocal in double precision, which is exact for (x + 1/2) / s while x < 2^32. A block of
    messages is worked out without a branch or a counter, so that the compiler does several at
    once, and counted then: that takes half the time.
    """
    per_step, per_side = 1.0 / stride, 1.0 / length
    longest = longest_plus(length) if rule else length
    odd = 1 if rule > 1 else 0
    around = length if rule else 2 * length  # on a line whatever goes back is "too long" for +
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
            row = 1 if run + (around if run < 0 else 0) + (c & odd) > longest else 0
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


_ELSEWHERE, _LOOP, _NOWHERE, _ASTRAY, APART = range(5)
_UNKNOWN, _NEVER = -1, -2
_NONE = 0xFFFFFFFF


@kernel
def check_next(form: Ints, links: Ints, routers: int, partial: bool, fault: Ints) -> int:
    """The longest route from any router with nodes; -1, and in `found` what is wrong and where.

    Args:
        form: `RouteTable.form`, of next channels.
        links: (L, 2), routers.
        routers: how many.
        partial: whether routes may be missing; then `found` says where one is, by fault APART.
        found: out: (fault, router, node, link).
    """
    nodes, hosts, table = form[4], form[5], form[9]
    apart_from, apart_to = -1, -1
    used = np.zeros(routers, np.bool_)
    for x in range(nodes):
        used[form[hosts + x]] = True
    hops = np.empty(routers, np.int64)
    walk = np.empty(routers, np.int64)
    on_walk = np.full(routers, -1, np.int64)
    longest = 0
    for y in range(nodes):
        hops[:] = _UNKNOWN
        hops[form[hosts + y]] = 0
        for start in range(routers):
            if not used[start]:
                continue
            here, steps = start, 0
            stamp = y * routers + start
            while hops[here] == _UNKNOWN:
                at = here * nodes + y
                link = form[table + (at >> 1)] >> (32 * (at & 1)) & _NONE
                if link == _NONE and partial:
                    hops[here] = _NEVER
                    apart_from, apart_to = start, y
                    break
                fault[1], fault[2], fault[3] = here, y, -1 if link == _NONE else link
                if link == _NONE:
                    fault[0] = _NOWHERE
                    return -1
                if links[link, 0] != here:
                    fault[0] = _ELSEWHERE
                    return -1
                if on_walk[here] == stamp:
                    fault[0] = _LOOP
                    return -1
                on_walk[here] = stamp
                walk[steps] = here
                steps += 1
                here = links[link, 1]
            far = hops[here]
            for k in range(steps - 1, -1, -1):
                far = far + 1 if far >= 0 else far
                hops[walk[k]] = far
            longest = max(longest, far)
    if apart_to >= 0:
        fault[0], fault[1], fault[2] = APART, apart_from, apart_to
    return longest


@kernel
def check_lists(
    form: Ints,
    links: Ints,
    routers: int,
    partial: bool,
    first_port: Ints,
    ports: Ints,
    fault: Ints,
) -> int:
    """As `check_next`, where every route is listed.

    Node x has its ports at the routers `ports[first_port[x]:first_port[x + 1]]`. A list without
    links is a route if x and y have a port at one router.
    """
    nodes, table = form[4], form[9]
    listed = table + nodes * nodes + 1
    seen = np.full(routers, -1, np.int64)
    longest = 0
    apart_from, apart_to = -1, -1
    for x in range(nodes):
        for y in range(nodes):
            if x == y:
                continue
            here = ports[first_port[x]]
            pair = x * nodes + y
            begin, end = form[table + pair], form[table + pair + 1]
            if begin < end:
                link = form[listed + (begin >> 1)] >> (32 * (begin & 1)) & _NONE
                for k in range(first_port[x], first_port[x + 1]):
                    if link != _NONE and ports[k] == links[link, 0]:
                        here = ports[k]
            else:
                for k in range(first_port[x], first_port[x + 1]):
                    for j in range(first_port[y], first_port[y + 1]):
                        if ports[k] == ports[j]:
                            here = ports[k]
            seen[here] = pair
            for at in range(begin, end):
                link = form[listed + (at >> 1)] >> (32 * (at & 1)) & _NONE
                fault[1], fault[2], fault[3] = here, y, -1 if link == _NONE else link
                if link == _NONE or links[link, 0] != here:
                    fault[0] = _ELSEWHERE
                    return -1
                here = links[link, 1]
                if seen[here] == pair:
                    fault[0] = _LOOP
                    return -1
                seen[here] = pair
            arrives = False
            for j in range(first_port[y], first_port[y + 1]):
                arrives = arrives or ports[j] == here
            if not arrives and partial and begin == end:
                apart_from, apart_to = ports[first_port[x]], y
            elif not arrives:
                fault[0], fault[1], fault[2], fault[3] = _ASTRAY, ports[first_port[x]], y, here
                return -1
            longest = max(longest, end - begin)
    if apart_to >= 0:
        fault[0], fault[1], fault[2] = APART, apart_from, apart_to
    return longest


@kernel
def shortest_next(
    first: Ints,
    out: Ints,
    links: Ints,
    up: Ints,
    ends: np.ndarray,
    hosts: Ints,
    stride: Ints,
    table: Ints,
) -> None:
    """Next channels of shortest routes.

    Up*/down* is meant where `up` holds directions, else plain shortest routes. There, where a way
    down exists, none but ways down are taken: so a message never turns up again.

    Args:
        first, out: the links that leave router r are out[first[r]] .. out[first[r + 1] - 1].
        links: (L, 2).
        up: (L,), 1 for up and 0 for down; or (0,).
        ends: (routers,), whether messages begin and end there and never pass.
        hosts: (nodes,).
        stride: (routers,): of c equally good links take number y // stride mod c; the first if 0.
        table: out, (routers, nodes), -1 where no way leads.
    """
    routers, nodes = table.shape
    far = np.empty(routers, np.int64)
    down = np.empty(routers, np.bool_)
    queue = np.empty(routers, np.int64)
    last = -1
    for y in range(nodes):
        goal = hosts[y]
        if goal != last:  # distances are those of its router
            last = goal
            far[:] = -1
            down[:] = False
            far[goal], down[goal] = 0, True
            queue[0] = goal
            head, tail = 0, 1
            while head < tail:
                r = queue[head]
                head += 1
                if ends[r] and r != goal:
                    continue
                for i in range(first[r], first[r + 1]):
                    s = links[out[i], 1]  # the way from s to r is down where that from r is up
                    if far[s] < 0 and (up.size == 0 or up[out[i]] == 1):
                        far[s], down[s] = far[r] + 1, True
                        queue[tail] = s
                        tail += 1
            if up.size:
                _add_ways_up(first, out, links, up, ends, far)
        for r in range(routers):
            table[r, y] = -1
            if r == goal or far[r] < 0:
                continue
            good, wanted = 0, 0
            for turn in range(2):
                count = 0
                for i in range(first[r], first[r + 1]):
                    s = links[out[i], 1]
                    fits = far[s] >= 0 and far[s] == far[r] - 1 and (s == goal or not ends[s])
                    if fits and up.size:
                        fits = down[s] and up[out[i]] == 0 if down[r] else up[out[i]] == 1
                    if fits:
                        if turn == 1 and count == wanted:
                            table[r, y] = out[i]
                        count += 1
                if turn == 0:
                    good = count
                    if stride[r] > 0 and good > 0:
                        wanted = y // stride[r] % good


@kernel
def _add_ways_up(
    first: Ints, out: Ints, links: Ints, up: Ints, ends: np.ndarray, far: Ints
) -> None:
    """Distances of routers without a way down: up, and on as the router there goes on."""
    d = 0
    while d <= far.max():  # nearest first
        for r in range(far.size):
            if far[r] == d and (d == 0 or not ends[r]):
                for i in range(first[r], first[r + 1]):
                    s = links[out[i], 1]
                    if up[out[i]] == 0 and far[s] < 0:
                        far[s] = d + 1
        d += 1


@kernel
def routes_through_groups(
    table: Ints,
    links: Ints,
    hosts: Ints,
    group: Ints,
    drawn: np.ndarray,
    first: Ints,
    flat: np.ndarray,
) -> None:
    """Lists of routes that go by a third group, by the table to it and on.

    Args:
        table: (routers, nodes), next links.
        links, hosts: as in `RouteTable`.
        group: (nodes,), the group of every node; groups are numbered one after another and alike.
        drawn: (nodes²,), which of the other groups x and y go by; in one group by the table.
        first: out, (nodes² + 1,), where the route from x to y begins.
        flat: out, the links of all routes; where it is empty, they are only counted.
    """
    nodes = len(hosts)
    groups = group[nodes - 1] + 1
    group_size = nodes // groups
    filled = 0
    for x in range(nodes):
        for y in range(nodes):
            first[x * nodes + y] = filled
            here, goal = hosts[x], hosts[y]
            some = -1
            if group[x] != group[y] and groups > 2:
                third = np.int64(drawn[x * nodes + y])
                low, high = min(group[x], group[y]), max(group[x], group[y])
                third += 1 if third >= low else 0
                third += 1 if third >= high else 0
                some = third * group_size  # any node there: the way to the group is the same
                while here // (hosts[group_size - 1] + 1) != third:
                    link = table[here, some]
                    if flat.size:
                        flat[filled] = link
                    filled += 1
                    here = links[link, 1]
            while here != goal:
                link = table[here, y]
                if flat.size:
                    flat[filled] = link
                filled += 1
                here = links[link, 1]
    first[nodes * nodes] = filled
