"""Random partitioned permutations, every one of PLC_n equally likely.

Formula (3) counts every permutation once by its least division (`counting`), so drawing k with the
weight of its term, then an outer permutation of LC'_k and 2^k inner ones evenly, draws evenly from
PLC_n. A matrix of LC'_k is drawn by trying random ones: at least 0.2 of all are nonsingular and
undivided.
"""

from __future__ import annotations

import random
from itertools import accumulate

from lccmodel._arguments import typed_arguments
from lccmodel.communication.lcc import LCC
from lccmodel.errors import SizeLimitError, checked_integer
from lccmodel.gf2 import elimination
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.methods.partitioned.counting import MAX_COUNTED, _terms, undivided_matrix
from lccmodel.methods.partitioned.tree import PartitionTree


@typed_arguments
def random_partitioned(n: int, seed: int) -> PartitionTree:
    """A random permutation of PLC_n as its tree; `destinations` has it as an array.

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
