"""Beneš-like networks, switch by switch: [boppana, section 3.3.1].

A network in which every subcube chooses is (d, choice for the lines with bit d = 0, choice for
those with bit d = 1). HL makes others too: a part of a partitioned permutation chooses, and parts
are named by bits that may not have been used, so that lines of one subcube differ (mixed ones).
That every permutation is realised is found by trying every setting of the (2n - 1) 2^(n-1)
switches, 2^20 for n = 3; nothing is routed.

Of PLC_5: a permutation of 32 lines in two parts (x_4 = 0, x_4 = 1), each a linear-complement one of
16, is routed along bit 0, then in each part along its own order of bits 1, 2, 3, then along bit 4.
Behind stage 1 stand two networks of 16 lines and 7 stages. In each, stages 1..3 join 8 lines to a
part (4096 settings), stage 4 joins the parts, stages 5..7 mirror 3..1. A permutation is realised if
the parts can bring every message to a switch of stage 4 from which its output's part, mirrored, can
fetch it. All settings are tried: the inputs' 4096², those of the outputs looked up.

    order of one part      stages 1, 2      stage 3   stage 4
    and of the other
    0 1 2    1 0 2         apart            bit 2     bit 3     some permutation is stuck
    0 1 2    1 2 0         apart            apart     bit 3     none was found that is
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import permutations
from math import factorial
from typing import Any

import numpy as np

from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.boppana_modes import led, whole
from proofs_check.claims.boppana_partitioned import images_of, linear_columns
from proofs_check.domain import Enumerated, EveryN

STATED = Stated(place="Section 3.3.1", sizes=Sizes(limit=4))


Choice = tuple[Any, ...]


# -- Beneš-like networks ------------------------------------------------------------------------


def choices(left: Sequence[int]) -> Iterator[Choice]:
    """Every way in which a subcube and the subcubes in it choose dimensions.

    >>> list(choices((0, 1)))
    [(0, (1,), (1,)), (1, (0,), (0,))]
    """
    for d in left:
        others = [k for k in left if k != d]
        if not others:
            yield (d,)
            continue
        for low, high in itertools.product(choices(others), repeat=2):
            yield d, low, high


def dimensions_of(choice: Choice, n: int) -> Ints:
    """The dimension of every line's switch in stages 1..n, shape (n, 2^n)."""
    rows = np.empty((n, 1 << n), np.int64)
    for u in range(1 << n):
        here = choice
        for t in range(n):
            rows[t, u] = here[0]
            if t < n - 1:
                here = here[1 + (u >> here[0] & 1)]
    return rows


def _count_networks(n: int) -> int:
    return 1 if n == 1 else n * _count_networks(n - 1) ** 2


NETWORKS = Enumerated(
    lambda n: ((choice,) for choice in choices(range(n))),
    size=_count_networks,
    names="choice",
    text="every Beneš-like network of 2^n lines",
)


@kernel
def _count_realised(n: int, dimensions: Ints, target: int) -> int:
    """How many permutations the settings of stages `dimensions` realise; stops at `target`."""
    size = 1 << n
    stages, half = len(dimensions), size >> 1
    low, high = np.empty((stages, half), np.int64), np.empty((stages, half), np.int64)
    for s in range(stages):
        k = 0
        for u in range(size):
            v = u ^ (1 << dimensions[s, u])
            if u < v:
                low[s, k], high[s, k] = u, v
                k += 1
    seen = np.zeros(1 << (size * n), np.bool_)
    line = np.empty(size, np.int64)
    count = 0
    for setting in range(1 << (stages * half)):
        for u in range(size):
            line[u] = u
        for s in range(stages):
            for k in range(half):
                if setting >> (s * half + k) & 1:
                    a, b = low[s, k], high[s, k]
                    line[a], line[b] = line[b], line[a]
        code = 0
        for u in range(size):
            code = code << n | line[u]
        if not seen[code]:
            seen[code] = True
            count += 1
            if count == target:
                break
    return count


def realised(choice: Choice, n: int, left_out: int = 0) -> int:
    """How many permutations a network realises, its last `left_out` stages removed; n <= 3.

    >>> realised((0, (1,), (1,)), 2), realised((0, (1,), (1,)), 2, left_out=1)
    (24, 16)
    """
    rows = dimensions_of(choice, n)
    stages = np.concatenate([rows, rows[-2::-1]]) if n > 1 else rows
    return int(_count_realised(n, stages[: len(stages) - left_out], factorial(1 << n)))


