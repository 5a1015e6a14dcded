"""What several tests of the checker need: room for kernels, random permutations."""

import random
from collections.abc import Iterator

import numpy as np

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.arrays import Ints, Words
from proofs_check.domain import PERMUTATIONS
from proofs_check.walk import set_source_planes


def stations_tables(n: int) -> tuple[Words, Ints, Ints]:
    """Scratch for `walk_subsets`, and its results `occupied` and `crossing`."""
    scratch = np.empty(3 * n + (1 << n), np.uint64)
    set_source_planes(n, scratch[:n])
    return scratch, np.zeros((1 << n, 2), np.int64), np.zeros((2, 1 << n, n, 2), np.int64)


def random_permutations(n: int, count: int) -> Iterator[tuple[GF2Matrix, int]]:
    """(A, b) with nonsingular A, the same every time."""
    rng = random.Random(n)
    while count:
        case = PERMUTATIONS.case(n, rng.randrange(PERMUTATIONS.span(n)))
        if case is not None:
            count -= 1
            yield case[0], int(case[1])
