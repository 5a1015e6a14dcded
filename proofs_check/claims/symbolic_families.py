"""Formulas in n, for all bit permutations of a few bits: rules R1 to R3, R7, M4, M10, and forms.

Every message is walked over explicit channels. Whether a bit moves depends on the vector b, so each
case is walked for b = 0 and for all bits complemented; nothing else of T_i depends on b.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import gcd

from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.domain import AllOrders, Enumerated, EveryN
from proofs_check.walk import contention

STATED = Stated(
    place="formulas in n", evidence="every message walked, for b = 0 and b = (1, ..., 1)"
)


def walked(order: Sequence[int], b: int) -> list[int]:
    """T_i of y_k = x_order[k] + b_k, dimensions corrected in ascending order.

    >>> walked((1, 0), 0), walked((1, 0), 3)
    ([1, 1], [1, 1])
    """
    n = len(order)
    pairs = []
    for x in range(1 << n):
        y = sum((x >> order[k] & 1) << k for k in range(n)) ^ b
        pairs.append((x, y))
    return contention(pairs, range(n))


def both(order: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    """b and the loads, for no and for all bits complemented."""
    for b in (0, (1 << len(order)) - 1):
        yield b, walked(order, b)


def compared(order: Sequence[int], exponents: Sequence[int]) -> Finding:
    """Compare T_i with 2^e_i where bit i moves and 0 elsewhere, for both vectors b."""
    for b, counted in both(order):
        moves = [order[i] != i or b >> i & 1 for i in range(len(order))]
        formula = [1 << e if moved else 0 for e, moved in zip(exponents, moves, strict=True)]
        if formula != counted:
            return Finding(False, b=b, formula=formula, T=counted)
    return Finding(True)


@claim(
    "symbolic.count",
    says="a bit permutation has T_i = 2^e, e the number of source bits m < i that become bits "
    "above i, in every bit i that moves (R1)",
    over=AllOrders("bit order"),
    control=Control("m <= i for m < i", closed=True),
    sizes=Sizes(most=5, limit=7),
)
def symbolic_count(order: tuple[int, ...], *, closed: bool = False) -> Finding:
    """t is the inverse of the order: source bit m becomes bit t(m)."""
    n = len(order)
    t = [order.index(m) for m in range(n)]
    exponents = [sum(t[m] > i for m in range(i + closed and min(i + closed, n))) for i in range(n)]
    return compared(order, exponents)


@claim(
    "symbolic.free",
    says="the natural order is free of contention whatever b is just if every source bit m becomes "
    "one of the bits 0..m+1 (R7)",
    over=AllOrders("bit order"),
    control=Control("one of the bits 0..m+2", reach=2),
    sizes=Sizes(most=5, limit=7),
)
def symbolic_free(order: tuple[int, ...], *, reach: int = 1) -> Finding:
    """Free for both vectors is free for all: b decides only which bits move."""
    largest = max(max(counted, default=0) for _, counted in both(order))
    small = all(order.index(m) <= m + reach for m in range(len(order)))
    return Finding((largest <= 1) == small, T=largest)


@claim(
    "symbolic.reversal",
    says="bit reversal has T_i = 2^min(i, n-1-i) in every bit that moves",
    over=EveryN("the n"),
    control=Control("an exponent one too large in the middle of even n", more=1),
    sizes=Sizes(most=8, limit=12),
)
def symbolic_reversal(n: int, *, more: int = 0) -> Finding:
    """With b = 0 the middle bit of odd n stays."""
    order = tuple(range(n))[::-1]
    exponents = [min(i, n - 1 - i) for i in range(n)]
    if n % 2 == 0:
        exponents[n // 2] += more
    return compared(order, exponents)


@claim(
    "symbolic.shift",
    says="the shift of n bits by k, 0 < k < n, has T_i = 2^min(i, k-1, n-k, n-1-i); a square "
    "transposition is the shift by n/2",
    over=numbers(lambda n: n - 1, "all shifts", "n, k", first=1),
    control=Control("k for k - 1", more=1),
    sizes=Sizes(most=7, limit=12),
)
def symbolic_shift(n: int, k: int, *, more: int = 0) -> Finding:
    """y_k' = x_(k' - k): source bit m becomes bit m + k modulo n."""
    order = tuple((i - k) % n for i in range(n))
    exponents = [min(i, k - 1 + more, n - k, n - 1 - i) for i in range(n)]
    return compared(order, exponents)


def _triangles(n: int) -> Iterator[tuple[int, int]]:
    """n and the entries above the diagonal as the bits of a number, row after row."""
    return ((n, entries) for entries in range(1 << n * (n - 1) // 2))


@claim(
    "symbolic.triangle",
    says="upper unit triangular matrices, so the Gray code and its inverse, are free of contention "
    "in the natural order whatever b is (R2)",
    over=Enumerated(
        _triangles,
        size=lambda n: 1 << n * (n - 1) // 2,
        names="n, entries",
        text="all upper unit triangular matrices",
    ),
    control=Control("also with a 0 in the last place but one of the diagonal", singular=True),
    sizes=Sizes(most=4, limit=5),
)
def symbolic_triangle(n: int, entries: int, *, singular: bool = False) -> Finding:
    """Row i of the matrix is e_i and the entries to its right."""
    rows, rest = [], entries
    for i in range(n):
        width = n - 1 - i
        rows.append(1 << i | (rest & (1 << width) - 1) << i + 1)
        rest >>= width
    if singular and n > 1:
        rows[-2] ^= 1 << n - 2
    for b in (0, (1 << n) - 1):
        pairs = [
            (x, sum(((row & x).bit_count() & 1) << i for i, row in enumerate(rows)) ^ b)
            for x in range(1 << n)
        ]
        counted = contention(pairs, range(n))
        if max(counted) > 1:
            return Finding(False, b=b, T=counted)
    return Finding(True)


def _along_cycles(n: int, k: int) -> list[int]:
    """The bit order of bit reversal for k = 0, else of the shift by k.

    >>> _along_cycles(6, 0), _along_cycles(6, 2)
    ([0, 5, 1, 4, 2, 3], [0, 2, 4, 1, 3, 5])
    """
    if not k:
        return [n - 1 - p // 2 if p % 2 else p // 2 for p in range(n)]
    cycle = n // gcd(n, k)
    return [(q + s * k) % n for q in range(n // cycle) for s in range(cycle)]


@claim(
    "symbolic.order",
    says="the bit order pi(2j) = j, pi(2j+1) = n-1-j frees bit reversal for every n, and with "
    "g = gcd(n, k) the order pi(q n/g + s) = (q + s k) mod n frees the shift of n bits by k (R7)",
    over=numbers(lambda n: n, "bit reversal as k = 0, and all shifts by k", "n, k"),
    control=Control("the order's twin, its inverse", twin=True),
    sizes=Sizes(most=7, limit=11),
)
def symbolic_order(n: int, k: int, *, twin: bool = False) -> Finding:
    """Bit j of x' is bit pi(j) of x, so the bit that becomes j is pi^-1 of the one of pi(j)."""
    source = [(i - k) % n if k else n - 1 - i for i in range(n)]
    order = _along_cycles(n, k)
    inverse = [order.index(bit) for bit in range(n)]
    if twin:
        order, inverse = inverse, order
    mapped = [inverse[source[order[j]]] for j in range(n)]
    for b, counted in both(mapped):
        if max(counted, default=0) > 1:
            return Finding(False, order=order, b=b, T=counted)
    return Finding(True)


