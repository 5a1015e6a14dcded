"""How many n by n matrices the natural order 0, 1, ..., n-1 keeps free of contention.

Free means T_i <= 1 for all i whatever b is, which is rank A_(L_(i+1),L_i) = i for all i. Their
number is N(n) = 2^(n²) (3/4)^(n-1) = 3^(n-1) 2^((n-1)²+1), and half of them are nonsingular:

    n                      1     2      3        4           5
    free                   2    12    288    27648    10616832
    nonsingular            1     6    144    13824     5308416
    occupancy 1 all along  1     4     64     4096     1048576
    free for b = 0         2    14    332    30536    11310992

Proof. Extend a free m by m matrix A by a row r, a column u and a corner c. The new matrix is free
just when rank [A; r] = m. If A is nonsingular, so it is for all r, and for every r and u one of the
two c makes the new matrix nonsingular: 2^(2m) + 2^(2m) extensions. If A is singular, of rank m-1
as it is free, half of the r do, and then the new matrix is nonsingular just when u is not in the
image of A, for half of the u: 2^(2m-1) + 2^(2m-1). With f(m) nonsingular and g(m) singular ones,
f(m+1) = g(m+1) = 2^(2m) f(m) + 2^(2m-1) g(m), and f(1) = g(1) = 1. QED

For one b more matrices have T(A, b) <= 1: a bit with b_i = 0 and row i = e_i does not move, so it
asks for no rank. Say U are the bits of that kind that come where the matrix is singular so far.
Without them, their rows and their columns remains a free matrix of size k = n - |U|; the columns
are 2^(|U|k) free choices. It is singular after its first t rows and columns for a third of the free
ones if 0 < t < k (singular then, it loses half of the next choices), for half of them if t = k. So

    N(n, b) = Σ_U 2^(|U|k) N(k) w(U),   w(U) = Π_t w_t,   U within the zeros of b,

over the numbers t of bits outside U that come before a bit of U, with w_0 = 0, w_k = 1/2, else 1/3.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, prod

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.gf2.vector import GF2Vector
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, Sizes, Stated, claim
from proofs_check.domain import AllMatrices, AllVectors, EveryN
from proofs_check.packed import rank_within, unpack_rows
from proofs_check.stations import by_translation
from proofs_check.walk import most_crowded, set_destination_planes, set_source_planes, walk


def free_matrices(n: int) -> int:
    """N(n): matrices that the natural order keeps free of contention whatever b is.

    >>> [free_matrices(n) for n in range(1, 6)]
    [2, 12, 288, 27648, 10616832]
    """
    count: int = 3 ** (n - 1) << (n - 1) ** 2 + 1
    return count


def free_for_vector(n: int, b: int) -> int:
    """N(n, b): matrices A with T(A, b) <= 1.

    >>> [free_for_vector(n, 0) for n in range(1, 6)]
    [2, 14, 332, 30536, 11310992]
    """
    zeros = [i for i in range(n) if not b >> i & 1]
    total = Fraction(0)
    for u in range(min(len(zeros), n - 1) + 1):
        k = n - u
        for U in combinations(zeros, u):
            after = {i - position for position, i in enumerate(U)}  # bits outside U before each
            weight = prod(
                (Fraction(0) if t == 0 else Fraction(1, 2 if t == k else 3) for t in after),
                start=Fraction(1),
            )
            total += weight * (free_matrices(k) << u * k)
    return int(total)


def free_pairs(n: int) -> int:
    """Pairs (A, b) with T(A, b) <= 1, from k = n - |U| alone.

    Orders of k bits outside U and n - k in U begin with one outside and have k gaps for U; a gap
    that is used weighs 1/3, the last 1/2. A pair has b = 0 on U: 2^k vectors.

    >>> [free_pairs(n) for n in range(1, 6)]
    [4, 52, 2472, 464656, 350596640]
    """
    total = Fraction(0)
    for k in range(1, n + 1):
        u = n - k
        weight = Fraction(0)
        for last in range(u + 1):  # bits of U in the last gap
            rest = u - last
            ways = (
                Fraction(comb(k - 1, gaps) * _compositions(rest, gaps), 3**gaps)
                for gaps in range(k)
            )
            weight += sum(ways, Fraction(0)) / (2 if last else 1)
        total += weight * (free_matrices(k) << k + u * k)
    return int(total)


def _compositions(total: int, parts: int) -> int:
    """Ways to write `total` as an ordered sum of that many positive numbers."""
    if parts == 0:
        return int(total == 0)
    return comb(total - 1, parts - 1) if total else 0


# -- every matrix walked -----------------------------------------------------------------------


STATED = Stated(
    place="The bit-correction lattice",
    over=EveryN("every n, all n by n matrices"),
    sizes=Sizes(limit=5),
)

_COUNTED = (
    "all messages of every matrix walked along 0, 1, ..., n-1 and counted, for every b; from n = 5 "
    "on for b = 0 and b = (1, ..., 1), which have all channels of the others (lattice.translation)"
)


# -- counting ---------------------------------------------------------------------------------


@kernel
def _keeps_free(n: int, rows: Ints, vectors: Ints) -> bool:
    """Whether no channel carries two messages along 0, 1, ..., n-1 for any b in `vectors`."""
    order = np.arange(n)
    planes = np.empty((3, n), np.uint64)
    sets = np.empty(1 << n, np.uint64)
    T = np.empty(n, np.int64)
    set_source_planes(n, planes[0])
    for b in vectors:
        set_destination_planes(n, rows, b, planes[0], planes[1])
        walk(n, order, 0, planes[0], planes[1], planes[2], sets, T)
        for i in range(n):
            if T[i] > 1:
                return False
    return True


@kernel
def _count_free(n: int, vectors: Ints) -> tuple[int, int, int]:
    """(free matrices, those of rank n among them, those of rank n - 1)."""
    everything = (1 << n) - 1
    rows = np.empty(n, np.int64)
    basis = np.empty(n, np.int64)
    free = nonsingular = singular = 0
    for code in range(1 << (n * n)):
        unpack_rows(code, n, rows)
        if _keeps_free(n, rows, vectors):
            free += 1
            rank = rank_within(rows, everything, everything, basis)
            nonsingular += rank == n
            singular += rank == n - 1
    return free, nonsingular, singular


@kernel
def _count_uncrowded(n: int) -> int:
    """How many matrices keep one message in every node all along 0, 1, ..., n-1."""
    rows = np.empty(n, np.int64)
    planes = np.empty((3, n), np.uint64)
    sets = np.empty(1 << n, np.uint64)
    set_source_planes(n, planes[0])
    count = 0
    for code in range(1 << (n * n)):
        unpack_rows(code, n, rows)
        set_destination_planes(n, rows, 0, planes[0], planes[1])
        for k in range(n):
            planes[2, k] = planes[0, k]
        most = 1
        for k in range(n):
            planes[2, k] = planes[1, k]
            if most == 1:
                most = most_crowded(n, planes[2], sets)[1]
        count += most == 1
    return count


@kernel
def _count_extensions(m: int, small: Ints, vectors: Ints) -> tuple[int, int]:
    """(free, nonsingular among them) of the matrices one larger with `small` leading."""
    everything = (2 << m) - 1
    rows = np.empty(m + 1, np.int64)
    basis = np.empty(m + 1, np.int64)
    free = nonsingular = 0
    for column in range(1 << m):
        for k in range(m):
            rows[k] = small[k] | (column >> k & 1) << m
        for last in range(2 << m):
            rows[m] = last
            if _keeps_free(m + 1, rows, vectors):
                free += 1
                nonsingular += rank_within(rows, everything, everything, basis) == m + 1
    return free, nonsingular


def _vectors(n: int) -> Ints:
    """Vectors b that together show every channel's load: see `_COUNTED`."""
    return np.array([0, (1 << n) - 1]) if by_translation(n) else np.arange(1 << n)


