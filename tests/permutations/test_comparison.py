"""Every routing method counted alike: against plain counts, ranks, recorded hops, closed forms.

[boppana, Theorem 1], [edelman, Corollary 3.2] and [sibeyn, Theorem 1] side by side.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lccmodel import LCC, BristledHypercube, Hypercube, Mesh, Torus, catalog
from lccmodel.errors import (
    CommunicationError,
    InputError,
    NetworkError,
    NotFactorable,
    NotLinearComplement,
)
from lccmodel.lattice import CorrectionLattice
from lccmodel.movement import UNIT_PORTS, Certificate, Conflict, Movement
from lccmodel.permutations.comparison import Method, RoutedPermutation, compare
from lccmodel.permutations.exchanges import (
    exchange_orders,
    exchanges_and_pairs,
    product_of_exchanges,
)
from lccmodel.permutations.partitioned import random_partitioned
from lccmodel.permutations.routing_methods import (
    METHODS,
    by_bit_exchanges,
    by_conditional_exchanges,
    by_dimension_order,
    by_self_routing,
    by_simd_mesh,
)
from lccmodel.permutations.self_routing import SelfRouting, all_permutations
from tests.bridges import check_bridge
from tests.permutations.self_routing.bounds import all_port_steps
from tests.strategies import permutations

ASTRAY = [0, 1, 2, 4, 3, 7, 5, 6]
"""HL in lockstep comes to different bits; not y = Ax + b."""


def walk_of(routing: RoutedPermutation) -> Movement:
    assert routing.movement is not None
    return routing.movement


def test_the_exchange_of_two_bits():
    """Its numbers are in the example of `compare`; why a method has none, and what is printed."""
    comparison = compare(LCC([[0, 1], [1, 0]]), Mesh((2, 2)))
    assert "dimensions (0,) is singular" in comparison["exchange"].reason
    assert "order (0, 1), occupancy (1, 2, 1)" in repr(comparison)


@given(st.integers(1, 5).flatmap(permutations))
@settings(max_examples=60, deadline=None)
def test_all_methods_are_walks_in_the_lattice(c):
    """Occupancy and load of every step are ranks; the bounds that tell the methods apart."""
    found = compare(c)
    lattice = CorrectionLattice(c)
    assert (found["exchange"].movement is not None) == bool(exchange_orders(c))
    for routing in found.values():
        assert routing.title == METHODS[routing.method]
        assert routing.requires
        if routing.movement is None:
            continue
        assert routing.delivered
        assert max(routing.movement.loads) <= 1 << (c.n - 1) // 2
        if routing.method == "bit-exchange" and routing.order is None:
            assert routing.buffers <= 2  # a bit moves several times: no path of the lattice
            assert routing.contention_free
            continue
        assert routing.follows_lattice
        assert routing.order is not None
        steps = lattice.walk(routing.order)
        assert routing.movement.loads == tuple(step.load for step in steps)
        assert routing.movement.occupancies[:-1] == tuple(step.occupancy for step in steps)
        assert routing.contention_free or routing.method == "e-cube"
        bound = {"e-cube": 1 << c.n // 2, "exchange": 1}.get(routing.method, 2)
        assert routing.buffers <= bound
        assert routing.rounds == sum(routing.movement.loads)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_channels_of_the_cube_are_counted_one_by_one(n):
    """By the bridge: whether all arrive, buffers, rounds, the busiest channel, hops."""
    check_bridge("compare", n, 24)


@pytest.mark.parametrize(
    "network", [Mesh((4, 4)), Mesh((2, 8)), Torus((8, 2)), Torus((16,))], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_channels_of_a_mesh_are_those_that_recorded_hops_cross(network, seed):
    """HL in MIMD mode, whose messages move in different bits at once, in every model."""
    destinations = np.random.default_rng(seed).permutation(16)
    routing = by_self_routing(destinations, network, "mimd")
    count = routing.on_mesh
    assert count is not None
    assert isinstance(routing.made, SelfRouting)
    for ports in UNIT_PORTS:
        run = routing.made.movement.on(network).in_unit_steps(ports, record=True)
        assert count.in_unit_steps(ports).unit_steps == run.unit_steps
        assert run.hops is not None
        use = np.zeros(network.counter_shape, dtype=np.int64)
        for before, after in pairwise(run.hops.positions):
            for u, v in zip(before.tolist(), after.tolist(), strict=True):
                if u != v:
                    use[network.counter(u, v)] += 1
        np.testing.assert_array_equal(use, count.channel_use.counts)
    assert count.hops == use.sum()
    assert count.channel_use.degree == use.max()


@pytest.mark.parametrize("shape", [(4, 4), (8, 2), (16,), (2, 2, 4)])
def test_closed_forms_where_every_node_moves_every_bit(shape):
    """Σ(2^(n_a) - 1) unit steps with all ports, twice that in one direction [sibeyn, Theorem 1]."""
    mesh = Mesh(shape)
    for routing in compare(catalog.build("vector-reversal", 4), mesh).values():
        assert routing.on_mesh is not None
        assert routing.on_mesh.in_unit_steps("all").total == all_port_steps(mesh)
        assert routing.on_mesh.in_unit_steps("one-direction").total == 2 * all_port_steps(mesh)
        assert routing.price in (None, 2 * all_port_steps(mesh))


@given(
    st.integers(1, 6).flatmap(permutations), st.sampled_from(["row-major", "shuffled-row-major"])
)
@settings(max_examples=40, deadline=None)
def test_the_price_with_skipping_is_what_one_direction_takes(c, numbering):
    """Unit shifts of the registers against hops counted one by one in the numbers of the mesh."""
    mesh = Mesh((1 << (c.n + 1) // 2, 1 << c.n // 2))
    routing = by_simd_mesh(c, mesh, numbering, skip=True)
    assert routing.on_mesh is not None
    assert routing.on_mesh.in_unit_steps("one-direction").total == routing.price


def test_snake_like_numbers_are_routed_in_shuffled_row_major_ones():
    routing = by_simd_mesh(catalog.bit_reverse(4), Mesh((4, 4)), "snake-like")
    assert routing.delivered
    assert routing.on_mesh is not None
    assert routing.on_mesh.hops >= 32


def test_a_permutation_that_is_not_affine_is_routed_in_the_other_modes():
    found = compare(ASTRAY)
    assert found.communication is None
    arrives = {"e-cube": True, "hl": False, "hl-m-simd": False, "hl-pairs": True, "hl-mimd": True}
    assert {m: found[m].delivered for m in found if found[m].movement is not None} == arrives
    assert list(found)[5:] == ["exchange", "simd-mesh", "simd-mesh-shuffled"]
    with pytest.raises(KeyError, match="e-kube"):
        found["e-kube"]
    for method in ("exchange", "simd-mesh"):
        assert "must be of the form y = Ax + b" in found[method].reason
        assert "HL" in found[method].reason
    assert found["hl"].reason == "in step 2 processor 0 chooses bit 1, but 5 chooses 2"
    stopped = found["hl"].on_mesh  # after bit 0
    assert stopped is not None
    assert stopped.hops == 4
    assert found["hl-mimd"].order is None
    assert not found["hl-mimd"].follows_lattice


def test_a_partitioned_permutation_is_routed_by_its_tree_too():
    """[boppana, Lemma 7]: one pair exchanged in the last subcube, not y = Ax + b."""
    by_tree = compare([0, 1, 2, 3, 4, 5, 7, 6])["hl-tree"]
    assert by_tree.delivered
    assert walk_of(by_tree).moves == (2, 0, 0)
    assert by_tree.rounds == 1
    found = compare(random_partitioned(6, seed=6).destinations)
    assert list(found)[1:6] == ["hl", "hl-m-simd", "hl-pairs", "hl-tree", "hl-mimd"]
    assert (found["hl-m-simd"].delivered, found["hl-tree"].delivered) == (False, True)


def test_an_lcc_and_its_destinations_compare_alike():
    c = catalog.matrix_transpose(4)
    both = compare(c), compare(c.destination(np.arange(16)))
    for method in both[0]:
        assert both[0][method].movement == both[1][method].movement
    assert (both[0].name, both[1].name) == ("matrix-transpose", "")
    assert both[1].communication is not None
    assert both[1].communication.A == c.A


def test_wrap_around_is_not_for_the_simd_mesh():
    found = compare(catalog.bit_reverse(4), Torus((4, 4)))
    assert "wrap-around is not used" in found["simd-mesh"].reason
    assert found["simd-mesh"].on_mesh is None
    hl = found["hl"].on_mesh
    assert hl is not None
    assert hl.in_unit_steps("one").total < 8  # on the mesh it takes 8


def test_the_identity_moves_nothing():
    for routing in compare(catalog.identity(3)).values():
        assert (routing.rounds, routing.hops, routing.busiest, routing.buffers) == (0, 0, 0, 1)
        assert routing.on_mesh is not None
        assert [routing.on_mesh.in_unit_steps(ports).total for ports in UNIT_PORTS] == [0, 0, 0]
        assert routing.price in (None, 2 * (3 + 1))


def test_a_walk_that_ends_elsewhere_is_not_delivered():
    """Delivery is read off the positions."""
    routing = by_dimension_order([0, 2, 1, 3])
    movement = Movement.of_positions(Hypercube(routing.n), walk_of(routing).positions[:2])
    assert routing.delivered
    assert not replace(routing, movement=movement).delivered


def own(name: str, walk: Callable[..., Any]) -> Method:
    """A method of one's own."""
    return Method(name, name, "any permutation", walk)


