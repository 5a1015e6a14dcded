"""A Dask cluster of four processes, one of which is killed at random ten times.

A shard is run again without need if it starts after its result has arrived. Dask computes what was
lost with a worker as long as somebody refers to it, so no key of an arrived result may stay.
"""

import os
import random
import signal
import time
import weakref
from concurrent.futures import Executor, Future
from functools import partial
from math import inf
from pathlib import Path

import numpy as np
import pytest

import lccmodel as lcc
from lccmodel import Traffic
from proofs_check import executor, shards
from proofs_check.executor import Cluster
from proofs_check.report import render
from proofs_check.runner import Options, run
from tests.proofs_check import fake_claims

pytestmark = pytest.mark.slow

KILLS = 10
PATIENCE = 60.0
"""Seconds for a message to reach the scheduler on a busy machine."""


@pytest.fixture
def cluster():
    dask, distributed = map(pytest.importorskip, ("dask", "distributed"))
    patience = dask.config.set({"distributed.comm.timeouts.connect": "300s"})
    local = {"threads_per_worker": 1, "dashboard_address": None}
    with (
        patience,  # of a nanny, until its new worker has joined
        distributed.LocalCluster(n_workers=4, **local) as cluster,
    ):
        yield cluster


class Killer:
    """Kills a random worker process of a cluster, ten times at most.

    Attributes: `kills`; `in_flight`, the tasks that the killed workers had, results not yet
    fetched among them.
    """

    def __init__(self, cluster):
        self._cluster, self._random, self._killed = cluster, random.Random(3), set()
        self.kills = self.in_flight = 0

    def strike(self, arrived=()):
        """Kill once the scheduler has forgotten the keys of all results that have arrived."""
        tasks, until = self._cluster.scheduler.tasks, time.monotonic() + PATIENCE
        while kept := [key for key in arrived if key in tasks]:
            assert time.monotonic() < until, f"still referred to: {kept}"
            time.sleep(0.01)
        if self.kills < KILLS:
            self._cluster.sync(self._kill)  # on the scheduler's thread: no task moves meanwhile
            self._cluster.scale(4 + self.kills)  # a nanny whose worker dies again may give up

    async def _kill(self):
        # only workers that have joined: one that dies as it starts is not started again
        joined = self._cluster.scheduler.workers.values()
        if workers := [worker for worker in joined if worker.pid not in self._killed]:
            worker = self._random.choice(workers)
            self._killed.add(worker.pid)
            self.kills += 1
            self.in_flight += len({*worker.processing, *worker.has_what})
            os.kill(worker.pid, signal.SIGKILL)


def call_and_log(log, name, function, *arguments):
    with Path(log).open("a") as file:
        file.write(f"{time.time()} {name or repr(arguments[0])}\n")
    return function(*arguments)


def assert_nothing_ran_without_need(log, arrivals, killer):
    starts = [line.split(" ", 1) for line in log.read_text().splitlines()]
    names = {name for _, name in starts}
    assert names >= set(arrivals)
    assert [name for at, name in starts if float(at) > arrivals.get(name, inf)] == []
    assert len(starts) - len(names) <= killer.in_flight


@pytest.mark.usefixtures("registered_fake_claims")
def test_killed_workers_change_no_record_and_no_shard_runs_after_its_result(
    cluster, tmp_path, monkeypatch
):
    """0.4 ended the claim in an error as soon as four workers had died with one shard."""
    log, killer, arrivals, keys = tmp_path / "log", Killer(cluster), {}, set()

    class Struck(Cluster):
        def submit(self, task):
            super().submit(task)
            keys.update(future.key for future in self._tasks)

        def collect(self, remaining):
            finished = super().collect(remaining)
            for task, _ in finished:
                assert repr(task) not in arrivals  # no shard is counted twice
                arrivals[repr(task)] = time.time()
            killer.strike(keys - {future.key for future in self._tasks})
            return finished

    options = Options(shard_size=4)
    with monkeypatch.context() as patched:
        patched.setattr(executor, "WORKERLESS_SECONDS", 100.0)  # a busy machine starts them slowly
        logged = partial(call_and_log, str(log), "", shards.perform)
        patched.setattr(executor, "perform", logged)
        struck = Struck(cluster.scheduler_address)
        assert struck.capacity == 8
        results = run([fake_claims.fake_slow], options, executor=struck)
    assert killer.kills == KILLS
    alone = run([fake_claims.fake_slow], options)
    found, expected = (
        render([result.record() for result in each], "json", times=False)
        for each in (results, alone)
    )
    assert found == expected
    assert_nothing_ran_without_need(log, arrivals, killer)


class Struck(Executor):
    """Gives tasks to a Dask cluster, and has a worker killed before each."""

    def __init__(self, inner, log, killer):
        self._inner, self._log, self._killer, self._count = inner, log, killer, 0
        self.arrivals = {}

    def submit(self, fn, /, *args, **kwargs):
        if self.arrivals:
            self._killer.strike(self.arrivals)
        self._count += 1
        name = f"slice-{self._count}"
        submitted = self._inner.submit(call_and_log, str(self._log), name, fn, *args, key=name)
        referred = weakref.ref(submitted)  # the test itself must not keep it

        def result(timeout=None):
            value = Future.result(referred(), timeout)
            self.arrivals[name] = time.time()
            return value

        submitted.result = result
        return submitted


def test_killed_workers_change_no_placement_and_no_slice_runs_after_its_result(cluster, tmp_path):
    """0.4 ended in a traceback as soon as four workers had died with one slice of the search.

    It also kept the last results on the cluster until the next arrived.
    """
    from distributed import Client

    pairs = np.random.default_rng(3).integers(0, 64, (400, 2)).tolist()
    sent = Traffic(list(map(tuple, pairs)), ranks=64)
    search = partial(lcc.place, sent, "torus:8x8", over="placements", moves=400_000, seed=1)
    killer, log = Killer(cluster), tmp_path / "log"
    with Client(cluster.scheduler_address) as client:
        struck = Struck(client.get_executor(), log, killer)
        placement = search(executor=struck)
    assert killer.kills > 0
    assert placement.node_of.tolist() == search().node_of.tolist()
    assert_nothing_ran_without_need(log, struck.arrivals, killer)
