"""Means with their confidence, whether they have settled, and whether a load can be sustained.

Latencies of successive messages depend on each other, and the more so the longer the queues, so
the spread of their mean is not read off single messages. `waiting_mean` cuts the measured time into
20, 10 and 5 batches, sums the autocorrelations of 960 short ones [Geyer's initial positive
sequence], and takes the widest interval of the four. Close to saturation the spread grows with the
square of the mean wait W, and a run with short queues sees too little of both: the interval is
symmetric in 1 / (W + F + 1), F + 1 the service of a message, so that its upper end is the farther.

No interval helps where a run is short against the time in which queues fill and drain. That of a
queue with Poisson arrivals and constant service S is ρ S / (1 - ρ)² (`relaxation`), and a mean has
settled when the measured time is 100 of these (`SETTLED`), for the ρ that routes and load imply and
for the ρ that the wait of every sender says, and when batches do not correlate. With fewer a run is
flagged: the tests hold that of the others nine in ten cover the truth. Near that limit it is runs
with short waits that pass, so from half of it on intervals are wider, 1.75 times at the limit.

A load is sustainable when the messages that wait at their sources stay few and bounded [hou,
section 6.1]: when `waits_bounded` says that they do not grow. `bisect_load` looks for the highest
such load. Both are the one definition of sustained throughput, whoever simulates.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from lccmodel.ground.arrays import Floats, Ints

BATCHES = 20
"""Batches into which the measured time is cut."""


SETTLED = 100
"""Relaxation times that a mean needs."""

_SHORT, _CORRELATED = 960, 0.52
"""Short batches; the lag-1 correlation of 20 independent batches that one in a hundred exceeds."""


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


class WaitingMean(NamedTuple):
    """A mean of latencies, its interval, and whether its batches look independent."""

    mean: float
    interval: Interval
    independent: bool


def waiting_mean(
    values: Floats, at: Ints, span: int, scale: float, limit: float = 0.0
) -> WaitingMean:
    """The mean of latencies and its 95 % interval, symmetric in the inverse of `scale`.

    Args:
        values: latencies.
        at: the cycle 0..span-1 of each, in which its message was generated.
        span: cycles.
        scale: what the spread grows with the square of: the mean wait and the time of service.
        limit: which part of `span` a mean takes to settle; from 1/2 on the interval is wider.

    >>> draw = np.random.default_rng(1)
    >>> mean = waiting_mean(draw.exponential(10.0, 5000), draw.integers(0, 1000, 5000), 1000, 20.0)
    >>> mean.interval.low < 10 < mean.interval.high, mean.independent
    (True, True)
    """
    if not len(values):
        return WaitingMean(float("nan"), Interval(float("nan"), float("nan")), False)
    mean = float(values.mean())
    if len(values) < 2:
        return WaitingMean(mean, Interval(float("nan"), float("nan")), False)
    half, correlation = _spread(values, at, span)
    half *= 0.25 + 1.5 * min(max(limit, 0.5), 1.0)
    share = half / scale
    up = half / (1 - share) if share < 1 else float("inf")
    independent = len(values) >= 2 * BATCHES and correlation <= _CORRELATED
    return WaitingMean(mean, Interval(mean - half / (1 + share), mean + up), independent)


class Percentile(NamedTuple):
    """A value that a share of the messages does not exceed, and its 95 % interval."""

    value: float
    interval: Interval

    def __str__(self) -> str:
        return f"{self.value:.4g} {self.interval}"


def percentile_of(values: Floats, at: Ints, span: int, percent: float) -> Percentile:
    """The least value that a share of all values does not exceed, and its 95 % interval.

    The share of values up to it is a mean, with an interval of its own; the values at the ends of
    that are the ends here [Woodruff, 1952]. An end beyond the last value is infinite.

    Args:
        values, at, span: as for `waiting_mean`.
        percent: above 0 and below 100.

    >>> draw = np.random.default_rng(1)
    >>> percentile = percentile_of(draw.random(2000), draw.integers(0, 100, 2000), 100, 95)
    >>> percentile.interval.low < 0.95 < percentile.interval.high
    True
    """
    if len(values) < 2:
        nothing = Interval(float("nan"), float("nan"))
        return Percentile(float(values[0]) if len(values) else float("nan"), nothing)
    ordered, count = np.sort(values), len(values)
    share = percent / 100

    def at_share(part: float) -> float:
        place = int(np.ceil(part * count)) - 1
        return float("inf") if place >= count else float(ordered[max(place, 0)])

    value = at_share(share)
    half, _ = _spread((values <= value).astype(np.float64), at, span)
    return Percentile(value, Interval(at_share(share - half), at_share(share + half)))


def _spread(values: Floats, at: Ints, span: int) -> tuple[float, float]:
    """Half of the 95 % interval of a mean, the widest of four; the correlation of 20 batches."""
    batch = at * _SHORT // span
    count = np.bincount(batch, minlength=_SHORT)
    off = np.bincount(batch, values, minlength=_SHORT) - float(values.mean()) * count
    half, correlation = _half_width(off), 0.0
    for batches in (5, 10, BATCHES):
        sums = off.reshape(batches, -1).sum(axis=1)
        square = float((sums**2).sum())
        half = max(half, student(batches - 1) * (square * batches / (batches - 1)) ** 0.5)
        correlation = float((sums[1:] * sums[:-1]).sum()) / square if square else 0.0
    return half / len(values), correlation


def _half_width(off: Floats) -> float:
    """Half of the 95 % interval of the sum of a series, by its autocorrelations.

    Pairs of neighbouring lags are added while they are positive, and made to fall.
    """
    n = len(off)
    spectrum = np.fft.rfft(off - off.mean(), 2 * n)
    covariance = np.fft.irfft(spectrum * spectrum.conj())[:n]
    pairs = covariance.reshape(-1, 2).sum(axis=1)
    first = int(np.argmax(pairs <= 0)) if (pairs <= 0).any() else len(pairs)
    total = 2 * float(np.minimum.accumulate(pairs[:first]).sum()) - float(covariance[0])
    return NormalDist().inv_cdf(0.975) * math.sqrt(max(total, 0.0))


def relaxation(use: float, service: float) -> float:
    """The time in which a queue forgets: ρ S / (1 - ρ)², of Poisson arrivals and constant service.

    It is the integral of the autocorrelation of the work in reflected Brownian motion with drift
    1 - ρ and variance ρ S, which the queue becomes in heavy traffic.

    >>> relaxation(0.5, 20), relaxation(1.0, 20)
    (40.0, inf)
    """
    return use * service / (1 - use) ** 2 if use < 1 else float("inf")


def implied_relaxation(wait: Floats, gap: float) -> Floats:
    """That of queues in which a message waits so long, when one comes every `gap` on average.

    With ρ = S / gap the mean wait is W = ρ S / (2 (1 - ρ)), so ρ² gap + 2 W ρ = 2 W.

    >>> round(float(implied_relaxation(np.array([10.0]), 40.0)[0]), 9)
    40.0
    """
    use = (np.sqrt(wait * wait + 2 * wait * gap) - wait) / gap
    rest = np.maximum(1 - use, 1e-12)
    relaxation: Floats = use * use * gap / (rest * rest)
    return relaxation


def mser_5(values: Floats) -> int:
    """How many of the first values to leave out, by the rule MSER-5 [White, 1997]; at most half.

    The means of five successive values are cut where the standard error of the mean of the rest,
    Σ (x - mean)² / k² over the k that are left, is least.

    >>> mser_5(np.concatenate([np.linspace(0, 9, 50), np.tile([9.0, 11.0], 200)]))
    50
    """
    means = values[: len(values) // 5 * 5].reshape(-1, 5).mean(axis=1)
    if len(means) < 2:
        return 0
    means = means - means.mean()
    left = np.arange(len(means), 0, -1, dtype=np.float64)
    total = np.cumsum(means[::-1])[::-1]
    square = np.cumsum(means[::-1] ** 2)[::-1]
    error = (square - total * total / left) / left**2
    return 5 * int(np.argmin(error[: (len(means) + 1) // 2]))


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
    counts = np.bincount(np.searchsorted(at, cycles), minlength=len(at) + 1)
    return np.cumsum(counts)[:-1]


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
