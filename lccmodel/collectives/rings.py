"""Allgathers in which every block travels on, one neighbour a step: rings, buckets, neighbours.

Round a ring, rank r sends in step t the block of rank r - t to rank r + 1 [patarasuk].
Along Hamiltonian cycles of a torus that share no channel, as many rings run at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from lccmodel.collectives.exchanges import along_axis
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Send, Stage
from lccmodel.ground.arrays import Ints


def around(ranks: int, cycle: Ints | None = None, *, back: bool = False) -> Plan:
    """The allgather round a ring: rank cycle[k] sends to cycle[k + 1], or the other way.

    >>> around(4).replay().ok
    True
    """
    source = np.arange(ranks)
    step = -1 if back else 1
    send = Send(
        source,
        (source + step) % ranks,
        1,
        lambda time, rows: ((rows - step * time) % ranks)[:, None],
    )
    plan = Plan("allgather", ranks, ranks, [Stage((send,), ranks - 1)] * (ranks > 1))
    return plan if cycle is None else plan.renamed(cycle)


def buckets(sides: Sequence[int], first: int = 0, *, back: bool = False) -> Plan:
    """The allgather axis by axis, from `first` on: rings along an axis carry what is there.

    [jain]; block sizes grow by the side of every axis that is done.
    """
    p, step = prod(sides), -1 if back else 1
    stages, done = [], np.zeros(1, np.int64)
    for turn in range(len(sides)):
        axis = (first + turn) % len(sides)
        side, stride = sides[axis], prod(sides[:axis])
        if side > 1:
            stages.append(Stage((_bucket(p, sides, axis, step, done),), side - 1))
        done = (done[:, None] + stride * np.arange(side)).ravel()
    return Plan("allgather", p, p, stages)


def _bucket(p: int, sides: Sequence[int], axis: int, step: int, done: Ints) -> Send:
    """A step along an axis: what came last, with all of the axes that are done."""
    side, stride = sides[axis], prod(sides[:axis])
    done_axes = [a for a in range(len(sides)) if (done == prod(sides[:a])).any() and sides[a] > 1]

    def blocks(time: int, rows: Ints) -> Ints:
        c = rows // stride % side
        base = rows + ((c - step * time) % side - c) * stride
        for a in done_axes:
            base = base - base // prod(sides[:a]) % sides[a] * prod(sides[:a])
        return base[:, None] + done

    return Send(
        np.arange(p), along_axis(sides, axis, (np.arange(side) + step) % side), len(done), blocks
    )


def neighbours(ranks: int) -> Plan:
    """The allgather by neighbour exchange, for an even number of ranks [chen].

    Ranks 2k and 2k + 1 exchange their blocks; then every rank exchanges pairs of blocks with its
    two neighbours in turn, those that came last.
    """
    r = np.arange(ranks)
    sign = np.where(r % 2 == 0, 1, -1)

    def pair(step: int) -> Send:
        inward = step % 2 == 0
        partner = (r + (sign if inward else -sign)) % ranks
        offset = -(step // 2) if inward else step // 2

        def blocks(_: int, rows: Ints) -> Ints:
            low = (rows // 2 + sign[rows] * offset) % (ranks // 2) * 2
            return np.stack([low, low + 1], axis=1)

        return Send(r, partner, 2, blocks)

    first = Send(r, r + sign, 1, lambda _, rows: rows[:, None])
    stages = [Stage((first,)), *(Stage((pair(step),)) for step in range(1, ranks // 2))]
    return Plan("allgather", ranks, ranks, stages)


# -- Hamiltonian cycles ---------------------------------------------------------------------

_TRIED = 1 << 24
"""Most squares of links that are looked at."""


_MOST_JOINED = 1 << 12
"""Most nodes of which several cycles are looked for; joining them takes time by their square."""


def hamiltonian_cycles(
    sides: Sequence[int], *, wraps: bool = True, several: bool = True
) -> list[Ints]:
    """Cycles through all nodes of a torus or mesh that share no link, each as its nodes in order.

    A torus of D axes has D of them, which take all links [aubert]; two axes of length 2 count as
    one of length 4, and one that is left takes none. A mesh with an even side has one, and so has a
    torus of more than 2^12 nodes, or where one is enough.

    >>> [len(cycle) for cycle in hamiltonian_cycles((4, 6))], len(hamiltonian_cycles((3, 4, 5)))
    ([24, 24], 3)
    """
    p = prod(sides)
    if p < 3:
        return []
    snakes = _snakes(sides)
    if not wraps or (snakes and not several) or p > _MOST_JOINED:
        return snakes
    strides = [(side, prod(sides[:axis])) for axis, side in enumerate(sides)]
    halves = [stride for side, stride in strides if side == 2]
    axes = [stride * np.arange(side) for side, stride in strides if side > 2]
    while len(halves) > 1:
        x, y = halves.pop(0), halves.pop(0)
        axes.append(np.array([0, x, x + y, y]))
    nodes = np.zeros(1, np.int64)
    for steps in axes:
        nodes = (nodes + steps[:, None]).ravel()
    cycles = [nodes[cycle] for cycle in _joined([len(steps) for steps in axes])]
    return _doubled(cycles, halves[0]) if halves else cycles


def _joined(sides: Sequence[int]) -> list[Ints]:
    """The Hamiltonian cycles of a torus with sides of at least 3."""
    from lccmodel.collectives.kernels import join_cycles

    p, axes = prod(sides), len(sides)
    ahead, back = (
        np.stack([along_axis(sides, a, (np.arange(k) + way) % k) for a, k in enumerate(sides)])
        for way in (1, -1)
    )
    colour = np.repeat(np.arange(axes)[:, None], p, axis=1)
    follows = np.empty((axes, p), np.int64)
    if join_cycles(colour, ahead, back, follows, _TRIED):
        return []
    cycles = []
    for after in follows.tolist():
        cycle = [0]
        while after[cycle[-1]]:
            cycle.append(after[cycle[-1]])
        cycles.append(np.array(cycle))
    return cycles


def _doubled(cycles: Sequence[Ints], other: int) -> list[Ints]:
    """Each cycle on two layers `other` apart: all of it, across, and back; no crossing twice."""
    doubled, crossed = [], set[int]()
    for cycle in cycles:
        ends = zip(cycle.tolist(), np.roll(cycle, 1).tolist(), strict=True)
        start = next(k for k, pair in enumerate(ends) if not crossed & set(pair))
        turned = np.roll(cycle, -start)
        crossed |= {int(turned[0]), int(turned[-1])}
        doubled.append(np.concatenate([turned, turned[::-1] + other]))
    return doubled


def snake(sides: Sequence[int]) -> Ints:
    """A path through all nodes of a mesh, each next to the one before.

    >>> snake((3, 2)).tolist()
    [0, 1, 2, 5, 4, 3]
    """
    line = np.zeros(1, np.int64)
    for axis, side in enumerate(sides):
        turns = [line if c % 2 == 0 else line[::-1] for c in range(side)]
        line = np.concatenate([turn + c * prod(sides[:axis]) for c, turn in enumerate(turns)])
    return line


def _snakes(sides: Sequence[int]) -> list[Ints]:
    """One cycle of a mesh with an even side: up and down in all columns but the first."""
    kept = [(side, prod(sides[:a])) for a, side in enumerate(sides) if side > 1]
    if len(kept) < 2 or all(side % 2 for side, _ in kept):
        return []
    even = next(k for k, (side, _) in enumerate(kept) if side % 2 == 0)
    length, stride = kept.pop(even)
    line = np.zeros(1, np.int64)  # a Hamiltonian path of the other axes
    for side, step in kept:
        turns = [line if c % 2 == 0 else line[::-1] for c in range(side)]
        line = np.concatenate([turn + c * step for c, turn in enumerate(turns)])
    body = [line[1:] if c % 2 == 0 else line[:0:-1] for c in range(length)]
    there = [part + c * stride for c, part in enumerate(body)]
    back = line[0] + stride * np.arange(length)[::-1]
    return [np.concatenate([*there, back])]
