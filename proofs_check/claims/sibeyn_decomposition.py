"""The decomposition: [sibeyn, section 2, (1) and (2)], run as printed and multiplied out.

In all claims it is run with every j that step 2.a may select. A matrix is an array of packed rows.
Everything is in the bits of the index x' = Bx, as in the paper; `bits[i]` is the bit of the number
that is bit i of the index. Nothing of the library's decomposition is used here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Reading, Sizes, claim
from proofs_check.constructions import chosen, next_choice
from proofs_check.domain import Enumerated, Nonsingular
from proofs_check.driver import Case, compiled_claim
from proofs_check.packed import apply, exchange_both, multiply, renamed


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


_MATRICES = Nonsingular("A").described("all nonsingular A, each with all selections of j")
_PLACE = "Section 2"

# -- (1) and (2) --------------------------------------------------------------------------------


@kernel
def _invariant(n: int, rows: Ints, i: int, A: Ints, bits: Ints, exchanged: Ints, VL: Ints) -> bool:
    """(2) at the end of pass i: BAB⁻¹ = EΓ⁽⁰⁾...EΓ⁽ⁱ⁾ A⁽ⁱ⁾ VL⁽ⁱ⁾...VL⁽⁰⁾, and the properties."""
    product, work, swap = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    product[:] = A[:n]
    for k in range(i, -1, -1):
        multiply(n, product, VL[k], work)
        if not is_elementary(n, VL[k], k) or A[k] != 1 << k:
            return False
        set_exchange(n, k, k + 1 if exchanged[k] else k, swap)
        multiply(n, swap, work, product)
    renamed(n, rows, bits, work)
    seen = 0
    for k in range(n):
        seen |= 1 << bits[k]
        if product[k] != work[k]:
            return False
    return seen == (1 << n) - 1


@compiled_claim(
    "sibeyn.eq1",
    place=f"{_PLACE}, equations (1) and (2)",
    says="the algorithm gives BAB⁻¹ = EΓ⁽⁰⁾...EΓ⁽ⁿ⁻¹⁾ VL⁽ⁿ⁻¹⁾...VL⁽⁰⁾ with a permutation matrix B. "
    "Each EΓ⁽ⁱ⁾ is an exchange of bits i and i+1 or the identity, and VL⁽ⁱ⁾ is invertible and "
    "trivial outside row i. Invariant (2) holds after every pass, and A⁽ⁱ⁾ is trivial in rows 0, "
    "..., i",
    latex=r"BAB^{-1} = E\Gamma^{(0)} \cdots E\Gamma^{(n-1)} VL^{(n-1)} \cdots VL^{(0)}",
    over=_MATRICES,
    evidence="the algorithm run line by line, (2) multiplied out after every pass",
    control=Control("step 2.a leaves the VL⁽ᵏ⁾ as they are", conjugates=False),
    reading=Reading(
        "Ex⁽ⁱ⁺¹⁾ is Ex⁽ⁱ ⁱ⁺¹⁾. In pass n-1, step 2.a asks for A_(n,n-1), which does not "
        "exist; A_(n-1,n-1) is 1",
        reads_past=False,
    ),
    sizes=Sizes(limit=5),
    samples={5: 4000},
)
def eq1(case: Case, reads_past: bool = True, conjugates: bool = True) -> bool:
    n, A, bits, exchanged = case.n, case.work[0, : case.n], case.work[1], case.work[2]
    taken, offered, VL = case.work[3], case.work[4], np.empty((n, n), np.int64)
    taken[:] = 0
    choices, going = 0, True
    while going:
        for i in range(n):
            A[:] = case.rows
            choices = factor(n, A, taken, offered, bits, exchanged, VL, i, reads_past, conjugates)
            if choices < 0 or not _invariant(n, case.rows, i, A, bits, exchanged, VL):
                return False
        going = next_choice(choices, taken, offered)
    return True


@eq1.explain
def _show_stuck(
    A: GF2Matrix, *, reads_past: bool = True, conjugates: bool = True
) -> Mapping[str, Any]:
    n = A.n_columns
    if reads_past:
        return {"asks_for": f"A_({n},{n - 1})"}
    return parts_of(A, conjugates=conjugates)


def parts_of(A: GF2Matrix, *, conjugates: bool = True) -> dict[str, Any]:
    """B, the exchanges and the VL⁽ⁱ⁾ with the least j selected."""
    n = A.n_columns
    rows = np.array(A.rows)
    bits, exchanged = np.zeros((2, n), np.int64)
    taken, offered = np.zeros((2, n + 1), np.int64)
    VL = np.zeros((n, n), np.int64)
    factor(n, rows, taken, offered, bits, exchanged, VL, n - 1, False, conjugates)
    B = GF2Matrix.from_order(bits.tolist())
    return {"B": B, "exchanges": exchanged, "VL": [GF2Matrix.from_rows(X, n) for X in VL]}


# -- commuting ----------------------------------------------------------------------------------


def _triples(n: int) -> Iterator[tuple[int, int, int, int]]:
    for i in range(n):
        for j in range(i + 2, n):
            for k in range(j):
                yield n, i, j, k


_TRIPLES = Enumerated(
    _triples,
    size=lambda n: sum(j * (j - 1) for j in range(n)),
    names="n, i, j, k",
    text="all i, j, k with i + 1 < j < n and k < j; EΓ⁽ᵏ⁾ = Ex⁽ᵏ ᵏ⁺¹⁾",
)


def _exchange(n: int, i: int, j: int) -> GF2Matrix:
    order = list(range(n))
    order[i], order[j] = j, i
    return GF2Matrix.from_order(order)


@claim(
    "sibeyn.commute",
    place=f"{_PLACE}, on invariant (2)",
    says="Ex⁽ⁱ⁺¹ ʲ⁾ commutes with EΓ⁽ᵏ⁾ for k < j",
    printed="Ex⁽ⁱ⁺¹ ʲ⁾ commutes with EΓ⁽ᵏ⁾ for k < j",
    latex=r"Ex^{(i+1\,j)} E\Gamma^{(k)} = E\Gamma^{(k)} Ex^{(i+1\,j)} \text{ for } k < j",
    over=_TRIPLES,
    evidence="both products multiplied out",
    control=Control("EΓ⁽ⁱ⁾ counted among those that commute", least_bad=1),
    reading=Reading(
        "k < i is meant: only EΓ⁽⁰⁾, ..., EΓ⁽ⁱ⁻¹⁾ are in (2) when Ex⁽ⁱ⁺¹ ʲ⁾ is applied", below_i=0
    ),
    sizes=Sizes(least=3, most=8),
)
def commute(
    n: int, i: int, j: int, k: int, *, below_i: int | None = None, least_bad: int = 0
) -> Finding:
    X, E = _exchange(n, i + 1, j), _exchange(n, k, k + 1)
    asserted = below_i is None or k < i + below_i + least_bad
    commutes = X @ E == E @ X
    return Finding(commutes or not asserted, commutes=commutes, left=X @ E, right=E @ X)


@claim(
    "sibeyn.commute.exactly",
    place="beside section 2, on invariant (2)",
    says="for k < j, Ex⁽ⁱ⁺¹ ʲ⁾ commutes with Ex⁽ᵏ ᵏ⁺¹⁾ just when k < i, or i+2 ≤ k ≤ j-2, or "
    "k = i+1 = j-1",
    latex=r"k < i,\ i+2 \le k \le j-2 \text{ or } k = i+1 = j-1",
    over=_TRIPLES,
    evidence="both products multiplied out",
    control=Control("or i+2 ≤ k ≤ j-1", further=1),
    sizes=Sizes(least=3, most=8),
)
def commute_exactly(n: int, i: int, j: int, k: int, *, further: int = 0) -> Finding:
    X, E = _exchange(n, i + 1, j), _exchange(n, k, k + 1)
    between = i + 2 <= k <= j - 2 + further
    commutes = X @ E == E @ X
    stated = k < i or between or k == i + 1 == j - 1
    return Finding(commutes == stated, commutes=commutes, left=X @ E, right=E @ X)
