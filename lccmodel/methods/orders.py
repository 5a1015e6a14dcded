"""All orders of correcting the bits that are free of contention.

An order is a path through the correction lattice; it is free of contention if no channel carries
two messages, load(S, j) <= 1 in every step (`lattice.lattice`). Algorithm HL's order and the
order of Sibeyn's passes are among them.

For a permutation no search is wasted: every beginning of such an order can be completed. After S
at most two messages stand in a node. If two do, the sources differ by a v within S and the
destinations by a = Av with a_S = 0; a is not 0, and any j with a_j = 1 can come next.

Bits that no message changes (y_j = x_j for all x) put no load on any channel: they may come at any
place, and where they come changes no other load. With another vector b the bit does move, and the
order may then meet contention. `whatever_b` asks for the orders that are free for every b, which
is the same as to count such bits like the others. HL treats them like the others, and is the
lexicographically first order of this smaller set.

    y = (x_2, x_1, x_0)     orders free of contention
    b = 0                   012  021  102  120  201  210
    whatever b is                021  102  120  201         not 1 between 0 and 2
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from lccmodel.communication.destinations import linear_complement_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import SizeLimitError
from lccmodel.methods.contention import internal_bits, require_fit
from lccmodel.network import Network

__all__ = ["MAX_COUNTED", "correction_orders", "count_correction_orders"]

MAX_COUNTED = 20
"""Largest number of moving bits whose orders are counted: 2^20 subsets."""

State = tuple[tuple[int, ...], int]
"""Rows of A reduced against the pivots so far, and the set of corrected rows without a pivot."""


def correction_orders(
    c: LCC | Sequence[int], network: Network | None = None, *, whatever_b: bool = False
) -> Iterator[tuple[int, ...]]:
    """The orders of correcting the bits in which no channel carries two messages.

    They come one by one, in lexicographic order; the first of 64 bits is there at once.

    Args:
        c: a linear-complement permutation: an LCC, or 2^n destinations.
        network: a hypercube (the default), or a bristled one, whose bit 0 lies in the routers
            and is in no order.
        whatever_b: only orders that are free of contention for every vector b. Without it, bits
            that no message changes may come at any place.

    Raises:
        CommunicationError: no permutation.
        NotLinearComplement: a permutation that is not of the form y = Ax + b.
        NetworkError: the network is no hypercube, or has another size.

    >>> exchange = LCC([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> list(correction_orders(exchange, whatever_b=True))
    [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)]
    >>> next(correction_orders(exchange))
    (0, 1, 2)
    """
    lattice = _Free.of(c, network, whatever_b)
    dead: set[int] = set()

    def completions(state: State, done: int, order: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(order) == len(lattice.bits):
            yield order
            return
        alive = False
        for j in lattice.bits:
            then = done | 1 << j
            if done >> j & 1 or then in dead or not lattice.allows(state, done, j):
                continue
            for whole in completions(lattice.correct(state, done, j), then, (*order, j)):
                alive = True
                yield whole
        if not alive:  # what can follow depends on the set of corrected bits only
            dead.add(done)

    return completions(lattice.start, 0, ())


def count_correction_orders(
    c: LCC | Sequence[int], network: Network | None = None, *, whatever_b: bool = False
) -> int:
    """How many orders `correction_orders` gives, counted over subsets of bits.

    Bits that no message changes are left out and come back as a factor, so up to 2^m subsets are
    visited for m moving bits.

    Raises:
        SizeLimitError: more than 20 moving bits.
        CommunicationError, NotLinearComplement, NetworkError: as for `correction_orders`.

    >>> exchange = LCC([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> count_correction_orders(exchange), count_correction_orders(exchange, whatever_b=True)
    (6, 4)
    """
    lattice = _Free.of(c, network, whatever_b)
    moving = [j for j in lattice.bits if lattice.moving >> j & 1]
    if len(moving) > MAX_COUNTED:
        rule = f"all sets of moving bits are visited, so at most {MAX_COUNTED} of them"
        raise SizeLimitError("communication", rule, len(moving))
    layer: dict[int, tuple[State, int]] = {0: (lattice.start, 1)}
    for _ in moving:
        following: dict[int, tuple[State, int]] = {}
        for done, (state, count) in layer.items():
            for j in moving:
                then = done | 1 << j
                if then == done or not lattice.allows(state, done, j):
                    continue
                known = following.get(then)
                reached = lattice.correct(state, done, j) if known is None else known[0]
                following[then] = (reached, count + (0 if known is None else known[1]))
        layer = following
    total = sum(count for _, count in layer.values())
    return total * math.perm(len(lattice.bits), len(lattice.bits) - len(moving))


class _Free:
    """Which bits may be corrected next: load(S, j) <= 1, by growing ranks.

    As `GrowingRank`, with states that are values: a search goes on from one state many times.
    """

    def __init__(self, c: LCC, internal: tuple[int, ...], whatever_b: bool) -> None:
        self.bits = tuple(j for j in range(c.n) if j not in internal)
        self.moving = sum(1 << j for j in self.bits if whatever_b or c.moves(j))
        self._internal = sum(1 << j for j in internal)
        self.start: State = (c.A.rows, 0)

    @classmethod
    def of(cls, c: LCC | Sequence[int], network: Network | None, whatever_b: bool) -> _Free:
        advice = 'only then has it one order; self_route(..., mode="mimd") takes any permutation'
        communication = linear_complement_of(c, advice)
        if network is None:
            return cls(communication, (), whatever_b)
        require_fit(communication, network)
        return cls(communication, internal_bits(network), whatever_b)

    def allows(self, state: State, done: int, j: int) -> bool:
        """Whether correcting bit j after the bits in `done` puts at most one message on a channel.

        The columns in S ∪ I without a pivot are |I| and one for every row of S without a pivot;
        the load is 1 if row j gives the last of them a pivot.
        """
        rows, unpaired = state
        if not self.moving >> j & 1:
            return True
        lacking = self._internal.bit_count() + unpaired.bit_count()
        return lacking - bool(rows[j] & (done | self._internal)) <= 0

    def correct(self, state: State, done: int, j: int) -> State:
        """The state after bit j: row j and column j join."""
        rows, unpaired = state
        entries = rows[j] & (done | self._internal)
        if entries:
            rows = _reduced(rows, j, entries & -entries)
        else:
            unpaired |= 1 << j
        waiting = unpaired
        while waiting:
            i = (waiting & -waiting).bit_length() - 1
            if rows[i] >> j & 1:
                return _reduced(rows, i, 1 << j), unpaired ^ 1 << i
            waiting &= waiting - 1
        return rows, unpaired


def _reduced(rows: tuple[int, ...], i: int, column: int) -> tuple[int, ...]:
    """Row i becomes the pivot row of a column."""
    pivot = rows[i]
    return tuple(row ^ pivot if row & column and k != i else row for k, row in enumerate(rows))