@claim(
    "symbolic.sums",
    says="sums y_k = x_0 + ... + x_(s(k)) with a bit permutation s have T_i = 2^e, e the number of "
    "bits m < i - 1 with t(m) > i, in every bit i that moves (R3)",
    over=AllOrders("ends"),
    control=Control("m < i for m < i - 1", less=0),
    sizes=Sizes(most=5, limit=7),
)
def symbolic_sums(ends: tuple[int, ...], *, less: int = 1) -> Finding:
    """t is the inverse of s. Without b only row 0 can stay, if it is x_0."""
    n = len(ends)
    t = [ends.index(m) for m in range(n)]
    exponents = [sum(t[m] > i for m in range(i - less)) for i in range(n)]
    for b in (0, (1 << n) - 1):
        pairs = [
            (x, sum(((x & (2 << end) - 1).bit_count() & 1) << k for k, end in enumerate(ends)) ^ b)
            for x in range(1 << n)
        ]
        counted = contention(pairs, range(n))
        formula = [1 << e for e in exponents]
        if not b and ends[0] == 0:
            formula[0] = 0
        if formula != counted:
            return Finding(False, b=b, formula=formula, T=counted)
    return Finding(True)


def on_line(ends: Sequence[int]) -> int:
    """Messages on the busiest channel of a line; the message of place x goes to place ends[x].

    >>> on_line((3, 2, 1, 0))
    2
    """
    largest = 0
    for place in range(1, len(ends)):
        right = sum(x < place <= y for x, y in enumerate(ends))
        left = sum(y < place <= x for x, y in enumerate(ends))
        largest = max(largest, right, left)
    return largest


