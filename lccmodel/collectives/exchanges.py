"""Allgathers in which every rank receives all that its partners have: butterflies, and Bruck's.

K_j(r) is what rank r has after j steps. In step j it receives from `partner[r]` what that one has:

    K_0(r) = {r},     K_(j+1)(r) = K_j(r) + K_j(partner(r)) [+ K_j(second partner(r)) ...]

so a rule is a list of partners, and blocks follow. What a rank has already is not sent again: the
places that are new are those of rank 0, as all ranks do the same seen from where they stand.
Backwards this is a reduce-scatter, both are an allreduce: halving and doubling.

    partner of r in step s                                source
    r xor 2^s                      recursive doubling     [thakur]
    r + 2^s                        Bruck                  [bruck]
    r +- rho_s, for even and odd   Swing, Bine            [swing], [bine]
    r +- 3^s, both                 Trivance, p = 3^n      [trivance]

with rho_s = (1 - (-2)^(s+1)) / 3 = 1, -1, 3, -5, 11, ...

In an alltoall blocks are for one rank alone, block s p + d what rank s has for rank d:

    linear        everything in one step
    pairwise      in step t every rank sends to the one t on                   [thakur]
    bruck         blocks move by the digits of d - s in a radix; ceil(log p)   [bruck]
    exchange      blocks correct one bit of s xor d: the complete exchange, dimension by dimension
    axes          along one axis after another, what is for the rank t on             [johnsson]

A barrier sends messages without data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import prod
from typing import overload

import numpy as np

from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Send, Stage, fixed
from lccmodel.ground.arrays import Ints

_MOST_KEPT = 1 << 22
"""Most blocks of all ranks at one level that are kept."""

Partners = tuple[Ints, ...]
"""From whom every rank receives in a step, int64 (p,) each: one for each port in use."""


def gathered(ranks: int, steps: Sequence[Partners], name: str = "") -> Plan:
    """The allgather in which rank r receives in step j all that steps[j][...][r] have.

    >>> gathered(4, [bit_partners(4, 0), bit_partners(4, 1)]).replay().ok
    True
    """
    known: list[tuple[Partners, list[Ints]]] = []
    tables: dict[int, Ints] = {}

    def held(level: int, rows: Ints) -> Ints:
        """K_level of so many ranks; int64 (rows, blocks). Low levels are kept for all ranks."""
        if level == 0:
            return rows[:, None]
        if level in tables:
            return tables[level][rows]
        partners, fresh = known[level - 1]
        asked = [rows, *(partner[rows] for partner in partners)]
        own, *others = np.split(held(level - 1, np.concatenate(asked)), len(asked))
        pairs = zip(others, fresh, strict=True)
        blocks = np.concatenate([own, *(_columns(other, some) for other, some in pairs)], axis=1)
        # for all ranks once, if a sixteenth of them is wanted now: later steps look it up
        if blocks.shape[1] * ranks <= _MOST_KEPT and 16 * len(rows) >= ranks:
            every = np.arange(ranks)
            tables[level] = blocks if np.array_equal(rows, every) else held(level, every)
        return blocks

    def send(level: int, partner: Ints, new: Ints) -> Send:
        return Send(
            partner,
            np.arange(ranks),
            len(new),
            lambda _, rows: _columns(held(level, partner[rows]), new),
        )

    stages, zero = [], np.zeros(1, np.int64)
    for level, partners in enumerate(steps):
        has, fresh = set(held(level, zero)[0].tolist()), []
        for partner in partners:
            offered = held(level, partner[:1])[0].tolist()
            places = [k for k, block in enumerate(offered) if block not in has]
            has |= {offered[k] for k in places}
            fresh.append(np.array(places, np.int64))
        known.append((partners, fresh))
        pairs = zip(partners, fresh, strict=True)
        stages.append(Stage(tuple(send(level, p, new) for p, new in pairs if len(new))))
    return Plan("allgather", ranks, ranks, stages, 0, name)


def _columns(blocks: Ints, some: Ints) -> Ints:
    """Some columns, row by row in memory; all of them as they are."""
    return blocks if len(some) == blocks.shape[1] else blocks.take(some, axis=1)


def exchange_all(ranks: int, steps: Sequence[Partners], name: str = "") -> Plan:
    """The allreduce that sends the whole vector in every step, as a butterfly may.

    *Requires* that what the partners of a step have summed up does not overlap.
    """
    every = fixed(np.zeros((ranks, 1), np.int64))
    stages = [
        Stage(tuple(Send(partner, np.arange(ranks), 1, every, True) for partner in partners))
        for partners in steps
    ]
    return Plan("allreduce", ranks, 1, stages, 0, name)


# -- partners -------------------------------------------------------------------------------


def bit_partners(ranks: int, bit: int) -> Partners:
    """r xor 2^bit."""
    return (np.arange(ranks) ^ (1 << bit),)


def along_axis(sides: Sequence[int], axis: int, moved: Ints) -> Ints:
    """Every rank with its coordinate c on an axis replaced by moved[c]; int64 (p,)."""
    stride = prod(sides[:axis])
    ranks = np.arange(prod(sides))
    c = ranks // stride % sides[axis]
    return ranks + (moved[c] - c) * stride


def swing_partners(side: int, step: int, *, mirrored: bool = False) -> Ints:
    """pi(c, s) = c + rho_s for even c, c - rho_s for odd c, modulo the side [swing].

    >>> swing_partners(8, 2).tolist()
    [3, 6, 5, 0, 7, 2, 1, 4]
    """
    rho = (1 - (-2) ** (step + 1)) // 3
    c = np.arange(side)
    forward = (c % 2 == 0) ^ mirrored
    partners: Ints = (c + np.where(forward, rho, -rho)) % side
    return partners


def three_ways(side: int, step: int) -> tuple[Ints, Ints]:
    """c + d and c - d modulo the side, d = 3^s, and in the last step half of what is left.

    [trivance]: after s steps a rank has 3^s neighbours' blocks, itself in the middle; where the
    side is no power of 3, the last step reaches (side - 3^s) / 2 ranks on, rounded up.

    >>> [int(three_ways(side, 1)[0][0]) for side in (7, 8, 9)]
    [2, 3, 3]
    """
    c = np.arange(side)
    last = 3 ** (step + 1) >= side
    d = -((3**step - side) // 2) if last else 3**step
    return (c + d) % side, (c - d) % side


def axes_in_turn(steps_of_axis: Sequence[int], first: int = 0) -> Iterator[tuple[int, int]]:
    """(axis, step on this axis): the axes take turns from `first`, each until it has its steps.

    So does Swing on a torus [swing].

    >>> list(axes_in_turn((2, 1)))
    [(0, 0), (1, 0), (0, 1)]
    """
    axes = len(steps_of_axis)
    for step in range(max(steps_of_axis, default=0)):
        for turn in range(axes):
            axis = (first + turn) % axes
            if step < steps_of_axis[axis]:
                yield axis, step


# -- alltoall and barrier -------------------------------------------------------------------


class _Lazily(Sequence[Stage]):
    """Stages that are made when they are asked for: p - 1 of p messages are many."""

    def __init__(self, count: int, make: Callable[[int], Stage]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Stage: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Stage]: ...
    def __getitem__(self, index: int | slice) -> Stage | Sequence[Stage]:
        if isinstance(index, slice):
            return [self._make(k) for k in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(index)
        return self._make(index % self._count)


def pairwise(ranks: int) -> Plan:
    """In step t rank r sends to rank r + t + 1 what it has for it.

    >>> pairwise(5).replay().ok
    True
    """
    r = np.arange(ranks)

    def stage(step: int) -> Stage:
        to = (r + step + 1) % ranks
        return Stage((Send(r.copy(), to, 1, lambda _, rows: (rows * ranks + to[rows])[:, None]),))

    return Plan("alltoall", ranks, ranks * ranks, _Lazily(ranks - 1, stage))


def linear(ranks: int) -> Plan:
    """Every rank sends to all others in one step."""
    source, target = np.nonzero(~np.eye(ranks, dtype=bool))
    blocks = fixed((source * ranks + target)[:, None])
    stages = [Stage((Send(source, target, 1, blocks),))] * (ranks > 1)
    return Plan("alltoall", ranks, ranks * ranks, stages)


def by_digits(ranks: int, radix: int = 2) -> Plan:
    """Bruck's: blocks move by one digit of d - s after the other, lowest first.

    >>> by_digits(9, 3).steps, by_digits(9, 3).replay().ok
    (4, True)
    """
    r, ahead = np.arange(ranks), np.arange(ranks)
    stages, power = [], 1

    def send(digit: int, power: int) -> Send:
        some = ahead[ahead // power % radix == digit]

        def blocks(_: int, rows: Ints) -> Ints:
            start = (rows[:, None] - some % power) % ranks
            named: Ints = start * ranks + (start + some) % ranks
            return named

        return Send(r.copy(), (r + digit * power) % ranks, len(some), blocks)

    while power < ranks:
        digits = range(1, min(radix, -(-ranks // power)))
        stages += [Stage((send(digit, power),)) for digit in digits]
        power *= radix
    return Plan("alltoall", ranks, ranks * ranks, stages)


def by_bits(ranks: int) -> Plan:
    """The complete exchange of a hypercube: in step k everything crosses dimension k that has to.

    >>> by_bits(8).replay().ok
    True
    """
    r, away = np.arange(ranks), np.arange(ranks)

    def send(bit: int) -> Send:
        some = away[away >> bit & 1 == 1]

        def blocks(_: int, rows: Ints) -> Ints:
            start = rows[:, None] ^ some & ((1 << bit) - 1)
            named: Ints = start * ranks + (start ^ some)
            return named

        return Send(r.copy(), r ^ 1 << bit, len(some), blocks)

    stages = [Stage((send(bit),)) for bit in range(ranks.bit_length() - 1)]
    return Plan("alltoall", ranks, ranks * ranks, stages)


def along_axes(sides: Sequence[int], first: int = 0, *, back: bool = False) -> Plan:
    """Axis after axis, from `first` on: in a step, what is for the coordinate t on, or t back.

    Rank r has before axis a the blocks (s, d) whose d has its coordinates on the axes that are
    done, and whose s has them on the others.

    >>> along_axes((3, 2, 2)).replay().ok, along_axes((4, 4)).steps
    (True, 6)
    """
    p, axes = prod(sides), len(sides)
    r, order = np.arange(prod(sides)), [(first + turn) % len(sides) for turn in range(len(sides))]
    strides = [prod(sides[:axis]) for axis in range(axes)]

    def lines(among: Sequence[int]) -> Ints:
        """What is added for every choice of coordinates on these axes."""
        starts = np.zeros(1, np.int64)
        for axis in among:
            starts = (starts[:, None] + strides[axis] * np.arange(sides[axis])).ravel()
        return starts

    def cleared(ranks: Ints, among: Sequence[int]) -> Ints:
        """Ranks with coordinate 0 on these axes."""
        for axis in among:
            ranks = ranks - ranks // strides[axis] % sides[axis] * strides[axis]
        return ranks

    def send(turn: int, step: int) -> Send:
        axis, done, left = order[turn], order[:turn], order[turn + 1 :]
        shift = -step if back else step
        to = along_axis(sides, axis, (np.arange(sides[axis]) + shift) % sides[axis])
        sources, targets = lines(done), lines(left)

        def blocks(_: int, rows: Ints) -> Ints:
            source = cleared(rows, done)[:, None, None] + sources[:, None]
            target = cleared(to[rows], left)[:, None, None] + targets
            named: Ints = (source * p + target).reshape(len(rows), -1)
            return named

        return Send(r.copy(), to, len(sources) * len(targets), blocks)

    stages = [
        Stage((send(turn, step),))
        for turn, axis in enumerate(order)
        for step in range(1, sides[axis])
    ]
    return Plan("alltoall", p, p * p, stages)


def direct(ranks: int) -> Plan:
    """The allgather in which every rank sends its block to all others in one step.

    >>> direct(5).replay().ok, direct(5).steps
    (True, 1)
    """
    source, target = np.nonzero(~np.eye(ranks, dtype=bool))
    stages = [Stage((Send(source, target, 1, fixed(source[:, None])),))] * (ranks > 1)
    return Plan("allgather", ranks, ranks, stages)


def dissemination(ranks: int) -> Plan:
    """The barrier in which rank r tells rank r + 2^k all that it knows, in step k [hensgen].

    >>> dissemination(6).replay().ok
    True
    """
    r = np.arange(ranks)
    word = fixed(np.zeros((ranks, 1), np.int64))
    stages = [
        Stage((Send(r.copy(), (r + (1 << k)) % ranks, 1, word),))
        for k in range((ranks - 1).bit_length())
    ]
    return Plan("barrier", ranks, 1, stages)
