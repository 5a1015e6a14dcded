"""The subset programme compiled: prices of a range of sets, and one pass of relaxation.

Let h(S) be the least cost of correcting the bits outside S once those in S are corrected:

    h(all) = 0        h(S) = min over j not in S of  cost(S, j) (+) h(S + j)

where (+) is max or +. h(empty) is the optimum, and a walk along minimising j's is an optimal order
[hou, Theorem 6]. Sets are visited from the full one down, i.e. in descending order as integers, so
that every S + j comes before S. They are taken in chunks that stay in cache: `fill_*` writes
cost(S, j) for a chunk, `relax` and `count` read it, and neither knows where the prices come from.

Where the dearest step decides, few sets are met on the way to the answer. `least_path` walks from
the empty set over steps of price 0; with no way on, the cheapest step that was left out is what
every order must pay, and the walk begins anew with that price allowed.

Ranks. Two sets in sequence share their high bits, and a stack with one elimination state for each
bit position is rebuilt from the highest changed bit down: two states a set on average, each O(n)
word operations. A state keeps all rows of A reduced against its pivots (`lattice.ranks`):

- gather: rank A_(S+j, S∪I) is one more than rank A_(S, S∪I) exactly if row j, reduced, still has
  an entry in the columns S∪I. The state holds S.
- scatter: with R the bits outside S, rank A_(R, R∪I-j) is one less than rank A_(R, R∪I) exactly
  if j is a pivot column whose row has no other entry. The state holds R.

Bits 0..m-1 are the ones to order; bits m..n-1 are internal to the router.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.ground.arrays import Flags, Ints, Words
from lccmodel.kernels.jit import inlined_kernel, kernel, light_kernel, lowest_bit

ONE = np.uint32(1)

UNREACHABLE = 1 << 61
"""The cost of a step that exceeds a member's cap, and of a set from which every order does."""

GAVE_UP = -1
"""What `least_path` returns when it has met more sets than it may."""


@inlined_kernel
def _reduce(columns: Words, start: int, stop: int, pivot: np.uint32, row: np.uint32) -> None:
    """Add row `row`, which has its pivot now, to all rows with an entry in the pivot column."""
    others = pivot & ~(ONE << row)
    for c in range(start, stop):
        columns[c] ^= others * (columns[c] >> row & ONE)


@inlined_kernel
def _grow(
    k: int,
    base: int,
    free: int,
    unpaired: np.uint32,
    columns: Words,
    names: Words,
    pivots: Words,
) -> tuple[int, np.uint32]:
    """Add row k and column k to a state; how many columns are free, which rows without a pivot.

    From `base` on, the state holds columns 0..k, then the free ones. A column that becomes a
    pivot is a unit vector from then on, and is forgotten.
    """
    row, own = np.uint32(k), base + k
    unpaired |= ONE << row
    for f in range(own + 1, own + 1 + free):
        if columns[f] >> row & ONE:  # row k takes a free column as its pivot
            pivot, pivots[base + k] = columns[f], names[f]
            columns[f], names[f] = columns[own + free], names[own + free]
            free -= 1
            _reduce(columns, base, own + 1 + free, pivot, row)
            unpaired ^= ONE << row
            break
    takes = columns[own] & unpaired
    if takes == 0:  # column k is free, and stands where the free ones begin
        return free + 1, unpaired
    waits = np.uint32(lowest_bit(takes))  # free columns have no entry in a row that waits
    pivots[base + waits] = names[own]
    _reduce(columns, base, own, columns[own], waits)
    columns[own], names[own] = columns[own + free], names[own + free]
    return free, unpaired ^ ONE << waits


@inlined_kernel
def _cheaper(
    base: int, free: int, paired: np.uint32, scatter: bool, columns: Words, pivots: Words
) -> np.uint32:
    """The bits whose step costs half of what the others cost."""
    entries = np.uint32(0)
    for f in range(base, base + free):
        entries |= columns[f]
    if not scatter:
        return entries  # row j has an entry in a free column
    lone = np.uint32(0)  # pivot columns whose row has no other entry cannot be replaced
    waiting = paired & ~entries
    while waiting:
        lone |= ONE << pivots[base + lowest_bit(waiting)]
        waiting &= waiting - ONE
    return ~lone


