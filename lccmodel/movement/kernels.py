"""Kernels of a movement: its jumps, what is held, and what its channels carry.

Jumps are kept in the order of their steps: jumps first[t] .. first[t + 1] - 1 are those of step t.
Jump j takes message[j] from node origin[j] to node target[j] along the dimension-ordered route of
the network, channel after channel.
"""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import light_kernel
from lccmodel.network.routes import write_route


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
def held_after(origin: Ints, target: Ints, jumps: int, held: Ints) -> None:
    """Bring `held`, the messages in every node, from the start to after so many jumps."""
    for j in range(jumps):
        held[origin[j]] -= 1
        held[target[j]] += 1


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
