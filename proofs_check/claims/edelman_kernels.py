"""Conditional exchanges multiplied out, eliminated and walked, for the claims on [edelman].

What can be done by exchanges is found by doing all of them: `products` multiplies out the
2^(n(n-1)) choices of E⁽ⁿ⁾ ... E⁽¹⁾, `triangular_products` the pairs of triangular matrices. Minors
are determinants by their definition, the parity of the number of permutations that meet only ones.
`exchange_walk` moves messages.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from lccmodel._jit import bit_count, kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.orders import all_orders
from proofs_check.packed import apply, multiply, pack_rows


@kernel
def _multiply_out(n: int, order: Ints, ways: Ints) -> None:
    """Count for every matrix the products E⁽ᵏᵐ⁾ ... E⁽ᵏ¹⁾ that it is; m = len(order)."""
    rows = np.empty(n, np.int64)
    for choice in range(1 << (len(order) * (n - 1))):
        for k in range(n):
            rows[k] = 1 << k
        left = choice
        for k in order:
            combined = rows[k]
            for j in range(n):
                if j != k:
                    if left & 1:
                        combined ^= rows[j]
                    left >>= 1
            rows[k] = combined
        ways[pack_rows(n, rows)] += 1


@lru_cache(maxsize=32)
def ways(n: int, order: tuple[int, ...]) -> Ints:
    """In how many ways every matrix is a product of exchanges across `order`, first acting first.

    Returns: int64 of shape (2^(n²),), by the index of `AllMatrices`.

    >>> ways(2, (0, 1)).nonzero()[0].tolist()       # 01.11 is (1 1; 1 0) by rows
    [6, 7, 13, 14]
    """
    found = np.zeros(1 << n * n, dtype=np.int64)
    _multiply_out(n, np.array(order, dtype=np.int64), found)
    found.flags.writeable = False
    return found


@lru_cache(maxsize=8)
def products(n: int) -> Flags:
    """Whether a matrix is a product of conditional exchanges in an order; shape (n!, 2^(n²))."""
    found = np.array([ways(n, tuple(t)) > 0 for t in all_orders(n).tolist()])
    found.flags.writeable = False
    return found


@kernel
def leading_minors(n: int, rows: Ints, order: Ints, parity: Ints) -> bool:
    """Whether the principal minors of order[:1], order[:2], ... are all 1.

    parity[S] counts the ways to choose one entry in each of the first |S| rows, one in each column
    of S, modulo 2. `parity` is scratch of length 2^n.
    """
    parity[0] = 1
    full = 0
    for k in range(n):
        i = order[k]
        full |= 1 << i
        for S in range(1, 1 << n):
            if bit_count(np.uint64(S)) == k + 1:
                total = 0
                for j in range(n):
                    if S >> j & 1 and rows[i] >> j & 1:
                        total ^= parity[S ^ 1 << j]
                parity[S] = total
        if parity[full] == 0:
            return False
    return True


@kernel
def eliminates(n: int, rows: Ints, order: Ints, work: Ints) -> bool:
    """Whether columnwise Gauss-Jordan elimination modulo 2 ends without pivoting."""
    for k in range(n):
        work[k] = rows[k]
    for k in order:
        if not work[k] >> k & 1:
            return False
        added = work[k] ^ 1 << k
        for i in range(n):
            if work[i] >> k & 1:
                work[i] ^= added
    return True


@kernel
def exchange_walk(n: int, rows: Ints, order: Ints, at: Ints, sends: Ints) -> bool:
    """Whether correcting the bits in this order is a sequence of conditional exchanges.

    Every message x walks to Ax. After every step each node must hold one message, and whether a
    node sends must be a sum of bits of its address. `at` and `sends` are scratch of length 2^n;
    afterwards `at` holds where the messages are.
    """
    for x in range(1 << n):
        at[x] = x
    for k in order:
        sends[:] = -1
        for x in range(1 << n):
            bit = bit_count(rows[k] & x) & 1
            if sends[at[x]] != -1:
                return False
            sends[at[x]] = bit ^ at[x] >> k & 1
        for u in range(1, 1 << n):
            lowest = u & -u
            if sends[u] != sends[lowest] ^ sends[u ^ lowest]:
                return False
        for x in range(1 << n):
            at[x] ^= sends[at[x]] << k
    sends[:] = 0
    for x in range(1 << n):
        if sends[at[x]]:
            return False
        sends[at[x]] = 1
    return True


@kernel
def channels_free(n: int, rows: Ints, order: Ints, sets: int, used: Ints) -> bool:
    """Whether no channel carries two messages in one cube swap.

    Data set d is in exchange number t - d in swap t; all messages are walked at once. `used` is
    scratch of shape (2^n, n).
    """
    for swap in range(sets + n - 1):
        used[:] = 0
        for d in range(sets):
            step = swap - d
            if step < 0 or step >= n:
                continue
            done = 0
            for t in range(step):
                done |= 1 << order[t]
            k = order[step]
            for x in range(1 << n):
                y = apply(n, rows, x)
                node = x ^ ((x ^ y) & done)
                if (node ^ y) >> k & 1:
                    used[node, k] += 1
                    if used[node, k] > 1:
                        return False
    return True


@kernel
def _mark_triangular(n: int, lower_first: bool, found: Flags) -> None:
    """Mark every product LU, or UL, of unit triangular matrices."""
    half = n * (n - 1) // 2
    left, right, product = np.empty((3, n), np.int64)
    for below in range(1 << half):
        for above in range(1 << half):
            low, high = below, above
            for i in range(n):
                lower, upper = 1 << i, 1 << i
                for j in range(i):
                    lower |= (low & 1) << j
                    low >>= 1
                for j in range(i + 1, n):
                    upper |= (high & 1) << j
                    high >>= 1
                left[i], right[i] = (lower, upper) if lower_first else (upper, lower)
            multiply(n, left, right, product)
            found[pack_rows(n, product)] = True


@lru_cache(maxsize=8)
def triangular_products(n: int, lower_first: bool = True) -> Flags:
    """Whether a matrix is LU (or UL) with nonsingular triangular L and U; shape (2^(n²),)."""
    found = np.zeros(1 << n * n, dtype=np.bool_)
    _mark_triangular(n, lower_first, found)
    found.flags.writeable = False
    return found
