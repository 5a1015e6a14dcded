"""Communications that permute and complement address bits, and the Gray code.

    y_k = x_(order[k]) + c_k          bit-permute-complement, written with an order
    y_k = x_k + x_(k+1)               Gray code [edelman, Section 4]

Bit i of a node is x_i, bit 0 the least significant. Every function takes the number of address
bits n first (1 <= n <= 64) and returns a named `LCC`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, MatrixError, SizeLimitError
from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix
from lccmodel.gf2.vector import VectorLike
from lccmodel.ground.arguments import typed_arguments


@typed_arguments
def identity(n: int) -> LCC:
    """Every node keeps its message.

    >>> identity(2)
    LCC([[1, 0], [0, 1]], name='identity')
    """
    return bit_permutation(range(address_bits(n)), name="identity")


@typed_arguments
def translation(n: int, vector: VectorLike | int) -> LCC:
    """x goes to x + vector, bit by bit modulo 2 [edelman, Section 3].

    Args:
        n: number of address bits.
        vector: n bits, bit 0 first, or a packed int.

    >>> translation(3, 0b101).destination(0b011)
    6
    """
    c = LCC(GF2Matrix.identity(address_bits(n)), _complement(vector, n))
    return LCC(c.A, c.b, name=f"translation:{int(c.b)}")


@typed_arguments
def exchange(n: int, k: int) -> LCC:
    """Neighbours across dimension k exchange their messages: y = x + e_k [edelman, Section 3].

    >>> exchange(3, 2).pairs().tolist()[:2]
    [[0, 4], [1, 5]]
    """
    bit = bit_index("k", k, address_bits(n))
    return bit_permutation(range(n), 1 << bit, name=f"exchange:{bit}")


@typed_arguments
def vector_reversal(n: int) -> LCC:
    """Every node sends to the opposite corner: y = x + (1, ..., 1) [edelman, Section 3].

    >>> vector_reversal(3).destination(1)
    6
    """
    return bit_permutation(range(address_bits(n)), (1 << n) - 1, name="vector-reversal")


@typed_arguments
def bit_reverse(n: int) -> LCC:
    """Bit i becomes bit n-1-i [hou, Example 1].

    >>> bit_reverse(3).destination(0b110)
    3
    """
    return bit_permutation(range(address_bits(n))[::-1], name="bit-reverse")


@typed_arguments
def reverse_flip(n: int) -> LCC:
    """Bit reversal with every bit complemented [hou, Section 6.1 and Example 7].

    >>> reverse_flip(3).destination(0b110)
    4
    """
    return bit_permutation(range(address_bits(n))[::-1], (1 << n) - 1, name="reverse-flip")


@typed_arguments
def bit_reverse_part(n: int, low: int, high: int) -> LCC:
    """Bits low .. high-1 in reverse order, the others kept: one axis of an FFT [hou, Example 5].

    Args:
        n: number of address bits.
        low, high: 0 <= low < high <= n; the bits low .. high-1 are reversed among themselves.

    >>> bit_reverse_part(4, 0, 3).destination(0b1001)
    12
    """
    first = bit_index("low", low, address_bits(n))
    last = bit_index("high", high, n + 1)
    if first >= last:
        raise CommunicationError("low, high", "must satisfy low < high", (low, high))
    bits = list(range(n))
    bits[first:last] = reversed(bits[first:last])
    return bit_permutation(bits, name=f"bit-reverse-part:{first},{last}")


@typed_arguments
def matrix_transpose(n: int, column_bits: int | None = None) -> LCC:
    """Transpose a matrix that is stored row by row, one element on a node [hou, Example 3].

    The 2^r by 2^c matrix, r + c = n, has its element (i, j) on node i 2^c + j; the message goes
    to node j 2^r + i, where the 2^c by 2^r transpose has it. So it is a shift of the address bits
    by r, and the square case exchanges the two halves of the address.

    Args:
        n: number of address bits, r + c.
        column_bits: c, with 0 <= c <= n; n/2 (a square matrix) if left out.

    Raises:
        CommunicationError: n is odd and `column_bits` is left out.

    >>> matrix_transpose(8).destination(0x2A) == 0xA2           # 16 x 16: row 2, column 10
    True
    >>> matrix_transpose(3, column_bits=2).destination(0b110)   # 2 x 4: (1, 2) of 4 x 2: (2, 1)
    5
    """
    n = address_bits(n)
    c = half("column_bits", n, column_bits)
    suffix = "" if column_bits is None else f":{c}"
    return _rotation(n, n - c, f"matrix-transpose{suffix}")


@typed_arguments
def shift(n: int, k: int) -> LCC:
    """The address bits shifted cyclically by k places upwards: y_((i+k) mod n) = x_i.

    k shuffles, as k columns of an omega network do them; a negative k shifts downwards, that is
    k unshuffles [edelman, Definition 5.1].

    >>> shift(4, 1).destination(0b1001), shift(4, -1).destination(0b1001)
    (3, 12)
    """
    return _rotation(address_bits(n), integer("k", k), f"shift:{integer('k', k)}")


@typed_arguments
def perfect_shuffle(n: int) -> LCC:
    """Two halves interleaved as a deck of cards: y_(i+1) = x_i, y_0 = x_(n-1).

    Node x goes to 2x, or to 2x - 2^n + 1 in the upper half [edelman, Definition 5.1].

    >>> perfect_shuffle(3).destination([0, 1, 2, 3, 4, 5, 6, 7]).tolist()
    [0, 2, 4, 6, 1, 3, 5, 7]
    """
    return _rotation(address_bits(n), 1, "perfect-shuffle")


@typed_arguments
def unshuffle(n: int) -> LCC:
    """The inverse of the perfect shuffle: y_i = x_(i+1), y_(n-1) = x_0.

    >>> unshuffle(3).destination([0, 1, 2, 3, 4, 5, 6, 7]).tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    return _rotation(address_bits(n), -1, "unshuffle")


