"""What no call may do: warn as numpy does, hang, or ask for more memory than a small call needs."""

import itertools
import resource
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lccmodel.errors import InputError

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


def fuzz(trial: Callable[[st.DataObject], None], examples: int) -> None:
    """Try as many examples, each drawn by the trial itself."""
    quiet = settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    quiet(given(st.data())(trial))()


def called(function: Callable[..., Any], /, *places: Any, **arguments: Any) -> None:
    """Call, bounded; only documented errors may come out, and say why in one line."""
    with bounded():
        try:
            answer = function(*places, **arguments)
            if hasattr(answer, "__next__"):
                list(itertools.islice(answer, 3))
        except InputError as error:
            assert str(error)  # noqa: PT017 - every refusal says why
            assert "\n" not in str(error)  # noqa: PT017 - in one line
        except Exception as error:
            error.add_note(f"{places} {arguments}"[:300])
            raise
