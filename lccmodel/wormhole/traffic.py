"""Open-loop traffic: every source generates messages at exponential intervals [hou, section 6.1].

The sources do not wait for the network; what it cannot take queues at the sources without bound.
A load is in flits per cycle and sending processor: a source with load L and messages of F flits
generates one every F / L cycles on average. Streams are drawn source by source from one seed, so
that a communication and its remapping, or two routing functions, see the same arrivals.

Messages may come in bursts, all of one in the same cycle, whose numbers are geometric; and their
lengths may be drawn for each. Other sources decide in every cycle whether they generate a message
(`Source`). The load stays what it is: flits per cycle and sender, on average over the senders, who
may be unequal.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.communication.patterns import Spread
from lccmodel.communication.program import Phase, Program
from lccmodel.communication.traffic import Traffic
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, freeze_arrays
from lccmodel.ground.views import Viewed
from lccmodel.kernels.jit import kernel
from lccmodel.network import Network, as_network
from lccmodel.problem import Problem
from lccmodel.routing.computed import ComputedRoutes
from lccmodel.routing.table import RoutingTable
from lccmodel.wormhole.plan import Messages

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement


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


@typed_arguments
@dataclass(frozen=True)
class Source:
    """How a processor generates messages.

    Args:
        kind: "poisson": at exponential intervals; "bernoulli": in every cycle with the same
            probability; "on-off": so while it is on. In every cycle it is switched on with
            probability `alpha` and off with probability `beta`.
        alpha, beta: of "on-off", above 0 and up to 1.

    Raises:
        InputError: another kind, or a probability that is missing, out of range or of no use.

    >>> Source.of("on-off:0.1,0.3"), Source.of("bernoulli").word
    (Source(kind='on-off', alpha=0.1, beta=0.3), 'bernoulli')
    """

    kind: Literal["poisson", "bernoulli", "on-off"] = "poisson"
    alpha: float = 0.0
    beta: float = 0.0

    def __post_init__(self) -> None:
        switches = self.kind == "on-off"
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            if not (
                isinstance(value, (int, float)) and (0 < value <= 1 if switches else not value)
            ):
                rule = "must be above 0 and up to 1" if switches else f"is of no use to {self.kind}"
                raise InputError(name, rule, value)

    @classmethod
    def of(cls, word: str | Source) -> Source:
        """Return a source by its word: poisson, bernoulli, on-off:ALPHA,BETA.

        Raises:
            InputError: another word.
        """
        if isinstance(word, Source):
            return word
        kind, _, numbers = word.strip().lower().replace("_", "-").partition(":")
        try:
            listed = [float(number) for number in numbers.split(",")] if numbers else []
        except ValueError:
            listed = [0.0]
        known: dict[str, tuple[Literal["poisson", "bernoulli", "on-off"], int]] = {
            "poisson": ("poisson", 0), "bernoulli": ("bernoulli", 0), "on-off": ("on-off", 2),
        }  # fmt: skip
        if kind not in known or len(listed) != known[kind][1]:
            rule = "must be poisson, bernoulli or on-off:ALPHA,BETA, with two probabilities"
            raise InputError("source", rule, word)
        return cls(known[kind][0], *listed)

    @property
    def word(self) -> str:
        """As `of` reads it."""
        return self.kind + (f":{self.alpha:g},{self.beta:g}" if self.kind == "on-off" else "")

    def peak(self, chance: float) -> float:
        """Return the probability of a message in a cycle in which the source is on."""
        return chance * (self.alpha + self.beta) / self.alpha if self.alpha else chance

    def dispersion(self, chance: float) -> float:
        """Return variance over mean of the messages in a long time; 1 of Poisson's.

        >>> on_off = Source("on-off", 0.1, 0.1)
        >>> Source("bernoulli").dispersion(0.1), round(on_off.dispersion(0.1), 2)
        (0.9, 1.7)
        """
        if self.kind == "poisson":
            return 1.0
        total = self.alpha + self.beta
        burst = 2 * self.peak(chance) * self.beta / total * (1 - total) / total if total else 0.0
        return 1 - chance + burst


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
        rates: float64, what every stream generates in comparison with the mean of all, in
            ascending order of the streams. None where all generate alike.
        problem: what was read, with its notes; None of bare pairs.
        spread: traffic whose destinations are drawn message by message; `pairs` is then empty, and
            `streams` are the ranks that send.
        placed: with it, the node of every rank; None if rank x is on node x.
        is_mapped: whether a mapping placed the ranks.
    """

    pairs: Ints
    streams: Ints
    name: str
    volumes: npt.NDArray[np.float64] | None = None
    nodes: int = 0
    rates: npt.NDArray[np.float64] | None = None
    problem: Problem | None = None

    def __post_init__(self) -> None:
        freeze_arrays(self)

    spread: Spread | None = None
    placed: Ints | None = None
    is_mapped: bool = False

    @property
    def senders(self) -> int:
        """How many nodes send."""
        return len(np.unique(self.streams))

    def drawn(self, senders: Ints, generator: np.random.Generator) -> Ints:
        """(source, destination) of messages of these streams, whose pairs are not listed."""
        assert self.spread is not None
        pairs = np.stack([senders, self.spread.drawn(senders, generator)], axis=1)
        return pairs if self.placed is None else self.placed[pairs]


