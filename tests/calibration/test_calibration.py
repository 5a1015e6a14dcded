"""From message times to α and τ: readers, the robust fit, machine files, measured costs."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from lccmodel.calibration import Measurements, fit, read_machine, read_measurements, write_machine
from lccmodel.errors import FileError, InputError
from lccmodel.pipelining import Linear, Machine, optimal_degree
from lccmodel.pipelining.cost.measured import Piecewise, measured_degree
from lccmodel.pipelining.cost.sums import step_table

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
        ("hello\n", 1, "OSU"),
        ("", 0, "no measurements"),
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
        make()  # type: ignore[operator]


def test_a_machine_file_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "machine.toml"
    write_machine(file, fit(Measurements(SIZES, 3 + 0.25 * SIZES)), 'my "cluster"')
    said = read_machine(file)
    assert said.cost == Linear(3, "0.25")
    assert (said.name, said.unit, said.ratio) == ('my "cluster"', "us", (12, 12))
    times = np.where(SIZES <= 1024, 2 + 0.004 * SIZES, 20 + 0.001 * SIZES)
    write_machine(file, fit(Measurements(SIZES, times)))
    cost = read_machine(file).cost
    assert isinstance(cost, Piecewise)
    assert [float(cost.time(size)) for size in (8, 2048)] == pytest.approx([2.032, 22.048])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[machine]\nalpha = 1\ntau = 1\nspeed = 3\n", "speed"),
        ("[machine]\nalpha = 1\n", "must have tau"),
        ("[machine]\nalpha = -1\ntau = 1\n", "not be negative"),
        ("[machine]\nalpha = nan\ntau = 1\n", "finite"),
        ("[machine]\nloggp = { L = 1 }\n", "keys L, o, g and G"),
        ("[machine]\ntable = [[1, 2, 3]]\n", "pairs"),
        ("[machine]\ntable = [[1, 2]]\nloggp = {L=1,o=1,g=1,G=1}\n", "one of"),
        ("[machine]\nalpha = 1\ntau = 1\nratio_interval = [3, 2]\n", "end before"),
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


def test_the_best_degree_of_a_measured_cost_is_the_best_of_all() -> None:
    """Against every Q in 1..N, for random pieces, meshes and barriers."""
    rng = random.Random(1)
    for _ in range(300):
        mesh = rng.choice(["2", "4", "4x4", "2x4", "8x8", "2x2x2", "16", "torus:4x4"])
        ends = sorted(rng.sample(range(1, 60), rng.randint(0, 3)))
        taus = [0, 1, 2, Fraction(1, 3)]
        cost = Piecewise([(e, rng.randint(0, 50), rng.choice(taus)) for e in [*ends, None]])
        N, b = rng.randint(1, 80), rng.choice([0, 1, 5])
        found = measured_degree(mesh, cost, N, barrier=b)
        table = step_table(mesh, "schedule", "one")
        times = [
            table.total(Q) * cost.time(Fraction(N, Q)) + (table.d + Q - 1) * b
            for Q in range(1, N + 1)
        ]
        assert found.time == min(times)
        assert times[found.Q - 1] == min(times)
        assert found.Q == times.index(min(times)) + 1
        assert found.gain == (times[0] / min(times) if min(times) else 1)
        assert all(times[Q - 1] == time for Q, time in found.times.items())


def test_one_piece_is_the_papers_cost() -> None:
    """[calmant (1)]: the same Q and T as `optimal_degree`."""
    for N in (1, 7, 100, 4096, 10**6):
        machine = Machine("8x16", 500, "1/2", 3)
        best = optimal_degree(machine, N)
        found = measured_degree("8x16", machine.cost, N, barrier=3)
        assert (found.Q, found.time, found.gain) == (best.Q, best.time, best.gain)


def test_best_degree_falls_with_the_ratio() -> None:
    """The interval of α/τ becomes an interval of Q because the best Q never rises with it."""
    degrees = [measured_degree("16x16", Linear(ratio, 1), 4096).Q for ratio in range(0, 3000, 13)]
    assert degrees == sorted(degrees, reverse=True)


@pytest.mark.parametrize(
    ("pieces", "said"),
    [
        ([], "pieces"),
        ([(8, 1, 1)], "last up_to"),
        ([(None, 1, 1), (None, 1, 1)], "last up_to"),
        ([(8, 1, 1), (8, 1, 1), (None, 1, 1)], "rise"),
        ([(0, 1, 1), (None, 1, 1)], "rise"),
        ([(8, 1, 1), (None, Fraction(-9), 1)], "less than nothing"),
    ],
)
def test_bad_pieces_are_refused(pieces: list[object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Piecewise(pieces)


def test_loggp_and_tables_are_pieces() -> None:
    """LogGP by its definition, for every size; a table at its sizes and halfway between."""
    L, o, g, G = 5, 2, 12, Fraction(1, 3)
    cost = Piecewise.loggp(L, o, g, G)
    for items in range(1, 60):
        assert cost.time(items) == max(o + (items - 1) * G + L + o, g)
    table = Piecewise.table([2, 4, 8], [1, 9, 9])
    assert [table.time(n) for n in (1, 2, 3, 4, 6, 8, 100)] == [Fraction(1, 2), 1, 5, 9, 9, 9, 9]
