"""Simulate a communication at a load: latency, throughput, and what every channel carries.

Sources generate messages for `cycles` cycles. What is generated in the first part, the warm-up,
is not measured; afterwards nothing more is generated and the network drains, so that every
measured message has a latency, unless the load cannot be sustained or the messages deadlock.

With one path for every message the routes say which load cannot be sustained, however a run of it
looks (`Simulation.use`), and how long queues take to forget; `statistics` says when a latency has
settled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from lccmodel.communication.patterns import MAX_NODES, Spread
from lccmodel.errors import InputError, SizeLimitError, checked_array, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints, freeze_arrays, read_only
from lccmodel.ground.views import Answer
from lccmodel.ground.words import SERVICES, Service, checked_word
from lccmodel.ground.words import Engine as Engine
from lccmodel.ground.words import Rates as Rates
from lccmodel.network import ChannelLoads, Network, as_network
from lccmodel.placement.notes import tie_notes
from lccmodel.problem import Problem
from lccmodel.routing import (
    Fabric,
    RoutingFunction,
    RoutingTable,
    find_routing,
    routing_table,
    widened,
)
from lccmodel.routing.computed import ComputedRoutes, add_routes, is_computed
from lccmodel.wormhole.plan import (
    NEVER,
    Messages,
    Outcome,
    Pace,
    Wiring,
    empty_outcome,
    waiting_ring,
    wiring,
)
from lccmodel.wormhole.statistics import (
    BATCHES,
    SETTLED,
    Interval,
    Percentile,
    backlog,
    batch_mean,
    counts_until,
    grows,
    implied_relaxation,
    mser_5,
    percentile_of,
    relaxation,
    waiting_mean,
)
from lccmodel.wormhole.timing import TieRule, Timing
from lccmodel.wormhole.traffic import (
    Lengths,
    Pattern,
    Source,
    arrivals,
    messages_of,
    pattern,
)

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement

MAX_MESSAGES = 1 << 25
MAX_FLITS = 1 << 24
MAX_CYCLES = 1 << 30
MAX_BYTES = 1 << 33
"""Memory that the buffers of the flit engine may take."""
_MOST_BURST = 10_000
_MOST_DELAY = 4096


@dataclass(frozen=True, eq=False, repr=False)
class SimulationResult(Answer, view="simulation"):
    """What a simulation measured. Cycles and flits are the units.

    Attributes:
        network, routing, load, flits, cycles, warm_up, seed, tie: what was simulated; `load` in
            flits per cycle and sending processor, `flits` the mean length of a message.
        senders: processors that send to another one.
        generated: messages generated in the measured time.
        offered: flits generated per cycle and sender in the measured time.
        throughput: flits delivered per cycle and sender in the measured time.
        throughput_interval: its 95 % confidence interval, from batch means.
        accepted: flits of messages that entered the network in the measured time, per cycle and
            sender; what is offered beyond it waits at the sources.
        accepted_interval: its 95 % confidence interval, from batch means.
        latency: mean cycles from generation to delivery of the messages generated in the
            measured time; infinite if the load cannot be sustained, nan if there were none.
        interval: its 95 % confidence interval, wider upwards close to saturation; see
            `statistics`.
        settled: whether the run was long enough for that interval to be relied on.
        hardware: depth, latencies, virtual channels, wires, bursts and lengths that are not the
            usual ones.
        waiting: messages that waited at their sources, on average over the measured time.
        saturated: whether more and more messages wait at their sources, or the load is above what
            the routes can carry.
        deadlock: a ring of channels by name, each held by a message that waits for the next;
            empty if there is none.
        channel_use: flits per cycle on every link, float64 by link of `fabric`.
        ready, injected, delivered: int64, the cycles of every message; `NEVER` if not.
        source, destination: the nodes of every message.
        fabric: the numbered links.
        communication: the name of what was sent.
        problem: what was read, with its notes; None of bare pairs.
        is_mapped: whether a mapping placed the ranks.

    >>> from lccmodel import Hypercube, catalog
    >>> from lccmodel.wormhole import simulate
    >>> result = simulate(catalog.bit_reverse(4), Hypercube(4), load=0.05, cycles=2000)
    >>> result.senders, result.saturated, result.deadlock
    (12, False, ())
    """

    network: Network
    routing: str
    load: float
    flits: int | float
    cycles: int
    warm_up: int
    seed: int
    tie: TieRule
    senders: int
    generated: int
    offered: float
    throughput: float
    throughput_interval: Interval
    accepted: float
    accepted_interval: Interval
    latency: float
    interval: Interval
    waiting: float
    saturated: bool
    deadlock: tuple[str, ...]
    channel_use: npt.NDArray[np.float64]
    ready: Ints
    injected: Ints
    delivered: Ints
    source: Ints
    destination: Ints
    fabric: Fabric
    communication: str
    settled: bool
    hardware: dict[str, int | float | str]
    problem: Problem | None = None
    is_mapped: bool = False

    def __post_init__(self) -> None:
        freeze_arrays(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """The sentences on which the numbers rest, one on ties on even rings if they matter.

        >>> from lccmodel.wormhole import simulate
        >>> simulate("uniform", "torus:4x4", load=0.1, cycles=500).notes
        ('112 of 240 messages go half-way round a ring, all +; with ties=split the maximum load \
is 8, not 12',)
        """
        return (*super().notes, *self._tie_notes)

    @cached_property
    def _tie_notes(self) -> tuple[str, ...]:
        if self.problem is None or self.is_mapped or self.routing != "dimension-order":
            return ()
        return tie_notes(self.problem)

    @cached_property
    def _timed(self) -> npt.NDArray[np.bool_]:
        """Which messages count: generated in the measured time, and delivered."""
        return (self.ready > self.warm_up) & (self.ready < NEVER) & (self.delivered < NEVER)

    @property
    def latencies(self) -> Ints:
        """Cycles from generation to delivery of every message that counts."""
        return (self.delivered - self.ready)[self._timed]

    def percentile(self, percent: float) -> Percentile:
        """Return the latency that this percentage does not exceed, with its 95 % interval.

        Infinite if the load cannot be sustained.

        Raises:
            InputError: not a number above 0 and below 100.

        >>> from lccmodel import Hypercube, catalog
        >>> from lccmodel.wormhole import simulate
        >>> result = simulate(catalog.bit_reverse(4), Hypercube(4), load=0.05, cycles=20000)
        >>> result.percentile(50).value, result.percentile(99).value > result.percentile(95).value
        (23.0, True)
        """
        if not (_is_real(percent) and 0 < percent < 100):
            raise InputError("percent", "must be above 0 and below 100", percent)
        if self.saturated:
            return Percentile(float("inf"), Interval(float("inf"), float("inf")))
        at = self.ready[self._timed] - self.warm_up - 1
        window = self.cycles - self.warm_up
        return percentile_of(self.latencies.astype(np.float64), at, window, float(percent))

    def histogram(self, width: int = 1) -> tuple[Ints, Ints]:
        """Return (first latency of each class, messages in it), `width` cycles wide, int64.

        Raises:
            InputError: a width below 1.

        >>> from lccmodel import Hypercube
        >>> from lccmodel.wormhole import simulate
        >>> begins, counts = simulate([(0, 1)], Hypercube(1), load=0.2, cycles=2000).histogram(10)
        >>> begins.tolist()[:3], int(counts.sum())
        ([20, 30, 40], 22)
        """
        width = checked_integer("width", width, least=1)
        classes = self.latencies // width
        first = int(classes.min()) if len(classes) else 0
        counts = np.bincount(classes - first)
        return (first + np.arange(len(counts))) * width, counts

    @property
    def channel_loads(self) -> ChannelLoads:
        """Messages that crossed every channel in the whole run."""
        carried = np.rint(self.channel_use * self.cycles / self.flits).astype(np.int64)
        return self.fabric.channel_loads(carried)

    def __repr__(self) -> str:
        verdict = "deadlocked" if self.deadlock else "saturated" if self.saturated else "sustained"
        verdict += "" if self.settled or self.saturated else ", not settled"
        where = f"{self.routing} on {self.network.spec}, load {self.load:g}"
        return (
            f"SimulationResult({where}: {verdict}, throughput {self.throughput:.4f}, "
            f"latency {self.latency:.1f} {self.interval})"
        )


@dataclass(frozen=True, eq=False)
class Simulation:
    """A communication on a network with a routing function, ready to be run at any load.

    Making it writes out the routing table once. Where that is too large, or destinations are drawn,
    routes are computed hop by hop (`routing.computed`).

    Attributes: `sent`, the pattern; `table`; `timing`; `engine`; `own_wires`; `link_delays`.

    >>> from lccmodel import Hypercube, catalog
    >>> prepared = Simulation.of(catalog.bit_reverse(4), Hypercube(4))
    >>> [prepared.run(load, cycles=2000).saturated for load in (0.05, 0.9)]
    [False, True]
    """

    sent: Pattern
    table: RoutingTable | ComputedRoutes
    timing: Timing
    engine: Engine
    own_wires: bool = False
    link_delays: Ints = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(
        cls,
        communication: Any,
        network: Network | str,
        routing: str | RoutingFunction = "e-cube",
        mapping: Placement | Sequence[int] | None = None,
        tie: TieRule = "lowest-input",
        engine: Engine = "auto",
        *,
        depth: int = 1,
        router_latency: int = 0,
        link_latency: int = 0,
        virtual_channels: int | None = None,
        own_wires: bool = False,
        credit_latency: int = 0,
        tail_credit: bool = True,
        end_channels: int = 1,
        injection_latency: int = 0,
        ejection_latency: int = 0,
        service: Service = "arrival",
        service_rounds: int = 1,
        rates: Rates = "equal",
        own_messages: bool = False,
        link_delays: Sequence[int] | Ints | None = None,
    ) -> Simulation:
        """Prepare a simulation; arguments and errors as for `simulate`.

        Args:
            link_delays: for every link of `Fabric`, cycles of latency beyond `link_latency` for its
                flits and beyond `credit_latency` for its credits; none if left out.
        """
        network = as_network(network)
        ports = (end_channels, injection_latency, ejection_latency)
        returned, rounds = (credit_latency, tail_credit), _checked_rounds(service, service_rounds)
        timing = Timing(tie, depth, router_latency, link_latency, *returned, *ports, rounds)
        function = widened(find_routing(routing, network), virtual_channels)
        checked_word("engine", engine, get_args(Engine))
        fabric = Fabric(network, function.virtual_channels)  # refuses what is too large to list
        delays = _checked_delays(link_delays, fabric)
        _check_memory(fabric, timing)
        if engine == "message" and _has_gaps(fabric, timing, delays):
            rule = (
                "must be flit (or auto) where wires differ, buffers are deeper, parts or credits "
                "have a latency, ports several channels, or service is in turns"
            )
            raise InputError("engine", rule, engine)
        checked_word("rates", rates, get_args(Rates))
        sent = pattern(communication, network, mapping, rates, own_messages)
        table = _routes(function, fabric, sent)
        return cls(sent, table, timing, engine, own_wires, delays)

    def execute(self, messages: Messages, last_cycle: int = NEVER, seed: int = 0) -> Outcome:
        """Run messages through the engine."""
        wired = self._wired
        outcome = empty_outcome(len(messages.source), wired)
        how = (wired, messages, outcome, last_cycle, self.timing.code, seed)
        if self.engine == "flit" or _has_gaps(self.table.fabric, self.timing, self.link_delays):
            from lccmodel.wormhole.flit_engine import run_flits

            run_flits(*how, self.timing.pace)
        else:
            from lccmodel.wormhole.message_engine import run_messages

            run_messages(*how)
        return outcome

    @cached_property
    def _wired(self) -> Wiring:
        return wiring(self.table, self.own_wires, self.timing.ends, self.link_delays)

    @property
    def hardware(self) -> dict[str, int | float | str]:
        """Depth, latencies, virtual channels and wires that are not the usual ones, by name."""
        timing, routing = self.timing, self.table.routing
        many = self.table.fabric.virtual_channels
        least = getattr(routing, "least_channels", many)
        stated = {
            "depth": timing.depth if timing.depth > 1 else 0,
            "router_latency": timing.router,
            "link_latency": timing.link,
            "longest_link_delay": int(self.link_delays.max(initial=0)),
            "virtual_channels": many if many != least else 0,
            "own_wires": self.own_wires and self.table.fabric.virtual_channels > 1,
            "credit_latency": timing.credit,
            "no_tail_credit": not timing.waits_for_tail,
            "end_channels": timing.ends if timing.ends > 1 else 0,
            "injection_latency": timing.injection,
            "ejection_latency": timing.ejection,
            "service": "turns" if timing.rounds else "",
            "service_rounds": timing.rounds if timing.rounds > 1 else 0,
        }
        return {key: value for key, value in stated.items() if value}

    @cached_property
    def _shares(self) -> tuple[npt.NDArray[np.float64], ...]:
        """Messages on each channel and ejection channel, and cycles of each wire, for one message
        of every sender.

        Channels have none where messages have a choice of them, and wires none where they have a
        choice of links.
        """
        table, sent = self.table, self.sent
        if isinstance(table, ComputedRoutes):
            return self._computed_shares(table)
        share = _share_of_pairs(sent)
        channels, V = np.zeros(table.fabric.channels), table.fabric.virtual_channels
        options = np.diff(table.first)
        first = np.repeat(table.first[:-1], options)  # of the state of each option
        if table.ways is None:
            begun = np.bincount(table.start, share, table.states).astype(np.float64)
        else:
            begun = table.ways.expected(share, table.states)
        if (table.channel // V == table.channel[first] // V).all():
            state = np.flatnonzero(begun)  # none where all ways are too many to list
            amount = begun[state]
            while (going := table.first[state] < table.first[state + 1]).any():
                option = table.first[state[going]]
                np.add.at(channels, table.channel[option], amount[going])
                begun = np.bincount(table.following[option], amount[going], table.states).astype(
                    np.float64
                )
                state = np.flatnonzero(begun)
                amount = begun[state]
        exits = np.bincount(sent.pairs[:, 1], share).astype(np.float64)
        wires = channels.reshape(table.fabric.links, V).sum(axis=1) * table.fabric.period
        if self.own_wires:
            wires = channels * np.repeat(table.fabric.period, V)
        if (options > 1).any():  # which channel of a link is taken is not known
            channels = np.zeros_like(channels)
            wires = np.zeros_like(wires) if self.own_wires else wires
        return channels, exits, wires

    def _delayed(self, delay: int) -> Timing:
        """The timing of a link that takes longer, by so many cycles for flits and for credits."""
        link, credit = self.timing.link + delay, self.timing.credit + delay
        return replace(self.timing, link=link, credit=credit)

    def _computed_shares(self, table: ComputedRoutes) -> tuple[npt.NDArray[np.float64], ...]:
        """The same if routes are computed; channels have none if a class has several."""
        sent, fabric = self.sent, table.fabric
        V = fabric.virtual_channels
        if sent.spread is None:
            share = _share_of_pairs(sent)
            channels = np.zeros(fabric.channels)
            add_routes(table.form, table.start_of(sent.pairs), share, channels)
            exits = np.zeros(fabric.network.size)
            np.add.at(exits, sent.pairs[:, 1], share)
        else:
            channels, exits = _spread_shares(table, sent, sent.spread)
        wires = channels.reshape(fabric.links, V).sum(axis=1) * fabric.period
        several = V > getattr(table.routing, "least_channels", V)
        if self.own_wires:
            wires = channels * np.repeat(fabric.period, V)
        if several:  # which channel of a link is taken is not known
            channels = np.zeros_like(channels)
            wires = np.zeros_like(wires) if self.own_wires else wires
        return channels, exits, wires

    @property
    def _busiest_sender(self) -> float:
        """What it generates over the mean of all."""
        return 1.0 if self.sent.rates is None else float(self.sent.rates.max())

    def use(self, load: float, flits: float) -> float:
        """Return the share of time for which the busiest channel or wire would be busy at a load.

        A message of F flits keeps a wire busy for F times its period, and channels for as long as
        `Timing.service` says. A port of several channels is one wire, and as many channels.

        >>> from lccmodel import Hypercube, catalog
        >>> round(Simulation.of(catalog.bit_reverse(8), Hypercube(8)).use(5 / 42, 20), 9)
        1.0
        """
        channels, ends, wires = self._shares
        injection, link, ejection = self.timing.service(flits)
        if len(self.link_delays):
            V = self.table.fabric.virtual_channels
            service = {
                d: self._delayed(d).service(flits)[1] for d in set(self.link_delays.tolist())
            }
            each = np.array([service[d] for d in self.link_delays.tolist()])
            channels, link = channels * np.repeat(each, V), 1.0
        ports = self.timing.ends
        return (load / flits) * max(
            float(channels.max(initial=0)) * link,
            float(wires.max(initial=0)) * flits,
            float(ends.max(initial=0)) * max(ejection / ports, flits),
            self._busiest_sender * max(injection / ports, flits),
        )

    def run(
        self,
        load: float,
        flits: int | Mapping[int, float] = 20,
        cycles: int = 100_000,
        seed: int = 1,
        warm_up: int | Literal["mser-5"] = -1,
        most_cycles: int = 0,
        burst: float = 1,
        source: str | Source = "poisson",
    ) -> SimulationResult:
        """Simulate at a load; arguments and errors as for `simulate`."""
        lengths, origin = lengths_of(flits), Source.of(source)
        if not (_is_real(burst) and 1 <= burst <= _MOST_BURST):
            raise InputError("burst", f"must be in 1..{_MOST_BURST}, messages on average", burst)
        if burst > 1 and origin.kind != "poisson":
            raise InputError("burst", "must be 1 unless the source is poisson", burst)
        while True:
            result = self._run_once(load, lengths, cycles, seed, warm_up, float(burst), origin)
            cycles = 2 * result.cycles
            most = checked_integer("most_cycles", most_cycles)
            if result.settled or result.saturated or cycles > most:
                return result

    def _run_once(
        self,
        load: float,
        lengths: Lengths,
        cycles: int,
        seed: int,
        warm_up: int | Literal["mser-5"],
        burst: float,
        source: Source,
    ) -> SimulationResult:
        cycles = _positive("cycles", cycles, MAX_CYCLES)
        if (seed := checked_integer("seed", seed)) < 0:
            raise InputError("seed", "must not be negative", seed)
        start = _checked_warm_up(warm_up, cycles)
        sent, mean = self.sent, lengths.mean
        expected = sent.senders * float(load) / mean * cycles if _is_real(load) else 0
        if expected > MAX_MESSAGES:
            rule = f"must generate at most {MAX_MESSAGES} messages at this load"
            raise InputError("cycles", rule, round(expected))
        ready, indices = arrivals(sent, load, mean, cycles, seed, burst, source)
        flits = lengths.drawn(len(ready), seed)
        messages = messages_of(self.table, sent, ready, indices, flits, seed)
        slowest = self._delayed(int(self.link_delays.max(initial=0)))
        alone = slowest.unblocked(max(lengths.flits), self._wired.longest)
        drained = 2 * cycles + alone * int(self._wired.period.max(initial=1))
        outcome = self.execute(messages, drained, seed)
        if warm_up == "mser-5":
            start = _mser_start(messages, outcome, cycles)
        origin = (lengths, burst, source)
        return _measure(self, messages, outcome, float(load), origin, cycles, start, seed)


def _routes(
    function: RoutingFunction, fabric: Fabric, sent: Pattern
) -> RoutingTable | ComputedRoutes:
    """The routing table of all pairs that send, or routes that are computed.

    Raises:
        SizeLimitError: pairs that are not listed, or too large a table, for another function.
    """
    function.check(fabric)
    known = is_computed(function, fabric)
    if sent.spread is not None:
        if not known:
            rule = (
                "must be e-cube or dimension-order on a cube, mesh or torus where destinations are "
                f"drawn, for more than {MAX_NODES} nodes"
            )
            raise SizeLimitError("routing", rule, function.name)
        return ComputedRoutes(fabric, function)
    try:
        return routing_table(function, fabric, sent.pairs)
    except SizeLimitError:
        if not known:
            raise
        return ComputedRoutes(fabric, function)


def _share_of_pairs(sent: Pattern) -> npt.NDArray[np.float64]:
    """Messages of every pair for one message of every sender, on average."""
    _, stream = np.unique(sent.streams, return_inverse=True)
    volume = np.ones(len(sent.pairs)) if sent.volumes is None else sent.volumes
    share: npt.NDArray[np.float64] = volume / np.bincount(stream, volume)[stream]
    return share if sent.rates is None else share * sent.rates[stream]


def _spread_shares(
    table: ComputedRoutes, sent: Pattern, spread: Spread
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Messages on every channel and to every node for one of every sender, pairs not listed.

    All pairs alike, and two corrections of one line each: what all send to the hot node, and what
    that itself sends.
    """
    size, form = spread.ranks, table.form
    totals, rates = spread.totals(), np.zeros(spread.ranks)
    rates[sent.streams] = 1.0 if sent.rates is None else sent.rates
    each = rates / np.maximum(totals, 1)  # messages per unit of volume
    cold = 0 if spread.node != 0 else min(1, size - 1)  # any node but the hot one
    base = spread.base * each[cold]
    channels = table.all_to_all(base)
    place = np.arange(size) if sent.placed is None else sent.placed
    exits = np.full(size, base * (size - 1))
    if spread.node >= 0:
        hot = place[spread.node]
        everyone = np.arange(size)
        toward = np.stack([everyone, np.full(size, hot)], axis=1)
        add_routes(form, table.start_of(toward), np.full(size, spread.extra * each[cold]), channels)
        away = spread.base * each[spread.node] - base
        add_routes(form, table.start_of(toward[:, ::-1]), np.full(size, away), channels)
        exits += away
        exits[hot] += (size - 1) * spread.extra * each[cold] - away
    return channels, exits


