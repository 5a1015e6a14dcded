"""[edelman]: kernels and tables against plain versions and the library."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import code_change
from lccmodel.communication.gray import gray_code
from lccmodel.communication.lcc import LCC
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.movement import Movement
from lccmodel.permutations.exchanges import elementary_factorizations, exchange_orders, shuffle
from lccmodel.permutations.exchanges.bits import targets_of
from proofs_check.claims import (
    edelman_exchanges,
    edelman_factorizations,
    edelman_gray,
    edelman_maps,
    edelman_shuffles,
)
from proofs_check.domain import AllMatrices, matrix_code
from tests.strategies import nonsingular_matrices, orders

uncompiled = pytest.mark.usefixtures("uncompiled")


@uncompiled
@given(st.integers(1, 6).flatmap(nonsingular_matrices), st.data())
def test_channels_of_a_swap_are_those_of_a_walk(A, data):
    n = A.n_columns
    order = data.draw(orders(n))
    used = np.empty((1 << n, n), np.int64)
    free = edelman_exchanges.channels_free(n, np.array(A.rows), np.array(order), 2, used)
    assert free == (max(Movement.along(LCC(A), order).loads) <= 1)


@uncompiled
def test_what_is_no_translate_is_seen():
    assert not edelman_maps._is_translate(2, np.array([1, 1, 1, 0]))
    assert not edelman_maps._is_subcube(2, np.array([1, 0, 0, 1]))


@uncompiled
def test_how_many_matrices_have_exchanges():
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


def test_codes_against_the_library():
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


def test_involutions_and_matchings():
    """1, 2, 4, 10, 26, 76 involutions."""
    counts = [len(edelman_shuffles.involutions(n)) for n in range(1, 7)]
    assert counts == [1, 2, 4, 10, 26, 76]
    assert [len(edelman_shuffles._matched(n, n)) for n in range(1, 7)] == counts
    for n, i, j in [(4, 1, 3), (5, 0, 4), (3, 2, 2)]:
        assert edelman_shuffles.shuffled(i, j, n) == targets_of(shuffle(i, j, n))


def test_factorizations_against_the_library():
    for n in range(1, 6):
        listed = {f[::-1] for f in edelman_factorizations.factorizations(n)}
        assert listed == set(elementary_factorizations(shuffle(0, n - 1, n)))
        assert len(edelman_factorizations.shortest(n)) == math.factorial(n)
