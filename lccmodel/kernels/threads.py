"""Kernels in threads, and under Ctrl-C.

Kernels release the interpreter lock, so threads share out a large job. Python raises
KeyboardInterrupt wherever it runs Python code; numba runs some to read a generator of random
numbers that a kernel takes, does not look whether that ended well, and so can end the whole process
with a segmentation fault: such a kernel runs `uninterrupted`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any, TypeVar

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


_STOPS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Within it Ctrl-C is noted; it has its effect at the end. Other threads never see one."""
    handlers = {number: signal.getsignal(number) for number in _STOPS}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    if current_thread() is not main_thread() or not ours:
        yield
        return
    noted: list[tuple[Callable[..., Any], Any]] = []
    for number, handler in ours.items():
        signal.signal(number, lambda *what, h=handler: noted.append((h, what)))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
    if noted:
        handler, what = noted[0]
        handler(*what)


@contextmanager
def terminated_like_interrupted() -> Iterator[None]:
    """Within it SIGTERM, as `kill` and batch systems send it, does what Ctrl-C does.

    A search then leaves the best so far. A handler of somebody else stays.
    """
    default = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if current_thread() is not main_thread() or not default:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