def lengths_of(flits: Any) -> Lengths:
    """Of an integer, or of a dictionary from lengths to how often each occurs."""
    if not isinstance(flits, Mapping):
        return Lengths((_positive("flits", flits, MAX_FLITS),), (1.0,))
    shares = {_positive("flits", each, MAX_FLITS): share for each, share in flits.items()}
    if not shares or not all(_is_real(s) and 0 < s < float("inf") for s in shares.values()):
        raise InputError("flits", "must be lengths, and how often each occurs, above 0", flits)
    total = float(sum(shares.values()))
    return Lengths(tuple(shares), tuple(float(share) / total for share in shares.values()))


def _has_gaps(fabric: Fabric, timing: Timing, delays: Ints) -> bool:
    """Whether flits pause for another reason than the worms before them or beside them."""
    return timing.pace != Pace() or bool((fabric.period > 1).any() or delays.any())


def _check_memory(fabric: Fabric, timing: Timing) -> None:
    """Refuse buffers and latencies for which the flit engine would need too much memory.

    A slot of a buffer has three numbers; a set of events, one for each of the cycles ahead, has a
    bit for each channel.
    """
    channels = fabric.channels + 2 * fabric.network.size * timing.ends
    ahead = timing.router + 2 * (timing.link + timing.credit + timing.injection + timing.ejection)
    size = channels * (24 * timing.depth + ahead // 4)
    if size > MAX_BYTES:
        rule = (
            f"with latencies and ports must fit {MAX_BYTES >> 30} GB: {channels} channels need "
            f"{size / 2**30:.0f} GB"
        )
        raise SizeLimitError("depth", rule, timing.depth)


def _checked_rounds(service: Any, rounds: Any) -> int:
    """The rounds of offers in a cycle, 0 where channels are granted by arrival."""
    checked_word("service", service, SERVICES)
    if (number := checked_integer("service_rounds", rounds)) < 1:
        raise InputError("service_rounds", "must be at least 1", rounds)
    if service == "turns":
        return number
    if number > 1:
        raise InputError("service_rounds", 'must be 1 unless service="turns"', rounds)
    return 0


def _checked_delays(link_delays: Any, fabric: Fabric) -> Ints:
    """The cycles that every link takes beyond the latencies of all; empty if none does."""
    if link_delays is None:
        return np.zeros(0, np.int64)
    rule = f"must be {fabric.links} integers in 0..4096, one for every link"
    delays = checked_array("link_delays", link_delays, rule)
    if delays.shape != (fabric.links,) or ((delays < 0) | (delays > _MOST_DELAY)).any():
        raise InputError("link_delays", rule, link_delays)
    return read_only(delays.copy()) if delays.any() else np.zeros(0, np.int64)


def _checked_warm_up(warm_up: Any, cycles: int) -> int:
    """The cycles that are not measured; those of a rule are known after the run."""
    if warm_up == "mser-5" or (isinstance(warm_up, int) and warm_up == -1):
        return cycles // 10
    if isinstance(warm_up, str):
        raise InputError("warm_up", 'must be a number of cycles, or "mser-5"', warm_up)
    if not 0 <= (start := checked_integer("warm_up", warm_up)) < cycles:
        raise InputError("warm_up", f"must be in 0..{cycles - 1}, below cycles", start)
    return start


def _mser_start(messages: Messages, outcome: Outcome, cycles: int) -> int:
    """The cycle before the first message that counts, by MSER-5 on the latencies in order."""
    arrived = outcome.delivered < NEVER
    latencies = (outcome.delivered - messages.ready)[arrived].astype(np.float64)
    ready = messages.ready[arrived]
    left_out = mser_5(latencies)
    return min(int(ready[left_out]) - 1, cycles // 2) if left_out else 0


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.number))


