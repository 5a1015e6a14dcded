"""One report, however the work is cut, ordered, interrupted and taken up again."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check
from lccmodel.errors import InputError, SizeLimitError
from proofs_check.executor import Adaptive, Cluster, Pool, Serial
from proofs_check.ledger import Ledger
from proofs_check.report import render
from proofs_check.runner import Options, run, seconds_per_index
from proofs_check.shards import perform, stages
from tests.proofs_check import fake_claims

ROOT = Path(__file__).resolve().parents[2]
FAKE = "tests.proofs_check.fake_claims"
QUICK = (
    fake_claims.fake_true,
    fake_claims.fake_false,
    fake_claims.fake_read,
    fake_claims.fake_nonsingular,
)


pytestmark = pytest.mark.usefixtures("registered_fake_claims")


class Shuffled(Serial):
    """Holds several tasks at a time and runs them in random order."""

    def __init__(self, seed: int, capacity: int) -> None:
        super().__init__()
        self.capacity = capacity
        self._random = random.Random(seed)

    def collect(self, remaining):
        task = self._waiting[self._random.randrange(len(self._waiting))]
        self._waiting.remove(task)
        return [(task, perform(task))]


def canonical(results) -> str:
    return render([result.record() for result in results], "json", times=False)


@pytest.fixture(scope="module")
def reference(with_fake_claims) -> str:
    with with_fake_claims():
        return canonical(run(QUICK))


# -- verdicts -----------------------------------------------------------------------------------


def only(claim, **options):
    return run([claim], Options(**options))[0]


def test_a_true_claim_holds_on_every_case():
    result = only(fake_claims.fake_true)
    assert (result.verdict, result.cases, result.counterexample) == ("holds", 150, None)
    assert result.control.rejected
    assert result.control.counterexample.case == {"x": 99}
    assert result.is_settled


def test_a_false_claim_fails_at_the_least_n_and_then_the_least_case():
    result = only(fake_claims.fake_false)
    assert result.verdict == "fails"
    assert (result.counterexample.n, result.counterexample.case) == (100, {"x": 63})
    assert result.counterexample.details == {"x_squared": 3969}
    assert result.cases == 50 + 64
    assert result.amended.claim.id == "fake.false.amended"
    assert result.amended.verdict == "holds"
    assert result.is_settled


def test_the_control_falls_at_the_last_case_where_only_it_fails():
    """fake.false fails at 63 and 80 itself; with 10 for 80 nothing else fails but 10."""
    control = only(fake_claims.fake_false).control
    assert (control.counterexample.n, control.counterexample.case) == (100, {"x": 10})
    assert (control.cases, control.total) == (90, 150)
    assert control.falls == "rejected at n = 100, index 10, case 90 of 150 from the end"


def test_a_control_that_is_not_rejected_leaves_no_verdict():
    result = only(fake_claims.fake_weak)
    assert result.verdict == "control-not-rejected"
    assert not result.is_settled


def test_a_wrong_count_of_cases_is_an_error():
    result = only(fake_claims.fake_miscounted)
    assert result.verdict == "error"
    assert "the domain has 2" in result.problem


def test_an_exception_ends_its_claim_only():
    raised, held = run([fake_claims.fake_raises, fake_claims.fake_true])
    assert raised.verdict == "error"
    assert "ZeroDivisionError" in raised.problem
    assert held.verdict == "holds"


def test_a_failing_claim_without_amended_claim_is_not_settled():
    result = only(fake_claims.fake_unamended)
    assert result.verdict == "fails"
    assert not result.is_settled


def test_a_reading_decides_where_the_print_fails_and_the_print_is_reported():
    result = only(fake_claims.fake_read)
    assert result.verdict == "holds-as-read"
    assert result.counterexample.case == {"x": 61}
    assert result.cases == 150
    assert only(fake_claims.fake_ambiguous).verdict == "holds-as-read"
    misread = only(fake_claims.fake_misread)
    assert (misread.verdict, misread.counterexample.case) == ("fails", {"x": 62})


def test_samples_are_decided_by_the_seed():
    claim = fake_claims.fake_nonsingular
    assert claim.sample_starts(3, 1) == claim.sample_starts(3, 1)
    assert claim.sample_starts(3, 1) != claim.sample_starts(3, 2)
    assert all(claim.domain.case(3, index) is not None for index in claim.sample_starts(3, 1))
    assert [stage.cases for stage in stages(claim, None)] == [2, 24, 40]
    assert [stage.n for stage in stages(claim, 1)] == [1]


# -- the same report ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 64, 10**6])
def test_the_size_of_shards_does_not_show(reference, size):
    assert canonical(run(QUICK, Options(shard_size=size))) == reference


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.integers(1, 40), capacity=st.integers(1, 9))
def test_the_order_of_shards_does_not_show(reference, seed, size, capacity):
    found = run(QUICK, Options(shard_size=size), executor=Shuffled(seed, capacity))
    assert canonical(found) == reference


def test_the_first_shard_of_a_claim_goes_alone():
    """It compiles the kernels; a second worker that had a shard would compile them as well."""
    sent, finished = Counter(), Counter()

    class Counting(Shuffled):
        def submit(self, task):
            assert not sent[task.claim] or finished[task.claim]
            sent[task.claim] += 1
            super().submit(task)

        def collect(self, remaining):
            found = super().collect(remaining)
            finished.update(task.claim for task, _ in found)
            return found

    run(QUICK, Options(shard_size=7), executor=Counting(5, 8))
    assert min(sent[claim.id] for claim in QUICK) > 2


class Interrupted(Shuffled):
    """Dies after a number of shards."""

    def __init__(self, seed: int, capacity: int, shards: int) -> None:
        super().__init__(seed, capacity)
        self.left = shards

    def collect(self, remaining):
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return super().collect(remaining)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), stops=st.lists(st.integers(0, 30), max_size=4))
def test_a_run_taken_up_with_other_shard_sizes_gives_the_same(reference, seed, stops):
    with Ledger(None) as ledger:
        for turn, shards in enumerate(stops):
            options = Options(shard_size=5 + 8 * turn, resume=True)
            try:
                run(QUICK, options, ledger=ledger, executor=Interrupted(seed, 3, shards))
            except KeyboardInterrupt:
                continue
        found = run(QUICK, Options(resume=True, shard_size=11), ledger=ledger)
    assert canonical(found) == reference


def test_what_is_finished_is_not_run_again():
    class Forbidden(Serial):
        def submit(self, task):
            raise AssertionError(task)

    with Ledger(None) as ledger:
        first = run(QUICK, ledger=ledger)
        again = run(QUICK, Options(resume=True), ledger=ledger, executor=Forbidden())
        assert canonical(again) == canonical(first)
        with pytest.raises(AssertionError):
            run(QUICK, ledger=ledger, executor=Forbidden())


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_workers_of_a_cluster_give_the_same(reference, workers):
    """A Dask scheduler, and worker processes of one thread each."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0"
    ) as cluster:
        executor = Cluster(cluster.scheduler_address)
        assert executor.capacity == 2 * workers
        found = run(QUICK, Options(shard_size=9), executor=executor)
    assert canonical(found) == reference


