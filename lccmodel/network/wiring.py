"""The channels of a network as arrays: which routers each joins, where its load is counted.

One entry a channel, a further cable between the same two routers included, in ascending order of
the counters of `ChannelLoads`. Ports between nodes and routers are not among them. By hand, three
routers in a line, `mesh:3`, whose counters have a row for + and one for -:

    tail   head   row   counter (row * 3 + column)
    0      1      0     0
    1      2      0     1
    1      0      1     4
    2      1      1     5
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError
from lccmodel.ground.arrays import Ints, read_only
from lccmodel.network.geometry import Geometry
from lccmodel.network.loads import Cables, Counted

_STORED = 8
"""Networks whose wiring is stored; it fills 24 bytes a channel and more."""


@dataclass(frozen=True, eq=False)
class Wiring:
    """The channels of a network.

    Attributes:
        network: the whole network, also of a job.
        tail, head: routers 0, 1, ... that every channel leaves and enters; int64.
        counter: row * columns + column of its counter in `ChannelLoads.counts`; ascending, int64.
        cable: 0, or k for the k-th further cable between the same two routers; int64.

    >>> from lccmodel.network import Mesh
    >>> wiring = Mesh((3,)).wiring
    >>> wiring.tail.tolist(), wiring.head.tolist(), wiring.counter.tolist()
    ([0, 1, 1, 2], [1, 2, 0, 1], [0, 1, 4, 5])
    """

    network: Counted
    tail: Ints
    head: Ints
    counter: Ints
    cable: Ints

    def __len__(self) -> int:
        return len(self.counter)

    @cached_property
    def row(self) -> Ints:
        """The row of every channel's counter."""
        return read_only(self.counter // self.network.counter_shape[1])

    @cached_property
    def dimension(self) -> Ints:
        """The dimension, axis or level of every channel."""
        rows = range(self.network.counter_shape[0])
        of_row = np.array([self.network.row_dimension(row) for row in rows], np.int64)
        return read_only(of_row[self.row])

    @cached_property
    def bandwidth(self) -> npt.NDArray[Any]:
        """What every channel carries at a time, as `Fraction`s."""
        widths = np.empty(max(1, len(self.network.bandwidths)), object)
        widths[: len(self.network.bandwidths)] = self.network.bandwidths
        return read_only(widths[self.dimension])


@dataclass(frozen=True, eq=False)
class NodePorts:
    """The ports of all nodes at routers, those of a node one after another.

    Attributes:
        first: where those of every node begin, and the number of all; int64 (nodes + 1,).
        router: 0, 1, ... of every port; int64.
        bandwidth: what every port carries at a time, as `Fraction`s.
        is_stated: whether the network states these bandwidths; else each is 1.

    >>> from lccmodel.network import Mesh
    >>> ports = Mesh((3,)).node_ports
    >>> ports.first.tolist(), ports.router.tolist(), ports.is_stated
    ([0, 1, 2, 3], [0, 1, 2], False)
    """

    first: Ints
    router: Ints
    bandwidth: npt.NDArray[Any]
    is_stated: bool = False

    @classmethod
    def of(
        cls, routers: Sequence[Sequence[int]], widths: Sequence[Sequence[Fraction]] = ()
    ) -> NodePorts:
        """Those of lists, one a node."""
        flat = np.array([router for own in routers for router in own], np.int64)
        bandwidth = np.full(len(flat), Fraction(1), object)
        if widths:
            bandwidth[:] = [width for own in widths for width in own]
        first = np.cumsum([0, *map(len, routers)]).astype(np.int64)
        return cls(read_only(first), read_only(flat), read_only(bandwidth), bool(widths))


@lru_cache(_STORED)
def wiring_of(network: Counted) -> Wiring:
    """The channels of a whole network."""
    cables = network._cables()
    order = np.argsort(cables[2], kind="stable")
    return Wiring(network, *(read_only(part[order]) for part in cables))


def cables_of_axes(geometry: Geometry, columns: int, inside: int, per_row: int) -> Cables:
    """The channels of a grid.

    Args:
        geometry: with axes.
        columns: of the counters; one a router.
        inside: rows before those of the axes.
        per_row: 2 where + and - have a row each, 1 where an axis has one.
    """
    node, parts = np.arange(columns), [np.empty((3, 0), np.int64)]
    for axis, (stride, length, ring) in enumerate(
        zip(geometry.strides, geometry.sides, geometry.rings, strict=True)
    ):
        digit = node // stride % length
        for backward in (0, 1):
            moved = (digit + (-1 if backward else 1)) % length
            there = ring | (moved < digit if backward else moved > digit)
            row = inside + per_row * axis + backward * (per_row - 1)
            tail = node[there]
            head = tail + (moved - digit)[there] * stride
            parts.append(np.stack([tail, head, row * columns + tail]))
    tail, head, counter = np.concatenate(parts, axis=1)
    return tail, head, counter, np.zeros_like(tail)


def cables_by_counter(network: Counted, first_router: int) -> Cables:
    """The channels of a network, by asking for that of every counter."""
    rows, columns = network.counter_shape
    cable_rows = []
    for row in range(rows):
        for column in range(columns):
            with suppress(NetworkError):  # at the border of a mesh
                ends: tuple[int, ...] = network.channel(row, column)
                cable = ends[2] if len(ends) > 2 else 0
                cable_rows.append((*ends[:2], row * columns + column, cable))
    tail, head, counter, cables = np.array(cable_rows, np.int64).reshape(-1, 4).T
    return tail - first_router, head - first_router, counter, cables
