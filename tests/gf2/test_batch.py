"""Batch ranks against single eliminations, formulas and sizes at the edges of the kernels.

The ranks of [hou, Theorem 1], A_(L_(i+1),L_i), and |GL(n,2)| = (2^n - 1)(2^n - 2)...
"""

import numpy as np
import pytest

from lccmodel.errors import InputError, MatrixError
from lccmodel.gf2 import GF2Matrix, batch, elimination, enumeration
from tests.bridges import check_bridge
from tests.choosing import sampled
from tests.matrices import rank_count

# one matrix, and the edges of the blocks of 512
COUNTS = [1, 63, 64, 65, 127, 128, 511, 512, 513, 1100]
SIZES = [1, 2, 4, 5, 6, 7, 8, 9, 11, 16, 17, 21, 22, 32, 33, 36, 37, 48, 63, 64]


def mixed_rows(count: int, n: int, seed: int) -> np.ndarray:
    """Packed rows of random matrices, a good part of them of low rank."""
    rng = np.random.default_rng(seed)
    rows = enumeration.random_matrices(count, n, rng)
    rows[1::4] &= rows[1::4, :1]
    rows[2::4, 1:] = rows[2::4, :-1]
    rows[3::8] = 0
    return rows


def single(rows: np.ndarray, heights: list[int], widths: list[int]) -> list[list[int]]:
    """Ranks of the corners of each matrix by the one-matrix elimination."""
    return [
        [
            elimination.rank([int(row) & ((1 << q) - 1) for row in matrix[:p]])
            for p, q in zip(heights, widths, strict=True)
        ]
        for matrix in rows
    ]


@pytest.mark.parametrize("n", sampled(SIZES, 10))
def test_ranks_of_packed_rows_at_every_word_width(n):
    rows = mixed_rows(300, n, seed=n)
    expected = [r for (r,) in single(rows, [n], [n])]
    assert batch.ranks(rows).tolist() == expected
    assert batch.ranks(rows[:20]).tolist() == expected[:20]
    assert batch.ranks(rows.astype(np.uint64)).tolist() == expected
    assert batch.ranks(rows.astype(rows.dtype.newbyteorder())).tolist() == expected


@pytest.mark.parametrize("count", COUNTS)
def test_ranks_at_block_edges(count):
    """What an earlier block left must not leak into a shorter last one."""
    rows = mixed_rows(count, 6, seed=count)
    assert batch.ranks(rows).tolist() == [r for (r,) in single(rows, [6], [6])]


@pytest.mark.parametrize(("n", "count"), [(5, (1 << 15) + 513), (9, (1 << 15) + 1)])
def test_many_blocks(n, count):
    rows = mixed_rows(count, n, seed=n)
    found = batch.leading_ranks(rows)
    sample = np.r_[0:3, (1 << 15) - 3 : (1 << 15), (1 << 15) : count : 100, count - 1]
    assert found[sample].tolist() == single(rows[sample], list(range(1, n + 1)), list(range(n)))


@pytest.mark.parametrize("n", sampled([1, 2, 5, 8, 13, 33, 64], 2))
@pytest.mark.parametrize("count", [3, 140])
def test_leading_ranks_read_theorem_1(n, count):
    """Entry i is rank A_(L_(i+1), L_i) [hou, Theorem 1]."""
    rows = mixed_rows(count, n, seed=n)
    expected = single(rows, list(range(1, n + 1)), list(range(n)))
    assert batch.leading_ranks(rows).tolist() == expected


@pytest.mark.parametrize("n", [1, 2, 3])
def test_ranks_of_all_matrices_in_every_order(n):
    """Of lists, of ranges of all and as histograms, by images added up entry by entry."""
    check_bridge("ranks", n)


@pytest.mark.parametrize("shape", [(3, 5), (5, 3), (1, 64), (64, 1), (2, 9), (7, 33)])
@pytest.mark.parametrize("count", [1, 200])
def test_bits_of_any_shape(shape, count):
    bits = np.random.default_rng(0).integers(0, 2, (count, *shape))
    expected = [GF2Matrix(matrix).rank for matrix in bits]
    assert batch.ranks(bits).tolist() == expected
    assert batch.ranks(bits.astype(bool)).tolist() == expected
    assert batch.ranks([GF2Matrix(matrix) for matrix in bits]).tolist() == expected
    assert batch.ranks(np.asfortranarray(bits)).tolist() == expected


