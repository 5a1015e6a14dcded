"""Best degrees of many points at once, in floating point, each certified or left open.

The degrees are compared one after another, each for a block of points whose state lies in cache: a
loop over points without branches or checks is vector instructions, square roots and divisions too.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from lccmodel.ground.arrays import Floats, Ints
from lccmodel.kernels.jit import inlined_kernel, vector_kernel

OPEN = 0
"""What stands for a point that floating point cannot decide."""

_BLOCK = 512  # points; their ten rows below take 40 KiB
_MARGIN = 1e-12  # relative; all values here have an error of less than 20 units of 2^-53
_CANCELLED = 1e-3  # of its terms; a smaller sum has lost too many digits for the margin
_LEAST, _MOST = 1e-280, 1e280  # times in which no part that counts has underflown or overflown
_LARGEST_K = 1e22  # the square root of a larger one has an error of more than a whole number


@inlined_kernel
def _compared(
    Q: int, ticks: float, slack: float, best: int, least: float, bound: float, second: float
) -> tuple[int, float, float, float]:
    """(best, least, bound, second) after one more degree, whose time is within slack of ticks.

    The best degree takes `least`, or `bound` if its error is as large as can be, and all others
    take at least `second`.
    """
    low = ticks - slack
    better = ticks < least
    other = bound if better else low
    second = other if other < second else second
    return Q if better else best, ticks if better else least, low if better else bound, second


@inlined_kernel
def _deep_degree(K: float, first: int, last: int) -> int:
    """The smallest Q in first..last with Q (Q+1) >= K, or OPEN if that is too close to call."""
    high, low = K * (1 + _MARGIN), K * (1 - _MARGIN)
    readable = K < _LARGEST_K
    Q = math.ceil((math.sqrt(4 * (K if readable else 1.0) + 1) - 1) / 2)
    Q = min(max(Q, first), last)
    above = (Q == last) | (Q * (Q + 1.0) >= high)
    below = (Q == first) | ((Q - 1.0) * Q < low)
    Q = Q if readable & above & below else OPEN
    Q = last if (last - 1.0) * last < low else Q
    return first if (first == last) | (first * (first + 1.0) >= high) else Q


class StepLine(NamedTuple):
    """P(d,Q) = A + B Q from d on; `shallow` holds P and P/Q of the smaller degrees compared."""

    degrees: Ints
    shallow: Floats
    A: float
    B: float
    d: int


class Points(NamedTuple):
    """Points (i, j), each at i * columns + j; N, alpha, tau and b are flat.

    What belongs to point (i, j) and piece k is i, j and k times the row of `strides`, which has
    one for each of the four. So a broadcast argument is not written out, and needs no kernel of
    its own.
    """

    N: Ints
    alpha: Floats
    tau: Floats
    b: Floats
    strides: Ints
    columns: int


@vector_kernel
def best_degrees(steps: StepLine, ends: Ints, points: Points, out: Ints) -> Any:
    """Fill out with the best degree of every point, or OPEN.

    ends[k] are (n, m) when piece k is for more than n/m items. Packets shrink as Q grows, so the
    pieces are taken from the last down: each is for the degrees before < Q <= last.
    """
    degrees, shallow, A, B, d = steps
    N, alpha, tau, b, strides, columns = points
    # Rows of two arrays, not ten arrays: the compiler knows that they do not overlap.
    whole, real = np.empty((4, _BLOCK), np.int64), np.empty((6, _BLOCK))
    n, before, last, best = whole[0], whole[1], whole[2], whole[3]
    start_up, items, barrier = real[0], real[1], real[2]
    least, bound, second = real[3], real[4], real[5]
    for begin in range(0, out.size, _BLOCK):
        count = min(_BLOCK, out.size - begin)
        for t in range(count):
            least[t] = bound[t] = second[t] = math.inf
            before[t], best[t] = 0, OPEN
        for piece in range(len(ends) - 1, -1, -1):
            i, j = begin // columns, begin % columns
            at_alpha, at_tau = piece * strides[1, 2], piece * strides[2, 2]
            for t in range(count):
                n[t] = last[t] = N[i * strides[0, 0] + j * strides[0, 1]]
                start_up[t] = alpha[at_alpha + i * strides[1, 0] + j * strides[1, 1]]
                items[t] = n[t] * tau[at_tau + i * strides[2, 0] + j * strides[2, 1]]
                barrier[t] = b[i * strides[3, 0] + j * strides[3, 1]]
                j += 1
                if j == columns:
                    i, j = i + 1, 0
            if piece:
                for t in range(count):
                    last[t] = min(n[t], (n[t] * ends[piece, 1] - 1) // ends[piece, 0])
            for k in range(len(degrees)):
                Q, P, each = degrees[k], shallow[0, k], shallow[1, k]
                for t in range(count):
                    start, rest = P * start_up[t], each * items[t] + (d + Q - 1) * barrier[t]
                    ticks = start + rest if (before[t] < Q) & (Q <= last[t]) else math.inf
                    best[t], least[t], bound[t], second[t] = _compared(
                        Q, ticks, _MARGIN * (abs(start) + rest),
                        best[t], least[t], bound[t], second[t],
                    )  # fmt: skip
            for t in range(count):
                # T is Q * rising + falling / Q and a constant, least at Q (Q + 1) = K or an end
                falling, rising = A * items[t], B * start_up[t] + barrier[t]
                size = B * abs(start_up[t]) + barrier[t]
                ever_less = (rising < -_CANCELLED * size) | ((size == 0) & (falling > 0))
                known = (abs(rising) > _CANCELLED * size) & (size > _LEAST) & (falling < _MOST)
                K = math.inf if ever_less else falling / rising if known else math.nan
                first = max(d, before[t] + 1)
                Q = _deep_degree(K, first, last[t])
                start = (A + B * Q) * start_up[t]
                rest = (A + B * Q) * (items[t] / max(Q, 1)) + (d + Q - 1) * barrier[t]
                ticks = start + rest if Q != OPEN else -math.inf  # nothing is better, then
                ticks = ticks if first <= last[t] else math.inf
                best[t], least[t], bound[t], second[t] = _compared(
                    Q, ticks, _MARGIN * (abs(start) + rest),
                    best[t], least[t], bound[t], second[t],
                )  # fmt: skip
                before[t] = last[t]
        for t in range(count):
            apart = least[t] + (least[t] - bound[t]) < second[t]
            sure = apart & (least[t] > _LEAST) & (least[t] < _MOST)
            out[begin + t] = best[t] if sure else OPEN
