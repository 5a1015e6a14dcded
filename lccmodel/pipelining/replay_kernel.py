"""The loop of `pipelining.replay`: messages in the order of their steps, one link after another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel

__all__ = ["LINE", "LINK", "PLUS", "RECEIVE", "SEND", "SPLIT", "walk"]

Ints = npt.NDArray[np.int64]

SEND, RECEIVE, LINK = 0, 1, 2
SPLIT, PLUS, LINE = 0, 1, 2


@kernel
def walk(
    order: Ints,
    starts: Ints,
    nodes: Ints,
    ties: Ints,
    i: int,
    shape: Ints,
    rings: npt.NDArray[np.bool_],
    one_port: bool,
    links: Ints,
    loads: Ints,
    found: Ints,
) -> int:
    """Walk all messages; the number of links used, or -1 and `found` at the first conflict.

    Args:
        order: message numbers q 2^d + n, sorted by step.
        starts: order[starts[t]:starts[t + 1]] are the messages of step t.
        nodes: the node of every process.
        ties: SPLIT, PLUS or LINE for every dimension of the task.
        i: the first dimension.
        shape: nodes of every axis, powers of two.
        rings: whether each axis is a ring.
        links: out, links in use per step.
        loads: out, (2 c, 2^d), messages over all steps; rows 2a and 2a + 1 are the links of axis
            a in the + and - direction, by the node that they leave.
        found: out, (kind, rank of the first message, rank of the second, place).
    """
    n_processes = nodes.size
    c = shape.size
    sender = np.full(n_processes, -1, dtype=np.int64)  # the rank that used it last
    receiver = np.full(n_processes, -1, dtype=np.int64)
    holder = np.full((2 * c, n_processes), -1, dtype=np.int64)
    hops = 0
    for step in range(starts.size - 1):
        begin = starts[step]
        used = 0
        for rank in range(begin, starts[step + 1]):
            q, n = divmod(order[rank], n_processes)
            here = nodes[n]
            goal = nodes[n ^ (1 << (i + q))]
            if one_port:
                if sender[here] >= begin:
                    found[:] = (SEND, sender[here], rank, here)
                    return -1
                if receiver[goal] >= begin:
                    found[:] = (RECEIVE, receiver[goal], rank, goal)
                    return -1
            sender[here] = rank
            receiver[goal] = rank
            stride = 1
            for axis in range(c):
                side = shape[axis]
                last = side - 1
                x = here // stride & last
                y = goal // stride & last
                forward = y > x
                if x != y and rings[axis]:
                    ahead = (y - x) & last
                    if 2 * ahead != side:
                        forward = 2 * ahead < side
                    elif ties[q] == PLUS:
                        forward = True
                    elif ties[q] == SPLIT:
                        forward = x % 2 == 0
                row = 2 * axis if forward else 2 * axis + 1
                while x != y:
                    if holder[row, here] >= begin:
                        found[:] = (LINK, holder[row, here], rank, row * n_processes + here)
                        return -1
                    holder[row, here] = rank
                    loads[row, here] += 1
                    used += 1
                    after = ((x + 1) if forward else (x - 1)) & last
                    here += (after - x) * stride
                    x = after
                stride *= side
        links[step] = used
        hops += used
    return hops
