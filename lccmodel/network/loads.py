"""The load of every channel: how many messages use it, counted exactly.

Counters are held by dimension (or axis and direction) and by the node that a channel leaves, so
one integer array holds all of them; `ChannelLoads` speaks of channels (u, v).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Ints, LongWords, Weights, Words
from lccmodel.ground.frozen import Frozen
from lccmodel.ground.views import Viewed
from lccmodel.kernels.threads import cores, in_threads

Channel = tuple[int, int]
"""A directed channel (u, v) between two nodes of `Network.graph()`."""

Cables = tuple[Ints, Ints, Ints, Ints]
"""Tail, head, counter and number of the cable of every channel; routers are 0, 1, ..."""

CountArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]

_ONE = Fraction(1)

_SHOWN_COUNTERS = 64
_WORTH_THREADS = 1 << 22
"""Message-dimensions from which threads pay for their start."""
_WORTH_SORTING, _ROW_IN_CACHE, _REGION_BITS = 1 << 16, 18, 7
"""Messages, and bits of a row of counters that leaves the cache, from which messages are sorted by
region first; there are 2^7 regions."""


class Counted(Protocol):
    """What counting needs to know of a network; `Network` has it, and says what it means."""

    @property
    def spec(self) -> str:
        """The network as one word."""

    @property
    def per_node(self) -> int:
        """Nodes at a router."""

    @property
    def dimensions(self) -> int:
        """Dimensions or axes."""

    @property
    def n_channels(self) -> int:
        """Directed channels."""

    @property
    def counter_shape(self) -> tuple[int, int]:
        """Rows and columns of the counters."""

    @property
    def bandwidths(self) -> tuple[Fraction, ...]:
        """What links carry at a time, by dimension."""

    def row_dimension(self, row: int, /) -> int:
        """The dimension of a row."""

    def counter(self, u: int, v: int, /) -> tuple[int, int]:
        """Row and column of a channel."""

    def channel(self, row: int, column: int, /) -> Channel:
        """The channel of a counter."""

    def _cables(self) -> Cables: ...

    def _count_all(
        self, pairs: LongWords, weights: Weights, descending: bool, counts: Array, /
    ) -> None: ...

    def _count(
        self,
        dimension: int,
        x: Words,
        y: Words,
        weights: Weights,
        descending: bool,
        counts: Array,
        /,
    ) -> None: ...


@typed_arguments
class ChannelLoads(Frozen, Viewed, view="loads", evaluable=True):
    """How much each channel of a network carries.

    Args:
        network: the network.
        counts: non-negative integers of shape `network.counter_shape`; a row holds the channels
            of one dimension (on a mesh: of one axis and direction, + before -), a column those
            that leave one node. Places that are no channel hold 0.
        unit: what one of the counts stands for, a positive fraction: 1 for messages.

    Attributes: `network`, `unit`, and `counts` as a read-only array: int32, or int64 when the
    weights of the messages add up to 2^31 or more. A load is counts * unit / bandwidth: messages,
    or volume, or volume over the bandwidth of the links of an axis if the network states one.

    Raises:
        NetworkError: counts of another shape or type, or negative ones.

    >>> from lccmodel.network import Hypercube
    >>> loads = Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]])
    >>> loads
    ChannelLoads(Hypercube(2), [[1, 1, 0, 0], [1, 2, 0, 0]])
    >>> loads.per_dimension, loads.degree, loads.busiest(), loads.of(0, 2)
    ((1, 2), 2, [(1, 3)], 1)
    """

    __slots__ = ("counts", "network", "unit")

    network: Any
    """A `Network`."""
    counts: CountArray
    unit: Fraction

    def __init__(self, network: Counted, counts: Any, unit: Fraction = _ONE) -> None:
        array = checked_shape("counts", counts)
        if array.shape != network.counter_shape or array.dtype.kind not in "iu":
            rule = f"must be integers of shape {network.counter_shape} for {network.spec}"
            raise NetworkError("counts", rule, (array.shape, str(array.dtype)))
        array = array.astype(np.int32 if array.dtype == np.int32 else np.int64)  # a copy
        self._set(network, array, unit)
        if self.counts.min(initial=0) < 0:
            raise NetworkError("counts", "must not be negative", int(self.counts.min()))

    @classmethod
    def _trusted(cls, network: Counted, counts: CountArray, unit: Fraction) -> ChannelLoads:
        self = object.__new__(cls)
        self._set(network, counts, unit)
        return self

    def _set(self, network: Counted, counts: CountArray, unit: Fraction) -> None:
        counts.flags.writeable = False
        for key, value in (("network", network), ("counts", counts), ("unit", Fraction(unit))):
            object.__setattr__(self, key, value)

    def _load(self, count: int, dimension: int) -> Any:
        """A load: an int where it is whole, as it is for messages, else a fraction."""
        width = self.network.bandwidths[dimension]
        if self.unit == width:
            return count
        load = count * self.unit / width
        return int(load) if load.denominator == 1 else load

    # -- facts ----------------------------------------------------------------------------

    @property
    def per_dimension(self) -> tuple[Any, ...]:
        """The load of the busiest channel of each dimension or axis."""
        largest = [0] * self.network.dimensions
        for row, count in enumerate(self.counts.max(axis=1, initial=0).tolist()):
            dimension = self.network.row_dimension(row)
            largest[dimension] = max(largest[dimension], count)
        return tuple(self._load(count, k) for k, count in enumerate(largest))

    @property
    def values(self) -> npt.NDArray[Any]:
        """The load of every counter, in the shape of `counts`; float64 unless loads are counts."""
        bandwidths = self.network.bandwidths
        if self.unit == 1 and all(bandwidth == 1 for bandwidth in bandwidths):
            return self.counts
        rows = range(self.counts.shape[0])
        factors = [float(self.unit / bandwidths[self.network.row_dimension(r)]) for r in rows]
        loads: npt.NDArray[np.float64] = self.counts * np.array(factors).reshape(-1, 1)
        return loads

    @property
    def degree(self) -> Any:
        """The load of the busiest channel: the degree of channel contention [hou, section 2]."""
        return max(self.per_dimension, default=0)

    @property
    def total(self) -> Any:
        """What all channels carry together: the sum of volume times distance."""
        total = int(self.counts.sum(dtype=np.int64)) * self.unit
        return int(total) if total.denominator == 1 else total

    @property
    def n_used(self) -> int:
        """Number of channels with a load."""
        return int(np.count_nonzero(self.counts))

    def of(self, u: int, v: int, *cable: int) -> Any:
        """Return the load of the channel from u to v; of the k-th further cable between them.

        Raises:
            NetworkError: no such channel.
        """
        row, column = self.network.counter(u, v, *cable)
        return self._load(int(self.counts[row, column]), self.network.row_dimension(row))

    def items(self) -> Iterator[tuple[Channel, Any]]:
        """Yield ((u, v), load) for every channel with a load, by dimension and then by u."""
        for row, column in np.argwhere(self.counts).tolist():
            load = self._load(int(self.counts[row, column]), self.network.row_dimension(row))
            yield self.network.channel(row, column), load

    def busiest(self) -> list[Channel]:
        """Return the channels whose load is `degree`; none when nothing is sent."""
        if not self.degree:
            return []
        largest = [
            self.degree * self.network.bandwidths[self.network.row_dimension(row)] / self.unit
            for row in range(self.counts.shape[0])
        ]
        channels: list[Channel] = []
        for row, count in enumerate(largest):
            if count.denominator == 1:
                columns = np.flatnonzero(self.counts[row] == int(count)).tolist()
                channels += [self.network.channel(row, column) for column in columns]
        return channels

    def histogram(self) -> dict[Any, int]:
        """Return how many channels have each load, idle ones (load 0) included, by ascending load.

        >>> from lccmodel.network import Hypercube
        >>> Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]]).histogram()
        {0: 4, 1: 3, 2: 1}
        """
        counted: Counter[Any] = Counter()
        for row in range(self.counts.shape[0]):
            counts, channels = np.unique(self.counts[row], return_counts=True)
            for count, many in zip(counts.tolist(), channels.tolist(), strict=True):
                if count:
                    counted[self._load(count, self.network.row_dimension(row))] += many
        idle = self.network.n_channels - self.n_used
        return ({0: idle} if idle else {}) | dict(sorted(counted.items()))

    # -- being a value --------------------------------------------------------------------

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChannelLoads):
            return NotImplemented
        same = self.network == other.network and self.unit == other.unit
        return bool(same and np.array_equal(self.counts, other.counts))

    def __hash__(self) -> int:
        return hash((self.network, self.per_dimension, self.total))

    def __reduce__(self) -> tuple[object, ...]:
        return ChannelLoads, (self.network, self.counts, self.unit)

    def __repr__(self) -> str:
        if self.counts.size <= _SHOWN_COUNTERS:
            unit = "" if self.unit == 1 else f", {self.unit!r}"
            return f"ChannelLoads({self.network!r}, {self.counts.tolist()}{unit})"
        facts = f"per_dimension={self.per_dimension}, total={self.total}"
        return f"<ChannelLoads of {self.network!r}: {facts}>"


def count_loads(
    network: Counted,
    pairs: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64] | None,
    descending: bool,
    unit: Fraction = _ONE,
) -> ChannelLoads:
    """Count the loads of checked messages, of shape (m, 2), with checked weights.

    The counters are 32 bits wide when that is enough: half the memory, twice as many in cache.
    """
    total = len(pairs) if weights is None else int(weights.sum())
    dtype: Any = np.int32 if total < 1 << 31 else np.int64
    counts = np.zeros(network.counter_shape, dtype=dtype)
    words = counts.view(np.uint32 if dtype is np.int32 else np.uint64)
    network._count_all(pairs, weights, descending, words)
    return ChannelLoads._trusted(network, counts, unit)


def count_by_dimension(
    network: Counted,
    pairs: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64] | None,
    descending: bool,
    words: npt.NDArray[Any],
) -> None:
    """Count messages one dimension after another.

    Dimensions are independent of each other, so large cases are spread over threads (the kernels
    release the interpreter lock).
    """
    routers = pairs if network.per_node == 1 else pairs // network.per_node
    sources, destinations, weights = _nearby(network, routers, weights, descending)

    def count(dimension: int) -> None:
        network._count(dimension, sources, destinations, weights, descending, words)

    worth = len(pairs) * network.dimensions >= _WORTH_THREADS
    jobs = [partial(count, dimension) for dimension in range(network.dimensions)]
    in_threads(jobs, cores() if worth else 1)


def _nearby(
    network: Counted,
    routers: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64] | None,
    descending: bool,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32], npt.NDArray[np.int64] | None]:
    """Sources, destinations and weights, in an order in which neighbours meet if that is worth it.

    That is where a row of counters is larger than the caches.
    """
    bits = (network.counter_shape[1] - 1).bit_length()
    if len(routers) < _WORTH_SORTING or bits < _ROW_IN_CACHE:
        return routers[:, 0].astype(np.uint32), routers[:, 1].astype(np.uint32), weights
    from lccmodel.network.kernels import by_region

    none = np.empty(0, np.int64)
    volumes = none if weights is None else weights
    end, shift = int(descending), bits - _REGION_BITS
    sources, destinations, kept = by_region(
        np.ascontiguousarray(routers), volumes, end, shift, 1 << _REGION_BITS
    )
    return sources, destinations, None if weights is None else kept
