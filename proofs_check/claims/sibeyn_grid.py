"""An explicit SIMD mesh in kernels, and the passes of [sibeyn, section 3] on it.

The mesh has 2^⌈n/2⌉ columns and 2^⌊n/2⌋ rows; even bits of a number are the column, odd bits the
row. A processor has the registers olddata and newdata, and a third one, transit, in which data
travel: a routing step moves transit one processor on, in one direction for all. `lost` counts
data that fall off the mesh or are overwritten; nothing is moved but by `unit_shift`.

What a pass does is judged by following every datum d by itself: y_d is where it would be if the
one-bit operations were permutations, ȳ of [sibeyn, section 3], and position_d follows from
"route d to bc(x) if x_(i+1) != c_i + W⁽ⁱ⁾_i y_d".
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lccmodel._jit import bit_count, kernel
from proofs_check.arrays import Ints

EMPTY = -1
LOST, BAD_BCS, BAD_ECBCS, UNDELIVERED = 1, 2, 4, 8
"""What `run_mesh` may find: a sum of these."""

ALWAYS, TRIVIAL_VL, IDLE = 0, 1, 2
"""Which passes are run: all; not those with VL⁽ⁱ⁾ = I; not those that select nobody."""


@kernel
def grid_shape(n: int) -> tuple[int, int]:
    """(rows, columns)."""
    return 1 << n // 2, 1 << (n + 1) // 2


@kernel
def set_places(n: int, places: Ints) -> None:
    """places[r, c]: the shuffled row-major number of the processor."""
    rows, columns = grid_shape(n)
    for r in range(rows):
        for c in range(columns):
            number = 0
            for i in range(n):
                number |= ((r if i & 1 else c) >> (i >> 1) & 1) << i
            places[r, c] = number


@kernel
def unit_shift(transit: Ints, vertical: bool, sign: int) -> int:
    """One routing step; returns how many data fall off."""
    rows, columns = transit.shape
    lost = 0
    outer, inner = (columns, rows) if vertical else (rows, columns)
    for line in range(outer):
        held = EMPTY
        for step in range(inner + 1):
            place = step if sign > 0 else inner - 1 - step
            if step == inner:
                lost += held != EMPTY
            elif vertical:
                held, transit[place, line] = transit[place, line], held
            else:
                held, transit[line, place] = transit[line, place], held
    return lost


@kernel
def _swap_where(first: Ints, second: Ints, places: Ints, bit: int, value: int) -> None:
    for r in range(places.shape[0]):
        for c in range(places.shape[1]):
            if places[r, c] >> bit & 1 == value:
                first[r, c], second[r, c] = second[r, c], first[r, c]


@kernel
def complement(bit: int, newdata: Ints, transit: Ints, places: Ints) -> tuple[int, int]:
    """BC: route newdata to the processors whose bit differs. (unit shifts, data lost)."""
    distance = 1 << (bit >> 1)
    lost = steps = 0
    _swap_where(newdata, transit, places, bit, 0)
    for sign in (1, -1):
        for _ in range(distance):
            lost += unit_shift(transit, bool(bit & 1), sign)
            steps += 1
        _swap_where(newdata, transit, places, bit, 1 if sign > 0 else 0)
    for r in range(places.shape[0]):
        for c in range(places.shape[1]):
            lost += transit[r, c] != EMPTY
    return steps, lost


@kernel
def believed(x: int, first: int, i: int) -> int:
    """ȳ as printed: (x_(n-1), ..., x_(i+1), x_i, x_i, x_(i-1), ..., x_(k+1), x_(k-1), ..., x_0)."""
    y = x
    for t in range(first, i):
        y = y & ~(1 << t) | (x >> (t + 1) & 1) << t
    return y


@kernel
def run_mesh(
    n: int,
    index_of: Ints,
    bits: Ints,
    W: Ints,
    VL: Ints,
    c: int,
    count: int,
    first: Ints,
    last: Ints,
    images: Ints,
    places: Ints,
    shifts_y: bool,
    swaps_back: bool,
    skipping: int,
) -> tuple[int, int]:
    """Route y = Ax + b by BCsRoute and ECBCsRoute. (unit shifts, what went wrong).

    Args:
        index_of: the index Bx of every number.
        bits: B; bits[i] is the bit of the number that is bit i of the index.
        W, VL: of shape (n, n); c the bits c_i; count, first, last the cycles.
        images: the destination of every number; places: from `set_places`.
        shifts_y: ECBCsRoute uses ȳ; without, a wrong variant that uses x.
        swaps_back: step 4 of BCsRoute; without, a wrong variant.
        skipping: which passes are run.
    """
    rows, columns = places.shape
    size = 1 << n
    olddata = places.copy()
    newdata = np.full((rows, columns), EMPTY, np.int64)
    transit = np.full((rows, columns), EMPTY, np.int64)
    y, at = index_of.copy(), np.arange(size)  # y_d, and where d has to be by the rule
    steps = wrong = 0
    for i in range(n):
        k, l = -1, -1  # noqa: E741 - the paper's letters
        for t in range(count):
            if first[t] <= i <= last[t]:
                k, l = first[t], last[t]  # noqa: E741 - the names of the print
        corrected = i if k < 0 else (i + 1 if i < l else k)
        W_row, c_i, bit = W[i, i], c >> i & 1, bits[corrected]
        if skipping == TRIVIAL_VL and VL[i, i] == 1 << i:
            continue
        if skipping == IDLE and k < 0 and W_row == 1 << i and not c_i:
            continue
        kind = BAD_BCS if k < 0 else BAD_ECBCS
        for r in range(rows):
            for s in range(columns):
                x = index_of[places[r, s]]
                seen = believed(x, k, i) if k >= 0 and shifts_y else x
                selected = (x >> corrected & 1) != c_i ^ (bit_count(W_row & seen) & 1)
                old, new = olddata[r, s], newdata[r, s]
                for datum, leaves in ((old, selected), (new, not selected)):
                    if datum != EMPTY:
                        own = (x >> corrected & 1) != c_i ^ (bit_count(W_row & y[datum]) & 1)
                        wrong |= kind * (own != leaves)
                if k < 0:
                    across = x ^ 1 << i
                    there = (across >> i & 1) != c_i ^ (bit_count(W_row & across) & 1)
                    wrong |= kind * (selected != there)
                if selected:
                    olddata[r, s], newdata[r, s] = new, old
        for d in range(size):
            target = c_i ^ (bit_count(W_row & y[d]) & 1)
            y[d] = y[d] & ~(1 << i) | target << i
            at[d] = at[d] & ~(1 << bit) | target << bit
        took, lost = complement(bit, newdata, transit, places)
        steps += took
        wrong |= LOST * (lost != 0)
        if k < 0 and swaps_back:  # by step 2: the rule is the same for a processor and its partner
            for r in range(rows):
                for s in range(columns):
                    x = index_of[places[r, s]]
                    if (x >> i & 1) != c_i ^ (bit_count(W_row & x) & 1):
                        olddata[r, s], newdata[r, s] = newdata[r, s], olddata[r, s]
        if i == l:
            for d in range(size):
                top = y[d] >> l & 1
                inside = (1 << l) - (1 << k)
                y[d] = y[d] & ~(inside | 1 << l) | (y[d] & inside) << 1 | top << k
            for r in range(rows):
                for s in range(columns):
                    if olddata[r, s] == EMPTY:
                        olddata[r, s], newdata[r, s] = newdata[r, s], EMPTY
        wrong |= kind * _misplaced(olddata, newdata, places, at, y, index_of, k < 0 or i == l)
    for r in range(rows):
        for s in range(columns):
            datum = olddata[r, s]
            if datum == EMPTY or images[datum] != places[r, s]:
                wrong |= UNDELIVERED
    return steps, wrong


@kernel
def _misplaced(
    olddata: Ints, newdata: Ints, places: Ints, at: Ints, y: Ints, index_of: Ints, settled: bool
) -> bool:
    """Whether a datum is not where it has to be; `settled`: one in every olddata, at its y_d."""
    found = 0
    for r in range(places.shape[0]):
        for s in range(places.shape[1]):
            for datum in (olddata[r, s], newdata[r, s]):
                if datum != EMPTY:
                    found += 1
                    if at[datum] != places[r, s]:
                        return True
            if settled:
                datum = olddata[r, s]
                if datum == EMPTY or newdata[r, s] != EMPTY or y[datum] != index_of[places[r, s]]:
                    return True
    return found != len(at)


@lru_cache(maxsize=8)
def places_of(n: int) -> Ints:
    """The number of every processor of the mesh of 2^n."""
    places = np.zeros(grid_shape(n), np.int64)
    set_places(n, places)
    return places
