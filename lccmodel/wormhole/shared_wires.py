"""Worms on wires that virtual channels share: each a set of bits, moved by arithmetic.

In a cycle one flit crosses the wire to all virtual channels of a link; those whose flit could move
take turns, number t mod V first in cycle t. So worms have gaps. Bit p of a worm says whether there
is a flit in the buffer at place p of its path (0 is the injection channel), and with L places
granted to its header

- the flits that could move are those below the highest gap, the place after the ejection channel
  being one: what is above it stands in a row up to a header that waits;
- a flit whose wire another one has stays, and so do those in a row behind it;
- the others move up by one bit, and the source fills place 0 while it has flits.

So a worm is moved in a few operations, however many flits it has in the network. Only places whose
link has two owners ask for their wire (`SHARED`); a worm that cannot move is not looked at until
its header is granted a channel. The tail is where the lowest bit is once all flits have left the
source, and a channel is free in the cycle after it has left.
"""

from __future__ import annotations

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import highest_bit, inlined_kernel, lowest_bit
from lccmodel.wormhole.records import (
    ACTIVE,
    AWAKE,
    BACK,
    BEST,
    COULD,
    DELIVERED,
    EJECTION,
    FIRST,
    FLITS,
    FREE_WORM,
    FULL,
    HOLDER,
    LENGTH,
    LIMIT,
    MASK,
    MASK_BITS,
    MESSAGE,
    NEXT,
    OCCUPIED,
    PATH,
    PENDING,
    SENT,
    SHARED,
    SPOT,
    STATE,
    WORM,
    BlockLayout,
    enter,
    let_go,
    release,
    take,
)


@inlined_kernel
def begin_worm(worm: int, memory: Ints, at: BlockLayout) -> None:
    """The header is in the injection channel, alone."""
    for mask in range(worm - MASK * at.masks, worm):
        memory[mask] = 0
    memory[worm - MASK + OCCUPIED] = 1
    memory[worm + SENT] = memory[worm + LIMIT] = 1
    memory[worm + BACK] = memory[worm + PENDING] = memory[worm + AWAKE] = 0


@inlined_kernel
def grant(worm: int, option: int, memory: Ints, at: BlockLayout) -> None:
    """The header owns one channel more, which it enters when it gets the wire."""
    if option < 0:
        take(worm, memory[worm + EJECTION], memory)
        memory[worm + LIMIT] = memory[worm + LENGTH] + 1
    else:
        channel = memory[option]
        take(worm, channel, memory)
        memory[worm + STATE] = memory[option + 1]
        memory[worm + LIMIT] = memory[worm + LENGTH]
        holder = channel - at.channels + at.holders
        memory[holder + WORM], memory[holder + SPOT] = worm, memory[worm + LENGTH] - 1
        _mark(holder, memory, at)
    memory[worm + PENDING] = 1
    if not memory[worm + AWAKE]:
        memory[worm + AWAKE] = 1
        memory[at.active + memory[at.numbers + ACTIVE]] = worm
        memory[at.numbers + ACTIVE] += 1