def put(destinations: npt.NDArray[np.int64]) -> Movement:
    """Starts messages where they should end."""
    return Movement.of_positions(Hypercube(3), [destinations])


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: compare([0, 1, 1, 2]), CommunicationError, "receives"),
        (lambda: compare([0]), CommunicationError, "at least two nodes"),
        (lambda: compare(catalog.build("scale2", 4)), CommunicationError, "must be a permutation"),
        (lambda: compare([0, 1], Hypercube(2)), NetworkError, r"2\^1 nodes"),
        (lambda: compare([0, 1, 2, 3], Mesh((8, 2))), NetworkError, r"Mesh\(\(2, 2\)\)"),
        (lambda: compare([0, 1, 2, 3], BristledHypercube(2)), NetworkError, "Mesh or Torus"),
        (lambda: by_conditional_exchanges(catalog.bit_reverse(2)), NotFactorable, "singular"),
        (lambda: by_conditional_exchanges(ASTRAY), NotLinearComplement, "mode mimd"),
        (lambda: by_simd_mesh(ASTRAY), NotLinearComplement, "mode mimd"),
        (lambda: by_dimension_order([0, 1, 2, 3], order=[0, 0]), InputError, "order"),
        (lambda: compare(ASTRAY, also=[own("x", list)]), InputError, "must return a Movement"),
        (lambda: compare(ASTRAY, also=[own("x", put)]), InputError, "start message x at node x"),
        (lambda: compare(ASTRAY, also=[own("e-cube", put)]), InputError, "no other method has"),
    ],
)
def test_bad_input_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()


