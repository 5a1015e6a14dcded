"""One unit step on a mesh or torus: which messages move, and what that takes of a processor."""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import light_kernel
from lccmodel.network.routes import next_run

ROWS = 5
_SENT_IN, _SENT, _GOT_IN, _GOT, HELD = range(ROWS)
RUN = 5
_ROW, _AT, _LEFT, _STRIDE, _LENGTH = range(RUN)
_ONE, _HALF_DUPLEX, _ONE_DIRECTION = range(3)


@light_kernel
def unit_step(
    form: Ints,
    order: Ints,
    leaves: Ints,
    at: Ints,
    goal: Ints,
    ties: Ints,
    runs: Ints,
    rules: Ints,
    unit: int,
    scratch: Ints,
    channels: Ints,
    went: Ints,
) -> tuple[int, int]:
    """Move every message that may, in the given order; how many moved, and how many arrived.

    The order is one of ascending `leaves`: who comes after a message that waits waits too.

    `channels` and the rows _SENT_IN and _GOT_IN of `scratch` hold the last unit step in which
    each channel, sending port and receiving port was used; _SENT and _GOT how often. `went`
    receives the indices of the messages that moved. `runs` keeps the run of channels on which each
    message is: row, coordinate, channels left, stride and length of the axis; zeros at first.
    """
    way, count, arrived = -1, 0, 0
    for x in order:
        u = at[x]
        if leaves[x] > unit:
            break
        if u == goal[x]:
            continue
        if runs[x, _LEFT] == 0:
            run = next_run(form, u, goal[x], ties[x])
            for part in range(RUN):
                runs[x, part] = run[part]
        row, c, stride, length = runs[x, _ROW], runs[x, _AT], runs[x, _STRIDE], runs[x, _LENGTH]
        after = c - 1 if row & 1 else c + 1
        after = 0 if after == length else length - 1 if after < 0 else after
        v = u + (after - c) * stride
        channel = row * form[1] + u
        if channels[channel] == unit or (rules[_ONE_DIRECTION] and way >= 0 and row != way):
            continue
        if rules[_ONE] and (scratch[_SENT_IN, u] == unit or scratch[_GOT_IN, v] == unit):
            continue
        if rules[_HALF_DUPLEX] and channels[(row ^ 1) * form[1] + v] == unit:
            continue
        way = row
        channels[channel] = unit
        scratch[_SENT, u] = scratch[_SENT, u] + 1 if scratch[_SENT_IN, u] == unit else 1
        scratch[_GOT, v] = scratch[_GOT, v] + 1 if scratch[_GOT_IN, v] == unit else 1
        scratch[_SENT_IN, u] = scratch[_GOT_IN, v] = unit
        scratch[HELD, u] -= 1
        scratch[HELD, v] += 1
        at[x] = v
        runs[x, _AT] = after
        runs[x, _LEFT] -= 1
        arrived += v == goal[x]
        went[count] = x
        count += 1
    return count, arrived


@light_kernel
def most_of(unit: int, scratch: Ints) -> Ints:
    """The most messages sent, received and held by a processor in this unit step."""
    most = np.zeros(3, np.int64)
    for u in range(scratch.shape[1]):
        if scratch[_SENT_IN, u] == unit:
            most[0] = max(most[0], scratch[_SENT, u])
        if scratch[_GOT_IN, u] == unit:
            most[1] = max(most[1], scratch[_GOT, u])
        most[2] = max(most[2], scratch[HELD, u])
    return most
