"""What the flit engine keeps: what is in every buffer, who waits where, and what to look at when.

The invariant: whatever may happen in a cycle has its place - channel, source or router - in the set
of `events` of that cycle. A place that is in no set waits for something that will put it there: a
channel is granted or is free again, a flit leaves a full buffer, a message or a header arrives.

A buffer is a ring of slots, one for each flit that it holds. A slot may be entered when the flit
that was there before is gone and its credit has come. Flits of one message follow each other, so
the number of the foremost one says all; only the foremost message of a buffer has a next channel.

Arrays have a row for each channel, slot, wire, source or message, whose columns have names.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.wormhole.plan import NEVER, Messages, Pace, Wiring

# Of a channel: the number of its foremost flit; how many it holds, from which slot on; the message
# that it is granted to; when it may be granted; the channel that follows for the foremost message;
# the place from which flits come; its wire; cycles of latency of the wire, and of a credit. If
# channels are given in turn: the channel whose header it was given to last; the one whose header it
# is offered to, -1 between rounds; and the channel that a header in its buffer took last.
FLIT, HELD, FRONT, OWNER, FREE_AT, NEXT, FEEDER, WIRE, LATENCY, CREDIT = range(10)
SERVED, OFFERED, TOOK, FIELDS = range(10, 14)
# Of a slot: the message whose flit is or was there; when it came off the wire, and when it left.
WHO, SEEN, GONE = range(3)
# Of a wire: when it is free; the channel whose turn it is, NOBODY, or ASKED while they ask; which
# of its channels was granted last or, in turns, had it last; its first channel, how many share it,
# and how many of these are granted; cycles that a flit takes.
FREE_FROM, TURN, RECENT, FIRST, SHARE, OWNERS, PERIOD = range(7)
NOBODY, ASKED = -1, -2
# Of a source: the messages that wait; the one that is sent, its flits that are, into which channel;
# the cycle of the last flit; which of its channels was granted last.
HEAD, TAIL, SENDING, SENT, INTO, LATEST, GRANTED = range(7)
# Of a message: the channel of its header, -1 before injection and after consumption; the state in
# which the routing table has it; when it came to the front of a buffer; its tie key; the message
# behind it at its source or router.
HEADER, STATE, MOVED, KEY, BEHIND = range(5)
# Numbers of a run: messages that are left, and in the network; those whose last delivery has come;
# flits moved and wires asked for in this cycle; the cycle in which all wires are free.
LEFT, ALIVE, LATE, MOVES, WANTED, ALL_FREE, NUMBERS = range(7)


class FlitBuffers(NamedTuple):
    """What is where; int64 arrays with the columns above, unless stated.

    Attributes:
        channels, slots, wires, sources, worms: rows for channels, for their slots in a row, for the
            wires of links and then of ejection ports, for nodes, and for messages.
        keeper: for every channel, the place that grants it.
        crowds: for every router, the first of the headers there, in the order in which it looks at
            them.
        asks: for every channel, whether its next flit could cross a shared wire.
        vacates: for every channel, the last cycle in which its foremost flit could move.
        wanted: the wires asked for.
        late, chosen: messages whose last delivery has come, and those of a cycle.
        numbers: of the run.
        events: uint64, a set of places for each cycle modulo their number, and last of all the
            channels that wait for the choice of wires.
        columns, holder, shown: channels that are watched, and the message and the foremost flit in
            each after every cycle.
    """

    channels: Ints
    slots: Ints
    wires: Ints
    sources: Ints
    worms: Ints
    keeper: Ints
    crowds: Ints
    asks: Ints
    vacates: Ints
    wanted: Ints
    late: Ints
    chosen: Ints
    numbers: Ints
    events: npt.NDArray[np.uint64]
    columns: Ints
    holder: Ints
    shown: Ints


class FlitRules(NamedTuple):
    """What does not change: the numbers of `Pace`, the tie rule, and where places begin.

    `patience`: cycles for which nothing may move although something still can; `links`, `exits`:
    the first injection and the first ejection channel; `sources`, `routers`: the first places of
    these, after all channels; `ring`: the number of sets of events.
    """

    tie: int
    seed: int
    depth: int
    router: int
    link: int
    credit: int
    waits_for_tail: int
    ends: int
    injection: int
    ejection: int
    rounds: int
    patience: int
    links: int
    exits: int
    sources: int
    routers: int
    ring: int


def rules_of(wired: Wiring, pace: Pace, tie: int, seed: int) -> FlitRules:
    """The rules of a run, with the seed as a signed word."""
    links, nodes = len(wired.tail), len(wired.node_router)
    period = int(wired.period.max(initial=1))
    virtual = links // len(wired.period) if links else 1
    turns = max(virtual * period, wired.ends) if max(virtual, wired.ends) > 1 else 0
    latency = max(pace.link, pace.injection, pace.ejection)
    latency += pace.credit + 2 * int(wired.delay.max(initial=0))
    patience = pace.router + latency + 2 + turns  # so long all may wait, and go on
    exits = links + nodes * wired.ends
    sources = exits + nodes * wired.ends
    routers = (sources + nodes + 63) // 64 * 64  # from a word of their own on
    ring = 1 << (max(patience, period) + 1).bit_length()
    return FlitRules(tie, seed, *pace, patience, links, exits, sources, routers, ring)


def empty_buffers(
    count: int, wired: Wiring, rules: FlitRules, columns: Ints, watched: int
) -> FlitBuffers:
    """Nothing anywhere.

    Args:
        count: messages.
        columns: channels that are watched, for `watched` cycles.
    """
    links, nodes, ends = rules.links, len(wired.node_router), wired.ends
    node, channels = np.arange(nodes), rules.sources
    link_wires = len(wired.period)
    wires = np.zeros((link_wires + nodes, 7), np.int64)
    wires[:, TURN] = wires[:, RECENT] = -1
    wires[:, SHARE] = ends
    wires[:link_wires, SHARE] = links // link_wires if links else 1
    wires[:, FIRST] = np.cumsum(wires[:, SHARE]) - wires[:, SHARE]
    wires[link_wires:, FIRST] += nodes * ends  # channels of injection have no wire
    wires[:, PERIOD] = np.append(wired.period, np.ones(nodes, np.int64))
    each = np.zeros((channels, FIELDS), np.int64)
    each[:, [OWNER, NEXT, FEEDER, WIRE, SERVED, OFFERED, TOOK]] = -1
    each[links : rules.exits, FEEDER] = rules.sources + np.repeat(node, ends)
    each[:links, WIRE] = wired.link
    each[rules.exits :, WIRE] = link_wires + np.repeat(node, ends)
    for first, latency in (
        (0, rules.link),
        (links, rules.injection),
        (rules.exits, rules.ejection),
    ):
        each[first:, LATENCY] = latency
    each[:, CREDIT] = rules.credit
    each[: len(wired.delay), [LATENCY, CREDIT]] += wired.delay[:, None]
    slots = np.zeros((channels * rules.depth, 3), np.int64)
    slots[:, WHO], slots[:, GONE] = -1, -NEVER
    sources = np.full((nodes, 7), -1, np.int64)
    keeper = [rules.routers + wired.tail, each[links : rules.exits, FEEDER]]
    words = (rules.routers + wired.routers + 63) // 64
    return FlitBuffers(
        each,
        slots,
        wires,
        sources,
        np.full((count, 5), -1, np.int64),
        np.concatenate([*keeper, rules.routers + np.repeat(wired.node_router, ends)]),
        np.full(wired.routers, -1, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(len(wires), np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.array([count, *[0] * (NUMBERS - 1)], np.int64),
        np.zeros((rules.ring + 1, words), np.uint64),
        np.require(columns, np.int64, ["C", "W"]),
        np.full((watched, len(columns)), -1, np.int64),
        np.full((watched, len(columns)), -1, np.int64),
    )


@inlined_kernel
def wake(place: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> None:
    """Wake a place: the engine looks at it in that cycle, a coming one or this one."""
    bit = np.uint64(1) << np.uint64(place & 63)
    buffers.events[cycle & rules.ring - 1, place >> 6] |= bit


@inlined_kernel
def front_slot(channel: int, rules: FlitRules, buffers: FlitBuffers) -> int:
    """The slot of the foremost flit of a buffer that holds one."""
    slot: int = channel * rules.depth + buffers.channels[channel, FRONT]
    return slot


@inlined_kernel
def entry_slot(channel: int, rules: FlitRules, buffers: FlitBuffers) -> int:
    """The slot that the next flit enters; of a full buffer, that of the foremost one."""
    place = buffers.channels[channel, FRONT] + buffers.channels[channel, HELD]
    return int(channel * rules.depth + (place if place < rules.depth else place - rules.depth))


@inlined_kernel
def room_from(channel: int, m: int, rules: FlitRules, buffers: FlitBuffers) -> int:
    """The cycle from which a flit of a message finds room in a buffer; NEVER if that is open.

    A flit may follow one of its own message in the same cycle where credits take no time.
    """
    if buffers.channels[channel, HELD] == rules.depth:
        return NEVER
    slot = entry_slot(channel, rules, buffers)
    credit = buffers.channels[channel, CREDIT]
    if buffers.slots[slot, WHO] != m:
        credit = max(credit, 1)
    return int(buffers.slots[slot, GONE] + credit)


@kernel
def generate(
    cycle: int, arrived: int, messages: Messages, rules: FlitRules, buffers: FlitBuffers
) -> int:
    """Messages whose time has come wait behind the others of their source, by number.

    Returns: how many of those that wait for no other have arrived.
    """
    new = kept = 0
    while arrived < len(messages.arrivals):
        m = messages.arrivals[arrived]
        if messages.ready[m] >= cycle:
            break
        buffers.chosen[new] = m
        new += 1
        arrived += 1
    for m in buffers.late[: buffers.numbers[LATE]]:
        if messages.ready[m] < cycle:
            buffers.chosen[new] = m
            new += 1
        else:
            buffers.late[kept] = m
            kept += 1
    buffers.numbers[LATE] = kept
    _sort(new, buffers.chosen)
    for m in buffers.chosen[:new]:
        node = messages.source[m]
        if buffers.sources[node, HEAD] < 0:
            buffers.sources[node, HEAD] = m
            wake(rules.sources + node, cycle, rules, buffers)
        else:
            buffers.worms[buffers.sources[node, TAIL], BEHIND] = m
        buffers.sources[node, TAIL] = m
    return arrived


@inlined_kernel
def _sort(count: int, numbers: Ints) -> None:
    """The first of some numbers in ascending order (Shell's sort)."""
    gap = count // 2
    while gap:
        for k in range(gap, count):
            number, place = numbers[k], k
            while place >= gap and numbers[place - gap] > number:
                numbers[place] = numbers[place - gap]
                place -= gap
            numbers[place] = number
        gap //= 2


@kernel
def deliver(m: int, cycle: int, messages: Messages, buffers: FlitBuffers) -> None:
    """Messages that waited for this one may be generated."""
    since = cycle - messages.delay[m]
    for k in range(messages.after_first[m], messages.after_first[m + 1]):
        waiting = messages.after[k]
        messages.ready[waiting] = max(messages.ready[waiting], since + messages.delay[waiting])
        messages.waits_for[waiting] -= 1
        if messages.waits_for[waiting] == 0:
            buffers.late[buffers.numbers[LATE]] = waiting
            buffers.numbers[LATE] += 1
