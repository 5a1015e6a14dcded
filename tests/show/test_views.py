"""Every result has the same views: a table, records, a dictionary, a data frame, a picture."""

from __future__ import annotations

import builtins
import importlib
import inspect
import json
import pkgutil
import re
import sys
from collections.abc import Callable
from typing import Any

import pytest

import lccmodel as lcc
from lccmodel import calibration, collectives, pipelining
from lccmodel.communication import catalog
from lccmodel.gf2 import linear_orbits
from lccmodel.ground.views import Answer, Viewed
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import Certificate, Conflict, Movement, move_on_mesh
from lccmodel.network import Hypercube, Mesh
from lccmodel.permutations import exchanges, partitioned, simd_mesh
from lccmodel.permutations.comparison import with_reordering
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.message_cost import Linear
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.placement.contention import busiest_channels
from lccmodel.placement.search.solve import best_placement
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
from tests.cli import calling
from tests.hostile.public import public_names

MEASURED = calibration.Measurements([1, 64, 1024, 65536], [1.1, 1.2, 2.0, 67.0])
C, CUBE = catalog.matrix_transpose(4), Hypercube(4)


def conflict() -> Viewed:
    found = Movement.of_positions(CUBE, [[0, 2, 1], [1, 3, 5]]).replay("one")
    assert isinstance(found, Certificate)
    found = Movement.of_positions(CUBE, [[0, 0], [1, 2]]).replay("one")
    assert isinstance(found, Conflict)
    return found


def partition_tree(c: lcc.LCC) -> Viewed:
    found = lcc.permutations.partition_tree(c)
    assert found is not None
    return found


def certificate() -> Viewed:
    found = Movement.of_positions(CUBE, [[0, 1], [1, 0]]).replay("all")
    assert isinstance(found, Certificate)
    return found


RESULTS: dict[str, Callable[[], Viewed]] = {
    "communication": lambda: C,
    "recognition": lambda: lcc.communication.recognition.analyse([(0, 1), (1, 0), (2, 3), (3, 2)]),
    "traffic": lambda: lcc.Traffic.of(C),
    "program": lambda: lcc.Program.of([C, catalog.bit_reverse(4)]),
    "certificate": certificate,
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
    "conflict": conflict,
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
}

RESULTS |= {
    "kept": lambda: collectives.plan("allreduce", "ring", 4).replay(),
    "fault": lambda: collectives.Plan.of_steps("reduce", 3, [[(1, 0, [0], "add")]]).replay(),
    "plan-front": lambda: collectives.front("allgather", "torus:4", most_chunks=2),
    "plan-loads": lambda: collectives.allreduce("swing", "torus:8").loads(),
    "collective": lambda: collectives.allreduce("swing", "torus:8"),
    "ranking": lambda: collectives.choose("broadcast", Linear(5, 1), 64, "mesh:4x4"),
    "envelope": lambda: collectives.envelope("broadcast", Linear(5, 1), 1, 64, "mesh:4x4"),
}

FURTHER: tuple[Callable[[], Viewed], ...] = (
    lambda: exchanges.bruhat_factors(C.A),
    lambda: lcc.placement.optimal_reordering(C, CUBE),
    lambda: lcc.contention([C, catalog.bit_reverse(4)], CUBE),
    lambda: exchanges.exchanges_then_permutation(C.A),
    lambda: lcc.permutations.exchange_orders(lcc.LCC([[1, 1], [0, 1]])),
    lambda: lcc.permutations.exchange_orders(C),  # none
)
"""Further classes with a view that has an example above."""


def test_there_is_an_example_of_every_view() -> None:
    assert set(RESULTS) == set(VIEWS)


def test_every_class_that_can_be_viewed_has_a_view() -> None:
    for module in pkgutil.walk_packages(lcc.__path__, "lccmodel."):
        if ".mpi" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    viewed = {
        each
        for each in (*Viewed.__subclasses__(), *Answer.__subclasses__())
        if each.__module__.startswith("lccmodel.") and each is not Answer
    }
    assert {each._view for each in viewed} == set(VIEWS)


@pytest.mark.parametrize("view", RESULTS)
def test_all_views_say_the_same(view: str) -> None:
    """Records, dictionary and data frame hold the same rows under the same keys."""
    found = RESULTS[view]()
    assert found._view == view
    records, whole, frame = found.records(), found.to_dict(), found.to_dataframe()
    assert len(records) == len(whole["rows"]) == len(frame) > 0
    assert list(frame.columns) == list(records[0])
    assert set(records[0]) == (set(whole) - {"rows"}) | set(whole["rows"][0])
    assert json.loads(json.dumps(whole)) == whole
    html = found._repr_html_()
    assert html.count("<table") == html.count("</table>") == 1