def test_strided_and_empty_arguments():
    rows = mixed_rows(400, 5, seed=1)
    assert np.array_equal(batch.ranks(rows[::2]), batch.ranks(rows)[::2])
    assert batch.ranks(np.zeros((0, 5), dtype=np.uint8)).shape == (0,)
    assert batch.ranks(np.zeros((4, 0), dtype=np.uint8)).tolist() == [0] * 4
    assert batch.ranks(np.zeros((4, 2, 0), dtype=np.uint8)).tolist() == [0] * 4
    assert batch.ranks(np.zeros((200, 5), dtype=np.uint8)).tolist() == [0] * 200
    assert batch.leading_ranks(np.zeros((0, 5), dtype=np.uint8)).shape == (0, 5)
    assert batch.leading_ranks([[[1]]]).tolist() == [[0]]


# -- every matrix of a size ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "start", "stop"),
    [
        (3, 5, 5),
        (3, 0, 1),
        (3, 511, 512),
        (4, 511, 513),
        (4, 1000, 3001),
        (5, 2**25 - 700, 2**25),
        (6, 2**35 + 12345, 2**35 + 13000),
        (7, 2**49 - 1000, 2**49),
    ],
)
def test_a_range_of_indices(n, start, stop):
    rows = enumeration.unpack(np.arange(start, stop), n)
    assert np.array_equal(batch.leading_ranks_of_all(n, start, stop), batch.leading_ranks(rows))
    assert np.array_equal(batch.ranks_of_all(n, start, stop), batch.ranks(rows))
    counts = batch.leading_rank_histogram(n, start, stop)
    profiles, times = np.unique(batch.leading_ranks(rows), axis=0, return_counts=True)
    assert counts.sum() == stop - start
    assert all(counts[tuple(p)] == k for p, k in zip(profiles, times, strict=True))


@pytest.mark.slow
def test_rank_distribution_is_the_formula():
    counted = np.bincount(batch.ranks_of_all(5), minlength=6)
    assert counted.tolist() == [rank_count(5, 5, r) for r in range(6)]


# -- bad input ----------------------------------------------------------------------------------


NO_MATRICES = [
    *([[-1, 0]], [[0.5, 1.0]], [[["a"]]], [1, 2], [[[2]]], [[[256]]], [[[-1]]], [[[[1]]]]),
    *([[1, 2], [1]], np.array([[[2]]], np.uint8), np.array([[[256]]], np.uint16)),
    np.array([[[257]]], np.int16),
]


@pytest.mark.parametrize("function", [batch.ranks, batch.leading_ranks])
@pytest.mark.parametrize("matrices", NO_MATRICES)
def test_bad_matrices(function, matrices):
    with pytest.raises(MatrixError) as caught:
        function(matrices)
    assert caught.value.argument == "matrices"


OF_ALL = (batch.ranks_of_all, batch.leading_ranks_of_all, batch.leading_rank_histogram)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: batch.leading_ranks(np.zeros((1, 2, 3), np.uint8)), MatrixError, "square"),
        (lambda: batch.leading_ranks([[4, 0]]), MatrixError, r"below 2\^2"),
        (lambda: batch.leading_ranks(np.zeros((3, 0), np.uint8)), MatrixError, "n >= 1"),
        (lambda: batch.leading_ranks([[1, 0]], order=[0, 0]), MatrixError, "permutation"),
        *((lambda f=f: f(0), InputError, "at least 1") for f in OF_ALL),
        *((lambda f=f, a=a, b=b: f(2, a, b), InputError, "start")
          for f in OF_ALL for a, b in ((-1, 3), (5, 4), (0, 17))),
    ],
)  # fmt: skip
def test_other_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_ranks_are_bytes():
    """Of all matrices as of given ones: 2^36 of them would fill eight times the memory as int64."""
    rows = np.array([[1, 2], [3, 3]], dtype=np.uint8)
    for found in (
        *(batch.ranks(rows), batch.leading_ranks(rows)),
        *(batch.ranks_of_all(2), batch.leading_ranks_of_all(2)),
    ):
        assert found.dtype == np.uint8
