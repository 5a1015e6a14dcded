"""[hou] Theorem 2 and the dropped dimension: kernels against messages walked one by one."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.gf2.vector import GF2Vector
from proofs_check.claims import hou_reordering
from proofs_check.domain import PAIRS
from proofs_check.walk import contention


@given(st.integers(2, 4), st.data())
def test_row_and_column_are_left_out(n, data):
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    i = data.draw(st.integers(0, n - 1))
    A, b = PAIRS.case(n, index)
    kept = [k for k in range(n) if k != i]
    part, rest = A.submatrix(kept, kept), GF2Vector([b[k] for k in kept])
    beside = GF2Vector([A[k, i] for k in kept])
    first, second = hou_reordering.without(n, index, i)
    assert PAIRS.case(n - 1, first) == (part, rest)
    assert PAIRS.case(n - 1, second) == (part, rest + beside)


@pytest.mark.usefixtures("uncompiled")
@given(st.integers(1, 3), st.data())
def test_the_kernel_compares_least_degrees_as_walked_one_by_one(n, data):
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    i, both = data.draw(st.integers(0, n - 1)), data.draw(st.booleans())
    A, b = PAIRS.case(n, index)
    kept = [k for k in range(n) if k != i]
    pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    degrees = {o: max(contention(pairs, o)) for o in itertools.permutations(range(n))}
    rests = {}
    for order in itertools.permutations(kept):
        rests[order] = 0
        for x_i in range(2 if both else 1):
            sent = [x | x_i << i for x in range(1 << n) if not x >> i & 1]
            ends = [A.apply(x) ^ int(b) for x in sent]
            halves = [(x, (y & ~(1 << i)) | x_i << i) for x, y in zip(sent, ends, strict=True)]
            rests[order] = max(rests[order], *_walked(halves, order), 0)
    least, rest = min(degrees.values()), min(rests.values())
    found = [
        hou_reordering._is_lossless(n, index, i, both, every, *hou_reordering._tables(n))
        for every in (False, True)
    ]
    best = [o for o in rests if rests[o] == rest]
    assert found == [rest == least, all(degrees[(*o, i)] == least for o in best)]


def _walked(pairs, order):
    """T of the dimensions in `order`; the others do not differ between x and y."""
    loads = {}
    for x, y in pairs:
        at = x
        for k in order:
            if (at ^ y) >> k & 1:
                loads[k, at] = loads.get((k, at), 0) + 1
                at ^= 1 << k
    return list(loads.values())


def test_every_permutation_of_nodes_by_q_is_undone_by_its_inverse():
    """_is_inverse finds Q⁻¹ by trying all nodes."""
    n = 3
    product, inverse = np.empty((2, n), np.int64)
    Q = np.array([0b011, 0b110, 0b100])
    assert hou_reordering._is_inverse(n, Q, inverse, product)
    assert inverse.tolist() == [0b111, 0b110, 0b100]
    assert not hou_reordering._is_inverse(n, np.array([1, 2, 3]), inverse, product)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_sub_matrix_decides_by_its_ranks(n):
    """`hou.sec4.remove`, `.order`, which failed: with the rows of T_i = 0 last, in every order of
    the rest with the least maximum of 2^(k - rank) the whole communication has its least T."""
    for index in range(PAIRS.span(n)):
        A, b = PAIRS.case(n, index)
        still = [i for i in range(n) if A.rows[i] == 1 << i and not b[i]]
        if not still:
            continue
        rest = [i for i in range(n) if i not in still]
        pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
        least = min(max(contention(pairs, o)) for o in itertools.permutations(range(n)))
        by_ranks = {}
        for order in itertools.permutations(rest):
            exponents = [k - A.submatrix(order[: k + 1], order[:k]).rank for k in range(len(order))]
            by_ranks[order] = max((2**exponent for exponent in exponents), default=0)
        assert min(by_ranks.values()) == least
        for order, degree in by_ranks.items():
            if degree == least:
                assert max(contention(pairs, (*order, *still))) == least
