"""The load of every channel: how many messages use it, counted exactly.

Counters are held by dimension (or axis and direction) and by the node that a channel leaves, so
one integer array holds all of them; `ChannelLoads` speaks of channels (u, v).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import NetworkError

if TYPE_CHECKING:
    from lccmodel.network.base import Channel, Network

__all__ = ["ChannelLoads", "count_loads"]

Counts = npt.NDArray[np.int32] | npt.NDArray[np.int64]

_SHOWN_COUNTERS = 64
_WORTH_THREADS = 1 << 22
"""Message-dimensions from which threads pay for their start."""


class ChannelLoads:
    """How many messages use each channel of a network.

    Args:
        network: the network.
        counts: non-negative integers of shape `network.counter_shape`; a row holds the channels
            of one dimension (on a mesh: of one axis and direction, + before -), a column those
            that leave one node. Places that are no channel hold 0.

    Attributes: `network`, and `counts` as a read-only array: int32, or int64 when the weights
    of the messages add up to 2^31 or more.

    Raises:
        NetworkError: counts of another shape or type, or negative ones.

    >>> from lccmodel.network import Hypercube
    >>> loads = Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]])
    >>> loads
    ChannelLoads(Hypercube(2), [[1, 1, 0, 0], [1, 2, 0, 0]])
    >>> loads.per_dimension, loads.degree, loads.busiest(), loads.of(0, 2)
    ((1, 2), 2, [(1, 3)], 1)
    """

    __slots__ = ("counts", "network")

    network: Network
    counts: Counts

    def __init__(self, network: Network, counts: Any) -> None:
        array = np.asarray(counts)
        if array.shape != network.counter_shape or array.dtype.kind not in "iu":
            rule = f"must be integers of shape {network.counter_shape} for {network.spec}"
            raise NetworkError("counts", rule, (array.shape, str(array.dtype)))
        array = array.astype(np.int32 if array.dtype == np.int32 else np.int64)  # a copy
        self._set(network, array)
        if self.counts.min() < 0:
            raise NetworkError("counts", "must not be negative", int(self.counts.min()))

    @classmethod
    def _trusted(cls, network: Network, counts: Counts) -> ChannelLoads:
        self = object.__new__(cls)
        self._set(network, counts)
        return self

    def _set(self, network: Network, counts: Counts) -> None:
        counts.flags.writeable = False
        object.__setattr__(self, "network", network)
        object.__setattr__(self, "counts", counts)

    # -- facts ----------------------------------------------------------------------------

    @property
    def per_dimension(self) -> tuple[int, ...]:
        """The load of the busiest channel of each dimension or axis."""
        largest = [0] * self.network.dimensions
        for row, load in enumerate(self.counts.max(axis=1).tolist()):
            dimension = self.network.row_dimension(row)
            largest[dimension] = max(largest[dimension], load)
        return tuple(largest)

    @property
    def degree(self) -> int:
        """The load of the busiest channel: the degree of channel contention [hou, section 2]."""
        return int(self.counts.max())

    @property
    def total(self) -> int:
        """The sum of all loads: channels taken, over all messages."""
        return int(self.counts.sum(dtype=np.int64))

    @property
    def n_used(self) -> int:
        """Number of channels with a load."""
        return int(np.count_nonzero(self.counts))

    def of(self, u: int, v: int) -> int:
        """The load of the channel from u to v.

        Raises:
            NetworkError: no such channel.
        """
        return int(self.counts[self.network.counter(u, v)])

    def items(self) -> Iterator[tuple[Channel, int]]:
        """((u, v), load) for every channel with a load, by dimension and then by u."""
        for row, column in np.argwhere(self.counts).tolist():
            yield self.network.channel(row, column), int(self.counts[row, column])

    def busiest(self) -> list[Channel]:
        """The channels whose load is `degree`; none when nothing is sent."""
        if not self.degree:
            return []
        places = np.argwhere(self.counts == self.degree).tolist()
        return [self.network.channel(row, column) for row, column in places]

    def histogram(self) -> dict[int, int]:
        """How many channels have each load, idle ones (load 0) included, by ascending load.

        >>> from lccmodel.network import Hypercube
        >>> Hypercube(2).channel_loads([[0, 3], [1, 3], [1, 2]]).histogram()
        {0: 4, 1: 3, 2: 1}
        """
        loads, channels = np.unique(self.counts[self.counts > 0], return_counts=True)
        idle = self.network.n_channels - self.n_used
        counted = dict(zip(loads.tolist(), channels.tolist(), strict=True))
        return ({0: idle} if idle else {}) | counted

    # -- being a value --------------------------------------------------------------------

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"ChannelLoads is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"ChannelLoads is frozen: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ChannelLoads):
            return NotImplemented
        return self.network == other.network and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash((self.network, self.per_dimension, self.total))

    def __reduce__(self) -> tuple[object, ...]:
        return ChannelLoads, (self.network, self.counts)

    def __repr__(self) -> str:
        if self.counts.size <= _SHOWN_COUNTERS:
            return f"ChannelLoads({self.network!r}, {self.counts.tolist()})"
        facts = f"per_dimension={self.per_dimension}, total={self.total}"
        return f"<ChannelLoads of {self.network!r}: {facts}>"

    def _repr_html_(self) -> str:
        cells = zip(range(self.network.dimensions), self.per_dimension, strict=True)
        rows = "".join(f"<tr><td>{i}</td><td>{load}</td></tr>" for i, load in cells)
        return (
            f"<table><caption>{self.network.spec}: {self.n_used} of {self.network.n_channels} "
            f"channels used</caption><tr><th>dimension</th><th>largest load</th></tr>{rows}</table>"
        )


def count_loads(
    network: Network,
    pairs: npt.NDArray[np.uint64],
    weights: npt.NDArray[np.int64] | None,
    descending: bool,
) -> ChannelLoads:
    """Count the loads of checked messages, of shape (m, 2), with checked weights.

    The counters are 32 bits wide when that is enough: half the memory, and twice as many in
    cache. Dimensions are independent of each other, so large cases are spread over threads
    (the kernels release the interpreter lock).
    """
    from lccmodel.network.kernels import split

    total = len(pairs) if weights is None else int(weights.sum())
    dtype: Any = np.int32 if total < 1 << 31 else np.int64
    counts = np.zeros(network.counter_shape, dtype=dtype)
    sources, changes = (np.empty(len(pairs), dtype=np.uint32) for _ in range(2))
    split(pairs, network.port_bits, sources, changes)
    words = counts.view(np.uint32 if dtype is np.int32 else np.uint64)
    count = partial(_count_one, network, sources, changes, weights, descending, words)
    threads = min(_cores(), network.dimensions)
    if threads > 1 and len(pairs) * network.dimensions >= _WORTH_THREADS:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(count, range(network.dimensions)))
    else:
        for dimension in range(network.dimensions):
            count(dimension)
    return ChannelLoads._trusted(network, counts)


def _count_one(
    network: Network,
    sources: npt.NDArray[np.uint32],
    changes: npt.NDArray[np.uint32],
    weights: npt.NDArray[np.int64] | None,
    descending: bool,
    words: npt.NDArray[Any],
    dimension: int,
) -> None:
    network._count(dimension, sources, changes, weights, descending, words)


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
