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
from typing import NamedTuple

import numpy as np

from lccmodel.kernels.jit import bit_count, inlined_kernel, kernel
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


class Decomposed(NamedTuple):
    """y = Ax + b as [sibeyn, section 2] decomposes it, in the bits of the index x' = Bx."""

    bits: Ints  # bits[i] is the bit of the number that is bit i of the index
    W: Ints  # W[i] has the rows of W⁽ⁱ⁾,
    VL: Ints  # VL[i] those of VL⁽ⁱ⁾
    c: int  # the bits c_i
    cycles: int  # their number,
    first: Ints  # the k of each,
    last: Ints  # and the l


class Rule(NamedTuple):
    """How passes are run. Without ȳ (then x is used) or without step 4 of BCsRoute it is wrong."""

    shifts_y: bool
    swaps_back: bool
    skipping: int


class _Mesh(NamedTuple):
    """Every processor's number and registers; every number's index, y_d, and place by the rule."""

    places: Ints
    olddata: Ints
    newdata: Ints
    transit: Ints
    index_of: Ints
    y: Ints
    at: Ints


@kernel
def run_mesh(
    made: Decomposed, index_of: Ints, images: Ints, places: Ints, rule: Rule
) -> tuple[int, int]:
    """Route y = Ax + b by BCsRoute and ECBCsRoute. (unit shifts, what went wrong).

    Args:
        index_of: the index Bx of every number; images: its destination.
        places: from `set_places`.
    """
    registers = np.full((2, *places.shape), EMPTY, np.int64)
    mesh = _Mesh(
        places, places.copy(), registers[0], registers[1],
        index_of, index_of.copy(), np.arange(len(index_of)),
    )  # fmt: skip
    steps = wrong = 0
    for i in range(len(made.bits)):
        k, l = _cycle_with(made, i)  # noqa: E741 - the names of the print
        if _is_skipped(made, i, k, rule.skipping):
            continue
        corrected = i if k < 0 else (i + 1 if i < l else k)
        astray = _select(mesh, made, i, corrected, k, rule.shifts_y)
        _follow(mesh, made, i, made.bits[corrected])
        took, lost = complement(made.bits[corrected], mesh.newdata, mesh.transit, places)
        steps += took
        wrong |= LOST * (lost != 0)
        if k < 0 and rule.swaps_back:
            _swap_back(mesh, made, i)
        if i == l:
            _close_cycle(mesh, k, l)
        if _misplaced(mesh, k < 0 or i == l) or astray:
            wrong |= BAD_BCS if k < 0 else BAD_ECBCS
    for r in range(places.shape[0]):
        for s in range(places.shape[1]):
            datum = mesh.olddata[r, s]
            if datum == EMPTY or images[datum] != places[r, s]:
                wrong |= UNDELIVERED
    return steps, wrong


@kernel
def _cycle_with(made: Decomposed, i: int) -> tuple[int, int]:
    """k and l of the cycle that pass i belongs to; (-1, -1) outside of cycles."""
    for t in range(made.cycles):
        if made.first[t] <= i <= made.last[t]:
            return made.first[t], made.last[t]
    return -1, -1


@kernel
def _is_skipped(made: Decomposed, i: int, k: int, skipping: int) -> bool:
    if skipping == TRIVIAL_VL:
        return bool(made.VL[i, i] == 1 << i)
    return bool(skipping == IDLE and k < 0 and made.W[i, i] == 1 << i and not made.c >> i & 1)


@inlined_kernel
def _target(made: Decomposed, i: int, x: int) -> int:
    """c_i + W⁽ⁱ⁾_i x."""
    return int(made.c >> i & 1 ^ bit_count(made.W[i, i] & x) & 1)


@kernel
def _select(mesh: _Mesh, made: Decomposed, i: int, corrected: int, k: int, shifts_y: bool) -> bool:
    """Selected processors exchange their registers; whether a datum is not where it asks to be."""
    astray = False
    for r in range(mesh.places.shape[0]):
        for s in range(mesh.places.shape[1]):
            x = mesh.index_of[mesh.places[r, s]]
            bit = x >> corrected & 1
            selected = bit != _target(made, i, believed(x, k, i) if k >= 0 and shifts_y else x)
            old, new = mesh.olddata[r, s], mesh.newdata[r, s]
            for datum, leaves in ((old, selected), (new, not selected)):
                if datum != EMPTY:
                    astray |= (bit != _target(made, i, mesh.y[datum])) != leaves
            if k < 0:
                across = x ^ 1 << i
                astray |= selected != ((across >> i & 1) != _target(made, i, across))
            if selected:
                mesh.olddata[r, s], mesh.newdata[r, s] = new, old
    return astray


@kernel
def _follow(mesh: _Mesh, made: Decomposed, i: int, bit: int) -> None:
    """Bit i of every y_d, and the bit of the number where d has to be, after pass i."""
    y, at = mesh.y, mesh.at
    for d in range(len(y)):
        target = _target(made, i, y[d])
        y[d] = y[d] & ~(1 << i) | target << i
        at[d] = at[d] & ~(1 << bit) | target << bit


@kernel
def _swap_back(mesh: _Mesh, made: Decomposed, i: int) -> None:
    """Step 4: those of step 2 again; the rule is the same for a processor and its partner."""
    for r in range(mesh.places.shape[0]):
        for s in range(mesh.places.shape[1]):
            x = mesh.index_of[mesh.places[r, s]]
            if (x >> i & 1) != _target(made, i, x):
                old = mesh.olddata[r, s]
                mesh.olddata[r, s], mesh.newdata[r, s] = mesh.newdata[r, s], old


@kernel
def _close_cycle(mesh: _Mesh, k: int, l: int) -> None:  # noqa: E741 - the names of the print
    """EC⁽ᵏˡ⁾ of every y_d; what has come to an empty olddata is taken up."""
    inside, y = (1 << l) - (1 << k), mesh.y
    for d in range(len(y)):
        top = y[d] >> l & 1
        y[d] = y[d] & ~(inside | 1 << l) | (y[d] & inside) << 1 | top << k
    for r in range(mesh.places.shape[0]):
        for s in range(mesh.places.shape[1]):
            if mesh.olddata[r, s] == EMPTY:
                mesh.olddata[r, s], mesh.newdata[r, s] = mesh.newdata[r, s], EMPTY


@kernel
def _misplaced(mesh: _Mesh, settled: bool) -> bool:
    """Whether a datum is not where it has to be; `settled`: one in every olddata, at its y_d."""
    found = 0
    for r in range(mesh.places.shape[0]):
        for s in range(mesh.places.shape[1]):
            old, new, place = mesh.olddata[r, s], mesh.newdata[r, s], mesh.places[r, s]
            for datum in (old, new):
                if datum != EMPTY:
                    found += 1
                    if mesh.at[datum] != place:
                        return True
            if settled and (old == EMPTY or new != EMPTY or mesh.y[old] != mesh.index_of[place]):
                return True
    return found != len(mesh.at)


@lru_cache(maxsize=8)
def places_of(n: int) -> Ints:
    """The number of every processor of the mesh of 2^n."""
    places = np.zeros(grid_shape(n), np.int64)
    set_places(n, places)
    return places
