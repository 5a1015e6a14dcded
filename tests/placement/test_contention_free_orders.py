"""Orders free of contention against all n! orders, walked [docs: lattice, load <= 1 all along]."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.catalog import bit_reverse, identity
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, NetworkError, NotLinearComplement, SizeLimitError
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.network import BristledHypercube, Hypercube, Mesh
from lccmodel.placement.contention_free_orders import (
    correction_orders,
    count_correction_orders,
    ranks_of_a_permutation,
)
from tests.bridges import check_bridge
from tests.strategies import permutations
from tests.walking import messages, walked_loads


@pytest.mark.parametrize("n", [1, 2, 3])
def test_they_are_the_orders_in_which_no_walked_channel_carries_two(n):
    """For one b and whatever b is: every order walked."""
    check_bridge("orders", n, 60)


@given(st.data(), st.integers(1, 5))
def test_on_a_bristled_hypercube_bit_0_is_in_no_order(data, n):
    """[hou, Theorem 7]: messages counted on the channels between routers."""
    c, network = data.draw(permutations(n)), BristledHypercube(n)
    walked = [
        order
        for order in itertools.permutations(range(1, n))
        if max(walked_loads(messages(c), order, (0,)), default=0) <= 1
    ]
    assert list(correction_orders(c, network)) == walked
    assert count_correction_orders(c, network) == len(walked)
    assert count_correction_orders(c) == len(list(correction_orders(c, Hypercube(n))))
    always = list(correction_orders(c, whatever_b=True))
    assert count_correction_orders(c, whatever_b=True) == len(always)


def test_a_bit_that_stays_may_come_anywhere():
    """HL keeps it away from between the two bits that are exchanged; it would do no harm there."""
    exchange = LCC([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    moved = LCC(exchange.A, [0, 1, 0])
    assert set(correction_orders(exchange)) - set(correction_orders(moved)) == {
        (0, 1, 2),
        (2, 1, 0),
    }
    assert list(correction_orders(moved)) == list(correction_orders(exchange, whatever_b=True))


def test_numbers_that_are_known():
    """Nobody moves: n!. Exchanges of n/2 pairs: the partner comes next, (n/2)! 2^(n/2)."""
    assert count_correction_orders(identity(64)) == math.factorial(64)
    for n in (2, 4, 6, 8):
        pairs = math.factorial(n // 2) << n // 2
        assert count_correction_orders(bit_reverse(n)) == pairs
        assert sum(1 for _ in correction_orders(bit_reverse(n))) == pairs
    assert list(correction_orders(LCC([[1]]))) == [(0,)]
    assert list(correction_orders(LCC([[1]]), BristledHypercube(1))) == [()]


def test_the_first_order_of_many_bits_is_there_at_once():
    reverse = bit_reverse(64)
    first = next(correction_orders(reverse))
    assert first[:4] == (0, 63, 1, 62)
    assert max(CorrectionLattice(reverse).loads(first)) == 1


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: correction_orders(LCC([[0, 1], [0, 0]])), CommunicationError, "must be a permutation"),
    (lambda: count_correction_orders([0, 1, 2, 3, 4, 5, 7, 6]), NotLinearComplement, "mimd"),
    (lambda: correction_orders(identity(2), Hypercube(3)), NetworkError, "must have 2\\^2 nodes"),
    (lambda: correction_orders(identity(2), Mesh((4,))), NetworkError, "must be a Hypercube"),
    (lambda: count_correction_orders(bit_reverse(22)), SizeLimitError, "at most 20"),
    (lambda: ranks_of_a_permutation([1, 0], "wrong"), CommunicationError, "must be an LCC"),
    (lambda: ranks_of_a_permutation(LCC([[0]]), "wrong"), CommunicationError, "wrong"),
])  # fmt: skip
def test_refusals_come_before_the_first_order(call, error, words):
    with pytest.raises(error, match=words):
        call()
