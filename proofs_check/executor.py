"""Where shards are run: in this process, on a local Dask cluster, or on one that exists.

The default begins in this process, because a small claim should not wait for worker processes to
start, and moves to a local cluster when the work left is worth it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Protocol

from lccmodel.errors import InputError
from proofs_check.shards import Done, Task, perform

__all__ = ["Adaptive", "Cluster", "Executor", "Serial", "local_cores"]

Finished = list[tuple[Task, Done]]

_ANSWER_SECONDS = 8
_ASK_AGAIN_SECONDS = 5.0
_SERIAL_SECONDS = 2.0
_WORTH_A_CLUSTER = 6.0


class Executor(Protocol):
    """Takes tasks and gives back what they found, in any order."""

    @property
    def capacity(self) -> int:
        """How many tasks it wants to have at a time."""

    def submit(self, task: Task) -> None:
        """Take a task."""

    def collect(self, remaining: float) -> Finished:
        """Wait for finished tasks; `remaining` estimates the seconds of work still to do."""

    def close(self) -> None:
        """Drop what is under way and free the workers."""


class Serial:
    """Runs one task at a time in this process."""

    capacity = 1

    def __init__(self) -> None:
        self._waiting: deque[Task] = deque()

    def submit(self, task: Task) -> None:
        """Queue a task."""
        self._waiting.append(task)

    def collect(self, remaining: float) -> Finished:
        """Run the next task."""
        task = self._waiting.popleft()
        return [(task, perform(task))]

    def close(self) -> None:
        """Forget what is queued."""
        self._waiting.clear()


class Cluster:
    """Runs tasks on a Dask cluster.

    Args:
        address: of a scheduler, e.g. tcp://head:8786; None starts `workers` local processes.
        workers: number of local worker processes.

    Raises:
        InputError: no scheduler answers at the address.
    """

    def __init__(self, address: str | None = None, workers: int = 1) -> None:
        from distributed import Client, LocalCluster, as_completed

        logging.getLogger("distributed").setLevel(logging.CRITICAL)
        self._local: Any = None
        try:
            if address is None:
                with _interrupts_ignored():
                    self._local = LocalCluster(  # type: ignore[no-untyped-call]
                        n_workers=workers,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address="127.0.0.1:0",
                        silence_logs=logging.CRITICAL,
                    )
            self._client: Any = Client(address or self._local, timeout=_ANSWER_SECONDS)  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TypeError) as error:
            rule = f"no Dask scheduler answers ({type(error).__name__})"
            raise InputError("scheduler", rule, address) from None
        self._completed: Any = as_completed(loop=self._client.loop)  # type: ignore[no-untyped-call]
        self._tasks: dict[Any, Task] = {}
        self._threads, self._asked = 0, -_ASK_AGAIN_SECONDS

    @property
    def capacity(self) -> int:
        """Two tasks for every thread, so that none waits for the next."""
        if self._local is not None:
            return max(2, 2 * len(self._local.workers))
        if time.monotonic() - self._asked > _ASK_AGAIN_SECONDS:  # workers come and go
            self._asked = time.monotonic()
            self._threads = sum(self._client.nthreads().values())
        return max(2, 2 * self._threads)

    def submit(self, task: Task) -> None:
        """Send a task to the cluster."""
        future = self._client.submit(perform, task, pure=False, retries=2)
        self._tasks[future.key] = task
        self._completed.add(future)

    def collect(self, remaining: float) -> Finished:
        """Wait until at least one task is finished."""
        finished = []
        for future in self._completed.next_batch(block=True):
            task = self._tasks.pop(future.key)
            error = future.exception()
            if error is None:
                finished.append((task, Done(*future.result())))
            else:
                text = f"the worker failed ({type(error).__name__}: {error})"
                finished.append((task, Done(0, None, 0.0, " ".join(text.split()))))
        return finished

    def close(self) -> None:
        """Cancel what is under way; a local cluster is stopped."""
        with contextlib.suppress(Exception):
            self._client.close(timeout=2)
        if self._local is not None:
            with contextlib.suppress(Exception):
                self._local.close(timeout=5)


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
    """Begins in this process and moves to a local cluster when the work left is worth it."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._began = time.monotonic()
        self._serial = Serial()
        self._cluster: Cluster | None = None

    @property
    def capacity(self) -> int:
        """That of the executor in use."""
        return self._serial.capacity if self._cluster is None else self._cluster.capacity

    def submit(self, task: Task) -> None:
        """Take a task."""
        (self._cluster or self._serial).submit(task)

    def collect(self, remaining: float) -> Finished:
        """Wait for finished tasks."""
        if self._cluster is not None:
            return self._cluster.collect(remaining)
        finished = self._serial.collect(remaining)
        long_enough = time.monotonic() - self._began > _SERIAL_SECONDS
        if self._workers > 1 and long_enough and remaining > _WORTH_A_CLUSTER:
            self._cluster = Cluster(workers=self._workers)
        return finished

    def close(self) -> None:
        """Free the workers."""
        self._serial.close()
        if self._cluster is not None:
            self._cluster.close()


def local_cores() -> int:
    """The cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
