"""Algorithm HL, LCP_Optimizer and Sibeyn's decomposition as one greedy walk on the lattice.

Each is run as its own chapter runs it ([hou, Fig. 3], [sibeyn, section 2], [boppana, section 2.3])
and gives an order of bits. The walk beside them counts messages on channels and takes no rank.

Of HL, a processor holds the tags (destinations) of the messages that stand there. State A: one tag
each. State B: two tags in half the processors. In state A the least bit that has not been used is
corrected next; in state B every processor with two tags corrects the least bit in which they
differ. HL is run as it is printed, on tags in processors; the order of bits that it takes is then
walked and compared with all orders.

Why it is the greedy walk: in state A every next bit keeps the load at 1. In state B the tags of a
processor differ by the same a for all processors [boppana, Lemma 3]; correcting j brings the two
over one channel just when a_j = 0, and a is not 0 outside S. So every start of a walk with load 1
can be completed, and HL takes the least bit each time: the lexicographically first such order. A
bit with y_j = x_j for all x has a_j = 0 too, but no message moves: correcting it in state B would
also be free of contention.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Finding, Sizes, Stated, claim
from proofs_check.claims.boppana_hl import run_in_order
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_order
from proofs_check.claims.lattice_sibeyn import decompose
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS, Nonsingular
from proofs_check.driver import STATIONS, Case, compiled_claim, tags_of
from proofs_check.orders import all_orders
from proofs_check.stations import along_order, messages, walked_along

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
        "both are one greedy walk, which takes the first bit of an arrangement whose channels "
        "carry at most one message for every b. LCP_Optimizer exchanges the bit with the one "
        "in its place, and HL moves it before those between",
        control=Control("both change places", both_swap=True),
        walk=True,
    ),
    sizes=Sizes(limit=4),
)
def lcp_hl(
    A: GF2Matrix, *, walk: bool = False, both_swap: bool = False, backwards: bool = False
) -> Finding:
    """[hou, Fig. 3] and [boppana, section 2.3]; they first differ for n = 4."""
    optimizer, tags = lcp_optimizer_order(A), tuple(_hl_order(A))
    if not walk:
        read = tags[::-1] if backwards else tags
        return Finding(optimizer == read, LCP_Optimizer=optimizer, HL=read)
    swapped, moved = _greedy_walk(A, swap=True), _greedy_walk(A, swap=both_swap)
    ok = optimizer == swapped and tags == moved
    return Finding(ok, LCP_Optimizer=optimizer, swap=swapped, HL=tags, rotate=moved)


# -- HL, [boppana, section 2.3] ----------------------------------------------------------------


STATED = Stated(
    place="One idea under four papers; [boppana, section 2.3]",
    over=PERMUTATIONS.described("all nonsingular A, all vectors b, each with all orders"),
    sizes=Sizes(limit=6),
    samples={5: 2000, 6: 500},
)

_ANY, _WHATEVER_B, _MOVING, _WHATEVER_HIGH_B = 0, 1, 2, 3


@compiled_claim(
    "lattice.hl",
    says="HL routes every linear-complement permutation in an order of bits along which every "
    "channel carries at most one message and every node holds at most two",
    latex=r"\operatorname{load} \le 1,\ \operatorname{occupancy} \le 2 \text{ along HL's order}",
    over=PERMUTATIONS,
    evidence="HL run on tags in processors as printed; then all messages walked along the order "
    "that it took, and counted on channels and in nodes",
    control=Control("state B treated as state A", ignores_tags=True),
    counted=STATIONS,
    samples={5: 5000, 6: 1000},
)
def hl(case: Case, ignores_tags: bool = False) -> bool:
    """Two tags in a processor differ in the bit that is corrected, so one of them moves."""
    order = case.work[0, : case.n]
    if not 0 <= run_in_order(case.n, tags_of(case), ignores_tags, order) <= 1:
        return False
    held, load, _ = along_order(order, case.found, case.held, case.crossing)
    return bool(load <= 1 and held <= 2)


# -- which of the contention-free orders ------------------------------------------------------


@kernel
def _is_free(n: int, order: Ints, flips: int, among: int, still: int, crossing: Ints) -> bool:
    """Whether an order is one of those that HL's is compared with.

    Contention-free for this b (_ANY), whatever b is (_WHATEVER_B), or whatever its bits
    from bit 2 on are (_WHATEVER_HIGH_B); with _MOVING for this b, the
    bits in `still`, which no message changes, last and ascending.
    """
    S = 0
    for j in order:
        side = flips >> j & 1
        load = crossing[side, S, j, 1]
        if among == _WHATEVER_B or (among == _WHATEVER_HIGH_B and j > 1):
            load = max(load, crossing[1 - side, S, j, 1])
        if load > 1:
            return False
        if among == _MOVING and still >> j & 1:
            before = ~still | (1 << j) - 1  # all moving bits and the still ones below
            if before & ~S & ((1 << n) - 1):
                return False
        S |= 1 << j
    return True


@kernel
def _put_last(n: int, still: int, order: Ints) -> None:
    """Move the bits in `still` to the end, ascending."""
    filled = 0
    for step in range(n):
        if not still >> order[step] & 1:
            order[filled] = order[step]
            filled += 1
    for j in range(n):
        if still >> j & 1:
            order[filled] = j
            filled += 1


@kernel
def _is_first(case: Case, orders: Ints, among: int, from_the_end: bool) -> bool:
    """Whether HL's order is the first (the last) of those orders, which are lexicographic."""
    n, order, still = case.n, case.work[0, : case.n], 0
    for j in range(n):
        if case.rows[j] == 1 << j and not case.b >> j & 1:
            still |= 1 << j
    run_in_order(n, tags_of(case), False, order)
    if among == _MOVING:
        _put_last(n, still, order)
    for position in range(len(orders)):
        other = orders[len(orders) - 1 - position if from_the_end else position]
        if _is_free(n, other, case.found, among, still, case.crossing):
            return bool((other == order).all())
    return True


