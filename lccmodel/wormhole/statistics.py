"""Means with their confidence, and whether a load can be sustained.

Latencies of successive messages depend on each other, so confidence comes from batch means: the
measured time is cut into B batches, and the B batch means are treated as independent. A load is
sustainable when the messages that wait at their sources stay few and bounded [hou, section 6.1].
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Interval", "backlog", "batch_mean", "grows", "student"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Interval(NamedTuple):
    """A confidence interval; (nan, nan) when too little was measured."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"[{self.low:.4g}, {self.high:.4g}]"


def student(freedom: int, confidence: float = 0.95) -> float:
    """The two-sided quantile of Student's t, by the expansion of Cornish and Fisher.

    >>> round(student(19), 2), round(student(10**6), 3)
    (2.09, 1.96)
    """
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
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
    """Messages that are generated and not yet injected, at each of the given cycles."""
    generated = np.searchsorted(np.sort(ready), at, side="right")
    return generated - np.searchsorted(np.sort(injected), at, side="right")


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
