"""Representatives of all n by n matrices under renaming of nodes.

A renaming x' = Qx turns A into QAQ⁻¹ [hou, Theorem 2]. What does not depend on the names, such as
the least contention over all reorderings, is the same on a whole orbit, so a check over all
matrices may visit one matrix of each orbit and count it as often as the orbit is large:

    renamings                  orbits for n = 1, 2, 3, 4, 5
    permutation matrices Q     2, 10, 104, 3044, 291968     n! times fewer, nearly
    nonsingular matrices Q     2, 6, 14, 34, 74

The orbits are found by walking from every matrix along two generators of the group. Their
number has to agree with a formula that does not enumerate: Burnside's lemma for permutations; for
nonsingular Q the coefficient of t^n in prod_k 1 / (1 - 2 t^k), which counts the rational
canonical forms.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lccmodel.gf2.enumeration import CountError, check_dimension
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints
from lccmodel.ground.views import Viewed
from lccmodel.kernels.jit import kernel

_MAX_DIMENSION = 5


@dataclass(frozen=True, eq=False)
class Orbits(Viewed, view="orbits"):
    """Orbits of all n by n matrices: the least index of each, ascending, and its size.

    `representatives` and `sizes` are int64 arrays of one length; the sizes sum to 2^(n²).

    >>> from lccmodel.gf2 import linear_orbits
    >>> orbits = linear_orbits(2)
    >>> orbits.representatives.tolist(), orbits.sizes.tolist()
    ([0, 1, 2, 6, 7, 9], [1, 6, 3, 3, 2, 1])
    """

    n: int
    representatives: Ints
    sizes: Ints

    def __len__(self) -> int:
        return len(self.representatives)


@typed_arguments
def reordering_orbits(n: int) -> Orbits:
    """Return the orbits of n by n matrices under A -> QAQ⁻¹, Q a permutation, n <= 5.

    n = 5 takes a few seconds and 300 MB.

    Raises:
        InputError: n < 1. SizeLimitError: n > 5, where 2^36 matrices would be marked.

    >>> orbits = reordering_orbits(2)
    >>> len(orbits), orbits.sizes.tolist()
    (10, [1, 2, 2, 2, 2, 1, 2, 1, 2, 1])
    """
    _check_dimension(n)
    swap = GF2Matrix.from_order([1, 0, *range(2, n)]) if n > 1 else GF2Matrix.identity(1)
    return _orbits(n, (swap, _cycle(n)), reordering_orbit_count(n))


@typed_arguments
def linear_orbits(n: int) -> Orbits:
    """Return the orbits of n by n matrices under A -> QAQ⁻¹ with nonsingular Q, n <= 5.

    n = 5 takes some ten seconds and 300 MB.

    Raises:
        InputError: n < 1. SizeLimitError: n > 5, where 2^36 matrices would be marked.

    >>> linear_orbits(2).sizes.tolist()
    [1, 6, 3, 3, 2, 1]
    """
    _check_dimension(n)
    rows = [1 << k for k in range(n)]
    if n > 1:
        rows[0] |= 1 << 1  # a transvection; its conjugates and their commutators are all others
    return _orbits(n, (GF2Matrix.from_rows(rows, n), _cycle(n)), linear_orbit_count(n))


def reordering_orbit_count(n: int) -> int:
    """Number of orbits under permutations, by Burnside's lemma over cycle types; any n >= 1.

    A permutation with cycles of lengths l_1, l_2, ... fixes 2^(sum_ab gcd(l_a, l_b)) matrices.

    >>> [reordering_orbit_count(n) for n in range(1, 6)]
    [2, 10, 104, 3044, 291968]
    """
    total = 0
    for cycles in _partitions(n, n):
        centralizer = math.prod(
            length**times * math.factorial(times) for length, times in Counter(cycles).items()
        )
        fixed = 1 << sum(math.gcd(a, b) for a in cycles for b in cycles)
        total += math.factorial(n) // centralizer * fixed
    return total // math.factorial(n)


def linear_orbit_count(n: int) -> int:
    """Number of similarity classes of n by n matrices over GF(2); any n >= 0.

    The coefficient of t^n in prod_(k >= 1) 1 / (1 - 2 t^k): partitions of n, weighted 2 to the
    number of parts.

    >>> [linear_orbit_count(n) for n in range(1, 6)]
    [2, 6, 14, 34, 74]
    """
    return sum(1 << len(parts) for parts in _partitions(n, n))


def _partitions(n: int, largest: int) -> Iterator[tuple[int, ...]]:
    if not n:
        yield ()
    for part in range(min(n, largest), 0, -1):
        for rest in _partitions(n - part, part):
            yield (part, *rest)


def _cycle(n: int) -> GF2Matrix:
    return GF2Matrix.from_order([*range(1, n), 0])


def _orbits(n: int, generators: Sequence[GF2Matrix], expected: int) -> Orbits:
    size = 1 << (n * n)
    left = np.array([G.rows for G in generators], dtype=np.int64).reshape(-1, n)
    # right[g, r]: the packed row r times the inverse of generator g
    right = np.array(
        [[G.inverse().T.apply(r) for r in range(1 << n)] for G in generators], dtype=np.int64
    ).reshape(-1, 1 << n)
    representatives = np.empty(expected + 1, dtype=np.int64)
    sizes = np.empty(expected + 1, dtype=np.int64)
    count = _walk(n, left, right, np.zeros(size, dtype=np.bool_), representatives, sizes)
    if count != expected or sizes[:count].sum() != size:
        raise CountError(f"found {count} orbits of {n} by {n} matrices, there are {expected}")
    return Orbits(n, representatives[:count].copy(), sizes[:count].copy())


@kernel
def _walk(
    n: int,
    left: Ints,
    right: Ints,
    seen: npt.NDArray[np.bool_],
    representatives: Ints,
    sizes: Ints,
) -> int:
    """Visit the orbit of every index not yet seen; returns how many, at most one too many."""
    mask = (1 << n) - 1
    stack = np.empty(1 << 10, dtype=np.int64)
    count = 0
    for index in range(len(seen)):
        if seen[index]:
            continue
        if count == len(sizes):
            return count
        seen[index] = True
        stack[0] = index
        depth, size = 1, 0
        while depth:
            depth -= 1
            size += 1
            old = stack[depth]
            for g in range(len(left)):
                new = 0
                for i in range(n):
                    row = 0
                    for k in range(n):
                        if (left[g, i] >> k) & 1:
                            row ^= right[g, (old >> (n * k)) & mask]
                    new |= row << (n * i)
                if not seen[new]:
                    seen[new] = True
                    if depth == len(stack):
                        stack = np.concatenate((stack, np.empty_like(stack)))
                    stack[depth] = new
                    depth += 1
        representatives[count] = index
        sizes[count] = size
        count += 1
    return count


def _check_dimension(n: int) -> None:
    reason = "beyond it 2^(n²) matrices cannot be marked in memory"
    check_dimension(n, _MAX_DIMENSION, reason)
