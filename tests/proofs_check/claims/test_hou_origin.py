"""[hou, section 7]: the constructions for the Origin 2000 against plain matrix products."""

import numpy as np
import pytest

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claims import hou_origin_steps as steps
from proofs_check.domain import AllMatrices
from proofs_check.orbits import least_by_mapping


def is_combination(A: GF2Matrix, rows: list[int], columns: list[int], j: int) -> bool:
    others = [c for c in columns if c != j]
    return A.submatrix(rows, others).rank == A.submatrix(rows, columns).rank


def plain_theorem_8(A: GF2Matrix) -> GF2Matrix:
    """The proof with the least j, on matrices."""
    n, everything = A.n_columns, list(range(A.n_columns))

    def exchanged(D: GF2Matrix, j: int, k: int) -> GF2Matrix:
        order = everything.copy()
        order[j], order[k] = k, j
        return D.submatrix(order, order)

    j = next(j for j in everything if is_combination(A.T, everything, everything, j))
    D = exchanged(A, 0, j)
    bound = n - 1 - A.rank
    for k in range(n, 1, -1):
        if k - 1 - D.submatrix(range(1, k), range(k - 1)).rank > bound:
            columns = list(range(k))
            rows = list(range(1, k))
            D = exchanged(
                D, next(j for j in columns[1:] if is_combination(D, rows, columns, j)), k - 1
            )
    return D


@pytest.mark.usefixtures("uncompiled")
@pytest.mark.parametrize("n", [2, 3])
def test_theorem_8_is_run_as_on_plain_matrices(n):
    """The state is (QAQ⁻¹, Qb) for the logged Q, and the largest i - rank is n - 1 - rank A."""
    for _, (A,) in AllMatrices().cases(n, 0, 1 << n * n):
        if A.rank > n - 2:
            continue
        taken, offered = np.zeros((2, n + 2), np.int64)
        log, work = np.zeros((2, 4 << n), np.int64)
        state = np.array([*A.rows, 1, 0], np.int64)
        assert steps.reordered_proof(n, state, -1, taken, offered, log, work) >= 1
        D = GF2Matrix.from_rows(state[:n].tolist(), n)
        Q, _ = steps.read_log(n, log.tolist())
        assert (D, state[n]) == (Q @ A @ Q.inverse(), Q.apply(1))
        assert D == plain_theorem_8(A)
        exponents = [i - D.submatrix(range(1, i + 1), range(i)).rank for i in range(1, n)]
        assert max(exponents) == n - 1 - A.rank


@pytest.mark.parametrize("n", [1, 2, 3])
def test_some_mapping_keeps_all_messages_in_their_routers_just_for_one_displacement(n):
    assert ((least_by_mapping(n, blind=1) == 0) == (steps.sole_displacement(n) >= 0)).all()
