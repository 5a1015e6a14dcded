"""Dimension permutations as bit exchanges [edelman, Section 5].

A dimension permutation moves address bits: e_k goes to e_(p_k), its matrix is a permutation matrix.
Three ways to take it apart, every list in order of action (the last factor in print acts first):

    any P           two bit exchanges, that is, symmetric permutation matrices       Lemma 5.3
    P symmetric     elementary bit exchanges E_ij of disjoint pairs                  Lemma 5.1
    a shuffle       σ_ij = E_(i,i+1) E_(i+1,i+2) ... E_(j-1,j)                       (5.6)
                    σ_ij = E_ij E_(i,j-1) ... E_(i,i+1)                              (5.7)

A cycle e_0 -> e_1 -> ... -> e_(l-1) -> e_0 is two reflections, as a rotation of an l-gon is: first
t -> -t, then t -> 1 - t, modulo l.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import LCC, reordering_matrix
from lccmodel.communication.permutations import address_bits
from lccmodel.errors import CommunicationError, InputError, checked_integer, checked_integers
from lccmodel.gf2.matrix import GF2Matrix, MatrixLike

Exchange = tuple[int, int]
"""The elementary bit exchange E_ij as the pair (i, j) with i < j."""

PermutationLike = LCC | Sequence[int] | MatrixLike
"""A dimension permutation: an LCC with b = 0, an order, or a permutation matrix."""


@typed_arguments
def shuffle(i: int, j: int, n: int) -> LCC:
    """σ_ij on dimensions i..j: bit k moves to k + 1, bit j to i; the other bits stay.

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
    """E_ij: bits i and j change places.

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
    """Two bit exchanges whose product is P: symmetric permutation matrices, first acting first.

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
    """The elementary exchanges of disjoint pairs of bits that make up a bit exchange.

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
    """The j - i elementary exchanges of σ_ij, in order of action.

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
    if form == "5.6":
        return tuple((k, k + 1) for k in reversed(range(i, j)))
    if form == "5.7":
        return tuple((i, k) for k in range(i + 1, j + 1))
    raise InputError("form", 'must be "5.6" or "5.7"', form)


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
