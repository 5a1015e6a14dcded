"""Examples 3-9 of [hou], with the numbers that the paper prints."""

from __future__ import annotations

from itertools import permutations

import pytest

from lccmodel import LCC, BristledHypercube, GF2Matrix, Hypercube, catalog, contention
from lccmodel.network import Network
from lccmodel.placement import lcp_optimizer, optimal_linear_mapping, optimal_reordering
from lccmodel.placement.mapping import optimal_orders
from tests.walking import walked_degree

TRANSPOSE, REVERSE = catalog.matrix_transpose(8), catalog.bit_reverse(8)
FLIP5 = LCC(GF2Matrix.from_order([4, 3, 2, 1, 0]), [1] * 5)
ROWS = ["10000", "01000", "01100", "10010", "00001"]
EXAMPLE_9 = FLIP5.reordered(GF2Matrix([[int(bit) for bit in row] for row in ROWS]))


@pytest.mark.parametrize(("communication", "network", "printed"), [
    (TRANSPOSE, Hypercube(8), (1, 2, 4, 8, 8, 4, 2, 1)),
    (FLIP5, BristledHypercube(5), (0, 2, 4, 2, 1)),
    (EXAMPLE_9, BristledHypercube(5), (0, 1, 1, 1, 1)),
], ids=["3", "7", "9"])  # fmt: skip
def test_printed_contention(communication: LCC, network: Network, printed: tuple[int, ...]) -> None:
    for method in ("formula", "walk"):
        assert contention(communication, network, method).per_dimension == printed


def test_example_4_optimizer_gives_the_printed_order_and_communication() -> None:
    order = lcp_optimizer(TRANSPOSE)
    assert order == (0, 4, 2, 6, 1, 5, 3, 7)
    new = TRANSPOSE.reordered(order)
    assert new.A.as_order() == (1, 0, 3, 2, 5, 4, 7, 6)
    assert contention(new, Hypercube(8)).per_dimension == (1,) * 8


def test_examples_6_and_section_6_one_order_for_two_and_three_communications() -> None:
    """M-G: degrees 2, 1, 1."""
    printed = (3, 4, 0, 7, 2, 5, 1, 6)
    assert [walked_degree(c, printed) for c in (TRANSPOSE, REVERSE)] == [2, 1]
    three = [TRANSPOSE, REVERSE, catalog.reverse_flip(8)]
    for members, degrees in ((three[:2], [2, 1]), (three, [2, 1, 1])):
        m = optimal_reordering(members, Hypercube(8))
        assert ([c.degree for c in m.after], m.optimal) == (degrees, True)
    orders = optimal_orders(three[:2], Hypercube(8))
    assert orders.count() == 2304
    assert printed in set(orders)


@pytest.mark.parametrize("A", [
    [[int(i == j and i > 0) for j in range(5)] for i in range(5)], GF2Matrix.identity(5),
], ids=["projection", "complement"])  # fmt: skip
def test_example_8_no_reordering_reaches_degree_one(A: GF2Matrix) -> None:
    c = LCC(A, [1] * 5)
    least = min(walked_degree(c, order[1:], order[:1]) for order in permutations(range(5)))
    m = optimal_reordering(c, BristledHypercube(5))
    assert least == m.after.degree == 2
    assert m.optimal


def test_example_9_a_linear_mapping_frees_reverse_flip() -> None:
    m = optimal_linear_mapping(FLIP5, BristledHypercube(5))
    assert (m.before.degree, m.after.degree, m.optimal) == (4, 1, True)
    assert list(EXAMPLE_9.b) == [1, 1, 0, 0, 1]
