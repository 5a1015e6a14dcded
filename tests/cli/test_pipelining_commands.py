"""`lccmodel pipeline`, `schedule`, `exchange` and `report --papers`: answers and files."""

from fractions import Fraction

import pytest
from matplotlib.figure import Figure

from lccmodel.cli import cli
from lccmodel.papers import calmant_section, reproduction
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.show.records import Table
from tests.cli.calling import records_of, run, typed
from tests.pipelining.equal import machine_of

PIPELINE = "pipeline -N mesh:32x32 --alpha 500 --tau 1 --items 4096"
SCHEDULE = "schedule --task 0,4 -N mesh:4x4"
EXCHANGE = "exchange -N mesh:16x16 --alpha 500 --tau 1 --block 64"


@pytest.mark.parametrize(
    ("options", "machine", "N"),
    [
        ("-N mesh:64", ("64", "5.5", "11/2", 0, "one"), 100),
        ("-N torus:8x8x8", ("torus:8x8x8", "5.5", "11/2", 0, "one"), 1000),
        ("-N mesh:16x16 --ports all", ("16x16", "5.5", "11/2", 0, "all"), 7),
        ("-N 4x2x8", ("mesh:4x2x8", "5.5", "11/2"), 500),
        ("-N mesh:4x4 --barrier .25", ("4x4", "5.5", "11/2", "0.25"), 50),
    ],
)
def test_every_network_port_and_number(options, machine, N):
    numbers = ("--alpha", "5.5", "--tau", "11/2", "--items", N)
    row = records_of(f"pipeline {options}", *numbers)[0]
    best = optimal_degree(Machine(*machine), N)
    assert (row["best_Q"], Fraction(str(row["best_time"]))) == (best.Q, best.time)
    assert (row["alpha"], row["tau"]) == (5.5, 5.5)


@pytest.mark.parametrize(
    ("line", "key", "values"),
    [
        (f"{PIPELINE} --model all", "model", ["load", "lower-bound", "paper", "schedule"]),
        ("schedule --task 0,7 -N mesh:16x16", "dimension", [*range(7)]),
        ("schedule --task 0,7 -N mesh:16x16", "length", [10] * 7),
        ("schedule --task 0,7 -N mesh:16x16 --rule subtasks", "length", [11] * 7),
        ("schedule --task 3,4 -N mesh:16x16 --loads", "max", [8, 8, 4, 4]),
        (f"{EXCHANGE} --methods baseline", "time", [2 * 15 * (500 + 128 * 64)]),
    ],
)
def test_what_a_column_holds(line, key, values):
    rows = [row for row in records_of(line) if "bound" not in str(row.get("method"))]
    assert [row[key] for row in rows] == values


def test_the_best_degree_of_a_32x32_mesh_and_what_others_lose():
    asked = {row["Q"]: row for row in records_of(PIPELINE, "--degree", 16, "--degree", 100)}
    (best,) = (row for row in asked.values() if "best" in row["role"])
    assert (best["Q"], best["time"], best["regime"]) == (4, 173736, "shallow")
    assert (asked[16]["role"], 100 in asked) == ("asked for", True)
    assert asked[16]["excess"] == pytest.approx(282744 / 173736 - 1)
    text = typed(PIPELINE).stdout
    assert "best Q           4" in text
    assert "gain over Q = 1  1.640" in text


def test_ranges_and_formulas():
    ranges = {row["quantity"]: row for row in records_of(PIPELINE, "--sensitivity")}
    assert (ranges["N"]["low"], ranges["N"]["high"]) == (2218, 15826)
    formulas = records_of("pipeline -N mesh:32x32 --formula")
    assert "21*Q + 38" in [row["formula"] for row in formulas]
    assert r"\sqrt{" in typed("pipeline -N mesh:8x8 --formula -f latex").stdout
    provenance = {row["method"]: row["provenance"] for row in records_of("exchange --formula")}
    assert (provenance["cyclic"], provenance["baseline"]) == ("left out", "printed")


def test_a_map_of_the_best_degree(tmp_path):
    """Every stretch of the table is an optimum of its own, and N* is the border by link load."""
    picture = tmp_path / "map.png"
    command = "pipeline -N mesh:16x16 --tau 1 --model load --map N=1:4096,alpha=10:100 --plot"
    rows = records_of(command, picture)
    assert picture.stat().st_size > 10_000
    for row in rows[::7]:
        machine = Machine("16x16", Fraction(str(row["alpha"])), 1)
        for items in (row["items"], row["items_to"]):
            assert optimal_degree(machine, items, "load").Q == row["Q"]
        assert (row["Q"] <= machine.d) == (row["items"] <= row["border"])


def test_two_messages_that_meet_are_exit_code_1():
    result = typed("schedule --task 0,4 -N mesh:4x4x4 --rule paper")
    assert (result.exit_code, result.stderr) == (1, "")
    assert "node 4" in result.stdout


def test_one_step_of_a_schedule():
    rows = records_of(SCHEDULE, "--step", "2")
    assert {len(row["path"]) for row in rows} == {2, 3}
    assert len({(row["process"], row["dimension"]) for row in rows}) == 16


def test_real_blocks_are_delivered_or_exit_code_1():
    row = records_of("exchange -N mesh:4x4 --block 2 --run --degree 7")[0]
    assert (row["delivered"], row["Q"], row["ok"]) == (256, 7, True)
    best = records_of("exchange -N mesh:8 --alpha 1 --tau 1 --block 9 --run")
    assert best[0]["Q"] == optimal_degree(machine_of(3, 1, 1, 1), 36).Q > 1
    result = typed("exchange -N mesh:4x4 --run --degree 6 --order natural")
    assert result.exit_code == 1
    assert "NOT DELIVERED: 16 blocks" in result.stdout


# -- papers ---------------------------------------------------------------------------------------


def test_papers_are_reproduced_beside_programs_or_alone(tmp_path, monkeypatch):
    """A section of one table and one empty figure in place of the real ones, which take longer."""
    tables = (PaperTable("numbers", lambda: Table("Numbers", ["n"], [[1]])),)
    figures = (PaperFigure("empty", "An empty figure", lambda: Figure(figsize=(1, 1))),)
    section = PaperSection("calmant", "Numbers.", tables, figures)
    monkeypatch.setattr(calmant_section, "SECTION", section)
    monkeypatch.setattr(reproduction, "SECTIONS", {"calmant": reproduction.SECTIONS["calmant"]})
    (tmp_path / "p.eq").write_text("y0 = x1\ny1 = x0\n")
    alone = run("report", "--papers", "calmant", "--output", tmp_path / "a")
    assert alone.exit_code == 0, alone.output
    assert "10 files written" in alone.stdout
    assert not (tmp_path / "a" / "results.csv").exists()
    index = (tmp_path / "a" / "README.md").read_text()
    assert index.startswith("# Papers")
    assert "(calmant/empty.pdf)" in index
    both = run("report", tmp_path / "p.eq", "--papers", "all", "--jobs", "1", "-o", tmp_path / "b")
    assert both.exit_code == 0, both.output
    assert (tmp_path / "b" / "results.csv").exists()
    assert (tmp_path / "b" / "calmant" / "numbers.csv").read_text() == "n\n1\n"
    assert "Processor mappings" in (tmp_path / "b" / "README.md").read_text()
    for link in ("calmant/README.md", "calmant/tables.tex"):
        assert (tmp_path / "b" / link).is_file()


def test_the_option_names_every_section():
    option = next(p for p in cli.commands["report"].params if p.name == "papers")
    assert set(option.type.choices) == {*reproduction.SECTIONS, "all"}
