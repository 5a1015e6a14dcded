"""What the decomposition costs, what it is made of, and the earlier algorithm: [sibeyn].

Lemmas 2 and 3 say that (1) and (5) take O(n³) time and O(n²) space. The algorithm of section 2 is
run here with the short cuts that the text names, every entry that is read, compared or written
counted; its result is multiplied out, and (5) evaluated.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import NamedTuple

from lccmodel.gf2.elimination import rank
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Amended, Control, Finding, Sample, Sizes, claim
from proofs_check.claims.sibeyn_decomposition import parts_of
from proofs_check.domain import EveryN, Nonsingular

_SAMPLES = 3


class Decomposed(NamedTuple):
    """(1) and (5) of one matrix and vector, with entries handled and kept.

    `bits[k]` is the bit of the number that is bit k of the index; `exchanged[i]` whether pass i
    exchanges; `VL` and `W` hold row i of VL⁽ⁱ⁾ and W⁽ⁱ⁾; `c` the vector of section 2.
    """

    bits: list[int]
    exchanged: list[bool]
    VL: list[list[int]]
    W: list[list[int]]
    c: list[int]
    first: int
    second: int
    space: int


@lru_cache(maxsize=256)
def random_nonsingular(n: int, seed: int) -> tuple[tuple[int, ...], ...]:
    """A nonsingular matrix of n rows of bits."""
    rng = random.Random(f"{n} {seed}")
    while True:
        rows = [rng.getrandbits(n) for _ in range(n)]
        if rank(rows) == n:
            return tuple(tuple(row >> k & 1 for k in range(n)) for row in rows)


def decomposed(matrix: tuple[tuple[int, ...], ...], b: list[int]) -> Decomposed:
    """Run the algorithm of section 2 and that for the c_i, counting."""
    n = len(matrix)
    A, VL = [list(row) for row in matrix], [[0] * n for _ in range(n)]
    bits, exchanged, count = list(range(n)), [False] * n, 0
    for i in range(n):
        count += 2
        if not A[i][i] and not (i + 1 < n and A[i + 1][i]):
            j = next(j for j in range(i + 2, n) if A[j][i])
            count += j - i
            bits[i + 1], bits[j] = bits[j], bits[i + 1]
            A[i + 1], A[j] = A[j], A[i + 1]
            for row in (*A, *VL[:i]):  # of VL⁽ᵏ⁾ row k alone is kept
                row[i + 1], row[j] = row[j], row[i + 1]
            count += 2 + 2 * n + 2 * (n + i)
        if not A[i][i]:
            exchanged[i] = True
            A[i], A[i + 1] = A[i + 1], A[i]
            count += 2 * n
        VL[i] = A[i][:]
        count += n
        for row in A:  # A := A VL⁽ⁱ⁾
            count += 1
            if row[i]:
                row[:] = [
                    x ^ (y if k != i else 0)
                    for k, (x, y) in enumerate(zip(row, VL[i], strict=True))
                ]
                count += n
    first, space = count, 2 * n * n + 3 * n
    cycles, W, names = _cycles(exchanged), [], list(range(n))
    for j in range(n):  # W⁽ʲ⁾ = P VL⁽ʲ⁾ P⁻¹, P the product of the cycles that are done
        moved = [0] * n
        for old, new in enumerate(names):
            moved[new] = VL[j][old]
        W.append(moved)
        if j in cycles:
            k = cycles[j]
            names = [new + (k <= new < j) if new != j else k for new in names]
        count += 2 * n
    left, c = [b[old] for old in bits], [0] * n
    for j in reversed(range(n)):  # the c_i, from the last pass to the first
        if j in cycles:  # EC⁽ᵏ ˡ⁾⁻¹
            k = cycles[j]
            left[k : j + 1] = [*left[k + 1 : j + 1], left[k]]
            count += j + 1 - k
        c[j], left[j] = sum(x & y for x, y in zip(W[j], left, strict=True)) & 1, 0
        count += n + 2
    return Decomposed(bits, exchanged, VL, W, c, first, count, space + n * n + 4 * n)


def _cycles(exchanged: list[bool]) -> dict[int, int]:
    """The first bit of every cycle, by its last."""
    found, k = {}, 0
    for j, is_exchanged in enumerate(exchanged):
        if j and exchanged[j - 1] and not is_exchanged:
            found[j] = k
        if not is_exchanged:
            k = j + 1
    return found


def evaluated(found: Decomposed, x: list[int]) -> list[int]:
    """(5) for one index x."""
    n, x = len(x), list(x)
    cycles = _cycles(found.exchanged)
    for j in range(n):
        x[j] = (found.c[j] + sum(a & y for a, y in zip(found.W[j], x, strict=True))) & 1
        if j in cycles:
            k = cycles[j]
            x[k : j + 1] = [x[j], *x[k:j]]
    return x


def _right(matrix: tuple[tuple[int, ...], ...], b: list[int], found: Decomposed, seed: int) -> bool:
    """Whether (5) sends random indices where Ax + b sends their numbers."""
    n, rng = len(b), random.Random(seed)
    for _ in range(8):
        x = [rng.getrandbits(1) for _ in range(n)]
        y = [
            (sum(a & v for a, v in zip(row, x, strict=True)) + s) & 1
            for row, s in zip(matrix, b, strict=True)
        ]
        if evaluated(found, [x[k] for k in found.bits]) != [y[k] for k in found.bits]:
            return False
    return True


def _counted(n: int, seed: int) -> tuple[Decomposed, bool]:
    matrix, rng = random_nonsingular(n, seed), random.Random(n)
    b = [rng.getrandbits(1) for _ in range(n)]
    found = decomposed(matrix, b)
    return found, _right(matrix, b, found, seed)


_MATRICES = EveryN(f"the n, each with {_SAMPLES} random nonsingular matrices and vectors")
_COUNTED = (
    "the algorithm run, every entry that is read, compared or written counted; its result "
    "evaluated at random indices"
)


def _cost(name: str, number: int, says: str, printed: str, stage: str) -> None:
    def check(n: int, *, cubic: int = 1) -> Finding:
        runs = [_counted(n, seed) for seed in range(_SAMPLES)]
        most = max(getattr(found, stage) for found, _ in runs)
        space = max(found.space for found, _ in runs)
        ok = most <= cubic * n**3 + 12 * n * n and space <= 10 * n * n
        return Finding(ok and all(right for _, right in runs), entries=most, space=space)

    claim(
        f"sibeyn.{name}",
        place=f"Section 2, Lemma {number}",
        says=says,
        printed=printed,
        latex=r"O(n^3),\ O(n^2)",
        over=_MATRICES,
        evidence=_COUNTED,
        control=Control("12n² entries handled", cubic=0),
        sizes=Sizes(most=40, limit=64),
    )(check)


_cost(
    "lem2",
    2,
    "a decomposition as in (1) takes O(n³) time and O(n²) space: at most n³ + 12n² entries "
    "handled, 10n² kept",
    "A decomposition as in (1) can be constructed in O(n³) time with O(n²) space.",
    "first",
)
_cost(
    "lem3",
    3,
    "y = Ax + b as in (5) takes O(n³) time and O(n²) space: at most n³ + 12n² entries handled, "
    "10n² kept",
    "In O(n³) time we can express y = A·x + b as in (5) with O(n²) space.",
    "second",
)


# -- what VL⁽ⁱ⁾ is made of ----------------------------------------------------------------------


@claim(
    "sibeyn.tul",
    place="Section 2, after Lemma 2",
    says="with T = EΓ⁽⁰⁾...EΓ⁽ⁿ⁻¹⁾ and BAB⁻¹ = TUL, U and L triangular and V = U⁻¹, VL⁽ⁱ⁾ is the "
    "product of I with row i replaced by V's and I with row i replaced by L's",
    printed="if we put V = U⁻¹, then VL⁽ⁱ⁾ = (I with row_i replaced by V_(i,-)) · (I with row_i "
    "replaced by L_(i,-))",
    latex=r"VL^{(i)} = (I: \bar V_{i,-})(I: \bar L_{i,-})",
    over=Nonsingular("A"),
    evidence="U and L by elimination on T⁻¹BAB⁻¹ (row n-1 stands on top in the paper, so that its "
    "upper triangle is the lower one of rows counted from 0); both products multiplied out",
    control=Control("V is U, not its inverse", inverted=False),
    sizes=Sizes(most=3),
    samples={4: Sample(1000), 5: Sample(300)},
)
def tul(A: GF2Matrix, *, inverted: bool = True) -> Finding:
    """[sibeyn, section 2] "(1) could also be obtained from a TUL-decomposition"."""
    n, parts = A.n_columns, parts_of(A)
    M, VL = GF2Matrix.identity(n), parts["VL"]
    for factor in VL:
        M = factor @ M
    lower, upper = _triangles(M)
    if lower is None or upper is None:
        return Finding(False, no_triangles_of=M)
    V = lower.inverse() if inverted else lower
    for i in range(n):
        product = _with_row(n, i, V.rows[i]) @ _with_row(n, i, upper.rows[i])
        if product != VL[i]:
            return Finding(False, i=i, VL=VL[i], product=product)
    return Finding(True)


def _with_row(n: int, i: int, row: int) -> GF2Matrix:
    return GF2Matrix.from_rows([row if k == i else 1 << k for k in range(n)], n)


def _triangles(M: GF2Matrix) -> tuple[GF2Matrix | None, GF2Matrix | None]:
    """(lower, upper) triangular factors with ones on the diagonal, or None where there are none."""
    n, rows, lower = M.n_columns, list(M.rows), [1 << k for k in range(M.n_columns)]
    for i in range(n):
        if not rows[i] >> i & 1:
            return None, None
        for k in range(i + 1, n):
            if rows[k] >> i & 1:
                rows[k] ^= rows[i]
                lower[k] |= 1 << i
    return GF2Matrix.from_rows(lower, n), GF2Matrix.from_rows(rows, n)


# -- the earlier algorithm -----------------------------------------------------------------------


@claim(
    "sibeyn.earlier",
    place="Abstract and section 1.2",
    says="the abstract and section 1.2 state the same number of routing steps for the earlier "
    "algorithm [9]: 6√N - 6 and 6√N - 4 at most",
    printed="an algorithm using 6·√N - 6 routing steps at most ... There we needed 6·√N - 4 rss at "
    "most",
    latex=r"6\sqrt N - 6 = 6\sqrt N - 4",
    over=EveryN("N = 2^(2n)"),
    evidence="arithmetic on the two printed formulas",
    control=Control("the second is larger by 3", apart=3),
    amended=Amended(
        "the two numbers differ by 2 for every N. The cited paper [9] states which of them is "
        "right",
        control=Control("they differ by 4", apart=4),
        apart=2,
    ),
    sizes=Sizes(most=6),
)
def earlier(n: int, *, apart: int = 0) -> Finding:
    abstract, section = 6 * (1 << n) - 6, 6 * (1 << n) - 4
    return Finding(section - abstract == apart, abstract=abstract, section_1_2=section)
