"""Files that make an MPI launcher place its ranks as a processor mapping says.

The program stays as it is: rank v is virtual processor v, and the launcher starts it on physical
processor to_physical[v] [hou, Section 3]. Physical processor p is the p-th slot of a host list,
the slots of a host one after another:

    hosts a with 2 slots, b with 2     processors 0, 1 are on a, 2, 3 on b
    to_physical = 0, 2, 1, 3           ranks 0, 2 run on a, ranks 1, 3 on b

    launcher     what its file lists                              for the example
    Open MPI     the host and the slot of every rank              rank 1=b slot=0, ...
    Slurm        the host of every rank, in the order of ranks    a, b, a, b
    Cray MPICH   the rank in every slot, in the order of slots    0,2,1,3

So Open MPI and Slurm want to_physical, and Cray MPICH the inverse, to_virtual. A program made by
`methods.mapping.spmd` carries the mapping inside and must be started *without* such a file:
both together map twice.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lccmodel.errors import FileError, InputError, checked_integer

__all__ = [
    "Host",
    "Slot",
    "checked_mapping",
    "cray_rank_order",
    "inverse_mapping",
    "open_mpi_rankfile",
    "placement",
    "read_hosts",
    "slurm_hostfile",
]

Mapping = Sequence[int] | npt.NDArray[Any]

_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")


@dataclass(frozen=True)
class Host:
    """A host that runs up to `slots` ranks.

    Raises:
        InputError: the name is no host name, or slots < 1.
    """

    name: str
    slots: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not _NAME.fullmatch(self.name):
            raise InputError(
                "host", "must be a host name: letters, digits, '.', '-', '_'", self.name
            )
        if checked_integer("slots", self.slots) < 1:
            raise InputError("slots", "must be at least 1", self.slots)


@dataclass(frozen=True)
class Slot:
    """A physical processor: slot `index` (from 0) of a host."""

    host: str
    index: int


def open_mpi_rankfile(
    to_physical: Mapping, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> str:
    """An Open MPI rankfile: one line `rank v=host slot=s` for every rank.

    Use it as `mpirun --map-by rankfile:file=FILE` (Open MPI 5) or `mpirun --rankfile FILE`, with
    the same host list. Open MPI binds the rank to logical core s of the host.

    Args:
        to_physical: to_physical[v] is the physical processor of virtual processor v; a
            permutation of 0..N-1, shape (N,).
        hosts: names, with `slots_per_host` slots each, or `Host` values, with at least N slots
            together. A host that is named again goes on with its next slots.
        slots_per_host: for the hosts given as names.

    Raises:
        InputError: no permutation, a bad host, or fewer slots than ranks.

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
    to_physical: Mapping, hosts: Sequence[str | Host], slots_per_host: int = 1
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


