"""Hypothesis for everyone: no deadline (first calls compile), the same examples in every run.

Without the slow tests 50 examples are tried where a test names no number, with them 100.

The collector of garbage passes over the tests themselves: ten thousand of them, which stay.

Of two processes one runs the tests of the checker, whose kernels are its own, while the other
compiles the library's, first those that every function needs: what one has compiled the other
reads from disk, but not while it is made.
"""

from __future__ import annotations

import gc
from typing import Any

import pytest
from hypothesis import settings

COMPILES = "tests/hostile/test_functions.py"
"""Calls every public function."""

gc.set_threshold(10_000, 20, 20)

settings.register_profile("whole", deadline=None, derandomize=True)
settings.register_profile("fast", settings.get_profile("whole"), max_examples=50)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("fast" if "not slow" in config.option.markexpr else "whole")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: ("proofs_check" not in item.nodeid, COMPILES not in item.nodeid))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    from xdist.scheduler import LoadFileScheduling

    class CheckerInOneProcess(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            return "the checker" if "proofs_check" in file else file

    return CheckerInOneProcess(config, log)
