"""The launchers that start ranks where a placement says: one table, with how each is used.

    launcher           its file lists                                      written by `hosts.`
    openmpi            the host and the slot of every rank                 open_mpi_rankfile
    slurm, pbs, flux   the host of every rank, in the order of ranks       slurm_hostfile
    mpich, intelmpi    hosts with how many of the next ranks run there     hydra_machinefile
    lsf                the host and the CPU of every rank, by number       lsf_resource_file
    cray, pals         the rank in every slot, in the order of slots       cray_rank_order
    jax, pytorch       the device of every rank, a list in JSON            device_order

The Hydra of MPICH 5.0 and of Intel MPI 2021.19 take hosts that come again as they stand (tried).

Hosts are matched with the nodes of a network by name if the network has names, in whatever order
they are listed (`hosts.processors_by_name`); by position only if it has none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import TYPE_CHECKING, Literal

from lccmodel.errors import InputError
from lccmodel.ground.words import checked_word

if TYPE_CHECKING:
    from lccmodel.ground.arrays import Processors
    from lccmodel.network import Network
    from lccmodel.reading.hostlist import Host

Launcher = Literal[
    "openmpi", "slurm", "cray", "pals", "pbs", "lsf", "flux", "mpich", "intelmpi", "jax", "pytorch"
]


@dataclass(frozen=True)
class Launch:
    """How a launcher is told where ranks run.

    Attributes:
        writer: the function of `network.hosts` that writes its file.
        command: how the file is used: {file} is its path, {size} the number of ranks, {hosts} the
            options that name the hosts with their slots, {each} the slots of every host.
        hosts: whether it names hosts, so that a list of them is needed.
        python: whether the command is Python, where a path is a string and not a shell's word.
    """

    writer: str
    command: str
    hosts: bool = True
    python: bool = False


LAUNCHERS: dict[Launcher, Launch] = {
    "openmpi": Launch(
        "open_mpi_rankfile",
        "mpirun {hosts} --map-by rankfile:file={file} -n {size} PROGRAM "
        "(Open MPI 4: mpirun {hosts} --rankfile {file} ...)",
    ),
    "slurm": Launch(
        "slurm_hostfile",
        "SLURM_HOSTFILE={file} srun --distribution=arbitrary --ntasks={size} PROGRAM",
    ),
    "cray": Launch(
        "cray_rank_order",
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={file} "
        "srun --distribution=block --ntasks={size} PROGRAM",
        hosts=False,
    ),
    "pals": Launch(
        "cray_rank_order",
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={file} "
        "mpiexec -n {size} --ppn {each} PROGRAM",
        hosts=False,
    ),
    "pbs": Launch("slurm_hostfile", "PBS_NODEFILE={file} mpiexec -n {size} PROGRAM"),
    "lsf": Launch("lsf_resource_file", "jsrun --erf_input {file} PROGRAM"),
    "flux": Launch("slurm_hostfile", "flux run --taskmap=hostfile:{file} -n {size} PROGRAM"),
    "mpich": Launch("hydra_machinefile", "mpiexec -f {file} -n {size} PROGRAM"),
    "intelmpi": Launch(
        "hydra_machinefile",
        "I_MPI_JOB_RESPECT_PROCESS_PLACEMENT=off mpiexec -machinefile {file} -n {size} PROGRAM",
    ),
    "jax": Launch(
        "device_order",
        "Mesh(np.array(jax.devices())[json.load(open({file}))].reshape(...), names)",
        hosts=False,
        python=True,
    ),
    "pytorch": Launch(
        "device_order",
        "DeviceMesh('cuda', torch.tensor(json.load(open({file}))).reshape(...))",
        hosts=False,
        python=True,
    ),
}
"""Every launcher by its word."""


_MANY_HOSTS = 8
"""Hosts that a command names itself; more of them go into a host file."""


def _present_ranks(network: Network, node_of: Processors, now_nodes: Processors) -> list[int]:
    """Return, for every rank, the present rank of the node where it is to be.

    Raises:
        InputError: no rank is on such a node now.
    """
    rank_at = {int(node): rank for rank, node in enumerate(now_nodes)}
    for node in node_of:
        if int(node) not in rank_at:
            rule = "must use the nodes of the present run alone; no rank is now on"
            raise InputError("--now", rule, network.name(int(node)))
    return [rank_at[int(node)] for node in node_of]


def require_hosts(
    network: Network, launcher: Launcher, hosts: Sequence[str | Host] | None = None
) -> None:
    """Refuse nodes without names where the launcher's file lists hosts and none are stated.

    Raises:
        InputError: hosts are needed.

    >>> from lccmodel.network import parse_network
    >>> require_hosts(parse_network("mesh:2"), "slurm")
    Traceback (most recent call last):
    lccmodel.errors.InputError: hosts: is required: the network's nodes have no names; got None
    """
    if LAUNCHERS[launcher].hosts and not network.names and (hosts is None or not len(hosts)):
        raise InputError("hosts", "is required: the network's nodes have no names", hosts)


@dataclass(frozen=True)
class RankFile:
    """The content of a rank file, its launcher and hosts, and the sentences on which it rests."""

    content: str
    notes: tuple[str, ...] = ()
    launcher: Launcher = "openmpi"
    ranks: int = 0
    hosts: tuple[Host, ...] = ()

    def command(self, file: str | os.PathLike[str], hostfile: str = "") -> str:
        """Return the command that uses this file; paths are quoted for the shell.

        Args:
            file: where the content was written.
            hostfile: the file that the hosts were read from, if Open MPI reads its format.

        >>> order = RankFile("0,1\\n", (), "cray", 2)
        >>> order.command("my order").split(" srun")[0]
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE='my order'"
        """
        launch = LAUNCHERS[self.launcher]
        slots: dict[str, int] = {}
        for host in self.hosts:
            slots[host.name] = slots.get(host.name, 0) + host.slots
        hosts = f"--hostfile {quote(hostfile or 'HOSTS')}"
        if not hostfile and 0 < len(slots) <= _MANY_HOSTS:
            hosts = "--host " + ",".join(f"{name}:{count}" for name, count in slots.items())
        slot_counts = set(slots.values())
        text = launch.command.format(
            file=repr(os.fspath(file)) if launch.python else "\0",
            size=self.ranks,
            hosts=hosts,
            each=slot_counts.pop() if len(slot_counts) == 1 else "SLOTS",
        )
        words = [word.replace("\0", os.fspath(file)) for word in text.split(" ")]
        marked = ["\0" in word for word in text.split(" ")]
        pairs = zip(words, marked, strict=True)
        text = " ".join(_quoted(word) if has_path else word for word, has_path in pairs)
        if "HOSTS" in text and len(slots) > _MANY_HOSTS:
            text += "; HOSTS has a line `name slots=K` for every host, or leave --hostfile out in "
            text += "a job that gives mpirun its hosts"
        return text


def _quoted(word: str) -> str:
    """Return a word of a command, quoted if the shell needs it; a variable keeps its name bare."""
    name, equals, value = word.partition("=")
    if equals and name.isupper():
        return f"{name}={quote(value)}"
    return quote(word)


def rank_file(
    network: Network,
    node_of: Processors,
    hosts: Sequence[str | Host] | None = None,
    launcher: Launcher = "openmpi",
    slots_per_host: int = 1,
    now_nodes: Processors | None = None,
) -> RankFile:
    """Return the file that makes a launcher start every rank on its node.

    Args:
        network: where the ranks run.
        node_of: the node of every rank.
        hosts: names or `Host` values; default: those of the network. As many hosts with one slot
            as a network such as torus:4x4*4 has nodes get its slots.
        launcher: one of `LAUNCHERS`.
        slots_per_host: for the hosts given as names.
        now_nodes: the present node of every rank, if it is known. JAX and PyTorch number the
            devices as they run now, so that their list then has the present ranks.

    Raises:
        InputError: an unknown launcher, no hosts, too few slots; a host that the network does not
            have, or one that the list lacks.

    >>> from lccmodel.network import Allocation, Mesh
    >>> line = Allocation(Mesh((2,)), [0, 1], ["a", "b"])
    >>> rank_file(line, [1, 0], ["b", "a"], "slurm").content.split()
    ['b', 'a']
    """
    from lccmodel.network import hosts as rank_files

    checked_word("launcher", launcher, LAUNCHERS)
    launch, names = LAUNCHERS[launcher], network.names
    write = getattr(rank_files, launch.writer)
    if launch.python and now_nodes is not None:
        devices = _present_ranks(network, node_of, now_nodes)
        note = "the list has the ranks of the present run: start it as it was started"
        return RankFile(write(devices), (note,), launcher, len(node_of))
    require_hosts(network, launcher, hosts)
    if hosts is None:
        own = rank_files.hosts_of_names(names) if names else ()
        if launch.hosts:
            return RankFile(write(node_of, own), (), launcher, len(node_of), own)
        order = [name for name, _ in network.host_slots]
        listing = ", ".join(order if len(order) <= 4 else [*order[:3], "...", order[-1]])
        note = f"The launch must fill the hosts in this order: {listing} (or pass --hosts)"
        remarks = (note,) * bool(names)
        return RankFile(write(node_of, None), remarks, launcher, len(node_of), own)
    slots = rank_files.as_hosts(hosts, slots_per_host)
    if not names:
        note = f"{network.spec} has no names: hosts are taken by position, slot after slot"
        per_node = network.geometry.slots(network.size) if "*" in network.spec else 1
        if (
            per_node > 1
            and len(slots) * per_node == network.size
            and {host.slots for host in slots} == {1}
        ):
            slots = [type(host)(host.name, per_node) for host in slots]
            note += f"; every host has {per_node} slots, as a node of {network.spec}"
        return RankFile(write(node_of, slots), (note,), launcher, len(node_of), tuple(slots))
    processors, notes = rank_files.processors_by_name(names, node_of, slots)
    return RankFile(write(processors, slots), notes, launcher, len(node_of), tuple(slots))
