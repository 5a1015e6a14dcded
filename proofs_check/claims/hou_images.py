"""What [hou] prints of its regular communications on 8 dimensions, and the images of Example 5.

Matrices are read as printed, rows of bits with column 0 first; the communications themselves are
taken from their words: an integer reversed, a pixel with its coordinates exchanged.

The 16 × 16 image has pixel (px, py) on node 16 py + px. A picture is an array of what an eye sees,
row 0 on top: with py counting upwards pixel (px, py) is at picture[15 - py, px], with py counting
downwards at picture[py, px]. Its entries are node numbers, so the picture turned by numpy says
which pixel came where. The paper does not say which way py counts; item 3 calls the pixels with
small px and py the lower left, which is upwards. Reflections are the same either way, rotations are
not.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.claim import Claim, Control, Finding, Reading, claim
from proofs_check.domain import Enumerated

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


def destinations(name: str) -> list[int]:
    """Those of all 256 nodes."""
    return [destination(name, x) for x in range(256)]


def image(matrix: str, vector: str, x: int) -> int:
    """Ax + b of a printed matrix and vector.

    >>> image("01 10", "10", 2)
    0
    """
    return GF2Matrix(bits(matrix)).apply(x) ^ int(GF2Vector(bits(vector)[0]))


# -- Example 5, pixel by pixel on pictures that numpy turns ------------------------------------


Picture = npt.NDArray[np.int64]

PIXELS = Enumerated(
    lambda n: ((px, py) for py in range(16) for px in range(16)),
    size=lambda n: 256,
    names="px, py",
    text="every pixel of the 16 × 16 image",
    dimensions=(8,),
)
UP, DOWN = "up", "down"

IDENTITY = "10000000 01000000 00100000 00010000 00001000 00000100 00000010 00000001"
SCALE = "01000000 00100000 00010000 00000000 00000100 00000010 00000001 00000000"
ROWS = "00010000 00100000 01000000 10000000 00001000 00000100 00000010 00000001"
COLUMNS = "10000000 01000000 00100000 00010000 00000001 00000010 00000100 00001000"


def picture(y_axis: str) -> Picture:
    """The node of every pixel as an eye sees them, row 0 on top.

    >>> int(picture("up")[0, 0]), int(picture("down")[0, 0])
    (240, 0)
    """
    rows = np.arange(256).reshape(16, 16)
    return rows[::-1].copy() if y_axis == UP else rows


def other_diagonal(seen: Picture) -> Picture:
    """Reflect a picture on the diagonal from the lower left to the upper right corner."""
    return seen[::-1, ::-1].T


def turned(operation: str, seen: Picture, y_axis: str) -> Picture:
    """The picture after an operation; the line px = py rises when py counts upwards."""
    if operation in ("reflect-diagonal", "reflect-antidiagonal"):
        rises = (operation == "reflect-diagonal") == (y_axis == UP)
        return other_diagonal(seen) if rises else seen.T
    if operation == "reflect-vertical":
        return np.fliplr(seen)
    if operation == "reflect-horizontal":
        return np.flipud(seen)
    quarters = {"rotate90-counterclockwise": 1, "rotate180": 2, "rotate90-clockwise": 3}
    return np.rot90(seen, quarters[operation])


@lru_cache(maxsize=32)
def moved(operation: str, y_axis: str) -> dict[int, int]:
    """Where the pixel of every node goes: the node whose place in the picture it takes.

    >>> moved("reflect-vertical", "up")[0x20] == 0x2F
    True
    """
    before = picture(y_axis)
    after = turned(operation, before, y_axis)
    return dict(zip(after.ravel().tolist(), before.ravel().tolist(), strict=True))


_SPOILED = Control("the vector with its first bit complemented", spoil=1)
_AXIS = (
    "py counts downwards. Counting upwards, as 'lower-left' in item 3 does, exchanges the "
    "published vectors of the two rotations by 90°"
)


def _turn(
    operation: str,
    words: str,
    matrix: str,
    vector: str,
    reading: Reading | str | None = None,
    item: int = 1,
) -> Claim:
    """Declare the claim that a printed matrix and vector do what the words say."""
    stated = "A_1 x" if matrix == TRANSPOSE_MATRIX else "I x"
    printed = " ".join(vector)

    def check(px: int, py: int, *, y_axis: str = UP, spoil: int = 0) -> Finding:
        x = 16 * py + px
        goes, sent = moved(operation, y_axis)[x], image(matrix, vector, x) ^ spoil
        return Finding(
            goes == sent, goes_to=(goes % 16, goes // 16), printed_sends_to=(sent % 16, sent // 16)
        )

    return claim(
        f"hou.ex5.{operation}",
        place=f"Section 5, Example 5, item {item}",
        says=f"to {words}, pixel (px, py) on node 16 py + px is sent by "
        f"y = {stated} + [{printed}]ᵗ",
        latex=rf"y = {stated.replace('A_1', 'A_1 ')} + ({','.join(vector)})^t",
        over=PIXELS,
        evidence="a picture of node numbers turned by numpy",
        control=_SPOILED,
        reading=reading,
    )(check)


_turn("reflect-diagonal", "reflect on the diagonal px = py", TRANSPOSE_MATRIX, "00000000")
_turn("reflect-antidiagonal", "reflect on the line py = 15 - px", TRANSPOSE_MATRIX, "11111111")
_turn(
    "rotate90-clockwise",
    "rotate 90° clockwise",
    TRANSPOSE_MATRIX,
    "11110000",
    Reading(_AXIS, y_axis=DOWN),
)
_turn(
    "rotate90-counterclockwise",
    "rotate 90° counterclockwise",
    TRANSPOSE_MATRIX,
    "00001111",
    Reading(_AXIS, y_axis=DOWN),
)
_turn("reflect-vertical", "reflect on a vertical line", IDENTITY, "11110000", item=2)
_turn("reflect-horizontal", "reflect on a horizontal line", IDENTITY, "00001111", item=2)
_turn("rotate180", "rotate 180°", IDENTITY, "11111111", item=2)


# -- scaling --------------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _enlarged(y_axis: str) -> Picture:
    """The lower-left quarter of the picture, every pixel of it doubled along both axes."""
    return np.kron(picture(y_axis)[8:, :8], np.ones((2, 2), dtype=np.int64))


@claim(
    "hou.ex5.scale2",
    place="Section 5, Example 5, item 3",
    says=(
        "to scale the lower-left 8 × 8 sub-image by 2, pixel (px, py) goes to (2px, 2py), "
        "(2px+1, 2py), (2px, 2py+1) and (2px+1, 2py+1). This is the published scatter A_2 y = "
        "x"
    ),
    latex=r"x = A_2 y",
    reading="py counts upwards; the rotations of the same example need the opposite",
    over=PIXELS,
    evidence="the quarter of a picture of node numbers enlarged by numpy; the four places as said",
    control=Control("py counts downwards", y_axis=DOWN),
)
def scale2(px: int, py: int, *, y_axis: str = UP) -> Finding:
    y = 16 * py + px
    place = np.argwhere(picture(y_axis) == y)[0]
    seen = int(_enlarged(y_axis)[tuple(place)])
    sent = GF2Matrix(bits(SCALE)).apply(y)
    qx, qy = sent % 16, sent // 16
    four = [(2 * qx + s, 2 * qy + t) for s in (0, 1) for t in (0, 1)]
    return Finding(seen == sent and (px, py) in four and max(qx, qy) < 8, shows=seen, printed=sent)


# -- Fourier transforms -----------------------------------------------------------------------


@lru_cache(maxsize=8)
def transformed(matrix: str, axis: str) -> tuple[float, float]:
    """(error, scale) of transforms built from a printed reordering and butterflies on neighbours.

    The data are sent by the printed matrix, then each stage combines the nodes that differ in one
    bit: bits 0..7 for one transform of 256 points, 0..3 along rows, 4..7 along columns.
    """
    data = np.random.default_rng(8).normal(size=(256, 2)) @ np.array([1, 1j])
    stages = {"all": range(8), "rows": range(4), "columns": range(4, 8)}[axis]
    values = np.empty_like(data)
    for x in range(256):
        values[image(matrix, "00000000", x)] = data[x]
    for stage, bit in enumerate(stages):
        low = np.array([x for x in range(256) if not x >> bit & 1])
        phase = (low >> stages[0]) % (1 << stage)
        twiddled = np.exp(-2j * np.pi * phase / (2 << stage)) * values[low | 1 << bit]
        values[low], values[low | 1 << bit] = values[low] + twiddled, values[low] - twiddled
    grid = data.reshape(16, 16)
    if axis == "all":
        expected = np.fft.fft(data)
    else:
        expected = np.fft.fft(grid, axis=1 if axis == "rows" else 0).ravel()
    return float(np.abs(values - expected).max()), float(np.abs(expected).max())


def _fourier(name: str, words: str, matrix: str, axis: str, item: int, wrong: str) -> Claim:
    """Declare the claim that a printed matrix is the reordering that a transform needs."""

    def check(px: int, py: int, *, used: str = matrix) -> Finding:
        x = 16 * py + px
        px_reversed, py_reversed = int(f"{px:04b}"[::-1], 2), int(f"{py:04b}"[::-1], 2)
        goes = {
            "all": 16 * px_reversed + py_reversed,
            "rows": 16 * py + px_reversed,
            "columns": 16 * py_reversed + px,
        }[axis]
        error, scale = transformed(used, axis)
        sent = image(used, "00000000", x)
        details: dict[str, Any] = {"reversed": goes, "printed": sent, "error": error}
        return Finding(sent == goes and error < 1e-12 * scale * 256, **details)

    return claim(
        f"hou.ex5.{name}",
        place=f"Section 5, Example 5, item {item}",
        says=f"for {words}, the communication besides those of neighbours is the bit-reverse "
        "whose matrix is printed, with b = 0",
        latex=r"y = Ax",
        over=PIXELS,
        evidence="the digits reversed; transforms built from this reordering and exchanges of "
        "neighbours, compared with numpy's",
        control=Control("the reordering of another transform", used=wrong),
    )(check)


_fourier("fft", "a 1D FFT on the 256 pixels", BIT_REVERSE_MATRIX, "all", 4, ROWS)
_fourier("fft-rows", "a 1D FFT on each row", ROWS, "rows", 5, COLUMNS)
_fourier("fft-columns", "a 1D FFT on each column", COLUMNS, "columns", 5, ROWS)
