"""The independent route: plain walks along dimension-ordered paths, counting messages.

Nothing here uses a rank, a lattice or the library's networks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product, repeat
from typing import Any

from lccmodel import LCC, GF2Matrix

Message = tuple[int, int]


def messages(c: LCC) -> list[Message]:
    """Sources and destinations, from A and b bit by bit."""
    images = [
        sum((sum(c.A[i, j] & (v >> j) for j in range(c.n)) + c.b[i]) % 2 << i for i in range(c.n))
        for v in range(2**c.n)
    ]
    if c.kind == "scatter":
        return [(x, y) for y, x in enumerate(images)]
    return list(enumerate(images))


def walked_loads(
    pairs: Iterable[Message],
    order: Sequence[int],
    internal: Sequence[int] = (),
    volumes: Iterable[Any] | None = None,
) -> tuple[Any, ...]:
    """Messages, or their volume, on the busiest channel of each step, in this order of bits."""
    inside = sum(1 << bit for bit in internal)
    channels: Counter[tuple[int, int]] = Counter()
    for (x, y), volume in zip(pairs, repeat(1) if volumes is None else volumes, strict=False):
        at = x
        for bit in order:
            if (at ^ y) >> bit & 1:
                channels[at & ~inside, bit] += volume
                at ^= 1 << bit
        assert (at ^ y) & ~inside == 0
    return tuple(
        max((load for (_, k), load in channels.items() if k == bit), default=0) for bit in order
    )


def walked_occupancies(pairs: Iterable[Message], order: Sequence[int]) -> tuple[int, ...]:
    """Messages in the fullest node after each step when bits are corrected in this order."""
    ends, fullest, done = list(pairs), [], 0
    for bit in order:
        done |= 1 << bit
        fullest.append(max(Counter(x & ~done | y & done for x, y in ends).values(), default=0))
    return tuple(fullest)


def walked_degree(c: LCC, order: Sequence[int], internal: Sequence[int] = ()) -> int:
    return max(walked_loads(messages(c), order, internal), default=0)


def all_lccs(n: int) -> Iterator[LCC]:
    """Every (A, b) of n bits, and every scatter."""
    for rows in product(range(2**n), repeat=n):
        A = GF2Matrix.from_rows(rows, n)
        for b in range(2**n):
            c = LCC(A, b)
            yield c
            if c.kind == "gather":
                yield LCC.scatter(A, b)
