"""The exact engine: every flit in its buffer, cycle by cycle, as the timing convention says it.

This is the convention [timing] written down flit by flit: buffers that hold flits, headers that are
granted channels, flits that follow. In every cycle

1. messages are generated, and routers grant channels to their headers;
2. sources send, and foremost flits that have room and a wire of their own go on; those whose wire
   is shared ask for it;
3. each wire is given to one of the channels that ask, and their flits go on.

A buffer of depth D holds D flits, those on the wire to it included. With a latency of L cycles on
the wire and of C cycles for a credit, a channel carries min(1, D / (L + 1 + C)) flits a cycle. A
header may ask for its next channel R cycles after it could have without a latency of routers.

Only places where something may happen are looked at (`flit_buffers`), so a run takes about as long
as its flits have moves. The order within a step does not matter: what one flit does changes what
another one may do in the same cycle only if credits take no time. Then the place that a flit
leaves is entered by the flit behind it, which is looked at when it does.

With several virtual channels on a link only one flit crosses the wire in a cycle; which one, the
turns of the wires say [timing]. A flit that has the wire but whose place is not vacated, because
the flit before it lost another wire, waits; the wire is idle then.

Channels are given by arrival, header by header, or in turn, in rounds of offers (`_route_in_turn`).
"""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import borrowed, inlined_kernel, kernel, lowest_bit
from lccmodel.routing.computed import CLASS, ROUTERS, next_channel
from lccmodel.wormhole.flit_buffers import (
    ALIVE,
    ALL_FREE,
    ASKED,
    BEHIND,
    CREDIT,
    FEEDER,
    FIRST,
    FLIT,
    FREE_AT,
    FREE_FROM,
    FRONT,
    GONE,
    GRANTED,
    HEAD,
    HEADER,
    HELD,
    INTO,
    KEY,
    LATE,
    LATENCY,
    LATEST,
    LEFT,
    MOVED,
    MOVES,
    NEXT,
    NOBODY,
    OFFERED,
    OWNER,
    OWNERS,
    PERIOD,
    RECENT,
    SEEN,
    SENDING,
    SENT,
    SERVED,
    SHARE,
    STATE,
    TOOK,
    TURN,
    WANTED,
    WHO,
    WIRE,
    FlitBuffers,
    FlitRules,
    deliver,
    empty_buffers,
    entry_slot,
    front_slot,
    generate,
    room_from,
    rules_of,
    wake,
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
    changed = ("waits_for", "ready", "then")
    own = for_engines(messages._replace(**{n: getattr(messages, n).copy() for n in changed}))
    wired = for_engines(wired)
    rules = rules_of(wired, pace, int(tie), seed_word(seed))
    buffers = empty_buffers(len(messages.source), wired, rules, columns, watched)
    last = int(_run(wired, own, outcome, buffers, rules, int(last_cycle)))
    outcome.ready[:] = np.where((own.waits_for == 0) & (own.ready < last), own.ready, NEVER)
    outcome.delivered[outcome.delivered > last] = NEVER  # what is on the last wire is foreseen
    outcome.owner[:] = buffers.channels[:, OWNER]
    _note_headers(rules, buffers, outcome)
    return last, buffers


def _note_headers(rules: FlitRules, buffers: FlitBuffers, outcome: Outcome) -> None:
    """What headers wait for: a channel, or that flits of another message leave a buffer."""
    channels = np.arange(rules.sources)
    foremost = buffers.slots[channels * rules.depth + buffers.channels[:, FRONT], WHO]
    m = np.flatnonzero(buffers.worms[:, HEADER] >= 0)
    at = buffers.worms[m, HEADER]
    queued = (buffers.channels[at, HELD] > 0) & (foremost[at] != m)
    following = np.where(queued, -1, buffers.channels[at, NEXT])
    leaves = np.zeros(len(buffers.worms) + 1, bool)
    leaves[m] = np.maximum(at, following) >= rules.exits
    outcome.owner[leaves[outcome.owner]] = -1  # being freed
    waits = ~queued & (following < 0) & ~leaves[m]
    outcome.waiting[m[waits]] = buffers.worms[m[waits], STATE]
    full = (following >= 0) & (buffers.channels[following, HELD] == rules.depth)
    within, behind = np.where(full, following, at), full | queued
    outcome.behind[m[behind]] = foremost[within[behind]]
    outcome.within[m[behind]] = within[behind]


@kernel
def _run(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
    rules: FlitRules,
    last_cycle: int,
) -> int:
    # counting references took three quarters of the time
    wired, messages = borrowed(wired), borrowed(messages)
    outcome, buffers = borrowed(outcome), borrowed(buffers)
    numbers = buffers.numbers
    cycle = arrived = still = 0  # for how long nothing has moved
    while numbers[LEFT] and cycle < last_cycle:
        slow = numbers[ALL_FREE] > cycle  # a wire is busy, for which a flit may wait
        idle = still > rules.patience and not (numbers[LATE] or slow)
        if idle and arrived == len(messages.arrivals):
            break
        if idle and numbers[ALIVE] == 0:  # nothing can move before the next message is generated
            cycle = min(max(cycle, messages.ready[messages.arrivals[arrived]]), last_cycle - 1)
        cycle += 1
        numbers[MOVES] = numbers[WANTED] = 0
        arrived = generate(cycle, arrived, messages, rules, buffers)
        now = cycle & rules.ring - 1
        _look(now, rules.routers, False, cycle, rules, wired, messages, outcome, buffers)
        _look(now, 0, False, cycle, rules, wired, messages, outcome, buffers)
        if numbers[WANTED]:
            _share_wires(cycle, rules, buffers)
            _look(rules.ring, 0, True, cycle, rules, wired, messages, outcome, buffers)
            _look(now, 0, True, cycle, rules, wired, messages, outcome, buffers)
        still = 0 if numbers[MOVES] else still + 1
        if cycle <= len(buffers.holder):
            for k, c in enumerate(buffers.columns):
                if buffers.channels[c, HELD]:
                    slot = front_slot(c, rules, buffers)
                    buffers.holder[cycle - 1, k] = buffers.slots[slot, WHO]
                    buffers.shown[cycle - 1, k] = buffers.channels[c, FLIT]
    return cycle


@kernel
def _look(
    row: int,
    first: int,
    chosen: bool,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """Look at the places of a set of events, and at those that are put there meanwhile.

    Args:
        row: of `events`.
        first: the first place: the first router, or 0 for channels and sources.
        chosen: whether the wires have been given to channels.
    """
    wired, messages = borrowed(wired), borrowed(messages)
    outcome, buffers = borrowed(outcome), borrowed(buffers)
    begin = first >> 6
    end = buffers.events.shape[1] if first else rules.routers >> 6
    again = True
    while again:
        again = False
        for w in range(begin, end):
            word = buffers.events[row, w]
            if word:
                buffers.events[row, w] = 0
                again = rules.credit == 0  # else all is put into later sets
            while word:
                place = (w << 6) + lowest_bit(word)
                word &= word - np.uint64(1)
                if place >= rules.routers and rules.rounds:
                    _route_in_turn(place, cycle, rules, wired, messages, outcome, buffers)
                elif place >= rules.routers:
                    _route(place, cycle, rules, wired, messages, outcome, buffers)
                elif place >= rules.sources:
                    _send(place, cycle, rules, wired, messages, outcome, buffers)
                else:
                    _go_on(place, chosen, cycle, rules, wired, messages, outcome, buffers)


@inlined_kernel
def _free_in_turn(
    first: int, count: int, recent: int, cycle: int, rules: FlitRules, buffers: FlitBuffers
) -> int:
    """Of some channels in a row one that is free, -1 if none: the first, or the next in turn."""
    begin = 0 if rules.waits_for_tail and not rules.rounds else recent + 1
    for k in range(count):
        channel = first + (begin + k) % count
        if _is_free(channel, cycle, buffers):
            return channel
    return -1


@inlined_kernel
def _is_free(channel: int, cycle: int, buffers: FlitBuffers) -> bool:
    """Whether nobody owns a channel, and the credit that frees it has come."""
    free = buffers.channels[channel, OWNER] < 0 and buffers.channels[channel, FREE_AT] <= cycle
    return bool(free)


@inlined_kernel
def _give(
    m: int, channel: int, feeder: int, rules: FlitRules, outcome: Outcome, buffers: FlitBuffers
) -> None:
    buffers.channels[channel, OWNER] = m
    buffers.channels[channel, FEEDER] = feeder
    if channel < rules.links or channel >= rules.exits:
        buffers.wires[buffers.channels[channel, WIRE], OWNERS] += 1
    outcome.use[channel] += 1


@inlined_kernel
def _send(
    place: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """A source sends a flit; the header of its next message when it is granted a channel.

    A source sends one message after another, and asks for no channel while it has flits to send.
    """
    sources, node = buffers.sources, place - rules.sources
    m, channel, sent = sources[node, SENDING], sources[node, INTO], sources[node, SENT]
    if sources[node, LATEST] == cycle:
        return
    if m < 0:
        m, sent = sources[node, HEAD], 0
        if m < 0:
            return
        first = rules.links + node * rules.ends
        recent = sources[node, GRANTED]
        channel = _free_in_turn(first, rules.ends, recent, cycle, rules, buffers)
        if channel < 0:
            return
    possible = room_from(channel, m, rules, buffers)
    if possible > cycle:
        if possible < NEVER:
            wake(place, possible, rules, buffers)
        return
    if sent == 0:
        sources[node, HEAD] = buffers.worms[m, BEHIND]
        sources[node, SENDING], sources[node, INTO] = m, channel
        sources[node, GRANTED] = channel - rules.links - node * rules.ends
        buffers.worms[m, STATE] = messages.start[m]
        buffers.numbers[ALIVE] += 1
        outcome.injected[m] = cycle
        _give(m, channel, place, rules, outcome, buffers)
    tail = sent + 1 == messages.flits[m]
    _enter(m, sent, tail, channel, cycle, rules, wired, buffers)
    sources[node, SENT], sources[node, LATEST] = sent + 1, cycle
    if tail:
        sources[node, SENDING] = -1
    buffers.numbers[MOVES] += 1
    if not tail or sources[node, HEAD] >= 0:
        wake(place, cycle + 1, rules, buffers)


@inlined_kernel
def _route(
    place: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """The headers at a router, in the order of their arrival, take the first channel that is free.

    Of the channels of one wire it is the next in turn where tails are not waited for.
    """
    worms, wires = buffers.worms, buffers.wires
    before, m = -1, buffers.crowds[place - rules.routers]
    while m >= 0 and worms[m, MOVED] + rules.router < cycle:
        after = worms[m, BEHIND]
        channel, following, first_of, then = -1, -1, -1, -1
        if len(wired.route):
            first_of, then = next_channel(wired.route, 0, worms[m, STATE])
            begin, end = 0, wired.route[CLASS] if first_of >= 0 else 0
        else:
            begin, end = wired.first[worms[m, STATE]], wired.first[worms[m, STATE] + 1]
        if begin == end:
            wire = len(wires) - len(buffers.sources) + messages.destination[m]
            first, recent = wires[wire, FIRST], wires[wire, RECENT]
            channel = _free_in_turn(first, rules.ends, recent, cycle, rules, buffers)
        option = begin
        while option < end and channel < 0:
            wire, soonest = buffers.channels[_offered(option, first_of, wired), WIRE], NEVER
            while option < end:
                offered = _offered(option, first_of, wired)
                if buffers.channels[offered, WIRE] != wire:
                    break
                turn = 0
                if not rules.waits_for_tail:
                    turn = offered - wires[wire, FIRST] - wires[wire, RECENT] - 1
                    turn %= wires[wire, SHARE]
                if turn < soonest and _is_free(offered, cycle, buffers):
                    soonest, channel = turn, offered
                    following = then if first_of >= 0 else wired.following[option]
                option += 1
        if channel >= 0:
            wires[wire, RECENT] = channel - wires[wire, FIRST]
            _grant(m, channel, following, cycle, rules, wired, messages, outcome, buffers)
            _leave_crowd(place - rules.routers, before, after, buffers)
        else:
            before = m
        m = after


@inlined_kernel
def _grant(
    m: int,
    channel: int,
    following: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """A header is granted a channel, and goes on from the state that follows."""
    worms = buffers.worms
    if following >= 0:
        worms[m, STATE] = _on_next_leg(m, following, wired, messages)
    at = worms[m, HEADER]
    _give(m, channel, at, rules, outcome, buffers)
    buffers.channels[at, NEXT] = channel
    wake(at, cycle, rules, buffers)


@inlined_kernel
def _leave_crowd(router: int, before: int, after: int, buffers: FlitBuffers) -> None:
    """Take the header between two others out of those at a router."""
    if before < 0:
        buffers.crowds[router] = after
    else:
        buffers.worms[before, BEHIND] = after


@inlined_kernel
def _route_in_turn(
    place: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """Rounds in which free channels offer themselves in turn, and headers take one of the offers.

    A header that is left while a channel that it may take is free asks again in the next cycle.
    """
    worms, router, left = buffers.worms, place - rules.routers, 0
    for number in range(rules.rounds):
        left, m = 0, buffers.crowds[router]
        while m >= 0 and worms[m, MOVED] + rules.router < cycle:
            left += _ask_channels(m, cycle, rules, wired, messages, buffers)
            m = worms[m, BEHIND]
        before, m = -1, buffers.crowds[router] if left else -1
        while m >= 0 and worms[m, MOVED] + rules.router < cycle:
            after, at = worms[m, BEHIND], worms[m, HEADER]
            channel, following = _taken_offer(m, rules, wired, messages, buffers)
            if channel >= 0:
                if number == 0:
                    buffers.channels[channel, SERVED] = at
                    buffers.channels[at, TOOK] = channel
                _grant(m, channel, following, cycle, rules, wired, messages, outcome, buffers)
                _leave_crowd(router, before, after, buffers)
                left -= 1
            else:
                before = m
            m = after
        if left == 0:
            break
    if left:
        wake(place, cycle + 1, rules, buffers)


@inlined_kernel
def _options(
    m: int, rules: FlitRules, wired: Wiring, messages: Messages, buffers: FlitBuffers
) -> tuple[int, int, int, int]:
    """(first option, behind the last, the first channel or -1 if a table has them, what follows).

    At the destination the options are the channels of the ejection port.
    """
    state = buffers.worms[m, STATE]
    if len(wired.route):
        first, following = next_channel(wired.route, 0, state)
        if first >= 0:
            return 0, wired.route[CLASS], first, following
    elif wired.first[state] < wired.first[state + 1]:
        return wired.first[state], wired.first[state + 1], -1, -1
    return 0, rules.ends, rules.exits + messages.destination[m] * rules.ends, -1


@inlined_kernel
def _ask_channels(
    m: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    buffers: FlitBuffers,
) -> int:
    """Every free channel that a header may take is offered to it if it comes first in turn.

    Returns: whether there is such a channel.
    """
    channels, at, asks = buffers.channels, buffers.worms[m, HEADER], 0
    begin, end, first, _ = _options(m, rules, wired, messages, buffers)
    for option in range(begin, end):
        channel = _offered(option, first, wired)
        if _is_free(channel, cycle, buffers):
            asks = 1
            other, last = channels[channel, OFFERED], channels[channel, SERVED]
            if other < 0 or _turn(at, last, rules) < _turn(other, last, rules):
                channels[channel, OFFERED] = at
    return asks


@inlined_kernel
def _turn(channel: int, last: int, rules: FlitRules) -> int:
    """How soon it is the turn of a channel after that of another one, in ascending numbers."""
    return channel - last - 1 + (rules.sources if channel <= last else 0)


@inlined_kernel
def _taken_offer(
    m: int, rules: FlitRules, wired: Wiring, messages: Messages, buffers: FlitBuffers
) -> tuple[int, int]:
    """The channel that a header takes of its offers, -1 if it has none, and the state that follows.

    Of the first wire that offers any it is the next in turn. All offers to the header end.
    """
    channels, at = buffers.channels, buffers.worms[m, HEADER]
    begin, end, first, then = _options(m, rules, wired, messages, buffers)
    taken, following, wire, soonest = -1, -1, -1, NEVER
    for option in range(begin, end):
        channel = _offered(option, first, wired)
        if channels[channel, OFFERED] != at:
            continue
        channels[channel, OFFERED] = -1
        turn = _turn(channel, channels[at, TOOK], rules)
        if taken < 0 or (channels[channel, WIRE] == wire and turn < soonest):
            taken, wire, soonest = channel, channels[channel, WIRE], turn
            following = then if first >= 0 else wired.following[option]
    return taken, following


@inlined_kernel
def _offered(option: int, first: int, wired: Wiring) -> int:
    """The channel of an option; if routes are computed, `first` is that of option 0."""
    return int(first + option if first >= 0 else wired.option[option])


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


@inlined_kernel
def _go_on(
    channel: int,
    chosen: bool,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    buffers: FlitBuffers,
) -> None:
    """The foremost flit of a buffer goes on if it can, or asks for its wire; or is consumed."""
    channels, wires = buffers.channels, buffers.wires
    if channels[channel, HELD] == 0:
        return
    slot = front_slot(channel, rules, buffers)
    m, seen = buffers.slots[slot, WHO], buffers.slots[slot, SEEN]
    if seen >= cycle:
        wake(channel, seen + 1, rules, buffers)
        return
    flit = channels[channel, FLIT]
    tail = flit + 1 == messages.flits[m]
    if channel < rules.exits:
        following = channels[channel, NEXT]
        if following < 0:
            return
        possible = room_from(following, m, rules, buffers)
        if possible > cycle and (chosen or not _is_vacated(following, m, cycle, rules, buffers)):
            if possible < NEVER:
                wake(channel, possible, rules, buffers)
            return
        wire = channels[following, WIRE]
        if wires[wire, FREE_FROM] > cycle:
            wake(channel, wires[wire, FREE_FROM], rules, buffers)
            return
        shared = wires[wire, OWNERS] > 1  # else no other flit can ask
        if not chosen and (shared or possible > cycle):
            _ask(channel, following, cycle, rules, buffers)
            return
        if shared and wires[wire, TURN] != following:
            wake(channel, cycle + 1, rules, buffers)
            return
        wires[wire, TURN] = NOBODY
        wires[wire, FREE_FROM] = cycle + wires[wire, PERIOD]
        if rules.rounds:
            wires[wire, RECENT] = following - wires[wire, FIRST]
        buffers.numbers[ALL_FREE] = max(buffers.numbers[ALL_FREE], wires[wire, FREE_FROM])
        _enter(m, flit, tail, following, cycle, rules, wired, buffers)
        if tail and following >= rules.exits:
            outcome.delivered[m] = cycle + rules.ejection
            deliver(m, cycle + rules.ejection, messages, buffers)
    buffers.numbers[MOVES] += 1
    _leave(m, tail, channel, slot, cycle, rules, wired, buffers)


@inlined_kernel
def _is_vacated(channel: int, m: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> bool:
    """Whether a flit may be entering the slot that the one before it could leave in this cycle."""
    if buffers.vacates[channel] != cycle:
        return False
    return bool(buffers.slots[front_slot(channel, rules, buffers), WHO] == m)


@inlined_kernel
def _ask(channel: int, following: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> None:
    """A flit could move if it had the wire, and if the flits before it move: so may the next one.

    That follows in the same cycle, if credits take no time and the buffer is full.
    """
    buffers.events[rules.ring, channel >> 6] |= np.uint64(1) << np.uint64(channel & 63)
    wire = buffers.channels[following, WIRE]
    buffers.asks[following] = 1
    if buffers.wires[wire, TURN] != ASKED:
        buffers.wires[wire, TURN] = ASKED
        buffers.wanted[buffers.numbers[WANTED]] = wire
        buffers.numbers[WANTED] += 1
    full = buffers.channels[channel, HELD] == rules.depth
    if full and buffers.channels[channel, CREDIT] == 0 and buffers.vacates[channel] < cycle:
        buffers.vacates[channel] = cycle
        wake(buffers.channels[channel, FEEDER], cycle, rules, buffers)


@inlined_kernel
def _share_wires(cycle: int, rules: FlitRules, buffers: FlitBuffers) -> None:
    """Among the channels of a wire that could be crossed, choose the one whose turn it is."""
    wires = buffers.wires
    for wire in buffers.wanted[: buffers.numbers[WANTED]]:
        first, share, best = wires[wire, FIRST], wires[wire, SHARE], NOBODY
        place = cycle // wires[wire, PERIOD] % share
        if rules.rounds:
            place = (wires[wire, RECENT] + 1) % share
        for _ in range(share):
            if best == NOBODY and buffers.asks[first + place]:
                best = first + place
            buffers.asks[first + place] = 0
            place = place + 1 if place + 1 < share else 0
        wires[wire, TURN] = best
        if rules.rounds:
            wires[wire, RECENT] = best - first


@inlined_kernel
def _enter(
    m: int,
    flit: int,
    tail: bool,
    channel: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    buffers: FlitBuffers,
) -> None:
    """A flit leaves for the buffer of a channel, and is seen there later."""
    seen = cycle + buffers.channels[channel, LATENCY]
    slot, held = entry_slot(channel, rules, buffers), buffers.channels[channel, HELD]
    buffers.slots[slot, WHO], buffers.slots[slot, SEEN] = m, seen
    buffers.channels[channel, HELD] = held + 1
    if flit == 0:
        buffers.worms[m, HEADER] = channel
    if held == 0:
        buffers.channels[channel, FLIT] = flit
        _come(m, flit, channel, seen, rules, wired, buffers)
    if tail and not rules.waits_for_tail:
        enters = channel >= rules.links and channel < rules.exits
        _release(channel, cycle + (1 if enters else 2), rules, buffers)


@inlined_kernel
def _leave(
    m: int,
    tail: bool,
    channel: int,
    slot: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    buffers: FlitBuffers,
) -> None:
    """The foremost flit leaves a buffer; what waited for that goes on."""
    channels = buffers.channels
    buffers.slots[slot, GONE] = cycle
    held = channels[channel, HELD] - 1
    front = channels[channel, FRONT] + 1
    channels[channel, HELD] = held
    channels[channel, FRONT] = front if front < rules.depth else 0
    channels[channel, FLIT] += 1
    credit = channels[channel, CREDIT]
    if held + 1 == rules.depth:  # a flit may wait for the slot
        wait = credit if channels[channel, OWNER] == m else max(credit, 1)
        wake(channels[channel, FEEDER], cycle + wait, rules, buffers)
    if tail:
        channels[channel, FLIT], channels[channel, NEXT] = 0, -1
        if channel >= rules.exits:
            buffers.worms[m, HEADER] = -1
            buffers.numbers[LEFT] -= 1
            buffers.numbers[ALIVE] -= 1
        if rules.waits_for_tail:
            enters = channel >= rules.links and channel < rules.exits
            gap = max(credit, 1) if enters else credit + 1
            _release(channel, cycle + gap, rules, buffers)
    if held:
        slot = front_slot(channel, rules, buffers)
        seen = max(buffers.slots[slot, SEEN], cycle)
        m, flit = buffers.slots[slot, WHO], channels[channel, FLIT]
        _come(m, flit, channel, seen, rules, wired, buffers)


@inlined_kernel
def _release(channel: int, cycle: int, rules: FlitRules, buffers: FlitBuffers) -> None:
    """A channel may be granted again from a coming cycle on; whoever grants it looks then."""
    buffers.channels[channel, OWNER] = -1
    buffers.channels[channel, FREE_AT] = cycle
    if channel < rules.links or channel >= rules.exits:
        buffers.wires[buffers.channels[channel, WIRE], OWNERS] -= 1
    wake(buffers.keeper[channel], cycle, rules, buffers)


@inlined_kernel
def _come(
    m: int,
    flit: int,
    channel: int,
    cycle: int,
    rules: FlitRules,
    wired: Wiring,
    buffers: FlitBuffers,
) -> None:
    """A flit comes to the front of a buffer; a header is looked at by the router there.

    Behind the headers that came earlier, in order of their tie keys.
    """
    if flit or channel >= rules.exits:
        wake(channel, cycle + 1, rules, buffers)
        return
    worms = buffers.worms
    key = tie_key(rules.tie, rules.seed, m, cycle, channel)
    state = worms[m, STATE]
    router = state // wired.route[ROUTERS] if len(wired.route) else wired.router[state]
    before, after = -1, buffers.crowds[router]
    while after >= 0:
        if worms[after, MOVED] != cycle:
            is_sorted = worms[after, MOVED] < cycle
        elif worms[after, KEY] != key:
            is_sorted = worms[after, KEY] < key
        else:
            is_sorted = after < m
        if not is_sorted:
            break
        before, after = after, worms[after, BEHIND]
    worms[m, MOVED], worms[m, KEY], worms[m, BEHIND] = cycle, key, after
    if before < 0:
        buffers.crowds[router] = m
    else:
        worms[before, BEHIND] = m
    wake(rules.routers + router, cycle + rules.router + 1, rules, buffers)
