"""Pipelined CC-cube algorithms on 2^n processes [calmant 2.4]: complete exchange and FFT.

The algorithms are those of `lccmodel.pipelining`, and so is the order of their packets: in
iteration t a process computes packet t - j of x_j for every dimension j that has one, starts to
send them all, and takes what its neighbours send. Each process runs the row of the algorithm that
is its own; reading what has not arrived is an error here as it is there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import exchange
from lccmodel.errors import InputError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout
from lccmodel.mpi.virtual import VirtualComm
from lccmodel.pipelining.exchange import complete_exchange
from lccmodel.pipelining.execution import DividedAlgorithm, Iteration, PacketPlan, iterate
from lccmodel.pipelining.fft import cube_fft


@typed_arguments
def pipelined_exchange(blocks: Any, Q: int = 1) -> Job:
    """Return the complete exchange of 2^n processes, each message cut into Q packets [calmant 5.1].

    Args:
        blocks: shape (2^n, 2^n, ...), n >= 1: `blocks[p, q]` goes from process p to process q.
        Q: pipelining degree, 1..2^(n-1) B for blocks of B items.

    Returns: a job whose result has the same shape and type, `result[p, q]` being `blocks[q, p]`;
        its phases are "iteration 0", ..., "iteration n+Q-2".

    Raises:
        InputError: a wrong shape, empty blocks, or Q out of range.

    >>> job = pipelined_exchange(np.arange(16).reshape(4, 4), Q=2)
    >>> job.name, job.ranks
    ('complete exchange of 1 items to a block in 2 packets', 4)
    """
    data = np.ascontiguousarray(checked_shape("blocks", blocks))
    nodes = data.shape[0] if data.ndim > 1 else 0
    if nodes < 2 or nodes & (nodes - 1) or data.shape[1] != nodes or not data.size:
        raise InputError("blocks", "must have shape (2^n, 2^n, ...), n >= 1", data.shape)
    n = nodes.bit_length() - 1
    algorithm = complete_exchange(n).algorithm(data[0, 0].size)
    program = partial(_program, algorithm=algorithm, plan=PacketPlan(n, Q, algorithm.N))
    name = f"complete exchange of {data[0, 0].size} items to a block in {Q} packets"
    return Job(name, data, Layout(n, tuple(range(n))), program, _neighbours(n))


@typed_arguments
def pipelined_fft(signal: Any, n: int, Q: int = 1) -> Job:
    """Compute the transform on 2^n processes, each exchange in Q packets [calmant 2.2].

    Args:
        signal: real or complex, shape (2^(n+r),), r >= 0.
        n: 2^n processes, n >= 1.
        Q: pipelining degree, 1..2^r.

    Returns: a job whose result is complex128 of the same shape, `numpy.fft.fft` of the signal.

    Raises:
        InputError: another number of points, no numbers, or Q out of range.

    >>> job = pipelined_fft(np.arange(32), n=2, Q=3)
    >>> job.layout.processor_bits, job.result_layout.processor_bits
    ((4, 3), (0, 1))
    """
    algorithm_of = cube_fft(n).algorithm
    values = checked_shape("signal", signal)
    if values.dtype.kind not in "biufc" or values.ndim != 1:
        raise InputError("signal", "must be one axis of real or complex numbers", values.shape)
    bits = values.size.bit_length() - 1
    if values.size != 1 << max(bits, 0) or bits < n:
        rule = f"must be 2^({n}+r) points, r >= 0, on {1 << n} processes"
        raise InputError("signal", rule, values.size)
    algorithm = algorithm_of(1 << bits - n)
    # process p starts with slice (p with its bits reversed), and ends with f = p + 2^n m
    start = Layout(bits, tuple(range(bits - 1, bits - 1 - n, -1)))
    plan = PacketPlan(n, Q, algorithm.N)
    program = partial(_row_program, algorithm=algorithm, plan=plan)
    return Job(
        f"FFT of {values.size} points in {Q} packets",
        values.astype(np.complex128),
        start,
        program,
        _neighbours(n),
        Layout(bits, tuple(range(n))),
    )


def _neighbours(n: int) -> dict[str, LCC]:
    """What is sent through each dimension, by one packet after the other."""
    return {f"dimension {k}": exchange(n, k) for k in range(n)}


def _program(
    comm: VirtualComm, local: Array, algorithm: DividedAlgorithm, plan: PacketPlan
) -> Array:
    me = comm.v_get_pid()

    def meet(iteration: Iteration, packets: Sequence[Array]) -> list[Array]:
        partners = [me ^ 1 << i for i, _ in iteration.packets]
        with comm.phase(f"iteration {iteration.t}"):
            for partner, packet in zip(partners, packets, strict=True):
                comm.v_send(partner, packet)
            pairs = zip(partners, packets, strict=True)
            return [comm.v_receive(q, np.empty(x.shape, x.dtype)) for q, x in pairs]

    result: Array = iterate(algorithm.of((me,)), local, plan, meet, 1)[0]
    return result


def _row_program(
    comm: VirtualComm, local: Array, algorithm: DividedAlgorithm, plan: PacketPlan
) -> Array:
    """The same where the elements of the layout are the items of the row."""
    row: Array = _program(comm, local[np.newaxis], algorithm, plan)[0]
    return row
