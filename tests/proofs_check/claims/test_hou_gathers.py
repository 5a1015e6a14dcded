"""[hou] Theorem 5, its proof and Corollary 2: the construction against plain steps."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.gf2.matrix import GF2Matrix
from proofs_check.census import walked_degrees
from proofs_check.claim import Examined
from proofs_check.claims import hou_gathers
from proofs_check.domain import PAIRS, Nonsingular, Singular, matrix_from_code
from proofs_check.orbits import least_by_mapping
from proofs_check.orders import all_orders
from proofs_check.walk import contention


def test_the_printed_index_fails_within_the_matrix_too():
    """n = 4: at k = 2 there is a row k + 1 = 3; exchanging it does not reach the bound."""
    inside = set()
    for _, (A,) in Singular().cases(4, 0, 1 << 16):
        order, exchanged, problem = hou_gathers.constructed_downwards(A, partner=1)
        if problem or len(exchanged) == 1:
            continue
        D = A.submatrix(order, order)
        exponents = [i - D.submatrix(range(i + 1), range(i)).rank for i in range(4)]
        inside.add(max(exponents) <= 3 - A.rank)
        if len(inside) == 2:
            break
    assert False in inside


@pytest.mark.slow
@given(st.integers(1, 4), st.data())
def test_a_scatter_sent_back_along_its_gather_has_the_gather_s_loads(n, data):
    """Descending order of dimensions, and ascending order after the bits are reversed."""
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    A, b = PAIRS.case(n, index)
    images = [A.apply(x) ^ int(b) for x in range(1 << n)]
    back = [(image, y) for y, image in enumerate(images)]
    assert max(contention(back, range(n)[::-1])) == walked_degrees(n)[index]


@pytest.mark.parametrize("scatter", [False, True])
def test_least_degrees_against_every_mapping(scatter):
    """Orbits against every nonsingular Q tried, n = 2."""
    n = 2
    degrees, least = walked_degrees(n, scatter=scatter), least_by_mapping(n, scatter=scatter)
    for index, (A, b) in PAIRS.cases(n, 0, PAIRS.span(n)):
        tried = []
        for _, (Q,) in Nonsingular().cases(n, 0, 16):
            messages = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
            if scatter:
                messages = [(y, x) for x, y in messages]
            tried.append(max(contention([(Q.apply(x), Q.apply(y)) for x, y in messages], range(n))))
        assert least[index] == min(tried)
        assert degrees[index] in tried


@pytest.mark.usefixtures("uncompiled")
@given(st.integers(1, 6), st.sampled_from([1, -1]), st.data())
def test_the_construction_kernel_against_plain_steps(n, partner, data):
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


@pytest.mark.usefixtures("uncompiled")
def test_bounded_orders_by_ranks_are_those_by_counting():
    """hou.thm5 for n = 2 against ranks of every order."""
    for index, (A,) in Singular().cases(2, 0, 16):
        for halvings in (0, 1):
            bounded = False
            for o in all_orders(2).tolist():
                D = A.submatrix(o, o)
                exponents = [i - D.submatrix(range(i + 1), range(i)).rank for i in range(2)]
                bounded |= max(exponents) <= 1 - A.rank - halvings
            found = hou_gathers.thm5.check(2, index, index + 1, halvings=halvings)
            assert found == Examined(1, None if bounded else index)


@pytest.mark.usefixtures("uncompiled")
def test_all_choices_of_the_proof_are_made():
    """The zero matrix of n = 3 offers columns 0, 1, 2 first, and nothing after."""
    taken, offered, order, work = np.zeros((4, 3), np.int64)
    last = set()
    for choice in itertools.product(range(3)):
        taken[0] = choice[0]
        rows = np.zeros(3, np.int64)
        assert hou_gathers._construct(3, rows, -1, True, taken, offered, order, work) == 1
        assert offered[0] == 3
        last.add(int(order[2]))
    assert last == {0, 1, 2}