@inlined_kernel
def _mark(holder: int, memory: Ints, at: BlockLayout) -> None:
    """Write into the worms on a link whether each shares it."""
    begin = memory[holder + FIRST]
    owners, end = 0, begin + HOLDER * at.virtual
    for each in range(begin, end, HOLDER):
        owners += memory[each + WORM] >= 0
    for each in range(begin, end, HOLDER):
        worm, place = memory[each + WORM], memory[each + SPOT]
        if worm >= 0:
            mask = worm - MASK * (place // MASK_BITS + 1) + SHARED
            bit = 1 << place % MASK_BITS
            memory[mask] = memory[mask] | bit if owners > 1 else memory[mask] & ~bit


@inlined_kernel
def move_worms(cycle: int, memory: Ints, at: BlockLayout) -> None:
    """All that could move ask for the wires that they share; then they move.

    Who shares none moves at once: nobody's turn depends on it.
    """
    kept, end, asking = at.active, at.active + memory[at.numbers + ACTIVE], at.asking
    for k in range(at.active, end):
        worm = memory[k]
        some, shares = _ask(worm, cycle, memory, at)
        if shares:
            memory[asking] = worm
            asking += 1
        elif not some:
            memory[worm + AWAKE] = 0
        elif _move(worm, False, cycle, memory, at):
            memory[kept] = worm
            kept += 1
    for k in range(at.asking, asking):
        worm = memory[k]
        if _move(worm, True, cycle, memory, at):
            memory[kept] = worm
            kept += 1
    memory[at.numbers + ACTIVE] = kept - at.active


@inlined_kernel
def _ask(worm: int, cycle: int, memory: Ints, at: BlockLayout) -> tuple[bool, bool]:
    """Note which flits could move, and ask for wires; (are there any, and shared wires?)."""
    limit, gap, some, shares, above = memory[worm + LIMIT], False, False, False, 0
    for word in range(at.masks - 1, -1, -1):
        places = limit - MASK_BITS * word
        if places <= 0:
            continue
        mask = worm - MASK * (word + 1)
        could = occupied = memory[mask + OCCUPIED]
        if not gap:
            gaps = ~occupied & (FULL >> MASK_BITS - min(places, MASK_BITS))
            gap = gaps != 0
            could = occupied & (1 << highest_bit(gaps)) - 1 if gap else 0
        memory[mask + COULD] = could
        some = some or could != 0
        shared = memory[mask + SHARED]
        asks = could & (shared >> 1 | above << MASK_BITS - 1)
        above = shared & 1
        shares = shares or asks != 0
        while asks:
            place = MASK_BITS * word + lowest_bit(asks)
            asks &= asks - 1
            holder = memory[worm + PATH + place + 1] - at.channels + at.holders
            wire = memory[holder + FIRST] + BEST
            memory[wire] = max(memory[wire], _rank(holder, cycle, memory, at))
    return some, shares


@inlined_kernel
def _rank(holder: int, cycle: int, memory: Ints, at: BlockLayout) -> int:
    """Of a channel among those that ask for its wire in a cycle; the highest has it.

    It rises from cycle to cycle, so that what was asked before need not be forgotten.
    """
    number = (holder - memory[holder + FIRST]) // HOLDER
    return int((cycle + 1) * at.virtual - 1 - (number - cycle) % at.virtual)


@inlined_kernel
def _yield_wires(worm: int, cycle: int, memory: Ints, at: BlockLayout) -> None:
    """Flits whose wire another worm has stay, and those in a row behind them."""
    blocked, above = False, 0
    for word in range(at.masks - 1, -1, -1):
        mask = worm - MASK * (word + 1)
        could, occupied = memory[mask + COULD], memory[mask + OCCUPIED]
        shared = memory[mask + SHARED]
        asks = could & (shared >> 1 | above << MASK_BITS - 1)
        above = shared & 1
        if blocked:
            could, blocked = _halted(MASK_BITS, could, occupied)
        while asks:
            bit = lowest_bit(asks)
            asks &= asks - 1
            place = MASK_BITS * word + bit + 1
            holder = memory[worm + PATH + place] - at.channels + at.holders
            if memory[memory[holder + FIRST] + BEST] != _rank(holder, cycle, memory, at):
                could, through = _halted(bit, could & ~(1 << bit), occupied)
                blocked = blocked or through
        memory[mask + COULD] = could


@inlined_kernel
def _move(worm: int, shares: bool, cycle: int, memory: Ints, at: BlockLayout) -> bool:
    """The flits of a worm move; whether any is left in the network."""
    if shares:
        _yield_wires(worm, cycle, memory, at)
    carry = 0
    for word in range(at.masks):
        mask = worm - MASK * (word + 1)
        could = memory[mask + COULD]
        memory[mask + OCCUPIED] = memory[mask + OCCUPIED] & ~could | could << 1 & FULL | carry
        carry = could >> MASK_BITS - 1
    length, left = memory[worm + LENGTH], True
    if memory[worm + PENDING] and _bit(worm, length - 2, COULD, memory):
        memory[worm + PENDING] = 0
        if memory[worm + LIMIT] == length:
            enter(worm, memory[worm + STATE], cycle, memory, at)
    if memory[worm + LIMIT] > length:  # what is beyond the ejection channel has been consumed
        memory[worm - MASK * (length // MASK_BITS + 1) + OCCUPIED] &= ~(1 << length % MASK_BITS)
    if memory[worm + SENT] < memory[worm + FLITS]:
        first = worm - MASK + OCCUPIED
        memory[worm + SENT] += ~memory[first] & 1
        memory[first] |= 1
    elif _bit(worm, memory[worm + BACK], COULD, memory):
        left = _drag(worm, cycle, memory, at)
    return left


@inlined_kernel
def _halted(bit: int, could: int, occupied: int) -> tuple[int, bool]:
    """(what could move yet, whether none of this word's gaps ended it) if a flit above stays."""
    row = (1 << bit) - 1
    gaps = ~occupied & row
    if gaps:
        row ^= (2 << highest_bit(gaps)) - 1
    return could & ~row, gaps == 0


@inlined_kernel
def _bit(worm: int, place: int, field: int, memory: Ints) -> bool:
    mask = memory[worm - MASK * (place // MASK_BITS + 1) + field]
    return bool(mask >> place % MASK_BITS & 1)


@inlined_kernel
def _drag(worm: int, cycle: int, memory: Ints, at: BlockLayout) -> bool:
    """The tail has left the channel in which it was; whether it is still in the network."""
    back = memory[worm + BACK]
    memory[worm + BACK] = back + 1
    channel, m = memory[worm + PATH + back], memory[worm + MESSAGE]
    release(channel, cycle + 1, memory, at)
    if channel < at.injection:
        holder = channel - at.channels + at.holders
        memory[holder + WORM] = -1
        _mark(holder, memory, at)
    if back + 2 == memory[worm + LENGTH] < memory[worm + LIMIT]:
        memory[m + DELIVERED] = cycle
        if at.waits < at.after:
            let_go(m, memory, at)
    if back + 1 < memory[worm + LENGTH]:
        return True
    memory[worm + NEXT] = memory[at.numbers + FREE_WORM]
    memory[at.numbers + FREE_WORM] = worm
    return False
