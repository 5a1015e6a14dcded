"""Examples 1-9 of [hou], with the numbers that the paper prints."""

from __future__ import annotations

from itertools import permutations

from lccmodel import LCC, BristledHypercube, GF2Matrix, Hypercube, catalog, contention
from lccmodel.placement import lcp_optimizer, optimal_linear_mapping, optimal_reordering
from lccmodel.placement.mapping import optimal_orders
from tests.walking import messages, walked_degree, walked_loads

TRANSPOSE = catalog.matrix_transpose(8)
REVERSE = catalog.bit_reverse(8)
FLIP5 = LCC(GF2Matrix.from_order([4, 3, 2, 1, 0]), [1] * 5)


def test_example_2_a_submatrix_keeps_rows_and_columns() -> None:
    A = GF2Matrix([[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 0, 1]])
    assert A.submatrix(range(3), range(2)).tolist() == [[1, 0], [0, 1], [1, 1]]


def test_example_3_contention_of_matrix_transpose() -> None:
    printed = (1, 2, 4, 8, 8, 4, 2, 1)
    assert contention(TRANSPOSE, Hypercube(8), "formula").per_dimension == printed
    assert contention(TRANSPOSE, Hypercube(8), "walk").per_dimension == printed


def test_example_4_optimizer_gives_the_printed_order_and_communication() -> None:
    order = lcp_optimizer(TRANSPOSE)
    assert order == (0, 4, 2, 6, 1, 5, 3, 7)
    new = TRANSPOSE.reordered(order)
    assert new.A.as_order() == (1, 0, 3, 2, 5, 4, 7, 6)
    assert contention(new, Hypercube(8)).per_dimension == (1,) * 8


def test_example_6_one_order_for_transpose_and_bit_reverse() -> None:
    printed = (3, 4, 0, 7, 2, 5, 1, 6)
    assert walked_degree(TRANSPOSE, printed) == 2
    assert walked_degree(REVERSE, printed) == 1
    m = optimal_reordering([TRANSPOSE, REVERSE], Hypercube(8))
    assert [c.degree for c in m.after] == [2, 1]
    assert m.optimal
    orders = optimal_orders([TRANSPOSE, REVERSE], Hypercube(8))
    assert orders.count() == 2304
    assert printed in set(orders)


def test_section_6_one_order_for_the_three_communications() -> None:
    """M-G: degrees 2, 1, 1."""
    three = [TRANSPOSE, REVERSE, catalog.reverse_flip(8)]
    m = optimal_reordering(three, Hypercube(8))
    assert [c.degree for c in m.after] == [2, 1, 1]


def test_example_7_reverse_flip_on_32_nodes() -> None:
    assert contention(FLIP5, BristledHypercube(5)).per_dimension == (0, 2, 4, 2, 1)


def test_example_8_no_reordering_reaches_degree_one() -> None:
    projection = LCC([[int(i == j and i > 0) for j in range(5)] for i in range(5)], [1] * 5)
    complement = LCC(GF2Matrix.identity(5), [1] * 5)
    for c in (projection, complement):
        pairs = messages(c)
        least = min(
            max(walked_loads(pairs, order[1:], order[:1])) for order in permutations(range(5))
        )
        m = optimal_reordering(c, BristledHypercube(5))
        assert least == m.after.degree == 2
        assert m.optimal


def test_example_9_a_linear_mapping_frees_reverse_flip() -> None:
    m = optimal_linear_mapping(FLIP5, BristledHypercube(5))
    assert (m.before.degree, m.after.degree, m.optimal) == (4, 1, True)
    printed = GF2Matrix(
        [
            [1, 0, 0, 0, 0],
            [0, 1, 0, 0, 0],
            [0, 1, 1, 0, 0],
            [1, 0, 0, 1, 0],
            [0, 0, 0, 0, 1],
        ]
    )
    new = FLIP5.reordered(printed)
    assert list(new.b) == [1, 1, 0, 0, 1]
    assert contention(new, BristledHypercube(5)).per_dimension == (0, 1, 1, 1, 1)
