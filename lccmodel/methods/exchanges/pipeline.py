"""Conditional exchanges of several data sets, pipelined as cube swaps [edelman, Section 3].

In a cube swap every node may send one message along every dimension at the same time. Data set d
makes its exchange number k in swap d + k, so the exchanges of different data sets that run at one
time are in different dimensions:

    swap            0    1    2    3         2 data sets, 3 dimensions: 2 + 3 - 1 swaps
    dimension k_1   d=0  d=1
    dimension k_2        d=0  d=1
    dimension k_3             d=0  d=1

The simulation moves labelled data and counts what crosses every channel. What is used of a
dimension depends on the exchange: half of its channels where the condition reads some bit, none or
all of them where it is constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.communication.destinations import MAX_SIMULATED, destinations_of
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.methods.exchanges.conditional import ExchangeFactors
from lccmodel.views import Viewed

__all__ = ["Pipeline", "pipelined_exchanges"]

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pipeline(Viewed, view="exchange-pipeline"):
    """A simulated pipeline.

    Attributes:
        crossing: int64 of shape (swaps, n): the messages that cross each dimension in each swap.
        busiest: the most messages that one channel carries in one swap; 1, or 0 if none moves.
        delivered: whether every datum of every set stands at its destination at the end.

    >>> from lccmodel import LCC
    >>> from lccmodel.methods import exchange_factors
    >>> from lccmodel.methods.exchanges import pipelined_exchanges
    >>> found = pipelined_exchanges(exchange_factors(LCC([[1, 1], [1, 0]])), 3)
    >>> found.busiest, found.delivered
    (1, True)
    """

    factors: ExchangeFactors
    data_sets: int
    dimensions: tuple[int, ...]
    crossing: Ints
    busiest: int
    delivered: bool

    @property
    def swaps(self) -> int:
        """Cube swaps: data sets + exchanges - 1, or 0 without any."""
        return len(self.crossing)

    @property
    def utilisation(self) -> Fraction:
        """The part of all channels, over all swaps, that carries a message; 0 without swaps."""
        return self._part(self.crossing)

    @property
    def steady_utilisation(self) -> Fraction:
        """The same over the swaps in which every dimension of the pipeline is at work.

        Raises:
            InputError: the pipe is never full, for want of data sets.
        """
        filled = len(self.dimensions) - 1
        if self.data_sets <= filled:
            rule = f"{self.data_sets} data sets never fill a pipe of {len(self.dimensions)}"
            raise InputError("data_sets", rule, self.data_sets)
        return self._part(self.crossing[max(filled, 0) : self.data_sets])

    def _part(self, crossing: Ints) -> Fraction:
        if not crossing.size:
            return Fraction(0)
        return Fraction(int(crossing.sum()), crossing.size << self.factors.n)

    def __repr__(self) -> str:
        return f"Pipeline({self.data_sets} data sets, {self.swaps} cube swaps)"


@typed_arguments
def pipelined_exchanges(
    factors: ExchangeFactors, data_sets: int, *, skip_idle: bool = False
) -> Pipeline:
    """Simulate the exchanges of several data sets, one datum of each set on every node.

    Args:
        factors: from `exchange_factors`.
        data_sets: their number, at least 1.
        skip_idle: leave out the exchanges in which no message moves.

    Raises:
        InputError: `data_sets` is less than 1.
        SizeLimitError: more than 2^24 data.

    >>> from lccmodel.methods.exchanges.conditional import exchange_factors
    >>> pipe = pipelined_exchanges(exchange_factors([[1, 1], [0, 1]]), 3)
    >>> pipe.swaps, pipe.delivered, pipe.crossing.tolist(), pipe.dimension_utilisation
    (4, True, [[2, 0], [2, 0], [2, 0], [0, 0]], (Fraction(1, 2), Fraction(0, 1)))
    """
    m = checked_integer("data_sets", data_sets)
    if m < 1:
        raise InputError("data_sets", "must be at least 1", m)
    n, size = factors.n, 1 << factors.n
    if m << n > 1 << MAX_SIMULATED:
        raise SizeLimitError("data_sets", f"at most 2^{MAX_SIMULATED} data are simulated", m << n)
    steps = [s for s in factors.step_table() if not skip_idle or s.utilisation]
    nodes = np.arange(size, dtype=np.int64)
    held = np.tile(nodes, (m, 1))  # held[d, u]: the source of the datum of set d at node u
    swaps = m + len(steps) - 1 if steps else 0
    crossing = np.zeros((swaps, n), dtype=np.int64)
    busiest = 0
    for swap in range(swaps):
        carried = np.zeros((n, size), dtype=np.int64)
        for d in range(max(0, swap - len(steps) + 1), min(m, swap + 1)):
            step = steps[swap - d]
            moving = step.moving(nodes)
            carried[step.dimension] += moving
            arrived = nodes ^ (moving.astype(np.int64) << step.dimension)
            kept = held[d].copy()
            held[d, arrived] = kept  # each node sends what it holds; every node is reached once
        crossing[swap] = carried.sum(axis=1)
        busiest = max(busiest, int(carried.max()))
    destinations = destinations_of(factors.communication)
    delivered = bool((destinations[held] == nodes).all())
    crossing.flags.writeable = False
    return Pipeline(factors, m, tuple(s.dimension for s in steps), crossing, busiest, delivered)
