"""Allgathers in which every block travels on, one neighbour a step: rings, buckets, neighbours.

Round a ring, rank r sends in step t the block of rank r - t to rank r + 1 [patarasuk].
Along Hamiltonian cycles of a torus that share no channel, as many rings run at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.collectives.exchanges import along_axis
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Send, Stage


def around(ranks: int, cycle: Ints | None = None, *, back: bool = False) -> Plan:
    """The allgather round a ring: rank cycle[k] sends to cycle[k + 1], or the other way.

    >>> around(4).replay().ok
    True
    """
    source = np.arange(ranks)
    one = -1 if back else 1
    send = Send(
        source, (source + one) % ranks, 1, lambda time, rows: ((rows - one * time) % ranks)[:, None]
    )
    plan = Plan("allgather", ranks, ranks, [Stage((send,), ranks - 1)] * (ranks > 1))
    return plan if cycle is None else plan.renamed(cycle)


def buckets(sides: Sequence[int], first: int = 0, *, back: bool = False) -> Plan:
    """The allgather axis by axis, from `first` on: rings along an axis carry what is there.

    [jain]; block sizes grow by the side of every axis that is done.
    """
    p, one = prod(sides), -1 if back else 1
    stages, done = [], np.zeros(1, np.int64)
    for turn in range(len(sides)):
        axis = (first + turn) % len(sides)
        side, stride = sides[axis], prod(sides[:axis])
        if side > 1:
            stages.append(Stage((_bucket(p, sides, axis, one, done),), side - 1))
        done = (done[:, None] + stride * np.arange(side)).ravel()
    return Plan("allgather", p, p, stages)


def _bucket(p: int, sides: Sequence[int], axis: int, one: int, done: Ints) -> Send:
    """A step along an axis: what came last, with all of the axes that are done."""
    side, stride = sides[axis], prod(sides[:axis])
    done_axes = [a for a in range(len(sides)) if (done == prod(sides[:a])).any() and sides[a] > 1]

    def blocks(time: int, rows: Ints) -> Ints:
        c = rows // stride % side
        base = rows + ((c - one * time) % side - c) * stride
        for a in done_axes:
            base = base - base // prod(sides[:a]) % sides[a] * prod(sides[:a])
        return base[:, None] + done

    return Send(
        np.arange(p), along_axis(sides, axis, (np.arange(side) + one) % side), len(done), blocks
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


def hamiltonian_cycles(sides: Sequence[int], *, wraps: bool = True) -> list[Ints]:
    """Cycles through all nodes of a torus or mesh that share no link, each as its nodes in order.

    A torus with two axes that a known rule covers has two: with C columns and R rows, C a divisor
    of R and R/C without a factor of C - 1, (a, b - a mod C) and the rest [bae]. More axes are
    paired; a torus of D axes has D such cycles [aubert], of which the rule finds 2^floor(log2 D).
    Sides of length 2 are joined in pairs to sides of 4. A mesh with an even side has one cycle,
    and where nothing is known there is none.

    >>> [len(cycle) for cycle in hamiltonian_cycles((4, 4))]
    [16, 16]
    """
    p = prod(sides)
    if p < 3:
        return []
    kept = [side for side in sides if side > 1]
    if not wraps or (2 in kept and kept.count(2) % 2) or (2 in kept and set(kept) != {2}):
        return _snakes(sides)
    if set(kept) == {2}:  # the cube is a torus of sides 4: 00, 01, 11, 10
        nodes = np.zeros(1, np.int64)
        for pair in range(len(kept) // 2):
            nodes = (nodes + (np.array([0, 1, 3, 2]) << 2 * pair)[:, None]).ravel()
        return [nodes[cycle] for cycle in hamiltonian_cycles((4,) * (len(kept) // 2))]
    return _products(kept)


def _products(sides: list[int]) -> list[Ints]:
    if len(sides) == 1:
        return [np.arange(sides[0])]
    half = len(sides) // 2
    low, high = sides[:half], sides[half:]
    found, step = [], prod(low)
    for first, second in zip(_products(low), _products(high), strict=False):
        if (two := _two_cycles(len(first), len(second))) is None:
            return []
        found += [first[x] + step * second[y] for x, y in two]
    return found


def _two_cycles(a: int, b: int) -> list[tuple[Ints, Ints]] | None:
    """Coordinates of two Hamiltonian cycles without a common link in the torus a x b."""
    rows, columns = max(a, b), min(a, b)
    if columns < 3 or rows % columns or gcd(rows // columns, columns - 1) > 1:
        return None
    k = np.arange(a * b)
    row, column = k // columns, (k % columns - k // columns) % columns
    link = {frozenset(pair) for pair in _links(row * columns + column)}
    rest = _other_cycle(rows, columns, link)
    pairs = [(column, row), (rest % columns, rest // columns)]
    return pairs if a == columns else [(y, x) for x, y in pairs]


def _links(cycle: Ints) -> list[tuple[int, int]]:
    return list(zip(cycle.tolist(), np.roll(cycle, -1).tolist(), strict=True))


def _other_cycle(rows: int, columns: int, used: set[frozenset[int]]) -> Ints:
    """The links that are left, walked: every node has two of them."""
    walk, previous, here = [0], -1, 0
    while True:
        x, y = here % columns, here // columns
        around_here = (
            (x + 1) % columns + y * columns,
            (x - 1) % columns + y * columns,
            x + (y + 1) % rows * columns,
            x + (y - 1) % rows * columns,
        )
        free = [v for v in around_here if frozenset((here, v)) not in used and v != previous]
        previous, here = here, free[0]
        if here == 0:
            return np.array(walk)
        walk.append(here)


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
