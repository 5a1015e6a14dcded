"""Dimension permutations taken apart, and the Gray code, against lists and searches.

[edelman, Lemmas 5.1 to 5.3, (5.6), (5.7) and section 4].
"""

import itertools
import math
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.gray import code_change, gray_code, inverse_gray_code
from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import bit_reverse, perfect_shuffle
from lccmodel.errors import CommunicationError, InputError
from lccmodel.gf2.matrix import GF2Matrix
from lccmodel.permutations.exchanges import (
    bit_exchange,
    bit_exchanges,
    count_elementary_factorizations,
    dimension_loads,
    elementary_factorizations,
    exchange_orders,
    exchanges_then_permutation,
    independent_exchanges,
    local_exchanges,
    product_of_exchanges,
    shuffle,
    shuffle_factors,
)
from lccmodel.permutations.exchanges.bits import cycles_of, targets_of
from tests.bridges import check_bridge
from tests.strategies import orders


def moved(exchanges: object, n: int) -> tuple[int, ...]:
    """Where every bit goes, one token after another."""
    places = list(range(n))
    for i, j in exchanges:
        places = [j if p == i else i if p == j else p for p in places]
    return tuple(places)


# -- shuffles and exchanges -------------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 7))
def test_both_forms_of_a_shuffle_move_every_bit_right(n):
    """(5.6), (5.7) and Definition 5.1, token by token."""
    for i, j in itertools.combinations_with_replacement(range(n), 2):
        goes = [k + 1 if i <= k < j else i if k == j else k for k in range(n)]
        assert targets_of(shuffle(i, j, n)) == tuple(goes)
        for form in ("5.6", "5.7"):
            factors = shuffle_factors(i, j, n, form)
            assert moved(factors, n) == tuple(goes)
            assert product_of_exchanges(factors, n) == shuffle(i, j, n)
            assert sum(dimension_loads(factors, n)) == 2 * (j - i)
        assert max(dimension_loads(shuffle_factors(i, j, n), n)) == min(j - i, 2)
        assert max(dimension_loads(shuffle_factors(i, j, n, "5.7"), n)) == j - i
    assert shuffle(0, n - 1, n) == perfect_shuffle(n)


@pytest.mark.parametrize("n", range(1, 6))
def test_two_bit_exchanges_make_any_permutation(n):
    """Lemmas 5.1 and 5.3, address by address; each exchanges pairs of bits that share none."""
    check_bridge("bit_exchanges", n)
    for order in itertools.permutations(range(n)):
        for exchange in bit_exchanges(order):
            pairs = independent_exchanges(exchange)
            assert len({bit for pair in pairs for bit in pair}) == 2 * len(pairs)
            assert product_of_exchanges(pairs, n) == exchange


@pytest.mark.parametrize("n", range(1, 6))
def test_factorizations_counted_and_listed(n):
    """Dénes' count, for several cycles too; every listed product is the permutation."""
    for order in itertools.permutations(range(n)):
        listed = list(elementary_factorizations(order))
        assert listed == sorted(set(listed))
        assert len(listed) == count_elementary_factorizations(order)
        assert {moved(f, n) for f in listed} == {targets_of(order)}
        fixed = sum(k == bit for k, bit in enumerate(order))
        assert {len(f) for f in listed} == {n - len(cycles_of(targets_of(order))) - fixed}
    assert count_elementary_factorizations(perfect_shuffle(64)) == 64**62  # n^(n-2) of a cycle


@pytest.mark.parametrize("n", range(1, 6))
def test_local_exchanges_are_the_fewest(n):
    """Breadth-first search with the exchanges of one local dimension only."""
    for local in range(n):
        distance = {tuple(range(n)): 0}
        queue = deque(distance)
        while queue:
            here = queue.popleft()
            for other in set(range(n)) - {local}:
                there = tuple(other if p == local else local if p == other else p for p in here)
                if there not in distance:
                    distance[there] = distance[here] + 1
                    queue.append(there)
        assert len(distance) == math.factorial(n)
        for targets, fewest in distance.items():
            P = GF2Matrix.from_rows([1 << targets.index(k) for k in range(n)], n)
            exchanges = local_exchanges(P, local)
            assert moved(exchanges, n) == targets
            assert len(exchanges) == fewest
            assert all(local in pair for pair in exchanges)