@claim(
    "boppana.benes",
    says="every network of 2n - 1 stages, in which each subcube chooses the dimension of its "
    "switches and stages n+1, ..., 2n-1 mirror stages n-1, ..., 1, realises every permutation",
    latex=r"\text{all } N! \text{ permutations are realised}",
    over=NETWORKS,
    evidence="every setting of every switch tried, the permutations counted",
    control=Control("with 2n - 2 stages", left_out=1),
    sizes=Sizes(most=3, limit=3),
)
def benes(choice: Choice, *, left_out: int = 0) -> Finding:
    n = _bits(choice)
    needed = factorial(1 << n)
    found = realised(choice, n, left_out)
    return Finding(found == needed, realised=found, permutations=needed)


def _bits(choice: Choice) -> int:
    return 1 if len(choice) == 1 else 1 + _bits(choice[1])


_DIMENSION = EveryN("the n")


@claim(
    "boppana.benes.count",
    place="beside section 3.3.1",
    says="there are C_n = n C_(n-1)² networks in which every subcube chooses freely, C_1 = 1: at "
    "least 2^⌊N/4⌋",
    latex=r"C_n = n\, C_{n-1}^2 \ge 2^{\lfloor N/4 \rfloor}",
    over=_DIMENSION,
    evidence="the networks listed",
    control=Control("at least 2^(N/2)", part=2),
)
def free_choices(n: int, *, part: int = 4) -> Finding:
    """[boppana, section 3.3.1] more than HL makes: in its first step all use bit 0."""
    networks = len({dimensions_of(choice, n).tobytes() for choice in choices(range(n))})
    ok = networks == _count_networks(n) and networks >= 1 << (1 << n) // part
    return Finding(ok, networks=networks)


# -- networks that HL makes ---------------------------------------------------------------------

Rows = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=8)
def networks_made(n: int) -> tuple[Rows, ...]:
    """The bits that every line is corrected in, stage by stage, for all of PLC_n; mixed ones last.

    HL is run on every matrix of LC_n (b changes all tags alike and no choice). Permutations with
    parts are corrected part by part: the networks of 2^n/2^k lines inside every subcube, then one
    of 2^k lines between them. n <= 4.

    >>> [len(networks_made(n)) for n in (1, 2, 3)]
    [1, 1, 2]
    """
    made: set[Rows] = set()
    for columns in linear_columns(n):
        found = led(images_of(columns), whole)
        assert found is not None, "Theorem 1"
        made.add(tuple(map(tuple, found.rows)))
    for k in range(1, n):
        inside, between = networks_made(n - k), networks_made(k)
        for outer in between:
            for inner in itertools.product(inside, repeat=1 << k):
                made.add(_put_together(n, k, outer, inner))
    return tuple(sorted(made, key=lambda rows: (not _alike(rows), rows)))


def _put_together(n: int, k: int, outer: Rows, inner: Sequence[Rows]) -> Rows:
    low, lines = n - k, range(1 << n)
    rows = [tuple(inner[u >> low][t][u & (1 << low) - 1] for u in lines) for t in range(low)]
    return (*rows, *(tuple(row[u >> low] + low for u in lines) for row in outer))


def _alike(rows: Rows) -> bool:
    return all(len(set(row)) == 1 for row in rows)


@claim(
    "boppana.benes.different",
    says="different partitioned linear-complement permutations give different Beneš-like networks",
    latex=r"|\{\text{networks}\}| \ge |\mathcal{PLC}_n|",
    over=_DIMENSION,
    evidence="HL run on every matrix of LC_n, the networks of the parts put together; |PLC_n| = 2, "
    "24, 2432, 17 678 336 of boppana.eq3.amended",
    control=Control("mixed networks are not counted", mixed=False),
    reading=Reading(
        "various permutations give various networks, exponentially many, but not one network "
        "each. HL makes 1, 1, 2 and 8 networks of PLC_1 to PLC_4, and at least 2^(3N/16) from "
        "n = 4 on",
        stated=(1, 1, 2, 8),
    ),
)
def different(n: int, *, stated: tuple[int, ...] = (), mixed: bool = True) -> Finding:
    """[boppana, section 3.3.1] two permutations of two lines share the one network there is."""
    made = [rows for rows in networks_made(n) if mixed or _alike(rows)]
    partitioned = (2, 24, 2432, 17678336)[n - 1]
    first = all(set(rows[0]) == {0} for rows in made)
    ok = len(made) == stated[n - 1] and first if stated else len(made) >= partitioned
    return Finding(ok, networks=len(made), permutations=partitioned)


_MADE = Enumerated(
    lambda n: ((rows,) for rows in networks_made(n)),
    size=lambda n: (1, 1, 2, 8)[n - 1],
    names="bits by stage and line",
    text="every network that HL makes of PLC_n, mixed ones last",
)


@lru_cache(maxsize=32)
def _half_realises(stages: Rows) -> int:
    """How many permutations of 8 lines the settings of these stages realise."""
    return int(_count_realised(3, np.array(stages, dtype=np.int64), 40320))


