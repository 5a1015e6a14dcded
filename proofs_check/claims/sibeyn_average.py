"""Steps that every routing needs, by distances; and their mean: [sibeyn, section 4].

In one step all data that move go in one common direction. So a permutation needs at least as many
steps to the right as some datum has to go to the right, and the same for left, up and down.

The mean over all affine permutations, exactly. On a square mesh with 2^p columns the column of a
destination is M u + R v + b, u the column and v the row of the source, and (M | R) is any p by 2p
matrix of rank p, each with equally many completions to a nonsingular A. By symmetry the mean is 4
times that of the longest way to the right, max over u and v of (M u + R v + b) - u. That depends
on R by its column space V only, and on M and b modulo V:

    p = 2:  V = 0 (1 space)    V of dimension 1 (3)    V = everything (1)
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

import numpy as np

from lccmodel.gf2.enumeration import random_nonsingular
from lccmodel.kernels.jit import borrowed, kernel
from proofs_check.arrays import Ints
from proofs_check.claim import Control, Finding, claim
from proofs_check.domain import Enumerated
from proofs_check.packed import rank_within

LAST_EXACT = 8
SAMPLES = 2000


def needed_steps(images: Ints) -> int:
    """The steps to the right, left, down and up that some datum needs, summed.

    Args:
        images: the destination of every shuffled row-major number, of shape (2^n,).

    >>> needed_steps(np.array([3, 2, 1, 0]))          # each of 4 processors to the opposite one
    4
    """
    n = len(images).bit_length() - 1
    numbers = np.arange(len(images))
    total = 0
    for axis in (0, 1):
        before, after = _coordinate(numbers, axis, n), _coordinate(images, axis, n)
        ways = after - before
        total += int(ways.max()) - int(ways.min())
    return total


def _coordinate(numbers: Ints, axis: int, n: int) -> Ints:
    bits = range(axis, n, 2)
    return sum(((numbers >> bit & 1) << place for place, bit in enumerate(bits)), 0 * numbers)


@kernel
def _span(p: int, basis: Ints, count: int, members: Ints) -> None:
    """All sums of the first `count` vectors of a basis."""
    members[0] = 0
    for t in range(count):
        for s in range(1 << t):
            members[1 << t | s] = members[s] ^ basis[t]


@kernel
def _longest_ways(
    p: int, basis: Ints, dimension: int, free: Ints, scratch: Ints
) -> tuple[int, int]:
    """(sum, number) over M and b modulo V, with M onto modulo V, of the longest way to the right.

    Args:
        basis: a basis of V in its first `dimension` places.
        free: the unit vectors that complete it, in the other p - dimension places.
        scratch: of shape (2, p).
    """
    size, left = 1 << p, p - dimension
    V, outside = np.empty(1 << dimension, np.int64), np.empty(1 << left, np.int64)
    _span(p, basis, dimension, V)
    _span(p, free, left, outside)
    best = np.empty(1 << left, np.int64)  # the member of each coset of V with the largest number
    for t in range(1 << left):
        best[t] = -1
        for v in V:
            best[t] = max(best[t], outside[t] ^ v)
    total = count = 0
    images = np.empty(size, np.int64)
    columns, reduced = borrowed(scratch)
    for M in range(1 << left * p):  # column j modulo V, as coordinates
        for j in range(p):
            columns[j] = M >> left * j & (1 << left) - 1
        _span(p, columns, p, images)
        if rank_within(columns, size - 1, size - 1, reduced) < left:
            continue
        for b in range(1 << left):
            longest = -size
            for u in range(size):
                longest = max(longest, best[images[u] ^ b] - u)
            total += longest
            count += 1
    return total, count


def _subspaces(p: int) -> Iterator[tuple[list[int], list[int]]]:
    """Every subspace of p bits: a reduced basis, and unit vectors that complete it."""

    def grow(basis: list[int], top: int) -> Iterator[list[int]]:
        yield basis
        for pivot in range(top):  # leading bits descend
            for rest in range(1 << pivot):
                yield from grow([*basis, 1 << pivot | rest], pivot)

    for basis in grow([], p):
        leading = [vector.bit_length() - 1 for vector in basis]
        entries = sum(vector >> lead & 1 for vector in basis for lead in leading)
        if entries == len(basis):  # reduced: at a leading bit no other vector has an entry
            yield basis, [1 << i for i in range(p) if i not in leading]


@lru_cache(maxsize=8)
def mean_needed(n: int) -> Fraction:
    """The mean of `needed_steps` over all affine permutations of 2^n processors, n even.

    >>> mean_needed(2)
    Fraction(10, 3)
    """
    p = n // 2
    total = count = 0
    scratch = np.empty((2, p), np.int64)
    for basis, free in _subspaces(p):
        r = len(basis)
        padded = np.array([*basis, *[0] * (p - r)], np.int64)
        completing = np.array([*free, *[0] * r], np.int64)
        ways, pairs = _longest_ways(p, padded, r, completing, scratch)
        onto = 1
        for i in range(r):
            onto *= (1 << p) - (1 << i)  # matrices R with column space V
        lifts = onto << r * p + r  # M and b from their classes
        total += int(ways) * lifts
        count += int(pairs) * lifts
    rank_p = 1
    for i in range(p):
        rank_p *= (1 << 2 * p) - (1 << i)
    if count != rank_p << p:
        raise AssertionError(f"{count} cases instead of {rank_p << p}")
    return 4 * Fraction(total, count)


@lru_cache(maxsize=8)
def sampled_needed(n: int) -> Fraction:
    """The same over seeded random permutations."""
    rng = np.random.default_rng(n)
    numbers = np.arange(1 << n)
    total = 0
    for _ in range(SAMPLES):
        A = random_nonsingular(n, rng)
        images = np.full(1 << n, int(rng.integers(1 << n)))
        for j, column in enumerate(A.columns):
            images ^= (numbers >> j & 1) * column
        total += needed_steps(images)
    return Fraction(total, SAMPLES)


@claim(
    "sibeyn.average",
    place="Section 4",
    says="on the average an affine permutation needs more than 4√N - 16 steps, so that the routing "
    "is O(1) from optimal",
    latex=r"> 4 \sqrt N - 16",
    over=Enumerated(
        lambda n: [(n, "all" if n <= LAST_EXACT else f"{SAMPLES} random ones")],
        size=lambda n: 1,
        names="n, permutations",
        text="the mean over all affine permutations for n = 2, 4, 6, 8, over random ones for n = "
        "10, 12",
        dimensions=(2, 4, 6, 8, 10, 12),
    ),
    evidence="the distances that some datum has to go right, left, down and up, summed; the mean",
    control=Control("more than 4√N - 6 steps", less=6),
)
def average(n: int, permutations: str, *, less: int = 16) -> Finding:
    mean = mean_needed(n) if permutations == "all" else sampled_needed(n)
    routed = 4 * 2 ** (n // 2) - 4
    return Finding(mean > routed + 4 - less, mean=mean, below_4_sqrt_N_less_4=float(routed - mean))
