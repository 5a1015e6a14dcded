"""Fits are as they were, and their breaks the best of all breaks, tried one by one.

    python -m tests.calibration.test_held      write `held.json` anew

Which measurements a seed draws again no equation says, so intervals and repeated fits are held.
"""

from __future__ import annotations

import json
import math
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest

from lccmodel.calibration import Fit, Measurements, fit
from lccmodel.calibration.fitting import _line
from tests.holding import short, write

HELD = Path(__file__).with_name("held.json")
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


def facts(case: str) -> str:
    """What the fit is, in nine digits, once it has been checked."""
    measurements, asked, confidence = measured(case)
    found = fit(measurements, segments=asked, confidence=confidence, seed=len(case) % 3)
    checked(found, asked)
    told = [found.alpha_interval, found.tau_interval, found.ratio_interval]
    numbers = [number for row in (*told, *(p for r in found.repeated for p in r)) for number in row]
    text = " ".join(f"{number:.9g}" for number in numbers) + found.doubt
    digest = short(text)
    lines = [f"{s.alpha:.6g}+{s.tau:.6g}L" for s in found.segments]
    return f"{' '.join(lines)} {len(found.repeated)} {digest}"


def test_every_case_is_held() -> None:
    assert list(json.loads(HELD.read_text())) == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_a_fit_is_as_it_was(case: str) -> None:
    assert facts(case) == json.loads(HELD.read_text())[case]


if __name__ == "__main__":
    write(HELD, CASES, facts)
