"""The memory of the message engine: one block of words, and where everything lies in it.

Handing thirty arrays from kernel to kernel would cost more than the work, so all arrays of a run
lie in one block, and `BlockLayout` says where. What belongs together is a record - a message, a
worm, a channel, a state of the routing table - and the address of a record is its name.

Headers wait at routers in the order of their arrival, messages at their sources, and those that
wait for deliveries on a heap. A place is looked at in the cycle in which a header can be granted
something there, and in no other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import inlined_kernel, kernel
from lccmodel.routing.computed import CLASS, ROUTERS, next_channel
from lccmodel.wormhole.plan import NEVER, Messages, Outcome, Wiring, for_engines
from lccmodel.wormhole.timing import seed_word, tie_key

# Records lie in the memory side by side; the address of a record is its name.
FREE_WORM, CYCLE, LATE, ACTIVE, NUMBERS = range(5)
FREE_FROM, WANTED, USE, PLACE, CHANNEL = range(5)
OPTIONS, OPTIONS_END, ROUTER, STATE_SIZE = range(4)
NUMBER = STATE_SIZE  # only in the states of worms whose routes are computed
HEAD, TAIL, LIST = range(3)
LIMIT, LENGTH, BACK, SENT, FLITS, PENDING, NEXT, STATE, MOVED, MESSAGE, EJECTION, AWAKE, PATH = (
    range(13)
)
BEHIND, SOURCE, EXIT, START, SIZE, READY, INJECTED, DELIVERED, THEN, RECORD = range(10)
AFTER, AFTER_END, WAITS_FOR, DELAY, WAIT = range(5)

# Where virtual channels share wires. Masks lie before the record of their worm, the first last;
# a channel of a link has two records at the same distance from their beginnings.
OCCUPIED, SHARED, COULD, MASK = range(4)
WORM, SPOT, FIRST, BEST, HOLDER = range(5)
MASK_BITS = 62
FULL = (1 << MASK_BITS) - 1


class BlockLayout(NamedTuple):
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
        waits: what each message waits for, and who waits for it; empty if none waits.
        virtual: channels that share a wire; the rest is for several. `masks`: words of the bits
            of a worm's path, else 0. `holders`: the worm on every channel of a link, at which
            place of its path, the first channel of the link, and there who has the wire.
        legs: 2 if some messages have a second leg, whose first state is in their records; else 1.
            `active`: the worms that may move, `asking`: those of them that share a wire.
        computed: 1 if routes are computed from `route`; each worm then has a state of its own, of
            which its options are written when its header comes to a router. `record`: numbers of a
            worm; `share`: options that a state has.
    """

    routers: int
    tie: int
    seed: int
    virtual: int
    masks: int
    legs: int
    ring: int
    words: int
    computed: int
    record: int
    share: int
    injection: int
    ejection: int
    numbers: int
    route: int
    places: int
    states: int
    options: int
    channels: int
    holders: int
    active: int
    asking: int
    worms: int
    events: int
    messages: int
    waits: int
    after: int
    arrivals: int
    late: int


@kernel
def _read_messages(memory: Ints, at: BlockLayout, last_cycle: int, outcome: Outcome) -> None:
    for number in range(len(outcome.ready)):
        m = at.messages + RECORD * number
        open_waits = 0 if at.waits == at.after else memory[at.waits + WAIT * number + WAITS_FOR]
        if open_waits == 0 and memory[m + READY] < last_cycle:
            outcome.ready[number] = memory[m + READY]
        outcome.injected[number] = memory[m + INJECTED]
        if memory[m + DELIVERED] <= last_cycle:  # of a header that is ejected it is foreseen
            outcome.delivered[number] = memory[m + DELIVERED]
    for c in range(len(outcome.use)):
        outcome.use[c] = memory[at.channels + CHANNEL * c + USE]


