"""The walking kernels count what messages walked one by one over the hypercube count.

T_i of [hou, section 2]: the messages on the busiest channel of dimension i.
"""

import itertools

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check import walk
from proofs_check.domain import PAIRS, Nonsingular, matrix_code, matrix_from_code
from proofs_check.orbits import matrix_orbits, pair_orbits


def messages(A: GF2Matrix, b: int) -> list[tuple[int, int]]:
    return [(x, A.apply(x) ^ b) for x in range(1 << A.n_columns)]


@given(st.integers(1, 6), st.data())
def test_communications_are_walked_alike(n, data):
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    b = data.draw(st.integers(0, 2**n - 1))
    order = data.draw(st.permutations(range(n)))
    assert walk.walked_contention(A, b, order) == walk.contention(messages(A, b), order)


@given(st.integers(2, 6), st.data())
def test_nodes_that_share_a_router_share_its_channels(n, data):
    """blind = 1: channels of dimension i >= 1 join routers x >> 1."""
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    b = data.draw(st.integers(0, 2**n - 1))
    routed = [(x >> 1, y >> 1) for x, y in messages(A, b)]
    assert walk.walked_contention(A, b, blind=1) == [0, *walk.contention(routed, range(n - 1))]


def test_seven_dimensions_are_walked_message_by_message():
    A = GF2Matrix.from_order((6, 5, 4, 3, 2, 1, 0))
    assert walk.walked_contention(A, 0) == walk.contention(messages(A, 0), range(7))
    assert walk.walked_contention(A, 0) == [1, 2, 4, 0, 4, 2, 1]


def test_a_route_is_a_shortest_path_of_the_hypercube():
    cube = nx.convert_node_labels_to_integers(nx.hypercube_graph(3), ordering="sorted")
    for x, y, order in itertools.product(range(8), range(8), itertools.permutations(range(3))):
        path = walk.route(x, y, order)
        assert nx.is_path(cube, path)
        assert len(path) - 1 == nx.shortest_path_length(cube, x, y)


def test_messages_that_meet_in_a_node_are_counted():
    """All nodes send to node 0: after correcting bits 0 and 1 four messages share a node."""
    n = 3
    sources, sets = np.empty(n, np.uint64), np.empty(8, np.uint64)
    walk.set_source_planes(n, sources)
    assert walk.most_crowded(n, sources, sets) == (1, 1)
    sources[:2] = 0
    assert walk.most_crowded(n, sources, sets) == (4, 4)


# -- orbits of GL(n,2) ------------------------------------------------------------------------


def images(A: GF2Matrix, b: int) -> set[int]:
    n = A.n_columns
    found = set()
    for _, (Q,) in Nonsingular().cases(n, 0, 1 << n * n):
        found.add(matrix_code(Q @ A @ Q.inverse()) << n | Q.apply(b))
    return found


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_an_orbit_is_what_all_nonsingular_matrices_make_of_a_pair(n):
    labels = pair_orbits(n)
    for index, (A, b) in PAIRS.cases(n, 0, PAIRS.span(n)):
        if labels[index] == index or n < 3:
            orbit = images(A, int(b))
            assert labels[index] == min(orbit)
            assert set(np.flatnonzero(labels == labels[index]).tolist()) == orbit


@pytest.mark.parametrize(("n", "classes"), [(1, 2), (2, 6), (3, 14), (4, 34)])
def test_similarity_classes_are_as_many_as_their_generating_function_says(n, classes):
    """prod over k of 1/(1 - 2 x^k) = 1 + 2x + 6x² + 14x³ + 34x⁴ + ..."""
    assert len(np.unique(matrix_orbits(n))) == classes


def test_orbits_that_do_not_fit_are_refused():
    with pytest.raises(SizeLimitError):
        pair_orbits(5)
