"""The standard embedding: [calmant], section 2.3."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from lccmodel.kernels.jit import bit_count, kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.calmant_mesh import axes_counts, coordinates, dimension_loads, replayed
from proofs_check.domain import Enumerated, EveryN

_MOST = {1: 12, 2: 12, 3: 12}


MESHES = Enumerated(
    lambda n: ((n, c) for c in axes_counts(n, _MOST)),
    size=lambda n: len(axes_counts(n, _MOST)),
    names="d, c",
    text="all meshes of 2^d nodes with c = 1, 2, 3 equal axes",
)

STATED = Stated(
    place="Section 2.3",
    over=MESHES,
    evidence="coordinates compared for all processes",
    sizes=Sizes(most=12, limit=16),
)


_DIMENSIONS = Enumerated(
    lambda n: ((n, c, i) for c in axes_counts(n, _MOST) for i in range(n)),
    size=lambda n: n * len(axes_counts(n, _MOST)),
    names="d, c, i",
    text="all dimensions i on all meshes of 2^d nodes with c = 1, 2, 3 equal axes",
)


@claim(
    "calmant.embed.bijection",
    says="m_(j,l) = n_(j + l c) puts the 2^d processes on the 2^d nodes of the mesh, one on each",
    latex=r"m_{j,l} = n_{j+lc}",
    evidence="every process placed, nodes counted",
    control=Control("m_(j,l) = n_(j + l)", stride=1),
)
def bijection(d: int, c: int, *, stride: int = 0) -> Finding:
    n = np.arange(1 << d)
    label = np.zeros((1 << d, c), np.int64)
    for j, bit in itertools.product(range(c), range(d // c)):
        label[:, j] += (n >> j + bit * (stride or c) & 1) << bit
    seen = set(map(tuple, label.tolist()))
    within = label.max() < 1 << d // c
    return Finding(within and len(seen) == 1 << d, nodes=len(seen))


@claim(
    "calmant.embed.dilation",
    place="Section 2.3, equation (2)",
    says="the distance between the nodes of n and N_i(n) is D_i = 2^⌊i/c⌋ for every process n",
    latex=r"D_i = 2^{\lfloor i/c \rfloor}",
    over=_DIMENSIONS,
    evidence="distances on the mesh for all processes",
    control=Control("⌈i/c⌉ for ⌊i/c⌋", up=True),
)
def dilation(d: int, c: int, i: int, *, up: bool = False) -> Finding:
    label = coordinates(d, c)
    found = abs(label - label[np.arange(1 << d) ^ 1 << i]).sum(axis=1)
    stated = 1 << (-(-i // c) if up else i // c)
    return Finding((found == stated).all(), distances=sorted(set(found.tolist())), stated=stated)


@claim(
    "calmant.embed.axis",
    says="the shortest path between n and N_i(n) uses a single axis, axis i mod c",
    latex=r"\text{axis}(i) = i \bmod c",
    over=_DIMENSIONS,
    control=Control("axis ⌊i/c⌋, which would be Matic's order of bits", blocks=True),
)
def axis(d: int, c: int, i: int, *, blocks: bool = False) -> Finding:
    label = coordinates(d, c)
    differ = label != label[np.arange(1 << d) ^ 1 << i]
    used = [a for a in range(c) if differ[:, a].any()]
    stated = i // (d // c) if blocks else i % c
    return Finding(used == [stated] and differ[:, stated].all(), axes=used, stated=stated)


@claim(
    "calmant.embed.consecutive",
    says="the shortest paths from n to N_i(n) and to N_(i+1)(n) follow different axes",
    latex=r"\text{axis}(i) \ne \text{axis}(i+1)",
    over=Enumerated(
        lambda n: ((n, c, i) for c in axes_counts(n, _MOST) if c > 1 for i in range(n - 1)),
        size=lambda n: (n - 1) * sum(c > 1 for c in axes_counts(n, _MOST)),
        names="d, c, i",
        text="all i < d - 1 on all meshes of 2^d nodes with c = 2, 3 equal axes",
        dimensions=(2, 3, 4, 6, 8, 9, 10, 12),
    ),
    control=Control("to N_i(n) and to N_(i+2)(n)", gap=2),
)
def consecutive(d: int, c: int, i: int, *, gap: int = 1) -> Finding:
    """[calmant, section 2.3] on a line there is one axis only."""
    label, n = coordinates(d, c), np.arange(1 << d)
    one, two = (label != label[n ^ 1 << k % d] for k in (i, i + gap))
    return Finding(not (one & two).any())


@claim(
    "calmant.baseline",
    says="without pipelining iteration i takes D_i steps of α + Nτ, and all iterations together "
    "take t = c (2^(d/c) - 1)(α + Nτ)",
    latex=r"t = c\,(2^{d/c} - 1)(\alpha + N\tau)",
    evidence="messages counted on links: no fewer steps; the groups m mod D_i, one after another, "
    "replayed: no more",
    control=Control("c 2^(d/c) steps", less=0),
    sizes=Sizes(most=12, limit=13),
)
def baseline(d: int, c: int, *, less: int = 1) -> Finding:
    total = 0
    for i in range(d):
        steps = coordinates(d, c)[None, :, i % c] % (1 << i // c)
        found = replayed(steps, i, d, c)
        least = int(dimension_loads(d, c)[i].max())
        if found.conflict is not None or not found.steps == least == 1 << i // c:
            return Finding(False, i=i, steps=found.steps, load=least, conflict=found.conflict)
        total += found.steps
    return Finding(total == c * ((1 << d // c) - less), steps=total)


# -- least average dilation --------------------------------------------------------------------


@kernel
def _cuts(d: int, least: Ints) -> None:
    """least[s]: the fewest hypercube edges that leave a set of s of the 2^d processes, over all."""
    size = 1 << d
    low = np.empty(d, np.int64)  # the processes whose bit k is 0, as a set
    for k in range(d):
        low[k] = 0
        for n in range(size):
            if n >> k & 1 == 0:
                low[k] |= 1 << n
    for chosen in range(1 << size):
        edges = 0
        for k in range(d):
            crossing = (chosen ^ chosen >> (1 << k)) & low[k]
            edges += bit_count(np.uint64(crossing))
        members = bit_count(np.uint64(chosen))
        least[members] = min(least[members], edges)


@lru_cache(maxsize=8)
def smallest_cuts(d: int) -> Ints:
    """Entry s: the fewest edges between s processes of a d-cube and the others; all sets tried.

    >>> smallest_cuts(3).tolist()
    [0, 3, 4, 5, 4, 5, 4, 3, 0]
    """
    least = np.full((1 << d) + 1, np.iinfo(np.int64).max)
    _cuts(d, least)
    return least


def least_total(d: int, c: int) -> int:
    """No placement on the mesh has a smaller sum of distances over the edges of the d-cube.

    The cut after layer x of an axis separates (x+1) s^(c-1) nodes; a distance counts the cuts
    between two nodes.
    """
    side = 1 << d // c
    layers = [(x + 1) * side ** (c - 1) for x in range(side - 1)]
    return int(c * smallest_cuts(d)[layers].sum())


def total_dilation(distance: Ints, nodes: Ints) -> int:
    """The sum of distances over the edges of the cube when process n is put on nodes[n]."""
    put, n = nodes, np.arange(len(nodes))
    d = len(nodes).bit_length() - 1
    return sum(int(distance[put, put[n ^ 1 << k]].sum()) for k in range(d)) // 2


def mesh_distances(d: int, c: int) -> Ints:
    """Distances between the nodes of a mesh, a node named by the process that stands there."""
    label = coordinates(d, c)
    apart: Ints = np.abs(label[:, None] - label[None])
    return np.asarray(apart.sum(axis=2))


@kernel
def _least_of_all(distance: Ints, d: int) -> int:
    """The least total dilation over all (2^d)! placements; by exchanges of two (Heap's order)."""
    size = 1 << d
    put, turn = np.arange(size), np.zeros(size, np.int64)
    least, level = -1, 0
    while True:
        total = 0
        for n in range(size):
            for k in range(d):
                if n >> k & 1 == 0:
                    total += distance[put[n], put[n ^ 1 << k]]
        least = total if least < 0 else min(least, total)
        level = 1
        while level < size and turn[level] >= level:
            turn[level] = 0
            level += 1
        if level >= size:
            return least
        other = turn[level] if level & 1 else 0
        put[level], put[other] = put[other], put[level]
        turn[level] += 1


@claim(
    "calmant.embed.average",
    says="no placement of the processes on a mesh has a smaller average dilation",
    latex=r"\sum_{\{n, n'\}} \operatorname{dist}(f_{std}(n), f_{std}(n')) = \min_f",
    evidence="d <= 3: all (2^d)! placements; every d: a distance counts the cuts of the mesh in "
    "between, and of all sets of processes none is cut off by fewer edges",
    control=Control("the processes in Gray code order instead", gray=True),
    sizes=Sizes(limit=4),
)
def average(d: int, c: int, *, gray: bool = False) -> Finding:
    distance, n = mesh_distances(d, c), np.arange(1 << d)
    total = total_dilation(distance, np.bitwise_xor(n, n >> 1) if gray else n)
    bound = least_total(d, c)
    least = _least_of_all(distance, d) if d <= 3 else bound
    return Finding(total == least == bound, total=total, least=least, bound=bound)


def ring_totals(d: int) -> tuple[int, int, int]:
    """On a ring of 2^d nodes: total dilation of the standard embedding, of Gray code, the least.

    >>> ring_totals(2)
    (6, 4, 4)
    """
    n, size = np.arange(1 << d), 1 << d
    apart = abs(n[:, None] - n[None])
    distance = np.minimum(apart, size - apart)
    gray = np.argsort(n ^ n >> 1)  # process g(m) stands on node m
    standard, coded = (total_dilation(distance, put) for put in (n, gray))
    return standard, coded, int(_least_of_all(distance, d))


_RINGS = EveryN("rings of 2^d nodes, d >= 2", name="d")


@claim(
    "calmant.embed.average.ring",
    place="beside section 2.3, which speaks of meshes",
    says="on a ring the reflected Gray code has the least average dilation; over all edges it is "
    "3·2^(2d-3) - 2^(d-1), while the standard embedding has 2^(d-1) (2^d - 1)",
    latex=r"3 \cdot 2^{2d-3} - 2^{d-1} < 2^{d-1}(2^d - 1)",
    over=_RINGS,
    evidence="all (2^d)! placements",
    control=Control("the standard embedding has the least for d = 3", gray=False),
    sizes=Sizes(least=2, most=3, limit=3),
)
def average_on_a_ring(d: int, *, gray: bool = True) -> Finding:
    """The paper shows the property for meshes, and extends the method to tori."""
    standard, coded, least = ring_totals(d)
    stated = 3 * (1 << 2 * d - 3) - (1 << d - 1), (1 << d - 1) * ((1 << d) - 1)
    ok = (coded if gray or d < 3 else standard) == least and (coded, standard) == stated
    return Finding(ok, standard=standard, gray=coded, least=least)