@typed_arguments
def pattern(
    communication: Any,
    network: Network | str,
    mapping: Placement | Sequence[int] | None = None,
    rates: Literal["equal", "volume"] = "equal",
    own: bool = False,
) -> Pattern:
    """Return the messages of a communication as they travel between physical processors.

    Args:
        communication: an LCC, a `Traffic`, (source, destination) pairs, or anything else that
            describes one phase (`Traffic.of`); messages of volume 0 are not sent.
        network: with at least as many nodes.
        mapping: a `Placement`, or the order of a reordering; None leaves processors
            in place.
        rates: whether every sender generates as much, or each in proportion to its volume.
        own: whether messages to the sender's own node are sent, too.

    Raises:
        CommunicationError: pairs of another shape or type, or no message leaves its node.
        NetworkError: fewer nodes, or another number of address bits than the mapping's.
        NodeError, InputError: a node outside the network; not an order.

    >>> from lccmodel.network import Hypercube
    >>> pattern(LCC([[0, 1], [1, 0]]), Hypercube(2)).pairs.tolist()
    [[1, 2], [2, 1]]
    """
    network = as_network(network)
    problem = problem_of(communication, network)
    name = getattr(communication, "name", "")
    if problem is not None:
        name = name or problem.program[0].name
        communication = sent_alone(problem)
    if isinstance(communication, Spread):
        return _spread(communication, network, mapping, rates, own, name, problem)
    sent = network.sent(communication)
    pairs = sent.pairs.astype(np.int64)
    volumes = None if sent.weights is None else sent.weights.astype(np.float64)
    streams = np.arange(network.size)[pairs[:, 0]] if len(pairs) else pairs[:, 0]
    if mapping is not None:
        pairs = _placed(mapping, network)[pairs]
    moving = (pairs[:, 0] != pairs[:, 1]) | own
    unequal = None
    if rates == "volume":
        unequal = _relative(streams[moving], None if volumes is None else volumes[moving])
    if volumes is not None:
        moving &= volumes > 0
        volumes = volumes[moving] if len(np.unique(volumes[moving])) > 1 else None
    if not moving.any():
        rule = "must send some message to another node"
        raise CommunicationError("communication", rule, communication)
    name, size = name or "messages", network.size
    return Pattern(
        pairs[moving],
        streams[moving],
        name,
        volumes,
        size,
        unequal,
        problem,
        is_mapped=mapping is not None,
    )


