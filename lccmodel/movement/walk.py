"""What messages do while their address bits are corrected: positions, step by step, and counts.

A routing method that corrects one address bit after another leaves a trace: where the message of
every source stands before step 1 and after every step. Everything the papers say about such a
walk is counted here from the positions alone - messages in a node, messages on a channel of the
hypercube - so that it can be held against the ranks of `lattice.lattice`.

    source x     node after step 1, 2, ..., n of correcting bits 0, 1 of y = (x_1, x_0)
    0            0  0        messages in a node: 1, 2, 1
    1            0  2        messages on the busiest channel: 1, 1
    2            3  1
    3            3  3
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import checked_order, destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.views import Viewed

__all__ = ["Walk"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False, repr=False)
class Walk(Viewed, view="walk"):
    """Where every message stands, step by step, on a hypercube.

    Args:
        positions: int64 of shape (steps + 1, 2^n); row k holds the node in which the message of
            source x stands after k steps. Row 0 is 0, 1, 2, ...: every node starts with one
            message. In a step a message stays, or crosses one channel.

    Raises:
        InputError: the shape is not that, row 0 is not the identity, or a message jumps.

    >>> walk = Walk.along(LCC([[0, 1], [1, 0]]), [0, 1])
    >>> walk.positions.tolist()
    [[0, 1, 2, 3], [0, 0, 3, 3], [0, 2, 1, 3]]
    >>> walk.occupancies, walk.loads
    ((1, 2, 1), (1, 1))
    """

    positions: Ints

    def __post_init__(self) -> None:
        positions = np.ascontiguousarray(self.positions, dtype=np.int64)
        if positions.ndim != 2 or positions.shape[1].bit_count() != 1:
            raise InputError("positions", "must have shape (steps + 1, 2^n)", positions.shape)
        if not np.array_equal(positions[0], np.arange(positions.shape[1])):
            raise InputError("positions", "must start with 0, 1, 2, ...", positions[0].tolist())
        jumps = positions[1:] ^ positions[:-1]
        if (
            positions.max() >= positions.shape[1]
            or positions.min() < 0
            or (jumps & jumps - 1).any()
        ):
            rule = "a message stays in its node or crosses one channel in a step"
            raise InputError("positions", rule, positions.tolist())
        positions.flags.writeable = False
        object.__setattr__(self, "positions", positions)

    @classmethod
    def along(cls, communication: LCC | Sequence[int], order: Sequence[int]) -> Walk:
        """The walk that corrects the bits in this order, in every message.

        Args:
            communication: a permutation: an LCC, or 2^n destinations.
            order: the bits to correct, each at most once.

        Raises:
            CommunicationError: no permutation.
            InputError: `order` names a bit twice, or one that is not in 0..n-1.
        """
        destinations = destinations_of(communication)
        n = destinations.size.bit_length() - 1
        bits = checked_order(order, n, complete=False)
        rows = [np.arange(destinations.size)]
        for bit in bits:
            rows.append(rows[-1] ^ ((rows[-1] ^ destinations) & (1 << bit)))
        return cls(np.array(rows, dtype=np.int64))

    @property
    def n(self) -> int:
        """Number of address bits."""
        return int(self.positions.shape[1]).bit_length() - 1

    @property
    def steps(self) -> int:
        """Number of steps, those in which no message moves included."""
        return len(self.positions) - 1

    def held(self, step: int) -> Ints:
        """Messages in every node after `step` steps, int64 of shape (2^n,)."""
        return np.bincount(self.positions[step], minlength=self.positions.shape[1])

    @cached_property
    def occupancies(self) -> tuple[int, ...]:
        """The most messages that a node holds before step 1 and after every step."""
        return tuple(int(self.held(step).max()) for step in range(self.steps + 1))

    @cached_property
    def loads(self) -> tuple[int, ...]:
        """The messages on the busiest channel in every step; 0 when no message moves."""
        return tuple(self._busiest(step) for step in range(self.steps))

    @cached_property
    def moves(self) -> tuple[int, ...]:
        """The messages that cross a channel in every step."""
        return tuple(int(m) for m in (self.positions[1:] != self.positions[:-1]).sum(axis=1))

    @cached_property
    def channel_use(self) -> Ints:
        """Messages that cross the channel out of node u along dimension k: int64, (2^n, n)."""
        use = np.zeros((self.positions.shape[1], self.n), dtype=np.int64)
        for before, after in zip(self.positions, self.positions[1:], strict=False):
            moved = before != after
            dimension = np.bitwise_count(((before ^ after) - 1)[moved])
            np.add.at(use, (before[moved], dimension), 1)
        use.flags.writeable = False
        return use

    def _busiest(self, step: int) -> int:
        """A message that moves is on the channel named by the nodes it leaves and enters."""
        before, after = self.positions[step], self.positions[step + 1]
        moved = before != after
        if not moved.any():
            return 0
        size = self.positions.shape[1]
        channels = before[moved] * max(self.n, 1) + np.bitwise_count(((before ^ after) - 1)[moved])
        return int(np.bincount(channels, minlength=size).max())

    def __repr__(self) -> str:
        return f"Walk({self.positions.shape[1]} messages, {self.steps} steps)"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Walk) and np.array_equal(self.positions, other.positions)

    def __hash__(self) -> int:
        return hash(self.positions.tobytes())
