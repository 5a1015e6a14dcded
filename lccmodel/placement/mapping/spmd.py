"""The SPMD node program of a mapped communication, as a runnable mpi4py file [hou, Fig. 1(d)].

A parallel loop such as b[i] = r[reverse(i)] becomes a program that every processor runs. It
speaks of virtual processors only; two arrays, to_virtual and to_physical, are all that the
mapping adds:

    i = v_rank()                      to_virtual[rank]
    v_send(reverse(i), r_local)       send(to_physical[reverse(i)], r_local)
    b_local = v_receive(reverse(i))   receive(to_physical[reverse(i)])

Rank p of the communicator is physical processor p. The generated file sends one item for every
message of the communication and fails if a processor does not get what it should. It imports
mpi4py only in `main`, so that it can be run with any object that has the few methods of a
communicator that it uses. Start it with the launcher's own order of ranks; a rank file of
`network.hosts` is the other way to apply a mapping, for a program without arrays.

For any traffic and any placement (`spmd_traffic_program`) messages are listed, phase by phase; a
phase starts when the one before it has ended everywhere. Nodes without a rank take part in nothing
but the barriers.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.communication.destinations import linear_of
from lccmodel.communication.lcc import LCC, require_lcc
from lccmodel.communication.program import Program
from lccmodel.errors import InputError, SizeLimitError
from lccmodel.ground.arrays import (
    Processors,
    checked_mapping,
    inverse_mapping,
)
from lccmodel.network.hosts import checked_places

_MAX_DIMENSION = 20
"""Largest n: every process keeps tables of 2^n entries."""

_WIDTH = 96


def spmd_program(
    communication: LCC,
    to_virtual: Processors | None = None,
    to_physical: Processors | None = None,
    *,
    listed: int = 1024,
) -> str:
    """The text of a Python program for 2^n MPI processes that performs a communication.

    Args:
        communication: a permutation, gather or scatter.
        to_virtual: to_virtual[p] is the virtual processor on physical processor p, shape (2^n,);
            computed from `to_physical` if left out; without both there is no mapping.
        to_physical: the inverse of `to_virtual`, computed from it if left out.
        listed: up to so many processors the arrays are written out; beyond, a linear mapping
            x' = Qx is computed by the program from the columns of Q.

    Returns: the program. `python FILE` under a launcher returns 0 if every item arrived, 1 if
        not, 2 if the number of processes is not 2^n.

    Raises:
        CommunicationError: `communication` is not an LCC.
        InputError: the arrays are not permutations of 0..2^n - 1, or not inverse to each other.
        SizeLimitError: n > 20.

    >>> program = spmd_program(LCC([[0, 1], [1, 0]]), to_physical=[0, 2, 1, 3])
    >>> "to_physical = [0, 2, 1, 3]" in program
    True
    """
    require_lcc(communication)
    if communication.n > _MAX_DIMENSION:
        rule = f"at most {_MAX_DIMENSION}: every process keeps tables of 2^n entries"
        raise SizeLimitError("n", rule, communication.n)
    virtual, physical = _both(communication.size, to_virtual, to_physical)
    return _PROGRAM.format(
        title=_title(communication),
        equation=_equations(communication),
        size=communication.size,
        kind=communication.kind,
        n=communication.n,
        columns=numbered_list("columns", [int(column) for column in communication.A.columns]),
        b=int(communication.b),
        arrays=_arrays(virtual, physical, listed),
    )


def _both(
    size: int, to_virtual: Processors | None, to_physical: Processors | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Both arrays, checked against each other."""
    for name, array in (("to_virtual", to_virtual), ("to_physical", to_physical)):
        if array is not None and checked_mapping(array, name).shape != (size,):
            raise InputError(name, f"must have one entry for each of {size} processors", array)
    if to_physical is not None:
        physical = checked_mapping(to_physical, "to_physical")
    elif to_virtual is not None:
        physical = inverse_mapping(to_virtual, "to_virtual")
    else:
        physical = np.arange(size)
    virtual = inverse_mapping(physical)
    if to_virtual is not None and not np.array_equal(virtual, to_virtual):
        raise InputError("to_virtual", "must be the inverse of to_physical", to_virtual)
    return virtual, physical


def _arrays(virtual: npt.NDArray[np.int64], physical: npt.NDArray[np.int64], listed: int) -> str:
    """Assignments of the two arrays, written out or computed from Q."""
    linear = linear_of(physical) if len(physical) > listed else None
    if linear is None or int(linear.b):
        return "\n".join(
            numbered_list(name, array.tolist())
            for name, array in (("to_virtual", virtual), ("to_physical", physical))
        )
    return "\n".join(
        (
            "# the mapping is x' = Qx; bit i of column j is Q[i][j]",
            numbered_list("Q_columns", list(linear.A.columns)),
            numbered_list("Q_inverse_columns", list(linear.A.inverse().columns)),
            "to_virtual = affine_table(Q_inverse_columns, 0)",
            "to_physical = affine_table(Q_columns, 0)",
        )
    )


