"""Work in threads: kernels release the interpreter lock, so threads share out a large job."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

R = TypeVar("R")


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_threads(jobs: Sequence[Callable[[], R]], threads: int) -> list[R]:
    """What the jobs return, in their order, when so many run at a time.

    >>> in_threads([lambda: 1, lambda: 2], 2)
    [1, 2]
    """
    if min(threads, len(jobs)) <= 1:
        return [job() for job in jobs]
    with ThreadPoolExecutor(min(threads, len(jobs))) as pool:
        return [future.result() for future in [pool.submit(job) for job in jobs]]
