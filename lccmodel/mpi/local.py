"""The processes of a job as threads of this process, for a machine without MPI.

A thread has the few methods of an mpi4py communicator that jobs use. A receive that nobody
answers ends with an error instead of waiting for ever, and so do all others when one thread fails.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy.typing as npt

from lccmodel.mpi.job import Job, JobOutcome, execute

_PAUSE = 0.05


def run(jobs: Iterable[Job], *, timeout: float = 60.0) -> list[JobOutcome]:
    """Run jobs one after another, each on 2^n threads.

    Args:
        jobs: of any sizes.
        timeout: seconds after which a thread gives up waiting for a message.

    Raises:
        TimeoutError: a process waited in vain for a message.
        Exception: whatever a node program raised.

    >>> import numpy as np
    >>> from lccmodel.mpi import distributed_fft
    >>> outcome = run([distributed_fft(np.arange(8.0), n=1)])[0]
    >>> np.allclose(outcome.values, np.fft.fft(np.arange(8.0)))
    True
    """
    return [on_threads(job.ranks, timeout, partial(execute, job)) for job in jobs]


def on_threads(size: int, timeout: float, program: Callable[[ThreadComm], Any]) -> Any:
    """Run a program as so many ranks, each a thread; what it gives on rank 0."""
    world, returned = World(size, timeout), dict[int, Any]()

    def body(rank: int) -> None:
        try:
            returned[rank] = program(ThreadComm(world, rank))
        except BaseException as error:
            world.fail(error)

    threads = [threading.Thread(target=body, args=(rank,), daemon=True) for rank in range(size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if world.failure is not None:
        raise world.failure
    return returned[0]


class World:
    """What the threads share: a queue for every pair of ranks, and the first failure."""

    def __init__(self, size: int, timeout: float) -> None:
        self.size = size
        self.timeout = timeout
        self.failure: BaseException | None = None
        self._lock = threading.Lock()
        self._queues: dict[tuple[int, int, str], queue.SimpleQueue[Any]] = {}

    def queue(self, source: int, destination: int, kind: str) -> queue.SimpleQueue[Any]:
        """Messages on their way between two ranks."""
        with self._lock:
            return self._queues.setdefault((source, destination, kind), queue.SimpleQueue())

    def fail(self, error: BaseException) -> None:
        """Make every thread that waits give up; the first error is the one that counts."""
        with self._lock:
            if self.failure is None:
                self.failure = error

    def take(self, source: int, destination: int, kind: str) -> Any:
        """The next message between two ranks.

        Raises:
            TimeoutError: none came in time, or another thread has failed.
        """
        waiting = self.queue(source, destination, kind)
        end = time.monotonic() + self.timeout
        while self.failure is None and time.monotonic() < end:
            try:
                return waiting.get(timeout=_PAUSE)
            except queue.Empty:
                continue
        raise TimeoutError(f"rank {destination} waited in vain for a message of rank {source}")


class Status:
    """Who sent the message that was received."""

    def __init__(self) -> None:
        self.source = -1

    def Get_source(self) -> int:
        """The rank of the sender."""
        return self.source


class _Done:
    """A send that is finished: the message is in a queue."""

    def Wait(self) -> None:
        """Return at once."""


class ThreadComm:
    """A rank of a `World`, with the methods of `lccmodel.mpi.virtual.Communicator`."""

    def __init__(self, world: World, rank: int) -> None:
        self.world = world
        self.rank = rank

    def Get_rank(self) -> int:
        """Number of this thread."""
        return self.rank

    def Get_size(self) -> int:
        """Number of threads."""
        return self.world.size

    def Isend(self, buf: npt.NDArray[Any], dest: int, tag: int) -> _Done:
        """Put a copy of the bytes into the queue."""
        self.world.queue(self.rank, dest, f"tag {tag}").put((self.rank, buf.copy()))
        return _Done()

    def Recv(self, buf: npt.NDArray[Any], source: int, tag: int, status: Status | None) -> None:
        """Wait for bytes; like MPI, refuse more than the buffer holds.

        Raises:
            TimeoutError: none came.
            BufferError: the message has another length than the buffer.
        """
        sender, content = self.world.take(source, self.rank, f"tag {tag}")
        if content.shape != buf.shape:
            raise BufferError(f"{content.nbytes} bytes came, {buf.nbytes} were expected")
        buf[...] = content
        if status is not None:
            status.source = sender

    def scatter(self, sendobj: Any, root: int) -> Any:
        """Item `rank` of the list of the root."""
        if self.rank == root:
            for rank, item in enumerate(sendobj):
                self.world.queue(root, rank, "scatter").put(item)
        return self.world.take(root, self.rank, "scatter")

    def gather(self, sendobj: Any, root: int) -> Any:
        """The items of all ranks as a list, at the root; None elsewhere."""
        self.world.queue(self.rank, root, "gather").put(sendobj)
        if self.rank != root:
            return None
        return [self.world.take(rank, root, "gather") for rank in range(self.world.size)]
