"""Tables on pipelining say what the library, an independent count, and the print say."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from sympy import Symbol, sympify

from lccmodel.errors import InputError
from lccmodel.papers.calmant_section import (
    FIGURES,
    RATIOS,
    SECTION,
    best_degrees_table,
    exchange_data,
    printed_table,
    rules_table,
)
from lccmodel.papers.reproduction import (
    PaperFigure,
    PaperSection,
    PaperTable,
    chosen_papers,
    make_section,
)
from lccmodel.pipelining import sensitivity
from lccmodel.pipelining.cost.steps import MODELS, total_steps
from lccmodel.pipelining.degree import optimal_degree, time
from lccmodel.pipelining.machine import Machine
from lccmodel.pipelining.methods import METHODS, exchange_time
from lccmodel.pipelining.schedules import Schedule, schedule
from lccmodel.show.exchange_methods import BLOCKS, PLOTTED
from lccmodel.show.exchange_tables import exchange_table, run_exchange, run_table
from lccmodel.show.formula_tables import formula_table
from lccmodel.show.pipelining_tables import (
    available_models,
    degree_table,
    models_table,
    sensitivity_table,
)
from lccmodel.show.quantities import QUANTITIES
from lccmodel.show.records import Table
from lccmodel.show.schedule_tables import (
    MAX_LISTED,
    link_loads_table,
    one_step_table,
    schedule_table,
)
from tests.pipelining.equal import machine_of, mesh_of, task_of

MACHINE = Machine("32x32", 500, 1)
SYMBOLS = {name: Symbol(name) for name in ("d", "Q", "N", "alpha", "tau", "b", "P")}
"""Without them sympy reads N as its function."""


def test_rows_of_degrees_have_their_times_and_the_best_is_marked():
    """T = P (α + N/Q τ) + (d + Q - 1) b [calmant 3.3, 4.3], written out here."""
    machine, N = Machine("8x8x8", "11/2", "1/3", 20), 300
    for model in available_models(machine):
        best = optimal_degree(machine, N, model)
        records = degree_table(best, [N]).records()
        taken = {}
        for Q in [record["Q"] for record in records]:
            packet = machine.alpha + Fraction(N, Q) * machine.tau
            taken[Q] = total_steps(machine.mesh, Q, model) * packet + (9 + Q - 1) * machine.barrier
        assert {1, best.Q, N} <= set(taken)
        assert [*taken] == sorted(taken)
        assert [r["Q"] for r in records if "best" in str(r["role"])] == [best.Q]
        for record in records:
            assert (record["best_Q"], record["best_time"]) == (best.Q, min(taken.values()))
            assert record["time"] == taken[record["Q"]]
            assert record["gain"] == pytest.approx(float(taken[1] / record["time"]))
            assert record["evidence_holds"] is True


def test_people_read_why_and_where_the_stationary_point_is_no_guide():
    text = degree_table(optimal_degree(MACHINE, 4096), unit="us").render("table")
    assert "Q = 1..9 compared one by one; of 10..4096 the best is 10" in text
    assert "below d = 10" in text
    assert "time T (µs)" in text
    assert " us" not in text
    assert "below d" not in degree_table(optimal_degree(MACHINE, 10**6)).render("table")
    whole = degree_table(optimal_degree(MACHINE, 4096, packets="ceil"))
    assert whole.records()[2]["packet"] == 1366
    assert "packet lengths" in degree_table(optimal_degree(MACHINE, 9999, packets="ceil")).render()


def test_no_time_per_item_or_no_start_up():
    """Without τ one packet is best; without α and b every item is a packet, and Q* is infinite."""
    assert degree_table(optimal_degree(machine_of(4, 2, 1, 0), 9)).records()[0]["best_Q"] == 1
    record = degree_table(optimal_degree(machine_of(4, 2, 0, 1), 9)).records()[0]
    assert (record["best_Q"], record["stationary"]) == (9, None)


def test_models_side_by_side_and_what_it_costs_to_believe_one():
    machine, N = Machine("16x16x16", 500, 1), 65536
    rows = models_table(machine, N).records()
    assert [row["model"] for row in rows] == list(MODELS)
    best = min(time(machine, N, Q) for Q in range(1, 200))
    for row in rows:
        here = time(machine, N, row["Q"], "schedule")
        assert row["feasible_time"] == here
        assert row["excess"] == pytest.approx(float(here / best - 1))
    torus = models_table(Machine("torus:4x4", 1, 1), 5).records()
    assert [row["model"] for row in torus] == ["load", "lower-bound", "schedule"]


def test_ranges_are_those_of_the_answer():
    answer = sensitivity(MACHINE, 4096)
    for row in sensitivity_table(MACHINE, 4096).records():
        name = "ratio" if row["quantity"] == "alpha/tau" else row["quantity"]
        assert (row["low"], row["high"]) == getattr(answer, name)


def test_formulas_of_a_network_and_of_its_best_degree():
    """All ports are the load, a torus has its own numbers only, and Q* is that of the answer."""
    row = formula_table("32x32").records()[2]
    assert row["quantity"] == "Q*"
    values = {"N": 4096, "alpha": 500, "tau": 1, "b": 0}
    value = float(sympify(row["formula"], locals=SYMBOLS).subs(values))
    assert value == pytest.approx(optimal_degree(MACHINE, 4096).stationary_value)
    general = [row["formula"] for row in formula_table("16x16", ports="all").records()]
    assert general == [row["formula"] for row in formula_table("16x16", "load").records()]
    torus = formula_table("torus:16x16").records()
    assert [row["quantity"] for row in torus] == ["T(d,Q)", "P(8,Q)", "Q*"]
    assert formula_table("mesh:2").records()[0]["shallow_steps"] is None


def test_printed_mesh_formulas_are_the_link_load_and_no_schedule():
    """On a line every model agrees with the print; on meshes "load" alone does."""
    for row in printed_table().records():
        if row["c"] == 1 or row["model"] == "load":
            assert (row["agree"], row["printed"]) == (row["of"], None)
        else:
            assert row["agree"] < row["of"]
            assert row["printed"] != row["sum"]
            if row["model"] in MODELS:
                mesh = mesh_of(row["d"], row["c"])
                assert row["sum"] == total_steps(mesh, row["Q"], row["model"])


@pytest.mark.parametrize(
    "task",
    [task_of(0, 7, 2, 8), task_of(1, 2, 1, 3), task_of(0, 4, 3, 6), task_of(0, 4, 2, 4, "torus")],
)
def test_listed_steps_are_a_schedule_at_the_bound(task):
    records = schedule_table(schedule(task)).records()
    steps = np.array([record["steps"] for record in records])
    assert Schedule(task, steps).replay().ok
    assert int(steps.max()) + 1 == records[0]["length"] == task.lower_bound
    assert records[0]["optimal"] is True
    assert [r["used_steps"] for r in records] == [tuple(np.unique(row).tolist()) for row in steps]


def test_a_conflict_is_said_in_words():
    """[calmant, Property 3] fails first for ⟨0,4⟩ on 4×4×4."""
    table = schedule_table(schedule(task_of(0, 4, 3, 6), "paper"))
    assert table.records()[0]["conflict_free"] is False
    assert table.records()[0]["optimal"] is False
    text = " ".join(table.render("table").split())
    assert "CONFLICT in step 0: 5 -> 4 (dimension 0) and 0 -> 4 (dimension 1)" in text
    late = schedule_table(schedule(task_of(0, 3, 2, 4), "paper")).render("markdown")
    assert "1 step above the lower bound" in late
    for mesh, is_noted in (("4x4", False), ("4x4x4", True)):
        machine = Machine(mesh, 5, 1)
        for costs in (models_table(machine, 9), exchange_table(machine, 2)):
            lines = (*costs.legend, *costs.notes)
            assert any("some" in line and "conflict" in line for line in lines) == is_noted


@pytest.mark.parametrize(
    "task", [task_of(0, 4, 2, 4), task_of(0, 4, 2, 4, "torus"), task_of(1, 3, 1, 4, "torus")]
)
def test_paths_of_a_step_are_channels_that_no_two_messages_share(task):
    made, sent = schedule(task), 0
    for step in range(made.length):
        paths = [record["path"] for record in one_step_table(made, step).records()]
        used = [channel for path in paths for channel in pairwise(path)]
        assert set(used) <= set(task.mesh.graph().edges)
        assert len(set(used)) == len(used)
        sent += len(paths)
    assert sent == len(task.messages())


def test_what_is_listed_of_large_and_empty_schedules_and_of_loads():
    large = schedule_table(schedule(task_of(0, 1, 1, MAX_LISTED + 1)))
    assert large.records()[0]["steps"] is None
    assert schedule_table(schedule(task_of(0, 0, 2, 4))).records() == []
    rows = link_loads_table(task_of(3, 4, c=2, d=8)).records()
    assert [(row["axis"], row["direction"]) for row in rows] == [*product((0, 1), "+-")]
    assert max(row["max"] for row in rows) == rows[0]["max_load"] == 8


def test_methods_come_with_their_times_fastest_first_and_bounds_below():
    rows = exchange_table(Machine("16x16", 500, 1), 64).records()
    times = [row["time"] for row in rows]
    assert times == sorted(times)
    named = {row["method"]: row for row in rows}
    for name in METHODS:
        assert named[name]["time"] == exchange_time(name, Machine("16x16", 500, 1), 64)
        assert named[name]["provenance"] == METHODS[name].provenance
    bounds = [row["time"] for row in rows if str(row["method"]).startswith("bound")]
    feasible = [row["time"] for row in rows if row["kind"] == "schedule"]
    assert max(bounds) <= min(feasible)
    assert named[rows[0]["best"]]["time"] == min(feasible)
    one = exchange_table(machine_of(1, 1, 0, 1), 1, ["direct", "direct"]).records()
    assert [row["method"] for row in one].count("direct") == 1


def test_of_equal_times_the_cost_on_the_firmest_ground_comes_first():
    """Derived before reconstructed, replayed before the paper's own schedules."""
    machine = Machine("32x32", 500, 1)
    for first, second in (("quadrant-overlapped", "hybrid"), ("calmant-schedule", "calmant-paper")):
        rows = exchange_table(machine, 1, [second, first]).records()
        methods = [row for row in rows if row["kind"] == "schedule"]
        assert methods[0]["time"] == methods[1]["time"]
        assert [row["method"] for row in methods] == [first, second]
        assert rows[0]["best"] == first