@claim(
    "boppana.benes.made",
    says="the networks that HL makes of partitioned linear-complement permutations, completed by "
    "the mirror of stages n-1, ..., 1, realise every permutation, the mixed ones too",
    latex=r"\text{all } N! \text{ permutations are realised}",
    over=_MADE,
    evidence="n <= 3: every setting of every switch tried. n = 4: stages 1 and 7 pair the lines "
    "along bit 0, so the loops of inputs and outputs send partners through different halves, and "
    "every setting of both halves of 8 lines is tried",
    control=Control("mixed networks without their last but one stage", left_out=1),
)
def made_realise(rows: Rows, *, left_out: int = 0) -> Finding:
    n, less = len(rows), 0 if _alike(rows) else left_out
    stages = (*rows, *rows[-2::-1])
    if n < 4:
        needed = factorial(1 << n)
        found = int(_count_realised(n, np.array(stages[: len(stages) - less]), needed))
        return Finding(found == needed, realised=found)
    assert set(stages[0]) == set(stages[-1]) == {0}
    inner = stages[1 : len(stages) - 1 - less]
    halves = [
        _half_realises(tuple(tuple(row[2 * u + bit] - 1 for u in range(8)) for row in inner))
        for bit in (0, 1)
    ]
    return Finding(halves == [40320, 40320], realised_by_halves=halves)


# -- two parts that choose apart ---------------------------------------------------------------


Order = tuple[int, ...]
RANDOM = 20
STUCK = (1, 2, 14, 6, 11, 7, 13, 15, 9, 3, 12, 0, 5, 8, 10, 4)
"""A permutation of 16 lines for which parts of orders 0 1 2 and 1 0 2 have no setting."""


@lru_cache(maxsize=64)
def settings_of(order: Order, stages: int = 3) -> Ints:
    """Where every setting of the stages of a part leads its 8 lines, shape (4096, 8).

    >>> settings_of((0, 1, 2)).shape, len(set(map(tuple, settings_of((0, 1, 2)))))
    ((4096, 8), 4096)
    """
    ends = np.tile(np.arange(8), (4096, 1))
    for s, bit in enumerate(order[:stages]):
        switch = [u for u in range(8) if not u >> bit & 1]
        for k, u in enumerate(switch):
            crossed = np.arange(4096) >> 4 * s + k & 1
            ends = np.where(ends & ~(1 << bit) == u, ends ^ crossed[:, None] << bit, ends)
    return ends


@kernel
def _code(ends: Ints) -> int:
    code = 0
    for p in ends:
        code = code << 3 | p
    return code


@kernel
def tries(first: Ints, second: Ints, can_first: Flags, can_second: Flags, goes: Ints) -> int:
    """How many settings of the inputs' parts were tried until one did; -1: all of them, in vain.

    `can_first[code]`: whether outputs 0..7 can be fetched from the switches that the code names.
    """
    found = np.empty(16, np.int64)
    count = 0
    for i in range(len(first)):
        one = first[(i * 2654435761 + 977) % len(first)]
        for x in range(8):
            found[goes[x]] = one[x]
        for j in range(len(second)):
            two = second[j]
            for x in range(8):
                found[goes[8 + x]] = two[x]
            count += 1
            if can_first[_code(found[:8])] and can_second[_code(found[8:])]:
                return count
    return -1


@lru_cache(maxsize=6)  # 16 MiB each
def _fetched(order: Order, stages: int) -> Flags:
    can = np.zeros(1 << 24, np.bool_)
    for row in settings_of(order, stages):
        can[_code(row)] = True
    return can


def _renamed(goes: Ints, order: Order) -> Ints:
    """The same permutation with bits 0, 1, 2 called as the order has them."""
    names = (*order, 3)
    lines = np.arange(16)
    to = sum((lines >> k & 1) << names[k] for k in range(4))
    renamed = np.empty_like(goes)
    renamed[to] = np.asarray(to)[goes]
    return renamed


def _tried(order: Order) -> list[Ints]:
    drawn = np.random.default_rng(5)
    return [_renamed(np.array(STUCK), order), *(drawn.permutation(16) for _ in range(RANDOM))]


STATED = Stated(
    over=Enumerated(
        lambda n: permutations(list(permutations((1, 2, 3))), 2),
        size=lambda n: 6 * 5,
        names="between bits 0 and 4 one part corrects, the other",
        text="PLC_5: behind stage 1, the two parts correct the bits that are left in orders that "
        f"differ; a permutation that is stuck if any is, and {RANDOM} random ones",
        dimensions=(5,),
    ),
    evidence="every setting of the switches tried: 4096² of both parts' inputs, those of the "
    "outputs looked up",
)


