"""Algorithm HL, processor by processor: what each sees, what it chooses, who moves.

`choice_of` is the whole local rule: a processor's own address, its own tags, and what it and
they remember; nothing else goes in (but for the reading "cube", which is not local: what others
have chosen before). The other kernels gather what stands in a processor, check
that processors in lockstep came to the same bit, and move one tag from each.

Rows of `state`, int64 of shape (ROWS, 2^n), one column for every processor, or for every message
where the name says so:

    HELD        tags in the processor            CHOICE     the bit it chooses, or -1
    UNION       or of its tags                   MOVED      the message it sends, or -1
    COMMON      and of its tags                  RECEIVED   messages that arrive
    LAST        a message that stands there      AFTER      host of every message after the step
    USED        bits it has used so far          CORRECTED  of a message: bits it was brought
    SUBCUBE     least processor of its subcube              in line in
    SCOPE       bits open to it in this step
    VOTE, VOTER, CROWD   bit chosen, by whom, and most tags in the subcube of which it is the least
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Ints
from lccmodel.kernels.jit import highest_bit, kernel, light_kernel, lowest_bit
from lccmodel.permutations.self_routing.readings import (
    BY_TREE,
    DELIVERED,
    DISAGREEMENT,
    NEITHER_STATE,
    THIRD_TAG,
    TWO_ARRIVE,
    UNDELIVERED,
)

Bytes = npt.NDArray[np.int8]

_SIMD, _M_SIMD, _MIMD = range(3)
_AGREE, _PAIRS, _STATES = range(3)
_DIFFER, _TAG, _PROCESSOR, _CUBE = range(4)
_MODE, _READING, _VARIANT, _CAPACITY, _RECEIVE, _PARTITION, _N = range(7)

ROWS = 15
_HELD, _UNION, _COMMON, _LAST, _USED, CHOICE, _MOVED, _RECEIVED, _AFTER = range(9)
_CORRECTED, _SUBCUBE, _VOTE, _VOTER, _CROWD, _SCOPE = range(9, ROWS)


@kernel
def _first_bit(candidates: int, greatest: int) -> int:
    """The least bit of a set, or the greatest; -1 if the set is empty."""
    if candidates == 0:
        return -1
    word = np.uint64(candidates)
    return int(highest_bit(word) if greatest else lowest_bit(word))


@light_kernel
def scope_of(starts: Ints, u: int, step: int, n: int) -> int:
    """The bits of the part in which processor u is in this step; all without a tree."""
    everything = (1 << n) - 1
    if len(starts) == 0 or step >= n:
        return everything
    low = high = step
    while not starts[u] >> low & 1:
        low -= 1
    high += 1
    while high < n and not starts[u] >> high & 1:
        high += 1
    return (1 << high) - (1 << low)


@kernel
def choice_of(
    rules: Ints,
    scope: int,
    processor: int,
    held: int,
    union: int,
    common: int,
    corrected: int,
    used: int,
    used_by_any: int,
) -> int:
    """The bit that a processor chooses from what it sees; -1 if it does nothing."""
    everything = (1 << rules[_N]) - 1
    if held == 0:
        return -1
    if held > 1:
        candidates = union & ~common
    elif rules[_MODE] != _MIMD or rules[_READING] == _TAG:
        candidates = everything & ~corrected
    elif rules[_READING] == _DIFFER:
        candidates = processor ^ union
    elif rules[_READING] == _PROCESSOR:
        candidates = everything & ~used
    else:
        candidates = everything & ~used_by_any
    return _first_bit(candidates & scope, rules[_VARIANT])


@kernel
def _gather(tags: Ints, hosts: Ints, state: Ints) -> None:
    """What stands in every processor."""
    held, union, common, last = state[_HELD], state[_UNION], state[_COMMON], state[_LAST]
    held[:] = 0
    union[:] = 0
    common[:] = -1
    for x in range(len(tags)):
        u = hosts[x]
        held[u] += 1
        union[u] |= tags[x]
        common[u] &= tags[x]
        last[u] = x


@kernel
def _choose(rules: Ints, starts: Ints, step: int, state: Ints, used_by_any: int) -> int:
    """Every processor chooses for itself; the bits that are chosen, as a set."""
    scope = state[_SCOPE]
    held, union, common, last = state[_HELD], state[_UNION], state[_COMMON], state[_LAST]
    corrected, used, choice = state[_CORRECTED], state[_USED], state[CHOICE]
    chosen = 0
    for u in range(state.shape[1]):
        settled = corrected[last[u]] if held[u] == 1 else 0
        scope[u] = scope_of(starts, u, step, rules[_N])
        bit = choice_of(
            rules, scope[u], u, held[u], union[u], common[u], settled, used[u], used_by_any
        )
        choice[u] = bit
        if bit >= 0:
            chosen |= 1 << bit
    return chosen


@kernel
def _subcube(rules: Ints, u: int, used: int, scope: int) -> int:
    """The least processor of the subcube in which u works in lockstep."""
    if rules[_MODE] == _SIMD:
        return 0
    if rules[_PARTITION] == BY_TREE:
        return int(u & ~scope)
    fixed = used | rules[_PARTITION]
    if fixed == (1 << rules[_N]) - 1:  # only the partitions are left to be permuted
        fixed = used
    return int(u & fixed)


@kernel
def _survey(rules: Ints, state: Ints) -> tuple[int, int, int]:
    """Put the subcube of every processor into SUBCUBE, and the most tags in it into CROWD."""
    held, used, subcube, crowd = state[_HELD], state[_USED], state[_SUBCUBE], state[_CROWD]
    crowd[:] = 0
    for u in range(len(held)):
        least = _subcube(rules, u, used[u], state[_SCOPE, u])
        if (
            rules[_PARTITION] != BY_TREE and used[least] != used[u]
        ):  # a partition that the tags do not respect
            return DISAGREEMENT, least, u
        subcube[u] = least
        crowd[least] = max(crowd[least], held[u])
    if rules[_READING] == _STATES:
        for u in range(len(held)):
            most = crowd[subcube[u]]
            if most > 2 or not (held[u] == most or (held[u] == 0 and most == 2)):
                return NEITHER_STATE, u, subcube[u]
    return DELIVERED, -1, -1


@kernel
def _lockstep(rules: Ints, state: Ints) -> tuple[int, int, int]:
    """Let every subcube use one bit; (how it ends, processor, another processor)."""
    end, u, v = _survey(rules, state)
    if end != DELIVERED:
        return end, u, v
    held, used, subcube, choice = state[_HELD], state[_USED], state[_SUBCUBE], state[CHOICE]
    vote, voter, crowd = state[_VOTE], state[_VOTER], state[_CROWD]
    vote[:] = -1
    for u in range(len(held)):
        least, bit = subcube[u], choice[u]
        if bit < 0 or (rules[_READING] == _PAIRS and held[u] == 1 and crowd[least] > 1):
            continue
        if vote[least] < 0:
            vote[least], voter[least] = bit, u
        elif vote[least] != bit:
            return DISAGREEMENT, voter[least], u
    for u in range(len(held)):
        bit = vote[subcube[u]]
        choice[u] = bit if held[u] else -1
        if bit >= 0:
            used[u] |= 1 << bit
    return DELIVERED, -1, -1


@kernel
def _move(rules: Ints, tags: Ints, hosts: Ints, state: Ints) -> tuple[int, int, int]:
    """Send one wrong tag from every processor that chose; (how it ends, processor, -1)."""
    held, choice, after = state[_HELD], state[CHOICE], state[_AFTER]
    moved, received = state[_MOVED], state[_RECEIVED]
    moved[:] = -1
    received[:] = 0
    for x in range(len(tags)):
        u = hosts[x]
        bit = choice[u]
        after[x] = u
        if bit >= 0 and (u ^ tags[x]) >> bit & 1 and moved[u] < 0:
            moved[u] = x
            after[x] = u ^ 1 << bit
            received[u ^ 1 << bit] += 1
    for u in range(len(tags)):
        if received[u] > rules[_RECEIVE]:
            return TWO_ARRIVE, u, -1
        if held[u] - (moved[u] >= 0) + received[u] > rules[_CAPACITY]:
            return THIRD_TAG, u, -1
    return DELIVERED, -1, -1


@kernel
def _remember(rules: Ints, tags: Ints, hosts: Ints, state: Ints) -> None:
    """Tags keep the bits in which they were brought in line; in MIMD processors keep theirs."""
    choice, after, corrected, used = state[CHOICE], state[_AFTER], state[_CORRECTED], state[_USED]
    for x in range(len(tags)):
        bit = choice[hosts[x]]
        if bit >= 0 and not (after[x] ^ tags[x]) >> bit & 1:
            corrected[x] |= 1 << bit
    if rules[_MODE] == _MIMD:
        for u in range(len(tags)):
            if choice[u] >= 0:
                used[u] |= 1 << choice[u]


@kernel
def _first_astray(tags: Ints, hosts: Ints) -> int:
    for x in range(len(tags)):
        if hosts[x] != tags[x]:
            return x
    return -1


@light_kernel
def route(
    tags: Ints,
    rules: Ints,
    starts: Ints,
    steps: int,
    positions: Ints,
    choices: Bytes,
    state: Ints,
) -> tuple[int, int, int, int]:
    """Route all tags.

    Args:
        tags: the destination of the message of every node, int64 of shape (2^n,).
        rules: `Rules.codes`.
        starts: `Rules.starts`.
        steps: the most steps; after n of them the routing ends when all are delivered.
        positions: receives the host of every message, int64 of shape (steps + 1, 2^n).
        choices: receives the bit that every processor chooses, int8 of shape (steps, 2^n).
        state: scratch, int64 of shape (ROWS, 2^n).

    Returns: how it ends, the steps that were made, and two processors (or a message) concerned.
    """
    state[_USED] = 0
    state[_CORRECTED] = 0
    used_by_any = 0
    for x in range(len(tags)):
        positions[0, x] = x
    for step in range(steps):
        hosts = positions[step]
        if step >= rules[_N] and _first_astray(tags, hosts) < 0:
            return DELIVERED, step, -1, -1
        _gather(tags, hosts, state)
        used_by_any |= _choose(rules, starts, step, state, used_by_any)
        if rules[_MODE] != _MIMD:
            end, u, v = _lockstep(rules, state)
            if end != DELIVERED:
                return end, step, u, v
        end, u, v = _move(rules, tags, hosts, state)
        if end != DELIVERED:
            return end, step, u, v
        _remember(rules, tags, hosts, state)
        for x in range(len(tags)):
            positions[step + 1, x] = state[_AFTER, x]
            choices[step, x] = state[CHOICE, x]
    astray = _first_astray(tags, positions[steps])
    return (DELIVERED if astray < 0 else UNDELIVERED), steps, astray, -1


@light_kernel
def route_many(permutations: Ints, rules: Ints, starts: Ints, steps: int, ends: Bytes) -> None:
    """How the routing of each row of `permutations` ends; int64 of shape (m, 2^n), int8 (m,)."""
    size = permutations.shape[1]
    positions = np.empty((steps + 1, size), np.int64)
    choices = np.empty((steps, size), np.int8)
    state = np.zeros((ROWS, size), np.int64)
    for k in range(len(permutations)):
        ends[k] = route(permutations[k], rules, starts, steps, positions, choices, state)[0]


@light_kernel
def first_no_permutation(rows: Ints) -> int:
    """The first row that is not a permutation of its indices, or -1."""
    seen = np.full(rows.shape[1], -1, np.int64)
    for k in range(len(rows)):
        for y in rows[k]:
            if y < 0 or y >= len(seen) or seen[y] == k:
                return k
            seen[y] = k
    return -1
