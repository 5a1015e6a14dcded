"""The programs on real MPI; skipped only where there is none, with the reason.

One start of mpirun for each number of processes works through all cases.
"""

import os
import re
import signal
import subprocess
import time
from collections import Counter
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from lccmodel.errors import InputError
from lccmodel.mpi import distributed_fft, launch, local, pingpong
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout
from tests.mpi.cases import all_cases, check, fft_case
from tests.mpi.going_wrong import fails, hangs

needs_mpi = pytest.mark.skipif(bool(launch.unavailable()), reason=launch.unavailable() or "MPI")

TIMEOUT = 120


@needs_mpi
@pytest.mark.parametrize("n", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3, 4))])
def test_programs_on_real_mpi(n):
    cases = all_cases(n, picture_d=2)
    outcomes = launch.run([case.task for case in cases], timeout=TIMEOUT)
    for case, outcome in zip(cases, outcomes, strict=True):
        check(case, outcome)


@pytest.mark.slow
@needs_mpi
def test_messages_too_large_for_eager_sending():
    """256 KiB a message: MPI sends these only when they are received, and nothing waits in vain."""
    case = fft_case(2, 7)
    outcome = launch.run([case.task], timeout=TIMEOUT)[0]
    check(case, outcome)
    assert {m.size for m in outcome.sent} == {1 << 18}


@contextmanager
def monitored(folder, monkeypatch, kind):
    """Open MPI's own count of messages and bytes of every pair: "I" inside collectives, "E" else.

    It is filled in when the block ends.
    """
    monkeypatch.setenv("OMPI_MCA_pml_monitoring_enable", "2")  # program and library apart
    monkeypatch.setenv("OMPI_MCA_pml_monitoring_enable_output", "3")  # one file a process
    monkeypatch.setenv("OMPI_MCA_pml_monitoring_filename", str(folder / "counts"))
    pairs = Counter()
    yield pairs
    files = sorted(folder.glob("counts.*.prof"))
    if not files:
        pytest.skip("this MPI does not count messages")
    for file in files:
        for line in file.read_text().splitlines():
            first, *rest = line.split("\t")
            if first == kind and len(rest) > 3:
                source, target, size, messages = rest[:4]
                pair = int(source), int(target)
                pairs[(*pair, "messages")] += int(messages.split()[0])
                pairs[(*pair, "bytes")] += int(size.split()[0])
        file.unlink()


@pytest.mark.slow
@needs_mpi
def test_the_mpi_library_counts_the_same_messages(tmp_path, monkeypatch):
    task, mappings = fft_case(2, 2).task, (None, [3, 1, 0, 2])
    with monitored(tmp_path, monkeypatch, "E") as pairs:
        outcomes = launch.run([task.mapped(places) for places in mappings], timeout=TIMEOUT)
    recorded = Counter()
    for m in (m for outcome in outcomes for m in outcome.sent):
        recorded[m.source, m.destination, "messages"] += 1
        recorded[m.source, m.destination, "bytes"] += m.size
    assert pairs == recorded


# -- runs that go wrong -------------------------------------------------------------------------


def is_running(process):
    try:
        os.kill(process, 0)
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (ProcessLookupError, FileNotFoundError):
        return False


@pytest.mark.slow
@needs_mpi
def test_a_run_that_hangs_is_stopped(tmp_path):
    task = Job("hangs", np.zeros(4), Layout(2, (0, 1)), partial(hangs, folder=str(tmp_path)))
    for seconds in (2, 4, 8, 30):  # that pass on a busy machine before all processes start
        with pytest.raises(launch.MPIError, match=f"4 processes did not end within {seconds} s"):
            launch.run([task], timeout=seconds)
        if processes := [int(file.read_text()) for file in tmp_path.iterdir()]:
            break
    assert processes
    deadline = time.monotonic() + 5
    while any(map(is_running, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_running, processes))


@pytest.mark.slow
@needs_mpi
def test_an_error_in_one_process_ends_all():
    task = Job("fails", np.zeros(4), Layout(2, (0, 1)), fails)
    with pytest.raises(launch.MPIError, match=r"exit code(.|\n)*ZeroDivisionError: for the test"):
        launch.run([task], timeout=TIMEOUT)


@pytest.mark.slow
@needs_mpi
def test_a_program_of_one_s_own(tmp_path):
    file = tmp_path / "hello.py"
    file.write_text("from mpi4py import MPI\nprint('rank', MPI.COMM_WORLD.Get_rank())\n")
    written = launch.start(3, [str(file)], timeout=TIMEOUT)
    assert sorted(written.splitlines()) == ["rank 0", "rank 1", "rank 2"]
    file.write_text("import sys\nsys.exit(7)\n")
    with pytest.raises(launch.MPIError, match="ended with exit code 7"):
        launch.start(2, [str(file)], timeout=TIMEOUT)


@needs_mpi
def test_a_launcher_of_another_make_is_noticed(tmp_path):
    """Processes that do not know of each other: mpirun of one MPI, the library of another."""
    alien = tmp_path / "mpirun"
    alien.write_text('#!/bin/sh\nshift 2\nexec "$@"\n')
    alien.chmod(0o755)
    with pytest.raises(launch.MPIError, match="1 know of each other"):
        launch.run([fft_case(1, 0).task], timeout=TIMEOUT, launcher=str(alien))


# -- without MPI --------------------------------------------------------------------------------


def times_out(command, timeout=None, **_):
    raise subprocess.TimeoutExpired(command, timeout)


