"""Unit steps on meshes and tori [boppana, section 3.1, Theorem 2], and circuits [section 3.2]."""

from __future__ import annotations

from itertools import product

import networkx as nx
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
from lccmodel.permutations.self_routing import (
    all_permutations,
    circuits,
    self_route,
)
from tests.choosing import sampled
from tests.permutations.self_routing.bounds import all_port_steps, one_port_steps
from tests.strategies import permutations, shapes


def complement(n: int) -> LCC:
    """y_i = x_i + 1: every node moves every bit."""
    return LCC(np.eye(n, dtype=int), [1] * n)


@given(st.data(), shapes(6), st.booleans())
def test_every_hop_is_a_channel_and_keeps_the_model(
    data: st.DataObject, shape: tuple[int, ...], wraps: bool
) -> None:
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


@given(st.data(), shapes(6))
def test_theorem_2_holds_with_all_ports(data: st.DataObject, shape: tuple[int, ...]) -> None:
    """At most Σ (2^(n_a) - 1) unit steps, its distance for every bit that moves."""
    mesh = Mesh(shape)
    trace = self_route(data.draw(permutations(mesh.n)), network=mesh)
    run = trace.on_mesh()
    assert run.total <= all_port_steps(mesh) == mesh.diameter
    for taken, moves in zip(run.unit_steps, trace.movement.moves, strict=True):
        assert (taken > 0) == (moves > 0)
    assert trace.on_mesh("one").total <= one_port_steps(mesh)
    assert trace.on_mesh("one-direction").total <= 2 * all_port_steps(mesh)


@pytest.mark.parametrize("shape", [(2,), (8,), (32,), (8, 8), (4, 2, 8), (1, 16), (2, 2, 2)])
def test_the_count_of_section_3_1_needs_more_than_one_port(shape: tuple[int, ...]) -> None:
    """All nodes swap all bits: Σ(2^n_a - 1) with all ports, Σ(2h - 1) with one."""
    mesh = Mesh(shape)
    trace = self_route(complement(mesh.n), network=mesh)
    every, one = trace.on_mesh("all"), trace.on_mesh("one")
    assert every.total == all_port_steps(mesh)
    assert one.total == one_port_steps(mesh) == 2 * all_port_steps(mesh) - mesh.n
    assert trace.on_mesh("one-direction").total == 2 * all_port_steps(mesh)
    assert every.most_received == (2 if max(shape) > 2 else 1)
    assert one.most_received == 1


def test_a_square_mesh_of_64() -> None:
    """2 (2^(n/2) - 1) = 14 unit steps with all ports, 22 with one."""
    trace = self_route(complement(6), network=Mesh((8, 8)))
    assert trace.on_mesh().unit_steps == (1, 2, 4, 1, 2, 4)
    assert trace.on_mesh("one").unit_steps == (1, 3, 7, 1, 3, 7)
    assert "14 unit steps" in repr(trace.on_mesh())


def fewest_one_port_steps(h: int) -> int:
    """2h nodes in a row exchange their halves: a search over all schedules with one port."""
    goals = tuple(u + h if u < h else u - h for u in range(2 * h))
    reached, steps = {tuple(range(2 * h))}, 0
    while goals not in reached:
        steps += 1
        reached = {after for at in reached for after in one_port_moves(at, goals)}
    return steps


def one_port_moves(at: tuple[int, ...], goals: tuple[int, ...]) -> set[tuple[int, ...]]:
    options = [(u, u + (g > u) - (g < u)) for u, g in zip(at, goals, strict=True)]
    found = set()
    for moved in product((False, True), repeat=len(at)):
        if any(m and u == v for m, (u, v) in zip(moved, options, strict=True)):
            continue
        sends = [u for m, (u, _) in zip(moved, options, strict=True) if m]
        receives = [v for m, (_, v) in zip(moved, options, strict=True) if m]
        if len(set(sends)) == len(sends) and len(set(receives)) == len(receives):
            found.add(tuple(o[m] for m, o in zip(moved, options, strict=True)))
    return found


@pytest.mark.parametrize("h", sampled([1, 2, 3], 3))
def test_no_schedule_with_one_port_is_faster(h: int) -> None:
    """2h - 1, by trying all; for h a power of two the simulated schedule takes no more."""
    assert fewest_one_port_steps(h) == 2 * h - 1


def test_on_a_torus_the_top_bit_goes_round() -> None:
    trace = self_route(complement(4), network=Torus((16,)))
    assert trace.on_mesh("all").unit_steps == (1, 2, 4, 8)
    assert trace.on_mesh("one").unit_steps == (1, 3, 7, 8)
    assert trace.on_mesh("one-direction").unit_steps == (2, 4, 8, 8)


def test_mimd_on_a_mesh_arrives_although_ways_cross() -> None:
    for permutation in all_permutations(3)[::997]:
        trace = self_route(permutation, "mimd", network=Mesh((4, 2)))
        for ports in UNIT_PORTS:
            run = trace.movement.on(trace.network).in_unit_steps(ports, record=True)
            assert run.hops is not None
            assert run.hops.positions[-1].tolist() == permutation.tolist()


