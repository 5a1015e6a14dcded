"""What no call may do: warn as numpy does, hang, or ask for more memory than a small call needs."""

from __future__ import annotations

import resource
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SECONDS = 60
"""Of the processor: more than any call takes, with the compilation of its kernels."""
MEMORY = 4 << 30


@contextmanager
def bounded() -> Iterator[None]:
    """Warnings are errors; what hangs or asks for much memory ends."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"no result in {SECONDS} seconds")

    used = resource.getrlimit(resource.RLIMIT_AS)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, used[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, used)
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
