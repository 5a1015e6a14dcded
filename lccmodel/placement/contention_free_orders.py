"""All orders of correcting the bits that are free of contention.

An order is a path through the correction lattice; it is free of contention if no channel carries
two messages: the rule `Bounded(ranks, load=1)` of `lattice.ranks`. Algorithm HL's order and the
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
from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.errors import CommunicationError, SizeLimitError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.lattice.path import Paths, arranged
from lccmodel.lattice.ranks import Bounded, Ranks, State
from lccmodel.network import Network, as_network
from lccmodel.placement.contention import internal_bits, require_fit

_MAX_COUNTED = 20
"""Largest number of moving bits whose orders are counted: 2^20 subsets."""


@typed_arguments
def correction_orders(
    communication: LCC | Sequence[int], network: Network | None = None, *, whatever_b: bool = False
) -> Iterator[tuple[int, ...]]:
    """Return the orders of correcting the bits in which no channel carries two messages.

    They come one by one, in lexicographic order; the first of 64 bits is there at once.

    Args:
        communication: a linear-complement permutation: an LCC, or 2^n destinations.
        network: a hypercube (the default), or a bristled one, whose bit 0 lies in the routers
            and is in no order.
        whatever_b: only orders that are free of contention for every vector b. Without it, bits
            that no message changes may come at any place.

    Raises:
        CommunicationError: not a permutation.
        NotLinearComplement: a permutation that is not of the form y = Ax + b.
        NetworkError: the network is not a hypercube, or has another size.

    >>> exchange = LCC([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    >>> list(correction_orders(exchange, whatever_b=True))
    [(0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1)]
    >>> next(correction_orders(exchange))
    (0, 1, 2)
    """
    ranks = _ranks(communication, network, whatever_b)
    return Paths(Bounded(ranks, load=1)).every(ranks.start)


def count_correction_orders(
    communication: LCC | Sequence[int], network: Network | None = None, *, whatever_b: bool = False
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
    ranks = _ranks(communication, network, whatever_b)
    moving = [j for j in ranks.bits if ranks.moving >> j & 1]
    if len(moving) > _MAX_COUNTED:
        rule = f"all sets of moving bits are visited, so at most {_MAX_COUNTED} of them"
        raise SizeLimitError("communication", rule, len(moving))
    among_moving = Paths(Bounded(ranks, load=1, bits=moving)).number(ranks.start)
    return among_moving * math.perm(len(ranks.bits), len(ranks.bits) - len(moving))


def contention_free_walk(
    ranks: Ranks, bits: tuple[int, ...] | None = None, *, swap: bool
) -> tuple[int, ...]:
    """The greedy walk with load <= 1; for a nonsingular A it never meets a dead end.

    >>> contention_free_walk(Ranks(LCC([[0, 1], [1, 0]]), whatever_b=True), swap=True)
    (0, 1)
    """

    def allows(state: State, j: int) -> bool:
        return ranks.next_load(state, j) <= 1

    start = ranks.bits if bits is None else bits
    steps = list(arranged(start, ranks.start, allows, ranks.grow, swap=swap))
    return steps[-1][2] if steps else ()


def ranks_of_a_permutation(communication: LCC, rule: str) -> Ranks:
    """The prices of a permutation whatever b is, or the rule that it breaks.

    Raises:
        CommunicationError: not an LCC, or A is singular.
    """
    require_lcc(communication)
    if communication.kind != "permutation":
        raise CommunicationError("communication", rule, communication)
    return Ranks(communication, whatever_b=True)


def _ranks(c: LCC | Sequence[int], network: Network | str | None, whatever_b: bool) -> Ranks:
    if network is not None:
        network = as_network(network)
    advice = 'only then has it one order; self_route(..., mode="mimd") takes any permutation'
    communication = linear_complement_of(c, advice)
    if network is None:
        return Ranks(communication, (), whatever_b)
    require_fit(communication, network)
    return Ranks(communication, internal_bits(network), whatever_b)
