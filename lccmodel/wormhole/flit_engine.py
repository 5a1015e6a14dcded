"""The exact engine: every flit in its buffer, cycle by cycle, as the timing convention says it.

This is the convention [timing] written down with as little thought as possible: buffers that hold
a flit or nothing, headers that are granted channels, flits that follow. It is slow, and it is the
oracle of the message engine.

With several virtual channels on a link only one flit crosses the wire in a cycle. The virtual
channels whose flit could move take turns: in cycle t number t mod V comes first. A flit that has
the wire but whose place is not vacated, because the flit before it lost another wire, waits; the
wire is idle then. A link of less bandwidth than the best carries a flit every `period` cycles.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import kernel
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Wiring, for_engines
from lccmodel.wormhole.ties import tie_key

__all__ = ["run_flits", "watch_flits"]


class _Buffers(NamedTuple):
    """What is where.

    `message`, `flit`: what every buffer holds, -1 if it is empty; `was_empty`: whether it was
    when the cycle began; `asks`, `wire`: the channels whose next flit could cross in this cycle,
    and for every link the one that may; `free_from`, the cycle from which every wire is free, and
    last of all the largest of these. For every message: `path`, the channels granted to its
    header; `length`, how many; `header`, the place of the header on the path, -1 before
    injection; `sent`, flits that left the source; `state`, of the routing table, and `next_state`
    once a channel is granted; `moved`, the cycle of the header's last move; `key`, its tie key;
    `queue_*`: the messages that wait at their sources. `worms`: the messages in the network;
    `late`: those whose last delivery has come; `chosen`: some messages, while they are sorted.
    `columns`: channels that are watched; `holder`, `held`: the message and the flit in each of them
    after every cycle.
    """

    message: Ints
    flit: Ints
    was_empty: Ints
    asks: Ints
    wire: Ints
    free_from: Ints
    path: Ints
    length: Ints
    header: Ints
    sent: Ints
    state: Ints
    next_state: Ints
    moved: Ints
    key: Ints
    queue_head: Ints
    queue_tail: Ints
    queue_next: Ints
    worms: Ints
    late: Ints
    chosen: Ints
    columns: Ints
    holder: Ints
    held: Ints


def run_flits(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    last_cycle: int = NEVER,
    tie: int = 0,
    seed: int = 0,
) -> int:
    """Run until nothing is left to do, or to the end of `last_cycle`; as `run_messages`.

    Returns: the last cycle that was simulated.
    """
    return _simulated(wired, messages, outcome, last_cycle, tie, seed, _filled(0, 0), 0)[0]


def watch_flits(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    channels: Ints,
    cycles: int,
    tie: int = 0,
    seed: int = 0,
) -> tuple[Ints, Ints]:
    """The buffers of some channels at the end of cycle 1, 2, ..., `cycles`.

    Returns: the message in each and which flit of it, int64 of shape (cycles, channels); -1 where
        a buffer is empty.
    """
    last, buffers = _simulated(wired, messages, outcome, cycles, tie, seed, channels, cycles)
    for kept in (buffers.holder, buffers.held):
        kept[last:] = kept[last - 1]  # nothing moves any more
    return buffers.holder, buffers.held


def _simulated(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    last_cycle: int,
    tie: int,
    seed: int,
    columns: Ints,
    watched: int,
) -> tuple[int, _Buffers]:
    """The last cycle that was simulated, and what is where at its end."""
    count, channels, nodes = len(messages.source), len(outcome.use), len(wired.node_router)
    wires = len(wired.period)
    buffers = _Buffers(
        message=_filled(channels, -1),
        flit=_filled(channels, -1),
        was_empty=_filled(channels, 1),
        asks=_filled(channels, 0),
        wire=_filled(wires, -1),
        free_from=_filled(wires + 1, 0),
        path=np.full((count, wired.longest), -1, dtype=np.int64),
        length=_filled(count, 0),
        header=_filled(count, -1),
        sent=_filled(count, 0),
        state=_filled(count, -1),
        next_state=_filled(count, -1),
        moved=_filled(count, 0),
        key=_filled(count, 0),
        queue_head=_filled(nodes, -1),
        queue_tail=_filled(nodes, -1),
        queue_next=_filled(count, -1),
        worms=_filled(count, -1),
        late=_filled(count, -1),
        chosen=_filled(count, -1),
        columns=np.require(columns, np.int64, ["C", "W"]),
        holder=np.full((watched, len(columns)), -1, dtype=np.int64),
        held=np.full((watched, len(columns)), -1, dtype=np.int64),
    )
    own = for_engines(
        messages._replace(waits_for=messages.waits_for.copy(), ready=messages.ready.copy())
    )
    wired = for_engines(wired)
    virtual = len(wired.link) // wires if wires else 1
    last = int(_run(wired, own, outcome, buffers, virtual, int(last_cycle), int(tie), int(seed)))
    outcome.ready[:] = np.where((own.waits_for == 0) & (own.ready < last), own.ready, NEVER)
    in_router = (buffers.header >= 0) & (buffers.header == buffers.length - 1)
    ejected = buffers.path[np.arange(count), buffers.length - 1] >= channels - nodes
    outcome.waiting[:] = np.where(in_router & ~ejected, buffers.state, -1)
    held = outcome.owner >= 0
    outcome.owner[held] = np.where(ejected[outcome.owner[held]], -1, outcome.owner[held])
    return last, buffers


def _filled(length: int, value: int) -> Ints:
    return np.full(length, value, dtype=np.int64)


@kernel
def _run(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: _Buffers,
    virtual: int,
    last_cycle: int,
    tie: int,
    seed: int,
) -> int:
    arrived, left, cycle, moves = 0, len(messages.source), 0, 1
    alive = waiting = 0  # entries of `worms` and of `late`
    while left and cycle < last_cycle:
        slow = buffers.free_from[-1] > cycle  # a wire is busy, for which a flit may wait
        if not (moves or waiting or slow or arrived < len(messages.arrivals)):
            break
        cycle += 1
        for c in range(len(buffers.message)):
            buffers.was_empty[c] = buffers.message[c] < 0
        arrived, waiting = _generate(cycle, arrived, waiting, messages, buffers)
        alive = _inject(cycle, alive, wired, messages, outcome, buffers)
        _grant(cycle, alive, wired, messages, outcome, buffers)
        if virtual > 1:
            _share_wires(cycle, alive, virtual, wired, buffers)
        kept = moves = 0
        for k in range(alive):
            m = buffers.worms[k]
            moves += _move(m, cycle, virtual, wired, messages, outcome, buffers, tie, seed)
            if outcome.delivered[m] == cycle:
                waiting = _deliver(m, cycle, waiting, messages, buffers)
            if outcome.delivered[m] < cycle:  # its tail has been consumed
                left -= 1
            else:
                buffers.worms[kept] = m
                kept += 1
        alive = kept
        if cycle <= len(buffers.holder):
            for k, c in enumerate(buffers.columns):
                if buffers.message[c] >= 0:
                    buffers.holder[cycle - 1, k] = buffers.message[c]
                    buffers.held[cycle - 1, k] = buffers.flit[c]
    return cycle


@kernel
def _generate(
    cycle: int, arrived: int, waiting: int, messages: Messages, buffers: _Buffers
) -> tuple[int, int]:
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
    _sort(new, buffers)  # they have not moved, nor has any a key: by number
    for m in buffers.chosen[:new]:
        node = messages.source[m]
        if buffers.queue_head[node] < 0:
            buffers.queue_head[node] = m
        else:
            buffers.queue_next[buffers.queue_tail[node]] = m
        buffers.queue_tail[node] = m
    return arrived, kept


@kernel
def _sort(count: int, buffers: _Buffers) -> None:
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
def _inject(
    cycle: int,
    alive: int,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: _Buffers,
) -> int:
    """The first message of every source is granted its injection channel if that is free."""
    for node in range(len(wired.node_router)):
        m, channel = buffers.queue_head[node], len(wired.tail) + node
        if m >= 0 and _is_free(channel, outcome, buffers):
            buffers.queue_head[node] = buffers.queue_next[m]
            buffers.next_state[m] = messages.start[m]
            outcome.injected[m] = cycle
            _give(m, channel, outcome, buffers)
            buffers.worms[alive] = m
            alive += 1
    return alive


@kernel
def _is_free(channel: int, outcome: Outcome, buffers: _Buffers) -> bool:
    return bool(buffers.was_empty[channel]) and outcome.owner[channel] < 0


@kernel
def _give(m: int, channel: int, outcome: Outcome, buffers: _Buffers) -> None:
    buffers.path[m, buffers.length[m]] = channel
    buffers.length[m] += 1
    outcome.owner[channel] = m
    outcome.use[channel] += 1


@kernel
def _grant(
    cycle: int,
    alive: int,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: _Buffers,
) -> None:
    """Headers, in the order of their arrival, take the first channel that is free."""
    exits = len(wired.tail) + len(wired.node_router)
    waiting = 0
    for m in buffers.worms[:alive]:
        place = buffers.header[m]
        asks = place == buffers.length[m] - 1 and buffers.path[m, place] < exits
        if asks and buffers.moved[m] < cycle:
            buffers.chosen[waiting] = m
            waiting += 1
    _sort(waiting, buffers)
    for m in buffers.chosen[:waiting]:
        begin, end = wired.first[buffers.state[m]], wired.first[buffers.state[m] + 1]
        for option in range(begin, end):
            if _is_free(wired.option[option], outcome, buffers):
                buffers.next_state[m] = wired.following[option]
                _give(m, wired.option[option], outcome, buffers)
                break
        if begin == end and _is_free(exits + messages.destination[m], outcome, buffers):
            _give(m, exits + messages.destination[m], outcome, buffers)


@kernel
def _share_wires(cycle: int, alive: int, virtual: int, wired: Wiring, buffers: _Buffers) -> None:
    """Among the virtual channels of a link that could be crossed, choose the one whose turn it is.

    A flit could move if its next buffer is empty, or holds a flit that could move.
    """
    links = len(wired.tail)
    for m in buffers.worms[:alive]:
        free = True
        for k in range(buffers.length[m] - 1, -1, -1):
            channel = buffers.path[m, k]
            holds = buffers.message[channel] == m
            if channel >= links + len(buffers.queue_head):
                free = True  # what is ejected is consumed
            elif holds:
                free = free and k + 1 < buffers.length[m]
                following = buffers.path[m, k + 1] if free else links
                if following < links:
                    free = buffers.free_from[wired.link[following]] <= cycle
                    buffers.asks[following] = int(free)
            else:
                free = True
    for link in range(len(buffers.wire)):
        buffers.wire[link] = -1
        for turn in range(virtual):
            channel = link * virtual + (cycle // wired.period[link] + turn) % virtual
            if buffers.wire[link] < 0 and buffers.asks[channel]:
                buffers.wire[link] = channel
            buffers.asks[channel] = 0


@kernel
def _move(
    m: int,
    cycle: int,
    virtual: int,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: _Buffers,
    tie: int,
    seed: int,
) -> int:
    """Move the flits of a message, the foremost first; how many moved."""
    exits, last, moves = len(wired.tail) + len(wired.node_router), messages.flits[m] - 1, 0
    for k in range(buffers.length[m] - 1, -1, -1):
        channel = buffers.path[m, k]
        if buffers.message[channel] != m:
            continue
        flit = buffers.flit[channel]
        if channel >= exits:  # consumed
            buffers.message[channel] = -1
        elif k + 1 < buffers.length[m] and _may_enter(
            buffers.path[m, k + 1], cycle, virtual, wired, buffers
        ):
            following = buffers.path[m, k + 1]
            if following < len(wired.tail):
                link = wired.link[following]
                buffers.free_from[link] = cycle + wired.period[link]
                buffers.free_from[-1] = max(buffers.free_from[-1], buffers.free_from[link])
            buffers.message[channel] = -1
            buffers.message[following], buffers.flit[following] = m, flit
            if flit == 0:
                _arrive(m, k + 1, cycle, buffers, tie_key(tie, seed, m, cycle, following))
            if flit == last and following >= exits:
                outcome.delivered[m] = cycle
        else:
            continue
        moves += 1
        if flit == last:
            outcome.owner[channel] = -1
    first = buffers.path[m, 0]
    if buffers.sent[m] <= last and buffers.message[first] < 0:
        buffers.message[first], buffers.flit[first] = m, buffers.sent[m]
        if buffers.sent[m] == 0:
            _arrive(m, 0, cycle, buffers, tie_key(tie, seed, m, cycle, first))
        buffers.sent[m] += 1
        moves += 1
    return moves


@kernel
def _may_enter(channel: int, cycle: int, virtual: int, wired: Wiring, buffers: _Buffers) -> bool:
    """Whether a buffer is empty, or was emptied in this cycle, and the wire to it is ours."""
    if buffers.message[channel] >= 0:
        return False
    if channel >= len(wired.tail):
        return True
    link = wired.link[channel]
    if virtual == 1:
        return bool(buffers.free_from[link] <= cycle)
    return bool(buffers.wire[link] == channel)


@kernel
def _arrive(m: int, place: int, cycle: int, buffers: _Buffers, key: int) -> None:
    """The header is in the buffer at this place of its path."""
    buffers.header[m] = place
    buffers.moved[m] = cycle
    buffers.state[m] = buffers.next_state[m]
    buffers.key[m] = key


@kernel
def _deliver(m: int, cycle: int, late: int, messages: Messages, buffers: _Buffers) -> int:
    """Messages that waited for this one may be generated; how many are late now."""
    for k in range(messages.after_first[m], messages.after_first[m + 1]):
        waiting = messages.after[k]
        messages.ready[waiting] = max(messages.ready[waiting], cycle + messages.delay[waiting])
        messages.waits_for[waiting] -= 1
        if messages.waits_for[waiting] == 0:
            buffers.late[late] = waiting
            late += 1
    return late
