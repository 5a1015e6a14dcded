"""Embeddings: placements where every message crosses at most one channel, found or excluded.

Then the busiest channel carries one pair's messages, and no placement is better. This is a search
for a subgraph of the network, rank after rank, each next to partners that are placed already;
a rank is refused a router that has too few free neighbours for its partners. The first rank is
tried on routers that no symmetry maps onto each other. Rigid patterns (stencils, cubes) are found
or refused at once; loose ones may exceed the limit of steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import kernel
from lccmodel.placement.search.problem import Demand
from lccmodel.placement.search.routes import Routes

_STEPS = 20_000_000
_MAX_ROUTERS = 4096


@dataclass(frozen=True)
class FoundEmbedding:
    """What the search found.

    Attributes:
        node_of: a place for every rank, its partners on the same router or next to it; or None.
        refused: whether it is shown that there is none; else the limit of steps was reached.
    """

    node_of: Ints | None
    refused: bool


def embedding(demand: Demand, routes: Routes, steps: int = _STEPS) -> FoundEmbedding:
    """Look for a placement in which every message takes at most one channel."""
    if not len(demand.source) or routes.routers > _MAX_ROUTERS:
        return FoundEmbedding(None, False)
    near = _near(routes)
    starts, partners = _partners(demand)
    around = int(near.sum(axis=1).max()) * routes.ports - (routes.ports > 1)
    if int(np.diff(starts).max()) > around:
        return FoundEmbedding(None, True)
    neighbours = _lists(near)
    order, anchor = _visiting_order(starts, partners)
    router_of = np.full(demand.ranks, -1, np.int64)
    free = np.full(routes.routers, routes.ports, np.int64)
    lists = starts, partners, *neighbours, near
    outcome = _embed(order, anchor, routes.unlike, *lists, router_of, free, steps)
    return FoundEmbedding(_places(router_of, routes) if outcome > 0 else None, outcome == 0)


def _near(routes: Routes) -> npt.NDArray[np.bool_]:
    """(routers, routers): whether ranks of two routers reach each other over at most a channel."""
    if len(routes.tree) or routes.listed:
        near = (routes.distance <= 1) & (routes.distance.T <= 1)
    else:
        near = np.zeros((routes.routers, routes.routers), np.bool_)
        near[routes.tails[routes.real], routes.heads[routes.real]] = True
    np.fill_diagonal(near, routes.ports > 1)
    return near


def _partners(demand: Demand) -> tuple[Ints, Ints]:
    """The ranks that a rank exchanges messages with, each once."""
    ends = np.concatenate([demand.source, demand.destination])
    others = np.concatenate([demand.destination, demand.source])
    keys = np.unique(ends * demand.ranks + others)
    starts = np.searchsorted(keys // demand.ranks, np.arange(demand.ranks + 1))
    return starts.astype(np.int64), (keys % demand.ranks).astype(np.int64)


def _lists(near: npt.NDArray[np.bool_]) -> tuple[Ints, Ints]:
    rows, columns = np.nonzero(near)
    starts = np.searchsorted(rows, np.arange(len(near) + 1))
    return starts.astype(np.int64), columns.astype(np.int64)


def _visiting_order(starts: Ints, partners: Ints) -> tuple[Ints, Ints]:
    """Ranks with most placed partners first, then those next to the earliest; silent ones last.

    With each, a placed partner or -1.

    >>> _visiting_order(np.array([0, 1, 2, 2]), np.array([1, 0]))[0].tolist()
    [0, 1, 2]
    """
    ranks = len(starts) - 1
    degree = np.diff(starts)
    placed = np.zeros(ranks, np.int64)
    done = np.zeros(ranks, np.bool_)
    anchor = np.full(ranks, -1, np.int64)
    order = np.empty(ranks, np.int64)
    found_at = np.full(ranks, ranks)
    for k in range(ranks):
        score = (placed * (ranks + 1) - found_at) * (ranks + 1) + degree
        score[done] = np.iinfo(np.int64).min
        r = int(score.argmax())
        order[k], done[r] = r, True
        mine = partners[starts[r] : starts[r + 1]]
        placed[mine] += 1
        waiting = mine[anchor[mine] < 0]
        anchor[waiting], found_at[waiting] = r, k
    before = np.empty(ranks, np.int64)
    before[order] = np.arange(ranks)
    late = (anchor >= 0) & (before[anchor] > before)  # the anchor came later: none at that time
    anchor[late] = -1
    return order, anchor


@kernel
def _embed(
    order: Ints,
    anchor: Ints,
    roots: Ints,
    starts: Ints,
    partners: Ints,
    near_starts: Ints,
    near_list: Ints,
    near: npt.NDArray[np.bool_],
    router_of: Ints,
    free: Ints,
    steps: int,
) -> int:
    """1 if it fits, 0 if not, -1 at the limit; `tried[k]` is the next place of the k-th rank."""
    ranks, routers = order.size, free.size
    tried = np.zeros(ranks + 1, np.int64)
    k = 0
    while 0 <= k < ranks:
        r = order[k]
        if router_of[r] >= 0:  # back from below: take it away
            free[router_of[r]] += 1
            router_of[r] = -1
        a = anchor[r]
        begin = near_starts[router_of[a]] if a >= 0 else 0
        end = near_starts[router_of[a] + 1] if a >= 0 else routers
        if k == 0:
            end = roots.size
        is_placed = False
        while tried[k] < end - begin and not is_placed:
            at = near_list[begin + tried[k]] if a >= 0 else tried[k]
            if k == 0:
                at = roots[tried[k]]
            tried[k] += 1
            steps -= 1
            if free[at] == 0:
                continue
            waiting = 0
            fits = True
            for i in range(starts[r], starts[r + 1]):
                other = router_of[partners[i]]
                if other < 0:
                    waiting += 1
                elif not near[at, other]:
                    fits = False
                    break
            if not fits:
                continue
            room = -1 if near[at, at] else 0
            for i in range(near_starts[at], near_starts[at + 1]):
                room += free[near_list[i]]
            if room < waiting:
                continue
            router_of[r] = at
            free[at] -= 1
            is_placed = True
        if steps < 0:
            return -1
        if is_placed:
            k += 1
            tried[k] = 0
        else:
            k -= 1
    return 1 if k == ranks else 0


def _places(router_of: Ints, routes: Routes) -> Ints:
    """The ranks of a router on its places, in ascending order."""
    order = np.argsort(router_of, kind="stable")
    sorted_routers = router_of[order]
    first = np.searchsorted(sorted_routers, sorted_routers)
    places = np.empty_like(router_of)
    places[order] = sorted_routers * routes.ports + np.arange(len(order)) - first
    return places
