"""The limits that the docs state: one beyond is refused at once, with the number in the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lccmodel import LCC, GF2Matrix, Traffic, catalog
from lccmodel.communication.destinations import destinations_of
from lccmodel.errors import MatrixError, SizeLimitError
from lccmodel.gf2 import GF2Vector, batch, enumeration, orbits
from lccmodel.gf2.enumeration import random_matrices
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.programme import AddressFields
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh, parse_network
from lccmodel.network import loads as network_loads
from lccmodel.network.concentrated import Concentrated
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
from lccmodel.placement.contention_free_orders import count_correction_orders
from lccmodel.placement.mapping.spmd import spmd_program, spmd_traffic_program
from lccmodel.placement.mapping.walks import STATES_TRIED
from lccmodel.placement.multipath import _Wires
from lccmodel.placement.search import place
from lccmodel.routing import deadlock_free
from lccmodel.routing.cubes import TurnRouting
from lccmodel.routing.fabric import check_size
from lccmodel.wormhole.tracing import trace

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
def test_one_beyond_a_limit_is_refused(call: Callable[[], Any], rule: str) -> None:
    with pytest.raises(SizeLimitError, match=rule):
        call()


def test_limits_themselves_are_allowed() -> None:
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


def test_how_far_searches_and_answers_go() -> None:
    """[hou, Example 8]: 4096 sets remembered; 64 counters are listed, more only summed up."""
    assert STATES_TRIED == 1 << 12
    assert "[[" in repr(Hypercube(4).channel_loads([(0, 1)]))
    assert network_loads.ChannelLoads(Mesh((17, 2)), np.zeros((4, 34), int)).total == 0
    assert repr(Mesh((34,)).channel_loads([(0, 1)])).startswith("<ChannelLoads of ")
    assert repr(Mesh((32,)).channel_loads([(0, 1)])).startswith("ChannelLoads(")


def test_limits_of_vectors() -> None:
    """The largest number is taken or named, one more is refused."""
    assert len(GF2Vector.from_int(0, 1 << 20)) == 1 << 20
    with pytest.raises(MatrixError, match=r"0\.\.1048576; got 1048577"):
        GF2Vector.from_int(0, (1 << 20) + 1)


def test_routes_that_are_listed_are_those_of_up_to_4096_nodes() -> None:
    """Valiant's, of every pair: 2^24. 12 routers of 6 nodes in each of 73 groups are 5256."""
    with pytest.raises(SizeLimitError, match="a table has at most"):
        parse_network("dragonfly:6,12,6,routing=valiant")


