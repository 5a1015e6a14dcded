"""`lccmodel collective`: tables, records, plans, pictures, bad input in one line."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from lccmodel import collectives
from lccmodel.pipelining.message_cost import Linear
from tests.cli import calling

TIMES = ("--alpha", "5", "--tau", "0.001")
TORUS = ("-N", "torus:4x4")


def run(*arguments: str | Path) -> Result:
    return calling.run("collective", *arguments)


def records(*arguments: object) -> list[dict[str, Any]]:
    return calling.records("collective", *arguments)


def test_one_algorithm_and_all():
    [one] = records("allreduce", *TORUS, *TIMES, "--algorithm", "ring", "--bytes", "1MiB")
    assert (one["algorithm"], one["steps"], one["busiest"]) == ("ring", 30, "15/8")
    every = records("allreduce", *TORUS, *TIMES, "--all", "--bytes", "1MiB")
    covered = {
        option.name
        for option in collectives.choose("allreduce", Linear(5, 1), 1, "torus:4x4").options
    }
    assert {each["algorithm"] for each in every} == covered
    times = [Fraction(str(each["time"])) for each in every]
    assert times == sorted(times)


def test_loads_need_no_times():
    [found] = records("allreduce", "-N", "torus:8x8", "--ports", "all", "--algorithm", "swing")
    assert found["busiest"] == "69/128"


def test_a_plan_as_csv_is_a_plan_again(tmp_path):
    file = tmp_path / "plan.csv"
    assert run("allreduce", "-N", "torus:6", "--algorithm", "swing", "--plan", file).exit_code == 0
    with file.open() as text:
        rows = list(csv.reader(text))
    assert rows[0] == ["step", "source", "destination", "block", "operation", "message"]
    steps: dict[int, list[Any]] = {}
    for step, source, destination, block, operation, _ in rows[1:]:
        message = (int(source), int(destination), [int(block)], operation)
        steps.setdefault(int(step), []).append(message)
    again = collectives.Plan.of_steps("allreduce", 6, [steps[k] for k in sorted(steps)])
    assert again.replay().ok
    assert set(range(6)) == {int(block) for _, _, _, block, _, _ in rows[1:]}


@pytest.mark.parametrize(
    ("file", "kind", "named"),
    [
        ("ompi:a.json", "ompi", "a.json"),
        ("a.txt", "ompi", "a.txt"),
        ("a.csv", "nccl", "a.csv"),
        ("ompi6:a.json", "ompi6", "a.json"),
        ("mpich:a.json", "mpich", "a.json"),
    ],
)
def test_decision_files(file, kind, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked: tuple[str, ...] = ("--bytes", "64:1MiB", "--rules", file)
    base = None
    if kind == "mpich":
        names = ("allreduce", "bcast", "barrier", "ibarrier")
        table = {f"collective={name}": {"algorithm=MPIR_X": {}} for name in names}
        Path("tuning.json").write_text(json.dumps(table))
        base = "tuning.json"
        asked = (*asked, "--base", base)
    assert run("allreduce", *TORUS, *TIMES, *asked).exit_code == 0
    cost = Linear(5, "0.001")
    made = collectives.rules_file(kind, "allreduce", cost, 64, 1 << 20, "torus:4x4", base=base)
    assert Path(named).read_text() == made.text
    said = run("allreduce", *TORUS, *TIMES, *asked).stdout
    assert f"the file for {kind}: {made.rules[0].algorithm} from 64 bytes on" in said


def test_several_collectives_make_one_file(tmp_path):
    """Calibrate, then this: a file for all that the library lets one choose."""
    file = tmp_path / "rules.txt"
    found = records("allreduce,broadcast", *TORUS, *TIMES, "--rules", file)
    assert {each["collective"] for each in found} == {"allreduce", "broadcast"}
    made = [
        collectives.rules_file("ompi", name, Linear(5, "0.001"), 1024, 1 << 30, "torus:4x4")
        for name in ("allreduce", "broadcast")
    ]
    assert file.read_text() == collectives.rules_text(made)
    told = [(each["algorithm"], each["sizes"]) for each in found]
    assert told == [(r.algorithm, [r.first, r.last]) for one in made for r in one.rules]
    records("all", *TORUS, *TIMES, "--rules", f"nccl:{file}")
    assert "reducescatter" in file.read_text()


def test_what_open_mpi_chooses_by_itself():
    """16 ranks: recursive doubling (3) below 4,096 bytes, Rabenseifner's (6) from there."""
    rows = records("allreduce", *TORUS, *TIMES, "--default", "ompi", "--bytes", "1KiB:8KiB")
    assert [row["chooses"] for row in rows] == ["3 recursive_doubling", "6 rabenseifner"]
    assert rows[0]["sizes"] == [1024, 4095]
    assert rows[0]["time"] == 4 * (5 + 1.024)
    assert all(row["time"] >= row["best_time"] for row in rows)
    assert any("4.1.6 to 5.0.8" in note for note in rows[0]["notes"])


def test_formulas_are_printed_for_papers():
    found = records("allreduce", "--formula")
    assert {"algorithm", "network", "formula", "latex"} <= set(found[0])
    latex = run("allreduce", "--formula", "--algorithm", "rabenseifner", "--format", "latex")
    assert latex.exit_code == 0
    assert r"\alpha" in latex.stdout


def test_the_front_of_a_solver_and_its_plan(tmp_path):
    pytest.importorskip("ortools")
    file = tmp_path / "plan.csv"
    rows = records("alltoall", "-N", "torus:4", "--optimal", "--plan", file)
    assert [(row["steps"], row["rounds"], row["chunks"], row["data"]) for row in rows] == [
        (2, 2, 1, "2")
    ]
    assert rows[0]["proved"] == "no plan has less"
    assert file.read_text().startswith("step,source,destination,block,operation,message\n")
    for more, rule in ((("--alpha", "1"), "changes nothing"), (("-N", "fattree:2^2"), "routers")):
        assert rule in calling.refused(run("alltoall", "-N", "torus:4", "--optimal", *more))
