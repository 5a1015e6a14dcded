"""What the flit engine keeps: what is in every buffer, and the messages that wait at their sources.

A buffer is a ring of places. Flit number e of all that ever enter it takes place e modulo the depth
D, and may enter when the flit that left this place is gone and its credit has come. Flits of one
message follow each other, so the number of the foremost one says all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.wormhole.plan import NEVER, Messages, Pace, Wiring

COMING, ASKING = range(2)
"""Places in `FlitBuffers.counts`."""


class FlitBuffers(NamedTuple):
    """What is where.

    For every channel: `flit`, the number of its foremost flit; `held`, how many flits are in its
    buffer; `entries`, how many ever entered; `free_at`, the cycle from which it may be granted;
    `asks`, whether its next flit could cross the wire; `delay`, cycles that its flits and credits
    take beyond those of `FlitRules`. For every place of a buffer, number channel
    times depth plus place: `who`, the message whose flit is or was there; `seen`, the cycle in
    which it came off the wire; `gone`, the cycle in which it left. For every wire: `turn`, the
    channel that has it, -1 if none, -2 while they ask; `wires`, those asked for; `free_from`, the
    cycle from which it is free, and last of all the largest of these; `recent`, the channel that
    was granted last, where channels are granted in turns.

    For every message: `path`, the channels granted to its header; `length`, how many; `header`, the
    place of the header on the path, -1 before injection; `back`, before which the path holds no
    flit any more; `sent`, flits that left the source; `state`, of the routing table, and
    `next_state` once a channel is granted; `moved`, the cycle in which the header came to the front
    of a buffer, NEVER while it is behind others; `key`, its tie key; `wake`, before which no flit
    of it can move.

    For every node: `queue_head`, `queue_tail`, the messages that wait, linked by `queue_next`;
    `sending`, the message that was injected last, -1 if none. Lists: `sources`, nodes where
    messages wait; `worms`, messages in the network; `late`, those whose last delivery has come;
    `coming`, headers that cannot ask yet; `asking`, those that can, sorted; `chosen`: some messages
    while they are sorted; `counts`, of `coming` and `asking`. `columns`: channels that are watched;
    `holder`, `shown`: the message and the foremost flit in each of them after every cycle.
    """

    flit: Ints
    held: Ints
    entries: Ints
    free_at: Ints
    asks: Ints
    delay: Ints
    owner: Ints
    who: Ints
    seen: Ints
    gone: Ints
    turn: Ints
    wires: Ints
    free_from: Ints
    recent: Ints
    path: Ints
    length: Ints
    header: Ints
    back: Ints
    sent: Ints
    state: Ints
    next_state: Ints
    moved: Ints
    key: Ints
    wake: Ints
    queue_head: Ints
    queue_tail: Ints
    queue_next: Ints
    sending: Ints
    sources: Ints
    worms: Ints
    late: Ints
    coming: Ints
    asking: Ints
    chosen: Ints
    counts: Ints
    columns: Ints
    holder: Ints
    shown: Ints


class FlitRules(NamedTuple):
    """What does not change: the numbers of `Pace`, the tie rule, and where channels begin.

    `patience`: cycles for which nothing may move although something still can; `links`, `exits`:
    the first injection and the first ejection channel; `shared`: whether any channels share a wire.
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
    patience: int
    links: int
    exits: int
    shared: int


class Wires(NamedTuple):
    """The wires of links, then of ejection ports.

    `of`, the wire of every channel, -1 for injection; `first`, `share`, the channels of each wire;
    `period`, the cycles that a flit keeps it.
    """

    of: Ints
    first: Ints
    share: Ints
    period: Ints


def simulated_wires(wired: Wiring) -> Wires:
    """Every wire and its channels."""
    links, nodes, ends = len(wired.tail), len(wired.node_router), wired.ends
    count = len(wired.period)
    virtual = links // count if count else 1
    ports = np.arange(nodes)
    exits = links + nodes * ends
    return Wires(
        np.concatenate([wired.link, np.full(nodes * ends, -1), count + np.repeat(ports, ends)]),
        np.concatenate([virtual * np.arange(count), exits + ends * ports]),
        np.concatenate([np.full(count, virtual), np.full(nodes, ends)]),
        np.concatenate([wired.period, np.ones(nodes, np.int64)]),
    )


def rules_of(wired: Wiring, wires: Wires, pace: Pace, tie: int, seed: int) -> FlitRules:
    """The rules of a run, with the seed as a signed word."""
    links, nodes = len(wired.tail), len(wired.node_router)
    shared = bool((wires.share > 1).any())
    turns = int((wires.share * wires.period).max(initial=1)) if shared else 0
    latency = max(pace.link, pace.injection, pace.ejection)
    latency += pace.credit + 2 * int(wired.delay.max(initial=0))
    patience = pace.router + latency + 2 + turns  # so long all may wait, and go on
    return FlitRules(
        tie, seed, *pace, patience, links, links + nodes * wired.ends, int(shared)
    )  # fmt: skip


