"""The operations W and the vectors c: [sibeyn, section 2, (3), (4) and (5)], multiplied out.

In both claims the decomposition is run with every j that step 2.a may select.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Reading, Sizes
from proofs_check.claims.sibeyn_decomposition import (
    cycle_bounds,
    factor,
    is_elementary,
    make_c,
    make_W,
    parts_of,
    renamed_vector,
    set_cycle,
    set_exchange,
)
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS, Nonsingular
from proofs_check.driver import Case, compiled_claim
from proofs_check.packed import apply, multiply, renamed

_MATRICES = Nonsingular("A").described("all nonsingular A, each with all selections of j")
_PAIRS = PERMUTATIONS.described("all nonsingular A, all vectors b, each with all selections of j")
_PLACE = "Section 2"
W_AS_READ = (
    "the products run over all cycles, 0 ≤ i ≤ s, and the one on the right is inverted: "
    "W⁽ʲ⁾ = P VL⁽ʲ⁾ P⁻¹"
)


@kernel
def _equation_4(n: int, W: Ints, count: int, first: Ints, last: Ints, product: Ints) -> None:
    """The right-hand side of (4)."""
    turn, work = np.empty(n, np.int64), np.empty(n, np.int64)
    set_exchange(n, 0, 0, product)
    for j in range(n):
        multiply(n, W[j], product, work)
        product[:] = work
        for t in range(count):
            if last[t] == j:
                set_cycle(n, first[t], last[t], False, turn)
                multiply(n, turn, product, work)
                product[:] = work


@kernel
def _equation_5(n: int, W: Ints, c: int, count: int, first: Ints, last: Ints, x: int) -> int:
    """The right-hand side of (5) for one x."""
    turn = np.empty(n, np.int64)
    for j in range(n):
        x = c & 1 << j ^ apply(n, W[j], x)
        for t in range(count):
            if last[t] == j:
                set_cycle(n, first[t], last[t], False, turn)
                x = apply(n, turn, x)
    return x


@kernel
def _holds(
    n: int,
    rows: Ints,
    b: int,
    bits: Ints,
    exchanged: Ints,
    VL: Ints,
    inner: bool,
    inverse: bool,
    turned_back: bool,
    with_b: bool,
) -> bool:
    """(4), and with `with_b` (5), for one decomposition."""
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    W, product, index_rows = (
        np.empty((n, n), np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
    )
    count = cycle_bounds(n, exchanged, first, last)
    make_W(n, VL, count, first, last, inner, inverse, W)
    renamed(n, rows, bits, index_rows)
    if not with_b:
        _equation_4(n, W, count, first, last, product)
        for j in range(n):
            if product[j] != index_rows[j] or not is_elementary(n, W[j], j):
                return False
        return True
    index_b = renamed_vector(n, b, bits)
    c, clean = make_c(n, index_b, W, count, first, last, turned_back)
    for x in range(1 << n):
        if _equation_5(n, W, c, count, first, last, x) != apply(n, index_rows, x) ^ index_b:
            return False
    return clean


@kernel
def _always_holds(case: Case, inner: bool, inverse: bool, turned_back: bool, with_b: bool) -> bool:
    """The equation for every selection of j."""
    n, A, bits, exchanged = case.n, case.work[0, : case.n], case.work[1, : case.n], case.work[2]
    taken, offered, VL = case.work[3], case.work[4], np.empty((n, n), np.int64)
    taken[:] = 0
    while True:
        A[:] = case.rows
        choices = factor(n, A, taken, offered, bits, exchanged, VL, n - 1, False, True)
        if choices < 0 or not _holds(
            n, case.rows, case.b, bits, exchanged, VL, inner, inverse, turned_back, with_b
        ):
            return False
        if not next_choice(choices, taken, offered):
            return True


@compiled_claim(
    "sibeyn.eq4",
    place=f"{_PLACE}, equation (4)",
    says="with W⁽ʲ⁾ = (∏_{0<i<s, l_i<j} EC⁽ᵏⁱ ˡⁱ⁾) VL⁽ʲ⁾ (∏_{0<i<s, l_i<j} EC⁽ᵏⁱ ˡⁱ⁾), which is "
    "trivial outside row j, BAB⁻¹ is the product (4)",
    latex=r"A = (W^{(n-1)} \cdots W^{(l_s+1)}) (EC^{(k_s l_s)} W^{(l_s)} \cdots W^{(k_s)}) \cdots "
    r"(W^{(k_0-1)} \cdots W^{(0)})",
    over=_MATRICES,
    evidence="the W⁽ʲ⁾ and (4) multiplied out",
    control=Control("without the inverse", inverse=False),
    reading=Reading(W_AS_READ, inner=False, inverse=True),
    sizes=Sizes(limit=5),
    samples={5: 4000},
)
def eq4(case: Case, inner: bool = True, inverse: bool = False) -> bool:
    return _always_holds(case, inner, inverse, True, False)


@compiled_claim(
    "sibeyn.eq5",
    place=f"{_PLACE}, equation (5)",
    says="with the vectors c_j that the algorithm calculates, Bb + BAB⁻¹x is (5); "
    "during step 2 b_i = 0 for all i > j",
    latex=r"\bar y = (\bar c_{n-1} + W^{(n-1)}) \cdots (\bar c_0 + W^{(0)} \bar x)",
    over=_PAIRS,
    evidence="(5) evaluated for every x",
    control=Control("step 2.a with EC instead of EC⁻¹", turned_back=False),
    reading=Reading(f"{W_AS_READ}. The algorithm is as published", inner=False, inverse=True),
    sizes=Sizes(limit=5),
    samples={5: 4000},
)
def eq5(case: Case, inner: bool = True, inverse: bool = False, turned_back: bool = True) -> bool:
    return _always_holds(case, inner, inverse, turned_back, True)


@eq4.explain
def _show_4(A: GF2Matrix, *, inner: bool = True, inverse: bool = False) -> Mapping[str, Any]:
    return _with_W(A, inner, inverse)


@eq5.explain
def _show_5(
    A: GF2Matrix,
    b: GF2Vector,
    *,
    inner: bool = True,
    inverse: bool = False,
    turned_back: bool = True,
) -> Mapping[str, Any]:
    n = A.n_columns
    shown = _with_W(A, inner, inverse)
    W = np.array([X.rows for X in shown["W"]])
    first, last = (np.array(ends, np.int64) for ends in shown["cycles"])
    bits = np.array(shown["B"].as_order())
    c, _ = make_c(n, renamed_vector(n, int(b), bits), W, len(first), first, last, turned_back)
    return {**shown, "c": GF2Vector.from_int(c, n)}


def _with_W(A: GF2Matrix, inner: bool, inverse: bool) -> dict[str, Any]:
    """The parts with the least j selected, the W⁽ʲ⁾, and the product (4)."""
    n = A.n_columns
    shown = parts_of(A)
    VL = np.array([X.rows for X in shown["VL"]])
    first, last, product = np.zeros((3, n), np.int64)
    W = np.zeros((n, n), np.int64)
    count = cycle_bounds(n, shown["exchanges"], first, last)
    make_W(n, VL, count, first, last, inner, inverse, W)
    _equation_4(n, W, count, first, last, product)
    return {
        **shown,
        "cycles": [first[:count].tolist(), last[:count].tolist()],
        "W": [GF2Matrix.from_rows(X, n) for X in W],
        "index_matrix": A.conjugate(shown["B"]),
        "product": GF2Matrix.from_rows(product, n),
    }


# -- involutions ---------------------------------------------------------------------------------


@kernel
def _are_involutions(n: int, operations: Ints, joined: bool) -> bool:
    """Each is its own inverse and has column i of the identity; or products of two that follow."""
    square, product = np.empty(n, np.int64), np.empty(n, np.int64)
    for i in range(n):
        product[:] = operations[i]
        if joined and i + 1 < n:
            multiply(n, operations[i + 1], operations[i], product)
        multiply(n, product, product, square)
        for k in range(n):
            if square[k] != 1 << k or operations[i, k] >> i & 1 != (k == i):
                return False
    return True


def _squares_are_trivial(
    case: Case, of_W: bool, inverse: bool = False, joined: bool = False
) -> bool:
    """All VL⁽ⁱ⁾, or all W⁽ⁱ⁾, for every selection of j."""
    n, A, bits, exchanged = case.n, case.work[0, : case.n], case.work[1, : case.n], case.work[2]
    taken, offered, VL = case.work[3], case.work[4], np.empty((n, n), np.int64)
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    W = np.empty((n, n), np.int64)
    taken[:] = 0
    while True:
        A[:] = case.rows
        choices = factor(n, A, taken, offered, bits, exchanged, VL, n - 1, False, True)
        if of_W:
            count = cycle_bounds(n, exchanged, first, last)
            make_W(n, VL, count, first, last, False, inverse, W)
        else:
            W[:] = VL
        if choices < 0 or not _are_involutions(n, W, joined):
            return False
        if not next_choice(choices, taken, offered):
            return True


_JOINED = Control("so are the products of two that follow one another", joined=True)

compiled_claim(
    "sibeyn.involutions.VL",
    place=f"{_PLACE}, on invariant (2)",
    says="every VL⁽ⁱ⁾ is its own inverse",
    printed="Because VL⁽ⁱ⁾⁻¹ = VL⁽ⁱ⁾ we have (A⁽ⁱ⁻¹⁾ VL⁽ⁱ⁾) VL⁽ⁱ⁾",
    latex=r"VL^{(i)-1} = VL^{(i)}",
    over=_MATRICES,
    evidence="the squares multiplied out",
    control=_JOINED,
    sizes=Sizes(limit=5),
    samples={5: 4000},
    tables=lambda n, **_: (False,),
)(_squares_are_trivial)

compiled_claim(
    "sibeyn.involutions.W",
    place=f"{_PLACE}, before the algorithm for c",
    says="every W⁽ⁱ⁾ is its own inverse, and W⁽ⁱ⁾ ē_i = ē_i",
    printed="furthermore W⁽ⁱ⁾⁻¹ = W⁽ⁱ⁾ and W⁽ⁱ⁾ ē_i = ē_i",
    latex=r"W^{(i)-1} = W^{(i)},\quad W^{(i)} \bar e_i = \bar e_i",
    over=_MATRICES,
    evidence="the W⁽ⁱ⁾ and their squares multiplied out",
    control=_JOINED,
    reading=Reading(f"{W_AS_READ}, as in (4)", inverse=True),
    sizes=Sizes(limit=5),
    samples={5: 4000},
    tables=lambda n, **_: (True,),
)(_squares_are_trivial)
