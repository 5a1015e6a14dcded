"""Lower bounds of volume times distance, and its least value on small networks.

With the flows B = A + A' of both directions and symmetric distances D, twice the total of a
placement p is the sum over i and j of B[i, j] D[p(i), p(j)]. Places that stay empty are ranks that
send nothing. Two bounds, each for every placement:

    assignment    rank i at place k pays at least L[i, k], the flows of i, largest first, times the
                  distances from k, smallest first; the least sum of L[i, p(i)] over all p is a
                  linear assignment problem [Gilmore 1962; Lawler 1963]
    projection    on the vectors whose entries add up to 0 the flows have eigenvalues λ and the
                  distances μ: the sum of λ (largest first) times μ (smallest first), with the
                  linear part 2/n r(B) r(D)' of the row sums at its least, less the product of both
                  sums over n^2 [Hadley, Rendl and Wolkowicz 1992]. As D has a zero diagonal, -t
                  times the row sums may stand in the diagonal of B; the best of a few t is taken.

`least_total` is a branch and bound with the first of them [Gilmore; Lawler]: at every node the rank
with the largest sum of reduced costs is placed next, and a place is left out when the bound and its
reduced cost together reach the best total known. Places that an automorphism of the distances maps
onto each other, while it leaves all used places alone, are tried once.

Eigenvalues are rounded down by more than they can be wrong by, as in `placement.spectrum`; all else
is computed in integers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil
from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Floats, Ints
from lccmodel.kernels.jit import kernel
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes

MOST_BOUNDED = 512
"""Most places for both bounds: about a second."""

MOST_SETTLED = 16
"""Most places for `least_total`."""

_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The t that are tried: parts of the row sums in the diagonal of the flows."""

_LIMIT = 1 << 60
"""Twice the total stays below this, or there is no bound: all sums fit 64 bits."""

_MOST_AUTOMORPHISMS = 1000
_MOST_IMAGES = 200_000
"""Symmetries of a network that are listed, and images tried for them."""


def matrices(demand: Demand, routes: Routes) -> tuple[Ints, Ints] | None:
    """Flows of both directions and distances, (places, places); None where bounds do not apply.

    They do not for too many places, for distances that differ by direction, and for volumes whose
    sums may exceed 64 bits.
    """
    if not 2 <= routes.places <= MOST_BOUNDED or not len(demand.source):
        return None
    place = np.arange(routes.places)
    router = place if routes.listed else place // routes.ports
    apart = routes.distance[np.ix_(router, router)].astype(np.int64)
    total = sum(map(int, demand.volume))
    if (apart != apart.T).any() or 2 * total * routes.longest >= _LIMIT:
        return None
    flow = np.zeros((routes.places, routes.places), np.int64)
    np.add.at(flow, (demand.source, demand.destination), demand.volume)
    return flow + flow.T, apart


