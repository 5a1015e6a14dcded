"""The loops of `pipelining.replays`: one for the ports, one for the lines of an axis.

Messages of a task travel along one axis and start at every node, so nobody has to walk. A line is
swept once in each direction, its messages in the order of the links they start from. In a step
the links of two messages overlap exactly if a message starts before the farthest of those that
started earlier in this step has ended:

    step    from 0 over 2 links    from 1 over 1 link     from 2 over 2 links
    0       ends at 2              starts at 1 < 2: both use the link from 1
    0       ends at 2                                     starts at 2: free

On a ring a message may go on past the seam; then it must have ended, a turn later, where the first
message of the step began. That takes a few operations a message, however far it goes. Loads are
added up from where messages begin and end.
"""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import light_kernel
from lccmodel.network.kernels import plus_kernel

NEVER = 1 << 62
"""The step of a conflict that there is not."""


@light_kernel
def sweep_ports(steps: Ints, begin: int, end: int, lowest: int, last: Ints) -> int:
    """The first step in which a process begin, ..., end - 1 sends or receives twice, or `NEVER`.

    Args:
        steps: (M, 2^d), the step in which a process sends through dimension lowest + q.
        lowest: the first dimension of the task.
        last: a place for every step, all less than 2 begin; written over.
    """
    conflict = NEVER
    for n in range(begin, end):
        for receives in range(2):
            mark = 2 * n + receives
            for q in range(steps.shape[0]):
                step = steps[q, n ^ (receives << (lowest + q))]
                if last[step] == mark:
                    conflict = min(conflict, step)
                last[step] = mark
    return conflict


@light_kernel
def sweep_lines(
    steps: Ints,
    rows: Ints,
    levels: Ints,
    ties: Ints,
    offsets: Ints,
    bases: Ints,
    ring: bool,
    nodes: Ints,
    use: Ints,
    counts: Ints,
) -> int:
    """The first step in which a link of some lines of an axis carries two messages, or `NEVER`.

    Args:
        steps: as for `sweep_ports`.
        rows, levels, ties: of every dimension along the axis its row of `steps`, its level and the
            number of its tie rule.
        offsets: the process of every coordinate of the axis, the other coordinates 0.
        bases: of every line the process at coordinate 0.
        ring: whether the axis closes.
        nodes: of every process its node.
        use: (2, 2^d), out: messages over the link that leaves a node, in either direction.
        counts: (2, steps): messages sent, and links used, in every step; they are added.
    """
    side, count = len(offsets), len(rows)
    ends = np.full(
        (2, counts.shape[1]), -1, np.int64
    )  # of each step: how far its messages have come
    starts = np.zeros((2, counts.shape[1]), np.int64)  # where the first of them began
    turned = np.zeros((2, 2 * side), np.int64)  # messages that begin less those that end
    conflict, line_mark = NEVER, 0
    for base in bases:
        turned[:] = 0
        for at in range(side):
            begin = line_mark + at
            for k in range(count):
                length = 1 << levels[k]
                half = ring and 2 * length == side
                if not half and at & length:
                    continue
                end = begin + length
                for way in range(2):  # forward from `at`, backward from as far on
                    m = at ^ length * way
                    if half and plus_kernel(length, side, m, m ^ length, ties[k]) == (way == 1):
                        continue
                    step = steps[rows[k], base | offsets[m]]
                    if ends[way, step] < line_mark:
                        starts[way, step] = begin
                    elif ends[way, step] > begin:
                        conflict = min(conflict, step)
                    ends[way, step] = max(ends[way, step], end)
                    if end - side > starts[way, step]:
                        conflict = min(conflict, step)
                    counts[0, step] += 1
                    counts[1, step] += length
                    turned[way, at] += 1
                    turned[way, at + length] -= 1
        for way in range(2):
            passing = 0
            for at in range(side, 2 * side):
                passing -= turned[way, at]  # what ends past the seam, begun before it
            for at in range(side):
                passing += turned[way, at] + turned[way, at + side]
                use[way, nodes[base | offsets[(at + way) % side]]] = passing
        line_mark += 2 * side
    return conflict
