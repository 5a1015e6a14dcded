"""Kernels of loads: where messages begin and end, and what segments under way use together."""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.network.routes import write_route


@kernel
def ends_of_routes(
    form: Ints, longest: int, source: Ints, target: Ints, tie: int, first: Ints, last: Ints
) -> int:
    """Put the first and last channel of every route, -1 if it has none; the longest route.

    Args:
        form: `Network.form`.
        longest: channels of the longest route there may be.
        tie: number of the tie rule.
    """
    out, back = np.empty(longest + 1, np.int64), np.empty(0, np.int64)
    most = 0
    for m in range(len(source)):
        hops = write_route(form, source[m], target[m], tie, out, back)
        first[m] = out[0] if hops else -1
        last[m] = out[hops - 1] if hops else -1
        most = max(most, hops)
    return most


@kernel
def under_way(
    first: Ints,
    places: Ints,
    amounts: Ints,
    hops: Ints,
    of_step: Ints,
    cuts: Ints,
    segments: int,
    out: Ints,
) -> None:
    """The most of every kind of resource, and the longest route, in each step of all segments.

    Args:
        first: places first[s] .. first[s + 1] - 1 are those that stage s uses, with its amounts.
        hops: the longest route of every stage.
        of_step: the stage of every step.
        cuts: where every kind of resource begins, and behind the last where it ends.
        segments: so many steps of the plan are under way at once.
        out: a row for each step of all segments, and a column for each kind and for hops.
    """
    now = np.zeros(cuts[-1], np.int64)
    longest = np.zeros(hops.max() + 1, np.int64)  # how many steps under way have such a route
    kinds = len(cuts) - 1
    for step in range(len(of_step) + segments - 1):
        comes = of_step[step] if step < len(of_step) else -1
        goes = of_step[step - segments] if step >= segments else -1
        if comes == goes:
            for kind in range(kinds + 1):
                out[step, kind] = out[step - 1, kind]
            continue
        if comes >= 0:
            longest[hops[comes]] += 1
            for k in range(first[comes], first[comes + 1]):
                now[places[k]] += amounts[k]
        if goes >= 0:
            longest[hops[goes]] -= 1
            for k in range(first[goes], first[goes + 1]):
                now[places[k]] -= amounts[k]
        for kind in range(kinds):
            most = 0
            for place in range(cuts[kind], cuts[kind + 1]):
                most = max(most, now[place])
            out[step, kind] = most
        far = len(longest) - 1
        while far > 0 and longest[far] == 0:
            far -= 1
        out[step, kinds] = far
