"""Orbits of the general linear group: minima over all nonsingular Q without trying every Q.

The communications that linear mappings make of (A, b) are the pairs (QAQ⁻¹, Qb): the orbit of
(A, b) under GL(n,2). A quantity of the mapped communication therefore has its minimum over all Q
at a member of the orbit, and one table of that quantity for all pairs, with the orbit of each,
settles every pair with every Q: 2^20 walks at n = 4 instead of 2^20 · 20160.

Orbits are found by searching along generators, the transvections Q = I + e_i e_jᵗ with
|i - j| = 1, which generate GL(n,2). A transvection is its own inverse: QAQ⁻¹ has row j added to
row i, then column i added to column j.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import SizeLimitError
from lccmodel.kernels.jit import kernel
from proofs_check.arrays import Degrees
from proofs_check.census import walked_degrees

MAX_BITS = 25
"""A table of 2^25 labels fills 128 MiB: matrices up to n = 5, pairs up to n = 4."""

Labels = npt.NDArray[np.int32]

MINIMUM = (
    "T counted on walked paths for every pair; its minimum over all Q taken over the orbit of the "
    "pair under GL(n,2)"
)
"""The evidence of claims that ask `least_by_mapping`."""


@kernel
def _search(n: int, vector_bits: int, labels: Labels, stack: Labels) -> None:
    """Label every index with the least index of its orbit."""
    row_mask = (1 << n) - 1
    columns = 0  # bit 0 of every row
    for i in range(n):
        columns |= 1 << (n * i)
    for seed in range(labels.size):
        if labels[seed] >= 0:
            continue
        labels[seed] = seed
        stack[0] = seed
        height = 1
        while height:
            height -= 1
            code, b = stack[height] >> vector_bits, stack[height] & ((1 << vector_bits) - 1)
            for generator in range(2 * (n - 1)):
                i = generator >> 1
                j = i + 1
                if generator & 1:
                    i, j = j, i
                row_j = code >> (n * (n - 1 - j)) & row_mask
                image = code ^ row_j << (n * (n - 1 - i))
                image ^= (image >> i & columns) << j
                moved = b ^ ((b >> j & 1) << i)
                index = image << vector_bits | moved
                if labels[index] < 0:
                    labels[index] = seed
                    stack[height] = index
                    height += 1


@lru_cache(maxsize=4)
def _labels(n: int, vector_bits: int) -> Labels:
    bits = n * n + vector_bits
    if bits > MAX_BITS:
        raise SizeLimitError("n", f"orbits are tabulated up to 2^{MAX_BITS} indices", n)
    labels = np.full(1 << bits, -1, dtype=np.int32)
    _search(n, vector_bits, labels, np.empty(1 << bits, dtype=np.int32))
    labels.flags.writeable = False
    return labels


def matrix_orbits(n: int) -> Labels:
    """For every matrix index the least index of a matrix QAQ⁻¹; int32 of shape (2^(n²),), n <= 5.

    Raises:
        SizeLimitError: n > 5.

    >>> len(np.unique(matrix_orbits(3)))        # similarity classes: q³ + q² + q for q = 2
    14
    """
    return _labels(n, 0)


def pair_orbits(n: int) -> Labels:
    """For every index of a pair (A, b) the least index of a pair (QAQ⁻¹, Qb); n <= 4.

    Raises:
        SizeLimitError: n > 4.

    >>> pair_orbits(1).tolist()
    [0, 1, 2, 3]
    """
    return _labels(n, n)


def least_over_orbit(orbits: Labels, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """For every index the least of `values` in its orbit: the minimum over all nonsingular Q.

    >>> least_over_orbit(np.array([0, 0, 2], dtype=np.int32), np.array([5, 3, 7]))
    array([3, 3, 7])
    """
    least = np.full(len(values), np.iinfo(values.dtype).max, dtype=values.dtype)
    np.minimum.at(least, orbits, values)
    return np.asarray(least[orbits])


@lru_cache(maxsize=8)
def least_by_mapping(n: int, *, scatter: bool = False, blind: int = 0) -> Degrees:
    """The least walked T(QAQ⁻¹, Qb) over all nonsingular Q, for every pair; n <= 4.

    >>> least_by_mapping(1).tolist()
    [1, 1, 0, 1]
    """
    return least_over_orbit(pair_orbits(n), walked_degrees(n, scatter=scatter, blind=blind))
