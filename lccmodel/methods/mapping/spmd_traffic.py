"""The SPMD node program of any traffic and any placement, as a runnable mpi4py file.

As in `methods.mapping.spmd`, process p of the communicator is node p of the network, and the
program speaks of virtual ranks; to_physical and to_virtual say which one runs where. Messages are
listed, phase by phase; a phase starts when the one before it has ended everywhere. Nodes without
a rank take part in nothing but the barriers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.processors import checked_places
from lccmodel.communication.program import Program
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.methods.mapping.spmd import numbered_list

MAX_LISTED = 1 << 17
"""Most messages that a program lists: a file of some megabytes."""


def spmd_traffic_program(
    program: Any, node_of: Sequence[int] | npt.NDArray[Any] | None = None
) -> str:
    """The text of a Python program in which every rank sends and receives what a program says.

    Args:
        program: anything `Program.of` takes.
        node_of: the node of every rank, shape (ranks,); rank r on node r if left out.

    Returns: the program. Under a launcher it returns 0 if every item arrived, 1 if not, 2 if
        there are fewer processes than nodes that are used.

    Raises:
        CommunicationError: not a program.
        InputError: `node_of` is not one node a rank, all different.
        SizeLimitError: more than 2^17 messages.

    >>> text = spmd_traffic_program([(0, 2), (1, 2)], [3, 0, 1])
    >>> "to_physical = [3, 0, 1]" in text, "size = 4" in text
    (True, True)
    """
    given = Program.of(program)
    places = checked_places(np.arange(given.ranks) if node_of is None else node_of, "node_of")
    if len(places) != given.ranks:
        rule = f"must be one node for each of the {given.ranks} ranks"
        raise InputError("node_of", rule, len(places))
    listed = sum(len(phase.traffic) for phase in given.phases)
    if listed > MAX_LISTED:
        rule = f"a program lists at most {MAX_LISTED:,} messages"
        raise SizeLimitError("messages", rule, listed)
    phases = []
    for k, phase in enumerate(given.phases):
        name = phase.name or f"phase {k}"
        rows = zip(phase.traffic.messages.tolist(), phase.traffic.volumes.tolist(), strict=True)
        sent = "".join(f"        ({s}, {d}, {v!r}),\n" for (s, d), v in rows)
        phases.append(f"    ({name!r}, [\n{sent}    ]),\n")
    return _PROGRAM.format(
        ranks=given.ranks,
        size=int(places.max()) + 1,
        to_physical=numbered_list("to_physical", places.tolist()),
        phases="".join(phases),
    )


_PROGRAM = '''\
"""What {ranks} ranks send, placed on nodes of a network.

Run it with

    mpiexec -n {size} python -m mpi4py FILE

Process p of the communicator is node p. The program speaks of virtual ranks; to_physical says
which node runs each. It returns 0 if every item arrived.
"""

import sys

size = {size}
{to_physical}
to_virtual = {{node: rank for rank, node in enumerate(to_physical)}}

# (name, [(source, destination, volume), ...]) of every phase
phases = [
{phases}]


def item_of(phase, index, volume):
    """What the program sends; put your own data here."""
    return ("r", phase, index, volume)


def run_phase(communicator, phase, messages):
    """Send and receive the messages of a phase; returns items received, and wrong ones."""
    i = to_virtual.get(communicator.Get_rank())
    started, expected = [], {{}}
    for index, (source, destination, volume) in enumerate(messages):
        if source == i:
            item = item_of(phase, index, volume)
            started.append(communicator.isend(item, dest=to_physical[destination], tag=0))
        if destination == i:
            expected.setdefault(source, []).append((index, volume))
    received = wrong = 0
    for source, items in expected.items():
        for index, volume in items:  # one sender's messages arrive in the order it sent them
            item = communicator.recv(source=to_physical[source], tag=0)
            received += 1
            wrong += item != item_of(phase, index, volume)
    for request in started:
        request.wait()
    communicator.barrier()
    return received, wrong


def main():
    from mpi4py import MPI

    communicator = MPI.COMM_WORLD
    if communicator.Get_size() < size:
        if communicator.Get_rank() == 0:
            print(f"needs {{size}} processes, has {{communicator.Get_size()}}", file=sys.stderr)
        return 2
    failed = 0
    for phase, (name, messages) in enumerate(phases):
        received, wrong = run_phase(communicator, phase, messages)
        received, wrong = communicator.allreduce(received), communicator.allreduce(wrong)
        if communicator.Get_rank() == 0:
            print(f"{{name}}: {{received}} items received, {{wrong}} wrong")
        failed |= wrong > 0 or received != len(messages)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
'''
