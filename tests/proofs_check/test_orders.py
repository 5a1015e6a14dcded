"""Messages that meet and degrees of all orders, against messages walked one by one.

#{v in S : Av has no bit in S nor j}, which [hou, Theorems 4 and 5] bound along an order.
"""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import LCC
from lccmodel.errors import SizeLimitError
from lccmodel.gf2.matrix import GF2Matrix
from proofs_check import constructions, orders
from proofs_check.census import walked_degrees
from proofs_check.domain import PAIRS, matrix_code, matrix_from_code
from proofs_check.walk import channel_loads, contention, route


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
