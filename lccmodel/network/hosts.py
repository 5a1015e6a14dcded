"""Hosts, slot by slot, and the files that make a launcher start ranks there as a mapping says.

Physical processor p is the p-th slot of the list, the slots of a host one after another. Lists
come as resource managers and launchers write them (`reading.hostfiles`).

The program stays as it is: rank v is virtual processor v, and the launcher starts it on physical
processor to_physical[v] [hou, Section 3]:

    hosts a with 2 slots, b with 2     processors 0, 1 are on a, 2, 3 on b
    to_physical = 0, 2, 1, 3           ranks 0, 2 run on a, ranks 1, 3 on b

    launcher     what its file lists                              for the example
    Open MPI     the host and the slot of every rank              rank 1=b slot=0, ...
    Slurm        the host of every rank, in the order of ranks    a, b, a, b
    Hydra        hosts with the number of ranks that follow       a:1, b:1, a:1, b:1
    LSF          the host's number and the CPU of every rank      rank: 1: { host: 2; cpu: {0} }
    Cray MPICH   the rank in every slot, in the order of slots    0,2,1,3
    JAX, PyTorch the device of every rank                         [0, 2, 1, 3]

So all want to_physical, but Cray MPICH the inverse, to_virtual; `placement.launchers` is the table.
A program made by `placement.mapping.spmd` carries the mapping inside and must be started *without*
such a file: both together map twice.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import numpy.typing as npt

from lccmodel.errors import InputError, checked_array
from lccmodel.ground.arrays import Processors, inverse_mapping
from lccmodel.reading.hostlist import Host, ShortNames
from lccmodel.reading.recognise import hosts_of


@dataclass(frozen=True)
class Slot:
    """A physical processor: slot `index` (from 0) of a host."""

    host: str
    index: int


def read_hosts(what: str | os.PathLike[str]) -> tuple[Host, ...]:
    """Return the hosts of a file or of a typed list (`reading.recognise.hosts_of`).

    Raises:
        FileError: the file cannot be read, has no host, or a line is wrong (with its number).
        InputError: no list of hosts.
    """
    if not isinstance(what, (str, os.PathLike)):
        raise InputError("path", "must be the path of a file, or a list of hosts", what)
    return tuple(Host(*host) for host in hosts_of(what).value)


def first_slots(hosts: Sequence[str | Host], slots_per_host: int, needed: int) -> list[Slot]:
    """The first `needed` slots of a host list; a host that is named again goes on.

    Raises:
        InputError: not a sequence of hosts, a bad host, or fewer slots.
    """
    listed = as_hosts(hosts, slots_per_host)
    total = sum(host.slots for host in listed)
    if total < needed:
        rule = f"must have at least {needed} slots together, one for every rank"
        raise InputError("hosts", rule, f"{len(listed)} hosts with {total} slots")
    return list(islice(_all_slots(listed), needed))


def as_hosts(hosts: Sequence[str | Host], slots_per_host: int = 1) -> list[Host]:
    """Return hosts that are given as `Host` values or names.

    Raises:
        InputError: not a sequence of hosts, or a bad host.
    """
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise InputError("hosts", "must be a sequence of hosts", hosts)
    return [host if isinstance(host, Host) else Host(host, slots_per_host) for host in hosts]


def hosts_of_names(names: Sequence[str]) -> tuple[Host, ...]:
    """Return the hosts of a network from the names of its nodes; a host has a node per slot.

    >>> hosts_of_names(["a", "a", "b"])
    (Host(name='a', slots=2), Host(name='b', slots=1))
    """
    return tuple(Host(name, len(list(run))) for name, run in itertools.groupby(names))


def processors_by_name(
    names: Sequence[str], node_of: Processors, hosts: Sequence[Host]
) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Return the place of every rank in a list of hosts that are the nodes of a network by name.

    A network n1, n2 and the list n2:2, n1:2: node 1, which is n2, is processor 0. A short name and
    a full one (n1, n1.cluster.org) are one host if no other name fits.

    Args:
        names: of the nodes; a name that is repeated has several slots.
        node_of: the node of every rank.
        hosts: listed in any order.

    Returns: processors for the functions below, and notes.

    Raises:
        InputError: a listed host that the network does not have, a host with ranks that is not
            listed or has too few slots.

    >>> processors_by_name(["n1", "n2"], [1, 0], [Host("n2", 2), Host("n1.cluster", 2)])
    (array([0, 2]), ("1 short or full name is matched, such as 'n1.cluster' for 'n1'",))
    """
    own = dict.fromkeys(names)
    by_short = ShortNames.of(own)
    first: dict[str, list[int]] = {}  # processors of every node name, slot by slot
    changed: dict[str, str] = {}
    listed, place = {host.name for host in hosts}, 0
    for host in hosts:
        name = host.name
        if name not in own:
            known = by_short.get(name)
            if known is None or known in listed:
                rule = f"must be hosts of the network, such as {next(iter(own))}"
                raise InputError("hosts", rule, host.name)
            name = known
            if changed.setdefault(name, host.name) != host.name:
                raise InputError("hosts", f"must name {name} in one way", host.name)
        first.setdefault(name, []).extend(range(place, place + host.slots))
        place += host.slots
    slot: list[int] = []
    used: dict[str, int] = {}
    for name in names:
        slot.append(used.setdefault(name, 0))
        used[name] += 1
    processors = np.empty(len(node_of), np.int64)
    for rank, node in enumerate(np.asarray(node_of).tolist()):
        name = names[node]
        if name not in first:
            raise InputError("hosts", f"must list {name}, where rank {rank} runs", len(listed))
        if slot[node] >= len(first[name]):
            rule = f"must give {name} at least {slot[node] + 1} slots, for rank {rank}"
            raise InputError("hosts", rule, len(first[name]))
        processors[rank] = first[name][slot[node]]
    if not changed:
        return processors, ()
    name, other = next(iter(changed.items()))
    many = f"{len(changed)} short or full name{' is' if len(changed) == 1 else 's are'}"
    return processors, (f"{many} matched, such as {other!r} for {name!r}",)


