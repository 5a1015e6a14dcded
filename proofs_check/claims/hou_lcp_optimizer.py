"""LCP_Optimizer: [hou], Fig. 3 line by line, the invariants in the text below it, and Example 4.

D, V and R are recorded where line 5 is reached for iteration i, after line 13, and after every row
subtraction; `begins[i]` is the record at the beginning of iteration i = 0..n-2, and begins[n-1]
that at the end, where iteration n-1 would begin.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import borrowed, kernel
from proofs_check.arrays import Bits, Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, Stated, claim
from proofs_check.claims.hou_images import TRANSPOSE_MATRIX, bits
from proofs_check.domain import Listed, Nonsingular
from proofs_check.driver import Case, compiled_claim
from proofs_check.orders import ecube_paths
from proofs_check.packed import joined
from proofs_check.walk import set_destination_planes, set_source_planes, walk, walked_contention


@kernel
def _swap_rows(M: Bits, p: int, q: int) -> None:
    for c in range(M.shape[1]):
        M[p, c], M[q, c] = M[q, c], M[p, c]


@kernel
def _swap_columns(M: Bits, p: int, q: int) -> None:
    for r in range(M.shape[0]):
        M[r, p], M[r, q] = M[r, q], M[r, p]


@kernel
def _record(state: tuple[Bits, Bits, Bits], records: tuple[Bits, Bits, Bits], at: int) -> None:
    D, V, R = state
    Ds, Vs, Rs = records
    for r in range(D.shape[0]):
        Rs[at, r] = R[r, 0]
        for c in range(D.shape[0]):
            Ds[at, r, c] = D[r, c]
            Vs[at, r, c] = V[r, c]


@kernel
def run_figure(
    D: Bits,
    V: Bits,
    Q: Bits,
    d: Bits,
    R: Bits,
    columns_too: bool,
    records: tuple[Bits, Bits, Bits],
    begins: Ints,
) -> int:
    """Fig. 3, lines 2-18; d and R have shape (n, 1). The number of records, -1 if line 7 fails."""
    n = D.shape[0]
    state = (D, V, R)
    at = 0
    for r in range(n):
        R[r, 0] = 0
        for c in range(n):
            V[r, c] = D[r, c]
    for i in range(n - 1):
        _record(state, records, at)
        begins[i] = at
        at += 1
        j = 0
        while j < n and not (V[j, i] != 0 and R[j, 0] == 0):  # lines 6-7
            j += 1
        if j == n:
            return -1
        if j > i + 1:  # lines 8-13
            _swap_rows(D, i + 1, j)
            _swap_rows(d, i + 1, j)
            _swap_rows(V, i + 1, j)
            _swap_rows(R, i + 1, j)
            _swap_rows(Q, i + 1, j)
            if columns_too:
                _swap_columns(D, i + 1, j)
                _swap_columns(V, i + 1, j)
            j = i + 1
            _record(state, records, at)
            at += 1
        for k in range(n):  # lines 14-15
            if k != j and V[k, i] != 0:
                for c in range(n):
                    V[k, c] ^= V[j, c]
                _record(state, records, at)
                at += 1
        R[j, 0] = 1  # line 16
    _record(state, records, at)
    begins[n - 1] = at
    return at + 1


@kernel
def unpack_bits(rows: Ints, D: Bits) -> None:
    """Write packed rows into an array of bits."""
    for r in range(len(rows)):
        for c in range(len(rows)):
            D[r, c] = rows[r] >> c & 1


def lcp_optimizer_states(
    A: GF2Matrix, columns_too: bool = True
) -> tuple[list[GF2Matrix], list[GF2Matrix], GF2Matrix]:
    """D and V at the beginning of every iteration and at the end, and Q."""
    n = A.n_columns
    D, Q = A.to_numpy(), np.eye(n, dtype=np.uint8)
    Ds, Vs = np.zeros((2, n * (n + 1) + 1, n, n), np.uint8)
    Rs = np.zeros((len(Ds), n), np.uint8)
    d, R = np.ones((2, n, 1), np.uint8)
    begins = np.zeros(n, np.int64)
    run_figure(D, np.empty_like(D), Q, d, R, columns_too, (Ds, Vs, Rs), begins)
    return [GF2Matrix(Ds[i]) for i in begins], [GF2Matrix(Vs[i]) for i in begins], GF2Matrix(Q)


def lcp_optimizer_order(A: GF2Matrix) -> tuple[int, ...]:
    """The order of the reordering that the figure ends with: row k of Q has its 1 at order[k]."""
    return tuple(row.bit_length() - 1 for row in lcp_optimizer_states(A)[2].rows)


# -- what the text says of it ------------------------------------------------------------------


@kernel
def _rank(M: Bits, top: int, bottom: int, q: int, work: Ints) -> int:
    """Rank of rows top..bottom-1 and columns 0..q-1."""
    work, rank = borrowed(work), 0
    for r in range(top, bottom):
        word = 0
        for c in range(q):
            word |= int(M[r, c]) << c
        rank = joined(word, work, rank)
    return rank


@kernel
def _reaches(n: int, rows: Ints, D: Bits, Q: Bits, d: Bits, new_rows: Ints, T: Ints) -> bool:
    """D = QAQ⁻¹ and d = (1, ..., 1) = Qb, and under (D, d) no two messages share a channel.

    Every bit changes under d, so that T_i = 1 says rank D_(L_(i+1),L_i) = i.
    """
    for r in range(n):
        old = 0
        new_rows[r] = 0
        for k in range(n):
            old += Q[r, k]
            new_rows[r] |= np.int64(D[r, k]) << k
        if old != 1 or d[r, 0] != 1:
            return False
        for c in range(n):  # DQ = QA
            left = right = 0
            for k in range(n):
                left ^= D[r, k] & Q[k, c]
                right ^= Q[r, k] & np.uint8(rows[k] >> c & 1)
            if left != right:
                return False
    nodes, images, present = np.empty((3, n), np.uint64)
    set_source_planes(n, nodes)
    set_destination_planes(n, new_rows, (1 << n) - 1, nodes, images)
    walk(n, np.arange(n), 0, nodes, images, present, np.empty(1 << n, np.uint64), T)
    for i in range(n):  # noqa: SIM110 - numba has no generators
        if T[i] != 1:
            return False
    return True


OUTPUT, SAME_RANKS, FULL_RANKS, MARKED_ROWS = range(4)


@kernel
def _same_ranks(D: Bits, V: Bits, lower: bool, work: Ints) -> bool:
    """Rank D_(L_p,L_q) = Rank V_(L_p,L_q) for all p and q; `lower` takes the last p rows."""
    n = D.shape[0]
    for p in range(n + 1):
        top, bottom = (n - p, n) if lower else (0, p)
        for q in range(n + 1):
            if _rank(D, top, bottom, q, work) != _rank(V, top, bottom, q, work):
                return False
    return True


@kernel
def _full_ranks(D: Bits, V: Bits, i: int, more_rows: int, work: Ints) -> bool:
    """Both ranks of (L_(r+more_rows), L_r) are r for 0 ≤ r ≤ i."""
    for r in range(min(i, D.shape[0] - 1) + 1):
        p = r + more_rows
        if _rank(D, 0, p, r, work) != r or _rank(V, 0, p, r, work) != r:
            return False
    return True


@kernel
def _marked_rows(V: Bits, R: Bits, i: int, width: int) -> bool:
    """i rows are marked, all among 0..i, with one 1 in V_(L_n,L_width); the others are zero."""
    marked = 0
    for row in range(V.shape[0]):
        ones = 0
        for c in range(min(width, V.shape[0])):
            ones += V[row, c]
        if ones != R[row] or (R[row] and row > i):
            return False
        marked += R[row]
    return marked == i


def _is_right(
    case: Case,
    what: int,
    columns_too: bool = True,
    lower: bool = False,
    more_rows: int = 0,
    beyond: int = 0,
) -> bool:
    """Run the figure on a matrix; whether an assertion holds all along."""
    n, work = case.n, case.work[0]
    D, V, Q = np.empty((n, n), np.uint8), np.empty((n, n), np.uint8), np.empty((n, n), np.uint8)
    d, R = np.ones((n, 1), np.uint8), np.empty((n, 1), np.uint8)
    size = n * (n + 1) + 1
    Ds, Vs = np.empty((size, n, n), np.uint8), np.empty((size, n, n), np.uint8)
    Rs, begins = np.empty((size, n), np.uint8), case.work[1, :n]
    unpack_bits(case.rows, D)
    for k in range(n):
        for c in range(n):
            Q[k, c] = k == c
    count = run_figure(D, V, Q, d, R, columns_too, (Ds, Vs, Rs), begins)
    ok = count > 0
    if ok and what == OUTPUT:
        ok = _reaches(n, case.rows, D, Q, d, work[:n], case.work[2, :n])
    for at in range(count if what == SAME_RANKS else 0):
        ok = ok and _same_ranks(Ds[at], Vs[at], lower, work)
    for i in range(n - 1):
        at = begins[i]
        if ok and what == FULL_RANKS:
            ok = _full_ranks(Ds[at], Vs[at], i + beyond, more_rows, work)
        elif ok and what == MARKED_ROWS:
            ok = _marked_rows(Vs[at], Rs[at], i, i + beyond)
    return ok


STATED = Stated(
    place="Section 4, text on Fig. 3",
    over=Nonsingular("A").described("all nonsingular A, each at the beginning of every iteration"),
    evidence="the figure run line by line on every matrix; ranks by elimination on a copy",
)


fig3 = compiled_claim(
    "hou.fig3",
    place="Section 4, Fig. 3",
    says="LCP_Optimizer as printed ends with D = QAQ⁻¹, d = Qb, Q a permutation matrix, and "
    "rank D_(L_(i+1),L_i) = i for all i",
    latex=r"D = QAQ^{-1},\ d = Qb,\ \operatorname{rank} D_{L_{i+1},L_i} = i",
    over=Nonsingular("A"),
    evidence="the figure run line by line; DQ = QA multiplied out; for a vector that changes every "
    "bit, where rank i means T_i = 1, all messages walked and counted",
    control=Control("columns are not exchanged (lines 9 and 10)", columns_too=False),
    sizes=Sizes(limit=5),
    tables=lambda n, **_: (OUTPUT,),
)(_is_right)


invariant1 = compiled_claim(
    "hou.fig3.invariant1",
    says="Rank(D_(L_p,L_q)) = Rank(V_(L_p,L_q)) for any p, q during the processing",
    latex=r"\operatorname{rank} D_{L_p,L_q} = \operatorname{rank} V_{L_p,L_q}",
    over=Nonsingular("A").described(
        "all nonsingular A, each at the beginning of every iteration, after every exchange (line "
        "13) and after every row subtraction"
    ),
    control=Control("for the last p rows", lower=True),
    sizes=Sizes(limit=5),
    tables=lambda n, **_: (SAME_RANKS,),
)(_is_right)


invariant2 = compiled_claim(
    "hou.fig3.invariant2",
    says="at the beginning of iteration i, Rank(D_(L_r,L_r)) = Rank(V_(L_r,L_r)) = r for 0 ≤ r ≤ i",
    latex=r"\operatorname{rank} D_{L_r,L_r} = \operatorname{rank} V_{L_r,L_r} = r,\ 0 \le r \le i",
    reading=Reading(
        "L_(r+1), L_r is meant, not L_r, L_r. The sentence explains 'optimal for dimensions "
        "up to i', which Theorem 4 states with one row more",
        more_rows=1,
    ),
    control=Control("for 0 ≤ r ≤ i+1", beyond=1),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (FULL_RANKS,),
)(_is_right)


invariant3 = compiled_claim(
    "hou.fig3.invariant3",
    says="at the beginning of iteration i the marked rows of V_(L_n,L_i) are i in number, all in "
    "V_(L_(i+1),L_i), each with one 1, and all other rows are zero",
    latex=r"V_{L_n,L_i}: i \text{ marked rows, unit vectors, in } L_{i+1};\ \text{others } 0",
    control=Control("the same of V_(L_n,L_(i+1))", beyond=1),
    sizes=Sizes(limit=4),
    tables=lambda n, **_: (MARKED_ROWS,),
)(_is_right)


@fig3.explain
@invariant1.explain
@invariant2.explain
@invariant3.explain
def _states(A: GF2Matrix, *, columns_too: bool = True, **_: int) -> Mapping[str, Any]:
    D, V, Q = lcp_optimizer_states(A, columns_too)
    b = (1 << A.n_columns) - 1
    return {
        "D at every i": D,
        "V at every i": V,
        "Q": Q,
        "T, every bit changing": walked_contention(D[-1], b),
        "paths": ecube_paths(D[-1], b),
    }


# -- Example 4 ------------------------------------------------------------------------------

PRINTED = (
    ("Q", "10000000 00001000 00100000 00000010 01000000 00000100 00010000 00000001"),
    ("new A", "01000000 10000000 00010000 00100000 00000100 00001000 00000001 00000010"),
    ("new b", "00000000"),
    ("T", (1, 1, 1, 1, 1, 1, 1, 1)),
    ("R(L_8)", (0, 4, 2, 6, 1, 5, 3, 7)),
)


@claim(
    "hou.ex4",
    place="Section 4, Example 4; the order in section 5",
    says="LCP_Optimizer as printed, on matrix-transpose (n = 8), gives the printed Q, new matrix "
    "and vector, T_i = 1 for all i, and the order (0, 4, 2, 6, 1, 5, 3, 7)",
    latex=r"R(L_8) = (0,4,2,6,1,5,3,7),\quad T_0 = \dots = T_7 = 1",
    over=Listed(8, PRINTED, names="item, printed", text="what Example 4 prints", size=len(PRINTED)),
    evidence="the figure run line by line; T walked",
    control=Control("columns are not exchanged (lines 9 and 10)", columns_too=False),
)
def ex4(item: str, printed: Any, *, columns_too: bool = True) -> Finding:
    Ds, _, Q = lcp_optimizer_states(GF2Matrix(bits(TRANSPOSE_MATRIX)), columns_too)
    found: Any
    if item == "Q":
        found, printed = Q.tolist(), bits(printed)
    elif item == "new A":
        found, printed = Ds[-1].tolist(), bits(printed)
    elif item == "new b":
        found, printed = [Q.apply(0) >> i & 1 for i in range(8)], bits(printed)[0]
    elif item == "T":
        found = tuple(walked_contention(Ds[-1], 0))
    else:
        found = Q.as_order()
    return Finding(found == printed, found=found)
