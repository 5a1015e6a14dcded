"""Hypothesis for everyone: no deadline (first calls compile), the same examples in every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("lccmodel", deadline=None, derandomize=True)
settings.load_profile("lccmodel")
