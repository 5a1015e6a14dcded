"""Move distributed elements by a linear-complement communication.

Every process knows A and b, so it knows which of its elements go where and what comes to it; only
values travel. A permutation takes every element to its new address. A gather brings several to
one address, where they are added (first on the sending process, so that a sum travels once). A
scatter sends an element once to every process that wants it, which copies it to all its addresses.

Both readings are one map f(z) = Az + b from one layout to another: messages follow f for a
permutation or a gather, and run against it for a scatter.

Transposition [hou, Example 3]: a 2^r by 2^c matrix is cut into tiles, one for each processor of a
grid of 2^(n-a) by 2^a. Every processor transposes its tile and sends it where the tile belongs in
the 2^c by 2^r transpose, which lies on a grid of 2^a by 2^(n-a). Between processors this is the
matrix transpose of n bits.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np

from lccmodel.communication.lcc import LCC
from lccmodel.communication.permutations import matrix_transpose
from lccmodel.errors import CommunicationError, checked_shape
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array
from lccmodel.mpi.job import Job
from lccmodel.mpi.layout import Layout, grid, processor_communication, processor_grid, side_bits
from lccmodel.mpi.virtual import VirtualComm


def redistribute(
    comm: VirtualComm,
    local: Array,
    communication: LCC,
    before: Layout,
    after: Layout | None = None,
) -> Array:
    """Perform a communication on the elements of this process; every process must call it.

    Args:
        comm: virtual processor v holds the elements of processor v of the layouts.
        local: this process's elements in the order of places, shape (2^(bits-n), ...).
        communication: of the elements: from address x to Ax + b, or as a scatter from Ay + b to y.
        before, after: layouts of what is given and of what is returned; the same if `after` is
            left out.

    Returns: the elements of this process afterwards, in the layout `after` and of the type of
        `local`. An address that a gather brings nothing to holds 0.

    Raises:
        CommunicationError: the communication and the layouts have different numbers of bits.
    """
    after = before if after is None else after
    if not communication.n == before.bits == after.bits or before.n != after.n:
        sizes = (communication.n, before.bits, after.bits)
        raise CommunicationError("communication", "must be of as many bits as the layouts", sizes)
    if communication.kind == "scatter":
        return _fetch(comm, local, _Map(communication, after, before))
    return _deliver(comm, local, _Map(communication, before, after))


class _Map:
    """f(z) = Az + b from addresses in one layout to addresses in another."""

    def __init__(self, communication: LCC, start: Layout, end: Layout) -> None:
        # a scatter read backwards is the gather with the same A and b
        self.f = communication.reversed() if communication.kind == "scatter" else communication
        self.start = start
        self.end = end

    @cached_property
    def reached(self) -> Array:
        """Processors that f takes the elements of each processor to; shape (2^n, 2^r).

        Those of processor p are a coset: f(p) plus the span of what the place bits contribute.
        """
        columns = np.asarray(self.f.A.columns, dtype=np.int64)
        span = np.zeros(1, dtype=np.int64)
        for bit in self.start.local_bits:
            step = self.end.processor_of(columns[bit])
            if step not in span:
                span = np.concatenate([span, span ^ step])
        first = np.array([self.start.address(p)[0] for p in range(1 << self.start.n)])
        images = self.end.processor_of(self.f.destination(first))
        return images[:, None] ^ span[None, :]

    def images(self, p: int) -> Array:
        """f of the addresses of a processor's elements, in the order of places."""
        return self.f.destination(self.start.address(p))

    def from_processor(self, p: int) -> list[int]:
        """Processors that f leads to from p, ascending."""
        return sorted(int(q) for q in self.reached[p])

    def to_processor(self, q: int) -> list[int]:
        """Processors from which f leads to q, ascending."""
        return [int(p) for p in np.flatnonzero((self.reached == q).any(axis=1))]

    def parcel(self, p: int, q: int) -> tuple[Array, Array, Array]:
        """What f takes from p to q.

        Returns: the places on p concerned; the different images, as places on q in the order of
            addresses; and for each place on p the index of its image.
        """
        images = self.images(p)
        places = np.flatnonzero(self.end.processor_of(images) == q)
        different, index = np.unique(images[places], return_inverse=True)
        return places, self.end.place_of(different), index