def test_a_run_delivers_and_its_steps_are_those_of_the_cost():
    for d, c, B, Q in ((4, 2, 1, 6), (3, 1, 2, 5), (6, 3, 1, 1), (1, 1, 3, 3)):
        moved = run_exchange(mesh_of(d, c), B, Q)
        rows = run_table(moved).records()
        assert moved.ok
        assert rows[0]["delivered"] == 4**d
        assert sum(row["total"] for row in rows) == total_steps(mesh_of(d, c), Q)
        assert sum(row["count"] for row in rows) == d + Q - 1
        assert not any("CONFLICT" in str(row["replay"]) for row in rows)
    late = run_exchange("4x4", 1, 6, "natural")
    assert (late.ok, late.delivered) == (False, 240)
    assert "packet 1 of x_3" in str(run_table(late).records()[0]["verdict"])


def test_the_printed_schedules_are_never_better_and_ours_never_miss_the_bound():
    rows = rules_table().records()
    assert [rows[0][key] for key in "ciM"] == [2, 0, 3]
    for row in rows:
        assert row["own_steps"] == row["lower_bound"]
        assert row["own_replay"] == "no conflict"
        conflict = row["paper_replay"] != "no conflict"
        assert conflict or row["paper_steps"] > row["own_steps"]
    first = next(row for row in rows if "conflict in" in str(row["paper_replay"]))
    assert [first[key] for key in "ciM"] == [3, 0, 4]


