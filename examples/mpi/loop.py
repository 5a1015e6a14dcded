"""The parallel loop b[i] = r[reverse(i)] on MPI processes, mapped in two ways [hou, Fig. 1(d)].

    mpiexec -n 16 python -m mpi4py examples/mpi/loop.py

Any power of two of processes will do; from 16 on the mapping lowers the degree of contention.

1. The program speaks of virtual processors through `VirtualComm`: two arrays, nothing else.
2. A second communicator is made in which the processes are numbered as virtual processors; the
   program stays as it was and is given this communicator. MPI keeps the arrays.

Either way the messages travel between the same processes. Use one of the two, never both, and
neither together with a rank file.
"""

from __future__ import annotations

import sys

import numpy as np

from lccmodel import Hypercube, catalog
from lccmodel.mpi import VirtualComm
from lccmodel.placement import optimal_reordering


def main() -> int:
    """Run the loop in both ways; returns 1 if an item is wrong."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    n = world.Get_size().bit_length() - 1
    if n < 1 or world.Get_size() != 1 << n:
        print("needs 2, 4, 8, 16, ... processes", file=sys.stderr)
        return 2
    bit_reverse = catalog.bit_reverse(n)
    mapping = optimal_reordering(bit_reverse, Hypercube(n))

    comm = VirtualComm(world, mapping.to_physical)
    i = comm.v_get_pid()
    partner = bit_reverse.destination(i)
    first = comm.exchange(partner, np.array([i]))
    wire = comm.sent[0]

    numbered = world.Split(0, key=int(mapping.to_virtual[world.Get_rank()]))
    i_again = numbered.Get_rank()
    second = np.empty(1, dtype=np.int64)
    numbered.Sendrecv(np.array([i_again]), dest=partner, recvbuf=second, source=partner)

    right = i == i_again and first[0] == second[0] == partner
    wires = world.gather((i, wire.source, wire.destination), root=0)
    if wires is not None:
        for virtual, source, destination in sorted(wires):
            to = bit_reverse.destination(virtual)
            print(f"virtual {virtual:2} -> {to:2}    physical {source:2} -> {destination:2}")
        print(f"degree of contention {mapping.before.degree}, mapped {mapping.after.degree}")
    return 0 if world.allreduce(bool(right), op=MPI.LAND) else 1


if __name__ == "__main__":
    sys.exit(main())
