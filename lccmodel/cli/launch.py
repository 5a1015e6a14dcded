"""The files that `lccmodel map` writes so that a mapping can be used."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lccmodel.errors import FileError, InputError

if TYPE_CHECKING:
    import numpy.typing as npt

    from lccmodel.communication.program import Program
    from lccmodel.methods.launchers import Launcher
    from lccmodel.methods.mapping.hosts import Host


def read_host_list(text: str) -> tuple[Host, ...]:
    """Hosts from a file with a host list, or from a list such as "a:4,node[01-04]:2".

    Raises:
        InputError: not a list of hosts.
    """
    from lccmodel.methods.mapping.hosts import parse_hosts, read_hosts

    if Path(text).exists() or "/" in text:
        return read_hosts(text)
    try:
        return parse_hosts(text)
    except InputError as error:
        rule = error.rule.replace("must be a list", "must be a file, or a list")
        raise InputError("--hosts", rule, error.value) from None


def rank_file(
    node_of: Sequence[int] | npt.NDArray[Any],
    file: Path,
    hosts: Sequence[Host] | None,
    launcher: Launcher,
) -> tuple[str, str]:
    """The content of a rank file, and a line that says how to use it.

    Raises:
        InputError: hosts are needed and not stated, or are too few.
    """
    from lccmodel.methods.launchers import LAUNCHERS
    from lccmodel.methods.mapping import rankfile

    launch = LAUNCHERS[launcher]
    if hosts is None and launch.hosts:
        rule = f"must be stated for {launcher}: a file, or a list such as a:4,b:4"
        raise InputError("--hosts", rule, hosts)
    usage = launch.usage.format(file=file, size=len(node_of))
    return getattr(rankfile, launch.writer)(node_of, hosts), f"{file}: {usage}"


def spmd_file(
    program: Program, node_of: Sequence[int] | npt.NDArray[Any], file: Path
) -> tuple[str, str]:
    """The node program of what is sent, and a line that says how to use it.

    Raises:
        SizeLimitError: too many processors or messages.
    """
    from lccmodel.methods.placed import node_program

    usage = f"{file}: mpiexec -n {len(node_of)} python -m mpi4py {file}"
    return node_program(program, node_of), usage


def check_places(files: Sequence[Path]) -> None:
    """Refuse files that cannot all be written, before any of them is.

    Raises:
        InputError: a file is named twice, its folder does not exist, or it is a folder.
    """
    for k, file in enumerate(files):
        if file.resolve() in {other.resolve() for other in files[:k]}:
            raise InputError("output file", "must not be named twice", str(file))
        if not file.resolve().parent.is_dir():
            raise FileError(file, 0, "must be in a folder that exists", str(file.parent))
        if file.is_dir():
            raise FileError(file, 0, "must not be a folder", str(file))
