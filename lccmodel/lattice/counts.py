"""What a step of the lattice costs for any messages: they are counted on every channel.

After the bits in S are corrected the message from x to y stands at

    p_S(x, y) = y in the bits of S, x elsewhere  =  x xor ((x xor y) and S)

whatever the messages are and whatever order S was corrected in. So the load of a channel in the
next step is a sum of volumes that depends on the set and the step alone, and the subset programme
of [hou, Theorem 6] finds the best order for any traffic, exactly. For y = Ax + b the sums are the
powers of two of `lattice.ranks`.

By hand, n = 2, the messages 0 -> 3 (volume 5), 1 -> 2 (volume 1), 2 -> 3 (volume 4):

    S      where they stand    next bit 0             next bit 1
    {}     0, 1, 2             0: 5, 1: 1, 2: 4 -> 5  0: 5, 1: 1           -> 5
    {0}    1, 0, 3                                    1: 5, 0: 1           -> 5
    {1}    2, 3, 2             2: 5 + 4, 3: 1   -> 9                          order 0 1 is best

A step may correct a *block* of bits, an axis of a mesh or torus: then a channel lies on a line of
nodes that agree in all other bits, and the load also depends on the order of the bits in the block
(it says which nodes are neighbours), and on whether their numbers count along the axis in binary or
in reflected Gray code. Only whole axes are exact: bits of one axis taken one by one use the same
channels again. Bits *inside* a node are projected out of the position.

Volumes are integers, so that equal loads are equal (`Traffic.exact` scales others).
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, SizeLimitError, checked_array
from lccmodel.ground.arrays import Ints

Block = tuple[tuple[int, ...], bool]
"""An ordered block of bits, lowest first, and whether they count in reflected Gray code."""

MAX_BITS = 24
"""Address bits up to which loads are counted: a counter for every node and bit, 2 GiB."""

MAX_BLOCK = 7
"""Bits of an axis up to which all orders of a block are priced: 5,040 of them."""


class Counts:
    """The price of every step of given messages.

    Args:
        n: number of address bits.
        sources, destinations: integers in 0..2^n - 1, one a message.
        volumes: non-negative integers, one a message; 1 if left out.
        internal: the bits that lie inside a node.

    Raises:
        SizeLimitError: n > 24.
        InputError: arrays of different lengths, nodes outside 0..2^n - 1, volumes that are
            negative or so large that their sum passes 2^62.

    >>> counts = Counts(2, [0, 1, 2], [3, 2, 3], [5, 1, 4])
    >>> counts.loads(0b00).tolist(), counts.load(0b01, 1), counts.load(0b10, 0)
    ([5, 5], 5, 9)
    >>> counts.occupancy(0b10)
    9
    """

    def __init__(
        self,
        n: int,
        sources: npt.ArrayLike,
        destinations: npt.ArrayLike,
        volumes: npt.ArrayLike | None = None,
        internal: Iterable[int] = (),
    ) -> None:
        if not 0 <= n <= MAX_BITS:
            raise SizeLimitError("n", f"loads are counted up to n = {MAX_BITS}", n)
        x, y = _nodes("sources", sources, n), _nodes("destinations", destinations, n)
        v = np.ones(x.size, np.int64) if volumes is None else _volumes(volumes)
        if not x.size == y.size == v.size:
            rule = "must be as many as there are sources"
            raise InputError("destinations, volumes", rule, (x.size, y.size, v.size))
        self.n = n
        self.internal = tuple(sorted(set(internal)))
        self._internal = as_set(self.internal)
        self.sources, self.changes, self.volumes = _merged(n, x, x ^ y, v)

    @property
    def bits(self) -> tuple[int, ...]:
        """The bits that are corrected on channels, ascending."""
        return tuple(j for j in range(self.n) if j not in self.internal)

    def inside(self, internal: Iterable[int]) -> Counts:
        """The same messages with other bits inside a node."""
        other = copy(self)
        other.internal = tuple(sorted(set(internal)))
        other._internal = as_set(other.internal)
        return other

    # -- one bit a step -------------------------------------------------------------------

    def load(self, corrected: int, j: int) -> int:
        """Volume on the busiest channel of bit j, corrected after the bits in `corrected`."""
        return int(self.loads(corrected)[j])

    def loads(self, corrected: int) -> Ints:
        """Volume on the busiest channel of every bit corrected next, int64 of shape (n,).

        The entries of bits in `corrected` and of internal ones mean nothing.
        """
        from lccmodel.lattice.counting import loads_after

        outside = np.uint32(self._all & ~self._internal)
        for lanes, table, counters, totals in self._lanes:
            out = np.zeros(lanes.per_node, np.int64)
            if loads_after(
                np.uint32(corrected),
                outside,
                *self._messages,
                table,
                lanes.words,
                counters,
                counters.view(lanes.dtype),
                totals,
                out,
            ):
                break
        return out[: self.n]

    def occupancy(self, corrected: int) -> int:
        """Volume in the fullest node once the bits in `corrected` are corrected.

        Messages that stay where they are count; they are in their node.
        """
        if not self.sources.size:
            return 0
        here = (self.sources ^ (self.changes & corrected)) & ~self._internal
        held = np.zeros(1 << self.n, np.int64)
        np.add.at(held, here, self.volumes)
        return int(held.max())

    @cached_property
    def least(self) -> tuple[int, ...]:
        """For every bit a load that no set goes below: the mean of its channels, or one message."""
        bounds = []
        for j in range(self.n):
            crossing = self.volumes[(self.changes >> j & 1).astype(bool)]
            mean = -(-int(crossing.sum()) // (1 << self.n))
            bounds.append(max(mean, int(crossing.max(initial=0))))
        return tuple(bounds)

    # -- an axis a step -------------------------------------------------------------------

    def block_loads(self, corrected: int, block: int, ring: int, gray: bool = False) -> Ints:
        """Volume on the busiest channel when the bits of `block` are corrected on one axis.

        Args:
            corrected: the bits that are corrected already, as a set.
            block: the bits of the axis, as a set; at most 7.
            ring: 0 if the axis is a line; else it wraps around, a message goes the shorter way, and
                half-way round by the tie rule of number `ring - 1` (`Geometry.ring_rules`).
            gray: price the orders in reflected Gray code, too.

        Returns: one load for every order of the block, as `block_orders` lists them; int64.

        >>> row = Counts(2, [0, 1], [2, 3])          # 0 -> 2 and 1 -> 3 on a line of four nodes
        >>> orders = block_orders(0b11, True)
        >>> dict(zip(orders, row.block_loads(0, 0b11, False, True).tolist(), strict=True))
        {((0, 1), False): 2, ((1, 0), False): 1, ((0, 1), True): 2, ((1, 0), True): 1}
        """
        from lccmodel.lattice.counting import axis_loads_after

        out = np.zeros(len(block_orders(block, gray)), np.int64)
        axis_loads_after(
            corrected,
            block,
            self._all & ~self._internal & ~block,
            self.sources,
            self.changes,
            self.volumes,
            _places(block.bit_count(), gray),
            ring,
            out,
        )
        return out

    # -- a digit of a fat tree a step -----------------------------------------------------

    def tree_load(self, corrected: int, by_destination: bool = True) -> int:
        """Volume on the busiest channel above the level whose digits are the bits `corrected`.

        A message that differs in a higher digit climbs. Routed by destination it has taken the
        digits of its destination by then: it uses the channel of p_S going up, and descends over
        that of its destination. Routed by source it climbs over the channel of its source, and
        descends over that of p_S seen from the other end. Internal bits are not looked at.

        >>> Counts(2, [0, 1, 2], [3, 2, 3], [5, 1, 4]).tree_load(0b01)      # 0 and 1 climb
        5
        """
        climbs = self.changes & ~corrected != 0
        x, v = self.sources[climbs], self.volumes[climbs]
        y = x ^ self.changes[climbs]
        low, high = (y, x) if by_destination else (x, y)
        most = 0
        for used in (low & corrected | high & ~corrected, low):
            held = np.zeros(1 << self.n, np.int64)
            np.add.at(held, used, v)
            most = max(most, int(held.max()))
        return most

    # -- what the kernels read ------------------------------------------------------------

    @property
    def _all(self) -> int:
        return (1 << self.n) - 1

    @cached_property
    def _messages(self) -> tuple[Any, Any, Any]:
        """Sources, changes, volumes as the kernel of single bits reads them."""
        return (
            self.sources.astype(np.uint32),
            self.changes.astype(np.uint32),
            self.volumes.astype(np.uint64),
        )

    @cached_property
    def _lanes(self) -> list[tuple[Any, Any, Any, Any]]:
        """Counters to try, narrow ones first, with the sums that say whether they spilled."""
        from lccmodel.lattice.counting import Lanes

        totals = [
            int(self.volumes[(self.changes >> j & 1).astype(bool)].sum()) for j in range(self.n)
        ]
        largest = int(self.volumes[self.changes != 0].max(initial=0))
        widths = []
        for lanes in Lanes.tried(self.n, largest, max(totals, default=0)):
            sums = np.zeros(lanes.per_node, np.uint64)
            sums[: self.n] = totals
            widths.append((lanes, lanes.table(), lanes.counters(), sums))
        return widths


def block_orders(block: int, gray: bool = False) -> tuple[Block, ...]:
    """All orders of a block, in binary and then (if `gray`) in reflected Gray code.

    >>> block_orders(0b101)
    (((0, 2), False), ((2, 0), False))
    """
    bits = [j for j in range(block.bit_length()) if block >> j & 1]
    codes = (False, True) if gray else (False,)
    return tuple((order, code) for code in codes for order in permutations(bits))


@lru_cache(maxsize=32)
def _places(m: int, gray: bool) -> Ints:
    """For every order the coordinate of each value of the block's bits, (orders, 2^m), int64.

    The node at coordinate c holds the value c or, in Gray code, c xor c >> 1.
    """
    if m > MAX_BLOCK:
        rule = f"all orders of an axis are priced, so it has at most {MAX_BLOCK} bits"
        raise SizeLimitError("block", rule, m)
    values = np.arange(1 << m, dtype=np.int64)
    rows = []
    for order, code in block_orders((1 << m) - 1, gray):
        place = np.zeros_like(values)
        for k, bit in enumerate(order):
            place |= (values >> bit & 1) << k
        if code:  # the coordinate whose Gray code this is
            for shift in (1, 2, 4):
                place ^= place >> shift
        rows.append(place)
    return np.array(rows)


def _nodes(argument: str, nodes: npt.ArrayLike, n: int) -> Ints:
    checked = checked_array(argument, nodes, "must be a sequence of integers")
    if checked.ndim != 1:
        raise InputError(argument, "must be a sequence of integers", nodes)
    if checked.size and (int(checked.min()) < 0 or int(checked.max()) >> n):
        rule = f"must be nodes, 0..{(1 << n) - 1}"
        raise InputError(
            argument, rule, int(checked.max() if checked.min() >= 0 else checked.min())
        )
    return checked


def _volumes(volumes: npt.ArrayLike) -> Ints:
    rule = "must be integers; Traffic.exact scales others"
    checked = checked_array("volumes", volumes, rule)
    if checked.ndim != 1:
        raise InputError("volumes", rule, volumes)
    if checked.size and (int(checked.min()) < 0 or sum(map(int, checked)) >> 62):
        rule = "must not be negative, and add up to less than 2^62"
        raise InputError("volumes", rule, volumes)
    return checked


def _merged(n: int, x: Ints, d: Ints, v: Ints) -> tuple[Ints, Ints, Ints]:
    """Messages with the same ends as one; none without volume. Sorted by source."""
    keys, places = np.unique(x << n | d, return_inverse=True)
    total = np.zeros(keys.size, np.int64)
    np.add.at(total, places, v)
    kept = total > 0
    keys, total = keys[kept], total[kept]
    return keys >> n, keys & (1 << n) - 1, total


def as_set(bits: Iterable[int]) -> int:
    """The bits as an int with bit j set for bit j."""
    return sum(1 << j for j in bits)