def _spread(
    traffic: Spread,
    network: Network,
    mapping: Placement | Sequence[int] | None,
    rates: str,
    own: bool,
    name: str,
    problem: Problem | None,
) -> Pattern:
    """The pattern of traffic whose pairs are not listed."""
    if traffic.ranks != network.size or own:
        rule = f"must have a rank for each node of {network.spec}, and send to other nodes"
        raise CommunicationError("communication", rule, traffic)
    totals = traffic.totals()
    streams = np.flatnonzero(totals)
    unequal = totals[streams] / totals[streams].mean() if rates == "volume" else None
    if unequal is not None and bool((unequal == 1).all()):
        unequal = None
    none, size = np.zeros((0, 2), np.int64), network.size
    placed = None if mapping is None else _placed(mapping, network)
    word, is_mapped = name or traffic.word, mapping is not None
    return Pattern(none, streams, word, None, size, unequal, problem, traffic, placed, is_mapped)


def _relative(
    streams: Ints, volumes: npt.NDArray[np.float64] | None
) -> npt.NDArray[np.float64] | None:
    """The volume of every stream that sends over their mean; None where they are alike."""
    total = np.bincount(streams, volumes)
    sent = total[total > 0].astype(np.float64)
    return None if (sent == sent[:1]).all() else sent / sent.mean()


def problem_of(communication: Any, network: Network) -> Problem | None:
    """The problem that something describes, whose notes an answer states; None of bare pairs."""
    if isinstance(communication, np.ndarray):
        return None
    if isinstance(communication, (list, tuple)):
        members = (str, os.PathLike, Phase, Traffic, LCC)
        if not (communication and isinstance(communication[0], members)):
            return None
    return Problem.read(communication, network)


def sent_alone(problem: Problem) -> Traffic | Program:
    """The traffic of the one phase, or the program, which a network refuses as messages."""
    return problem.program[0].traffic if len(problem.program) == 1 else problem.program


def _placed(mapping: Placement | Sequence[int], network: Network) -> Ints:
    """The physical processor of every virtual one."""
    from lccmodel.communication.lcc import reordering_matrix
    from lccmodel.placement.placement_result import Placement

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
    sent: Pattern,
    load: float,
    flits: float,
    cycles: int,
    seed: int,
    burst: float = 1.0,
    source: Source = Source(),
) -> tuple[Ints, Ints]:
    """When messages are generated, and for which pair: sorted by cycle.

    Args:
        burst: messages that are generated together, on average; of a geometric distribution.
        source: how messages are generated; only Poisson's come in bursts.

    Returns: (cycles, indices into `sent.pairs`), int64 arrays of one length; a message generated
    within cycle t, at any real time in (t - 1, t], carries t. If pairs are not listed, (source,
    destination) of every message stand in place of the indices.

    Raises:
        InputError: a load outside (0, 1], no flits or cycles, a seed below 0; a source that cannot
            generate so much.
    """
    if not (isinstance(load, (int, float, np.number)) and 0 < load <= 1):
        raise InputError("load", "must be in (0, 1], flits per cycle and sender", load)
    streams, where = np.unique(sent.streams, return_inverse=True)
    generator = np.random.default_rng([seed, 1])
    rates = np.ones(1) if sent.rates is None else sent.rates
    if source.kind == "poisson":
        drawn = _exponential(generator, len(streams), burst * flits / float(load) / rates, cycles)
        if burst > 1:
            drawn = _in_bursts(drawn, burst, np.random.default_rng([seed, 4]))
    else:
        chances = np.broadcast_to(float(load) / flits * rates, len(streams))
        drawn = _by_chance(generator, chances, source, cycles)
    times, senders = _by_cycle(drawn, cycles)
    generator = np.random.default_rng([seed, 2])
    if sent.spread is not None:
        return times, sent.drawn(streams[senders], generator)
    if sent.volumes is None:
        return times, _choose_pairs(senders, where, generator)
    return times, _choose_by_volume(senders, where, sent.volumes, generator)


