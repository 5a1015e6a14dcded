"""Limits are exact: what is just allowed is answered, one beyond is refused with the number.

A limit whose question would take long is put to the size of a small one.
"""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, Traffic, catalog, collectives, read
from lccmodel.calibration import Measurements, fit
from lccmodel.collectives.decision_files import rules_file
from lccmodel.collectives.halving import placed_halving
from lccmodel.communication.conversion import AddressPairs, collect
from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.grids import ProcessGrid
from lccmodel.errors import InputError, MatrixError, SizeLimitError
from lccmodel.gf2 import GF2Vector, batch, enumeration, orbits
from lccmodel.gf2.enumeration import random_matrices
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.programme import AddressFields
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.movement import Movement
from lccmodel.mpi.layout import Layout
from lccmodel.network import FatTree, Hypercube, Mesh, RouteTable, parse_network
from lccmodel.network import loads as network_loads
from lccmodel.network.concentrated import Concentrated
from lccmodel.network.jobs import job_on
from lccmodel.network.node_hierarchy import with_inside
from lccmodel.network.topologies import dragonfly, hyperx
from lccmodel.permutations.comparison import compare
from lccmodel.permutations.exchanges.conditional import exchange_factors, pipelined_exchanges
from lccmodel.permutations.partitioned import (
    BenesNetwork,
    count_partitioned,
    count_undivided,
    list_partitioned,
)
from lccmodel.permutations.partitioned.counting import random_partitioned, unpacked
from lccmodel.permutations.self_routing import (
    all_permutations,
    linear_complement_permutations,
    self_route,
)
from lccmodel.permutations.simd_mesh import simd_mesh_route
from lccmodel.pipelining import Embedding, Machine, Task, exchange_bounds, schedule
from lccmodel.pipelining.cost.formulas import steps_formula
from lccmodel.pipelining.cost.published import compare_with_print
from lccmodel.pipelining.direct_exchange import direct_phases
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.exchange import CompleteExchange
from lccmodel.pipelining.fft import CubeFFT
from lccmodel.pipelining.loads import equal_runs
from lccmodel.pipelining.message_cost import Linear
from lccmodel.placement.contention_free_orders import count_correction_orders
from lccmodel.placement.mapping.spmd import spmd_program, spmd_traffic_program
from lccmodel.placement.mapping.walks import STATES_TRIED
from lccmodel.placement.multipath import _Wires
from lccmodel.placement.search import place
from lccmodel.reading.entries import Sums
from lccmodel.reading.hostlist import listed_hosts
from lccmodel.routing import deadlock_free
from lccmodel.routing.cubes import TurnRouting
from lccmodel.routing.fabric import check_size
from lccmodel.wormhole import parallel_fft, run_program, run_trace, simulate, trace
from lccmodel.wormhole.timing import Timing