def assignment_bound(flow: Ints, apart: Ints) -> int:
    """No placement has a smaller total; see the module.

    Args:
        flow, apart: int64, (n, n), symmetric with a zero diagonal.

    >>> line = np.abs(np.arange(3)[:, None] - np.arange(3))
    >>> assignment_bound(1 - np.eye(3, dtype=np.int64), line)
    4
    """
    twice = assigned(_least_costs(flow, apart))[0]
    return -(-twice // 2)


def potentials(flow: Ints, apart: Ints) -> tuple[Ints, Ints]:
    """The proof of `assignment_bound`: u of ranks and w >= 0 of places.

    With L[i, k] as in the module, u[i] - w[k] <= L[i, k], and the sum of u less that of w is twice
    the bound, before it is rounded up. u is 0 for ranks that send nothing, if a place stays empty.

    >>> line = np.abs(np.arange(3)[:, None] - np.arange(3))
    >>> potentials(1 - np.eye(3, dtype=np.int64), line)
    (array([3, 3, 3]), array([0, 1, 0]))
    """
    _, _, u, v = assigned(_least_costs(flow, apart))
    least = -int(v.max())
    return u - least, -v - least


def _least_costs(flow: Ints, apart: Ints) -> Ints:
    """L[i, k]: flows of i, largest first, times distances from k, smallest first."""
    most = -np.sort(-flow, axis=1)[:, : len(flow) - 1]
    nearest = np.sort(apart, axis=1)[:, 1:]
    used = int(np.count_nonzero(flow, axis=1).max())
    return most[:, :used] @ nearest[:, :used].T


def projection_bound(flow: Ints, apart: Ints) -> Fraction:
    """No placement has a smaller total; see the module. Rounded down by more than its error.

    >>> cycle = np.array([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])
    >>> 7.9 < projection_bound(2 * (cycle == 1).astype(np.int64), cycle) <= 8
    True
    """
    n = len(flow)
    basis = _without_constants(n)
    distances = apart.astype(np.float64)
    mu = np.linalg.eigvalsh(basis.T @ distances @ basis)
    rows = distances.sum(axis=1)
    best = -np.inf
    for share in _SHARES:
        volumes = flow - np.diag(share * flow.sum(axis=1))
        values = np.linalg.eigvalsh(basis.T @ volumes @ basis)
        sums = volumes.sum(axis=1)
        bent = float(np.sort(values)[::-1] @ np.sort(mu))
        linear = 2 / n * float(np.sort(sums)[::-1] @ np.sort(rows))
        constant = float(sums.sum()) * float(rows.sum()) / n**2
        size = np.abs(values).max() * np.abs(mu).sum() + np.abs(mu).max() * np.abs(values).sum()
        error = 1e-12 * n * float(size + abs(linear) + abs(constant))
        best = max(best, bent + linear - constant - error)
    return Fraction(best) / 2


def _without_constants(n: int) -> Floats:
    """(n, n - 1): an orthonormal basis of the vectors whose entries add up to 0."""
    k = np.arange(1, n)
    basis = np.where(np.arange(n)[:, None] < k, 1.0, 0.0)
    basis[k, k - 1] = -k
    return basis / np.sqrt(k * (k + 1.0))


def distance_bounds(demand: Demand, routes: Routes) -> list[tuple[int, str]]:
    """(total of volume times distance, argument) of both bounds; empty where they do not apply.

    A total is a sum of what pairs of ranks exchange times distances, so it is rounded up to a
    multiple of the greatest common divisors of both. On a fat tree all distances are even.
    """
    known = matrices(demand, routes)
    if known is None:
        return []
    flow, apart = known
    divisor = max(1, int(np.gcd.reduce(flow, axis=None)) * int(np.gcd.reduce(apart, axis=None)))
    bounds = (
        (Fraction(assignment_bound(flow, apart)), "an assignment of ranks to places"),
        (projection_bound(flow, apart), "the eigenvalues of volumes and distances"),
    )
    return [(max(0, ceil(total / divisor) * divisor), reason) for total, reason in bounds]


@kernel
def assigned(cost: Ints) -> tuple[int, Ints, Ints, Ints]:
    """The least sum of cost[i, column of i], by shortest augmenting paths.

    Returns: the sum; (n,) the column of every row; (n,) potentials u of rows and v of columns, with
        u[i] + v[j] <= cost[i, j] everywhere and a sum that is the least: a proof of it.
    """
    n = cost.shape[0]
    u, v = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    row_of, before = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    slack, seen = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.bool_)
    for i in range(1, n + 1):
        row_of[0] = i
        j0 = 0
        for j in range(n + 1):
            slack[j] = np.iinfo(np.int64).max
            seen[j] = False
        while row_of[j0] != 0:
            seen[j0] = True
            i0, delta, j1 = row_of[j0], np.iinfo(np.int64).max, 0
            for j in range(1, n + 1):
                if not seen[j]:
                    reduced = cost[i0 - 1, j - 1] - u[i0] - v[j]
                    if reduced < slack[j]:
                        slack[j] = reduced
                        before[j] = j0
                    if slack[j] < delta:
                        delta = slack[j]
                        j1 = j
            for j in range(n + 1):
                if seen[j]:
                    u[row_of[j]] += delta
                    v[j] -= delta
                elif j:
                    slack[j] -= delta
            j0 = j1
        while j0:
            j1 = before[j0]
            row_of[j0] = row_of[j1]
            j0 = j1
    column, total = np.zeros(n, np.int64), 0
    for j in range(1, n + 1):
        column[row_of[j] - 1] = j - 1
        total += u[j] + v[j]
    return total, column, u[1:], v[1:]


