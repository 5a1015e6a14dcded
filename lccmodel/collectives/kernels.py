"""Kernels: where messages begin and end, what segments use together, cycles of a torus."""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import kernel, light_kernel
from lccmodel.network.routes import write_route


@light_kernel
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


@light_kernel
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
    far = 0
    for hop in hops:
        far = max(far, hop)
    longest = np.zeros(far + 1, np.int64)  # how many steps under way have such a route
    kinds = len(cuts) - 1
    most = np.zeros(kinds, np.int64)  # of every kind of resource, and how many have so much
    ties = np.empty(kinds, np.int64)
    for kind in range(kinds):
        ties[kind] = cuts[kind + 1] - cuts[kind]
    for step in range(len(of_step) + segments - 1):
        comes = of_step[step] if step < len(of_step) else -1
        goes = of_step[step - segments] if step >= segments else -1
        if comes == goes:
            for kind in range(kinds + 1):
                out[step, kind] = out[step - 1, kind]
            continue
        for sign, stage in ((1, comes), (-1, goes)):
            if stage < 0:
                continue
            longest[hops[stage]] += sign
            kind = 0
            for k in range(first[stage], first[stage + 1]):  # places rise
                while places[k] >= cuts[kind + 1]:
                    kind += 1
                before = now[places[k]]
                after = before + sign * amounts[k]
                now[places[k]] = after
                if after > most[kind]:
                    most[kind], ties[kind] = after, 1
                elif after != before:
                    ties[kind] += int(after == most[kind]) - int(before == most[kind])
        for kind in range(kinds):
            if ties[kind] == 0 and cuts[kind + 1] > cuts[kind]:
                most[kind] = now[cuts[kind]]
                for place in range(cuts[kind], cuts[kind + 1]):
                    if now[place] > most[kind]:
                        most[kind], ties[kind] = now[place], 1
                    elif now[place] == most[kind]:
                        ties[kind] += 1
            out[step, kind] = most[kind]
        far = len(longest) - 1
        while far > 0 and longest[far] == 0:
            far -= 1
        out[step, kinds] = far


@kernel
def trace_cycles(
    colour: Ints, ahead: Ints, back: Ints, which: int, label: Ints, follows: Ints
) -> int:
    """Walk the cycles of one colour: the number of each node's, and who follows it; how many."""
    label[:] = -1
    cycles, axes = 0, len(colour)
    for start in range(len(label)):
        if label[start] >= 0:
            continue
        here, came = start, -1  # came: the link by which a node was reached, ahead or back
        while label[here] < 0:
            label[here] = cycles
            for axis in range(axes):
                if colour[axis, here] == which and axis != came:
                    follows[here], came = ahead[axis, here], axis + axes
                    break
                if colour[axis, back[axis, here]] == which and axis + axes != came:
                    follows[here], came = back[axis, here], axis
                    break
            here = follows[here]
        cycles += 1
    return cycles


@kernel
def cycles_more(label: Ints, follows: Ints, v: int, right: int, up: int, corner: int) -> int:
    """How many more cycles there are with v - up, right - corner for v - right, up - corner."""
    if label[v] != label[up]:
        return -1
    return 0 if (follows[v] == right) == (follows[up] == corner) else 1


@kernel
def join_cycles(colour: Ints, ahead: Ints, back: Ints, follows: Ints, most: int) -> int:
    """Make one cycle of each colour: the sides of a square change colours, two and two.

    Args:
        colour: (axes, p); of the link from a node along an axis; in the beginning the axis, so
            that each colour has the rings of an axis. Changed.
        ahead, back: (axes, p); the neighbours along every axis.
        follows: (axes, p); filled with who follows a node on the cycle of a colour.
        most: squares that are looked at: all in turn, then by chance.

    Returns: how many cycles there are beyond one of each colour.
    """
    axes, p = colour.shape
    label = np.empty((axes, p), np.int64)
    excess = -axes
    for which in range(axes):
        excess += trace_cycles(colour, ahead, back, which, label[which], follows[which])
    chance = 1
    for turn in range(most):
        if excess == 0:
            break
        chance = (chance * 1103515245 + 12345) % (1 << 31)
        v = turn if turn < p else (chance >> 8) % p
        for a in range(axes):
            for b in range(a + 1, axes):
                right, up = ahead[a, v], ahead[b, v]
                A, B = colour[a, v], colour[b, v]
                if A == B or colour[a, up] != A or colour[b, right] != B:
                    continue
                corner = ahead[b, right]
                more = cycles_more(label[A], follows[A], v, right, up, corner)
                more += cycles_more(label[B], follows[B], v, up, right, corner)
                if more > 0 or (turn < p and more > -2):
                    continue
                colour[a, v], colour[a, up] = B, B
                colour[b, v], colour[b, right] = A, A
                excess += more
                trace_cycles(colour, ahead, back, A, label[A], follows[A])
                trace_cycles(colour, ahead, back, B, label[B], follows[B])
    left: int = excess
    return left
