"""CALMANT: hypercube algorithms on meshes, schedules of their messages, and the pipelining degree.

    from lccmodel import pipelining

    pipelining.Task(0, 4, c=2, d=4).lower_bound          # steps that exchanging in dimensions 0..3 takes
    pipelining.schedule(pipelining.Task(0, 4, c=2, d=4)) # the step in which every message is sent
    machine = pipelining.Machine(d=10, c=2, alpha=500, tau=1)
    pipelining.optimal_degree(machine, N=4096).Q         # into how many packets to cut a message

The pattern is fixed here - a hypercube's, on the standard embedding - and the schedule is the
unknown: [calmant]. Names are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lccmodel.pipelining.embedding import embed as embed
    from lccmodel.pipelining.task import Task as Task

_HOME = {
    "Task": "lccmodel.pipelining.task",
    "embed": "lccmodel.pipelining.embedding",
}

__all__ = [*_HOME]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lccmodel.pipelining' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
