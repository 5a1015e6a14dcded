"""The subset programme compiled [hou, Theorem 6].

Let h(S) be the least cost of correcting the bits outside S once those in S are corrected:

    h(all) = 0        h(S) = min over j not in S of  cost(S, j) (+) h(S + j)

where (+) is max or +, and cost(S, j) gathers the weighted loads of the members by max or sum.
h(empty) is the optimum, and a walk along minimising j's is an optimal order.

All S are visited from the full set down, i.e. in descending order as integers, so that every
S + j comes before S. Two sets in sequence share their high bits, and a stack with one elimination
state for each bit position is rebuilt from the highest changed bit down: two states a set on
average, each O(n) word operations. A state keeps all rows of A reduced against its pivots
(`lattice.elimination.GrowingRank`), which answers every j at once:

- gather: rank A_(S+j, S∪I) is one more than rank A_(S, S∪I) exactly if row j, reduced, still has
  an entry in the columns S∪I. The state holds S.
- scatter: with R the bits outside S, rank A_(R, R∪I-j) is one less than rank A_(R, R∪I) exactly
  if j is a pivot column whose row has no other entry. The state holds R.

Bits 0..m-1 are the ones to order; bits m..n-1 are internal to the router.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lccmodel._jit import bit_count, kernel, lowest_bit

__all__ = ["UNREACHABLE", "cost_to_go", "count_orders"]

Words = npt.NDArray[np.uint32]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ONE = np.uint32(1)
COLUMNS, ADDED, PIVOTED = 0, 1, 2
"""Masks of a state: columns that count, rows that count, and those of them that hold a pivot."""

UNREACHABLE = 1 << 61
"""The cost of a step that exceeds a member's cap, and of a set from which every order does."""


@kernel
def _clear(V: Words, row: int, column: int) -> None:
    """Make (row, column) a pivot: clear the column in every other row, without branches."""
    value = V[row]
    for i in range(V.shape[0]):
        V[i] ^= value * (V[i] >> np.uint32(column) & ONE)
    V[row] = value


@kernel
def _grow(V: Words, masks: Words, k: int) -> None:
    """Add row k and column k to a state."""
    bit = ONE << np.uint32(k)
    entries = V[k] & masks[COLUMNS]
    masks[ADDED] |= bit
    if entries:
        _clear(V, k, lowest_bit(entries))
        masks[PIVOTED] |= bit
    masks[COLUMNS] |= bit
    waiting = masks[ADDED] & ~masks[PIVOTED]
    while waiting:
        i = lowest_bit(waiting)
        if V[i] & bit:
            _clear(V, i, k)
            masks[PIVOTED] |= ONE << np.uint32(i)
            return
        waiting &= waiting - ONE


@kernel
def _settle(
    S: int, level: int, scatter: Flags, V: npt.NDArray[np.uint32], masks: npt.NDArray[np.uint32]
) -> None:
    """Rebuild the states of bit positions level-1, ..., 0 from the state above them."""
    members, n = V.shape[1], V.shape[2]
    for k in range(level - 1, -1, -1):
        for r in range(members):
            for i in range(n):
                V[k, r, i] = V[k + 1, r, i]
            for i in range(3):
                masks[k, r, i] = masks[k + 1, r, i]
            if (S >> k & 1 == 1) != scatter[r]:
                _grow(V[k, r], masks[k, r], k)


@kernel
def _lone_pivots(V: Words, masks: Words) -> np.uint32:
    """The pivot columns whose row has no other entry: no other column can replace them."""
    lone = np.uint32(0)
    waiting = masks[PIVOTED]
    while waiting:
        entries = V[lowest_bit(waiting)] & masks[COLUMNS]
        if entries & (entries - ONE) == 0:
            lone |= entries
        waiting &= waiting - ONE
    return lone