# -- branch and bound ------------------------------------------------------------------------------


class Least(NamedTuple):
    """What a branch and bound found: the best total and its placement, and how far it came.

    Attributes:
        total: volume times distance.
        place_of: (places,), the place of every rank, and of ranks that send nothing.
        complete: whether no placement has a smaller total.
        visited: nodes of the search whose bound was computed.
    """

    total: int
    place_of: Ints
    complete: bool
    visited: int


def least_total(
    flow: Ints,
    apart: Ints,
    start: Ints,
    limit: int = 5_000_000,
    between: Callable[[Ints], None] = lambda placement: None,
) -> Least:
    """Search for the placement with the least total.

    Args:
        flow, apart: as for `assignment_bound`, n at most `MOST_SETTLED`.
        start: (n,), a placement.
        limit: most nodes; the same limit gives the same answer everywhere.
        between: called with the best placement between two slices of the search; may raise.

    >>> line = np.abs(np.arange(4)[:, None] - np.arange(4))
    >>> ring = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]])
    >>> least_total(ring, line, np.arange(4)).total
    6
    """
    n = len(flow)
    best = start.astype(np.int64).copy()
    total = int((flow * apart[np.ix_(best, best)]).sum()) // 2
    divisor = max(1, int(np.gcd.reduce(flow, axis=None)) * int(np.gcd.reduce(apart, axis=None)))
    depth = int(np.count_nonzero(flow.any(axis=1)))
    search = Branching(
        np.full(n, -1, np.int64), np.full(n, -1, np.int64), np.zeros((n + 1, n), np.int64),
        np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64), np.array([0, total, 0, 0], np.int64),
    )  # fmt: skip
    images = automorphisms(apart)
    while depth and not search.counts[3] and search.counts[2] < limit:
        _branch(flow, apart, images, search, best, divisor, depth, limit, _SLICE)
        between(best)
    complete = bool(search.counts[3]) or not depth
    return Least(int(search.counts[1]), best, complete, int(search.counts[2]))


_SLICE = 20_000
"""Branching between two looks at the clock: some tenths of a second."""


class Branching(NamedTuple):
    """A partial placement and where its search stands; all of it changed in place.

    place_of: (n,), of every rank, -1 if not placed; rank_at: (n,); open: (n + 1, n), places yet to
    be tried at every depth, best first, `many` of them; row: the rank that is placed at a depth;
    counts: depth, best total, nodes, 1 if complete.
    """

    place_of: Ints
    rank_at: Ints
    open: Ints
    many: Ints
    row: Ints
    counts: Ints


def automorphisms(apart: Ints) -> Ints:
    """(count, n): permutations g of places with apart[g(i), g(j)] = apart[i, j]; not always all.

    >>> len(automorphisms(np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]])))
    2
    """
    n = len(apart)
    images: list[Ints] = []
    image = np.full(n, -1)
    tried = np.zeros(n + 1, np.int64)
    at = steps = 0
    while at >= 0 and len(images) < _MOST_AUTOMORPHISMS and steps < _MOST_IMAGES:
        if at == n:
            images.append(image.copy())
            at -= 1
            continue
        candidate = tried[at]
        if candidate == n:
            tried[at] = 0
            at -= 1
            continue
        tried[at] += 1
        steps += 1
        image[at] = candidate
        # Two places at one router are 0 apart, as a place is from itself: look for both.
        alike = (apart[candidate, image[: at + 1]] == apart[at, : at + 1]).all()
        if alike and candidate not in image[:at]:
            at += 1
    return np.array(images, np.int64).reshape(-1, n)


