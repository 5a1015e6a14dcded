"""How many permutations are partitioned: formula (3) of [boppana]; all listed, or drawn evenly.

    |PLC_n| = sum over k = 1..n of |LC'_k| |PLC_(n-k)|^(2^k),   |PLC_0| = 1            (3)

A permutation has one least division, so (3) counts each once when LC'_k are the linear-complement
permutations of k bits that no j < k divides. The paper's LC'_k are those whose matrix is not
block-diagonal; more matrices, since [[1, 0], [1, 1]] is divided but not block-diagonal. With them
(3) counts the permutations of such matrices several times:

    n                     1    2     3         4
    LC' not divided       2   24  2432  17678336     the size of PLC_n
    LC' not diagonal      2   28  2728  19103184     more than it; for n = 2 there are but 4! = 24

(3) counts every permutation once, so drawing k with the weight of its term, then an outer
permutation of LC'_k and 2^k inner ones evenly, draws evenly from PLC_n. A matrix of LC'_k is drawn
by trying random ones: at least 0.2 of all are nonsingular and undivided.
"""

from __future__ import annotations

import itertools
import random
from functools import cache
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, SizeLimitError, checked_integer
from lccmodel.gf2 import elimination
from lccmodel.gf2.enumeration import general_linear_order
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import LongWords
from lccmodel.ground.words import checked_word
from lccmodel.permutations.partitioned.tree import PartitionTree, is_block_diagonal, is_divided

BLOCKS = ("triangular", "diagonal")
"""What the matrices of LC' must not be in blocks; the paper prints the second."""

MAX_COUNTED = 20
"""Address bits up to which |PLC_n| is counted; it has about 1.6 · 2^n binary digits."""

_MAX_COUNTED = 4096

MAX_LISTED = 4
"""Address bits up to which PLC_n is listed: 17 678 336 permutations."""


@typed_arguments
def count_undivided(k: int, blocks: str = "triangular") -> int:
    """|LC'_k|: linear-complement permutations of k bits whose matrix has no two blocks.

    A matrix has one first block (its least division), so the undivided ones are what is left of
    LIN_k; below the diagonal a triangular matrix is free.

    Args:
        k: number of bits.
        blocks: "triangular" for the matrices that no j < k divides, "diagonal" as printed.

    Raises:
        InputError: k is negative, or other blocks.

    >>> [count_undivided(k) for k in range(5)]
    [1, 2, 16, 1024, 278528]
    >>> [count_undivided(k, "diagonal") for k in range(5)]
    [1, 2, 20, 1256, 316880]
    """
    checked_word("blocks", blocks, BLOCKS)
    k = _checked("k", k)
    if k > _MAX_COUNTED:
        raise SizeLimitError("k", f"at most {_MAX_COUNTED}, for the length of the count", k)
    return _undivided_matrices(k, blocks == "triangular") << k


@cache
def _undivided_matrices(k: int, below: bool) -> int:
    return general_linear_order(k) - sum(
        _undivided_matrices(j, below) * general_linear_order(k - j) << (j * (k - j) if below else 0)
        for j in range(1, k)
    )


@typed_arguments
def count_partitioned(n: int, blocks: str = "triangular") -> int:
    """Return the right side of formula (3), exactly: |PLC_n| with the default.

    The sizes |PLC_(n-k)| in it are the true ones, also where LC' is read otherwise.

    Args:
        n: number of address bits, 0..20.
        blocks: how LC' is read, see `count_undivided`.

    Raises:
        InputError: n is negative, or other blocks.
        SizeLimitError: n > 20.

    >>> [count_partitioned(n) for n in range(5)]
    [1, 2, 24, 2432, 17678336]
    >>> count_partitioned(2, "diagonal")        # of 24 permutations
    28
    """
    n = _checked("n", n)
    if n > MAX_COUNTED:
        raise SizeLimitError("n", f"the count has 2^n digits, so n <= {MAX_COUNTED}", n)
    return sum(_terms(n, blocks))


def _terms(n: int, blocks: str = "triangular") -> list[int]:
    """The terms of formula (3) for k = 1..n; [1] for n = 0."""
    if n == 0:
        return [1]
    ks = range(1, n + 1)
    return [count_undivided(k, blocks) * _count(n - k) ** (1 << k) for k in ks]


@cache
def _count(n: int) -> int:
    """|PLC_n|, whatever LC' is in the formula."""
    return sum(_terms(n))


def _checked(argument: str, value: int) -> int:
    number = checked_integer(argument, value)
    if number < 0:
        raise InputError(argument, "must not be negative", number)
    return number


# -- listing ------------------------------------------------------------------------------------


@typed_arguments
def list_partitioned(n: int, definition: int = 3) -> LongWords:
    """Every permutation of PLC_n once, put together as a definition says, not by formula (3).

    Args:
        n: number of address bits, 1..4; n = 4 takes seconds and 400 MB.
        definition: 3 or 4, as in `is_partitioned`.

    Returns: packed permutations, ascending: uint64 with the destination of node x in the bits
        4x..4x+3. `unpacked` gives arrays of destinations.

    Raises:
        InputError: n < 1, or another definition.
        SizeLimitError: n > 4.

    >>> len(list_partitioned(3)), unpacked(list_partitioned(1), 1).tolist()
    (2432, [[1, 0], [0, 1]])
    """
    n = checked_integer("n", n, least=1)
    if definition not in (3, 4):
        raise InputError("definition", "must be 3 or 4", definition)
    if n > MAX_LISTED:
        raise SizeLimitError("n", f"PLC_n is listed up to n = {MAX_LISTED}", n)
    return _listed(n, definition)