def _all_slots(hosts: Sequence[Host]) -> Iterator[Slot]:
    used: dict[str, int] = {}
    for host in hosts:
        first = used.get(host.name, 0)
        used[host.name] = first + host.slots
        yield from (Slot(host.name, index) for index in range(first, first + host.slots))


# -- files that say which rank runs where ----------------------------------------------------------


def open_mpi_rankfile(
    to_physical: Processors, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> str:
    """An Open MPI rankfile: one line `rank v=host slot=s` for every rank.

    Use it as `mpirun --map-by rankfile:file=FILE` (Open MPI 5) or `mpirun --rankfile FILE`, with
    the same host list. Open MPI binds the rank to logical core s of the host.

    Args:
        to_physical: to_physical[v] is the physical processor of virtual processor v; shape (N,),
            all different. Processors may be left idle: 1000 ranks on 1024 slots are an answer.
        hosts: names, with `slots_per_host` slots each, or `Host` values, with a slot for every
            processor named. A host that is named again goes on with its next slots.
        slots_per_host: for the hosts given as names.

    Raises:
        InputError: processors named twice, a bad host, or fewer slots than are named.

    >>> print(open_mpi_rankfile([0, 2, 1, 3], ["a", "b"], slots_per_host=2), end="")
    rank 0=a slot=0
    rank 1=b slot=0
    rank 2=a slot=1
    rank 3=b slot=1
    """
    slots = placement(to_physical, hosts, slots_per_host)
    return "".join(
        f"rank {rank}={slot.host} slot={slot.index}\n" for rank, slot in enumerate(slots)
    )


def slurm_hostfile(
    to_physical: Processors, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> str:
    """A host file for Slurm: line k names the host of rank k.

    Use it as `SLURM_HOSTFILE=FILE srun --distribution=arbitrary --ntasks=N ...`. The file decides
    about hosts only; which processor of its host a rank gets is up to Slurm. That is no loss with
    one slot to a host, or where the network does not tell the processors of a host apart.

    Args and errors: as for `open_mpi_rankfile`.

    >>> slurm_hostfile([0, 2, 1, 3], ["a", "b"], slots_per_host=2).split()
    ['a', 'b', 'a', 'b']
    """
    slots = placement(to_physical, hosts, slots_per_host)
    return "".join(f"{slot.host}\n" for slot in slots)


def hydra_machinefile(
    to_physical: Processors, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> str:
    """A machine file for Hydra (MPICH, Intel MPI): hosts with how many ranks follow there.

    Use it as `mpiexec -f FILE -n N ...` (MPICH) or `mpiexec -machinefile FILE -n N ...` (Intel
    MPI). Ranks fill line after line, so a host that is named again takes later ranks.

    Args and errors: as for `open_mpi_rankfile`.

    >>> hydra_machinefile([0, 1, 2, 3], ["a", "b"], 2).split()
    ['a:2', 'b:2']
    >>> hydra_machinefile([0, 2, 1, 3], ["a", "b"], 2).split()
    ['a:1', 'b:1', 'a:1', 'b:1']
    """
    slots = placement(to_physical, hosts, slots_per_host)
    runs = itertools.groupby(slot.host for slot in slots)
    return "".join(f"{host}:{len(list(run))}\n" for host, run in runs)


def lsf_resource_file(
    to_physical: Processors, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> str:
    """An explicit resource file for LSF's jsrun: the host and the CPU of every rank.

    Use it as `jsrun --erf_input FILE PROGRAM`. Hosts are numbered from 1 as the job has them, so
    list all of them in that order; slot s is logical CPU s, which is a hardware thread.

    Args and errors: as for `open_mpi_rankfile`.

    >>> print(lsf_resource_file([0, 2, 1, 3], ["a", "b"], slots_per_host=2), end="")
    cpu_index_using: logical
    rank: 0: { host: 1; cpu: {0} }
    rank: 1: { host: 2; cpu: {0} }
    rank: 2: { host: 1; cpu: {1} }
    rank: 3: { host: 2; cpu: {1} }
    """
    slots = placement(to_physical, hosts, slots_per_host)
    names = [host.name if isinstance(host, Host) else host for host in hosts]
    number = {name: k for k, name in enumerate(dict.fromkeys(names), start=1)}
    lines = (
        f"rank: {rank}: {{ host: {number[slot.host]}; cpu: {{{slot.index}}} }}\n"
        for rank, slot in enumerate(slots)
    )
    return "cpu_index_using: logical\n" + "".join(lines)


def device_order(
    to_physical: Processors, hosts: Sequence[str | Host] | None = None, slots_per_host: int = 1
) -> str:
    """The device of every rank as a JSON list: for JAX's `Mesh` and PyTorch's `DeviceMesh`.

    Node p of the network is `jax.devices()[p]`, or PyTorch's global rank p; the list, reshaped to
    the axes of the program, is the array of devices that a mesh is made of. Hosts are not named.

    Raises:
        InputError: processors named twice.

    >>> device_order([0, 2, 1, 3])
    '[0, 2, 1, 3]\\n'
    """
    return json.dumps(checked_places(to_physical).tolist()) + "\n"


def cray_rank_order(
    to_physical: Processors, hosts: Sequence[str | Host] | None = None, slots_per_host: int = 1
) -> str:
    """A rank order file for Cray MPICH: the rank in every slot, in the order of the slots.

    Use it as `MPICH_RANK_ORDER` in the working directory (or name it in
    `MPICH_RANK_REORDER_FILE`), with `MPICH_RANK_REORDER_METHOD=3` and a launch that fills host
    after host (`srun --distribution=block`), in the order of the host list.

    Args:
        to_physical: as for `open_mpi_rankfile`, but a permutation of 0..N-1: the launch fills
            slot after slot and leaves none idle.
        hosts: only for the line breaks, one line to a host; one line in all if left out. A host
            must not be named again after another one, as a block launch would not follow.

    Raises:
        InputError: as for `open_mpi_rankfile`, or a host is named again after another one.

    >>> print(cray_rank_order([1, 2, 3, 0], ["a", "b"], slots_per_host=2), end="")
    3,0
    1,2
    """
    to_virtual = inverse_mapping(to_physical)
    lines: dict[str, list[int]] = {}
    previous = ""
    names = _cray_hosts(hosts, slots_per_host, len(to_virtual))
    for name, rank in zip(names, to_virtual, strict=True):
        if name in lines and name != previous:
            raise InputError(
                "hosts", "must name each host once, or its slots one after the other", name
            )
        lines.setdefault(name, []).append(int(rank))
        previous = name
    return "".join(",".join(map(str, line)) + "\n" for line in lines.values())


def _cray_hosts(
    hosts: Sequence[str | Host] | None, slots_per_host: int, needed: int
) -> Iterator[str]:
    if hosts is None:
        return itertools.repeat("", needed)
    return (slot.host for slot in first_slots(hosts, slots_per_host, needed))


def placement(
    to_physical: Processors, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> tuple[Slot, ...]:
    """Return the slot of every rank: entry v is physical processor to_physical[v] of the host list.

    Args and errors: as for `open_mpi_rankfile`.

    >>> placement([1, 0], [Host("a", 2)])
    (Slot(host='a', index=1), Slot(host='a', index=0))
    """
    physical = checked_places(to_physical)
    slots = first_slots(hosts, slots_per_host, int(physical.max()) + 1)
    return tuple(slots[processor] for processor in physical)


def checked_places(places: Processors, argument: str = "to_physical") -> npt.NDArray[np.int64]:
    """The processor of every rank as an int64 array of shape (N,).

    Raises:
        InputError: not N >= 1 different integers from 0.
    """
    rule = "must be different integers from 0, one for every rank, at least one"
    array = checked_array(argument, places, rule)
    if array.ndim != 1 or not array.size:
        raise InputError(argument, rule, places)
    if int(array.min()) < 0 or len(np.unique(array)) != len(array):
        raise InputError(argument, rule, places)
    return array