@typed_arguments
def butterfly(n: int, k: int | None = None) -> LCC:
    """The k-th butterfly permutation: bits 0 and k change places [edelman, Definition 5.2].

    This is the wiring between two stages of a butterfly network, an exchange of address bits; the
    exchange of messages between the two ends of a butterfly is `exchange(n, k)`.

    Args:
        n: number of address bits.
        k: 0 <= k < n; n - 1, the exchange of the first and last bit, if left out.

    >>> butterfly(3, 2).destination(0b001)
    4
    """
    bit = address_bits(n) - 1 if k is None else bit_index("k", k, n)
    bits = list(range(n))
    bits[0], bits[bit] = bit, 0
    return bit_permutation(bits, name="butterfly" if k is None else f"butterfly:{bit}")


@typed_arguments
def bit_permute_complement(order: Sequence[int], complement: VectorLike | int | None = None) -> LCC:
    """The bit-permute-complement permutation y_k = x_(order[k]) + complement_k.

    Args:
        order: permutation of 0..n-1; order[k] is the old bit that becomes bit k.
        complement: n bits, bit 0 first, or a packed int; zero if left out.

    Raises:
        CommunicationError: `order` is not a permutation, or the complement has another length.

    >>> bit_permute_complement([1, 2, 0], [0, 0, 1]).destination(0b010)
    5
    """
    bits = [integer(f"order[{k}]", bit) for k, bit in enumerate(order)]
    n = address_bits(len(bits))
    if sorted(bits) != list(range(n)):
        raise CommunicationError("order", f"must be a permutation of 0..{n - 1}", bits)
    packed = _complement(0 if complement is None else complement, n)
    label = "-".join(map(str, bits)) + (f",{packed}" if packed else "")
    return bit_permutation(bits, packed, name=f"bit-permute-complement:{label}")


# -- shared with the other modules of the catalogue ------------------------------------------


def bit_permutation(order: Sequence[int], complement: int = 0, *, name: str) -> LCC:
    """y_k = x_(order[k]) + bit k of `complement`, without checks."""
    return LCC(GF2Matrix.from_order(tuple(order)), complement, name=name)


def _rotation(n: int, k: int, name: str) -> LCC:
    return bit_permutation([(i - k) % n for i in range(n)], name=name)


def integer(argument: str, value: object) -> int:
    """The value as an int; a CommunicationError unless it is an integer."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise CommunicationError(argument, "must be an integer", value)
    return int(value)


def address_bits(n: int) -> int:
    """Check that n is a possible number of address bits."""
    bits = integer("n", n)
    if bits < 1:
        raise CommunicationError("n", "must be at least 1", bits)
    if bits > MAX_DIMENSION:
        raise SizeLimitError("n", f"at most {MAX_DIMENSION}: a row must fit one machine word", bits)
    return bits


def bit_index(argument: str, value: int, limit: int) -> int:
    """Check that a bit number is in 0..limit-1."""
    bit = integer(argument, value)
    if not 0 <= bit < limit:
        raise CommunicationError(argument, f"must be in 0..{limit - 1}", bit)
    return bit


def half(argument: str, n: int, bits: int | None) -> int:
    """A part of the n address bits: as given, or half of them."""
    if bits is not None:
        return bit_index(argument, bits, n + 1)
    if n % 2:
        rule = f"must be even for a square shape; state {argument} for a rectangular one"
        raise CommunicationError("n", rule, n)
    return n // 2


def _complement(vector: VectorLike | int, n: int) -> int:
    try:
        return int(LCC(GF2Matrix.identity(n), vector).b)
    except MatrixError as error:
        rule = f"must be {n} bits, or an int from 0 to 2^{n} - 1"
        raise CommunicationError("complement", rule, vector) from error
