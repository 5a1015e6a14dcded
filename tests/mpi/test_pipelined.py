"""Pipelined exchange and FFT on threads and on real MPI; measured T(Q) beside the prediction."""

import json
from itertools import product

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.mpi import launch, local, pipelined_exchange, pipelined_fft
from lccmodel.mpi.degrees import MeasuredTimes, measure_degrees, node
from lccmodel.mpi.job import Job, JobOutcome
from lccmodel.pipelining import Machine, PacketPlan, optimal_degree
from lccmodel.show.degree_drawing import draw_measured, measured_table, shown_degrees, verdict
from tests.cli import calling
from tests.mpi.test_launch import needs_mpi

RNG = np.random.default_rng(1999)


def exchange_case(n: int, Q: int, *shape: int) -> tuple[Job, np.ndarray]:
    blocks = RNG.integers(0, 1000, (1 << n, 1 << n, *shape))
    return pipelined_exchange(blocks, Q), blocks.swapaxes(0, 1)


def fft_case(n: int, Q: int, bits: int) -> tuple[Job, np.ndarray]:
    signal = RNG.standard_normal(1 << bits) + 1j * RNG.standard_normal(1 << bits)
    return pipelined_fft(signal, n, Q), np.fft.fft(signal)


def check(task: Job, expected: np.ndarray, outcome: JobOutcome) -> None:
    """The result is numpy's, and every message is a packet of the plan [calmant 2.4]."""
    assert np.allclose(outcome.values, expected, rtol=1e-12, atol=1e-10)
    plan: PacketPlan = task.program.keywords["plan"]
    row = task.data.size // task.ranks
    half = row // 2 if "exchange" in task.name else row
    sizes = PacketPlan(plan.d, plan.Q, half).sizes
    for iteration in plan.iterations:
        messages = [m for m in outcome.sent if m.phase == f"iteration {iteration.t}"]
        sent = {(m.source, m.destination, m.size // task.data.itemsize) for m in messages}
        assert len(messages) == len(sent)
        assert sent == {
            (p, p ^ 1 << j, sizes[k]) for p in range(task.ranks) for j, k in iteration.packets
        }
    assert sorted(outcome.sent) == sorted(outcome.received)


CASES = [
    *(exchange_case(n, Q, *s) for n in (1, 2, 3) for Q in (1, 2, 4) for s in ((4,), (2, 2))),
    *(fft_case(n, Q, 6) for n in (1, 2, 3) for Q in (1, 2, 3, 8)),
    *(exchange_case(2, 2), fft_case(2, 1, 2)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].name}, {case[0].ranks}")
def test_on_threads(case):
    check(*case, local.run([case[0]])[0])


@pytest.mark.slow
@needs_mpi
@pytest.mark.parametrize("n", [2, 4])
def test_on_real_mpi(n):
    """The same with up to 16 processes; one with a mapping, whose messages are the images."""
    cases = [exchange_case(n, 1, 2), exchange_case(n, 3, 2), fft_case(n, 1, 8), fft_case(n, 5, 8)]
    mapping = RNG.permutation(1 << n)
    mapped = cases[1][0].mapped(mapping)
    *outcomes, moved = launch.run([*(task for task, _ in cases), mapped], timeout=100)
    for case, outcome in zip(cases, outcomes, strict=True):
        check(*case, outcome)
    assert (moved.values == cases[1][1]).all()
    pairs = {(int(mapping[m.source]), int(mapping[m.destination])) for m in outcomes[1].sent}
    assert {(m.source, m.destination) for m in moved.sent} == pairs


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: pipelined_exchange(np.zeros((3, 3))), "blocks"),
        (lambda: pipelined_exchange(np.zeros((1, 1))), "blocks"),
        (lambda: pipelined_exchange(np.zeros((4, 4, 0))), "blocks"),
        (lambda: pipelined_exchange(np.zeros((4, 4)), Q=3), "Q"),
        (lambda: pipelined_fft(np.zeros(6), 1), "signal"),
        (lambda: pipelined_fft(np.zeros(2), 2), "signal"),
        (lambda: pipelined_fft(np.array(["a"]), 1), "signal"),
        (lambda: pipelined_fft(np.zeros(8), 2, Q=3), "Q"),
        (lambda: pipelined_fft(np.zeros(8), 0), "d"),
        (lambda: measure_degrees(0, 8, [1]), "d"),
        (lambda: measure_degrees(7, 8, [1]), "d"),
        (lambda: measure_degrees(2, 0, [1]), "size"),
        (lambda: measure_degrees(2, 8, [9]), "degrees"),
        (lambda: measure_degrees(2, 8, []), "degrees"),
        (lambda: measure_degrees(2, 8, [1], seconds=0), "seconds"),
    ],
)
def test_bad_input_is_refused(make, said):
    with pytest.raises(InputError, match=said):
        make()