def test_a_launcher_that_ignores_the_request_to_end_is_killed(monkeypatch):
    """Also where the processes of a session cannot be listed."""
    monkeypatch.setattr(launch, "_GRACE", 0.02)
    monkeypatch.setattr(launch, "_session", lambda leader: iter(()))
    pipe = subprocess.PIPE
    command = ["sh", "-c", "trap '' TERM; echo ready; read x"]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True) as stubborn:
        assert stubborn.stdout.readline() == b"ready\n"
        launch._stop(stubborn)
        assert stubborn.returncode == -signal.SIGKILL


def test_a_launcher_has_time_to_end_its_processes():
    """It is asked, and answers before anything is killed."""
    waits = "while :; do sleep 0.02; done"
    command = ["sh", "-c", f"trap 'sleep 0.2; echo over; exit 3' TERM; echo ready; {waits}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as orderly:
        assert orderly.stdout.readline() == b"ready\n"
        launch._stop(orderly)
        assert (orderly.stdout.read(), orderly.returncode) == (b"over\n", 3)


def test_times_are_read_from_what_a_ping_pong_prints(monkeypatch):
    """Lines of two columns that begin with a size; whatever else a launcher says is passed over."""
    printed = "Warning: no fabric, using tcp\n8,1.5\n8,1.25\nsize,time\n1024,2.5\n1,2,3\n"
    started = []

    def start(ranks, arguments, **_):
        started.append((ranks, *arguments))
        return printed

    monkeypatch.setattr(pingpong, "start", start)
    measured = pingpong.measure("exchange", most=1024, ranks=3, seconds=0.5)
    assert (measured.sizes.tolist(), measured.times.tolist()) == ([8, 8, 1024], [1.5, 1.25, 2.5])
    assert started == [(3, "-m", "lccmodel.mpi.pingpong", "exchange", "1024", "0.5")]
    printed = "nothing\n"
    with pytest.raises(launch.MPIError, match="the ping-pong printed no times"):
        pingpong.measure()


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ({"kind": "pong"}, 'kind: must be "ping-pong" or "exchange"'),
        ({"most": 63}, r"most: must be in 64\.\.67108864 bytes; got 63"),
        ({"kind": "exchange", "ranks": 1}, r"ranks: must be in 2\.\.1024; got 1"),
        ({"seconds": 0}, r"seconds: must be in 0\.1\.\.600; got 0"),
    ],
)
def test_bad_measurements_are_refused_before_anything_starts(changed, text):
    with pytest.raises(InputError, match=text):
        pingpong.measure(**changed)


@pytest.fixture
def no_memory():
    """`unavailable` looks again, before and after."""
    launch.unavailable.cache_clear()
    yield
    launch.unavailable.cache_clear()


NO_LIBRARY = subprocess.CompletedProcess([], 1, "", "Traceback\nRuntimeError: no libmpi\n")


@pytest.mark.usefixtures("no_memory")
@pytest.mark.parametrize(
    ("launcher", "spec", "run", "reason"),
    [
        (None, True, None, "there is no mpirun"),
        (None, None, None, "mpi4py is not installed"),
        ("mpirun", True, lambda *_, **__: NO_LIBRARY, "no MPI library: RuntimeError: no libmpi"),
        ("mpirun", True, times_out, "mpi4py does not find its MPI library within 60 s"),
    ],
)
def test_why_there_is_no_mpi(monkeypatch, launcher, spec, run, reason):
    """Each of the reasons says what is missing; nothing is started."""
    monkeypatch.setattr(launch, "find_launcher", lambda: launcher)
    monkeypatch.setattr(launch.importlib.util, "find_spec", lambda name: spec)
    if run is not None:
        monkeypatch.setattr(launch.subprocess, "run", run)
    assert re.search(reason, launch.unavailable())
    if launcher is None:
        with pytest.raises(launch.MPIError, match=reason):
            launch.run([fft_case(1, 0).task])
        with pytest.raises(launch.MPIError, match=reason):
            launch.start(2, ["program.py"], timeout=TIMEOUT)


def test_a_launcher_that_is_no_program_is_named():
    assert "no-such-program is no program" in launch.unavailable("no-such-program")
    with pytest.raises(launch.MPIError, match="no-such-program"):
        launch.run([fft_case(1, 0).task], launcher="no-such-program")


def test_the_launcher_beside_python_comes_first(tmp_path, monkeypatch):
    for folder in ("beside", "path"):
        (tmp_path / folder).mkdir()
        program = tmp_path / folder / "mpiexec"
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    monkeypatch.setattr(launch.sysconfig, "get_path", lambda name: str(tmp_path / "beside"))
    monkeypatch.setattr(launch.sys, "executable", str(tmp_path / "beside" / "python"))
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert launch.find_launcher() == str(tmp_path / "beside" / "mpiexec")
    (tmp_path / "beside" / "mpiexec").unlink()
    assert launch.find_launcher() == str(tmp_path / "path" / "mpiexec")
    (tmp_path / "path" / "mpiexec").unlink()
    assert launch.find_launcher() is None


def test_the_environment(monkeypatch, tmp_path):
    """A surrounding MPI process or batch job is forgotten; what the user set stays."""
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    monkeypatch.setenv("PMIX_RANK", "3")
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("OMPI_MCA_btl", "self,tcp")
    made = launch.environment(tmp_path)
    assert not {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_JOB_ID"} & set(made)
    assert made["OMPI_MCA_btl"] == "self,tcp"
    assert made["OMPI_ALLOW_RUN_AS_ROOT"] == "1"
    assert made["TMPDIR"] == str(tmp_path)


def test_bad_input():
    for second in (fft_case(2, 0).task, "no task"):
        with pytest.raises(InputError, match="jobs"):
            launch.run([fft_case(1, 0).task, second])
    assert launch.run([]) == []


def test_a_job_is_not_changed_by_a_run():
    task = distributed_fft(np.arange(16), 2)
    first, second = local.run([task, task])
    assert np.array_equal(first.values, second.values)
    assert first.sent == second.sent
