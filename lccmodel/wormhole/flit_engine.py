"""The exact engine: every flit in its buffer, cycle by cycle, as the timing convention says it.

This is the convention [timing] written down with as little thought as possible: buffers that hold
flits of one message, headers that are granted channels, flits that follow. Only worms and the
channels that they hold are looked at. It is the oracle of the message engine.

With several virtual channels on a link only one flit crosses the wire in a cycle; which one, the
turns of the wires say [timing]. A flit that has the wire but whose place is not vacated, because
the flit before it lost another wire, waits; the wire is idle then.

A buffer of depth D holds D flits, those on the wire to it included, so that with a latency of L
cycles on the wire a channel carries min(1, D / (L + 1)) flits a cycle. A header may ask for its
next channel R cycles after it could have without a latency of routers.
"""

from __future__ import annotations

import numpy as np

from lccmodel._arrays import Ints
from lccmodel._jit import inlined_kernel, kernel
from lccmodel.wormhole.flit_buffers import (
    FlitBuffers,
    FlitRules,
    by_arrival,
    deliver,
    empty_buffers,
    generate,
)
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Pace, Wiring, for_engines
from lccmodel.wormhole.timing import seed_word, tie_key


def run_flits(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    last_cycle: int = NEVER,
    tie: int = 0,
    seed: int = 0,
    pace: Pace = Pace(),  # noqa: B008 - a frozen tuple
) -> int:
    """Run until nothing is left to do, or to the end of `last_cycle`; as `run_messages`.

    Returns: the last cycle that was simulated.
    """
    return _simulated(
        wired, messages, outcome, last_cycle, tie, seed, pace, np.zeros(0, np.int64), 0
    )[0]


def watch_flits(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    channels: Ints,
    cycles: int,
    tie: int = 0,
    seed: int = 0,
    pace: Pace = Pace(),  # noqa: B008 - a frozen tuple
) -> tuple[Ints, Ints]:
    """The buffers of some channels at the end of cycle 1, 2, ..., `cycles`.

    Returns: the message in each and its foremost flit there, int64 of shape (cycles, channels); -1
        where a buffer is empty.
    """
    last, buffers = _simulated(wired, messages, outcome, cycles, tie, seed, pace, channels, cycles)
    for kept in (buffers.holder, buffers.shown):
        kept[last:] = kept[last - 1]  # nothing moves any more
    return buffers.holder, buffers.shown


def _simulated(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    last_cycle: int,
    tie: int,
    seed: int,
    pace: Pace,
    columns: Ints,
    watched: int,
) -> tuple[int, FlitBuffers]:
    """The last cycle that was simulated, and what is where at its end."""
    count, channels, nodes = len(messages.source), len(outcome.use), len(wired.node_router)
    wires = len(wired.period)
    buffers = empty_buffers(count, wired, pace.depth, columns, watched)
    own = for_engines(
        messages._replace(waits_for=messages.waits_for.copy(), ready=messages.ready.copy())
    )
    wired = for_engines(wired)
    virtual = len(wired.link) // wires if wires else 1
    links, exits = len(wired.tail), len(wired.tail) + nodes
    turns = virtual * int(wired.period.max(initial=1)) if virtual > 1 else 0
    patience = pace.router + pace.link + turns  # so long all may wait, and go on
    own_rules = (virtual, int(tie), seed_word(seed), pace.depth, pace.router, pace.link)
    rules = FlitRules(*own_rules, patience, links, exits)
    last = int(_run(wired, own, outcome, buffers, rules, int(last_cycle)))
    outcome.ready[:] = np.where((own.waits_for == 0) & (own.ready < last), own.ready, NEVER)
    in_router = (buffers.header >= 0) & (buffers.header == buffers.length - 1)
    ejected = buffers.path[np.arange(count), buffers.length - 1] >= channels - nodes
    outcome.waiting[:] = np.where(in_router & ~ejected, buffers.state, -1)
    held = outcome.owner >= 0
    outcome.owner[held] = np.where(ejected[outcome.owner[held]], -1, outcome.owner[held])
    return last, buffers


