"""Tasks with what numpy says they must compute, and what the papers say must travel.

The same cases run on threads and on real MPI. The expected communications come from the catalogue
for n bits, not from the layouts that the tasks are built with.
"""

from dataclasses import dataclass, replace

import numpy as np

from lccmodel import LCC, Hypercube, catalog
from lccmodel.communication import images
from lccmodel.gf2 import GF2Matrix, enumeration
from lccmodel.mpi import distributed_fft, distributed_fft2, image_operation, transposition
from lccmodel.mpi.images import library
from lccmodel.mpi.job import Job, JobOutcome
from lccmodel.placement import optimal_reordering


@dataclass(frozen=True, eq=False)
class Case:
    """A task, its result, what virtual processors send, and the mapping (None, Q or any array)."""

    label: str
    task: Job
    expected: np.ndarray
    travels: dict[str, LCC]
    Q: GF2Matrix | None = None
    places: np.ndarray | None = None


def check(case: Case, outcome: JobOutcome) -> None:
    """The result is numpy's, and the messages are those of the communications, mapped."""
    label = case.label
    assert outcome.values.shape == case.expected.shape, label
    if case.expected.dtype.kind == "c":
        scale = np.abs(case.expected).max()
        assert np.allclose(outcome.values, case.expected, rtol=1e-12, atol=1e-13 * scale), label
    else:
        assert outcome.values.dtype == case.expected.dtype, label
        assert np.array_equal(outcome.values, case.expected), label
    assert outcome.sent == outcome.received, label
    assert set(outcome.phases) == set(case.travels), label
    for phase, communication in case.travels.items():
        pairs = communication.pairs()
        if case.places is not None:
            pairs = case.places[pairs]
        if case.Q is not None:  # Theorem 2: (QAQ⁻¹, Qb) between physical processors
            assert sorted(map(tuple, pairs.tolist())) == sorted(
                map(tuple, communication.reordered(case.Q).pairs().tolist())
            ), label
        assert outcome.pairs(phase) == sorted(map(tuple, pairs.tolist())), (label, phase)


def mapped(case: Case) -> list[Case]:
    """The case without a mapping, with an optimal one, a linear one, and one that is not linear."""
    n = case.task.n
    best = optimal_reordering(list(case.travels.values()), Hypercube(n))
    linear = enumeration.random_nonsingular(n, np.random.default_rng(n))
    anything = np.random.default_rng(n).permutation(1 << n)
    return [
        case,
        _with(case, "optimal", best, best.Q),
        _with(case, "linear", LCC(linear).images(), linear),
        _with(case, "any", anything, None),
    ]


def with_library(case: Case) -> list[Case]:
    best = optimal_reordering(list(library(case.task.n).values()), Hypercube(case.task.n))
    return [case, _with(case, "library", best, best.Q)]


def _with(case: Case, name, mapping, Q) -> Case:
    task = case.task.mapped(mapping)
    label = f"{case.label}, {name} mapping"
    return replace(case, label=label, task=task, Q=Q, places=task.to_physical)


# -- the programs -------------------------------------------------------------------------------


def numbers(shape, seed=1):
    rng = np.random.default_rng(seed)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def fft_case(n, d, sign=-1) -> Case:
    points = numbers(1 << n + 2 * d, seed=16 * n + d)
    expected = np.fft.fft(points) if sign < 0 else len(points) * np.fft.ifft(points)
    return Case(
        f"FFT n={n} d={d} sign={sign}",
        distributed_fft(points, n, sign=sign),
        expected,
        {"bit reversal": catalog.bit_reverse(n)}
        | {f"neighbour {k}": catalog.exchange(n, k) for k in range(n)},
    )


def fft2_case(image, n) -> Case:
    a = n // 2
    travels = {}
    for name, part, dimensions in (
        ("rows", images.fft_rows(n, a), range(a)),
        ("columns", images.fft_columns(n, a), range(a, n)),
    ):
        travels[f"{name}: bit reversal"] = part
        travels |= {f"{name}: neighbour {k}": catalog.exchange(n, k) for k in dimensions}
    return Case(f"2-D FFT n={n}", distributed_fft2(image, n), np.fft.fft2(image), travels)


