"""Walks along the cycles of a permutation of bits, for cycles that are no formula.

    bit(q, n, ...)         the bit at place q: the cycles one after the other, then the fixed bits
    cycles(n, ...)         the number of cycles of two bits or more

Both are functions of sympy: an expression keeps them as they are, and integers give them a value.
A walk meets R7, since bit t(m) follows bit m. So its degree needs no formula for the cycles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import Any, NamedTuple, TypeAlias

Cycles: TypeAlias = tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]
"""The nontrivial cycles of a permutation, and its fixed bits."""


class Walk(NamedTuple):
    """A walk along the cycles of a permutation, as functions of sympy with values for integers.

    Attributes:
        bit: the bit at place q, of q and the arguments.
        messages: the messages in every occupied node after q bits: 2 inside a cycle, else 1.
        cycles, first_cycle: the number of nontrivial cycles and the length of the first one.
    """

    bit: Any
    messages: Any
    cycles: Any
    first_cycle: Any


def walk_along(numbers: Callable[..., Cycles]) -> Walk:
    """The functions of a walk along the cycles that `numbers` lists for integers.

    >>> walk = walk_along(lambda n: ((tuple(range(n)),), ()))
    >>> [walk.bit(q, 3) for q in range(3)], [walk.messages(q, 3) for q in range(4)]
    ([0, 1, 2], [1, 2, 2, 1])
    """
    import sympy

    known = cache(numbers)

    def bit(q: int, *values: int) -> int | None:
        cycles, fixed = known(*values)
        order = [*chain.from_iterable(cycles), *fixed]
        return order[q] if 0 <= q < len(order) else None

    def messages(q: int, *values: int) -> int:
        starts = list(accumulate((len(cycle) for cycle in known(*values)[0]), initial=0))
        return 1 if q in starts or q > starts[-1] else 2

    def function(name: str, value: Callable[..., int | None]) -> Any:
        def evaluated(cls: Any, *values: Any) -> Any:
            if not all(number.is_Integer for number in values):
                return None
            number = value(*map(int, values))
            return None if number is None else sympy.Integer(number)

        return type(name, (sympy.Function,), {"eval": classmethod(evaluated), "is_integer": True})

    return Walk(
        function("along_cycles", bit),
        function("on_cycles", messages),
        function("cycles", lambda *values: len(known(*values)[0])),
        function("first_cycle", lambda *values: len(next(iter(known(*values)[0]), ()))),
    )


def walked_cycles(order: Sequence[int], complement: int = 0) -> Cycles:
    """The nontrivial cycles of y_k = x_order(k), bit t(m) behind bit m, and the fixed bits.

    Complemented fixed bits come first, since on an origin one of them costs nothing inside the
    routers.

    >>> walked_cycles((2, 0, 1, 3))
    (((0, 1, 2),), (3,))
    """
    from lccmodel.permutations.exchanges.bits import cycles_of

    targets = sorted(range(len(order)), key=order.__getitem__)
    fixed = [bit for bit, source in enumerate(order) if source == bit]
    return cycles_of(targets), tuple(sorted(fixed, key=lambda bit: not complement >> bit & 1))


@cache
def opposite_blocks() -> Walk:
    """The walk for blocks of a, b, c bits in the opposite sequence, a function of a, b, c.

    A rotation of a + 2b + c bits by b + c does the same to the first a + b + c, so for a != c it
    has gcd(a + b, b + c) cycles.

    >>> walk = opposite_blocks()
    >>> [walk.bit(q, 2, 1, 1) for q in range(4)], walk.cycles(2, 1, 1)
    ([0, 2, 1, 3], 1)
    """
    return walk_along(
        lambda a, b, c: walked_cycles((*range(a + b, a + b + c), *range(a, a + b), *range(a)))
    )
