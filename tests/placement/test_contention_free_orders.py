"""Orders free of contention against all n! orders, walked [docs: lattice, load <= 1 all along]."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.catalog import bit_reverse, identity
from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import (
    CommunicationError,
    NetworkError,
    NotLinearComplement,
    SizeLimitError,
)
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import Movement
from lccmodel.network import BristledHypercube, Hypercube, Mesh
from lccmodel.permutations.simd_mesh import simd_mesh_route
from lccmodel.placement.contention_free_orders import (
    correction_orders,
    count_correction_orders,
    ranks_of_a_permutation,
)
from proofs_check.claims.boppana_hl import run_in_order
from tests.strategies import permutations
from tests.walking import messages, walked_loads

SIZES = st.integers(1, 5)


def free_of_contention(c: LCC, order: tuple[int, ...]) -> bool:
    return max(Movement.along(c, order).loads) <= 1


@given(st.data(), SIZES)
def test_they_are_the_orders_in_which_no_walked_channel_carries_two(
    data: st.DataObject, n: int
) -> None:
    c = data.draw(permutations(n))
    walked = [o for o in itertools.permutations(range(n)) if free_of_contention(c, o)]
    assert list(correction_orders(c)) == walked
    assert list(correction_orders(c, Hypercube(n))) == walked
    assert count_correction_orders(c) == len(walked)


@given(st.data(), st.integers(1, 4))
def test_whatever_b_asks_every_vector(data: st.DataObject, n: int) -> None:
    c = data.draw(permutations(n))
    every = [LCC(c.A, b) for b in range(1 << n)]
    walked = [
        order
        for order in itertools.permutations(range(n))
        if all(free_of_contention(other, order) for other in every)
    ]
    assert list(correction_orders(c, whatever_b=True)) == walked
    assert count_correction_orders(c, whatever_b=True) == len(walked)


@given(st.data(), SIZES)
def test_on_a_bristled_hypercube_bit_0_is_in_no_order(data: st.DataObject, n: int) -> None:
    """[hou, Theorem 7]: messages counted on the channels between routers."""
    c, network = data.draw(permutations(n)), BristledHypercube(n)
    walked = [
        order
        for order in itertools.permutations(range(1, n))
        if max(walked_loads(messages(c), order, (0,)), default=0) <= 1
    ]
    assert list(correction_orders(c, network)) == walked
    assert count_correction_orders(c, network) == len(walked)


def hl_order(c: LCC) -> tuple[int, ...]:
    """Algorithm HL on tags, as the checker runs it."""
    order = np.zeros(c.n, np.int64)
    run_in_order(c.n, destinations_of(c), False, order)
    return tuple(order.tolist())


@given(st.data(), SIZES)
def test_hl_takes_the_first_that_is_free_whatever_b(data: st.DataObject, n: int) -> None:
    """[boppana, section 2.3]: the greedy walk."""
    c = data.draw(permutations(n))
    assert next(correction_orders(c, whatever_b=True)) == hl_order(c)
    assert hl_order(c) in set(correction_orders(c))


@given(st.data(), SIZES)
def test_the_order_of_the_mesh_passes_is_among_them(data: st.DataObject, n: int) -> None:
    """[sibeyn, section 3]."""
    c = data.draw(permutations(n))
    assert simd_mesh_route(c).order in set(correction_orders(c, whatever_b=True))


def test_a_bit_that_stays_may_come_anywhere() -> None:
    """HL keeps it away from between the two bits that are exchanged; it would do no harm there."""
    exchange = LCC([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    moved = LCC(exchange.A, [0, 1, 0])
    assert set(correction_orders(exchange)) - set(correction_orders(moved)) == {
        (0, 1, 2),
        (2, 1, 0),
    }
    assert list(correction_orders(moved)) == list(correction_orders(exchange, whatever_b=True))


def test_numbers_that_are_known() -> None:
    """Nobody moves: n!. Exchanges of n/2 pairs: the partner comes next, (n/2)! 2^(n/2)."""
    assert count_correction_orders(identity(64)) == math.factorial(64)
    for n in (2, 4, 6, 8):
        pairs = math.factorial(n // 2) << n // 2
        assert count_correction_orders(bit_reverse(n)) == pairs
        assert sum(1 for _ in correction_orders(bit_reverse(n))) == pairs
    assert list(correction_orders(LCC([[1]]))) == [(0,)]
    assert list(correction_orders(LCC([[1]]), BristledHypercube(1))) == [()]


def test_the_first_order_of_many_bits_is_there_at_once() -> None:
    reverse = bit_reverse(64)
    first = next(correction_orders(reverse))
    assert first[:4] == (0, 63, 1, 62)
    assert max(CorrectionLattice(reverse).loads(first)) == 1


def test_bad_input_is_refused_before_the_first_order() -> None:
    with pytest.raises(CommunicationError, match="must be a permutation"):
        correction_orders(LCC([[0, 1], [0, 0]]))
    with pytest.raises(NotLinearComplement, match="mimd"):
        count_correction_orders([0, 1, 2, 3, 4, 5, 7, 6])
    with pytest.raises(NetworkError, match="must have 2\\^2 nodes"):
        correction_orders(identity(2), Hypercube(3))
    with pytest.raises(NetworkError, match="must be a Hypercube"):
        correction_orders(identity(2), Mesh((4,)))
    with pytest.raises(SizeLimitError, match="at most 20"):
        count_correction_orders(bit_reverse(22))


def test_prices_of_what_is_no_communication_are_refused() -> None:
    with pytest.raises(CommunicationError, match="must be an LCC"):
        ranks_of_a_permutation([1, 0], "must be a permutation")
    with pytest.raises(CommunicationError, match="must be a permutation"):
        ranks_of_a_permutation(LCC([[0]]), "must be a permutation")
