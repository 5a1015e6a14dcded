"""Sibeyn's routing as a walk on the lattice: [sibeyn, sections 2 and 3].

The decomposition (1) finds a permutation matrix B and gives every processor x the index x' = Bx.
Bit i of the index is bit p of the number where B⁻¹e_i = e_p, and routing goes along the bits of
the index. `decompose` runs the algorithm as printed, with every j that may be selected.

In what order are bits corrected? Every one-bit operation is used once, so a bit that is touched
gets its last value then. Passes go through i = 0, ..., n-1. Outside of cycles pass i corrects bit
i (BCsRoute). A run of exchanges EΓ⁽ᵏ⁾ ... EΓ⁽ˡ⁻¹⁾ is the cycle EC⁽ᵏˡ⁾, where pass i corrects bit
i + 1, and the last pass, l, corrects bit k (ECBCsRoute). That is the order of the passes:

    ..., k-1,  k+1, k+2, ..., l, k,  l+1, ...

The ascending order of the bits of the index is another reading of "index order"; the claim holds
for both. Why: BAB⁻¹ = TV, where T permutes rows within the cycles and the leading principal minors
of V are 1. In the order of the passes, when j is corrected after S the rows S + j of BAB⁻¹ are the
first |S| + 1 rows of V, and S are |S| of the first |S| + 1 columns: rank |S|. In ascending order
the rows S + j hold the first |S| rows of V, and S are the first |S| columns: rank |S|.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Sizes, Stated
from proofs_check.claims.sibeyn_kernels import factor
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS
from proofs_check.driver import STATIONS, Case, compiled_claim
from proofs_check.stations import along_order, messages, walked_along

PASSES, ASCENDING = 0, 1

_EVIDENCE = (
    "the decomposition run as printed; all messages walked in the order that it gives, and counted "
    "on channels and in nodes"
)

STATED = Stated(
    over=PERMUTATIONS.described("all nonsingular A, all vectors b, each with all selections of j"),
    evidence=_EVIDENCE,
    sizes=Sizes(limit=6),
    samples={5: 5000, 6: 1000},
)


@kernel
def decompose(n: int, rows: Ints, taken: Ints, offered: Ints, bits: Ints, exchanged: Ints) -> int:
    """Section 2's algorithm as printed, on a copy of A's rows, which becomes the identity.

    Args:
        rows: the packed rows, changed.
        taken, offered: the odometer of the choices of j, see `proofs_check.constructions`.
        bits: receives B: bits[i] is the bit of the number that is bit i of the index.
        exchanged: receives 1 where EΓ⁽ⁱ⁾ exchanges i and i + 1, else 0.

    Returns: the number of choices made; -1 if the algorithm gets stuck.
    """
    VL = np.empty((n, n), np.int64)
    return factor(n, rows, taken, offered, bits, exchanged, VL, n - 1, False, False)


@kernel
def correction_order(
    n: int, bits: Ints, exchanged: Ints, reading: int, on_numbers: bool, order: Ints
) -> None:
    """The bits of the number in the order in which they are corrected.

    `on_numbers` is a wrong variant: it takes the bits of the index for those of the number.
    """
    cycle = -1
    for i in range(n):
        bit = i
        if reading == PASSES:
            if exchanged[i]:
                cycle = i if cycle < 0 else cycle
                bit = i + 1
            elif cycle >= 0:
                bit, cycle = cycle, -1
        order[i] = bit if on_numbers else bits[bit]


def _is_free(case: Case, reading: int, on_numbers: bool = False) -> bool:
    """Whether the order of every decomposition meets no contention."""
    n, work, order = case.n, case.work[0, : case.n], case.work[1, : case.n]
    bits, exchanged = case.work[2, :n], case.work[3, :n]
    taken, offered = case.work[4], case.work[5]
    taken[:] = 0
    while True:
        work[:] = case.rows
        choices = decompose(n, work, taken, offered, bits, exchanged)
        if choices < 0:
            return False
        correction_order(n, bits, exchanged, reading, on_numbers, order)
        held, load, _ = along_order(order, case.found, case.held, case.crossing)
        if load > 1 or held > 2:
            return False
        if not next_choice(choices, taken, offered):
            return True


# The leading |S| + 1 rows and columns of V are independent; see the module's text.
sibeyn = compiled_claim(
    "lattice.sibeyn",
    place="One idea under four papers; [sibeyn, sections 2 and 3]",
    says="in Sibeyn's index order every channel of the hypercube carries at most one message and "
    "every node holds at most two, whatever j the decomposition selects",
    latex=r"\operatorname{load} \le 1,\ \operatorname{occupancy} \le 2 "
    r"\text{ along } \dots, k+1, \dots, l, k, \dots",
    control=Control("the bits of the index taken for those of the number", on_numbers=True),
    reading="the order in which the passes of the routing correct the bits of the index: i + 1 in "
    "pass i of a cycle from k to l and k in its last pass, else i",
    counted=STATIONS,
    tables=lambda n, **_: (PASSES,),
)(_is_free)

# The leading |S| rows and columns of V are independent; see the module's text.
ascending = compiled_claim(
    "lattice.sibeyn.ascending",
    place="One idea under four papers; [sibeyn, section 2]",
    says="with the bits of Sibeyn's index in ascending order every channel of the hypercube "
    "carries at most one message and every node holds at most two, whatever j the decomposition "
    "selects",
    latex=r"\operatorname{load} \le 1,\ \operatorname{occupancy} \le 2 "
    r"\text{ along } 0, 1, \dots, n-1 \text{ of } x' = Bx",
    control=Control("the bits of the index taken for those of the number", on_numbers=True),
    counted=STATIONS,
    tables=lambda n, **_: (ASCENDING,),
)(_is_free)


# -- showing a counterexample -----------------------------------------------------------------


def _worst(
    A: GF2Matrix, b: GF2Vector, *, reading: int, on_numbers: bool = False
) -> Mapping[str, Any]:
    """The first selection of j whose order meets contention, with its walk."""
    n = len(b)
    bits, exchanged, order = np.zeros((3, n), np.int64)
    taken, offered = np.zeros((2, n + 1), np.int64)
    pairs = messages(A, int(b))
    while True:
        choices = decompose(n, np.array(A.rows), taken, offered, bits, exchanged)
        if choices < 0:
            return {"stuck": True}
        correction_order(n, bits, exchanged, reading, on_numbers, order)
        shown = walked_along(pairs, order.tolist())
        if max(shown["load"]) > 1 or max(shown["occupancy"]) > 2:
            return {"B": bits, **shown}
        if not next_choice(choices, taken, offered):
            return {}


sibeyn.explain(partial(_worst, reading=PASSES))
ascending.explain(partial(_worst, reading=ASCENDING))
