"""`lccmodel calibrate` and `lccmodel pipeline --machine`: from times to a degree."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from lccmodel.mpi.launch import unavailable
from tests.choosing import sampled
from tests.cli import calling

needs_mpi = pytest.mark.skipif(bool(unavailable()), reason="no MPI here")

TIMES = "size,time\n" + "".join(f"{8 << k},{5 + 0.002 * (8 << k)}\n" for k in range(14))


def run(*arguments: object) -> tuple[int, str]:
    found = calling.run(*arguments)
    return found.exit_code, found.stdout or found.stderr


def test_from_times_to_a_degree(tmp_path: Path) -> None:
    """A table of times, a machine file, a degree; the machine's own numbers come back."""
    times, machine, plot = tmp_path / "t.csv", tmp_path / "machine.toml", tmp_path / "fit.png"
    times.write_text(TIMES)
    code, out = run("calibrate", times, "--save", machine, "--plot", plot, "--format", "json")
    assert code == 0
    assert json.loads(out)[0]["alpha"] == pytest.approx(5)
    assert plot.read_bytes().startswith(b"\x89PNG")
    code, out = run("pipeline", "-N", "mesh:32x32", "--machine", machine, "--items", 4096)
    assert code == 0
    assert "best Q" in out
    assert "µs" in out or "us" in out
    same = run("pipeline", "-N", "mesh:32x32", "--alpha", 5, "--tau", "0.016", "--items", 4096)[1]
    assert next(r for r in out.splitlines() if "best Q  " in r).split()[2] in same


COMMANDS = {
    "pipeline": ("pipeline", "-N", "mesh:4x4", "--items", 8),
    "exchange": ("exchange", "-N", "mesh:4x4", "--block", 8),
    "run": ("exchange", "-N", "mesh:4x4", "--block", 8, "--run"),
    "schedule": ("schedule", "-N", "mesh:4x4", "--task", "0,3", "--items", 8),
    "fft": ("fft", "-N", "cube:2", "--points", 16, "--table", "speedup"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_with_times_takes_a_machine_file(tmp_path: Path, command: str) -> None:
    """The same table as with the file's two numbers; α per message, τ by 8 bytes to an item."""
    file = tmp_path / "m.toml"
    file.write_text("[machine]\nalpha = 100\ntau = 0.5\n")
    typed: tuple[object, ...] = ("--alpha", 100, "--tau", 4, "--unit", "us")
    if command == "fft":
        typed = ("--latency", 100, "--per-byte", "0.5")
    if command == "run":
        typed = typed[:4]  # it moves blocks, and has no times
    found = run(*COMMANDS[command], "--machine", file)
    assert found == run(*COMMANDS[command], *typed)
    assert found[0] == 0


def test_a_cost_of_pieces_goes_with_every_view(tmp_path: Path) -> None:
    """Models, further degrees and the drawing take a machine file with segments, too."""
    file, plot = "examples/measurements/two_protocols.toml", tmp_path / "T.svg"
    base = ("pipeline", "-N", "mesh:8x8", "--machine", file, "--items", 4096, "--format", "json")
    code, out = run(*base, "--degree", 9, "--plot", plot)
    assert code == 0
    rows = {row["Q"]: row for row in json.loads(out)}
    assert "asked for" in rows[9]["role"]
    assert rows[1]["Q_interval"]
    assert "<svg" in plot.read_text()
    code, out = run(*base, "--model", "all")
    assert [row["model"] for row in json.loads(out)] == ["load", "lower-bound", "paper", "schedule"]


def test_the_interval_of_the_fit_becomes_one_of_the_degree(tmp_path: Path) -> None:
    """α/τ between 116 and 939 bytes: [calmant, Fig. 6] Q = 4 within and other degrees beyond."""
    file = tmp_path / "m.toml"
    base = ("pipeline", "-N", "mesh:16x16", "--machine", file, "--items", 4096, "--item-bytes", 1)
    for ends, said in (((400, 600), "4"), ((100, 1000), "3 to 10")):
        text = f"[machine]\nalpha = 500\ntau = 1\nratio_interval = {list(ends)}\n"
        file.write_text(text)
        for more in ((), ("--sensitivity",)):
            code, out = run(*base, *more, "--format", "json")
            assert code == 0
            assert json.loads(out)[0]["Q_interval"] == said


@pytest.mark.slow
@needs_mpi
def test_real_times_under_mpirun(tmp_path: Path) -> None:
    """Both ways of measuring give times of every size, which a fit can use."""
    for kind in ("ping-pong", "exchange"):
        file = tmp_path / f"{kind}.toml"
        ranks = ("--ranks", 2) if kind == "exchange" else ()
        code, out = run(
            *("calibrate", "--kind", kind, *ranks, "--most", 4096, "--seconds", 0.2),
            *("--save", file, "--format", "json"),
        )
        assert code == 0, out
        found = json.loads(out)
        assert found[0]["alpha"] >= 0
        assert len(found) == 19
        assert "[machine]" in file.read_text()


@pytest.mark.slow
@needs_mpi
def test_the_five_commands_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/calibration.md: from mpirun to a degree with an interval and a measured curve."""
    page = Path("docs/calibration.md").read_text(encoding="utf-8")
    lines = page.split("```sh\n")[1].split("```")[0].splitlines()
    assert len(lines) == 5
    install, *commands = (shlex.split(line) for line in lines)
    assert install[:2] == ["pip", "install"]
    monkeypatch.chdir(tmp_path)
    said = []
    for program, *arguments in commands:
        assert program == "lccmodel"
        measures = arguments[0] == "calibrate" or "--measure" in arguments
        code, out = run(*arguments, *(["--seconds", 0.5] if measures else []))
        assert code == 0, out
        said.append(out)
    fitted, degree, measured, exchanged = said
    assert "95 % between" in fitted
    assert "best Q within the fit's interval" in degree
    assert "measured best Q" in measured
    assert "no links" in measured
    assert "fastest method" in exchanged
    assert all(Path(name).read_bytes() for name in ("machine.toml", "fit.png", "T.png"))


@pytest.mark.parametrize(
    "asked",
    sampled(
        [
            "pipeline --network mesh:4x4 --items 64 --model all",
            "pipeline --network mesh:4x4 --items 64 --sensitivity",
            "schedule --network mesh:4x4 --task 0,3 --items 64",
            "exchange --network mesh:4x4 --block 2",
            "exchange --network mesh:4x4 --block 2 --run",
            "fft --network cube:4 --points 16 --table times",
            "collective allreduce --network torus:4x4",
            "collective allreduce --network torus:4x4 --all",
            pytest.param("pipeline -N mesh:2 --items 64 --measure --seconds 0.1", marks=needs_mpi),
        ],
        3,
    ),
)
def test_every_command_says_that_the_times_are_no_fit(asked: str, tmp_path: Path) -> None:
    """A machine file with a doubt: each answer names it, in a table and in JSON; without, none."""
    sound, doubted = tmp_path / "sound.toml", tmp_path / "doubted.toml"
    sound.write_text("[machine]\nalpha = 5\ntau = 0.01\n")
    doubted.write_text(sound.read_text() + 'doubt = "times fall as sizes grow"\n')
    for file, says in ((sound, False), (doubted, True)):
        for form in ("table", "json"):
            code, said = run(*asked.split(), "--machine", file, "--format", form)
            assert code == 0, said
            assert ("times fall as sizes grow" in said) == says, (asked, form)
