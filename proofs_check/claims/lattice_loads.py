"""Occupancy and load on the bit-correction lattice, against messages that are walked and counted.

After the bits in S are corrected, next comes bit j:

    occupancy(S) = 2^(|S| - rank A_(S,S))        load(S, j) = 2^(|S| - rank A_(S+j,S))

If bits I lie inside a router (one, as in the Origin 2000, or any set) their columns are free too:
A_(S,S+I), A_(S+j,S+I), and |S|+|I| for |S|. A scatter, which sends from Ay + b to y, has after S in
every node what the gather has after the complement R of S, and over a channel at (S, j) what the
gather has at (R - j, j). A symmetry lets n = 5 and 6 do with b = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import bit_count, kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Sample, Sizes
from proofs_check.domain import PAIRS, Domain
from proofs_check.driver import Case, compiled_claim
from proofs_check.packed import rank_within
from proofs_check.stations import (
    by_translation,
    crossed_channels,
    held_by_nodes,
    messages,
    set_images,
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


# -- the claims --------------------------------------------------------------------------------


_SUBSETS = PAIRS.described("all matrices A, all vectors b, each with all S")
_STEPS = PAIRS.described("all matrices A, all vectors b, each with all (S, j)")
_PLACE = "The bit-correction lattice"
_WALKED = (
    "all messages walked, sorted by the node where they stand after S, and counted; "
    "from n = 5 on for b = 0, and for the other b by lattice.translation"
)
_SAMPLES = {5: Sample(128, 1024), 6: Sample(64, 4096)}
_FEW_SAMPLES = {5: Sample(64, 1024), 6: Sample(16, 1024)}
_ROUTER = (1,)


@compiled_claim(
    "lattice.translation",
    place=_PLACE,
    says="after S every message of (A, b) stands where that of (A, 0) does, xor b_S; for j outside "
    "S it moves in j with b_j = 1 exactly if it does not with b_j = 0",
    latex=r"p_S^{(A,b)}(x) = p_S^{(A,0)}(x) + b_S",
    over=_SUBSETS,
    evidence="every message walked with b and with 0, its node compared after every S",
    control=Control("the node xor all of b", everywhere=True),
    sizes=Sizes(limit=6),
    samples={5: Sample(64, 1024), 6: Sample(16, 1024)},
)
def translation(case: Case, everywhere: bool = False) -> bool:
    """Which messages meet does not depend on b: y_S = (Ax)_S + b_S for all of them.

    So the numbers of messages in a node are those of b = 0, and those that move in j are the ones
    of b = 0 or, if b_j = 1, the others. A scatter is the same messages seen from the other end.
    """
    n, b, images = case.n, case.b, case.images[0]
    if case.is_new:
        set_images(n, case.rows, 0, images)
    for x in range(1 << n):
        y, unshifted = images[x] ^ b, images[x]
        for S in range(1 << n):
            position = x ^ (x ^ y) & S
            old = x ^ (x ^ unshifted) & S
            shift = b if everywhere else b & S
            moves, moved = (position ^ y) & ~S, (old ^ unshifted) & ~S
            if position != old ^ shift or moves != moved ^ (b & ~S):
                return False
    return True


@translation.explain
def _positions(A: GF2Matrix, b: GF2Vector, *, everywhere: bool = False) -> Mapping[str, Any]:
    n = len(b)
    for mask in range(1 << n):
        S = [k for k in range(n) if mask >> k & 1]
        paths = [route(x, y, S) for x, y in messages(A, int(b))]
        unshifted = [route(x, y, S)[-1] for x, y in messages(A, 0)]
        shift = int(b) if everywhere else int(b) & mask
        if [path[-1] for path in paths] != [u ^ shift for u in unshifted]:
            return {"S": S, "nodes for b = 0": unshifted, "paths": paths}
    return {}


def _declare(
    name: str,
    *,
    says: str,
    latex: str,
    over: Domain,
    control: Control,
    samples: Mapping[int, Sample] = _SAMPLES,
    **what: Any,
) -> None:
    """Declare a formula as a claim: `what` says which, see `tables`."""
    made = compiled_claim(
        f"lattice.{name}",
        place=_PLACE,
        says=says,
        latex=latex,
        over=over,
        evidence=_WALKED,
        control=control,
        sizes=Sizes(limit=6),
        samples=samples,
        tables=tables(**what),
    )(as_stated)

    @made.explain
    def shown(A: GF2Matrix, b: GF2Vector, **spoiled: Any) -> Mapping[str, Any]:
        return show(A, b, **what, **spoiled)


# The messages in one node agree in y_S and in x outside S: A_(S,S) x_S is fixed.
_declare(
    "occupancy",
    says="after the bits in S are corrected every node that holds a message holds exactly "
    "2^(|S| - rank A_(S,S))",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|S|-\operatorname{rank} A_{S,S}}",
    over=_SUBSETS,
    control=Control("one row of S less", rows_less=True),
    loads=False,
)

# Those on one channel agree in y_j too: A_(S+j,S) x_S is fixed.
_declare(
    "load",
    says="when j is corrected after S every channel of dimension j that carries a message carries "
    "exactly 2^(|S| - rank A_(S+j,S)); none does if y_j = x_j for all x, else some do",
    latex=r"\operatorname{load}(S,j) = \begin{cases} 0 & y_j = x_j \\ "
    r"2^{\,|S|-\operatorname{rank} A_{S\cup\{j\},S}} & \text{otherwise} \end{cases}",
    over=_STEPS,
    control=Control("the rank of A_(S,S), without row j", rows_less=True),
    loads=True,
)

# The messages in one node agree in y_S and in x_R: A_(R,R) y_R is fixed.
_declare(
    "occupancy.scatter",
    says="of a scatter, which sends from Ay + b to y, every node that holds a message after S "
    "holds exactly 2^(|R| - rank A_(R,R)), where R is the complement of S",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|R|-\operatorname{rank} A_{R,R}},\ "
    r"R = L_n \setminus S",
    over=_SUBSETS,
    control=Control("the gather's formula, S for R", on_cube=True),
    loads=False,
    scatter=True,
)

# The gather's path walked from its other end.
_declare(
    "load.scatter",
    says="of a scatter every channel that carries a message when j is corrected after S carries "
    "exactly 2^(|R| - rank A_(R+j,R)), where R are the bits corrected after j; none does if "
    "x_j = y_j for all y, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|R|-\operatorname{rank} A_{R\cup\{j\},R}},\ "
    r"R = L_n \setminus (S \cup \{j\}), \text{ or } 0 \text{ if } x_j = y_j",
    over=_STEPS,
    control=Control("the gather's formula, S for R", on_cube=True),
    loads=True,
    scatter=True,
)

# x_0 is free as well.
_declare(
    "occupancy.bristled",
    says="with bit 0 inside the routers, every router that holds a message after S holds exactly "
    "2^(|S| + 1 - rank A_(S,S+0))",
    latex=r"\operatorname{occupancy}(S) = 2^{\,|S|+1-\operatorname{rank} A_{S,S\cup\{0\}}}",
    over=PAIRS.described("all matrices A, all vectors b, each with all S without 0"),
    control=Control("the cube's formula, A_(S,S) and |S|", on_cube=True),
    loads=False,
    insides=_ROUTER,
)

# x_0 is free as well.
_declare(
    "load.bristled",
    says="with bit 0 inside the routers, every channel that carries a message when j is corrected "
    "after S carries exactly 2^(|S| + 1 - rank A_(S+j,S+0)); none does if y_j = x_j for all x, "
    "else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|S|+1-\operatorname{rank} A_{S\cup\{j\},S\cup\{0\}}}"
    r"\text{ or } 0 \text{ if } y_j = x_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j) without 0"),
    control=Control("the cube's formula, A_(S+j,S) and |S|", on_cube=True),
    loads=True,
    insides=_ROUTER,
)

# x_I is free as well.
_declare(
    "load.internal",
    says="with any set I of bits inside the routers, every channel that carries a message when j "
    "is corrected after S carries exactly 2^(|S+I| - rank A_(S+j,S+I)); none does if y_j = x_j for "
    "all x, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|S\cup I|-\operatorname{rank} A_{S\cup\{j\},S\cup I}}"
    r"\text{ or } 0 \text{ if } y_j = x_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j, I), I not empty"),
    control=Control("the cube's formula, A_(S+j,S) and |S|", on_cube=True),
    samples=_FEW_SAMPLES,
    loads=True,
    insides=None,
)

# The gather's path walked from its other end; y_I is free as well.
_declare(
    "load.scatter.internal",
    says="of a scatter with any set I of bits inside the routers, every channel that carries a "
    "message when j is corrected after S carries exactly 2^(|R+I| - rank A_(R+j,R+I)), where R "
    "are the bits corrected after j; none does if x_j = y_j for all y, else some do",
    latex=r"\operatorname{load}(S,j) = 2^{\,|R\cup I|-\operatorname{rank} A_{R\cup\{j\},R\cup I}}"
    r"\text{ or } 0 \text{ if } x_j = y_j",
    over=PAIRS.described("all matrices A, all vectors b, each with all (S, j, I), I not empty"),
    control=Control("the gather's formula on a cube, S for R and I", on_cube=True),
    samples=_FEW_SAMPLES,
    loads=True,
    scatter=True,
    insides=None,
)