@pytest.mark.parametrize("view", sampled(RESULTS, 4))
def test_pictures_are_drawn_where_one_says(view: str) -> None:
    from matplotlib.figure import Figure

    found = RESULTS[view]()
    own = Figure().add_subplot()
    assert found.plot(own) is own
    assert own.has_data() or own.patches or own.images or own.collections or own.texts
    new = found.plot()
    assert new is not own
    assert new.get_figure() is not own.get_figure()


@pytest.mark.parametrize("view", RESULTS)
def test_a_result_is_a_line_or_two_in_a_session(view: str) -> None:
    most = 800 if view in ("communication", "loads") else 200  # `eval` reads these two
    assert len(repr(RESULTS[view]())) <= most


@pytest.mark.parametrize("make", FURTHER)
def test_further_classes_of_a_view(make: Callable[[], Viewed]) -> None:
    found = make()
    assert len(found.records()) == len(found.to_dataframe()) > 0
    assert found.to_dict()["rows"]
    assert found.plot().get_figure()
    assert len(repr(found)) <= 200


def test_numbers_of_views_are_those_of_the_result() -> None:
    """Counted on the channels: T_i of the view is the largest number of messages there."""
    counts = CUBE.channel_loads(C).counts
    (record,) = lcc.contention(C, CUBE).records()
    assert record["loads"] == tuple(counts[k].max() for k in range(4))
    for record in CUBE.channel_loads(C).records():
        row = counts[record["dimension"]]
        assert record["channels"] == (row == row.max()).sum()
    mapped = lcc.placement.optimal_reordering(C, CUBE).to_dict()
    assert (mapped["value_before"], mapped["value_after"]) == (2, 1)


def test_records_in_python_are_those_of_the_command() -> None:
    """One table a result, whoever asks: keys and values of `-f json`."""

    def told(*words: str) -> Any:
        return json.loads(calling.run(*words, "-f", "json").stdout)

    answers: list[tuple[Any, tuple[str, ...]]] = [
        (lcc.contention("grid:4x4:rings:8,1", "torus:4x4"), ("contention", "grid:4x4:rings:8,1")),
        (best_placement(Problem.read("bit-reverse", "cube:4")), ("map", "bit-reverse")),
        (lcc.place("grid:4x4", "torus:4x4", seconds=0), ("map", "grid:4x4", "--seconds", "0")),
        (with_reordering(lcc.compare("bit-reverse", "mesh:4x4")), ("route", "bit-reverse")),
        (trace("bit-reverse", "cube:4"), ("trace", "bit-reverse")),
    ]
    for found, words in answers:
        network = found.to_dict().get("network") or "mesh:4x4"
        rows = json.loads(found.as_table().render("json"))
        typed = told(*words, "-N", network)
        if not hasattr(found, "problem"):  # it routes a value, which no word describes
            rows, typed = ([{**row, "read_as": ""} for row in each] for each in (rows, typed))
        assert rows == typed, words


def test_a_long_table_is_cut_in_a_notebook_and_nowhere_else() -> None:
    traffic = lcc.Traffic.of(catalog.bit_reverse(9))
    html = traffic._repr_html_()
    assert html.count("<tr>") == 1 + MAX_SHOWN
    assert "200 of 512 rows" in html
    assert len(traffic.records()) == 512


def test_degenerate_results_have_views() -> None:
    """One node, nothing sent, a mesh of one row, a routing that does not exist."""
    none = catalog.identity(1)
    for found in (
        lcc.contention(none, Hypercube(1)),
        Hypercube(1).channel_loads(none),
        Mesh((2, 1)).channel_loads([[0, 1]]),
        lcc.placement.optimal_reordering(none, Hypercube(1)),
        schedule(Task(0, 0, "mesh:4")),
        lcc.compare(catalog.bit_reverse(2))["exchange"],
    ):
        assert found.to_dict()
        assert found.plot() is not None


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = lcc.contention(C, CUBE)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(lcc.errors.InputError, match=r"lccmodel\[pandas\]"):
        found.to_dataframe()


def test_a_session_lists_what_a_person_may_use_and_nothing_else() -> None:
    assert set(dir(lcc)) == set(lcc.__all__)
    assert len([name for name in dir(lcc) if not inspect.ismodule(getattr(lcc, name))]) <= 16
    for name in dir(lcc):
        assert getattr(lcc, name) is not None


