"""LCP_Optimizer as printed in Fig. 3 of [hou], line by line on arrays of bits.

D, V and R are recorded where line 5 is reached for iteration i, after line 13, and after every row
subtraction; `begins[i]` is the record at the beginning of iteration i = 0..n-2, and begins[n-1]
that at the end, where iteration n-1 would begin.
"""

from __future__ import annotations

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Bits, Ints


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
