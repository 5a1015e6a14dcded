"""Three algorithms as one greedy walk on the lattice: LCP_Optimizer, Sibeyn's decomposition, HL.

Each is run as its own chapter runs it ([hou, Fig. 3], [sibeyn, section 2], [boppana, section 2.3])
and gives an order of bits. The walk beside them counts messages on channels and takes no rank.
"""

from __future__ import annotations

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Amended, Control, Finding, Sizes, claim
from proofs_check.claims.boppana_rule import run_in_order
from proofs_check.claims.hou_lcp_figure import lcp_optimizer_order
from proofs_check.claims.lattice_sibeyn import decompose
from proofs_check.constructions import next_choice
from proofs_check.domain import Nonsingular

Order = tuple[int, ...]


def _sibeyn(A: GF2Matrix, *, greatest: bool) -> Order:
    """The bits of the index, where the least j is selected each time; or the greatest."""
    n = A.n_columns
    bits, exchanged = np.zeros((2, n), np.int64)
    taken, offered = np.zeros((2, n + 1), np.int64)
    while True:
        choices = decompose(n, np.array(A.rows), taken, offered, bits, exchanged)
        if not greatest or not next_choice(choices, taken, offered):  # the last selects so
            return tuple(bits.tolist())


def _hl(A: GF2Matrix) -> Order:
    """The order of HL for b = 0."""
    n = A.n_columns
    order = np.zeros(n, np.int64)
    run_in_order(n, np.array([A.apply(x) for x in range(1 << n)]), False, order)
    return tuple(order.tolist())


def _greedy_walk(A: GF2Matrix, *, swap: bool) -> Order:
    """Always the first bit of an arrangement whose channels carry at most one message.

    Messages are sent for both values of every bit of b, so that each bit is seen to move.
    """
    n = A.n_columns
    order = list(range(n))
    for place in range(n):
        S = sum(1 << j for j in order[:place])
        found = next(k for k in range(place, n) if _always_free(A, S, order[k]))
        if swap:
            order[place], order[found] = order[found], order[place]
        else:
            order.insert(place, order.pop(found))
    return tuple(order)


def _always_free(A: GF2Matrix, S: int, j: int) -> bool:
    """No two messages cross one channel of bit j after S, be b_j 0 or 1."""
    for b in (0, 1 << j):
        seen = set()
        for x in range(1 << A.n_columns):
            y = A.apply(x) ^ b
            if (x ^ y) >> j & 1:
                at = x ^ (x ^ y) & S
                if at in seen:
                    return False
                seen.add(at)
    return True


@claim(
    "lattice.lcp.sibeyn",
    place="LCP_Optimizer and Sibeyn's decomposition",
    says="the bits of the index in Sibeyn's decomposition, with the least j where a j is chosen, "
    "are LCP_Optimizer's order",
    over=Nonsingular("A"),
    evidence="both algorithms run as printed, with rows and columns that change places",
    control=Control("the greatest j", greatest=True),
    sizes=Sizes(limit=5),
)
def lcp_sibeyn(A: GF2Matrix, *, greatest: bool = False) -> Finding:
    """[sibeyn, section 2, step 2.a] looks for the row that [hou, Fig. 3] looks for."""
    optimizer, basis = lcp_optimizer_order(A), _sibeyn(A, greatest=greatest)
    return Finding(optimizer == basis, LCP_Optimizer=optimizer, B=basis)


@claim(
    "lattice.lcp.hl",
    place="LCP_Optimizer and Algorithm HL",
    says="LCP_Optimizer's order is the order in which Algorithm HL corrects the bits",
    over=Nonsingular("A"),
    evidence="both algorithms run as printed, HL on the tags of all processors",
    control=Control("HL's order read backwards", backwards=True),
    amended=Amended(
        "both are one greedy walk - the first bit of an arrangement whose channels carry at most "
        "one message, whatever b is - in which the bit that is found changes places with the one "
        "that stands there (LCP_Optimizer), or moves in front of those between (HL)",
        control=Control("both change places", both_swap=True),
        walk=True,
    ),
    sizes=Sizes(limit=4),
)
def lcp_hl(
    A: GF2Matrix, *, walk: bool = False, both_swap: bool = False, backwards: bool = False
) -> Finding:
    """[hou, Fig. 3] and [boppana, section 2.3]; they first differ for n = 4."""
    optimizer, tags = lcp_optimizer_order(A), _hl(A)
    if not walk:
        read = tags[::-1] if backwards else tags
        return Finding(optimizer == read, LCP_Optimizer=optimizer, HL=read)
    swapped, moved = _greedy_walk(A, swap=True), _greedy_walk(A, swap=both_swap)
    ok = optimizer == swapped and tags == moved
    return Finding(ok, LCP_Optimizer=optimizer, swap=swapped, HL=tags, rotate=moved)
