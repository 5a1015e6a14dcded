"""Every way to make a dimension permutation from the fewest elementary bit exchanges.

An elementary exchange E_ij joins two cycles of a permutation or splits one. So n - c exchanges are
needed where there are c cycles, fixed bits included, and each of them splits a cycle. A cycle of
length l has l^(l-2) such factorizations [edelman, Section 5; Dénes 1959]; those of several cycles
interleave:

    (n - c)! Π l^(l-2) / (l - 1)!          n = 3, the shuffle: 3^1 = 3
                                           E_01 E_12 = E_02 E_01 = E_12 E_02

If one dimension lies in the memory of a node, exchanges with it are the cheap ones: data move to a
neighbour, half of them. With only these, a cycle of length l costs l - 1 exchanges if the local
dimension is in it and l + 1 otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, checked_integer
from lccmodel.methods.exchanges.bits import Exchange, PermutationLike, cycles_of, targets_of


@typed_arguments
def elementary_factorizations(P: PermutationLike) -> Iterator[tuple[Exchange, ...]]:
    """Every product of the fewest elementary exchanges that is P, lexicographically, lazily.

    Args:
        P: an LCC with b = 0, an order, or a permutation matrix.

    Yields: the exchanges in order of action.

    Raises:
        InputError, CommunicationError: P is not a permutation of bits.

    >>> from lccmodel.methods.exchanges.bits import shuffle
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
    """The number of `elementary_factorizations`, by the formula of the module.

    >>> from lccmodel.methods.exchanges.bits import shuffle
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

    >>> from lccmodel.methods.exchanges.bits import shuffle
    >>> local_exchanges(shuffle(1, 3, 4), 0)            # 3 dimensions shuffled: 4 exchanges
    ((0, 1), (0, 2), (0, 3), (0, 1))
    >>> local_exchanges(shuffle(0, 3, 4), 0)
    ((0, 1), (0, 2), (0, 3))
    """
    targets = targets_of(P)
    bit = checked_integer("local", local)
    if not 0 <= bit < len(targets):
        raise InputError("local", f"must be in 0..{len(targets) - 1}", bit)
    found: list[Exchange] = []
    for cycle in cycles_of(targets):
        if bit in cycle:
            turn = cycle.index(bit)
            through = [*cycle[turn + 1 :], *cycle[:turn]]
        else:
            through = [*cycle, cycle[0]]
        found += [(min(bit, other), max(bit, other)) for other in through]
    return tuple(found)
