"""The fast Fourier transform as a CC-cube algorithm, to be run with any pipelining degree.

2^d processes transform L = 2^d N numbers a[0..L-1]. With s = pN + r and f = k + 2^d m,

    A[k + 2^d m] = sum over r of  w_N^(rm) · w_L^(rk) · ( sum over p of w_P^(pk) a[pN + r] ),

P = 2^d, w_L = exp(-2πi/L). The inner sums are N independent transforms of length P across the
processes: d stages of butterflies, and stage i combines the values of n and n XOR 2^i, so it is
the exchange of x_i in dimension i. The twiddle factors w_L^(rk) and the outer transform of length
N are each process's own affair. Process n starts with slice p = (n with its d bits reversed) and
ends with the outputs of k = n, so that dimension 0 comes first, as in [calmant 2.2].

Item r of x_i needs item r of x_(i-1), sent and received, and nothing else. That meets the
condition of [calmant 2.4] with nothing to spare or to ask for, whatever N and Q are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lccmodel.communication.permutations import bit_reverse
from lccmodel.errors import InputError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.pipelining.execution import (
    Check,
    PacketPlan,
    PipelinedRun,
    ProcessView,
    checked_dimensions,
    run_pipelined,
)

MAX_DIMENSION = 20
"""Largest d: the values of 2^20 processes are rows of one array."""


@dataclass(frozen=True, slots=True)
class CubeFFT:
    """The transform on 2^d processes; see `cube_fft`."""

    d: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "d", checked_dimensions(self.d, MAX_DIMENSION))

    def run(self, signal: Any, Q: int = 1) -> Array:
        """Transform a signal, by exchanges of Q packets each.

        Args:
            signal: shape (2^d N,), real or complex, N >= 1.
            Q: pipelining degree, 1..N.

        Returns:
            complex128 of the same shape, in the order of `numpy.fft.fft`.

        Raises:
            InputError: a wrong shape or dtype, or Q out of range.

        >>> signal = np.arange(24.0)
        >>> bool(np.allclose(cube_fft(3).run(signal, Q=2), np.fft.fft(signal)))
        True
        """
        return np.asarray(self.traced(signal, Q, check="raise").result)

    def traced(self, signal: Any, Q: int = 1, check: Check = "report") -> PipelinedRun:
        """The same with all that is known about the run: reads, violations, the plan.

        >>> cube_fft(3).traced(np.ones(32), Q=4).reach
        {(1, 0): 0, (2, 1): 0}
        """
        values = checked_shape("signal", signal)
        nodes = 1 << self.d
        if values.ndim != 1 or not values.size or values.size % nodes:
            rule = f"must have one axis, of a positive multiple of 2^d = {nodes} numbers"
            raise InputError("signal", rule, values.shape)
        if values.dtype.kind not in "biufc":
            raise InputError("signal", "must contain real or complex numbers", values.dtype)
        algorithm = self.algorithm(values.size // nodes)
        slices = bit_reverse(self.d).images()  # process n starts with that of its bits reversed
        rows = values.reshape(nodes, -1).astype(np.complex128)[slices]
        run = run_pipelined(algorithm, rows, PacketPlan(self.d, Q, algorithm.N), check)
        return replace(run, result=run.result.T.reshape(-1))  # f = k + 2^d m

    def algorithm(self, N: int) -> _Butterflies:
        """The CC-cube algorithm for 2^d N numbers, as `run_pipelined` takes it."""
        return _Butterflies(self.d, N, range(1 << self.d))


@typed_arguments
def cube_fft(d: int) -> CubeFFT:
    """Return the Fourier transform as a CC-cube algorithm of d dimensions.

    Raises:
        InputError: d < 1 or not an integer.
        SizeLimitError: d > 20.

    >>> cube_fft(2).run([1, 0, 0, 0]).real.tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    return CubeFFT(d)


@dataclass(frozen=True, slots=True)
class _Butterflies:
    """d stages; x_i holds the values that stage i combines."""

    d: int
    N: int
    processes: Sequence[int]

    def of(self, processes: Sequence[int]) -> _Butterflies:
        return replace(self, processes=processes)

    def start(self, rows: Array) -> Array:
        return rows

    def compute(self, i: int, items: range, local: Array, view: ProcessView) -> Array:
        if i == 0:
            return local[:, items.start : items.stop]
        return self._stage(i - 1, items, view)

    def _stage(self, i: int, items: range, view: ProcessView) -> Array:
        """Stage i for some items: u + w v where bit i of n is 0, u - w v where it is 1."""
        n = np.asarray(self.processes)
        upper = (n >> i & 1 == 1)[:, None]
        own, received = view.own(i, items), view.received(i, items)
        u, v = np.where(upper, received, own), np.where(upper, own, received)
        k = n & (1 << i) - 1
        wv = np.exp(-1j * np.pi * k / (1 << i))[:, None] * v
        return np.asarray(np.where(upper, u - wv, u + wv))

    def finish(self, local: Array, view: ProcessView) -> Array:
        """The transform across the slice: row k holds the f = k + 2^d m."""
        across = self._stage(self.d - 1, range(self.N), view)
        r, k = np.arange(self.N), np.asarray(self.processes)[:, None]
        turned = across * np.exp(-2j * np.pi * (r * k) / ((1 << self.d) * self.N))
        return np.fft.fft(turned, axis=1)
