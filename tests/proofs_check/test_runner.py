"""One report, however the work is cut, ordered, interrupted and taken up again."""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs_check
from lccmodel.errors import InputError, SizeLimitError
from proofs_check import claim as declared
from proofs_check.executor import Adaptive, Cluster, Pool, Serial
from proofs_check.ledger import Ledger
from proofs_check.registry import select
from proofs_check.report import render
from proofs_check.runner import ClaimRun, Options, run, seconds_per_index
from proofs_check.shards import perform, stages
from tests.proofs_check import fake_claims
from tests.proofs_check.fake_claims import fake_false, fake_nonsingular, fake_true

ROOT = Path(__file__).resolve().parents[2]
QUICK = (fake_true, fake_false, fake_claims.fake_read, fake_nonsingular)

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


@pytest.mark.parametrize(
    ("name", "verdict", "cases", "counterexample", "unsettled"),
    [
        ("true", "holds", 150, None, ""),
        ("false", "fails", 50 + 64, (100, 63), ""),
        ("read", "holds-as-read", 150, (100, 61), ""),
        ("ambiguous", "holds-as-read", 150, None, ""),
        ("weak", "control-not-rejected", 150, None, "the control was not rejected"),
        ("unamended", "fails", 6, (50, 5), "has no amended claim"),
        ("misread", "fails", 50 + 63, (100, 62), "has no amended claim"),
        ("raises", "error", 50, None, "ZeroDivisionError"),
        ("miscounted", "error", 9, None, "1 cases examined, the domain has 2"),
    ],
)
def test_a_claim_is_settled_at_the_least_n_and_then_the_least_case(
    name, verdict, cases, counterexample, unsettled
):
    """What raises ends its own claim only; where a reading decides, the print is reported."""
    result, *_, last = run([getattr(fake_claims, f"fake_{name}"), fake_claims.fake_open])
    assert (result.verdict, result.cases) == (verdict, cases)
    shown = result.counterexample
    assert (shown and (shown.n, shown.case["x"])) == counterexample
    assert unsettled in (result.unsettled or "")
    assert result.is_settled == (unsettled == "")
    assert last.verdict == "undecided"


def test_an_amended_claim_and_the_last_case_where_only_the_control_fails():
    """fake.false fails at 63 and 80 itself; with 10 for 80 nothing else fails but 10."""
    result = run([fake_false])[0]
    assert result.counterexample.details == {"x_squared": 3969}
    assert (result.amended.claim.id, result.amended.verdict) == ("fake.false.amended", "holds")
    control = result.control
    assert control.counterexample.case == {"x": 10}
    assert (control.cases, control.total) == (90, 150)
    assert control.falls == "rejected at n = 100, index 10, case 90 of 150 from the end"


def test_samples_are_decided_by_the_seed():
    starts = fake_nonsingular.sample_starts(3, 1)
    assert starts == fake_nonsingular.sample_starts(3, 1) != fake_nonsingular.sample_starts(3, 2)
    assert all(fake_nonsingular.domain.case(3, index) is not None for index in starts)
    assert [stage.cases for stage in stages(fake_nonsingular, None)] == [2, 24, 40]
    assert [stage.n for stage in stages(fake_nonsingular, 1)] == [1]


# -- the same report ----------------------------------------------------------------------------


def test_the_first_shard_of_a_claim_goes_alone():
    """It compiles the kernels; a second worker that had a shard would compile them as well."""
    sent, finished = Counter(), Counter()

    class Counting(Shuffled):
        def submit(self, task):
            assert not sent[task.claim] or finished[task.claim]
            sent[task.claim] += 1
            super().submit(task)

        def collect(self, remaining):
            collected = super().collect(remaining)
            finished.update(task.claim for task, _ in collected)
            return collected

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


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    size=st.integers(1, 40) | st.sampled_from([64, 10**6]),
    capacity=st.integers(1, 9),
    stops=st.lists(st.integers(0, 30), max_size=3),
)
def test_size_and_order_of_shards_and_interruptions_do_not_show(
    reference, seed, size, capacity, stops
):
    with Ledger(None) as ledger:
        for turn, shards in enumerate(stops):
            options = Options(shard_size=5 + 8 * turn, resume=True)
            with suppress(KeyboardInterrupt):
                run(QUICK, options, ledger=ledger, executor=Interrupted(seed, 3, shards))
        executor = Shuffled(seed, capacity)
        options = Options(resume=True, shard_size=size)
        results = run(QUICK, options, ledger=ledger, executor=executor)
    assert canonical(results) == reference


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


