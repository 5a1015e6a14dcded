"""Routing on the explicit mesh: [sibeyn], section 3, Theorem 1, and one-bit operations.

Data are moved by unit shifts only (`sibeyn_grid`). Every affine permutation is decomposed with
every selection of j, W as read in `sibeyn.eq4`.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from lccmodel._jit import kernel
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Reading, Sizes, Stated
from proofs_check.claims.sibeyn_decomposition import parts_of
from proofs_check.claims.sibeyn_grid import (
    ALWAYS,
    BAD_BCS,
    BAD_ECBCS,
    IDLE,
    LOST,
    TRIVIAL_VL,
    UNDELIVERED,
    Decomposed,
    Rule,
    places_of,
    run_mesh,
)
from proofs_check.claims.sibeyn_kernels import cycle_bounds, factor, make_c, make_W, renamed_vector
from proofs_check.constructions import next_choice
from proofs_check.domain import PERMUTATIONS
from proofs_check.driver import Case, compiled_claim, tags_of

PAIRS = PERMUTATIONS.described("all affine permutations (A, b), each with all selections of j")
SQUARE = copy.copy(PAIRS)
SQUARE.dimensions = (2, 4)
_EVIDENCE = (
    "registers of an explicit mesh, moved by unit shifts; every datum followed by itself; W as "
    "read in sibeyn.eq4"
)

STATED = Stated(over=PAIRS, evidence=_EVIDENCE, sizes=Sizes(limit=5))


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
def _decomposed(n: int, rows: Ints, b: int, taken: Ints, offered: Ints) -> tuple[int, Decomposed]:
    """The choices of j made (-1: stuck), and the parts with W as read."""
    bits, exchanged, first, last = np.zeros((4, n), np.int64)
    VL, W = np.zeros((n, n), np.int64), np.zeros((n, n), np.int64)
    choices = factor(n, rows.copy(), taken, offered, bits, exchanged, VL, n - 1, False, True)
    count = cycle_bounds(n, exchanged, first, last)
    make_W(n, VL, count, first, last, False, True, W)
    c, _ = make_c(n, renamed_vector(n, b, bits), W, count, first, last, True)
    return choices, Decomposed(bits, W, VL, c, count, first, last)


@kernel
def _indices(n: int, bits: Ints) -> Ints:
    """The index Bx of every number x."""
    indices = np.empty(1 << n, np.int64)
    for x in range(1 << n):
        indices[x] = renamed_vector(n, x, bits)
    return indices


@kernel
def _is_routed(case: Case, places: Ints, asked: int, price: int, rule: Rule) -> bool:
    """Whether a pair is routed without the mistakes `asked` about, in `price` steps.

    `price` -1 asks for no number of steps, -2 for the least of one-bit operations.
    """
    n, taken, offered, images = case.n, case.work[0], case.work[1], tags_of(case)
    wanted = _least_steps(n, images) if price == -2 else price
    taken[:] = 0
    while True:
        choices, made = _decomposed(n, case.rows, case.b, taken, offered)
        if choices < 0:
            return False
        steps, wrong = run_mesh(made, _indices(n, made.bits), images, places, rule)
        if wrong & asked or (wanted >= 0 and steps != wanted):
            return False
        if not next_choice(choices, taken, offered):
            return True


def _places(n: int, **_: int) -> tuple[Ints]:
    return (places_of(n),)


@compiled_claim(
    "sibeyn.bcs",
    place="Section 3, BCsRoute",
    says="a pass of BCsRoute outside of cycles exchanges data pairwise: selected_x = "
    "selected_(bc_i(x)), after step 4 every processor holds exactly one datum, in olddata, at "
    "x⁽ⁱ⁾ = c_i + W⁽ⁱ⁾ x⁽ⁱ⁻¹⁾",
    latex=r"\bar x^{(i)} = \bar c_i + W^{(i)} \bar x^{(i-1)}",
    tables=_places,
    control=Control("without step 4", swaps_back=False),
    reading="the last argument of BCsRoute is c̄, as in ECBCsRoute, not x̄; bc_i(x) in the middle of "
    "the displayed relation is its bit i",
    samples={5: 1000},
)
def bcs(case: Case, places: Ints, swaps_back: bool = True) -> bool:
    """[sibeyn, BCsRoute] in all passes outside of cycles."""
    return _is_routed(case, places, LOST | BAD_BCS, -1, Rule(True, swaps_back, ALWAYS))


@compiled_claim(
    "sibeyn.ecbcs",
    place="Section 3, ECBCsRoute",
    says="in a pass of ECBCsRoute exactly one of two data leaves a processor, and it is the one "
    "whose ȳ_d asks for it; no processor holds more than two; at the end every one holds exactly "
    "one, in olddata, at x⁽ˡ⁾ = EC(c_l + W⁽ˡ⁾ ... (c_k + W⁽ᵏ⁾ x⁽ᵏ⁻¹⁾))",
    latex=r"\bar x^{(l)} = EC^{(k\,l)}(\bar c_l + W^{(l)} \cdots (\bar c_k + W^{(k)} "
    r"\bar x^{(k-1)}))",
    tables=_places,
    control=Control("the index x in place of ȳ", shifts_y=False),
    reading="for i = k the vector ȳ as printed has n + 1 entries, x_k twice; it is x, as in "
    "Example 3. The `od` before the last line is one too many",
    samples={5: 1000},
)
def ecbcs(case: Case, places: Ints, shifts_y: bool = True) -> bool:
    """[sibeyn, ECBCsRoute] in all cycles."""
    return _is_routed(case, places, LOST | BAD_ECBCS, -1, Rule(shifts_y, True, ALWAYS))


@compiled_claim(
    "sibeyn.thm1",
    place="Section 3, Theorem 1",
    says="every affine permutation is routed with 4√N - 4 steps",
    latex=r"4 \sqrt N - 4",
    over=SQUARE,
    tables=_places,
    control=Control("one step fewer", fewer=1),
    sizes=Sizes(),
)
def thm1(case: Case, places: Ints, fewer: int = 0) -> bool:
    asked = LOST | BAD_BCS | BAD_ECBCS | UNDELIVERED
    steps = 4 * 2 ** (case.n // 2) - 4 - fewer
    return _is_routed(case, places, asked, steps, Rule(True, True, ALWAYS))


@compiled_claim(
    "sibeyn.onebit",
    place="Section 4",
    says="when pass i is skipped if VL⁽ⁱ⁾ = 0, no algorithm that uses only one-bit operations "
    "needs fewer steps",
    latex=r"\sum_{i \text{ moves}} 2 \cdot 2^{\lfloor i/2 \rfloor}",
    evidence=f"{_EVIDENCE}; all sets of bits that may be complemented, with the least price of "
    "those by which every message can arrive",
    tables=_places,
    control=Control("pass i is skipped if VL⁽ⁱ⁾ = I", skipping=TRIVIAL_VL),
    reading=Reading(
        "pass i is skipped if it selects nobody: W⁽ⁱ⁾ = I, c_i = 0 and i is in no cycle. VL⁽ⁱ⁾ = 0 "
        "never is, as VL⁽ⁱ⁾ is invertible",
        skipping=IDLE,
    ),
    samples={5: 1000},
)
def onebit(case: Case, places: Ints, skipping: int = ALWAYS) -> bool:
    """[sibeyn, section 4]: an operation on every bit that some message changes is needed."""
    return _is_routed(case, places, LOST | UNDELIVERED, -2, Rule(True, True, skipping))


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
    _, made = _decomposed(n, np.array(A.rows), b, *np.zeros((2, n + 1), np.int64))
    images = np.array([A.apply(x) ^ b for x in range(1 << n)])
    rule = Rule(True, True, skipping)
    steps, wrong = run_mesh(made, _indices(n, made.bits), images, places_of(n), rule)
    return int(steps), int(wrong)
