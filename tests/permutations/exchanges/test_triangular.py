"""LU, PLU, PᵀAP = LU and U1 P U2, against products and searches over all permutations."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, NotFactorable, SingularMatrixError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.exchanges import (
    bruhat_factors,
    exchange_factors,
    exchange_orders,
    exchanges_then_permutation,
    plu_factors,
    reordered_lu_factors,
)
from lccmodel.permutations.exchanges.triangular import Pivoting
from tests.matrices import all_nonsingular
from tests.strategies import nonsingular_matrices, orders, vectors

PIVOTINGS: list[Pivoting] = ["first", "keep", "last"]


def is_unit_upper(U: GF2Matrix) -> bool:
    return all(row & ((2 << i) - 1) == 1 << i for i, row in enumerate(U.rows))


@given(st.integers(1, 8).flatmap(nonsingular_matrices), st.sampled_from(PIVOTINGS))
def test_plu_multiplies_back(A, pivoting):
    """Corollary 3.6: A = P L U."""
    factors = plu_factors(A, pivoting)
    assert factors.product() == A == factors.P @ factors.L @ factors.U
    assert is_unit_upper(factors.U)
    assert is_unit_upper(factors.L.T)


@given(st.integers(1, 7).flatmap(nonsingular_matrices), st.data())
def test_lu_exists_with_the_exchanges(A, data):
    """Corollaries 3.1 and 3.2, and the same minor in both errors."""
    order = data.draw(orders(A.n_rows))
    if order not in exchange_orders(A):
        with pytest.raises(NotFactorable) as without_exchanges:
            exchange_factors(A, order)
        with pytest.raises(NotFactorable) as without_triangles:
            reordered_lu_factors(A, order)
        assert without_triangles.value.minor == without_exchanges.value.minor
        assert without_triangles.value.value == A.tolist()
        return
    factors = reordered_lu_factors(A, order)
    assert factors.product() == A
    assert factors.P.T @ A @ factors.P == factors.L @ factors.U
    assert plu_factors(factors.P.T @ A @ factors.P, "none").L == factors.L


def test_symmetric_pivoting_finds_an_order_where_one_is():
    for A in all_nonsingular(3):
        if exchange_orders(A):
            factors = reordered_lu_factors(A)
            assert factors.product() == A
            assert factors.order == exchange_orders(A)[0]
        else:
            with pytest.raises(NotFactorable):
                reordered_lu_factors(A)


def test_bruhat_is_the_only_permutation_of_its_kind():
    """Corollary 3.7: every nonsingular A is U1 P U2, with one P, found by trying all."""
    upper = [
        GF2Matrix.from_rows([1 | r0 << 1, 2 | r1 << 2, 4], 3) for r0 in range(4) for r1 in range(2)
    ]
    permutations = [GF2Matrix.from_order(t) for t in itertools.permutations(range(3))]
    ways: dict[GF2Matrix, set[GF2Matrix]] = {}
    for U1, P, U2 in itertools.product(upper, permutations, upper):
        ways.setdefault(U1 @ P @ U2, set()).add(P)
    for A in all_nonsingular(3):
        factors = bruhat_factors(A)
        assert ways[A] == {factors.P}


@given(st.integers(1, 8).flatmap(nonsingular_matrices))
def test_the_last_pivots_are_those_of_bruhat(A):
    factors = bruhat_factors(A)
    assert factors.product() == A
    assert is_unit_upper(factors.U1)
    assert is_unit_upper(factors.U2)
    assert plu_factors(A, "last").order == factors.order


@given(st.integers(1, 7), st.sampled_from(PIVOTINGS), st.data())
def test_exchanges_then_a_dimension_permutation(n, pivoting, data):
    """Corollary 3.6 with b: message by message."""
    c = LCC(data.draw(nonsingular_matrices(n)), data.draw(vectors(n)))
    both = exchanges_then_permutation(c, pivoting)
    assert both.exchanges.order == tuple(range(n))
    assert both.product() == c.A
    arrived = both.exchanges.movement.positions[-1]
    assert both.permutation.destination(arrived).tolist() == c.images().tolist()


def test_keeping_rows_leaves_no_permutation_where_none_is_needed():
    for A in all_nonsingular(3):
        if tuple(range(3)) in exchange_orders(A):
            assert plu_factors(A, "keep").order == (0, 1, 2)


SWAP = [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plu_factors([[1]], "best"), InputError, "one of"),
        *((lambda f=f: f([[1, 1], [1, 1]]), SingularMatrixError, None)
          for f in (plu_factors, bruhat_factors, exchanges_then_permutation)),
        (lambda: plu_factors(SWAP, "none"), NotFactorable, r"\(0,\) is singular.*plu_factors"),
        (lambda: exchanges_then_permutation(SWAP, "none"), NotFactorable, "singular"),
        (lambda: plu_factors([[0, 1], [0, 0]], "none"), NotFactorable, "there is no LU; got"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    ("n", "moved"),
    [
        (2, (4, 4, 8, 4)),
        (3, (240, 232, 384, 224)),
        pytest.param(4, (44544, 42240, 68352, 39104), marks=pytest.mark.slow),
    ],
)
def test_bits_moved_by_each_pivoting(n, moved):
    """The table of docs/exchanges.md, summed over GL(n, 2); the last entry tries all P."""
    everyone = list(all_nonsingular(n))
    orders = list(itertools.permutations(range(n)))
    away = {t: sum(k != bit for k, bit in enumerate(t)) for t in orders}
    totals = [sum(away[plu_factors(A, pivoting).order] for A in everyone) for pivoting in PIVOTINGS]
    natural = tuple(range(n))
    best = sum(
        min(away[t] for t in orders if natural in exchange_orders(A.submatrix(t, range(n))))
        for A in everyone
    )
    assert (*totals, best) == moved
