"""Conditional exchanges of several data sets, pipelined as cube swaps [edelman, Section 3].

In a cube swap every node may send one message along every dimension at the same time. Data set d
makes its exchange number k in swap d + k, so the exchanges of different data sets that run at one
time are in different dimensions:

    swap            0    1    2    3         2 data sets, 3 dimensions: 2 + 3 - 1 swaps
    dimension k_1   d=0  d=1
    dimension k_2        d=0  d=1
    dimension k_3             d=0  d=1

Every data set makes the movement of one, a swap later than the set before it; a dimension has one
exchange, so in a swap it serves one set. What is used of a dimension depends on the exchange: half
of its channels where the condition reads some bit, none or all of them where it is constant.
`Pipeline.movement` has the messages of all sets, to be replayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.communication.destinations import MAX_SIMULATED, destinations_of
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.methods.exchanges.conditional import ExchangeFactors
from lccmodel.movement import Movement
from lccmodel.views import Viewed

MAX_JUMPS = 1 << 25
"""Most exchanged data of `Pipeline.movement`: 0.8 GB."""


@dataclass(frozen=True, eq=False)
class Pipeline(Viewed, view="exchange-pipeline"):
    """The exchanges of several data sets, one datum of each set on every node.

    Attributes:
        exchanges: the numbers of those that are made, in order of action.

    >>> from lccmodel import LCC
    >>> from lccmodel.methods import exchange_factors
    >>> from lccmodel.methods.exchanges import pipelined_exchanges
    >>> found = pipelined_exchanges(exchange_factors(LCC([[1, 1], [1, 0]])), 3)
    >>> found.busiest, found.delivered, found.movement.replay("all").ok
    (1, True, True)
    """

    factors: ExchangeFactors
    data_sets: int
    exchanges: tuple[int, ...]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The dimension of every exchange that is made."""
        return tuple(self.factors.order[k] for k in self.exchanges)

    @property
    def swaps(self) -> int:
        """Cube swaps: data sets + exchanges - 1, or 0 without any."""
        return self.data_sets + len(self.exchanges) - 1 if self.exchanges else 0

    @cached_property
    def crossing(self) -> Ints:
        """The messages that cross each dimension in each swap; int64 of shape (swaps, n)."""
        crossing = np.zeros((self.swaps, self.factors.n), dtype=np.int64)
        for k, exchange in enumerate(self.exchanges):
            moves = self.factors.movement.moves[exchange]
            crossing[k : k + self.data_sets, self.factors.order[exchange]] = moves
        crossing.flags.writeable = False
        return crossing

    @property
    def busiest(self) -> int:
        """The most messages that one channel carries in one swap; 1, or 0 if none moves."""
        loads = self.factors.movement.loads
        return max((loads[exchange] for exchange in self.exchanges), default=0)

    @property
    def delivered(self) -> bool:
        """Whether every datum of every set stands at its destination at the end."""
        ends = self.factors.movement.ends
        return bool((destinations_of(self.factors.communication) == ends).all())

    @cached_property
    def movement(self) -> Movement:
        """All messages, set after set: message d 2^n + x is the datum of set d that starts at x.

        Raises:
            SizeLimitError: more than 2^25 exchanged data.
        """
        one, m, n = self.factors.movement, self.data_sets, self.factors.n
        if len(one.target) * m > MAX_JUMPS:
            rule = f"at most {MAX_JUMPS} exchanged data are listed"
            raise SizeLimitError("data_sets", rule, len(one.target) * m)
        made = np.cumsum(np.bincount(self.exchanges, minlength=one.steps)) - 1
        step = made[np.repeat(np.arange(one.steps), np.diff(one.first))]
        later = np.arange(m)[:, None]  # set d makes every exchange d swaps later
        swap = (step + later).ravel()
        order = np.argsort(swap, kind="stable")
        first = np.zeros(self.swaps + 1, dtype=np.int64)
        np.cumsum(np.bincount(swap, minlength=self.swaps), out=first[1:])
        message = (one.message + (later << n)).ravel()[order]
        target = np.tile(one.target, m)[order]
        return Movement(one.network, np.tile(one.starts, m), first, message, target)

    @property
    def utilisation(self) -> Fraction:
        """The part of all channels, over all swaps, that carries a message; 0 without swaps."""
        return self._part(self.crossing)

    @property
    def steady_utilisation(self) -> Fraction:
        """The same over the swaps in which every dimension of the pipeline is at work.

        Raises:
            InputError: too few data sets to fill all stages.
        """
        filled = len(self.dimensions) - 1
        if self.data_sets <= filled:
            rule = f"must be at least {len(self.dimensions)}, to fill all stages of the pipeline"
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
    """The exchanges of several data sets, one datum of each set on every node, as cube swaps.

    Args:
        factors: from `exchange_factors`.
        data_sets: their number, at least 1.
        skip_idle: leave out the exchanges in which no message moves.

    Raises:
        InputError: `data_sets` is less than 1.
        SizeLimitError: more than 2^24 data.

    >>> from lccmodel.methods.exchanges.conditional import exchange_factors
    >>> pipe = pipelined_exchanges(exchange_factors([[1, 1], [0, 1]]), 3)
    >>> pipe.swaps, pipe.delivered, pipe.crossing.tolist()
    (4, True, [[2, 0], [2, 0], [2, 0], [0, 0]])
    """
    m = checked_integer("data_sets", data_sets, least=1)
    if m << factors.n > 1 << MAX_SIMULATED:
        rule = f"at most 2^{MAX_SIMULATED} data are exchanged"
        raise SizeLimitError("data_sets", rule, m << factors.n)
    moves = factors.movement.moves
    return Pipeline(factors, m, tuple(k for k in range(len(moves)) if moves[k] or not skip_idle))
