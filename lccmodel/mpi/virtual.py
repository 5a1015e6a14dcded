"""Send and receive by the numbers of virtual processors [hou, Section 3, Fig. 1(d)].

A program with a mapping differs from one without it in three calls, each an array look-up:

    v_get_pid()              to_virtual[rank]
    v_send(v, data)          send(to_physical[v], data)
    v_receive(v, data)       receive(to_physical[v], data)

Rank p of the communicator is physical processor p. `VirtualComm` works on any mpi4py communicator
and on the threads of `lccmodel.mpi.local`. It keeps a record of every message in the numbers of
physical processors: the sender notes where it sends to, the receiver whom MPI names as the source.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np

from lccmodel.errors import InputError, NodeError
from lccmodel.ground.arrays import Array, checked_mapping, inverse_mapping

_TAG = 0


class Communicator(Protocol):
    """The methods of an mpi4py communicator that are used here."""

    def Get_rank(self) -> int:
        """Number of this process."""

    def Get_size(self) -> int:
        """Number of processes."""

    def Isend(self, buf: Array, dest: int, tag: int) -> Any:
        """Start to send bytes."""

    def Recv(self, buf: Array, source: int, tag: int, status: Any) -> Any:
        """Receive bytes."""

    def scatter(self, sendobj: Any, root: int) -> Any:
        """Deal out the items of a list."""

    def gather(self, sendobj: Any, root: int) -> Any:
        """Collect an item from every process."""


class SentMessage(NamedTuple):
    """A message between physical processors; `phase` is the step of the program it belongs to.

    >>> SentMessage("transpose", source=0, destination=3, size=1024)
    SentMessage(phase='transpose', source=0, destination=3, size=1024)
    """

    phase: str
    source: int
    destination: int
    size: int
    """bytes"""


class VirtualComm:
    """A communicator that is spoken to in the numbers of virtual processors.

    Args:
        communicator: rank p is physical processor p.
        to_physical: to_physical[v] is the physical processor of virtual processor v, a
            permutation of 0..N-1, shape (N,); no mapping if left out.

    Attributes: `sent` and `received`, the messages so far as a list of `SentMessage`; `seconds`,
    the time this process spent in each phase.

    Raises:
        InputError: not a permutation, or not of as many processors as the communicator has.

    >>> from lccmodel.mpi.local import ThreadComm, World
    >>> comm = VirtualComm(ThreadComm(World(2, timeout=60.0), 0), [1, 0])
    >>> comm.size, comm.to_virtual
    (2, [1, 0])
    """

    def __init__(
        self, communicator: Communicator, to_physical: Sequence[int] | Array | None = None
    ) -> None:
        size = communicator.Get_size()
        physical = np.arange(size) if to_physical is None else checked_mapping(to_physical)
        if len(physical) != size:
            raise InputError(
                "to_physical", f"must have an entry for each of {size} ranks", physical
            )
        self.communicator = communicator
        self.size = size
        self.to_physical = [int(p) for p in physical]
        self.to_virtual = [int(v) for v in inverse_mapping(physical)]
        self.sent: list[SentMessage] = []
        self.received: list[SentMessage] = []
        self.seconds: dict[str, float] = {}
        self._rank = communicator.Get_rank()
        self._phase = ""
        self._started: list[tuple[Any, Array]] = []

    def v_get_pid(self) -> int:
        """Return the virtual processor that this process is."""
        return self.to_virtual[self._rank]

    def v_send(self, v: int, data: Array) -> None:
        """Start to send an array to virtual processor v, itself included.

        The array is copied, so it may be changed at once; `complete` waits until all is sent.

        Raises:
            NodeError: there is no processor v.
        """
        destination = self._physical(v)
        content = np.frombuffer(data.tobytes(), dtype=np.uint8)
        self.sent.append(SentMessage(self._phase, self._rank, destination, content.nbytes))
        request = self.communicator.Isend(content, dest=destination, tag=_TAG)
        self._started.append((request, content))  # MPI reads the bytes until the request is done

    def v_receive(self, v: int, data: Array) -> Array:
        """Return an array, filled with what virtual processor v sends to this one.

        Raises:
            NodeError: there is no processor v.
            InputError: the array is not contiguous.
        """
        if not data.flags.c_contiguous:
            raise InputError("data", "must be a contiguous array, to be received into", data.shape)
        content = data.reshape(-1).view(np.uint8)
        status = _module_of(self.communicator).Status()
        self.communicator.Recv(content, source=self._physical(v), tag=_TAG, status=status)
        message = SentMessage(self._phase, status.Get_source(), self._rank, content.nbytes)
        self.received.append(message)
        return data

    def complete(self) -> None:
        """Wait until every message that was started is sent."""
        while self._started:
            request, _ = self._started.pop()
            request.Wait()

    def exchange(self, v: int, data: Array) -> Array:
        """Send an array to v and receive one of the same shape and type from it."""
        self.v_send(v, data)
        other = self.v_receive(v, np.empty(data.shape, data.dtype))
        self.complete()
        return other

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Name the messages of a step of the program, complete them, and measure the time."""
        before, self._phase = self._phase, name
        start = time.perf_counter()
        try:
            yield
            self.complete()
        finally:
            self._phase = before
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start

    def _physical(self, v: int) -> int:
        if not 0 <= v < self.size:
            raise NodeError("v", f"must be a virtual processor, 0..{self.size - 1}", v)
        return self.to_physical[v]


def _module_of(communicator: Communicator) -> Any:
    """Where `Status` is defined beside the communicator: mpi4py.MPI, or the module of threads."""
    return sys.modules[type(communicator).__module__]
