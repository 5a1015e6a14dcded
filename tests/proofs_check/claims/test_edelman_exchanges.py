"""[edelman], section 3: kernels against plain versions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.lcc import LCC
from lccmodel.errors import NotFactorable
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.movement import Movement
from lccmodel.permutations.exchanges import exchange_factors, exchange_orders
from proofs_check import packed
from proofs_check.claims import (
    edelman_exchanges,
    edelman_maps,
    edelman_orders,
    edelman_pipeline,
)
from proofs_check.domain import AllMatrices, matrix_code
from proofs_check.orders import all_orders
from proofs_check.packed import rank_within
from tests.strategies import matrices, nonsingular_matrices, orders, vectors

pytestmark = pytest.mark.usefixtures("uncompiled")


def exchanges_across(k: int, n: int) -> list[GF2Matrix]:
    """All conditional exchanges across k."""
    identity = [1 << i for i in range(n)]
    return [
        GF2Matrix.from_rows([row if i == k else identity[i] for i in range(n)], n)
        for row in range(1 << n)
        if row >> k & 1
    ]


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


@pytest.mark.parametrize("n", [1, 2, 3])
def test_triangular_products_against_matrix_products(n: int) -> None:
    upper = list(edelman_orders.unit_upper(n))
    LU = {matrix_code(L.T @ U) for L in upper for U in upper}
    UL = {matrix_code(U @ L.T) for L in upper for U in upper}
    assert set(np.flatnonzero(edelman_exchanges.triangular_products(n))) == LU
    assert set(np.flatnonzero(edelman_exchanges.triangular_products(n, False))) == UL


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


@given(st.integers(1, 4).flatmap(nonsingular_matrices))
def test_blocked_orders_against_the_orders_that_work(A: GF2Matrix) -> None:
    n = A.n_columns
    listed = all_orders(n)
    works = [tuple(t) in exchange_orders(A) for t in listed.tolist()]
    rows = np.array(A.rows)
    blocked = works.index(False) if False in works else -1
    assert edelman_orders.first_order(n, rows, listed, False) == blocked
    unblocked = works.index(True) if True in works else -1
    assert edelman_orders.first_order(n, rows, listed, True) == unblocked


def test_made_triangular_against_the_count_of_acyclic_digraphs() -> None:
    """1, 3, 25, 543 labelled acyclic digraphs."""
    found = [
        sum(edelman_orders._made_triangular(A) for _, (A,) in AllMatrices().cases(n, 0, 1 << n * n))
        for n in (1, 2, 3)
    ]
    assert found == [1, 3, 25]


@given(st.integers(1, 4).flatmap(nonsingular_matrices), st.data())
def test_pivot_rows_against_minors(A: GF2Matrix, data: st.DataObject) -> None:
    """Rows order[k] serve as pivots exactly if PᵀA has nonsingular leading submatrices."""
    n = A.n_columns
    order = data.draw(orders(n))
    reordered = A.submatrix(order, range(n))
    expected = all(reordered.submatrix(range(k), range(k)).rank == k for k in range(n + 1))
    rows, taken, work = np.array(A.rows), np.array(order), np.empty(n, np.int64)
    assert edelman_orders._pivots(n, rows, taken, work) == expected
    assert edelman_orders._rows_taken(n, rows, taken) == matrix_code(reordered)
    assert rank_within(rows, (1 << n) - 1, (1 << n) - 1, work) == n


@given(st.integers(1, 4).flatmap(orders), st.data())
def test_triples_against_matrix_products(order: tuple[int, ...], data: st.DataObject) -> None:
    n = len(order)
    upper = list(edelman_orders.unit_upper(n))
    U1 = data.draw(st.sampled_from(upper))
    P = GF2Matrix.from_order(order).T  # e_k to e_order[k]
    exchanged = edelman_exchanges.ways(n, tuple(range(n)))
    right = np.array([U.rows for U in upper])
    for from_right in (False, True):
        products = [U1 @ P @ U2 @ P.T if from_right else P.T @ U1 @ P @ U2 for U2 in upper]
        failing = [t for t, A in enumerate(products) if not exchanged[matrix_code(A)]]
        found = edelman_orders._first_unexchanged(
            n, np.array(U1.rows), np.array(order), right, exchanged, from_right
        )
        assert found == (failing[0] if failing else -1)


@given(st.integers(1, 5).flatmap(matrices), st.data())
def test_images_against_sets(A: GF2Matrix, data: st.DataObject) -> None:
    n = A.n_columns
    b = data.draw(vectors(n))
    images = LCC(A, b).images()
    assert images.tolist() == [packed.apply(n, np.array(A.rows), x) ^ b for x in range(1 << n)]
    received = np.bincount(images, minlength=1 << n)
    nodes = set(images.tolist())
    free = [k for k in range(n) if len({y >> k & 1 for y in nodes}) == 2]
    corner = min(nodes)
    spanned = {
        corner ^ sum(1 << k for k in chosen)
        for size in range(len(free) + 1)
        for chosen in itertools.combinations(free, size)
    }
    assert edelman_maps._is_subcube(n, received) == (nodes == spanned)
    assert edelman_maps._is_translate(n, received)


def test_what_is_no_translate_is_seen() -> None:
    assert not edelman_maps._is_translate(2, np.array([1, 1, 1, 0]))
    assert not edelman_maps._is_subcube(2, np.array([1, 0, 0, 1]))


@given(st.integers(1, 4), st.data())
def test_senders_against_a_walk(n: int, data: st.DataObject) -> None:
    A = data.draw(nonsingular_matrices(n))
    c = LCC(A, data.draw(vectors(n)))
    sends = np.empty((n, 1 << n), np.bool_)
    edelman_pipeline.senders(n, np.array(A.rows), int(c.b), sends)
    walk = Movement.along(c, range(n))
    assert sends.tolist() == (walk.channel_use.counts > 0).tolist()
    domain = edelman_pipeline.EXCHANGED.cases(n, matrix_code(A), matrix_code(A) + 1)
    is_case = bool(list(domain))
    assert is_case == (set(Movement.along(LCC(A), range(n)).occupancies) == {1})
    if is_case:
        assert edelman_pipeline.exchange_rows(A) == exchange_factors(A).rows


def test_wires_are_left_over_by_decoding() -> None:
    """The case the paper names: decoding from the least significant bit leaves dimension n."""
    for n in range(2, 5):
        decoding = GF2Matrix.from_rows([(1 << n) - (1 << i) for i in range(n)], n)
        assert edelman_pipeline._wire_dimensions(decoding) == [n - 1]
        assert edelman_pipeline.doubled(decoding, n - 1, True) == (True, {1})
        assert edelman_pipeline.doubled(decoding, n - 1, False) == (True, {0, 2})


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
