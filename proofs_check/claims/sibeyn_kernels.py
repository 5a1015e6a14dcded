"""The decomposition of [sibeyn, section 2] in kernels: B, EΓ, VL, EC, W and c, as matrices.

A matrix is an array of packed rows. Everything is in the bits of the index x' = Bx, as in the
paper; `bits[i]` is the bit of the number that is bit i of the index. Nothing of the library's
decomposition is used here.
"""

from __future__ import annotations

import numpy as np

from lccmodel._jit import kernel
from proofs_check.arrays import Ints
from proofs_check.constructions import chosen
from proofs_check.packed import apply, exchange_both, multiply


@kernel
def set_exchange(n: int, i: int, j: int, X: Ints) -> None:
    """Ex⁽ⁱʲ⁾, the identity for i = j."""
    for k in range(n):
        X[k] = 1 << k
    X[i], X[j] = X[j], X[i]


@kernel
def set_cycle(n: int, first: int, last: int, inverse: bool, X: Ints) -> None:
    """EC⁽ᵏˡ⁾: y_(i+1) = x_i for k <= i < l, y_k = x_l; or its inverse."""
    for i in range(n):
        X[i] = 1 << i
    for i in range(first, last):
        if inverse:
            X[i] = 1 << i + 1
        else:
            X[i + 1] = 1 << i
    X[last if inverse else first] = 1 << (first if inverse else last)


@kernel
def renamed_vector(n: int, x: int, bits: Ints) -> int:
    """Bx."""
    index = 0
    for i in range(n):
        index |= (x >> bits[i] & 1) << i
    return index


@kernel
def factor(
    n: int,
    A: Ints,
    taken: Ints,
    offered: Ints,
    bits: Ints,
    exchanged: Ints,
    VL: Ints,
    stop: int,
    reads_past: bool,
    conjugates: bool,
) -> int:
    """The algorithm of section 2 up to the end of pass `stop`.

    Args:
        A: the rows of A; becomes A⁽ˢᵗᵒᵖ⁾.
        taken, offered: the odometer of the choices of j (`proofs_check.constructions`).
        bits, exchanged: receive B, and 1 where EΓ⁽ⁱ⁾ is Ex⁽ⁱ ⁱ⁺¹⁾.
        VL: of shape (n, n); VL[i] receives VL⁽ⁱ⁾.
        reads_past: step 2.a asks for A_(i+1,i) in pass n-1 too.
        conjugates: step 2.a renames the VL⁽ᵏ⁾; without, a wrong variant.

    Returns: the number of choices made; -1 if the algorithm gets stuck.
    """
    choices = 0
    for k in range(n):
        bits[k] = k
        exchanged[k] = 0
    for i in range(stop + 1):
        if i + 1 == n and reads_past:
            return -1
        below = i + 1 < n and bool(A[i + 1] >> i & 1)
        if not A[i] >> i & 1 and not below:
            candidates = 0
            for j in range(i + 2, n):
                if A[j] >> i & 1:
                    candidates |= 1 << j
            j = chosen(candidates, choices, taken, offered)
            if j < 0:
                return -1
            choices += 1
            bits[i + 1], bits[j] = bits[j], bits[i + 1]
            exchange_both(n, A, i + 1, j)
            if conjugates:
                for k in range(i):
                    exchange_both(n, VL[k], i + 1, j)
        if not A[i] >> i & 1:
            if i + 1 == n:
                return -1
            exchanged[i] = 1
            A[i], A[i + 1] = A[i + 1], A[i]
        for k in range(n):
            VL[i, k] = A[i] if k == i else 1 << k
        row = A[i] ^ 1 << i
        for k in range(n):  # A VL⁽ⁱ⁾
            if A[k] >> i & 1:
                A[k] ^= row
    return choices


@kernel
def cycle_bounds(n: int, exchanged: Ints, first: Ints, last: Ints) -> int:
    """first[t] = k and last[t] = l of the cycles of (3), in ascending order; their number."""
    count = 0
    for i in range(n - 1):
        if not exchanged[i]:
            continue
        if i == 0 or not exchanged[i - 1]:
            first[count] = i
            count += 1
        last[count - 1] = i + 1
    return count


@kernel
def make_W(
    n: int, VL: Ints, count: int, first: Ints, last: Ints, inner: bool, inverse: bool, W: Ints
) -> None:
    """W⁽ʲ⁾ = P VL⁽ʲ⁾ P⁻¹ for every j, P the product of the cycles with l < j.

    Args:
        count, first, last: the cycles.
        inner: the product runs over 0 < i < s instead of 0 <= i <= s.
        inverse: the factor on the right is P⁻¹; P as printed otherwise.
        W: of shape (n, n), receives the matrices.
    """
    left, right, turn = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    work = np.empty(n, np.int64)
    for j in range(n):
        set_exchange(n, 0, 0, left)
        set_exchange(n, 0, 0, right)
        for t in range(count):
            if last[t] >= j or (inner and not 0 < t < count - 1):
                continue
            set_cycle(n, first[t], last[t], False, turn)
            multiply(n, turn, left, work)
            left[:] = work
            set_cycle(n, first[t], last[t], inverse, turn)
            multiply(n, right, turn, work)
            right[:] = work
        multiply(n, left, VL[j], work)
        multiply(n, work, right, W[j])


@kernel
def make_c(
    n: int, b: int, W: Ints, count: int, first: Ints, last: Ints, inverse: bool
) -> tuple[int, bool]:
    """The vectors c_j as one word, and whether b_i = 0 for all i > j all the way and b ends as 0.

    b is that of the index. `inverse` is the exponent in step 2.a; without, a wrong variant.
    """
    turn = np.empty(n, np.int64)
    c = 0
    clean = True
    for j in range(n - 1, -1, -1):
        for t in range(count):
            if last[t] == j:
                set_cycle(n, first[t], last[t], inverse, turn)
                b = apply(n, turn, b)
        b = apply(n, W[j], b)
        clean = clean and b >> j + 1 == 0
        c |= b & 1 << j
        b &= ~(1 << j)
    return c, clean and b == 0


@kernel
def is_elementary(n: int, X: Ints, i: int) -> bool:
    """Invertible and trivial outside row i."""
    for k in range(n):
        if k != i and X[k] != 1 << k:
            return False
    return bool(X[i] >> i & 1)
