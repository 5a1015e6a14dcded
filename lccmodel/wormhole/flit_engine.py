"""The exact engine: every flit in its buffer, cycle by cycle, as the timing convention says it.

This is the convention [timing] written down with as little thought as possible: buffers that hold
flits, headers that are granted channels, flits that follow. It is the oracle of the message engine.

With several virtual channels on a link only one flit crosses the wire in a cycle; which one, the
turns of the wires say [timing]. A flit that has the wire but whose place is not vacated, because
the flit before it lost another wire, waits; the wire is idle then.

A buffer of depth D holds D flits, those on the wire to it included. With a latency of L cycles on
the wire and of C cycles for a credit, a channel carries min(1, D / (L + 1 + C)) flits a cycle. A
header may ask for its next channel R cycles after it could have without a latency of routers.

Only worms that can move are looked at: each knows the next cycle in which one of its flits may
(`wake`). A grant, a flit of another message that leaves a buffer, and a lost wire wake it.
"""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.wormhole.flit_buffers import (
    ASKING,
    COMING,
    FlitBuffers,
    FlitRules,
    Wires,
    by_arrival,
    deliver,
    empty_buffers,
    front_slot,
    generate,
    room_from,
    rules_of,
    simulated_wires,
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
    count = len(messages.source)
    changed = ("waits_for", "ready", "then")
    own = for_engines(messages._replace(**{n: getattr(messages, n).copy() for n in changed}))
    wired = for_engines(wired)
    wires = for_engines(simulated_wires(wired))
    rules = rules_of(wired, wires, pace, int(tie), seed_word(seed))
    buffers = empty_buffers(count, wired, len(wires.period), pace.depth, columns, watched)
    last = int(_run(wired, wires, own, outcome, buffers, rules, int(last_cycle)))
    outcome.ready[:] = np.where((own.waits_for == 0) & (own.ready < last), own.ready, NEVER)
    outcome.delivered[outcome.delivered > last] = NEVER  # what is on the last wire is foreseen
    in_router = (buffers.header >= 0) & (buffers.header == buffers.length - 1)
    ejected = buffers.path[np.arange(count), buffers.length - 1] >= rules.exits
    outcome.waiting[:] = np.where(in_router & ~ejected, buffers.state, -1)
    outcome.owner[:] = buffers.owner
    held = outcome.owner >= 0
    outcome.owner[held] = np.where(ejected[outcome.owner[held]], -1, outcome.owner[held])
    if not rules.waits_for_tail:
        _note_queues(buffers, rules, outcome)
    return last, buffers


def _note_queues(buffers: FlitBuffers, rules: FlitRules, outcome: Outcome) -> None:
    """Headers that wait for flits of another message to leave a buffer, and not for a channel."""
    for m in np.flatnonzero((buffers.header >= 0) & (buffers.back < buffers.length)).tolist():
        place = int(buffers.header[m])
        channel = int(buffers.path[m, place])
        before = int(buffers.who[front_slot(channel, rules.depth, buffers)])
        if buffers.held[channel] and buffers.moved[m] == NEVER:
            outcome.waiting[m] = -1
        elif place + 1 < buffers.length[m]:
            channel = int(buffers.path[m, place + 1])
            if buffers.held[channel] < rules.depth:
                continue
            before = int(buffers.who[front_slot(channel, rules.depth, buffers)])
        else:
            continue
        outcome.behind[m], outcome.within[m] = before, channel


@kernel
def _run(
    wired: Wiring,
    wires: Wires,
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
        _grant(cycle, rules, wired, wires, messages, outcome, buffers)
        if rules.shared:
            _share_wires(cycle, alive, rules, wires, buffers)
        kept = moves = 0
        for k in range(alive):
            m = buffers.worms[k]
            if buffers.wake[m] <= cycle:
                arriving = outcome.delivered[m] == NEVER
                moves += _move(m, cycle, rules, wires, messages, outcome, buffers)
                if arriving and outcome.delivered[m] < NEVER:
                    waiting = deliver(m, outcome.delivered[m], waiting, messages, buffers)
            if buffers.back[m] == buffers.length[m]:
                left -= 1  # its tail has been consumed
            else:
                buffers.worms[kept] = m
                kept += 1
        alive = kept
        still = 0 if moves else still + 1
        if cycle <= len(buffers.holder):
            for k, c in enumerate(buffers.columns):
                if buffers.held[c]:
                    buffers.holder[cycle - 1, k] = buffers.who[front_slot(c, rules.depth, buffers)]
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
    """The first message of every source is granted an injection channel if one is free.

    A source sends one message after another; it asks for no channel while it has flits to send.
    """
    kept = 0
    for node in buffers.sources[:asking]:
        m, before, channel = buffers.queue_head[node], buffers.sending[node], -1
        turn = len(buffers.recent) - len(buffers.sending) + node
        first = rules.links + node * rules.ends
        if before < 0 or buffers.sent[before] == messages.flits[before]:
            channel = _in_turn(first, rules.ends, turn, cycle, rules, buffers)
        if channel >= 0 and room_from(channel, m, rules, buffers) <= cycle:
            buffers.recent[turn] = channel - first
            buffers.queue_head[node] = buffers.queue_next[m]
            buffers.sending[node] = m
            buffers.next_state[m] = messages.start[m]
            outcome.injected[m] = cycle
            _give(m, channel, cycle, outcome, buffers)
            buffers.worms[alive] = m
            alive += 1
        if buffers.queue_head[node] >= 0:
            buffers.sources[kept] = node
            kept += 1
    return alive, kept


@inlined_kernel
def _is_free(channel: int, cycle: int, buffers: FlitBuffers) -> bool:
    """Whether nobody owns a channel, and the credit that frees it has come."""
    return bool(buffers.owner[channel] < 0 and buffers.free_at[channel] <= cycle)


@inlined_kernel
def _in_turn(
    first: int, count: int, turn: int, cycle: int, rules: FlitRules, buffers: FlitBuffers
) -> int:
    """Of some channels in a row one that is free, -1 if none: the first, or the next in turn.

    Args:
        turn: place in `recent`, of the wire or source.
    """
    begin = 0 if rules.waits_for_tail else buffers.recent[turn] + 1
    for k in range(count):
        channel = first + (begin + k) % count
        if _is_free(channel, cycle, buffers):
            return channel
    return -1


@inlined_kernel
def _give(m: int, channel: int, cycle: int, outcome: Outcome, buffers: FlitBuffers) -> None:
    buffers.path[m, buffers.length[m]] = channel
    buffers.length[m] += 1
    buffers.owner[channel] = m
    buffers.wake[m] = cycle
    outcome.use[channel] += 1


@kernel
def _grant(
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    wires: Wires,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """Headers, in the order of their arrival, take the first channel that is free."""
    kept = new = 0
    for m in buffers.coming[: buffers.counts[COMING]]:
        if buffers.moved[m] + rules.router < cycle:
            buffers.chosen[new] = m
            new += 1
        else:
            buffers.coming[kept] = m
            kept += 1
    buffers.counts[COMING] = kept
    by_arrival(new, buffers.chosen, buffers)  # all came after those that ask already
    asking = buffers.counts[ASKING]
    for m in buffers.chosen[:new]:
        buffers.asking[asking] = m
        asking += 1
    kept = 0
    for m in buffers.asking[:asking]:
        begin, end = wired.first[buffers.state[m]], wired.first[buffers.state[m] + 1]
        channel, following = -1, -1
        node = messages.destination[m]
        wire = len(wires.period) - len(buffers.sending) + node
        if begin == end:
            first = rules.exits + node * rules.ends
            channel = _in_turn(first, rules.ends, wire, cycle, rules, buffers)
        option = begin
        while option < end and channel < 0:
            wire, soonest = wires.of[wired.option[option]], NEVER
            while option < end and wires.of[wired.option[option]] == wire:
                offered = wired.option[option]
                place = offered - wires.first[wire] - buffers.recent[wire] - 1
                turn = 0 if rules.waits_for_tail else place % wires.share[wire]
                if turn < soonest and _is_free(offered, cycle, buffers):
                    soonest, channel, following = turn, offered, wired.following[option]
                option += 1
        if channel >= 0:
            buffers.recent[wire] = channel - wires.first[wire]
            if following >= 0:
                buffers.next_state[m] = _on_next_leg(m, following, wired, messages)
            _give(m, channel, cycle, outcome, buffers)
        else:
            buffers.asking[kept] = m
            kept += 1
    buffers.counts[ASKING] = kept


@inlined_kernel
def _on_next_leg(m: int, state: int, wired: Wiring, messages: Messages) -> int:
    """A state that a header comes to; at the end of its first leg, that where the second begins."""
    if len(messages.then) == 0 or messages.then[m] < 0:
        return state
    if wired.first[state] < wired.first[state + 1]:
        return state
    begun = int(messages.then[m])
    messages.then[m] = -1
    return begun


@kernel
def _share_wires(
    cycle: int, alive: int, rules: FlitRules, wires: Wires, buffers: FlitBuffers
) -> None:
    """Among the channels of a wire that could be crossed, choose the one whose turn it is.

    A flit could move if there is room in its next buffer, or the foremost flit there could move.
    """
    asked = 0
    for m in buffers.worms[:alive]:
        if buffers.wake[m] > cycle:
            continue
        before = False  # whether the flit before, of the same message, could move
        for k in range(buffers.length[m] - 1, buffers.back[m] - 1, -1):
            channel, moves = buffers.path[m, k], False
            if buffers.held[channel]:
                place = front_slot(channel, rules.depth, buffers)
                moves = buffers.who[place] == m and buffers.seen[place] < cycle
            if channel < rules.exits:
                moves = moves and k + 1 < buffers.length[m]
                following = buffers.path[m, k + 1] if moves else rules.links
                if moves and room_from(following, m, rules, buffers) > cycle:
                    # the place may be vacated in this cycle
                    full = buffers.held[following] == rules.depth
                    moves = before and full and rules.credit + buffers.delay[following] == 0
                if moves:
                    wire = wires.of[following]
                    moves = buffers.free_from[wire] <= cycle
                    if moves and wires.share[wire] > 1:
                        buffers.asks[following] = 1
                        if buffers.turn[wire] != -2:
                            buffers.turn[wire] = -2
                            buffers.wires[asked] = wire
                            asked += 1
            before = moves
    for wire in buffers.wires[:asked]:
        buffers.turn[wire] = -1
        for turn in range(wires.share[wire]):
            place = (cycle // wires.period[wire] + turn) % wires.share[wire]
            channel = wires.first[wire] + place
            if buffers.turn[wire] < 0 and buffers.asks[channel]:
                buffers.turn[wire] = channel
            buffers.asks[channel] = 0


@inlined_kernel
def _move(
    m: int,
    cycle: int,
    rules: FlitRules,
    wires: Wires,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> int:
    """Move the flits of a message, one of each buffer, the foremost first; how many moved."""
    last, moves, wake = messages.flits[m] - 1, 0, NEVER
    for k in range(buffers.length[m] - 1, buffers.back[m] - 1, -1):
        channel = buffers.path[m, k]
        if buffers.held[channel] == 0:
            continue
        place = front_slot(channel, rules.depth, buffers)
        if buffers.who[place] != m:
            continue
        if buffers.seen[place] >= cycle:
            wake = min(wake, buffers.seen[place] + 1)
            continue
        flit = buffers.flit[channel]
        if channel < rules.exits:
            if k + 1 == buffers.length[m]:
                continue
            following = buffers.path[m, k + 1]
            possible = _enters_from(following, m, cycle, rules, wires, buffers)
            if possible > cycle:
                wake = min(wake, possible)
                continue
            wire = wires.of[following]
            buffers.free_from[wire] = cycle + wires.period[wire]
            buffers.free_from[-1] = max(buffers.free_from[-1], buffers.free_from[wire])
            _enter(m, flit, flit == last, k + 1, following, cycle, rules, buffers)
            if flit == last and following >= rules.exits:
                outcome.delivered[m] = cycle + rules.ejection
        moves += 1
        _leave(m, flit == last, channel, place, cycle, rules, buffers)
        if flit == last:
            buffers.back[m] = k + 1
    if buffers.sent[m] <= last:
        first = buffers.path[m, 0]
        possible = room_from(first, m, rules, buffers)
        if possible <= cycle:
            sent = buffers.sent[m]
            _enter(m, sent, sent == last, 0, first, cycle, rules, buffers)
            buffers.sent[m] += 1
            moves += 1
        wake = min(wake, possible)
    buffers.wake[m] = cycle + 1 if moves else wake
    return moves


@inlined_kernel
def _enters_from(
    channel: int, m: int, cycle: int, rules: FlitRules, wires: Wires, buffers: FlitBuffers
) -> int:
    """The cycle from which a flit may cross a wire: there is room, and the wire is its."""
    possible = room_from(channel, m, rules, buffers)
    wire = wires.of[channel]
    if possible > cycle:
        return possible
    if wires.share[wire] == 1:
        return int(buffers.free_from[wire])
    if buffers.turn[wire] != channel:
        return cycle + 1
    buffers.turn[wire] = -1
    return cycle


@inlined_kernel
def _leave(
    m: int, tail: bool, channel: int, place: int, cycle: int, rules: FlitRules, buffers: FlitBuffers
) -> None:
    """The foremost flit leaves a buffer; what waited for that goes on."""
    buffers.gone[place] = cycle
    buffers.flit[channel] += 1
    buffers.held[channel] -= 1
    credit, owner = rules.credit + buffers.delay[channel], buffers.owner[channel]
    if owner >= 0 and owner != m:
        buffers.wake[owner] = min(buffers.wake[owner], cycle + max(credit, 1))
    if not tail:
        return
    buffers.flit[channel] = 0
    if rules.waits_for_tail:
        buffers.owner[channel] = -1
        enters = channel >= rules.links and channel < rules.exits
        buffers.free_at[channel] = cycle + (max(credit, 1) if enters else credit + 1)
    elif buffers.held[channel]:
        place = front_slot(channel, rules.depth, buffers)
        _come(buffers.who[place], channel, max(buffers.seen[place], cycle), rules, buffers)
        buffers.wake[buffers.who[place]] = min(buffers.wake[buffers.who[place]], cycle + 1)


@inlined_kernel
def _enter(
    m: int,
    flit: int,
    tail: bool,
    place: int,
    channel: int,
    cycle: int,
    rules: FlitRules,
    buffers: FlitBuffers,
) -> None:
    """A flit leaves for the buffer at this place of its path, and is seen there later."""
    enters = channel >= rules.links and channel < rules.exits
    latency = rules.injection if enters else rules.link + buffers.delay[channel]
    seen = cycle + (rules.ejection if channel >= rules.exits else latency)
    into = channel * rules.depth + buffers.entries[channel] % rules.depth
    buffers.who[into] = m
    buffers.seen[into] = seen
    buffers.entries[channel] += 1
    buffers.held[channel] += 1
    if buffers.held[channel] == 1:
        buffers.flit[channel] = flit
    if flit == 0:
        buffers.header[m] = place
        buffers.state[m] = buffers.next_state[m]
        buffers.moved[m] = NEVER
        if buffers.held[channel] == 1:
            _come(m, channel, seen, rules, buffers)
    if tail and not rules.waits_for_tail:
        buffers.owner[channel] = -1
        buffers.free_at[channel] = cycle + (1 if enters else 2)


@inlined_kernel
def _come(m: int, channel: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> None:
    """A header comes to the front of a buffer, where a router looks at it."""
    buffers.moved[m] = cycle
    buffers.key[m] = tie_key(rules.tie, rules.seed, m, cycle, channel)
    if channel < rules.exits:
        buffers.coming[buffers.counts[COMING]] = m
        buffers.counts[COMING] += 1
