"""Best degrees of many points at once, in floating point, each certified or left open."""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from lccmodel._jit import inlined_kernel, parallel_kernel

__all__ = ["OPEN", "best_degrees"]

OPEN = 0
"""What stands for a point that floating point cannot decide."""

_PART = 4096  # points that one core takes at a time
_MARGIN = 1e-12  # relative; all values here have an error of less than 20 units of 2^-53
_CANCELLED = 1e-3  # of its terms; a smaller sum has lost too many digits for the margin


@inlined_kernel
def _deep_degree(K: float, first: int, last: int) -> int:
    """The smallest Q in first..last with Q (Q+1) >= K, or OPEN if that is too close to call."""
    high, low = K * (1 + _MARGIN), K * (1 - _MARGIN)
    if first * (first + 1.0) >= high:
        return first
    if (last - 1.0) * last < low:
        return last
    if not K < 1e22:
        return OPEN
    Q = min(max(math.ceil((math.sqrt(4 * K + 1) - 1) / 2), first), last)
    above = Q == last or Q * (Q + 1.0) >= high
    below = Q == first or (Q - 1.0) * Q < low
    return Q if above and below else OPEN


@inlined_kernel
def _convex_degree(falling: float, rising: float, size: float, first: int, last: int) -> int:
    """The smallest best Q of falling / Q + Q rising, or OPEN; `rising` is a sum of this size."""
    if first == last:
        return first
    if not size and falling > 0:
        return last
    if abs(rising) <= _CANCELLED * size:
        return OPEN
    if rising < 0:
        return last
    return _deep_degree(falling / rising, first, last)


@inlined_kernel
def _best(
    degrees: npt.NDArray[np.int64],
    shallow: npt.NDArray[np.float64],
    A: float,
    B: float,
    d: int,
    ends: npt.NDArray[np.int64],
    N: int,
    alpha: npt.NDArray[np.float64],
    tau: npt.NDArray[np.float64],
    b: float,
    at_alpha: int,
    at_tau: int,
    next_alpha: int,
    next_tau: int,
) -> int:
    """The degree whose time is below all others by more than the margin, or OPEN.

    alpha and tau are those of all points, as a view of those of one would cost as much as all else:
    those of this point begin at `at_alpha` and `at_tau`, and the next piece is `next_...` on.
    """
    best, least, bound, second = 0, math.inf, math.inf, math.inf
    piece = len(ends) - 1
    last = _last_of(ends, piece, N)
    one = alpha[at_alpha + piece * next_alpha]
    items = N * tau[at_tau + piece * next_tau]
    for k in range(len(degrees)):
        Q = degrees[k]
        if Q > N:
            break
        while Q > last:  # packets shrink, so pieces only go down
            piece -= 1
            last = _last_of(ends, piece, N)
            one = alpha[at_alpha + piece * next_alpha]
            items = N * tau[at_tau + piece * next_tau]
        start, rest = shallow[0, k] * one, shallow[1, k] * items + (d + Q - 1) * b
        ticks, slack = start + rest, _MARGIN * (abs(start) + rest)
        if ticks < least:
            second = min(second, bound)
            best, least, bound = Q, ticks, ticks - slack
        else:
            second = min(second, ticks - slack)
    first = d
    while first <= N:
        while first > last:
            piece -= 1
            last = _last_of(ends, piece, N)
            one = alpha[at_alpha + piece * next_alpha]
            items = N * tau[at_tau + piece * next_tau]
        Q = _convex_degree(A * items, B * one + b, B * abs(one) + b, first, last)
        if Q == OPEN:
            return OPEN
        start, rest = (A + B * Q) * one, (A + B * Q) * (items / Q) + (d + Q - 1) * b
        ticks, slack = start + rest, _MARGIN * (abs(start) + rest)
        if ticks < least:
            second = min(second, bound)
            best, least, bound = Q, ticks, ticks - slack
        else:
            second = min(second, ticks - slack)
        first = last + 1
    return best if least + (least - bound) < second and least < math.inf else OPEN


@inlined_kernel
def _last_of(ends: npt.NDArray[np.int64], piece: int, N: int) -> int:
    """The largest Q whose packets of N/Q items are too long for the piece before this one."""
    if piece == 0:
        return N
    return int(min(N, (N * ends[piece, 1] - 1) // ends[piece, 0]))


@parallel_kernel
def best_degrees(
    degrees: npt.NDArray[np.int64],
    shallow: npt.NDArray[np.float64],
    A: float,
    B: float,
    d: int,
    ends: npt.NDArray[np.int64],
    N: npt.NDArray[np.int64],
    alpha: npt.NDArray[np.float64],
    tau: npt.NDArray[np.float64],
    b: npt.NDArray[np.float64],
    strides: npt.NDArray[np.int64],
    out: npt.NDArray[np.int64],
) -> Any:
    """Fill out[i, j] with the best degree, or OPEN.

    `degrees` are the shallow ones that are compared, ascending; `shallow` holds P and P/Q of them.
    ends[k] are (n, m) when piece k is for more than n/m items. N, alpha, tau and b are flat: what
    belongs to point (i, j) and piece k is i, j and k times the row of `strides`, which has one for
    each of the four. So a broadcast argument is not written out, and needs no kernel of its own.
    """
    rows, columns = out.shape
    parts = (rows * columns + _PART - 1) // _PART
    for part in numba.prange(parts):
        i, j = part * _PART // columns, part * _PART % columns
        for _ in range(min(_PART, rows * columns - part * _PART)):
            n = N[i * strides[0, 0] + j * strides[0, 1]]
            at_alpha = i * strides[1, 0] + j * strides[1, 1]
            at_tau = i * strides[2, 0] + j * strides[2, 1]
            barrier = b[i * strides[3, 0] + j * strides[3, 1]]
            out[i, j] = _best(
                degrees, shallow, A, B, d, ends, n, alpha, tau, barrier,
                at_alpha, at_tau, strides[1, 2], strides[2, 2],
            )  # fmt: skip
            j += 1
            if j == columns:
                i, j = i + 1, 0