def test_code_that_has_changed_is_run_again(monkeypatch):
    changed = replace(fake_true, parameters={"limit": 60})
    with Ledger(None) as ledger:
        run([fake_true], ledger=ledger)
        monkeypatch.setitem(declared.registered, "fake.true", changed)
        (result,) = run([changed], Options(resume=True), ledger=ledger)
    assert result.counterexample.case == {"x": 60}


def test_a_worker_with_other_code_is_not_believed():
    task = ClaimRun(fake_true, Options(), Ledger(None)).next_task()
    assert "the worker has version" in perform(task._replace(version="000000000000")).problem
    assert perform(task).problem is None


# -- killed -------------------------------------------------------------------------------------


def finished_shards(path: Path) -> int:
    try:
        with sqlite3.connect(path) as connection:
            return connection.execute("SELECT COUNT(*) FROM shards").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_stopped(tmp_path):
    ledger = tmp_path / "ledger.sqlite"
    command = [sys.executable, "-m", "proofs_check", "--claims", "tests.proofs_check.fake_claims"]
    command += ["run", "fake.slow", "--shard-size", "10", "--ledger", str(ledger)]
    victim = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while finished_shards(ledger) < 11:  # 1 of the control, then those of the claim
        assert victim.poll() is None
        time.sleep(0.01)
    victim.send_signal(signal.SIGKILL)
    victim.communicate()
    assert 11 <= finished_shards(ledger) < 31
    command += ["--resume", "--format", "json", "--no-times"]
    resumed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (resumed.returncode, resumed.stderr) == (0, "")
    assert finished_shards(ledger) == 31
    assert resumed.stdout == canonical(run([fake_claims.fake_slow]))


# -- how far ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_one_claim_that_is_too_long_does_not_keep_the_others_from_being_settled(monkeypatch):
    """It goes as far as it declares, says why, and its verdict says what it covers."""
    monkeypatch.setattr("proofs_check.runner.PATIENCE", 0.05)
    long, quick = run([fake_nonsingular, fake_true], Options(max_n=4))
    assert (long.verdict, quick.verdict) == ("holds", "holds")
    assert [stage.n for stage in long.stages] == [1, 2, 3]
    assert long.stages[-1].is_sample
    assert long.shortened.startswith("323,930 cases up to n = 4 take about ")
    assert long.shortened.endswith("--force runs it; settled as far as it declares")
    assert quick.shortened is None
    with pytest.raises(SizeLimitError, match=r"323,930 cases up to n = 4.*--force"):
        run([fake_nonsingular], Options(max_n=4))


def test_verdicts_are_told_before_the_next_claim_is_estimated():
    """A run is not silent while it finds out what the rest will cost."""
    settled = []

    class Telling:
        def update(self, jobs):
            settled.append([job.claim.id for job in jobs if job.result is not None])

    run([fake_true, fake_false], progress=Telling())
    assert ["fake.true"] in settled


def test_an_estimate_is_of_computing_time_not_of_the_clock(monkeypatch):
    """Each case of fake.slow waits 2 ms, as on a machine that is busy with other things."""
    monkeypatch.setattr("proofs_check.runner._SLICES", 1)
    assert 0 < seconds_per_index(fake_claims.fake_slow, 9) < 0.001


