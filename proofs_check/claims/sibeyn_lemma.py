"""Lemma 1 of [sibeyn]: a selective complement of one bit, by unit shifts of explicit registers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lccmodel._jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.sibeyn_grid import EMPTY, complement, grid_shape, places_of
from proofs_check.domain import Domain, Enumerated
from proofs_check.driver import Case, compiled_claim


@kernel
def _selective(n: int, bit: int, selection: Ints, places: Ints) -> int:
    """Unit shifts of BCRoute for one selection; -1 if a datum is lost or stands wrong."""
    rows, columns = grid_shape(n)
    olddata = np.full((rows, columns), EMPTY, np.int64)
    newdata, transit = olddata.copy(), olddata.copy()
    for r in range(rows):
        for c in range(columns):
            register = newdata if selection[places[r, c]] else olddata
            register[r, c] = places[r, c]
    steps, lost = complement(bit, newdata, transit, places)
    wrong = lost
    for r in range(rows):
        for c in range(columns):
            x = places[r, c]
            sender = x ^ 1 << bit
            wrong += olddata[r, c] != (EMPTY if selection[x] else x)
            wrong += newdata[r, c] != (sender if selection[sender] else EMPTY)
    return -1 if wrong else steps


def _affine_selections(n: int) -> Iterator[tuple[int, int, int, int]]:
    for i in range(n):
        for u in range(1 << n):
            for v in (0, 1):
                yield n, i, u, v


_LEMMA = (
    "a datum on its way is held by a third register; newdata of the other half is still waiting"
)


@claim(
    "sibeyn.lem1",
    place="Section 1.3, Lemma 1",
    says="a selective complement of bit i can be routed with 2·2^⌊i/2⌋ steps",
    latex=r"2 \cdot 2^{\lfloor i/2 \rfloor}",
    over=Enumerated(
        _affine_selections,
        size=lambda n: n << n + 1,
        names="n, i, u, v",
        text="all bits i, all affine selections: the x with u·x = v",
    ),
    evidence="registers of an explicit mesh, moved by unit shifts in one direction at a time",
    control=Control("half as many steps", share=2),
    reading=_LEMMA,
    sizes=Sizes(most=6),
)
def lem1(n: int, i: int, u: int, v: int, *, share: int = 1) -> Finding:
    selected = (np.bitwise_count(np.arange(1 << n) & u).astype(np.int64) & 1) == v
    steps = _selective(n, i, selected.astype(np.int64), places_of(n))
    return Finding(steps * share == 2 << i // 2, steps=steps)


class _Selections(Domain):
    """All bits i, all sets of processors; a set is a packed int whose bit x is processor x."""

    names = ("i", "selected")
    text = "all bits i, all sets of selected processors"

    def span(self, n: int) -> int:
        return n << (1 << n)

    def case(self, n: int, index: int) -> tuple[int, int]:
        return divmod(index, 1 << (1 << n))


@compiled_claim(
    "sibeyn.lem1.any",
    place="Section 1.3, Lemma 1",
    says="a selective complement of bit i, of any set of processors, can be routed with "
    "2·2^⌊i/2⌋ steps",
    latex=r"2 \cdot 2^{\lfloor i/2 \rfloor}",
    over=_Selections(),
    evidence="registers of an explicit mesh, moved by unit shifts in one direction at a time",
    control=Control("half as many steps", share=2),
    reading=_LEMMA,
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (places_of(n),),
)
def lem1_any(case: Case, places: Ints, share: int = 1) -> bool:
    size = 1 << case.n
    bit, selection = case.number >> size, case.images[0, :size]
    for x in range(size):
        selection[x] = case.number >> x & 1
    return bool(_selective(case.n, bit, selection, places) * share == 2 << (bit >> 1))