@kernel
def _run(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
    rules: FlitRules,
    last_cycle: int,
) -> int:
    arrived, left, cycle = 0, len(messages.source), 0
    alive = waiting = asking = still = 0  # entries of `worms`, `late`, `sources`; idle cycles
    while left and cycle < last_cycle:
        slow = buffers.free_from[-1] > cycle  # a wire is busy, for which a flit may wait
        idle = still > rules.patience and not (waiting or slow)
        if idle and arrived == len(messages.arrivals):
            break
        if idle and alive == 0:  # nothing can move before the next message is generated
            cycle = min(max(cycle, messages.ready[messages.arrivals[arrived]]), last_cycle - 1)
        cycle += 1
        arrived, waiting, asking = generate(cycle, arrived, waiting, asking, messages, buffers)
        alive, asking = _inject(cycle, alive, asking, rules, messages, outcome, buffers)
        _grant(cycle, alive, rules, wired, messages, outcome, buffers)
        if rules.virtual > 1:
            _share_wires(cycle, alive, rules, wired, buffers)
        kept = moves = 0
        for k in range(alive):
            m = buffers.worms[k]
            moves += _move(m, cycle, rules, wired, messages, outcome, buffers)
            if outcome.delivered[m] == cycle:
                waiting = deliver(m, cycle, waiting, messages, buffers)
            if outcome.delivered[m] < cycle and buffers.back[m] == buffers.length[m]:
                left -= 1  # its tail has been consumed
            else:
                buffers.worms[kept] = m
                kept += 1
        alive = kept
        still = 0 if moves else still + 1
        if cycle <= len(buffers.holder):
            for k, c in enumerate(buffers.columns):
                if buffers.message[c] >= 0:
                    buffers.holder[cycle - 1, k] = buffers.message[c]
                    buffers.shown[cycle - 1, k] = buffers.flit[c]
    return cycle


