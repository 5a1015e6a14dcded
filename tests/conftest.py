"""Hypothesis for everyone: no deadline (first calls compile), the same examples in every run.

Without the slow tests 25 examples are tried where a test names no number, with them 100.

The collector of garbage passes over the tests themselves: ten thousand of them, which stay.
"""

import gc

import pytest
from hypothesis import settings

gc.set_threshold(10_000, 20, 20)

settings.register_profile("whole", deadline=None, derandomize=True)
settings.register_profile("fast", settings.get_profile("whole"), max_examples=25)


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("fast" if "not slow" in config.option.markexpr else "whole")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
