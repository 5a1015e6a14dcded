"""From message times to α and τ: readers, the robust fit, machine files, measured costs.

The time of m bytes is α + τm.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lccmodel.calibration import Measurements, fit, read_machine, read_measurements, write_machine
from lccmodel.calibration.fitting import Segment
from lccmodel.calibration.machine_file import machine_text
from lccmodel.errors import FileError, InputError
from lccmodel.pipelining import Linear, Piecewise
from tests.cli import calling

OSU = """# OSU MPI Latency Test v7.3
# Datatype: MPI_CHAR.
# Size       Avg Latency(us)
8                       1.50
1024                    2.50
4096                    5.75
"""
BANDWIDTH = """# OSU MPI Bandwidth Test v7.3
# Size      Bandwidth (MB/s)
8                       4.00
1024                  512.00
"""
IMB = """#---------------------------------------------------
# Benchmarking PingPong
# #processes = 2
#---------------------------------------------------
       #bytes #repetitions      t[usec]   Mbytes/sec
            0         1000         0.90         0.00
            8         1000         1.50         5.33
         1024         1000         2.50       409.60

#---------------------------------------------------
# Benchmarking PingPing
"""
NETPIPE = """Send and receive buffers are 16384 and 16384 bytes
  0:       8 bytes   2867 times -->     42.67 Mbps in       1.50 usec
  1:    1024 bytes   2867 times -->   3276.80 Mbps in       2.50 usec
"""


@pytest.mark.parametrize(
    ("text", "kind", "times"),
    [
        (OSU, "OSU latency", [1.5, 2.5, 5.75]),
        (BANDWIDTH, "OSU bandwidth", [2.0, 2.0]),
        (IMB, "IMB PingPong", [1.5, 2.5]),
        (NETPIPE, "NetPIPE", [1.5, 2.5]),
        ("size,time\n8,1.5\n1024,2.5\n", "table", [1.5, 2.5]),
        ("bytes\ttime_ms\n8\t0.0015\n1024\t0.0025\n", "table", [1.5, 2.5]),
        ("rank,size,time [s]\n0,8,1.5e-6\n0,1024,2.5e-6\n", "table", [1.5, 2.5]),
    ],
    ids=["osu", "osu-bw", "imb", "netpipe", "csv", "tsv-ms", "csv-s"],
)
def test_every_kind_of_file_is_read_in_microseconds(
    tmp_path: Path, text: str, kind: str, times: list[float]
) -> None:
    file = tmp_path / "times.txt"
    file.write_text(text)
    found = read_measurements(file)
    assert found.kind == kind
    assert found.sizes.tolist()[:2] == [8, 1024]
    assert found.times.tolist() == pytest.approx(times)


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
        ("hello there\nand here\n", 0, "times"),
        ("", 0, "must not be empty"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(
    tmp_path: Path, text: str, line: int, said: str
) -> None:
    file = tmp_path / "times.csv"
    file.write_text(text)
    with pytest.raises(FileError, match=said) as error:
        read_measurements(file)
    assert f"times.csv:{line}" in str(error.value) or line == 0


SIZES = np.array([8 << k for k in range(16)])


def test_an_exact_line_is_found_exactly() -> None:
    """t = α + L τ without noise: the fit is the line, with intervals of no width."""
    found = fit(Measurements(SIZES, 3 + 0.25 * SIZES))
    assert (found.alpha, found.tau) == (pytest.approx(3), pytest.approx(0.25))
    assert found.ratio_interval == (pytest.approx(12), pytest.approx(12))
    assert len(found.segments) == 1
    assert abs(found.residuals).max() < 1e-12


def test_disturbed_sizes_do_not_move_the_line() -> None:
    """Four sizes of sixteen take ten times as long; least squares would follow them."""
    times = 3 + 0.25 * SIZES
    times[[2, 5, 9, 13]] *= 10
    found = fit(Measurements(SIZES, times), segments=1)
    assert (found.alpha, found.tau) == (pytest.approx(3), pytest.approx(0.25))


def test_the_line_has_the_least_sum_of_relative_differences() -> None:
    """No line of a fine grid around it has a smaller Σ |t - α - L τ| / t."""
    rng = np.random.default_rng(5)
    times = (2 + 0.01 * SIZES) * rng.uniform(0.8, 1.3, SIZES.size)
    found = fit(Measurements(SIZES, times), segments=1)

    def total(alpha: float, tau: float) -> float:
        return float((abs(times - alpha - tau * SIZES) / times).sum())

    least = total(found.alpha, found.tau)
    for a in np.linspace(0.5, 2, 61):
        for t in np.linspace(0.5, 2, 61):
            assert total(a * found.alpha, t * found.tau) >= least - 1e-9


def test_the_interval_holds_the_truth_in_most_runs() -> None:
    """Noise of 5 %, 20 runs: the true α and τ lie in the 95 % interval nearly always."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(20):
        sizes = np.repeat(SIZES, 7)
        times = (5 + 0.002 * sizes) * rng.lognormal(0, 0.05, sizes.size)
        found = fit(Measurements(sizes, times), segments=1)
        inside += found.alpha_interval[0] <= 5 <= found.alpha_interval[1]
        inside += found.tau_interval[0] <= 0.002 <= found.tau_interval[1]
    assert inside >= 34


