"""Ranks of many small matrices over GF(2), against numpy and python-flint."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.harness import Benchmark, as_it_is
from lccmodel.gf2 import batch, enumeration

SEED = 20000


def random_rows(n: int) -> Any:
    def prepare(items: int) -> npt.NDArray[Any]:
        return enumeration.random_matrices(items, n, np.random.default_rng(SEED))

    return prepare


def random_bits(n: int) -> Any:
    def prepare(items: int) -> npt.NDArray[np.uint8]:
        return np.random.default_rng(SEED).integers(0, 2, (items, n, n), dtype=np.uint8)

    return prepare


# -- peers --------------------------------------------------------------------------------------


def numpy_elimination(bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Column after column for a batch of matrices, the batch on the last axis, in cached parts."""
    step = 4096
    parts = [_eliminate(bits[k : k + step]) for k in range(0, len(bits), step)]
    return np.concatenate(parts)


def _eliminate(bits: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    entries = np.ascontiguousarray(bits.transpose(1, 2, 0))
    n_rows, n_columns, count = entries.shape
    free = np.ones((n_rows, count), dtype=np.uint8)
    rank = np.zeros(count, dtype=np.uint8)
    matrices = np.arange(count)
    for c in range(n_columns):
        candidates = entries[:, c] & free
        row = candidates.argmax(axis=0)
        pivots = candidates[row, matrices]
        free[row, matrices] ^= pivots
        pivot = entries[row, c:, matrices].T
        factor = entries[:, c] & free & pivots
        entries[:, c:] ^= factor[:, np.newaxis] & pivot
        rank += pivots
    return rank


def numpy_words(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    """The same steps as our kernel, each a numpy call on packed rows, in cached parts."""
    step = 1 << 13
    parts = []
    for k in range(0, len(rows), step):
        work = np.ascontiguousarray(rows[k : k + step].T)
        rank = np.zeros(work.shape[1], dtype=np.uint8)
        for i, row in enumerate(work):
            lowest = row & -row
            rank += row != 0
            for later in work[i + 1 :]:
                later ^= row * ((later & lowest) != 0)
        parts.append(rank)
    return np.concatenate(parts)


def bits_of(rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
    places = np.arange(rows.shape[1], dtype=rows.dtype)
    bits: npt.NDArray[np.uint8] = ((rows[:, :, np.newaxis] >> places) & 1).astype(np.uint8)
    return bits


def lists_of(rows: npt.NDArray[Any]) -> list[list[int]]:
    return [matrix.ravel().tolist() for matrix in bits_of(rows)]


def flint_from_lists(lists: list[list[int]]) -> list[int]:
    import flint

    n = math.isqrt(len(lists[0]))
    return [flint.nmod_mat(n, n, entries, 2).rank() for entries in lists]


def flint_matrices(rows: npt.NDArray[Any]) -> list[Any]:
    import flint

    n = rows.shape[1]
    return [flint.nmod_mat(n, n, entries, 2) for entries in lists_of(rows)]


def flint_ranks(matrices: list[Any]) -> list[int]:
    return [matrix.rank() for matrix in matrices]


# -- the table ----------------------------------------------------------------------------------


def _of_size(n: int, items: int, numpy_goal: float, flint_goal: float) -> list[Benchmark]:
    """Each from its own form of the same matrices, then harder comparisons without a goal."""

    def against(
        name: str,
        peer_name: str,
        peer: Callable[[Any], Any],
        peer_prepare: Callable[[Any], Any],
        peer_items: int,
        goal: float | None = None,
    ) -> Benchmark:
        return Benchmark(
            name=f"gf2.ranks-{n}-{name}",
            work=f"ranks of {n}x{n} matrices, packed rows",
            items=items,
            prepare=random_rows(n),
            ours=batch.ranks,
            peer_name=peer_name,
            peer=peer,
            peer_prepare=peer_prepare,
            peer_items=peer_items,
            goal=goal,
        )

    return [
        against("numpy", "batched numpy, bits", numpy_elimination, bits_of, 1 << 13, numpy_goal),
        against("flint", "python-flint, entries", flint_from_lists, lists_of, 1 << 11, flint_goal),
        against("numpy-packed", "batched numpy, packed rows", numpy_words, as_it_is, 1 << 16),
        against(
            "flint-ready", "python-flint, ready matrices", flint_ranks, flint_matrices, 1 << 11
        ),
        Benchmark(
            name=f"gf2.ranks-{n}-bits",
            work=f"ranks of {n}x{n} matrices, bits",
            items=items,
            prepare=random_bits(n),
            ours=batch.ranks,
            peer_name="batched numpy, bits",
            peer=numpy_elimination,
            peer_items=1 << 13,
        ),
    ]


BENCHMARKS = [
    *_of_size(5, 1 << 20, numpy_goal=30, flint_goal=1000),
    *_of_size(16, 1 << 17, numpy_goal=10, flint_goal=500),
    Benchmark(
        name="gf2.leading-ranks-of-all-5",
        work="all leading ranks of all 2^25 5x5 matrices",
        items=1 << 25,
        prepare=lambda items: items,
        ours=lambda items: batch.leading_ranks_of_all(5, 0, items),
        peer_name="leading_ranks of the unpacked rows",
        peer=lambda items: batch.leading_ranks(enumeration.unpack(np.arange(items), 5)),
        peer_items=1 << 18,
        goal_seconds=0.3,
    ),
    Benchmark(
        name="gf2.leading-rank-histogram-5",
        work="how many 5x5 matrices have which leading ranks",
        items=1 << 25,
        prepare=lambda items: items,
        ours=lambda items: batch.leading_rank_histogram(5, 0, items),
        goal_seconds=0.5,
    ),
]
