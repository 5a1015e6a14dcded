"""Dimension permutations as bit exchanges [edelman, Section 5].

A dimension permutation moves address bits: e_k goes to e_(p_k), its matrix is a permutation matrix.
Three ways to take it apart, every list in order of action (the last factor in print acts first):

    any P           two bit exchanges, that is, symmetric permutation matrices       Lemma 5.3
    P symmetric     elementary bit exchanges E_ij of disjoint pairs                  Lemma 5.1
    a shuffle       σ_ij = E_(i,i+1) E_(i+1,i+2) ... E_(j-1,j)                       (5.6)
                    σ_ij = E_ij E_(i,j-1) ... E_(i,i+1)                              (5.7)

A cycle e_0 -> e_1 -> ... -> e_(l-1) -> e_0 is two reflections, as a rotation of an l-gon is: first
t -> -t, then t -> 1 - t, modulo l.

**The fewest elementary exchanges.** E_ij joins two cycles of a permutation or splits one. So n - c
exchanges are needed where there are c cycles, fixed bits included, and each of them splits a cycle.
A cycle of length l has l^(l-2) such factorizations [Dénes 1959]; those of several cycles
interleave:

    (n - c)! Π l^(l-2) / (l - 1)!          n = 3, the shuffle: 3^1 = 3
                                           E_01 E_12 = E_02 E_01 = E_12 E_02

If one dimension lies in the memory of a node, exchanges with it are the cheap ones: data move to a
neighbour, half of them. With only these, a cycle of length l costs l - 1 exchanges if the local
dimension is in it and l + 1 otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from lccmodel.communication.lcc import LCC, reordering_matrix
from lccmodel.communication.permutations import address_bits
from lccmodel.errors import CommunicationError, InputError, checked_integer, checked_integers
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word

Exchange = tuple[int, int]
"""The elementary bit exchange E_ij as the pair (i, j) with i < j."""

PermutationLike = LCC | Sequence[int] | MatrixLike
"""A dimension permutation: an LCC with b = 0, an order, or a permutation matrix."""


@typed_arguments
def shuffle(i: int, j: int, n: int) -> LCC:
    """Return σ_ij on dimensions i..j: bit k moves to k + 1, bit j to i; the others stay.

    Args:
        i, j: 0 <= i <= j < n.
        n: number of address bits.

    Raises:
        InputError: not 0 <= i <= j < n.
        CommunicationError, SizeLimitError: n is not in 1..64.

    Source: [edelman, Definition 5.1].

    >>> shuffle(0, 2, 3).destination([0b001, 0b100]).tolist()
    [2, 1]
    """
    n, (low, high) = address_bits(n), checked_integers("i, j", (i, j))
    if not 0 <= low <= high < n:
        raise InputError("i, j", f"must satisfy 0 <= i <= j <= {n - 1}", (i, j))
    order = list(range(n))
    order[low : high + 1] = [high, *range(low, high)]
    return LCC(GF2Matrix.from_order(order), name=f"shuffle of bits {low}..{high}")


@typed_arguments
def bit_exchange(i: int, j: int, n: int) -> LCC:
    """Return E_ij: bits i and j change places.

    Raises:
        InputError: i and j are not two bits of 0..n-1.
        CommunicationError, SizeLimitError: n is not in 1..64.

    Source: [edelman, Definition 5.2].

    >>> bit_exchange(0, 2, 3).destination(0b001)
    4
    """
    return product_of_exchanges([(i, j)], n)


@typed_arguments
def product_of_exchanges(exchanges: Iterable[Exchange], n: int) -> LCC:
    """Elementary bit exchanges one after another, the first in the list acting first.

    >>> product_of_exchanges([(0, 1), (1, 2)], 3) == product_of_exchanges([(0, 2), (0, 1)], 3)
    True
    """
    order = list(range(address_bits(n)))
    for pair in exchanges:
        i, j = _pair(pair, n)
        order[i], order[j] = order[j], order[i]
    return LCC(GF2Matrix.from_order(order))


@typed_arguments
def bit_exchanges(P: PermutationLike) -> tuple[LCC, LCC]:
    """Return two symmetric permutation matrices whose product is P, first acting first.

    P = second.A @ first.A. If P is symmetric itself, the second is the identity.

    Raises:
        InputError: P is not a permutation of bits.
        CommunicationError: an LCC with b != 0.

    Source: [edelman, Lemmas 5.2 and 5.3].

    >>> first, second = bit_exchanges(shuffle(0, 2, 3))
    >>> first.A.as_order(), second.A.as_order()
    ((0, 2, 1), (1, 0, 2))
    """
    targets = targets_of(P)
    n = len(targets)
    first, second = list(range(n)), list(range(n))
    for cycle in cycles_of(targets):
        size = len(cycle)
        if size == 2:  # an exchange already
            first[cycle[0]], first[cycle[1]] = cycle[1], cycle[0]
            continue
        for t, bit in enumerate(cycle):
            first[bit] = cycle[-t % size]
            second[bit] = cycle[(1 - t) % size]
    return LCC(GF2Matrix.from_order(first)), LCC(GF2Matrix.from_order(second))


@typed_arguments
def independent_exchanges(P: PermutationLike) -> tuple[Exchange, ...]:
    """Return the elementary exchanges of disjoint pairs of bits that make up a bit exchange.

    Raises:
        InputError: P is not a permutation of bits, or not symmetric.

    Source: [edelman, Lemma 5.1].

    >>> independent_exchanges([3, 2, 1, 0])                     # bit reversal
    ((0, 3), (1, 2))
    """
    targets = targets_of(P)
    if any(targets[target] != bit for bit, target in enumerate(targets)):
        rule = "must be symmetric, its own inverse; bit_exchanges(P) splits any permutation"
        raise InputError("P", rule, P)
    return tuple((bit, target) for bit, target in enumerate(targets) if bit < target)


@typed_arguments
def shuffle_factors(
    i: int, j: int, n: int, form: Literal["5.6", "5.7"] = "5.6"
) -> tuple[Exchange, ...]:
    """Return the j - i elementary exchanges of σ_ij, in order of action.

    Args:
        i, j, n: as for `shuffle`.
        form: "5.6", each exchange of neighbours, or "5.7", every exchange with bit i.

    Raises:
        InputError: not 0 <= i <= j < n, or another form.

    Source: [edelman, (5.6) and (5.7), Examples 1 and 2].

    >>> shuffle_factors(0, 3, 4), shuffle_factors(0, 3, 4, "5.7")
    (((2, 3), (1, 2), (0, 1)), ((0, 1), (0, 2), (0, 3)))
    """
    shuffle(i, j, n)  # checks the arguments
    checked_word("form", form, ("5.6", "5.7"))
    if form == "5.6":
        return tuple((k, k + 1) for k in reversed(range(i, j)))
    return tuple((i, k) for k in range(i + 1, j + 1))


@typed_arguments
def dimension_loads(exchanges: Iterable[Exchange], n: int) -> tuple[int, ...]:
    """How often every dimension takes part in the elementary exchanges.

    >>> [dimension_loads(shuffle_factors(0, 4, 5, form), 5) for form in ("5.6", "5.7")]
    [(1, 2, 2, 2, 1), (4, 1, 1, 1, 1)]
    """
    loads = [0] * address_bits(n)
    for pair in exchanges:
        for bit in _pair(pair, n):
            loads[bit] += 1
    return tuple(loads)


# -- permutations of bits ---------------------------------------------------------------------


def targets_of(P: PermutationLike) -> tuple[int, ...]:
    """Where every bit goes: bit k of the source becomes bit targets[k] of the destination.

    Raises:
        InputError: P is not a permutation of bits.
        CommunicationError: an LCC with b != 0, where a translation is left over.

    >>> targets_of(shuffle(0, 2, 3))
    (1, 2, 0)
    """
    if isinstance(P, LCC):
        if any(P.b):
            rule = "must have b = 0; a translation costs unconditional exchanges besides"
            raise CommunicationError("P", rule, P)
        P = P.A
    try:
        matrix = P if isinstance(P, GF2Matrix) else reordering_matrix(P, len(P))
    except TypeError:
        raise InputError("P", "must be an LCC, an order or a permutation matrix", P) from None
    order = matrix.as_order()
    if not order:
        raise InputError("P", "must be a permutation of the bits", matrix.tolist())
    targets = [0] * len(order)
    for target, bit in enumerate(order):
        targets[bit] = target
    return tuple(targets)


def cycles_of(targets: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """The cycles of length 2 and more: each begins with its least bit, then where that goes.

    >>> cycles_of([1, 2, 0, 3])
    ((0, 1, 2),)
    """
    left, cycles = set(range(len(targets))), []
    while left:
        cycle = [min(left)]
        while targets[cycle[-1]] != cycle[0]:
            cycle.append(targets[cycle[-1]])
        left -= set(cycle)
        if len(cycle) > 1:
            cycles.append(tuple(cycle))
    return tuple(cycles)


def _pair(pair: Exchange, n: int) -> Exchange:
    bits = checked_integers("exchange", pair)
    if len(bits) != 2 or bits[0] == bits[1] or not all(0 <= bit < n for bit in bits):
        rule = f"must be two different bits of 0..{checked_integer('n', n) - 1}"
        raise InputError("exchange", rule, pair)
    return bits[0], bits[1]


@typed_arguments
def elementary_factorizations(P: PermutationLike) -> Iterator[tuple[Exchange, ...]]:
    """Return every product of the fewest elementary exchanges that is P, lexicographically, lazily.

    Args:
        P: an LCC with b = 0, an order, or a permutation matrix.

    Yields: the exchanges in order of action.

    Raises:
        InputError, CommunicationError: P is not a permutation of bits.

    >>> from lccmodel.permutations.exchanges.bits import shuffle
    >>> list(elementary_factorizations(shuffle(0, 2, 3)))
    [((0, 1), (0, 2)), ((0, 2), (1, 2)), ((1, 2), (0, 1))]
    """
    return _split(targets_of(P), ())


def _split(targets: tuple[int, ...], taken: tuple[Exchange, ...]) -> Iterator[tuple[Exchange, ...]]:
    """Take off the exchange that acts first: what is left has one cycle more."""
    pairs = sorted(
        (low, high) for cycle in cycles_of(targets) for low in cycle for high in cycle if low < high
    )
    if not pairs:
        yield taken
    for i, j in pairs:
        left = list(targets)
        left[i], left[j] = left[j], left[i]  # P E_ij: bit i now goes where j went
        yield from _split(tuple(left), (*taken, (i, j)))


@typed_arguments
def count_elementary_factorizations(P: PermutationLike) -> int:
    """Return the number of `elementary_factorizations`, by the formula of the module.

    >>> from lccmodel.permutations.exchanges.bits import shuffle
    >>> [count_elementary_factorizations(shuffle(0, n - 1, n)) for n in range(1, 7)]
    [1, 1, 3, 16, 125, 1296]
    """
    lengths = [len(cycle) for cycle in cycles_of(targets_of(P))]
    count = math.factorial(sum(length - 1 for length in lengths))
    for length in lengths:
        count //= math.factorial(length - 1)
    for length in lengths:
        count *= int(length ** (length - 2))
    return count


@typed_arguments
def local_exchanges(P: PermutationLike, local: int) -> tuple[Exchange, ...]:
    """P by the fewest elementary exchanges that all use one local dimension, in order of action.

    Args:
        P: an LCC with b = 0, an order, or a permutation matrix.
        local: the dimension inside a node's memory.

    Raises:
        InputError: `local` is not a dimension of P, or P not a permutation of bits.

    Source: [edelman, end of Section 5], for shuffles that leave the local dimension where it is.

    >>> from lccmodel.permutations.exchanges.bits import shuffle
    >>> local_exchanges(shuffle(1, 3, 4), 0)            # 3 dimensions shuffled: 4 exchanges
    ((0, 1), (0, 2), (0, 3), (0, 1))
    >>> local_exchanges(shuffle(0, 3, 4), 0)
    ((0, 1), (0, 2), (0, 3))
    """
    targets = targets_of(P)
    bit = checked_integer("local", local)
    if not 0 <= bit < len(targets):
        raise InputError("local", f"must be in 0..{len(targets) - 1}", bit)
    exchanges: list[Exchange] = []
    for cycle in cycles_of(targets):
        if bit in cycle:
            turn = cycle.index(bit)
            through = [*cycle[turn + 1 :], *cycle[:turn]]
        else:
            through = [*cycle, cycle[0]]
        exchanges += [(min(bit, other), max(bit, other)) for other in through]
    return tuple(exchanges)
