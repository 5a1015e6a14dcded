"""Where shards are run: in this process, in worker processes, or on a Dask cluster.

The default begins in this process, because a small claim should not wait for worker processes to
start, and moves to worker processes when the work left is worth it. A run ends in a stated time
whatever becomes of its workers: a shard whose process dies is given out again, three times at
most, and a cluster without workers is waited for `WORKERLESS_SECONDS`.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from lccmodel.errors import InputError
from proofs_check.finding import Examined
from proofs_check.shards import ShardTask, perform

Finished = list[tuple[ShardTask, Examined]]

_ANSWER_SECONDS = 8
_ASK_AGAIN_SECONDS = 5.0
_SERIAL_SECONDS = 2.0
_WORTH_PROCESSES = 6.0
_ATTEMPTS = 3
_LOOK_AGAIN_SECONDS = 5.0
WORKERLESS_SECONDS = 60.0
"""How long a run waits for a cluster that has no worker."""


class Executor(Protocol):
    """Takes tasks and gives back what they found, in any order."""

    @property
    def capacity(self) -> int:
        """How many tasks it wants to have at a time."""

    def submit(self, task: ShardTask) -> None:
        """Take a task."""

    def collect(self, remaining: float) -> Finished:
        """Wait for finished tasks; `remaining` estimates the seconds of work still to do."""

    def close(self) -> None:
        """Drop what is under way and free the workers."""


class Serial:
    """Runs one task at a time in this process."""

    capacity = 1

    def __init__(self) -> None:
        self._waiting: deque[ShardTask] = deque()

    def submit(self, task: ShardTask) -> None:
        """Queue a task."""
        self._waiting.append(task)

    def collect(self, remaining: float) -> Finished:
        """Run the next task."""
        task = self._waiting.popleft()
        return [(task, perform(task))]

    def close(self) -> None:
        """Forget what is queued."""
        self._waiting.clear()


class Pool:
    """Runs tasks in worker processes of this machine.

    Args:
        workers: how many.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._deaths: Counter[ShardTask] = Counter()
        self._tasks: dict[Future[Examined], ShardTask] = {}
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        # spawned, since compiled kernels run threads that a fork would not take along
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self._workers, mp_context=context)

    @property
    def capacity(self) -> int:
        """Two tasks for every process, so that none waits for the next."""
        return 2 * self._workers

    def submit(self, task: ShardTask) -> None:
        """Send a task to a process."""
        with _interrupts_ignored():
            try:
                future = self._pool.submit(perform, task)
            except BrokenProcessPool:  # found when the next task comes
                self._pool = self._started()
                future = self._pool.submit(perform, task)
        self._tasks[future] = task

    def collect(self, remaining: float) -> Finished:
        """Wait until at least one task is finished."""
        finished: Finished = []
        while not finished:
            done, _ = wait(self._tasks, return_when=FIRST_COMPLETED)
            lost = []
            for future in done:
                task = self._tasks.pop(future)
                error = future.exception()
                if error is None:
                    finished.append((task, future.result()))
                elif isinstance(error, BrokenProcessPool):
                    lost.append(task)
                else:
                    finished.append((task, _failed(error)))
            for task in lost:  # a process that dies takes the shards of all others with it
                self._deaths[task] += 1
                if self._deaths[task] < _ATTEMPTS:
                    self.submit(task)
                else:
                    finished.append((task, _failed(RuntimeError("a worker process died"))))
        return finished

    def close(self) -> None:
        """Drop what is under way and end the processes."""
        processes = list((self._pool._processes or {}).values())
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()


def _failed(error: BaseException) -> Examined:
    text = f"the worker failed ({type(error).__name__}: {error})"
    return Examined(0, problem=" ".join(text.split()))


