"""Hypothesis for everyone: no deadline (first calls compile), the same examples in every run.

The collector of garbage passes over the tests themselves: ten thousand of them, which stay.
"""

from __future__ import annotations

import gc

from hypothesis import settings

gc.set_threshold(10_000, 20, 20)

settings.register_profile("lccmodel", deadline=None, derandomize=True)
settings.load_profile("lccmodel")


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