def _exponential(
    generator: np.random.Generator, streams: int, mean: npt.NDArray[np.float64], cycles: int
) -> npt.NDArray[np.float64]:
    """Arrival times of every stream, ascending by row, until all are beyond `cycles`."""
    expected = cycles / mean.min()
    draws = int(expected + 6 * expected**0.5) + 16
    clock = np.zeros((streams, 1))
    arrivals: list[npt.NDArray[np.float64]] = []
    while clock.min() < cycles:  # once, but for rare streams
        gaps = generator.exponential(mean[:, None], (streams, draws))
        times = clock + np.cumsum(gaps, axis=1)
        arrivals.append(times)
        clock = times[:, -1:]
    return np.concatenate(arrivals, axis=1)


def _by_chance(
    generator: np.random.Generator,
    chances: npt.NDArray[np.float64],
    source: Source,
    cycles: int,
) -> npt.NDArray[np.float64]:
    """Cycles in which every stream generates a message; rows are filled up with infinite times.

    A stream is on for some cycles, by its own clock, and messages come on that clock. What the
    clock stood still before the k-th time that it is on is added.
    """
    peak = source.peak(float(chances.max(initial=0)))
    if peak > 1:
        rule = f"must have a load of at most 1 message a cycle while on, of any sender ({peak:.3g})"
        raise InputError("source", rule, source.word)
    rows = []
    for chance in chances.tolist():
        wanted = source.peak(chance)
        draws = int(cycles * wanted + 6 * (cycles * wanted) ** 0.5) + 16
        times = np.cumsum(generator.geometric(wanted, draws))
        while times[-1] < cycles:
            times = np.append(times, times[-1] + np.cumsum(generator.geometric(wanted, draws)))
        if source.kind == "on-off":
            times = times + _silence(generator, source, cycles, times)
        rows.append(times[times <= cycles])
    made = np.full((len(rows), max(1, *map(len, rows))), np.inf)
    for row, times in zip(made, rows, strict=True):
        row[: len(times)] = times
    return made


def _silence(
    generator: np.random.Generator, source: Source, cycles: int, times: Ints
) -> npt.NDArray[np.int64]:
    """Cycles for which a source was off before each time on the clock that runs while it is on."""
    rounds = int(2 * cycles / (1 / source.alpha + 1 / source.beta)) + 64
    off = generator.geometric(source.alpha, rounds)
    if generator.random() < source.alpha / (source.alpha + source.beta):
        off[0] = 0  # it begins on, as often as it is on in the long run
    on = generator.geometric(source.beta, rounds)
    while on.sum() + off.sum() < cycles:
        on = np.append(on, generator.geometric(source.beta, rounds))
        off = np.append(off, generator.geometric(source.alpha, rounds))
    ends = np.cumsum(on)
    turn = np.searchsorted(ends, times, side="left")
    before = np.append(np.cumsum(off), cycles + 1)
    return before[np.minimum(turn, len(ends))]


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
    places = np.searchsorted(upto, drawn, side="right")
    chosen: Ints = order[np.minimum(places, ends[senders] - 1)]
    return chosen


def messages_of(
    table: RoutingTable | ComputedRoutes,
    sent: Pattern,
    cycles: Ints,
    indices: Ints,
    flits: int | Ints,
    seed: int = 1,
) -> Messages:
    """Messages that wait for no others, as the engines take them.

    Args:
        table: made for `sent.pairs`, in that order.
        cycles, indices: as `arrivals` returns them, sorted by cycle.
        flits: the length of all messages, or of each.
        seed: of the ways of messages, where each draws its own.
    """
    count = len(indices)
    zeros = np.zeros(count, dtype=np.int64)
    pairs, then = indices if indices.ndim == 2 else sent.pairs[indices], zeros[:0]
    start = table.start_of(pairs) if isinstance(table, ComputedRoutes) else table.start[indices]
    if table.ways is not None:
        start, then = table.ways.drawn(indices, np.random.default_rng([seed % (1 << 64), 5]))
    return Messages(
        pairs[:, 0],
        pairs[:, 1],
        start,
        np.broadcast_to(np.asarray(flits, dtype=np.int64), (count,)),
        cycles,
        zeros,
        np.zeros(count + 1, dtype=np.int64),
        np.zeros(0, dtype=np.int64),
        zeros,
        np.arange(count),
        then,
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
