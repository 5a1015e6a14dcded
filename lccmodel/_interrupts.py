"""Ctrl-C that waits for the end of a call.

Python raises KeyboardInterrupt wherever it runs Python code. numba runs some to read a generator of
random numbers that a kernel takes, does not look whether that ended well, and so can end the whole
process with a segmentation fault.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import Any


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Within it Ctrl-C is noted; it has its effect at the end. Other threads never see one."""
    handler = signal.getsignal(signal.SIGINT)
    if current_thread() is not main_thread() or not callable(handler):
        yield
        return
    noted: list[Any] = []
    signal.signal(signal.SIGINT, lambda *what: noted.append(what))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if noted:
        handler(*noted[0])