def _positive(argument: str, value: Any, most: int) -> int:
    number = checked_integer(argument, value, least=1)
    if number > most:
        raise InputError(argument, f"must be at most {most}", number)
    return number


def _measure(
    simulation: Simulation,
    messages: Messages,
    outcome: Outcome,
    load: float,
    origin: tuple[Lengths, float, Source],
    cycles: int,
    warm_up: int,
    seed: int,
) -> SimulationResult:
    lengths, burst, source = origin
    flits = lengths.mean
    uneven = max(1.0, source.dispersion(min(1.0, load / flits)))
    service = lengths.service * (2 * burst - 1) * uneven  # of messages that come together
    sent, table, window = simulation.sent, simulation.table, cycles - warm_up
    measured = messages.ready > warm_up
    arrived = outcome.delivered < NEVER
    ready = messages.ready[timed := measured & arrived]
    latencies = (outcome.delivered[timed] - ready).astype(np.float64)
    waits = (outcome.injected[timed] - ready - 1).astype(np.float64)
    scale = float(waits.mean()) + service if len(waits) else 1.0
    use = simulation.use(load, flits)
    gap: Any = flits / load * (service / (flits + 1))
    if sent.rates is not None:  # some send more often
        often = np.bincount(messages.source[timed])
        gap = window / often[often > 0] * (service / (flits + 1))
    slowest = _slowest(simulation, messages.source[timed], waits, gap)
    limit = SETTLED * max(slowest, relaxation(use, service)) / window
    at = ready - warm_up - 1
    latency, interval, independent = waiting_mean(latencies, at, window, scale, limit)
    settled = independent and limit <= 1
    marks = warm_up + np.arange(4 * BATCHES + 1) * window // (4 * BATCHES)
    waiting = backlog(messages.ready, outcome.injected, marks)
    ring = waiting_ring(table, messages, outcome)
    bounded = use <= 1 and not grows(waiting[::4])
    saturated = not (bounded and bool(arrived[measured].all()))
    if saturated:
        latency, interval = float("inf"), Interval(latency, float("inf"))
    edges = warm_up + np.arange(BATCHES + 1) * window // BATCHES
    throughput, spread = _rate(outcome.delivered, messages.flits, edges, sent.senders)
    accepted, taken = _rate(outcome.injected, messages.flits, edges, sent.senders)
    offered = float(messages.flits[measured].sum())
    V = table.fabric.virtual_channels
    carried = outcome.use[: table.fabric.channels].reshape(table.fabric.links, V).sum(axis=1)
    return SimulationResult(
        table.fabric.network,
        table.routing.name,
        load,
        flits,
        cycles,
        warm_up,
        seed,
        simulation.timing.tie,
        sent.senders,
        int(measured.sum()),
        offered / window / sent.senders,
        throughput,
        spread,
        accepted,
        taken,
        latency,
        interval,
        float(waiting.mean()),
        saturated,
        tuple(table.fabric.name(channel) for _, channel in ring),
        carried * flits / cycles,
        outcome.ready,
        outcome.injected,
        outcome.delivered,
        messages.source,
        messages.destination,
        table.fabric,
        sent.name,
        bool(settled and not saturated),
        simulation.hardware | _unusual(lengths, burst, source, sent),
        sent.problem,
        sent.is_mapped,
    )


