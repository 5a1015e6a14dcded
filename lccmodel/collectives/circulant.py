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

So a segment of q blocks takes 2 q rounds, and the next one starts q rounds behind it: n blocks take
n + q rounds, with one port. Which block comes when is a search of sums of skips behind the rank.
"""

from __future__ import annotations

import numpy as np

from lccmodel.collectives.plans import Plan
from lccmodel.collectives.steps import Send, Stage, fixed


def skips_of(ranks: int) -> list[int]:
    """The skips s_0 = 1, ..., s_q = p.

    >>> skips_of(5), skips_of(8), skips_of(1)
    ([1, 2, 3, 5], [1, 2, 4, 8], [1])
    """
    found = [ranks]
    while found[-1] > 1:
        found.append(-(-found[-1] // 2))
    return found[::-1]


def base_block(rank: int, skips: list[int]) -> int:
    """The index of the smallest skip in the greedy sum of a rank; q for the root.

    >>> [base_block(rank, skips_of(5)) for rank in range(5)]
    [3, 0, 1, 2, 0]
    """
    found = len(skips) - 1
    for index in reversed(range(len(skips) - 1)):
        if skips[index] <= rank:
            rank, found = rank - skips[index], index
        if not rank:
            break
    return found


def received(rank: int, skips: list[int]) -> list[int]:
    """The block that a rank receives in each round of a turn; of the turn before, less q.

    >>> [received(rank, skips_of(5)) for rank in range(1, 5)]
    [[0, -1, -2], [-3, 1, -1], [-2, -3, 2], [-1, -2, 0]]
    """
    q = len(skips) - 1
    own, found = base_block(rank, skips), list[int]()
    free = [index for index in reversed(range(q + 1)) if index != own]
    target = skips[q] + rank

    def search(reached: int, below: int, tried: list[int]) -> int:
        """Sums of skips behind the rank, in falling order; each gives the block of its last skip.

        Returns: the last of the sums, below which all further ones are.
        """
        for index in tried:
            if index not in free or len(found) == q:
                continue
            k, here = len(found), reached + skips[index]
            if here > target - skips[k] or here >= below:
                continue
            if here <= target - skips[k + 1]:
                below = search(here, below, [other for other in free if other <= index])
                k = len(found)
            if k == q or reached > target - skips[k + 1]:
                return below
            below = here
            found.append(index)
            free.remove(index)
        return below

    search(0, 2 * skips[q], list(free))
    return [own if index == q else index - q for index in found]


def rounds(ranks: int) -> Plan:
    """The broadcast of one turn of q blocks, in 2 q rounds; segments start q rounds apart.

    >>> rounds(5), rounds(5).replay().ok, rounds(5).segmented(4).replay().ok
    (<Plan of broadcast: 5 ranks, 6 steps, 12 messages>, True, True)
    """
    if ranks == 1:
        return Plan("broadcast", 1, 1, [])
    skips = skips_of(ranks)
    q = len(skips) - 1
    blocks = np.array([received(rank, skips) for rank in range(1, ranks)], np.int64)
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
