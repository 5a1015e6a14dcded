"""What the flit engine keeps: what is in every buffer, and the messages that wait at their sources.

A buffer holds flits of one message that follow each other, so the foremost one and their number
say all; the cycle from which each can be seen there is kept beside them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.wormhole.plan import Messages, Wiring


class FlitBuffers(NamedTuple):
    """What is where.

    For every channel: `message`, whose flits are in its buffer, -1 if it is empty; `flit`, `held`,
    the foremost and how many; `entered`, the cycle in which each could be seen there, by number of
    the flit modulo the depth; `asks`, whether its next flit could cross the wire; for every link
    `wire`, the channel whose turn it is, and in `wires` the links that were asked for. `free_from`,
    the cycle from which every wire is free, and last of all the largest of these. For every
    message: `path`, the channels granted to its header; `length`, how many; `header`, the place of
    the header on the path, -1 before injection; `back`, before which the path holds no flit any
    more; `sent`, flits that left the source; `state`, of the routing table, and `next_state` once a
    channel is granted; `moved`, the cycle of the header's last arrival; `key`, its tie key;
    `queue_*`: the messages that wait at their sources, and in `sources` the nodes that have some.
    `worms`: the messages in the network; `late`: those whose last delivery has come; `chosen`: some
    messages, while they are sorted. `columns`: channels that are watched; `holder`, `shown`: the
    message and the foremost flit in each of them after every cycle.
    """

    message: Ints
    flit: Ints
    held: Ints
    entered: Ints
    asks: Ints
    wire: Ints
    wires: Ints
    free_from: Ints
    path: Ints
    length: Ints
    header: Ints
    back: Ints
    sent: Ints
    state: Ints
    next_state: Ints
    moved: Ints
    key: Ints
    queue_head: Ints
    queue_tail: Ints
    queue_next: Ints
    sources: Ints
    worms: Ints
    late: Ints
    chosen: Ints
    columns: Ints
    holder: Ints
    shown: Ints


class FlitRules(NamedTuple):
    """What does not change: virtual channels a link, the tie rule, depth and latencies, ends.

    `patience`: cycles for which nothing may move although something still can.
    """

    virtual: int
    tie: int
    seed: int
    depth: int
    router: int
    link: int
    patience: int
    links: int
    exits: int


def empty_buffers(
    count: int, wired: Wiring, depth: int, columns: Ints, watched: int
) -> FlitBuffers:
    """Nothing anywhere.

    Args:
        count: messages.
        columns: channels that are watched, for `watched` cycles.
    """
    nodes, wires = len(wired.node_router), len(wired.period)
    channels = len(wired.tail) + 2 * nodes
    return FlitBuffers(
        message=_filled(channels, -1),
        flit=_filled(channels, -1),
        held=_filled(channels, 0),
        entered=_filled(channels * depth, 0),
        asks=_filled(channels, 0),
        wire=_filled(wires, -1),
        wires=_filled(wires, -1),
        free_from=_filled(wires + 1, 0),
        path=np.full((count, wired.longest), -1, dtype=np.int64),
        length=_filled(count, 0),
        header=_filled(count, -1),
        back=_filled(count, 0),
        sent=_filled(count, 0),
        state=_filled(count, -1),
        next_state=_filled(count, -1),
        moved=_filled(count, 0),
        key=_filled(count, 0),
        queue_head=_filled(nodes, -1),
        queue_tail=_filled(nodes, -1),
        queue_next=_filled(count, -1),
        sources=_filled(nodes, -1),
        worms=_filled(count, -1),
        late=_filled(count, -1),
        chosen=_filled(count, -1),
        columns=np.require(columns, np.int64, ["C", "W"]),
        holder=np.full((watched, len(columns)), -1, dtype=np.int64),
        shown=np.full((watched, len(columns)), -1, dtype=np.int64),
    )


def _filled(length: int, value: int) -> Ints:
    return np.full(length, value, dtype=np.int64)


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
    by_arrival(new, buffers)  # they have not moved, nor has any a key: by number
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
def by_arrival(count: int, buffers: FlitBuffers) -> None:
    """Sort the chosen messages by their last move, then by key, then by number (Shell's sort)."""
    chosen, moved, key = buffers.chosen, buffers.moved, buffers.key
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
