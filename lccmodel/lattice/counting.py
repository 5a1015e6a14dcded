"""Kernels that count loads after a set of bits, for messages of any kind.

Single bits. A node has one counter for each bit that may come next. They lie side by side in
machine words, so that a message adds to all of them at once: its volume times a word with a 1 in
the lane of every bit that it still has to change. Bits of S collect rubbish in their own lanes,
which nobody reads. The largest value of every lane is then found for many lanes at once.

A lane that is too narrow spills into the next. Then some lane no longer adds up to all the volume
that changes its bit: the lowest in its word that spilled has lost a multiple of its size and
gained nothing. So narrow lanes come first, and their sums say whether wide ones are needed.

    lanes of 16 bits, n = 4, a message of volume 3 that changes bits 0 and 2:   0000 0003 0000 0003

A block of bits. The messages on a line of nodes take runs of consecutive channels: the volume is
added where a run begins, taken off where it ends, and a running sum gives the loads. Where they
stand, and on which line, is found once for a block; each order of its bits is then a relabelling of
the coordinates on the line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints, LongWords, Words
from lccmodel.kernels.jit import kernel, light_kernel
from lccmodel.network.kernels import longest_plus

_GROUP = 64
"""Lanes whose maxima are taken together; a multiple of the lanes of a node."""


@dataclass(frozen=True)
class Lanes:
    """How the counters of a node lie in machine words.

    Attributes:
        n: number of address bits.
        width: bits of a counter: 16, 32 or 64.
        words: words of a node, a power of two.
    """

    n: int
    width: int
    words: int

    @classmethod
    def tried(cls, n: int, largest: int, total: int) -> list[Lanes]:
        """Counters that hold the largest message, narrow ones first, up to all volume of a bit.

        >>> Lanes.tried(10, 1, 70000)
        [Lanes(n=10, width=16, words=4), Lanes(n=10, width=32, words=8)]
        """
        tried = []
        for width in (16, 32, 64):
            if not largest >> width:
                needed = -(-max(n, 1) // (64 // width))
                tried.append(cls(n, width, 1 << (needed - 1).bit_length()))
            if not total >> width:
                break
        return tried

    @property
    def per_node(self) -> int:
        """Counters of a node."""
        return self.words * (64 // self.width)

    @property
    def dtype(self) -> Any:
        """The type of one counter."""
        return {16: np.uint16, 32: np.uint32, 64: np.uint64}[self.width]

    def table(self) -> LongWords:
        """For every set of bits of one word, the word with a 1 in each of their lanes."""
        per_word = 64 // self.width
        return np.array(
            [
                sum(1 << k * self.width for k in range(per_word) if bits >> k & 1)
                for bits in range(1 << per_word)
            ],
            np.uint64,
        )

    def counters(self) -> LongWords:
        """Counters of all nodes, filled up to whole groups."""
        per_group = _GROUP * self.width // 64
        needed = self.words << self.n
        return np.zeros(-(-needed // per_group) * per_group, np.uint64)


@light_kernel
def loads_after(
    corrected: np.uint32,
    outside: np.uint32,
    sources: Words,
    changes: Words,
    volumes: LongWords,
    table: LongWords,
    words: int,
    counters: LongWords,
    lanes: npt.NDArray[Any],
    totals: LongWords,
    loads: Ints,
) -> bool:
    """The largest load of every bit that may be corrected after a set.

    Args:
        corrected: the set.
        outside: the bits that number the nodes: all but internal ones.
        sources, changes, volumes: the messages; changes is source xor destination.
        table, words: see `Lanes`.
        counters, lanes: scratch, the same memory as words and as counters.
        totals: the volume that changes each bit, one for every lane of a node.
        loads: receives the largest load of every lane.

    Returns: whether no lane has spilled; else the loads mean nothing.
    """
    for i in range(counters.size):
        counters[i] = 0
    bits = np.uint32(0)  # of a word
    while table.size >> bits > 1:
        bits += np.uint32(1)
    low = np.uint32(table.size - 1)
    if words == 1:
        for i in range(sources.size):
            node = (sources[i] ^ (changes[i] & corrected)) & outside
            counters[node] += table[changes[i] & low] * volumes[i]
    elif words == 2:
        for i in range(sources.size):
            at = ((sources[i] ^ (changes[i] & corrected)) & outside) * np.uint32(2)
            counters[at] += table[changes[i] & low] * volumes[i]
            counters[at + np.uint32(1)] += table[changes[i] >> bits & low] * volumes[i]
    elif words == 4:
        for i in range(sources.size):
            at = ((sources[i] ^ (changes[i] & corrected)) & outside) * np.uint32(4)
            change, volume = changes[i], volumes[i]
            counters[at] += table[change & low] * volume
            counters[at + np.uint32(1)] += table[change >> bits & low] * volume
            counters[at + np.uint32(2)] += table[change >> bits * np.uint32(2) & low] * volume
            counters[at + np.uint32(3)] += table[change >> bits * np.uint32(3) & low] * volume
    else:
        for i in range(sources.size):
            at = ((sources[i] ^ (changes[i] & corrected)) & outside) * np.uint32(words)
            change, volume = changes[i], volumes[i]
            for w in range(words):
                counters[at + np.uint32(w)] += table[change & low] * volume
                change >>= bits
    return _largest(lanes, totals, loads)


@kernel
def _largest(lanes: npt.NDArray[Any], totals: LongWords, loads: Ints) -> bool:
    """The largest value of every lane; whether every lane adds up to its total.

    The loops over a group become vector instructions.
    """
    peak = np.zeros(_GROUP, lanes.dtype)
    sums = np.zeros(_GROUP, np.uint64)
    for first in range(0, lanes.size, _GROUP):
        for k in range(_GROUP):
            peak[k] = max(peak[k], lanes[first + k])
            sums[k] += np.uint64(lanes[first + k])
    loads[:] = 0
    for k in range(_GROUP):
        loads[k % loads.size] = max(loads[k % loads.size], np.int64(peak[k]))
    for k in range(totals.size):
        total = np.uint64(0)
        for other in range(k, _GROUP, totals.size):
            total += sums[other]
        if total != totals[k]:
            return False
    return True


@kernel
def _packed(number: int, bits: int) -> int:
    """The bits of a number that are in a set, moved together."""
    packed, k = 0, 0
    place = 0
    while bits >> place:
        if bits >> place & 1:
            packed |= (number >> place & 1) << k
            k += 1
        place += 1
    return packed


@light_kernel
def axis_loads_after(
    corrected: int,
    block: int,
    others: int,
    sources: Ints,
    changes: Ints,
    volumes: Ints,
    places: Ints,
    rule: int,
    loads: Ints,
) -> None:
    """The largest load on an axis whose bits are corrected after a set, for many orders.

    Args:
        corrected: the set.
        block: the bits of the axis, as a set.
        others: the bits that tell lines apart.
        sources, changes, volumes: the messages.
        places: coordinate of every value of the block's bits, (orders, 2^m).
        rule: 0 if the axis is a line, else 1 + its tie rule (`Geometry.ring_rules`).
        loads: receives one load for every order.
    """
    length = places.shape[1]
    lines, begins, ends, weights = np.empty((4, sources.size), np.int64)
    moving = 0
    for i in range(sources.size):
        if changes[i] & block:
            here = sources[i] ^ (changes[i] & corrected)
            lines[moving] = _packed(here, others) * length
            begins[moving] = _packed(here, block)
            ends[moving] = _packed(here ^ changes[i], block)
            weights[moving] = volumes[i]
            moving += 1
    n_lines = 1
    while n_lines <= _packed(others, others):
        n_lines *= 2
    counters = np.empty((2, n_lines * length), np.int64)
    for order in range(places.shape[0]):
        counters[:] = 0
        for i in range(moving):
            c, d = places[order, begins[i]], places[order, ends[i]]
            _run(counters, lines[i], c, d, length, rule, weights[i])
        loads[order] = _busiest(counters, length)


@kernel
def _run(counters: Ints, line: int, c: int, d: int, length: int, rule: int, volume: int) -> None:
    """Add a message from coordinate c to d: +volume where its run begins, - where it ends.

    Channels are named by their tails: + takes c, c + 1, ..., and - takes c, c - 1, ..., which from
    below is d + 1, d + 2, ...
    """
    forward = d - c if d > c else d - c + length
    odd = c & 1 if rule > 1 else 0
    minus = forward + odd > longest_plus(length) if rule else d < c
    begin = (d + 1) % length if minus else c
    end = begin + ((length - forward) if minus else forward)
    row = 1 if minus else 0
    counters[row, line + begin] += volume
    if end > length:  # the run goes on at the other end of the line
        counters[row, line] += volume
        end -= length
    if end < length:
        counters[row, line + end] -= volume


@kernel
def _busiest(counters: Ints, length: int) -> int:
    """The largest running sum on any line in any direction."""
    most = 0
    for row in range(2):
        for first in range(0, counters.shape[1], length):
            total = 0
            for k in range(first, first + length):
                total += counters[row, k]
                most = max(most, total)
    return most