@kernel
def _branch(
    flow: Ints, apart: Ints, images: Ints, search: Branching, best: Ints, divisor: int, depth: int,
    limit: int, slice_: int,
) -> None:  # fmt: skip
    """Depth first, for some nodes more. Changes `search` and `best`."""
    place_of, rank_at, open_, many, row, counts = search
    d, nodes = counts[0], 0
    if counts[2] == 0:
        _opened(0, flow, apart, images, search, best, divisor, depth)
        counts[2] += 1
    while d >= 0:
        if nodes == slice_ or counts[2] >= limit:
            counts[0] = d
            return
        r = row[d]
        if place_of[r] >= 0:
            rank_at[place_of[r]] = -1
            place_of[r] = -1
        if many[d] == 0:
            d -= 1
            continue
        many[d] -= 1
        place = open_[d, many[d]]
        place_of[r] = place
        rank_at[place] = r
        counts[2] += 1
        nodes += 1
        _opened(d + 1, flow, apart, images, search, best, divisor, depth)
        if many[d + 1]:
            d += 1
    counts[0], counts[3] = d, 1


@kernel
def _opened(
    d: int, flow: Ints, apart: Ints, images: Ints, search: Branching, best: Ints, divisor: int,
    depth: int,
) -> None:  # fmt: skip
    """Bound the totals below a node with d ranks placed, and list the places that may be better."""
    place_of, rank_at, open_, many, row, counts = search
    n, left = place_of.size, place_of.size - d
    many[d] = 0
    ranks, places = np.empty(left, np.int64), np.empty(left, np.int64)
    i = j = 0
    for k in range(n):
        if place_of[k] < 0:
            ranks[i] = k
            i += 1
        if rank_at[k] < 0:
            places[j] = k
            j += 1
    fixed = 0
    for a in range(n):
        if place_of[a] >= 0:
            for b in range(n):
                if place_of[b] >= 0:
                    fixed += flow[a, b] * apart[place_of[a], place_of[b]]
    most, nearest = np.empty((left, left), np.int64), np.empty((left, left), np.int64)
    for i in range(left):
        for j in range(left):
            most[i, j] = -flow[ranks[i], ranks[j]]
            nearest[i, j] = apart[places[i], places[j]]
        most[i].sort()
        nearest[i].sort()
    cost = np.zeros((left, left), np.int64)
    for i in range(left):
        for j in range(left):
            total = 0
            for k in range(left - 1):  # nearest[j, 0] is the place itself
                if most[i, k] == 0:
                    break
                total -= most[i, k] * nearest[j, k + 1]
            for a in range(n):
                if place_of[a] >= 0:
                    total += 2 * flow[ranks[i], a] * apart[places[j], place_of[a]]
            cost[i, j] = total
    least, column, u, v = assigned(cost)
    whole = 2 * divisor
    if (fixed + least + whole - 1) // whole * divisor >= counts[1]:
        return
    # The assignment is a placement: perhaps a better one.
    here = place_of.copy()
    for i in range(left):
        here[ranks[i]] = places[column[i]]
    total = 0
    for a in range(n):
        for b in range(a):
            total += flow[a, b] * apart[here[a], here[b]]
    if total < counts[1]:
        counts[1] = total
        for k in range(n):
            best[k] = here[k]
    if d == depth:
        return
    chosen, largest = 0, -1
    for i in range(left):
        if flow[ranks[i]].any():
            weight = 0
            for j in range(left):
                weight += cost[i, j] - u[i] - v[j]
            if weight > largest:
                chosen, largest = i, weight
    row[d] = ranks[chosen]
    reduced = cost[chosen] - u[chosen] - v
    order = np.argsort(-reduced)
    for k in range(left):
        j = order[k]
        bound = (fixed + least + reduced[j] + whole - 1) // whole * divisor
        if bound < counts[1] and _is_first(places[j], d, images, rank_at):
            open_[d, many[d]] = places[j]
            many[d] += 1


@kernel
def _is_first(place: int, d: int, images: Ints, rank_at: Ints) -> bool:
    """Whether no symmetry that leaves all used places alone maps the place to a lower one."""
    if d > 4:
        return True
    for g in range(images.shape[0]):
        if images[g, place] < place:
            still = True
            for k in range(rank_at.size):
                if rank_at[k] >= 0 and images[g, k] != k:
                    still = False
                    break
            if still:
                return False
    return True
