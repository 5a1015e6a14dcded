"""From message times to α and τ: tables, the robust fit, machine files, runs of one log.

The time of m bytes is α + τm. Readers of benchmarks are in `test_benchmark_output`, and fits
against a known truth in `test_known_truth`.
"""

import math
from dataclasses import replace

import numpy as np
import pytest

from lccmodel.calibration import Measurements, fit, read_machine, read_measurements, write_machine
from lccmodel.errors import FileError, InputError
from lccmodel.pipelining import Linear, Piecewise
from tests.cli import calling

SIZES = np.array([8 << k for k in range(16)])


@pytest.mark.parametrize(
    "text",
    [
        "size,time\n8,1.5\n1024,2.5\n",
        "bytes\ttime_ms\n8\t0.0015\n1024\t0.0025\n",
        "rank,size,time [s]\n0,8,1.5e-6\n0,1024,2.5e-6\n",
        "\ufeffsize [bytes];time [µs]\n8;1.5\n1024;2.5\n",  # a mark of the byte order
    ],
)
def test_a_table_is_read_in_microseconds(tmp_path, text):
    file = tmp_path / "times.txt"
    file.write_text(text)
    table = read_measurements(file)
    assert (table.kind, table.sizes.tolist()) == ("table", [8, 1024])
    assert table.times.tolist() == pytest.approx([1.5, 2.5])


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("size,time\n8,-1\n", 2, "above 0"),
        ("size,time\n8,nan\n", 2, "finite"),
        ("size,time\n-8,1\n", 2, "not negative"),
        ("size,time\n8\n", 2, "a size and a time"),
        ("size,time\n8.5,1\n", 2, "whole number of bytes"),
        ("size,time\nx,1\n", 2, "must be a number"),
        ("size,time [weeks]\n8,1\n", 1, "unit"),
        ("size_kb,time\n8,1\n", 1, "sizes must be in bytes"),
        ("size [KiB],time\n8,1\n", 1, "sizes must be in bytes"),
        ("size (words),time\n8,1\n", 1, "sizes must be in bytes"),
        # times that are 0 or infinite once they are in µs, and a rate beyond all numbers
        ("size,time_s\n8,1e305\n", 2, "a time must be finite and above 0"),
        ("size,time_ns\n8,1\n16,1e-322\n", 3, "a time must be finite and above 0"),
        ("# OSU MPI Bandwidth Test v7.5\n# Size      Bandwidth (MB/s)\n8  4.0\n64  1e400\n", 4,
         "a time must be finite and above 0"),
        ("hello there\nand here\n", None, "times"),
        ("", None, "must not be empty"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_with_its_line(tmp_path, text, line, said):
    file = tmp_path / "times.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=said) as refused:
        read_measurements(file)
    assert line in (None, refused.value.line)


def test_an_exact_line_is_found_exactly():
    """t = α + L τ without noise: the fit is the line, with intervals of no width."""
    line = fit(Measurements(SIZES, 3 + 0.25 * SIZES))
    assert (line.alpha, line.tau) == (pytest.approx(3), pytest.approx(0.25))
    assert line.ratio_interval == (pytest.approx(12), pytest.approx(12))
    assert len(line.segments) == 1
    assert abs(line.residuals).max() < 1e-12


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: fit(Measurements([1, 2, 3], [1, 2, 3])), "4 to 200"),
        (lambda: fit(Measurements(SIZES, 1 + SIZES), confidence=1), "confidence"),
        (lambda: fit(Measurements(SIZES, 1 + SIZES), segments=4), "segments"),
        (lambda: fit(Measurements(SIZES[:5], 1 + SIZES[:5]), segments=2), "4 sizes each"),
        (lambda: Measurements([], []), "sizes, times"),
        (lambda: Measurements([-1], [1]), "negative"),
        # a time below 1 is right, and the first of several wrong ones is named
        (lambda: Measurements([1, 2, 3, 4], [0.5, -2.0, -1.0, 3.0]), r"finite and above 0; got -2"),
        *((lambda wrong=wrong: Measurements([1, 2, 3], [1.0, 2.0, wrong]), f"got {wrong}")
          for wrong in (math.inf, math.nan, 0.0, -1.0)),
    ],
)  # fmt: skip
def test_bad_measurements_are_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


# -- machine files -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "mine", 'a "b" \\c'])
def test_a_machine_file_comes_back(tmp_path, name):
    file = tmp_path / "machine.toml"
    line = fit(Measurements(SIZES, 3 + 0.25 * SIZES))
    machine = read_machine(write_machine(file, line, name))
    assert machine.cost == Linear(3, "0.25")
    assert (machine.name, machine.unit, machine.confidence) == (name, "us", 1)
    assert machine.source == repr(line.measurements)
    assert machine.others == (Linear(3, "0.25"), Linear(3, "0.25"))
    wide = replace(line, ratio_interval=(8.0, math.inf), alpha_interval=(1.0, 2.5),
                   tau_interval=(0.0, 1 / 3), confidence=0.9, alpha=2.0, tau=1e-7)  # fmt: skip
    machine = read_machine(write_machine(file, wide))
    assert machine.cost == Linear(2, "1e-7")
    assert "confidence = 0.9\n" in file.read_text()
    assert "tau_interval = [0.0, 0.333333]" in file.read_text()  # six digits
    assert "ratio" not in file.read_text()  # which may be infinite
    times = np.where(SIZES <= 1024, 2 + 0.004 * SIZES, 20 + 0.001 * SIZES)
    machine = read_machine(write_machine(file, fit(Measurements(SIZES, times))))
    assert isinstance(machine.cost, Piecewise)
    assert [float(machine.cost.time(size)) for size in (8, 2048)] == pytest.approx([2.032, 22.048])
    assert 90 <= len(machine.others) <= 100  # a draw that leaves a segment one size is no fit
    assert {len(other.pieces) for other in machine.others} == {2}
    assert machine.confidence == 0.95


