"""Domains have the sizes they state, in lexicographic order, and products cut anywhere.

2^(n²) matrices, |GL(n,2)| of them nonsingular, n! orders.
"""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import InputError
from proofs_check.domain import (
    PAIRS,
    AllMatrices,
    AllOrders,
    AllSubsets,
    AllVectors,
    Enumerated,
    Listed,
    Nonsingular,
    Singular,
    general_linear_order,
    matrix_code,
    matrix_from_code,
)

DOMAINS = [
    PAIRS,
    AllMatrices(),
    AllVectors(),
    Nonsingular(),
    Singular(),
    AllOrders(),
    AllSubsets(),
    AllVectors("v") * Nonsingular("Q"),
    Nonsingular("Q") * AllOrders() * AllSubsets(),
]


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_as_many_cases_are_enumerated_as_the_formula_states(domain, n):
    cases = list(domain.cases(n, 0, domain.span(n)))
    assert len(cases) == domain.size(n)
    assert len({case for _, case in cases}) == len(cases)
    assert all(domain.case(n, index) == case for index, case in cases)


def test_known_sizes():
    assert [PAIRS.size(n) for n in (1, 2, 3, 4)] == [4, 64, 4096, 1048576]
    assert [general_linear_order(n) for n in (1, 2, 3, 4)] == [1, 6, 168, 20160]
    assert [AllOrders().size(n) for n in (1, 4, 8)] == [1, 24, 40320]
    assert AllOrders(count=lambda n: 2**n).size(3) == math.factorial(8)


@pytest.mark.parametrize("n", [1, 2])
def test_pairs_are_ordered_by_rows_from_the_first_and_then_by_vector(n):
    keys = [(*A.rows, int(b)) for _, (A, b) in PAIRS.cases(n, 0, PAIRS.span(n))]
    assert keys == sorted(keys)


def test_orders_are_in_lexicographic_order():
    orders = [order for _, (order,) in AllOrders().cases(4, 0, 24)]
    assert orders == list(itertools.permutations(range(4)))


@given(st.sampled_from(DOMAINS), st.data())
def test_a_range_holds_what_its_indices_hold(domain, data):
    start = data.draw(st.integers(0, domain.span(2)))
    stop = data.draw(st.integers(start, domain.span(2)))
    whole = dict(domain.cases(2, 0, domain.span(2)))
    part = dict(domain.cases(2, start, stop))
    assert part == {i: case for i, case in whole.items() if start <= i < stop}


@given(st.integers(1, 6), st.data())
def test_matrix_codes_are_inverse_to_matrices(n, data):
    code = data.draw(st.integers(0, 2 ** (n * n) - 1))
    assert matrix_code(matrix_from_code(code, n)) == code


@pytest.mark.parametrize(
    ("values", "size", "rule"),
    [([1, 2], 3, "3 in number"), ([(1, 2)], 1, "one value for each")],
)
def test_a_list_must_have_the_length_and_the_columns_it_states(values, size, rule):
    with pytest.raises(InputError, match=rule):
        Listed(8, values, names="x", text="some", size=size)


def test_a_product_with_a_list_exists_for_the_dimensions_of_the_list():
    two = Listed(3, ["a", "b"], names="row", text="two rows", size=2)
    assert (two * AllVectors()).dimensions == (3,)
    assert (AllVectors() * two).size(3) == 16
    assert two.span(4) == 0


def test_a_case_of_an_enumeration_has_a_value_for_every_name():
    """A permutation is one value: written bare it would be taken for its entries."""
    common = {"size": math.factorial, "names": "p", "text": "p"}
    bare = Enumerated(lambda n: itertools.permutations(range(n)), **common)
    with pytest.raises(InputError, match="need one value for each"):
        bare.case(2, 0)
    written = Enumerated(lambda n: ((p,) for p in itertools.permutations(range(n))), **common)
    assert [written.case(2, index) for index in range(written.span(2))] == [((0, 1),), ((1, 0),)]
    nothing = Enumerated(lambda n: (), size=lambda n: 0, names="x", text="nothing")
    assert list((nothing * AllVectors()).cases(2, 0, nothing.span(2))) == []
