"""Conditional exchanges as walks on the lattice: [edelman, Theorem 3.1, Corollary 3.2].

The conditional exchange across dimension k is a matrix E⁽ᵏ⁾ that is the identity except for row k,
whose diagonal entry is 1. A factorisation in the order (k_1, ..., k_n) is A = E⁽ᵏⁿ⁾ ... E⁽ᵏ¹⁾: the
exchange across k_1 acts first. It is found twice: by multiplying out all 2^(n(n-1)) choices of
E⁽ᵏ⁾ (n <= 4), and by columnwise Gauss-Jordan elimination modulo 2, which takes for E⁽ᵏ⁾ the
identity with row k of the current A, needs a_kk = 1 there, and goes on with A E⁽ᵏ⁾; no choice is
left, as bit k must have its last value after its only exchange.

A vector b adds unconditional exchanges, which do not change what messages meet.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Flags, Ints
from proofs_check.claim import Control, Sample, Sizes, Stated
from proofs_check.claims.edelman_exchanges import eliminates, products
from proofs_check.domain import PAIRS, PERMUTATIONS
from proofs_check.driver import STATIONS, Case, compiled_claim
from proofs_check.orders import all_orders
from proofs_check.stations import along_order, messages, walked_along

_MULTIPLIED = 4

STATED = Stated(
    place="One idea under four papers; converse of lattice.edelman",
    over=PAIRS.described("all matrices A, all vectors b, each with all orders"),
    evidence="messages walked, sorted by node and counted along every order",
    sizes=Sizes(limit=6),
    samples={5: Sample(32, 64), 6: Sample(16, 64)},
)


# -- what is checked --------------------------------------------------------------------------


def _exchanged_orders(n: int, backwards: bool) -> tuple[Ints, Ints, Flags]:
    """All orders, those of the exchanges, and which products these have (n <= 4, else empty)."""
    orders = all_orders(n)
    taken = np.ascontiguousarray(orders[:, ::-1]) if backwards else orders
    multiplied = np.zeros((0, 0), dtype=np.bool_)
    if n <= _MULTIPLIED:
        position = {tuple(order): t for t, order in enumerate(orders.tolist())}
        multiplied = products(n)[[position[tuple(order)] for order in taken.tolist()]]
    return orders, taken, multiplied


@compiled_claim(
    "lattice.edelman",
    place="One idea under four papers; [edelman, Corollary 3.2]",
    says="in an order that corrects every bit: occupancy is 1 at every step ⇔ A is a product of "
    "conditional exchanges in that order ⇒ every channel carries at most one message",
    latex=r"\operatorname{occupancy} \equiv 1 \iff A = E^{(k_n)} \cdots E^{(k_1)} "
    r"\implies \operatorname{load} \le 1",
    evidence="messages walked, sorted by node and counted along every order; all products of "
    "conditional exchanges multiplied out (n <= 4), and Gauss-Jordan elimination run",
    control=Control("the exchanges in the opposite order", backwards=True),
    counted=STATIONS,
    tables=_exchanged_orders,
)
def exchanges(
    case: Case, orders: Ints, taken: Ints, multiplied: Flags, backwards: bool = False
) -> bool:
    """Occupancy 1 after S is det A_(S,S) = 1: the leading principal minors of [edelman]."""
    factors = case.images[:4].reshape(-1)
    if case.is_new:
        for t in range(len(orders)):
            factors[t] = eliminates(case.n, case.rows, taken[t], case.work[0])
            if multiplied.size and multiplied[t, case.code] != factors[t]:
                return False
    for t in range(len(orders)):
        held, load, _ = along_order(orders[t], case.found, case.held, case.crossing)
        if (held == 1) != factors[t] or (held == 1 and load > 1):
            return False
    return True


@compiled_claim(
    "lattice.edelman.converse",
    says="for nonsingular A: if in some order every channel carries at most one message, "
    "occupancy is 1 at every step",
    latex=r"\operatorname{load} \le 1 \implies \operatorname{occupancy} \equiv 1",
    over=PERMUTATIONS.described("all nonsingular A, all vectors b, each with all orders"),
    control=Control("at most two messages on a channel", most_load=2),
    amended="lattice.edelman.converse.amended",
    counted=STATIONS,
    samples={5: 1000, 6: 200},
    tables=lambda n, **_: (all_orders(n),),
)
def converse(case: Case, orders: Ints, most_load: int = 1) -> bool:
    """Two messages may stand in a node if the bit that is corrected next parts them."""
    for order in orders:
        held, load, _ = along_order(order, case.found, case.held, case.crossing)
        if load <= most_load and held > 1:
            return False
    return True


@compiled_claim(
    "lattice.edelman.converse.amended",
    says=(
        "in an order that corrects every bit, two conditions are equivalent. (1) Every "
        "channel carries at most one message. (2) Before every bit that moves no two "
        "messages in a node agree in that bit of their destinations. Then occupancy is at "
        "most 2 at every step"
    ),
    latex=r"\operatorname{load} \le 1 \implies \operatorname{occupancy} \le 2",
    control=Control("occupancy at most 1", most_held=1),
    counted=STATIONS,
    tables=lambda n, **_: (all_orders(n),),
)
def converse_amended(case: Case, orders: Ints, most_held: int = 2) -> bool:
    """Rank A_(S+j,S) = |S| leaves rank A_(S,S) >= |S| - 1, and bits that stay move no message."""
    for order in orders:
        held, load, agreeing = along_order(order, case.found, case.held, case.crossing)
        if (load <= 1) != (agreeing <= 1) or (load <= 1 and held > most_held):
            return False
    return True


# -- showing a counterexample -----------------------------------------------------------------


@exchanges.explain
def _exchanged(A: GF2Matrix, b: GF2Vector, *, backwards: bool = False) -> Mapping[str, Any]:
    work = np.empty(len(b), np.int64)
    for order in all_orders(len(b)):
        taken = order[::-1].copy() if backwards else order
        factors = eliminates(len(b), np.array(A.rows), taken, work)
        shown = walked_along(messages(A, int(b)), tuple(order.tolist()))
        if (max(shown["occupancy"]) == 1) != factors:
            return {"exchanges exist": factors, **shown}
    return {}


@converse.explain
def _crowded(A: GF2Matrix, b: GF2Vector, *, most_load: int = 1) -> Mapping[str, Any]:
    return _first_order(A, b, most_load, 1)


@converse_amended.explain
def _still_crowded(A: GF2Matrix, b: GF2Vector, *, most_held: int = 2) -> Mapping[str, Any]:
    return _first_order(A, b, 1, most_held)


def _first_order(A: GF2Matrix, b: GF2Vector, most_load: int, most_held: int) -> dict[str, Any]:
    for order in all_orders(len(b)):
        shown = walked_along(messages(A, int(b)), tuple(order.tolist()))
        if max(shown["load"]) <= most_load and max(shown["occupancy"]) > most_held:
            return shown
    return {}