@lru_cache(maxsize=8)
def _free(n: int) -> tuple[int, int, int]:
    """`_count_free` for every b: a claim and its control ask for the same count."""
    found: tuple[int, int, int] = _count_free(n, _vectors(n))
    return found


# -- the claims -------------------------------------------------------------------------------


@claim(
    "lattice.count",
    says="the natural order is free of contention for 2^(n²) (3/4)^(n-1) of the n by n matrices",
    latex=r"\#\{A : T_i \le 1 \text{ for all } i\} = 2^{n^2} (3/4)^{n-1}",
    evidence=_COUNTED,
    control=Control("(3/4)^n of them", quarters_less=1),
    reading=(
        "free of contention means T_i(A, b) <= 1 for all i and every b, that is, rank "
        "A_(L_(i+1),L_i) = i for all i"
    ),
    sizes=Sizes(most=5, limit=5),
)
def count(n: int, *, quarters_less: int = 0) -> Finding:
    free, _, _ = _free(n)
    stated = Fraction(free_matrices(n)) * Fraction(3, 4) ** quarters_less
    return Finding(free == stated, counted=free, stated=stated)


@claim(
    "lattice.count.nonsingular",
    says="of the matrices that the natural order keeps free of contention half are nonsingular, "
    "and the others have rank n - 1",
    latex=r"\#\{A \in GL(n,2) : T_i \le 1 \text{ for all } i\} = 2^{n^2-1} (3/4)^{n-1}",
    evidence=f"{_COUNTED}; ranks by elimination",
    control=Control("a third of them", share=3),
)
def count_nonsingular(n: int, *, share: int = 2) -> Finding:
    """f(n) = g(n) in the proof above; rank A >= rank A_(L_n,L_(n-1)) = n - 1."""
    free, nonsingular, singular = _free(n)
    halves = nonsingular * share == free == nonsingular + singular
    return Finding(halves, free=free, rank_n=nonsingular, rank_n_less_1=singular)


