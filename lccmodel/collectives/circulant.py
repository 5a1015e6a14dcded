"""The broadcast in rounds of a circulant graph, for any number of ranks [traeff].

With q = ceil(log_2 p) and skips s_q = p, s_k = ceil(s_(k+1) / 2), rank r sends in round k to rank
r + s_k and receives from r - s_k, both modulo p, round after round, k = 0, ..., q - 1 and again.
In a turn of q rounds the root sends q new blocks, block k in round k. Rank r receives in round k

    block b of this turn      once, where b, its base block, is the first block that it hears of
    block j of the turn before, for j = 0, ..., q - 1 but b, in the other rounds

The base block of r is the index of the smallest skip in the sum of skips that the greedy rule makes
of r. By hand, p = 5: skips 1, 2, 3, 5; 4 = 3 + 1 has base block 0 and hears it in round 2, from 1.

    rank   1         2         3         4         (a dash: of the turn before)
    k = 0  0         0-        1-        2-        from r - 1
    k = 1  2-        1         0-        1-        from r - 2
    k = 2  1-        2-        2         0         from r - 3

A turn of q blocks takes 2 q rounds, and the next one starts q rounds behind it. For n blocks of any
number, the blocks are counted from x on, n - 1 + x a multiple of q: the first x rounds have nothing
to send and are left out, and the last turn has one block, which is the base block of all ranks.
That are n - 1 + q rounds with one port, the fewest there are. By hand, p = 5, n = 2, so x = 2:

    round 0   0 -> 3: 0
    round 1   0 -> 1: 1   3 -> 4: 0
    round 2   0 -> 2: 1   4 -> 1: 0
    round 3   0 -> 3: 1   4 -> 2: 0   1 -> 4: 1

Which block comes when is a search of sums of skips behind the rank.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np

from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Paced, Send, Stage, fixed
from lccmodel.ground.arrays import Ints


def skips_of(ranks: int) -> list[int]:
    """The skips s_0 = 1, ..., s_q = p.

    >>> skips_of(5), skips_of(8), skips_of(1)
    ([1, 2, 3, 5], [1, 2, 4, 8], [1])
    """
    halvings = [ranks]
    while halvings[-1] > 1:
        halvings.append(-(-halvings[-1] // 2))
    return halvings[::-1]


def base_block(rank: int, skips: list[int]) -> int:
    """The index of the smallest skip in the greedy sum of a rank; q for the root.

    >>> [base_block(rank, skips_of(5)) for rank in range(5)]
    [3, 0, 1, 2, 0]
    """
    block = len(skips) - 1
    for index in reversed(range(len(skips) - 1)):
        if skips[index] <= rank:
            rank, block = rank - skips[index], index
        if not rank:
            break
    return block


def received(rank: int, skips: list[int]) -> list[int]:
    """The block that a rank receives in each round of a turn; of the turn before, less q.

    >>> [received(rank, skips_of(5)) for rank in range(1, 5)]
    [[0, -1, -2], [-3, 1, -1], [-2, -3, 2], [-1, -2, 0]]
    """
    q = len(skips) - 1
    own, arriving = base_block(rank, skips), list[int]()
    free = [index for index in reversed(range(q + 1)) if index != own]
    target = skips[q] + rank

    def search(reached: int, below: int, tried: list[int]) -> int:
        """Sums of skips behind the rank, in falling order; each gives the block of its last skip.

        Returns: the last of the sums, below which all further ones are.
        """
        for index in tried:
            if index not in free or len(arriving) == q:
                continue
            k, here = len(arriving), reached + skips[index]
            if here > target - skips[k] or here >= below:
                continue
            if here <= target - skips[k + 1]:
                below = search(here, below, [other for other in free if other <= index])
                k = len(arriving)
            if k == q or reached > target - skips[k + 1]:
                return below
            below = here
            arriving.append(index)
            free.remove(index)
        return below

    search(0, 2 * skips[q], list(free))
    return [own if index == q else index - q for index in arriving]


MOST_EXACT = 4096
"""Ranks up to which the best n of all is searched; beyond, that of n = 1 modulo q."""


def rounds(ranks: int, count: int = 1) -> Plan:
    """The broadcast of so many blocks, in count - 1 + ceil(log_2 p) rounds.

    >>> rounds(5), rounds(5, 4), rounds(5, 4).replay().ok
    (<Plan of broadcast: 5 ranks, 3 steps, 4 messages>, <Plan of broadcast: 5 ranks, 6 steps, \
16 messages>, True)
    """
    if ranks == 1:
        return Plan("broadcast", 1, 1, [])
    skips = skips_of(ranks)
    q = len(skips) - 1
    blocks = _all_received(ranks)

    def plan_of(n: int) -> Plan:
        first = (1 - n) % q
        turns = (n - 1 + first) // q
        every = [
            _stage(blocks, skips, k, q * turn - first, n - 1)
            for turn in range(turns + 1)
            for k in range(q)
        ]
        return Plan("broadcast", ranks, n, every[first:])

    full = Plan("broadcast", ranks, 1, [_stage(blocks, skips, k, q, 2 * q) for k in range(q)])
    residues = tuple(range(q)) if ranks <= MOST_EXACT else (1 % q,)
    return replace(plan_of(count), paced=Paced(plan_of, full, residues) if count == 1 else None)


def _stage(blocks: Ints, skips: list[int], k: int, start: int, last: int) -> Stage:
    """Round k of a turn whose blocks are counted from `start` on; none is above `last`."""
    carried = np.minimum(blocks[:, k] + start, last)
    rows = np.flatnonzero(carried >= 0)
    to = rows + 1
    send = Send((to - skips[k]) % (len(blocks) + 1), to, 1, fixed(carried[rows][:, None]))
    return Stage((send,) if len(rows) else ())


@lru_cache(maxsize=8)
def _all_received(ranks: int) -> Ints:
    """The blocks that ranks 1, 2, ... receive in every round of a turn; int64 (p - 1, q)."""
    skips = skips_of(ranks)
    blocks = np.array([received(rank, skips) for rank in range(1, ranks)], np.int64)
    blocks.flags.writeable = False
    return blocks


def turns(ranks: int) -> Plan:
    """The broadcast of one turn of q blocks, in 2 q rounds; segments start q rounds apart.

    >>> turns(5), turns(5).replay().ok, turns(5).segmented(4).replay().ok
    (<Plan of broadcast: 5 ranks, 6 steps, 12 messages>, True, True)
    """
    if ranks == 1:
        return Plan("broadcast", 1, 1, [])
    skips = skips_of(ranks)
    q = len(skips) - 1
    blocks = _all_received(ranks)
    stages = []
    for turn in range(2):
        for k in range(q):
            rows = np.flatnonzero((blocks[:, k] >= 0) == (turn == 0))
            to = rows + 1
            carried = blocks[rows, k] + q * turn
            send = Send((to - skips[k]) % ranks, to, 1, fixed(carried[:, None]))
            stages.append(Stage((send,) if len(rows) else ()))
    while not stages[-1].sends:  # the last rounds, in which every rank has all
        stages.pop()
    return Plan("broadcast", ranks, q, stages, lag=q)
