"""The loop of `movement.replay`: jumps in the order of their steps, one channel after another.

Who used a port or a channel last is a jump's number, so what is taken in a step is what a jump of
that step or, where circuits are held, any jump has.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel, light_kernel
from lccmodel.network.kernels import GRID
from lccmodel.network.routes import next_place, next_run, write_route

_NONE, _SEND, _RECEIVE, _CHANNEL, _LINK, _DIRECTION = range(-1, 5)


class Leaps(NamedTuple):
    """Jumps as in `movement.kernels`; ties: one for all, one for each message, or none."""

    first: Ints
    message: Ints
    origin: Ints
    target: Ints
    ties: Ints


class PortRules(NamedTuple):
    """Whether ports are one, links half duplex, steps of one direction, channels held for good."""

    one: bool
    half_duplex: bool
    one_direction: bool
    circuits: bool


class Used(NamedTuple):
    """The jump that sent from, reached, or crossed each last; jumps over every channel so far.

    sender, receiver: (nodes,), empty where ports are many; holder, use: (row * columns + router,).
    """

    sender: Ints
    receiver: Ints
    holder: Ints
    use: Ints


class Met(NamedTuple):
    """How a step ended: a conflict of two jumps on a node or channel, or channels `used`."""

    kind: int
    first: int
    second: int
    place: int
    used: int


@light_kernel
def walk(
    form: Ints, longest: int, nodes: int, leaps: Leaps, rules: PortRules, use: Ints, hops: Ints
) -> Met:
    """Walk all jumps, or to the first conflict; `kind` is -1 where there is none.

    Args:
        form: `Network.form`.
        longest: channels of the longest route.
        nodes: their number.
        leaps, rules: see there.
        use: out, jumps over every channel, by `row * columns + router`.
        hops: out, channels in use per step.
    """
    ports = nodes if rules.one else 0
    sender, receiver = np.full(ports, -1, np.int64), np.full(ports, -1, np.int64)
    used = Used(sender, receiver, np.full(len(use), -1, np.int64), use)
    route, back = np.empty(longest, np.int64), np.empty(longest, np.int64)
    some = form[2] < 0  # of the nodes of a network: `write_route` knows which
    on_grid = form[0] == GRID and not (some or rules.half_duplex or rules.one_direction)
    met = Met(_NONE, 0, 0, 0, 0)
    for step in range(len(leaps.first) - 1):
        if on_grid:  # most schedules: worth a loop of its own
            met = _step_on_grid(step, form, leaps, rules, used)
        else:
            met = _step(step, form, leaps, rules, used, route, back)
        if met.kind != _NONE:
            break
        hops[step] = met.used
    return met


@kernel
def _step(
    step: int, form: Ints, leaps: Leaps, rules: PortRules, used: Used, route: Ints, back: Ints
) -> Met:
    """The jumps of a step, along lists of channels."""
    first, message, origin, target, ties = leaps
    sender, receiver, holder, use = used
    begin = first[step]
    since = 0 if rules.circuits else begin
    tie, channels, way, leader = ties[0] if len(ties) else 0, 0, -1, -1
    for j in range(begin, first[step + 1]):
        if rules.one:
            u, v = origin[j], target[j]
            if sender[u] >= begin:
                return Met(_SEND, sender[u], j, u, 0)
            if receiver[v] >= begin:
                return Met(_RECEIVE, receiver[v], j, v, 0)
            sender[u] = receiver[v] = j
        if len(ties) > 1:
            tie = ties[message[j]]
        length = write_route(form, origin[j], target[j], tie, route, back)
        for k in range(length):
            channel = route[k]
            if holder[channel] >= since:
                return Met(_CHANNEL, holder[channel], j, channel, 0)
            if rules.half_duplex and holder[back[k]] >= since:
                return Met(_LINK, holder[back[k]], j, channel, 0)
            if rules.one_direction and way != channel // form[1]:
                if way >= 0:
                    return Met(_DIRECTION, leader, j, channel, 0)
                way, leader = channel // form[1], j
            holder[channel] = j
            use[channel] += 1
        channels += length
    return Met(_NONE, 0, 0, 0, channels)


@kernel
def _step_on_grid(step: int, form: Ints, leaps: Leaps, rules: PortRules, used: Used) -> Met:
    """The same from place to place on a grid, without a list of channels."""
    first, message, origin, target, ties = leaps
    sender, receiver, holder, use = used
    begin = first[step]
    since = 0 if rules.circuits else begin
    tie, channels = ties[0] if len(ties) else 0, 0
    for j in range(begin, first[step + 1]):
        u, v = origin[j], target[j]
        if rules.one:
            if sender[u] >= begin:
                return Met(_SEND, sender[u], j, u, 0)
            if receiver[v] >= begin:
                return Met(_RECEIVE, receiver[v], j, v, 0)
            sender[u] = receiver[v] = j
        if len(ties) > 1:
            tie = ties[message[j]]
        here, goal = u // form[2], v // form[2]
        while here != goal:
            row, c, run, stride, side = next_run(form, here, goal, tie)
            channels += run
            for _ in range(run):
                channel = row * form[1] + here
                if holder[channel] >= since:
                    return Met(_CHANNEL, holder[channel], j, channel, 0)
                holder[channel] = j
                use[channel] += 1
                here, c = next_place(here, c, row, stride, side)
    return Met(_NONE, 0, 0, 0, channels)
