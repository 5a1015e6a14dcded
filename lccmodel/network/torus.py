"""Tori: meshes whose axes wrap around, all of them or some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel.errors import NetworkError, checked_index
from lccmodel.network.mesh import Mesh
from lccmodel.network.sides import Bandwidths, Sides


@typed_arguments
class Torus(Mesh):
    """A torus: a mesh whose axes wrap around.

    A message goes the shorter way round, and in the + direction when both ways are equally
    long. An axis of length 2 has one channel each way, as in a mesh.

    Args:
        shape, bandwidth: as for `Mesh`.
        wrap: for each axis, whether it wraps around; all do if left out.

    Raises:
        NetworkError: as for `Mesh`; or not a truth value for every axis.
        SizeLimitError: more than 2^64 nodes.

    >>> ring = Torus((8,))
    >>> ring.path(0, 5), ring.path(0, 4), ring.distance(6, 1)
    ([0, 7, 6, 5], [0, 1, 2, 3, 4], 3)
    >>> Torus((8, 8), wrap=(True, False)).distance(0, 63), Torus((6, 6)).distance(0, 35)
    (8, 2)
    """

    __slots__ = ("wrap",)

    kind = "torus"
    wrap: tuple[bool, ...]
    """For each axis, whether it wraps around."""

    def __init__(
        self, shape: Sides, bandwidth: Bandwidths = None, wrap: Sequence[bool] | None = None
    ) -> None:
        super().__init__(shape, bandwidth)
        object.__setattr__(self, "wrap", _checked_wrap(wrap, len(self.shape)))

    @property
    def _arguments(self) -> tuple[Any, ...]:
        return self.shape, self.bandwidth, self.wrap

    def _options(self) -> str:
        around = [str(axis) for axis, wraps in enumerate(self.wrap) if wraps]
        return super()._options() + ("" if all(self.wrap) else f",wrap={':'.join(around)}")

    def is_ring(self, axis: int) -> bool:
        """Whether an axis wraps around: all that are longer than 2, unless stated otherwise.

        Raises:
            NetworkError: no such axis.
        """
        axis = checked_index("axis", axis, len(self.shape), NetworkError)
        return self.shape[axis] > 2 and self.wrap[axis]

    def __repr__(self) -> str:
        given = super().__repr__()
        return given if all(self.wrap) else f"{given[:-1]}, wrap={self.wrap!r})"


def _checked_wrap(wrap: Any, axes: int) -> tuple[bool, ...]:
    if wrap is None:
        return (True,) * axes
    rule = f"must be {axes} of True and False, one an axis"
    try:
        given = tuple(wrap)
    except TypeError:
        raise NetworkError("wrap", rule, wrap) from None
    if len(given) != axes or any(not isinstance(w, (bool, np.bool_)) for w in given):
        raise NetworkError("wrap", rule, wrap)
    return tuple(bool(w) for w in given)
