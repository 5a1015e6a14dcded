"""The programs of examples/mpi."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

from lccmodel import catalog
from lccmodel.mpi import launch
from tests.mpi.test_launch import needs_mpi

FOLDER = Path(__file__).parents[2] / "examples" / "mpi"


def example(name):
    spec = importlib.util.spec_from_file_location(f"example_{name}", FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
    assert example("fft").main(["--threads"]) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert len(lines) == 4 * 4 * 2
    # the bit reversal of 16 processors has degree 2^(n/2-1) = 2, mapped 1; smaller ones have 1
    assert [line.split()[3] for line in lines if line.startswith("   16") and " - " in line] == [
        "2"
    ] * 4
    assert all(line.split()[-2] == "1" for line in lines if " - " not in line)


@pytest.mark.slow
def test_the_picture(capsys, tmp_path):
    assert example("picture").main([str(tmp_path), "--threads"]) == 0
    written = capsys.readouterr().out
    assert written.count(" 0 wrong pixels") == 8
    assert "reflect-diagonal            16 messages, degree 2 -> 1," in written
    assert len(list(tmp_path.glob("*.png"))) == 8
