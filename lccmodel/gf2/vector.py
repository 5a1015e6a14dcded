"""Vectors over GF(2) as frozen values, and the check that entries are 0 and 1.

Bit 0 comes first: `v[i]` is the coordinate of dimension i, and the packed vector `int(v)` has it as
its bit i.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from lccmodel.errors import MatrixError
from lccmodel.ground.arguments import typed_arguments

VectorLike = Any
"""What `GF2Vector` accepts: a sequence or array of 0/1, bit 0 first."""


_MOST_BITS = 1 << 20


@typed_arguments
class GF2Vector(tuple[int, ...]):
    """A frozen vector of bits, `v[i]` the coordinate i; `int(v)` packs it, bit i being v[i].

    Args:
        bits: sequence or one-dimensional array of 0 and 1, bit 0 first; or one column.

    Raises:
        MatrixError: an entry is not 0 or 1, or the argument is not one-dimensional.

    >>> v = GF2Vector([1, 0, 1])
    >>> v[2], int(v), len(v)
    (1, 5, 3)
    """

    __slots__ = ()

    def __new__(cls, bits: VectorLike) -> GF2Vector:
        """Check the entries; a vector is taken as it is."""
        if isinstance(bits, GF2Vector):
            return bits
        return super().__new__(cls, (int(bit) for bit in binary_array(bits, "vector", 1)))

    @classmethod
    def from_int(cls, packed: SupportsIndex, n: int) -> GF2Vector:
        """Unpack an int into n bits.

        >>> GF2Vector.from_int(5, 4)
        GF2Vector([1, 0, 1, 0])
        """
        word = packed.__index__()
        if not 0 <= n <= _MOST_BITS:
            raise MatrixError("n", f"must be in 0..{_MOST_BITS}", n)
        if word < 0 or word >> n:
            raise MatrixError("vector", f"must be a non-negative int below 2^{n}", word)
        return super().__new__(cls, [word >> i & 1 for i in range(n)] if word else (0,) * n)

    def __int__(self) -> int:
        return sum(bit << i for i, bit in enumerate(self))

    def __add__(self, other: VectorLike) -> GF2Vector:
        """The sum over GF(2), not the concatenation of two tuples.

        >>> GF2Vector([1, 0, 1]) + GF2Vector([1, 1, 0])
        GF2Vector([0, 1, 1])
        """
        vector = GF2Vector(other)
        if len(vector) != len(self):
            raise MatrixError("vector", f"must have {len(self)} entries", list(vector))
        return GF2Vector.from_int(int(self) ^ int(vector), len(self))

    __radd__ = __add__

    def __repr__(self) -> str:
        return f"GF2Vector({list(self)})"

    def __getnewargs__(self) -> tuple[tuple[int, ...]]:
        return (tuple(self),)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {latex_matrix([[bit] for bit in self])}$"


def binary_array(entries: Any, name: str, ndim: int) -> npt.NDArray[Any]:
    """Check that `entries` form an array of 0 and 1 with `ndim` axes, and return it."""
    try:
        array = np.asarray(entries)
    except (ValueError, TypeError, OverflowError):
        raise MatrixError(name, "rows must have equal length and entries 0 or 1", entries) from None
    if ndim == 2 and array.shape == (0,):
        array = array.reshape(0, 0)
    if ndim == 1 and array.ndim == 2 and array.shape[1] == 1:  # a column, as sympy makes them
        array = array[:, 0]
    if array.ndim != ndim:
        rule = f"must have {ndim} {'axis' if ndim == 1 else 'axes'}, with entries 0 or 1"
        raise MatrixError(name, rule, entries)
    if array.dtype.kind not in "biufO" and array.size:
        raise MatrixError(name, "entries must be 0 or 1", entries)
    wrong = ((array != 0) & (array != 1)).astype(bool)
    if wrong.any():
        place = tuple(int(k) for k in np.argwhere(wrong)[0])
        where = ", ".join(map(str, place))
        entry = array[place]
        value = entry.item() if isinstance(entry, np.generic) else entry
        raise MatrixError(f"{name}[{where}]", "entries must be 0 or 1", value)
    return array


def latex_matrix(rows: Iterable[Iterable[int]]) -> str:
    """Rows of entries as a LaTeX `bmatrix`."""
    body = r" \\ ".join(" & ".join(str(entry) for entry in row) for row in rows)
    return rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
