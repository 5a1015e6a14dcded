"""Walks counted from positions, against the ranks of the lattice [docs: lattice]."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication.catalog import identity
from lccmodel.communication.destinations import destinations_of, linear_complement_of
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, NotLinearComplement, SizeLimitError
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement.walk import Walk
from tests.strategies import nonsingular_matrices, orders, vectors


@given(st.data(), st.integers(1, 6))
def test_counted_occupancy_and_load_are_the_ranks(data: st.DataObject, n: int) -> None:
    c = LCC(data.draw(nonsingular_matrices(n)), data.draw(vectors(n)))
    order = data.draw(orders(n))
    walk, lattice = Walk.along(c, order), CorrectionLattice(c)
    assert walk.loads == lattice.loads(order)
    assert walk.occupancies == (*(step.occupancy for step in lattice.walk(order)), 1)
    assert np.array_equal(walk.positions[-1], destinations_of(c))


@given(st.data(), st.integers(1, 5))
def test_channel_use_is_what_the_dimensions_carry(data: st.DataObject, n: int) -> None:
    permutation = data.draw(st.permutations(range(1 << n)))
    order = data.draw(orders(n))
    walk = Walk.along(permutation, order)
    assert walk.channel_use.max(axis=0).tolist() == [walk.loads[order.index(k)] for k in range(n)]
    assert walk.channel_use.sum() == sum(walk.moves)
    assert sum(walk.moves) == sum((x ^ y).bit_count() for x, y in enumerate(permutation))


def test_a_walk_may_stop_early_and_one_node_never_moves() -> None:
    assert Walk.along([3, 2, 1, 0], [1]).positions.tolist() == [[0, 1, 2, 3], [2, 3, 0, 1]]
    alone = Walk.along([0], [])
    assert (alone.n, alone.steps, alone.occupancies, alone.loads) == (0, 0, (1,), ())


@pytest.mark.parametrize(
    "positions", [[[0, 1], [1, 0], [2, 0]], [[1, 0]], [[0, 1, 2]], [[0, 1, 2, 3], [3, 1, 2, 0]]]
)
def test_impossible_positions(positions: list[list[int]]) -> None:
    with pytest.raises(InputError, match="positions"):
        Walk(np.array(positions))


@pytest.mark.parametrize(
    ("communication", "message"),
    [
        ([0, 1, 1, 2], "node 1 receives"),
        ([0, 4], r"in 0\.\.1; got 4"),
        ([0, 1, 2], r"2\^n destinations; got 3"),
        ([[0, 1]], "sequence of"),
        ([0.5, 1.0], "sequence of"),
        ("ab", "sequence of"),
        (LCC([[0, 1], [0, 0]]), "must be a permutation"),
    ],
)
def test_no_permutation(communication: object, message: str) -> None:
    with pytest.raises(CommunicationError, match=message):
        destinations_of(communication)  # type: ignore[arg-type]


def test_what_is_not_linear_complement_says_what_would_work() -> None:
    with pytest.raises(NotLinearComplement, match="try mode='mimd'") as caught:
        linear_complement_of([0, 1, 2, 3, 4, 5, 7, 6], "try mode='mimd'")
    assert caught.value.witness is not None
    with pytest.raises(SizeLimitError, match="n <= 24"):
        destinations_of(identity(25))
