"""The registers of a SIMD mesh, moved by unit shifts [sibeyn, section 1.3].

Every processor has the registers olddata and newdata. A routing step moves what a third register,
transit, holds to the next processor in one direction that is common to all; there is no
wrap-around. Nothing is ever moved any other way, and a datum that would fall off the mesh is an
error. The bit complement of a bit of weight d on an axis is 2d steps:

    newdata of processors with bit 0 -> transit; d steps forward
    processors with bit 1 exchange newdata and transit; d steps back
    processors with bit 0: transit -> newdata

The paper names two registers. The third is needed: while one half passes, the other half still
waits in newdata, and olddata is full.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

EMPTY = -1
"""The dummy value ∅."""

Data = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


def _direction_name(axis: int, sign: int) -> str:
    """What a unit shift along an axis is called.

    >>> _direction_name(0, 1), _direction_name(1, -1), _direction_name(2, 1)
    ('right', 'up', '+2')
    """
    names = {(0, 1): "right", (0, -1): "left", (1, 1): "down", (1, -1): "up"}
    return names.get((axis, sign), f"{'+' if sign > 0 else '-'}{axis}")


class Registers:
    """olddata, newdata and transit of every processor, as arrays of shape (..., rows, columns).

    Args:
        data: what olddata holds at first; int32, `EMPTY` for nothing.

    Attributes:
        olddata, newdata: int32 arrays of data's shape.
        steps: unit shifts done so far.

    >>> mesh = Registers(np.array([[0, 1, 2, 3]], dtype=np.int32))
    >>> mesh.exchange(np.array([[True, True, False, False]]))
    >>> mesh.complement(0, 2), mesh.newdata.tolist(), mesh.steps
    ((('right', 2), ('left', 2)), [[-1, -1, 0, 1]], 4)
    """

    def __init__(self, data: Data) -> None:
        self.olddata = np.array(data, dtype=np.int32)
        self.newdata = np.full_like(self.olddata, EMPTY)
        self._transit = np.full_like(self.olddata, EMPTY)
        self.steps = 0

    def exchange(self, selected: Mask) -> None:
        """Exchange olddata and newdata in the selected processors."""
        _exchange(self.olddata, self.newdata, selected)

    def complement(self, axis: int, weight: int) -> tuple[tuple[str, int], ...]:
        """Route newdata to the processors that differ in a bit of the coordinate of an axis.

        Args:
            axis: 0 for columns, 1 for rows, ...
            weight: 2^position of the bit.

        Returns: the shifts done, as (direction, how many).
        """
        along = [1] * self.newdata.ndim
        along[-1 - axis] = self.newdata.shape[-1 - axis]
        has_bit = np.arange(along[-1 - axis]).reshape(along) & weight != 0
        upper = np.broadcast_to(has_bit, self.newdata.shape)
        _exchange(self.newdata, self._transit, ~upper)
        self._shift(axis, 1, weight)
        _exchange(self.newdata, self._transit, upper)
        self._shift(axis, -1, weight)
        _exchange(self.newdata, self._transit, ~upper)
        if (self._transit != EMPTY).any():
            raise AssertionError("data left in transit")
        return tuple((_direction_name(axis, sign), weight) for sign in (1, -1))

    def _shift(self, axis: int, sign: int, count: int) -> None:
        """Move transit by `count` unit steps in one direction."""
        lines = np.moveaxis(self._transit, -1 - axis, 0)
        if sign < 0:
            lines = lines[::-1]
        for _ in range(count):
            if (lines[-1] != EMPTY).any():
                raise AssertionError("a datum falls off the mesh")
            lines[1:] = lines[:-1].copy()
            lines[0] = EMPTY
            self.steps += 1


def _exchange(first: Data, second: Data, where: Mask) -> None:
    held = first[where]
    first[where] = second[where]
    second[where] = held