@claim(
    "lattice.count.ranks",
    says="T_i(A, b) <= 1 for all i and all b ⇔ the same for b = (1, ..., 1) "
    "⇔ rank A_(L_(i+1),L_i) = i for all i",
    latex=r"T(A,b) \le 1\ \forall b \iff T(A,\mathbf 1) \le 1 "
    r"\iff \operatorname{rank} A_{L_{i+1},L_i} = i\ \forall i",
    over=AllMatrices("A"),
    evidence="all messages walked along 0, 1, ..., n-1 and counted, for every b (n <= 4), else for "
    "b = 0 and b = (1, ..., 1)",
    control=Control("the same for b = 0", vector=0),
    sizes=Sizes(limit=6),
    samples={5: 2000, 6: 500},
)
def count_ranks(A: GF2Matrix, *, vector: int = -1) -> Finding:
    """With b_i = 1 every bit moves, and the load of a step does not depend on b otherwise."""
    n = A.n_columns
    rows = np.array(A.rows)
    ones = (1 << n) - 1
    always = bool(_keeps_free(n, rows, _vectors(n)))
    single = bool(_keeps_free(n, rows, np.array([vector & ones])))
    ranks = [rank_within(rows, (2 << i) - 1, (1 << i) - 1, np.empty_like(rows)) for i in range(n)]
    full = ranks == list(range(n))
    return Finding(always == single == full, every_b=always, one_b=single, ranks=ranks)


