"""Walking: messages are moved over explicit channels and counted; no rank is taken here.

`route`, `channel_loads` and `contention` walk one message after another and are easy to believe;
`walked_contention` is the short way to T_i of a communication y = Ax + b.

The kernels below count the same for n <= 6, all messages at once: a set of messages is a word
whose bit x stands for the message of source x, and plane k is the set of messages whose present
address has bit k set. Splitting the moving messages by every plane leaves, for every node, the
messages that stand there and move, which is the load of one channel.

    n = 2, y = (x_1, x_0)      sources 3 2 1 0     before correcting bit 1, with y_0 corrected
    plane 0 = y_0 = x_1        1 1 0 0             node 3: {3}  node 1: {2}   node 2: {1} ...
    plane 1 = x_1              1 1 0 0             moving = x_1 ^ y_1 = x_1 ^ x_0 = {1, 2}
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import bit_count, borrowed, inlined_kernel, kernel
from proofs_check.arrays import Ints, Words

MAX_N = 6
"""Largest n of the kernels: 2^6 messages fill a 64-bit word."""

Channel = tuple[int, int]


def route(x: int, y: int, order: Iterable[int]) -> list[int]:
    """The nodes of the dimension-ordered path from x to y, both ends included.

    >>> route(0b000, 0b101, range(3))
    [0, 1, 5]
    """
    nodes = [x]
    for k in order:
        if (x ^ y) >> k & 1:
            x ^= 1 << k
            nodes.append(x)
    return nodes


def channel_loads(paths: Iterable[Sequence[int]]) -> Counter[Channel]:
    """How many of the paths use each channel (u, v).

    >>> channel_loads([[0, 1, 3], [2, 0, 1]])[0, 1]
    2
    """
    loads: Counter[Channel] = Counter()
    for path in paths:
        loads.update(itertools.pairwise(path))
    return loads


def contention(pairs: Iterable[tuple[int, int]], order: Sequence[int]) -> list[int]:
    """T_i for every dimension i < len(order): the load of its busiest channel, every pair walked.

    >>> contention([(x, 3) for x in range(4)], range(2))      # all nodes send to node 3
    [1, 2]
    """
    busiest_of = [0] * len(order)
    for (u, v), load in channel_loads(route(int(x), int(y), order) for x, y in pairs).items():
        i = (u ^ v).bit_length() - 1
        busiest_of[i] = max(busiest_of[i], load)
    return busiest_of


# -- kernels, n <= 6 ----------------------------------------------------------------------


@kernel
def set_source_planes(n: int, planes: Words) -> None:
    """Plane k of the sources themselves: bit x of plane k is bit k of x."""
    for k in range(n):
        word = np.uint64(0)
        for x in range(1 << n):
            if x >> k & 1:
                word |= np.uint64(1) << np.uint64(x)
        planes[k] = word


@kernel
def set_destination_planes(n: int, rows: Ints, b: int, sources: Words, planes: Words) -> None:
    """Plane k of the destinations: the sources x with y_k = 1, where y = Ax + b."""
    ones = everyone(n)
    for k in range(n):
        word = ones if b >> k & 1 else np.uint64(0)
        for j in range(n):
            if rows[k] >> j & 1:
                word ^= sources[j]
        planes[k] = word


@inlined_kernel
def everyone(n: int) -> np.uint64:
    """The set of all messages."""
    return ~np.uint64(0) if n == 6 else (np.uint64(1) << np.uint64(1 << n)) - np.uint64(1)


@inlined_kernel
def split_by_node(n: int, planes: Words, messages: np.uint64, blind: int, sets: Words) -> int:
    """Split a set of messages by the node (router) where they stand; the number of nodes.

    `sets` receives those of every node, an empty set for a node without; bits in `blind` do not
    tell nodes apart.
    """
    sets[0] = messages
    count = 1
    for k in range(n):
        if blind >> k & 1:
            continue
        plane = planes[k]
        for t in range(count):
            word = sets[t]
            sets[count + t] = word & plane
            sets[t] = word & ~plane
        count *= 2
    return count


@kernel
def busiest(n: int, planes: Words, moving: np.uint64, blind: int, sets: Words) -> int:
    """The largest number of moving messages in one node.

    `planes` holds the present addresses; messages that leave a node in the same dimension share a
    channel, so with `moving` = those whose next bit is wrong this is the load of the busiest
    channel of that dimension. Bits in `blind` do not tell nodes apart (the two processors of a
    router of the Origin 2000: blind = 1). `sets` is scratch of length 2^n.
    """
    planes, sets = borrowed(planes), borrowed(sets)
    most = 0
    for t in range(split_by_node(n, planes, moving, blind, sets)):
        most = max(most, bit_count(sets[t]))
    return most


@kernel
def most_crowded(n: int, planes: Words, sets: Words) -> tuple[int, int]:
    """(least, largest) number of messages in a node that holds any."""
    most = busiest(n, planes, everyone(n), 0, sets)
    least = most
    for t in range(1 << n):
        held = bit_count(sets[t])
        if 0 < held < least:
            least = held
    return least, most


@kernel
def walk(
    n: int,
    order: Ints,
    blind: int,
    sources: Words,
    destinations: Words,
    present: Words,
    sets: Words,
    T: Ints,
) -> None:
    """Correct the bits in `order` one after another and count the channels of each.

    T[i] is the load of the busiest channel of dimension i; bits in `blind` are corrected where
    `order` has them, but they are no channels and do not tell nodes apart. Bits that `order` does
    not have keep their sources' values, and T[i] = 0 there. `present` and `sets` are scratch of
    length n and 2^n.
    """
    for k in range(n):
        present[k] = sources[k]
        T[k] = 0
    for i in order:
        if not blind >> i & 1:
            T[i] = busiest(n, present, sources[i] ^ destinations[i], blind, sets)
        present[i] = destinations[i]


def walked_contention(
    A: GF2Matrix, b: int, order: Sequence[int] | None = None, blind: int = 0
) -> list[int]:
    """T_i of y = Ax + b for every dimension i, messages walked in `order` (default 0..n-1).

    Reordering by an order and then routing by e-cube walks the same channels under other names:
    T_i(QAQ⁻¹, Qb) is the entry order[i] here.

    Args:
        A: n by n.
        b: packed vector.
        order: the dimensions in the order in which they are corrected.
        blind: bits that are no channels and do not tell nodes apart, e.g. 1 for the Origin 2000.

    >>> walked_contention(GF2Matrix([[0, 1], [1, 0]]), 0)
    [1, 1]
    >>> walked_contention(GF2Matrix.zeros(3), 0, order=(2, 0, 1))
    [2, 4, 1]
    """
    n = A.n_columns
    steps = range(n) if order is None else order
    if n > MAX_N:
        kept = (1 << n) - 1 & ~blind
        pairs = ((x & kept, (A.apply(x) ^ b) & kept) for x in range(1 << n))
        return contention(pairs, steps)
    sources, destinations, present = np.empty((3, n), np.uint64)
    T = np.empty(n, np.int64)
    set_source_planes(n, sources)
    set_destination_planes(n, np.array(A.rows), int(b), sources, destinations)
    sets = np.empty(1 << n, np.uint64)
    walk(n, np.array(steps, np.int64), blind, sources, destinations, present, sets, T)
    return [int(load) for load in T]
