"""`lccmodel pipeline`, `schedule`, `exchange` and `report --papers`: answers, files, bad input."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from lccmodel.cli import cli
from lccmodel.papers import reproduction
from lccmodel.papers.reproduction import PaperFigure, PaperSection, PaperTable
from lccmodel.pipelining.degree import optimal_degree
from lccmodel.pipelining.machine import Machine
from lccmodel.show.records import Table
from tests.choosing import slow
from tests.cli.calling import records, run
from tests.pipelining.equal import machine_of

PIPELINE = (
    "pipeline",
    "--network",
    "mesh:32x32",
    "--alpha",
    "500",
    "--tau",
    "1",
    "--items",
    "4096",
)
SCHEDULE = ("schedule", "--task", "0,4", "--network", "mesh:4x4")
EXCHANGE = ("exchange", "--network", "mesh:16x16", "--alpha", "500", "--tau", "1", "--block", "64")


# -- pipeline -----------------------------------------------------------------------------


def test_one_command_finds_the_best_degree_of_a_32x32_mesh() -> None:
    (best,) = (row for row in records(*PIPELINE) if "best" in row["role"])
    assert (best["Q"], best["time"], best["regime"]) == (4, 173736, "shallow")
    text = run(*PIPELINE).stdout
    assert "best Q           4" in text
    assert "gain over Q = 1  1.640" in text


@pytest.mark.parametrize(
    ("options", "machine", "N"),
    [
        (("--network", "mesh:64"), ("64", "5.5", "11/2", 0, "one"), 100),
        (("--network", "torus:8x8x8"), ("torus:8x8x8", "5.5", "11/2", 0, "one"), 1000),
        (("--network", "mesh:16x16", "--ports", "all"), ("16x16", "5.5", "11/2", 0, "all"), 7),
        (("--network", "mesh:8x16"), ("8x16", "5.5", "11/2"), 500),
        (("-N", "4x2x8"), ("mesh:4x2x8", "5.5", "11/2"), 500),
        (("--network", "mesh:4x4", "--barrier", ".25"), ("4x4", "5.5", "11/2", "0.25"), 50),
    ],
)
def test_every_network_port_and_number(
    options: tuple[str, ...], machine: tuple[Any, ...], N: int
) -> None:
    rows = records("pipeline", *options, "--alpha", "5.5", "--tau", "11/2", "--items", str(N))
    best = optimal_degree(Machine(*machine), N)
    assert rows[0]["best_Q"] == best.Q
    assert Fraction(str(rows[0]["best_time"])) == best.time
    assert (rows[0]["alpha"], rows[0]["tau"]) == (5.5, 5.5)


def test_a_given_degree_is_shown_with_what_it_loses() -> None:
    asked = {r["Q"]: r for r in records(*PIPELINE, "--degree", "16", "--degree", "100")}
    assert asked[16]["role"] == "asked for"
    assert asked[16]["excess"] == pytest.approx(282744 / 173736 - 1)
    assert 100 in asked


def test_models_side_by_side_ranges_and_formulas() -> None:
    models = [row["model"] for row in records(*PIPELINE, "--model", "all")]
    assert models == ["load", "lower-bound", "paper", "schedule"]
    ranges = {row["quantity"]: row for row in records(*PIPELINE, "--sensitivity")}
    assert (ranges["N"]["low"], ranges["N"]["high"]) == (2218, 15826)
    formulas = records("pipeline", "--network", "mesh:32x32", "--formula")
    assert "21*Q + 38" in [row["formula"] for row in formulas]
    assert r"\sqrt{" in run("pipeline", "--network", "mesh:8x8", "--formula", "-f", "latex").stdout


@pytest.mark.slow
def test_a_plot_is_written_beside_the_table_and_twice_the_same(tmp_path: Path) -> None:
    plot, table = tmp_path / "t.png", tmp_path / "t.csv"
    assert run(*PIPELINE, "--plot", plot, "-o", table, "--unit", "µs").stdout == ""
    first = plot.read_bytes()
    assert first.startswith(b"\x89PNG")
    assert table.read_text().startswith("network,ports,unit")
    assert run(*PIPELINE, "--plot", plot, "--unit", "µs").exit_code == 0
    assert plot.read_bytes() == first
    assert run(*PIPELINE, "--model", "all", "--plot", tmp_path / "t.pdf").exit_code == 0
    assert (tmp_path / "t.pdf").read_bytes().startswith(b"%PDF")


# -- schedule -----------------------------------------------------------------------------


def test_a_task_its_bound_and_the_certificate() -> None:
    rows = records("schedule", "--task", "0,7", "--network", "mesh:16x16")
    assert (rows[0]["length"], rows[0]["lower_bound"], rows[0]["optimal"]) == (10, 10, True)
    assert [row["dimension"] for row in rows] == list(range(7))
    assert {len(row["steps"]) for row in rows} == {256}
    split = records("schedule", "--task", "0,7", "--network", "mesh:16x16", "--rule", "subtasks")
    assert split[0]["length"] == 11


def test_two_messages_that_meet_are_exit_code_1() -> None:
    result = run("schedule", "--task", "0,4", "--network", "mesh:4x4x4", "--rule", "paper")
    assert result.exit_code == 1
    assert "node 4" in result.stdout
    assert result.stderr == ""


def test_one_step_and_the_loads() -> None:
    rows = records(*SCHEDULE, "--step", "2")
    assert {len(row["path"]) for row in rows} == {2, 3}
    assert len({(row["process"], row["dimension"]) for row in rows}) == 16
    loads = records("schedule", "--task", "3,4", "--network", "mesh:16x16", "--loads")
    assert [row["max"] for row in loads] == [8, 8, 4, 4]


@pytest.mark.parametrize(
    "view",
    [case if "--loads" in case else slow((case,)) for case in [(), ("--step", "0"), ("--loads",)]],
)
def test_drawings_of_a_schedule(view: tuple[str, ...], tmp_path: Path) -> None:
    plot = tmp_path / "s.png"
    assert run(*SCHEDULE, *view, "--plot", plot).exit_code == 0
    assert plot.read_bytes().startswith(b"\x89PNG")
    cube = ("schedule", "--task", "0,6", "--network", "mesh:4x4x4", *view)
    plane = () if "--loads" in view else ("--plane", "2=1")
    assert run(*cube, *plane, "--plot", tmp_path / "c.pdf").exit_code == 0


# -- exchange -----------------------------------------------------------------------------


def test_methods_and_bounds() -> None:
    rows = {row["method"]: row for row in records(*EXCHANGE)}
    assert rows["baseline"]["time"] == 2 * 15 * (500 + 128 * 64)
    assert rows["calmant-schedule"]["Q"] == 4
    assert rows["levels"]["best"] == "levels"
    two = records(*EXCHANGE, "--methods", "direct, quadrant")
    assert {r["method"] for r in two if "bound" not in r["method"]} == {"direct", "quadrant"}
    formulas = {row["method"]: row["provenance"] for row in records("exchange", "--formula")}
    assert formulas["cyclic"] == "left out"
    assert formulas["baseline"] == "printed"


def test_real_blocks_are_delivered_or_exit_code_1() -> None:
    rows = records("exchange", "--network", "mesh:4x4", "--block", "2", "--run", "--degree", "7")
    assert (rows[0]["delivered"], rows[0]["Q"], rows[0]["ok"]) == (256, 7, True)
    best = records(
        "exchange", "--network", "mesh:8", "--alpha", "1", "--tau", "1", "--block", "9", "--run"
    )
    assert best[0]["Q"] == optimal_degree(machine_of(3, 1, 1, 1), 36).Q > 1
    result = run(
        "exchange", "--network", "mesh:4x4", "--run", "--degree", "6", "--order", "natural"
    )
    assert result.exit_code == 1
    assert "NOT DELIVERED: 16 blocks" in result.stdout


def test_a_plot_of_the_methods(tmp_path: Path) -> None:
    plot = tmp_path / "e.pdf"
    assert run(*EXCHANGE, "--methods", "direct,levels", "--plot", plot).exit_code == 0
    assert plot.read_bytes().startswith(b"%PDF")


# -- formats ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        PIPELINE,
        (*PIPELINE, "--sensitivity"),
        (*PIPELINE, "--model", "all"),
        ("pipeline", "--network", "mesh:8", "--formula"),
        SCHEDULE,
        (*SCHEDULE, "--step", "1"),
        EXCHANGE,
        ("exchange", "--network", "mesh:2x2", "--run"),
    ],
)
def test_every_command_speaks_every_format(arguments: tuple[str, ...], tmp_path: Path) -> None:
    found = records(*arguments)
    rows = list(csv.reader(io.StringIO(run(*arguments, "-f", "csv").stdout)))
    assert rows[0] == list(found[0])
    assert len(rows) == len(found) + 1
    latex = run(*arguments, "-f", "latex").stdout
    assert latex.count(r"\begin{") == latex.count(r"\end{")
    assert latex.replace("µ", "").isascii()
    text = run(*arguments).stdout
    assert max(map(len, text.splitlines())) <= 100
    assert run(*arguments, "-o", tmp_path / "t.tex").stdout == ""
    assert (tmp_path / "t.tex").read_text() == latex


# -- papers -------------------------------------------------------------------------------


@pytest.fixture
def small_section(monkeypatch: pytest.MonkeyPatch) -> None:
    """A section of one table and one empty figure in place of the real ones, which take longer."""
    from matplotlib.figure import Figure

    from lccmodel.papers import calmant_section

    table = Table("Numbers", ["n"], [[1]])
    tables = (PaperTable("numbers", lambda: table),)
    figures = (PaperFigure("empty", "An empty figure", lambda: Figure(figsize=(1, 1))),)
    section = PaperSection("calmant", "Numbers.", tables, figures)
    monkeypatch.setattr(calmant_section, "SECTION", section)
    monkeypatch.setattr(reproduction, "SECTIONS", {"calmant": reproduction.SECTIONS["calmant"]})


@pytest.mark.usefixtures("small_section")
def test_papers_are_reproduced_beside_programs_or_alone(tmp_path: Path) -> None:
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


def test_the_option_names_every_section() -> None:
    option = next(p for p in cli.commands["report"].params if p.name == "papers")
    assert set(option.type.choices) == {*reproduction.SECTIONS, "all"}


# -- bad input ----------------------------------------------------------------------------

TIMES = ("--alpha", "1", "--tau", "1")


def test_a_map_of_the_best_degree(tmp_path: Path) -> None:
    """Every stretch of the table is an optimum of its own, and N* is the border by link load."""
    picture = tmp_path / "map.png"
    command = ("pipeline", "-N", "mesh:16x16", "--tau", "1", "--model", "load", "--map")
    rows = records(*command, "N=1:4096,alpha=10:100", "--plot", str(picture))
    assert picture.stat().st_size > 10_000
    for row in rows[::7]:
        machine = Machine("16x16", Fraction(str(row["alpha"])), 1)
        assert optimal_degree(machine, row["items"], "load").Q == row["Q"]
        assert optimal_degree(machine, row["items_to"], "load").Q == row["Q"]
        assert (row["Q"] <= machine.d) == (row["items"] <= row["border"])


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (("--map", "N=1:9", "--tau", "1"), "must be N=LOW:HIGH,alpha=LOW:HIGH"),
        (("--map", "N=9:1,alpha=1:2", "--tau", "1"), "N: must be a range of at least 1"),
        (("--map", "N=1:9,alpha=0:2", "--tau", "1"), "alpha: must be a range above 0"),
        (("--map", "N=1:9,alpha=1:2"), "--tau is required"),
        (("--map", "N=1:9,alpha=1:2", "--tau", "1", "--items", "4"), "--items cannot be combined"),
        (("--map", "N=1:9,alpha=1:2", "--alpha", "1"), "--alpha cannot be combined with --map"),
        (("--map", "N=1:9,alpha=1:2", "--tau", "1", "--model", "all"), "--model all cannot"),
    ],
)
def test_a_map_that_cannot_be_is_refused(arguments: tuple[str, ...], rule: str) -> None:
    result = run("pipeline", "-N", "mesh:4x4", *arguments)
    assert result.exit_code == 2
    assert rule in result.stderr
