"""What the two algorithms of [hou] cost: O(n³) for LCP_Optimizer, O(m n⁴ 2ⁿ) for the program.

Entries of matrices that are read, compared or written are counted in a run. The result of the
first is checked by the ranks that Theorem 4 asks for, by elimination on integers.
"""

from __future__ import annotations

from itertools import combinations

from lccmodel.gf2.elimination import rank
from proofs_check.claim import Control, Finding, Sizes, claim
from proofs_check.claims.sibeyn_costs import random_nonsingular
from proofs_check.domain import EveryN

_SAMPLES = 3
Bits = list[list[int]]


def _swap(rows: Bits, i: int, j: int, columns: bool) -> int:
    """Exchange rows i and j (and columns); the entries that are handled."""
    rows[i], rows[j] = rows[j], rows[i]
    if columns:
        for row in rows:
            row[i], row[j] = row[j], row[i]
    return 2 * len(rows) * (2 if columns else 1)


def optimizer(matrix: tuple[tuple[int, ...], ...]) -> tuple[Bits, int]:
    """Fig. 3 as printed, without b: (D, the entries that are handled).

    >>> optimizer(((0, 0, 1), (0, 1, 0), (1, 0, 0)))[0]
    [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    """
    n = len(matrix)
    D, V = [list(row) for row in matrix], [list(row) for row in matrix]
    Q, R, count = [[int(i == j) for j in range(n)] for i in range(n)], [0] * n, 2 * n * n
    for i in range(n - 1):
        j = next(j for j in range(n) if V[j][i] and not R[j])
        count += 2 * (j + 1)
        if j > i + 1:
            count += _swap(D, i + 1, j, True) + _swap(V, i + 1, j, True) + _swap(Q, i + 1, j, False)
            R[i + 1], R[j] = R[j], R[i + 1]
            count += 2
            j = i + 1
        for k in range(n):
            count += 1
            if k != j and V[k][i]:
                V[k] = [x ^ y for x, y in zip(V[k], V[j], strict=True)]
                count += n
        R[j] = 1
    return D, count


def _full(D: Bits) -> bool:
    """rank D_(L_(i+1),L_i) = i for all i."""
    n = len(D)
    return all(
        rank([sum(D[r][c] << c for c in range(i)) for r in range(i + 1)]) == i for i in range(n)
    )


@claim(
    "hou.fig3.cost",
    place="Section 4, text on Fig. 3",
    says="LCP_Optimizer takes O(n³) time: at most n³ + 15n² entries handled",
    printed="Since each row or column operation takes O(n) execution time, the complexity of "
    "LCP_Optimizer can be proved to be O(n³).",
    latex=r"O(n^3)",
    over=EveryN(f"the n, each with {_SAMPLES} random nonsingular matrices"),
    evidence="the algorithm run, every entry that is read, compared or written counted; its result "
    "checked by ranks",
    control=Control("15n² entries handled", cubic=0),
    sizes=Sizes(most=40, limit=64),
)
def fig3_cost(n: int, *, cubic: int = 1) -> Finding:
    runs = [optimizer(random_nonsingular(n, seed)) for seed in range(_SAMPLES)]
    most = max(count for _, count in runs)
    return Finding(
        most <= cubic * n**3 + 15 * n * n and all(_full(D) for D, _ in runs), entries=most
    )


def _eliminated(rows: Bits) -> int:
    """The entries that an elimination handles."""
    rows, count, found = [list(row) for row in rows], 0, 0
    for c in range(len(rows[0]) if rows else 0):
        count += len(rows) - found
        pivot = next((r for r in range(found, len(rows)) if rows[r][c]), None)
        if pivot is None:
            continue
        rows[found], rows[pivot] = rows[pivot], rows[found]
        for r in range(found + 1, len(rows)):
            if rows[r][c]:
                rows[r] = [x ^ y for x, y in zip(rows[r], rows[found], strict=True)]
                count += len(rows[r])
        found += 1
    return count


@claim(
    "hou.thm6.cost",
    place="Section 5, after Theorem 6",
    says="the program takes O(m n⁴ 2ⁿ) time for m communications: at most m n⁴ 2ⁿ entries "
    "handled, with an elimination for every search",
    printed="Since the running time for computing each case in the search space is O(m × n³), the "
    "running time for computing R(L_n) is O(m × n⁴ × 2ⁿ).",
    latex=r"O(m\, n^4\, 2^n)",
    over=EveryN("the n; m = 1, 2, 3 random nonsingular matrices"),
    evidence="for every set and every last bit the elimination of every matrix run, its entries "
    "counted",
    control=Control("m n² 2ⁿ", power=2),
    sizes=Sizes(most=9, limit=12),
)
def thm6_cost(n: int, *, power: int = 4) -> Finding:
    """[hou, section 5] n·2^(n-1) searches, each of m ranks."""
    counts = []
    for seed in range(3):
        matrix = random_nonsingular(n, seed)
        count = 0
        for size in range(1, n + 1):
            for chosen in combinations(range(n), size):
                for last in chosen:
                    rest = [c for c in chosen if c != last]
                    count += _eliminated([[matrix[r][c] for c in rest] for r in chosen]) + 1
        counts.append(count)
    ok = all(sum(counts[:m]) <= m * n**power << n for m in (1, 2, 3))
    return Finding(ok, entries=counts)
