"""Random messages for the engines, and a plain engine in Python that follows the convention."""

from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

import numpy as np

from lccmodel.network import Network, as_network
from lccmodel.routing import (
    Adaptive,
    Fabric,
    MessageRouting,
    RoutingFunction,
    RoutingTable,
    routing_table,
    routings,
    widened,
)
from lccmodel.wormhole.flit_engine import run_flits, watch_flits
from lccmodel.wormhole.message_engine import run_messages
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Pace, empty_outcome, wiring

NETWORKS = (
    "cube:1", "cube:3", "cube:4", "cube:6", "origin:1", "origin:4", "mesh:4x4", "mesh:8x1x2",
    "torus:4x4", "torus:8", "torus:3x5x2", "torus:64x8", "torus:200",
)  # fmt: skip


def any_routing(draw: np.random.Generator, network: Network, most: int = 3) -> RoutingFunction:
    """A routing of a network, on one to `most` times the virtual channels that it needs."""
    known = routings(network)
    if network.size > 64:  # several ways of every message over all routers make a large table
        large = (Adaptive, MessageRouting)
        known = tuple(function for function in known if not isinstance(function, large))
    routing = known[draw.integers(len(known))]
    return widened(routing, routing.virtual_channels * int(draw.integers(1, most + 1)))


def random_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """(table, messages, tie rule, last cycle): of any length, some waiting for others.

    Paths have up to 102 channels. Virtual channels share wires if the seed is odd.
    """
    draw = np.random.default_rng(seed)
    network = as_network(NETWORKS[draw.integers(len(NETWORKS))])
    routing = any_routing(draw, network, 3 if seed % 2 else 1)
    count = int(draw.integers(1, 150))
    source = draw.integers(0, network.size, count)
    away = draw.integers(1, network.size, count if draw.random() < 0.7 else 1)
    lengths = draw.integers(1, int(draw.integers(1, 150)) + 1, count)
    return drawn_run(draw, network, routing, source, (source + away) % network.size, lengths)


EVERY_KIND = (
    "cube:1", "cube:3", "origin:1", "origin:3", "mesh:2", "mesh:5", "mesh:1x3", "mesh:3x2*2",
    "mesh:4x2,bandwidth=2:1", "mesh:3x3,bandwidth=2:3", "mesh:70", "torus:3",
    "torus:7,bandwidth=3", "torus:2x3,bandwidth=3:2", "torus:4x4", "torus:3x1x2*3", "torus:130",
    "fattree:2^2", "fattree:2x3/2", "dragonfly:1,2,1",
)  # fmt: skip


def any_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """As `random_run` on every kind of network, also few messages, none, and to one's own node."""
    draw = np.random.default_rng(seed)
    network = as_network(EVERY_KIND[seed % len(EVERY_KIND)])
    routing = any_routing(draw, network)
    count = int(draw.integers(0, 30))
    source, destination = draw.integers(0, network.size, (2, count))
    if draw.random() < 0.4:  # all as far: on a ring they meet
        destination = (source + destination[:1]) % network.size
    lengths = draw.integers(1, int(draw.choice([2, 6, 20, 140])), count)
    return drawn_run(draw, network, routing, source, destination, lengths)


CROWDED = ("torus:12", "torus:9", "torus:17", "mesh:9", "cube:3", "torus:6x2*2", "cube:1", "mesh:3")


