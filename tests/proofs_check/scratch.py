"""Room for the checker's kernels, made for a test."""

from __future__ import annotations

import numpy as np

from proofs_check.arrays import Ints, Words
from proofs_check.walk import set_source_planes


def stations_tables(n: int) -> tuple[Words, Ints, Ints]:
    """Scratch for `walk_subsets`, and its results `occupied` and `crossing`."""
    scratch = np.empty(3 * n + (1 << n), np.uint64)
    set_source_planes(n, scratch[:n])
    return scratch, np.zeros((1 << n, 2), np.int64), np.zeros((2, 1 << n, n, 2), np.int64)
