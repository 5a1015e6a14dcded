"""What a mapping x' = Qx makes of a communication, and which bits need no place in it.

[hou], section 4: Theorem 2, and the remark after it that a dimension with T_i = 0 may be moved to
the end and dropped. If y_i = x_i for all x, the messages of the nodes with x_i = 0 and of those
with x_i = 1 stay in two subcubes, where they are the communications (A', b') and (A', b' + a):
A' and b' lack row and column i, and a is column i without its entry i. The paper keeps the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import walked_degrees
from proofs_check.claim import Control, Reading, Sizes, Stated
from proofs_check.domain import PAIRS, Nonsingular
from proofs_check.driver import NO_CASE, Case, compiled_claim
from proofs_check.orders import all_orders, degrees_of_orders, ecube_paths, reordered
from proofs_check.packed import apply, multiply, rank_within, unpack_rows

STATED = Stated(
    place="Section 4, after Theorem 2",
    over=PAIRS.described("all matrices A, all vectors b, each with every i where T_i = 0"),
    evidence="every order of (A, b) and of the rest walked",
    sizes=Sizes(limit=4),
)


# -- Theorem 2 ----------------------------------------------------------------------------


@kernel
def _is_inverse(n: int, Q: Ints, inverse: Ints, product: Ints) -> bool:
    """Find Q⁻¹ from the images of all nodes; False if Q has none."""
    columns = np.full(n, -1, np.int64)
    for x in range(1 << n):
        image = apply(n, Q, x)
        for j in range(n):
            if image == 1 << j:
                columns[j] = x
    for j in range(n):
        if columns[j] < 0:
            return False
    for i in range(n):
        inverse[i] = 0
        for j in range(n):
            inverse[i] |= (columns[j] >> i & 1) << j
    multiply(n, Q, inverse, product)
    for i in range(n):  # noqa: SIM110 - numba has no generators
        if product[i] != 1 << i:
            return False
    return True


@compiled_claim(
    "hou.thm2",
    place="Section 4, Theorem 2",
    says="after the mapping x' = Qx with Q nonsingular (a reordering too) the communication "
    "(A, b) is (QAQ⁻¹, Qb)",
    latex=r"x' = Qx,\ y' = Qy \implies y' = QAQ^{-1}x' + Qb",
    over=PAIRS * Nonsingular("Q"),
    evidence="every message x → y carried to Qx → Qy and compared with y' = QAQ⁻¹x' + Qb",
    control=Control("Q⁻¹AQ, the inverse on the other side", other_side=True),
    sizes=Sizes(most=3, limit=4),
    samples={4: 2000},
)
def thm2(case: Case, other_side: bool = False) -> int:
    """[hou, Theorem 2] for (A, b) and Q, which are the parts of the case's number."""
    n, A, Q, inverse = case.n, case.work[0], case.work[1], case.work[2]
    product, mapped = case.work[3], case.work[4]
    unpack_rows(case.b, n, Q)
    if not _is_inverse(n, Q, inverse, product):
        return NO_CASE
    unpack_rows(case.code >> n, n, A)
    b = case.code & ((1 << n) - 1)
    multiply(n, inverse if other_side else Q, A, product)
    multiply(n, product, Q if other_side else inverse, mapped)
    shift = apply(n, Q, b)
    for x in range(1 << n):
        arrives = apply(n, Q, apply(n, A, x) ^ b)
        if apply(n, mapped, apply(n, Q, x)) ^ shift != arrives:
            return False
    return True


@thm2.explain
def _messages(
    A: GF2Matrix, b: GF2Vector, Q: GF2Matrix, *, other_side: bool = False
) -> Mapping[str, Any]:
    D = Q.inverse() @ A @ Q if other_side else A.conjugate(Q)
    d = Q.apply(int(b))
    sent = [(Q.apply(x), Q.apply(A.apply(x) ^ int(b))) for x in range(1 << len(b))]
    wrong = [(x, y, D.apply(x) ^ d) for x, y in sent if D.apply(x) ^ d != y]
    return {"D": D, "d": GF2Vector.from_int(d, len(b)), "x', Qy, Dx' + d": wrong}


# -- dropping a dimension with T_i = 0 ------------------------------------------------------