@kernel
def _step_costs(
    outside: int,
    scatter: Flags,
    moves: Words,
    weights: Integers,
    caps: Integers,
    summed: bool,
    V: npt.NDArray[np.uint32],
    masks: npt.NDArray[np.uint32],
    costs: Integers,
) -> None:
    """cost(S, j) for every j outside S, into `costs`."""
    costs[:] = 0
    for r in range(scatter.shape[0]):
        columns = masks[0, r, COLUMNS]
        nullity = bit_count(columns) - bit_count(masks[0, r, PIVOTED])
        lone = _lone_pivots(V[0, r], masks[0, r]) if scatter[r] else np.uint32(0)
        waiting = np.uint32(outside) & moves[r]
        while waiting:
            j = lowest_bit(waiting)
            waiting &= waiting - ONE
            if scatter[r]:  # one column less, and one rank less where the column is lone
                exponent = nullity - 1 + (1 if lone >> np.uint32(j) & ONE else 0)
            else:
                exponent = nullity - (1 if V[0, r, j] & columns else 0)
            load = weights[r] << exponent
            if load > caps[r]:
                load = np.int64(UNREACHABLE)
            costs[j] = min(costs[j] + load, UNREACHABLE) if summed else max(costs[j], load)


@kernel
def _sweep(
    rows: Words,
    m: int,
    scatter: Flags,
    moves: Words,
    weights: Integers,
    caps: Integers,
    summed: bool,
    path_summed: bool,
    h: Integers,
    bound: int,
    counts: npt.NDArray[np.uint64],
) -> None:
    """One visit of all subsets: fills h, or, given h and the optimum, counts optimal endings."""
    members, n = rows.shape
    V = np.zeros((m + 1, members, n), dtype=np.uint32)
    masks = np.zeros((m + 1, members, 3), dtype=np.uint32)
    costs = np.zeros(m, dtype=np.int64)
    V[m] = rows
    for k in range(m, n):
        masks[m, :, COLUMNS] |= ONE << np.uint32(k)
    full = (1 << m) - 1
    counting = counts.shape[0] > 0
    if counting:
        counts[full] = np.uint64(1)
    else:
        h[full] = 0
    _settle(full, m, scatter, V, masks)
    for S in range(full - 1, -1, -1):
        _settle(S, lowest_bit(np.uint32(S + 1)) + 1, scatter, V, masks)
        outside = full & ~S
        _step_costs(outside, scatter, moves, weights, caps, summed, V, masks, costs)
        best = np.int64(UNREACHABLE)
        ways = np.uint64(0)
        waiting = np.uint32(outside)
        while waiting:
            j = lowest_bit(waiting)
            waiting &= waiting - ONE
            after = S | 1 << j
            if counting:
                if costs[j] + h[after] == h[S] if path_summed else costs[j] <= bound:
                    ways += counts[after]
            else:
                value = costs[j] + h[after] if path_summed else max(costs[j], h[after])
                best = min(best, value)
        if counting:
            counts[S] = ways
        else:
            h[S] = best


def cost_to_go(
    rows: Words,
    m: int,
    scatter: Flags,
    moves: Words,
    weights: Integers,
    caps: Integers,
    objective: str,
) -> Integers:
    """h(S) for all 2^m subsets, as int64 indexed by the subset as an integer.

    Args:
        rows: packed rows of the members, shape (members, n), dtype uint32.
        m: how many bits are ordered; bits m..n-1 are internal.
        scatter: which members are scatters.
        moves: per member, the bits that some message changes.
        weights: positive integers, one a member.
        caps: the largest weighted load allowed to each member.
        objective: "max-max", "max-sum" or "sum-sum".
    """
    h = np.empty(1 << m, dtype=np.int64)
    nothing = np.empty(0, dtype=np.uint64)
    summed, path_summed = objective != "max-max", objective == "sum-sum"
    _sweep(rows, m, scatter, moves, weights, caps, summed, path_summed, h, 0, nothing)
    return h


def count_orders(
    rows: Words,
    m: int,
    scatter: Flags,
    moves: Words,
    weights: Integers,
    caps: Integers,
    objective: str,
    h: Integers,
) -> int:
    """How many of the m! orders reach the optimum h(empty); exact for m <= 20 (20! < 2^64)."""
    counts = np.zeros(1 << m, dtype=np.uint64)
    summed, path_summed = objective != "max-max", objective == "sum-sum"
    _sweep(rows, m, scatter, moves, weights, caps, summed, path_summed, h, int(h[0]), counts)
    return int(counts[0])
