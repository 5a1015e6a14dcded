"""α and τ from measured times: a robust line, its intervals, and where the protocol changes.

The line α + L τ minimises Σ |t - α - L τ| / t over the median times of the sizes: relative,
because times span decades, and absolute, because a few disturbed sizes must not move it. Such a
line passes through two of the points (or through one, with α or τ at its bound 0), so trying all
pairs finds the least sum exactly. By hand, for (8, 2), (1000, 12), (2000, 22) and a disturbed
(3000, 90): through the first and third α = 1.9, τ = 0.01; the disturbed point has no say.

Segments. k lines with k - 1 breaks between sizes; for every k the best breaks by a dynamic
programme, and k by the Bayes information criterion for Laplace errors, with twice its penalty since
the breaks are searched for: an MPI changes from eager to rendezvous at some size, and one line
cannot say so.

Intervals. The measurements are drawn again with replacement (repetitions within a size where there
are five or more, else whole sizes) with a fixed seed, and fitted again; an interval holds the
stated share of the results.

Doubts. Where a size is half off the line, or times fall as sizes grow, the machine does not behave
like α + L τ, or was disturbed: the line is then said to be no fit, whatever its intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lccmodel.calibration.measurements import Measurements
from lccmodel.errors import InputError, checked_integer
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Floats
from lccmodel.ground.views import Answer

LEAST_SIZES = 4
"""Sizes that a line is fitted to, at least."""

_MOST_SEGMENTS, _MOST_SIZES, _DRAWS, _REPEATED = 3, 200, 200, 5
_FAR, _FALL, _FLAT = 0.5, 1.5, 1.1
"""No fit: a relative residual, a fall below a smaller size's time, a fall over all sizes."""
_NOISE = 0.01
"""Relative errors below one in a hundred are no reason for another segment."""


class Segment(NamedTuple):
    """Messages of more than `above` and at most `up_to` bytes (None: any) take alpha + L tau.

    >>> Segment(0, 8192, alpha=5.0, tau=0.001)
    Segment(above=0, up_to=8192, alpha=5.0, tau=0.001)
    """

    above: int
    up_to: int | None
    alpha: float
    tau: float


@dataclass(frozen=True, eq=False)
class Fit(Answer, view="fit"):
    """A line through measured times, with what is known of its reliability.

    Attributes:
        alpha, tau: microseconds, and microseconds per byte, over all sizes.
        alpha_interval, tau_interval: between which `confidence` of the repeated fits lie.
        ratio_interval: the same for α/τ in bytes, which decides the best degree.
        segments: lines for parts of the sizes; one if the protocol does not change.
        repeated: (alpha, tau) of every segment, with the same breaks, for each of the repeated
            fits; none if there is one segment, of which the intervals tell.
        measurements: what was fitted.

    >>> from lccmodel.calibration import Measurements, fit
    >>> machine_fit = fit(Measurements([0, 1000, 2000, 4000], [5.0, 6.0, 7.0, 9.0]))
    >>> round(machine_fit.alpha, 3), round(machine_fit.tau, 6), len(machine_fit.segments)
    (5.0, 0.001, 1)
    """

    alpha: float
    tau: float
    alpha_interval: tuple[float, float]
    tau_interval: tuple[float, float]
    ratio_interval: tuple[float, float]
    confidence: float
    segments: tuple[Segment, ...]
    repeated: tuple[tuple[tuple[float, float], ...], ...]
    measurements: Measurements

    @cached_property
    def residuals(self) -> Floats:
        """(measured - fitted) / measured by the segments, one for each distinct size."""
        sizes, times = self.measurements.distinct, self.measurements.medians
        rest = [(t - self.time(float(s))) / t for s, t in zip(sizes, times, strict=True)]
        residuals = np.array(rest)
        residuals.flags.writeable = False
        return residuals

    @cached_property
    def doubt(self) -> str:
        """Why the line is no fit to the measurements, in words; "" if it is one.

        >>> from lccmodel.calibration import Measurements, fit
        >>> fit(Measurements([8, 64, 512, 4096], [4.0, 3.0, 2.0, 1.0])).doubt
        'times fall as sizes grow: 8 bytes take 4 µs, 4096 bytes 1 µs'
        """
        sizes, times = self.measurements.distinct, self.measurements.medians
        ahead = np.maximum.accumulate(times)
        worst = int((ahead / times).argmax())
        falls = ahead[worst] / times[worst]
        m = times.size
        pairs = np.sign(times[:, None] - times)[np.triu_indices(m, 1)].sum()  # fall less rise
        chance = 1.645 * math.sqrt(m * (m - 1) * (2 * m + 5) / 18)  # 5 % of all orders [Kendall]
        if falls >= _FALL or (falls >= _FLAT and pairs > chance):
            first = int(times[: worst + 1].argmax())
            example = f"{sizes[first]} bytes take {times[first]:.4g} µs"
            return (
                f"times fall as sizes grow: {example}, {sizes[worst]} bytes {times[worst]:.4g} µs"
            )
        off = np.flatnonzero(np.abs(self.residuals) >= _FAR)
        if not off.size:
            return ""
        far = int(np.abs(self.residuals).argmax())
        example = f"{100 * abs(self.residuals[far]):.0f} % off at {sizes[far]} bytes"
        return f"{off.size} of {sizes.size} sizes are half off the line or more, {example}"

    def time(self, size: float) -> float:
        """Return the microseconds of a message of so many bytes, by its segment."""
        for segment in self.segments:
            if segment.up_to is None or size <= segment.up_to:
                return segment.alpha + size * segment.tau
        raise AssertionError("the last segment has no end")

    def __repr__(self) -> str:
        return (
            f"Fit(alpha={self.alpha:.4g} µs, tau={self.tau:.4g} µs/byte, "
            f"{len(self.segments)} segment{'s' * (len(self.segments) > 1)})"
        )


