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
from lccmodel.lattice.counts import Counts
from lccmodel.lattice.subset import SubsetProgramme
from lccmodel.methods.mapping.top_down import STATES_TRIED
from lccmodel.methods.orders import count_correction_orders
from lccmodel.methods.partitioned import count_partitioned, count_undivided, list_partitioned
from lccmodel.methods.partitioned.counting import random_partitioned, unpacked
from lccmodel.movement import Movement
from lccmodel.network import Hypercube, Mesh, parse_network
from lccmodel.network import loads as network_loads
from lccmodel.network.concentrated import Concentrated
from lccmodel.network.graphs import MAX_ENTRIES, check_entries
from lccmodel.pipelining import Embedding, Machine, exchange_bounds
from lccmodel.pipelining.cost.formulas import steps_formula
from lccmodel.pipelining.cost.printed import compare_with_print
from lccmodel.pipelining.embedding import check_listed
from lccmodel.pipelining.loads import equal_runs
from lccmodel.routing import deadlock_free
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


def test_limits_of_vectors_and_of_tables_of_routes() -> None:
    """The largest number is taken or named, one more is refused."""
    assert len(GF2Vector.from_int(0, 1 << 20)) == 1 << 20
    with pytest.raises(MatrixError, match=r"0\.\.1048576; got 1048577"):
        GF2Vector.from_int(0, (1 << 20) + 1)
    check_entries(MAX_ENTRIES)
    with pytest.raises(SizeLimitError, match="at most 268435456 entries"):
        check_entries(MAX_ENTRIES + 1)


def test_routes_that_are_listed_are_those_of_up_to_4096_nodes() -> None:
    """Valiant's, of every pair: 2^24. 12 routers of 6 nodes in each of 73 groups are 5256."""
    with pytest.raises(SizeLimitError, match="a table has at most"):
        parse_network("dragonfly:6,12,6,routing=valiant")
