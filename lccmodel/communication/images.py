"""Operations on images spread over a hypercube [hou, Example 5].

A 2^a by 2^b image, a + b = n, has its pixel (px, py), 0 <= px < 2^a, 0 <= py < 2^b, on node
py 2^a + px: bits 0..a-1 of the node are px, bits a..n-1 are py. `width_bits` is a; left out, the
image is square, and n must be even.

An operation that turns a 2^a by 2^b image on its side makes a 2^b by 2^a image, which is stored
by the same rule with its own width: (px', py') on node py' 2^b + px'. The paper has square images
only; everything else keeps the shape.

    operation                       (px, py) goes to (W = 2^a - 1, H = 2^b - 1)
    reflect on the diagonal         (py, px)
    reflect on the antidiagonal     (H - py, W - px)
    rotate 90° clockwise            (py, W - px) when py counts upwards
    rotate 90° counterclockwise     (H - py, px) when py counts upwards

The paper prints the vectors of the two rotations for a py axis that points down, and calls the
pixels with small px and py "lower-left", where it points up. Here py points up unless
`y_axis="down"` is stated.
"""

from __future__ import annotations

from typing import Literal

from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import address_bits, bit_permutation, half
from lccmodel.errors import CommunicationError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import checked_word

YAxis = Literal["up", "down"]


@typed_arguments
def reflect_diagonal(n: int, width_bits: int | None = None) -> LCC:
    """Reflect on the diagonal px = py: a matrix transpose [hou, Example 5(1)].

    >>> reflect_diagonal(8).destination(0x2A) == 0xA2
    True
    """
    label = _label("reflect-diagonal", width_bits)
    return _turned(n, width_bits, label, flip_x=False, flip_y=False)


@typed_arguments
def reflect_antidiagonal(n: int, width_bits: int | None = None) -> LCC:
    """Reflect on the other diagonal, py = 2^a - 1 - px of a square image [hou, Example 5(1)].

    >>> reflect_antidiagonal(8).destination(0x00) == 0xFF
    True
    """
    label = _label("reflect-antidiagonal", width_bits)
    return _turned(n, width_bits, label, flip_x=True, flip_y=True)


@typed_arguments
def rotate90_clockwise(n: int, width_bits: int | None = None, y_axis: YAxis = "up") -> LCC:
    """Turn by a right angle clockwise [hou, Example 5(1)].

    Args:
        n: number of address bits.
        width_bits: a of a 2^a by 2^b image; n/2 if left out.
        y_axis: whether py counts "up" from the bottom or "down" from the top.

    >>> rotate90_clockwise(4).destination(0b1100)       # upper left (0, 3) to upper right (3, 3)
    15
    """
    up = _points_up(y_axis)
    label = _label("rotate90-clockwise", width_bits, y_axis)
    return _turned(n, width_bits, label, flip_x=not up, flip_y=up)


@typed_arguments
def rotate90_counterclockwise(n: int, width_bits: int | None = None, y_axis: YAxis = "up") -> LCC:
    """Turn by a right angle counterclockwise; arguments as for `rotate90_clockwise`.

    >>> rotate90_counterclockwise(4).destination(0b1100)  # upper left (0, 3) to lower left (0, 0)
    0
    """
    up = _points_up(y_axis)
    label = _label("rotate90-counterclockwise", width_bits, y_axis)
    return _turned(n, width_bits, label, flip_x=up, flip_y=not up)


@typed_arguments
def rotate180(n: int) -> LCC:
    """Turn by two right angles; the same for every shape of the image [hou, Example 5(2)].

    >>> rotate180(8).destination(0)
    255
    """
    return bit_permutation(range(address_bits(n)), (1 << n) - 1, name="rotate180")


@typed_arguments
def reflect_vertical(n: int, width_bits: int | None = None) -> LCC:
    """Reflect on a vertical line: (px, py) to (2^a - 1 - px, py) [hou, Example 5(2)].

    >>> reflect_vertical(8).destination(0x20) == 0x2F
    True
    """
    a = _width(n, width_bits)
    return bit_permutation(range(n), (1 << a) - 1, name=_label("reflect-vertical", width_bits))


