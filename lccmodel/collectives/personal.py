"""Alltoall and barrier: blocks that are for one rank alone, and messages without data.

Block s p + d is what rank s has for rank d.

    linear        everything in one step
    pairwise      in step t every rank sends to the one t on                   [thakur]
    bruck         blocks move by the digits of d - s in a radix; ceil(log p)   [bruck]
    exchange      blocks correct one bit of s xor d: the complete exchange, dimension by dimension
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import overload

import numpy as np

from lccmodel._arrays import Ints
from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Send, Stage, fixed


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