_BELOW: Mapping[str, Callable[[int, int], int]] = {
    "as they are": lambda rest, size: rest,
    "complemented": lambda rest, size: size - 1 - rest,
    "all 0": lambda rest, size: 0,
    "all 1": lambda rest, size: size - 1,
}


@claim(
    "symbolic.field.reversed",
    says="an axis of 2^a places whose top L >= 2 bits are reversed among themselves has the load "
    "2^(a-2), whatever becomes of the bits below (M10)",
    over=Enumerated(
        lambda a: ((a, L, below) for L in range(2, a + 1) for below in _BELOW),
        size=lambda a: len(_BELOW) * max(a - 1, 0),
        names="a, L, below",
        text="all L and four kinds of bits below",
    ),
    control=Control("also if the reversed bits are complemented", complemented=True),
    sizes=Sizes(most=7, limit=10),
)
def symbolic_field_reversed(a: int, L: int, below: str, *, complemented: bool = False) -> Finding:
    """Place X 2^(a-L) + rest; X has the L bits."""
    size, ends = 1 << a - L, []
    for x in range(1 << a):
        X, rest = divmod(x, size)
        turned = sum((X >> k & 1) << L - 1 - k for k in range(L))
        turned ^= ((1 << L) - 1) * complemented
        ends.append(turned * size + _BELOW[below](rest, size))
    load = on_line(ends)
    return Finding(load == 1 << a - 2, load=load)


@claim(
    "symbolic.field.exchanged",
    says="an axis of 2^a places whose low d and top d bits change places around w >= 1 constants "
    "has the load 2^(a-2) + 2^(h-1) - 2^(d-1) with h = d + w, at the largest constants "
    "(M4 with d = e)",
    over=Enumerated(
        lambda a: ((a, d) for d in range(1, (a + 1) // 2)),
        size=lambda a: max((a - 1) // 2, 0),
        names="a, d",
        text="all d with d >= 1 and a - 2d >= 1",
    ),
    control=Control("2^d for 2^(d-1)", less=1),
    sizes=Sizes(most=7, limit=9),
)
def symbolic_field_exchanged(a: int, d: int, *, less: int = 0) -> Finding:
    """The message of (X, r, S) goes to (S, e, X); the constant e is the same along a line."""
    w, D = a - 2 * d, 1 << d
    loads = []
    for e in range(1 << w):
        ends = [((x % D << w) + e << d) + (x >> w + d) for x in range(1 << a)]
        loads.append(on_line(ends))
    formula = (1 << a - 2) + (1 << d + w - 1) - (1 << d - 1 + less)
    return Finding(max(loads) == loads[-1] == formula, formula=formula, loads=loads)
