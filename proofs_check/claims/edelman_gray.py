"""Gray codes: [edelman], section 4.

Numbers are coded here as numbers: an axis, a list of address bits with the least significant
first, is cut out of the address, k becomes k xor (k >> 1), and the bits are put back.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.cases import numbers
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.claims.edelman_exchanges import exchange_walk
from proofs_check.claims.edelman_orders import first_order
from proofs_check.domain import Enumerated
from proofs_check.orders import all_orders
from proofs_check.stations import in_place

Axis = tuple[int, ...]
Axes = tuple[Axis, ...]

BELL = (1, 1, 2, 5, 15, 52, 203)
"""The number of partitions of n things."""


@lru_cache(maxsize=16)
def encoded(n: int) -> tuple[int, ...]:
    """G S_n: the matrix G, upper bidiagonal, applied bit by bit to 0, 1, ..., 2^n - 1.

    >>> encoded(2)
    (0, 1, 3, 2)
    """
    codes = []
    for number in range(1 << n):
        bits = [number >> i & 1 for i in range(n)] + [0]
        codes.append(sum((bits[i] ^ bits[i + 1]) << i for i in range(n)))
    return tuple(codes)


def reflected(n: int) -> list[int]:
    """The binary-reflected code: the list, then the list backwards with the next bit set."""
    codes = [0]
    for i in range(n):
        codes += [1 << i | code for code in reversed(codes)]
    return codes


NUMBERS = numbers(lambda n: 1 << n, "all k = 0, ..., 2^n - 1", "n, k")

STATED = Stated(over=NUMBERS, sizes=Sizes(most=10, limit=16))

PAIRS_OF_NUMBERS = numbers(lambda n: (1 << n) - 1, "all k = 0, ..., 2^n - 2", "n, k")


@claim(
    "edelman.gray",
    place="Section 4",
    says="G is the binary-reflected Gray code k xor (k >> 1), a closed path through the cube; it "
    "is linear and upper triangular, and so is its inverse, with ones on and above the diagonal",
    latex=r"G k = k \oplus \lfloor k/2 \rfloor,\quad (G^{-1})_{ij} = [i \le j]",
    evidence="the reflected list made by reflection; sums of bits",
    control=Control("ones below the diagonal of the inverse", below=True),
)
def gray(n: int, k: int, *, below: bool = False) -> Finding:
    code = encoded(n)[k]
    bits = [code >> i & 1 for i in range(n)]
    sums = [sum(bits[: i + 1] if below else bits[i:]) & 1 for i in range(n)]
    decoded = sum(bit << i for i, bit in enumerate(sums))
    following = encoded(n)[(k + 1) % (1 << n)]
    return Finding(
        code == k ^ k >> 1 == _reflected(n)[k]
        and decoded == k
        and (code ^ following).bit_count() == 1,
        code=code,
        decoded=decoded,
    )


@lru_cache(maxsize=16)
def _reflected(n: int) -> list[int]:
    return reflected(n)


@claim(
    "edelman.thm4.1",
    place="Section 4, Theorem 4.1",
    says="the reversal of the sequence G S_n is the sequence with the n-th bit complemented",
    latex=r"\overline{G S_n} = G S_n + e_n",
    evidence="the list reversed",
    control=Control("the first bit complemented", bit=0),
)
def thm41(n: int, k: int, *, bit: int = -1) -> Finding:
    codes = encoded(n)
    return Finding(codes[::-1][k] == codes[k] ^ 1 << bit % n, code=codes[k])


@claim(
    "edelman.thm4.2",
    place="Section 4, Theorem 4.2",
    says="consecutive members of G S_n differ in exactly one bit: the k-th, if numbers 2^(k-1) + i "
    "with k - 1 low bits i become the next",
    latex=r"G(i+1) = G(i) + e_k",
    over=PAIRS_OF_NUMBERS,
    evidence="the list",
    control=Control("members two apart", apart=2),
)
def thm42(n: int, k: int, *, apart: int = 1) -> Finding:
    """i and i + 1 differ in the low bits up to the lowest 0 of i; their sum is j_k, G j_k = e_k."""
    codes = encoded(n)
    following = codes[(k + apart) % (1 << n)]
    lowest_zero = ~k & k + 1
    return Finding(codes[k] ^ following == lowest_zero, codes=(codes[k], following))


# -- codes on axes ----------------------------------------------------------------------------


def partitions(n: int) -> Iterator[Axes]:
    """Every way to divide the bits 0..n-1 into axes, each in ascending order."""

    def grow(bit: int, axes: list[Axis]) -> Iterator[Axes]:
        if bit == n:
            yield tuple(axes)
            return
        for t in range(len(axes)):
            yield from grow(bit + 1, [*axes[:t], (*axes[t], bit), *axes[t + 1 :]])
        yield from grow(bit + 1, [*axes, (bit,)])

    return grow(0, [])


def coded(x: int, axes: Sequence[Axis]) -> int:
    """The Gray code of the number on every axis.

    >>> bin(coded(0b111, [(0, 1), (2,)]))
    '0b110'
    """
    y = 0
    for axis in axes:
        number = sum((x >> bit & 1) << t for t, bit in enumerate(axis))
        number ^= number >> 1
        y |= sum((number >> t & 1) << bit for t, bit in enumerate(axis))
    return y


@lru_cache(maxsize=1 << 12)
def _code_table(n: int, axes: Axes) -> tuple[int, ...]:
    return tuple(coded(x, axes) for x in range(1 << n))


def recoding(before: Axes, after: Axes, order: Sequence[int] | None = None) -> list[int]:
    """The rows of the matrix that takes data coded on some axes to others, read off the nodes.

    With an order, bit k is the old bit order[k] between decoding and coding.
    """
    n = sum(map(len, before))
    first, second = _code_table(n, before), _code_table(n, after)
    sent = [0] * (1 << n)
    for x in range(1 << n):
        moved = x if order is None else in_place(x, order)
        sent[first[x]] = second[moved]
    return [sum((sent[1 << j] >> i & 1) << j for j in range(n)) for i in range(n)]


SEGMENTATIONS = Enumerated(
    lambda n: itertools.product(partitions(n), repeat=2),
    size=lambda n: BELL[n] ** 2,
    names="before, after",
    text="all pairs of divisions of the bits into axes, each with its bits in ascending order",
)


@claim(
    "edelman.cor4.1",
    place="Section 4, Corollary 4.1",
    says="code change operations G1 G2⁻¹ have pipelined algorithms: conditional exchanges, in "
    "every order of the dimensions",
    latex=r"G_1 G_2^{-1} = E^{(\pi(n))} \cdots E^{(\pi(1))}",
    over=SEGMENTATIONS,
    evidence="every number coded on both sets of axes, the matrix read off, all messages walked "
    "in every order",
    control=Control("the most significant bit of every new axis first", flipped=True),
    sizes=Sizes(most=5, limit=6),
)
def cor41(before: Axes, after: Axes, *, flipped: bool = False) -> Finding:
    """Both codes are upper triangular, and so is the change."""
    n = sum(map(len, before))
    axes = tuple(axis[::-1] for axis in after) if flipped else after
    rows = np.array(recoding(before, axes))
    blocked = first_order(n, rows, all_orders(n), exchanged=False)
    return Finding(blocked == -1, A=GF2Matrix.from_rows(rows.tolist(), n))


@kernel
def _first_unpermuted(n: int, coding: Ints, decoding: Ints, orders: Ints, from_right: bool) -> int:
    """The first P for which PᵀA (or APᵀ), A = G1 P G2⁻¹, has no exchanges 1, ..., n; or -1."""
    order = np.arange(n)
    rows, work = np.empty(n, np.int64), np.empty(n, np.int64)
    at, sends = np.empty((2, 1 << n), np.int64)
    for t in range(len(orders)):
        taken = orders[t]
        for i in range(n):
            rows[i] = 0
            for k in range(n):
                if coding[i] >> k & 1:
                    rows[i] ^= decoding[taken[k]]
        for i in range(n):
            work[i] = 0
        if from_right:  # A Pᵀ: column k of it is column taken[k] of A
            for i in range(n):
                for k in range(n):
                    work[i] |= (rows[i] >> taken[k] & 1) << k
        else:  # row taken[k] of PᵀA is row k of A
            for k in range(n):
                work[taken[k]] = rows[k]
        if not exchange_walk(n, work, order, at, sends):
            return t
    return -1


@claim(
    "edelman.cor4.2",
    place="Section 4, Corollary 4.2",
    says="code change operations G1 P G2⁻¹ have pipelined algorithms up to a permutation of the "
    "dimensions: conditional exchanges across 1, ..., n, followed by P",
    latex=r"P^T G_1 P G_2^{-1} = E^{(n)} \cdots E^{(1)}",
    over=SEGMENTATIONS.described(
        "all pairs of divisions of the bits into axes, each with its bits in ascending order, "
        "each pair with all P"
    ),
    evidence="every number coded on both sets of axes, all messages walked",
    control=Control("preceded by P", from_right=True),
    reading="the permutation comes after the exchanges, as in Corollary 3.7",
    sizes=Sizes(most=5, limit=6),
)
def cor42(before: Axes, after: Axes, *, from_right: bool = False) -> Finding:
    n = sum(map(len, before))
    single = tuple((k,) for k in range(n))
    decoding, coding = np.array(recoding(before, single)), np.array(recoding(single, after))
    failing = _first_unpermuted(n, coding, decoding, all_orders(n), from_right)
    P = all_orders(n)[failing].tolist() if failing >= 0 else None
    return Finding(failing == -1, P=P)


# -- wires left over --------------------------------------------------------------------------

STEPS = numbers(lambda n: n - 1, "all steps of decoding across the dimensions k < n - 1", "n, k")


@claim(
    "edelman.decoding",
    place="Section 4, after Corollary 3.3 is applied",
    says="for decoding that starts from the least significant bit, E⁽ᵏ⁾ has a one in column n. So "
    "an edge is used in the subcube x_n = 0 exactly if the parallel one with x_n = 1 is not",
    latex=r"u \text{ sends} \iff u + e_n \text{ does not}",
    over=STEPS,
    evidence="all messages of the decoding walked, the nodes that send listed",
    control=Control("starting from the most significant bit", upwards=False),
    reading="our copy lacks the symbols of the two subcubes",
    sizes=Sizes(least=2, most=8, limit=12),
)
def decoding(n: int, k: int, *, upwards: bool = True) -> Finding:
    """From the least bit, y_k = x_k + ... + x_(n-1) finds its bits above k as they came."""
    done = (1 << k) - 1 if upwards else (1 << n) - (2 << k)
    pairs = [(code, number) for number, code in enumerate(encoded(n))]
    sends = {x ^ ((x ^ y) & done) for x, y in pairs if (x ^ y) >> k & 1}
    top = 1 << n - 1
    return Finding(all((u in sends) != (u ^ top in sends) for u in range(1 << n)), sends=sends)


# -- the order of the bits -----------------------------------------------------------------------


def _exchanged(x: int, n: int, upwards: bool, sums: bool) -> int:
    """Where conditional exchanges across all dimensions bring the data of a node.

    Args:
        x: the node.
        n: number of dimensions.
        upwards: from the low-order to the high-order bits.
        sums: the condition is the sum of all higher bits as they are; otherwise the next one.
    """
    for k in range(n) if upwards else reversed(range(n)):
        higher = x >> k + 1
        x ^= (higher.bit_count() & 1 if sums else higher & 1) << k
    return x


@claim(
    "edelman.directions",
    place="Section 4, after Corollary 3.3 is applied",
    says=(
        "the algorithms encode from the low-order bits and decode from the high-order bits, "
        "with exchanges on the condition of the next higher bit. In the reverse order the "
        "condition is the sum of all higher bits"
    ),
    latex=r"G = E^{(n)} \cdots E^{(1)},\quad G^{-1} = E^{(1)} \cdots E^{(n)},\quad "
    r"E^{(k)} = I + e_k e_{k+1}^T",
    evidence="the data of every node moved dimension by dimension",
    control=Control("decoding from the low-order bits by the next bit", upwards=True),
    reading="our copy lacks the displayed exchanges; those on the condition of one bit are meant",
)
def directions(n: int, k: int, *, upwards: bool = False) -> Finding:
    """[edelman, section 4] low bits first, bit k + 1 is still that of the number."""
    code = encoded(n)[k]
    moved = {
        "encoded": _exchanged(k, n, True, False),
        "decoded": _exchanged(code, n, upwards, False),
        "encoded in reverse": _exchanged(k, n, False, True),
        "decoded in reverse": _exchanged(code, n, True, True),
    }
    return Finding(list(moved.values()) == [code, k, code, k], code=code, **moved)
