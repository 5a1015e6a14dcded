"""Placements that are alike because ranks may change places: only one of each kind is tried.

An automorphism g of the traffic renames ranks so that every pair exchanges what it did; then the
placement p(g(r)) has the loads of p. Of all these, the one with the least routers of the ranks
b_0, b_1, ... , compared one after another, has for every k

    p(b_k) <= p(c)    for all c = g(b_k), where g leaves b_0 .. b_(k-1) alone,

so a search need look at no other [J.-F. Puget, "Symmetry breaking revisited", CP 2002]. Of these
only the last k of each c is needed: the others follow. Rank b_0 is left out here: where it stands
is narrowed by the symmetries of the routes, and both at once would leave too little.
"""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.methods.placement.problem import Demand

_MOST_STEPS = 20_000
"""Images tried for one automorphism; where it is not found by then, more placements are tried."""


def not_below(demand: Demand, order: Ints) -> Ints:
    """For every place k of an order of ranks the place whose router rank order[k] may not go below.

    Args:
        demand: what ranks send.
        order: all ranks that send or receive anything.

    Returns: places (len(order),), each below its own; -1 where nothing is asked.

    >>> from lccmodel.communication import Program
    >>> from lccmodel.methods.placement.problem import demand_of
    >>> from lccmodel.methods.placement.routes import Routes
    >>> from lccmodel.network import parse_network
    >>> star = Program.of([(0, 1), (0, 2), (0, 3)])
    >>> found = demand_of(star, "joint", None, Routes.of(parse_network("cube:2")))
    >>> not_below(found, np.arange(4)).tolist()
    [-1, -1, 1, 2]
    """
    sent = np.zeros((demand.rows, demand.ranks, demand.ranks), np.int64)
    np.add.at(sent, (demand.row, demand.source, demand.destination), demand.volume)
    sent = sent[:, order][:, :, order]
    below = np.full(len(order), -1, np.int64)
    for k in range(1, len(order)):
        orbit = {k}
        for c in range(k + 1, len(order)):
            if c not in orbit:
                image = _automorphism(sent, k, c)
                if image is not None:
                    orbit = _closed(orbit, image)
        below[sorted(orbit - {k})] = k
    return below


def _closed(orbit: set[int], image: Ints) -> set[int]:
    """The orbit with all that an automorphism, again and again, makes of its members."""
    found = set(orbit)
    for member in orbit:
        at = int(image[member])
        while at not in found:
            found.add(at)
            at = int(image[at])
    return found


def _automorphism(sent: Ints, k: int, c: int) -> Ints | None:
    """Images of all places, those before k being left alone and k going to c; None if none."""
    size = sent.shape[1]
    image = np.arange(size)
    tried = np.zeros(size, np.int64)
    image[k] = c
    if not _fits(sent, image, k):
        return None
    at, steps = k + 1, 0
    tried[at:] = k
    while k < at < size:
        steps += 1
        if steps > _MOST_STEPS:
            return None
        candidate = int(tried[at])
        if candidate == size:
            tried[at] = k
            at -= 1
            continue
        tried[at] += 1
        image[at] = candidate
        if candidate not in image[k:at] and _fits(sent, image, at):
            at += 1
    return image if at == size else None


def _fits(sent: Ints, image: Ints, at: int) -> bool:
    """Whether place `at` and all before it exchange what their images do."""
    before, moved = slice(0, at + 1), image[: at + 1]
    to = image[at]
    return bool(
        (sent[:, at, before] == sent[:, to, moved]).all()
        and (sent[:, before, at] == sent[:, moved, to]).all()
    )
