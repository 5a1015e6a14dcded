"""A Dask cluster of four processes, one of which is killed at random ten times."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import Traffic
from proofs_check import executor, shards
from proofs_check.executor import Cluster
from proofs_check.finding import Examined
from proofs_check.report import render
from proofs_check.runner import Options, run
from proofs_check.shards import ShardTask
from tests.proofs_check import fake_claims

pytestmark = pytest.mark.slow

KILLS = 10


@pytest.fixture
def cluster() -> Iterator[Any]:
    dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
    patience = dask.config.set({"distributed.comm.timeouts.connect": "300s"})
    with (
        patience,  # of a nanny, until its new worker has joined
        distributed.LocalCluster(4, threads_per_worker=1, dashboard_address=None) as cluster,
    ):
        yield cluster


class Killer:
    """Kills a random worker process of a cluster, ten times at most."""

    def __init__(self, cluster: Any) -> None:
        self._cluster, self._random, self.kills = cluster, random.Random(3), 0

    def strike(self) -> None:
        # only workers that have joined: one that dies as it starts is not started again
        pids = [worker.pid for worker in self._cluster.scheduler.workers.values()]
        if self.kills < KILLS and pids:
            self.kills += 1
            os.kill(self._random.choice(pids), signal.SIGKILL)
            self._cluster.scale(4 + self.kills)  # a nanny whose worker dies again may give up


def perform_and_log(log: str, task: ShardTask) -> Examined:
    with Path(log).open("a") as file:
        file.write(f"run {task!r}\n")
    return shards.perform(task)


@pytest.mark.usefixtures("registered_fake_claims")
def test_killed_workers_change_no_record_and_no_shard_counts_twice(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0.4 ended the claim in an error as soon as four workers had died with one shard."""
    log = tmp_path / "log"
    killer = Killer(cluster)
    monkeypatch.setattr(executor, "WORKERLESS_SECONDS", 100.0)  # a busy machine starts them slowly
    monkeypatch.setattr(executor, "perform", partial(perform_and_log, str(log)))

    class Struck(Cluster):
        def collect(self, remaining: float) -> executor.Finished:
            finished = super().collect(remaining)
            with Path(log).open("a") as file:
                file.writelines(f"collected {task!r}\n" for task, _ in finished)
            killer.strike()
            return finished

    options = Options(shard_size=4)
    results = run([fake_claims.fake_slow], options, executor=Struck(cluster.scheduler_address))
    assert killer.kills == KILLS
    alone = run([fake_claims.fake_slow], options)
    texts = [render([result.record() for result in each], "json", times=False)
             for each in (results, alone)]  # fmt: skip
    assert texts[0] == texts[1]

    lines = log.read_text().splitlines()
    collected = [line.partition(" ")[2] for line in lines if line.startswith("collected ")]
    assert len(set(collected)) == len(collected)  # no shard is counted twice
    assert {line.partition(" ")[2] for line in lines if line.startswith("run ")} == set(collected)


def test_killed_workers_change_no_placement(cluster: Any) -> None:
    """0.4 ended in a traceback as soon as four workers had died with one slice of the search."""
    from distributed import Client

    pairs = np.random.default_rng(3).integers(0, 64, (400, 2))
    sent = Traffic([(int(x), int(y)) for x, y in pairs], ranks=64)
    search = partial(lcc.place, sent, "torus:8x8", over="placements", moves=400_000, seed=1)
    killer = Killer(cluster)
    with Client(cluster.scheduler_address) as client:
        placement = search(executor=client.get_executor(), progress=lambda _: killer.strike())
    assert killer.kills > 0
    assert placement.node_of.tolist() == search().node_of.tolist()
