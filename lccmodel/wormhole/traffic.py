"""Open-loop traffic: every source generates messages at exponential intervals [hou, section 6.1].

The sources do not wait for the network; what it cannot take queues at the sources without bound.
A load is in flits per cycle and sending processor: a source with load L and messages of F flits
generates one every F / L cycles on average. Streams are drawn source by source from one seed, so
that a communication and its remapping, or two routing functions, see the same arrivals.

Messages may come in bursts, all of one in the same cycle, whose numbers are geometric; and their
lengths may be drawn for each. The load stays what it is: flits per cycle and sender.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.network import Network, as_network
from lccmodel.routing.table import RoutingTable
from lccmodel.views import Viewed
from lccmodel.wormhole.plan import Messages

if TYPE_CHECKING:
    from lccmodel.methods.placed import Placement


class Lengths(NamedTuple):
    """The lengths that messages have, in flits, and the share of the messages that has each.

    >>> Lengths((4, 64), (0.75, 0.25)).mean
    19.0
    """

    flits: tuple[int, ...]
    shares: tuple[float, ...]

    @property
    def mean(self) -> float | int:
        """The mean length; a whole number if all are alike."""
        if len(self.flits) == 1:
            return self.flits[0]
        return sum(f * share for f, share in zip(self.flits, self.shares, strict=True))

    @property
    def service(self) -> float:
        """E[S²] / E[S] of the cycles S = F + 1 in which a channel serves a message."""
        square = sum((f + 1) ** 2 * share for f, share in zip(self.flits, self.shares, strict=True))
        return square / (self.mean + 1)

    def drawn(self, count: int, seed: int) -> Ints | int:
        """Of so many messages; one number if all are alike."""
        if len(self.flits) == 1:
            return self.flits[0]
        generator = np.random.default_rng([seed, 3])
        return generator.choice(np.array(self.flits, np.int64), count, p=self.shares)


@dataclass(frozen=True, eq=False)
class Pattern(Viewed, view="pattern"):
    """Who sends to whom.

    Attributes:
        pairs: (source, destination) nodes, int64 of shape (pairs, 2), as they travel; messages
            to one's own node are left out.
        streams: int64 of shape (pairs,): the stream of arrivals that each pair draws from, which
            is the sender before any mapping. Pairs of one stream share it at random.
        name: what figures call it.
        volumes: float64 of shape (pairs,), if pairs of a stream differ in volume: a stream then
            picks each in proportion to its volume. None where all are alike.
        nodes: the number of nodes of the network; 0 if unknown.
    """

    pairs: Ints
    streams: Ints
    name: str
    volumes: npt.NDArray[np.float64] | None = None
    nodes: int = 0

    @property
    def senders(self) -> int:
        """How many nodes send."""
        return len(np.unique(self.streams))


@typed_arguments
def pattern(
    communication: Any,
    network: Network | str,
    mapping: Placement | Sequence[int] | None = None,
) -> Pattern:
    """The messages of a communication as they travel between physical processors.

    Args:
        communication: an LCC, a `Traffic`, (source, destination) pairs, or anything else that
            describes one phase (`Traffic.of`); messages of volume 0 are not sent.
        network: with at least as many nodes.
        mapping: a `Placement`, or the order of a reordering; None leaves processors
            in place.

    Raises:
        CommunicationError: pairs of another shape or type, or no message leaves its node.
        NetworkError: fewer nodes, or another number of address bits than the mapping's.
        NodeError, InputError: a node outside the network; not an order.

    >>> from lccmodel.network import Hypercube
    >>> pattern(LCC([[0, 1], [1, 0]]), Hypercube(2)).pairs.tolist()
    [[1, 2], [2, 1]]
    """
    network = as_network(network)
    sent = network.sent(communication)
    pairs = sent.pairs.astype(np.int64)
    volumes = None if sent.weights is None else sent.weights.astype(np.float64)
    streams = np.arange(network.size)[pairs[:, 0]] if len(pairs) else pairs[:, 0]
    if mapping is not None:
        pairs = _placed(mapping, network)[pairs]
    moving = pairs[:, 0] != pairs[:, 1]
    if volumes is not None:
        moving &= volumes > 0
        volumes = volumes[moving] if len(np.unique(volumes[moving])) > 1 else None
    if not moving.any():
        rule = "must send some message to another node"
        raise CommunicationError("communication", rule, communication)
    name = getattr(communication, "name", "") or "messages"
    return Pattern(pairs[moving], streams[moving], name, volumes, network.size)


def _placed(mapping: Placement | Sequence[int], network: Network) -> Ints:
    """The physical processor of every virtual one."""
    from lccmodel.communication.lcc import reordering_matrix
    from lccmodel.methods.placed import Placement

    known = mapping.Q if isinstance(mapping, Placement) else None
    if isinstance(mapping, Placement) and known is None:
        if mapping.network != network:
            raise NetworkError("mapping", f"must be for {network.spec}", mapping.network.spec)
        return np.asarray(mapping.node_of, np.int64)
    n = network.n
    Q = reordering_matrix(mapping, n) if known is None else known
    if Q.n_rows != n:
        rule = f"must map the {n} address bits of {network.spec}"
        raise NetworkError("mapping", rule, f"{Q.n_rows} bits")
    return LCC(Q).images().astype(np.int64)


def arrivals(
    sent: Pattern, load: float, flits: float, cycles: int, seed: int, burst: float = 1.0
) -> tuple[Ints, Ints]:
    """When messages are generated, and for which pair: sorted by cycle.

    Args:
        burst: messages that are generated together, on average; of a geometric distribution.

    Returns: (cycles, indices into `sent.pairs`), int64 arrays of one length; a message generated
    within cycle t, at any real time in (t - 1, t], carries t.

    Raises:
        InputError: a load outside (0, 1], no flits or cycles, a seed below 0.
    """
    if not (isinstance(load, (int, float, np.number)) and 0 < load <= 1):
        raise InputError("load", "must be in (0, 1], flits per cycle and sender", load)
    streams, where = np.unique(sent.streams, return_inverse=True)
    generator = np.random.default_rng([seed, 1])
    drawn = _exponential(generator, len(streams), burst * flits / float(load), cycles)
    if burst > 1:
        drawn = _in_bursts(drawn, burst, np.random.default_rng([seed, 4]))
    times, senders = _by_cycle(drawn, cycles)
    generator = np.random.default_rng([seed, 2])
    if sent.volumes is None:
        return times, _choose_pairs(senders, where, generator)
    return times, _choose_by_volume(senders, where, sent.volumes, generator)


def _exponential(
    generator: np.random.Generator, streams: int, mean: float, cycles: int
) -> npt.NDArray[np.float64]:
    """Arrival times of every stream, ascending by row, until all are beyond `cycles`."""
    expected = cycles / mean
    draws = int(expected + 6 * expected**0.5) + 16
    clock = np.zeros((streams, 1))
    found: list[npt.NDArray[np.float64]] = []
    while clock.min() < cycles:  # once, but for rare streams
        times = clock + np.cumsum(generator.exponential(mean, (streams, draws)), axis=1)
        found.append(times)
        clock = times[:, -1:]
    return np.concatenate(found, axis=1)


def _in_bursts(
    drawn: npt.NDArray[np.float64], burst: float, generator: np.random.Generator
) -> npt.NDArray[np.float64]:
    """Every time as often as its burst has messages; rows are filled up with infinite times."""
    sizes = generator.geometric(1 / burst, drawn.shape)
    made = np.full((len(drawn), int(sizes.sum(axis=1).max())), np.inf)
    for row, times, size in zip(made, drawn, sizes, strict=True):
        row[: size.sum()] = np.repeat(times, size)
    return made


@kernel
def _by_cycle(drawn: npt.NDArray[np.float64], last: int) -> tuple[Ints, Ints]:
    """(cycles, streams) of all arrivals up to a cycle, sorted by cycle and then by stream.

    A bucket sort: the arrivals are spread evenly over time, about one or more in each bucket.

    Args:
        drawn: times, ascending in the row of each stream.
        last: the last cycle in which messages are generated.
    """
    width = 1 + last // drawn.size
    begin = np.zeros(last // width + 2, np.int64)
    for stream in range(len(drawn)):
        for time in drawn[stream]:
            if time > last:
                break
            begin[int(np.ceil(time)) // width + 1] += 1
    for bucket in range(1, len(begin)):
        begin[bucket] += begin[bucket - 1]
    cycles, streams = np.empty(begin[-1], np.int64), np.empty(begin[-1], np.int64)
    for stream in range(len(drawn)):
        for time in drawn[stream]:
            if time > last:
                break
            cycle = int(np.ceil(time))
            place = begin[cycle // width]
            begin[cycle // width] += 1
            cycles[place], streams[place] = cycle, stream
    for k in range(1, len(cycles) if width > 1 else 0):  # within the buckets
        cycle, stream, place = cycles[k], streams[k], k
        while place and cycles[place - 1] > cycle:
            cycles[place], streams[place] = cycles[place - 1], streams[place - 1]
            place -= 1
        cycles[place], streams[place] = cycle, stream
    return cycles, streams


def _choose_pairs(senders: Ints, where: Ints, generator: np.random.Generator) -> Ints:
    """A pair for every message: the sender's, or one of its pairs at random."""
    order = np.argsort(where, kind="stable")
    count = np.bincount(where)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    if count.max() == 1:
        alone: Ints = order[senders]
        return alone
    choice = (generator.random(len(senders)) * count[senders]).astype(np.int64)
    chosen: Ints = order[first[senders] + choice]
    return chosen