@typed_arguments
def reflect_horizontal(n: int, width_bits: int | None = None) -> LCC:
    """Reflect on a horizontal line: (px, py) to (px, 2^b - 1 - py) [hou, Example 5(2)].

    >>> reflect_horizontal(8).destination(0x20) == 0xD0
    True
    """
    a = _width(n, width_bits)
    mask = (1 << n) - (1 << a)
    return bit_permutation(range(n), mask, name=_label("reflect-horizontal", width_bits))


@typed_arguments
def scale2(n: int, width_bits: int | None = None) -> LCC:
    """Enlarge the quarter with px < 2^(a-1), py < 2^(b-1) by 2 along both axes [hou, Example 5(3)].

    A scatter: pixel (px, py) goes to (2px, 2py), (2px + 1, 2py), (2px, 2py + 1) and
    (2px + 1, 2py + 1); the other pixels are dropped.

    Raises:
        CommunicationError: a = 0 or b = 0, where the image has no such quarter.

    >>> scale2(8).source([0x00, 0x01, 0x10, 0x11]).tolist(), scale2(8).source(0xFF) == 0x77
    ([0, 0, 0, 0], True)
    """
    a = _width(n, width_bits)
    if not 0 < a < n:
        raise CommunicationError("width_bits", f"must be in 1..{n - 1}, to have a quarter", a)
    last = {a - 1, n - 1}  # the top bits of px and py of a source in the quarter are 0
    rows = [0 if i in last else 1 << i + 1 for i in range(n)]
    return LCC.scatter(GF2Matrix.from_rows(rows, n), name=_label("scale2", width_bits))


@typed_arguments
def fft(n: int) -> LCC:
    """The reordering of a one-dimensional FFT over all pixels, a bit reversal [hou, Example 5(4)].

    >>> fft(8).destination(0x01)
    128
    """
    return bit_permutation(range(address_bits(n))[::-1], name="fft")


@typed_arguments
def fft_rows(n: int, width_bits: int | None = None) -> LCC:
    """The reordering of an FFT along every row: px bit-reversed [hou, Example 5(5)].

    >>> fft_rows(8).destination(0x21) == 0x28
    True
    """
    a = _width(n, width_bits)
    order = [*reversed(range(a)), *range(a, n)]
    return bit_permutation(order, name=_label("fft-rows", width_bits))


@typed_arguments
def fft_columns(n: int, width_bits: int | None = None) -> LCC:
    """The reordering of an FFT along every column: py bit-reversed [hou, Example 5(5)].

    >>> fft_columns(8).destination(0x12) == 0x82
    True
    """
    a = _width(n, width_bits)
    order = [*range(a), *reversed(range(a, n))]
    return bit_permutation(order, name=_label("fft-columns", width_bits))


def _turned(n: int, width_bits: int | None, label: str, *, flip_x: bool, flip_y: bool) -> LCC:
    """(px, py) to (py, px), then complement the new px (b bits), the new py (a bits)."""
    a = _width(n, width_bits)
    b = n - a
    order = [*range(a, n), *range(a)]
    new_x, new_y = (1 << b) - 1, (1 << n) - (1 << b)
    return bit_permutation(order, new_x * flip_x | new_y * flip_y, name=label)


def _width(n: int, width_bits: int | None) -> int:
    return half("width_bits", address_bits(n), width_bits)


def _label(name: str, width_bits: int | None, y_axis: str = "up") -> str:
    """The name under which the catalogue builds this communication again."""
    stated = [] if width_bits is None else [str(width_bits)]
    stated += [] if y_axis == "up" else [f"y_axis={y_axis}"]
    return f"{name}:{','.join(stated)}" if stated else name


def _points_up(y_axis: str) -> bool:
    checked_word("y_axis", y_axis, ("up", "down"), kind=CommunicationError)
    return y_axis == "up"
