"""Orders free of contention against all n! orders, walked [docs: lattice, load <= 1 all along]."""

from __future__ import annotations

import itertools
import math
from typing import Any

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


def free_orders(cs: list[LCC], first: int = 0) -> list[tuple[int, ...]]:
    """Orders in which no walked channel carries two messages of any of the communications."""
    return [
        order
        for order in itertools.permutations(range(first, cs[0].n))
        if all(max(walked_loads(messages(c), order, range(first)), default=0) <= 1 for c in cs)
    ]


@given(st.data(), st.integers(1, 5))
def test_they_are_the_orders_in_which_no_walked_channel_carries_two(
    data: st.DataObject, n: int
) -> None:
    """On a bristled hypercube bit 0 is in no order [hou, Theorem 7]."""
    c = data.draw(permutations(n))
    walked = free_orders([c])
    assert list(correction_orders(c)) == list(correction_orders(c, Hypercube(n))) == walked
    assert count_correction_orders(c) == len(walked)
    between_routers = free_orders([c], 1)
    assert list(correction_orders(c, BristledHypercube(n))) == between_routers
    assert count_correction_orders(c, BristledHypercube(n)) == len(between_routers)


@given(st.data(), st.integers(1, 4))
def test_whatever_b_asks_every_vector(data: st.DataObject, n: int) -> None:
    """HL is the greedy walk [boppana, section 2.3]; mesh passes are free, too [sibeyn, section 3].

    HL runs on tags, as the checker runs it."""
    c = data.draw(permutations(n))
    always = free_orders([LCC(c.A, b) for b in range(1 << n)])
    assert list(correction_orders(c, whatever_b=True)) == always
    assert count_correction_orders(c, whatever_b=True) == len(always)
    by_tags = np.zeros(n, np.int64)
    run_in_order(n, destinations_of(c), False, by_tags)
    assert always[0] == tuple(by_tags.tolist())
    assert simd_mesh_route(c).order in always


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


@pytest.mark.parametrize(("call", "error", "words"), [
    (lambda: correction_orders(LCC([[0, 1], [0, 0]])), CommunicationError, "must be a permutation"),
    (lambda: count_correction_orders([0, 1, 2, 3, 4, 5, 7, 6]), NotLinearComplement, "mimd"),
    (lambda: correction_orders(identity(2), Hypercube(3)), NetworkError, "must have 2\\^2 nodes"),
    (lambda: correction_orders(identity(2), Mesh((4,))), NetworkError, "must be a Hypercube"),
    (lambda: count_correction_orders(bit_reverse(22)), SizeLimitError, "at most 20"),
    (lambda: ranks_of_a_permutation([1, 0], "wrong"), CommunicationError, "must be an LCC"),
    (lambda: ranks_of_a_permutation(LCC([[0]]), "wrong"), CommunicationError, "wrong"),
])  # fmt: skip
def test_refusals_come_before_the_first_order(
    call: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call()
