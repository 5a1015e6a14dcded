"""Uniform random matrices over GF(2): any, of a given rank, nonsingular.

Uniform means that every matrix of the kind is equally likely; the docstrings say why. The random
generator is always the caller's, so that a seed fixes every sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.gf2 import elimination
from lccmodel.gf2.enumeration import check_dimension
from lccmodel.gf2.matrix import MAX_DIMENSION, GF2Matrix

_MAX_ROWS = 1 << 28


@typed_arguments
def random_matrices(
    count: int, n: int, rng: np.random.Generator, n_rows: int | None = None
) -> npt.NDArray[Any]:
    """Uniform random matrices as packed rows, for `lccmodel.gf2.batch`.

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
    """A uniform random n by n matrix, of a given rank if `rank` is not None.

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
    """A uniform random nonsingular n by n matrix.

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
        if elimination.combination(vectors, draw) is None:
            vectors.append(draw)
    return vectors
