"""Routing on the explicit mesh: [sibeyn], section 3, Theorem 1, and one-bit operations.

Data are moved by unit shifts only (`sibeyn_grid`). Every affine permutation is decomposed with
every selection of j, W as read in `sibeyn.eq4`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix, GF2Vector
from proofs_check.claim import Control, Examined, Reading, batch_claim
from proofs_check.claims.sibeyn_decomposition import parts_of
from proofs_check.claims.sibeyn_grid import (
    ALWAYS,
    BAD_BCS,
    BAD_ECBCS,
    IDLE,
    LOST,
    TRIVIAL_VL,
    UNDELIVERED,
    places_of,
    run_mesh,
)
from proofs_check.claims.sibeyn_kernels import (
    cycle_bounds,
    factor,
    make_c,
    make_W,
    renamed_vector,
)
from proofs_check.constructions import next_choice
from proofs_check.domain import AllVectors, Nonsingular
from proofs_check.stations import rank_within, set_images
from proofs_check.walk import unpack_rows

Ints = npt.NDArray[np.int64]

PAIRS = (Nonsingular("A") * AllVectors("b")).described(
    "all affine permutations (A, b), each with all selections of j"
)
SQUARE = copy.copy(PAIRS)
SQUARE.dimensions = (2, 4)
_EVIDENCE = (
    "registers of an explicit mesh, moved by unit shifts; every datum followed by itself; W as "
    "read in sibeyn.eq4"
)

# -- the routing procedures ---------------------------------------------------------------------


@kernel
def _least_steps(n: int, images: Ints) -> int:
    """The least price of a set T of one-bit operations by which every message can arrive."""
    least = 1 << 40
    for T in range(1 << n):
        arrives = True
        for x in range(1 << n):
            if (x ^ images[x]) & ~T:
                arrives = False
        price = 0
        for i in range(n):
            price += (T >> i & 1) * (2 << (i >> 1))
        if arrives:
            least = min(least, price)
    return least


@kernel
def _first_misrouted(
    n: int,
    start: int,
    stop: int,
    asked: int,
    price: int,
    shifts_y: bool,
    swaps_back: bool,
    skipping: int,
    places: Ints,
) -> tuple[int, int]:
    """(cases, the least pair that is routed wrongly, or not in `price` steps, or -1).

    `asked` says which mistakes count. `price` -1 asks for no number of steps, -2 for the least
    of one-bit operations.
    """
    rows, A, basis = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    bits, exchanged = np.empty(n, np.int64), np.empty(n, np.int64)
    taken, offered = np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
    first, last = np.empty(n, np.int64), np.empty(n, np.int64)
    VL, W = np.empty((n, n), np.int64), np.empty((n, n), np.int64)
    images, index_of = np.empty(1 << n, np.int64), np.empty(1 << n, np.int64)
    everything = (1 << n) - 1
    cases = 0
    for index in range(start, stop):
        b = index & everything
        unpack_rows(index >> n, n, rows)
        if rank_within(rows, everything, everything, basis) < n:
            continue
        cases += 1
        set_images(n, rows, b, images)
        wanted = _least_steps(n, images) if price == -2 else price
        taken[:] = 0
        going = True
        while going:
            A[:] = rows
            choices = factor(n, A, taken, offered, bits, exchanged, VL, n - 1, False, True)
            if choices < 0:
                return cases, index
            count = cycle_bounds(n, exchanged, first, last)
            make_W(n, VL, count, first, last, False, True, W)
            c, _ = make_c(n, renamed_vector(n, b, bits), W, count, first, last, True)
            for x in range(1 << n):
                index_of[x] = renamed_vector(n, x, bits)
            steps, wrong = run_mesh(
                n, index_of, bits, W, VL, c, count, first, last, images, places,
                shifts_y, swaps_back, skipping,
            )  # fmt: skip
            if wrong & asked or (wanted >= 0 and steps != wanted):
                return cases, index
            going = next_choice(choices, taken, offered)
    return cases, -1


def _routed(
    n: int,
    start: int,
    stop: int,
    asked: int,
    price: int = -1,
    *,
    shifts_y: bool = True,
    swaps_back: bool = True,
    skipping: int = ALWAYS,
) -> Examined:
    cases, failing = _first_misrouted(
        n, start, stop, asked, price, shifts_y, swaps_back, skipping, places_of(n)
    )
    return Examined(cases, None if failing < 0 else failing)


@batch_claim(
    "sibeyn.bcs",
    place="Section 3, BCsRoute",
    says="a pass of BCsRoute outside of cycles exchanges data pairwise: selected_x = "
    "selected_(bc_i(x)), after step 4 every processor holds exactly one datum, in olddata, at "
    "x⁽ⁱ⁾ = c_i + W⁽ⁱ⁾ x⁽ⁱ⁻¹⁾",
    latex=r"\bar x^{(i)} = \bar c_i + W^{(i)} \bar x^{(i-1)}",
    over=PAIRS,
    evidence=_EVIDENCE,
    control=Control("without step 4", swaps_back=False),
    reading="the last argument of BCsRoute is c̄, as in ECBCsRoute, not x̄; bc_i(x) in the middle of "
    "the displayed relation is its bit i",
    max_n=4,
    limit_n=5,
    samples={5: 1000},
)
def bcs(n: int, start: int, stop: int, *, swaps_back: bool = True) -> Examined:
    """[sibeyn, BCsRoute] in all passes outside of cycles of a range of permutations."""
    return _routed(n, start, stop, LOST | BAD_BCS, swaps_back=swaps_back)


@batch_claim(
    "sibeyn.ecbcs",
    place="Section 3, ECBCsRoute",
    says="in a pass of ECBCsRoute exactly one of two data leaves a processor, and it is the one "
    "whose ȳ_d asks for it; no processor holds more than two; at the end every one holds exactly "
    "one, in olddata, at x⁽ˡ⁾ = EC(c_l + W⁽ˡ⁾ ... (c_k + W⁽ᵏ⁾ x⁽ᵏ⁻¹⁾))",
    latex=r"\bar x^{(l)} = EC^{(k\,l)}(\bar c_l + W^{(l)} \cdots (\bar c_k + W^{(k)} "
    r"\bar x^{(k-1)}))",
    over=PAIRS,
    evidence=_EVIDENCE,
    control=Control("the index x in place of ȳ", shifts_y=False),
    reading="for i = k the vector ȳ as printed has n + 1 entries, x_k twice; it is x, as in "
    "Example 3. The `od` before the last line is one too many",
    max_n=4,
    limit_n=5,
    samples={5: 1000},
)
def ecbcs(n: int, start: int, stop: int, *, shifts_y: bool = True) -> Examined:
    """[sibeyn, ECBCsRoute] in all cycles of a range of permutations."""
    return _routed(n, start, stop, LOST | BAD_ECBCS, shifts_y=shifts_y)


@batch_claim(
    "sibeyn.thm1",
    place="Section 3, Theorem 1",
    says="every affine permutation is routed with 4√N - 4 steps",
    latex=r"4 \sqrt N - 4",
    over=SQUARE,
    evidence=_EVIDENCE,
    control=Control("one step fewer", fewer=1),
)
def thm1(n: int, start: int, stop: int, *, fewer: int = 0) -> Examined:
    """[sibeyn, Theorem 1] for a range of permutations."""
    asked = LOST | BAD_BCS | BAD_ECBCS | UNDELIVERED
    return _routed(n, start, stop, asked, 4 * 2 ** (n // 2) - 4 - fewer)


@batch_claim(
    "sibeyn.onebit",
    place="Section 4",
    says="when pass i is skipped if VL⁽ⁱ⁾ = 0, no algorithm that uses only one-bit operations "
    "needs fewer steps",
    latex=r"\sum_{i \text{ moves}} 2 \cdot 2^{\lfloor i/2 \rfloor}",
    over=PAIRS,
    evidence=f"{_EVIDENCE}; all sets of bits that may be complemented, with the least price of "
    "those by which every message can arrive",
    control=Control("pass i is skipped if VL⁽ⁱ⁾ = I", skipping=TRIVIAL_VL),
    reading=Reading(
        "pass i is skipped if it selects nobody: W⁽ⁱ⁾ = I, c_i = 0 and i is in no cycle. VL⁽ⁱ⁾ = 0 "
        "never is, as VL⁽ⁱ⁾ is invertible",
        skipping=IDLE,
    ),
    max_n=4,
    limit_n=5,
    samples={5: 1000},
)
def onebit(n: int, start: int, stop: int, *, skipping: int = ALWAYS) -> Examined:
    """[sibeyn, section 4]: an operation on every bit that some message changes is needed."""
    return _routed(n, start, stop, LOST | UNDELIVERED, -2, skipping=skipping)


@bcs.explain
@ecbcs.explain
@thm1.explain
@onebit.explain
def _show(A: GF2Matrix, b: GF2Vector, **parameters: Any) -> Mapping[str, Any]:
    """The parts with the least j selected, the steps taken and needed, and where the data end."""
    n = A.n_columns
    shown = parts_of(A)
    steps, wrong = routed_steps(A, int(b), parameters.get("skipping", ALWAYS))
    images = np.array([A.apply(x) ^ int(b) for x in range(1 << n)])
    return {
        **shown,
        "steps": steps,
        "least_of_one_bit_operations": _least_steps(n, images),
        "delivered": not wrong & UNDELIVERED,
    }


def routed_steps(A: GF2Matrix, b: int, skipping: int = ALWAYS) -> tuple[int, int]:
    """(unit shifts, mistakes) of the routing with the least j selected."""
    n = A.n_columns
    rows = np.array(A.rows)
    bits, exchanged, first, last = np.zeros((4, n), np.int64)
    taken, offered = np.zeros((2, n + 1), np.int64)
    VL, W = np.zeros((2, n, n), np.int64)
    factor(n, rows, taken, offered, bits, exchanged, VL, n - 1, False, True)
    count = cycle_bounds(n, exchanged, first, last)
    make_W(n, VL, count, first, last, False, True, W)
    c, _ = make_c(n, renamed_vector(n, b, bits), W, count, first, last, True)
    index_of = np.array([renamed_vector(n, x, bits) for x in range(1 << n)])
    images = np.array([A.apply(x) ^ b for x in range(1 << n)])
    steps, wrong = run_mesh(
        n, index_of, bits, W, VL, c, count, first, last, images, places_of(n), True, True, skipping
    )
    return int(steps), int(wrong)