def _deliver(comm: VirtualComm, local: Array, f: _Map) -> Array:
    """A permutation or a gather: values go from p to f(p) and are added up."""
    me = comm.v_get_pid()
    for q in f.from_processor(me):
        places, targets, index = f.parcel(me, q)
        content = np.zeros((len(targets), *local.shape[1:]), dtype=local.dtype)
        np.add.at(content, index, local[places])
        comm.v_send(q, content)
    result = np.zeros_like(local)
    for p in f.to_processor(me):
        _, targets, _ = f.parcel(p, me)
        content = np.empty((len(targets), *local.shape[1:]), dtype=local.dtype)
        result[targets] += comm.v_receive(p, content)
    comm.complete()
    return result


def _fetch(comm: VirtualComm, local: Array, f: _Map) -> Array:
    """A scatter: f leads from who wants a value to who has it."""
    me = comm.v_get_pid()
    for q in f.to_processor(me):
        _, wanted, _ = f.parcel(q, me)
        comm.v_send(q, local[wanted])
    result = np.empty_like(local)
    for p in f.from_processor(me):
        places, wanted, index = f.parcel(me, p)
        content = np.empty((len(wanted), *local.shape[1:]), dtype=local.dtype)
        result[places] = comm.v_receive(p, content)[index]
    comm.complete()
    return result


@typed_arguments
def transposition(matrix: Any, n: int, *, columns: int | None = None) -> Job:
    """Transpose a matrix on 2^n processes.

    Args:
        matrix: shape (2^r, 2^c, ...); an element may be an array, which stays as it is.
        n: 2^n processes, in a grid of 2^columns by 2^(n-columns).
        columns: n/2, rounded down, if left out.

    Returns: a job whose result is the transpose, shape (2^c, 2^r, ...), of the same type; its
        one phase is "transpose".

    Raises:
        InputError: sides that are no powers of two, or shorter than the grid of processors.

    >>> job = transposition(np.arange(16).reshape(4, 4), n=2)
    >>> job.communications["transpose"].pairs().tolist()
    [[0, 0], [1, 2], [2, 1], [3, 3]]
    """
    data = np.ascontiguousarray(checked_shape("matrix", matrix))
    height, width = side_bits(data)
    over_x, over_y = processor_grid(n, columns)
    before = grid(width, height, over_x, over_y)
    after = grid(height, width, over_y, over_x)
    elements = matrix_transpose(width + height, width)
    return redistribution_job("transpose", data, elements, before, after, turned=True)


def redistribution_job(
    phase: str, data: Array, elements: LCC, before: Layout, after: Layout, *, turned: bool
) -> Job:
    """A job of one communication of the elements of an array.

    Args:
        phase: what it does; names the job and its phase.
        data: shape (2^h, 2^w, ...).
        elements: what the elements do.
        before, after: layouts of the elements.
        turned: whether the result is 2^w by 2^h.
    """
    height, width = data.shape[:2]
    rest = data.shape[2:]
    sides = (width, height) if turned else (height, width)
    return Job(
        f"{phase} of {height} x {width} elements",
        data.reshape(height * width, *rest),
        before,
        partial(_move_program, phase=phase, elements=elements, before=before, after=after),
        {phase: processor_communication(elements, before, after, name=phase)},
        after,
        (*sides, *rest),
    )


def _move_program(
    comm: VirtualComm, local: Array, phase: str, elements: LCC, before: Layout, after: Layout
) -> Array:
    with comm.phase(phase):
        return redistribute(comm, local, elements, before, after)
