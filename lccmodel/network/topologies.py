"""HyperX, twisted tori, slim flies and dragonflies, by their links.

HyperX [ahn]. Routers on a grid S_1 x S_2 x ...; along every axis each is linked with each other:
P = S_1 S_2 ... routers with S_1 - 1 + S_2 - 1 + ... links each, diameter the number of axes longer
than 1. Half an axis of even length S is left by P S / 4 links. Routed axis 0 first.

Twisted tori [camara]. A torus with sides k and 2k where the link that wraps an axis of length k
also goes on by k, half way round, along every axis of length 2k:

    twisted:2x4     (x, y), 0 <= x < 2, 0 <= y < 4: from (1, y) the link + of axis 0 leads to
                    (0, y + 2)

So the links of all axes are alike: k x 2k has diameter k where the torus has 3k/2, k x k x 2k and
k x 2k x 2k have 3k/2 where tori have 2k and 5k/2 (k even).

Slim flies [besta], the graphs of McKay, Miller and Siran. q = 4w + d, d in {-1, 0, 1}, a power of a
prime, z a primitive element of the field of q elements. There are 2 q^2 routers (0, x, y) and
(1, m, c), with (3q - d)/2 links each, and the diameter is 2:

    (0, x, y) - (0, x, y')    y - y' in X        X    even powers of z     X'   odd powers
    (1, m, c) - (1, m, c')    c - c' in X'       for d = -1: even below z^(2w-1), odd from there;
    (0, x, y) - (1, m, c)     y = m x + c        X' = z X

By hand, slimfly:5 is the graph of Hoffman and Singleton: 50 routers, 7 links each; z = 2,
X = {1, 4}, X' = {2, 3}. Unless stated, a router has as many nodes as half its links, rounded up.

Dragonflies [kim]: groups of routers, joined by global links; every two groups have one. A group has
a routers, every two of them linked; a router has p nodes and h global links. With a h + 1 groups
every two groups are joined by one global link. Node x is at router x div p, router r in group
r div a. Port k = h (r mod a) + j is the j-th global link of router r; it leads to

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

[ahn] J. H. Ahn, N. Binkert, A. Davis, M. McLaren, R. S. Schreiber, "HyperX", SC 2009.
[camara] J. M. Cámara et al., "Twisted torus topologies for enhanced interconnection networks",
IEEE TPDS 21 (2010); three axes as C. Camarero, C. Martínez, R. Beivide, arXiv:1311.2019.
[besta] M. Besta, T. Hoefler, "Slim Fly: a cost effective low-diameter network topology", SC 2014.
[kim] J. Kim, W. J. Dally, S. Scott, D. Abts, "Technology-driven, highly-scalable dragonfly
topology", ISCA 2008. [hastings] E. Hastings et al., "Comparing global link arrangements for
dragonfly networks", CLUSTER 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod

import numpy as np

from lccmodel.errors import NetworkError, checked_integer
from lccmodel.ground.arrays import Array, Ints
from lccmodel.ground.words import checked_word
from lccmodel.network.graphs import Cabling, check_entries, routes_by_rule
from lccmodel.network.grid_shape import Bandwidths, Sides, checked_bandwidth, checked_sides
from lccmodel.network.table import RouteTable, wired

_MOST_ROUTERS = 1 << 16


def hyperx(shape: Sides, per_node: int = 1, bandwidth: Bandwidths = None) -> RouteTable:
    """A HyperX, routed axis 0 first; dimension k are the links of axis k.

    Args:
        shape: the sides, axis 0 first.
        per_node: nodes at a router.
        bandwidth: what links of each axis carry at a time; 1 if left out.

    Raises:
        NetworkError: no sides, no bandwidth for every axis, or more than 2^16 routers.
        SizeLimitError: a table of more than 2^28 entries.

    >>> hyperx((4, 3), 2).diameter, hyperx((4, 3), 2).n_channels
    (2, 60)
    """
    sides = checked_sides(shape)
    widths = checked_bandwidth(bandwidth, len(sides))
    number = _numbers(sides, per_node)
    ends, kinds = [], []
    for axis, side in enumerate(sides):
        line = np.moveaxis(number, axis, -1).reshape(-1, side)
        i, j = np.nonzero(~np.eye(side, dtype=bool))
        ends.append(np.stack([line[:, i].ravel(), line[:, j].ravel()], axis=1))
        kinds += [axis] * len(ends[-1])
    word = f"hyperx:{'x'.join(map(str, sides))}" + (f"*{per_node}" if per_node > 1 else "")
    if set(widths) != {1}:
        word += f",bandwidth={':'.join(map(str, widths))}"
    bandwidths = [widths[axis] for axis in kinds]
    return _made(np.concatenate(ends), kinds, bandwidths, sides, per_node, "shortest-first", word)


def twisted_torus(shape: Sides, per_node: int = 1) -> RouteTable:
    """A twisted torus of sides k and 2k, by shortest routes; dimension i are the links of axis i.

    Args:
        shape: two or three sides, axis 0 first, some k and some 2k, k at least 2.
        per_node: nodes at a router.

    Raises:
        NetworkError: other sides, or more than 2^16 routers.
        SizeLimitError: a table of more than 2^28 entries.

    >>> twisted_torus((4, 8)).diameter, twisted_torus((4, 4, 8)).diameter
    (4, 6)
    """
    sides = checked_sides(shape)
    short = min(sides)
    if len(sides) not in (2, 3) or set(sides) != {short, 2 * short} or short < 2:
        raise NetworkError("shape", "must be two or three sides k and 2k, k >= 2", sides)
    number = _numbers(sides, per_node)
    where = np.stack(np.unravel_index(np.arange(prod(sides)), sides[::-1]))[::-1]
    ends, kinds = [], []
    for axis, side in enumerate(sides):
        there = where.copy()
        there[axis] += 1
        if side == short:
            wraps = there[axis] == side
            for other, length in enumerate(sides):
                there[other] += np.where(wraps & (length == 2 * short), short, 0)
        there %= np.array(sides)[:, None]
        step = np.stack([number[tuple(where)], number[tuple(there)]], axis=1)
        both = np.concatenate([step, step[:, ::-1]])
        ends.append(np.unique(both, axis=0) if side == 2 else both)
        kinds += [axis] * len(ends[-1])
    word = f"twisted:{'x'.join(map(str, sides))}" + (f"*{per_node}" if per_node > 1 else "")
    links, kind = np.concatenate(ends), np.array(kinds)
    links, first = np.unique(links, axis=0, return_index=True)  # k = 2: a link may be of two axes
    order = np.lexsort((links[:, 0], kind[first]))
    kinds = kind[first][order].tolist()
    return _made(links[order], kinds, [1] * len(kinds), sides, per_node, "shortest", word)


def slim_fly(q: int, per_node: int | None = None) -> RouteTable:
    """A slim fly, by shortest routes.

    Args:
        q: a power of a prime, 3 to 64, of the form 4w - 1, 4w or 4w + 1.
        per_node: nodes at a router; half as many as a router has links, rounded up, if left out.

    Raises:
        NetworkError: another q.
        SizeLimitError: a table of more than 2^28 entries.

    >>> slim_fly(5, 1), slim_fly(5, 1).diameter
    (<RouteTable slimfly:5*1: 50 nodes, 50 routers, 350 links>, 2)
    """
    q = checked_integer("q", q)
    delta = {0: 0, 1: 1, 3: -1}.get(q % 4)
    base = next((p for p in range(2, q + 1) if q % p == 0), 0)
    degree = next((m for m in range(1, 7) if base**m == q), 0)
    if delta is None or not degree or not 3 <= q <= 64:
        raise NetworkError("q", "must be a power of a prime, 3..64, that is 4w - 1, 4w, 4w + 1", q)
    powers, add = _field(base, degree)
    log = {value: k for k, value in enumerate(powers)}

    def times(a: int, b: int) -> int:
        return powers[(log[a] + log[b]) % (q - 1)] if a and b else 0

    even = list(range(0, q - 1, 2))
    if delta == -1:
        w = (q + 1) // 4
        even = [*range(0, 2 * w - 1, 2), *range(2 * w - 1, 4 * w - 2, 2)]
    inside = {powers[k] for k in even}, {powers[(k + 1) % (q - 1)] for k in even}
    ends = [
        (s * q * q + x * q + y, s * q * q + x * q + int(add[y, step]))
        for s in (0, 1) for x in range(q) for y in range(q) for step in sorted(inside[s])
    ]  # fmt: skip
    across = [
        (x * q + int(add[times(m, x), c]), q * q + m * q + c)
        for x in range(q) for m in range(q) for c in range(q)
    ]  # fmt: skip
    ends += across + [(v, u) for u, v in across]
    links = np.array(ends, np.int64)
    each = len(links) // (2 * q * q)
    nodes = (each + 1) // 2 if per_node is None else checked_integer("per_node", per_node, least=1)
    word = f"slimfly:{q}" + ("" if per_node is None else f"*{nodes}")
    kinds = [0] * (len(links) - 2 * q**3) + [1] * 2 * q**3
    return _made(links, kinds, [1] * len(links), (q, q, 2), nodes, "shortest", word)


def _field(p: int, m: int) -> tuple[list[int], Ints]:
    """The powers of a primitive element of the field of p^m elements, and its table of sums.

    An element is a number with m digits to the base p, the coefficients of a polynomial.

    >>> _field(2, 2)[0], _field(2, 2)[1].tolist()[2]
    ([1, 2, 3], [2, 3, 0, 1])
    """
    q = p**m
    digits = np.stack(np.unravel_index(np.arange(q), (p,) * m))[::-1]
    sums = (digits[:, :, None] + digits[:, None, :]) % p
    add = np.tensordot(p ** np.arange(m), sums, 1).astype(np.int64)
    if m == 1:
        choices: Iterable[tuple[int, ...]] = ((g,) for g in range(1, p))
    else:
        choices = product(range(p), repeat=m)
    for low in choices:  # x^m = low, or for m = 1 the element itself
        powers = [1]
        while len(powers) < q:
            powers.append(_next_power(powers[-1], low, p, m))
            if powers[-1] in (0, 1):
                break
        if len(powers) == q and powers[-1] == 1 and len(set(powers[:-1])) == q - 1:
            return powers[:-1], add
    raise AssertionError


def _next_power(element: int, low: Sequence[int], p: int, m: int) -> int:
    if m == 1:
        return element * low[0] % p
    coefficients = [element // p**k % p for k in range(m)]
    top = coefficients[-1]
    shifted = [0, *coefficients[:-1]]
    return sum((shifted[k] + top * low[k]) % p * p**k for k in range(m))


def _numbers(sides: Sequence[int], per_node: int) -> Ints:
    """The number of every router, by its coordinates.

    Raises:
        NetworkError: too many.
    """
    if prod(sides) > _MOST_ROUTERS:
        raise NetworkError("shape", f"must have at most {_MOST_ROUTERS} routers", tuple(sides))
    checked_integer("per_node", per_node, least=1)
    return np.arange(prod(sides)).reshape(tuple(sides)[::-1]).T


def _made(
    links: Ints,
    kinds: list[int],
    bandwidth: Sequence[object],
    sides: Sequence[int],
    per_node: int,
    routing: str,
    word: str,
) -> RouteTable:
    routers = prod(sides)
    check_entries(routers * routers * per_node)
    cabling = Cabling(
        links=links,
        hosts=np.arange(routers * per_node) // per_node,
        routers=routers,
        bandwidth=list(bandwidth),
        dimension=kinds,
    )
    levels = tuple(int(n) for n in np.cumprod([per_node, *sides]))
    return wired(cabling, routes_by_rule(cabling, routing), word, levels)


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
        checked_word(name, value, known, kind=NetworkError)
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
    links = np.where(gate == router, over[group, far], inside)
    return np.where(router == goal, -1, links).astype(np.int64)


def _valiant(cabling: Cabling, a: int, p: int, table: Ints, seed: int) -> tuple[Ints, Array]:
    """Routes through a third group for nodes of two groups: where each begins, and all links."""
    from lccmodel.network.kernels import routes_through_groups

    nodes = len(cabling.hosts)
    group, first = np.arange(nodes) // (p * a), np.empty(nodes * nodes + 1, np.int64)
    links, flat = np.ascontiguousarray(cabling.links), np.empty(0, np.int32)
    others = max(1, int(group[-1]) - 1)
    drawn = np.random.default_rng(seed).integers(0, others, nodes * nodes, np.int32)
    for _ in range(2):  # counted, then filled
        routes_through_groups(table, links, cabling.hosts, group, drawn, first, flat)
        flat = np.empty(int(first[-1]), np.int32) if not flat.size else flat
    return first, flat
