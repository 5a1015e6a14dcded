"""Every result has the same views: a table, records, a dictionary, a data frame, a picture."""

import importlib
import inspect
import json
import pkgutil
import sys
from collections.abc import Callable
from typing import Any

import pytest
from matplotlib.figure import Figure

import lccmodel as lcc
import proofs_check
from lccmodel import calibration, collectives, pipelining
from lccmodel.communication import catalog
from lccmodel.gf2 import linear_orbits
from lccmodel.ground.views import Answer, Viewed
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import Certificate, Conflict, Movement, move_on_mesh
from lccmodel.network import Hypercube, Mesh
from lccmodel.permutations import exchanges, partitioned, simd_mesh
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.placement.contention import busiest_channels
from lccmodel.problem import Problem
from lccmodel.routing import Fabric, find_routing, routing_table
from lccmodel.show.exchange_tables import run_exchange
from lccmodel.show.records import MAX_SHOWN
from lccmodel.show.view_registry import VIEWS
from lccmodel.wormhole import (
    curve,
    parallel_fft,
    pattern,
    run_program,
    simulate,
    sustained_throughput,
    trace,
)
from tests.choosing import sampled

MEASURED = calibration.Measurements([1, 64, 1024, 65536], [1.1, 1.2, 2.0, 67.0])
C, CUBE, IDENTITY = catalog.matrix_transpose(4), Hypercube(4), catalog.identity(1)


def replayed(found: type, positions: list[list[int]], ports: Any) -> Viewed:
    answer = Movement.of_positions(CUBE, positions).replay(ports)
    assert isinstance(answer, found)
    return answer


def partition_tree(c: lcc.LCC) -> Viewed:
    tree = lcc.permutations.partition_tree(c)
    assert tree is not None
    return tree


RESULTS: dict[str, Callable[[], Viewed]] = {
    "communication": lambda: C,
    "recognition": lambda: lcc.communication.recognition.analyse([(0, 1), (1, 0), (2, 3), (3, 2)]),
    "traffic": lambda: lcc.Traffic.of(C),
    "program": lambda: lcc.Program.of([C, catalog.bit_reverse(4)]),
    "certificate": lambda: replayed(Certificate, [[0, 1], [1, 0]], "all"),
    "deadlock": lambda: lcc.routing.deadlock_free("e-cube", CUBE),
    "contention": lambda: lcc.contention(C, CUBE),
    "busiest": lambda: busiest_channels(Problem.read(C, CUBE)),
    "placement": lambda: lcc.place([C, catalog.bit_reverse(4)], CUBE),
    "split-loads": lambda: lcc.placement.split_loads(C, "mesh:4x4"),
    "front": lambda: lcc.placement.pareto_front(C, "mesh:4x4", seconds=0.1),
    "lattice": lambda: CorrectionLattice(C),
    "loads": lambda: CUBE.channel_loads(C),
    "comparison": lambda: lcc.compare(C),
    "routed": lambda: lcc.compare(C)["hl"],
    "movement": lambda: lcc.permutations.self_route(C).movement,
    "self-routing": lambda: lcc.permutations.self_route(C),
    "degree": lambda: optimal_degree(Machine("4x4", 500, 1), 64),
    "schedule": lambda: schedule(Task(0, 3, "mesh:4x4")),
    "replay": lambda: schedule(Task(0, 3, "mesh:4x4")).replay(),
    "machine": lambda: Machine("8x16", 500, 1),
    "simulation": lambda: simulate(C, CUBE, load=0.05, cycles=1000),
    "curve": lambda: curve(C, CUBE, "e-cube", [0.05], 20, 1000, 1),
    "timed": lambda: run_program([[(0, 1), (1, 0)], [(1, 3)]], "cube:2"),
    "worms": lambda: trace(catalog.bit_reverse(3), Hypercube(3)),
    "orders": lambda: lcc.placement.optimal_orders(C, CUBE),
    "exchanges": lambda: lcc.permutations.exchange_factors(lcc.LCC([[1, 1], [0, 1]])),
    "factors": lambda: exchanges.plu_factors(C.A),
    "exchange-pipeline": lambda: exchanges.pipelined_exchanges(
        lcc.permutations.exchange_factors([[1, 1], [0, 1]]), 3
    ),
    "decomposition": lambda: simd_mesh.decompose(C),
    "mesh-plan": lambda: lcc.permutations.simd_mesh_route(C),
    "partition-tree": lambda: partition_tree(C),
    "switches": lambda: lcc.permutations.switch_settings(list(range(7, -1, -1))),
    "benes": lambda: partitioned.BenesNetwork.constant(3),
    "conflict": lambda: replayed(Conflict, [[0, 0], [1, 2]], "one"),
    "circuits": lambda: lcc.permutations.circuits(lcc.permutations.self_route(C)),
    "mesh-run": lambda: move_on_mesh(Movement.along(C, [0, 1, 2, 3]), "mesh:4x4"),
    "sensitivity": lambda: pipelining.sensitivity(Machine("16x16", 500, 1), 4096),
    "degree-interval": lambda: pipelining.degree_interval(
        Machine("16x16", 500, 1), 4096, [Linear(100, 1), Linear(1000, 1)]
    ),
    "steps-of-degrees": lambda: pipelining.step_table("mesh:16x16"),
    "bounds": lambda: pipelining.exchange_bounds(Machine("4x4", 500, 1), 4),
    "composition": lambda: pipelining.splitting(Task(0, 5, "mesh:8x8")),
    "run": lambda: run_exchange("mesh:4x4", 1, 6).run,
    "exchange-run": lambda: run_exchange("mesh:4x4", 1, 6),
    "fit": lambda: calibration.fit(MEASURED),
    "measurements": lambda: MEASURED,
    "machine-file": lambda: calibration.MachineFile(Linear(2, "0.001")),
    "pattern": lambda: pattern(C, CUBE),
    "sustained": lambda: sustained_throughput(C, CUBE, cycles=500, seeds=(1,), tolerance=0.4),
    "fft-times": lambda: parallel_fft(16, Hypercube(2)),
    "orbits": lambda: linear_orbits(2),
    "routing-table": lambda: routing_table(
        find_routing("e-cube", CUBE), Fabric(CUBE), [(0, 15), (3, 4)]
    ),
    "kept": lambda: collectives.plan("allreduce", "ring", 4).replay(),
    "fault": lambda: collectives.Plan.of_steps("reduce", 3, [[(1, 0, [0], "add")]]).replay(),
    "plan-front": lambda: collectives.front("allgather", "torus:4", most_chunks=2),
    "plan-loads": lambda: collectives.allreduce("swing", "torus:8").loads(),
    "collective": lambda: collectives.allreduce("swing", "torus:8"),
    "ranking": lambda: collectives.choose("broadcast", Linear(5, 1), 64, "mesh:4x4"),
    "envelope": lambda: collectives.envelope("broadcast", Linear(5, 1), 1, 64, "mesh:4x4"),
}