@claim(
    "lattice.count.step",
    says="the matrices one larger that are free of contention and have A leading: if A is free and "
    "nonsingular all 2^(2n+1), if free and singular half of them, and half of either are "
    "nonsingular; if A is not free none",
    latex=r"\#\{\text{free extensions of } A\} = 2^{2n+1},\ 2^{2n},\ 0",
    over=AllMatrices("A").described("all matrices A, each with all extensions by a row and column"),
    evidence="all extensions of A walked and counted, for every b (n < 4), else for b = 0 and "
    "b = (1, ..., 1)",
    control=Control("all extensions of a singular one", loss=1),
    sizes=Sizes(most=3, limit=5),
    samples={4: 40, 5: 12},
)
def count_step(A: GF2Matrix, *, loss: int = 2) -> Finding:
    n = A.n_columns
    small = np.array(A.rows)
    free, nonsingular = _count_extensions(n, small, _vectors(n + 1))
    stated = 0
    if _keeps_free(n, small, _vectors(n)):
        stated = 2 << 2 * n if A.is_nonsingular else (2 << 2 * n) // loss
    passed = free == stated and 2 * nonsingular == free
    return Finding(passed, free=free, nonsingular=nonsingular, stated=stated)


@claim(
    "lattice.count.edelman",
    says="along the natural order 2^(n(n-1)) matrices keep occupancy 1: as many as there are "
    "choices of n conditional exchanges",
    latex=r"\#\{A : \operatorname{occupancy} \equiv 1\} = 2^{n(n-1)}",
    evidence="all messages of every matrix walked along 0, 1, ..., n-1 and counted in every node",
    control=Control("2^(n²)", columns=0),
)
def count_uncrowded(n: int, *, columns: int = 1) -> Finding:
    """Every step goes on from a nonsingular matrix, for one of two corners to a nonsingular one."""
    found = _count_uncrowded(n)
    return Finding(found == 1 << n * (n - columns), counted=found)


@claim(
    "lattice.count.vector",
    says="for a given b, T(A, b) <= 1 for Σ_U 2^(|U|k) N(k) w(U) matrices, over the sets U of bits "
    "with b_i = 0, where k = n - |U|, N(k) = 2^(k²) (3/4)^(k-1), and w(U) is the product over the "
    "different numbers t of bits outside U before a bit of U of 0 (t = 0), 1/2 (t = k) or 1/3",
    latex=r"\sum_{U \subseteq \{i : b_i = 0\}} 2^{|U|k} N(k) w(U),\quad k = n - |U|",
    over=AllVectors("b").described("all vectors b, each with all matrices"),
    evidence="all messages of every matrix walked along 0, 1, ..., n-1 and counted",
    control=Control("N(n) for every b", exempts=False),
)
def count_vector(b: GF2Vector, *, exempts: bool = True) -> Finding:
    """U are the bits that do not move where two messages meet; see the proof above."""
    n = len(b)
    counted, _, _ = _count_free(n, np.array([int(b)]))
    stated = free_for_vector(n, int(b)) if exempts else free_matrices(n)
    return Finding(counted == stated, counted=counted, stated=stated)


@claim(
    "lattice.count.pairs",
    says="the number of pairs (A, b) with T(A, b) <= 1 is Σ_k 2^(k+(n-k)k) N(k) W(k, n-k), where "
    "W(k, u) is the coefficient of z^u in (1 + z/(3-3z))^(k-1) (1 + z/(2-2z))",
    latex=r"\sum_{k=1}^n 2^{k+(n-k)k} N(k) [z^{n-k}] "
    r"\left(1+\tfrac{z}{3(1-z)}\right)^{k-1} \left(1+\tfrac{z}{2(1-z)}\right)",
    evidence="all messages of every pair walked along 0, 1, ..., n-1 and counted",
    control=Control("2^n N(n)", exempts=False),
)
def count_pairs(n: int, *, exempts: bool = True) -> Finding:
    counted = sum(_count_free(n, np.array([b]))[0] for b in range(1 << n))
    stated = free_pairs(n) if exempts else free_matrices(n) << n
    return Finding(counted == stated, counted=counted, stated=stated)
