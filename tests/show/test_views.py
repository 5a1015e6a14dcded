"""Every result has the same views: a table, records, a dictionary, a data frame, a picture."""

from __future__ import annotations

import importlib
import json
import pkgutil
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

import lccmodel as lcc
from lccmodel.communication import catalog
from lccmodel.lattice.lattice import CorrectionLattice
from lccmodel.movement import Certificate, Movement
from lccmodel.network import Hypercube, Mesh
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.schedules import schedule
from lccmodel.pipelining.task import Task
from lccmodel.show.records import MAX_SHOWN
from lccmodel.show.views import VIEWS
from lccmodel.views import Viewed
from lccmodel.wormhole import curve, simulate, trace

C, CUBE = catalog.matrix_transpose(4), Hypercube(4)


def certificate() -> Viewed:
    found = Movement.of_positions(CUBE, [[0, 1], [1, 0]]).replay("all")
    assert isinstance(found, Certificate)
    return found


RESULTS: dict[str, Callable[[], Viewed]] = {
    "communication": lambda: C,
    "recognition": lambda: lcc.recognition.analyse([(0, 1), (1, 0), (2, 3), (3, 2)]),
    "traffic": lambda: lcc.Traffic.of(C),
    "program": lambda: lcc.Program.of([C, catalog.bit_reverse(4)]),
    "certificate": certificate,
    "deadlock": lambda: lcc.deadlock_free("e-cube", CUBE),
    "contention": lambda: lcc.contention(C, CUBE),
    "contentions": lambda: lcc.optimal_reordering([C, catalog.bit_reverse(4)], CUBE).before,
    "mapping": lambda: lcc.optimal_reordering(C, CUBE),
    "placement": lambda: lcc.place([C, catalog.bit_reverse(4)], CUBE),
    "lattice": lambda: CorrectionLattice(C),
    "loads": lambda: CUBE.channel_loads(C),
    "comparison": lambda: lcc.compare(C),
    "routing": lambda: lcc.compare(C)["hl"],
    "movement": lambda: lcc.self_route(C).movement,
    "self-routing": lambda: lcc.self_route(C),
    "degree": lambda: optimal_degree(Machine.from_mesh("4x4", 500, 1), 64),
    "schedule": lambda: schedule(Task(0, 3, "mesh:4x4")),
    "replay": lambda: schedule(Task(0, 3, "mesh:4x4")).replay(),
    "machine": lambda: Machine("8x16", 500, 1),
    "simulation": lambda: simulate(C, CUBE, load=0.05, cycles=1000),
    "curve": lambda: curve(C, CUBE, "e-cube", [0.05], 20, 1000, 1),
    "worms": lambda: trace(catalog.bit_reverse(3), Hypercube(3)),
}


def test_there_is_an_example_of_every_view() -> None:
    assert set(RESULTS) == set(VIEWS)


def test_every_class_that_can_be_viewed_has_a_view() -> None:
    for module in pkgutil.walk_packages(lcc.__path__, "lccmodel."):
        if ".mpi" not in module.name and "__main__" not in module.name:
            importlib.import_module(module.name)
    viewed = {each for each in Viewed.__subclasses__() if each.__module__.startswith("lccmodel.")}
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


@pytest.mark.parametrize("view", RESULTS)
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
    assert len(repr(RESULTS[view]())) <= 800


def test_numbers_of_views_are_those_of_the_result() -> None:
    """Counted on the channels: T_i of the view is the largest number of messages there."""
    counts = CUBE.channel_loads(C).counts
    for record in lcc.contention(C, CUBE).records():
        assert record["load"] == counts[record["dimension"]].max()
    for record in CUBE.channel_loads(C).records():
        row = counts[record["dimension"]]
        assert record["channels"] == (row == row.max()).sum()
    mapped = lcc.optimal_reordering(C, CUBE).to_dict()
    assert (mapped["value_before"], mapped["value_after"]) == (2, 1)


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
        lcc.optimal_reordering(none, Hypercube(1)),
        schedule(Task(0, 0, "mesh:4")),
        lcc.compare(catalog.bit_reverse(2))["exchange"],
    ):
        assert found.to_dict()
        assert found.plot() is not None


def test_results_load_neither_tables_nor_drawings() -> None:
    code = (
        "import sys, lccmodel as lcc;"
        "lcc.contention(lcc.catalog.bit_reverse(4), lcc.Hypercube(4));"
        "print([m for m in sys.modules if m.startswith(('lccmodel.show', 'matplotlib', 'pandas'))])"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.strip() == "[]"


def test_without_pandas_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    found: Any = lcc.contention(C, CUBE)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(lcc.errors.InputError, match=r"lccmodel\[pandas\]"):
        found.to_dataframe()


def test_a_session_lists_what_a_person_may_use_and_nothing_else() -> None:
    assert set(dir(lcc)) == {*lcc.__all__, "__version__"}
    for name in dir(lcc):
        assert getattr(lcc, name) is not None
