"""Conditional exchanges and elimination: [edelman], Lemma 3.1, Theorem 3.1, Corollary 3.1.

What can be done by exchanges is found by doing all of them: `products` multiplies out the
2^(n(n-1)) choices of E⁽ⁿ⁾ ... E⁽¹⁾, `triangular_products` the pairs of triangular matrices. Minors
are determinants by their definition, the parity of the number of permutations that meet only ones.
`exchange_walk` moves messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import bit_count, kernel
from proofs_check.arrays import Flags, Ints
from proofs_check.census import Census, census_claim
from proofs_check.claim import Control, Finding, Sample, Sizes, Stated, claim
from proofs_check.domain import AllMatrices, Enumerated
from proofs_check.driver import Case, compiled_claim
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


STATED = Stated(over=AllMatrices("A"), sizes=Sizes(most=8))


MAX_MULTIPLIED = 4


# -- Lemma 3.1 --------------------------------------------------------------------------------


def _exchanges(n: int) -> Iterator[tuple[GF2Matrix, int]]:
    for k in range(n):
        for row in range(1 << n):
            if row >> k & 1:
                rows = [row if i == k else 1 << i for i in range(n)]
                yield GF2Matrix.from_rows(rows, n), k


EXCHANGES = Enumerated(
    _exchanges,
    size=lambda n: n << n - 1,
    names="E, k",
    text="all conditional exchanges E across all dimensions k",
)


def _images(E: GF2Matrix, k: int, diagonal: int) -> list[int]:
    """E u for every node u, with another diagonal entry in row k."""
    row = E.rows[k] & ~(1 << k) | diagonal << k
    return [u & ~(1 << k) | ((u & row).bit_count() & 1) << k for u in range(1 << E.n_columns)]


@claim(
    "edelman.lem3.1",
    place="Section 3, Lemma 3.1",
    says="a conditional exchange E⁽ᵏ⁾ is nonsingular, with determinant 1 and E⁻¹ = E",
    latex=r"\det E^{(k)} = 1,\quad (E^{(k)})^{-1} = E^{(k)}",
    over=EXCHANGES,
    evidence="every node's message moved, twice",
    control=Control("the diagonal entry 0", diagonal=0),
)
def lem31(E: GF2Matrix, k: int, *, diagonal: int = 1) -> Finding:
    """Nodes exchange in pairs."""
    images = _images(E, k, diagonal)
    return Finding(all(images[v] == u for u, v in enumerate(images)), images=images)


@claim(
    "edelman.lem3.1.projection",
    place="Section 3, remark after Lemma 3.1",
    says="with a_kk = 0 the matrix is singular, of rank exactly n - 1",
    latex=r"a_{kk} = 0 \implies \operatorname{rank} E^{(k)} = n - 1",
    over=EXCHANGES,
    evidence="every node's message moved: half of the nodes receive two each",
    control=Control("the diagonal entry 1", diagonal=1),
)
def projection(E: GF2Matrix, k: int, *, diagonal: int = 0) -> Finding:
    """Column k is zero, so the nodes u and u + e_k send to one node."""
    images = _images(E, k, diagonal)
    return Finding(set(Counter(images).values()) == {2}, images=images)


# -- Theorem 3.1 ------------------------------------------------------------------------------


@compiled_claim(
    "edelman.thm3.1",
    place="Section 3, Theorem 3.1",
    says="four conditions are equivalent. (1) A = E⁽ⁿ⁾ ... E⁽¹⁾. (2) A is done by pipelined cube "
    "swaps that make conditional exchanges across 1, ..., n. (3) Columnwise Gauss-Jordan "
    "elimination modulo 2 completes without pivoting. (4) The n leading principal submatrices are "
    "nonsingular",
    latex=r"A = E^{(n)} \cdots E^{(1)} \iff \det A_{L_k,L_k} = 1 \text{ for } k = 1, \dots, n",
    evidence="(1) all products multiplied out (n <= 4); (2) all messages of two data sets walked, "
    "one message in a node, the decision to send a sum of address bits, one message on a channel "
    "in a swap; (3) run; (4) determinants by their definition",
    control=Control("(4) with the trailing principal submatrices", trailing=True),
    reading="'all n principal submatrices' are the leading ones",
    sizes=Sizes(limit=6),
    samples={5: Sample(32, 64), 6: Sample(16, 32)},
    tables=lambda n, **_: (
        ways(n, tuple(range(n))) if n <= MAX_MULTIPLIED else np.zeros(0, np.int64),
    ),
)
def thm31(case: Case, found: Ints, trailing: bool = False) -> bool:
    """All four are the same; `found` are the numbers of products, or nothing."""
    n, rows, order = case.n, case.rows, case.order
    third = eliminates(n, rows, order, case.work[0])
    second = exchange_walk(n, rows, order, case.images[0], case.images[1])
    if second and not channels_free(n, rows, order, 2, np.empty((1 << n, n), np.int64)):
        return False
    minors = order[::-1].copy() if trailing else order
    if second != third or leading_minors(n, rows, minors, case.images[2]) != third:
        return False
    return bool(found.size == 0 or (found[case.code] > 0) == third)


@thm31.explain
def _four_answers(A: GF2Matrix, *, trailing: bool = False) -> Mapping[str, Any]:
    n = A.n_columns
    rows, order = np.array(A.rows), np.arange(n)
    at, sends, parity = np.empty((3, 1 << n), np.int64)
    minors = order[::-1].copy() if trailing else order
    return {
        "cube swaps": exchange_walk(n, rows, order, at, sends),
        "elimination": eliminates(n, rows, order, np.empty(n, np.int64)),
        "minors": leading_minors(n, rows, minors, parity),
    }


@census_claim(
    "edelman.thm3.1.unique",
    place="Section 3, proof of Theorem 3.1",
    says="the exchanges are unique: A is a product E⁽ⁿ⁾ ... E⁽¹⁾ in at most one way",
    latex=r"\#\{(E^{(1)}, \dots, E^{(n)}) : E^{(n)} \cdots E^{(1)} = A\} \le 1",
    evidence="all 2^(n(n-1)) products multiplied out",
    control=Control("dimension 1 traversed once more at the end", again=True),
    sizes=Sizes(limit=4),
)
def unique(census: Census, *, again: bool = False) -> Flags:
    """Bit k has its last value after its only exchange."""
    order = (*range(census.n), 0) if again else tuple(range(census.n))
    return np.asarray(ways(census.n, order)[census.code] <= 1)


# -- Corollary 3.1 ----------------------------------------------------------------------------


@census_claim(
    "edelman.cor3.1",
    place="Section 3, Corollary 3.1",
    says="A is a product E⁽ⁿ⁾ ... E⁽¹⁾ if, and only if, A = LU with nonsingular triangular L and U",
    latex=r"A = LU \iff A = E^{(n)} \cdots E^{(1)}",
    evidence="all products of triangular matrices and all of exchanges multiplied out",
    control=Control("A = UL", lower_first=False),
    reading="the text that is left says 'if'; elimination as a test needs 'only if' as well",
    sizes=Sizes(limit=4),
)
def cor31(census: Census, *, lower_first: bool = True) -> Flags:
    exchanged = ways(census.n, tuple(range(census.n)))[census.code] > 0
    return np.asarray(exchanged == triangular_products(census.n, lower_first)[census.code])
