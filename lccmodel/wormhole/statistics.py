"""Means with their confidence, and whether a load can be sustained.

Latencies of successive messages depend on each other, so confidence comes from batch means: the
measured time is cut into B batches, and the B batch means are treated as independent. A load is
sustainable when the messages that wait at their sources stay few and bounded [hou, section 6.1]:
when `waits_bounded` says that they do not grow. `bisect_load` looks for the highest such load. Both
are the one definition of sustained throughput, whoever simulates.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from lccmodel._arrays import Floats, Ints
from lccmodel._jit import kernel

__all__ = [
    "BATCHES",
    "Interval",
    "backlog",
    "batch_mean",
    "bisect_load",
    "counts_until",
    "grows",
    "student",
    "waits_bounded",
]

BATCHES = 20
"""Batches into which the measured time is cut."""


class Interval(NamedTuple):
    """A confidence interval; (nan, nan) when too little was measured."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


def student(freedom: int) -> float:
    """The two-sided quantile of Student's t at 95 %, by the expansion of Cornish and Fisher.

    >>> round(student(19), 2), round(student(10**6), 3)
    (2.09, 1.96)
    """
    z = NormalDist().inv_cdf(0.975)
    v = float(freedom)
    g1 = (z**3 + z) / 4
    g2 = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    g3 = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + g1 / v + g2 / v**2 + g3 / v**3


def batch_mean(values: Floats, batch: Ints, batches: int) -> tuple[float, Interval]:
    """The mean of all values, and its 95 % interval from the means of the batches.

    Args:
        values: what was measured.
        batch: the batch 0..batches-1 of every value.

    >>> batch_mean(np.array([1.0, 3.0, 2.0, 2.0]), np.array([0, 0, 1, 1]), 2)[0]
    2.0
    """
    if not len(values):
        return float("nan"), Interval(float("nan"), float("nan"))
    mean = float(values.mean())
    count = np.bincount(batch, minlength=batches)
    full = count > 0
    if full.sum() < 2:
        return mean, Interval(float("nan"), float("nan"))
    means = np.bincount(batch, values, minlength=batches)[full] / count[full]
    half = student(len(means) - 1) * float(means.std(ddof=1)) / len(means) ** 0.5
    return mean, Interval(mean - half, mean + half)


def backlog(ready: Ints, injected: Ints, at: Ints) -> Ints:
    """Messages that are generated and not yet injected, at each of the given cycles.

    Args:
        ready, injected: the cycles in which every message was generated and injected.
        at: ascending.

    >>> backlog(np.array([1, 1, 2]), np.array([2, 4, 3]), np.array([0, 1, 2, 3, 4]))
    array([0, 2, 2, 1, 0])
    """
    return counts_until(ready, at) - counts_until(injected, at)


def counts_until(cycles: Ints, at: Ints) -> Ints:
    """How many of the cycles, in any order, have come at each of the given ones.

    Args:
        at: ascending.

    >>> counts_until(np.array([5, 1, 3]), np.array([0, 1, 4, 5]))
    array([0, 1, 2, 3])
    """
    return _counts_until(*(np.ascontiguousarray(each, np.int64) for each in (cycles, at)))


@kernel
def _counts_until(cycles: Ints, at: Ints) -> Ints:
    """A pointer goes to the first of `at` that is not before a cycle; the next one is near."""
    found, place = np.zeros(len(at) + 1, np.int64), 0
    for cycle in cycles:
        while place < len(at) and at[place] < cycle:
            place += 1
        while place and at[place - 1] >= cycle:
            place -= 1
        found[place] += 1
    return np.cumsum(found)[:-1]


def grows(waiting: Ints) -> bool:
    """Whether the messages that wait at their sources become more and more.

    Args:
        waiting: their number at equal distances over the measured time, int64 of shape
            (batches + 1,).

    They do when they become more from one time to the next by more than chance, that is when the
    95 % interval of the mean change lies above 0. Queues that fluctuate without growing lose in
    one batch what they gained in another, so for them the interval is wide.

    >>> grows(np.array([0, 8, 21, 30, 39])), grows(np.array([5, 9, 4, 8, 6]))
    (True, False)
    """
    changes = np.diff(waiting).astype(np.float64)
    _, interval = batch_mean(changes, np.arange(len(changes)), len(changes))
    return interval.low > 0


def waits_bounded(ready: Ints, injected: Ints, cycles: int, warm_up: int) -> bool:
    """Whether a load is sustained: the messages waiting at their sources do not grow.

    Args:
        ready, injected: the cycles in which every message was generated and injected.
        cycles, warm_up: the measured time is from `warm_up` to `cycles`.

    >>> ready = np.arange(1, 2001)
    >>> waits_bounded(ready, ready + 3, 2000, 1000), waits_bounded(ready, 2 * ready, 2000, 1000)
    (True, False)
    """
    marks = warm_up + np.arange(BATCHES + 1) * (cycles - warm_up) // BATCHES
    return not grows(backlog(ready, injected, marks))


def bisect_load(
    sustained: Callable[[float], bool], tolerance: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """The highest load found sustained and the lowest found not, at most `tolerance` apart.

    Args:
        sustained: whether a load is; asked strictly between `low` and `high`.
        tolerance: the width at which the search ends.
        low, high: loads known to be sustained and not.

    >>> bisect_load(lambda load: load < 0.3, 0.1)
    (0.25, 0.3125)
    """
    while high - low > tolerance:
        load = (low + high) / 2
        if sustained(load):
            low = load
        else:
            high = load
    return low, high
