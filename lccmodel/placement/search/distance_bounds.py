"""How close together a group of ranks can be: the least sum of distances of g places.

In an all-to-all of g ranks every two of them exchange messages. Wherever they are, volume times
distance is at least W(g), the least sum of d(u, v) over all ordered pairs of g places. The bound
goes axis by axis. A set S of places falls into layers S_k by its coordinate k on the last axis,
of sizes s_k. With d' the distance along the other axes,

    sum of d over S x S  =  sum over k, l of s_k s_l d(k, l)  +  sum over k, l of d'(S_k, S_l),

d'(A, B) being the sum of d' over A x B. With a = |A|, b = |B|, three facts bound it from below:

1.  d'(A, B) >= b near(a) and >= a near(b), near(a) being the sum of the distances of the a places
    nearest to a place: every place of B has all of A about it.
2.  2 d'(A, B) >= (b/a) d'(A, A) + (a/b) d'(B, B): distances on lines and rings are sums of cuts,
    so that the sum of x_u x_v d'(u, v) is at most 0 whenever the x_u add up to 0 [Schoenberg];
    take x = 1/a on A and -1/b on B.
3.  Reflect a ring (or line) at any point; of two positions u and its image let the one nearer to
    a point just right of 0 take the larger layer. For two such pairs with distances p on the same
    side and q >= p across, the sum changes from p X + q Y to p X' + q Y' with X + Y = X' + Y' and
    X' >= X: it does not grow. When no reflection changes anything, the layers, largest first,
    stand at 0, 1, -1, 2, ...: there the sum of s_k s_l d(k, l) is least. In the same way two sets
    on one axis are closest as beginnings of 0, 1, -1, 2, ...

So with g = s_0 + s_1 + ..., s_0 >= s_1 >= ...,

    W(g)  >=  min over the s_k of the sum over k, l of s_k s_l d(k, l) + C(s_k, s_l),

C(a, b) being the bound of d'(A, B) for the other axes, exact where that is one axis; for a router
alone it is 0, up to its number of places. Always W(g) >= g near(g).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import kernel
from lccmodel.placement.search.routes import Routes

_WORK = 300_000_000
"""Additions for one size of group, some tenths of a second; else the nearest places bound it."""


def least_sums(routes: Routes, groups: tuple[int, ...]) -> dict[int, int]:
    """For every size g of a group, a number that no g places have a smaller sum of distances than.

    Args:
        routes: cube, Origin, mesh or torus.
        groups: sizes, each at most the number of places.

    >>> from lccmodel.network import Torus
    >>> least_sums(Routes.of(Torus((4, 4))), (2, 4, 16))
    {2: 2, 4: 16, 16: 512}
    """
    lengths = sorted((int(n), bool(ring)) for _, n, ring in routes.axes.tolist())
    return {g: _least_sum(routes.ports, tuple(lengths), g) for g in groups}


@lru_cache(maxsize=256)
def _least_sum(ports: int, lengths: tuple[tuple[int, bool], ...], group: int) -> int:
    """W(group) on axes of these lengths, lines or rings."""
    cross, near = np.zeros((ports + 1, ports + 1), np.int64), np.zeros(ports + 1, np.int64)
    positions = np.zeros(ports, np.int64)  # distances from a place, those of its router first
    for k, (length, ring) in enumerate(lengths):
        distance = _ordered_distances(length, ring)
        steps = _WORK // length**2
        positions = np.sort((positions[:, None] + distance[0]).ravel())
        most = min(group, len(positions))
        further = np.concatenate([[0], np.cumsum(positions)])[: most + 1]
        if k == len(lengths) - 1:
            layers = _least_layers(group, cross, near, further, distance, steps)
            return max(group * int(further[group]), layers)
        if ports == 1 and k == 0:
            cross = np.zeros((most + 1, most + 1), np.int64)
            cross[1:, 1:] = distance.cumsum(axis=0).cumsum(axis=1)[:most, :most]
        else:
            steps //= most
            alone = [
                _least_layers(g, cross, near, further, distance, steps) for g in range(most + 1)
            ]
            cross = _between(np.maximum(alone, np.arange(most + 1) * further), further)
        near = further
    return 0


def _between(alone: Ints, near: Ints) -> Ints:
    """C(a, b) from W and the nearest places, by facts 1 and 2, C(a, a) = W(a); (most + 1)^2."""
    size = np.arange(len(alone))
    a, b = np.maximum(size, 1)[:, None], np.maximum(size, 1)
    # b W(a) / a + a W(b) / b, halved and rounded up: quotients and rests, no product overflows
    first, one = np.divmod(b * alone[:, None], a)
    second, other = np.divmod(a * alone, b)
    twice = first + second - -(one * b + other * a) // (a * b)
    cuts: Ints = np.maximum(-(-twice // 2), size[:, None] * near)
    np.maximum(cuts, size * near[:, None], out=cuts)
    return cuts


def _ordered_distances(length: int, ring: bool) -> Ints:
    """Distances between the positions 0, 1, -1, 2, ... of a ring or line; (length, length)."""
    k = np.arange(length)
    position = np.where(k % 2 == 1, (k + 1) // 2, -(k // 2))
    away: Ints = np.abs(position[:, None] - position[None, :])
    if ring:
        np.minimum(away, length - away, out=away)
    return away


@kernel
def _equal_layers(group: int, cross: Ints, distance: Ints) -> int:
    """The least sum over layers of which all but the last have the same size."""
    length, best = distance.shape[0], np.iinfo(np.int64).max - 1
    sizes = np.zeros(length, np.int64)
    for s in range(1, min(group, cross.shape[0] - 1) + 1):
        layers = (group + s - 1) // s
        if layers > length:
            continue
        sizes[:layers] = s
        sizes[layers - 1] = group - s * (layers - 1)
        total = 0
        for k in range(layers):
            for j in range(layers):
                total += sizes[k] * sizes[j] * distance[k, j] + cross[sizes[k], sizes[j]]
        best = min(best, total)
    return best


@kernel
def _least_layers(
    group: int, cross: Ints, near: Ints, nearest: Ints, distance: Ints, steps: int
) -> int:
    """The least sum over all sizes of layers; 0 if that takes too many steps.

    Depth first over s_0 >= s_1 >= ...; a beginning is given up when what is placed, the rest about
    it at the nearest position still free, and the rest by itself (`nearest`) are too much.
    """
    length = distance.shape[0]
    best = _equal_layers(group, cross, distance) + 1
    sizes = np.zeros(length, np.int64)
    left = np.zeros(length, np.int64)
    cost = np.zeros(length, np.int64)
    k = 0
    left[0] = group
    sizes[0] = min(group, cross.shape[0] - 1) + 1
    while k >= 0:
        sizes[k] -= 1
        s = sizes[k]
        if s < 1 or s * (length - k) < left[k]:  # smaller layers do not hold the rest
            k -= 1
            continue
        steps -= 1
        if steps < 0:
            return 0
        total = cost[k] + cross[s, s]
        about = near[s]
        for j in range(k):
            total += 2 * (s * sizes[j] * distance[k, j] + cross[s, sizes[j]])
            about += near[sizes[j]]
        rest = left[k] - s
        if rest == 0:
            best = min(best, total)
            continue
        if k + 1 == length:
            continue
        least = np.iinfo(np.int64).max
        for position in range(k + 1, length):
            there = 0
            for j in range(k + 1):
                there += sizes[j] * distance[position, j]
            least = min(least, there)
        if total + 2 * rest * (least + about) + rest * nearest[rest] >= best:
            continue
        k += 1
        cost[k] = total
        left[k] = rest
        sizes[k] = min(s, rest) + 1
    return best if group else 0


def uniform_cliques(source: Ints, destination: Ints, volume: Ints, ranks: int) -> (
    list[tuple[int, int, int]]
):  # fmt: skip
    """What is sent, cut into groups of ranks of which every two exchange the same volume.

    Args:
        source, destination, volume: (m,), different pairs of ranks.
        ranks: how many there are.

    Returns: (ranks of the group, volume that two of them exchange, how many such groups). Every
        message is in one group; what fits no larger one is a group of two.

    >>> ring, all_ = [(0, 1), (1, 2), (2, 3), (3, 0)], [(4, 5), (4, 6), (6, 5)]
    >>> ends = np.array(ring + all_)
    >>> sorted(uniform_cliques(ends[:, 0], ends[:, 1], np.full(7, 5), 7))
    [(2, 5, 4), (3, 5, 1)]
    """
    low, high = np.minimum(source, destination), np.maximum(source, destination)
    keys, place = np.unique(low * ranks + high, return_inverse=True)
    both = np.zeros(len(keys), np.int64)
    np.add.at(both, place, volume)
    cliques = _cliques_of_bits if ranks <= _MOST_BITS else _cliques_of_sets
    amounts, counts = np.unique(both, return_counts=True)
    numbers = {(2, amount): 1 for amount in amounts[counts == 1].tolist()}  # one pair: no search
    for amount in amounts[counts > 1].tolist():
        chosen = keys[both == amount]
        pairs = zip((chosen // ranks).tolist(), (chosen % ranks).tolist(), strict=True)
        for size in cliques(pairs, ranks):
            numbers[size, amount] = numbers.get((size, amount), 0) + 1
    return [(size, amount, number) for (size, amount), number in numbers.items()]


_MOST_BITS = 4096
"""The most ranks whose partners are sets of bits, which take ranks^2 bits; beyond, sets."""


def _cliques_of_bits(pairs: Iterable[tuple[int, int]], ranks: int) -> Iterator[int]:
    """The sizes of cliques: each rank with its partners, the first first, and so on."""
    partners = [0] * ranks
    for u, v in pairs:
        partners[u] |= 1 << v
        partners[v] |= 1 << u
    for u in range(ranks):
        while partners[u]:
            members, fitting = 1 << u, partners[u]
            group = [u]
            while fitting:
                v = (fitting & -fitting).bit_length() - 1
                group.append(v)
                members |= 1 << v
                fitting &= partners[v]
            for v in group:
                partners[v] &= ~members
            yield len(group)


def _cliques_of_sets(pairs: Iterable[tuple[int, int]], ranks: int) -> Iterator[int]:
    """The same cliques, in time and memory that grow with the pairs and not with ranks^2."""
    partners: dict[int, set[int]] = {}
    for u, v in pairs:
        partners.setdefault(u, set()).add(v)
        partners.setdefault(v, set()).add(u)
    for u in sorted(partners):
        while partners[u]:
            group = [u]
            for v in sorted(partners[u]):
                if all(v in partners[w] for w in group[1:]):
                    group.append(v)
            for v in group:
                partners[v].difference_update(group)
            yield len(group)
