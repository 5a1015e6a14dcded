"""A program for 2^n processes: its data, how they are spread, and what every process does.

A `Job` is a value that can be sent to other processes. The process of rank 0 has the data, deals
them out, and collects the result and everybody's record of messages; in between every process runs
the node program, which speaks of virtual processors only. With a mapping nothing changes but the
array to_physical.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.lcc import LCC
from lccmodel.errors import InputError
from lccmodel.ground.arguments import typed_arguments
from lccmodel.ground.arrays import Array, Processors, checked_mapping
from lccmodel.ground.words import word_rule
from lccmodel.mpi.layout import Layout
from lccmodel.mpi.virtual import Communicator, SentMessage, VirtualComm

if TYPE_CHECKING:
    from lccmodel.placement.placement_result import Placement

NodeProgram = Callable[[VirtualComm, Array], Array]


@typed_arguments
@dataclass(frozen=True, eq=False)
class Job:
    """A program and its data.

    Attributes:
        name: for reports.
        data: the elements in the order of addresses, shape (2^bits, ...).
        layout: how the elements are spread over the processes.
        program: what every process does with its elements; called as program(comm, local), with
            local of shape (2^(bits-n), ...), and returns as many. It must be a function of an
            importable module, or a `functools.partial` of one.
        communications: what virtual processors send in each phase, where that is known; this is
            what a mapping is chosen for.
        result_layout: how the result is spread; as `layout` if left out.
        shape: of the result; (2^bits, ...) if left out.
        to_physical: the mapping, int64 of shape (2^n,); None without one.

    Raises:
        InputError: the data are not 2^bits elements.

    >>> import numpy as np
    >>> from lccmodel.mpi import transposition
    >>> job = transposition(np.arange(16).reshape(4, 4), 2)
    >>> job.name, job.ranks, job.shape
    ('transpose of 4 x 4 elements', 4, (4, 4))
    """

    name: str
    data: Array
    layout: Layout
    program: NodeProgram
    communications: Mapping[str, LCC] = field(default_factory=dict)
    result_layout: Layout | None = None
    shape: tuple[int, ...] | None = None
    to_physical: npt.NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        if self.data.shape[:1] != (1 << self.layout.bits,):
            rule = f"must be 2^{self.layout.bits} elements"
            raise InputError("data", rule, self.data.shape)

    @property
    def n(self) -> int:
        """The job needs 2^n processes."""
        return self.layout.n

    @property
    def ranks(self) -> int:
        """Number of processes: 2^n."""
        return 1 << self.layout.n

    def mapped(self, mapping: Placement | Processors | None) -> Job:
        """Return the same job with a mapping.

        Args:
            mapping: a `Placement` such as `optimal_reordering` returns, an array to_physical of
                shape (2^n,), or None for no mapping.

        Raises:
            InputError: not a permutation of 0..2^n - 1.
        """
        if mapping is None:
            return replace(self, to_physical=None)
        from lccmodel.placement.placement_result import Placement

        processors = mapping.to_physical if isinstance(mapping, Placement) else mapping
        physical = checked_mapping(processors)
        if len(physical) != self.ranks:
            rule = f"must be a mapping of {self.ranks} processors"
            raise InputError("mapping", rule, f"{len(physical)} processors")
        return replace(self, to_physical=physical)


@dataclass(frozen=True, eq=False)
class JobOutcome:
    """What a job computed, and what travelled.

    Attributes:
        name: of the job.
        values: the result, of the job's shape.
        sent: every message, as its sender noted it, between physical processors; sorted.
        received: every message, with the source that MPI named to the receiver; sorted.
        seconds: for each phase the longest time that a process spent in it, waiting included.

    >>> import numpy as np
    >>> from lccmodel.mpi import transposition
    >>> from lccmodel.mpi.local import run
    >>> outcome = run([transposition(np.arange(16).reshape(4, 4), 2)])[0]
    >>> outcome.values.tolist()[0], len(outcome.sent)
    ([0, 4, 8, 12], 4)
    """

    name: str
    values: Array
    sent: tuple[SentMessage, ...]
    received: tuple[SentMessage, ...]
    seconds: Mapping[str, float]

    @property
    def phases(self) -> tuple[str, ...]:
        """The phases in which there were messages, in the order of the program."""
        used = {message.phase for message in self.sent}
        return tuple(phase for phase in self.seconds if phase in used)

    def pairs(self, phase: str) -> list[tuple[int, int]]:
        """Return (source, destination) of every message of a phase, physical, sorted.

        Raises:
            InputError: there is no such phase with messages.
        """
        ends = [(m.source, m.destination) for m in self.sent if m.phase == phase]
        if not ends:
            raise InputError("phase", word_rule(phase, self.phases), phase)
        return sorted(ends)


def execute(job: Job, communicator: Communicator) -> JobOutcome | None:
    """Run a job as one of 2^n processes; every process of the communicator must call it.

    Args:
        job: the same in every process; only rank 0 reads `job.data`.
        communicator: an mpi4py communicator of 2^n processes, such as MPI.COMM_WORLD.

    Returns: the outcome in the process of rank 0, None in the others.

    Raises:
        InputError: the communicator has not 2^n processes.

    >>> import numpy as np
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from lccmodel.mpi import transposition
    >>> from lccmodel.mpi.local import ThreadComm, World
    >>> job, world = transposition(np.arange(16).reshape(4, 4), 2), World(4, timeout=60.0)
    >>> with ThreadPoolExecutor(4) as pool:
    ...     outcomes = list(pool.map(lambda rank: execute(job, ThreadComm(world, rank)), range(4)))
    >>> outcomes[0].values.tolist()[0], outcomes[1:]
    ([0, 4, 8, 12], [None, None, None])
    """
    if communicator.Get_size() != job.ranks:
        raise InputError("job", f"must run on {job.ranks} processes", communicator.Get_size())
    comm = VirtualComm(communicator, job.to_physical)
    root = communicator.Get_rank() == 0
    pieces = None
    if root:  # rank p gets the elements of the virtual processor that it is
        spread = job.layout.distribute(job.data)
        pieces = [spread[v] for v in comm.to_virtual]
    local = communicator.scatter(pieces, root=0)
    result = job.program(comm, local)
    comm.complete()
    record = (result, comm.sent, comm.received, comm.seconds)
    records = communicator.gather(record, root=0)
    return _outcome(job, comm, records) if root else None


def _outcome(job: Job, comm: VirtualComm, records: Sequence[Any]) -> JobOutcome:
    layout = job.layout if job.result_layout is None else job.result_layout
    results = [records[p][0] for p in comm.to_physical]
    values = layout.collect(results)
    seconds = {
        phase: max(record[3].get(phase, 0.0) for record in records) for phase in records[0][3]
    }
    return JobOutcome(
        name=job.name,
        values=values if job.shape is None else values.reshape(job.shape),
        sent=tuple(sorted(message for record in records for message in record[1])),
        received=tuple(sorted(message for record in records for message in record[2])),
        seconds=seconds,
    )
