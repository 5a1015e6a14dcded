"""Unit steps on meshes and tori [boppana, section 3.1, Theorem 2], and circuits [section 3.2]."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lccmodel.communication import catalog
from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError, NetworkError, SizeLimitError
from lccmodel.movement import UNIT_PORTS, Movement, move_on_mesh
from lccmodel.network import Hypercube, Mesh, Torus
from lccmodel.permutations import routing_result as routed
from lccmodel.permutations.comparison import compare
from lccmodel.permutations.self_routing import all_permutations, circuits, self_route
from tests.permutations.self_routing.bounds import all_port_steps, one_port_steps
from tests.strategies import permutations, shapes


def complement(n: int) -> LCC:
    """y_i = x_i + 1: every node moves every bit."""
    return LCC(np.eye(n, dtype=int), [1] * n)


@given(st.data(), shapes(6), st.booleans())
def test_every_hop_is_a_channel_and_keeps_the_model(data, shape, wraps):
    """Each message follows the trace; channels and ports carry what the model allows."""
    network = Torus(shape) if wraps else Mesh(shape)
    trace = self_route(data.draw(permutations(network.n)), network=network)
    graph = network.graph()
    for ports in UNIT_PORTS:
        run = trace.movement.on(trace.network).in_unit_steps(ports, record=True)
        assert run.hops is not None
        assert len(run.hops.positions) == run.total + 1
        ends = np.cumsum([0, *run.unit_steps])
        assert np.array_equal(run.hops.positions[ends], trace.movement.positions)
        sent = received = 0
        for before, after in zip(run.hops.positions, run.hops.positions[1:], strict=False):
            moves = [(u, v) for u, v in zip(before.tolist(), after.tolist(), strict=True) if u != v]
            assert moves
            assert len(set(moves)) == len(moves)  # a channel carries one message
            assert all(graph.has_edge(u, v) for u, v in moves)
            sent = max(sent, *(sum(u == w for u, _ in moves) for w, _ in moves))
            received = max(received, *(sum(v == w for _, v in moves) for _, w in moves))
            if ports == "one-direction":
                ways = {(graph.edges[e]["axis"], graph.edges[e]["sign"]) for e in moves}
                assert len(ways) == 1 or set(shape) <= {1, 2}
        assert (run.most_sent, run.most_received) == (sent, received)
        assert run.most_held == max(int(np.bincount(row).max()) for row in run.hops.positions)
        if ports == "one":
            assert max(sent, received) <= 1


@pytest.mark.parametrize("shape", [(2,), (8,), (32,), (8, 8), (4, 2, 8), (1, 16), (2, 2, 2)])
def test_the_count_of_section_3_1_needs_more_than_one_port(shape):
    """All nodes swap all bits: Σ(2^n_a - 1) with all ports, Σ(2h - 1) with one."""
    mesh = Mesh(shape)
    trace = self_route(complement(mesh.n), network=mesh)
    every, one = trace.on_mesh("all"), trace.on_mesh("one")
    assert every.total == all_port_steps(mesh)
    assert one.total == one_port_steps(mesh) == 2 * all_port_steps(mesh) - mesh.n
    assert trace.on_mesh("one-direction").total == 2 * all_port_steps(mesh)
    assert every.most_received == (2 if max(shape) > 2 else 1)
    assert one.most_received == 1


def test_on_a_torus_the_top_bit_goes_round():
    trace = self_route(complement(4), network=Torus((16,)))
    assert trace.on_mesh("all").unit_steps == (1, 2, 4, 8)
    assert trace.on_mesh("one").unit_steps == (1, 3, 7, 8)
    assert trace.on_mesh("one-direction").unit_steps == (2, 4, 8, 8)


# -- circuits -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "reading", "disjoint"), [("m-simd", "pairs", 40320), ("mimd", "differ", 30528)]
)
@pytest.mark.parametrize("every", [101, pytest.param(1, marks=pytest.mark.slow)])
def test_all_of_8_by_circuits(mode, reading, disjoint, every):
    """[boppana, section 4]: of all 40320, those whose paths can be held at the same time."""
    everything = all_permutations(3)[::every]
    plans = [circuits(self_route(p, mode, reading=reading)) for p in everything]
    met = [plan.conflict for plan in plans if plan.conflict is not None]
    assert all(conflict.since < conflict.step for conflict in met)
    assert bool(met) == (disjoint < 40320)
    assert every > 1 or len(plans) - len(met) == disjoint


def test_on_a_mesh_paths_of_different_bits_meet():
    found = circuits(self_route(complement(2), network=Mesh((4,))))
    assert not found.disjoint
    assert found.conflict is not None
    x, y = found.conflict.first.number, found.conflict.second.number
    for source in (x, y):
        assert found.conflict.place in found.channels[source]
    assert circuits(self_route(complement(3), network=Mesh((2, 2, 2)))).disjoint


# -- walks of other methods ---------------------------------------------------------------------


WALK = Movement.along([0, 2, 1, 3], [0, 1])


def test_a_walk_of_any_order_is_moved_hop_by_hop():
    """Bit 1 of four nodes in a row is two hops: 1 -> 2 goes down bit 0, then up two."""
    run = move_on_mesh(WALK, Mesh((4,)), record=True)
    assert run.hops is not None
    assert move_on_mesh(WALK, Mesh((4,))).hops is None
    assert run.hops.positions.T.tolist() == [[0, 0, 0, 0], [1, 0, 1, 2], [2, 3, 2, 1], [3, 3, 3, 3]]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        *((lambda mesh=mesh: move_on_mesh(WALK, mesh), NetworkError, "network")
          for mesh in (Mesh((2, 4)), Hypercube(2), None)),
        (lambda: move_on_mesh(WALK, Mesh((4,)), "two"), InputError, "ports"),
        (lambda: self_route(catalog.identity(3), network=Hypercube(3)).on_mesh(), NetworkError,
         "Mesh"),
        (lambda: self_route(catalog.identity(3)).on_mesh(), NetworkError, "Mesh"),
        (lambda: self_route(catalog.identity(3), network=Mesh((8,))).on_mesh("two"), InputError,
         "one-direction"),
        (lambda: circuits([0, 1]), InputError, "must be a SelfRouting"),
        (lambda: circuits(self_route([0, 1, 2, 4, 3, 7, 5, 6])), InputError, "delivered"),
        (lambda: circuits(self_route([1, 0])).path(2), InputError, r"0\.\.1"),
    ],
)  # fmt: skip
def test_bad_input(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_messages_are_moved_node_by_node_up_to_a_size(monkeypatch):
    c = catalog.reverse_flip(4)
    monkeypatch.setattr(routed, "_MAX_ON_MESH", 4)
    assert compare(c, "mesh:4x4")["hl"].on_mesh.steps == 4
    monkeypatch.setattr(routed, "_MAX_ON_MESH", 3)
    with pytest.raises(SizeLimitError, match="n <= 3 on a mesh"):
        _ = compare(c, "mesh:4x4")["hl"].on_mesh
