"""What pipelined conditional exchanges use of the cube, and leave: [edelman], sections 3 and 4.

If every exchange but the j-th reads bit j, and the j-th is none, then of the two edges across a
dimension that differ in bit j only, exactly one is used. So two sets of data can go at once: the
second is first sent across dimension j, makes the exchanges among the neighbours' nodes by the
decision of its own, and is sent back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.domain import AllMatrices, Enumerated
from proofs_check.packed import apply


class Exchanged(AllMatrices):
    """Every n by n matrix that is a product E⁽ⁿ⁾ ... E⁽¹⁾: all leading minors are 1.

    >>> [Exchanged().size(n) for n in (1, 2, 3, 4)]
    [1, 4, 64, 4096]
    """

    def size(self, n: int) -> int:
        return 1 << n * (n - 1)

    def _keeps(self, rows: Sequence[int], n: int) -> bool:
        return all(
            elimination.rank([row & ((1 << k) - 1) for row in rows[:k]]) == k
            for k in range(1, n + 1)
        )


EXCHANGED = Exchanged("A").described("all products A of conditional exchanges across 1, ..., n")


@lru_cache(maxsize=1 << 13)
def exchange_rows(A: GF2Matrix) -> tuple[int, ...]:
    """Row k of E⁽ᵏ⁾, k = 0..n-1, by columnwise Gauss-Jordan elimination without pivoting.

    >>> exchange_rows(GF2Matrix([[1, 1], [1, 0]]))
    (3, 3)
    """
    rows, found = list(A.rows), []
    for k in range(A.n_rows):
        row = rows[k]
        found.append(row)
        rows = [r ^ row ^ 1 << k if r >> k & 1 else r for r in rows]
    return tuple(found)


@kernel
def senders(n: int, rows: Ints, b: int, sends: Flags) -> None:
    """sends[k, u]: whether a message leaves node u when bit k is corrected after bits 0..k-1."""
    sends[:] = False
    for x in range(1 << n):
        y = apply(n, rows, x) ^ b
        for k in range(n):
            node = x ^ ((x ^ y) & ((1 << k) - 1))
            if (node ^ y) >> k & 1:
                sends[k, node] = True


@kernel
def _first_misused(
    n: int, rows: Ints, exchanges: Ints, by_row: bool, quarters: int, sends: Flags
) -> int:
    """The least b for which some step has another number of senders than stated, or -1."""
    for b in range(1 << n):
        senders(n, rows, b, sends)
        for k in range(n):
            stated = quarters << n
            if by_row and exchanges[k] == 1 << k:
                stated = (b >> k & 1) << n + 2
            if 4 * sends[k].sum() != stated:
                return b
    return -1


@claim(
    "edelman.utilisation",
    place="Section 3, after Definition 3.3",
    says="every conditional exchange uses fifty percent of its dimension: half of the nodes send",
    latex=r"\#\{u : u \text{ sends across } k\} = 2^{n-1}",
    over=EXCHANGED.described(
        "all products A of conditional exchanges across 1, ..., n, each with all vectors b"
    ),
    evidence="all messages walked, the nodes that send in every step counted",
    control=Control("three quarters of the nodes send, where half do", quarters=3),
    reading=Reading(
        "where row k of E⁽ᵏ⁾ has an entry off the diagonal. Without a condition no node "
        "sends, or all send if b_k = 1",
        by_row=True,
    ),
    sizes=Sizes(limit=4),
)
def utilisation(A: GF2Matrix, *, by_row: bool = False, quarters: int = 2) -> Finding:
    """Counts of senders in all steps. A condition that reads no bit is constant."""
    n = A.n_columns
    rows, sends = np.array(A.rows), np.empty((n, 1 << n), np.bool_)
    b = _first_misused(n, rows, np.array(exchange_rows(A)), by_row, quarters, sends)
    if b < 0:
        return Finding(True)
    senders(n, rows, b, sends)
    return Finding(False, b=GF2Vector.from_int(b, n), nodes_that_send=sends.sum(axis=1).tolist())


LENGTHS = Enumerated(
    lambda n: iter(range(1, n + 3)),
    size=lambda n: n + 2,
    names="m",
    text="m = 1, ..., n + 2 data sets",
)


@claim(
    "edelman.utilisation.swaps",
    place="Section 3, after Definition 3.3",
    says="m data sets are done in m + n - 1 cube swaps, with one message on a channel in each; "
    "each dimension but one adds one start-up and one wind-down swap, and in the other m - n + 1 "
    "(if m >= n) all dimensions are at work",
    latex=r"m + n - 1 \text{ cube swaps}",
    over=EXCHANGED * LENGTHS,
    evidence="labelled data of m data sets moved, messages on every channel counted",
    control=Control("one swap less", fewer=1),
    sizes=Sizes(most=3, limit=4),
)
def swaps(A: GF2Matrix, m: int, *, fewer: int = 0) -> Finding:
    n, rows = A.n_columns, exchange_rows(A)
    held = [list(range(1 << n)) for _ in range(m)]  # held[d][u]: the source of the datum at u
    total, full, shared = m + n - 1 - fewer, 0, False
    for swap in range(total):
        used: set[tuple[int, int]] = set()
        at_work = set()
        for d in range(m):
            k = swap - d
            if not 0 <= k < n:
                continue
            at_work.add(k)
            arrived = [-1] * (1 << n)
            for u, source in enumerate(held[d]):
                sends = (u & (rows[k] ^ 1 << k)).bit_count() & 1
                shared |= bool(sends) and (u, k) in used
                if sends:
                    used.add((u, k))
                arrived[u ^ sends << k] = source
            held[d] = arrived
        full += len(at_work) == n
    done = all(data[A.apply(x)] == x for data in held for x in range(1 << n))
    return Finding(done and not shared and full == max(m - n + 1, 0), swaps=total, full=full)


# -- wires that exchanges leave over -----------------------------------------------------------


def _wire_dimensions(A: GF2Matrix) -> list[int]:
    """The j with e_ij = 1 in every exchange i != j, and row j of the identity."""
    rows = exchange_rows(A)
    return [
        j
        for j in range(len(rows))
        if rows[j] == 1 << j and all(row >> j & 1 for i, row in enumerate(rows) if i != j)
    ]


def doubled(A: GF2Matrix, j: int, across: bool) -> tuple[bool, set[int]]:
    """Two sets of data sent at once; whether both arrive, and the data on every channel of a step.

    `across` sends the second set through dimension j before and after the exchanges.
    """
    n, rows = A.n_columns, exchange_rows(A)
    flip = 1 << j if across else 0
    plain = {u: u for u in range(1 << n)}  # node: source of the datum that it holds
    moved = {u ^ flip: u for u in range(1 << n)}
    carried = set()
    for k in range(n):
        if k == j:
            continue
        others = rows[k] ^ 1 << k
        counts = dict.fromkeys(range(1 << n), 0)
        sets = []
        for held, offset in ((plain, 0), (moved, flip)):
            arrived = {}
            for u, source in held.items():
                sends = ((u ^ offset) & others).bit_count() & 1
                counts[u] += sends
                arrived[u ^ sends << k] = source
            sets.append(arrived)
        plain, moved = sets
        carried |= set(counts.values())
    done = all(A.apply(x) == u for u, x in plain.items())
    done &= all(A.apply(x) == u ^ flip for u, x in moved.items())
    return done, carried


@claim(
    "edelman.wires",
    place="Section 4, after Corollary 3.3 is applied",
    says=(
        "let every E⁽ⁱ⁾ except E⁽ʲ⁾ have a one in column j, and row j of each be that of the "
        "identity. Then the wires along dimension j serve to use all the others. Two data "
        "sets are done at once, the second sent along j first and last, with exactly one "
        "message on every other channel"
    ),
    latex=r"e^{(i)}_{ij} = 1\ (i \ne j),\ e^{(i)}_{j\cdot} = e_j",
    over=EXCHANGED.described(
        "all products A of conditional exchanges across 1, ..., n, each with all such j"
    ),
    evidence="labelled data of both sets moved, messages on every channel counted",
    control=Control("the second set not sent along j", across=False),
    reading="how the wires serve is left to a reference; this is a way that works",
    sizes=Sizes(limit=4),
)
def wires(A: GF2Matrix, *, across: bool = True) -> Finding:
    for j in _wire_dimensions(A):
        done, carried = doubled(A, j, across)
        if not done or carried - {1}:
            return Finding(False, j=j, delivered=done, messages_on_channels=sorted(carried))
    return Finding(True)
