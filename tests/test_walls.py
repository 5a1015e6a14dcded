"""What a large input, a busy machine, Ctrl-C and kill do to a search: growth, clocks, signals."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import Traffic
from lccmodel.kernels.jit import Clock, OutOfTimeError
from lccmodel.kernels.threads import terminated_like_interrupted, uninterrupted
from lccmodel.placement.search import distance_bounds, solve
from lccmodel.placement.search.search_budget import Offer, _is_due
from tests.choosing import fast_only
from tests.cli.calling import run


def test_the_clock_of_one_worker_is_the_processor_s():
    """0.4 cut a search on a busy machine at 29 % of a core, with a worse answer than 2 s gave."""
    alone, together = Clock(0.2, alone=True), Clock(0.2)
    time.sleep(0.25)  # others have the processor
    alone.check()
    with pytest.raises(OutOfTimeError):
        together.check()
    while alone.left > 0:
        pass
    with pytest.raises(OutOfTimeError):
        alone.check()


def test_the_work_of_other_threads_is_not_counted():
    clock, done = Clock(1.0, alone=True), threading.Event()
    before = clock.left

    def busy() -> None:
        until = time.thread_time() + 0.1
        while time.thread_time() < until:
            pass
        done.set()

    threading.Thread(target=busy).start()
    done.wait()
    assert before - clock.left < 0.05


def test_dear_offers_wait_until_they_have_their_share_of_the_time():
    """0.4 made all cuts and Scotch's mapping first, 30 s of them before --seconds 5 began."""
    always = Offer(4.5, lambda: (), always=True)
    assert not _is_due(always, 0.5)
    assert _is_due(always, 4.5)
    assert _is_due(Offer(0.9, lambda: (), always=True), 0.5)
    assert not _is_due(Offer(0.9, lambda: ()), 0.5)


@pytest.mark.parametrize("seed", range(6))
def test_cliques_of_sets_are_those_of_bits(seed, monkeypatch):
    """The same groups, which together are all pairs; sets take memory by pairs, not by ranks^2."""
    rng = np.random.default_rng(seed)
    ranks = int(rng.integers(2, 40))
    pairs = np.argwhere(np.triu(rng.random((ranks, ranks)) < rng.random(), 1))
    if seed == 0:
        pairs = np.argwhere(np.triu(np.ones((ranks, ranks)), 1))
    columns = pairs[:, 0], pairs[:, 1], rng.integers(1, 3, len(pairs))
    bits = distance_bounds.uniform_cliques(*columns, ranks)
    monkeypatch.setattr(distance_bounds, "_MOST_BITS", 0)
    sets = distance_bounds.uniform_cliques(*columns, ranks)
    assert sets == bits
    covered: Counter[int] = Counter()
    for size, volume, number in bits:
        covered[volume] += number * size * (size - 1) // 2
    assert covered == Counter(columns[2].tolist())


def test_cliques_of_many_ranks_take_time_by_their_messages():
    """2^17 ranks in pairs: 0.4 kept a row of 2^17 bits for each, 2 GiB."""
    ranks = 1 << 17
    low = np.arange(0, ranks, 2)
    began = time.process_time()
    assert distance_bounds.uniform_cliques(low, low + 1, np.ones(len(low), np.int64), ranks) == [
        (2, 1, ranks // 2)
    ]
    assert time.process_time() - began < 5


def test_kill_does_what_an_interrupt_does_and_leaves_no_handler():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(KeyboardInterrupt), terminated_like_interrupted():
        signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_handler_of_somebody_else_stays(heard):
    before = signal.signal(signal.SIGTERM, lambda *_: heard.append("terminated"))
    try:
        with terminated_like_interrupted(), uninterrupted():
            signal.raise_signal(signal.SIGTERM)
            assert heard == []
        assert heard == ["terminated"]
    finally:
        signal.signal(signal.SIGTERM, before)


@pytest.mark.slow
@pytest.mark.parametrize(
    "stop", fast_only([signal.SIGINT, signal.SIGTERM, signal.SIGKILL], signal.SIGTERM)
)
def test_no_signal_leaves_a_part_of_a_file(stop, tmp_path):
    """Interrupted, the best so far is written whole; killed without notice, nothing is."""
    program = (
        "import os, signal, sys\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from lccmodel.placement.search.annealing import Descent\n"
        "advance = Descent.advance\n"
        "def told(self, *arguments):\n"
        "    advance(self, *arguments)\n"
        "    os.write(2, b'searching\\n')\n"
        "Descent.advance = told\n"
        "from lccmodel.cli import cli\n"
        "cli.main(sys.argv[1:])\n"
    )
    out = tmp_path / "answer.json"
    arguments = ["map", "grid:16x4:all-to-all", "-N", "torus:8x8", "--objective", "joint",
                 "--seconds", "600", "-o", str(out)]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert process.stderr.readline() == "searching\n"
    os.kill(process.pid, stop)
    process.communicate(timeout=120)
    if stop == signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []
    else:
        assert process.returncode == 0
        assert sorted(json.loads(out.read_text())[0]["node_of"]) == list(range(64))
        assert list(tmp_path.iterdir()) == [out]


RANDOM = Traffic(np.random.default_rng(3).integers(0, 16, (40, 2)), ranks=16)


class Lossy(Executor):
    """An executor whose workers die: with every other task, or before they take one."""

    def __init__(self, error: Exception, *, refuses: bool) -> None:
        self._error, self._refuses, self.lost = error, refuses, 0

    def submit(self, function, /, *arguments, **keywords):
        self.lost += 1
        if self._refuses:
            raise self._error
        future: Future[object] = Future()
        if self.lost % 2:
            future.set_exception(self._error)
        else:
            future.set_result(function(*arguments, **keywords))
        return future


class KilledWorker(Exception):  # noqa: N818 - Dask's name
    """As Dask raises it."""

    __module__ = "distributed.scheduler"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("error", "refuses"), [(KilledWorker("killed"), False), (BrokenProcessPool("killed"), True)]
)
def test_a_worker_that_is_killed_changes_no_placement(error, refuses):
    """0.4 ended in a traceback and lost the best so far."""
    search = partial(lcc.place, RANDOM, "torus:4x4", over="placements", moves=200)
    executor = Lossy(error, refuses=refuses)
    assert search(executor=executor).node_of.tolist() == search().node_of.tolist()
    assert executor.lost > 1


