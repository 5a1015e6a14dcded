"""Limits are exact: with a limit as small as what is asked it is answered, one less refuses it.

Each limit is put to the size of a small question, as a question of its real size would take long.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from lccmodel import LCC, Traffic, catalog, collectives, read
from lccmodel.calibration import Measurements, fit
from lccmodel.collectives.decision_files import rules_file
from lccmodel.collectives.halving import placed_halving
from lccmodel.communication.conversion import AddressPairs, collect
from lccmodel.communication.destinations import destinations_of
from lccmodel.communication.grids import ProcessGrid
from lccmodel.errors import InputError
from lccmodel.mpi.layout import Layout
from lccmodel.network import FatTree, Mesh, RouteTable, parse_network
from lccmodel.network.jobs import job_on
from lccmodel.network.node_hierarchy import with_inside
from lccmodel.network.topologies import dragonfly, hyperx
from lccmodel.pipelining.message_cost import Linear
from lccmodel.reading.entries import Sums
from lccmodel.reading.hostlist import listed_hosts
from lccmodel.wormhole import parallel_fft, run_program, run_trace, simulate, trace
from lccmodel.wormhole.timing import Timing

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
]  # fmt: skip


@pytest.mark.parametrize(
    ("module", "name", "size", "call"), LIMITS, ids=[f"{m}.{n}-{k}" for m, n, k, _ in LIMITS]
)
def test_a_limit_is_what_is_just_allowed(
    module: str, name: str, size: int, call: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"lccmodel.{module}.{name}", size)
    call()
    monkeypatch.setattr(f"lccmodel.{module}.{name}", size - 1)
    with pytest.raises(InputError):
        call()


def test_a_packed_file_holds_so_many_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"0,1\n1,0\n"))
    monkeypatch.setattr("lccmodel.ground.files.MAX_UNPACKED", 8)
    assert read(tmp_path / "a.csv.gz").ranks == 2
    monkeypatch.setattr("lccmodel.ground.files.MAX_UNPACKED", 7)
    with pytest.raises(InputError, match="bytes that hold more"):
        read(tmp_path / "a.csv.gz")