@kernel
def _add_member(
    first: int,
    costs: npt.NDArray[np.int64],
    column_of: Words,
    scatter: bool,
    moves: np.uint32,
    weight: int,
    cap: int,
    summed: bool,
) -> None:
    """Add one member's loads to the prices of a chunk, or take the larger; see `fill_ranks`."""
    sets, m = costs.shape
    n = column_of.size
    width = n + 1  # of a state: columns 0..k-1 and the free ones, with one to spare
    columns = np.zeros((m + 1) * width, dtype=np.uint32)
    names = np.zeros((m + 1) * width, dtype=np.uint32)
    pivots = np.zeros((m + 1) * width, dtype=np.uint32)
    free = np.zeros(m + 1, dtype=np.int64)
    unpaired = np.zeros(m + 1, dtype=np.uint32)
    free[m] = n - m
    for c in range(n):
        columns[m * width + c], names[m * width + c] = column_of[c], c
    full = (1 << m) - 1
    level = m
    for S in range(first + sets - 1, first - 1, -1):
        for k in range(level - 1, -1, -1):  # rebuild the states below the highest changed bit
            base, above = k * width, (k + 1) * width
            for c in range(k + 1 + free[k + 1]):
                columns[base + c] = columns[above + c]
            if scatter:  # which column is whose pivot matters to scatters only
                for i in range(width):
                    names[base + i], pivots[base + i] = names[above + i], pivots[above + i]
            if (S >> k & 1 == 1) != scatter:
                free[k], unpaired[k] = _grow(
                    k, base, free[k + 1], unpaired[k + 1], columns, names, pivots
                )
            else:  # column k goes, and the last free one takes its place
                free[k], unpaired[k] = free[k + 1], unpaired[k + 1]
                columns[base + k] = columns[base + k + free[k]]
                names[base + k] = names[base + k + free[k]]
        level = lowest_bit(np.uint32(S)) + 1 if S else 0  # the highest bit in which S - 1 differs
        held = np.uint32(full & ~S if scatter else S)
        cheaper = _cheaper(0, free[0], held & ~unpaired[0], scatter, columns, pivots)
        dear = np.int64(weight) << free[0]
        cheap = dear >> 1 if dear >> 1 <= cap else np.int64(UNREACHABLE)
        dear = dear if dear <= cap else np.int64(UNREACHABLE)
        at = S - first
        if summed:
            for j in range(m):
                load = cheap if cheaper >> np.uint32(j) & ONE else dear
                load = load if moves >> np.uint32(j) & ONE else np.int64(0)
                costs[at, j] = min(costs[at, j] + load, UNREACHABLE)
        else:
            for j in range(m):
                load = cheap if cheaper >> np.uint32(j) & ONE else dear
                load = load if moves >> np.uint32(j) & ONE else np.int64(0)
                costs[at, j] = max(costs[at, j], load)


@light_kernel
def fill_ranks(
    first: int,
    costs: npt.NDArray[np.int64],
    columns: Words,
    scatter: Flags,
    moves: Words,
    weights: Ints,
    caps: Ints,
    summed: bool,
) -> None:
    """Prices of the sets first, first + 1, ... by ranks.

    Args:
        first: the least set of the chunk.
        costs: receives cost(first + s, j) for j outside the set, int64 of shape (sets, m).
        columns: packed columns of the members, (members, n), the m ordered bits first.
        scatter: which members are scatters.
        moves: per member, the bits that some message changes.
        weights: positive integers, one a member.
        caps: the largest weighted load allowed to each member.
        summed: whether the members' loads are added up; else the largest counts.
    """
    for at in range(costs.shape[0]):
        for j in range(costs.shape[1]):
            costs[at, j] = 0
    for r in range(columns.shape[0]):
        _add_member(first, costs, columns[r], scatter[r], moves[r], weights[r], caps[r], summed)