def _title(communication: LCC) -> str:
    name = " ".join(communication.name.split()).replace("\\", "/").replace('"', "'")
    what = f"{name} ({communication.kind})" if name else f"Linear-complement {communication.kind}"
    return f"{what} on {communication.size} processors."


def _equations(communication: LCC) -> str:
    """One line for every bit, as in y0 = x1 + x2 + 1."""
    left, right = ("x", "y") if communication.kind == "scatter" else ("y", "x")
    lines = []
    for i, row in enumerate(communication.A):
        terms = [f"{right}{j}" for j, entry in enumerate(row) if entry]
        terms += ["1"] if communication.b[i] else []
        lines.append(f"{left}{i} = {' + '.join(terms) or '0'}")
    return textwrap.indent("\n".join(lines), "    ")


def numbered_list(name: str, values: Sequence[int]) -> str:
    """`name = [...]`, wrapped to lines of readable length."""
    text = ", ".join(map(str, values))
    if len(name) + len(text) + 5 <= _WIDTH:
        return f"{name} = [{text}]"
    body = textwrap.fill(text + ",", _WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"{name} = [\n{body}\n]"


_PROGRAM = '''\
"""{title}

Source x and destination y of every message, as bits over GF(2):

{equation}

Run it with

    mpiexec -n {size} python -m mpi4py FILE

Rank p of the communicator is physical processor p. The program speaks of virtual processors;
to_virtual and to_physical say which one runs where. It returns 0 if every item arrived.
"""

import sys


def affine_table(columns, start):
    """A x + start for all x, where bit i of column j is A[i][j]."""
    table = [start]
    for column in columns:
        table += [value ^ column for value in table]
    return table


kind = "{kind}"
n = {n}
{columns}
b = {b}
{arrays}

# A x + b for every x: where x sends to or, for a scatter, where x receives from
image = affine_table(columns, b)


def v_rank(communicator):
    """The virtual processor that this process is."""
    return to_virtual[communicator.Get_rank()]


def v_send(communicator, v, item):
    """Start to send an item to virtual processor v; wait() for what is returned."""
    return communicator.isend(item, dest=to_physical[v], tag=0)


def v_receive(communicator, v):
    """The item that virtual processor v sends to this one."""
    return communicator.recv(source=to_physical[v], tag=0)


def partners(i):
    """The virtual processors that i sends to, and those that it receives from."""
    preimage = [x for x, y in enumerate(image) if y == i]
    if kind == "scatter":
        return preimage, [image[i]]
    return [image[i]], preimage


def item_of(source, destination):
    """What the program sends; put your own data here."""
    return ("r", source, destination)


def run(communicator):
    """Send and receive; returns the number of items received, and of wrong ones among them."""
    i = v_rank(communicator)
    destinations, sources = partners(i)
    started = [v_send(communicator, v, item_of(i, v)) for v in destinations]
    received = [v_receive(communicator, v) for v in sources]
    for request in started:
        request.wait()
    wrong = sum(item != item_of(v, i) for v, item in zip(sources, received))
    return len(received), wrong


def main():
    from mpi4py import MPI

    communicator = MPI.COMM_WORLD
    if communicator.Get_size() != 1 << n:
        if communicator.Get_rank() == 0:
            print(f"needs {{1 << n}} processes, has {{communicator.Get_size()}}", file=sys.stderr)
        return 2
    received, wrong = run(communicator)
    received, wrong = communicator.allreduce(received), communicator.allreduce(wrong)
    if communicator.Get_rank() == 0:
        print(f"{kind}: {{received}} items received on {{1 << n}} processors, {{wrong}} wrong")
    return 1 if wrong or received != 1 << n else 0


if __name__ == "__main__":
    sys.exit(main())
'''


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
    whole = Program.of(program)
    places = checked_places(np.arange(whole.ranks) if node_of is None else node_of, "node_of")
    if len(places) != whole.ranks:
        rule = f"must be one node for each of the {whole.ranks} ranks"
        raise InputError("node_of", rule, len(places))
    listed = sum(len(phase.traffic) for phase in whole.phases)
    if listed > MAX_LISTED:
        rule = f"a program lists at most {MAX_LISTED:,} messages"
        raise SizeLimitError("messages", rule, listed)
    phases = []
    for k, phase in enumerate(whole.phases):
        name = phase.name or f"phase {k}"
        rows = zip(phase.traffic.messages.tolist(), phase.traffic.volumes.tolist(), strict=True)
        sent = "".join(f"        ({s}, {d}, {v!r}),\n" for (s, d), v in rows)
        phases.append(f"    ({name!r}, [\n{sent}    ]),\n")
    return _TRAFFIC_PROGRAM.format(
        ranks=whole.ranks,
        size=int(places.max()) + 1,
        to_physical=numbered_list("to_physical", places.tolist()),
        phases="".join(phases),
    )


_TRAFFIC_PROGRAM = '''\
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
