"""Every nonsingular matrix of a size, by its index.

A check over all of them is worth as much as the enumeration behind it, which knows how many it
owes by a formula that does not enumerate, |GL(n, 2)| = prod_(i<n) (2^n - 2^i), and raises
`CountError` when it does not get there.

The index of an n by n matrix packs its rows: bits n i .. n i + n - 1 are row i.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lccmodel._arguments import typed_arguments
from lccmodel._arrays import Ints
from lccmodel.errors import InputError, SizeLimitError, checked_array

_MAX_COUNTED = 4096
_MAX_INDEXED = 7  # 2^49 indices fit int64, 2^64 would not


class CountError(RuntimeError):
    """An enumeration did not produce as many values as there are: a bug, not bad input."""


@typed_arguments
def general_linear_order(n: int) -> int:
    """|GL(n, 2)|, the number of nonsingular n by n matrices over GF(2).

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
    found: Ints = np.concatenate(parts)
    owed = general_linear_order(n)
    if len(found) != owed:
        raise CountError(f"an enumeration produced {len(found)} values where there are {owed}")
    return found


def check_dimension(n: int, limit: int, reason: str) -> None:
    """Refuse an n that is not in 1..limit, with the reason of the limit."""
    if n < 1:
        raise InputError("n", "must be at least 1", n)
    if n > limit:
        raise SizeLimitError("n", f"at most {limit}: {reason}", n)
