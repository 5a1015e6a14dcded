"""The fast engine: whole messages, event by event.

With one flit in a buffer and a wire for every channel a worm is contiguous, and moving or blocked
it is rigid: when its header moves, every flit moves. So a message is its header, and the cycle from
which each channel it owns is free again follows from the header's moves alone [timing]:

- when the header enters its (F + k)-th channel, the tail leaves the k-th one;
- when the header is ejected in cycle T, the flits follow without a pause, and the channel p
  places before the ejection channel is free from cycle T + F - p + 1.

Nothing else happens, so the simulation goes from event to event: "look at this router (or source)
in cycle t", when a header has arrived or a channel that somebody waits for is free. A ring of bit
sets holds the events of the coming cycles. `flit_engine` shows on many runs that this is exact.

Where virtual channels share a wire, flits of two worms take turns and worms have gaps. Headers are
granted channels as before; how worms move, and when their tails leave, is `shared_wires`. The
memory is that of `records`.
"""

from __future__ import annotations

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import borrowed, inlined_kernel, kernel, lowest_bit
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Wiring
from lccmodel.wormhole.records import (
    ACTIVE,
    BEHIND,
    CHANNEL,
    CYCLE,
    DELIVERED,
    EJECTION,
    EXIT,
    FLITS,
    FREE_FROM,
    FREE_WORM,
    HEAD,
    INJECTED,
    LATE,
    LENGTH,
    LIST,
    MESSAGE,
    MOVED,
    NEXT,
    OPTIONS,
    OPTIONS_END,
    PATH,
    READY,
    SIZE,
    START,
    STATE,
    TAIL,
    WANTED,
    BlockLayout,
    enter,
    lay_out,
    let_go,
    link,
    look_at,
    pop,
    queue,
    read_outcome,
    release,
    sooner,
    take,
)
from lccmodel.wormhole.shared_wires import begin_worm, grant, move_worms


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
        wired, messages: what to run; wires of one period.
        outcome: an empty one, receives what happened.
        tie, seed: the tie rule of `Timing` and its seed.

    Returns: the last cycle in which a header could move.
    """
    memory, at = lay_out(wired, messages, tie, seed)
    last = int(_run(memory, at, len(messages.arrivals), last_cycle))
    read_outcome(memory, at, wired.routers, last_cycle, outcome)
    return last


@kernel
def _run(owned: Ints, at: BlockLayout, arrivals: int, last_cycle: int) -> int:
    memory = borrowed(owned)  # counting references took more than half of the time
    arrived = quiet = 0
    while True:
        soonest = _soonest(memory, at, arrived, arrivals)
        if quiet > at.ring:  # nothing can move before the next message is generated
            if soonest == NEVER:
                break
            memory[at.numbers + CYCLE] = max(memory[at.numbers + CYCLE], soonest)
        cycle = memory[at.numbers + CYCLE] + 1
        if cycle > last_cycle:
            break
        memory[at.numbers + CYCLE] = cycle
        while soonest < cycle:
            late = memory[at.numbers + LATE] > 0
            if late and arrived < arrivals:
                late = sooner(memory[at.late], memory[at.arrivals + arrived], memory)
            if late:
                queue(pop(memory, at), memory, at)
            else:
                queue(memory[at.arrivals + arrived], memory, at)
                arrived += 1
            soonest = _soonest(memory, at, arrived, arrivals)
        some = _look(cycle, memory, at)
        if memory[at.numbers + ACTIVE]:
            some = True
            move_worms(cycle, memory, at)
        quiet = 0 if some else quiet + 1
    return int(memory[at.numbers + CYCLE]) - quiet


@inlined_kernel
def _soonest(memory: Ints, at: BlockLayout, arrived: int, arrivals: int) -> int:
    """The cycle in which the next message is generated."""
    soonest = NEVER
    if arrived < arrivals:
        soonest = memory[memory[at.arrivals + arrived] + READY]
    if memory[at.numbers + LATE]:
        soonest = min(soonest, memory[memory[at.late] + READY])
    return soonest


@inlined_kernel
def _look(cycle: int, memory: Ints, at: BlockLayout) -> bool:
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
def _inject(place: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """The first message of a source enters the injection channel if that is free."""
    waiting = at.places + LIST * place
    channel = at.injection + CHANNEL * (place - at.routers)
    m, free_from = memory[waiting + HEAD], memory[channel + FREE_FROM]
    if m < 0:
        return
    if free_from == NEVER:
        memory[channel + WANTED] = 1
        return
    if free_from > cycle:
        look_at(place, free_from, memory, at)
        return
    memory[waiting + HEAD] = memory[m + BEHIND]
    memory[channel + WANTED] = memory[m + BEHIND] >= 0
    worm = memory[at.numbers + FREE_WORM]
    memory[at.numbers + FREE_WORM] = memory[worm + NEXT]
    memory[worm + MESSAGE] = m
    memory[worm + FLITS] = memory[m + SIZE]
    memory[worm + EJECTION] = memory[m + EXIT]
    memory[worm + LENGTH] = 0
    memory[m + INJECTED] = cycle
    take(worm, channel, memory)
    if at.masks:
        begin_worm(worm, memory, at)
    enter(worm, memory[m + START], cycle, memory, at)


@inlined_kernel
def _route(router: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """Each header at a router takes its first free channel; the others wait."""
    wake, crowd = NEVER, at.places + LIST * router
    before, worm = -1, memory[crowd + HEAD]
    while worm >= 0 and memory[worm + MOVED] < cycle:
        after = memory[worm + NEXT]
        option, free_from = _first_free(worm, cycle, memory)
        if free_from <= cycle:
            link(crowd, before, after, memory)
            if after < 0:
                memory[crowd + TAIL] = before
            _advance(worm, option, cycle, memory, at)
        else:
            wake = min(wake, free_from)
            before = worm
        worm = after
    if wake < NEVER:
        look_at(router, wake, memory, at)


@inlined_kernel
def _first_free(worm: int, cycle: int, memory: Ints) -> tuple[int, int]:
    """(the first option that is free, -1 for ejection; since when), or when one will be."""
    soonest = NEVER
    state = memory[worm + STATE]
    option, end = memory[state + OPTIONS], memory[state + OPTIONS_END]
    if option == end:
        return -1, _asked(memory[worm + EJECTION], memory)
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
    free_from = int(memory[channel + FREE_FROM])
    if free_from == NEVER:
        memory[channel + WANTED] = 1
    return free_from


@inlined_kernel
def _advance(worm: int, option: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """The header moves on: to the next router, or out of the network."""
    if at.masks:
        grant(worm, option, memory, at)
        return
    if option < 0:
        take(worm, memory[worm + EJECTION], memory)
        _eject(worm, cycle, memory, at)
        return
    channel = memory[option]
    take(worm, channel, memory)
    left = memory[worm + LENGTH] - 1 - memory[worm + FLITS]
    if left >= 0:
        release(memory[worm + PATH + left], cycle + 1, memory, at)
    enter(worm, memory[option + 1], cycle, memory, at)


@inlined_kernel
def _eject(worm: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """The header is ejected, the flits follow: when each channel is free is known from here on."""
    m, length, flits = memory[worm + MESSAGE], memory[worm + LENGTH], memory[worm + FLITS]
    for p in range(min(length, flits + 1)):
        release(memory[worm + PATH + length - 1 - p], cycle + flits - p + 1, memory, at)
    memory[m + DELIVERED] = cycle + flits - 1
    if at.waits < at.after:
        let_go(m, memory, at)
    memory[worm + NEXT] = memory[at.numbers + FREE_WORM]
    memory[at.numbers + FREE_WORM] = worm