def test_a_change_of_protocol_is_a_segment() -> None:
    """Eager to 1,024 bytes, then another start-up and another rate."""
    times = np.where(SIZES <= 1024, 2 + 0.004 * SIZES, 20 + 0.001 * SIZES)
    found = fit(Measurements(SIZES, times))
    assert [segment.up_to for segment in found.segments] == [1024, None]
    assert found.segments[0][2:] == (pytest.approx(2), pytest.approx(0.004))
    assert found.segments[1][2:] == (pytest.approx(20), pytest.approx(0.001))


def test_the_same_measurements_give_the_same_fit() -> None:
    noisy = Measurements(SIZES, (2 + SIZES) * np.random.default_rng(3).uniform(0.9, 1.1, 16))
    assert fit(noisy).alpha_interval == fit(noisy).alpha_interval


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: fit(Measurements([1, 2, 3], [1, 2, 3])), "4 to 200"),
        (lambda: fit(Measurements(SIZES, 1 + SIZES), confidence=1), "confidence"),
        (lambda: fit(Measurements(SIZES, 1 + SIZES), segments=4), "segments"),
        (lambda: fit(Measurements(SIZES[:5], 1 + SIZES[:5]), segments=2), "4 sizes each"),
        (lambda: Measurements([], []), "sizes, times"),
        (lambda: Measurements([1], [0]), "above 0"),
        (lambda: Measurements([-1], [1]), "negative"),
    ],
)
def test_bad_measurements_are_refused(make: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


def test_a_machine_file_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "machine.toml"
    write_machine(file, fit(Measurements(SIZES, 3 + 0.25 * SIZES)), 'my "cluster"')
    said = read_machine(file)
    assert said.cost == Linear(3, "0.25")
    assert (said.name, said.unit, said.confidence) == ('my "cluster"', "us", 1)
    assert said.others == (Linear(3, "0.25"), Linear(3, "0.25"))
    times = np.where(SIZES <= 1024, 2 + 0.004 * SIZES, 20 + 0.001 * SIZES)
    write_machine(file, fit(Measurements(SIZES, times)))
    cost = read_machine(file).cost
    assert isinstance(cost, Piecewise)
    assert [float(cost.time(size)) for size in (8, 2048)] == pytest.approx([2.032, 22.048])
    others = read_machine(file).others
    assert 90 <= len(others) <= 100  # a draw that leaves a segment one size is no fit
    assert {len(other.pieces) for other in others} == {2}
    assert read_machine(file).confidence == 0.95


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[machine]\nalpha = 1\ntau = 1\nspeed = 3\n", "speed"),
        ("[machine]\nalpha = 1\n", "must have tau"),
        ("[machine]\nalpha = -1\ntau = 1\n", "not be negative"),
        ("[machine]\nalpha = nan\ntau = 1\n", "finite"),
        ("[machine]\nloggp = { L = 1.5 }\n", r"keys L, o, g and G; got \['L'\]"),
        ("[machine]\ntable = [[1, 2, 3]]\n", "pairs"),
        ("[machine]\ntable = [[1, 2]]\nloggp = {L=1,o=1,g=1,G=1}\n", "one of"),
        ("[machine]\nalpha = 1\ntau = 1\nratio_interval = [3, 2]\n", "end before"),
        (
            "[machine]\nalpha = 1\ntau = 1\nrepeated = [[1, 1]]\n",
            "list of 1 pairs",
        ),
        ("[machine]\nalpha = 1\ntau = 1\nconfidence = 2\n", "confidence"),
        ("machine = 1\n", r"\[machine\] must be a table of the file"),
        ("[machine]\nname = 3\nalpha = 1\ntau = 1\n", "name must be text; got 3"),
        ("[machine]\nalpha = 1\ntau = 1\nrepeated = 3\n", "list of 1 pairs.*; got 3"),
        ("[machine]\nsegment = 3\n", "segment must be a list of tables; got 3"),
        ("[[machine.segment]]\nalpha = 1\n", r"segment must have tau; got \['alpha'\]"),
        ("[machine]\nalpha = 1\ntau = 1\nalpha_interval = 3\n", r"a pair \[low, high\]; got 3"),
        ("[machine\n", "TOML"),
        ("[other]\n", "machine"),
        ("a = " + "[" * 100_000, "TOML"),
    ],
)
def test_a_bad_machine_file_is_refused(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "machine.toml"
    file.write_text(text)
    with pytest.raises(FileError, match=said):
        read_machine(file)


def test_intervals_become_the_costs_at_their_ends(tmp_path: Path) -> None:
    """The largest τ with the least α/τ, and the least τ with the largest."""
    file = tmp_path / "machine.toml"
    file.write_text(
        "[machine]\nalpha = 10\ntau = 1\nratio_interval = [8, 15]\ntau_interval = [0.5, 2]\n"
    )
    assert read_machine(file).others == (Linear(16, 2), Linear("7.5", "0.5"))
    file.write_text("[machine]\nalpha = 10\ntau = 1\nalpha_interval = [9, 12]\n")
    assert read_machine(file).others == (Linear(9, 1), Linear(12, 1))
    file.write_text("[machine]\nalpha = 10\ntau = 1\n")
    assert read_machine(file).others == ()


def test_the_first_time_that_is_wrong_is_named():
    """A time below 1 is right, and the first of several wrong ones is shown."""
    with pytest.raises(InputError, match=r"times: must be finite and above 0; got -2\.0"):
        Measurements([1, 2, 3, 4], [0.5, -2.0, -1.0, 3.0])


@pytest.mark.parametrize("wrong", [math.inf, math.nan, 0.0, -1.0])
@pytest.mark.parametrize("place", range(3))
def test_one_time_that_is_none_is_refused(wrong: float, place: int) -> None:
    """Wherever it stands among times that are right."""
    times = [1.0, 2.0, 3.0]
    times[place] = wrong
    with pytest.raises(InputError, match=f"got {wrong}"):
        Measurements([1, 2, 3], times)


@pytest.mark.parametrize("many", [1, 2, 3])
@pytest.mark.parametrize("most", [50.0, math.inf])
@pytest.mark.parametrize("name", ["", 'a "b" \\c'])
def test_the_text_of_a_machine_file_line_by_line(many: int, most: float, name: str) -> None:
    """Six digits; no ratio that may be infinite, and segments with repeated fits if several."""
    found = fit(Measurements(SIZES, 3 + 0.25 * SIZES))
    ends = [10, 200, None][3 - many :]
    parts = tuple(Segment(-1, end, 1.23456789 + k, k / 3) for k, end in enumerate(ends))
    again = tuple(tuple((k + 0.5, 0.25) for k in range(many)) for _ in range(2)) if many > 1 else ()
    made = replace(
        found, segments=parts, repeated=again, ratio_interval=(8.0, most), alpha=2.0, tau=1e-7,
        alpha_interval=(1.0, 2.5), tau_interval=(0.0, 1 / 3), confidence=0.9,
    )  # fmt: skip
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    expected = [
        "# Made by `lccmodel calibrate`. Times in microseconds, sizes in bytes.",
        "[machine]",
        *([f'name = "{quoted}"'] if name else []),
        'unit = "us"',
        f'source = "{found.measurements!r}"',
        *([f'doubt = "{made.doubt}"'] if made.doubt else []),
        "alpha = 2.0",
        "tau = 1e-07",
        "confidence = 0.9",
        "alpha_interval = [1.0, 2.5]",
        "tau_interval = [0.0, 0.333333]",
        *(["ratio_interval = [8.0, 50.0]"] if most == 50 else []),
    ]
    if many > 1:
        row = ", ".join(f"[{k + 0.5}, 0.25]" for k in range(many))
        expected += ["# alpha and tau of every segment, fitted to the measurements drawn again"]
        expected += ["repeated = [", f"  [{row}],", f"  [{row}],", "]"]
        for k, end in enumerate(ends):
            expected += ["", "[[machine.segment]]", *([f"up_to = {end}"] if end else [])]
            expected += [f"alpha = {f'{1.23456789 + k:.6g}'}", f"tau = {float(f'{k / 3:.6g}')}"]
    assert machine_text(made, name).splitlines() == expected


TWO_RUNS = "".join(
    f"== {where}\n# OSU MPI Latency Test v7.5\n# Size       Avg Latency(us)\n"
    + "".join(f"{8 << k} {alpha + tau * (8 << k):.6f}\n" for k in range(12))
    for where, alpha, tau in (("intra-node", 0.3, 1e-4), ("inter-node", 1.9, 5e-5))
)


def test_runs_of_one_log_are_never_put_together(tmp_path: Path) -> None:
    """0.4 fitted α = 1.1 to both, without a doubt: 0.3 inside a node, 1.9 between nodes."""
    file = tmp_path / "osu.txt"
    file.write_text(TWO_RUNS)
    with pytest.raises(FileError, match="2 runs of OSU latency") as refused:
        read_measurements(file)
    assert "2 runs differ, at 8 bytes by a factor of" in str(refused.value)
    assert "1 (intra-node), 2 (inter-node)" in str(refused.value)
    for run, alpha, tau in ((1, 0.3, 1e-4), ("inter", 1.9, 5e-5), ("2", 1.9, 5e-5)):
        found = fit(read_measurements(file, run=run))
        assert (found.alpha, found.tau) == (pytest.approx(alpha), pytest.approx(tau))
    for run in (0, 3, "node", "x", ""):
        with pytest.raises(FileError, match="no run is called"):
            read_measurements(file, run=run)


@pytest.mark.parametrize("form", ["table", "json", "csv", "markdown", "latex"])
def test_the_run_is_named_in_every_format_and_in_the_machine_file(
    tmp_path: Path, form: str
) -> None:
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