@light_kernel
def relax(first: int, costs: npt.NDArray[np.int64], path_summed: bool, h: Ints) -> None:
    """h of the sets of a chunk from its prices and the h of all greater sets."""
    sets, m = costs.shape
    full = (1 << m) - 1
    for S in range(first + sets - 1, first - 1, -1):
        best = np.int64(0 if S == full else UNREACHABLE)
        waiting = np.uint32(full & ~S)
        while waiting:
            j = lowest_bit(waiting)
            waiting &= waiting - ONE
            cost, after = costs[S - first, j], h[S | 1 << j]
            best = min(best, cost + after if path_summed else max(cost, after))
        h[S] = best


@light_kernel
def count(
    first: int,
    costs: npt.NDArray[np.int64],
    path_summed: bool,
    h: Ints,
    ways: npt.NDArray[Any],
) -> None:
    """How many optimal endings each set of a chunk has; uint64, exact for m <= 20."""
    sets, m = costs.shape
    full = (1 << m) - 1
    for S in range(first + sets - 1, first - 1, -1):
        paths = np.uint64(1 if S == full else 0)
        waiting = np.uint32(full & ~S)
        while waiting:
            j = lowest_bit(waiting)
            waiting &= waiting - ONE
            after = S | 1 << j
            cost = costs[S - first, j]
            if cost + h[after] == h[S] if path_summed else cost <= h[0]:
                paths += ways[after]
        ways[S] = paths


@inlined_kernel
def _split(costs: npt.NDArray[np.int64], S: int, top: int, beyond: int) -> tuple[np.uint32, int]:
    """The steps after S that cost `top` at most, and the least price beyond, of these or before."""
    steps = np.uint32(0)
    for j in range(costs.shape[1]):
        if not S >> j & 1:
            if costs[0, j] <= top:
                steps |= ONE << np.uint32(j)
            else:
                beyond = min(beyond, costs[0, j])
    return steps, beyond


@kernel
def least_path(
    columns: Words,
    scatter: Flags,
    moves: Words,
    weights: Ints,
    caps: Ints,
    summed: bool,
    top: int,
    visits: int,
    order: Ints,
) -> int:
    """The least price, `top` or more, so that steps of this price suffice; and the first order.

    Args:
        columns, scatter, moves, weights, caps, summed: see `fill_ranks`.
        top: the price that is allowed from the beginning.
        visits: how many sets may be priced.
        order: receives the first order, in lexicographic order, of steps of that price at most.

    Returns: the price; `UNREACHABLE` if every order exceeds a cap, `GAVE_UP` after `visits` sets.
    """
    m = order.size
    full = (1 << m) - 1
    costs = np.zeros((1, m), dtype=np.int64)
    left = np.zeros(m + 1, dtype=np.uint32)  # at each depth the steps that are still to be tried
    seen = np.zeros(1 << m, dtype=np.uint32)  # the last walk that met a set; few pages are touched
    walk = np.uint32(0)
    while top < UNREACHABLE:
        walk += ONE
        beyond = UNREACHABLE
        S, depth = 0, 0
        arrived = True
        while depth >= 0:
            if arrived:
                if S == full:
                    return top
                if visits == 0:
                    return GAVE_UP
                visits -= 1
                fill_ranks(S, costs, columns, scatter, moves, weights, caps, summed)
                left[depth], beyond = _split(costs, S, top, beyond)
            arrived = False
            if left[depth]:
                j = lowest_bit(left[depth])
                left[depth] &= left[depth] - ONE
                if seen[S | 1 << j] != walk:
                    S |= 1 << j
                    seen[S] = walk
                    order[depth] = j
                    depth += 1
                    arrived = True
            else:  # a dead end: the last step is taken back
                depth -= 1
                if depth >= 0:
                    S ^= 1 << order[depth]
        top = beyond
    return UNREACHABLE
