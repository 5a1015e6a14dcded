"""The loop of `movement.replay`: jumps in the order of their steps, one channel after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from lccmodel.network.routes import write_route

__all__ = ["walk"]

Ints = npt.NDArray[np.int64]

_SEND, _RECEIVE, _CHANNEL, _LINK, _DIRECTION = range(5)
_ONE, _HALF_DUPLEX, _ONE_DIRECTION, _CIRCUITS = range(4)


@kernel
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
    for step in range(len(first) - 1):
        begin = first[step]
        since = 0 if rules[_CIRCUITS] else begin
        used, way, leader = 0, -1, -1
        for j in range(begin, first[step + 1]):
            if rules[_ONE]:
                u, v = origin[j], target[j]
                if sender[u] >= begin:
                    found[:] = (_SEND, sender[u], j, u)
                    return False
                if receiver[v] >= begin:
                    found[:] = (_RECEIVE, receiver[v], j, v)
                    return False
                sender[u] = receiver[v] = j
            tie = ties[message[j]] if len(ties) > 1 else ties[0]
            length = write_route(form, origin[j], target[j], tie, route, back)
            for k in range(length):
                channel = route[k]
                if holder[channel] >= since:
                    found[:] = (_CHANNEL, holder[channel], j, channel)
                    return False
                if rules[_HALF_DUPLEX] and holder[back[k]] >= since:
                    found[:] = (_LINK, holder[back[k]], j, channel)
                    return False
                if rules[_ONE_DIRECTION] and way != channel // form[1]:
                    if way >= 0:
                        found[:] = (_DIRECTION, leader, j, channel)
                        return False
                    way, leader = channel // form[1], j
                holder[channel] = j
                use[channel] += 1
            used += length
        hops[step] = used
    return True
