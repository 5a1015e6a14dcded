"""`python -m lccmodel.mpi` and the example programs: results, exit codes, errors of one line."""

import re
from pathlib import Path
from runpy import run_path

import matplotlib.image
import numpy as np
import pytest

from lccmodel import catalog
from lccmodel.mpi import launch
from lccmodel.mpi.__main__ import main
from tests.mpi.test_launch import needs_mpi

FOLDER = Path(__file__).parents[2] / "examples" / "mpi"


def called(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        main(arguments)
    captured = capsys.readouterr()
    return left.value.code, captured.out, captured.err


@pytest.mark.parametrize("mapping", ["none", "optimal", "3,0,1,2"])
def test_fft(capsys, mapping):
    """The degree of contention of the bit reversal is 2^(n/2-1), and 1 when mapped for it."""
    command = ("fft", "--points", "256", "--ranks", "16", "--run", "threads", "--mapping", mapping)
    code, out, err = called(capsys, *command)
    assert (code, err) == (0, "")
    assert "equals numpy.fft.fft" in out
    row = next(line for line in out.splitlines() if line.startswith("  bit reversal")).split()
    assert row[2:4] == ["16", "256"]
    assert int(row[4]) == {"none": 2, "optimal": 1}.get(mapping, int(row[4]))
    if mapping == "optimal":
        command = ("transpose", "--rows", "8", "--columns", "32", "--run", "threads")
        code, out, _ = called(capsys, *command, "--mapping", mapping)
        assert code == 0
        assert "transpose of 8 x 32 elements on 4 processes, mapping: order" in out
        assert "equals numpy's transpose" in out


def test_image(capsys, tmp_path):
    """A picture is cut to powers of two, worked on, and written."""
    picture = np.random.default_rng(0).integers(0, 256, (40, 70, 3)).astype(np.uint8)
    source, target = tmp_path / "in.png", tmp_path / "out.png"
    matplotlib.image.imsave(source, picture)
    command = ("image", str(source), "--run", "threads", "--output", str(target))
    code, out, _ = called(capsys, *command, "--operation", "rotate90-clockwise")
    assert code == 0
    assert "equals the result of one process" in out
    made = np.rint(matplotlib.image.imread(target) * 255)[:, :, :3]
    assert np.array_equal(made, np.rot90(picture[4:36, 3:67], -1))


def test_a_wrong_result_has_exit_code_1(capsys, monkeypatch):
    monkeypatch.setattr(np.fft, "fft", lambda data: data)
    code, out, _ = called(capsys, "fft", "--points", "16", "--run", "threads")
    assert code == 1
    assert "DIFFERS" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("fft --points 100", "points"), ("fft --points -1", "--points"),
        ("fft --ranks 3", "--ranks"), ("fft --ranks 1", "--ranks"),
        ("fft --mapping 1,1", "permutation"), ("fft --mapping 0,1,2", "order of 2 bits"),
        ("fft --mapping best", "--mapping"), ("fft --timeout 0", "--timeout"),
        ("fft --run elsewhere", "--run"), ("transpose --rows 3", "powers of two"),
        ("transpose --rows 0", "--rows"), ("image no-such-file.png", "no-such-file.png"),
        (f"image {__file__}", "picture"), ("no-such-command", "no-such-command"),
        ("collective rotate", "collective"),
        ("collective allreduce --ranks 1", "ranks: must be in 2..1024"),
        ("collective allreduce --bytes many", "--bytes: must be whole numbers"),
        ("collective allreduce --bytes 0", "sizes: must be in 1.."),
        ("collective allreduce --algorithm swong", "algorithm: must be one of"),
        ("collective allreduce --alpha 5", "--alpha, --tau: must be given together"),
        ("collective allreduce --plot a.svg", "--plot: requires --measure"),
        ("collective allreduce --measure --run threads", "--measure: must be on MPI"),
    ],
)  # fmt: skip
def test_bad_input(capsys, arguments, words):
    code, out, err = called(capsys, *arguments.split())
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert words in err


def test_without_mpi(capsys, monkeypatch):
    monkeypatch.setattr(launch, "unavailable", lambda launcher=None: "there is no mpirun")
    code, _, err = called(capsys, "fft")
    assert (code, err) == (1, "lccmodel.mpi: error: there is no mpirun\n")


@pytest.mark.slow
@needs_mpi
def test_both_ways_to_use_mpi(capsys):
    """The command starts mpirun, or takes part in processes that a launcher started."""
    code, out, _ = called(capsys, "fft", "--points", "64", "--mapping", "optimal")
    assert code == 0
    assert "equals numpy.fft.fft" in out
    command = ["-m", "lccmodel.mpi", "fft", "--points", "64", "--mapping", "1,0"]
    written = launch.start(4, [*command, "--run", "here"], timeout=60)
    assert written.count("equals numpy.fft.fft") == 1
    with pytest.raises(launch.MPIError, match="must run on 4 processes; got 1"):
        launch.start(1, [*command, "--run", "here"], timeout=60)


# -- examples ------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize(("n", "degrees"), [(2, (1, 1)), (4, (2, 1))])
def test_the_loop(n, degrees):
    """Fig. 1(d) by two arrays and by a renumbered communicator: the same processes exchange."""
    written = launch.start(1 << n, [str(FOLDER / "loop.py")], timeout=60)
    lines = [list(map(int, re.findall(r"\d+", line))) for line in written.splitlines()]
    wires, (before, after) = lines[:-1], lines[-1]
    pairs = catalog.bit_reverse(n).pairs().tolist()
    assert [[source, destination] for source, destination, _, _ in wires] == pairs
    place = {source: physical for source, _, physical, _ in wires}
    assert sorted(place.values()) == list(range(1 << n))
    assert all(place[destination] == physical for _, destination, _, physical in wires)
    assert (before, after) == degrees


@pytest.mark.slow
@needs_mpi
def test_the_loop_wants_a_power_of_two():
    with pytest.raises(launch.MPIError, match="needs 2, 4, 8, 16"):
        launch.start(1, [str(FOLDER / "loop.py")], timeout=60)


def test_the_fft(capsys):
    assert run_path(str(FOLDER / "fft.py"))["main"](["--threads"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == 4 * 4 * 2
    # the bit reversal of 16 processors has degree 2^(n/2-1) = 2, mapped 1; smaller ones have 1
    assert [line.split()[3] for line in lines if line.startswith("   16") and " - " in line] == [
        "2"
    ] * 4
    assert all(line.split()[-2] == "1" for line in lines if " - " not in line)


@pytest.mark.slow
def test_the_picture(capsys, tmp_path):
    assert run_path(str(FOLDER / "picture.py"))["main"]([str(tmp_path), "--threads"]) == 0
    written = capsys.readouterr().out
    assert written.count(" 0 wrong pixels") == 8
    assert "reflect-diagonal            16 messages, degree 2 -> 1," in written
    assert len(list(tmp_path.glob("*.png"))) == 8
