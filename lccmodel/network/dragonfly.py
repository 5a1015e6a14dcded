"""Dragonflies [kim]: groups of routers, joined by global links; every two groups have one.

A group has a routers, every two of them linked; a router has p nodes and h global links. With
a h + 1 groups every two groups are joined by one global link. Node x is at router x div p, router
r in group r div a. Port k = h (r mod a) + j is the j-th global link of router r; it leads to

    absolute     group k, or k + 1 where k is not below the group's own number
    relative     group g + k + 1
    circulant    group g + k/2 + 1 where k is even, g - (k + 1)/2 where it is odd

modulo the number of groups [hastings]. By hand, dragonfly:1,2,1 has 3 groups of 2 routers; in the
relative arrangement the ports of group 0 lead to 1 and 2, of 1 to 2 and 0, of 2 to 0 and 1:

    0 - 1   2 - 3   4 - 5    local links
    0 -> group 1, where the link to group 0 is port 1: router 3;  1 - 4;  2 - 5

Routes are minimal (local, global, local) or Valiant's: minimal to a group that neither node is in,
and from the router where they arrive minimally on. Which group that is follows from a seed, for
every pair of nodes by itself; messages within a group go the minimal way.

[kim] J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
topology", ISCA 2008. [hastings] E. Hastings et al., "Comparing global link arrangements for
dragonfly networks", CLUSTER 2015.
"""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Array, Ints
from lccmodel.errors import NetworkError, checked_integer
from lccmodel.network.graphs import Cabling, check_entries
from lccmodel.network.table import RouteTable, wired

ARRANGEMENTS = ("absolute", "relative", "circulant")
ROUTINGS = ("minimal", "valiant")

_MOST_LISTED = 1 << 24
"""Most pairs of nodes whose routes are listed one by one."""


def dragonfly(
    p: int,
    a: int,
    h: int,
    routing: str = "minimal",
    arrangement: str = "absolute",
    seed: int = 0,
) -> RouteTable:
    """The dragonfly of a h + 1 groups; dimension 0 are the local links, 1 the global ones.

    Args:
        p: nodes at a router.
        a: routers in a group.
        h: global links of a router.
        routing: "minimal" or "valiant".
        arrangement: of the global links, "absolute", "relative" or "circulant".
        seed: of the groups that Valiant's routes go through.

    Raises:
        NetworkError: an unknown routing or arrangement; circulant with an odd a h.
        InputError: numbers below 1.
        SizeLimitError: a table of more than 2^28 entries, or lists of more than 2^24 routes.

    >>> small = dragonfly(2, 4, 2)
    >>> small.size, small.routers, small.n_channels, small.diameter
    (72, 36, 180, 3)
    >>> small.kinds, dragonfly(1, 2, 1, "valiant").diameter
    ((0, 1), 5)
    """
    p, a, h = (checked_integer(name, n, least=1) for name, n in zip("pah", (p, a, h), strict=True))
    for name, value, known in (
        ("routing", routing, ROUTINGS), ("arrangement", arrangement, ARRANGEMENTS),
    ):  # fmt: skip
        if value not in known:
            raise NetworkError(name, f"must be one of {', '.join(known)}", value)
    seed = checked_integer("seed", seed)
    routers, nodes = a * (a * h + 1), p * a * (a * h + 1)
    check_entries(routers * nodes)
    to = _far_groups(a * h, arrangement)
    links, local, over = _wired(a, h, to)
    cabling = Cabling(
        links=links,
        hosts=np.arange(nodes) // p,
        routers=routers,
        bandwidth=[1] * len(links),
        dimension=[0] * (routers * (a - 1)) + [1] * (routers * h),
    )
    word = f"dragonfly:{p},{a},{h}"
    word += "" if routing == ROUTINGS[0] else f",routing={routing}"
    word += "" if arrangement == ARRANGEMENTS[0] else f",arrangement={arrangement}"
    word += "" if not seed else f",seed={seed}"
    levels = (p, p * a, nodes)
    table = _minimal(cabling, a, local, over)
    if routing == ROUTINGS[0]:
        return wired(cabling, table, word, levels)
    if nodes**2 > _MOST_LISTED:
        check_entries(1 << 40)
    return wired(cabling, _valiant(cabling, a, p, table, seed), word, levels)


def _far_groups(ports: int, arrangement: str) -> Ints:
    """(groups, ports): where the global ports of every group lead."""
    group, k = np.arange(ports + 1)[:, None], np.arange(ports)
    if arrangement == "absolute":
        return k + (k >= group)
    if arrangement == "relative":
        return (group + k + 1) % (ports + 1)
    if ports % 2:
        raise NetworkError("arrangement", "circulant takes an even a h", ports)
    step = np.where(k % 2 == 0, k // 2 + 1, -(k + 1) // 2)
    return (group + step) % (ports + 1)


def _wired(a: int, h: int, to: Ints) -> tuple[Ints, Ints, Ints]:
    """All links; (a, a) local links of group 0, -1 within a router; (groups, groups) global ones.

    Local links come first, those of group g (a - 1) a g later than those of group 0.
    """
    groups = len(to)
    i, j = np.nonzero(~np.eye(a, dtype=bool))
    first = np.arange(groups)[:, None] * a
    inside = np.stack([(first + i).ravel(), (first + j).ravel()], axis=1)
    local = np.full((a, a), -1, np.int64)
    local[i, j] = np.arange(len(i))
    port = np.empty((groups, groups), np.int64)  # which port of a group leads to another
    here = np.arange(groups)[:, None]
    port[here, to] = np.arange(a * h)
    back = port[to, here]
    between = np.stack(
        [(here * a + np.arange(a * h) // h).ravel(), (to * a + back // h).ravel()], 1
    )
    over = np.full((groups, groups), -1, np.int64)
    over[here, to] = len(inside) + np.arange(groups * a * h).reshape(groups, -1)
    return np.concatenate([inside, between]), local, over


def _minimal(cabling: Cabling, a: int, local: Ints, over: Ints) -> Ints:
    """(routers, nodes): the next link of minimal routes."""
    router, goal = np.arange(cabling.routers)[:, None], cabling.hosts[None, :]
    group, far = router // a, goal // a
    start = cabling.links[:, 0]
    gate = np.where(group == far, goal, start[over[group, far]])  # the router of the group to go to
    inside = local[router % a, gate % a] + group * len(local) * (len(local) - 1)
    found = np.where(gate == router, over[group, far], inside)
    return np.where(router == goal, -1, found).astype(np.int64)


def _valiant(cabling: Cabling, a: int, p: int, table: Ints, seed: int) -> tuple[Ints, Array]:
    """Routes through a third group for nodes of two groups: where each begins, and all links."""
    from lccmodel.network.table_kernels import routes_through_groups

    nodes = len(cabling.hosts)
    group, first = np.arange(nodes) // (p * a), np.empty(nodes * nodes + 1, np.int64)
    links, flat = np.ascontiguousarray(cabling.links), np.empty(0, np.int32)
    others = max(1, int(group[-1]) - 1)
    drawn = np.random.default_rng(seed).integers(0, others, nodes * nodes, np.int32)
    for _ in range(2):  # counted, then filled
        routes_through_groups(table, links, cabling.hosts, group, drawn, first, flat)
        flat = np.empty(int(first[-1]), np.int32) if not flat.size else flat
    return first, flat