def test_points_of_the_figures_and_best_degrees_are_complete():
    meshes = [mesh for listed in FIGURES.values() for mesh in listed]
    points = exchange_data().records()
    assert len(points) == len(meshes) * len(RATIOS) * len(PLOTTED) * len(BLOCKS)
    degrees = best_degrees_table().records()
    assert len(degrees) == len(meshes) * len(RATIOS) * 3
    for row in degrees[::7]:
        machine = Machine(str(row["mesh"]), row["ratio"], 1)
        assert row["Q_load"] == optimal_degree(machine, row["N"], "load").Q


@pytest.mark.slow
def test_the_section_is_complete_names_its_files_and_repeats_its_bytes():
    made, again = make_section(SECTION), make_section(SECTION)
    assert dict(made.files) == dict(again.files)
    assert len(made.files) == 4 + len(SECTION.tables) + 2 * len(SECTION.figures)
    page = made.files["calmant/README.md"].decode()
    for name in made.files:
        if name != "calmant/README.md" and not name.endswith(".json"):
            assert f"({name.removeprefix('calmant/')})" in page
    assert "calmant/fig6-loads.pdf" in made.index
    assert made.files["calmant/fig6-loads.pdf"].startswith(b"%PDF")
    assert b"CreationDate" not in made.files["calmant/fig6-loads.pdf"]
    assert made.files["calmant/tables.tex"].decode().isascii()


def test_data_only_tables_are_in_no_page():
    made = make_section(PaperSection("hou", "Nothing.", (LONG,), ()))
    assert made.files["hou/long.csv"] == b"n\n1\n"
    assert made.files["hou/tables.md"] == b""


LONG = PaperTable("long", lambda: Table("Numbers", ["n"], [[1]]), data_only=True)
TWICE = PaperFigure("long", "", lambda: None)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: degree_table(optimal_degree(MACHINE, 9), [10]), "Q"),
        (lambda: formula_table("torus:16x16", "paper"), "model"),
        (lambda: printed_table([]), "axes"),
        (lambda: one_step_table(schedule(task_of(0, 1, 1, 1)), 1), "step"),
        (lambda: one_step_table(schedule(task_of(0, 0, 1, 1)), 0), "none"),
        (lambda: run_exchange("64x64", 2, 1), "blocks"),
        (lambda: run_exchange("4", 1, 3), "Q"),
        (lambda: PaperSection("hou", "", (LONG,), (TWICE,)), "distinct"),
        (lambda: PaperSection("nobody", "", (), ()), "paper"),
        (lambda: chosen_papers(["calmant", "nobody"]), "papers"),
    ],
)
def test_bad_input_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()


def test_times_are_rounded_for_people_only():
    times = {10**6: "1,000,000", Fraction(10**6, 3): "333,333.33", Fraction(1, 7): "0.14286"}
    for value, text in {**times, None: "∞"}.items():
        assert QUANTITIES["now"].text(value) == text
