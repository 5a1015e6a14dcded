"""`lccmodel calibrate` and `lccmodel pipeline --machine`: from times to a degree."""

import pytest

from lccmodel.mpi.launch import unavailable
from tests.choosing import sampled
from tests.cli.calling import EXAMPLES, records_of, typed

needs_mpi = pytest.mark.skipif(bool(unavailable()), reason="no MPI here")

SOUND = "[machine]\nalpha = 5\ntau = 0.01\n"
TIMES = "size,time\n" + "".join(f"{8 << k},{5 + 0.002 * (8 << k)}\n" for k in range(14))


def test_from_times_to_a_degree(folder):
    """A table of times, a machine file, a degree; the machine's own numbers come back."""
    (folder / "t.csv").write_text(TIMES)
    rows = records_of("calibrate t.csv --save machine.toml --plot fit.png")
    assert rows[0]["alpha"] == pytest.approx(5)
    assert (folder / "fit.png").read_bytes().startswith(b"\x89PNG")
    line = "pipeline -N mesh:32x32 --items 4096"
    rows, same = records_of(f"{line} --machine machine.toml"), f"{line} --alpha 5 --tau 0.016"
    assert rows[0]["best_Q"] == records_of(same)[0]["best_Q"]
    assert rows[0]["unit"] in ("µs", "us")


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("pipeline -N mesh:4x4 --items 8", "--alpha 100 --tau 4 --unit us"),
        ("exchange -N mesh:4x4 --block 8", "--alpha 100 --tau 4 --unit us"),
        ("exchange -N mesh:4x4 --block 8 --run", "--alpha 100 --tau 4"),
        ("schedule -N mesh:4x4 --task 0,3 --items 8", "--alpha 100 --tau 4 --unit us"),
        ("fft -N cube:2 --points 16 --table speedup", "--latency 100 --per-byte 0.5"),
        ("collective broadcast -N mesh:4 --bytes 1KiB:1MiB", "--alpha 100 --tau 0.5 --unit us"),
    ],
)
def test_every_command_with_times_takes_a_machine_file(line, times, folder):
    """The same table as with the file's two numbers; α per message, τ by 8 bytes to an item."""
    (folder / "m.toml").write_text("[machine]\nalpha = 100\ntau = 0.5\n")
    assert records_of(f"{line} --machine m.toml") == records_of(f"{line} {times}")


def test_a_cost_of_pieces_goes_with_every_view(tmp_path):
    """Models, further degrees and the drawing take a machine file with segments, too."""
    machine, plot = EXAMPLES / "measurements" / "two_protocols.toml", tmp_path / "T.svg"
    base = f"pipeline -N mesh:8x8 --machine {machine} --items 4096"
    rows = {row["Q"]: row for row in records_of(base, "--degree", 9, "--plot", plot)}
    assert "asked for" in rows[9]["role"]
    assert rows[1]["Q_interval"]
    assert "<svg" in plot.read_text()
    models = [row["model"] for row in records_of(base, "--model", "all")]
    assert models == ["load", "lower-bound", "paper", "schedule"]


@pytest.mark.parametrize(("ends", "degrees"), [((400, 600), "4"), ((100, 1000), "3 to 10")])
@pytest.mark.parametrize("more", ["", "--sensitivity"])
def test_the_interval_of_the_fit_becomes_one_of_the_degree(ends, degrees, more, folder):
    """α/τ between 116 and 939 bytes: [calmant, Fig. 6] Q = 4 within and other degrees beyond."""
    text = f"[machine]\nalpha = 500\ntau = 1\nratio_interval = {list(ends)}\n"
    (folder / "m.toml").write_text(text)
    base = "pipeline -N mesh:16x16 --machine m.toml --items 4096 --item-bytes 1"
    assert records_of(f"{base} {more}")[0]["Q_interval"] == degrees


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize("kind", ["ping-pong", "exchange --ranks 2"])
def test_real_times_under_mpirun(kind, folder):
    """Both ways of measuring give times of every size, which a fit can use."""
    rows = records_of(f"calibrate --kind {kind} --most 4096 --seconds 0.2 --save fit.toml")
    assert rows[0]["alpha"] >= 0
    assert len(rows) == 19
    assert "[machine]" in (folder / "fit.toml").read_text()


@pytest.mark.slow
@needs_mpi
def test_the_five_commands_of_the_page(folder):
    """docs/calibration.md: from mpirun to a degree with an interval and a measured curve."""
    page = (EXAMPLES.parent / "docs" / "calibration.md").read_text(encoding="utf-8")
    install, *commands = page.split("```sh\n")[1].split("```")[0].splitlines()
    assert install.startswith("pip install")
    answers = []
    for line in commands:
        assert line.startswith("lccmodel ")
        measures = " calibrate " in line or "--measure" in line
        result = typed(line.removeprefix("lccmodel "), *(["--seconds", 0.5] if measures else []))
        assert result.exit_code == 0, result.output
        answers.append(result.output)
    fitted, degree, measured, exchanged = answers
    assert "95 % between" in fitted
    assert "best Q within the fit's interval" in degree
    assert "measured best Q" in measured
    assert "no links" in measured
    assert "fastest method" in exchanged
    assert all((folder / name).read_bytes() for name in ("machine.toml", "fit.png", "T.png"))


@pytest.mark.parametrize(
    "line",
    sampled(
        [
            "pipeline -N mesh:4x4 --items 64 --model all",
            "pipeline -N mesh:4x4 --items 64 --sensitivity",
            "schedule -N mesh:4x4 --task 0,3 --items 64",
            "exchange -N mesh:4x4 --block 2",
            "exchange -N mesh:4x4 --block 2 --run",
            "fft -N cube:4 --points 16 --table times",
            "collective allreduce -N torus:4x4",
            "collective allreduce -N torus:4x4 --all",
            pytest.param("pipeline -N mesh:2 --items 64 --measure --seconds 0.1", marks=needs_mpi),
        ],
        3,
    ),
)
def test_every_command_says_that_the_times_are_no_fit(line, folder):
    """A machine file with a doubt: each answer names it, in a table and in JSON; without, none."""
    (folder / "sound.toml").write_text(SOUND)
    (folder / "doubted.toml").write_text(SOUND + 'doubt = "times fall as sizes grow"\n')
    for file in ("sound", "doubted"):
        for form in ("table", "json"):
            result = typed(f"{line} --machine {file}.toml --format {form}")
            assert result.exit_code == 0, result.output
            assert ("times fall as sizes grow" in result.stdout) == (file == "doubted"), form