@kernel
def without(n: int, index: int, i: int) -> tuple[int, int]:
    """The indices at n - 1 of (A', b') and (A', b' + a): row and column i left out."""
    code, b = index >> n, index & ((1 << n) - 1)
    low = (1 << i) - 1
    rest = beside = 0
    for r in range(n):
        if r == i:
            continue
        row = code >> (n * (n - 1 - r)) & ((1 << n) - 1)
        rest = rest << (n - 1) | (row >> 1 & ~low) | (row & low)
    for r in range(n - 1, -1, -1):
        if r != i:
            row = code >> (n * (n - 1 - r)) & ((1 << n) - 1)
            beside = beside << 1 | (row >> i & 1)
    kept = (b >> 1 & ~low) | (b & low)
    return rest << (n - 1) | kept, rest << (n - 1) | (kept ^ beside)


@kernel
def _is_lossless(
    n: int,
    index: int,
    i: int,
    both: int,
    every: bool,
    orders: Ints,
    shorter: Ints,
    degrees: Degrees,
    dropped: Degrees,
) -> bool:
    """Whether bit i may be dropped: the least degrees agree, or (every) best orders stay best."""
    least = 1 << n
    for o in range(len(orders)):
        least = min(least, degrees[reordered(n, index, orders[o])])
    first, second = without(n, index, i)
    kept = np.empty(len(shorter), np.int64)
    for o in range(len(shorter)):
        kept[o] = dropped[reordered(n - 1, first, shorter[o])]
        other = dropped[reordered(n - 1, second, shorter[o])]
        if both:
            kept[o] = max(kept[o], other) if both == 1 else min(kept[o], other)
    if not every:
        return bool(kept.min() == least)
    order = np.empty(n, np.int64)
    order[n - 1] = i
    for o in range(len(shorter)):
        if kept[o] == kept.min():
            for k in range(n - 1):
                bit = shorter[o, k]
                order[k] = bit + 1 if bit >= i else bit
            if degrees[reordered(n, index, order)] != least:
                return False
    return True


@kernel
def _degree_by_ranks(rows: Ints, order: Ints, width: int, basis: Ints) -> int:
    """The largest 2^(k - rank A_(order[:k+1], order[:k])) of the first `width` bits of an order."""
    largest = columns = 0
    for k in range(width):
        heights = columns | 1 << order[k]
        largest = max(largest, 1 << (k - rank_within(rows, heights, columns, basis)))
        columns = heights
    return largest


@kernel
def _agrees_by_ranks(
    n: int, index: int, rows: Ints, last: int, every: bool, orders: Ints, degrees: Degrees
) -> bool:
    """Whether the least degree by the ranks of the sub-matrix without the bits `last` is the least
    that is walked; with `every`, whether each order that has it, these bits last, has it walked."""
    width = n
    for i in range(n):
        width -= last >> i & 1
    basis = np.zeros(n, np.int64)
    by_ranks = np.full(len(orders), 1 << n, np.int64)
    least = 1 << n
    for o in range(len(orders)):
        least = min(least, degrees[reordered(n, index, orders[o])])
        first = 0
        for k in range(width):
            first |= 1 << orders[o, k]
        if not first & last:
            by_ranks[o] = _degree_by_ranks(rows, orders[o], width, basis)
    if not every:
        return bool(by_ranks.min() == least)
    for o in range(len(orders)):
        is_least = by_ranks[o] == by_ranks.min()
        if is_least and degrees[reordered(n, index, orders[o])] != least:
            return False
    return True


def _loses_nothing(
    case: Case,
    orders: Ints,
    shorter: Ints,
    degrees: Degrees,
    dropped: Degrees,
    every: bool,
    halves: bool,
    by_ranks: bool = False,
    moving_too: bool = False,
    smaller: bool = False,
) -> bool:
    """Whether every bit that no message changes (or any) may be dropped: see `_is_lossless`."""
    n = case.n
    both = 2 if smaller else int(halves)
    still = 0
    for i in range(n):
        if case.rows[i] == 1 << i and not case.b >> i & 1:
            still |= 1 << i
    for i in range(n):
        if not (still >> i & 1 or moving_too):
            continue
        if by_ranks:
            last = still | 1 << i
            if not _agrees_by_ranks(n, case.number, case.rows, last, every, orders, degrees):
                return False
        elif not _is_lossless(n, case.number, i, both, every, orders, shorter, degrees, dropped):
            return False
    return True