LINE = "[machine]\nalpha = 10\ntau = 1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{LINE}speed = 3\n", "speed"),
        ("[machine]\nalpha = 1\n", "must have tau"),
        ("[machine]\nalpha = -1\ntau = 1\n", "not be negative"),
        ("[machine]\nalpha = nan\ntau = 1\n", "finite"),
        ("[machine]\nloggp = { L = 1.5 }\n", r"keys L, o, g and G; got \['L'\]"),
        ("[machine]\ntable = [[1, 2, 3]]\n", "pairs"),
        ("[machine]\ntable = [[1, 2]]\nloggp = {L=1,o=1,g=1,G=1}\n", "one of"),
        (f"{LINE}ratio_interval = [3, 2]\n", "end before"),
        (f"{LINE}repeated = [[1, 1]]\n", "list of 1 pairs"),
        (f"{LINE}confidence = 2\n", "confidence"),
        ("machine = 1\n", r"\[machine\] must be a table of the file"),
        (f"{LINE}name = 3\n", "name must be text; got 3"),
        (f"{LINE}repeated = 3\n", "list of 1 pairs.*; got 3"),
        ("[machine]\nsegment = 3\n", "segment must be a list of tables; got 3"),
        ("[[machine.segment]]\nalpha = 1\n", r"segment must have tau; got \['alpha'\]"),
        (f"{LINE}alpha_interval = 3\n", r"a pair \[low, high\]; got 3"),
        ("[machine\n", "TOML"),
        ("[other]\n", "machine"),
        ("a = " + "[" * 100_000, "TOML"),
    ],
)
def test_a_bad_machine_file_is_refused(tmp_path, text, said):
    file = tmp_path / "machine.toml"
    file.write_text(text)
    with pytest.raises(FileError, match=said):
        read_machine(file)


@pytest.mark.parametrize(
    ("intervals", "others"),
    [
        # the largest τ with the least α/τ, and the least τ with the largest: α/τ decides the degree
        ("ratio_interval = [8, 15]\ntau_interval = [0.5, 2]\n", ((16, 2), ("7.5", "0.5"))),
        ("alpha_interval = [1, 3]\ntau_interval = [0.01, 0.05]\n", ((1, "0.05"), (3, "0.01"))),
        ("alpha_interval = [1, 3]\ntau_interval = [0.01, 0.05]\nratio_interval = [40, 100]\n",
         ((2, "0.05"), (1, "0.01"))),
        ("alpha_interval = [9, 12]\n", ((9, 1), (12, 1))),
        ("", ()),
    ],
)  # fmt: skip
def test_intervals_become_the_costs_at_their_ends(tmp_path, intervals, others):
    file = tmp_path / "machine.toml"
    file.write_text(LINE + intervals)
    assert read_machine(file).others == tuple(Linear(alpha, tau) for alpha, tau in others)


# -- runs of one log ---------------------------------------------------------------------------

TWO_RUNS = "".join(
    f"== {where}\n# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n"
    + "".join(f"{8 << k} {alpha + tau * (8 << k):.6f}\n" for k in range(12))
    for where, alpha, tau in (("intra-node", 0.3, 1e-4), ("inter-node", 1.9, 5e-5))
)


def test_runs_of_one_log_are_never_put_together(tmp_path):
    """0.3 inside a node, 1.9 between nodes: one line through both would be α = 1.1."""
    file = tmp_path / "osu.txt"
    file.write_text(TWO_RUNS)
    with pytest.raises(FileError, match="2 runs of OSU latency") as refused:
        read_measurements(file)
    assert "2 runs differ, at 8 bytes by a factor of" in str(refused.value)
    assert "1 (intra-node), 2 (inter-node)" in str(refused.value)
    for run, alpha, tau in ((1, 0.3, 1e-4), ("inter", 1.9, 5e-5), ("2", 1.9, 5e-5)):
        line = fit(read_measurements(file, run=run))
        assert (line.alpha, line.tau) == (pytest.approx(alpha), pytest.approx(tau))
    for run in (0, 3, "node", "x", ""):
        with pytest.raises(FileError, match="no run is called"):
            read_measurements(file, run=run)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_the_run_is_named_in_every_format_and_in_the_machine_file(tmp_path, form):
    file, machine = tmp_path / "osu.txt", tmp_path / "m.toml"
    file.write_text(TWO_RUNS)
    result = calling.run("calibrate", file, "--run", "inter-node", "--save", machine, "-f", form)
    assert result.exit_code == 0
    written = " ".join(result.stdout.split())
    assert "run 2 (inter-node) of 2" in written
    assert "2 runs differ" in written
    assert "run 2 (inter-node) of 2" in read_machine(machine).source
    refusal = calling.refused(calling.run("calibrate", file, "-f", form))
    assert "select one with --run" in refusal
