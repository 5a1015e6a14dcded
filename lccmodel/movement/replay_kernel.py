"""The loop of `movement.replay`: jumps in the order of their steps, one channel after another."""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel, light_kernel
from lccmodel.network.kernels import GRID
from lccmodel.network.routes import next_place, next_run, write_route

_SEND, _RECEIVE, _CHANNEL, _LINK, _DIRECTION = range(5)
_ONE, _HALF_DUPLEX, _ONE_DIRECTION, _CIRCUITS = range(4)


@light_kernel
def walk(
    form: Ints,
    longest: int,
    first: Ints,
    message: Ints,
    origin: Ints,
    target: Ints,
    ties: Ints,
    nodes: int,
    rules: Ints,
    use: Ints,
    hops: Ints,
    found: Ints,
) -> bool:
    """Walk all jumps; False and `found` at the first conflict.

    Args:
        form: `Network.form`.
        longest: channels of the longest route.
        first, message, origin, target, ties: as in `movement.kernels`.
        nodes: their number.
        rules: whether ports are one, links half duplex, steps of one direction, channels held.
        use: out, jumps over every channel, by `row * columns + router`.
        hops: out, channels in use per step.
        found: out, (kind, first jump, second jump, node or channel).
    """
    sender = np.full(nodes if rules[_ONE] else 0, -1, np.int64)  # the jump that used it last
    receiver = np.full(nodes if rules[_ONE] else 0, -1, np.int64)
    holder = np.full(len(use), -1, np.int64)
    route, back = np.empty(longest, np.int64), np.empty(longest, np.int64)
    one, half, same = rules[_ONE] != 0, rules[_HALF_DUPLEX] != 0, rules[_ONE_DIRECTION] != 0
    circuits, several = rules[_CIRCUITS] != 0, len(ties) > 1
    tie = ties[0] if len(ties) else 0
    plain = form[0] == GRID and not half and not same  # most schedules: worth a loop of its own
    for step in range(len(first) - 1):
        begin = first[step]
        since = 0 if circuits else begin
        used, way, leader = 0, -1, -1
        for j in range(begin, first[step + 1]):
            if one:
                u, v = origin[j], target[j]
                if sender[u] >= begin:
                    return _met(found, _SEND, sender[u], j, u)
                if receiver[v] >= begin:
                    return _met(found, _RECEIVE, receiver[v], j, v)
                sender[u] = receiver[v] = j
            if several:
                tie = ties[message[j]]
            if plain:
                here, goal = origin[j] // form[2], target[j] // form[2]
                while here != goal:  # as below, without a list of channels
                    row, c, run, stride, side = next_run(form, here, goal, tie)
                    used += run
                    for _ in range(run):
                        channel = row * form[1] + here
                        if holder[channel] >= since:
                            return _met(found, _CHANNEL, holder[channel], j, channel)
                        holder[channel] = j
                        use[channel] += 1
                        here, c = next_place(here, c, row, stride, side)
                continue
            length = write_route(form, origin[j], target[j], tie, route, back)
            for k in range(length):
                channel = route[k]
                if holder[channel] >= since:
                    return _met(found, _CHANNEL, holder[channel], j, channel)
                if half and holder[back[k]] >= since:
                    return _met(found, _LINK, holder[back[k]], j, channel)
                if same and way != channel // form[1]:
                    if way >= 0:
                        return _met(found, _DIRECTION, leader, j, channel)
                    way, leader = channel // form[1], j
                holder[channel] = j
                use[channel] += 1
            used += length
        hops[step] = used
    return True


@kernel
def _met(found: Ints, kind: int, first: int, second: int, place: int) -> bool:
    """Write down a conflict: False, as a walk that found one says."""
    found[0], found[1], found[2], found[3] = kind, first, second, place
    return False
