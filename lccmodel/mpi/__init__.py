"""Programs of mapped communications on real MPI: FFTs, transposition, pictures, exchange.

    from lccmodel.mpi import launch, distributed_fft

    task = distributed_fft(points, n=4)                          # 16 processes, 2^(4+2d) points
    mapping = lcc.optimal_reordering(list(task.communications.values()), lcc.Hypercube(4))
    outcome = launch.run([task.mapped(mapping)])[0]           # starts mpirun
    outcome.values, outcome.pairs("bit reversal")             # numpy.fft.fft, and who sent to whom

A `Task` is data, how it is distributed and a node program; the same task runs under mpirun
(`launch.run`), under any launcher that has already started the processes (`task.execute`), and
without MPI on threads (`local.run`). mpi4py is imported by the processes only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lccmodel._lazy import lazy_names

if TYPE_CHECKING:
    from lccmodel.mpi import launch as launch
    from lccmodel.mpi import local as local
    from lccmodel.mpi.fft import distributed_fft as distributed_fft
    from lccmodel.mpi.fft import distributed_fft2 as distributed_fft2
    from lccmodel.mpi.images import image_operation as image_operation
    from lccmodel.mpi.layout import Layout as Layout
    from lccmodel.mpi.pipelined import pipelined_exchange as pipelined_exchange
    from lccmodel.mpi.pipelined import pipelined_fft as pipelined_fft
    from lccmodel.mpi.task import Outcome as Outcome
    from lccmodel.mpi.task import Task as Task
    from lccmodel.mpi.task import execute as execute
    from lccmodel.mpi.transpose import transposition as transposition
    from lccmodel.mpi.virtual import Message as Message
    from lccmodel.mpi.virtual import VirtualComm as VirtualComm

_HOME = {
    "Layout": "lccmodel.mpi.layout",
    "Message": "lccmodel.mpi.virtual",
    "Outcome": "lccmodel.mpi.task",
    "Task": "lccmodel.mpi.task",
    "VirtualComm": "lccmodel.mpi.virtual",
    "execute": "lccmodel.mpi.task",
    "image_operation": "lccmodel.mpi.images",
    "distributed_fft": "lccmodel.mpi.fft",
    "distributed_fft2": "lccmodel.mpi.fft",
    "pipelined_exchange": "lccmodel.mpi.pipelined",
    "pipelined_fft": "lccmodel.mpi.pipelined",
    "transposition": "lccmodel.mpi.transpose",
}

_MODULES = {"launch": "lccmodel.mpi.launch", "local": "lccmodel.mpi.local"}

__all__ = [*_HOME, *_MODULES]


__getattr__, __dir__ = lazy_names(__name__, _HOME, _MODULES)