def cray_rank_order(
    to_physical: Mapping, hosts: Sequence[str | Host] | None = None, slots_per_host: int = 1
) -> str:
    """A rank order file for Cray MPICH: the rank in every slot, in the order of the slots.

    Use it as `MPICH_RANK_ORDER` in the working directory (or name it in
    `MPICH_RANK_REORDER_FILE`), with `MPICH_RANK_REORDER_METHOD=3` and a launch that fills host
    after host (`srun --distribution=block`), in the order of the host list.

    Args:
        to_physical: as for `open_mpi_rankfile`.
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
            raise InputError("hosts", "must name a host once, or its slots together", name)
        lines.setdefault(name, []).append(int(rank))
        previous = name
    return "".join(",".join(map(str, line)) + "\n" for line in lines.values())


def _cray_hosts(
    hosts: Sequence[str | Host] | None, slots_per_host: int, needed: int
) -> Iterator[str]:
    if hosts is None:
        return itertools.repeat("", needed)
    return (slot.host for slot in _slots(hosts, slots_per_host, needed))


def placement(
    to_physical: Mapping, hosts: Sequence[str | Host], slots_per_host: int = 1
) -> tuple[Slot, ...]:
    """The slot of every rank: entry v is physical processor to_physical[v] of the host list.

    Args and errors: as for `open_mpi_rankfile`.

    >>> placement([1, 0], [Host("a", 2)])
    (Slot(host='a', index=1), Slot(host='a', index=0))
    """
    physical = checked_mapping(to_physical)
    slots = _slots(hosts, slots_per_host, len(physical))
    return tuple(slots[processor] for processor in physical)


def inverse_mapping(mapping: Mapping, argument: str = "to_physical") -> npt.NDArray[np.int64]:
    """to_virtual from to_physical, or the other way round; int64, shape (N,).

    Raises:
        InputError: not a permutation of 0..N-1, N >= 1.

    >>> inverse_mapping([1, 2, 0])
    array([2, 0, 1])
    """
    permutation = checked_mapping(mapping, argument)
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation))
    return inverse


def read_hosts(path: str | os.PathLike[str]) -> tuple[Host, ...]:
    """Read a host list: one host to a line, as in an Open MPI hostfile.

    A line is `name`, `name:K` or `name slots=K` (K ranks, 1 if not given), where `max_slots=M` is
    understood and not used; `#` starts a comment.

    Raises:
        FileError: the file cannot be read, has no host, or a line is wrong (with its number).
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except TypeError:
        raise InputError("path", "must be the path of a file", path) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise FileError(path, 0, "must be a text file that can be read", reason) from error
    hosts = []
    for number, line in enumerate(text.splitlines(), start=1):
        content = line.split("#", 1)[0].strip()
        if content:
            hosts.append(_read_host(path, number, content))
    if not hosts:
        raise FileError(path, 0, "must name at least one host", "no host")
    return tuple(hosts)


def _read_host(path: str | os.PathLike[str], number: int, content: str) -> Host:
    name, *options = re.sub(r"\s*=\s*", "=", content).split()
    slots: str | None = None
    if ":" in name:
        name, slots = name.split(":", 1)
    for option in options:
        key, _, value = option.partition("=")
        if key == "slots" and slots is None:
            slots = value
        elif key in ("max_slots", "max-slots"):
            _positive(path, number, value)
        else:
            rule = "must be a host with at most one of ':K' and 'slots=K', and 'max_slots=M'"
            raise FileError(path, number, rule, content)
    count = 1 if slots is None else _positive(path, number, slots)
    try:
        return Host(name, count)
    except InputError as error:
        raise FileError(path, number, error.rule, error.value) from None


def _positive(path: str | os.PathLike[str], number: int, value: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", value) or not int(value):
        raise FileError(path, number, "a number of slots must be a positive integer", value)
    return int(value)


def _slots(hosts: Sequence[str | Host], slots_per_host: int, needed: int) -> list[Slot]:
    """The first `needed` slots of a host list."""
    if isinstance(hosts, str) or not isinstance(hosts, Iterable):
        raise InputError("hosts", "must be a sequence of hosts", hosts)
    slots = list(_all_slots(hosts, slots_per_host))
    if len(slots) < needed:
        rule = f"must have at least {needed} slots together, one for every rank"
        raise InputError("hosts", rule, f"{len(hosts)} hosts with {len(slots)} slots")
    return slots[:needed]


def _all_slots(hosts: Sequence[str | Host], slots_per_host: int) -> Iterator[Slot]:
    used: dict[str, int] = {}
    for entry in hosts:
        host = entry if isinstance(entry, Host) else Host(entry, slots_per_host)
        first = used.get(host.name, 0)
        used[host.name] = first + host.slots
        yield from (Slot(host.name, index) for index in range(first, first + host.slots))


def checked_mapping(mapping: Mapping, argument: str = "to_physical") -> npt.NDArray[np.int64]:
    """The mapping as an int64 array of shape (N,).

    Raises:
        InputError: not a permutation of 0..N-1, N >= 1.
    """
    rule = "must be a permutation of 0..N-1 as a one-dimensional integer array, N >= 1"
    try:
        array = np.asarray(mapping)
    except ValueError:  # rows of different lengths
        raise InputError(argument, rule, mapping) from None
    if array.ndim != 1 or array.dtype.kind not in "iu" or not array.size:
        raise InputError(argument, rule, mapping)
    if not np.array_equal(np.sort(array), np.arange(len(array))):
        raise InputError(argument, rule, mapping)
    return array.astype(np.int64)