ROTATION = GF2Matrix.from_order([*range(1, 21), 0])
LISTED = Traffic([(0, 1)], ranks=1 << 21)
BEYOND: list[tuple[Callable[[], Any], str]] = [
    (lambda: GF2Matrix.zeros(65, 1), "at most 64 rows and columns"),
    (lambda: batch.ranks(np.zeros((1, 65, 1), np.uint8)), "at most 64 rows and columns"),
    (lambda: batch.ranks(np.zeros((1, 65), np.uint64)), "at most 64 rows"),
    (lambda: batch.ranks_of_all(8), "at most 7"),
    (lambda: batch.ranks_of_all(6, 0, (1 << 32) + 1), "at most 4294967296 ranks at once"),
    (lambda: batch.leading_ranks_of_all(6, 0, (1 << 30) + 1), "at most 4294967296 ranks at once"),
    (lambda: enumeration.general_linear_order(4097), "at most 4096"),
    (lambda: enumeration.unpack(0, 8), "7"),
    (lambda: orbits.reordering_orbits(6), "at most 5"),
    (lambda: catalog.bit_reverse(29).pairs(), "up to n = 28"),
    (lambda: destinations_of(catalog.bit_reverse(25)), "n <= 24"),
    (lambda: Counts(25, [0], [1]), "up to n = 24"),
    (lambda: Counts(8, [0], [1]).block_loads(0, 255, False), "at most 7 bits"),
    (lambda: SubsetProgramme((catalog.bit_reverse(27),), (1,), "max-max"), "up to 26 bits"),
    (lambda: SubsetProgramme((LISTED,), (1,), "max-max"), "up to 20 bits"),
    (lambda: SubsetProgramme((catalog.bit_reverse(21),), (1,), "max-max").count(), "to 20 bits"),
    (lambda: count_correction_orders(LCC(ROTATION)), "at most 20 of them"),
    (lambda: count_partitioned(21), "n <= 20"),
    (lambda: random_partitioned(21, 0), "n <= 20"),
    (lambda: list_partitioned(5), "up to n = 4"),
    (lambda: unpacked(np.zeros(1, np.uint64), 5), "n = 1..4"),
    (lambda: compare_with_print(1, 513), "at most 512"),
    (lambda: compare_with_print(1, 1, 513), "at most 512"),
    (lambda: compare_with_print(513), "at most 512"),
    (lambda: count_undivided(4097), "k: at most 4096, for the length of the count"),
    (lambda: equal_runs((1 << 20) + 1, 1, 1), "at most 1048576"),
    (lambda: check_listed(25), "at most 24"),
    (lambda: Embedding(Mesh((1 << 63,))).node_of(0), r"at most 2\^62 nodes"),
    (lambda: steps_formula(9, "lower-bound"), "at most 8 for"),
    (lambda: steps_formula((1 << 20) + 1, "load"), "at most 1048576 for"),
    (lambda: Concentrated(Hypercube(60), 1 << 10), r"at most 2\^64 nodes"),
    (lambda: trace(catalog.bit_reverse(14), Hypercube(14)), "at most 4096 are traced; got 16256"),
    (lambda: trace([(0, 1)] * 4097, Hypercube(1)), "at most 4096 are traced; got 4097"),
    (lambda: Movement.of_schedule("cube:1", [(0, 1)], [1 << 27]), "at most 134217728 are listed"),
    (lambda: deadlock_free("e-cube", Hypercube(11)), "at most 1048576; state the pairs"),
    (lambda: exchange_bounds(Machine(Mesh((2,) * 21), 1, 1), 1), r"on at most 2\^20 nodes"),
]


@pytest.mark.parametrize(("call", "rule"), BEYOND, ids=[rule for _, rule in BEYOND])
def test_one_beyond_a_limit_is_refused(call, rule):
    with pytest.raises(SizeLimitError, match=rule):
        call()


def test_limits_themselves_are_allowed():
    """Where that costs nothing: 64 columns, 24 bits, 2^62 nodes, 2^20 axes."""
    assert GF2Matrix.zeros(64, 64).rank == 0
    assert enumeration.unpack(0, 7).tolist() == [0] * 7
    assert Counts(24, [0], [1]).n == 24
    assert Counts(7, [0], [1]).block_loads(0, 127, False).size == 5040
    assert equal_runs(1 << 20, 1, 1)
    check_listed(24)
    assert Embedding(Mesh((1 << 62,))).node_of((1 << 62) - 1) == (1 << 62) - 1
    assert count_partitioned(1) == 2
    assert {case.of for case in compare_with_print(512, 511, 512)} == {0}
    assert LCC(GF2Matrix.identity(64)).n == 64


def test_how_far_searches_and_answers_go():
    """[hou, Example 8]: 4096 sets remembered; 64 counters are listed, more only summed up."""
    assert STATES_TRIED == 1 << 12
    assert "[[" in repr(Hypercube(4).channel_loads([(0, 1)]))
    assert network_loads.ChannelLoads(Mesh((17, 2)), np.zeros((4, 34), int)).total == 0
    assert repr(Mesh((34,)).channel_loads([(0, 1)])).startswith("<ChannelLoads of ")
    assert repr(Mesh((32,)).channel_loads([(0, 1)])).startswith("ChannelLoads(")


def test_limits_of_vectors():
    """The largest number is taken or named, one more is refused."""
    assert len(GF2Vector.from_int(0, 1 << 20)) == 1 << 20
    with pytest.raises(MatrixError, match=r"0\.\.1048576; got 1048577"):
        GF2Vector.from_int(0, (1 << 20) + 1)


def test_routes_that_are_listed_are_those_of_up_to_4096_nodes():
    """Valiant's, of every pair: 2^24. 12 routers of 6 nodes in each of 73 groups are 5256."""
    with pytest.raises(SizeLimitError, match="a table has at most"):
        parse_network("dragonfly:6,12,6,routing=valiant")


RING = "allgather", "ring"
ONE = ([(0, 1)], "cube:1")


def sums(call: Callable[[Sums], Any]) -> Any:
    return call(Sums(Path("a")))


def sized(many: int) -> Measurements:
    sizes = 10 * np.arange(1, many + 1)
    return Measurements(sizes, 1.0 + sizes)