FURTHER: dict[str, Callable[[], Viewed]] = {
    "bruhat": lambda: exchanges.bruhat_factors(C.A),
    "reordering": lambda: lcc.placement.optimal_reordering(C, CUBE),
    "contentions": lambda: lcc.contention([C, catalog.bit_reverse(4)], CUBE),
    "permuted": lambda: exchanges.exchanges_then_permutation(C.A),
    "exchange-orders": lambda: lcc.permutations.exchange_orders(lcc.LCC([[1, 1], [0, 1]])),
    "no-exchange-orders": lambda: lcc.permutations.exchange_orders(C),
    "one node": lambda: lcc.contention(IDENTITY, Hypercube(1)),
    "nothing sent": lambda: Hypercube(1).channel_loads(IDENTITY),
    "mesh of one row": lambda: Mesh((2, 1)).channel_loads([[0, 1]]),
    "mapping of one node": lambda: lcc.placement.optimal_reordering(IDENTITY, Hypercube(1)),
    "no steps": lambda: schedule(Task(0, 0, "mesh:4")),
    "no routing": lambda: lcc.compare(catalog.bit_reverse(2))["exchange"],
}
"""Further classes with a view that has an example above, and degenerate results."""


def test_every_class_that_can_be_viewed_has_a_view_and_an_example():
    for module in pkgutil.walk_packages(lcc.__path__, "lccmodel."):
        if ".mpi" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    viewed = {*Viewed.__subclasses__(), *Answer.__subclasses__()} - {Answer}
    named = {kind._view for kind in viewed if kind.__module__.startswith("lccmodel.")}
    assert named == set(VIEWS) == set(RESULTS)


