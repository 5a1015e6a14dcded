"""How the processors of a mesh are numbered [sibeyn, sections 1.1 and 4].

Shuffled row-major is the paper's numbering: the bits of a number are dealt out to the axes in
turn, the least significant first, so that even bits are the column and odd bits the row. Any other
numbering x' = Cx + d of it will do. Row-major is among them, and, other than section 4 says,
snake-like numbering is too: a column is read backwards in odd rows, which adds the last bit of the
row to every bit of the column, and that is linear over GF(2).

    4 × 4      shuffled row-major     row-major          snake-like
               0  1  4  5             0  1  2  3         0  1  2  3
               2  3  6  7             4  5  6  7         7  6  5  4
               8  9 12 13             8  9 10 11         8  9 10 11
              10 11 14 15            12 13 14 15        15 14 13 12
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, MatrixError, NetworkError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.words import NUMBERINGS as NUMBERINGS
from lccmodel.ground.words import NumberingName as NumberingName
from lccmodel.ground.words import checked_word, word_rule
from lccmodel.network import Mesh

Place = tuple[int, int]
"""(axis, position): the bit of weight 2^position in the coordinate of that axis."""


@typed_arguments
@dataclass(frozen=True)
class Numbering:
    """The numbers of the processors of a mesh: C s + d, s the shuffled row-major number.

    Args:
        mesh: the mesh; axis 0 is the column, axis 1 the row.
        C: nonsingular n by n matrix.
        d: vector of n bits.
        name: a label; it does not take part in comparisons.

    >>> Numbering.named("snake-like", Mesh((4, 2))).grid.tolist()
    [[0, 1, 2, 3], [7, 6, 5, 4]]
    """

    mesh: Mesh
    C: GF2Matrix
    d: GF2Vector
    name: str = ""

    def __post_init__(self) -> None:
        n = self.mesh.n
        if self.C.shape != (n, n) or not self.C.is_nonsingular:
            raise MatrixError("C", f"must be a nonsingular {n} by {n} matrix", self.C)
        if len(self.d) != n:
            raise MatrixError("d", f"must have n = {n} entries", list(self.d))

    @classmethod
    def named(cls, name: str, mesh: Mesh) -> Numbering:
        """Return a numbering by its name.

        Raises:
            InputError: a name that is not one of `NUMBERINGS`.
        """
        checked_word("numbering", name, NUMBERINGS, ", or a pair (C, d)")
        rows = _rows_of(name, mesh)
        C = GF2Matrix.from_rows(rows, mesh.n)
        return cls(mesh, C, GF2Vector.from_int(0, mesh.n), name)

    @classmethod
    def of(cls, numbering: Any, mesh: Mesh) -> Numbering:
        """Return a numbering from its name, a pair (C, d), or a `Numbering` of this mesh.

        Raises:
            InputError: not one of these, or a `Numbering` of another mesh.
            MatrixError: C is singular, or C or d do not fit the mesh.
        """
        if isinstance(numbering, str):
            return cls.named(numbering, mesh)
        if isinstance(numbering, Numbering):
            if numbering.mesh != mesh:
                raise InputError("numbering", f"must be one of {mesh.spec}", numbering.mesh.spec)
            return numbering
        if isinstance(numbering, (tuple, list)) and len(numbering) == 2:
            affine = LCC(*numbering)
            return cls(mesh, affine.A, affine.b, "affine")
        rule = word_rule(numbering, NUMBERINGS, ", or a pair (C, d)")
        raise InputError("numbering", rule, numbering)

    @property
    def is_bitwise(self) -> bool:
        """Whether every bit of a number is one bit of a coordinate, maybe complemented."""
        return self.C.as_order() is not None

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """Where every bit of the numbers that are routed lies: (axis, position).

        Of the processor numbers for a bitwise numbering, else of the shuffled row-major ones.
        """
        dealt = _dealt_out(self.mesh.shape)
        order = self.C.as_order()
        return dealt if order is None else tuple(dealt[bit] for bit in order)

    @cached_property
    def grid(self) -> npt.NDArray[np.int64]:
        """The number of every processor: int64 with shape (..., rows, columns)."""
        return _read_only(LCC(self.C, self.d).destination(self._shuffled))

    @cached_property
    def routed_grid(self) -> npt.NDArray[np.int64]:
        """The number by which every processor is routed: `grid`, if the numbering is bitwise."""
        return self.grid if self.is_bitwise else _read_only(self._shuffled)

    @property
    def _shuffled(self) -> npt.NDArray[np.int64]:
        shape = self.mesh.shape
        number = np.zeros(shape[::-1], dtype=np.int64)
        for bit, (axis, position) in enumerate(_dealt_out(shape)):
            along = [1] * len(shape)
            along[-1 - axis] = shape[axis]
            coordinate = np.arange(shape[axis]).reshape(along)
            number = number | (coordinate >> position & 1) << bit
        return number

    def routed(self, communication: LCC) -> LCC:
        """Return the communication in the numbers that are routed [sibeyn, section 4].

        A = C⁻¹A'C, b = C⁻¹(A'd + b' + d); unchanged for a bitwise numbering.
        """
        if self.is_bitwise:
            return communication
        inverse = self.C.inverse()
        A = inverse @ communication.A @ self.C
        d = int(self.d)
        b = inverse.apply(communication.A.apply(d) ^ int(communication.b) ^ d)
        return LCC(A, b, name=communication.name)


def mesh_of(network: Any, n: int) -> Mesh:
    """The mesh to route on: a `Mesh`, its shape (columns, rows), or None for the squarest one.

    Raises:
        NetworkError: not a mesh of 2^n processors; the rule says which would work.

    >>> mesh_of(None, 5).shape
    (8, 4)
    """
    shape = (1 << (n + 1) // 2, 1 << n // 2)
    if network is None:
        return Mesh(shape)
    rule = (
        f"must be a mesh of 2^{n} processors whose sides are powers of two, such as Mesh({shape})"
    )
    if isinstance(network, Mesh):
        if any(network.geometry.rings):
            raise NetworkError("network", f"{rule}; wrap-around is not used", network)
        mesh = network
    else:
        try:
            mesh = Mesh(network)
        except NetworkError:
            raise NetworkError("network", rule, network) from None
    if mesh.size != 1 << n:
        raise NetworkError("network", rule, network)
    return mesh


def _dealt_out(shape: Sequence[int]) -> tuple[Place, ...]:
    """The bits of the axes in turn, least significant first; a short axis drops out."""
    widths = [length.bit_length() - 1 for length in shape]
    return tuple(
        (axis, position)
        for position in range(max(widths))
        for axis, width in enumerate(widths)
        if position < width
    )


def _rows_of(name: str, mesh: Mesh) -> list[int]:
    """The packed rows of C: what every bit of the number is, of shuffled row-major bits."""
    dealt = _dealt_out(mesh.shape)
    if name == "shuffled-row-major":
        return [1 << bit for bit in range(mesh.n)]
    rows: list[int] = []  # from the last axis, the most significant, to axis 0
    for axis in reversed(range(len(mesh.shape))):
        backwards = rows[0] if rows and name == "snake-like" else 0
        own = sorted(place for place in dealt if place[0] == axis)
        rows = [1 << dealt.index(place) ^ backwards for place in own] + rows
    return rows


def _read_only(array: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    array.flags.writeable = False
    return array
