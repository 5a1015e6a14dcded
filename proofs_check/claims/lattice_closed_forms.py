"""Closed forms for how many n by n matrices the natural order keeps free of contention.

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
from itertools import combinations
from math import comb, prod


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
