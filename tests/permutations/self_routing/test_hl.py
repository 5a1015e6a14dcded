"""HL on linear-complement permutations: [boppana, Lemma 4, Theorem 1, section 4, Fig. 2]."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.errors import CommunicationError, InputError, NetworkError
from lccmodel.movement import Movement
from lccmodel.network import BristledHypercube, Hypercube, Mesh
from lccmodel.permutations.self_routing import self_route
from tests.strategies import permutations

FIG2 = LCC([[0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 1, 0])
"""y_0 = x_1 + 1, y_1 = x_2 + x_0 + 1, y_2 = x_1 + x_0 [boppana, section 2.3]."""


def lattice_greedy(c: LCC, first: int) -> tuple[int, ...]:
    """Of the bits whose correction loads no channel twice whatever b is, the first each time."""
    order: list[int] = []
    for _ in range(c.n):
        free = [
            j
            for j in range(c.n)
            if j not in order and c.A.submatrix((*order, j), order).rank == len(order)
        ]
        order.append(free[first])
    return tuple(order)


@given(st.data(), st.integers(1, 6))
def test_theorem_1_and_the_greedy_walk_of_the_lattice(data, n):
    """The lattice's order, states A and B; that all arrive, `library.self_route` counts."""
    c = data.draw(permutations(n))
    for (variant, first), mode in product((("lsb", 0), ("msb", -1)), ("simd", "m-simd")):
        trace = self_route(c, mode, variant)
        assert trace.order == lattice_greedy(c, first)
        assert trace.movement == Movement.along(c, trace.order)
        states = tuple("A" if held == 1 else "B" for held in trace.movement.occupancies)
        assert trace.states == states
        assert states[-1] == "A"
        assert max(trace.movement.loads) <= 1


def test_figure_2():
    """The senders that section 2.3 names, and bits 0, 1, 2: the captions count one too high."""
    trace = self_route(FIG2)
    senders = [np.flatnonzero(row >= 0).tolist() for row in trace.moved]
    assert trace.order == (0, 1, 2)
    assert senders[0] == [0b000, 0b011, 0b100, 0b111]
    assert trace.states == ("A", "B", "A", "A")
    pairs = trace.tags[1][trace.tags[1][:, 1] >= 0]
    assert len(pairs) == 4
    assert set(pairs[:, 0] ^ pairs[:, 1]) == {0b110}  # "differ in both bit positions"
    assert senders[2] == [0b001, 0b010, 0b101, 0b110]
    assert (trace.tags[2][:, 1] == -1).all()
    assert trace.tags[3][:, 0].tolist() == list(range(8))
    assert trace.tags[0][:, 0].tolist() == [3, 5, 6, 0, 1, 7, 4, 2]


@pytest.mark.parametrize(
    ("permutation", "states"),
    [([0], ("A",)), ([0, 1], ("A", "A")), ([1, 0], ("A", "A"))],
)
def test_smallest_cubes(permutation, states):
    for mode in ("simd", "m-simd", "mimd"):
        trace = self_route(permutation, mode)
        assert trace.delivered
        assert trace.states == states
        assert len(trace.table()) == len(states)
        assert "delivered" in repr(trace)
        assert trace.tags.shape == (len(states), len(permutation), 2)


def test_large_cube_with_every_step_recorded():
    trace = self_route(catalog.bit_reverse(16), network=Hypercube(16))
    pairs = zip(range(8), range(15, 7, -1), strict=True)
    assert trace.order == tuple(k for pair in pairs for k in pair)
    assert trace.states == ("A", *("B", "A") * 8)
    assert sum(trace.movement.moves) == sum(row.moved for row in trace.table())


def test_tags_and_moves_say_the_same():
    trace = self_route([0, 1, 2, 4, 3, 7, 5, 6], "mimd")
    for step in range(trace.steps):
        for u in range(8):
            before = set(trace.tags[step, u][trace.tags[step, u] >= 0].tolist())
            sent = {int(trace.moved[step, u])} - {-1}
            bit = int(trace.choices[step, u])
            assert sent <= before
            for tag in sent:
                assert (tag ^ u) >> bit & 1
                assert tag in trace.tags[step + 1, u ^ 1 << bit]


def test_a_permutation_that_simd_does_not_route_is_no_error():
    trace = self_route([0, 1, 2, 4, 3, 7, 5, 6])
    assert not trace.delivered
    assert trace.failure is not None
    assert trace.failure.reason == "disagreement"
    assert trace.failure.step == 2
    assert trace.failure.processors == (0, 5)
    assert trace.failure.bits == (1, 2)
    assert trace.states == ("A", "other")
    assert "not delivered: in step 2" in repr(trace)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"communication": LCC([[0, 1], [0, 0]])}, CommunicationError, "permutation"),
        ({"mode": "misd"}, InputError, "one of simd, m-simd, mimd"),
        ({"variant": "both"}, InputError, '"lsb" or "msb"'),
        ({"reading": "tag"}, InputError, "one of agree, pairs, states in mode"),
        ({"steps": 4}, InputError, "at most n = 3"),
        ({"steps": -1}, InputError, "negative"),
        ({"partition": (0,)}, InputError, "m-simd"),
        ({"mode": "m-simd", "partition": (3,)}, InputError, r"distinct bits of 0\.\.2"),
        ({"network": Mesh((8, 8))}, NetworkError, r"Hypercube\(3\) or Mesh\(\(4, 2\)\)"),
        ({"network": BristledHypercube(3)}, NetworkError, "Hypercube, Mesh or Torus"),
    ],
)
def test_bad_input(arguments, error, message):
    with pytest.raises(error, match=message):
        self_route(**{"communication": FIG2, **arguments})