# -- bit exchanges, readings under one standard, methods of one's own -----------------------------


@given(st.integers(1, 5).flatmap(permutations))
@settings(max_examples=60, deadline=None)
def test_bit_exchanges_deliver_every_permutation(c):
    """[edelman, Corollary 3.6 and section 5]: exchanges, then pairs of bits; 2 steps a pair."""
    routing = by_bit_exchanges(c)
    positions = walk_of(routing).positions
    assert routing.delivered
    assert positions[-1].tolist() == [c.destination(x) for x in range(1 << c.n)]
    exchanges, pairs = exchanges_and_pairs(c)
    moved = product_of_exchanges(pairs, c.n).A @ exchanges.product()
    assert moved == c.A
    used = sum(1 for moves in exchanges.movement.moves if moves)
    assert routing.steps == (c.n if routing.order else used + 2 * len(pairs))
    for before, after in pairwise(positions):
        assert len({int(jump) for jump in before ^ after} - {0}) <= 1  # one bit in a step


def test_pairs_keep_the_model_of_section_2_1_and_mimd_does_not():
    """M-SIMD in the reading "pairs" delivers all 8!; no node sends or receives two in a step."""
    beyond = 0
    for permutation in all_permutations(3)[::1009]:
        pairs = by_self_routing(permutation, mode="m-simd", reading="pairs")
        assert pairs.delivered
        assert isinstance(pairs.one_port, Certificate)
        mimd = by_self_routing(permutation, mode="mimd")
        conflict = mimd.one_port
        if isinstance(conflict, Conflict):
            beyond += 1
            arrive = Counter(walk_of(mimd).positions[conflict.step + 1].tolist())
            assert conflict.kind == "receive"
            assert arrive[conflict.place] >= 2
    assert beyond > 20


@pytest.mark.parametrize("order", [(2, 1, 0), (2, 0, 1), (1, 2, 0)])
def test_methods_of_ones_own_are_rows(order):
    """Their order is read off the movement; of three bits one moves nowhere in the second map."""
    for destinations in (ASTRAY, [0, 5, 2, 7, 4, 1, 6, 3]):  # y_2 = x_2 + x_0
        along = own("own", lambda d: Movement.along(d.tolist(), order))
        row = compare(destinations, Hypercube(3), also=[along])["own"]
        assert row.delivered
        assert row.follows_lattice
        assert row.movement == by_dimension_order(destinations, order=order).movement
        assert row.order is not None
        assert row.order.index(2) == order.index(2)
    assert compare(ASTRAY, Hypercube(3), also=[along])["own"].order == order


def test_only_one_bit_a_step_is_an_order():
    def both_at_once(destinations: npt.NDArray[np.int64]) -> Movement:
        rows = [np.arange(8), np.arange(8), np.arange(8), destinations]
        return Movement.of_positions(Hypercube(3), rows)

    for move in (both_at_once, lambda d: Movement.along(d.tolist(), [0, 1, 2]).on("torus:8")):
        row = compare(ASTRAY, Hypercube(3), also=[own("own", move)])["own"]
        assert row.delivered
        assert (row.order is None) == (move is both_at_once)


def test_a_movement_on_a_mesh_is_counted_on_the_hypercube_too():
    """XY routing in two jumps of a mesh: hops on the cube are bits that differ, not links."""

    def xy(destinations: npt.NDArray[np.int64]) -> Movement:
        start = np.arange(16)
        corner = start & 12 | destinations & 3
        return Movement.of_positions(Mesh((4, 4)), [start, corner, destinations])

    destinations = [x * 7 % 16 for x in range(16)]
    row = compare(destinations, "mesh:4x4", also=[own("xy", xy)])["xy"]
    assert row.hops == sum((x ^ y).bit_count() for x, y in enumerate(destinations))
    assert row.on_mesh is not None
    links = (abs(x % 4 - y % 4) + abs(x // 4 - y // 4) for x, y in enumerate(destinations))
    assert row.on_mesh.hops == sum(links) > row.hops
