"""Wires that conditional exchanges leave over: [edelman], end of section 4.

If every exchange but the j-th reads bit j, and the j-th is none, then of the two edges across a
dimension that differ in bit j only, exactly one is used. So two sets of data can go at once: the
second is first sent across dimension j, makes the exchanges among the neighbours' nodes by the
decision of its own, and is sent back.
"""

from __future__ import annotations

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.edelman_pipeline import EXCHANGED, exchange_rows


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
    says="if every E⁽ⁱ⁾ but E⁽ʲ⁾ has a one in column j and row j of each is that of the identity, "
    "the wires along dimension j serve to use all the others: two data sets are done at once, "
    "the second sent along j first and last, with exactly one message on every other channel",
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
    """Every dimension j that an A leaves over."""
    for j in _wire_dimensions(A):
        done, carried = doubled(A, j, across)
        if not done or carried - {1}:
            return Finding(False, j=j, delivered=done, messages_on_channels=sorted(carried))
    return Finding(True)
