"""Which orders of correcting bits come out of Sibeyn's decomposition: a question on the lattice.

Renaming the bits first (every B) leaves no choice of j: step 2.a is never needed for some of them.
What is left is step 2.b. As printed it exchanges rows i and i + 1 only if a_ii = 0. It may also do
so if a_ii = 1 and a_(i+1,i) = 1; then the decomposition is as good, with another cycle.

A sketch of why that gives all: take a walk that is free of contention whatever b is, and read where
two messages stand in a node. Such a stretch is a cycle, its last bit is k, the others are k + 1,
..., l. The leading rows of T⁻¹BAB⁻¹ are then independent on as many columns, which is what the
passes need. The claim is checked, not proved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Sizes
from proofs_check.claims.lattice_sibeyn import PASSES, correction_order
from proofs_check.domain import Nonsingular
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import all_orders, count_meetings
from proofs_check.packed import renamed


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
    says="the orders of the passes that the decomposition gives after all renamings of the bits "
    "are all orders that are free of contention whatever b is",
    latex=r"\{\text{orders of the passes}\} = \{\text{orders with load} \le 1\}",
    over=Nonsingular("A").described("all nonsingular A, all renamings, all orders"),
    evidence="messages that meet on a channel counted for all orders; the decomposition run",
    control=Control("the natural order is none of them", missing=1),
    amended=Amended(
        "they are some of these orders; and all of them if step 2.b may also exchange rows i and "
        "i + 1 where a_ii = 1 and a_(i+1,i) = 1",
        control=Control("where i <= 1", either=0b11),
        either=-1,
    ),
    sizes=Sizes(limit=5),
    samples={5: 200},
    tables=lambda n, **_: (all_orders(n),),
)
def orders_of_passes(case: Case, orders: Ints, either: int = 0, missing: int = 0) -> bool:
    """Both sets of orders are one."""
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
