"""[edelman], sections 4 and 5: tables against the library."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from lccmodel.communication import code_change
from lccmodel.communication.gray import gray_code
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.exchanges import (
    elementary_factorizations,
    exchange_orders,
    shuffle,
)
from lccmodel.permutations.exchanges.bits import targets_of
from proofs_check.claims import edelman_factorizations, edelman_gray, edelman_shuffles
from proofs_check.orders import all_orders

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


@pytest.mark.slow
def test_permuted_changes_against_the_orders_that_work() -> None:
    """The kernel of Corollary 4.2 for all pairs of axes and all P of three bits."""
    n = 3
    single = tuple((k,) for k in range(n))
    for before, after in itertools.product(edelman_gray.partitions(n), repeat=2):
        decoding = np.array(edelman_gray.recoding(before, single))
        coding = np.array(edelman_gray.recoding(single, after))
        for from_right in (False, True):
            failing = -1
            for t, order in enumerate(itertools.permutations(range(n))):
                A = code_change(n, before, after, order).A
                P = GF2Matrix.from_order(order)
                kept = A @ P.T if from_right else P.T @ A
                if (0, 1, 2) not in exchange_orders(kept):
                    failing = t
                    break
            found = edelman_gray._first_unpermuted(n, coding, decoding, all_orders(n), from_right)
            assert found == failing


# -- permutations -----------------------------------------------------------------------------


def test_products_of_bits_against_matrices() -> None:
    for n in (2, 3, 4):
        for left, right in itertools.product(itertools.permutations(range(n)), repeat=2):
            P, R = (
                GF2Matrix.from_rows([1 << t.index(k) for k in range(n)], n) for t in (left, right)
            )
            assert targets_of(P @ R) == edelman_shuffles.product(left, right)


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
