"""Which element of an array is on which processor.

2^bits elements lie on 2^n processors. An element is known by its address; some bits of the
address are the number of its processor, the others its place there:

    processor bit k   =  address bit processor_bits[k]
    place bit t       =  address bit local_bits[t]      (the other bits, ascending)

    layout                            processor_bits
    block-cyclic [hou, Section 6.2]   d, ..., n+d-1     2^d elements to a block, 2^d blocks each
    cyclic                            0, ..., n-1
    block                             bits-n, ..., bits-1

A linear-complement communication of the elements, y = Ax + b, takes the elements of a processor to
one processor only if the processor bits of y do not depend on the place bits of x. Then the
processors perform a linear-complement communication too, whose matrix is a submatrix of A.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC, MAX_LISTED_DIMENSION
from lccmodel.errors import (
    CommunicationError,
    InputError,
    SizeLimitError,
    checked_array,
    checked_integer,
    checked_integers,
    checked_shape,
)
from lccmodel.gf2.matrix import MAX_DIMENSION
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array


@typed_arguments
@dataclass(frozen=True)
class Layout:
    """A distribution of 2^bits elements over 2^n processors by address bits.

    Args:
        bits: number of address bits, 1..28.
        processor_bits: different address bits, at least one.

    Raises:
        InputError: bits < 1, no processor bits, one twice, or one that is no address bit.
        SizeLimitError: bits > 28.

    >>> Layout(4, (1, 2)).address(0b10)     # two elements to a block, two blocks to a processor
    array([ 4,  5, 12, 13])
    """

    bits: int
    processor_bits: tuple[int, ...]

    def __post_init__(self) -> None:
        if checked_integer("bits", self.bits) < 1:
            raise InputError("bits", "must be at least 1", self.bits)
        if self.bits > MAX_LISTED_DIMENSION:
            rule = f"elements are listed up to 2^{MAX_LISTED_DIMENSION}"
            raise SizeLimitError("bits", rule, self.bits)
        chosen = checked_integers("processor_bits", self.processor_bits)
        object.__setattr__(self, "processor_bits", chosen)
        in_range = all(0 <= bit < self.bits for bit in chosen)
        if not chosen or len(set(chosen)) < len(chosen) or not in_range:
            rule = f"must be different address bits in 0..{self.bits - 1}, at least one"
            raise InputError("processor_bits", rule, chosen)

    @property
    def n(self) -> int:
        """Number of processor bits; there are 2^n processors."""
        return len(self.processor_bits)

    @property
    def local_bits(self) -> tuple[int, ...]:
        """The address bits that number the places on a processor, ascending."""
        return tuple(bit for bit in range(self.bits) if bit not in self.processor_bits)

    def processor_of(self, address: Array) -> Array:
        """Return the processors of elements; int64, of the shape of `address`."""
        return _pick(checked_array("address", address), self.processor_bits)

    def place_of(self, address: Array) -> Array:
        """Return the places of elements on their processors; int64, of the shape of `address`."""
        return _pick(checked_array("address", address), self.local_bits)

    def address(self, processor: int) -> Array:
        """Return the addresses of a processor's elements, by place; int64, (2^(bits-n),)."""
        places = np.arange(1 << (self.bits - self.n), dtype=np.int64)
        number: Array = _put(np.int64(processor), self.processor_bits)
        return _put(places, self.local_bits) | number

    def distribute(self, values: Array) -> Array:
        """Return the elements of every processor.

        Args:
            values: shape (2^bits, ...); an element may be an array, such as three colours.

        Returns: shape (2^n, 2^(bits-n), ...).

        Raises:
            InputError: not 2^bits values.
        """
        values = checked_shape("values", values)
        if values.shape[:1] != (1 << self.bits,):
            raise InputError("values", f"must be 2^{self.bits} = {1 << self.bits}", values.shape)
        return np.stack([values[self.address(p)] for p in range(1 << self.n)])

    def collect(self, pieces: Sequence[Array]) -> Array:
        """Return the inverse of `distribute`: the values in the order of addresses, (2^bits, ...).

        Raises:
            InputError: not a piece of 2^(bits-n) values for each of 2^n processors.
        """
        checked = checked_shape("pieces", pieces)
        if checked.shape[:2] != (1 << self.n, 1 << (self.bits - self.n)):
            rule = f"must be 2^{self.n} pieces of 2^{self.bits - self.n} values"
            raise InputError("pieces", rule, checked.shape)
        values = np.empty((1 << self.bits, *checked.shape[2:]), dtype=checked.dtype)
        for processor, piece in enumerate(checked):
            values[self.address(processor)] = piece
        return values


