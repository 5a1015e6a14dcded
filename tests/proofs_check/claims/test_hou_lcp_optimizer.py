"""[hou] Fig. 3: the run against plain Python and the library."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import LCC
from lccmodel.placement.mapping.walks import lcp_optimizer
from proofs_check.claims.hou_lcp_optimizer import lcp_optimizer_states
from proofs_check.domain import Nonsingular
from tests.strategies import nonsingular_matrices

pytestmark = pytest.mark.usefixtures("uncompiled")


def plain_lcp_optimizer(A):
    """Fig. 3 on lists of lists, every line where it stands."""
    n = A.n_columns
    D, V = A.tolist(), A.tolist()
    Q = [[int(r == c) for c in range(n)] for r in range(n)]
    R = [0] * n
    begun = []
    for i in range(n - 1):
        begun.append(([row[:] for row in D], [row[:] for row in V]))
        j = 0
        while V[j][i] == 0 or R[j] != 0:
            j += 1
        if j > i + 1:
            for M in (D, V):
                M[i + 1], M[j] = M[j], M[i + 1]
                for row in M:
                    row[i + 1], row[j] = row[j], row[i + 1]
            R[i + 1], R[j] = R[j], R[i + 1]
            Q[i + 1], Q[j] = Q[j], Q[i + 1]
            j = i + 1
        for k in range(n):
            if k != j and V[k][i] != 0:
                V[k] = [a ^ b for a, b in zip(V[k], V[j], strict=True)]
        R[j] = 1
    begun.append((D, V))
    return begun, Q, R


def check_run(A):
    Ds, Vs, Q = lcp_optimizer_states(A)
    begun, plain_Q, _ = plain_lcp_optimizer(A)
    assert [(D.tolist(), V.tolist()) for D, V in zip(Ds, Vs, strict=True)] == begun
    assert Q.tolist() == plain_Q
    assert lcp_optimizer(LCC(A)) == Q.as_order()
    assert LCC(A).reordered(Q).A == Ds[-1]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_run_against_plain_python_and_the_library_for_all_matrices(n):
    for _, (A,) in Nonsingular().cases(n, 0, Nonsingular().span(n)):
        check_run(A)


@given(st.integers(4, 9), st.data())
def test_the_run_against_plain_python_and_the_library(n, data):
    check_run(data.draw(nonsingular_matrices(n)))
