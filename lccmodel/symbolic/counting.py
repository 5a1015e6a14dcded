"""Loads by walking every message: the route that formulas are compared with.

Nothing here uses a rank or a formula. A message from x to y stands, before dimension i is
corrected, at the node with the bits of y below i and those of x from i on.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.traffic import Traffic

Nodes = npt.NDArray[np.int64]


def _messages(c: LCC | Traffic) -> tuple[Nodes, Nodes]:
    """Senders and receivers; a scatter sends from A y + b to y."""
    if isinstance(c, Traffic):
        return c.messages[:, 0], c.messages[:, 1]
    nodes = np.arange(1 << c.n)
    if c.kind == "scatter":
        return np.asarray(c.source(nodes)), nodes
    return nodes, np.asarray(c.destination(nodes))


def walked_cube(c: LCC | Traffic, internal: bool = False) -> tuple[int, ...]:
    """T_i of the hypercube, or of the bristled one with bit 0 inside its routers.

    >>> from lccmodel.communication.catalog import matrix_transpose
    >>> walked_cube(matrix_transpose(4)), walked_cube(matrix_transpose(4), internal=True)
    ((1, 2, 2, 1), (0, 2, 2, 2))
    """
    x, y = _messages(c)
    loads = []
    for i in range(c.n):
        low = (1 << i) - 1
        position = (y & low) | (x & ~low)
        moves = ((x ^ y) >> i & 1).astype(bool)
        if internal:
            position = position >> 1
            moves &= i > 0
        loads.append(int(np.bincount(position[moves], minlength=1).max()))
    return tuple(loads)


def walked_occupancy(c: LCC) -> tuple[int, ...]:
    """Messages in the fullest node before step i, for i = 0..n-1.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> walked_occupancy(bit_reverse(4))
    (1, 2, 4, 2)
    """
    x, y = _messages(c)
    return tuple(int(np.bincount((y & (1 << i) - 1) | (x & -(1 << i))).max()) for i in range(c.n))


def walked_mesh(c: LCC | Traffic, widths: tuple[int, ...], rings: bool = False) -> tuple[int, ...]:
    """The largest load of a channel of each axis of a mesh of sides 2^width, axis 0 first.

    With `rings` True the axes are closed: a message takes the shorter way, and half a ring in the
    direction of larger coordinates.

    >>> from lccmodel.communication.catalog import bit_reverse, vector_reversal
    >>> walked_mesh(bit_reverse(4), (2, 2))
    (3, 3)
    >>> walked_mesh(vector_reversal(4), (2, 2)), walked_mesh(vector_reversal(4), (2, 2), True)
    ((2, 2), (1, 1))
    """
    x, y = _messages(c)
    loads, low = [], 0
    for width in widths:
        side, below = 1 << width, (1 << low) - 1
        start, end = x >> low & side - 1, y >> low & side - 1
        line = (y & below) | (x >> low + width << low)
        ahead = (end - start) % side if rings else np.maximum(end - start, 0)
        back = (start - end) % side if rings else np.maximum(start - end, 0)
        if rings:
            ahead[ahead > side // 2] = 0
            back[back >= side // 2] = 0
        largest = 0
        for first, distance in ((start, ahead), (end, back)):
            change = np.zeros((1 << c.n - width, 2 * side), dtype=np.int64)
            np.add.at(change, (line, first), 1)
            np.add.at(change, (line, first + distance), -1)
            used = change.cumsum(axis=1)
            largest = max(largest, int((used[:, :side] + used[:, side:]).max()))
        loads.append(largest)
        low += width
    return tuple(loads)