@claim(
    "boppana.benes.construction",
    place="Section 3.3.1",
    says="the networks that partitioned linear-complement permutations give are rearrangeable by "
    "construction",
    printed="different partitioned linear-complement permutations give different Beneš like "
    "networks, which by construction are rearrangeable",
    latex=r"\text{all } N! \text{ permutations are realised}",
    control=Control("with one stage less at the end", stages=2),
    reading=Reading(
        "a sub-network chooses one dimension for all its lines, here that of the first part. "
        "The lines with even and those with odd addresses form sub-networks, recursively. A "
        "network in which the two parts choose apart is not of this construction",
        one_choice=True,
    ),
)
def construction(
    first: Order, second: Order, *, stages: int = 3, one_choice: bool = False
) -> Finding:
    """[boppana, section 3.3.1] sub-networks are halves by bit 0, parts are halves by bit 4."""
    stuck = _stuck(first, first if one_choice else second, stages)
    return Finding(stuck is None, not_realised_behind_stage_1=stuck)


@claim(
    "boppana.benes.parts",
    place="beside section 3.3.1",
    says="of the networks of 32 lines whose two parts choose apart those are not rearrangeable in "
    "which the parts correct the same bit last but one, and the two before it in opposite order, "
    "as 0 1 2 3 4 and 0 2 1 3 4; where they correct different bits last but one, no permutation "
    "was found that is not realised",
    control=Control("those in which two parts correct the same bit first", decides=0),
)
def parts_apart(first: Order, second: Order, *, decides: int = 2) -> Finding:
    stuck = _stuck(first, second, 3)
    expected = first[decides] == second[decides]
    return Finding((stuck is not None) == expected, not_realised_behind_stage_1=stuck)


@lru_cache(maxsize=64)
def _stuck(first: Order, second: Order, stages: int) -> list[int] | None:
    """A permutation that was tried and is not realised behind stage 1; None if all are."""
    one, other = (tuple(bit - 1 for bit in part) for part in (first, second))  # behind stage 1
    given = settings_of(one), settings_of(other), _fetched(one, stages)
    for goes in _tried(one):
        if tries(*given, _fetched(other, stages), goes) < 0:
            return [int(x) for x in goes]
    return None


# -- self-routing and circuits -------------------------------------------------------------------


def _sent_twice(tags: Sequence[int], dimensions: Sequence[int], setting: int) -> bool | None:
    """Whether a channel is used twice on the way through a Beneš network; None if not delivered.

    Args:
        tags: the tag of every processor.
        dimensions: that the stages exchange along.
        setting: bit s 2^(n-1) + k is the k-th switch of stage s < n - 1. From stage n - 1 on the
            tag of the processor with bit d = 0 decides by its bit d: no other way delivers, as no
            later stage has that dimension.
    """
    size, free = len(tags), len(dimensions) // 2
    at, used, twice = list(tags), set(), False
    for s, d in enumerate(dimensions):
        for k, u in enumerate(u for u in range(size) if not u >> d & 1):
            v = u | 1 << d
            word, bit = (setting, s * size // 2 + k) if s < free else (at[u], d)
            if word >> bit & 1:
                at[u], at[v] = at[v], at[u]
                twice |= (u, d) in used
                used.add((u, d))
    return twice if at == list(range(size)) else None


@claim(
    "boppana.benes.circuits",
    place="Section 3.2",
    says="there are linear-complement permutations that a Beneš network along dimensions 0, ..., "
    "n-1, ..., 0 delivers only with two messages over the same channel, whatever algorithm sets "
    "its switches: their paths cannot be circuits at the same time",
    printed="the link between any two adjacent processors can be used by each of these two "
    "processors at most once. Hence, the self-routing algorithms developed for the Beneš network "
    "[13, 8] are not useful to route linear-complement permutations in a circuit switched "
    "hypercube.",
    latex=r"\exists P \in \mathcal{LC}_n : \operatorname{load}(u, v) = 2",
    over=EveryN("the n; all linear-complement permutations"),
    evidence="every setting of the switches tried, the channels listed; under HL no channel is "
    "used twice (boppana.lem5)",
    control=Control("along dimensions 0, ..., n-1 only", once=True),
    sizes=Sizes(least=2, most=3, limit=3),
)
def benes_circuits(n: int, *, once: bool = False) -> Finding:
    """[boppana, section 3.2] a switch exchanges both of its messages or none."""
    dimensions = (*range(n), *(() if once else range(n - 2, -1, -1)))
    for columns in linear_columns(n):
        for b in range(1 << n):
            tags = [y ^ b for y in images_of(columns)]
            settings = range(1 << (len(dimensions) // 2 << n - 1))
            ends = {_sent_twice(tags, dimensions, setting) for setting in settings}
            if True in ends and False not in ends:
                return Finding(True, permutation=tags)
    return Finding(False, permutation=None)