def _rate(when: Ints, flits: Ints, edges: Ints, senders: int) -> tuple[float, Interval]:
    """Flits per cycle and sender of the messages to which something happened, batch by batch."""
    counts = np.diff(counts_until(when, edges)) * int(flits[0]) if len(flits) else np.zeros(BATCHES)
    if len(flits) and (flits != flits[0]).any():
        counts = np.diff([flits[when <= edge].sum() for edge in edges.tolist()])
    rates = counts / np.maximum(np.diff(edges), 1)
    return batch_mean(rates / senders, np.arange(BATCHES), BATCHES)


def _unusual(
    lengths: Lengths, burst: float, source: Source, sent: Pattern
) -> dict[str, int | float | str]:
    """Bursts, sources and rates that are not the usual ones, and lengths if there are several."""
    stated: dict[str, int | float | str] = {"burst": burst} if burst > 1 else {}
    if source.kind != "poisson":
        stated["arrivals"] = source.word
    if sent.rates is not None:
        stated["rates"] = "volume"
    if len(lengths.flits) > 1:
        parts = zip(lengths.flits, lengths.shares, strict=True)
        stated["lengths"] = ", ".join(f"{flits}: {share:g}" for flits, share in parts)
    return stated


def _slowest(
    simulation: Simulation, source: Ints, waits: npt.NDArray[np.float64], gap: Any
) -> float:
    """The longest relaxation that the mean waits at the sources imply."""
    if not len(waits):
        return 0.0
    count = np.bincount(source)
    mean = np.bincount(source, waits)[count > 0] / count[count > 0]
    streams = (
        1.0 if np.ndim(gap) else simulation.sent.senders / len(mean)
    )  # several streams of a mapping may share a node
    return float(implied_relaxation(mean, gap / streams).max())


