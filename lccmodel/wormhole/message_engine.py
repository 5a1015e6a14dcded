"""The fast engine: whole messages, event by event.

With one flit in a buffer a worm is contiguous, and moving or blocked it is rigid: when its header
moves, every flit moves. So a message is its header, and the cycle from which each channel it owns
is free again follows from the header's moves alone [timing]:

- when the header enters its (F + k)-th channel, the tail leaves the k-th one;
- when the header is ejected in cycle T, the flits follow without a pause, and the channel p
  places before the ejection channel is free from cycle T + F - p + 1.

Nothing else happens, so the simulation goes from event to event: "look at this router (or source)
in cycle t", when a header has arrived or a channel that somebody waits for is free. A ring of bit
sets holds the events of the coming cycles. `flit_engine` shows on many runs that this is exact.

It needs a wire for every channel: with several virtual channels on a link flits of two worms take
turns, worms are not rigid, and the flit engine has to be used.

All arrays of a run lie in one block of memory, and `at` says where: handing thirty arrays from
kernel to kernel would cost more than the work.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lccmodel._jit import inlined_kernel, kernel, lowest_bit
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Wiring
from lccmodel.wormhole.ties import tie_key

__all__ = ["run_messages"]

Ints = npt.NDArray[np.int64]

# Records lie in the memory side by side; the address of a record is its name.
_FREE_WORM, _CYCLE, _LATE, _NUMBERS = range(4)
_FREE_FROM, _WANTED, _USE, _PLACE, _CHANNEL = range(5)
_OPTIONS, _OPTIONS_END, _ROUTER, _STATE_SIZE = range(4)
_HEAD, _TAIL, _LIST = range(3)
_NEXT, _MESSAGE, _STATE, _MOVED, _FLITS, _EJECTION, _LENGTH, _PATH = range(8)
_BEHIND, _SOURCE, _EXIT, _START, _SIZE, _READY, _INJECTED, _DELIVERED = range(8)
_AFTER, _AFTER_END, _WAITS_FOR, _DELAY, _RECORD = range(8, 13)


class _Layout(NamedTuple):
    """Sizes, and where the records begin in the block of memory.

    Attributes:
        places: routers, then nodes; each has a list: the worms whose headers are at a router, in
            the order in which it looks at them, or the messages that wait at a source.
        channels: records of the channels of links, then of injection, then of ejection: the
            first cycle in which it may be granted, whether a header waits for it although that is
            not known, how often it was taken, and the place that grants it.
        states, options: the routing table; an option is a channel and the state that follows.
        events: a set of places for every cycle modulo `ring`, in words of 64 bits.
        worms, messages: their records; `late` is a heap of messages to be generated after
            deliveries; `after`, `arrivals` as in `Messages`.
    """

    routers: int
    tie: int
    seed: int
    ring: int
    words: int
    injection: int
    ejection: int
    numbers: int
    places: int
    states: int
    options: int
    channels: int
    worms: int
    events: int
    messages: int
    after: int
    arrivals: int
    late: int


def run_messages(
    wired: Wiring,
    messages: Messages,
    outcome: Outcome,
    last_cycle: int = NEVER,
    tie: int = 0,
    seed: int = 0,
) -> int:
    """Run until nothing is left to do, or to the end of `last_cycle`.

    Args:
        wired, messages: what to run; one virtual channel a link.
        outcome: an empty one, receives what happened.
        tie, seed: the tie rule of `Timing` and its seed.

    Returns: the last cycle in which a header could move.
    """
    memory, at = _lay_out(wired, messages, tie, seed)
    last = int(_run(memory, at, len(messages.arrivals), last_cycle))
    _read_messages(memory, at, last_cycle, outcome)
    for router in range(wired.routers):
        worm = int(memory[at.places + _LIST * router + _HEAD])
        while worm >= 0:
            _read_worm(memory, at, worm, outcome)
            worm = int(memory[worm + _NEXT])
    return last


@kernel
def _read_messages(memory: Ints, at: _Layout, last_cycle: int, outcome: Outcome) -> None:
    for number in range(len(outcome.ready)):
        m = at.messages + _RECORD * number
        if memory[m + _WAITS_FOR] == 0 and memory[m + _READY] < last_cycle:
            outcome.ready[number] = memory[m + _READY]
        outcome.injected[number] = memory[m + _INJECTED]
        if memory[m + _DELIVERED] <= last_cycle:  # of a header that is ejected it is foreseen
            outcome.delivered[number] = memory[m + _DELIVERED]
    for c in range(len(outcome.use)):
        outcome.use[c] = memory[at.channels + _CHANNEL * c + _USE]


def _read_worm(memory: Ints, at: _Layout, worm: int, outcome: Outcome) -> None:
    """A worm whose header waits at the end, and the channels that it holds."""
    m = (memory[worm + _MESSAGE] - at.messages) // _RECORD
    path = memory[worm + _PATH : worm + _PATH + memory[worm + _LENGTH]]
    held = path[-memory[worm + _FLITS] :]
    outcome.owner[(held - at.channels) // _CHANNEL] = m
    outcome.waiting[m] = (memory[worm + _STATE] - at.states) // _STATE_SIZE


def _lay_out(wired: Wiring, messages: Messages, tie: int, seed: int) -> tuple[Ints, _Layout]:
    links, nodes = len(wired.tail), len(wired.node_router)
    buffers = links + 2 * nodes
    record = _PATH + wired.longest
    ring = 1 << int(max(wired.longest, messages.flits.max(initial=0)) + 4).bit_length()
    words = (wired.routers + nodes + 63) // 64
    lengths = {
        "numbers": _NUMBERS,
        "places": _LIST * (wired.routers + nodes),
        "states": _STATE_SIZE * len(wired.router),
        "options": 2 * len(wired.option),
        "channels": _CHANNEL * buffers,
        "worms": record * buffers,
        "events": ring * words,
        "messages": _RECORD * len(messages.source),
        "after": len(messages.after),
        "arrivals": len(messages.arrivals),
        "late": len(messages.source),
    }
    begins = np.cumsum([0, *lengths.values()]).tolist()
    starts = dict(zip(lengths, begins, strict=False))
    injection = starts["channels"] + _CHANNEL * links
    ejection = injection + _CHANNEL * nodes
    at = _Layout(wired.routers, tie, seed, ring, words, injection, ejection, **starts)
    memory = np.empty(begins[-1], dtype=np.int64)
    memory[: at.messages] = 0
    memory[at.places : at.states] = -1
    _lay_out_network(memory, at, wired)
    _lay_out_messages(memory, at, messages)
    worms = at.worms + record * np.arange(buffers)  # each names the next free one
    memory[worms] = np.append(worms[1:], -1)
    memory[at.numbers + _FREE_WORM] = worms[0]
    return memory, at


def _lay_out_network(memory: Ints, at: _Layout, wired: Wiring) -> None:
    states = memory[at.states : at.options].reshape(-1, _STATE_SIZE)
    states[:, _OPTIONS] = at.options + 2 * wired.first[:-1]
    states[:, _OPTIONS_END] = at.options + 2 * wired.first[1:]
    states[:, _ROUTER] = wired.router
    options = memory[at.options : at.channels].reshape(-1, 2)
    options[:, 0] = at.channels + _CHANNEL * wired.option
    options[:, 1] = at.states + _STATE_SIZE * wired.following
    nodes = wired.routers + np.arange(len(wired.node_router))
    channels = memory[at.channels : at.worms].reshape(-1, _CHANNEL)
    channels[:, _PLACE] = np.concatenate([wired.tail, nodes, wired.node_router])


def _lay_out_messages(memory: Ints, at: _Layout, messages: Messages) -> None:
    _fill_records(memory, at, messages)
    memory[at.after : at.arrivals] = at.messages + _RECORD * messages.after
    memory[at.arrivals : at.late] = at.messages + _RECORD * messages.arrivals


@kernel
def _fill_records(memory: Ints, at: _Layout, messages: Messages) -> None:
    """Message by message, which is several times as fast as field by field."""
    for number in range(len(messages.source)):
        m = at.messages + _RECORD * number
        memory[m + _BEHIND] = -1
        memory[m + _SOURCE] = messages.source[number]
        memory[m + _EXIT] = at.ejection + _CHANNEL * messages.destination[number]
        memory[m + _START] = at.states + _STATE_SIZE * messages.start[number]
        memory[m + _SIZE] = messages.flits[number]
        memory[m + _READY] = messages.ready[number]
        memory[m + _INJECTED] = memory[m + _DELIVERED] = NEVER
        memory[m + _AFTER] = at.after + messages.after_first[number]
        memory[m + _AFTER_END] = at.after + messages.after_first[number + 1]
        memory[m + _WAITS_FOR] = messages.waits_for[number]
        memory[m + _DELAY] = messages.delay[number]


@kernel
def _run(memory: Ints, at: _Layout, arrivals: int, last_cycle: int) -> int:
    arrived = quiet = 0
    while True:
        soonest = _soonest(memory, at, arrived, arrivals)
        if quiet > at.ring:  # nothing can move before the next message is generated
            if soonest == NEVER:
                break
            memory[at.numbers + _CYCLE] = max(memory[at.numbers + _CYCLE], soonest)
        cycle = memory[at.numbers + _CYCLE] + 1
        if cycle > last_cycle:
            break
        memory[at.numbers + _CYCLE] = cycle
        while soonest < cycle:
            late = memory[at.numbers + _LATE] > 0
            if late and arrived < arrivals:
                late = _sooner(memory[at.late], memory[at.arrivals + arrived], memory)
            if late:
                _queue(_pop(memory, at), memory, at)
            else:
                _queue(memory[at.arrivals + arrived], memory, at)
                arrived += 1
            soonest = _soonest(memory, at, arrived, arrivals)
        quiet = 0 if _look(cycle, memory, at) else quiet + 1
    return int(memory[at.numbers + _CYCLE]) - quiet


@inlined_kernel
def _soonest(memory: Ints, at: _Layout, arrived: int, arrivals: int) -> int:
    """The cycle in which the next message is generated."""
    soonest = NEVER
    if arrived < arrivals:
        soonest = memory[memory[at.arrivals + arrived] + _READY]
    if memory[at.numbers + _LATE]:
        soonest = min(soonest, memory[memory[at.late] + _READY])
    return soonest


@inlined_kernel
def _schedule(place: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """Look at a place in a coming cycle."""
    memory[at.events + (cycle & at.ring - 1) * at.words + (place >> 6)] |= 1 << (place & 63)


@inlined_kernel
def _queue(m: int, memory: Ints, at: _Layout) -> None:
    """A message is generated: it waits behind the others of its source."""
    place = at.routers + memory[m + _SOURCE]
    waiting = at.places + _LIST * place
    if memory[waiting + _HEAD] < 0:
        memory[waiting + _HEAD] = m
        _schedule(place, memory[at.numbers + _CYCLE], memory, at)  # `_inject` sees if it must wait
    else:
        memory[memory[waiting + _TAIL] + _BEHIND] = m
    memory[waiting + _TAIL] = m


@inlined_kernel
def _look(cycle: int, memory: Ints, at: _Layout) -> bool:
    """All events of a cycle, in any order: what happens in it is seen in the next. Any at all?"""
    some = False
    begin = at.events + (cycle & at.ring - 1) * at.words
    for w in range(at.words):
        word = np.uint64(memory[begin + w])
        if word:
            some = True
            memory[begin + w] = 0
        while word:
            place = (w << 6) + lowest_bit(word)
            word &= word - np.uint64(1)
            if place < at.routers:
                _route(place, cycle, memory, at)
            else:
                _inject(place, cycle, memory, at)
    return some


@inlined_kernel
def _inject(place: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """The first message of a source enters the injection channel if that is free."""
    waiting = at.places + _LIST * place
    channel = at.injection + _CHANNEL * (place - at.routers)
    m, free_from = memory[waiting + _HEAD], memory[channel + _FREE_FROM]
    if m < 0:
        return
    if free_from == NEVER:
        memory[channel + _WANTED] = 1
        return
    if free_from > cycle:
        _schedule(place, free_from, memory, at)
        return
    memory[waiting + _HEAD] = memory[m + _BEHIND]
    memory[channel + _WANTED] = memory[m + _BEHIND] >= 0
    worm = memory[at.numbers + _FREE_WORM]
    memory[at.numbers + _FREE_WORM] = memory[worm + _NEXT]
    memory[worm + _MESSAGE] = m
    memory[worm + _FLITS] = memory[m + _SIZE]
    memory[worm + _EJECTION] = memory[m + _EXIT]
    memory[worm + _LENGTH] = 0
    memory[m + _INJECTED] = cycle
    _take(worm, channel, memory)
    _enter(worm, memory[m + _START], cycle, memory, at)


@inlined_kernel
def _take(worm: int, channel: int, memory: Ints) -> None:
    """The header of a worm moves into a channel."""
    memory[worm + _PATH + memory[worm + _LENGTH]] = channel
    memory[worm + _LENGTH] += 1
    memory[channel + _FREE_FROM] = NEVER
    memory[channel + _USE] += 1


@inlined_kernel
def _enter(worm: int, state: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """The header is at a router: behind those that came earlier, in order of their tie keys."""
    router = memory[state + _ROUTER]
    memory[worm + _STATE], memory[worm + _MOVED] = state, cycle
    crowd = at.places + _LIST * router
    before, after = memory[crowd + _TAIL], -1
    if before >= 0 and memory[before + _MOVED] == cycle:
        key = _key(worm, memory, at)
        if _key(before, memory, at) > key:
            before, after = -1, memory[crowd + _HEAD]
            while memory[after + _MOVED] < cycle or _key(after, memory, at) <= key:
                before, after = after, memory[after + _NEXT]
    memory[worm + _NEXT] = after
    _link(crowd, before, worm, memory)
    if after < 0:
        memory[crowd + _TAIL] = worm
    _schedule(router, cycle + 1, memory, at)


@kernel
def _key(worm: int, memory: Ints, at: _Layout) -> int:
    """The tie key of a worm among those that arrive with it."""
    number = (memory[worm + _MESSAGE] - at.messages) // _RECORD
    channel = memory[worm + _PATH + memory[worm + _LENGTH] - 1]
    return tie_key(at.tie, at.seed, number, memory[worm + _MOVED], channel)


@inlined_kernel
def _link(crowd: int, before: int, worm: int, memory: Ints) -> None:
    """In a crowd, let `worm` follow `before`, or come first if that is -1."""
    if before < 0:
        memory[crowd + _HEAD] = worm
    else:
        memory[before + _NEXT] = worm


@inlined_kernel
def _route(router: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """Each header at a router takes its first free channel; the others wait."""
    wake, crowd = NEVER, at.places + _LIST * router
    before, worm = -1, memory[crowd + _HEAD]
    while worm >= 0 and memory[worm + _MOVED] < cycle:
        after = memory[worm + _NEXT]
        option, free_from = _first_free(worm, cycle, memory)
        if free_from <= cycle:
            _link(crowd, before, after, memory)
            if after < 0:
                memory[crowd + _TAIL] = before
            _advance(worm, option, cycle, memory, at)
        else:
            wake = min(wake, free_from)
            before = worm
        worm = after
    if wake < NEVER:
        _schedule(router, wake, memory, at)


@inlined_kernel
def _first_free(worm: int, cycle: int, memory: Ints) -> tuple[int, int]:
    """(the first option that is free, -1 for ejection; since when), or when one will be."""
    soonest = NEVER
    state = memory[worm + _STATE]
    option, end = memory[state + _OPTIONS], memory[state + _OPTIONS_END]
    if option == end:
        return -1, _asked(memory[worm + _EJECTION], memory)
    while option < end:
        free_from = _asked(memory[option], memory)
        if free_from <= cycle:
            return option, free_from
        soonest = min(soonest, free_from)
        option += 2
    return -1, soonest


@inlined_kernel
def _asked(channel: int, memory: Ints) -> int:
    """The first cycle in which a channel may be granted; if that is open, note that one waits."""
    free_from = int(memory[channel + _FREE_FROM])
    if free_from == NEVER:
        memory[channel + _WANTED] = 1
    return free_from


@inlined_kernel
def _advance(worm: int, option: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """The header moves on: to the next router, or out of the network."""
    if option < 0:
        _take(worm, memory[worm + _EJECTION], memory)
        _eject(worm, cycle, memory, at)
        return
    channel = memory[option]
    _take(worm, channel, memory)
    left = memory[worm + _LENGTH] - 1 - memory[worm + _FLITS]
    if left >= 0:
        _release(memory[worm + _PATH + left], cycle + 1, memory, at)
    _enter(worm, memory[option + 1], cycle, memory, at)


@inlined_kernel
def _eject(worm: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """The header is ejected, the flits follow: when each channel is free is known from here on."""
    m, length, flits = memory[worm + _MESSAGE], memory[worm + _LENGTH], memory[worm + _FLITS]
    for p in range(min(length, flits + 1)):
        _release(memory[worm + _PATH + length - 1 - p], cycle + flits - p + 1, memory, at)
    memory[m + _DELIVERED] = cycle + flits - 1
    for k in range(memory[m + _AFTER], memory[m + _AFTER_END]):
        waiting = memory[k]
        ready = memory[m + _DELIVERED] + memory[waiting + _DELAY]
        memory[waiting + _READY] = max(memory[waiting + _READY], ready)
        memory[waiting + _WAITS_FOR] -= 1
        if memory[waiting + _WAITS_FOR] == 0:
            _push(waiting, memory, at)
    memory[worm + _NEXT] = memory[at.numbers + _FREE_WORM]
    memory[at.numbers + _FREE_WORM] = worm


@inlined_kernel
def _release(channel: int, cycle: int, memory: Ints, at: _Layout) -> None:
    """A channel is free from a coming cycle on; whoever waits for it looks again then."""
    memory[channel + _FREE_FROM] = cycle
    if memory[channel + _WANTED]:
        memory[channel + _WANTED] = 0
        _schedule(memory[channel + _PLACE], cycle, memory, at)


@kernel
def _sooner(a: int, b: int, memory: Ints) -> bool:
    """Whether message a comes before b: by cycle, then by number."""
    first, second = memory[a + _READY], memory[b + _READY]
    return first < second or (first == second and a < b)


@kernel
def _push(m: int, memory: Ints, at: _Layout) -> None:
    """Put a message on the heap of those to be generated."""
    place = memory[at.numbers + _LATE]
    memory[at.numbers + _LATE] += 1
    while place and _sooner(m, memory[at.late + (place - 1) // 2], memory):
        memory[at.late + place] = memory[at.late + (place - 1) // 2]
        place = (place - 1) // 2
    memory[at.late + place] = m


@kernel
def _pop(memory: Ints, at: _Layout) -> int:
    """Take the message to be generated next from the heap."""
    top, size = int(memory[at.late]), memory[at.numbers + _LATE] - 1
    memory[at.numbers + _LATE] = size
    last, place = memory[at.late + size], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        other = child + 1
        if other < size and _sooner(memory[at.late + other], memory[at.late + child], memory):
            child = other
        if _sooner(last, memory[at.late + child], memory):
            break
        memory[at.late + place] = memory[at.late + child]
        place = child
    memory[at.late + place] = last
    return top