def empty_buffers(
    count: int, wired: Wiring, wires: int, depth: int, columns: Ints, watched: int
) -> FlitBuffers:
    """Nothing anywhere.

    Args:
        count: messages.
        wires: how many there are.
        columns: channels that are watched, for `watched` cycles.
    """
    nodes = len(wired.node_router)
    channels = len(wired.tail) + 2 * nodes * wired.ends
    delay = _filled(channels, 0)
    delay[: len(wired.delay)] = wired.delay
    return FlitBuffers(
        flit=_filled(channels, 0),
        held=_filled(channels, 0),
        entries=_filled(channels, 0),
        free_at=_filled(channels, 0),
        asks=_filled(channels, 0),
        delay=delay,
        owner=_filled(channels, -1),
        who=_filled(channels * depth, -1),
        seen=_filled(channels * depth, 0),
        gone=_filled(channels * depth, -NEVER),
        turn=_filled(wires, -1),
        wires=_filled(wires, -1),
        free_from=_filled(wires + 1, 0),
        recent=_filled(wires + nodes, -1),
        path=np.full((count, wired.longest), -1, dtype=np.int64),
        length=_filled(count, 0),
        header=_filled(count, -1),
        back=_filled(count, 0),
        sent=_filled(count, 0),
        state=_filled(count, -1),
        next_state=_filled(count, -1),
        moved=_filled(count, 0),
        key=_filled(count, 0),
        wake=_filled(count, 0),
        queue_head=_filled(nodes, -1),
        queue_tail=_filled(nodes, -1),
        queue_next=_filled(count, -1),
        sending=_filled(nodes, -1),
        sources=_filled(nodes, -1),
        worms=_filled(count, -1),
        late=_filled(count, -1),
        coming=_filled(count, -1),
        asking=_filled(count, -1),
        chosen=_filled(count, -1),
        counts=_filled(2, 0),
        columns=np.require(columns, np.int64, ["C", "W"]),
        holder=np.full((watched, len(columns)), -1, dtype=np.int64),
        shown=np.full((watched, len(columns)), -1, dtype=np.int64),
    )


def _filled(length: int, value: int) -> Ints:
    return np.full(length, value, dtype=np.int64)


@inlined_kernel
def front_slot(channel: int, depth: int, buffers: FlitBuffers) -> int:
    """The place of the foremost flit of a buffer that holds one."""
    first = buffers.entries[channel] - buffers.held[channel]
    place: int = channel * depth + first % depth
    return place


@inlined_kernel
def room_from(channel: int, m: int, rules: FlitRules, buffers: FlitBuffers) -> int:
    """The cycle from which a flit of a message finds room in a buffer; NEVER if that is open.

    A flit may follow one of its own message in the same cycle where credits take no time.
    """
    if buffers.held[channel] == rules.depth:
        return NEVER
    place = channel * rules.depth + buffers.entries[channel] % rules.depth
    credit = rules.credit + buffers.delay[channel]
    if buffers.who[place] != m:
        credit = max(credit, 1)
    possible: int = buffers.gone[place] + credit
    return possible


@kernel
def generate(
    cycle: int, arrived: int, waiting: int, asking: int, messages: Messages, buffers: FlitBuffers
) -> tuple[int, int, int]:
    """Messages whose time has come wait behind the others of their source, by number."""
    new = 0
    while arrived < len(messages.arrivals):
        m = messages.arrivals[arrived]
        if messages.ready[m] >= cycle:
            break
        buffers.chosen[new] = m
        new += 1
        arrived += 1
    kept = 0
    for k in range(waiting):
        m = buffers.late[k]
        if messages.ready[m] < cycle:
            buffers.chosen[new] = m
            new += 1
        else:
            buffers.late[kept] = m
            kept += 1
    by_arrival(new, buffers.chosen, buffers)  # they have not moved, nor has any a key: by number
    for m in buffers.chosen[:new]:
        node = messages.source[m]
        if buffers.queue_head[node] < 0:
            buffers.queue_head[node] = m
            buffers.sources[asking] = node
            asking += 1
        else:
            buffers.queue_next[buffers.queue_tail[node]] = m
        buffers.queue_tail[node] = m
    return arrived, kept, asking


@kernel
def by_arrival(count: int, chosen: Ints, buffers: FlitBuffers) -> None:
    """Sort the first of a list by their last move, then by key, then by number (Shell's sort)."""
    moved, key = buffers.moved, buffers.key
    gap = count // 2
    while gap:
        for k in range(gap, count):
            m, place = chosen[k], k
            while place >= gap:
                before = chosen[place - gap]
                if moved[before] != moved[m]:
                    is_sorted = moved[before] < moved[m]
                elif key[before] != key[m]:
                    is_sorted = key[before] < key[m]
                else:
                    is_sorted = before < m
                if is_sorted:
                    break
                chosen[place] = before
                place -= gap
            chosen[place] = m
        gap //= 2


@kernel
def deliver(m: int, cycle: int, late: int, messages: Messages, buffers: FlitBuffers) -> int:
    """Messages that waited for this one may be generated; how many are late now."""
    since = cycle - messages.delay[m]
    for k in range(messages.after_first[m], messages.after_first[m + 1]):
        waiting = messages.after[k]
        messages.ready[waiting] = max(messages.ready[waiting], since + messages.delay[waiting])
        messages.waits_for[waiting] -= 1
        if messages.waits_for[waiting] == 0:
            buffers.late[late] = waiting
            late += 1
    return late
