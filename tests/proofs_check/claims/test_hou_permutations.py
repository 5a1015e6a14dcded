"""[hou] Theorem 4, its proof, Corollary 1: controls, and the construction against plain steps."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import proofs_check
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claim import Examined
from proofs_check.claims import hou_contention
from proofs_check.domain import Nonsingular, matrix_code
from tests.strategies import nonsingular_matrices

pytestmark = pytest.mark.usefixtures("uncompiled")


def test_the_controls_fail_where_they_must():
    """One row less fails for the exchange of two bits; exchanging row k misses at n = 3."""
    assert proofs_check.check("hou.thm4", max_n=2).control.counterexample.case == {
        "A": [[0, 1], [1, 0]]
    }
    assert proofs_check.check("hou.thm4.proof", max_n=3).control.counterexample.n == 3


@given(st.integers(1, 6), st.data())
def test_the_construction_kernel_against_plain_steps(n, data):
    """With the least row each time, kernel and plain version end in the same order."""
    A = data.draw(nonsingular_matrices(n))
    taken, offered, order, work = np.zeros((4, n), np.int64)
    steps = hou_contention._construct(n, np.array(A.rows), 1, taken, offered, order, work)
    plain, exchanged = hou_contention.constructed_upwards(A)
    assert (order.tolist(), steps) == (plain, len(exchanged))
    D = A.submatrix(plain, plain)
    assert [D.submatrix(range(i + 1), range(i)).rank for i in range(n)] == list(range(n))


def test_ranks_decide_as_counting_does():
    """hou.thm4's count of meetings against ranks of every matrix and order for n = 2."""
    for index, (A,) in Nonsingular().cases(2, 0, 16):
        assert hou_contention.thm4.check(2, index, index + 1) == Examined(1)
        leading = [A.submatrix(o, o).submatrix([0], [0]).rank for o in ([0, 1], [1, 0])]
        found = hou_contention.thm4.check(2, index, index + 1, rows_less=1)
        assert found == Examined(1, None if max(leading) else index)


def test_singular_matrices_are_no_cases():
    code = matrix_code(GF2Matrix.zeros(3))
    assert hou_contention.thm4.check(3, code, code + 1) == Examined(0)
    assert hou_contention.thm4_proof.check(3, code, code + 1) == Examined(0)