@pytest.mark.parametrize("view", [*RESULTS, *FURTHER])
def test_all_views_say_the_same(view):
    """Records, dictionary and data frame hold the same rows; the result is a line in a session."""
    result = (RESULTS | FURTHER)[view]()
    assert result._view == view or view in FURTHER
    records, whole, frame = result.records(), result.to_dict(), result.to_dataframe()
    assert len(records) == len(whole["rows"]) == len(frame)
    assert records or view == "no steps"
    if records:
        assert list(frame.columns) == list(records[0])
        assert set(records[0]) == (set(whole) - {"rows"}) | set(whole["rows"][0])
    assert json.loads(json.dumps(whole)) == whole
    html = result._repr_html_()
    assert html.count("<table") == html.count("</table>") == 1
    most = 800 if view in ("communication", "loads") else 200  # `eval` reads these two
    assert len(repr(result)) <= most


@pytest.mark.parametrize("view", sampled([*RESULTS, *FURTHER], 4))
def test_pictures_are_drawn_where_one_says(view):
    result = (RESULTS | FURTHER)[view]()
    own = Figure().add_subplot()
    assert result.plot(own) is own
    shown = own.has_data() or own.patches or own.images or own.collections or own.texts
    assert shown or view in ("no-exchange-orders", "no steps", "no routing")
    assert result.plot().get_figure() is not own.get_figure()


def test_numbers_of_views_are_those_of_the_result():
    """Counted on the channels: T_i of the view is the largest number of messages there."""
    counts = CUBE.channel_loads(C).counts
    (record,) = lcc.contention(C, CUBE).records()
    assert record["loads"] == tuple(counts[k].max() for k in range(4))
    for record in CUBE.channel_loads(C).records():
        row = counts[record["dimension"]]
        assert record["channels"] == (row == row.max()).sum()
    mapped = lcc.placement.optimal_reordering(C, CUBE).to_dict()
    assert (mapped["value_before"], mapped["value_after"]) == (2, 1)
    simulated = simulate(C, CUBE, load=0.05, cycles=1000).to_dict()
    assert [row["communication"] for row in simulated["rows"]] == [C.name]
    assert simulated["network"] == CUBE.spec


def test_a_long_table_is_cut_in_a_notebook_and_nowhere_else():
    traffic = lcc.Traffic.of(catalog.bit_reverse(9))
    html = traffic._repr_html_()
    assert html.count("<tr>") == 1 + MAX_SHOWN
    assert "200 of 512 rows" in html
    assert len(traffic.records()) == 512


def test_without_pandas_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(lcc.errors.InputError, match=r"lccmodel\[pandas\]"):
        lcc.contention(C, CUBE).to_dataframe()


def test_a_session_lists_what_a_person_may_use_and_nothing_else():
    for package in (lcc, proofs_check):
        assert set(dir(package)) == set(package.__all__)
        assert None not in [getattr(package, name) for name in dir(package)]
    assert len([name for name in dir(lcc) if not inspect.ismodule(getattr(lcc, name))]) <= 16


@pytest.mark.parametrize("claim", ["hou.thm1", "hou.cor2.scatter"])
def test_verdicts_have_the_views_too(claim):
    """One that holds and one that fails; its picture marks the n where it fails."""
    verdict = proofs_check.check(claim, max_n=2)
    records = verdict.records()
    assert sum(record["cases"] for record in records) >= verdict.cases
    assert {record["verdict"] for record in records} == {verdict.verdict}
    assert len(verdict.to_dataframe()) == len(verdict.to_dict()["rows"]) == len(records)
    assert len(repr(verdict)) <= 200
    assert "statement" in verdict._repr_html_()
    bars = verdict.plot().patches
    assert len(bars) == len(verdict.stages)
    shades = {bar.get_facecolor() for bar in bars}
    assert len(shades) == (1 if verdict.counterexample is None else min(2, len(bars)))


def test_a_message_is_drawn_in_the_row_of_its_source():
    """What stands at (to, from) on the axes is the volume of that message, rank 0 at the top."""
    axes = lcc.Traffic([[0, 5], [5, 1]], volumes=[64, 8], ranks=6).plot()
    (image,) = axes.images
    left, right, bottom, top = image.get_extent()
    sums = image.get_array()
    assert (left, right, bottom, top) == (-0.5, 5.5, 5.5, -0.5)
    assert axes.get_ylim() == (bottom, top)  # drawn from the top down, and not turned afterwards
    assert image.origin == "upper"
    assert (sums[0, 5], sums[5, 1], sums.count()) == (64, 8, 2)
