"""Sibeyn's routing as a walk on the lattice, [sibeyn, sections 2 and 3], and which orders come out.

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

Which orders come out? Renaming the bits first (every B) leaves no choice of j: step 2.a is never
needed for some of them. What is left is step 2.b. As printed it exchanges rows i and i + 1 only if
a_ii = 0. It may also do so if a_ii = 1 and a_(i+1,i) = 1; then the decomposition is as good, with
another cycle. A sketch of why that gives all: take a walk that is free of contention whatever b is,
and read where two messages stand in a node. Such a stretch is a cycle, its last bit is k, the
others are k + 1, ..., l. The leading rows of T⁻¹BAB⁻¹ are then independent on as many columns,
which is what the passes need. The claim is checked, not proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Sizes, Stated
from proofs_check.claims.sibeyn_decomposition import factor
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS, Nonsingular
from proofs_check.driver import STATIONS, Case, compiled_claim
from proofs_check.orders import all_orders, count_meetings
from proofs_check.packed import renamed
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
    "every node holds at most two, for every j that the decomposition can select",
    latex=r"\operatorname{load} \le 1,\ \operatorname{occupancy} \le 2 "
    r"\text{ along } \dots, k+1, \dots, l, k, \dots",
    control=Control("the bits of the index taken for those of the number", on_numbers=True),
    reading="the order in which the passes of the routing correct the bits of the index. Pass i of "
    "a cycle from k to l corrects i + 1, its last pass corrects k, and every other pass i corrects "
    "i",
    counted=STATIONS,
    tables=lambda n, **_: (PASSES,),
)(_is_free)

# The leading |S| rows and columns of V are independent; see the module's text.
ascending = compiled_claim(
    "lattice.sibeyn.ascending",
    place="One idea under four papers; [sibeyn, section 2]",
    says="with the bits of Sibeyn's index in ascending order every channel of the hypercube "
    "carries at most one message and every node holds at most two, for every j that the "
    "decomposition can select",
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


# -- which orders come out of it ---------------------------------------------------------------


@kernel
def _follows(n: int, A: Ints, pattern: int, either: int, exchanged: Ints) -> bool:
    """Whether the decomposition, without step 2.a, may exchange at the bits of `pattern`; eats A.

    `either`: at its bits i step 2.b may exchange where a_ii = 1 too.
    """
    for i in range(n):
        exchanged[i] = pattern >> i & 1
        below = i + 1 < n and bool(A[i + 1] >> i & 1)
        if exchanged[i]:
            if not below or (A[i] >> i & 1 and not either >> i & 1):
                return False
            A[i], A[i + 1] = A[i + 1], A[i]
        elif not A[i] >> i & 1:
            return False
        row = A[i] ^ 1 << i
        for k in range(n):
            if A[k] >> i & 1:
                A[k] ^= row
    return True


@kernel
def _place(n: int, order: Ints) -> int:
    """The place of an order among all in lexicographic order."""
    place = 0
    for k in range(n):
        smaller = 0
        for m in range(k + 1, n):
            smaller += order[m] < order[k]
        place = place * (n - k) + smaller
    return place


@kernel
def _orders_of(
    n: int,
    rows: Ints,
    orders: Ints,
    either: int,
    walked: npt.NDArray[np.uint8],
    ours: npt.NDArray[np.uint8],
) -> None:
    """walked[t], ours[t]: order t is free of contention whatever b is; it is one of the passes."""
    counts, images = np.empty((1 << n, n), np.int64), np.empty(1 << n, np.int64)
    index_rows, exchanged, order = (
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    count_meetings(n, rows, 0, images, counts)
    ours[:] = 0
    for t in range(len(orders)):
        done, walked[t] = 0, 1
        for j in orders[t]:
            if counts[done, j] > 1:
                walked[t] = 0
            done |= 1 << j
    for t in range(len(orders)):
        for pattern in range(1 << n):
            renamed(n, rows, orders[t], index_rows)
            if _follows(n, index_rows, pattern, either, exchanged):
                correction_order(n, orders[t], exchanged, PASSES, False, order)
                ours[_place(n, order)] = 1


@compiled_claim(
    "lattice.sibeyn.orders",
    place="One idea under four papers; [sibeyn, section 2]",
    says=(
        "the orders of the passes that the decomposition gives after all renamings of the "
        "bits are all orders that are free of contention for every b"
    ),
    latex=r"\{\text{orders of the passes}\} = \{\text{orders with load} \le 1\}",
    over=Nonsingular("A").described("all nonsingular A, all renamings, all orders"),
    evidence="messages that meet on a channel counted for all orders; the decomposition run",
    control=Control("the natural order is none of them", missing=1),
    amended=Amended(
        "they are some of these orders. They are all of them if step 2.b may also exchange "
        "rows i and i + 1 where a_ii = 1 and a_(i+1,i) = 1",
        control=Control("where i <= 1", either=0b11),
        either=-1,
    ),
    sizes=Sizes(limit=5),
    samples={5: 200},
    tables=lambda n, **_: (all_orders(n),),
)
def orders_of_passes(case: Case, orders: Ints, either: int = 0, missing: int = 0) -> bool:
    walked, ours = np.empty((2, len(orders)), np.uint8)
    _orders_of(case.n, case.rows, orders, either, walked, ours)
    if missing:
        ours[0] = 0
    return bool((walked == ours).all())


@orders_of_passes.explain
def _both_sets(A: GF2Matrix, *, either: int = 0, missing: int = 0) -> Mapping[str, Any]:
    n = A.n_columns
    orders = all_orders(n)
    walked, ours = np.zeros((2, len(orders)), np.uint8)
    _orders_of(n, np.array(A.rows), orders, either, walked, ours)
    return {
        "free_of_contention": orders[walked == 1].tolist(),
        "of_passes": orders[ours == 1].tolist()[missing:],
    }
