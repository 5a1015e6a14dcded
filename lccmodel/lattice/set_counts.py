"""Loads after many sets at once: messages are sorted by where they stand, bit by bit.

Bit k of the node p_S(x, y) is that of y if k is in S and that of x if not, so it depends on
whether k is in S and on nothing else. Deciding this for one bit after another, from the highest
down, cuts the messages into buckets that agree in the bits decided so far; all sets that decide
them alike share the buckets. When only the lowest bits are left a bucket holds a few neighbouring
nodes, whose counters stay in the nearest cache:

    bits 3, 2   1, 0
    S = 1 0     ? ?     four buckets of nodes 00??, 01??, 10??, 11??: 4 sets are counted in each

A node has a counter for each bit that may come next, side by side in machine words, so that a
message adds to all of them at once. They have 4 bits in a bucket of volume up to 15, which most
are, then 8, 16 or 64. A word is looked at closely only if one of its counters has a bit that the
largest load so far does not reach.
"""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints, LongWords, Words
from lccmodel.kernels.jit import highest_bit, inlined_kernel, kernel, lowest_bit
from lccmodel.lattice.counts import Counts

_LAST = 3
"""Bits that are left undecided in the smallest buckets."""

_SETS = 1 << _LAST
"""Sets that decide the other bits alike, and nodes of a bucket."""

_WIDTHS = (4, 8, 16, 64)
"""Bits of a counter: the narrowest that hold all volume of a bucket are taken."""


def outside(counts: Counts) -> tuple[Words, Words, Ints]:
    """Sources, changes and volumes of messages as `loads_of_sets` reads them.

    Bit k stands for `counts.bits[k]`, internal bits are left out, and so are messages that have
    nothing to change outside of a node.

    >>> [part.tolist() for part in outside(Counts(3, [0, 6, 4], [6, 1, 5], internal=[0]))]
    [[0, 3], [3, 3], [1, 1]]
    """
    ends = np.zeros((2, counts.sources.size), np.uint32)
    for place, bit in enumerate(counts.bits):
        for row, words in zip(ends, (counts.sources, counts.changes), strict=True):
            row |= (words >> bit & 1).astype(np.uint32) << np.uint32(place)
    moving = ends[1] != 0
    return ends[0, moving], ends[1, moving], counts.volumes[moving].astype(np.int64)


@kernel
def loads_of_sets(first: int, sources: Words, changes: Words, volumes: Ints, loads: Ints) -> None:
    """The largest load of every bit that may be corrected after each set of a range.

    Args:
        first: the first set; a multiple of their number.
        sources, changes, volumes: the messages; changes is source xor destination.
        loads: receives them, shape (sets, bits), sets a power of two; 0 for the bits of a set.
    """
    sets, bits = loads.shape
    free = highest_bit(np.uint64(sets))
    last = min(free, _LAST)
    m = sources.size
    # At depth t the t highest free bits are decided: messages by bucket, and where buckets start.
    x = np.empty((free - last + 1, m), np.uint32)
    c = np.empty((free - last + 1, m), np.uint32)
    v = np.empty((free - last + 1, m), np.int64)
    starts = np.zeros((free - last + 1, (1 << bits - last) + 1), np.int64)
    top = starts[0, : (1 << bits - free) + 1]
    _sort(first, free, sources, changes, volumes, x[0], c[0], v[0], top)
    for S in range(first, first + sets, 1 << last):
        # Depths whose choice differs from that of the set before are made anew.
        changed = free - last if S == first else 0
        if S > first:
            changed = lowest_bit(np.uint64(S)) - last + 1
        for depth in range(free - last - changed + 1, free - last + 1):
            k = free - depth
            _split(
                k,
                S >> k & 1 == 1,
                (1 << bits - k - 1),
                x[depth - 1],
                c[depth - 1],
                v[depth - 1],
                starts[depth - 1],
                x[depth],
                c[depth],
                v[depth],
                starts[depth],
            )
        at = free - last
        out = loads[S - first : S - first + (1 << last)]
        _count(S, last, 1 << bits - last, x[at], c[at], v[at], starts[at], out)


@kernel
def _sort(
    first: int,
    free: int,
    sources: Words,
    changes: Words,
    volumes: Ints,
    x: Words,
    c: Words,
    v: Ints,
    starts: Ints,
) -> None:
    """Messages by the bits that are the same for all sets of the range."""
    corrected = np.uint32(first)
    for i in range(sources.size):
        starts[((sources[i] ^ changes[i] & corrected) >> np.uint32(free)) + 1] += 1
    for k in range(1, starts.size):
        starts[k] += starts[k - 1]
    at = starts[:-1].copy()
    for i in range(sources.size):
        bucket = (sources[i] ^ changes[i] & corrected) >> np.uint32(free)
        j = at[bucket]
        x[j], c[j], v[j] = sources[i], changes[i], volumes[i]
        at[bucket] = j + 1


