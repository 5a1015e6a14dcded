"""[hou, section 7]: the constructions for the Origin 2000 against plain matrix products."""

import numpy as np
import pytest

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.claims import hou_origin_steps as steps
from proofs_check.constructions import next_choice
from proofs_check.domain import AllMatrices
from proofs_check.orbits import least_by_mapping

uncompiled = pytest.mark.usefixtures("uncompiled")


class Run:
    """The arrays of one run; `state` starts as (A, b)."""

    def __init__(self, A: GF2Matrix, b: int = 0) -> None:
        self.A, self.b, self.n = A, b, A.n_columns
        self.taken, self.offered = np.zeros((2, self.n + 2), np.int64)
        self.again()

    def again(self) -> None:
        self.log, self.work = np.zeros((2, 4 << self.n), np.int64)
        self.state = np.array([*self.A.rows, self.b, 0], np.int64)

    @property
    def matrix(self) -> GF2Matrix:
        return GF2Matrix.from_rows(self.state[: self.n].tolist(), self.n)

    def agrees_with_products(self) -> bool:
        """The state is (QAQ⁻¹, Qb) for the logged Q."""
        Q, _ = steps.read_log(self.n, self.log.tolist())
        moved = Q.apply(self.b)
        return self.matrix == Q @ self.A @ Q.inverse() and self.state[self.n] == moved


def deepest(A: GF2Matrix) -> int:
    """Largest i - rank B_(L_i,L_i), by the library's elimination."""
    n = A.n_columns
    blocks = ((i, A.submatrix(range(1, i + 1), range(i))) for i in range(1, n))
    return max((i - block.rank for i, block in blocks), default=0)


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


def plain_lemma_5(D: GF2Matrix, partner: int) -> GF2Matrix | None:
    """Part (2) with the least j, on matrices; None where no j exists."""
    n = D.n_columns
    for k in range(n, 1, -1):
        rows, columns = list(range(1, k)), list(range(k))
        if D.submatrix(rows, range(k - 1)).rank == k - 1:
            continue
        target = k - 1 if k == n else k + partner
        found = [j for j in columns if j != target and is_combination(D, rows, columns, j)]
        if not found:
            return None
        units = [1 << i | (1 << found[0] if i == target else 0) for i in range(n)]
        Q = GF2Matrix.from_rows(units, n)
        D = Q @ D @ Q.inverse()
    return D


@uncompiled
@pytest.mark.parametrize("n", [2, 3])
def test_theorem_8_is_run_as_on_plain_matrices(n):
    for _, (A,) in AllMatrices().cases(n, 0, 1 << n * n):
        if A.rank > n - 2:
            continue
        run = Run(A, b=1)
        assert (
            steps.reordered_proof(n, run.state, -1, run.taken, run.offered, run.log, run.work) >= 1
        )
        assert run.matrix == plain_theorem_8(A)
        assert run.agrees_with_products()
        assert deepest(run.matrix) == n - 1 - A.rank


@uncompiled
@pytest.mark.parametrize("partner", [0, -1])
def test_lemma_5_is_run_as_on_plain_matrices(partner):
    n, failed = 3, 0
    for _, (A,) in AllMatrices().cases(n, 0, 512):
        if A.rank != n - 1:
            continue
        run = Run(A, b=5)
        while True:
            run.again()
            made = steps.row_zero(n, run.state, True, run.taken, run.offered, run.log, run.work)
            assert not run.state[0]
            assert run.agrees_with_products()
            first = plain_lemma_5(run.matrix, partner)
            chosen_first = not run.taken[made:].any()
            made = steps.leading_minors(
                n, run.state, partner, made, run.taken, run.offered, run.log, run.work
            )
            assert (made < 0) == (first is None) or not chosen_first
            if made < 0:
                failed += 1
                break
            assert run.agrees_with_products()
            assert run.matrix == first or not chosen_first
            failed += deepest(run.matrix) > 0
            if not next_choice(made, run.taken, run.offered):
                break
    assert (failed == 0) == (partner == -1)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_some_mapping_keeps_all_messages_in_their_routers_just_for_one_displacement(n):
    assert ((least_by_mapping(n, blind=1) == 0) == (steps.sole_displacement(n) >= 0)).all()
