"""Kernels of a movement: its jumps, what is held, and what its channels carry; its replays.

Jumps are kept in the order of their steps: jumps first[t] .. first[t + 1] - 1 are those of step t.
Jump j takes message[j] from node origin[j] to node target[j] along the dimension-ordered route of
the network, channel after channel.

In a replay (`walk`) who used a port or a channel last is a jump's number, so what is taken in a
step is what a jump of that step or, where circuits are held, any jump has. `unit_step` is one unit
step on a mesh or torus: which messages move, and what that takes of a processor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import kernel, light_kernel
from lccmodel.network.kernels import GRID
from lccmodel.network.routes import next_place, next_run, write_route


@light_kernel
def count_jumps(positions: Ints, nodes: int, first: Ints) -> int:
    """Put where every step's jumps start into `first`; the first row with a bad node, or -1."""
    for x in range(positions.shape[1]):
        if positions[0, x] < 0 or positions[0, x] >= nodes:
            return 0
    for step in range(len(positions) - 1):
        jumps = 0
        for x in range(positions.shape[1]):
            after = positions[step + 1, x]
            if after < 0 or after >= nodes:
                return step + 1
            jumps += after != positions[step, x]
        first[step + 1] = first[step] + jumps
    return -1


@light_kernel
def fill_jumps(positions: Ints, message: Ints, origin: Ints, target: Ints) -> None:
    """The jumps of recorded positions, in every step by ascending message."""
    j = 0
    for step in range(len(positions) - 1):
        for x in range(positions.shape[1]):
            u, v = positions[step, x], positions[step + 1, x]
            if u != v:
                message[j], origin[j], target[j] = x, u, v
                j += 1


@light_kernel
def count_scheduled(pairs: Ints, when: Ints, nodes: int, first: Ints) -> bool:
    """Put where every step's jumps start into `first`, from zeros; False if a node is none.

    Message x goes from pairs[0, x] to pairs[1, x] in step when[x], unless it is there.
    """
    for x in range(len(when)):
        u, v = pairs[0, x], pairs[1, x]
        if min(u, v) < 0 or max(u, v) >= nodes:
            return False
        first[when[x] + 1] += u != v
    for step in range(1, len(first)):
        first[step] += first[step - 1]
    return True


@light_kernel
def fill_scheduled(
    pairs: Ints, when: Ints, first: Ints, message: Ints, origin: Ints, target: Ints
) -> None:
    """The jumps of a schedule by step and message: a sort by counting."""
    free = first[:-1].copy()
    for x in range(len(when)):
        u, v = pairs[0, x], pairs[1, x]
        if u != v:
            j = free[when[x]]
            message[j], origin[j], target[j] = x, u, v
            free[when[x]] = j + 1


@light_kernel
def trace_origins(first: Ints, message: Ints, target: Ints, at: Ints, origin: Ints) -> int:
    """Where every jump starts, from `at`, which it moves; the first bad jump, or -1.

    A jump is bad that is the second of its message in a step, or stays in its node.
    """
    last = np.full(len(at), -1, np.int64)
    for step in range(len(first) - 1):
        for j in range(first[step], first[step + 1]):
            x = message[j]
            if last[x] == step or at[x] == target[j]:
                return j
            last[x] = step
            origin[j] = at[x]
            at[x] = target[j]
    return -1


@light_kernel
def fill_positions(first: Ints, message: Ints, target: Ints, positions: Ints) -> None:
    """Where every message stands after every step; row 0 is given."""
    for step in range(len(first) - 1):
        for x in range(positions.shape[1]):
            positions[step + 1, x] = positions[step, x]
        for j in range(first[step], first[step + 1]):
            positions[step + 1, message[j]] = target[j]


@light_kernel
def most_held(first: Ints, origin: Ints, target: Ints, held: Ints, most: Ints) -> None:
    """The most messages in a node before step 0 and after every step; moves `held`.

    `nodes_with[h]` nodes hold h messages, so that a step costs what moves in it.
    """
    nodes_with = np.zeros(held.sum() + 2, np.int64)
    for u in range(len(held)):
        nodes_with[held[u]] += 1
    greatest = len(nodes_with) - 1
    while greatest > 0 and nodes_with[greatest] == 0:
        greatest -= 1
    most[0] = greatest
    for step in range(len(first) - 1):
        for j in range(first[step], first[step + 1]):
            u, v = origin[j], target[j]
            nodes_with[held[u]] -= 1
            held[u] -= 1
            nodes_with[held[u]] += 1
            nodes_with[held[v]] -= 1
            held[v] += 1
            nodes_with[held[v]] += 1
            greatest = max(greatest, held[v])
        while greatest > 0 and nodes_with[greatest] == 0:
            greatest -= 1
        most[step + 1] = greatest


@light_kernel
def carried(
    form: Ints,
    longest: int,
    first: Ints,
    message: Ints,
    origin: Ints,
    target: Ints,
    ties: Ints,
    use: Ints,
    busiest: Ints,
    hops: Ints,
) -> None:
    """What the channels carry.

    Args:
        form: `Network.form`.
        longest: channels of the longest route.
        ties: the tie rule of every message, or one for all.
        use: out, messages on every channel over all steps, by `row * columns + router`.
        busiest, hops: out, for every step the most messages on a channel, and channels crossed.
    """
    now = np.zeros(len(use), np.int64)
    stamp = np.full(len(use), -1, np.int64)  # the step that `now` counts
    route, back = np.empty(longest, np.int64), np.empty(longest, np.int64)
    for step in range(len(first) - 1):
        most = crossed = 0
        for j in range(first[step], first[step + 1]):
            tie = ties[message[j]] if len(ties) > 1 else ties[0]
            length = write_route(form, origin[j], target[j], tie, route, back)
            crossed += length
            for k in range(length):
                channel = route[k]
                now[channel] = now[channel] + 1 if stamp[channel] == step else 1
                stamp[channel] = step
                use[channel] += 1
                most = max(most, now[channel])
        busiest[step], hops[step] = most, crossed


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
        v, after = next_place(u, c, row, stride, length)
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
