"""[hou, sections 4 to 6]: constructions and programmes against plain steps and walked orders."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.lattice.weights import objective_value
from proofs_check.census import walked_degrees
from proofs_check.claim import Examined
from proofs_check.claims import hou_contention, hou_gathers, hou_reordering, hou_sets
from proofs_check.domain import PAIRS, Nonsingular, matrix_from_code
from proofs_check.orbits import least_by_mapping
from proofs_check.walk import contention
from tests.strategies import nonsingular_matrices

uncompiled = pytest.mark.usefixtures("uncompiled")


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


@uncompiled
@given(st.integers(1, 3), st.data())
def test_the_kernel_compares_least_degrees_as_walked_one_by_one(n, data):
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    i, both = data.draw(st.integers(0, n - 1)), data.draw(st.booleans())
    A, b = PAIRS.case(n, index)
    kept = [k for k in range(n) if k != i]
    pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    degrees = {o: max(contention(pairs, o)) for o in itertools.permutations(range(n))}
    rests = {}
    for order in itertools.permutations(kept):
        rests[order] = 0
        for x_i in range(2 if both else 1):
            sent = [x | x_i << i for x in range(1 << n) if not x >> i & 1]
            ends = [A.apply(x) ^ int(b) for x in sent]
            halves = [(x, (y & ~(1 << i)) | x_i << i) for x, y in zip(sent, ends, strict=True)]
            rests[order] = max(rests[order], *_walked(halves, order), 0)
    least, rest = min(degrees.values()), min(rests.values())
    found = [
        hou_reordering._is_lossless(n, index, i, both, every, *hou_reordering._tables(n))
        for every in (False, True)
    ]
    best = [o for o in rests if rests[o] == rest]
    assert found == [rest == least, all(degrees[(*o, i)] == least for o in best)]


def _walked(pairs, order):
    """T of the dimensions in `order`; the others do not differ between x and y."""
    loads = {}
    for x, y in pairs:
        at = x
        for k in order:
            if (at ^ y) >> k & 1:
                loads[k, at] = loads.get((k, at), 0) + 1
                at ^= 1 << k
    return list(loads.values())


def messages(n, index, scatter=False):
    A, b = PAIRS.case(n, index)
    pairs = [(x, A.apply(x) ^ int(b)) for x in range(1 << n)]
    return [(y, x) for x, y in pairs] if scatter else pairs


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


@given(st.integers(2, 3), st.booleans(), st.data())
def test_the_restricted_theorem_against_all_orders_walked(n, whole, data):
    indices = [data.draw(st.integers(0, PAIRS.span(n) - 1)) for _ in range(2)]
    pairs = [messages(n, index) for index in indices]
    walked = walked_values(n, pairs)
    misled = False
    for objective in range(3):
        least = min(value[objective] for value in walked.values())
        safe = False
        for j in range(n):
            kept = [k for k in range(n) if k != j]
            values = {}
            for order in itertools.permutations(kept):
                if whole:
                    loads = [contention(p, (*order, j)) for p in pairs]
                    loads = [[T[k] for k in kept] for T in loads]
                else:
                    # the messages with x_j = 0, kept there: the restriction to the other bits
                    halves = [[(x, y & ~(1 << j)) for x, y in p if not x >> j & 1] for p in pairs]
                    loads = [[contention(p, (*order, j))[k] for k in kept] for p in halves]
                name = hou_sets.OBJECTIVES[objective]
                values[order] = objective_value(loads, [1, 1], name)
            best = [o for o, value in values.items() if value == min(values.values())]
            safe |= all(walked[(*o, j)][objective] == least for o in best)
        misled |= not safe
    marked, profiles = hou_sets._misled(n, whole, False)
    assert marked[profiles[indices[0]], profiles[indices[1]]] == misled
