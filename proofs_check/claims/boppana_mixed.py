"""Networks that HL makes of PLC_5: behind the first stage, two parts of 8 lines that choose apart.

A permutation of 32 lines in two parts (x_4 = 0, x_4 = 1), each a linear-complement permutation of
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

from functools import lru_cache
from itertools import permutations

import numpy as np

from lccmodel._jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Stated, claim
from proofs_check.domain import Enumerated

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
        "the construction of the section is meant: the lines with even and those with odd "
        "addresses form sub-networks, recursively, and a sub-network chooses one dimension for "
        "all its lines; here that of the first part. The two parts of a permutation may choose "
        "apart; the network that this gives is not of that construction",
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
    """The project's own question: which mixed networks are rearrangeable."""
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