def _choose_by_volume(
    senders: Ints, where: Ints, volumes: npt.NDArray[np.float64], generator: np.random.Generator
) -> Ints:
    """A pair for every message: one of its sender's, as often as its volume says."""
    order = np.argsort(where, kind="stable")
    upto = np.cumsum(volumes[order])
    ends = np.cumsum(np.bincount(where))
    above = upto[ends - 1][senders]
    below = np.concatenate([[0.0], upto])[ends - np.bincount(where)][senders]
    drawn = below + generator.random(len(senders)) * (above - below)
    found = np.searchsorted(upto, drawn, side="right")
    chosen: Ints = order[np.minimum(found, ends[senders] - 1)]
    return chosen


def messages_of(
    table: RoutingTable, sent: Pattern, cycles: Ints, indices: Ints, flits: int | Ints
) -> Messages:
    """Messages that wait for no others, as the engines take them.

    Args:
        table: made for `sent.pairs`, in that order.
        cycles, indices: as `arrivals` returns them, sorted by cycle.
        flits: the length of all messages, or of each.
    """
    count = len(indices)
    zeros = np.zeros(count, dtype=np.int64)
    return Messages(
        sent.pairs[indices, 0],
        sent.pairs[indices, 1],
        table.start[indices],
        np.broadcast_to(np.asarray(flits, dtype=np.int64), (count,)),
        cycles,
        zeros,
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        zeros,
        np.arange(count),
    )


def waiting_for(messages: Messages, awaited: Ints, waiting: Ints, delay: Ints) -> Messages:
    """The same where message waiting[k] waits for the delivery of awaited[k]; `delay` as there."""
    count = len(delay)
    waits_for = np.bincount(waiting, minlength=count)
    free = np.flatnonzero(waits_for == 0)
    return messages._replace(
        waits_for=waits_for,
        delay=delay,
        after_first=np.concatenate([[0], np.cumsum(np.bincount(awaited, minlength=count))]),
        after=waiting[np.argsort(awaited, kind="stable")],
        arrivals=free[np.argsort(messages.ready[free], kind="stable")],
    )
