"""What the message engine keeps in order: who waits where, and when to look again.

Headers wait at routers in the order of their arrival, messages at their sources, and those that
wait for deliveries on a heap. A place is looked at in the cycle in which a header can be granted
something there, and in no other.
"""

from __future__ import annotations

from lccmodel._arrays import Ints
from lccmodel._jit import inlined_kernel, kernel
from lccmodel.wormhole.plan import NEVER
from lccmodel.wormhole.records import (
    AFTER,
    AFTER_END,
    BEHIND,
    CYCLE,
    DELAY,
    DELIVERED,
    FREE_FROM,
    HEAD,
    LATE,
    LENGTH,
    LIST,
    MESSAGE,
    MOVED,
    NEXT,
    PATH,
    PLACE,
    READY,
    RECORD,
    ROUTER,
    SOURCE,
    STATE,
    TAIL,
    USE,
    WAIT,
    WAITS_FOR,
    WANTED,
    BlockLayout,
)
from lccmodel.wormhole.ties import tie_key


@inlined_kernel
def look_at(place: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """Look at a place in a coming cycle."""
    memory[at.events + (cycle & at.ring - 1) * at.words + (place >> 6)] |= 1 << (place & 63)


@inlined_kernel
def queue(m: int, memory: Ints, at: BlockLayout) -> None:
    """A message is generated: it waits behind the others of its source."""
    place = at.routers + memory[m + SOURCE]
    waiting = at.places + LIST * place
    if memory[waiting + HEAD] < 0:
        memory[waiting + HEAD] = m
        look_at(place, memory[at.numbers + CYCLE], memory, at)  # `_inject` sees if it must wait
    else:
        memory[memory[waiting + TAIL] + BEHIND] = m
    memory[waiting + TAIL] = m


@inlined_kernel
def take(worm: int, channel: int, memory: Ints) -> None:
    """The header of a worm moves into a channel."""
    memory[worm + PATH + memory[worm + LENGTH]] = channel
    memory[worm + LENGTH] += 1
    memory[channel + FREE_FROM] = NEVER
    memory[channel + USE] += 1


@inlined_kernel
def enter(worm: int, state: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """The header is at a router: behind those that came earlier, in order of their tie keys."""
    router = memory[state + ROUTER]
    memory[worm + STATE], memory[worm + MOVED] = state, cycle
    crowd = at.places + LIST * router
    before, after = memory[crowd + TAIL], -1
    if before >= 0 and memory[before + MOVED] == cycle:
        key = _key(worm, memory, at)
        if _key(before, memory, at) > key:
            before, after = -1, memory[crowd + HEAD]
            while memory[after + MOVED] < cycle or _key(after, memory, at) <= key:
                before, after = after, memory[after + NEXT]
    memory[worm + NEXT] = after
    link(crowd, before, worm, memory)
    if after < 0:
        memory[crowd + TAIL] = worm
    look_at(router, cycle + 1, memory, at)


@kernel
def _key(worm: int, memory: Ints, at: BlockLayout) -> int:
    """The tie key of a worm among those that arrive with it."""
    number = (memory[worm + MESSAGE] - at.messages) // RECORD
    channel = memory[worm + PATH + memory[worm + LENGTH] - 1]
    return tie_key(at.tie, at.seed, number, memory[worm + MOVED], channel)


@inlined_kernel
def link(crowd: int, before: int, worm: int, memory: Ints) -> None:
    """In a crowd, let `worm` follow `before`, or come first if that is -1."""
    if before < 0:
        memory[crowd + HEAD] = worm
    else:
        memory[before + NEXT] = worm


@kernel
def let_go(m: int, memory: Ints, at: BlockLayout) -> None:
    """The messages that waited for the delivery of m alone are generated after their delays."""
    wait = _wait(m, at)
    since = memory[m + DELIVERED] - memory[wait + DELAY]
    for k in range(memory[wait + AFTER], memory[wait + AFTER_END]):
        waiting = memory[k]
        wait = _wait(waiting, at)
        ready = since + memory[wait + DELAY]
        memory[waiting + READY] = max(memory[waiting + READY], ready)
        memory[wait + WAITS_FOR] -= 1
        if memory[wait + WAITS_FOR] == 0:
            _push(waiting, memory, at)


@inlined_kernel
def _wait(m: int, at: BlockLayout) -> int:
    """The record of what a message waits for."""
    return at.waits + WAIT * ((m - at.messages) // RECORD)


@inlined_kernel
def release(channel: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """A channel is free from a coming cycle on; whoever waits for it looks again then."""
    memory[channel + FREE_FROM] = cycle
    if memory[channel + WANTED]:
        memory[channel + WANTED] = 0
        look_at(memory[channel + PLACE], cycle, memory, at)


@kernel
def sooner(a: int, b: int, memory: Ints) -> bool:
    """Whether message a comes before b: by cycle, then by number."""
    first, second = memory[a + READY], memory[b + READY]
    return first < second or (first == second and a < b)


@kernel
def _push(m: int, memory: Ints, at: BlockLayout) -> None:
    """Put a message on the heap of those to be generated."""
    place = memory[at.numbers + LATE]
    memory[at.numbers + LATE] += 1
    while place and sooner(m, memory[at.late + (place - 1) // 2], memory):
        memory[at.late + place] = memory[at.late + (place - 1) // 2]
        place = (place - 1) // 2
    memory[at.late + place] = m


@kernel
def pop(memory: Ints, at: BlockLayout) -> int:
    """Take the message to be generated next from the heap."""
    top, size = int(memory[at.late]), memory[at.numbers + LATE] - 1
    memory[at.numbers + LATE] = size
    last, place = memory[at.late + size], 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        other = child + 1
        if other < size and sooner(memory[at.late + other], memory[at.late + child], memory):
            child = other
        if sooner(last, memory[at.late + child], memory):
            break
        memory[at.late + place] = memory[at.late + child]
        place = child
    memory[at.late + place] = last
    return top
