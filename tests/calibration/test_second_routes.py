"""The breaks of a fit are the best of all breaks, tried one by one; three printed intervals."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from lccmodel.calibration import Fit, Measurements, fit
from lccmodel.calibration.fitting import _line
from tests.choosing import sampled

CASES = tuple(
    f"{sizes} sizes, {repeats} each, {noise} % off, {segments} segments, {confidence}"
    for sizes, noise in ((4, 0), (5, 30), (8, 1), (9, 20), (12, 5), (13, 60), (16, 10), (24, 3))
    for repeats in (1, 3, 6)
    for segments, confidence in (("any", 0.95), (1 + sizes // 8, 0.5))
    if segments == "any" or (segments <= 3 and sizes >= 4 * segments)
)


def measured(case: str) -> tuple[Measurements, int | None, float]:
    """Two protocols that meet, with errors; the first size may be 0."""
    words = case.replace(",", "").split()
    many, repeats, noise = int(words[0]), int(words[2]), int(words[4])
    draw = np.random.default_rng(many + repeats)
    distinct = np.unique(np.rint(np.geomspace(1, 1 << 20, many)).astype(int))
    distinct[0] = draw.integers(0, 2)
    sizes = np.repeat(distinct, repeats)
    times = np.where(sizes <= distinct[many // 2], 2 + sizes / 500, 40 + sizes / 900)
    off = draw.normal(1, noise / 100, sizes.size).clip(0.2, 3)
    asked = None if words[7] == "any" else int(words[7])
    return Measurements(sizes, times * off), asked, float(words[-1])


def checked(found: Fit, asked: int | None) -> None:
    """All breaks, each segment of four sizes or more; the number by the criterion."""
    sizes, times = found.measurements.distinct, found.measurements.medians
    m, tried = sizes.size, {}
    lines = {
        (a, b): _line(sizes[a:b].astype(float), times[a:b])
        for a, b in combinations(range(m + 1), 2) if b - a >= 4
    }  # fmt: skip
    for k in (asked,) if asked else range(1, min(3, m // 4) + 1):
        for inner in combinations(range(4, m - 3), k - 1):
            parts = list(pairwise((0, *inner, m)))
            if min(b - a for a, b in parts) >= 4:
                total = sum(lines[part][2] for part in parts)
                criterion = 2 * m * math.log(max(total / m, 0.01)) + 2 * (3 * k - 1) * math.log(m)
                least = tried.get(k, (math.inf, math.inf))
                tried[k] = min(least, (total, criterion))
    best = min(tried.values(), key=lambda pair: pair[1])
    assert np.abs(found.residuals).sum() == pytest.approx(best[0], abs=1e-9)
    many = min(tried, key=lambda k: tried[k][1])
    assert len(found.segments) == many
    for low, high in (found.alpha_interval, found.tau_interval):
        assert 0 <= low <= high
    assert (found.alpha, found.tau) == _line(sizes.astype(float), times)[:2]
    ends = [segment.up_to for segment in found.segments]
    assert [segment.above for segment in found.segments] == [-1, *ends[:-1]]
    assert ends[-1] is None
    assert all(len(row) == many for row in found.repeated)
    assert bool(found.repeated) == (many > 1)


@pytest.mark.parametrize("case", sampled(CASES, 4))
def test_a_fit_has_the_best_of_all_breaks(case: str) -> None:
    measurements, asked, confidence = measured(case)
    checked(fit(measurements, segments=asked, confidence=confidence), asked)


def test_intervals_are_the_printed_ones() -> None:
    """The same seed draws the same measurements again in every version, to six digits."""
    measurements, asked, confidence = measured("9 sizes, 3 each, 20 % off, any segments, 0.95")
    line = fit(measurements, segments=asked, confidence=confidence, seed=1)
    assert line.alpha_interval == pytest.approx((1.74552, 2.29792), rel=1e-5)
    assert line.tau_interval == pytest.approx((0.00101046, 0.00256), rel=1e-5)