@kernel
def _inject(
    cycle: int,
    alive: int,
    asking: int,
    rules: FlitRules,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> tuple[int, int]:
    """The first message of every source is granted its injection channel if that is free."""
    kept = 0
    for node in buffers.sources[:asking]:
        m, channel = buffers.queue_head[node], rules.links + node
        if _is_free(channel, outcome, buffers):
            buffers.queue_head[node] = buffers.queue_next[m]
            buffers.next_state[m] = messages.start[m]
            outcome.injected[m] = cycle
            _give(m, channel, outcome, buffers)
            buffers.worms[alive] = m
            alive += 1
        if buffers.queue_head[node] >= 0:
            buffers.sources[kept] = node
            kept += 1
    return alive, kept


@inlined_kernel
def _is_free(channel: int, outcome: Outcome, buffers: FlitBuffers) -> bool:
    """Whether nobody owns a channel, and its buffer is empty; flits move after all grants."""
    return bool(buffers.message[channel] < 0 and outcome.owner[channel] < 0)


@inlined_kernel
def _give(m: int, channel: int, outcome: Outcome, buffers: FlitBuffers) -> None:
    buffers.path[m, buffers.length[m]] = channel
    buffers.length[m] += 1
    outcome.owner[channel] = m
    outcome.use[channel] += 1


@kernel
def _grant(
    cycle: int,
    alive: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """Headers, in the order of their arrival, take the first channel that is free."""
    waiting = 0
    for m in buffers.worms[:alive]:
        place = buffers.header[m]
        asks = place == buffers.length[m] - 1 and buffers.path[m, place] < rules.exits
        if asks and buffers.moved[m] + rules.router < cycle:
            buffers.chosen[waiting] = m
            waiting += 1
    by_arrival(waiting, buffers)
    for m in buffers.chosen[:waiting]:
        begin, end = wired.first[buffers.state[m]], wired.first[buffers.state[m] + 1]
        for option in range(begin, end):
            if _is_free(wired.option[option], outcome, buffers):
                buffers.next_state[m] = wired.following[option]
                _give(m, wired.option[option], outcome, buffers)
                break
        if begin == end and _is_free(rules.exits + messages.destination[m], outcome, buffers):
            _give(m, rules.exits + messages.destination[m], outcome, buffers)


@inlined_kernel
def _seen(channel: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> bool:
    """Whether the foremost flit of a buffer has come off the wire before this cycle."""
    place = channel * rules.depth + buffers.flit[channel] % rules.depth
    return bool(buffers.entered[place] < cycle)


@kernel
def _share_wires(
    cycle: int, alive: int, rules: FlitRules, wired: Wiring, buffers: FlitBuffers
) -> None:
    """Among the virtual channels of a link that could be crossed, choose the one whose turn it is.

    A flit could move if there is room in its next buffer, or the foremost flit there could move.
    """
    asked = 0
    for m in buffers.worms[:alive]:
        room = True
        for k in range(buffers.length[m] - 1, buffers.back[m] - 1, -1):
            channel = buffers.path[m, k]
            if channel >= rules.exits:
                continue  # what is ejected is consumed
            moves = room and buffers.message[channel] == m and k + 1 < buffers.length[m]
            moves = moves and _seen(channel, cycle, rules, buffers)
            following = buffers.path[m, k + 1] if moves else rules.links
            if following < rules.links:
                link = wired.link[following]
                moves = buffers.free_from[link] <= cycle
                buffers.asks[following] = int(moves)
                if moves and buffers.wire[link] != -2:
                    buffers.wire[link] = -2
                    buffers.wires[asked] = link
                    asked += 1
            room = moves or buffers.held[channel] < rules.depth
    for link in buffers.wires[:asked]:
        buffers.wire[link] = -1
        for turn in range(rules.virtual):
            place = (cycle // wired.period[link] + turn) % rules.virtual
            channel = link * rules.virtual + place
            if buffers.wire[link] < 0 and buffers.asks[channel]:
                buffers.wire[link] = channel
            buffers.asks[channel] = 0


@inlined_kernel
def _move(
    m: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> int:
    """Move the flits of a message, one of each buffer, the foremost first; how many moved."""
    last, moves = messages.flits[m] - 1, 0
    for k in range(buffers.length[m] - 1, buffers.back[m] - 1, -1):
        channel = buffers.path[m, k]
        if buffers.message[channel] != m:
            continue
        flit = buffers.flit[channel]
        if channel < rules.exits:
            if k + 1 == buffers.length[m] or not _seen(channel, cycle, rules, buffers):
                continue
            following = buffers.path[m, k + 1]
            if not _may_enter(following, cycle, rules, wired, buffers):
                continue
            if following < rules.links:
                link = wired.link[following]
                buffers.free_from[link] = cycle + wired.period[link]
                buffers.free_from[-1] = max(buffers.free_from[-1], buffers.free_from[link])
            _enter(m, flit, k + 1, following, cycle, rules, buffers)
            if flit == last and following >= rules.exits:
                outcome.delivered[m] = cycle
        moves += 1
        buffers.flit[channel] += 1
        buffers.held[channel] -= 1
        if buffers.held[channel] == 0:
            buffers.message[channel] = -1
        if flit == last:
            outcome.owner[channel] = -1
            buffers.back[m] = k + 1
    first = buffers.path[m, 0]
    if buffers.sent[m] <= last and buffers.held[first] < rules.depth:
        _enter(m, buffers.sent[m], 0, first, cycle, rules, buffers)
        buffers.sent[m] += 1
        moves += 1
    return moves


@inlined_kernel
def _may_enter(
    channel: int, cycle: int, rules: FlitRules, wired: Wiring, buffers: FlitBuffers
) -> bool:
    """Whether a buffer has room, if need be made in this cycle, and the wire to it is ours."""
    if buffers.held[channel] == rules.depth:
        return False
    if channel >= rules.links:
        return True
    link = wired.link[channel]
    if rules.virtual == 1:
        return bool(buffers.free_from[link] <= cycle)
    if buffers.wire[link] != channel:
        return False
    buffers.wire[link] = -1
    return True


@inlined_kernel
def _enter(
    m: int, flit: int, place: int, channel: int, cycle: int, rules: FlitRules, buffers: FlitBuffers
) -> None:
    """A flit leaves for the buffer at this place of its path; the header is seen there later."""
    seen = cycle + rules.link if channel < rules.links else cycle
    if buffers.held[channel] == 0:
        buffers.message[channel], buffers.flit[channel] = m, flit
    buffers.held[channel] += 1
    buffers.entered[channel * rules.depth + flit % rules.depth] = seen
    if flit == 0:
        buffers.header[m] = place
        buffers.moved[m] = seen
        buffers.state[m] = buffers.next_state[m]
        buffers.key[m] = tie_key(rules.tie, rules.seed, m, seen, channel)
