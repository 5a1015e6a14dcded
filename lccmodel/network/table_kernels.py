"""Kernels that check a table of routes and that make one."""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel

_ELSEWHERE, _LOOP, _NOWHERE, _ASTRAY = range(4)
_NONE = 0xFFFFFFFF


@kernel
def check_next(form: Ints, links: Ints, routers: int, found: Ints) -> int:
    """The longest route from any router with nodes; -1, and in `found` what is wrong and where.

    Args:
        form: `RouteTable.form`, of next channels.
        links: (L, 2), routers.
        routers: how many.
        found: out: (fault, router, node, link).
    """
    nodes, hosts, table = form[4], form[5], form[9]
    used = np.zeros(routers, np.bool_)
    for x in range(nodes):
        used[form[hosts + x]] = True
    hops = np.empty(routers, np.int64)
    walk = np.empty(routers, np.int64)
    on_walk = np.full(routers, -1, np.int64)
    longest = 0
    for y in range(nodes):
        hops[:] = -1
        hops[form[hosts + y]] = 0
        for start in range(routers):
            if not used[start]:
                continue
            here, steps = start, 0
            stamp = y * routers + start
            while hops[here] < 0:
                at = here * nodes + y
                link = form[table + (at >> 1)] >> (32 * (at & 1)) & _NONE
                found[1], found[2], found[3] = here, y, -1 if link == _NONE else link
                if link == _NONE:
                    found[0] = _NOWHERE
                    return -1
                if links[link, 0] != here:
                    found[0] = _ELSEWHERE
                    return -1
                if on_walk[here] == stamp:
                    found[0] = _LOOP
                    return -1
                on_walk[here] = stamp
                walk[steps] = here
                steps += 1
                here = links[link, 1]
            far = hops[here]
            for k in range(steps - 1, -1, -1):
                far += 1
                hops[walk[k]] = far
            longest = max(longest, far)
    return longest


@kernel
def check_lists(form: Ints, links: Ints, routers: int, found: Ints) -> int:
    """As `check_next`, where every route is listed."""
    nodes, hosts, table = form[4], form[5], form[9]
    listed = table + nodes * nodes + 1
    seen = np.full(routers, -1, np.int64)
    longest = 0
    for x in range(nodes):
        for y in range(nodes):
            if x == y:
                continue
            here = form[hosts + x]
            pair = x * nodes + y
            seen[here] = pair
            begin, end = form[table + pair], form[table + pair + 1]
            for at in range(begin, end):
                link = form[listed + (at >> 1)] >> (32 * (at & 1)) & _NONE
                found[1], found[2], found[3] = here, y, -1 if link == _NONE else link
                if link == _NONE or links[link, 0] != here:
                    found[0] = _ELSEWHERE
                    return -1
                here = links[link, 1]
                if seen[here] == pair:
                    found[0] = _LOOP
                    return -1
                seen[here] = pair
            if here != form[hosts + y]:
                found[0], found[1], found[2], found[3] = _ASTRAY, form[hosts + x], y, here
                return -1
            longest = max(longest, end - begin)
    return longest


@kernel
def shortest_next(
    first: Ints, out: Ints, links: Ints, up: Ints, hosts: Ints, stride: Ints, table: Ints
) -> None:
    """Next channels of shortest routes.

    Up*/down* is meant where `up` holds directions, else plain shortest routes. There, where a way
    down exists, none but ways down are taken: so a message never turns up again.

    Args:
        first, out: the links that leave router r are out[first[r]] .. out[first[r + 1] - 1].
        links: (L, 2).
        up: (L,), 1 for up and 0 for down; or (0,).
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
                for i in range(first[r], first[r + 1]):
                    s = links[out[i], 1]  # the way from s to r is down where that from r is up
                    if far[s] < 0 and (up.size == 0 or up[out[i]] == 1):
                        far[s], down[s] = far[r] + 1, True
                        queue[tail] = s
                        tail += 1
            if up.size:
                _add_ways_up(first, out, links, up, far)
        for r in range(routers):
            table[r, y] = -1
            if r == goal or far[r] < 0:
                continue
            good, wanted = 0, 0
            for turn in range(2):
                count = 0
                for i in range(first[r], first[r + 1]):
                    s = links[out[i], 1]
                    fits = far[s] >= 0 and far[s] == far[r] - 1
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
def _add_ways_up(first: Ints, out: Ints, links: Ints, up: Ints, far: Ints) -> None:
    """Distances of routers without a way down: up, and on as the router there goes on."""
    d = 0
    while d <= far.max():  # nearest first
        for r in range(far.size):
            if far[r] == d:
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
    each = nodes // groups
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
                some = third * each  # any node there: the way to the group is the same
                while here // (hosts[each - 1] + 1) != third:
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
