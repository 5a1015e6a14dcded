"""[sibeyn, section 2]: equations (1), (3), (4) and (5) multiplied out."""

import itertools
from functools import reduce

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel.communication.catalog import identity
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.simd_mesh import decompose
from tests.strategies import permutations


def product(matrices: list[GF2Matrix], n: int) -> GF2Matrix:
    return reduce(GF2Matrix.__matmul__, matrices, GF2Matrix.identity(n))


def elementary_cycle(k: int, l: int, n: int) -> GF2Matrix:  # noqa: E741 - the names of the print - the paper's letter
    """y_(i+1) = x_i for k <= i < l, y_k = x_l."""
    source = list(range(n))
    for i in range(k, l):
        source[i + 1] = i
    source[k] = l
    return GF2Matrix.from_order(source)


def check(c: LCC) -> None:
    found, n = decompose(c), c.n
    index = found.B @ c.A @ found.B.inverse()
    assert index == product([*found.exchanges, *found.VL[::-1]], n)  # (1)
    cycles = [elementary_cycle(k, l, n) for k, l in found.cycles]  # noqa: E741 - the names of the print
    assert found.EC == tuple(cycles)
    assert index == product([*cycles[::-1], *found.VL[::-1]], n)  # (3)
    bounds = [-1, *itertools.chain(*found.cycles), n]
    assert all(a < b for a, b in itertools.pairwise(bounds))
    factors, y = [], np.arange(1 << n)
    for i, W in enumerate(found.W):
        assert all(W.rows[m] == 1 << m for m in range(n) if m != i)
        assert W[i, i] == 1 == found.VL[i][i, i]
        factors.append(W)
        y = LCC(W, found.c[i] << i).destination(y)
        for (_, end), turned in zip(found.cycles, cycles, strict=True):
            if end == i:
                factors.append(turned)
                y = LCC(turned).destination(y)
    assert index == product(factors[::-1], n)  # (4)
    expected = LCC(index, found.B.apply(int(c.b))).destination(np.arange(1 << n))
    assert np.array_equal(y, expected)  # (5)


@given(st.data(), st.integers(1, 9))
def test_the_parts_multiply_to_the_permutation(data, n):
    check(data.draw(permutations(n)))


@settings(max_examples=8)
@given(st.data())
def test_a_large_matrix(data):
    """(1) at n = 64; every pass corrects another bit."""
    c = data.draw(permutations(64))
    found = decompose(c)
    index = found.B @ c.A @ found.B.inverse()
    assert index == product([*found.exchanges, *found.VL[::-1]], 64)
    assert sorted(found.order) == list(range(64))


def test_nothing_to_do():
    found = decompose(identity(5))
    assert found.B == GF2Matrix.identity(5) == found.W[4]
    assert (found.cycles, found.exchanged, int(found.c)) == ((), (), 0)
    assert all(operation.is_idle for operation in found.operations)
    assert decompose(LCC([[1]], [1])).operations[0].c == 1


def test_what_is_no_permutation_is_refused():
    with pytest.raises(CommunicationError, match="must be a permutation"):
        decompose(LCC([[1, 1], [1, 1]]))
    with pytest.raises(CommunicationError, match="must be an LCC"):
        decompose([0, 1])