@typed_arguments
def fit(
    measurements: Measurements,
    *,
    segments: int | None = None,
    confidence: float = 0.95,
    seed: int = 0,
) -> Fit:
    """Fit α + L τ to measured times.

    Args:
        measurements: at least four distinct sizes, at most 200.
        segments: how many lines, 1..3; as many as the criterion asks for if left out.
        confidence: share of the repeated fits within an interval, above 0 and below 1.
        seed: of the repeated draws.

    Raises:
        InputError: too few or too many sizes, or an argument out of range.

    >>> exact = Measurements([8, 64, 512, 4096, 32768], [1.008, 1.064, 1.512, 5.096, 33.768])
    >>> machine_fit = fit(exact)
    >>> machine_fit
    Fit(alpha=1 µs, tau=0.001 µs/byte, 1 segment)
    >>> [round(end, 9) for end in machine_fit.ratio_interval]
    [1000.0, 1000.0]
    """
    if not isinstance(measurements, Measurements):
        raise InputError("measurements", "must be Measurements", measurements)
    sizes, times = measurements.distinct.astype(float), measurements.medians
    if not LEAST_SIZES <= sizes.size <= _MOST_SIZES:
        rule = f"must have {LEAST_SIZES} to {_MOST_SIZES} different sizes"
        raise InputError("measurements", rule, int(sizes.size))
    if checked_integer("seed", seed) < 0:
        raise InputError("seed", "must not be negative", seed)
    if not 0 < (confidence := float(confidence)) < 1:
        raise InputError("confidence", "must be above 0 and below 1", confidence)
    if segments is not None and not 1 <= checked_integer("segments", segments) <= _MOST_SEGMENTS:
        raise InputError("segments", f"must be in 1..{_MOST_SEGMENTS}", segments)
    if segments is not None and sizes.size < segments * LEAST_SIZES:
        rule = f"need {LEAST_SIZES} sizes each; there are {sizes.size}"
        raise InputError("segments", rule, segments)
    alpha, tau, _ = _line(sizes, times)
    draws = _drawn_again(measurements, np.random.default_rng(seed))
    low, high = (1 - confidence) / 2, (1 + confidence) / 2
    made = np.array([*draws, (alpha, tau)])
    with np.errstate(divide="ignore"):
        # 1e-300 stands for 0 where the quotient is not taken: a slope of 0 makes no ratio
        ratios = np.where(made[:, 1] > 0, made[:, 0] / np.maximum(made[:, 1], 1e-300), np.inf)

    def between(values: Floats) -> tuple[float, float]:
        ends = np.quantile(values, [low, high], method="nearest")
        return float(ends[0]), float(ends[1])

    intervals = between(made[:, 0]), between(made[:, 1]), between(ratios)
    parts = _segments(sizes, times, segments)
    again = _parts_again(measurements, parts, np.random.default_rng(seed))
    return Fit(alpha, tau, *intervals, confidence, parts, again, measurements)


