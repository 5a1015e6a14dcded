"""Sets of listed places that few channels leave: cuts of a network that is no grid and no tree.

Every set S of routers bounds what the places at its routers exchange with all others: that crosses
the channels that leave S. Routers without places may be on either side; a few sweeps put each where
fewer channels are cut. Tried are single routers, and halves of halves of all places.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.placement.search.routes import MOST_MEASURED, Routes

_MOST_PARTS = 64
"""Parts that places are cut into, or up to twice as many."""

_SWEEPS = 8


def by_two(routes: Routes, places: Ints) -> tuple[Ints, int]:
    """Listed places in two halves, as near to each other as may be; how many the first has.

    Places of one router stay together where a half is not far off.
    """
    half = len(places) // 2
    if len(places) <= 2 or routes.places > MOST_MEASURED:
        return places, half
    away = routes.distance
    near = places[int(away[places[0], places].argmax())]
    other = places[int(away[near, places].argmax())]
    lean = away[near, places] - away[other, places]
    order = places[np.lexsort((routes.at[places], lean))]
    at = routes.at[order]
    edges = 1 + np.flatnonzero(at[1:] != at[:-1])
    if len(edges):
        nearest = int(edges[np.abs(edges - half).argmin()])
        half = nearest if abs(nearest - half) <= max(1, len(places) // 8) else half
    return order, half


def clusters(routes: Routes) -> list[tuple[int, Fraction, int]]:
    """(places inside, capacity that leaves, level): level 0 are the routers, then 2, 4, ... parts.

    >>> from lccmodel.network import Mesh
    >>> from lccmodel.network.allocation import Allocation
    >>> clusters(Routes.of(Allocation(Mesh((3,)), [0, 2])))
    [(1, Fraction(1, 1), 0), (1, Fraction(1, 1), 0), (1, Fraction(1, 1), 1), (1, Fraction(1, 1), 1)]
    """
    if "clusters" not in routes.kept:
        routes.kept["clusters"] = [*_single(routes), *_halves_of_halves(routes)]
    kept_clusters: list[tuple[int, Fraction, int]] = routes.kept["clusters"]
    return kept_clusters


def _single(routes: Routes) -> Iterator[tuple[int, Fraction, int]]:
    """Every router with places, by itself."""
    chosen = routes.real & np.isin(routes.joins[0], routes.at)
    ends = np.stack([routes.joins[0, chosen], routes.cost[chosen]])
    kinds, counts = np.unique(ends, axis=1, return_counts=True)
    width: dict[int, Fraction] = {}
    for router, cost, count in zip(*kinds.tolist(), counts.tolist(), strict=True):
        width[router] = width.get(router, Fraction(0)) + Fraction(count, cost)
    for router, many in zip(*np.unique(routes.at, return_counts=True), strict=True):
        yield int(many), width.get(int(router), Fraction(0)), 0


def _halves_of_halves(routes: Routes) -> Iterator[tuple[int, Fraction, int]]:
    parts, level = [np.arange(routes.places)], 0
    while routes.places <= MOST_MEASURED and len(parts) <= _MOST_PARTS:
        level += 1
        cut = []
        for part in parts:
            order, half = by_two(routes, part)
            cut += [piece for piece in (order[:half], order[half:]) if len(piece)]
        if len(cut) == len(parts):
            return
        parts = cut
        for part in parts:  # one that shares a router with another is no set of routers
            if int(np.isin(routes.at, routes.at[part]).sum()) == len(part):
                yield len(part), _capacity(routes, np.unique(routes.at[part])), level


def _capacity(routes: Routes, routers: Ints) -> Fraction:
    """What the channels carry that leave a set of routers, with others that have no places."""
    tails, heads = routes.joins[:, routes.real]
    cost = routes.cost[routes.real]
    many = 1 + int(routes.joins.max())
    inside, free = np.zeros(many, np.bool_), np.ones(many, np.bool_)
    inside[routers], free[routes.at] = True, False
    share = 1.0 / cost
    for _ in range(_SWEEPS if free.any() else 0):
        within = np.bincount(tails, share * inside[heads], many)
        without = np.bincount(tails, share * ~inside[heads], many)
        better = free & np.where(inside, without > within, within > without)
        if not better.any():
            break
        inside[better] ^= True
    costs, counts = np.unique(cost[inside[tails] & ~inside[heads]], return_counts=True)
    parts = zip(counts.tolist(), costs.tolist(), strict=True)
    return sum((Fraction(n, k) for n, k in parts), Fraction(0))