def _tables(n: int, **_: int) -> tuple[Ints, Ints, Degrees, Degrees]:
    return all_orders(n), all_orders(n - 1), walked_degrees(n), walked_degrees(n - 1)


_DROPPED = "for every i with y_i = x_i for all x, bit i can be moved to the end and dropped. "
_WORDS = (
    "we can just consider the sub-matrix A_(L_n-{i},L_n-{i}) when minimizing channel contention of "
    "A. Without loss of generality, we may assume T_i(A,b) > 0"
)
_BY_RANKS = (
    "the sub-matrix is considered, not a separate communication. With all i where T_i = 0 at "
    "the end, T is the largest 2^(k - rank) of Theorem 1 for the sub-matrix of the others, "
    "where T_i > 0 is assumed"
)

# The value of the optimum.
remove = compiled_claim(
    "hou.sec4.remove",
    says=_DROPPED + "The minimum T over all orders of (A, b) is that over all orders of (A', b'), "
    "which lack row and column i",
    printed=_WORDS,
    latex=r"T_i(A,b) = 0 \implies \min_Q T(QAQ^{-1},Qb) = "
    r"\min_{Q'} T(Q'A_{L_n-\{i\},L_n-\{i\}}Q'^{-1}, Q'b_{L_n-\{i\}})",
    control=Control("any bit may be dropped", moving_too=True),
    reading=Reading(_BY_RANKS, by_ranks=True),
    tables=lambda n, **_: (*_tables(n), False, False),
)(_loses_nothing)

# The optimal orders.
remove_order = compiled_claim(
    "hou.sec4.remove.order",
    says=_DROPPED + "Every order with the minimum T for (A', b'), followed by i, has the minimum T "
    "for (A, b)",
    printed=_WORDS,
    latex=r"Q' \text{ optimal for } (A', b') \implies Q' \oplus 1 \text{ optimal for } (A, b)",
    control=Control("any bit may be dropped", moving_too=True),
    reading=Reading(_BY_RANKS, by_ranks=True),
    tables=lambda n, **_: (*_tables(n), True, False),
)(_loses_nothing)

_HALVES = "the larger of T(A', b') and T(A', b' + a), a being column i of A without a_(i,i)"

# As communications of their own: both halves are needed.
halves = compiled_claim(
    "hou.sec4.remove.halves",
    place="beside section 4, after Theorem 2",
    says=f"{_DROPPED}If {_HALVES}, is taken in each order of the rest, the least of these is the "
    "least T over all orders of (A, b)",
    latex=r"\min_Q T(QAQ^{-1},Qb) = \min_{Q'} \max_{c \in \{0, a\}} "
    r"T(Q'A'Q'^{-1}, Q'(b' + c)),\quad a = A_{L_n-\{i\},\{i\}}",
    control=Control("the smaller of T(A', b') and T(A', b' + a)", smaller=True),
    tables=lambda n, **_: (*_tables(n), False, True),
)(_loses_nothing)

halves_order = compiled_claim(
    "hou.sec4.remove.halves.order",
    place="beside section 4, after Theorem 2",
    says=f"{_DROPPED}Every order in which {_HALVES}, is least, with i behind it, has the least T "
    "for (A, b)",
    control=Control("the smaller of T(A', b') and T(A', b' + a)", smaller=True),
    tables=lambda n, **_: (*_tables(n), True, True),
)(_loses_nothing)


@remove.explain
@remove_order.explain
@halves.explain
@halves_order.explain
def _orders_compared(A: GF2Matrix, b: GF2Vector, **_: int) -> Mapping[str, Any]:
    """T of every order of (A, b), and of both halves for every bit that may be dropped."""
    n = len(b)
    shown: dict[str, Any] = {"T of every order": degrees_of_orders(A, int(b))}
    for i in range(n):
        if A.rows[i] != 1 << i or b[i]:
            continue
        kept = [k for k in range(n) if k != i]
        for name, shift in (("b'", 0), ("b' + a", A.columns[i])):
            word = int(b) ^ shift
            rest = sum((word >> k & 1) << position for position, k in enumerate(kept))
            part = A.submatrix(kept, kept)
            shown[f"T(A', {name}) without bit {i}"] = {
                tuple(kept[k] for k in o): T for o, T in degrees_of_orders(part, rest).items()
            }
    shown["paths"] = ecube_paths(A, int(b))
    return shown
