"""What the bit-correction lattice states, two ranks, and the comparison with counted messages.

After the bits in S are corrected, next comes bit j:

    occupancy(S) = 2^(|S| - rank A_(S,S))        load(S, j) = 2^(|S| - rank A_(S+j,S))

If bits I lie inside a router their columns are free too: A_(S,S+I), A_(S+j,S+I), and |S|+|I| for
|S|. A scatter, which sends from Ay + b to y, has after S in every node what the gather has after
the complement R of S, and over a channel at (S, j) what the gather has at (R - j, j).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from lccmodel._jit import bit_count, kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Ints
from proofs_check.driver import Case
from proofs_check.elimination import rank_within
from proofs_check.stations import (
    by_translation,
    crossed_channels,
    held_by_nodes,
    messages,
    walk_subsets,
)
from proofs_check.walk import route

_ON_CUBE = (0,)


# -- what is stated ---------------------------------------------------------------------------


@kernel
def _stated(
    n: int,
    rows: Ints,
    S: int,
    j: int,
    scatter: bool,
    inside: int,
    rows_less: bool,
    on_cube: bool,
    basis: Ints,
) -> int:
    """The occupancy of S (j < 0) or the load of (S, j), as if every bit moved.

    Controls: `rows_less` leaves out the last row, `on_cube` is the gather's formula on a cube.
    """
    R = S
    if scatter and not on_cube:
        R = ((1 << n) - 1) & ~inside & ~S
        if j >= 0:
            R &= ~(1 << j)
    free = R if on_cube else R | inside
    fixed = R if j < 0 else R | 1 << j
    if rows_less:
        last = n - 1 if j < 0 else j
        while last > 0 and not fixed >> last & 1:
            last -= 1
        fixed &= ~(1 << last)
    exponent: int = bit_count(np.uint64(free)) - rank_within(rows, fixed, free, basis)
    return 1 << exponent


@kernel
def _tabulate(
    n: int,
    rows: Ints,
    loads: bool,
    scatter: bool,
    inside: int,
    rows_less: bool,
    on_cube: bool,
    stated: Ints,
) -> None:
    """stated[S, j] for all loads, or stated[S, 0] for all occupancies."""
    basis = np.empty(n, np.int64)
    for S in range(1 << n):
        if S & inside:
            continue
        if not loads:
            stated[S, 0] = _stated(n, rows, S, -1, scatter, inside, rows_less, on_cube, basis)
            continue
        for j in range(n):
            if not (S | inside) >> j & 1:
                stated[S, j] = _stated(n, rows, S, j, scatter, inside, rows_less, on_cube, basis)


@kernel
def _wrong_occupancy(n: int, inside: int, stated: Ints, occupied: Ints) -> bool:
    for S in range(1 << n):
        if S & inside:
            continue
        if occupied[S, 0] != stated[S, 0] or occupied[S, 1] != stated[S, 0]:
            return True
    return False


@kernel
def _wrong_bits(
    n: int, rows: Ints, b_j: int, side: int, inside: int, stated: Ints, crossing: Ints
) -> int:
    """The bits j whose channels carry another number than stated for some S, were b_j so.

    Those that move are crossing[side]. Bits that no message changes must carry none.
    """
    wrong = 0
    for j in range(n):
        if inside >> j & 1:
            continue
        still = b_j == 0 and rows[j] == 1 << j
        for S in range(1 << n):
            if S & inside or S >> j & 1:
                continue
            expected = 0 if still else stated[S, j]
            if crossing[side, S, j, 0] != expected or crossing[side, S, j, 1] != expected:
                wrong |= 1 << j
    return wrong


def tables(
    *, loads: bool, scatter: bool = False, insides: tuple[int, ...] | None = _ON_CUBE
) -> Callable[..., tuple[Ints, Ints, bool, bool]]:
    """What `as_stated` is given: sets of internal bits as masks, room, and which numbers.

    Args:
        loads: the load of every (S, j), else the occupancy of every S.
        scatter: Ay + b sends to y, else x sends to Ax + b.
        insides: the sets of internal bits to go through; None for all but the empty one.
    """

    def given(n: int, **_: bool) -> tuple[Ints, Ints, bool, bool]:
        masks = np.arange(1, 1 << n) if insides is None else np.array(insides)
        return masks, np.zeros((len(masks), 1 << n, n), np.int64), loads, scatter

    return given


def as_stated(
    case: Case,
    insides: Ints,
    stated: Ints,
    loads: bool,
    scatter: bool,
    rows_less: bool = False,
    on_cube: bool = False,
) -> bool:
    """Whether every walked number of a pair (A, b) is as stated; controls as in `_stated`."""
    n, b, rows = case.n, case.b, case.rows
    wrong = case.work[0]  # bits that are wrong where b_j = 0, where b_j = 1, and sets
    if case.is_new:
        for k in range(n):
            case.sets[k] = case.nodes[k]
        for t in range(len(insides)):
            _tabulate(n, rows, loads, scatter, insides[t], rows_less, on_cube, stated[t])
    translated = by_translation(n)
    if case.is_new or not translated:
        wrong[0] = wrong[1] = wrong[2] = 0
        walked_b, side = (0, 1) if translated else (b, 0)
        for t in range(len(insides)):
            inside = insides[t]
            walk_subsets(n, rows, walked_b, scatter, inside, case.sets, case.held, case.crossing)
            if loads:
                wrong[0] |= _wrong_bits(n, rows, 0, 0, inside, stated[t], case.crossing)
                wrong[1] |= _wrong_bits(n, rows, 1, side, inside, stated[t], case.crossing)
            else:
                wrong[2] |= _wrong_occupancy(n, inside, stated[t], case.held)
    return not (wrong[0] & ~b or wrong[1] & b or wrong[2])


def _steps(n: int, inside: int, loads: bool) -> Iterator[tuple[tuple[int, ...], int]]:
    """All (S, j) outside `inside`, or all (S, -1)."""
    external = [k for k in range(n) if not inside >> k & 1]
    for size in range(len(external) + 1):
        for S in combinations(external, size):
            yield from ((S, j) for j in external if j not in S) if loads else [(S, -1)]


def _counted(pairs: list[tuple[int, int]], S: tuple[int, ...], j: int, inside: int) -> list[int]:
    """The different numbers of messages in nodes after S, or on channels of dimension j."""
    if j < 0:
        return sorted(set(held_by_nodes(pairs, S, inside).values()))
    return sorted(set(crossed_channels(pairs, S, j, inside).values())) or [0]


def show(
    A: GF2Matrix,
    b: GF2Vector,
    *,
    loads: bool,
    scatter: bool = False,
    insides: tuple[int, ...] | None = _ON_CUBE,
    rows_less: bool = False,
    on_cube: bool = False,
) -> Mapping[str, Any]:
    """The first step where a walked number is not as stated, with the paths up to it."""
    n = len(b)
    pairs = messages(A, int(b), scatter)
    rows, basis = np.array(A.rows), np.empty(n, np.int64)
    for inside in range(1, 1 << n) if insides is None else insides:
        for S, j in _steps(n, inside, loads):
            mask = sum(1 << k for k in S)
            stated = _stated(n, rows, mask, j, scatter, inside, rows_less, on_cube, basis)
            if loads and A.rows[j] == 1 << j and not b[j]:
                stated = 0
            found = _counted(pairs, S, j, inside)
            if found != [stated]:
                shown: dict[str, Any] = {"S": S, "walked": found, "stated": stated}
                if loads:
                    shown["j"] = j
                if inside:
                    shown["inside"] = [k for k in range(n) if inside >> k & 1]
                steps = [*S, j] if loads else S
                return {**shown, "paths": [route(x, y, steps) for x, y in pairs]}
    return {}