_COMPARED = "HL run on tags as printed; the orders walked and counted, lexicographically"


@compiled_claim(
    "lattice.hl.first",
    says="HL's order is the lexicographically first of the orders in which every channel carries "
    "at most one message",
    latex=r"\text{HL's order} = \min\nolimits_{\text{lex}} \{\text{orders with load} \le 1\}",
    evidence=_COMPARED,
    control=Control("the lexicographically last", from_the_end=True),
    amended=Amended(
        "HL's order is the lexicographically first of the orders in which every channel "
        "carries at most one message for every b",
        latex=r"\text{HL's order} = \min\nolimits_{\text{lex}} "
        r"\{\text{orders with load} \le 1 \text{ for all } b\}",
        control=Control("whatever b_2, b_3, ... are", among=_WHATEVER_HIGH_B),
        among=_WHATEVER_B,
    ),
    counted=STATIONS,
    tables=lambda n, **_: (all_orders(n),),
)
def first(case: Case, orders: Ints, among: int = _ANY, from_the_end: bool = False) -> bool:
    """In state B, HL passes over bits that no message changes; see the module's text."""
    return _is_first(case, orders, among, from_the_end)


@compiled_claim(
    "lattice.hl.moving",
    says="HL's order without the bits that no message changes is the lexicographically first of "
    "the orders of the other bits in which every channel carries at most one message",
    latex=r"\text{HL's order of the bits that move} = "
    r"\min\nolimits_{\text{lex}} \{\text{orders with load} \le 1\}",
    evidence=_COMPARED,
    control=Control("the lexicographically last", from_the_end=True),
    counted=STATIONS,
    tables=lambda n, **_: (all_orders(n),),
)
def moving(case: Case, orders: Ints, from_the_end: bool = False) -> bool:
    """Where no message moves, no message moves: such bits change neither state nor tags."""
    return _is_first(case, orders, _MOVING, from_the_end)


# -- showing a counterexample -----------------------------------------------------------------


def _hl_order(A: GF2Matrix, b: int = 0, ignores_tags: bool = False) -> list[int]:
    order = np.full(A.n_columns, -1)
    tags = np.array([y for _, y in messages(A, b)])
    run_in_order(A.n_columns, tags, ignores_tags, order)
    return [int(j) for j in order if j >= 0]


@hl.explain
def _walked(A: GF2Matrix, b: GF2Vector, *, ignores_tags: bool = False) -> Mapping[str, Any]:
    return walked_along(messages(A, int(b)), _hl_order(A, int(b), ignores_tags))


@first.explain
def _compared(
    A: GF2Matrix, b: GF2Vector, *, among: int = _ANY, from_the_end: bool = False
) -> Mapping[str, Any]:
    n = len(b)
    every_b = [GF2Vector.from_int(v, n) for v in range(1 << n)]
    return _beside(A, b, every_b if among == _WHATEVER_B else [b], set(), from_the_end)


@moving.explain
def _compared_moving(
    A: GF2Matrix, b: GF2Vector, *, from_the_end: bool = False
) -> Mapping[str, Any]:
    still = {j for j in range(len(b)) if A.rows[j] == 1 << j and not b[j]}
    return _beside(A, b, [b], still, from_the_end)


def _beside(
    A: GF2Matrix, b: GF2Vector, vectors: list[GF2Vector], still: set[int], from_the_end: bool
) -> Mapping[str, Any]:
    """HL's order and the first that is free for all of `vectors`, both without `still`."""
    orders = all_orders(len(b)).tolist()
    for whole in reversed(orders) if from_the_end else orders:
        order = [j for j in whole if j not in still]
        walks = [walked_along(messages(A, int(v)), order) for v in vectors]
        if all(max(walk["load"], default=0) <= 1 for walk in walks):
            break
    walk = walked_along(messages(A, int(b)), order)
    taken = [j for j in _hl_order(A, int(b)) if j not in still]
    return {"HL": taken, "compared": order, "load": walk["load"], "paths": walk["paths"]}
