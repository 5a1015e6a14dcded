"""What the claims on the Origin 2000 rest on: domains by rank, meeting messages, displacements.

[hou, section 7]: bit 0 picks one of the two nodes of a router, channels exist for bits 1..n-1
only, and the messages of both nodes share them. With e-cube routing, when bit i is corrected next,
messages x and x + v of y = Ax + b stand in one router and both or neither cross, just when

    v lies in the bits 0..i-1  and  Av has none of the bits 1..i.

The number of such v is 2^(i - rank B_(L_i,L_i)) with B = A without row 0, which is how the ranks
of the lemmas are counted here. Contention is never taken from it: messages are walked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from lccmodel._jit import kernel, lowest_bit
from lccmodel.errors import SizeLimitError
from proofs_check.arrays import Degrees, Ints
from proofs_check.census import Census, number_of_all
from proofs_check.domain import AllMatrices
from proofs_check.orbits import least_over_orbit, matrix_orbits
from proofs_check.packed import unpack_rows

_MAX_MATRIX = 5


class OfRank(AllMatrices):
    """Every n by n matrix whose rank is in `ranks_of(n)`, the identity left out on demand.

    >>> OfRank("A", lambda n: range(n - 1), "rank A ≤ n-2").size(3)      # zero, 49 of rank 1
    50
    """

    def __init__(
        self,
        name: str,
        ranks_of: Callable[[int], Sequence[int]],
        text: str,
        *,
        without_identity: bool = False,
    ) -> None:
        super().__init__(name)
        self.ranks_of, self.without_identity = ranks_of, without_identity
        self.text = f"all {name} with {text}"

    def fingerprint(self) -> str:
        return f"{super().fingerprint()} {self.without_identity}"

    def code(self) -> tuple[object, ...]:
        return (type(self), self.ranks_of)

    def size(self, n: int) -> int:
        """Sum over r of the number of matrices of rank r, prod (2^n - 2^i)² / (2^r - 2^i)."""
        count = 0
        for r in self.ranks_of(n):
            frames = math.prod((1 << n) - (1 << i) for i in range(r))
            count += frames * frames // math.prod((1 << r) - (1 << i) for i in range(r))
        return count - self.without_identity

    def ranks_kept(self, n: int) -> tuple[int, int]:
        kept = self.ranks_of(n)
        return min(kept, default=n + 1), max(kept, default=-1)

    def code_left_out(self, n: int) -> int:
        return sum(1 << i + n * (n - 1 - i) for i in range(n)) if self.without_identity else -1

    def _keeps(self, rows: Sequence[int], n: int) -> bool:
        identity = self.without_identity and all(row == 1 << i for i, row in enumerate(rows))
        return not identity and super()._keeps(rows, n)


# -- messages that share a router, counted ------------------------------------------------


@kernel
def count_together(n: int, rows: Ints, images: Ints, counts: Ints) -> int:
    """counts[i] = how many v in bits 0..i-1 have no bit 1..i in Av; returns the largest.

    That is 2^(i - rank B_(L_i,L_i)). `images` is scratch of length 2^(n-1), `counts` has n
    entries; counts[0] = 1 stands for the dimension that is no channel.
    """
    counts[:] = 1
    images[0] = 0
    top = 0  # the highest bit of v
    for v in range(1, 1 << (n - 1)):
        if v >> (top + 1):
            top += 1
        j = lowest_bit(np.uint64(v))
        column = 0
        for i in range(n):
            column |= (rows[i] >> j & 1) << i
        image = images[v & (v - 1)] ^ column
        images[v] = image
        for i in range(top + 1, n):
            if image & ((2 << i) - 2):
                break
            counts[i] += 1
    return int(counts.max())


@kernel
def _fill_together(n: int, largest: Degrees) -> None:
    rows, counts = np.empty(n, np.int64), np.empty(n, np.int64)
    images = np.empty(1 << (n - 1), np.int64)
    for code in range(largest.size):
        unpack_rows(code, n, rows)
        largest[code] = count_together(n, rows, images, counts)


@kernel
def vanishing_sums(n: int, rows: Ints, sums: Ints) -> int:
    """sums[c] = the sum of the rows in the mask c; returns how many are zero, 2^(n - rank)."""
    sums[0] = 0
    zeros = 1
    for i in range(n):
        for c in range(1 << i):
            sums[c | 1 << i] = sums[c] ^ rows[i]
            zeros += sums[c | 1 << i] == 0
    return zeros


@lru_cache(maxsize=8)
def together(n: int) -> Degrees:
    """Largest 2^(i - rank B_(L_i,L_i)), i = 1..n-1, of every matrix; int8 of shape (2^(n²),).

    Raises:
        SizeLimitError: n > 5.
    """
    if n > _MAX_MATRIX:
        raise SizeLimitError("n", f"all matrices are tabulated up to n = {_MAX_MATRIX}", n)
    largest = np.zeros(1 << n * n, dtype=np.int8)
    _fill_together(n, largest)
    largest.flags.writeable = False
    return largest


@lru_cache(maxsize=8)
def least_together(n: int) -> Degrees:
    """The least over all nonsingular Q of the largest 2^(i - rank B_(L_i,L_i)); n <= 5."""
    return least_over_orbit(matrix_orbits(n), together(n))


# -- displacements ------------------------------------------------------------------------


@lru_cache(maxsize=8)
def sole_displacement(n: int) -> Degrees:
    """For every pair the v with all x + y in {0, v}; 0 if nothing moves, -1 if there is no v.

    >>> sole_displacement(1).tolist()
    [1, 1, 0, 1]
    """

    def sole(census: Census) -> Ints:
        moves = census.images ^ np.arange(1 << n)
        line = moves.max(axis=1, keepdims=True)
        return np.where(((moves == 0) | (moves == line)).all(axis=1), line[:, 0], -1)

    return number_of_all(n, sole)