def test_a_control_may_go_beyond_a_small_n():
    """At n = 1 every channel carries at most one message, so the control needs n = 2."""
    result = proofs_check.check("hou.thm1", max_n=1)
    assert (result.verdict, result.cases) == ("holds", 4)
    assert result.control.counterexample.n == 2


def test_several_claims_go_each_as_far_as_it_can():
    """boppana.order4 is about 4 processors; alone it refuses n = 3, beside another it does not."""
    with pytest.raises(SizeLimitError, match="up to 2"):
        proofs_check.check("boppana.order4", max_n=3)
    results = run(select(["boppana.order4", "boppana.lin"]), Options(max_n=3))
    last = {result.claim.id: result.stages[-1].n for result in results}
    assert last == {"boppana.order4": 2, "boppana.lin": 3}


def test_a_verdict_below_the_domain_says_what_it_covers_and_what_is_known_beyond():
    """calmant.prop3 begins at n = 4 and fails at n = 6: `holds` alone would mislead."""
    result = proofs_check.check("calmant.prop3", max_n=3)
    assert result.verdict == "holds"
    assert "n = 4 only" in result.covers
    assert "known to fail beyond" in result.covers
    assert result.record()["domain"]["covers"] == result.covers
    assert "known to fail beyond" in repr(result)
    assert proofs_check.check("fake.true").covers is None


# -- workers that die ---------------------------------------------------------------------------


def test_a_long_run_moves_to_worker_processes_and_killed_ones_cost_no_shard(monkeypatch, reference):
    """All processes of the pool are killed once; their shards are given out again."""

    class Killing(Pool):
        is_armed = True

        def collect(self, remaining):
            if self.is_armed and self._pool._processes:
                self.is_armed = False
                for process in list(self._pool._processes.values()):
                    process.kill()
            return super().collect(remaining)

    for name, value in (("Pool", Killing), ("_SERIAL_SECONDS", 0.0), ("_WORTH_PROCESSES", 0.0)):
        monkeypatch.setattr(f"proofs_check.executor.{name}", value)
    executor = Adaptive(2)
    assert canonical(run(QUICK, Options(shard_size=9), executor=executor)) == reference
    assert executor._pool is not None
    assert not executor._pool.is_armed


@pytest.fixture
def cluster_of(monkeypatch):
    """Local clusters in this process, whose runs wait 0.3 seconds for a worker."""
    from distributed import LocalCluster

    monkeypatch.setattr("proofs_check.executor.WORKERLESS_SECONDS", 0.3)
    return lambda workers: LocalCluster(
        n_workers=workers, processes=False, dashboard_address="127.0.0.1:0"
    )


def dismiss(cluster) -> None:
    for worker in list(cluster.workers.values()):
        cluster.sync(worker.close)


@pytest.mark.slow
@pytest.mark.parametrize("workers", [0, 1])
def test_a_cluster_without_workers_ends_the_run_in_the_stated_time(cluster_of, workers):
    """It had none, or all leave after the first shards: finished shards are kept."""
    with cluster_of(workers) as cluster:

        class Deserted(Cluster):
            def collect(self, remaining):
                dismiss(cluster)
                return super().collect(remaining)

        with pytest.raises(InputError, match=r"no worker for 0.3 seconds.*--resume"):
            run(QUICK, Options(shard_size=5), executor=Deserted(cluster.scheduler_address))


@pytest.mark.slow
def test_a_result_that_leaves_with_its_worker_is_not_waited_for(cluster_of, monkeypatch):
    """It is finished, and gone when it is asked for: the run waited for ever."""
    from distributed import Future

    asked = Future.exception
    with cluster_of(1) as cluster:

        def ask_too_late(future, timeout=None):
            dismiss(cluster)
            while future.done():
                time.sleep(0.01)
            return asked(future, timeout=timeout)

        monkeypatch.setattr(Future, "exception", ask_too_late)
        with pytest.raises(InputError, match=r"no worker for 0.3 seconds.*--resume"):
            run(QUICK, Options(shard_size=5), executor=Cluster(cluster.scheduler_address))