LOWERED: list[tuple[str, str, int, Callable[[int], Any]]] = [
    ("permutations.self_routing.route", "MAX_TRACED", 3,
     lambda n: self_route(catalog.bit_reverse(n))),
    ("permutations.self_routing.counts", "_MAX_LINEAR", 2, linear_complement_permutations),
    ("permutations.self_routing.counts", "_MAX_ALL", 2, all_permutations),
    ("permutations.simd_mesh.plan", "_MAX_N", 4,
     lambda n: simd_mesh_route(catalog.bit_reverse(n)).passes),
    ("placement.mapping.spmd", "_MAX_DIMENSION", 3, lambda n: spmd_program(catalog.bit_reverse(n))),
    ("placement.mapping.spmd", "MAX_LISTED", 5,
     lambda m: spmd_traffic_program([(0, 1)] * m)),
    ("placement.search.solve", "MAX_NODES", 4, lambda n: place([(0, 1)], Mesh((n,)), moves=0)),
    ("permutations.partitioned.network", "MAX_BUILT", 3, lambda n: BenesNetwork.random(n, 1)),
    ("permutations.exchanges.conditional", "MAX_SIMULATED", 3, lambda n: _factors(n).movement),
    ("permutations.exchanges.conditional", "MAX_SIMULATED", 2,
     lambda n: _pipelined(1 << n - 2)),
    ("permutations.exchanges.conditional", "MAX_JUMPS", 8,
     lambda m: _pipelined(m // 2 + m % 2).movement),
    ("permutations.comparison", "_MAX_COMPARED", 3, lambda n: compare(catalog.bit_reverse(n))),
    ("placement.contention_free_orders", "_MAX_COUNTED", 4,
     lambda n: count_correction_orders(_rotation(n))),
    ("lattice.programme", "_MAX_ORDERED", 3, lambda n: AddressFields.of(Hypercube(n), 2)),
    ("lattice.programme", "MAX_BLOCK", 2, lambda n: AddressFields.of(Mesh((1 << n, 2)), 2)),
    ("lattice.subset", "MAX_SUBSET_DIMENSION", 3, lambda n: _programme(catalog.bit_reverse(n))),
    ("lattice.subset", "MAX_COUNTED_DIMENSION", 3,
     lambda n: _programme(Traffic([(0, 1 << n - 1)]))),
    ("lattice.subset", "MAX_COUNTED_DIMENSION", 3,
     lambda n: _programme(catalog.bit_reverse(n)).count()),
    ("gf2.enumeration", "_MAX_ROWS", 12, lambda m: random_matrices(m, 3, _RANDOM, 1)),
    ("gf2.enumeration", "_MAX_ROWS", 12, lambda m: random_matrices(1, 3, _RANDOM, m)),
    ("gf2.enumeration", "_MAX_ROWS", 12,
     lambda m: random_matrices(3, 5, _RANDOM, 4 + m % 4 % 3 % 2)),
    ("gf2.enumeration", "_MAX_COUNTED", 5, enumeration.general_linear_order),
    ("gf2.batch", "MAX_RESULT_BYTES", 6, lambda m: batch.ranks_of_all(2, 1, 1 + m)),
    ("movement.jumps", "_MAX_POSITIONS", 6, lambda m: _jumps(m // 2 + m % 2).positions),
    ("movement.movement", "MAX_STEPS", 5,
     lambda m: Movement.of_schedule("cube:1", [(0, 1)], [m - 1])),
    ("routing.dependency", "MAX_PAIRS", 16,
     lambda m: deadlock_free("e-cube", Mesh((4,)) if m == 16 else Mesh((5,)))),
    ("routing.fabric", "MAX_LINKS", 8, lambda m: check_size(Mesh((5,)) if m == 8 else Mesh((6,)))),
    ("routing.cubes", "_MOST_HOPS", 3,
     lambda m: TurnRouting((), (), ()).dimensions(0, (1 << m) - 1, -1)),
    ("pipelining.fft", "MAX_DIMENSION", 3, lambda d: CubeFFT(d)),
    ("pipelining.exchange", "MAX_DIMENSION", 3, lambda d: CompleteExchange(d)),
    ("pipelining.direct_exchange", "_MAX_NODES", 8,
     lambda m: direct_phases(Mesh((8,)) if m == 8 else Mesh((4, 4)))),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3, check_listed),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3,
     lambda d: schedule(Task(0, 1, Mesh((1 << d,))))),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3,
     lambda d: Embedding(Mesh((1 << d,))).nodes),
    ("pipelining.embedding", "_MAX_LISTED_DIMENSION", 3,
     lambda d: Embedding(Mesh((1 << d,))).coordinates),
    ("pipelining.loads", "_LARGEST", 7, lambda m: equal_runs(m, m, m)),
    ("pipelining.cost.published", "_MOST", 3, lambda m: compare_with_print(m, m, m)),
    ("permutations.partitioned.counting", "MAX_COUNTED", 3, count_partitioned),
    ("permutations.partitioned.counting", "MAX_COUNTED", 3, lambda n: random_partitioned(n, 1)),
    ("permutations.partitioned.counting", "MAX_LISTED", 2, list_partitioned),
    ("permutations.partitioned.counting", "MAX_LISTED", 2, lambda n: unpacked(_NO_WORDS, n)),
    ("placement.multipath", "_MOST_COUNTED", 8, lambda m: _Wires(Mesh((m // 2 + m % 2,)))),
]  # fmt: skip
"""A module, its limit, a lower one in its place, and a call as large as its argument."""

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


@pytest.mark.parametrize(("module", "name", "limit", "call"), LOWERED)
def test_a_limit_is_the_largest_that_is_taken(
    module: str, name: str, limit: int, call: Callable[[int], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"lccmodel.{module}.{name}", limit)
    call(limit)
    with pytest.raises(SizeLimitError):
        call(limit + 1)