def _line(
    sizes: Floats, times: Floats, weights: Floats | None = None
) -> tuple[float, float, float]:
    """(α, τ, Σ w |t - α - L τ| / t) of the best line with α, τ >= 0."""
    first, second = np.triu_indices(sizes.size, 1)
    rise = sizes[second] - sizes[first]
    apart = rise > 0
    tau = (times[second] - times[first])[apart] / rise[apart]
    alpha = times[first][apart] - tau * sizes[first][apart]
    positive = sizes > 0
    alpha = np.concatenate([alpha, times, np.zeros(positive.sum())])
    tau = np.concatenate([tau, np.zeros(times.size), times[positive] / sizes[positive]])
    allowed = (alpha >= 0) & (tau >= 0)
    alpha, tau = alpha[allowed], tau[allowed]
    share = (1 if weights is None else weights) / times
    sums = np.abs(times - alpha[:, None] - tau[:, None] * sizes) @ share
    best = int(sums.argmin())
    return float(alpha[best]), float(tau[best]), float(sums[best])


def _drawn_again(measurements: Measurements, rng: np.random.Generator) -> list[tuple[float, float]]:
    """(α, τ) of fits to the measurements drawn again."""
    lines = []
    for sizes, times, weights in _draws(measurements, rng, _DRAWS):
        thinned = np.linspace(0, sizes.size - 1, min(sizes.size, 40)).astype(int)
        kept = thinned if weights is None else slice(None)
        if weights is None or (weights > 0).sum() >= 2:
            lines.append(_line(sizes[kept], times[kept], weights)[:2])
    return lines


def _parts_again(
    measurements: Measurements, segments: tuple[Segment, ...], rng: np.random.Generator
) -> tuple[tuple[tuple[float, float], ...], ...]:
    """(α, τ) of every segment, with the same breaks, of fits to the measurements drawn again."""
    rows: list[tuple[tuple[float, float], ...]] = []
    if len(segments) == 1:
        return ()
    for sizes, times, weights in _draws(measurements, rng, _DRAWS // 2):
        row = []
        for segment in segments:
            inside = sizes > segment.above
            inside &= sizes <= (math.inf if segment.up_to is None else segment.up_to)
            share = None if weights is None else weights[inside]
            if share is None or (share > 0).sum() >= 2:
                row.append(_line(sizes[inside], times[inside], share)[:2])
        if len(row) == len(segments):
            rows.append(tuple(row))
    return tuple(rows)


def _draws(
    measurements: Measurements, rng: np.random.Generator, count: int
) -> Iterator[tuple[Floats, Floats, Floats | None]]:
    """Sizes, times, and weights if whole sizes are drawn."""
    sizes = measurements.distinct.astype(float)
    groups = np.split(measurements.times, np.searchsorted(measurements.sizes, sizes)[1:])
    if min(len(group) for group in groups) >= _REPEATED:
        again = [[rng.choice(group, len(group)) for group in groups] for _ in range(count)]
        for times in np.transpose([np.median(group, axis=1) for group in zip(*again, strict=True)]):
            yield sizes, times, None
        return
    for _ in range(count):
        drawn = rng.integers(0, sizes.size, sizes.size)
        weights = np.bincount(drawn, minlength=sizes.size).astype(float)
        yield sizes, measurements.medians, weights


def _segments(sizes: Floats, times: Floats, asked: int | None) -> tuple[Segment, ...]:
    """The lines of the best breaks."""
    m = sizes.size
    most = asked or max(1, min(_MOST_SEGMENTS, m // LEAST_SIZES))
    costs: dict[tuple[int, int], float] = {}

    def cost(start: int, stop: int) -> float:
        if (start, stop) not in costs:
            costs[start, stop] = _line(sizes[start:stop], times[start:stop])[2]
        return costs[start, stop]

    best: dict[int, tuple[float, tuple[int, ...]]]
    best = {stop: (cost(0, stop), (0, stop)) for stop in range(LEAST_SIZES, m + 1)}
    chosen, least = best[m][1], math.inf
    for k in range(1, most + 1):
        if k > 1:
            best = {
                stop: min(
                    (best[at][0] + cost(at, stop), (*best[at][1], stop))
                    for at in range((k - 1) * LEAST_SIZES, stop - LEAST_SIZES + 1)
                )
                for stop in range(k * LEAST_SIZES, m + 1)
            }
        total, breaks = best[m]
        criterion = 2 * m * math.log(max(total / m, _NOISE)) + 2 * (3 * k - 1) * math.log(m)
        if (asked is None and criterion < least) or k == asked:
            chosen, least = breaks, criterion
    made = []
    for start, stop in pairwise(chosen):
        alpha, tau, _ = _line(sizes[start:stop], times[start:stop])
        above = int(sizes[start - 1]) if start else -1
        made.append(Segment(above, int(sizes[stop - 1]) if stop < m else None, alpha, tau))
    return tuple(made)