@typed_arguments
def unpacked(permutations: LongWords, n: int) -> npt.NDArray[np.int64]:
    """Destinations of packed permutations, int64 of shape (count, 2^n).

    Raises:
        InputError: n is not in 1..4, or the words are not unsigned integers of shape (count,).

    >>> from lccmodel.permutations.partitioned import list_partitioned
    >>> unpacked(list_partitioned(1), 1).tolist()
    [[1, 0], [0, 1]]
    """
    if not 1 <= checked_integer("n", n) <= MAX_LISTED:
        raise SizeLimitError("n", f"PLC_n is listed for n = 1..{MAX_LISTED}", n)
    if getattr(permutations, "dtype", None) != np.uint64 or permutations.ndim != 1:
        raise InputError("permutations", "must be uint64 of shape (count,)", permutations)
    shifts = np.arange(1 << n, dtype=np.uint64) * np.uint64(4)
    return (permutations[:, None] >> shifts & np.uint64(15)).astype(np.int64)


@cache
def _listed(n: int, definition: int) -> LongWords:
    if definition == 3:
        members = [_linear_complements(n)]
        members += [_composed(_listed(k, 3), k, _listed(n - k, 3), n) for k in range(1, n)]
    else:
        outer = {k: _linear_complements(k, undivided=True) for k in range(1, n + 1)}
        members = [outer[n]]
        members += [_composed(outer[k], k, _listed(n - k, 4), n) for k in range(1, n)]
    codes = np.sort(np.concatenate(members))
    every: LongWords = codes[np.concatenate([[True], codes[1:] != codes[:-1]])]
    every.flags.writeable = False
    return every


def _composed(outer: LongWords, k: int, inner: LongWords, n: int) -> LongWords:
    """Every outer permutation of k bits with every choice of an inner one in each subcube."""
    low = n - k
    shifts = np.arange(1 << low, dtype=np.uint64) * np.uint64(4)
    digits = inner[:, None] >> shifts & np.uint64(15)
    blocks = []
    for images in unpacked(outer, k).tolist():
        codes = np.zeros(1, dtype=np.uint64)
        for h, image in enumerate(images):
            block = (digits | np.uint64(image << low)) << (shifts + np.uint64(4 * (h << low)))
            codes = (codes[:, None] | np.bitwise_or.reduce(block, axis=1)).ravel()
        blocks.append(codes)
    return np.concatenate(blocks)


def _linear_complements(k: int, undivided: bool = False) -> LongWords:
    """LC_k, or LC'_k as printed: without the block-diagonal matrices."""
    members = []
    for rows in itertools.product(range(1, 1 << k), repeat=k):
        if elimination.rank(rows) < k:
            continue
        A = GF2Matrix.from_rows(rows, k)
        if undivided and any(is_block_diagonal(A, j) for j in range(1, k)):
            continue
        images = [A.apply(x) for x in range(1 << k)]
        code = sum(y << 4 * x for x, y in enumerate(images))
        ones = sum(1 << 4 * x for x in range(1 << k))
        members += [code ^ b * ones for b in range(1 << k)]
    return np.array(sorted(members), dtype=np.uint64)


def undivided_matrix(A: GF2Matrix) -> bool:
    """Whether no j < k divides a nonsingular k by k matrix: the matrices of LC' in (3).

    >>> undivided_matrix(GF2Matrix([[0, 1], [1, 0]])), undivided_matrix(GF2Matrix.identity(2))
    (True, False)
    """
    return not any(is_divided(A, j) for j in range(1, A.n_columns))


@typed_arguments
def random_partitioned(n: int, seed: int) -> PartitionTree:
    """Return a random permutation of PLC_n as its tree; `destinations` has it as an array.

    Args:
        n: number of address bits, 1..20.
        seed: the same seed gives the same permutation.

    Raises:
        InputError: n < 1, or a seed that is not an integer.
        SizeLimitError: n > 20.

    >>> random_partitioned(3, seed=1).destinations.tolist() == random_partitioned(
    ...     3, seed=1).destinations.tolist()
    True
    """
    n = checked_integer("n", n, least=1)
    if n > MAX_COUNTED:
        raise SizeLimitError("n", f"weights are counts of 2^n digits, so n <= {MAX_COUNTED}", n)
    rng = random.Random(checked_integer("seed", seed))
    weights = {m: list(accumulate(_terms(m))) for m in range(1, n + 1)}
    return _drawn(n, weights, rng)


def _drawn(n: int, weights: dict[int, list[int]], rng: random.Random) -> PartitionTree:
    ticket = rng.randrange(weights[n][-1])
    k = 1 + next(i for i, below in enumerate(weights[n]) if ticket < below)
    outer = LCC(_undivided(k, rng), rng.randrange(1 << k))
    if k == n:
        return PartitionTree(outer)
    return PartitionTree(outer, tuple(_drawn(n - k, weights, rng) for _ in range(1 << k)))


def _undivided(k: int, rng: random.Random) -> GF2Matrix:
    while True:
        rows = [rng.randrange(1 << k) for _ in range(k)]
        if elimination.rank(rows) == k and undivided_matrix(A := GF2Matrix.from_rows(rows, k)):
            return A