def test_a_long_run_moves_to_worker_processes(monkeypatch, reference):
    monkeypatch.setattr("proofs_check.executor._SERIAL_SECONDS", 0.0)
    monkeypatch.setattr("proofs_check.executor._WORTH_PROCESSES", 0.0)
    executor = Adaptive(2)
    found = run(QUICK, Options(shard_size=9), executor=executor)
    assert executor._pool is not None
    assert canonical(found) == reference


@pytest.mark.slow
def test_a_worker_with_other_code_is_not_believed():
    task = run_task()._replace(version="000000000000")
    assert "the worker has version" in perform(task).problem


def run_task():
    captured = []

    class Capturing(Serial):
        def submit(self, task):
            captured.append(task)
            super().submit(task)

    run([fake_claims.fake_true], executor=Capturing())
    return captured[0]


# -- killed -------------------------------------------------------------------------------------


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "proofs_check", "--claims", FAKE, *arguments]


def finished_shards(path: Path) -> int:
    try:
        with sqlite3.connect(path) as connection:
            return connection.execute("SELECT COUNT(*) FROM shards").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    arguments = ("run", "fake.slow", "--shard-size", "10", "--ledger", str(ledger))
    victim = subprocess.Popen(
        command(*arguments), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    while finished_shards(ledger) < 11:  # 1 of the control, then those of the claim
        assert victim.poll() is None
        time.sleep(0.01)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    kept = finished_shards(ledger)
    assert 11 <= kept < 31
    shown = ("--format", "json", "--no-times")
    resumed = subprocess.run(
        command(*arguments, "--resume", *shown), cwd=ROOT, capture_output=True, text=True
    )
    assert resumed.returncode == 0, resumed.stderr
    assert finished_shards(ledger) == 31
    assert resumed.stdout == canonical(run([fake_claims.fake_slow]))
    assert resumed.stderr == ""


@pytest.mark.slow
def test_code_that_has_changed_is_run_again(tmp_path):
    module = tmp_path / "changing_claims.py"
    source = """
from proofs_check.claim import Control, Sizes, claim
from proofs_check.domain import AllVectors

LIMIT = {limit}

def small(v):
    return int(v) < LIMIT

@claim("own.small", place="here", says="every vector is small", over=AllVectors("v"),
       evidence="comparison", control=Control("smaller", less=2), sizes=Sizes(most=2))
def is_small(v, *, less=0):
    return small(v) and int(v) < 4 - less
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}

    def call(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "proofs_check", "--claims", "changing_claims", *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    module.write_text(source.format(limit=4))
    assert call("run", "own.small").returncode == 0
    module.write_text(source.format(limit=3))
    outdated = call("report", "own.small")
    assert "code has changed" in outdated.stderr
    found = call("run", "own.small", "--resume", "--format", "json")
    assert json.loads(found.stdout)[0]["counterexample"]["case"] == {"v": [1, 1]}
    assert found.returncode == 1


# -- bad input ----------------------------------------------------------------------------------


def test_options_that_make_no_sense_are_refused():
    for options in ({"max_n": 0}, {"shard_size": 0}, {"workers": 0}):
        with pytest.raises(InputError):
            Options(**options)


@pytest.mark.slow
def test_a_run_that_takes_too_long_is_refused_with_its_size():
    with pytest.raises(SizeLimitError, match=r"4,399,121,305,668 cases.*--force"):
        proofs_check.check("hou.thm1", max_n=6)
    with pytest.raises(SizeLimitError, match="up to 6"):
        proofs_check.check("hou.thm1", max_n=7, force=True)


@pytest.mark.slow
def test_one_claim_that_is_too_long_does_not_keep_the_others_from_being_settled(monkeypatch):
    """It goes as far as it declares, says why, and its verdict says what it covers."""
    monkeypatch.setattr("proofs_check.runner.PATIENCE", 0.05)
    long, quick = run([fake_claims.fake_nonsingular, fake_claims.fake_true], Options(max_n=4))
    assert (long.verdict, quick.verdict) == ("holds", "holds")
    assert [stage.n for stage in long.stages] == [1, 2, 3]
    assert long.stages[-1].is_sample
    assert long.shortened.startswith("323,930 cases up to n = 4 take about ")
    assert long.shortened.endswith("--force runs it; settled as far as it declares")
    assert quick.shortened is None
    with pytest.raises(SizeLimitError, match=r"323,930 cases up to n = 4"):
        run([fake_claims.fake_nonsingular], Options(max_n=4))


def test_verdicts_are_told_before_the_next_claim_is_estimated():
    """A run is not silent while it finds out what the rest will cost."""
    told = []

    class Telling:
        def update(self, jobs):
            told.append([job.claim.id for job in jobs if job.result is not None])

    run([fake_claims.fake_true, fake_claims.fake_false], Options(max_n=100), progress=Telling())
    assert ["fake.true"] in told
    assert told[-1][:2] == ["fake.true", "fake.false"]


def test_an_estimate_is_of_computing_time_not_of_the_clock(monkeypatch):
    """Each case of fake.slow waits 2 ms, as on a machine that is busy with other things."""
    monkeypatch.setattr("proofs_check.runner._SLICES", 1)
    assert 0 < seconds_per_index(fake_claims.fake_slow, 9) < 0.001


def test_a_control_may_go_beyond_a_small_n() -> None:
    """At n = 1 every channel carries at most one message, so the control needs n = 2."""
    result = proofs_check.check("hou.thm1", max_n=1)
    assert (result.verdict, result.cases) == ("holds", 4)
    assert result.control.rejected
    assert result.control.counterexample is not None
    assert result.control.counterexample.n == 2


def test_several_claims_go_each_as_far_as_it_can() -> None:
    """boppana.order4 is about 4 processors; alone it refuses n = 3, beside another it does not."""
    from proofs_check import run, select

    with pytest.raises(SizeLimitError, match="up to 2"):
        proofs_check.check("boppana.order4", max_n=3)
    results = run(select(["boppana.order4", "boppana.lin"]), Options(max_n=3))
    assert {result.claim.id: result.stages[-1].n for result in results} == {
        "boppana.order4": 2,
        "boppana.lin": 3,
    }


# -- workers that die ---------------------------------------------------------------------------


def test_a_worker_process_that_is_killed_costs_no_shard(reference):
    """All processes of the pool are killed once; their shards are given out again."""
    pool = Pool(2)

    class Killing:
        left = 1
        capacity = 4
        submit = staticmethod(pool.submit)
        close = staticmethod(pool.close)

        def collect(self, remaining):
            if self.left and pool._pool._processes:
                self.left -= 1
                for process in list(pool._pool._processes.values()):
                    process.kill()
            return pool.collect(remaining)

    found = run(QUICK, Options(shard_size=50), executor=Killing())
    assert canonical(found) == reference


@pytest.mark.slow
def test_a_cluster_without_workers_ends_the_run_in_the_stated_time(monkeypatch):
    """The line names the time and says that finished shards are kept."""
    from distributed import LocalCluster

    monkeypatch.setattr("proofs_check.executor.WORKERLESS_SECONDS", 0.3)
    with (
        LocalCluster(n_workers=0, dashboard_address="127.0.0.1:0") as cluster,
        pytest.raises(InputError, match=r"no worker for 0.3 seconds.*--resume"),
    ):
        run([fake_claims.fake_true], executor=Cluster(cluster.scheduler_address))


@pytest.mark.slow
def test_workers_that_die_while_they_work_end_the_run_too(monkeypatch):
    """All workers of a cluster leave after the first shards; the run does not wait for ever."""
    from distributed import LocalCluster

    monkeypatch.setattr("proofs_check.executor.WORKERLESS_SECONDS", 0.3)
    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster:

        class Deserted(Cluster):
            def collect(self, remaining):
                for worker in list(cluster.workers.values()):
                    cluster.sync(worker.close)
                return super().collect(remaining)

        with pytest.raises(InputError, match=r"no worker for 0.3 seconds.*--resume"):
            run(QUICK, Options(shard_size=5), executor=Deserted(cluster.scheduler_address))


@pytest.mark.slow
def test_a_result_that_leaves_with_its_worker_is_not_waited_for(monkeypatch):
    """It is finished, and gone when it is asked for: the run waited for ever."""
    from distributed import Future, LocalCluster

    monkeypatch.setattr("proofs_check.executor.WORKERLESS_SECONDS", 0.3)
    asked = Future.exception
    with LocalCluster(n_workers=1, processes=False, dashboard_address="127.0.0.1:0") as cluster:

        def ask_too_late(future, timeout=None):
            for worker in list(cluster.workers.values()):
                cluster.sync(worker.close)
            while future.done():
                time.sleep(0.01)
            return asked(future, timeout=timeout)

        monkeypatch.setattr(Future, "exception", ask_too_late)
        with pytest.raises(InputError, match=r"no worker for 0.3 seconds.*--resume"):
            run(QUICK, Options(shard_size=5), executor=Cluster(cluster.scheduler_address))


# -- below a claim's own domain -----------------------------------------------------------------


def test_a_verdict_below_the_domain_says_what_it_covers_and_what_is_known_beyond() -> None:
    """calmant.prop3 begins at n = 4 and fails at n = 6: `holds` alone would mislead."""
    result = proofs_check.check("calmant.prop3", max_n=3)
    assert result.verdict == "holds"
    assert result.covers is not None
    assert "n = 4 only" in result.covers
    assert "known to fail beyond" in result.covers
    assert result.record()["domain"]["covers"] == result.covers
    assert "known to fail beyond" in repr(result)
    assert proofs_check.check("fake.true").covers is None


def test_a_result_is_short_on_a_prompt() -> None:
    """The repr of a result is a line, not a page."""
    shown = repr(proofs_check.check("edelman.subcube", max_n=2))
    assert shown.startswith("<Result edelman.subcube: fails at n = 2: A = [[1, 0], [1, 0]]")
    assert len(shown) < 400
    assert {"check", "run", "select"} <= set(dir(proofs_check))
