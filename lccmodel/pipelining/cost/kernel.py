"""Best degrees of many points at once, in floating point, each certified or left open."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from lccmodel._jit import kernel, parallel_kernel

__all__ = ["OPEN", "best_degrees"]

OPEN = 0
"""What stands for a point that floating point cannot decide."""

_PART = 4096  # points that one core takes at a time
_MARGIN = 1e-12  # relative; all values here have an error of less than 20 units of 2^-53


@kernel
def _deep_degree(K: float, d: int, N: int) -> int:
    """The smallest Q in d..N with Q (Q+1) >= K, or OPEN if that is too close to call."""
    high, low = K * (1 + _MARGIN), K * (1 - _MARGIN)
    if d * (d + 1.0) >= high:
        return d
    if (N - 1.0) * N < low:
        return N
    if not K < 1e22:
        return OPEN
    Q = min(max(math.ceil((math.sqrt(4 * K + 1) - 1) / 2), d), N)
    above = Q == N or Q * (Q + 1.0) >= high
    below = Q == d or (Q - 1.0) * Q < low
    return Q if above and below else OPEN


@kernel
def _best(
    degrees: npt.NDArray[np.int64],
    shallow: npt.NDArray[np.float64],
    A: float,
    B: float,
    d: int,
    N: int,
    alpha: float,
    tau: float,
    b: float,
) -> int:
    """The degree whose time is below all others by more than the margin, or OPEN."""
    best, least, second = 0, math.inf, math.inf
    items = N * tau
    for k in range(len(degrees)):
        Q = degrees[k]
        if Q > N:
            break
        ticks = shallow[0, k] * alpha + shallow[1, k] * items + (d + Q - 1) * b
        second = min(second, max(least, ticks))
        if ticks < least:
            best, least = Q, ticks
    if N >= d:
        Q = OPEN
        weight = B * alpha + b
        if weight > 0:
            Q = _deep_degree(A * items / weight, d, N)
        if Q == OPEN:
            return OPEN
        ticks = (A + B * Q) * (alpha + items / Q) + (d + Q - 1) * b
        second = min(second, max(least, ticks))
        if ticks < least:
            best, least = Q, ticks
    return best if second - least > _MARGIN * least and least < math.inf else OPEN


@parallel_kernel
def best_degrees(
    degrees: npt.NDArray[np.int64],
    shallow: npt.NDArray[np.float64],
    A: float,
    B: float,
    d: int,
    N: npt.NDArray[np.int64],
    alpha: npt.NDArray[np.float64],
    tau: npt.NDArray[np.float64],
    b: npt.NDArray[np.float64],
    out: npt.NDArray[np.int64],
) -> Any:
    """Fill out[i, j] with the best degree, or OPEN; all arrays have two axes and one shape.

    `degrees` are the shallow ones that are compared, ascending; `shallow` holds P and P/Q of them.
    """
    rows, columns = out.shape
    parts = (rows * columns + _PART - 1) // _PART
    for part in numba.prange(parts):
        i, j = part * _PART // columns, part * _PART % columns
        for _ in range(min(_PART, rows * columns - part * _PART)):
            out[i, j] = _best(degrees, shallow, A, B, d, N[i, j], alpha[i, j], tau[i, j], b[i, j])
            j += 1
            if j == columns:
                i, j = i + 1, 0
