"""The files that start ranks where an answer puts them: `rankfile` and `spmd` of every answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from lccmodel._arguments import guard_methods
from lccmodel.errors import InputError

if TYPE_CHECKING:
    from lccmodel.communication.program import Program
    from lccmodel.methods.mapping.hosts import Host

__all__ = ["Launched", "Launcher", "node_program"]

Launcher = Literal["openmpi", "slurm", "cray"]
NodeOfRank = Sequence[int] | npt.NDArray[Any]


class Launched(ABC):
    """An answer that says on which node every rank runs."""

    __slots__ = ()

    @property
    @abstractmethod
    def _launched(self) -> tuple[Any, NodeOfRank]:
        """What is sent, as `Program.of` takes it, and the node of every rank."""

    def rankfile(
        self,
        hosts: str | Sequence[str | Host],
        slots_per_host: int = 1,
        launcher: Launcher = "openmpi",
    ) -> str:
        """The file that makes a launcher start every rank on its node.

        Node p of the network is the p-th slot of the host list.

        Args:
            hosts: names or `Host` values, or a list in words such as "node[01-08]:4".
            slots_per_host: for the hosts given as names.
            launcher: whose file.

        Raises:
            InputError: an unknown launcher, a bad host, or too few slots.

        >>> from lccmodel import catalog, place
        >>> from lccmodel.methods import optimal_reordering
        >>> c = catalog.matrix_transpose(4)
        >>> m = optimal_reordering(c, "cube:4")
        >>> print(m.rankfile("a:8,b:8"), end="")  # doctest: +ELLIPSIS
        rank 0=a slot=0
        rank 1=a slot=1
        rank 2=a slot=4
        ...
        >>> m.rankfile("a:8,b:8") == place(c, "cube:4").rankfile("a:8,b:8")
        True
        """
        from lccmodel.methods.mapping import rankfile
        from lccmodel.methods.mapping.hosts import parse_hosts

        writers = {
            "openmpi": rankfile.open_mpi_rankfile,
            "slurm": rankfile.slurm_hostfile,
            "cray": rankfile.cray_rank_order,
        }
        if launcher not in writers:
            raise InputError("launcher", f"must be one of {', '.join(writers)}", launcher)
        listed = parse_hosts(hosts) if isinstance(hosts, str) else hosts
        return writers[launcher](self._launched[1], listed, slots_per_host)

    def spmd(self) -> str:
        """A Python program for MPI in which every rank sends and receives what is mapped.

        Raises:
            SizeLimitError: too many processors or messages.

        >>> from lccmodel import LCC
        >>> from lccmodel.methods import optimal_reordering
        >>> program = optimal_reordering(LCC([[0, 1], [1, 0]]), "cube:2").spmd()
        >>> "to_physical = [0, 1, 2, 3]" in program
        True
        """
        from lccmodel.communication.program import Program

        program, places = self._launched
        return node_program(Program.of(program), places)


guard_methods(Launched)


def node_program(program: Program, node_of: NodeOfRank) -> str:
    """The node program of what is sent; with arithmetic in place of lists where there is a form.

    Raises:
        SizeLimitError: too many processors or messages.
    """
    from lccmodel.methods.mapping.spmd import spmd_program
    from lccmodel.methods.mapping.spmd_traffic import spmd_traffic_program

    lcc = program.phases[0].lcc if len(program) == 1 else None
    if lcc is not None and sorted(node_of) == list(range(lcc.size)):
        return spmd_program(lcc, to_physical=node_of)
    return spmd_traffic_program(program, node_of)