def block_cyclic(points: int, n: int) -> Layout:
    """2^(n+2d) elements on 2^n processors, in 2^d blocks of 2^d each [hou, Section 6.2].

    Raises:
        InputError: n < 1, or the number of points is not 2^(n+2d) with d >= 0.

    >>> block_cyclic(64, 2).processor_bits
    (2, 3)
    """
    n = checked_integer("n", n)
    m = checked_integer("points", points)
    bits = m.bit_length() - 1
    if not 1 <= n <= MAX_DIMENSION:
        raise InputError("n", f"must be in 1..{MAX_DIMENSION}", n)
    if m < 1 or m != 1 << bits or bits < n or (bits - n) % 2:
        sizes = ", ".join(str(1 << n + 2 * d) for d in range(4))
        rule = f"must be 2^({n}+2d), d >= 0, on {1 << n} processors: {sizes}, ..."
        raise InputError("points", rule, points)
    return grid(bits, 0, n, 0, cyclic=True)


def side_bits(array: Array) -> tuple[int, int]:
    """(h, w) of a 2^h by 2^w array (with any further axes).

    Raises:
        InputError: fewer than two axes, or sides that are no powers of two.
    """
    sides = array.shape[:2]
    if len(sides) < 2 or any(side < 1 or side & (side - 1) for side in sides):
        raise InputError("array", "must have sides that are powers of two", array.shape)
    return sides[0].bit_length() - 1, sides[1].bit_length() - 1


def processor_grid(n: int, columns: int | None) -> tuple[int, int]:
    """Bits of the column and of the row of a processor in a grid of 2^n.

    Raises:
        InputError: n < 1, or columns not in 0..n.
    """
    if n < 1:
        raise InputError("n", "must be at least 1", n)
    over_x = n // 2 if columns is None else columns
    if not 0 <= over_x <= n:
        raise InputError("columns", f"must be in 0..{n}", over_x)
    return over_x, n - over_x


def grid(width: int, height: int, columns: int, rows: int, *, cyclic: bool = False) -> Layout:
    """A 2^height by 2^width array on a grid of 2^columns by 2^rows processors.

    Element (x, y) has the address y 2^width + x, processor (px, py) the number
    py 2^columns + px [hou, Example 5]. Both axes are cut into blocks, one to a processor, or laid
    out block-cyclically.

    Args:
        width, height: bits of x and of y.
        columns, rows: bits of px and of py.
        cyclic: block-cyclic, which needs width - columns and height - rows to be even.

    Raises:
        InputError: negative numbers, more processors than elements on an axis, or an odd
            difference for a block-cyclic layout of an axis that is spread.

    >>> grid(3, 3, 1, 1).processor_bits
    (2, 5)
    """
    starts = []
    for axis, bits, n in (("width", width, columns), ("height", height, rows)):
        if not 0 <= n <= bits:
            raise InputError(axis, f"must be at least 2^{n}, one for each processor", f"2^{bits}")
        odd = n and (bits - n) % 2
        if cyclic and odd:
            rule = f"must be 2^({n}+2d), d >= 0, over {1 << n} processors"
            raise InputError(axis, rule, f"2^{bits}")
        starts.append((bits - n) // 2 if cyclic else bits - n)
    over_x = range(starts[0], starts[0] + columns)
    over_y = range(width + starts[1], width + starts[1] + rows)
    return Layout(width + height, (*over_x, *over_y))


def processor_communication(
    communication: LCC, before: Layout, after: Layout | None = None, *, name: str = ""
) -> LCC:
    """What the processors send when the elements move by a communication.

    Args:
        communication: of the elements, on `before.bits` address bits.
        before, after: where the elements lie and where they go; the same if `after` is left out.
        name: of the result.

    Raises:
        CommunicationError: the elements of some processor go to (for a scatter: come from) more
            than one processor.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> processor_communication(bit_reverse(8), block_cyclic(256, 4)) == bit_reverse(4)
    True
    """
    after = before if after is None else after
    start, end = (after, before) if communication.kind == "scatter" else (before, after)
    A = communication.A
    if any(any(row) for row in A.submatrix(end.processor_bits, start.local_bits)):
        rule = "must take all elements of a processor to one processor in this layout"
        raise CommunicationError("communication", rule, communication)
    inner = A.submatrix(end.processor_bits, start.processor_bits)
    shift = [communication.b[bit] for bit in end.processor_bits]
    make = LCC.scatter if communication.kind == "scatter" else LCC
    return make(inner, shift, name=name or communication.name)


def _pick(values: Array, positions: Sequence[int]) -> Array:
    """Bit k of the result is bit positions[k] of the value."""
    result = np.zeros_like(values, dtype=np.int64)
    for k, position in enumerate(positions):
        result |= (values >> position & 1) << k
    return result


def _put(values: Any, positions: Sequence[int]) -> Array:
    """Bit positions[k] of the result is bit k of the value."""
    result = np.zeros_like(values, dtype=np.int64)
    for k, position in enumerate(positions):
        result |= (values >> k & 1) << position
    return result
