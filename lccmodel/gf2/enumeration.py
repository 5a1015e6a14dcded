"""Every nonsingular matrix of a size, by its index; and uniform random matrices.

A check over all of them is worth as much as the enumeration behind it, which knows how many it
owes by a formula that does not enumerate, |GL(n, 2)| = prod_(i<n) (2^n - 2^i), and raises
`CountError` when it does not get there. The index of an n by n matrix packs its rows: bits
n i .. n i + n - 1 are row i.

Random and uniform means that every matrix of the kind is equally likely; the docstrings say why.
The random generator is always the caller's, so that a seed fixes every sample.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, SizeLimitError, checked_array, checked_integer
from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Ints

_MAX_COUNTED = 4096
_MAX_INDEXED = 7  # 2^49 indices fit int64, 2^64 would not


class CountError(RuntimeError):
    """An enumeration did not produce as many values as there are: a bug, not bad input."""


@typed_arguments
def general_linear_order(n: int) -> int:
    """Return |GL(n, 2)|, the number of nonsingular n by n matrices over GF(2).

    Raises:
        InputError: n is negative.
        SizeLimitError: n > 4096.

    >>> [general_linear_order(n) for n in range(1, 6)]
    [1, 6, 168, 20160, 9999360]
    """
    if n < 0:
        raise InputError("n", "must not be negative", n)
    if n > _MAX_COUNTED:
        raise SizeLimitError("n", f"at most {_MAX_COUNTED}, for the length of the count", n)
    return math.prod((1 << n) - (1 << i) for i in range(n))


def unpack(indices: npt.ArrayLike, n: int) -> npt.NDArray[np.uint8]:
    """The packed rows of the n by n matrices with these indices, n <= 7.

    Args:
        indices: integer array of shape (...).

    Returns: uint8 array of shape (..., n).

    Raises:
        InputError: an index is not in 0..2^(n²) - 1, or n < 1.
        SizeLimitError: n > 7.

    >>> unpack([14, 9], 2)
    array([[2, 3],
           [1, 2]], dtype=uint8)
    """
    check_dimension(n, _MAX_INDEXED, "an index must fit int64")
    rule = f"must be integers in 0..2^{n * n} - 1"
    array = checked_array("indices", indices, rule)
    if array.size and (array.min() < 0 or array.max() >= 1 << (n * n)):
        raise InputError("indices", rule, indices)
    shifts = np.arange(0, n * n, n, dtype=np.int64)
    rows = (array[..., np.newaxis] >> shifts) & ((1 << n) - 1)
    return rows.astype(np.uint8)


def nonsingular_indices(n: int) -> Ints:
    """Indices of all nonsingular n by n matrices, ascending; n <= 5.

    Returns: int64 array of shape (|GL(n, 2)|,); 9999360 of them for n = 5.

    Raises:
        InputError: n < 1.
        SizeLimitError: n > 5 (2 * 10^10 matrices for n = 6).

    >>> nonsingular_indices(2)
    array([ 6,  7,  9, 11, 13, 14])
    """
    from lccmodel.gf2 import batch  # compiles kernels

    check_dimension(n, 5, "for n = 6 there are 2 * 10^10 of them")
    step = 1 << 22
    size = 1 << (n * n)
    parts = [
        np.flatnonzero(batch.ranks_of_all(n, base, min(size, base + step)) == n) + base
        for base in range(0, size, step)
    ]
    indices: Ints = np.concatenate(parts)
    owed = general_linear_order(n)
    if len(indices) != owed:
        raise CountError(f"an enumeration produced {len(indices)} values where there are {owed}")
    return indices


def check_dimension(n: int, limit: int, reason: str) -> None:
    """Refuse an n that is not in 1..limit, with the reason of the limit."""
    if n < 1:
        raise InputError("n", "must be at least 1", n)
    if n > limit:
        raise SizeLimitError("n", f"at most {limit}: {reason}", n)


_MAX_ROWS = 1 << 28


@typed_arguments
def random_matrices(
    count: int, n: int, rng: np.random.Generator, n_rows: int | None = None
) -> npt.NDArray[Any]:
    """Return uniform random matrices as packed rows, for `lccmodel.gf2.batch`.

    Args:
        n: number of columns, 1..64, and of rows unless `n_rows` is given.

    Returns: array of shape (count, n_rows) of the smallest unsigned dtype that holds n bits.

    Raises:
        InputError: n is not in 1..64, or the sizes are negative.
        SizeLimitError: more than 2^28 rows together.

    >>> random_matrices(2, 5, np.random.default_rng(0)).dtype
    dtype('uint8')
    """
    check_dimension(n, MAX_DIMENSION, "a row must fit one machine word")
    width = next(bits for bits in (8, 16, 32, 64) if bits >= n)
    shape = (count, n if n_rows is None else n_rows)
    for name, value in zip(("count", "n_rows"), shape, strict=True):
        if not 0 <= checked_integer(name, value) <= _MAX_ROWS:
            raise SizeLimitError(name, f"must be in 0..{_MAX_ROWS}", value)
    if shape[0] * shape[1] > _MAX_ROWS:
        raise SizeLimitError("count", f"at most {_MAX_ROWS} rows together", shape)
    top = (1 << n) - 1
    return rng.integers(0, top, size=shape, dtype=np.dtype(f"u{width // 8}"), endpoint=True)


@typed_arguments
def random_matrix(n: int, rng: np.random.Generator, rank: int | None = None) -> GF2Matrix:
    """Return a uniform random n by n matrix, of a given rank if `rank` is not None.

    Of rank r: the product of a random n by r matrix of independent columns and a random r by n
    matrix of independent rows. Each matrix of rank r is such a product in exactly |GL(r, 2)|
    ways (insert G G⁻¹), so a uniform pair gives a uniform product.

    Raises:
        InputError: n < 1, or the rank is not in 0..n.
        SizeLimitError: n > 64.

    >>> random_matrix(6, np.random.default_rng(0), rank=4).rank
    4
    """
    check_dimension(n, MAX_DIMENSION, "a row must fit one machine word")
    if rank is None:
        return GF2Matrix.from_rows((int(row) for row in random_matrices(1, n, rng)[0]), n)
    if not 0 <= rank <= n:
        raise InputError("rank", f"must be in 0..{n}", rank)
    columns = GF2Matrix.from_rows(_random_independent(n, rank, rng), n)
    rows = GF2Matrix.from_rows(_random_independent(n, rank, rng), n)
    return columns.T @ rows if rank else GF2Matrix.zeros(n)


@typed_arguments
def random_nonsingular(n: int, rng: np.random.Generator) -> GF2Matrix:
    """Return a uniform random nonsingular n by n matrix.

    Its rows are drawn one after another, each uniform among the vectors outside the span of the
    earlier ones. There are 2^n - 2^i of these whatever the earlier rows are, so every
    nonsingular matrix is equally likely.

    Raises:
        InputError: n < 1. SizeLimitError: n > 64.

    >>> random_nonsingular(64, np.random.default_rng(0)).is_nonsingular
    True
    """
    check_dimension(n, MAX_DIMENSION, "a row must fit one machine word")
    return GF2Matrix.from_rows(_random_independent(n, n, rng), n)


def _random_independent(n: int, count: int, rng: np.random.Generator) -> list[int]:
    """A uniform sequence of `count` independent vectors; a draw is kept half the time or more."""
    vectors: list[int] = []
    while len(vectors) < count:
        draw = int(random_matrices(1, n, rng, 1)[0, 0])
        if elimination.rank([*vectors, draw]) > len(vectors):
            vectors.append(draw)
    return vectors
