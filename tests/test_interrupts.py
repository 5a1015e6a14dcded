"""Ctrl-C waits for the end of a call that it would crash, and ends a search with an answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import sleep

import numpy as np
import pytest

from lccmodel.kernels.threads import uninterrupted


@pytest.fixture
def heard() -> Iterator[list[str]]:
    """What happened: an interrupt adds a line in place of ending the tests."""
    lines: list[str] = []
    before = signal.signal(signal.SIGINT, lambda *_: lines.append("interrupted"))
    yield lines
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_has_its_effect_at_the_end(heard: list[str]) -> None:
    handler = signal.getsignal(signal.SIGINT)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        heard.append("done")
    assert heard == ["done", "interrupted"]
    assert signal.getsignal(signal.SIGINT) is handler


def test_an_error_is_not_hidden_by_an_interrupt(heard: list[str]) -> None:
    def interrupted() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted()
    signal.raise_signal(signal.SIGINT)
    assert heard == ["interrupted"]


def test_what_is_ignored_stays_ignored(heard: list[str]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with uninterrupted():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    assert heard == []


def test_a_thread_has_no_handlers_to_change(heard: list[str]) -> None:
    def body() -> None:
        with uninterrupted():
            heard.append("done")

    thread = Thread(target=body)
    thread.start()
    thread.join()
    assert heard == ["done"]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["max-max", "distance"])
def test_a_search_that_is_interrupted_after_3_s_writes_its_best_placement(
    objective: str, tmp_path: Path
) -> None:
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
            sleep(0.05)
        table, _ = process.communicate()
    assert process.returncode == 0
    assert "before the search was interrupted" in " ".join(table.split())
    lines = ranks.read_text().splitlines()
    assert sum(line.startswith("rank ") for line in lines) == 4096
