"""[edelman]: kernels and tables against plain versions and the library."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import code_change
from lccmodel.communication.gray import gray_code
from lccmodel.communication.lcc import LCC
from lccmodel.errors import NotFactorable
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.movement import Movement
from lccmodel.permutations.exchanges import (
    elementary_factorizations,
    exchange_factors,
    exchange_orders,
    shuffle,
)
from lccmodel.permutations.exchanges.bits import targets_of
from proofs_check.claims import (
    edelman_exchanges,
    edelman_factorizations,
    edelman_gray,
    edelman_maps,
    edelman_orders,
    edelman_shuffles,
)
from proofs_check.domain import AllMatrices, matrix_code
from tests.strategies import matrices, orders

uncompiled = pytest.mark.usefixtures("uncompiled")


def exchanges_across(k: int, n: int) -> list[GF2Matrix]:
    """All conditional exchanges across k."""
    identity = [1 << i for i in range(n)]
    return [
        GF2Matrix.from_rows([row if i == k else identity[i] for i in range(n)], n)
        for row in range(1 << n)
        if row >> k & 1
    ]


@uncompiled
@pytest.mark.parametrize("n", [1, 2, 3])
def test_products_against_matrix_products(n: int) -> None:
    for order in itertools.permutations(range(n)):
        counted = np.zeros(1 << n * n, dtype=int)
        for chosen in itertools.product(*(exchanges_across(k, n) for k in order)):
            A = GF2Matrix.identity(n)
            for E in chosen:
                A = E @ A
            counted[matrix_code(A)] += 1
        assert edelman_exchanges.ways(n, order).tolist() == counted.tolist()


@uncompiled
@pytest.mark.parametrize("n", [1, 2, 3])
def test_triangular_products_against_matrix_products(n: int) -> None:
    upper = list(edelman_orders.unit_upper(n))
    LU = {matrix_code(L.T @ U) for L in upper for U in upper}
    UL = {matrix_code(U @ L.T) for L in upper for U in upper}
    assert set(np.flatnonzero(edelman_exchanges.triangular_products(n))) == LU
    assert set(np.flatnonzero(edelman_exchanges.triangular_products(n, False))) == UL


@uncompiled
@given(st.integers(1, 6).flatmap(matrices), st.data())
def test_minors_elimination_and_walk_against_plain_versions(
    A: GF2Matrix, data: st.DataObject
) -> None:
    n = A.n_columns
    order = data.draw(orders(n))
    rows, taken = np.array(A.rows), np.array(order)
    expected = all(A.submatrix(order[:k], order[:k]).rank == k for k in range(n + 1))
    at, sends, parity = np.empty((3, 1 << n), np.int64)
    assert edelman_exchanges.leading_minors(n, rows, taken, parity) == expected
    assert edelman_exchanges.eliminates(n, rows, taken, np.empty(n, np.int64)) == expected
    assert edelman_exchanges.exchange_walk(n, rows, taken, at, sends) == expected
    try:
        walk = Movement.along(LCC(A), order) if A.is_nonsingular else None
        assert (exchange_factors(A, order).product() == A) == expected
    except NotFactorable:
        assert not expected
    if walk is not None:
        assert (set(walk.occupancies) == {1}) == expected
        used = np.empty((1 << n, n), np.int64)
        free = edelman_exchanges.channels_free(n, rows, taken, 2, used)
        assert free == (max(walk.loads) <= 1)


@uncompiled
def test_what_is_no_translate_is_seen() -> None:
    assert not edelman_maps._is_translate(2, np.array([1, 1, 1, 0]))
    assert not edelman_maps._is_subcube(2, np.array([1, 0, 0, 1]))


@uncompiled
def test_how_many_matrices_have_exchanges() -> None:
    """In the natural order 2^(n(n-1)); in some order; in every order (acyclic digraphs)."""
    counts = []
    for n in (1, 2, 3, 4):
        works = edelman_exchanges.products(n)
        orders_of = works.sum(axis=0)
        counts.append((works[0].sum(), (orders_of > 0).sum(), (orders_of == len(works)).sum()))
    assert counts == [(1, 1, 1), (4, 5, 3), (64, 121, 25), (4096, 13642, 543)]
    for _, (A,) in AllMatrices().cases(3, 0, 1 << 9):
        assert edelman_exchanges.products(3)[:, matrix_code(A)].sum() == exchange_orders(A).count


# -- codes ------------------------------------------------------------------------------------


def test_codes_against_the_library() -> None:
    for n in range(1, 7):
        codes = gray_code(n).images().tolist()
        assert list(edelman_gray.encoded(n)) == edelman_gray.reflected(n) == codes
    for n in range(1, 5):
        divisions = list(edelman_gray.partitions(n))
        assert len(divisions) == edelman_gray.BELL[n] == len(set(divisions))
        for before, after in itertools.product(divisions, repeat=2):
            rows = edelman_gray.recoding(before, after)
            assert GF2Matrix.from_rows(rows, n) == code_change(n, before, after).A


# -- permutations -----------------------------------------------------------------------------


def test_involutions_and_matchings() -> None:
    """1, 2, 4, 10, 26, 76 involutions."""
    counts = [len(edelman_shuffles.involutions(n)) for n in range(1, 7)]
    assert counts == [1, 2, 4, 10, 26, 76]
    assert [len(edelman_shuffles._matched(n, n)) for n in range(1, 7)] == counts
    for n, i, j in [(4, 1, 3), (5, 0, 4), (3, 2, 2)]:
        assert edelman_shuffles.shuffled(i, j, n) == targets_of(shuffle(i, j, n))


def test_factorizations_against_the_library() -> None:
    for n in range(1, 6):
        listed = {f[::-1] for f in edelman_factorizations.factorizations(n)}
        assert listed == set(elementary_factorizations(shuffle(0, n - 1, n)))
        assert len(edelman_factorizations.shortest(n)) == math.factorial(n)
