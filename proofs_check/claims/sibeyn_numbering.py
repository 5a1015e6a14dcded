"""Numbering schemes: [sibeyn, section 4], as maps of shuffled row-major numbers.

A numbering is covered if it is Cs + d for all processors s. C and d can be nothing but what the
processors 0, 1, 2, 4, ... say, so the rest decides.
"""

from __future__ import annotations

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from proofs_check.arrays import Ints
from proofs_check.claim import Amended, Control, Finding, Sizes, claim
from proofs_check.claims.sibeyn_grid import grid_shape, places_of
from proofs_check.domain import AllVectors, EveryN, Nonsingular


def numbers(name: str, n: int) -> Ints:
    """The number of every processor, in the order of the shuffled row-major numbers.

    >>> numbers("snake-like", 2).tolist(), numbers("spiral", 2).tolist()
    ([0, 1, 3, 2], [0, 1, 3, 2])
    """
    rows, columns = grid_shape(n)
    grid = np.arange(rows * columns).reshape(rows, columns)
    if name == "snake-like":
        grid[1::2] = grid[1::2, ::-1]
    elif name == "every fourth row backwards":
        grid[1::4] = grid[1::4, ::-1]
    elif name == "spiral":
        grid = _spiral(rows, columns)
    by_place = np.empty(1 << n, np.int64)
    by_place[places_of(n)] = grid
    return by_place


def _spiral(rows: int, columns: int) -> Ints:
    """From the corner around the border and inwards."""
    left = np.arange(rows * columns).reshape(rows, columns)
    order: list[int] = []
    while left.size:
        order += left[0].tolist()
        left = left[1:].T[::-1]
    spiral = np.empty(rows * columns, np.int64)
    spiral[order] = np.arange(rows * columns)
    return spiral.reshape(rows, columns)


def affine_form(by_place: Ints) -> tuple[GF2Matrix, int] | None:
    """(C, d) with number = C s + d for every s, or None.

    >>> affine_form(np.array([0, 1, 3, 2]))
    (GF2Matrix([[1, 1], [0, 1]]), 0)
    """
    n = len(by_place).bit_length() - 1
    d = int(by_place[0])
    columns = [int(by_place[1 << j]) ^ d for j in range(n)]
    C = GF2Matrix.from_rows(columns, n).T
    fits = all(C.apply(s) ^ d == by_place[s] for s in range(1 << n))
    return (C, d) if fits and C.is_nonsingular else None


@claim(
    "sibeyn.numbering",
    place="Section 4",
    printed="The row-major numbering-scheme is among them, the snake-like numbering-scheme, "
    "however, is not.",
    says="among the numbering schemes that differ from shuffled row-major by an affine permutation "
    "(C, d) are row-major ones, but not the snake-like one",
    latex=r"\bar x' = C \bar x + \bar d",
    over=EveryN("the square meshes of 2^n processors, n = 2, 4, 6, 8", dimensions=(2, 4, 6, 8)),
    evidence="the grid of numbers written out; C and d read off n + 1 processors, tried on all",
    control=Control(
        "the spiral numbering is among them", among=("row-major", "snake-like", "spiral"), others=()
    ),
    amended=Amended(
        "row-major and snake-like numbering are both among them: reading every second row "
        "backwards adds the last bit of the row to every bit of the column",
        control=Control(
            "reading every fourth row backwards gives one too",
            among=("row-major", "snake-like", "every fourth row backwards"),
        ),
        among=("row-major", "snake-like"),
        others=(),
    ),
)
def numbering(
    n: int, *, among: tuple[str, ...] = ("row-major",), others: tuple[str, ...] = ("snake-like",)
) -> Finding:
    """[sibeyn, section 4] which numberings are affine."""
    forms = {name: affine_form(numbers(name, n)) for name in (*among, *others)}
    stated = all(forms[name] for name in among) and not any(forms[name] for name in others)
    return Finding(stated, **{f"C of {name}": form and form[0] for name, form in forms.items()})


@claim(
    "sibeyn.numbering.formula",
    place="Section 4",
    says="routing (A', b') with respect to the numbers Cx + d is routing A = C⁻¹A'C, "
    "b = C⁻¹(A'd + b' - d) with respect to the shuffled row-major numbers x",
    latex=r"A = C^{-1} A' C,\ \bar b = C^{-1}(A' \bar d + \bar b' - \bar d)",
    over=(Nonsingular("C") * AllVectors("d") * Nonsingular("A'") * AllVectors("b'")).described(
        "all (C, d), all (A', b')"
    ),
    evidence="every processor followed: its number, the number of its destination, that processor",
    control=Control("b without the term A'd", shifted=False),
    sizes=Sizes(most=2, limit=4),
    samples={3: 3000, 4: 1000},
)
def formula(
    C: GF2Matrix, d: GF2Vector, A: GF2Matrix, b: GF2Vector, *, shifted: bool = True
) -> Finding:
    n = C.n_columns
    inverse = C.inverse()
    moved = A.apply(int(d)) if shifted else 0
    routed = inverse @ A @ C
    vector = inverse.apply(moved ^ int(b) ^ int(d))
    number = [C.apply(x) ^ int(d) for x in range(1 << n)]
    wrong = [
        x for x in range(1 << n) if number[routed.apply(x) ^ vector] != A.apply(number[x]) ^ int(b)
    ]
    return Finding(not wrong, wrong_at=wrong)