def by_function() -> RouteTable:
    """Six nodes at two routers."""
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, 3, "hosts")
    return RouteTable.from_graph(graph, lambda _, x, y: [x, y] if x != y else [x])


_RANDOM = np.random.default_rng(1)
_NO_WORDS = np.zeros(0, np.uint64)


def _rotation(n: int) -> LCC:
    return LCC(GF2Matrix.from_order([*range(1, n), 0]))


def _programme(member: Any) -> SubsetProgramme:
    return SubsetProgramme((member,), (1,), "max-max")


def _factors(n: int) -> Any:
    return exchange_factors(GF2Matrix.from_rows([3 << k & (1 << n) - 1 for k in range(n)], n))


def _pipelined(sets: int) -> Any:
    return pipelined_exchanges(exchange_factors([[1, 1], [0, 1]]), sets)


def _jumps(messages: int) -> Any:
    return Movement.of_schedule("cube:1", [(0, 1)] * messages, [0] * messages)


LIMITS: list[tuple[str, str, int, Callable[[], Any]]] = [
    ("communication.conversion", "_MAX_CALLED_DIMENSION", 3, lambda: collect(lambda i: i, 3)),
    ("communication.conversion", "MAX_LISTED_DIMENSION", 3,
     lambda: AddressPairs.of([(0, 1)], 3).with_idle_staying()),
    ("communication.conversion", "MAX_CALLED_RANKS", 5, lambda: Traffic.of(lambda r: 0, 5)),
    ("communication.lcc", "MAX_LISTED_DIMENSION", 3, lambda: catalog.bit_reverse(3).pairs()),
    ("communication.lcc", "MAX_LISTED_DIMENSION", 3, lambda: LCC([[0] * 3] * 3).images()),
    ("communication.destinations", "MAX_SIMULATED", 3,
     lambda: destinations_of(catalog.bit_reverse(3))),
    ("communication.grids", "MAX_MESSAGES", 6 * 2,
     lambda: ProcessGrid((3, 2)).program("shifts")),
    ("reading.entries", "_MOST_RANKS", 5, lambda: sums(lambda s: s.hold(0, 5))),
    ("reading.entries", "_MOST_RANKS", 5, lambda: sums(lambda s: s.add(0, 2, 4, 1))),
    ("reading.entries", "_MOST_BYTES", 7,
     lambda: sums(lambda s: (s.add(0, 0, 1, 4), s.add(1, 0, 1, 3), s.add(2, 1, 0, 7)))),
    ("network.topologies", "_MOST_ROUTERS", 9, lambda: hyperx((3, 3))),
    ("network.topologies", "_MOST_LISTED", 6**2, lambda: dragonfly(1, 2, 1, routing="valiant")),
    ("network.base", "MAX_LISTED_PATH", 7, lambda: Mesh((8,)).path(0, 7)),
    ("network.base", "_MAX_GRAPH_CHANNELS", 14, lambda: Mesh((8,)).graph()),
    ("network.base", "MAX_COUNTERS", 2 * 8, lambda: Mesh((8,)).channel_loads([(0, 1)])),
    ("network.fattree", "MAX_COUNTERS", 8, lambda: FatTree((4, 2), (1,)).channel_loads([(0, 1)])),
    ("network.base", "MAX_COUNTERS", 4 * 8, lambda: FatTree((2,) * 3).channel_loads([(0, 1)])),
    ("network.graphs", "MAX_ENTRIES", 9, lambda: RouteTable.from_graph(nx.path_graph(3))),
    ("network.graphs", "MAX_ENTRIES", 6 * 6, by_function),
    ("reading.hostlist", "_MAX_HOSTS", 6, lambda: listed_hosts("n[1-2]x[1-3]", "r")),
    ("reading.hostlist", "_MAX_HOSTS", 3, lambda: listed_hosts("n[07-09]", "r")),
    ("network.spec", "_MOST_NODES", 5, lambda: parse_network("mesh:9,nodes=0-2:5:7")),
    ("network.spec", "_MOST_NODES", 4, lambda: parse_network("mesh:9,nodes=3-6")),
    ("network.node_hierarchy", "_MOST_LEVELS", 2, lambda: with_inside(Mesh((2,)), (2, 2))),
    ("network.node_hierarchy", "_MOST_WALKED", 4**2, lambda: with_inside(FatTree((2, 2)), (2,))),
    ("network.jobs", "_MOST", 4, lambda: job_on(Mesh((9,)), "0-1,5-6")),
    ("collectives.replay", "_MOST", 4 * 4, lambda: collectives.plan(*RING, 4).replay()),
    ("collectives.steps", "MOST_LISTED", 3 * 4,
     lambda: list(collectives.plan(*RING, 4).transfers())),
    ("collectives.steps", "MOST_LISTED", 3, lambda: collectives.plan(*RING, 4).refined(3)),
    ("collectives.plans", "MOST_LISTED", 3 * 4,
     lambda: collectives.plan(*RING, 4).movement("torus:4")),
    ("collectives.plans", "MOST_LISTED", 2 * 3,
     lambda: collectives.plan(*RING, 4).segmented(2)),
    ("collectives.collective", "MOST_LISTED", 4, lambda: collectives.plan(*RING, 4)),
    ("collectives.decision_files", "MOST", 99,
     lambda: rules_file("mpich", "allreduce", Linear(5, 1), 1, 99, "torus:4")),
    ("collectives.halving", "_MOST", 4, lambda: placed_halving("torus:4")),
    ("wormhole.tracing", "MAX_WORMS", 2, lambda: trace([(0, 1), (1, 0), (1, 1)], "cube:1")),
    ("wormhole.tracing", "MAX_WORMS", 2, lambda: trace(Traffic([(0, 1), (1, 0)]), "cube:1")),
    ("wormhole.tracing", "MAX_CYCLES", 1 + 2 + 4 - 1, lambda: trace(*ONE, flits=4)),
    ("wormhole.simulation", "MAX_MESSAGES", 10,
     lambda: simulate(*ONE, load=0.5, flits=5, cycles=100)),
    ("wormhole.simulation", "_MOST_BURST", 3, lambda: simulate(*ONE, burst=3, cycles=50)),
    ("wormhole.simulation", "MAX_FLITS", 5, lambda: simulate(*ONE, flits=5, cycles=50)),
    ("wormhole.simulation", "MAX_CYCLES", 50, lambda: simulate(*ONE, cycles=50)),
    ("wormhole.timed", "MAX_FLITS", 7, lambda: run_trace([(0, 1, 0, 7)], "cube:1")),
    ("wormhole.timed", "MAX_FLITS", 4,
     lambda: run_program([Traffic([(0, 1)], [5])], "cube:1", volume=2)),
    ("wormhole.timed", "_MOST_CYCLES", 9, lambda: run_program([[(0, 1)]], "cube:1", compute=9)),
    ("wormhole.fft_program", "MAX_D", 1, lambda: parallel_fft(8, "cube:1")),
    ("wormhole.timing", "_MOST", 3, lambda: Timing("oldest", depth=3)),
    ("wormhole.timing", "_MOST", 3, lambda: Timing("oldest", router=3)),
    ("calibration.fitting", "_MOST_SIZES", 5, lambda: fit(sized(5))),
    ("calibration.fitting", "_MOST_SEGMENTS", 2, lambda: fit(sized(8), segments=2)),
    ("mpi.layout", "MAX_LISTED_DIMENSION", 4, lambda: Layout(4, (1, 2))),
    ("permutations.self_routing.route", "MAX_TRACED", 3,
     lambda: self_route(catalog.bit_reverse(3))),
    ("permutations.self_routing.counts", "_MAX_LINEAR", 2,
     lambda: linear_complement_permutations(2)),
    ("permutations.self_routing.counts", "_MAX_ALL", 2, lambda: all_permutations(2)),
    ("permutations.simd_mesh.plan", "_MAX_N", 4,
     lambda: simd_mesh_route(catalog.bit_reverse(4)).passes),
    ("placement.mapping.spmd", "_MAX_DIMENSION", 3, lambda: spmd_program(catalog.bit_reverse(3))),
    ("placement.mapping.spmd", "MAX_LISTED", 5, lambda: spmd_traffic_program([(0, 1)] * 5)),
    ("placement.search.solve", "MAX_NODES", 4, lambda: place([(0, 1)], Mesh((4,)), moves=0)),
    ("permutations.partitioned.network", "MAX_BUILT", 3, lambda: BenesNetwork.random(3, 1)),
    ("permutations.exchanges.conditional", "MAX_SIMULATED", 3, lambda: _factors(3).movement),
    ("permutations.exchanges.conditional", "MAX_SIMULATED", 2, lambda: _pipelined(1)),
    ("permutations.exchanges.conditional", "MAX_JUMPS", 8, lambda: _pipelined(4).movement),
    ("permutations.comparison", "_MAX_COMPARED", 3, lambda: compare(catalog.bit_reverse(3))),
    ("placement.contention_free_orders", "_MAX_COUNTED", 4,
     lambda: count_correction_orders(_rotation(4))),
    ("lattice.programme", "_MAX_ORDERED", 3, lambda: AddressFields.of(Hypercube(3), 2)),
    ("lattice.programme", "MAX_BLOCK", 2, lambda: AddressFields.of(Mesh((4, 2)), 2)),
    ("lattice.subset", "MAX_SUBSET_DIMENSION", 3, lambda: _programme(catalog.bit_reverse(3))),
    ("lattice.subset", "MAX_COUNTED_DIMENSION", 3, lambda: _programme(Traffic([(0, 4)]))),
    ("lattice.subset", "MAX_COUNTED_DIMENSION", 3,
     lambda: _programme(catalog.bit_reverse(3)).count()),
    ("gf2.enumeration", "_MAX_ROWS", 12, lambda: random_matrices(12, 3, _RANDOM, 1)),
    ("gf2.enumeration", "_MAX_ROWS", 12, lambda: random_matrices(1, 3, _RANDOM, 12)),
    ("gf2.enumeration", "_MAX_ROWS", 12, lambda: random_matrices(3, 5, _RANDOM, 4)),
    ("gf2.enumeration", "_MAX_COUNTED", 5, lambda: enumeration.general_linear_order(5)),
    ("gf2.batch", "MAX_RESULT_BYTES", 6, lambda: batch.ranks_of_all(2, 1, 7)),
    ("movement.jumps", "_MAX_POSITIONS", 6, lambda: _jumps(3).positions),
    ("movement.movement", "MAX_STEPS", 5, lambda: Movement.of_schedule("cube:1", [(0, 1)], [4])),
    ("routing.dependency", "MAX_PAIRS", 16, lambda: deadlock_free("e-cube", Mesh((4,)))),
    ("routing.fabric", "MAX_LINKS", 8, lambda: check_size(Mesh((5,)))),
    ("routing.cubes", "_MOST_HOPS", 3, lambda: TurnRouting((), (), ()).dimensions(0, 7, -1)),
    ("pipelining.fft", "MAX_DIMENSION", 3, lambda: CubeFFT(3)),
    ("pipelining.exchange", "MAX_DIMENSION", 3, lambda: CompleteExchange(3)),
    ("pipelining.direct_exchange", "_MAX_NODES", 8, lambda: direct_phases(Mesh((8,)))),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3, lambda: check_listed(3)),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3, lambda: schedule(Task(0, 1, Mesh((8,))))),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3, lambda: Embedding(Mesh((8,))).nodes),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3, lambda: Embedding(Mesh((8,))).coordinates),
    ("pipelining.loads", "_LARGEST", 7, lambda: equal_runs(7, 7, 7)),
    ("pipelining.cost.published", "_MOST", 3, lambda: compare_with_print(3, 3, 3)),
    ("permutations.partitioned.counting", "MAX_COUNTED", 3, lambda: count_partitioned(3)),
    ("permutations.partitioned.counting", "MAX_COUNTED", 3, lambda: random_partitioned(3, 1)),
    ("permutations.partitioned.counting", "MAX_LISTED", 2, lambda: list_partitioned(2)),
    ("permutations.partitioned.counting", "MAX_LISTED", 2, lambda: unpacked(_NO_WORDS, 2)),
    ("placement.multipath", "_MOST_COUNTED", 8, lambda: _Wires(Mesh((4,)))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "size", "call"), LIMITS, ids=[f"{m}.{n}-{k}" for m, n, k, _ in LIMITS]
)
def test_a_limit_is_what_is_just_allowed(module, name, size, call, monkeypatch):
    monkeypatch.setattr(f"lccmodel.{module}.{name}", size)
    call()
    monkeypatch.setattr(f"lccmodel.{module}.{name}", size - 1)
    with pytest.raises(InputError):
        call()


def test_a_packed_file_holds_so_many_bytes(tmp_path, monkeypatch):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"0,1\n1,0\n"))
    monkeypatch.setattr("lccmodel.ground.files.MAX_UNPACKED", 8)
    assert read(tmp_path / "a.csv.gz").ranks == 2
    monkeypatch.setattr("lccmodel.ground.files.MAX_UNPACKED", 7)
    with pytest.raises(InputError, match="bytes that hold more"):
        read(tmp_path / "a.csv.gz")