def test_the_largest_size():
    assert bit_exchanges(perfect_shuffle(64))[0].n == 64
    assert independent_exchanges(bit_reverse(64)) == tuple((k, 63 - k) for k in range(32))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: shuffle(2, 1, 3), InputError, "0 <= i <= j"),
        (lambda: bit_exchange(1, 1, 3), InputError, "two different bits"),
        (lambda: dimension_loads([(0, 3)], 3), InputError, "two different bits"),
        (lambda: independent_exchanges(shuffle(0, 2, 3)), InputError, "symmetric"),
        (lambda: bit_exchanges(GF2Matrix([[1, 1], [0, 1]])), InputError, "permutation"),
        *((lambda wrong=wrong: bit_exchanges(wrong), InputError, None)
          for wrong in ([0, 0], [], [[1, 1], [0, 1]])),
        (lambda: bit_exchanges(LCC([[0, 1], [1, 0]], [1, 0])), CommunicationError, "b = 0"),
        (lambda: shuffle_factors(0, 1, 2, "5.8"), InputError, "form"),
        (lambda: local_exchanges([1, 0], 2), InputError, "local"),
        (lambda: gray_code(3, [[0, 1], [1, 2]]), InputError, "share"),
        (lambda: gray_code(3, [[0, 0]]), InputError, "share"),
        (lambda: gray_code(3, [[0, 3]]), InputError, r"0\.\.2"),
        (lambda: gray_code(0), CommunicationError, "n"),
        (lambda: code_change(2, None, None, [[1, 1], [0, 1]]), InputError, "permutation"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


# -- Gray codes -------------------------------------------------------------------------------


def coded(x: int, axes: list[list[int]]) -> int:
    """The Gray code on every axis by numbers: cut out, k xor (k >> 1), put back."""
    y = x
    for axis in axes:
        number = sum((x >> bit & 1) << t for t, bit in enumerate(axis))
        number ^= number >> 1
        for t, bit in enumerate(axis):
            y = y & ~(1 << bit) | (number >> t & 1) << bit
    return y


@st.composite
def some_axes(draw: st.DrawFn, n: int, ascending: bool = False) -> list[list[int]]:
    """Disjoint axes that need not have all bits."""
    left = list(draw(orders(n)))[: draw(st.integers(0, n))]
    axes = []
    while left:
        size = draw(st.integers(1, len(left)))
        axes.append(sorted(left[:size]) if ascending else left[:size])
        left = left[size:]
    return axes


@given(st.integers(1, 6), st.data())
def test_a_code_change_recodes_in_every_order(n, data):
    """Corollary 4.1, node by node, and Corollary 4.2 with a permutation in between."""
    before, after = data.draw(some_axes(n, True)), data.draw(some_axes(n, True))
    change = code_change(n, before, after)
    for x in range(1 << n):
        assert change.destination(coded(x, before)) == coded(x, after)
        assert gray_code(n, after).destination(x) == coded(x, after)
        assert inverse_gray_code(n, after).destination(coded(x, after)) == x
    assert exchange_orders(change).count == math.factorial(n)
    order = data.draw(orders(n))
    permuted = code_change(n, before, after, order)
    P = LCC(GF2Matrix.from_order(order))
    for x in range(1 << n):
        assert permuted.destination(coded(x, before)) == coded(P.destination(x), after)
    assert exchanges_then_permutation(permuted, "last").permutation == P


def test_one_axis_of_64_bits_is_the_reflected_code():
    """k goes to k xor (k >> 1), and back; the catalogue builds the same."""
    for k in (0, 1, (1 << 64) - 1, 0x5DEECE66D):
        assert gray_code(64).destination(k) == k ^ k >> 1
        assert inverse_gray_code(64).destination(k ^ k >> 1) == k
    assert catalog.build("gray-code", 64) == gray_code(64)
    assert gray_code(5, []).A == GF2Matrix.identity(5)
    assert gray_code(5).name == "gray-code"