def test_bits_that_do_not_move_take_no_unit_steps() -> None:
    still = self_route(catalog.identity(4), network=Mesh((4, 4)))
    assert [still.on_mesh(ports).total for ports in UNIT_PORTS] == [0, 0, 0]
    assert still.on_mesh().most_held == 1


def test_mesh_errors() -> None:
    with pytest.raises(NetworkError, match="Mesh"):
        self_route(catalog.identity(3), network=Hypercube(3)).on_mesh()
    with pytest.raises(NetworkError, match="Mesh"):
        self_route(catalog.identity(3)).on_mesh()
    with pytest.raises(InputError, match="one-direction"):
        self_route(catalog.identity(3), network=Mesh((8,))).on_mesh("two")


# -- circuits -----------------------------------------------------------------------------------


@given(st.data(), st.integers(1, 6))
def test_lemma_5_paths_on_a_cube_share_no_link(data: st.DataObject, n: int) -> None:
    """Minimal paths on the explicit graph, every directed channel on one of them at most."""
    c = data.draw(permutations(n))
    found = circuits(self_route(c))
    graph = Hypercube(n).graph()
    assert found.disjoint
    used = [channel for path in found.channels for channel in path]
    assert len(set(used)) == len(used)
    for x in range(1 << n):
        path = found.path(x)
        assert nx.is_path(graph, path)
        assert (path[0], path[-1]) == (x, c.destination(x))
        assert len(path) - 1 == (x ^ c.destination(x)).bit_count()


def test_all_of_8_by_circuits() -> None:
    """Paths that share no link with M-SIMD pairs: Q_3 is rearrangeable; MIMD's may share one."""
    for permutation in all_permutations(3)[::101]:
        assert circuits(self_route(permutation, "m-simd", reading="pairs")).disjoint
    found = circuits(self_route([0, 1, 2, 4, 3, 7, 5, 6], "mimd"))
    assert found.conflict is not None
    assert found.conflict.since < found.conflict.step


@pytest.mark.slow
def test_how_many_of_8_by_circuits() -> None:
    """[boppana, section 4]: of all 40320, those whose paths can be held at the same time."""
    everything = all_permutations(3)
    for mode, reading, disjoint in (("m-simd", "pairs", 40320), ("mimd", "differ", 30528)):
        traces = (self_route(permutation, mode, reading=reading) for permutation in everything)
        assert sum(circuits(trace).disjoint for trace in traces) == disjoint


def test_on_a_mesh_paths_of_different_bits_meet() -> None:
    found = circuits(self_route(complement(2), network=Mesh((4,))))
    assert not found.disjoint
    assert found.conflict is not None
    x, y = found.conflict.first.number, found.conflict.second.number
    for source in (x, y):
        assert found.conflict.place in found.channels[source]
    assert circuits(self_route(complement(3), network=Mesh((2, 2, 2)))).disjoint


def test_only_delivered_traces_have_circuits() -> None:
    with pytest.raises(InputError, match="delivered"):
        circuits(self_route([0, 1, 2, 4, 3, 7, 5, 6]))
    with pytest.raises(InputError, match=r"0\.\.1"):
        circuits(self_route([1, 0])).path(2)
    assert circuits(self_route([0])).path(0) == [0]


# -- walks of other methods ---------------------------------------------------------------------


def test_a_walk_of_any_order_is_moved_hop_by_hop() -> None:
    """Bit 1 of four nodes in a row is two hops: 1 -> 2 goes down bit 0, then up two."""
    walk = Movement.along([0, 2, 1, 3], [0, 1])
    run = move_on_mesh(walk, Mesh((4,)), record=True)
    assert run.hops is not None
    assert move_on_mesh(walk, Mesh((4,))).hops is None
    assert run.hops.positions.T.tolist() == [[0, 0, 0, 0], [1, 0, 1, 2], [2, 3, 2, 1], [3, 3, 3, 3]]
    for mesh in (Mesh((2, 4)), Hypercube(2), None):
        with pytest.raises(NetworkError, match="network"):
            move_on_mesh(walk, mesh)
    with pytest.raises(InputError, match="ports"):
        move_on_mesh(walk, Mesh((4,)), "two")


def test_circuits_of_what_is_no_trace() -> None:
    with pytest.raises(InputError, match="must be a SelfRouting"):
        circuits([0, 1])


def test_messages_are_moved_node_by_node_up_to_a_size(monkeypatch):
    c = catalog.reverse_flip(4)
    monkeypatch.setattr(routed, "_MAX_ON_MESH", 4)
    assert compare(c, "mesh:4x4")["hl"].on_mesh.steps == 4
    monkeypatch.setattr(routed, "_MAX_ON_MESH", 3)
    with pytest.raises(SizeLimitError, match="n <= 3 on a mesh"):
        _ = compare(c, "mesh:4x4")["hl"].on_mesh