# -- nothing is left out ----------------------------------------------------------------------

NO_RESULTS = {
    "GF2Matrix": "a value to calculate with",
    "Network": "where results are found",
    "RoutingFunction": "a rule",
    "BookSim": "a configuration, to be run",
    "CompleteExchange": "an algorithm, to be run",
    "CubeFFT": "an algorithm, to be run",
    "CubeAlgorithm": "an algorithm, to be run",
    "Exploration": "shown by itself",
    "Entry": "an entry of a file: its communication has the views",
    "Iteration": "a row of a table, as a named tuple",
    "LcpIteration": "a row of a table, as a named tuple",
    "RoutedCount": "a row of a table, as a named tuple",
    "PrintedCase": "a row of a table, as a named tuple",
    "Default": "an entry of a list, whose table is that of `lccmodel collective --default`",
    "DefaultCost": "a row of that table, as a named tuple",
    "Counterexample": "a row of a table, as a named tuple",
    "Algorithm": "an entry of a list",
    "CatalogEntry": "an entry of the catalogue",
    "ClosedForm": "formulas, to be evaluated",
    **dict.fromkeys(
        (
            "Family",
            "Formula",
            "ContentionFormula",
            "MeshContentionFormula",
            "PatternFormula",
            "ReorderingFormula",
            "AfterReordering",
        ),
        "formulas in n, which sympy shows",
    ),
    "Plan": "what to send, to be run: its loads and times have the views",
    "RulesFile": "a file, to be written",
    "Job": "what a process runs",
    "JobOutcome": "what processes gave back",
    "Fraction": "a number",
    "Path": "a file",
}


def returned() -> dict[type, str]:
    """Every class that a public function says that it returns."""
    found: dict[type, str] = {}
    for name, value in public_names().items():
        for each in classes_of(value) if inspect.isfunction(value) else ():
            found.setdefault(each, name)
    return found


def classes_of(function: Any) -> set[type]:
    module = sys.modules[function.__module__]
    words = set(
        re.findall(r"[A-Za-z_][A-Za-z_0-9]*", str(inspect.signature(function).return_annotation))
    )
    known = {word: vars(module).get(word) or getattr(lcc, word, None) for word in words}
    known |= {each.__name__: each for each in Viewed.__subclasses__() if each.__name__ in words}
    return {each for each in known.values() if isinstance(each, type)}


def test_every_result_of_a_public_function_has_the_views() -> None:
    """Search the signatures: what is returned and is no plain value has the five views."""
    plain = {each for each in vars(builtins).values() if isinstance(each, type)}
    bare = {
        f"{each.__name__} of {where}"
        for each, where in returned().items()
        if each.__module__.startswith("lccmodel")
        and not issubclass(each, Viewed)
        and each not in plain
        and each.__name__ not in NO_RESULTS
    }
    assert not bare
    assert len([each for each in returned() if issubclass(each, Viewed)]) >= 30


def test_the_search_notices_a_result_without_views() -> None:
    class Bare:
        pass

    def makes() -> Bare:
        return Bare()

    sys.modules[__name__].__dict__["Bare"] = Bare
    assert classes_of(makes) == {Bare}
    assert not issubclass(Bare, Viewed)


@pytest.mark.parametrize("claim", ["hou.thm1", "hou.cor2.scatter"])
def test_verdicts_have_the_views_too(claim: str) -> None:
    """One that holds and one that fails; its picture marks the n where it fails."""
    import proofs_check

    found = proofs_check.check(claim, max_n=2)
    records = found.records()
    assert sum(record["cases"] for record in records) >= found.cases
    assert {record["verdict"] for record in records} == {found.verdict}
    assert len(found.to_dataframe()) == len(found.to_dict()["rows"]) == len(records)
    assert len(repr(found)) <= 200
    assert "statement" in found._repr_html_()
    bars = found.plot().patches
    shades = {bar.get_facecolor() for bar in bars}
    assert len(bars) == len(found.stages)
    assert len(shades) == (1 if found.counterexample is None else min(2, len(bars)))


def test_a_session_of_the_checker_lists_what_a_person_may_use() -> None:
    import proofs_check

    assert set(dir(proofs_check)) == set(proofs_check.__all__)
    assert {"check", "run", "select"} <= set(dir(proofs_check))


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


def test_a_simulation_names_its_communication() -> None:
    """Column `communication` says what was sent; the network is a fact above the table."""
    found = simulate(C, CUBE, load=0.05, cycles=1000).to_dict()
    assert [row["communication"] for row in found["rows"]] == [C.name]
    assert found["network"] == CUBE.spec