class Cluster:
    """Runs tasks on a Dask cluster that exists.

    Args:
        address: of its scheduler, e.g. tcp://head:8786.

    Raises:
        InputError: no scheduler answers at the address, or Dask is not installed.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            rule = "needs Dask: pip install 'lccmodel[cluster]'"
            raise InputError("scheduler", rule, address) from None
        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        try:
            self._client: Any = Client(address, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]  # Dask has no types
        except (OSError, ValueError, TypeError) as error:
            rule = f"no Dask scheduler answers ({type(error).__name__})"
            raise InputError("scheduler", rule, address) from None
        # its configuration gives some of its loggers levels of their own
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        self._address = address
        self._tasks: dict[Any, ShardTask] = {}
        self._deaths: Counter[ShardTask] = Counter()
        self._threads, self._asked = 0, -_ASK_AGAIN_SECONDS

    @property
    def capacity(self) -> int:
        """Two tasks for every thread, so that none waits for the next."""
        if time.monotonic() - self._asked > _ASK_AGAIN_SECONDS:  # workers come and go
            self._asked = time.monotonic()
            self._threads = self._count_threads()
        return max(2, 2 * self._threads)

    def _count_threads(self) -> int:
        try:
            return sum(self._client.nthreads().values())
        except (OSError, ValueError):  # the scheduler has gone
            return 0

    def submit(self, task: ShardTask) -> None:
        """Send a task to the cluster."""
        future = self._client.submit(perform, task, pure=False, retries=2)
        self._tasks[future] = task

    def collect(self, remaining: float) -> Finished:
        """Wait until at least one task is finished.

        Raises:
            InputError: the cluster has had no worker for `WORKERLESS_SECONDS`.
        """
        from distributed import wait as wait_for

        alone_since: float | None = None
        look = min(_LOOK_AGAIN_SECONDS, WORKERLESS_SECONDS)
        while True:
            with contextlib.suppress(TimeoutError, OSError):
                wait_for(list(self._tasks), timeout=look, return_when="FIRST_COMPLETED")  # type: ignore[no-untyped-call]  # Dask has no types
            if finished := self._finished(look):
                return finished
            alone_since = None if self._count_threads() else alone_since or time.monotonic()
            if alone_since is not None and time.monotonic() - alone_since > WORKERLESS_SECONDS:
                rule = (
                    f"the cluster has had no worker for {WORKERLESS_SECONDS:g} seconds; finished "
                    "shards are stored, and --resume continues from them"
                )
                raise InputError("scheduler", rule, self._address)

    def _finished(self, seconds: float) -> Finished:
        """Take the results that are there; one that left with its worker is worked out again.

        Dask gives a task up that was on four workers as they died. That says little of a task on a
        cluster whose workers come and go, so it is given out again as by `Pool`.
        """
        from distributed import KilledWorker

        finished = []
        for future in [future for future in self._tasks if future.done()]:
            with contextlib.suppress(TimeoutError, OSError):
                error = future.exception(timeout=seconds)
                if isinstance(error, KilledWorker):
                    task = self._tasks[future]
                    self._deaths[task] += 1
                    if self._deaths[task] < _ATTEMPTS:
                        del self._tasks[future]
                        self.submit(task)
                        continue
                examined = (
                    Examined(*future.result(timeout=seconds)) if error is None else _failed(error)
                )
                finished.append((self._tasks.pop(future), examined))
                future.release()  # at once, not when the garbage collector finds it
        return finished

    def close(self) -> None:
        """Cancel what is under way."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)


@contextlib.contextmanager
def _interrupts_ignored() -> Iterator[None]:
    """Processes started inside ignore Ctrl-C: the run itself stops them, without their traces."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Adaptive:
    """Begins in this process and moves to worker processes when the work left is worth it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._began = time.monotonic()
        self._serial = Serial()
        self._pool: Pool | None = None

    @property
    def capacity(self) -> int:
        """That of the executor in use."""
        return self._serial.capacity if self._pool is None else self._pool.capacity

    def submit(self, task: ShardTask) -> None:
        """Take a task."""
        (self._pool or self._serial).submit(task)

    def collect(self, remaining: float) -> Finished:
        """Wait for finished tasks."""
        if self._pool is not None:
            return self._pool.collect(remaining)
        finished = self._serial.collect(remaining)
        long_enough = time.monotonic() - self._began > _SERIAL_SECONDS
        if self._workers > 1 and long_enough and remaining > _WORTH_PROCESSES:
            self._pool = Pool(self._workers)
        return finished

    def close(self) -> None:
        """Free the workers."""
        self._serial.close()
        if self._pool is not None:
            self._pool.close()


def local_cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