class Recorder:
    """A communicator of rank 0 of 4 that notes what it sends and waits for nothing."""

    def __init__(self) -> None:
        self.sent: list[tuple[int, int, int]] = []
        self.Get_rank, self.Get_size, self.Wait = lambda: 0, lambda: 4, lambda: None
        self.Barrier = lambda: self.sent.append((-1, -1, 0))
        self.allgather = lambda value: [1.0]

    def Irecv(self, buf: np.ndarray, source: int, tag: int) -> "Recorder":
        return self

    def Isend(self, buf: np.ndarray, dest: int, tag: int) -> "Recorder":
        self.sent.append((dest, tag, buf.size))
        return self


def test_a_round_sends_the_packets_of_the_plan():
    """[calmant 2.4]: ⟨0,1⟩, ⟨0,2⟩ Q - 1 times, ⟨1,1⟩ for d = 2; a barrier after each if asked."""
    comm = Recorder()
    assert [Q for Q, _ in node(comm, 7, 1, 1.0, True, [3])] == [3]
    trial = comm.sent[1 : len(comm.sent) // 2]
    wait = (-1, -1, 0)
    first = [(1, 0, 3), wait, (1, 0, 2), (2, 1, 3), wait]
    assert trial == [*first, (1, 0, 2), (2, 1, 2), wait, (2, 1, 2), wait]


def test_the_table_says_whether_they_agree():
    """T(Q) = P (α + N/Q τ) [calmant 3.3] beside d Q (α + N/Q τ) and the medians, in one unit."""
    best = optimal_degree(Machine("4x4", alpha=1, tau="0.01"), 4096)
    assert best.Q > 1
    measured = {}
    for first, at_best, words in (
        *((15.0, 10.0, "on the best Q"), (10.0, 10.1, "as far as the spread")),
        (10.0, 15.0, f"NO: Q = {best.Q} takes 50 % longer than Q = 1"),
    ):
        for Q, median in ((1, first), (best.Q, at_best)):  # three rounds, one in a hundred apart
            measured[Q] = np.array([0.99, 1, 1.01]) * median
        times = MeasuredTimes(4, 2, 4096, dict(measured))
        assert verdict(best, times).startswith(words)
    table = measured_table(best, times, "ms")
    row = table.records()[0]
    assert row["measured"] == pytest.approx(0.010)
    assert row["without_links"] == pytest.approx(4 * (1 + 40.96))  # four dimensions
    assert row["predicted"] == pytest.approx(6 * (1 + 40.96))  # on 1, 1, 2 and 2 links
    assert row["ratio"] == pytest.approx(0.010 / row["predicted"])
    assert "share memory" in " ".join((*table.legend, *table.notes))
    figure = draw_measured(best, times, "ms")
    assert "no links" in figure.get_supxlabel()
    assert figure.axes[0].get_title().endswith("measured best Q = 1")
    with pytest.raises(InputError, match="unit"):
        measured_table(best, times, "weeks")


def test_degrees_worth_measuring_hold_the_best():
    for N, mesh in product((1, 2, 5, 4096, 10**6), ("2", "4x4", "8x8")):
        best = optimal_degree(Machine(mesh, 100, 1), N)
        degrees = shown_degrees(best, [min(N, 3)])
        assert {1, best.Q, min(N, 3)} <= set(degrees)
        assert degrees == sorted(set(degrees))
        assert degrees[-1] <= N


@pytest.mark.slow
@needs_mpi
def test_measured_beside_predicted(tmp_path):
    """The command, on 4 processes: a row for each degree, a figure, and what is left out."""
    machine, plot = tmp_path / "m.toml", tmp_path / "T.png"
    machine.write_text("[machine]\nalpha = 1\ntau = 0.0002\n")
    base = ["pipeline", "-N", "mesh:2x2", "--machine", str(machine), "--items", "4096"]
    more = ["--measure", "--seconds", "0.3", "--degree", "5", "--plot", str(plot)]
    result = calling.run(*base, *more, "--format", "json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.output)
    assert 5 in [row["Q"] for row in rows]
    for row in rows:
        assert 0 < row["least"] <= row["measured"] <= row["most"]
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("--measure --model all --unit us", "--measure cannot be combined with"),
        ("--measure --seconds 0 --unit us", "seconds"),
        ("--measure", "unit"),
    ],
)
def test_bad_options_are_one_line(more, said):
    asked = f"pipeline -N mesh:2x2 --alpha 1 --tau 1 --items 64 {more}"
    assert said in calling.refused(calling.run(*asked.split()))