def _read_worm(memory: Ints, at: BlockLayout, worm: int, outcome: Outcome) -> None:
    """A worm that has not reached its end, and the channels that it holds."""
    m = (memory[worm + MESSAGE] - at.messages) // RECORD
    path = memory[worm + PATH : worm + PATH + memory[worm + LENGTH]]
    held = path[memory[worm + BACK] :] if at.masks else path[-memory[worm + FLITS] :]
    outcome.owner[(held - at.channels) // CHANNEL] = m
    if not (at.masks and memory[worm + PENDING]):
        state = memory[worm + STATE]
        waiting = memory[state + NUMBER] if at.computed else (state - at.states) // STATE_SIZE
        outcome.waiting[m] = waiting


def lay_out(wired: Wiring, messages: Messages, tie: int, seed: int) -> tuple[Ints, BlockLayout]:
    """The memory of a run that has not begun, and where everything lies in it."""
    links, nodes = len(wired.tail), len(wired.node_router)
    buffers = links + 2 * nodes
    virtual = links // len(wired.period) if links else 1
    masks = (wired.longest // MASK_BITS + 1) * (virtual > 1)
    record = MASK * masks + PATH + wired.longest
    most = max(1, min(buffers, len(messages.source)))  # a worm in the network holds a channel
    computed = int(len(wired.route) > 0)
    share = int(wired.route[CLASS]) if computed else 0
    ahead = 1 if masks else int(max(wired.longest, messages.flits.max(initial=0))) + 4
    ring = 1 << ahead.bit_length()
    words = (wired.routers + nodes + 63) // 64
    lengths = {
        "numbers": NUMBERS,
        "route": len(wired.route),
        "places": LIST * (wired.routers + nodes),
        "states": (STATE_SIZE + 1) * most if computed else STATE_SIZE * len(wired.router),
        "options": 2 * share * most if computed else 2 * len(wired.option),
        "channels": CHANNEL * buffers,
        "holders": HOLDER * links * bool(masks),
        "active": most * bool(masks),
        "asking": most * bool(masks),
        "worms": record * most,
        "events": ring * words,
        "messages": RECORD * len(messages.source),
        "waits": WAIT * len(messages.source) * bool(messages.waits_for.any()),
        "after": len(messages.after),
        "arrivals": len(messages.arrivals),
        "late": len(messages.source),
    }
    begins = np.cumsum([0, *lengths.values()]).tolist()
    starts = dict(zip(lengths, begins, strict=False))
    injection = starts["channels"] + CHANNEL * links
    ejection = injection + CHANNEL * nodes
    legs = 1 + bool((messages.then >= 0).any())
    own = (computed, record, share)
    sizes = (wired.routers, tie, seed_word(seed), virtual, masks, legs, ring, words, *own)
    at = BlockLayout(*sizes, injection, ejection, **starts)
    memory = np.empty(begins[-1], dtype=np.int64)
    memory[: at.messages] = 0
    memory[at.places : at.states] = -1
    _lay_out_network(memory, at, wired)
    _lay_out_messages(memory, at, messages)
    worms = at.worms + MASK * masks + record * np.arange(most)  # each names the next free one
    memory[worms + NEXT] = np.append(worms[1:], -1)
    memory[at.numbers + FREE_WORM] = worms[0]
    return memory, at


def _lay_out_network(memory: Ints, at: BlockLayout, wired: Wiring) -> None:
    memory[at.route : at.places] = wired.route
    if not at.computed:
        _lay_out_states(memory, at, wired)
    nodes = wired.routers + np.arange(len(wired.node_router))
    channels = memory[at.channels : at.holders].reshape(-1, CHANNEL)
    channels[:, PLACE] = np.concatenate([wired.tail, nodes, wired.node_router])
    holders = memory[at.holders : at.active].reshape(-1, at.virtual, HOLDER)
    holders[:, :, WORM] = -1
    holders[:, :, FIRST] = at.holders + HOLDER * at.virtual * np.arange(len(holders))[:, None]


def _lay_out_states(memory: Ints, at: BlockLayout, wired: Wiring) -> None:
    states = memory[at.states : at.options].reshape(-1, STATE_SIZE)
    states[:, OPTIONS] = at.options + 2 * wired.first[:-1]
    states[:, OPTIONS_END] = at.options + 2 * wired.first[1:]
    states[:, ROUTER] = wired.router
    options = memory[at.options : at.channels].reshape(-1, 2)
    options[:, 0] = at.channels + CHANNEL * wired.option
    options[:, 1] = at.states + STATE_SIZE * wired.following


def _lay_out_messages(memory: Ints, at: BlockLayout, messages: Messages) -> None:
    _fill_records(memory, at, for_engines(messages))
    waits = memory[at.waits : at.after].reshape(-1, WAIT)
    if len(waits):
        waits[:, AFTER] = at.after + messages.after_first[:-1]
        waits[:, AFTER_END] = at.after + messages.after_first[1:]
        waits[:, WAITS_FOR] = messages.waits_for
        waits[:, DELAY] = messages.delay
    memory[at.after : at.arrivals] = at.messages + RECORD * messages.after
    memory[at.arrivals : at.late] = at.messages + RECORD * messages.arrivals


@kernel
def _fill_records(memory: Ints, at: BlockLayout, messages: Messages) -> None:
    """Message by message, which is several times as fast as field by field."""
    for number in range(len(messages.source)):
        m = at.messages + RECORD * number
        memory[m + BEHIND] = -1
        memory[m + SOURCE] = messages.source[number]
        memory[m + EXIT] = at.ejection + CHANNEL * messages.destination[number]
        start = messages.start[number]
        memory[m + START] = start if at.computed else at.states + STATE_SIZE * start
        memory[m + SIZE] = messages.flits[number]
        memory[m + READY] = messages.ready[number]
        memory[m + INJECTED] = memory[m + DELIVERED] = NEVER
        memory[m + THEN] = 0
        if at.legs > 1 and messages.then[number] >= 0:
            memory[m + THEN] = at.states + STATE_SIZE * messages.then[number]


def read_outcome(
    memory: Ints, at: BlockLayout, routers: int, last_cycle: int, outcome: Outcome
) -> None:
    """Enter what happened to every message and channel."""
    _read_messages(memory, at, last_cycle, outcome)
    for router in range(routers):
        worm = int(memory[at.places + LIST * router + HEAD])
        while worm >= 0:
            _read_worm(memory, at, worm, outcome)
            worm = int(memory[worm + NEXT])
    for worm in memory[at.active : at.active + memory[at.numbers + ACTIVE]].tolist():
        if memory[worm + LIMIT] == memory[worm + LENGTH]:
            _read_worm(memory, at, worm, outcome)


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
    """The header is at a router: behind those that came earlier, in order of their tie keys.

    At the end of its first leg it begins the second. Where routes are computed, `state` is a number
    as in `routing.computed`.
    """
    if at.computed:
        state = _own_state(worm, state, memory, at)
    if at.legs > 1 and memory[state + OPTIONS] == memory[state + OPTIONS_END]:
        m = memory[worm + MESSAGE]
        if memory[m + THEN]:
            state = memory[m + THEN]
            memory[m + THEN] = 0
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


@inlined_kernel
def _own_state(worm: int, number: int, memory: Ints, at: BlockLayout) -> int:
    """Write the options of a header into the state of its worm."""
    place = (worm - at.worms) // at.record
    state, option = at.states + (STATE_SIZE + 1) * place, at.options + 2 * at.share * place
    channel, following = next_channel(memory, at.route, number)
    memory[state + NUMBER] = number
    memory[state + ROUTER] = number // memory[at.route + ROUTERS]
    memory[state + OPTIONS] = memory[state + OPTIONS_END] = option
    if channel >= 0:
        memory[state + OPTIONS_END] = option + 2 * at.share
        for k in range(at.share):
            memory[option + 2 * k] = at.channels + CHANNEL * (channel + k)
            memory[option + 2 * k + 1] = following
    return state


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