@kernel
def _split(
    k: int,
    corrected: bool,
    buckets: int,
    x: Words,
    c: Words,
    v: Ints,
    starts: Ints,
    to_x: Words,
    to_c: Words,
    to_v: Ints,
    to_starts: Ints,
) -> None:
    """Cut every bucket by bit k of where its messages stand."""
    shift, flips = np.uint32(k), np.uint32(corrected)
    to_starts[0] = 0
    for bucket in range(buckets):
        low, end = starts[bucket], starts[bucket + 1]
        high = end
        for i in range(starts[bucket], end):
            if (x[i] ^ c[i] * flips) >> shift & np.uint32(1):
                high -= 1
                j = high
            else:
                j = low
                low += 1
            to_x[j], to_c[j], to_v[j] = x[i], c[i], v[i]
        to_starts[2 * bucket + 1], to_starts[2 * bucket + 2] = low, end


@kernel
def _count(
    S: int, last: int, buckets: int, x: Words, c: Words, v: Ints, starts: Ints, loads: Ints
) -> None:
    """The loads after S and the sets that differ from it in the `last` lowest bits."""
    sets, bits = loads.shape
    loads[:] = 0
    marks = np.zeros((len(_WIDTHS), bits, _SETS), np.uint64)  # by width: bits worth a look
    for k in range(len(_WIDTHS)):
        for s in range(sets):
            for j in range(bits):
                if not (S | s) >> j & 1:
                    _look(marks[k], s, j, _WIDTHS[k], 0)
    most = 0
    for bucket in range(buckets):
        most = max(most, starts[bucket + 1] - starts[bucket])
    tables = _tables()
    below = np.uint32(sets - 1)  # bits that are left to tell nodes apart
    words = np.empty(most, np.uint64)
    counters = np.zeros(_SETS * _SETS, np.uint64)  # of a node for each set, side by side
    for bucket in range(buckets):
        begin, end = starts[bucket], starts[bucket + 1]
        volume = 0
        for i in range(begin, end):
            volume += v[i]
        if volume == 0:
            continue
        kind = 0
        while kind < len(_WIDTHS) - 1 and volume >> _WIDTHS[kind]:
            kind += 1
        width = _WIDTHS[kind]
        per = 64 // width
        low = np.uint32((1 << min(per, 8)) - 1)
        for w in range((bits + per - 1) // per):
            for i in range(begin, end):
                left = c[i] >> np.uint32(w * per)
                word = tables[kind, left & low]
                if per > 8:
                    word |= tables[kind, left >> np.uint32(8) & low] << np.uint64(8 * width)
                words[i - begin] = word * np.uint64(v[i])
            _add(x[begin:end], c[begin:end], below, words, counters)
            mark, hits = marks[kind, w], np.uint64(0)
            for node in range(_SETS):
                for s in range(_SETS):
                    hits |= counters[node * _SETS + s] & mark[s]
            if hits:
                for at in range(_SETS * _SETS):
                    s = at % _SETS
                    if counters[at] & mark[s]:
                        _raise(counters[at], w * per, width, mark[s], s, loads, marks)
            for at in range(_SETS * _SETS):
                counters[at] = 0


@inlined_kernel
def _add(x: Words, c: Words, below: np.uint32, words: LongWords, counters: LongWords) -> None:
    """Add the words of a bucket's messages where they stand after each of the sets."""
    for i in range(x.size):
        here, changes, word = x[i] & below, c[i] & below, words[i]
        for s in range(_SETS):
            counters[(here ^ changes & np.uint32(s)) * np.uint32(_SETS) + np.uint32(s)] += word


@kernel
def _raise(
    word: np.uint64, base: int, width: int, mark: np.uint64, s: int, loads: Ints, marks: LongWords
) -> None:
    """Take the counters of a word that has one worth a look."""
    hits = word & mark
    lane = _lane(width)
    while hits:
        place = lowest_bit(hits) // width
        shift = np.uint64(place * width)
        hits &= ~(lane << shift)
        j, load = base + place, np.int64(word >> shift & lane)
        if load > loads[s, j]:
            loads[s, j] = load
            for k in range(len(_WIDTHS)):
                _look(marks[k], s, j, _WIDTHS[k], loads[s, j])


@inlined_kernel
def _lane(width: int) -> np.uint64:
    """A counter full of ones."""
    return ~np.uint64(0) >> np.uint64(64 - width)


@kernel
def _look(marks: LongWords, s: int, j: int, width: int, most: int) -> None:
    """Look at a counter of bit j that is more than `most`: at its bits from that of most + 1 on."""
    per, reach = 64 // width, highest_bit(np.uint64(most + 1))
    lane = _lane(width)
    kept = lane >> np.uint64(reach) << np.uint64(reach) if reach < width else np.uint64(0)
    shift = np.uint64(j % per * width)
    marks[j // per, s] = marks[j // per, s] & ~(lane << shift) | kept << shift


@kernel
def _tables() -> LongWords:
    """For every width and every 8 bits, the word with a 1 in each of their counters."""
    tables = np.zeros((len(_WIDTHS), 256), np.uint64)
    for k in range(len(_WIDTHS)):
        for bits in range(256):
            for j in range(min(8, 64 // _WIDTHS[k])):
                if bits >> j & 1:
                    tables[k, bits] |= np.uint64(1) << np.uint64(j * _WIDTHS[k])
    return tables