def test_an_error_of_a_search_itself_is_raised():
    executor = Lossy(ZeroDivisionError("a bug"), refuses=False)
    with pytest.raises(ZeroDivisionError):
        lcc.place(RANDOM, "torus:4x4", over="placements", moves=200, executor=executor)


@pytest.mark.parametrize(
    "module", ["lccmodel.reading.recognise.recognise", "lccmodel.reading.tables.split_lines"]
)
def test_an_interrupt_while_a_file_is_read_leaves_no_file(module, tmp_path, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    out, trace = tmp_path / "answer.json", tmp_path / "messages.csv"
    trace.write_text("source,destination\n" + "0,1\n" * 5000)
    monkeypatch.setattr(module, interrupted)
    result = run("map", trace, "-N", "torus:4x4", "-o", out)
    assert (result.exit_code, result.stderr) == (130, "lccmodel: interrupted\n")
    assert list(tmp_path.iterdir()) == [trace]


def test_an_interrupt_during_a_bound_keeps_the_best_so_far(monkeypatch):
    """The starts of the search are judged before its bound is computed."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solve, "lower_bound", interrupted)
    reverse = list(range(15, -1, -1))
    placement = lcc.place(RANDOM, "torus:4x4", over="placements", starts=[reverse], moves=200)
    assert placement.stopped == "interrupted"
    assert placement.after.value <= placement.before.value
    assert sorted(placement.node_of) == list(range(16))
    assert placement.lower_bound <= placement.after.value


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What happened: an interrupt adds a line in place of ending the tests."""
    lines: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: lines.append("interrupted"))
    yield lines
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_has_its_effect_at_the_end(heard):
    handler = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        heard.append("done")
    assert heard == ["done", "interrupted"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_is_not_hidden_by_an_interrupt(heard):
    def interrupted() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    signal.raise_signal(signal.SIGINT)
    assert heard == ["interrupted"]


def test_what_is_ignored_stays_ignored(heard):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert heard == []


def test_a_thread_has_no_handlers_to_change(heard):
    def body() -> None:
        with uninterrupted():
            heard.append("done")

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert heard == ["done"]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["max-max", "distance"])
def test_a_search_that_is_interrupted_after_3_s_writes_its_best_placement(objective, tmp_path):
    """4,096 ranks and 10^5 messages; 0.4 ended with 130 and wrote nothing. Seconds of processor."""
    rng = np.random.default_rng(0)
    rows = np.stack([*rng.integers(0, 4096, (2, 100_000)), rng.integers(1, 100, 100_000)], axis=1)
    sent, ranks, hosts = tmp_path / "sent.csv", tmp_path / "ranks.txt", tmp_path / "hosts.txt"
    np.savetxt(sent, rows, "%d", ",", header="source,destination,volume", comments="")
    hosts.write_text("".join(f"node{k} slots=8\n" for k in range(512)))
    arguments = [sent, "-N", "torus:8x8x8*8", "--over", "placements", "--objective", objective]
    command = [sys.executable, "-m", "lccmodel", "map", *arguments, "--rankfile", ranks]
    with subprocess.Popen(
        [*map(str, command), "--hosts", str(hosts)], stdout=subprocess.PIPE, text=True
    ) as process:
        clock = Path(f"/proc/{process.pid}/stat")
        while process.poll() is None:
            used = clock.read_text().rpartition(")")[2].split()[11:13]
            if sum(map(int, used)) >= 3 * os.sysconf("SC_CLK_TCK"):
                process.send_signal(signal.SIGINT)
                break
            time.sleep(0.05)
        table, _ = process.communicate()
    assert process.returncode == 0
    assert "before the search was interrupted" in " ".join(table.split())
    lines = ranks.read_text().splitlines()
    assert sum(line.startswith("rank ") for line in lines) == 4096
