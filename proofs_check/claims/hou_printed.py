"""What [hou] prints and says of its regular communications on 8 dimensions.

Matrices are read as printed, rows of bits with column 0 first; the communications themselves are
taken from their words: an integer reversed, a pixel with its coordinates exchanged.
"""

from __future__ import annotations

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector

BIT_REVERSE_MATRIX = "00000001 00000010 00000100 00001000 00010000 00100000 01000000 10000000"
"""The matrix of Example 1, row after row, column 0 first."""


TRANSPOSE_MATRIX = "00001000 00000100 00000010 00000001 10000000 01000000 00100000 00010000"
"""The matrix of Example 3, row after row, column 0 first."""

TRANSPOSE, BIT_REVERSE, REVERSE_FLIP = "matrix-transpose", "bit-reverse", "reverse-flip"


def bits(rows: str) -> list[list[int]]:
    """A printed matrix: rows of 0 and 1, parted by blanks.

    >>> bits("01 10")
    [[0, 1], [1, 0]]
    """
    return [[int(bit) for bit in row] for row in rows.split()]


def reverse(i: int, n: int) -> int:
    """i_0 2^(n-1) + i_1 2^(n-2) + ... + i_(n-1), as section 3 defines it.

    >>> reverse(0b00010110, 8) == 0b01101000
    True
    """
    return int(f"{i:0{n}b}"[::-1], 2)


def transpose(x: int) -> int:
    """Pixel (px, py) on node 16 py + px goes to (py, px)."""
    py, px = divmod(x, 16)
    return 16 * px + py


def reverse_flip(x: int) -> int:
    """Bit-reverse with every bit of the destination complemented."""
    return 255 - reverse(x, 8)


def destination(name: str, x: int) -> int:
    """Where node x of 256 sends, by the name of the communication."""
    if name == "bit-reverse":
        return reverse(x, 8)
    return transpose(x) if name == "matrix-transpose" else reverse_flip(x)


def image(matrix: str, vector: str, x: int) -> int:
    """Ax + b of a printed matrix and vector.

    >>> image("01 10", "10", 2)
    0
    """
    return GF2Matrix(bits(matrix)).apply(x) ^ int(GF2Vector(bits(vector)[0]))
