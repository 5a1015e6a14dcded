"""Walking kernels, meetings, orders and orbits count what single messages and all matrices give.

T_i of [hou, section 2]: the messages on the busiest channel of dimension i;
#{v in S : Av has no bit in S nor j}, which [hou, Theorems 4 and 5] bound along an order.
"""

import itertools
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import LCC
from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check import constructions, orders, walk
from proofs_check.census import walked_degrees
from proofs_check.domain import PAIRS, Nonsingular, matrix_code, matrix_from_code
from proofs_check.orbits import matrix_orbits, pair_orbits
from proofs_check.walk import channel_loads, contention, route


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


def counted(A: GF2Matrix, rows_less: int = 0) -> tuple[np.ndarray, int]:
    n = A.n_columns
    counts = np.empty((1 << n, n), np.int64)
    images = np.empty(1 << n, np.int64)
    nullspace = orders.count_meetings(n, np.array(A.rows), rows_less, images, counts)
    return counts, nullspace


@given(st.integers(1, 5), st.data())
def test_meetings(n, data):
    """counts[S, j] is the load of dimension j behind S when every message changes some bit."""
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    counts, nullspace = counted(A)
    in_node, _ = counted(A, rows_less=1)
    assert nullspace == 2 ** (n - A.rank)
    pairs = [(x, A.apply(x) ^ (1 << n) - 1) for x in range(1 << n)]
    for size in range(n):
        for S in itertools.combinations(range(n), size):
            mask = sum(1 << k for k in S)
            held = max(Counter((x & ~mask) | (y & mask) for x, y in pairs).values())
            for j in set(range(n)) - set(S):
                loads = channel_loads(route(x, y, [*S, j]) for x, y in pairs)
                crossing = [load for (u, v), load in loads.items() if u ^ v == 1 << j]
                assert counts[mask, j] == max(crossing)
                assert in_node[mask, j] == held


@given(st.integers(1, 5), st.data())
def test_an_order_exists_just_when_one_of_all_orders_keeps_the_bound(n, data):
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    counts, _ = counted(A)
    b = (1 << n) - 1
    pairs = [(x, A.apply(x) ^ b) for x in range(1 << n)]
    least = min(max(contention(pairs, order)) for order in itertools.permutations(range(n)))
    assert [orders.order_exists(n, counts, bound) for bound in (least - 1, least)] == [False, True]


@given(st.integers(1, 4), st.data())
def test_the_index_of_a_reordered_pair(n, data):
    """[hou, Theorem 2]: (QAQ⁻¹, Qb) by the library, which multiplies matrices."""
    index = data.draw(st.integers(0, PAIRS.span(n) - 1))
    order = data.draw(st.permutations(range(n)))
    A, b = PAIRS.case(n, index)
    moved = LCC(A, b).reordered(order)
    found = orders.reordered(n, index, np.array(order))
    assert PAIRS.case(n, found) == (moved.A, moved.b)
    assert found == matrix_code(moved.A) << n | int(moved.b)


def test_degrees_begin_with_one_node_and_are_kept_up_to_n_4():
    assert walked_degrees(0).tolist() == [0]
    assert orders.all_orders(0).shape == (1, 0)
    with pytest.raises(SizeLimitError, match="n = 4"):
        walked_degrees(5)


@given(st.integers(1, 6), st.data())
def test_ranks_of_parts(n, data):
    A = matrix_from_code(data.draw(st.integers(0, 2 ** (n * n) - 1)), n)
    order = data.draw(st.permutations(range(n)))
    height, columns = data.draw(st.integers(0, n)), data.draw(st.integers(0, 2**n - 1))
    kept = [c for c in range(n) if columns >> c & 1]
    part = A.submatrix(order, order).submatrix(range(height), kept)
    work = np.empty(n, np.int64)
    arguments = (np.array(A.rows), np.array(order), height, columns)
    assert constructions.rank_of_part(*arguments, work) == part.rank
    for j in kept:
        others = A.submatrix(order, order).submatrix(range(height), [c for c in kept if c != j])
        assert constructions.depends(*arguments, j, work) == (others.rank == part.rank)


def test_the_odometer_makes_every_choice_once():
    """Three steps with 2, 3 and (after choice 1 of step 1) 1 or 2 candidates."""
    taken, offered = np.zeros((2, 4), np.int64)
    made = []
    while True:
        first = constructions.chosen(0b101, 0, taken, offered)
        second = constructions.chosen(0b1110, 1, taken, offered)
        third = constructions.chosen(0b11 if second == 2 else 0b1, 2, taken, offered)
        made.append((first, second, third))
        if not constructions.next_choice(3, taken, offered):
            break
    expected = [(f, s, t) for f in (0, 2) for s in (1, 2, 3) for t in ((0, 1) if s == 2 else (0,))]
    assert made == expected
    assert constructions.chosen(0, 0, taken, offered) == -1