def transpose_case(n, rows, columns) -> Case:
    matrix = np.random.default_rng(n).integers(-(1 << 62), 1 << 62, (1 << rows, 1 << columns))
    travels = {"transpose": catalog.matrix_transpose(n, n // 2)}
    return Case(f"transpose n={n}", transposition(matrix, n), matrix.T, travels)


def picture(n, d=3):
    """Colours by chance, 2^(n-a+2d) by 2^(a+2d) pixels on a grid of 2^(n-a) by 2^a."""
    a = n // 2
    shape = 1 << n - a + 2 * d, 1 << a + 2 * d, 3
    return np.random.default_rng(n + d).integers(0, 256, shape).astype(np.uint8)


def image_cases(n, d=3) -> list[Case]:
    p = picture(n, d)
    a = n // 2
    height, width = p.shape[:2]
    rows, columns = reversed_indices(height), reversed_indices(width)
    one_row = p.reshape(-1, 3)[reversed_indices(height * width)].reshape(p.shape)
    quarter = p[: height // 2, : width // 2]
    sums = np.zeros(p.shape, dtype=np.int64)
    blocks = p.astype(np.int64).reshape(height // 2, 2, width // 2, 2, 3)
    sums[: height // 2, : width // 2] = blocks.sum(axis=(1, 3))
    answers = {
        "reflect-diagonal": (p.swapaxes(0, 1), images.reflect_diagonal(n, a)),
        "reflect-antidiagonal": (np.rot90(p, 2).swapaxes(0, 1), images.reflect_antidiagonal(n, a)),
        "rotate90-clockwise": (np.rot90(p, -1), images.rotate90_clockwise(n, a, y_axis="down")),
        "rotate90-counterclockwise": (
            np.rot90(p, 1),
            images.rotate90_counterclockwise(n, a, y_axis="down"),
        ),
        "rotate180": (np.rot90(p, 2), images.rotate180(n)),
        "reflect-vertical": (np.fliplr(p), images.reflect_vertical(n, a)),
        "reflect-horizontal": (np.flipud(p), images.reflect_horizontal(n, a)),
        "fft": (one_row, images.fft(n)),
        "fft-rows": (p[:, columns], images.fft_rows(n, a)),
        "fft-columns": (p[rows], images.fft_columns(n, a)),
    }
    if a:
        scaled = quarter.repeat(2, axis=0).repeat(2, axis=1)
        answers["scale2"] = (scaled, images.scale2(n, a))
        answers["shrink2"] = (sums, images.scale2(n, a).reversed())
    cases = []
    for name, (expected, c) in answers.items():
        given = p.astype(np.int64) if name == "shrink2" else p
        task = image_operation(name, given, n)
        cases.append(Case(f"{name} n={n}", task, expected, {name: c}))
    up = image_operation("rotate90-clockwise", p, n, y_axis="up")
    turned = np.flipud(np.rot90(np.flipud(p), -1))
    c = images.rotate90_clockwise(n, a, y_axis="up")
    cases.append(Case(f"rotate90, row 0 below, n={n}", up, turned, {"rotate90-clockwise": c}))
    return cases


def reversed_indices(size):
    """Bit-reversed numbers, from their binary digits as text."""
    digits = size.bit_length() - 1
    return [int(f"{k:0{digits}b}"[::-1], 2) if digits else 0 for k in range(size)]


def all_cases(n, picture_d) -> list[Case]:
    cases = [m for d in (0, 1, 2) for m in mapped(fft_case(n, d))]
    cases.append(fft_case(n, 1, sign=+1))
    cases += mapped(transpose_case(n, n - n // 2 + 2, n // 2 + 3))
    for case in image_cases(n, picture_d):
        cases += with_library(case)
    cases += with_library(fft2_case(picture(n, picture_d)[:, :, 1], n))
    return cases