@typed_arguments
def simulate(
    communication: Any,
    network: Network | str,
    routing: str | RoutingFunction = "e-cube",
    load: float = 0.05,
    flits: int | Mapping[int, float] = 20,
    cycles: int = 100_000,
    seed: int = 1,
    mapping: Placement | Sequence[int] | None = None,
    *,
    warm_up: int | Literal["mser-5"] = -1,
    most_cycles: int = 0,
    tie: TieRule = "lowest-input",
    engine: Engine = "auto",
    depth: int = 1,
    router_latency: int = 0,
    link_latency: int = 0,
    virtual_channels: int | None = None,
    own_wires: bool = False,
    credit_latency: int = 0,
    tail_credit: bool = True,
    end_channels: int = 1,
    injection_latency: int = 0,
    ejection_latency: int = 0,
    service: Service = "arrival",
    service_rounds: int = 1,
    burst: float = 1,
    source: str | Source = "poisson",
    rates: Rates = "equal",
) -> SimulationResult:
    """Send messages of a communication at a load, and measure.

    Args:
        communication: an LCC, a `Traffic`, (source, destination) pairs, or anything else that
            describes one phase (`Traffic.of`). A source with several destinations picks one at
            random for every message.
        network: any. With unequal bandwidths a cycle is the largest time of which all links'
            times for a flit are multiples (`Fabric.period`).
        routing: a name (`lccmodel.routing.routings`), or a routing function of one's own.
        load: flits generated per cycle and sending processor, in (0, 1].
        flits: length of a message, its header included; at most 2^24. Or a dictionary from lengths
            to how often each occurs, {4: 3, 64: 1}: each message draws its own.
        cycles: for how long messages are generated, at most 2^30; the network then has as long
            again to drain, and the time of one message.
        seed: of the arrivals and of random ties; the same seed gives the same result.
        mapping: a `Placement`, or the order of a reordering.
        warm_up: cycles at the start that are not measured; a tenth if left out. "mser-5" leaves
            out what that rule says, at most half.
        most_cycles: while the latency has not settled, the run is done again, twice as long, up to
            so many cycles.
        tie: who goes first among headers that arrive together, see `Timing`.
        engine: "message" (fast), "flit" (the oracle; needed for links of unequal bandwidth,
            deeper buffers, latencies and service in turns), or "auto".
        depth, router_latency, link_latency: flits in the buffer of a channel, and cycles; see
            `Timing`.
        virtual_channels: on every link, a multiple of what the routing function asks for, which it
            is if left out: 2 on tori, else 1.
        own_wires: whether every virtual channel has a wire of its own, or all of a link share one.
        credit_latency: cycles until the sender knows that a flit has left a buffer.
        tail_credit: whether a channel is granted again only when the credit of the tail has come.
        end_channels: channels of every injection and ejection port; they share its wire.
        injection_latency, ejection_latency: cycles, of the wires of these ports.
        service: "arrival": a free channel is granted to the header that came first; "turns": to
            the next input in turn, as in BookSim's iSLIP. See `timing`.
        service_rounds: rounds of offers per cycle, with "turns".
        burst: messages that a processor generates at once, on average; their number is geometric.
        source: "poisson", "bernoulli" or "on-off:ALPHA,BETA", or a `Source`.
        rates: "equal", or "volume": every sender generates in proportion to the volume that it
            sends, and `load` is the mean.

    Raises:
        InputError: a load outside (0, 1], no flits, a warm-up as long as the run, ...
        RoutingError: an unknown or unfit routing function, or one that returns a wrong channel.
        CommunicationError, NetworkError: messages that do not fit the network.

    >>> from lccmodel.communication.catalog import bit_reverse
    >>> from lccmodel.network import Hypercube
    >>> simulate(bit_reverse(4), Hypercube(4), load=0.3, cycles=2000).saturated
    False
    """
    prepared = Simulation.of(
        communication,
        network,
        routing,
        mapping,
        tie,
        engine,
        depth=depth,
        router_latency=router_latency,
        link_latency=link_latency,
        virtual_channels=virtual_channels,
        own_wires=own_wires,
        credit_latency=credit_latency,
        tail_credit=tail_credit,
        end_channels=end_channels,
        injection_latency=injection_latency,
        ejection_latency=ejection_latency,
        service=service,
        service_rounds=service_rounds,
        rates=rates,
    )
    return prepared.run(load, flits, cycles, seed, warm_up, most_cycles, burst, source)
