"""[hou, sections 4 to 7]: constructions and programmes against plain steps and walked orders."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.weights import objective_value
from proofs_check.census import walked_degrees
from proofs_check.claim import Examined
from proofs_check.claims import hou_contention, hou_gathers, hou_sets
from proofs_check.claims import hou_origin_steps as steps
from proofs_check.domain import PAIRS, AllMatrices, Nonsingular, matrix_from_code
from proofs_check.orbits import least_by_mapping
from proofs_check.walk import contention
from tests.strategies import nonsingular_matrices

uncompiled = pytest.mark.usefixtures("uncompiled")


def messages(n, index, scatter=False):
    A, b = PAIRS.case(n, index)
    pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    return [(y, x) for x, y in pairs] if scatter else pairs


@uncompiled
@given(st.integers(1, 6), st.data())
def test_the_construction_of_theorem_4_against_plain_steps(n, data):
    """With the least row each time, kernel and plain version end in the same order."""
    A = data.draw(nonsingular_matrices(n))
    taken, offered, order, work = np.zeros((4, n), np.int64)
    steps = hou_contention._construct(n, np.array(A.rows), 1, taken, offered, order, work)
    plain, exchanged = hou_contention.constructed_upwards(A)
    assert (order.tolist(), steps) == (plain, len(exchanged))
    D = A.submatrix(plain, plain)
    assert [D.submatrix(range(i + 1), range(i)).rank for i in range(n)] == list(range(n))


@pytest.mark.parametrize("blind", [0, 1])
@pytest.mark.parametrize("scatter", [False, True])
def test_least_degrees_against_every_mapping(scatter, blind):
    """Orbits against every nonsingular Q tried, n = 2; `blind`: bit 0 is inside the routers."""
    n = 2
    degrees = walked_degrees(n, scatter=scatter, blind=blind)
    least = least_by_mapping(n, scatter=scatter, blind=blind)
    for index in range(PAIRS.span(n)):
        tried = []
        for _, (Q,) in Nonsingular().cases(n, 0, 16):
            pairs = messages(n, index, scatter)
            placed = [(Q.apply(x) >> blind, Q.apply(y) >> blind) for x, y in pairs]
            tried.append(max(contention(placed, range(n - blind))))
        assert least[index] == min(tried)
        assert degrees[index] in tried


@uncompiled
@given(st.integers(1, 6), st.sampled_from([1, -1]), st.data())
def test_the_construction_of_theorem_5_against_plain_steps(n, partner, data):
    """With the least column each time, kernel and plain version do the same exchanges."""
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    rows = [row if i != n - 1 else A.rows[0] * (n > 1) for i, row in enumerate(A.rows)]
    A = GF2Matrix.from_rows(rows, n)  # the last row repeats the first: singular
    taken, offered, order, work = np.zeros((4, n), np.int64)
    steps = hou_gathers._construct(n, np.array(rows), partner, True, taken, offered, order, work)
    plain, exchanged, problem = hou_gathers.constructed_downwards(A, partner)
    assert order.tolist() == plain
    if "no row" in problem:
        assert steps == hou_gathers.OUT_OF_RANGE
    elif problem:
        assert steps == hou_gathers.STUCK
    else:
        assert steps == len(exchanged)


@uncompiled
def test_all_choices_of_the_proof_are_made():
    """The zero matrix of n = 3 offers columns 0, 1, 2 first, and nothing after.

    y_1 = x_0, y_3 = x_2 offer columns 1 and 3 first, both 0; behind 1, of rows 0, 3, 2 and columns
    0, 3, 2 only y_3 = x_2 is left, and columns 0 and 3 are offered.
    """
    taken, offered, order, work = np.zeros((4, 3), np.int64)
    last = set()
    for taken[0] in range(3):
        rows = np.zeros(3, np.int64)
        assert hou_gathers._construct(3, rows, -1, True, taken, offered, order, work) == 1
        assert offered[0] == 3
        last.add(int(order[2]))
    assert last == {0, 1, 2}
    taken, offered, order, work = np.zeros((4, 4), np.int64)
    rows = np.array([0, 1, 0, 4])
    assert hou_gathers._construct(4, rows, -1, True, taken, offered, order, work) == 2
    assert offered[:2].tolist() == [2, 2]


def walked_values(n, members):
    """order -> (max-max, max-sum, sum-sum), members given by their messages."""
    values = {}
    for order in itertools.permutations(range(n)):
        loads = [contention(pairs, order) for pairs in members]
        values[order] = tuple(
            objective_value(loads, [1] * len(loads), o) for o in hou_sets.OBJECTIVES
        )
    return values


@uncompiled
def test_a_pair_of_four_bits_that_needs_the_programme():
    """The bit with the least load put next misses the optimum."""
    index = 140719340484
    assert hou_sets.thm6.check(4, index, index + 1) == Examined(1)
    assert hou_sets.thm6.check(4, index, index + 1, greedy=True) == Examined(1, index)


@given(st.integers(1, 4), st.booleans(), st.data())
def test_the_programme_kernel_against_all_orders_walked(n, scatter, data):
    indices = [data.draw(st.integers(0, PAIRS.span(n) - 1)) for _ in range(2)]
    first, second = (
        hou_sets.tabulated(n, np.array([index]), s)[1][0]
        for index, s in zip(indices, (scatter, False), strict=True)
    )
    best = np.empty(1 << n, np.int64)
    found = [hou_sets._programme(n, o, first, second, best) for o in range(3)]
    members = [messages(n, indices[0], scatter), messages(n, indices[1])]
    walked = walked_values(n, members)
    assert found == [min(value[o] for value in walked.values()) for o in range(3)]


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


@uncompiled
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