def crowded_run(seed: int) -> tuple[RoutingTable, Messages, int, int]:
    """As `any_run`: several virtual channels on every link, and worms that meet there."""
    draw = np.random.default_rng(seed)
    network = as_network(CROWDED[seed % len(CROWDED)])
    routing = draw.choice(np.array(routings(network), dtype=object))
    routing = widened(routing, routing.virtual_channels * int(draw.integers(2, 4)))
    count = int(draw.integers(4, 20 if network.size > 3 else 60))
    source = draw.integers(0, network.size, count)
    away = draw.integers(1, network.size, count if draw.random() < 0.4 else 1)
    lengths = draw.integers(1, int(draw.choice([3, 8, 16])), count)
    table, messages, tie, last = drawn_run(
        draw, network, routing, source, (source + away) % network.size, lengths
    )
    last = last if last == NEVER else 1 + last % 60
    return table, messages._replace(ready=messages.ready // 8), tie, last


def drawn_run(
    draw: np.random.Generator,
    network: Network,
    routing: RoutingFunction,
    source: np.ndarray,
    destination: np.ndarray,
    flits: np.ndarray,
) -> tuple[RoutingTable, Messages, int, int]:
    """When the messages between these nodes are generated, and what they wait for."""
    count = len(source)
    pairs = np.stack([source, destination], axis=1)
    table = routing_table(routing, Fabric(network, routing.virtual_channels), pairs)
    ready = np.sort(draw.integers(0, int(draw.integers(1, 300)), count))
    waits_for, after_first, after = chained(draw, count)
    messages = Messages(
        source, destination, table.start, flits, ready, waits_for, after_first, after,
        np.sort(draw.integers(0, 20, count)), np.flatnonzero(waits_for == 0),
    )  # fmt: skip
    if table.ways is not None:
        start, then = table.ways.drawn(np.arange(count), draw)
        messages = messages._replace(start=start, then=then)
    last = NEVER if draw.random() < 0.6 else int(draw.integers(1, 300))
    return table, messages, int(draw.integers(4)), last


def chained(draw: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In half of the runs some messages wait for earlier ones."""
    waits_for = np.zeros(count, dtype=np.int64)
    after_first, after = np.zeros(count + 1, dtype=np.int64), list[int]()
    often = 0.3 if draw.random() < 0.5 else 0.0
    for m in range(count):
        if m + 1 < count and draw.random() < often:
            after.append(int(draw.integers(m + 1, count)))
            waits_for[after[-1]] += 1
        after_first[m + 1] = len(after)
    return waits_for, after_first, np.array(after, dtype=np.int64)


def mixed(seed: int, message: int, cycle: int) -> int:
    """SplitMix64 of seed, number and cycle, in 63 bits."""
    word = (seed * 0x9E3779B97F4A7C15 + message) % 2**64
    word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9 + cycle) % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return (word ^ word >> 31) >> 1


def after(last: int, numbers: Iterable[int]) -> int:
    """The next of some numbers in turn after the last one, the smallest after the largest."""
    return min(numbers, key=lambda number: (number <= last, number))


class Plain:
    """The convention of [timing] in lists: the flits of every buffer with the cycle each is seen.

    Nothing is shared with the engines but the routing table and what an outcome is. The virtual
    channels of a link take turns on its wire, or have wires of their own. A credit is a cycle in a
    list of the channel: the cycle in which the flit before it left, and whose flit that was.
    `served`, `took` and `had`: to which input a channel, and which channel an input and a wire were
    given last.
    """

    def __init__(
        self,
        table: RoutingTable,
        messages: Messages,
        pace: Pace = Pace(),  # noqa: B008 - a frozen tuple
        tie: int = 0,
        seed: int = 0,
        own_wires: bool = False,
        link_delays: Sequence[int] = (),
    ) -> None:
        self.table, self.messages, self.pace, self.tie, self.seed = table, messages, pace, tie, seed
        nodes, count, share = (
            table.fabric.network.size, len(messages.source), table.fabric.virtual_channels,
        )  # fmt: skip
        self.entry = table.fabric.channels
        self.exit = table.fabric.channels + nodes * pace.ends
        channels = self.exit + nodes * pace.ends
        delays = np.repeat(np.array(link_delays, np.int64), share).tolist()
        self.delay = delays + [0] * (channels - len(delays))
        self.share = 1 if own_wires else share
        self.period = np.repeat(table.fabric.period, share).tolist()
        self.buffer: list[list[tuple[int, int, int]]] = [[] for _ in range(channels)]
        self.credits: list[list[tuple[int, int]]] = [[(-9, -9)] * pace.depth for _ in self.buffer]
        self.owner, self.served, self.took = (dict[int, int]() for _ in range(3))
        self.latest, self.had, self.busy_until = (dict[tuple[str, int], int]() for _ in range(3))
        self.taken_until, self.use = [0] * channels, [0] * channels
        self.path: list[list[int]] = [[] for _ in range(count)]
        self.left = [0] * count  # places of the path that the tail has left
        self.state, self.then = messages.start.tolist(), messages.then.tolist() or [-1] * count
        self.unsent = [list(range(int(length))) for length in messages.flits]
        self.ready, self.open = messages.ready.tolist(), messages.waits_for.tolist()
        self.queue: list[list[int]] = [[] for _ in range(nodes)]
        self.sending, self.alive = [-1] * nodes, list[int]()
        self.generated, self.injected, self.delivered = ([NEVER] * count for _ in range(3))
        self.history: list[dict[int, tuple[int, int]]] = []

    def run(self, last: int = NEVER) -> "Plain":
        """To the end of a cycle, or until nothing has moved for long and nothing can come."""
        slow = (
            3 + sum(self.pace[1:]) + 2 * max(self.delay) + self.share * max(self.period, default=1)
        )
        cycle = still = 0
        while cycle < last and still <= 4 * slow:
            cycle += 1
            moved = self._step(cycle)
            coming = any(
                not self.open[m] and when == NEVER for m, when in enumerate(self.generated)
            )
            still = 0 if moved or coming else still + 1
            self.history.append({c: held[0][:2] for c, held in enumerate(self.buffer) if held})
        self.delivered = [when if when <= cycle else NEVER for when in self.delivered]
        return self

    def outcome(self) -> Outcome:
        """As the engines say it."""
        waiting, behind, within = ([-1] * len(self.path) for _ in range(3))
        for m in self.alive:
            at = self._header(m)
            here = self.buffer[self.path[m][at]] if at >= 0 else []
            if here and here[0][:2] == (m, 0):
                if at == len(self.path[m]) - 1 and self.path[m][at] < self.exit:
                    waiting[m] = self.state[m]
                elif at < len(self.path[m]) - 1:
                    there = self.buffer[self.path[m][at + 1]]
                    if len(there) == self.pace.depth:
                        behind[m], within[m] = there[0][0], self.path[m][at + 1]
            elif here:
                behind[m], within[m] = here[0][0], self.path[m][at]
        owner = [-1] * len(self.buffer)
        for channel, m in self.owner.items():
            owner[channel] = m if self.path[m][-1] < self.exit else -1
        parts = (
            self.generated, self.injected, self.delivered, self.use, owner, waiting, behind, within,
        )  # fmt: skip
        return Outcome(*(np.array(part, np.int64) for part in parts))

    def _header(self, m: int) -> int:
        """The place of the path in whose buffer the header is, -1 if in none."""
        for at, channel in enumerate(self.path[m]):
            if any(flit[:2] == (m, 0) for flit in self.buffer[channel]):
                return at
        return -1

    def _step(self, cycle: int) -> bool:
        for m in range(len(self.path)):
            if not self.open[m] and self.ready[m] < cycle and self.generated[m] == NEVER:
                self.generated[m] = self.ready[m]
                self.queue[self.messages.source[m]].append(m)
        for node, queue in enumerate(self.queue):
            if not queue or (self.sending[node] >= 0 and self.unsent[self.sending[node]]):
                continue
            first = self.entry + node * self.pace.ends
            free = self._free(range(first, first + self.pace.ends), ("in", node), cycle)
            if free and self._has_room(free[0], queue[0], cycle):
                self.injected[queue[0]] = cycle
                self.alive.append(queue[0])
                self.sending[node] = queue[0]
                self.latest["in", node] = free[0]
                self._give(queue.pop(0), free[0])
        self._grant(cycle)
        going = self._going(cycle)
        chosen = self._turns(going, cycle)
        return sum(self._move(m, going, chosen, cycle) for m in list(self.alive)) > 0

    def _free(self, channels: Sequence[int], port: tuple[str, int], cycle: int) -> list[int]:
        """Those that may be granted: in order; in turn by number, also if tails do not count."""
        free = [c for c in channels if c not in self.owner and self.taken_until[c] < cycle]
        if self.pace.rounds or not self.pace.waits_for_tail:
            free.sort(key=lambda c: (c <= self.latest.get(port, -1), c))
        return free

    def _has_room(self, channel: int, m: int, cycle: int) -> bool:
        """Whether a credit is there for a flit of a message."""
        if not self.credits[channel]:
            return False
        since, whose = self.credits[channel][0]
        return since + (self._credit(channel) or int(whose != m)) <= cycle

    def _credit(self, channel: int) -> int:
        return self.pace.credit + self.delay[channel]

    def _give(self, m: int, channel: int) -> None:
        self.owner[channel] = m
        self.path[m].append(channel)
        self.use[channel] += 1

    def _grant(self, cycle: int) -> None:
        """Headers by the cycle in which they could be seen, by the tie rule, by number."""
        asking = []
        for m in self.alive:
            channel, here = self.path[m][-1], self.buffer[self.path[m][-1]]
            if channel < self.exit and here and here[0][:2] == (m, 0):
                seen = here[0][2]
                key = (channel, -channel, m, mixed(self.seed, m, seen))[self.tie]
                if seen + self.pace.router < cycle:
                    asking.append((seen, key, m))
        if self.pace.rounds:
            self._grant_in_turn([m for *_, m in asking], cycle)
            return
        for _, _, m in sorted(asking):
            for wire, same in groupby(self._options(m), key=lambda option: self._wire(option[0])):
                leads = dict(same)
                if free := self._free(list(leads), wire, cycle):
                    self.latest[wire] = free[0]
                    self._take(m, free[0], leads[free[0]])
                    break

    def _grant_in_turn(self, asking: list[int], cycle: int) -> None:
        """Rounds of offers between inputs, the channels in which headers are, and channels."""
        for number in range(self.pace.rounds):
            wishes = {
                self.path[m][-1]: {
                    c for c, _ in self._options(m) if self._free([c], ("", 0), cycle)
                }
                for m in asking
            }
            offers: dict[int, set[int]] = {at: set() for at in wishes}
            for channel in set().union(*wishes.values()):
                inputs = [at for at, wanted in wishes.items() if channel in wanted]
                offers[after(self.served.get(channel, -1), inputs)].add(channel)
            for m in list(asking):
                at = self.path[m][-1]
                offered = [(c, then) for c, then in self._options(m) if c in offers[at]]
                if offered:
                    wire = self._wire(offered[0][0])
                    leads = {c: then for c, then in offered[::-1] if self._wire(c) == wire}
                    channel = after(self.took.get(at, -1), leads)
                    if number == 0:
                        self.served[channel], self.took[at] = at, channel
                    self._take(m, channel, leads[channel])
                    asking.remove(m)

    def _options(self, m: int) -> list[tuple[int, int]]:
        """Channels that a header may take, and the state that follows each."""
        first = self.exit + int(self.messages.destination[m]) * self.pace.ends
        ejection = [(first + k, -1) for k in range(self.pace.ends)]
        return self.table.options(self.state[m]) or ejection

    def _take(self, m: int, channel: int, state: int) -> None:
        """A header is granted a channel."""
        self._give(m, channel)
        self.state[m] = state
        if self.then[m] >= 0 and not self.table.options(state):
            self.state[m], self.then[m] = self.then[m], -1

    def _going(self, cycle: int) -> dict[int, int]:
        """Channels whose foremost flit could go on, if it had the wire, and its message."""
        going: dict[int, int] = {}
        for m in self.alive:
            own = self.path[m][self.left[m] :]
            for channel, following in zip(own[::-1], [-1, *own[:0:-1]], strict=True):
                here = self.buffer[channel]
                if not here or here[0][0] != m or here[0][2] >= cycle:
                    continue
                if channel >= self.exit:
                    going[channel] = m
                elif following >= 0:
                    vacated = following in going and not self.credits[following]
                    room = self._has_room(following, m, cycle) or (
                        vacated
                        and not self._credit(following)
                        and self.buffer[following][0][0] == m
                    )
                    if room and self.busy_until.get(self._wire(following), 0) <= cycle:
                        going[channel] = m
        return going

    def _wire(self, channel: int) -> tuple[str, int]:
        if channel >= self.exit:
            return "out", (channel - self.exit) // self.pace.ends
        return "link", channel // self.share

    def _turns(self, going: dict[int, int], cycle: int) -> dict[tuple[str, int], int]:
        """The channel that every wire is given to."""
        wanted: dict[tuple[str, int], set[int]] = {}
        for m in self.alive:
            for channel, following in pairwise(self.path[m][self.left[m] :]):
                if going.get(channel) == m:
                    wanted.setdefault(self._wire(following), set()).add(following)
        chosen = {}
        for wire, channels in wanted.items():
            links = wire[0] == "link"
            turn = cycle // (self.period[min(channels)] if links else 1)
            first, share = (0, self.share) if links else (self.exit, self.pace.ends)
            chosen[wire] = min(channels, key=lambda c, f=first, t=turn, s=share: (c - f - t) % s)
            if self.pace.rounds:
                self.had[wire] = chosen[wire] = after(self.had.get(wire, -1), channels)
        return chosen

    def _move(
        self, m: int, going: dict[int, int], chosen: dict[tuple[str, int], int], cycle: int
    ) -> bool:
        """All flits of a worm, the foremost first."""
        last, moved, pace = int(self.messages.flits[m]) - 1, False, self.pace
        for place in reversed(range(self.left[m], len(self.path[m]))):
            channel = self.path[m][place]
            if going.get(channel) != m:
                continue
            flit = self.buffer[channel][0][1]
            if channel < self.exit:
                following = self.path[m][place + 1]
                wire = self._wire(following)
                if not self._has_room(following, m, cycle) or chosen[wire] != following:
                    continue
                links = following < self.entry
                self.busy_until[wire] = cycle + (self.period[following] if links else 1)
                latency = pace.link + self.delay[following] if links else pace.ejection
                self._enter(m, flit, following, cycle + latency)
                if flit == last:
                    self._sent(following, cycle + 1)
                if flit == last and not links:
                    self._deliver(m, cycle + pace.ejection)
            self.buffer[channel].pop(0)
            self.credits[channel].append((cycle, m))
            if self.buffer[channel] and flit == last:  # the next header is looked at from now on
                other, number, seen = self.buffer[channel][0]
                self.buffer[channel][0] = (other, number, max(seen, cycle))
            moved = True
            if flit == last:
                self.left[m] = place + 1
                if pace.waits_for_tail:
                    del self.owner[channel]
                    enters = self.entry <= channel < self.exit
                    gap = max(pace.credit, 1) - 1 if enters else self._credit(channel)
                    self.taken_until[channel] = cycle + gap
                if channel >= self.exit:
                    self.alive.remove(m)
        entry = self.path[m][0]
        if self.unsent[m] and self._has_room(entry, m, cycle):
            self._enter(m, self.unsent[m].pop(0), entry, cycle + pace.injection)
            if not self.unsent[m]:
                self._sent(entry, cycle)
            moved = True
        return moved

    def _enter(self, m: int, flit: int, channel: int, seen: int) -> None:
        self.credits[channel].pop(0)
        self.buffer[channel].append((m, flit, seen))

    def _sent(self, channel: int, until: int) -> None:
        """The tail is on its way into a channel."""
        if not self.pace.waits_for_tail:
            del self.owner[channel]
            self.taken_until[channel] = until

    def _deliver(self, m: int, cycle: int) -> None:
        messages = self.messages
        self.delivered[m] = cycle
        for after in messages.after[messages.after_first[m] : messages.after_first[m + 1]].tolist():
            begun = cycle + int(messages.delay[after] - messages.delay[m])
            self.ready[after] = max(self.ready[after], begun)
            self.open[after] -= 1


def assert_same(outcome: Outcome, expected: Outcome, case: object) -> None:
    for name in Outcome._fields:
        assert np.array_equal(getattr(outcome, name), getattr(expected, name)), (case, name)


def check_engines(
    table: RoutingTable,
    messages: Messages,
    pace: Pace,
    tie: int,
    seed: int,
    own_wires: bool,
    delays: np.ndarray,
    last: int,
) -> None:
    """All that becomes of the messages, and every buffer in every cycle, as in the plain engine."""
    wired, count = wiring(table, own_wires, pace.ends, delays), len(messages.source)
    plain = Plain(table, messages, pace, tie, seed, own_wires, delays.tolist()).run(last)
    expected, outcome = plain.outcome(), empty_outcome(count, wired)
    run_flits(wired, messages, outcome, last, tie, seed, pace)
    assert_same(outcome, expected, seed)
    if pace == Pace() and (wired.period <= 1).all() and not delays.any():
        outcome = empty_outcome(count, wired)
        run_messages(wired, messages, outcome, last, tie, seed)
        assert_same(outcome, expected, seed)
    cycles, channels = min(len(plain.history), 400), np.flatnonzero(expected.use)[::-1]
    again = empty_outcome(count, wired)
    shown = watch_flits(wired, messages, again, channels, cycles, tie, seed, pace)
    for cycle, holding in enumerate(plain.history[:cycles]):
        buffers = [holding.get(channel, (-1, -1)) for channel in channels.tolist()]
        assert list(zip(*(part[cycle].tolist() for part in shown), strict=True)) == buffers, seed
